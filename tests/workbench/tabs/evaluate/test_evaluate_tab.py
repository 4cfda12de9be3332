"""The Evaluate tab over a real session: matrix, numbers, workings and costs, by mouse and keys."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QPushButton, QTableView, QTableWidget, QWidget

from algorithms.core.scores import Term
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.measures.confusion_counts import HEAD, BinaryCounts
from algorithms.evaluation.methods.methods import TrainingSet
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.text.numbers import percent
from tests.expected_texts import evaluation as evaluation_wording
from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, choose_entry, judged, press_link, small_data
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.evaluate.confusion_pane import ConfusionTable
from workbench.tabs.evaluate.curve_pane import CurvePane
from workbench.tabs.evaluate.figure_table import FigureItem, WorkedLabel
from workbench.tabs.evaluate.tab import NAMES, EvaluateTab
from workbench.viewers.charts.confusion_matrix import ConfusionView
from workbench.widgets.buttons import IconButton
from workbench.widgets.labels import TERM, TermHeader

COSTS = CostMatrix(("yes", "no"), ((0.0, 1.0), (10.0, 0.0)))


@pytest.fixture
def session(stage: Stage) -> Session:
    session = stage.session(small_data(61))
    session.set_class_of_interest(1)
    return session


@pytest.fixture
def tab(session: Session, stage: Stage) -> EvaluateTab:
    tab = stage.show(EvaluateTab(session), 1100, 700)
    tab.all_metrics.setChecked(True)
    return tab


@pytest.fixture
def run(tab: EvaluateTab, session: Session, wait_until: Wait) -> Run:
    return judged(session, wait_until, ZeroR(), TrainingSet())


def text(tab: EvaluateTab, name: str) -> str:
    """What a label says, without links and marks."""
    shown = tab.findChild(QLabel, f"evaluate.{name}")
    return shown.plain if isinstance(shown, WorkedLabel) else shown.text()


def test_a_hidden_tab_computes_the_curve_before_it_is_visited(
    tab: EvaluateTab, session: Session, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Run, str]] = []
    monkeypatch.setattr(session.decisions.reports, "curve_of", lambda run, label: asked.append((run, label)))
    tab.hide()
    run = judged(session, wait_until, ZeroR(), TrainingSet())
    assert not asked
    wait_until(lambda: asked == [(run, "no")])


def working(tab: EvaluateTab) -> str:
    """The working that is open, as plain text."""
    return tab.findChild(QFrame, "evaluate.working").accessibleDescription()


def metric(tab: EvaluateTab, name: str, column: int = 1) -> str:
    for row in range(tab.metrics.rowCount()):
        if tab.metrics.item(row, 0).text() == name:
            return tab.metrics.item(row, column).text()
    raise AssertionError(name)


def click(table: QTableWidget, row: int, column: int) -> None:
    middle = table.visualItemRect(table.item(row, column)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=middle)


def test_without_a_run_the_way_to_one_is_shown(tab: EvaluateTab, session: Session) -> None:
    asked: list[str] = []
    session.tab_asked.connect(asked.append)
    button = tab.findChild(QPushButton, "evaluate.empty.make")
    assert button.isVisible()
    assert not tab.confusion.isVisible()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert asked == ["classify"]


def test_run_in_view_is_shown_in_numbers(tab: EvaluateTab, run: Run) -> None:
    assert tab.metrics.isVisible() and not tab.confusion.isVisible()
    assert metric(tab, "Accuracy") == "51%"
    assert metric(tab, wording.BASELINE_YES) == "51%"
    assert metric(tab, "Kappa") == "0.000"
    assert tab.metrics.horizontalHeaderItem(2).text() == "no"
    assert metric(tab, wording.RECALL, 2) == "0%"


def test_class_of_interest_changes_the_numbers_at_once(tab: EvaluateTab, run: Run, session: Session) -> None:
    session.set_class_of_interest(0)
    assert tab.metrics.horizontalHeaderItem(2).text() == "yes"
    assert metric(tab, wording.RECALL, 2) == "100%"


def test_click_on_an_underlined_number_opens_its_working(tab: EvaluateTab, run: Run) -> None:
    names = [tab.metrics.item(row, 0).text() for row in range(tab.metrics.rowCount())]
    assert tab.metrics.item(0, 1).font().underline()
    assert wording.CHOOSE_A_NUMBER in working(tab)
    click(tab.metrics, 0, 1)
    assert wording.ACCURACY_IN_HTML in text(tab, "working.words")
    assert wording.DECIDED_RIGHTLY in text(tab, "working.words")
    click(tab.metrics, names.index(wording.RECALL), 0)
    assert "TP / (TP + FN) = 0 / (0 + 30)" in working(tab)
    click(tab.metrics, names.index("AUC"), 1)
    assert wording.AUC_WORKED_OUT in working(tab)
    click(tab.metrics, names.index("AUC"), 2)
    assert wording.AUC_IN_PAIRS in working(tab)


def test_keys_reach_the_workings_too(tab: EvaluateTab, run: Run) -> None:
    assert tab.classes.isVisible()
    tab.classes.setCurrentCell(0, 1)
    QTest.keyClick(tab.classes, Qt.Key.Key_Right)
    assert "Recall" in working(tab)


def test_the_formula_of_a_measure_leads_to_its_glossary_entry(tab: EvaluateTab, run: Run) -> None:
    tab.classes.setCurrentCell(0, 1)
    QTest.keyClick(tab.classes, Qt.Key.Key_Right)
    assert f'href="{TERM}Recall"' in text(tab, "working.words")


def test_the_names_of_the_headline_and_the_heads_of_the_classes_are_terms(tab: EvaluateTab, run: Run) -> None:
    assert [cell.title.term for cell in tab.strip.cells] == ["Accuracy", "Precision", "Recall", "F1", "AUC"]
    header = tab.classes.horizontalHeader()
    assert isinstance(header, TermHeader)
    assert [header.term_of(section) for section in range(2, header.count())] == [
        "Recall",
        "Precision",
        "F",
        "AUC",
        "FPR",
    ]


def test_enter_opens_the_chosen_number_again_and_its_formula_is_copied(tab: EvaluateTab, run: Run) -> None:
    click(tab.metrics, 0, 1)
    press_link(tab.strip.cells[2].figure)
    assert working(tab).startswith("Recall")
    tab.metrics.setFocus()
    QTest.keyClick(tab.metrics, Qt.Key.Key_Return)
    assert working(tab).startswith("Accuracy")
    QTest.mouseClick(tab.findChild(QPushButton, "evaluate.working.copy"), Qt.MouseButton.LeftButton)
    assert QGuiApplication.clipboard().text().splitlines()[0] == evaluation_wording.accuracy_worked_out(31, 61, "51%")


def test_a_working_is_closed_again_and_opens_on_the_same_number(tab: EvaluateTab, run: Run) -> None:
    click(tab.metrics, 0, 1)
    close = tab.findChild(IconButton, "evaluate.working.close")
    assert close.isVisible()
    QTest.mouseClick(close, Qt.MouseButton.LeftButton)
    assert "=" not in working(tab)
    assert not close.isVisible()
    click(tab.metrics, 0, 1)
    assert working(tab).startswith("Accuracy")


def test_open_working_follows_the_threshold(tab: EvaluateTab, run: Run) -> None:
    click(tab.metrics, 0, 1)
    tab.curve.slider.setValue(0)
    assert working(tab).startswith(wording.ACCURACY_AT_OTHER_THRESHOLD)


def test_a_step_of_the_threshold_writes_new_words_into_the_cells_there_are(tab: EvaluateTab, run: Run) -> None:
    before, told = tab.metrics.item(0, 1), []
    tab.metrics.itemChanged.connect(lambda item: told.append((item.row(), item.column())))
    tab.curve.slider.setValue(0)
    assert tab.metrics.item(0, 1) is before
    assert before.text() == "49%"
    assert (0, 1) in told
    assert (0, 0) not in told, "a name that stays as it is, is not set"


def test_tables_shown_after_the_threshold_moved_are_current(tab: EvaluateTab, run: Run) -> None:
    tab.curve.slider.setValue(0)
    before = [tab.classes.item(row, 2).text() for row in range(2)]
    tab.all_metrics.setChecked(False)
    tab.curve.slider.setValue(1000)
    tab.all_metrics.setChecked(True)
    names = [tab.metrics.item(row, 0).text() for row in range(tab.metrics.rowCount())]
    recall = tab.metrics.item(names.index(wording.RECALL), 2).text()
    after = [tab.classes.item(row, 2).text() for row in range(2)]
    assert after != before
    assert recall in after


def test_working_of_a_class_follows_the_threshold_behind_the_whole(tab: EvaluateTab, run: Run) -> None:
    click(tab.metrics, 0, 1)
    tab.classes.setCurrentCell(0, 2)
    before = working(tab)
    tab.curve.slider.setValue(0)
    assert before.startswith("Recall")
    assert working(tab).startswith("Recall")
    assert working(tab) != before


def test_averages_stand_below_the_classes_however_they_are_sorted(tab: EvaluateTab, run: Run) -> None:
    for order in Qt.SortOrder:
        tab.classes.sortByColumn(1, order)
        assert tab.classes.item(2, 0).toolTip() == wording.AVERAGE_BY_RECORDS
        assert tab.classes.item(3, 0).toolTip() == wording.AVERAGE_BY_CLASSES
    tab.classes.setCurrentCell(2, 2)
    assert "Recall, average" in working(tab)


def test_classes_sort_by_number(tab: EvaluateTab, run: Run) -> None:
    tab.classes.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    assert [tab.classes.item(row, 0).text() for row in range(2)] == ["no", "yes"]
    tab.classes.sortByColumn(1, Qt.SortOrder.DescendingOrder)
    assert [tab.classes.item(row, 0).text() for row in range(2)] == ["yes", "no"]


def test_cell_of_the_matrix_is_chosen_by_mouse_and_keys_and_said_in_words(tab: EvaluateTab, run: Run) -> None:
    view = tab.findChild(ConfusionView, "evaluate.confusion")
    assert wording.MOST_OFTEN_NO_TAKEN_FOR_YES in text(tab, "sentence")
    x, y, width, height = view.layout_.cell(1, 0)
    QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(int(x + width / 2), int(y + height / 2)))
    assert view.cell == (1, 0)
    assert text(tab, "sentence") == wording.CELL_ALL_MISTAKEN
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Up)
    assert view.cell == (0, 0)
    assert view.accessibleDescription().startswith(wording.CELL_ALL_RIGHT)
    QTest.keyClick(view, Qt.Key.Key_Up)
    assert view.cell == (HEAD, 0)
    assert text(tab, "sentence") == wording.COLUMN_YES
    QTest.keyClick(view, Qt.Key.Key_Up)
    assert view.cell == (HEAD, 0)


def test_matrix_is_copied_and_has_a_table_for_a_twin(tab: EvaluateTab, run: Run) -> None:
    tab.all_metrics.setChecked(False)
    view = tab.findChild(ConfusionView, "evaluate.confusion")
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text() == wording.COPIED_MATRIX_OF_RUN
    choose_entry(tab, "evaluate.confusion.as-table")
    table = tab.findChild(QTableView, "evaluate.confusion.table")
    assert table.isVisible()
    assert table.model().index(1, 0).data() == "30"


def test_matrix_is_enlarged_by_keys_and_scrolls_to_the_chosen_cell(tab: EvaluateTab, run: Run) -> None:
    view = tab.findChild(ConfusionView, "evaluate.confusion")
    view.choose(1, 1)
    for _ in range(6):
        QTest.keyClicks(view, "+")
    assert view.horizontalScrollBar().maximum() > 0
    x, y, width, _ = view.layout_.cell(1, 1)
    assert x + width - view.horizontalScrollBar().value() <= view.viewport().width() + width
    assert y - view.verticalScrollBar().value() < view.viewport().height()
    QTest.keyClicks(view, "0")
    assert view.horizontalScrollBar().maximum() == 0


def test_costs_of_the_session_have_their_rows_and_workings(tab: EvaluateTab, run: Run, session: Session) -> None:
    session.set_costs(COSTS)
    assert metric(tab, wording.COST_PER_RECORD) == "4.918"
    names = [tab.metrics.item(row, 0).text() for row in range(tab.metrics.rowCount())]
    click(tab.metrics, names.index("Total cost"), 1)
    assert working(tab).splitlines()[0] == wording.TOTAL_COST_WORKED_OUT
    assert wording.PART_OF_TOTAL_COST in working(tab)
    session.set_costs(None)
    named = [tab.metrics.item(row, 0).text() for row in range(tab.metrics.rowCount())]
    assert not {wording.COST_PER_RECORD, "Total cost"} & set(named)


def test_costs_stay_while_another_run_comes_into_view(
    tab: EvaluateTab, run: Run, session: Session, wait_until: Wait
) -> None:
    session.set_costs(COSTS)
    session.start_run(ZeroR(), TrainingSet(), 2)
    second = session.current_run
    assert second is not None
    wait_until(lambda: not second.is_running)
    assert metric(tab, wording.COST_PER_RECORD) == "4.918"


def test_table_twin_keeps_the_rules_of_item_models(qapp: QApplication) -> None:
    model = ConfusionTable()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.set_matrix(("a", "b"), np.ones((2, 2)))
    assert model.headerData(1, Qt.Orientation.Horizontal) == "predicted b"


def test_columns_of_the_table_twin_are_as_wide_as_what_is_longest_in_them(tab: EvaluateTab, run: Run) -> None:
    table = tab.findChild(QTableView, "evaluate.confusion.table")
    model = table.model()
    assert isinstance(model, ConfusionTable)
    model.set_matrix(("a", "b"), np.array([[1234567.0, 2.0], [3.0, 4.0]]))
    advance = QFontMetrics(themes.font()).horizontalAdvance
    narrow = table.columnWidth(1)
    assert table.columnWidth(0) > advance("1,234,567")
    model.set_selected(np.array([[0.0, 2.0], [0.0, 0.0]]))
    assert table.columnWidth(1) > max(narrow, advance(wording.TWO_OF_TWO_SELECTED))


def test_in_a_tall_window_the_first_run_s_numbers_are_not_scrolled(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    """The height was shared before there was a line."""
    tab.resize(1500, 2600)
    session.start_run(ZeroR(), TrainingSet(), 1)
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running)
    wait_until(lambda: tab.metrics.rowCount() > 0 and tab.metrics.height() >= tab.metrics.content_height(), 30)
    assert tab.metrics.verticalScrollBar().maximum() == 0


def test_tab_seen_after_the_run_is_done_never_says_that_it_is_being_judged(
    tab: EvaluateTab, session: Session, wait_until: Wait
) -> None:
    tab.all_metrics.setChecked(False)
    tab.hide()
    session.start_run(ZeroR(), TrainingSet())
    started = session.current_run
    assert started is not None
    tab.refresh()
    head, button = tab._empty.head, tab.findChild(QPushButton, "evaluate.empty.make")
    assert head.text() == f"Testing {started.learner.name}"
    wait_until(lambda: started.is_judged)
    tab.show()
    assert head.text() == f"Run {started.number}, {started.learner.name}"
    assert not button.isVisible()
    assert tab._empty.words.text() == wording.WORKING_IT_OUT
    wait_until(tab.confusion.isVisible)


def test_pages_of_a_run_of_a_thousand_classes_count_each_class_once_and_name_no_pairs(
    stage: Stage, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A million cells and 499,500 pairs of classes are neither summed nor named one by one."""
    calls, k = Counter[type](), 1000

    def count(owner: type, name: str) -> None:
        counted = getattr(owner, name)

        def call(*given: Any, **named: Any) -> Any:
            calls[owner] += 1
            return counted(*given, **named)

        monkeypatch.setattr(owner, name, call)

    session = stage.session(small_data(k, tuple(f"c{code}" for code in range(k))))
    tab = stage.show(EvaluateTab(session), 1100, 700)
    for owner in (BinaryCounts, Term, FigureItem):
        count(owner, "__init__")
    judged(session, wait_until, ZeroR(), TrainingSet())
    tab.all_metrics.setChecked(True)
    for view in range(len(NAMES)):
        tab.pages.show_view(view)
        wait_until(lambda: not session.turns.is_busy)
        tab.grab()
    assert k <= calls[BinaryCounts] < 2 * k
    assert k <= calls[FigureItem] < 20 * k
    assert calls[Term] < 40 * k
    assert len(tab.findChildren(QWidget)) < 2 * k


