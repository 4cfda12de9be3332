"""PART: rules from partial trees (Frank and Witten 1998, Generating Accurate Rule Sets Without Global Optimization)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

import numpy as np

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.errors import Cancelled
from algorithms.core.parameters import declared_as
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.rules.c45_rules import C45Rules, UnprunedTreeLearner, compared, joined, range_conditions
from algorithms.learners.rules.model import met_parts
from algorithms.learners.trees.growth import loop_arguments
from algorithms.learners.trees.growth.engine import KERNELS as GROWTH_KERNELS
from algorithms.learners.trees.growth.growing_tree import SORTED_ORDERS, UnitGrowth
from algorithms.learners.trees.growth.growth_options import TOLERANCE, GrowthOptions, middles
from algorithms.learners.trees.growth.nodewise_growth import best_choice
from algorithms.learners.trees.pruning.error_estimates import SLACK, estimated_errors
from algorithms.learners.trees.routing import NodeTest, value_blocks
from algorithms.structures.rule_set import Rule, RuleCondition, RuleSet, put_together
from algorithms.structures.tree import SplitTest


@dataclass(eq=False)
class PartialTreeNode:
    """A node of a partial tree: its records, their weights in it, and the conditions that lead to it.

    ``waiting`` are the branches not yet expanded, the next one last; ``expanded`` are the others. Where every record
    weighs one and no value is missing, ``number`` is the node's in a growing tree. Otherwise its records are rows of
    ``base``, at most about twice as many as it has, with their ``weights`` in it.
    """

    conditions: tuple[RuleCondition, ...]
    counts: FloatArray
    number: int = -1
    base: Dataset | None = None
    rows: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    weights: FloatArray = field(default_factory=lambda: np.zeros(0))
    waiting: list[PartialTreeNode] = field(default_factory=list)
    expanded: list[PartialTreeNode] = field(default_factory=list)
    is_divided: bool = False
    is_leaf: bool = False

    @property
    def total(self) -> float:
        return float(self.counts.sum())

    def leaves(self) -> list[PartialTreeNode]:
        """The expanded leaves below the node, the node itself where it is one."""
        leaves, open_nodes = list[PartialTreeNode](), [self]
        while open_nodes:
            node = open_nodes.pop()
            if node.is_leaf:
                leaves.append(node)
            open_nodes += reversed(node.expanded)
        return leaves


class PartialTree:
    """Grows partial trees on labelled records of positive weight, with the splits of these options."""

    def __init__(self, data: Dataset, options: GrowthOptions, confidence: float, context: RunContext) -> None:
        self._data, self._options, self._confidence = data, options, confidence
        self._base, self._base_rows = data, np.arange(len(data))
        self._context, self._work = context, context.child(0.0, 1, finish_cancels=True)
        self._k = len(data.schema.classes)
        self._lacking = {index for index in data.schema.predictors if bool(data.missing(index).any())}
        self.divides = bool(self._lacking)
        """Whether a record may be in several branches with a part each."""
        self._is_unit = data.weights is None and not self._lacking
        self._whole = data.weight_array.astype(np.float64)
        self._loops: PartialLoops | None = None

    def grown(self, rows: IntArray, weights: FloatArray | None = None) -> PartialTreeNode | None:
        """The root of the partial tree of these records; None where the run is finished first.

        ``rows`` ascend and are among those of the tree before. ``weights`` are the remaining weights of the records,
        their full weights by default. The branch of lowest
        entropy is expanded first, and the next while all branches so far are leaves. If all are, the node becomes a
        leaf unless its estimated error clearly exceeds theirs (with C4.5's allowance).
        """
        try:
            root = self._root(rows, self._whole[rows] if weights is None else weights)
            path = [root]
            while path:
                self._work.checkpoint()
                node = path[-1]
                if not node.is_divided:
                    self._divide(node)
                    if node.is_leaf:
                        path.pop()
                elif node.waiting and all(child.is_leaf for child in node.expanded):
                    node.expanded.append(node.waiting.pop())
                    path.append(node.expanded[-1])
                else:
                    self._replace(node)
                    path.pop()
        except Cancelled:
            self._context.checkpoint()
            return None
        return root

    def _root(self, rows: IntArray, weights: FloatArray) -> PartialTreeNode:
        if self._is_unit and self._loops is None:  # only here, where an early finish may stop it
            self._loops = PartialLoops(self._data, self._options, self._work)
        if self._loops is not None:
            return self._loops.root(rows)
        root = self._node((), self._base, np.searchsorted(self._base_rows, rows), weights)
        if root.base is not None and root.base is not self._base:
            self._base, self._base_rows = root.base, rows
        return root

    def _node(
        self, conditions: tuple[RuleCondition, ...], base: Dataset, rows: IntArray, weights: FloatArray
    ) -> PartialTreeNode:
        """A node of some rows; they become a base of their own where they are few, so that its sorted orders are short.

        Each base on a path has at most half the records of the one before.
        """
        counts = np.bincount(base.class_codes[rows], weights, minlength=self._k).astype(np.float64)
        if 2 * len(rows) <= len(base):
            base, rows = base.take(rows), np.arange(len(rows))
        return PartialTreeNode(conditions, counts, base=base, rows=rows, weights=weights)

    def _divide(self, node: PartialTreeNode) -> None:
        """Split the node, or make it a leaf."""
        node.is_divided = True
        pure = node.total - float(node.counts.max(initial=0.0)) <= TOLERANCE * node.total
        if pure or node.total < 2.0 * self._options.min_leaf - TOLERANCE:
            node.is_leaf = True
            return
        node.waiting = [child for child in self._branches(node) if child.total > 0]
        node.is_leaf = not node.waiting
        node.waiting.sort(key=lambda child: -round(_entropy(child.counts), 9))

    def _branches(self, node: PartialTreeNode) -> Iterator[PartialTreeNode]:
        """The branches of the node's best split; empty if no split is possible."""
        if self._loops is not None:
            yield from self._loops.branches(node)
            return
        assert node.base is not None
        own = node.base if len(node.rows) == len(node.base) else node.base.take(node.rows)
        here = own.with_weights(None if self._is_unit else node.weights)
        choice = best_choice(here, self._data, self._options, self._work, self._is_unit)
        if choice is None:
            return
        judged, _ = choice
        branch = judged.branches(here.column(judged.attribute))
        is_known = branch >= 0
        weight = np.bincount(branch[is_known], weights=node.weights[is_known], minlength=judged.n_branches)
        shares = weight / weight.sum()
        for nth, condition in enumerate(_conditions(judged)):
            if judged.attribute in self._lacking:
                condition = replace(condition, missing_share=float(shares[nth]))
            goes = (branch == nth) | (~is_known & (shares[nth] > 0))
            weights = np.where(is_known, node.weights, node.weights * shares[nth])[goes]
            yield self._node((*node.conditions, condition), node.base, node.rows[goes], weights)

    def _replace(self, node: PartialTreeNode) -> None:
        """Make a node with only leaves below a leaf where the estimated error hardly rises."""
        if node.waiting or not all(child.is_leaf for child in node.expanded):
            return
        below = sum(float(estimated_errors(child.counts, self._confidence)) for child in node.expanded)
        if float(estimated_errors(node.counts, self._confidence)) <= below + SLACK:
            node.expanded.clear()
            node.is_leaf = True


class PartialLoops:
    """Compiled growth of partial trees, a node at a time, where every record weighs one and no value is missing.

    The records of a tree are those of the one before or fewer. Their words stay sorted, so no node sorts anything.
    """

    def __init__(self, data: Dataset, options: GrowthOptions, context: RunContext) -> None:
        ensure_compiled(GROWTH_KERNELS, context)
        self._data, self._options, self._orders = data, options, data.derived(SORTED_ORDERS, context.checkpoint)
        self._context, self._growth = context, UnitGrowth(data, self._orders, options, context)
        self._words, self._n = self._growth.words, len(data)
        self._growth.words = np.empty_like(self._words)
        self._growth.space = self._growth.space._replace(leaf=np.zeros(0, dtype=np.int32))
        self._classes = data.class_codes.astype(np.int64)

    def root(self, rows: IntArray) -> PartialTreeNode:
        """The root of a new tree of some records."""
        from algorithms.learners.rules.covering_kernels import keep_words

        growth, is_kept = self._growth, np.zeros(len(self._data), dtype=np.uint8)
        is_kept[rows] = 1
        for words, copied in zip(self._words, growth.words, strict=True):
            self._context.checkpoint()
            keep_words(words[: self._n], is_kept, growth.layout.record_mask, copied)
        self._n = len(rows)
        growth.counts[0] = np.bincount(self._classes[rows], minlength=growth.counts.shape[1])
        growth.state[:] = 0
        growth.state[loop_arguments.PAUSES] = 1
        growth.kernels.begin(self._n, growth.arrays)
        return PartialTreeNode((), growth.counts[0].copy(), 0)

    def branches(self, node: PartialTreeNode) -> list[PartialTreeNode]:
        """The branches of the node's best split, none without one."""
        growth = self._growth
        growth.state[loop_arguments.N_OPEN], growth.nodes.frontier[0] = 1, node.number
        growth.run()
        self._context.checkpoint()
        nodes, number = growth.nodes, node.number
        if nodes.test[number] == SplitTest.LEAF:
            return []
        first = int(nodes.first_child[number])
        conditions = enumerate(_conditions(self._test(number)), first)
        return [
            PartialTreeNode((*node.conditions, condition), growth.counts[child].copy(), child)
            for child, condition in conditions
        ]

    def _test(self, number: int) -> NodeTest:
        """The test of a divided node."""
        nodes, schema = self._growth.nodes, self._data.schema
        place, test, offset = (
            int(nodes.attribute[number]),
            SplitTest(int(nodes.test[number])),
            int(nodes.offset[number]),
        )
        index, n_branches = schema.predictors[place], int(nodes.n_children[number])
        if test is not SplitTest.NUMERIC:
            branch_of = self._growth.branch_of[offset : offset + len(schema.attributes[index].values)].copy()
            return NodeTest(attribute=index, test=test, n_branches=n_branches, branch_of=branch_of)
        column = self._data.column(index)
        threshold = float(middles(column[nodes.low[[number]]], column[nodes.high[[number]]])[0])
        if self._options.thresholds == "data-value":
            threshold = self._orders.largest_up_to(place, column, threshold)
        return NodeTest(attribute=index, test=test, threshold=threshold)


def _conditions(judged: NodeTest) -> list[RuleCondition]:
    index = judged.attribute
    if judged.test not in (SplitTest.NUMERIC, SplitTest.RANGES):
        codes = [np.flatnonzero(judged.branch_of == b).tolist() for b in range(judged.n_branches)]
        return [RuleCondition(index, values=tuple(own)) for own in codes]
    return range_conditions(
        index, judged.ends.tolist() if judged.test == SplitTest.RANGES else [judged.threshold, np.inf]
    )


def _entropy(counts: FloatArray) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())


