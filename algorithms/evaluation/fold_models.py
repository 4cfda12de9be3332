"""Trains the model of each fold of an evaluation again and applies a function to it and the fold's test records."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import Cancelled, ClusterError, CoppiceError, DataError
from algorithms.core.filters import Recipe
from algorithms.core.learner import Learner, Predictions
from algorithms.core.resampling import Method, Split
from algorithms.core.run_control import RunContext
from algorithms.core.training import LearnedModel, learn, suited_to
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.runner import MOST_PARTS, check_classes, kernels_of

Answer = TypeVar("Answer")
FIRST_SEED: Final = 2
"""Seed key of the first fold's questions; those below are of what is computed once for all folds."""
SHARE: Final = 0.9
"""Share of the progress that the folds take."""
MOST_SPLITS: Final = 100
"""The training records of at most so many folds are counted, to estimate the time."""
MOST_KEPT: Final = 32 << 20
"""Most bytes of a fold's model that is kept for the next question."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class FoldTask:
    """What the models of all folds are trained from; the folds are those of an evaluation with the same seed."""

    learner: Learner
    recipe: Recipe
    method: Method
    entropy: Any
    spawn_key: tuple[int, ...]

    @classmethod
    def of(cls, learner: Learner, recipe: Recipe, method: Method, data: Dataset, context: RunContext) -> FoldTask:
        """Raises :class:`DataError` for unusable data, or for a method that tests a separate file."""
        check_classes(data)
        if method.needs_test_data:
            raise DataError("This needs test records of the same table.", remedy="Test with cross-validation.")
        ensure_compiled(kernels_of(learner), context)
        return cls(suited_to(learner, method), recipe, method, context.seeds.entropy, context.seeds.spawn_key)

    def _splits(self, data: Dataset) -> tuple[Any, int]:
        """All splits, and how many of them come before the folds."""
        seeds = np.random.SeedSequence(self.entropy, spawn_key=self.spawn_key)
        splits = self.method.splits(data, np.random.default_rng(seeds))
        return splits, int(splits[0].resubstitution)

    def n_folds(self, data: Dataset) -> int:
        splits, n_before = self._splits(data)
        return len(splits) - n_before

    def fold(self, data: Dataset, index: int) -> Split:
        """The records of a fold."""
        splits, n_before = self._splits(data)
        split: Split = splits[n_before + index]
        return split

    def fold_testing(self, data: Dataset, row: int) -> int | None:
        """The first fold that tests a record; None if none does, or only together with training on it."""
        splits, n_before = self._splits(data)
        for index in range(len(splits) - n_before):
            split: Split = splits[n_before + index]
            if row in tested_rows(split) and row not in split.train:
                return index
        return None

    def test_share(self, data: Dataset) -> float:
        """Mean of tested / training records of a fold."""
        splits, n_before = self._splits(data)
        places = np.unique(np.linspace(n_before, len(splits) - 1, MOST_SPLITS).astype(int)).tolist()
        shares = [len(tested_rows(split)) / max(1, len(split.train)) for split in map(splits.__getitem__, places)]
        return sum(shares) / len(shares)

    def trained(self, data: Dataset, index: int, context: RunContext) -> LearnedModel:
        """The recipe and model of a fold, trained with the seed of its evaluation, or kept by the ``context``."""
        ensure_compiled(kernels_of(self.learner), context)
        splits, n_before = self._splits(data)
        n, place = len(splits), n_before + index
        key = *self.spawn_key, place - place % math.ceil(n / MOST_PARTS), place
        part = context.child(1.0, 0)
        part.seeds = np.random.SeedSequence(self.entropy, spawn_key=key)
        train = splits[place].train
        learned = part.once("model", lambda: learn(self.learner, self.recipe, data.take(train), part), _is_small)
        part.complete()
        return learned


@dataclass(frozen=True, eq=False)
class UnseenRecord:
    """The model of the fold that tests a record, its training records, and the record alone."""

    learned: LearnedModel
    train: Dataset
    record: Dataset
    fold: int
    n_folds: int


def unseen_record(
    learner: Learner, data: Dataset, method: Method, context: RunContext, number: int, recipe: Recipe = ()
) -> UnseenRecord:
    """Trains the model that tests record ``number`` (1 is the first); takes the first half of the progress.

    Raises :class:`DataError` if no fold tests the record.
    """
    labelled = data.labelled()
    task = FoldTask.of(learner, recipe, method, labelled, context)
    rows = np.flatnonzero(labelled.row_ids == number - 1)
    if not len(rows):
        has_record = bool(np.any(data.row_ids == number - 1))
        why = "has no class" if has_record else "does not exist"
        raise DataError(f"Record {number:,} {why}.", remedy="Choose another record.")
    fold = task.fold_testing(labelled, int(rows[0]))
    if fold is None:
        sentence = f"No {method.part_name} tests record {number:,}, so each model may have learned from it."
        raise DataError(sentence, remedy="Choose another record, or test with cross-validation.")
    learned = task.trained(labelled, fold, context.child(0.5, 0))
    train = labelled.take(task.fold(labelled, fold).train)
    return UnseenRecord(learned, train, apart(labelled, rows[:1]), fold, task.n_folds(labelled))


def _is_small(learned: LearnedModel) -> bool:
    """Whether the arrays of a model are few enough to keep one for each fold."""
    return sum(array.nbytes for array in learned.model.to_state().arrays.values()) <= MOST_KEPT


def tested_rows(split: Split) -> IntArray:
    """Rows of the records that a fold tests: its training records for a method that tests on these."""
    return split.train if split.test is None else split.test


def drawn_rows(rows: IntArray, most: int, context: RunContext) -> IntArray:
    """All rows or ``most`` of them drawn by the seed, in ascending order."""
    return rows if len(rows) <= most else np.sort(context.random().choice(rows, most, replace=False))


def answers(learned: LearnedModel, records: Dataset, context: RunContext) -> Predictions:
    """Decisions and probabilities of a model on raw records."""
    context.checkpoint()
    return learned.model.judged(learned.recipe.transform(records, context.checkpoint), context)


def apart(data: Dataset, rows: IntArray) -> Dataset:
    """These records with columns of their own, so that changing one is cheap."""
    taken = data.take(rows)
    schema = taken.schema
    return taken.remade(schema.attributes, [taken.content(i) for i in range(len(schema))], schema.class_index)


def each_fold(
    ask: Callable[..., Answer],
    task: FoldTask,
    data: Dataset,
    context: RunContext,
    *values: Any,
    keep: Callable[[Mapping[int, Answer], Sequence[str]], None],
    begun: Mapping[int, Answer] | None = None,
) -> tuple[dict[int, Answer], tuple[str, ...]]:
    """``ask(task, data, fold number, *values, context)`` of every fold, by workers if there are any.

    After each fold ``keep`` gets the answers so far and the sentences on failed folds. Returns both. Folds in ``begun``
    are not asked again. An early finish keeps the complete folds. Raises the first error if all folds fail, and
    :class:`DataError` if none is complete.
    """
    n, noun = task.n_folds(data), task.method.part_name
    done: dict[int, Answer] = dict(begun or {})
    failed: dict[int, Exception] = {}
    lock = threading.Lock()

    def failures() -> tuple[str, ...]:
        return tuple(f"{noun.capitalize()} {index + 1} failed: {_sentence(failed[index])}" for index in sorted(failed))

    def part(index: int) -> None:
        within = context.child(SHARE / n, FIRST_SEED + index, finish_cancels=True)
        try:
            answer = within.call(ask, task, data, index, *values)
        except Cancelled:
            context.checkpoint()
            return
        except ClusterError:  # no failure of the fold
            raise
        except Exception as error:  # one fold's failure must not stop its siblings; it is recorded
            if not isinstance(error, CoppiceError):
                _log.error("fold %d failed", index + 1, exc_info=error)
            with lock:
                failed[index] = error
            return
        within.complete()
        with lock:
            done[index] = answer
            context.say(f"{len(done)} of {n} {noun}s tested")
            keep(dict(sorted(done.items())), failures())

    context.spread(part, [index for index in range(n) if index not in done])
    context.checkpoint()
    if not done and failed:
        raise failed[min(failed)]
    if not done:
        raise DataError("No fold was complete yet, so there is nothing to show.", remedy="Start it again.")
    return dict(sorted(done.items())), failures()


def _sentence(error: Exception) -> str:
    return str(error) if isinstance(error, CoppiceError) else f"a mistake in the program ({type(error).__name__})"
