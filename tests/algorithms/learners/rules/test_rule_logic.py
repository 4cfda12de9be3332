"""Whether rules exclude each other and leave nothing out, against asking every record that there could be."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.rules.model import RuleMatcher
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.rules.rule_logic import (
    CounterExample,
    WholeSpaceFindings,
    anywhere,
    example_words,
    exclusive_words,
    exhaustive_words,
    on_data,
    plain_number,
)
from algorithms.structures.rule_set import Rule, RuleCondition, RuleSet, put_together
from tests.algorithms.learners.rules.hand_made import rules_of, sample, values
from tests.expected_texts import learners as wording

SCHEMA = Schema((numeric("x"), numeric("y"), nominal("colour", ("red", "green", "blue")), nominal("c", ("n", "p"))), 3)
NUMBERS = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)


def drawn(random: np.random.Generator) -> RuleSet:
    """A few rules whose bounds are whole numbers from 0 to 3: the numbers tried stand for all there are."""
    rules = []
    for _ in range(int(random.integers(1, 7))):
        conditions = []
        for attribute in np.flatnonzero(random.random(3) < 0.5).tolist():
            missing = bool(random.random() < 0.2)
            if attribute == 2:
                codes = tuple(np.flatnonzero(random.random(3) < 0.6).tolist())
                conditions.append(RuleCondition(2, values=codes, takes_missing=missing))
                continue
            ends = sorted(random.choice([1.0, 2.0], 2).tolist())
            low, high = (-np.inf if random.random() < 0.6 else ends[0]), (np.inf if random.random() < 0.6 else ends[1])
            is_open = bool(random.random() < 0.5) and low > -np.inf
            conditions.append(RuleCondition(attribute, low, high, low_is_open=is_open, takes_missing=missing))
        rules.append(Rule(tuple(conditions), 0))
    return put_together(SCHEMA, rules, 0)


def every_record(*, with_missing: bool) -> Dataset:
    numbers = (*NUMBERS, np.nan) if with_missing else NUMBERS
    x, y, colour = zip(*product(numbers, numbers, (0, 1, 2, -1) if with_missing else (0, 1, 2)), strict=True)
    return Dataset(SCHEMA, [np.array(x), np.array(y), np.array(colour), np.zeros(len(x), dtype=np.int8)])


def record_of(rules: RuleSet, example: CounterExample) -> Dataset:
    given = dict(example.point)
    cells = []
    for index, attribute in enumerate(rules.schema.attributes):
        value = given.get(index, 0.0)
        coded = attribute.kind.is_coded
        cells.append(np.array([-1 if value != value else int(value)] if coded else [value]))
    return Dataset(rules.schema, cells)


def check_example(rules: RuleSet, example: CounterExample) -> None:
    """What it says of the record is what the loops say."""
    assert tuple(RuleMatcher(rules).fired(record_of(rules, example), 0).tolist()) == example.fired


@pytest.mark.parametrize("seed", range(200))
def test_it_is_decided_as_by_asking_every_record(seed: int) -> None:
    rules = drawn(np.random.default_rng(seed))
    found = anywhere(rules)
    known = on_data(rules, every_record(with_missing=False))
    every = on_data(rules, every_record(with_missing=True))
    assert found.exclusive == every.exclusive
    assert found.exhaustive == every.exhaustive
    if found.overlap is not None:
        check_example(rules, found.overlap)
        assert len(found.overlap.fired) > 1
        assert found.overlap.needs_missing == known.exclusive
    if found.gap is not None:
        check_example(rules, found.gap)
        assert found.gap.fired == ()
        assert found.gap.needs_missing == known.exhaustive


def test_where_the_search_is_too_long_it_says_so() -> None:
    random = np.random.default_rng(3)
    n = 40
    schema = Schema((*(nominal(f"a{i}", ("0", "1")) for i in range(n)), nominal("c", ("n", "p"))), n)
    rules = []
    for _ in range(174):  # three literals each: with about 4.3 clauses a variable few or none is left out
        chosen = random.choice(n, 3, replace=False)
        rules.append(Rule(tuple(RuleCondition(int(a), values=(int(random.integers(2)),)) for a in chosen), 0))
    made = put_together(schema, rules, 0)
    found = anywhere(made, most=200)
    assert found.exhaustive is None or found.gap is not None
    assert "too long" in exhaustive_words(made, None, WholeSpaceFindings(False, None))


def test_rules_for_both_answers_leave_out_only_what_is_missing() -> None:
    data = sample("vertebrates")
    birth = next(a.name for a in data.schema.attributes if a.name.casefold() == "gives birth")
    rules = rules_of(
        data,
        (data.schema.classes[0], (values(data.schema, birth, "yes"),)),
        (data.schema.classes[1], (values(data.schema, birth, "no"),)),
    )
    found, here = anywhere(rules), on_data(rules, data)
    assert found.exclusive
    assert found.exhaustive is False  # a missing value fails both
    assert exclusive_words(rules, here, found) == wording.MUTUALLY_EXCLUSIVE
    assert exhaustive_words(rules, here, found).startswith(wording.EXHAUSTIVE_HERE)
    assert found.gap is not None and found.gap.needs_missing
    assert example_words(rules, found.gap) == wording.no_rule_fires_without(birth)


def test_the_rules_of_ripper_are_counted_on_the_data() -> None:
    data = sample("iris")
    rules = Ripper().fit(data, RunContext(seed=1)).structure()
    assert isinstance(rules, RuleSet)
    here, met = on_data(rules, data), RuleMatcher(rules)
    fired = [len(met.fired(data, row)) for row in range(len(data))]
    assert here.none.tolist() == [row for row, n in enumerate(fired) if n == 0]
    assert here.several.tolist() == [row for row, n in enumerate(fired) if n > 1]
    assert wording.meeting_no_rule(len(here.none)) in exhaustive_words(rules, here, anywhere(rules))


@pytest.mark.parametrize(
    ("low", "high", "plain"),
    [(1.9000000000000001, 4.9, 3.0), (2.0, 2.0, 2.0), (-1e308, 1e308, 0.0), (0.25, 0.26, 0.26)],
)
def test_a_number_of_an_example_has_few_digits(low: float, high: float, plain: float) -> None:
    assert plain_number(low, high) == plain
