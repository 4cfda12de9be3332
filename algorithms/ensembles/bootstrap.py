"""Samples of training records drawn with replacement, and which records a sample leaves out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.data import Dataset
from algorithms.core.resampling import originals


def weighty(data: Dataset) -> Dataset:
    """The records that weigh something, all of them where none does; without weights where each weighs one."""
    weights = data.weights
    if weights is None or not weights.any():
        return data
    if not np.all(weights > 0):
        data = data.take(weights > 0)
        weights = data.weight_array
    return data.with_weights(None) if np.all(weights == 1) else data


def drawn_rows(weights: FloatArray | None, n: int, size: int, random: np.random.Generator) -> IntArray:
    """``size`` of n positions drawn with replacement, ascending: by their weights (n,), or each as likely as any."""
    if weights is None or not weights.any():
        found = random.integers(0, n, size)
    else:
        ends = np.cumsum(weights)
        found = np.minimum(np.searchsorted(ends, random.random(size) * ends[-1], side="right"), n - 1)
    return np.repeat(np.arange(n), np.bincount(found, minlength=n))


def sample_of(data: Dataset, rows: IntArray) -> Dataset:
    """The records at these positions, together of the weight that as many records of the data have on average."""
    drawn = data.take(rows)
    if data.weights is None:
        return drawn
    return drawn.with_weights(np.full(len(rows), float(data.weights.mean())))


def counted(data: Dataset, rows: IntArray) -> Dataset:
    """As :func:`sample_of`, each record weighing as often as it was drawn instead of standing there so often.

    For learners to which that is the same: nothing is copied, and the orders of the data are those of the sample.
    """
    times = np.bincount(rows, minlength=len(data)).astype(np.float64)
    return data.with_weights(times if data.weights is None else times * float(data.weights.mean()))


class Outside:
    """Which records of some data a sample has not seen: neither they nor copies of them, and none that is made up."""

    def __init__(self, data: Dataset) -> None:
        _, of = originals(data)
        self._real, self._of = of >= 0, of
        self._n = int(of.max(initial=-1)) + 1

    def of(self, rows: IntArray) -> NDArray[np.bool_]:
        """Mask (n,) of the records that a sample of these rows leaves out."""
        seen = np.zeros(self._n + 1, dtype=np.bool_)
        seen[self._of[rows]] = True
        return np.asarray(self._real & ~seen[self._of])
