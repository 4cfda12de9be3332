"""Copies that chance explains are natural; those that it does not explain are warned of and stand in the verdict."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.checks.data_quality_checks import (
    RunChecks,
    check_run,
    is_natural,
    resolution,
    share_by_chance,
)
from algorithms.evaluation.checks.warnings import leaks, natural_words, twins
from algorithms.evaluation.measures.metrics import report
from algorithms.evaluation.methods.methods import CrossValidation, Holdout, TestFile
from algorithms.evaluation.report import verdict
from algorithms.evaluation.runner import evaluate
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import evaluation as wording


def coarse(n: int = 400, seed: int = 0) -> Dataset:
    """Three columns of four, three and five values, no record entered twice; 120 records are possible."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, 2, n)
    schema = Schema((numeric("x"), nominal("y", "pqr"), numeric("z"), nominal("class", ["no", "yes"])), 3)
    skewed = random.choice(5, n, p=[0.5, 0.2, 0.15, 0.1, 0.05]) + codes
    return Dataset(schema, [random.integers(0, 4, n), random.integers(0, 3, n), skewed, codes])


def wide(n: int = 300, n_copies: int = 30, columns: int = 12) -> Dataset:
    """Different records of numbers, then copies of the first ones."""
    random = np.random.default_rng(1)
    rows = np.arange(n + n_copies) % n
    values = random.normal(size=(columns, n))[:, rows]
    schema = Schema((*(numeric(f"x{at}") for at in range(columns)), nominal("class", ["no", "yes"])), columns)
    return Dataset(schema, [*values, rows % 2])


def dependent(n: int = 500) -> Dataset:
    """Twelve questions that two hidden traits answer: many different people answer alike."""
    random = np.random.default_rng(2)
    codes = random.integers(0, 2, n)
    trait = random.choice(6, n, p=[0.4, 0.2, 0.15, 0.1, 0.1, 0.05])
    answers = [random.integers(0, 3, 6)[trait] for _ in range(12)]
    noisy = [np.where(random.random(n) < 0.03, random.integers(0, 3, n), each) for each in answers]
    schema = Schema((*(nominal(f"q{at}", "abc") for at in range(12)), nominal("class", ["no", "yes"])), 12)
    return Dataset(schema, [*noisy, codes])


def checked(data: Dataset, method=None, test_data: Dataset | None = None) -> RunChecks:
    context = RunContext(seed=1)
    result = evaluate(ZeroR(), data, method or CrossValidation(folds=10), context, test_data=test_data)
    return check_run(result, data, test_data, context)


@pytest.mark.parametrize("make", [coarse, dependent], ids=["coarse", "dependent"])
@pytest.mark.parametrize("method", [CrossValidation(folds=10), Holdout(percent=66)], ids=["folds", "holdout"])
def test_natural_copies_of_coarse_columns_are_no_warning_and_no_leak(make, method):
    data = make()
    found = checked(data, method)
    assert found.twins is not None and found.twins.share > 0.3
    [warning] = twins(found)
    assert warning.harmless and warning.remedy == "" and "natural" in warning.why
    assert leaks(found, data) == ()


def test_the_pair_of_iris_is_what_its_coarse_measurements_make():
    data = builtin().samples.get("iris").make(None, 1, RunContext(seed=1))
    found = checked(data).twins
    assert found is not None and found.share == pytest.approx(2 / 150)
    assert found.natural and 0.25 < found.by_chance / found.share < 4


def test_true_copies_of_wide_records_are_warned_of_and_stand_in_the_verdict():
    data = wide()
    found = checked(data)
    assert found.twins is not None and not found.twins.natural
    assert found.twins.by_chance < 1e-6 and found.twins.share == pytest.approx(60 / 330, abs=0.03)
    [warning] = twins(found)
    assert not warning.harmless and warning.remedy == wording.KEEP_ONE_OF_EACH
    [clause] = leaks(found, data)
    result = evaluate(ZeroR(), data, CrossValidation(folds=10), RunContext(seed=1))
    said = verdict(report(result), 0, [clause]).sentence
    assert said.startswith(f"Leak: {clause}. ") and wording.DUPLICATE_A_TRAINING_RECORD in clause


def test_copies_beyond_the_natural_ones_are_warned_of():
    rows = np.concatenate([np.arange(400), np.arange(80)])
    schema = Schema((*(nominal(f"q{at}", "abcdef") for at in range(7)), nominal("class", ["no", "yes"])), 7)
    values = np.random.default_rng(4).choice(6, (7, 400), p=[0.5, 0.3, 0.1, 0.05, 0.03, 0.02])
    columns = [*values, np.arange(400) % 2]
    assert checked(Dataset(schema, columns)).twins.natural
    more = checked(Dataset(schema, [each[rows] for each in columns])).twins
    assert not more.natural and 0 < 2 * more.by_chance < more.share


