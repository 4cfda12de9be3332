"""Compiled loops that find which rules fire for which records.

Records come in blocks of values (n, a): numbers and codes as float64, NaN where missing; ``conditions`` is the table of
:class:`Conditions`, whose columns ``slot`` say where in a block an attribute stands.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.jit import compiled


class Conditions(NamedTuple):
    """The conditions of all rules as :class:`~algorithms.core.rule_set.RuleSet` has them."""

    rule_start: NDArray[np.int32]
    slot: NDArray[np.int32]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    low_is_open: NDArray[np.int8]
    offset: NDArray[np.int32]
    value_in: NDArray[np.int8]
    takes_missing: NDArray[np.int8]


@compiled
def fires(block: Any, row: Any, start: Any, end: Any, slot: Any, low: Any, high: Any, low_is_open: Any, offset: Any,
          value_in: Any, takes_missing: Any) -> Any:  # fmt: skip
    """Whether a record meets the conditions from ``start`` to ``end``."""
    for c in range(start, end):
        value = block[row, slot[c]]
        if value != value:
            if takes_missing[c] == 0:
                return False
        elif offset[c] >= 0:
            if value_in[offset[c] + np.int64(value)] == 0:
                return False
        elif value < low[c] or value > high[c] or (value == low[c] and low_is_open[c] == 1):
            return False
    return True


@compiled
def find_first(block: Any, conditions: Any, first: Any) -> None:
    """The first rule that fires for each record, -1 where none does."""
    starts, slot, low, high, low_is_open, offset, value_in, takes_missing = conditions
    for row in range(len(block)):
        first[row] = -1
        for rule in range(len(starts) - 1):
            if fires(block, row, starts[rule], starts[rule + 1], slot, low, high, low_is_open, offset, value_in,
                     takes_missing):  # fmt: skip
                first[row] = rule
                break


@compiled
def find_fired(block: Any, conditions: Any, fired: Any) -> None:
    """Which rules fire (n, r) for which records."""
    starts, slot, low, high, low_is_open, offset, value_in, takes_missing = conditions
    for row in range(len(block)):
        for rule in range(len(starts) - 1):
            fired[row, rule] = fires(block, row, starts[rule], starts[rule + 1], slot, low, high, low_is_open, offset,
                                     value_in, takes_missing)  # fmt: skip


@compiled
def find_covered(block: Any, rule: Any, conditions: Any, covered: Any) -> None:
    """Which records (n,) meet the conditions of one rule."""
    starts, slot, low, high, low_is_open, offset, value_in, takes_missing = conditions
    start, end = starts[rule], starts[rule + 1]
    for row in range(len(block)):
        covered[row] = fires(block, row, start, end, slot, low, high, low_is_open, offset, value_in, takes_missing)


@compiled
def sum_votes(fired: Any, votes: Any, default: Any, sums: Any) -> None:
    """The votes (n, k) of all rules that fire (n, r), those of the default where none does."""
    for row in range(len(fired)):
        spoke = False
        sums[row, :] = 0.0
        for rule in range(fired.shape[1]):
            if fired[row, rule]:
                spoke = True
                for k in range(sums.shape[1]):
                    sums[row, k] += votes[rule, k]
        if not spoke:
            for k in range(sums.shape[1]):
                sums[row, k] = default[k]


@compiled
def count_rules(fired: Any, codes: Any, weights: Any, covered: Any, decided: Any, left: Any) -> None:
    """Add the weights of records by class to what the rules that fire (n, r) cover and, as a list, decide, and to what
    they leave."""
    for row in range(len(fired)):
        k, weight, spoken = codes[row], weights[row], False
        for rule in range(fired.shape[1]):
            if fired[row, rule]:
                covered[rule, k] += weight
                if not spoken:
                    decided[rule, k] += weight
                    spoken = True
        if not spoken:
            left[k] += weight


def warm_up() -> None:
    """Compile, or load, each kernel by calling it on next to nothing."""
    conditions = Conditions(
        rule_start=np.array([0, 1], dtype=np.int32),
        slot=np.zeros(1, dtype=np.int32),
        low=np.zeros(1),
        high=np.ones(1),
        low_is_open=np.zeros(1, dtype=np.int8),
        offset=np.array([-1], dtype=np.int32),
        value_in=np.zeros(0, dtype=np.int8),
        takes_missing=np.zeros(1, dtype=np.int8),
    )
    block, flags = np.zeros((1, 1)), np.zeros(1, dtype=np.bool_)
    find_first(block, conditions, np.zeros(1, dtype=np.int32))
    find_fired(block, conditions, np.zeros((1, 1), dtype=np.bool_))
    find_covered(block, 0, conditions, flags)
    counts, fired = np.zeros((1, 2)), np.zeros((1, 1), dtype=np.bool_)
    sum_votes(fired, np.ones((1, 2)), np.ones(2), counts.copy())
    count_rules(fired, np.zeros(1, dtype=np.int32), np.ones(1), counts, counts.copy(), np.zeros(2))
