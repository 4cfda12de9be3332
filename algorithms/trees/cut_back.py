"""A tree that a learner grew, cut back to a number of leaves: a learner of its own, so that it is judged like any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final

from algorithms.core.compiling import ensure_compiled
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError
from algorithms.core.learner import Learner, Model, Problem
from algorithms.core.params import integer
from algorithms.core.params import learner as learner_parameter
from algorithms.core.structures import Tree
from algorithms.core.summary import Summary
from algorithms.trees.c45 import C45
from algorithms.trees.induction import KERNELS
from algorithms.trees.model import TreeModel
from algorithms.trees.shrinking import shrinking, unpruned

_SHARE_OF_GROWING: Final = 0.95


@dataclass(frozen=True, kw_only=True)
class CutBackTree(Learner):
    """The tree of ``base`` without its pruning, cut back by its weakest links until it has at most ``leaves``.

    On any records the tree is grown and cut back anew, as at each step of :class:`Shrinking`.
    """

    id: ClassVar[str] = "cut-back-tree"
    name: ClassVar[str] = "Tree cut back"
    sentence: ClassVar[str] = "A tree that was grown by another learner and then cut back to a number of leaves."
    source: ClassVar[str] = "Breiman, Friedman, Olshen and Stone (1984), section 3.3"
    family: ClassVar[str] = "Trees"
    kernels: ClassVar[tuple[str, ...]] = KERNELS
    listed: ClassVar[bool] = False

    base: Learner = learner_parameter(C45(), label="Grown by", help="The learner that grows the tree.")
    leaves: int = integer(5, lo=1, label="Leaves to keep", help="How many leaves are left at most.", unit="leaves")

    @property
    def resamples(self) -> bool:
        return unpruned(self.base).resamples

    def check(self, summary: Summary) -> list[Problem]:
        return self.base.check(summary)

    def summary(self) -> str:
        return f"{self.base.name}, cut back to {self.leaves:,} lea{'f' if self.leaves == 1 else 'ves'}"

    def _fit(self, data: Dataset, context: RunContext) -> Model:
        ensure_compiled(KERNELS, context)
        growing = context.child(_SHARE_OF_GROWING, 0, same_seed=True)
        model = unpruned(self.base).fit(data, growing)
        growing.complete()
        tree = model.structure()
        if not isinstance(tree, Tree):
            raise DataError(f"{self.base.name} grows no tree that could be cut back.", remedy="Choose a tree learner.")
        shrunk = shrinking(tree)
        return TreeModel(shrunk.subtree(shrunk.step_of(self.leaves)), partial=model.partial)


def cut_back(learner: Learner, leaves: int) -> CutBackTree:
    """The learner that cuts the tree of ``learner`` back to so many leaves, whatever that was cut back to before."""
    return CutBackTree(base=grown_whole(learner), leaves=leaves)


def asked_by(learner: Learner) -> Learner:
    """The learner that chose the questions of the learner's tree: of a tree cut back the one that did not prune."""
    return unpruned(learner.base) if isinstance(learner, CutBackTree) else learner


def cut_words(learner: Learner) -> str:
    """Why a leaf of the learner's tree is one, where its growth does not say."""
    if isinstance(learner, CutBackTree):
        n = learner.leaves
        return f"The tree was cut back to {n:,} lea{'f' if n == 1 else 'ves'}: other questions were worth more."
    return "The tree was finished early."


def grown_whole(learner: Learner) -> Learner:
    """The learner whose tree was cut back; the learner itself where it was not."""
    return learner.base if isinstance(learner, CutBackTree) else learner
