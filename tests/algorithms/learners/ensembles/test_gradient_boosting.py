"""Gradient boosting: as right as the reference, the same in any order, every step as the formulas have it."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.ensembles.gradient_boosting import GradientBoosting, GradientModel
from algorithms.structures.tree import Tree
from tests.algorithms.battery_data import mixed, same_bits
from tests.expected_texts import learners as wording


def boosted(learner: GradientBoosting, data: Dataset) -> GradientModel:
    model = learner.fit(data, RunContext(seed=1))
    assert isinstance(model, GradientModel)
    return model


def two_numbers(n: int, seed: int) -> Dataset:
    x = np.random.default_rng(seed).normal(size=(2, n))
    codes = (x[0] * x[1] > 0).astype(np.int8)
    return Dataset(Schema((numeric("x"), numeric("y"), nominal("class", "ab")), 2), [*x, codes])


def test_the_first_tree_by_hand() -> None:
    """Four records, one of class b: p = 1/4, slopes 1/4 1/4 1/4 -3/4, curvatures 3/16; the split is before the last."""
    data = Dataset(
        Schema((numeric("x"), nominal("class", "ab")), 1), [np.array([1.0, 2, 3, 4]), np.array([0, 0, 0, 1])]
    )
    model = boosted(GradientBoosting(members=1, step=1.0, max_depth=1, min_leaf=1), data)
    tree = model.structure().parts[0]
    assert isinstance(tree, Tree)
    assert tree.threshold[0] == 3.5
    h = 3 / 16
    assert tree.gain[0] == pytest.approx((0.75**2 / (3 * h + 1) + 0.75**2 / (h + 1)) / 4)
    assert model.answers == pytest.approx([0, -0.75 / (3 * h + 1), 0.75 / (h + 1)])
    score = np.log(1 / 3) + model.answers[1:]
    assert model.predict_proba(data)[[0, 3], 1] == pytest.approx(1 / (1 + np.exp(-score)))


def test_what_neither_number_tells_alone_is_learned() -> None:
    model, unseen = boosted(GradientBoosting(), two_numbers(1000, 1)), two_numbers(1000, 2)
    assert np.mean(model.predict(unseen) == unseen.class_codes) > 0.95


@pytest.mark.parametrize("size", [100.0, 60.0])
def test_what_training_knew_of_its_records_is_what_the_model_says_of_them(size: float) -> None:
    data = mixed(150, missing=0.2)
    model = boosted(GradientBoosting(members=20, size=size), data)
    assert model.known.training_error[-1] == pytest.approx(np.mean(model.predict(data) != data.class_codes))
    assert model.known.impurity_importance.sum() == pytest.approx(1)


def test_the_order_of_the_records_leaves_no_trace() -> None:
    data, order = mixed(100, missing=0.1), np.random.default_rng(1).permutation(100)
    model, other = (boosted(GradientBoosting(members=15), some) for some in (data, data.take(order)))
    assert same_bits(model.answers, other.answers)


def test_finished_early_the_rounds_that_were_made_are_kept() -> None:
    context = RunContext(seed=1)
    context.finish()
    model = GradientBoosting().fit(two_numbers(50, 1), context)
    assert isinstance(model, GradientModel)
    assert (len(model.trees), model.partial) == (1, True)


def test_why_says_how_many_trees_speak_for_the_class() -> None:
    data = two_numbers(200, 1)
    steps = boosted(GradientBoosting(members=10), data).explain(data, 0).steps
    assert any(wording.TREES_SPEAK_FOR in step for step in steps)
