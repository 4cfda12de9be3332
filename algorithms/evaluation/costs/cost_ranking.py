"""Ranking of runs by cost, with their own decisions and with least expected cost.

Nothing is trained: decisions are recomputed from the predicted probabilities of the tested records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from algorithms.core.class_decisions import ROWS_AT_ONCE, cheapest_decisions, tolerance
from algorithms.core.learner import Codes
from algorithms.core.scores import ratio
from algorithms.data.columns import FloatArray
from algorithms.evaluation.compare.significance_tests import FoldScores, PairedComparison, compared
from algorithms.evaluation.costs.cost_workings import cheapest_guess
from algorithms.evaluation.costs.decision_rules import by_expected_cost
from algorithms.evaluation.costs.mean_cost import AmountSums, MeanCost, at_stake, by_amounts, mean_cost
from algorithms.evaluation.curves.roc import DECISIONS, loops_for
from algorithms.evaluation.result import EvaluationResult

Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True, eq=False)
class CostStanding:
    """Costs of a run: ``as_decided`` by its model, and ``cheapest`` with its confusion matrix (k, k).

    ``cheapest`` is the cost of deciding by least expected cost.
    """

    as_decided: MeanCost
    cheapest: MeanCost
    confusion: FloatArray


def cheapest_confusion(
    result: EvaluationResult, costs: FloatArray, checkpoint: Callable[[], object] = int
) -> FloatArray:
    """Confusion matrix (k, k) of deciding by least expected cost; costs (k, k) in the order of the classes."""
    loops = loops_for(len(result), DECISIONS)
    if loops is None:
        return by_expected_cost(result, costs, checkpoint).confusion
    k, m = len(result.classes), len(result)
    counts, table = np.zeros((k, k)), np.array(costs, dtype=np.float64)
    probabilities, own, truth = (
        as_loops_take(array) for array in (result.probabilities, result.decision, result.truth)
    )
    weights = np.zeros(0) if result.weights is None else as_loops_take(result.weights)
    for first in range(0, m, ROWS_AT_ONCE):
        checkpoint()
        last = min(m, first + ROWS_AT_ONCE)
        loops.count_cheapest(probabilities, own, truth, weights, table, tolerance(table), first, last, counts)
    return counts


def as_loops_take(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """The array if it is writable and contiguous, else such a copy; compiled loops require it."""
    return np.require(array, requirements=["C", "W"])


@dataclass(frozen=True, eq=False)
class CostEvaluation:
    """A result with the ``costs`` (k, k) that apply to it; ``own`` (k, k) is its confusion matrix.

    ``amounts`` (m,) multiply the costs of each test by the values of ``column``; None for equal amounts.
    """

    result: EvaluationResult
    own: FloatArray
    costs: FloatArray
    amounts: FloatArray | None = None
    column: str = ""


def standing(of: CostEvaluation, checkpoint: Callable[[], object] = int) -> CostStanding:
    """Costs of a result as decided and with least expected cost."""
    result, amounts, costs = of.result, of.amounts, of.costs
    confusion, n = cheapest_confusion(result, costs, checkpoint), result.n_effective
    if amounts is None:
        return CostStanding(mean_cost(of.own, costs, n), mean_cost(confusion, costs, n), confusion)
    stakes = at_stake(result, result.decision, amounts, of.column)
    once, twice = (by_amounts(result, amounts**power) for power in (1, 2))
    sums, squares = (cheapest_confusion(weighed, costs, checkpoint) for weighed in (once, twice))
    cheapest = AmountSums(of.column, sums, squares)
    return CostStanding(mean_cost(of.own, costs, n, stakes), mean_cost(confusion, costs, n, cheapest), confusion)


def standings(wanted: Iterable[CostEvaluation], checkpoint: Callable[[], object] = int) -> list[CostStanding]:
    """Costs of each result."""
    return [standing(evaluation, checkpoint) for evaluation in wanted]


def ranked(costs_of_runs: Sequence[CostStanding]) -> list[int]:
    """Indices of the runs by mean cost with least expected cost, the cheapest first; a stable sort."""
    return sorted(range(len(costs_of_runs)), key=lambda run: costs_of_runs[run].cheapest.mean)


@dataclass(frozen=True, eq=False)
class CostedResult:
    """Costs of a result, and the negative cost of each test as ``scores`` in units of ``scale``.

    ``guess`` is the cost per record of always predicting ``guessed``, the class for which that is cheapest.
    """

    standing: CostStanding
    scores: FoldScores
    scale: float
    guess: float
    guessed: str

    @property
    def mean(self) -> float:
        """Mean cost per record with least expected cost, by which runs are ranked."""
        return self.standing.cheapest.mean

    @property
    def interval(self) -> tuple[float, float]:
        """95% confidence interval of :attr:`mean`; the mean itself for fewer than two records."""
        cost = self.standing.cheapest
        return (cost.mean if cost.low is None else cost.low), self.mean + (cost.spread or 0.0)


def priced(of: CostEvaluation, checkpoint: Callable[[], object] = int) -> CostedResult:
    """Costs of a result's tests (total, mean, interval) and the scores for paired comparisons."""
    result, costs = of.result, of.costs
    decision = cheapest_decisions(result.probabilities, result.decision, costs, checkpoint)
    code, total = _cheapest_constant(of)
    guess = ratio(total, float(of.own.sum())) or 0.0
    return CostedResult(standing(of, checkpoint), _scores(of, decision), _scale(of), guess, result.classes[code])


