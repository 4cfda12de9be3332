"""Analyses computed about a run afterwards, such as permutation tests, learning curves, importances and effects."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, TypeVar
from weakref import WeakKeyDictionary, WeakSet

from PySide6.QtCore import QObject, Signal

from algorithms.core.errors import CoppiceError
from algorithms.core.run_control import Kept, RunContext
from algorithms.project.run_record import KeptAnalyses
from workbench.jobs.jobs import Job, Jobs
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.decision_rules import DecisionQuery
from workbench.session.runs import PROGRAM_MISTAKE, STOPPED_EARLY, Run, RunList, test_table

if TYPE_CHECKING:
    from algorithms.evaluation.attribute_importance import AttributeImportance
    from algorithms.evaluation.bias_variance import BiasVariance, BoundaryPlane
    from algorithms.evaluation.compare.permutation_test import ShuffleTest
    from algorithms.evaluation.curves.learning_curves import MemberErrors, Sweep
    from algorithms.evaluation.error_groups import ErrorGroups
    from algorithms.evaluation.learner_effects import LearnerEffects
    from algorithms.evaluation.surrogate_tree import SurrogateTree
    from algorithms.evaluation.tested_records import RecordErrors

Result = TypeVar("Result")
STOPPED_PARTLY: Final = "Stopped. The finished part is kept."
PROGRESS_MS: Final = 80
"""Shortest time between two announcements of progress: small tables give hundreds of results a second."""


@dataclass(frozen=True)
class AnalysisEnd:
    """Why an analysis ended without all of its result."""

    sentence: str
    is_stop: bool


class RunAnalysis(QObject, Generic[Result]):
    """One kind of analysis, with at most one job per run.

    The job publishes its growing result, and the latest one is kept: a stopped analysis keeps what it has, and the
    next job continues from there. A subclass starts the jobs and says where the results are kept.
    """

    changed = Signal(object)
    """The run whose job started, progressed or ended."""
    is_saved = True
    """Whether projects contain the results: autosave is then told of the end of a job."""
    can_finish = True
    """Whether its jobs publish results so far, with which they can end early."""

    def __init__(self, jobs: Jobs, ledger: RunList) -> None:
        super().__init__(ledger)
        self._jobs = jobs
        self._ledger = ledger
        self._running: WeakKeyDictionary[Run, Job] = WeakKeyDictionary()
        self._progressed: WeakSet[Run] = WeakSet()
        self._ends: WeakKeyDictionary[Run, AnalysisEnd] = WeakKeyDictionary()
        self._timer = single_shot(self, PROGRESS_MS, self._announce_progress)
        ledger.forgotten.connect(self.forget)

    def job_of(self, run: Run) -> Job | None:
        job = self._running.get(run)
        return job if job is not None and job.is_running else None

    def end_of(self, run: Run) -> AnalysisEnd | None:
        """Why the last job of a run ended too early; None while it runs, and once it is done."""
        return self._ends.get(run)

    def end_early(self, run: Run | None = None) -> None:
        """Finish the job of a run, or of the one in view, with its results so far, or stop it if it cannot finish."""
        run = run or self._ledger.judged
        job = None if run is None else self.job_of(run)
        if job is None:
            return
        if job.is_finishable:
            job.finish()
        else:
            job.stop()

    def forget(self) -> None:
        """Stop all jobs, as another table is opened."""
        for job in list(self._running.values()):
            job.stop()
        self._running.clear()
        self._ends.clear()
        self._progressed.clear()
        self._timer.stop()

    def _begin(self, run: Run, title: str, work: Callable[[RunContext], Result]) -> Job | None:
        """Start the job of a run; None where one is running."""
        if self.job_of(run) is not None:
            return None
        job = self._jobs.start(
            title,
            work,
            on_done=lambda result: self._finish(run, result),
            on_failed=lambda error: self._fail(run, title, error),
            on_stopped=lambda: self._stopped(run),
            on_event=lambda event: self._take(run, event),
            can_finish=self.can_finish,
            seed=run.seed,
        )
        self._running[run] = job
        self._ends.pop(run, None)
        self.changed.emit(run)
        return job

    def _take(self, run: Run, event: object) -> None:
        """Keep a result so far; ignore other events."""
        if isinstance(event, self._result_type()):
            self._keep(run, event)
            job = self.job_of(run)
            if job is not None:
                job.set_has_something(self._has_content(event))
            self._progressed.add(run)
            if not self._timer.isActive():
                self._timer.start()

    def _announce_progress(self) -> None:
        for run in list(self._progressed):
            self.changed.emit(run)
        self._progressed.clear()

    def _finish(self, run: Run, result: Result) -> None:
        job = self._running.get(run)
        if job is not None and job.context.finishing:
            self._ends[run] = AnalysisEnd(STOPPED_PARTLY, True)
        self._keep(run, result)
        self._leave(run)

    def _stopped(self, run: Run) -> None:
        self._ends[run] = AnalysisEnd(STOPPED_EARLY, True)
        self._leave(run)

    def _fail(self, run: Run, title: str, error: object) -> None:
        if isinstance(error, CoppiceError):
            self._ends[run] = AnalysisEnd(str(error), False)
            self._jobs.messages.error_in_place(title, error)
        else:
            self._ends[run] = AnalysisEnd(PROGRAM_MISTAKE, False)
            self._jobs.report_bug(error)
        self._leave(run)

    def _leave(self, run: Run) -> None:
        """Forget the ended job, after its results were kept."""
        self._running.pop(run, None)
        self._progressed.discard(run)
        self.changed.emit(run)
        if self.is_saved and run in self._ledger.runs:
            self._ledger.changed.emit()

    def _has_content(self, result: Result) -> bool:
        """Whether finishing early would keep anything of this result."""
        return True

    @abstractmethod
    def _result_type(self) -> type[Result]:
        """Type of the results; a method, since their modules are imported late."""

    @abstractmethod
    def _keep(self, run: Run, result: Result) -> None:
        """Store the latest result of a run."""


SEED_KEY: Final = 3
"""Seed key of the test, the same as on the command line, so that both give equal results."""


class PermutationTests(RunAnalysis["ShuffleTest"]):
    """Permutation tests, kept in ``Run.shuffle``."""

    def judge_by(self, run: Run, measure: str) -> None:
        """Rank the shuffled tables of a test by another measure that was recorded for them."""
        test = run.shuffle
        if test is not None and self.job_of(run) is None and measure in test.measures and measure != test.measure:
            self._finish(run, test.judged_by(measure))

    def start(self, run: Run, planned: int, measure: str = "ranking") -> Job | None:
        """Test a run on ``planned`` shuffled tables, going on with its earlier test; ``measure`` ranks runs."""
        result, before = run.result, run.shuffle
        if result is None:
            return None

        def work(context: RunContext) -> ShuffleTest:
            from algorithms.compiled.ahead_of_time import ensure_compiled
            from algorithms.evaluation.compare.permutation_test import shuffle_test
            from algorithms.evaluation.runner import kernels_of

            test_data = test_table(run, context, key=2)
            ensure_compiled(kernels_of(run.learner), context)
            context.say("Shuffling classes")
            part = context.child(1.0, SEED_KEY)
            return shuffle_test(
                result, run.data, part, planned=planned, test_data=test_data, before=before, measure=measure
            )

        return self._begin(run, f"Permutation test of run {run.number}", work)

    def _result_type(self) -> type[ShuffleTest]:
        from algorithms.evaluation.compare.permutation_test import ShuffleTest

        return ShuffleTest

    def _keep(self, run: Run, result: ShuffleTest) -> None:
        self._ledger.update(run, shuffle=result)

    def _has_content(self, result: ShuffleTest) -> bool:
        return len(result.scores) > 0

    def _leave(self, run: Run) -> None:
        """Drop a test without a shuffled table, and tell the warnings of the end."""
        if run.shuffle is not None and not self._has_content(run.shuffle):
            self._ledger.update(run, shuffle=None)
        super()._leave(run)
        if run is self._ledger.current and run in self._ledger.runs:
            self._ledger.current_changed.emit()


CurveAxis = tuple[str, str]
"""A parameter and its typed values; two empty texts stand for the number of training records."""
SIZES: Final[CurveAxis] = ("", "")


class LearningCurves(RunAnalysis["Sweep"]):
    """Learning and complexity curves, one at a time per run, kept in ``Run.sweeps``."""

    def __init__(self, jobs: Jobs, ledger: RunList) -> None:
        super().__init__(jobs, ledger)
        self._axes: WeakKeyDictionary[Run, CurveAxis] = WeakKeyDictionary()
        """Axis of the curve that is being computed."""

    def start(self, run: Run, axis: CurveAxis) -> Job | None:
        """Compute a curve of the run, continuing from its earlier points."""
        if self.job_of(run) is not None:
            return None
        begun = run.sweeps.get(axis)
        self._axes[run] = axis

        def work(context: RunContext) -> Sweep:
            from algorithms.evaluation.curves.learning_curves import complexity_curve, learning_curve
            from algorithms.evaluation.tuning.parameter_search import tuned_base

            if axis == SIZES:
                return learning_curve(run.learner, run.data, run.method, context, recipe=run.recipe, begun=begun)
            base = tuned_base(run.learner)
            return complexity_curve(base, run.data, run.method, context, *axis, recipe=run.recipe, begun=begun)

        title = "Learning curve" if axis == SIZES else f"Curve over {axis[0]}"
        return self._begin(run, f"{title} of run {run.number}", work)

    def _result_type(self) -> type[Sweep]:
        from algorithms.evaluation.curves.learning_curves import Sweep

        return Sweep

    def _keep(self, run: Run, result: Sweep) -> None:
        self._ledger.update(run, sweeps={**run.sweeps, self._axes[run]: result})


class BiasVarianceRuns(RunAnalysis["BiasVariance"]):
    """Bias and variance experiments; the latest of a run is kept in ``Run.findings``."""

    def start(self, run: Run, sets: int, records: int, plane: BoundaryPlane | None) -> None:
        """Train the run's learner on many training sets drawn from its table."""

        def work(context: RunContext) -> BiasVariance:
            from algorithms.evaluation.bias_variance import leaning
            from algorithms.evaluation.tuning.parameter_search import tuned_base

            base = tuned_base(run.learner)
            return leaning(base, run.data, context, recipe=run.recipe, sets=sets, records=records, plane=plane)

        self._begin(run, f"Bias and variance of run {run.number}", work)

    def result_of(self, run: Run) -> BiasVariance | None:
        """Result of a run so far, or None."""
        return None if run.findings is None else run.findings.leaning

    def _result_type(self) -> type[BiasVariance]:
        from algorithms.evaluation.bias_variance import BiasVariance

        return BiasVariance

    def _keep(self, run: Run, result: BiasVariance) -> None:
        self._ledger.update(run, findings=replace(run.findings or KeptAnalyses(), leaning=result))


