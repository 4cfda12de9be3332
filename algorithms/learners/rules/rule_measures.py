"""Measures of a rule, and greedy pruning of its conditions by their expected error.

A measure takes class weights (..., k) that rules cover and gives one number a rule; more is better. Sources: Tan,
Steinbach, Karpatne and Kumar, Introduction to Data Mining, section 4.2 (first edition 5.1); Quinlan, C4.5: Programs for
Machine Learning (1993), section 5.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray
from algorithms.learners.trees.pruning.error_estimates import binomial_upper_bound

EQUAL: Final = 1e-9


@dataclass(frozen=True, eq=False)
class RulePrior:
    """The class weights to cover (k,), the target class (None: the majority class of each rule), and m."""

    counts: FloatArray
    target: int | None = None
    m: float = 2.0

    def of_target(self, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The positive and the total weight (...) that rules cover."""
        total = counts.sum(axis=-1)
        return (counts.max(axis=-1) if self.target is None else counts[..., self.target]), total

    def prior(self, counts: FloatArray) -> FloatArray:
        """The prior share of the class of each rule."""
        shares = self.counts / max(float(self.counts.sum()), 1e-300)
        if self.target is None:
            return np.asarray(shares[np.argmax(counts, axis=-1)])
        return np.full(counts.shape[:-1], shares[self.target])


Measure = Callable[[FloatArray, RulePrior], FloatArray]


def accuracy(counts: FloatArray, ground: RulePrior) -> FloatArray:
    """p / (p + n); 0 where nothing is covered."""
    p, total = ground.of_target(counts)
    return np.divide(p, total, out=np.zeros_like(total), where=total > 0)


def laplace(counts: FloatArray, ground: RulePrior) -> FloatArray:
    """(p + 1) / (p + n + k) over k classes."""
    p, total = ground.of_target(counts)
    return np.asarray((p + 1) / (total + len(ground.counts)))


def m_estimate(counts: FloatArray, ground: RulePrior) -> FloatArray:
    """(p + m prior) / (p + n + m); equals Laplace's estimate for priors of 1 / k and m = k."""
    p, total = ground.of_target(counts)
    return np.asarray((p + ground.m * ground.prior(counts)) / (total + ground.m))


def foil_gain(counts: FloatArray, ground: RulePrior) -> FloatArray:
    """FOIL gain over the rule without conditions: p (log2(p / (p + n)) - log2(prior))."""
    p, total = ground.of_target(counts)
    share = np.divide(p, total, out=np.ones_like(total), where=(total > 0) & (p > 0))
    prior = np.maximum(ground.prior(counts), 1e-300)
    return np.where(p > 0, p * (np.log2(share) - np.log2(prior)), 0.0)


def likelihood_ratio(counts: FloatArray, ground: RulePrior) -> FloatArray:
    """2 sum f ln(f / e) over the classes, for the covered weight f and the expected weight e of each class.

    A rule for a target has two classes, the target and the rest; it counts negative with less of the target than
    expected. The statistic is chi-square distributed for a rule independent of the class.
    """
    observed, everything = counts, ground.counts
    if ground.target is not None:
        p, total = ground.of_target(counts)
        observed = np.stack([p, total - p], axis=-1)
        own = float(everything[ground.target])
        everything = np.array([own, float(everything.sum()) - own])
    expected = observed.sum(axis=-1, keepdims=True) * everything / max(float(everything.sum()), 1e-300)
    ratio = np.divide(observed, expected, out=np.ones_like(expected), where=(observed > 0) & (expected > 0))
    statistic = np.asarray(2 * (observed * np.log(ratio)).sum(axis=-1))
    if ground.target is None:
        return statistic
    return np.where(observed[..., 0] < expected[..., 0], -statistic, statistic)


