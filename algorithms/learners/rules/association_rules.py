"""CBA: association rules by Apriori, selected as a classifier (Liu, Hsu and Ma 1998, sections 3 and 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.parameters import boolean, declared_as, integer, real, when
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.rules.c45_rules import C45Rules
from algorithms.learners.rules.model import Interrupted, RuleLearner, interrupting
from algorithms.learners.trees.growth.growth_options import entropy_ends
from algorithms.learners.trees.pruning.error_estimates import binomial_upper_bound
from algorithms.structures.rule_set import Rule, RuleCondition, RuleSet, put_together

Bools = NDArray[np.bool_]
Checkpoint = Callable[[], None]
Places = tuple[int, ...]
"""The items of a set, ascending."""

_EQUAL: Final = 1e-9
_BLOCK: Final = 1 << 22
"""Cells (sets times records) counted together."""

_MOST_KEPT: Final = 1 << 32
"""Largest number of bits kept (sets times records); more records allow fewer sets."""


@dataclass(frozen=True, eq=False)
class ConditionItems:
    """The m items, nominal values and ranges of numbers, and the records that have them (m, n)."""

    conditions: tuple[RuleCondition, ...]
    has: Bools

    @classmethod
    def of(cls, data: Dataset, checkpoint: Checkpoint) -> ConditionItems:
        """The items of ``data``; numbers are discretised by entropy and MDL. Values without records are no items."""
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


@dataclass(frozen=True, eq=False)
class ClassRule:
    """A rule: its items, the class weights (k,) of the records that have them, and its class."""

    items: Places
    counts: FloatArray
    decision: int

    @property
    def support(self) -> float:
        """Weight of the covered records of its class."""
        return float(self.counts[self.decision])

    @property
    def share(self) -> float:
        """Confidence: the share of covered records of its class."""
        return self.support / float(self.counts.sum())


class RuleMining:
    """Apriori search: rules of one condition, then of two, and so on, from frequent smaller sets."""

    def __init__(
        self, items: ConditionItems, data: Dataset, learner: ClassAssociationRules, checkpoint: Checkpoint
    ) -> None:
        self._items, self._learner, self._checkpoint = items, learner, checkpoint
        k, codes = len(data.schema.classes), data.class_codes
        self._weights = np.zeros((len(data), k))
        self._weights[np.arange(len(data)), codes] = data.weight_array
        self._least = learner.min_support / 100 * float(data.weight_array.sum()) - _EQUAL
        self._n = len(data)
        self._looked_at = 0
        self._most = min(learner.most_candidates, max(100, _MOST_KEPT // max(1, self._n)))
        every = self._weights.sum(axis=0)
        self._counts: dict[Places, FloatArray] = {(): every}
        self._errors: dict[Places, FloatArray] = {(): self._expected(every)}
        self._frequent: dict[Places, Bools] = {}
        self.mined = list[ClassRule]()
        """The rules so far."""

    def rules(self) -> list[ClassRule]:
        """All rules of sufficient support and confidence after pruning, the shortest first."""
        rules = self.mined = list[ClassRule]()
        level: list[Places] = [(place,) for place in range(len(self._items.conditions))]
        masks = np.packbits(self._items.has, axis=1)
        for size in range(1, self._learner.max_conditions + 1):
            level, masks = self._counted(level, masks)
            for places in level:
                self._checkpoint()
                rule = self._rule(places)
                if rule is not None:
                    rules.append(rule)
            if not level or size == self._learner.max_conditions:
                break
            level, masks = self._joined(level, masks)
        return rules

    def _counted(self, level: list[Places], masks: NDArray[np.uint8]) -> tuple[list[Places], NDArray[np.uint8]]:
        """The sets, with their records, that are frequent with a class; stores their counts."""
        kept = list[int]()
        step = max(1, _BLOCK // max(1, self._n))
        for start in range(0, len(level), step):
            self._checkpoint()
            has = np.unpackbits(masks[start : start + step], axis=1, count=self._n)
            counts = has.astype(np.float64) @ self._weights
            errors = self._expected(counts)
            for i in np.flatnonzero((counts >= self._least).any(axis=1) & (counts.sum(axis=1) > 0)).tolist():
                places = level[start + i]
                self._counts[places], self._errors[places] = counts[i], errors[i]
                self._frequent[places] = counts[i] >= self._least
                kept.append(start + i)
        return [level[i] for i in kept], masks[kept]

    def _joined(self, level: list[Places], masks: NDArray[np.uint8]) -> tuple[list[Places], NDArray[np.uint8]]:
        """The sets of one more item whose subsets are all frequent with a common class."""
        if self._looked_at >= self._most:
            return [], masks[:0]
        begun: dict[Places, list[int]] = {}
        for i, places in enumerate(level):
            begun.setdefault(places[:-1], []).append(i)
        joined, pairs = list[Places](), list[tuple[int, int]]()
        attribute = [condition.attribute for condition in self._items.conditions]
        for group in begun.values():
            for i, one in enumerate(group):
                self._checkpoint()
                if len(joined) + self._looked_at >= self._most:
                    break
                for other in group[i + 1 :]:
                    last, more = level[one][-1], level[other][-1]
                    if attribute[last] == attribute[more]:
                        continue
                    places = (*level[one], more)
                    if self._may_be_frequent(places):
                        joined.append(places)
                        pairs.append((one, other))
        self._looked_at += len(joined)
        both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
        return joined, masks[both[:, 0]] & masks[both[:, 1]]

    def _may_be_frequent(self, places: Places) -> bool:
        shared: Bools | None = None
        for left_out in range(len(places)):
            frequent = self._frequent.get(places[:left_out] + places[left_out + 1 :])
            if frequent is None:
                return False
            shared = frequent if shared is None else shared & frequent
        return shared is not None and bool(shared.any())

    def _rule(self, places: Places) -> ClassRule | None:
        """The rule of a set for its majority class.

        None with too little support or confidence, or where a shorter rule has a lower pessimistic error.
        """
        counts = self._counts[places]
        decision = int(np.argmax(counts))
        rule = ClassRule(places, counts, decision)
        if rule.support < self._least or rule.share < self._learner.min_confidence / 100 - _EQUAL:
            return None
        shorter = (self._errors[places[:i] + places[i + 1 :]][decision] for i in range(len(places)))
        return None if self._errors[places][decision] > min(shorter) + _EQUAL else rule

    def _expected(self, counts: FloatArray) -> FloatArray:
        """Pessimistic error rates (..., k) of a rule for each class from class weights (..., k); 0 without pruning."""
        if not self._learner.prunes:
            return np.zeros_like(counts)
        total = counts.sum(axis=-1, keepdims=True)
        some = np.where(total > 0, total, 1.0)
        return binomial_upper_bound(some, np.where(total > 0, total - counts, 1.0), self._learner.confidence)


def in_order(rules: list[ClassRule]) -> list[ClassRule]:
    """The rules by confidence, then support, then order of discovery."""
    return sorted(rules, key=lambda rule: (-round(rule.share, 9), -round(rule.support, 6)))


def covering(
    rules: list[ClassRule], items: ConditionItems, codes: IntArray, weights: FloatArray, k: int, checkpoint: Checkpoint
) -> tuple[list[ClassRule], int]:
    """The rules of the classifier in order, and its default class (CBA-CB, form M1).

    A rule stays if it is right about a record that earlier rules leave; the records it covers are then removed. The
    list ends where the errors of its rules and of the majority class of the rest are fewest.
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
    """The majority class of these records and the weight of the others."""
    counts = np.bincount(codes, weights, minlength=k)
    return int(np.argmax(counts)), float(counts.sum() - counts.max())


