"""Cost page: costs by table or slider, and their effect on all runs without training again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import isclose
from typing import Final

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QLineEdit, QStackedWidget, QWidget

from algorithms.core.errors import DataError
from algorithms.data.columns import FloatArray
from algorithms.evaluation.compare.multi_comparison import listed
from algorithms.evaluation.costs.cost_matrix import CostMatrix, read_costs, write_costs
from algorithms.evaluation.costs.cost_ranking import CostStanding, CostVersusConstant
from algorithms.evaluation.costs.cost_workings import cheapest_guess, summed
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost, Choice
from algorithms.evaluation.measures.metrics import Report
from algorithms.text.names import shortened
from algorithms.text.numbers import amount
from algorithms.text.sentences import BRIEF_NAMES, counted, in_brief, threshold_words
from workbench.forms.costs import unit_costs
from workbench.jobs.ui_scheduling import FrameThrottle
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, set_property, themes
from workbench.tabs.evaluate.confusion_pane import ConfusionSelection
from workbench.tabs.evaluate.costs.cost_charts import CostBoundary, CostByThreshold
from workbench.tabs.evaluate.costs.cost_editor import COST_HEADING, COST_ROW, AmountsChoice, CostEditor, CostSlider
from workbench.tabs.evaluate.costs.cost_ranking import (
    HOW_TO_READ,
    CostRanking,
    CostRankingModel,
    VersusConstant,
    mean_words,
)
from workbench.tabs.evaluate.decision_rules import ActiveRuleBar, RunDecisions
from workbench.viewers.charts.confusion_matrix import ConfusionView
from workbench.widgets.buttons import pill_button, quiet_button
from workbench.widgets.dialogs import ask_for_file, ask_where_to_save
from workbench.widgets.labels import TOGETHER, ElidedLabel, WholeLabel, label
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, filled, named
from workbench.widgets.panes import PairedRows, Pane, UprightScrollArea

Money = Callable[[float], str]
NEXT_TO_NOTHING = 1e-9
LONGEST_NAME = 30
MOST_ALIKE = 4
"""Up to so many equally cheap runs are listed."""
BY_MODEL = "the model's own decisions"
BY_LEAST_COST = "deciding by least expected cost"
LEAST_COST = "least expected cost"
USE_EXPECTED = "use expected cost"
IN_FORCE = "what is in force"
AT_CHEAPEST = "the cheapest threshold"


def cheapest_of(ranking: CostRanking, n_others: int, unit: str) -> str:
    """Names the cheapest run under least expected cost, and whether it differs significantly from the second.

    A single run has no rank; a threshold or a constant prediction may be cheaper than any of them.
    """
    best, held, n_runs = ranking.runs[0], ranking.shown[0].cheapest, len(ranking.runs)
    cost = f"{mean_words(held, ranking.decimals)}{unit} a record".replace(" ± ", f"{TOGETHER}±{TOGETHER}")
    alike = [
        run.number
        for run, standing in zip(ranking.runs, ranking.shown, strict=True)
        if isclose(standing.cheapest.mean, held.mean, rel_tol=NEXT_TO_NOTHING, abs_tol=NEXT_TO_NOTHING)
    ]
    sentence = f"Decided by least expected cost run {best.number}, {best.learner.name}, costs {cost}"
    if len(alike) > 1:
        numbers = listed([str(number) for number in sorted(alike)])
        those = f"runs {numbers}" if len(alike) <= MOST_ALIKE else f"{len(alike)} runs"
        alike_words = "both" if len(alike) == 2 else "all"
        sentence = f"Of {n_runs} runs so decided {those} cost least, {alike_words} the same: {cost}"
        if len(alike) == n_runs:
            sentence = f"Decided by least expected cost all {n_runs} runs cost the same: {cost}"
    elif n_runs > 1:
        sentence = f"Of {n_runs} runs so decided run {best.number}, {best.learner.name}, costs least: {cost}"
    if len(alike) < n_runs:
        second = ranking.shown[len(alike)].cheapest
        near = held.mean + (held.spread or 0.0) >= second.mean - (second.spread or 0.0)
        those = "the two cheapest" if len(alike) == 1 else "these and the next"
        sentence += f", but the intervals of {those} overlap" if near else ""
    sentence += _otherwise_cheapest(ranking, alike)
    others = f" {counted(n_others, 'run')} judged other classes." if n_others else ""
    return f"{sentence}.{others}"


def _otherwise_cheapest(ranking: CostRanking, numbers: Sequence[int]) -> str:
    """Names the cheapest run under the default rules, if it is none of ``numbers``."""
    by_model = list(zip((standing.as_decided.mean for standing in ranking.shown), ranking.runs, strict=True))
    least = min(mean for mean, _run in by_model) + NEXT_TO_NOTHING
    cheapest = [run for mean, run in by_model if mean <= least]
    if any(run.number in numbers for run in cheapest):
        return ""
    return f". As the models themselves decide, run {cheapest[0].number}, {cheapest[0].learner.name}, costs least"


def way_in_force(choice: Choice | None) -> str:
    """Which kind of rule a choice is."""
    if isinstance(choice, AtThreshold):
        return IN_FORCE
    return BY_MODEL if choice is None else BY_LEAST_COST


def in_force(choice: Choice | None, totals: Mapping[str, float], cheapest: AtThreshold | None, money: Money) -> str:
    """The current rule with its total cost, and the costs of the alternatives.

    ``totals`` has those of :data:`BY_MODEL` and :data:`BY_LEAST_COST`, of :data:`IN_FORCE` if a threshold is in use,
    and of :data:`AT_CHEAPEST` if the ``cheapest`` threshold is known.
    """
    by, decision = way_in_force(choice), _decides(choice)
    own, now = totals[BY_MODEL], totals[by]
    over = "" if choice is None else f": {_beside(now - own, money)} {BY_MODEL}"

    def other(name: str, total: float) -> str:
        return f"{name}: {money(total)}, {_over(total - now, money)}."

    sentences = [f"{decision}, cost {money(now)} in all{over}."]
    if by != BY_LEAST_COST:
        sentences.append(other("Least expected cost", totals[BY_LEAST_COST]))
    if cheapest is not None and cheapest != choice:
        name = f"Cheapest threshold on these records, {threshold_words(cheapest.threshold)}"
        if cheapest.threshold > 1:
            name = f"Cheapest on these records, never saying {shortened(cheapest.label, LONGEST_NAME)}"
        sentences.append(other(name, totals[AT_CHEAPEST]))
    return " ".join(sentences)


def if_unsure(choice: Choice | None, totals: Mapping[str, float], cheapest: AtThreshold | None, margin: float) -> str:
    """Recommends a rule; empty if it is in use or the threshold is unknown.

    The rule that was not fitted to these records is preferred, unless the other is cheaper by more than ``margin``:
    half the interval of the total under least expected cost.
    """
    if cheapest is None:
        return ""
    expected, own, best = totals[BY_LEAST_COST], totals[BY_MODEL], totals[AT_CHEAPEST]
    if min(expected, own) - best > margin:
        is_used = isinstance(choice, AtThreshold) and totals[IN_FORCE] <= best + NEXT_TO_NOTHING
        if is_used:
            return ""
        what = "the threshold" if cheapest.threshold <= 1 else f"“never {shortened(cheapest.label, LONGEST_NAME)}”"
        return f"If unsure, use {what}: it costs clearly less."
    if own <= expected + NEXT_TO_NOTHING:
        return "If unsure, leave it as the model decides." if choice is None else ""
    return "" if isinstance(choice, ByCost) else f"If unsure, {USE_EXPECTED}: it was not chosen on these records."


def beside_one_answer(comparison: CostVersusConstant, choice: Choice | None, money: Money, of: str = "") -> str:
    """Whether the best constant prediction costs more than this rule, and whether that is significant.

    ``of`` names the rule; without it the rule in use is meant.
    """
    sentence = f"Always saying {shortened(comparison.guessed, LONGEST_NAME)} costs {_over(comparison.more, money)}"
    if abs(comparison.more) < NEXT_TO_NOTHING:
        return f"{sentence}{' as ' if of else ''}{of}."
    sentence += f" than {of}" if of else ""
    if not comparison.less.significant:
        return f"{sentence}, which may be chance."
    if comparison.more > 0 and isinstance(choice, AtThreshold):
        return f"{sentence}, but not surely: the threshold was chosen on these records."
    return f"{sentence}, which is hardly chance."


def being_weighed(choice: Choice | None) -> str:
    """The rule in use while its costs are being computed."""
    return f"{_decides(choice)}. What that costs is being worked out…"


def one_answer_for_all(
    decided: Report, costs: FloatArray, totals: Mapping[str, float], in_force: str, money: Money
) -> str:
    """Total cost of the best constant prediction if it undercuts any of the ``totals``, with the rules it undercuts,
    and otherwise its difference to the rule ``in_force``.
    """
    matrix, column = summed(decided)
    code, guess = cheapest_guess(matrix, costs, decided.classes, column)
    least = guess.value
    if least is None:
        return ""
    dearer = [f"{name} ({money(total)})" for name, total in totals.items() if least < total - NEXT_TO_NOTHING]
    if not dearer:
        return ""
    always = f"Always saying {shortened(decided.classes[code], LONGEST_NAME)}, whatever the record, would cost"
    now = totals[in_force]
    if least >= now - NEXT_TO_NOTHING:
        return f"{always} {money(least)}: {_beside(least - now, money)} {IN_FORCE}."
    return f"{always} {money(least)}: less than {listed(dearer)}."


def _decides(choice: Choice | None) -> str:
    """Names a rule, with the threshold and its class if it has one."""
    return _from_on(choice.label, choice.threshold) if isinstance(choice, AtThreshold) else way_in_force(choice)


def _from_on(label: str, threshold: float) -> str:
    name = shortened(label, LONGEST_NAME)
    return f"never {name}" if threshold > 1 else f"{name} from {threshold_words(threshold)} on"


def _over(over: float, money: Money) -> str:
    """A difference of costs: "16 less"; "the same"."""
    return "the same" if abs(over) < NEXT_TO_NOTHING else f"{money(abs(over))} {'more' if over > 0 else 'less'}"


def _beside(over: float, money: Money) -> str:
    """A difference before what it is compared with: "16 less than"."""
    return f"{_over(over, money)} {'as' if abs(over) < NEXT_TO_NOTHING else 'than'}"


class BoardMatrix(Pane):
    """A matrix with a sentence below it.

    ``cells_meant`` carries the clicked cells (k, k) and how to select their records.
    """

    cells_meant = Signal(object, object)
    came_into_view = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Confusion", parent=parent)
        self.view = named(ConfusionView(), "evaluate.board.matrix")
        self.view.cells_meant.connect(self._meant)
        self._sentence = named(label("", "", wrap=True), "evaluate.board.sentence")
        self._statement, self._remark = "", ""
        add_items(self.body, (self.view, 1), self._sentence)

    def say(self, sentence: str) -> None:
        """Shows a sentence below the matrix; hides it if empty."""
        self._statement = sentence
        self._tell()

    def remark(self, words: str) -> None:
        """Appends a sentence about the last selection."""
        self._remark = words
        self._tell()

    def set_selected(self, counts: FloatArray | None) -> None:
        """Sets the selected weight of each cell (k, k); None without a selection."""
        self.view.set_selected(counts)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.came_into_view.emit()

    def _meant(self, cells: object, how: object) -> None:
        self.remark("")
        self.cells_meant.emit(cells, how)

    def _tell(self) -> None:
        words = " ".join(filter(None, (self._statement, self._remark)))
        self._sentence.setText(words)
        self._sentence.setVisible(bool(words))


KINDS: Final = "Costs (*.json);;Comma-separated values (*.csv)"
KINDS_READ: Final = "Costs (*.json *.csv *.txt)"
LEFT_SHARE: Final = 4 / 9
"""Share of the width for costs and matrix."""
BOUNDARY, BY_THRESHOLD = range(2)
IF_BY_LEAST_COST, AS_DECIDED = "Confusion, if by least expected cost", "Confusion, as decided now"
NOT_IN_USE: Final = "not in use yet"
IF_SO: Final = "if decided by least expected cost"
ROOM_FOR_NOTE: Final = 560
"""Height from which a note explains the regions; below it the tooltip does."""
NOTHING_REFUSED: Final = "\u00a0"
"""A blank line of the same height as an error."""
HEADLINE_LINES: Final = 2
"""Lines always reserved for the headline."""
ROWS_SHOWN: Final = 3
"""Rows of the cost table that are always visible."""


class CostBoard(ClearWidget):
    """Cost page; follows the current run and the session's costs while visible."""

    def __init__(self, session: Session, deciding: RunDecisions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._deciding = session, deciding
        self._now: dict[Run, float] = {}
        self.standings = CostRankingModel(session, self)
        self._weighing = FrameThrottle(self.standings.weigh, self)
        self.force = ActiveRuleBar(deciding, self)
        self._beside = VersusConstant(session)
        self._make_costs()
        self._make_ranking()
        self._matrix_pane = BoardMatrix(self)
        self.matrix = self._matrix_pane.view
        self._linked = ConfusionSelection(self._session, self._matrix_pane, self)
        self._make_pictures()
        self._lay_out()
        self.standings.changed.connect(self._show_standings)
        deciding.changed.connect(self._deciding_changed)
        for signal in (session.costs_changed, session.runs_changed, session.current_run_changed):
            signal.connect(self._changed)
        session.class_of_interest_changed.connect(self._changed)

    # ---- its parts ---------------------------------------------------------------------------------------------------

    def _make_costs(self) -> None:
        self.editor = CostEditor(self._session, "evaluate.board.costs", self)
        self.slider = CostSlider("evaluate.board.slider", self)
        self.currency = named(
            QLineEdit(),
            "evaluate.board.currency",
            "What the costs are counted in",
            "What the costs are counted in, such as EUR or days",
        )
        self.currency.setPlaceholderText("currency")
        self.currency.setMaxLength(24)
        self.currency.setFixedWidth(themes.px(88))
        self.amounts = AmountsChoice(self._session, "evaluate.board.amounts")
        self.reset = quiet_button("All 1", "evaluate.board.reset", "Every mistake costs 1 again", self.editor.reset)
        opening = quiet_button(
            "Open",
            "evaluate.board.open",
            "Take the costs from a file",
            lambda: ask_for_file(self, "Open costs", KINDS_READ, self._open),
        )
        saving = quiet_button(
            "Save",
            "evaluate.board.save",
            "Write the costs to a file",
            lambda: ask_where_to_save(self, "Save costs", KINDS, "costs.json", self._save),
        )
        self._refused = named(ElidedLabel(NOTHING_REFUSED), "evaluate.board.refused")
        set_property(self._refused, "tone", "bad")
        self._costs_pane = Pane("What a mistake costs", actions=(self.reset, opening, saving))
        self.slider.add(self.amounts)
        self.slider.add(self.currency)
        add_items(self._costs_pane.body, (self.editor, 1000), self.slider, self._refused, 1)
        self.editor.table_made.connect(self._table_made)
        self.editor.accepted.connect(partial(self._refused.setText, NOTHING_REFUSED))
        self.editor.refused.connect(self._refused.setText)
        self.slider.moved.connect(self._dragged)
        self.currency.editingFinished.connect(self._currency_typed)

    def _make_ranking(self) -> None:
        self._headline = named(WholeLabel(), "evaluate.board.headline")
        self._headline.reserve(HEADLINE_LINES)
        self.ranking = CostRanking("evaluate.board.ranking")
        self.ranking.run_meant.connect(self._session.set_current_run)
        self._ranking_pane = Pane("All runs, decided by least expected cost")
        add_items(self._ranking_pane.body, self._headline, (self.ranking, 1), label(HOW_TO_READ, "small", wrap=True))

    def _make_pictures(self) -> None:
        self.boundary = CostBoundary(self._session, self)
        self.by_threshold = CostByThreshold(self._deciding, self)
        self._pictures = filled(QStackedWidget(self), self.boundary, self.by_threshold)
        for pane, other, says, tip in (
            (self.boundary, "Cost by threshold", "evaluate.board.to-plot", "What each threshold would cost"),
            (self.by_threshold, "Regions", "evaluate.board.to-boundary", "Where it decides what"),
        ):
            to = BY_THRESHOLD if pane is self.boundary else BOUNDARY
            pane.add_action(pill_button(other, says, tip, partial(self._turn, to)))

    def _lay_out(self) -> None:
        rows = PairedRows(LEFT_SHARE, self)
        rows.add_row(self._costs_pane, self._ranking_pane)
        rows.add_row(self._matrix_pane, self._pictures)
        whole = column_layout(self.force, inside=self, spacing=SPACE_2)
        whole.addWidget(UprightScrollArea(rows), 1)  # in a low window nothing lies over anything

    # ---- following ---------------------------------------------------------------------------------------------------

    @property
    def is_busy(self) -> bool:
        """Whether a computation is running."""
        return self.standings.is_busy or self._weighing.is_busy or self.boundary.is_busy

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.boundary.note.setVisible(self.height() >= themes.px(ROOM_FOR_NOTE))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def _changed(self) -> None:
        if self.isVisible():
            self.refresh()

    def _deciding_changed(self) -> None:
        if self.isVisible():
            self._show_plot()
            self._show_standings()
            self._show_boundary()

    def refresh(self) -> None:
        """Updates the page; does nothing while hidden."""
        run = self._run
        if run is None or run.report is None or not self.isVisible():
            return
        self.editor.show_report(run.report)
        costs = self._session.costs
        if not self.currency.hasFocus():
            self.currency.setText("" if costs is None else costs.currency)
        self.amounts.show_run(run, self.editor.classes)
        self._show_slider()
        self._weighing.wish()
        self._show_boundary()
        self._show_plot()

    def _show_boundary(self) -> None:
        """Shows the regions under the threshold in use, or under least expected cost."""
        run = self._run
        if run is not None:
            at_one = isinstance(self._session.decisions.in_force(run), AtThreshold)
            trained = run.trained
            asked = self._session.decisions.asked(run) if at_one and trained is not None else None
            decide = None if asked is None or trained is None else asked.rule.for_classes(tuple(trained.classes))
            self.boundary.show_run(run, self._costs(run), decide)

    @property
    def _run(self) -> Run | None:
        run = self._session.current_run
        return run if run is not None and run.report is not None else None

    def _costs(self, run: Run) -> FloatArray:
        """The costs in the order of the run's classes; zero-one without costs."""
        assert run.report is not None
        costs = self._session.decisions.costs_of(run)
        return 1.0 - np.eye(len(run.report.classes)) if costs is None else costs

    def _money(self, value: float) -> str:
        """A cost with its currency."""
        costs = self._session.costs
        return f"{amount(value)} {costs.currency}".rstrip() if costs is not None else amount(value)

    # ---- the costs ---------------------------------------------------------------------------------------------------

    def _table_made(self) -> None:
        rows = min(len(self.editor.classes), ROWS_SHOWN)
        least = themes.px(COST_ROW) * rows + themes.px(COST_HEADING)
        self.editor.setMinimumHeight(least)
        self.editor.setMaximumHeight(max(least, self.editor.table.content_height()))
        self.editor.table.selectionModel().currentChanged.connect(self._show_slider)
        if len(self.editor.classes) > 1:
            code = self.editor.classes.index(self._deciding.label) if self._deciding.label in self.editor.classes else 0
            self.editor.table.setCurrentIndex(self.editor.table.model().index(code, 1 if code == 0 else 0))

    def _cell(self) -> tuple[int, int] | None:
        index = self.editor.table.currentIndex()
        return (index.row(), index.column()) if index.isValid() else None

    def _show_slider(self) -> None:
        cell = self._cell()
        self.slider.setVisible(cell is not None)
        if cell is None:
            return
        true, predicted = (self.editor.classes[code] for code in cell)
        try:
            cost = self.editor.table.costs()[cell[0]][cell[1]]
        except DataError:
            return
        brief = f"{true} → {predicted}"
        briefer = [in_brief(brief, tuple(self.editor.classes), most) for most in BRIEF_NAMES]
        self.slider.show_cost((f"is {true}, said {predicted}", brief, *briefer), cost, self._money(cost))

    def _dragged(self, cost: float) -> None:
        cell = self._cell()
        if cell is not None:
            self.editor.table.type_in(*cell, f"{round(cost, 3):.15g}")

    def _currency_typed(self) -> None:
        currency, costs, classes = self.currency.text().strip(), self._session.costs, self.editor.classes
        if costs is not None:
            self._session.set_costs(replace(costs, currency=currency))
        elif currency and classes:
            self._session.set_costs(CostMatrix(classes, unit_costs(len(classes)), currency))

    def _open(self, path: str) -> None:
        try:
            self._session.set_costs(read_costs(path, self.editor.classes))
        except DataError as error:
            self._session.messages.error(error)

    def _save(self, path: str) -> None:
        classes = self.editor.classes
        costs = self._session.costs or CostMatrix(classes, unit_costs(len(classes)))
        try:
            write_costs(path, costs)
        except DataError as error:
            self._session.messages.error(error)

    # ---- what follows ------------------------------------------------------------------------------------------------

    def _show_standings(self) -> None:
        run, ranked = self._run, self.standings.ranked
        self._now = self._costs_now()
        self.ranking.show_ranked(ranked, run, self._now)
        self._headline.setText(self._headline_words())
        held = ranked.of(run)
        if run is None or run.report is None or held is None:
            self._matrix_pane.hide()
            return
        threshold = self._threshold_in_force(run)
        matrix = None if threshold is None else self._deciding.matrix_at(threshold)
        is_known = threshold is None or matrix is not None
        self._matrix_pane.setVisible(is_known)
        if not is_known:
            self.force.show_force(run.number, being_weighed(self._deciding.choice))
            return
        decided = self._deciding.report() or run.report
        self.matrix.set_matrix(run.report.classes, held.confusion if matrix is None else matrix)
        choice = self._deciding.choice
        if choice is None:
            self._linked.follow(self._deciding.if_by_cost(run), IF_SO)
        else:
            self._linked.follow(self._session.decisions.asked(run))
        self._matrix_pane.set_title(IF_BY_LEAST_COST if choice is None else AS_DECIDED)
        self._matrix_pane.set_facts(NOT_IN_USE if choice is None else f"run {run.number}")
        totals = self._totals(run, held, decided)
        offer = self._deciding.offer()
        cheapest = None if offer is None else AtThreshold(offer.label, offer.cheapest.threshold)
        margin = (held.cheapest.spread or 0.0) * run.report.n
        advice = if_unsure(choice, totals, cheapest, margin)
        sentence = in_force(choice, totals, cheapest, self._money)
        expected = "expected cost" if USE_EXPECTED in advice else LEAST_COST
        one = self._beside_one_answer(run, totals, expected)
        in_order = (sentence, advice, one) if choice is None else (sentence, one, advice)
        self.force.show_force(run.number, " ".join(filter(None, in_order)))
        self._matrix_pane.say(self._one_answer(run, decided, totals))

    def _beside_one_answer(self, run: Run, totals: Mapping[str, float], expected: str) -> str:
        """Compares the best constant prediction with the rule in use.

        While the default rule is in use, it compares with least expected cost, called ``expected``, if that is cheaper.
        Empty until it is computed.
        """
        choice, of = self._deciding.choice, ""
        if choice is None and totals[BY_LEAST_COST] < totals[BY_MODEL] - NEXT_TO_NOTHING:
            choice, of = ByCost(), expected
        comparison = self._beside.of(run, choice)
        return "" if comparison is None else beside_one_answer(comparison, choice, self._money, of)

    def _totals(self, run: Run, held: CostStanding, decided: Report) -> dict[str, float]:
        """Total cost of each rule."""
        totals = {BY_MODEL: held.as_decided.total, BY_LEAST_COST: held.cheapest.total}
        offer = self._deciding.offer()
        if isinstance(self._deciding.choice, AtThreshold):
            totals[IN_FORCE] = float((summed(decided)[0] * self._costs(run)).sum())
        if offer is not None:
            totals[AT_CHEAPEST] = offer.cheapest.total
        return totals

    def _costs_now(self) -> dict[Run, float]:
        """Cost per record of runs with a rule of the user."""
        costs = {run: self._session.decisions.reports.cost_per_record(run) for run in self.standings.ranked.runs}
        return {run: cost for run, cost in costs.items() if cost is not None}

    def _headline_words(self) -> str:
        if not self.standings.ranked.runs:
            return "No run was judged on these classes."
        n_others = self.standings.ranked.n_others
        return cheapest_of(self.ranking, n_others, self._unit())

    def _one_answer(self, run: Run, decided: Report, totals: Mapping[str, float]) -> str:
        """Whether a constant prediction would cost less than the current run's decisions; else empty."""
        asked = {name: total for name, total in totals.items() if name != AT_CHEAPEST}
        way = way_in_force(self._deciding.choice)
        return one_answer_for_all(decided, self._costs(run), asked, way, self._money)

    def _unit(self) -> str:
        costs = self._session.costs
        return f" {costs.currency}" if costs is not None and costs.currency else ""

    def _threshold_in_force(self, run: Run) -> float | None:
        """The threshold in use; None under another rule."""
        self._deciding.look_at(run, self._session.decisions.label_of_interest(run))
        choice = self._deciding.choice
        return choice.threshold if isinstance(choice, AtThreshold) else None

    def _turn(self, page: int) -> None:
        self._pictures.setCurrentIndex(page)
        self._show_plot()

    def _show_plot(self) -> None:
        run = self._run
        if run is not None and self._pictures.currentIndex() == BY_THRESHOLD:
            self.by_threshold.show_run(run, self._costs(run), self._threshold_in_force(run))
