"""Structure of rule-based models: the rules as flat arrays, as text, and as a table with a row for each rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, free_name, nominal, numeric
from algorithms.structures.model_structure import ModelStructure, StructureInfo
from algorithms.text.numbers import cut_number
from algorithms.text.sentences import counted, listed

Int32Array = NDArray[np.int32]

DEFAULT_RULE: Final = -1
"""Index of the default rule, which decides if no other rule fires."""


@dataclass(frozen=True, eq=False)
class RuleSet(ModelStructure, viewer_key="rules"):
    """r rules over k classes, each a conjunction of conditions, with a default decision if no rule fires.

    With ``is_ordered`` the rules are a decision list, in which the first rule that fires decides. Otherwise all rules
    that fire vote.

    =================  ========  ===================================================================================
    array              shape     meaning
    =================  ========  ===================================================================================
    rule_start         (r + 1,)  int32, ascending from 0; the conditions of rule i are ``rule_start[i]`` to
                                 ``rule_start[i + 1]``; a rule without conditions always fires
    decision           (r,)      int32, the class predicted by the rule
    covered            (r, k)    float64, weight of the training records of each class that the rule covers
    decided            (r, k)    float64, weight of those that it also decides, since no earlier rule of a list
                                 fires; if rules vote, equal to ``covered``
    votes              (r, k)    float64, what the rule adds to each class if rules vote; (0, k) for a list
    attribute          (c,)      int32, index in ``schema.attributes`` of the condition's attribute
    low, high          (c,)      float64, bounds of a numeric condition, ``high`` included; infinite without a bound;
                                 NaN if the condition lists values
    low_is_open        (c,)      int8, 1 for value > ``low``, 0 for value >= ``low``
    offset             (c,)      int32, start of its values in ``value_in``; -1 for a numeric condition
    value_in           (s,)      int8, 1 for each value code that satisfies a condition that lists values
    takes_missing      (c,)      int8, 1 if a missing value satisfies the condition, else 0
    missing_share      (c,)      float64, share of a record with a missing value that satisfies the condition; (0,)
                                 if records are never divided
    default_counts     (k,)      float64, weight of the training records of each class that no rule covers
    =================  ========  ===================================================================================

    ``default_decision`` is the class predicted if no rule fires. ``correction`` is added to the weight of each class in
    the records that a rule decides before they become probabilities: 1 is Laplace's correction, 0 none. With
    ``by_coverage`` the records that the rule covers count instead.
    """

    schema: Schema
    rule_start: Int32Array
    decision: Int32Array
    covered: FloatArray
    decided: FloatArray
    votes: FloatArray
    attribute: Int32Array
    low: FloatArray
    high: FloatArray
    low_is_open: NDArray[np.int8]
    offset: Int32Array
    value_in: NDArray[np.int8]
    takes_missing: NDArray[np.int8]
    default_counts: FloatArray
    default_decision: int
    is_ordered: bool = True
    correction: float = 1.0
    criterion: str = field(default="")
    by_coverage: bool = False
    missing_share: FloatArray = field(default_factory=lambda: np.zeros(0))

    @property
    def divides(self) -> bool:
        """Whether a record with a missing value is divided, so that several rules of a list decide shares of it."""
        return len(self.missing_share) > 0

    @property
    def info(self) -> StructureInfo:
        rules = counted(self.n_rules, "rule")
        facts = f"{rules} · {counted(self.n_conditions, 'condition')}"
        return StructureInfo("The rules", facts, rules, lambda: self.asked, True, self._boundaries)

    @property
    def n_rules(self) -> int:
        return len(self.decision)

    @property
    def n_conditions(self) -> int:
        return len(self.attribute)

    def conditions(self, rule: int) -> range:
        """The indices of a rule's conditions, in the order in which they were learned; empty for the default rule."""
        if rule == DEFAULT_RULE:
            return range(0)
        return range(int(self.rule_start[rule]), int(self.rule_start[rule + 1]))

    def decision_of(self, rule: int) -> int:
        """The class that a rule, or the default rule, predicts."""
        return self.default_decision if rule == DEFAULT_RULE else int(self.decision[rule])

    def decided_by(self, rule: int) -> FloatArray:
        """Weight of the training records of each class (k,) that a rule, or the default rule, decides."""
        return self.default_counts if rule == DEFAULT_RULE else self.decided[rule]

    def is_numeric(self, condition: int) -> bool:
        """Whether the condition compares a number, instead of listing values."""
        return bool(self.offset[condition] < 0)

    def values_of(self, condition: int) -> tuple[int, ...]:
        """The value codes that satisfy a condition that lists values."""
        offset = int(self.offset[condition])
        n_values = len(self.schema.attributes[int(self.attribute[condition])].values)
        return tuple(int(code) for code in np.flatnonzero(self.value_in[offset : offset + n_values]))

    @property
    def asked(self) -> tuple[int, ...]:
        """The attributes that the rules test, in the order of their first test."""
        return tuple(dict.fromkeys(self.attribute.tolist()))

    def _boundaries(self, index: int) -> FloatArray:
        """The upper ends of an attribute's intervals; for an included lower bound, the next smaller number."""
        asking = self.attribute == index
        low, is_open = self.low[asking], self.low_is_open[asking] == 1
        return np.concatenate([self.high[asking], low[is_open], np.nextafter(low[~is_open], -np.inf)])

    def probabilities(self) -> FloatArray:
        """Class probabilities of each rule, and last of the default rule (r + 1, k): rows sum to 1.

        They are the class shares, with the correction added, of the training records that the rule decides. If it
        decides none, or with ``by_coverage``, those that it covers count. Without any weight and correction, its own
        class has probability 1.
        """
        counts = self.evidence() + self.correction
        return np.asarray(counts / counts.sum(axis=1, keepdims=True))

    def evidence(self) -> FloatArray:
        """The class weights (r + 1, k) behind :meth:`probabilities`, without the correction."""
        counts = np.vstack([self.decided, self.default_counts])
        own_counts = (counts[:-1].sum(axis=1, keepdims=True) > 0) & (not self.by_coverage)
        counts[:-1] = np.where(own_counts, counts[:-1], self.covered)
        own = np.append(self.decision, self.default_decision)
        empty = np.flatnonzero(counts.sum(axis=1) <= 0)
        counts[empty, own[empty]] = 1.0
        return np.asarray(counts)

    def arrays(self) -> dict[str, NDArray[Any]]:
        arrays = super().arrays()
        if not self.divides:
            del arrays["missing_share"]
        return arrays


