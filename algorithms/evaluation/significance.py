"""Statistical tests of two learners, from plain numbers: each with its statistic, its chance and its source.

p-values are two-sided. Whatever needs ``scipy.stats`` imports it late: that takes half a second.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from algorithms.core.columns import FloatArray

_NO_DIFFERENCE: Final = 1e-12
"""Differences smaller than this are rounding."""
MOST_EXACT: Final = 50
"""So many signed ranks are counted out exactly, equal ones too; of more the normal approximation is as good."""


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


def mcnemar_exact(only_first: float, only_second: float) -> Outcome:
    """Records that only one of two gets right, under even chances (McNemar 1947, the exact binomial test).

    Numbers that are not whole, as weighted records make them, count by the incomplete beta function.
    """
    from scipy.special import betainc

    n, fewer = only_first + only_second, min(only_first, only_second)
    p = min(1.0, 2 * float(betainc(n - fewer, fewer + 1, 0.5))) if n else 1.0
    return Outcome("McNemar, exact", "n", float(fewer), p, "McNemar 1947")


def mcnemar_corrected(only_first: float, only_second: float) -> Outcome:
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
    """Wilcoxon's signed-rank test (1945): exact for few, else by the normal approximation.

    Differences of 0 are left out, equal distances share their mean rank.
    """
    from scipy.special import ndtr
    from scipy.stats import rankdata

    values = np.asarray(differences, dtype=np.float64)
    values = np.where(np.abs(values) < _NO_DIFFERENCE, 0.0, values).round(12)
    known = values[values != 0]
    if not len(known):
        return Outcome("Wilcoxon signed rank", "T", None, 1.0, "Wilcoxon 1945", "No part differs.")
    n, ranks = len(known), rankdata(np.abs(known))
    smaller = min(float(ranks[known > 0].sum()), float(ranks[known < 0].sum()))
    if n <= MOST_EXACT:
        p = min(1.0, 2 * _share_of_signs(ranks, smaller))
    else:
        counts = np.unique(np.abs(known), return_counts=True)[1]
        variance = n * (n + 1) * (2 * n + 1) / 24 - float((counts**3 - counts).sum()) / 48
        p = min(1.0, 2 * float(ndtr((smaller - n * (n + 1) / 4) / math.sqrt(variance))))
    few = "Fewer than 6 parts that differ can never be significant." if n < 6 else ""
    return Outcome("Wilcoxon signed rank", "T", smaller, p, "Wilcoxon 1945", few)


def _share_of_signs(ranks: FloatArray, smaller: float) -> float:
    """The share of the 2^n ways to give the ranks signs in which those of one sign sum to ``smaller`` at most.

    Mean ranks are halves, so that twice the sums are whole numbers; these are counted rank by rank (Streitberg and
    Roehmel 1986).
    """
    doubled = np.rint(2 * ranks).astype(np.int64)
    shares = np.zeros(int(doubled.sum()) + 1)
    shares[0] = 1.0
    for rank in doubled.tolist():
        added = np.zeros_like(shares)
        added[rank:] = shares[: len(shares) - rank]
        shares = (shares + added) / 2
    return float(shares[: round(2 * smaller) + 1].sum())
