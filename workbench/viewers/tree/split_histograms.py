"""Histograms of the classes over the attribute that a node of a tree splits, from the records that reach it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.routing import Arrivals
from algorithms.structures.tree import SplitTest, Tree
from workbench.layout.tree_layout import preorder, tree_rows

BINS: Final = 20
MOST_NODES: Final = 2000
"""Only the nodes with the most records get a histogram."""


@dataclass(frozen=True, eq=False)
class SplitHistogram:
    """Weights (b, k) of the classes in equal intervals from ``low`` to ``high``, in the numbers of the tree."""

    low: float
    high: float
    counts: FloatArray


def class_histogram(values: FloatArray, codes: IntArray, weights: FloatArray, k: int) -> SplitHistogram | None:
    """The histogram of the finite ones among these values (n,) with their class codes; None without any."""
    is_finite = np.isfinite(values) & (codes >= 0)
    values = values[is_finite]
    if not len(values):
        return None
    low, high = float(values.min()), float(values.max())
    bins = np.minimum(BINS - 1, (values - low) * (BINS / ((high - low) or 1.0))).astype(np.int64)
    cells = np.bincount(bins * k + codes[is_finite], weights[is_finite], BINS * k)
    return SplitHistogram(low, high, cells.reshape(BINS, k).astype(np.float64))


def split_histograms(
    tree: Tree, data: Dataset, reached: Arrivals, checkpoint: Callable[[], None] = lambda: None
) -> dict[int, SplitHistogram]:
    """The histograms of the nodes with a numeric test, by node.

    ``data`` are the records (n,) as the model sees them, with their class. Parts of divided records count
    with their share.
    """
    size = 1 + tree.summed_below(np.ones(tree.n_nodes, dtype=np.int64))
    place = np.empty(tree.n_nodes, dtype=np.int64)
    place[preorder(tree.parent, tree_rows(tree.first_child, tree.n_children), size)] = np.arange(tree.n_nodes)
    whole = np.flatnonzero(reached.leaf >= 0)
    rows = np.concatenate([whole, reached.part_row])
    leaves = place[np.concatenate([reached.leaf[whole], reached.part_leaf])]
    weights = np.concatenate([np.ones(len(whole)), reached.part_share]) * data.weight_array[rows]
    codes = data.class_codes.astype(np.int64)[rows]
    by_leaf = np.argsort(leaves, kind="stable")
    by_leaf = by_leaf[codes[by_leaf] >= 0]
    leaves = leaves[by_leaf]
    asking = np.flatnonzero(tree.test == SplitTest.NUMERIC)
    begin, end = np.searchsorted(leaves, place[asking]), np.searchsorted(leaves, place[asking] + size[asking])
    largest = np.argsort(begin - end, kind="stable")[:MOST_NODES]
    columns: dict[int, FloatArray] = {}
    histograms = {}
    for i in largest.tolist():
        checkpoint()
        node, inside = int(asking[i]), by_leaf[begin[i] : end[i]]
        index = int(tree.attribute[node])
        if index not in columns:
            columns[index] = data.column(index).astype(np.float64)
        histogram = class_histogram(
            columns[index][rows[inside]], codes[inside], weights[inside], len(tree.schema.classes)
        )
        if histogram is not None:
            histograms[node] = histogram
    return histograms