class MemberErrorRuns(RunAnalysis["MemberErrors"]):
    """Tests of the members of ensembles, kept in ``Run.findings``."""

    def start(self, run: Run) -> None:
        """Test each member of the run's ensemble on records that it was not trained on."""

        def work(context: RunContext) -> MemberErrors:
            from algorithms.evaluation.curves.learning_curves import member_errors
            from algorithms.evaluation.tuning.parameter_search import tuned_base

            context.say("Testing each member on records that it has not seen")
            return member_errors(tuned_base(run.learner), run.data, run.method, context, recipe=run.recipe)

        self._begin(run, f"Test the members of run {run.number}", work)

    def result_of(self, run: Run) -> MemberErrors | None:
        """Result of a run so far, or None."""
        return None if run.findings is None else run.findings.members

    def _result_type(self) -> type[MemberErrors]:
        from algorithms.evaluation.curves.learning_curves import MemberErrors

        return MemberErrors

    def _keep(self, run: Run, result: MemberErrors) -> None:
        self._ledger.update(run, findings=replace(run.findings or KeptAnalyses(), members=result))


class ImportanceRuns(RunAnalysis["AttributeImportance"]):
    """Importances of attributes by both ways; the latest of each are kept in ``Run.findings``."""

    def start(self, run: Run, *, drops: bool) -> None:
        """Permute the values of each attribute in the tests of the run, or train again without it; goes on."""
        begun = self.result_of(run, drops=drops)

        def work(context: RunContext) -> AttributeImportance:
            from algorithms.evaluation.attribute_importance import attribute_importance

            context.say("Training the folds")
            recipe = run.recipe
            return attribute_importance(
                run.learner, run.data, run.method, context, recipe=recipe, drops=drops, begun=begun
            )

        self._begin(run, f"Attribute importance of run {run.number}", work)

    def result_of(self, run: Run, *, drops: bool) -> AttributeImportance | None:
        """Result of a run so far, or None."""
        if run.findings is None:
            return None
        return run.findings.dropped if drops else run.findings.permuted

    def _result_type(self) -> type[AttributeImportance]:
        from algorithms.evaluation.attribute_importance import AttributeImportance

        return AttributeImportance

    def _keep(self, run: Run, result: AttributeImportance) -> None:
        kept = run.findings or KeptAnalyses()
        kept = replace(kept, dropped=result) if result.is_dropped else replace(kept, permuted=result)
        self._ledger.update(run, findings=kept)


