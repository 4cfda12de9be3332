"""The models that a run judged, fold by fold: fitted again, as the run did not keep them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.core.compiling import ensure_compiled
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import CoppiceError
from algorithms.core.filters import FittedRecipe, Recipe
from algorithms.core.learned import learn
from algorithms.core.learner import Learner, Model
from algorithms.core.resampling import Method, Split
from algorithms.evaluation.runner import MOST_PARTS, kernels_of, with_class

MOST_FOLDS: Final = 100
"""Of more folds than this only the first are fitted again."""


@dataclass(frozen=True, eq=False)
class FoldModel:
    """What was learned from the training records of a fold."""

    split: Split
    recipe: FittedRecipe
    model: Model


def fold_models(
    learner: Learner, data: Dataset, method: Method, context: RunContext, recipe: Recipe = (), most: int = MOST_FOLDS
) -> list[FoldModel]:
    """The models of the folds that :func:`evaluate` tests with the same arguments and seed, at most so many.

    A fold that cannot be learned from is left out. Raises :class:`DataError`, :class:`Cancelled`.
    """
    known, _ = with_class(data)
    splits = method.splits(known, np.random.default_rng(context.seeds))
    ensure_compiled(kernels_of(learner), context)
    n = len(splits)
    size = math.ceil(n / MOST_PARTS)
    first = int(splits[0].resubstitution)
    parts = [range(start, min(start + size, n, first + most)) for start in range(0, min(n, first + most), size)]

    def fitted(part: range) -> list[FoldModel]:
        within = context.child(len(part) / n, part[0])
        found = [_fitted(learner, known, recipe, splits, i, within.child(1 / len(part), i)) for i in part if i >= first]
        within.complete()
        return [each for each in found if each is not None]

    return [each for part in context.map(fitted, parts) for each in part]


def _fitted(
    learner: Learner, data: Dataset, recipe: Recipe, splits: Sequence[Split], index: int, context: RunContext
) -> FoldModel | None:
    context.checkpoint()
    split = splits[index]
    try:
        learned = learn(learner, recipe, data.take(split.train), context)
        return FoldModel(split, learned.recipe, learned.model)
    except CoppiceError:  # the run recorded why
        return None
    finally:
        context.complete()
