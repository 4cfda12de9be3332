"""Matching of rules with records: ranks of values, missing values in parts, which rules fire.

A record meets a rule by the product of its parts at the rule's conditions: 1 or 0 where its value is known, the
condition's share where it is missing. A rule decides that part of what the rules before it left. Source: Frank and
Witten, Generating Accurate Rule Sets Without Global Optimization (1998), section 3; Weka's MakeDecList.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset, no_checkpoint
from algorithms.data.schema import AttributeKind
from algorithms.learners.trees.growth.growing_tree import SORTED_ORDERS
from algorithms.learners.trees.routing import value_block, value_blocks
from algorithms.structures.rule_set import DEFAULT_RULE, Int32Array, RuleCondition, RuleSet

if TYPE_CHECKING:
    from algorithms.learners.rules.kernels.covering_kernels import Conditions

Words = NDArray[np.uint64]
Ranks = NDArray[np.uint32]

LAST_RANK = 0xFFFFFFFE
"""No known value has a higher rank; that of a missing value is one more."""


@dataclass(frozen=True, eq=False)
class RankedData:
    """The d predictors of n records as ranks: equal values have equal ranks, and a code is its own rank.

    ``words`` (d, n) are the records in the order of each predictor
    (:mod:`algorithms.learners.trees.kernels.sorting_kernels`), of which the first ``known`` (d,) have a value;
    ``ranks`` (d, n) is each record's. ``is_listed`` (d,) marks nominal predictors, whose values have no order.
    ``weights`` is empty where each record weighs one.
    """

    data: Dataset
    predictors: tuple[int, ...]
    words: Words
    known: IntArray
    ranks: Ranks
    is_listed: NDArray[np.bool_]
    codes: Int32Array
    weights: FloatArray

    @classmethod
    def of(cls, data: Dataset, checkpoint: Callable[[], None]) -> RankedData:
        """Data whose records all have a class."""
        orders = data.derived(SORTED_ORDERS, checkpoint)
        predictors = data.schema.predictors
        ranks = np.empty(orders.words.shape, dtype=np.uint32)
        for place in range(len(predictors)):
            checkpoint()
            record, rank = orders.words[place].astype("<u8", copy=False).view("<u4").reshape(-1, 2).T
            ranks[place, record] = rank
        return cls(
            data,
            predictors,
            orders.words,
            (len(data) - orders.n_missing).astype(np.int64),
            ranks,
            np.array([data.schema.attributes[i].kind is AttributeKind.NOMINAL for i in predictors], dtype=np.bool_),
            np.array(data.class_codes, dtype=np.int32),
            np.zeros(0) if data.weights is None else np.array(data.weights, dtype=np.float64),
        )

    @property
    def n_records(self) -> int:
        return len(self.codes)

    def weight_of(self, rows: NDArray[np.signedinteger]) -> float:
        """The summed weight of some records."""
        return float(len(rows)) if len(self.weights) == 0 else float(self.weights[rows].sum())

    def n_distinct(self, place: int) -> int:
        """How many different known values a predictor has."""
        ranks = self.words[place, : int(self.known[place])] >> np.uint64(32)
        return int(np.count_nonzero(ranks[1:] != ranks[:-1])) + int(len(ranks) > 0)

    def record_of(self, place: int, rank: int) -> int:
        """A record with a value of this rank, or else of the next higher one."""
        words = self.words[place]
        at = int(np.searchsorted(words, np.uint64(rank << 32)))
        return int(words[min(at, int(self.known[place]) - 1)]) & 0xFFFFFFFF

    def value(self, place: int, rank: int) -> float:
        """The number that has this rank."""
        return float(self.data.column(self.predictors[place])[self.record_of(place, rank)])

    def condition(self, place: int, low: int, high: int) -> RuleCondition:
        """The condition that a predictor's rank is at least ``low`` (0: no bound) and at most ``high``
        (:data:`LAST_RANK` and more: no bound)."""
        index = self.predictors[place]
        attribute = self.data.schema.attributes[index]
        if attribute.kind.is_coded:
            last = min(high, len(attribute.values) - 1)
            return RuleCondition(index, values=tuple(range(low, last + 1)))
        first = -np.inf if low <= 0 else self.value(place, low)
        return RuleCondition(index, first, np.inf if high >= LAST_RANK else self.value(place, high))


def met_parts(rules: RuleSet, block: FloatArray, attributes: IntArray) -> FloatArray:
    """The part of each record that meets the conditions of each rule (n, r).

    ``block`` (n, a) holds the records' values of ``attributes`` (a,) as
    :func:`~algorithms.learners.trees.routing.value_block`.
    """
    parts = np.ones((len(block), rules.n_rules))
    for rule in range(rules.n_rules):
        for c in rules.conditions(rule):
            slot = int(np.searchsorted(attributes, rules.attribute[c]))
            parts[:, rule] *= _met(rules, c, block[:, slot])
    return parts


def _met(rules: RuleSet, c: int, values: FloatArray) -> FloatArray:
    """The part of each record with these values (n,) that meets a condition."""
    missing = np.isnan(values)
    if rules.is_numeric(c):
        low = values > rules.low[c] if rules.low_is_open[c] else values >= rules.low[c]
        met = low & (values <= rules.high[c])
    else:
        met = np.zeros(len(values), dtype=np.bool_)
        met[~missing] = rules.value_in[int(rules.offset[c]) + values[~missing].astype(np.int64)] == 1
    share = 1.0 if rules.takes_missing[c] else float(rules.missing_share[c]) if rules.divides else 0.0
    return np.where(missing, share, met.astype(np.float64))


def probabilities_of_parts(rules: RuleSet, parts: FloatArray) -> FloatArray:
    """Class probabilities (n, k) of records that the rules decide in these parts (n, r + 1).

    The shares of the classes in each rule's training records, summed by the parts; the rules' correction is added as
    for so many records as the rules had by these parts. A record of one rule has that rule's probabilities.
    """
    evidence = rules.evidence()
    sizes = evidence.sum(axis=1, keepdims=True)
    shares, weight = parts @ (evidence / sizes), parts @ sizes
    counts = shares * weight + rules.correction
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def decided_parts(met: FloatArray) -> FloatArray:
    """The part of each record that each rule, and at the end the default one, decides (n, r + 1): rows sum to 1."""
    left = np.cumprod(1.0 - met, axis=1)
    before = np.hstack([np.ones((len(met), 1)), left])
    return np.hstack([met * before[:, :-1], before[:, -1:]])


Checkpoint = Callable[[], None]

_MOST_ASKED: Final = 1 << 20
"""So many rules are asked of records between two looks at whether to stop."""

KERNELS = ("algorithms.learners.rules.kernels.covering_kernels",)


class RuleMatcher:
    """The rules in the form that the compiled loops take. Data must be under the rules' own schema."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self._attributes: IntArray = np.unique(rules.attribute).astype(np.int64)
        self._conditions = _conditions(rules, self._attributes)

    def first(self, data: Dataset, checkpoint: Checkpoint = no_checkpoint) -> Int32Array:
        """The first rule that fires for each record (n,), -1 (``DEFAULT_RULE``) where none does.

        Of the rules that decide a record in part it is the one that decides most of it, the first of equals.
        """
        from algorithms.learners.rules.kernels.covering_kernels import find_first

        first = np.empty(len(data), dtype=np.int32)
        for rows, block in self._blocks(data):
            checkpoint()
            find_first(block, self._conditions, first[rows])
            for some, parts in self._divided(block, checkpoint):
                most = np.argmax(parts > parts.max(axis=1, keepdims=True) - 1e-12, axis=1)
                first[rows][some] = np.where(most == self.rules.n_rules, DEFAULT_RULE, most)
        return first

    def parts(self, data: Dataset, checkpoint: Checkpoint = no_checkpoint) -> Iterator[tuple[IntArray, FloatArray]]:
        """The rows (m,) that lack a value the rules divide by, and the part that each rule and the default one
        decides of them (m, r + 1), in blocks."""
        for rows, block in self._blocks(data):
            for some, parts in self._divided(block, checkpoint):
                yield some + rows.start, parts

    def _divided(self, block: FloatArray, checkpoint: Checkpoint) -> Iterator[tuple[IntArray, FloatArray]]:
        """As :meth:`parts` for a block of values."""
        if not self.rules.divides:
            return
        lacking = np.flatnonzero(np.isnan(block).any(axis=1))
        step = max(1, _MOST_ASKED // max(1, self.rules.n_rules))
        for start in range(0, len(lacking), step):
            checkpoint()
            some = lacking[start : start + step]
            yield some, decided_parts(met_parts(self.rules, block[some], self._attributes))

    def covered(self, rule: int, data: Dataset, checkpoint: Checkpoint = no_checkpoint) -> NDArray[np.bool_]:
        """Which records (n,) meet the conditions of a rule, whether it decides them or not."""
        from algorithms.learners.rules.kernels.covering_kernels import find_covered

        covered = np.empty(len(data), dtype=np.bool_)
        for rows, block in value_blocks(data, self._attributes):
            checkpoint()
            find_covered(block, rule, self._conditions, covered[rows])
        return covered

    def _blocks(self, data: Dataset) -> Iterator[tuple[slice, FloatArray]]:
        """The values in blocks: the more rules, the fewer records, so that a stop never waits long."""
        step = max(1, _MOST_ASKED // max(1, self.rules.n_rules))
        for rows, block in value_blocks(data, self._attributes):
            for start in range(0, len(block), step):
                part = block[start : start + step]
                yield slice(rows.start + start, rows.start + start + len(part)), part

    def n_fired(self, data: Dataset, checkpoint: Checkpoint = no_checkpoint) -> IntArray:
        """How many rules fire for each record (n,)."""
        from algorithms.learners.rules.kernels.covering_kernels import find_fired

        found = np.zeros(len(data), dtype=np.int64)
        for rows, block in self._blocks(data):
            checkpoint()
            fired = np.empty((len(block), self.rules.n_rules), dtype=np.bool_)
            find_fired(block, self._conditions, fired)
            found[rows] = np.count_nonzero(fired, axis=1)
        return found

    def fired(self, data: Dataset, row: int) -> Int32Array:
        """The rules that fire for one record, in their order.

        Of a record that rules divide those that decide more of it than the default rule, the largest part first.
        """
        from algorithms.learners.rules.kernels.covering_kernels import find_fired

        for _, parts in self.parts(data.take([row])):
            order = np.argsort(-parts[0], kind="stable")
            least = float(parts[0][-1])
            return np.array([rule for rule in order.tolist() if parts[0][rule] > least], dtype=np.int32)
        fired = np.empty((1, self.rules.n_rules), dtype=np.bool_)
        find_fired(value_block(data, self._attributes, slice(row, row + 1)), self._conditions, fired)
        return np.flatnonzero(fired[0]).astype(np.int32)

    def voted(self, data: Dataset) -> FloatArray:
        """The summed votes (n, k) of the rules that fire; of the default one where none does."""
        from algorithms.learners.rules.kernels.covering_kernels import find_fired, sum_votes

        rules = self.rules
        default = rules.probabilities()[DEFAULT_RULE]
        sums = np.empty((len(data), rules.n_classes))
        for rows, block in self._blocks(data):
            fired = np.empty((len(block), rules.n_rules), dtype=np.bool_)
            find_fired(block, self._conditions, fired)
            sum_votes(fired, rules.votes, default, sums[rows])
        return sums

    def counted(self, data: Dataset, checkpoint: Checkpoint = no_checkpoint) -> RuleSet:
        """The rules with the weights of these records, which all have a class, as their counts."""
        from algorithms.learners.rules.kernels.covering_kernels import count_rules, find_fired

        r, k = self.rules.n_rules, self.rules.n_classes
        covered, decided, left = np.zeros((r, k)), np.zeros((r, k)), np.zeros(k)
        codes = np.ascontiguousarray(data.class_codes, dtype=np.int32)
        weights = np.array(data.weight_array, dtype=np.float64)
        for rows, block in self._blocks(data):
            checkpoint()
            fired = np.empty((len(block), r), dtype=np.bool_)
            find_fired(block, self._conditions, fired)
            whole = weights[rows]
            for some, parts in self._divided(block, checkpoint):
                met = met_parts(self.rules, block[some], self._attributes) * whole[some, None]
                for code in np.unique(codes[rows][some]).tolist():
                    own = codes[rows][some] == code
                    covered[:, code] += met[own].sum(axis=0)
                    of_class = (parts[own] * whole[some][own, None]).sum(axis=0)
                    decided[:, code] += of_class[:-1]
                    left[code] += of_class[-1]
                whole = whole.copy()
                whole[some] = 0.0
            count_rules(fired, codes[rows], whole, covered, decided, left)
        if not self.rules.is_ordered:
            decided = covered.copy()
        return replace(self.rules, covered=covered, decided=decided, default_counts=left)


def _conditions(rules: RuleSet, attributes: IntArray) -> Conditions:
    from algorithms.learners.rules.kernels.covering_kernels import Conditions

    return Conditions(
        rule_start=np.array(rules.rule_start, dtype=np.int32),
        slot=np.searchsorted(attributes, rules.attribute).astype(np.int32),
        low=np.array(rules.low, dtype=np.float64),
        high=np.array(rules.high, dtype=np.float64),
        low_is_open=np.array(rules.low_is_open, dtype=np.int8),
        offset=np.array(rules.offset, dtype=np.int32),
        value_in=np.array(rules.value_in, dtype=np.int8),
        takes_missing=np.array(rules.takes_missing, dtype=np.int8),
    )


def decided_as_counted(rules: RuleSet) -> RuleSet:
    """The rules of a list, each deciding for the class that is heaviest in what it decides in training.

    Where it decides nothing, what it covers counts; where another class is just as heavy, it keeps its own.
    """
    used = np.where(rules.decided.sum(axis=1, keepdims=True) > 0, rules.decided, rules.covered)
    decision = [_heaviest(counts, int(own)) for counts, own in zip(used, rules.decision, strict=True)]
    default = _heaviest(rules.default_counts, rules.default_decision)
    return replace(rules, decision=np.array(decision, dtype=np.int32), default_decision=default)


def _heaviest(counts: FloatArray, own: int) -> int:
    return own if counts[own] >= counts.max() else int(np.argmax(counts))
