"""Further work on runs that were judged: one job a run at most at a time."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, TypeGuard, TypeVar
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal

from algorithms.core.context import RunContext
from algorithms.core.errors import CoppiceError
from workbench.jobs import Job
from workbench.runs import Run

if TYPE_CHECKING:
    from algorithms.persistence.findings import Findings
    from workbench.session import Session

Finding = TypeVar("Finding")


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


class RunFindings(RunJobs, Generic[Finding]):
    """Work that finds one thing about a run, more of it while it goes on; what is found is kept with the run."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        session.document_replaced.connect(self.forget)

    def found(self, run: Run) -> Finding | None:
        """What was found about a run, as far as its job came."""
        return None if run.findings is None else self._found_in(run.findings)

    def _keep(self, run: Run, found: Finding) -> None:
        from algorithms.persistence.findings import Findings

        run.findings = self._found_with(run.findings or Findings(), found)

    @abstractmethod
    def _found_in(self, findings: Findings) -> Finding | None:
        """What is kept of it among the findings of a run."""

    @abstractmethod
    def _found_with(self, findings: Findings, found: Finding) -> Findings:
        """The findings of a run with it."""

    @abstractmethod
    def _is_finding(self, event: object) -> TypeGuard[Finding]:
        """Whether what a job tells on its way is what it has found so far."""

    def _find(self, run: Run, title: str, work: Callable[[RunContext], Finding]) -> None:
        """Start the job of a run; one that is there goes on instead."""
        if self.job_of(run) is not None:
            return
        job = self._session.jobs.start(
            title,
            work,
            on_done=lambda found: self._ended(run, found),
            on_failed=lambda error: self._failed(run, error),
            on_stopped=lambda: self._leave(run),
            on_event=lambda event: self._take(run, event),
            can_finish=True,
            seed=run.seed,
        )
        self._begin(run, job)

    def _take(self, run: Run, event: object) -> None:
        if self._is_finding(event):
            self._keep(run, event)
            job = self.job_of(run)
            if job is not None:
                job.set_has_something(True)
            self.changed.emit(run)

    def _ended(self, run: Run, found: Finding) -> None:
        self._keep(run, found)
        self._leave(run)

    def _leave(self, run: Run) -> None:
        """What is kept follows when a job has ended, or was stopped."""
        super()._leave(run)
        if run in self._session.runs:
            self._session.ledger.changed.emit()
