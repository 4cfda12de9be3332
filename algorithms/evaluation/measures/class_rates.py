"""Measures of one class against the rest, and their averages: recall, precision, F, specificity and others."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

import numpy as np

from algorithms.core.scores import FormulaWorking
from algorithms.evaluation.measures.confusion_counts import BinaryCounts
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
from algorithms.text.numbers import in_100

OF_ALL: Final = (
    "Under All: the mean over the classes, each against all others, weighted by its number of records (Weka's weighted "
    "average)."
)
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
        value = in_100(compute(largest.counts).value)
        return f"{OF_ALL} Most of it is that of the most frequent class, {largest.label}: {value}."

    return explain


def balanced_accuracy(report: Report) -> FormulaWorking:
    """Mean recall of the tested classes, unweighted."""
    return plain_average("Recall", "recall", [(c.label, c.n, c.recall) for c in report.per_class])


def g_mean(report: Report) -> FormulaWorking:
    """Geometric mean of the recalls of the tested classes."""
    return geometric_average("Recall", "recall", [(c.label, c.n, c.recall) for c in report.per_class])


RECALL: Final = _AVERAGED_SHARE(
    "recall",
    "Found (recall, TPR)",
    "Of the records that are {class}, how many in 100 were said to be.",
    of_class=of_counts(BinaryCounts.recall),
    section=Section.CLASSES,
    symbol="recall",
    average_name="Recall",
    curve=lambda matrices, _costs, _beta: matrices.recall,
    curve_name="Found (recall)",
    column=ClassColumn(
        "Found", "Of its records, how many in 100 were said to be of the class (recall, true positive rate)"
    ),
    class_keys=("recall", "tpr"),
    explain=averages_explained,
)
PRECISION: Final = _AVERAGED_SHARE(
    "precision",
    "Sure (precision)",
    "Of the records said to be {class}, how many in 100 really are.",
    of_class=of_counts(BinaryCounts.precision),
    section=Section.CLASSES,
    symbol="precision",
    average_name="Precision",
    curve=lambda matrices, _costs, _beta: matrices.precision,
    column=ClassColumn("Sure", "Of those said to be of the class, how many in 100 are (precision)"),
    explain=averages_explained,
)
F: Final = _AVERAGED(
    "f",
    "F",
    of_class=of_counts(BinaryCounts.f_measure),
    section=Section.CLASSES,
    quantity="F",
    interval=MeasureInterval(
        "95% interval of F",
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
    "False alarms (FPR)",
    "Of the records that are not {class}, how many in 100 were said to be.",
    of_class=of_counts(BinaryCounts.false_positive_rate),
    section=Section.CLASSES,
    symbol="FPR",
    worst=1.0,
    best=0.0,
    average_name="False positive rate",
    quantity="rate",
    curve=lambda matrices, _costs, _beta: 1 - matrices.specificity,
    column=ClassColumn(
        "Alarms",
        "Of the other classes' records, how many in 100 were said to be of this one (false positive rate, FPR)",
    ),
    class_keys=("fpr",),
    explain=_most_frequent(BinaryCounts.false_positive_rate),
)
SPECIFICITY: Final = _AVERAGED_SHARE(
    "specificity",
    "Cleared (specificity, TNR)",
    "Of the records that are not {class}, how many in 100 were not said to be.",
    of_class=of_counts(BinaryCounts.specificity),
    section=Section.SPECIAL,
    average_name="Specificity",
    curve=lambda matrices, _costs, _beta: matrices.specificity,
    curve_name="Cleared (specificity)",
    explain=_most_frequent(BinaryCounts.specificity),
)
F2: Final = _AVERAGED(
    "f2",
    "F2",
    "As F, but found counts twice as much as sure: where missing one is worse than a false alarm.",
    of_class=of_counts(lambda counts: counts.f_measure(2)),
    section=Section.SPECIAL,
)
F05: Final = _AVERAGED(
    "f05",
    "F0.5",
    "As F, but sure counts twice as much as found: where a false alarm is worse than missing one.",
    of_class=of_counts(lambda counts: counts.f_measure(0.5)),
    section=Section.SPECIAL,
)
BALANCED_ACCURACY: Final = Measure(
    "balanced-accuracy",
    "Balanced accuracy",
    "The average of what is found of each class: rare classes count as much as frequent ones.",
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
    "The geometric mean of what is found of each class; 0 where one class is never found.",
    lambda given: g_mean(given.report),
    of_counts(BinaryCounts.g_mean),
    Section.SPECIAL,
    curve=lambda matrices, _costs, _beta: np.sqrt(matrices.recall * matrices.specificity),
)
F_BETA: Final = _AVERAGED(
    "f-beta",
    "F of beta",
    "As F, but found counts so many times as much as sure; beta is chosen under Options.",
    of_class=lambda given, code: given.options.f_measure(given.report.per_class[code].counts),
    title=lambda given: f"F of beta {given.options.beta:g}",
    applies=lambda given: given.options.beta not in USUAL_BETAS,
)
WEIGHTED_ACCURACY: Final = _AVERAGED_SHARE(
    "weighted-accuracy",
    "Weighted accuracy",
    "The share of right decisions, where each kind of decision counts as often as chosen under Options.",
    of_class=lambda given, code: given.options.weighted_accuracy(given.report.per_class[code].counts),
)
MISS_RATE: Final = _AVERAGED_SHARE(
    "miss-rate",
    "Missed (FNR)",
    "Of the records that are {class}, how many in 100 were not said to be.",
    of_class=of_counts(BinaryCounts.miss_rate),
    worst=1.0,
    best=0.0,
)
NEGATIVE_PREDICTIVE_VALUE: Final = _AVERAGED_SHARE(
    "negative-predictive-value",
    "Rightly cleared (NPV)",
    "Of those not said to be {class}, how many in 100 really are not (negative predictive value).",
    of_class=of_counts(BinaryCounts.negative_predictive_value),
)
JACCARD: Final = _AVERAGED(
    "jaccard",
    "Jaccard",
    "Found, as a share of all that are of the class or said to be.",
    of_class=of_counts(BinaryCounts.jaccard),
)
INFORMEDNESS: Final = _AVERAGED(
    "informedness",
    "Informedness (Youden)",
    "Found plus cleared beyond chance: 0 is guessing, 1 is perfect.",
    of_class=of_counts(BinaryCounts.informedness),
    worst=-1.0,
    chance=0.0,
)
LIKELIHOOD_RATIO: Final = Measure(
    "likelihood-ratio",
    "Likelihood ratio, said",
    "How many times as often a record of the class is said to be of it as another one (LR+).",
    of_class=of_counts(BinaryCounts.likelihood_ratio),
    unit=Unit.RATIO,
    best=np.inf,
    chance=1.0,
)
NEGATIVE_LIKELIHOOD_RATIO: Final = Measure(
    "negative-likelihood-ratio",
    "Likelihood ratio, not said",
    "How many times as often a record of the class is not said to be of it as another (LR−); 0 is perfect.",
    of_class=of_counts(BinaryCounts.negative_likelihood_ratio),
    unit=Unit.RATIO,
    worst=np.inf,
    best=0.0,
    chance=1.0,
)
