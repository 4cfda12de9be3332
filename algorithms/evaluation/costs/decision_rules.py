"""Decision rules of a run: threshold, least expected cost, and the reports that follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from algorithms.core.decisions import at_threshold, cheapest_decisions
from algorithms.core.errors import DataError
from algorithms.core.learner import Codes
from algorithms.data.columns import FloatArray
from algorithms.evaluation.costs.cost_matrix import cost_threshold
from algorithms.evaluation.measures.intervals import accuracy_interval, is_quick, matrix_intervals
from algorithms.evaluation.measures.metrics import Report, accuracy, class_metrics
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
    """The choice where it applies: a threshold of the class of interest ``label``, costs where there are any;
    else None, the model's own decision."""
    if isinstance(choice, AtThreshold) and choice.label != label:
        return None
    return None if isinstance(choice, ByCost) and not has_costs else choice


@dataclass(frozen=True, eq=False)
class DecisionRule:
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

    def of(self, result: EvaluationResult, checkpoint: Callable[[], object] = int) -> Codes:
        """The class for each tested record (m,) of a result with the same classes."""
        return self(result.probabilities, result.decision, checkpoint)

    def decides_as(self, other: DecisionRule) -> bool:
        """Whether the other rule decides alike for the same classes."""
        if self.costs is None or other.costs is None:
            return self.choice == other.choice and self.costs is other.costs
        return self.choice == other.choice and bool((self.costs == other.costs).all())

    def for_classes(self, classes: tuple[str, ...]) -> DecisionRule | None:
        """The rule for a model with these classes; None for the model's default, or where a class is unknown."""
        if self.choice is None or not set(classes) <= set(self.classes):
            return None
        order = [self.classes.index(label) for label in classes]
        return DecisionRule(classes, self.choice, None if self.costs is None else self.costs[np.ix_(order, order)])

    def one(self, probabilities: Sequence[float], own: int) -> int:
        """The class of one record by its probabilities (k,)."""
        return int(self(np.array([probabilities], dtype=np.float64), np.array([own], dtype=np.int32))[0])


def decided_otherwise(report: Report, matrix: FloatArray) -> Report:
    """The report with the decisions counted in ``matrix`` in place of the model's own.

    What hangs on the probabilities alone (AUC) and the baseline stay. The accuracy is the share on the diagonal, also
    where the method makes an estimate of its own (the bootstraps). The intervals of kappa and F are drawn where that is
    quick, as for two or three classes, and left open else.
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
