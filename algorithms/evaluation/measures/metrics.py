"""Performance measures: confusion matrix, accuracy with its interval, per-class rates, kappa, AUC, log loss, Brier.

Computed from an :class:`EvaluationResult` with weighted records. N of an interval is the number of distinct tested
records, or their effective number (Kish). A rate with denominator 0 is undefined: None, never 0. The quality of
probabilities has log loss, Brier score, information, and errors as in Weka.
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

from algorithms.core.learner import Codes
from algorithms.core.parameters import Configurable, real
from algorithms.core.record_costs import RecordCosts
from algorithms.core.resampling import AccuracyEstimate
from algorithms.core.run_control import stoppable
from algorithms.core.scores import FormulaWorking, Pairs, Term, quotient, ratio
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
from algorithms.evaluation.result import EvaluationResult
from algorithms.text.numbers import decimals_apart

ROWS_AT_ONCE: Final = 1 << 13


_OVER_ALL: Final = "over records and classes; y is 1 for the true class, else 0"
_OF_CLASS: Final = "over the records; p for this class, y is 1 for its records, else 0"


@dataclass(frozen=True)
class ProbabilityScores:
    """Weighted sums over the tested records.

    ``logs`` sums ln p, p the probability of the true class. ``squares`` sums (p - y)² over all classes,
    ``class_squares`` for each. ``class_distances`` sums |p - y| for each class. ``weight`` is that of the records.
    ``unlike`` is the probability that two tested records differ in class. ``bits`` is the information of Kononenko and
    Bratko, None for a single class. ``entropy`` is that of the tested classes in bits per record.
    """

    logs: float = 0.0
    squares: float = 0.0
    weight: float = 0.0
    class_squares: tuple[float, ...] = ()
    bits: float | None = None
    entropy: float = 0.0
    class_distances: tuple[float, ...] = ()
    unlike: float = 0.0

    def log_loss(self) -> FormulaWorking:
        """Mean of −ln p, p the probability of the true class; 0 is best."""
        what = "natural logarithms of the probabilities of the true classes, summed"
        terms = (Term("Σ ln p", self.logs, what), self._tested)
        value = ratio(-self.logs, self.weight)
        return FormulaWorking("Log loss", "−{Σ ln p} / {tested}", terms, None if value is None else value + 0.0)

    def brier(self) -> FormulaWorking:
        """Mean over records of (p - y)² summed over classes: 0 best, 2 worst."""
        return self._mean("Brier score", Term("Σ (p − y)²", self.squares, _OVER_ALL), "Brier 1950")

    def class_brier(self, code: int) -> FormulaWorking:
        """Mean of (p - y)² for one class: 0 best, 1 worst."""
        squares = self.class_squares[code] if self.class_squares else 0.0
        return self._mean("Brier score", Term("Σ (p − y)²", squares, _OF_CLASS), "Brier 1950")

    def _mean(self, name: str, total: Term, source: str = "") -> FormulaWorking:
        """A sum divided by the weight of the tested records; undefined if the sum is."""
        return quotient(name, total, self._tested, source)

    @property
    def _tested(self) -> Term:
        return Term("tested", self.weight, "records tested")

    @property
    def _distances(self) -> Term:
        return Term("Σ |p − y|", sum(self.class_distances), _OVER_ALL)

    @property
    def _classes(self) -> Term:
        return Term("k", float(len(self.class_distances)), "classes")

    def absolute_error(self) -> FormulaWorking:
        """Mean of |p - y| over records and classes, as in Weka."""
        terms = (self._distances, self._tested, self._classes)
        value = ratio(sum(self.class_distances), self.weight * len(self.class_distances))
        return FormulaWorking("Mean absolute error", "{Σ |p − y|} / ({tested} · {k})", terms, value)

    def class_absolute_error(self, code: int) -> FormulaWorking:
        """Mean of |p - y| for one class."""
        distances = self.class_distances[code] if self.class_distances else 0.0
        return self._mean("Mean absolute error", Term("Σ |p − y|", distances, _OF_CLASS))

    def root_squared_error(self) -> FormulaWorking:
        """Root of the mean of (p - y)² over records and classes, as in Weka."""
        terms = (Term("Σ (p − y)²", self.squares, _OVER_ALL), self._tested, self._classes)
        value = ratio(self.squares, self.weight * len(self.class_distances))
        root = None if value is None else math.sqrt(value)
        return FormulaWorking("Root mean squared error", "√({Σ (p − y)²} / ({tested} · {k}))", terms, root)

    def relative_absolute_error(self) -> FormulaWorking:
        """Absolute error relative to that of the class shares of the tested records (Weka: training records)."""
        by_shares = 2 * self.weight * self.unlike
        of_shares = Term("Σ |q − y|", by_shares, "the same for q, the class priors")
        return quotient("Relative absolute error", self._distances, of_shares)

    def root_relative_squared_error(self) -> FormulaWorking:
        """Root of the squared error relative to that of predicting the class shares of the tested records."""
        by_shares = self.weight * self.unlike
        terms = (
            Term("Σ (p − y)²", self.squares, _OVER_ALL),
            Term("Σ (q − y)²", by_shares, "the same for q, the class priors"),
        )
        value = ratio(self.squares, by_shares)
        root = None if value is None else math.sqrt(value)
        return FormulaWorking("Root relative squared error", "√({Σ (p − y)²} / {Σ (q − y)²})", terms, root)

    def explained_log_loss(self) -> FormulaWorking:
        """D²: share of the log loss of the class shares that the probabilities remove (McFadden 1974)."""
        loss, by_shares = self.log_loss().value, self.entropy * math.log(2)
        terms = (
            Term("log loss", loss, "of these probabilities"),
            Term("log loss of q", by_shares, "of q, the class priors"),
        )
        share = None if loss is None else ratio(loss, by_shares)
        value = None if share is None else 1 - share
        return FormulaWorking(
            "Log loss explained", "1 − {log loss} / {log loss of q}", terms, value, source="McFadden 1974"
        )

    def explained_brier(self) -> FormulaWorking:
        """Brier skill score: share of the Brier score of the class shares that the probabilities remove."""
        score, by_shares = self.brier().value, self.unlike
        terms = (
            Term("Brier", score, "of these probabilities"),
            Term("Brier of q", by_shares, "of q, the class priors"),
        )
        share = None if score is None else ratio(score, by_shares)
        value = None if share is None else 1 - share
        return FormulaWorking("Brier skill", "1 − {Brier} / {Brier of q}", terms, value, source="Murphy 1973")

    def bits_saved(self) -> FormulaWorking:
        """Bits per record saved in coding the classes, relative to their shares (Weka: complexity improvement)."""
        loss = self.log_loss().value
        coded = None if loss is None else loss / math.log(2)
        terms = (
            Term("entropy", self.entropy, "bits a record by the class priors alone"),
            Term("coded", coded, "bits a record by these probabilities: mean of −log2 p of the true class"),
        )
        return FormulaWorking(
            "Bits saved", "{entropy} − {coded}", terms, None if coded is None else self.entropy - coded
        )

    def information(self) -> FormulaWorking:
        """Mean information score in bits: information of the probabilities beyond the class shares q.

        With probability p of the true class it is log2 p − log2 q if p >= q, else log2(1 − q) − log2(1 − p), which is
        negative (Kononenko and Bratko 1991, Information-based evaluation criterion for classifier's performance). The
        shares q are those of the tested records.
        """
        total = Term("Σ bits", self.bits, "information of each probability beyond the class priors, summed")
        return self._mean("Information", total, "Kononenko and Bratko 1991")

    def relative_information(self) -> FormulaWorking:
        """Information score relative to the entropy of the classes: 1 is perfect."""
        information = Term("information", self.information().value, "mean information in bits")
        entropy = Term("entropy", self.entropy, "entropy of the class in bits")
        return quotient("Relative information", information, entropy, "Kononenko and Bratko 1991")


NO_PROBABILITIES: Final = ProbabilityScores()


def probability_scores(
    truth: Codes, probabilities: NDArray[np.floating], weights: FloatArray | None
) -> ProbabilityScores:
    """Sums over records with probabilities (m, k) and true classes (m,), computed in blocks."""
    k = probabilities.shape[1]
    of_class = np.bincount(truth, weights, minlength=k)[:k].astype(np.float64)
    total = float(of_class.sum())  # summed as the classes, so that the share of a single class is exactly 1
    shares = of_class / total if total else np.zeros(k)
    least = float(np.finfo(probabilities.dtype).eps)  # least p, as one certain error would have infinite log loss
    logs = bits = 0.0
    squares, distances = np.zeros(k), np.zeros(k)
    with np.errstate(divide="ignore"):
        log_shares, log_rest = np.log2(shares), np.log2(np.where(shares < 1, 1 - shares, 1.0))
    for start in range(0, len(truth), ROWS_AT_ONCE):
        rows = slice(start, start + ROWS_AT_ONCE)
        p, true = np.array(probabilities[rows], dtype=np.float64), truth[rows]
        of_truth = p[np.arange(len(p)), true]
        weight = np.ones(len(p)) if weights is None else weights[rows]
        logs += float(np.log(np.clip(of_truth, least, 1.0)) @ weight)
        to_truth = np.bincount(true, weight * (1 - 2 * of_truth), minlength=k)
        distances += weight @ p + to_truth
        np.multiply(p, p, out=p)
        squares += weight @ p + to_truth
        bits += float(_bits(of_truth, shares[true], log_shares[true], log_rest[true]) @ weight)
    squares, distances = np.maximum(squares, 0.0), np.maximum(distances, 0.0)
    positive = shares[shares > 0]
    return ProbabilityScores(
        logs=logs,
        squares=float(squares.sum()),
        weight=total,
        class_squares=tuple(squares.tolist()),
        bits=bits if len(positive) > 1 else None,
        entropy=float(-(positive * np.log2(positive)).sum()),
        class_distances=tuple(distances.tolist()),
        unlike=2 * float(np.triu(np.outer(shares, shares), 1).sum()),  # 1 - Σ q² would leave a rounding error above 0
    )


def _bits(given: FloatArray, share: FloatArray, log_share: FloatArray, log_rest: FloatArray) -> FloatArray:
    """Information (m,) of the true class beyond its share q; ``log_share`` is log2 q, ``log_rest`` log2(1 - q)."""
    tells = given >= share
    with np.errstate(divide="ignore", invalid="ignore"):
        own_bits = np.log2(np.where(tells, given, 1 - given))
        bits = np.where(tells, own_bits - log_share, log_rest - own_bits)
    return np.where(share > 0, bits, 0.0)


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
    def decimals_beside_baseline(self) -> int | None:
        """Decimals that show a baseline outside the interval of the accuracy as such; None for the usual ones."""
        return decimals_apart(self.baseline_accuracy, *self.interval, self.n)

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
    counts = BinaryCounts.of_all(matrix, labels)
    return tuple(ClassMetrics(one, order.pairs, order.pr_area) for one, order in zip(counts, orders, strict=True))


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
