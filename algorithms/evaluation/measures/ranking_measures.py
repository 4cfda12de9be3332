"""Measures of the ranking by probability: areas under the ROC and the precision-recall curve."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Final

from algorithms.core.scores import FormulaWorking, Term
from algorithms.evaluation.measures.class_rates import averages_explained
from algorithms.evaluation.measures.measure import (
    Basis,
    Bounds,
    ClassColumn,
    Measure,
    MeasureInterval,
    PermutationWords,
    Section,
)
from algorithms.evaluation.measures.measure_workings import MOST_CLASSES, average_of, plain_average, weighted_average
from algorithms.evaluation.measures.metrics import Report


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
        Term("Σ areas", areas, "between neighbouring thresholds, counted in records found"),
        Term("of it", n, "records of the class"),
    )
    source = "Davis and Goadrich 2006"
    return FormulaWorking("PR area, interpolated", "{Σ areas} / {of it}", terms, value, source=source)


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
        "95% interval of AUC",
        lambda given: Bounds.of(given.report.auc_interval, "AUC"),
        lambda given, code: Bounds.of(given.report.per_class[code].auc_interval, "AUC"),
        "auc_interval",
    ),
    column=ClassColumn("AUC", ""),
    permutation=PermutationWords("AUC", "its AUC is {}"),
    glossary="AUC",
    explain=averages_explained,
)
MACRO_AUC: Final = _MEASURE(
    "auc-macro",
    "AUC, every class alike",
    "The average of the classes' areas, one against the rest, however rare a class is (macro average).",
    lambda given: macro_auc(given.report),
    section=Section.SPECIAL,
    chance=0.5,
)
PR_AREA: Final = _MEASURE(
    "pr-area",
    "PR area",
    "The area under precision over recall (average precision); guessing gets the share of the class.",
    lambda given: pr_area(given.report),
    lambda given, code: given.report.per_class[code].pairs.average_precision(),
    Section.SPECIAL,
    interval=MeasureInterval(
        "95% interval of PR area",
        lambda given: Bounds.of(given.report.pr_area_interval, "PR area"),
        lambda given, code: Bounds.of(given.report.per_class[code].pr_area_interval, "PR area"),
        "pr_area_interval",
    ),
)
ONE_VS_ONE_AUC: Final = _MEASURE(
    "auc-one-vs-one",
    "AUC, class against class",
    "The average over every two classes of how well they are told apart (Hand and Till).",
    lambda given: auc_one_vs_one(given.report),
    chance=0.5,
)
MACRO_PR_AREA: Final = _MEASURE(
    "pr-area-macro",
    "PR area, every class alike",
    "The average of the classes' areas under precision over recall (macro average).",
    lambda given: macro_pr_area(given.report),
)
INTERPOLATED_PR_AREA: Final = _MEASURE(
    "pr-area-interpolated",
    "PR area, interpolated",
    "The area under precision over recall as it bends between the thresholds (Davis and Goadrich).",
    lambda given: interpolated_pr_area(given.report),
    lambda given, code: class_interpolated_pr_area(given.report, code),
)
