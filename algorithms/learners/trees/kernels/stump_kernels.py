"""Compiled loops that find the best cut of sorted records under new weights, mostly from sums over blocks.

The order of each attribute is divided into blocks, and class weights are summed by block. Within a block the class
weights left of a cut lie between those at its borders. The impurity after a cut is a concave function of them, so it is
at least its minimum over the corners of this range. Only blocks that may contain a better cut than every border are
scanned record by record.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.compiled.jit import called_by_loops, compiled, stop_word
from algorithms.learners.trees.growth.loop_arguments import INTERRUPTED, NO_SPLIT
from algorithms.learners.trees.kernels.split_kernels import RELATIVE, disorder

_RECORD = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_NEVER = 1e300


@compiled
def number_blocks(words: Any, classes: Any, k: Any, n_blocks: Any, cells: Any) -> None:
    """Write the cell ``block * k + class`` of each record (n,), from the words of an attribute's order."""
    n = len(words)
    for i in range(n):
        record = words[i] & _RECORD
        cells[record] = (i * n_blocks // n) * k + classes[record]


@called_by_loops
def _sum_up(cells: Any, weights: Any, sums: Any) -> None:
    """Sum the weights (n,) of the records by cell."""
    sums[:] = 0.0
    for i in range(len(cells)):
        sums[cells[i]] += weights[i]


@called_by_loops
def _after(criterion: Any, left: Any, totals: Any, right: Any) -> Any:
    """Impurity times weight after a cut with class weights ``left`` (k,) on its left."""
    for c in range(len(left)):
        right[c] = max(0.0, totals[c] - left[c])
    return disorder(criterion, left) + disorder(criterion, right)


@called_by_loops
def _least_between(criterion: Any, low: Any, high: Any, totals: Any, corner: Any, right: Any, least: Any) -> Any:
    """Lower bound of the impurity after a cut between two borders, the better of which leaves ``least``."""
    k = len(totals)
    for chosen in range(1, (1 << k) - 1):
        for c in range(k):
            corner[c] = high[c] if (chosen >> c) & 1 else low[c]
        least = min(least, _after(criterion, corner, totals, right))
    return least


@called_by_loops
def _borders(words: Any, sums: Any, totals: Any, least: Any, criterion: Any, bounds: Any, low: Any) -> Any:
    """Write a lower bound for the cuts of each block and the weights (blocks, k) before it; the best border's value."""
    n, k, n_blocks = len(words), len(totals), len(bounds)
    high, corner, right = np.zeros(k), np.empty(k), np.empty(k)
    total = totals.sum()
    best, before = _NEVER, disorder(criterion, totals)
    for block in range(n_blocks):
        weight = 0.0
        for c in range(k):
            low[block, c] = high[c]
            high[c] += sums[block * k + c]
            weight += high[c]
        after = _after(criterion, high, totals, right)
        bounds[block] = _least_between(criterion, low[block], high, totals, corner, right, min(before, after))
        before = after
        end = ((block + 1) * n + n_blocks - 1) // n_blocks
        if weight >= least and total - weight >= least and end < n and (words[end - 1] ^ words[end]) >> _HALF != 0:
            best = min(best, after)
    return best


@called_by_loops
def _scan(
    words: Any, begin: Any, end: Any, left: Any, best: Any, classes: Any, weights: Any, totals: Any, rules: Any
) -> Any:
    """The first best cut after the words begin..end - 1 that leaves less than ``best``: place and value."""
    k, total, weight = len(totals), totals.sum(), left.sum()
    right, cut = np.empty(k), -1
    for i in range(begin, min(end, len(words) - 1)):
        record = words[i] & _RECORD
        left[classes[record]] += weights[record]
        weight += weights[record]
        if (words[i] ^ words[i + 1]) >> _HALF != 0 and weight >= rules[0] and total - weight >= rules[0]:
            after = _after(rules[1], left, totals, right)
            if after < best:
                cut, best = i + 1, after - (RELATIVE - 1.0) * total
    return cut, best


@compiled
def best_cut(
    words: Any,
    cells: Any,
    classes: Any,
    weights: Any,
    totals: Any,
    least: Any,
    criterion: Any,
    slack: Any,
    control: Any,
) -> Any:
    """The attribute, the number of records left of its best cut, and the impurity times weight after it.

    ``words`` (d, n) are the orders, ``cells`` (d, n) the cells of their records, ``totals`` (k,) the class weights, and
    ``least`` the least weight of a side. Cuts of attributes that differ by at most ``slack`` are equal: the first
    attribute wins, with its lowest cut. ``NO_SPLIT`` without a cut, ``INTERRUPTED`` after a stop.
    """
    d, n, k = words.shape[0], words.shape[1], len(totals)
    n_blocks = np.int64(cells.max()) // k + 1
    bounds, low, border = np.empty((d, n_blocks)), np.empty((d, n_blocks, k)), np.empty(d)
    sums, rules = np.empty(n_blocks * k), (least, criterion)
    for a in range(d):
        if stop_word(control) != 0:
            return INTERRUPTED, 0, 0.0
        _sum_up(cells[a], weights, sums)
        border[a] = _borders(words[a], sums, totals, least, criterion, bounds[a], low[a])
    bar = border.min() + 2.0 * slack
    chosen, cut, left_over = NO_SPLIT, 0, _NEVER
    for a in range(d):
        best, best_place, best_after = _NEVER, -1, _NEVER
        for block in range(n_blocks):
            if bounds[a, block] > min(bar, best + slack):
                continue
            if stop_word(control) != 0:
                return INTERRUPTED, 0, 0.0
            begin, end = (block * n + n_blocks - 1) // n_blocks, ((block + 1) * n + n_blocks - 1) // n_blocks
            place, after = _scan(words[a], begin, end, low[a, block].copy(), best, classes, weights, totals, rules)
            if place >= 0:
                best_place, best = place, after
                best_after = after + (RELATIVE - 1.0) * totals.sum()
        if best_place >= 0 and best_after < left_over - slack:
            chosen, cut, left_over = a, best_place, best_after
            bar = min(bar, left_over)
    return chosen, cut, left_over
