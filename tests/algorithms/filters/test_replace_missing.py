"""The ways of filling missing values, beside scikit-learn where the definition is the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.core.errors import Cancelled, DataError, ModelFileError
from algorithms.core.filters import FittedRecipe
from algorithms.core.learner import State
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema, nominal, numeric
from algorithms.evaluation.runner import train
from algorithms.export.model_view import TreeSubject
from algorithms.filters.replace_missing import MissingReplaced, ReplaceMissing
from algorithms.learners.trees.c45 import C45
from tests.expected_texts import core as core_wording
from tests.expected_texts import learners as wording

NAN = float("nan")


def of_numbers(x: Any, weights: Any = None) -> Dataset:
    """A table of the columns of x (n, d) and a class."""
    x = np.asarray(x, dtype=float)
    schema = Schema((*(numeric(f"x{i}") for i in range(x.shape[1])), nominal("y", "ab")), x.shape[1])
    return Dataset(schema, [*x.T.copy(), np.arange(len(x)) % 2], weights=weights)


def numbers(data: Dataset) -> np.ndarray:
    return np.column_stack([data.column(i) for i in range(len(data.schema) - 1)])


def filled(filter: ReplaceMissing, train: Dataset, other: Dataset | None = None) -> Dataset:
    return filter.fit(train, RunContext(seed=1)).transform(other or train)


def with_holes(n: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    x = random.normal(size=(n, 4)) * [1, 10, 0.1, 3] + [0, 5, 7, -2]
    x[random.random(x.shape) < 0.2] = NAN
    return x


@pytest.mark.parametrize("k", [1, 3, 200])
@pytest.mark.parametrize("same_scale", [False, True])
def test_nearest_records_are_those_of_scikit_learn(k: int, same_scale: bool) -> None:
    from sklearn import impute

    train, test = with_holes(80, 1), with_holes(30, 2)
    unit = np.nanstd(train, axis=0) if same_scale else np.ones(4)
    peer = impute.KNNImputer(n_neighbors=k).fit(train / unit)
    filter = ReplaceMissing(numeric="nearest", k=k, same_scale=same_scale)
    for other in (train, test):
        ours = numbers(filled(filter, of_numbers(train), of_numbers(other)))
        np.testing.assert_allclose(ours, peer.transform(other / unit) * unit, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("way", "strategy"), [("mean", "mean"), ("median", "median"), ("mode", "most_frequent")])
def test_single_values_are_those_of_scikit_learn(way: str, strategy: str) -> None:
    from sklearn import impute

    x = with_holes(90, 3).round(0)
    theirs = impute.SimpleImputer(strategy=strategy).fit_transform(x)
    np.testing.assert_allclose(numbers(filled(ReplaceMissing(numeric=way), of_numbers(x))), theirs, rtol=1e-9)


def test_a_given_number_is_put_in_even_where_nothing_is_known() -> None:
    found = filled(ReplaceMissing(numeric="constant", number=-1), of_numbers([[NAN, 2], [NAN, NAN]]))
    assert numbers(found).tolist() == [[-1, 2], [-1, -1]]


def test_infinities_have_no_say_in_the_mean() -> None:
    assert numbers(filled(ReplaceMissing(), of_numbers([[1], [3], [np.inf], [NAN]])))[3, 0] == 2


def test_what_is_to_be_left_stays_missing() -> None:
    found = filled(ReplaceMissing(numeric="leave"), of_numbers([[1], [NAN]]))
    assert np.isnan(numbers(found)[1, 0])


def lists(colours: Any, sizes: Any, x: Any = None) -> Dataset:
    attributes = (
        numeric("x"),
        nominal("Colour", ("red", "green")),
        nominal("Size", ("S", "M", "L"), ordinal=True),
        nominal("y", "ab"),
    )
    n = len(colours)
    x = np.zeros(n) if x is None else np.asarray(x, dtype=float)
    return Dataset(Schema(attributes, 3), [x, colours, sizes, np.arange(n) % 2])


def test_missing_becomes_a_value_of_its_own_whether_or_not_it_occurs_again() -> None:
    train, other = lists([0, 1, -1], [0, -1, 2]), lists([1], [1])
    filter = ReplaceMissing(nominal="value", label="unknown")
    found = filled(filter, train)
    assert found.schema.attributes[1].values == ("red", "green", "unknown")
    assert found.schema.attributes[2] == nominal("Size", ("S", "M", "L", "unknown"))
    assert found.column(1).tolist() == [0, 1, 2] and found.column(2).tolist() == [0, 3, 2]
    assert filled(filter, train, other).schema == found.schema


def test_a_value_that_is_there_already_can_be_given() -> None:
    found = filled(ReplaceMissing(nominal="value", label="green"), lists([0, -1], [0, 1]))
    assert found.schema.attributes[1].values == ("red", "green") and found.column(1).tolist() == [0, 1]


def test_values_of_lists_come_from_similar_records() -> None:
    train = lists([0, 0, 1, 1, 1, -1], [0, 0, 2, 2, 2, 0], [0, 0.1, 5, 5.1, 5.2, 0.05])
    found = filled(ReplaceMissing(nominal="nearest", k=2), train)
    assert found.column("Colour").tolist()[-1] == 0
    swapped = Dataset(
        Schema((numeric("x"), nominal("Colour", ("green", "red")), nominal("y", "ab")), 2), [[5.0], [-1], [0]]
    )
    assert filled(ReplaceMissing(nominal="nearest", k=2), train, swapped).column("Colour").tolist() == [0]


def test_a_column_says_where_something_was_missing() -> None:
    train = of_numbers([[1, 5], [NAN, 6], [3, 7]])
    found = filled(ReplaceMissing(indicator=True), train, of_numbers([[NAN, NAN], [0, 1]]))
    assert found.schema.names == ("x0", "x1", "y", wording.is_missing("x0"))
    assert (
        found.schema.attributes[3].values == ("known", "missing")
        and found.schema.attributes[3].kind is AttributeKind.NOMINAL
    )
    assert found.column(3).tolist() == [1, 0]


def test_only_so_many_training_records_are_compared_with() -> None:
    train = of_numbers(with_holes(300, 5))
    filter = ReplaceMissing(numeric="nearest", compared=50)
    learned = filter.fit(train, RunContext(seed=2))
    assert learned.donors is not None and len(learned.donors.table) == 50
    assert not np.any(np.isnan(numbers(learned.transform(train))))


def test_an_export_refuses_what_it_cannot_write() -> None:
    data = lists([0, 1] * 10, [0, 1, 2, -1, 1] * 4)
    for filter in (ReplaceMissing(nominal="value"), ReplaceMissing(nominal="nearest"), ReplaceMissing(indicator=True)):
        trained: TrainedClassifier = train(C45(), data, (filter,), RunContext(seed=1))
        with pytest.raises(DataError, match=core_wording.CANNOT_BE_WRITTEN):
            TreeSubject.of(trained)


def test_a_model_of_before_is_still_read() -> None:
    state = State({"names": ["x0"], "labels": [None]}, {"numbers": np.array([2.5])})
    assert numbers(MissingReplaced.from_state(state).transform(of_numbers([[NAN]]))).tolist() == [[2.5]]


def test_damaged_donors_are_refused() -> None:
    learned = ReplaceMissing(numeric="nearest").fit(of_numbers(with_holes(20, 1)), RunContext(seed=1))
    state = learned.to_state()
    for key, wrong in (("table", np.full((20, 4), np.inf)), ("units", np.zeros(4)), ("weights", np.ones(3))):
        with pytest.raises(ModelFileError):
            MissingReplaced.from_state(State(state.values, {**state.arrays, key: wrong}))


def test_filling_from_similar_records_can_be_stopped() -> None:
    random = np.random.default_rng(0)
    columns = [np.where(random.random(4000) < 0.3, np.nan, random.normal(size=4000)) for _ in range(3)]
    data = Dataset(Schema((*map(numeric, "xyz"), nominal("class", "ab")), 3), [*columns, np.arange(4000) % 2])
    learned = ReplaceMissing(numeric="nearest").fit(data, RunContext(seed=1))
    calls = []

    def stop() -> None:
        calls.append(1)
        if len(calls) > 2:
            raise Cancelled

    with pytest.raises(Cancelled):
        FittedRecipe((learned,)).transform(data, stop)
