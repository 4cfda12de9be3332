"""Compiled loops for the length in bits that describes rules for one class and what they get wrong.

Sources: Quinlan, MDL and Categorical Theories (1995), as used by Cohen, Fast Effective Rule Induction (1995). ``stats``
(r, 2) is the weight, positive and negative, of the records that each rule of a list decides; ``task`` is (weight of the
positive records, of the negative ones, share of the errors that is expected where rules fire, number of conditions
there are to choose from, whether a rule that errs as often as not is dropped whatever it saves).
"""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np

from algorithms.compiled.jit import compiled

_EQUAL = 1e-6
_NEARLY_ONE = 1.0 - 1e-12


@compiled
def subset_bits(t: Any, k: Any, p: Any) -> Any:
    """Bits that single out k of t things, each of which is expected to be among them with probability p."""
    p = min(p, _NEARLY_ONE)
    bits = -k * log2(p) if p > 0.0 else 0.0
    return bits - ((t - k) * log2(1.0 - p) if t > k else 0.0)


@compiled
def exception_bits(task: Any, covered: Any, false_positive: Any, false_negative: Any) -> Any:
    """Bits that say which of the records rules get wrong."""
    uncovered = task[0] + task[1] - covered
    wrong = false_positive + false_negative
    bits = log2(covered + uncovered + 1.0)
    if covered > uncovered + _EQUAL:
        bits += subset_bits(covered, false_positive, task[2] * wrong / covered)
        if uncovered > _EQUAL:
            bits += subset_bits(uncovered, false_negative, false_negative / uncovered)
        return bits
    if covered > _EQUAL:
        bits += subset_bits(covered, false_positive, false_positive / covered)
    if uncovered > _EQUAL:
        bits += subset_bits(uncovered, false_negative, (1.0 - task[2]) * wrong / uncovered)
    return bits


@compiled
def rule_bits(task: Any, size: Any) -> Any:
    """Bits that spell a rule of ``size`` conditions out, halved for the redundancy among conditions."""
    if size == 0:
        return 0.0
    bits = log2(np.float64(size))
    if size > 1:
        bits += 2.0 * log2(bits)
    if task[3] > size:
        bits += subset_bits(task[3], np.float64(size), size / task[3])
    return 0.5 * bits


@compiled
def spared_bits(task: Any, stat: Any, size: Any, total: Any) -> Any:
    """What leaving a rule out spares, nan where that is nothing; ``total`` (covered, fp, fn) then goes without it."""
    covered, wrong = total[0] - stat[0] - stat[1], total[1] - stat[1]
    missed = total[2] + stat[0]
    spared = (
        exception_bits(task, total[0], total[1], total[2])
        + rule_bits(task, size)
        - exception_bits(task, covered, wrong, missed)
    )
    errs = task[4] > 0.0 and stat[0] + stat[1] > 0.0 and stat[1] >= 0.5 * (stat[0] + stat[1])
    if spared > -_EQUAL or errs:
        total[0], total[1], total[2] = covered, wrong, missed
        return spared
    return np.nan


@compiled
def shortest(task: Any, stats: Any, sizes: Any, first: Any) -> Any:
    """Bits for the exceptions, less what leaving out rules from ``first`` on would spare."""
    total = np.zeros(3)
    total[2] = task[0]
    for j in range(len(stats)):
        total[0] += stats[j, 0] + stats[j, 1]
        total[1] += stats[j, 1]
        total[2] -= stats[j, 0]
    spared = 0.0
    for j in range(first, len(stats)):
        bits = spared_bits(task, stats[j], sizes[j], total)
        if bits == bits:
            spared += bits
    return exception_bits(task, total[0], total[1], total[2]) - spared


@compiled
def relative_bits(task: Any, index: Any, size: Any, having: Any, lacking: Any, sizes: Any) -> Any:
    """How many bits longer the description is for having rule ``index``, of ``size`` conditions.

    ``having`` and ``lacking`` are the stats of the list with it and without it (its own row then zero).
    """
    return shortest(task, having, sizes, index + 1) + rule_bits(task, size) - shortest(task, lacking, sizes, index + 1)


@compiled
def kept_rules(task: Any, stats: Any, sizes: Any, kept: Any) -> None:
    """Mark (r,) the rules that are kept when those that spare nothing are left out, from the last to the first."""
    total = np.zeros(3)
    total[2] = task[0]
    for j in range(len(stats)):
        total[0] += stats[j, 0] + stats[j, 1]
        total[1] += stats[j, 1]
        total[2] -= stats[j, 0]
    for j in range(len(stats) - 1, -1, -1):
        bits = spared_bits(task, stats[j], sizes[j], total)
        kept[j] = bits != bits


def warm_up() -> None:
    """Compile, or load, each kernel by calling it on next to nothing."""
    task, stats, sizes = np.array([2.0, 3.0, 0.5, 10.0, 1.0]), np.ones((1, 2)), np.ones(1, dtype=np.int64)
    exception_bits(task, 1.0, 0.0, 1.0)
    relative_bits(task, 0, 1, stats, stats, sizes)
    kept_rules(task, stats, sizes, np.zeros(1, dtype=np.bool_))
