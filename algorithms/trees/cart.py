"""Classification trees of two-way splits (Breiman, Friedman, Olshen and Stone)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Learner, Problem
from algorithms.core.structures import Tree
from algorithms.core.summary import Summary
from algorithms.trees import parameters
from algorithms.trees.engine import GrowthOptions
from algorithms.trees.induction import KERNELS, induced, too_many_values
from algorithms.trees.model import TreeModel


@dataclass(frozen=True, kw_only=True)
class Cart(Learner):
    """A decision tree by the Gini index whose every question has two answers; missing values follow the majority."""

    id: ClassVar[str] = "cart"
    name: ClassVar[str] = "CART"
    sentence: ClassVar[str] = (
        "Asks questions with two answers each, always the one that leaves the classes least mixed, until the training "
        "records are told apart."
    )
    family: ClassVar[str] = "Trees"
    source: ClassVar[str] = "Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984)"
    kernels: ClassVar[tuple[str, ...]] = KERNELS

    pruning: str = parameters.pruning("none", parameters.UNPRUNED, parameters.PESSIMISTIC)
    min_leaf: int = parameters.min_leaf(1)
    max_depth: int | None = parameters.max_depth()
    max_leaves: int | None = parameters.max_leaves()
    criterion: str = parameters.criterion("gini")
    penalty: float = parameters.penalty(0.5)
    min_gain: float = parameters.min_gain()
    nominal_splits: str = parameters.nominal_splits("binary")
    thresholds: str = parameters.thresholds("midpoint")
    split_without_gain: bool = parameters.split_without_gain(True)

    def check(self, summary: Summary) -> list[Problem]:
        problems = super().check(summary)
        return problems or (too_many_values(summary) if self.nominal_splits == "multiway" else [])

    def growth(self) -> GrowthOptions:
        """What to grow under these parameters."""
        return GrowthOptions(
            criterion=cast(Any, self.criterion),
            nominal_splits=cast(Any, self.nominal_splits),
            thresholds=cast(Any, self.thresholds),
            min_leaf=self.min_leaf,
            max_depth=self.max_depth,
            max_leaves=self.max_leaves,
            min_gain=self.min_gain,
            missing="majority",
            split_without_gain=self.split_without_gain,
        )

    def _fit(self, data: Dataset, context: RunContext) -> TreeModel:
        return induced(data, self.growth(), self._pruned, context)

    def _pruned(self, tree: Tree, data: Dataset, context: RunContext) -> tuple[Tree, bool]:
        from algorithms.trees.pruning import pessimistically_pruned

        return (pessimistically_pruned(tree, self.penalty) if self.pruning == "pessimistic" else tree), True
