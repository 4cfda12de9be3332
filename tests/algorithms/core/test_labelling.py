"""Records are labelled by an attribute that there is, or by one made for them."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.data.columns import STRING
from algorithms.data.dataset import Dataset
from algorithms.data.editing import labelled
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric

SOME = np.array([True, False, True, False])


def table() -> Dataset:
    schema = Schema((numeric("x"), nominal("c", ["a", "b"]), Attribute("note", AttributeKind.TEXT)), 1)
    return Dataset(schema, [[1.0, 2.0, 3.0, 4.0], [0, 1, 1, 0], np.array(["p", "q", "r", "s"], dtype=STRING)])


def test_a_new_label_is_nominal_and_left_out_of_learning() -> None:
    found = labelled(table(), " suspect ", SOME, "yes", "no")
    attribute = found.schema.attributes[-1]
    assert (attribute.name, attribute.kind, attribute.values) == ("suspect", AttributeKind.NOMINAL, ("yes", "no"))
    assert not attribute.used and 3 not in found.schema.predictors
    assert found.column("suspect").tolist() == [0, 1, 0, 1]
    assert found.schema.class_index == 1


def test_a_new_label_may_leave_the_others_without_a_value() -> None:
    assert labelled(table(), "seen", SOME, "yes").column("seen").tolist() == [0, -1, 0, -1]
    assert labelled(table(), "seen", SOME, "yes", "yes").column("seen").tolist() == [0, 0, 0, 0]


def test_an_attribute_that_there_is_keeps_the_other_records() -> None:
    data = table()
    assert labelled(data, "c", SOME, "b").column("c").tolist() == [1, 1, 1, 0]
    assert labelled(data, "x", SOME, "2.5", "ignored").column("x").tolist() == [2.5, 2, 2.5, 4]
    assert labelled(data, "note", SOME, "odd").column("note").tolist() == ["odd", "q", "odd", "s"]
    assert labelled(data, "c", SOME, "").column("c").tolist() == [-1, 1, -1, 0]
    assert data.column("c").tolist() == [0, 1, 1, 0]


def test_a_new_value_is_added_to_a_nominal_attribute() -> None:
    found = labelled(table(), "c", SOME, "unsure")
    assert found.schema.classes == ("a", "b", "unsure")
    assert found.column("c").tolist() == [2, 1, 2, 0]


@pytest.mark.parametrize(("name", "value"), [("", "yes"), ("x", "many"), ("new", "")])
def test_what_cannot_be_is_refused(name: str, value: str) -> None:
    with pytest.raises(DataError):
        labelled(table(), name, SOME, value)


def test_rows_chosen_from_a_larger_table_are_labelled() -> None:
    part = table().take([3, 1])
    found = labelled(part, "suspect", np.array([True, False]), "yes", "no")
    assert found.column("suspect").tolist() == [0, 1]
