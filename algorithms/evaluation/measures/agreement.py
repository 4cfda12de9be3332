"""Measures of the whole confusion matrix: accuracy, error rate, baseline, top-2 accuracy, kappa and MCC."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from algorithms.core.scores import FormulaWorking, Term, ratio
from algorithms.data.columns import FloatArray
from algorithms.evaluation.measures import measure_workings
from algorithms.evaluation.measures.confusion_counts import BinaryCounts, Matrices, ratios
from algorithms.evaluation.measures.intervals import interval_bounds
from algorithms.evaluation.measures.measure import (
    Bounds,
    Measure,
    MeasureInput,
    MeasureInterval,
    PermutationWords,
    Section,
    Unit,
    drawn_later,
)
from algorithms.evaluation.measures.metrics import Report
from algorithms.text.names import shortened

LONGEST_GUESS: Final = 12
"""Largest number of letters of the baseline class in the narrow column of names."""


def matthews(matrix: FloatArray) -> FormulaWorking:
    """Matthews correlation of true and predicted class, for any number of classes; undefined if either is constant.

    Gorodkin 2004, Comparing two K-category assignments by a K-category correlation coefficient.
    """
    n, right = float(matrix.sum()), float(np.trace(matrix))
    true, decided = matrix.sum(axis=1), matrix.sum(axis=0)
    both, truths, decisions = float(true @ decided), float(true @ true), float(decided @ decided)
    value = ratio(right * n - both, math.sqrt(max(0.0, (n * n - truths) * (n * n - decisions))))
    terms = (
        Term("right", right, "records decided rightly"),
        Term("N", n, "records tested"),
        Term("t·s", both, "sum over the classes of how many are of it times how many were said to be"),
        Term("t²", truths, "sum over the classes of the squares of how many are of it"),
        Term("s²", decisions, "sum over the classes of the squares of how many were said to be"),
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
    terms = (Term("accuracy", agreed, "share decided rightly"), Term("chance", chance, "share that chance would agree"))
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
    "Right (accuracy)",
    "The share of tested records whose predicted class is the actual one.",
    lambda given: accuracy_working(given.report),
    section=Section.HEADLINE,
    unit=Unit.PERCENT,
    symbol="accuracy",
    term="accuracy",
    interval=MeasureInterval(
        "Its 95% interval",
        lambda given: Bounds(*given.report.interval, lambda: interval_workings(given.report)),
        key="interval",
        sentence="Of 100 intervals made like this one, 95 hold the true share.",
    ),
    curve=lambda matrices, _costs, _beta: ratios(matrices.right, matrices.total),
    permutation=PermutationWords("right in 100", "it is right {} times in 100", Unit.PERCENT),
    reported=lambda report: report.accuracy,
)
BASELINE: Final = Measure(
    "baseline",
    "Baseline",
    whole=_baseline_working,
    section=Section.HEADLINE,
    unit=Unit.PERCENT,
    key="",
    title=lambda given: f"Guessing {shortened(given.report.baseline_class, LONGEST_GUESS, given.report.classes)}",
    explain=lambda given, _code: (
        f"What always predicting the most frequent class, {given.report.baseline_class}, would reach: the mark to beat."
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
        "95% interval of Kappa",
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
    "Kappa, class against the rest",
    "Agreement beyond chance on whether it is the class.",
    of_class=lambda given, code: binary_kappa(given.report.per_class[code].counts),
    worst=-1.0,
    chance=0.0,
    class_keys=("kappa",),
)
ERROR_RATE: Final = Measure(
    "error-rate",
    "Wrong (error rate)",
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
    "Matthews' correlation of what was said with what is; 1 is perfect, 0 no better than chance.",
    lambda given: matthews(given.report.confusion),
    section=Section.ERRORS,
    worst=-1.0,
    chance=0.0,
    curve=lambda matrices, _costs, _beta: matthews_of_many(matrices),
    permutation=PermutationWords("MCC", "MCC is {}"),
)
CLASS_MCC: Final = Measure(
    "class-mcc",
    "MCC, class against the rest",
    "Correlation of being of the class with being said so.",
    of_class=lambda given, code: binary_matthews(given.report.per_class[code].counts),
    worst=-1.0,
    chance=0.0,
    class_keys=("mcc",),
)
TOP_2_ACCURACY: Final = Measure(
    "top-2-accuracy",
    "Right in two guesses",
    "How many in 100 records are of one of the two classes thought most probable (top-2 accuracy).",
    lambda given: measure_workings.in_two_guesses(given.report.in_two, given.report.confusion),
    unit=Unit.PERCENT,
    applies=lambda given: given.report.in_two is not None,
)
