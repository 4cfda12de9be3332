"""Measures of performance: confusion matrix, accuracy with its interval, per-class rates, kappa, AUC.

They are computed from an :class:`EvaluationResult`. Records count with their weights; the interval's N is the number of
distinct tested records, or their effective number (Kish). A rate with denominator 0 is undefined: None, never 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.parameters import Configurable, real
from algorithms.core.resampling import AccuracyEstimate
from algorithms.core.scores import FormulaWorking, Pairs, ratio
from algorithms.data.columns import FloatArray
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.costs.mean_cost import AmountSums, MeanCost, at_stake, mean_cost
from algorithms.evaluation.curves.roc import OperatingPoints
from algorithms.evaluation.curves.scored import ScoredClass, TopTwoClasses, two_best
from algorithms.evaluation.measures import measure_workings
from algorithms.evaluation.measures.confusion_counts import BinaryCounts, confusion_matrix
from algorithms.evaluation.measures.intervals import (
    Interval,
    MatrixIntervals,
    accuracy_interval,
    area_interval,
    influence,
    matrix_intervals,
    narrowness,
    pr_area_interval,
)
from algorithms.evaluation.measures.probabilities import NO_PROBABILITIES, ProbabilityScores, probability_scores
from algorithms.evaluation.result import EvaluationResult


@dataclass(frozen=True)
class MetricOptions(Configurable):
    """Options of the measures, the same for all runs."""

    id = "measures"
    name = "Measures"
    sentence = "Beta of F, and how much each kind of decision weighs in the weighted accuracy."
    beta: float = real(2.0, lo=0.01, hi=100.0, label="Beta", help="How many times as much found counts as sure in F.")
    found: float = real(1.0, lo=0.0, hi=1e6, label="Found", help="Weight of records of the class that are found.")
    alarm: float = real(1.0, lo=0.0, hi=1e6, label="Alarm", help="Weight of false alarms.")
    missed: float = real(1.0, lo=0.0, hi=1e6, label="Missed", help="Weight of records of the class that are missed.")
    cleared: float = real(1.0, lo=0.0, hi=1e6, label="Cleared", help="Weight of other records not taken for it.")

    def f_measure(self, counts: BinaryCounts) -> FormulaWorking:
        """F with this beta."""
        return counts.f_measure(self.beta)

    def weighted_accuracy(self, counts: BinaryCounts) -> FormulaWorking:
        """(w1 TP + w4 TN) / (w1 TP + w2 FP + w3 FN + w4 TN): recall, precision, F and accuracy are cases of it."""
        return counts.weighted_accuracy(self.found, self.alarm, self.missed, self.cleared)


DEFAULT_OPTIONS: Final = MetricOptions()


@dataclass(frozen=True)
class ClassMetrics:
    """One class against the rest; a value is None where it is undefined.

    ``pairs`` are those of its ROC curve: ``auc`` is the share of them in the right order.
    """

    counts: BinaryCounts
    pairs: Pairs
    pr_area_interpolated: float | None = None
    auc_interval: Interval | None = None
    pr_area_interval: Interval | None = None

    @property
    def label(self) -> str:
        return self.counts.label

    @property
    def n(self) -> float:
        """Weight of the tested records of the class."""
        return self.counts.tp + self.counts.fn

    @cached_property
    def recall(self) -> float | None:
        return self.counts.recall().value

    @cached_property
    def precision(self) -> float | None:
        return self.counts.precision().value

    @cached_property
    def f(self) -> float | None:
        return self.counts.f_measure().value

    @cached_property
    def fpr(self) -> float | None:
        return self.counts.false_positive_rate().value

    @cached_property
    def auc(self) -> float | None:
        return self.pairs.auc

    @cached_property
    def pr_area(self) -> float | None:
        return self.pairs.average_precision().value


@dataclass(frozen=True, eq=False)
class Report:
    """The numbers of one evaluation. ``n`` is the number of different records tested, ``n_tests`` of tests.

    ``accuracy`` is the method's own ``estimate`` where it makes one (the bootstraps), else the share of ``confusion``
    on its diagonal.
    """

    classes: tuple[str, ...]
    accuracy: float
    error_rate: float
    interval: tuple[float, float]
    baseline_accuracy: float
    baseline_class: str
    auc: float | None
    confusion: FloatArray
    per_class: tuple[ClassMetrics, ...]
    cost: MeanCost | None
    """What the decisions cost where costs were given; what windows show follows costs that come later."""
    n: int
    n_tests: int
    test_is_training: bool = False
    probability: ProbabilityScores = NO_PROBABILITIES
    estimate: AccuracyEstimate | None = None
    against: tuple[tuple[str, str, float], ...] = ()
    """For every two classes that were tested, how well each is told from the other (see :func:`_against`)."""
    in_two: float | None = None
    """Weight of the records whose class was one of the two most probable; None for two classes or fewer."""
    at_stake: AmountSums | None = None
    """What the records are worth, where a column says how many times the costs count for each."""
    currency: str = ""
    """What costs are counted in, where somebody said."""
    narrow: str = ""
    """Why the interval is narrower than it looks, in a sentence; empty where it is not."""
    auc_interval: Interval | None = None
    """That of ``auc``, the errors of the classes taken together record by record."""
    pr_area_interval: Interval | None = None
    """That of the classes' areas by their records, as wide as if all classes erred together."""
    drawn: MatrixIntervals | None = None
    """The intervals of kappa and of F under these decisions; None while they have not been drawn."""
    n_kish: float | None = None
    """Of how many equally weighted records the tested ones are worth, where weights make it fewer than ``n``."""

    @property
    def n_effective(self) -> float:
        """The N of intervals and tests."""
        return float(self.n) if self.n_kish is None else self.n_kish

    def weights_words(self) -> str:
        """That the interval goes by fewer records than there are, in a sentence; empty where it does not."""
        if self.n_kish is None:
            return ""
        return (
            f"The records' weights differ, so {self.n:,} records say as much as {self.n_kish:,.1f} of equal weight "
            "(Kish's effective sample size): intervals and tests go by these."
        )

    @property
    def total_cost(self) -> float | None:
        """What all decisions cost together; None where no costs were given."""
        return None if self.cost is None else self.cost.total

    @property
    def cost_per_record(self) -> float | None:
        """What a decision costs on average; None where no costs were given, or nothing was tested."""
        return None if self.cost is None or math.isnan(self.cost.mean) else self.cost.mean


