"""Pruning of a grown tree by each method, subtree raising, and stopping by a test or on held-out records.

Whether growth stops at a node depends on its own split alone. Cutting a grown tree at the first split of each path that
fails therefore gives the tree that would have grown.
"""

from __future__ import annotations

from dataclasses import replace
from math import log
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.run_control import RunContext
from algorithms.data.columns import LARGE, FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.growth.growth_options import TOLERANCE
from algorithms.learners.trees.growth.postprocessing import with_last_branches
from algorithms.learners.trees.growth.split_criteria import chi_square, log_p_value
from algorithms.learners.trees.pruning.error_estimates import CORRECTED, EXACT, NORMAL, SMOOTHED, CostRule, as_leaves
from algorithms.learners.trees.routing import (
    BLOCK,
    arrivals,
    branches_of_values,
    routing,
    used_attributes,
    value_block,
    value_counts,
)
from algorithms.structures.tree import NO_NODE, SOFT_ARRAYS, SURROGATE_ARRAYS, Int32Array, SplitTest, Tree

if TYPE_CHECKING:
    from algorithms.learners.trees.kernels.prediction_kernels import Routing
    from algorithms.learners.trees.kernels.raising_kernels import PrunedArrays, RoutedRecords


def with_leaves(tree: Tree, cut: NDArray[np.bool_]) -> Tree:
    """The tree with the nodes in ``cut`` (m,) made leaves and the nodes below them removed."""
    return compacted(marked(tree, cut)) if np.any(cut) else tree


def marked(tree: Tree, cut: NDArray[np.bool_]) -> Tree:
    """The tree with the nodes in ``cut`` (m,) made leaves; the arrays keep the nodes below them."""
    return replace(
        tree,
        test=np.where(cut, SplitTest.LEAF, tree.test).astype(np.int8),
        first_child=np.where(cut, NO_NODE, tree.first_child).astype(np.int32),
        n_children=np.where(cut, 0, tree.n_children).astype(np.int32),
    )


def compacted(tree: Tree) -> Tree:
    """The tree of the nodes reachable from the root, in their order; leaves lose the values of a test."""
    from algorithms.learners.trees.kernels.pruning_kernels import reachable

    kept = np.flatnonzero(reachable(tree.parent, tree.first_child, tree.n_children))
    new_number = np.full(tree.n_nodes + 1, NO_NODE, dtype=np.int32)
    new_number[kept] = np.arange(len(kept))
    leaf = tree.test[kept] == SplitTest.LEAF
    ends = SOFT_ARRAYS if tree.has_soft_thresholds else ()
    soft: dict[str, Any] = {name: np.where(leaf, np.nan, getattr(tree, name)[kept]) for name in ends}
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
        **_surrogates_at(tree, stand_ins, new_number[tree.surrogate_node[stand_ins]], surrogate_offset),
        **soft,
    )


def _surrogates_at(tree: Tree, positions: IntArray, nodes: Int32Array, offsets: Int32Array) -> dict[str, Any]:
    kept = {name: getattr(tree, name)[positions] for name in SURROGATE_ARRAYS}
    return {**kept, "surrogate_node": nodes, "surrogate_offset": offsets}


def _kept_branches(
    tree: Tree, inner: NDArray[np.int64], stand_ins: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int16]]:
    """New ``offset`` of kept nodes and surrogates, and ``branch_of``; ranges and linear terms keep positions."""
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


_PRUNED: Final = ("attribute", "parent", "decision", "gain")
"""Arrays over the nodes that raising changes, besides those that route the records."""


