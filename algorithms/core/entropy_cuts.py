"""Where numbers are to be cut so that the ranges and their classes take least to write down (Fayyad and Irani)."""

from __future__ import annotations

from collections.abc import Callable
from math import log2
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray


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
