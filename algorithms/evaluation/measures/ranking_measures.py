"""Measures of the probabilities, and of the ranking by them: areas under ROC and precision-recall curves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np

from algorithms.core.scores import FormulaWorking, Term
from algorithms.evaluation.measures.class_rates import averages_explained
from algorithms.evaluation.measures.measure import (
    Basis,
    Bounds,
    ClassColumn,
    Measure,
    MeasureInput,
    MeasureInterval,
    PermutationWords,
    Section,
    Unit,
)
from algorithms.evaluation.measures.measure_workings import MOST_CLASSES, average_of, plain_average, weighted_average
from algorithms.evaluation.measures.metrics import ProbabilityScores, Report


def weighted_auc_working(report: Report) -> FormulaWorking:
    """Mean AUC of the classes, weighted by records; classes without an AUC are omitted."""
    return weighted_average("AUC", "AUC", [(c.label, c.n, c.auc) for c in report.per_class if c.auc is not None])


def macro_auc(report: Report) -> FormulaWorking:
    """Unweighted mean AUC of the classes; classes without an AUC are omitted."""
    return plain_average("AUC", "AUC", [(c.label, c.n, c.auc) for c in report.per_class if c.auc is not None])


def auc_one_vs_one(report: Report) -> FormulaWorking:
    """Unweighted mean of the pairwise AUC of all classes (Hand and Till 2001)."""
    labels = [f"{a} and {b}" for a, b, _ in report.against[:MOST_CLASSES]]
    working = average_of("AUC", "area", labels, [pair[-1] for pair in report.against])
    terms = tuple(replace(t, meaning="pairs of classes") if t.symbol == "classes" else t for t in working.terms)
    return replace(working, terms=terms, source="Hand and Till 2001")


def pr_area(report: Report) -> FormulaWorking:
    """Mean area under the precision-recall curve, weighted by records."""
    return weighted_average("PR area", "PR area", [(c.label, c.n, c.pr_area) for c in report.per_class])


def macro_pr_area(report: Report) -> FormulaWorking:
    """Unweighted mean area under the precision-recall curve."""
    return plain_average("PR area", "PR area", [(c.label, c.n, c.pr_area) for c in report.per_class])


def interpolated_pr_area(report: Report) -> FormulaWorking:
    """Mean interpolated area under the precision-recall curve (Davis and Goadrich 2006), weighted by records."""
    areas = [(c.label, c.n, c.pr_area_interpolated) for c in report.per_class]
    return replace(weighted_average("PR area", "PR area", areas), source="Davis and Goadrich 2006")


def class_interpolated_pr_area(report: Report, code: int) -> FormulaWorking:
    """Interpolated area under a class's precision-recall curve, summed between its thresholds."""
    value, n = report.per_class[code].pr_area_interpolated, report.per_class[code].n
    areas = None if value is None else value * n
    terms = (
        Term("Σ areas", areas, "between neighbouring thresholds, in true positives"),
        Term("of it", n, "records of the class"),
    )
    source = "Davis and Goadrich 2006"
    return FormulaWorking("PR area, interpolated", "{Σ areas} / {of it}", terms, value, source=source)


def auc_name(report: Report) -> str:
    """The name of ``report.auc`` wherever it stands alone; of two classes both have the same AUC."""
    return "AUC, weighted" if len(report.classes) > 2 else "AUC"


_MEASURE: Final = partial(Measure, basis=Basis.RANKING)
AUC: Final = _MEASURE(
    "auc",
    "AUC",
    whole=lambda given: weighted_auc_working(given.report),
    of_class=lambda given, code: given.report.per_class[code].pairs.working(),
    section=Section.CLASSES,
    chance=0.5,
    quantity="AUC",
    interval=MeasureInterval(
        "95% CI of AUC",
        lambda given: Bounds.of(given.report.auc_interval, "AUC"),
        lambda given, code: Bounds.of(given.report.per_class[code].auc_interval, "AUC"),
        "auc_interval",
    ),
    column=ClassColumn("AUC", ""),
    permutation=PermutationWords("AUC", "AUC is {}"),
    glossary="AUC",
    explain=averages_explained,
)
MACRO_AUC: Final = _MEASURE(
    "auc-macro",
    "AUC, macro",
    "Unweighted mean of the one-vs-rest AUC of the classes.",
    lambda given: macro_auc(given.report),
    section=Section.SPECIAL,
    chance=0.5,
)
PR_AREA: Final = _MEASURE(
    "pr-area",
    "PR area",
    "Area under the precision-recall curve (average precision); the baseline is the share of the class.",
    lambda given: pr_area(given.report),
    lambda given, code: given.report.per_class[code].pairs.average_precision(),
    Section.SPECIAL,
    interval=MeasureInterval(
        "95% CI of PR area",
        lambda given: Bounds.of(given.report.pr_area_interval, "PR area"),
        lambda given, code: Bounds.of(given.report.per_class[code].pr_area_interval, "PR area"),
        "pr_area_interval",
    ),
)
ONE_VS_ONE_AUC: Final = _MEASURE(
    "auc-one-vs-one",
    "AUC, one-vs-one",
    "Mean AUC over all pairs of classes (Hand and Till).",
    lambda given: auc_one_vs_one(given.report),
    chance=0.5,
)
MACRO_PR_AREA: Final = _MEASURE(
    "pr-area-macro",
    "PR area, macro",
    "Unweighted mean of the PR areas of the classes.",
    lambda given: macro_pr_area(given.report),
)
INTERPOLATED_PR_AREA: Final = _MEASURE(
    "pr-area-interpolated",
    "PR area, interpolated",
    "Area under precision against recall as it bends between thresholds (Davis and Goadrich).",
    lambda given: interpolated_pr_area(given.report),
    lambda given, code: class_interpolated_pr_area(given.report, code),
)


