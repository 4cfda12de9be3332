"""Rules written by hand, for tests."""

from __future__ import annotations

import numpy as np

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema
from algorithms.io.samples import samples
from algorithms.structures.rule_set import Rule, RuleCondition, RuleSet, put_together


def sample(id: str) -> Dataset:
    return next(s for s in samples() if s.id == id).make(None, 1, RunContext(seed=1))


def values(schema: Schema, name: str, *labels: str, missing: bool = False) -> RuleCondition:
    """The condition that a listed attribute has one of these values."""
    index = schema.index_of(name)
    codes = tuple(schema.attributes[index].code_of(label) for label in labels)
    return RuleCondition(index, values=codes, takes_missing=missing)


def rules_of(
    data: Dataset, *rules: tuple[str, tuple[RuleCondition, ...]], default: str = "", is_ordered: bool = True
) -> RuleSet:
    """Rules, each a class label and conditions."""
    classes = data.schema.classes
    made = [Rule(conditions, classes.index(label)) for label, conditions in rules]
    return put_together(data.schema, made, classes.index(default) if default else 0, is_ordered=is_ordered)


def meets(rules: RuleSet, rule: int, data: Dataset) -> np.ndarray:
    """Which records meet a rule's conditions, in the plainest way."""
    found = np.ones(len(data), dtype=bool)
    for c in rules.conditions(rule):
        index = int(rules.attribute[c])
        column, missing = np.asarray(data.column(index)), data.missing(index)
        if rules.is_numeric(c):
            above = column > rules.low[c] if rules.low_is_open[c] else column >= rules.low[c]
            known = above & (column <= rules.high[c])
        else:
            known = np.isin(column, rules.values_of(c))
        found &= np.where(missing, bool(rules.takes_missing[c]), known)
    return found
