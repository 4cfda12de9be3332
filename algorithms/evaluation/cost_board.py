"""All runs under the same costs: what each costs as its model decides, and what it would by least expected cost.

Nothing is trained: the probabilities that each run said of its tested records are decided anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.costs import ROWS_AT_ONCE, tolerance
from algorithms.evaluation.expected_cost import by_expected_cost
from algorithms.evaluation.many_records import DECISIONS, loops_for
from algorithms.evaluation.result import EvaluationResult

Z_95: Final = 1.959963984540054
Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True)
class MeanCost:
    """What a record costs on average, and the total over the tested ones; ``spread`` is half the 95% interval.

    The interval is that of a mean of independent records; None where there are fewer than two.
    """

    mean: float
    total: float
    spread: float | None


@dataclass(frozen=True, eq=False)
class Standing:
    """One run under the costs: as its model ``said``, and as ``cheapest`` by expected cost, with its matrix (k, k)."""

    said: MeanCost
    cheapest: MeanCost
    confusion: FloatArray


def mean_cost(confusion: FloatArray, costs: FloatArray) -> MeanCost:
    """Total and mean cost of a confusion matrix (k, k), row true, column decided.

    The interval is mean +- 1.96 s / sqrt(n), s the standard deviation of the records' costs, n their weight.
    """
    n = float(confusion.sum())
    if n <= 0:
        return MeanCost(math.nan, 0.0, None)
    total = float((confusion * costs).sum())
    mean = total / n
    squares = float((confusion * (costs - mean) ** 2).sum())
    return MeanCost(mean, total, Z_95 * math.sqrt(squares / (n - 1) / n) if n > 1 else None)


def cheapest_confusion(
    result: EvaluationResult, costs: FloatArray, checkpoint: Callable[[], object] = int
) -> FloatArray:
    """The confusion matrix (k, k) of a result decided by expected cost, costs (k, k) in the order of its classes."""
    loops = loops_for(len(result), DECISIONS)
    if loops is None:
        return by_expected_cost(result, costs, checkpoint).confusion
    k, m = len(result.classes), len(result)
    counts, table = np.zeros((k, k)), np.array(costs, dtype=np.float64)
    said, own, truth = (as_loops_take(each) for each in (result.probabilities, result.decision, result.truth))
    weights = np.zeros(0) if result.weights is None else as_loops_take(result.weights)
    for first in range(0, m, ROWS_AT_ONCE):
        checkpoint()
        last = min(m, first + ROWS_AT_ONCE)
        loops.count_cheapest(said, own, truth, weights, table, tolerance(table), first, last, counts)
    return counts


def as_loops_take(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """The array itself, or a copy where it may not be written to or does not lie in one piece."""
    return np.require(array, requirements=["C", "W"])


def standings(
    results: Iterable[tuple[EvaluationResult, FloatArray, FloatArray]], checkpoint: Callable[[], object] = int
) -> list[Standing]:
    """Each result, given the confusion matrix of its own decisions and the costs, both (k, k) in its classes' order."""
    found = []
    for result, own, costs in results:
        confusion = cheapest_confusion(result, costs, checkpoint)
        found.append(Standing(mean_cost(own, costs), mean_cost(confusion, costs), confusion))
    return found


def ranked(found: Sequence[Standing]) -> list[int]:
    """Places of the standings, the cheapest by least expected cost first; equal ones in their order."""
    return sorted(range(len(found)), key=lambda at: found[at].cheapest.mean)
