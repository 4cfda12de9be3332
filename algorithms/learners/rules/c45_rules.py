"""C4.5 rules: paths of a tree, generalised, a subset for each class (Quinlan 1993, sections 5.1 to 5.3; 1995)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import log2
from typing import ClassVar, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from algorithms.core.errors import DataError
from algorithms.core.learner import Problem
from algorithms.core.parameters import Option, choice, real
from algorithms.core.run_control import RunContext
from algorithms.data.columns import Column, FloatArray, IntArray, missing_mask
from algorithms.data.dataset import Dataset
from algorithms.data.summary import Summary
from algorithms.learners.rules.model import KERNELS, LAST_RANK, Bits, RankedData, RuleLearner, packed, unpacked
from algorithms.learners.rules.rule_measures import Failures, Watch, pessimistic, shortened
from algorithms.learners.trees import parameters
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.tree_learner import KERNELS as TREE_KERNELS
from algorithms.structures.rule_set import Rule, RuleCondition, RuleSet, put_together
from algorithms.structures.tree import SplitTest, Tree

Checkpoint = Callable[[], None]


def tree_paths(
    tree: Tree, checkpoint: Checkpoint, missing: frozenset[int] | None = None
) -> list[tuple[int, tuple[RuleCondition, ...]]]:
    """Each leaf with the conditions that lead to it, one for each split, from the first branch to the last.

    A value unseen in training meets the condition of the branch that takes it, the heaviest where the tree divides the
    record. So does a missing value of the attributes in ``missing``. With ``missing`` None, neither meets a condition.
    Raises :class:`DataError` for a tree with oblique splits.
    """
    paths: list[tuple[int, tuple[RuleCondition, ...]]] = []
    waiting: list[tuple[int, tuple[RuleCondition, ...]]] = [(0, ())]
    while waiting:
        checkpoint()
        node, conditions = waiting.pop()
        if tree.is_leaf(node):
            paths.append((node, conditions))
            continue
        branches = _branch_conditions(tree, node, missing)
        children = list(tree.children(node))
        waiting += [(children[b], (*conditions, branches[b])) for b in reversed(range(len(children)))]
    return paths


def _branch_conditions(tree: Tree, node: int, missing: frozenset[int] | None) -> list[RuleCondition]:
    """The condition of each branch of a node."""
    if tree.is_linear(node):
        raise DataError(
            "This tree splits on combinations of attributes, which conditions of rules cannot express.",
            remedy="Choose a tree that asks about one attribute at a time.",
        )
    index = int(tree.attribute[node])
    n_branches = int(tree.n_children[node])
    if tree.is_numeric(node) or int(tree.test[node]) == SplitTest.RANGES:
        is_one_cut = int(tree.test[node]) != SplitTest.RANGES
        ends = [float(tree.threshold[node]), np.inf] if is_one_cut else tree.ends(node).tolist()
        never = RuleCondition(index, np.inf, -np.inf)
        conditions = range_conditions(index, ends)
        conditions += [never] * (n_branches - len(conditions))
    else:
        conditions = [RuleCondition(index, values=tree.values_of_branch(node, b)) for b in range(n_branches)]
    if missing is None:
        return conditions
    branch = int(tree.missing_to[node])
    if branch < 0:
        branch = int(np.argmax(tree.counts[list(tree.children(node))].sum(axis=1)))
    taker = replace(conditions[branch], takes_missing=index in missing)
    if taker.values is not None:
        offset, size = int(tree.offset[node]), len(tree.schema.attributes[index].values)
        unseen = np.flatnonzero(tree.branch_of[offset : offset + size] < 0).tolist()
        taker = replace(taker, values=tuple(sorted({*taker.values, *unseen})))
    conditions[branch] = taker
    return conditions


def range_conditions(index: int, ends: list[float]) -> list[RuleCondition]:
    """Adjacent ranges of an attribute, each up to one of the ascending ``ends``; the first has no lower bound."""
    bounds = pairwise([-np.inf, *ends])
    return [RuleCondition(index, low, high, low_is_open=low > -np.inf) for low, high in bounds]


def joined(conditions: Iterable[RuleCondition]) -> tuple[RuleCondition, ...]:
    """The conditions intersected to one for each attribute, in the order of first appearance."""
    by_attribute: dict[int, RuleCondition] = {}
    for condition in conditions:
        before = by_attribute.get(condition.attribute)
        by_attribute[condition.attribute] = condition if before is None else _both(before, condition)
    return tuple(by_attribute.values())


def _both(one: RuleCondition, other: RuleCondition) -> RuleCondition:
    missing, share = one.takes_missing and other.takes_missing, one.missing_share * other.missing_share
    if one.values is not None and other.values is not None:
        common = tuple(v for v in one.values if v in other.values)
        return replace(one, values=common, takes_missing=missing, missing_share=share)
    low = max(one.low, other.low)
    is_open = any(condition.low_is_open and condition.low == low for condition in (one, other))
    return RuleCondition(one.attribute, low, min(one.high, other.high), is_open, None, missing, share)


Bools = NDArray[np.bool_]

_MOST_KEPT: Final = 1 << 28
"""Largest number of cached answers (records times conditions)."""


def compared(condition: RuleCondition, data: Dataset, column: Column) -> Bools:
    """Whether the values (n,) of the condition's attribute meet it."""
    attribute = data.schema.attributes[condition.attribute]
    if condition.values is None:
        met: Bools = column <= condition.high
        if condition.low > -np.inf:
            met &= column > condition.low if condition.low_is_open else column >= condition.low
    else:
        value_in = np.zeros(len(attribute.values) + 1, dtype=np.bool_)
        value_in[list(condition.values)] = True
        met = value_in[column]  # the last one is for missing values, of code -1
    return met | missing_mask(attribute, column) if condition.takes_missing else met


