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
from algorithms.learners.trees.growth.growth_options import GrowthOptions, GrowthResult
from algorithms.learners.trees.tree_learner import WholeTreeLearner
from algorithms.structures.tree import Tree

if TYPE_CHECKING:
    from algorithms.learners.trees.explain.node_reasons import NodeReasons
    from algorithms.learners.trees.growth.chaid_growth import ChaidOptions

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
        "Asks only what chance alone would hardly explain, and puts values together that tell the same: broad trees "
        "that are quick to read, much used on surveys."
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
        label="Significance to ask",
        help="A question is asked where chance alone would answer as clearly at most this often.",
    )
    merge_alpha: float = real(
        0.05,
        lo=0.0,
        hi=1.0,
        label="Significance to keep values apart",
        help="Two groups of values stay apart where chance alone would set them as far apart at most this often.",
        enabled_if=when("merging", "significance"),
    )
    min_leaf: int = integer(
        2,
        lo=1,
        label="Smallest branch",
        help="A branch with fewer records is joined to the one most like it. For surveys of thousands 50 is usual.",
        unit="records",
    )
    min_split: int = integer(
        4,
        lo=2,
        label="Fewest records to ask",
        help="With fewer records nothing more is asked. For surveys of thousands 100 is usual.",
        unit="records",
    )
    max_depth: int | None = parameters.max_depth()
    merging: str = choice(
        "significance",
        Option("significance", "while they do not differ", "Stops when all groups differ significantly (Kass)."),
        Option(
            "exhaustive",
            "down to two, then the best step",
            "Tries every number of groups and takes the one that chance explains least (exhaustive CHAID).",
        ),
        label="Values are put together",
        help="How far the values of an attribute are put together in groups.",
        advanced=True,
    )
    intervals: int = integer(
        10,
        lo=2,
        hi=1000,
        label="Ranges of a number",
        help="Numbers are cut into so many ranges of about as many records each before values are merged.",
        unit="ranges",
        advanced=True,
    )
    resplit_alpha: float = real(
        0.05,
        lo=0.0,
        hi=1.0,
        label="Significance to take groups apart",
        help="A merged group is taken apart again where its halves differ so clearly; 0: never. Counts as no larger "
        "than the significance to keep values apart.",
        enabled_if=when("merging", "significance"),
        advanced=True,
    )
    bonferroni: bool = boolean(
        True,
        label="Adjust for the choice of groups",
        help="Makes it harder for attributes with many values, which can be grouped in many ways (Bonferroni).",
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
        from algorithms.learners.trees.growth.chaid_growth import ChaidOptions, MergingRules

        exhaustive = self.merging == "exhaustive"
        merging = MergingRules(self.merge_alpha, self.resplit_alpha, float(self.min_leaf), self.bonferroni, exhaustive)
        return ChaidOptions(self.alpha, merging, float(self.min_split), self.max_depth, self.intervals)

    def growth(self) -> GrowthOptions:
        """The options that CHAID shares with the other ways of growth."""
        return GrowthOptions(nominal_splits="grouped", min_leaf=self.min_leaf, max_depth=self.max_depth)

    def grown(self, data: Dataset, options: GrowthOptions, context: RunContext) -> GrowthResult:
        return self._grown(data, data, options, context)

    def grown_below(self, here: Dataset, whole: Dataset, options: GrowthOptions, context: RunContext) -> Tree:
        return self._grown(here, whole, options, context).tree

    def _grown(self, data: Dataset, whole: Dataset, options: GrowthOptions, context: RunContext) -> GrowthResult:
        """The tree on ``data``, with the numeric ranges of ``whole``."""
        from algorithms.learners.trees.growth.chaid_growth import ChaidGrowth

        rules = replace(self.options(), max_depth=options.max_depth)
        return ChaidGrowth(data.without_weightless(), rules, context, whole).run()

    def reasons(self, tree: Tree, node: int, data: Dataset, context: RunContext) -> NodeReasons:
        """The evaluated splits of a node of a tree that was grown on ``data``."""
        from algorithms.learners.trees.explain.chaid_reasons import chaid_reasons

        return chaid_reasons(tree, node, data, self.options(), context)
