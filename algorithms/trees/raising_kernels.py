# mypy: disable-error-code="arg-type, misc"
# The compiler wants lists of one type of integer.
"""Compiled loops that cut a tree back and let branches take the place of the questions above them."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.jit import compiled, stop_word
from algorithms.trees.leaf_cost_kernels import decided, leaf_cost
from algorithms.trees.prediction_kernels import LEAF, stand_in, way

PATIENCE = 4096
"""Records sent between two looks at the stop word."""

KEPT = 0
RAISED = 1

_ENTER = -1


class Records(NamedTuple):
    """The n records that are sent down: their values ``block`` (n, a), ``codes`` (n,) of their class, from k on for
    those held out, and ``weights`` (n,)."""

    block: NDArray[np.float64]
    codes: NDArray[np.int64]
    weights: NDArray[np.float64]


class Pruned(NamedTuple):
    """The tree of m nodes and k classes while it is cut back.

    ``counts`` (m, k or 2 k) are the weights of the classes, those of the held out records behind; ``source`` (m,) is
    the node whose question each one asks now; ``cost`` (m,) what each costs with what is below it. ``scratch``, of the
    shape of the counts, is zero between two nodes.
    """

    attribute: NDArray[np.int32]
    parent: NDArray[np.int32]
    counts: NDArray[np.float64]
    decision: NDArray[np.int32]
    gain: NDArray[np.float64]
    source: NDArray[np.int32]
    cost: NDArray[np.float64]
    scratch: NDArray[np.float64]


@compiled
def prune_by_cost(records: Any, routing: Any, tree: Any, k: int, rule: Any, control: Any) -> bool:
    """Cut back with subtree raising, in place; False where it was stopped.

    From the leaves up, a node becomes a leaf, or takes over the test and branches of its heaviest child, where that
    costs at most the rule's slack more than to leave it; after taking over, its new subtree is pruned anew. The records
    of the node at hand lie between two marks of an arena, those of its children above them, so that every record is
    only moved down the path.
    """
    m = len(tree.parent)
    node_at, next_child = np.empty(m + 1, dtype=np.int32), np.empty(m + 1, dtype=np.int32)
    begin, end = np.empty(m + 1, dtype=np.int64), np.empty(m + 1, dtype=np.int64)
    rows, parts = np.arange(len(records.codes)), records.weights.copy()
    node_at[0], next_child[0], begin[0], end[0] = 0, _ENTER, 0, len(records.codes)
    depth = 1
    while depth > 0:
        top = depth - 1
        node, first, last = node_at[top], begin[top], end[top]
        if next_child[top] == _ENTER:
            if stop_word(control) != 0:
                return False
            _recount(node, rows[first:last], parts[first:last], records.codes, tree, k)
            if routing.test[node] == LEAF:
                tree.cost[node] = leaf_cost(tree.counts[node], k, tree.decision[node], rule)
                depth -= 1
                continue
            _reshare(node, rows[first:last], parts[first:last], records, routing, k)
            next_child[top] = 0
        if next_child[top] < routing.n_children[node]:
            child = routing.first_child[node] + next_child[top]
            next_child[top] += 1
            if len(rows) < 2 * last - first:
                rows, parts = _grown(rows, 2 * len(rows) + last), _grown(parts, 2 * len(parts) + last)
            node_at[depth], next_child[depth], begin[depth] = child, _ENTER, last
            end[depth] = last + _send(node, child, rows, parts, first, last, records.block, routing, tree)
            depth += 1
            continue
        heaviest = _heaviest(node, routing, tree, k)
        settled = _settle(node, heaviest, rows[first:last], parts[first:last], records, routing, tree, k, rule, control)
        if settled == RAISED:
            _take_over(node, heaviest, routing, tree)
            next_child[top] = _ENTER
        else:
            depth -= 1
    return bool(stop_word(control) == 0)


@compiled
def _grown(array: Any, size: int) -> Any:
    larger = np.empty(size, dtype=array.dtype)
    larger[: len(array)] = array
    return larger


@compiled
def _recount(node: int, rows: Any, parts: Any, codes: Any, tree: Any, k: int) -> None:
    """The node's class weights from its records; its decision changes only where another class is heavier now."""
    tree.counts[node, :] = 0.0
    for i in range(len(rows)):
        tree.counts[node, codes[rows[i]]] += parts[i]
    tree.decision[node] = decided(tree.counts[node], k, tree.decision[node])


@compiled
def _way(block: Any, row: int, node: int, routing: Any, tree: Any) -> int:
    """The branch of a record at a node; -1: all of them."""
    down = way(block, row, node, routing)
    return down if down >= 0 else stand_in(block, row, tree.source[node], routing)


@compiled
def _reshare(node: int, rows: Any, parts: Any, records: Any, routing: Any, k: int) -> None:
    """The children's shares of the training records whose value is known; unchanged where none is."""
    first, n_children = routing.first_child[node], routing.n_children[node]
    weight = np.zeros(n_children)
    for i in range(len(rows)):
        if records.codes[rows[i]] < k:
            down = way(records.block, rows[i], node, routing)
            if down >= 0:
                weight[down] += parts[i]
    total = weight.sum()
    if total > 0.0:
        routing.share[first : first + n_children] = weight / total


