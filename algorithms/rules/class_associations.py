"""Class association rules: which values go together with a class often, and how surely (CBA-RG).

Source: Liu, Hsu and Ma, Integrating Classification and Association Rule Mining (1998), section 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.data import Dataset
from algorithms.core.rule_set import Condition
from algorithms.trees.error_estimates import binomial_upper_bound
from algorithms.trees.node_ranges import entropy_ends

Bools = NDArray[np.bool_]
Checkpoint = Callable[[], None]
Places = tuple[int, ...]
"""Which items are in a set, ascending."""

_EQUAL: Final = 1e-9
_BLOCK: Final = 1 << 24
"""So many answers (sets times records) are looked at together."""

_MOST_KEPT: Final = 1 << 32
"""So many are kept at most, a bit each: of very many records fewer sets are looked at."""


@dataclass(frozen=True, eq=False)
class Items:
    """What a condition may be: each value of an attribute, each range of a number, and which records (m, n) have it."""

    conditions: tuple[Condition, ...]
    has: Bools

    @classmethod
    def of(cls, data: Dataset, checkpoint: Checkpoint) -> Items:
        """Numbers are cut where that tells the classes apart (entropy and description length); one without a cut, or a
        value that no record has, is no item."""
        conditions, has = list[Condition](), list[Bools]()
        for index in data.schema.predictors:
            checkpoint()
            for condition, met in _of_attribute(data, index):
                if met.any():
                    conditions.append(condition)
                    has.append(met)
        return cls(tuple(conditions), np.array(has, dtype=np.bool_).reshape(len(has), len(data)))


def _of_attribute(data: Dataset, index: int) -> Iterator[tuple[Condition, Bools]]:
    column, attribute = data.column(index), data.schema.attributes[index]
    if attribute.kind.is_coded:
        for code in range(len(attribute.values)):
            yield Condition(index, values=(code,)), np.asarray(column == code)
        return
    codes, k = data.class_codes.astype(np.int64), len(data.schema.classes)
    ends = entropy_ends(np.asarray(column, dtype=np.float64), codes, data.weight_array, k).tolist()
    starts = [-np.inf, *ends[:-1]]
    for low, high in zip(starts, ends, strict=True) if len(ends) > 1 else ():
        met = (column <= high) & (column > low) if low > -np.inf else column <= high
        yield Condition(index, low, high, low_is_open=low > -np.inf), np.asarray(met)


@dataclass(frozen=True)
class MiningOptions:
    """See :class:`algorithms.rules.association_rules.ClassAssociationRules`. ``confidence`` is that of the pessimistic
    error, None where rules are not pruned."""

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


class Mining:
    """Finds the rules level by level: first those of one condition, then of two, made of frequent ones."""

    def __init__(self, items: Items, data: Dataset, options: MiningOptions, checkpoint: Checkpoint) -> None:
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
