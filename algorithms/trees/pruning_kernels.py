"""Compiled loops that cut a tree back."""

from __future__ import annotations

import heapq
import math
from importlib import import_module
from typing import Any

import numpy as np

from algorithms.core.jit import compiled, stop_word
from algorithms.trees.prediction_kernels import LEAF, way

SLACK = 0.1
"""A smaller tree may have this many more estimated errors than the larger one (C4.5's own allowance)."""

PATIENCE = 4096
"""Records sent between two looks at the stop word."""

KEPT = 0
RAISED = 1

_ENTER = -1


@compiled
def cut_where_no_better(errors: Any, penalty: float, slack: float, first_child: Any, n_children: Any) -> Any:
    """Which nodes (m,) are to become leaves: those whose own ``errors`` (m,) as a leaf, with ``penalty`` for being one,
    are at most ``slack`` more than the errors of the (cut) subtree below. Children come after their parents."""
    m = len(errors)
    cut = np.zeros(m, dtype=np.bool_)
    below = np.empty(m)
    for node in range(m - 1, -1, -1):
        own = errors[node] + penalty
        if n_children[node] == 0:
            below[node] = own
            continue
        total = 0.0
        for child in range(first_child[node], first_child[node] + n_children[node]):
            total += below[child]
        cut[node] = own <= total + slack
        below[node] = own if cut[node] else total
    return cut


@compiled
def reachable(parent: Any, first_child: Any, n_children: Any) -> Any:
    """Which nodes (m,) hang on the root: those that are among the children of a parent that does."""
    reached = np.zeros(len(parent), dtype=np.bool_)
    reached[0] = True
    for node in range(1, len(parent)):
        above = parent[node]
        place = node - first_child[above]
        reached[node] = reached[above] and 0 <= place < n_children[above]
    return reached


# ---- cost and complexity ---------------------------------------------------------------------------------------------


@compiled
def weakest_links(cost: Any, parent: Any, first_child: Any, n_children: Any) -> Any:
    """The price of a leaf (m,) at which each node becomes one in weakest-link pruning; infinite where it never does
    itself. ``cost`` (m,) is what each node costs as a leaf. Children come after their parents, and of equal links the
    lower is cut first."""
    m = len(cost)
    price, below, leaves = np.full(m, np.inf), cost.copy(), np.ones(m, dtype=np.int64)
    gone, link = np.zeros(m, dtype=np.bool_), np.full(m, np.inf)
    heap = [(0.0, 0)]
    heap.pop()
    for node in range(m - 1, -1, -1):
        if n_children[node] > 0:
            below[node], leaves[node] = 0.0, 0
            for child in range(first_child[node], first_child[node] + n_children[node]):
                below[node] += below[child]
                leaves[node] += leaves[child]
            if leaves[node] > 1:
                link[node] = (cost[node] - below[node]) / (leaves[node] - 1)
                heapq.heappush(heap, (link[node], -np.int64(node)))
    highest, waiting = 0.0, [0]
    while len(heap) > 0:
        least, last = heapq.heappop(heap)
        node = -last
        if gone[node] or least != link[node]:
            continue
        highest = max(highest, least)
        price[node] = highest
        more, fewer = cost[node] - below[node], leaves[node] - 1
        below[node], leaves[node] = cost[node], 1
        waiting.clear()
        waiting.append(node)
        while len(waiting) > 0:
            at = waiting.pop()
            gone[at] = True
            for child in range(first_child[at], first_child[at] + n_children[at]):
                if not gone[child]:
                    waiting.append(np.int64(child))
        above = np.int64(parent[node])
        while above >= 0:
            below[above] += more
            leaves[above] -= fewer
            if leaves[above] > 1:
                link[above] = (cost[above] - below[above]) / (leaves[above] - 1)
                heapq.heappush(heap, (link[above], -above))
            above = np.int64(parent[above])
    return price


# ---- the binomial limit ----------------------------------------------------------------------------------------------


