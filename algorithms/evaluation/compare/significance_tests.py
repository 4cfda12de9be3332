"""Paired comparisons of learners: significance tests, verdicts, multiple-test correction.

p-values are two-sided. A corrected p-value is the level at which one of several comparisons is significant. All pairs
of learners evaluated together form one family, since the same tests selected the best; their p-values are corrected for
all pairs (Tukey-Holm by default). Differences within the region of practical equivalence (+- ``rope``) are irrelevant.

``scipy.stats`` is imported late, since that takes half a second.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property, reduce
from itertools import combinations, compress
from statistics import NormalDist
from typing import Final

import numpy as np
from numpy.typing import ArrayLike

from algorithms.core.errors import DataError
from algorithms.core.run_control import stoppable
from algorithms.core.scores import compared_pairs, normal_quantile, normal_range_quantile, normal_range_tail, ratio
from algorithms.data.columns import FloatArray, IntArray, distinct, group_numbers, is_ascending
from algorithms.evaluation.measures.metrics import FEW_RECORDS, auc_influences, least_p_value
from algorithms.evaluation.result import EvaluationResult
from algorithms.text.numbers import LEVEL, p_words
from algorithms.text.sentences import within_sentence

_NO_DIFFERENCE: Final = 1e-12
"""Smaller differences are rounding errors."""
_NO_INFLUENCE: Final = 1e-7
"""Smaller norms of influences, which have single precision, are rounding errors."""
ALPHA: Final = LEVEL


def bonferroni(p_values: Sequence[float], of: int | None = None) -> list[float]:
    """Bonferroni correction: each p-value times the number of tests, at most 1 (Dunn 1961).

    ``of`` is the number of tests if ``p_values`` are only some of them.
    """
    return [min(1.0, p * (of or len(p_values))) for p in p_values]


def sidak(p_values: Sequence[float]) -> list[float]:
    """Sidak correction 1 - (1 - p)^m, exact for m independent tests (Sidak 1967)."""
    m = len(p_values)
    return [1.0 if p >= 1 else -math.expm1(m * math.log1p(-p)) for p in p_values]


def holm(p_values: Sequence[float], of: int | None = None) -> list[float]:
    """Holm's step-down correction: the smallest p times m, the next times m - 1, ..., made monotone (Holm 1979).

    ``of`` is m if ``p_values`` are only some of the tests; the others then count as p = 1.
    """
    return _step_down(p_values, of or len(p_values), [1.0] * len(p_values))


def _step_down(p_values: Sequence[float], m: int, most: Sequence[float]) -> list[float]:
    """Holm's correction with a bound for each p-value."""
    largest, corrected = 0.0, [0.0] * len(p_values)
    for step, test in enumerate(_ascending(p_values)):
        p = p_values[test]
        largest = max(largest, min(max(p, most[test]), p * (m - step)))
        corrected[test] = largest
    return corrected


def hochberg(p_values: Sequence[float]) -> list[float]:
    """Hochberg's step-up correction: the largest p times 1, the next times 2, ..., made monotone (Hochberg 1988).

    Never stricter than Holm; valid for independent or positively dependent tests.
    """
    smallest = 1.0
    corrected = [0.0] * len(p_values)
    for step, test in enumerate(reversed(_ascending(p_values))):
        smallest = min(smallest, p_values[test] * (step + 1))
        corrected[test] = smallest
    return corrected


def hommel(p_values: Sequence[float]) -> list[float]:
    """Hommel's correction: closed testing by Simes (Hommel 1988, algorithm of Wright 1992).

    Never stricter than Hochberg, under the same conditions.
    """
    n = len(p_values)
    order = _ascending(p_values)
    p = [p_values[test] for test in order]
    if n == 0:
        return []
    corrected = [min(n * p_value / (i + 1) for i, p_value in enumerate(p))] * n
    for m in range(n - 1, 1, -1):
        first = n - m + 1
        least = min(m * p[first + i] / (i + 2) for i in range(m - 1))
        steps = [min(m * p_value, least) for p_value in p[:first]]
        steps += [steps[-1]] * (m - 1)
        corrected = [max(pair) for pair in zip(corrected, steps, strict=True)]
    in_order = [0.0] * n
    for test, value, own in zip(order, corrected, p, strict=True):
        in_order[test] = min(1.0, max(value, own))
    return in_order


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """False discovery rate at which each test is significant (Benjamini and Hochberg 1995)."""
    m, smallest = len(p_values), 1.0
    corrected = [0.0] * m
    for step, test in enumerate(reversed(_ascending(p_values))):
        smallest = min(smallest, p_values[test] * m / (m - step))
        corrected[test] = smallest
    return corrected


