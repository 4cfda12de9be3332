# mypy: disable-error-code="arg-type, misc"
# The compiler wants lists and heaps of one type of integer.
"""Compiled loops that cut a tree back."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np

from algorithms.core.jit import compiled


@compiled
def cut_where_no_better(cost: Any, inner: float, slack: float, first_child: Any, n_children: Any) -> Any:
    """Which nodes (m,) are to become leaves: those whose own ``cost`` (m,) as a leaf is at most ``slack`` more than
    what the (cut) subtree below costs, with ``inner`` for each of its questions. Children come after their parents."""
    m = len(cost)
    cut = np.zeros(m, dtype=np.bool_)
    below = np.empty(m)
    for node in range(m - 1, -1, -1):
        own = cost[node]
        if n_children[node] == 0:
            below[node] = own
            continue
        total = inner
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


def warm_up() -> None:
    """Compile, or load, what is called from outside a compiled loop."""
    number, real = np.zeros(1, dtype=np.int32), np.zeros(1)
    cut_where_no_better(real, 0.0, 0.1, number, number)
    reachable(number, number, number)
    weakest_links(real, number - 1, number, number)
