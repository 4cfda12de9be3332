"""Classification trees of two-way splits (Breiman, Friedman, Olshen and Stone)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from algorithms.core.parameters import integer, when
from algorithms.learners.trees import parameters
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.learners.trees.tree_learner import PriorWeightedTree


@dataclass(frozen=True, kw_only=True)
class Cart(PriorWeightedTree):
    """A binary decision tree by the Gini index.

    A record without an answer follows the surrogates of the split, the best first, then the heavier branch. Surrogates
    are found only if training records miss values. Cost-complexity pruning takes the smallest tree within
    ``standard_errors`` of the best by inner cross-validation. ``priors`` other than the data's weight each class to its
    prior.
    """

    id: ClassVar[str] = "cart"
    name: ClassVar[str] = "CART"
    sentence: ClassVar[str] = (
        "A binary decision tree that splits by the Gini index and prunes by cost-complexity to the "
        "smallest tree that is about as accurate as the best."
    )
    source: ClassVar[str] = "Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984)"

    pruning: str = parameters.pruning("cost-complexity")
    min_leaf: int = parameters.min_leaf(1)
    max_depth: int | None = parameters.max_depth()
    max_leaves: int | None = parameters.max_leaves()
    criterion: str = parameters.criterion("gini", parameters.TWOING, parameters.CHI_SQUARE)
    surrogates: int = integer(
        5,
        lo=0,
        hi=100,
        label="Surrogate splits",
        help="Number of substitute splits for records with a missing value. With 0 these records follow "
        "the larger branch, which is slightly faster.",
        unit="splits",
        enabled_if=when("split_search", "exact"),
        advanced=True,
    )
    priors: str = parameters.priors()
    class_shares: tuple[float, ...] = parameters.class_shares()
    costs: tuple[tuple[float, ...], ...] = parameters.costs()
    min_gain: float = parameters.min_gain()
    nominal_splits: str = parameters.nominal_splits("binary")
    thresholds: str = parameters.thresholds("midpoint")
    split_without_gain: bool = parameters.split_without_gain(True)
    best_of: int = parameters.best_of()
    attributes_weighed: int | None = parameters.attributes_weighed()
    split_search: str = parameters.split_search()
    bins: int = parameters.bins()

    def growth(self) -> GrowthOptions:
        options = replace(super().growth(), missing="majority")
        return replace(options, nominal_splits="binary") if self.criterion == "twoing" else options
