"""Compiled loops that bring the records into the order of an attribute.

An attribute's order is an array of words, ``rank << 32 | record``: ranks rise along the array, equal values have equal
ranks, missing values stand at the end under :data:`MISSING_RANK`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from algorithms.compiled.jit import compiled

MISSING_RANK: Final = 0xFFFFFFFF

_DIGIT_BITS: Final = np.uint64(11)
_DIGITS: Final = 6
_RADIX: Final = 2048
_DIGIT_MASK: Final = np.uint64(2047)
_SIGN: Final = np.uint64(1 << 63)
_ALL: Final = np.uint64(0xFFFFFFFFFFFFFFFF)
_HALF: Final = np.uint64(32)
_LOW_HALF: Final = np.uint64(0xFFFFFFFF)


@compiled
def number_keys(column: Any, keys: Any, records: Any) -> Any:
    """Keys that order as the numbers do, for the records that are not missing, then the missing records.

    Fills ``keys`` (uint64) and ``records`` (uint32); returns the number of known values. Both zeros have one key.
    """
    bits = (column + 0.0).view(np.uint64)
    known = 0
    for i in range(len(column)):
        if column[i] == column[i]:
            word = bits[i]
            keys[known] = (word ^ _ALL) if word & _SIGN else (word | _SIGN)
            records[known] = i
            known += 1
    missing = known
    for i in range(len(column)):
        if column[i] != column[i]:
            records[missing] = i
            missing += 1
    return known


@compiled
def radix_sort(keys: Any, records: Any, other_keys: Any, other_records: Any) -> Any:
    """Sort keys stably, their records with them, using two more arrays of the same size as room.

    Digits that all keys share are skipped. Returns whether the result is in the other arrays.
    """
    n = len(keys)
    counts = np.zeros((_DIGITS, _RADIX), dtype=np.int64)
    for i in range(n):
        key = keys[i]
        for digit in range(_DIGITS):
            counts[digit, key & _DIGIT_MASK] += 1
            key >>= _DIGIT_BITS
    swapped = 0
    for digit in range(_DIGITS):
        shift = np.uint64(digit) * _DIGIT_BITS
        places = counts[digit]
        if n == 0 or places[(keys[0] >> shift) & _DIGIT_MASK] == n:
            continue
        total = 0
        for d in range(_RADIX):
            here = places[d]
            places[d] = total
            total += here
        for i in range(n):
            key = keys[i]
            d = (key >> shift) & _DIGIT_MASK
            place = places[d]
            places[d] = place + 1
            other_keys[place] = key
            other_records[place] = records[i]
        keys, other_keys = other_keys, keys
        records, other_records = other_records, records
        swapped = 1 - swapped
    return swapped


@compiled
def rank_words(keys: Any, records: Any, known: Any, words: Any) -> None:
    """Words of the sorted keys: the rank rises by one where the key changes."""
    rank = np.uint64(0)
    for i in range(known):
        if i > 0 and keys[i] != keys[i - 1]:
            rank += np.uint64(1)
        words[i] = (rank << _HALF) | np.uint64(records[i])
    for i in range(known, len(records)):
        words[i] = (_LOW_HALF << _HALF) | np.uint64(records[i])


@compiled
def code_words(codes: Any, n_values: Any, words: Any) -> None:
    """Words of the records in the order of their codes (int32, -1 where missing), by counting; the code is the rank."""
    places = np.zeros(n_values + 1, dtype=np.int64)
    for i in range(len(codes)):
        places[codes[i] if codes[i] >= 0 else n_values] += 1
    total = 0
    for v in range(n_values + 1):
        here = places[v]
        places[v] = total
        total += here
    for i in range(len(codes)):
        v = codes[i] if codes[i] >= 0 else n_values
        rank = np.uint64(v) if v < n_values else _LOW_HALF
        words[places[v]] = (rank << _HALF) | np.uint64(i)
        places[v] += 1


@compiled
def chosen_words(words: Any, first: Any, chosen: Any, taken: Any) -> None:
    """Words of chosen records from the words of all, in one pass.

    The places of record r among the chosen (it may be chosen often) are ``chosen[first[r] : first[r + 1]]``.
    """
    end = 0
    for i in range(len(words)):
        word = words[i]
        record = word & _LOW_HALF
        rank = word & ~_LOW_HALF
        for j in range(first[record], first[record + np.uint64(1)]):
            taken[end] = rank | np.uint64(chosen[j])
            end += 1


def warm_up() -> None:
    """Compile, or load, each kernel by calling it on next to nothing."""
    column = np.array([1.0, np.nan, 2.0])
    column.flags.writeable = False
    keys, records, words = np.empty(3, np.uint64), np.empty(3, np.uint32), np.empty(3, np.uint64)
    known = number_keys(column, keys, records)
    radix_sort(keys[:known], records[:known], keys.copy()[:known], records.copy()[:known])
    rank_words(keys, records, known, words)
    code_words(np.array([0, -1, 1], dtype=np.int32), 2, words)
    chosen_words(words, np.array([0, 1, 1, 2], dtype=np.int64), np.array([0, 1], dtype=np.int64), words.copy())