def _ascending(p_values: Sequence[float]) -> list[int]:
    return sorted(range(len(p_values)), key=lambda test: p_values[test])


def tukey_holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction for all pairs of k learners, with Tukey's studentized range where it is smaller.

    The range is on the scale of p: P(range of k normal values > √2 z) with z of a two-sided p (Tukey 1953). Each pair
    has its own variance, so the range with the few degrees of freedom of the folds claims too much: for ten equal
    stumps 11% to 14% instead of 5% (``resources/docs/coverage.md``). Both bound the chance of the smallest p of
    any set of equal learners among those left, so the steps of Holm are valid (closed testing, Marcus, Peritz and
    Gabriel 1976). Never stricter than Holm.
    """
    from scipy.special import ndtri

    widths = -math.sqrt(2) * ndtri(np.asarray(p_values, dtype=np.float64) / 2)
    return _step_down(p_values, len(p_values), normal_range_tail(widths, n_learners_of(len(p_values))).tolist())


def n_learners_of(n_pairs: int) -> int:
    """Number of learners that have so many pairs; the next larger one if no number has."""
    return math.ceil((1 + math.sqrt(1 + 8 * n_pairs)) / 2 - _NO_DIFFERENCE)


def _bonferroni_level(n_pairs: int) -> float:
    return ALPHA / n_pairs


def _sidak_level(n_pairs: int) -> float:
    return -math.expm1(math.log1p(-ALPHA) / n_pairs)


def _tukey_level(n_pairs: int) -> float:
    """The significance level of one of ``n_pairs``: the higher of the levels by Tukey's range and by Bonferroni."""
    width = normal_range_quantile(ALPHA, n_learners_of(n_pairs))
    return max(2 * NormalDist().cdf(-width / math.sqrt(2)), _bonferroni_level(n_pairs))


@dataclass(frozen=True)
class Correction:
    """A correction of p-values for multiple comparisons. ``sentence`` names the error rate that it controls.

    ``level`` takes the number of pairs n. It returns the single-step significance level of each pair. One minus this
    level is the confidence level of each of n simultaneous intervals.
    """

    id: str
    name: str
    corrected: Callable[[Sequence[float]], list[float]]
    sentence: str
    source: str
    level: Callable[[int], float] = _bonferroni_level


_ANY: Final = "how often even one of all these differences is called real where it is chance"
CORRECTIONS: Final = {
    each.id: each
    for each in (
        Correction(
            "tukey-holm",
            "Tukey-Holm",
            tukey_holm,
            f"Keeps small {_ANY}; usually finds the most.",
            "Tukey 1953, Holm 1979",
            _tukey_level,
        ),
        Correction("holm", "Holm", holm, f"Keeps small {_ANY}; always right.", "Holm 1979"),
        Correction("hochberg", "Hochberg", hochberg, f"Keeps small {_ANY}; finds a little more.", "Hochberg 1988"),
        Correction("hommel", "Hommel", hommel, f"Keeps small {_ANY}; finds the most of the three.", "Hommel 1988"),
        Correction("bonferroni", "Bonferroni", bonferroni, f"Keeps small {_ANY}; the strictest.", "Dunn 1961"),
        Correction(
            "sidak", "Šidák", sidak, f"Keeps small {_ANY}; for independent comparisons.", "Šidák 1967", _sidak_level
        ),
        Correction(
            "benjamini-hochberg",
            "Benjamini-Hochberg",
            benjamini_hochberg,
            "Keeps small the share of chance among the differences that are called real.",
            "Benjamini and Hochberg 1995",
        ),
    )
}
DEFAULT_CORRECTION: Final = "tukey-holm"
BASELINE_CORRECTION: Final = "holm"
"""Corrects the comparisons of each learner with the baseline. Tukey's range would need all pairs of learners."""


MOST_EXACT: Final = 50
"""Largest number of signed ranks with an exact p-value; beyond it the normal approximation suffices."""


@dataclass(frozen=True)
class SignificanceTest:
    """Result of a test; ``p_value`` is None if undefined, ``caution`` is a reason to doubt it.

    ``counts`` are the two counts of a binomial test with the words before or after them, "b = {}"; its statistic is the
    smaller count.
    """

    name: str
    symbol: str
    statistic: float | None
    p_value: float | None
    source: str
    caution: str = ""
    counts: tuple[tuple[str, float], ...] = ()

    @property
    def in_sentence(self) -> str:
        """The name within a sentence; "DeLong" keeps its capitals."""
        return self.name if any(letter.isupper() for letter in self.name[1:]) else within_sentence(self.name)

    def statistic_words(self, written: Callable[[float], str]) -> str:
        """The statistic as ``written`` writes numbers: "t = 2.1", or both counts; empty if undefined."""
        if self.counts:
            return ", ".join(words.format(written(count)) for words, count in self.counts)
        return "" if self.statistic is None or not self.symbol else f"{self.symbol} = {written(self.statistic)}"


