"""A run: learner, method, recipe, result and model; the work behind it; its steps in words."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from algorithms.core.context import Kept, RunContext
from algorithms.core.errors import DataError
from algorithms.core.filters import Filter, Recipe, fit_recipe
from algorithms.core.learner import Learner
from algorithms.core.resampling import Method
from algorithms.data.dataset import Dataset
from algorithms.text.names import shortened
from algorithms.text.sentences import counted

if TYPE_CHECKING:
    from algorithms.core.training import TrainedClassifier
    from algorithms.data.columns import IntArray
    from algorithms.evaluation.compare.permutation_test import ShuffleTest
    from algorithms.evaluation.measures.metrics import Report
    from algorithms.evaluation.result import EvaluationResult
    from algorithms.evaluation.runner import FoldDone
    from algorithms.project.kept_runs import KeptAnalyses, Sweeps
    from workbench.jobs.jobs import Job


SHARE_OF_JUDGING: Final = 0.9
_OF_RECIPE: Final = (1, 0)
"""Which part of a run learns the recipe on all records: the first of the second."""
MODEL_SEED: Final = (1, 1)
"""And which part learns the model on them."""


@dataclass(frozen=True, eq=False)
class FoldView:
    """The fold whose model is looked at in place of that of all records.

    ``run`` is the row of the ledger, ``name`` what the model is called ("the model of fold 3"), ``rows`` (m,) are the
    places of its training records in the data of the run, ``seed_key`` is which part of the run learned it.
    """

    run: Run
    name: str
    rows: IntArray
    seed_key: tuple[int, int]


class RunState(StrEnum):
    RUNNING = "running"
    DONE = "done"
    PARTIAL = "partial"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(eq=False)
class Run:
    """One learner judged on one data set: a row of the ledger. Changed only by the session.

    ``data`` is the edited data as it was when the run began. ``message`` says why a run failed.
    """

    number: int
    learner: Learner
    method: Method
    recipe: Recipe
    seed: int
    data_name: str
    data: Dataset
    result: EvaluationResult | None = None
    report: Report | None = None
    trained: TrainedClassifier | None = None
    state: RunState = RunState.RUNNING
    folds: list[FoldDone] = field(default_factory=list)
    job: Job | None = None
    note: str = ""
    message: str = ""
    seconds: float = 0.0
    shuffle: ShuffleTest | None = None
    """What the same run does on shuffled classes, as far as that was tested."""
    sweeps: Sweeps = field(default_factory=dict)
    """Its learning and complexity curves as far as they were drawn; another mapping after each change."""
    findings: KeptAnalyses | None = None
    """How its members err and where its error comes from, as far as somebody asked; None until then."""
    kept: Kept = field(default_factory=dict)
    """What is judged so far, for the same run started once more after a stop; empty of one that is done."""
    is_test_file_unread: bool = False
    """Whether its test file is only named by a project that was opened, and nobody said that it may be read."""
    of_fold: FoldView | None = None
    """Set in a run that stands in for one of the ledger, with a fold's model to look at."""
    began_at: float = 0.0
    """When its turn came, in seconds of its job, where the job has several runs."""

    @property
    def is_running(self) -> bool:
        return self.state is RunState.RUNNING

    @property
    def is_judged(self) -> bool:
        """Whether there is a result to look at."""
        return self.result is not None


def learner_of_model(run: Run) -> Learner:
    """The learner of the model to look at: where several settings were tried, with the one chosen for all records."""
    return run.learner if run.trained is None else run.trained.learner


def recipe_of_model(run: Run) -> Recipe:
    """The steps before the model to look at, where settings of theirs were tried with the ones chosen."""
    return run.recipe if run.trained is None else run.trained.filters


@dataclass(frozen=True, eq=False)
class RunEvaluated:
    """Published when all folds are judged, before the model to look at is trained."""

    result: EvaluationResult
    report: Report


@dataclass(frozen=True, eq=False)
class ModelTrained:
    """Published where the model to look at is there before it is judged."""

    trained: TrainedClassifier


def judge_and_train(run: Run, context: RunContext) -> TrainedClassifier:
    """In a worker: evaluate, hand over the judgement, train on all records (whole, where only the folds were cut)."""
    from algorithms.compiled.ahead_of_time import ensure_compiled
    from algorithms.evaluation.measures.metrics import report
    from algorithms.evaluation.runner import evaluate, kernels_of, train

    ensure_compiled(kernels_of(run.learner), context)
    context.kept = run.kept
    judging = context.child(SHARE_OF_JUDGING, key=0, same_seed=True)
    test_data = None
    if run.method.needs_test_data:
        test_data = read_test_file(run, context, key=2)
    context.say("Judging")
    result = evaluate(run.learner, run.data, run.method, judging, recipe=run.recipe, test_data=test_data)
    context.publish(RunEvaluated(result, report(result, checkpoint=context.checkpoint)))
    judging.complete()
    training = context.child(1 - SHARE_OF_JUDGING, key=1, finish_forgotten=True)
    context.say("Training on all records")
    return train(run.learner, run.data, run.recipe, training, run.method)


