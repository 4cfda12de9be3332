"""Which of the rules for a class its description would be shorter without."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray


def useful_rules(
    task: FloatArray, marks: NDArray[np.uint64], weights: FloatArray, is_positive: NDArray[np.bool_], sizes: list[int]
) -> list[int]:
    """The rules (ascending) that are left when the one without which the description is shortest goes, again and again,
    until it is shortest with all that are left.

    ``marks`` (n, words of 64), which is written over, are the rules that cover each record as bits, ``sizes`` the
    conditions of each rule, ``task`` as in :mod:`algorithms.rules.length_kernels`. A record is lost only with the last
    rule that covers it.
    """
    from algorithms.rules.length_kernels import exception_bits, rule_bits

    spelled = [float(rule_bits(task, size)) for size in sizes]
    sides = (weights * is_positive, weights * ~is_positive)
    left = list(range(len(sizes)))

    def bits(positive: float, negative: float) -> float:
        return float(exception_bits(task, positive + negative, negative, task[0] - positive))

    while left:
        times = np.bitwise_count(marks).sum(axis=1)
        alone = np.flatnonzero(times == 1)
        word = np.argmax(marks[alone] != 0, axis=1)
        rule = 64 * word + np.log2(marks[alone, word].astype(np.float64)).astype(np.int64)
        p, n = (float(side[times > 0].sum()) for side in sides)
        own, other = (np.bincount(rule, side[alone], minlength=len(sizes)).tolist() for side in sides)
        without = {i: bits(p - own[i], n - other[i]) - spelled[i] for i in left}
        least = min(left, key=without.__getitem__)
        if without[least] >= bits(p, n) - 1e-6:
            break
        marks[:, least // 64] &= ~np.uint64(1 << (least % 64))
        left.remove(least)
    return left
