"""What a person types into cells, and what becomes of the values of a nominal attribute."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.data.columns import STRING
from algorithms.data.convert_kind import cell_texts
from algorithms.data.dataset import Dataset
from algorithms.data.editing import UnknownValueError, cleared, read_cell, relabelled, with_texts
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from tests.expected_texts import core as wording

DATE = Attribute("day", AttributeKind.DATE)
COLOUR = nominal("colour", ("red", "green", "Blue"))


def table() -> Dataset:
    schema = Schema((numeric("x"), COLOUR, Attribute("name", AttributeKind.TEXT), DATE))
    names = np.array(["a", "b", "c", "d"], dtype=STRING)
    return Dataset(schema, [[1, 2, 3, 4], [0, 1, 2, 0], names, [0, 86400, 2 * 86400, np.nan]])


def column(data: Dataset, index: int) -> list[str | None]:
    return cell_texts(data.schema.attributes[index], data.column(index))


@pytest.mark.parametrize(
    ("text", "number"), [("3", 3.0), (" 2.5 ", 2.5), ("1e3", 1000.0), ("1,5", 1.5), ("-0,25", -0.25), ("−4", -4.0)]
)
def test_numbers_are_read_as_people_type_them(text: str, number: float) -> None:
    assert read_cell(numeric("x"), text) == number


@pytest.mark.parametrize("text", ["three", "1_000", "inf", "nan", "1.2.3", "?"])
def test_what_is_no_number_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(DataError, match=wording.IS_NOT_A_NUMBER) as refused:
        read_cell(numeric("x"), text)
    assert wording.CLEAR_THE_CELL in refused.value.remedy


def test_a_number_that_can_be_read_in_two_ways_is_refused_with_both() -> None:
    with pytest.raises(DataError) as refused:
        read_cell(numeric("x"), "1,234")
    assert refused.value.remedy == wording.TYPE_ONE_OR_OTHER


def test_empty_text_is_missing_in_every_kind() -> None:
    assert np.isnan(read_cell(numeric("x"), " "))
    assert read_cell(COLOUR, "") == -1
    assert np.isnan(read_cell(DATE, ""))
    assert np.isnan(read_cell(Attribute("t", AttributeKind.TEXT), ""))


def test_labels_are_found_without_regard_to_case_where_that_leaves_one() -> None:
    assert read_cell(COLOUR, "GREEN") == 1
    assert read_cell(nominal("x", ("a", "A")), "A") == 1
    with pytest.raises(UnknownValueError) as unknown:
        read_cell(COLOUR, " mauve ")
    assert unknown.value.value == "mauve"


def test_dates_are_read_where_they_leave_no_doubt() -> None:
    assert read_cell(DATE, "1970-01-02") == 86400
    assert read_cell(DATE, "31.12.1970") == 364 * 86400
    assert read_cell(DATE, "1970-01-01 01:00") == 3600
    with pytest.raises(DataError, match=wording.DAY_OR_MONTH_FIRST):
        read_cell(DATE, "04/05/2024")
    with pytest.raises(DataError, match=wording.IS_NOT_A_DATE):
        read_cell(DATE, "soon")


def test_typed_cells_change_and_others_stay() -> None:
    data = table()
    edited = with_texts(data, 0, np.array([1, 3]), ["7", ""])
    assert column(edited, 0) == ["1", "7", "3", None] and column(data, 0) == ["1", "2", "3", "4"]


def test_a_new_label_needs_leave_and_comes_last() -> None:
    data = table()
    with pytest.raises(UnknownValueError):
        with_texts(data, 1, np.array([0]), ["mauve"])
    edited = with_texts(data, 1, np.array([0, 2]), ["mauve", "red"], add_values=True)
    assert edited.schema.attributes[1].values == ("red", "green", "Blue", "mauve")
    assert column(edited, 1) == ["mauve", "green", "red", "red"]


def test_the_129th_label_widens_the_codes() -> None:
    data = Dataset(Schema((nominal("c", [f"v{i}" for i in range(128)]),)), [np.arange(128)])
    edited = with_texts(data, 0, np.array([5]), ["v128"], add_values=True)
    assert column(edited, 0)[5] == "v128" and column(edited, 0)[127] == "v127"


def test_cleared_cells_are_missing() -> None:
    edited = cleared(table(), {0: np.array([0]), 2: np.array([1, 2])})
    assert column(edited, 0) == [None, "2", "3", "4"] and column(edited, 2) == ["a", None, None, "d"]


def test_a_renamed_value_costs_no_column() -> None:
    data = table()
    edited = relabelled(data, 1, {"green": "lime"})
    assert column(edited, 1) == ["red", "lime", "Blue", "red"]
    assert edited.same_column(1, data, 1)


def test_values_that_share_a_name_become_one_at_the_first_place() -> None:
    edited = relabelled(table(), 1, {"Blue": "warm", "red": "warm"})
    assert edited.schema.attributes[1].values == ("warm", "green")
    assert column(edited, 1) == ["warm", "green", "warm", "warm"]


def test_a_value_without_a_name_is_refused() -> None:
    with pytest.raises(DataError, match=wording.NEEDS_A_NAME):
        relabelled(table(), 1, {"red": " "})
    with pytest.raises(DataError, match=wording.HAS_NO_VALUE):
        relabelled(table(), 1, {"mauve": "x"})


def test_a_label_with_a_space_around_it_is_told_from_the_one_without() -> None:
    attribute = nominal("size", ("M", " M", "L "))
    assert [read_cell(attribute, text) for text in ("M", " M", "  M ", "L", "L ")] == [0, 1, 0, 2, 2]
