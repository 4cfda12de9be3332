"""Decision stumps, and the best stump of the same records under new weights for boosting.

The records are sorted once. For new weights, weights are summed over blocks of each attribute's order, and only the few
blocks that may contain the best cut are scanned. The result is the stump that the growth engine finds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Final, Self

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.learners.trees import parameters
from algorithms.learners.trees.growth import loop_arguments
from algorithms.learners.trees.growth.frontier_growth import NodeSplit, one_split
from algorithms.learners.trees.growth.growing_tree import SORTED_ORDERS, SortedOrders
from algorithms.learners.trees.growth.growth_options import GrowthOptions, GrowthResult, middles
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.routing import NodeTest, branch_counts, branches, node_test
from algorithms.learners.trees.tree_learner import TreeLearner
from algorithms.structures.tree import SplitTest, Tree


@dataclass(frozen=True, kw_only=True)
class DecisionStump(TreeLearner):
    """A tree of the best split by the criterion.

    Missing values have their own branch if training has such records; otherwise they are divided by the branches'
    shares. The gain of a split counts the records with a known value and is scaled down by their share.
    """

    id: ClassVar[str] = "decision-stump"
    name: ClassVar[str] = "Decision stump"
    sentence: ClassVar[str] = "A decision tree with a single split. Weak alone, strong in an ensemble."
    source: ClassVar[str] = "Iba and Langley, Induction of One-Level Decision Trees (1992); TSKK section 4.10.4"
    burden: ClassVar[int] = 1

    criterion: str = parameters.criterion("information-gain", parameters.CHI_SQUARE)
    nominal_splits: str = parameters.nominal_splits("multiway")
    ordinal_splits: str = parameters.ordinal_splits()
    min_leaf: int = parameters.min_leaf(1)
    numeric_splits: str = parameters.numeric_splits()
    numeric_branches: int = parameters.numeric_branches()
    thresholds: str = parameters.thresholds("midpoint")
    min_gain: float = parameters.min_gain()
    split_search: str = parameters.split_search(parameters.BY_LOOPS & parameters.TWO_BRANCHES)
    bins: int = parameters.bins(parameters.BY_LOOPS & parameters.TWO_BRANCHES)

    def growth(self) -> GrowthOptions:
        return replace(super().growth(), max_depth=1, split_without_gain=False)

    def _pruned(
        self, grown: GrowthResult, data: Dataset, held_out: Dataset | None, context: RunContext
    ) -> tuple[Tree, bool]:
        return with_branch_for_missing(grown.tree, data), True


def with_branch_for_missing(tree: Tree, data: Dataset) -> Tree:
    """The tree of one split with a further branch for missing values, if ``data`` has any."""
    if tree.is_leaf(0):
        return tree
    b = int(tree.n_children[0])
    branch = branches(tree, 0, data.column(int(tree.attribute[0])))
    sums = branch_counts(data, np.where(branch < 0, b, branch), b + 1)
    if not sums[b].any():
        return tree
    split = NodeSplit(test=replace(node_test(tree, 0), n_branches=b + 1), missing_to=b, gain=float(tree.gain[0]))
    return one_split(tree.schema, split, np.vstack([tree.counts[:1], sums]), tree.criterion)


KERNELS: Final = ("algorithms.learners.trees.kernels.stump_kernels",)
"""Kernel modules of stumps, besides those of trees."""

_CRITERIA: Final = {"information-gain": loop_arguments.ENTROPY, "gini": loop_arguments.GINI}
_MOST_CLASSES: Final = 6
"""A block's range has 2^k corners."""
_MOST_BLOCKS: Final = 512
_BLOCK: Final = 64
"""Least number of records of a block, if there are as many."""


class ReweightedStumps:
    """Stumps of n records with numeric predictors without missing values; see :meth:`of`."""

    def __init__(self, learner: DecisionStump, data: Dataset, orders: SortedOrders) -> None:
        from algorithms.learners.trees.kernels.stump_kernels import number_blocks

        self._learner, self._data, self._orders = learner, data, orders
        self._classes = data.class_codes.astype(np.int32)
        n, k = len(data), len(data.schema.classes)
        n_blocks = max(1, min(_MOST_BLOCKS, n // _BLOCK))
        self._cells = np.empty(orders.words.shape, dtype=np.uint16)
        for words, cells in zip(orders.words, self._cells, strict=True):
            number_blocks(words, self._classes, k, n_blocks, cells)

    @classmethod
    def of(cls, learner: DecisionStump, data: Dataset, context: RunContext) -> Self | None:
        """The learner's stumps of these records; None if its options need another method."""
        schema = data.schema
        numbers = all(schema.attributes[index].kind is AttributeKind.NUMERIC for index in schema.predictors)
        plain = learner.numeric_splits == "binary" and learner.split_search == "exact"
        if not (numbers and plain and schema.predictors and 2 <= len(schema.classes) <= _MOST_CLASSES and len(data)):
            return None
        if learner.criterion not in _CRITERIA:
            return None
        ensure_compiled((*learner.kernels, *KERNELS), context)
        orders = data.derived(SORTED_ORDERS, context.checkpoint)
        return None if orders.has_missing else cls(learner, data, orders)

    def best(self, weights: FloatArray, context: RunContext) -> TreeModel | None:
        """The stump of the records with these positive weights (n,); None if no split has a gain."""
        from algorithms.learners.trees.kernels.split_kernels import TOLERANCE, disorder
        from algorithms.learners.trees.kernels.stump_kernels import best_cut

        learner, words = self._learner, self._orders.words
        totals = np.bincount(self._classes, weights, minlength=len(self._data.schema.classes)).astype(np.float64)
        total, criterion = float(totals.sum()), _CRITERIA[learner.criterion]
        least = max(learner.min_leaf - TOLERANCE, TOLERANCE * total)
        if total - float(totals.max()) <= TOLERANCE * total or total < 2 * learner.min_leaf - TOLERANCE:
            return None
        figures = best_cut(
            words, self._cells, self._classes, weights, totals, least, criterion, TOLERANCE * total, context.control
        )
        context.checkpoint()
        place, cut, after = (int(figures[0]), int(figures[1]), float(figures[2]))
        gain = (float(disorder(criterion, totals)) - after) / total
        if place < 0 or gain <= TOLERANCE or gain < learner.min_gain - TOLERANCE:
            return None
        schema = self._data.schema
        attribute, k = schema.predictors[place], len(totals)
        column = self._data.column(attribute)
        around = self._orders.words[place, cut - 1 : cut + 1] & np.uint64(0xFFFFFFFF)
        low, high = column[around[:1].astype(np.int64)], column[around[1:].astype(np.int64)]
        threshold = float((low if learner.thresholds == "data-value" else middles(low, high))[0])
        sides = np.bincount((column > threshold) * k + self._classes, weights, minlength=2 * k).reshape(2, k)
        test = NodeTest(attribute=attribute, test=SplitTest.NUMERIC, threshold=threshold)
        split = NodeSplit(test=test, gain=gain)
        return TreeModel(one_split(schema, split, np.vstack([totals, sides]), learner.criterion))
