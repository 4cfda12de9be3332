"""Partial trees: grown only as far as it takes to find one leaf that would survive pruning.

Source: Frank and Witten, Generating Accurate Rule Sets Without Global Optimization (1998).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import Cancelled
from algorithms.core.rule_set import Condition
from algorithms.core.structures import Test
from algorithms.trees.engine import GrowthOptions
from algorithms.trees.error_estimates import estimated_errors
from algorithms.trees.judging import TOLERANCE, Judged
from algorithms.trees.leaf_costs import SLACK
from algorithms.trees.nodewise_growth import best_choice


@dataclass(eq=False)
class Node:
    """A node of a partial tree: its records, what they weigh there, and the conditions that lead to it.

    ``waiting`` are its branches that are not expanded yet, the next one last; ``expanded`` those that are.
    """

    conditions: tuple[Condition, ...]
    rows: IntArray
    weights: FloatArray
    counts: FloatArray
    waiting: list[Node] = field(default_factory=list)
    expanded: list[Node] = field(default_factory=list)
    is_divided: bool = False
    is_leaf: bool = False

    @property
    def total(self) -> float:
        return float(self.counts.sum())

    def leaves(self) -> list[Node]:
        """The leaves below, itself where it is one; branches that were not expanded are none."""
        found, open_nodes = list[Node](), [self]
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

    def grown(self, rows: IntArray, weights: FloatArray | None = None) -> Node | None:
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

    def _grown(self, rows: IntArray, weights: FloatArray) -> Node:
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

    def _node(self, conditions: tuple[Condition, ...], rows: IntArray, weights: FloatArray) -> Node:
        counts = np.bincount(self._codes[rows], weights, minlength=self._k).astype(np.float64)
        return Node(conditions, rows, weights, counts)

    def _divide(self, node: Node) -> None:
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

    def _replace(self, node: Node) -> None:
        """Make a node a leaf whose branches all are, where that costs next to nothing."""
        if node.waiting or not all(each.is_leaf for each in node.expanded):
            return
        below = sum(float(estimated_errors(each.counts, self._confidence)) for each in node.expanded)
        if float(estimated_errors(node.counts, self._confidence)) <= below + SLACK:
            node.expanded.clear()
            node.is_leaf = True


def _conditions(judged: Judged) -> list[Condition]:
    """The condition of each branch of a question."""
    index = judged.attribute
    if judged.test not in (Test.NUMERIC, Test.RANGES):
        codes = [np.flatnonzero(judged.branch_of == b).tolist() for b in range(judged.n_branches)]
        return [Condition(index, values=tuple(each)) for each in codes]
    ends = judged.ends.tolist() if judged.test == Test.RANGES else [judged.threshold, np.inf]
    starts = [-np.inf, *ends[:-1]]
    return [Condition(index, low, high, low_is_open=low > -np.inf) for low, high in zip(starts, ends, strict=True)]


def _entropy(counts: FloatArray) -> float:
    shares = counts[counts > 0] / counts.sum()
    return float(-(shares * np.log2(shares)).sum())
