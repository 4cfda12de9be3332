"""The nearest neighbours: votes, ties, scales, the choice of k, and saved models; records learned by heart."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest

from algorithms.core.errors import Cancelled, ModelFileError, UnsuitableDataError
from algorithms.core.learner import State
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.evaluation.runner import evaluate, train
from algorithms.evaluation.tuning.parameter_search import loss_of
from algorithms.evaluation.what_if import flips, one_record
from algorithms.learners.neighbors.k_nearest import KNearestNeighbors, NeighborModel, RoteLearner, right_of
from algorithms.learners.neighbors.search import distinct, points_of
from tests.algorithms.battery_data import mixed, same_bits
from tests.expected_texts import learners as wording


def fit(data: Dataset, **options: Any) -> NeighborModel:
    model = KNearestNeighbors(**options).fit(data, RunContext(seed=1))
    assert isinstance(model, NeighborModel)
    return model


def line(places: list[float], classes: str, *, weights: list[float] | None = None, labels: str = "abc") -> Dataset:
    """Records on a line, classes by their letters."""
    schema = Schema((numeric("x"), nominal("class", tuple(labels))), 1)
    return Dataset(schema, [places, [labels.index(c) for c in classes]], weights=weights)


def say(model: NeighborModel, *places: float) -> list[str]:
    asked = line(list(places), "a" * len(places))
    return [model.classes[code] for code in model.predict(asked)]


def shares(model: NeighborModel, place: float) -> list[float]:
    found: list[float] = model.predict_proba(line([place], "a"))[0].tolist()
    return found


def test_votes_by_distance() -> None:
    data = line([0.0, 1.0, 3.0, 10.0], "abbc")
    at = 0.25  # distances 0.25, 0.75, 2.75
    assert shares(fit(data, k=3, scaling="none"), at) == pytest.approx([1 / 3, 2 / 3, 0])
    inverse = np.array([1 / 0.25, 1 / 0.75 + 1 / 2.75, 0])
    assert shares(fit(data, k=3, scaling="none", votes="inverse"), at) == pytest.approx(inverse / inverse.sum())
    square = np.array([1 / 0.25**2, 1 / 0.75**2 + 1 / 2.75**2, 0])
    assert shares(fit(data, k=3, scaling="none", votes="inverse-square"), at) == pytest.approx(square / square.sum())
    bell = [np.exp(-0.5 * (d / (0.4 * 2.75)) ** 2) for d in (0.25, 0.75, 2.75)]
    expected = np.array([bell[0], bell[1] + bell[2], 0]) / sum(bell)
    assert shares(fit(data, k=3, scaling="none", votes="kernel", kernel_width=0.4), at) == pytest.approx(expected)


@pytest.mark.parametrize("votes", ["inverse", "inverse-square"])
def test_a_record_at_the_very_place_decides_alone(votes: str) -> None:
    assert shares(fit(line([0.0, 1e-9, 1.0], "abb"), k=3, votes=votes), 0.0) == [1.0, 0.0, 0.0]


def test_records_too_many_but_equally_far_share_what_is_left_of_the_votes() -> None:
    model = fit(line([0.0, 1.0, -1.0, 1.0, 9.0], "abbac"), k=2, scaling="none")
    assert shares(model, 0.0) == pytest.approx([1 / 2 + 1 / 6, 2 / 6, 0])
    assert [round(n.share, 6) for n in model.neighbours(line([0.0], "a"), 0)] == [0.5] + [round(1 / 6, 6)] * 3


def test_a_tie_is_settled_by_the_nearest_then_the_more_frequent_then_the_first() -> None:
    assert say(fit(line([0.0, 1.0], "ba"), k=2), 0.1, 0.9) == ["b", "a"]
    assert say(fit(line([-1.0, 1.0, 9.0], "abb"), k=2, scaling="none"), 0.0) == ["b"]
    assert say(fit(line([-1.0, 1.0], "ba"), k=2, scaling="none"), 0.0) == ["a"]
    # the nearest of all is of a class that is not among those with most votes
    data = line([0.0, 1.0, 1.5, -2.0, 2.5], "cabba", labels="abc")
    assert say(fit(data, k=5, scaling="none"), 0.0) == ["a"]


@pytest.mark.parametrize("options", [{}, {"votes": "inverse"}, {"choose_k": True, "scaling": "z-score"}])
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_the_rows_never_matters(options: dict[str, Any], seed: int) -> None:
    data, other = mixed(150, seed, missing=0.1), mixed(60, seed + 50, missing=0.1)
    order = np.random.default_rng(seed).permutation(150)
    one, turned = fit(data, **options), fit(data.take(order), **options)
    assert one.kept.k == turned.kept.k
    assert same_bits(one.predict_proba(other), turned.predict_proba(other))
    assert same_bits(one.predict(other), turned.predict(other))


def test_without_a_common_scale_the_largest_numbers_decide() -> None:
    """TSKK 4.3: heights from 1.5 to 1.85 m beside weights from 90 to 250 lb."""
    heights = [1.50, 1.85, 1.52, 1.83]
    weights = [100.0, 110.0, 240.0, 250.0]
    schema = Schema((numeric("height"), numeric("weight"), nominal("class", ("short", "tall"))), 2)
    data = Dataset(schema, [heights, weights, [0, 1, 0, 1]])
    asked = Dataset(schema, [[1.51, 1.84], [111.0, 239.0], [0, 1]])
    assert fit(data, k=1, scaling="none").predict(asked).tolist() == [1, 0]
    assert fit(data, k=1).predict(asked).tolist() == [0, 1]
    assert fit(data, k=1, scaling="z-score").predict(asked).tolist() == [0, 1]


def test_k_is_chosen_by_leaving_one_out() -> None:
    data, most = mixed(120, 4), 12
    model = fit(data, choose_k=True, most_k=most)
    right = []
    for k in range(1, most + 1):
        said = [fit(data.take(np.arange(120) != row), k=k).predict(data.take([row]))[0] for row in range(120)]
        right.append(np.mean(np.array(said) == data.class_codes))
    best = max(right)
    # scales are those of all records: leaving out a largest value may shift one decision
    assert right[model.kept.k - 1] >= best - 2 / 120
    assert not model.partial


def test_of_a_record_that_weighs_two_one_stays_when_it_is_left_out() -> None:
    data = mixed(60, 2, weighted=True)
    repeated = data.with_weights(None).take(np.repeat(np.arange(60), data.weight_array.astype(int)))
    one, other = fit(data), fit(repeated)
    found = [right_of(m, np.arange(m.kept.n_records), 9, RunContext()) for m in (one, other)]
    assert found[0] == pytest.approx(found[1])


def test_thousands_of_ties_never_lie_in_memory_all_at_once() -> None:
    """2,000 records at two places: each is asked about, and has a thousand neighbours that are equally near."""
    places, codes = np.arange(2000) % 2, np.arange(2000) // 2 % 2
    schema = Schema((numeric("x"), nominal("class", ("a", "b"))), 1)
    data = Dataset(schema, [places, np.where(codes == 1, places, 1 - places)])
    model = fit(data, k=1)
    right_of(model, np.arange(5), 1, RunContext())
    tracemalloc.start()
    right = right_of(model, np.arange(2000), 1, RunContext())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert right.tolist() == [0.0]  # of its twins without itself, more are of the other class
    assert peak < 80e6


def test_a_list_of_very_many_values_is_not_compared_each_with_each() -> None:
    schema = Schema((nominal("id", [f"v{i}" for i in range(5001)]), nominal("class", ("a", "b"))), 1)
    data = Dataset(schema, [[0, 1, 2, 3], [0, 1, 0, 1]])
    with pytest.raises(UnsuitableDataError, match=wording.TOO_MANY_VALUES):
        fit(data, distance="value-difference")
    assert fit(data, k=1).predict(data).tolist() == [0, 1, 0, 1]


def test_records_that_are_alike_are_asked_about_once() -> None:
    """So that ten thousand records that have only a few values are no work."""
    model, asked = fit(mixed(200, 3, missing=0.2), k=7), mixed(40, 4, missing=0.2)
    many = asked.take(np.random.default_rng(1).integers(0, 40, 500))
    points = points_of(model.kept, many, lambda: None)
    first, which = distinct(points)
    assert len(first) <= 40
    assert first[which].tolist() == [first[i] for i in which]
    assert same_bits(points[0][first][which], points[0])
    assert np.array_equal(points[1][first][which], points[1])
    alone = np.concatenate([model.predict_proba(many.take([row])) for row in range(500)])
    assert same_bits(model.predict_proba(many), alone)


def test_finished_early_k_is_chosen_from_what_was_asked() -> None:
    finishing = RunContext()
    finishing.finish()
    model = KNearestNeighbors(choose_k=True).fit(mixed(100), finishing)
    assert model.partial
    assert not KNearestNeighbors().fit(mixed(100), finishing).partial


def test_judging_heeds_a_stop() -> None:
    model, stopped = fit(mixed(100)), RunContext()
    stopped.cancel()
    with pytest.raises(Cancelled):
        model.judged(mixed(100), stopped)


def test_missing_values() -> None:
    schema = Schema((numeric("x"), numeric("y"), nominal("class", ("a", "b"))), 2)
    data = Dataset(schema, [[0.0, 10.0, np.nan], [0.0, 10.0, 0.0], [0, 1, 1]])
    asked = Dataset(schema, [[2.0], [0.0], [0]])
    far, left_out = fit(data, k=1), fit(data, k=1, missing="ignore")
    assert [n.distance for n in far.neighbours(asked, 0)] == pytest.approx([0.2])
    assert [n.row_id for n in left_out.neighbours(asked, 0)] == [2]
    assert [n.distance for n in fit(data, k=3).neighbours(asked, 0)] == pytest.approx([0.2, 0.8, np.hypot(0.8, 1)])


def test_damaged_states_are_refused() -> None:
    model = fit(mixed(30, missing=0.1))
    state = model.to_state()
    for name in state.arrays:
        with pytest.raises(ModelFileError):
            NeighborModel.from_state(model.schema, State(state.values, {**state.arrays, name: np.zeros(7)}))
    for name in model.kept.settings():
        with pytest.raises(ModelFileError):
            NeighborModel.from_state(model.schema, State({**state.values, name: None}, state.arrays))
    codes = state.arrays["codes"].copy()
    codes[0, 0] = 3
    with pytest.raises(ModelFileError):
        NeighborModel.from_state(model.schema, State(state.values, {**state.arrays, "codes": codes}))


def test_a_wish_to_stop_is_heeded_wherever_many_records_are_judged() -> None:
    random = np.random.default_rng(4)
    schema = Schema((numeric("a"), numeric("b"), nominal("class", ("p", "q"))), 2)
    data = Dataset(schema, [random.normal(size=600), random.normal(size=600), np.arange(600) % 2])
    trained = train(KNearestNeighbors(), data, (), RunContext())
    stopped = RunContext()
    stopped.cancel()
    works = (
        lambda: trained.judged(data, stopped),
        lambda: flips(trained, data, one_record(data, 0), (0, 1), stopped),
        lambda: loss_of("error", trained.model, data, stopped),
    )
    for work in works:
        with pytest.raises(Cancelled):
            work()


SCHEMA = Schema((numeric("x"), nominal("colour", ("red", "blue")), nominal("class", ("a", "b"))), 2)


def table() -> Dataset:
    x = [0.0, 0.0, 0.0, 1.0, np.nan, -0.0]
    return Dataset(SCHEMA, [x, [0, 0, 0, 1, -1, 1], [1, 1, 0, 1, 0, 0]])


def test_only_what_is_exactly_alike_is_classified() -> None:
    model = RoteLearner().fit(table(), RunContext())
    asked = Dataset(SCHEMA, [[0.0, 1.0, np.nan, 0.0, 0.5], [0, 1, -1, 1, 0], [0] * 5])
    found = model.judged(asked, RunContext())
    assert found.decisions.tolist() == [1, 1, 0, 0, 0]
    assert np.allclose(found.probabilities[0], [1 / 3, 2 / 3])
    assert np.allclose(found.probabilities[4], [0.5, 0.5])
    assert found.undecided == 1
    assert model.remarks(found) == [wording.LIKE_NO_RECORD]
    assert model.remarks(model.judged(table(), RunContext())) == []
    assert model.facts()["different records"] == 4
    assert model.explain(asked, 4).steps[0].startswith(wording.NO_TRAINING_RECORD)
    assert sorted(model.kept.row_ids[list(model.explain(asked, 0).parts)].tolist()) == [0, 1, 2]  # type: ignore[attr-defined]


def test_a_value_that_was_always_the_same_is_looked_at_too() -> None:
    schema = Schema((numeric("x"), nominal("class", ("a", "b"))), 1)
    model = RoteLearner().fit(Dataset(schema, [[2.0, 2.0], [0, 0]]), RunContext())
    assert model.judged(Dataset(schema, [[2.0, 3.0], [0, 0]]), RunContext()).undecided == 1


def test_a_run_says_how_many_records_it_could_not_classify() -> None:
    schema = Schema((numeric("x"), nominal("class", ("a", "b"))), 1)
    data = Dataset(schema, [np.arange(40.0) // 2 * np.where(np.arange(40) < 30, 1, np.arange(40)), np.arange(40) % 2])
    result = evaluate(RoteLearner(), data, CrossValidation(folds=5), RunContext(seed=1))
    assert any(wording.NO_BASIS in warning for warning in result.warnings)