def raised(
    tree: Tree,
    data: Dataset,
    rule: CostRule,
    context: RunContext,
    held_out: Dataset | None = None,
    leaf_of: Int32Array | None = None,
) -> tuple[Tree, bool]:
    """The tree, grown on ``data``, pruned by the rule with subtree raising, and whether that was completed.

    A run that ends early returns the tree unpruned. The arrays of ``tree`` may contain unreachable nodes; those of the
    result do not. ``held_out`` and ``leaf_of`` are as in :func:`pruned_by_cost`.

    If the rule estimates errors from training records, a value without records in a raised branch gets its own leaf
    there, as in C4.5; otherwise its records are divided among the branches.
    """
    if held_out is not None or rule.kind not in (EXACT, NORMAL, CORRECTED, SMOOTHED):
        return _raised(tree, data, rule, context, held_out, leaf_of)
    tree, leaf_of = _gathered(tree, leaf_of)
    wide, number = with_last_branches(tree)
    if wide.n_nodes == tree.n_nodes:
        return _raised(tree, data, rule, context, None, leaf_of)
    pruned, completed = _raised(
        wide, data, rule, context, None, None if leaf_of is None else number[leaf_of].astype(np.int32)
    )
    if not completed:
        return tree, False
    new = (pruned.counts.sum(axis=1) <= 0) & (pruned.n_children == 0) & (pruned.parent >= 0)
    new[new] = pruned.test[pruned.parent[new]] == SplitTest.MULTIWAY
    return _without_leaves(pruned, new), True


def _without_leaves(tree: Tree, dropped: NDArray[np.bool_]) -> Tree:
    """The tree without these leaves (m,) of multiway tests, whose values then have no branch."""
    if not dropped.any():
        return tree
    owner, code, branch = branches_of_values(tree, np.unique(tree.parent[dropped]).astype(np.int64))
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


def _gathered(tree: Tree, leaf_of: Int32Array | None) -> tuple[Tree, Int32Array | None]:
    """The tree of the nodes reachable from the root, and the node of each record in it."""
    from algorithms.learners.trees.kernels.pruning_kernels import reachable

    kept = reachable(tree.parent, tree.first_child, tree.n_children)
    if kept.all():
        return tree, leaf_of
    if leaf_of is not None:
        home = np.where(kept, np.arange(tree.n_nodes), tree.parent)
        while not kept[home].all():
            home = home[home]
        leaf_of = (np.cumsum(kept) - 1)[home[leaf_of]].astype(np.int32)
    return compacted(tree), leaf_of


def _raised(
    tree: Tree, data: Dataset, rule: CostRule, context: RunContext, held_out: Dataset | None, leaf_of: Int32Array | None
) -> tuple[Tree, bool]:
    from algorithms.learners.trees.kernels.raising_kernels import (
        FEW,
        PATIENCE,
        PrunedArrays,
        lay_known,
        prune_by_cost,
        whole_parts,
    )

    ways, k = routing(tree), len(tree.schema.classes)
    m, width = tree.n_nodes, k if held_out is None else 2 * k
    if held_out is not None or data.weights is not None:
        leaf_of = None
    elif leaf_of is None and len(data) >= LARGE:  # else the loop lays out a second copy of the records
        reached = arrivals(tree, data, context.checkpoint)
        leaf_of = None if len(reached.part_row) else reached.leaf
    few = min(FEW, len(data) + (0 if held_out is None else len(held_out)) + 1)
    work = PrunedArrays(
        **{name: getattr(tree, name).copy() for name in _PRUNED},
        counts=np.zeros((m, width)) if leaf_of is None else tree.counts.copy(),
        source=np.arange(m, dtype=np.int32),
        cost=np.zeros(m),
        steps=_steps(ways),
        head=np.full(m, -1, dtype=np.int32),
        tail=np.full(m, -1, dtype=np.int32),
        scratch=np.empty((m, width)),
        seen=np.zeros(m + 1, dtype=np.int64),
        top=np.empty(m),
        gained=np.empty(m),
        known_costs=np.full((few, few), np.nan),
        some=np.empty(PATIENCE, dtype=np.int32),
        reached=np.empty(PATIENCE, dtype=np.int32),
    )
    if leaf_of is not None:
        order = lay_known(leaf_of, ways, work)
        records, parts = _records(tree, data, held_out, order), whole_parts(len(order))
    else:
        records, parts = _records(tree, data, held_out), whole_parts(0)
    completed = prune_by_cost(records, parts, ways, work, k, rule, context.control)
    context.checkpoint()
    return (_taken(tree, ways, work), True) if completed else (compacted(tree), False)


