"""A tree rewritten as rules (C4.5rules): rules generalised, a subset chosen for each class, step by step.

Source: Quinlan, C4.5: Programs for Machine Learning (1993), section 5.1.

Sources: Quinlan, C4.5: Programs for Machine Learning (1993), section 5.2; MDL and Categorical Theories (1995).

Source: Quinlan, C4.5: Programs for Machine Learning (1993), section 5.3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import log2
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from algorithms.core.context import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.rules.learn_one_rule import Watch, pessimistic, shortened
from algorithms.learners.rules.matching import LAST_RANK, RankedData, RuleMatcher
from algorithms.learners.rules.tree_paths import joined, tree_paths
from algorithms.structures.rule_set import Rule, RuleCondition, RuleSet, put_together
from algorithms.structures.tree import Tree

Bools = NDArray[np.bool_]
Checkpoint = Callable[[], None]

_MOST_KEPT: Final = 1 << 28
"""So many answers (records times conditions) are remembered at most."""


class ConditionMatches:
    """Which records meet which conditions; what was found is remembered as far as there is room."""

    def __init__(self, data: Dataset, checkpoint: Checkpoint) -> None:
        self.data = data
        self._checkpoint = checkpoint
        self._known: dict[RuleCondition, Bools] = {}

    def meets(self, condition: RuleCondition) -> Bools:
        """Which records (n,) meet a condition."""
        found = self._known.get(condition)
        if found is None:
            rules = put_together(self.data.schema, [Rule((condition,), 0)], 0)
            found = RuleMatcher(rules).covered(0, self.data, self._checkpoint)
            if (len(self._known) + 1) * len(self.data) <= _MOST_KEPT:
                self._known[condition] = found
        return found

    def meets_all(self, conditions: tuple[RuleCondition, ...]) -> Bools:
        """Which records (n,) meet all of these conditions."""
        found = np.ones(len(self.data), dtype=np.bool_)
        for condition in conditions:
            found &= self.meets(condition)
        return found


@dataclass(frozen=True)
class Simplified:
    """A rule, the share of errors that is expected of it on new records, and which records (n,) it covers."""

    rule: Rule
    error: float
    covered: Bools = field(repr=False, compare=False)


class Simplifier:
    """Drops conditions of rules, one after the other, judged by the records of ``answers``.

    ``confidence`` is that of the upper bound of a rule's error rate.
    """

    def __init__(self, answers: ConditionMatches, confidence: float) -> None:
        self._answers, self._confidence = answers, confidence
        data = answers.data
        self._codes = data.class_codes
        self._weights = np.array(data.weight_array, dtype=np.float64)
        self._of_class = np.bincount(self._codes, self._weights, minlength=len(data.schema.classes))

    def guessing_error(self, target: int) -> float:
        """The share of errors expected of a rule for this class without conditions, and of one that covers nothing."""
        return 1.0 - (float(self._of_class[target]) + 1.0) / (float(self._of_class.sum()) + 2.0)

    def meets(self, condition: RuleCondition) -> Bools:
        """Which records (n,) meet a condition."""
        return self._answers.meets(condition)

    def simplified(self, rule: Rule, watch: Watch | None = None) -> Simplified:
        """The rule without the conditions that can be spared
        (:func:`~algorithms.learners.rules.learn_one_rule.shortened`)."""
        sums = np.stack([self._weights, np.where(self._codes == rule.decision, 0.0, self._weights)], axis=1)
        meets = [self._answers.meets(condition) for condition in rule.conditions]
        failed = ~np.array(meets) if meets else np.zeros((0, len(sums)), np.bool_)
        errors = pessimistic(self._confidence, self.guessing_error(rule.decision))
        kept, error = shortened(failed, sums, errors, watch)
        covered: Bools = np.logical_not(failed[kept].any(axis=0))
        return Simplified(Rule(tuple(rule.conditions[i] for i in kept), rule.decision), error, covered)


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
class RuleSelection:
    """Which rules (r,) are kept, and the bits of the whole description."""

    kept: Bools
    bits: float


def _never() -> bool:
    return False


def best_subset(
    candidates: Candidates, random: np.random.Generator, checkpoint: Checkpoint, hurried: Callable[[], bool] = _never
) -> RuleSelection:
    """The subset of the shortest description: of all where there are few rules, else the best that is found by adding
    and leaving out the rule that spares most, from none, all and random subsets in between. ``hurried`` asks for the
    best found so far; all rules where that is none."""
    if candidates.n_rules <= EVERY_SUBSET:
        return _of_all(candidates)
    best: RuleSelection | None = None
    for start in range(_STARTS):
        if hurried():
            break
        kept = random.random(candidates.n_rules) < start / (_STARTS - 1)
        found = _Climb(candidates, kept).climbed(checkpoint, hurried)
        if best is None or found.bits < best.bits - _EQUAL:
            best = found
    return best or _Climb(candidates, np.ones(candidates.n_rules, dtype=np.bool_)).climbed(checkpoint, hurried)


def _of_all(candidates: Candidates) -> RuleSelection:
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
    return RuleSelection(inside[best] > 0, float(bits[best]))


class _Climb:
    """A subset, with what each rule would change by being added or left out, brought up to date rule by rule."""

    def __init__(self, candidates: Candidates, kept: Bools) -> None:
        self._candidates, self._kept = candidates, kept.copy()
        self._times = candidates.times_covered(kept)
        every = np.arange(len(self._times))
        self._alone, self._once = candidates.summed(every, _marks(self._times)).transpose(1, 0, 2)

    def climbed(self, checkpoint: Checkpoint, hurried: Callable[[], bool]) -> RuleSelection:
        """The subset when no single rule more or less shortens the description, or the one reached in a hurry."""
        while True:
            checkpoint()
            bits, changed = self._weighed()
            place = int(np.argmin(changed))
            if changed[place] >= bits - 1e-6 or hurried():
                return RuleSelection(self._kept.copy(), bits)
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


def by_false_positives(rules: dict[int, list[Simplified]], codes: IntArray, weights: FloatArray) -> list[int]:
    """The classes, each time the one next whose rules cover the least weight of other classes in what is left."""
    left, order = np.ones(len(codes), dtype=np.bool_), list[int]()
    covered = {code: _union(each, len(codes)) for code, each in rules.items()}
    while len(order) < len(rules):
        wrong = {
            code: float(weights[left & covered[code] & (codes != code)].sum()) for code in rules if code not in order
        }
        order.append(min(wrong, key=lambda code: (round(wrong[code], 9), code)))
        left &= ~covered[order[-1]]
    return order


def _union(rules: list[Simplified], n: int) -> np.ndarray:
    found = np.zeros(n, dtype=np.bool_)
    for each in rules:
        found |= each.covered
    return found


def default_class(rules: list[Simplified], codes: IntArray, weights: FloatArray, k: int) -> int:
    """The class that is heaviest in what no rule covers, of several the one that is heaviest in all."""
    left = ~_union(rules, len(codes))
    counts = np.bincount(codes[left], weights[left], minlength=k)
    every = np.bincount(codes, weights, minlength=k)
    return max(range(k), key=lambda code: (round(float(counts[code]), 9), round(float(every[code]), 9), -code))


def without_harmful(
    rules: list[Simplified], default: int, codes: IntArray, weights: FloatArray, checkpoint: Checkpoint
) -> list[Simplified]:
    """The list without rules but for which it would be right about more: the first such goes, then it is asked anew."""
    rules = list(rules)
    while True:
        checkpoint()
        better = _advantages(rules, default, codes, weights)
        harmful = np.flatnonzero(better < -1e-9)
        if len(harmful) == 0:
            return rules
        del rules[int(harmful[0])]


def _advantages(rules: list[Simplified], default: int, codes: IntArray, weights: FloatArray) -> FloatArray:
    """For each rule the weight that the list is right about thanks to it, less what it is wrong about for it."""
    n = len(codes)
    first, second = np.full(n, len(rules), dtype=np.int64), np.full(n, len(rules), dtype=np.int64)
    for place in reversed(range(len(rules))):
        covered = rules[place].covered
        second[covered] = first[covered]
        first[covered] = place
    says = np.array([*(each.rule.decision for each in rules), default], dtype=np.int64)
    change = (says[first] == codes).astype(np.float64) - (says[second] == codes)
    return np.asarray(np.bincount(first, weights * change, minlength=len(rules) + 1)[: len(rules)])


@dataclass(frozen=True)
class RewritingOptions:
    """See :class:`algorithms.learners.rules.c45_rules.C45Rules`."""

    confidence: float = 0.25
    rules_weight: float = 0.5
    balanced: bool = True
    by_false_positives: bool = False


def rewritten(
    tree: Tree,
    data: Dataset,
    options: RewritingOptions,
    context: RunContext,
    rewriting: type[TreeRewriting] | None = None,
) -> tuple[RuleSet, bool]:
    """The rules that a tree grown on this data is rewritten to, without counts, and whether it was finished early.

    Then they are the best of the heaviest ways, as far as these were looked at. ``rewriting`` watches their making.
    """
    work = (rewriting or TreeRewriting)(data, options, context)
    rules, default = work.settled(work.chosen(work.simplified(tree)))
    made = [Rule(joined(each.rule.conditions), each.rule.decision) for each in rules]
    return put_together(data.schema, made, default, criterion="description-length"), context.finishing


class TreeRewriting:
    """The steps from a tree to a list of rules."""

    def __init__(self, data: Dataset, options: RewritingOptions, context: RunContext) -> None:
        self.data, self.options, self.context = data, options, context
        self.codes = data.class_codes.astype(np.int64)
        self.weights = np.array(data.weight_array, dtype=np.float64)

    def simplified(self, tree: Tree) -> list[Simplified]:
        """The ways of the tree made shorter, each once, without those that are no better than guessing.

        The heaviest are looked at first, so that those stand that matter most where it is finished early.
        """
        simplifier = Simplifier(ConditionMatches(self.data, self.context.checkpoint), self.options.confidence)
        ways = tree_paths(tree, self.context.checkpoint)
        heavy = np.array([tree.counts[way.leaf].sum() for way in ways])
        found = dict[tuple[int, frozenset[RuleCondition]], tuple[int, Simplified]]()
        for done, number in enumerate(np.argsort(-heavy, kind="stable").tolist()):
            self.context.checkpoint()
            if self.context.finishing or heavy[number] <= 0:
                break
            self.context.advance(done, 2 * len(ways))
            way = ways[number]
            each = self.shortened(simplifier, Rule(way.conditions, way.decision))
            key = way.decision, frozenset(each.rule.conditions)
            is_sure = bool(each.rule.conditions) and each.error < simplifier.guessing_error(way.decision) - 1e-9
            first, known = found.get(key, (number, None))
            if self.is_taken(each, is_sure=is_sure, is_new=known is None):
                found[key] = (number, each) if known is None or number < first else (first, known)
        return [each for _, each in sorted(found.values(), key=lambda one: one[0])]

    def shortened(self, simplifier: Simplifier, rule: Rule) -> Simplified:
        """A way without the conditions that it can spare."""
        return simplifier.simplified(rule)

    def is_taken(self, each: Simplified, *, is_sure: bool, is_new: bool) -> bool:
        """Whether a rule is one to choose from: it is better than guessing."""
        return is_sure

    def chosen(self, simplified: list[Simplified]) -> list[Simplified]:
        """The best subset for each class, the classes in order, in each the most certain rule first."""
        bits_of = ConditionBits(RankedData.of(self.data, self.context.checkpoint))
        told = Description(float(self.weights.sum()), self.options.balanced, self.options.rules_weight)
        random = self.context.random()
        kept, lengths = dict[int, list[Simplified]](), dict[int, float]()
        classes = sorted({each.rule.decision for each in simplified})
        for number, code in enumerate(classes):
            self.context.advance(len(classes) + number, 2 * len(classes))
            own = [each for each in simplified if each.rule.decision == code]
            choice = self.subset(own, code, bits_of, told, random)
            lengths[code] = choice.bits
            some = [each for each, keep in zip(own, choice.kept.tolist(), strict=True) if keep]
            kept[code] = sorted(some, key=lambda each: each.error)
        if self.options.by_false_positives:
            order = by_false_positives(kept, self.codes, self.weights)
        else:
            order = sorted(kept, key=lambda code: (round(lengths[code], 6), code))
        return [each for code in order for each in kept[code]]

    def settled(self, rules: list[Simplified]) -> tuple[list[Simplified], int]:
        """The list without rules that do harm, and the class of the default rule."""
        default = default_class(rules, self.codes, self.weights, len(self.data.schema.classes))
        if self.context.finishing:
            return rules, default
        return without_harmful(rules, default, self.codes, self.weights, self.context.checkpoint), default

    def subset(
        self,
        own: list[Simplified],
        code: int,
        bits_of: ConditionBits,
        told: Description,
        random: np.random.Generator,
    ) -> RuleSelection:
        """Which of the rules for a class describe it in the fewest bits."""
        is_own = self.codes == code
        weights = np.stack([np.where(is_own, self.weights, 0.0), np.where(is_own, 0.0, self.weights)], axis=1)
        bits = np.array([bits_of.rule(each.rule) for each in own])
        candidates = Candidates.of([each.covered for each in own], bits, weights, told)
        return best_subset(candidates, random, self.context.checkpoint, lambda: self.context.finishing)


class ConditionBits:
    """The bits that spell conditions out: which attribute, and which of its values, or which cut and side of it.

    As in Quinlan's own program (release 8): a value takes as many bits as the values of its attribute are uncertain, a
    cut one bit and half the logarithm of how many different numbers there are; an attribute as many as attributes are
    uncertain, each as likely as its values take bits; a list of values one bit for each value there is.
    """

    def __init__(self, ranked: RankedData) -> None:
        self._attributes = ranked.data.schema.attributes
        self._bits = {index: _branch_bits(ranked, place) for place, index in enumerate(ranked.predictors)}
        shares = np.array(list(self._bits.values())) / max(sum(self._bits.values()), 1e-300)
        self._which = float(special.entr(shares).sum() / np.log(2))

    def condition(self, condition: RuleCondition) -> float:
        """The bits of one condition."""
        if condition.values is None or len(condition.values) == 1:
            return self._which + self._bits[condition.attribute]
        return self._which + len(self._attributes[condition.attribute].values)

    def rule(self, rule: Rule) -> float:
        """The bits of a rule: how many conditions, and each of them, whose order does not matter."""
        m = len(rule.conditions)
        spelled = sum(self.condition(each) for each in rule.conditions)
        return float(spelled + log2(max(1, m)) - special.gammaln(m + 1) / np.log(2))


def _branch_bits(ranked: RankedData, place: int) -> float:
    if not ranked.data.schema.attributes[ranked.predictors[place]].kind.is_coded:
        n = ranked.n_distinct(place)
        return 1.0 + log2(n) / 2 if n > 1 else 0.0
    codes = ranked.ranks[place]
    known = codes <= LAST_RANK
    weights = ranked.weights[known] if len(ranked.weights) else None
    counts = np.bincount(codes[known].astype(np.int64), weights)
    total = ranked.weight_of(np.arange(ranked.n_records))
    return float(special.entr(counts / max(total, 1e-300)).sum() / np.log(2))
