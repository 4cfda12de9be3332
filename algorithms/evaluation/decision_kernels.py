"""Kernel that decides many tested records by what mistakes cost."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.compiled.jit import compiled

BLOCK: Final = 1024
"""So many records at a time go through each step: the steps have no branches, and their arrays stay in the cache."""


@compiled
def count_cheapest(
    probabilities: Any, own: Any, truth: Any, weights: Any, costs: Any, tie: float, first: int, last: int, counts: Any
) -> None:
    """Add to ``counts`` (k, k) the weight by true and cheapest class of the records from ``first`` to before ``last``.

    A class is cheaper than another where its expected cost is less by more than ``tie``; the model's ``own`` decision
    is asked first, then the classes in their order. ``weights`` is empty where each record counts one.
    """
    k = len(costs)
    by_class, expected = np.empty((k, BLOCK)), np.empty((k, BLOCK))
    least, chosen = np.empty(BLOCK), np.empty(BLOCK, dtype=np.int32)
    for start in range(first, last, BLOCK):
        n = min(BLOCK, last - start)
        for c in range(k):
            for i in range(n):
                by_class[c, i] = probabilities[start + i, c]
        for j in range(k):
            of_class = expected[j]
            of_class[:n] = 0.0
            for c in range(k):
                cost, shares = costs[c, j], by_class[c]
                for i in range(n):
                    of_class[i] += shares[i] * cost
        for i in range(n):
            chosen[i] = own[start + i]
            least[i] = expected[chosen[i], i]
        for j in range(k):
            of_class = expected[j]
            for i in range(n):
                is_cheaper = of_class[i] < least[i] - tie
                chosen[i] = j if is_cheaper else chosen[i]
                least[i] = of_class[i] if is_cheaper else least[i]
        for i in range(n):
            counts[truth[start + i], chosen[i]] += weights[start + i] if len(weights) else 1.0


def warm_up() -> None:
    """Compile, or load, what is called from outside a compiled loop."""
    codes = np.zeros(1, dtype=np.int32)
    table = np.zeros((1, 1))
    for precision in (np.float32, np.float64):  # runs kept by older programs hold single precision
        probabilities = np.zeros((1, 1), dtype=precision)
        count_cheapest(probabilities, codes, codes, np.zeros(0), table, 0.0, 0, 1, np.zeros((1, 1)))