class Painted(QObject):
    """What the matrix and the numbers say whenever either is painted."""

    def __init__(self, tab: EvaluateTab) -> None:
        super().__init__()
        self._tab = tab
        self.seen: list[tuple[str, str]] = []
        for widget in (tab.confusion.view, tab.strip):
            widget.installEventFilter(self)

    def now(self) -> tuple[str, str]:
        counts = self._tab.confusion.view.counts
        n = float(counts.sum())
        return percent(float(np.trace(counts)) / n, n), self._tab.strip.cells[0].figure.plain

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 (Qt's name)
        if event.type() is QEvent.Type.Paint:
            self.seen.append(self.now())
        return False


def test_matrix_and_numbers_of_another_run_are_seen_together(
    tab: EvaluateTab, run: Run, session: Session, wait_until: Wait
) -> None:
    tab.all_metrics.setChecked(False)
    other = judged(session, wait_until, C45(), TrainingSet())
    painted = Painted(tab)
    for shown in (run, other, run):
        session.set_current_run(shown)
        before = len(painted.seen)
        wait_until(lambda at=before: not session.turns.is_busy and len(painted.seen) > at)
        assert painted.now() == (percent(shown.report.accuracy, shown.report.n),) * 2
    assert len(set(painted.seen)) == 2 and all(matrix == number for matrix, number in painted.seen)


def test_what_is_found_about_a_run_that_comes_into_view_does_not_show_its_matrix_before_its_numbers(
    tab: EvaluateTab, run: Run, session: Session, wait_until: Wait
) -> None:
    tab.all_metrics.setChecked(False)
    other = judged(session, wait_until, C45(), TrainingSet())
    painted = Painted(tab)
    for shown in (run, other, run):
        session.set_current_run(shown)
        before = len(painted.seen)
        session.analyses.checks.changed.emit()
        wait_until(lambda at=before: not session.turns.is_busy and len(painted.seen) > at)
        assert painted.now() == (percent(shown.report.accuracy, shown.report.n),) * 2
    assert len(set(painted.seen)) == 2 and all(matrix == number for matrix, number in painted.seen)


def test_the_curve_of_a_run_on_another_table_is_not_drawn_with_the_classes_of_this_one(
    tab: EvaluateTab, run: Run, session: Session, stage: Stage, wait_until: Wait
) -> None:
    wait_until(lambda: bool(tab.findChild(CurvePane).view.plot.lines))
    tab.hide()
    stage.open(session, small_data(60, ("left", "right")))
    judged(session, wait_until, ZeroR(), TrainingSet())
    tab.findChild(CurvePane)._draw()  # as after a change of the text size
