"""Rules as a model: which fire, what is decided, how it is said, and that damaged files are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from algorithms.core.errors import ModelFileError
from algorithms.core.learner import State
from algorithms.learners.rules.model import RuleMatcher, RuleModel, decided_as_counted
from algorithms.structures.rule_set import RuleCondition, RuleSet, condition_words, if_words, rule_words
from tests.algorithms.battery_data import mixed, same_state
from tests.algorithms.learners.rules.hand_made import meets, rules_of, sample, values
from tests.expected_texts import learners as wording

INF = float("inf")


def of_every_kind() -> RuleSet:
    """Rules over the battery's data with a condition of every kind."""
    data = mixed(10)
    schema = data.schema
    return rules_of(
        data,
        ("a", (RuleCondition(0, 0.4, INF, low_is_open=True),)),
        ("b", (values(schema, "Colour", "green"), RuleCondition(1, 2.0, 6.0))),
        ("c", (RuleCondition(1, -INF, 3.0), values(schema, "Size", "M", "L", "XL"))),
        ("a", (RuleCondition(0, INF, -INF, takes_missing=True),)),
        ("b", (values(schema, "Colour", "red", "blue", missing=True), RuleCondition(1, 7.0, 7.0))),
        default="c",
    )


def counted(rules: RuleSet, n: int = 300) -> RuleSet:
    return decided_as_counted(RuleMatcher(rules).counted(mixed(n, 3, missing=0.1)))


def test_the_first_rule_whose_conditions_all_hold_decides() -> None:
    rules, data = of_every_kind(), mixed(500, 1, missing=0.2)
    met = np.array([meets(rules, rule, data) for rule in range(rules.n_rules)])
    expected = np.where(met.any(axis=0), met.argmax(axis=0), -1)
    assert len(set(expected.tolist())) == rules.n_rules + 1
    matcher = RuleMatcher(rules)
    assert matcher.first(data).tolist() == expected.tolist()
    for rule in range(rules.n_rules):
        assert matcher.covered(rule, data).tolist() == met[rule].tolist()
    for row in range(0, 500, 41):
        assert matcher.fired(data, row).tolist() == np.flatnonzero(met[:, row]).tolist()


def test_training_records_are_counted_by_class() -> None:
    rules, data = of_every_kind(), mixed(400, 2, missing=0.2, weighted=True)
    found, codes, weights = RuleMatcher(rules).counted(data), data.class_codes, data.weight_array
    first = RuleMatcher(rules).first(data)
    for rule in range(rules.n_rules):
        met = meets(rules, rule, data)
        assert found.covered[rule].tolist() == np.bincount(codes[met], weights[met], 4).tolist()
        decided = first == rule
        assert found.decided[rule].tolist() == np.bincount(codes[decided], weights[decided], 4).tolist()
    assert found.default_counts.tolist() == np.bincount(codes[first < 0], weights[first < 0], 4).tolist()
    assert found.decided.sum() + found.default_counts.sum() == weights.sum()


def test_probabilities_are_shares_of_what_a_rule_decided_corrected_by_laplace() -> None:
    data = sample("vertebrates")
    rules = rules_of(data, ("Mammals", (values(data.schema, "Gives Birth", "yes"),)), default="Reptiles")
    model = RuleModel(decided_as_counted(RuleMatcher(rules).counted(data)))
    mammals, k = data.schema.classes.index("Mammals"), len(data.schema.classes)
    births = np.flatnonzero(meets(rules, 0, data))
    right = np.count_nonzero(data.class_codes[births] == mammals)
    found = model.predict_proba(data)[births]
    assert found[:, mammals] == pytest.approx((right + 1) / (len(births) + k))
    plain = RuleModel(replace(model.rules, correction=0.0)).predict_proba(data)[births]
    assert plain[:, mammals] == pytest.approx(right / len(births))


def test_rules_that_vote_sum_what_they_have_to_say() -> None:
    data = sample("vertebrates")
    schema = data.schema
    rules = rules_of(
        data,
        ("Mammals", (values(schema, "Gives Birth", "yes"),)),
        ("Fishes", (values(schema, "Aquatic Creature", "yes"),)),
        default="Reptiles",
        is_ordered=False,
    )
    rules = RuleMatcher(rules).counted(data)
    model = RuleModel(replace(rules, votes=rules.covered))
    whale = 3
    assert data.column(0)[whale] == "whale"
    expected = rules.covered.sum(axis=0)
    assert model.predict_proba(data)[whale] == pytest.approx(expected / expected.sum())
    assert model.explain(data, whale).parts == (0, 1)


def test_the_default_rule_decides_where_no_rule_votes_whatever_its_counts() -> None:
    data = sample("vertebrates")
    of_mammals = ("Mammals", (values(data.schema, "Gives Birth", "yes"),))
    rules = RuleMatcher(rules_of(data, of_mammals, default="Fishes", is_ordered=False)).counted(data)
    model = RuleModel(replace(rules, votes=rules.covered))
    silent = np.flatnonzero(model.matcher.n_fired(data) == 0)
    assert len(silent) and set(model.predict(data)[silent]) == {rules.default_decision}
    assert np.argmax(rules.default_counts) != rules.default_decision
    assert model.explain(data, int(silent[0])).decision == rules.default_decision


