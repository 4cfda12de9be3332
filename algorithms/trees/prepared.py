"""What growing a tree needs of the data, whatever its class and weights: the order of the records by each predictor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import Column, IntArray
from algorithms.core.data import Dataset
from algorithms.core.derivation import Derivation
from algorithms.core.schema import Attribute

Words = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class SortedOrders:
    """The records in the order of each predictor.

    ``words`` (d, n) holds ``rank << 32 | record`` for the d predictors of the schema in turn, as
    :mod:`algorithms.trees.sorting_kernels` says. ``largest_rank`` (d,) bounds the ranks of the known values,
    ``n_missing`` (d,) counts the records at each end whose value is missing.
    """

    words: Words
    largest_rank: IntArray
    n_missing: IntArray

    @property
    def has_missing(self) -> bool:
        return bool(self.n_missing.any())

    def records(self, predictor: int) -> IntArray:
        """The records whose value is known, in the order of the predictor at this place."""
        row = self.words[predictor, : self.words.shape[1] - int(self.n_missing[predictor])]
        return (row & np.uint64(0xFFFFFFFF)).astype(np.int64)


def _computed(data: Dataset, checkpoint: Callable[[], None]) -> SortedOrders:
    predictors = data.schema.predictors
    words = np.empty((len(predictors), len(data)), dtype=np.uint64)
    room = _Room(len(data))
    for place, index in enumerate(predictors):
        checkpoint()
        _fill(data.schema.attributes[index], data.column(index), words[place], room)
    return _described(words)


class _Room:
    """Working arrays of the sort, used for one attribute after the other."""

    def __init__(self, n: int) -> None:
        self.keys, self.other_keys = np.empty(n, np.uint64), np.empty(n, np.uint64)
        self.records, self.other_records = np.empty(n, np.uint32), np.empty(n, np.uint32)


def _fill(attribute: Attribute, column: Column, words: Words, room: _Room) -> None:
    from algorithms.trees import sorting_kernels as kernels

    if attribute.kind.is_coded:
        kernels.code_words(np.ascontiguousarray(column, dtype=np.int32).copy(), len(attribute.values), words)
        return
    numbers = np.ascontiguousarray(column, dtype=np.float64).view()
    numbers.flags.writeable = False
    known = int(kernels.number_keys(numbers, room.keys, room.records))
    keys, other = room.keys[:known], room.other_keys[:known]
    if kernels.radix_sort(keys, room.records[:known], other, room.other_records[:known]) == 1:
        keys = other
        room.records[:known] = room.other_records[:known]
    kernels.rank_words(keys, room.records, known, words)


def _described(words: Words) -> SortedOrders:
    d, n = words.shape
    largest, missing = np.zeros(d, dtype=np.int64), np.zeros(d, dtype=np.int64)
    for place in range(d):
        known = int(np.searchsorted(words[place], np.uint64(0xFFFFFFFF << 32)))
        missing[place] = n - known
        largest[place] = int(words[place, known - 1]) >> 32 if known else 0
    return SortedOrders(words, largest, missing)


def _taken(orders: SortedOrders, parent: Dataset, rows: IntArray) -> SortedOrders:
    from algorithms.trees import sorting_kernels as kernels

    counts = np.bincount(rows, minlength=len(parent)) if len(rows) else np.zeros(len(parent), dtype=np.int64)
    first = np.zeros(len(parent) + 1, dtype=np.int64)
    np.cumsum(counts, out=first[1:])
    chosen = np.argsort(rows, kind="stable").astype(np.int64, copy=False)
    words = np.empty((len(orders.words), len(rows)), dtype=np.uint64)
    for place in range(len(words)):
        kernels.chosen_words(orders.words[place], first, chosen, words[place])
    return _described(words)


SORTED_ORDERS = Derivation[SortedOrders]("sorted orders", _computed, _taken)
"""The sorted orders of a data set; those of a choice of its rows follow in one pass without sorting."""
