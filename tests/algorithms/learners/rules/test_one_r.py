"""1R: rules about the one attribute that tells most."""

from __future__ import annotations

import numpy as np

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.rules.model import RuleMatcher, RuleModel
from algorithms.learners.rules.one_r import OneR
from algorithms.structures.rule_set import RuleSet, rule_words
from tests.algorithms.learners.rules.hand_made import sample
from tests.expected_texts import learners as wording


def fit(data: Dataset, learner: OneR | None = None) -> RuleModel:
    model = (learner or OneR()).fit(data, RunContext(seed=1))
    assert isinstance(model, RuleModel)
    return model


def numbers(values: list[float], codes: list[int]) -> Dataset:
    return Dataset(Schema((numeric("x"), nominal("y", ("no", "yes"))), 1), [values, codes])


def test_a_range_ends_when_a_class_has_enough_records_and_the_next_value_is_of_another() -> None:
    codes = [0, 0, 1, 0, 0, 1, 1, 1, 0, 1, 1]
    model = fit(numbers([float(i) for i in range(11)], codes), OneR(min_bucket=3))
    # 0 0 1 0 is full at the third 0, takes the fourth; then 1 1 1 is full; 0 1 1 is left and says 1 as well
    assert [rule_words(model.rules, i) for i in range(2)] == [
        wording.rule(wording.at_most("x", 4.5), "no"),
        wording.rule(wording.above("x", 4.5), "yes"),
    ]
    assert model.rules.n_rules == 2
    assert model.rules.decided.tolist() == [[4, 1], [1, 5]]


def test_records_of_one_value_stay_together() -> None:
    model = fit(numbers([1, 1, 1, 1, 2, 2, 2, 2], [0, 1, 0, 0, 1, 1, 1, 0]), OneR(min_bucket=2))
    assert [rule_words(model.rules, i) for i in range(2)] == [
        wording.rule(wording.at_most("x", 1.5), "no"),
        wording.rule(wording.above("x", 1.5), "yes"),
    ]


def test_missing_is_a_value_of_its_own() -> None:
    nan = float("nan")
    model = fit(numbers([1, 1, 2, 2, nan, nan, nan], [0, 0, 0, 0, 1, 1, 1]), OneR(min_bucket=1))
    assert rule_words(model.rules, 1) == wording.rule(wording.is_missing("x"), "yes")
    assert model.predict(numbers([nan, 1.5], [0, 0])).tolist() == [1, 0]


def test_of_iris_it_takes_the_petals() -> None:
    """Holte's 1R is right about 95 of 100 of iris by petal width."""
    data = sample("iris")
    model = fit(data)
    assert "petal" in data.schema.attributes[model.rules.asked[0]].name.lower()
    assert len(model.rules.asked) == 1
    assert np.mean(model.predict(data) == data.class_codes) >= 0.94


def test_no_other_attribute_alone_is_right_more_often() -> None:
    data = sample("vertebrates")
    model = fit(data)
    right = int(np.count_nonzero(model.predict(data) == data.class_codes))
    for index in data.schema.predictors:
        column = np.asarray(data.column(index))
        best = sum(np.bincount(data.class_codes[column == v]).max() for v in np.unique(column))
        assert right >= best


def test_many_rules_look_at_few_records_between_two_looks_at_whether_to_stop() -> None:
    random = np.random.default_rng(1)
    names = [str(i) for i in range(1500)]
    schema = Schema((nominal("v", names), nominal("c", ("a", "b"))), 1)
    data = Dataset(schema, [random.integers(0, 1500, 4000), random.integers(0, 2, 4000)])
    rules = OneR().fit(data, RunContext()).structure()
    assert isinstance(rules, RuleSet) and rules.n_rules > 1300
    asked: list[int] = []
    matcher = RuleMatcher(rules)
    again = matcher.counted(data, lambda: asked.append(1))
    assert len(asked) >= 5 and float(again.covered.sum()) == 4000
    values, codes = data.column(0), data.class_codes
    first = matcher.first(data)
    for rule in (0, 700, rules.n_rules - 1):
        (value,) = rules.values_of(int(rules.rule_start[rule]))
        assert np.array_equal(first == rule, values == value)
        assert again.covered[rule].tolist() == np.bincount(codes[values == value], minlength=2).tolist()
