"""A run: learner, method, recipe, result and model; the work behind it; its steps in words; the list of runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np
from PySide6.QtCore import QObject, Signal

from algorithms.core.errors import CoppiceError, DataError
from algorithms.core.filters import Filter, Recipe, fit_recipe
from algorithms.core.learner import Learner
from algorithms.core.resampling import Method
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.project.run_record import RunRecord
from algorithms.project.run_record import RunState as RunState
from algorithms.structures.hyperplanes import DualityGap
from algorithms.structures.layers import NetworkTraining
from algorithms.text.names import shortened
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Job, Jobs
from workbench.jobs.messages import TABLE, Message
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.document import History

if TYPE_CHECKING:
    from algorithms.core.training import TrainedClassifier
    from algorithms.data.columns import IntArray
    from algorithms.evaluation.measures.metrics import Report
    from algorithms.evaluation.result import EvaluationResult
    from algorithms.evaluation.runner import FoldDone
    from algorithms.structures.model_structure import ModelStructure


Structure = TypeVar("Structure", bound="ModelStructure")
SHARE_OF_JUDGING: Final = 0.9
PROGRAM_MISTAKE: Final = "The program made a mistake."
STOPPED_EARLY: Final = "Stopped before a result was there."
CUT_SHORT: Final = "The program ended while it was running."
_OF_RECIPE: Final = (1, 0)
"""Seed key of the recipe learned on all records: first part of the second part of a run."""
MODEL_SEED: Final = (1, 1)
"""Seed key of the model trained on all records."""


def with_run(learner: str, number: int) -> str:
    """The name of a learner with the number of its run, if it has one."""
    return f"{learner} (run {number})" if number else learner


@dataclass(frozen=True, eq=False)
class FoldView:
    """A fold whose model is shown in place of the model trained on all records.

    ``run`` is the listed run, ``name`` the name of the model ("the model of fold 3"). ``rows`` (m,) index its training
    records in the run's data, and ``seed_key`` is the seed key under which it was trained.
    """

    run: Run
    name: str
    rows: IntArray
    seed_key: tuple[int, int]


OF_ALL_RECORDS: Final = "the model trained on all records"


@dataclass(eq=False)
class Run(RunRecord):
    """A run of the session with its job. Only :meth:`RunList.update` changes it."""

    folds: list[FoldDone] = field(default_factory=list)
    report: Report | None = None
    job: Job | None = None
    is_test_file_unread: bool = False
    """Whether an opened project names the test file, and the user has not yet allowed reading it."""
    of_fold: FoldView | None = None
    """Set in a stand-in for a listed run that shows the model of one fold."""
    began_at: float = 0.0
    """Start of the run in seconds of its job, where the job has several runs."""
    part: RunContext | None = None
    """Its part of a comparison, once started."""

    @property
    def numbered_name(self) -> str:
        """The learner with the number of the run: "C4.5 decision tree (run 5)"."""
        return with_run(self.learner.name, self.number)

    @property
    def is_running(self) -> bool:
        return self.state is RunState.RUNNING

    @property
    def is_judged(self) -> bool:
        return self.result is not None

    @property
    def has_dropped_out(self) -> bool:
        """Whether it failed without a result, was skipped, or took longer than allowed."""
        is_out = self.state is RunState.FAILED or (self.state is RunState.STOPPED and bool(self.message))
        return is_out and not self.is_judged

    @property
    def parts_judged(self) -> str:
        """The tested parts if not all are tested: "7 of 10 folds"; else empty."""
        return "" if self.result is None else self.result.parts_judged()

    def stop(self) -> None:
        """Stop the run if it is running; the others of a comparison go on."""
        if self.is_running and self.part is not None:
            self.part.cancel()
        elif self.is_running and self.job is not None:
            self.job.stop()


def failure_of(run: Run) -> tuple[str, str]:
    """Why a run has no result, or no model, and the words of the button that tries again; empty if nothing failed."""
    if run.state is RunState.FAILED:
        opening = "The final model could not be trained. " if run.is_judged else ""
        return f"{opening}{run.message}", "Try again"
    if run.state is not RunState.STOPPED:
        return "", ""
    if run.is_judged:
        return "Stopped before the final model was trained.", "Resume"
    if run.parts:
        return f"{run.message} Training goes on from the finished {run.method.part_name}s.".strip(), "Resume"
    return f"{run.message} {STOPPED_EARLY}".strip(), "Try again"


def structure_of(run: Run | None, kind: type[Structure]) -> Structure | None:
    """What there is to look at in a run's model, if it is of this kind."""
    trained = None if run is None else run.trained
    structure = None if trained is None else trained.structure()
    return structure if isinstance(structure, kind) else None


