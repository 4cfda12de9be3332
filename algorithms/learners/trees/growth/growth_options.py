"""Options and result of growing a tree, and where thresholds and range ends lie; all ways of growing share them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray
from algorithms.filters.discretize import paying_cuts
from algorithms.structures.tree import Tree


@dataclass(frozen=True)
class GrowthOptions:
    """Options of tree growth.

    ``criterion``: what a split is to gain. ``nominal_splits``: a branch for each value, two groups of values, or
    groups that are merged as long as that is worth more (C4.5's value groups).
    ``ordinal_splits``: two branches that keep the order, or a branch for each value.
    ``numeric_splits``: two branches at a threshold, or a branch for each range of the node's own numbers, of equal
    weight, equally wide (``numeric_branches`` of them), or as many as the classes pay for (Fayyad and Irani 1993).
    ``thresholds``: of numeric splits, half way between two neighbours, or the largest training value up to there.
    ``min_leaf``: least weight of a branch; a split with several branches must have two of it. ``max_leaves``: grows the
    leaf first whose split lessens impurity times weight most. ``min_gain``: least gain of a split by the criterion.
    ``numeric_correction``: C4.5 takes log2(thresholds) / weight off the gain of a numeric attribute.
    ``nominal_correction``: what chance would gain with so many values is taken off the gain of a list of values.
    ``average_gain_rule``: C4.5 compares gain ratios only among attributes of about average gain at least.
    ``numeric_min_split``: C4.5 asks each side of a numeric split to hold a tenth of a class's average weight (to 25).
    ``missing``: a record whose value is missing goes down all branches in proportion, or down the heaviest.
    ``split_without_gain``: whether an impure node is divided where no split gains, as for the exclusive or. Where none
    lessens the misclassification error, the split is chosen by Gini. Twoing is of splits in two only.
    ``surrogates``: where values go down the heaviest branch, so many other questions are asked first (splits in two).
    ``weighed``: so many attributes, drawn at each node, are weighed (more where none of them can split it).
    ``best_of``: one of so many best splits is drawn at each node, each threshold being one of its own. Both are drawn
    by the seed of the context.
    ``search``: every value of a number may be a threshold, or those between ``bins`` ranges of equally many records;
    then a record whose value is missing goes down the heaviest branch. Where chance has a say,
    or values are grouped, it is every value.

    By chi-square, and where numbers have several branches, the tree grows node by node (:attr:`by_node`): chance then
    has no say, and every value of a number counts.
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
    def by_node(self) -> bool:
        """Whether splits are evaluated node by node, outside the compiled loops."""
        return self.criterion == "chi-square" or self.numeric_splits != "binary"


@dataclass(frozen=True, eq=False)
class GrowthResult:
    """A grown tree; ``partial`` where the run was finished before every leaf was done.

    ``leaf_of`` (n,) is the leaf of each record it was grown on, where growing has written that down.
    """

    tree: Tree
    partial: bool
    leaf_of: NDArray[np.int32] | None = None


def middles(low: FloatArray, high: FloatArray) -> FloatArray:
    """Midpoints of low < high, elementwise; low where no finite number lies between them."""
    with np.errstate(invalid="ignore"):
        middle = low / 2 + high / 2
    between = np.isfinite(middle) & (low <= middle) & (middle < high)
    return np.where(between, middle, low)


_TOLERANCE = 1e-9


def equal_weight_ends(numbers: FloatArray, weights: FloatArray, n_ranges: int) -> FloatArray:
    """Upper ends of at most so many ranges of about equal weight, the last one infinite; equal numbers stay together.

    An end lies half way between two neighbouring numbers. NaN and records of weight 0 do not count.
    """
    is_known = ~np.isnan(numbers) & (weights > 0)
    values, place = np.unique(numbers[is_known], return_inverse=True)
    if len(values) < 2:
        return np.array([np.inf])
    upto = np.cumsum(np.bincount(place, weights=weights[is_known]))
    wanted = upto[-1] * np.arange(1, n_ranges) / n_ranges
    last = np.unique(np.searchsorted(upto, wanted - _TOLERANCE * upto[-1], side="left"))
    last = last[last < len(values) - 1]
    return np.append(middles(values[last], values[last + 1]), np.inf)


def equal_width_ends(numbers: FloatArray, n_ranges: int) -> FloatArray:
    """Upper ends of so many equally wide ranges from the least finite number to the greatest, the last one infinite; a
    range without a number is joined to the next."""
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
    """Upper ends of the ranges in which the classes are told apart at least cost, the last one infinite (Fayyad and
    Irani 1993). An end lies half way between two neighbouring numbers."""
    is_known = np.isfinite(numbers) & (weights > 0)
    values, place = np.unique(numbers[is_known], return_inverse=True)
    cells = np.bincount(
        place * n_classes + classes[is_known], weights=weights[is_known], minlength=len(values) * n_classes
    )
    cuts = np.array(paying_cuts(cells.astype(np.float64).reshape(len(values), n_classes)), dtype=np.int64)
    return np.append(middles(values[cuts - 1], values[cuts]) if len(cuts) else np.zeros(0), np.inf)


def range_ends(
    numbers: FloatArray,
    classes: IntArray,
    weights: FloatArray,
    n_classes: int,
    options: GrowthOptions,
    thresholds: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """The upper ends (b,) by which the options cut these numbers (n,), NaN where missing, the last end infinite.

    ``thresholds`` says where the lines come to lie that part the records so.
    """
    if options.numeric_splits == "equal-width":
        ends = equal_width_ends(numbers, options.numeric_branches)
    elif options.numeric_splits == "equal-frequency":
        ends = equal_weight_ends(numbers, weights, options.numeric_branches)
    else:
        ends = entropy_ends(numbers, classes, weights, n_classes)
    return np.append(np.unique(thresholds(ends[:-1])), np.inf)
