"""Error of a tree on training and unseen records for every number of leaves of its pruning sequence.

Source: TSKK sections 3.4 and 3.5 (the overfitting curve); Breiman et al. 1984, section 3.4 (pruned trees by folds).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import DataError
from algorithms.core.filters import Recipe, fit_recipe
from algorithms.core.learner import Learner
from algorithms.core.resampling import Method, Split
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import kernels_of, train
from algorithms.learners.trees.pruning.pruning_sequence import SubtreeSequence, shrinking, unpruned, wrong_after
from algorithms.structures.tree import Tree

MOST_SPLITS: Final = 30
"""Largest number of splits used; ten folds replace methods with more."""
_GROWING: Final = 0.2


@dataclass(frozen=True, eq=False)
class TreeSizes:
    """An unpruned tree with its pruning sequence (s + 1 trees) and the error of each of them.

    ``training`` (s + 1,) is the training error. ``unseen`` (s + 1,) is the error on the records tested by ``method``,
    of trees grown without them and pruned to at most as many leaves. ``spread`` (s + 1,) is its standard error,
    counting each record once. ``is_own`` says whether ``method`` and splits are those of the run.
    """

    trained: TrainedClassifier
    shrinking: SubtreeSequence
    training: FloatArray
    unseen: FloatArray
    spread: FloatArray
    n_training: int
    n_tested: int
    method: Method
    is_own: bool

    @property
    def leaves(self) -> IntArray:
        """Number of leaves after each pruning step (s + 1,)."""
        return self.shrinking.leaves

    @property
    def best(self) -> int:
        """Pruning step with the least error on unseen records, the smallest tree in a tie."""
        return int(np.flatnonzero(self.unseen <= self.unseen.min() + 1e-12)[-1])


def tree_sizes(
    learner: Learner,
    data: Dataset,
    recipe: Recipe,
    method: Method,
    context: RunContext,
    test_data: Dataset | None = None,
) -> TreeSizes:
    """Grow the learner's tree unpruned on all labelled records and evaluate it at every size.

    The splits are those of :func:`evaluate` under the same seed, or ten folds for methods without unseen records or
    with more than :data:`MOST_SPLITS` splits. ``test_data`` is the test file, if any. Raises :class:`DataError` if
    there is no tree or too few records, and :class:`Cancelled`.
    """
    ensure_compiled(kernels_of(learner), context)
    bare = unpruned(learner)
    context.say("Growing the whole tree")
    trained = train(bare, data, recipe, context.child(_GROWING, key=1))
    tree = trained.structure()
    if not isinstance(tree, Tree):
        raise DataError(f"{learner.name} grows no tree.", remedy="Choose a tree learner.")
    labelled = data.labelled()
    judging = context.child(1 - _GROWING, key=0, same_seed=True)
    splits, used = _splits(labelled, method, judging)
    tested = None
    if used.needs_test_data and test_data is not None:
        tested = test_data.take(aligned(labelled.schema, test_data).class_codes >= 0)
    shrunk = shrinking(tree)
    mine = wrong_after(shrunk, trained.prepared(labelled), context.checkpoint)
    context.say("Judging smaller trees")
    judge = _SplitTest(bare, recipe, labelled, tested, shrunk.leaves, len(splits), judging)
    parts = judging.map(judge.wrong, list(enumerate(splits)))
    weight, n_tested = sum(part[1] for part in parts), sum(part[2] for part in parts)
    unseen = np.sum([part[0] for part in parts], axis=0) / max(weight, 1e-300)
    return TreeSizes(
        trained=trained,
        shrinking=shrunk,
        training=mine / max(float(labelled.weight_array.sum()), 1e-300),
        unseen=unseen,
        spread=np.sqrt(np.maximum(unseen * (1 - unseen), 0.0) / max(1, _n_distinct(splits, n_tested))),
        n_training=len(labelled),
        n_tested=n_tested,
        method=used,
        is_own=used == method,
    )


def _n_distinct(splits: Sequence[Split], n_tested: int) -> int:
    """Number of distinct tested records; ``n_tested`` for a test file."""
    parts = [split.test for split in splits if split.test is not None]
    return len(np.unique(np.concatenate(parts))) if parts else n_tested


def _splits(data: Dataset, method: Method, context: RunContext) -> tuple[list[Split], Method]:
    """The splits to evaluate on, and their method."""
    if method.honest:
        splits = method.splits(data, np.random.default_rng(context.seeds))
        if len(splits) <= MOST_SPLITS and not splits[0].resubstitution:
            return list(splits), method
    folds = CrossValidation(folds=max(2, min(10, len(data))))
    return list(folds.splits(data, np.random.default_rng(context.seeds))), folds


@dataclass(frozen=True, eq=False)
class _SplitTest:
    """Grows a tree on the training part of a split and tests it at each number of ``leaves`` (s + 1,)."""

    learner: Learner
    recipe: Recipe
    data: Dataset
    tested: Dataset | None
    leaves: IntArray
    n_splits: int
    context: RunContext

    def wrong(self, numbered: tuple[int, Split]) -> tuple[FloatArray, float, int]:
        """Weight of the errors at each size (s + 1,), tested weight, and number of tested records."""
        index, split = numbered
        context = self.context.child(1 / self.n_splits, index).child(1.0, index)
        context.checkpoint()
        fitted, prepared = fit_recipe(self.recipe, self.data.take(split.train), context.child(0.1, 0))
        schema = self.data.schema
        if split.test is not None:
            test = self.data.take(split.test)
        elif self.tested is not None:
            test = aligned(schema, self.tested, fitted.rare_values(schema))
        else:
            raise DataError("The test file is not there.", remedy="Judge by folds instead.")
        tree = self.learner.fit(prepared, context.child(0.9, 1)).structure()
        assert isinstance(tree, Tree)
        shrunk = shrinking(tree)
        wrong = wrong_after(shrunk, fitted.transform(test), context.checkpoint)
        context.complete()
        steps = np.minimum(shrunk.n_steps, np.searchsorted(-shrunk.leaves, -self.leaves))
        return wrong[steps], float(test.weight_array.sum()), len(test)