def _of(compute: Callable[[ProbabilityScores], FormulaWorking]) -> Callable[[MeasureInput], FormulaWorking]:
    return lambda given: compute(given.report.probability)


_LOSS: Final = partial(Measure, basis=Basis.PROBABILITIES, best=0.0)
_GAIN: Final = partial(Measure, basis=Basis.PROBABILITIES, worst=-np.inf, chance=0.0)
LOG_LOSS: Final = _LOSS(
    "log-loss",
    "Log loss",
    "Mean −ln p of the probability p of the true class; confident errors count most. 0 is perfect.",
    _of(ProbabilityScores.log_loss),
    section=Section.ERRORS,
    worst=np.inf,
)
BRIER: Final = _LOSS(
    "brier",
    "Brier score",
    "Mean squared error of the probabilities; 0 is perfect. Under All summed over classes, at most 2; for one class at "
    "most 1.",
    _of(ProbabilityScores.brier),
    lambda given, code: given.report.probability.class_brier(code),
    Section.ERRORS,
    worst=2.0,
)
INFORMATION: Final = _GAIN(
    "information",
    "Information (bits)",
    "What the probabilities add to the class priors, per record (Kononenko and Bratko).",
    _of(ProbabilityScores.information),
    section=Section.SPECIAL,
    unit=Unit.BITS,
    best=np.inf,
)
RELATIVE_INFORMATION: Final = _GAIN(
    "relative-information",
    "Relative information",
    "Kononenko and Bratko's score divided by the entropy of the class: 0 to 1.",
    _of(ProbabilityScores.relative_information),
    section=Section.SPECIAL,
)
ABSOLUTE_ERROR: Final = _LOSS(
    "mean-absolute-error",
    "Mean absolute error",
    "Average distance of the probabilities from 1 for the true class and 0 for the others (MAE, as in Weka).",
    _of(ProbabilityScores.absolute_error),
    lambda given, code: given.report.probability.class_absolute_error(code),
    worst=1.0,
)
ROOT_SQUARED_ERROR: Final = _LOSS(
    "root-mean-squared-error",
    "Root mean squared error",
    "Quadratic average of the distances of the probabilities from 1 for the true class and 0 for the others (as in "
    "Weka).",
    _of(ProbabilityScores.root_squared_error),
    worst=1.0,
)
RELATIVE_ABSOLUTE_ERROR: Final = _LOSS(
    "relative-absolute-error",
    "Relative absolute error",
    "MAE in percent of that of the class priors (RAE); below 100% is better.",
    _of(ProbabilityScores.relative_absolute_error),
    unit=Unit.PERCENT,
    worst=np.inf,
    chance=1.0,
)
ROOT_RELATIVE_SQUARED_ERROR: Final = _LOSS(
    "root-relative-squared-error",
    "Root relative squared error",
    "RMSE in percent of that of the class priors (RRSE); below 100% is better.",
    _of(ProbabilityScores.root_relative_squared_error),
    unit=Unit.PERCENT,
    worst=np.inf,
    chance=1.0,
)
EXPLAINED_LOG_LOSS: Final = _GAIN(
    "d2-log-loss",
    "D² (log loss)",
    "Share of the log loss of the class priors that the model removes; 1 is perfect.",
    _of(ProbabilityScores.explained_log_loss),
)
EXPLAINED_BRIER: Final = _GAIN(
    "d2-brier",
    "Brier skill score",
    "Share of the loss of the class priors that the model removes; 1 is perfect.",
    _of(ProbabilityScores.explained_brier),
)
BITS_SAVED: Final = _GAIN(
    "bits-saved",
    "Bits saved",
    "How much shorter the classes are coded with the probabilities (Weka: complexity improvement).",
    _of(ProbabilityScores.bits_saved),
    unit=Unit.BITS,
    best=np.inf,
)