def purity(counts: FloatArray, ground: RulePrior) -> FloatArray:
    """Negative entropy in bits of the covered classes; rules of another majority class rank below, purer ones lower."""
    total = counts.sum(axis=-1, keepdims=True)
    shares = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    worth = np.where(total[..., 0] > 0, (shares * logs).sum(axis=-1), -np.inf)
    if ground.target is None:
        return worth
    is_other = (counts[..., ground.target] < counts.max(axis=-1)) & (total[..., 0] > 0)
    return np.where(is_other, -2 * np.log2(len(ground.counts)) - worth, worth)


MEASURES: Final[Mapping[str, Measure]] = {
    "accuracy": accuracy,
    "laplace": laplace,
    "m-estimate": m_estimate,
    "foil": foil_gain,
    "likelihood-ratio": likelihood_ratio,
    "entropy": purity,
}


def degrees_of_freedom(ground: RulePrior) -> int:
    """Degrees of freedom: the number of classes minus one, two classes for a rule with a target."""
    return 1 if ground.target is not None else max(1, int(np.count_nonzero(ground.counts)) - 1)


@cache
def critical_value(significance: float, degrees: int) -> float:
    """Critical value of the chi-square distribution."""
    from scipy.special import chdtri  # late: listing learners does without

    return float(chdtri(degrees, significance))


Bools = NDArray[np.bool_]
Errors = Callable[[FloatArray, FloatArray], FloatArray]
"""Expected error rates of rules (j,) from the weight they cover and the weight they get wrong."""

Watch = Callable[[list[int], FloatArray, FloatArray, int], None]
"""Called before a condition is removed, with the m conditions left, the weights covered and wrong (1 + m, 2) of the
rule and without each of them, the expected errors (1 + m,), and the place of the removed one."""


def pessimistic(confidence: float, guessing: float) -> Errors:
    """Upper confidence bound of the error rate; ``guessing`` for a rule that covers no record."""

    def errors(covered: FloatArray, wrong: FloatArray) -> FloatArray:
        some = covered > EQUAL
        bounds = binomial_upper_bound(np.where(some, covered, 1.0), np.where(some, wrong, 0.0), confidence)
        return np.where(some, bounds, guessing)

    return errors


def held_out(covered: FloatArray, wrong: FloatArray) -> FloatArray:
    """Error rate on held-out records, with one right and one wrong record added."""
    return np.asarray((wrong + 1.0) / (covered + 2.0))


class Failures:
    """Weights of the records that fail no condition, or one: ``failed`` (m, n); ``sums`` (n, 2): all, and wrong."""

    def __init__(self, failed: Bools, sums: FloatArray) -> None:
        self._failed, self._sums = failed, sums
        self._n_failed = failed.sum(axis=0, dtype=np.int32)

    def __len__(self) -> int:
        return len(self._failed)

    def of(self, kept: list[int]) -> FloatArray:
        """The weights (1 + m, 2) of the records that fail none of the m kept conditions, or only each of them."""
        once = np.flatnonzero(self._n_failed == 1)
        none = self._sums[self._n_failed == 0].sum(axis=0)
        return np.vstack([none, self._failed[kept][:, once] @ self._sums[once]])

    def remove(self, condition: int) -> None:
        """Count without a condition from now on."""
        self._n_failed -= self._failed[condition]


def shortened(failures: Failures, errors: Errors, watch: Watch | None = None) -> tuple[list[int], float]:
    """Greedy pruning: which conditions stay, and the expected error rate.

    The condition whose removal gives the least expected error goes, the last of equals, while the error does not rise.
    """
    kept = list(range(len(failures)))
    while True:
        covered = failures.of(kept)
        covered[1:] += covered[0]
        expected = errors(covered[:, 0], covered[:, 1])
        if not kept:
            break
        least = expected[1:].min()
        if least > expected[0] + EQUAL:
            break
        place = int(np.flatnonzero(expected[1:] <= least + EQUAL)[-1])
        if watch is not None:
            watch(list(kept), covered, expected, place)
        failures.remove(kept[place])
        del kept[place]
    return kept, float(expected[0])
