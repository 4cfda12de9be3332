"""Which records of a table a run tested, and which of them it decided wrongly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.data import Dataset
from algorithms.core.learner import Codes
from algorithms.evaluation.result import EvaluationResult


@dataclass(frozen=True, eq=False)
class Judged:
    """The judgement on each record of a table: the last ``decision`` (n,), -1 where it was not tested; ``wrong`` (n,)
    where at least half of its tests were wrong."""

    decision: Codes
    wrong: NDArray[np.bool_]


def tested_rows(result: EvaluationResult, data: Dataset) -> IntArray | None:
    """The row of ``data`` that each test (m,) was of, found by its id, -1 where it has none; None where it was tested
    on none of them, as with a test file."""
    n = len(data)
    if result.method.needs_test_data or not n or not len(result):
        return None
    ids = data.row_ids
    order = None if bool((ids[1:] > ids[:-1]).all()) else np.argsort(ids, kind="stable")
    at = np.searchsorted(ids, result.row_ids, sorter=order).clip(max=n - 1)
    rows = at if order is None else order[at]
    known = ids[rows] == result.row_ids
    return np.where(known, rows, -1) if bool(known.any()) else None


def judged(result: EvaluationResult, data: Dataset, decisions: Codes | None = None) -> Judged | None:
    """What the run said of the records of ``data``; None where it was tested on none of them.

    ``decisions`` (m,) are those of its tests, where it is not decided as its model does.
    """
    rows = tested_rows(result, data)
    if rows is None:
        return None
    n, known = len(data), rows >= 0
    all_said = result.decision if decisions is None else decisions
    rows, said, right = rows[known], all_said[known], all_said[known] == result.truth[known]
    decision = np.full(n, -1, dtype=np.int32)
    decision[rows] = said
    tests = np.bincount(rows, minlength=n)
    n_wrong = np.bincount(rows[~right], minlength=n)
    return Judged(decision, (n_wrong > 0) & (2 * n_wrong >= tests))


@dataclass(frozen=True, eq=False)
class CellsOfTests:
    """In which cell of a confusion matrix of k classes each test (m,) is, and of which row of a table of n records."""

    k: int
    n: int
    rows: IntArray
    cells: IntArray
    """Row times k plus column of the matrix."""
    weights: FloatArray | None

    @classmethod
    def of(cls, result: EvaluationResult, decision: Codes, data: Dataset) -> CellsOfTests | None:
        """Of a run's tests under these decisions (m,); None where none of them is of a record of ``data``."""
        rows = tested_rows(result, data)
        if rows is None:
            return None
        k, known = len(result.classes), rows >= 0
        cells = result.truth.astype(np.int64) * k + decision
        weights = None if result.weights is None else result.weights[known]
        return cls(k, len(data), rows[known], cells[known], weights)

    def records_in(self, wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Mask (n,) of the records that were tested in any of the cells wanted (k, k)."""
        mask = np.zeros(self.n, dtype=np.bool_)
        mask[self.rows[wanted.reshape(-1)[self.cells]]] = True
        return mask

    def counts_of(self, mask: NDArray[np.bool_]) -> FloatArray:
        """The confusion matrix (k, k) of the tests of the records in the mask (n,) alone."""
        chosen = np.flatnonzero(mask[self.rows])
        weights = None if self.weights is None else self.weights[chosen]
        counts = np.bincount(self.cells[chosen], weights=weights, minlength=self.k * self.k)
        return counts.astype(np.float64).reshape(self.k, self.k)
