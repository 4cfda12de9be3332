"""Performance measures: confusion matrix, accuracy with its interval, per-class rates, kappa, AUC.

Computed from an :class:`EvaluationResult` with weighted records. N of an interval is the number of distinct tested
records, or their effective number (Kish). A rate with denominator 0 is undefined: None, never 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.parameters import Configurable, real
from algorithms.core.record_costs import RecordCosts
from algorithms.core.resampling import AccuracyEstimate
from algorithms.core.run_control import stoppable
from algorithms.core.scores import FormulaWorking, Pairs, ratio
from algorithms.data.columns import FloatArray
from algorithms.evaluation.costs.mean_cost import CostSums, MeanCost, mean_cost, sums_if_varying
from algorithms.evaluation.curves.roc import OperatingPoints, ScoredClass, TopTwoClasses, two_best
from algorithms.evaluation.measures import measure_workings
from algorithms.evaluation.measures.confusion_counts import BinaryCounts, confusion_matrix
from algorithms.evaluation.measures.intervals import (
    Interval,
    MatrixIntervals,
    Z,
    accuracy_interval,
    area_interval,
    influence,
    influence_of_records,
    matrix_intervals,
    narrowness,
    pr_area_interval,
)
from algorithms.evaluation.measures.probabilities import NO_PROBABILITIES, ProbabilityScores, probability_scores
from algorithms.evaluation.result import EvaluationResult


@dataclass(frozen=True)
class MetricOptions(Configurable):
    """Options of the measures, shared by all runs."""

    id = "measures"
    name = "Measures"
    sentence = "Beta of F and the weights of TP, FP, FN and TN in the weighted accuracy."
    beta: float = real(2.0, lo=0.01, hi=100.0, label="Beta", help="Weight of recall against precision in F.")
    found: float = real(1.0, lo=0.0, hi=1e6, label="Weight of TP", help="Weight of true positives.")
    alarm: float = real(1.0, lo=0.0, hi=1e6, label="Weight of FP", help="Weight of false positives.")
    missed: float = real(1.0, lo=0.0, hi=1e6, label="Weight of FN", help="Weight of false negatives.")
    cleared: float = real(1.0, lo=0.0, hi=1e6, label="Weight of TN", help="Weight of true negatives.")

    def f_measure(self, counts: BinaryCounts) -> FormulaWorking:
        """F with this beta."""
        return counts.f_measure(self.beta)

    def weighted_accuracy(self, counts: BinaryCounts) -> FormulaWorking:
        """(w1 TP + w4 TN) / (w1 TP + w2 FP + w3 FN + w4 TN), of which recall, precision, F and accuracy are cases."""
        return counts.weighted_accuracy(self.found, self.alarm, self.missed, self.cleared)


DEFAULT_OPTIONS: Final = MetricOptions()


@dataclass(frozen=True)
class ClassMetrics:
    """Measures of one class against the rest, None if undefined; ``auc`` is the share of ``pairs`` ranked correctly."""

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
    def auc(self) -> float | None:
        return self.pairs.auc

    @cached_property
    def pr_area(self) -> float | None:
        return self.pairs.average_precision().value


@dataclass(frozen=True, eq=False)
class Report:
    """All measures of one evaluation; ``n`` distinct records were tested in ``n_tests`` tests.

    ``accuracy`` is the method's own ``estimate`` if it has one (the bootstraps), else that of ``confusion``.
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
    """Cost of the decisions if costs were given; windows recompute it for costs set later."""
    n: int
    n_tests: int
    test_is_training: bool = False
    probability: ProbabilityScores = NO_PROBABILITIES
    estimate: AccuracyEstimate | None = None
    against: tuple[tuple[str, str, float], ...] = ()
    """Pairwise AUC (Hand and Till) of every two tested classes: both labels and the area."""
    in_two: float | None = None
    """Summed weight of records whose true class is one of the two most probable; None for fewer than 3 classes."""
    cost_sums: CostSums | None = None
    """Summed costs of the decisions, if costs differ by record."""
    currency: str = ""
    """Unit of the costs, if known."""
    narrow: str = ""
    """A sentence on why the interval is too narrow; empty if it is not."""
    auc_interval: Interval | None = None
    """Interval of ``auc``; errors of a record in several classes are added."""
    pr_area_interval: Interval | None = None
    """Interval of the weighted mean PR area, assuming fully correlated classes."""
    drawn: MatrixIntervals | None = None
    """Intervals of kappa and F for these decisions; None until computed."""
    n_kish: float | None = None
    """Effective number of records (Kish) if weights make it smaller than ``n``."""

    @property
    def n_effective(self) -> float:
        """The N of intervals and tests."""
        return float(self.n) if self.n_kish is None else self.n_kish

    @property
    def counts_records(self) -> bool:
        """Whether the confusion matrix counts records: each was tested once, and none has another weight."""
        return self.n_kish is None and self.n_tests == self.n == round(float(self.confusion.sum()))

    def weights_words(self) -> str:
        """A sentence that intervals use the effective number of records; empty without unequal weights."""
        if self.n_kish is None:
            return ""
        return (
            f"The records' weights differ, so {self.n:,} records say as much as {self.n_kish:,.1f} of equal weight "
            "(Kish's effective sample size): intervals and tests go by these."
        )

    @property
    def auc_error(self) -> float:
        """Standard error of the AUC (DeLong); from its interval if DeLong gives none, from 0 to 1 without interval."""
        if self.auc_interval is None:
            return 1 / math.sqrt(12)  # of a uniform distribution
        if self.auc_interval.error is not None:
            return self.auc_interval.error
        low, high = self.auc_interval.ends
        return (high - low) / (2 * Z)

    @property
    def cost_per_record(self) -> float | None:
        """Mean cost of a decision; None without costs or tests."""
        return None if self.cost is None or math.isnan(self.cost.mean) else self.cost.mean


