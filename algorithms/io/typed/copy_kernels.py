"""Compiled loops that split the rows of PostgreSQL's binary COPY and compare texts in them.

A row is the number of its fields (int16) and, for each, its length (int32, -1 for NULL) and its bytes, all big-endian.

Source: PostgreSQL's documentation of COPY, section Binary Format.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.compiled.jit import called_by_loops, compiled

_OFFSET, _PRIME = -3750763034362895579, 1099511628211  # of the 64-bit hash FNV-1a


@called_by_loops
def _integer(data: Any, begin: int, end: int) -> Any:
    """The signed integer in these bytes, at most eight."""
    value = np.int64(data[begin])
    if value > 127:
        value -= 256
    for i in range(begin + 1, end):
        value = (value << 8) | np.int64(data[i])
    return value


@called_by_loops
def _hash(data: Any, begin: int, end: int) -> Any:
    """A 64-bit hash of these bytes."""
    value = np.int64(_OFFSET)
    for i in range(begin, end):
        value = (value ^ np.int64(data[i])) * np.int64(_PRIME)
    return value


@compiled
def split_rows(data: Any, begin: int, is_text: Any, values: Any, starts: Any, lengths: Any) -> Any:
    """Fill ``values``, ``starts`` and ``lengths`` (columns, rows) from the bytes at ``begin``.

    A value is the bits of a number, or the hash of a text. A length of -1 is that of a missing value. Returns the
    number of rows; -1 if the bytes are no such rows. It ends at the trailer, or when ``values`` is full.
    """
    n_columns, capacity = values.shape
    place = begin
    for row in range(capacity):
        if place + 2 > len(data):
            return row
        n_fields = _integer(data, place, place + 2)
        place += 2
        if n_fields == -1:
            return row
        if n_fields != n_columns:
            return -1
        for column in range(n_columns):
            if place + 4 > len(data):
                return -1
            length = _integer(data, place, place + 4)
            place += 4
            starts[column, row] = place
            lengths[column, row] = length
            if length < 0:
                values[column, row] = 0
                continue
            if place + length > len(data) or (length > 8 and not is_text[column]):
                return -1
            if is_text[column]:
                values[column, row] = _hash(data, place, place + length)
            elif length > 0:
                values[column, row] = _integer(data, place, place + length)
            place += length
    return capacity


@compiled
def are_alike(data: Any, starts: Any, lengths: Any, codes: Any, first: Any) -> bool:
    """Whether each text (rows,) has the bytes of the ``first`` row of its code; code -1 is not looked at."""
    for row in range(len(codes)):
        if codes[row] < 0:
            continue
        other = first[codes[row]]
        if lengths[row] != lengths[other]:
            return False
        for i in range(lengths[row]):
            if data[starts[row] + i] != data[starts[other] + i]:
                return False
    return True


def warm_up() -> None:
    """Compile all loops by calling them."""
    data = np.frombuffer(b"\x00\x01\x00\x00\x00\x01a", dtype=np.uint8)
    values, starts = np.zeros((1, 1), dtype=np.int64), np.zeros((1, 1), dtype=np.int64)
    lengths = np.zeros((1, 1), dtype=np.int64)
    split_rows(data, 0, np.ones(1, dtype=np.bool_), values, starts, lengths)
    none = np.zeros(1, dtype=np.int64)
    are_alike(data, starts[0], lengths[0], none, none)
