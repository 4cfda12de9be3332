"""Tables written as workbooks are read as they were."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from xlsxwriter.exceptions import ThemeFileError

from algorithms.core.errors import Cancelled, DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import STRING
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.io.excel import write_excel
from algorithms.io.reading import read
from algorithms.io.writing import write_table
from tests.algorithms.io.helpers import cells
from tests.expected_texts import core as core_wording
from tests.expected_texts import io as wording


def sample() -> Dataset:
    kinds = (AttributeKind.NUMERIC, AttributeKind.NOMINAL, AttributeKind.DATE, AttributeKind.TEXT, AttributeKind.DATE)
    names = ("size", "kind", "day", "note", "old")
    schema = Schema(tuple(Attribute(n, k, ("a", "b") if k.is_coded else ()) for n, k in zip(names, kinds, strict=True)))
    notes = np.array([f"=1+{i}" if i else "http://example.org" for i in range(40)], dtype=object)
    notes[3], notes[4] = np.nan, "long " * 10_000
    numbers = np.arange(40) * 1.5
    numbers[5], numbers[6] = np.nan, np.inf
    old = np.arange(40) * 86400.0 - 5e9
    columns = [
        numbers,
        np.arange(40) % 3 - 1,
        np.arange(40) * 86400.0 * 30 + 1e9 // 86400 * 86400,
        notes.astype(STRING),
        old,
    ]
    return Dataset(schema, columns)


def test_every_cell_comes_back(tmp_path: Path) -> None:
    path, data = tmp_path / "table.xlsx", sample()
    write_excel(path, data)
    again = read(path, RunContext())
    assert again.schema.names == data.schema.names
    for name in ("kind", "day"):
        assert cells(again, name) == cells(data, name)
    assert cells(again, "size")[:6] == [0.0, 1.5, 3.0, 4.5, 6.0, None]
    assert cells(again, "note")[:4] == ["http://example.org", "=1+1", "=1+2", None]
    assert len(str(cells(again, "note")[4])) > 32_000
    assert again.column("old").tolist() == data.column("old").tolist()


def test_the_name_says_whether_it_becomes_a_workbook(tmp_path: Path) -> None:
    write_table(tmp_path / "a.xlsx", sample())
    write_table(tmp_path / "a.csv", sample())
    assert (tmp_path / "a.xlsx").read_bytes().startswith(b"PK")
    assert (tmp_path / "a.csv").read_text("utf-8").startswith("size,kind,day")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.csv", "a.xlsx"]


def test_what_does_not_fit_a_sheet_is_refused(tmp_path: Path) -> None:
    data = Dataset(Schema((Attribute("x", AttributeKind.NUMERIC),)), [np.zeros(1_048_576)])
    with pytest.raises(DataError, match="1,048,575 records"):
        write_excel(tmp_path / "a.xlsx", data)


def test_stopped_and_impossible_writing_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_text("before")
    context = RunContext()
    context.cancel()
    with pytest.raises(Cancelled):
        write_excel(path, sample(), context)
    assert path.read_text() == "before"
    assert [p.name for p in tmp_path.iterdir()] == ["a.xlsx"]
    with pytest.raises(DataError, match=core_wording.CANNOT_BE_WRITTEN):
        write_excel(tmp_path / "absent" / "a.xlsx", sample())


@pytest.mark.parametrize("names", [("x",), ("x", "y")])
def test_a_workbook_beyond_the_size_of_its_format_is_refused_in_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...]
) -> None:
    monkeypatch.setattr(zipfile, "ZIP64_LIMIT", 2000)  # two gigabytes else
    data = Dataset(Schema(tuple(Attribute(n, AttributeKind.NUMERIC) for n in names)), [np.arange(500.0)] * len(names))
    with pytest.raises(DataError, match=wording.TOO_LARGE_FOR_WORKBOOK) as caught:
        write_excel(tmp_path / "a.xlsx", data)
    assert caught.value.remedy == wording.SAVE_IT_AS_CSV
    assert not list(tmp_path.iterdir())


def test_whatever_the_package_raises_becomes_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ThemeFileError("Error when processing.")

    monkeypatch.setattr("xlsxwriter.workbook.Workbook.close", refuse)
    with pytest.raises(DataError, match=re.escape(wording.ERROR_WHEN_PROCESSING)):
        write_excel(tmp_path / "a.xlsx", sample())
    assert not list(tmp_path.iterdir())


def test_numbers_keep_all_their_bits(tmp_path: Path) -> None:
    numbers = [0.1 + 0.2, 123456789.123456789, 1 / 3, -1e-300, 1.7976931348623157e308, 2.0**53 - 1, 1e15 + 0.125, -0.5]
    write_excel(tmp_path / "a.xlsx", Dataset(Schema((Attribute("x", AttributeKind.NUMERIC),)), [numbers * 3]))
    assert read(tmp_path / "a.xlsx", RunContext()).column(0).tolist() == numbers * 3
