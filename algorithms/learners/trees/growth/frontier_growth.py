"""Growth of a tree node by node outside the compiled loops: one frontier loop for every way to find a node's split.

A subclass finds the split of a node and sends its records down the branches. The frontier is a heap of the nodes with a
split: under a limit of leaves the most urgent one is divided first, otherwise the first one.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.learners.trees.growth.growth_options import GrowthResult
from algorithms.structures.tree import NO_NODE, SplitTest, Tree

TOLERANCE: Final = 1e-9
"""Weights and gains that differ by less are equal, as in the compiled loops."""

NO_VALUES: Final = np.zeros(0, dtype=np.int16)
NO_ENDS: Final = np.zeros(0)


class NodeTest(Protocol):
    """The test of a node, in the fields of :class:`Tree`.

    ``branch_of`` is the branch of each value code of a listed test, ``ends`` the upper ends of a RANGES test.
    """

    @property
    def attribute(self) -> int: ...
    @property
    def test(self) -> SplitTest: ...
    @property
    def threshold(self) -> float: ...
    @property
    def n_branches(self) -> int: ...
    @property
    def branch_of(self) -> NDArray[Any]: ...
    @property
    def ends(self) -> FloatArray: ...


@dataclass(frozen=True, eq=False)
class PlainTest:
    """A test with these fields and no more; see :class:`NodeTest`."""

    attribute: int
    test: SplitTest
    threshold: float = np.nan
    n_branches: int = 2
    branch_of: NDArray[Any] = field(default_factory=lambda: NO_VALUES)
    ends: FloatArray = field(default_factory=lambda: NO_ENDS)


Split = TypeVar("Split")


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


class Assembly:
    """Assembles a tree from the tests of its inner nodes; nodes without a test are leaves."""

    def __init__(self, nodes: Sequence[GrowingNode[Any]]) -> None:
        m = len(nodes)
        self._nodes = nodes
        self._test, self._n_children = np.zeros(m, dtype=np.int8), np.zeros(m, dtype=np.int32)
        self._attribute, self.offset = np.full(m, -1, dtype=np.int32), np.full(m, -1, dtype=np.int32)
        self._threshold, self._gain = np.full(m, np.nan), np.full(m, np.nan)
        self._missing_to = np.full(m, -1, dtype=np.int16)
        self.lists = JoinedLists()
        self._cuts = JoinedLists(NO_ENDS)

    def set_test(self, node: int, test: NodeTest, missing_to: int, gain: float) -> None:
        self._test[node], self._attribute[node], self._n_children[node] = test.test, test.attribute, test.n_branches
        self._threshold[node], self._missing_to[node], self._gain[node] = test.threshold, missing_to, gain
        if test.test == SplitTest.RANGES:
            self.offset[node] = self._cuts.put(test.ends)
        elif test.test not in (SplitTest.NUMERIC, SplitTest.LINEAR):
            self.offset[node] = self.lists.put(test.branch_of)

    def tree(self, schema: Schema, criterion: str, **further: Any) -> Tree:
        """The tree; each node decides for its heaviest class. ``further`` are other fields of :class:`Tree`."""
        from algorithms.learners.trees.kernels.split_kernels import decide

        parent = np.array([node.parent for node in self._nodes], dtype=np.int32)
        counts = np.array([node.counts for node in self._nodes], dtype=np.float64)
        decision = np.empty(len(self._nodes), dtype=np.int32)
        decide(counts, parent, decision)
        return Tree(
            schema=schema,
            test=self._test,
            attribute=self._attribute,
            threshold=self._threshold,
            first_child=np.array([node.first_child for node in self._nodes], dtype=np.int32),
            n_children=self._n_children,
            parent=parent,
            offset=self.offset,
            branch_of=self.lists.joined(),
            counts=counts,
            decision=decision,
            gain=self._gain,
            missing_to=self._missing_to,
            criterion=criterion,
            cuts=self._cuts.joined(),
            **further,
        )


def one_split(
    schema: Schema, test: NodeTest, counts: FloatArray, criterion: str = "", missing_to: int = -1, gain: float = np.nan
) -> Tree:
    """The tree of one test; ``counts`` (b + 1, k) are the class weights of the root and of its branches."""
    nodes = [GrowingNode[None](0, (), np.zeros(0, dtype=np.int64), NO_ENDS, row) for row in counts]
    nodes[0].parent, nodes[0].first_child = NO_NODE, 1
    assembly = Assembly(nodes)
    assembly.set_test(0, test, missing_to, gain)
    return assembly.tree(schema, criterion)


class FrontierGrowth(ABC, Generic[Split]):
    """Grows a tree on records with a known class and positive weight.

    A node stays a leaf if it is pure, lighter than ``least`` or at the depth ``max_depth``. With ``is_unit`` every
    record weighs one and is never divided.
    """

    def __init__(
        self,
        data: Dataset,
        context: RunContext,
        *,
        least: float,
        max_depth: int | None,
        max_leaves: int | None = None,
        is_unit: bool,
    ) -> None:
        self.data, self.context = data, context
        self.k = len(data.schema.classes)
        self.nodes: list[GrowingNode[Split]] = []
        self.partial = False
        self._least, self._max_depth, self._max_leaves, self._is_unit = least, max_depth, max_leaves, is_unit
        self._open: list[tuple[float, int]] = []
        self._settled = 0.0

    @abstractmethod
    def find_split(self, node: GrowingNode[Split]) -> Split | None:
        """The best split of a node; None to leave it a leaf. May set :attr:`partial` to end the growth."""

    @abstractmethod
    def n_branches(self, split: Split) -> int: ...

    @abstractmethod
    def branches(self, node: GrowingNode[Split]) -> IntArray:
        """Branch of each record of a node with a split; -1 sends it down all branches in parts."""

    @abstractmethod
    def tree(self) -> Tree:
        """The tree of the grown nodes."""

    def records(self, node: GrowingNode[Split]) -> Dataset:
        """The node's records with their weights there."""
        return self.data.take(node.rows).with_weights(None if self._is_unit else node.weights)

    def urgency(self, split: Split, counts: FloatArray) -> float:
        """Decrease of impurity times weight, rounded so that the order of summation does not matter."""
        return 0.0

    def run(self) -> GrowthResult:
        """The grown tree. Under a limit of leaves, the most urgent node is divided first."""
        n = len(self.data)
        self.context.advance(0, max(1, n))
        self._add(NO_NODE, (), np.arange(n), self.data.weight_array.astype(np.float64))
        leaves, most = 1, self._max_leaves
        while self._open and not self.partial:
            self.context.checkpoint()
            number = heapq.heappop(self._open)[1]
            split = self.nodes[number].split
            assert split is not None
            n_branches = self.n_branches(split)
            if most is not None and leaves + n_branches - 1 > most:
                self._settle(self.nodes[number])
                continue
            self._divide(number, n_branches)
            leaves += n_branches - 1
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
                urgency = 0.0 if self._max_leaves is None else self.urgency(split, counts)
                heapq.heappush(self._open, (-urgency, number))
                return
        self._settle(node)

    def _is_terminal(self, node: GrowingNode[Split]) -> bool:
        total = float(node.counts.sum())
        if total - float(node.counts.max(initial=0.0)) <= TOLERANCE * total or total < self._least - TOLERANCE:
            return True
        return self._max_depth is not None and len(node.path) >= self._max_depth

    def _settle(self, node: GrowingNode[Split]) -> None:
        self._settled += float(node.counts.sum())
        whole = max(float(self.nodes[0].counts.sum()), 1e-300)
        self.context.advance(int(self._settled / whole * max(1, len(self.data)) + TOLERANCE))
        node.path, node.rows, node.weights = (), node.rows[:0], node.weights[:0]

    def _divide(self, number: int, n_branches: int) -> None:
        node = self.nodes[number]
        node.first_child = len(self.nodes)
        branch = self.branches(node)
        path, rows, weights = node.path, node.rows, node.weights
        node.path, node.rows, node.weights = (), rows[:0], weights[:0]
        has_answer = branch >= 0
        weight = np.bincount(branch[has_answer], weights=weights[has_answer], minlength=n_branches)
        shares = weight / weight.sum()
        for nth in range(n_branches):
            goes = (branch == nth) | (~has_answer & (shares[nth] > 0))
            parts = np.where(has_answer, weights, weights * shares[nth])[goes]
            self._add(number, (*path, nth), rows[goes], parts)