def confusion(result: EvaluationResult) -> FloatArray:
    """Weight of the tests by class (k, k): row the true class, column the decided one."""
    return confusion_matrix(result.truth, result.decision, result.weights, len(result.classes))


def accuracy(matrix: FloatArray) -> float:
    """Share of the weight on the diagonal of a confusion matrix; 0 for an empty one."""
    return measure_workings.accuracy(matrix).value or 0.0


@dataclass(frozen=True, eq=False)
class RankingMetrics:
    """Measures of the order of the records by the probability of a class.

    ``pairs`` are those of its ROC curve, ``pr_area`` the area under its interpolated precision-recall curve, ``won``
    (k,) the pairs won against each other class, ties counting half. The intervals are those of the AUC and the PR area.
    """

    pairs: Pairs
    pr_area: float | None
    won: FloatArray
    influence: NDArray[np.float32] | None = None
    """What each test adds to the error of the AUC (m,); None where that is not asked for, or not known."""
    pr_interval: Interval | None = None


def ranked(scored: ScoredClass, points: OperatingPoints) -> RankingMetrics:
    """The measures from ordered records and all their ``points``."""
    k, pairs = scored.n_classes, points.pairs
    won = scored.won_against(points) if k > 2 else np.full(k, pairs.won + pairs.tied / 2)
    return RankingMetrics(pairs, points.interpolated_area, won)


def per_class(result: EvaluationResult, checkpoint: Callable[[], object] = int) -> tuple[ClassMetrics, ...]:
    """Every class against the rest, in code order."""
    best = two_best(result.probabilities, checkpoint)
    return _classes(confusion(result), result.classes, _rankings(result, best, checkpoint))


def _rankings(result: EvaluationResult, best: TopTwoClasses, checkpoint: Callable[[], object]) -> list[RankingMetrics]:
    """The ranking by each class's probability, without intervals."""
    scored = [ScoredClass.of(result, code, checkpoint, best) for code in range(len(result.classes))]
    return [ranked(of_class, of_class.points()) for of_class in scored]


def report_without_intervals(result: EvaluationResult, checkpoint: Callable[[], object] = int) -> Report:
    """As :func:`report` without the intervals of kappa, F, AUC and PR area, which take most of its time."""
    best = two_best(result.probabilities, checkpoint)
    return report_by(result, _rankings(result, best, checkpoint), best, checkpoint=checkpoint, draws=False)