def learner_of_model(run: Run) -> Learner:
    """Learner of the trained model: after a parameter search, with the chosen settings."""
    return run.learner if run.trained is None else run.trained.learner


def recipe_of_model(run: Run) -> Recipe:
    """Recipe of the trained model: after a parameter search, with the chosen settings."""
    return run.recipe if run.trained is None else run.trained.filters


@dataclass(frozen=True, eq=False)
class RunEvaluated:
    """Published when all folds are evaluated, before the model is trained on all records."""

    result: EvaluationResult
    report: Report


@dataclass(frozen=True, eq=False)
class ModelTrained:
    """Published where the model exists before its evaluation."""

    trained: TrainedClassifier


def judge_and_train(run: Run, context: RunContext) -> TrainedClassifier:
    """In a worker: evaluate, publish the result, then train on all records even if the folds were cut short."""
    from algorithms.compiled.ahead_of_time import ensure_compiled
    from algorithms.evaluation.measures.metrics import report
    from algorithms.evaluation.runner import evaluate, kernels_of, train

    ensure_compiled(kernels_of(run.learner), context)
    context.kept, context.runs_parts_in_turn = run.parts, True
    judging = context.child(SHARE_OF_JUDGING, key=0, same_seed=True)
    test_data = test_table(run, context, key=2)
    context.say("Evaluating")
    result = evaluate(run.learner, run.data, run.method, judging, recipe=run.recipe, test_data=test_data)
    context.publish(RunEvaluated(result, report(result, checkpoint=context.checkpoint)))
    judging.complete()
    training = context.child(1 - SHARE_OF_JUDGING, key=1, finish_forgotten=True)
    context.say("Training on all records")
    return train(run.learner, run.data, run.recipe, training, run.method)


def learned_from(run: Run, trained: TrainedClassifier, data: Dataset, context: RunContext) -> Dataset:
    """In a worker: the training records as the recipe passed them to the model of ``trained``.

    ``data`` are the run's records; for the model of a fold, its training records are taken instead. A step that
    samples, balances or weights training records is learned again with the seed of :func:`judge_and_train`, so that
    the model's counts are those of these records.
    """
    if run.of_fold is not None:
        data = run.data.take(run.of_fold.rows)
    if all(type(step).learn is Filter.learn for step in trained.filters):
        return trained.prepared(data)
    has_class = data.class_codes >= 0
    part = context.child(0.5, key=_OF_RECIPE[1])
    of_recipe = _OF_RECIPE if run.of_fold is None else (*run.of_fold.seed_key, _OF_RECIPE[1])
    part.seeds = np.random.SeedSequence(run.seed, spawn_key=of_recipe)
    return fit_recipe(trained.filters, data if bool(has_class.all()) else data.take(has_class), part)[1]


def read_test_file(run: Run, context: RunContext, key: int) -> Dataset:
    """In a worker: the table of the test file, after the cleaning rules of the training data.

    ``key`` is the seed key of the part of the context that reads it. Raises :class:`DataError` where only a project
    names the file and the user has not allowed reading it: a stranger's project could otherwise open any file or
    contact any machine.
    """
    from algorithms.filters.cleaning_rules import cleaned
    from algorithms.io.reading import read_like

    path = str(run.method.values()["path"])
    if run.is_test_file_unread:
        raise DataError(
            f"The test file {Path(path).name} was not looked at, since the project names it.",
            remedy="Choose Check it among the warnings of the run.",
            place=path,
        )
    context.check_may_open(path)
    context.say("Reading the test file")
    data, _ = read_like(path, context.child(0.0, key=key), run.data.origin.reading)
    return cleaned(data, run.data.origin.cleaning, context.checkpoint)[0]


def test_table(run: Run, context: RunContext, key: int) -> Dataset | None:
    """In a worker: the table of the run's test file, or None where it was tested on its own records."""
    return read_test_file(run, context, key) if run.method.needs_test_data else None