@dataclass(frozen=True)
class RuleCondition:
    """A condition while rules are built, as in :class:`RuleSet`; ``values`` is None for a numeric condition."""

    attribute: int
    low: float = -np.inf
    high: float = np.inf
    low_is_open: bool = False
    values: tuple[int, ...] | None = None
    takes_missing: bool = False
    missing_share: float = 0.0


@dataclass(frozen=True)
class Rule:
    """One rule during the construction of a rule set: its conditions and the predicted class."""

    conditions: tuple[RuleCondition, ...]
    decision: int


def put_together(
    schema: Schema, rules: list[Rule], default_decision: int, *, is_ordered: bool = True, criterion: str = ""
) -> RuleSet:
    """The rule set of these rules, with all counts zero."""
    conditions = [condition for rule in rules for condition in rule.conditions]
    starts = np.cumsum([0, *(len(rule.conditions) for rule in rules)]).astype(np.int32)
    tables = [_table(schema, condition) for condition in conditions]
    sizes = np.array([len(table) for table in tables], dtype=np.int32)
    places = np.cumsum(sizes) - sizes if len(sizes) else sizes
    k = len(schema.classes)
    shares = np.array([condition.missing_share for condition in conditions], dtype=np.float64)
    listed = np.array([condition.values is not None for condition in conditions], dtype=np.bool_)
    return RuleSet(
        schema=schema,
        rule_start=starts,
        decision=np.array([rule.decision for rule in rules], dtype=np.int32),
        covered=np.zeros((len(rules), k)),
        decided=np.zeros((len(rules), k)),
        votes=np.zeros((0 if is_ordered else len(rules), k)),
        attribute=np.array([condition.attribute for condition in conditions], dtype=np.int32),
        low=np.array([np.nan if c.values is not None else c.low for c in conditions], dtype=np.float64),
        high=np.array([np.nan if c.values is not None else c.high for c in conditions], dtype=np.float64),
        low_is_open=np.array([c.low_is_open for c in conditions], dtype=np.int8),
        offset=np.where(listed, places, -1).astype(np.int32),
        value_in=np.concatenate([np.zeros(0, dtype=np.int8), *tables]),
        takes_missing=np.array([c.takes_missing for c in conditions], dtype=np.int8),
        default_counts=np.zeros(k),
        default_decision=default_decision,
        is_ordered=is_ordered,
        criterion=criterion,
        missing_share=shares if shares.any() else np.zeros(0),
    )


