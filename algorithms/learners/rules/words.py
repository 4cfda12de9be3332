"""Rules as text, and as a table with a row for each rule."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final

import numpy as np

from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, free_name, nominal, numeric
from algorithms.learners.trees.words import listed
from algorithms.structures.rule_set import DEFAULT_RULE, RuleSet
from algorithms.text.numbers import data_number

Write = Callable[[float], str]
"""Writes a bound of a condition."""
ALWAYS: Final = "always"
"""The condition of a rule that has none."""
OTHERWISE: Final = "otherwise"
"""The condition of the default rule."""


def condition_words(rules: RuleSet, condition: int, *, at_most: int = 4, write: Write = data_number) -> str:
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


def conditions_words(rules: RuleSet, rule: int, *, at_most: int = 4, write: Write = data_number) -> tuple[str, ...]:
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
