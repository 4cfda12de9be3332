"""Decision rules of a run (threshold or least expected cost) and their reports."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from algorithms.core.class_decisions import at_threshold, cheapest_decisions
from algorithms.core.errors import DataError
from algorithms.core.learner import Codes
from algorithms.data.columns import FloatArray
from algorithms.evaluation.costs.cost_matrix import cost_threshold
from algorithms.evaluation.measures.confusion_counts import confusion_matrix
from algorithms.evaluation.measures.intervals import accuracy_interval, is_quick, matrix_intervals
from algorithms.evaluation.measures.metrics import Report, accuracy, class_metrics
from algorithms.evaluation.result import EvaluationResult


@dataclass(frozen=True, eq=False)
class ByExpectedCost:
    """Result of deciding by least expected cost: decisions (m,), confusion matrix (k, k), total cost."""

    decision: Codes
    confusion: FloatArray
    total: float


def by_expected_cost(
    result: EvaluationResult, costs: FloatArray, checkpoint: Callable[[], object] = int
) -> ByExpectedCost:
    """Decide every tested record by least expected cost; ``costs`` (k, k) in the order of the classes."""
    decision = cheapest_decisions(result.probabilities, result.decision, costs, checkpoint)
    confusion = confusion_matrix(result.truth, decision, result.weights, len(costs))
    return ByExpectedCost(decision, confusion, float((confusion * costs).sum()))


def theoretical_threshold(costs: FloatArray, code: int) -> float | None:
    """Probability of class ``code`` from which predicting it has the lower expected cost (TSKK Eq. 5.83).

    Correct predictions may have costs too; only differences to them count. None unless there are two classes and errors
    cost more than correct predictions.
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


@dataclass(frozen=True)
class AtThreshold:
    """Predict the class ``label`` from a probability threshold on."""

    label: str
    threshold: float


@dataclass(frozen=True)
class ByCost:
    """Decide by least expected cost under the current costs."""


Choice = AtThreshold | ByCost


def in_force(choice: Choice | None, label: str, has_costs: bool) -> Choice | None:
    """The choice if it applies, else None for the model's own decision.

    A threshold applies to the class of interest ``label``, a choice by cost if there are costs.
    """
    if isinstance(choice, AtThreshold) and choice.label != label:
        return None
    return None if isinstance(choice, ByCost) and not has_costs else choice


@dataclass(frozen=True, eq=False)
class DecisionRule:
    """Maps class probabilities to decisions; ``costs`` (k, k) stand in the order of ``classes``."""

    classes: tuple[str, ...]
    choice: Choice | None
    costs: FloatArray | None

    def __call__(
        self, probabilities: NDArray[np.floating], own: Codes, checkpoint: Callable[[], object] = int
    ) -> Codes:
        """The class for each row of ``probabilities`` (m, k); ``own`` (m,) are the model's own decisions."""
        if isinstance(self.choice, AtThreshold) and self.choice.label in self.classes:
            return at_threshold(probabilities, self.classes.index(self.choice.label), self.choice.threshold)
        if isinstance(self.choice, ByCost) and self.costs is not None:
            return cheapest_decisions(probabilities, own, self.costs, checkpoint)
        return own

    def of(self, result: EvaluationResult, checkpoint: Callable[[], object] = int) -> Codes:
        """The class for each tested record (m,) of a result with the same classes."""
        return self(result.probabilities, result.decision, checkpoint)

    def decides_as(self, other: DecisionRule) -> bool:
        """Whether both rules have the same choice and costs, given the same classes."""
        if self.costs is None or other.costs is None:
            return self.choice == other.choice and self.costs is other.costs
        return self.choice == other.choice and bool((self.costs == other.costs).all())

    def for_classes(self, classes: tuple[str, ...]) -> DecisionRule | None:
        """The rule for a model with these classes; None for the default rule or an unknown class."""
        if self.choice is None or not set(classes) <= set(self.classes):
            return None
        order = [self.classes.index(label) for label in classes]
        return DecisionRule(classes, self.choice, None if self.costs is None else self.costs[np.ix_(order, order)])

    def decide_one(self, probabilities: Sequence[float], own: int) -> int:
        """The class of one record from its probabilities (k,); ``own`` is the model's own decision."""
        return int(self(np.array([probabilities], dtype=np.float64), np.array([own], dtype=np.int32))[0])


def decided_otherwise(report: Report, matrix: FloatArray) -> Report:
    """The report for decisions with this confusion matrix instead of the model's own.

    AUC, which depends on the probabilities alone, and the baseline stay. The accuracy is the share on the diagonal,
    even for methods with their own estimate (the bootstraps). Intervals of kappa and F are bootstrapped if that is
    quick, as for two or three classes; else they are omitted.
    """
    right = accuracy(matrix)
    classes = [
        replace(
            class_metrics(metrics.label, matrix, code, metrics.pairs, metrics.pr_area_interpolated),
            auc_interval=metrics.auc_interval,
            pr_area_interval=metrics.pr_area_interval,
        )
        for code, metrics in enumerate(report.per_class)
    ]
    return replace(
        report,
        accuracy=right,
        error_rate=1 - right,
        interval=accuracy_interval(right, report.n_effective),
        confusion=matrix,
        per_class=tuple(classes),
        cost=None,
        at_stake=None,
        estimate=None,
        drawn=matrix_intervals(matrix, report.n_effective) if is_quick(matrix) else None,
    )
