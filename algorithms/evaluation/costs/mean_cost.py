"""What decisions cost in all and on average, with an interval; and what is at stake where each record has a worth.

A column of amounts says how many times the costs of the matrix count for a record (Elkan 2001, The foundations of
cost-sensitive learning; Zadrozny and Elkan 2001, Learning and making decisions when costs and probabilities are both
unknown). Deciding by least expected cost is the same with and without amounts, since a record's amount is in all its
costs; what the decisions cost, and the cheapest threshold, are not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from algorithms.core.decisions import known_amounts
from algorithms.core.errors import DataError
from algorithms.core.learner import Codes
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.evaluation.result import EvaluationResult

Z_95: Final = 1.959963984540054
IDS_PER_RECORD: Final = 8
"""So many times as long as the table may be the list in which its records are looked up by their ids."""


@dataclass(frozen=True)
class MeanCost:
    """What a record costs on average, and the total over the tested ones; ``spread`` is half the 95% interval.

    The interval is that of a mean of independent records; None where there are fewer than two. No record can cost less
    than ``least``, at which the interval ends where it would go on below.
    """

    mean: float
    total: float
    spread: float | None
    least: float = -math.inf

    @property
    def low(self) -> float | None:
        """Lower end of the interval."""
        return None if self.spread is None else max(self.least, self.mean - self.spread)


@dataclass(frozen=True, eq=False)
class AmountSums:
    """What the tested records are worth by the values of ``column``, by what they are and what was decided of them.

    ``sums`` (k, k) are the amounts times the weights, ``squares`` (k, k) the squared amounts times the weights; row
    true, column decided.
    """

    column: str
    sums: FloatArray
    squares: FloatArray


def mean_cost(
    confusion: FloatArray, costs: FloatArray, n_records: float | None = None, at_stake: AmountSums | None = None
) -> MeanCost:
    """Total and mean cost of a confusion matrix (k, k), row true, column decided.

    The interval is mean +- 1.96 s / sqrt(N), s the standard deviation of the records' costs and N the effective
    number of records, as that of the accuracy; the weight of the matrix unless ``n_records`` is given.
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
    """Least possible cost of a record: the smallest cost, or none where amounts may be of any size."""
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
    """The amount of each tested record (m,) in a column of ``data``, the table that was tested.

    An unknown one counts as the mean of the others. Raises :class:`DataError` where the column is not there, holds no
    numbers or one below zero, or where a tested record is not in the table.
    """
    numbers, rows = _numbers(data, column), _rows_of(result.row_ids, data.row_ids)
    if rows is None:
        raise DataError("Some of the tested records are not in this table, so what they cost is not known.")
    return known_amounts(numbers[rows], column)


def _rows_of(wanted: IntArray, ids: IntArray) -> IntArray | None:
    """Where each wanted id (m,) comes first among ``ids`` (n,); None where one is not among them.

    In a table of which nothing was removed or moved an id says where it is. Other ids that lie close together are
    looked up in a list of all of them, and those that do not are searched.
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
    """The result with each test weighted by its amount (m,): its matrices and curves count amounts."""
    return replace(result, weights=result.weight_array * amounts)


def by_price(result: EvaluationResult, amounts: FloatArray) -> tuple[EvaluationResult, float]:
    """The result with each test weighed by its amount (m,) over the average one, and this average.

    Under costs times the average its cost per record is that with these amounts.
    """
    weights = result.weight_array
    weight = float(weights.sum())
    usual = float((weights * amounts).sum()) / weight if weight > 0 else 0.0
    return (by_amounts(result, amounts / usual), usual) if usual > 0 else (result, 0.0)


def at_stake(result: EvaluationResult, decision: Codes, amounts: FloatArray, column: str) -> AmountSums:
    """Amounts by true and decided class under these decisions (m,)."""
    k = len(result.classes)
    cells = result.truth.astype(np.int64) * k + decision
    weighed = result.weight_array * amounts

    def summed(of: FloatArray) -> FloatArray:
        return np.bincount(cells, of, minlength=k * k).astype(np.float64).reshape(k, k)

    return AmountSums(column, summed(weighed), summed(weighed * amounts))
