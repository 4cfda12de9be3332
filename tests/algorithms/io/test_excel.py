"""Workbooks: sheets, kinds, what stands around a table, and files that are none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import xlsxwriter

from algorithms.core.errors import Cancelled, DataError
from algorithms.core.run_control import STOP, RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.io.reading import read, sheet_list, sheets, sniff
from algorithms.io.text.options import ReadOptions, describe, read_options
from tests.algorithms.io.helpers import cells, kinds, written
from tests.algorithms.io.workbook_files import ods, xls
from tests.expected_texts import io as wording

Rows = Sequence[Sequence[Any]]


class Error(str):
    """A cell with a formula that ends in this error."""


def workbook(folder: Path, content: Mapping[str, Rows] | Rows, at: tuple[int, int] = (0, 0)) -> Path:
    """A workbook of these sheets, or of one; None leaves a cell empty."""
    path = folder / "book.xlsx"
    named = content if isinstance(content, Mapping) else {"Sheet1": content}
    with xlsxwriter.Workbook(path) as book:
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        hours = book.add_format({"num_format": "[h]:mm"})
        formats = {date: day, datetime: moment, time: book.add_format({"num_format": "hh:mm"}), timedelta: hours}
        for name, rows in named.items():
            sheet = book.add_worksheet(name)
            for i, row in enumerate(rows, start=at[0]):
                for j, cell in enumerate(row, start=at[1]):
                    if isinstance(cell, Error):
                        sheet.write_formula(i, j, "=NA()", None, cell)
                    elif type(cell) in formats:
                        sheet.write_datetime(i, j, cell, formats[type(cell)])
                    elif isinstance(cell, str):
                        sheet.write_string(i, j, cell)
                    elif cell is not None:
                        sheet.write(i, j, cell)
    return path


def opened(path: Path, options: ReadOptions | None = None) -> Dataset:
    return read(path, RunContext(), options)


def refused(path: Path, options: ReadOptions | None = None) -> DataError:
    with pytest.raises(DataError) as caught:
        opened(path, options)
    assert caught.value.sentence.endswith(".") and caught.value.remedy and caught.value.place
    return caught.value


def people(n: int = 40) -> list[list[Any]]:
    head = ["customer_id", "zip", "age", "joined", "member", "city"]
    rows = [
        [1000 + i, f"{i % 7:05d}", 20 + i * 0.5, date(2024, 1 + i % 12, 3), i % 3 == 0, ("Ulm", "Bonn")[i % 2]]
        for i in range(n)
    ]
    return [head, *rows]


def test_cells_keep_their_type_and_columns_get_the_kinds_that_text_files_get(tmp_path: Path) -> None:
    data = opened(workbook(tmp_path, people()))
    assert kinds(data) == {
        "customer_id": AttributeKind.IDENTIFIER,
        "zip": AttributeKind.NOMINAL,
        "age": AttributeKind.NUMERIC,
        "joined": AttributeKind.DATE,
        "member": AttributeKind.NOMINAL,
        "city": AttributeKind.NOMINAL,
    }
    assert cells(data, "customer_id")[:2] == ["1000", "1001"]
    assert cells(data, "zip")[:2] == ["00000", "00001"]
    assert cells(data, "age")[:2] == [20.0, 20.5]
    assert cells(data, "joined")[0] == datetime(2024, 1, 3).timestamp() - datetime(1970, 1, 1).timestamp()
    assert cells(data, "member")[:2] == ["TRUE", "FALSE"]
    assert data.schema.class_attribute.name == "city"


def test_numbers_are_read_to_the_last_bit_even_beside_marks_of_missing_values(tmp_path: Path) -> None:
    values = np.random.default_rng(1).normal(size=50).tolist()
    rows: list[list[Any]] = [["x", "y"], *([value, "ab"[i % 2]] for i, value in enumerate(values))]
    rows[7][0], rows[9][0] = "n/a", "-"
    found = opened(workbook(tmp_path, rows)).column("x")
    assert np.isnan(found[[6, 8]]).all()
    kept = [i for i in range(50) if i not in (6, 8)]
    assert found[kept].tolist() == [float(f"{values[i]:.16G}") for i in kept]  # what the file says


def test_few_whole_numbers_in_the_last_column_are_classes(tmp_path: Path) -> None:
    rows = [["size", "class"], *([i * 1.5, i % 3] for i in range(40))]
    data = opened(workbook(tmp_path, rows))
    assert data.schema.class_attribute.values == ("0", "1", "2")


def test_numbers_named_as_codes_are_spelled_out(tmp_path: Path) -> None:
    rows = [["phone", "y"], *([4917000000 + i, "ab"[i % 2]] for i in range(40))]
    data = opened(workbook(tmp_path, rows))
    assert kinds(data)["phone"] is AttributeKind.IDENTIFIER
    assert cells(data, "phone")[0] == "4917000000"


def test_whole_numbers_that_number_the_records_are_identifiers_whatever_their_name(tmp_path: Path) -> None:
    rows = [[100_000 + i, i % 7 + 0.5, "ab"[i % 2]] for i in range(50)]
    data = opened(workbook(tmp_path, [["Vertrag", "x", "class"], *rows]))
    assert kinds(data) == {
        "Vertrag": AttributeKind.IDENTIFIER,
        "x": AttributeKind.NUMERIC,
        "class": AttributeKind.NOMINAL,
    }
    assert cells(data, "Vertrag")[49] == "100049"


def test_a_text_that_keeps_a_column_from_being_numeric_is_named_with_its_record(tmp_path: Path) -> None:
    rows = [["viel" if i == 30 else i * 7 % 101 + 0.5, "ab"[i % 2]] for i in range(90)]
    data = opened(workbook(tmp_path, [["Alter", "class"], *rows]))
    assert wording.NO_NUMBER_IN_RECORD_31 in data.origin.description


def test_a_column_of_numbers_and_texts_keeps_its_spelling(tmp_path: Path) -> None:
    rows = [["grade", "y"], *([(1, 1.5, "2a", date(2024, 5, 1), True)[i % 5], "ab"[i % 2]] for i in range(40))]
    data = opened(workbook(tmp_path, rows))
    assert cells(data, "grade")[:5] == ["1", "1.5", "2a", "2024-05-01", "TRUE"]


def test_types_that_change_further_down_lose_nothing(tmp_path: Path) -> None:
    n = 30_000
    rows = [["x", "y"], *([i / 4 if i < n - 1 else "sold out", "ab"[i % 2]] for i in range(n))]
    data = opened(workbook(tmp_path, rows))
    assert not data.schema.attributes[0].kind.is_float
    assert cells(data, "x")[:3] == ["0", "0.25", "0.5"]
    assert cells(data, "x")[-1] == "sold out"


def test_times_of_day_and_durations_are_hours_and_that_is_said(tmp_path: Path) -> None:
    rows = [["opens", "lasts", "y"], *([time(7 + i % 9, 30), timedelta(hours=20 + i), "ab"[i % 2]] for i in range(40))]
    data = opened(workbook(tmp_path, rows))
    assert cells(data, "opens")[0] == 7.5
    assert cells(data, "lasts")[39] == 59.0
    assert wording.READ_AS_HOURS in data.origin.description


def test_moments_keep_their_time(tmp_path: Path) -> None:
    rows = [["at", "y"], *([datetime(2024, 5, 1, 12, 30, i), "ab"[i % 2]] for i in range(30))]
    data = opened(workbook(tmp_path, rows))
    assert kinds(data)["at"] is AttributeKind.DATE
    assert np.diff(data.column("at")).tolist() == [1.0] * 29


def test_empty_cells_errors_and_the_covered_part_of_merged_cells_are_missing(tmp_path: Path) -> None:
    rows = [["x", "y"], *([i * 1.5, "ab"[i % 2]] for i in range(30))]
    rows[3][0], rows[4][0], rows[5][1] = None, Error("#N/A"), Error("#DIV/0!")
    data = opened(workbook(tmp_path, rows))
    assert np.flatnonzero(data.missing(0)).tolist() == [2, 3]
    assert np.flatnonzero(data.missing(1)).tolist() == [4]
    assert data.schema.attributes[1].values == ("a", "b")


def test_a_table_may_stand_anywhere_with_a_title_above_and_gaps_within(tmp_path: Path) -> None:
    body = [[i * 1.5, None, f"t{i % 2}", i % 4 + 0.5, None] for i in range(30)]
    body.insert(10, [None] * 5)
    rows = [["Sales of 2024"], [], ["x", None, "kind", "weight", None], *body, [None] * 5]
    data = opened(workbook(tmp_path, rows, at=(3, 2)))
    assert data.schema.names == ("x", "kind", "weight")
    assert len(data) == 30
    assert wording.ROW_PASSED_OVER in data.origin.description


def test_columns_without_a_name_get_one(tmp_path: Path) -> None:
    rows = [["x", None, "x"], *([i * 1.5, "ab"[i % 2], i] for i in range(30))]
    data = opened(workbook(tmp_path, rows))
    assert data.schema.names == ("x", "Column 2", "x (2)")
    assert wording.TWO_COLUMNS_NAMED_X in data.origin.description


def test_an_empty_column_among_words_does_not_hide_the_names(tmp_path: Path) -> None:
    records = [[colour, None, "yes" if colour == "red" else "no"] for colour in ("red", "blue", "green") * 5]
    data = opened(workbook(tmp_path, [["colour", None, "ripe"], *records]))
    assert data.schema.names == ("colour", "ripe")
    assert len(data) == 15


def test_a_sheet_without_names_is_recognised_and_can_be_told(tmp_path: Path) -> None:
    path = workbook(tmp_path, [[i * 1.5, "ab"[i % 2]] for i in range(30)])
    assert opened(path).schema.names == ("Column 1", "Column 2")
    assert len(opened(path)) == 30
    assert len(opened(path, ReadOptions(header=True))) == 29


def test_the_first_sheet_with_cells_is_read_unless_another_is_named(tmp_path: Path) -> None:
    other = [["a", "b"], *([i, i * 2.5] for i in range(30))]
    path = workbook(tmp_path, {"Notes": [], "Sales": people(), "Other": other})
    assert sheets(path) == ("Notes", "Sales", "Other")
    assert "joined" in opened(path).schema
    assert opened(path, ReadOptions(sheet="Other")).schema.names == ("a", "b")
    assert describe(sniff(path)) == wording.SHEET_DESCRIBED
    told = refused(path, ReadOptions(sheet="Absent"))
    assert wording.no_sheet("Absent") in told.sentence and "Sales" in (told.remedy or "")
    assert wording.NOTHING_ON_SHEET in refused(path, ReadOptions(sheet="Notes")).sentence


def test_the_sheet_that_looks_like_a_table_is_read_and_said_so(tmp_path: Path) -> None:
    about = [["Made by the office"], ["October", "2026"]]
    path = workbook(tmp_path, {"About": about, "Sales": people(), "Other": [["a", "b"], [1, 2]]})
    data = opened(path)
    assert "joined" in data.schema
    guess = next(each for each in sniff(path).guesses if each.key == "sheet")
    assert guess.sentence == wording.SHEET_SALES_WAS_CHOSEN and guess.sentence in data.origin.description
    assert [(each.label, each.argument) for each in guess.corrections] == [
        ("Read About", "sheet=About"),
        ("Read Other", "sheet=Other"),
    ]
    other = guess.corrections[1].applied(ReadOptions())
    assert opened(path, other).schema.names == ("a", "b")
    assert read_options(["sheet=Other"], ReadOptions()) == other
    assert all(each.key != "sheet" for each in sniff(path, other).guesses)
    listed = sheet_list(path, RunContext())
    assert listed.names == ("About", "Sales", "Other") and listed.estimated == frozenset(listed.names)
    assert listed.sizes == {"About": 1, "Sales": len(data), "Other": 1}


@pytest.mark.parametrize("suffix", [".ods", ".xls"])
def test_the_sheet_that_looks_like_a_table_is_read_in_other_formats_too(tmp_path: Path, suffix: str) -> None:
    about = [["Made by the office", ""], ["October", 2026]]
    table = [["width", "kind"], *([i * 2.5, "ab"[i % 2]] for i in range(60))]
    path = tmp_path / f"book{suffix}"
    if suffix == ".ods":
        ods(path, about, others={"Sales": table})
    else:
        xls(path, about, table)
    data = opened(path)
    assert data.schema.names == ("width", "kind") and len(data) == 60
    guess = next(each for each in sniff(path).guesses if each.key == "sheet")
    own = {".ods": "Lengths", ".xls": "Sheet"}[suffix]
    assert [each.argument for each in guess.corrections] == [f"sheet={own}"]
    assert sheets(path)[0] == own


def test_a_table_on_the_first_sheet_is_read_beside_a_larger_one(tmp_path: Path) -> None:
    large = [["a", "b"], *([i, i * 2.5] for i in range(90))]
    path = workbook(tmp_path, {"Sales": people(), "Other": large})
    assert "joined" in opened(path).schema


def test_text_files_have_no_sheets(tmp_path: Path) -> None:
    assert sheets(written(tmp_path, "a,b\n1,2\n")) == ()


def test_given_kinds_marks_and_class_count(tmp_path: Path) -> None:
    rows = [["x", "y", "z"], *([i, "ab"[i % 2], ("?", "none", 1.5)[i % 3]] for i in range(60))]
    options = ReadOptions(kinds={"x": AttributeKind.NOMINAL}, class_name="y", missing=("none", "?"))
    data = opened(workbook(tmp_path, rows), options)
    assert kinds(data)["x"] is AttributeKind.NOMINAL and kinds(data)["z"] is AttributeKind.NUMERIC
    assert data.schema.class_attribute.name == "y"
    assert (
        wording.TO_BE_NUMERIC
        in refused(tmp_path / "book.xlsx", ReadOptions(kinds={"y": AttributeKind.NUMERIC})).sentence
    )


def test_numbers_that_are_texts_are_read_with_the_decimal_comma_they_have(tmp_path: Path) -> None:
    rows = [[f"1.{i:03d},{i % 10}", f"{i},25", "ab"[i % 2]] for i in range(60)]
    path = workbook(tmp_path, [["price", "size", "class"], *rows])
    data = opened(path)
    assert kinds(data) == {
        "price": AttributeKind.NUMERIC,
        "size": AttributeKind.NUMERIC,
        "class": AttributeKind.NOMINAL,
    }
    assert cells(data, "price")[:2] == [1000.0, 1001.1]
    assert cells(data, "size")[:2] == [0.25, 1.25]
    assert (sniff(path).decimal, sniff(path).thousands) == (",", ".")


def test_texts_beside_numbers_are_numbers_where_all_are(tmp_path: Path) -> None:
    rows: list[list[Any]] = [[i + 0.5, "ab"[i % 2]] for i in range(60)]
    rows[3][0], rows[40][0], rows[50][0] = "3,75", "1.040,5", "k. A."
    path = workbook(tmp_path, [["x", "class"], *rows])
    data = opened(path, ReadOptions(missing=("", "k. A.")))
    assert kinds(data)["x"] is AttributeKind.NUMERIC
    found = cells(data, "x")
    assert (found[2], found[3], found[40], found[50]) == (2.5, 3.75, 1040.5, None)
    assert (
        kinds(opened(path, ReadOptions(missing=("", "k. A."), decimal=".", thousands="")))["x"]
        is not AttributeKind.NUMERIC
    )


def test_the_decimal_mark_of_texts_can_be_given_and_numbers_keep_theirs(tmp_path: Path) -> None:
    rows = [[f"{i}.125", i + 0.25, "ab"[i % 2]] for i in range(1, 61)]
    path = workbook(tmp_path, [["x", "y", "class"], *rows])
    assert cells(opened(path), "x")[2] == 3.125
    data = opened(path, ReadOptions(decimal=",", thousands="."))
    assert cells(data, "x")[2] == 3125.0
    assert cells(data, "y")[2] == 3.25


def test_codes_that_are_texts_beside_numbers_keep_their_zeros(tmp_path: Path) -> None:
    rows = [["0101" if i % 3 == 0 else 2000 + i % 5, "ab"[i % 2]] for i in range(60)]
    data = opened(workbook(tmp_path, [["area", "class"], *rows]))
    assert cells(data, "area")[:2] == ["0101", "2001"]


def test_many_different_texts_become_strings(tmp_path: Path) -> None:
    n = 30_000
    rows = [["name", "y"], *([f"person {i}", "ab"[i % 2]] for i in range(n))]
    data = opened(workbook(tmp_path, rows))
    assert kinds(data)["name"] is AttributeKind.IDENTIFIER
    assert cells(data, "name")[:: n - 1] == ["person 0", f"person {n - 1}"]


def test_a_workbook_is_known_by_its_content(tmp_path: Path) -> None:
    renamed = workbook(tmp_path, people()).rename(tmp_path / "book.csv")
    assert len(opened(renamed)) == 40
    assert len(opened(written(tmp_path, "a,b\n1,x\n2,y\n", "text.xls"))) == 2


def test_an_opendocument_sheet_is_read(tmp_path: Path) -> None:
    path = ods(tmp_path / "book.ods", [["x", "y"], *([i * 1.5, "ab"[i % 2]] for i in range(30))])
    data = opened(path)
    assert sheets(path) == ("Lengths",)
    assert cells(data, "x")[:3] == [0.0, 1.5, 3.0]


def test_files_that_are_no_tables_are_refused_in_words(tmp_path: Path) -> None:
    whole = workbook(tmp_path, people()).read_bytes()
    assert "damaged" in refused(written(tmp_path, whole[: len(whole) // 2], "cut.xlsx")).sentence
    noise = np.random.default_rng(1).bytes(5000)
    assert "damaged" in refused(written(tmp_path, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + noise, "old.xls")).sentence
    assert "no workbook" in refused(written(tmp_path, noise, "noise.xlsx")).sentence
    locked = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(1000) + "EncryptedPackage".encode("utf-16-le") + bytes(999)
    assert wording.LOCKED_WITH_PASSWORD in refused(written(tmp_path, locked, "locked.xlsx")).sentence
    assert "is empty" in refused(written(tmp_path, b"", "nothing.xlsx")).sentence
    assert "web page" in refused(written(tmp_path, "<html><table></table></html>", "page.xls")).sentence
    assert "empty workbook" in refused(workbook(tmp_path, {"A": [], "B": []})).sentence
    assert "no records" in refused(workbook(tmp_path, [["x", "y"]])).sentence


@pytest.mark.filterwarnings("ignore:Unknown worksheet")
def test_a_workbook_of_charts_only_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "charts.xlsx"
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_chartsheet("Chart")
        chart = book.add_chart({"type": "line"})
        chart.add_series({"values": "=Away!$A$1:$A$2"})
        sheet.set_chart(chart)
    assert "only charts" in refused(path).sentence
    assert sheets(path) == ()


@pytest.mark.parametrize("seed", range(20))
def test_damage_anywhere_is_told_in_words_or_survived(tmp_path: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    whole = bytearray(workbook(tmp_path, people()).read_bytes())
    for at in random.integers(0, len(whole), 30).tolist():
        whole[at] = int(random.integers(0, 256))
    try:
        opened(written(tmp_path, bytes(whole), "damaged.xlsx"))
    except DataError as error:
        assert error.remedy


def test_reading_tells_how_far_it_is_and_can_be_stopped(tmp_path: Path) -> None:
    path = workbook(tmp_path, [["x", "y"], *([i * 0.5, "ab"[i % 2]] for i in range(30_000))])
    context = RunContext()
    read(path, context)
    assert context.progress() == pytest.approx(1.0, abs=0.01)
    stopped = RunContext()
    stopped.cancel()
    assert stopped.control[STOP]
    with pytest.raises(Cancelled):
        read(path, stopped)
