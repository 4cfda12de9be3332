"""Analyses of a run in jobs: permutation tests, learning curves, bias and variance."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Generic, TypeGuard, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from PySide6.QtCore import QObject, QTimer, Signal

from algorithms.core.context import RunContext
from algorithms.core.errors import CoppiceError
from workbench.jobs.jobs import Job
from workbench.session.runs import Run, read_test_file

if TYPE_CHECKING:
    from algorithms.evaluation.bias_variance import BiasVariance, BoundaryPlane
    from algorithms.evaluation.compare.permutation_test import ShuffleTest
    from algorithms.evaluation.curves.learning_curves import Sweep
    from algorithms.project.kept_runs import KeptAnalyses
    from workbench.session.session import Session

Finding = TypeVar("Finding")


class RunJobs(QObject):
    """Jobs of one kind of analysis, at most one per run; a subclass starts them and keeps their results."""

    changed = Signal(object)
    """The run whose job started, progressed or ended."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._session = session
        self._jobs: WeakKeyDictionary[Run, Job] = WeakKeyDictionary()

    def job_of(self, run: Run) -> Job | None:
        """The running job of a run, or None."""
        job = self._jobs.get(run)
        return job if job is not None and job.is_running else None

    def end_early(self, run: Run) -> None:
        """Finish the run's job with its results so far, or stop it where it cannot finish early."""
        job = self.job_of(run)
        if job is None:
            return
        if job.is_finishable:
            job.finish()
        else:
            job.stop()

    def forget(self) -> None:
        """Stop all jobs, as another table is opened."""
        for job in list(self._jobs.values()):
            job.stop()
        self._jobs.clear()

    def _begin(self, run: Run, job: Job) -> None:
        self._jobs[run] = job
        self.changed.emit(run)

    def _leave(self, run: Run) -> None:
        """Forget the ended job, after its results were kept."""
        self._jobs.pop(run, None)
        self.changed.emit(run)

    def _failed(self, run: Run, error: object) -> None:
        if isinstance(error, CoppiceError):
            self._session.messages.error(error)
        else:
            self._session.jobs.report_bug(error)
        self._leave(run)


