"""Where the records of a table arrive in a tree, kept so that any of them are counted in every node at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.core.align import aligned
from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.data import Dataset
from algorithms.core.structures import Int32Array, Tree
from algorithms.trees.node_records import ways_down
from algorithms.trees.routing import routing, shares_of_parent, steps, used_attributes, value_blocks
from algorithms.trees.soft import part_down, soft_shares

DIVIDED: Final = -1
MOST_PARTS: Final = 5_000_000
"""So many parts of divided records are kept; what would be divided further goes whole where most of it belongs."""


@dataclass(frozen=True, eq=False)
class Arrivals:
    """Where n records arrive in a tree of m nodes.

    ``leaf`` (n,) is -1 where a missing value or a soft threshold divides a record; its parts are those of record
    ``part_row`` in leaf ``part_leaf`` with the share ``part_share`` (p,), which add up to 1 for each such record.
    """

    tree: Tree
    leaf: Int32Array
    part_row: IntArray
    part_leaf: IntArray
    part_share: FloatArray

    def __len__(self) -> int:
        return len(self.leaf)

    def tally(self, weights: FloatArray, groups: IntArray | None = None, n_groups: int = 1) -> FloatArray:
        """The weight (m, g) of the records of each group that come by each node.

        ``weights`` (n,) are the records', ``groups`` (n,) their groups 0 .. g-1; -1 is not counted. Without groups
        all are in one.
        """
        m = self.tree.n_nodes
        group = np.zeros(len(self), dtype=np.int64) if groups is None else np.asarray(groups, dtype=np.int64)
        whole = np.flatnonzero((self.leaf != DIVIDED) & (group >= 0) & (weights != 0))
        cells = self.leaf[whole].astype(np.int64) * n_groups + group[whole]
        found = np.asarray(np.bincount(cells, weights=weights[whole], minlength=m * n_groups), dtype=np.float64)
        kept = np.flatnonzero(group[self.part_row] >= 0)
        if len(kept):
            rows = self.part_row[kept]
            cells = self.part_leaf[kept] * n_groups + group[rows]
            found = found + np.bincount(cells, weights=self.part_share[kept] * weights[rows], minlength=m * n_groups)
        here = found.reshape(m, n_groups)
        sums: FloatArray = here + self.tree.summed_below(here)
        return sums


def arrivals(tree: Tree, data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> Arrivals:
    """Where the records of ``data``, as the model sees it, arrive, soft thresholds taken as sharp: each node has the
    records on its side of the line. Calls ``checkpoint`` often, which may raise."""
    from algorithms.trees.prediction_kernels import find_leaves

    data = aligned(tree.schema, data)
    ways = routing(tree)
    fast, leaves = steps(ways), np.empty(len(data), dtype=np.int32)
    for rows, block in value_blocks(data, used_attributes(tree)):
        checkpoint()
        find_leaves(block, fast, ways, leaves[rows])
    divided = np.flatnonzero(leaves == DIVIDED)
    return Arrivals(tree, leaves, *_parts(tree, data, divided, checkpoint, soft=False))


def soft_arrivals(tree: Tree, data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> Arrivals:
    """Where the records of ``data`` arrive for the model's decision: a soft threshold divides those near it."""
    data = aligned(tree.schema, data)
    rows, found, shares = _parts(tree, data, np.arange(len(data)), checkpoint, soft=True)
    parts = np.bincount(rows, minlength=len(data))
    leaves = np.full(len(data), DIVIDED, dtype=np.int32)
    whole = parts[rows] == 1
    leaves[rows[whole]] = found[whole]
    return Arrivals(tree, leaves, rows[~whole], found[~whole], shares[~whole])


def _parts(
    tree: Tree, data: Dataset, rows: IntArray, checkpoint: Callable[[], None], *, soft: bool
) -> tuple[IntArray, IntArray, FloatArray]:
    """The parts of the records in these rows: row, leaf and share of each."""
    shares = shares_of_parent(tree)
    found_rows, found_leaves, found_shares = [rows[:0]], [rows[:0]], [np.zeros(0)]
    waiting = [(0, rows, np.ones(len(rows)))] if len(rows) else []
    n_parts, most = len(rows), MOST_PARTS + (len(rows) if soft else 0)
    while waiting:
        checkpoint()
        node, here, weight = waiting.pop()
        if tree.is_leaf(node):
            found_rows.append(here)
            found_leaves.append(np.full(len(here), node, dtype=np.int64))
            found_shares.append(weight)
            continue
        branch, children = ways_down(tree, node, data, here), tree.children(node)
        left = soft_shares(tree, node, data, here) if soft else None
        n_divided = int(np.count_nonzero(branch < 0)) + (0 if left is None else int(np.sum((left > 0) & (left < 1))))
        if n_divided and n_parts > most:
            branch, left = np.where(branch < 0, int(np.argmax(shares[list(children)])), branch), None
        else:
            n_parts += (len(children) - 1) * n_divided
        for nth, child in enumerate(children):
            part = weight * part_down(branch, left, nth, shares[child])
            goes = part > 0
            if goes.any():
                waiting.append((child, here[goes], part[goes]))
    return np.concatenate(found_rows), np.concatenate(found_leaves), np.concatenate(found_shares)
