"""Deciding for a class from a threshold of its probability on: the decisions, and a report of them."""

from __future__ import annotations

from dataclasses import replace

from algorithms.core.columns import FloatArray
from algorithms.core.learner import Codes
from algorithms.core.thresholds import at_threshold
from algorithms.evaluation import workings
from algorithms.evaluation.intervals import is_quick, matrix_intervals
from algorithms.evaluation.metrics import Report, accuracy, accuracy_interval, class_metrics, kappa
from algorithms.evaluation.result import EvaluationResult


def decisions_at(result: EvaluationResult, code: int, threshold: float) -> Codes:
    """Class ``code`` where its probability reaches the threshold, the most probable of the others elsewhere (m,)."""
    return at_threshold(result.probabilities, code, threshold)


def decided_otherwise(report: Report, matrix: FloatArray) -> Report:
    """The report with the decisions counted in ``matrix`` in place of the model's own.

    What hangs on the probabilities alone (AUC) and the baseline stay. The accuracy is the share on the diagonal, also
    where the method makes an estimate of its own (the bootstraps). The intervals of kappa and F are drawn where that is
    quick, as for two or three classes, and left open else.
    """
    right = accuracy(matrix)
    classes = [
        replace(
            class_metrics(each.label, matrix, code, each.pairs, each.pr_area_interpolated),
            auc_interval=each.auc_interval,
            pr_area_interval=each.pr_area_interval,
        )
        for code, each in enumerate(report.per_class)
    ]
    return replace(
        report,
        accuracy=right,
        error_rate=1 - right,
        interval=accuracy_interval(right, report.n_effective),
        kappa=kappa(matrix),
        confusion=matrix,
        per_class=tuple(classes),
        cost=None,
        at_stake=None,
        mcc=workings.matthews(matrix).value,
        estimate=None,
        drawn=matrix_intervals(matrix, report.n_effective) if is_quick(matrix) else None,
    )
