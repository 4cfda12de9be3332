"""Keeping, renaming and reordering columns, and making them of other kinds."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import DataError, ModelFileError
from algorithms.core.filters import Filter
from algorithms.core.learner import State
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.data.summary import summarize
from algorithms.filters.arrange_attributes import (
    AttributeRenamed,
    AttributesMoved,
    ChangeKind,
    KeepAttributes,
    KindsChanged,
    MoveAttributes,
    RenameAttribute,
)
from tests.expected_texts import core as wording

NAN = float("nan")


def table() -> Dataset:
    attributes = (
        numeric("Zone"),
        nominal("code", ("10", "2", "3.5")),
        nominal("Class", ("a", "b")),
        Attribute("Name", AttributeKind.TEXT),
    )
    return Dataset(Schema(attributes, 2), [[1.0, 2.5, NAN], [0, 1, -1], [0, 1, 0], ["p", "7", "q"]])


def changed(filter: Filter, train: Dataset | None = None, other: Dataset | None = None) -> Dataset:
    train = train or table()
    return filter.fit(train, RunContext()).transform(other or train)


def test_the_chosen_columns_and_the_class_stay() -> None:
    found = changed(KeepAttributes(columns=("Name",)))
    assert found.schema.names == ("Class", "Name") and found.schema.class_attribute.name == "Class"
    assert changed(KeepAttributes()).schema == table().schema
    with pytest.raises(DataError, match="nothing"):
        changed(KeepAttributes(columns=("nothing",)))


def test_a_column_gets_another_name() -> None:
    found = changed(RenameAttribute(column="Zone", to=" Area "))
    assert found.schema.names == ("Area", "code", "Class", "Name")
    assert found.column("Area")[:2].tolist() == [1, 2.5]


@pytest.mark.parametrize(("column", "to"), [("Zone", "code"), ("Class", "x"), ("nothing", "x")])
def test_a_name_that_cannot_be_given_is_refused(column: str, to: str) -> None:
    filter = RenameAttribute(column=column, to=to)
    assert filter.check(summarize(table()))[0].column == column
    with pytest.raises(DataError):
        changed(filter)


@pytest.mark.parametrize(
    ("filter", "names"),
    [
        (MoveAttributes(columns=("Name", "code")), ("Name", "code", "Zone", "Class")),
        (MoveAttributes(columns=("Zone", "code"), to="last"), ("Class", "Name", "Zone", "code")),
        (MoveAttributes(to="name"), ("Class", "code", "Name", "Zone")),
        (MoveAttributes(columns=("Zone", "Name"), to="name"), ("Name", "code", "Class", "Zone")),
    ],
    ids=str,
)
def test_columns_are_reordered(filter: MoveAttributes, names: tuple[str, ...]) -> None:
    found = changed(filter)
    assert found.schema.names == names and found.schema.class_attribute.name == "Class"
    assert found.column("code").tolist() == [0, 1, -1]


def test_a_column_unknown_to_the_order_stays_behind() -> None:
    learned = MoveAttributes(columns=("Name",)).fit(table(), RunContext())
    other = table().with_new_column(numeric("new"), [0.0] * 3, 0).select_columns([0, 1, 4])
    assert learned.transform(other).schema.names == ("Name", "Zone", "new")


def test_numbers_become_the_values_that_training_saw() -> None:
    other = table().with_columns({0: (numeric("Zone"), np.array([2.5, 9.0, NAN]))})
    found = changed(ChangeKind(columns=("Zone",)), other=other)
    assert found.schema.attributes[0] == nominal("Zone", ("1", "2.5"))
    assert found.column(0).tolist() == [1, -1, -1]


def test_ranks_follow_the_size_of_the_numbers() -> None:
    found = changed(ChangeKind(columns=("code",), kind="ordinal"))
    assert found.schema.attributes[1] == nominal("code", ("2", "3.5", "10"), ordinal=True)
    assert found.column(1).tolist() == [2, 0, -1]


def test_values_become_numbers_and_a_new_one_that_is_none_is_missing() -> None:
    found = changed(ChangeKind(columns=("code",), kind="numeric"))
    np.testing.assert_array_equal(found.column(1), [10, 2, NAN])
    odd = table().with_columns({1: (nominal("code", ("4", "many")), np.array([0, 1, -1]))})
    found = changed(ChangeKind(columns=("code",), kind="numeric"), other=odd)
    np.testing.assert_array_equal(found.column(1), [4, NAN, NAN])


def test_text_becomes_values_and_back() -> None:
    found = changed(ChangeKind(columns=("Name",)))
    assert found.schema.attributes[3] == nominal("Name", ("7", "p", "q")) and found.column(3).tolist() == [1, 0, 2]
    assert changed(ChangeKind(columns=("Zone",), kind="text")).column(0).tolist()[:2] == ["1", "2.5"]


def test_what_has_no_meaning_in_the_new_kind_is_refused() -> None:
    with pytest.raises(DataError, match="numbers"):
        changed(ChangeKind(columns=("Name",), kind="numeric"))
    assert ChangeKind(columns=("Class",)).check(summarize(table()))[0].column == "Class"


def test_damaged_files_are_refused() -> None:
    for broken in (
        lambda: AttributeRenamed.from_state(State({"old": 1, "new": "x"}, {})),
        lambda: AttributesMoved.from_state(State({"names": ["a", "a"]}, {})),
        lambda: KindsChanged.from_state(State({"names": ["a"], "kinds": ["odd"], "values": [[]]}, {})),
        lambda: KindsChanged.from_state(State({"names": ["a"], "kinds": ["nominal"], "values": [["x", "x"]]}, {})),
    ):
        with pytest.raises(ModelFileError):
            broken()


def dated(*days: str | None) -> Dataset:
    attributes = (Attribute("came", AttributeKind.TEXT), nominal("y", "pq"))
    return Dataset(Schema(attributes, 1), [list(days), [0, 1] * (len(days) // 2)])


def test_text_becomes_dates_as_training_wrote_them() -> None:
    fitted = ChangeKind(kind="date", columns=("came",)).fit(dated("03.04.2024", "31.12.2023"), RunContext())
    fitted = KindsChanged.from_state(fitted.to_state())
    became = fitted.transform(dated("05.06.2024", "tomorrow", None, "2024-06-05"))
    assert became.schema.attributes[0].kind is AttributeKind.DATE
    np.testing.assert_array_equal(became.column(0), [1717545600.0, np.nan, np.nan, np.nan])
    iso = ChangeKind(kind="date", columns=("came",)).fit(dated("2024-01-31", "2024-01-31 18:30"), RunContext())
    assert iso.transform(dated("1970-01-02", "02.01.1970")).column(0)[0] == 86400


def test_dates_that_can_be_read_in_two_ways_are_refused() -> None:
    with pytest.raises(DataError, match=wording.DAY_OR_MONTH_FIRST):
        ChangeKind(kind="date", columns=("came",)).fit(dated("03/04/2024", "05/06/2024"), RunContext())


def test_a_kept_way_of_writing_dates_must_be_one_that_is_known() -> None:
    values = {"names": ["came"], "kinds": ["date"], "values": [[]], "patterns": ["%Q"]}
    with pytest.raises(ModelFileError):
        KindsChanged.from_state(State(values, {}))
