"""Pruning in which a branch may take the place of the question above it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.growth.empty_branches import with_last_branches, without_leaves
from algorithms.learners.trees.pruning.cutting import compacted
from algorithms.learners.trees.pruning.error_estimates import CORRECTED, EXACT, NORMAL, SMOOTHED, CostRule
from algorithms.learners.trees.routing import routing, used_attributes
from algorithms.structures.tree import Int32Array, SplitTest, Tree

if TYPE_CHECKING:
    from algorithms.learners.trees.kernels.prediction_kernels import Routing
    from algorithms.learners.trees.kernels.raising_kernels import PrunedArrays, RoutedRecords


_ROWS: Final = 1024
_ROWS_ANYWHERE: Final = 8192
"""So many records at a time, where they stand beside each other and where they do not."""


def raised(
    tree: Tree,
    data: Dataset,
    rule: CostRule,
    context: RunContext,
    held_out: Dataset | None = None,
    leaf_of: Int32Array | None = None,
) -> tuple[Tree, bool]:
    """The tree, grown on ``data``, cut back by the rule with subtree raising, and whether that was completed.

    Where the run is finished early the tree comes back as it was. Nodes may stand in its arrays that do not hang on the
    root any more; none do in what comes back. ``held_out`` and ``leaf_of`` as in
    :func:`algorithms.learners.trees.pruning.methods.pruned_by_cost`.

    A value that no record of the raised branch has gets a leaf of its own there, as in C4.5, where the rule is an
    estimate from the training records; else its records are divided among the branches.
    """
    if held_out is not None or rule.kind not in (EXACT, NORMAL, CORRECTED, SMOOTHED):
        return _raised(tree, data, rule, context, held_out, leaf_of)
    tree, leaf_of = _gathered(tree, leaf_of)
    wide, number = with_last_branches(tree)
    if wide.n_nodes == tree.n_nodes:
        return _raised(tree, data, rule, context, None, leaf_of)
    found, completed = _raised(
        wide, data, rule, context, None, None if leaf_of is None else number[leaf_of].astype(np.int32)
    )
    if not completed:
        return tree, False
    new = (found.counts.sum(axis=1) <= 0) & (found.n_children == 0) & (found.parent >= 0)
    new[new] = found.test[found.parent[new]] == SplitTest.MULTIWAY
    return without_leaves(found, new), True


def _gathered(tree: Tree, leaf_of: Int32Array | None) -> tuple[Tree, Int32Array | None]:
    """The tree of the nodes that hang on the root, and the node there in which each record of a leaf is."""
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
    tree: Tree,
    data: Dataset,
    rule: CostRule,
    context: RunContext,
    held_out: Dataset | None,
    leaf_of: Int32Array | None,
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
    known = leaf_of is not None and held_out is None and data.weights is None
    few = min(FEW, len(data) + (0 if held_out is None else len(held_out)) + 1)
    work = PrunedArrays(
        attribute=tree.attribute.copy(),
        parent=tree.parent.copy(),
        counts=tree.counts.copy() if known else np.zeros((m, width)),
        decision=tree.decision.copy(),
        gain=tree.gain.copy(),
        source=np.arange(m, dtype=np.int32),
        cost=np.zeros(m),
        steps=_steps(ways),
        head=np.full(m, -1, dtype=np.int32),
        tail=np.full(m, -1, dtype=np.int32),
        scratch=np.empty((m, width)),
        seen=np.zeros(m + 1, dtype=np.int64),
        top=np.empty(m),
        gained=np.empty(m),
        known=np.full((few, few), np.nan),
        some=np.empty(PATIENCE, dtype=np.int32),
        reached=np.empty(PATIENCE, dtype=np.int32),
    )
    if leaf_of is not None and known:
        order = lay_known(leaf_of, ways, work)
        records, parts = _records(tree, data, held_out, order), whole_parts(len(order))
    else:
        records, parts = _records(tree, data, held_out), whole_parts(0)
    completed = prune_by_cost(records, parts, ways, work, k, rule, context.control)
    context.checkpoint()
    return (_taken(tree, ways, work), True) if completed else (compacted(tree), False)


def _records(tree: Tree, data: Dataset, held_out: Dataset | None, order: Int32Array | None = None) -> RoutedRecords:
    """The records to send down; in this order, where one is given."""
    from algorithms.learners.trees.kernels.raising_kernels import RoutedRecords

    if order is not None:
        codes = data.class_codes[order].astype(np.int64)
        return RoutedRecords(_values(data, used_attributes(tree), order), codes, np.ones(len(order)))
    weighty = data if data.weights is None else data.take(data.weights > 0)
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
    """The values (n, a) of these attributes as in :func:`~algorithms.learners.trees.routing.value_block`, a few records
    at a time: what is written then stays in the processor's cache."""
    found = np.empty((len(data), len(used)))
    columns = [data.column(index) for index in used.tolist()]
    step = _ROWS if order is None else _ROWS_ANYWHERE
    for first in range(0, len(data), step):
        rows = slice(first, first + step)
        for slot, column in enumerate(columns):
            found[rows, slot] = column[rows if order is None else order[rows]]
    for slot, index in enumerate(used.tolist()):
        if data.schema.attributes[index].kind.is_coded and np.any(columns[slot] < 0):
            found[found[:, slot] < 0, slot] = np.nan
    return found


def _steps(ways: Routing) -> np.ndarray[tuple[int, ...], np.dtype[np.void]]:
    from algorithms.learners.trees.kernels.prediction_kernels import SENDING_STEP

    found = np.zeros(len(ways.test), dtype=SENDING_STEP)
    for name in ("threshold", "first_child", "slot", "offset", "n_values"):
        found[name] = getattr(ways, name)
    found["kind"] = ways.test
    alone = (ways.missing_to < 0) & (ways.surrogate_start[1:] == ways.surrogate_start[:-1])
    found["divides"] = alone & (ways.test != SplitTest.RANGES) & (ways.test != SplitTest.LINEAR)
    return found


def _taken(tree: Tree, ways: Routing, work: PrunedArrays) -> Tree:
    """The tree that the compiled loop left in these arrays."""
    stand_ins, owner = _surrogates(tree, work.source)
    return compacted(
        replace(
            tree,
            test=ways.test,
            attribute=work.attribute,
            threshold=ways.threshold,
            first_child=ways.first_child,
            n_children=ways.n_children,
            parent=work.parent,
            offset=ways.offset,
            branch_of=ways.branch_of,
            counts=work.counts[:, : len(tree.schema.classes)].copy(),
            decision=work.decision,
            gain=work.gain,
            missing_to=ways.missing_to,
            surrogate_node=owner,
            surrogate_attribute=tree.surrogate_attribute[stand_ins],
            surrogate_threshold=tree.surrogate_threshold[stand_ins],
            surrogate_offset=tree.surrogate_offset[stand_ins],
            surrogate_swapped=tree.surrogate_swapped[stand_ins],
            surrogate_agreement=tree.surrogate_agreement[stand_ins],
        )
    )


def _surrogates(tree: Tree, source: Int32Array) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.int64]], Int32Array]:
    """The positions of the surrogates of each node's question, which was that of its ``source``, and their nodes."""
    start = np.searchsorted(tree.surrogate_node, np.arange(tree.n_nodes + 1))
    count = (start[1:] - start[:-1])[source]
    owner = np.repeat(np.arange(tree.n_nodes), count)
    within = np.arange(len(owner)) - np.repeat(np.cumsum(count) - count, count)
    return start[source][owner] + within, owner.astype(np.int32)