def learned_from(run: Run, trained: TrainedClassifier, data: Dataset, context: RunContext) -> Dataset:
    """In a worker: ``data``, the run's records, as the model of ``trained`` got them from the recipe.

    Where the model is that of a fold, the records are those it learned from.
    Where a step draws, balances or weighs training records, or gives them values of their own, it is learned again with
    the seed that :func:`judge_and_train` gave it, so that the counts of the model are those of these records.
    """
    if run.of_fold is not None:
        data = run.data.take(run.of_fold.rows)
    if all(type(step).learn is Filter.learn for step in trained.filters):
        return trained.prepared(data)
    known = data.class_codes >= 0
    part = context.child(0.5, key=_OF_RECIPE[1])
    of_recipe = _OF_RECIPE if run.of_fold is None else (*run.of_fold.seed_key, _OF_RECIPE[1])
    part.seeds = np.random.SeedSequence(run.seed, spawn_key=of_recipe)
    return fit_recipe(trained.filters, data if bool(known.all()) else data.take(known), part)[1]


def read_test_file(run: Run, context: RunContext, key: int) -> Dataset:
    """In a worker: the table of the test file; ``key`` numbers the reading among the parts of the context.

    Raises :class:`DataError` where a project names the file and the person has not said that it may be read: a
    stranger's project would have the program open any file, or call upon any machine.
    """
    from algorithms.io.reading import read

    path = str(run.method.values()["path"])
    if run.is_test_file_unread:
        raise DataError(
            f"The test file {Path(path).name} was not looked at, since the project names it.",
            remedy="Choose Check it among the warnings of the run.",
            place=path,
        )
    context.check_may_open(path)
    context.say("Reading the test file")
    return read(path, context.child(0.0, key=key))


def change_words(then: Dataset, now: Dataset) -> str:
    """The first that differs of class, records, columns, their use and kinds; else it is values."""
    one, other = then.schema, now.schema
    classes = [None if each.class_index is None else each.class_attribute.name for each in (one, other)]
    if classes[0] != classes[1]:
        was, is_now = (shortened(name or "nothing", 30) for name in classes)
        return f"then {was} was predicted, now {is_now}"
    if len(then) != len(now):
        return f"it had {counted(len(then), 'record')}, now {len(now):,}"
    if one.names != other.names:
        return "its columns are others now"
    if one.predictors != other.predictors:
        return f"{len(one.predictors):,} of its columns were learned from, now {len(other.predictors):,}"
    if [each.kind for each in one.attributes] != [each.kind for each in other.attributes]:
        return "kinds of its columns are others now"
    return "values in it were changed since"


FEW = 3
"""So many steps are named one by one."""


def after_steps(recipe: Recipe) -> str:
    """ "after 2 steps: fill missing values, scale numbers"; empty where there is none."""
    return f"after {counted(len(recipe), 'step')}: {_named(recipe)}" if recipe else ""


def step_words(step: Filter) -> str:
    """A step with the options that differ, and whether it is for training records only."""
    return f"{step.summary()} (training records only)" if step.only_training else step.summary()


def steps_listed(recipe: Recipe) -> str:
    """Every step with its options on a line of its own, in the order in which they are done."""
    return "\n".join(f"{number}. {step_words(step)}" for number, step in enumerate(recipe, start=1))


def changed_since(run: Run, data: Dataset | None, recipe: Recipe) -> str:
    """What is otherwise now than when the run began, in a sentence or two; empty where nothing is."""
    said = []
    if data is not None and run.data is not data:
        said.append(f"Judged on the table as it was then: {change_words(run.data, data)}.")
    if run.recipe != recipe:
        now = f"the recipe has {counted(len(recipe), 'step')} now: {_named(recipe)}" if recipe else "there is none now"
        if [step.name for step in run.recipe] == [step.name for step in recipe]:
            now = "the options of these are others now"
        said.append(f"It learned {after_steps(run.recipe) or 'without any step'}; {now}.")
        said += [] if len(said) > 1 else ["The table is the same."]
    return " ".join(said)


def _named(recipe: Recipe) -> str:
    names = [step.name[:1].lower() + step.name[1:] for step in recipe[:FEW]]
    return ", ".join(names) + (f" and {len(recipe) - FEW} more" if len(recipe) > FEW else "")
