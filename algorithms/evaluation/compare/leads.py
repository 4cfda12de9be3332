"""Leads of one learner over another: tests with correction, Bayesian comparison, the best of many.

The test is :func:`~algorithms.evaluation.compare.significance_tests.compared`. All pairs of learners that were tried
together form one family, since the same tests picked the best; p-values are corrected for all of them (Holm).
Differences within the region of practical equivalence (+- ``rope``) do not matter.
The best of many models looks better than it is, as the luckiest of fifty coin tossers does.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from algorithms.core.errors import DataError
from algorithms.data.columns import FloatArray, IntArray
from algorithms.evaluation.compare.significance_tests import (
    CORRECTIONS,
    LEAST_PARTS,
    FoldScores,
    PairedComparison,
    check_comparable,
    compared,
    paired_t,
)
from algorithms.text.numbers import p_words

ALPHA: Final = 0.05
NEGLIGIBLE: Final = 0.005
"""A lead that is surely smaller matters to nobody, however many records prove it."""


class LeadVerdict(Enum):
    """Verdict on a lead, in words."""

    REAL = "that is hardly chance"
    CHANCE = "that may be chance"
    NEGLIGIBLE = "too little to matter"


@dataclass(frozen=True, eq=False)
class PairedLead:
    """How far one of a pair is ahead of the other; ``paired`` is None where they were not judged on the same tests.

    ``p_value`` is that of the pair alone, ``corrected`` that for all ``n_pairs`` of its family.
    """

    paired: PairedComparison | None
    p_value: float
    corrected: float
    n_pairs: int = 1
    negligible: float = NEGLIGIBLE
    correction: str = "Holm"

    @property
    def verdict(self) -> LeadVerdict:
        if self.paired is not None and self.paired.interval[1] < self.negligible:
            return LeadVerdict.NEGLIGIBLE
        is_ahead = self.paired is None or self.paired.difference > 0
        return LeadVerdict.REAL if self.corrected < ALPHA and is_ahead else LeadVerdict.CHANCE

    def chance_words(self) -> str:
        """The verdict and what it goes by: "that may be chance (p = 0.130 corrected for 105 pairs by Holm, p = 0.009
        alone)"."""
        if self.n_pairs == 1:
            return f"{self.verdict.value} ({p_words(self.p_value)})"
        corrected = f"{p_words(self.corrected)} corrected for {self.n_pairs:,} pairs by {self.correction}"
        return f"{self.verdict.value} ({corrected}, {p_words(self.p_value)} alone)"


def n_pairs_of(n: int) -> int:
    """Number of pairs of n learners."""
    return n * (n - 1) // 2


def corrected_p(
    p_values: Sequence[float], rest: Sequence[float], n_pairs: int, correction: str = "holm"
) -> list[float]:
    """These p-values corrected for all ``n_pairs`` of a family; pairs missing from ``rest`` count as p = 1."""
    family = [*p_values, *rest]
    return CORRECTIONS[correction].corrected([*family, *[1.0] * (n_pairs - len(family))])[: len(p_values)]


def other_p_values(family: Sequence[FoldScores], tested: Collection[tuple[int, int]]) -> list[float]:
    """p-values of the pairs (i, j), i < j, of a family that are not ``tested`` before.

    Fold by fold where there are enough folds that all were tested on; else, record by record, those of the best of all
    with each other one. None where they were not judged on the same tests.
    """
    try:
        for one in family[1:]:
            check_comparable(family[0].result, one.result)
    except DataError:
        return []
    keys = family[0].keys
    for one in family[1:]:
        keys = np.intersect1d(keys, one.keys)
    if len(keys) < LEAST_PARTS:
        best = int(np.argmax([np.average(one.worth, weights=one.result.weight_array) for one in family]))
        pairs = {(min(best, other), max(best, other)) for other in range(len(family)) if other != best} - set(tested)
        return [compared(family[i], family[j]).p_value for i, j in sorted(pairs)]
    accuracy = [one.accuracy[np.searchsorted(one.keys, keys)] for one in family]
    share = float(np.mean([one.test_share for one in family]))
    return [
        paired_t((accuracy[i] - accuracy[j]).round(12), test_share=share).p_value
        for i, j in combinations(range(len(family)), 2)
        if (i, j) not in tested
    ]


_NO_DIFFERENCE: Final = 1e-12
PRIOR_STRENGTH: Final = 0.5
"""The weight of the one difference of 0 that is believed in before any is seen (Benavoli et al. 2017, section 4.2)."""
SAMPLES: Final = 50_000
_AT_ONCE: Final = 5_000


