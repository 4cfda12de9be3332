"""Oblique decision trees: questions that may weigh several numbers against each other (OC1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Final

from algorithms.core.parameters import integer, real
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.trees import parameters
from algorithms.learners.trees.growth.growth_options import GrowthOptions, GrowthResult
from algorithms.learners.trees.growth.oblique_growth import ObliqueSearch
from algorithms.learners.trees.tree_learner import KERNELS, ChanceTestedTree
from algorithms.structures.tree import Tree

if TYPE_CHECKING:
    from algorithms.learners.trees.explain.node_reasons import NodeReasons

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
        "Asks questions that may weigh several numbers against each other, such as length minus twice the width: one "
        "slanting line where other trees need many steps."
    )
    source: ClassVar[str] = (
        "Murthy, Kasif and Salzberg, A System for Induction of Oblique Decision Trees, JAIR 2 (1994); TSKK Figure 3.21"
    )
    kernels: ClassVar[tuple[str, ...]] = OBLIQUE_KERNELS

    pruning: str = parameters.pruning("cost-complexity")
    restarts: int = integer(
        10,
        lo=0,
        hi=1000,
        label="Random starts",
        help="From how many random directions a better sum is looked for, beside the best single attribute.",
        unit="directions",
    )
    min_leaf: int = parameters.min_leaf(2)
    max_depth: int | None = parameters.max_depth()
    criterion: str = parameters.criterion(
        "information-gain",
        parameters.TWOING,
        note="Chi-square would have to allow for all the sums there were to choose from, which cannot be counted: C4.5 "
        "and CART offer it.",
    )
    term_share: float = real(
        0.1,
        lo=0.0,
        hi=1.0,
        label="Leave out what adds little",
        help="A number leaves a sum where it is worth at most this share of the most important one: the larger "
        "the share, the shorter the questions.",
    )
    jumps: int = integer(
        5,
        lo=0,
        hi=1000,
        label="Random turns",
        help="How many random turns are tried where no number alone betters a sum.",
        unit="turns",
        advanced=True,
    )
    max_leaves: int | None = parameters.max_leaves()
    min_gain: float = parameters.min_gain()
    nominal_splits: str = parameters.nominal_splits("binary")
    split_without_gain: bool = parameters.split_without_gain(True)
    seed: int = integer(
        1,
        lo=0,
        label="Seed of the choice",
        help="Which random directions are tried and which records are held out: the same number, the same choice.",
        advanced=True,
    )

    def growth(self) -> GrowthOptions:
        options = replace(super().growth(), missing="majority")
        return replace(options, nominal_splits="binary") if self.criterion == "twoing" else options

    def search(self) -> ObliqueSearch:
        """Options of the search for linear tests under these parameters."""
        return ObliqueSearch(self.restarts, self.jumps, self.term_share, self.seed)

    def reasons(self, tree: Tree, node: int, data: Dataset, context: RunContext) -> NodeReasons:
        """The evaluated splits of a node of a tree that was grown on ``data``."""
        from algorithms.compiled.ahead_of_time import ensure_compiled
        from algorithms.learners.trees.explain.node_reasons import oblique_reasons

        ensure_compiled(OBLIQUE_KERNELS, context)
        return oblique_reasons(tree, node, data, self.growth(), self.search(), context)

    def grown(self, data: Dataset, options: GrowthOptions, context: RunContext) -> GrowthResult:
        from algorithms.compiled.ahead_of_time import ensure_compiled
        from algorithms.learners.trees.growth.oblique_growth import ObliqueGrowth

        ensure_compiled(OBLIQUE_KERNELS, context)
        return ObliqueGrowth(data, options, self.search(), context).run()
