"""Compiled loops that judge lines through ordered values by chi-square, over records in the order of each predictor."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.compiled.jit import compiled

TOLERANCE: Final = 1e-9
"""Weights that differ by less are equal."""

AS_GOOD: Final = 1.0 - 1e-10
"""A statistic of at least so much of the largest one is as large."""


@compiled
def best_cuts(
    words: Any, classes: Any, weights: Any, k: Any, min_leaf: Any, tenth: Any, found: Any, between: Any
) -> None:
    """The cut of each predictor whose two sides differ most in their classes; the first of equals.

    ``words`` (a, n) are ``rank << 32 | record`` in the order of each predictor, those without a value at the end with
    the largest rank; ``classes`` (N,) and ``weights`` (N,) are of the records, k the number of classes. Each side
    weighs at least ``min_leaf`` and, where ``tenth``, a tenth of a class's average weight, 25 at most. Written are
    ``found`` (a, 3): Pearson's statistic (NaN without a cut), its degrees of freedom, and the number of cuts there
    were; and ``between`` (a, 2), the records on the two sides of the cut.
    """
    n = words.shape[1]
    statistics, ends = np.empty(n), np.empty(n, dtype=np.int64)
    left, known = np.empty(k), np.empty(k)
    for a in range(words.shape[0]):
        found[a, 0], found[a, 1], found[a, 2] = np.nan, 0.0, 0.0
        n_known = _count(words[a], classes, weights, known)
        total, present = 0.0, 0
        for c in range(k):
            left[c] = 0.0
            total += known[c]
            present += known[c] != 0.0
        least = max(min_leaf, TOLERANCE)
        if tenth:
            least = max(least, min(25.0, 0.1 * total / max(k, 1)))
        n_cuts = _weigh(words[a], n_known, classes, weights, left, known, total, least, statistics, ends)
        if n_cuts == 0:
            continue
        best = statistics[:n_cuts].max() * AS_GOOD
        at = 0
        while statistics[at] < best:
            at += 1
        found[a, 0], found[a, 1], found[a, 2] = statistics[at], max(present - 1, 0), n_cuts
        for side in range(2):
            between[a, side] = np.int64(words[a, ends[at] + side] & np.uint64(0xFFFFFFFF))


@compiled
def _count(words: Any, classes: Any, weights: Any, known: Any) -> int:
    """Weigh each class (k,) among the records that have a value; returns how many these are."""
    half, low_half = np.uint64(32), np.uint64(0xFFFFFFFF)
    known[:] = 0.0
    for i in range(len(words)):
        if words[i] >> half == low_half:
            return i
        record = words[i] & low_half
        known[classes[record]] += weights[record]
    return len(words)


@compiled
def _weigh(
    words: Any,
    n_known: Any,
    classes: Any,
    weights: Any,
    left: Any,
    known: Any,
    total: Any,
    least: Any,
    statistics: Any,
    ends: Any,
) -> int:
    """The statistics of the cuts whose sides weigh enough, and the place before each; returns how many there are."""
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
            statistics[n_cuts] = _statistic(left, known, below, total)
            ends[n_cuts] = i
            n_cuts += 1
    return n_cuts


@compiled
def _statistic(left: Any, known: Any, below: Any, total: Any) -> Any:
    """Pearson's statistic of the division of class weights ``known`` (k,) into ``left`` (k,), ``below`` in all, and the
    rest; see :func:`algorithms.learners.trees.explain.gain_curve.pair_statistics`."""
    product = below * max(total - below, 0.0)
    if not product > 0.0:
        return 0.0
    share, apart = below / total, 0.0
    for c in range(len(left)):
        if known[c] > 0.0:
            off = left[c] - share * known[c]
            apart += off * off / known[c]
    return apart * total * total / product


@compiled
def words_of(words: Any, is_chosen: Any, part: Any) -> None:
    """Write to ``part`` (a, m) those of the words (a, n) whose records are among the m chosen (N,), in their order."""
    for a in range(words.shape[0]):
        m = 0
        for i in range(words.shape[1]):
            if is_chosen[words[a, i] & np.uint64(0xFFFFFFFF)]:
                part[a, m] = words[a, i]
                m += 1


def warm_up() -> None:
    """Compile, or load, what is called from outside a compiled loop."""
    words = np.zeros((1, 1), dtype=np.uint64)
    best_cuts(
        words,
        np.zeros(1, dtype=np.int64),
        np.ones(1),
        2,
        1.0,
        False,
        np.empty((1, 3)),
        np.empty((1, 2), dtype=np.int64),
    )
    words_of(words, np.ones(1, dtype=np.bool_), words.copy())
