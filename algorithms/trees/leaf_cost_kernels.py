"""Compiled loops that say what a node would cost as a leaf."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from algorithms.core.jit import compiled
from algorithms.trees.leaf_costs import EXACT, NORMAL, PRICED, SMOOTHED

HEAVIER = 1.0 + 1e-12
"""A class must weigh more by this factor to change what a node decides."""


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
def decided(counts: Any, k: int, decision: int) -> int:
    """The heaviest of the first k classes; what was decided before where that weighs as much."""
    best = decision
    for c in range(k):
        if counts[c] > counts[best] and counts[c] > counts[decision] * HEAVIER:
            best = c
    return best


@compiled
def leaf_cost(counts: Any, k: int, decision: int, rule: Any) -> Any:
    """What a leaf costs (see :class:`algorithms.trees.leaf_costs.CostRule`) that has the weights ``counts`` of the k
    classes and, behind them where there are any, of the held out records of each class."""
    n = 0.0
    for c in range(k):
        n += counts[c]
    chosen = decided(counts, k, decision)
    wrong = n - counts[chosen]
    if rule.kind == PRICED:
        return rule.first * wrong + rule.second
    if rule.kind == EXACT or rule.kind == NORMAL or rule.kind == SMOOTHED:
        if n <= 0.0:
            return 0.0
        if rule.kind == EXACT:
            return n * binomial_limit(n, wrong, rule.first)
        if rule.kind == NORMAL:
            return n * normal_limit(n, wrong / n, rule.first)
        return n * (wrong + (1.0 - rule.priors[chosen]) * rule.first) / (n + rule.first)
    tested = 0.0
    for c in range(k, len(counts)):
        tested += counts[c]
    return tested - counts[k + chosen]


def warm_up() -> None:
    """Compile, or load, what is called from outside a compiled loop."""
    from algorithms.trees.leaf_costs import by_bound

    binomial_limit(3.0, 1.0, 0.25)
    leaf_cost(np.ones(2), 2, 0, by_bound(0.25))
