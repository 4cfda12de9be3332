"""Classification trees of two-way splits (Breiman, Friedman, Olshen and Stone)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from algorithms.core.learner import Problem
from algorithms.core.parameters import integer, when
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.trees import parameters
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.learners.trees.induction import ChanceTestedTree, problems_of_priors, weighed_to_priors


@dataclass(frozen=True, kw_only=True)
class Cart(ChanceTestedTree):
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

    pruning: str = parameters.pruning("cost-complexity")
    min_leaf: int = parameters.min_leaf(1)
    max_depth: int | None = parameters.max_depth()
    max_leaves: int | None = parameters.max_leaves()
    criterion: str = parameters.criterion("gini", parameters.TWOING, parameters.CHI_SQUARE)
    surrogates: int = integer(
        5,
        lo=0,
        hi=100,
        label="Questions that stand in",
        help="So many other questions may stand in for one whose answer is missing; with 0 such records follow the "
        "heavier branch, which is a little quicker.",
        unit="questions",
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
        options = replace(
            super().growth(),
            missing="majority",
            surrogates=self.surrogates,
            best_of=self.best_of,
            weighed=self.attributes_weighed,
        )
        return replace(options, nominal_splits="binary") if self.criterion == "twoing" else options

    def check(self, summary: Summary) -> list[Problem]:
        return super().check(summary) or problems_of_priors(summary, self.priors, self.class_shares, self.costs)

    def weighed(self, data: Dataset) -> Dataset:
        """The data with each class weighed to its prior."""
        return weighed_to_priors(data, self.priors, self.class_shares, self.costs)
