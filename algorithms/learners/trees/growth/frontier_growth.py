"""Growth of a tree node by node outside the compiled loops: one frontier loop for every way to find a node's split.

A subclass finds the split of a node and the branches of its records. The frontier is a heap of the nodes with a
split: under a limit of leaves the most urgent one is divided first, otherwise the first one.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.learners.trees.growth.growth_options import TOLERANCE, GrowthOptions, GrowthResult
from algorithms.learners.trees.routing import NO_ENDS, NO_VALUES, NodeTest
from algorithms.structures.tree import NO_NODE, SplitTest, Tree


@dataclass(eq=False, kw_only=True)
class NodeSplit:
    """The split of a node, with the ``branch`` of each of its records; -1 sends a record down all branches in parts.

    ``missing_to`` is the branch of missing values (-1: all), ``gain`` the one that the tree stores. ``urgency`` orders
    the nodes under a limit of leaves: the decrease of impurity times weight, rounded so that the order of summation
    does not matter.
    """

    test: NodeTest
    branch: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    missing_to: int = -1
    gain: float = np.nan
    urgency: float = 0.0


Split = TypeVar("Split", bound=NodeSplit)


@dataclass(eq=False)
class GrowingNode(Generic[Split]):
    """A node of a growing tree; ``path`` are the branches from the root, ``weights`` those of its records there."""

    parent: int
    path: tuple[int, ...]
    rows: IntArray
    weights: FloatArray
    counts: FloatArray
    split: Split | None = None
    first_child: int = NO_NODE


class JoinedLists:
    """Arrays of the type of ``first`` (the branches of listed values, or cuts), one after the other."""

    def __init__(self, first: NDArray[Any] = NO_VALUES) -> None:
        self._lists, self._length = [first], len(first)

    def put(self, values: NDArray[Any]) -> int:
        """Appends an array; returns its offset."""
        start = self._length
        self._lists.append(np.asarray(values, dtype=self._lists[0].dtype))
        self._length += len(values)
        return start

    def joined(self) -> NDArray[Any]:
        return np.concatenate(self._lists)


def assembled(nodes: Sequence[GrowingNode[Any]], schema: Schema, criterion: str) -> Tree:
    """The tree of these nodes, each of which decides for its heaviest class; undivided nodes are leaves."""
    from algorithms.learners.trees.kernels.split_kernels import decide

    m = len(nodes)
    test, n_children = np.zeros(m, dtype=np.int8), np.zeros(m, dtype=np.int32)
    attribute, offset = np.full(m, -1, dtype=np.int32), np.full(m, -1, dtype=np.int32)
    threshold, gain, missing_to = np.full(m, np.nan), np.full(m, np.nan), np.full(m, -1, dtype=np.int16)
    lists, cuts = JoinedLists(), JoinedLists(NO_ENDS)
    for i, node in enumerate(nodes):
        if node.split is None:
            continue
        own = node.split.test
        test[i], attribute[i], n_children[i], threshold[i] = own.test, own.attribute, own.n_branches, own.threshold
        missing_to[i], gain[i] = node.split.missing_to, node.split.gain
        if own.test == SplitTest.RANGES:
            offset[i] = cuts.put(own.ends)
        elif own.test not in (SplitTest.NUMERIC, SplitTest.LINEAR):
            offset[i] = lists.put(own.branch_of)
    parent = np.array([node.parent for node in nodes], dtype=np.int32)
    counts = np.array([node.counts for node in nodes], dtype=np.float64)
    decision = np.empty(m, dtype=np.int32)
    decide(counts, parent, decision)
    return Tree(
        schema=schema,
        test=test,
        attribute=attribute,
        threshold=threshold,
        first_child=np.array([node.first_child for node in nodes], dtype=np.int32),
        n_children=n_children,
        parent=parent,
        offset=offset,
        branch_of=lists.joined(),
        counts=counts,
        decision=decision,
        gain=gain,
        missing_to=missing_to,
        criterion=criterion,
        cuts=cuts.joined(),
    )


def one_split(schema: Schema, split: NodeSplit, counts: FloatArray, criterion: str = "") -> Tree:
    """The tree of one split; ``counts`` (b + 1, k) are the class weights of the root and of its branches."""
    nodes = [GrowingNode[Any](0, (), np.zeros(0, dtype=np.int64), NO_ENDS, row) for row in counts]
    nodes[0].parent, nodes[0].first_child, nodes[0].split = NO_NODE, 1, split
    return assembled(nodes, schema, criterion)


class FrontierGrowth(ABC, Generic[Split]):
    """Grows a tree on records of known class; with ``is_unit`` each weighs one and is never divided."""

    def __init__(self, data: Dataset, options: GrowthOptions, context: RunContext, *, is_unit: bool) -> None:
        self.data, self.options, self.context, self.is_unit = data, options, context, is_unit
        self.k = len(data.schema.classes)
        self.nodes: list[GrowingNode[Split]] = []
        self.partial = False
        self._open: list[tuple[float, int]] = []
        self._settled = 0.0

    @abstractmethod
    def find_split(self, node: GrowingNode[Split]) -> Split | None:
        """The best split of a node; None to leave it a leaf. May set :attr:`partial` to end the growth."""

    def tree(self) -> Tree:
        return assembled(self.nodes, self.data.schema, self.options.criterion)

    def records(self, node: GrowingNode[Split]) -> Dataset:
        return self.data.take(node.rows).with_weights(None if self.is_unit else node.weights)

    def run(self) -> GrowthResult:
        """The grown tree. Under a limit of leaves, the most urgent node is divided first."""
        n = len(self.data)
        self.context.advance(0, max(1, n))
        self._add(NO_NODE, (), np.arange(n), self.data.weight_array.astype(np.float64))
        leaves, most = 1, self.options.max_leaves
        while self._open and not self.partial:
            self.context.checkpoint()
            number = heapq.heappop(self._open)[1]
            split = self.nodes[number].split
            assert split is not None
            n_branches = split.test.n_branches
            if most is not None and leaves + n_branches - 1 > most:
                self._settle(self.nodes[number])
                continue
            self._divide(number, split)
            leaves += n_branches - 1
        for _, number in self._open:
            self.nodes[number].split = None
        return GrowthResult(self.tree(), self.partial)

    def _add(self, parent: int, path: tuple[int, ...], rows: IntArray, weights: FloatArray) -> None:
        """Adds a leaf and queues it if it has a split."""
        self.context.checkpoint()
        counts = np.bincount(self.data.class_codes[rows], weights=weights, minlength=self.k).astype(np.float64)
        node: GrowingNode[Split] = GrowingNode(parent, path, rows, weights, counts)
        number = len(self.nodes)
        self.nodes.append(node)
        can_split = not self._is_terminal(node)
        self.partial = self.partial or (can_split and self.context.finishing)
        if can_split and not self.partial:
            split = self.find_split(node)
            if split is not None:
                node.split = split
                heapq.heappush(self._open, (0.0 if self.options.max_leaves is None else -split.urgency, number))
                return
        self._settle(node)

    def _is_terminal(self, node: GrowingNode[Split]) -> bool:
        total = float(node.counts.sum())
        if (
            total - float(node.counts.max(initial=0.0)) <= TOLERANCE * total
            or total < 2.0 * self.options.min_leaf - TOLERANCE
        ):
            return True
        return self.options.max_depth is not None and len(node.path) >= self.options.max_depth

    def _settle(self, node: GrowingNode[Split]) -> None:
        self._settled += float(node.counts.sum())
        whole = max(float(self.nodes[0].counts.sum()), 1e-300)
        self.context.advance(int(self._settled / whole * max(1, len(self.data)) + TOLERANCE))
        node.path, node.rows, node.weights, node.split = (), node.rows[:0], node.weights[:0], None

    def _divide(self, number: int, split: Split) -> None:
        node, branch, n_branches = self.nodes[number], split.branch, split.test.n_branches
        node.first_child, split.branch = len(self.nodes), branch[:0]
        path, rows, weights = node.path, node.rows, node.weights
        node.path, node.rows, node.weights = (), rows[:0], weights[:0]
        has_answer = branch >= 0
        weight = np.bincount(branch[has_answer], weights=weights[has_answer], minlength=n_branches)
        shares = weight / weight.sum()
        for nth in range(n_branches):
            goes = (branch == nth) | (~has_answer & (shares[nth] > 0))
            parts = np.where(has_answer, weights, weights * shares[nth])[goes]
            self._add(number, (*path, nth), rows[goes], parts)
