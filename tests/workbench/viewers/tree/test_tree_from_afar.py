"""The tree's drawing where boxes are few pixels wide: colours without words."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QBuffer
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QApplication

from tests.workbench.random_trees import random_tree
from tests.workbench.tree_by_hand import by_hand, plan_of
from workbench.style.structure_colors import StructureColors
from workbench.style.theme import current_theme
from workbench.viewers.tree.tree_drawing import Boxes, DetailLevel, Marks, View, collapsed_below, draw_tree
from workbench.viewers.tree.tree_paint import TreePainter


@pytest.mark.parametrize(("left", "scale"), [(20.0, 0.05), (20.3, 0.06), (20.7, 0.15)])
def test_many_classes_of_equal_share_fill_a_node_of_few_pixels(qapp: QApplication, left: float, scale: float) -> None:
    tree = random_tree(1, n_classes=26)
    plan = plan_of(replace(tree, counts=np.full((1, 26), 100.0)))
    drawing = draw_tree(plan, np.zeros(1, dtype=np.bool_))
    view = View(scale, 0.5, left, 10.0, 60.0, 60.0)
    boxes, look = Boxes(drawing, view), StructureColors(current_theme())
    assert view.detail is DetailLevel.SHARES and 4 <= boxes.width[0] < 26
    ground = QColor(current_theme().pane)
    image = QImage(60, 60, QImage.Format.Format_RGB32)
    image.fill(ground)
    painter = QPainter(image)
    TreePainter(drawing, look, QFont()).paint(painter, view, Marks())
    painter.end()
    middle = round(boxes.top[0] + boxes.height[0] / 2)
    first, last = int(np.floor(boxes.left[0] + 0.5)), int(np.floor(boxes.left[0] + boxes.width[0] + 0.5))
    seen = [image.pixelColor(x, middle).name() for x in range(first, last)]
    assert ground.name() not in seen and len(set(seen)) == last - first


@pytest.mark.parametrize(("scale", "are_there"), [(0.8, True), (0.65, False)])
def test_records_and_conditions_are_there_at_the_zooms_that_a_view_takes_by_itself(
    qapp: QApplication, scale: float, are_there: bool
) -> None:
    written, svg = QBuffer(), QSvgGenerator()
    svg.setOutputDevice(written)
    painter = QPainter(svg)
    drawing = draw_tree(plan_of(by_hand()), np.zeros(7, dtype=np.bool_))
    view = View(scale, scale, 20.0, 15.0, 600.0, 400.0)
    TreePainter(drawing, StructureColors(current_theme()), QFont()).paint(painter, view, Marks(answers={4: "No, 25"}))
    painter.end()
    told = set(re.findall(r">([^<>]+)</text>", bytes(written.data().data()).decode()))
    assert {"age", "class 0"} <= told
    assert ({"15 records", "≤ 20.25", "No, 25"} <= told) is are_there


@pytest.mark.parametrize(("scale", "least"), [(0.65, 11), (0.72, 11), (0.8, 12), (0.9, 12), (1.5, 17)])
def test_text_is_as_large_as_its_node_allows_and_never_under_eleven_pixels(
    qapp: QApplication, scale: float, least: int
) -> None:
    written, svg = QBuffer(), QSvgGenerator()
    svg.setOutputDevice(written)
    svg.setResolution(72)
    with QPainter(svg) as painter:
        drawing = draw_tree(plan_of(by_hand()), np.zeros(7, dtype=np.bool_))
        view = View(scale, scale, 20.0, 15.0, 900.0, 600.0)
        TreePainter(drawing, StructureColors(current_theme()), QFont()).paint(painter, view, Marks())
    pattern = r'<g [^>]*font-size="(\d+)"[^>]*>\s*<text[^>]*>([^<>]+)</text>'
    sizes = {text: int(size) for size, text in re.findall(pattern, bytes(written.data().data()).decode())}
    assert sizes["class 0"] >= sizes.get("15 records", least) == least
    assert min(sizes.values()) >= 11  # a number on a branch keeps its digits rather than its size


@pytest.mark.parametrize("scale", [0.3, 1.0])
def test_a_node_in_focus_stays_marked_without_the_keyboard_and_folded_away_its_place_is(
    qapp: QApplication, scale: float
) -> None:
    tree = by_hand()
    folded = draw_tree(plan_of(tree), collapsed_below(plan_of(tree), 1))
    view, look = View(scale, scale, 20.0, 15.0, 600.0, 300.0), StructureColors(current_theme())

    def around(focus: int, node: int) -> int:
        """Pixels in the colour of focus left of a node's box, where a frame around it runs."""
        image = QImage(600, 300, QImage.Format.Format_RGB32)
        image.fill(current_theme().pane)
        painter = QPainter(image)
        TreePainter(folded, look, QFont()).paint(painter, view, Marks(focus=focus))
        painter.end()
        box = Boxes(folded, view).rect_of(node)
        assert box is not None
        xs, ys = range(int(box.left()) - 6, int(box.left()) - 1), range(int(box.top()), int(box.bottom()))
        blue = [image.pixelColor(x, y) for x in xs for y in ys]
        return sum(color.blue() - color.red() > 60 for color in blue)

    assert not around(-1, 1) and not around(2, 1)
    assert around(1, 1) > around(4, 1) > 0, "dashes where it stands for what is folded away below"


@pytest.mark.parametrize(("across", "down", "are_named"), [(0.55, 0.6, True), (0.55, 0.3, False), (0.15, 0.6, False)])
def test_boxes_from_afar_are_named_where_they_have_room(
    qapp: QApplication, across: float, down: float, are_named: bool
) -> None:
    """The miniature of a tree that is pruned had boxes without names."""
    written, svg = QBuffer(), QSvgGenerator()
    svg.setOutputDevice(written)
    drawing = draw_tree(plan_of(by_hand()), np.zeros(7, dtype=np.bool_))
    view = View(across, down, 20.0, 15.0, 600.0, 400.0)
    assert view.detail is DetailLevel.SHARES
    with QPainter(svg) as painter:
        TreePainter(drawing, StructureColors(current_theme()), QFont()).paint(painter, view, Marks())
    told = set(re.findall(r">([^<>]+)</text>", bytes(written.data().data()).decode()))
    assert told == ({"age", "colour", "class 0", "class 1", "class 2"} if are_named else set())
