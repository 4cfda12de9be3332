"""Training records as a network takes them: rows of numbers, active classes, weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from algorithms.core.classed_records import Records
from algorithms.core.data import Dataset
from algorithms.core.terms import Int32Array, Terms
from algorithms.neural.passing import Numbers

BLOCK = 8192
"""Records whose numbers are made at once."""


@dataclass(frozen=True, eq=False)
class Examples:
    """n records: their numbers ``x`` (n, t), active classes counted from 0 (n,), and weights (n,), or none."""

    x: Numbers
    codes: Int32Array
    weights: Numbers | None

    @classmethod
    def of(cls, records: Records, terms: Terms, from_zero: bool, dtype: Any = np.float64) -> Examples:
        """The records as rows of these terms (see :func:`rows_of`)."""
        weights = None if records.weights is None else records.weights.astype(dtype)
        return cls(rows_of(terms, records.data, from_zero, dtype), records.codes, weights)

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def total(self) -> float:
        """The sum of the weights."""
        return float(len(self.codes)) if self.weights is None else float(self.weights.sum(dtype=np.float64))

    def part(self, mask: NDArray[np.bool_]) -> Examples:
        """Those of a mask (n,)."""
        weights = None if self.weights is None else self.weights[mask]
        return Examples(np.ascontiguousarray(self.x[mask]), self.codes[mask], weights)

    def share_of(self, wrong: NDArray[np.bool_]) -> float:
        """The share that a mask (n,) has of the weight; NaN of no weight."""
        if self.weights is None:
            return float(np.count_nonzero(wrong)) / len(wrong) if len(wrong) else float("nan")
        return float(self.weights @ wrong) / self.total if self.total > 0 else float("nan")


def rows_of(terms: Terms, data: Dataset, from_zero: bool, dtype: Any = np.float64) -> Numbers:
    """The numbers (n, t) of records under the same schema; ``from_zero`` counts each from zero, not its mean."""
    found = np.empty((len(data), len(terms)), dtype=dtype)
    for at in range(0, len(data), BLOCK):
        rows = slice(at, min(at + BLOCK, len(data)))
        numbers = terms.of(data, rows)
        if from_zero:
            numbers += (terms.centre / terms.unit)[:, None]
        found[rows] = numbers.T
    return found