class ConditionMatches:
    """Which records meet which conditions, cached as far as memory allows."""

    def __init__(self, data: Dataset, checkpoint: Checkpoint) -> None:
        self.data = data
        self._checkpoint = checkpoint
        self._cache: dict[RuleCondition, Bits] = {}

    def meets(self, condition: RuleCondition) -> Bits:
        matches = self._cache.get(condition)
        if matches is None:
            self._checkpoint()
            matches = packed(compared(condition, self.data, self.data.column(condition.attribute)))
            if (len(self._cache) + 1) * len(self.data) <= _MOST_KEPT:
                self._cache[condition] = matches
        return matches

    def meets_all(self, conditions: tuple[RuleCondition, ...]) -> Bools:
        """Records (n,) that meet all conditions."""
        matches = packed(np.ones(len(self.data), dtype=np.bool_))
        for condition in conditions:
            matches &= self.meets(condition)
        return unpacked(matches, len(self.data))


class FailureCounts(Failures):
    """The number of records that fail no condition (m, words) of a rule, or only one, where each weighs one.

    ``every`` are all records, ``wrong`` those of another class than the rule's.
    """

    def __init__(self, met: Bits, every: Bits, wrong: Bits) -> None:
        from algorithms.learners.rules.covering_kernels import count_failures

        self._met, self._every, self._wrong, self._count = met, every, wrong, count_failures

    def __len__(self) -> int:
        return len(self._met)

    def of(self, kept: list[int]) -> FloatArray:
        counts = np.zeros((1 + len(kept), 2))
        self._count(self._met, np.array(kept, dtype=np.int64), self._every, self._wrong, counts)
        return counts

    def remove(self, condition: int) -> None:
        pass


@dataclass(frozen=True)
class Simplified:
    """A rule, its pessimistic error rate, and the records it covers, out of ``n``."""

    rule: Rule
    error: float
    rows: Bits = field(repr=False, compare=False)
    n: int

    @property
    def covered(self) -> Bools:
        """Records (n,) that the rule covers."""
        return unpacked(self.rows, self.n)