def _table(schema: Schema, condition: RuleCondition) -> NDArray[np.int8]:
    if condition.values is None:
        return np.zeros(0, dtype=np.int8)
    table = np.zeros(len(schema.attributes[condition.attribute].values), dtype=np.int8)
    table[list(condition.values)] = 1
    return table


Write = Callable[[float], str]
"""Writes a bound of a condition."""
ALWAYS: Final = "always"
"""The condition of a rule that has none."""
OTHERWISE: Final = "otherwise"
"""The condition of the default rule."""


def condition_words(rules: RuleSet, condition: int, *, at_most: int = 4, write: Write = cut_number) -> str:
    """One condition: ``petal length <= 1.9``, ``colour = red or blue``, ``age from 20 to 30``, ``age is missing``."""
    name = rules.schema.attributes[int(rules.attribute[condition])].name
    is_numeric = rules.is_numeric(condition)
    values = _range_words(rules, condition, write) if is_numeric else _value_words(rules, condition, at_most)
    if not rules.takes_missing[condition]:
        return f"{name} {values or 'is never met'}"
    return f"{name} {values} or missing" if values else f"{name} is missing"


def _range_words(rules: RuleSet, condition: int, write: Write) -> str:
    low, high = float(rules.low[condition]), float(rules.high[condition])
    above = ">" if rules.low_is_open[condition] else ">="
    if low > high:
        return ""
    if low == -inf and high == inf:
        return "is known"
    if low == -inf:
        return f"<= {write(high)}"
    if high == inf:
        return f"{above} {write(low)}"
    if low == high:
        return f"= {write(low)}"
    start = f"above {write(low)}" if rules.low_is_open[condition] else f"from {write(low)}"
    return f"{start} {'up ' if rules.low_is_open[condition] else ''}to {write(high)}"


def _value_words(rules: RuleSet, condition: int, at_most: int) -> str:
    attribute = rules.schema.attributes[int(rules.attribute[condition])]
    codes = rules.values_of(condition)
    if not codes:
        return ""
    is_run = len(codes) > 1 and codes[-1] - codes[0] == len(codes) - 1
    if attribute.kind is AttributeKind.ORDINAL and is_run:
        first, last = attribute.values[codes[0]], attribute.values[codes[-1]]
        if len(codes) == len(attribute.values):
            return "is known"
        if codes[0] == 0:
            return f"<= {last}"
        return f">= {first}" if codes[-1] == len(attribute.values) - 1 else f"from {first} to {last}"
    return f"= {listed([attribute.values[code] for code in codes], at_most)}"


