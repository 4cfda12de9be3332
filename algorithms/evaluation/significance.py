"""Statistical tests of two or more learners, from plain numbers: each with its statistic, its chance and its source.

p-values are two-sided. Whatever needs ``scipy.stats`` imports it late: that takes half a second.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from algorithms.core.columns import FloatArray

_NO_DIFFERENCE: Final = 1e-12
"""Differences smaller than this are rounding."""
MOST_EXACT: Final = 50
"""So many signed ranks are counted out exactly; of more the normal approximation is as good."""


@dataclass(frozen=True)
class Outcome:
    """What a test found: its name, its statistic, and the chance of one as large without any difference.

    ``p_value`` is None where the test cannot say anything. ``caution`` is what makes it doubtful.
    """

    name: str
    symbol: str
    statistic: float | None
    p_value: float | None
    source: str
    caution: str = ""


# ---- two on the same records -----------------------------------------------------------------------------------------


def mcnemar_exact(only_first: int, only_second: int) -> Outcome:
    """Records that only one of two gets right, under even chances (McNemar 1947, the exact binomial test)."""
    from scipy.special import bdtr

    n = only_first + only_second
    p = min(1.0, 2 * float(bdtr(min(only_first, only_second), n, 0.5))) if n else 1.0
    return Outcome("McNemar, exact", "n", float(min(only_first, only_second)), p, "McNemar 1947")


def mcnemar_corrected(only_first: int, only_second: int) -> Outcome:
    """(|n1 - n2| - 1)^2 / (n1 + n2), chi-square with one degree of freedom (Edwards 1948; Dietterich 1998, Eq. 3)."""
    from scipy.special import chdtrc

    n = only_first + only_second
    statistic = max(0, abs(only_first - only_second) - 1) ** 2 / n if n else 0.0
    few = "Made for 25 or more records that differ; the exact test counts." if n < 25 else ""
    return Outcome(
        "McNemar, with correction", "χ²", statistic, float(chdtrc(1, statistic)), "McNemar 1947, Edwards 1948", few
    )


# ---- two on the same parts -------------------------------------------------------------------------------------------


def five_by_two_t(differences: ArrayLike) -> Outcome:
    """Dietterich's 5x2cv t (1998): the first difference over the root mean variance of the repeats; t with 5.

    ``differences`` (5, 2) of five repeats of two folds.
    """
    from scipy.special import stdtr

    values = _five_by_two(differences)
    spread = math.sqrt(float(_variances(values).mean()))
    if spread < _NO_DIFFERENCE:
        return Outcome("5x2cv t", "t", None, None, "Dietterich 1998", "The folds of no repeat differ.")
    t = float(values[0, 0]) / spread
    return Outcome("5x2cv t", "t", t, 2 * float(stdtr(5, -abs(t))), "Dietterich 1998")


def five_by_two_f(differences: ArrayLike) -> Outcome:
    """Alpaydin's combined 5x2cv F (1999): sum of the squared differences over twice that of the variances, F(10, 5)."""
    from scipy.special import fdtrc

    values = _five_by_two(differences)
    spread = float(_variances(values).sum())
    if spread < _NO_DIFFERENCE:
        return Outcome("5x2cv F", "F", None, None, "Alpaydin 1999", "The folds of no repeat differ.")
    f = float((values**2).sum()) / (2 * spread)
    return Outcome("5x2cv F", "F", f, float(fdtrc(10, 5, f)), "Alpaydin 1999")


def _five_by_two(differences: ArrayLike) -> FloatArray:
    values = np.asarray(differences, dtype=np.float64)
    if values.shape != (5, 2):
        raise ValueError("five repeats of two folds are needed")
    return values