class Simplifier:
    """Drops conditions while the pessimistic error rate, an upper bound of this ``confidence``, does not rise."""

    def __init__(self, matches: ConditionMatches, confidence: float) -> None:
        self.matches, self._confidence = matches, confidence
        data = matches.data
        self._codes = data.class_codes
        self._weights = np.array(data.weight_array, dtype=np.float64)
        self._is_unit = bool(np.all(self._weights == 1.0))
        self._of_class = np.bincount(self._codes, self._weights, minlength=len(data.schema.classes))
        self._every = packed(np.ones(len(data), dtype=np.bool_))
        self._wrong = [packed(self._codes != code) for code in range(len(self._of_class))]

    def guessing_error(self, target: int) -> float:
        """Error rate of a rule for this class without conditions; also of one that covers no record."""
        return 1.0 - (float(self._of_class[target]) + 1.0) / (float(self._of_class.sum()) + 2.0)

    def simplified(self, rule: Rule, watch: Watch | None = None) -> Simplified:
        """The rule after :func:`~algorithms.learners.rules.rule_measures.shortened`."""
        n = len(self._weights)
        met = np.array([self.matches.meets(condition) for condition in rule.conditions], dtype=np.uint64)
        met = met.reshape(-1, len(self._every))
        if self._is_unit:
            failures: Failures = FailureCounts(met, self._every, self._wrong[rule.decision])
        else:
            sums = np.stack([self._weights, np.where(self._codes == rule.decision, 0.0, self._weights)], axis=1)
            failures = Failures(np.array([~unpacked(own, n) for own in met], dtype=np.bool_).reshape(-1, n), sums)
        errors = pessimistic(self._confidence, self.guessing_error(rule.decision))
        kept, error = shortened(failures, errors, watch)
        rows = np.bitwise_and.reduce(met[kept], axis=0) & self._every
        return Simplified(Rule(tuple(rule.conditions[i] for i in kept), rule.decision), error, rows, n)


EVERY_SUBSET: Final = 10
"""Largest number of rules of which every subset is tried."""

_STARTS: Final = 11
_EQUAL: Final = 1e-9
_IMPOSSIBLE: Final = 1e6


@dataclass(frozen=True)
class Description:
    """Description length of rules: total weight, how exceptions are encoded, and the weight of the rules' bits."""

    total: float
    balanced: bool
    rules_weight: float

    def exceptions(self, covered: ArrayLike, false_positive: ArrayLike, false_negative: ArrayLike) -> FloatArray:
        """Bits (...) that identify the errors among the records covered and among the others."""
        c, fp, fn = (
            np.maximum(np.asarray(v, dtype=np.float64), 0.0) for v in (covered, false_positive, false_negative)
        )
        left = np.maximum(self.total - c, 0.0)
        if not self.balanced:
            return _choices(c, fp) + _choices(left, fn)
        half = 0.5 * (fp + fn)
        many = c > 0.5 * self.total
        bits = _bits(c, fp, np.where(many, half, fp)) + _bits(left, fn, np.where(many, fn, half))
        return np.asarray(log2(max(self.total, 1.0)) + bits)

    def theory(self, bits: ArrayLike, count: ArrayLike) -> FloatArray:
        """Bits of ``count`` rules with ``bits`` in total, less the bits of their order."""
        return np.asarray(self.rules_weight * (np.asarray(bits) - _log_factorial(np.asarray(count)) / np.log(2)))


def _log_factorial(n: ArrayLike) -> FloatArray:
    """ln n!, also between whole numbers."""
    from scipy.special import gammaln  # late: listing learners does without

    return np.asarray(gammaln(np.asarray(n) + 1.0))


def _entropy_bits(shares: FloatArray) -> float:
    """Entropy of these shares in bits."""
    from scipy.special import entr  # late: listing learners does without

    return float(entr(shares).sum() / np.log(2))


def _choices(n: FloatArray, k: FloatArray) -> FloatArray:
    """log2 of the binomial coefficient n over k."""
    k = np.minimum(k, n)
    ways = _log_factorial(n) - _log_factorial(k) - _log_factorial(n - k)
    return np.asarray(ways / np.log(2))


def _bits(n: FloatArray, k: FloatArray, expected: FloatArray) -> FloatArray:
    """Bits that identify k of n items where ``expected`` were expected."""
    sure, all_of = expected <= 1e-6, expected >= n - 1e-6
    rate = np.where(sure | all_of, 0.5, expected / np.maximum(n, 1e-300))
    bits = -k * np.log2(rate) - (n - k) * np.log2(1 - rate)
    bits = np.where(all_of, np.where(np.abs(n - k) <= 1e-6, 0.0, _IMPOSSIBLE), bits)
    return np.where(sure, np.where(k <= 1e-6, 0.0, _IMPOSSIBLE), bits)


