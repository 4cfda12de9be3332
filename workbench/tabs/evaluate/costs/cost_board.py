"""Cost page: costs of mistakes, what another decision rule would change, and its charts; all runs by cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from math import isclose
from typing import Any, Final

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QGraphicsOpacityEffect, QLineEdit, QMenu, QStackedWidget, QWidget

from algorithms.core.errors import DataError
from algorithms.core.record_costs import RecordCosts
from algorithms.core.scores import ratio
from algorithms.data.columns import FloatArray
from algorithms.data.formulas import column_formula
from algorithms.evaluation.compare.multi_comparison import listed
from algorithms.evaluation.costs.cost_matrix import CostMatrix, read_costs, write_costs
from algorithms.evaluation.costs.cost_workings import CostStanding, CostVersusConstant
from algorithms.evaluation.costs.decision_rules import AtThreshold, ByCost, Choice, missing_costs
from algorithms.text.names import shortened
from algorithms.text.numbers import MINUS, MOST_DECIMALS, amount, in_hundredths, percent, points, price
from algorithms.text.sentences import counted, threshold_words
from workbench.forms.costs import unit_costs
from workbench.jobs.ui_scheduling import FrameThrottle
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, SPACE_3, current_theme, set_property, themes
from workbench.tabs.evaluate.costs.cost_charts import CostBoundary
from workbench.tabs.evaluate.costs.cost_editor import CostEditor, cost_sentence, money_words
from workbench.tabs.evaluate.costs.cost_ranking import (
    HOW_TO_READ,
    CostRanking,
    CostRankingModel,
    VersusConstant,
    mean_words,
)
from workbench.tabs.evaluate.costs.threshold_charts import ThresholdCharts, ThresholdOutcomes, is_round
from workbench.tabs.evaluate.decision_rules import RunDecisions
from workbench.viewers.charts.chart_base import ExportedChart
from workbench.viewers.charts.export import Export
from workbench.widgets.buttons import IconButton, accent_button, quiet_button, set_caption
from workbench.widgets.dialogs import ask_for_file, ask_where_to_save
from workbench.widgets.fields import drop_down
from workbench.widgets.keyboard_focus import enable
from workbench.widgets.labels import TOGETHER, WholeLabel, label, show_text
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, filled, named, row_layout
from workbench.widgets.panes import Pane, UprightScrollArea
from workbench.widgets.tables import Role, TextModel, TextTable

Money = Callable[[float], str]
NEXT_TO_NOTHING = 1e-9
LONGEST_NAME = 30
MOST_ALIKE = 4
"""Up to so many equally cheap runs are listed."""


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
    sentence = f"By least expected cost run {best.number}, {best.learner.name}, costs {cost}"
    if len(alike) > 1:
        numbers = listed([str(number) for number in sorted(alike)])
        those = f"runs {numbers}" if len(alike) <= MOST_ALIKE else f"{len(alike)} runs"
        alike_words = "both" if len(alike) == 2 else "all"
        sentence = f"By least expected cost {those} of {n_runs} cost least, {alike_words} {cost}"
        if len(alike) == n_runs:
            sentence = f"By least expected cost all {n_runs} runs cost the same: {cost}"
    elif n_runs > 1:
        sentence = f"By least expected cost run {best.number}, {best.learner.name}, costs least: {cost}"
    if len(alike) < n_runs:
        second = ranking.shown[len(alike)].cheapest
        near = held.mean + (held.spread or 0.0) >= second.mean - (second.spread or 0.0)
        those = "the two cheapest" if len(alike) == 1 else "these and the next"
        sentence += f", but the intervals of {those} overlap" if near else ""
    sentence += _otherwise_cheapest(ranking, alike)
    others = f" {counted(n_others, 'run')} tested other classes." if n_others else ""
    return f"{sentence}.{others}"


def _otherwise_cheapest(ranking: CostRanking, numbers: Sequence[int]) -> str:
    """Names the cheapest run under the default rules, if it is none of ``numbers``."""
    by_model = list(zip((standing.as_decided.mean for standing in ranking.shown), ranking.runs, strict=True))
    least = min(mean for mean, _run in by_model) + NEXT_TO_NOTHING
    cheapest = [run for mean, run in by_model if mean <= least]
    if any(run.number in numbers for run in cheapest):
        return ""
    return f". By default, run {cheapest[0].number}, {cheapest[0].learner.name}, costs least"


def rule_name(choice: Choice, classes: tuple[str, ...]) -> str:
    """A decision rule at the beginning of a sentence."""
    if isinstance(choice, ByCost):
        return "Least expected cost"
    if choice.threshold > 1:
        return f"Never predicting {shortened(choice.label, LONGEST_NAME, classes)}"
    return f"A threshold of {threshold_words(choice.threshold)}"


def _named(choice: Choice, classes: tuple[str, ...]) -> str:
    """A decision rule on its button."""
    if isinstance(choice, ByCost):
        return "least expected cost"
    if choice.threshold > 1:
        return f"“never {shortened(choice.label, LONGEST_NAME // 2, classes)}”"
    return f"threshold {threshold_words(choice.threshold)}"


def verdict_words(choice: Choice, classes: tuple[str, ...], before: float, now: float, money: Money) -> str:
    """What a decision rule does to the total cost ``before`` of the default rule."""
    if abs(now - before) < NEXT_TO_NOTHING:
        return f"{rule_name(choice, classes)} leaves the total cost at {money(before)}"
    does = "lowers" if now < before else "raises"
    return f"{rule_name(choice, classes)} {does} the total cost from {price(before)} to {money(now)}"


def mistakes_of(matrix: FloatArray, code: int) -> tuple[float, float]:
    """False negatives and false positives of class ``code`` in a confusion matrix (k, k)."""
    hits = float(matrix[code, code])
    return float(matrix[code].sum()) - hits, float(matrix[:, code].sum()) - hits


def changes_sentence(before: FloatArray, now: FloatArray, code: int, classes: tuple[str, ...]) -> str:
    """How many false negatives and false positives a rule adds or saves."""
    n_actual = float(before[code].sum())
    of = (
        f"{amount(n_actual)} {shortened(classes[code], LONGEST_NAME, classes)}",
        f"{amount(float(before.sum()) - n_actual)} others",
    )
    parts = []
    for name, whole, old, new in zip(
        ("false negatives", "false positives"), of, mistakes_of(before, code), mistakes_of(now, code), strict=True
    ):
        over = new - old
        change = "no change in" if not over else f"{amount(abs(over))} {'more' if over > 0 else 'fewer'}"
        parts.append(f"{change} {name} among {whole}")
    sentence = ", ".join(parts)
    return f"{sentence[0].upper()}{sentence[1:]}."


def change_rows(before: FloatArray, now: FloatArray, totals: tuple[float, float], code: int) -> list[tuple[str, ...]]:
    """Cost, mistakes and measures of two rules, and the change, as rows of text.

    Each change is the difference of the two figures shown, and true to the last digit shown.
    """
    rows = list[tuple[str, ...]]()
    counts = (totals, *zip(mistakes_of(before, code), mistakes_of(now, code), strict=True))
    for name, (old, new) in zip(("Total cost", "False negatives", "False positives"), counts, strict=True):
        was, becomes = price(old), price(new)
        over = float(_shown(becomes) - _shown(was))
        rows.append((name, was, becomes, f"{'+' if over > 0 else ''}{price(over)}"))
    for name, *rates in zip(("Recall", "Precision", "Accuracy"), _rates(before, code), _rates(now, code), strict=True):
        decimals, change = _true_change(*rates)
        rows.append((name, *(percent(rate, decimals=decimals) for rate in rates), change))
    return rows


def _true_change(before: float | None, after: float | None) -> tuple[int, str]:
    """Decimals of two percentages with which the difference of them, also returned, is the rounded true one."""
    if before is None or after is None:
        return 1, ""
    exact = after - before
    for decimals in range(1, MOST_DECIMALS + 1):
        shown = float(Decimal(in_hundredths(after, decimals)) - Decimal(in_hundredths(before, decimals)))
        is_hidden = not shown and float(in_hundredths(exact, MOST_DECIMALS))
        if shown == float(in_hundredths(exact, decimals)) and not is_hidden:
            break
    return decimals, points(shown / 100.0, decimals).removesuffix(" points") if shown else "0"


def _shown(figure: str) -> Decimal:
    """The value of a figure as it is shown."""
    return Decimal(figure.replace(",", "").replace(MINUS, "-"))


def _rates(matrix: FloatArray, code: int) -> tuple[float | None, ...]:
    """Recall and precision of a class, and accuracy; None where no record counts."""
    right = float(matrix[code, code])
    return (
        ratio(right, float(matrix[code].sum())),
        ratio(right, float(matrix[:, code].sum())),
        ratio(float(np.trace(matrix)), float(matrix.sum())),
    )


def beside_one_answer(
    comparison: CostVersusConstant, classes: tuple[str, ...], choice: Choice | None, money: Money
) -> str:
    """Whether the best constant prediction costs more than this rule, and whether that is significant."""
    over, baseline = comparison.more, shortened(comparison.guessed, LONGEST_NAME, classes)
    sentence = f"The baseline (always {baseline}) costs"
    if abs(over) < NEXT_TO_NOTHING:
        return f"{sentence} the same."
    sentence += f" {money(abs(over))} {'more' if over > 0 else 'less'}"
    if not comparison.less.significant:
        return f"{sentence}, not significant."
    is_chosen_here = over > 0 and isinstance(choice, AtThreshold)
    return f"{sentence}." if is_chosen_here else f"{sentence}, significant."


class _Changes(TextModel):
    """Rows of a comparison whose last column is coloured by what is better: less cost and mistakes, more of a rate."""

    N_COSTS: Final = 3

    def value(self, row: int, column: int, role: int) -> Any:
        if role != Role.ForegroundRole or column != self.size()[1] - 1:
            return super().value(row, column, role)
        text = self.text(row, column)
        if text[:1] not in ("+", "−"):
            return current_theme().color("dim")
        return current_theme().color("good" if (text[0] == "−") is (row < self.N_COSTS) else "bad")


class ChangesTable(TextTable):
    """What a decision rule changes, as high as its rows."""

    def __init__(self) -> None:
        super().__init__("evaluate.board.changes", "What the decision rule changes", None, _Changes(), least_words=140)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def needed_width(self) -> int:
        """The width that shows all figures whole, in steps, so that it is steady while figures change."""
        step = themes.px(WIDTH_STEP)
        return -(-(sum(self._least) + 2 * self.frameWidth()) // step) * step

    def _share_room(self) -> None:
        super()._share_room()
        bar = self.horizontalScrollBar().sizeHint().height() if sum(self._least) > self.viewport().width() else 0
        self.setFixedHeight(self.content_height() + bar)


KINDS: Final = "Costs (*.json);;Comma-separated values (*.csv)"
KINDS_READ: Final = "Costs (*.json *.csv *.txt)"
BY_THRESHOLD, ALL_RUNS, REGIONS = range(3)
VIEWS: Final = (("By threshold", BY_THRESHOLD), ("All runs", ALL_RUNS), ("Decision regions", REGIONS))
THRESHOLD, EXPECTED = "threshold", "expected"
RULES: Final = (("Threshold", THRESHOLD), ("Least expected cost", EXPECTED))
OWN_THRESHOLDS: Final = "Costs differ by record, so each record has its own threshold: least expected cost uses it."
TAKES_FORMULAS: Final = "A cell also takes a column or a formula, such as {column} * 0.1."
PREVIOUS_COSTS: Final = "The results still use the previous costs."
DIMMED: Final = 0.35
ROWS_SHOWN: Final = 6
"""Rows of the cost table that are always visible."""
CURRENCY_WIDTH: Final = 88
MEANING_LINES: Final = 3
"""Lines always reserved for what the costs mean."""
AROUND_CHANGES: Final = 34
"""Pixels of the left pane around the table of changes."""
MOST_LEFT: Final = 0.48
"""Largest share of the left pane in the width."""
WIDTH_STEP: Final = 30
LEAST_STEPS: Final = 12
"""Least width of the table of changes in steps: with few digits a typed cost leaves the width of the pane."""
ROOM_FOR_NOTE: Final = 560
"""Height from which a note explains the regions; below it the tooltip does."""
LOWER_BY_THRESHOLD: Final = (
    "The cheapest threshold, {threshold}, costs {cost}. These records chose it, so this cost is optimistic. Least "
    "expected cost uses the predicted probabilities alone."
)
OPTIMISTIC: Final = "Chosen and counted on the same {n} records, so the saving is slightly optimistic."
NOT_PRICED: Final = "The costs of this run are not known"


def dimming(results: QWidget) -> QGraphicsOpacityEffect:
    """Shows results of other costs faintly while it is enabled."""
    effect = QGraphicsOpacityEffect(results)
    effect.setOpacity(DIMMED)
    effect.setEnabled(False)
    results.setGraphicsEffect(effect)
    return effect


class CostBoard(ClearWidget):
    """Cost page; follows the current run and the session's costs while visible."""

    def __init__(self, session: Session, deciding: RunDecisions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._deciding = session, deciding
        self.standings = CostRankingModel(session, self)
        self._weighing = FrameThrottle(self.standings.weigh, self)
        self._beside = VersusConstant(session)
        self._line: float | None = None
        """The threshold of the line, once it was moved; None for the cheapest."""
        self._subject: tuple[object, ...] = ()
        self._is_moving = False
        """Whether the line was moved since run, class, costs or the rule in use changed."""
        self._varies = False
        """Whether the costs differed by record when the rule was chosen."""
        self._is_rule_picked = False
        """Whether the user picked the rule to look at for this run, which other costs then leave as it is."""
        self._make_costs()
        self._make_rule()
        self._make_views()
        self._lay_out()
        self.standings.changed.connect(self._show)
        deciding.changed.connect(self._deciding_changed)
        for signal in (session.costs_changed, session.runs_changed, session.current_run_changed):
            signal.connect(self._changed)
        session.class_of_interest_changed.connect(self._changed)

    def _make_costs(self) -> None:
        self.editor = CostEditor(self._session, "evaluate.board.costs", self)
        says = "Unit of the costs"
        self.currency = named(QLineEdit(), "evaluate.board.currency", says, f"{says}, such as EUR or days")
        self.currency.setPlaceholderText("currency")
        self.currency.setMaxLength(24)
        ask = partial(ask_for_file, self, "Open costs", KINDS_READ, self._open)
        save = partial(ask_where_to_save, self, "Save costs", KINDS, "costs.json", self._save)
        menu = QMenu(self)
        for text, name, act in (
            ("Reset all costs to 1", "reset", self.editor.reset),
            ("Open costs…", "open", ask),
            ("Save costs…", "save", save),
        ):
            entry = QAction(text, menu)
            entry.setObjectName(f"evaluate.board.{name}")
            entry.triggered.connect(lambda _checked=False, act=act: act())
            menu.addAction(entry)
        more = IconButton("more", "Reset, open or save costs", "evaluate.board.more", plain=True)
        more.clicked.connect(lambda: menu.popup(more.mapToGlobal(more.rect().bottomLeft())))
        self._meaning = named(WholeLabel("", "small"), "evaluate.board.meaning")
        self._meaning.reserve(MEANING_LINES)
        self._heading = row_layout(label("Cost matrix", "heading"), 1, self.currency, more, spacing=SPACE_2)
        self.editor.table_made.connect(self._measure)
        self.editor.accepted.connect(self._accepted)
        self.editor.refused.connect(self._refused)
        self.currency.editingFinished.connect(self._currency_typed)

    def _make_rule(self) -> None:
        tip = "The rule that is compared with the default"
        self.rule = drop_down("evaluate.board.rule", "Decision rule", tip, width=15, choices=RULES)
        self.rule.activated.connect(self._rule_picked)
        self.changes = ChangesTable()
        self._note = named(WholeLabel("", "small"), "evaluate.board.note")
        self.use = accent_button("", "evaluate.board.use", "Decides with this rule in all tabs", self._use)
        tip = "Predicts by the default rule of the model again"
        reset = partial(self._deciding.choose, None)
        self.reset = quiet_button("Reset to default", "evaluate.board.reset-rule", tip, reset)

    def _make_views(self) -> None:
        self._verdict = named(WholeLabel("", "verdict"), "evaluate.board.verdict")
        self._sentence = named(WholeLabel("", "dim"), "evaluate.board.sentence")
        self.view = drop_down("evaluate.board.view", "Chart", "What is shown below", width=13, choices=VIEWS)
        self.view.currentIndexChanged.connect(self._turn)
        self.charts = ThresholdCharts("evaluate.board.charts")
        self.charts.moved.connect(self._moved)
        exported = ExportedChart(self.charts, "threshold", "Total cost by threshold")
        self.charts_menu = Export(exported, self._session.jobs, self).button("evaluate.board.save")
        self.boundary = CostBoundary(self._session, self)
        self._headline = named(WholeLabel(), "evaluate.board.headline")
        self.ranking = CostRanking("evaluate.board.ranking")
        self.ranking.run_meant.connect(self._session.set_current_run)
        ranked = ClearWidget()
        how = label(HOW_TO_READ, "small", wrap=True)
        column_layout(self._headline, (self.ranking, 1), how, inside=ranked, spacing=SPACE_2)
        self._views = filled(QStackedWidget(self), self.charts, ranked, self.boundary)

    def _lay_out(self) -> None:
        inside, foot = ClearWidget(), row_layout((self.use, 1), self.reset, spacing=SPACE_2)
        head = row_layout(label("Decision rule", "heading"), 1, self.rule, spacing=SPACE_2)
        add_items(
            column_layout(inside=inside, spacing=SPACE_2),
            *(self._heading, (self.editor, 1000), self._meaning, head, self.changes, self._note, 1),
        )
        self._left = left = Pane()
        self._scroll = UprightScrollArea(inside)
        add_items(left.body, (self._scroll, 1), foot)
        right = Pane()
        below = row_layout((self._sentence, 1), self.view, self.charts_menu, spacing=SPACE_2)
        add_items(right.body, self._verdict, below, (self._views, 1))
        self._dimming = [dimming(results) for results in (right, self.changes, self._note)]
        row_layout(left, (right, 1), inside=self, spacing=SPACE_3)
        themes.follow_now(self._measure)

    def _measure(self) -> None:
        around = themes.px(AROUND_CHANGES) + self._scroll.verticalScrollBar().sizeHint().width()
        needed = max(self.changes.needed_width(), self.editor.table.needed_width())
        least, wanted = LEAST_STEPS * themes.px(WIDTH_STEP) + around, needed + around
        self._left.setFixedWidth(max(least, min(wanted, int(MOST_LEFT * self.width()))))
        self.currency.setFixedWidth(themes.px(CURRENCY_WIDTH))
        self._fit_costs()

    @property
    def is_busy(self) -> bool:
        return self.standings.is_busy or self._weighing.is_busy or self.boundary.is_busy

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._measure()
        self.boundary.note.setVisible(self.height() >= themes.px(ROOM_FOR_NOTE))

    def _changed(self) -> None:
        if self.isVisible():
            self.refresh()

    def _deciding_changed(self) -> None:
        if self.isVisible():
            self._show()
            self._show_boundary()

    def refresh(self) -> None:
        """Updates the page; does nothing while hidden."""
        run = self._run
        if run is None or run.report is None or not self.isVisible():
            return
        self._deciding.look_at(run, self._session.decisions.label_of_interest(run))
        self.editor.show_report(run.report)
        costs = self._session.costs
        if not self.currency.hasFocus():
            self.currency.setText("" if costs is None else costs.currency)
        self.editor.explain(run)
        self._say_costs(run)
        self._weighing.wish()
        self._show()
        self._show_boundary()

    def _show_boundary(self) -> None:
        """Shows the regions under the threshold in use, or under least expected cost."""
        run = self._run
        if run is not None and self.view.currentData() == REGIONS:
            at_one = isinstance(self._session.decisions.active_choice(run), AtThreshold)
            trained = run.trained
            asked = self._session.decisions.asked(run) if at_one and trained is not None else None
            decide = None if asked is None or trained is None else asked.rule.for_classes(tuple(trained.classes))
            self.boundary.show_run(run, self._costs(run), decide)

    @property
    def _run(self) -> Run | None:
        run = self._session.current_run
        return run if run is not None and run.report is not None else None

    def _costs(self, run: Run) -> RecordCosts:
        """The costs of the run's tests; zero-one without costs."""
        assert run.report is not None
        costs = self._session.decisions.costs_of(run)
        return RecordCosts(1.0 - np.eye(len(run.report.classes))) if costs is None else costs

    def _money(self, value: float) -> str:
        costs = self._session.costs
        return money_words("" if costs is None else costs.currency, value)

    def _say(self, words: str, is_bad: bool = False) -> None:
        """Shows what the costs mean, or what is wrong with them, below the matrix."""
        set_property(self._meaning, "tone", "bad" if is_bad else "")
        self._meaning.setText(words)
        for effect in self._dimming:
            effect.setEnabled(is_bad)

    @property
    def _is_outdated(self) -> bool:
        """Whether the results are of other costs than those in the table."""
        return self._dimming[0].isEnabled()

    def _refused(self, words: str) -> None:
        self._say(words if self._session.costs is None else f"{words} {PREVIOUS_COSTS}", is_bad=True)
        self._show_charts()

    def _accepted(self) -> None:
        if self._run is not None:
            self._say_costs(self._run)
            self._show_charts()

    def _say_costs(self, run: Run) -> None:
        """Says the cost matrix in words, and that a cell takes formulas."""
        costs, classes = self._session.costs, self.editor.classes
        if self.editor.table.costs_model.problems:
            return
        problem = self._session.decisions.cost_problem(run)
        if problem is not None:
            self._say(problem.sentence, is_bad=True)
            return
        cells = unit_costs(len(classes)) if costs is None else costs.cells(classes)
        code, columns = classes.index(self._deciding.label), self.editor.columns
        report = self._session.decisions.report_of(run)
        sums = None if report is None else report.cost_sums
        means = self._costs(run).table if sums is None else sums.table
        words = cost_sentence(cells, means, classes, code, self._money)
        if columns and not run.method.needs_test_data and (costs is None or not costs.varies):
            words += f" {TAKES_FORMULAS.format(column=column_formula(columns[0]))}"
        self._say(f"{words} {missing_costs(self._costs(run))}".rstrip())

    def _fit_costs(self) -> None:
        """Gives the cost table the height of its rows, and at least that of some of many."""
        table, n = self.editor.table, len(self.editor.classes)
        self.editor.setMinimumHeight(table.height_of(min(n, ROWS_SHOWN)))
        self.editor.setMaximumHeight(table.height_of(n))

    def _currency_typed(self) -> None:
        currency, costs, classes = self.currency.text().strip(), self._session.costs, self.editor.classes
        if costs is not None:
            self._session.set_costs(replace(costs, currency=currency))
        elif currency and classes:
            self._session.set_costs(CostMatrix(classes, unit_costs(len(classes)), currency))

    def _open(self, path: str) -> None:
        self._or_error(lambda: self._session.set_costs(read_costs(path, self.editor.classes)))

    def _save(self, path: str) -> None:
        costs = self._session.costs or CostMatrix(classes := self.editor.classes, unit_costs(len(classes)))
        self._or_error(lambda: write_costs(path, costs))

    def _or_error(self, act: Callable[[], object]) -> None:
        try:
            act()
        except DataError as error:
            self._session.messages.error(error)

    def _follow_subject(self, run: Run) -> None:
        """Forgets the line at another run, class, costs or rule in use, the picked rule at another run or rule."""
        choice = self._deciding.choice
        subject = (run, self._deciding.label, self._session.costs, choice)
        if subject == self._subject:
            return
        before, self._subject, self._is_moving = self._subject, subject, False
        if isinstance(choice, AtThreshold) and before[2:3] in ((), (self._session.costs,)):
            self._line = choice.threshold
        elif before[:3] != subject[:3]:
            self._line = None
        varies = self._costs(run).varies
        if before[:1] != (run,) or (choice is not None and before[3:] != (choice,)):
            self._is_rule_picked = False
        elif varies is self._varies or self._is_rule_picked:
            return
        assert run.report is not None
        is_by_cost = isinstance(choice, ByCost) or (choice is None and (varies or len(run.report.classes) > 2))
        self._varies = varies
        self.rule.setCurrentIndex(self.rule.findData(EXPECTED if is_by_cost else THRESHOLD))

    def _outcomes(self, run: Run) -> ThresholdOutcomes | None:
        """Outcomes of all thresholds of the class of interest; None until they are computed, or without costs."""
        curve, costs = self._deciding.curve(), self._costs(run)
        if curve is None or self._session.decisions.cost_problem(run) is not None:
            return None
        offer, choice = self._deciding.offer(), self._deciding.choice
        cheapest = 0.5 if offer is None else offer.cheapest.threshold
        in_use = (choice.threshold,) if isinstance(choice, AtThreshold) and not is_round(choice.threshold) else ()

        def totals_at(thresholds: FloatArray, matrices: FloatArray) -> FloatArray:
            if costs.varies:
                return curve.scored.costs_at(thresholds, costs)
            totals: FloatArray = (matrices * costs.fixed).sum(axis=(1, 2))
            return totals

        def work(_checkpoint: object) -> ThresholdOutcomes:
            return ThresholdOutcomes.of(curve, totals_at, cheapest, in_use)

        source: tuple[object, ...] = (curve, costs if costs.varies else self._session.costs, cheapest, in_use)
        return self._session.decisions.reports.compute("outcomes", run, source, work)

    def candidate(self) -> Choice | None:
        """The rule that is compared with the default one; None until its threshold is known."""
        if self.rule.currentData() == EXPECTED:
            return ByCost()
        outcomes = self.charts.outcomes
        return None if outcomes is None else AtThreshold(outcomes.label, float(outcomes.thresholds[self.charts.at]))

    def _rule_picked(self) -> None:
        self._is_rule_picked = True
        self._show_charts()

    def _moved(self, index: int) -> None:
        """Follows the line of the charts."""
        if self.charts.outcomes is not None:
            self._line = float(self.charts.outcomes.thresholds[index])
            self._is_moving = self._is_rule_picked = True
            self.rule.setCurrentIndex(self.rule.findData(THRESHOLD))
            self._show_charts()

    def _use(self) -> None:
        self._deciding.choose(self.candidate())

    def _turn(self) -> None:
        view = self.view.currentData()
        self._views.setCurrentIndex(view)
        self.charts_menu.setVisible(view == BY_THRESHOLD)
        self._show_boundary()

    def _show(self) -> None:
        """Shows the charts, what the rule changes, and all runs by cost."""
        run, ranked = self._run, self.standings.ranked
        if run is None:
            return
        per_record, costs = self._session.decisions.reports.cost_per_record, self._session.costs
        now = {other: cost for other in ranked.runs if (cost := per_record(other)) is not None}
        self.ranking.show_ranked(ranked, run, now)
        unit = f" {costs.currency}" if costs is not None and costs.currency else ""
        none = "No run was tested on these classes."
        self._headline.setText(cheapest_of(self.ranking, ranked.n_others, unit) if ranked.runs else none)
        self._follow_subject(run)
        self._show_charts()

    def _show_charts(self) -> None:
        """Shows the charts with their line, and what the rule changes."""
        run, costs = self._run, self._session.costs
        if run is None or run.report is None:
            return
        held, outcomes = self.standings.ranked.of(run), self._outcomes(run)
        default = None if held is None else held.as_decided.total
        if outcomes is None or default is None:
            self.charts.show_outcomes(None)
        else:
            at = outcomes.cheapest if self._line is None else outcomes.nearest(self._line)
            place = self._deciding.default_threshold
            unit = "" if costs is None else costs.currency
            least = held.cheapest.total if held and self.rule.currentData() == EXPECTED else None
            self.charts.show_outcomes(outcomes, at, (place, default), unit, least)
        self._show_rule(run, held)

    def _show_rule(self, run: Run, held: CostStanding | None) -> None:
        """Shows what the rule would change, and the buttons that use it."""
        report, choice, outcomes = run.report, self.candidate(), self.charts.outcomes
        assert report is not None
        is_known = held is not None and choice is not None
        is_new = is_known and choice != self._deciding.choice and self._is_usable(choice) and not self._is_outdated
        is_chosen = self._deciding.choice is not None
        enable(self.use, is_new, instead=self.rule)  # the other button would undo it
        enable(self.reset, is_chosen, instead=self.rule)
        if held is None or choice is None:
            waits = self._session.decisions.cost_problem(run) is None
            self._verdict.setText("Computing…" if waits else NOT_PRICED)
            show_text(self._sentence, "")
            self.changes.show_rows([])
            show_text(self._note, "")
            set_caption(self.use, "Use this rule")
            return
        code, before = report.classes.index(self._deciding.label), (report.confusion, held.as_decided.total)
        if isinstance(choice, ByCost) or outcomes is None:
            matrix, total = held.confusion, held.cheapest.total
        else:
            matrix, total = outcomes.matrices[self.charts.at], float(outcomes.totals[self.charts.at])
        self._verdict.setText(verdict_words(choice, report.classes, before[1], total, self._money))
        show_text(self._sentence, changes_sentence(before[0], matrix, code, report.classes))
        rows = change_rows(before[0], matrix, (before[1], total), code)
        self.changes.show_rows([("", "Default", self._briefly(choice), "Change"), *rows])
        self._measure()
        does = "Using" if choice == self._deciding.choice else "Use"
        set_caption(self.use, f"{does} {_named(choice, report.classes)}")
        self._show_note(run, choice, total < before[1] - NEXT_TO_NOTHING)

    def _is_usable(self, choice: Choice | None) -> bool:
        """Whether the rule can be used: least expected cost needs costs."""
        return isinstance(choice, AtThreshold) or self._deciding.costs() is not None

    def _briefly(self, choice: Choice) -> str:
        if isinstance(choice, ByCost):
            return "By cost"
        return "Never" if choice.threshold > 1 else threshold_words(choice.threshold)

    def _show_note(self, run: Run, choice: Choice, saves: bool) -> None:
        """Compares the rule with the baseline below the table, and says that the saving is optimistic."""
        assert run.report is not None
        is_threshold = isinstance(choice, AtThreshold)
        is_moved = self._is_moving and is_threshold and choice != self._deciding.choice
        comparison = None if is_moved else self._beside.of(run, choice)  # no job at each step of the line
        seems_good = saves or (comparison is not None and comparison.more > 0)
        sentences = [
            OWN_THRESHOLDS if self._costs(run).varies else "",
            self._beside_threshold(run) if isinstance(choice, ByCost) else "",
            "" if comparison is None else beside_one_answer(comparison, run.report.classes, choice, self._money),
            OPTIMISTIC.format(n=amount(run.report.n)) if seems_good and is_threshold else "",
        ]
        show_text(self._note, " ".join(filter(None, sentences)))

    def _beside_threshold(self, run: Run) -> str:
        """What least expected cost saves beside the cheapest threshold for all records."""
        held, outcomes = self.standings.ranked.of(run), self.charts.outcomes
        if held is None or outcomes is None:
            return ""
        over = float(outcomes.totals[outcomes.cheapest]) - held.cheapest.total
        if not self._costs(run).varies:
            words, cost = outcomes.words(outcomes.cheapest), self._money(float(outcomes.totals[outcomes.cheapest]))
            return LOWER_BY_THRESHOLD.format(threshold=words, cost=cost) if over < -NEXT_TO_NOTHING else ""
        words = f"{self._money(abs(over))} {'more' if over > 0 else 'less'}"
        return (
            f"The cheapest single threshold on these records, {outcomes.words(outcomes.cheapest)}, would cost {words}."
        )
