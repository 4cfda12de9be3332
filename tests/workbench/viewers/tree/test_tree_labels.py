"""What stands at branches and in boxes of the tree: conditions, counts, ranges and names within their room."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QApplication

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.trees.chaid import Chaid
from algorithms.structures.tree import Tree
from tests.expected_texts import viewers as wording
from tests.workbench.random_trees import random_tree
from tests.workbench.stage import Stage
from tests.workbench.tree_by_hand import by_hand
from tests.workbench.window_helpers import Wait, drawn
from workbench.layout.camera import MARGIN
from workbench.style.structure_colors import StructureColors
from workbench.style.theme import current_theme, themes
from workbench.viewers.tree import tree_paint
from workbench.viewers.tree.tree_drawing import (
    BOX_HEIGHT,
    FULL_FROM,
    READABLE_SCALE,
    SPLIT_HEIGHT,
    Marks,
    NodeCounts,
    View,
    draw_tree,
    plan_tree,
)
from workbench.viewers.tree.tree_paint import TreePainter, axis_around, name_measure
from workbench.viewers.tree.tree_view import Subtree, TreeParts, TreeView
from workbench.viewers.tree.tree_words import HighlightedPath, answer_forms, range_label


@pytest.fixture
def view(stage: Stage, wait_until: Wait) -> TreeView:
    return drawn(stage.show(TreeView(), 1400, 400), by_hand(), wait_until)


def texts_shown(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts that painters fit into their places from now on, as they are shown."""
    shown: list[str] = []
    fitted = tree_paint.TreePainter._fitting

    def kept(painter: tree_paint.TreePainter, *given: object) -> str:
        shown.append(fitted(painter, *given))
        return shown[-1]

    monkeypatch.setattr(tree_paint.TreePainter, "_fitting", kept)
    return shown


@pytest.mark.parametrize("scale", [0.6, 0.8, 1.0])
def test_a_number_at_a_branch_is_never_cut(view: TreeView, monkeypatch: pytest.MonkeyPatch, scale: float) -> None:
    """Without room the record's own number is left out: cut in its middle it would read as another one."""
    shown = texts_shown(monkeypatch)
    view.resize(230, 400)
    view.light_path(HighlightedPath((0, 1), {1: "22222222.0428, so ≤ -1.5485"}))
    view.canvas.zoom_to(scale)
    view.canvas.grab()
    assert "≤ -1.5485" in shown
    assert not any("22222" in text for text in shown)


@pytest.mark.parametrize("form", [0, 1, 2])
def test_the_answers_on_one_path_have_one_form(
    stage: Stage, wait_until: Wait, monkeypatch: pytest.MonkeyPatch, form: int
) -> None:
    """One stood as "2,019 > 880.8", the next, in a narrower box, as "> 0.0716"."""
    answers = {1: "12, so ≤ 40.5", 4: "12345.678, so ≤ 20.25"}
    view = drawn(stage.show(TreeView(), 1400, 600), by_hand(), wait_until)
    view.light_path(HighlightedPath((0, 1, 4), answers))
    metrics = view.canvas.item.painter._sized(tree_paint.SMALL_PX, view.canvas.camera.scale, bold=False, wanted=11)[1]
    room = metrics.horizontalAdvance(answer_forms(answers[4])[form]) + 1
    monkeypatch.setattr(tree_paint.TreePainter, "_beside_branch", lambda *_given: (1.0, room))
    monkeypatch.setattr(tree_paint.TreePainter, "_free_room", lambda *_given: 0.0)
    shown = texts_shown(monkeypatch)
    view.canvas.grab()
    assert {answer_forms(answer)[form] for answer in answers.values()} <= set(shown)


def test_an_answer_extends_beyond_its_box_where_no_other_node_stands(view: TreeView) -> None:
    def rooms() -> list[bool]:
        painter = view.canvas.item.painter
        view.canvas.grab()
        return [painter._free_room(node, QRectF(600, 100, 80, 60), 4.0, 1.0) > 300 for node in (3, 4)]

    assert rooms() == [True, False], "at the right of node 4 stands node 5"
    view.light_path(HighlightedPath((0, 1, 4), {}))
    assert rooms() == [True, True]


def test_a_step_that_can_be_read_when_it_is_whole_is_shown_whole(stage: Stage, wait_until: Wait) -> None:
    view, tree = drawn(stage.show(TreeView(), 1400, 600), by_hand(), wait_until), by_hand()
    view.canvas.setFixedHeight(219)
    wait_until(lambda: view.canvas.height() == 219)
    TreeParts(view).show(7, lambda: Subtree(tree, np.arange(7), focus=1, is_read=True))
    wait_until(lambda: view.part is not None)
    camera = view.canvas.camera
    assert FULL_FROM < camera.fitting_scale < READABLE_SCALE and camera.scale == pytest.approx(camera.fitting_scale)


