"""Paired comparisons of learners: verdicts, multiple-test correction, Bayesian tests, the best of many.

The test is :func:`~algorithms.evaluation.compare.significance_tests.compared`. All pairs of learners evaluated together
form one family, since the same tests selected the best. Their p-values are corrected for all pairs (Holm). Differences
within the region of practical equivalence (+- ``rope``) are irrelevant. The best of many models is optimistic, like the
most successful of fifty coin tossers.
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
"""Largest difference in accuracy that is irrelevant in practice, even if significant."""


class LeadVerdict(Enum):
    """Verdict on a paired difference; the values are its words."""

    REAL = "that is hardly chance"
    CHANCE = "that may be chance"
    NEGLIGIBLE = "too little to matter"


@dataclass(frozen=True, eq=False)
class PairedLead:
    """The difference between the better and the other learner of a pair.

    ``paired`` is None if they were not evaluated on the same tests. ``p_value`` is uncorrected, ``corrected`` is
    corrected for all ``n_pairs`` of the family.
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
        """The verdict with its p-values: "that may be chance (p = 0.130 corrected for 105 pairs by Holm, ...)"."""
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
    """``p_values`` corrected for all ``n_pairs`` of a family.

    ``rest`` are p-values of other pairs of the family; the remaining pairs count as p = 1.
    """
    family = [*p_values, *rest]
    return CORRECTIONS[correction].corrected([*family, *[1.0] * (n_pairs - len(family))])[: len(p_values)]


def other_p_values(family: Sequence[FoldScores], tested: Collection[tuple[int, int]]) -> list[float]:
    """p-values of the pairs (i, j), i < j, of a family that are not in ``tested``.

    With enough folds common to all learners it tests every pair by folds. Otherwise it tests the most accurate learner
    against each other one by records. Empty if the learners were not evaluated on the same tests.
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
"""Prior weight of a pseudo-difference of 0 (Benavoli et al. 2017, section 4.2)."""
SAMPLES: Final = 50_000
_AT_ONCE: Final = 5_000


@dataclass(frozen=True)
class SuperiorityProbabilities:
    """Posterior probabilities: the first is better, both are practically equal, the second is better."""

    first: float
    same: float
    second: float
    rope: float


def bayesian_correlated_t(differences: ArrayLike, test_share: float, rope: float = 0.01) -> SuperiorityProbabilities:
    """Posterior probabilities that the mean difference lies above, within or below +-``rope``.

    The posterior is a Student distribution with k - 1 degrees of freedom around the mean and variance (1/k + r / (1 -
    r)) s^2. r is the correlation of overlapping training sets; r / (1 - r) is tested / training records, ``test_share``
    (Corani and Benavoli 2015, A Bayesian approach for comparing cross-validated algorithms, Eq. 8). Needs at least two
    differences.
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
    """Bayesian signed-rank test over several data sets, from the mean difference (n,) on each.

    The distribution of the differences has a Dirichlet process prior. Its weights are drawn from Dirichlet(strength, 1,
    ..., 1) over a pseudo-difference of 0 and the observed ones. Each draw gives the probabilities that the mean of two
    differences lies above, within or below +-``rope``. The result is the share of draws in which each is largest, ties
    split evenly (Benavoli, Corani, Demsar and Zaffalon 2017, Time for a change, Eq. 8 and section 4.2). 50,000 draws
    are exact to about 0.002.
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


_MOST_DEVIATIONS = 9.0
"""Standard deviations around the mean beyond which binomial probabilities are ignored."""


def binomial_tail(right: int, n: int, p: float) -> float:
    """Probability of at least ``right`` successes in ``n`` trials with success probability ``p``."""
    counts, shares = _binomial(n, p)
    return min(1.0, float(shares[counts >= right].sum()))


def probability_of_any(models: int, single: float) -> float:
    """Probability that at least one of ``models`` independent models has an event of probability ``single``."""
    return 1.0 if single >= 1 else -math.expm1(models * math.log1p(-single))


def best_by_chance(accuracy: float, n: int, models: int) -> float:
    """Expected accuracy of the best of ``models`` models on ``n`` records if all have this true accuracy.

    It is the expected maximum of ``models`` independent binomial counts, over ``n``. Correlated errors make it smaller.
    """
    if n <= 0 or models <= 1:
        return accuracy
    counts, shares = _binomial(n, accuracy)
    below = np.minimum(1.0, np.cumsum(shares))
    return float(counts[-1] - (below[:-1] ** models).sum()) / n


def _binomial(n: int, p: float) -> tuple[IntArray, FloatArray]:
    """Counts near the mean of a binomial distribution and their probabilities, which sum to 1."""
    middle, reach = n * p, _MOST_DEVIATIONS * math.sqrt(n * p * (1 - p)) + 20
    counts = np.arange(max(0, math.floor(middle - reach)), min(n, math.ceil(middle + reach)) + 1)
    if p <= 0 or p >= 1:
        return counts, (counts == round(middle)).astype(np.float64)
    steps = np.log((n - counts[:-1]) / (counts[:-1] + 1)) + math.log(p / (1 - p))
    logs = np.concatenate([[0.0], np.cumsum(steps)])
    shares = np.exp(logs - logs.max())
    return counts, shares / shares.sum()