def _variances(values: FloatArray) -> FloatArray:
    """(p1 - mean)^2 + (p2 - mean)^2 of each repeat."""
    found: FloatArray = ((values - values.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return found


@dataclass(frozen=True)
class SignedRanks:
    """Sums of the ranks of the differences for and against the first; those of no difference are shared evenly."""

    plus: float
    minus: float
    n: int

    @classmethod
    def of(cls, differences: ArrayLike) -> SignedRanks:
        """Equal distances share their mean rank; differences of 0 are split between both (Demsar 2006, 3.1.3)."""
        from scipy.stats import rankdata

        values = np.asarray(differences, dtype=np.float64)
        values = np.where(np.abs(values) < _NO_DIFFERENCE, 0.0, values).round(12)
        ranks = rankdata(np.abs(values))
        even = float(ranks[values == 0].sum()) / 2
        return cls(float(ranks[values > 0].sum()) + even, float(ranks[values < 0].sum()) + even, len(values))

    @property
    def z(self) -> float:
        """The smaller sum as a standard normal number (Demsar 2006, 3.1.3)."""
        n = self.n
        return (min(self.plus, self.minus) - n * (n + 1) / 4) / math.sqrt(n * (n + 1) * (2 * n + 1) / 24)


def wilcoxon(differences: ArrayLike) -> Outcome:
    """Wilcoxon's signed-rank test (1945): exact where no distances are equal and few, else the normal approximation."""
    from scipy import stats
    from scipy.special import ndtr

    values = np.asarray(differences, dtype=np.float64)
    values = np.where(np.abs(values) < _NO_DIFFERENCE, 0.0, values).round(12)
    known = values[values != 0]
    if not len(known):
        return Outcome("Wilcoxon signed rank", "T", None, 1.0, "Wilcoxon 1945", "No part differs.")
    n, ranks = len(known), stats.rankdata(np.abs(known))
    smaller = min(float(ranks[known > 0].sum()), float(ranks[known < 0].sum()))
    counts = np.unique(np.abs(known), return_counts=True)[1]
    if n <= MOST_EXACT and len(counts) == n:
        p = float(stats.wilcoxon(known, method="exact").pvalue)
    else:
        variance = n * (n + 1) * (2 * n + 1) / 24 - float((counts**3 - counts).sum()) / 48
        p = min(1.0, 2 * float(ndtr((smaller - n * (n + 1) / 4) / math.sqrt(variance))))
    few = "Fewer than 6 parts that differ can never be significant." if n < 6 else ""
    return Outcome("Wilcoxon signed rank", "T", smaller, p, "Wilcoxon 1945", few)


@dataclass(frozen=True)
class Belief:
    """How probable it is that the first is better, that both are practically the same, that the second is better."""

    first: float
    same: float
    second: float
    rope: float


def bayesian_correlated_t(differences: ArrayLike, test_share: float, rope: float = 0.01) -> Belief:
    """The posterior of the mean difference of accuracy, and what lies on either side of +-``rope`` and within.

    A Student distribution of k - 1 degrees of freedom about the mean with variance (1/k + r / (1 - r)) s^2, r the
    correlation of overlapping training parts: r / (1 - r) is tested / training records, ``test_share`` (Corani and
    Benavoli 2015, A Bayesian approach for comparing cross-validated algorithms, Eq. 8). Needs two differences.
    """
    from scipy.special import stdtr

    values = np.asarray(differences, dtype=np.float64)
    k, mean = len(values), float(values.mean())
    scale = math.sqrt((1 / k + test_share) * float(values.var(ddof=1)))
    if scale < _NO_DIFFERENCE:
        return Belief(float(mean > rope), float(abs(mean) <= rope), float(mean < -rope), rope)
    below, under = (float(stdtr(k - 1, (edge - mean) / scale)) for edge in (-rope, rope))
    return Belief(1 - under, under - below, below, rope)


# ---- several ---------------------------------------------------------------------------------------------------------


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


def friedman(scores: ArrayLike) -> Outcome:
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
        return Outcome("Friedman", "χ²", None, 1.0, "Friedman 1937", "All are equal everywhere.")
    ranks = rankdata(-values, axis=1).mean(axis=0)
    statistic = max(0.0, friedman_statistic(ranks, n) / correction)
    return Outcome("Friedman", "χ²", statistic, float(chdtrc(k - 1, statistic)), "Friedman 1937")


def iman_davenport(chi_square: float, n: int, k: int) -> Outcome:
    """(n - 1) chi2 / (n (k - 1) - chi2), F with k - 1 and (k - 1)(n - 1) degrees of freedom (Iman, Davenport 1980)."""
    from scipy.special import fdtrc

    left = n * (k - 1) - chi_square
    if left < _NO_DIFFERENCE:  # every row ranks them alike
        return Outcome("Iman-Davenport", "F", None, 0.0, "Iman and Davenport 1980")
    statistic = (n - 1) * chi_square / left
    p = float(fdtrc(k - 1, (k - 1) * (n - 1), statistic)) if n > 1 else 1.0
    return Outcome("Iman-Davenport", "F", statistic, p, "Iman and Davenport 1980")


def critical_difference(k: int, n: int, alpha: float = 0.05) -> float:
    """Nemenyi: mean ranks of k learners over n rows that lie further apart differ: q sqrt(k (k + 1) / (6 n)).

    q is the quantile of the studentised range with infinite degrees of freedom over sqrt 2 (Demsar 2006, 3.2.2).
    """
    from scipy.stats import studentized_range

    q = float(studentized_range.ppf(1 - alpha, k, np.inf)) / math.sqrt(2)
    return q * math.sqrt(k * (k + 1) / (6 * n))


# ---- many comparisons ------------------------------------------------------------------------------------------------


def bonferroni(p_values: Sequence[float]) -> list[float]:
    """Each p-value times their number, 1 at most (Dunn 1961)."""
    return [min(1.0, p * len(p_values)) for p in p_values]


def holm(p_values: Sequence[float]) -> list[float]:
    """Step-down: the smallest times their number m, the next times m - 1 and so on, never falling (Holm 1979)."""
    m, largest = len(p_values), 0.0
    found = [0.0] * m
    for step, at in enumerate(sorted(range(m), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, p_values[at] * (m - step)))
        found[at] = largest
    return found
