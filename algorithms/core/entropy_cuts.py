"""Where numbers are to be cut so that the ranges and their classes take least to write down (Fayyad and Irani)."""

from __future__ import annotations

from collections.abc import Callable
from math import log2

import numpy as np

from algorithms.core.columns import FloatArray


def paying_cuts(cells: FloatArray, checkpoint: Callable[[], None] = lambda: None) -> list[int]:
    """The places 1..v-1 to cut v ascending values at, from the class weights (v, k) of each, by minimum description
    length.

    Source: Fayyad and Irani, Multi-interval discretization of continuous-valued attributes for classification learning,
    IJCAI (1993).
    """
    upto = np.vstack([np.zeros(cells.shape[1]), np.cumsum(cells, axis=0)])
    found: list[int] = []
    waiting = [(0, len(cells))]
    while waiting:
        checkpoint()
        first, last = waiting.pop()
        cut = _paying_cut(upto[first : last + 1] - upto[first])
        if cut is not None:
            found.append(first + cut)
            waiting += [(first, first + cut), (first + cut, last)]
    return sorted(found)


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
