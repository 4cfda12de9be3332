"""Compiled loops that prune a tree by the estimated cost of its nodes as leaves."""

from __future__ import annotations

import heapq
import math
from typing import Any

import numpy as np

from algorithms.compiled.jit import called_by_loops, compiled
from algorithms.learners.trees.pruning.error_estimates import CORRECTED, EXACT, NORMAL, PRICED, SMOOTHED

# mypy: disable-error-code="arg-type, misc"
# The compiler needs lists and heaps of one integer type.

HEAVIER = 1.0 + 1e-12
"""A class must be heavier by this factor to change the decision of a node."""

HUGE = 1e100
CLOSE = 1e-7
"""A step smaller than this share of the distance to 0 or 1 is the last; a further one would change nothing."""


@called_by_loops
def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function (DLMF 8.17.22), two terms at a time.

    Uses the recurrence of numerators and denominators, which are scaled down before they overflow.
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


@called_by_loops
def _beta_share(a: float, b: float, x: float, front: float) -> float:
    """The regularised incomplete beta function I_x(a, b), where ``front`` is x^a (1 - x)^b / B(a, b)."""
    if x * (a + b + 2.0) < a + 1.0:
        return front / (a * _beta_fraction(a, b, x))
    return 1.0 - front / (b * _beta_fraction(b, a, 1.0 - x))


@called_by_loops
def _first_guess(a: float, b: float, confidence: float, log_beta: float) -> float:
    """An approximation of the x with I_x(a, b) = 1 - confidence (Abramowitz and Stegun 26.2.22 and 26.5.22).

    For b up to 1 it is the first term of the expansion at 1.
    """
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
    """The error rate at which at most this many errors among n records have probability ``confidence``.

    As :func:`algorithms.learners.trees.pruning.error_estimates.binomial_upper_bound`, by Halley's method inside a
    shrinking bracket.
    """
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


@called_by_loops
def normal_limit(n: float, error: float, z: float) -> float:
    """The upper limit of the normal approximation.

    As :func:`algorithms.learners.trees.pruning.error_estimates.normal_upper_bound`.
    """
    spread = z * math.sqrt(error * (1.0 - error) / n + z * z / (4.0 * n * n))
    return (error + z * z / (2.0 * n) + spread) / (1.0 + z * z / n)


@compiled
def corrected_errors(n: float, errors: float, z: float, confidence: float) -> float:
    """n times the upper limit of the program C4.5.

    As :func:`algorithms.learners.trees.pruning.error_estimates.corrected_upper_bound`.
    """
    counted = max(errors, 1.0)
    bound = max(n, counted)
    if counted + 0.5 < n:
        bound = n * normal_limit(n, (counted + 0.5) / n, z)
    if errors >= 1.0:
        return bound
    none = n * (1.0 - math.exp(math.log(confidence) / n))
    return none + errors * (bound - 1.0 - none) + errors


@called_by_loops
def decided(counts: Any, k: int, decision: int) -> int:
    """The heaviest of the first k classes; the previous decision if it is as heavy."""
    best = decision
    for c in range(k):
        if counts[c] > counts[best] and counts[c] > counts[decision] * HEAVIER:
            best = c
    return best


@compiled
def leaf_cost(counts: Any, k: int, decision: int, rule: Any) -> Any:
    """The cost of a leaf by a :class:`~algorithms.learners.trees.pruning.error_estimates.CostRule`.

    ``counts`` are the weights of the k classes, followed by those of the held-out records if there are any.
    """
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


@compiled
def cut_where_no_better(cost: Any, inner: float, slack: float, first_child: Any, n_children: Any) -> Any:
    """Whether each node (m,) becomes a leaf, because it costs at most ``slack`` more than its pruned subtree.

    ``cost`` (m,) is the cost of each node as a leaf. Each test of the subtree costs ``inner``. Children come after
    their parents.
    """
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
    """Whether each node (m,) is reachable from the root."""
    reached = np.zeros(len(parent), dtype=np.bool_)
    reached[0] = True
    for node in range(1, len(parent)):
        above = parent[node]
        place = node - first_child[above]
        reached[node] = reached[above] and 0 <= place < n_children[above]
    return reached


@compiled
def weakest_links(cost: Any, parent: Any, first_child: Any, n_children: Any) -> Any:
    """The complexity penalty (m,) at which weakest-link pruning makes each node a leaf; infinite if it never does.

    ``cost`` (m,) is the cost of each node as a leaf. Children come after their parents. Of equal links the lower one is
    cut first.
    """
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
            below_cut = waiting.pop()
            gone[below_cut] = True
            for child in range(first_child[below_cut], first_child[below_cut] + n_children[below_cut]):
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