def _records(tree: Tree, data: Dataset, held_out: Dataset | None, order: Int32Array | None = None) -> RoutedRecords:
    from algorithms.learners.trees.kernels.raising_kernels import RoutedRecords

    if order is not None:
        codes = data.class_codes[order].astype(np.int64)
        return RoutedRecords(_values(data, used_attributes(tree), order), codes, np.ones(len(order)))
    weighty = data.without_weightless()
    used = used_attributes(tree)
    block, codes = _values(weighty, used), weighty.class_codes.astype(np.int64)
    if held_out is None:
        return RoutedRecords(block, codes, weighty.weight_array.copy())
    return RoutedRecords(
        block=np.concatenate([block, _values(held_out, used)]),
        codes=np.concatenate([codes, held_out.class_codes.astype(np.int64) + len(tree.schema.classes)]),
        weights=np.concatenate([weighty.weight_array, held_out.weight_array]),
    )


def _values(data: Dataset, used: IntArray, order: Int32Array | None = None) -> FloatArray:
    """The :func:`~algorithms.learners.trees.routing.value_block` of all records, copied a few records at a time."""
    values = np.empty((len(data), len(used)))
    for first in range(0, len(data), BLOCK):
        rows = slice(first, first + BLOCK)
        values[rows] = value_block(data, used, rows if order is None else order[rows])
    return values


def _steps(ways: Routing) -> np.ndarray[tuple[int, ...], np.dtype[np.void]]:
    from algorithms.learners.trees.kernels.prediction_kernels import SENDING_STEP

    steps = np.zeros(len(ways.test), dtype=SENDING_STEP)
    for name in ("threshold", "first_child", "slot", "offset", "n_values"):
        steps[name] = getattr(ways, name)
    steps["kind"] = ways.test
    alone = (ways.missing_to < 0) & (ways.surrogate_start[1:] == ways.surrogate_start[:-1])
    steps["divides"] = alone & (ways.test != SplitTest.RANGES) & (ways.test != SplitTest.LINEAR)
    return steps


def _taken(tree: Tree, ways: Routing, work: PrunedArrays) -> Tree:
    """The tree of the arrays that the compiled loop changed."""
    stand_ins, owner = _surrogates(tree, work.source)
    routed = ("test", "threshold", "first_child", "n_children", "offset", "branch_of", "missing_to")
    arrays: dict[str, Any] = {name: getattr(ways, name) for name in routed}
    arrays |= {name: getattr(work, name) for name in _PRUNED}
    arrays |= _surrogates_at(tree, stand_ins, owner, tree.surrogate_offset[stand_ins])
    return compacted(replace(tree, counts=work.counts[:, : len(tree.schema.classes)].copy(), **arrays))


def _surrogates(tree: Tree, source: Int32Array) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.int64]], Int32Array]:
    """The positions of the surrogates of each node, which has the test of its ``source``, and their new nodes."""
    start = np.searchsorted(tree.surrogate_node, np.arange(tree.n_nodes + 1))
    count = (start[1:] - start[:-1])[source]
    owner = np.repeat(np.arange(tree.n_nodes), count)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    return start[source][owner] + within, owner.astype(np.int32)


_COLLAPSE: Final = 1e-3
"""C4.5 collapses a subtree that avoids fewer training errors than this."""


def training_errors(tree: Tree) -> FloatArray:
    """Weight (m,) of the training records that each node would misclassify as a leaf."""
    right = tree.counts[np.arange(tree.n_nodes), tree.decision]
    return np.asarray(tree.counts.sum(axis=1) - right)


def collapsed(tree: Tree) -> Tree:
    """The tree without subtrees that classify no more training records correctly than a leaf would."""
    return with_leaves(tree, _no_better(tree, training_errors(tree), 0.0, _COLLAPSE))