def confusion(result: EvaluationResult) -> FloatArray:
    """Confusion matrix (k, k) of the tests by weight: row true, column predicted."""
    return confusion_matrix(result.truth, result.decision, result.weights, len(result.classes))


def accuracy(matrix: FloatArray) -> float:
    """Share of the weight on the diagonal of a confusion matrix; 0 for an empty one."""
    return measure_workings.accuracy(matrix).value or 0.0


@dataclass(frozen=True, eq=False)
class RankingMetrics:
    """Measures of the ranking of records by the probability of a class.

    ``pairs`` are those of its ROC curve. ``pr_area`` is the interpolated area under its precision-recall curve. ``won``
    (k,) are the pairs ranked correctly against each other class, ties as half.
    """

    pairs: Pairs
    pr_area: float | None
    won: FloatArray
    influence: NDArray[np.float32] | None = None
    """Influence of each test on the AUC (m,), for its standard error; None if not computed."""
    pr_interval: Interval | None = None


def ranked(scored: ScoredClass, points: OperatingPoints) -> RankingMetrics:
    """Ranking measures of sorted records, from all their ``points``."""
    k, pairs = scored.n_classes, points.pairs
    won = scored.won_against(points) if k > 2 else np.full(k, pairs.won + pairs.tied / 2)
    return RankingMetrics(pairs, points.interpolated_area, won)


def per_class(result: EvaluationResult, checkpoint: Callable[[], object] = int) -> tuple[ClassMetrics, ...]:
    """Measures of every class against the rest, in code order."""
    best = two_best(result.probabilities, checkpoint)
    return _classes(confusion(result), result.classes, _rankings(result, best, checkpoint))


def _rankings(result: EvaluationResult, best: TopTwoClasses, checkpoint: Callable[[], object]) -> list[RankingMetrics]:
    """Ranking measures for each class, without intervals."""
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
    """Measures of one class in a confusion matrix (k, k); ``pairs`` are those of its ROC curve."""
    return ClassMetrics(BinaryCounts.of(matrix, code, label), pairs, interpolated)


def weighted_auc(classes: tuple[ClassMetrics, ...]) -> float | None:
    """Mean AUC of these classes, weighted by their records; None if no AUC is defined."""
    defined = [(c.n, c.auc) for c in classes if c.auc is not None]
    return ratio(sum(n * area for n, area in defined), sum(n for n, _ in defined))


