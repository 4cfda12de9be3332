"""A tree ready for painting: boxes, edges and class shares as arrays, and which of them a view touches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF

from algorithms.data.columns import FloatArray
from algorithms.learners.trees.words import sum_words
from algorithms.structures.tree import NO_NODE, Test, Tree
from algorithms.text.names import shortened
from workbench.jobs.worker_threads import give_way
from workbench.layout.camera import Camera
from workbench.layout.tree_layout import IndexArray, TreeLayout, tidy_tree, tree_rows
from workbench.viewers.original_units import Unscaled, tree_in_own_units


@dataclass
class Marks:
    """Nodes that stand out: the one in focus, most where the keyboard is there as well, the one under the mouse,
    those on a lit path, with what the record that goes there answers (``answers``, by the node that the branch
    leads to).

    ``found`` (m,) are those in which something was searched and found, ``found_below`` (m,) how many are under each.
    ``selected`` (m,) is the weight of the selected records in each. ``waiting`` (m,) are those of which it is not
    decided yet, while the tree grows, whether they are divided. ``by_hand`` were changed by a person; ``badges`` are
    few words at a node's corner.
    """

    focus: int = NO_NODE
    focus_is_visible: bool = False
    hover: int = NO_NODE
    lit: frozenset[int] = field(default_factory=frozenset)
    answers: Mapping[int, str] = field(default_factory=dict)
    found: NDArray[np.bool_] | None = None
    found_below: NDArray[np.int64] | None = None
    selected: NDArray[np.float64] | None = None
    waiting: NDArray[np.bool_] | None = None
    by_hand: frozenset[int] = field(default_factory=frozenset)
    badges: Mapping[int, str] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)
    """A sentence more for a node's card."""


BOX_HEIGHT: Final = 60.0
ROW_HEIGHT: Final = 96.0
NARROWEST: Final = 96.0
WIDEST: Final = 176.0
PADDING: Final = 26.0
MOST_TERMS: Final = 3
LONG_IN_A_SUM, IN_A_SUM = 24, 10
"""Characters of a name among others in a box: where there is room, and where there is little."""
IN_A_BOX: Final = 2
"""Significant digits of a coefficient in a box; card, table and rules name it whole."""
READABLE_SCALE: Final = 0.68
"""The smallest scale at which names can be read with ease."""


@dataclass(frozen=True, eq=False)
class NodeCounts:
    """The weight (m, k) of the records of each class in each node; of tested ones also that of the ``wrong`` (m,)."""

    counts: FloatArray
    wrong: FloatArray | None = None

    @property
    def are_tested(self) -> bool:
        return self.wrong is not None


@dataclass(frozen=True, eq=False)
class TreePlan:
    """What every drawing of a tree of m nodes shares; made once, off the window's thread where the tree is large.

    ``rows`` are the nodes of each depth in drawing order and ``depths`` (m,) their depths; ``widths`` (m,) those of
    their boxes; ``counted`` says which records are counted, ``records`` (m,) their weight in each node, ``share`` (m,)
    its part of the root's;
    ``below`` (m,) the number of nodes under each; ``order`` (m,) all nodes, each before its children; ``leaf_number``
    (m,) counts the leaves in that order from 1 and is 0 elsewhere. ``worded`` is the tree as it is put into words, with
    numbers of rescaled columns as the table has them; ``tree`` itself where there are none.
    """

    tree: Tree
    worded: Tree
    rows: tuple[IndexArray, ...]
    depths: NDArray[np.int32]
    widths: FloatArray
    counted: NodeCounts
    records: FloatArray
    share: FloatArray
    below: IndexArray
    order: IndexArray
    leaf_number: IndexArray

    @property
    def n_levels(self) -> int:
        return len(self.rows)

    def shares(self, nodes: IndexArray) -> FloatArray:
        """The classes' parts (n, k) of the records in these nodes; zeros where a node has none."""
        records = self.records[nodes, None]
        counts = self.counted.counts[nodes]
        shares: FloatArray = np.divide(counts, records, out=np.zeros_like(counts), where=records > 0)
        return shares


