"""How the headline numbers of a report came about; each leads to the very number in the report."""

from __future__ import annotations

from dataclasses import replace

from algorithms.core.scores import FormulaWorking, Term
from algorithms.evaluation.measures import measure_workings
from algorithms.evaluation.measures.measure_workings import (
    MOST_CLASSES,
    average_of,
    geometric_average,
    plain_average,
    weighted_average,
)
from algorithms.evaluation.measures.metrics import Report


def accuracy(report: Report) -> FormulaWorking:
    """The accuracy: the share on the diagonal, or the method's own estimate."""
    return measure_workings.accuracy(report.confusion) if report.estimate is None else report.estimate.accuracy


def interval(report: Report) -> tuple[FormulaWorking, FormulaWorking]:
    """Both ends of its 95% interval."""
    return measure_workings.interval_bounds(report.accuracy, report.n_effective, fewer=report.n_kish is not None)


def auc(report: Report) -> FormulaWorking:
    """The classes' areas under the ROC curve, by their records; a class without an area is left out."""
    return weighted_average("AUC", "AUC", [(c.label, c.n, c.auc) for c in report.per_class if c.auc is not None])


def macro_auc(report: Report) -> FormulaWorking:
    """The classes' areas under the ROC curve, every class counting the same; one without an area is left out."""
    return plain_average("AUC", "AUC", [(c.label, c.n, c.auc) for c in report.per_class if c.auc is not None])


def balanced_accuracy(report: Report) -> FormulaWorking:
    """Mean recall of the classes that were tested: every class counts the same, however rare."""
    return plain_average("Recall", "recall", [(c.label, c.n, c.recall) for c in report.per_class])


def g_mean(report: Report) -> FormulaWorking:
    """Geometric mean of the recalls of the classes that were tested."""
    return geometric_average("Recall", "recall", [(c.label, c.n, c.recall) for c in report.per_class])


def auc_one_vs_one(report: Report) -> FormulaWorking:
    """The mean over every two classes of how well they are told apart (Hand and Till 2001), each pair the same."""
    labels = [f"{a} and {b}" for a, b, _ in report.against[:MOST_CLASSES]]
    working = average_of("AUC", "area", labels, [pair[-1] for pair in report.against])
    terms = tuple(replace(t, meaning="pairs of classes") if t.symbol == "classes" else t for t in working.terms)
    return replace(working, terms=terms, source="Hand and Till 2001")


def macro_pr_area(report: Report) -> FormulaWorking:
    """The classes' areas under the precision-recall curve, every class counting the same."""
    return plain_average("PR area", "PR area", [(c.label, c.n, c.pr_area) for c in report.per_class])


def interpolated_pr_area(report: Report) -> FormulaWorking:
    """The classes' areas under the interpolated precision-recall curve (Davis and Goadrich 2006), by their records."""
    areas = [(c.label, c.n, c.pr_area_interpolated) for c in report.per_class]
    return replace(weighted_average("PR area", "PR area", areas), source="Davis and Goadrich 2006")


def class_interpolated_pr_area(report: Report, code: int) -> FormulaWorking:
    """The area under one class's interpolated precision-recall curve: the sum of those between its thresholds."""
    each = report.per_class[code]
    total = None if each.pr_area_interpolated is None else each.pr_area_interpolated * each.n
    terms = (
        Term("Σ areas", total, "between neighbouring thresholds, counted in records found"),
        Term("of it", each.n, "records of the class"),
    )
    value = each.pr_area_interpolated
    return FormulaWorking(
        "PR area, interpolated", "{Σ areas} / {of it}", terms, value, source="Davis and Goadrich 2006"
    )


def pr_area(report: Report) -> FormulaWorking:
    """The classes' areas under the precision-recall curve, by their records."""
    return weighted_average("PR area", "PR area", [(c.label, c.n, c.pr_area) for c in report.per_class])
