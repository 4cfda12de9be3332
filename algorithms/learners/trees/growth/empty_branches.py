"""Branches for the values that no training record of a node has (the empty children of Hunt's algorithm)."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import IntArray
from algorithms.learners.trees.routing import value_counts
from algorithms.structures.tree import NO_NODE, SplitTest, Tree

MOST_EMPTY: Final = 64
"""A node with more values without a record has one leaf for all of them."""

MOST_LAST: Final = 1 << 20
"""So many leaves at most are added for values without a record, or one for each node that has any."""


def with_empty_branches(tree: Tree) -> Tree:
    """The tree in which every value of a multiway test has a branch, in the order of the values.

    Each branch of ``tree`` has one value. The new branches are leaves without weight that decide as their parent; more
    than :data:`MOST_EMPTY` of a node share one, its last branch.
    """
    owner, code, branch = _values(tree, np.flatnonzero(tree.test == SplitTest.MULTIWAY))
    empty = np.bincount(owner[branch < 0], minlength=tree.n_nodes)
    if not empty.any():
        return tree
    shared = empty > MOST_EMPTY
    n_children = tree.n_children + np.where(shared, 1, empty).astype(np.int32)
    new_branch = np.where(shared[owner], np.where(branch < 0, tree.n_children[owner], branch), code)
    first = _first_children(tree, n_children)
    number = np.full(tree.n_nodes, 0, dtype=np.int64)
    known = branch >= 0
    number[tree.first_child[owner[known]] + branch[known]] = first[owner[known]] + new_branch[known]
    kept = np.setdiff1d(np.arange(1, tree.n_nodes), tree.first_child[owner[known]] + branch[known])
    parents = tree.parent[kept]
    number[kept] = first[parents] + kept - tree.first_child[parents]
    return _renumbered(tree, number, first, n_children, owner, code, new_branch)


def with_last_branches(tree: Tree) -> tuple[Tree, IntArray]:
    """The tree in which every value of a multiway test has a branch, and the new number of each node (m,).

    Only tests with a branch for each value get any. The new branches are leaves without weight that decide as their
    parent, and follow the others. Where they are more than :data:`MOST_LAST` in all, those of a node share one.
    """
    multiway = np.flatnonzero(tree.test == SplitTest.MULTIWAY)
    owner, code, branch = _values(tree, multiway)
    plain = np.bincount(owner[branch >= 0], minlength=tree.n_nodes) == tree.n_children
    owner, code, branch = (each[plain[owner]] for each in (owner, code, branch))
    is_empty = branch < 0
    empty = np.bincount(owner[is_empty], minlength=tree.n_nodes)
    if not empty.any():
        return tree, np.arange(tree.n_nodes)
    before = np.cumsum(empty) - empty
    nth = np.cumsum(is_empty) - 1 - before[owner]
    if empty.sum() > MOST_LAST:
        nth, empty = np.zeros_like(nth), np.minimum(empty, 1)
    n_children = tree.n_children + empty.astype(np.int32)
    new_branch = np.where(is_empty, tree.n_children[owner] + nth, branch)
    first = _first_children(tree, n_children)
    number = np.zeros(tree.n_nodes, dtype=np.int64)
    parents = tree.parent[1:]
    number[1:] = first[parents] + np.arange(1, tree.n_nodes) - tree.first_child[parents]
    return _renumbered(tree, number, first, n_children, owner, code, new_branch), number


def without_leaves(tree: Tree, dropped: NDArray[np.bool_]) -> Tree:
    """The tree without these leaves (m,), branches of multiway tests: their values have no branch then."""
    if not dropped.any():
        return tree
    owner, code, branch = _values(tree, np.unique(tree.parent[dropped]).astype(np.int64))
    child = np.where(branch >= 0, tree.first_child[owner] + branch, 0)
    stays = (branch >= 0) & ~dropped[child]
    before: IntArray = np.cumsum(dropped) - dropped
    branch_of = tree.branch_of.copy()
    branch_of[tree.offset[owner] + code] = np.where(stays, branch - before[child] + before[tree.first_child[owner]], -1)
    kept = np.flatnonzero(~dropped)
    number = np.full(tree.n_nodes + 1, NO_NODE, dtype=np.int32)
    number[kept] = np.arange(len(kept))
    nodes = ("test", "attribute", "threshold", "offset", "counts", "decision", "gain", "missing_to")
    return replace(
        tree,
        **{name: getattr(tree, name)[kept] for name in nodes},
        first_child=number[tree.first_child[kept]],
        n_children=(tree.n_children - np.bincount(tree.parent[dropped], minlength=tree.n_nodes))[kept].astype(np.int32),
        parent=number[tree.parent[kept]],
        branch_of=branch_of,
        surrogate_node=number[tree.surrogate_node],
    )


def _values(tree: Tree, nodes: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """For every value at every one of these multiway nodes: the node, the value's code, its branch or -1 (s,) each."""
    length = value_counts(tree)[nodes].astype(np.int64)
    owner = np.repeat(nodes, length)
    code = np.arange(len(owner)) - np.repeat(np.cumsum(length) - length, length)
    return owner, code, tree.branch_of[tree.offset[owner] + code].astype(np.int64)


def _first_children(tree: Tree, n_children: np.ndarray[tuple[int, ...], np.dtype[np.int32]]) -> IntArray:
    """Where each node's children start when there are so many; the families keep their order."""
    inner = np.flatnonzero(tree.n_children > 0)
    inner = inner[np.argsort(tree.first_child[inner])]
    ends = np.cumsum(n_children[inner], dtype=np.int64)
    first = np.full(tree.n_nodes, NO_NODE, dtype=np.int64)
    first[inner] = 1 + ends - n_children[inner]
    return first


def _renumbered(
    tree: Tree,
    number: IntArray,
    first: IntArray,
    n_children: np.ndarray[tuple[int, ...], np.dtype[np.int32]],
    owner: IntArray,
    code: IntArray,
    new_branch: IntArray,
) -> Tree:
    """The tree with node i at ``number[i]`` and leaves without weight wherever no node is."""
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
        found = values[old]
        found[~there] = otherwise
        return found

    return replace(
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
