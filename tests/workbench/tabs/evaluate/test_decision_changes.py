"""The table of what a decision rule changes, and the sentence beside it."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from tests.expected_texts import tabs_evaluate as wording
from tests.workbench.stage import Stage
from tests.workbench.tabs.evaluate.cost_boards import changes
from workbench.style.theme import current_theme, themes
from workbench.tabs.evaluate.costs.decision_changes import POSITIVE, ChangesTable, change_rows, changes_sentence
from workbench.widgets.layouts import column_layout


def test_costs_of_millions_are_whole_in_the_table_of_changes(board, session, wait_until):
    board.editor.table.type_in(1, 0, "3000000")
    board.editor.table.type_in(0, 1, "2000000")
    wait_until(lambda: not board.is_busy and len(changes(board)["Total cost"][0]) > 9)
    table = board.changes
    wait_until(lambda: table.horizontalScrollBar().maximum() == 0)
    metrics = table.fontMetrics()
    for column in range(table.model().columnCount()):
        widest = max(metrics.horizontalAdvance(cells[column]) for cells in table.model().rows[1:])
        assert widest + table.around <= table.columnWidth(column)
    assert table.rowViewportPosition(5) + table.rowHeight(5) <= table.viewport().height()


def test_the_mistakes_of_a_class_named_no_are_not_read_as_none() -> None:
    before, now = np.array([[5.0, 2.0], [1.0, 8.0]]), np.array([[6.0, 1.0], [1.0, 8.0]])
    assert changes_sentence(before, now, 0, "no") == wording.ONE_FALSE_NEGATIVE_FEWER_OF_NO
    assert changes_sentence(before, before, 0, "no") == wording.BOTH_STAY


def test_the_change_of_a_measure_is_that_of_the_percentages_shown() -> None:
    before, now = np.array([[812.0, 188.0], [169.0, 831.4]]), np.array([[812.0, 188.0], [170.6, 829.8]])
    rows = {name: (was, becomes, change) for name, was, becomes, change in change_rows(before, now, (1.0, 1.0), 1)}
    assert rows["Recall"] == ("83.1%", "82.9%", "−0.2 points"), "of 0.16 points"
    total, *_ = change_rows(before, now, (439_497.6, 47_552.4), 1)
    assert total == ("Total cost", "439,498", "47,552", "≈−391,945"), "of 391,945.2"
    assert rows["Precision"] == ("81.56%", "81.53%", "−0.03 points"), "0.1 would be three times the change"
    same = {name: change for name, *_, change in change_rows(before, before + 1e-4, (1.0, 1.0), 1)}
    assert same["Recall"] == same["Accuracy"] == "0"


def test_a_cost_per_record_has_the_decimals_that_show_its_change() -> None:
    """0.174 and 0.173 with a change of about 0 contradicted each other, as did 82.6%, 82.7%."""
    before, now = (
        np.array([[90_000.0, 10_000.0], [24_702.0, 75_298.0]]),
        np.array([[90_021.0, 9_979.0], [24_702.0, 75_298.0]]),
    )
    rows = {
        name: (was, becomes, change) for name, was, becomes, change in change_rows(before, now, (34_702.0, 34_668.0), 1)
    }
    assert rows[wording.COST_PER_RECORD] == ("0.1735", "0.1733", "−0.0002")
    assert rows["Accuracy"] == ("82.65%", "82.66%", "+0.01 points"), "21 of 200,000 records"
    all_right, one_wrong = np.diag([20_000.0, 5_000.0]), np.array([[20_000.0, 0.0], [1.0, 4_999.0]])
    assert change_rows(all_right, one_wrong, (1.0, 1.0), 1)[-1][1:] == ("100.000%", "99.996%", "−0.004 points")


def test_the_errors_of_three_classes_add_up() -> None:
    before = np.array([[49.0, 1.0, 0.0], [0.0, 48.0, 2.0], [0.0, 5.0, 45.0]])
    rows = {name: cells for name, *cells in change_rows(before, before, (8.0, 8.0), 2)}
    errors = [rows[name][0] for name in ("False negatives", "False positives", wording.OTHER_ERRORS)]
    assert errors == ["5", "2", "1"] and rows["Total cost"][0] == "8", "nothing explained the eighth"
    two = change_rows(before[1:, 1:], before[1:, 1:], (7.0, 7.0), 1)
    assert wording.OTHER_ERRORS not in {name for name, *_ in two}


@pytest.mark.parametrize("scale", [1.0, 1.5])
def test_no_column_of_the_changes_is_cut_inside(stage: Stage, scale: float) -> None:
    themes.set_scale(scale)
    table = ChangesTable()
    figures = ("Total cost", "12,345,678,901", "12,345,678,902", "+1"), ("Recall", "83.0649%", "83.0652%", "+0.0003")
    holder = QWidget()
    column_layout(table, 1, inside=holder)
    table.show_rows([("", "Default", "18.2534%", "Change"), *figures])
    stage.show(holder, 700, 300)
    for width in (700, 420, 333, 260):
        holder.resize(width, 300)
        QTest.qWait(1)
        room, bar = table.viewport().width(), table.horizontalScrollBar()
        bar.setValue(bar.minimum())
        starts = [table.columnViewportPosition(column) for column in range(4)]
        ends = [start + table.columnWidth(column) for column, start in enumerate(starts)]
        assert all(end <= room or start >= room for start, end in zip(starts, ends, strict=True)), (width, starts, ends)
        assert all(table.columnWidth(column) >= table.sizeHintForColumn(column) for column in (1, 2, 3)) or width < 300
    themes.set_scale(1.0)


def test_a_difference_that_is_not_the_true_one_is_marked() -> None:
    before = np.array([[90_000.0, 10_000.0], [5_485.0, 94_515.0]])
    now = np.array([[90_000.0, 10_000.0], [4_439.0, 95_561.0]])
    rows = {name: cells for name, *cells in change_rows(before, now, (8.0, 6.5), 1)}
    assert rows["Recall"] == ["94.515%", "95.561%", "+1.046 points"], "not +1.04 by 94.52 and 95.56"
    first, then = np.array([[600.0, 0.0], [110.0, 90.0]]), np.array([[453.0, 147.0], [110.0, 90.0]])
    assert change_rows(first, then, (1.0, 1.0), 1)[-1] == ("Accuracy", "86.25%", "67.88%", "−18.37 points"), "of 18.375"
    assert rows["Total cost"] == ["8", "6.5", "−1.5"]
    assert change_rows(first, then, (400.0, 320.0), 1)[1] == (wording.COST_PER_RECORD, "0.5", "0.4", "−0.1")
    table = ChangesTable()
    table.show_rows([("", "Default", "By cost", "Change"), *change_rows(before, now, (439_497.6, 47_552.4), 1)])
    change = table.model().index(0, 3)
    assert change.data(Qt.ItemDataRole.ToolTipRole) == wording.NOT_ROUNDED
    assert change.data(Qt.ItemDataRole.ForegroundRole) == current_theme().color("good")


def test_the_class_of_recall_makes_the_table_of_changes_no_wider(qapp: QApplication) -> None:
    table, widths = ChangesTable(), []
    for label in ("ill", "diagnosis confirmed by a second reader"):
        rows = change_rows(np.diag([50.0, 50.0]), np.diag([50.0, 50.0]), (0.0, 0.0), 1)
        table.show_rows([(POSITIVE.format(label=label), "Default", "By cost", "Change"), *rows])
        widths.append(table.needed_width(1000))
        table.resize(widths[-1], 300)
        assert table.columnWidth(0) >= table.sizeHintForColumn(0), "no name of a figure is cut"
    assert widths[0] == widths[1]