@dataclass(frozen=True)
class CostVersusConstant:
    """Cost of decisions compared with always predicting ``guessed``, the class for which that is cheapest.

    ``more`` is the additional total cost of the constant prediction, ``less`` the paired saving per record.
    """

    guessed: str
    more: float
    less: PairedComparison


def compare_with_constant(of: CostEvaluation, decision: Codes) -> CostVersusConstant:
    """Cost of these decisions (m,) compared with always predicting the cheapest class."""
    code, total = _cheapest_constant(of)
    always = np.full_like(decision, code)
    less = compared(_scores(of, decision), _scores(of, always)).times(_scale(of))
    decided = float((of.result.weight_array * _cost_per_test(of, decision)).sum())
    return CostVersusConstant(of.result.classes[code], total - decided, less)


def _cheapest_constant(of: CostEvaluation) -> tuple[int, float]:
    """The class that is cheapest as a constant prediction, and the total cost of that."""
    result, by_truth = of.result, of.own
    if of.amounts is not None:
        by_truth = np.zeros_like(of.own)
        by_truth[:, 0] = np.bincount(result.truth, result.weight_array * of.amounts, minlength=len(of.costs))
    code, total = cheapest_guess(by_truth, of.costs, result.classes)
    return code, total.value or 0.0


def _cost_per_test(of: CostEvaluation, decision: Codes) -> FloatArray:
    """Cost of each test under these decisions (m,)."""
    of_tests = np.asarray(of.costs[of.result.truth, decision], dtype=np.float64)
    return of_tests if of.amounts is None else of_tests * of.amounts


def _scale(of: CostEvaluation) -> float:
    """Largest possible cost difference between two tests."""
    most, least = float(of.costs.max()), float(of.costs.min())
    if of.amounts is None:
        return most - least
    return (max(most, 0.0) - min(least, 0.0)) * float(of.amounts.max(initial=0.0))


def _scores(of: CostEvaluation, decision: Codes) -> FoldScores:
    """Negative cost of each test under these decisions (m,), in units of :func:`_scale`."""
    of_tests, scale = _cost_per_test(of, decision), _scale(of)
    return FoldScores.of(of.result, -of_tests / scale if scale > 0 else np.zeros(len(of_tests)))


def cheaper_by(first: CostedResult, second: CostedResult, confidence: float) -> PairedComparison:
    """Paired saving per record of the first compared with the second, on their common tests."""
    scale = max(first.scale, second.scale)
    return compared(in_units_of(scale, first), in_units_of(scale, second), confidence).times(scale)


def in_units_of(scale: float, of: CostedResult) -> FoldScores:
    """The scores of a result with costs in units of ``scale``."""
    factor = of.scale / scale if scale > 0 else 1.0
    return replace(of.scores, accuracy=factor * of.scores.accuracy, worth=factor * of.scores.worth)
