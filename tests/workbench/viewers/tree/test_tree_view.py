"""The tree's viewer as a person uses it: what is seen, folded, walked through, read and taken away."""

from __future__ import annotations

import csv
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt, QTimer
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QSlider, QWidget

from algorithms.structures.tree import SplitTest
from tests.expected_texts import viewers as wording
from tests.workbench.random_trees import random_tree
from tests.workbench.stage import Stage
from tests.workbench.tree_by_hand import by_hand, plan_of
from tests.workbench.window_helpers import Wait, drawn
from workbench.jobs.jobs import Jobs
from workbench.style.structure_colors import StructureColors
from workbench.style.theme import DARK_NAME, LEAST_PX, LIGHT_NAME, current_theme, themes
from workbench.viewers.charts.chart_base import LeaderLine
from workbench.viewers.tree import tree_paint
from workbench.viewers.tree.node_card import card_html
from workbench.viewers.tree.tree_drawing import (
    FULL_FROM,
    HANDLE,
    READABLE_SCALE,
    draw_tree,
)
from workbench.viewers.tree.tree_paint import TreePainter
from workbench.viewers.tree.tree_table import FIXED, ExportedTree, TreeTable, rules_text, table_csv
from workbench.viewers.tree.tree_view import TreeView
from workbench.viewers.tree.tree_words import HighlightedPath, parts_words
from workbench.widgets.labels import ElidedLabel


@pytest.fixture
def view(stage: Stage, wait_until: Wait) -> TreeView:
    return drawn(stage.show(TreeView(), 1400, 400), by_hand(), wait_until)


def spot(view: TreeView, node: int, bottom: bool = False) -> QPoint:
    """Where a node's middle, or its handle, is on the canvas."""
    assert view.drawing is not None
    camera = view.canvas.camera
    x, y = camera.to_view(float(view.drawing.layout.x[node]), float(view.drawing.top[node]))
    height = float(view.drawing.plan.heights[node])
    return QPoint(round(x), round(y + (height + HANDLE if bottom else height / 2) * camera.scale))


def click(view: TreeView, at: QPoint) -> None:
    QTest.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)


def test_the_facts_say_how_large_the_tree_is(view: TreeView) -> None:
    assert view.facts() == wording.tree_facts(7, 4)


def test_a_click_on_a_handle_folds_and_unfolds(view: TreeView, wait_until: Wait) -> None:
    click(view, spot(view, 1, bottom=True))
    wait_until(lambda: view.facts() == wording.TREE_FACTS_FOLDED)
    assert view.drawing is not None and view.drawing.hidden[1] == 2
    view.as_table.trigger()
    assert view.facts() == wording.tree_facts(7, 4)  # a table has all of them
    view.as_table.trigger()
    assert view.facts() == wording.TREE_FACTS_FOLDED
    click(view, spot(view, 1, bottom=True))
    wait_until(lambda: view.facts() == wording.tree_facts(7, 4))


def test_a_click_on_a_node_gives_it_the_focus_and_folds_nothing(view: TreeView) -> None:
    click(view, spot(view, 2))
    assert view.canvas.focus_node == 2
    assert view.drawing is not None and view.drawing.layout.n_shown == 7


def test_the_chosen_node_is_the_chosen_row_of_the_table_and_the_other_way(stage: Stage, wait_until: Wait) -> None:
    view = drawn(stage.show(TreeView(), 1000, 700, active=True), by_hand(), wait_until)
    click(view, spot(view, 2))
    view.canvas.setFocus()
    wait_until(view.canvas.hasFocus)
    QTest.keyClick(view.canvas, Qt.Key.Key_T)
    assert view.canvas.focus_node == 2
    assert [index.row() for index in view.table.selectionModel().selectedRows()] == [row_of(view, 2)]
    view.as_table.trigger()
    assert view.canvas.focus_node == 2


def row_of(view: TreeView, node: int) -> int:
    model = view.table.model()
    assert isinstance(model, TreeTable)
    return model.row_of(node)


