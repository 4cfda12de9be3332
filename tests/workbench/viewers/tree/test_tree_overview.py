"""The small map of a large tree: there when something is out of view, moving what is seen when it is dragged."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from tests.workbench.random_trees import random_tree
from tests.workbench.stage import Stage
from tests.workbench.tree_by_hand import by_hand
from tests.workbench.window_helpers import Wait, drawn
from workbench.layout.camera import Camera, Overview
from workbench.style.theme import DARK_NAME, LIGHT_NAME, themes
from workbench.viewers.tree.tree_drawing import BOX_HEIGHT
from workbench.viewers.tree.tree_view import TreeView

MAP = Overview(1000.0, 500.0, 110.0, 60.0)


def test_the_frame_lies_where_the_camera_looks() -> None:
    camera = Camera(1000.0, 500.0, 200.0, 100.0, scale=1.0, x=500.0, y=250.0)
    assert MAP.seen(camera) == (45.0, 25.0, 65.0, 35.0)
    assert MAP.to_drawing(55.0, 30.0) == (500.0, 250.0)


def test_a_map_is_needed_only_where_something_is_out_of_view() -> None:
    whole = Camera(1000.0, 500.0, 1100.0, 600.0).fitted()
    assert not MAP.is_needed(whole)
    assert MAP.is_needed(whole.scaled(2.0))
    left, top, right, bottom = MAP.seen(whole)
    assert 1.0 <= left < 5.0 and 1.0 <= top < 5.0 and 105.0 < right <= 109.0 and 55.0 < bottom <= 59.0


@pytest.fixture
def view(stage: Stage, wait_until: Wait) -> TreeView:
    return drawn(stage.show(TreeView(), 1000, 600), random_tree(2000, seed=4), wait_until)


def middle(view: TreeView) -> tuple[float, float]:
    canvas = view.canvas
    return canvas.camera.to_drawing(canvas.width() / 2, canvas.height() / 2)


def test_a_drag_on_the_map_moves_what_is_in_view(view: TreeView) -> None:
    overview = view.canvas.overview
    view.show_all()
    assert overview.isHidden(), "all of it is in view"
    view.canvas.zoom_to(1.0)
    assert overview.isVisible() and overview.geometry().right() < view.canvas.width()
    assert view.drawing is not None
    width, height = overview.width(), overview.height()
    QTest.mousePress(overview, Qt.MouseButton.LeftButton, pos=QPoint(width // 4, height // 2))
    x, y = middle(view)
    assert x == pytest.approx(view.drawing.width / 4, rel=0.1) and y == pytest.approx(view.drawing.height / 2, rel=0.1)
    QTest.mouseMove(overview, QPoint(3 * width // 4, height // 2))
    QTest.mouseRelease(overview, Qt.MouseButton.LeftButton, pos=QPoint(3 * width // 4, height // 2))
    QTest.mouseClick(overview, Qt.MouseButton.LeftButton, pos=QPoint(3 * width // 4, height // 2))
    assert middle(view)[0] == pytest.approx(3 * view.drawing.width / 4, rel=0.1)
    view.canvas.fit()
    assert overview.isHidden()


def test_a_small_tree_has_no_map(view: TreeView) -> None:
    view.set_tree(by_hand())
    view.canvas.zoom_to(2.0)
    assert view.canvas.overview.isHidden()


def test_the_map_wears_both_themes(view: TreeView) -> None:
    view.show_all()
    view.canvas.zoom_to(1.0)
    for theme in (DARK_NAME, LIGHT_NAME):
        themes.choose(theme)
        view.canvas.dress()
        picture = view.canvas.overview.grab().toImage()
        colors = {
            picture.pixelColor(x, y).name() for x in range(2, picture.width() - 2) for y in range(picture.height())
        }
        assert themes.current.pane in colors and len(colors) > 5


def test_from_afar_boxes_and_edges_are_painted(view: TreeView) -> None:
    view.show_all()
    view.canvas.fit()
    picture = view.canvas.viewport().grab().toImage()
    assert view.drawing is not None
    node = int(view.drawing.layout.rows[1][0])
    x, y = view.canvas.camera.to_view(
        float(view.drawing.layout.x[node]), float(view.drawing.top[node]) + BOX_HEIGHT / 2
    )
    near = {picture.pixelColor(round(x) + dx, round(y)).name() for dx in range(-2, 3)}
    assert view.tree is not None
    assert themes.current.class_color(int(view.tree.decision[node])).name() in near