def conditions_words(rules: RuleSet, rule: int, *, at_most: int = 4, write: Write = cut_number) -> tuple[str, ...]:
    """The conditions of a rule in their order; empty for the default rule. For programs ``write`` is exact."""
    return tuple(condition_words(rules, c, at_most=at_most, write=write) for c in rules.conditions(rule))


def if_words(rules: RuleSet, rule: int, *, at_most: int = 4) -> str:
    """The antecedent of a rule: ``petal length <= 1.9 and petal width <= 0.4``, ``otherwise``."""
    if rule == DEFAULT_RULE:
        return OTHERWISE
    return " and ".join(conditions_words(rules, rule, at_most=at_most)) or ALWAYS


def rule_words(rules: RuleSet, rule: int) -> str:
    """A whole rule: ``if petal length <= 1.9 then setosa``, ``otherwise virginica``."""
    label = rules.schema.classes[rules.decision_of(rule)]
    return f"otherwise {label}" if rule == DEFAULT_RULE else f"if {if_words(rules, rule)} then {label}"


def name_of(rule: int) -> str:
    """The name of a rule: its place, counted from 1."""
    return "the default rule" if rule == DEFAULT_RULE else f"rule {rule + 1}"


def largest_parts(parts: FloatArray) -> list[int]:
    """The rules that decide a part of a divided record, the largest of ``parts`` (r + 1,) first."""
    order = [rule for rule in np.argsort(-parts, kind="stable").tolist() if parts[rule] > 0]
    return [DEFAULT_RULE if rule == len(parts) - 1 else rule for rule in order]


def parts_words(rules: RuleSet, parts: FloatArray, *, at_most: int = 6) -> str:
    """The part (r + 1,) that each rule decides of a record with a missing value, and its class."""
    order = largest_parts(parts)
    shares = [
        f"{name_of(rule)} {100 * float(parts[rule]):.0f}% ({rules.schema.classes[rules.decision_of(rule)]})"
        for rule in order[:at_most]
    ]
    more = f" and {len(order) - at_most:,} more" if len(order) > at_most else ""
    return f"A value is missing, so several rules decide a part: {', '.join(shares)}{more}"


def weight_words(value: float) -> str:
    """A weight as text, without decimals where it is whole."""
    return f"{value:,.0f}" if value == round(value) else f"{value:,.1f}"


def rules_as_table(rules: RuleSet) -> Dataset:
    """A row for each rule, the default rule last.

    The columns are place, conditions, class, training weight covered, decided and correct, share correct, and the
    weight decided of each class.
    """
    every = [*range(rules.n_rules), DEFAULT_RULE]
    decided = np.array([rules.decided_by(rule) for rule in every])
    decisions = np.array([rules.decision_of(rule) for rule in every])
    covered = np.append(rules.covered.sum(axis=1), rules.default_counts.sum())
    total, right = decided.sum(axis=1), decided[np.arange(len(every)), decisions]
    share = np.divide(right, total, out=np.full(len(every), np.nan), where=total > 0)
    heads = ["rule", "if", "then", "covers", "decides", "correct", "share correct"]
    attributes = [
        Attribute("rule", AttributeKind.TEXT),
        Attribute("if", AttributeKind.TEXT),
        nominal("then", rules.schema.classes),
    ]
    attributes += [numeric(name) for name in heads[3:]]
    for label in rules.schema.classes:
        heads.append(free_name(f"decides {label}", heads))
        attributes.append(numeric(heads[-1]))
    places = np.array([name_of(rule) if rule == DEFAULT_RULE else str(rule + 1) for rule in every], dtype=object)
    conditions = np.array([if_words(rules, rule, at_most=10_000) for rule in every], dtype=object)
    numbers = [covered, total, right, share, *decided.T]
    columns = [places, conditions, decisions, *(np.asarray(number, dtype=np.float64) for number in numbers)]
    return Dataset(Schema(tuple(attributes)), columns)
