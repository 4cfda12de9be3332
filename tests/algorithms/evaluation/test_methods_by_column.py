"""Judging by the order in time, by groups and by a column that marks the parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from algorithms.core.errors import DataError
from algorithms.core.resampling import Method, Split
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal
from algorithms.evaluation.methods.by_column import (
    GroupCrossValidation,
    GroupHoldout,
    MarkedParts,
    TimeHoldout,
    group_folds,
)
from algorithms.evaluation.methods.methods import CompleteCrossValidation
from algorithms.evaluation.runner import evaluate
from algorithms.learners.trees.zero_r import ZeroR
from tests.expected_texts import evaluation as wording

KINDS = {"when": AttributeKind.DATE, "age": AttributeKind.NUMERIC, "who": AttributeKind.IDENTIFIER}


def table(**columns: Any) -> Dataset:
    """A table of these columns whose class goes a, b, a, b ..."""
    n = len(next(iter(columns.values())))
    attributes, arrays = [], []
    for name, values in columns.items():
        if name in KINDS:
            attributes.append(Attribute(name, KINDS[name]))
            arrays.append(values)
        else:
            labels = tuple(dict.fromkeys(value for value in values if value))
            attributes.append(nominal(name, labels))
            arrays.append(np.array([labels.index(v) if v else -1 for v in values], dtype=np.int8))
    schema = Schema((*attributes, nominal("class", ("a", "b"))), len(attributes))
    return Dataset(schema, [*arrays, (np.arange(n) % 2).astype(np.int8)])


def splits_of(method: Method, data: Dataset, seed: int = 0) -> list[Split]:
    return list(method.splits(data, np.random.default_rng(seed)))


# ---- in time ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["when", "age"])
def test_the_latest_are_tested(name):
    times = np.array([5.0, 1, 4, 2, 3, 0])
    (part,) = splits_of(TimeHoldout(column=name, percent=50), table(**{name: times}))
    assert part.train.tolist() == [1, 3, 5]
    assert part.test.tolist() == [0, 2, 4]


@given(st.lists(st.integers(0, 6), min_size=2, max_size=40), st.floats(1, 99))
@settings(deadline=None)
def test_no_tested_record_came_before_or_with_one_that_trains(times, percent):
    data = table(age=np.array(times, dtype=float))
    if len(set(times)) == 1:
        with pytest.raises(DataError, match=wording.NONE_IS_LATER):
            splits_of(TimeHoldout(column="age", percent=percent), data)
        return
    (part,) = splits_of(TimeHoldout(column="age", percent=percent), data)
    at = np.array(times)
    assert at[part.train].max() < at[part.test].min()
    assert len(part.train) + len(part.test) == len(times)


def test_records_without_a_time_are_left_out_and_that_is_said():
    data = table(when=np.array([1.0, np.nan, 3, 2]))
    method = TimeHoldout(column="when", percent=66)
    (part,) = splits_of(method, data)
    assert sorted([*part.train.tolist(), *part.test.tolist()]) == [0, 2, 3]
    assert method.remarks(data) == [wording.WITHOUT_A_TIME]


def test_ordered_values_are_in_their_order():
    schema = Schema((nominal("term", ("first", "second", "third"), ordinal=True), nominal("class", ("a", "b"))), 1)
    data = Dataset(schema, [np.array([2, 0, 1, 0], dtype=np.int8), np.array([0, 1, 0, 1], dtype=np.int8)])
    (part,) = splits_of(TimeHoldout(column="term", percent=50), data)
    assert part.train.tolist() == [1, 3]


# ---- groups ----------------------------------------------------------------------------------------------------------


@given(st.lists(st.sampled_from("pqrstu"), min_size=12, max_size=60), st.integers(0, 3))
@settings(deadline=None)
def test_no_group_is_on_both_sides(groups, seed):
    data = table(who=np.array(groups))
    n_groups = len(set(groups))
    if n_groups < 2:
        with pytest.raises(DataError, match=wording.ONLY_ONE_GROUP):
            splits_of(GroupHoldout(column="who"), data)
        return
    folds = min(3, n_groups)
    parts = splits_of(GroupHoldout(column="who"), data, seed)
    parts += splits_of(GroupCrossValidation(column="who", folds=folds, repeats=2), data, seed)
    at = np.array(groups)
    for part in parts:
        assert not set(at[part.train]) & set(at[part.test])
        assert len(part.train) > 0 < len(part.test)
        assert len(part.train) + len(part.test) == len(groups)
    for repeat in (0, 1):
        tested = [part.test for part in parts[1:] if part.repeat == repeat]
        assert sorted(np.concatenate(tested).tolist()) == list(range(len(groups)))


def test_groups_are_held_out_near_the_share_of_records_that_was_asked_for():
    data = table(who=np.array(["big"] * 60 + [f"s{i}" for i in range(40)]))
    sizes = [len(splits_of(GroupHoldout(column="who", percent=60), data, seed)[0].train) for seed in range(20)]
    assert all(abs(size - 60) <= 30 for size in sizes)
    even = table(who=np.array([f"g{i // 5}" for i in range(100)]))
    assert [len(splits_of(GroupHoldout(column="who", percent=60), even, s)[0].train) for s in range(5)] == [60] * 5


def test_folds_of_groups_are_as_equal_as_the_groups_allow():
    folds = group_folds(np.array([10, 1, 1, 1, 1, 6, 5, 5]), 3, np.random.default_rng(0))
    filled = np.bincount(folds, [10, 1, 1, 1, 1, 6, 5, 5])
    assert filled.tolist() == [10, 10, 10]


def test_very_many_groups_are_dealt_quickly_and_evenly():
    sizes = np.random.default_rng(0).integers(1, 4, 300_000)
    filled = np.bincount(group_folds(sizes, 10, np.random.default_rng(1)), sizes)
    assert filled.max() - filled.min() < 0.001 * sizes.sum()


def test_records_without_a_group_stay_together_and_that_is_said():
    data = table(team=["x", "", "y", "", "z", ""])
    method = GroupCrossValidation(column="team", folds=3)
    for part in splits_of(method, data):
        assert len({int(at) in part.test.tolist() for at in (1, 3, 5)}) == 1
    assert any(wording.KEPT_AS_ONE_GROUP in sentence for sentence in method.remarks(data))
    assert any(wording.BETTER_LEAVE_IT_OUT in sentence for sentence in method.remarks(data))


def test_more_folds_than_groups_are_refused():
    with pytest.raises(DataError, match=wording.NEED_10_GROUPS):
        splits_of(GroupCrossValidation(column="team"), table(team=["x", "y", "x", "y"]))


# ---- marked ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("marks", "trains"), [(["Train", "test", "Train", "valid"], [0, 2]), (["1", "0", "0", "1"], [0, 3])]
)
def test_marked_records_train_and_the_others_are_tested(marks, trains):
    (part,) = splits_of(MarkedParts(column="part"), table(part=marks))
    assert part.train.tolist() == trains
    assert part.test.tolist() == [at for at in range(4) if at not in trains]


def test_a_number_can_mark_the_parts():
    (part,) = splits_of(MarkedParts(column="age"), table(age=np.array([1.0, 0, 0, np.nan])))
    assert (part.train.tolist(), part.test.tolist()) == ([0], [1, 2])


def test_the_marks_can_be_given():
    data = table(part=["old", "new", "odd", "old"])
    (part,) = splits_of(MarkedParts(column="part", train="OLD", test="new"), data)
    assert (part.train.tolist(), part.test.tolist()) == ([0, 3], [1])
    with pytest.raises(DataError, match=wording.NOT_CLEAR_WHICH_VALUE):
        splits_of(MarkedParts(column="part"), data)
    with pytest.raises(DataError, match=wording.NO_RECORD_HAS_VALUE):
        splits_of(MarkedParts(column="part", train="older"), data)
    with pytest.raises(DataError, match=wording.NONE_LEFT_TO_TEST):
        splits_of(MarkedParts(column="part"), table(part=["train"] * 3))


# ---- which column ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [TimeHoldout, GroupHoldout, GroupCrossValidation, MarkedParts])
def test_a_column_that_cannot_be_gone_by_is_refused_in_words(method):
    data = table(when=np.arange(6.0), team=list("xyxyxy"), age=np.arange(6.0))
    assert method().problem(data.schema).startswith(wording.CHOOSE_THE_COLUMN)
    for wrong in (None, "class", "absent"):
        with pytest.raises(DataError, match=wording.WRONG_COLUMN_PATTERN):
            splits_of(method(column=wrong), data)
    assert "class" not in method().offered_columns(data.schema)


def test_only_columns_with_an_order_say_the_time():
    data = table(when=np.arange(4.0), team=list("xyxy"), who=np.array(list("pqrs")))
    assert TimeHoldout().offered_columns(data.schema) == ("when",)
    assert GroupHoldout().offered_columns(data.schema) == ("when", "team", "who")


def test_a_run_by_groups_says_what_was_done():
    data = table(team=list("xyz") * 8, age=np.arange(24.0))
    result = evaluate(ZeroR(), data, GroupCrossValidation(column="team", folds=3), RunContext(seed=1))
    assert len(result) == 24
    assert result.n_judged == 3
    assert any(wording.BETTER_LEAVE_IT_OUT in warning for warning in result.warnings)


# ---- every part ------------------------------------------------------------------------------------------------------


def test_every_part_of_a_size_is_tested_once():
    parts = splits_of(CompleteCrossValidation(size=2), table(age=np.arange(5.0)))
    assert len(parts) == 10
    assert len({tuple(part.test.tolist()) for part in parts}) == 10
    for part in parts:
        assert sorted([*part.train.tolist(), *part.test.tolist()]) == list(range(5))


def test_too_many_parts_are_refused_with_their_number():
    with pytest.raises(DataError, match=wording.TOO_MANY_PARTS):
        splits_of(CompleteCrossValidation(size=2), table(age=np.arange(2999.0)))
    with pytest.raises(DataError, match=wording.NONE_WOULD_BE_LEFT):
        splits_of(CompleteCrossValidation(size=4), table(age=np.arange(4.0)))
