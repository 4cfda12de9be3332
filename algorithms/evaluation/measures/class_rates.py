"""Measures of the confusion matrix: of the whole (accuracy, kappa, MCC, ...), and of one class (recall, F, ...)."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np

from algorithms.core.scores import FormulaWorking, Term, ratio
from algorithms.data.columns import FloatArray
from algorithms.evaluation.measures import measure_workings
from algorithms.evaluation.measures.confusion_counts import BinaryCounts, Matrices, ratios
from algorithms.evaluation.measures.intervals import interval_bounds
from algorithms.evaluation.measures.measure import (
    Bounds,
    ClassColumn,
    Measure,
    MeasureInput,
    MeasureInterval,
    PermutationWords,
    Section,
    Unit,
    drawn_later,
)
from algorithms.evaluation.measures.measure_workings import geometric_average, plain_average
from algorithms.evaluation.measures.metrics import Report
from algorithms.text.names import shortened
from algorithms.text.numbers import percent

LONGEST_GUESS: Final = 16
"""Largest number of letters of the baseline class in the narrow column of names."""


def matthews(matrix: FloatArray) -> FormulaWorking:
    """Matthews correlation for any number of classes (Gorodkin 2004); undefined if one of the two is constant."""
    n, right = float(matrix.sum()), float(np.trace(matrix))
    true, decided = matrix.sum(axis=1), matrix.sum(axis=0)
    both, truths, decisions = float(true @ decided), float(true @ true), float(decided @ decided)
    value = ratio(right * n - both, math.sqrt(max(0.0, (n * n - truths) * (n * n - decisions))))
    terms = (
        Term("right", right, "records predicted correctly"),
        Term("N", n, "records tested"),
        Term("t·s", both, "sum over the classes of actual times predicted records"),
        Term("t²", truths, "sum over the classes of squared actual records"),
        Term("s²", decisions, "sum over the classes of squared predicted records"),
    )
    formula = "({right}·{N} − {t·s}) / √(({N}² − {t²}) · ({N}² − {s²}))"
    return FormulaWorking("MCC", formula, terms, value, source="Matthews 1975, Gorodkin 2004")


def kappa(matrix: FloatArray) -> FormulaWorking:
    """Cohen's kappa; undefined if the expected agreement is 1."""
    return _kappa(float(np.trace(matrix)), float(matrix.sum()), float(matrix.sum(axis=0) @ matrix.sum(axis=1)))


def binary_kappa(counts: BinaryCounts) -> FormulaWorking:
    """Cohen's kappa of one class against the rest."""
    tp, fn, fp, tn = counts.tp, counts.fn, counts.fp, counts.tn
    return _kappa(tp + tn, tp + fn + fp + tn, (tp + fp) * (tp + fn) + (fn + tn) * (fp + tn))


def _kappa(right: float, total: float, products: float) -> FormulaWorking:
    """Kappa from correct weight, total weight, and the sum over classes of predicted times true weight."""
    agreed = ratio(right, total)
    chance = products / total**2 if total else None
    value = None if agreed is None or chance is None else ratio(agreed - chance, 1 - chance)
    terms = (
        Term("accuracy", agreed, "share predicted correctly"),
        Term("chance", chance, "expected agreement by chance"),
    )
    return FormulaWorking("Kappa", "({accuracy} − {chance}) / (1 − {chance})", terms, value, source="Cohen 1960")


def binary_matthews(counts: BinaryCounts) -> FormulaWorking:
    """Matthews correlation of one class against the rest."""
    tp, fn, fp, tn = counts.tp, counts.fn, counts.fp, counts.tn
    value = ratio(tp * tn - fp * fn, math.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))
    formula = "({TP}·{TN} − {FP}·{FN}) / √(({TP} + {FP})·({TP} + {FN})·({TN} + {FP})·({TN} + {FN}))"
    return FormulaWorking("MCC", formula, counts.terms("TP", "TN", "FP", "FN"), value, source="Matthews 1975")


def matthews_of_many(matrices: Matrices) -> FloatArray:
    """MCC of each confusion matrix (p,); NaN if undefined."""
    n, true, predicted = matrices.total, matrices.cells.sum(axis=2), matrices.cells.sum(axis=1)
    rest = (n * n - (true * true).sum(axis=1)) * (n * n - (predicted * predicted).sum(axis=1))
    return ratios(matrices.right * n - matrices.products, np.sqrt(np.maximum(0.0, rest)))


