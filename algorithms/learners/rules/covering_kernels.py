"""Kernels that match rules with records: of one class while RIPPER learns, and of a whole rule set.

For RIPPER the conditions of all rules are rows (predictor, lowest rank, highest rank); rule i has rows ``starts[i]`` to
``starts[i + 1]``. A rule set is matched with blocks of values (n, a): numbers and codes as float64, NaN where missing.
``slot`` of :class:`Conditions` is the column of an attribute in such a block.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.jit import called_by_loops, compiled, lowest_bit
from algorithms.learners.rules.growing_kernels import RankedRecords, meets

_WORD = 64


@compiled
def part(rows: Any, conditions: Any, is_positive: Any, records: Any, left: Any, sums: Any) -> Any:
    """Write the records that fail the conditions into ``left``; returns their number.

    ``sums`` (2,) becomes the positive and negative weight of the records that meet them.
    """
    ranks, weights = records.ranks, records.weights
    n, m = 0, len(conditions)
    sums[:] = 0.0
    for i in range(len(rows)):
        record = rows[i]
        if meets(record, conditions, 0, m, ranks):
            weight = weights[record] if len(weights) else 1.0
            sums[0 if is_positive[record] else 1] += weight
        else:
            left[n] = record
            n += 1
    return n


@compiled
def find_members(rows: Any, conditions: Any, records: Any, members: Any) -> Any:
    """Write the records that meet the conditions into ``members``; returns their number."""
    ranks = records.ranks
    n, m = 0, len(conditions)
    for i in range(len(rows)):
        if meets(rows[i], conditions, 0, m, ranks):
            members[n] = rows[i]
            n += 1
    return n


@compiled
def mark_rules(rows: Any, conditions: Any, starts: Any, records: Any, marks: Any) -> None:
    """Set a bit in ``marks`` (n, words of 64) for each rule that covers a record."""
    ranks = records.ranks
    for i in range(len(rows)):
        record = rows[i]
        for rule in range(len(starts) - 1):
            if meets(record, conditions, starts[rule], starts[rule + 1], ranks):
                marks[record, rule // _WORD] |= np.uint64(1) << np.uint64(rule % _WORD)


@compiled
def find_later(rows: Any, marks: Any, position: Any, later: Any) -> None:
    """Fill ``later`` (n,) with the first rule after ``position`` that covers each record, -1 for none."""
    first = position + 1
    for i in range(len(rows)):
        record = rows[i]
        later[record] = -1
        for word in range(first // _WORD, marks.shape[1]):
            bits = marks[record, word]
            if word == first // _WORD:
                bits &= ~((np.uint64(1) << np.uint64(first % _WORD)) - np.uint64(1))
            if bits != np.uint64(0):
                later[record] = word * _WORD + np.int64(lowest_bit(bits))
                break


@compiled
def weigh_rules(rows: Any, conditions: Any, use: Any, position: Any, later: Any, is_positive: Any, records: Any,
                stats: Any) -> None:  # fmt: skip
    """Add the positive and negative weight (r, 2) of the records that each rule from ``position`` on decides.

    The rule at ``position`` has these conditions; without ``use`` that place is empty.
    """
    ranks, weights, m = records.ranks, records.weights, len(conditions)
    for i in range(len(rows)):
        record = rows[i]
        rule = np.int64(later[record])
        if use and meets(record, conditions, 0, m, ranks):
            rule = position
        if rule >= 0:
            weight = weights[record] if len(weights) else 1.0
            stats[rule, 0 if is_positive[record] else 1] += weight


class Conditions(NamedTuple):
    """Conditions of all rules, as in :class:`~algorithms.structures.rule_set.RuleSet`."""

    rule_start: NDArray[np.int32]
    slot: NDArray[np.int32]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    low_is_open: NDArray[np.int8]
    offset: NDArray[np.int32]
    value_in: NDArray[np.int8]
    takes_missing: NDArray[np.int8]


@called_by_loops
def fires(block: Any, row: Any, start: Any, end: Any, slot: Any, low: Any, high: Any, low_is_open: Any, offset: Any,
          value_in: Any, takes_missing: Any) -> Any:  # fmt: skip
    """Whether a record meets the conditions ``start`` to ``end``."""
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
    """First rule that fires for each record, -1 for none."""
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
    """Which rules fire for each record (n, r)."""
    starts, slot, low, high, low_is_open, offset, value_in, takes_missing = conditions
    for row in range(len(block)):
        for rule in range(len(starts) - 1):
            fired[row, rule] = fires(block, row, starts[rule], starts[rule + 1], slot, low, high, low_is_open, offset,
                                     value_in, takes_missing)  # fmt: skip


@compiled
def find_covered(block: Any, rule: Any, conditions: Any, covered: Any) -> None:
    """Records that meet the conditions of one rule (n,)."""
    starts, slot, low, high, low_is_open, offset, value_in, takes_missing = conditions
    start, end = starts[rule], starts[rule + 1]
    for row in range(len(block)):
        covered[row] = fires(block, row, start, end, slot, low, high, low_is_open, offset, value_in, takes_missing)


@compiled
def sum_votes(fired: Any, votes: Any, default: Any, sums: Any) -> None:
    """Sum of the votes (n, k) of all rules that fire (n, r); the default votes where none does."""
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
    """Add the class weights of records to ``covered`` of all rules that fire (n, r) and to ``decided`` of the first.

    Records without a rule go to ``left`` (k,).
    """
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
    """Compile or load each kernel by a tiny call."""
    records = RankedRecords(
        ranks=np.zeros((1, 1), dtype=np.uint32),
        is_listed=np.zeros(1, dtype=np.bool_),
        weights=np.zeros(0),
        logs=np.zeros(2),
    )
    rows, conditions = np.zeros(1, dtype=np.int32), np.zeros((1, 3), dtype=np.int64)
    is_positive, later = np.ones(1, dtype=np.bool_), np.zeros(1, dtype=np.int32)
    starts, marks = np.array([0, 1], dtype=np.int64), np.zeros((1, 1), dtype=np.uint64)
    part(rows, conditions, is_positive, records, rows.copy(), np.zeros(2))
    find_members(rows, conditions, records, rows.copy())
    mark_rules(rows, conditions, starts, records, marks)
    find_later(rows, marks, 0, later)
    weigh_rules(rows, conditions, True, 0, later, is_positive, records, np.zeros((1, 2)))
    of_rules = Conditions(
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
    find_first(block, of_rules, np.zeros(1, dtype=np.int32))
    find_fired(block, of_rules, np.zeros((1, 1), dtype=np.bool_))
    find_covered(block, 0, of_rules, flags)
    counts, fired = np.zeros((1, 2)), np.zeros((1, 1), dtype=np.bool_)
    sum_votes(fired, np.ones((1, 2)), np.ones(2), counts.copy())
    count_rules(fired, np.zeros(1, dtype=np.int32), np.ones(1), counts, counts.copy(), np.zeros(2))