_NOTHING: Final = 1e-6
"""Remaining share below which a record counts as covered."""


@dataclass(frozen=True, kw_only=True)
class Part(UnprunedTreeLearner):
    """A rule list; each rule is the heaviest leaf of a partial tree on the records that earlier rules leave.

    The tree is a C4.5 tree, pruned during growth and expanded only as far as needed. The last tree, a single leaf, is
    the default rule. A record with a missing value is divided among branches as in C4.5. A rule covers the part in its
    leaf, and the rest stays for the next tree; prediction does the same. Of an attribute never missing in training, a
    missing value meets no condition.
    """

    id: ClassVar[str] = "part"
    name: ClassVar[str] = "PART"
    sentence: ClassVar[str] = (
        "Builds a partial pruned tree, keeps its largest leaf as a rule, removes the covered records, and "
        "repeats: a decision list."
    )
    source: ClassVar[str] = "Frank and Witten, Generating Accurate Rule Sets Without Global Optimization (1998)"

    confidence: float = declared_as(C45Rules, "confidence", help="Smaller values prune more, which gives fewer rules.")
    min_leaf: int = declared_as(C45Rules, "min_leaf")
    criterion: str = declared_as(C45Rules, "criterion")
    nominal_splits: str = declared_as(C45Rules, "nominal_splits")

    def induced(self, data: Dataset, context: RunContext) -> tuple[RuleSet, bool]:
        trees = PartialTree(data, self.tree_learner.growth(), self.confidence, context)
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
            if trees.divides:
                left[rows] *= 1.0 - _met_by(rule, data, rows)
            else:
                met = rows
                for condition in rule.conditions:
                    met = met[compared(condition, data, data.column(condition.attribute)[met])]
                left[met] = 0.0
            rules.append(rule)
            rows = rows[left[rows] > _NOTHING * whole[rows]]
        own = rows if len(rows) else np.arange(len(data))
        weights = left[rows] if len(rows) else whole
        default = int(np.argmax(np.bincount(codes[own], weights, minlength=len(data.schema.classes))))
        return put_together(data.schema, rules, default, criterion=self.criterion), partial


def _met_by(rule: Rule, data: Dataset, rows: IntArray) -> FloatArray:
    """The part of each row that meets the conditions of a rule."""
    rules = put_together(data.schema, [rule], 0)
    attributes = np.unique(rules.attribute).astype(np.int64)
    here = data.take(rows)
    return np.concatenate([met_parts(rules, block, attributes)[:, 0] for _, block in value_blocks(here, attributes)])
