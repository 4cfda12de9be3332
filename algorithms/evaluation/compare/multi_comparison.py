"""Comparison of several learners over data sets, or over the folds of one: ranks, pairs and Friedman's test.

A row is a data set or a fold. p-values are two-sided. Rank 1 is the best and ties share their mean rank. Source: Demsar
2006, section 3.2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from algorithms.core.errors import DataError
from algorithms.core.scores import normal_quantile, normal_range_quantile, normal_range_tail
from algorithms.data.columns import FloatArray, IntArray
from algorithms.evaluation.compare.significance_tests import (
    ALPHA,
    CORRECTIONS,
    DEFAULT_CORRECTION,
    LeadVerdict,
    PairedLead,
    SignificanceTest,
    corrected_p,
    corrected_resampled_t,
    n_learners_of,
    n_pairs_of,
    paired_t,
    wilcoxon,
)
from algorithms.text.numbers import bare_percent, p_text, points
from algorithms.text.sentences import and_more

_NO_DIFFERENCE: Final = 1e-12
Counts = NDArray[np.int64]


# ---- posterior probabilities -----------------------------------------------------------------------------------------


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


# ---- ranks -----------------------------------------------------------------------------------------------------------


def mean_ranks(scores: ArrayLike) -> FloatArray:
    """Mean rank (k,) of each of k learners over n rows of ``scores`` (n, k): 1 is best, ties share their ranks."""
    from scipy.stats import rankdata

    ranks: FloatArray = rankdata(-np.asarray(scores, dtype=np.float64).round(12), axis=1).mean(axis=0)
    return ranks


def friedman_statistic(ranks: ArrayLike, n: int) -> float:
    """12 n / (k (k + 1)) (sum of the squared mean ranks - k (k + 1)^2 / 4) (Friedman 1937; Demsar 2006, 3.2.2)."""
    values = np.asarray(ranks, dtype=np.float64)
    k = len(values)
    return 12 * n / (k * (k + 1)) * (float((values**2).sum()) - k * (k + 1) ** 2 / 4)


def friedman(scores: ArrayLike) -> SignificanceTest:
    """Friedman's test of equal mean ranks of k >= 3 learners over n rows of ``scores`` (n, k), corrected for ties."""
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

    If all rows have the same order, F is infinite and p is the probability that n - 1 random orders equal the first.
    """
    from scipy.special import fdtrc

    left = n * (k - 1) - chi_square
    if left < _NO_DIFFERENCE:  # all rows have the same order
        return SignificanceTest(
            "Iman-Davenport", "F", None, float(math.factorial(k)) ** (1 - n), "Iman and Davenport 1980"
        )
    statistic = (n - 1) * chi_square / left
    p = float(fdtrc(k - 1, (k - 1) * (n - 1), statistic)) if n > 1 else 1.0
    return SignificanceTest("Iman-Davenport", "F", statistic, p, "Iman and Davenport 1980")


def critical_difference(k: int, n: int, alpha: float = 0.05) -> float:
    """Nemenyi's critical difference of mean ranks of k learners over n rows: q sqrt(k (k + 1) / (6 n)).

    q is the quantile of the studentised range with infinite degrees of freedom over sqrt 2 (Demsar 2006, 3.2.2).
    """
    return normal_range_quantile(alpha, k) / math.sqrt(2) * standard_error(k, n)


def standard_error(k: int, n: int) -> float:
    """Standard error of the difference of two mean ranks of k learners over n rows: sqrt(k (k + 1) / (6 n))."""
    return math.sqrt(k * (k + 1) / (6 * n))


def nemenyi(ranks: ArrayLike, n: int) -> FloatArray:
    """p-values (k, k) of all pairs by the studentised range, corrected for their number (Nemenyi 1963)."""
    values = np.asarray(ranks, dtype=np.float64)
    k = len(values)
    apart = np.abs(values[:, None] - values[None, :]) / standard_error(k, n)
    p_values = np.ones((k, k))
    upper = np.triu_indices(k, 1)
    p_values[upper] = normal_range_tail(apart[upper] * math.sqrt(2), k)
    p_values.T[upper] = p_values[upper]
    return p_values


def cliques(ranks: Sequence[float], critical: float) -> list[tuple[int, int]]:
    """Bars of a critical-difference diagram: first and last index of each group that does not differ significantly.

    ``ranks`` ascend. Bars join at least two learners and none lies within another.
    """
    bars: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = max(
            place for place in range(first, len(ranks)) if ranks[place] - ranks[first] <= critical + _NO_DIFFERENCE
        )
        if last > first and (not bars or last > bars[-1][1]):
            bars.append((first, last))
    return bars


def pooled_z(first: ArrayLike, second: ArrayLike, sizes: ArrayLike) -> FloatArray:
    """Z (n,) of the difference of two accuracies on N records each: (p1 - p2) / sqrt(2 p (1 - p) / N), p their mean.

    The two are treated as independent, which is all that published accuracies allow (TSKK, exercise 3.13). 0 if both
    are equal, also where both are 0 or 1.
    """
    one, other, n = (np.asarray(values, dtype=np.float64) for values in (first, second, sizes))
    mean = (one + other) / 2
    error = np.sqrt(2 * mean * (1 - mean) / n)
    z: FloatArray = np.divide(one - other, error, out=np.zeros_like(mean), where=error > 0)
    return z


def significant_by_size(scores: FloatArray, sizes: ArrayLike) -> Counts:
    """Array (n, k, k): 1 if learner a is significantly better than b in a row by :func:`pooled_z`, two-sided."""
    z = pooled_z(scores[:, :, None], scores[:, None, :], np.asarray(sizes, dtype=np.float64)[:, None, None])
    return (z > normal_quantile(1 - ALPHA)).astype(np.int64)


FOLDS_AS_SETS: Final = (
    "Assumes independent data sets; folds of one data set share training records, so it is significant too often."
)
SURE: Final = 0.95


@dataclass(frozen=True)
class ScoreWords:
    """What the compared scores are: their ``noun`` in a sentence, whether they are shares, and whether low is good."""

    noun: str = "accuracy"
    is_share: bool = True
    lower_is_better: bool = False

    @property
    def best(self) -> str:
        return f"{'lowest' if self.lower_is_better else 'highest'} {self.noun}"

    @property
    def better(self) -> str:
        return f"{'lower' if self.lower_is_better else 'higher'} {self.noun}"

    @property
    def difference_head(self) -> str:
        """The head of a column of differences, in which a positive one is for the first learner."""
        return "difference (points)" if self.is_share else "difference"

    def difference(self, value: float) -> str:
        """A difference for the table of pairs."""
        return f"{100 * value:.2f}" if self.is_share else f"{value:.4f}"


ACCURACY_WORDS: Final = ScoreWords()


@dataclass(frozen=True, eq=False)
class PairwiseResult:
    """Comparison of two learners over all rows; ``first`` has the better mean rank. Both are column indices.

    ``wins``, ``draws`` and ``losses`` count rows for the first. ``sure_wins`` and ``sure_losses`` count rows with a
    significant difference, None if untested. ``nemenyi`` is the p-value of the mean ranks.
    """

    first: int
    second: int
    difference: float
    wins: int
    draws: int
    losses: int
    sure_wins: int | None
    sure_losses: int | None
    test: SignificanceTest
    lead: PairedLead
    """The difference from the better mean to the other one, with its verdict."""
    nemenyi: float
    posterior: SuperiorityProbabilities

    @property
    def corrected(self) -> float:
        """p-value of ``test`` corrected for all pairs."""
        return self.lead.corrected

    @property
    def interval(self) -> tuple[float, float] | None:
        """Simultaneous interval of ``difference``; None over data sets."""
        ends = self.lead.interval
        return ends if ends is None or self.difference >= 0 else (-ends[1], -ends[0])

    @property
    def differs(self) -> bool:
        """Whether the difference is significant and relevant."""
        return self.lead.verdict is LeadVerdict.REAL

    @property
    def is_same(self) -> bool:
        """Whether both are practically equivalent: over folds by their interval, over data sets by their posterior."""
        if self.lead.paired is None:
            return self.posterior.same >= SURE
        return self.lead.verdict is LeadVerdict.NEGLIGIBLE


@dataclass(frozen=True, eq=False)
class MultiComparison:
    """Comparison of k learners over n rows: accuracies ``scores`` (n, k) and mean ranks ``ranks`` (k,).

    ``order`` are columns by mean rank, ``critical`` is the critical difference, ``bars`` are its groups as index pairs
    into ``order``.
    """

    learners: tuple[str, ...]
    rows: tuple[str, ...]
    scores: FloatArray
    ranks: FloatArray
    order: tuple[int, ...]
    critical: float
    bars: tuple[tuple[int, int], ...]
    tests: tuple[SignificanceTest, ...]
    pairs: tuple[PairwiseResult, ...]
    correction: str
    headline: str
    sentences: tuple[str, ...]
    words: ScoreWords = ACCURACY_WORDS

    @property
    def records_of_wins(self) -> list[list[str]]:
        """Rows (k + 1) of a table: the rows won-drawn-lost by each learner against each other one."""
        cells = {(a, a): f"0-{len(self.rows)}-0" for a in range(len(self.learners))}
        for pair in self.pairs:
            cells[pair.first, pair.second] = f"{pair.wins}-{pair.draws}-{pair.losses}"
            cells[pair.second, pair.first] = f"{pair.losses}-{pair.draws}-{pair.wins}"
        return self._square("won-drawn-lost", cells)

    @property
    def records_of_sure_wins(self) -> list[list[str]]:
        """As :attr:`records_of_wins`, where only significant differences count; empty if these are unknown."""
        n, cells = len(self.rows), {(a, a): f"0-{len(self.rows)}-0" for a in range(len(self.learners))}
        for pair in self.pairs:
            if pair.sure_wins is None or pair.sure_losses is None:
                return []
            draws = n - pair.sure_wins - pair.sure_losses
            cells[pair.first, pair.second] = f"{pair.sure_wins}-{draws}-{pair.sure_losses}"
            cells[pair.second, pair.first] = f"{pair.sure_losses}-{draws}-{pair.sure_wins}"
        return self._square("significantly won-drawn-lost", cells)

    def _square(self, corner: str, cells: dict[tuple[int, int], str]) -> list[list[str]]:
        names = self.learners
        return [[corner, *names], *([name, *(cells[a, b] for b in range(len(names)))] for a, name in enumerate(names))]


def compare_over_rows(
    learners: Sequence[str],
    rows: Sequence[str],
    scores: FloatArray,
    *,
    rope: float = 0.01,
    correction: str = DEFAULT_CORRECTION,
    sure: Counts | None = None,
    test_share: float | None = None,
    beside: Sequence[float] = (),
    n_pairs: int | None = None,
    words: ScoreWords = ACCURACY_WORDS,
) -> MultiComparison:
    """Compare k learners (two or more) over n rows of ``scores`` (n, k).

    Rows are data sets, tested by Wilcoxon's signed ranks. With ``test_share`` (tested / training records of a fold)
    they are folds of one data set, tested by the corrected resampled t test. ``sure`` (n, k, k) is 1 if the first is
    significantly better in that row. ``n_pairs`` is the size of the family if it has further pairs; ``beside`` are
    the p-values that are known of these. ``words`` say what the scores are; differences are positive for the better
    one. Raises :class:`DataError` for fewer than two learners, no data set, or fewer
    than two folds.
    """
    n, k = scores.shape
    row_name = "data set" if test_share is None else "fold"
    if k < 2:
        raise DataError("There is only one learner.", remedy="Name another one to compare it with.")
    if not n:
        raise DataError("There is no data set on which all learners were tested.", remedy="Name other files.")
    if test_share is not None and n < 2:
        raise DataError("One test part says nothing about chance.", remedy="Test with cross-validation.")
    signed = -scores if words.lower_is_better else scores
    ranks = mean_ranks(signed)
    order = tuple(np.argsort(ranks, kind="stable").tolist())
    critical = critical_difference(k, n, ALPHA)
    bars = tuple(cliques([float(ranks[learner]) for learner in order], critical))
    rules = _PairTest(rope, correction, test_share, tuple(beside), n_pairs or n_pairs_of(k))
    pairs = _pair_results(signed, ranks, order, rules, sure)
    tests = _tests_of_all(signed, "" if test_share is None else FOLDS_AS_SETS)
    best = order[0] if test_share is None else max(order, key=lambda learner: float(signed[:, learner].mean()))
    headline, sentences = _words(learners, n, row_name, best, pairs, correction, words)
    return MultiComparison(
        tuple(learners),
        tuple(rows),
        scores,
        ranks,
        order,
        critical,
        bars,
        tests,
        pairs,
        correction,
        headline,
        sentences,
        words,
    )


@dataclass(frozen=True)
class _PairTest:
    """The significance test and the Bayesian comparison of two learners."""

    rope: float
    correction: str
    test_share: float | None
    beside: tuple[float, ...]
    n_pairs: int

    def test(self, differences: FloatArray) -> SignificanceTest:
        return wilcoxon(differences) if self.test_share is None else corrected_resampled_t(differences, self.test_share)

    def lead(self, differences: FloatArray, test: SignificanceTest, corrected: float) -> PairedLead:
        p_value = 1.0 if test.p_value is None else test.p_value
        paired = None
        if self.test_share is not None:
            ahead = differences if differences.mean() >= 0 else -differences
            paired = paired_t(ahead, test_share=self.test_share)
        return PairedLead(paired, p_value, corrected, self.n_pairs, correction=self.correction)

    def posterior(self, differences: FloatArray) -> SuperiorityProbabilities:
        if self.test_share is None:
            return bayesian_signed_rank(differences, self.rope)
        return bayesian_correlated_t(differences, self.test_share, self.rope)


def _pair_results(
    scores: FloatArray, ranks: FloatArray, order: Sequence[int], rules: _PairTest, sure: Counts | None
) -> tuple[PairwiseResult, ...]:
    pairs = list(combinations(order, 2))
    apart = [(scores[:, a] - scores[:, b]).round(12) for a, b in pairs]
    tests = [rules.test(differences) for differences in apart]
    p_values = [1.0 if test.p_value is None else test.p_value for test in tests]
    corrected = corrected_p(p_values, rules.beside, rules.n_pairs, rules.correction)
    of_ranks = nemenyi(ranks, len(scores))
    return tuple(
        PairwiseResult(
            first=a,
            second=b,
            difference=float(differences.mean()),
            wins=int(np.count_nonzero(differences > 0)),
            draws=int(np.count_nonzero(differences == 0)),
            losses=int(np.count_nonzero(differences < 0)),
            sure_wins=None if sure is None else int(sure[:, a, b].sum()),
            sure_losses=None if sure is None else int(sure[:, b, a].sum()),
            test=test,
            lead=rules.lead(differences, test, p),
            nemenyi=float(of_ranks[a, b]),
            posterior=rules.posterior(differences),
        )
        for (a, b), differences, test, p in zip(pairs, apart, tests, corrected, strict=True)
    )


def _tests_of_all(scores: FloatArray, caution: str) -> tuple[SignificanceTest, ...]:
    """Friedman's test and Iman and Davenport's F; empty for fewer than three learners."""
    n, k = scores.shape
    if k < 3:
        return ()
    test = friedman(scores)
    if test.statistic is None:
        return (test,)
    return replace(test, caution=caution), iman_davenport(test.statistic, n, k)


# ---- in words --------------------------------------------------------------------------------------------------------


def _words(
    learners: Sequence[str],
    n: int,
    row_name: str,
    first: int,
    pairs: Sequence[PairwiseResult],
    correction: str,
    words: ScoreWords,
) -> tuple[str, tuple[str, ...]]:
    """Headline and sentences on the learner ``first``, the best by mean rank or, over folds, by mean accuracy."""
    several = f"{n} {row_name}{'' if n == 1 else 's'}"
    best = learners[first]
    own = [pair for pair in pairs if first in (pair.first, pair.second)]
    others = {id(pair): learners[pair.second if pair.first == first else pair.first] for pair in own}
    behind = [others[id(pair)] for pair in own if pair.differs and (pair.difference > 0) is not (pair.first == first)]
    apart = [others[id(pair)] for pair in own if pair.differs and others[id(pair)] not in behind]
    together = [others[id(pair)] for pair in own if not pair.differs]
    same = [others[id(pair)] for pair in own if pair.is_same]
    if behind:
        headline = f"{best} has the best mean rank, but not the {words.best.replace(words.noun, f'mean {words.noun}')}"
    elif not apart:
        these = "the two" if len(learners) == 2 else f"these {len(learners)}"
        headline = f"No significant difference between {these} with {several}"
        if same and len(same) == len(own):
            headline = "The two are practically equivalent" if len(own) == 1 else "All are practically equivalent"
    elif together:
        n_others = "one other is" if len(together) == 1 else f"{len(together)} others are"
        headline = f"{best} has the {words.best}; {n_others} not significantly worse"
    else:
        headline = f"{best} has a significantly {words.better} than {'the other' if len(own) == 1 else 'all others'}"
    sentences = [_wins_sentence(learners, pair, row_name, words) for pair in own[:1]]
    if behind:
        sentences.append(f"By the mean difference {listed(behind)} did significantly better.")
    if apart and together:
        sentences.append(f"Significantly worse: {listed(apart)}. Not significantly worse: {listed(together)}.")
    if same:
        sentences.append(f"Practically equivalent to {best}: {listed(same)}. Prefer what is simplest to explain.")
    if row_name == "data set":
        sentences += _too_few_sentences(n, len(learners), pairs, correction)
    if len(pairs) > 1:
        sentences.append(
            f"The p-values are corrected for {pairs[0].lead.n_pairs} pairs ({CORRECTIONS[correction].name})."
        )
    return headline, tuple(sentences)


def _too_few_sentences(n: int, k: int, pairs: Sequence[PairwiseResult], correction: str) -> list[str]:
    """That signed-rank tests over ``n`` data sets cannot be significant, whatever they say; empty if they can.

    The least two-sided p is that of equal signs everywhere, 2 / 2^n. The mean ranks of k learners may still differ.
    """
    least = min(1.0, 2.0 ** (1 - n))
    corrected = corrected_p([least], [], max(pairs[0].lead.n_pairs, len(pairs)), correction)[0]
    if corrected < ALPHA:
        return []
    also = f", {p_text(corrected)} corrected" if len(pairs) > 1 else ""
    several = f"{n} data set{'' if n == 1 else 's'}"
    sentences = [f"With {several} no signed-rank test can be significant: its least p is {p_text(least)}{also}."]
    if k > 2 and any(pair.nemenyi < ALPHA for pair in pairs):
        sentences.append("Only mean ranks differ significantly, by Nemenyi's test, which is approximate for so few.")
    elif k > 2 and critical_difference(k, n, ALPHA) < k - 1:
        sentences.append("Mean ranks could differ significantly by Nemenyi's test, which is approximate for so few.")
    return sentences


def _wins_sentence(learners: Sequence[str], pair: PairwiseResult, row_name: str, words: ScoreWords) -> str:
    """The record of a pair in words: "A is more accurate than B on 9 folds, less accurate on 3, equal on 2. ..."."""
    first, second = learners[pair.first], learners[pair.second]
    more, less = ("more accurate", "less accurate") if words == ACCURACY_WORDS else ("better", "worse")
    difference = points(pair.difference) if words.is_share else f"{pair.difference:.3f}"
    return (
        f"{first} is {more} than {second} on {pair.wins} {row_name}{'' if pair.wins == 1 else 's'}, "
        f"{less} on {pair.losses}, equal on {pair.draws}. Mean difference {difference}."
    )


def adjusted_words(leads: Sequence[PairedLead], noun: str) -> str:
    """For how many of these, named by the plural ``noun``, the tests were corrected: ", adjusted for 3 runs"."""
    n = max((lead.n_pairs for lead in leads), default=1)
    return f", adjusted for {n} {noun}" if n > 1 else ""


SIMULTANEOUS_MEANING: Final = (
    "In 95 of 100 comparisons all simultaneous intervals contain their true differences. They belong to p adjusted "
    "in a single step. The step-down test, which decides, can be significant where such an interval contains 0."
)


def n_beside_baseline(n_tested: int, n_planned: int, *, is_planned: bool) -> int:
    """Number of comparisons with the baseline; ``is_planned`` if the baseline is one of the planned learners."""
    return max(n_tested, n_planned - is_planned)


def family_words(of: PairedLead) -> str:
    """The family of a pair of learners, without an added baseline: "all 10 pairs of 5 learners (Tukey-Holm)"."""
    return f"all {of.n_pairs:,} pairs of {n_learners_of(of.n_pairs)} learners ({of.correction_name})"


def listed(names: Sequence[str]) -> str:
    """Names as a list: "A", "A and B" or "A, B and C"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


