"""Evaluate tab: confusion matrix, costs and metrics of the current run, and buttons for the further pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QSplitter, QStackedWidget, QWidget

from algorithms.evaluation.measures.measure import Measure
from algorithms.evaluation.measures.metrics import Report
from workbench.jobs.ui_scheduling import FrameThrottle, MadeAhead, single_shot
from workbench.session.runs import Run, failure_of
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, themes
from workbench.tabs.evaluate.confusion_pane import ConfusionPane, ConfusionSelection
from workbench.tabs.evaluate.curve_pane import CurvePane, CurveView
from workbench.tabs.evaluate.decision_rules import RunDecisions
from workbench.tabs.evaluate.diagnostics.settings_pane import SettingsPane, search_of
from workbench.tabs.evaluate.diagnostics.started_analyses import ShufflePane, SweepPane
from workbench.tabs.evaluate.figure_table import (
    OF_ALL_HEAD,
    ROOM_FOR_AXIS,
    FigureItem,
    FigureTable,
    MetricsPane,
    MetricStrip,
    WorkingNote,
)
from workbench.tabs.evaluate.numbers import MetricFigure, class_rows, headline_metrics, lines, row_name
from workbench.tabs.tab import PagePart, RunSelector, Step, Tab
from workbench.widgets.buttons import SegmentTrack, link_button, quiet_button, segment_button
from workbench.widgets.examples import EmptyPage
from workbench.widgets.fields import ElidedComboBox
from workbench.widgets.labels import label
from workbench.widgets.layouts import ClearWidget, column_layout, filled, named, row_layout
from workbench.widgets.panes import UprightScrollArea

if TYPE_CHECKING:
    from workbench.tabs.evaluate.compare_pane import ComparePane
    from workbench.tabs.evaluate.costs.cost_board import CostBoard
    from workbench.tabs.evaluate.diagnostics.bias_variance_page import BiasVariancePage
    from workbench.tabs.evaluate.diagnostics.effects_pane import EffectsPane, SurrogatePane
    from workbench.tabs.evaluate.diagnostics.error_panes import ErrorGroupsPane, ErrorRatesPane, LabelErrorsPane
    from workbench.tabs.evaluate.diagnostics.importance_pane import ImportancePane
    from workbench.tabs.evaluate.experiment_page import ExperimentPage

    FurtherView = (
        SettingsPane
        | SweepPane
        | ShufflePane
        | CostBoard
        | BiasVariancePage
        | ImportancePane
        | EffectsPane
        | SurrogatePane
        | ErrorGroupsPane
        | LabelErrorsPane
        | ErrorRatesPane
        | ComparePane
        | ExperimentPage
    )

PERFORMANCE, COMPARE, COSTS, EXPERIMENT, LEARNING_CURVE, BIAS_VARIANCE, PERMUTATION_TEST = range(7)
IMPORTANCE, EFFECTS, SURROGATE, ERROR_GROUPS, LABEL_ERRORS, ERROR_RATES, SEARCH = range(7, 14)
"""Views of the tab: four pages of one view, then the views of the page Diagnostics."""
DIAGNOSTICS: Final = LEARNING_CURVE
"""The first view of the page Diagnostics."""
PAGES: Final = (
    (PERFORMANCE, "Performance", "evaluate.page.performance", "Confusion matrix, curves and all metrics of this run"),
    (COMPARE, "Compare", "evaluate.page.compare", "Differences between runs and their significance"),
    (COSTS, "Costs && threshold", "evaluate.page.costs", "Cost matrix, decision rule, and their effect on every run"),
    (EXPERIMENT, "Experiment", "evaluate.page.experiment", "Several learners on several tables, kept in a file"),
    (DIAGNOSTICS, "Diagnostics", "evaluate.page.diagnostics", "Learning curve, permutation test, attribute importance"),
)
DIAGNOSES: Final = (
    (LEARNING_CURVE, "Learning curve", "learning-curve", "Error by training records or by an option"),
    (BIAS_VARIANCE, "Bias and variance", "bias-variance", "Error of the learner and of its data"),
    (PERMUTATION_TEST, "Permutation test", "permutation-test", "Accuracy on shuffled classes"),
    (IMPORTANCE, "Attribute importance", "importance", "What the models of this run rely on"),
    (EFFECTS, "Attribute effects", "effects", "How the probability of a class changes along one attribute or two"),
    (SURROGATE, "Surrogate tree", "surrogate", "A small tree that imitates the model, and how faithful it is"),
    (ERROR_GROUPS, "Error groups", "error-groups", "Groups of records with more errors than elsewhere, as rules"),
    (LABEL_ERRORS, "Possible label errors", "label-errors", "Records to check: the model contradicts their class"),
    (ERROR_RATES, "Error by attribute", "error-rates", "Error rate by an attribute; rates and calibration by group"),
    (SEARCH, "Parameter search", "search", "Error of each setting tried, and the chosen one"),
)
FURTHER_MODULES: Final = (
    "diagnostics.disagreement_view",
    "compare_pane",
    "costs.cost_charts",
    "costs.cost_ranking",
    "costs.cost_board",
    "experiment_page",
    "diagnostics.bias_variance_page",
    "diagnostics.importance_pane",
    "diagnostics.effects_pane",
    "diagnostics.error_panes",
)
"""Modules of further views, imported while the window is idle."""
NAMES: Final = tuple(name.rpartition(".")[2] for _view, _title, name, _tip in (*PAGES[:DIAGNOSTICS], *DIAGNOSES))
"""Names of the views in projects."""
FORMER_NAMES: Final = {
    "judged": PERFORMANCE,
    "compared": COMPARE,
    "sweeps": LEARNING_CURVE,
    "leaning": BIAS_VARIANCE,
    "settings": SEARCH,
}
"""Names of the views in older projects."""
RUN_SHARE: Final = 0.25
"""Share of the width for the run in view, where the names of the pages leave so much."""


class PageTabs(QWidget):
    """Buttons of the pages, a choice of the views of Diagnostics; further views are made when first shown."""

    turned = Signal(int)

    def __init__(self, session: Session, deciding: RunDecisions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._deciding = session, deciding
        self.further: dict[int, FurtherView] = {}
        self._ahead: dict[int, MadeAhead[FurtherView]] = {}
        self.view = PERFORMANCE
        self._diagnosis = DIAGNOSTICS
        self._pages, self._second = QButtonGroup(self), ClearWidget(self)
        for view, title, name, tip in PAGES:
            button = segment_button(title, name, tip)
            button.setAccessibleName(title.replace("&&", "&"))
            self._pages.addButton(button, view)
        self._pages.idClicked.connect(self._choose)
        self.analysis = named(ElidedComboBox(), "evaluate.analysis", "Analysis", "What is asked about the run in view")
        self.analysis.setSizeAdjustPolicy(ElidedComboBox.SizeAdjustPolicy.AdjustToContents)
        self.analysis.activated.connect(lambda _index: self.show_view(int(self.analysis.currentData())))
        row_layout(label("Analysis", "dim"), self.analysis, 1, inside=self._second, spacing=SPACE_2)
        self.run_in_view = RunSelector(session, "evaluate.run", RUN_SHARE)
        self._first = SegmentTrack(*self._pages.buttons())
        first = row_layout(self._first, self.run_in_view, 1)
        column_layout(first, self._second, inside=self, spacing=SPACE_2)
        self._offer(DIAGNOSES[:-1])

    def _choose(self, page: int) -> None:
        self.show_view(self._diagnosis if page == DIAGNOSTICS else page)

    def _offer(self, analyses: Sequence[tuple[int, str, str, str]]) -> None:
        if self.analysis.count() == len(analyses):
            return
        with QSignalBlocker(self.analysis):
            self.analysis.clear()
            for place, (view, title, _name, tip) in enumerate(analyses):
                self.analysis.addItem(title, view)
                self.analysis.setItemData(place, tip, Qt.ItemDataRole.ToolTipRole)
        self._mark()

    @property
    def analyses(self) -> list[tuple[int, str]]:
        """The analyses that can be chosen: their views and names."""
        return [(int(self.analysis.itemData(at)), self.analysis.itemText(at)) for at in range(self.analysis.count())]

    def _mark(self) -> None:
        is_diagnosis = self.view >= DIAGNOSTICS
        self._pages.button(min(self.view, DIAGNOSTICS)).setChecked(True)
        self.analysis.setCurrentIndex(self.analysis.findData(self._diagnosis))
        self._second.setVisible(is_diagnosis)
        is_shown = self.view == EXPERIMENT and EXPERIMENT in self.further
        is_form = is_shown and self._session.experiments.is_declaring
        self._first.setVisible(not is_form)
        self.run_in_view.setVisible(self.view not in (COMPARE, EXPERIMENT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        beside = self.width() - self._first.sizeHint().width() - SPACE_2  # so that no name of a page is cut
        self.run_in_view.take_width(min(self.width(), round(beside / RUN_SHARE)))

    def pane(self, view: int, parent: QWidget) -> QWidget:
        """A further view, made with ``parent`` and complete."""
        self.ahead(view, parent).make()
        return self.further[view]

    def ahead(self, view: int, parent: QWidget) -> MadeAhead[FurtherView]:
        """What makes a further view, hidden."""
        if view not in self._ahead:
            self._ahead[view] = MadeAhead(partial(self._begin, view, parent), partial(self.further.__setitem__, view))
        return self._ahead[view]

    def _begin(self, view: int, parent: QWidget) -> FurtherView:
        pane = self._outermost(view, parent)
        pane.hide()
        return pane

    def _outermost(self, view: int, parent: QWidget) -> FurtherView:
        if view == COSTS:
            from workbench.tabs.evaluate.costs.cost_board import CostBoard

            return CostBoard(self._session, self._deciding, parent, in_pieces=True)
        if view == COMPARE:
            from workbench.tabs.evaluate.compare_pane import ComparePane

            return ComparePane(self._session, parent, in_pieces=True)
        if view == EXPERIMENT:
            from workbench.tabs.evaluate.experiment_page import ExperimentPage

            self._session.experiments.changed.connect(self._mark)
            return ExperimentPage(self._session, parent, in_pieces=True)
        if view == BIAS_VARIANCE:
            from workbench.tabs.evaluate.diagnostics.bias_variance_page import BiasVariancePage

            return BiasVariancePage(self._session, parent, in_pieces=True)
        if view == IMPORTANCE:
            from workbench.tabs.evaluate.diagnostics.importance_pane import ImportancePane

            return ImportancePane(self._session, parent, in_pieces=True)
        if view in (EFFECTS, SURROGATE):
            from workbench.tabs.evaluate.diagnostics.effects_pane import EffectsPane, SurrogatePane

            return (EffectsPane if view == EFFECTS else SurrogatePane)(self._session, parent, in_pieces=True)
        if view in (ERROR_GROUPS, LABEL_ERRORS, ERROR_RATES):
            from workbench.tabs.evaluate.diagnostics.error_panes import ErrorGroupsPane, ErrorRatesPane, LabelErrorsPane

            if view == ERROR_GROUPS:
                return ErrorGroupsPane(self._session, parent, in_pieces=True)
            of_records = LabelErrorsPane if view == LABEL_ERRORS else ErrorRatesPane
            return of_records(self._session, parent, in_pieces=True)
        if view == LEARNING_CURVE:
            return SweepPane(self._session, parent, in_pieces=True)
        kind = SettingsPane if view == SEARCH else ShufflePane
        return kind(self._session, parent, in_pieces=True)

    def refresh(self) -> None:
        """Updates the offered views and the current view."""
        searched = search_of(self._session.current_run) is not None
        self._offer(DIAGNOSES if searched else DIAGNOSES[:-1])
        if self.view == SEARCH and not searched:
            self.show_view(LEARNING_CURVE)
        pane = self.further.get(self.view)
        if pane is not None:
            pane.refresh()

    def show_view(self, view: int) -> None:
        if view == self.view:
            self._mark()
            return
        self.view = view
        if view >= DIAGNOSTICS:
            self._diagnosis = view
        self._mark()
        self.turned.emit(view)


def show_nothing(page: EmptyPage, session: Session) -> None:
    """Says why no performance can be shown; names a tested run while its page is being made."""
    run = session.current_run
    if session.data is None:
        page.show_words("No table is open", "Open a table and train a learner; its performance is shown here.")
    elif run is None:
        words, go = (
            "Train a learner in Classify; its performance is shown here.",
            partial(session.ask_for_tab, "classify"),
        )
        page.show_words("No run yet", words, "Go to Classify", go)
    elif run.report is not None:
        page.show_words(f"Run {run.number}, {run.learner.name}", "Computing…")
    elif run.is_running:
        words = "Its performance is shown here as soon as its folds are tested."
        page.show_words(f"Testing {run.learner.name}", words)
    else:
        head = f"Run {run.number}, {run.learner.name}, was not tested"
        page.show_words(head, *failure_of(run), partial(session.ledger.start_again, run))


LEAST_HEIGHT: Final = 260
"""Least height of matrix and curve at usual text size."""


class EvaluatePanes(QSplitter):
    """Matrix beside curve, never lower than their content, so that low windows scroll."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setChildrenCollapsible(False)
        themes.follow(self._measure)

    def _measure(self) -> None:
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint().expandedTo(QSize(0, themes.px(LEAST_HEIGHT)))


