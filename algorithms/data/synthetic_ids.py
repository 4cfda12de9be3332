"""Ids of synthetic records: negative numbers that encode the two parents, so that tests inside training omit them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset, Derivation

_RECORD_BITS: Final = 26
_SERIAL_BITS: Final = 63 - 2 * _RECORD_BITS
_MOST: Final = (1 << _RECORD_BITS) - 1
"""Ids below this can be encoded; they are stored plus 1, and 0 stands for an unknown parent.

A larger id, or a file of an earlier version (which numbered synthetic records), also decodes to unknown parents.
"""


def ids_between(one: IntArray, other: IntArray) -> IntArray:
    """Ids (n,) of synthetic records, each generated between the records with ids ``one`` and ``other`` (n,).

    A synthetic parent is replaced by its own first parent. Records of the same pair are numbered; the numbers repeat
    after 2,048.
    """
    first, second = _first_known(one), _first_known(other)
    pair = (first << _RECORD_BITS) | second
    order = np.argsort(pair, kind="stable")
    begins = np.flatnonzero(np.diff(pair[order], prepend=-1))
    serial = np.empty(len(pair), dtype=np.int64)
    serial[order] = np.arange(len(pair)) - np.repeat(begins, np.diff(begins, append=len(pair)))
    return np.asarray(-1 - ((pair << _SERIAL_BITS) | (serial % (1 << _SERIAL_BITS))), dtype=np.int64)


def parents_of(ids: IntArray) -> tuple[IntArray, IntArray]:
    """The ids of the two parents of each synthetic record (n,); -1 if unknown. All ``ids`` must be negative."""
    pair = (-1 - ids) >> _SERIAL_BITS
    first, second = pair >> _RECORD_BITS, pair & _MOST
    return first - 1, np.where(first == 0, -1, second - 1)


def kin_of(data: Dataset, tested: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mask (n,) of the synthetic records generated from a record in the mask ``tested`` (n,)."""
    is_kin = np.zeros(len(data), dtype=np.bool_)
    rows = np.flatnonzero(data.row_ids < 0)
    if len(rows):
        first, second = parents_of(data.row_ids[rows])
        ids = data.row_ids[tested]
        is_kin[rows] = np.isin(first, ids) | np.isin(second, ids)
    return is_kin


def _sorted_ids(data: Dataset, _checkpoint: Callable[[], None]) -> tuple[IntArray, IntArray]:
    order = np.argsort(data.row_ids, kind="stable")
    return data.row_ids[order], order


_SORTED_IDS: Final = Derivation("sorted ids", _sorted_ids)


def before_recipe(data: Dataset, columns: Iterable[str] = ()) -> Dataset:
    """The same records (n,) as they were before a recipe changed them; ``data`` itself without a recipe.

    Those of ``columns`` that only the recipe makes are added. A synthetic record stands as its first parent; without a
    known parent all its cells are missing.
    """
    raw = _raw_records(data)
    for name in columns:
        index = data.schema.index_of(name) if name in data.schema else None
        if name not in raw.schema and index not in (None, data.schema.class_index):
            raw = raw.with_new_column(data.schema.attributes[index], data.column(index))
    return raw


def _raw_records(data: Dataset) -> Dataset:
    source = data.raw_records
    if source is data:
        return data
    wanted = np.array(data.row_ids)
    if np.array_equal(wanted, source.row_ids):
        return source
    rows = np.flatnonzero(wanted < 0)
    wanted[rows] = parents_of(wanted[rows])[0]
    ids, order = source.derived(_SORTED_IDS)
    places = np.searchsorted(ids, wanted).clip(max=max(0, len(ids) - 1))
    is_known = ids[places] == wanted if len(ids) else np.zeros(len(wanted), dtype=np.bool_)
    if is_known.all():
        return source.take(order[places])
    positions = np.full(len(wanted), len(source))
    positions[is_known] = order[places[is_known]]
    return source.with_new_rows().take(positions)


def said_id(row_id: int) -> str:
    """The name of a record: "record 12", or a phrase with its parents if it is synthetic."""
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
