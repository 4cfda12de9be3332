"""A tree ready for painting: boxes, edges and class shares as arrays, and which of them a view touches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QRectF

from algorithms.data.columns import FloatArray, IntArray, Mask
from algorithms.structures.tree import NO_NODE, SplitTest, Tree, branch_words, sum_words
from algorithms.text.names import shortened
from algorithms.text.numbers import cut_number
from workbench.jobs.jobs import give_way
from workbench.layout.camera import Camera
from workbench.layout.tree_layout import TreeLayout, preorder, tidy_tree, tree_rows
from workbench.viewers.original_units import TableNumbers, tree_in_own_units, written_tree
from workbench.viewers.tree.split_histograms import SplitHistogram


@dataclass
class Marks:
    """Marked nodes: focus, hover, and the highlighted path of a record with its ``answers`` by node.

    ``matches`` (m,) are those of a search, ``matches_below`` (m,) counts those under each node. ``selected`` (m,) is
    the weight of selected records. ``waiting`` (m,) are nodes of a growing tree that may still be split. ``by_hand``
    are edited nodes; ``badges`` are short texts at a node's corner.
    """

    focus: int = NO_NODE
    focus_is_visible: bool = False
    hover: int = NO_NODE
    lit: frozenset[int] = field(default_factory=frozenset)
    answers: Mapping[int, str] = field(default_factory=dict)
    matches: Mask | None = None
    matches_below: IntArray | None = None
    selected: FloatArray | None = None
    waiting: Mask | None = None
    by_hand: frozenset[int] = field(default_factory=frozenset)
    badges: Mapping[int, str] = field(default_factory=dict)
    notes: Mapping[int, str] = field(default_factory=dict)
    histograms: Mapping[int, SplitHistogram] = field(default_factory=dict)
    """The classes over the attribute that a node splits."""


BOX_HEIGHT: Final = 60.0
NAME_LINE: Final = 15.0
"""Height of the second line of a name, which makes its box higher."""
SPLIT_HEIGHT: Final = 96.0
"""Height of a box with a histogram."""
BETWEEN_ROWS: Final = 38.0
"""Room for the fold handles and the labels of the branches."""
HANDLE: Final = 7.5
"""Radius of the fold handle, which hangs below its box."""
NARROWEST: Final = 110.0
SPLIT_WIDTH: Final = 156.0
WIDEST: Final = 190.0
PADDING: Final = 26.0
MOST_TERMS: Final = 3
LONG_IN_A_SUM, IN_A_SUM = 24, 10
"""Characters of a name in a weighted sum: with much room, and with little."""
IN_A_BOX: Final = 2
"""Significant digits of a coefficient in a box; card, table and rules show it exactly."""
BEYOND: Final = 10.0
"""How far the label of a branch may reach beyond the box below it: two neighbours' labels keep apart."""
BESIDE_EDGE: Final = 2.0
"""Room between a branch and its label."""
WIDEST_FOR_LABEL: Final = 206.0
"""Most width of a box above which the label of a branch is whole."""
BESIDE_NAME, BESIDE_CLASS = 12.0, 28.0
"""Width of a box that the name of an attribute or of a class leaves free, with the symbol of the class."""
LEAST_OF_NAME: Final = 11 / 13
"""Size of the smallest text in relation to that of a name."""
MOST_VALUES: Final = 3
"""Values named at a branch; the others are counted."""
OF_VALUES: Final = (SplitTest.MULTIWAY, SplitTest.SUBSET, SplitTest.ORDINAL)
BREATH: Final = 200
"""Number of thresholds measured between two calls of ``give_way``."""
DIRECT_NODES: Final = 300
"""Up to this many nodes are laid out at once, more in a job."""
READABLE_SCALE: Final = 0.8
"""The smallest scale at which names are easy to read."""


