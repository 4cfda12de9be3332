"""Histograms of the classes over the attribute that a node of a tree splits, from the records that reach it.

The last functions place their bars and numbers in pixels.
"""

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
from algorithms.text.numbers import significant
from workbench.layout.tree_layout import preorder, tree_rows

BINS: Final = 20
MOST_DIGITS: Final = 4
"""Most digits after the decimal point of values that lie on a grid."""
MOST_PER_BIN: Final = 10
"""From so many possible values in an interval on, one more or less makes no visible difference."""
NEARLY_WHOLE: Final = 1e-6
LARGEST_EXACT: Final = 1e9
FIRST_CHECKED: Final = 64
BLOCK: Final = 1 << 17
"""Number of records sorted into intervals at a time."""
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
        step = _common_step(values, 10.0**digits)
        if step is not None:
            return step / 10.0**digits
    return 0.0


def _common_step(values: FloatArray, scale: float) -> float | None:
    """The largest whole step between the values (n,) times ``scale``; 0 if they are too large, None if not whole."""
    step, start = 0, float(np.rint(values[0] * scale))
    for first in range(0, len(values), BLOCK):
        scaled = values[first : first + BLOCK] * scale
        near = np.rint(scaled)
        if np.abs(near).max() > LARGEST_EXACT:
            return 0.0
        if np.abs(scaled - near).max() >= NEARLY_WHOLE:
            return None
        step = int(np.gcd.reduce((near - start).astype(np.int64), initial=step))
    return float(step)


def class_histogram(
    values: FloatArray, codes: IntArray, weights: FloatArray, k: int, threshold: float | None = None
) -> SplitHistogram | None:
    """The histogram of the finite ones among these values (n,) with their class codes; None without any.

    Intervals of values with a :func:`value_step` all hold the same number of possible values, unless these are so
    many that it makes no difference. With a ``threshold`` no interval holds values of both sides.
    """
    is_finite = np.isfinite(values) & (codes >= 0)
    if not is_finite.all():
        values, codes, weights = values[is_finite], codes[is_finite], weights[is_finite]
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
        n_left = 0
    else:
        extremes = lowest, highest
        n_left, n_right = (max(1, ceil(side / width - NEARLY_WHOLE)) for side in (border - low, highest - border))
        low, high, n_bins = border - n_left * width, border + n_right * width, n_left + n_right
    cells = np.zeros(n_bins * k)
    for start in range(0, len(values), BLOCK):
        block = values[start : start + BLOCK]
        if n_left and border is not None and threshold is not None:
            away = (np.abs(block - border) / width).astype(np.int64)
            left, right = np.maximum(0, n_left - 1 - away), np.minimum(n_bins - 1, n_left + away)
            bins = np.where(block <= threshold, left, right)
        else:
            bins = np.minimum(n_bins - 1, (block - low) * (n_bins / ((high - low) or 1.0))).astype(np.int64)
        cells += np.bincount(bins * k + codes[start : start + BLOCK], weights[start : start + BLOCK], n_bins * k)
    return SplitHistogram(low, high, cells.reshape(n_bins, k), extremes, border)


