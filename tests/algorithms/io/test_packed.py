"""Packed tables are read as they are, the files of an archive are its sheets, and what swells too much is refused."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from algorithms.cli import main
from algorithms.core.errors import DataError, MissingExtraError
from algorithms.core.extras import Extra
from algorithms.core.run_control import RunContext
from algorithms.io.reading import ReadOptions, read, sheet_list, sheets, sniff
from tests.algorithms.io.helpers import cells, refused, table, written
from tests.expected_texts import io as wording

ROWS = "n;class\n" + "".join(f"{k / 8:.3f};{'ab'[k % 2]}\n".replace(".", ",") for k in range(40))
OTHER = json.dumps([{"x": k / 4, "y": "uv"[k % 2]} for k in range(20)])
Pack = Callable[[bytes], bytes]
PACKS: dict[str, Pack] = {"gzip": gzip.compress, "bzip2": bz2.compress, "xz": lzma.compress}
PACKS["zstd"] = lambda content: pa.Codec("zstd").compress(content, asbytes=True)


def archive(files: dict[str, str | bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive with these files."""
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", packing) as made:
        for name, content in files.items():
            made.writestr(name, content)
    return into.getvalue()


@pytest.mark.parametrize("packing", PACKS)
@pytest.mark.parametrize("name", ["table.csv", "table.csv.bz2", "table.xz", "table.arff"])
def test_a_packed_table_is_read_whatever_it_is_called(tmp_path: Path, packing: str, name: str) -> None:
    content = "@relation r\n@attribute n numeric\n@attribute class {a,b}\n@data\n" if "arff" in name else ""
    content += ROWS.partition("\n")[2].replace(",", ".").replace(";", ",") if content else ROWS
    data = table(tmp_path, PACKS[packing](content.encode()), name=name)
    assert data.schema.names == ("n", "class") and cells(data, "n") == [k / 8 for k in range(40)]


@pytest.mark.parametrize("packing", PACKS)
@pytest.mark.parametrize("end", [-1, -12, 14])
def test_a_package_that_is_cut_off_or_changed_is_refused_by_its_name(tmp_path: Path, packing: str, end: int) -> None:
    error = refused(tmp_path, PACKS[packing](ROWS.encode())[:end], name="table.csv")
    assert error.sentence == wording.damaged_package("table.csv", packing)


