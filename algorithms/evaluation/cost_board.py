"""All runs under the same costs: what each costs as its model decides, and what it would by least expected cost.

Nothing is trained: the probabilities that each run said of its tested records are decided anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.costs import ROWS_AT_ONCE, tolerance
from algorithms.evaluation.expected_cost import by_expected_cost
from algorithms.evaluation.many_records import DECISIONS, loops_for
from algorithms.evaluation.mean_cost import AtStake, MeanCost, at_stake, by_amounts, mean_cost
from algorithms.evaluation.result import EvaluationResult

Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, eq=False)
class Standing:
    """One run under the costs: as its model ``said``, and as ``cheapest`` by expected cost, with its matrix (k, k)."""

    said: MeanCost
    cheapest: MeanCost
    confusion: FloatArray


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


@dataclass(frozen=True, eq=False)
class Weighing:
    """A result to be weighed under ``costs`` (k, k) in the order of its classes, ``own`` (k, k) its own decisions.

    ``amounts`` (m,) are of each test by the values of ``column``; None where each counts once.
    """

    result: EvaluationResult
    own: FloatArray
    costs: FloatArray
    amounts: FloatArray | None = None
    column: str = ""


def standing(of: Weighing, checkpoint: Callable[[], object] = int) -> Standing:
    """How a result stands under its costs."""
    result, amounts, costs = of.result, of.amounts, of.costs
    confusion, n = cheapest_confusion(result, costs, checkpoint), result.n_effective
    if amounts is None:
        return Standing(mean_cost(of.own, costs, n), mean_cost(confusion, costs, n), confusion)
    said = at_stake(result, result.decision, amounts, of.column)
    once, twice = (by_amounts(result, amounts**power) for power in (1, 2))
    sums, squares = (cheapest_confusion(each, costs, checkpoint) for each in (once, twice))
    cheapest = AtStake(of.column, sums, squares)
    return Standing(mean_cost(of.own, costs, n, said), mean_cost(confusion, costs, n, cheapest), confusion)


def standings(wanted: Iterable[Weighing], checkpoint: Callable[[], object] = int) -> list[Standing]:
    """How each result stands under its costs."""
    return [standing(each, checkpoint) for each in wanted]


def ranked(found: Sequence[Standing]) -> list[int]:
    """Places of the standings, the cheapest by least expected cost first; equal ones in their order."""
    return sorted(range(len(found)), key=lambda at: found[at].cheapest.mean)
