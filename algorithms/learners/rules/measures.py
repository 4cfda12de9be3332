"""Measures of a rule from the records it covers, and the order in which classes get their rules.

Each takes counts (..., k) of what rules cover and what there is to cover (k,), and gives one number a rule; more is
better. ``target`` is the class that the rules are for; None where each is for the heaviest class in it. Source: Tan,
Steinbach, Karpatne and Kumar, Introduction to Data Mining, section 4.2 (first edition 5.1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.core.decisions import Costs
from algorithms.data.columns import FloatArray


@dataclass(frozen=True, eq=False)
class RulePrior:
    """What rules are judged against: ``counts`` (k,) of what there is to cover, and ``m`` of the m-estimate."""

    counts: FloatArray
    target: int | None = None
    m: float = 2.0

    def of_target(self, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
        """The positive and the whole weight (...) that rules cover, and below the share of that class in all."""
        total = counts.sum(axis=-1)
        return (counts.max(axis=-1) if self.target is None else counts[..., self.target]), total

    def prior(self, counts: FloatArray) -> FloatArray:
        """The share, in what there is to cover, of the class that each rule is for."""
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
    """(p + m prior) / (p + n + m), the prior being the share of the class in all; Laplace's where all priors and m are
    1 / k and k."""
    p, total = ground.of_target(counts)
    return np.asarray((p + ground.m * ground.prior(counts)) / (total + ground.m))


def foil_gain(counts: FloatArray, ground: RulePrior) -> FloatArray:
    """FOIL's information gain from the rule without conditions: p (log2 p / (p + n) - log2 of the class's share)."""
    p, total = ground.of_target(counts)
    share = np.divide(p, total, out=np.ones_like(total), where=(total > 0) & (p > 0))
    prior = np.maximum(ground.prior(counts), 1e-300)
    return np.where(p > 0, p * (np.log2(share) - np.log2(prior)), 0.0)


def likelihood_ratio(counts: FloatArray, ground: RulePrior) -> FloatArray:
    """2 sum of f ln(f / e) over the classes: f the weight covered of each, e what the same weight would have of it.

    Of a rule for a target there are two classes, it and the others, and one with less of it than a random draw counts
    below 0. It has the chi-square distribution where the rule covers records whatever their class.
    """
    observed, everything = counts, ground.counts
    if ground.target is not None:
        p, total = ground.of_target(counts)
        observed = np.stack([p, total - p], axis=-1)
        own = float(everything[ground.target])
        everything = np.array([own, float(everything.sum()) - own])
    expected = observed.sum(axis=-1, keepdims=True) * everything / max(float(everything.sum()), 1e-300)
    ratio = np.divide(observed, expected, out=np.ones_like(expected), where=(observed > 0) & (expected > 0))
    found = np.asarray(2 * (observed * np.log(ratio)).sum(axis=-1))
    if ground.target is None:
        return found
    return np.where(observed[..., 0] < expected[..., 0], -found, found)


def purity(counts: FloatArray, ground: RulePrior) -> FloatArray:
    """The entropy of the classes covered in bits, with a minus: 0 where there is but one.

    Of a rule for a target that is not the heaviest class it is below all others, the lower the purer it is.
    """
    total = counts.sum(axis=-1, keepdims=True)
    shares = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    found = np.where(total[..., 0] > 0, (shares * logs).sum(axis=-1), -np.inf)
    if ground.target is None:
        return found
    is_other = (counts[..., ground.target] < counts.max(axis=-1)) & (total[..., 0] > 0)
    return np.where(is_other, -2 * np.log2(len(ground.counts)) - found, found)


MEASURES: Final[Mapping[str, Measure]] = {
    "accuracy": accuracy,
    "laplace": laplace,
    "m-estimate": m_estimate,
    "foil": foil_gain,
    "likelihood-ratio": likelihood_ratio,
    "entropy": purity,
}


def rarest_first(total: FloatArray) -> list[int]:
    """The classes that there are, of these weights (k,), the rarest first."""
    return [int(code) for code in np.argsort(total, kind="stable") if total[code] > 0]


def dearest_first(total: FloatArray, costs: Costs) -> list[int]:
    """The same by what it costs in all to mistake a record of a class, the rarest of equals first.

    The rarest first where no costs are given, or costs for another number of classes.
    """
    order = rarest_first(total)
    if len(costs) != len(total):
        return order
    table = np.array(costs, dtype=np.float64)
    dear = table.sum(axis=1) - np.diag(table)
    return sorted(order, key=lambda code: -float(dear[code]))