def test_the_counts_of_mixed_leaves_have_one_form(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    """One had its share of the records, the next, in a narrower box, had none."""
    tree = by_hand()
    tree.counts[3], tree.counts[6] = (4, 1, 0), (1_204_001, 1_203_000, 0)
    shown = [text for text, _place in painted(tree, 1.0, monkeypatch) if " of " in text]
    assert len(shown) == 2 and len({"%" in text for text in shown}) == 1


@pytest.mark.parametrize("narrow", [1, 2])
def test_where_one_branch_has_no_room_neither_shows_another_number(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, wait_until: Wait, narrow: int
) -> None:
    tree = by_hand()
    assert tree.has_threshold(0) and list(tree.children(0)) == [1, 2]
    tree = replace(tree, threshold=np.where(np.arange(len(tree.threshold)) == 0, 0.016231, tree.threshold))
    view = drawn(stage.show(TreeView(), 1400, 400), tree, wait_until)
    beside = tree_paint.TreePainter._beside_branch
    metrics = view.canvas.item.painter._sized(tree_paint.SMALL_PX, view.canvas.camera.scale, bold=False, wanted=11)[1]
    room = metrics.horizontalAdvance("≤ 0.0162") + 1

    def cramped(painter: tree_paint.TreePainter, node: int, scale: float) -> tuple[float, float]:
        branch, wide = beside(painter, node, scale)
        return branch, room if node == narrow else wide

    monkeypatch.setattr(tree_paint.TreePainter, "_beside_branch", cramped)
    shown = texts_shown(monkeypatch)
    view.canvas.grab()
    assert not [text for text in shown if text[:1] in "≤>" and "0.01" in text]
    monkeypatch.setattr(tree_paint.TreePainter, "_beside_branch", beside)
    view.canvas.grab()
    assert {"≤ 0.016231", "> 0.016231"} <= set(shown)


@pytest.mark.parametrize(
    ("of_text", "scale"), [(1.0, 0.72), (1.0, 0.8), (1.0, 1.5), (1.5, 1.2), (1.5, 1.29), (1.5, 2.0)]
)
def test_labels_of_branches_keep_apart_and_within_the_picture(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, of_text: float, scale: float
) -> None:
    """Long thresholds of neighbours read as one number, and the outer ones were cut by the edge."""
    themes.set_scale(of_text)
    tree, numeric_splits = by_hand(), np.array([1, 1, 1, 0, 0, 0, 0])
    tree = replace(
        tree,
        test=numeric_splits.astype(np.int8),
        attribute=(numeric_splits - 1).astype(np.int32),
        threshold=np.where(numeric_splits, -0.5970238, np.nan),
    )
    drawing = draw_tree(plan_tree(tree, name_measure()), np.zeros(tree.n_nodes, dtype=np.bool_))
    texts = [(text, place) for text, place in painted(tree, scale, monkeypatch) if text[:2] in ("≤ ", "> ")]
    rows: dict[float, list[tuple[float, float]]] = {}
    for _text, place in texts:
        rows.setdefault(place.top(), []).append((place.left(), place.right()))
    themes.set_scale(1.0)
    assert scale < READABLE_SCALE * of_text or len(texts) == 6
    edge = MARGIN / scale
    for places in rows.values():
        places.sort()
        assert all(right < left for (_, right), (left, _) in pairwise(places))
        assert -edge < places[0][0] and places[-1][1] < drawing.width + edge


RANGES = ["0.75–1.75", "1.75–2.75"]


def test_a_range_at_a_branch_is_shown_whole_and_in_short_where_room_is_short(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, wait_until: Wait
) -> None:
    values = np.repeat(np.arange(4.0), 30)
    schema = Schema((numeric("length"), nominal("class", ["a", "b"])), 1)
    data = Dataset(schema, [values + 0.25, (values % 2).astype(np.int8)])
    tree = Chaid().fit(data, RunContext(seed=1)).structure()
    assert isinstance(tree, Tree) and [range_label(tree, child) for child in tree.children(0)][1:3] == RANGES
    view = drawn(stage.show(TreeView(), 1400, 400), tree, wait_until)
    shown = texts_shown(monkeypatch)
    for zoom in (0.8, 1.0, 1.4):
        shown.clear()
        view.canvas.zoom_to(zoom)
        view.canvas.grab()
        middle = [text for text in shown if text in RANGES or text.startswith("from")]
        assert [text.removeprefix("from ").replace(" to ", "–") for text in middle] == RANGES


def test_the_ranges_of_one_split_have_one_form(stage: Stage, monkeypatch: pytest.MonkeyPatch, wait_until: Wait) -> None:
    """One that had room for its words stood as "from 0.75 to 1.75" beside "1.75–2.75"."""
    values = np.repeat(np.arange(4.0), 30)
    schema = Schema((numeric("length"), nominal("class", ["a", "b"])), 1)
    data = Dataset(schema, [values + 0.25, (values % 2).astype(np.int8)])
    tree = Chaid().fit(data, RunContext(seed=1)).structure()
    assert isinstance(tree, Tree)
    view = drawn(stage.show(TreeView(), 1400, 400), tree, wait_until)
    beside, cramped = tree_paint.TreePainter._beside_branch, tree.children(0)[2]
    metrics = view.canvas.item.painter._sized(tree_paint.SMALL_PX, view.canvas.camera.scale, bold=False, wanted=11)[1]

    def narrow(painter: tree_paint.TreePainter, node: int, scale: float) -> tuple[float, float]:
        branch, room = beside(painter, node, scale)
        return branch, metrics.horizontalAdvance(RANGES[1]) + 1 if node == cramped else 3 * room

    monkeypatch.setattr(tree_paint.TreePainter, "_beside_branch", narrow)
    shown = texts_shown(monkeypatch)
    view.canvas.grab()
    assert set(RANGES) <= set(shown) and not [text for text in shown if text.startswith("from")]


def painted(tree: Tree, scale: float, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, QRectF]]:
    """The texts of a tree painted at a scale, with their places in units of the drawing."""
    texts: list[tuple[str, QRectF]] = []
    draw = tree_paint.draw_text

    def kept(painter: QPainter, place: QRectF, text: str, *look: object, **more: object) -> None:
        texts.append((text, QRectF(place.topLeft() / scale, place.size() / scale)))
        draw(painter, place, text, *look, **more)

    monkeypatch.setattr(tree_paint, "draw_text", kept)
    drawing = draw_tree(plan_tree(tree, name_measure()), np.zeros(tree.n_nodes, dtype=np.bool_))
    image = QImage(1600, 1200, QImage.Format.Format_RGB32)
    with QPainter(image) as painter:
        view = View(scale, scale, 0.0, 0.0, 1600.0, 1200.0)
        TreePainter(drawing, StructureColors(current_theme()), themes.font()).paint(painter, view, Marks())
    return texts


