"""Kass's CHAID: chi-squared automatic interaction detection."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Final

from algorithms.core.learner import Problem
from algorithms.core.parameters import Option, boolean, choice, integer, real, when
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.trees import parameters
from algorithms.learners.trees.growth.chaid_growth import ChaidGrowth, ChaidOptions, MergingRules
from algorithms.learners.trees.growth.growth_options import GrowthOptions, GrowthResult
from algorithms.learners.trees.tree_learner import WholeTreeLearner
from algorithms.structures.tree import Tree

if TYPE_CHECKING:
    from algorithms.learners.trees.explain.node_reasons import NodeReasons

MOST_CATEGORIES: Final = 2000
"""Largest number of values of an attribute, because every pair of categories is compared."""


@dataclass(frozen=True, kw_only=True)
class Chaid(WholeTreeLearner):
    """A tree by chi-square tests whose branches are groups of values with similar class distributions.

    At a node the values of each attribute are merged: the two most similar groups are merged while they do not differ
    significantly (``merge_alpha``). A group of three or more values may be divided again at its most significant split
    (``resplit_alpha``). Exhaustive ``merging`` continues to two groups and takes the step of the smallest p-value
    (Biggs, de Ville and Suen 1991). Ordered values, and numbers in ``intervals`` ranges of about equal weight, are
    merged only with their neighbours. Missing values form a category, which may join any group. The attribute with the
    smallest p-value is tested if it is at most ``alpha``, adjusted by Bonferroni for the number of possible groupings.
    There is no pruning unless ``pruning`` says so. Classes that do not occur in a table do not count for its degrees of
    freedom. A value without records in the node is divided by the branches' shares, or joins the missing values if
    there are any.
    """

    id: ClassVar[str] = "chaid"
    name: ClassVar[str] = "CHAID"
    sentence: ClassVar[str] = (
        "A decision tree that merges similar values and splits only where the chi-square test is "
        "significant: broad and shallow, common for surveys."
    )
    source: ClassVar[str] = (
        "Kass, An Exploratory Technique for Investigating Large Quantities of Categorical Data, Applied Statistics 29 "
        "(1980); exhaustively: Biggs, de Ville and Suen, A Method of Choosing Multiway Partitions, Journal of Applied "
        "Statistics 18 (1991)"
    )

    alpha: float = real(
        0.05,
        lo=1e-12,
        hi=1.0,
        label="α to split",
        help="A node is split only if the adjusted p-value of the split is at most this.",
    )
    merge_alpha: float = real(
        0.05,
        lo=0.0,
        hi=1.0,
        label="α to merge",
        help="Two groups of values are merged unless the p-value of their difference is at most this.",
        enabled_if=when("merging", "significance"),
    )
    min_leaf: int = integer(
        2,
        lo=1,
        label="Min. records per leaf",
        help="A smaller branch is merged with the most similar one. Surveys of thousands use 50.",
        unit="records",
    )
    min_split: int = integer(
        4,
        lo=2,
        label="Min. records to split",
        help="A node with fewer records is a leaf. Surveys of thousands use 100.",
        unit="records",
    )
    max_depth: int | None = parameters.max_depth()
    merging: str = choice(
        "significance",
        Option("significance", "Until significant", "Stops when all groups differ significantly (Kass)."),
        Option(
            "exhaustive",
            "Exhaustive",
            "Tries every number of groups and takes the one with the lowest p-value (exhaustive CHAID).",
        ),
        label="Merging",
        help="How far the values of an attribute are merged into groups.",
        advanced=True,
    )
    intervals: int = integer(
        10,
        lo=2,
        hi=1000,
        label="Intervals",
        help="Number of equal-frequency intervals of a numeric attribute before values are merged.",
        unit="intervals",
        advanced=True,
    )
    resplit_alpha: float = real(
        0.05,
        lo=0.0,
        hi=1.0,
        label="α to re-split",
        help="A merged group is split again if its halves differ with at most this p-value; 0: never. "
        "Never more than α to merge.",
        enabled_if=when("merging", "significance"),
        advanced=True,
    )
    bonferroni: bool = boolean(
        True,
        label="Bonferroni adjustment",
        help="Multiplies the p-value by the number of possible groupings, which is large for attributes "
        "with many values.",
        advanced=True,
    )

    def check(self, summary: Summary) -> list[Problem]:
        return super().check(summary) or [
            Problem(
                f"{described.attribute.name} has {described.n_distinct:,} values, too many to compare them in pairs.",
                "Leave it out.",
                described.attribute.name,
            )
            for described in (summary.of(index) for index in summary.schema.predictors)
            if described.attribute.kind.is_coded and described.n_distinct > MOST_CATEGORIES
        ]

    def options(self) -> ChaidOptions:
        exhaustive = self.merging == "exhaustive"
        merging = MergingRules(self.merge_alpha, self.resplit_alpha, float(self.min_leaf), self.bonferroni, exhaustive)
        return ChaidOptions(self.alpha, merging, float(self.min_split), self.max_depth, self.intervals)

    def growth(self) -> GrowthOptions:
        """The options that CHAID shares with the other ways of growth."""
        return GrowthOptions(nominal_splits="grouped", min_leaf=self.min_leaf, max_depth=self.max_depth)

    def grown(
        self, data: Dataset, options: GrowthOptions, context: RunContext, whole: Dataset | None = None
    ) -> GrowthResult:
        """The tree on ``data``, with the numeric ranges of ``whole``."""
        rules = replace(self.options(), max_depth=options.max_depth)
        return ChaidGrowth(data.without_weightless(), rules, context, data if whole is None else whole).run()

    def reasons(self, tree: Tree, node: int, data: Dataset, context: RunContext) -> NodeReasons:
        from algorithms.learners.trees.explain.chaid_reasons import chaid_reasons

        return chaid_reasons(tree, node, data, self.options(), context)
