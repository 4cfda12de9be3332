"""The model of rules: matching rules with records, predictions, the saved form, and what rule learners share.

A record meets a rule by the product of its parts at the conditions. A part is 1 or 0 where the value is known, and the
missing share of the condition where it is missing. A rule decides its part of what earlier rules left. Source: Frank
and Witten, Generating Accurate Rule Sets Without Global Optimization (1998), section 3; Weka's MakeDecList.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.array_state import ArraySpec, ArrayState, anything, flags, indices, offsets, weights
from algorithms.core.learner import Codes, Explanation, Learner, Probabilities, State, StructuredModel
from algorithms.core.plain_json import finite_number
from algorithms.core.run_control import RunContext
from algorithms.core.scores import Costs
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset, no_checkpoint
from algorithms.data.schema import AttributeKind, Schema
from algorithms.learners.probability_scaling import normalised
from algorithms.learners.trees.growth.growing_tree import SORTED_ORDERS
from algorithms.learners.trees.routing import value_block, value_blocks
from algorithms.structures.rule_set import (
    DEFAULT_RULE,
    Int32Array,
    Rule,
    RuleCondition,
    RuleSet,
    if_words,
    largest_parts,
    name_of,
    parts_words,
    rule_words,
    weight_words,
)
from algorithms.text.numbers import amount, percent
from algorithms.text.sentences import and_more

Words = NDArray[np.uint64]
Ranks = NDArray[np.uint32]

Bits = NDArray[np.uint64]
"""A set of records: record i is bit i % 64 of word i // 64."""

LAST_RANK = 0xFFFFFFFE
"""Highest rank of a known value; a missing value has one more."""