@dataclass(frozen=True, eq=False)
class Candidates:
    """The r rules for one class, their bits (r,), and the positive and negative weights of n records (n, 2).

    Rule i covers the records ``rows[rule_start[i] : rule_start[i + 1]]``. Record j is covered by the rules
    ``rules[row_start[j] : row_start[j + 1]]``.
    """

    rule_start: IntArray
    rows: IntArray
    row_start: IntArray
    rules: IntArray
    bits: FloatArray
    weights: FloatArray
    description: Description

    @classmethod
    def of(cls, covered: list[Bools], bits: FloatArray, weights: FloatArray, description: Description,
           context: RunContext) -> Candidates:  # fmt: skip
        """Candidates from the records (n,) that each rule covers."""
        from algorithms.learners.rules.covering_kernels import list_rules

        sizes, times = np.zeros(len(covered), dtype=np.int64), np.zeros(len(weights), dtype=np.int64)
        for rule, mask in enumerate(covered):
            context.checkpoint()
            sizes[rule] = np.count_nonzero(mask)
            times += mask
        rule_start, row_start = (np.append(0, np.cumsum(counts)).astype(np.int64) for counts in (sizes, times))
        rows = np.empty(rule_start[-1], dtype=np.int64)
        for rule, mask in enumerate(covered):
            context.checkpoint()
            rows[rule_start[rule] : rule_start[rule + 1]] = np.flatnonzero(mask)
        rules = np.empty_like(rows)
        list_rules(rule_start, rows, row_start, rules, context.control)
        context.checkpoint()
        return cls(rule_start, rows, row_start, rules, bits, weights, description)

    def covered(self, rule: int) -> IntArray:
        return self.rows[self.rule_start[rule] : self.rule_start[rule + 1]]

    @property
    def n_rules(self) -> int:
        return len(self.bits)

    @property
    def positive(self) -> float:
        return float(self.weights[:, 0].sum())


@dataclass(frozen=True)
class RuleSelection:
    """A mask (r,) of the rules that are kept, and the description length of rules and exceptions in bits."""

    kept: Bools
    bits: float


def best_subset(candidates: Candidates, random: np.random.Generator, context: RunContext) -> RuleSelection:
    """The subset of shortest description: the best of all for few rules, else by hill climbing."""
    if candidates.n_rules <= EVERY_SUBSET:
        return _best_of_all(candidates)
    best: RuleSelection | None = None
    for start in range(_STARTS):
        if context.finishing:
            break
        kept = random.random(candidates.n_rules) < start / (_STARTS - 1)
        selection = _climbed(candidates, kept, context)
        if best is None or selection.bits < best.bits - _EQUAL:
            best = selection
    return best or _climbed(candidates, np.ones(candidates.n_rules, dtype=np.bool_), context)


def _best_of_all(candidates: Candidates) -> RuleSelection:
    r = candidates.n_rules
    pattern = np.zeros(len(candidates.weights), dtype=np.int64)
    for rule in range(r):
        pattern[candidates.covered(rule)] |= 1 << rule
    sums = np.stack([np.bincount(pattern, candidates.weights[:, side], minlength=1 << r) for side in (0, 1)], axis=1)
    subsets = np.arange(1 << r)
    meets = (subsets[:, None] & subsets[None, :]) != 0
    positive, negative = (meets @ sums).T
    inside = ((subsets[:, None] >> np.arange(r)) & 1).astype(np.float64)
    description = candidates.description
    bits = description.exceptions(positive + negative, negative, candidates.positive - positive)
    bits = bits + description.theory(inside @ candidates.bits, inside.sum(axis=1))
    best = int(np.flatnonzero(bits <= bits.min() + _EQUAL)[0])
    return RuleSelection(inside[best] > 0, float(bits[best]))


def _climbed(c: Candidates, kept: Bools, context: RunContext) -> RuleSelection:
    """The local optimum reached from the kept rules (r,), or the subset reached at a stop."""
    from algorithms.learners.rules.covering_kernels import Cover, climb, sum_marks

    own, r = c.description, c.n_rules
    cover = Cover(
        rule_start=c.rule_start,
        rows=c.rows,
        row_start=c.row_start,
        rules=c.rules,
        bits=c.bits,
        weights=c.weights,
        log_factorials=_log_factorial(np.arange(r + 2)),
        is_whole=bool(np.array_equal(c.weights, np.rint(c.weights))),
        is_balanced=own.balanced,
        total=float(own.total),
        positive=c.positive,
        rules_weight=float(own.rules_weight),
        times=np.zeros(len(c.weights), dtype=np.int64),
        alone=np.zeros((r, 2)),
        once=np.zeros((r, 2)),
        has=np.zeros(2),
    )
    context.checkpoint()
    sum_marks(cover, kept)
    cover.has[:] = c.weights[cover.times > 0].sum(axis=0)
    context.checkpoint()
    bits = climb(cover, kept, context.control)
    context.checkpoint()
    return RuleSelection(kept, float(bits))


