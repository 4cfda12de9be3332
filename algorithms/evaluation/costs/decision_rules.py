"""Decision rules of a run (threshold or least expected cost) and their reports."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import AbsentColumnsError, DataError
from algorithms.core.learner import Codes, Predictions
from algorithms.core.record_costs import AnyCosts, RecordCosts, record_costs
from algorithms.core.scores import at_threshold, cheapest_decisions
from algorithms.core.training import PROBABILITY_DIGITS
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import free_name, nominal, numeric
from algorithms.evaluation.costs.cost_matrix import cost_threshold
from algorithms.evaluation.costs.mean_cost import CostSums
from algorithms.evaluation.curves.roc import ScoredClass
from algorithms.evaluation.measures.confusion_counts import BinaryCounts, confusion_matrix
from algorithms.evaluation.measures.intervals import accuracy_interval, is_quick, matrix_intervals
from algorithms.evaluation.measures.metrics import Report, accuracy
from algorithms.evaluation.methods.by_column import ByGroup, group_folds
from algorithms.evaluation.result import EvaluationResult
from algorithms.text.numbers import amount, number, price
from algorithms.text.sentences import counted


@dataclass(frozen=True, eq=False)
class ByExpectedCost:
    """Result of deciding by least expected cost: decisions (m,), confusion matrix (k, k), total cost."""

    decision: Codes
    confusion: FloatArray
    total: float


def by_expected_cost(
    result: EvaluationResult, costs: AnyCosts, checkpoint: Callable[[], object] = int
) -> ByExpectedCost:
    """Decide every tested record by least expected cost; costs in the order of the classes."""
    costs = record_costs(costs)
    decision = cheapest_decisions(result.probabilities, result.decision, costs, checkpoint)
    confusion = confusion_matrix(result.truth, decision, result.weights, len(costs.fixed))
    total = float((confusion * costs.fixed).sum())
    if costs.varies:
        total = float((result.weight_array * costs.of(result.truth, decision)).sum())
    return ByExpectedCost(decision, confusion, total)


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


def record_thresholds(costs: RecordCosts, code: int) -> FloatArray:
    """The theoretical threshold of class ``code`` for each record (m,), (1,) if all records cost the same.

    NaN for a record whose errors cost no more than correct predictions, and unless there are two classes.
    """
    if len(costs.fixed) != 2:
        return np.full(1, np.nan)
    m = max((len(cell.values) for cell in costs.formulas.values()), default=1)
    miss, alarm = (
        costs.of(np.full(m, true), np.full(m, 1 - true)) - costs.of(np.full(m, true), np.full(m, true))
        for true in (code, 1 - code)
    )
    usable = (miss >= 0) & (alarm >= 0) & (miss + alarm > 0)
    thresholds: FloatArray = np.divide(alarm, alarm + miss, out=np.full(m, np.nan), where=usable)
    return thresholds


def threshold_range(costs: RecordCosts, code: int) -> tuple[float, float] | None:
    """The smallest and the largest theoretical threshold of class ``code`` among the records that have one."""
    thresholds = record_thresholds(costs, code)
    known = thresholds[np.isfinite(thresholds)]
    return (float(known.min()), float(known.max())) if len(known) else None


MOST_PARTS: Final = 20
"""Most parts that thresholds are chosen without; more folds are joined."""


@dataclass(frozen=True, eq=False)
class NestedThreshold:
    """Total cost of thresholds of a class that were chosen without the records they are applied to.

    There is a threshold for each part of the records: a fold, or a half if the tests have no folds. ``decision`` (m,)
    is what they decide.
    """

    thresholds: tuple[float, ...]
    total: float
    are_folds: bool
    decision: Codes

    @property
    def chosen_on(self) -> str:
        return "the other folds" if self.are_folds else "the other half"

    @classmethod
    def of(
        cls,
        scored: ScoredClass,
        result: EvaluationResult,
        costs: AnyCosts,
        checkpoint: Callable[[], object] = int,
        data: Dataset | None = None,
    ) -> NestedThreshold | None:
        """Applies to each part the threshold that is cheapest on the others; ``costs`` are those of the tests.

        The records of a group of the method stay in one part; ``data`` tells the groups. None if models were tested on
        their training records, or if the records cannot be divided.
        """
        parts, are_folds = _parts(result, data)
        if parts is None:
            return None
        in_order, costs = parts[scored.rows], record_costs(costs)
        thresholds, total, decision = [], 0.0, np.empty(len(result), dtype=np.int32)
        for part in range(int(parts.max()) + 1):
            checkpoint()
            inside = in_order == part
            thresholds.append(scored.among(~inside).cheapest(costs).threshold)
            total += float(scored.among(inside).costs_at(np.array([thresholds[-1]]), costs)[0])
            tests = np.flatnonzero(parts == part)
            decision[tests] = at_threshold(result.probabilities[tests], scored.code, thresholds[-1])
        return cls(tuple(thresholds), total, are_folds, decision)


def _parts(result: EvaluationResult, data: Dataset | None = None) -> tuple[IntArray | None, bool]:
    """The part (m,) of each test, and whether parts are folds; all tests of a record are in one part.

    The folds are those of the first test of each record. Without several, each class is divided at random into halves;
    with groups, which ``data`` tells, the groups are.
    """
    if result.test_is_training or result.weights_are_counts:
        return None, False
    _, first, record = np.unique(result.row_ids, return_index=True, return_inverse=True)
    if len(first) < 2:
        return None, False
    folds, part = np.unique(result.folds[first], return_inverse=True)
    if len(folds) > 1:
        return (part % MOST_PARTS)[record], True
    if isinstance(result.method, ByGroup):
        halves = None if data is None else _halves_of_groups(result, result.method.groups(data), data)
        return (None if halves is None else halves[first][record]), False
    shuffled = np.random.default_rng(result.seed).permutation(len(first))
    by_class = shuffled[np.argsort(result.truth[first][shuffled], kind="stable")]
    halves = np.empty(len(first), dtype=np.int64)
    halves[by_class] = np.arange(len(first)) % 2
    return halves[record], False


def _halves_of_groups(result: EvaluationResult, groups: IntArray, data: Dataset) -> IntArray | None:
    """The half (m,) of each test where groups are divided, by size; None if only one group or no such record is there.

    ``groups`` (n,) are those of the records of ``data``.
    """
    order = np.argsort(data.row_ids, kind="stable")
    places = np.searchsorted(data.row_ids, result.row_ids, sorter=order).clip(max=len(order) - 1)
    rows = order[places]
    if not np.array_equal(data.row_ids[rows], result.row_ids):
        return None
    _, group, sizes = np.unique(groups[rows], return_inverse=True, return_counts=True)
    if len(sizes) < 2:
        return None
    return group_folds(sizes, 2, np.random.default_rng(result.seed))[group]


@dataclass(frozen=True)
class AtThreshold:
    """Predict the class ``label`` from a probability threshold on."""

    label: str
    threshold: float


@dataclass(frozen=True)
class ByCost:
    """Decide by least expected cost under the current costs."""


Choice = AtThreshold | ByCost
Thresholds = tuple[str, FloatArray] | None
"""A class, and the probability from which each record (m,) is predicted as it; None unless records have their own."""


def active_choice(choice: Choice | None, label: str, has_costs: bool) -> Choice | None:
    """The choice if it applies: a threshold to the class of interest ``label``, a choice by cost if there are costs."""
    if isinstance(choice, AtThreshold) and choice.label != label:
        return None
    return None if isinstance(choice, ByCost) and not has_costs else choice


@dataclass(frozen=True, eq=False)
class DecisionRule:
    """Maps class probabilities to decisions; ``costs`` of the tests stand in the order of ``classes``."""

    classes: tuple[str, ...]
    choice: Choice | None
    costs: RecordCosts | None

    def __call__(
        self,
        probabilities: NDArray[np.floating],
        own: Codes,
        checkpoint: Callable[[], object] = int,
        data: Dataset | None = None,
    ) -> Codes:
        """The class for each row of ``probabilities`` (m, k); ``own`` (m,) are the model's own decisions.

        Costs that differ by record are evaluated on ``data``, the m records; without it their means decide. Raises
        :class:`DataError` if the data lacks a column of the costs.
        """
        if not isinstance(self.choice, ByCost) or self.costs is None:
            return self._decided(probabilities, own, None, checkpoint)
        absent = [] if data is None else [name for name in self.costs.columns if name not in data.schema]
        if absent:
            sentence = f"The decision rule needs the {'column' if len(absent) == 1 else 'columns'} {', '.join(absent)}."
            remedy = "Add it, or save the model with costs that are numbers."
            raise AbsentColumnsError(sentence, remedy=remedy, place=absent[0])
        costs = self.costs.typical() if data is None else self.costs.on(data)
        return self._decided(probabilities, own, costs, checkpoint)

    def of(self, result: EvaluationResult, checkpoint: Callable[[], object] = int) -> Codes:
        """The class for each tested record (m,) of a result with the same classes."""
        return self._decided(result.probabilities, result.decision, self.costs, checkpoint)

    def of_tests(self, result: EvaluationResult, tests: IntArray) -> Codes:
        """The class for some tests of a result with the same classes."""
        costs = None if self.costs is None else self.costs.take(tests)
        return self._decided(result.probabilities[tests], result.decision[tests], costs, int)

    def on(self, predictions: Predictions, records: Dataset) -> Codes:
        """The class for each prediction; mean costs decide where the records lack a column of the costs."""
        columns = () if self.costs is None else self.costs.columns
        known = records if all(name in records.schema for name in columns) else None
        return self(predictions.probabilities, predictions.decisions, data=known)

    def _decided(
        self,
        probabilities: NDArray[np.floating],
        own: Codes,
        costs: RecordCosts | None,
        checkpoint: Callable[[], object],
    ) -> Codes:
        if isinstance(self.choice, AtThreshold) and self.choice.label in self.classes:
            return at_threshold(probabilities, self.classes.index(self.choice.label), self.choice.threshold)
        if isinstance(self.choice, ByCost) and costs is not None:
            return cheapest_decisions(probabilities, own, costs, checkpoint)
        return own

    def decides_as(self, other: DecisionRule) -> bool:
        """Whether both rules have the same choice and, where costs decide, the same costs, given the same classes."""
        if self.choice != other.choice or not isinstance(self.choice, ByCost):
            return self.choice == other.choice
        if self.costs is None or other.costs is None:
            return self.costs is other.costs
        return self.costs.equals(other.costs)

    def for_classes(self, classes: tuple[str, ...]) -> DecisionRule | None:
        """The rule for a model with these classes; None for the default rule or an unknown class."""
        if self.choice is None or not set(classes) <= set(self.classes):
            return None
        order = [self.classes.index(label) for label in classes]
        return DecisionRule(classes, self.choice, None if self.costs is None else self.costs.ordered(order))

    def thresholds(self, data: Dataset, label: str = "") -> Thresholds:
        """The class ``label``, else the last one, and the probability from which each record (m,) is predicted as it.

        NaN where a record has no threshold; None unless costs of two classes decide, differ by record and have their
        columns in the data.
        """
        by_cost = isinstance(self.choice, ByCost) and len(self.classes) == 2
        if not by_cost or self.costs is None or not self.costs.varies:
            return None
        if any(name not in data.schema for name in self.costs.columns):
            return None
        label = label if label in self.classes else self.classes[-1]
        return label, record_thresholds(self.costs.on(data), self.classes.index(label))

    def threshold_of(self, record: Dataset, label: str = "") -> tuple[str, float] | None:
        """The class ``label``, else the last one, and the probability from which the one record is predicted as it.

        None unless a threshold between 0 and 1 decides, or the costs of two classes.
        """
        if isinstance(self.choice, AtThreshold):
            label, threshold = self.choice.label, self.choice.threshold
        elif self.choice is None or self.costs is None or len(self.classes) != 2:
            return None
        elif self.costs.varies:
            own = self.thresholds(record, label)
            label, threshold = ("", float("nan")) if own is None else (own[0], float(own[1][0]))
        else:
            label = label if label in self.classes else self.classes[-1]
            threshold = float(record_thresholds(self.costs, self.classes.index(label))[0])
        return (label, threshold) if 0 < threshold <= 1 else None

    def expected_costs(self, probabilities: Sequence[float], record: Dataset) -> FloatArray | None:
        """The expected cost (k,) of predicting each class for one record; None unless least expected cost decides.

        Mean costs count where the record lacks a column of the costs.
        """
        if not isinstance(self.choice, ByCost) or self.costs is None:
            return None
        known = all(name in record.schema for name in self.costs.columns)
        costs = self.costs.on(record) if known else self.costs.typical()
        table = np.array(costs.fixed, dtype=np.float64)
        for cell, one in costs.formulas.items():
            table[cell] = one.values[0]
        return np.asarray(np.asarray(probabilities, dtype=np.float64) @ table)

    def costs_assumed(self, data: Dataset) -> str:
        """What is assumed for missing costs of these records, if costs decide; else empty."""
        by_cost = isinstance(self.choice, ByCost) and self.costs is not None
        return missing_costs(self.costs.on(data)) if by_cost and self.costs is not None else ""

    @property
    def words(self) -> str:
        """The rule as noted in a saved file: "yes from probability 0.3 on", "least expected cost: ..."."""
        if isinstance(self.choice, AtThreshold):
            label, threshold = self.choice.label, self.choice.threshold
            if not 0 < threshold <= 1:
                return f"{'never' if threshold > 1 else 'always'} {label}"
            return f"{label} from probability {number(threshold)} on"
        if self.choice is None or self.costs is None:
            return DEFAULT if self.choice is None else "least expected cost"
        formulas, fixed = self.costs.formulas, self.costs.fixed
        costs = [
            f"{true} predicted {predicted} "
            + (formulas[i, j].formula if (i, j) in formulas else amount(float(fixed[i, j])))
            for i, true in enumerate(self.classes)
            for j, predicted in enumerate(self.classes)
            if i != j or fixed[i, j] or (i, j) in formulas
        ]
        more = f", {len(costs) - MOST_COSTS} more" if len(costs) > MOST_COSTS else ""
        return f"least expected cost: {', '.join(costs[:MOST_COSTS])}{more}"

    def decide_one(self, probabilities: Sequence[float], own: int, record: Dataset) -> int:
        """The class of one record from its probabilities (k,); ``own`` is the model's own decision."""
        believed, decided = np.array([probabilities], dtype=np.float64), np.array([own], dtype=np.int32)
        return int(self.on(Predictions(decided, believed), record)[0])