# ---- two on the same records -----------------------------------------------------------------------------------------


def mcnemar_exact(only_first: float, only_second: float) -> SignificanceTest:
    """McNemar's exact test of the discordant counts: binomial with probability 1/2 (McNemar 1947).

    Weighted, non-integer counts use the incomplete beta function.
    """
    from scipy.special import betainc

    n, fewer = only_first + only_second, min(only_first, only_second)
    p = min(1.0, 2 * float(betainc(n - fewer, fewer + 1, 0.5))) if n else 1.0
    counts = ("b = {}", float(only_first)), ("c = {}", float(only_second))
    return SignificanceTest("McNemar, exact", "min(b, c)", float(fewer), p, "McNemar 1947", counts=counts)


def mcnemar_corrected(only_first: float, only_second: float) -> SignificanceTest:
    """(|n1 - n2| - 1)^2 / (n1 + n2), chi-square with one degree of freedom (Edwards 1948; Dietterich 1998, Eq. 3)."""
    from scipy.special import chdtrc

    n = only_first + only_second
    statistic = max(0, abs(only_first - only_second) - 1) ** 2 / n if n else 0.0
    few = "Made for 25 or more records that differ; the exact test counts." if n < 25 else ""
    return SignificanceTest(
        "McNemar, with correction", "χ²", statistic, float(chdtrc(1, statistic)), "McNemar 1947, Edwards 1948", few
    )


def sign_test(signs: tuple[float, float], p_value: float) -> SignificanceTest:
    """The exact sign test of records won and lost (Dixon and Mood 1946), with its known p-value."""
    counts, name = (("{} won", signs[0]), ("{} lost", signs[1])), "Exact sign test of records"
    return SignificanceTest(name, "min(won, lost)", min(signs), p_value, "Dixon and Mood 1946", counts=counts)


# ---- two on the same parts -------------------------------------------------------------------------------------------


def five_by_two_t(differences: ArrayLike) -> SignificanceTest:
    """Dietterich's 5x2cv t (1998): first difference over the root mean variance of the repeats, 5 degrees of freedom.

    ``differences`` (5, 2): five repeats of two folds.
    """
    from scipy.special import stdtr

    values = _five_by_two(differences)
    spread = math.sqrt(float(_variances(values).mean()))
    if spread < _NO_DIFFERENCE:
        return SignificanceTest("5x2cv t", "t", None, None, "Dietterich 1998", "The folds of no repeat differ.")
    t = float(values[0, 0]) / spread
    return SignificanceTest("5x2cv t", "t", t, 2 * float(stdtr(5, -abs(t))), "Dietterich 1998")


def five_by_two_f(differences: ArrayLike) -> SignificanceTest:
    """Alpaydin's combined 5x2cv F (1999): sum of the squared differences over twice that of the variances, F(10, 5)."""
    from scipy.special import fdtrc

    values = _five_by_two(differences)
    spread = float(_variances(values).sum())
    if spread < _NO_DIFFERENCE:
        return SignificanceTest("5x2cv F", "F", None, None, "Alpaydin 1999", "The folds of no repeat differ.")
    f = float((values**2).sum()) / (2 * spread)
    return SignificanceTest("5x2cv F", "F", f, float(fdtrc(10, 5, f)), "Alpaydin 1999")


def _five_by_two(differences: ArrayLike) -> FloatArray:
    values = np.asarray(differences, dtype=np.float64)
    if values.shape != (5, 2):
        raise ValueError("five repeats of two folds are needed")
    return values


