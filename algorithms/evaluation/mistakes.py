"""Which records of a table a run decided wrongly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from algorithms.core.data import Dataset
from algorithms.core.learner import Codes
from algorithms.evaluation.result import EvaluationResult


@dataclass(frozen=True, eq=False)
class Judged:
    """The judgement on each record of a table: the last ``decision`` (n,), -1 where it was not tested; ``wrong`` (n,)
    where at least half of its tests were wrong."""

    decision: Codes
    wrong: NDArray[np.bool_]


def judged(result: EvaluationResult, data: Dataset) -> Judged | None:
    """What the run said of the records of ``data``, found by their ids; None where it was tested on none of them, as
    with a test file."""
    n = len(data)
    if result.method.needs_test_data or not n or not len(result):
        return None
    ids = data.row_ids
    order = np.argsort(ids, kind="stable")
    at = np.searchsorted(ids, result.row_ids, sorter=order).clip(max=n - 1)
    rows = order[at]
    known = ids[rows] == result.row_ids
    if not known.any():
        return None
    rows, said, right = rows[known], result.decision[known], result.right[known]
    decision = np.full(n, -1, dtype=np.int32)
    decision[rows] = said
    tests = np.bincount(rows, minlength=n)
    n_wrong = np.bincount(rows[~right], minlength=n)
    return Judged(decision, (n_wrong > 0) & (2 * n_wrong >= tests))
