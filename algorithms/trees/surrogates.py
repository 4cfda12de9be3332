"""Surrogate splits: questions that stand in for another one where its answer is missing.

Source: Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984), section 5.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.schema import Kind
from algorithms.core.structures import NO_NODE, Test, Tree
from algorithms.trees.assembly import Assembly
from algorithms.trees.engine import Grown, GrowthOptions, grow, middles
from algorithms.trees.node_records import branches, coded_branches, tree_branches

_LEAST: Final = 1e-9
"""A surrogate has to beat sending every record down the heavier branch by more than this."""


@dataclass(frozen=True, eq=False)
class Surrogate:
    """A test of two branches on another attribute, and its predictive measure of association with the node's own.

    ``threshold`` is NaN and ``branch_of`` the branch of each code where the attribute is a list of values.
    """

    attribute: int
    threshold: float
    branch_of: NDArray[np.int16]
    swapped: bool
    agreement: float


def surrogates_of(branch: IntArray, own: int, data: Dataset, most: int) -> list[Surrogate]:
    """The surrogates of a test on attribute ``own`` that sends the records of ``data`` down ``branch`` (n,), the best
    first.

    The records without an answer (-1) do not count. A surrogate's measure is (min(pL, pR) - (1 - p)) / min(pL, pR),
    p the share of the records for which it says the same as the test, pL and pR those that the test sends left and
    right, all among the records whose value is known in both.
    """
    answered = branch >= 0
    found = []
    for index in data.schema.predictors:
        if index == own:
            continue
        known = np.flatnonzero(answered & ~data.missing(index))
        sides = np.zeros((len(known), 2))
        sides[np.arange(len(known)), branch[known]] = data.weight_array[known]
        surrogate = _best(data, index, known, sides)
        if surrogate is not None:
            found.append(surrogate)
    found.sort(key=lambda surrogate: -round(surrogate.agreement, 9))
    return found[:most]


def _best(data: Dataset, index: int, known: IntArray, sides: FloatArray) -> Surrogate | None:
    """The best surrogate by one attribute, from its known values and each record's weight on either side (n, 2)."""
    total = sides.sum(axis=0)
    lighter = float(total.min())
    if len(known) == 0 or lighter <= 0:
        return None
    attribute, column = data.schema.attributes[index], data.column(index)[known]
    values, place = np.unique(column, return_inverse=True)
    table = np.zeros((len(values), 2))
    np.add.at(table, place, sides)
    if len(values) < 2:
        return None
    none = np.zeros(0, dtype=np.int16)
    if attribute.kind is Kind.NOMINAL:
        heavier = int(np.argmax(total))
        side = np.where(table[:, 0] == table[:, 1], heavier, np.argmax(table, axis=1))
        agreed, swapped, threshold = float(table[np.arange(len(values)), side].sum()), False, np.nan
        branch_of = np.full(len(attribute.values), -1, dtype=np.int16)
        branch_of[values.astype(np.int64)] = side
        one_sided = bool(np.all(side == side[0]))
    else:
        below = np.cumsum(table, axis=0)[:-1]
        same, other = below[:, 0] + total[1] - below[:, 1], below[:, 1] + total[0] - below[:, 0]
        cut = int(np.argmax(np.maximum(same, other)))
        swapped, agreed, one_sided = bool(other[cut] > same[cut]), float(max(same[cut], other[cut])), False
        if attribute.kind is Kind.ORDINAL:
            middle = (int(values[cut]) + int(values[cut + 1])) // 2
            up = np.arange(len(attribute.values)) > middle
            branch_of, threshold, swapped = (up ^ swapped).astype(np.int16), np.nan, False
        else:
            numbers = values.astype(np.float64)
            branch_of, threshold = none, float(middles(numbers[[cut]], numbers[[cut + 1]])[0])
    agreement = (lighter - (float(total.sum()) - agreed)) / lighter
    if one_sided or agreement <= _LEAST:
        return None
    return Surrogate(index, threshold, branch_of, swapped, agreement)


# ---- growing ---------------------------------------------------------------------------------------------------------


def grow_with_surrogates(data: Dataset, options: GrowthOptions, most: int, context: RunContext) -> Grown:
    """Grow a tree whose records without an answer follow up to ``most`` surrogates of each question, then the heavier
    branch, in training as when classifying.

    A branch in which no value is missing is grown in one go, without surrogates. ``max_leaves`` is not heeded.
    """
    weights = data.weights
    data = data if weights is None or bool(np.all(weights > 0)) else data.take(weights > 0)
    return _SurrogateGrowth(data, options, most, context).run()


@dataclass(eq=False)
class _Node:
    """A node of the tree to be, from the records at ``rows`` or from node ``at`` of the finished ``piece``."""

    parent: int
    depth: int
    rows: IntArray
    piece: Tree | None = None
    at: int = 0
    counts: FloatArray | None = None
    surrogates: Sequence[Surrogate] = ()
    first_child: int = NO_NODE

    @property
    def is_inner(self) -> bool:
        return self.first_child != NO_NODE


