"""Evaluate tab: confusion matrix, costs and metrics of the current run, and buttons for the further pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QPushButton, QSplitter, QStackedWidget, QWidget

from algorithms.evaluation.measures.metrics import Report
from algorithms.evaluation.verdict import leak_words, verdict
from workbench.jobs.ui_scheduling import FrameThrottle
from workbench.session.learner_comparison import FEWEST
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, themes
from workbench.tabs.evaluate.confusion_pane import ConfusionPane, ConfusionSelection
from workbench.tabs.evaluate.costs.cost_editor import CostPane
from workbench.tabs.evaluate.curve_pane import CurvePane
from workbench.tabs.evaluate.decision_rules import CheaperRulesBar, RunDecisions
from workbench.tabs.evaluate.diagnostics.learning_curve_pane import SweepPane
from workbench.tabs.evaluate.diagnostics.permutation_pane import ShufflePane
from workbench.tabs.evaluate.diagnostics.settings_pane import SettingsPane, search_of
from workbench.tabs.evaluate.figure_table import ROW_HEIGHT, FigureTable, NumbersPane
from workbench.tabs.evaluate.numbers import MetricFigure, class_headers, class_rows, lines
from workbench.tabs.evaluate.working_note import WorkingNote
from workbench.tabs.tab import Tab
from workbench.viewers.charts.curve_view import CurveView
from workbench.widgets.buttons import accent_button, pill_button
from workbench.widgets.chips import FlowLayout
from workbench.widgets.keyboard_focus import tab_in_order
from workbench.widgets.labels import label
from workbench.widgets.layouts import add_items, column_layout
from workbench.widgets.panes import Pane, UprightScrollArea

if TYPE_CHECKING:
    from workbench.tabs.evaluate.compare_pane import ComparePane
    from workbench.tabs.evaluate.costs.cost_board import CostBoard
    from workbench.tabs.evaluate.diagnostics.bias_variance_page import BiasVariancePage

    Page = SettingsPane | SweepPane | CostBoard | BiasVariancePage | ComparePane

JUDGED, COSTS, SWEEPS, LEANING, COMPARED, SETTINGS = range(6)
"""Pages in the order of their buttons; optional ones come last, so that no button moves under the mouse."""
TITLES: Final = (
    ("What it gets right", "evaluate.page.judged", "The confusion matrix, the curves, the numbers and the costs"),
    ("What mistakes cost", "evaluate.page.costs", "Costs typed or dragged, and what becomes of every run"),
    ("More records, other values", "evaluate.page.sweeps", "How the error changes with more records or other values"),
    ("Bias and variance", "evaluate.page.leaning", "What the error comes from: the learner, or chance in its records"),
    ("Compare runs", "evaluate.page.compared", "Which run is better, in words, and whether that is more than chance"),
    ("Settings tried", "evaluate.page.settings", "What each setting lost that was tried, and which was chosen"),
)
NAMES: Final = tuple(name.rpartition(".")[2] for _title, name, _tip in TITLES)
"""Names of the pages in projects."""


class PageTabs(QWidget):
    """Buttons of the pages; further pages are made when first shown."""

    turned = Signal(int)
    luck_asked = Signal()
    """The user asks for a permutation test of the current run."""

    def __init__(self, session: Session, deciding: RunDecisions, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._deciding = session, deciding
        self.further: dict[int, Page] = {}
        """The further pages made so far."""
        self._group = QButtonGroup(self)
        row = FlowLayout(self, SPACE_2)
        self.buttons: list[QPushButton] = []
        for page, (title, name, tip) in enumerate(TITLES):
            button = pill_button(title, name, tip, checkable=True)
            self._group.addButton(button, page)
            row.addWidget(button)
            self.buttons.append(button)
        self.buttons[JUDGED].setChecked(True)
        self._group.idToggled.connect(self._toggled)

    @property
    def page(self) -> int:
        """The current page."""
        return self._group.checkedId()

    def pane(self, page: int, parent: QWidget) -> QWidget:
        """A further page, made with ``parent``."""
        if page not in self.further:
            if page == COSTS:
                from workbench.tabs.evaluate.costs.cost_board import CostBoard

                self.further[page] = CostBoard(self._session, self._deciding, parent)
            elif page == COMPARED:
                from workbench.tabs.evaluate.compare_pane import ComparePane

                compared = ComparePane(self._session, parent)
                compared.luck_asked.connect(self.luck_asked)
                self.further[page] = compared
            elif page == LEANING:
                from workbench.tabs.evaluate.diagnostics.bias_variance_page import BiasVariancePage

                self.further[page] = BiasVariancePage(self._session, parent)
            else:
                kind = SettingsPane if page == SETTINGS else SweepPane
                self.further[page] = kind(self._session, parent)
        return self.further[page]

    def refresh(self) -> None:
        """Updates the offered pages and the current one."""
        has = {
            SETTINGS: search_of(self._session.current_run) is not None,
            COMPARED: len(self._session.analyses.compared.judged) >= FEWEST,
        }
        for page, is_there in has.items():
            self.buttons[page].setVisible(is_there)
        if not has.get(self.page, True):
            self.buttons[JUDGED].setChecked(True)
        pane = self.further.get(self.page)
        if pane is not None:
            pane.refresh()

    def show_page(self, page: int) -> None:
        """Shows a page and checks its button."""
        self.buttons[page].setChecked(True)

    def _toggled(self, page: int, on: bool) -> None:
        if on:
            self.turned.emit(page)


class EmptyPage(Pane):
    """Says why there is nothing to show, and links to Classify."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent=parent)
        self._session = session
        self.head = label("", "verdict", wrap=True)
        self.words = label("", "dim", wrap=True)
        self._to_classify = accent_button(
            "Go to Classify", "evaluate.to-classify", on_click=lambda: session.ask_for_tab("classify")
        )
        add_items(self.body, self.head, self.words, (self._to_classify, 0, Qt.AlignmentFlag.AlignLeft), 1)

    def refresh(self) -> None:
        """Follows the session; names a tested run while its page is being made."""
        run = self._session.current_run
        is_judged = run is not None and run.report is not None
        self._to_classify.setVisible(self._session.data is not None and not is_judged)
        if run is not None and is_judged:
            head, words = f"Run {run.number}, {run.learner.name}", "Working it out…"
        elif self._session.data is None:
            head, words = "No table is open", "Open one and judge a learner; what it gets right and wrong stands here."
        elif run is not None and run.is_running:
            head = f"Judging {run.learner.name}"
            words = "What it gets right and wrong stands here as soon as its folds are judged."
        elif run is not None:
            head = f"Run {run.number}, {run.learner.name}, was not judged"
            words = run.message or "It was stopped. Choose another run in the ledger, or start again."
        else:
            head = "Nothing judged yet"
            words = "Start a learner in Classify; what it gets right and wrong stands here."
        self.head.setText(head)
        self.words.setText(words)


