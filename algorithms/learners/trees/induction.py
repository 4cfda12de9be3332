"""From data to a tree model: grow, cut back."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Final, cast

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.context import RunContext
from algorithms.core.learner import Learner, Problem
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.data.summary import Summary
from algorithms.learners.trees.growth.engine import KERNELS as GROWTH_KERNELS
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.growth.growing_tree import MOST_BRANCHES
from algorithms.learners.trees.growth.growth_options import GrowthOptions, GrowthResult
from algorithms.learners.trees.model import TreeModel
from algorithms.structures.tree import Tree

KERNELS: Final = (
    *GROWTH_KERNELS,
    "algorithms.learners.trees.kernels.prediction_kernels",
    "algorithms.learners.trees.kernels.pruning_kernels",
    "algorithms.learners.trees.kernels.pruning_kernels",
    "algorithms.learners.trees.kernels.prediction_kernels",
    "algorithms.learners.trees.kernels.raising_kernels",
    "algorithms.learners.trees.kernels.raising_kernels",
)
"""The modules of compiled loops that a tree learner needs."""

Pruner = Callable[[GrowthResult, Dataset, RunContext], tuple[Tree, bool]]
"""Cuts a tree back that was grown on this data; the second value tells whether it was completed."""

Grower = Callable[[Dataset, GrowthOptions, RunContext], GrowthResult]
"""Grows a tree."""

_GROWTH_SHARE: Final = 0.85


class TreeLearner(Learner):
    """What learners of a single tree share; each declares its parameters, these among them, with its own defaults."""

    family: ClassVar[str] = "Trees"
    kernels: ClassVar[tuple[str, ...]] = KERNELS

    criterion: str
    nominal_splits: str
    thresholds: str
    min_leaf: int
    max_depth: int | None
    max_leaves: int | None
    min_gain: float
    split_without_gain: bool

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary)
        return problems or too_many_values(summary, self.growth())

    def growth(self) -> GrowthOptions:
        """What to grow under these parameters."""
        return GrowthOptions(
            criterion=cast(Any, self.criterion),
            nominal_splits=cast(Any, self.nominal_splits),
            ordinal_splits=getattr(self, "ordinal_splits", "ordered"),
            thresholds=cast(Any, self.thresholds),
            min_leaf=self.min_leaf,
            max_depth=self.max_depth,
            max_leaves=self.max_leaves,
            min_gain=self.min_gain,
            split_without_gain=self.split_without_gain,
            numeric_splits=getattr(self, "numeric_splits", "binary"),
            numeric_branches=getattr(self, "numeric_branches", 4),
            search=getattr(self, "split_search", "exact"),
            bins=getattr(self, "bins", 255),
        )

    @property
    def growth_share(self) -> float:
        """The share of the work that growing is, for the progress."""
        return _GROWTH_SHARE

    def _fit(self, data: Dataset, context: RunContext) -> TreeModel:
        grown_on, held_out = self.parts(data)

        def prune(grown: GrowthResult, data: Dataset, within: RunContext) -> tuple[Tree, bool]:
            return self._pruned(grown, data, held_out, within)

        return induced(grown_on, self.growth(), prune, context, self.grown, self.growth_share)

    def parts(self, data: Dataset) -> tuple[Dataset, Dataset | None]:
        """The records of ``data`` that the tree is grown on, weighed as there, and those that are held out to test it,
        where any are."""
        return self.weighed(data), None

    def weighed(self, data: Dataset) -> Dataset:
        """The data with the weights that the learner gives the records."""
        return data

    def grown(self, data: Dataset, options: GrowthOptions, context: RunContext) -> GrowthResult:
        """The whole tree, not cut back, that grows on ``data`` by these options."""
        return grow(data, options, context)

    @abstractmethod
    def _pruned(
        self, grown: GrowthResult, data: Dataset, held_out: Dataset | None, context: RunContext
    ) -> tuple[Tree, bool]:
        """The tree, ``grown`` on ``data``, cut back, and whether that was completed."""


def induced(
    data: Dataset,
    options: GrowthOptions,
    prune: Pruner,
    context: RunContext,
    grower: Grower = grow,
    growth_share: float = _GROWTH_SHARE,
) -> TreeModel:
    """The model of a tree grown on ``data`` by ``options`` and cut back by ``prune``."""
    ensure_compiled(KERNELS, context)
    growing = context.child(growth_share, 0)
    grown = grower(data, options, growing)
    growing.complete()
    pruning = context.child(1 - growth_share, 1)
    tree, completed = prune(grown, data, pruning)
    pruning.complete()
    return TreeModel(tree, partial=grown.partial or not completed)


def too_many_values(summary: Summary, options: GrowthOptions) -> list[Problem]:
    """The predictors that get a branch for each value by these options, but have more values than that can be."""
    asked = {AttributeKind.NOMINAL: options.nominal_splits, AttributeKind.ORDINAL: options.ordinal_splits}
    return [
        Problem(
            f"{described.attribute.name} has {described.n_distinct:,} different values, too many for a branch each.",
            "Leave it out, or let the branches be groups of values.",
            described.attribute.name,
        )
        for described in (summary.of(index) for index in summary.schema.predictors)
        if asked.get(described.attribute.kind) == "multiway" and described.n_distinct > MOST_BRANCHES
    ]
