"""All measures and curves of many predictions, beside scikit-learn: ``python -m tests.benchmarks.measures_and_curves``.

Prints, for 1,000,000 predictions (another number may be given) of two and of ten classes, how long the report of every
measure and the eight curves of every class take together, on one thread and on two, and how long scikit-learn takes for
those of the same definition. Wanted: below 1 s.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.evaluation.costs.cost_matrix import CostMatrix
from algorithms.evaluation.curves import curve_kinds
from algorithms.evaluation.curves.curve_base import ClassCurves, curves_of, margins
from algorithms.evaluation.curves.roc import ORDER, ScoredClass, two_best
from algorithms.evaluation.measures.metrics import RankingMetrics, Report, ranked_with_intervals, report_by
from algorithms.evaluation.result import EvaluationResult
from tests.algorithms.evaluation.results import random_result

REPEATS = 3


def in_full(
    result: EvaluationResult, context: RunContext, costs: CostMatrix | None = None
) -> tuple[Report, tuple[ClassCurves, ...]]:
    """The report and the curves of every class in code order; the classes are computed in parallel."""
    best = two_best(result.probabilities, context.checkpoint)
    of_all = margins(result, best)

    def of_class(code: int) -> tuple[RankingMetrics, ClassCurves]:
        scored = ScoredClass.of(result, code, context.checkpoint, best)
        points = scored.points()
        context.checkpoint()
        return ranked_with_intervals(result, scored, points), curves_of(scored, points, of_all, context.checkpoint)

    by_class = context.map(of_class, range(len(result.classes)))
    orders = [order for order, _ in by_class]
    report = report_by(result, orders, best, costs, checkpoint=context.checkpoint)
    return report, tuple(curves for _, curves in by_class)


def shortest(work: Callable[[], object], repeats: int = REPEATS) -> tuple[float, float]:
    """The shortest of some tries: seconds by the clock, and of the processor."""
    found = []
    for _ in range(repeats):
        clock, own = time.perf_counter(), time.process_time()
        work()
        found.append((time.perf_counter() - clock, time.process_time() - own))
    return min(found)


def everything(result: EvaluationResult, n_threads: int) -> None:
    """The report, and every curve of every class."""
    with thread_pool(max(1, n_threads - 1)) as pool:
        context = RunContext(executor=pool if n_threads > 1 else None)
        _, classes = in_full(result, context)
        for made in classes:
            for kind in curve_kinds.CURVES:
                kind().trace(made)


def by_the_yardstick(result: EvaluationResult) -> None:
    """What scikit-learn has of the same."""
    from sklearn import metrics
    from sklearn.calibration import calibration_curve

    truth, said = result.truth, result.decision
    p = result.probabilities.astype(np.float64)
    p /= p.sum(axis=1, keepdims=True)
    metrics.confusion_matrix(truth, said)
    metrics.precision_recall_fscore_support(truth, said)
    for score in (metrics.accuracy_score, metrics.cohen_kappa_score, metrics.matthews_corrcoef):
        score(truth, said)
    metrics.log_loss(truth, p)
    for code in range(len(result.classes)):
        of_class = truth == code
        metrics.brier_score_loss(of_class, p[:, code])
        metrics.roc_auc_score(of_class, p[:, code])
        metrics.average_precision_score(of_class, p[:, code])
        metrics.roc_curve(of_class, p[:, code])
        metrics.precision_recall_curve(of_class, p[:, code])
        calibration_curve(of_class, p[:, code], n_bins=10)


def main() -> None:
    ensure_compiled((ORDER,), RunContext())
    m = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    for k in (2, 10):
        result = random_result(m, k, digits=None)
        peer, _ = shortest(partial(by_the_yardstick, result), 1)
        for n_threads in (1, 2):
            clock, own = shortest(partial(everything, result, n_threads))
            print(
                f"{m:,} predictions, {k} classes, threads {n_threads}: {clock:.2f} s by the clock, "
                f"{own:.2f} s of the processor; scikit-learn, fewer of them, {peer:.2f} s ({peer / clock:.1f} times)"
            )


if __name__ == "__main__":
    main()
