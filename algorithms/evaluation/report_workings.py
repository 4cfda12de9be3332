"""How the headline numbers of a report came about; each leads to the very number in the report."""

from __future__ import annotations

from algorithms.core.scores import Working
from algorithms.evaluation import workings
from algorithms.evaluation.averages import geometric_average, plain_average, weighted_average
from algorithms.evaluation.metrics import Report


def accuracy(report: Report) -> Working:
    """The accuracy: the share on the diagonal, or the method's own estimate."""
    return workings.accuracy(report.confusion) if report.estimate is None else report.estimate.accuracy


def interval(report: Report) -> tuple[Working, Working]:
    """Both ends of its 95% interval."""
    return workings.interval_bounds(report.accuracy, report.n)


def auc(report: Report) -> Working:
    """The classes' areas under the ROC curve, by their records; a class without an area is left out."""
    return weighted_average("AUC", "AUC", [(c.label, c.n, c.auc) for c in report.per_class if c.auc is not None])


def macro_auc(report: Report) -> Working:
    """The classes' areas under the ROC curve, every class counting the same; one without an area is left out."""
    return plain_average("AUC", "AUC", [(c.label, c.n, c.auc) for c in report.per_class if c.auc is not None])


def balanced_accuracy(report: Report) -> Working:
    """Mean recall of the classes that were tested: every class counts the same, however rare."""
    return plain_average("Recall", "recall", [(c.label, c.n, c.recall) for c in report.per_class])


def g_mean(report: Report) -> Working:
    """Geometric mean of the recalls of the classes that were tested."""
    return geometric_average("Recall", "recall", [(c.label, c.n, c.recall) for c in report.per_class])


def pr_area(report: Report) -> Working:
    """The classes' areas under the precision-recall curve, by their records."""
    return weighted_average("PR area", "PR area", [(c.label, c.n, c.pr_area) for c in report.per_class])
