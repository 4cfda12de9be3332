"""Runs ranked by cost, as their models decide and at least expected cost.

Nothing is trained: the probabilities that each run said of its tested records are decided anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from algorithms.core.decisions import ROWS_AT_ONCE, cheapest_decisions, tolerance
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
    """Costs of a run: ``as_decided`` by its model, and ``cheapest`` at least expected cost, with its matrix (k, k)."""

    as_decided: MeanCost
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
    """A writable, contiguous array: the array itself, or a copy."""
    return np.require(array, requirements=["C", "W"])


@dataclass(frozen=True, eq=False)
class CostEvaluation:
    """A result to be weighed under ``costs`` (k, k) in the order of its classes, ``own`` (k, k) its own decisions.

    ``amounts`` (m,) are of each test by the values of ``column``; None where each counts once.
    """

    result: EvaluationResult
    own: FloatArray
    costs: FloatArray
    amounts: FloatArray | None = None
    column: str = ""


def standing(of: CostEvaluation, checkpoint: Callable[[], object] = int) -> CostStanding:
    """Costs of a result as decided and at least expected cost."""
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
    """Positions of the standings by least expected cost, the cheapest first; ties in their order."""
    return sorted(range(len(costs_of_runs)), key=lambda run: costs_of_runs[run].cheapest.mean)


@dataclass(frozen=True, eq=False)
class CostedResult:
    """How a result stands under costs, and what each test costs as ``scores``: less the cost, in units of ``scale``.

    ``guess`` is what a record costs where ``guessed``, the class that is cheapest for all, is always said.
    """

    standing: CostStanding
    scores: FoldScores
    scale: float
    guess: float
    guessed: str

    @property
    def mean(self) -> float:
        """Mean cost of a record at least expected cost, the value of the cost ranking."""
        return self.standing.cheapest.mean

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of :attr:`mean`; the mean itself where there is none."""
        cost = self.standing.cheapest
        return (cost.mean if cost.low is None else cost.low), self.mean + (cost.spread or 0.0)


def priced(of: CostEvaluation, checkpoint: Callable[[], object] = int) -> CostedResult:
    """A result under its costs, with scores for comparing it."""
    result, costs = of.result, of.costs
    decision = cheapest_decisions(result.probabilities, result.decision, costs, checkpoint)
    code, total = _guess(of)
    guess = ratio(total, float(of.own.sum())) or 0.0
    return CostedResult(standing(of, checkpoint), _scores(of, decision), _scale(of), guess, result.classes[code])


@dataclass(frozen=True)
class CostVersusConstant:
    """What decisions cost beside always saying ``guessed``, the class that is cheapest for all.

    ``more`` is how much more that would cost in all, ``less`` by how much less a record costs as decided.
    """

    guessed: str
    more: float
    less: PairedComparison


def beside_guess(of: CostEvaluation, decision: Codes, confidence: float = 0.95) -> CostVersusConstant:
    """Cost of these decisions (m,) compared with always deciding the cheapest class."""
    code, total = _guess(of)
    always = np.full_like(decision, code)
    less = compared(_scores(of, decision), _scores(of, always), confidence).times(_scale(of))
    decided = float((of.result.weight_array * _each(of, decision)).sum())
    return CostVersusConstant(of.result.classes[code], total - decided, less)


def _guess(of: CostEvaluation) -> tuple[int, float]:
    """The class that costs least if it is always decided, and the total cost of that."""
    result, by_truth = of.result, of.own
    if of.amounts is not None:
        by_truth = np.zeros_like(of.own)
        by_truth[:, 0] = np.bincount(result.truth, result.weight_array * of.amounts, minlength=len(of.costs))
    code, total = cheapest_guess(by_truth, of.costs, result.classes)
    return code, total.value or 0.0


def _each(of: CostEvaluation, decision: Codes) -> FloatArray:
    """Cost of each test under these decisions (m,)."""
    of_tests = np.asarray(of.costs[of.result.truth, decision], dtype=np.float64)
    return of_tests if of.amounts is None else of_tests * of.amounts


def _scale(of: CostEvaluation) -> float:
    """Largest possible difference of the costs of two tests."""
    most, least = float(of.costs.max()), float(of.costs.min())
    if of.amounts is None:
        return most - least
    return (max(most, 0.0) - min(least, 0.0)) * float(of.amounts.max(initial=0.0))


def _scores(of: CostEvaluation, decision: Codes) -> FoldScores:
    """Negative cost of each test under these decisions (m,), in units of the scale."""
    of_tests, scale = _each(of, decision), _scale(of)
    return FoldScores.of(of.result, -of_tests / scale if scale > 0 else np.zeros(len(of_tests)))


def cheaper_by(first: CostedResult, second: CostedResult, confidence: float) -> PairedComparison:
    """How much less a record costs by the first than by the second, on the tests of both."""
    scale = max(first.scale, second.scale)
    return compared(in_units_of(scale, first), in_units_of(scale, second), confidence).times(scale)


def in_units_of(scale: float, of: CostedResult) -> FoldScores:
    """Its scores with costs counted in this unit."""
    factor = of.scale / scale if scale > 0 else 1.0
    return replace(of.scores, accuracy=factor * of.scores.accuracy, worth=factor * of.scores.worth)