def test_arrows_walk_through_the_tree(view: TreeView) -> None:
    canvas = view.canvas
    canvas.setFocus()
    visited = []
    for key in (Qt.Key.Key_Home, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Down, Qt.Key.Key_Left, Qt.Key.Key_Up):
        QTest.keyClick(canvas, key)
        visited.append(canvas.focus_node)
    assert visited == [0, 1, 2, 5, 4, 1]
    assert canvas.accessibleDescription().startswith(wording.age_at_most(40.5))


def test_enter_folds_the_focused_node(view: TreeView) -> None:
    QTest.keyClick(view.canvas, Qt.Key.Key_Home)
    QTest.keyClick(view.canvas, Qt.Key.Key_Return)
    assert view.drawing is not None and view.drawing.layout.n_shown == 1
    QTest.keyClick(view.canvas, Qt.Key.Key_Return)
    assert view.drawing.layout.n_shown == 3


def test_levels_are_shown_by_the_slider(view: TreeView) -> None:
    slider = view.controls.findChild(QSlider, "visualize.depth")
    assert slider is not None
    slider.setValue(1)
    assert view.drawing is not None and view.drawing.layout.n_shown == 3
    view.show_all()
    assert view.drawing.layout.n_shown == 7 and slider.value() == slider.maximum()


def test_a_slider_drawn_through_the_levels_of_a_large_tree_ends_where_it_stands(
    qapp: QApplication, wait_until: Wait
) -> None:
    tree, jobs = random_tree(10_000), Jobs()
    view = TreeView(jobs)
    view.resize(900, 600)
    view.show()
    view.set_tree(tree)
    wait_until(lambda: view.drawing is not None, 30)
    slider, drawn = view.controls.findChild(QSlider, "visualize.depth"), list[int]()
    assert slider is not None and slider.maximum() > 8
    view.drawn.connect(lambda: drawn.append(1))
    slider.setValue(0)
    drawn.clear()
    for depth in range(1, slider.maximum() + 1):
        slider.setValue(depth)
    wait_until(lambda: not (view.layouts.is_busy or jobs.running) and len(drawn) > 0, 30)
    wait_until(lambda: view.drawing is not None and view.drawing.layout.n_shown == tree.n_nodes, 30)
    assert len(drawn) < slider.maximum()
    assert jobs.shutdown()
    view.deleteLater()


