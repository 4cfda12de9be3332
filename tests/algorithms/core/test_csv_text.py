"""CSV text that no spreadsheet runs as a formula."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.files import CsvWriter, neutralised, neutralised_csv


@pytest.mark.parametrize(
    "text",
    [
        "=cmd|' /C calc'!A0",
        "=1+1",
        "+cmd|x",
        "-2+3+cmd|x",
        "@SUM(A1)",
        "\t=1+1",
        "\r=1+1",
        "\n=1",
        "+41 79 x",
        "＝1",
        "--1",
    ],
)
def test_text_that_begins_like_a_formula_gets_an_apostrophe(text: str) -> None:
    assert neutralised(text) == f"'{text}"


@pytest.mark.parametrize(
    "text",
    ["", "a=b", "x@y.org", " =1", "-5", "+5", "-0.25", "-1e-07", "-5,30", "-1.234,50", "-1 234", "-2,8 %", "-inf", "-"],
)
def test_numbers_and_other_text_stay(text: str) -> None:
    assert neutralised(text) == text


CELLS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\x00"), max_size=8)


@given(st.lists(st.lists(CELLS, min_size=2, max_size=3), min_size=1, max_size=4))
def test_every_cell_of_a_csv_text_is_neutralised_and_nothing_else_changes(rows: list[list[str]]) -> None:
    text = io.StringIO()
    CsvWriter(text).writerows(rows)
    read = list(csv.reader(io.StringIO(neutralised_csv(text.getvalue()), newline="")))
    assert read == [[neutralised(cell) for cell in row] for row in rows]


@pytest.mark.parametrize("delimiter", [",", "\t", ";"])
@given(rows=st.lists(st.lists(CELLS, min_size=1, max_size=3), min_size=1, max_size=4))
def test_rows_read_back_as_they_were_written_carriage_returns_too(delimiter: str, rows: list[list[str]]) -> None:
    text = io.StringIO()
    CsvWriter(text, delimiter).writerows(rows)
    assert list(csv.reader(io.StringIO(text.getvalue(), newline=""), delimiter=delimiter)) == rows
