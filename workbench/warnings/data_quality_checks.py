"""Slow checks in jobs some time after a change: leaking attributes, duplicates of tested records, drift."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.evaluation.checks.data_quality_checks import NOTHING, RunChecks
from workbench.jobs.jobs import Jobs, LatestTask
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.decision_rules import classes_of
from workbench.session.document import History
from workbench.session.learner_comparison import Trials
from workbench.session.runs import Run, RunList, test_table

if TYPE_CHECKING:
    from algorithms.data.number_formats import NumberForm
    from algorithms.evaluation.checks.data_quality_checks import LeakingAttribute

WAIT_MS: Final = 300


class DataQualityChecks(QObject):
    """Results of slow checks of the current data and of runs."""

    changed = Signal()

    def __init__(self, jobs: Jobs, history: History, ledger: RunList, trials: Trials) -> None:
        super().__init__(ledger)
        self._history = history
        self._ledger = ledger
        self._trials = trials
        self._giveaways: tuple[Dataset, tuple[LeakingAttribute, ...]] | None = None
        self._amounts: dict[str, NumberForm] = {}
        self._of_runs: dict[Run, RunChecks] = {}
        self._data_asked: Dataset | None = None
        """Data checked last or now; they are not checked again, whatever the result."""
        self._run_asked: Run | None = None
        """Run checked last or now."""
        self._data_task, self._run_task = LatestTask(jobs), LatestTask(jobs)
        self._timer = single_shot(self, WAIT_MS, self._look)
        for signal in (history.summaries.changed, ledger.current_changed, ledger.changed, trials.changed):
            signal.connect(self._later)

    @property
    def _data(self) -> Dataset | None:
        return None if self._history.document is None else self._history.document.data

    @property
    def giveaways(self) -> tuple[LeakingAttribute, ...]:
        """Attributes that nearly alone predict the class of the current data; empty until checked."""
        if self._giveaways is None or self._giveaways[0] is not self._data:
            return ()
        return self._giveaways[1]

    @property
    def amounts(self) -> dict[str, NumberForm]:
        """Columns of the current data that look like amounts but are not numeric; empty until checked."""
        return self._amounts if self.is_data_checked else {}

    @property
    def is_data_checked(self) -> bool:
        return self._giveaways is not None and self._giveaways[0] is self._data

    def is_checked(self, run: Run) -> bool:
        return run in self._of_runs

    def of_run(self, run: Run) -> RunChecks:
        """Results of a run; :data:`NOTHING` until checked."""
        return self._of_runs.get(run, NOTHING)

    def leaks_of(self, run: Run) -> tuple[str, ...]:
        """A clause for the verdict on each known leak of the run."""
        from algorithms.evaluation.checks.warnings import leaks

        return leaks(self.of_run(run), run.data)

    def _later(self) -> None:
        """Start the timer unless it runs: restarting it at every fold would delay it for ever."""
        if not self._timer.isActive() and (self._wanted_data() is not None or self._wanted_run() is not None):
            self._timer.start()

    def _wanted_data(self) -> Dataset | None:
        data = self._data
        if data is None or self._history.summaries.raw is None or not classes_of(data.schema):
            return None
        return None if self._data_asked is data else data

    def _wanted_run(self) -> Run | None:
        run = self._ledger.current
        trial = self._trials.current
        if run is None or run.result is None or run.is_running or run in self._of_runs or run is self._run_asked:
            return None
        if run.is_test_file_unread:
            return None
        return None if trial is not None and trial.is_running else run

    def _look(self) -> None:
        self._of_runs = {run: checks for run, checks in self._of_runs.items() if run in self._ledger.runs}
        data, run = self._wanted_data(), self._wanted_run()
        if data is not None:
            self._look_at_data(data)
        if run is not None:
            self._look_at_run(run)

    def _look_at_data(self, data: Dataset) -> None:
        self._data_asked = data

        def work(context: RunContext) -> tuple[tuple[LeakingAttribute, ...], dict[str, NumberForm]]:
            from algorithms.data.convert_kind import unread_numbers
            from algorithms.evaluation.checks.data_quality_checks import giveaways

            context.say("Testing each attribute alone")
            return tuple(giveaways(data, context.checkpoint)), unread_numbers(data, context.checkpoint)

        def done(result: tuple[tuple[LeakingAttribute, ...], dict[str, NumberForm]]) -> None:
            self._giveaways, self._amounts = (data, result[0]), result[1]
            self.changed.emit()

        self._data_task.run("Check for attributes that reveal the class", work, on_done=done)

    def _look_at_run(self, run: Run) -> None:
        self._run_asked = run

        def done(checks: RunChecks) -> None:
            self._of_runs[run] = checks
            self.changed.emit()

        self._run_task.run(
            "Compare test records with training records", lambda context: _of_run(run, context), on_done=done
        )


def _of_run(run: Run, context: RunContext) -> RunChecks:
    from algorithms.core.errors import CoppiceError
    from algorithms.evaluation.checks.data_quality_checks import check_run

    if run.result is None:
        return NOTHING
    left_out = () if run.trained is None else run.trained.left_out
    try:
        tested = test_table(run, context, key=0)
        return check_run(run.result, run.data, tested, context, left_out)
    except CoppiceError:
        if not run.method.needs_test_data:
            raise
        return NOTHING  # the file is gone or has changed since the run
