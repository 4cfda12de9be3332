"""Tables of text: how their columns share the room."""

from __future__ import annotations

import pytest

from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait
from workbench.parts.text_table import TextTable, shared

CLOUDS = [
    ["Term", "setosa", "versicolor", "virginica"],
    ["(share of all)", "33.3%", "33.3%", "33.3%"],
    ["Petal Width", "0.246 ± 0.105", "1.326 ± 0.198", "2.026 ± 0.275"],
    ["Sepal Length", "5.006 ± 0.352", "5.936 ± 0.516", "−6.588 ± 0.636"],
]


@pytest.mark.parametrize(
    ("least", "wanted", "room", "widths"),
    [
        ([10, 10, 10], [20, 20, 20], 90, [30, 30, 30]),
        ([10, 10], [20, 20], 91, [46, 45]),
        ([10, 10, 10], [70, 20, 20], 120, [70, 25, 25]),
        ([10, 50, 30], [90, 60, 30], 130, [50, 50, 30]),
        ([40, 50, 50], [90, 60, 60], 100, [40, 50, 50]),
        ([], [], 100, []),
    ],
)
def test_columns_are_alike_where_all_is_whole_and_figures_come_before_words(
    least: list[int], wanted: list[int], room: int, widths: list[int]
) -> None:
    assert shared(least, wanted, room) == widths


@pytest.mark.parametrize("width", [200, 265, 430, 900])
def test_a_figure_is_whole_at_any_width(stage: Stage, wait_until: Wait, width: int) -> None:
    table = stage.show(TextTable("clouds", "Clouds"), width, 300)
    table.show_rows(CLOUDS)
    for column in range(4):
        figures = [row[column] for row in CLOUDS[1:]]
        needed = max(table.fontMetrics().horizontalAdvance(figure) for figure in figures)
        assert column == 0 or table.columnWidth(column) > needed
    room, taken = table.viewport().width(), sum(table.columnWidth(column) for column in range(4))
    assert taken >= room
    wait_until(lambda: table.horizontalScrollBar().maximum() == taken - room)
