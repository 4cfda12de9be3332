"""Tidy layouts of trees, and miniatures of trees.

Every depth is a row. Children keep their order and stand centred under their parent; no two boxes of a row touch. Equal
subtrees are drawn equally, and a mirrored tree gives the mirrored drawing.

All parents of a row are placed at once with array operations, from the deepest row upwards. Each subtree is carried as
its two contours. Walker's and Buchheim's algorithm spreads smaller subtrees between larger ones. Here children are
packed once to the left and once to the right, and stand at the mean of both. The mean keeps every minimal distance,
because these conditions are linear.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray, Mask
from algorithms.structures.tree import Tree


@dataclass(frozen=True, eq=False)
class TreeLayout:
    """Positions of the m nodes of a tree.

    ``x`` (m,) is the middle of each box, from 0 at the leftmost edge, NaN below a collapsed node. ``depth`` (m,) is its
    row, -1 where hidden. ``rows`` are the shown nodes of each row from left to right; ``width`` is the width of the
    drawing.
    """

    x: FloatArray
    depth: NDArray[np.int32]
    rows: tuple[IntArray, ...]
    width: float

    @property
    def shown(self) -> Mask:
        """Mask (m,) of the nodes that no collapsed ancestor hides."""
        return self.depth >= 0

    @property
    def n_shown(self) -> int:
        return sum(len(row) for row in self.rows)


def tree_rows(
    first_child: NDArray[np.integer], n_children: NDArray[np.integer], collapsed: Mask | None = None
) -> tuple[IntArray, ...]:
    """Shown nodes of each depth in drawing order; children of i follow ``first_child[i]``, the root is 0."""
    counts = np.asarray(n_children, dtype=np.int64)
    if collapsed is not None:
        counts = np.where(collapsed, 0, counts)
    firsts = np.asarray(first_child, dtype=np.int64)
    rows = [np.zeros(min(1, len(counts)), dtype=np.int64)]
    while len(rows[-1]):
        parents = rows[-1][counts[rows[-1]] > 0]
        rows.append(_ranges(firsts[parents], counts[parents]))
    return tuple(rows[:-1])


def _ranges(starts: IntArray, lengths: IntArray) -> IntArray:
    """The concatenation of ``start .. start + length - 1`` for each pair."""
    ends = np.cumsum(lengths)
    total = int(ends[-1]) if len(ends) else 0
    ranges: IntArray = np.arange(total) + np.repeat(starts - (ends - lengths), lengths)
    return ranges


def tidy_tree(
    first_child: NDArray[np.integer],
    n_children: NDArray[np.integer],
    widths: FloatArray,
    *,
    collapsed: Mask | None = None,
    sibling_gap: float = 14.0,
    cousin_gap: float = 26.0,
) -> TreeLayout:
    """The tidy layout of a tree whose node i is ``widths[i]`` wide.

    The children of one parent are at least ``sibling_gap`` apart. Boxes of different subtrees in lower rows are at
    least ``cousin_gap`` (not smaller) apart. Nodes marked in ``collapsed`` (m,) are drawn without their children.
    """
    rows = tree_rows(first_child, n_children, collapsed)
    m = len(n_children)
    offset = np.zeros(m)
    left: FloatArray = np.zeros((0, 0))
    right: FloatArray = np.zeros((0, 0))
    for level in range(len(rows) - 1, -1, -1):
        row = rows[level]
        half = widths[row] / 2.0
        shape = len(row), left.shape[1] + 1
        own_left, own_right = np.full(shape, np.inf), np.full(shape, -np.inf)
        own_left[:, 0], own_right[:, 0] = -half, half
        if level + 1 < len(rows):
            counts = np.asarray(n_children, dtype=np.int64)[row]
            if collapsed is not None:
                counts = np.where(collapsed[row], 0, counts)
            inner = np.flatnonzero(counts)
            placed, low, high = _placed(counts[inner], left, right, sibling_gap, cousin_gap)
            offset[rows[level + 1]] = placed
            own_left[inner, 1:], own_right[inner, 1:] = low, high
        left, right = own_left, own_right
    return _absolute(rows, offset, first_child, n_children, collapsed, widths, m)


def _placed(
    counts: IntArray, left: FloatArray, right: FloatArray, sibling_gap: float, cousin_gap: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Places of all children of a row relative to their parents, and the contours of each parent's children.

    ``counts`` (p,) are the parents' numbers of children. ``left`` and ``right`` (c, h) are the contours of the
    children's subtrees in drawing order, relative to each child's middle.
    """
    ends = np.cumsum(counts)
    starts = ends - counts
    gaps = np.full(left.shape[1], cousin_gap)
    gaps[0] = sibling_gap
    forward = _packed(starts, counts, left, right, gaps)
    mirrored = _packed(ends - 1, counts, -right, -left, gaps, step=-1)
    last = np.repeat(forward[ends - 1], counts)
    places = (forward + (last - mirrored)) / 2.0
    places -= np.repeat(forward[ends - 1] / 2.0, counts)
    shifted = places[:, None]
    low = np.minimum.reduceat(left + shifted, starts, axis=0)
    high = np.maximum.reduceat(right + shifted, starts, axis=0)
    return places, low, high


