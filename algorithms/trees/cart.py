"""Classification trees of two-way splits (Breiman, Friedman, Olshen and Stone)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Variant
from algorithms.core.params import Option, choice, integer
from algorithms.trees import parameters, pruning_parameters
from algorithms.trees.engine import Grown, GrowthOptions
from algorithms.trees.whole_tree import WholeTreeLearner


@dataclass(frozen=True, kw_only=True)
class Cart(WholeTreeLearner):
    """A decision tree by the Gini index whose every question has two answers.

    A record without an answer follows the question's surrogates, the best first, then the heavier branch; where
    training misses no value, surrogates are not looked for. ``pruning`` by cost and complexity takes the smallest tree
    of the sequence within ``standard_errors`` of the best by cross-validation inside the training records. ``priors``
    other than the data's own weigh each class to its prior: counts are then such weights.
    """

    id: ClassVar[str] = "cart"
    name: ClassVar[str] = "CART"
    sentence: ClassVar[str] = (
        "Asks questions with two answers each, always the one that leaves the classes least mixed, and cuts back to "
        "the smallest tree that does about as well on records it did not grow from."
    )
    source: ClassVar[str] = "Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984)"
    tried_with_several: ClassVar[tuple[Variant, ...]] = (
        Variant("CART", 3),
        Variant("CART, unpruned", 4, {"pruning": "none"}),
    )

    pruning: str = pruning_parameters.pruning("cost-complexity")
    min_leaf: int = parameters.min_leaf(1)
    max_depth: int | None = parameters.max_depth()
    max_leaves: int | None = parameters.max_leaves()
    criterion: str = parameters.criterion("gini", parameters.TWOING)
    surrogates: int = integer(
        5,
        lo=0,
        hi=100,
        label="Questions that stand in",
        help="So many other questions may stand in for one whose answer is missing; with 0 such records follow the "
        "heavier branch, which is quicker. Not used where the leaves are limited.",
        unit="questions",
        advanced=True,
    )
    priors: str = choice(
        "data",
        Option("data", "as in the records"),
        Option("equal", "the same for all"),
        label="How frequent the classes are",
        help="How frequent the classes are where the tree will be used, if not as in the training records.",
        advanced=True,
    )
    min_gain: float = parameters.min_gain()
    nominal_splits: str = parameters.nominal_splits("binary")
    thresholds: str = parameters.thresholds("midpoint")
    split_without_gain: bool = parameters.split_without_gain(True)

    def growth(self) -> GrowthOptions:
        options = replace(super().growth(), missing="majority")
        return replace(options, nominal_splits="binary") if self.criterion == "twoing" else options

    def weighed(self, data: Dataset) -> Dataset:
        """The data with each class weighed to its prior."""
        return data if self.priors == "data" else with_equal_priors(data)

    def grown(self, data: Dataset, options: GrowthOptions, context: RunContext) -> Grown:
        from algorithms.trees.surrogates import grow_with_surrogates

        misses = self.surrogates > 0 and any(bool(data.missing(index).any()) for index in data.schema.predictors)
        if not misses or self.max_leaves is not None:
            return super().grown(data, options, context)
        return grow_with_surrogates(data, options, self.surrogates, context)


def with_equal_priors(data: Dataset) -> Dataset:
    """The data, every class known, weighed so that all classes that occur weigh the same and all records as before."""
    weights, codes = data.weight_array, data.class_codes
    of_class = np.bincount(codes, weights=weights, minlength=len(data.schema.classes))
    present = int(np.count_nonzero(of_class))
    if present < 2:
        return data
    factor = np.divide(weights.sum() / present, of_class, out=np.zeros_like(of_class), where=of_class > 0)
    return data.with_weights(weights * factor[codes])