def by_false_positives(rules: dict[int, list[Simplified]], codes: IntArray, weights: FloatArray) -> list[int]:
    """Class order: next comes the class whose rules have the least false positives among the records left."""
    left, order = np.ones(len(codes), dtype=np.bool_), list[int]()
    covered = {code: union(own, len(codes)) for code, own in rules.items()}
    while len(order) < len(rules):
        wrong = {
            code: float(weights[left & covered[code] & (codes != code)].sum()) for code in rules if code not in order
        }
        order.append(min(wrong, key=lambda code: (round(wrong[code], 9), code)))
        left &= ~covered[order[-1]]
    return order


def union(rules: list[Simplified], n: int) -> Bools:
    """The records (n,) that some rule covers."""
    covered = np.zeros(n, dtype=np.bool_)
    for rule in rules:
        covered |= rule.covered
    return covered


def default_class(rules: list[Simplified], codes: IntArray, weights: FloatArray, k: int) -> int:
    """The majority class of the records without a rule; of equals the majority class of all records."""
    left = ~union(rules, len(codes))
    counts = np.bincount(codes[left], weights[left], minlength=k)
    every = np.bincount(codes, weights, minlength=k)
    return max(range(k), key=lambda code: (round(float(counts[code]), 9), round(float(every[code]), 9), -code))


def without_harmful(
    rules: list[Simplified], default: int, codes: IntArray, weights: FloatArray, checkpoint: Checkpoint
) -> list[Simplified]:
    """The list without harmful rules, removed one by one. A rule is harmful if more records are right without it."""
    rules = list(rules)
    while True:
        checkpoint()
        better = _advantages(rules, default, codes, weights)
        harmful = np.flatnonzero(better < -1e-9)
        if len(harmful) == 0:
            return rules
        del rules[int(harmful[0])]


def _advantages(rules: list[Simplified], default: int, codes: IntArray, weights: FloatArray) -> FloatArray:
    """For each rule, the weight classified rightly thanks to it minus the weight wrong because of it."""
    n = len(codes)
    first, second = np.full(n, len(rules), dtype=np.int64), np.full(n, len(rules), dtype=np.int64)
    for place in reversed(range(len(rules))):
        covered = rules[place].covered
        second[covered] = first[covered]
        first[covered] = place
    says = np.array([*(rule.rule.decision for rule in rules), default], dtype=np.int64)
    change = (says[first] == codes).astype(np.float64) - (says[second] == codes)
    return np.asarray(np.bincount(first, weights * change, minlength=len(rules) + 1)[: len(rules)])