def kappa_of_many(matrices: Matrices) -> FloatArray:
    """Kappa of each confusion matrix (p,); NaN if the expected agreement is 1."""
    agreed, chance = ratios(matrices.right, matrices.total), ratios(matrices.products, matrices.total**2)
    return ratios(agreed - chance, 1 - chance)


def accuracy_working(report: Report) -> FormulaWorking:
    """Worked formula of the accuracy, or of the method's own estimate."""
    return measure_workings.accuracy(report.confusion) if report.estimate is None else report.estimate.accuracy


def interval_workings(report: Report) -> tuple[FormulaWorking, FormulaWorking]:
    """Worked bounds of the 95% interval of the accuracy."""
    return interval_bounds(report.accuracy, report.n_effective, fewer=report.n_kish is not None)


def _error_working(given: MeasureInput) -> FormulaWorking:
    if given.report.estimate is not None:  # an estimate is not a proportion of the tested records
        return measure_workings.one_minus_accuracy(given.report.accuracy)
    return measure_workings.error_rate(given.report.confusion)


def _baseline_working(given: MeasureInput) -> FormulaWorking:
    report = given.report
    code = report.classes.index(report.baseline_class)
    return measure_workings.baseline(report.confusion, code, report.baseline_class)


ACCURACY: Final = Measure(
    "accuracy",
    "Accuracy",
    "The share of tested records whose predicted class is the actual one.",
    lambda given: accuracy_working(given.report),
    section=Section.HEADLINE,
    unit=Unit.PERCENT,
    symbol="accuracy",
    term="accuracy",
    interval=MeasureInterval(
        "95% CI of accuracy",
        lambda given: Bounds(*given.report.interval, lambda: interval_workings(given.report)),
        key="interval",
        sentence="95 of 100 such intervals contain the true value.",
    ),
    curve=lambda matrices, _costs, _beta: ratios(matrices.right, matrices.total),
    permutation=PermutationWords("accuracy (%)", "accuracy is {}", Unit.PERCENT),
    reported=lambda report: report.accuracy,
)
BASELINE: Final = Measure(
    "baseline",
    "Baseline",
    whole=_baseline_working,
    section=Section.HEADLINE,
    unit=Unit.PERCENT,
    key="",
    title=lambda given: (
        f"Baseline (always {shortened(given.report.baseline_class, LONGEST_GUESS, given.report.classes)})"
    ),
    explain=lambda given, _code: (
        f"The accuracy of always predicting the most frequent class, {given.report.baseline_class}."
    ),
    reported=lambda report: report.baseline_accuracy,
)
KAPPA: Final = Measure(
    "kappa",
    "Kappa",
    whole=lambda given: kappa(given.report.confusion),
    section=Section.HEADLINE,
    term="kappa",
    worst=-1.0,
    chance=0.0,
    interval=MeasureInterval(
        "95% CI of kappa",
        lambda given: None if given.report.drawn is None else Bounds.of(given.report.drawn.kappa, "Kappa"),
        key="kappa_interval",
        is_drawn=drawn_later,
    ),
    curve=lambda matrices, _costs, _beta: kappa_of_many(matrices),
    permutation=PermutationWords("kappa", "kappa is {}"),
    glossary="kappa",
)
CLASS_KAPPA: Final = Measure(
    "class-kappa",
    "Kappa, one-vs-rest",
    "Agreement beyond chance on whether a record is of the class.",
    of_class=lambda given, code: binary_kappa(given.report.per_class[code].counts),
    worst=-1.0,
    chance=0.0,
    class_keys=("kappa",),
)
ERROR_RATE: Final = Measure(
    "error-rate",
    "Error rate",
    "The share of tested records whose predicted class is not the actual one: 1 − accuracy.",
    _error_working,
    section=Section.ERRORS,
    unit=Unit.PERCENT,
    worst=1.0,
    best=0.0,
    reported=lambda report: report.error_rate,
)
MCC: Final = Measure(
    "mcc",
    "MCC",
    "Matthews correlation of predicted and actual class; 1 is perfect, 0 is chance.",
    lambda given: matthews(given.report.confusion),
    section=Section.ERRORS,
    worst=-1.0,
    chance=0.0,
    curve=lambda matrices, _costs, _beta: matthews_of_many(matrices),
    permutation=PermutationWords("MCC", "MCC is {}"),
)
CLASS_MCC: Final = Measure(
    "class-mcc",
    "MCC, one-vs-rest",
    "Correlation of actual and predicted membership of the class.",
    of_class=lambda given, code: binary_matthews(given.report.per_class[code].counts),
    worst=-1.0,
    chance=0.0,
    class_keys=("mcc",),
)
TOP_2_ACCURACY: Final = Measure(
    "top-2-accuracy",
    "Top-2 accuracy",
    "Share of records whose class is one of the two most probable ones.",
    lambda given: measure_workings.in_two_guesses(given.report.in_two, given.report.confusion),
    unit=Unit.PERCENT,
    applies=lambda given: given.report.in_two is not None,
)


