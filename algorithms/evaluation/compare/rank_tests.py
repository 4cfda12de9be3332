"""Tests of several learners by their places over the same data sets or folds (Demsar 2006, section 3.2).

p-values are two-sided; 1 is the best place, equals share theirs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from algorithms.data.columns import FloatArray
from algorithms.evaluation.compare.significance_tests import SignificanceTest

_NO_DIFFERENCE: Final = 1e-12


def mean_ranks(scores: ArrayLike) -> FloatArray:
    """Mean rank (k,) of each of k learners over n rows of ``scores`` (n, k): 1 is best, equals share their ranks."""
    from scipy.stats import rankdata

    ranks: FloatArray = rankdata(-np.asarray(scores, dtype=np.float64).round(12), axis=1).mean(axis=0)
    return ranks


def friedman_statistic(ranks: ArrayLike, n: int) -> float:
    """12 n / (k (k + 1)) (sum of the squared mean ranks - k (k + 1)^2 / 4) (Friedman 1937; Demsar 2006, 3.2.2)."""
    values = np.asarray(ranks, dtype=np.float64)
    k = len(values)
    return 12 * n / (k * (k + 1)) * (float((values**2).sum()) - k * (k + 1) ** 2 / 4)


def friedman(scores: ArrayLike) -> SignificanceTest:
    """Whether k learners (three or more) have one mean rank over n rows of ``scores`` (n, k); corrected for ties."""
    from scipy.special import chdtrc
    from scipy.stats import rankdata

    values = np.asarray(scores, dtype=np.float64).round(12)
    n, k = values.shape
    ties = sum(
        float((counts**3 - counts).sum()) for counts in (np.unique(row, return_counts=True)[1] for row in values)
    )
    correction = 1 - ties / (n * (k**3 - k))
    if correction < _NO_DIFFERENCE:
        return SignificanceTest("Friedman", "χ²", None, 1.0, "Friedman 1937", "All are equal everywhere.")
    ranks = rankdata(-values, axis=1).mean(axis=0)
    statistic = max(0.0, friedman_statistic(ranks, n) / correction)
    return SignificanceTest("Friedman", "χ²", statistic, float(chdtrc(k - 1, statistic)), "Friedman 1937")


def iman_davenport(chi_square: float, n: int, k: int) -> SignificanceTest:
    """(n - 1) chi2 / (n (k - 1) - chi2), F with k - 1 and (k - 1)(n - 1) degrees of freedom (Iman, Davenport 1980).

    Where every row has the same order F is infinite: the chance is that of n - 1 rows with the order of the first.
    """
    from scipy.special import fdtrc

    left = n * (k - 1) - chi_square
    if left < _NO_DIFFERENCE:  # every row ranks them alike
        return SignificanceTest(
            "Iman-Davenport", "F", None, float(math.factorial(k)) ** (1 - n), "Iman and Davenport 1980"
        )
    statistic = (n - 1) * chi_square / left
    p = float(fdtrc(k - 1, (k - 1) * (n - 1), statistic)) if n > 1 else 1.0
    return SignificanceTest("Iman-Davenport", "F", statistic, p, "Iman and Davenport 1980")


def critical_difference(k: int, n: int, alpha: float = 0.05) -> float:
    """Nemenyi: mean ranks of k learners over n rows that lie further apart differ: q sqrt(k (k + 1) / (6 n)).

    q is the quantile of the studentised range with infinite degrees of freedom over sqrt 2 (Demsar 2006, 3.2.2).
    """
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - alpha, k, np.inf)) / math.sqrt(2)
    return q * standard_error(k, n)


def standard_error(k: int, n: int) -> float:
    """Of the difference of two mean ranks of k learners over n rows: sqrt(k (k + 1) / (6 n))."""
    return math.sqrt(k * (k + 1) / (6 * n))


def nemenyi(ranks: ArrayLike, n: int) -> FloatArray:
    """p-values (k, k) of all pairs, corrected for their number: by the studentised range (Nemenyi 1963)."""
    from scipy.stats import studentized_range

    values = np.asarray(ranks, dtype=np.float64)
    k = len(values)
    apart = np.abs(values[:, None] - values[None, :]) / standard_error(k, n)
    found = np.ones((k, k))
    upper = np.triu_indices(k, 1)
    found[upper] = studentized_range.sf(apart[upper] * math.sqrt(2), k, np.inf)
    found.T[upper] = found[upper]
    return found


def against_one(ranks: ArrayLike, n: int, control: int) -> list[float]:
    """p-values of each other learner against ``control``, uncorrected: the difference as a normal number (Demsar
    2006, 3.2.2), in the order of the others."""
    from scipy.special import ndtr

    values = np.asarray(ranks, dtype=np.float64)
    error = standard_error(len(values), n)
    apart = np.abs(np.delete(values, control) - values[control]) / error
    return [2 * float(ndtr(-z)) for z in apart]


def bonferroni_dunn(k: int, n: int, alpha: float = 0.05) -> float:
    """Mean ranks that lie further than this from that of one learner differ from it (Dunn 1961; Demsar 2006, 3.2.2)."""
    from scipy.special import ndtri

    return -float(ndtri(alpha / (2 * (k - 1)))) * standard_error(k, n)


def cliques(ranks: Sequence[float], critical: float) -> list[tuple[int, int]]:
    """The bars of a critical-difference diagram over ascending ``ranks``: first and last of those not told apart.

    None lies within another, and none holds one alone.
    """
    found: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = max(at for at in range(first, len(ranks)) if ranks[at] - ranks[first] <= critical + _NO_DIFFERENCE)
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found