class _SurrogateGrowth:
    def __init__(self, data: Dataset, options: GrowthOptions, most: int, context: RunContext) -> None:
        self.data, self.options, self.most, self.context = data, options, most, context
        self.incomplete = np.zeros(len(data), dtype=np.bool_)
        for index in data.schema.predictors:
            self.incomplete |= data.missing(index)
        self.nodes: list[_Node] = []
        self.partial = False

    def run(self) -> Grown:
        self.context.advance(0, max(1, len(self.data)))
        self.nodes = [_Node(NO_NODE, 0, np.arange(len(self.data)))]
        at = settled = 0
        while at < len(self.nodes):
            node = self.nodes[at]
            self.context.checkpoint()
            if node.piece is None:
                settled += self._ask(at, node)
                self.context.advance(settled)
            elif not node.piece.is_leaf(node.at):
                self._follow(at, node, node.piece)
            at += 1
        return Grown(self._tree(), self.partial)

    def _ask(self, at: int, node: _Node) -> int:
        """Find a node's question and divide its records; returns how many need no more work."""
        here = self.data.take(node.rows)
        k = len(self.data.schema.classes)
        found = np.bincount(here.class_codes, weights=here.weight_array, minlength=k)
        node.counts = np.asarray(found, dtype=np.float64)
        self.partial = self.partial or self.context.finishing
        if self.partial:
            return len(node.rows)
        whole = not self.incomplete[node.rows].any()
        limit = self.options.max_depth
        left = None if limit is None else limit - node.depth
        if left is not None and left <= 0:
            return len(node.rows)
        options = replace(self.options, max_leaves=None, max_depth=left if whole else 1)
        grown = grow(here, options, self.context.child(0.0, at))
        node.piece = grown.tree
        if whole or grown.tree.n_nodes == 1:
            if not grown.tree.is_leaf(0):
                self._follow(at, node, grown.tree)
            return len(node.rows)
        self._divide(at, node, grown.tree, here)
        return 0

    def _divide(self, at: int, node: _Node, tree: Tree, here: Dataset) -> None:
        own = int(tree.attribute[0])
        branch = branches(tree, 0, here.column(own))
        if tree.n_children[0] == 2:
            node.surrogates = surrogates_of(branch, own, here, self.most)
        for surrogate in node.surrogates:
            open_rows = np.flatnonzero(branch < 0)
            branch[open_rows] = surrogate_sides(surrogate, here.column(surrogate.attribute)[open_rows])
        branch = np.where(branch < 0, int(tree.missing_to[0]), branch)
        node.first_child = len(self.nodes)
        for b in range(int(tree.n_children[0])):
            self.nodes.append(_Node(at, node.depth + 1, node.rows[branch == b]))
        node.rows = node.rows[:0]

    def _follow(self, at: int, node: _Node, piece: Tree) -> None:
        node.first_child = len(self.nodes)
        for child in piece.children(node.at):
            self.nodes.append(_Node(at, node.depth + 1, node.rows[:0], piece, child, piece.counts[child]))

    def _tree(self) -> Tree:
        return _tree_of(self.nodes, self.data, self.options)


def surrogate_sides(surrogate: Surrogate, column: NDArray[np.generic]) -> IntArray:
    if len(surrogate.branch_of):
        return coded_branches(surrogate.branch_of, column)
    numbers = np.asarray(column, dtype=np.float64)
    return np.where(np.isnan(numbers), -1, (numbers > surrogate.threshold) ^ surrogate.swapped).astype(np.int64)


def _tree_of(nodes: Sequence[_Node], data: Dataset, options: GrowthOptions) -> Tree:
    assembly, stand_ins = Assembly(nodes), list[tuple[int, Surrogate, int]]()
    for i, node in enumerate(nodes):
        piece, at = node.piece, node.at
        if piece is None or not node.is_inner:
            continue
        assembly.ask(
            i,
            test=int(piece.test[at]),
            attribute=int(piece.attribute[at]),
            n_children=int(piece.n_children[at]),
            threshold=float(piece.threshold[at]),
            missing_to=int(piece.missing_to[at]),
            gain=float(piece.gain[at]),
        )
        if piece.test[at] != Test.NUMERIC:
            assembly.set_offset(i, assembly.put(tree_branches(piece, at)))
        for surrogate in node.surrogates:
            stand_ins.append((i, surrogate, assembly.put(surrogate.branch_of) if len(surrogate.branch_of) else -1))
    return assembly.tree(
        data.schema,
        options.criterion,
        surrogate_node=np.array([i for i, _, _ in stand_ins], dtype=np.int32),
        surrogate_attribute=np.array([s.attribute for _, s, _ in stand_ins], dtype=np.int32),
        surrogate_threshold=np.array([s.threshold for _, s, _ in stand_ins], dtype=np.float64),
        surrogate_offset=np.array([place for _, _, place in stand_ins], dtype=np.int32),
        surrogate_swapped=np.array([s.swapped for _, s, _ in stand_ins], dtype=np.int8),
        surrogate_agreement=np.array([s.agreement for _, s, _ in stand_ins], dtype=np.float64),
    )