@compiled
def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function (DLMF 8.17.22) by Lentz's method."""
    c, d, value = 1.0, 0.0, 1.0
    for step in range(1, 100_000):
        m = step // 2
        if step % 2 == 0:
            term = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
        else:
            term = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        d = 1.0 / (1.0 + term * d)
        c = 1.0 + term / c
        value *= c * d
        if abs(c * d - 1.0) < 1e-13:
            break
    return value


@compiled
def _beta_share(a: float, b: float, x: float, log_beta: float) -> float:
    """The regularised incomplete beta function I_x(a, b), where ``log_beta`` is log B(a, b)."""
    front = math.exp(a * math.log(x) + b * math.log1p(-x) - log_beta)
    if x * (a + b + 2.0) < a + 1.0:
        return front / (a * _beta_fraction(a, b, x))
    return 1.0 - front / (b * _beta_fraction(b, a, 1.0 - x))


@compiled
def binomial_limit(n: float, errors: float, confidence: float) -> float:
    """The error rate at which so few errors among n records have only chance ``confidence``; see
    :func:`algorithms.trees.error_estimates.binomial_upper_bound`. Newton's steps, kept inside a shrinking bracket."""
    right = n - errors
    if right <= 1e-12:
        return 1.0
    if errors <= 0.0:
        return 1.0 - math.exp(math.log(confidence) / n)
    a, b, goal = errors + 1.0, right, 1.0 - confidence
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    low, high = 0.0, 1.0
    x = a / (a + b)
    for _ in range(200):
        excess = _beta_share(a, b, x, log_beta) - goal
        if excess > 0.0:
            high = x
        else:
            low = x
        slope = math.exp((a - 1.0) * math.log(x) + (b - 1.0) * math.log1p(-x) - log_beta)
        step = x - excess / slope if slope > 0.0 else -1.0
        if not low < step < high:
            step = 0.5 * (low + high)
        if abs(step - x) <= 1e-12 * x or high - low <= 1e-15:
            return step
        x = step
    return x


@compiled
def normal_limit(n: float, error: float, z: float) -> float:
    """The upper limit of the normal approximation; see :func:`algorithms.trees.error_estimates.normal_upper_bound`."""
    spread = z * math.sqrt(error * (1.0 - error) / n + z * z / (4.0 * n * n))
    return (error + z * z / (2.0 * n) + spread) / (1.0 + z * z / n)


@compiled
def leaf_estimate(counts: Any, confidence: float, z: float) -> float:
    """Estimated errors of a leaf with these class weights (k,); 0 for an empty one. The normal limit where ``z`` > 0,
    else the exact one for ``confidence``."""
    n, most = 0.0, 0.0
    for k in range(len(counts)):
        n += counts[k]
        most = max(most, counts[k])
    if n <= 0.0:
        return 0.0
    return n * (normal_limit(n, 1.0 - most / n, z) if z > 0.0 else binomial_limit(n, n - most, confidence))


# ---- subtree raising -------------------------------------------------------------------------------------------------


