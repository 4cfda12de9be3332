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
from algorithms.trees.prediction_kernels import LEAF, LINEAR, NUMERIC, RANGES, stand_in, way

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
    shape of the counts, is zero between two nodes; ``seen`` (m + 1,) tells which leaves hold something in it.
    """

    attribute: NDArray[np.int32]
    parent: NDArray[np.int32]
    counts: NDArray[np.float64]
    decision: NDArray[np.int32]
    gain: NDArray[np.float64]
    source: NDArray[np.int32]
    cost: NDArray[np.float64]
    scratch: NDArray[np.float64]
    seen: NDArray[np.int64]


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
    downs = np.empty(len(rows), dtype=np.int32)
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
            _answer_all(node, rows[first:last], downs[first:last], records.block, routing, tree)
            _reshare(node, rows[first:last], parts[first:last], downs[first:last], records.codes, routing, k)
            next_child[top] = 0
        if next_child[top] < routing.n_children[node]:
            nth = next_child[top]
            child = routing.first_child[node] + nth
            next_child[top] += 1
            if len(rows) < 2 * last - first:
                size = 2 * len(rows) + last
                rows, parts, downs = _grown(rows, size), _grown(parts, size), _grown(downs, size)
            node_at[depth], next_child[depth], begin[depth] = child, _ENTER, last
            end[depth] = last + _send(nth, routing.share[child], rows, parts, downs, first, last)
            depth += 1
            continue
        heaviest = _heaviest(node, routing, tree, k)
        here = slice(first, last)
        settled = _settle(
            node, heaviest, rows[here], parts[here], downs[here], records, routing, tree, k, rule, control
        )
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
    here = tree.counts[node]
    here[:] = 0.0
    for i in range(len(rows)):
        here[codes[rows[i]]] += parts[i]
    tree.decision[node] = decided(here, k, tree.decision[node])


@compiled
def _answer(value: float, kind: int, threshold: float, offset: int, n_values: int, branch_of: Any) -> int:
    """The branch of a value at a test of one number or of listed values; -1 where it has none, or the test is another.

    Apart from :func:`way` because it is asked millions of times, and a node's arrays are slow to hand over.
    """
    if kind == NUMERIC:
        return 0 if value <= threshold else 1 if value > threshold else -1
    if kind in (RANGES, LINEAR) or value != value:
        return -1
    code = int(value)
    return int(branch_of[offset + code]) if 0 <= code < n_values else -1


@compiled
def _answer_all(node: int, rows: Any, downs: Any, block: Any, routing: Any, tree: Any) -> None:
    """The branch of each record by the node's own test; below zero, -2 less the branch that stands in, where it has no
    answer (-1: it goes down all of them)."""
    kind, slot, threshold = routing.test[node], routing.slot[node], routing.threshold[node]
    offset, n_values, branch_of = routing.offset[node], routing.n_values[node], routing.branch_of
    plain = kind != RANGES and kind != LINEAR
    for i in range(len(rows)):
        row = rows[i]
        down = _answer(block[row, slot], kind, threshold, offset, n_values, branch_of) if plain else -1
        if down < 0 and not plain:
            down = way(block, row, node, routing)
        downs[i] = down if down >= 0 else -2 - stand_in(block, row, tree.source[node], routing)


@compiled
def _reshare(node: int, rows: Any, parts: Any, downs: Any, codes: Any, routing: Any, k: int) -> None:
    """The children's shares of the training records whose value is known; unchanged where none is."""
    first, n_children = routing.first_child[node], routing.n_children[node]
    weight = np.zeros(n_children)
    for i in range(len(rows)):
        if downs[i] >= 0 and codes[rows[i]] < k:
            weight[downs[i]] += parts[i]
    total = weight.sum()
    if total > 0.0:
        routing.share[first : first + n_children] = weight / total


@compiled
def _send(branch: int, share: float, rows: Any, parts: Any, downs: Any, first: int, last: int) -> int:
    """Copy the records between two marks that go down a branch, which has this share of those that are divided, behind
    the second mark; how many those are."""
    sent = last
    for i in range(first, last):
        down = downs[i] if downs[i] >= 0 else -2 - downs[i]
        part = parts[i] if down >= 0 else parts[i] * share
        if (down == branch or down < 0) and part > 0.0:
            rows[sent], parts[sent] = rows[i], part
            sent += 1
    return sent - last


@compiled
def _way(block: Any, row: int, node: int, routing: Any, tree: Any) -> int:
    """The branch of a record at a node; -1: all of them."""
    down = way(block, row, node, routing)
    return down if down >= 0 else stand_in(block, row, tree.source[node], routing)


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
    downs: Any,
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
    raised = tree.cost[heaviest] + _added(node, heaviest, rows, parts, downs, records, routing, tree, k, rule, control)
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
    downs: Any,
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
    block, codes, scratch, seen = records.block, records.codes, tree.scratch, tree.seen
    kinds, slots, thresholds, offsets = routing.test, routing.slot, routing.threshold, routing.offset
    n_values, branch_of, firsts = routing.n_values, routing.branch_of, routing.first_child
    n_children, share = routing.n_children, routing.share
    seen[len(seen) - 1] += 1
    now, own = seen[len(seen) - 1], heaviest - firsts[node]
    for i in range(len(rows)):
        if i % PATIENCE == 0 and stop_word(control) != 0:
            break
        row, down = rows[i], downs[i] if downs[i] >= 0 else -2 - downs[i]
        if down == own:
            continue
        waiting.append((heaviest, parts[i] if down >= 0 else parts[i] * (1.0 - share[heaviest])))
        while len(waiting) > 0:
            at, part = waiting.pop()
            while kinds[at] != LEAF:
                value = block[row, slots[at]]
                down = _answer(value, kinds[at], thresholds[at], offsets[at], n_values[at], branch_of)
                if down < 0:
                    down = _way(block, row, at, routing, tree)
                if down < 0:
                    break
                at = firsts[at] + down
            if kinds[at] == LEAF:
                if seen[at] != now:
                    seen[at] = now
                    leaves.append(at)
                scratch[at, codes[row]] += part
                continue
            for child in range(firsts[at], firsts[at] + n_children[at]):
                if part * share[child] > 0.0:
                    waiting.append((child, part * share[child]))
    added = 0.0
    for leaf in leaves:
        scratch[leaf] += tree.counts[leaf]
        added += leaf_cost(scratch[leaf], k, tree.decision[leaf], rule) - tree.cost[leaf]
        scratch[leaf, :] = 0.0
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
    tree = Pruned(
        number, number, np.ones((1, 2)), number, real, number, real, np.zeros((1, 2)), np.zeros(2, dtype=np.int64)
    )
    prune_by_cost(records, routing_of_a_leaf(), tree, 2, by_bound(0.25), np.zeros(3, dtype=np.int64))
