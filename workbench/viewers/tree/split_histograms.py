"""Histograms of the classes over the attribute that a node of a tree splits, from the records that reach it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, floor
from typing import Final

import numpy as np

from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.routing import Arrivals
from algorithms.structures.tree import SplitTest, Tree
from workbench.layout.tree_layout import preorder, tree_rows

BINS: Final = 20
MOST_DIGITS: Final = 4
"""Most digits after the decimal point of values that lie on a grid."""
MOST_PER_BIN: Final = 10
"""From so many possible values in an interval on, one more or less makes no visible difference."""
NEARLY_WHOLE: Final = 1e-6
LARGEST_EXACT: Final = 1e9
FIRST_CHECKED: Final = 64
MOST_NODES: Final = 2000
"""Only the nodes with the most records get a histogram."""


@dataclass(frozen=True, eq=False)
class SplitHistogram:
    """Weights (b, k) of the classes in equal intervals from ``low`` to ``high``, in the numbers of the tree."""

    low: float
    high: float
    counts: FloatArray
    extremes: tuple[float, float] | None = None
    """The smallest and the largest value, where the intervals reach beyond them."""
    border: float | None = None
    """The place of the threshold: an edge of intervals, between the values of both sides."""

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest value."""
        return (self.low, self.high) if self.extremes is None else self.extremes

    def share(self, value: float) -> float:
        """The place of a value along the axis, between 0 and 1."""
        span = self.high - self.low
        return min(1.0, max(0.0, (value - self.low) / span)) if span > 0 else 0.5


def value_step(values: FloatArray) -> float:
    """The largest step that divides all differences of the values (n,), if that is a decimal number; else 0.

    Values with more digits than :data:`MOST_DIGITS` after the point count as continuous.
    """
    for digits in range(MOST_DIGITS + 1):
        first = values[:FIRST_CHECKED] * 10.0**digits
        if np.abs(first - np.rint(first)).max() >= NEARLY_WHOLE:
            continue
        scaled = values * 10.0**digits
        near = np.rint(scaled)
        if np.abs(near).max() > LARGEST_EXACT:
            return 0.0
        if np.abs(scaled - near).max() < NEARLY_WHOLE:
            return float(np.gcd.reduce((near - near[0]).astype(np.int64))) / 10.0**digits
    return 0.0


def class_histogram(
    values: FloatArray, codes: IntArray, weights: FloatArray, k: int, threshold: float | None = None
) -> SplitHistogram | None:
    """The histogram of the finite ones among these values (n,) with their class codes; None without any.

    Intervals of values with a :func:`value_step` all hold the same number of possible values, unless these are so
    many that it makes no difference. With a ``threshold`` no interval holds values of both sides.
    """
    is_finite = np.isfinite(values) & (codes >= 0)
    values = values[is_finite]
    if not len(values):
        return None
    low, high, step, extremes = float(values.min()), float(values.max()), value_step(values), None
    n_bins, border = BINS if high > low else 1, threshold
    width, grows = (high - low) / n_bins, high == low and threshold is not None
    if 0 < high - low < MOST_PER_BIN * BINS * step or grows:
        step = 1.0 if grows else step
        n_values, extremes = round((high - low) / step) + 1, (low, high)
        per_bin = -(-n_values // BINS)
        n_bins, width = -(-n_values // per_bin), per_bin * step
        if threshold is not None:
            border = low + (min(max(-1, floor((threshold - low) / step + NEARLY_WHOLE)), n_values - 1) + 0.5) * step
        low, high = low - step / 2, low + (n_bins * per_bin - 0.5) * step
    lowest, highest = extremes or (low, high)
    if threshold is None or border is None or not lowest <= threshold < highest:
        bins = np.minimum(n_bins - 1, (values - low) * (n_bins / ((high - low) or 1.0))).astype(np.int64)
    else:
        extremes = lowest, highest
        n_left, n_right = (max(1, ceil(side / width - NEARLY_WHOLE)) for side in (border - low, highest - border))
        low, high, n_bins = border - n_left * width, border + n_right * width, n_left + n_right
        away = np.abs(values - border) / width
        left = np.maximum(0, n_left - 1 - away.astype(np.int64))
        bins = np.where(values <= threshold, left, np.minimum(n_bins - 1, n_left + away.astype(np.int64)))
    cells = np.bincount(bins * k + codes[is_finite], weights[is_finite], n_bins * k)
    return SplitHistogram(low, high, cells.reshape(n_bins, k).astype(np.float64), extremes, border)


def split_histograms(
    tree: Tree, data: Dataset, reached: Arrivals, checkpoint: Callable[[], None] = lambda: None
) -> dict[int, SplitHistogram]:
    """Histograms of the nodes with a numeric test; ``data`` (n,) as the model sees them, by share."""
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
        values, k = columns[index][rows[inside]], len(tree.schema.classes)
        histogram = class_histogram(values, codes[inside], weights[inside], k, float(tree.threshold[node]))
        if histogram is not None:
            histograms[node] = histogram
    return histograms
