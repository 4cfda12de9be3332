"""Conditions left out of a rule one after the other, as long as it is not expected to err more often without them.

Source: Quinlan, C4.5: Programs for Machine Learning (1993), section 5.1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.trees.error_estimates import binomial_upper_bound

Bools = NDArray[np.bool_]
Errors = Callable[[FloatArray, FloatArray], FloatArray]
"""The share of errors expected of rules (j,) that cover so much weight and are wrong about so much of it."""

Watch = Callable[[list[int], FloatArray, FloatArray, int], None]
"""Told, before a condition goes, which m are left, the weights (1 + m, 2) covered and wrong of the rule and without
each of them, the errors (1 + m,) expected, and which of those left goes."""

_EQUAL: Final = 1e-9


def pessimistic(confidence: float, guessing: float) -> Errors:
    """The upper bound of the error rate by the records covered; ``guessing`` of a rule that covers none."""

    def errors(covered: FloatArray, wrong: FloatArray) -> FloatArray:
        some = covered > _EQUAL
        bounds = binomial_upper_bound(np.where(some, covered, 1.0), np.where(some, wrong, 0.0), confidence)
        return np.where(some, bounds, guessing)

    return errors


def held_out(covered: FloatArray, wrong: FloatArray) -> FloatArray:
    """The error rate on records that the rule did not grow from, one right and one wrong record added."""
    return np.asarray((wrong + 1.0) / (covered + 2.0))


def shortened(failed: Bools, sums: FloatArray, errors: Errors, watch: Watch | None = None) -> tuple[list[int], float]:
    """Which of m conditions are kept, and the share of errors then expected.

    ``failed`` (m, n) says which records fail which condition, ``sums`` (n, 2) their weights, and those of them that the
    rule would be wrong about. Each time that condition goes without which the rule is expected to err least, the last
    of several equal ones, as long as that is no more than with it.
    """
    kept = list(range(len(failed)))
    n_failed = failed.sum(axis=0, dtype=np.int32)
    while True:
        whole = sums[n_failed == 0].sum(axis=0)
        once = np.flatnonzero(n_failed == 1)
        found = np.vstack([whole, whole + failed[kept][:, once] @ sums[once]])
        expected = errors(found[:, 0], found[:, 1])
        if not kept:
            break
        least = expected[1:].min()
        if least > expected[0] + _EQUAL:
            break
        place = int(np.flatnonzero(expected[1:] <= least + _EQUAL)[-1])
        if watch is not None:
            watch(list(kept), found, expected, place)
        n_failed -= failed[kept[place]]
        del kept[place]
    return kept, float(expected[0])
