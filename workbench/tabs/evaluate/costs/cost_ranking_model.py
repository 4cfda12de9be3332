"""What every judged run costs under the session's costs, kept up to date while they are dragged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import QObject, Signal

from algorithms.core.context import RunContext
from algorithms.evaluation.costs.cost_ranking import CostEvaluation, CostStanding, standings
from workbench.jobs.jobs import Job
from workbench.session.runs import Run
from workbench.session.session import Session

AT_ONCE: Final = 400_000
"""So many probabilities are decided anew in the window's thread: it takes some ten milliseconds."""


@dataclass(frozen=True, eq=False)
class RankedRuns:
    """The runs that were judged on the classes the costs are for, and how each stands; the others are only counted."""

    runs: tuple[Run, ...]
    standings: tuple[CostStanding, ...]
    n_others: int

    def of(self, run: Run | None) -> CostStanding | None:
        """How a run stands; None where it does not."""
        return next((held for each, held in zip(self.runs, self.standings, strict=True) if each is run), None)


class CostRankingModel(QObject):
    """Weighs all runs when asked to; while that takes long in a job, the latest costs are weighed next."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._job: Job | None = None
        self._is_due = False
        self.ranked = RankedRuns((), (), 0)

    @property
    def is_busy(self) -> bool:
        return self._job is not None

    def weigh(self) -> None:
        """Weigh the runs there are under the costs there are; ``changed`` comes at once or soon."""
        if self._job is not None:
            self._is_due = True
            return
        self._is_due = False
        runs, wanted = self._wanted()
        n_others = sum(run.is_judged for run in self._session.runs) - len(runs)

        def done(found: list[CostStanding]) -> None:
            self._job = None
            self.ranked = RankedRuns(runs, tuple(found), n_others)
            self.changed.emit()
            if self._is_due:
                self.weigh()

        def work(context: RunContext) -> list[CostStanding]:
            context.say("Weighing costs")
            return standings(wanted, context.checkpoint)

        if sum(each.result.probabilities.size for each in wanted) <= AT_ONCE:
            done(standings(wanted))
        else:
            self._job = self._session.jobs.start("Weigh the costs of all runs", work, on_done=done)

    def _wanted(self) -> tuple[tuple[Run, ...], list[CostEvaluation]]:
        """The runs that can be weighed, and what is weighed of each."""
        runs: list[Run] = []
        wanted = []
        current = self._session.current_run
        classes = set(current.report.classes) if current is not None and current.report is not None else set()
        for run in self._session.runs:
            if run.result is None or run.report is None or set(run.report.classes) != classes:
                continue
            decisions, given = self._session.decisions, self._session.costs
            costs = decisions.costs_of(run)
            if given is not None and (costs is None or not decisions.is_priced(run)):
                continue
            runs.append(run)
            k = len(run.report.classes)
            table, column = (1.0 - np.eye(k), "") if given is None or costs is None else (costs, given.amounts)
            wanted.append(CostEvaluation(run.result, run.report.confusion, table, decisions.amounts_of(run), column))
        return tuple(runs), wanted
