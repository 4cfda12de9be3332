"""What the learners of a trial cost under the session's costs, so that they are ranked by that."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from algorithms.core.errors import DataError
from workbench.decisions import table_with
from workbench.runs import Run

if TYPE_CHECKING:
    from algorithms.core.data import Dataset
    from algorithms.evaluation.costs import CostMatrix
    from algorithms.evaluation.priced import Priced
    from algorithms.evaluation.ranking import Contender, Ranking


@dataclass(frozen=True, eq=False)
class CostSnapshot:
    """The session's costs and its table at one moment, taken in the window's thread for a worker."""

    costs: CostMatrix | None
    table: Dataset | None


class LatestCosts:
    """The last snapshot of the costs. The window's thread sets it; a worker that ranks takes it as it is."""

    def __init__(self, snapshot: CostSnapshot) -> None:
        self.snapshot = snapshot


@dataclass(frozen=True, eq=False)
class RankedUnder:
    """A ranking with the costs it was made under; None where every mistake counts the same."""

    ranking: Ranking
    costs: CostMatrix | None


def ranked_under(
    under: CostSnapshot, contenders: Sequence[Contender], runs: Sequence[Run], checkpoint: Callable[[], object]
) -> RankedUnder:
    """In a worker: the contenders, each of the run with its key, ranked under these costs."""
    from algorithms.evaluation.ranking import ranked

    held = [replace(each, priced=_priced(under, runs[each.key], each, checkpoint)) for each in contenders]
    return RankedUnder(ranked(held), under.costs)


def _priced(under: CostSnapshot, run: Run, contender: Contender, checkpoint: Callable[[], object]) -> Priced | None:
    """None without costs, where they are not for the run's classes, or where its records' amounts are not known."""
    from algorithms.evaluation.cost_board import Weighing
    from algorithms.evaluation.mean_cost import amounts_of
    from algorithms.evaluation.priced import priced

    result, report, costs = contender.scores.result, contender.report, under.costs
    if costs is None:
        return None
    if costs.amounts and run.method.needs_test_data:
        return None
    try:
        table = costs.ordered(report.classes)
        amounts = None
        if costs.amounts:
            amounts = amounts_of(result, table_with(run, under.table, costs.amounts), costs.amounts)
    except DataError:
        return None
    return priced(Weighing(result, report.confusion, table, amounts, costs.amounts), checkpoint)
