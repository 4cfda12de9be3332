"""Cutting subtrees off a tree: nodes become leaves, and the arrays keep what still hangs on the root."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray
from algorithms.learners.trees.routing import value_counts
from algorithms.structures.tree import NO_NODE, SplitTest, Tree


def with_leaves(tree: Tree, cut: NDArray[np.bool_]) -> Tree:
    """The tree with the nodes in ``cut`` (m,) made leaves and what hung below them gone."""
    return compacted(marked(tree, cut))


def marked(tree: Tree, cut: NDArray[np.bool_]) -> Tree:
    """The tree with the nodes in ``cut`` (m,) made leaves; what hung below them still stands in its arrays."""
    return replace(
        tree,
        test=np.where(cut, SplitTest.LEAF, tree.test).astype(np.int8),
        first_child=np.where(cut, NO_NODE, tree.first_child).astype(np.int32),
        n_children=np.where(cut, 0, tree.n_children).astype(np.int32),
    )


def compacted(tree: Tree) -> Tree:
    """The tree of the nodes that still hang on the root, in their order; leaves lose what only a test has."""
    from algorithms.learners.trees.kernels.pruning_kernels import reachable

    kept = np.flatnonzero(reachable(tree.parent, tree.first_child, tree.n_children))
    new_number = np.full(tree.n_nodes + 1, NO_NODE, dtype=np.int32)
    new_number[kept] = np.arange(len(kept))
    leaf = tree.test[kept] == SplitTest.LEAF
    inner = kept[~leaf]
    stand_ins = np.flatnonzero(np.isin(tree.surrogate_node, inner))
    offset, surrogate_offset, branch_of = _kept_branches(tree, inner, stand_ins)
    offsets = np.full(len(kept), -1, dtype=np.int32)
    offsets[~leaf] = offset
    return replace(
        tree,
        test=tree.test[kept],
        attribute=np.where(leaf, -1, tree.attribute[kept]).astype(np.int32),
        threshold=np.where(leaf, np.nan, tree.threshold[kept]),
        first_child=new_number[tree.first_child[kept]],
        n_children=tree.n_children[kept],
        parent=new_number[tree.parent[kept]],
        offset=offsets,
        branch_of=branch_of,
        counts=tree.counts[kept],
        decision=tree.decision[kept],
        gain=np.where(leaf, np.nan, tree.gain[kept]),
        missing_to=np.where(leaf, -1, tree.missing_to[kept]).astype(np.int16),
        cuts=tree.cuts if np.any(tree.test[kept] == SplitTest.RANGES) else tree.cuts[:0],
        surrogate_node=new_number[tree.surrogate_node[stand_ins]],
        surrogate_attribute=tree.surrogate_attribute[stand_ins],
        surrogate_threshold=tree.surrogate_threshold[stand_ins],
        surrogate_offset=surrogate_offset,
        surrogate_swapped=tree.surrogate_swapped[stand_ins],
        surrogate_agreement=tree.surrogate_agreement[stand_ins],
        soft_from=_of_questions(tree.soft_from, kept, leaf),
        soft_to=_of_questions(tree.soft_to, kept, leaf),
    )


def _of_questions(numbers: FloatArray, kept: NDArray[np.int64], leaf: NDArray[np.bool_]) -> FloatArray:
    """Those of the nodes kept, NaN in what are leaves now; none where there are none."""
    return np.where(leaf, np.nan, numbers[kept]) if len(numbers) else numbers


def _kept_branches(
    tree: Tree, inner: NDArray[np.int64], stand_ins: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int16]]:
    """New ``offset`` of the inner nodes and surrogates kept, and the ``branch_of`` that they point into.

    The ends of ranges and the terms of linear tests stay where they are.
    """
    sizes = np.array([len(a.values) for a in tree.schema.attributes] or [0], dtype=np.int64)
    old = np.append(tree.offset[inner], tree.surrogate_offset[stand_ins]).astype(np.int64)
    length = np.append(value_counts(tree)[inner], sizes[tree.surrogate_attribute[stand_ins]]).astype(np.int64)
    start = np.cumsum(length) - length
    owner = np.repeat(np.arange(len(length)), length)
    place = old[owner] + np.arange(len(owner)) - start[owner]
    offset = np.where(length > 0, start, -1).astype(np.int32)
    here, there = offset[: len(inner)], offset[len(inner) :]
    staying = np.isin(tree.test[inner], (SplitTest.RANGES, SplitTest.LINEAR))
    return np.where(staying, tree.offset[inner], here).astype(np.int32), there, tree.branch_of[place]
