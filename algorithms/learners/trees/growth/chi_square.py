"""Chi-square tests of contingency tables, Bonferroni multipliers, and the best cut of ordered values.

Tables are (..., r, k): a row a category, a column a class. Source: Kass, An exploratory technique for investigating
large quantities of categorical data, Applied Statistics 29 (1980), section 3; Biggs, de Ville and Suen (1991) for the
exhaustive way; IBM SPSS Statistics Algorithms, "CHAID".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import comb, exp, factorial, lgamma, log
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.growth.growing_tree import SORTED_ORDERS, Words
from algorithms.learners.trees.growth.split_evaluation import LOG_10

_EXACT: Final = 200
"""Up to so many categories the groupings are counted in whole numbers."""


def chi_square(table: ArrayLike) -> tuple[FloatArray, NDArray[np.int64]]:
    """Pearson's statistic and its degrees of freedom (...); empty rows and columns do not count."""
    counts = np.asarray(table, dtype=np.float64)
    rows, columns = counts.sum(axis=-1, keepdims=True), counts.sum(axis=-2, keepdims=True)
    total = rows.sum(axis=-2, keepdims=True)
    expected = np.divide(rows * columns, total, out=np.zeros_like(counts), where=total > 0)
    terms = np.divide(np.square(counts - expected), expected, out=np.zeros_like(counts), where=expected > 0)
    n_rows, n_columns = np.count_nonzero(rows, axis=(-2, -1)), np.count_nonzero(columns, axis=(-2, -1))
    freedom = np.maximum(n_rows - 1, 0) * np.maximum(n_columns - 1, 0)
    return np.asarray(terms.sum(axis=(-2, -1))), np.asarray(freedom)


def log_p_value(statistic: ArrayLike, freedom: ArrayLike) -> FloatArray:
    """Natural logarithm of the chance of so large a statistic, or larger, where nothing depends on anything.

    0 without a degree of freedom. Where the chance is too small for a float, the leading terms of its expansion.
    """
    from scipy import special  # late: listing learners does without

    x, df = np.broadcast_arrays(np.asarray(statistic, dtype=np.float64), np.asarray(freedom, dtype=np.float64))
    half, a = x / 2, np.maximum(df, 1.0) / 2
    chance = special.gammaincc(a, half)
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = -half + (a - 1) * np.log(half) - special.gammaln(a) + np.log1p((a - 1) / half)
        found = np.where(chance > 1e-290, np.log(chance), tail)
    return np.asarray(np.where(df > 0, np.minimum(found, 0.0), 0.0))


def log_groupings(n: int, groups: int, *, ordered: bool, floating: bool = False) -> float:
    """Natural logarithm of the number of ways in which n categories can form so many groups.

    Without an order (Kass, eq. 3.2): the Stirling number of the second kind. In their order, only neighbours together
    (eq. 3.1): (n-1 over r-1). With one of the n, the missing values, ``floating`` free of the order (eq. 3.3):
    (n-2 over r-2) + r (n-2 over r-1).
    """
    if not ordered:
        return log(_stirling(n, groups)) if n <= _EXACT else _log_stirling(n, groups)
    if not floating:
        return log(comb(n - 1, groups - 1))
    below = comb(n - 2, groups - 2) if groups >= 2 else 0
    return log(below + groups * comb(n - 2, groups - 1)) if n > 1 else 0.0


def log_comparisons(n: int, *, ordered: bool) -> float:
    """Natural logarithm of the number of pairs that are compared while n categories are merged to two groups.

    In order: the sum of i - 1 over i = 2..n, n (n - 1) / 2; without one: the sum of i (i - 1) / 2, n (n^2 - 1) / 6
    (Biggs, de Ville and Suen 1991; for the second SPSS takes three times as many).
    """
    return log(n * (n - 1) // 2 if ordered else n * (n * n - 1) // 6) if n > 1 else 0.0


def _stirling(n: int, groups: int) -> int:
    """The Stirling number of the second kind, exactly."""
    terms = [comb(groups, v) * pow(groups - v, n) * (1 if v % 2 == 0 else -1) for v in range(groups)]
    return int(sum(terms) // factorial(groups))


def _log_stirling(n: int, groups: int) -> float:
    """Its logarithm for many categories: the leading term r^n / r!, which the number is close below."""
    return min(n * log(groups) - lgamma(groups + 1), n * log(n))


def adjusted(log_p: float, log_multiplier: float) -> float:
    """The Bonferroni adjusted chance, at most 1; 0 where it is too small for a float."""
    return exp(min(log_p + log_multiplier, 0.0))


KERNELS: Final = (
    "algorithms.learners.trees.kernels.sorting_kernels",
    "algorithms.learners.trees.kernels.chi_square_kernels",
)

_AT_A_TIME: Final = 1 << 21
"""So many values are looked at between two looks at whether to stop."""


@dataclass(frozen=True, eq=False)
class SortedRecords:
    """Some of the N records of ``data`` in the order of the predictors at ``places`` (a,) of its schema.

    ``words`` (a, n) are ``rank << 32 | record``, see
    :class:`~algorithms.learners.trees.growth.growing_tree.SortedOrders`; ``classes`` (N,) and ``weights`` (N,) are of
    the records of these numbers.
    """

    data: Dataset
    places: tuple[int, ...]
    words: Words
    classes: IntArray
    weights: FloatArray

    @classmethod
    def of(cls, data: Dataset, places: tuple[int, ...], checkpoint: Callable[[], None]) -> SortedRecords:
        """All records of the data."""
        words = np.zeros((0, len(data)), dtype=np.uint64)
        if places:
            words = data.derived(SORTED_ORDERS, checkpoint).words[list(places)]
        return cls(data, places, words, data.class_codes.astype(np.int64), data.weight_array)

    def part(self, is_chosen: NDArray[np.bool_], n: int, weights: FloatArray) -> SortedRecords:
        """The n of them that are chosen (N,), with other ``weights`` (N,)."""
        from algorithms.learners.trees.kernels.chi_square_kernels import words_of

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
        """What each is compared by, as :meth:`~algorithms.learners.trees.growth.split_evaluation.EvaluatedSplit.value`;
        NaN where there is no cut."""
        return np.asarray(-(self.log_p + self.log_ways) / LOG_10)


def best_cuts(records: SortedRecords, min_leaf: float, tenth: bool, checkpoint: Callable[[], None]) -> BestCuts:
    """The best cuts whose sides weigh ``min_leaf`` and, where ``tenth``, as much as C4.5 asks of numbers."""
    from algorithms.learners.trees.kernels import chi_square_kernels as kernels

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