def ranking_measure(report: Report) -> str:
    """The measure that ranks runs: "auc" if the accuracy is not surely above the baseline, else "accuracy"."""
    return "auc" if report.auc is not None and report.interval[0] <= report.baseline_accuracy else "accuracy"


def may_be_guessing(report: Report) -> bool:
    """Whether the interval of the ranking measure includes the value of guessing."""
    if ranking_measure(report) == "accuracy":
        return report.interval[0] <= report.baseline_accuracy
    return report.auc_interval is None or report.auc_interval.low <= 0.5


def estimated_accuracy(result: EvaluationResult, matrix: FloatArray) -> float:
    """Accuracy to report: the method's own estimate if it has one, else that of the confusion matrix."""
    return accuracy(matrix) if result.estimate is None else result.estimate.accuracy.value or 0.0


def report(
    result: EvaluationResult, costs: RecordCosts | None = None, checkpoint: Callable[[], object] = int
) -> Report:
    """All measures of an evaluation, with ``costs`` of its tests."""
    best = two_best(result.probabilities, checkpoint)
    orders = []
    for code in range(len(result.classes)):
        scored = ScoredClass.of(result, code, checkpoint, best)
        checkpoint()
        orders.append(ranked_with_intervals(result, scored, scored.points()))
    return report_by(result, orders, best, costs, checkpoint)


def ranked_with_intervals(result: EvaluationResult, scored: ScoredClass, points: OperatingPoints) -> RankingMetrics:
    """As :func:`ranked`, with the influences behind the AUC interval, and the PR area interval."""
    return replace(
        ranked(scored, points),
        influence=influence(scored, points),
        pr_interval=pr_area_interval(points, result.n_effective),
    )


def report_by(
    result: EvaluationResult,
    orders: list[RankingMetrics],
    best: TopTwoClasses,
    costs: RecordCosts | None = None,
    checkpoint: Callable[[], object] = int,
    *,
    draws: bool = True,
) -> Report:
    """As :func:`report`, from ranking measures of each class; without ``draws`` kappa and F get no interval."""
    matrix = confusion(result)
    classes = _with_intervals(result, _classes(matrix, result.classes, orders), orders)
    right, n, total = estimated_accuracy(result, matrix), result.n_effective, float(matrix.sum())
    sums = sums_if_varying(result, result.decision, costs)
    cost = None if costs is None else mean_cost(matrix, costs.table, n, sums)
    return Report(
        classes=result.classes,
        accuracy=right,
        error_rate=1 - right,
        interval=accuracy_interval(right, n),
        baseline_accuracy=ratio(float(matrix[result.baseline_class].sum()), total) or 0.0,
        baseline_class=result.classes[result.baseline_class],
        auc=weighted_auc(classes),
        auc_interval=_mean_auc_interval(result, classes, orders),
        pr_area_interval=_mean_pr_area_interval(classes),
        confusion=matrix,
        per_class=classes,
        cost=cost,
        cost_sums=sums,
        currency="" if costs is None else costs.currency,
        n=result.n_records,
        n_kish=n if n < result.n_records * (1 - 1e-9) else None,
        n_tests=len(result),
        test_is_training=result.test_is_training,
        probability=probability_scores(result.truth, result.probabilities, result.weights),
        estimate=result.estimate,
        against=_pairwise_auc(matrix, result.classes, orders),
        in_two=_weight_in_top_two(result, best),
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
            else area_interval(
                result, metrics.auc, [(1.0, order.influence)], _n_of_smaller_kind(result, classes, code)
            ),
            pr_area_interval=order.pr_interval,
        )
        for code, (metrics, order) in enumerate(zip(classes, orders, strict=True))
    )


def _n_of_smaller_kind(result: EvaluationResult, classes: tuple[ClassMetrics, ...], code: int) -> float:
    """Effective number of records of the class, or of the other classes if that is smaller."""
    total = math.fsum(metrics.n for metrics in classes)
    share = classes[code].n / total
    return result.n_effective * min(share, 1 - share)


