"""Compiled loops that ask which rules of a list cover which records, by their ranks.

The conditions of all rules stand together, rows (predictor, lowest rank, highest rank), those of rule i from
``starts[i]`` to ``starts[i + 1]``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.core.jit import compiled, lowest_bit
from algorithms.rules.growing_kernels import Records, meets

_WORD = 64


@compiled
def part(rows: Any, conditions: Any, is_positive: Any, records: Any, left: Any, sums: Any) -> Any:
    """Put the records that do not meet the conditions into ``left`` and return how many they are.

    ``sums`` (2,) becomes the weight, positive and negative, of those that do.
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
def find_members(rows: Any, conditions: Any, records: Any, found: Any) -> Any:
    """Put the records that meet the conditions into ``found`` and return how many they are."""
    ranks = records.ranks
    n, m = 0, len(conditions)
    for i in range(len(rows)):
        if meets(rows[i], conditions, 0, m, ranks):
            found[n] = rows[i]
            n += 1
    return n


@compiled
def mark_rules(rows: Any, conditions: Any, starts: Any, records: Any, marks: Any) -> None:
    """Set a bit in ``marks`` (n, words of 64) for each rule that covers a record, by the record's number."""
    ranks = records.ranks
    for i in range(len(rows)):
        record = rows[i]
        for rule in range(len(starts) - 1):
            if meets(record, conditions, starts[rule], starts[rule + 1], ranks):
                marks[record, rule // _WORD] |= np.uint64(1) << np.uint64(rule % _WORD)


@compiled
def find_later(rows: Any, marks: Any, position: Any, later: Any) -> None:
    """The first rule after ``position`` that covers each of the records, -1 where none does, by the record's number."""
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
    """Add the weights (r, 2), positive and negative, of the records that each rule from ``position`` on decides.

    At ``position`` stand these conditions, or where they are not to be used, nothing.
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


def warm_up() -> None:
    """Compile, or load, each kernel by calling it on next to nothing."""
    records = Records(
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