class RunFindings(RunJobs, Generic[Finding]):
    """Analyses with one growing result per run, kept in ``Run.findings``."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        session.document_replaced.connect(self.forget)

    def found(self, run: Run) -> Finding | None:
        """Result of a run so far, or None."""
        return None if run.findings is None else self._found_in(run.findings)

    def _keep(self, run: Run, found: Finding) -> None:
        from algorithms.project.kept_runs import KeptAnalyses

        findings = self._found_with(run.findings or KeptAnalyses(), found)
        self._session.ledger.update(run, findings=findings)

    @abstractmethod
    def _found_in(self, findings: KeptAnalyses) -> Finding | None:
        """Its result among the analyses of a run, or None."""

    @abstractmethod
    def _found_with(self, findings: KeptAnalyses, found: Finding) -> KeptAnalyses:
        """The analyses of a run with this result in place."""

    @abstractmethod
    def _is_finding(self, event: object) -> TypeGuard[Finding]:
        """Whether an event of the job is its result so far."""

    def _find(self, run: Run, title: str, work: Callable[[RunContext], Finding]) -> None:
        """Start the job of a run, unless one is running."""
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
        """Announce the end of a job, so that autosave keeps its result."""
        super()._leave(run)
        if run in self._session.runs:
            self._session.ledger.changed.emit()


SEED_KEY: Final = 3
"""Seed key of the test, the same as on the command line, so that both give equal results."""


FURTHER_MS: Final = 80


class PermutationTests(RunJobs):
    """Permutation tests, at most one at a time per run; results stand in ``Run.shuffle``."""

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
        """Rank the shuffled tables of a test by another measure that was recorded for them."""
        test = run.shuffle
        if test is not None and self.job_of(run) is None and measure in test.measures and measure != test.measure:
            self._session.ledger.update(run, shuffle=test.judged_by(measure))
            self._leave(run)

    def start(self, run: Run, planned: int, measure: str = "ranking") -> Job | None:
        """Test a run on ``planned`` tables with shuffled classes, continuing its earlier test.

        ``measure`` defaults to the one that ranks runs.
        """
        result = run.result
        if result is None or self.job_of(run) is not None:
            return None
        before = run.shuffle

        def work(context: RunContext) -> ShuffleTest:
            from algorithms.compiled.ahead_of_time import ensure_compiled
            from algorithms.evaluation.compare.permutation_test import shuffle_test
            from algorithms.evaluation.runner import kernels_of

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
        from algorithms.evaluation.compare.permutation_test import ShuffleTest

        if isinstance(event, ShuffleTest):
            self._session.ledger.update(run, shuffle=event)
            job = self.job_of(run)
            if job is not None:
                job.set_has_something(len(event.scores) > 0)
            self._further.add(run)
            if not self._timer.isActive():
                self._timer.start()

    def _tell_further(self) -> None:
        """Announce progress at intervals: small tables give hundreds of results a second."""
        for run in list(self._further):
            self.changed.emit(run)
        self._further.clear()

    def _end(self, run: Run, test: ShuffleTest | None) -> None:
        self._session.ledger.update(run, shuffle=test if test is not None and len(test.scores) else None)
        self._leave(run)

    def _leave(self, run: Run) -> None:
        """Announce the end of a test to the list of runs, the warnings and autosave."""
        super()._leave(run)
        if run in self._session.runs:
            self._session.ledger.changed.emit()
            if run is self._session.current_run:
                self._session.current_run_changed.emit()


Wanted = tuple[str, str]
"""A parameter and its typed values; two empty texts stand for the number of training records."""
SIZES: Final[Wanted] = ("", "")


class LearningCurves(RunJobs):
    """Learning and complexity curves, at most one at a time per run; results stand in ``Run.sweeps``."""

    def found(self, run: Run, wanted: Wanted) -> Sweep | None:
        """The points of a curve so far, or None."""
        return run.sweeps.get(wanted)

    def start(self, run: Run, wanted: Wanted) -> Job | None:
        """Compute a curve of the run, continuing from its earlier points."""
        if self.job_of(run) is not None:
            return None
        begun = self.found(run, wanted)

        def work(context: RunContext) -> Sweep:
            from algorithms.evaluation.curves.learning_curves import complexity_curve, learning_curve
            from algorithms.evaluation.tuning.tuned import tuned_base

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
        from algorithms.evaluation.curves.learning_curves import Sweep

        if not isinstance(event, Sweep):
            return
        self._session.ledger.update(run, sweeps={**run.sweeps, wanted: event})
        job = self.job_of(run)
        if job is not None:
            job.set_has_something(True)
        self.changed.emit(run)

    def _end(self, run: Run, wanted: Wanted, sweep: Sweep | None) -> None:
        if sweep is not None:
            self._session.ledger.update(run, sweeps={**run.sweeps, wanted: sweep})
        self._leave(run)

    def _leave(self, run: Run) -> None:
        """Announce the end of a curve, so that autosave keeps it."""
        super()._leave(run)
        if run in self._session.runs:
            self._session.ledger.changed.emit()


class BiasVarianceRuns(RunFindings["BiasVariance"]):
    """Bias and variance experiments, at most one at a time per run; the latest is kept."""

    def start(self, run: Run, sets: int, records: int, plane: BoundaryPlane | None) -> None:
        """Train the run's learner on many training sets drawn from its table."""

        def work(context: RunContext) -> BiasVariance:
            from algorithms.evaluation.bias_variance import leaning
            from algorithms.evaluation.tuning.tuned import tuned_base

            base = tuned_base(run.learner)
            return leaning(base, run.data, context, recipe=run.recipe, sets=sets, records=records, plane=plane)

        self._find(run, f"Bias and variance of run {run.number}", work)

    def _found_in(self, findings: KeptAnalyses) -> BiasVariance | None:
        return findings.leaning

    def _found_with(self, findings: KeptAnalyses, found: BiasVariance) -> KeptAnalyses:
        return replace(findings, leaning=found)

    def _is_finding(self, event: object) -> TypeGuard[BiasVariance]:
        from algorithms.evaluation.bias_variance import BiasVariance

        return isinstance(event, BiasVariance)