LEAST_HEIGHT: Final = 490
"""Least height of the panes at usual text size."""


class EvaluatePanes(QSplitter):
    """Splitters of the panes, never lower than their content, so that low windows scroll."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self.setChildrenCollapsible(False)
        themes.follow(self._measure)

    def _measure(self) -> None:
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint().expandedTo(QSize(0, themes.px(LEAST_HEIGHT)))


def splitter(orientation: Qt.Orientation, parent: QWidget) -> QSplitter:
    """A splitter with its final parent, which avoids styling its content twice."""
    parts = QSplitter(orientation, parent)
    parts.setChildrenCollapsible(False)
    return parts


def fill(room: QSplitter, *parts: tuple[QWidget, int]) -> None:
    """Adds widgets in these proportions until the user drags an edge."""
    for widget, stretch in parts:
        room.addWidget(widget)  # one that is in it already goes to the end: its place is known only now
        room.setStretchFactor(room.indexOf(widget), stretch)
    room.setSizes([100 * stretch for _, stretch in parts])


OF_ALL_HEAD = "All, weighted"
WHAT_ALL_IS = (
    "All classes together. What is measured of single classes is averaged, each weighted by its number of records."
)
NUMBERS_HEIGHT = 452
"""Height of the main figures; the costs get the rest."""


ROOM_FOR_COSTS = 640
"""Height from which the costs are shown beside all figures."""
ROOM_FOR_CLASSES = 1000
"""Height from which the table of classes is shown below."""
MOST_CLASSES_AT_ONCE = 14
NUMBERS_HEAD = 80
"""Height of the heading of the figures with its margins."""
CLASS_HEAD = 70
"""Height of the headings of the classes."""


FEW_CLASSES = 3
SHARES = {False: (10, 11), True: (9, 13)}
"""Shares of matrix and curve in the height, with few and with more classes."""
ROOM_FOR_HINT = 600
"""Height from which a hint explains how to open formulas."""


class EvaluateTab(Tab):
    """Evaluates the current run."""

    def _make(self) -> Iterator[bool]:
        session = self._session
        self.following = FrameThrottle(self.refresh, self)
        self._judged: list[Run] = []
        self._shown_run: Run | None = None
        self._is_stale = False
        self._n_rows = (0, 0)
        self._has_few: bool | None = None
        self._is_moved = False
        self._stack = QStackedWidget(self)
        self._filled = QWidget(self._stack)
        self._panes = EvaluatePanes(Qt.Orientation.Horizontal, self._filled)
        self._scroll = UprightScrollArea(self._panes, self._filled)
        self.deciding = RunDecisions(session, self)
        self.pages = PageTabs(session, self.deciding, self._filled)
        self._left = left = splitter(Qt.Orientation.Vertical, self._panes)
        self.shuffles: ShufflePane | None = None
        self._right = splitter(Qt.Orientation.Vertical, self._panes)
        self.confusion = ConfusionPane(session.jobs, left)
        yield True
        self.costs = CostPane(session, self._right)
        self._linked = ConfusionSelection(session, self.confusion, self)
        yield True
        view = CurveView("evaluate.roc", session.jobs, self._filled)
        yield True
        self.curve = CurvePane(session, self.deciding, view, left)
        yield True
        self.cheaper = CheaperRulesBar(self.deciding)
        self.costs.ways.addWidget(self.cheaper)
        self.metrics = FigureTable((("", ""), (OF_ALL_HEAD, ""), ("", "")), "evaluate.metrics", "The run in numbers")
        self.classes = FigureTable(class_headers(), "evaluate.classes", "The run class by class")
        self.classes.setSortingEnabled(True)
        self.classes.horizontalHeader().setSortIndicatorClearable(True)
        self.classes.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        yield True
        self.working = WorkingNote(self._filled)
        self.working.follow(
            (self.metrics, self.classes, self.costs.sentence, self.cheaper.expected, self.cheaper.cheapest)
        )
        self._lay_out(left)
        yield True
        for signal in (session.class_of_interest_changed, session.costs_changed):
            signal.connect(self.refresh)
        self.deciding.changed.connect(self.following.wish)
        session.current_run_changed.connect(self._follow)
        session.runs_changed.connect(self._runs_changed)
        session.analyses.checks.changed.connect(self._follow_findings)
        session.document_replaced.connect(self._return)
        session.analyses.compared.asked.connect(self._compare)
        self._return()
        self.refresh()

    def refresh(self) -> None:
        """Shows the current run, or the empty page; hidden parts wait until they are shown."""
        self._is_stale = self.pages.page != JUDGED
        if self._is_stale:
            self._show_page()
            return
        self.following.forget()
        self._session.turns.forget(*self._parts())
        for show in self._parts():
            show()

    def _come_into_view(self) -> None:
        if self._is_stale:
            self._follow()

    def _follow(self) -> None:
        """Shows the current run part by part; a hidden tab waits."""
        self._look_at()
        self._is_stale = not self.isVisible()
        if not self._is_stale:
            if self._stack.currentWidget() is not self._filled:
                self._empty.refresh()
            if self._session.current_run is not self._shown_run:
                self._panes.setUpdatesEnabled(False)
            self._session.turns.later(*self._parts())

    def _parts(self) -> tuple[Callable[[], None], ...]:
        return (
            self._show_confusion,
            self._show_costs,
            self._show_curve,
            self._show_numbers,
            self._show_page,
            self._change,
        )

    def _change(self) -> None:
        """Shows all parts of another run at once, so that matrix and figures always match."""
        self._shown_run = self._session.current_run
        self._panes.setUpdatesEnabled(True)

    def _show_page(self) -> None:
        """Shows the results, or the empty page."""
        run = self._session.current_run
        is_filled = run is not None and run.report is not None
        if is_filled and self._stack.currentWidget() is not self._filled:
            self._session.turns.paint_later(self.curve, self._right)
        self._stack.setCurrentIndex(int(is_filled))
        if run is None or run.report is None:
            self._empty.refresh()
        else:
            self.pages.refresh()

    def _return(self) -> None:
        """Shows the page stored in the project, by default the first."""
        kept = self._session.place.get("page")
        self.pages.show_page(NAMES.index(kept) if kept in NAMES else JUDGED)

    def _compare(self) -> None:
        self.pages.show_page(COMPARED)

    def _ask_about_luck(self) -> None:
        self.pages.show_page(JUDGED)
        self._numbers.shuffle.setChecked(True)

    def _turn_page(self, page: int) -> None:
        """Shows another page of the current run."""
        if page != JUDGED or "page" in self._session.place:
            self._session.set_place(page=NAMES[page])
        self._scroll.setVisible(page == JUDGED)
        self._show_working()
        if page == JUDGED and self._is_stale:
            self._follow()
        if page != JUDGED:
            pane = self.pages.pane(page, self._filled)
            if self._column.indexOf(pane) < 0:
                self._column.insertWidget(1, pane, 1)
        for other, pane in self.pages.further.items():
            pane.setVisible(other == page)
        self.pages.refresh()

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
            self._give_matrix_room(len(subject[1].classes))
            self.confusion.show_report(subject[1], self.deciding.words())
            self._linked.follow(self._session.decisions.asked(subject[0]))

    def _show_costs(self) -> None:
        if (subject := self._looked_at()) is not None:
            self.costs.show_report(subject[1])
            self.costs.say_in_force(self.deciding.words())
            self.cheaper.refresh()

    def _show_curve(self) -> None:
        if (subject := self._looked_at()) is not None:
            self.curve.refresh(subject[0], subject[1])

    def _runs_changed(self) -> None:
        """Updates when a run gets a result or is removed; interim results do not matter."""
        judged = [run for run in self._session.runs if run.is_judged]
        if judged != self._judged:
            self._judged = judged
            self._follow()

    def _follow_findings(self) -> None:
        """Shows a detected leak beside the figures; another run stays hidden until they are there."""
        if self.isVisible():
            self._session.turns.later(self._show_numbers, self._change)
        else:
            self._is_stale = True

    def _show_numbers(self) -> None:
        subject = self._looked_at()
        if subject is None:
            return
        run, report, code = subject
        leaks = self._session.analyses.checks.leaks_of(run)
        sentence = verdict(report, code, leaks)
        self._numbers.set_facts(sentence.headline, "")
        self._numbers.setToolTip(self.deciding.caution())
        self._numbers.say_leaks(leak_words(leaks))
        of_class = report.classes[code]
        heads = (("", ""), (OF_ALL_HEAD, WHAT_ALL_IS), (of_class, f"The class of interest: {of_class}"))
        self.metrics.set_headers(heads, report.classes)
        if self._is_read(self.metrics):
            report = self._session.decisions.reports.with_intervals(run, report)
            shown_lines = lines(report, code, self._session.costs, self._numbers.chosen())
            rows = [(MetricFigure(line.name), line.whole, line.of_class) for line in shown_lines]
            self.metrics.set_rows(rows, [line.tip for line in shown_lines])
        if self._is_read(self.classes):
            self.classes.set_rows(class_rows(report))
        self._numbers.share_room()
        n_rows = (self.metrics.rowCount(), self.classes.rowCount())
        if n_rows != self._n_rows:
            self._n_rows = n_rows
            self._share_height()
        self.working.refresh()

    def _is_read(self, table: FigureTable) -> bool:
        """Whether a table or a formula of it is visible; hidden tables wait."""
        return self._numbers.shows(table) or self.working.source is table

    # ---- layout ----------------------------------------------------------------------------------------------------

    def _lay_out(self, left: QSplitter) -> None:
        self._numbers = NumbersPane(self.metrics, self.classes, self._right)
        self._numbers.turned.connect(self._show_numbers)
        fill(left, *zip((self.confusion, self.curve), SHARES[False], strict=True))
        left.splitterMoved.connect(self._border_moved)
        fill(self._right, (self._numbers, 9), (self.costs, 5))
        self._right.setStretchFactor(0, 0)
        self._share_height()
        self.costs.folded.connect(self._share_height)
        self.costs.folded.connect(lambda: self.cheaper.keep_room(self.costs.is_asked_for))
        self._numbers.shuffle.toggled.connect(self._show_shuffles)
        self._session.analyses.permutation_tests.changed.connect(self._show_begun)
        self.pages.luck_asked.connect(self._ask_about_luck)
        self.curve.enlarged.connect(self._give_room)
        self._give_room()
        fill(self._panes, (left, 15), (self._right, 14))
        column = column_layout(self.pages, (self._scroll, 1), self.working, inside=self._filled, spacing=SPACE_2)
        self._column = column
        self.pages.turned.connect(self._turn_page)
        self.working.filled.connect(self._show_working)
        tab_in_order(self.pages, self.confusion, self.curve, self._numbers, self.costs, self.working)
        self._empty = EmptyPage(self._session, self._stack)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._filled)
        column_layout(self._stack, inside=self)

    def _give_room(self, _wanted: bool = False) -> None:
        """Gives an enlarged curve the room of the matrix."""
        self.confusion.setVisible(not self.curve.larger.isChecked())

    def _show_working(self) -> None:
        """Shows the chosen formula, or a hint if the window is high."""
        is_asked = self.working.is_filled or self.height() >= themes.px(ROOM_FOR_HINT)
        self.working.setVisible(is_asked and self.pages.page == JUDGED)

    def _give_matrix_room(self, n_classes: int) -> None:
        """Sets the height of the matrix by its classes, until the user drags the edge."""
        few = n_classes <= FEW_CLASSES
        if few is not self._has_few and not self._is_moved:
            self._has_few = few
            for widget, share in zip((self.confusion, self.curve), SHARES[few], strict=True):
                self._left.setStretchFactor(self._left.indexOf(widget), share)
            self._left.setSizes([100 * share for share in SHARES[few]])

    def _border_moved(self) -> None:
        self._is_moved = True

    def _show_shuffles(self, wanted: bool) -> None:
        """Shows the permutation test in place of the curve."""
        if wanted and self.shuffles is None:
            above, below = self._left.sizes()
            self.shuffles = ShufflePane(self._session, self._left)
            self.shuffles.compare_asked.connect(self._compare)
            self._left.setSizes([above, below, below])
        if self.shuffles is not None:
            self.shuffles.setVisible(wanted)
        self.curve.setVisible(not wanted)

    def _show_begun(self, run: object) -> None:
        """Shows a test that was started elsewhere."""
        current = self._session.current_run
        if (
            current is not None
            and run is current
            and self._session.analyses.permutation_tests.job_of(current) is not None
        ):
            self._numbers.shuffle.setChecked(True)

    def _share_height(self) -> None:
        """Gives the figures the room that the costs leave."""
        wanted = self._right.height() if self.costs.is_folded else themes.px(NUMBERS_HEIGHT)
        if self._numbers.is_tall:
            n_classes = min(MOST_CLASSES_AT_ONCE, self.classes.rowCount())
            wanted = max(wanted, self.metrics.content_height() + themes.px(NUMBERS_HEAD))
            wanted += themes.px(CLASS_HEAD + ROW_HEIGHT * n_classes)
        least = 1 if self.costs.is_folded else themes.px(NUMBERS_HEIGHT) // 2
        self._right.setSizes([wanted, max(least, self._right.height() - wanted)])

    def _take_size(self) -> None:
        self.costs.set_roomy(self.height() >= themes.px(ROOM_FOR_COSTS))
        self._show_working()
        was_tall = self._numbers.is_tall
        self._numbers.set_tall(self.height() >= themes.px(ROOM_FOR_CLASSES))
        if self._numbers.is_tall != was_tall:
            self._share_height()