@compiled
def _send(
    node: int, child: int, rows: Any, parts: Any, first: int, last: int, block: Any, routing: Any, tree: Any
) -> int:
    """Copy the records between two marks that go to a child behind the second mark; how many those are."""
    sent = last
    for i in range(first, last):
        down = _way(block, rows[i], node, routing, tree)
        part = parts[i]
        if down < 0:
            part *= routing.share[child]
        elif routing.first_child[node] + down != child:
            continue
        if part > 0.0:
            rows[sent], parts[sent] = rows[i], part
            sent += 1
    return sent - last


@compiled
def _heaviest(node: int, routing: Any, tree: Any, k: int) -> Any:
    """The child with the largest weight, the first of equals: sums of fractions differ by the order of the records."""
    first = routing.first_child[node]
    heaviest, most = first, 0.0
    for child in range(first, first + routing.n_children[node]):
        weight = tree.counts[child, :k].sum()
        if weight > most + 1e-9 * most:
            heaviest, most = child, weight
    return heaviest


@compiled
def _settle(
    node: int,
    heaviest: int,
    rows: Any,
    parts: Any,
    records: Any,
    routing: Any,
    tree: Any,
    k: int,
    rule: Any,
    control: Any,
) -> int:
    """What becomes of a node whose children are pruned: it stays, is made a leaf, or its heaviest child is to be
    ``RAISED`` to its place."""
    first, below = routing.first_child[node], rule.inner
    for child in range(first, first + routing.n_children[node]):
        below += tree.cost[child]
    own = leaf_cost(tree.counts[node], k, tree.decision[node], rule)
    raised = tree.cost[heaviest] + _added(node, heaviest, rows, parts, records, routing, tree, k, rule, control)
    if own <= below + rule.slack and own <= raised + rule.slack:
        routing.test[node] = LEAF
        routing.first_child[node], routing.n_children[node] = -1, 0
        tree.cost[node] = own
        return KEPT
    if raised <= below + rule.slack:
        return RAISED
    tree.cost[node] = below
    return KEPT


@compiled
def _added(
    node: int,
    heaviest: int,
    rows: Any,
    parts: Any,
    records: Any,
    routing: Any,
    tree: Any,
    k: int,
    rule: Any,
    control: Any,
) -> float:
    """By how much a node's heaviest child would cost more with all the node's records: only those that it does not have
    yet are sent down it. Without meaning where the run is stopped."""
    leaves = [heaviest]
    leaves.pop()
    waiting = [(heaviest, 0.0)]
    waiting.pop()
    block, first_child = records.block, routing.first_child[node]
    for i in range(len(rows)):
        if i % PATIENCE == 0 and stop_word(control) != 0:
            break
        down = _way(block, rows[i], node, routing, tree)
        if down >= 0 and first_child + down == heaviest:
            continue
        waiting.append((heaviest, parts[i] if down >= 0 else parts[i] * (1.0 - routing.share[heaviest])))
        while len(waiting) > 0:
            at, part = waiting.pop()
            if routing.test[at] == LEAF:
                if tree.scratch[at].sum() == 0.0:
                    leaves.append(at)
                tree.scratch[at, records.codes[rows[i]]] += part
                continue
            first = routing.first_child[at]
            down = _way(block, rows[i], at, routing, tree)
            if down >= 0:
                waiting.append((first + down, part))
                continue
            for child in range(first, first + routing.n_children[at]):
                if part * routing.share[child] > 0.0:
                    waiting.append((child, part * routing.share[child]))
    added = 0.0
    for leaf in leaves:
        if tree.scratch[leaf].sum() > 0.0:
            tree.scratch[leaf] += tree.counts[leaf]
            added += leaf_cost(tree.scratch[leaf], k, tree.decision[leaf], rule) - tree.cost[leaf]
            tree.scratch[leaf, :] = 0.0
    return added


@compiled
def _take_over(node: int, child: int, routing: Any, tree: Any) -> None:
    """Put a child's test and branches in the place of its parent's."""
    routing.test[node] = routing.test[child]
    routing.slot[node] = routing.slot[child]
    routing.threshold[node] = routing.threshold[child]
    routing.first_child[node] = routing.first_child[child]
    routing.n_children[node] = routing.n_children[child]
    routing.offset[node] = routing.offset[child]
    routing.n_values[node] = routing.n_values[child]
    routing.missing_to[node] = routing.missing_to[child]
    tree.attribute[node] = tree.attribute[child]
    tree.gain[node] = tree.gain[child]
    tree.source[node] = tree.source[child]
    for grandchild in range(routing.first_child[node], routing.first_child[node] + routing.n_children[node]):
        tree.parent[grandchild] = node
    routing.first_child[child], routing.n_children[child] = -1, 0


def warm_up() -> None:
    """Compile, or load, what is called from outside a compiled loop."""
    from algorithms.trees.leaf_costs import by_bound
    from algorithms.trees.prediction_kernels import routing_of_a_leaf

    import_module("algorithms.trees.pruning")  # loading what it needs would count as time of the first fit
    number, real = np.zeros(1, dtype=np.int32), np.zeros(1)
    records = Records(np.zeros((1, 1)), np.zeros(1, dtype=np.int64), np.ones(1))
    tree = Pruned(number, number, np.ones((1, 2)), number, real, number, real, np.zeros((1, 2)))
    prune_by_cost(records, routing_of_a_leaf(), tree, 2, by_bound(0.25), np.zeros(3, dtype=np.int64))