def _packed(
    starts: IntArray, counts: IntArray, left: FloatArray, right: FloatArray, gaps: FloatArray, step: int = 1
) -> FloatArray:
    """Places (c,) of the children, each as near to those before it as the gaps allow; a parent's first stands at 0."""
    places = np.zeros(len(left))
    most = int(counts.max())
    active = np.flatnonzero(counts > 1)
    reach = right[starts[active]]
    for nth in range(1, most):
        going = counts[active] > nth
        if not going.all():
            active, reach = active[going], reach[going]
        child = starts[active] + step * nth
        place = np.max(reach - left[child] + gaps, axis=1)
        places[child] = place
        reach = np.maximum(reach, right[child] + place[:, None])
    return places


def _absolute(
    rows: Sequence[IntArray],
    offset: FloatArray,
    first_child: NDArray[np.integer],
    n_children: NDArray[np.integer],
    collapsed: Mask | None,
    widths: FloatArray,
    m: int,
) -> TreeLayout:
    x = np.full(m, np.nan)
    depth = np.full(m, -1, dtype=np.int32)
    counts = np.asarray(n_children, dtype=np.int64)
    if collapsed is not None:
        counts = np.where(collapsed, 0, counts)
    low, high = np.inf, -np.inf
    for level, row in enumerate(rows):
        if level == 0:
            x[row] = 0.0
        else:
            above = rows[level - 1]
            x[row] = np.repeat(x[above], counts[above]) + offset[row]
        depth[row] = level
        low = min(low, float(np.min(x[row] - widths[row] / 2.0)))
        high = max(high, float(np.max(x[row] + widths[row] / 2.0)))
    if not rows:
        return TreeLayout(x, depth, (), 0.0)
    return TreeLayout(x - low, depth, tuple(rows), high - low)


@dataclass(frozen=True, eq=False)
class SmallTree:
    """The upper levels of a tree: ``nodes`` (s,) from the root down, level by level.

    ``x`` (s,) goes from 0 to 1, with the outermost nodes half a place from the edge. ``level`` (s,) is 0 at the root.
    ``above`` (s,) is the index of each node's parent, -1 at the root. ``ends`` (s,) marks nodes without children here;
    ``is_cut`` says that the tree goes on below.
    """

    nodes: IntArray
    x: FloatArray
    level: IntArray
    above: IntArray
    ends: Mask
    is_cut: bool

    @property
    def depth(self) -> int:
        return int(self.level[-1])


def small_tree(tree: Tree, most: int) -> SmallTree:
    """The upper levels of a tree, as many as have at most ``most`` nodes together, but at least two."""
    nodes, level, above = [0], [0], [-1]
    start, depth, is_cut = 0, 0, False
    while True:
        next_level, parents = [], []
        for place in range(start, len(nodes)):
            children = tree.children(nodes[place])
            next_level += list(children)
            parents += [place] * len(children)
        if not next_level:
            break
        if depth and len(nodes) + len(next_level) > most:
            is_cut = True
            break
        start, depth = len(nodes), depth + 1
        nodes += next_level
        above += parents
        level += [depth] * len(next_level)
    return SmallTree(np.array(nodes), _across(above), np.array(level), np.array(above), _ends(above), is_cut)


def _ends(above: list[int]) -> Mask:
    is_end = np.ones(len(above), dtype=np.bool_)
    is_end[[place for place in above if place >= 0]] = False
    return is_end


def _across(above: list[int]) -> FloatArray:
    """Leaves evenly spread from the left; each other node in the middle between its outermost children."""
    children: list[list[int]] = [[] for _ in above]
    for place, parent in enumerate(above):
        if parent >= 0:
            children[parent].append(place)
    order, waiting = [], [0]
    while waiting:
        place = waiting.pop()
        if not children[place]:
            order.append(place)
        waiting.extend(reversed(children[place]))
    x = np.zeros(len(above))
    x[order] = (np.arange(len(order)) + 0.5) / len(order)
    for place in range(len(above) - 1, -1, -1):
        if children[place]:
            x[place] = (x[children[place][0]] + x[children[place][-1]]) / 2
    return x


def preorder(parent: NDArray[np.signedinteger[Any]], rows: tuple[IntArray, ...], sizes: IntArray) -> IntArray:
    """All nodes (m,) from subtree ``sizes`` (m,), each before its children in branch order."""
    place = np.zeros(len(parent), dtype=np.int64)
    for row in rows[1:]:
        before = np.cumsum(sizes[row]) - sizes[row]
        parents = parent[row]
        starts = np.flatnonzero(np.r_[True, parents[1:] != parents[:-1]])
        lengths = np.diff(np.r_[starts, len(row)])
        place[row] = place[parents] + 1 + before - np.repeat(before[starts], lengths)
    order = np.empty(len(parent), dtype=np.int64)
    order[place] = np.arange(len(parent))
    return order