def change_words(then: Dataset, now: Dataset) -> str:
    """First difference between two tables: class, number of records, columns, use, kinds, else values."""
    one, other = then.schema, now.schema
    classes = [None if schema.class_index is None else schema.class_attribute.name for schema in (one, other)]
    if classes[0] != classes[1]:
        was, is_now = (shortened(name or "nothing", 30) for name in classes)
        return f"then {was} was predicted, now {is_now}"
    if len(then) != len(now):
        return f"it had {counted(len(then), 'record')}, now {len(now):,}"
    if one.names != other.names:
        return "its columns are others now"
    if one.predictors != other.predictors:
        return f"{len(one.predictors):,} of its columns were learned from, now {len(other.predictors):,}"
    if [schema.kind for schema in one.attributes] != [schema.kind for schema in other.attributes]:
        return "kinds of its columns are others now"
    return "values in it were changed since"


FEW = 3
"""Most steps that are named one by one."""


def after_steps(recipe: Recipe) -> str:
    """ "after 2 steps: fill missing values, scale numbers"; empty where there is none."""
    return f"after {counted(len(recipe), 'step')}: {_named(recipe)}" if recipe else ""


def step_words(step: Filter) -> str:
    """A step with its changed options, and whether it is for training records only."""
    return f"{step.summary()} (training records only)" if step.only_training else step.summary()


def steps_listed(recipe: Recipe) -> str:
    """The steps with their options, numbered, one per line."""
    return "\n".join(f"{number}. {step_words(step)}" for number, step in enumerate(recipe, start=1))


def changed_since(run: Run, data: Dataset | None, recipe: Recipe) -> str:
    """What changed in table and recipe since the run began, in one or two sentences; empty without changes."""
    sentences = []
    if data is not None and run.data is not data:
        sentences.append(f"Evaluated on the table as it was then: {change_words(run.data, data)}.")
    if run.recipe != recipe:
        now = f"the recipe has {counted(len(recipe), 'step')} now: {_named(recipe)}" if recipe else "there is none now"
        if [step.name for step in run.recipe] == [step.name for step in recipe]:
            now = "the options of these are others now"
        sentences.append(f"It learned {after_steps(run.recipe) or 'without any step'}; {now}.")
        sentences += [] if len(sentences) > 1 else ["The table is the same."]
    return " ".join(sentences)


def _named(recipe: Recipe) -> str:
    names = [step.name[:1].lower() + step.name[1:] for step in recipe[:FEW]]
    return ", ".join(names) + (f" and {len(recipe) - FEW} more" if len(recipe) > FEW else "")


RUN_ATTRIBUTES: Final = frozenset(attribute.name for attribute in fields(Run))
CHANGED_MS: Final = 80
"""Shortest time between two announcements of new folds, which all views take from the same moment."""