def split_histograms(
    tree: Tree, data: Dataset, reached: Arrivals, checkpoint: Callable[[], None] = lambda: None
) -> dict[int, SplitHistogram]:
    """Histograms of the nodes with a numeric test; ``data`` (n,) as the model sees them, by share."""
    size = 1 + tree.summed_below(np.ones(tree.n_nodes, dtype=np.int64))
    place = np.empty(tree.n_nodes, dtype=np.int32)
    place[preorder(tree.parent, tree_rows(tree.first_child, tree.n_children), size)] = np.arange(tree.n_nodes)
    is_whole = len(reached.part_row) == 0
    whole = np.flatnonzero(reached.leaf >= 0)
    rows = whole if is_whole else np.concatenate([whole, reached.part_row])
    leaves = place[reached.leaf[whole] if is_whole else np.concatenate([reached.leaf[whole], reached.part_leaf])]
    by_leaf = np.argsort(leaves, kind="stable")
    leaves, rows = leaves[by_leaf], rows[by_leaf]
    shares = None if is_whole else np.concatenate([np.ones(len(whole)), reached.part_share])[by_leaf]
    del by_leaf, whole  # of many records they are as large as a column
    has_class = data.class_codes[rows] >= 0
    if not has_class.all():
        rows, leaves = rows[has_class], leaves[has_class]
        shares = None if shares is None else shares[has_class]
    asking = np.flatnonzero(tree.test == SplitTest.NUMERIC)
    begin, end = np.searchsorted(leaves, place[asking]), np.searchsorted(leaves, place[asking] + size[asking])
    largest = np.argsort(begin - end, kind="stable")[:MOST_NODES]
    histograms = {}
    for i in largest.tolist():
        checkpoint()
        node, own = int(asking[i]), slice(begin[i], end[i])
        here = rows[own]
        values = data.passing_cells(int(tree.attribute[node]), here).astype(np.float64, copy=False)
        weights = np.ones(len(here)) if data.weights is None else data.weights[here]
        weights = weights if shares is None else weights * shares[own]
        k, threshold = len(tree.schema.classes), float(tree.threshold[node])
        histogram = class_histogram(values, data.class_codes[here], weights, k, threshold)
        if histogram is not None:
            histograms[node] = histogram
    return histograms


def axis_around(left: float, width: float, share: float, half: float) -> tuple[float, float]:
    """Left end and width of an axis, shortened so that ``half`` a number fits on both sides of the place ``share``."""
    from_left = max(0.0, (half - share * width) / (1 - share)) if share < 0.5 else 0.0
    from_right = max(0.0, (half - (1 - share) * width) / share) if share >= 0.5 else 0.0
    return left + from_left, width - from_left - from_right


def axis_numbers(
    histogram: SplitHistogram,
    threshold: tuple[float, str],
    axis: tuple[float, float],
    measure: Callable[[str], float],
    *,
    has_ends: bool,
) -> list[tuple[float, str]]:
    """The threshold, then the ends of the values where they have room: left ends in pixels and words.

    Each stands under its value, the ends within the ``axis`` (left end and width in pixels); none stands there twice.
    """
    left, across = axis
    wide = measure(threshold[1])
    start = left + histogram.share(threshold[0]) * across - wide / 2
    placed = [(start, threshold[1])]
    for is_high, value in enumerate(histogram.ends if has_ends else ()):
        words = significant(value)
        own = measure(words)
        place = min(max(left, left + histogram.share(value) * across - own / 2), left + across - own)
        if words != threshold[1] and (place >= start + wide + 6 if is_high else place + own + 6 <= start):
            placed.append((place, words))
    return placed


def pixel_rows(counts: FloatArray, rows: FloatArray) -> FloatArray:
    """Whole pixels (b, k) of the weights ``counts`` (b, k) in bars of ``rows`` (b,) pixels, by largest remainder.

    A weight above 0 has a pixel where there is one for it; the largest weights have theirs first.
    """
    order = np.argsort(np.argsort(-counts, axis=1, kind="stable"), axis=1, kind="stable")
    first = ((counts > 0) & (order < rows[:, None])).astype(np.float64)
    total, left = counts.sum(axis=1), rows - first.sum(axis=1)
    above = np.maximum(0.0, counts * np.divide(rows, total, out=np.zeros(len(rows)), where=total > 0)[:, None] - first)
    above *= np.divide(left, above.sum(axis=1), out=np.zeros(len(rows)), where=above.sum(axis=1) > 0)[:, None]
    least = np.floor(above + 1e-9)
    remainder = np.argsort(np.argsort(least - above, axis=1, kind="stable"), axis=1, kind="stable")
    shared: FloatArray = first + least + (remainder < np.rint(left - least.sum(axis=1))[:, None])
    return shared
