"""What the learners of a trial cost under the session's costs, so that they are ranked by that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from algorithms.core.errors import DataError
from workbench.runs import Run

if TYPE_CHECKING:
    from algorithms.evaluation.costs import CostMatrix
    from algorithms.evaluation.priced import Priced
    from algorithms.evaluation.ranking import Contender, Ranking
    from workbench.session import Session


@dataclass(frozen=True, eq=False)
class RankedUnder:
    """A ranking with the costs it was made under; None where every mistake counts the same."""

    ranking: Ranking
    costs: CostMatrix | None


def ranked_under(
    session: Session, contenders: Sequence[Contender], runs: Sequence[Run], checkpoint: Callable[[], object]
) -> RankedUnder:
    """In a worker: the contenders, each of the run with its key, ranked under the session's costs as they are
    by now."""
    from algorithms.evaluation.ranking import ranked

    costs = session.costs
    held = [
        replace(each, priced=None if costs is None else _priced(session, runs[each.key], each, costs, checkpoint))
        for each in contenders
    ]
    return RankedUnder(ranked(held), costs)


def _priced(
    session: Session, run: Run, contender: Contender, costs: CostMatrix, checkpoint: Callable[[], object]
) -> Priced | None:
    """None where the costs are not for the classes of a run, or what its records are worth is not known."""
    from algorithms.evaluation.cost_board import Weighing
    from algorithms.evaluation.mean_cost import amounts_of
    from algorithms.evaluation.priced import priced

    result, report = contender.scores.result, contender.report
    if costs.amounts and run.method.needs_test_data:
        return None
    try:
        table = costs.ordered(report.classes)
        amounts = None
        if costs.amounts:
            amounts = amounts_of(result, session.decisions.table_with(run, costs.amounts), costs.amounts)
    except DataError:
        return None
    return priced(Weighing(result, report.confusion, table, amounts, costs.amounts), checkpoint)
