"""The tests of a run gathered by record: how much each was tested, what it is, and how often it was wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.data import Dataset
from algorithms.core.learner import Codes
from algorithms.evaluation.result import EvaluationResult


@dataclass(frozen=True, eq=False)
class JudgedRecords:
    """For each of n records its class ``truth`` (n,), -1 where it was not tested; ``weights`` (n,), 0 where it was not.

    ``wrong`` (n,) is the part of its weight that was decided wrongly: of a record tested several times the share.
    """

    truth: IntArray
    weights: FloatArray
    wrong: FloatArray


def judged_records(
    result: EvaluationResult, data: Dataset, classes: tuple[str, ...], decisions: Codes | None = None
) -> JudgedRecords:
    """The tests of ``result`` by the rows of ``data``, the table that was tested; codes are those of ``classes``.

    ``decisions`` (m,) are those of its tests, where it is not decided as its model does.
    """
    n, ids = len(data), data.row_ids
    order = np.argsort(ids, kind="stable")
    at = np.searchsorted(ids[order], result.row_ids)
    rows = order[np.minimum(at, max(0, n - 1))] if n else np.zeros(0, dtype=np.int64)
    known = np.flatnonzero(ids[rows] == result.row_ids) if n else np.zeros(0, dtype=np.int64)
    rows = rows[known]
    code_of = np.array([classes.index(label) if label in classes else -1 for label in result.classes], dtype=np.int64)
    truth = np.full(n, -1, dtype=np.int64)
    truth[rows] = code_of[result.truth[known]]
    times = np.bincount(rows, minlength=n)
    wrong = (result.decision if decisions is None else decisions)[known] != result.truth[known]
    wrong_times = np.bincount(rows, weights=wrong, minlength=n)
    weights = np.zeros(n)
    weights[rows] = result.weight_array[known]
    share = np.divide(wrong_times, times, out=np.zeros(n), where=times > 0)
    return JudgedRecords(truth, weights, weights * share)
