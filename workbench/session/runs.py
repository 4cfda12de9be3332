"""A run: learner, method, recipe, result and model; the work behind it; its steps in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.filters import Filter, Recipe, fit_recipe
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.project.run_record import RunRecord
from algorithms.project.run_record import RunState as RunState
from algorithms.text.names import shortened
from algorithms.text.sentences import counted

if TYPE_CHECKING:
    from algorithms.core.training import TrainedClassifier
    from algorithms.data.columns import IntArray
    from algorithms.evaluation.measures.metrics import Report
    from algorithms.evaluation.result import EvaluationResult
    from algorithms.evaluation.runner import FoldDone
    from algorithms.structures.model_structure import ModelStructure
    from workbench.jobs.jobs import Job


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
