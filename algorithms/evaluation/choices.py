"""By what a run decides where it is not by its model: a threshold of one class, or the expected cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from algorithms.core.columns import FloatArray
from algorithms.core.costs import cheapest_decisions
from algorithms.core.learner import Codes
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.thresholds import decisions_at


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
    if isinstance(choice, AtThreshold) and choice.label in result.classes:
        return decisions_at(result, result.classes.index(choice.label), choice.threshold)
    if isinstance(choice, ByCost) and costs is not None:
        return cheapest_decisions(result.probabilities, result.decision, costs, checkpoint)
    return result.decision
