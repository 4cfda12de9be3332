"""Supervised discretization: cuts by entropy and MDL (Fayyad and Irani), and ChiMerge."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from math import log2
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.filters.ranges import Cuts, shortest_between


def paying_cuts(cells: FloatArray, checkpoint: Callable[[], None] = lambda: None) -> list[int]:
    """The places 1..v-1 to cut v ascending values at, from the class weights (v, k) of each, by minimum description
    length.

    Source: Fayyad and Irani, Multi-interval discretization of continuous-valued attributes for classification learning,
    IJCAI (1993).
    """
    upto = np.zeros((cells.shape[1], len(cells) + 1))
    np.cumsum(cells.T, axis=1, out=upto[:, 1:])
    return cut_places(upto, checkpoint)


def cut_places(upto: NDArray[Any], checkpoint: Callable[[], None] = lambda: None) -> list[int]:
    """As :func:`paying_cuts`, from the weights of each class up to each value (k, v + 1), the first column zero.

    Whole numbers (int64) are quicker where they are many: what is made of them is looked up.
    """
    found: list[int] = []
    waiting = [(0, upto.shape[1] - 1)]
    times_log = _times_log(upto)
    while waiting:
        checkpoint()
        first, last = waiting.pop()
        cut = _paying_cut(upto[:, first : last + 1], times_log)
        if cut is not None:
            found.append(first + cut)
            waiting += [(first, first + cut), (first + cut, last)]
    return sorted(found)


def _times_log(upto: NDArray[Any]) -> Callable[[NDArray[Any]], FloatArray]:
    """What multiplies weights by their logarithms to base 2: from a table where they are whole and many."""
    n = int(upto[:, -1].sum()) if upto.size else 0
    if upto.dtype != np.int64 or n > 4 * upto.shape[1]:
        return _logged
    table = _logged(np.arange(n + 1))
    return lambda weights: np.asarray(table[weights])


def _logged(weights: NDArray[Any]) -> FloatArray:
    found = np.asarray(weights, dtype=np.float64)
    return np.asarray(found * np.log2(found, out=np.zeros_like(found), where=found > 0))


def _paying_cut(upto: NDArray[Any], times_log: Callable[[NDArray[Any]], FloatArray]) -> int | None:
    """The best cut 1..v-1 of v values with the class weights (k, v + 1) up to each; None where it does not pay.

    Works through one class after the other: the sums over classes are then those of long rows.
    """
    total = upto[:, -1] - upto[:, 0]
    n = float(total.sum())
    if upto.shape[1] < 3 or n <= 1 or np.count_nonzero(total) < 2:
        return None
    after = np.zeros(upto.shape[1] - 2)
    below_all = np.zeros(len(after), dtype=upto.dtype)
    for code in np.flatnonzero(total):
        below = upto[code, 1:-1] - upto[code, 0]
        below_all += below
        after -= times_log(below)
        after -= times_log(total[code] - below)
    after += times_log(below_all)
    after += times_log(total.sum() - below_all)
    cut = int(np.argmin(after))
    left = (upto[:, cut + 1] - upto[:, 0]).astype(np.float64)
    whole = total.astype(np.float64)
    right = whole - left
    before = float(bits(whole))
    k, k_left, k_right = (int(np.count_nonzero(counts > 1e-9)) for counts in (whole, left, right))
    entropies = [float(bits(counts)) / max(float(counts.sum()), 1e-300) for counts in (left, right)]
    delta = log2(3**k - 2) - (k * before / n - k_left * entropies[0] - k_right * entropies[1])
    gain = before / n - float(bits(left) + bits(right)) / n
    return cut + 1 if gain > (np.log2(n - 1) + delta) / n else None


def bits(counts: FloatArray) -> FloatArray:
    """Entropy of class weights (..., k) times their sum."""
    total = counts.sum(axis=-1)
    logs = np.log2(counts, out=np.zeros_like(counts), where=counts > 0)
    inner = (counts * logs).sum(axis=-1)
    return np.asarray(total * np.log2(total, out=np.zeros_like(total), where=total > 0) - inner)


_SUMMED_OTHERWISE: Final = 8
"""So many numbers or more numpy sums in an order of its own."""

FINEST: Final = 2000
"""Merging begins with at most so many intervals, of equal weight where there are more different numbers."""


def weights_upto(data: Dataset, index: int) -> tuple[FloatArray, NDArray[Any]]:
    """The different finite numbers of a column, ascending (v,), and the weight of each class up to each (k, v + 1).

    The first column of weights is zero. Without record weights they are whole numbers (int64), else float64.
    """
    column, classes = data.column(index), data.class_codes
    known = np.isfinite(column) & (classes >= 0)
    if data.weights is not None:
        known &= data.weights > 0
    rows = None if known.all() else np.flatnonzero(known)
    order = np.argsort(column if rows is None else column[rows])
    order = order if rows is None else rows[order]
    values, codes = column[order], classes[order]
    weights = None if data.weights is None else data.weights[order]
    ends = np.flatnonzero(np.append(values[1:] != values[:-1], True)) if len(values) else np.zeros(0, dtype=np.int64)
    k = len(data.schema.classes)
    upto = np.zeros((k, len(ends) + 1), dtype=np.int64 if weights is None else np.float64)
    for code in range(k):
        own = codes == code
        if own.any():
            upto[code, 1:] = np.cumsum(own if weights is None else np.where(own, weights, 0.0))[ends]
    return values[ends], upto


def class_weights(data: Dataset, index: int) -> tuple[FloatArray, FloatArray]:
    """The different finite numbers of a column, ascending (v,), and the weight of each class with each (v, k)."""
    values, upto = weights_upto(data, index)
    return values, np.diff(upto, axis=1).T.astype(np.float64)


def cuts_by_class(data: Dataset, index: int, checkpoint: Callable[[], None] = lambda: None) -> Cuts:
    """Where to cut the numbers of an attribute by minimum description length.

    Source: Fayyad and Irani, Multi-interval discretization of continuous-valued attributes for classification learning,
    IJCAI (1993).
    """
    values, upto = weights_upto(data, index)
    places = cut_places(upto, checkpoint)
    return tuple(shortest_between(float(values[at - 1]), float(values[at])) for at in places)


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
    kept = joined(table, enough, most, checkpoint)
    return tuple(shortest_between(float(values[at - 1]), float(values[at])) for at in starts[kept[1:]])


def joined(table: FloatArray, enough: float, most: int, checkpoint: Callable[[], None] = lambda: None) -> list[int]:
    """The first of the intervals (n, k) that are joined to each that is left, in their order; see :func:`merged_cuts`.

    The pairs stand in a heap, one that was joined or has another neighbour by now is passed over.
    """
    n, rows = len(table), table.tolist()
    scores: list[float] = differences(table[:-1], table[1:]).tolist()
    following, before = [*range(1, n), -1], [-1, *range(n - 1)]
    heap = [(score, at) for at, score in enumerate(scores)]
    heapify(heap)
    left = n
    while left > 1:
        checkpoint()
        score, at = heappop(heap)
        if following[at] < 0 or scores[at] != score:
            continue
        if score >= enough and left <= most:
            break
        gone = following[at]
        rows[at] = [own + other for own, other in zip(rows[at], rows[gone], strict=True)]
        following[at], following[gone] = following[gone], -1
        if following[at] >= 0:
            before[following[at]] = at
        left -= 1
        for low in (before[at], at):
            if low >= 0 and following[low] >= 0:
                scores[low] = _difference(rows[low], rows[following[low]])
                heappush(heap, (scores[low], low))
    kept = [0]
    while following[kept[-1]] >= 0:
        kept.append(following[kept[-1]])
    return kept


def _difference(low: list[float], high: list[float]) -> float:
    """As :func:`differences` of one pair of intervals, to the last bit."""
    if len(low) >= _SUMMED_OTHERWISE:
        return float(differences(np.array([low]), np.array([high]))[0])
    below = total = found = 0.0
    for own, other in zip(low, high, strict=True):
        below += own
        total += own + other
    share = below / max(total, 1e-300)
    for own, other in zip(low, high, strict=True):
        both = own + other
        first, second = both * share, both * (1 - share)
        part = (own - first) * (own - first) / first if first > 0 else 0.0
        found += part + ((other - second) * (other - second) / second if second > 0 else 0.0)
    return found


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