class TreeRewriting:
    """The steps from a tree to a list of rules, with the settings of a learner."""

    def __init__(self, data: Dataset, learner: C45Rules, context: RunContext) -> None:
        self.data, self.learner, self.context = data, learner, context
        self.codes = data.class_codes.astype(np.int64)
        self.weights = np.array(data.weight_array, dtype=np.float64)

    def rules(self, tree: Tree) -> tuple[RuleSet, bool]:
        """The tree's rules without counts, from the heaviest paths if finished early, and whether it was."""
        selected, default = self.settled(self.chosen(self.simplified(tree)))
        rules = [Rule(joined(one.rule.conditions), one.rule.decision) for one in selected]
        return put_together(self.data.schema, rules, default, criterion="description-length"), self.context.finishing

    def simplified(self, tree: Tree) -> list[Simplified]:
        """The simplified paths without duplicates and without guesses, heaviest first for an early finish."""
        simplifier = Simplifier(ConditionMatches(self.data, self.context.checkpoint), self.learner.confidence)
        paths = tree_paths(tree, self.context.checkpoint)
        heavy = np.array([tree.counts[leaf].sum() for leaf, _ in paths])
        rules = dict[tuple[int, frozenset[RuleCondition]], tuple[int, Simplified]]()
        for done, number in enumerate(np.argsort(-heavy, kind="stable").tolist()):
            self.context.checkpoint()
            if self.context.finishing or heavy[number] <= 0:
                break
            self.context.advance(done, 2 * len(paths))
            leaf, conditions = paths[number]
            decision = int(tree.decision[leaf])
            rule = self.shortened(simplifier, Rule(conditions, decision))
            key = decision, frozenset(rule.rule.conditions)
            is_sure = bool(rule.rule.conditions) and rule.error < simplifier.guessing_error(decision) - 1e-9
            first, before = rules.get(key, (number, None))
            if self.is_taken(rule, is_sure=is_sure, is_new=before is None):
                rules[key] = (number, rule) if before is None or number < first else (first, before)
        return [rule for _, rule in sorted(rules.values(), key=lambda pair: pair[0])]

    def shortened(self, simplifier: Simplifier, rule: Rule) -> Simplified:
        """A path without its unnecessary conditions."""
        return simplifier.simplified(rule)

    def is_taken(self, rule: Simplified, *, is_sure: bool, is_new: bool) -> bool:
        """Whether a rule becomes a candidate: it is better than guessing."""
        return is_sure

    def chosen(self, simplified: list[Simplified]) -> list[Simplified]:
        """The best subset for each class; classes in their order, the most accurate rule of each first."""
        self._bits = ConditionBits(RankedData.of(self.data, self.context.checkpoint))
        self._random = self.context.random()
        kept, lengths = dict[int, list[Simplified]](), dict[int, float]()
        classes = sorted({one.rule.decision for one in simplified})
        for number, code in enumerate(classes):
            self.context.advance(len(classes) + number, 2 * len(classes))
            own = [one for one in simplified if one.rule.decision == code]
            choice = self.subset(own, code)
            lengths[code] = choice.bits
            some = [one for one, keep in zip(own, choice.kept.tolist(), strict=True) if keep]
            kept[code] = sorted(some, key=lambda one: one.error)
        if self.learner.class_order == "false-positives":
            order = by_false_positives(kept, self.codes, self.weights)
        else:
            order = sorted(kept, key=lambda code: (round(lengths[code], 6), code))
        return [one for code in order for one in kept[code]]

    def settled(self, rules: list[Simplified]) -> tuple[list[Simplified], int]:
        """The list without harmful rules, and the class of the default rule."""
        default = default_class(rules, self.codes, self.weights, len(self.data.schema.classes))
        if self.context.finishing:
            return rules, default
        return without_harmful(rules, default, self.codes, self.weights, self.context.checkpoint), default

    def subset(self, own: list[Simplified], code: int) -> RuleSelection:
        """The subset of the rules for a class with the shortest description."""
        is_own = self.codes == code
        weights = np.stack([np.where(is_own, self.weights, 0.0), np.where(is_own, 0.0, self.weights)], axis=1)
        bits = np.array([self._bits.rule(one.rule) for one in own])
        balanced = self.learner.exceptions == "balanced"
        description = Description(float(self.weights.sum()), balanced, self.learner.rules_weight)
        candidates = Candidates.of([one.covered for one in own], bits, weights, description, self.context)
        return best_subset(candidates, self._random, self.context)


class ConditionBits:
    """Bits of a condition: the attribute, then a value or a threshold with its side.

    As in C4.5 release 8, a value takes the entropy of its attribute's values. A threshold takes one bit and half of
    log2 of the number of distinct values. An attribute takes the entropy of the attributes, each as likely as the bits
    of its values. A list of values takes one bit a value.
    """

    def __init__(self, ranked: RankedData) -> None:
        self._attributes = ranked.data.schema.attributes
        self._bits = {index: _branch_bits(ranked, place) for place, index in enumerate(ranked.predictors)}
        shares = np.array(list(self._bits.values())) / max(sum(self._bits.values()), 1e-300)
        self._which = _entropy_bits(shares)

    def condition(self, condition: RuleCondition) -> float:
        if condition.values is None or len(condition.values) == 1:
            return self._which + self._bits[condition.attribute]
        return self._which + len(self._attributes[condition.attribute].values)

    def rule(self, rule: Rule) -> float:
        """Bits of a rule: the number of conditions and each of them, less the bits of their order."""
        m = len(rule.conditions)
        spelled = sum(map(self.condition, rule.conditions))
        return float(spelled + log2(max(1, m)) - _log_factorial(m) / np.log(2))