class EffectQuestion(NamedTuple):
    """One attribute or two whose effects are computed, or attributes of which all pairs may interact."""

    names: tuple[str, ...] = ()
    interacting: tuple[str, ...] = ()


class EffectRuns(RunAnalysis["LearnerEffects"]):
    """Effects of attributes and pairs, and their interactions; the latest of a run are kept in ``Run.findings``.

    The models of the folds of the latest run are kept where they are small, so that the next question trains none.
    """

    def __init__(self, jobs: Jobs, ledger: RunList) -> None:
        super().__init__(jobs, ledger)
        self._models: tuple[Run | None, Kept] = (None, {})
        self._next: WeakKeyDictionary[Run, EffectQuestion] = WeakKeyDictionary()
        self.asked: WeakKeyDictionary[Run, EffectQuestion] = WeakKeyDictionary()
        """What the latest job of a run computes."""

    def start(self, run: Run, question: EffectQuestion) -> None:
        """Compute effects or interactions; stops what is computed for the run until now."""
        job = self.job_of(run)
        if job is not None:
            if question != self.asked.get(run):
                self._next[run] = question
                job.stop()
            return
        kept = self._models[1] if self._models[0] is run else {}
        self._models = run, kept
        self.asked[run] = question

        def work(context: RunContext) -> LearnerEffects:
            from algorithms.evaluation.attribute_effects import attribute_effects

            context.say("Training the folds")
            context.kept = kept
            names = question.names
            return attribute_effects(
                run.learner,
                run.data,
                run.method,
                context,
                names if len(names) == 1 else (),
                recipe=run.recipe,
                pairs=[(names[0], names[1])] if len(names) == 2 else (),
                interacting=question.interacting,
            )

        self._begin(run, f"Attribute effects of run {run.number}", work)

    def has_models(self, run: Run) -> bool:
        """Whether another question needs no training."""
        return self._models[0] is run and bool(self._models[1])

    def forget(self) -> None:
        super().forget()
        self._models = None, {}
        self._next.clear()

    def _leave(self, run: Run) -> None:
        super()._leave(run)
        question = self._next.pop(run, None)
        if question is not None:
            self.start(run, question)

    def result_of(self, run: Run) -> LearnerEffects | None:
        """All effects of a run so far, or None."""
        return None if run.findings is None else run.findings.effects

    def _result_type(self) -> type[LearnerEffects]:
        from algorithms.evaluation.learner_effects import LearnerEffects

        return LearnerEffects

    def _has_content(self, result: LearnerEffects) -> bool:
        return not any(one.is_coarse for one in result.every)

    def _keep(self, run: Run, result: LearnerEffects) -> None:
        kept = run.findings or KeptAnalyses()
        merged = result if kept.effects is None else kept.effects.with_new(result)
        self._ledger.update(run, findings=replace(kept, effects=merged))


