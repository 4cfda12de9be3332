"""Compiled loops that prune a tree by the estimated cost of its nodes as leaves."""

from __future__ import annotations

import heapq
import math
from typing import Any

import numpy as np

from algorithms.compiled.jit import compiled
from algorithms.learners.trees.pruning.error_estimates import CORRECTED, EXACT, NORMAL, PRICED, SMOOTHED

HEAVIER = 1.0 + 1e-12
"""A class must weigh more by this factor to change what a node decides."""

HUGE = 1e100
CLOSE = 1e-7
"""A step of this part of the way left is the last: the one after it would change nothing."""


@compiled
def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), two of its terms at a time.

    By the recurrence of its numerators and denominators, brought down before they overflow: a division a term.
    """
    up_before, up, low_before, low, value = 1.0, 1.0, 0.0, 1.0, 1.0
    for m in range(50_000):
        if m > 0:
            term = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m))
            up_before, up = up, up + term * up_before
            low_before, low = low, low + term * low_before
        term = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0))
        up_before, up = up, up + term * up_before
        low_before, low = low, low + term * low_before
        last, value = value, up / low
        if abs(value - last) < 1e-13 * abs(value):
            break
        if abs(low) > HUGE:
            up_before, up, low_before, low = up_before / HUGE, up / HUGE, low_before / HUGE, low / HUGE
    return value


@compiled
def _beta_share(a: float, b: float, x: float, front: float) -> float:
    """The regularised incomplete beta function I_x(a, b), where ``front`` is x^a (1 - x)^b / B(a, b)."""
    if x * (a + b + 2.0) < a + 1.0:
        return front / (a * _beta_fraction(a, b, x))
    return 1.0 - front / (b * _beta_fraction(b, a, 1.0 - x))


@compiled
def _first_guess(a: float, b: float, confidence: float, log_beta: float) -> float:
    """About the x with I_x(a, b) = 1 - confidence (Abramowitz and Stegun 26.2.22 and 26.5.22); with little on the right
    the first term of the expansion at 1."""
    if b <= 1.0:
        return 1.0 - math.exp((math.log(confidence * b) + log_beta) / b)
    t = math.sqrt(-2.0 * math.log(min(confidence, 1.0 - confidence)))
    z = t - (2.30753 + 0.27061 * t) / (1.0 + t * (0.99229 + 0.04481 * t))
    z = z if confidence <= 0.5 else -z
    u, v = 1.0 / (2.0 * a - 1.0), 1.0 / (2.0 * b - 1.0)
    h, w = 2.0 / (u + v), (z * z - 3.0) / 6.0
    shift = z * math.sqrt(max(h + w, 0.0)) / h + (v - u) * (w + 5.0 / 6.0 - 2.0 / (3.0 * h))
    return a / (a + b * math.exp(-2.0 * shift))


@compiled
def binomial_limit(n: float, errors: float, confidence: float) -> float:
    """The error rate at which so few errors among n records have only chance ``confidence``; see
    :func:`algorithms.learners.trees.pruning.error_estimates.binomial_upper_bound`. By Halley's steps, which triple the
    digits, kept inside a shrinking bracket."""
    right = n - errors
    if right <= 1e-12:
        return 1.0
    if errors <= 0.0:
        return 1.0 - math.exp(math.log(confidence) / n)
    a, b, goal = errors + 1.0, right, 1.0 - confidence
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    low, high = 0.0, 1.0
    x = _first_guess(a, b, confidence, log_beta)
    if not 0.0 < x < 1.0:
        x = a / (a + b)
    for _ in range(200):
        front = math.exp(a * math.log(x) + b * math.log1p(-x) - log_beta)
        excess = _beta_share(a, b, x, front) - goal
        if excess > 0.0:
            high = x
        else:
            low = x
        change = excess * x * (1.0 - x) / front if front > 0.0 else 2.0
        bend = 1.0 - 0.5 * change * ((a - 1.0) / x - (b - 1.0) / (1.0 - x))
        change = change / bend if 0.5 < bend < 2.0 else change
        step = x - change
        if not low < step < high:
            step = 0.5 * (low + high)
            if high - low <= 1e-15:
                return step
        elif abs(change) <= CLOSE * min(x, 1.0 - x):
            return step
        x = step
    return x


@compiled
def normal_limit(n: float, error: float, z: float) -> float:
    """The upper limit of the normal approximation; see
    :func:`algorithms.learners.trees.pruning.error_estimates.normal_upper_bound`."""
    spread = z * math.sqrt(error * (1.0 - error) / n + z * z / (4.0 * n * n))
    return (error + z * z / (2.0 * n) + spread) / (1.0 + z * z / n)


@compiled
def corrected_errors(n: float, errors: float, z: float, confidence: float) -> float:
    """n times the upper limit of the program C4.5; see
    :func:`algorithms.learners.trees.pruning.error_estimates.corrected_upper_bound`."""
    counted = max(errors, 1.0)
    found = max(n, counted)
    if counted + 0.5 < n:
        found = n * normal_limit(n, (counted + 0.5) / n, z)
    if errors >= 1.0:
        return found
    none = n * (1.0 - math.exp(math.log(confidence) / n))
    return none + errors * (found - 1.0 - none) + errors


@compiled
def decided(counts: Any, k: int, decision: int) -> int:
    """The heaviest of the first k classes; what was decided before where that weighs as much."""
    best = decision
    for c in range(k):
        if counts[c] > counts[best] and counts[c] > counts[decision] * HEAVIER:
            best = c
    return best


@compiled
def leaf_cost(counts: Any, k: int, decision: int, rule: Any) -> Any:
    """What a leaf costs (see :class:`algorithms.learners.trees.pruning.error_estimates.CostRule`) that has the weights
    ``counts`` of the k classes and, behind them where there are any, of the held out records of each class."""
    n = 0.0
    for c in range(k):
        n += counts[c]
    chosen = decided(counts, k, decision)
    wrong = n - counts[chosen]
    if rule.kind == PRICED:
        return rule.first * wrong + rule.second
    if rule.kind == EXACT or rule.kind == NORMAL or rule.kind == CORRECTED or rule.kind == SMOOTHED:
        if n <= 0.0:
            return 0.0
        if rule.kind == EXACT:
            return n * binomial_limit(n, wrong, rule.first)
        if rule.kind == NORMAL:
            return n * normal_limit(n, wrong / n, rule.first)
        if rule.kind == CORRECTED:
            return corrected_errors(n, wrong, rule.first, rule.second)
        return n * (wrong + (1.0 - rule.priors[chosen]) * rule.first) / (n + rule.first)
    tested = 0.0
    for c in range(k, len(counts)):
        tested += counts[c]
    return tested - counts[k + chosen]


def _warm_up_costs() -> None:
    """Compile, or load, what is called from outside a compiled loop."""
    from algorithms.learners.trees.pruning.error_estimates import by_bound

    binomial_limit(3.0, 1.0, 0.25)
    leaf_cost(np.ones(2), 2, 0, by_bound(0.25))


# mypy: disable-error-code="arg-type, misc"
# The compiler wants lists and heaps of one type of integer.


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


def _warm_up_pruning() -> None:
    """Compile, or load, what is called from outside a compiled loop."""
    number, real = np.zeros(1, dtype=np.int32), np.zeros(1)
    cut_where_no_better(real, 0.0, 0.1, number, number)
    reachable(number, number, number)
    weakest_links(real, number - 1, number, number)


def warm_up() -> None:
    """Compile the loops of this file by calling each once."""
    _warm_up_costs()
    _warm_up_pruning()
