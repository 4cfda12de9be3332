"""Dates are read in one way by files, typed cells and columns that change their kind."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.core.errors import DataError
from algorithms.data.columns import STRING
from algorithms.data.convert_kind import recast
from algorithms.data.dataset import Dataset
from algorithms.data.dates import (
    ISO,
    KNOWN_FORMATS,
    check_format,
    date_format,
    fitting_formats,
    format_in_order,
    has_short_year,
    parse_dates,
)
from algorithms.data.editing import read_cell
from algorithms.data.schema import Attribute, AttributeKind, Schema
from tests.algorithms.io.helpers import kinds, refused, table
from tests.expected_texts import core as wording

WRITTEN = (
    "2024-01-31",
    "2024-01-31 18:30",
    "2024-01-31T18:30:15.25",
    "2024-01-31T18:30:15Z",
    "2024-01-31 18:30:15+02:00",
    "2024/1/31",
    "2024/01/31 18:30",
    "2024/01/31 18:30:15",
    "31.1.2024",
    "31.01.2024 18:30",
    "31.01.2024 18:30:15",
    "31/01/2024",
    "01/31/2024 18:30",
    "31/01/2024 18:30:15",
    "01-31-2024",
    "31-Jan-2024",
    "31 Jan 2024",
    "31 january 2024",
    "Jan 31, 2024",
)


def of_text(texts: list[str]) -> Dataset:
    return Dataset(Schema((Attribute("when", AttributeKind.TEXT),)), [np.array(texts, dtype=STRING)])


@pytest.mark.parametrize("written", WRITTEN)
def test_a_file_a_typed_cell_and_a_change_of_kind_read_the_same_date(tmp_path: Path, written: str) -> None:
    other = written.replace("31", "30")
    data = table(tmp_path, f"when;x\n{written};1\n{other};2\n")
    assert kinds(data)["when"] is AttributeKind.DATE
    changed = recast(of_text([written, other]), 0, AttributeKind.DATE)
    assert changed.column(0).tolist() == data.column(0).tolist()
    typed = read_cell(Attribute("when", AttributeKind.DATE), written)
    assert typed == data.column(0)[0]
    day = datetime(2024, 1, 31, tzinfo=UTC).timestamp()
    assert day <= typed < day + 86400


LONG_YEARS = sorted(format for format in KNOWN_FORMATS - {ISO} if not has_short_year(format))


def test_years_of_two_digits_are_of_this_century_until_68() -> None:
    assert fitting_formats(["31.12.68", "01.01.69"]) == ("%d.%m.%y",)
    years = [datetime.fromtimestamp(t, UTC).year for t in parse_dates(["31.12.68", "01.01.69"], "%d.%m.%y")]
    assert years == [2068, 1969]
    assert fitting_formats(["03/04/24"]) == ("%d/%m/%y", "%m/%d/%y")
    assert format_in_order(fitting_formats(["03/04/24"]), "mdy") == "%m/%d/%y"


@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)), st.sampled_from(LONG_YEARS))
def test_a_date_written_in_a_format_is_read_back(moment: datetime, format: str) -> None:
    moment = moment.replace(microsecond=0)
    written = moment.strftime(format.replace("%Y", f"{moment.year:04d}"))
    with_seconds = "%S" in format
    kept = moment if with_seconds else moment.replace(second=0)
    kept = kept if "%H" in format else kept.replace(hour=0, minute=0, second=0)
    assert parse_dates([written], format).tolist() == [kept.replace(tzinfo=UTC).timestamp()]


@given(st.text(max_size=20), st.sampled_from(sorted(KNOWN_FORMATS)))
def test_any_text_is_a_date_or_missing(text: str, format: str) -> None:
    assert parse_dates([text], format).shape == (1,)
    assert len(fitting_formats([text])) <= 2


@pytest.mark.parametrize("written", ["04/05/2024", "04-05-2024", "04/05/2024 10:00"])
def test_a_date_that_can_be_two_days_is_none(written: str) -> None:
    assert date_format([written]) is None
    assert len(fitting_formats([written])) == 2
    with pytest.raises(DataError, match=wording.DAY_OR_MONTH_FIRST):
        recast(of_text([written]), 0, AttributeKind.DATE)
    assert date_format([written, written.replace("04", "25", 1)]) is not None


def test_one_column_may_hold_days_and_moments(tmp_path: Path) -> None:
    data = table(tmp_path, "when;x\n2024-01-31;1\n2024-01-31 12:00;2\n")
    assert data.column(0).tolist() == [1706659200.0, 1706702400.0]


def test_names_of_months_are_english_whatever_the_system_speaks() -> None:
    no_months = ["3 Mai 2024", "3 Octopus 2024"]
    assert parse_dates(["3 May 2024", *no_months], "%d %b %Y")[0] == 1714694400.0
    assert np.isnan(parse_dates(no_months, "%d %b %Y")).all()


@pytest.mark.parametrize("pattern", ["yyyy yyyy", "Z z", "yyyy-MM-dd MM"])
def test_a_pattern_that_names_a_part_twice_is_refused_in_its_line(tmp_path: Path, pattern: str) -> None:
    header = f"@relation r\n@attribute x numeric\n@attribute d date '{pattern}'\n@data\n1,2000\n"
    error = refused(tmp_path, header, name="table.arff")
    assert error.place == wording.at_line("table.arff", 3)
    assert repr(pattern) in error.sentence
    with pytest.raises(DataError):
        check_format("%Y %Y")


def test_a_pattern_that_no_date_needs_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=wording.MORE_THAN_200_CHARACTERS):
        check_format("%Y" + "%%" * 500_000)
    header = "@relation r\n@attribute d date 'yyyy" + "%" * 1_000_000 + "'\n@data\n2024\n"
    assert wording.CANNOT_BE_READ_BY_PATTERN in refused(tmp_path, header, name="r.arff").sentence


@given(
    st.lists(st.one_of(st.sampled_from(WRITTEN), st.text("0123456789 /-.:,Jan", max_size=20)), max_size=4),
    st.sampled_from(sorted(KNOWN_FORMATS)),
)
def test_few_texts_are_the_dates_that_they_are_among_many(texts: list[str], format: str) -> None:
    many = parse_dates([*texts, *[""] * 40], format)[: len(texts)]
    np.testing.assert_array_equal(parse_dates(texts, format), many)


@pytest.mark.parametrize("written", ["2016-12-31 23:59:60", "31.12.2016 23:59:60", "01/01/0000"])
def test_a_leap_second_and_the_year_nought_are_dates_in_a_single_text_too(written: str) -> None:
    format = {"-": ISO, ".": "%d.%m.%Y %H:%M:%S", "/": "%d/%m/%Y"}[re.sub(r"[\d :]", "", written)[0]]
    np.testing.assert_array_equal(parse_dates([written], format), parse_dates([written] * 40, format)[:1])
