"""What if: the ways of a changed record, and the smallest single change that flips the decision."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from algorithms.core.errors import Cancelled
from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.costs.decision_rules import AtThreshold, DecisionRule
from algorithms.evaluation.runner import train
from algorithms.evaluation.what_if import (
    JointChange,
    changed,
    effect_of,
    flips,
    joint_changes,
    nearest_record,
    one_record,
    ways,
)
from algorithms.io.samples import samples
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.ensembles.adaboost import AdaBoost
from algorithms.learners.ensembles.random_forest import RandomForest
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors
from algorithms.learners.rules.ripper import Ripper
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.cart import Cart
from algorithms.learners.trees.zero_r import ZeroR
from algorithms.structures.tree import Tree
from tests.algorithms.battery_data import CLASS_AT, mixed

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
    similar = nearest_record(data, one_record(data, 0), "p", RunContext())
    assert similar is not None and similar.row == 2
    assert similar.distance == pytest.approx(np.hypot(2.0 / x.std(ddof=1), 100.0 / y.std(ddof=1)))
    alike = nearest_record(data, one_record(data, 0), "q", RunContext(), besides=0)
    assert alike is not None and alike.row == 1
    assert nearest_record(data.take([0, 1]), one_record(data, 0), "p", RunContext()) is None


# ---- the smallest change of several attributes -----------------------------------------------------------------------


def corners(n: int) -> Dataset:
    """Records whose class a needs two values at once, or three others."""
    data = mixed(n, 7)
    length, width, colour, size = (data.column(index) for index in USED)
    codes = np.where(((length > 0.2) & (width >= 5)) | ((colour == 1) & (size < 2) & (width < 2)), 0, 1)
    return data.with_columns({CLASS_AT: (data.schema.attributes[CLASS_AT], codes)})


def all_changes(
    trained: TrainedClassifier, data: Dataset, record: Dataset, size: int, decide: DecisionRule | None = None
) -> list[tuple[float, dict[int, float]]]:
    """Every minimal change of ``size`` attributes to values that occur in the data, with its distance."""
    values = [np.unique(data.column(index)[np.isfinite(data.column(index))]).tolist() for index in USED]
    kinds = [data.schema.attributes[index].kind for index in USED]
    spread = [1.0 if kind.is_coded else float(np.nanstd(data.column(i), ddof=1)) for i, kind in enumerate(kinds)]
    own = [float(record.column(index)[0]) for index in USED]

    def decisions(changes: list[dict[int, float]]) -> list[int]:
        many = data.take(np.zeros(len(changes), dtype=np.int64))
        columns = [np.array([change.get(i, own[i]) for change in changes]) for i in USED]
        attributes = data.schema.attributes
        many = many.with_columns({i: (attributes[i], columns[i].astype(data.column(i).dtype)) for i in USED})
        judged = trained.judged(many, RunContext())
        return (judged.decisions if decide is None else decide.on(judged, many)).tolist()

    def key(change: dict[int, float]) -> tuple[tuple[int, float], ...]:
        return tuple(sorted(change.items()))

    (said,) = decisions([{}])
    flipping: set[tuple[tuple[int, float], ...]] = set()
    minimal: list[tuple[float, dict[int, float]]] = []
    for n in range(1, size + 1):
        changes = [
            dict(zip(group, cells, strict=True))
            for group in combinations(USED, n)
            for cells in product(*([v for v in values[i] if v >= 0 and v != own[i]] for i in group))
        ]
        for change, decision in zip(changes, decisions(changes), strict=True):
            if decision == said:
                continue
            flipping.add(key(change))
            smaller = (part for m in range(1, n) for part in combinations(sorted(change.items()), m))
            if n == size and not any(part in flipping for part in smaller):
                distances = (1.0 if kinds[i].is_coded else abs(v - own[i]) / spread[i] for i, v in change.items())
                minimal.append((sum(distances), change))
    return minimal


def joint(
    trained: TrainedClassifier,
    data: Dataset,
    record: Dataset,
    used: tuple[int, ...] = USED,
    decide: DecisionRule | None = None,
) -> tuple[float, tuple[JointChange, ...]]:
    """The distance of the smallest change of one attribute, and the smaller ones of several."""
    singles = flips(trained, data, record, used, RunContext(), decide=decide)
    changes = joint_changes(trained, data, record, used, singles, RunContext(), decide=decide, most=10_000_000)
    return min((flip.distance for flip in singles), default=np.inf), changes


def assert_minimal(
    trained: TrainedClassifier, record: Dataset, change: JointChange, decide: DecisionRule | None
) -> None:
    """The whole change makes the model predict its class, and no part of it changes the prediction."""

    def decision(values: dict[int, float]) -> int:
        other = changed(record, values)
        judged = trained.judged(other, RunContext())
        return int((judged.decisions if decide is None else decide.on(judged, other))[0])

    said = decision({})
    assert decision(change.values) == change.decision != said
    for size in range(1, len(change.parts)):
        for some in combinations(change.values.items(), size):
            assert decision(dict(some)) == said


@pytest.mark.parametrize(
    "learner",
    [Cart(pruning="none"), NaiveBayes(), RandomForest(members=7), KNearestNeighbors(k=3)],
    ids=lambda learner: learner.id,
)
def test_joint_changes_are_minimal_and_as_small_as_all_combinations_of_values_allow(learner: Learner) -> None:
    data = corners(100)
    trained, n_found = learned(data, learner), 0
    for row in range(7):
        record = one_record(data, row)
        least, changes = joint(trained, data, record)
        by_size = {len(change.parts): change for change in changes}
        assert [len(change.parts) for change in changes] == sorted(by_size)
        for size in (2, 3):
            smallest = min((distance for distance, _ in all_changes(trained, data, record, size)), default=np.inf)
            if size in by_size:
                assert by_size[size].distance < least
                assert by_size[size].distance <= smallest + 1e-9
                assert_minimal(trained, record, by_size[size], None)
                least, n_found = by_size[size].distance, n_found + 1
            else:
                assert smallest >= least - 1e-9
    assert n_found > 0


def test_fixed_attributes_never_change_and_thresholds_decide() -> None:
    data = mixed(40, 8)
    trained = learned(data, NaiveBayes())
    n_found = 0
    for share in (0.3, 0.8):
        decide = DecisionRule(trained.classes, AtThreshold("a", share), None)
        for row in range(8):
            record = one_record(data, row)
            for used in (USED, USED[1:], USED[:2]):
                _, changes = joint(trained, data, record, used, decide)
                for change in changes:
                    assert set(change.values) <= set(used)
                    assert_minimal(trained, record, change, decide)
                    n_found += 1
    assert n_found > 0


def test_where_combinations_are_too_many_changes_are_still_minimal() -> None:
    data = corners(150)
    trained, record = learned(data, KNearestNeighbors(k=3)), one_record(data, 0)
    singles = flips(trained, data, record, USED, RunContext())
    few = joint_changes(trained, data, record, USED, singles, RunContext(), most=200)
    all_of_them = joint_changes(trained, data, record, USED, singles, RunContext(), most=10_000_000)
    assert few and all_of_them and few[0].distance < 2 * all_of_them[0].distance
    for change in (*few, *all_of_them):
        assert_minimal(trained, record, change, None)


def test_a_search_for_joint_changes_stops() -> None:
    data = mixed(60, 10)
    trained, context = learned(data, KNearestNeighbors(k=3)), RunContext()
    context.cancel()
    with pytest.raises(Cancelled):
        joint_changes(trained, data, one_record(data, 0), USED, (), context)
