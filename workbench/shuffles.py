"""Shuffle tests of runs: started, watched and kept with their runs for the session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from weakref import WeakSet

from PySide6.QtCore import QTimer

from algorithms.core.context import RunContext
from workbench.jobs import Job
from workbench.run_jobs import RunJobs
from workbench.run_test_file import read_test_file
from workbench.runs import Run

if TYPE_CHECKING:
    from algorithms.evaluation.shuffling import ShuffleTest
    from workbench.session import Session

SEED_KEY: Final = 3
"""Under which number a test has its seed, on the command line as well: both give the same."""


FURTHER_MS: Final = 80


class Shuffles(RunJobs):
    """One test a run at most at a time; what it finds stands in ``Run.shuffle``."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._further: WeakSet[Run] = WeakSet()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(FURTHER_MS)
        self._timer.timeout.connect(self._tell_further)

    def forget(self) -> None:
        super().forget()
        self._timer.stop()
        self._further.clear()

    def judge_by(self, run: Run, measure: str) -> None:
        """Judge the tables of a run's test by another measure, where they are judged by it."""
        test = run.shuffle
        if test is not None and self.job_of(run) is None and measure in test.measures and measure != test.measure:
            run.shuffle = test.judged_by(measure)
            self._leave(run)

    def start(self, run: Run, planned: int, measure: str = "ranking") -> Job | None:
        """Test a judged run on so many shuffled tables, going on from those there are.

        Without a ``measure`` by the one that ranks runs."""
        result = run.result
        if result is None or self.job_of(run) is not None:
            return None
        before = run.shuffle

        def work(context: RunContext) -> ShuffleTest:
            from algorithms.core.compiling import ensure_compiled
            from algorithms.evaluation.runner import kernels_of
            from algorithms.evaluation.shuffling import shuffle_test

            test_data = None
            if run.method.needs_test_data:
                test_data = read_test_file(run, context, key=2)
            ensure_compiled(kernels_of(run.learner), context)
            context.say("Shuffling classes")
            part = context.child(1.0, SEED_KEY)
            return shuffle_test(
                result, run.data, part, planned=planned, test_data=test_data, before=before, measure=measure
            )

        job = self._session.jobs.start(
            f"Shuffle test of run {run.number}",
            work,
            on_done=lambda test: self._end(run, test),
            on_failed=lambda error: self._failed(run, error),
            on_stopped=lambda: self._end(run, run.shuffle),
            on_event=lambda event: self._take(run, event),
            can_finish=True,
            seed=run.seed,
        )
        self._begin(run, job)
        return job

    def _take(self, run: Run, event: object) -> None:
        from algorithms.evaluation.shuffling import ShuffleTest

        if isinstance(event, ShuffleTest):
            run.shuffle = event
            job = self.job_of(run)
            if job is not None:
                job.set_has_something(len(event.scores) > 0)
            self._further.add(run)
            if not self._timer.isActive():
                self._timer.start()

    def _tell_further(self) -> None:
        """Small tables are judged by the hundred in a second: that they came further is told seldom."""
        for run in list(self._further):
            self.changed.emit(run)
        self._further.clear()

    def _end(self, run: Run, test: ShuffleTest | None) -> None:
        run.shuffle = test if test is not None and len(test.scores) else None
        self._leave(run)

    def _leave(self, run: Run) -> None:
        """The ledger, the strip and what is kept follow when a test has ended."""
        super()._leave(run)
        if run in self._session.runs:
            self._session.ledger.changed.emit()
            if run is self._session.current_run:
                self._session.current_run_changed.emit()
