"""Compiled loops that find the best condition on a predictor of few values, by counting the records of each value.

For records that weigh one each. A predictor has few values where its ranks are far fewer than the records that a rule
covers: then these are read in the order in which they stand, and never in that of the predictor, which is a jump
through memory for each. What is found is what :mod:`algorithms.rules.growing_kernels` finds record by record.
"""

from __future__ import annotations

from math import log2
from typing import Any

import numpy as np

from algorithms.core.jit import compiled

HIGHEST = 0xFFFFFFFE
_HALF = np.uint64(32)
_RECORDS_A_VALUE = 4


@compiled
def log_share(p: Any, t: Any, logs: Any) -> Any:
    """log2 of (p + 1) / (t + 1)."""
    if len(logs):
        return logs[np.int64(p)] - logs[np.int64(t)]
    return log2((p + 1.0) / (t + 1.0))


@compiled
def gain(p: Any, t: Any, base: Any, logs: Any) -> Any:
    """What a rule gains, by FOIL's measure, that is narrowed to positive weight p of t: p times the bits saved."""
    return p * (log_share(p, t, logs) - base)


@compiled
def is_few(n_ranks: Any, n: Any) -> Any:
    """Whether counting by rank is the shorter way through n records."""
    return _RECORDS_A_VALUE * n_ranks <= n


@compiled
def n_ranks_of(words: Any, size: Any) -> Any:
    """One more than the highest rank of the words."""
    return np.int64(words[size - 1] >> _HALF) + 1 if size > 0 else 0


@compiled
def tally(members: Any, is_positive: Any, ranks: Any, n_ranks: Any, counts: Any) -> None:
    """Count the negative and positive members (n_ranks, 2) of each rank; a missing value has none of these ranks."""
    counts[:n_ranks] = 0
    for i in range(len(members)):
        record = members[i]
        rank = np.int64(ranks[record])
        if rank < n_ranks:
            counts[rank, np.int64(is_positive[record])] += 1


@compiled
def best_of_counts(counts: Any, n_ranks: Any, is_listed: Any, base: Any, logs: Any, best: Any) -> None:
    """The best condition, where it gains more than ``best`` (gain, lowest, highest rank, p, t): a single value where
    these have no order, else an upper bound, else a lower one."""
    p, t = 0, 0
    for rank in range(n_ranks):
        if is_listed:
            p, t = 0, 0
        p += counts[rank, 1]
        t += counts[rank, 0] + counts[rank, 1]
        if counts[rank, 1] > 0:
            found = gain(p, t, base, logs)
            if found > best[0]:
                best[0], best[1], best[2], best[3], best[4] = found, rank if is_listed else 0, rank, p, t
    if is_listed:
        return
    p, t = 0, 0
    for rank in range(n_ranks - 1, -1, -1):
        p += counts[rank, 1]
        t += counts[rank, 0] + counts[rank, 1]
        if counts[rank, 1] > 0:
            found = gain(p, t, base, logs)
            if found > best[0]:
                best[0], best[1], best[2], best[3], best[4] = found, rank, HIGHEST, p, t


@compiled
def order_by_counting(members: Any, ranks: Any, n_ranks: Any, counts: Any, target: Any) -> Any:
    """Put the words of the members whose value is known into ``target`` in order, and return how many they are."""
    counts[: n_ranks + 1, 0] = 0
    for i in range(len(members)):
        counts[min(np.int64(ranks[members[i]]), n_ranks), 0] += 1
    total = 0
    for rank in range(n_ranks):
        here = counts[rank, 0]
        counts[rank, 0] = total
        total += here
    for i in range(len(members)):
        own = np.int64(ranks[members[i]])
        if own < n_ranks:
            target[counts[own, 0]] = (np.uint64(own) << _HALF) | np.uint64(members[i])
            counts[own, 0] += 1
    return np.int64(total)


def warm_up() -> None:
    """Compile, or load, each kernel by calling it on next to nothing."""
    members, is_positive = np.arange(2, dtype=np.int32), np.array([True, False])
    ranks, counts = np.array([0, 1], dtype=np.uint32), np.zeros((3, 2), dtype=np.int32)
    words = np.zeros(2, dtype=np.uint64)
    is_few(n_ranks_of(words, 2), 2)
    tally(members, is_positive, ranks, 2, counts)
    best_of_counts(counts, 2, False, -1.0, np.zeros(3), np.zeros(5))
    order_by_counting(members, ranks, 2, counts, words)
