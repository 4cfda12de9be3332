"""The compiled loop that cuts a number into ranges as 1R does."""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.compiled.jit import compiled, stop_word

INTERRUPTED = -2

_LOW_HALF = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_OFTEN = 65536


@compiled
def value_end(words: Any, start: Any, known: Any) -> Any:
    """Where the records end that have the value of the one at ``start``."""
    end = start + 1
    while end < known and words[end] >> _HALF == words[start] >> _HALF:
        end += 1
    return end


@compiled
def find_buckets(words: Any, known: Any, codes: Any, weights: Any, least: Any, k: Any, ends: Any, classes: Any,
                 control: Any) -> Any:  # fmt: skip
    """Cut ordered records into buckets: fills their ends and heaviest classes, returns how many there are.

    A bucket takes value after value until a class in it weighs ``least``, then all values that have only records of
    that class; neighbours of one class are made one. ``INTERRUPTED`` where a stop was asked for.
    """
    n, at = 0, 0
    counts, one = np.zeros(k), np.zeros(k)
    seen = 0
    while at < known:
        counts[:] = 0.0
        best = np.int64(0)
        is_full = False
        while at < known:
            if at - seen > _OFTEN:
                seen = at
                if stop_word(control) != 0:
                    return INTERRUPTED
            end = value_end(words, at, known)
            one[:] = 0.0
            for i in range(at, end):
                record = words[i] & _LOW_HALF
                one[codes[record]] += weights[record] if len(weights) else 1.0
            if is_full:
                others = one.sum() - one[best]
                if others > 0.0:
                    break
            counts += one
            at = end
            if not is_full:
                best = np.argmax(counts)
                is_full = counts[best] >= least
        if n > 0 and counts[classes[n - 1]] >= counts[best]:
            best = classes[n - 1]
        if n > 0 and classes[n - 1] == best:
            ends[n - 1] = at
        else:
            ends[n], classes[n] = at, best
            n += 1
    return n


def warm_up() -> None:
    """Compile, or load, each kernel by calling it on next to nothing."""
    words, codes = np.array([0, 1 << 32 | 1], dtype=np.uint64), np.array([0, 1], dtype=np.int32)
    ends, classes = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64)
    find_buckets(words, 2, codes, np.zeros(0), 1.0, 2, ends, classes, np.zeros(3, dtype=np.int64))