def pruned_by_cost(
    tree: Tree,
    data: Dataset,
    rule: CostRule,
    context: RunContext,
    *,
    raising: bool,
    held_out: Dataset | None = None,
    collapsing: bool = False,
    leaf_of: Int32Array | None = None,
) -> tuple[Tree, bool]:
    """The tree, grown on ``data``, without subtrees that cost at least as much as a leaf; and whether it was completed.

    ``held_out`` are the records of a rule that tests. ``raising`` may also replace a node by its heaviest branch, if
    that costs no more. ``collapsing`` applies :func:`collapsed` first. ``leaf_of`` (n,) are the leaves of the records,
    known if no record has a weight or a missing value.
    """
    if collapsing and raising:  # raising removes unreachable nodes at its end, so that leaf_of stays valid
        cut = _no_better(tree, training_errors(tree), 0.0, _COLLAPSE)
        tree = marked(tree, cut) if not cut[0] else with_leaves(tree, cut)
    elif collapsing:
        tree = collapsed(tree)
    if tree.n_nodes == 1:
        return tree, True
    if raising:
        return raised(tree, data, rule, context, held_out, leaf_of)
    return replaced_by_leaves(tree, rule, held_out_counts(tree, held_out, context)), True


def held_out_counts(tree: Tree, held_out: Dataset | None, context: RunContext) -> FloatArray:
    """Class weights (m, k) of the held-out records in each node; zeros without any."""
    if held_out is None:
        return np.zeros_like(tree.counts)
    codes, k = held_out.class_codes.astype(np.int64), len(tree.schema.classes)
    return arrivals(tree, held_out, context.checkpoint).tally(held_out.weight_array, codes, k)


def replaced_by_leaves(tree: Tree, rule: CostRule, tested: FloatArray) -> Tree:
    """The tree pruned where a leaf costs no more than the subtree; ``tested`` (m, k) are :func:`held_out_counts`."""
    cost = as_leaves(rule, tree.counts, tree.decision, tested)
    return with_leaves(tree, _no_better(tree, cost, rule.inner, rule.slack))


def _no_better(tree: Tree, cost: FloatArray, inner: float, slack: float) -> NDArray[np.bool_]:
    from algorithms.learners.trees.kernels.pruning_kernels import cut_where_no_better

    return np.asarray(cut_where_no_better(cost, inner, slack, tree.first_child, tree.n_children))


def stopped_by_chance(tree: Tree, significance: float) -> Tree:
    """The tree as if growth had stopped at each split whose p-value exceeds ``significance``.

    The test is Pearson's chi-square of class and branch (Quinlan, Induction of Decision Trees, 1986). Records that a
    missing value divides count in parts.
    """
    return with_leaves(tree, (tree.n_children > 0) & (log_chances(tree) > log(significance) + TOLERANCE))


def log_chances(tree: Tree) -> FloatArray:
    """Natural logarithm (m,) of the p-value of each node's split; 0 for a leaf."""
    logs = np.zeros(tree.n_nodes)
    for b in np.unique(tree.n_children[tree.n_children > 0]).tolist():
        nodes = np.flatnonzero(tree.n_children == b)
        children = tree.first_child[nodes, None].astype(np.int64) + np.arange(b)
        logs[nodes] = log_p_value(*chi_square(tree.counts[children]))
    return logs


def stopped_early(tree: Tree, tested: FloatArray) -> Tree:
    """The tree as if growth had stopped at each split that does not lower the errors on held-out records.

    ``tested`` (m, k) are their class weights in each node. A node and its children count as leaves; nodes further
    below do not count.
    """
    wrong = tested.sum(axis=1) - tested[np.arange(tree.n_nodes), tree.decision]
    below = np.zeros(tree.n_nodes)
    np.add.at(below, tree.parent[1:], wrong[1:])
    fails = below >= wrong - TOLERANCE * max(1.0, float(tested[0].sum()))
    return with_leaves(tree, fails & (tree.n_children > 0))
