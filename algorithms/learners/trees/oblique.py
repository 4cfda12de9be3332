"""Oblique decision trees: questions that may weigh several numbers against each other (OC1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final

from algorithms.core.parameters import integer, real
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.trees import parameters
from algorithms.learners.trees.growth.growth_options import GrowthOptions, GrowthResult
from algorithms.learners.trees.growth.oblique_growth import ObliqueGrowth, ObliqueSearch
from algorithms.learners.trees.tree_learner import KERNELS, ChanceTestedTree

OBLIQUE_KERNELS: Final = (*KERNELS, "algorithms.learners.trees.kernels.oblique_kernels")


@dataclass(frozen=True, kw_only=True)
class ObliqueTree(ChanceTestedTree):
    """A decision tree whose tests may compare a linear combination of numeric attributes with a threshold.

    At a node the best split by one attribute is found first. Then hill climbing searches for a linear test: it sets one
    coefficient after the other to its best value, which one sort finds exactly. It starts from the best axis-parallel
    test and from random directions; when no coefficient improves the test, it tries random directions (OC1). Unlike
    OC1, a change must improve the test, and only the most promising starts are continued to the end. Coefficients of
    little importance are dropped. The linear test is used only if it is better than the best split by one attribute. In
    a linear combination a missing number counts as the mean of the node's training records. Records without any of the
    numbers, or without an answer to another test, follow the heavier branch. Attributes are scaled internally;
    coefficients are in the attributes' own units.
    """

    id: ClassVar[str] = "oblique-tree"
    name: ClassVar[str] = "Oblique tree"
    sentence: ClassVar[str] = (
        "A decision tree whose splits may be linear combinations of several numeric attributes, such as "
        "length − 2 width."
    )
    source: ClassVar[str] = (
        "Murthy, Kasif and Salzberg, A System for Induction of Oblique Decision Trees, JAIR 2 (1994); TSKK Figure 3.21"
    )
    kernels: ClassVar[tuple[str, ...]] = OBLIQUE_KERNELS
    burden: ClassVar[int] = 4

    pruning: str = parameters.pruning("cost-complexity")
    restarts: int = integer(
        10,
        lo=0,
        hi=1000,
        label="Random restarts",
        help="Number of random directions from which the search for a linear combination starts, in "
        "addition to the best single attribute.",
        unit="directions",
    )
    min_leaf: int = parameters.min_leaf(2)
    max_depth: int | None = parameters.max_depth()
    criterion: str = parameters.criterion(
        "information-gain",
        parameters.TWOING,
        note="Chi-square is missing: the number of possible sums cannot be counted. C4.5 and CART offer it.",
    )
    term_share: float = real(
        0.1,
        lo=0.0,
        hi=1.0,
        label="Min. coefficient share",
        help="An attribute is dropped from a sum if its share of the largest contribution is at most "
        "this. Larger values give shorter splits.",
    )
    jumps: int = integer(
        5,
        lo=0,
        hi=1000,
        label="Random perturbations",
        help="Number of random perturbations that are tried when no single coefficient improves a sum.",
        unit="perturbations",
        advanced=True,
    )
    max_leaves: int | None = parameters.max_leaves()
    min_gain: float = parameters.min_gain()
    nominal_splits: str = parameters.nominal_splits("binary")
    split_without_gain: bool = parameters.split_without_gain(True)
    seed: int = integer(
        1,
        lo=0,
        label="Random seed",
        help="The same number tries the same random directions and holds out the same records.",
        advanced=True,
    )

    def growth(self) -> GrowthOptions:
        options = replace(super().growth(), missing="majority")
        return replace(options, nominal_splits="binary") if self.criterion == "twoing" else options

    def search(self) -> ObliqueSearch:
        return ObliqueSearch(self.restarts, self.jumps, self.term_share, self.seed)

    def grown(
        self, data: Dataset, options: GrowthOptions, context: RunContext, whole: Dataset | None = None
    ) -> GrowthResult:
        return ObliqueGrowth(data, options, self.search(), context).run()
