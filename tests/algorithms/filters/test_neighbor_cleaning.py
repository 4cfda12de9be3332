"""Editing (Wilson) and condensing (Hart), beside their slow definitions."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import Cancelled
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate
from algorithms.filters.balance_classes import CondensedNeighbors, EditedNeighbors
from algorithms.learners.trees.c45 import C45


def two_clouds(n: int = 120, seed: int = 0) -> Dataset:
    random = np.random.default_rng(seed)
    codes = np.arange(n) % 2
    schema = Schema((numeric("x"), numeric("y"), nominal("class", ("a", "b"))), 2)
    numbers = [random.normal(codes * 1.5), random.normal(codes * 15.0, 10.0)]
    return Dataset(schema, [*numbers, codes], row_ids=range(5, n + 5))


def gaps(data: Dataset) -> np.ndarray:
    points = np.column_stack([data.column(i) / np.std(data.column(i)) for i in range(2)])
    return np.asarray(((points[:, None] - points[None]) ** 2).sum(axis=2))


@pytest.mark.parametrize("k", [1, 3, 6])
def test_editing_leaves_out_what_the_nearest_others_contradict(k: int) -> None:
    data = two_clouds()
    far, expected = gaps(data), []
    for row in range(len(data)):
        others = [j for j in np.argsort(far[row]) if j != row][:k]
        votes = np.bincount(data.class_codes[others], minlength=2)
        if votes[data.class_codes[row]] >= votes.max():
            expected.append(row + 5)
    found = EditedNeighbors(k=k).learn(data, RunContext())[1]
    assert found.row_ids.tolist() == expected
    assert len(expected) < len(data)


def test_editing_never_leaves_out_a_whole_class() -> None:
    schema = Schema((numeric("x"), nominal("class", ("a", "b"))), 1)
    data = Dataset(schema, [np.arange(20.0), np.arange(20) == 7])
    found = EditedNeighbors().learn(data, RunContext())[1]
    assert 7 in found.row_ids.tolist()


@pytest.mark.parametrize("seed", range(5))
def test_by_what_condensing_keeps_all_records_are_classified_rightly(seed: int) -> None:
    data = two_clouds(seed=seed)
    found = CondensedNeighbors().learn(data, RunContext(seed=seed))[1]
    kept = found.row_ids - 5
    assert len(kept) < 0.7 * len(data)
    nearest = kept[gaps(data)[:, kept].argmin(axis=1)]
    assert np.array_equal(data.class_codes[nearest], data.class_codes)
    again = CondensedNeighbors().learn(data, RunContext(seed=seed))[1]
    assert np.array_equal(again.row_ids, found.row_ids)


@pytest.mark.parametrize("step", [EditedNeighbors(), CondensedNeighbors()], ids=lambda step: step.id)
def test_the_steps_heed_a_stop_and_keep_what_has_no_class(step: EditedNeighbors | CondensedNeighbors) -> None:
    data, stopped = two_clouds(), RunContext()
    stopped.cancel()
    with pytest.raises(Cancelled):
        step.learn(data, stopped)
    codes = data.class_codes.astype(int).copy()
    codes[:10] = -1
    partly = data.with_column(2, data.schema.class_attribute, codes)
    assert set(range(5, 15)) <= set(step.learn(partly, RunContext())[1].row_ids.tolist())
    result = evaluate(C45(), data, CrossValidation(folds=4), RunContext(seed=2), recipe=(step,))
    assert sorted(result.row_ids.tolist()) == sorted(data.row_ids.tolist())


def test_condensing_finished_early_keeps_some_of_each_class() -> None:
    finishing = RunContext()
    finishing.finish()
    found = CondensedNeighbors().learn(two_clouds(), finishing)[1]
    assert sorted(found.class_codes.tolist()) == [0, 1]
