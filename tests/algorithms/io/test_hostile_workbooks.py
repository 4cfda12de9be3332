"""Workbooks that make the native reader abort, swell or hang: the program lives on and says what is wrong."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from string import ascii_uppercase
from typing import Any
from zipfile import ZipFile

import numpy as np
import pytest

from algorithms.core.errors import Cancelled, DataError
from algorithms.core.run_control import RunContext
from algorithms.io import child_process, excel, workbook_reader
from algorithms.io.excel import READER, SheetOpening, WorkbookLimits, unpacked
from algorithms.io.reading import read, sheets, sniff
from algorithms.io.text.text_source import TextFile
from tests.algorithms.io.helpers import cells
from tests.algorithms.io.workbook_files import Rows, members, ods, packed, with_sheet, xls, xlsx
from tests.expected_texts import core as core_wording
from tests.expected_texts import io as wording

N_MUTANTS = 34
SMALL = WorkbookLimits(memory=1 << 29, seconds=20.0, cells=1_000_000)

COLUMNS = [*ascii_uppercase, *map("".join, product(ascii_uppercase, repeat=2))]
COLUMNS += [a + b + c for a, b, c in product(ascii_uppercase, repeat=3)]
FULL_ROW = "".join(f'<c r="{column}1"><v>1</v></c>' for column in COLUMNS[: COLUMNS.index("XFD") + 1])
FAR_APART = (
    f'<row r="1">{FULL_ROW}</row>'
    '<row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'
)  # fmt: skip


def records(n: int = 20) -> Rows:
    return [["x", "class"], *([i * 1.5, "ab"[i % 2]] for i in range(n))]


def refusal(path: Path) -> DataError:
    with pytest.raises(DataError) as caught:
        read(path, RunContext())
    assert caught.value.sentence.endswith(".") and caught.value.remedy
    assert caught.value.place.startswith(path.name)
    return caught.value


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> WorkbookLimits:
    monkeypatch.setattr(excel, "LIMITS", SMALL)
    return SMALL


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[subprocess.Popen[bytes]]]:
    """The child processes that are started."""
    started: list[subprocess.Popen[bytes]] = []
    start = child_process._started

    def keep(*given: Any) -> subprocess.Popen[bytes]:
        started.append(start(*given))
        return started[-1]

    monkeypatch.setattr(child_process, "_started", keep)
    yield started
    assert started and all(process.returncode is not None for process in started)


@pytest.mark.parametrize("dimension", ["A1:XFD1048576", ""])
def test_a_full_row_and_a_cell_at_the_end_of_a_sheet_are_refused_with_the_sheet(
    tmp_path: Path, small_limits: WorkbookLimits, processes: list[subprocess.Popen[bytes]], dimension: str
) -> None:
    path = with_sheet(tmp_path / "far.xlsx", FAR_APART, dimension)
    error = refusal(path)
    assert error.place == core_wording.at_sheet("far.xlsx", "Sheet1")
    assert wording.LAST_CELL in error.sentence
    assert sheets(path) == ("Sheet1",)


def table(n: int, far: str = "", above: str = "") -> str:
    """Rows of a table of two columns in B and D, with a cell more in some row."""
    head = (
        '<row r="1"><c r="B1" t="inlineStr"><is><t>x</t></is></c><c r="D1" t="inlineStr"><is><t>y</t></is></c>{}</row>'
    )
    rows = "".join(
        f'<row r="{i}"><c r="B{i}"><v>{i * 1.5}</v></c><c r="D{i}"><v>{i * 2.5}</v></c>{far if i == 9 else ""}</row>'
        for i in range(2, n)
    )
    return head.format(above) + rows


@pytest.mark.parametrize("dimension", ["B1:XFD1000", ""])
def test_a_value_in_the_last_column_of_a_thousand_rows_is_a_column_more(tmp_path: Path, dimension: str) -> None:
    for name, far, above in (
        ("inside", '<c r="XFD9"><v>7</v></c>', ""),
        ("above", "", '<c r="XFD1" t="inlineStr"><is><t>z</t></is></c>'),
    ):
        data = read(with_sheet(tmp_path / f"{name}.xlsx", table(1001, far, above), dimension), RunContext())
        assert data.schema.names[:2] == ("x", "y")
        assert data.schema.names[2] == ("Column 16383" if far else "z")
        assert cells(data, "x")[:2] == [3.0, 4.5] and cells(data, "y")[:2] == [5.0, 7.5]
        assert len(data) == 999


def test_the_same_table_is_read_with_and_without_a_far_value(tmp_path: Path) -> None:
    near = read(with_sheet(tmp_path / "near.xlsx", table(1001, '<c r="F9"><v>7</v></c>')), RunContext())
    far = read(with_sheet(tmp_path / "far.xlsx", table(1001, '<c r="XFD9"><v>7</v></c>')), RunContext())
    assert near.schema.names[-1] == "Column 5" and len(near.schema.names) == len(far.schema.names)
    for one, other in zip(near.schema.names, far.schema.names, strict=True):
        assert cells(near, one) == cells(far, other)


@pytest.mark.parametrize("empty", ["></c>", "><v/></c>", "><v></v></c>", ' t="str">\n<v></v></c>', "/>"])
def test_far_cells_without_a_value_count_as_empty_however_they_are_written(tmp_path: Path, empty: str) -> None:
    far = f'<row r="1048576"><c r="XFD1048576" s="0"{empty}</row>'
    data = read(with_sheet(tmp_path / "empty.xlsx", table(40) + far, "A1:XFD1048576"), RunContext())
    assert data.schema.names == ("x", "y") and len(data) == 38


def test_one_cell_at_the_end_of_a_sheet_is_no_table(tmp_path: Path) -> None:
    path = with_sheet(tmp_path / "far.xlsx", '<row r="1048576"><c r="XFD1048576"><v>2</v></c></row>')
    data = read(path, RunContext())
    assert len(data) == 1 and data.schema.names == ("Column 1",)


def test_a_sheet_that_declares_more_cells_than_it_has_is_read(tmp_path: Path) -> None:
    rows = "".join(f'<row r="{i}"><c r="B{i}"><v>{i * 1.5}</v></c></row>' for i in range(1, 31))
    style = '<row r="1048576"><c r="XFD1048576" s="0"/></row>'
    data = read(with_sheet(tmp_path / "wide.xlsx", rows + style, "A1:XFD1048576"), RunContext())
    assert cells(data, data.schema.names[-1])[:2] == [1.5, 3.0]


def test_only_a_sheet_with_room_for_empty_cells_is_scanned_for_them(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    scanned: list[str] = []
    monkeypatch.setattr(workbook_reader, "MANY_CELLS", 10)
    monkeypatch.setattr(workbook_reader, "_extent", lambda _, member: scanned.append(member))
    for dimension, n_scans in (("A1:B40", 0), ("A1:XFD1048576", 1)):
        with ZipFile(with_sheet(tmp_path / f"{n_scans}.xlsx", table(40), dimension)) as archive:
            workbook_reader._wide_sheets(archive)
        assert len(scanned) == n_scans


@pytest.mark.parametrize("what", ["columns", "rows"])
def test_repeats_that_no_spreadsheet_has_are_refused(tmp_path: Path, what: str) -> None:
    path = ods(tmp_path / "repeats.ods", records(), f'table:number-{what}-repeated="100000000"')
    assert "damaged" in refusal(path).sentence


def test_repeats_that_take_all_memory_are_refused(tmp_path: Path, small_limits: WorkbookLimits) -> None:
    rows = "<table:table-row>" + "".join(
        f'<table:table-cell office:value-type="float" office:value="{i}"/>' for i in range(40)
    )  # fmt: skip
    content: dict[str, str | bytes] = dict(members(ods(tmp_path / "repeats.ods", records())))
    repeated = rows.replace("<table:table-row>", '<table:table-row table:number-rows-repeated="1048576">')
    text = bytes(content["content.xml"]).decode() if isinstance(content["content.xml"], bytes) else ""
    content["content.xml"] = text.replace("<table:table-row>", f"{repeated}</table:table-row><table:table-row>", 1)
    path = packed(tmp_path / "repeats.ods", content)
    assert wording.gb_of_memory(0.5) in refusal(path).sentence


def test_infinite_numbers_of_a_workbook_are_missing_and_said(tmp_path: Path) -> None:
    rows = [["x", "class"], *([at * 1.37, "ab"[at % 2]] for at in range(400))]
    rows[3][0] = "1e999"
    path = ods(tmp_path / "infinite.ods", rows)
    content: dict[str, str | bytes] = dict(members(path))
    text = members(path)["content.xml"]
    typed = b'<table:table-cell office:value-type="float" office:value="1e999"/>'
    spelled = b'<table:table-cell office:value-type="string"><text:p>1e999</text:p></table:table-cell>'
    assert spelled in text
    content["content.xml"] = text.replace(spelled, typed)
    data = read(packed(path, content), RunContext())
    assert cells(data, "x")[1:4] == [1.37, None, 4.11]
    assert "nfinite" in data.origin.description


@pytest.mark.parametrize("kind", ["xls", "xlsx"])
def test_a_small_workbook_whose_cells_lie_far_apart_takes_little_memory(tmp_path: Path, kind: str) -> None:
    if kind == "xls":
        path = xls(tmp_path / "far.xls", [["x", "class"], *([at, "a"] for at in range(800))])
        content = path.read_bytes()
        at = content.index(struct.pack("<HHH", 800, 0, 0))  # where the first cell of the last row says that it is
        path.write_bytes(content[:at] + struct.pack("<HHH", 800, 65_535, 0) + content[at + 6 :])
    else:
        sheet = f'<row r="1">{FULL_ROW}</row><row r="5000"><c r="XFD5000"><v>2</v></c></row>'
        path = with_sheet(tmp_path / "far.xlsx", sheet)
    assert wording.gb_of_memory(0.5) in refusal(path).sentence


def test_a_value_in_the_last_row_of_a_narrow_sheet_is_read(tmp_path: Path) -> None:
    row = "".join(f'<c r="{column}{{row}}"><v>{at}</v></c>' for at, column in enumerate("ABCDE"))
    rows = "".join(f'<row r="{at}">{row.format(row=at)}</row>' for at in range(1, 300))
    last = '<row r="1048576"><c r="A1048576"><v>7</v></c></row>'
    data = read(with_sheet(tmp_path / "last.xlsx", rows + last), RunContext())
    assert len(data.schema.attributes) == 5 and len(data) >= 299


def test_a_workbook_that_declares_to_swell_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    path = xlsx(tmp_path / "bomb.xlsx", records())
    content = bytearray(path.read_bytes())
    at = content.rindex(b"xl/worksheets/sheet1.xml") - 46  # its entry in the list at the end of the archive
    struct.pack_into("<I", content, at + 24, 3_000_000_000)
    path.write_bytes(content)
    assert wording.WOULD_UNPACK in refusal(path).sentence


def test_a_sheet_of_more_cells_than_memory_is_refused_and_the_process_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: list[subprocess.Popen[bytes]]
) -> None:
    row = "<row>" + '<c t="inlineStr"><is><t>abc</t></is></c>' * 1000 + "</row>"
    path = with_sheet(tmp_path / "cells.xlsx", row * 2500)
    monkeypatch.setattr(excel, "LIMITS", WorkbookLimits(memory=1 << 28))
    assert wording.gb_of_memory(0.2) in refusal(path).sentence


def test_a_stop_ends_the_process_that_unpacks(tmp_path: Path, processes: list[subprocess.Popen[bytes]]) -> None:
    path = with_sheet(tmp_path / "long.xlsx", ("<row>" + "<c><v>1</v></c>" * 1000 + "</row>") * 5000)
    before = threading.active_count()
    context = RunContext()
    stop = threading.Timer(0.4, context.cancel)
    stop.start()
    with pytest.raises(Cancelled):
        read(path, context)
    stop.join()
    assert threading.active_count() == before


def test_a_reader_that_takes_too_long_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: list[subprocess.Popen[bytes]]
) -> None:
    path = with_sheet(tmp_path / "long.xlsx", ("<row>" + "<c><v>1</v></c>" * 1000 + "</row>") * 5000)
    monkeypatch.setattr(excel, "LIMITS", WorkbookLimits(seconds=0.05))
    assert wording.TOOK_MORE_THAN in refusal(path).sentence


def test_the_reader_ends_with_its_parent(tmp_path: Path) -> None:
    path = with_sheet(tmp_path / "long.xlsx", ("<row>" + "<c><v>1</v></c>" * 1000 + "</row>") * 5000)
    request = {"path": str(path), "want": "table", "sheet": None, "memory": 1 << 32, "cells": 1 << 40}
    with subprocess.Popen([sys.executable, "-m", READER], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.close()
        assert process.wait(timeout=30) != 0


def test_every_kind_of_workbook_made_here_is_whole(tmp_path: Path) -> None:
    for path in (
        xls(tmp_path / "b.xls", records()),
        ods(tmp_path / "b.ods", records()),
        xlsx(tmp_path / "b.xlsx", records()),
    ):
        data = read(path, RunContext())
        assert data.schema.names == ("x", "class") and len(data) == 20
        assert cells(data, "x")[:3] == [0.0, 1.5, 3.0]


@pytest.mark.timeout(60)
def test_a_table_whose_end_is_lost_is_damaged_and_not_sought_for_ever(tmp_path: Path) -> None:
    content: dict[str, str | bytes] = dict(members(ods(tmp_path / "whole.ods", records())))
    text = content["content.xml"]
    text = text.decode() if isinstance(text, bytes) else text
    content["content.xml"] = text.replace("</table:table>", "</tabl1e:table>")
    assert "damaged" in refusal(packed(tmp_path / "lost.ods", content)).sentence


@pytest.mark.parametrize("kind", ["xls", "xlsx", "ods"])
def test_mutants_are_read_or_refused_in_words(tmp_path: Path, small_limits: WorkbookLimits, kind: str) -> None:
    random = np.random.default_rng(11)
    whole = {"xls": xls, "xlsx": xlsx, "ods": ods}[kind](tmp_path / f"whole.{kind}", records())
    n_read = n_refused = 0
    for at in range(N_MUTANTS):
        path = mutant(whole, tmp_path / f"mutant{at}.{kind}", random)
        try:
            read(path, RunContext())
            n_read += 1
        except DataError as error:
            assert error.sentence.endswith(".") and error.remedy and error.place.startswith(path.name)
            n_refused += 1
    assert (n_read > 0, n_refused > 0) == (True, True)


def mutant(whole: Path, path: Path, random: np.random.Generator) -> Path:
    """The workbook with some bytes changed: of an archive those of one of its members."""
    if whole.suffix == ".xls":
        path.write_bytes(mutated(whole.read_bytes(), random, 512))
        return path
    content = members(whole)
    names = [name for name in content if name.endswith("sheet1.xml") or name in MUTATED]
    name = names[int(random.integers(len(names)))]
    return packed(path, {**content, name: mutated(content[name], random, 0)})


MUTATED = ("content.xml", "xl/workbook.xml", "xl/sharedStrings.xml", "xl/styles.xml", "xl/_rels/workbook.xml.rels")


def mutated(content: bytes, random: np.random.Generator, first: int) -> bytes:
    changed = bytearray(content)
    for at in random.integers(first, len(changed), int(random.integers(1, 6))).tolist():
        changed[at] = int(random.choice([0, 255, 48, 57, int(random.integers(256))]))
    return bytes(changed)


def test_columns_without_a_value_are_not_unpacked_into_the_opening(tmp_path: Path) -> None:
    rows: list[list[str | float]] = [["x", "class"], *([at, "ab"[at % 2]] for at in range(299))]
    rows[150] = [*rows[150], *[""] * 19_997, "far"]
    path = xls(tmp_path / "far.xls", rows)
    with TextFile(path) as source, unpacked(source, RunContext(), "opening") as messages:
        opening = next(message for message in messages if isinstance(message, SheetOpening))
    assert (opening.width, list(opening.held)) == (20_000, [0, 1, 19_999])
    assert {len(row) for _, row in opening.first} == {3}
    data = read(path, RunContext())
    assert data.schema.names == ("x", "class", "Column 20000")
    assert len(data) == 299


def test_messages_come_in_order(tmp_path: Path) -> None:
    path = xlsx(tmp_path / "book.xlsx", records(2000))
    with TextFile(path) as source, unpacked(source, RunContext(), "table") as messages:
        kinds = [type(message).__name__ for message in messages]
    assert kinds == ["Sheets", "SheetOpening", "SheetBlock"]
    assert sniff(path).sheet == "Sheet1"
