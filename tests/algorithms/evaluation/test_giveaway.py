"""An attribute that gives the class away is found, one that merely helps is not."""

from __future__ import annotations

import numpy as np

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.checks.data_quality_checks import giveaways
from algorithms.io.samples import samples


def table(n: int = 600, *, positives: float = 0.5, seed: int = 0) -> Dataset:
    """``paid`` tells the class 99 times in 100, ``income`` 80, ``amount`` is the class in disguise, ``id`` unique."""
    random = np.random.default_rng(seed)
    outcome = (random.random(n) < positives).astype(np.int64)
    paid = np.where(random.random(n) < 0.99, outcome, 1 - outcome)
    income = np.where(random.random(n) < 0.8, outcome, 1 - outcome) + random.normal(0, 0.1, n)
    amount = outcome * 100 + random.random(n) * 50
    schema = Schema(
        (
            nominal("paid", ["no", "yes"]),
            numeric("income"),
            numeric("amount"),
            nominal("id", [f"n{i}" for i in range(n)]),
            nominal("class", ["bad", "good"]),
        ),
        4,
    )
    return Dataset(schema, [paid, income, amount, np.arange(n), outcome])


def found(data: Dataset) -> list[str]:
    return [each.name for each in giveaways(data, lambda: None)]


def test_what_nearly_alone_predicts_the_class_is_found_the_most_telling_first():
    assert found(table()) == ["amount", "paid"]
    paid = giveaways(table(), lambda: None)[1]
    assert 0.98 <= paid.accuracy <= 1


def test_where_guessing_is_right_as_often_nothing_is_given_away():
    data = table(2000, positives=0.02)
    assert "paid" not in found(data)
    assert "amount" in found(data)


def test_a_large_table_is_sampled_and_says_the_same():
    assert found(table(60_000)) == ["amount", "paid"]


def test_few_records_or_a_single_attribute_say_nothing():
    assert found(table(20)) == []
    assert found(table().select_columns([2, 4])) == []


def test_records_without_a_class_are_passed_over():
    data = table()
    codes = np.where(np.arange(len(data)) % 3 == 0, -1, data.class_codes)
    assert found(data.with_column(4, data.schema.class_attribute, codes)) == ["amount", "paid"]


def test_honest_tables_give_nothing_away():
    for sample in samples():
        if sample.id in ("iris", "wine", "breast-cancer", "digits"):
            assert giveaways(sample.make(None, 1, RunContext()), lambda: None) == [], sample.id


def test_the_class_in_the_disguise_of_a_number_is_found_however_many_classes_there_are():
    random = np.random.default_rng(1)
    codes = random.integers(0, 26, 900)
    schema = Schema((numeric("x"), numeric("disguise"), nominal("class", [f"k{i}" for i in range(26)])), 2)
    data = Dataset(schema, [random.normal(size=900), codes * 10 + 3 * random.random(900), codes])
    assert found(data) == ["disguise"]
