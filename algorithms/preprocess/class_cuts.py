"""Where the class says that numbers are to be cut."""

from __future__ import annotations

from collections.abc import Callable
from math import log2
from typing import Final

import numpy as np

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.data import Dataset
from algorithms.preprocess.ranges import Cuts, shortest_between

FINEST: Final = 2000
"""Merging begins with at most so many intervals, of equal weight where there are more different numbers."""


def class_weights(data: Dataset, index: int) -> tuple[FloatArray, FloatArray]:
    """The different finite numbers of a column, ascending (v,), and the weight of each class with each (v, k)."""
    column, classes, weights = data.column(index), data.class_codes.astype(np.int64), data.weight_array
    known = np.flatnonzero(np.isfinite(column) & (classes >= 0) & (weights > 0))
    k = len(data.schema.classes)
    values, place = np.unique(column[known], return_inverse=True)
    cells = np.bincount(place * k + classes[known], weights=weights[known], minlength=len(values) * k)
    return values, cells.astype(np.float64).reshape(len(values), k)


def cuts_by_class(data: Dataset, index: int, checkpoint: Callable[[], None] = lambda: None) -> Cuts:
    """Where to cut the numbers of an attribute by minimum description length.

    Source: Fayyad and Irani, Multi-interval discretization of continuous-valued attributes for classification learning,
    IJCAI (1993).
    """
    values, cells = class_weights(data, index)
    if len(values) == 0:
        return ()
    upto = np.vstack([np.zeros(cells.shape[1]), np.cumsum(cells, axis=0)])
    found: list[int] = []
    waiting = [(0, len(values))]
    while waiting:
        checkpoint()
        first, last = waiting.pop()
        cut = _paying_cut(upto[first : last + 1] - upto[first])
        if cut is not None:
            found.append(first + cut)
            waiting += [(first, first + cut), (first + cut, last)]
    return tuple(shortest_between(float(values[at - 1]), float(values[at])) for at in sorted(found))


def _paying_cut(upto: FloatArray) -> int | None:
    """The best cut 1..v-1 of v values with the class weights (v + 1, k) below each; None where it does not pay."""
    total = upto[-1]
    n = float(total.sum())
    if len(upto) < 3 or n <= 1 or np.count_nonzero(total) < 2:
        return None
    below, above = upto[1:-1], total - upto[1:-1]
    after = (bits(below) + bits(above)) / n
    cut = int(np.argmin(after))
    before, left, right = float(bits(total)), below[cut], above[cut]
    k, k_left, k_right = (int(np.count_nonzero(counts > 1e-9)) for counts in (total, left, right))
    entropies = [float(bits(counts)) / max(float(counts.sum()), 1e-300) for counts in (left, right)]
    delta = log2(3**k - 2) - (k * before / n - k_left * entropies[0] - k_right * entropies[1])
    return cut + 1 if before / n - float(after[cut]) > (np.log2(n - 1) + delta) / n else None


def bits(counts: FloatArray) -> FloatArray:
    """Entropy of class weights (..., k) times their sum."""
    total = counts.sum(axis=-1)
    logs = np.log2(counts, out=np.zeros_like(counts), where=counts > 0)
    inner = (counts * logs).sum(axis=-1)
    return np.asarray(total * np.log2(total, out=np.zeros_like(total), where=total > 0) - inner)


def merged_cuts(
    data: Dataset, index: int, significance: float, most: int, checkpoint: Callable[[], None] = lambda: None
) -> Cuts:
    """Where to cut by joining neighbours: of the intervals the two whose classes differ least, again and again.

    It begins with an interval for each number, and goes on until each two neighbours differ by the chi-square test
    with this ``significance`` (0 to 1) and there are at most ``most`` intervals. Of equal pairs the lowest is joined; a
    class that neither has plays no part. Source:
    Kerber, ChiMerge: discretization of numeric attributes, AAAI (1992).
    """
    from scipy.special import chdtri

    values, cells = class_weights(data, index)
    if len(values) < 2:
        return ()
    starts, table = _begun(cells)
    classes = int(np.count_nonzero(cells.sum(axis=0)))
    enough = float(chdtri(classes - 1, 1 - significance)) if classes > 1 else np.inf
    scores = differences(table[:-1], table[1:])
    while len(scores):
        checkpoint()
        at = int(np.argmin(scores))
        if scores[at] >= enough and len(table) <= most:
            break
        table[at] += table[at + 1]
        table, starts = np.delete(table, at + 1, axis=0), np.delete(starts, at + 1)
        scores = np.delete(scores, at)
        for pair in (at - 1, at):
            if 0 <= pair < len(scores):
                scores[pair] = differences(table[pair : pair + 1], table[pair + 1 : pair + 2])[0]
    return tuple(shortest_between(float(values[at - 1]), float(values[at])) for at in starts[1:])


def _begun(cells: FloatArray) -> tuple[IntArray, FloatArray]:
    """Where the first intervals begin among the values, and the class weights of each."""
    starts = np.arange(len(cells))
    if len(cells) > FINEST:
        upto = np.cumsum(cells.sum(axis=1))
        wanted = upto[-1] * np.arange(1, FINEST) / FINEST
        starts = np.unique(np.concatenate([[0], np.searchsorted(upto, wanted) + 1]))
        starts = starts[starts < len(cells)]
    return starts, np.add.reduceat(cells, starts, axis=0)


def differences(low: FloatArray, high: FloatArray) -> FloatArray:
    """The chi-square statistic of each pair of intervals, from their class weights (p, k)."""
    both = low + high
    share = low.sum(axis=1, keepdims=True) / np.maximum(both.sum(axis=1, keepdims=True), 1e-300)
    expected = both * share, both * (1 - share)
    parts = [
        np.divide((a - e) ** 2, e, out=np.zeros_like(e), where=e > 0)
        for a, e in zip((low, high), expected, strict=True)
    ]
    return np.asarray((parts[0] + parts[1]).sum(axis=1))