def packed(flags: NDArray[np.bool_]) -> Bits:
    """The records with a flag (n,)."""
    words = np.zeros((len(flags) + 63) // 64 * 8, dtype=np.uint8)
    words[: (len(flags) + 7) // 8] = np.packbits(flags, bitorder="little")
    return words.view("<u8").astype(np.uint64, copy=False)


def unpacked(rows: Bits, n: int) -> NDArray[np.bool_]:
    """Whether each of n records is in a set."""
    return np.unpackbits(rows.astype("<u8", copy=False).view(np.uint8), count=n, bitorder="little").view(np.bool_)


@dataclass(frozen=True, eq=False)
class RankedData:
    """The d predictors of n records as ranks: equal values share a rank, and a code is its own rank.

    ``words`` (d, n) are the records sorted by each predictor
    (:mod:`algorithms.learners.trees.kernels.sorting_kernels`); the first ``known`` (d,) have a value. ``ranks`` (d, n)
    is the rank of each record. ``is_listed`` (d,) marks nominal predictors. ``weights`` is empty for unit weights.
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
        """Ranks of data whose records all have a class."""
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
        return float(len(rows)) if len(self.weights) == 0 else float(self.weights[rows].sum())

    def n_distinct(self, place: int) -> int:
        """Number of distinct known values of a predictor."""
        ranks = self.words[place, : int(self.known[place])] >> np.uint64(32)
        return int(np.count_nonzero(ranks[1:] != ranks[:-1])) + int(len(ranks) > 0)

    def met(
        self, rows: IntArray, bounds: Iterable[Sequence[int]], checkpoint: Callable[[], None] = no_checkpoint
    ) -> IntArray:
        """The rows that meet all conditions (predictor, lowest rank, highest rank)."""
        for place, low, high in bounds:
            checkpoint()
            ranks = self.ranks[place, rows].astype(np.int64)
            rows = rows[(ranks >= low) & (ranks <= high)]
        return rows

    def value(self, place: int, rank: int) -> float:
        """The number of this rank, or of the next higher one."""
        words = self.words[place]
        position = min(int(np.searchsorted(words, np.uint64(rank << 32))), int(self.known[place]) - 1)
        return float(self.data.column(self.predictors[place])[int(words[position]) & 0xFFFFFFFF])

    def rule(self, bounds: Iterable[Sequence[int]], target: int) -> Rule:
        """A rule in values; bounds (predictor, lowest rank, highest rank) on one predictor become one condition."""
        ends: dict[int, tuple[int, int]] = {}
        for place, low, high in bounds:
            lowest, highest = ends.get(place, (0, LAST_RANK))
            ends[place] = max(lowest, low), min(highest, high)
        return Rule(tuple(self.condition(place, *own) for place, own in ends.items()), target)

    def condition(self, place: int, low: int, high: int) -> RuleCondition:
        """The condition that a rank lies between ``low`` (0: no bound) and ``high`` (:data:`LAST_RANK`: no bound)."""
        index = self.predictors[place]
        attribute = self.data.schema.attributes[index]
        if attribute.kind.is_coded:
            last = min(high, len(attribute.values) - 1)
            return RuleCondition(index, values=tuple(range(low, last + 1)))
        first = -np.inf if low <= 0 else self.value(place, low)
        return RuleCondition(index, first, np.inf if high >= LAST_RANK else self.value(place, high))


def met_parts(rules: RuleSet, block: FloatArray, attributes: IntArray) -> FloatArray:
    """The part of each record that meets each rule (n, r); ``block`` (n, a) holds values of ``attributes`` (a,)."""
    parts = np.ones((len(block), rules.n_rules))
    for rule in range(rules.n_rules):
        for c in rules.conditions(rule):
            slot = int(np.searchsorted(attributes, rules.attribute[c]))
            parts[:, rule] *= _met(rules, c, block[:, slot])
    return parts


def _met(rules: RuleSet, c: int, values: FloatArray) -> FloatArray:
    """The part of each value (n,) that meets a condition."""
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

    They are the class shares of each rule's training records, averaged by the parts. The correction is added to the
    average number of those records. A record of one rule has the probabilities of that rule.
    """
    evidence = rules.evidence()
    sizes = evidence.sum(axis=1, keepdims=True)
    shares, weight = parts @ (evidence / sizes), parts @ sizes
    counts = shares * weight + rules.correction
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def decided_parts(met: FloatArray) -> FloatArray:
    """The part of each record that each rule decides, the default rule last (n, r + 1); rows sum to 1."""
    left = np.cumprod(1.0 - met, axis=1)
    before = np.hstack([np.ones((len(met), 1)), left])
    return np.hstack([met * before[:, :-1], before[:, -1:]])


Checkpoint = Callable[[], None]

_MOST_ASKED: Final = 1 << 20
"""Matches of a rule with a record between two checkpoints."""


class RuleMatcher:
    """Finds the rules that fire by compiled loops. Data must have the schema of the rules."""

    def __init__(self, rules: RuleSet) -> None:
        from algorithms.learners.rules import covering_kernels

        self.rules, self._kernels = rules, covering_kernels
        self._attributes: IntArray = np.unique(rules.attribute).astype(np.int64)
        self._conditions = covering_kernels.Conditions(
            rule_start=np.array(rules.rule_start, dtype=np.int32),
            slot=np.searchsorted(self._attributes, rules.attribute).astype(np.int32),
            low=np.array(rules.low, dtype=np.float64),
            high=np.array(rules.high, dtype=np.float64),
            low_is_open=np.array(rules.low_is_open, dtype=np.int8),
            offset=np.array(rules.offset, dtype=np.int32),
            value_in=np.array(rules.value_in, dtype=np.int8),
            takes_missing=np.array(rules.takes_missing, dtype=np.int8),
        )

    def first(self, data: Dataset, checkpoint: Checkpoint = no_checkpoint) -> Int32Array:
        """The first rule that fires (n,), else ``DEFAULT_RULE`` (-1); for divided records that of the largest part."""
        first = np.empty(len(data), dtype=np.int32)
        for rows, block in self._blocks(data):
            checkpoint()
            self._kernels.find_first(block, self._conditions, first[rows])
            for some, parts in self._divided(block, checkpoint):
                most = np.argmax(parts > parts.max(axis=1, keepdims=True) - 1e-12, axis=1)
                first[rows][some] = np.where(most == self.rules.n_rules, DEFAULT_RULE, most)
        return first

    def parts(self, data: Dataset, checkpoint: Checkpoint = no_checkpoint) -> Iterator[tuple[IntArray, FloatArray]]:
        """Blocks of rows (m,) that lack a value the rules divide by, with the part each rule decides (m, r + 1)."""
        for rows, block in self._blocks(data):
            for some, parts in self._divided(block, checkpoint):
                yield some + rows.start, parts

    def _divided(self, block: FloatArray, checkpoint: Checkpoint) -> Iterator[tuple[IntArray, FloatArray]]:
        """:meth:`parts` for a block of values."""
        if not self.rules.divides:
            return
        lacking = np.flatnonzero(np.isnan(block).any(axis=1))
        step = max(1, _MOST_ASKED // max(1, self.rules.n_rules))
        for start in range(0, len(lacking), step):
            checkpoint()
            some = lacking[start : start + step]
            yield some, decided_parts(met_parts(self.rules, block[some], self._attributes))

    def covered(self, rule: int, data: Dataset, checkpoint: Checkpoint = no_checkpoint) -> NDArray[np.bool_]:
        """Records (n,) that meet the conditions of a rule, decided by it or not."""
        covered = np.empty(len(data), dtype=np.bool_)
        for rows, block in value_blocks(data, self._attributes):
            checkpoint()
            self._kernels.find_covered(block, rule, self._conditions, covered[rows])
        return covered

    def _blocks(self, data: Dataset) -> Iterator[tuple[slice, FloatArray]]:
        """Blocks of values, smaller for more rules, so that a stop takes effect soon."""
        step = max(1, _MOST_ASKED // max(1, self.rules.n_rules))
        for rows, block in value_blocks(data, self._attributes):
            for start in range(0, len(block), step):
                part = block[start : start + step]
                yield slice(rows.start + start, rows.start + start + len(part)), part

    def _fired(self, block: FloatArray) -> NDArray[np.bool_]:
        """Which rules fire for each record of a block (m, r)."""
        fired = np.empty((len(block), self.rules.n_rules), dtype=np.bool_)
        self._kernels.find_fired(block, self._conditions, fired)
        return fired

    def n_fired(self, data: Dataset, checkpoint: Checkpoint = no_checkpoint) -> IntArray:
        """Number of rules that fire for each record (n,)."""
        counts = np.zeros(len(data), dtype=np.int64)
        for rows, block in self._blocks(data):
            checkpoint()
            counts[rows] = np.count_nonzero(self._fired(block), axis=1)
        return counts

    def fired(self, data: Dataset, row: int) -> Int32Array:
        """The rules that fire for one record; of a divided one, those above the default rule's part."""
        for _, parts in self.parts(data.take([row])):
            order = np.argsort(-parts[0], kind="stable")
            return np.asarray(order[parts[0][order] > parts[0][-1]], dtype=np.int32)
        block = value_block(data, self._attributes, slice(row, row + 1))
        return np.flatnonzero(self._fired(block)[0]).astype(np.int32)

    def voted(self, data: Dataset) -> FloatArray:
        """Sum of the votes (n, k) of the rules that fire; 0 where none does."""
        default = np.zeros(self.rules.n_classes)
        sums = np.empty((len(data), self.rules.n_classes))
        for rows, block in self._blocks(data):
            self._kernels.sum_votes(self._fired(block), self.rules.votes, default, sums[rows])
        return sums

    def counted(self, data: Dataset, checkpoint: Checkpoint = no_checkpoint) -> RuleSet:
        """The rules with counts of these records, which all have a class."""
        r, k = self.rules.n_rules, self.rules.n_classes
        covered, decided, left = np.zeros((r, k)), np.zeros((r, k)), np.zeros(k)
        codes = np.ascontiguousarray(data.class_codes, dtype=np.int32)
        weights = np.array(data.weight_array, dtype=np.float64)
        for rows, block in self._blocks(data):
            checkpoint()
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
            self._kernels.count_rules(self._fired(block), codes[rows], whole, covered, decided, left)
        if not self.rules.is_ordered:
            decided = covered.copy()
        return replace(self.rules, covered=covered, decided=decided, default_counts=left)


def decided_as_counted(rules: RuleSet) -> RuleSet:
    """The rules, each with the majority class of the records it decides, or else covers; a tie keeps its class."""
    used = np.where(rules.decided.sum(axis=1, keepdims=True) > 0, rules.decided, rules.covered)
    decision = [_heaviest(counts, int(own)) for counts, own in zip(used, rules.decision, strict=True)]
    default = _heaviest(rules.default_counts, rules.default_decision)
    return replace(rules, decision=np.array(decision, dtype=np.int32), default_decision=default)


def _heaviest(counts: FloatArray, own: int) -> int:
    return own if counts[own] >= counts.max() else int(np.argmax(counts))


_STATE: Final = ArrayState("The saved rules are", {
    "rule_start": offsets("conditions", "rules+1"),
    "decision": indices("classes", "rules"),
    "covered": weights("rules", "classes"),
    "decided": weights("rules", "classes"),
    "votes": weights("voters", "classes"),
    "attribute": indices("attributes", "conditions"),
    "low": anything("conditions"),
    "high": anything("conditions"),
    "low_is_open": flags("conditions"),
    "offset": indices("places", "conditions", lowest=-1),
    "value_in": flags("values"),
    "takes_missing": flags("conditions"),
    "missing_share": ArraySpec(dtype=np.float64, shape=("conditions",), lowest=0.0, highest=1.0, optional=True),
    "default_counts": weights("classes"),
})  # fmt: skip


_VALUES: Final = ("default_decision", "is_ordered", "correction", "criterion", "by_coverage")


def checked_rules(schema: Schema, state: State) -> RuleSet:
    """The rules in a saved state; raises :class:`ModelFileError` where it does not fit the schema."""
    values: dict[str, Any] = {name: state.values.get(name) for name in _VALUES}
    values["correction"], values["by_coverage"] = finite_number(values["correction"]), values["by_coverage"] is True
    default, ordered, require, k = values["default_decision"], values["is_ordered"], _STATE.require, len(schema.classes)
    require(k >= 1, "it has no classes")
    require(type(default) is int and 0 <= default < k, "the default rule decides for no class")
    require(isinstance(ordered, bool), "it does not say whether its rules are a list")
    require(values["correction"] is not None and values["correction"] >= 0, "its correction is no number")
    require(isinstance(values["criterion"], str), "it lacks its description")
    value_in = state.arrays.get("value_in")
    places = int(value_in.size) + 1 if isinstance(value_in, np.ndarray) else 1
    read = _STATE.read(state.arrays, attributes=len(schema), classes=k, places=places)
    require(len(read["votes"]) == (0 if ordered else len(read["decision"])), "votes is of another size")
    require(ordered or "missing_share" not in read, "rules that vote divide no record")
    rules = RuleSet(schema=schema, **(values | read))
    _check_conditions(rules)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = rules.probabilities().sum(axis=1)
        voted = rules.votes.sum()
    require(np.isfinite(voted) and np.all(np.abs(sums - 1.0) < 1e-6), "its weights have no finite sum")
    return rules


def _check_conditions(rules: RuleSet) -> None:
    """Check that each condition tests a predictor, with bounds or values of its kind."""
    predictors, require = set(rules.schema.predictors), _STATE.require
    for c, (column, offset) in enumerate(zip(rules.attribute.tolist(), rules.offset.tolist(), strict=True)):
        attribute = rules.schema.attributes[column]
        require(column in predictors, f"it asks for {attribute.name}")
        if attribute.kind.is_coded:
            within = offset >= 0 and offset + len(attribute.values) <= len(rules.value_in)
            require(within, f"the values of {attribute.name} are missing")
        else:
            has_bounds = offset == -1 and not np.isnan(rules.low[c]) and not np.isnan(rules.high[c])
            require(has_bounds, f"{attribute.name} has no bounds")


class RuleModel(StructuredModel):
    """A rule list, where the first rule that fires decides, or rules that vote; the default rule decides the rest.

    A missing value fails a condition unless the condition takes it. Where rules divide records, each rule decides its
    part. A list predicts :meth:`RuleSet.probabilities` of the deciding rule; voting rules predict the shares of votes.
    """

    id: ClassVar[str] = "rules"
    checked = staticmethod(checked_rules)

    def __init__(self, rules: RuleSet, *, partial: bool = False) -> None:
        super().__init__(rules.schema, partial=partial)
        self.rules = rules

    @cached_property
    def matcher(self) -> RuleMatcher:
        """Finds the rules that fire."""
        return RuleMatcher(self.rules)

    @cached_property
    def _probabilities(self) -> FloatArray:
        return self.rules.probabilities()

    @cached_property
    def _decisions(self) -> Int32Array:
        """The class of each rule, the default rule last (r + 1,)."""
        return np.append(self.rules.decision, self.rules.default_decision).astype(np.int32)

    def _predict_proba(self, data: Dataset) -> Probabilities:
        if self.rules.is_ordered:
            probabilities = np.asarray(self._probabilities[self.matcher.first(data)])
            for rows, parts in self.matcher.parts(data):
                probabilities[rows] = probabilities_of_parts(self.rules, parts)
            return probabilities
        return normalised(self.matcher.voted(data), self._probabilities[DEFAULT_RULE])

    def _predict(self, data: Dataset) -> Codes:
        if self.rules.is_ordered:
            decisions = self._decisions[self.matcher.first(data)].astype(np.int32)
            for rows, parts in self.matcher.parts(data):
                shares, own = probabilities_of_parts(self.rules, parts), decisions[rows]
                ties = shares >= shares.max(axis=1, keepdims=True) - 1e-12
                is_own = ties[np.arange(len(rows)), own] | (parts.max(axis=1) >= 1.0 - 1e-12)
                decisions[rows] = np.where(is_own, own, np.argmax(ties, axis=1))
            return decisions
        voted = self.matcher.voted(data)
        decisions = np.argmax(normalised(voted, self._probabilities[DEFAULT_RULE]), axis=1)
        return np.where(voted.any(axis=1), decisions, self.rules.default_decision).astype(np.int32)

    def structure(self) -> RuleSet:
        return self.rules

    def facts(self) -> dict[str, int | float]:
        return {"rules": self.rules.n_rules, "conditions": self.rules.n_conditions}

    def explain(self, data: Dataset, row: int) -> Explanation:
        """The deciding rule with conditions and training accuracy, then other rules that fire; ``parts`` are these."""
        record = aligned(self.schema, data).take([row])
        fired = self.matcher.fired(record, 0).tolist()
        steps = self.steps_of(fired, self.rules, self.parts_of(record))
        probabilities = self._predict_proba(record)[0]
        decision = int(self._predict(record)[0])
        return Explanation(decision, tuple(float(p) for p in probabilities), tuple(steps), tuple(fired))

    def parts_of(self, record: Dataset) -> FloatArray | None:
        """The part (r + 1,) that each rule decides of one record; None where one rule decides all of it."""
        for _, parts in self.matcher.parts(record):
            if np.count_nonzero(parts[0] > 0) > 1:
                return np.asarray(parts[0])
        return None

    def steps_of(self, fired: Sequence[int], worded: RuleSet, parts: FloatArray | None = None) -> list[str]:
        """Steps of :meth:`explain` for firing rules, or ``parts``; ``worded`` has the numbers in other units."""
        if parts is not None:
            largest = [rule for rule in largest_parts(parts)[:4] if rule != DEFAULT_RULE]
            words = [f"{name_of(rule)}: {rule_words(worded, rule)}, {self._record(rule)}" for rule in largest]
            return [parts_words(self.rules, parts), *(f"{line[0].upper()}{line[1:]}" for line in words)]
        rules = self.rules
        if not rules.is_ordered:
            votes = [f"{name_of(i)}: {rule_words(worded, i)}, {self._record(i)}" for i in fired]
            return votes or [f"No rule fires: {self._record(DEFAULT_RULE)}"]
        rule = fired[0] if fired else DEFAULT_RULE
        name = name_of(rule)
        steps = [] if rule == DEFAULT_RULE else [f"Because {if_words(worded, rule)}"]
        steps.append(f"{name[0].upper()}{name[1:]} decides: {self._record(rule)}")
        if not fired and rules.n_rules:
            steps.append("No other rule fires")
        others = [i for i in fired[1:] if rules.decision[i] != rules.decision_of(rule)]
        if others:
            says = [f"{name_of(i)} ({self.classes[int(rules.decision[i])]})" for i in others]
            steps.append(f"Later rules that predict another class: {and_more(says, 4)}")
        return [*steps, *self._share_words(rule)]

    def _share_words(self, rule: int) -> tuple[str, ...]:
        """How the probability of a rule's class follows from its training records; empty where it has none."""
        rules, code = self.rules, self.rules.decision_of(rule)
        counts, decided, c = rules.evidence()[rule], rules.decided_by(rule), rules.correction
        covers = rule != DEFAULT_RULE and (rules.by_coverage or decided.sum() <= 0)
        if (covers and rules.covered[rule].sum() <= 0) or (rule == DEFAULT_RULE and decided.sum() <= 0):
            return ()
        above, below = weight_words(float(counts[code])), weight_words(float(counts.sum()))
        if c:
            above, below = f"({above} + {amount(c)})", f"({below} + {amount(c * len(counts))})"
        which = f"{'Laplace-corrected ' if c else ''}share of the training records that the rule"
        equation = f"{above} / {below} = {percent(float(self._probabilities[rule][code]))}"
        return (f"The probability is the {which} {'covers' if covers else 'decides'}: {equation}",)

    def _record(self, rule: int) -> str:
        """The class of a rule, and how often it was right in training."""
        counts = self.rules.decided_by(rule)
        decision = self.rules.decision_of(rule)
        total, label = float(counts.sum()), self.classes[decision]
        if total <= 0:
            return f"{label}, no training record was left for it"
        return f"{label}, correct for {weight_words(float(counts[decision]))} of {weight_words(total)} in training"

    def values(self) -> dict[str, Any]:
        return {name: getattr(self.rules, name) for name in _VALUES}


KERNELS: Final = ("algorithms.learners.trees.kernels.sorting_kernels", "algorithms.learners.rules.covering_kernels")
"""Kernel modules that every rule learner needs."""


class Interrupted(Exception):  # noqa: N818 - nothing is wrong: the rules there are make the model
    """Stops a search; the rules so far make the model."""


def interrupting(context: RunContext) -> Callable[[], None]:
    """A checkpoint that raises :class:`Interrupted` once the run is to finish, and :class:`Cancelled` on a stop."""

    def checkpoint() -> None:
        context.checkpoint()
        if context.finishing:
            raise Interrupted

    return checkpoint


class RuleLearner(Learner):
    """Base of rule learners: ignores records of weight zero, then counts the training records of each rule."""

    family: ClassVar[str] = "Rules"
    burden: ClassVar[int] = 3
    kernels: ClassVar[tuple[str, ...]] = KERNELS

    def _fit(self, data: Dataset, context: RunContext) -> RuleModel:
        ensure_compiled(self.kernels, context)
        weighty = data.without_weightless()
        rules, partial = self.induced(weighty, context)
        return RuleModel(self.finished(RuleMatcher(rules).counted(weighty, context.checkpoint)), partial=partial)

    def finished(self, counted: RuleSet) -> RuleSet:
        """Complete the rules once their training records are counted."""
        return decided_as_counted(counted)

    @abstractmethod
    def induced(self, data: Dataset, context: RunContext) -> tuple[RuleSet, bool]:
        """The rules without counts, and whether the run was finished early."""


def rarest_first(total: FloatArray) -> list[int]:
    """The classes of positive weight, the rarest first, from class weights (k,)."""
    return [int(code) for code in np.argsort(total, kind="stable") if total[code] > 0]


def dearest_first(total: FloatArray, costs: Costs) -> list[int]:
    """The classes by total cost of misclassification, highest first; the rarest of equals, or without costs, first."""
    order = rarest_first(total)
    if len(costs) != len(total):
        return order
    table = np.array(costs, dtype=np.float64)
    dear = table.sum(axis=1) - np.diag(table)
    return sorted(order, key=lambda code: -float(dear[code]))