@dataclass(frozen=True, eq=False)
class TreeDrawing:
    """What is painted: ``layout`` says where the ``shown`` nodes stand, row by row from left to right.

    ``hidden`` (m,) is how many nodes a collapsed node hides, 0 for all others; ``top`` (m,) the upper edge of the boxes
    and ``parent_x`` (m,) where each node's parent stands.
    """

    plan: TreePlan
    layout: TreeLayout
    collapsed: NDArray[np.bool_]
    shown: IndexArray
    top: FloatArray
    hidden: IndexArray
    parent_x: FloatArray

    @property
    def tree(self) -> Tree:
        return self.plan.tree

    @property
    def widths(self) -> FloatArray:
        return self.plan.widths

    @property
    def width(self) -> float:
        return self.layout.width

    @property
    def height(self) -> float:
        return max(0, len(self.layout.rows) - 1) * ROW_HEIGHT + BOX_HEIGHT

    @property
    def n_rows(self) -> int:
        return len(self.layout.rows)

    def box(self, node: int) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of a shown node's box."""
        x, half, top = float(self.layout.x[node]), float(self.widths[node]) / 2, float(self.top[node])
        return x - half, top, x + half, top + BOX_HEIGHT

    def node_at(self, x: float, y: float, slack_x: float = 0.0, slack_y: float = 0.0) -> int:
        """The shown node whose box (enlarged by the slack) holds the point, the nearest of several; -1 for none."""
        row = round((y - BOX_HEIGHT / 2) / ROW_HEIGHT)
        if not 0 <= row < self.n_rows or not -slack_y <= y - row * ROW_HEIGHT <= BOX_HEIGHT + slack_y:
            return NO_NODE
        nodes = self.layout.rows[row]
        distance = np.abs(self.layout.x[nodes] - x) - self.widths[nodes] / 2
        nearest = int(np.argmin(distance))
        return int(nodes[nearest]) if distance[nearest] <= slack_x else NO_NODE

    def standing_for(self, node: int) -> int:
        """The node itself where it is shown, else the one under which it is folded away; -1 for none."""
        while 0 <= node < self.tree.n_nodes and self.layout.depth[node] < 0:
            node = int(self.tree.parent[node])
        return node

    def is_open(self, node: int) -> bool:
        """Whether the node's children are shown."""
        return bool(self.tree.n_children[node] > 0 and not self.collapsed[node])

    def neighbour(self, node: int, rows: int, steps: int) -> int:
        """The node reached by going down ``rows`` (negative: up) or ``steps`` to the right in its row; else itself."""
        if rows < 0:
            parent = int(self.tree.parent[node])
            return node if parent == NO_NODE else parent
        if rows > 0:
            children = self.tree.children(node)
            return children[len(children) // 2 if len(children) % 2 else 0] if self.is_open(node) else node
        row = self.layout.rows[int(self.layout.depth[node])]
        at = int(np.searchsorted(self.layout.x[row], self.layout.x[node])) + steps
        return int(row[min(len(row) - 1, max(0, at))])


def planned(
    tree: Tree,
    measure: Callable[[str], float],
    counted: NodeCounts | None = None,
    unscaled: Unscaled | None = None,
) -> TreePlan:
    """The plan of a tree; ``measure`` says how wide a name is, and is asked once for each.

    ``counted`` are the records to count in the nodes, those it was grown from where none are given. ``unscaled`` finds
    the numbers of rescaled columns as the table has them.
    """
    counted = NodeCounts(tree.counts) if counted is None else counted
    rows = tree_rows(tree.first_child, tree.n_children)
    depths = np.zeros(tree.n_nodes, dtype=np.int32)
    for depth, row in enumerate(rows):
        depths[row] = depth
    records = counted.counts.sum(axis=1)
    whole = float(records[0]) if len(records) else 0.0
    below = tree.summed_below(np.ones(tree.n_nodes, dtype=np.int64))
    order = _preorder(tree, rows, below + 1)
    return TreePlan(
        tree=tree,
        worded=tree_in_own_units(tree, unscaled, give_way),
        rows=rows,
        depths=depths,
        widths=_box_widths(tree, counted, records, measure),
        counted=counted,
        records=records,
        share=records / whole if whole > 0 else np.zeros_like(records),
        below=below,
        order=order,
        leaf_number=_leaf_numbers(tree, order),
    )


def _box_widths(tree: Tree, counted: NodeCounts, records: FloatArray, measure: Callable[[str], float]) -> FloatArray:
    """Widths (m,) of the boxes: a name's measured width and some air, within limits. Measures each name once."""
    widths = np.full(tree.n_nodes, NARROWEST)
    leaves = tree.test == Test.LEAF
    for mask, codes, names in (
        (~leaves, tree.attribute, tree.schema.names),
        (leaves, tree.decision, tree.schema.classes),
    ):
        used = np.unique(codes[mask])
        table = np.full(int(used.max(initial=0)) + 1, NARROWEST)
        for code in used.tolist():
            table[code] = measure(names[code]) + PADDING
        widths[mask] = table[codes[mask]]
    widths[tree.test == Test.LINEAR] = WIDEST
    leaf_air = np.where(leaves, 14.0, 0.0)
    digits = np.ceil(np.log10(np.maximum(records, 1.0) + 1.0))
    longest = "00.0% of 000 wrong" if counted.are_tested else "0,000 records"
    widths = np.maximum(widths, measure(longest) + 7.0 * (digits - 3.0))
    clipped: FloatArray = np.clip(np.ceil(widths + leaf_air), NARROWEST, WIDEST)
    return clipped


def name(tree: Tree, node: int) -> str:
    """What stands in a node where there is room: the attribute it tests, a weighed sum, or the class a leaf decides."""
    return names(tree, node)[0]


def names(tree: Tree, node: int) -> tuple[str, ...]:
    """What may stand in a node, the longest first: of a weighed sum ever fewer terms, with names ever shorter."""
    if tree.is_leaf(node):
        return (tree.schema.classes[int(tree.decision[node])],)
    whole = [tree.schema.attributes[index].name for index in tree.asked(node)]
    if not tree.is_linear(node):
        return (whole[0],)
    coefficients = [float(tree.term_coefficient[t]) for t in tree.terms(node)]
    return tuple(
        sum_words([shortened(each, length) for each in whole], coefficients, terms, IN_A_BOX)
        for terms in range(min(MOST_TERMS, len(whole)), 0, -1)
        for length in (LONG_IN_A_SUM, IN_A_SUM)
    )


def _leaf_numbers(tree: Tree, order: IndexArray) -> IndexArray:
    """Numbers (m,) of the leaves from 1 in reading order, 0 for the other nodes."""
    numbers = np.zeros(tree.n_nodes, dtype=np.int64)
    leaves = order[tree.test[order] == Test.LEAF]
    numbers[leaves] = np.arange(1, len(leaves) + 1)
    return numbers


def _preorder(tree: Tree, rows: tuple[IndexArray, ...], sizes: IndexArray) -> IndexArray:
    """All nodes (m,) such that each stands before its children, and these in branch order."""
    place = np.zeros(tree.n_nodes, dtype=np.int64)
    for row in rows[1:]:
        before = np.cumsum(sizes[row]) - sizes[row]
        parents = tree.parent[row]
        starts = np.flatnonzero(np.r_[True, parents[1:] != parents[:-1]])
        lengths = np.diff(np.r_[starts, len(row)])
        place[row] = place[parents] + 1 + before - np.repeat(before[starts], lengths)
    order = np.empty(tree.n_nodes, dtype=np.int64)
    order[place] = np.arange(tree.n_nodes)
    return order


def draw(plan: TreePlan, collapsed: NDArray[np.bool_]) -> TreeDrawing:
    """The drawing of the tree with the children of the ``collapsed`` (m,) nodes left out."""
    tree = plan.tree
    closed = collapsed & (tree.n_children > 0)
    layout = tidy_tree(tree.first_child, tree.n_children, plan.widths, collapsed=closed)
    return TreeDrawing(
        plan=plan,
        layout=layout,
        collapsed=closed,
        shown=np.concatenate(layout.rows) if layout.rows else np.zeros(0, dtype=np.int64),
        top=layout.depth.astype(np.float64) * ROW_HEIGHT,
        hidden=np.where(closed, plan.below, 0),
        parent_x=layout.x[np.maximum(tree.parent, 0)],
    )


def collapsed_below(plan: TreePlan, depth: int) -> NDArray[np.bool_]:
    """Mask (m,) of the inner nodes at ``depth`` or below it."""
    return (plan.depths >= depth) & (plan.tree.n_children > 0)


def readable_depth(plan: TreePlan, view_width: float, view_height: float) -> int:
    """The greatest depth down to which the tree can be read when it fits a view of this size, at least 1."""
    tree = plan.tree
    for depth in range(1, plan.n_levels):
        height = depth * ROW_HEIGHT + BOX_HEIGHT
        least_width = len(plan.rows[depth]) * NARROWEST
        if least_width * READABLE_SCALE > view_width * 1.2 or height * READABLE_SCALE > view_height:
            return max(1, depth - 1)
        layout = tidy_tree(tree.first_child, tree.n_children, plan.widths, collapsed=collapsed_below(plan, depth))
        if layout.width * READABLE_SCALE > view_width:
            return max(1, depth - 1)
    return max(0, plan.n_levels - 1)


@dataclass(frozen=True)
class Begun:
    """A tree as it is first shown: planned, down to ``depth``, drawn."""

    plan: TreePlan
    depth: int
    drawing: TreeDrawing


def begun(plan: TreePlan, wanted: int | None, width: float, height: float) -> Begun:
    """Draw a tree down to the depth ``wanted``, or as far as it can be read in a view of this size (before scaling)."""
    depth = readable_depth(plan, width, height) if wanted is None else min(wanted, plan.n_levels - 1)
    return Begun(plan, depth, draw(plan, collapsed_below(plan, depth)))


NAMES_FROM: Final = 0.5
FULL_FROM: Final = 0.57
"""From here on what is smaller than names can be read as well: in letters of eight pixels or more."""
SHARES_FROM: Final = 4 / NARROWEST
WIDEST_EDGE: Final = 16.0
MOST_BOXES: Final = 6000
"""From afar no more than about so many boxes, and edges, are painted: of those on one spot the first."""


class Detail(IntEnum):
    FAR = 0
    SHARES = 1
    NAMES = 2
    FULL = 3


@dataclass(frozen=True)
class View:
    """From the drawing to pixels: ``px = x * scale_x + left``, ``py = y * scale_y + top``, in a window of this size."""

    scale_x: float
    scale_y: float
    left: float
    top: float
    width: float
    height: float

    @classmethod
    def through(cls, camera: Camera) -> View:
        """What a camera sees."""
        left, top = camera.to_view(0.0, 0.0)
        return cls(camera.scale, camera.scale_y, left, top, camera.view_width, camera.view_height)

    @property
    def detail(self) -> Detail:
        if self.scale_x >= FULL_FROM:
            return Detail.FULL
        if self.scale_x >= NAMES_FROM:
            return Detail.NAMES
        return Detail.SHARES if self.scale_x >= SHARES_FROM else Detail.FAR


class Boxes:
    """The boxes and edges that a view touches, in pixels.

    Only those of the mask ``only`` (m,) where one is given, and from afar about ``most``. ``nodes`` (v,) with their
    ``left``, ``top``, ``width`` and ``height``; ``edges`` (e,) are the nodes whose edge from the parent is touched.
    """

    def __init__(
        self, drawing: TreeDrawing, view: View, only: NDArray[np.bool_] | None = None, most: int = MOST_BOXES
    ) -> None:
        self._drawing, self._view = drawing, view
        shown = drawing.shown if only is None else drawing.shown[only[drawing.shown]]
        half = drawing.widths[shown] / 2 * view.scale_x
        middle = drawing.layout.x[shown] * view.scale_x + view.left
        top = drawing.top[shown] * view.scale_y + view.top
        height = BOX_HEIGHT * view.scale_y
        across = (middle + half > -8) & (middle - half < view.width + 8)
        seen = np.flatnonzero(across & (top + height > -24) & (top < view.height + 24))
        from_x = drawing.parent_x[shown] * view.scale_x + view.left
        from_y = top - ROW_HEIGHT * view.scale_y
        reaches = (np.maximum(middle, from_x) > -WIDEST_EDGE) & (np.minimum(middle, from_x) < view.width + WIDEST_EDGE)
        reaches &= (top > -WIDEST_EDGE) & (from_y < view.height + WIDEST_EDGE) & (shown != 0)
        edges = np.flatnonzero(reaches)
        if view.detail is Detail.FAR:
            seen, edges = _thinned(seen, most, top, middle), _thinned(edges, most, top, middle, from_x)
        self.nodes: IndexArray = shown[seen]
        self.edges: IndexArray = shown[edges]
        self.left, self.top = (middle - half)[seen], top[seen]
        self.width = 2 * half[seen]
        self.height = np.full(len(seen), BOX_HEIGHT * view.scale_x if view.detail >= Detail.NAMES else height)

    def edge_ends(self, children: IndexArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Start and end of the edges to these children: x and y, x and y, in pixels."""
        drawing, view = self._drawing, self._view
        parents = drawing.tree.parent[children]
        box = BOX_HEIGHT * (view.scale_x if view.detail >= Detail.NAMES else view.scale_y)
        return (
            drawing.parent_x[children] * view.scale_x + view.left,
            drawing.top[parents] * view.scale_y + view.top + box,
            drawing.layout.x[children] * view.scale_x + view.left,
            drawing.top[children] * view.scale_y + view.top,
        )

    def rect_of(self, node: int) -> QRectF | None:
        """A node's box, None where it is out of view."""
        at = np.flatnonzero(self.nodes == node)
        if not len(at):
            return None
        i = int(at[0])
        return QRectF(self.left[i], self.top[i], self.width[i], self.height[i])


def _thinned(chosen: IndexArray, most: int, top: FloatArray, *across: FloatArray) -> IndexArray:
    """Of those that fall on the same few pixels of a row, which follow each other, only the first."""
    cell = 1.0
    while len(chosen) > most and cell < 16:
        differs: NDArray[np.bool_] = np.ones(len(chosen), dtype=np.bool_)
        differs[1:] = np.diff(top[chosen]) != 0
        for x in across:
            differs[1:] |= np.diff(np.floor(x[chosen] / cell)) != 0
        chosen = chosen[differs]
        cell *= 2
    return chosen
