"""Pruning in which a branch may take the place of the question above it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.structures import Int32Array, Tree
from algorithms.trees.leaf_costs import CostRule
from algorithms.trees.pruning import compacted
from algorithms.trees.routing import routing, used_attributes, value_block

if TYPE_CHECKING:
    from algorithms.trees.prediction_kernels import Routing
    from algorithms.trees.raising_kernels import Pruned, Records


def raised(
    tree: Tree, data: Dataset, rule: CostRule, context: RunContext, held_out: Dataset | None = None
) -> tuple[Tree, bool]:
    """The tree, grown on ``data``, cut back by the rule with subtree raising, and whether that was completed.

    Where the run is finished early the tree comes back as it was. ``held_out`` as in
    :func:`algorithms.trees.pruning.pruned_by_cost`.
    """
    from algorithms.trees.raising_kernels import Pruned, prune_by_cost

    ways, k = routing(tree), len(tree.schema.classes)
    records = _records(tree, data, held_out)
    m, width = tree.n_nodes, k if held_out is None else 2 * k
    work = Pruned(
        attribute=tree.attribute.copy(),
        parent=tree.parent.copy(),
        counts=np.zeros((m, width)),
        decision=tree.decision.copy(),
        gain=tree.gain.copy(),
        source=np.arange(m, dtype=np.int32),
        cost=np.zeros(m),
        scratch=np.zeros((m, width)),
        seen=np.zeros(m + 1, dtype=np.int64),
    )
    completed = prune_by_cost(records, ways, work, k, rule, context.control)
    context.checkpoint()
    return (_taken(tree, ways, work), True) if completed else (tree, False)


def _records(tree: Tree, data: Dataset, held_out: Dataset | None) -> Records:
    from algorithms.trees.raising_kernels import Records

    weighty = data if data.weights is None else data.take(data.weights > 0)
    used = used_attributes(tree)
    block, codes = value_block(weighty, used, slice(None)), weighty.class_codes.astype(np.int64)
    if held_out is None:
        return Records(block, codes, weighty.weight_array.copy())
    return Records(
        block=np.concatenate([block, value_block(held_out, used, slice(None))]),
        codes=np.concatenate([codes, held_out.class_codes.astype(np.int64) + len(tree.schema.classes)]),
        weights=np.concatenate([weighty.weight_array, held_out.weight_array]),
    )


def _taken(tree: Tree, ways: Routing, work: Pruned) -> Tree:
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
