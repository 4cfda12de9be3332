"""What of a tree stays in sight where its view gets another size, or less room."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel

from tests.workbench.random_trees import random_tree
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, drawn
from workbench.layout.camera import MARGIN
from workbench.viewers.tree.tree_canvas import AGAIN_MS
from workbench.viewers.tree.tree_drawing import READABLE_SCALE
from workbench.viewers.tree.tree_view import TreeLayouts, TreeView


def edges(view: TreeView) -> tuple[float, float, float, float]:
    """Where the drawing begins and ends on the canvas: left, top, right, bottom."""
    camera = view.canvas.camera
    return *camera.to_view(0.0, 0.0), *camera.to_view(camera.width, camera.height)


def levels(view: TreeView) -> str:
    """The words beside the slider of levels."""
    return view.controls.findChild(QLabel, "visualize.levels").text()


def sees(view: TreeView, node: int) -> bool:
    assert view.drawing is not None
    return view.canvas.camera.sees(*view.drawing.box(node))


def resize(view: TreeView, width: int, height: int, wait_until: Wait) -> None:
    view.resize(width, height)
    wait_until(lambda: view.canvas.camera.view_width == view.canvas.width())
    wait_until(lambda: view.canvas.camera.view_height == view.canvas.height())


@pytest.fixture
def view(stage: Stage, wait_until: Wait) -> TreeView:
    """All of a tree that is higher than its view, seen so that names can be read."""
    view = drawn(stage.show(TreeView(), 700, 240), random_tree(300), wait_until)
    view.show_all()
    view.reveal(299)
    assert view.canvas.camera.scale >= READABLE_SCALE
    return view


def test_a_view_made_larger_leaves_no_room_empty_while_the_tree_is_cut(view: TreeView, wait_until: Wait) -> None:
    view.canvas.set_focus_node(0)
    scale = view.canvas.camera.scale
    resize(view, 1200, 600, wait_until)
    left, top, right, bottom = edges(view)
    assert view.canvas.camera.scale == pytest.approx(scale)
    canvas, most = view.canvas, MARGIN + 3
    assert right - left > canvas.width() and left <= most and right >= canvas.width() - most
    assert bottom - top > canvas.height() and top <= most and bottom >= canvas.height() - most
    assert sees(view, 0)


@pytest.mark.parametrize("node", [0, 299])
def test_a_view_made_narrower_keeps_the_node_in_focus_in_sight(view: TreeView, wait_until: Wait, node: int) -> None:
    resize(view, 1200, 600, wait_until)
    view.canvas.set_focus_node(node)
    scale = view.canvas.camera.scale
    resize(view, 420, 200, wait_until)
    assert sees(view, node) and view.canvas.camera.scale == pytest.approx(scale)


def test_a_tree_that_fits_larger_than_it_was_seen_is_seen_whole(stage: Stage, wait_until: Wait) -> None:
    view = drawn(stage.show(TreeView(), 300, 160), random_tree(9), wait_until)
    view.show_all()
    view.canvas.look_closely_at(8)
    assert view.canvas.camera.scale == pytest.approx(READABLE_SCALE) and not sees(view, 0)
    resize(view, 1400, 700, wait_until)
    left, top, right, bottom = edges(view)
    assert min(left, top) >= MARGIN - 1 and right <= view.canvas.width() and bottom <= view.canvas.height()
    assert view.canvas.camera.scale == pytest.approx(view.canvas.camera.fitting_scale)
    resize(view, 300, 160, wait_until)
    assert sees(view, 8), "where there is less room again it is looked at as before"
    assert view.canvas.camera.scale == pytest.approx(READABLE_SCALE) and not view.canvas.is_fitted
    resize(view, 1400, 700, wait_until)
    resize(view, 900, 500, wait_until)
    assert sees(view, 8) and sees(view, 0), "and whole as long as it can be read"


def test_a_size_that_changes_while_the_tree_is_laid_out_is_seen(
    stage: Stage, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tree of 200,000 records was laid out for a larger window, and stayed a miniature without words."""
    tree = random_tree(300)
    small = drawn(stage.show(TreeView(), 420, 300), tree, wait_until)
    wanted = levels(small)
    view = stage.show(TreeView(), 1600, 900)
    held: list[Callable[[], object]] = []
    monkeypatch.setattr(view.layouts, "run", lambda _n, _title, work, done, *_more: held.append(lambda: done(work())))
    monkeypatch.setattr(TreeLayouts, "is_busy", property(lambda _layouts: bool(held)))
    view.set_tree(tree)
    wait_until(lambda: bool(held))
    resize(view, 420, 300, wait_until)
    QTest.qWait(2 * AGAIN_MS)
    begun = held.pop()
    monkeypatch.undo()
    begun()
    assert levels(view) != wanted
    wait_until(lambda: levels(view) == wanted)