DECISION_RULE: Final = "decision rule"
DEFAULT: Final = "default"
MOST_COSTS: Final = 12
"""Most costs named in a saved file: all those of four classes."""


def rule_words(deciding: object) -> str:
    """The :attr:`DecisionRule.words` of a trained classifier's rule."""
    return deciding.words if isinstance(deciding, DecisionRule) else DEFAULT


def with_notes(data: Dataset, thresholds: Thresholds, notes: Mapping[str, str]) -> Dataset:
    """The data with a column of :meth:`DecisionRule.thresholds`, and one for each note, the same for all records."""
    if thresholds is not None:
        column = numeric(free_name(f"threshold {thresholds[0]}", data.schema))
        data = data.with_new_column(column, np.round(thresholds[1], PROBABILITY_DIGITS))
    for name, words in notes.items():
        column = nominal(free_name(name, data.schema), (words,))
        data = data.with_new_column(column, np.zeros(len(data), dtype=np.int32))
    return data


def missing_costs(costs: RecordCosts) -> str:
    """How many values of each formula are missing, and what is assumed for them, in sentences."""
    formulas = {one.formula: one for one in costs.formulas.values() if one.n_missing}.values()
    return " ".join(
        f"{one.formula.strip('[] ')} is missing for {counted(one.n_missing, 'record')}: "
        f"its average, {f'{price(one.usual)} {costs.currency}'.rstrip()}, is assumed."
        for one in formulas
    )


def decided_otherwise(report: Report, matrix: FloatArray, sums: CostSums | None = None) -> Report:
    """The report for decisions with this confusion matrix instead of the model's own.

    ``sums`` are their costs if these differ by record.

    AUC, which depends on the probabilities alone, and the baseline stay. The accuracy is the share on the diagonal,
    even for methods with their own estimate (the bootstraps). Intervals of kappa and F are bootstrapped if that is
    quick, as for two or three classes; else they are omitted.
    """
    right = accuracy(matrix)
    counts = BinaryCounts.of_all(matrix, [metrics.label for metrics in report.per_class])
    classes = [replace(metrics, counts=one) for one, metrics in zip(counts, report.per_class, strict=True)]
    return replace(
        report,
        accuracy=right,
        error_rate=1 - right,
        interval=accuracy_interval(right, report.n_effective),
        confusion=matrix,
        per_class=tuple(classes),
        cost=None,
        cost_sums=sums,
        estimate=None,
        drawn=matrix_intervals(matrix, report.n_effective) if is_quick(matrix) else None,
    )