def _classes(matrix: FloatArray, labels: tuple[str, ...], orders: list[RankingMetrics]) -> tuple[ClassMetrics, ...]:
    return tuple(
        class_metrics(label, matrix, code, order.pairs, order.pr_area)
        for code, (label, order) in enumerate(zip(labels, orders, strict=True))
    )


def class_metrics(
    label: str, matrix: FloatArray, code: int, pairs: Pairs, interpolated: float | None = None
) -> ClassMetrics:
    """One class of a confusion matrix (k, k) against the rest; ``pairs`` are those of its ROC curve."""
    return ClassMetrics(BinaryCounts.of(matrix, code, label), pairs, interpolated)


def auc(result: EvaluationResult) -> float | None:
    """The classes' areas under the ROC curve, weighted by the classes' weights; None where none is defined."""
    return weighted_auc(per_class(result))


def weighted_auc(classes: tuple[ClassMetrics, ...]) -> float | None:
    """The classes' areas, weighted by the classes' weights; None where none is defined."""
    defined = [(c.n, c.auc) for c in classes if c.auc is not None]
    return ratio(sum(n * area for n, area in defined), sum(n for n, _ in defined))


def ranking_measure(report: Report) -> str:
    """What tells a run from guessing: "auc" where always guessing one class may be right as often, else "accuracy"."""
    return "auc" if report.auc is not None and report.interval[0] <= report.baseline_accuracy else "accuracy"


def may_be_guessing(report: Report) -> bool:
    """Whether a run may be no better than guessing by the measure that ranks it."""
    if ranking_measure(report) == "accuracy":
        return report.interval[0] <= report.baseline_accuracy
    return report.auc_interval is None or report.auc_interval.low <= 0.5


def total_cost(result: EvaluationResult, costs: CostMatrix) -> float:
    """Sum of the costs of all decisions, by weight; raises :class:`DataError` where a class has no costs."""
    return costs.total(confusion(result), result.classes)


def bootstrap_632(accuracies: FloatArray, resubstitution: float) -> float:
    """The .632 bootstrap estimate (TSKK Eq. 3.19): the mean over the samples of 0.632 a_i + 0.368 a_resubstitution.

    ``accuracies`` (b,) are those on the records that each sample left out, ``resubstitution`` that of the model of
    all records on them. Error rates may be given in place of accuracies.
    """
    return float(np.mean(0.632 * accuracies + 0.368 * resubstitution))


def estimated_accuracy(result: EvaluationResult, matrix: FloatArray) -> float:
    """The accuracy to report: from the confusion matrix, or the method's own estimate where it makes one."""
    return accuracy(matrix) if result.estimate is None else result.estimate.accuracy.value or 0.0


def report(
    result: EvaluationResult,
    costs: CostMatrix | None = None,
    amounts: FloatArray | None = None,
    checkpoint: Callable[[], object] = int,
) -> Report:
    """All the numbers of an evaluation; ``amounts`` (m,) say how many times the costs count for each test."""
    best = two_best(result.probabilities, checkpoint)
    orders = []
    for code in range(len(result.classes)):
        scored = ScoredClass.of(result, code, checkpoint, best)
        checkpoint()
        orders.append(ranked_with_intervals(result, scored, scored.points()))
    return report_by(result, orders, best, costs, amounts, checkpoint)


def ranked_with_intervals(result: EvaluationResult, scored: ScoredClass, points: OperatingPoints) -> RankingMetrics:
    """As :func:`ranked`, with what the intervals of the AUC and the PR area come from."""
    return replace(
        ranked(scored, points),
        influence=influence(scored, points),
        pr_interval=pr_area_interval(points, result.n_effective),
    )


