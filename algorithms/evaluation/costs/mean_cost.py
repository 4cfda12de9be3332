"""Total and mean cost of decisions with a confidence interval, also with an amount per record.

A column of amounts multiplies the costs of each record (Elkan 2001, The foundations of cost-sensitive learning;
Zadrozny and Elkan 2001, Learning and making decisions when costs and probabilities are both unknown). Amounts do not
change the decision of least expected cost, since they multiply all costs of a record. They do change the cost of the
decisions and the cheapest threshold.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from algorithms.core.class_decisions import known_amounts
from algorithms.core.errors import DataError
from algorithms.core.learner import Codes
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
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
class AmountSums:
    """Summed amounts of the tested records (values of ``column``) by true and predicted class.

    ``sums`` (k, k) are weighted amounts, ``squares`` (k, k) weighted squared amounts; row true, column predicted.
    """

    column: str
    sums: FloatArray
    squares: FloatArray


def mean_cost(
    confusion: FloatArray, costs: FloatArray, n_records: float | None = None, at_stake: AmountSums | None = None
) -> MeanCost:
    """Total and mean cost of a confusion matrix (k, k), row true, column predicted.

    The interval is mean +- 1.96 s / sqrt(N). s is the standard deviation of the records' costs and N the effective
    number of records, by default the weight of the matrix. ``at_stake`` are the amounts of the records, if any.
    """
    weight = float(confusion.sum())
    if weight <= 0:
        return MeanCost(math.nan, 0.0, None)
    n = weight if n_records is None else n_records
    stake = confusion if at_stake is None else at_stake.sums
    total = float((stake * costs).sum())
    mean = total / weight
    least = _least(costs, at_stake)
    if at_stake is None:
        squares = float((confusion * (costs - mean) ** 2).sum())
    else:
        squares = max(0.0, float((at_stake.squares * costs**2).sum()) - weight * mean**2)
    return MeanCost(mean, total, Z_95 * math.sqrt(squares / weight / (n - 1)) if n > 1 else None, least)


def _least(costs: FloatArray, at_stake: AmountSums | None) -> float:
    """Smallest possible cost of a record; -inf if amounts and costs do not bound it."""
    least = float(costs.min())
    if at_stake is None:
        return least
    return 0.0 if least >= 0 and float(at_stake.sums.min()) >= 0 else -math.inf


def check_amounts(data: Dataset, column: str) -> None:
    """Raise the errors of :func:`amounts_of` for this column before anything is evaluated."""
    known_amounts(_numbers(data, column), column)


def _numbers(data: Dataset, column: str) -> FloatArray:
    if column not in data.schema:
        raise DataError(f"There is no column named {column!r} for the cost of a record.", place=column)
    index = data.schema.index_of(column)
    if data.schema.attributes[index].kind is not AttributeKind.NUMERIC:
        raise DataError(
            f"The column {column} holds no numbers.", remedy="Make it one of numbers if they are amounts.", place=column
        )
    return np.asarray(data.column(index), dtype=np.float64)


def amounts_of(result: EvaluationResult, data: Dataset, column: str) -> FloatArray:
    """Amount of each tested record (m,) from a column of ``data``, the tested table.

    A missing amount becomes the mean of the others. Raises :class:`DataError` if the column does not exist, is not
    numeric or has negative values, or if a tested record is not in the table.
    """
    numbers, rows = _numbers(data, column), _rows_of(result.row_ids, data.row_ids)
    if rows is None:
        raise DataError("Some of the tested records are not in this table, so what they cost is not known.")
    return known_amounts(numbers[rows], column)


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


def by_amounts(result: EvaluationResult, amounts: FloatArray) -> EvaluationResult:
    """The result with each test weighted by its amount (m,), so that matrices and curves count amounts."""
    return replace(result, weights=result.weight_array * amounts)


def by_price(result: EvaluationResult, amounts: FloatArray) -> tuple[EvaluationResult, float]:
    """The result with each test weighted by its amount (m,) over the mean amount, and this mean.

    Its cost per record under costs times the mean amount equals that with the amounts.
    """
    weights = result.weight_array
    weight = float(weights.sum())
    usual = float((weights * amounts).sum()) / weight if weight > 0 else 0.0
    return (by_amounts(result, amounts / usual), usual) if usual > 0 else (result, 0.0)


def at_stake(result: EvaluationResult, decision: Codes, amounts: FloatArray, column: str) -> AmountSums:
    """Summed amounts by true and predicted class for these decisions (m,)."""
    k, weighed = len(result.classes), result.weight_array * amounts
    once, squared = (confusion_matrix(result.truth, decision, of, k) for of in (weighed, weighed * amounts))
    return AmountSums(column, once, squared)
