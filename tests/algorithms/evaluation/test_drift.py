"""Tested records of another kind: found where they are, by scipy's figures, and not where they are not."""

from __future__ import annotations

import re

import numpy as np
import pytest
from scipy import stats

from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.checks.data_quality_checks import _compare_numbers, compare_counts, drifts, shared_with
from tests.expected_texts import evaluation as wording

SCHEMA = Schema((numeric("x"), numeric("y"), nominal("colour", ("red", "blue")), nominal("class", ("a", "b"))), 3)


def table(n: int, seed: int, *, moved: float = 0.0, red: float = 0.5, gone: float = 0.0, first: float = 0.5) -> Dataset:
    random = np.random.default_rng(seed)
    y = np.where(random.random(n) < gone, np.nan, random.normal(size=n))
    colour = (random.random(n) >= red).astype(np.int8)
    return Dataset(SCHEMA, [random.normal(moved, 1, n), y, colour, (random.random(n) >= first).astype(np.int8)])


def test_what_differs_is_named_the_largest_difference_first():
    found = drifts(table(400, 1), table(300, 2, moved=2.0, red=0.9, gone=0.3, first=0.9))
    assert found[0].name == "x"
    assert {(each.name, each.is_missing, each.is_class) for each in found} == {
        ("x", False, False),
        ("colour", False, False),
        ("y", True, False),
        ("class", False, True),
    }
    assert re.fullmatch(wording.LIE_ELSEWHERE, found[0].words())
    assert any(wording.MISSING_VALUES_OF_Y in each.words() for each in found)


def test_records_of_one_kind_are_seldom_told_apart():
    assert sum(bool(drifts(table(200, seed), table(200, 1000 + seed))) for seed in range(60)) <= 2


def test_with_very_many_records_a_small_difference_is_left_alone():
    one, other = table(30_000, 1), table(30_000, 2, moved=0.05)
    assert drifts(one, other) == []


def test_few_records_say_nothing():
    assert drifts(table(400, 1), table(10, 2, moved=5.0)) == []


def test_figures_are_scipys():
    counts = np.array([[30.0, 20.0, 0.0, 5.0], [10.0, 40.0, 0.0, 15.0]])
    expected = stats.chi2_contingency(counts[:, [0, 1, 3]], correction=False)
    assert compare_counts(counts)[1] == pytest.approx(expected.pvalue, abs=1e-9)
    one, other = np.arange(50.0), np.arange(50.0) + 12.5
    assert _compare_numbers(one, other)[0] == pytest.approx(stats.ks_2samp(one, other).statistic)


def test_values_of_which_few_are_expected_are_taken_together():
    """Forty rare values, each on one side by chance: one by one they would look like a drift."""
    random = np.random.default_rng(5)
    false_alarms = 0
    for _ in range(200):
        counts = np.vstack([np.bincount(random.integers(0, 40, 30), minlength=40) for _ in range(2)]).astype(float)
        false_alarms += compare_counts(counts)[1] <= 0.01
    assert false_alarms <= 6
    counts = np.array([[96.0, 2, 1, 1], [40, 3, 4, 3]])
    assert compare_counts(counts)[1] == pytest.approx(stats.fisher_exact([[96, 4], [40, 10]]).pvalue, abs=1e-9)
    counts = np.array([[90.0, 7, 2, 1], [36, 6, 4, 4]])
    together = stats.chi2_contingency([[90, 10], [36, 14]], correction=False)
    assert compare_counts(counts)[1] == pytest.approx(together.pvalue, abs=1e-9)


def test_few_missing_values_are_compared_exactly():
    counts = np.array([[1.0, 99.0], [4.0, 26.0]])
    assert compare_counts(counts)[1] == pytest.approx(stats.fisher_exact(counts).pvalue, abs=1e-9)


def test_records_of_the_training_data_are_found_in_a_test_file():
    training = table(50, 1)
    fresh = table(30, 2)
    tested = Dataset(SCHEMA, [np.concatenate([training.column(i)[:10], fresh.column(i)]) for i in range(len(SCHEMA))])
    share, others = shared_with(training, tested, lambda: None)
    assert share == pytest.approx(10 / 40)
    assert others.tolist() == list(range(10, 50))
