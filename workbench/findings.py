"""What takes a while to find out: attributes that give the class away, exact twins of tested records.

Looked for beside the window, some time after the data or the run in view last changed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal

from algorithms.core.columns import IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from workbench.jobs import Job
from workbench.runs import Run
from workbench.session import Session

if TYPE_CHECKING:
    from algorithms.evaluation.giveaway import Giveaway

WAIT_MS: Final = 300


@dataclass(frozen=True, eq=False)
class Twins:
    """The share of a run's tested records with an exact copy in training, and the first record of each kind.

    ``natural`` where there are so few different records possible that copies say nothing.
    """

    share: float
    natural: bool
    first_rows: IntArray


class Findings(QObject):
    """What was found out about the session's data and its run in view."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._giveaways: tuple[Dataset, tuple[Giveaway, ...]] | None = None
        self._twins: dict[Run, Twins | None] = {}
        self._data_job: Job | None = None
        self._run_job: Job | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(WAIT_MS)
        self._timer.timeout.connect(self._look)
        for signal in (
            session.summary_changed,
            session.current_run_changed,
            session.runs_changed,
            session.trials.changed,
        ):
            signal.connect(self._later)

    @property
    def giveaways(self) -> tuple[Giveaway, ...]:
        """The attributes that nearly alone predict the class of the data as it is now; empty until that is known."""
        if self._giveaways is None or self._giveaways[0] is not self._session.data:
            return ()
        return self._giveaways[1]

    def twins_of(self, run: Run) -> Twins | None:
        """None until it is known, and where there is nothing to say."""
        return self._twins.get(run)

    def _later(self) -> None:
        if self._wanted_data() is not None or self._wanted_run() is not None:
            self._timer.start()

    def _wanted_data(self) -> Dataset | None:
        """The data to look at, where that was not done."""
        data = self._session.data
        if data is None or self._session.summary is None or not self._session.classes:
            return None
        return None if self._giveaways is not None and self._giveaways[0] is data else data

    def _wanted_run(self) -> Run | None:
        """The run in view, where it was not looked at and is over."""
        run = self._session.current_run
        trial = self._session.trials.current
        if run is None or run.result is None or run.is_running or run in self._twins:
            return None
        return None if trial is not None and trial.is_running else run

    def _look(self) -> None:
        self._twins = {run: found for run, found in self._twins.items() if run in self._session.runs}
        data, run = self._wanted_data(), self._wanted_run()
        if data is not None:
            self._look_at_data(data)
        if run is not None:
            self._look_at_run(run)

    def _look_at_data(self, data: Dataset) -> None:
        if self._data_job is not None:
            self._data_job.stop()

        def work(context: RunContext) -> tuple[Giveaway, ...]:
            from algorithms.evaluation.giveaway import giveaways

            context.say("Looking at each column alone")
            return tuple(giveaways(data, context.checkpoint))

        def found(giveaways: tuple[Giveaway, ...]) -> None:
            self._giveaways = (data, giveaways)
            self.changed.emit()

        self._data_job = self._session.jobs.start("Looking for what gives the class away", work, on_done=found)

    def _look_at_run(self, run: Run) -> None:
        if self._run_job is not None:
            self._run_job.stop()

        def found(twins: Twins | None) -> None:
            self._twins[run] = twins
            self.changed.emit()

        self._run_job = self._session.jobs.start(
            "Looking for copies of tested records", lambda context: _twins(run, context), on_done=found
        )


def _twins(run: Run, context: RunContext) -> Twins | None:
    """In a worker: the twins of a run's tested records; None where its method leaves none to speak of."""
    from algorithms.core.summary import summarize
    from algorithms.evaluation.twins import first_of_each, groups_of_equals, twin_share

    context.say("Comparing records")
    data, result = run.data, run.result
    if result is None or not data.schema.predictors:
        return None
    groups = groups_of_equals(data, context.checkpoint)
    share = twin_share(result, data, groups)
    if share is None:
        return None
    summary = summarize(data, context.checkpoint)
    possible = math.prod(max(1, summary.of(index).n_distinct) for index in data.schema.predictors)
    return Twins(share, possible <= len(data), first_of_each(groups))
