"""How much records differ in a column where a value is unknown: as much as may be expected by their classes.

Source: Kononenko, Estimating attributes: analysis and extensions of RELIEF, ECML (1994), section 3.2 (RELIEF-D) for
values of a list: 1 less the chance that both have one value. For numbers it is the mean distance.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray


class ExpectedGaps(ABC):
    """Of one column with unknown values: ``values`` (m,) from 0 to 1 or codes, NaN unknown, ``classes`` (m,) codes
    below ``k``. A value that a record lacks is taken for one of those that its class has, of all where it has none.
    ``asked`` (s,) are the places of the records that all others are compared with, ascending.
    """

    def __init__(self, values: FloatArray, classes: IntArray, k: int, asked: IntArray) -> None:
        self._values, self._classes, self._asked = values, classes, asked
        self._unknown = np.isnan(values)
        known = ~self._unknown
        self._learn([own if len(own) else values[known] for own in (values[known & (classes == c)] for c in range(k))])
        self._from_asked = np.array([self._from(code, values[asked]) for code in range(k)])
        self._between = np.array([[self._apart(one, other) for other in range(k)] for one in range(k)])

    def put_into(self, gaps: FloatArray, at: int) -> None:
        """Put what is expected into the ``gaps`` (m,) between asked record ``at`` and all where either is unknown."""
        place = self._asked[at]
        if self._unknown[place]:
            own = int(self._classes[place])
            gaps[:] = np.where(self._unknown, self._between[own, self._classes], self._from(own, self._values))
        else:
            gaps[self._unknown] = self._from_asked[self._classes[self._unknown], at]

    @abstractmethod
    def _learn(self, of_class: list[FloatArray]) -> None:
        """Look at the known values of each class."""

    @abstractmethod
    def _from(self, code: int, values: FloatArray) -> FloatArray:
        """How far each of these values (n,) is from one of a class on average; any number where it is NaN."""

    @abstractmethod
    def _apart(self, one: int, other: int) -> float:
        """How far a value of one class is from one of another on average."""


class ExpectedOfValues(ExpectedGaps):
    """Values of a list differ by 0 or 1."""

    def _learn(self, of_class: list[FloatArray]) -> None:
        size = int(max((own.max(initial=0) for own in of_class), default=0)) + 1
        counts = np.array([np.bincount(own.astype(np.int64), minlength=size) for own in of_class])
        self._shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)

    def _from(self, code: int, values: FloatArray) -> FloatArray:
        found: FloatArray = 1 - self._shares[code, np.nan_to_num(values).astype(np.int64)]
        return found

    def _apart(self, one: int, other: int) -> float:
        return 1 - float(self._shares[one] @ self._shares[other])


class ExpectedOfNumbers(ExpectedGaps):
    """Numbers differ by their distance."""

    def _learn(self, of_class: list[FloatArray]) -> None:
        self._sorted: list[NDArray[np.float64]] = [np.sort(own) for own in of_class]
        self._sums = [np.concatenate([[0.0], np.cumsum(own)]) for own in self._sorted]

    def _from(self, code: int, values: FloatArray) -> FloatArray:
        ordered, sums = self._sorted[code], self._sums[code]
        below = np.searchsorted(ordered, values)
        above = len(ordered) - below
        total = values * below - sums[below] + (sums[-1] - sums[below]) - values * above
        return np.asarray(total / max(1, len(ordered)))

    def _apart(self, one: int, other: int) -> float:
        return float(self._from(one, self._sorted[other]).mean()) if len(self._sorted[other]) else 0.0