ALL_NAMED: Final = 4
MOST_NAMED: Final = 2
"""So many names are written where there are more than :data:`ALL_NAMED`, which are all written."""


def listed_in_brief(names: Sequence[str]) -> str:
    """A few names as a list, many as "A, B and 3 more"; empty without names."""
    return listed(names) if 0 < len(names) <= ALL_NAMED else and_more(names, MOST_NAMED)


# ---- tables ----------------------------------------------------------------------------------------------------------


def score_rows(
    overall: MultiComparison, corner: str, written: Callable[[float], str] = bare_percent
) -> list[list[str]]:
    """One row per data set or fold with the accuracy of every learner, then means and mean ranks."""
    lines = [[corner, *overall.learners]]
    for name, row in zip(overall.rows, overall.scores.tolist(), strict=True):
        lines.append([name, *map(written, row)])
    lines.append(["mean", *map(written, overall.scores.mean(axis=0).tolist())])
    lines.append(["mean rank", *(f"{rank:.2f}" for rank in overall.ranks)])
    return lines


def _bare_p(p: float) -> str:
    return f"{p:.4f}"


def pairwise_rows(overall: MultiComparison, written: Callable[[float], str] = _bare_p) -> list[list[str]]:
    """One row per pair: wins, draws, losses, mean difference, p-values as ``written``, and posterior probabilities."""
    name = CORRECTIONS[overall.correction].name
    has_sure = any(pair.sure_wins is not None for pair in overall.pairs)
    sure = ["significant wins", "significant losses"] if has_sure else []
    heads = ["better rank", "other", "won", "drawn", "lost", *sure, overall.words.difference_head]
    test = overall.pairs[0].test.name
    lines = [[*heads, f"p ({test})", f"{name} p", "Nemenyi p", "P(better)", "P(equivalent)", "P(worse)"]]
    for pair in overall.pairs:
        surely = [] if pair.sure_wins is None else [str(pair.sure_wins), str(pair.sure_losses)]
        p = 1.0 if pair.test.p_value is None else pair.test.p_value
        posterior = pair.posterior
        lines.append(
            [
                overall.learners[pair.first],
                overall.learners[pair.second],
                *(str(count) for count in (pair.wins, pair.draws, pair.losses)),
                *surely,
                overall.words.difference(pair.difference),
                *map(written, (p, pair.corrected, pair.nemenyi)),
                *(f"{share:.3f}" for share in (posterior.first, posterior.same, posterior.second)),
            ]
        )
    return lines


# ---- the best of many models by chance, like the most successful of fifty coin tossers -------------------------------


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