@dataclass(frozen=True, eq=False)
class NodeCounts:
    """The weight (m, k) of records by class in each node; of tested records also that of the ``wrong`` (m,)."""

    counts: FloatArray
    wrong: FloatArray | None = None

    @property
    def are_tested(self) -> bool:
        return self.wrong is not None


@dataclass(frozen=True, eq=False)
class TreePlan:
    """What all drawings of a tree of m nodes share, made in a job for large trees.

    ``rows`` are the nodes of each depth in drawing order, ``depths`` (m,) their depths, ``widths`` (m,) the widths of
    their boxes, ``heights`` (m,) their heights, ``row_height`` the distance of the rows. ``two_lined`` (m,) are the
    nodes with room for a name in two lines. ``counted`` are the counts shown, ``records`` (m,) their weight in each
    node, ``share`` (m,) its share of the root's.

    ``below`` (m,) is the number of nodes under each. ``order`` (m,) has each node before its children. ``leaf_number``
    (m,) counts the leaves in that order from 1, and is 0 elsewhere. ``own`` is the tree in original units, ``tree``
    itself without rescaled columns; ``worded`` has thresholds of few digits besides.
    """

    tree: Tree
    own: Tree
    worded: Tree
    rows: tuple[IntArray, ...]
    depths: NDArray[np.int32]
    widths: FloatArray
    heights: FloatArray
    two_lined: Mask
    counted: NodeCounts
    row_height: float
    records: FloatArray
    share: FloatArray
    below: IntArray
    order: IntArray
    leaf_number: IntArray

    @property
    def n_levels(self) -> int:
        return len(self.rows)

    def shares(self, nodes: IntArray) -> FloatArray:
        """Shares (n, k) of the classes in these nodes; zeros for a node without records."""
        records = self.records[nodes, None]
        counts = self.counted.counts[nodes]
        shares: FloatArray = np.divide(counts, records, out=np.zeros_like(counts), where=records > 0)
        return shares


