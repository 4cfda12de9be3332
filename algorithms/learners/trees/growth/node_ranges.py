"""Cutting the numbers of a node's records into several ranges, each with a branch of its own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from algorithms.data.columns import FloatArray, IntArray
from algorithms.filters.discretize import paying_cuts
from algorithms.learners.trees.growth.growth_options import GrowthOptions, middles

_TOLERANCE = 1e-9


def equal_weight_ends(numbers: FloatArray, weights: FloatArray, n_ranges: int) -> FloatArray:
    """Upper ends of at most so many ranges of about equal weight, the last one infinite; equal numbers stay together.

    An end lies half way between two neighbouring numbers. NaN and records of weight 0 do not count.
    """
    known = ~np.isnan(numbers) & (weights > 0)
    values, place = np.unique(numbers[known], return_inverse=True)
    if len(values) < 2:
        return np.array([np.inf])
    upto = np.cumsum(np.bincount(place, weights=weights[known]))
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
    known = np.isfinite(numbers) & (weights > 0)
    values, place = np.unique(numbers[known], return_inverse=True)
    cells = np.bincount(place * n_classes + classes[known], weights=weights[known], minlength=len(values) * n_classes)
    at = np.array(paying_cuts(cells.astype(np.float64).reshape(len(values), n_classes)), dtype=np.int64)
    return np.append(middles(values[at - 1], values[at]) if len(at) else np.zeros(0), np.inf)


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
