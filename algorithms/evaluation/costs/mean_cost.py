"""Total and mean cost of decisions with a confidence interval, also with costs that differ by record."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.learner import Codes
from algorithms.core.record_costs import Cell, FormulaCosts, RecordCosts
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.measures.confusion_counts import confusion_matrix
from algorithms.evaluation.result import EvaluationResult

Z_95: Final = 1.959963984540054
IDS_PER_RECORD: Final = 8
"""Largest length of the id lookup table, as a multiple of the number of records."""


@dataclass(frozen=True)
class MeanCost:
    """Mean cost per record and total cost of the tested ones; ``spread`` is half the 95% confidence interval.

    The interval assumes independent records; None for fewer than two. It is cut at ``least``, the smallest possible
    cost of a record.
    """

    mean: float
    total: float
    spread: float | None
    least: float = -math.inf

    @property
    def low(self) -> float | None:
        """Lower bound of the interval."""
        return None if self.spread is None else max(self.least, self.mean - self.spread)


@dataclass(frozen=True, eq=False)
class CostSums:
    """Costs of the tested records that differ by record, by true and predicted class (k, k).

    ``sums`` are the weighted costs of the decisions, ``squares`` the weighted squares of their differences from the
    mean. ``table`` is the mean cost of each decision over all records of a true class. No record can cost less than
    ``least``. ``formulas`` are the cells that differ by record.
    """

    sums: FloatArray
    squares: FloatArray
    table: FloatArray
    least: float
    formulas: Mapping[Cell, FormulaCosts]

    @classmethod
    def of(cls, result: EvaluationResult, decision: Codes, costs: RecordCosts) -> CostSums:
        """The sums for these decisions (m,); ``costs`` are those of the tests."""
        k, weights, paid = len(result.classes), result.weight_array, costs.of(result.truth, decision)
        weight = float(weights.sum())
        mean = float((weights * paid).sum()) / weight if weight > 0 else 0.0
        sums, squares = (
            confusion_matrix(result.truth, decision, weights * power, k) for power in (paid, (paid - mean) ** 2)
        )
        table, of_class = np.array(costs.table), np.bincount(result.truth, weights, minlength=k)
        for (i, j), cell in costs.formulas.items():
            if of_class[i] > 0:
                table[i, j] = float((weights * cell.values)[result.truth == i].sum()) / of_class[i]
        below = costs.fixed.min() < 0 or any(cell.values.min(initial=0.0) < 0 for cell in costs.formulas.values())
        return cls(sums, squares, table, -math.inf if below else 0.0, costs.formulas)

    def per_cell(self, confusion: FloatArray) -> FloatArray:
        """Mean cost (k, k) of the decisions with this confusion matrix; of all records of the class where it is 0."""
        return np.divide(self.sums, confusion, out=self.table.copy(), where=confusion > 0)


def sums_if_varying(result: EvaluationResult, decision: Codes, costs: RecordCosts | None) -> CostSums | None:
    """The cost sums of these decisions (m,); None if the costs are the same for every record."""
    return CostSums.of(result, decision, costs) if costs is not None and costs.varies else None


def mean_cost(
    confusion: FloatArray, costs: FloatArray, n_records: float | None = None, sums: CostSums | None = None
) -> MeanCost:
    """Total and mean cost of a confusion matrix (k, k), row true, column predicted.

    The interval is mean +- 1.96 s / sqrt(N). s is the standard deviation of the records' costs and N the effective
    number of records, by default the weight of the matrix. ``sums`` replace ``costs`` (k, k) that differ by record.
    """
    weight = float(confusion.sum())
    if weight <= 0:
        return MeanCost(math.nan, 0.0, None)
    n = weight if n_records is None else n_records
    total = float((confusion * costs).sum() if sums is None else sums.sums.sum())
    mean = total / weight
    least = float(costs.min()) if sums is None else sums.least
    squares = float((confusion * (costs - mean) ** 2 if sums is None else sums.squares).sum())
    return MeanCost(mean, total, Z_95 * math.sqrt(squares / weight / (n - 1)) if n > 1 else None, least)


def costs_of_tests(costs: CostMatrix, result: EvaluationResult, data: Dataset | None = None) -> RecordCosts:
    """The costs of the tests of a result, in the order of its classes.

    ``data`` is the tested table, needed for formulas. A missing value of a formula becomes the mean of the others.
    Raises :class:`DataError` if a class has no costs, a formula cannot be evaluated, or the table lacks a tested
    record.
    """
    if not costs.varies:
        return RecordCosts(costs.ordered(result.classes), currency=costs.currency)
    if data is None:
        raise DataError("The columns of the costs are unknown: the tested table is not at hand.")
    rows = _rows_of(result.row_ids, data.row_ids)
    if rows is None:
        raise DataError("Some of the tested records are not in this table, so what they cost is not known.")
    return costs.of_records(result.classes, data.take(rows))


def _rows_of(wanted: IntArray, ids: IntArray) -> IntArray | None:
    """Row of each wanted id (m,) among ``ids`` (n,), the first if it repeats; None if one is absent.

    Consecutive ids give the row directly. Dense ids use a lookup table, sparse ids a binary search.
    """
    if not len(ids) or not len(wanted):
        return None if len(wanted) else np.zeros(0, dtype=np.int64)
    if bool((ids[1:] - ids[:-1] == 1).all()):
        rows = wanted - ids[0]
        return rows if rows.min() >= 0 and rows.max() < len(ids) else None
    low, high = int(ids.min()), int(ids.max())
    if high - low > IDS_PER_RECORD * len(ids):
        order = np.argsort(ids, kind="stable")
        rows = order[np.minimum(np.searchsorted(ids[order], wanted), len(ids) - 1)]
    else:
        row_of = np.zeros(high - low + 1, dtype=np.int64)
        row_of[ids[::-1] - low] = np.arange(len(ids) - 1, -1, -1)
        rows = row_of[np.clip(wanted, low, high) - low]
    return rows if np.array_equal(ids[rows], wanted) else None
