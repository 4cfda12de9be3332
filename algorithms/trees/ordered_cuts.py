"""The best line through each number, or between the values of an ordered list, by chi-square."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.data import Dataset
from algorithms.trees.chi_square import log_p_value
from algorithms.trees.judging import LOG_10
from algorithms.trees.prepared import SORTED_ORDERS, Words

KERNELS: Final = ("algorithms.trees.sorting_kernels", "algorithms.trees.chi_square_kernels")

_AT_A_TIME: Final = 1 << 21
"""So many values are looked at between two looks at whether to stop."""


@dataclass(frozen=True, eq=False)
class InOrder:
    """Some of the N records of ``data`` in the order of the predictors at ``places`` (a,) of its schema.

    ``words`` (a, n) are ``rank << 32 | record``, see :class:`~algorithms.trees.prepared.SortedOrders`; ``classes`` (N,)
    and ``weights`` (N,) are of the records of these numbers.
    """

    data: Dataset
    places: tuple[int, ...]
    words: Words
    classes: IntArray
    weights: FloatArray

    @classmethod
    def of(cls, data: Dataset, places: tuple[int, ...], checkpoint: Callable[[], None]) -> InOrder:
        """All records of the data."""
        words = np.zeros((0, len(data)), dtype=np.uint64)
        if places:
            words = data.derived(SORTED_ORDERS, checkpoint).words[list(places)]
        return cls(data, places, words, data.class_codes.astype(np.int64), data.weight_array)

    def part(self, is_chosen: NDArray[np.bool_], n: int, weights: FloatArray) -> InOrder:
        """The n of them that are chosen (N,), with other ``weights`` (N,)."""
        from algorithms.trees.chi_square_kernels import words_of

        part = np.empty((len(self.words), n), dtype=np.uint64)
        words_of(self.words, is_chosen, part)
        return replace(self, words=part, weights=weights)


@dataclass(frozen=True, eq=False)
class BestCuts:
    """The best cut of each of a predictors: its ``statistic`` (a,), NaN without an allowed cut, the degrees of
    ``freedom``, the logarithms of its chance and of the cuts there were, and the records ``between`` (a, 2) which it
    lies."""

    statistic: FloatArray
    freedom: FloatArray
    log_p: FloatArray
    log_ways: FloatArray
    between: IntArray

    @property
    def worths(self) -> FloatArray:
        """What each is compared by, as :meth:`~algorithms.trees.judging.Judged.value`; NaN where there is no cut."""
        return np.asarray(-(self.log_p + self.log_ways) / LOG_10)


def best_cuts(records: InOrder, min_leaf: float, tenth: bool, checkpoint: Callable[[], None]) -> BestCuts:
    """The best cuts whose sides weigh ``min_leaf`` and, where ``tenth``, as much as C4.5 asks of numbers."""
    from algorithms.trees import chi_square_kernels as kernels

    a = len(records.places)
    found, between = np.empty((a, 3)), np.zeros((a, 2), dtype=np.int64)
    step = max(1, _AT_A_TIME // max(1, records.words.shape[1]))
    for first in range(0, a, step):
        checkpoint()
        some = slice(first, first + step)
        kernels.best_cuts(
            records.words[some],
            records.classes,
            records.weights,
            len(records.data.schema.classes),
            min_leaf,
            tenth,
            found[some],
            between[some],
        )
    statistic, freedom, n_cuts = found.T
    none = np.isnan(statistic)
    log_p = np.where(none, np.nan, log_p_value(np.where(none, 0.0, statistic), freedom))
    return BestCuts(statistic, freedom, log_p, np.log(np.maximum(n_cuts, 1.0)), between)
