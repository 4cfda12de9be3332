"""By what a run decides where it is not by its model: a threshold of one class, or the expected cost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.costs import cheapest_decisions
from algorithms.core.learner import Codes
from algorithms.core.thresholds import at_threshold
from algorithms.evaluation.result import EvaluationResult


@dataclass(frozen=True)
class AtThreshold:
    """Decide for the class of this label from a threshold on."""

    label: str
    threshold: float


@dataclass(frozen=True)
class ByCost:
    """Decide by expected cost, whatever the costs are."""


Choice = AtThreshold | ByCost


def in_force(choice: Choice | None, label: str, has_costs: bool) -> Choice | None:
    """The choice where it means something: a threshold of the class of interest ``label``, costs where there are any;
    else None, the model's own decision."""
    if isinstance(choice, AtThreshold) and choice.label != label:
        return None
    return None if isinstance(choice, ByCost) and not has_costs else choice


def decisions_by(
    result: EvaluationResult, choice: Choice | None, costs: FloatArray | None, checkpoint: Callable[[], object] = int
) -> Codes:
    """The class decided for each tested record (m,). ``costs`` (k, k) stand in the order of the result's classes."""
    return Decide(result.classes, choice, costs)(result.probabilities, result.decision, checkpoint)


@dataclass(frozen=True, eq=False)
class Decide:
    """Decides by a choice, wherever probabilities are known; ``costs`` (k, k) stand in the order of ``classes``."""

    classes: tuple[str, ...]
    choice: Choice | None
    costs: FloatArray | None

    def __call__(
        self, probabilities: NDArray[np.floating], own: Codes, checkpoint: Callable[[], object] = int
    ) -> Codes:
        """The class for each row of ``probabilities`` (m, k); ``own`` (m,) is what the model itself decides."""
        if isinstance(self.choice, AtThreshold) and self.choice.label in self.classes:
            return at_threshold(probabilities, self.classes.index(self.choice.label), self.choice.threshold)
        if isinstance(self.choice, ByCost) and self.costs is not None:
            return cheapest_decisions(probabilities, own, self.costs, checkpoint)
        return own

    def one(self, probabilities: Sequence[float], own: int) -> int:
        """The class of one record by its probabilities (k,)."""
        return int(self(np.array([probabilities], dtype=np.float64), np.array([own], dtype=np.int32))[0])
