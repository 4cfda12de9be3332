"""Options and result of tree growth, and the positions of thresholds and of range ends, for every way of growth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray
from algorithms.filters.discretize import mdl_cut_positions
from algorithms.structures.tree import Tree

TOLERANCE: Final = 1e-9
"""Weights, gains and numbers of errors that differ by less are equal, as in the compiled loops."""


@dataclass(frozen=True)
class GrowthOptions:
    """Options of tree growth.

    ``criterion``: what a split maximizes. If no split lessens the misclassification error, the Gini index decides.
    Twoing requires splits in two.
    ``nominal_splits``: a branch for each value, two groups of values, or C4.5's value groups.
    ``ordinal_splits``: two branches that keep the order, or a branch for each value.
    ``numeric_splits``: two branches at a threshold, or a branch for each range of the node's numbers. There are
    ``numeric_branches`` ranges of equal weight or equal width, or as many as the classes need (Fayyad and Irani 1993).
    ``thresholds``: half way between two neighbouring numbers, or the largest training value up to there.
    ``min_leaf``: least weight of two of the branches. ``min_gain``: least gain of a split by the criterion.
    ``max_leaves``: limit of leaves; the leaf whose split decreases impurity times weight most is divided first.
    ``numeric_correction``: C4.5 subtracts log2(thresholds) / weight from the gain of a numeric attribute.
    ``nominal_correction``: subtracts the gain of a nominal attribute that chance alone is expected to bring.
    ``average_gain_rule``: C4.5 compares gain ratios only of attributes with about the average gain or more.
    ``numeric_min_split``: C4.5 requires a tenth of a class's average weight, at most 25, on each side of a threshold.
    ``missing``: a record with a missing value goes down all branches in proportion, or down the heaviest one.
    ``split_without_gain``: whether an impure node is divided if no split has a gain, as for exclusive or.
    ``surrogates``: number of surrogates that route missing values before the heaviest branch (splits in two).
    ``weighed``: number of attributes drawn at each node (more if none of them can split it).
    ``best_of``: number of best splits from which each node draws one; each threshold is a split of its own.
    ``search``: thresholds between any two values, or only between ``bins`` ranges of equally many records. Binned
    search sends missing values down the heaviest branch. See :attr:`uses_bins`.

    Chi-square and numeric splits with several branches grow node by node (:attr:`by_node`), with exact search and
    without random choices.
    """

    criterion: Literal["information-gain", "gain-ratio", "gini", "error", "twoing", "chi-square"] = "gini"
    nominal_splits: Literal["multiway", "binary", "grouped"] = "multiway"
    ordinal_splits: Literal["ordered", "multiway"] = "ordered"
    numeric_splits: Literal["binary", "equal-frequency", "equal-width", "entropy"] = "binary"
    numeric_branches: int = 4
    thresholds: Literal["midpoint", "data-value"] = "midpoint"
    min_leaf: float = 1.0
    max_depth: int | None = None
    max_leaves: int | None = None
    min_gain: float = 0.0
    numeric_correction: bool = False
    average_gain_rule: bool = False
    numeric_min_split: bool = False
    nominal_correction: bool = False
    missing: Literal["fractional", "majority"] = "fractional"
    split_without_gain: bool = True
    surrogates: int = 0
    weighed: int | None = None
    best_of: int = 1
    search: Literal["exact", "binned"] = "exact"
    bins: int = 255

    @property
    def draws(self) -> bool:
        """Whether splits are chosen at random."""
        return not self.by_node and (self.weighed is not None or self.best_of > 1)

    @property
    def uses_bins(self) -> bool:
        """Whether the search is binned: a split drawn from the best ones and grouped values need exact search."""
        return self.search == "binned" and self.best_of == 1 and self.nominal_splits != "grouped" and not self.by_node

    @property
    def by_node(self) -> bool:
        """Whether splits are evaluated node by node, outside the compiled loops."""
        return self.criterion == "chi-square" or self.numeric_splits != "binary"


@dataclass(frozen=True, eq=False)
class GrowthResult:
    """A grown tree, ``partial`` if ended early; ``leaf_of`` (n,) is the leaf of each record, if recorded."""

    tree: Tree
    partial: bool
    leaf_of: NDArray[np.int32] | None = None


def middles(low: FloatArray, high: FloatArray) -> FloatArray:
    """Midpoints of low < high, elementwise; low where no finite number lies between them."""
    with np.errstate(invalid="ignore"):
        middle = low / 2 + high / 2
    between = np.isfinite(middle) & (low <= middle) & (middle < high)
    return np.where(between, middle, low)


def largest_up_to(values: FloatArray, thresholds: FloatArray) -> FloatArray:
    """The largest of the ascending ``values`` up to each threshold, which is none below the first value."""
    return values[np.searchsorted(values, thresholds, side="right") - 1]


def equal_weight_ends(numbers: FloatArray, weights: FloatArray, n_ranges: int) -> FloatArray:
    """Upper ends of at most ``n_ranges`` ranges of about equal weight, the last one infinite.

    Equal numbers stay together. An end lies half way between two neighbouring numbers. NaN and records of weight 0 do
    not count.
    """
    is_known = ~np.isnan(numbers) & (weights > 0)
    values, place = np.unique(numbers[is_known], return_inverse=True)
    if len(values) < 2:
        return np.array([np.inf])
    upto = np.cumsum(np.bincount(place, weights=weights[is_known]))
    wanted = upto[-1] * np.arange(1, n_ranges) / n_ranges
    last = np.unique(np.searchsorted(upto, wanted - TOLERANCE * upto[-1], side="left"))
    last = last[last < len(values) - 1]
    return np.append(middles(values[last], values[last + 1]), np.inf)


def equal_width_ends(numbers: FloatArray, n_ranges: int) -> FloatArray:
    """Upper ends of equally wide ranges, the last one infinite; a range without a number joins the next one."""
    values = np.unique(numbers[np.isfinite(numbers)])
    if len(values) < 2:
        return np.array([np.inf])
    half = (values[-1] / 2 - values[0] / 2) / n_ranges  # the whole may be more than the largest number
    steps = np.arange(1, n_ranges)
    places = values[0] + half * steps + half * steps
    upto = np.searchsorted(values, places, side="right")
    _, first = np.unique(upto, return_index=True)
    parting = first[(upto[first] > 0) & (upto[first] < len(values))]
    return np.append(places[parting], np.inf)


def entropy_ends(numbers: FloatArray, classes: IntArray, weights: FloatArray, n_classes: int) -> FloatArray:
    """Upper ends of MDL ranges, the last one infinite, half way between numbers (Fayyad and Irani 1993)."""
    is_known = np.isfinite(numbers) & (weights > 0)
    values, place = np.unique(numbers[is_known], return_inverse=True)
    cells = np.bincount(
        place * n_classes + classes[is_known], weights=weights[is_known], minlength=len(values) * n_classes
    )
    cuts = np.array(mdl_cut_positions(cells.astype(np.float64).reshape(len(values), n_classes)), dtype=np.int64)
    return np.append(middles(values[cuts - 1], values[cuts]) if len(cuts) else np.zeros(0), np.inf)