def _mean_auc_interval(
    result: EvaluationResult, classes: tuple[ClassMetrics, ...], orders: list[RankingMetrics]
) -> Interval | None:
    """Interval of the weighted mean AUC; the influences of a record on all classes are added."""
    codes = [code for code, metrics in enumerate(classes) if metrics.auc is not None and metrics.n > 0]
    influences = _shares_of_influence([(classes[code].n, orders[code].influence) for code in codes])
    fewest = min((_n_of_smaller_kind(result, classes, code) for code in codes), default=0.0)
    return area_interval(result, weighted_auc(classes), influences, fewest)


Influence = NDArray[np.float32]


def _shares_of_influence(of_classes: Sequence[tuple[float, Influence | None]]) -> list[tuple[float, Influence]]:
    """The share of each class in the mean AUC, from its weight, with its influences; empty if any are unknown."""
    total = math.fsum(n for n, _ in of_classes)
    shares = [(n / total, of_class) for n, of_class in of_classes if of_class is not None]
    return shares if len(shares) == len(of_classes) else []


def auc_influences(result: EvaluationResult, checkpoint: Callable[[], object] = int) -> FloatArray | None:
    """Influence of each record (n,), by id, on the weighted mean AUC, for DeLong's test; None if unknown."""
    best, of_classes = two_best(result.probabilities, checkpoint), []
    for code in stoppable(np.unique(result.truth).tolist(), checkpoint):
        scored = ScoredClass.of(result, code, best=best)
        points = scored.points()
        if points.pairs.auc is not None and points.positives > 0:
            of_classes.append((points.positives, influence(scored, points)))
    shares = _shares_of_influence(of_classes)
    if not shares:
        return None
    of_records = influence_of_records(result, shares)
    return of_records[np.argsort(result.row_ids)] if len(result) == result.n_records else of_records


FEW_RECORDS: Final = 10
"""With fewer records of a class DeLong's error is too small: with 5 of 55 up to 9% of equal AUCs would differ."""


def least_p_value(result: EvaluationResult) -> float:
    """Smallest two-sided p-value of an exact permutation test of an AUC: 2 / (n! / (n1! n2! ...)), at most 1.

    Of that many orders of the n records one ranks all classes perfectly: 1/3 with 2 records of each of two classes.
    """
    counts = result.class_counts
    orders = math.lgamma(sum(counts) + 1) - sum(math.lgamma(n + 1) for n in counts)
    return min(1.0, 2 * math.exp(-orders))


def chance_error(result: EvaluationResult) -> float:
    """Standard error of the AUC of a random ranking without ties: √((n + 1) / (12 n1 n2)) (Mann and Whitney 1947).

    Of several classes the mean over each and all others, weighted by its records, which is an upper bound.
    """
    counts = result.class_counts
    n = sum(counts)
    return sum(of / n * math.sqrt((n + 1) / (12 * of * (n - of))) for of in counts if of < n)


def _mean_pr_area_interval(classes: tuple[ClassMetrics, ...]) -> Interval | None:
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


def _pairwise_auc(
    matrix: FloatArray, labels: tuple[str, ...], orders: list[RankingMetrics]
) -> tuple[tuple[str, str, float], ...]:
    """Pairwise AUC of the tested classes (Hand and Till 2001)."""
    sizes = matrix.sum(axis=1)
    tested = [code for code in range(len(labels)) if sizes[code] > 0]
    return tuple(
        (labels[i], labels[j], float(orders[i].won[j] + orders[j].won[i]) / (2 * float(sizes[i] * sizes[j])))
        for i, j in combinations(tested, 2)
        if sizes[i] * sizes[j] > 0  # the product underflows for extremely unequal weights
    )


def _weight_in_top_two(result: EvaluationResult, best: TopTwoClasses) -> float | None:
    if len(result.classes) < 3:
        return None
    among = (best.first == result.truth) | (best.second == result.truth)
    return float(np.count_nonzero(among) if result.weights is None else result.weights[among].sum())
