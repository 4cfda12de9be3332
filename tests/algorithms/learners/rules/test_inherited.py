"""What a rule far down a list really says."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.rules.model import RuleMatcher
from algorithms.learners.rules.rule_logic import CellSpace, InheritedConditions, inherited, inherited_words
from algorithms.structures.rule_set import DEFAULT_RULE, Rule, RuleCondition, RuleSet, put_together
from tests.algorithms.learners.rules.hand_made import meets
from tests.algorithms.learners.rules.test_rule_logic import drawn, every_record
from tests.expected_texts import learners as wording

SCHEMA = Schema((numeric("age"), nominal("colour", ("red", "green", "blue")), nominal("c", ("n", "p"))), 2)
YOUNG, RED = RuleCondition(0, high=30.0), RuleCondition(1, values=(0,))


def told(*rules: tuple[RuleCondition, ...], of: int) -> tuple[str, ...]:
    made = put_together(SCHEMA, [Rule(conditions, 0) for conditions in rules], 1)
    return inherited_words(made, inherited(CellSpace.of(made, with_missing=True), of))


def test_of_an_earlier_rule_only_what_is_not_settled_is_denied() -> None:
    assert told((YOUNG, RED), (RED,), of=1) == (wording.NOT_RULE_1_AGE,)
    assert told((YOUNG, RED), (RuleCondition(0, high=20.0),), of=1) == (wording.not_rule_of_colour(1),)
    assert told((YOUNG, RED), (), of=1) == (wording.NOT_RULE_1_BOTH,)


def test_a_rule_that_cannot_fire_with_it_is_only_counted() -> None:
    assert told((YOUNG,), (RED,), (RuleCondition(0, low=50.0), RED), of=2) == (wording.NEVER_DECIDES,)
    old = RuleCondition(0, low=50.0)
    assert told((YOUNG,), (old,), of=1) == (wording.ONE_RULE_CANNOT_FIRE,)


def test_the_default_rule_inherits_all_and_the_first_nothing() -> None:
    assert told((YOUNG,), (RED,), of=DEFAULT_RULE) == (
        wording.NOT_RULE_1_AGE,
        wording.not_rule_of_colour(2),
    )
    assert told((YOUNG,), of=0) == (wording.INHERITS_NOTHING,)


def decided_so(rules: RuleSet, found: InheritedConditions) -> np.ndarray:
    """The records of a rule by its own conditions and what it says to inherit."""
    data = every_record(with_missing=True)
    own = np.ones(len(data), dtype=bool) if found.rule == DEFAULT_RULE else meets(rules, found.rule, data)
    for denied in found.denied:
        part = Rule(tuple(condition_of(rules, c) for c in denied.conditions), 0)
        own &= ~meets(put_together(rules.schema, [part], 0), 0, data)
    return own if found.blocked_by is None else np.zeros(len(data), dtype=bool)


def condition_of(rules: RuleSet, c: int) -> RuleCondition:
    values = None if rules.is_numeric(c) else rules.values_of(c)
    ends = () if values is not None else (float(rules.low[c]), float(rules.high[c]))
    missing = bool(rules.takes_missing[c])
    if values is not None:
        return RuleCondition(int(rules.attribute[c]), values=values, takes_missing=missing)
    return RuleCondition(int(rules.attribute[c]), *ends, low_is_open=bool(rules.low_is_open[c]), takes_missing=missing)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_inherited_says_exactly_which_records_a_rule_decides(seed: int) -> None:
    rules = drawn(np.random.default_rng(seed))
    first = RuleMatcher(rules).first(every_record(with_missing=True))
    space = CellSpace.of(rules, with_missing=True)
    for rule in (*range(rules.n_rules), DEFAULT_RULE):
        assert np.array_equal(decided_so(rules, inherited(space, rule)), first == rule)
