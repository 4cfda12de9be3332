"""Compiled loops that sort the records by an attribute.

An attribute's order is an array of words, ``rank << 32 | record``, with ascending ranks. Equal values have equal ranks;
missing values come last with :data:`MISSING_RANK`.
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
    """Write keys in the order of the known numbers, and the records: those of the keys, then the missing ones.

    Fills ``keys`` (uint64) and ``records`` (uint32); returns the number of known values. Both zeros have one key.
    """
    bits = (column + 0.0).view(np.uint64)
    n_known = 0
    for i in range(len(column)):
        if column[i] == column[i]:
            word = bits[i]
            keys[n_known] = (word ^ _ALL) if word & _SIGN else (word | _SIGN)
            records[n_known] = i
            n_known += 1
    missing = n_known
    for i in range(len(column)):
        if column[i] != column[i]:
            records[missing] = i
            missing += 1
    return n_known


@compiled
def radix_sort(keys: Any, records: Any, other_keys: Any, other_records: Any) -> Any:
    """Sort keys and their records stably, with two working arrays of the same size.

    Digits that all keys share are skipped. Returns 1 if the result is in the other arrays, else 0.
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
def rank_words(keys: Any, records: Any, n_known: Any, words: Any) -> None:
    """Write the words of the sorted keys; the rank rises by one where the key changes."""
    rank = np.uint64(0)
    for i in range(n_known):
        if i > 0 and keys[i] != keys[i - 1]:
            rank += np.uint64(1)
        words[i] = (rank << _HALF) | np.uint64(records[i])
    for i in range(n_known, len(records)):
        words[i] = (_LOW_HALF << _HALF) | np.uint64(records[i])


@compiled
def code_words(codes: Any, n_values: Any, words: Any) -> None:
    """Write the words of the records in the order of their codes (int32, -1 if missing); the code is the rank."""
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
    """Write the words of chosen records from the words of all, in one pass.

    A record may be chosen repeatedly: its positions among the chosen are ``chosen[first[r] : first[r + 1]]``.
    """
    end = 0
    for i in range(len(words)):
        word = words[i]
        record = word & _LOW_HALF
        rank = word & ~_LOW_HALF
        for j in range(first[record], first[record + np.uint64(1)]):
            taken[end] = rank | np.uint64(chosen[j])
            end += 1
