"""The nested sequence of pruned trees, their errors, and the learner that stops at a number of leaves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import DataError
from algorithms.core.learner import Learner, Model, Problem
from algorithms.core.parameters import integer, learner_parameter
from algorithms.core.run_control import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.pruning.cost_complexity import leaf_sums
from algorithms.learners.trees.pruning.methods import training_errors, with_leaves
from algorithms.learners.trees.routing import DIVIDED, Arrivals, arrivals, leaf_probabilities
from algorithms.learners.trees.tree_learner import KERNELS
from algorithms.structures.tree import Tree


@dataclass(frozen=True, eq=False)
class SubtreeSequence:
    """The subtrees T_0, the whole tree of m nodes, to T_s, its root; each step makes one more node a leaf.

    ``cut`` (s,) is the node of each step, never an ancestor of a later one. ``price`` (s + 1,) is the least penalty of
    a leaf, in training errors, at which the step is taken, 0 for the whole tree.
    """

    tree: Tree
    cut: IntArray
    price: FloatArray

    @cached_property
    def leaves(self) -> IntArray:
        """Number of leaves left after each step (s + 1,)."""
        return np.rint(self.summed(np.ones(self.tree.n_nodes))).astype(np.int64)

    @cached_property
    def wrong(self) -> FloatArray:
        """Training weight (s + 1,) that these leaves misclassify."""
        return self.summed(training_errors(self.tree))

    @property
    def n_steps(self) -> int:
        """Number of steps; each cuts one node, so there is one tree more."""
        return len(self.cut)

    def cut_after(self, step: int) -> NDArray[np.bool_]:
        """Nodes (m,) that have become leaves by the end of this step."""
        is_cut = np.zeros(self.tree.n_nodes, dtype=np.bool_)
        is_cut[self.cut[:step]] = True
        return is_cut

    def subtree(self, step: int) -> Tree:
        """The tree after this many steps, 0 for all of it."""
        return with_leaves(self.tree, self.cut_after(step))

    def step_of(self, n_leaves: int) -> int:
        """First step after which the tree has at most this many leaves."""
        return min(self.n_steps, int(np.searchsorted(-self.leaves, -n_leaves)))

    def summed(self, values: FloatArray) -> FloatArray:
        """The sum of ``values`` (m,) over the leaves after each step (s + 1,)."""
        step = np.full(self.tree.n_nodes, np.inf)
        step[self.cut] = np.arange(1, self.n_steps + 1)
        return leaf_sums(self.tree, step, np.arange(self.n_steps + 1), values)


def shrinking(tree: Tree) -> SubtreeSequence:
    """The tree pruned at its (lower) weakest link, by errors per removed leaf (Breiman et al. 1984, section 3.3)."""
    from algorithms.learners.trees.kernels.pruning_kernels import weakest_links

    price = weakest_links(training_errors(tree), tree.parent, tree.first_child, tree.n_children)
    order = np.lexsort((-np.arange(tree.n_nodes), price))
    cut = order[: int(np.count_nonzero(np.isfinite(price)))]
    prices = np.append(0.0, np.maximum.accumulate(np.maximum(price[cut], 0.0)))
    return SubtreeSequence(tree, cut, prices)


def unpruned(learner: Learner) -> Learner:
    """The learner without pruning and held-out records; itself if it has neither."""
    off = {"pruning": "none", "early_stopping": False}
    there = learner.values()
    return learner.with_values(**{name: value for name, value in off.items() if name in there})


def wrong_after(shrunk: SubtreeSequence, data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> FloatArray:
    """Weight (s + 1,) of the records with a known class that the tree misclassifies after each step.

    ``data`` is as the model sees it. Errors are those of :meth:`TreeModel.predict`, also for a record that a missing
    value divides among the leaves. Calls ``checkpoint`` often, which may raise.
    """
    tree = shrunk.tree
    data = aligned(tree.schema, data)
    arrived = arrivals(tree, data, checkpoint)
    codes, k = data.class_codes.astype(np.int64), len(tree.schema.classes)
    weights = np.where(codes >= 0, data.weight_array, 0.0)
    by_class = arrived.tally(np.where(arrived.leaf == DIVIDED, 0.0, weights), np.maximum(codes, 0), k)
    wrong = shrunk.summed(by_class.sum(axis=1) - by_class[np.arange(tree.n_nodes), tree.decision])
    if len(arrived.part_row):
        wrong = wrong + _Divided(shrunk, arrived, codes, weights).wrong(checkpoint)
    return wrong


class _Divided:
    """The divided records: the share of each in the current leaves, and their mixed class probabilities."""

    def __init__(self, shrunk: SubtreeSequence, arrived: Arrivals, codes: IntArray, weights: FloatArray) -> None:
        tree = shrunk.tree
        self._shrunk, self._probabilities = shrunk, leaf_probabilities(tree)
        rows, position = np.unique(arrived.part_row, return_inverse=True)
        self._truth, self._weights = codes[rows], weights[rows]
        self._mixed = np.zeros((len(rows), len(tree.schema.classes)))
        np.add.at(self._mixed, position, arrived.part_share[:, None] * self._probabilities[arrived.part_leaf])
        order = np.argsort(arrived.part_leaf, kind="stable")
        leaves, starts = np.unique(arrived.part_leaf[order], return_index=True)
        parts = zip(np.split(position[order], starts[1:]), np.split(arrived.part_share[order], starts[1:]), strict=True)
        self._parts: dict[int, tuple[IntArray, FloatArray]] = dict(zip(leaves.tolist(), parts, strict=True))
        reached = np.zeros(tree.n_nodes)
        reached[leaves] = 1.0
        self._reached = reached + tree.summed_below(reached) > 0

    def wrong(self, checkpoint: Callable[[], None]) -> FloatArray:
        """Misclassified weight (s + 1,) of these records after each step."""
        cut = self._shrunk.cut.tolist()
        errors = np.zeros(len(cut) + 1)
        is_wrong = self._is_wrong(np.arange(len(self._truth)))
        now = errors[0] = float(is_wrong.sum())
        for step, node in enumerate(cut, 1):
            if self._reached[node]:
                checkpoint()
                rows = self._gather(node)
                fresh = self._is_wrong(rows)
                now += float((fresh - is_wrong[rows]).sum())
                is_wrong[rows] = fresh
            errors[step] = now
        return errors

    def _is_wrong(self, rows: IntArray) -> FloatArray:
        """Weight of each record if it is misclassified, else 0."""
        decided = np.argmax(self._mixed[rows], axis=1)
        return np.where(decided == self._truth[rows], 0.0, self._weights[rows])

    def _gather(self, node: int) -> IntArray:
        """Makes a node a leaf: replaces the leaves below it in the mixtures; returns the records concerned."""
        tree, rows, shares = self._shrunk.tree, list[IntArray](), list[FloatArray]()
        waiting = [node]
        while waiting:
            below = waiting.pop()
            part = self._parts.pop(below, None)
            if part is None:
                waiting += [child for child in tree.children(below) if self._reached[child]]
                continue
            np.subtract.at(self._mixed, part[0], part[1][:, None] * self._probabilities[below])
            rows.append(part[0])
            shares.append(part[1])
        if not rows:
            return np.zeros(0, dtype=np.int64)
        together, at_row = np.unique(np.concatenate(rows), return_inverse=True)
        whole = np.bincount(at_row, weights=np.concatenate(shares)).astype(np.float64)
        self._parts[node] = (together, whole)
        self._mixed[together] += whole[:, None] * self._probabilities[node]
        return together


_SHARE_OF_GROWING: Final = 0.95


@dataclass(frozen=True, kw_only=True)
class CutBackTree(Learner):
    """The unpruned tree of ``base``, cut back by its weakest links to at most ``leaves`` (:class:`SubtreeSequence`)."""

    id: ClassVar[str] = "cut-back-tree"
    name: ClassVar[str] = "Pruned tree"
    sentence: ClassVar[str] = "A tree grown by another learner and pruned to a number of leaves."
    source: ClassVar[str] = "Breiman, Friedman, Olshen and Stone (1984), section 3.3"
    family: ClassVar[str] = "Trees"
    kernels: ClassVar[tuple[str, ...]] = KERNELS
    listed: ClassVar[bool] = False

    base: Learner = learner_parameter(C45(), label="Base learner", help="The learner that grows the tree.")
    leaves: int = integer(
        5, lo=1, label="Maximum leaves", help="Largest number of leaves after pruning.", unit="leaves"
    )

    @property
    def resamples(self) -> bool:
        return unpruned(self.base).resamples

    def check(self, summary: Summary) -> list[Problem]:
        return self.base.check(summary)

    def summary(self) -> str:
        return f"{self.base.name}, pruned to {self.leaves:,} lea{'f' if self.leaves == 1 else 'ves'}"

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        ensure_compiled(KERNELS, context)
        growing = context.child(_SHARE_OF_GROWING, 0, same_seed=True)
        model = unpruned(self.base).fit(data, growing)
        growing.complete()
        tree = model.structure()
        if not isinstance(tree, Tree):
            raise DataError(f"{self.base.name} grows no tree that could be pruned.", remedy="Choose a tree learner.")
        shrunk = shrinking(tree)
        return TreeModel(shrunk.subtree(shrunk.step_of(self.leaves)), partial=model.partial)


def cut_back(learner: Learner, leaves: int) -> CutBackTree:
    """The learner that prunes the tree of ``learner`` to this many leaves, whatever its former limit."""
    return CutBackTree(base=grown_whole(learner), leaves=leaves)


def asked_by(learner: Learner) -> Learner:
    """The learner that chose the splits of the learner's tree: for a pruned tree, the one without pruning."""
    return unpruned(learner.base) if isinstance(learner, CutBackTree) else learner


def cut_words(learner: Learner) -> str:
    """Why a leaf of the learner's tree is one, if its growth does not explain it."""
    if isinstance(learner, CutBackTree):
        n = learner.leaves
        return f"The tree was pruned to {n:,} lea{'f' if n == 1 else 'ves'}: other splits reduced the error more."
    return "The tree was finished early."


def grown_whole(learner: Learner) -> Learner:
    """The learner whose tree was cut back; the learner itself otherwise."""
    return learner.base if isinstance(learner, CutBackTree) else learner
