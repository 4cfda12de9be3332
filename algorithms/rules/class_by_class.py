"""Rules for each class made a list: which class comes first, what holds otherwise, and which rules do harm.

Source: Quinlan, C4.5: Programs for Machine Learning (1993), section 5.3.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from algorithms.core.columns import FloatArray, IntArray
from algorithms.rules.simplifying import Simplified

Checkpoint = Callable[[], None]


def by_false_positives(rules: dict[int, list[Simplified]], codes: IntArray, weights: FloatArray) -> list[int]:
    """The classes, each time the one next whose rules cover the least weight of other classes in what is left."""
    left, order = np.ones(len(codes), dtype=np.bool_), list[int]()
    covered = {code: _union(each, len(codes)) for code, each in rules.items()}
    while len(order) < len(rules):
        wrong = {
            code: float(weights[left & covered[code] & (codes != code)].sum()) for code in rules if code not in order
        }
        order.append(min(wrong, key=lambda code: (round(wrong[code], 9), code)))
        left &= ~covered[order[-1]]
    return order


def _union(rules: list[Simplified], n: int) -> np.ndarray:
    found = np.zeros(n, dtype=np.bool_)
    for each in rules:
        found |= each.covered
    return found


def default_class(rules: list[Simplified], codes: IntArray, weights: FloatArray, k: int) -> int:
    """The class that is heaviest in what no rule covers, of several the one that is heaviest in all."""
    left = ~_union(rules, len(codes))
    counts = np.bincount(codes[left], weights[left], minlength=k)
    every = np.bincount(codes, weights, minlength=k)
    return max(range(k), key=lambda code: (round(float(counts[code]), 9), round(float(every[code]), 9), -code))


def without_harmful(
    rules: list[Simplified], default: int, codes: IntArray, weights: FloatArray, checkpoint: Checkpoint
) -> list[Simplified]:
    """The list without rules but for which it would be right about more: the first such goes, then it is asked anew."""
    rules = list(rules)
    while True:
        checkpoint()
        better = _advantages(rules, default, codes, weights)
        harmful = np.flatnonzero(better < -1e-9)
        if len(harmful) == 0:
            return rules
        del rules[int(harmful[0])]


def _advantages(rules: list[Simplified], default: int, codes: IntArray, weights: FloatArray) -> FloatArray:
    """For each rule the weight that the list is right about thanks to it, less what it is wrong about for it."""
    n = len(codes)
    first, second = np.full(n, len(rules), dtype=np.int64), np.full(n, len(rules), dtype=np.int64)
    for place in reversed(range(len(rules))):
        covered = rules[place].covered
        second[covered] = first[covered]
        first[covered] = place
    says = np.array([*(each.rule.decision for each in rules), default], dtype=np.int64)
    change = (says[first] == codes).astype(np.float64) - (says[second] == codes)
    return np.asarray(np.bincount(first, weights * change, minlength=len(rules) + 1)[: len(rules)])
