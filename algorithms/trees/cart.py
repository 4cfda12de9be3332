"""Classification trees of two-way splits (Breiman, Friedman, Olshen and Stone)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Variant
from algorithms.core.structures import Tree
from algorithms.trees import parameters
from algorithms.trees.engine import GrowthOptions
from algorithms.trees.induction import TreeLearner


@dataclass(frozen=True, kw_only=True)
class Cart(TreeLearner):
    """A decision tree by the Gini index whose every question has two answers; missing values follow the majority."""

    id: ClassVar[str] = "cart"
    name: ClassVar[str] = "CART"
    sentence: ClassVar[str] = (
        "Asks questions with two answers each, always the one that leaves the classes least mixed, until the training "
        "records are told apart."
    )
    source: ClassVar[str] = "Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984)"
    tried_with_several: ClassVar[tuple[Variant, ...]] = (
        Variant("CART, pruned", 3, {"pruning": "pessimistic"}),
        Variant("CART, unpruned", 4),
    )

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

    def growth(self) -> GrowthOptions:
        return replace(super().growth(), missing="majority")

    def _pruned(self, tree: Tree, data: Dataset, context: RunContext) -> tuple[Tree, bool]:
        from algorithms.trees.pruning import pessimistically_pruned

        return (pessimistically_pruned(tree, self.penalty) if self.pruning == "pessimistic" else tree), True
