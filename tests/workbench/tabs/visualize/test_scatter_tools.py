"""The lasso and the regions of the scatter plot select records, by mouse and keys."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QMenu

from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.tabs.visualize.scatter_helpers import pane_of, rest
from tests.workbench.window_helpers import LEFT, NONE, SHIFT, Wait
from workbench.session.session import Session
from workbench.tabs.visualize.scatter.records_views import ScatterPane
from workbench.tabs.visualize.tab import VisualizeTab
from workbench.viewers.scatter.scatter_canvas import Tool


def pixel(pane: ScatterPane, x: float, y: float) -> QPoint:
    """The pixel of a place in units of the axes."""
    canvas = pane.view.canvas
    px, py = canvas.window_seen.to_pixel(x, y)
    return QPoint(round(canvas.area.x() + px), round(canvas.area.y() + py))


def draw(pane: ScatterPane, corners: list[tuple[float, float]], keys: Qt.KeyboardModifier = NONE) -> None:
    """Draw a line through these places by hand."""
    canvas, places = pane.view.canvas, [pixel(pane, x, y) for x, y in corners]
    QTest.mousePress(canvas, LEFT, keys, places[0])
    for place in places[1:]:
        QTest.mouseMove(canvas, place)
    QTest.mouseRelease(canvas, LEFT, keys, places[-1])


def selected(session: Session) -> set[int]:
    assert session.data is not None
    return set(session.selection.rows_of(session.data).tolist())


def choose(pane: ScatterPane, words: str) -> None:
    menu = pane.window().findChild(QMenu, "visualize.scatter-tool.menu")
    assert menu is not None
    action = next(action for action in menu.actions() if action.text().startswith(words))
    assert action.isEnabled()
    action.trigger()


SETOSA_REGION = set(range(50))
"""Record 44 lies on the edge and is spread on its own side of it."""

AROUND_LOW_LEFT = [(-0.1, -0.1), (0.3, -0.1), (0.3, 0.3), (-0.1, 0.3)]


def test_what_a_lasso_goes_around_is_selected(session: Session, iris: ScatterPane) -> None:
    iris.view.canvas.setFocus()
    QTest.keyClick(iris.view.canvas, Qt.Key.Key_L)
    assert iris.view.canvas.tool is Tool.LASSO is iris.tools.tool
    draw(iris, AROUND_LOW_LEFT)
    assert selected(session) == set(range(50))
    assert session.selection.sources == (wording.SOURCE_IS_LASSO,)


def in_the_bay_shape(pane: ScatterPane, grown: float) -> set[int]:
    """The records in a square with a bay from above, its edges moved outwards by so many pixels."""
    points, seen = pane.view.points, pane.view.canvas.window_seen
    assert points is not None
    dx, dy = grown / seen.per_x, grown / seen.per_y
    band = (points.x > 0.3 - dx) & (points.y > 0.4 - dy)
    bay = (points.x > 0.5 + dx) & (points.x < 0.8 - dx) & (points.y > 0.5 + dy)
    return set(points.rows[band & ~bay].tolist())


def test_a_bay_of_the_lasso_is_left_out_and_shift_adds(session: Session, iris: ScatterPane) -> None:
    choose(iris, "Draw round")
    draw(iris, [(0.3, 0.4), (1.05, 0.4), (1.05, 1.05), (0.8, 1.05), (0.8, 0.5), (0.5, 0.5), (0.5, 1.05), (0.3, 1.05)])
    surely, perhaps = in_the_bay_shape(iris, -2), in_the_bay_shape(iris, 2)
    assert surely and surely <= selected(session) <= perhaps
    assert len(perhaps) < len(set(range(50, 150)))
    draw(iris, AROUND_LOW_LEFT, SHIFT)
    assert surely | set(range(50)) <= selected(session) <= perhaps | set(range(50))


def test_escape_gives_the_lasso_up(session: Session, iris: ScatterPane) -> None:
    canvas = iris.view.canvas
    canvas.setFocus()
    QTest.keyClick(canvas, Qt.Key.Key_L)
    QTest.mousePress(canvas, LEFT, NONE, pixel(iris, 0, 0))
    QTest.mouseMove(canvas, pixel(iris, 0.3, 0.1))
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    QTest.mouseMove(canvas, pixel(iris, 0.3, 0.3))
    QTest.mouseRelease(canvas, LEFT, NONE, pixel(iris, 0, 0.3))
    assert selected(session) == set()


def test_a_click_still_selects_one_record_with_the_lasso(session: Session, iris: ScatterPane) -> None:
    choose(iris, "Draw round")
    points = iris.view.points
    assert points is not None
    at = int(np.argmax(points.x + points.y))
    QTest.mouseClick(iris.view.canvas, LEFT, NONE, pixel(iris, float(points.x[at]), float(points.y[at])))
    assert len(selected(session)) == 1


def test_a_click_on_a_region_selects_its_records(session: Session, iris: ScatterPane) -> None:
    choose(iris, "Click a region")
    QTest.mouseClick(iris.view.canvas, LEFT, NONE, pixel(iris, 0.05, 0.8))
    assert selected(session) == SETOSA_REGION
    assert session.selection.sources == (wording.SOURCE_IS_REGION,)


def test_the_region_of_the_record_in_focus_is_selected_by_a_key(session: Session, iris: ScatterPane) -> None:
    points = iris.view.points
    assert points is not None
    iris.view.canvas.setFocus()
    iris.view.canvas.set_focus_point(int(np.argmin(points.x)))
    QTest.keyClick(iris.view.canvas, Qt.Key.Key_R)
    assert selected(session) == SETOSA_REGION


def test_without_regions_a_rectangle_is_dragged(session: Session, iris: ScatterPane, tab: VisualizeTab) -> None:
    choose(iris, "Click a region")
    button = tab.findChild(QAbstractButton, "visualize.boundary")
    assert button is not None
    QTest.mouseClick(button, LEFT)
    assert iris.tools.tool is Tool.RECTANGLE is iris.view.canvas.tool
    draw(iris, [(-0.1, -0.1), (0.1, 0.2), (0.3, 0.3)])
    assert selected(session) == set(range(50))


def test_the_picture_is_dragged_and_nothing_selected(session: Session, iris: ScatterPane) -> None:
    choose(iris, "Drag to move")
    before = iris.view.canvas.window_seen
    draw(iris, [(0.5, 0.5), (0.6, 0.5), (0.7, 0.5)])
    assert iris.view.canvas.window_seen.left < before.left
    assert selected(session) == set()


def test_many_records_are_found_in_a_job(session: Session, tab: VisualizeTab, wait_until: Wait) -> None:
    random = np.random.default_rng(2)
    schema = Schema((numeric("x"), numeric("y"), nominal("c", ["a", "b"])), 2)
    x, y = random.random(150_000), random.random(150_000)
    session.set_document(Dataset(schema, [x, y, (x > y).astype(int)]))
    pane = pane_of(tab)
    rest(session, pane, wait_until)
    choose(pane, "Draw round")
    draw(pane, [(0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8)])
    wait_until(lambda: len(session.selection) > 0)
    points = pane.view.points
    assert points is not None
    inside = (np.abs(points.x - 0.5) < 0.3) & (np.abs(points.y - 0.5) < 0.3)
    assert len(selected(session) ^ set(points.rows[inside].tolist())) < 1500