class SurrogateRuns(RunAnalysis["SurrogateTree"]):
    """Surrogate trees; the latest of a run is kept in ``Run.findings``."""

    def start(self, run: Run, depth: int) -> None:
        """Fits a tree of this depth to the model of the run, and measures its fidelity in the folds."""
        trained = run.trained

        def work(context: RunContext) -> SurrogateTree:
            from algorithms.core.training import LearnedModel
            from algorithms.evaluation.surrogate_tree import surrogate_tree

            context.say("Training the folds")
            model = None
            if trained is not None:
                model = LearnedModel(trained.recipe, trained.model, trained.learner, trained.filters)
            return surrogate_tree(run.learner, run.data, run.method, context, depth, recipe=run.recipe, model=model)

        self._begin(run, f"Surrogate tree of run {run.number}", work)

    def result_of(self, run: Run) -> SurrogateTree | None:
        """Result of a run so far, or None."""
        return None if run.findings is None else run.findings.surrogate

    def _result_type(self) -> type[SurrogateTree]:
        from algorithms.evaluation.surrogate_tree import SurrogateTree

        return SurrogateTree

    def _keep(self, run: Run, result: SurrogateTree) -> None:
        """A whole tree gives way to another whole one only."""
        kept = self.result_of(run)
        if kept is not None and kept.is_whole and not result.is_whole:
            return
        self._ledger.update(run, findings=replace(run.findings or KeptAnalyses(), surrogate=result))

    def _leave(self, run: Run) -> None:
        end, kept = self._ends.get(run), self.result_of(run)
        if end is not None and end.is_stop and kept is not None and kept.is_whole:
            self._ends[run] = AnalysisEnd(f"Stopped. The tree of depth at most {kept.depth} is kept.", True)
        super()._leave(run)


