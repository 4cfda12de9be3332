"""Random forests: few attributes a question, what is left out, what matters, how strong and how much alike."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from algorithms.catalogue import builtin
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext, thread_pool
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.io.samples import samples
from algorithms.learners.ensembles.adaboost import AdaBoost
from algorithms.learners.ensembles.bagging import Bagging
from algorithms.learners.ensembles.gradient_boosting import GradientBoosting
from algorithms.learners.ensembles.model import CommitteeModel
from algorithms.learners.ensembles.random_forest import ABSENT, RandomForest, strength_and_correlation
from algorithms.learners.rules.one_r import OneR
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.growth.binned_growth import binned
from algorithms.learners.trees.growth.engine import grow
from algorithms.learners.trees.growth.growth_options import GrowthOptions
from algorithms.learners.trees.routing import MOST_JOINED
from algorithms.structures.members import Committee
from algorithms.structures.tree import SplitTest, Tree
from tests.algorithms.battery_data import mixed, same_state
from tests.expected_texts import learners as wording


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


@pytest.mark.parametrize(
    "learner",
    [
        RandomForest(members=10),
        Bagging(members=5, combine="votes"),
        AdaBoost(members=5),
        GradientBoosting(members=5),
        Bagging(base=OneR(), members=3),
    ],
)
def test_one_record_is_predicted_as_among_others(learner: Learner, monkeypatch: pytest.MonkeyPatch) -> None:
    data = mixed(missing=0.1)
    for most in (MOST_JOINED, 0):
        monkeypatch.setattr("algorithms.learners.ensembles.model.MOST_JOINED", most)
        model = learner.fit(data, RunContext(seed=1))
        shares, decisions = model.predict_proba(data), model.predict(data)
        alone = [data.take([row]) for row in range(0, len(data), 5)]
        assert np.array_equal(np.concatenate([model.predict_proba(one) for one in alone]), shares[::5])
        assert np.array_equal(np.concatenate([model.predict(one) for one in alone]), decisions[::5])
        assert [model.explain(one, 0).decision for one in alone] == decisions[::5].tolist()


def test_both_importances_put_first_what_tells_most(forest: CommitteeModel) -> None:
    for importance in (forest.known.impurity_importance, forest.known.permutation_importance):
        assert np.argsort(-importance)[:2].tolist() == [0, 1]
        assert importance[8] == 0
    assert forest.known.impurity_importance.sum() == pytest.approx(1)
    assert forest.known.permutation_importance[0] > 0.15


def test_the_reasons_are_sentences_with_the_shares_of_all_pages() -> None:
    data = next(sample for sample in samples() if sample.id == "iris").make(None, 1, RunContext(seed=1))
    model = RandomForest(members=10).fit(data, RunContext(seed=1))
    assert model.explain(data, 0).steps == wording.ALL_TEN_PREDICT_SETOSA


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


def cuts_lie_between_bins(model: Any, table: Dataset, n_bins: int) -> bool:
    """Whether every threshold lies half way between two bins of all records."""
    bins, n_cuts = table.derived(binned(n_bins)).bins, 0
    for tree in model.structure().parts:
        for node in np.flatnonzero(tree.test == SplitTest.NUMERIC).tolist():
            place = table.schema.predictors.index(int(tree.attribute[node]))
            half_way = (bins.upper[place][:, None] + bins.lower[place][None, :]) / 2
            n_cuts += 1
            if not np.isclose(half_way, tree.threshold[node]).any():
                return False
    return n_cuts > 10


@pytest.mark.parametrize("data", [{}, {"missing": 0.1}, {"weighted": True}], ids=str)
def test_a_forest_by_histograms_splits_between_bins_of_all_records(data: dict[str, Any]) -> None:
    table = mixed(200, **data)
    learner = RandomForest(members=25, split_search="binned", bins=12)
    model = learner.fit(table, RunContext(seed=1))
    assert isinstance(model, CommitteeModel)
    with thread_pool(3) as pool:
        assert same_state(model.to_state(), learner.fit(table, RunContext(seed=1, executor=pool)).to_state())
    again = CommitteeModel.from_state(table.schema, replace(model.to_state(), kinds=builtin().models.get))
    np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))
    assert cuts_lie_between_bins(model, table, 12)
    tests = {test for tree in model.structure().parts for test in tree.test.tolist()}  # type: ignore[union-attr]
    assert {SplitTest.NUMERIC, SplitTest.SUBSET, SplitTest.ORDINAL} <= tests
    exact = replace(learner, split_search="exact").fit(table, RunContext(seed=1))
    assert isinstance(exact, CommitteeModel)
    assert model.known.out_of_bag == pytest.approx(exact.known.out_of_bag, abs=0.07)
    assert model.known.permutation_importance.argmax() == exact.known.permutation_importance.argmax()


@pytest.mark.parametrize("data", [{}, {"missing": 0.1}, {"weighted": True}], ids=str)
@pytest.mark.parametrize("weighed", [None, 2, 4])
def test_with_a_bin_for_each_value_a_forest_by_histograms_is_the_exact_one(
    data: dict[str, Any], weighed: int | None
) -> None:
    table = mixed(300, **data)
    learner = RandomForest(members=8, attributes_weighed=weighed, out_of_bag=False)
    exact, quick = (
        replace(learner, split_search=how, bins=10_000).fit(table, RunContext(seed=1)).structure().parts  # type: ignore[union-attr]
        for how in ("exact", "binned")
    )
    for one, other in zip(exact, quick, strict=True):
        assert isinstance(one, Tree) and isinstance(other, Tree)
        for name in ("test", "attribute", "first_child", "branch_of", "decision", "missing_to"):
            np.testing.assert_array_equal(one.arrays()[name], other.arrays()[name], err_msg=name)
        np.testing.assert_allclose(one.threshold, other.threshold)
        np.testing.assert_allclose(one.counts, other.counts, atol=1e-7)


@pytest.mark.parametrize("base", [Cart(bins=9), C45(bins=9, attributes_weighed=2, thresholds="midpoint")])
def test_bagged_trees_by_histograms_share_the_bins_of_all_records(base: Any) -> None:
    table = telling(300)
    base = replace(base, pruning="none")
    learner = Bagging(base=replace(base, split_search="binned"), members=6)
    model = learner.fit(table, RunContext(seed=1))
    assert cuts_lie_between_bins(model, table, 9)
    exact = replace(learner, base=base).fit(table, RunContext(seed=1))
    assert model.known.out_of_bag == pytest.approx(exact.known.out_of_bag, abs=0.08)  # type: ignore[attr-defined]


def test_a_split_drawn_among_the_best_is_searched_exactly() -> None:
    learner = RandomForest(members=3, best_of=4)
    models = [replace(learner, split_search=how).fit(telling(), RunContext(seed=1)) for how in ("exact", "binned")]
    assert same_state(models[0].to_state(), models[1].to_state())


def test_memory_of_a_forest_by_histograms_does_not_grow_with_the_weights() -> None:
    learner = RandomForest(members=2, criterion="information-gain", split_search="binned", out_of_bag=False)
    learner.fit(telling().with_weights(np.full(200, 2.5)), RunContext(seed=1))  # what is compiled is ready
    tracemalloc.start()
    learner.fit(telling().with_weights(np.full(200, 20_000.0)), RunContext(seed=1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6


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
