"""A decision tree made ready for painting: boxes, edges and class shares as arrays, with no widget in sight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.structures import NO_NODE, Test, Tree
from workbench.geometry.tidy_tree import FloatArray, IndexArray, TreeLayout, tidy_tree, tree_rows

BOX_HEIGHT: Final = 60.0
ROW_HEIGHT: Final = 122.0
NARROWEST: Final = 96.0
WIDEST: Final = 176.0
PADDING: Final = 26.0
READABLE_SCALE: Final = 0.68
"""The smallest scale at which names can be read with ease."""


@dataclass(frozen=True, eq=False)
class TreeDrawing:
    """What is painted of a tree of m nodes and k classes.

    ``layout`` says where the shown nodes stand; ``widths`` (m,) are those of their boxes; ``records`` (m,) the weight
    of the training records in each node, ``share`` (m,) its part of the root's, ``shares`` (m, k) the classes' parts
    in the node; ``hidden`` (m,) how many nodes a collapsed node hides, 0 for all others.
    """

    tree: Tree
    layout: TreeLayout
    widths: FloatArray
    collapsed: NDArray[np.bool_]
    shown: IndexArray
    top: FloatArray
    records: FloatArray
    share: FloatArray
    shares: FloatArray
    hidden: IndexArray
    parent_x: FloatArray

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


def class_shares(tree: Tree) -> FloatArray:
    """Each class's part of each node's training records (m, k); zeros where a node has none."""
    totals = tree.counts.sum(axis=1, keepdims=True)
    shares: FloatArray = np.divide(tree.counts, totals, out=np.zeros_like(tree.counts), where=totals > 0)
    return shares


def box_widths(tree: Tree, measure: Callable[[str], float]) -> FloatArray:
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
            table[code] = measure(names[code]) + PADDING if 0 <= code < len(names) else NARROWEST
        widths[mask] = table[codes[mask]]
    leaf_air = np.where(leaves, 14.0, 0.0)
    digits = np.ceil(np.log10(np.maximum(tree.counts.sum(axis=1), 1.0) + 1.0))
    widths = np.maximum(widths, measure("0,000 records") + 7.0 * (digits - 3.0))
    clipped: FloatArray = np.clip(np.ceil(widths + leaf_air), NARROWEST, WIDEST)
    return clipped


def names(tree: Tree) -> list[str]:
    """What stands in each node: the attribute it tests, or the class a leaf decides."""
    attributes, classes = tree.schema.names, tree.schema.classes
    return [
        classes[decision] if test == Test.LEAF else attributes[attribute]
        for test, attribute, decision in zip(
            tree.test.tolist(), tree.attribute.tolist(), tree.decision.tolist(), strict=True
        )
    ]


def subtree_sizes(tree: Tree) -> IndexArray:
    """Number of nodes below each node (m,)."""
    below = np.zeros(tree.n_nodes, dtype=np.int64)
    for row in reversed(tree_rows(tree.first_child, tree.n_children)[1:]):
        np.add.at(below, tree.parent[row], below[row] + 1)
    return below


def draw(tree: Tree, widths: FloatArray, collapsed: NDArray[np.bool_]) -> TreeDrawing:
    """The drawing of the tree with the children of the ``collapsed`` (m,) nodes left out."""
    closed = collapsed & (tree.n_children > 0)
    layout = tidy_tree(tree.first_child, tree.n_children, widths, collapsed=closed)
    shown = np.concatenate(layout.rows) if layout.rows else np.zeros(0, dtype=np.int64)
    records = tree.counts.sum(axis=1)
    whole = float(records[0]) if len(records) else 0.0
    parents = np.maximum(tree.parent, 0)
    return TreeDrawing(
        tree=tree,
        layout=layout,
        widths=widths,
        collapsed=closed,
        shown=shown,
        top=layout.depth.astype(np.float64) * ROW_HEIGHT,
        records=records,
        share=records / whole if whole > 0 else np.zeros_like(records),
        shares=class_shares(tree),
        hidden=np.where(closed, subtree_sizes(tree), 0),
        parent_x=layout.x[parents],
    )


def collapsed_below(tree: Tree, depth: int) -> NDArray[np.bool_]:
    """Mask (m,) of the inner nodes at ``depth`` or below it."""
    mask = np.zeros(tree.n_nodes, dtype=np.bool_)
    for row in tree_rows(tree.first_child, tree.n_children)[depth:]:
        mask[row] = True
    return mask & (tree.n_children > 0)


def readable_depth(tree: Tree, widths: FloatArray, view_width: float, view_height: float) -> int:
    """The greatest depth down to which the tree can be read when it fits a view of this size, at least 1."""
    rows = tree_rows(tree.first_child, tree.n_children)
    for depth in range(1, len(rows)):
        if len(rows[depth]) * NARROWEST * READABLE_SCALE > view_width * 1.2:
            return max(1, depth - 1)
        layout = tidy_tree(tree.first_child, tree.n_children, widths, collapsed=collapsed_below(tree, depth))
        height = depth * ROW_HEIGHT + BOX_HEIGHT
        if layout.width * READABLE_SCALE > view_width or height * READABLE_SCALE > view_height:
            return max(1, depth - 1)
    return len(rows) - 1