def test_a_rule_with_the_whole_record_decides_it_though_another_value_is_missing() -> None:
    data = sample("vertebrates")
    schema = data.schema
    mammals = values(schema, "Gives Birth", "yes")
    aquatic = replace(values(schema, "Aquatic Creature", "yes"), missing_share=0.5)
    rules = RuleMatcher(rules_of(data, ("Fishes", (mammals,)), ("Birds", (aquatic,)))).counted(data)
    index = schema.index_of("Aquatic Creature")
    lacking = data.with_column(index, schema.attributes[index], np.full(len(data), -1))
    births = meets(rules, 0, data)
    assert np.argmax(rules.decided[0]) != rules.decision[0]
    assert set(RuleModel(rules).predict(lacking)[births]) == {int(rules.decision[0])}


def test_conditions_read_as_a_person_would_say_them() -> None:
    rules = of_every_kind()
    assert [condition_words(rules, c) for c in range(rules.n_conditions)] == [
        wording.above("Length", 0.4),
        wording.equals("Colour", "green"),
        wording.between("Width", 2, 6),
        wording.at_most("Width", 3),
        wording.at_least("Size", "M"),
        wording.is_missing("Length"),
        wording.COLOUR_OR_MISSING,
        wording.equals("Width", 7),
    ]
    assert rule_words(rules, 1) == wording.rule(
        wording.both(wording.equals("Colour", "green"), wording.between("Width", 2, 6)), "b"
    )
    assert if_words(rules, -1) == "otherwise"
    rules = replace(rules, low=np.where(np.arange(rules.n_conditions) == 0, 12500.25, rules.low))
    assert condition_words(rules, 0) == wording.above("Length", "12,500.25")


def test_an_explanation_names_the_rule_that_decides_and_those_that_disagree() -> None:
    rules = counted(of_every_kind())
    model, data = RuleModel(rules), mixed(500, 1, missing=0.2)
    first = RuleMatcher(rules).first(data)
    row = next(r for r in range(500) if first[r] == 0 and 1 in RuleMatcher(rules).fired(data, r))
    steps = model.explain(data, row).steps
    assert steps[0] == wording.BECAUSE_OF_LENGTH
    assert steps[1].startswith(wording.RULE_1_DECIDES)
    assert wording.RULE_2_FOR_B in steps[2]
    own, total = rules.decided[0, 0], rules.decided[0].sum()
    assert steps[3].endswith(wording.laplace(own, total, rules.n_classes, model.explain(data, row).probabilities[0]))
    plain = RuleModel(replace(rules, correction=0.0)).explain(data, row)
    assert plain.steps[3].endswith(wording.share(own, total, plain.probabilities[0]))
    nowhere = int(np.flatnonzero(first < 0)[0])
    assert model.explain(data, nowhere).steps[0].startswith(wording.DEFAULT_RULE_DECIDES)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("rule_start", lambda a: a[:-1]),
        ("rule_start", lambda a: a[::-1].copy()),
        ("decision", lambda a: a + 9),
        ("attribute", lambda a: a + 99),
        ("attribute", lambda a: np.full_like(a, 4)),
        ("offset", lambda a: np.where(a >= 0, a + 1000, a).astype(np.int32)),
        ("offset", lambda a: np.zeros_like(a)),
        ("low", lambda a: a[:-1]),
        ("high", lambda a: np.full_like(a, np.nan)),
        ("offset", lambda a: np.where(a >= 0, 2**31 - 1, a).astype(np.int32)),
        ("rule_start", lambda a: np.array([0, 2**31 - 1, -(2**31), *a[3:]], dtype=np.int32)),
        ("decided", lambda a: np.full_like(a, 1.7e308)),
        ("value_in", lambda a: a + 2),
        ("covered", lambda a: -a - 1),
        ("decided", lambda a: a[:, :-1].copy()),
        ("takes_missing", lambda a: a.astype(np.int32)),
    ],
)
def test_damaged_files_are_refused(name: str, change: object) -> None:
    model = RuleModel(counted(of_every_kind()))
    state = model.to_state()
    assert same_state(RuleModel.from_state(model.schema, state).to_state(), state)
    assert callable(change)
    damaged = State(state.values, {**state.arrays, name: change(state.arrays[name])})
    with pytest.raises(ModelFileError, match="damaged"):
        RuleModel.from_state(model.schema, damaged)


@pytest.mark.parametrize("name", ["default_decision", "is_ordered", "correction", "criterion"])
def test_files_without_their_description_are_refused(name: str) -> None:
    model = RuleModel(counted(of_every_kind()))
    values = {key: value for key, value in model.to_state().values.items() if key != name}
    with pytest.raises(ModelFileError):
        RuleModel.from_state(model.schema, State(values, model.to_state().arrays))
