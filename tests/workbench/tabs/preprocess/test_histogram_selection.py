"""The bars of the histogram set the window's selection and show it, by mouse and keys."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTableView

from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Schema, nominal, numeric
from tests.expected_texts import tabs_preprocess as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import ALT, CONTROL, LEFT, NONE, SHIFT, Wait, choose_entry
from workbench.session.session import Session
from workbench.style.theme import class_color, current_theme
from workbench.tabs.preprocess.attributes.histogram import HistogramPlot
from workbench.tabs.preprocess.tab import PreprocessTab


def shirts() -> Dataset:
    """Ages 20 to 24, eight of each; 50 sizes, of which the plot shows 40."""
    ages = [float(20 + i % 5) for i in range(40)]
    schema = Schema(
        (numeric("age"), nominal("size", [f"s{i}" for i in range(50)]), nominal("risk", ["low", "high"])), 2
    )
    return Dataset(schema, [ages, np.arange(40) + 10, [i % 2 for i in range(40)]], origin=DataOrigin("shirts"))


@pytest.fixture
def tab(session: Session, stage: Stage) -> PreprocessTab:
    tab = stage.show(PreprocessTab(session), 1280, 900)
    stage.open(session, shirts())
    return tab


@pytest.fixture
def plot(tab: PreprocessTab, wait_until: Wait) -> HistogramPlot:
    wait_until(lambda: tab.findChild(HistogramPlot, "preprocess.histogram") is not None)
    found = tab.findChild(HistogramPlot, "preprocess.histogram")
    assert found is not None
    wait_until(lambda: found.isVisible() and found.shown is not None)
    QTest.qWait(50)
    return found


def click(plot: HistogramPlot, bin: int, keys: Qt.KeyboardModifier = NONE) -> None:
    QTest.mouseClick(plot.viewport(), LEFT, keys, plot.bin_center(bin))


def ages(session: Session) -> set[float]:
    """The ages of the selected records; each age is selected whole or not at all."""
    assert session.data is not None
    rows = session.selection.rows_of(session.data)
    found = set(session.data.column("age")[rows].tolist())
    assert len(rows) == 8 * len(found)
    return found


def test_a_click_on_a_bar_selects_its_records(plot: HistogramPlot, session: Session) -> None:
    click(plot, 1)
    assert ages(session) == {21.0}
    assert session.selection.sources == (wording.SOURCE_IS_ONE_BAR,)
    click(plot, 3)
    assert ages(session) == {23.0}


def test_held_keys_add_turn_over_and_take_away(plot: HistogramPlot, session: Session) -> None:
    click(plot, 0)
    click(plot, 2, SHIFT)
    assert ages(session) == {20.0, 22.0}
    click(plot, 4, CONTROL)
    click(plot, 0, CONTROL)
    assert ages(session) == {22.0, 24.0}
    click(plot, 4, ALT)
    assert ages(session) == {22.0}


def test_a_drag_selects_every_bar_it_goes_over(plot: HistogramPlot, session: Session) -> None:
    QTest.mousePress(plot.viewport(), LEFT, NONE, plot.bin_center(3))
    QTest.mouseMove(plot.viewport(), plot.bin_center(2))
    QTest.mouseMove(plot.viewport(), plot.bin_center(1))
    QTest.mouseRelease(plot.viewport(), LEFT, NONE, plot.bin_center(1))
    assert ages(session) == {21.0, 22.0, 23.0}
    assert session.selection.sources == (wording.SOURCE_IS_THREE_BARS,)


def test_a_click_beside_the_bars_selects_nothing(plot: HistogramPlot, session: Session) -> None:
    click(plot, 0)
    QTest.mouseClick(plot.viewport(), LEFT, NONE, QPoint(4, plot.height() // 2))
    assert len(session.selection) == 0


def test_keys_walk_along_the_bars_and_select(plot: HistogramPlot, session: Session) -> None:
    plot.setFocus()
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Right):
        QTest.keyClick(plot, key)
    assert plot.accessibleDescription() == wording.BAR_OF_8
    QTest.keyClick(plot, Qt.Key.Key_Space)
    assert ages(session) == {22.0}
    assert plot.accessibleDescription().endswith(wording.ALL_OF_BAR_SELECTED)
    QTest.keyClick(plot, Qt.Key.Key_Right, SHIFT)
    assert ages(session) == {22.0, 23.0}
    QTest.keyClick(plot, Qt.Key.Key_End)
    QTest.keyClick(plot, Qt.Key.Key_Return, CONTROL)
    assert ages(session) == {22.0, 23.0, 24.0}


def test_the_share_selected_anywhere_is_seen_in_the_bars(plot: HistogramPlot, session: Session) -> None:
    assert session.data is not None
    session.selection.select(session.data, np.array([0, 5, 10, 1]))
    counts = plot.selected
    assert counts is not None and counts.sum(axis=1).tolist() == [3, 1, 0, 0, 0]
    image = plot.viewport().grab().toImage()

    def colour(bin: int, high: float) -> QColor:
        at = plot.mapFromScene(plot.getViewBox().mapViewToScene(QPointF(bin + 0.5, high)))
        return image.pixelColor(at)

    low = class_color(0)
    assert colour(0, 0.8) == low and colour(2, 0.8) != low
    assert colour(2, 0.8) != current_theme().color("pane")
    top, foot = (plot.mapFromScene(plot.getViewBox().mapViewToScene(QPointF(0.5, high))) for high in (3.0, 0.0))
    lined = [y for y in range(top.y() - 4, foot.y()) if image.pixelColor(top.x(), y) == current_theme().color("text")]
    assert lined and abs(min(lined) - top.y()) <= 1, "the line ends where the axis says, within the selected records"


def test_the_table_says_how_many_are_selected_and_selects_by_keys(
    plot: HistogramPlot, tab: PreprocessTab, session: Session
) -> None:
    table = tab.findChild(QTableView, "preprocess.counts")
    assert table is not None
    choose_entry(tab, "preprocess.as-table")
    assert table.model().columnCount() == 4
    QTest.mouseClick(table.viewport(), LEFT, NONE, table.visualRect(table.model().index(1, 0)).center())
    QTest.keyClick(table, Qt.Key.Key_Down, SHIFT)
    QTest.keyClick(table, Qt.Key.Key_Space)
    assert ages(session) == {21.0, 22.0}
    assert table.model().columnCount() == 5
    assert [table.model().index(row, 4).data() for row in range(5)] == ["0", "8", "8", "0", "0"]
    assert table.counts.as_text().startswith(wording.COPIED_COUNTS_WITH_SELECTED)  # type: ignore[attr-defined]
    session.selection.clear()
    assert table.model().columnCount() == 4


def test_values_that_only_the_table_has_are_selected_there(
    plot: HistogramPlot, tab: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    tab.attributes.view.setCurrentIndex(tab.attributes.view.model().index(1, 0))
    table = tab.findChild(QTableView, "preprocess.counts")
    assert table is not None
    wait_until(lambda: table.model().rowCount() == 50)
    choose_entry(tab, "preprocess.as-table")
    table.setCurrentIndex(table.model().index(49, 0))
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert session.data is not None
    assert session.selection.rows_of(session.data).tolist() == [39]


def test_records_that_are_removed_leave_the_bars(plot: HistogramPlot, session: Session, wait_until: Wait) -> None:
    click(plot, 1)
    assert session.data is not None
    session.edit("Remove", session.data.without(np.arange(1, 40, 5)))
    wait_until(lambda: plot.shown is not None and not plot.shown.counts[1].any())
    assert plot.selected is None
    session.undo_stack.undo()
    wait_until(lambda: plot.shown is not None and bool(plot.shown.counts[1].any()))
    assert plot.selected is not None and plot.selected.sum(axis=1).tolist() == [0, 8, 0, 0, 0]
