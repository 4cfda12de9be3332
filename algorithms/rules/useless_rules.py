"""Which of the rules for a class its description would be shorter without."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray


def useless_rule(
    task: FloatArray, marks: NDArray[np.uint64], weights: FloatArray, is_positive: NDArray[np.bool_], sizes: list[int]
) -> int | None:
    """The rule without which the description is shortest; None where it is shortest with all.

    ``marks`` (n, words of 64) are the rules that cover each record as bits, ``sizes`` the conditions of each rule,
    ``task`` as in :mod:`algorithms.rules.length_kernels`. A record is lost only with the last rule that covers it.
    """
    from algorithms.rules.length_kernels import exception_bits, rule_bits

    times = np.bitwise_count(marks).sum(axis=1)
    alone = np.flatnonzero(times == 1)
    word = np.argmax(marks[alone] != 0, axis=1)
    rule = 64 * word + np.log2(marks[alone, word].astype(np.float64)).astype(np.int64)
    sides = (weights * is_positive, weights * ~is_positive)
    p, n = (float(side[times > 0].sum()) for side in sides)
    lost = np.stack([np.bincount(rule, side[alone], minlength=len(sizes)) for side in sides], axis=1)

    def bits(positive: float, negative: float) -> float:
        return float(exception_bits(task, positive + negative, negative, task[0] - positive))

    spared = [float(rule_bits(task, size)) for size in sizes]
    without = [bits(p - own, n - other) - s for (own, other), s in zip(lost.tolist(), spared, strict=True)]
    least = int(np.argmin(without))
    return least if without[least] < bits(p, n) - 1e-6 else None
