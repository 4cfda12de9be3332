"""Tables of text: how their columns share the room."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QStyleOptionViewItem

from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait
from workbench.widgets.labels import NameDelegate
from workbench.widgets.tables import TextTable, shared

CLOUDS = [
    ["Term", "setosa", "versicolor", "virginica"],
    ["(share of all)", "33.3%", "33.3%", "33.3%"],
    ["Petal Width", "0.246 ± 0.105", "1.326 ± 0.198", "2.026 ± 0.275"],
    ["Sepal Length", "5.006 ± 0.352", "5.936 ± 0.516", "−6.588 ± 0.636"],
]


@pytest.mark.parametrize(
    ("least", "cells", "wanted", "room", "widths"),
    [
        ([10, 10, 10], [20, 20, 20], [20, 20, 20], 90, [30, 30, 30]),
        ([10, 10], [20, 20], [20, 20], 91, [46, 45]),
        ([10, 10, 10], [70, 20, 20], [70, 20, 20], 120, [70, 25, 25]),
        ([10, 50, 30], [90, 60, 30], [90, 60, 30], 130, [50, 50, 30]),
        ([10, 30, 30], [80, 30, 30], [80, 60, 60], 160, [80, 40, 40]),
        ([40, 50, 50], [90, 50, 50], [90, 60, 60], 100, [40, 50, 50]),
        ([], [], [], 100, []),
    ],
)
def test_columns_are_alike_where_all_is_whole_and_figures_come_before_words_and_these_before_heads(
    least: list[int], cells: list[int], wanted: list[int], room: int, widths: list[int]
) -> None:
    assert shared(least, cells, wanted, room) == widths


@pytest.mark.parametrize("width", [200, 265, 430, 900])
def test_a_figure_is_whole_at_any_width(stage: Stage, wait_until: Wait, width: int) -> None:
    table = stage.show(TextTable("clouds", "Clouds"), width, 300)
    table.show_rows(CLOUDS)
    delegate, model = table.itemDelegate(), table.model()
    assert isinstance(delegate, NameDelegate)
    for row in range(model.rowCount()):
        for column in range(1, 4):
            cell, index = QStyleOptionViewItem(), model.index(row, column)
            table.initViewItemOption(cell)
            cell.rect = table.visualRect(index)
            delegate.initStyleOption(cell, index)
            assert cell.text == index.data()
    room, taken = table.viewport().width(), sum(table.columnWidth(column) for column in range(4))
    assert taken >= room
    wait_until(lambda: table.horizontalScrollBar().maximum() == taken - room)


@pytest.mark.parametrize("width", [200, 430, 900])
def test_a_title_of_two_lines_is_whole_at_any_width(stage: Stage, width: int) -> None:
    """One line would be cut over narrow figures; copied it is one line again."""
    table = stage.show(TextTable("tests", "Tests"), width, 300)
    table.show_rows([("Learner", "Difference\n(simultaneous 95% CI)", "p"), ("C4.5", "0.1 (0 to 0.2)", "0.3")])
    header = table.horizontalHeader()
    assert table.columnWidth(1) >= header.sectionSizeHint(1)
    QTest.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines()[0].count("\t") == 2


@pytest.mark.parametrize("spare", [20, 0, -40, -120])
def test_a_long_name_gives_way_before_a_short_head_is_cut(stage: Stage, wait_until: Wait, spare: int) -> None:
    table = TextTable("changes", "What changes")
    figures = "56.1%", "56.1%", "0"
    table.show_rows([("", "Default", "By cost", "Change"), ("Precision (confirmed by a second reader)", *figures)])
    stage.show(table, 900, 300)
    head = table.horizontalHeader()
    needed = table.sizeHintForColumn(0) + sum(head.sectionSizeHint(column) for column in (1, 2, 3))
    table.resize(needed + spare + 2 * table.frameWidth(), 300)
    wait_until(lambda: sum(map(table.columnWidth, range(4))) == table.viewport().width())
    assert all(table.columnWidth(column) >= head.sectionSizeHint(column) for column in (1, 2, 3))