@dataclass(frozen=True, eq=False)
class TreeDrawing:
    """``shown`` nodes placed by ``layout``: ``hidden`` (m,) by folds, ``top`` (m,), ``parent_x`` (m,)."""

    plan: TreePlan
    layout: TreeLayout
    collapsed: Mask
    shown: IntArray
    top: FloatArray
    hidden: IntArray
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
        if not self.layout.rows:
            return BOX_HEIGHT
        last = self.layout.rows[-1]
        handle = 2 * HANDLE if self.hidden[last].any() else 0.0
        return (len(self.layout.rows) - 1) * self.plan.row_height + float(self.plan.heights[last].max()) + handle

    @property
    def n_rows(self) -> int:
        return len(self.layout.rows)

    def box(self, node: int) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of a shown node's box."""
        x, half, top = float(self.layout.x[node]), float(self.widths[node]) / 2, float(self.top[node])
        return x - half, top, x + half, top + float(self.plan.heights[node])

    def node_at(self, x: float, y: float, slack_x: float = 0.0, slack_y: float = 0.0) -> int:
        """The shown node whose box, enlarged by the slack, contains the point, the nearest of several; -1 for none."""
        row_height = self.plan.row_height
        row = round((y - (row_height - BETWEEN_ROWS) / 2) / row_height)
        if not 0 <= row < self.n_rows:
            return NO_NODE
        nodes = self.layout.rows[row]
        distance = np.abs(self.layout.x[nodes] - x) - self.widths[nodes] / 2
        nearest = int(np.argmin(distance))
        height = float(self.plan.heights[nodes[nearest]])
        is_inside = distance[nearest] <= slack_x and -slack_y <= y - row * row_height <= height + slack_y
        return int(nodes[nearest]) if is_inside else NO_NODE

    def standing_for(self, node: int) -> int:
        """The node if shown, else the folded node that hides it; -1 for none."""
        while 0 <= node < self.tree.n_nodes and self.layout.depth[node] < 0:
            node = int(self.tree.parent[node])
        return node

    def is_open(self, node: int) -> bool:
        return bool(self.tree.n_children[node] > 0 and not self.collapsed[node])

    def neighbour(self, node: int, rows: int, steps: int) -> int:
        """The node ``rows`` below (negative: above) or ``steps`` to the right in its row; else the node itself."""
        if rows < 0:
            parent = int(self.tree.parent[node])
            return node if parent == NO_NODE else parent
        if rows > 0:
            children = self.tree.children(node)
            return children[len(children) // 2 if len(children) % 2 else 0] if self.is_open(node) else node
        row = self.layout.rows[int(self.layout.depth[node])]
        index = int(np.searchsorted(self.layout.x[row], self.layout.x[node])) + steps
        return int(row[min(len(row) - 1, max(0, index))])


def plan_tree(
    tree: Tree,
    measure: Callable[[str], float],
    counted: NodeCounts | None = None,
    numbers: TableNumbers | None = None,
    *,
    has_histograms: bool = True,
) -> TreePlan:
    """The plan of a tree; ``measure`` gives a name's width, ``counted`` defaults to training counts.

    Only with histograms, which are those of training records, boxes have room for them.
    """
    has_histograms &= counted is None or not counted.are_tested
    counted = NodeCounts(tree.counts) if counted is None else counted
    rows = tree_rows(tree.first_child, tree.n_children)
    depths = np.zeros(tree.n_nodes, dtype=np.int32)
    for depth, row in enumerate(rows):
        depths[row] = depth
    records = counted.counts.sum(axis=1)
    whole = float(records[0]) if len(records) else 0.0
    below = tree.summed_below(np.ones(tree.n_nodes, dtype=np.int64))
    order = preorder(tree.parent, rows, below + 1)
    own = tree_in_own_units(tree, None if numbers is None else numbers.unscaled, give_way)
    worded = written_tree(tree, own, numbers, give_way)
    two_lined = _two_lined(tree, measure)
    drawn = (tree.test == SplitTest.NUMERIC) & has_histograms
    heights = np.where(drawn, SPLIT_HEIGHT, BOX_HEIGHT + NAME_LINE * two_lined)
    return TreePlan(
        tree=tree,
        own=own,
        worded=worded,
        rows=rows,
        depths=depths,
        widths=_box_widths(worded, counted, records, measure),
        heights=heights,
        two_lined=two_lined,
        counted=counted,
        row_height=float(heights.max(initial=BOX_HEIGHT)) + BETWEEN_ROWS,
        records=records,
        share=records / whole if whole > 0 else np.zeros_like(records),
        below=below,
        order=order,
        leaf_number=_leaf_numbers(tree, order),
    )


def _two_lined(tree: Tree, measure: Callable[[str], float]) -> Mask:
    """Mask (m,) of the nodes whose name has several words and is longer than the widest box has room for."""
    mask = np.zeros(tree.n_nodes, dtype=np.bool_)
    leaves, sums = tree.test == SplitTest.LEAF, tree.test == SplitTest.LINEAR
    for of_kind, codes, names, beside in (
        (~leaves & ~sums, tree.attribute, tree.schema.names, BESIDE_NAME),
        (leaves, tree.decision, tree.schema.classes, BESIDE_CLASS),
    ):
        used = np.unique(codes[of_kind]).tolist()
        most = (WIDEST - beside) * READABLE_SCALE / LEAST_OF_NAME
        long = [code for code in used if " " in names[code] and measure(names[code]) > most]
        mask |= of_kind & np.isin(codes, long)
    return mask


def _box_widths(tree: Tree, counted: NodeCounts, records: FloatArray, measure: Callable[[str], float]) -> FloatArray:
    """Widths (m,) of the boxes, within limits: the measured name with padding, or the condition beside the branch."""
    widths = np.full(tree.n_nodes, NARROWEST)
    leaves = tree.test == SplitTest.LEAF
    for mask, codes, names in (
        (~leaves, tree.attribute, tree.schema.names),
        (leaves, tree.decision, tree.schema.classes),
    ):
        used = np.unique(codes[mask])
        table = np.full(int(used.max(initial=0)) + 1, NARROWEST)
        for code in used.tolist():
            table[code] = measure(names[code]) + PADDING
        widths[mask] = table[codes[mask]]
    widths[tree.test == SplitTest.NUMERIC] = np.maximum(widths[tree.test == SplitTest.NUMERIC], SPLIT_WIDTH)
    widths[tree.test == SplitTest.LINEAR] = WIDEST
    leaf_air = np.where(leaves, 14.0, 0.0)
    digits = np.ceil(np.log10(np.maximum(records, 1.0) + 1.0))
    longest = "00.0% of 000 wrong" if counted.are_tested else "0,000 records"
    widths = np.maximum(widths, measure(longest) + 7.0 * (digits - 3.0))
    if not counted.are_tested:
        own = np.take_along_axis(counted.counts, np.maximum(tree.decision, 0)[:, None].astype(np.int64), axis=1)[:, 0]
        shares = measure("000 of 000 · 00.0%") * LEAST_OF_NAME + 14.0 * (digits - 3.0)
        widths = np.where(leaves & (own < records), np.maximum(widths, shares), widths)
    labels = np.zeros(tree.n_nodes)
    for nth, node in enumerate(np.flatnonzero(tree.test == SplitTest.NUMERIC).tolist()):
        if nth % BREATH == 0:
            give_way()
        first, about = int(tree.first_child[node]), "about " if tree.is_soft(node) else ""
        labels[first : first + 2] = measure(f"≤ {about}{cut_number(float(tree.threshold[node]))}")
    for nth, node in enumerate(np.flatnonzero(tree.test == SplitTest.RANGES).tolist()):
        if nth % BREATH == 0:
            give_way()
        ends = [cut_number(float(end)) for end in tree.ends(node) if np.isfinite(end)]
        labels[tree.children(node)] = max(map(measure, ("–".join(pair) for pair in pairwise(ends))), default=0.0)
    known: dict[str, float] = {}
    for nth, node in enumerate(np.flatnonzero(np.isin(tree.test, OF_VALUES)).tolist()):
        if nth % BREATH == 0:
            give_way()
        for branch, child in enumerate(tree.children(node)):
            words = branch_words(tree, node, branch, at_most=MOST_VALUES).removeprefix("= ")
            if words not in known:
                known[words] = measure(words)
            labels[child] = known[words]
    beside = labels * LEAST_OF_NAME / READABLE_SCALE + edge_widths(records / max(records.max(initial=0.0), 1e-300)) / 2
    for_labels = np.where(labels > 0, 2 * (beside + BESIDE_EDGE - BEYOND), 0.0)
    clipped: FloatArray = np.clip(np.ceil(np.maximum(widths, for_labels) + leaf_air), NARROWEST, WIDEST)
    return np.maximum(clipped, np.minimum(np.ceil(for_labels), WIDEST_FOR_LABEL))


def node_texts(tree: Tree, node: int) -> tuple[str, ...]:
    """Texts for a node, the longest first; a weighted sum gets fewer terms and shorter names."""
    if tree.is_leaf(node):
        return (tree.schema.classes[int(tree.decision[node])],)
    whole = [tree.schema.attributes[index].name for index in tree.asked(node)]
    if not tree.is_linear(node):
        return (whole[0],)
    coefficients = [float(tree.term_coefficient[t]) for t in tree.terms(node)]
    return tuple(
        sum_words([shortened(attribute_name, length) for attribute_name in whole], coefficients, terms, IN_A_BOX)
        for terms in range(min(MOST_TERMS, len(whole)), 0, -1)
        for length in (LONG_IN_A_SUM, IN_A_SUM)
    )


def _leaf_numbers(tree: Tree, order: IntArray) -> IntArray:
    """Numbers (m,) of the leaves from 1 in reading order, 0 for other nodes."""
    numbers = np.zeros(tree.n_nodes, dtype=np.int64)
    leaves = order[tree.test[order] == SplitTest.LEAF]
    numbers[leaves] = np.arange(1, len(leaves) + 1)
    return numbers


def draw_tree(plan: TreePlan, collapsed: Mask) -> TreeDrawing:
    """The drawing of a tree without the children of ``collapsed`` (m,) nodes."""
    tree = plan.tree
    closed = collapsed & (tree.n_children > 0)
    layout = tidy_tree(tree.first_child, tree.n_children, plan.widths, collapsed=closed)
    return TreeDrawing(
        plan=plan,
        layout=layout,
        collapsed=closed,
        shown=np.concatenate(layout.rows) if layout.rows else np.zeros(0, dtype=np.int64),
        top=layout.depth.astype(np.float64) * plan.row_height,
        hidden=np.where(closed, plan.below, 0),
        parent_x=layout.x[np.maximum(tree.parent, 0)],
    )


def collapsed_below(plan: TreePlan, depth: int) -> Mask:
    """Mask (m,) of the inner nodes at ``depth`` or below it."""
    return (plan.depths >= depth) & (plan.tree.n_children > 0)


def readable_depth(plan: TreePlan, view_width: float, view_height: float) -> int:
    """The greatest depth at which the tree is readable when it fits a view of this size, at least 1."""
    tree = plan.tree
    for depth in range(1, plan.n_levels):
        height = depth * plan.row_height + float(plan.heights[plan.rows[depth]].max())
        least_width = len(plan.rows[depth]) * NARROWEST
        if least_width * READABLE_SCALE > view_width * 1.2 or height * READABLE_SCALE > view_height:
            return max(1, depth - 1)
        layout = tidy_tree(tree.first_child, tree.n_children, plan.widths, collapsed=collapsed_below(plan, depth))
        if layout.width * READABLE_SCALE > view_width:
            return max(1, depth - 1)
    return max(0, plan.n_levels - 1)


@dataclass(frozen=True)
class InitialDrawing:
    """The first drawing of a tree: its plan, ``depth``, and drawing."""

    plan: TreePlan
    depth: int
    drawing: TreeDrawing


def first_drawing(plan: TreePlan, wanted: int | None, width: float, height: float) -> InitialDrawing:
    """Draws a tree down to the depth ``wanted``, or as deep as a view of this size (before scaling) is readable."""
    depth = readable_depth(plan, width, height) if wanted is None else min(wanted, plan.n_levels - 1)
    return InitialDrawing(plan, depth, draw_tree(plan, collapsed_below(plan, depth)))


NAMES_FROM: Final = 0.62
FULL_FROM: Final = 0.72
"""The scale from which all text has room, at eleven pixels or more."""
SHARES_FROM: Final = 4 / NARROWEST
WIDEST_EDGE: Final = 16.0


def edge_widths(shares: FloatArray) -> FloatArray:
    """Widths (m,) at 100% of the branches to nodes with these shares of all records."""
    return np.clip(shares * WIDEST_EDGE, 1.2, WIDEST_EDGE)


MOST_BOXES: Final = 6000
"""The most boxes and edges painted from afar; only the first of those on one spot is."""


class DetailLevel(IntEnum):
    FAR = 0
    SHARES = 1
    NAMES = 2
    FULL = 3


@dataclass(frozen=True)
class View:
    """Maps the drawing to pixels: ``px = x * scale_x + left``, ``py = y * scale_y + top``."""

    scale_x: float
    scale_y: float
    left: float
    top: float
    width: float
    height: float

    @classmethod
    def through(cls, camera: Camera) -> View:
        left, top = camera.to_view(0.0, 0.0)
        return cls(camera.scale, camera.scale_y, left, top, camera.view_width, camera.view_height)

    @property
    def detail(self) -> DetailLevel:
        if self.scale_x >= FULL_FROM:
            return DetailLevel.FULL
        if self.scale_x >= NAMES_FROM:
            return DetailLevel.NAMES
        return DetailLevel.SHARES if self.scale_x >= SHARES_FROM else DetailLevel.FAR


class Boxes:
    """The boxes and edges in a view, in pixels.

    ``only`` (m,) restricts the nodes; from afar about ``most`` are kept. ``nodes`` (v,) have ``left``, ``top``,
    ``width`` and ``height``. ``edges`` (e,) are the nodes whose edge from the parent is in view.
    """

    def __init__(self, drawing: TreeDrawing, view: View, only: Mask | None = None, most: int = MOST_BOXES) -> None:
        self._drawing, self._view = drawing, view
        shown = drawing.shown if only is None else drawing.shown[only[drawing.shown]]
        half = drawing.widths[shown] / 2 * view.scale_x
        middle = drawing.layout.x[shown] * view.scale_x + view.left
        top = drawing.top[shown] * view.scale_y + view.top
        tall = drawing.plan.heights[shown]
        height = tall * view.scale_y
        across = (middle + half > -8) & (middle - half < view.width + 8)
        seen = np.flatnonzero(across & (top + height > -24) & (top < view.height + 24))
        from_x = drawing.parent_x[shown] * view.scale_x + view.left
        from_y = top - drawing.plan.row_height * view.scale_y
        reaches = (np.maximum(middle, from_x) > -WIDEST_EDGE) & (np.minimum(middle, from_x) < view.width + WIDEST_EDGE)
        reaches &= (top > -WIDEST_EDGE) & (from_y < view.height + WIDEST_EDGE) & (shown != 0)
        edges = np.flatnonzero(reaches)
        if view.detail is DetailLevel.FAR:
            seen, edges = _thinned(seen, most, top, middle), _thinned(edges, most, top, middle, from_x)
        self.nodes: IntArray = shown[seen]
        self.edges: IntArray = shown[edges]
        self.left, self.top = (middle - half)[seen], top[seen]
        self.width = 2 * half[seen]
        self.height = tall[seen] * (view.scale_x if view.detail >= DetailLevel.NAMES else view.scale_y)

    def edge_ends(self, children: IntArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """x and y of the start and of the end of the edges to these children, in pixels."""
        drawing, view = self._drawing, self._view
        parents = drawing.tree.parent[children]
        box = drawing.plan.heights[parents] * (view.scale_x if view.detail >= DetailLevel.NAMES else view.scale_y)
        return (
            drawing.parent_x[children] * view.scale_x + view.left,
            drawing.top[parents] * view.scale_y + view.top + box,
            drawing.layout.x[children] * view.scale_x + view.left,
            drawing.top[children] * view.scale_y + view.top,
        )

    def rect_of(self, node: int) -> QRectF | None:
        """A node's box; None if it is out of view."""
        index = np.flatnonzero(self.nodes == node)
        if not len(index):
            return None
        i = int(index[0])
        return QRectF(self.left[i], self.top[i], self.width[i], self.height[i])


def _thinned(chosen: IntArray, most: int, top: FloatArray, *across: FloatArray) -> IntArray:
    """The first of the items that fall on the same few pixels of a row."""
    cell = 1.0
    while len(chosen) > most and cell < 16:
        differs: Mask = np.ones(len(chosen), dtype=np.bool_)
        differs[1:] = np.diff(top[chosen]) != 0
        for x in across:
            differs[1:] |= np.diff(np.floor(x[chosen] / cell)) != 0
        chosen = chosen[differs]
        cell *= 2
    return chosen


def piece_ends(shares: FloatArray, left: FloatArray, width: FloatArray) -> FloatArray:
    """Ends (n, k + 1) of segments on whole pixels, from shares (n, k) of boxes (n,), without gaps."""
    whole = np.zeros((shares.shape[0], shares.shape[1] + 1))
    np.cumsum(shares, axis=1, out=whole[:, 1:])
    return np.floor(left[:, None] + np.round(whole, 9) * width[:, None] + 0.5)