@compiled
def prune_by_estimate(
    block: Any,
    codes: Any,
    weights: Any,
    routing: Any,
    attribute: Any,
    parent: Any,
    counts: Any,
    decision: Any,
    gain: Any,
    confidence: float,
    z: float,
    control: Any,
) -> bool:
    """C4.5's pruning with subtree raising, in place over the arrays of a tree with m nodes; False where it was stopped.

    From the leaves up, a node becomes a leaf, or takes over the test and branches of its heaviest child, where that
    costs at most :data:`SLACK` more estimated errors than to leave it; after taking over, its new subtree is pruned
    anew. ``block`` (n, a), ``codes`` (n,) and ``weights`` (n,) are the training records; those of the node at hand lie
    between two marks of an arena, those of its children above them, so that every record is only moved down the path.
    """
    m, k = counts.shape
    estimate = np.zeros(m)
    scratch = np.zeros((m, k))
    node_at, next_child = np.empty(m + 1, dtype=np.int32), np.empty(m + 1, dtype=np.int32)
    begin, end = np.empty(m + 1, dtype=np.int64), np.empty(m + 1, dtype=np.int64)
    rows, parts = np.arange(len(codes)), weights.copy()
    node_at[0], next_child[0], begin[0], end[0] = 0, _ENTER, 0, len(codes)
    depth = 1
    while depth > 0:
        top = depth - 1
        node, first, last = node_at[top], begin[top], end[top]
        if next_child[top] == _ENTER:
            if stop_word(control) != 0:
                return False
            _recount(node, rows[first:last], parts[first:last], codes, counts, decision)
            if routing.test[node] == LEAF:
                estimate[node] = leaf_estimate(counts[node], confidence, z)
                depth -= 1
                continue
            _reshare(node, rows[first:last], parts[first:last], block, routing)
            next_child[top] = 0
        if next_child[top] < routing.n_children[node]:
            child = routing.first_child[node] + next_child[top]
            next_child[top] += 1
            if len(rows) < 2 * last - first:
                rows, parts = _grown(rows, 2 * len(rows) + last), _grown(parts, 2 * len(parts) + last)
            node_at[depth], next_child[depth], begin[depth] = child, _ENTER, last
            end[depth] = last + _send(node, child, rows, parts, first, last, block, routing)
            depth += 1
            continue
        settled = _settle(
            node,
            rows[first:last],
            parts[first:last],
            block,
            codes,
            routing,
            counts,
            estimate,
            scratch,
            confidence,
            z,
            control,
        )
        if settled == RAISED:
            _take_over(node, _heaviest(node, routing, counts), routing, attribute, parent, gain)
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
def _recount(node: int, rows: Any, parts: Any, codes: Any, counts: Any, decision: Any) -> None:
    """The node's class weights from its records; its decision changes only where another class is heavier now."""
    counts[node, :] = 0.0
    for i in range(len(rows)):
        counts[node, codes[rows[i]]] += parts[i]
    best = np.argmax(counts[node])
    if counts[node, best] > counts[node, decision[node]] * (1.0 + 1e-12):
        decision[node] = best


@compiled
def _reshare(node: int, rows: Any, parts: Any, block: Any, routing: Any) -> None:
    """The children's shares of the records whose value is known; unchanged where none is."""
    first, n_children = routing.first_child[node], routing.n_children[node]
    weight = np.zeros(n_children)
    for i in range(len(rows)):
        down = way(block, rows[i], node, routing)
        if down >= 0:
            weight[down] += parts[i]
    total = weight.sum()
    if total > 0.0:
        routing.share[first : first + n_children] = weight / total


@compiled
def _send(node: int, child: int, rows: Any, parts: Any, first: int, last: int, block: Any, routing: Any) -> int:
    """Copy the records between two marks that go to a child behind the second mark; how many those are."""
    sent = last
    for i in range(first, last):
        down = way(block, rows[i], node, routing)
        if down < 0:
            down = int(routing.missing_to[node])
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
def _heaviest(node: int, routing: Any, counts: Any) -> Any:
    """The child with the largest weight, the first of equals: sums of fractions differ by the order of the records."""
    first = routing.first_child[node]
    heaviest, most = first, 0.0
    for child in range(first, first + routing.n_children[node]):
        weight = counts[child].sum()
        if weight > most + 1e-9 * most:
            heaviest, most = child, weight
    return heaviest


@compiled
def _settle(
    node: int,
    rows: Any,
    parts: Any,
    block: Any,
    codes: Any,
    routing: Any,
    counts: Any,
    estimate: Any,
    scratch: Any,
    confidence: float,
    z: float,
    control: Any,
) -> int:
    """What becomes of a node whose children are pruned: it stays, is made a leaf, or its heaviest child is to be
    ``RAISED`` to its place."""
    first, below = routing.first_child[node], 0.0
    for child in range(first, first + routing.n_children[node]):
        below += estimate[child]
    own = leaf_estimate(counts[node], confidence, z)
    heaviest = _heaviest(node, routing, counts)
    added = _added_by_raising(
        node, heaviest, rows, parts, block, codes, routing, counts, estimate, scratch, confidence, z, control
    )
    raised = estimate[heaviest] + added
    if own <= below + SLACK and own <= raised + SLACK:
        routing.test[node] = LEAF
        routing.first_child[node], routing.n_children[node] = -1, 0
        estimate[node] = own
        return KEPT
    if raised <= below + SLACK:
        return RAISED
    estimate[node] = below
    return KEPT


