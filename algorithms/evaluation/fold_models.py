"""Models of a run's folds, trained again since the run does not keep them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import CoppiceError, DataError
from algorithms.core.filters import FittedRecipe, Recipe
from algorithms.core.learner import Learner, Model
from algorithms.core.resampling import Method, Split
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier, learn, suited_to
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.runner import MOST_PARTS, classifier_of, kernels_of

MOST_FOLDS: Final = 100
"""Largest number of folds trained again."""


@dataclass(frozen=True, eq=False)
class FoldModel:
    """The model of a fold."""

    split: Split
    recipe: FittedRecipe
    model: Model


@dataclass(frozen=True, eq=False)
class FoldClassifier:
    """The classifier of a fold, the table rows that trained it, and its seed key."""

    trained: TrainedClassifier
    rows: IntArray
    seed_key: tuple[int, int]


def fold_models(
    learner: Learner, data: Dataset, method: Method, context: RunContext, recipe: Recipe = (), most: int = MOST_FOLDS
) -> list[FoldModel]:
    """The models of at most ``most`` folds of :func:`evaluate` with the same arguments and seed.

    Folds on which the learner fails are omitted. Raises :class:`DataError` and :class:`Cancelled`.
    """
    labelled = data.labelled()
    splits = method.splits(labelled, np.random.default_rng(context.seeds))
    ensure_compiled(kernels_of(learner), context)
    n = len(splits)
    size = math.ceil(n / MOST_PARTS)
    first = int(splits[0].resubstitution)
    suited = suited_to(learner, method)
    parts = [range(start, min(start + size, n, first + most)) for start in range(0, min(n, first + most), size)]

    def fitted(part: range) -> list[FoldModel]:
        within = context.child(len(part) / n, part[0])
        models = [
            _fitted(suited, labelled, recipe, splits, i, within.child(1 / len(part), i)) for i in part if i >= first
        ]
        within.complete()
        return [model for model in models if model is not None]

    return [model for part in context.map(fitted, parts) for model in part]


def model_of_fold(
    learner: Learner,
    data: Dataset,
    method: Method,
    part: tuple[int, int],
    context: RunContext,
    recipe: Recipe = (),
) -> FoldClassifier:
    """The model of one fold of :func:`evaluate` with the same arguments and seed, trained again.

    ``part`` is (repeat, fold). Raises :class:`DataError` if there is no such fold, the learner's errors, and
    :class:`Cancelled`.
    """
    labelled = data.labelled()
    splits = method.splits(labelled, np.random.default_rng(context.seeds))
    ensure_compiled(kernels_of(learner), context)
    n, index = len(splits), _index_of(splits, part)
    size = math.ceil(n / MOST_PARTS)
    start = index - index % size
    within = context.child(1.0, start).child(1.0, index)
    learned = learn(suited_to(learner, method), recipe, labelled.take(splits[index].train), within)
    rows = np.flatnonzero(data.class_codes >= 0)[splits[index].train]
    return FoldClassifier(classifier_of(learned, data), rows, (start, index))


def _index_of(splits: Sequence[Split], part: tuple[int, int]) -> int:
    """Index of the split of this repeat and fold, without making all splits if folds are in order."""
    n, first = len(splits), int(splits[0].resubstitution)
    repeat, fold = part
    per_repeat = max(1, (n - first) // (int(splits[n - 1].repeat) + 1))
    likely: int = first + repeat * per_repeat + fold
    index: int
    for index in (likely, *range(first, n)):
        if first <= index < n and (splits[index].repeat, splits[index].fold) == part:
            return index
    raise DataError("The run has no such fold.", remedy="Run it again.")


def _fitted(
    learner: Learner, data: Dataset, recipe: Recipe, splits: Sequence[Split], index: int, context: RunContext
) -> FoldModel | None:
    context.checkpoint()
    split = splits[index]
    try:
        learned = learn(learner, recipe, data.take(split.train), context)
        return FoldModel(split, learned.recipe, learned.model)
    except CoppiceError:  # the run recorded the error
        return None
    finally:
        context.complete()