OF_ALL: Final = "Under All: the mean over the classes, one-vs-rest, weighted by records (Weka's weighted average)."
USUAL_BETAS: Final = (0.5, 1.0, 2.0)
"""Values of beta for which F has its own row."""

_AVERAGED: Final = partial(Measure, is_averaged=True)
_AVERAGED_SHARE: Final = partial(_AVERAGED, unit=Unit.PERCENT)


def of_counts(compute: Callable[[BinaryCounts], FormulaWorking]) -> Callable[[MeasureInput, int], FormulaWorking]:
    """A measure of one class, computed from its counts."""
    return lambda given, code: compute(given.report.per_class[code].counts)


def averages_explained(_given: MeasureInput, _code: int) -> str:
    """The explanation of the column All."""
    return OF_ALL


def _most_frequent(compute: Callable[[BinaryCounts], FormulaWorking]) -> Callable[[MeasureInput, int], str]:
    """An explanation that adds the value of the most frequent class, which dominates the average."""

    def explain(given: MeasureInput, _code: int) -> str:
        largest = max(given.report.per_class, key=lambda metrics: metrics.n)
        value = percent(compute(largest.counts).value)
        return f"{OF_ALL} The most frequent class, {largest.label}, dominates it: {value}."

    return explain


def balanced_accuracy(report: Report) -> FormulaWorking:
    """Mean recall of the tested classes, unweighted."""
    return plain_average("Recall", "recall", [(c.label, c.n, c.recall) for c in report.per_class])


def g_mean(report: Report) -> FormulaWorking:
    """Geometric mean of the recalls of the tested classes."""
    return geometric_average("Recall", "recall", [(c.label, c.n, c.recall) for c in report.per_class])


