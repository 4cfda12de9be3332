"""Bias and variance of runs' learners: measured in jobs, ended early with what there is, kept while the window is."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from algorithms.core.context import RunContext
from workbench.run_jobs import RunJobs
from workbench.runs import Run

if TYPE_CHECKING:
    from algorithms.evaluation.leaning import Leaning, Plane
    from workbench.session import Session


class Leanings(RunJobs):
    """At most one measurement of a run at a time; the last one of each is kept."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._found: WeakKeyDictionary[Run, Leaning] = WeakKeyDictionary()
        session.document_replaced.connect(self.forget)

    def found(self, run: Run) -> Leaning | None:
        """What was measured of a run."""
        return self._found.get(run)

    def start(self, run: Run, sets: int, records: int, plane: Plane | None) -> None:
        """Learn from many training sets of the run's table, by its learner after its recipe."""
        if self.job_of(run) is not None:
            return

        def work(context: RunContext) -> Leaning:
            from algorithms.evaluation.leaning import leaning
            from algorithms.evaluation.tuned import tuned_base

            base = tuned_base(run.learner)
            return leaning(base, run.data, context, recipe=run.recipe, sets=sets, records=records, plane=plane)

        job = self._session.jobs.start(
            f"Bias and variance of run {run.number}",
            work,
            on_done=lambda found: self._ended(run, found),
            on_failed=lambda error: self._failed(run, error),
            on_stopped=lambda: self._ended(run, None),
            on_event=lambda event: self._take(run, event),
            can_finish=True,
            seed=run.seed,
        )
        self._begin(run, job)

    def _take(self, run: Run, event: object) -> None:
        from algorithms.evaluation.leaning import Leaning

        if isinstance(event, Leaning):
            self._found[run] = event
            job = self.job_of(run)
            if job is not None:
                job.set_has_something(True)
            self.changed.emit(run)

    def _ended(self, run: Run, found: Leaning | None) -> None:
        if found is not None:
            self._found[run] = found
        self._leave(run)
