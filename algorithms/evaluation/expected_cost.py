"""Deciding by expected cost: the class whose decision costs least on average, by the probabilities (TSKK 5.79-5.83)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.costs import cheapest_decisions
from algorithms.core.errors import DataError
from algorithms.core.learner import Codes
from algorithms.evaluation.costs import cost_threshold
from algorithms.evaluation.result import EvaluationResult


@dataclass(frozen=True, eq=False)
class ByExpectedCost:
    """What deciding by expected cost makes of a result: decisions (m,), confusion (k, k), total cost."""

    decision: Codes
    confusion: FloatArray
    total: float


def by_expected_cost(
    result: EvaluationResult, costs: FloatArray, checkpoint: Callable[[], object] = int
) -> ByExpectedCost:
    """Decide every tested record by expected cost; ``costs`` (k, k) in the order of the result's classes."""
    decision = cheapest_decisions(result.probabilities, result.decision, costs, checkpoint)
    k = len(result.classes)
    cells = result.truth.astype(np.int64) * k + decision
    confusion = np.bincount(cells, result.weights, minlength=k * k).astype(np.float64).reshape(k, k)
    return ByExpectedCost(decision, confusion, float((confusion * costs).sum()))


def theoretical_threshold(costs: FloatArray, code: int) -> float | None:
    """The probability of class ``code`` from which on deciding it is expected to be cheaper (TSKK Eq. 5.83).

    For two classes; right decisions may have costs too (only the differences to them count). None where there are
    more classes, or where a wrong decision is cheaper than the right one.
    """
    if len(costs) != 2:
        return None
    other = 1 - code
    try:
        return cost_threshold(
            miss=float(costs[code, other] - costs[code, code]),
            false_alarm=float(costs[other, code] - costs[other, other]),
        )
    except DataError:
        return None
