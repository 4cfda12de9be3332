"""The tidy layout of trees: nothing overlaps, parents stand in the middle, equals look equal."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from workbench.layout.tree_layout import TreeLayout, tidy_tree

SIBLINGS, COUSINS = 10.0, 20.0


@dataclass(frozen=True)
class Shape:
    first_child: NDArray[np.int32]
    n_children: NDArray[np.int32]
    widths: NDArray[np.float64]

    def layout(self, collapsed: NDArray[np.bool_] | None = None) -> TreeLayout:
        return tidy_tree(
            self.first_child,
            self.n_children,
            self.widths,
            collapsed=collapsed,
            sibling_gap=SIBLINGS,
            cousin_gap=COUSINS,
        )

    def children(self, node: int) -> range:
        return range(self.first_child[node], self.first_child[node] + self.n_children[node])


def grown(choices: list[tuple[int, int]], widths: list[float]) -> Shape:
    """A tree grown by giving ``n`` children to the leaf ``which`` (modulo the leaves there are), again and again."""
    first, count, leaves = [-1], [0], [0]
    for which, n in choices:
        node = leaves.pop(which % len(leaves))
        first[node], count[node] = len(first), n
        for _ in range(n):
            leaves.append(len(first))
            first.append(-1)
            count.append(0)
    cycled = [widths[i % len(widths)] for i in range(len(first))]
    return Shape(np.array(first, np.int32), np.array(count, np.int32), np.array(cycled))


shapes = st.builds(
    grown,
    st.lists(st.tuples(st.integers(0, 10_000), st.integers(1, 6)), max_size=40),
    st.lists(st.floats(1, 300), min_size=1, max_size=7),
)


@given(shapes)
def test_boxes_of_a_row_keep_their_order_and_their_distance(shape: Shape) -> None:
    layout = shape.layout()
    for row in layout.rows:
        right = layout.x[row] + shape.widths[row] / 2
        left = layout.x[row] - shape.widths[row] / 2
        assert np.all(left[1:] - right[:-1] >= SIBLINGS - 1e-6)


@given(shapes)
def test_every_parent_stands_in_the_middle_of_its_first_and_last_child(shape: Shape) -> None:
    layout = shape.layout()
    for node in np.flatnonzero(shape.n_children):
        children = shape.children(int(node))
        middle = (layout.x[children[0]] + layout.x[children[-1]]) / 2
        assert abs(layout.x[node] - middle) < 1e-6


@given(shapes)
def test_children_stand_one_row_below_their_parent_and_all_nodes_are_placed(shape: Shape) -> None:
    layout = shape.layout()
    assert layout.n_shown == len(shape.n_children)
    assert not np.isnan(layout.x).any()
    for node in np.flatnonzero(shape.n_children):
        assert all(layout.depth[child] == layout.depth[node] + 1 for child in shape.children(int(node)))


@given(shapes)
def test_the_drawing_begins_at_zero_and_ends_at_its_width(shape: Shape) -> None:
    layout = shape.layout()
    assert abs(np.min(layout.x - shape.widths / 2)) < 1e-6
    assert abs(np.max(layout.x + shape.widths / 2) - layout.width) < 1e-6


@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(1, 5)), min_size=1, max_size=15))
def test_equal_subtrees_are_drawn_equally_and_symmetrically(choices: list[tuple[int, int]]) -> None:
    half = grown(choices, [50.0])
    m = len(half.n_children)
    first, count = np.full(2 * m + 1, -1), np.zeros(2 * m + 1, dtype=np.int64)
    first[0], count[0] = 1, 2
    place = np.zeros((2, m), dtype=np.int64)
    place[:, 0] = 1, 2
    free = 3
    for node in range(m):
        if half.n_children[node]:
            for copy in (0, 1):
                at = place[copy, node]
                first[at], count[at] = free, half.n_children[node]
                for child in half.children(node):
                    place[copy, child] = free
                    free += 1
    assert free == 2 * m + 1
    layout = tidy_tree(first, count, np.full(2 * m + 1, 50.0))
    left, right = layout.x[place[0]], layout.x[place[1]]
    assert np.allclose(left - left[0], right - right[0], atol=1e-6)


@given(shapes)
def test_a_mirrored_tree_gives_the_mirrored_drawing(shape: Shape) -> None:
    m = len(shape.n_children)
    image, first, free = np.zeros(m, dtype=np.int64), np.full(m, -1), 1
    count = np.zeros(m, dtype=np.int64)
    queue = [0]
    while queue:
        node = queue.pop(0)
        count[image[node]] = shape.n_children[node]
        if shape.n_children[node]:
            first[image[node]] = free
            for child in reversed(shape.children(node)):
                image[child] = free
                free += 1
                queue.append(child)
    widths = np.empty(m)
    widths[image] = shape.widths
    layout, mirrored = shape.layout(), Shape(first, count, widths).layout()
    assert np.allclose(layout.width - layout.x, mirrored.x[image], atol=1e-6)


def test_what_lies_below_a_collapsed_node_has_no_place() -> None:
    shape = grown([(0, 2), (0, 3), (0, 2)], [40.0])
    collapsed = np.zeros(len(shape.n_children), dtype=np.bool_)
    collapsed[2] = True
    layout = shape.layout(collapsed)
    hidden = set(shape.children(2)) | {
        grandchild for child in shape.children(2) for grandchild in shape.children(child)
    }
    assert {int(node) for node in np.flatnonzero(~layout.shown)} == hidden
    assert np.isnan(layout.x[list(hidden)]).all()


def test_a_small_subtree_between_large_ones_stands_midway_and_not_at_one_side() -> None:
    # the root has three children; the outer ones have four children each and push them apart
    shape = Shape(
        np.array([1, 4, -1, 8, *[-1] * 8], np.int32),
        np.array([3, 4, 0, 4, *[0] * 8], np.int32),
        np.full(12, 40.0),
    )
    layout = shape.layout()
    assert abs(layout.x[2] - (layout.x[1] + layout.x[3]) / 2) < 1e-9


def test_a_single_leaf_has_a_drawing() -> None:
    layout = tidy_tree(np.array([-1]), np.array([0]), np.array([80.0]))
    assert layout.width == 80.0 and layout.x.tolist() == [40.0] and layout.n_shown == 1


def test_a_tree_without_nodes_is_empty() -> None:
    layout = tidy_tree(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))
    assert layout.n_shown == 0 and layout.width == 0.0
