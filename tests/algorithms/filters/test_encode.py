"""Turning values into numbers, beside scikit-learn where the definition is the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from algorithms.core.errors import DataError, ModelFileError
from algorithms.core.filters import fit_recipe
from algorithms.core.learner import State
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.data.synthetic_ids import ids_between
from algorithms.filters.nominal_values import MOST_COLUMNS, Encode, Encoded
from tests.expected_texts import learners as wording


def table(values: Any, classes: Any, *, n_values: int = 4, n_classes: int = 2, weights: Any = None) -> Dataset:
    attributes = (
        numeric("x"),
        nominal("town", [f"t{i}" for i in range(n_values)]),
        nominal("y", [f"c{i}" for i in range(n_classes)]),
    )
    values = np.asarray(values)
    return Dataset(Schema(attributes, 2), [np.zeros(len(values)), values, np.asarray(classes)], weights=weights)


def drawn(n: int = 200, n_classes: int = 2, seed: int = 1) -> Dataset:
    random = np.random.default_rng(seed)
    values = random.integers(0, 4, n)
    classes = np.where(random.random(n) < 0.6, values % n_classes, random.integers(0, n_classes, n))
    return table(values, classes, n_classes=n_classes)


def numbers(data: Dataset) -> np.ndarray:
    at = [i for i, name in enumerate(data.schema.names) if name.startswith("town")]
    return np.column_stack([data.column(i) for i in at])


def encoded(filter: Encode, train: Dataset, other: Dataset | None = None) -> Dataset:
    return filter.fit(train, RunContext(seed=1)).transform(other or train)


def test_one_column_a_value_is_that_of_scikit_learn() -> None:
    from sklearn import preprocessing

    data = drawn()
    theirs = preprocessing.OneHotEncoder(sparse_output=False).fit_transform(data.column(1)[:, None])
    found = encoded(Encode(), data)
    np.testing.assert_array_equal(numbers(found), theirs)
    assert found.schema.names == (
        "x",
        wording.equals("town", "t0"),
        wording.equals("town", "t1"),
        wording.equals("town", "t2"),
        wording.equals("town", "t3"),
        "y",
    )
    assert found.schema.class_attribute.name == "y" and found.class_codes.tolist() == data.class_codes.tolist()


def test_two_values_become_one_column_and_missing_stays_missing() -> None:
    found = encoded(Encode(), table([0, 1, -1], [0, 1, 0], n_values=2))
    assert found.schema.names == ("x", wording.equals("town", "t1"), "y")
    np.testing.assert_array_equal(numbers(found)[:, 0], [0, 1, np.nan])


def test_ranks_and_bits() -> None:
    data = table([0, 1, 4, 3], [0, 1, 0, 1], n_values=5)
    assert numbers(encoded(Encode(by="ordinal"), data))[:, 0].tolist() == [0, 1, 4, 3]
    assert numbers(encoded(Encode(by="binary"), data)).tolist() == [[0, 0, 0], [0, 0, 1], [1, 0, 0], [0, 1, 1]]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("records", [0.0, 7.5])
def test_shares_of_the_class_are_those_of_scikit_learn(n_classes: int, records: float) -> None:
    from sklearn import preprocessing

    data = drawn(n_classes=n_classes)
    theirs = preprocessing.TargetEncoder(smooth=records).fit(data.column(1)[:, None], data.class_codes.astype(int))
    ours = encoded(Encode(by="target", smoothing="m-estimate", records=records), data)
    np.testing.assert_allclose(numbers(ours), theirs.transform(data.column(1)[:, None]), rtol=1e-9)


def test_shares_are_held_to_the_average_as_micci_barreca_does() -> None:
    data = table([0, 0, 0, 1, 1, 2], [1, 1, 0, 0, 0, 1])
    found = numbers(encoded(Encode(by="target", midpoint=2, steepness=1), data, table([0, 1, 2, 3, -1], [0] * 5)))
    trust = [1 / (1 + np.exp(-(n - 2))) for n in (3, 2, 1)]
    wanted = [w * share + (1 - w) * 0.5 for w, share in zip(trust, (2 / 3, 0, 1), strict=True)]
    np.testing.assert_allclose(found[:, 0], [*wanted, 0.5, 0.5], rtol=1e-12)


def test_missing_counts_as_a_value() -> None:
    data = table([-1] * 30 + [0] * 30, [1] * 30 + [0] * 30)
    found = numbers(encoded(Encode(by="target", smoothing="m-estimate", records=0), data))
    assert found[0, 0] == 1 and found[-1, 0] == 0


def test_no_training_record_sees_its_own_class() -> None:
    data = drawn(60)
    recipe = (Encode(by="target", midpoint=1),)
    _, before = fit_recipe(recipe, data, RunContext(seed=3))
    for row in range(0, 60, 7):
        turned = data.class_codes.copy()
        turned[row] = 1 - turned[row]
        _, after = fit_recipe(recipe, table(data.column(1), turned), RunContext(seed=3))
        assert numbers(after)[row].tolist() == numbers(before)[row].tolist()
        assert numbers(after).tolist() != numbers(before).tolist()


def test_on_noise_the_training_shares_tell_no_more_than_chance() -> None:
    random = np.random.default_rng(8)
    data = table(random.integers(0, 300, 900), random.integers(0, 2, 900), n_values=300)
    filter = Encode(by="target", smoothing="m-estimate", records=0)
    _, honest = fit_recipe((filter,), data, RunContext(seed=3))
    greedy = encoded(filter, data)
    right = [np.mean((numbers(found)[:, 0] > 0.5) == data.class_codes) for found in (honest, greedy)]
    assert right[0] < 0.56 < 0.7 < right[1]


def test_no_training_record_sees_its_class_through_what_was_made_up_from_it() -> None:
    data = drawn(60)
    ids = np.concatenate([data.row_ids, ids_between(data.row_ids, data.row_ids)])
    values = np.tile(data.column(1), 2)

    def after(classes: Any) -> np.ndarray:
        both = table(values, classes)
        both = Dataset(both.schema, [both.column(at) for at in range(3)], row_ids=ids)
        return numbers(fit_recipe((Encode(by="target", midpoint=1),), both, RunContext(seed=3))[1])

    classes = np.tile(data.class_codes, 2)
    before = after(classes)
    for row in range(0, 60, 7):
        turned = classes.copy()
        turned[[row, row + 60]] = 1 - turned[row]
        assert after(turned)[row].tolist() == before[row].tolist()
        assert after(turned).tolist() != before.tolist()


def test_frequencies_are_the_shares_that_pandas_counts() -> None:
    import pandas as pd

    train, other = [0, 0, 1, 1, 1, 3, -1, -1], [0, 1, 2, 3, -1]
    data = encoded(Encode(by="frequency"), table(train, [0, 1] * 4), table(other, [0, 1, 0, 1, 0]))
    column = pd.Series(train).replace(-1, np.nan)
    expected = pd.Series(other).replace(-1, np.nan).map({2: 0.0, **column.value_counts(normalize=True).to_dict()})
    np.testing.assert_allclose(numbers(data)[:, 0], expected.to_numpy(), rtol=1e-15)
    assert data.schema.names[1] == "town: frequency"
    weighted = encoded(Encode(by="frequency"), table([0, 1], [0, 1], weights=[3, 1]))
    assert numbers(weighted)[:, 0].tolist() == [0.75, 0.25]


def test_other_records_get_what_all_training_records_say() -> None:
    data, other = drawn(), drawn(20, seed=9)
    fitted, _ = fit_recipe((Encode(by="target"),), data, RunContext(seed=3))
    assert numbers(fitted.transform(other)).tolist() == numbers(encoded(Encode(by="target"), data, other)).tolist()


def test_weights_are_repetition() -> None:
    data, weights = drawn(50), np.random.default_rng(1).integers(0, 4, 50)
    repeated = data.take(np.repeat(np.arange(50), weights))
    filter = Encode(by="target")
    weighted = encoded(filter, data.with_weights(weights.astype(float)), data)
    np.testing.assert_allclose(numbers(weighted), numbers(encoded(filter, repeated, data)), atol=1e-12)


def test_values_are_found_by_label_and_a_name_that_is_taken_gets_a_number() -> None:
    learned = Encode().fit(table([0, 1, 2, 3], [0, 1, 0, 1]), RunContext())
    other = Dataset(Schema((nominal("town", ("t3", "new")), numeric("town = t3"))), [[0, 1, -1], [5.0, 5.0, 5.0]])
    found = learned.transform(other)
    assert found.schema.names == (
        wording.equals("town", "t0"),
        wording.equals("town", "t1"),
        wording.equals("town", "t2"),
        wording.equals("town", "t3 2"),
        wording.equals("town", "t3"),
    )
    assert (
        found.column(wording.equals("town", "t3 2")).tolist()[0] == 1
        and np.isnan(found.column(wording.equals("town", "t3 2"))[1:]).all()
    )


def test_what_cannot_be_encoded_is_said() -> None:
    data = table([0, 1], [0, 1])
    assert Encode(columns=("x",)).check(summarize(data))[0].column == "x"
    assert Encode(by="target").check(summarize(data.with_class(None)))
    with pytest.raises(DataError, match="No class"):
        Encode(by="target").fit(data.with_class(None), RunContext())
    long = table([0, 1], [0, 1], n_values=MOST_COLUMNS + 1)
    assert "too many" in Encode().check(summarize(long))[0].sentence
    with pytest.raises(DataError, match="too many"):
        Encode().fit(long, RunContext())


def test_a_column_left_out_of_learning_stays_left_out() -> None:
    attributes = (Attribute("town", nominal("a", "b").kind, ("p", "q"), used=False), nominal("y", "ab"))
    data = Dataset(Schema(attributes, 1), [[0, 1], [0, 1]])
    assert encoded(Encode(), data) is not None and encoded(Encode(), data).schema == data.schema
    assert not encoded(Encode(columns=("town",)), data).schema.attributes[0].used


@pytest.mark.parametrize(
    "state",
    [
        State({}, {}),
        State({"names": ["x"], "values": [["a"]], "columns": [["c"]]}, {"numbers": np.zeros(3)}),
        State({"names": ["x"], "values": [["a"]], "columns": [[]]}, {"numbers": np.zeros(0)}),
        State({"names": ["x"], "values": [["a"]], "columns": [["c", "c"]]}, {"numbers": np.zeros(4)}),
        State({"names": ["x"], "values": [["a"]], "columns": [["c"]]}, {"numbers": np.array([np.inf, 0])}),
    ],
)
def test_damaged_file_is_refused(state: State) -> None:
    with pytest.raises(ModelFileError):
        Encoded.from_state(state)