@pytest.mark.parametrize("scale", [0.65, 0.75, 1.0, 1.5])
def test_the_conditions_of_the_splits_are_shown_wherever_names_are(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, scale: float
) -> None:
    shown = {text for text, _place in painted(by_hand(), scale, monkeypatch)}
    assert {"≤ 40.5", "> 40.5"} <= shown
    others = {"≤ 20.25", "> 20.25", wording.RED_OR_BLUE, wording.GREEN_OR_YELLOW}
    assert scale < READABLE_SCALE or others <= shown


def test_boxes_have_no_room_for_histograms_that_are_not_shown(stage: Stage, wait_until: Wait) -> None:
    """Steps of growing and pruning, and tested records, had boxes half empty, and so less of the tree in view."""
    tree = by_hand()
    whole = plan_tree(tree, len)
    for lower in (plan_tree(tree, len, has_histograms=False), plan_tree(tree, len, NodeCounts(tree.counts, tree.gain))):
        assert lower.heights.tolist() == [BOX_HEIGHT] * 7 and lower.row_height < whole.row_height
    assert whole.heights[0] == SPLIT_HEIGHT
    view = drawn(stage.show(TreeView(), 1400, 400), tree, wait_until)
    TreeParts(view).show(7, lambda: Subtree(tree, np.arange(7)))
    wait_until(lambda: view.part is not None)
    assert view.drawing is not None and view.drawing.plan.heights.max() == BOX_HEIGHT


@pytest.mark.parametrize("scale", [0.8, 1.0, 1.5])
def test_a_class_in_two_lines_stays_in_its_box_above_the_bar(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, scale: float
) -> None:
    name, tree = "diagnosis confirmed by a second reader", by_hand()
    attributes = tree.schema.attributes
    others = replace(attributes[-1], values=(name, "not confirmed", "sent away"))
    tree = replace(tree, schema=replace(tree.schema, attributes=(*attributes[:-1], others)))
    drawing = draw_tree(plan_tree(tree, name_measure()), np.zeros(tree.n_nodes, dtype=np.bool_))
    left, top, right, bottom = drawing.box(3)
    box = QRectF(left, top, right - left, bottom - top)
    inside = [(text, place) for text, place in painted(tree, scale, monkeypatch) if box.contains(place.center())]
    assert " ".join(text for text, _place in inside[:2]) == name
    assert all(box.contains(place.center()) and place.bottom() <= bottom for _text, place in inside)
    (_first, one), (_second, other), (count, last) = inside
    assert one.center().y() + 14 <= other.center().y() <= last.center().y() - 14 and count.startswith("5")


@pytest.mark.parametrize("share", [0.0, 0.02, 0.3, 0.5, 0.97, 1.0])
def test_the_number_of_a_threshold_stands_under_its_line_inside_the_box(share: float) -> None:
    left, width = axis_around(10.0, 100.0, share, 15.0)
    line = left + share * width
    assert line - 15.0 >= 10.0 - 1e-9 and line + 15.0 <= 110.0 + 1e-9
    assert left >= 10.0 and left + width <= 110.0 + 1e-9 and width >= 84.0
    assert (left, width) == (10.0, 100.0) or not 0.15 <= share <= 0.85


def test_the_legend_says_what_the_width_of_a_branch_means_where_there_are_branches(view: TreeView) -> None:
    """Branches were drawn as wide as they have records, and nothing said so."""
    assert view.foot.of_branches.text() == wording.BRANCH_WIDTH and view.foot.of_branches.isVisible()
    view.set_tree(random_tree(1))
    assert not view.foot.of_branches.isVisible()