class RunList(QObject):
    """The runs in the order of starting. It starts them and is the only one who changes one, by :meth:`update`."""

    changed = Signal()
    current_changed = Signal()
    learning = Signal(object, object)
    """Progress of a network or support vector machine: its run, and the event."""
    brought_back = Signal(object)
    """A run came back into view; its learner, options and method are to be set again."""
    forgotten = Signal()

    def __init__(self, history: History, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._jobs = jobs
        self._messages = jobs.messages
        self._runs: list[Run] = []
        self._n_started = 0
        self._current: Run | None = None
        self._removal: Message | None = None
        self._arrived: list[tuple[Run, FoldDone]] = []
        """Folds that are not yet announced, and so not yet among those of their runs."""
        self._timer = single_shot(self, CHANGED_MS, self._announce_folds)

    @property
    def runs(self) -> tuple[Run, ...]:
        return tuple(self._runs)

    @property
    def current(self) -> Run | None:
        return self._current

    @property
    def judged(self) -> Run | None:
        """The run in view if it has a result."""
        return self._current if self._current is not None and self._current.is_judged else None

    def set_current(self, run: Run | None) -> None:
        if run is not self._current:
            self._current = run
            self.current_changed.emit()

    def bring_back(self, run: Run) -> None:
        """Bring a run into view together with its options."""
        self.set_current(run)
        self.brought_back.emit(run)

    def allow_test_file(self, run: Run) -> None:
        """Allow reading the test file that a project names, for every run with the same method."""
        for other in self._runs:
            if other.method == run.method:
                self.update(other, is_test_file_unread=False)
        self._jobs.unread_files.discard(str(run.method.values()["path"]))
        self.changed.emit()

    def set_note(self, run: Run, text: str) -> None:
        if run.note != text:
            self.update(run, note=text)
            self.changed.emit()

    def update(self, run: Run, **changes: object) -> None:
        """Set attributes of a run, else :class:`AttributeError`; the caller emits ``changed``, once for several."""
        for name, value in changes.items():
            if name not in RUN_ATTRIBUTES:
                raise AttributeError(f"A run has no attribute {name!r}.", name=name, obj=run)
            setattr(run, name, value)

    def forget(self) -> None:
        """Stop and forget every run. Only ``forgotten`` is emitted: the next table follows."""
        for run in self._runs:
            if run.is_running and run.job is not None:
                run.job.stop()
        self._runs.clear()
        self._arrived.clear()
        self._forget_removal()
        self._n_started = 0
        self._current = None
        self.forgotten.emit()

    def restore(self, runs: Sequence[Run], n_started: int, number_in_view: int | None) -> None:
        self._runs.extend(runs)
        self._n_started = n_started
        self._current = next((run for run in self._runs if run.number == number_in_view), None)

    def close(self) -> None:
        """Announce no more folds."""
        self._timer.stop()

    def remove(self, *runs: Run) -> None:
        """Stop and remove runs, and offer to put them back. Runs already removed are ignored."""
        gone = [run for run in self._runs if run in runs]
        if gone:
            put_back = self.take_out(*gone)
            words = f"Run {gone[0].number} was removed." if len(gone) == 1 else f"{len(gone)} runs were removed."
            self._removal = self._messages.add(Message(words, action_text="Undo", action=put_back))

    def take_out(self, *runs: Run) -> Callable[[], None]:
        """Remove runs without a message; the returned function puts them back."""
        gone = [(index, run) for index, run in enumerate(self._runs) if run in runs]
        in_view = self._current
        for _at, run in gone:
            run.stop()
            self._runs.remove(run)
        if in_view in runs:
            self.set_current(self._runs[-1] if self._runs else None)
        self.changed.emit()
        self._forget_removal()
        shown_again = in_view if in_view is not None and in_view in runs else gone[-1][1]
        return lambda: self._put_back(gone, shown_again)

    def _put_back(self, gone: list[tuple[int, Run]], shown: Run) -> None:
        self._removal = None
        for index, run in gone:
            self._runs.insert(index, run)
        self.set_current(shown)
        self.changed.emit()

    def _forget_removal(self) -> None:
        if self._removal is not None:
            self._messages.dismiss(self._removal)
            self._removal = None

    def start(self, learner: Learner, method: Method, seed: int = 1) -> Job:
        """Evaluate the learner by the method and train it on all records; the run comes into view at once."""
        return self._begin(self.new(learner, method, seed))

    def start_like(self, run: Run, learner: Learner, method: Method) -> Job:
        """Evaluate another learner on the records of a run, with its recipe and seed."""
        return self._begin(another_run(run, learner, method, recipe_of_model(run)))

    def start_again(self, run: Run) -> None:
        """Repeat a run on its own data, recipe and seed, unless it was removed."""
        if run in self._runs:
            self._begin(another_run(run, run.learner, run.method, run.recipe))
        else:
            self._messages.note(f"Run {run.number} is not among the runs any more.")

    def _begin(self, run: Run) -> Job:
        before = self._latest_equal(run, lambda other: bool(other.parts) and not other.is_running)
        if before is not None:
            self.update(run, parts=before.parts)
        title = f"{run.learner.name}, {run.method.described()}"
        job = self.launch(run, title, lambda context: judge_and_train(run, context))
        self.enter(run)
        self.set_current(run)
        if before is not None:
            self._messages.note(f"Run {run.number} continues from the folds of run {before.number} that were done.")
        return job

    def launch(self, run: Run, title: str, work: Callable[[RunContext], TrainedClassifier]) -> Job:
        """Start the job of a run: ``work`` evaluates it and returns its final classifier."""
        job = self._jobs.start(
            title,
            work,
            on_done=lambda trained: self.complete(run, trained),
            on_failed=lambda error: self.fail(run, error),
            on_stopped=lambda: self.end(run, RunState.STOPPED),
            on_event=lambda event: self.take_event(run, event),
            can_finish=True,
            worth_asking=True,
            seed=run.seed,
        )
        self.update(run, job=job)
        return job

    def same_as(self, run: Run) -> Run | None:
        """Latest equal run that was judged in full, or is being judged."""
        return self._latest_equal(run, lambda other: other.state in (RunState.DONE, RunState.RUNNING))

    def seconds_before(self, data: Dataset | None, method: Method | None) -> dict[type[Learner], float]:
        """Seconds that the latest evaluated run of each learner took on this table by this method."""
        alike = (run for run in self._runs if run.is_judged and run.data is data and run.method == method)
        return {type(run.learner): run.seconds for run in alike}

    def _latest_equal(self, run: Run, is_usable: Callable[[Run], bool]) -> Run | None:
        """Latest usable run with the same settings and data; one judged on a test file equals no other."""
        if run.method.needs_test_data:
            return None
        key = (run.learner, run.method, run.recipe, run.seed)
        for other in reversed(self._runs):
            if (
                other.data is run.data
                and is_usable(other)
                and (other.learner, other.method, other.recipe, other.seed) == key
            ):
                return other
        return None

    def new(self, learner: Learner, method: Method, seed: int) -> Run:
        """A run on the current document, not yet in the list."""
        document = self._history.needed
        return Run(0, learner, method, document.recipe, seed, document.data.origin.file_name, document.data)

    def enter(self, run: Run) -> None:
        """Number a run and append it to the list."""
        self._n_started += 1
        self.update(run, number=self._n_started)
        self._forget_removal()
        self._runs.append(run)
        self._announce_folds()

    def exchange(self, old: Run | None, new: Run | None) -> None:
        """Replace ``old`` by ``new``, which has the same number. Without ``old`` append, without ``new`` remove."""
        self._forget_removal()
        index = self._runs.index(old) if old is not None and old in self._runs else len(self._runs)
        self._runs[index : index + 1] = [] if new is None else [new]
        if new is not None:
            self._n_started = max(self._n_started, new.number)
        self.changed.emit()

    @property
    def next_number(self) -> int:
        return self._n_started + 1

    def take_event(self, run: Run, event: object) -> None:
        """Take a result, a model, a fold or training progress; ignore other events of the job."""
        from algorithms.evaluation.runner import FoldDone

        if isinstance(event, RunEvaluated):
            self.update(run, result=event.result, report=event.report)
            if run.job is not None:
                run.job.go_on()
            self._announce(run)
            return
        if isinstance(event, NetworkTraining | DualityGap):
            if event.can_finish:
                self._set_has_something(run, True)
            self.learning.emit(run, event)
            return
        if isinstance(event, ModelTrained):
            self.update(run, trained=event.trained)
            self._announce(run)
        if not isinstance(event, FoldDone):
            return
        self._arrived.append((run, event))
        self._set_has_something(run, event.n_folds > 1)
        if not self._timer.isActive():
            self._timer.start()

    def _take_folds(self) -> None:
        """Adds the folds that have arrived to their runs; the caller announces them."""
        self._timer.stop()
        for run, fold in self._arrived:
            run.folds.append(fold)
        self._arrived.clear()

    def _announce_folds(self) -> None:
        self._take_folds()
        self.changed.emit()

    @staticmethod
    def _set_has_something(run: Run, has_something: bool) -> None:
        if run.job is not None:
            run.job.set_has_something(has_something)

    def complete(self, run: Run, trained: TrainedClassifier, seconds: float | None = None) -> None:
        """Set the final model of a run. ``seconds`` defaults to the time of its job."""
        self.update(run, trained=trained)
        self._messages.mended(TABLE)
        partial = run.result is not None and run.result.partial
        self.end(run, RunState.PARTIAL if partial else RunState.DONE, seconds)

    def fail(self, run: Run, error: Exception, seconds: float | None = None, *, said_elsewhere: bool = False) -> None:
        if isinstance(error, CoppiceError):
            self.update(run, message=str(error))
            if not said_elsewhere:
                self._messages.error_in_place(f"Run {run.number}", error)
        else:
            self.update(run, message=PROGRAM_MISTAKE)
            self._jobs.report_bug(error)
        self.end(run, RunState.FAILED, seconds)

    def end(self, run: Run, state: RunState, seconds: float | None = None) -> None:
        """End a run that took ``seconds``, by default the time of its job; waits for compilation do not count."""
        if seconds is None:
            seconds = run.job.seconds - run.began_at if run.job is not None else 0.0
        context = run.part if run.part is not None or run.job is None else run.job.context
        seconds = max(0.0, seconds - (0.0 if context is None else context.waited))
        parts = run.parts if state in (RunState.STOPPED, RunState.PARTIAL) else {}
        self.update(run, state=state, parts=parts, seconds=seconds)
        self._announce(run)

    def _announce(self, run: Run) -> None:
        self._take_folds()
        self.changed.emit()
        if run is self._current:
            self.current_changed.emit()


def another_run(run: Run, learner: Learner, method: Method, recipe: Recipe) -> Run:
    """A run on the records of ``run``, with its seed; its test file stays unread under the same method."""
    unread = run.is_test_file_unread and method == run.method
    return Run(0, learner, method, recipe, run.seed, run.data_name, run.data, is_test_file_unread=unread)