class ErrorGroupRuns(RunAnalysis["ErrorGroups"]):
    """Groups of records with more errors under the decision rule of a run, kept in ``Run.findings``."""

    can_finish = False

    def start(self, asked: DecisionQuery) -> None:
        """Search groups among the tests of the run, decided by the rule that is asked about."""
        run = asked.run

        def work(context: RunContext) -> ErrorGroups:
            from algorithms.evaluation.error_groups import error_groups

            return replace(error_groups(tested_errors(asked, context), context), rule=asked.whole_phrase)

        self._begin(run, f"Error groups of run {run.number}", work)

    def result_of(self, run: Run) -> ErrorGroups | None:
        return None if run.findings is None else run.findings.errors

    def _result_type(self) -> type[ErrorGroups]:
        from algorithms.evaluation.error_groups import ErrorGroups

        return ErrorGroups

    def _keep(self, run: Run, result: ErrorGroups) -> None:
        self._ledger.update(run, findings=replace(run.findings or KeptAnalyses(), errors=result))


def tested_errors(asked: DecisionQuery, context: RunContext) -> RecordErrors:
    """In a worker: the tests of a run by record, decided by a rule; of a test file its records."""
    from algorithms.evaluation.tested_records import RecordErrors

    tested = test_table(asked.run, context, key=2)
    data = asked.run.data if tested is None else tested
    return RecordErrors.of(asked.result, data, asked.decisions(context.checkpoint))
