"""Cells found by what is written in them, and replaced."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.core.errors import DataError
from algorithms.data.columns import STRING
from algorithms.data.conditions import CellMatches, CellSearch, find_cells, replaced
from algorithms.data.convert_kind import cell_texts
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from tests.expected_texts import core as wording

DAY = Attribute("day", AttributeKind.DATE)


def table() -> Dataset:
    schema = Schema(
        (
            numeric("x"),
            nominal("city", ("Bern", "Rome", "N.Y.")),
            Attribute("note", AttributeKind.TEXT),
            Attribute("day", AttributeKind.DATE),
        )
    )
    notes = np.array(["a rome", np.nan, "BERN bern", "12"], dtype=STRING)
    return Dataset(schema, [[12, 1.5, np.nan, 112], [0, 1, -1, 2], notes, [0.0, np.nan, 86400.0, 0.0]])


def cells(search: CellSearch) -> list[tuple[int, int]]:
    found = find_cells(table(), search)
    return list(zip(found.rows.tolist(), found.columns.tolist(), strict=True))


def texts(data: Dataset, index: int) -> list[str | None]:
    return cell_texts(data.schema.attributes[index], data.column(index))


@pytest.mark.parametrize(
    ("search", "where"),
    [
        (CellSearch("12"), [(0, 0), (3, 0), (3, 2)]),
        (CellSearch("12", whole=True), [(0, 0), (3, 2)]),
        (CellSearch("12", columns=("note",)), [(3, 2)]),
        (CellSearch("bern"), [(0, 1), (2, 2)]),
        (CellSearch("bern", match_case=True), [(2, 2)]),
        (CellSearch("BERN BERN", whole=True), [(2, 2)]),
        (CellSearch("."), [(1, 0), (3, 1)]),
        (CellSearch("01-02"), [(2, 3)]),
        (CellSearch("zz"), []),
        (CellSearch(""), []),
    ],
)
def test_cells_are_found_from_left_to_right_and_downwards(search: CellSearch, where: list[tuple[int, int]]) -> None:
    assert cells(search) == where


def test_parts_of_texts_and_labels_are_replaced_and_new_labels_added() -> None:
    data, search = table(), CellSearch("bern")
    after = replaced(data, find_cells(data, search), search, "Thun")
    assert texts(after, 1) == ["Thun", "Rome", None, "N.Y."]
    assert after.schema.attributes[1].values == ("Bern", "Rome", "N.Y.", "Thun")
    assert texts(after, 2) == ["a rome", None, "Thun Thun", "12"]
    assert texts(data, 1)[0] == "Bern"


def test_what_is_sought_is_no_pattern_and_what_is_put_there_neither() -> None:
    data, search = table(), CellSearch(".", columns=("city",))
    assert texts(replaced(data, find_cells(data, search), search, r"\1"), 1)[3] == r"N\1Y\1"


def test_numbers_are_replaced_by_numbers_and_whole_cells_by_nothing() -> None:
    data, search = table(), CellSearch("12", columns=("x",))
    assert texts(replaced(data, find_cells(data, search), search, "3"), 0) == ["3", "1.5", None, "13"]
    whole = CellSearch("12", columns=("x",), whole=True)
    assert texts(replaced(data, find_cells(data, whole), whole, ""), 0) == [None, "1.5", None, "112"]


def test_what_a_column_cannot_hold_replaces_nothing_and_names_the_column() -> None:
    data, search = table(), CellSearch("12")
    with pytest.raises(DataError, match=wording.IN_X_NOT_A_NUMBER) as refused:
        replaced(data, CellMatches(np.array([3]), np.array([0])), search, "x")
    assert refused.value.remedy == wording.NOTHING_REPLACED


def test_a_search_over_many_blocks_finds_the_last_cell() -> None:
    data = Dataset(Schema((numeric("x"),)), [np.arange(10_000) % 7])
    assert find_cells(data, CellSearch("6", whole=True)).rows[-1] == 9995
