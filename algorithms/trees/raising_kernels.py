# mypy: disable-error-code="arg-type, misc"
# The compiler wants lists of one type of integer.
"""Compiled loops that cut a tree back and let branches take the place of the questions above them."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import numpy as np

from algorithms.core.jit import compiled, stop_word
from algorithms.trees.laying_kernels import (
    NOWHERE,
    PATIENCE,
    Pruned,
    Records,
    gather,
    in_order,
    join,
    lay,
    lay_all,
)
from algorithms.trees.leaf_cost_kernels import leaf_cost
from algorithms.trees.leaf_costs import EXACT, NORMAL, PRICED
from algorithms.trees.prediction_kernels import LEAF
from algorithms.trees.sending_kernels import STEP, reach, reach_on, walk

KEPT: Final = 0
RAISED: Final = 1

FEW: Final = 256
"""The costs of fewer whole records than this are reckoned once."""

RISE: Final = 0.4
"""By how much less than the errors that are added an upper bound of the errors may grow.

A leaf whose n records and e errors become more costs more, by no less than the new errors but for this: n less the
bound, the right records that are sure, grows by less when wrong ones come in (by 0.347 with a confidence of 0.5)."""

MARGIN: Final = 1e-6
"""What the rounding of sums may come to, for each record."""


@compiled
def prune_by_cost(records: Any, parts: Any, routing: Any, tree: Any, k: int, rule: Any, control: Any) -> bool:
    """Cut back with subtree raising, in place; False where it was stopped.

    Where there are no ``parts`` yet, the records are laid out first.

    From the leaves up, a node becomes a leaf, or takes over the test and branches of its heaviest child, where that
    costs at most the rule's slack more than to leave it; after taking over, its new subtree is pruned anew. The records
    are laid out in the leaves once, and again below a node that took over.
    """
    m = len(tree.parent)
    node_at, next_child = np.empty(m + 1, dtype=np.int32), np.empty(m + 1, dtype=np.int32)
    if len(parts.row) == 0:
        parts = lay_all(records, routing, tree, k, control)
        if stop_word(control) != 0:
            return False
        records, parts = in_order(records, parts, routing, tree)
    node_at[0], next_child[0] = 0, 0
    depth = 1
    while depth > 0:
        if stop_word(control) != 0:
            return False
        node, nth = node_at[depth - 1], next_child[depth - 1]
        if routing.test[node] == LEAF:
            tree.cost[node] = _cost(tree.counts[node], k, tree.decision[node], rule, tree.known)
            depth -= 1
            continue
        if nth < routing.n_children[node]:
            next_child[depth - 1] += 1
            node_at[depth], next_child[depth] = routing.first_child[node] + nth, 0
            depth += 1
            continue
        heaviest = _heaviest(node, routing, tree, k)
        join(node, heaviest, parts, routing, tree)
        settled = _settle(node, heaviest, parts, records, routing, tree, k, rule, control)
        if settled == KEPT:
            if tree.steps[node].kind == LEAF:
                routing.test[node] = LEAF
                routing.first_child[node], routing.n_children[node] = -1, 0
            depth -= 1
            continue
        _take_over(node, heaviest, routing, tree)
        gather(node, parts, tree, len(records.codes))
        parts = lay(node, parts, records, routing, tree, k, control)
        next_child[depth - 1] = 0
    return bool(stop_word(control) == 0)


@compiled
def _cost(counts: Any, k: int, decision: int, rule: Any, known: Any) -> Any:
    """As :func:`leaf_cost`; the exact bounds of few whole records are looked up in ``known``."""
    if rule.kind != EXACT:
        return leaf_cost(counts, k, decision, rule)
    n, most = 0.0, 0.0
    for c in range(k):
        n += counts[c]
        most = max(most, counts[c])
    if n >= len(known) or n != np.floor(n) or most != np.floor(most):
        return leaf_cost(counts, k, decision, rule)
    i, e = np.int64(n), np.int64(n - most)
    if known[i, e] != known[i, e]:
        known[i, e] = leaf_cost(counts, k, decision, rule)
    return known[i, e]


@compiled
def _heaviest(node: int, routing: Any, tree: Any, k: int) -> Any:
    """The child with the largest weight, the last of equals as in release 8 of C4.5; sums of fractions differ by the
    order of the records."""
    first = routing.first_child[node]
    heaviest, most = first, 0.0
    for child in range(first, first + routing.n_children[node]):
        weight = 0.0
        for c in range(k):
            weight += tree.counts[child, c]
        if weight >= most - 1e-9 * most:
            heaviest, most = child, weight
    return heaviest


@compiled
def _settle(
    node: int,
    heaviest: int,
    parts: Any,
    records: Any,
    routing: Any,
    tree: Any,
    k: int,
    rule: Any,
    control: Any,
) -> int:
    """What becomes of a node whose children are pruned: it stays, is made a leaf (of its step), or its heaviest child
    is to be ``RAISED`` to its place."""
    first, below = routing.first_child[node], rule.inner
    for child in range(first, first + routing.n_children[node]):
        below += tree.cost[child]
    own = _cost(tree.counts[node], k, tree.decision[node], rule, tree.known)
    limit = own - rule.slack if own <= below + rule.slack else below + rule.slack
    raised = _raised(node, heaviest, limit, parts, records, routing, tree, k, rule, control)
    if own <= below + rule.slack and own <= raised + rule.slack:
        tree.steps[node].kind = LEAF
        tree.cost[node] = own
        return KEPT
    if raised <= below + rule.slack:
        return RAISED
    tree.cost[node] = below
    return KEPT


@compiled
def _raised(
    node: int,
    heaviest: int,
    limit: float,
    parts: Any,
    records: Any,
    routing: Any,
    tree: Any,
    k: int,
    rule: Any,
    control: Any,
) -> Any:
    """What a node's heaviest child costs with all the node's records; infinite where that is more than ``limit``.

    Only the records that it does not have yet are sent down it, and only until it is plain that they cost too much.
    Without meaning where the run is stopped.
    """
    if routing.test[heaviest] == LEAF:
        return _cost(tree.counts[node], k, tree.decision[heaviest], rule, tree.known)
    bounded = rule.kind == EXACT or rule.kind == NORMAL or rule.kind == PRICED
    price, rise = (rule.first, 0.0) if rule.kind == PRICED else (1.0, RISE)
    room = limit - tree.cost[heaviest] + MARGIN * (1.0 + limit) if bounded else np.inf
    if room < 0.0:
        return np.inf
    leaves, waiting = [np.int64(heaviest)], [(np.int64(heaviest), 0.0)]
    leaves.pop()
    waiting.pop()
    block, codes, steps, branch_of = records.block, records.codes, tree.steps, routing.branch_of
    rows, weights, after, seen, counts = parts.row, parts.weight, parts.after, tree.seen, tree.counts
    scratch, top, gained, some, reached = tree.scratch, tree.top, tree.gained, tree.some, tree.reached
    seen[-1] += 1
    now, least, last, width = seen[-1], 0.0, tree.tail[node], counts.shape[1]
    entry = tree.head[node]
    if tree.head[heaviest] != NOWHERE:
        entry = after[tree.tail[heaviest]] if tree.tail[heaviest] != last else NOWHERE
    while entry != NOWHERE:
        if stop_word(control) != 0:
            return np.inf
        n = reach(entry, last, heaviest, rows, after, block, steps, branch_of, some, reached)
        entry = after[some[n - 1]] if some[n - 1] != last else NOWHERE
        for i in range(n):
            at, row, part = np.int64(reached[i]), rows[some[i]], weights[some[i]]
            while True:
                if steps[at].kind != LEAF and steps[at].divides == 0:
                    at = reach_on(block, row, at, routing, tree)
                if steps[at].kind == LEAF:
                    if seen[at] != now:
                        seen[at] = now
                        leaves.append(at)
                        gained[at], top[at] = 0.0, 0.0
                        for c in range(width):
                            scratch[at, c] = counts[at, c]
                            top[at] = max(top[at], counts[at, c]) if c < k else top[at]
                    code = codes[row]
                    scratch[at, code] += part
                    if code < k:
                        more, before = part, gained[at]
                        if scratch[at, code] > top[at]:
                            more -= scratch[at, code] - top[at]
                            top[at] = scratch[at, code]
                        gained[at] = before + more
                        least += price * (max(0.0, before + more - rise) - max(0.0, before - rise))
                else:
                    for below in range(routing.first_child[at], routing.first_child[at] + routing.n_children[at]):
                        if part * routing.share[below] > 0.0:
                            waiting.append((np.int64(below), part * routing.share[below]))
                if len(waiting) == 0:
                    break
                at, part = waiting.pop()
                at = walk(block, row, at, steps, branch_of)
        if least > room:
            return np.inf
    added = 0.0
    for leaf in leaves:
        added += _cost(tree.scratch[leaf], k, tree.decision[leaf], rule, tree.known) - tree.cost[leaf]
        least -= price * max(0.0, tree.gained[leaf] - rise)
        if added + least > room:
            return np.inf
    return tree.cost[heaviest] + added


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
    tree.steps[node] = tree.steps[child]
    for grandchild in range(routing.first_child[node], routing.first_child[node] + routing.n_children[node]):
        tree.parent[grandchild] = node
    routing.first_child[child], routing.n_children[child] = -1, 0


def warm_up() -> None:
    """Compile, or load, what is called from outside a compiled loop."""
    from algorithms.trees.laying_kernels import lay_known, whole_parts
    from algorithms.trees.leaf_costs import by_bound
    from algorithms.trees.prediction_kernels import routing_of_a_leaf

    import_module("algorithms.trees.pruning")  # loading what it needs would count as time of the first fit
    number, real = np.zeros(1, dtype=np.int32), np.zeros(1)
    records = Records(np.zeros((1, 1)), np.zeros(1, dtype=np.int64), np.ones(1))
    tree = Pruned(
        attribute=number,
        parent=number,
        counts=np.ones((1, 2)),
        decision=number,
        gain=real,
        source=number,
        cost=real,
        steps=np.zeros(1, dtype=STEP),
        head=number,
        tail=number,
        scratch=np.zeros((1, 2)),
        seen=np.zeros(2, dtype=np.int64),
        top=real,
        gained=real,
        known=np.full((2, 2), np.nan),
        some=np.zeros(PATIENCE, dtype=np.int32),
        reached=np.zeros(PATIENCE, dtype=np.int32),
    )
    ways, control = routing_of_a_leaf(), np.zeros(3, dtype=np.int64)
    lay_known(number, ways, tree)
    prune_by_cost(records, whole_parts(0), ways, tree, 2, by_bound(0.25), control)