def report_by(
    result: EvaluationResult,
    orders: list[RankingMetrics],
    best: TopTwoClasses,
    costs: CostMatrix | None = None,
    amounts: FloatArray | None = None,
    checkpoint: Callable[[], object] = int,
    *,
    draws: bool = True,
) -> Report:
    """As :func:`report`, where the records were put in the order of each class before.

    Without ``draws`` the intervals of kappa and F are left open.
    """
    matrix = confusion(result)
    classes = _with_intervals(result, _classes(matrix, result.classes, orders), orders)
    right, n, total = estimated_accuracy(result, matrix), result.n_effective, float(matrix.sum())
    table = None if costs is None else costs.ordered(result.classes)
    stake = None if costs is None or amounts is None else at_stake(result, result.decision, amounts, costs.amounts)
    cost = None if table is None else mean_cost(matrix, table, n, stake)
    return Report(
        classes=result.classes,
        accuracy=right,
        error_rate=1 - right,
        interval=accuracy_interval(right, n),
        baseline_accuracy=ratio(float(matrix[result.baseline_class].sum()), total) or 0.0,
        baseline_class=result.classes[result.baseline_class],
        auc=weighted_auc(classes),
        auc_interval=_of_all_areas(result, classes, orders),
        pr_area_interval=_of_all_pr_areas(classes),
        confusion=matrix,
        per_class=classes,
        cost=cost,
        at_stake=stake,
        currency="" if costs is None else costs.currency,
        n=result.n_records,
        n_kish=n if n < result.n_records * (1 - 1e-9) else None,
        n_tests=len(result),
        test_is_training=result.test_is_training,
        probability=probability_scores(result.truth, result.probabilities, result.weights),
        estimate=result.estimate,
        against=_against(matrix, result.classes, orders),
        in_two=_in_two(result, best),
        narrow=narrowness(result),
        drawn=matrix_intervals(matrix, n, checkpoint) if draws else None,
    )


def _with_intervals(
    result: EvaluationResult, classes: tuple[ClassMetrics, ...], orders: list[RankingMetrics]
) -> tuple[ClassMetrics, ...]:
    return tuple(
        replace(
            metrics,
            auc_interval=None
            if order.influence is None
            else area_interval(result, metrics.auc, [(1.0, order.influence)], _fewer(result, classes, code)),
            pr_area_interval=order.pr_interval,
        )
        for code, (metrics, order) in enumerate(zip(classes, orders, strict=True))
    )


def _fewer(result: EvaluationResult, classes: tuple[ClassMetrics, ...], code: int) -> float:
    """Effective number of records of the class, or of the others where they are fewer."""
    total = math.fsum(metrics.n for metrics in classes)
    share = classes[code].n / total
    return result.n_effective * min(share, 1 - share)


def _of_all_areas(
    result: EvaluationResult, classes: tuple[ClassMetrics, ...], orders: list[RankingMetrics]
) -> Interval | None:
    """Interval of the weighted mean AUC; the influences of a record on all classes are added."""
    codes = [code for code, metrics in enumerate(classes) if metrics.auc is not None and metrics.n > 0]
    total, influences = math.fsum(classes[code].n for code in codes), []
    for code in codes:
        of_class = orders[code].influence
        if of_class is None:
            return None
        influences.append((classes[code].n / total, of_class))
    fewest = min((_fewer(result, classes, code) for code in codes), default=0.0)
    return area_interval(result, weighted_auc(classes), influences, fewest)


def _of_all_pr_areas(classes: tuple[ClassMetrics, ...]) -> Interval | None:
    present = [(metrics.n, metrics.pr_area, metrics.pr_area_interval) for metrics in classes if metrics.n > 0]
    total = math.fsum(n for n, _, _ in present)
    low = high = area = 0.0
    fewest, draws = math.inf, math.inf
    for n, of_class, interval in present:
        if of_class is None or interval is None:
            return None
        low, high, area = (
            s + n / total * v for s, v in zip((low, high, area), (*interval.ends, of_class), strict=True)
        )
        fewest, draws = min(fewest, interval.n), min(draws, interval.draws or draws)
    return Interval(low, high, area, fewest, draws=int(draws)) if math.isfinite(draws) else None


def _against(
    matrix: FloatArray, labels: tuple[str, ...], orders: list[RankingMetrics]
) -> tuple[tuple[str, str, float], ...]:
    """Hand and Till 2001, A simple generalisation of the area under the ROC curve for multiple class problems."""
    sizes = matrix.sum(axis=1)
    tested = [code for code in range(len(labels)) if sizes[code] > 0]
    return tuple(
        (labels[i], labels[j], float(orders[i].won[j] + orders[j].won[i]) / (2 * float(sizes[i] * sizes[j])))
        for i, j in combinations(tested, 2)
        if sizes[i] * sizes[j] > 0  # not of weights so different that one is nothing beside the other
    )


def _in_two(result: EvaluationResult, best: TopTwoClasses) -> float | None:
    if len(result.classes) < 3:
        return None
    among = (best.first == result.truth) | (best.second == result.truth)
    return float(np.count_nonzero(among) if result.weights is None else result.weights[among].sum())
