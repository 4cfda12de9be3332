"""What if: the ways of a changed record, and the smallest single change that flips the decision."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.runner import train
from algorithms.evaluation.what_if import (
    changed,
    effect_of,
    flips,
    nearest_of_another_class,
    one_record,
    ways,
)
from algorithms.io.samples import samples
from algorithms.learners.ensembles.adaboost import AdaBoost
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.structures.tree import Tree
from tests.algorithms.battery_data import mixed

USED = (0, 1, 2, 3)


def learned(data: Dataset, learner: Learner) -> TrainedClassifier:
    return train(learner, data, (), RunContext())


def tree_of(trained: TrainedClassifier) -> Tree:
    tree = trained.structure()
    assert isinstance(tree, Tree)
    return tree


@pytest.mark.parametrize("learner", [C45(), Cart(pruning="none")], ids=["c4.5", "cart"])
def test_the_leaves_mixed_by_their_shares_are_the_probabilities(learner: C45 | Cart) -> None:
    data = mixed(150, 1, missing=0.3)
    trained = learned(data, learner)
    tree = tree_of(trained)
    for row in range(40):
        record = data.take([row])
        found = ways(tree, trained.prepared(record))
        assert sum(way.share for way in found) == pytest.approx(1.0)
        mixed_leaves = sum(way.share * tree.counts[way.leaf] / tree.counts[way.leaf].sum() for way in found)
        np.testing.assert_allclose(mixed_leaves, trained.predict_proba(record)[0], atol=1e-9)
        for way in found:
            assert way.nodes == tree.path(way.leaf)


def test_a_missing_value_divides_a_record_largest_share_first() -> None:
    data = mixed(150, 2)
    trained = learned(data, C45())
    tree = tree_of(trained)
    record = changed(data.take([0]), {int(tree.attribute[0]): float("nan")})
    found = ways(tree, trained.prepared(record))
    assert len(found) > 1 and [way.share for way in found] == sorted((way.share for way in found), reverse=True)


@pytest.mark.parametrize("learner", [C45(), Cart(pruning="none")], ids=["c4.5", "cart"])
def test_every_flip_changes_the_decision_and_they_come_smallest_first(learner: C45 | Cart) -> None:
    data = mixed(150, 3, missing=0.1)
    trained = learned(data, learner)
    n_found = 0
    for row in range(30):
        record = data.take([row])
        said = int(trained.predict(record)[0])
        found = flips(trained, data, record, USED, RunContext())
        n_found += len(found)
        assert [flip.distance for flip in found] == sorted(flip.distance for flip in found)
        for flip in found:
            assert flip.decision != said
            assert int(trained.predict(changed(record, {flip.attribute: flip.value}))[0]) == flip.decision
    assert n_found > 20


def test_a_number_is_narrowed_down_to_the_threshold_in_few_digits() -> None:
    x = np.arange(40) / 4.0
    data = Dataset(Schema((numeric("x"), nominal("class", "ab")), 1), [x, (x > 5).astype(int)])
    trained = learned(data, Cart(pruning="none"))
    up = flips(trained, data, data.take([4]), (0,), RunContext())[0]
    assert isinstance(up.value, float) and 5.125 < up.value <= 5.2 and len(f"{up.value:g}") <= 5
    down = flips(trained, data, data.take([39]), (0,), RunContext())[0]
    assert isinstance(down.value, float) and 5.0 <= down.value <= 5.125


@pytest.mark.parametrize(
    ("learner", "name", "value"),
    [
        (AdaBoost(members=10), "Petal Length", 2.46),
        (RandomForest(members=10), "Petal Length", 2.46),
        (Ripper(), "Petal Length", 1.91),
        (C45(), "Petal Width", 0.61),
    ],
    ids=lambda part: part.id if isinstance(part, Learner) else None,
)
def test_a_flip_lies_one_decimal_finer_than_the_data_past_the_threshold(
    learner: Learner, name: str, value: float
) -> None:
    """2.5 was the smallest change of one learner over the threshold 2.45, and 1.901 of another over 1.9."""
    data = next(sample for sample in samples() if sample.id == "iris").make(None, 1, RunContext(seed=1))
    index = data.schema.index_of(name)
    found = flips(learned(data, learner), data, one_record(data, 0), (index,), RunContext())
    assert [flip.value for flip in found] == [value]


def test_nothing_flips_a_model_that_looks_at_nothing() -> None:
    data = mixed(60, 4)
    assert flips(learned(data, ZeroR()), data, data.take([0]), USED, RunContext()) == ()


def test_the_record_itself_is_not_touched() -> None:
    data = mixed(60, 5)
    record = data.take([0])
    before = float(record.column(0)[0])
    assert float(changed(record, {0: before + 1}).column(0)[0]) == before + 1
    assert float(record.column(0)[0]) == before


@pytest.mark.parametrize(("unit", "then"), [(1.0, 1.0), (0.25, 0.25)], ids=["whole", "next of the table"])
def test_a_value_at_the_threshold_goes_to_one_that_the_column_could_hold(unit: float, then: float) -> None:
    calls = np.repeat(np.arange(4.0), 10) * unit
    schema = Schema((numeric("calls"), nominal("class", ("no", "yes"))), class_index=1)
    data = Dataset(schema, [calls, (calls > 0).astype(np.int32)])
    (flip,) = flips(learned(data, C45()), data, data.take([0]), (0,), RunContext())
    assert flip.value == then and flip.decision == 1


def test_one_record_stands_alone_whatever_it_came_from() -> None:
    data = mixed(60, 6).take(np.array([5, 7, 5]))
    record = one_record(data, 1)
    assert len(record) == 1
    for index in range(len(data.schema)):
        assert record.column(index)[0] == data.column(index)[1]
    assert record.class_codes[0] == data.class_codes[1]


def test_a_narrow_stretch_of_a_number_that_flips_is_not_missed() -> None:
    x = np.concatenate((np.linspace(0, 5, 600), np.linspace(5.001, 5.002, 4), np.linspace(5.01, 10, 600)))
    codes = ((x > 5.0005) & (x < 5.005)).astype(int)
    data = Dataset(Schema((numeric("x"), nominal("class", "ab")), 1), [x, codes])
    trained = learned(data, Cart(pruning="none"))
    record = data.take([0])
    flip = flips(trained, data, record, (0,), RunContext())[0]
    assert 5.0 < float(flip.value) < 5.01
    assert int(trained.predict(changed(record, {0: flip.value}))[0]) == 1


@pytest.mark.parametrize("learner", [C45(), Cart(pruning="none")], ids=["c4.5", "cart"])
def test_no_smaller_change_of_a_number_flips(learner: C45 | Cart) -> None:
    data = mixed(150, 8)
    trained = learned(data, learner)
    for row in range(12):
        record = data.take([row])
        said, now = int(trained.predict(record)[0]), float(record.column(0)[0])
        for flip in flips(trained, data, record, (0,), RunContext()):
            for part in np.linspace(0, 0.94, 60):
                between = now + part * (float(flip.value) - now)
                assert int(trained.predict(changed(record, {0: between}))[0]) == said


def test_the_effect_of_an_attribute_has_the_models_probabilities_and_its_thresholds() -> None:
    data = mixed(150, 3)
    trained = learned(data, Cart(pruning="none"))
    tree = tree_of(trained)
    index, threshold = int(tree.attribute[0]), float(tree.threshold[0])
    record = one_record(data, 5)
    effect = effect_of(trained, data, record, index, RunContext())
    assert threshold in effect.values and np.all(np.diff(effect.values) > 0)
    for place in (0, len(effect.values) // 2, -1):
        varied = changed(record, {index: float(effect.values[place])})
        np.testing.assert_allclose(effect.probabilities[place], trained.predict_proba(varied)[0], atol=1e-6)


@pytest.mark.parametrize("learner", [AdaBoost(members=10), RandomForest(members=10)], ids=lambda learner: learner.id)
def test_the_effect_in_an_ensemble_of_trees_has_vertical_steps(learner: Learner) -> None:
    """A step at 2.45 was a slope from 2.42 to 2.48."""
    data = next(sample for sample in samples() if sample.id == "iris").make(None, 1, RunContext(seed=1))
    effect = effect_of(learned(data, learner), data, one_record(data, 0), 2, RunContext())
    steps = np.abs(np.diff(effect.probabilities, axis=0)).max(axis=1) > 0.02
    assert np.any(steps) and np.all(np.diff(effect.values) > 0)
    assert np.diff(effect.values)[steps].max() <= 1e-4 * np.ptp(effect.values)


def test_the_effect_of_a_nominal_attribute_has_a_row_for_each_of_its_values() -> None:
    data = mixed(150, 3)
    index = next(i for i in data.schema.predictors if data.schema.attributes[i].kind.is_coded)
    effect = effect_of(learned(data, C45()), data, one_record(data, 0), index, RunContext())
    assert effect.values.tolist() == list(range(len(data.schema.attributes[index].values)))
    np.testing.assert_allclose(effect.probabilities.sum(axis=1), 1.0, atol=1e-6)


def test_the_most_similar_record_of_another_class_differs_least_in_standard_deviations() -> None:
    schema = Schema((numeric("x"), numeric("y"), nominal("kind", "ab"), nominal("class", "pq")), 3)
    x, y = np.array([0.0, 0.1, 2.0, 8.0]), np.array([0.0, 0.0, 100.0, 900.0])
    data = Dataset(schema, [x, y, np.array([0, 1, 0, 0]), np.array([0, 0, 1, 1])])
    similar = nearest_of_another_class(data, one_record(data, 0), "p", RunContext())
    assert similar is not None and similar.row == 2
    assert similar.distance == pytest.approx(np.hypot(2.0 / x.std(ddof=1), 100.0 / y.std(ddof=1)))
    alike = nearest_of_another_class(data, one_record(data, 0), "q", RunContext(), besides=0)
    assert alike is not None and alike.row == 1
    assert nearest_of_another_class(data.take([0, 1]), one_record(data, 0), "p", RunContext()) is None
