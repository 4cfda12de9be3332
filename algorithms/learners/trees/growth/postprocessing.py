"""Changes of a grown tree that add no split: leaves for values without training records, and soft thresholds.

Leaves for unseen values are the empty children of Hunt's algorithm. Soft thresholds follow Quinlan, C4.5: Programs for
Machine Learning (1993), chapter 8, and release 8 with the option ``-p``. There a threshold is a value that occurs and
moves from value to value. Here it moves half way between two values, so that both ends are equally far from it where
both sides are alike.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite, sqrt
from typing import Final

import numpy as np

from algorithms.core.run_control import RunContext
from algorithms.core.scores import FormulaWorking, Term
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.growth.growth_options import middles
from algorithms.learners.trees.routing import (
    DIVIDED,
    branches_of_values,
    leaf_probabilities,
    own_branches,
    routing,
    steps,
    used_attributes,
    value_block,
)
from algorithms.structures.tree import NO_NODE, SplitTest, Tree

MOST_EMPTY: Final = 64
"""A node with more unseen values than this has one leaf for all of them."""

MOST_LAST: Final = 1 << 20
"""Maximum number of leaves added for unseen values; beyond it one leaf a node."""


def with_empty_branches(tree: Tree) -> Tree:
    """The tree in which every value of a multiway test has a branch, in the order of the values.

    Each branch of ``tree`` has one value. The new branches are leaves without weight that decide as their parent; more
    than :data:`MOST_EMPTY` of a node share one, its last branch.
    """
    owner, code, branch = branches_of_values(tree, np.flatnonzero(tree.test == SplitTest.MULTIWAY))
    empty = np.bincount(owner[branch < 0], minlength=tree.n_nodes)
    shared = empty > MOST_EMPTY
    new_branch = np.where(shared[owner], np.where(branch < 0, tree.n_children[owner], branch), code)
    return _widened(tree, np.where(shared, 1, empty), owner, code, branch, new_branch)[0]


def with_last_branches(tree: Tree) -> tuple[Tree, IntArray]:
    """The tree in which every value of a multiway test has a branch, and the new number of each node (m,).

    Only tests with a branch for each value get any. The new branches are leaves without weight that decide as their
    parent, and follow the others. Where they are more than :data:`MOST_LAST` in all, those of a node share one.
    """
    owner, code, branch = branches_of_values(tree, np.flatnonzero(tree.test == SplitTest.MULTIWAY))
    plain = np.bincount(owner[branch >= 0], minlength=tree.n_nodes) == tree.n_children
    owner, code, branch = (array[plain[owner]] for array in (owner, code, branch))
    is_empty = branch < 0
    empty = np.bincount(owner[is_empty], minlength=tree.n_nodes)
    nth = np.cumsum(is_empty) - 1 - (np.cumsum(empty) - empty)[owner]
    if empty.sum() > MOST_LAST:
        nth, empty = np.zeros_like(nth), np.minimum(empty, 1)
    return _widened(tree, empty, owner, code, branch, np.where(is_empty, tree.n_children[owner] + nth, branch))


def _widened(
    tree: Tree, n_more: IntArray, owner: IntArray, code: IntArray, branch: IntArray, new_branch: IntArray
) -> tuple[Tree, IntArray]:
    """The tree with so many more children of each node (m,), and the new number of each node (m,).

    A value moves from its ``branch`` to ``new_branch`` (s,); the new branches are leaves without weight. The families
    keep their order.
    """
    if not n_more.any():
        return tree, np.arange(tree.n_nodes)
    n_children = tree.n_children + n_more.astype(np.int32)
    inner = np.flatnonzero(tree.n_children > 0)
    inner = inner[np.argsort(tree.first_child[inner])]
    first = np.full(tree.n_nodes, NO_NODE, dtype=np.int64)
    first[inner] = 1 + np.cumsum(n_children[inner], dtype=np.int64) - n_children[inner]
    parents, number = tree.parent[1:], np.zeros(tree.n_nodes, dtype=np.int64)
    number[1:] = first[parents] + np.arange(1, tree.n_nodes) - tree.first_child[parents]
    moves = branch >= 0
    number[tree.first_child[owner[moves]] + branch[moves]] = first[owner[moves]] + new_branch[moves]
    m = int(1 + n_children.sum())
    parent = np.full(m, NO_NODE, dtype=np.int32)
    inner = np.flatnonzero(n_children > 0)
    family = np.repeat(inner, n_children[inner])
    within = np.arange(len(family)) - np.repeat(np.cumsum(n_children[inner]) - n_children[inner], n_children[inner])
    parent[first[family] + within] = number[family]
    old = np.full(m, NO_NODE, dtype=np.int64)
    old[number] = np.arange(tree.n_nodes)
    there = old >= 0
    branch_of = tree.branch_of.copy()
    branch_of[tree.offset[owner] + code] = new_branch
    decision = tree.decision[old]
    decision[~there] = decision[parent[~there]]
    leaf = np.where(there, n_children[old], 0) == 0

    def moved(values: np.ndarray, otherwise: float) -> np.ndarray:
        renumbered = values[old]
        renumbered[~there] = otherwise
        return renumbered

    wide = replace(
        tree,
        test=moved(tree.test, SplitTest.LEAF),
        attribute=moved(tree.attribute, -1),
        threshold=moved(tree.threshold, np.nan),
        first_child=np.where(leaf, NO_NODE, first[old]).astype(np.int32),
        n_children=np.where(leaf, 0, n_children[old]).astype(np.int32),
        parent=parent,
        offset=moved(tree.offset, -1),
        branch_of=branch_of,
        counts=moved(tree.counts, 0.0),
        decision=decision,
        gain=moved(tree.gain, np.nan),
        missing_to=moved(tree.missing_to, -1),
        surrogate_node=number[tree.surrogate_node].astype(np.int32),
    )
    return wide, number


@dataclass(frozen=True)
class SoftThreshold:
    """The ends of a soft threshold, and the figures that decide them.

    With the threshold as it is, ``errors`` of the ``weight`` of records are wrong; within ``spread`` more (one standard
    error) it may as well lie anywhere from ``low`` to ``high``.
    """

    low: float
    high: float
    errors: float
    weight: float
    spread: float

    def working(self) -> FormulaWorking:
        """Formula of the largest number of errors at which a threshold still counts as equally good."""
        terms = (
            Term("E", self.errors, "errors with the threshold as it is"),
            Term("n", self.weight, "records here whose value is known"),
        )
        words = "{E} + sqrt(({E} + 0.5) x ({n} - {E} + 0.5) / ({n} + 1))"
        return FormulaWorking("Most errors", words, terms, self.errors + self.spread, "Quinlan 1993, chapter 8")


def softness(
    values: FloatArray, left_wrong: FloatArray, right_wrong: FloatArray, threshold: float, n: float
) -> SoftThreshold:
    """The softness of a ``threshold`` for records of weight ``n`` with these ``values`` (r,).

    ``left_wrong`` and ``right_wrong`` (r,) are the weights of the records that are wrong when they go left and right.
    The ends are where the number of errors, as the threshold moves over the middles between neighbouring values, passes
    the errors it has plus their standard error, in a straight line between two middles; the outermost ones where there
    are several, and the least and largest value where there is none.
    """
    distinct, place = np.unique(values, return_inverse=True)
    change = np.bincount(place, weights=left_wrong - right_wrong, minlength=len(distinct))
    errors = float(right_wrong.sum()) + np.append(0.0, np.cumsum(change))
    places = np.concatenate((distinct[:1], middles(distinct[:-1], distinct[1:]), distinct[-1:]))
    base = float(np.where(values <= threshold, left_wrong, right_wrong).sum())
    spread = sqrt((base + 0.5) * (n - base + 0.5) / (n + 1.0))
    limit = base + spread + 1e-9 * max(1.0, n)
    ok = errors <= limit
    here, before = slice(1, None), slice(None, -1)
    rises = np.flatnonzero(~ok[before] & ok[here] & (places[here] <= threshold)) + 1
    falls = np.flatnonzero(ok[before] & ~ok[here] & (places[here] > threshold)) + 1
    low, high = float(distinct[0]), float(distinct[-1])
    if len(rises):
        low = _between(places, errors, int(rises[0]), int(rises[0]) - 1, base + spread)
    if len(falls):
        high = _between(places, errors, int(falls[-1]) - 1, int(falls[-1]), base + spread)
    return SoftThreshold(min(threshold, low), max(threshold, high), base, n, spread)


def _between(places: FloatArray, errors: FloatArray, inside: int, outside: int, limit: float) -> float:
    """Where the interpolated errors between two neighbouring places reach the limit."""
    share = (limit - errors[inside]) / (errors[outside] - errors[inside])
    start, way = float(places[inside]), float(places[outside]) - float(places[inside])
    return start + way * float(min(1.0, max(0.0, share))) if isfinite(way) else start


def softened(tree: Tree, data: Dataset, context: RunContext) -> Tree:
    """The tree, grown on ``data``, with soft thresholds; unchanged if finished early. Raises :class:`Cancelled`."""
    soft_from, soft_to = np.full(tree.n_nodes, np.nan), np.full(tree.n_nodes, np.nan)
    numeric = (tree.test == SplitTest.NUMERIC) & (tree.n_children == 2)
    if not numeric.any():
        return tree
    weighty = data.without_weightless()
    work = _Softening(tree, weighty)
    waiting: list[tuple[int, IntArray]] = [(0, np.arange(len(weighty)))]
    done, m = 0, tree.n_nodes
    while waiting:
        context.checkpoint()
        if context.finishing:
            return tree
        context.advance(done := done + 1, m)
        node, rows = waiting.pop()
        if tree.is_leaf(node):
            continue
        branch = own_branches(tree, node, weighty, rows)
        has_answer = branch >= 0
        rows, branch = rows[has_answer], branch[has_answer]
        if numeric[node] and len(rows):
            ends = work.softness(node, rows)
            soft_from[node], soft_to[node] = ends.low, ends.high
        waiting += [(child, rows[branch == nth]) for nth, child in enumerate(tree.children(node))]
    return replace(tree, soft_from=soft_from, soft_to=soft_to)


def softness_at(tree: Tree, node: int, data: Dataset, context: RunContext) -> SoftThreshold | None:
    """Soft threshold of a node of a tree grown on ``data``; None if it has none."""
    if not tree.is_soft(node):
        return None
    sharp = replace(tree, soft_from=np.zeros(0), soft_to=np.zeros(0))
    whole = data.without_weightless()
    rows = np.arange(len(whole))
    for child in tree.path(node)[1:]:
        context.checkpoint()
        rows = rows[own_branches(tree, int(tree.parent[child]), whole, rows) == tree.branch_to(child)]
    rows = rows[own_branches(tree, node, whole, rows) >= 0]
    return _Softening(sharp, whole).softness(node, rows) if len(rows) else None


class _Softening:
    """Predicts records by each side of a threshold, whose node is put first, where the compiled loops begin."""

    def __init__(self, tree: Tree, data: Dataset) -> None:
        self.tree, self.data = tree, data
        self.codes, self.weights = data.class_codes.astype(np.int64), data.weight_array
        self.used = used_attributes(tree)
        self.block = value_block(data, self.used, slice(None))
        self.ways = routing(tree)
        self.steps = steps(self.ways)
        self.probabilities = leaf_probabilities(tree)

    def softness(self, node: int, rows: IntArray) -> SoftThreshold:
        """Soft threshold of a node by these records, whose value is known."""
        weights, codes, block = self.weights[rows], self.codes[rows], self.block[rows]
        left, right = (np.where(self._classes(c, block) != codes, weights, 0.0) for c in self.tree.children(node))
        values = block[:, int(np.searchsorted(self.used, self.tree.attribute[node]))]
        return softness(values, left, right, float(self.tree.threshold[node]), float(weights.sum()))

    def _classes(self, node: int, block: FloatArray) -> IntArray:
        """Class of each record (n,) by the subtree at a node."""
        from algorithms.learners.trees.kernels.prediction_kernels import find_leaves, mix_leaves

        if self.tree.is_leaf(node):
            return np.full(len(block), int(self.tree.decision[node]), dtype=np.int64)
        for name in ("test", "slot", "threshold", "first_child", "n_children", "offset", "n_values", "missing_to"):
            array = getattr(self.ways, name)
            array[0] = array[node]
        self.steps[0] = self.steps[node]  # the loops begin at the first node, to which no child points
        leaves = np.empty(len(block), dtype=np.int32)
        find_leaves(block, self.steps, self.ways, leaves)
        decisions = self.tree.decision[leaves].astype(np.int64)
        divided = np.flatnonzero(leaves == DIVIDED)
        if len(divided):
            mixed = np.zeros((len(block), self.probabilities.shape[1]))
            mix_leaves(block, divided, self.ways, self.probabilities, mixed)
            decisions[divided] = np.argmax(mixed[divided], axis=1)
        return decisions
