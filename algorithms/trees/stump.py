"""A tree of a single question."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, cast

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.structures import NO_NODE, Test, Tree
from algorithms.trees import parameters
from algorithms.trees.engine import Grown, GrowthOptions
from algorithms.trees.induction import TreeLearner
from algorithms.trees.model import TreeModel
from algorithms.trees.node_records import branches


@dataclass(frozen=True, kw_only=True)
class DecisionStump(TreeLearner):
    """A tree of one question: the best one by the criterion, judged as at the root of any other tree.

    A list of values has a branch for each value, or two for groups of them; ordered values have two that keep the
    order, or a branch for each value. Records whose value is missing have a
    branch of their own where training has such records; where it has none, they count by the branches' shares. A
    question is judged by the records whose value is known, its gain scaled down by their share.
    """

    id: ClassVar[str] = "decision-stump"
    name: ClassVar[str] = "Decision stump"
    sentence: ClassVar[str] = (
        "Asks one question, the most telling there is: how far does a single attribute get? Weak alone, strong in a "
        "committee."
    )
    source: ClassVar[str] = "Iba and Langley, Induction of One-Level Decision Trees (1992); TSKK section 4.10.4"

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
        return GrowthOptions(
            criterion=cast(Any, self.criterion),
            nominal_splits=cast(Any, self.nominal_splits),
            ordinal_splits=cast(Any, self.ordinal_splits),
            thresholds=cast(Any, self.thresholds),
            min_leaf=self.min_leaf,
            min_gain=self.min_gain,
            max_depth=1,
            split_without_gain=False,
            numeric_splits=cast(Any, self.numeric_splits),
            numeric_branches=self.numeric_branches,
            search=cast(Any, self.split_search),
            bins=self.bins,
        )

    def _fit(self, data: Dataset, context: RunContext) -> TreeModel:
        model = super()._fit(data, context)
        return TreeModel(with_branch_for_missing(model.tree, data), partial=model.partial)

    def _pruned(self, grown: Grown, data: Dataset, held_out: Dataset | None, context: RunContext) -> tuple[Tree, bool]:
        return grown.tree, True


def with_branch_for_missing(tree: Tree, data: Dataset) -> Tree:
    """The tree of one question with a further branch for the records of ``data`` that have no answer, if any do."""
    from algorithms.trees.kernels import decide

    if tree.is_leaf(0):
        return tree
    b, k = int(tree.n_children[0]), len(tree.schema.classes)
    branch = branches(tree, 0, data.column(int(tree.attribute[0])))
    cells = np.where(branch < 0, b, branch) * k + data.class_codes
    sums = np.bincount(cells, weights=data.weight_array, minlength=(b + 1) * k).reshape(b + 1, k)
    if not sums[b].any():
        return tree
    counts = np.vstack([tree.counts[:1], sums])
    parent = np.append(tree.parent, 0).astype(np.int32)
    decision = np.empty(b + 2, dtype=np.int32)
    decide(counts, parent, decision)
    missing_to = np.full(b + 2, -1, dtype=np.int16)
    missing_to[0] = b
    return replace(
        tree,
        test=np.append(tree.test, Test.LEAF).astype(np.int8),
        attribute=np.append(tree.attribute, -1).astype(np.int32),
        threshold=np.append(tree.threshold, np.nan),
        first_child=np.append(tree.first_child, NO_NODE).astype(np.int32),
        n_children=np.array([b + 1, *[0] * (b + 1)], dtype=np.int32),
        parent=parent,
        offset=np.append(tree.offset, -1).astype(np.int32),
        counts=counts,
        decision=decision,
        gain=np.append(tree.gain, np.nan),
        missing_to=missing_to,
    )
