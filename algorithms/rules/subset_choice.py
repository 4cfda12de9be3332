"""Which of the rules for one class to keep: those that describe best, in the fewest bits, which records are of it.

Sources: Quinlan, C4.5: Programs for Machine Learning (1993), section 5.2; MDL and Categorical Theories (1995).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log2
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from algorithms.core.columns import FloatArray, IntArray

Bools = NDArray[np.bool_]
Checkpoint = Callable[[], None]

EVERY_SUBSET: Final = 10
"""Of so many rules every subset is looked at."""

_STARTS: Final = 11
_EQUAL: Final = 1e-9
_IMPOSSIBLE: Final = 1e6


@dataclass(frozen=True)
class Description:
    """What bits are reckoned from: the weight of all records, how exceptions are told, and the weight of the bits of
    the rules against those of the exceptions."""

    total: float
    balanced: bool
    rules_weight: float

    def exceptions(self, covered: ArrayLike, false_positive: ArrayLike, false_negative: ArrayLike) -> FloatArray:
        """Bits (...) that say which of the records covered, and which of the others, the rules get wrong."""
        c, fp, fn = (
            np.maximum(np.asarray(v, dtype=np.float64), 0.0) for v in (covered, false_positive, false_negative)
        )
        left = np.maximum(self.total - c, 0.0)
        if not self.balanced:
            return _choices(c, fp) + _choices(left, fn)
        half = 0.5 * (fp + fn)
        many = c > 0.5 * self.total
        told = _told(c, fp, np.where(many, half, fp)) + _told(left, fn, np.where(many, fn, half))
        return np.asarray(log2(max(self.total, 1.0)) + told)

    def theory(self, bits: ArrayLike, count: ArrayLike) -> FloatArray:
        """Bits that spell rules out, of which there are ``count`` with ``bits`` in all: their order does not matter."""
        return np.asarray(self.rules_weight * (np.asarray(bits) - special.gammaln(np.asarray(count) + 1.0) / np.log(2)))


def _choices(n: FloatArray, k: FloatArray) -> FloatArray:
    """log2 of the number of ways to choose k of n things."""
    k = np.minimum(k, n)
    ways = special.gammaln(n + 1) - special.gammaln(k + 1) - special.gammaln(n - k + 1)
    return np.asarray(ways / np.log(2))


def _told(n: FloatArray, k: FloatArray, expected: FloatArray) -> FloatArray:
    """Bits that single out k of n things where ``expected`` of them were."""
    sure, all_of = expected <= 1e-6, expected >= n - 1e-6
    rate = np.where(sure | all_of, 0.5, expected / np.maximum(n, 1e-300))
    bits = -k * np.log2(rate) - (n - k) * np.log2(1 - rate)
    bits = np.where(all_of, np.where(np.abs(n - k) <= 1e-6, 0.0, _IMPOSSIBLE), bits)
    return np.where(sure, np.where(k <= 1e-6, 0.0, _IMPOSSIBLE), bits)


@dataclass(frozen=True, eq=False)
class Candidates:
    """The r rules for one class, the bits that spell each out (r,), and n records of weight (n, 2), positive and
    negative.

    The records that rule i covers are ``rows`` from ``rule_start[i]`` to ``rule_start[i + 1]``; the rules that cover
    record j are ``rules`` from ``row_start[j]`` to ``row_start[j + 1]``.
    """

    rule_start: IntArray
    rows: IntArray
    row_start: IntArray
    rules: IntArray
    bits: FloatArray
    weights: FloatArray
    description: Description

    @classmethod
    def of(cls, covered: list[Bools], bits: FloatArray, weights: FloatArray, description: Description) -> Candidates:
        """The same, of which records (n,) each rule covers."""
        found = [np.flatnonzero(each) for each in covered]
        sizes = np.array([len(each) for each in found], dtype=np.int64)
        rows = np.concatenate([np.zeros(0, np.int64), *found])
        rules = np.repeat(np.arange(len(found)), sizes)
        order = np.argsort(rows, kind="stable")
        times = np.bincount(rows, minlength=len(weights))
        starts = (np.append(0, np.cumsum(each)).astype(np.int64) for each in (sizes, times))
        return cls(next(starts), rows, next(starts), rules[order], bits, weights, description)

    def covered(self, rule: int) -> IntArray:
        """The records that a rule covers."""
        return self.rows[self.rule_start[rule] : self.rule_start[rule + 1]]

    def times_covered(self, kept: Bools) -> IntArray:
        """How many of the rules that are kept (r,) cover each record (n,)."""
        inside = np.repeat(kept, np.diff(self.rule_start))
        return np.bincount(self.rows[inside], minlength=len(self.weights)).astype(np.int64)

    def summed(self, rows: IntArray, factors: FloatArray) -> FloatArray:
        """The weights (r, m, 2) of these records, each times its factors (rows, m), that each rule covers."""
        first, last = self.row_start[rows], self.row_start[rows + 1]
        sizes = last - first
        at = np.repeat(np.arange(len(rows)), sizes)
        places = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes) + np.repeat(first, sizes)
        values = (factors[:, :, None] * self.weights[rows][:, None, :]).reshape(len(rows), 2 * factors.shape[1])[at]
        own = self.rules[places]
        sums = [np.bincount(own, values[:, c], minlength=self.n_rules) for c in range(values.shape[1])]
        return np.stack(sums, axis=1).astype(np.float64).reshape(self.n_rules, -1, 2)

    @property
    def n_rules(self) -> int:
        return len(self.bits)

    @property
    def positive(self) -> float:
        return float(self.weights[:, 0].sum())


@dataclass(frozen=True)
class Choice:
    """Which rules (r,) are kept, and the bits of the whole description."""

    kept: Bools
    bits: float


def _never() -> bool:
    return False


def best_subset(
    candidates: Candidates, random: np.random.Generator, checkpoint: Checkpoint, hurried: Callable[[], bool] = _never
) -> Choice:
    """The subset of the shortest description: of all where there are few rules, else the best that is found by adding
    and leaving out the rule that spares most, from none, all and random subsets in between. ``hurried`` asks for the
    best found so far; all rules where that is none."""
    if candidates.n_rules <= EVERY_SUBSET:
        return _of_all(candidates)
    best: Choice | None = None
    for start in range(_STARTS):
        if hurried():
            break
        kept = random.random(candidates.n_rules) < start / (_STARTS - 1)
        found = _Climb(candidates, kept).climbed(checkpoint, hurried)
        if best is None or found.bits < best.bits - _EQUAL:
            best = found
    return best or _Climb(candidates, np.ones(candidates.n_rules, dtype=np.bool_)).climbed(checkpoint, hurried)


def _of_all(candidates: Candidates) -> Choice:
    r = candidates.n_rules
    pattern = np.zeros(len(candidates.weights), dtype=np.int64)
    for rule in range(r):
        pattern[candidates.covered(rule)] |= 1 << rule
    sums = np.stack([np.bincount(pattern, candidates.weights[:, side], minlength=1 << r) for side in (0, 1)], axis=1)
    subsets = np.arange(1 << r)
    meets = (subsets[:, None] & subsets[None, :]) != 0
    positive, negative = (meets @ sums).T
    inside = ((subsets[:, None] >> np.arange(r)) & 1).astype(np.float64)
    told = candidates.description
    bits = told.exceptions(positive + negative, negative, candidates.positive - positive)
    bits = bits + told.theory(inside @ candidates.bits, inside.sum(axis=1))
    best = int(np.flatnonzero(bits <= bits.min() + _EQUAL)[0])
    return Choice(inside[best] > 0, float(bits[best]))


class _Climb:
    """A subset, with what each rule would change by being added or left out, brought up to date rule by rule."""

    def __init__(self, candidates: Candidates, kept: Bools) -> None:
        self._candidates, self._kept = candidates, kept.copy()
        self._times = candidates.times_covered(kept)
        every = np.arange(len(self._times))
        self._alone, self._once = candidates.summed(every, _marks(self._times)).transpose(1, 0, 2)

    def climbed(self, checkpoint: Checkpoint, hurried: Callable[[], bool]) -> Choice:
        """The subset when no single rule more or less shortens the description, or the one reached in a hurry."""
        while True:
            checkpoint()
            bits, changed = self._weighed()
            place = int(np.argmin(changed))
            if changed[place] >= bits - 1e-6 or hurried():
                return Choice(self._kept.copy(), bits)
            self._toggle(place)

    def _weighed(self) -> tuple[float, FloatArray]:
        """The bits of the subset, and what they would be with each rule (r,) added, or left out where it is in."""
        c, told = self._candidates, self._candidates.description
        has = c.weights[self._times > 0].sum(axis=0)
        change = np.where(self._kept[:, None], -self._once, self._alone)
        p, n = np.vstack([has, has + change]).T
        count, spelled = int(self._kept.sum()), float(c.bits[self._kept].sum())
        sign = np.where(self._kept, -1, 1)
        theory = told.theory(np.append(spelled, spelled + sign * c.bits), np.append(count, count + sign))
        bits = told.exceptions(p + n, n, c.positive - p) + theory
        return float(bits[0]), bits[1:]

    def _toggle(self, rule: int) -> None:
        rows = self._candidates.covered(rule)
        before = self._times[rows]
        self._kept[rule] = not self._kept[rule]
        self._times[rows] += 1 if self._kept[rule] else -1
        changed = self._candidates.summed(rows, _marks(self._times[rows]) - _marks(before))
        self._alone, self._once = self._alone + changed[:, 0], self._once + changed[:, 1]


def _marks(times: IntArray) -> FloatArray:
    """Which records (n, 2) no rule covers, and which one alone."""
    return np.stack([times == 0, times == 1], axis=1).astype(np.float64)
