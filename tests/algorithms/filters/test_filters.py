"""Removing columns and filling missing values."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import DataError, ModelFileError
from algorithms.core.learner import State
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.filters.arrange_attributes import AttributesRemoved, RemoveAttributes
from algorithms.filters.replace_missing import MissingReplaced, ReplaceMissing

NAN = float("nan")


def table() -> Dataset:
    attributes = (
        numeric("Age"),
        nominal("Colour", ("red", "green", "blue")),
        nominal("Size", ("S", "M", "L"), ordinal=True),
        Attribute("Name", AttributeKind.IDENTIFIER),
        nominal("Class", ("a", "b")),
    )
    columns = [[1.0, 2.0, NAN, 9.0], [1, 1, -1, 0], [2, -1, -1, 2], ["p", "q", "r", "s"], [0, 1, -1, 1]]
    return Dataset(Schema(attributes, 4), columns, row_ids=[5, 6, 7, 8])


def context() -> RunContext:
    return RunContext(seed=1)


# ---- removing columns ------------------------------------------------------------------------------------------------


def test_chosen_columns_are_gone() -> None:
    data = table()
    changed = RemoveAttributes(columns=("Colour", "Name")).fit(data, context()).transform(data)
    assert changed.schema.names == ("Age", "Size", "Class")
    assert changed.schema.class_attribute.name == "Class"
    assert changed.row_ids.tolist() == [5, 6, 7, 8]
    assert not RemoveAttributes.looks_at_records


def test_column_to_predict_is_not_removed() -> None:
    data = table()
    problems = RemoveAttributes(columns=("Class",)).check(summarize(data))
    assert [problem.column for problem in problems] == ["Class"]
    with pytest.raises(DataError, match="Class"):
        RemoveAttributes(columns=("Class",)).fit(data, context())


def test_unknown_column_is_named() -> None:
    filter = RemoveAttributes(columns=("Weight",))
    assert filter.check(summarize(table()))[0].column == "Weight"
    with pytest.raises(DataError, match="Weight"):
        filter.fit(table(), context())


def test_data_that_lacks_the_column_already_is_no_matter() -> None:
    learned = RemoveAttributes(columns=("Colour",)).fit(table(), context())
    data = table().select_columns([0, 2])
    assert learned.transform(data).schema.names == ("Age", "Size")


# ---- filling missing values ------------------------------------------------------------------------------------------


def test_numbers_get_the_mean_and_values_the_most_frequent() -> None:
    data = table()
    changed = ReplaceMissing().fit(data, context()).transform(data)
    assert changed.column("Age").tolist() == [1, 2, 4, 9]
    assert changed.column("Colour").tolist() == [1, 1, 1, 0]
    assert changed.column("Size").tolist() == [2, 2, 2, 2]
    assert changed.class_codes.tolist() == [0, 1, -1, 1]
    assert changed.row_ids.tolist() == [5, 6, 7, 8]


def test_median_is_not_moved_by_one_extreme_number() -> None:
    data = table()
    learned = ReplaceMissing(numeric="median").fit(data, context())
    assert learned.transform(data).column("Age").tolist() == [1, 2, 2, 9]
    assert learned.fills["Age"] == 2.0


@pytest.mark.parametrize(
    ("values", "weights", "median"),
    [([1, 2, 3, 4], None, 2.5), ([1, 2, 3, 4], [1, 1, 1, 5], 4.0), ([4, 1, 2], [1, 0, 1], 3.0), ([1, 2], [3, 1], 1.0)],
)
def test_median_weighs_records(values: list[float], weights: list[float] | None, median: float) -> None:
    data = Dataset(Schema((numeric("x"),)), [values], weights=weights)
    assert ReplaceMissing(numeric="median").fit(data, context()).fills == {"x": median}


def test_weighted_mean_is_that_of_the_repeated_records() -> None:
    data = Dataset(Schema((numeric("x"),)), [[1.0, 4.0, NAN]], weights=[2.0, 1.0, 9.0])
    assert ReplaceMissing().fit(data, context()).fills == {"x": 2.0}


def test_only_the_chosen_columns_are_filled() -> None:
    data = table()
    changed = ReplaceMissing(columns=("Colour",)).fit(data, context()).transform(data)
    assert np.isnan(changed.column("Age")[2])
    assert changed.column("Colour").tolist() == [1, 1, 1, 0]


def test_fill_comes_from_training_not_from_the_data_filled() -> None:
    data = table()
    learned = ReplaceMissing().fit(data.take([0, 1]), context())
    assert learned.transform(data.take([2, 3])).column("Age").tolist() == [1.5, 9]


def test_fill_is_found_by_label_where_the_codes_differ() -> None:
    learned = ReplaceMissing(columns=("Colour",)).fit(table(), context())
    other = Dataset(Schema((nominal("Colour", ("blue", "green")),)), [[0, -1]])
    assert learned.transform(other).column("Colour").tolist() == [0, 1]


def test_column_without_any_value_stays_as_it_is() -> None:
    data = Dataset(Schema((numeric("x"), nominal("y", ("a",)))), [[NAN, NAN], [-1, -1]])
    changed = ReplaceMissing().fit(data, context()).transform(data)
    assert np.all(np.isnan(changed.column("x")))
    assert changed.column("y").tolist() == [-1, -1]


def test_mean_of_very_large_numbers_does_not_overflow() -> None:
    data = Dataset(Schema((numeric("x"),)), [[1.5e308, 1.5e308, NAN]])
    assert ReplaceMissing().fit(data, context()).fills == {"x": 1.5e308}


def test_what_cannot_be_filled_is_named() -> None:
    summary = summarize(table())
    for name in ("Weight", "Name", "Class"):
        assert ReplaceMissing(columns=(name,)).check(summary)[0].column == name


@pytest.mark.parametrize(
    "state",
    [
        State({}, {}),
        State({"names": ["x"], "labels": [None]}, {"numbers": np.zeros(2)}),
        State({"names": [3], "labels": [None]}, {"numbers": np.zeros(1)}),
        State({"names": ["x"], "labels": [1]}, {"numbers": np.zeros(1)}),
        State({"names": ["x"], "labels": [None]}, {"numbers": np.zeros(1, dtype=np.int64)}),
    ],
)
def test_damaged_file_is_refused(state: State) -> None:
    with pytest.raises(ModelFileError):
        MissingReplaced.from_state(state)
    with pytest.raises(ModelFileError):
        AttributesRemoved.from_state(State({"names": "Age"}, {}))


@pytest.mark.parametrize("numeric_fill", ["mean", "median"])
def test_infinite_numbers_have_no_part_in_what_is_filled_in(numeric_fill: str) -> None:
    schema = Schema((numeric("x"), numeric("y"), nominal("class", "ab")), 2)
    x = [np.inf, -np.inf, 1.0, 3.0, NAN]
    data = Dataset(schema, [x, [np.inf, NAN, np.inf, NAN, -np.inf], [0, 1, 0, 1, 0]])
    learned = ReplaceMissing(numeric=numeric_fill).fit(data, context())
    assert learned.fills == {"x": 2.0}
    assert learned.transform(data).column("x").tolist() == [np.inf, -np.inf, 1.0, 3.0, 2.0]


def test_the_middle_of_very_large_numbers_is_between_them() -> None:
    data = Dataset(Schema((numeric("x"),), None), [[-1.5e308, 1.7e308, NAN]])
    assert ReplaceMissing(numeric="median").fit(data, context()).fills == {"x": pytest.approx(1e307)}
