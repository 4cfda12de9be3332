"""The scatter matrix over a real session, by mouse and keys."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QBuffer, QPoint, Qt
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox

from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.trees.c45 import C45
from tests.workbench.many_axes_helpers import (
    act,
    corner,
    drag,
    mixed_table,
    opened,
    rest,
    said,
    selected,
    values,
    wheel,
)
from tests.workbench.window_helpers import ALT, CONTROL, LEFT, NONE, RIGHT, SHIFT, Wait, press
from workbench.layout.ticks import ticks
from workbench.session.session import Session
from workbench.tabs.visualize.scatter.many_axes_panes import ScatterMatrixPane
from workbench.tabs.visualize.scatter.records_views import MATRIX
from workbench.tabs.visualize.tab import VisualizeTab


@pytest.fixture
def matrix(session: Session, tab: VisualizeTab, wait_until: Wait) -> ScatterMatrixPane:
    pane = opened(session, tab, MATRIX, mixed_table(), wait_until)
    assert isinstance(pane, ScatterMatrixPane)
    return pane


def test_a_rectangle_in_a_cell_selects_and_lights_in_all(session: Session, matrix: ScatterMatrixPane) -> None:
    canvas = matrix.matrix.matrix
    window = canvas.seen_in((0, 1))
    drag(canvas, corner(canvas, (0, 1), 0.05, 0.05), corner(canvas, (0, 1), 0.5, 0.5))
    chosen = selected(session)
    first, second = canvas.places.scales[0], canvas.places.scales[1]  # type: ignore[union-attr]
    left, high = window.to_unit(0.05 * window.width, 0.05 * window.height)
    right, low = window.to_unit(0.5 * window.width, 0.5 * window.height)
    x, y = second.units(values(session, "second")), first.units(values(session, "first"))
    slack = 0.01  # a pixel of the rectangle
    sure = (x > left + slack) & (x < right - slack) & (y > low + slack) & (y < high - slack)
    may = (x > left - slack) & (x < right + slack) & (y > low - slack) & (y < high + slack)
    assert sure.any() and set(np.flatnonzero(sure)) <= set(chosen) <= set(np.flatnonzero(may))
    lit = canvas.lit
    assert lit is not None and sorted(canvas.places.rows[lit].tolist()) == chosen  # type: ignore[union-attr]
    held = canvas.scene.bars[0].lit
    assert held is not None and held.counts.sum() == len(chosen)


def test_keys_held_while_a_rectangle_is_drawn_add_and_take_away(session: Session, matrix: ScatterMatrixPane) -> None:
    canvas = matrix.matrix.matrix
    whole = corner(canvas, (0, 3), 0.01, 0.01), corner(canvas, (0, 3), 0.99, 0.99)
    drag(canvas, corner(canvas, (0, 3), 0.01, 0.5), whole[1])
    below = selected(session)
    drag(canvas, *whole, keys=SHIFT)
    assert len(selected(session)) == 300
    drag(canvas, corner(canvas, (0, 3), 0.01, 0.5), whole[1], keys=ALT)
    assert selected(session) == sorted(set(range(300)) - set(below))
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert not selected(session) and canvas.lit is None


def test_a_range_on_the_diagonal_selects_by_one_attribute(session: Session, matrix: ScatterMatrixPane) -> None:
    canvas = matrix.matrix.matrix
    at = matrix.shown_attributes.index("color")
    drag(canvas, corner(canvas, (at, at), 0.01, 0.8), corner(canvas, (at, at), 0.33, 0.9))
    assert selected(session) == np.flatnonzero(values(session, "color") == 0).tolist()


def test_zoom_is_shared_by_the_row_and_the_column(matrix: ScatterMatrixPane) -> None:
    canvas = matrix.matrix.matrix
    before = canvas.scene.ranges
    wheel(canvas, corner(canvas, (0, 1), 0.5, 0.5), 3)
    after = canvas.scene.ranges
    assert after[2:] == before[2:]
    for axis in (0, 1):
        assert after[axis][1] - after[axis][0] < 0.7 * (before[axis][1] - before[axis][0])
    assert canvas.seen_in((3, 1)).left == after[1][0] and canvas.seen_in((1, 2)).low == after[1][0]
    drag(canvas, corner(canvas, (0, 1), 0.5, 0.5), corner(canvas, (0, 1), 0.7, 0.5), button=RIGHT)
    assert canvas.scene.ranges[1][0] < after[1][0] and canvas.scene.ranges[0] == after[0]
    QTest.keyClick(canvas, Qt.Key.Key_F)
    assert canvas.scene.ranges == before


def test_numbers_below_neighbouring_columns_never_run_together(matrix: ScatterMatrixPane) -> None:
    canvas = matrix.matrix.matrix
    made, scene, n_seen = canvas._painter, canvas.scene, 0
    assert scene.places is not None
    ends = [[unit for unit, _ in ticks(scale, 0.0, 1.0, 3)] for scale in scene.places.scales]
    for beyond in (0.0, 0.005, 0.01, 0.015, 0.02, 0.03):  # the first and the last number stand near the cell's edges
        for width in (700, 1000):
            written, svg = QBuffer(), QSvgGenerator()
            svg.setOutputDevice(written)
            painter = QPainter(svg)
            grid = made.grid(scene.places, width, 500)
            zoomed = tuple((units[0] - beyond, units[-1] + beyond) for units in ends)
            made.paint(painter, replace(scene, ranges=zoomed, layers={}), grid, vector=True)
            painter.end()
            texts = re.findall(
                r'<text[^>]* x="([^"]+)" y="([^"]+)"[^>]*>([^<]+)</text>', written.data().data().decode()
            )
            below = max(float(y) for _, y, _ in texts)
            numbers = sorted((float(x), words.strip()) for x, y, words in texts if float(y) == below)
            for (x, words), (after, _) in pairwise(numbers):
                assert after - x - made.metrics.horizontalAdvance(words) > 4, (width, beyond, words)
            n_seen += len(numbers)
    assert n_seen > 50


def test_a_pair_is_opened_in_the_scatter_plot_by_mouse_and_by_keys(
    session: Session, tab: VisualizeTab, matrix: ScatterMatrixPane, wait_until: Wait
) -> None:
    canvas = matrix.matrix.matrix
    names = matrix.shown_attributes
    across, up = tab.findChild(QComboBox, "visualize.x"), tab.findChild(QComboBox, "visualize.y")
    assert across is not None and up is not None
    opener = canvas._painter.opener(canvas._area((2, 0))).center()
    QTest.mouseMove(canvas, opener.toPoint())
    QTest.mouseClick(canvas, LEFT, NONE, opener.toPoint())
    assert (across.currentText(), up.currentText()) == (names[0], names[2]) and not matrix.isVisible()
    press(tab, "visualize.show-matrix")
    canvas.setFocus()
    canvas.set_focus_cell((0, 0))
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        QTest.keyClick(canvas, key)
    assert canvas.accessibleDescription() == f"{names[1]} over {names[2]}"
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    assert (across.currentText(), up.currentText()) == (names[2], names[1])


def test_keys_zoom_a_cell_and_select_what_it_shows(session: Session, matrix: ScatterMatrixPane) -> None:
    canvas = matrix.matrix.matrix
    canvas.setFocus()
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    QTest.keyClick(canvas, Qt.Key.Key_Right)
    assert canvas.focus_cell == (0, 1)
    QTest.keyClick(canvas, Qt.Key.Key_Space)
    everywhere = selected(session)
    assert everywhere == np.flatnonzero(~np.isnan(values(session, "second"))).tolist()
    for _ in range(4):
        QTest.keyClicks(canvas, "+")
    QTest.keyClick(canvas, Qt.Key.Key_Space)
    assert 0 < len(selected(session)) < len(everywhere)
    QTest.keyClick(canvas, Qt.Key.Key_Left, CONTROL)
    assert canvas.scene.ranges[1][0] < canvas.scene.ranges[1][1]


def test_pointing_at_a_record_tells_what_it_is(matrix: ScatterMatrixPane, wait_until: Wait) -> None:
    canvas = matrix.matrix.matrix
    assert canvas.places is not None
    points, window = canvas.places.pair(1, 0), canvas.seen_in((0, 1))
    at = int(np.argmax(points.y))
    px, py = window.to_pixel(float(points.x[at]), float(points.y[at]))
    area = canvas._area((0, 1))
    QTest.mouseMove(canvas, QPoint(round(area.x() + px), round(area.y() + py)))
    wait_until(lambda: matrix.view.card.isVisible())
    row = int(points.rows[at])
    assert f"Record {row + 1} is " in matrix.view.card.html and "first: " in matrix.view.card.html


def test_one_record_is_selected_by_a_click_and_none_beside(session: Session, matrix: ScatterMatrixPane) -> None:
    canvas = matrix.matrix.matrix
    assert canvas.places is not None
    points, window, area = canvas.places.pair(1, 0), canvas.seen_in((0, 1)), canvas._area((0, 1))
    at = int(np.argmax(points.y))
    px, py = window.to_pixel(float(points.x[at]), float(points.y[at]))
    QTest.mouseClick(canvas, LEFT, NONE, QPoint(round(area.x() + px), round(area.y() + py)))
    assert selected(session) == [int(points.rows[at])]
    QTest.mouseClick(canvas, LEFT, NONE, corner(canvas, (0, 1), 0.98, 0.98).toPoint())
    assert not selected(session)


def test_wrong_records_are_marked_counted_and_shown_alone(
    session: Session, matrix: ScatterMatrixPane, wait_until: Wait
) -> None:
    session.start_run(C45(), CrossValidation(folds=3))
    wait_until(lambda: session.current_run is not None and not session.current_run.is_running, 90)
    rest(session, matrix, wait_until)
    run = session.current_run
    assert run is not None and run.result is not None and matrix.view.places is not None
    n_wrong = int(np.count_nonzero(~run.result.right))
    wait_until(lambda: f"{n_wrong} wrong" in said(matrix))
    marked = matrix.view.canvas.grab().toImage()
    act(matrix, "Mark misclassified records")
    assert matrix.view.canvas.grab().toImage() != marked
    act(matrix, "Misclassified records only")
    rest(session, matrix, wait_until)
    assert len(matrix.view.places) == n_wrong and f"{n_wrong} wrong" in said(matrix)


def test_the_selection_of_another_view_is_lit(session: Session, matrix: ScatterMatrixPane) -> None:
    assert session.data is not None
    session.selection.select(session.data, np.array([3, 5]))
    canvas = matrix.view.canvas
    assert canvas.lit is not None and canvas.places is not None
    assert sorted(canvas.places.rows[canvas.lit].tolist()) == [3, 5]
    session.selection.clear()
    assert canvas.lit is None
