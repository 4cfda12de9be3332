"""Everything that can be said of a result at once: its report and the curves of every class, one sort for both."""

from __future__ import annotations

from algorithms.core.context import RunContext
from algorithms.evaluation.class_curves import ClassCurves, curves_of
from algorithms.evaluation.costs import CostMatrix
from algorithms.evaluation.margins import margins
from algorithms.evaluation.metrics import Ranked, Report, ranked_with_intervals, report_by
from algorithms.evaluation.result import EvaluationResult
from algorithms.evaluation.scored import ScoredClass, two_best


def in_full(
    result: EvaluationResult, context: RunContext, costs: CostMatrix | None = None
) -> tuple[Report, tuple[ClassCurves, ...]]:
    """The report and the curves of every class, in code order; classes are dealt with side by side."""
    best = two_best(result.probabilities, context.checkpoint)
    of_all = margins(result, best)

    def of_class(code: int) -> tuple[Ranked, ClassCurves]:
        scored = ScoredClass.of(result, code, context.checkpoint, best)
        points = scored.points()
        context.checkpoint()
        return ranked_with_intervals(result, scored, points), curves_of(scored, points, of_all, context.checkpoint)

    found = context.map(of_class, range(len(result.classes)))
    orders = [order for order, _ in found]
    told = report_by(result, orders, best, costs, checkpoint=context.checkpoint)
    return told, tuple(curves for _, curves in found)