@dataclass(frozen=True)
class SuperiorityProbabilities:
    """How probable it is that the first is better, that both are practically the same, that the second is better."""

    first: float
    same: float
    second: float
    rope: float


def bayesian_correlated_t(differences: ArrayLike, test_share: float, rope: float = 0.01) -> SuperiorityProbabilities:
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
        return SuperiorityProbabilities(float(mean > rope), float(abs(mean) <= rope), float(mean < -rope), rope)
    below, under = (float(stdtr(k - 1, (edge - mean) / scale)) for edge in (-rope, rope))
    return SuperiorityProbabilities(1 - under, under - below, below, rope)


def bayesian_signed_rank(
    differences: ArrayLike,
    rope: float = 0.01,
    *,
    strength: float = PRIOR_STRENGTH,
    samples: int = SAMPLES,
    seed: int = 1,
) -> SuperiorityProbabilities:
    """The signed-rank test over several data sets, from the mean difference (n,) on each.

    A Dirichlet process stands for the distribution of the differences: its weights are drawn from Dirichlet(strength,
    1, ..., 1) over a difference of 0 and those seen, and the mean of two differences drawn by them lies above, within
    or below +-``rope`` with three probabilities. The belief in each is the share of draws in which it is the largest
    (Benavoli, Corani, Demsar and Zaffalon 2017, Time for a change, Eq. 8 and section 4.2). Draws with equal ones count
    in parts. Exact to about 0.002 with 50,000 draws.
    """
    seen = np.concatenate([[0.0], np.asarray(differences, dtype=np.float64).round(12)])
    sums = seen[:, None] + seen[None, :]
    above = (sums > 2 * rope + _NO_DIFFERENCE).astype(np.float64)
    below = (sums < -2 * rope - _NO_DIFFERENCE).astype(np.float64)
    random = np.random.default_rng(seed)
    weights_of = np.concatenate([[strength], np.ones(len(seen) - 1)])
    won = np.zeros(3)
    for start in range(0, samples, _AT_ONCE):
        weights = random.dirichlet(weights_of, min(_AT_ONCE, samples - start))
        first, second = ((weights @ region * weights).sum(axis=1) for region in (above, below))
        shares = np.column_stack([first, 1 - first - second, second]).round(12)
        largest = shares == shares.max(axis=1, keepdims=True)
        won += (largest / largest.sum(axis=1, keepdims=True)).sum(axis=0)
    first_wins, same, second_wins = (won / samples).tolist()
    return SuperiorityProbabilities(first_wins, same, second_wins, rope)


_REACH = 9.0
"""Standard deviations around the mean that hold all of a binomial distribution that matters."""


def chance_of_so_many(right: int, n: int, p: float) -> float:
    """The chance of ``right`` or more right ones among ``n`` where each is right with chance ``p``."""
    counts, shares = _binomial(n, p)
    return min(1.0, float(shares[counts >= right].sum()))


def chance_of_one_among(models: int, single: float) -> float:
    """Probability that at least one of so many independent models does what each does with chance ``single``."""
    return 1.0 if single >= 1 else -math.expm1(models * math.log1p(-single))


def best_by_chance(accuracy: float, n: int, models: int) -> float:
    """The accuracy that the best of so many seems to have on average on ``n`` records where all truly have this one.

    For models that err independently; those that err alike differ less. The mean of the largest of ``models``
    binomial numbers, over ``n``.
    """
    if n <= 0 or models <= 1:
        return accuracy
    counts, shares = _binomial(n, accuracy)
    below = np.minimum(1.0, np.cumsum(shares))
    return float(counts[-1] - (below[:-1] ** models).sum()) / n


def _binomial(n: int, p: float) -> tuple[IntArray, FloatArray]:
    """Counts around the mean and their shares of the binomial distribution; they sum to 1."""
    middle, reach = n * p, _REACH * math.sqrt(n * p * (1 - p)) + 20
    counts = np.arange(max(0, math.floor(middle - reach)), min(n, math.ceil(middle + reach)) + 1)
    if p <= 0 or p >= 1:
        return counts, (counts == round(middle)).astype(np.float64)
    steps = np.log((n - counts[:-1]) / (counts[:-1] + 1)) + math.log(p / (1 - p))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    shares = np.exp(logs - logs.max())
    return counts, shares / shares.sum()
