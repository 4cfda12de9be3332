"""Exact copies between tested and training records are counted fold by fold."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.checks.data_quality_checks import first_of_each, groups_of_equals, twin_share
from algorithms.evaluation.methods.methods import Bootstrap632, CrossValidation, Holdout, LeaveOneOut, TrainingSet
from algorithms.evaluation.runner import evaluate
from algorithms.learners.trees.zero_r import ZeroR


def table(n: int = 90, n_different: int = 60, *, weights: bool = False) -> Dataset:
    """``n`` records of which only ``n_different`` differ: the others are copies of the first ones."""
    which = np.arange(n) % n_different
    values = np.random.default_rng(0).normal(size=n_different)[which]
    schema = Schema((numeric("x"), nominal("y", ["a", "b", "c"]), nominal("class", ["no", "yes"])), 2)
    return Dataset(schema, [values, which % 3, which % 2], weights=np.ones(n) * 2 if weights else None)


def by_hand(result, data: Dataset) -> float:
    """The slow, obvious twin: look each tested record up among the training ones."""
    rows = [tuple(data.column(i)[at] for i in range(3)) for at in range(len(data))]
    n_twins = 0
    for repeat, fold in sorted(set(zip(result.repeats.tolist(), result.folds.tolist(), strict=True))):
        tested = set(result.row_ids[(result.repeats == repeat) & (result.folds == fold)].tolist())
        training = {rows[at] for at in range(len(data)) if at not in tested}
        n_twins += sum(rows[at] in training for at in tested)
    return n_twins / len(result)


@pytest.mark.parametrize(
    "method",
    [CrossValidation(folds=5), CrossValidation(folds=3, repeats=2), Holdout(), LeaveOneOut(), Bootstrap632(samples=5)],
    ids=lambda method: method.described(),
)
def test_the_share_of_twins_is_what_looking_each_up_gives(method):
    data = table()
    result = evaluate(ZeroR(), data, method, RunContext(seed=1))
    assert twin_share(result, data, groups_of_equals(data)) == pytest.approx(by_hand(result, data))


def test_leave_one_out_finds_every_copy():
    data = table(90, 60)
    result = evaluate(ZeroR(), data, LeaveOneOut(), RunContext(seed=1))
    assert twin_share(result, data, groups_of_equals(data)) == pytest.approx(60 / 90)


def test_on_training_records_there_is_nothing_to_say():
    data = table()
    result = evaluate(ZeroR(), data, TrainingSet(), RunContext(seed=1))
    assert twin_share(result, data, groups_of_equals(data)) is None


def test_equal_is_who_has_the_same_predictors_and_class_whatever_is_left_out():
    schema = Schema((numeric("x"), nominal("note", ["p", "q"]), nominal("class", ["a", "b"])), 2)
    data = Dataset(schema, [[0.0, -0.0, np.nan, np.nan, 1.0], [0, 1, 0, 1, 0], [0, 0, 1, 1, 0]])
    assert len(set(groups_of_equals(data).tolist())) == 5
    note = schema.attributes[1]
    left_out = data.with_schema(schema.with_attribute(1, type(note)(note.name, note.kind, note.values, used=False)))
    groups = groups_of_equals(left_out).tolist()
    assert groups[0] == groups[1] and groups[2] == groups[3]
    assert len(set(groups)) == 3
    assert first_of_each(groups_of_equals(left_out)).tolist() == [0, 2, 4]


def test_a_million_different_records_are_all_different():
    schema = Schema((numeric("x"), numeric("y"), nominal("class", ["a"])), 2)
    n = 1_000_000
    data = Dataset(schema, [np.arange(n) // 1000, np.arange(n) % 1000, np.zeros(n, dtype=np.int8)])
    assert int(groups_of_equals(data).max()) == n - 1
