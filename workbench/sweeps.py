"""Learning and complexity curves of runs: started, watched, finished early, gone on with, kept with their runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from algorithms.core.context import RunContext
from workbench.jobs import Job
from workbench.run_jobs import RunJobs
from workbench.runs import Run

if TYPE_CHECKING:
    from algorithms.evaluation.sweeps import Sweep

Wanted = tuple[str, str]
"""The parameter and its values as typed; two empty texts for the number of training records."""
SIZES: Final[Wanted] = ("", "")


class Sweeps(RunJobs):
    """One curve of a run at most is drawn at a time; every one that was drawn stands in ``Run.sweeps``."""

    def found(self, run: Run, wanted: Wanted) -> Sweep | None:
        """What there is of a curve."""
        return run.sweeps.get(wanted)

    def start(self, run: Run, wanted: Wanted) -> Job | None:
        """Draw a curve of the run, going on from what there is of it."""
        if self.job_of(run) is not None:
            return None
        begun = self.found(run, wanted)

        def work(context: RunContext) -> Sweep:
            from algorithms.evaluation.sweeps import complexity_curve, learning_curve
            from algorithms.evaluation.tuned import tuned_base

            if wanted == SIZES:
                return learning_curve(run.learner, run.data, run.method, context, recipe=run.recipe, begun=begun)
            base = tuned_base(run.learner)
            return complexity_curve(base, run.data, run.method, context, *wanted, recipe=run.recipe, begun=begun)

        title = "Learning curve" if wanted == SIZES else f"Curve over {wanted[0]}"
        job = self._session.jobs.start(
            f"{title} of run {run.number}",
            work,
            on_done=lambda sweep: self._end(run, wanted, sweep),
            on_failed=lambda error: self._failed(run, error),
            on_stopped=lambda: self._end(run, wanted, None),
            on_event=lambda event: self._take(run, wanted, event),
            can_finish=True,
            seed=run.seed,
        )
        self._begin(run, job)
        return job

    def _take(self, run: Run, wanted: Wanted, event: object) -> None:
        from algorithms.evaluation.sweeps import Sweep

        if not isinstance(event, Sweep):
            return
        run.sweeps = {**run.sweeps, wanted: event}
        job = self.job_of(run)
        if job is not None:
            job.set_has_something(True)
        self.changed.emit(run)

    def _end(self, run: Run, wanted: Wanted, sweep: Sweep | None) -> None:
        if sweep is not None:
            run.sweeps = {**run.sweeps, wanted: sweep}
        self._leave(run)

    def _leave(self, run: Run) -> None:
        """What is kept follows when a curve has ended, or was stopped."""
        super()._leave(run)
        if run in self._session.runs:
            self._session.ledger.changed.emit()
