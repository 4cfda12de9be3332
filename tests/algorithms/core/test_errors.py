"""Errors that a person reads: one sentence, whatever a file has for names."""

from __future__ import annotations

from algorithms.core.errors import LONGEST, DataError
from tests.expected_texts import core as wording


def test_an_error_stays_short_enough_to_be_read_whatever_it_names() -> None:
    name = "x" * 70_000
    error = DataError(f"The column {name} is no number.", remedy=f"Rename {name}.", place=name)
    assert error.sentence.startswith(wording.LONG_COLUMN_STARTS) and error.sentence.endswith(wording.LONG_COLUMN_ENDS)
    assert max(map(len, (error.sentence, error.remedy, error.place))) <= LONGEST and len(str(error)) < 4 * LONGEST


def test_an_error_of_usual_length_stays_as_it_is() -> None:
    error = DataError("The column a is no number.", remedy="Rename it.", place="table.csv, line 3")
    assert str(error) == wording.ERROR_WITH_PLACE_AND_REMEDY
