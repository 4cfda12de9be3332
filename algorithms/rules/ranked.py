"""The records as ranks: what the compiled loops of rule learners look at in place of values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.data import Dataset
from algorithms.core.rule_set import Condition, Int32Array
from algorithms.core.schema import Kind
from algorithms.trees.prepared import SORTED_ORDERS

Words = NDArray[np.uint64]
Ranks = NDArray[np.uint32]

LAST_RANK = 0xFFFFFFFE
"""No known value has a higher rank; that of a missing value is one more."""


@dataclass(frozen=True, eq=False)
class Ranked:
    """The d predictors of n records as ranks: equal values have equal ranks, and a code is its own rank.

    ``words`` (d, n) are the records in the order of each predictor (:mod:`algorithms.trees.sorting_kernels`), of which
    the first ``known`` (d,) have a value; ``ranks`` (d, n) is each record's. ``is_listed`` (d,) marks nominal
    predictors, whose values have no order. ``weights`` is empty where each record weighs one.
    """

    data: Dataset
    predictors: tuple[int, ...]
    words: Words
    known: IntArray
    ranks: Ranks
    is_listed: NDArray[np.bool_]
    codes: Int32Array
    weights: FloatArray

    @classmethod
    def of(cls, data: Dataset, checkpoint: Callable[[], None]) -> Ranked:
        """Data whose records all have a class."""
        orders = data.derived(SORTED_ORDERS, checkpoint)
        predictors = data.schema.predictors
        ranks = np.empty(orders.words.shape, dtype=np.uint32)
        for place in range(len(predictors)):
            checkpoint()
            record, rank = orders.words[place].astype("<u8", copy=False).view("<u4").reshape(-1, 2).T
            ranks[place, record] = rank
        return cls(
            data,
            predictors,
            orders.words,
            (len(data) - orders.n_missing).astype(np.int64),
            ranks,
            np.array([data.schema.attributes[i].kind is Kind.NOMINAL for i in predictors], dtype=np.bool_),
            np.array(data.class_codes, dtype=np.int32),
            np.zeros(0) if data.weights is None else np.array(data.weights, dtype=np.float64),
        )

    @property
    def n_records(self) -> int:
        return len(self.codes)

    def weight_of(self, rows: NDArray[np.signedinteger]) -> float:
        """The summed weight of some records."""
        return float(len(rows)) if len(self.weights) == 0 else float(self.weights[rows].sum())

    def n_distinct(self, place: int) -> int:
        """How many different known values a predictor has."""
        ranks = self.words[place, : int(self.known[place])] >> np.uint64(32)
        return int(np.count_nonzero(ranks[1:] != ranks[:-1])) + int(len(ranks) > 0)

    def record_of(self, place: int, rank: int) -> int:
        """A record with a value of this rank, or else of the next higher one."""
        words = self.words[place]
        at = int(np.searchsorted(words, np.uint64(rank << 32)))
        return int(words[min(at, int(self.known[place]) - 1)]) & 0xFFFFFFFF

    def value(self, place: int, rank: int) -> float:
        """The number that has this rank."""
        return float(self.data.column(self.predictors[place])[self.record_of(place, rank)])

    def condition(self, place: int, low: int, high: int) -> Condition:
        """The condition that a predictor's rank is at least ``low`` (0: no bound) and at most ``high``
        (:data:`LAST_RANK` and more: no bound)."""
        index = self.predictors[place]
        attribute = self.data.schema.attributes[index]
        if attribute.kind.is_coded:
            last = min(high, len(attribute.values) - 1)
            return Condition(index, values=tuple(range(low, last + 1)))
        first = -np.inf if low <= 0 else self.value(place, low)
        return Condition(index, first, np.inf if high >= LAST_RANK else self.value(place, high))
