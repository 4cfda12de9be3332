"""Which records train and which test."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.catalogue import builtin
from algorithms.core.errors import DataError, ParameterError
from algorithms.core.resampling import Method, Split, Splits, fold_numbers, training_part
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal
from algorithms.evaluation.methods.methods import (
    Bootstrap632,
    CrossValidation,
    Holdout,
    LeaveOneOut,
    RepeatedHoldout,
    TestFile,
    TrainingSet,
)
from tests.expected_texts import evaluation as wording


def labelled(codes: list[int]) -> Dataset:
    schema = Schema((nominal("class", ("a", "b", "c")),), 0)
    return Dataset(schema, [np.array(codes, dtype=np.int8)])


MADE = [m() for m in builtin().methods if "column" not in {p.name for p in m.parameters()}]
"""Every method that needs no column named; the others have tests of their own."""


def splits_of(method: Method, codes: list[int], seed: int = 0) -> list[Split]:
    return list(method.splits(labelled(codes), np.random.default_rng(seed)))


codes_lists = st.lists(st.integers(0, 2), min_size=2, max_size=80)


@given(codes_lists, st.integers(2, 12), st.integers(0, 3))
def test_stratified_folds_are_balanced_in_size_and_in_every_class(codes, folds, seed):
    numbers = fold_numbers(np.array(codes), len(codes), folds, np.random.default_rng(seed))
    sizes = np.bincount(numbers, minlength=folds)
    assert sizes.max() - sizes.min() <= 1
    for code in set(codes):
        of_class = np.bincount(numbers[np.array(codes) == code], minlength=folds)
        assert of_class.max() - of_class.min() <= 1


@given(st.integers(2, 60), st.integers(2, 12))
def test_folds_without_classes_are_balanced_in_size(n, folds):
    sizes = np.bincount(fold_numbers(None, n, folds, np.random.default_rng(0)), minlength=folds)
    assert sizes.max() - sizes.min() <= 1


@given(codes_lists, st.floats(0.01, 0.99), st.booleans(), st.integers(0, 3))
@settings(deadline=None)
def test_training_part_has_its_share_and_each_class_its_own(codes, share, stratified, seed):
    known, n = np.array(codes), len(codes)
    part = training_part(known if stratified else None, n, share, np.random.default_rng(seed))
    assert len(np.unique(part)) == len(part) == min(max(1, round(n * share)), n - 1)
    if stratified:
        for code in set(codes):
            exact = np.sum(known == code) * len(part) / n
            assert abs(np.sum(known[part] == code) - exact) < 1


def test_cross_validation_tests_every_record_once():
    parts = splits_of(CrossValidation(folds=3, repeats=2), [0, 0, 0, 1, 1, 1, 2])
    assert [(p.repeat, p.fold) for p in parts] == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    for repeat in (0, 1):
        tested = np.concatenate([p.test for p in parts if p.repeat == repeat])
        assert sorted(tested.tolist()) == list(range(7))
    for part in parts:
        assert sorted([*part.train.tolist(), *part.test.tolist()]) == list(range(7))


def test_repeats_deal_the_records_anew():
    first, second = splits_of(CrossValidation(folds=2, repeats=2), [0, 1] * 20)[::2]
    assert first.test.tolist() != second.test.tolist()


def test_the_number_of_splits_is_known_in_advance_where_options_fix_it():
    assert CrossValidation(folds=3, repeats=4).planned == 12 and RepeatedHoldout(repeats=7).planned == 7
    assert LeaveOneOut().planned == 0


def test_holdout_keeps_the_rest_for_testing():
    (part,) = splits_of(Holdout(percent=75), [0] * 12 + [1] * 8)
    assert len(part.train) == 15
    assert sorted([*part.train.tolist(), *part.test.tolist()]) == list(range(20))
    assert np.sum(part.train < 12) == 9


@pytest.mark.parametrize("percent", [0.01, 99.99])
def test_holdout_leaves_a_record_on_either_side(percent):
    (part,) = splits_of(Holdout(percent=percent), [0, 1])
    assert len(part.train) == len(part.test) == 1


def test_repeated_holdout_draws_another_part_each_time():
    parts = splits_of(RepeatedHoldout(repeats=4), [0, 1] * 20)
    assert len({tuple(p.train.tolist()) for p in parts}) == 4
    assert [p.repeat for p in parts] == [0, 1, 2, 3]


def test_leave_one_out_makes_a_fold_of_each_record():
    parts = splits_of(LeaveOneOut(), [0, 1, 0])
    assert [(p.train.tolist(), p.test.tolist()) for p in parts] == [([1, 2], [0]), ([0, 2], [1]), ([0, 1], [2])]


def test_leave_one_out_makes_its_folds_when_they_are_asked_for():
    parts = LeaveOneOut().splits(labelled([0, 1] * 50_000), np.random.default_rng(0))
    assert isinstance(parts, Splits)
    assert len(parts) == 100_000
    assert parts[-1].test.tolist() == [99_999]
    assert [p.fold for p in parts[5:7]] == [5, 6]


def test_bootstrap_trains_on_drawn_records_and_tests_the_others():
    fit, *samples = splits_of(Bootstrap632(samples=50), [0, 1] * 10)
    assert fit.resubstitution
    assert fit.train.tolist() == fit.test.tolist() == list(range(20))
    for part in samples:
        assert len(part.train) == 20
        assert set(part.train.tolist()) | set(part.test.tolist()) == set(range(20))
        assert not set(part.train.tolist()) & set(part.test.tolist())


def test_bootstrap_of_two_records_always_leaves_one_out():
    assert all(len(part.test) for part in splits_of(Bootstrap632(samples=200), [0, 1]))


def test_chance_of_being_in_a_bootstrap_sample_is_about_632():
    _, *samples = splits_of(Bootstrap632(samples=100), [0, 1] * 100)
    share = np.mean([len(set(p.train.tolist())) / 200 for p in samples])
    assert share == pytest.approx(1 - (1 - 1 / 200) ** 200, abs=0.01)


def test_training_set_tests_what_it_trains_on_and_says_so():
    (part,) = splits_of(TrainingSet(), [0, 1])
    assert part.train.tolist() == part.test.tolist()
    assert [m.id for m in builtin().methods if not m.honest] == ["training-set"]


def test_test_file_leaves_the_test_part_to_the_file():
    (part,) = splits_of(TestFile(path="C:\\data\\b.csv"), [0, 1])
    assert part.test is None
    assert TestFile(path="C:\\data\\b.csv").described() == wording.TEST_FILE_DESCRIBED


@pytest.mark.parametrize(
    "method", [CrossValidation(folds=2), Holdout(), RepeatedHoldout(), LeaveOneOut(), Bootstrap632()]
)
def test_one_record_is_too_few(method):
    with pytest.raises(DataError, match=wording.ONLY_ONE_RECORD):
        splits_of(method, [0])


@pytest.mark.parametrize("method", MADE, ids=lambda m: m.id)
def test_no_record_is_too_few(method):
    with pytest.raises(DataError, match="no record"):
        splits_of(method, [])


@pytest.mark.parametrize("method", MADE, ids=lambda m: m.id)
def test_every_method_is_described_and_the_same_for_the_same_seed(method):
    assert method.described()
    assert method.name[0].isupper()
    first, second = splits_of(method, [0, 1, 2] * 10, 4), splits_of(method, [0, 1, 2] * 10, 4)
    assert [p.train.tolist() for p in first] == [p.train.tolist() for p in second]


def test_method_refuses_what_it_cannot_do():
    with pytest.raises(ParameterError, match=wording.FOLDS_FROM_2):
        CrossValidation(folds=1)
    with pytest.raises(ParameterError, match="Training share"):
        Holdout(percent=100)