def _branch_bits(ranked: RankedData, place: int) -> float:
    if not ranked.data.schema.attributes[ranked.predictors[place]].kind.is_coded:
        n = ranked.n_distinct(place)
        return 1.0 + log2(n) / 2 if n > 1 else 0.0
    codes = ranked.ranks[place]
    is_known = codes <= LAST_RANK
    weights = ranked.weights[is_known] if len(ranked.weights) else None
    counts = np.bincount(codes[is_known].astype(np.int64), weights)
    total = ranked.weight_of(np.arange(ranked.n_records))
    return max(0.0, _entropy_bits(counts / max(total, 1e-300)))  # the share of a single value may exceed 1


_GROWING: Final = 0.2
"""Share of the progress that growing the tree takes."""


class UnprunedTreeLearner(RuleLearner):
    """Base of the learners that read their rules off unpruned C4.5 trees; a subclass declares the parameters."""

    kernels: ClassVar[tuple[str, ...]] = (*TREE_KERNELS, *KERNELS)
    min_leaf: int
    criterion: str
    nominal_splits: str

    @property
    def tree_learner(self) -> C45:
        return C45(pruning="none", min_leaf=self.min_leaf, criterion=self.criterion, nominal_splits=self.nominal_splits)

    def check(self, summary: Summary) -> list[Problem]:
        return super().check(summary) or self.tree_learner.check(summary)


@dataclass(frozen=True, kw_only=True)
class C45Rules(UnprunedTreeLearner):
    """The paths of an unpruned C4.5 tree, generalised and selected.

    Each path loses conditions while its pessimistic error does not rise. Each class keeps the rules that describe its
    records in the fewest bits. The classes are ordered, the records without a rule give the default class, and harmful
    rules are removed. Finally each rule takes the majority class of the records it decides, nearly always its own.
    """

    id: ClassVar[str] = "c4.5-rules"
    name: ClassVar[str] = "C4.5 rules"
    sentence: ClassVar[str] = (
        "Turns every path of a decision tree into a rule and drops conditions and rules that are not "
        "needed: often shorter than the tree and as accurate."
    )
    source: ClassVar[str] = "Quinlan, C4.5: Programs for Machine Learning (1993), chapter 5"

    confidence: float = real(
        0.25, lo=0.0001, hi=0.5, label="Confidence factor", help="Smaller values drop more conditions."
    )
    min_leaf: int = parameters.min_leaf(2)
    rules_weight: float = real(
        0.5,
        lo=0.0,
        hi=10.0,
        label="Rule theory weight",
        help="Weight of the bits that describe the rules against those that describe their errors. Larger "
        "values keep fewer rules. Below 1, because rules overlap.",
    )
    class_order: str = choice(
        "description-length",
        Option("description-length", "Shortest description first", "Rules and exceptions of a class, in bits."),
        Option("false-positives", "Fewest false positives first", "By the number of covered records of other classes."),
        label="Class order",
        help="Order of the classes if rules of several classes fire.",
        advanced=True,
    )
    exceptions: str = choice(
        "balanced",
        Option("counted", "Binomial (1993)", "The bits that select them among all records, as in the book of 1993."),
        Option("balanced", "Balanced (1995)", "More bits if false positives and false negatives differ in number."),
        label="Exception coding",
        help="How many bits it takes to list the records that the rules get wrong.",
        advanced=True,
    )
    criterion: str = parameters.criterion("gain-ratio")
    nominal_splits: str = parameters.nominal_splits("multiway", parameters.GROUPED)

    def induced(
        self, data: Dataset, context: RunContext, rewriting: type[TreeRewriting] = TreeRewriting
    ) -> tuple[RuleSet, bool]:
        """The rules without counts, and whether the run was finished early; ``rewriting`` observes the steps."""
        growing = context.child(_GROWING, 0)
        tree_model = self.tree_learner.fit(data, growing)
        growing.complete()
        tree = tree_model.structure()
        assert isinstance(tree, Tree)
        rest = context.child(1 - _GROWING, 1)
        rules, partial = rewriting(data, self, rest).rules(tree)
        rest.complete()
        return rules, partial or tree_model.partial
