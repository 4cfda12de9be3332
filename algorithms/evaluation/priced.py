"""What a result costs where its records are decided by least expected cost, ready to be compared with others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from algorithms.core.columns import FloatArray
from algorithms.core.costs import cheapest_decisions
from algorithms.core.learner import Codes
from algorithms.core.scores import ratio
from algorithms.evaluation.compare import PairedComparison, PartScores, compared
from algorithms.evaluation.cost_board import Standing, Weighing, standing
from algorithms.evaluation.cost_workings import cheapest_guess


@dataclass(frozen=True, eq=False)
class Priced:
    """How a result stands under costs, and what each test costs as ``scores``: less the cost, in units of ``scale``.

    ``guess`` is what a record costs where ``guessed``, the class that is cheapest for all, is always said.
    """

    standing: Standing
    scores: PartScores
    scale: float
    guess: float
    guessed: str

    @property
    def mean(self) -> float:
        """What a record costs, decided by least expected cost: what the costs page ranks by."""
        return self.standing.cheapest.mean

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of :attr:`mean`; the mean itself where there is none."""
        cost = self.standing.cheapest
        return (cost.mean if cost.low is None else cost.low), self.mean + (cost.spread or 0.0)


def priced(of: Weighing, checkpoint: Callable[[], object] = int) -> Priced:
    """The result under its costs."""
    result, costs = of.result, of.costs
    decision = cheapest_decisions(result.probabilities, result.decision, costs, checkpoint)
    code, total = _guess(of)
    guess = ratio(total, float(of.own.sum())) or 0.0
    return Priced(standing(of, checkpoint), _scores(of, decision), _scale(of), guess, result.classes[code])


@dataclass(frozen=True)
class BesideGuess:
    """What decisions cost beside always saying ``guessed``, the class that is cheapest for all.

    ``more`` is how much more that would cost in all, ``less`` by how much less a record costs as decided.
    """

    guessed: str
    more: float
    less: PairedComparison


def beside_guess(of: Weighing, decision: Codes, confidence: float = 0.95) -> BesideGuess:
    """What these decisions (m,) of the tests cost beside the best answer for all, compared as learners are."""
    code, total = _guess(of)
    always = np.full_like(decision, code)
    less = compared(_scores(of, decision), _scores(of, always), confidence).times(_scale(of))
    decided = float((of.result.weight_array * _each(of, decision)).sum())
    return BesideGuess(of.result.classes[code], total - decided, less)


def _guess(of: Weighing) -> tuple[int, float]:
    """The class that costs least if it is always said, and what that costs in all."""
    result, by_truth = of.result, of.own
    if of.amounts is not None:
        by_truth = np.zeros_like(of.own)
        by_truth[:, 0] = np.bincount(result.truth, result.weight_array * of.amounts, minlength=len(of.costs))
    code, total = cheapest_guess(by_truth, of.costs, result.classes)
    return code, total.value or 0.0


def _each(of: Weighing, decision: Codes) -> FloatArray:
    """What each test costs under these decisions (m,)."""
    each = np.asarray(of.costs[of.result.truth, decision], dtype=np.float64)
    return each if of.amounts is None else each * of.amounts


def _scale(of: Weighing) -> float:
    """How far apart the costs of two tests can be."""
    most, least = float(of.costs.max()), float(of.costs.min())
    if of.amounts is None:
        return most - least
    return (max(most, 0.0) - min(least, 0.0)) * float(of.amounts.max(initial=0.0))


def _scores(of: Weighing, decision: Codes) -> PartScores:
    """Less the cost of each test under these decisions (m,), in units of the scale."""
    each, scale = _each(of, decision), _scale(of)
    return PartScores.of(of.result, -each / scale if scale > 0 else np.zeros(len(each)))


def cheaper_by(first: Priced, second: Priced, confidence: float) -> PairedComparison:
    """How much less a record costs by the first than by the second, on the tests of both."""
    scale = max(first.scale, second.scale)
    return compared(in_units_of(scale, first), in_units_of(scale, second), confidence).times(scale)


def in_units_of(scale: float, of: Priced) -> PartScores:
    """What its records cost, less, in each part, where costs are counted in this unit."""
    factor = of.scale / scale if scale > 0 else 1.0
    return replace(of.scores, accuracy=factor * of.scores.accuracy, worth=factor * of.scores.worth)
