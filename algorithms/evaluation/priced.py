"""What a result costs where its records are decided by least expected cost, ready to be compared with others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from algorithms.core.costs import cheapest_decisions
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
    each = np.asarray(costs[result.truth, decision], dtype=np.float64)
    by_truth = of.own
    scale = float(costs.max() - costs.min())
    if of.amounts is not None:
        each = each * of.amounts
        scale = float(max(costs.max(), 0.0) - min(costs.min(), 0.0)) * float(of.amounts.max(initial=0.0))
        by_truth = np.zeros_like(of.own)
        by_truth[:, 0] = np.bincount(result.truth, result.weight_array * of.amounts, minlength=len(costs))
    code, total = cheapest_guess(by_truth, costs, result.classes)
    guess = ratio(total.value or 0.0, float(of.own.sum())) or 0.0
    scores = PartScores.of(result, -each / scale if scale > 0 else np.zeros(len(each)))
    return Priced(standing(of, checkpoint), scores, scale, guess, result.classes[code])


def cheaper_by(first: Priced, second: Priced, confidence: float) -> PairedComparison:
    """How much less a record costs by the first than by the second, on the tests of both."""
    scale = max(first.scale, second.scale)
    return compared(_in_units_of(scale, first), _in_units_of(scale, second), confidence).times(scale)


def _in_units_of(scale: float, of: Priced) -> PartScores:
    factor = of.scale / scale if scale > 0 else 1.0
    return replace(of.scores, accuracy=factor * of.scores.accuracy, worth=factor * of.scores.worth)
