"""Further work on runs that were judged: one job a run at most at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal

from algorithms.core.errors import CoppiceError
from workbench.jobs import Job
from workbench.runs import Run

if TYPE_CHECKING:
    from workbench.session import Session


class RunJobs(QObject):
    """Which job works on which run; a kind of work starts its jobs and keeps what they find."""

    changed = Signal(object)
    """With the run whose job began, came further or ended."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._jobs: WeakKeyDictionary[Run, Job] = WeakKeyDictionary()

    def job_of(self, run: Run) -> Job | None:
        """The job that works on the run; None where none does."""
        job = self._jobs.get(run)
        return job if job is not None and job.is_running else None

    def end_early(self, run: Run) -> None:
        """End the run's job with what it has so far, or with nothing where that is not worth keeping."""
        job = self.job_of(run)
        if job is None:
            return
        if job.is_finishable:
            job.finish()
        else:
            job.stop()

    def forget(self) -> None:
        """Another table comes: stop what runs."""
        for job in list(self._jobs.values()):
            job.stop()
        self._jobs.clear()

    def _begin(self, run: Run, job: Job) -> None:
        self._jobs[run] = job
        self.changed.emit(run)

    def _leave(self, run: Run) -> None:
        """The job has ended; its kind keeps first what it found."""
        self._jobs.pop(run, None)
        self.changed.emit(run)

    def _failed(self, run: Run, error: object) -> None:
        if isinstance(error, CoppiceError):
            self._session.messages.error(error)
        else:
            self._session.jobs.report_bug(error)
        self._leave(run)