def test_the_share_by_chance_is_that_of_drawing_records_anew():
    data = coarse(2000)
    codes = data.class_codes
    n_others = np.full(2000, 30)
    expected = share_by_chance(data, None, n_others, lambda: None)
    random, found = np.random.default_rng(3), 0
    table = np.column_stack([data.column(at) for at in range(3)])
    of_class = [np.flatnonzero(codes == code) for code in (0, 1)]
    for row in range(2000):
        drawn = np.column_stack([table[random.choice(of_class[codes[row]], 30), at] for at in range(3)])
        found += bool((drawn == table[row]).all(axis=1).any())
    assert expected == pytest.approx(found / 2000, abs=0.04)


def test_a_test_file_of_coarse_records_is_no_warning_but_the_training_file_itself_is():
    data, others = coarse(), coarse(seed=9)
    method = TestFile(path="elsewhere.csv")
    found = checked(data, method, others).overlap
    assert found is not None and found.share > 0.5 and found.natural
    same = checked(data, method, data.take(np.arange(len(data))[::-1])).overlap
    assert same is not None and same.share == 1.0 and not same.natural


def test_copies_of_one_fine_column_do_not_explain_themselves():
    assert not checked(wide(columns=1, n_copies=100)).twins.natural
    grades = Dataset(
        Schema((numeric("grade"), nominal("class", ["no", "yes"])), 1), [np.arange(300) % 6, np.arange(300) % 6 > 2]
    )
    assert checked(grades).twins.natural


def one_column(values: np.ndarray, seed: int = 5) -> Dataset:
    """A numeric column of these values and a class that does not depend on it."""
    codes = np.random.default_rng(seed).integers(0, 2, len(values))
    return Dataset(Schema((numeric("x"), nominal("class", ["no", "yes"])), 1), [values, codes])


@pytest.mark.parametrize("is_skewed", [False, True], ids=["uniform", "normal"])
def test_mostly_distinct_numbers_of_one_decimal_recur_by_chance_as_birthdays_do(is_skewed):
    random = np.random.default_rng(6)
    seen, by_chance = [], []
    for seed in range(20):
        drawn = random.normal(50, 12, 300) if is_skewed else random.uniform(0, 100, 300)
        data = one_column(np.round(drawn, 1), seed)
        groups = np.unique(np.column_stack([data.column(0), data.class_codes]), axis=0, return_counts=True)[1]
        seen.append(groups[groups > 1].sum() / 300)
        n_others = np.bincount(data.class_codes)[data.class_codes] - 1
        by_chance.append(share_by_chance(data, None, n_others, lambda: None))
    assert np.mean(seen) > 0.1
    assert np.mean(by_chance) == pytest.approx(np.mean(seen), rel=0.15)
    assert checked(data).twins.natural


def test_copies_of_numbers_of_one_decimal_beyond_those_of_chance_are_warned_of():
    values = np.round(np.random.default_rng(6).uniform(0, 1000, 300), 1)
    rows = np.concatenate([np.arange(300), np.arange(90)])
    whole = one_column(values)
    copied = Dataset(whole.schema, [whole.column(0)[rows], whole.class_codes[rows]])
    twins_of_copies = checked(copied).twins
    assert not twins_of_copies.natural and 0.005 < twins_of_copies.by_chance < 0.06


@pytest.mark.parametrize(
    ("values", "step"),
    [([0.1, 0.4, 10.3], 0.3), ([5.0, 20.0, 12.5], 7.5), ([1e300, 2e300], 0.0), ([0.1 / 3, 0.2, 0.7], 0.0), ([], 0.0)],
)
def test_the_resolution_of_numbers_is_the_largest_step_between_them(values, step):
    assert resolution(np.array(values)) == pytest.approx(step)


@pytest.mark.parametrize(
    ("share", "by_chance", "n", "natural"),
    [(0.6, 0.4, 400, True), (0.1, 1e-9, 300, False), (0.03, 0.01, 150, True), (0.03, 0.01, 5000, False)],
)
def test_copies_are_natural_unless_there_are_clearly_more_than_chance_makes(share, by_chance, n, natural):
    assert is_natural(share, by_chance, n) is natural


def test_more_copies_than_the_figure_for_chance_are_not_explained_by_it_alone():
    few, usual = natural_words(0.03, 0.01), natural_words(0.6, 0.4)
    assert few.endswith(wording.NOT_SIGNIFICANTLY_MORE) and wording.NATURAL_DUPLICATES not in few
    assert usual.startswith(wording.NATURAL_DUPLICATES)