WHAT_ALL_IS = "Averages over all classes, each weighted by its number of records."
LARGE_MATRIX = 12
"""Number of classes from which the matrix is much wider than the curve."""
SHARES, SHARES_OF_LARGE = (5400, 4600), (6000, 4000)
"""Widths of matrix and curve: larger than any window, as a splitter keeps the proportions of such only."""
ROOM_FOR_HINT = 600
"""Height from which a hint explains how to open formulas."""


AHEAD_MS: Final = 500
SELECT_CELL: Final = (
    "Click a cell of the confusion matrix, or press Space in it, to select its records.",
    "Click a cell, or press Space, to select.",
)


class EvaluateTab(Tab):
    def _make(self) -> Iterator[bool]:
        session = self._session
        self.following = FrameThrottle(self.refresh, self)
        self._judged: list[Run] = []
        self._shown_run: Run | None = None
        self._is_stale = self._is_large = False
        self._ahead = single_shot(self, AHEAD_MS, self._look_ahead)
        self._stack = QStackedWidget(self)
        self._filled = QWidget(self._stack)
        self._performance = ClearWidget(self._filled)
        self._panes = EvaluatePanes(self._performance)
        self._scroll = UprightScrollArea(self._panes, self._performance)
        self.deciding = RunDecisions(session, self)
        self.pages = PageTabs(session, self.deciding, self._filled)
        tip = "Every metric, for all classes together and for each class"
        self.all_metrics = quiet_button("All metrics", "evaluate.all-metrics", tip, checkable=True)
        yield True
        self.strip = MetricStrip(self._performance)
        self.confusion = yield from ConfusionPane(session.jobs, self._panes, in_pieces=True).rest()
        self._linked = ConfusionSelection(session, self.confusion, self)
        view = yield from CurveView("evaluate.roc", session.jobs, self._filled, in_pieces=True).rest()
        self.curve = CurvePane(session, self.deciding, view, self._panes)
        yield True
        self._tables = MetricsPane(self._performance, in_pieces=True)
        self._tables.hide()
        yield from self._tables.rest()
        self.metrics, self.classes = self._tables.whole, self._tables.classes
        self.working = WorkingNote(self._filled)
        self.working.follow((self.metrics, self.classes, *(cell.figure for cell in self.strip.cells)))
        self._lay_out()
        yield True
        for signal in (session.class_of_interest_changed, session.costs_changed):
            signal.connect(self.refresh)
        self.deciding.changed.connect(self._decided)
        session.current_run_changed.connect(self._follow)
        session.runs_changed.connect(self._runs_changed)
        session.document_replaced.connect(self._return)
        session.analyses.compared.asked.connect(partial(self.pages.show_view, COMPARE))
        session.page_asked.connect(lambda name: self.pages.show_view(NAMES.index(name)))
        session.analyses.permutation_tests.changed.connect(self._show_begun)
        self._return()
        self.refresh()

    def _lay_out(self) -> None:
        self._tables.options.changed.connect(self._show_numbers)
        filled(self._panes, self.confusion, self.curve)
        self._panes.setSizes(list(SHARES))
        column_layout(self.strip, (self._scroll, 1), (self._tables, 1), inside=self._performance, spacing=SPACE_2)
        self.all_metrics.toggled.connect(self._show_tables)
        for larger, other in ((self.confusion.larger, self.curve), (self.curve.larger, self.confusion)):
            larger.toggled.connect(lambda wanted, other=other: other.setVisible(not wanted))
        top = row_layout((self.pages, 1), (self.all_metrics, 0, Qt.AlignmentFlag.AlignTop), spacing=SPACE_2)
        self._column = column_layout(top, (self._performance, 1), self.working, inside=self._filled, spacing=SPACE_2)
        self.pages.turned.connect(self._turn_to)
        self.working.filled.connect(self._show_working)
        self._empty = EmptyPage("performance", "evaluate.empty", self._stack)
        act = partial(self.pages.show_view, EXPERIMENT)
        several = link_button("Compare on several tables", "evaluate.empty.experiment", "Show the page Experiment", act)
        self._empty.body.insertWidget(5, several, 0, Qt.AlignmentFlag.AlignHCenter)
        column_layout(filled(self._stack, self._empty, self._filled), inside=self)

    def use_cheapest_threshold(self) -> None:
        """Turns to the costs and uses the cheapest threshold of the run in view."""

        def use() -> None:
            from workbench.tabs.evaluate.costs.cost_board import CostBoard  # not needed at the start

            board = self.pages.further.get(COSTS)
            if isinstance(board, CostBoard):
                board.use_soon()

        self.pages.show_view(COSTS)
        self._session.turns.later(use)

    def refresh(self) -> None:
        """Shows the current run, or the empty page; hidden parts wait until they are shown."""
        self._is_stale = self.pages.view != PERFORMANCE
        if self._is_stale:
            self._show_page()
            return
        self.following.forget()
        self._session.turns.forget(*self._parts())
        for show in self._parts():
            show()

    def chapter(self) -> str:
        return PAGES[min(self.pages.view, DIAGNOSTICS)][1].replace("&&", "&")

    def _come_into_view(self) -> None:
        if self._is_stale:
            self._follow()

    def _decided(self) -> None:
        """Shows other decisions on the first page; those of the further pages that depend on them follow themselves."""
        if self.pages.view == PERFORMANCE:
            self.following.wish()
        else:
            self._is_stale = True

    def _follow(self) -> None:
        """Shows the current run part by part; a hidden tab waits."""
        self._look_at()
        self._is_stale = not self.isVisible()
        if self._is_stale:
            self._ahead.start()
        if not self._is_stale:
            if self._stack.currentWidget() is not self._filled:
                show_nothing(self._empty, self._session)
            if self._session.current_run is not self._shown_run:
                self._performance.setUpdatesEnabled(False)
            self._session.turns.later(*self._parts())

    def _look_ahead(self) -> None:
        """Computes what a visit of the hidden tab would wait for."""
        run = self._session.current_run
        if self._is_stale and run is not None and run.report is not None and not run.is_running:
            self.deciding.curve()

    def _parts(self) -> tuple[Callable[[], None], ...]:
        return (self._show_confusion, self._show_curve, self._show_numbers, self._show_page, self._change)

    def _change(self) -> None:
        """Shows all parts of another run at once, so that matrix and figures always match."""
        self._shown_run = self._session.current_run
        self._performance.setUpdatesEnabled(True)

    def _show_page(self) -> None:
        run = self._session.current_run
        is_judged = run is not None and run.report is not None
        is_filled = is_judged or self.pages.view == EXPERIMENT
        if is_judged and self._stack.currentWidget() is not self._filled:
            self._session.turns.paint_later(self.curve)
        self._stack.setCurrentIndex(int(is_filled))
        self.selecting_changed.emit()
        if is_filled:
            self.pages.refresh()
        else:
            show_nothing(self._empty, self._session)

    def _return(self) -> None:
        """Shows the page stored in the project, by default the first."""
        kept = self._session.place.get("page")
        view = NAMES.index(kept) if kept in NAMES else FORMER_NAMES.get(str(kept), PERFORMANCE)
        self.pages.show_view(view)

    def _turn_to(self, view: int) -> None:
        self.page_turns.emit()
        self._session.turns.paint_once(self._filled, partial(self._arrange, view))

    def _arrange(self, view: int) -> None:
        if view != PERFORMANCE or "page" in self._session.place:
            self._session.set_place(page=NAMES[view])
        self._performance.setVisible(view == PERFORMANCE)
        self.all_metrics.setVisible(view == PERFORMANCE)
        self._show_working()
        if view == PERFORMANCE and self._is_stale:
            self._follow()
        if view != PERFORMANCE:
            self._make_view(view)
        for other, pane in self.pages.further.items():
            pane.setVisible(other == view)
        self._show_page()

    def _make_view(self, view: int) -> None:
        """Makes a further view, hidden, unless it exists."""
        pane = self.pages.pane(view, self._filled)
        if self._column.indexOf(pane) < 0:
            self._column.insertWidget(1, pane, 1)

    def _steps_besides(self) -> Iterator[Step]:
        for module in FURTHER_MODULES:
            yield partial(import_module, f"workbench.tabs.evaluate.{module}")
        for view in (COMPARE, COSTS, EXPERIMENT, LEARNING_CURVE, BIAS_VARIANCE, PERMUTATION_TEST):
            yield from self.pages.ahead(view, self._filled).steps()
            yield partial(self._make_view, view)

    def hidden_pages(self) -> Sequence[QWidget]:
        return (self._filled, *self.pages.further.values())

    def _look_at(self) -> tuple[Run, Report, int] | None:
        """The current run, its report and the code of the class of interest, which become the subject of decisions."""
        run = self._session.current_run
        if run is None or run.report is None:
            return None
        label = self._session.decisions.label_of_interest(run)
        self.deciding.look_at(run, label)
        return run, run.report, run.report.classes.index(label)

    def _looked_at(self) -> tuple[Run, Report, int] | None:
        """Result of :meth:`_look_at` with the report under the current decision rule."""
        subject = self._look_at()
        return None if subject is None else (subject[0], self.deciding.report() or subject[1], subject[2])

    def _show_confusion(self) -> None:
        if (subject := self._looked_at()) is not None:
            is_large = len(subject[1].classes) >= LARGE_MATRIX
            if is_large is not self._is_large:
                self._is_large = is_large
                self._panes.setSizes(list(SHARES_OF_LARGE if is_large else SHARES))
            self.confusion.show_report(subject[1], self.deciding.words(), subject[0].parts_judged)
            self._linked.follow(self._session.decisions.asked(subject[0]))

    def _show_curve(self) -> None:
        if (subject := self._looked_at()) is not None:
            self.curve.refresh(subject[0], subject[1])

    def _runs_changed(self) -> None:
        """Updates when a run gets a result or is removed; interim results do not matter."""
        judged = [run for run in self._session.runs if run.is_judged]
        if judged != self._judged:
            self._judged = judged
            self._follow()

    def _show_numbers(self) -> None:
        """Shows the headline metrics, and the tables if they are visible."""
        subject = self._looked_at()
        if subject is None:
            return
        run, report, code = subject
        self.strip.setToolTip(self.deciding.caution())
        report = self._session.decisions.reports.with_intervals(run, report)
        self.strip.show_metrics(headline_metrics(report, code))
        of_class = report.classes[code]
        heads = (("", ""), (OF_ALL_HEAD, WHAT_ALL_IS), (of_class, f"The positive class: {of_class}"))
        self.metrics.set_headers(heads, report.classes)
        if self._is_read(self.metrics):
            shown_lines = lines(report, code, self._session.costs, self._tables.chosen())
            rows = [(MetricFigure(line.name), line.whole, line.of_class) for line in shown_lines]
            self.metrics.set_rows(rows, [line.tip for line in shown_lines])
        if self._is_read(self.classes):
            self.classes.set_rows(class_rows(report))
        self.working.refresh()

    def _is_read(self, table: FigureTable) -> bool:
        """Whether a table or a formula of it is visible; hidden tables wait."""
        return self.all_metrics.isChecked() or self.working.source is table

    def parts(self) -> Iterator[PagePart]:
        """The curve, and the further pages made so far; none without a run that was tested, as they are empty then."""
        run = self._session.current_run
        if run is None or run.report is None:
            return
        parts: dict[int, QWidget] = {PERFORMANCE: self.curve, **self.pages.further}
        for view, title, _name, _tip in (*PAGES, *DIAGNOSES):
            if view in parts and view != SEARCH:
                bring = self._show_curve_pane if view == PERFORMANCE else partial(self.pages.show_view, view)
                yield parts.pop(view), f"Evaluate, {title}".replace("&&", "&"), bring

    def _show_curve_pane(self) -> None:
        """Shows the curve in place of all metrics or of the enlarged matrix."""
        self.pages.show_view(PERFORMANCE)
        self.all_metrics.setChecked(False)
        self.confusion.larger.setChecked(False)

    def show_confusion_matrix(self) -> None:
        """Shows the matrix in place of all metrics or of the enlarged curve."""
        self.pages.show_view(PERFORMANCE)
        self.all_metrics.setChecked(False)
        self.curve.larger.setChecked(False)
        self.confusion.view.setFocus()

    def select_errors(self) -> None:
        """Shows the confusion matrix and selects the records that are predicted wrong."""
        self.show_confusion_matrix()
        self._session.turns.later(self.confusion.mean_wrong)

    def show_measure(self, measure: Measure) -> None:
        """Shows the row of a measure among all metrics, if the run in view has it."""
        subject = self._looked_at()
        if subject is None:
            return
        _run, report, _code = subject
        self.pages.show_view(PERFORMANCE)
        self.all_metrics.setChecked(True)
        name = row_name(measure, report, self._session.costs, self._tables.chosen())
        for row in range(self.metrics.rowCount()):
            item = self.metrics.item(row, 0)
            if isinstance(item, FigureItem) and item.figure.text == name:
                self.metrics.setCurrentCell(row, 1)
                self.metrics.setFocus()

    def how_to_select(self) -> Sequence[str]:
        is_matrix = self.pages.view == PERFORMANCE and not self.all_metrics.isChecked()
        return SELECT_CELL if is_matrix and self._stack.currentWidget() is self._filled else ()

    def _show_tables(self, wanted: bool) -> None:
        self._scroll.setVisible(not wanted)
        self._tables.setVisible(wanted)
        self.selecting_changed.emit()
        self._show_numbers()

    def _show_working(self) -> None:
        """Shows the chosen formula, or a hint if the window is high."""
        is_asked = self.working.is_filled or self.height() >= themes.px(ROOM_FOR_HINT)
        self.working.setVisible(is_asked and self.pages.view == PERFORMANCE)

    def _show_begun(self, run: object) -> None:
        """Shows a test that was started elsewhere."""
        current = self._session.current_run
        if current is not None and run is current and self._session.analyses.permutation_tests.job_of(current):
            self.pages.show_view(PERMUTATION_TEST)

    def _take_size(self) -> None:
        self.strip.set_roomy(self.height() >= themes.px(ROOM_FOR_AXIS))
        self._show_working()
