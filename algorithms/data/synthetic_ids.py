"""Ids of synthetic records: negative numbers that name the two records they were made from.

So whoever tests inside the training part can leave out what was made from the records that it tests.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset

_RECORD_BITS: Final = 26
_SERIAL_BITS: Final = 63 - 2 * _RECORD_BITS
_MOST: Final = (1 << _RECORD_BITS) - 1
"""Ids are written down one larger. Where the first is 0, as where it is too large for that, neither is known:
nothing is taken for their kin. So it is in files of earlier versions, which numbered what they made up."""


def ids_between(one: IntArray, other: IntArray) -> IntArray:
    """Ids (n,) of records made up between those of these ids (n,).

    Of a parent that was itself made up its first one counts. Records between the same two are numbered; the numbers
    come again after 2,048 of them.
    """
    first, second = _first_known(one), _first_known(other)
    pair = (first << _RECORD_BITS) | second
    order = np.argsort(pair, kind="stable")
    begins = np.flatnonzero(np.diff(pair[order], prepend=-1))
    serial = np.empty(len(pair), dtype=np.int64)
    serial[order] = np.arange(len(pair)) - np.repeat(begins, np.diff(begins, append=len(pair)))
    return np.asarray(-1 - ((pair << _SERIAL_BITS) | (serial % (1 << _SERIAL_BITS))), dtype=np.int64)


def parents_of(ids: IntArray) -> tuple[IntArray, IntArray]:
    """The ids of the two records that each of these (n,), all below zero, was made up between; -1 where not known."""
    pair = (-1 - ids) >> _SERIAL_BITS
    first, second = pair >> _RECORD_BITS, pair & _MOST
    return first - 1, np.where(first == 0, -1, second - 1)


def kin_of(data: Dataset, tested: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mask of the records (n,) made from one of the ``tested`` ones (n,)."""
    is_kin = np.zeros(len(data), dtype=np.bool_)
    rows = np.flatnonzero(data.row_ids < 0)
    if len(rows):
        first, second = parents_of(data.row_ids[rows])
        ids = data.row_ids[tested]
        is_kin[rows] = np.isin(first, ids) | np.isin(second, ids)
    return is_kin


def said_id(row_id: int) -> str:
    """Name of a record: "record 12", or the two that it was made from."""
    if row_id >= 0:
        return f"record {row_id + 1:,}"
    first, second = (int(ids[0]) for ids in parents_of(np.array([row_id], dtype=np.int64)))
    if first < 0 or second < 0:
        return "a made-up record"
    if first == second:
        return f"a record made up from record {first + 1:,}"
    return f"a record made up between records {first + 1:,} and {second + 1:,}"


def _first_known(ids: IntArray) -> IntArray:
    first = np.array(ids, dtype=np.int64)
    is_synthetic = first < 0
    if is_synthetic.any():
        first[is_synthetic] = parents_of(first[is_synthetic])[0]
    return np.where((first < 0) | (first >= _MOST), 0, first + 1)
