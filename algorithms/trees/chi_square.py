"""Chi-square tests of contingency tables and the Bonferroni multipliers of Kass's CHAID.

Tables are (..., r, k): a row a category, a column a class. Source: Kass, An exploratory technique for investigating
large quantities of categorical data, Applied Statistics 29 (1980), section 3; Biggs, de Ville and Suen (1991) for the
exhaustive way; IBM SPSS Statistics Algorithms, "CHAID".
"""

from __future__ import annotations

from math import comb, exp, factorial, lgamma, log
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from algorithms.core.columns import FloatArray

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