RECALL: Final = _AVERAGED_SHARE(
    "recall",
    "Recall (TPR)",
    "Share of the records of class {class} that are predicted {class}.",
    of_class=of_counts(BinaryCounts.recall),
    section=Section.CLASSES,
    symbol="recall",
    average_name="Recall",
    curve=lambda matrices, _costs, _beta: matrices.recall,
    curve_name="Recall",
    column=ClassColumn("Recall", "Share of the records of the class that are predicted as such (TPR)"),
    class_keys=("recall", "tpr"),
    explain=averages_explained,
)
PRECISION: Final = _AVERAGED_SHARE(
    "precision",
    "Precision",
    "Share of the records predicted {class} that are of class {class}.",
    of_class=of_counts(BinaryCounts.precision),
    section=Section.CLASSES,
    symbol="precision",
    average_name="Precision",
    curve=lambda matrices, _costs, _beta: matrices.precision,
    column=ClassColumn("Precision", "Share of the records predicted as the class that are of it (PPV)"),
    explain=averages_explained,
)
F: Final = _AVERAGED(
    "f",
    "F",
    of_class=of_counts(BinaryCounts.f_measure),
    section=Section.CLASSES,
    quantity="F",
    interval=MeasureInterval(
        "95% CI of F",
        lambda given: None if given.report.drawn is None else Bounds.of(given.report.drawn.mean_f, "F"),
        lambda given, code: None if given.report.drawn is None else Bounds.of(given.report.drawn.f[code], "F"),
        "f_interval",
        is_drawn=drawn_later,
    ),
    curve=lambda matrices, _costs, beta: matrices.f_measure(beta),
    curve_name="F-measure",
    column=ClassColumn("F", ""),
    glossary="F",
    explain=averages_explained,
)
FALSE_ALARMS: Final = _AVERAGED_SHARE(
    "false-alarms",
    "FPR",
    "False positive rate: share of the records that are not of class {class} but are predicted {class}.",
    of_class=of_counts(BinaryCounts.false_positive_rate),
    section=Section.CLASSES,
    symbol="FPR",
    worst=1.0,
    best=0.0,
    average_name="False positive rate",
    quantity="rate",
    curve=lambda matrices, _costs, _beta: 1 - matrices.specificity,
    column=ClassColumn(
        "FPR", "False positive rate: share of the records of other classes that are predicted as this one"
    ),
    class_keys=("fpr",),
    explain=_most_frequent(BinaryCounts.false_positive_rate),
)
SPECIFICITY: Final = _AVERAGED_SHARE(
    "specificity",
    "Specificity (TNR)",
    "Share of the records that are not of class {class} and are not predicted {class}.",
    of_class=of_counts(BinaryCounts.specificity),
    section=Section.SPECIAL,
    average_name="Specificity",
    curve=lambda matrices, _costs, _beta: matrices.specificity,
    curve_name="Specificity",
    explain=_most_frequent(BinaryCounts.specificity),
)
F2: Final = _AVERAGED(
    "f2",
    "F2",
    "As F, with recall weighted twice as much as precision.",
    of_class=of_counts(lambda counts: counts.f_measure(2)),
    section=Section.SPECIAL,
)
F05: Final = _AVERAGED(
    "f05",
    "F0.5",
    "As F, with precision weighted twice as much as recall.",
    of_class=of_counts(lambda counts: counts.f_measure(0.5)),
    section=Section.SPECIAL,
)
BALANCED_ACCURACY: Final = Measure(
    "balanced-accuracy",
    "Balanced accuracy",
    "Mean recall of the classes: rare classes count as much as frequent ones.",
    lambda given: balanced_accuracy(given.report),
    of_counts(BinaryCounts.balanced_accuracy),
    Section.SPECIAL,
    unit=Unit.PERCENT,
    term="balanced accuracy",
    curve=lambda matrices, _costs, _beta: (matrices.recall + matrices.specificity) / 2,
    permutation=PermutationWords("balanced accuracy", "balanced accuracy is {}"),
)
G_MEAN: Final = Measure(
    "g-mean",
    "G-mean",
    "Geometric mean of the recalls; 0 if one class is never predicted correctly.",
    lambda given: g_mean(given.report),
    of_counts(BinaryCounts.g_mean),
    Section.SPECIAL,
    curve=lambda matrices, _costs, _beta: np.sqrt(matrices.recall * matrices.specificity),
)
F_BETA: Final = _AVERAGED(
    "f-beta",
    "F-beta",
    "As F, with recall weighted beta times as much as precision; beta is set under Options.",
    of_class=lambda given, code: given.options.f_measure(given.report.per_class[code].counts),
    title=lambda given: f"F-beta, beta {given.options.beta:g}",
    applies=lambda given: given.options.beta not in USUAL_BETAS,
)
WEIGHTED_ACCURACY: Final = _AVERAGED_SHARE(
    "weighted-accuracy",
    "Weighted accuracy",
    "Share of correct predictions, each TP, FP, FN and TN counted as set under Options.",
    of_class=lambda given, code: given.options.weighted_accuracy(given.report.per_class[code].counts),
)
MISS_RATE: Final = _AVERAGED_SHARE(
    "miss-rate",
    "FNR",
    "False negative rate: share of the records of class {class} that are not predicted {class}.",
    of_class=of_counts(BinaryCounts.miss_rate),
    worst=1.0,
    best=0.0,
)
NEGATIVE_PREDICTIVE_VALUE: Final = _AVERAGED_SHARE(
    "negative-predictive-value",
    "NPV",
    "Negative predictive value: share of the records not predicted {class} that are not of class {class}.",
    of_class=of_counts(BinaryCounts.negative_predictive_value),
)
JACCARD: Final = _AVERAGED(
    "jaccard",
    "Jaccard",
    "True positives as a share of the records that are or are predicted as the class.",
    of_class=of_counts(BinaryCounts.jaccard),
)
INFORMEDNESS: Final = _AVERAGED(
    "informedness",
    "Informedness (Youden's J)",
    "Recall + specificity − 1: 0 is chance, 1 is perfect.",
    of_class=of_counts(BinaryCounts.informedness),
    worst=-1.0,
    chance=0.0,
)
LIKELIHOOD_RATIO: Final = Measure(
    "likelihood-ratio",
    "LR+",
    "Positive likelihood ratio: recall / FPR.",
    of_class=of_counts(BinaryCounts.likelihood_ratio),
    unit=Unit.RATIO,
    best=np.inf,
    chance=1.0,
)
NEGATIVE_LIKELIHOOD_RATIO: Final = Measure(
    "negative-likelihood-ratio",
    "LR−",
    "Negative likelihood ratio: FNR / specificity; 0 is perfect.",
    of_class=of_counts(BinaryCounts.negative_likelihood_ratio),
    unit=Unit.RATIO,
    worst=np.inf,
    best=0.0,
    chance=1.0,
)