@pytest.mark.parametrize("packing", PACKS)
def test_what_swells_beyond_reason_is_refused(tmp_path: Path, packing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("algorithms.io.text.text_source.FREE_OF_RATIO", 1 << 20)
    assert wording.MORE_THAN_200_TIMES in refused(tmp_path, PACKS[packing](b"1,2\n" * (4 << 20))).sentence


@pytest.mark.parametrize(("inner", "outer"), [(a, b) for a in PACKS for b in PACKS])
def test_a_table_that_is_packed_twice_is_refused(tmp_path: Path, inner: str, outer: str) -> None:
    content = PACKS[outer](PACKS[inner](ROWS.encode()))
    assert refused(tmp_path, content).sentence == wording.packed_twice("table.csv", inner)


@pytest.mark.parametrize("packing", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_the_files_of_an_archive_are_its_sheets(tmp_path: Path, packing: int) -> None:
    files: dict[str, str | bytes] = {
        "readme": "Ann, Bob", "a/first.csv": ROWS, "a/.hidden": "x", "__MACOSX/a/first.csv": "x", "b/other.json": OTHER,
        "empty.csv": "",
    }  # fmt: skip
    path = written(tmp_path, archive(files, packing), "tables.zip")
    assert sheets(path) == ("a/first.csv", "b/other.json", "readme") and sheet_list(path, RunContext()).word == "file"
    assert sniff(path).sheet == "a/first.csv" and sniff(path).decimal == ","
    published: list[object] = []
    data = read(path, RunContext(listener=published.append))
    assert cells(data, "n")[1] == 0.125 and data.origin.path == str(path) and data.origin.name == "first"
    assert published and all(isinstance(own, ReadOptions) and own.sheet == "a/first.csv" for own in published)
    assert read(path, RunContext(), ReadOptions(sheet="b/other.json")).schema.names == ("x", "y")


def database(folder: Path) -> bytes:
    path = folder / "in.db"
    with closing(sqlite3.connect(path)) as base:
        base.execute("CREATE TABLE t (x REAL, c TEXT)")
        base.executemany("INSERT INTO t VALUES (?, ?)", [(k / 4, "ab"[k % 2]) for k in range(30)])
        base.execute("CREATE TABLE u (y)")
        base.commit()
    return path.read_bytes()


def in_format(folder: Path, suffix: str) -> bytes:
    """A table of 30 records with columns x and c in a binary format."""
    frame, path = pd.DataFrame({"x": [k / 4 for k in range(30)], "c": ["a", "b"] * 15}), folder / f"made{suffix}"
    if suffix == ".db":
        return database(folder)
    if suffix == ".xlsx":
        frame.to_excel(path, index=False)
    elif suffix == ".parquet":
        frame.to_parquet(path)
    elif suffix == ".feather":
        frame.to_feather(path)
    else:
        write: dict[str, Any] = {
            ".sav": pyreadstat.write_sav,
            ".dta": pyreadstat.write_dta,
            ".xpt": pyreadstat.write_xport,
        }
        write[suffix](frame, path)
    return path.read_bytes()


@pytest.mark.parametrize("packing", PACKS)
@pytest.mark.parametrize("suffix", [".db", ".parquet", ".feather", ".sav", ".dta", ".xpt", ".xlsx"])
def test_packed_files_of_other_formats_are_unpacked_and_read(tmp_path: Path, suffix: str, packing: str) -> None:
    path = written(tmp_path, PACKS[packing](in_format(tmp_path, suffix)), f"table{suffix}.gz")
    data = read(path, RunContext())
    assert cells(data, "x")[:3] == [0, 0.25, 0.5] and data.schema.classes == ("a", "b")
    assert data.origin.path == str(path) and data.origin.name == "table"
    listed = {".db": ("t", "u"), ".xlsx": ("Sheet1",)}.get(suffix, ())
    assert sheets(path) == listed == sheet_list(path, RunContext()).names
    assert sniff(path).sheet == (listed[0] if listed else None)


def test_packed_files_in_archives_are_read_and_a_full_disk_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = gzip.compress(database(tmp_path))
    assert len(table(tmp_path, archive({"in.db.gz": packed}), name="t.zip")) == 30
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: SimpleNamespace(free=1000))
    assert wording.FREE_ON_THE_DISK in refused(tmp_path, packed, name="t.db.gz").sentence


def test_zstd_needs_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = PACKS["zstd"](ROWS.encode())
    assert len(table(tmp_path, content + PACKS["zstd"](b"9,5;a\n"), name="table.csv.zst")) == 41
    monkeypatch.setattr(Extra, "is_installed", False)
    error = refused(tmp_path, content, name="table.csv.zst")
    assert isinstance(error, MissingExtraError) and wording.PACKED_WITH_ZSTD in error.sentence


def test_databases_and_workbooks_in_an_archive_are_read(tmp_path: Path) -> None:
    content = archive({"in.db": database(tmp_path)})
    assert table(tmp_path, content, name="base.zip").schema.names == ("x", "c")


def test_an_archive_names_its_files_when_one_is_absent(tmp_path: Path) -> None:
    error = refused(tmp_path, archive({"a.csv": ROWS, "b.csv": ROWS}), ReadOptions(sheet="c"), "t.zip")
    assert error.remedy == wording.ITS_FILES_ARE


@pytest.mark.parametrize(
    "name", ["../../etc/x.csv", "/x.csv", "C:\\x.csv", "a/" * 200 + "x.csv", "x\n.csv", "..csv/.."]
)
def test_no_name_in_an_archive_leads_outside(tmp_path: Path, name: str) -> None:
    before = {path for path in tmp_path.parent.rglob("*.csv") if path.is_file()}
    try:
        table(tmp_path, archive({name: ROWS}), name="t.zip")
    except DataError as error:
        assert error.sentence
    assert {path for path in tmp_path.parent.rglob("*.csv") if path.is_file()} == before


def test_archives_in_archives_bombs_locked_and_damaged_ones_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = archive({"a.csv": ROWS})
    assert refused(tmp_path, archive({"a.zip": inner}), name="t.zip").sentence == wording.ARCHIVE_TOO
    locked = inner.replace(b"PK\x01\x02\x14\x03\x14\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01")
    assert locked != inner and wording.LOCKED_WITH_PASSWORD in refused(tmp_path, locked, name="t.zip").sentence
    damaged = inner[:60] + bytes(20) + inner[80:]
    assert refused(tmp_path, damaged, name="t.zip").sentence == wording.DAMAGED_ARCHIVE
    assert refused(tmp_path, archive({"a/": ""}), name="t.zip").sentence == wording.NO_FILES
    monkeypatch.setattr("algorithms.io.text.text_source.FREE_OF_RATIO", 1 << 20)
    bomb = archive({"a.csv": b"1,2\n" * (2 << 20)})
    assert wording.MORE_THAN_200_TIMES in refused(tmp_path, bomb, name="t.zip").sentence


def test_the_command_line_reads_a_file_of_an_archive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(written(tmp_path, archive({"a.csv": ROWS, "b.json": OTHER}), "t.zip"))
    assert main(["evaluate", path, "--sheet", "b.json", "--learner", "zero-r", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n"] == 20


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(["gzip", "bzip2", "xz", "zstd", "zip"]), st.data())
def test_any_change_of_a_package_is_read_or_refused(tmp_path: Path, packing: str, data: st.DataObject) -> None:
    whole = archive({"a.csv": ROWS}) if packing == "zip" else PACKS[packing](ROWS.encode())
    place = data.draw(st.integers(0, len(whole) - 1))
    changed = whole[:place] + data.draw(st.binary(max_size=3)) + whole[place + 1 :]
    try:
        read(written(tmp_path, changed, f"t.{packing}"), RunContext())
    except DataError as error:
        assert error.sentence.endswith(".")


@pytest.mark.parametrize("name", ["a" * 300 + ".csv", "a\x07\n.csv", "folder/\x1b[31m.csv"])
def test_files_of_any_name_in_an_archive_are_read(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, archive({name: ROWS}), "t.zip")
    assert sheets(path) == (name,) and len(read(path, RunContext())) == 40


def test_a_file_of_an_archive_that_fills_the_disk_is_refused_before_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path, archive({"t.csv": ROWS}), "t.zip")
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=len(ROWS)))
    assert len(read(path, RunContext())) == 40
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=len(ROWS) - 1))
    with pytest.raises(DataError) as caught:
        read(path, RunContext())
    assert caught.value.place == "t.zip" and caught.value.remedy == wording.FREE_SOME_SPACE
