"""Cost page: costs of mistakes, what another decision rule would change, and its charts; all runs by cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLineEdit, QMenu, QStackedWidget, QWidget

from algorithms.core.errors import DataError
from algorithms.core.record_costs import RecordCosts
from algorithms.data.columns import FloatArray
from algorithms.data.formulas import column_formula
from algorithms.evaluation.costs.cost_matrix import CostMatrix, read_costs, write_costs
from algorithms.evaluation.costs.cost_workings import ComparedCost, CostEvaluation, CostStanding, NestedCost
from algorithms.evaluation.costs.decision_rules import (
    MOST_PARTS,
    AtThreshold,
    ByCost,
    Choice,
    missing_costs,
)
from algorithms.text.numbers import amount, price
from algorithms.text.sentences import threshold_words
from workbench.forms.costs import unit_costs
from workbench.jobs.ui_scheduling import FrameThrottle, MadeInPieces
from workbench.session.decision_rules import AT_ONCE, TIES_BY_DEFAULT, WHY_MARKED
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.motion import UNLIMITED
from workbench.style.theme import SPACE_2, SPACE_3, SPACE_4, set_property, themes
from workbench.tabs.evaluate.costs.cost_charts import CostBoundary
from workbench.tabs.evaluate.costs.cost_editor import CostEditor, cost_sentence, money_words
from workbench.tabs.evaluate.costs.cost_ranking import (
    HOW_TO_READ,
    CostRanking,
    CostRankingModel,
    baseline_of,
    cheapest_of,
    compared_cost_of,
    zero_one,
)
from workbench.tabs.evaluate.costs.decision_changes import (
    ABOUT,
    NEXT_TO_NOTHING,
    POSITIVE,
    WHAT_ABOUT_IS,
    WIDTH_STEP,
    ChangesTable,
    baseline_wordings,
    beside_one_answer,
    brief_rule,
    change_rows,
    changes_sentence,
    named_rule,
    rule_name,
    saving_words,
    verdict_words,
)
from workbench.tabs.evaluate.costs.threshold_charts import ThresholdCharts, ThresholdOutcomes, is_round
from workbench.tabs.evaluate.decision_rules import RunDecisions
from workbench.viewers.charts.chart_base import ExportedChart
from workbench.viewers.charts.export import Export
from workbench.widgets.buttons import IconButton, accent_button, quiet_button, set_caption
from workbench.widgets.dialogs import ask_for_file, ask_where_to_save
from workbench.widgets.fields import choosing_view, drop_down
from workbench.widgets.keyboard_focus import enable
from workbench.widgets.labels import TOGETHER, ElidedLabel, Naming, NamingLabel, WholeLabel, elided, label
from workbench.widgets.layouts import ClearWidget, Dimming, add_items, column_layout, filled, named, row_layout
from workbench.widgets.panes import HighScrollArea, Pane, UprightScrollArea
from workbench.widgets.tables import full_size

Sentence = Callable[[Naming], str]


def _saying(words: str) -> Sentence:
    """A sentence without names."""
    return lambda _naming: words


KINDS: Final = "Costs (*.json);;Comma-separated values (*.csv)"
KINDS_READ: Final = "Costs (*.json *.csv *.txt)"
BY_THRESHOLD, ALL_RUNS, REGIONS = range(3)
VIEWS: Final = (("By threshold", BY_THRESHOLD), ("All runs", ALL_RUNS), ("Decision regions", REGIONS))
THRESHOLD, EXPECTED = "threshold", "expected"
RULES: Final = (("Threshold", THRESHOLD), ("Least expected cost", EXPECTED))
OWN_THRESHOLDS: Final = "Costs differ by record, so each record has its own threshold: least expected cost uses it."
TAKES_FORMULAS: Final = f"A cell also takes a column or a formula, such as {{column}}{TOGETHER}*{TOGETHER}0.1."
PREVIOUS_COSTS: Final = "The results still use the previous costs."
TYPED: Final = f"Enter, or a click elsewhere, uses the typed cost. {PREVIOUS_COSTS}"
ROWS_SHOWN, LOW_ROWS_SHOWN = 6, 3
"""Rows of the cost table that are always visible, and on a low page."""
CURRENCY_WIDTH: Final = 88
VERDICT_LINES: Final = 2
"""Lines always reserved for the verdict on a decision rule."""
NAME_IN_VERDICT: Final = 0.5
"""Largest share of a name in a line of the verdict."""
MEANING_LINES: Final = 3
"""Lines always reserved for what the costs mean, one less on a low page."""
SENTENCE_LINES: Final = 3
"""Lines always reserved for what the rule changes beside the controls of the chart, one less above them."""
LEAST_SENTENCE: Final = 240
"""Least width of that sentence beside the controls."""
LOW, NARROW = 460, 960
"""Height and width below which a page is small: texts are brief, with the whole in their tooltips."""
LOW_CHANGES: Final = 640
"""Height of the page below which the rows of changes are low, so that the note below them is in view."""
AROUND_CAPTION: Final = 70
"""Pixels around the caption of the button that uses a rule, and around both buttons."""
AROUND_CHANGES: Final = 34
"""Pixels of the left pane around the table of changes."""
MOST_LEFT, MOST_FOR_CHANGES = 0.48, 0.6
"""Largest share of the left pane in the width, for the names of classes and for figures."""
LEAST_STEPS: Final = 15
"""Least width of the table of changes in steps: with few digits a typed cost leaves the width of the pane."""
ROOM_FOR_NOTE: Final = 560
"""Height from which a note explains the regions; below it the tooltip does."""
LOWER_BY_THRESHOLD: Final = "The cheapest threshold, {threshold}, costs {cost}, which is optimistic{nested}."
ONE_THRESHOLD: Final = "The cheapest single threshold on these records, {threshold}, would cost {cost}."
NONE_CHEAPER: Final = "No threshold is clearly cheaper than {own}"
OPTIMISTIC: Final = "Chosen and counted on the same {n} records, so the saving is slightly optimistic."
CHOSEN: Final = "Chosen on the same {n} records, so its figures above are optimistic."
NESTED: Final = "; cost with the threshold chosen on {other}: {cost} ({mean} per record)"
CHOSEN_ELSEWHERE: Final = "Chosen on {other}, a threshold"
NOTHING_SAVED: Final = "Chosen on {other}, a threshold saves nothing: it costs {cost}, the default {default}."
OPTIMISTIC_HERE: Final = " (optimistic)"
IN_USE: Final = "Run {run} now {does}, until you reset it to default.", "Run {run} now {does}."
DEFAULT_IN_USE: Final = "Run {run} uses the default rule."
RESETS: Final = "Predicts by the default rule of the model again"
IS_DEFAULT: Final = "The default rule is in use already"
IN_USE_ALREADY: Final = "This rule is in use already"
NEEDS_COSTS: Final = "Needs costs: type one into the cost matrix"
NOT_PRICED: Final = "The costs of this run are not known"


class CostBoard(MadeInPieces, ClearWidget):
    """Cost page; follows the current run and the session's costs while visible."""

    def __init__(
        self, session: Session, deciding: RunDecisions, parent: QWidget | None = None, *, in_pieces: bool = False
    ) -> None:
        super().__init__(parent)
        self._session, self._deciding = session, deciding
        self.standings = CostRankingModel(session, self)
        self._weighing, self._following = (FrameThrottle(act, self) for act in (self.standings.weigh, self.refresh))
        self._line: float | None = None
        """The threshold of the line, once it was moved; None for the cheapest."""
        self._subject: tuple[object, ...] = ()
        self._is_moving = False
        """Whether the line was moved since run, class, costs or the rule in use changed."""
        self._varies = False
        """Whether the costs differed by record when the rule was chosen."""
        self._is_rule_picked = False
        """Whether the user picked the rule to look at for this run, which other costs then leave as it is."""
        self._is_typed = False
        self._uses_in: Run | None = None
        """The run whose cheapest threshold is to be used once it is known."""
        self._said: tuple[Sentence, bool, str] = (_saying(""), False, "")
        self._is_unclear = False
        """Whether the verdict is that no threshold is clearly cheaper."""
        self._widest: tuple[object, int] = (None, 0)
        self._is_low = self._is_brief = False
        self._reserved_for: ThresholdOutcomes | None = None
        """The outcomes whose figures the table of changes has room for."""
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        self._left, self._right, inside = Pane(parent=self), Pane(parent=self), ClearWidget()
        self._scroll = HighScrollArea(inside, self._left)
        self._inside, self._below_matrix = inside, ClearWidget(inside)
        self._views = QStackedWidget(self._right)
        yield from self._make_costs_and_rule()
        yield from self._make_views()
        yield True
        self._lay_out()
        self.standings.changed.connect(self._show)
        self._deciding.changed.connect(self._following.wish)
        session = self._session
        for signal in (session.costs_changed, session.runs_changed, session.current_run_changed):
            signal.connect(self._changed)
        session.class_of_interest_changed.connect(self._changed)

    def _make_costs_and_rule(self) -> Iterator[bool]:
        self.editor = CostEditor(self._session, "evaluate.board.costs", self._inside)
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
        self.larger = full_size("evaluate.board.larger")
        menu.addAction(self.larger)
        self.larger.toggled.connect(self._enlarge)
        self.editor.classes_changed.connect(lambda: self.larger.setChecked(False))
        more = IconButton(
            "more", "Reset, open or save costs, or enlarge the cost matrix", "evaluate.board.more", plain=True
        )
        more.clicked.connect(lambda: menu.popup(more.mapToGlobal(more.rect().bottomLeft())))
        self._meaning = named(NamingLabel("small"), "evaluate.board.meaning")
        self._heading = row_layout(label("Cost matrix", "heading"), 1, self.currency, more, spacing=SPACE_2)
        self.editor.classes_changed.connect(self._measure)
        self.editor.accepted.connect(self._accepted)
        self.editor.refused.connect(self._refused)
        self.editor.typing.connect(self._typed)
        self.currency.editingFinished.connect(self._currency_typed)
        yield True
        tip = "The rule that is compared with the default"
        self.rule = drop_down("evaluate.board.rule", "Decision rule", tip, width=15, choices=RULES)
        self.rule.activated.connect(self._rule_picked)
        self.changes = ChangesTable()
        self._in_use = named(ElidedLabel("", "heading"), "evaluate.board.in-use")
        self._note = named(NamingLabel("small"), "evaluate.board.note")
        self.use = accent_button("", "evaluate.board.use", "Decides with this rule in all tabs", self._use)
        reset = partial(self._deciding.choose, None)
        self.reset = quiet_button("Reset to default", "evaluate.board.reset-rule", RESETS, reset)

    def _make_views(self) -> Iterator[bool]:
        self._verdict = named(NamingLabel("verdict", NAME_IN_VERDICT), "evaluate.board.verdict")
        self._verdict.reserve(VERDICT_LINES)
        self._baseline = named(ElidedLabel("", "small"), "evaluate.board.baseline")
        self._sentence = named(NamingLabel("dim"), "evaluate.board.sentence")
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignTop)
        view = drop_down("evaluate.board.view", "Chart", "What is shown below", width=13, choices=VIEWS)
        self.view = choosing_view(view)
        self.view.currentIndexChanged.connect(self._turn)
        by_threshold, ranked = ClearWidget(), ClearWidget(self._views)
        scroll = UprightScrollArea(by_threshold, self._views)
        self.charts = ThresholdCharts("evaluate.board.charts")
        self.charts.moved.connect(self._moved)
        exported = ExportedChart(self.charts, "threshold", "Total cost by threshold")
        self.charts_menu = Export(exported, self._session.jobs, self).button("evaluate.board.save")
        yield True
        self.boundary = CostBoundary(self._session, self._views)
        yield True
        self._headline = named(WholeLabel(), "evaluate.board.headline")
        self.ranking = CostRanking("evaluate.board.ranking")
        self.ranking.run_meant.connect(self._session.set_current_run)
        self._how = label(HOW_TO_READ, "small", wrap=True)
        column_layout(self._headline, (self.ranking, 1), self._how, inside=ranked, spacing=SPACE_2)
        column_layout((self.charts, 1), inside=by_threshold)
        filled(self._views, scroll, ranked, self.boundary)

    def _lay_out(self) -> None:
        left, right, inside = self._left, self._right, self._inside
        foot = row_layout((self.use, 1), self.reset, spacing=SPACE_2)
        head = row_layout((label("Default compared with", "small"), 1), self.rule, spacing=SPACE_2)
        column_layout(self._in_use, head, self.changes, self._note, inside=self._below_matrix, spacing=SPACE_2)
        parts = (self._heading, (self.editor, 1000), self._meaning, self._below_matrix, 1)
        add_items(column_layout(inside=inside, spacing=SPACE_2), *parts)
        self._scroll.keep_room_for_bar()  # a sentence that takes another line moves no control
        add_items(left.body, (self._scroll, 1), foot)
        self._below_verdict = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._below_verdict.setSpacing(SPACE_2)
        controls = row_layout(1, self.view, self.charts_menu, spacing=SPACE_2)
        add_items(self._below_verdict, (self._sentence, 1), controls)
        self._below_verdict.setAlignment(controls, Qt.AlignmentFlag.AlignTop)  # they stay, however many lines it takes
        add_items(right.body, self._verdict, self._baseline, self._below_verdict, (self._views, 1))
        self._dimming = Dimming(right, self.changes, self._note)
        row_layout(left, (right, 1), inside=self, spacing=SPACE_3)
        themes.follow_now(self._measure)

    def _measure(self) -> None:
        self._follow_size()
        around = themes.px(AROUND_CHANGES) + self._scroll.verticalScrollBar().sizeHint().width()
        least, wanted = LEAST_STEPS * themes.px(WIDTH_STEP) + around, 0
        for table, most in ((self.editor.table, MOST_LEFT), (self.changes, MOST_FOR_CHANGES)):
            room = int(most * self.width())
            wanted = max(wanted, min(table.needed_width(room - around) + around, room))
        subject = (self._session.current_run, self.size(), themes.px(WIDTH_STEP))
        widest = self._widest[1] if self._widest[0] == subject else 0  # it only grows while costs are tried
        self._widest = (subject, max(widest, least, wanted))
        self._left.setMinimumWidth(self._widest[1])
        self._left.setMaximumWidth(UNLIMITED if self.larger.isChecked() else self._widest[1])
        self._place_sentence(self.width() - self._widest[1] - SPACE_3 - 2 * SPACE_4)
        self.currency.setFixedWidth(themes.px(CURRENCY_WIDTH))
        self.charts.updateGeometry()  # its least height follows the scale
        table, n = self.editor.table, len(self.editor.classes)
        self.editor.setMinimumHeight(table.height_of(min(n, LOW_ROWS_SHOWN if self._is_low else ROWS_SHOWN)))
        self.editor.setMaximumHeight(table.height_of(n))

    def _place_sentence(self, room: int) -> None:
        """Puts the sentence beside the controls of the chart, or above them where its lines would be too short."""
        controls = self.view.sizeHint().width() + self.charts_menu.sizeHint().width() + 2 * SPACE_2
        is_beside, direction = room - controls >= themes.px(LEAST_SENTENCE), QBoxLayout.Direction
        self._below_verdict.setDirection(direction.LeftToRight if is_beside else direction.TopToBottom)
        self._sentence.reserve(SENTENCE_LINES if is_beside else SENTENCE_LINES - 1)

    def _enlarge(self, is_large: bool) -> None:
        """Gives the whole page to the cost matrix, or to all its parts again."""
        self._measure()
        for part in (self._right, self._below_matrix):
            part.setVisible(not is_large)

    def _follow_size(self) -> None:
        """Leaves the room of a small page to the figures and the charts."""
        is_low = self.height() < themes.px(LOW)
        is_brief = is_low or self.width() < themes.px(NARROW)
        self._meaning.reserve(MEANING_LINES - is_low)
        for table in (self.changes, self.editor.table):
            table.set_low(is_low or (table is self.changes and self.height() < themes.px(LOW_CHANGES)))
        if (is_low, is_brief) != (self._is_low, self._is_brief):
            self._is_low, self._is_brief = is_low, is_brief
            self._following.wish()

    @property
    def is_busy(self) -> bool:
        return any(part.is_busy for part in (self.standings, self._weighing, self._following, self.boundary))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.is_complete:
            self._measure()
            self.boundary.note.setVisible(self.height() >= themes.px(ROOM_FOR_NOTE))

    def _changed(self) -> None:
        if self.isVisible():
            self.refresh()

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
        return self._session.decisions.costs_of(run) or zero_one(run)

    def _money(self, value: float) -> str:
        costs = self._session.costs
        return money_words("" if costs is None else costs.currency, value)

    def _say(self, words: Sentence, is_bad: bool = False, more: str = "") -> None:
        """Says below the matrix what the costs mean, or what is wrong with them; while one is typed, how to use it.

        A low page says ``more`` in the tooltip.
        """
        self._said = words, is_bad, more
        set_property(self._meaning, "tone", "bad" if is_bad and not self._is_typed else "")
        whole: Sentence = _saying(TYPED) if self._is_typed else lambda naming: f"{words(naming)} {more}".strip()
        self._meaning.set_sentence(words if self._is_low and not self._is_typed else whole, self.editor.classes, whole)
        self._dimming.dim(is_bad or self._is_typed)

    def _typed(self, is_typed: bool) -> None:
        """Follows a cost that is typed, but not yet in use."""
        if is_typed is not self._is_typed:
            self._is_typed = is_typed
            self._say(*self._said)
            self._show_charts()

    def _refused(self, words: str) -> None:
        self._say(_saying(words if self._session.costs is None else f"{words} {PREVIOUS_COSTS}"), is_bad=True)
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
            self._say(_saying(problem.sentence), is_bad=True)
            return
        cells = unit_costs(len(classes)) if costs is None else costs.cells(classes)
        code, columns = classes.index(self._deciding.label), self.editor.columns
        report = self._session.decisions.report_of(run)
        sums = None if report is None else report.cost_sums
        means = self._costs(run).table if sums is None else sums.table
        takes = columns and not run.method.needs_test_data and (costs is None or not costs.varies)
        more = TAKES_FORMULAS.format(column=column_formula(columns[0])) if takes else ""
        money, missing = self._money, missing_costs(self._costs(run))
        self._say(
            lambda naming: f"{cost_sentence(cells, means, classes, code, money, naming)} {missing}".rstrip(), more=more
        )

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
        choice, default = self._deciding.choice, self._deciding.default_threshold
        in_use = (choice.threshold,) if isinstance(choice, AtThreshold) and not is_round(choice.threshold) else ()

        def totals_at(thresholds: FloatArray, matrices: FloatArray) -> FloatArray:
            if costs.varies:
                return curve.scored.costs_at(thresholds, costs)
            totals: FloatArray = (matrices * costs.fixed).sum(axis=(1, 2))
            return totals

        def work(_checkpoint: object) -> ThresholdOutcomes:
            return ThresholdOutcomes.of(curve, totals_at, curve.scored.cheapest(costs).threshold, in_use, default)

        source: tuple[object, ...] = (curve, costs if costs.varies else self._session.costs, in_use, default)
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
        if self.charts.outcomes is not None:
            self._line = float(self.charts.outcomes.thresholds[index])
            self._is_moving = self._is_rule_picked = True
            self.rule.setCurrentIndex(self.rule.findData(THRESHOLD))
            self._show_charts()

    def use_soon(self) -> None:
        """Uses the cheapest threshold as soon as it is known, if it is not the rule in use."""
        self.rule.setCurrentIndex(self.rule.findData(THRESHOLD))
        self._line, self._is_rule_picked, self._uses_in = None, True, self._run
        self._show_charts()

    def _use(self) -> None:
        choice = self.candidate()
        is_default = isinstance(choice, AtThreshold) and choice.threshold == self._deciding.default_threshold
        self._deciding.choose(None if is_default else choice)

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
        mark_of = self._session.decisions.mark_of
        self.ranking.show_ranked(ranked, run, now, mark_of)
        self._how.setText(" ".join(filter(None, (HOW_TO_READ, WHY_MARKED if any(map(mark_of, now)) else ""))))
        unit = f" {costs.currency}" if costs is not None and costs.currency else ""
        none = "No run was tested on these classes."
        by = self._session.decisions.by_cost_words(run)
        self._headline.setText(cheapest_of(self.ranking, ranked.n_others, unit, by) if ranked.runs else none)
        self._follow_subject(run)
        self._show_charts()

    def _show_charts(self) -> None:
        run, costs = self._run, self._session.costs
        if run is None or run.report is None:
            return
        held, outcomes = self.standings.ranked.of(run), self._outcomes(run)
        self._offer_cheapest(run, held)
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

    def _offer_cheapest(self, run: Run, held: CostStanding | None) -> None:
        """Looks at least expected cost if it saves and no threshold that other folds choose costs less.

        Not for a rule in use or one that was picked, and only for two classes with the same costs for each record.
        """
        choice, costs = self._deciding.choice, self._costs(run)
        if held is None or choice is not None or self._is_rule_picked or costs.varies or len(costs.fixed) > 2:
            return
        nested = self._nested(run)
        if nested is None:
            return
        least, saves = held.cheapest.total, held.cheapest.total < held.as_decided.total - NEXT_TO_NOTHING
        is_least = nested.threshold is not None and least <= nested.threshold.total + NEXT_TO_NOTHING
        rule = EXPECTED if saves and is_least and self._is_usable(ByCost()) else THRESHOLD
        self.rule.setCurrentIndex(self.rule.findData(rule))

    def _show_rule(self, run: Run, held: CostStanding | None) -> None:
        report, choice, outcomes = run.report, self.candidate(), self.charts.outcomes
        assert report is not None
        is_known = held is not None and choice is not None
        is_new = is_known and choice != self._in_force and self._is_usable(choice)
        is_chosen, is_unsettled = self._deciding.choice is not None, self._is_typed or self._said[1]
        is_by_line = isinstance(choice, AtThreshold) and self.charts.isVisible()
        instead = self.charts if is_by_line else self.rule  # the other button would undo it
        enable(self.use, is_new and not is_unsettled, instead)
        enable(self.reset, is_chosen and not self._is_typed, instead)
        self.reset.setToolTip(TYPED if self._is_typed else RESETS if is_chosen else IS_DEFAULT)
        does = self._session.decisions.asked(run).words
        in_use = IN_USE if is_chosen else (DEFAULT_IN_USE,)
        self._in_use.set_wordings(*(words.format(run=run.number, does=does) for words in in_use))
        for words in (self._verdict, self._sentence, self._note):
            words.keep_height((*self._subject[:3], self.rule.currentData(), self._is_brief))
        if held is None or choice is None:
            state = "Computing…" if self._session.decisions.cost_problem(run) is None else NOT_PRICED
            self._verdict.set_sentence(_saying(state))
            self.use.setToolTip(state)
            self.changes.show_rows([])
            self._baseline.setText("")
            for words in (self._sentence, self._note):
                words.set_sentence(_saying(""))
            set_caption(self.use, "Use this rule")
            return
        code, before = report.classes.index(self._deciding.label), (report.confusion, held.as_decided.total)
        if isinstance(choice, ByCost) or outcomes is None:
            matrix, total = held.confusion, held.cheapest.total
        else:
            matrix, total = outcomes.matrices[self.charts.at], float(outcomes.totals[self.charts.at])
        label, at_default = report.classes[code], before[0]
        brief, whole = (
            lambda naming, is_brief=is_brief: changes_sentence(
                at_default, matrix, code, naming(label), is_brief=is_brief
            )
            for is_brief in (self._is_brief, False)
        )
        rows = change_rows(before[0], matrix, (before[1], total), code)
        self._show_verdict(run, choice, (before[1], total), (brief, whole))
        self._reserve_for_changes(before, code, label)
        self.changes.show_rows([(POSITIVE.format(label=label), "Default", brief_rule(choice), "Change"), *rows])
        self._measure()
        does = "Using" if choice == self._in_force else "Use"
        anyway = " anyway" if self._is_unclear else ""
        room, metrics = (
            self._widest[1] - self.reset.sizeHint().width() - themes.px(AROUND_CAPTION),
            self.use.fontMetrics(),
        )
        room -= metrics.horizontalAdvance(f"{does} {named_rule(choice, lambda _name: '')}{anyway}")
        caption = f"{does} {named_rule(choice, lambda name: elided(metrics, name, room, report.classes))}{anyway}"
        set_caption(self.use, "Use this rule" if self._is_typed else caption)
        tip = f"{does} {named_rule(choice, str)} in all tabs"
        if not self.use.isEnabled():
            why = self._said[0](str) if self._said[1] else IN_USE_ALREADY if self._is_usable(choice) else NEEDS_COSTS
            tip = f"{tip}. {TYPED if self._is_typed else why}"
        self.use.setToolTip(tip)
        if self._uses_in is not None:
            is_wanted, self._uses_in = self._uses_in is run, None
            if is_wanted and self.use.isEnabled():
                self._session.turns.later(self._use)
        about = WHAT_ABOUT_IS if any(row[-1].startswith(ABOUT) for row in rows) else ""
        self._show_note(run, choice, total < before[1] - NEXT_TO_NOTHING, about)

    def _reserve_for_changes(self, before: tuple[FloatArray, float], code: int, label: str) -> None:
        """Reserves the room of what any threshold changes."""
        outcomes = self.charts.outcomes
        if outcomes is self._reserved_for or outcomes is None:
            return
        self._reserved_for, rows = outcomes, list[tuple[str, ...]]()
        for index, (matrix, total) in enumerate(zip(outcomes.matrices, outcomes.totals.tolist(), strict=True)):
            head = brief_rule(AtThreshold(label, float(outcomes.thresholds[index])))
            rows += [("", "Default", head, "Change"), *change_rows(before[0], matrix, (before[1], total), code)]
        self.changes.reserve(rows)

    def _compared(self, run: Run, choice: Choice) -> ComparedCost | None:
        """The rule compared with others; None until that is computed, and for each step of a line that is moved."""
        is_moved = self._is_moving and isinstance(choice, AtThreshold) and choice != self._deciding.choice
        return None if is_moved else compared_cost_of(run, choice, self._session)

    def _show_verdict(
        self, run: Run, choice: Choice, totals: tuple[float, float], changes: tuple[Sentence, Sentence]
    ) -> None:
        """Says what the rule does to the total cost; a rule that saves clearly is offered by a filled button.

        What a threshold saves is said of thresholds that other folds chose. What it costs on the records that chose it
        comes second. ``changes`` say what it does to the mistakes, as shown and as a whole.
        """
        assert run.report is not None
        (before, now), comparison, is_brief = totals, self._compared(run, choice), self._is_brief
        nested = self._nested(run) if isinstance(choice, AtThreshold) else None
        outcomes, saves_elsewhere = self.charts.outcomes, nested is not None and nested.saves_clearly
        money, classes, gain, here, ending = self._money, run.report.classes, "", "", ""
        n, default = float(run.report.confusion.sum()), self._deciding.default_threshold
        is_cheaper, chosen, none_cheaper = before - now > NEXT_TO_NOTHING, None, ""
        self._is_unclear = False
        is_moved = saves_elsewhere and (outcomes is None or outcomes.cheapest != self.charts.at)
        if is_cheaper and isinstance(choice, ByCost) and comparison is not None:
            gain = saving_words("It", comparison.saved, n)
            ending = "" if comparison.saves_clearly else ", not significantly"
        elif is_cheaper and not is_moved and nested is not None and nested.threshold and nested.saved:
            chosen, here = (
                nested.threshold,
                f"On these records {named_rule(choice, str)} costs {money(now)} (optimistic).",
            )
            if n * nested.saved.difference > NEXT_TO_NOTHING:
                gain = saving_words(CHOSEN_ELSEWHERE.format(other=chosen.chosen_on), nested.saved, n)
            else:
                gain = NOTHING_SAVED.format(other=chosen.chosen_on, cost=money(chosen.total), default=price(before))
            if not saves_elsewhere:
                none_cheaper = NONE_CHEAPER.format(own="the default" if default is None else threshold_words(default))
                self._is_unclear = choice != self._in_force
        elif is_cheaper and isinstance(choice, AtThreshold):
            ending = OPTIMISTIC_HERE
            gain = "" if comparison is None else saving_words("It", comparison.saved, n)

        def verdict(naming: Naming, *, is_brief: bool = is_brief, is_whole: bool = False) -> str:
            if none_cheaper:
                return none_cheaper
            if chosen is not None:
                subject = "A threshold" if is_brief else f"A threshold chosen on {chosen.chosen_on}"
                if abs(chosen.total - now) < NEXT_TO_NOTHING:  # the other folds choose as good ones
                    subject = rule_name(choice, naming)
                return verdict_words(subject, before, chosen.total, money, is_brief=is_brief)
            subject = rule_name(choice, naming)
            if isinstance(choice, ByCost):
                least = self._session.decisions.by_cost_words(run, is_whole=is_whole)
                least = least.replace(f", {TIES_BY_DEFAULT}" * is_brief, "")
                subject = f"{least[0].upper()}{least[1:]}"
            if is_brief and isinstance(choice, AtThreshold) and choice.threshold <= 1:
                subject = f"Threshold {threshold_words(choice.threshold)}"
            return verdict_words(subject, before, now, money, is_brief=is_brief) + ending

        self._verdict.set_sentence(verdict, classes, partial(verdict, is_brief=False, is_whole=True))
        is_offered = comparison is not None and comparison.saves_clearly and not self._is_typed
        is_offered = is_offered and (isinstance(choice, ByCost) or saves_elsewhere)
        cost = before if none_cheaper else now if chosen is None else chosen.total
        is_beaten = self._show_baseline(run, cost, " than the default" if none_cheaper else "")
        set_property(self.use, "part", "accent" if is_offered and not is_beaten else "quiet")
        shown, whole = changes

        def sentence(naming: Naming, *, is_brief: bool = is_brief) -> str:
            if gain and is_brief:  # the table has the figures
                return gain
            return " ".join(filter(None, (gain, here, (shown if is_brief else whole)(naming))))

        self._sentence.set_sentence(sentence, classes, partial(sentence, is_brief=False))

    def _show_baseline(self, run: Run, cost: float, than: str) -> bool:
        """Says below the verdict what the best constant prediction costs; returns whether that is no more."""
        known = baseline_of(run, self._session)
        if known is None:
            self._baseline.setText("")
            return False
        label, always = known
        set_property(self._baseline, "tone", "bad" if always <= cost + NEXT_TO_NOTHING else "")
        self._baseline.set_wordings(*baseline_wordings(label, self.editor.classes, (always, cost), self._money, than))
        return always <= cost + NEXT_TO_NOTHING

    @property
    def _in_force(self) -> Choice | None:
        """The rule in use; for the default rule the threshold that decides as it does, None if none does."""
        threshold = self._deciding.default_threshold
        if self._deciding.choice is not None or threshold is None:
            return self._deciding.choice
        return AtThreshold(self._deciding.label, threshold)

    def _is_usable(self, choice: Choice | None) -> bool:
        """Whether the rule can be used: least expected cost needs costs."""
        return isinstance(choice, AtThreshold) or self._deciding.costs() is not None

    def _show_note(self, run: Run, choice: Choice, saves: bool, about: str) -> None:
        """Compares the rule with the baseline below the table, and says that the saving is optimistic.

        ``about`` explains a mark of the table before that; it may be empty.
        """
        assert run.report is not None
        is_threshold, has_costs = isinstance(choice, AtThreshold), self._deciding.costs() is not None
        outcomes = self.charts.outcomes
        is_cheapest = outcomes is not None and outcomes.cheapest == self.charts.at
        comparison, chosen = (self._compared(run, choice) if has_costs else None), None
        if is_threshold and is_cheapest and (nested := self._nested(run)) is not None:
            chosen = nested.threshold
            comparison = comparison if chosen is None or not has_costs else nested.compared
        seems_good = saves or (comparison is not None and comparison.more > 0)
        first = OWN_THRESHOLDS if self._costs(run).varies else ""
        beside = self._beside_threshold(run) if isinstance(choice, ByCost) else _saying("")
        last = ""
        if seems_good and is_threshold:
            words = CHOSEN if is_cheapest else OPTIMISTIC
            last = words.format(n=amount(run.report.n))
        money = self._money

        def sentence(naming: Naming) -> str:
            rule = named_rule(choice, naming) if chosen is None else f"a threshold chosen on {chosen.chosen_on}"
            baseline = "" if comparison is None else beside_one_answer(comparison, naming, rule, money)
            return " ".join(filter(None, (about, first, beside(naming), baseline, last)))

        self._note.set_sentence(sentence, run.report.classes)

    def _nested_words(self, run: Run) -> str:
        """What the cheapest threshold costs if other folds choose it; empty where that is not known."""
        cost, report = self._nested(run), run.report
        nested = None if cost is None else cost.threshold
        if nested is None or report is None:
            return ""
        mean = price(nested.total / float(report.confusion.sum()))
        return NESTED.format(other=nested.chosen_on, cost=self._money(nested.total), mean=mean)

    def _nested(self, run: Run) -> NestedCost | None:
        """The cost of the cheapest threshold if other folds choose it; None until it is computed."""
        curve, costs, result, report = self._deciding.curve(), self._costs(run), run.result, run.report
        if curve is None or result is None or report is None:
            return None
        source = (curve, costs if costs.varies else self._session.costs)
        work = partial(NestedCost.of, CostEvaluation(result, report.confusion, costs), curve.scored, run.data)
        is_quick = result.probabilities.size * MOST_PARTS <= AT_ONCE
        return self._session.decisions.reports.compute("nested", run, source, work, is_quick)

    def _beside_threshold(self, run: Run) -> Sentence:
        """What least expected cost saves beside the cheapest threshold for all records."""
        held, outcomes = self.standings.ranked.of(run), self.charts.outcomes
        if held is None or outcomes is None:
            return _saying("")
        total, words = float(outcomes.totals[outcomes.cheapest]), partial(outcomes.words, outcomes.cheapest)
        over = total - held.cheapest.total
        if self._costs(run).varies:
            cost = f"{self._money(abs(over))} {'more' if over > 0 else 'less'}"
            return lambda naming: ONE_THRESHOLD.format(threshold=words(naming), cost=cost)
        if over >= -NEXT_TO_NOTHING:
            return _saying("")
        cost, nested = self._money(total), self._nested_words(run)
        return lambda naming: LOWER_BY_THRESHOLD.format(threshold=words(naming), cost=cost, nested=nested)
