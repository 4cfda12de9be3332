"""CBA: class association rules mined and chosen as a classifier (Liu, Hsu and Ma 1998).

Source: Liu, Hsu and Ma, Integrating Classification and Association Rule Mining (1998), section 3.

Source: Liu, Hsu and Ma, Integrating Classification and Association Rule Mining (1998), section 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.context import RunContext
from algorithms.core.parameters import boolean, integer, real, when
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.rules.model import Interrupted, RuleLearner
from algorithms.learners.trees.growth.growth_options import entropy_ends
from algorithms.learners.trees.pruning.error_estimates import binomial_upper_bound
from algorithms.structures.rule_set import Rule, RuleCondition, RuleSet, put_together

Bools = NDArray[np.bool_]
Checkpoint = Callable[[], None]
Places = tuple[int, ...]
"""Which items are in a set, ascending."""

_EQUAL: Final = 1e-9
_BLOCK: Final = 1 << 22
"""So many answers (sets times records) are looked at together."""

_MOST_KEPT: Final = 1 << 32
"""So many are kept at most, a bit each: of very many records fewer sets are looked at."""


@dataclass(frozen=True, eq=False)
class ConditionItems:
    """What a condition may be: each value of an attribute, each range of a number, and which records (m, n) have it."""

    conditions: tuple[RuleCondition, ...]
    has: Bools

    @classmethod
    def of(cls, data: Dataset, checkpoint: Checkpoint) -> ConditionItems:
        """Numbers are cut where that tells the classes apart (entropy and description length); one without a cut, or a
        value that no record has, is no item."""
        conditions, has = list[RuleCondition](), list[Bools]()
        for index in data.schema.predictors:
            checkpoint()
            for condition, met in _of_attribute(data, index):
                if met.any():
                    conditions.append(condition)
                    has.append(met)
        return cls(tuple(conditions), np.array(has, dtype=np.bool_).reshape(len(has), len(data)))


def _of_attribute(data: Dataset, index: int) -> Iterator[tuple[RuleCondition, Bools]]:
    column, attribute = data.column(index), data.schema.attributes[index]
    if attribute.kind.is_coded:
        for code in range(len(attribute.values)):
            yield RuleCondition(index, values=(code,)), np.asarray(column == code)
        return
    codes, k = data.class_codes.astype(np.int64), len(data.schema.classes)
    ends = entropy_ends(np.asarray(column, dtype=np.float64), codes, data.weight_array, k).tolist()
    starts = [-np.inf, *ends[:-1]]
    for low, high in zip(starts, ends, strict=True) if len(ends) > 1 else ():
        met = (column <= high) & (column > low) if low > -np.inf else column <= high
        yield RuleCondition(index, low, high, low_is_open=low > -np.inf), np.asarray(met)


@dataclass(frozen=True)
class MiningOptions:
    """See :class:`algorithms.learners.rules.association_rules.ClassAssociationRules`. ``confidence`` is that of the
    pessimistic error, None where rules are not pruned."""

    min_support: float = 0.01
    min_confidence: float = 0.5
    max_conditions: int = 4
    most_candidates: int = 80_000
    confidence: float | None = 0.25


@dataclass(frozen=True, eq=False)
class ClassRule:
    """A rule: its items, the weight (k,) of the records of each class that have them, and the class it is for."""

    items: Places
    counts: FloatArray
    decision: int

    @property
    def support(self) -> float:
        """The weight of the records that it is right about."""
        return float(self.counts[self.decision])

    @property
    def share(self) -> float:
        """Its confidence: the share of the records with its items that are of its class."""
        return self.support / float(self.counts.sum())


class RuleMining:
    """Finds the rules level by level: first those of one condition, then of two, made of frequent ones."""

    def __init__(self, items: ConditionItems, data: Dataset, options: MiningOptions, checkpoint: Checkpoint) -> None:
        self._items, self._options, self._checkpoint = items, options, checkpoint
        k, codes = len(data.schema.classes), data.class_codes
        self._weights = np.zeros((len(data), k))
        self._weights[np.arange(len(data)), codes] = data.weight_array
        self._least = options.min_support * float(data.weight_array.sum()) - _EQUAL
        self._n = len(data)
        self._looked_at = 0
        self._most = min(options.most_candidates, max(100, _MOST_KEPT // max(1, self._n)))
        every = self._weights.sum(axis=0)
        self._counts: dict[Places, FloatArray] = {(): every}
        self._errors: dict[Places, FloatArray] = {(): self._expected(every)}
        self._frequent: dict[Places, Bools] = {}
        self.found = list[ClassRule]()
        """The rules so far."""

    def rules(self) -> list[ClassRule]:
        """All rules of enough support and confidence that pruning leaves, those of fewer conditions first."""
        found = self.found = list[ClassRule]()
        level: list[Places] = [(place,) for place in range(len(self._items.conditions))]
        masks = np.packbits(self._items.has, axis=1)
        for size in range(1, self._options.max_conditions + 1):
            level, masks = self._counted(level, masks)
            for places in level:
                self._checkpoint()
                rule = self._rule(places)
                if rule is not None:
                    found.append(rule)
            if not level or size == self._options.max_conditions:
                break
            level, masks = self._joined(level, masks)
        return found

    def _counted(self, level: list[Places], masks: NDArray[np.uint8]) -> tuple[list[Places], NDArray[np.uint8]]:
        """Those of the sets, with their records, that are frequent with a class; their counts are kept."""
        kept = list[int]()
        step = max(1, _BLOCK // max(1, self._n))
        for start in range(0, len(level), step):
            self._checkpoint()
            has = np.unpackbits(masks[start : start + step], axis=1, count=self._n)
            counts = has.astype(np.float64) @ self._weights
            errors = self._expected(counts)
            for at in np.flatnonzero((counts >= self._least).any(axis=1) & (counts.sum(axis=1) > 0)).tolist():
                places = level[start + at]
                self._counts[places], self._errors[places] = counts[at], errors[at]
                self._frequent[places] = counts[at] >= self._least
                kept.append(start + at)
        return [level[at] for at in kept], masks[kept]

    def _joined(self, level: list[Places], masks: NDArray[np.uint8]) -> tuple[list[Places], NDArray[np.uint8]]:
        """The sets of one item more of which every smaller one is frequent with a class that they share."""
        if self._looked_at >= self._most:
            return [], masks[:0]
        begun: dict[Places, list[int]] = {}
        for at, places in enumerate(level):
            begun.setdefault(places[:-1], []).append(at)
        found, pairs = list[Places](), list[tuple[int, int]]()
        attribute = [condition.attribute for condition in self._items.conditions]
        for group in begun.values():
            for i, one in enumerate(group):
                self._checkpoint()
                if len(found) + self._looked_at >= self._most:
                    break
                for other in group[i + 1 :]:
                    last, more = level[one][-1], level[other][-1]
                    if attribute[last] == attribute[more]:
                        continue
                    places = (*level[one], more)
                    if self._may_be_frequent(places):
                        found.append(places)
                        pairs.append((one, other))
        self._looked_at += len(found)
        both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return found, masks[both[:, 0]] & masks[both[:, 1]]

    def _may_be_frequent(self, places: Places) -> bool:
        shared: Bools | None = None
        for left_out in range(len(places)):
            frequent = self._frequent.get(places[:left_out] + places[left_out + 1 :])
            if frequent is None:
                return False
            shared = frequent if shared is None else shared & frequent
        return shared is not None and bool(shared.any())

    def _rule(self, places: Places) -> ClassRule | None:
        """The rule of a set for the class that is heaviest in it; None where it is not sure, or not frequent enough, or
        is expected to err more often than without one of its conditions."""
        counts = self._counts[places]
        decision = int(np.argmax(counts))
        rule = ClassRule(places, counts, decision)
        if rule.support < self._least or rule.share < self._options.min_confidence - _EQUAL:
            return None
        shorter = (self._errors[places[:i] + places[i + 1 :]][decision] for i in range(len(places)))
        return None if self._errors[places][decision] > min(shorter) + _EQUAL else rule

    def _expected(self, counts: FloatArray) -> FloatArray:
        """The share of errors (..., k) expected of a rule for each class with these weights (..., k); 0 for all where
        rules are not pruned."""
        if self._options.confidence is None:
            return np.zeros_like(counts)
        total = counts.sum(axis=-1, keepdims=True)
        some = np.where(total > 0, total, 1.0)
        return binomial_upper_bound(some, np.where(total > 0, total - counts, 1.0), self._options.confidence)


def in_order(rules: list[ClassRule]) -> list[ClassRule]:
    """The surest first, then the most frequent, then the one that was found first."""
    return sorted(rules, key=lambda rule: (-round(rule.share, 9), -round(rule.support, 6)))


def covering(
    rules: list[ClassRule], items: ConditionItems, codes: IntArray, weights: FloatArray, k: int, checkpoint: Checkpoint
) -> tuple[list[ClassRule], int]:
    """The rules (in order) of the classifier and its default class.

    A rule is kept if it is right about a record that those before leave; all records that it covers are then taken
    away. After each rule kept the errors are those of the rules so far and of the heaviest class in what is left; the
    list ends where they are fewest.
    """
    rows = np.arange(len(codes))
    kept, wrong = list[ClassRule](), 0.0
    default, errors = _default(codes, weights, k)
    best, best_default, fewest = 0, default, errors
    for rule in in_order(rules):
        checkpoint()
        if len(rows) == 0:
            break
        covered = items.has[np.array(rule.items)][:, rows].all(axis=0)
        right = codes[rows] == rule.decision
        if not (covered & right).any():
            continue
        wrong += float(weights[rows[covered & ~right]].sum())
        rows = rows[~covered]
        kept.append(rule)
        default, errors = _default(codes[rows], weights[rows], k) if len(rows) else (default, 0.0)
        if wrong + errors < fewest - 1e-9:
            best, best_default, fewest = len(kept), default, wrong + errors
    return kept[:best], best_default


def _default(codes: IntArray, weights: FloatArray, k: int) -> tuple[int, float]:
    """The heaviest class of these records and the weight of the others."""
    counts = np.bincount(codes, weights, minlength=k)
    return int(np.argmax(counts)), float(counts.sum() - counts.max())


@dataclass(frozen=True, kw_only=True)
class ClassAssociationRules(RuleLearner):
    """All rules of enough support and confidence, of which the surest that cover the training records are kept.

    Numbers are cut inside by entropy and description length. Rules are found as Apriori finds frequent sets, pruned by
    their pessimistic error, put in order by confidence, support and length, and kept while they are right about a
    record that is left (CBA-RG, and CBA-CB in its form M1). A rule's probabilities are those of all that it covers.
    """

    id: ClassVar[str] = "class-association-rules"
    name: ClassVar[str] = "Class association rules (CBA)"
    sentence: ClassVar[str] = (
        "Looks for everything that goes together with a class often and surely, then keeps the surest rules that it "
        "takes to cover the records."
    )
    source: ClassVar[str] = "Liu, Hsu and Ma, Integrating Classification and Association Rule Mining (1998)"

    min_support: float = real(
        1.0,
        lo=0.0,
        hi=100.0,
        label="Least support",
        help="A rule must be right about at least this share of all records.",
        unit="%",
    )
    min_confidence: float = real(
        50.0,
        lo=0.0,
        hi=100.0,
        label="Least confidence",
        help="A rule must be right about at least this share of the records that it covers.",
        unit="%",
    )
    max_conditions: int = integer(
        4,
        lo=1,
        hi=20,
        label="Most conditions",
        help="How many conditions a rule may have; each more takes several times as long.",
        unit="conditions",
    )
    prunes: bool = boolean(
        True,
        label="Drop needless conditions",
        help="Leaves a rule out that is expected to err more often than it would without one of its conditions.",
    )
    confidence: float = real(
        0.25,
        lo=0.0001,
        hi=0.5,
        label="Pruning confidence",
        help="How wary the estimate of a rule's errors is: the smaller, the more rules are left out.",
        enabled_if=when("prunes", True),
        advanced=True,
    )
    most_candidates: int = integer(
        80_000,
        lo=100,
        hi=10_000_000,
        label="Most sets looked at",
        help="The search ends when it has looked at so many sets of conditions, the shortest first; of more than "
        "50,000 records it looks at fewer.",
        unit="sets",
        advanced=True,
    )

    def _induced(self, data: Dataset, context: RunContext) -> tuple[RuleSet, bool]:

        options = MiningOptions(
            self.min_support / 100,
            self.min_confidence / 100,
            self.max_conditions,
            self.most_candidates,
            self.confidence if self.prunes else None,
        )

        def checkpoint() -> None:
            context.checkpoint()
            if context.finishing:
                raise Interrupted

        codes, k = data.class_codes.astype(np.int64), len(data.schema.classes)
        default, partial, made = int(np.argmax(np.bincount(codes, data.weight_array, minlength=k))), False, list[Rule]()
        context.advance(0, 3)
        try:
            items = ConditionItems.of(data, checkpoint)
            context.advance(1)
            mining = RuleMining(items, data, options, checkpoint)
            try:
                rules = mining.rules()
            except Interrupted:
                rules, partial = mining.found, True
            context.advance(2)
            kept, default = covering(rules, items, codes, data.weight_array, k, context.checkpoint)
            made = [Rule(tuple(items.conditions[i] for i in each.items), each.decision) for each in kept]
        except Interrupted:
            partial = True
        return put_together(data.schema, made, default, criterion="confidence"), partial

    def _finished(self, counted: RuleSet) -> RuleSet:
        return replace(counted, by_coverage=True)
