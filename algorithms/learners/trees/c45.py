"""Quinlan's C4.5."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from algorithms.core.learner import Variant
from algorithms.core.parameters import boolean, when
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.trees import parameters
from algorithms.learners.trees.growth.growth_options import TOLERANCE, GrowthOptions, GrowthResult
from algorithms.learners.trees.growth.postprocessing import softened
from algorithms.learners.trees.tree_learner import PriorWeightedTree
from algorithms.structures.tree import Tree


@dataclass(frozen=True, kw_only=True)
class C45(PriorWeightedTree):
    """A decision tree by gain ratio, with fractional records for missing values and error-based pruning.

    With ``soft_thresholds`` every threshold lies half way between two values. On a value that occurs, as in release 8,
    the records with this value would go down both branches in halves.
    """

    id: ClassVar[str] = "c4.5"
    name: ClassVar[str] = "C4.5 decision tree"
    sentence: ClassVar[str] = (
        "A decision tree that splits on the attribute with the highest gain ratio and prunes by an "
        "estimate of the error. It is easy to read and handles missing values."
    )
    source: ClassVar[str] = "Quinlan, C4.5: Programs for Machine Learning (1993)"
    tried_with_several: ClassVar[tuple[Variant, ...]] = (Variant(3),)

    pruning: str = parameters.pruning("error-based")
    min_leaf: int = parameters.min_leaf(2)
    max_depth: int | None = parameters.max_depth()
    criterion: str = parameters.criterion("gain-ratio", parameters.CHI_SQUARE)
    raising: bool = parameters.raising(True)
    max_leaves: int | None = parameters.max_leaves()
    min_gain: float = parameters.min_gain()
    nominal_splits: str = parameters.nominal_splits("multiway", parameters.GROUPED)
    ordinal_splits: str = parameters.ordinal_splits()
    numeric_splits: str = parameters.numeric_splits()
    numeric_branches: int = parameters.numeric_branches()
    thresholds: str = parameters.thresholds("data-value", enabled_if=when("soft_thresholds", False))
    numeric_correction: bool = boolean(
        True,
        label="MDL correction for numeric gains",
        help="Subtracts from the gain of a threshold what the choice among many thresholds costs.",
        enabled_if=parameters.BY_LOOPS,
        advanced=True,
    )
    average_gain_rule: bool = boolean(
        True,
        label="Average-gain rule",
        help="Only splits with at least the average gain are compared by gain ratio.",
        enabled_if=parameters.BY_LOOPS,
        advanced=True,
    )
    numeric_min_split: bool = boolean(
        True,
        label="Min. records per numeric branch",
        help="Each side of a threshold holds at least a tenth of the average class size, 25 records at most.",
        advanced=True,
    )
    soft_thresholds: bool = boolean(
        False,
        label="Soft thresholds",
        help="A value near a threshold follows both branches, weighted by its distance. The width is "
        "where the training error would rise clearly. Thresholds are then midpoints.",
        advanced=True,
    )
    split_without_gain: bool = parameters.split_without_gain(False)
    priors: str = parameters.priors()
    class_shares: tuple[float, ...] = parameters.class_shares()
    costs: tuple[tuple[float, ...], ...] = parameters.costs()
    best_of: int = parameters.best_of(parameters.BY_LOOPS & parameters.TWO_BRANCHES)
    attributes_weighed: int | None = parameters.attributes_weighed(parameters.BY_LOOPS & parameters.TWO_BRANCHES)
    split_search: str = parameters.split_search(parameters.BY_LOOPS & parameters.TWO_BRANCHES)
    bins: int = parameters.bins(parameters.BY_LOOPS & parameters.TWO_BRANCHES)

    def grown(
        self, data: Dataset, options: GrowthOptions, context: RunContext, whole: Dataset | None = None
    ) -> GrowthResult:
        grown = super().grown(data, options, context)
        return replace(grown, tree=first_of_equals(grown.tree))

    def _pruned(
        self, grown: GrowthResult, data: Dataset, held_out: Dataset | None, context: RunContext
    ) -> tuple[Tree, bool]:
        pruned, completed = super()._pruned(grown, data, held_out, context)
        if held_out is None:  # otherwise the present decisions were tested
            pruned = first_of_equals(pruned)
        return (softened(pruned, data, context) if self.soft_thresholds else pruned), completed

    def growth(self) -> GrowthOptions:
        options = super().growth()
        return replace(options, thresholds="midpoint") if self.soft_thresholds else options


def first_of_equals(tree: Tree) -> Tree:
    """The tree that decides for the first of equal classes, as release 8; without records, as the parent."""
    most = tree.counts.max(axis=1, keepdims=True)
    decision = np.argmax(tree.counts >= most * (1 - TOLERANCE), axis=1).astype(np.int32)
    for node in np.flatnonzero(most[:, 0] <= 0).tolist():
        decision[node] = decision[tree.parent[node]] if node > 0 else tree.decision[node]
    return replace(tree, decision=decision)
