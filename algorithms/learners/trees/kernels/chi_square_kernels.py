"""Compiled loops that evaluate cuts of ordered values by chi-square, over records sorted by each predictor."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.compiled.jit import called_by_loops, compiled

TOLERANCE: Final = 1e-9
"""Weights that differ by less are equal."""

AS_GOOD: Final = 1.0 - 1e-10
"""A statistic of at least this share of the largest one counts as equal."""


@compiled
def best_cuts(
    words: Any, classes: Any, weights: Any, k: Any, min_leaf: Any, tenth: Any, figures: Any, between: Any
) -> None:
    """Write the cut of each predictor whose two sides differ most in their classes; the first among equals.

    ``words`` (a, n) are ``rank << 32 | record`` in the order of each predictor, with missing values last at the largest
    rank. ``classes`` (N,) and ``weights`` (N,) are by record, k is the number of classes. Each side weighs at least
    ``min_leaf``; with ``tenth`` also a tenth of a class's average weight, at most 25. Results: ``figures`` (a, 3) are
    Pearson's statistic (NaN without a cut), its degrees of freedom and the number of cuts; ``between`` (a, 2) are the
    records on the two sides of the cut.
    """
    n = words.shape[1]
    statistics, ends = np.empty(n), np.empty(n, dtype=np.int64)
    left, class_weights = np.empty(k), np.empty(k)
    for a in range(words.shape[0]):
        figures[a, 0], figures[a, 1], figures[a, 2] = np.nan, 0.0, 0.0
        n_known = _count(words[a], classes, weights, class_weights)
        total, present = 0.0, 0
        for c in range(k):
            left[c] = 0.0
            total += class_weights[c]
            present += class_weights[c] != 0.0
        least = max(min_leaf, TOLERANCE)
        if tenth:
            least = max(least, min(25.0, 0.1 * total / max(k, 1)))
        n_cuts = _weigh(words[a], n_known, classes, weights, left, class_weights, total, least, statistics, ends)
        if n_cuts == 0:
            continue
        best, cut = statistics[0], 0
        for other in range(1, n_cuts):
            best = max(best, statistics[other])
        best *= AS_GOOD
        while statistics[cut] < best:
            cut += 1
        figures[a, 0], figures[a, 1], figures[a, 2] = statistics[cut], max(present - 1, 0), n_cuts
        for side in range(2):
            between[a, side] = np.int64(words[a, ends[cut] + side] & np.uint64(0xFFFFFFFF))


@called_by_loops
def _count(words: Any, classes: Any, weights: Any, class_weights: Any) -> int:
    """Sum the class weights (k,) of the records with a value; returns the number of these records."""
    half, low_half = np.uint64(32), np.uint64(0xFFFFFFFF)
    class_weights[:] = 0.0
    for i in range(len(words)):
        if words[i] >> half == low_half:
            return i
        record = words[i] & low_half
        class_weights[classes[record]] += weights[record]
    return len(words)


@called_by_loops
def _weigh(
    words: Any,
    n_known: Any,
    classes: Any,
    weights: Any,
    left: Any,
    class_weights: Any,
    total: Any,
    least: Any,
    statistics: Any,
    ends: Any,
) -> int:
    """Write the statistics of the cuts with enough weight on both sides, and the place before each; their number."""
    half, low_half = np.uint64(32), np.uint64(0xFFFFFFFF)
    n_cuts = 0
    for i in range(n_known - 1):
        record = words[i] & low_half
        left[classes[record]] += weights[record]
        if words[i] >> half == words[i + 1] >> half:
            continue
        below = 0.0
        for c in range(len(left)):
            below += left[c]
        if below >= least - TOLERANCE and total - below >= least - TOLERANCE:
            statistics[n_cuts] = _statistic(left, class_weights, below, total)
            ends[n_cuts] = i
            n_cuts += 1
    return n_cuts


@called_by_loops
def _statistic(left: Any, class_weights: Any, below: Any, total: Any) -> Any:
    """Pearson's statistic of dividing ``class_weights`` (k,) into ``left`` (k,), of weight ``below``, and the rest.

    As :func:`algorithms.learners.trees.growth.split_criteria.pair_statistics`.
    """
    product = below * max(total - below, 0.0)
    if not product > 0.0:
        return 0.0
    share, apart = below / total, 0.0
    for c in range(len(left)):
        if class_weights[c] > 0.0:
            off = left[c] - share * class_weights[c]
            apart += off * off / class_weights[c]
    return apart * total * total / product


@compiled
def words_of(words: Any, is_chosen: Any, part: Any) -> None:
    """Copy to ``part`` (a, m) the words (a, n) whose records are among the m chosen (N,), in order."""
    for a in range(words.shape[0]):
        m = 0
        for i in range(words.shape[1]):
            if is_chosen[words[a, i] & np.uint64(0xFFFFFFFF)]:
                part[a, m] = words[a, i]
                m += 1
