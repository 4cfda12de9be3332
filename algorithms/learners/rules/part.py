"""PART: rules from partial trees (Frank and Witten 1998).

Source: Frank and Witten, Generating Accurate Rule Sets Without Global Optimization (1998).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.errors import Cancelled
from algorithms.core.learner import Problem
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.rules import model
from algorithms.learners.rules.matching import met_parts
from algorithms.learners.rules.model import KERNELS, RuleLearner
from algorithms.learners.trees import parameters
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.learners.trees.growth.nodewise_growth import best_choice
from algorithms.learners.trees.growth.split_evaluation import TOLERANCE, EvaluatedSplit
from algorithms.learners.trees.induction import KERNELS as TREE_KERNELS
from algorithms.learners.trees.pruning.error_estimates import SLACK, estimated_errors
from algorithms.learners.trees.routing import value_blocks
from algorithms.structures.rule_set import Rule, RuleCondition, RuleSet, put_together
from algorithms.structures.tree import SplitTest


@dataclass(eq=False)
class PartialTreeNode:
    """A node of a partial tree: its records, what they weigh there, and the conditions that lead to it.

    ``waiting`` are its branches that are not expanded yet, the next one last; ``expanded`` those that are.
    """

    conditions: tuple[RuleCondition, ...]
    rows: IntArray
    weights: FloatArray
    counts: FloatArray
    waiting: list[PartialTreeNode] = field(default_factory=list)
    expanded: list[PartialTreeNode] = field(default_factory=list)
    is_divided: bool = False
    is_leaf: bool = False

    @property
    def total(self) -> float:
        return float(self.counts.sum())

    def leaves(self) -> list[PartialTreeNode]:
        """The leaves below, itself where it is one; branches that were not expanded are none."""
        found, open_nodes = list[PartialTreeNode](), [self]
        while open_nodes:
            node = open_nodes.pop()
            if node.is_leaf:
                found.append(node)
            open_nodes += reversed(node.expanded)
        return found


class PartialTree:
    """Grows partial trees on records of known class and some weight, by the questions of a tree of these options."""

    def __init__(self, data: Dataset, options: GrowthOptions, confidence: float, context: RunContext) -> None:
        self._data, self._options, self._confidence = data, options, confidence
        self._context, self._work = context, context.child(0.0, 1, finish_cancels=True)
        self._codes = data.class_codes.astype(np.int64)
        self._k = len(data.schema.classes)
        self._lacking = {index for index in data.schema.predictors if bool(data.missing(index).any())}
        self._is_unit = data.weights is None and not self._lacking
        self._whole = data.weight_array.astype(np.float64)

    def grown(self, rows: IntArray, weights: FloatArray | None = None) -> PartialTreeNode | None:
        """The root of the partial tree of these records; None where the run is finished before it is grown.

        ``weights`` is what is left of them, all of what they weigh where it is None.

        Of a node's branches the one whose classes are least mixed is expanded first, and the next as long as all so far
        turned out leaves. Where all did, the node is made a leaf if it is not expected to err more than they, or hardly
        more (C4.5's own allowance).
        """
        try:
            return self._grown(rows, self._whole[rows] if weights is None else weights)
        except Cancelled:
            self._context.checkpoint()
            return None

    def _grown(self, rows: IntArray, weights: FloatArray) -> PartialTreeNode:
        root = self._node((), rows, weights)
        path = [root]
        while path:
            self._work.checkpoint()
            node = path[-1]
            if not node.is_divided:
                self._divide(node)
                if node.is_leaf:
                    path.pop()
            elif node.waiting and all(each.is_leaf for each in node.expanded):
                node.expanded.append(node.waiting.pop())
                path.append(node.expanded[-1])
            else:
                self._replace(node)
                path.pop()
        return root

    def _node(self, conditions: tuple[RuleCondition, ...], rows: IntArray, weights: FloatArray) -> PartialTreeNode:
        counts = np.bincount(self._codes[rows], weights, minlength=self._k).astype(np.float64)
        return PartialTreeNode(conditions, rows, weights, counts)

    def _divide(self, node: PartialTreeNode) -> None:
        """Find the node's branches, or that it is a leaf."""
        node.is_divided = True
        pure = node.total - float(node.counts.max(initial=0.0)) <= TOLERANCE * node.total
        if pure or node.total < 2.0 * self._options.min_leaf - TOLERANCE:
            node.is_leaf = True
            return
        here = self._data.take(node.rows).with_weights(None if self._is_unit else node.weights)
        choice = best_choice(here, self._data, self._options, self._work, self._is_unit)
        if choice is None:
            node.is_leaf = True
            return
        judged = choice.judged
        branch = judged.branches(here.column(judged.attribute))
        known = branch >= 0
        weight = np.bincount(branch[known], weights=node.weights[known], minlength=judged.n_branches)
        shares = weight / weight.sum()
        for nth, condition in enumerate(_conditions(judged)):
            if judged.attribute in self._lacking:
                condition = replace(condition, missing_share=float(shares[nth]))
            goes = (branch == nth) | (~known & (shares[nth] > 0))
            weights = np.where(known, node.weights, node.weights * shares[nth])[goes]
            node.waiting.append(self._node((*node.conditions, condition), node.rows[goes], weights))
        node.waiting = [each for each in node.waiting if each.total > 0]
        node.waiting.sort(key=lambda each: -round(_entropy(each.counts), 9))

    def _replace(self, node: PartialTreeNode) -> None:
        """Make a node a leaf whose branches all are, where that costs next to nothing."""
        if node.waiting or not all(each.is_leaf for each in node.expanded):
            return
        below = sum(float(estimated_errors(each.counts, self._confidence)) for each in node.expanded)
        if float(estimated_errors(node.counts, self._confidence)) <= below + SLACK:
            node.expanded.clear()
            node.is_leaf = True


def _conditions(judged: EvaluatedSplit) -> list[RuleCondition]:
    """The condition of each branch of a question."""
    index = judged.attribute
    if judged.test not in (SplitTest.NUMERIC, SplitTest.RANGES):
        codes = [np.flatnonzero(judged.branch_of == b).tolist() for b in range(judged.n_branches)]
        return [RuleCondition(index, values=tuple(each)) for each in codes]
    ends = judged.ends.tolist() if judged.test == SplitTest.RANGES else [judged.threshold, np.inf]
    starts = [-np.inf, *ends[:-1]]
    return [RuleCondition(index, low, high, low_is_open=low > -np.inf) for low, high in zip(starts, ends, strict=True)]


def _entropy(counts: FloatArray) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


_NOTHING: Final = 1e-6
"""A record of which a smaller part is left is covered."""


@dataclass(frozen=True, kw_only=True)
class Part(RuleLearner):
    """A list of rules, each the heaviest leaf of a tree that is grown on the records left by those before.

    The tree is that of C4.5, pruned while it grows and grown only where it takes to find such a leaf. The last tree, a
    single leaf, is the default rule. A record that lacks a value is divided among branches within a tree, as by C4.5. A
    rule covers the part of it that comes to its leaf, and the rest stays for the next tree; it is classified so, too.
    Where an attribute was never missing in training, a record that lacks it meets no condition about it.

    The trees are grown node by node, not in one compiled loop: with many rules on many records it takes minutes.
    """

    id: ClassVar[str] = "part"
    name: ClassVar[str] = "Rules from partial trees (PART)"
    sentence: ClassVar[str] = (
        "Grows a small part of a pruned tree, keeps its largest leaf as a rule, sets those records aside, and begins "
        "anew on the rest: a list of rules to be read from the top."
    )
    source: ClassVar[str] = "Frank and Witten, Generating Accurate Rule Sets Without Global Optimization (1998)"
    kernels: ClassVar[tuple[str, ...]] = (*TREE_KERNELS, *KERNELS)

    confidence: float = model.confidence(
        help="The smaller, the sooner branches of a tree are put together: fewer rules."
    )
    min_leaf: int = parameters.min_leaf(2)
    criterion: str = parameters.criterion("gain-ratio")
    nominal_splits: str = parameters.nominal_splits("multiway", parameters.GROUPED)

    def check(self, summary: Summary) -> list[Problem]:
        return super().check(summary) or self._tree().check(summary)

    def _tree(self) -> C45:
        return C45(pruning="none", min_leaf=self.min_leaf, criterion=self.criterion, nominal_splits=self.nominal_splits)

    def _induced(self, data: Dataset, context: RunContext) -> tuple[RuleSet, bool]:
        from algorithms.learners.rules.tree_paths import joined

        trees = PartialTree(data, self._tree().growth(), self.confidence, context)
        rules, rows, partial = list[Rule](), np.arange(len(data)), False
        codes, whole = data.class_codes.astype(np.int64), data.weight_array.astype(np.float64)
        left = whole.copy()
        while len(rows):
            done = 1.0 - float(left[rows].sum()) / float(whole.sum())
            context.advance(int(len(data) * done + _NOTHING), len(data))
            tree = trees.grown(rows, left[rows])
            if tree is None:
                partial = True
                break
            heaviest = max(tree.leaves(), key=lambda leaf: round(leaf.total, 9))
            if not heaviest.conditions:
                break
            rule = Rule(joined(heaviest.conditions), int(np.argmax(heaviest.counts)))
            left[rows] *= 1.0 - _met_by(rule, data, rows)
            rules.append(rule)
            rows = rows[left[rows] > _NOTHING * whole[rows]]
        own = rows if len(rows) else np.arange(len(data))
        weights = left[rows] if len(rows) else whole
        default = int(np.argmax(np.bincount(codes[own], weights, minlength=len(data.schema.classes))))
        return put_together(data.schema, rules, default, criterion=self.criterion), partial


def _met_by(rule: Rule, data: Dataset, rows: IntArray) -> FloatArray:
    """The part of each of these rows that meets the conditions of a rule."""
    rules = put_together(data.schema, [rule], 0)
    attributes = np.unique(rules.attribute).astype(np.int64)
    here = data.take(rows)
    return np.concatenate([met_parts(rules, block, attributes)[:, 0] for _, block in value_blocks(here, attributes)])