@dataclass(frozen=True, kw_only=True)
class ClassAssociationRules(RuleLearner):
    """CBA: class association rules by Apriori, and the most confident ones that cover the training records.

    Numbers are discretised by entropy and MDL. Rules are pruned by their pessimistic error, ordered by confidence,
    support and length, and kept while they are right about a remaining record (CBA-RG, and CBA-CB in its form M1). A
    rule's probabilities are those of all records it covers.
    """

    id: ClassVar[str] = "class-association-rules"
    name: ClassVar[str] = "Class association rules (CBA)"
    sentence: ClassVar[str] = (
        "Mines all association rules with enough support and confidence that predict the class, and keeps "
        "the most confident ones that cover the records."
    )
    source: ClassVar[str] = "Liu, Hsu and Ma, Integrating Classification and Association Rule Mining (1998)"
    burden: ClassVar[int] = 4

    min_support: float = real(
        1.0,
        lo=0.0,
        hi=100.0,
        label="Min. support",
        help="Share of all records that meet the conditions and have the class of the rule.",
        unit="%",
    )
    min_confidence: float = real(
        50.0,
        lo=0.0,
        hi=100.0,
        label="Min. confidence",
        help="Share of the covered records that have the class of the rule.",
        unit="%",
    )
    max_conditions: int = integer(
        4,
        lo=1,
        hi=20,
        label="Max. conditions",
        help="Largest number of conditions in a rule. Each further one multiplies the time.",
        unit="conditions",
    )
    prunes: bool = boolean(
        True,
        label="Pessimistic pruning",
        help="Drops a rule if its pessimistic error is higher than without one of its conditions.",
    )
    confidence: float = declared_as(
        C45Rules,
        "confidence",
        help="Confidence of the pessimistic error estimate. Smaller values drop more rules.",
        enabled_if=when("prunes", True),
        advanced=True,
    )
    most_candidates: int = integer(
        80_000,
        lo=100,
        hi=10_000_000,
        label="Max. candidates",
        help="The search ends after this many sets of conditions, the shortest first; fewer with more "
        "than 50,000 records.",
        unit="sets",
        advanced=True,
    )

    def induced(self, data: Dataset, context: RunContext) -> tuple[RuleSet, bool]:
        checkpoint = interrupting(context)
        codes, k = data.class_codes.astype(np.int64), len(data.schema.classes)
        default, partial, chosen = _default(codes, data.weight_array, k)[0], False, list[Rule]()
        context.advance(0, 3)
        try:
            items = ConditionItems.of(data, checkpoint)
            context.advance(1)
            mining = RuleMining(items, data, self, checkpoint)
            try:
                rules = mining.rules()
            except Interrupted:
                rules, partial = mining.mined, True
            context.advance(2)
            kept, default = covering(rules, items, codes, data.weight_array, k, context.checkpoint)
            chosen = [Rule(tuple(items.conditions[i] for i in rule.items), rule.decision) for rule in kept]
        except Interrupted:
            partial = True
        return put_together(data.schema, chosen, default, criterion="confidence"), partial

    def finished(self, counted: RuleSet) -> RuleSet:
        return replace(counted, by_coverage=True)