def test_the_wheel_zooms_around_the_mouse(view: TreeView) -> None:
    canvas = view.canvas
    at = QPointF(spot(view, 3))
    before, scale = canvas.camera.to_drawing(at.x(), at.y()), canvas.camera.scale
    wheel = QWheelEvent(
        at, canvas.mapToGlobal(at), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(canvas.viewport(), wheel)
    assert canvas.camera.scale == pytest.approx(scale * 1.25)
    assert canvas.camera.to_drawing(at.x(), at.y()) == pytest.approx(before)


def test_dragging_pans_and_does_not_click(view: TreeView) -> None:
    port, start = view.canvas.viewport(), spot(view, 0)
    view.canvas.zoom(2.0)
    before = view.canvas.camera
    QTest.mousePress(port, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start)
    QTest.mouseMove(port, start + QPoint(40, 25))
    QTest.mouseRelease(port, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, start + QPoint(40, 25))
    after = view.canvas.camera
    assert (before.x - after.x) * after.scale == pytest.approx(40)
    assert view.canvas.focus_node == -1


def test_the_view_is_refitted_when_its_size_changes_but_not_once_it_was_moved(view: TreeView, wait_until: Wait) -> None:
    view.resize(600, 500)
    wait_until(lambda: view.canvas.camera.view_width == view.canvas.width())
    assert view.canvas.camera.scale == view.canvas.camera.fitting_scale
    view.canvas.zoom(1.5)
    scale = view.canvas.camera.scale
    view.resize(900, 600)
    wait_until(lambda: view.canvas.camera.view_width == view.canvas.width())
    assert view.canvas.camera.scale == pytest.approx(scale)


def test_hovering_shows_what_a_node_knows(view: TreeView, wait_until: Wait) -> None:
    QTest.mouseMove(view.canvas.viewport(), spot(view, 5))
    card = view.canvas.findChild(object, "visualize.card")
    wait_until(card.isVisible)
    QTest.mouseMove(view.canvas.viewport(), QPoint(3, 3))
    wait_until(card.isHidden)


def test_the_card_of_a_node_is_gone_once_the_focus_leaves_it_by_another_way(stage: Stage, wait_until: Wait) -> None:
    view = drawn(stage.show(TreeView(), 1000, 700, active=True), by_hand(), wait_until)
    canvas, card = view.canvas, view.canvas.findChild(QWidget, "visualize.card")
    canvas.setFocus()
    for key in (Qt.Key.Key_Home, Qt.Key.Key_Down, Qt.Key.Key_Down):
        QTest.keyClick(canvas, key)
    wait_until(card.isVisible)
    view.reveal(0)
    wait_until(lambda: "age" in card.html.split("<br>")[0])
    view.finder.open()
    assert card.isHidden(), "what is typed into lies there"
    view.resize(900, 600)
    wait_until(lambda: canvas.camera.view_width == canvas.width())
    assert card.isHidden() and not any(timer.isActive() for timer in card.findChildren(QTimer)), "nor will it come back"
    QTest.mouseMove(canvas.viewport(), spot(view, 5))
    wait_until(card.isVisible)
    view.reveal(0)
    assert card.isHidden(), "the keyboard is elsewhere, the node under the mouse is not what is looked at"


def test_the_tree_shows_its_current_node_as_soon_as_it_has_the_focus(stage: Stage, wait_until: Wait) -> None:
    view = drawn(stage.show(TreeView(), 1000, 700, active=True), by_hand(), wait_until)
    canvas, card = view.canvas, view.canvas.findChild(QWidget, "visualize.card")
    view.card.offers_reasons = True
    canvas.clearFocus()
    canvas.setFocus(Qt.FocusReason.ShortcutFocusReason)
    wait_until(card.isVisible)
    assert canvas.focus_node == 0 and canvas.item.marks.focus_is_visible
    assert "click" not in card.html, "the keyboard led there"
    canvas.clearFocus()
    wait_until(card.isHidden)
    canvas.setFocus(Qt.FocusReason.OtherFocusReason)  # as a page does that comes into view
    assert canvas.item.marks.focus_is_visible and not any(timer.isActive() for timer in card.findChildren(QTimer))


def is_clear(view: TreeView, card: QWidget) -> bool:
    """Whether a card hides no node in view."""
    assert view.drawing is not None
    for other in view.drawing.shown.tolist():
        left, top, right, bottom = view.drawing.box(other)
        corner, end = view.canvas.camera.to_view(left, top), view.canvas.camera.to_view(right, bottom)
        if QRectF(card.geometry()).intersects(QRectF(QPointF(*corner), QPointF(*end))):
            return False
    return True


@pytest.mark.parametrize("node", [3, 4, 5, 6])
def test_a_card_covers_no_node_where_there_is_room_beside_them(stage: Stage, wait_until: Wait, node: int) -> None:
    view = drawn(stage.show(TreeView(), 1400, 400), by_hand(), wait_until)
    view.canvas.hovered.emit(node, QPointF(spot(view, node)))
    card = view.canvas.findChild(QWidget, "visualize.card")
    wait_until(card.isVisible)
    assert is_clear(view, card)


@pytest.mark.parametrize("size", [(900, 520), (1220, 240)])
def test_in_a_tree_that_fills_its_pane_a_card_finds_free_ground_and_a_line_leads_to_its_node(
    stage: Stage, wait_until: Wait, size: tuple[int, int]
) -> None:
    view = drawn(stage.show(TreeView(), *size), random_tree(15, seed=1), wait_until)
    view.show_all()
    canvas, led = view.canvas, 0
    card, line = canvas.findChild(QWidget, "visualize.card"), canvas.findChild(LeaderLine, "visualize.leader")
    assert view.drawing is not None
    for node in view.drawing.shown[::4].tolist():
        canvas.hovered.emit(node, QPointF(spot(view, node)))
        wait_until(card.isVisible)
        assert is_clear(view, card), node
        assert canvas.rect().contains(card.geometry())
        x, y = canvas.camera.to_view(float(view.drawing.layout.x[node]), float(view.drawing.top[node]))
        away = max(card.x() - x, x - card.geometry().right(), card.y() - y, y - card.geometry().bottom())
        assert line.isVisible() or away < 110
        led += line.isVisible()
        canvas.hovered.emit(-1, QPointF())
        assert card.isHidden() and line.isHidden()
    assert led or size[1] > 300, "in a low pane not every card has room beside its node"


def test_the_slider_and_its_words_follow_branches_that_are_folded_one_by_one(view: TreeView) -> None:
    slider = view.controls.findChild(QSlider, "visualize.depth")
    words = view.controls.findChild(QLabel, "visualize.levels")
    assert slider is not None and words is not None
    view.show_levels(2)
    assert (slider.value(), words.text()) == (2, wording.ALL_2_LEVELS)
    view.toggle(1)
    assert (slider.value(), words.text()) == (2, wording.UP_TO_2_OF_2_LEVELS)
    view.toggle(2)
    assert (slider.value(), words.text()) == (1, wording.LEVEL_1_OF_2)
    view.toggle(2)
    view.toggle(1)
    assert words.text() == wording.ALL_2_LEVELS


def test_a_lit_path_opens_what_hides_it_and_folds_the_rest_until_it_is_over(view: TreeView) -> None:
    view.show_levels(0)
    view.light_path(HighlightedPath((0, 1, 4)))
    assert view.drawing is not None
    assert view.drawing.layout.shown[[0, 1, 4]].all() and not view.drawing.layout.shown[5]
    assert view.canvas.item.marks.lit == {0, 1, 4}
    view.light_path(HighlightedPath())
    assert view.drawing.layout.n_shown == 1


def test_the_table_has_every_node_before_its_children(view: TreeView) -> None:
    tree = random_tree(300)
    place = np.argsort(plan_of(tree).order)
    assert all(place[node] > place[tree.parent[node]] for node in range(1, tree.n_nodes))
    view.set_tree(tree)
    model = view.table.model()
    assert model.rowCount() == tree.n_nodes and model.columnCount() == len(FIXED) + 3


def test_many_records_are_read_whole_in_the_table(view: TreeView, wait_until: Wait) -> None:
    view.table.size_columns()
    narrow = view.table.columnWidth(2)
    tree = by_hand()
    view.set_tree(replace(tree, counts=tree.counts * 1e7))
    wait_until(lambda: view.table.model().rowCount() == tree.n_nodes)
    view.table.size_columns()
    shown = view.table.model().data(view.table.model().index(0, 2))
    assert shown == "150,000,000"
    assert view.table.columnWidth(2) > max(narrow, view.table.fontMetrics().horizontalAdvance(shown) + 6)


def test_table_and_picture_share_the_focus(view: TreeView) -> None:
    QTest.keyClick(view.canvas, Qt.Key.Key_Home)
    QTest.keyClick(view.canvas, Qt.Key.Key_T)
    assert view.table.isVisible() and view.table.currentIndex().row() == 0
    QTest.keyClick(view.table, Qt.Key.Key_Down)
    assert view.canvas.focus_node == 1


def test_the_table_is_saved_with_a_row_a_node(view: TreeView, tmp_path: Path) -> None:
    view.export.save_csv(str(tmp_path / "tree.csv"))
    rows = list(csv.DictReader((tmp_path / "tree.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["condition"] for row in rows][:3] == ["", wording.age_at_most(40.5), wording.age_at_most(20.25)]
    assert sum(float(row["records"]) for row in rows if not row["question"]) == 15
    assert table_csv(plan_of(by_hand()), "\t").splitlines()[1].count("\t") == 11


def test_the_picture_shows_the_colours_of_the_classes_in_both_themes(view: TreeView) -> None:
    for theme in (DARK_NAME, LIGHT_NAME):
        themes.choose(theme)
        view.canvas.dress()
        image = view.export.picture()
        seen = {image.pixelColor(x, y).name() for x in range(0, image.width(), 3) for y in range(0, image.height(), 3)}
        assert set(themes.current.classes[:3]) <= seen
        assert image.pixelColor(2, 2).name() == themes.current.pane


def test_of_many_classes_the_legend_names_those_with_colours_and_the_nodes_have_no_others(
    stage: Stage, wait_until: Wait
) -> None:
    view = drawn(stage.show(TreeView(), 1200, 500), random_tree(9, n_classes=26), wait_until)
    legend, tree = view.foot.legend, view.tree
    assert tree is not None
    for rare in (-1, int(tree.counts[0].argmin())):
        view.set_interest(rare)
        named = {place.code for place in legend.places()[0]}
        assert named == legend.colored and len(named) == 9 and (rare < 0 or rare in named)
        least = min(tree.counts[0][list(named - {rare})])
        assert sum(tree.counts[0] > least) <= 9, "the most frequent"
        picture, theme = view.export.picture(), current_theme()
        colors = {theme.class_color(code).name(): code for code in range(26)}
        pixels = product(range(0, picture.width(), 2), range(0, picture.height(), 2))
        seen = {picture.pixelColor(x, y).name() for x, y in pixels}
        assert {colors[color] for color in seen & set(colors)} <= named and theme.others in seen


def test_picture_and_drawing_are_saved(view: TreeView, tmp_path: Path) -> None:
    view.export.save_picture(str(tmp_path / "tree.png"))
    assert QImage(str(tmp_path / "tree.png")).width() == 2 * view.canvas.viewport().width()
    view.export.save_picture(str(tmp_path / "tree.svg"))
    assert "age" in (tmp_path / "tree.svg").read_text(encoding="utf-8")


def test_a_large_tree_is_laid_out_by_a_job(qapp: QApplication, wait_until: Wait) -> None:
    jobs = Jobs()
    view = TreeView(jobs)
    view.resize(1000, 700)
    view.show()
    tree = random_tree(3000)
    view.set_tree(tree)
    wait_until(lambda: view.drawing is not None)
    started: list[object] = []
    jobs.started.connect(started.append)
    view.show_all()
    wait_until(lambda: view.drawing is not None and view.drawing.layout.n_shown == tree.n_nodes)
    assert len(started) == 1
    assert jobs.shutdown()
    view.close()
    view.deleteLater()


@pytest.mark.parametrize("scale", [0.02, 0.2, 0.55, 0.8, 2.0])
def test_every_degree_of_detail_paints_every_kind_of_test(qapp: QApplication, scale: float) -> None:
    view = TreeView()
    view.resize(1200, 800)
    tree = random_tree(400, n_classes=12)
    assert {int(SplitTest.NUMERIC), int(SplitTest.MULTIWAY), int(SplitTest.SUBSET), int(SplitTest.ORDINAL)} <= set(
        tree.test.tolist()
    )
    view.show()
    view.set_tree(tree)
    view.show_all()
    view.canvas.zoom_to(scale)
    image = view.canvas.grab().toImage()
    colors = {image.pixelColor(x, y).name() for x in range(0, image.width(), 2) for y in range(0, image.height(), 2)}
    assert len(colors) > 3
    view.close()
    view.deleteLater()


@pytest.mark.parametrize("n_nodes", [1, 2])
def test_trees_of_one_level_and_of_none_can_be_seen(qapp: QApplication, n_nodes: int) -> None:
    view = TreeView()
    view.show()
    view.set_tree(random_tree(n_nodes))
    view.show_all()
    assert view.drawing is not None and view.drawing.layout.n_shown >= n_nodes
    view.set_tree(None)
    assert view.drawing is None and view.facts() == ""
    view.close()
    view.deleteLater()


def test_more_levels_are_shown_when_the_view_grows_until_somebody_chose(qapp: QApplication, wait_until: Wait) -> None:
    view = TreeView()
    view.resize(260, 180)
    view.show()
    view.set_tree(by_hand())
    wait_until(lambda: view.drawing is not None)
    drawing = view.drawing
    assert drawing is not None and drawing.layout.n_shown < 7
    view.resize(1000, 700)
    wait_until(lambda: view.drawing is not None and view.drawing.layout.n_shown == 7)
    view.show_levels(1)
    view.resize(1300, 900)
    QTest.qWait(300)
    assert view.drawing is not None and view.drawing.layout.n_shown == 3
    view.close()
    view.deleteLater()


def test_fewer_levels_are_shown_when_the_text_grows(qapp: QApplication, wait_until: Wait) -> None:
    view = TreeView()
    view.resize(1000, 560)
    view.show()
    view.set_tree(random_tree(60, seed=1))
    wait_until(lambda: view.drawing is not None)
    assert view.drawing is not None
    before = view.drawing.layout.n_shown
    themes.set_scale(2.0)
    try:
        view.resize(1010, 565)
        wait_until(lambda: view.drawing is not None and view.drawing.layout.n_shown < before)
    finally:
        themes.set_scale(1.0)
        view.close()
        view.deleteLater()


@pytest.mark.parametrize("zoom", [FULL_FROM, READABLE_SCALE, 1.0])
def test_text_in_a_fitted_tree_grows_with_the_text_of_its_page(qapp: QApplication, zoom: float) -> None:
    """At a text size of 1.5 the small text of a tree fitted to its window stayed at 12 pixels."""
    plan = plan_of(by_hand())
    drawing = draw_tree(plan, np.zeros(plan.tree.n_nodes, dtype=np.bool_))
    try:
        for scale in (1.0, 1.5, 2.0):
            themes.set_scale(scale)
            painter = TreePainter(drawing, StructureColors(current_theme()), themes.font())
            for wanted in (tree_paint.WANTED_PX, LEAST_PX):
                font, _metrics = painter._sized(tree_paint.SMALL_PX, zoom * scale, bold=False, wanted=wanted)
                assert font.pixelSize() >= int(LEAST_PX * scale)
    finally:
        themes.set_scale(1.0)


def test_a_tree_is_told_as_a_rule_for_each_leaf(view: TreeView, tmp_path: Path) -> None:
    lines = rules_text(plan_of(by_hand())).splitlines()
    assert lines[1] == wording.SECOND_RULE
    assert lines[3] == wording.FOURTH_RULE
    assert len(lines) == 4
    path = tmp_path / "rules.txt"
    view.export.save_text(str(path), ExportedTree(view.canvas).rules())
    assert path.read_text(encoding="utf-8").splitlines() == lines
    offered = {action.text(): action for action in view.export.menu.actions()}
    offered["Copy rules"].trigger()
    assert QApplication.clipboard().text().splitlines() == lines
    assert "Save rules..." in offered


def test_plus_opens_and_minus_folds_the_node_in_focus(view: TreeView) -> None:
    view.show_all()
    view.canvas.setFocus()
    QTest.keyClick(view.canvas, Qt.Key.Key_Home)
    QTest.keyClick(view.canvas, Qt.Key.Key_Down)
    QTest.keyClicks(view.canvas, "-")
    assert view.drawing is not None and view.drawing.layout.n_shown == 5
    QTest.keyClicks(view.canvas, "-")
    assert view.drawing.layout.n_shown == 5, "what is folded stays folded"
    QTest.keyClicks(view.canvas, "+")
    assert view.drawing.layout.n_shown == 7
    QTest.keyClicks(view.canvas, "+")
    assert view.drawing.layout.n_shown == 7


def test_page_up_and_down_zoom(view: TreeView) -> None:
    view.canvas.zoom_to(1.0)
    QTest.keyClick(view.canvas, Qt.Key.Key_PageUp)
    assert view.canvas.camera.scale == pytest.approx(1.25)
    QTest.keyClick(view.canvas, Qt.Key.Key_PageDown)
    assert view.canvas.camera.scale == pytest.approx(1.0)


def test_the_table_is_copied_from_the_table(view: TreeView) -> None:
    QTest.keyClick(view.canvas, Qt.Key.Key_T)
    QTest.keyClick(view.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text().startswith("node\tparent")


def is_whole(view: TreeView, node: int) -> bool:
    """Whether all of a node is in view."""
    assert view.drawing is not None
    left, top, right, bottom = view.drawing.box(node)
    x0, y0 = view.canvas.camera.to_view(left, top)
    x1, y1 = view.canvas.camera.to_view(right, bottom)
    return x0 >= 0 and y0 >= 0 and x1 <= view.canvas.width() and y1 <= view.canvas.height()


def test_a_lit_path_that_can_be_read_whole_is_whole_in_view(view: TreeView) -> None:
    view.light_path(HighlightedPath((0, 1, 4)))
    assert all(is_whole(view, node) for node in (0, 1, 4))
    view.resize(1000, 500)
    assert all(is_whole(view, node) for node in (0, 1, 4)), "fitted anew when there is less room"


def test_a_lit_path_too_long_for_a_low_view_ends_with_its_leaf_and_a_key_leads_to_the_root(view: TreeView) -> None:
    tree = random_tree(2000, seed=4)
    view.resize(1000, 200)
    view.set_tree(tree)
    leaf = int(np.argmax(np.where(tree.n_children == 0, tree.depths, -1)))
    view.light_path(HighlightedPath(tree.path(leaf)))
    assert is_whole(view, leaf) and not is_whole(view, 0)
    view.resize(1000, 150)
    assert is_whole(view, leaf) and view.canvas.camera.scale >= READABLE_SCALE, "also where less room is left then"
    QTest.keyClick(view.canvas, Qt.Key.Key_Home)
    assert is_whole(view, 0)
    QTest.keyClick(view.canvas, Qt.Key.Key_End)
    assert is_whole(view, leaf)


def test_a_lit_path_that_was_whole_ends_with_its_leaf_once_the_view_is_low(view: TreeView) -> None:
    view.light_path(HighlightedPath((0, 1, 4)))
    view.resize(1000, 190)
    assert is_whole(view, 4) and view.canvas.camera.scale >= READABLE_SCALE
    view.resize(1000, 700)
    assert all(is_whole(view, node) for node in (0, 1, 4)), "and it is whole again where there is room"


def test_the_tree_is_fitted_anew_when_a_node_was_clicked_and_its_pane_shrinks(view: TreeView) -> None:
    QTest.mouseClick(view.canvas.viewport(), Qt.MouseButton.LeftButton, pos=spot(view, 5))
    assert view.canvas.focus_node == 5
    before = view.canvas.camera.scale
    view.resize(1000, 330)
    assert view.canvas.camera.scale < before
    assert all(is_whole(view, node) for node in range(7))


def test_fractions_of_records_are_explained_under_the_tree_and_on_the_card(view: TreeView) -> None:
    note = view.findChild(QLabel, "visualize.in-parts")
    assert note is not None and not note.isVisible()
    tree = by_hand()
    counts = tree.counts.copy()
    counts[1, 0], counts[2, 0] = counts[1, 0] + 0.5, counts[2, 0] - 0.5
    view.set_tree(replace(tree, counts=counts))
    assert note.isVisible()
    assert note.text().startswith(wording.FRACTIONS_EXPLAINED) and note.text().endswith("into parts.")
    assert isinstance(note, ElidedLabel)
    for words in (wording.PARTS_OF_RECORDS, wording.PARTS_IN_FEW_WORDS):
        note.resize(note.fontMetrics().horizontalAdvance(words) + 1, note.height())
        assert note.shown() == words, "said in fewer words rather than cut"
        assert note.toolTip() == note.text()
    note.resize(note.fontMetrics().horizontalAdvance("Parts: ..."), note.height())
    assert note.shown() == "", "the first word alone says nothing"
    plan = plan_of(replace(tree, counts=counts))
    assert "into parts" in card_html(plan, 1) and "into parts" not in card_html(plan, 0)
    weighed = plan_of(replace(tree, counts=tree.counts * 1.3))
    assert parts_words(weighed, [0, 1]) == wording.WEIGHTS_EXPLAINED
    view.show_levels(0)
    assert not note.isVisible(), "no number that is seen has a fraction"
