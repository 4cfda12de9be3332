"""Random forests: few attributes a question, what is left out, what matters, how strong and how much alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from algorithms.core.run_control import RunContext, thread_pool
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.learners.ensembles.model import CommitteeModel
from algorithms.learners.ensembles.random_forest import ABSENT, RandomForest, strength_and_correlation
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.structures.members import Committee
from algorithms.structures.tree import SplitTest, Tree
from tests.algorithms.battery_data import mixed, same_state


def telling(n: int = 200, seed: int = 1) -> Dataset:
    """Two attributes that tell the class, the first more than the second, and six of noise."""
    random = np.random.default_rng(seed)
    x = random.normal(size=(n, 8))
    codes = (2 * x[:, 0] + x[:, 1] > 0).astype(np.int8)
    attributes = (*(numeric(f"x{i}") for i in range(8)), nominal("class", ("no", "yes")))
    return Dataset(Schema(attributes, 8), [*x.T, codes])


@pytest.fixture(scope="module")
def forest() -> CommitteeModel:
    model = RandomForest(members=30).fit(telling(), RunContext(seed=1))
    assert isinstance(model, CommitteeModel)
    return model


def test_any_number_of_threads_grows_the_same_forest(forest: CommitteeModel) -> None:
    with thread_pool(3) as pool:
        other = RandomForest(members=30).fit(telling(), RunContext(seed=1, executor=pool))
    assert same_state(forest.to_state(), other.to_state())


def test_both_importances_put_first_what_tells_most(forest: CommitteeModel) -> None:
    for importance in (forest.known.impurity_importance, forest.known.permutation_importance):
        assert np.argsort(-importance)[:2].tolist() == [0, 1]
        assert importance[8] == 0
    assert forest.known.impurity_importance.sum() == pytest.approx(1)
    assert forest.known.permutation_importance[0] > 0.15


def test_so_many_attributes_are_weighed_as_breiman_says() -> None:
    assert [RandomForest().growth(d).weighed for d in (4, 5, 20, 300)] == [3, 3, 5, 9]
    assert RandomForest().growth(1).weighed is None
    assert RandomForest(attributes_weighed=20).growth(20).weighed is None


def test_trees_differ_in_their_first_question(forest: CommitteeModel) -> None:
    roots = set()
    for tree in forest.structure().parts:
        assert isinstance(tree, Tree)
        roots.add(int(tree.attribute[0]))
    assert len(roots) > 2


def test_out_of_bag_error_is_near_the_error_on_other_records(forest: CommitteeModel) -> None:
    other = telling(2000, seed=2)
    assert forest.known.out_of_bag == pytest.approx(
        float(np.mean(forest.predict(other) != other.class_codes)), abs=0.05
    )
    assert forest.known.training_error[-1] == 0


def test_strength_and_correlation_by_hand() -> None:
    """Three members, three records of class 0: shares of votes for it 1, 1/2 and 1/3."""
    votes = np.array([[0, 0, 1], [0, 1, 1], [ABSENT, ABSENT, 0]], dtype=np.int16)
    strength, correlation = strength_and_correlation(votes, np.zeros(3, dtype=np.int32), 2)
    margins = np.array([1, 0, -1 / 3])
    deviation = (np.std([1, 1, -1]) + np.std([1, -1, -1]) + 0) / 3
    assert strength == pytest.approx(margins.mean())
    assert correlation == pytest.approx(margins.var() / deviation**2)


def test_the_bound_follows_from_strength_and_correlation() -> None:
    assert Committee(strength=0.5, correlation=0.2).bound == pytest.approx(0.2 * 0.75 / 0.25)
    assert np.isnan(Committee(strength=-0.1, correlation=0.2).bound)


def test_finished_early_the_forest_keeps_the_trees_that_are_done() -> None:
    context = RunContext(seed=1)
    context.finish()
    model = RandomForest(members=30).fit(mixed(60, missing=0.1), context)
    assert isinstance(model, CommitteeModel)
    assert (len(model.members), model.partial) == (1, True)


def test_sums_of_attributes_find_a_slanting_boundary_that_single_ones_only_step_along() -> None:
    x = np.random.default_rng(1).normal(size=(2, 500))
    data = Dataset(Schema((numeric("x"), numeric("y"), nominal("class", "ab")), 2), [*x, (x[0] + x[1] > 0)])
    train, unseen = data.take(np.arange(150)), data.take(np.arange(150, 500))
    wrong = {}
    for terms in (1, 2):
        model = RandomForest(members=20, combined=terms, attributes_weighed=4).fit(train, RunContext(seed=1))
        wrong[terms] = float(np.mean(model.predict(unseen) != unseen.class_codes))
    assert wrong[2] < wrong[1]
    tree = model.structure().parts[0]  # type: ignore[union-attr]
    assert isinstance(tree, Tree)
    assert set(tree.test[tree.test != 0].tolist()) == {int(SplitTest.LINEAR)}
    assert np.all(np.diff(tree.term_start) == 2)
    importance = model.known.impurity_importance  # type: ignore[attr-defined]
    assert importance[:2] == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("best_of", [1, 4])
def test_sums_and_lists_grow_the_same_forest_on_any_number_of_threads(best_of: int) -> None:
    learner, data = RandomForest(members=5, combined=3, best_of=best_of), mixed(90, missing=0.2)
    alone = learner.fit(data, RunContext(seed=1))
    with thread_pool(2) as pool:
        together = learner.fit(data, RunContext(seed=1, executor=pool))
    assert same_state(alone.to_state(), together.to_state())
    assert np.mean(alone.predict(data) == data.class_codes) > 0.9


def with_long_list(seed: int, classes: int, own: float) -> Dataset:
    """2,000 records whose class depends on three numbers, and by ``own`` on a list of 429 values."""
    random = np.random.default_rng(seed)
    numbers, codes = random.normal(size=(2_000, 6)), random.integers(0, 429, 2_000)
    worth = numbers[:, 0] + 0.7 * numbers[:, 1] * numbers[:, 2]
    worth += own * random.normal(size=429)[codes] + random.normal(size=2_000)
    truth = np.digitize(worth, np.quantile(worth, np.arange(1, classes) / classes))
    attributes = [numeric(f"x{i}") for i in range(6)]
    values = nominal("list", [f"v{i}" for i in range(429)])
    schema = Schema((*attributes, values, nominal("class", [f"c{i}" for i in range(classes)])), 7)
    return Dataset(schema, [*numbers.T.copy(), codes, truth])


def accuracy_on_later(data: Dataset, learner: RandomForest) -> float:
    rest = data.take(np.arange(1_000, 2_000))
    model = learner.fit(data.take(np.arange(1_000)), RunContext(seed=1))
    return float(np.mean(model.predict(rest) == rest.class_codes))


@pytest.mark.parametrize("classes", [2, 3])
def test_a_long_list_that_tells_nothing_is_not_asked_for_its_many_groupings(classes: int) -> None:
    data = with_long_list(1, classes, own=0.0)
    corrected = RandomForest(members=30, out_of_bag=False)
    found = accuracy_on_later(data, corrected)
    assert found > accuracy_on_later(data, replace(corrected, nominal_correction=False)) + 0.02
    without = data.select_columns([0, 1, 2, 3, 4, 5, 7])
    assert found > accuracy_on_later(without, corrected) - 0.03


def test_a_long_list_that_tells_much_is_still_asked() -> None:
    data = with_long_list(1, 2, own=2.0)
    learner = RandomForest(members=30, out_of_bag=False)
    assert accuracy_on_later(data, learner) > accuracy_on_later(data, replace(learner, nominal_correction=False)) - 0.02


@pytest.mark.parametrize(("splits", "part"), [("multiway", 1.0), ("binary", 0.5)])
def test_of_a_list_is_taken_off_what_chance_would_gain(splits: Any, part: float) -> None:
    """(v - 1) / (n - 1) of the impurity, of which two branches can gain 1 / (k - 1)."""
    random = np.random.default_rng(2)
    codes = np.arange(120) % 5
    truth = np.where(random.random(120) < 0.7, codes % 3, random.integers(0, 3, 120))
    data = Dataset(Schema((nominal("v", "abcde"), nominal("class", "xyz")), 1), [codes, truth])
    options = GrowthOptions(criterion="gini", nominal_splits=splits, max_depth=1)
    raw, less = (grow(data, replace(options, nominal_correction=on), RunContext()).tree for on in (False, True))
    shares = np.bincount(truth) / 120
    assert less.gain[0] == pytest.approx(raw.gain[0] - part * (1 - np.sum(shares**2)) * 4 / 119)