def _variances(values: FloatArray) -> FloatArray:
    """(p1 - mean)^2 + (p2 - mean)^2 of each repeat."""
    sums: FloatArray = ((values - values.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return sums


def wilcoxon(differences: ArrayLike) -> SignificanceTest:
    """Wilcoxon's signed-rank test (1945): exact up to :data:`MOST_EXACT` ranks, else a normal approximation.

    Differences of 0 are omitted, ties share their mean rank.
    """
    from scipy.special import ndtr
    from scipy.stats import rankdata

    values = np.asarray(differences, dtype=np.float64)
    values = np.where(np.abs(values) < _NO_DIFFERENCE, 0.0, values).round(12)
    nonzero = values[values != 0]
    if not len(nonzero):
        return SignificanceTest("Wilcoxon signed rank", "T", None, 1.0, "Wilcoxon 1945", "No part differs.")
    n, ranks = len(nonzero), rankdata(np.abs(nonzero))
    smaller = min(float(ranks[nonzero > 0].sum()), float(ranks[nonzero < 0].sum()))
    if n <= MOST_EXACT:
        p = min(1.0, 2 * _sign_pattern_share(ranks, smaller))
    else:
        counts = np.unique(np.abs(nonzero), return_counts=True)[1]
        variance = n * (n + 1) * (2 * n + 1) / 24 - float((counts**3 - counts).sum()) / 48
        p = min(1.0, 2 * float(ndtr((smaller - n * (n + 1) / 4) / math.sqrt(variance))))
    few = "Fewer than 6 parts that differ can never be significant." if n < 6 else ""
    return SignificanceTest("Wilcoxon signed rank", "T", smaller, p, "Wilcoxon 1945", few)


def _sign_pattern_share(ranks: FloatArray, smaller: float) -> float:
    """Probability under the null hypothesis that the positive ranks sum to at most ``smaller``: 2^n signs are equal.

    Mean ranks are multiples of 1/2, so doubled sums are integers; they are counted rank by rank (Streitberg and Roehmel
    1986).
    """
    doubled = np.rint(2 * ranks).astype(np.int64)
    shares = np.zeros(int(doubled.sum()) + 1)
    shares[0] = 1.0
    for rank in doubled.tolist():
        added = np.zeros_like(shares)
        added[rank:] = shares[: len(shares) - rank]
        shares = (shares + added) / 2
    return float(shares[: round(2 * smaller) + 1].sum())


LEAST_PARTS: Final = 5
"""Minimum number of folds for the t test; with fewer its interval is too wide and records are tested."""


def error_difference(error_1: float, n_1: float, error_2: float, n_2: float) -> tuple[float, float]:
    """|e1 - e2| and its standard error, normal approximation (TSKK Eq. 3.17)."""
    variance = error_1 * (1 - error_1) / n_1 + error_2 * (1 - error_2) / n_2
    return abs(error_1 - error_2), math.sqrt(variance)


# ---- two learners on the same folds ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class PairedComparison:
    """Mean difference in accuracy of two learners on the same tests, between -1 and 1.

    ``interval`` is the confidence interval, ``p_value`` is two-sided. ``n`` is the number of differences: folds, or
    records if ``by_records``. It is not ``is_paired`` if the two are treated as independent. ``signs`` are the numbers
    of records won and lost, effective ones if sizes differ, if ``p_value`` is that of the exact sign test on them.
    """

    difference: float
    standard_error: float
    interval: tuple[float, float]
    confidence: float
    p_value: float
    n: int
    by_records: bool = False
    is_paired: bool = True
    signs: tuple[float, float] | None = None

    @property
    def significant(self) -> bool:
        """Whether the interval excludes 0."""
        low, high = self.interval
        return not low <= 0 <= high

    def times(self, scale: float) -> PairedComparison:
        """The comparison in units of 1 / ``scale`` (at least 0), as an amount instead of a share."""
        low, high = self.interval
        return replace(
            self,
            difference=scale * self.difference,
            standard_error=scale * self.standard_error,
            interval=(scale * low, scale * high),
        )


def paired_t(
    differences: ArrayLike, confidence: float = 0.95, test_share: float = 0.0, limit: float = 1.0
) -> PairedComparison:
    """Mean of k differences on the same folds with its t interval (k - 1 degrees of freedom).

    Differences are ``limit`` at most. With ``test_share`` 0 the variance of the mean is sum (d_j - mean)^2 / (k^2 - k)
    (TSKK, first edition, section 4.6.3). It assumes independent folds and is too small, since their training sets
    overlap. With ``test_share`` = tested / training records of a fold it is (1/k + test_share) s^2: the corrected
    resampled t test (Nadeau and Bengio, Inference for the generalization error, 2003). Raises ``ValueError`` for fewer
    than two differences.
    """
    from scipy.special import stdtr, stdtrit

    values = np.asarray(differences, dtype=np.float64)
    k = len(values)
    if k < 2:
        raise ValueError("a spread needs two differences at least")
    mean = float(values.mean())
    error = math.sqrt((1 / k + test_share) * float(values.var(ddof=1)))
    if error < _NO_DIFFERENCE:
        return _constant_difference(mean, confidence, k)
    margin = float(stdtrit(k - 1, 0.5 + confidence / 2)) * error
    p_value = 2 * float(stdtr(k - 1, -abs(mean) / error))
    interval = (max(-limit, mean - margin), min(limit, mean + margin))
    return PairedComparison(mean, error, interval, confidence, p_value, k)


def corrected_resampled_t(differences: ArrayLike, test_share: float) -> SignificanceTest:
    """The test of :func:`paired_t` with the variance of Nadeau and Bengio (2003)."""
    paired = paired_t(differences, test_share=test_share)
    statistic = paired.difference / paired.standard_error if paired.standard_error else None
    return SignificanceTest("Corrected resampled t", "t", statistic, paired.p_value, "Nadeau and Bengio 2003")


def paired_by_records(
    differences: ArrayLike,
    confidence: float = 0.95,
    weights: ArrayLike | None = None,
    *,
    weights_are_counts: bool = False,
) -> PairedComparison:
    """Mean of n differences, one per record and between -1 and 1, with its interval, for one test part.

    It compares these two models, not the learners on other training records. The normal test (uncorrected McNemar) is
    too optimistic for few discordant records. So the result is the larger p-value of it and the sign test, and the
    union of the normal and the Clopper-Pearson interval.

    Unequal differences or ``weights`` (n,) count by their effective number, (sum of sizes)^2 / sum of squared sizes
    (Kish, Survey Sampling, 1965; for Clopper and Pearson Korn and Graubard, Confidence intervals for proportions with
    small expected number of positive counts, 1998). So many cheap records do not outvote a few expensive ones.
    With ``weights_are_counts`` a difference of weight w stands for w records.
    """
    values = np.asarray(differences, dtype=np.float64)
    n, weight = len(values), np.ones(len(values)) if weights is None else np.asarray(weights, dtype=np.float64)
    total = float(weight.sum())
    if total <= 0:
        return _constant_difference(0.0, confidence, n, by_records=True)
    sizes, squared = np.abs(values) * weight, weight if weights_are_counts else weight**2
    whole = float(sizes.sum())
    if float(sizes.max(initial=0.0)) <= _NO_DIFFERENCE:
        return _constant_difference(0.0, confidence, n, by_records=True)
    n_differing = whole**2 / float(values**2 @ squared)
    n_first = n_differing * min(1.0, float(sizes[values > 0].sum()) / whole)
    mean = float(values @ weight) / total
    error = math.sqrt(float(((values - mean) ** 2) @ squared)) / total
    margin = normal_quantile(confidence) * error
    p_value = 2 * NormalDist().cdf(-abs(mean) / error) if error > 0 else 0.0
    share = whole / total
    low, high = ((2 * end - 1) * share for end in _clopper_pearson(n_first, n_differing, confidence))
    interval = (max(-1.0, min(low, mean - margin)), min(1.0, max(high, mean + margin)))
    from scipy.special import betainc

    fewer = min(n_first, n_differing - n_first)
    exact = min(1.0, 2 * float(betainc(n_differing - fewer, fewer + 1, 0.5)))
    signs = (round(n_first, 9), round(n_differing - n_first, 9)) if exact > p_value else None
    return PairedComparison(mean, error, interval, confidence, max(p_value, exact), n, by_records=True, signs=signs)


def _clopper_pearson(right: float, n: float, confidence: float) -> tuple[float, float]:
    """Exact interval of the proportion ``right`` / ``n`` (Clopper and Pearson 1934); neither need be an integer."""
    from scipy.special import betaincinv

    tail = (1 - confidence) / 2
    low = float(betaincinv(right, n - right + 1, tail)) if right > 0 else 0.0
    high = float(betaincinv(right + 1, n - right, 1 - tail)) if right < n else 1.0
    return low, high


def _constant_difference(mean: float, confidence: float, n: int, by_records: bool = False) -> PairedComparison:
    """The comparison if all differences are equal."""
    p_value = 1.0 if abs(mean) < _NO_DIFFERENCE else 0.0
    return PairedComparison(mean, 0.0, (mean, mean), confidence, p_value, n, by_records)


@dataclass(frozen=True, eq=False)
class FoldScores:
    """Accuracy of a result in each of its test parts (folds, samples), for paired comparisons.

    ``keys`` (p,) identify the parts and ``accuracy`` (p,) is weighted. ``test_share`` is the mean of tested / training
    records of a part. ``worth`` (m,) is the score of each test, by default 1 if correct and 0 if wrong, else given.
    Scores span at most 1; ``accuracy`` is then their mean.
    """

    result: EvaluationResult
    keys: IntArray
    accuracy: FloatArray
    test_share: float
    worth: FloatArray

    @classmethod
    def of(cls, result: EvaluationResult, worth: FloatArray | None = None) -> FoldScores:
        """Scores of a result; ``worth`` (m,) replaces the 0/1 scores of its tests."""
        base = int(result.folds.max(initial=0)) + 1
        every = result.repeats.astype(np.int64) * base + result.folds
        parts, part = distinct(every), group_numbers(every)
        keys = parts // base << 32 | parts % base
        tested = np.bincount(part, result.weight_array)
        counted = result.right.astype(np.float64) if worth is None else worth
        sums = np.bincount(part, result.weight_array * counted)
        weighed = tested > 0
        counts = np.bincount(part)
        shares = counts / np.maximum(result.n_training - counts, 1)
        share = float(shares.mean()) if len(keys) else 0.0
        return cls(result, keys[weighed], sums[weighed] / tested[weighed], share, counted)

    @cached_property
    def areas(self) -> FoldScores:
        """The same with the AUC of each part, which :func:`part_area` defines, for accuracy; parts without are out."""
        return self._areas_of_parts(int)

    def _areas_of_parts(self, checkpoint: Callable[[], object]) -> FoldScores:
        keys = self.result.repeats.astype(np.int64) << 32 | self.result.folds.astype(np.int64)
        order = np.argsort(keys, kind="stable")
        begins = np.flatnonzero(np.diff(keys[order], prepend=-1))
        truth = self.result.truth[order]
        is_mixed = np.maximum.reduceat(truth, begins) > np.minimum.reduceat(truth, begins) if len(order) else begins > 0
        parts = compress(np.split(order, begins[1:]), is_mixed)
        found = ((int(keys[part[0]]), part_area(self.result, part, checkpoint)) for part in parts)
        areas = {key: area for key, area in found if area is not None}
        return replace(self, keys=np.array([*areas], dtype=np.int64), accuracy=np.array([*areas.values()]))

    @cached_property
    def influences(self) -> FloatArray | None:
        """Influence of each record on the AUC (:func:`auc_influences`)."""
        return auc_influences(self.result)

    def compute_areas(self, checkpoint: Callable[[], object]) -> None:
        """Computes and keeps, with checkpoints, what tests of the AUC need: :attr:`areas`, else :attr:`influences`."""
        kept = vars(self)
        if "areas" not in kept:
            kept["areas"] = self._areas_of_parts(checkpoint)
        if len(self.areas.keys) < LEAST_PARTS and "influences" not in kept:
            kept["influences"] = auc_influences(self.result, checkpoint)

    def differences(self, other: FoldScores) -> tuple[FloatArray, float]:
        """Differences from ``other`` over the common test parts, and the mean ratio of tested to training records."""
        _, mine, theirs = np.intersect1d(self.keys, other.keys, assume_unique=True, return_indices=True)
        return self.accuracy[mine] - other.accuracy[theirs], (self.test_share + other.test_share) / 2


def part_area(result: EvaluationResult, part: IntArray, checkpoint: Callable[[], object] = int) -> float | None:
    """AUC within the tests ``part``: the mean over the classes there, weighted by their records; None without pairs."""
    truth, weights = result.truth[part], result.weight_array[part]
    of_classes = [
        compared_pairs(truth == code, result.probabilities[part, code], weights)
        for code in stoppable(np.unique(truth).tolist(), checkpoint)
    ]
    defined = [(pairs.positives, pairs.auc) for pairs in of_classes if pairs.auc is not None]
    return ratio(sum(n * area for n, area in defined), sum(n for n, _ in defined))


def compared(first: FoldScores, second: FoldScores, confidence: float = 0.95) -> PairedComparison:
    """Difference in accuracy between ``first`` and ``second`` over their common test parts.

    With at least :data:`LEAST_PARTS` parts it uses the corrected resampled t test. With fewer, if all parts differ by
    the same amount other than 0, it tests the records. Raises :class:`DataError` without a common test.
    """
    check_comparable(first.result, second.result)
    differences, share = first.differences(second)
    if not len(differences):
        raise DataError("The two runs have no test in common.", remedy="Evaluate both with the same method and seed.")
    by_parts = paired_by_parts(differences, share, confidence)
    if by_parts is not None:
        return by_parts
    differences, weights = _record_differences(first, second)
    are_counts = first.result.weights_are_counts and second.result.weights_are_counts
    return paired_by_records(differences, confidence, weights, weights_are_counts=are_counts)


def paired_by_parts(differences: FloatArray, test_share: float, confidence: float) -> PairedComparison | None:
    """The corrected resampled t test; None with fewer than :data:`LEAST_PARTS` parts, or if all differ by the same."""
    if len(differences) < LEAST_PARTS:
        return None
    by_parts = paired_t(differences, confidence, test_share)
    is_usable = by_parts.standard_error > 0 or abs(by_parts.difference) < _NO_DIFFERENCE
    return by_parts if is_usable else None


def paired_areas(
    first: tuple[float, FoldScores], second: tuple[float, FoldScores], independent_error: float, confidence: float
) -> PairedComparison | None:
    """Difference of two AUCs of the same records by the paired test of DeLong and others (1988), each with its scores.

    The variance is the sum of the squared differences of the influences of each record. With few records of a class
    (:data:`FEW_RECORDS`) the error is at least ``independent_error``; that is the error if DeLong's is 0 though the
    AUCs differ, as for a perfect and a constant ranking. None if the influences are unknown or of other records.
    """
    (one, mine), (other, theirs) = first, second
    same = np.array_equal(distinct(mine.result.row_ids), distinct(theirs.result.row_ids))
    if mine.influences is None or theirs.influences is None or not same:
        return None
    error = float(np.linalg.norm(mine.influences - theirs.influences))
    if one != other and (min(mine.result.class_counts) < FEW_RECORDS or error < _NO_INFLUENCE):
        error = max(error, independent_error)
    return normal_difference(one - other, error, mine.result, confidence)


def normal_difference(difference: float, error: float, result: EvaluationResult, confidence: float) -> PairedComparison:
    """A difference of AUCs with a normal standard error, over the records of ``result``.

    The error is at least such that p is no smaller than an exact permutation test of so few records can have.
    """
    least = min(least_p_value(result), 0.999)  # so that the error stays finite
    if least > _NO_DIFFERENCE:
        error = max(error, abs(difference) / normal_quantile(1 - least))
    margin = normal_quantile(confidence) * error
    p_value = math.erfc(abs(difference) / error / math.sqrt(2)) if error > 0 else float(difference == 0)
    interval = max(-1.0, difference - margin), min(1.0, difference + margin)
    return PairedComparison(difference, error, interval, confidence, p_value, result.n_records, by_records=True)


def check_comparable(first: EvaluationResult, second: EvaluationResult) -> None:
    """Raise :class:`DataError` if two results were not evaluated on the same tests."""
    same = first.method == second.method and first.seed == second.seed and first.classes == second.classes
    if not same or first.n_training != second.n_training:
        raise DataError(
            "The two runs were not tested on the same parts.", remedy="Evaluate both with the same method and seed."
        )


def _record_differences(first: FoldScores, second: FoldScores) -> tuple[FloatArray, FloatArray | None]:
    """Mean score difference of each record tested by both, and the weights (None if unweighted)."""
    if is_ascending(first.result.row_ids) and np.array_equal(first.result.row_ids, second.result.row_ids):
        return first.worth - second.worth, first.result.weights  # each record was tested once
    one, other = distinct(first.result.row_ids), distinct(second.result.row_ids)
    _, mine, theirs = np.intersect1d(one, other, assume_unique=True, return_indices=True)
    rights = []
    for scores, rows in ((first, mine), (second, theirs)):
        _, record = np.unique(scores.result.row_ids, return_inverse=True)
        rights.append((np.bincount(record, scores.worth) / np.bincount(record))[rows])
    differences: FloatArray = rights[0] - rights[1]
    if first.result.weights is None:
        return differences, None
    return differences, first.result.weights[np.unique(first.result.row_ids, return_index=True)[1]][mine]


NEGLIGIBLE: Final = 0.01
"""Region of practical equivalence: smaller differences in accuracy are irrelevant in practice, even if significant."""


SIMULTANEOUS: Final = "simultaneous 95% CI"


class LeadVerdict(Enum):
    """Verdict on a paired difference; the values are its words on every page and on the command line."""

    REAL = "significant"
    CHANCE = "not significant"
    NEGLIGIBLE = "practically equivalent"


@dataclass(frozen=True, eq=False)
class PairedLead:
    """The difference between the better and the other learner of a pair.

    ``paired`` is None if they were not evaluated on the same tests; then ``is_ahead`` tells whether the first leads.
    ``p_value`` is uncorrected, ``corrected`` is corrected for all ``n_pairs`` of the family.
    """

    paired: PairedComparison | None
    p_value: float
    corrected: float
    n_pairs: int = 1
    negligible: float = NEGLIGIBLE
    correction: str = DEFAULT_CORRECTION
    is_ahead: bool = True

    @property
    def correction_name(self) -> str:
        return CORRECTIONS[self.correction].name

    @property
    def interval_name(self) -> str:
        return "95% CI" if self.n_pairs == 1 else SIMULTANEOUS

    @property
    def interval(self) -> tuple[float, float] | None:
        """Simultaneous interval: of one level for all pairs of the family; None without paired tests.

        It belongs to the correction in a single step. So tests of folds have ``corrected`` below :data:`ALPHA` where it
        excludes 0, and a step-down correction sometimes where it does not.
        """
        paired = self.paired
        if paired is None or self.n_pairs == 1:
            return None if paired is None else paired.interval
        level = CORRECTIONS[self.correction].level(self.n_pairs)
        wider = _quantile(1 - level, paired) / _quantile(paired.confidence, paired)
        low, high = (paired.difference + wider * (end - paired.difference) for end in paired.interval)
        return low, high

    @property
    def p_of_interval(self) -> float:
        """``p_value`` corrected in a single step, as :attr:`interval` is; a step-down correction is never above it."""
        return corrected_p([self.p_value], [], self.n_pairs, self.correction)[0]

    @property
    def is_by_steps(self) -> bool:
        """Whether the verdict is significant by the step-down correction only, where :attr:`interval` contains 0."""
        return self.paired is not None and self.verdict is LeadVerdict.REAL and self.p_of_interval >= ALPHA

    @property
    def corrected_comparison(self) -> PairedComparison | None:
        """:attr:`paired` with the wider :attr:`interval`; None without paired tests."""
        return None if self.paired is None else replace(self.paired, interval=self.interval or self.paired.interval)

    @property
    def is_significant(self) -> bool:
        """Whether the first leads significantly, relevant or not."""
        return self.corrected < ALPHA and (self.is_ahead if self.paired is None else self.paired.difference > 0)

    @property
    def verdict(self) -> LeadVerdict:
        interval = self.interval
        if interval is not None and -self.negligible < interval[0] and interval[1] < self.negligible:
            return LeadVerdict.NEGLIGIBLE
        return LeadVerdict.REAL if self.is_significant else LeadVerdict.CHANCE

    def chance_words(self, test: str = "") -> str:
        """The verdict with its p-values and ``test``: "not significant (p = 0.130 corrected for 105 pairs, ...)"."""
        by = f", {test}" if test else ""
        if self.n_pairs == 1:
            return f"{self.verdict.value} ({p_words(self.p_value)}{by})"
        corrected = f"{p_words(self.corrected)} corrected for {self.n_pairs:,} pairs by {self.correction_name}"
        step = f", {p_words(self.p_of_interval)} in a single step" if self.is_by_steps else ""
        return f"{self.verdict.value} ({corrected}{step}, {p_words(self.p_value)} alone{by})"


def _quantile(confidence: float, paired: PairedComparison) -> float:
    """Two-sided quantile of the distribution behind the interval of a comparison."""
    if paired.by_records:
        return normal_quantile(confidence)
    from scipy.special import stdtrit

    return float(stdtrit(paired.n - 1, 0.5 + confidence / 2))


def n_pairs_of(n: int) -> int:
    """Number of pairs of n learners."""
    return n * (n - 1) // 2


def corrected_p(
    p_values: Sequence[float], rest: Sequence[float], n_pairs: int, correction: str = DEFAULT_CORRECTION
) -> list[float]:
    """``p_values`` corrected for all ``n_pairs`` of a family.

    ``rest`` are p-values of other pairs of the family; the remaining pairs count as p = 1.
    """
    family = [*p_values, *rest]
    return CORRECTIONS[correction].corrected([*family, *[1.0] * (n_pairs - len(family))])[: len(p_values)]


def other_p_values(
    family: Sequence[FoldScores], tested: Collection[tuple[int, int]], checkpoint: Callable[[], object] = int
) -> list[float]:
    """p-values of the pairs (i, j), i < j, of a family that are not in ``tested``.

    With enough folds common to all learners it tests every pair by folds. Otherwise it tests the most accurate learner
    against each other one by records. Empty if the learners were not evaluated on the same tests.
    """
    try:
        for one in family[1:]:
            check_comparable(family[0].result, one.result)
    except DataError:
        return []
    keys = reduce(np.intersect1d, [one.keys for one in family])
    if len(keys) < LEAST_PARTS:
        best = int(np.argmax([np.average(one.worth, weights=one.result.weight_array) for one in family]))
        pairs = {(min(best, other), max(best, other)) for other in range(len(family)) if other != best} - set(tested)
        return [compared(family[i], family[j]).p_value for i, j in stoppable(sorted(pairs), checkpoint)]
    accuracy = [one.accuracy[np.searchsorted(one.keys, keys)] for one in family]
    share = float(np.mean([one.test_share for one in family]))
    return [
        paired_t((accuracy[i] - accuracy[j]).round(12), test_share=share).p_value
        for i, j in combinations(range(len(family)), 2)
        if (i, j) not in tested
    ]