@compiled
def _added_by_raising(
    node: int,
    heaviest: int,
    rows: Any,
    parts: Any,
    block: Any,
    codes: Any,
    routing: Any,
    counts: Any,
    estimate: Any,
    scratch: Any,
    confidence: float,
    z: float,
    control: Any,
) -> float:
    """By how much a node's heaviest child would err more with all the node's records: only those that it does not have
    yet are sent down it. ``scratch`` (m, k) is zero before and after. Without meaning where the run is stopped."""
    leaves = [heaviest]
    leaves.pop()
    waiting = [(heaviest, 0.0)]
    waiting.pop()
    first_child = routing.first_child[node]
    for i in range(len(rows)):
        if i % PATIENCE == 0 and stop_word(control) != 0:
            break
        down = way(block, rows[i], node, routing)
        if down < 0:
            down = int(routing.missing_to[node])
        if first_child + down == heaviest and down >= 0:
            continue
        waiting.append((heaviest, parts[i] if down >= 0 else parts[i] * (1.0 - routing.share[heaviest])))
        while len(waiting) > 0:
            at, part = waiting.pop()
            if routing.test[at] == LEAF:
                if scratch[at].sum() == 0.0:
                    leaves.append(at)
                scratch[at, codes[rows[i]]] += part
                continue
            first = routing.first_child[at]
            down = way(block, rows[i], at, routing)
            if down < 0:
                down = int(routing.missing_to[at])
            if down >= 0:
                waiting.append((first + down, part))
                continue
            for child in range(first, first + routing.n_children[at]):
                if part * routing.share[child] > 0.0:
                    waiting.append((child, part * routing.share[child]))
    added = 0.0
    for leaf in leaves:
        if scratch[leaf].sum() > 0.0:
            scratch[leaf] += counts[leaf]
            added += leaf_estimate(scratch[leaf], confidence, z) - estimate[leaf]
            scratch[leaf, :] = 0.0
    return added


@compiled
def _take_over(node: int, child: int, routing: Any, attribute: Any, parent: Any, gain: Any) -> None:
    """Put a child's test and branches in the place of its parent's."""
    routing.test[node] = routing.test[child]
    routing.slot[node] = routing.slot[child]
    routing.threshold[node] = routing.threshold[child]
    routing.first_child[node] = routing.first_child[child]
    routing.n_children[node] = routing.n_children[child]
    routing.offset[node] = routing.offset[child]
    routing.n_values[node] = routing.n_values[child]
    routing.missing_to[node] = routing.missing_to[child]
    attribute[node] = attribute[child]
    gain[node] = gain[child]
    for grandchild in range(routing.first_child[node], routing.first_child[node] + routing.n_children[node]):
        parent[grandchild] = node
    routing.first_child[child], routing.n_children[child] = -1, 0


def warm_up() -> None:
    """Compile, or load, what is called from outside a compiled loop."""
    from algorithms.trees.prediction_kernels import routing_of_a_leaf

    import_module("algorithms.trees.pruning")  # loading what it needs would count as time of the first fit
    number, real = np.zeros(1, dtype=np.int32), np.zeros(1)
    cut_where_no_better(real, 0.5, SLACK, number, number)
    reachable(number, number, number)
    weakest_links(real, number - 1, number, number)
    prune_by_estimate(
        np.zeros((1, 1)),
        np.zeros(1, dtype=np.int64),
        np.ones(1),
        routing_of_a_leaf(),
        number,
        number,
        np.ones((1, 2)),
        number,
        real,
        0.25,
        0.0,
        np.zeros(3, dtype=np.int64),
    )
