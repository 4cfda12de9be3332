"""Tables of SQLite databases are read by their values, and nothing in a database can do more than be read."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from algorithms.cli import main
from algorithms.core.errors import Cancelled, DataError
from algorithms.core.run_control import RunContext
from algorithms.data.schema import AttributeKind
from algorithms.io.reading import ReadOptions, read, sheet_list, sheets, sniff
from algorithms.io.text.options import describe
from algorithms.io.typed import sqlite
from tests.algorithms.io.helpers import cells, kinds, refused
from tests.expected_texts import io as wording
from tests.fuzz.typed_files import HOSTILE_VIEWS


@contextmanager
def made(path: Path) -> Iterator[sqlite3.Connection]:
    """A database to be filled, saved at the end."""
    with closing(sqlite3.connect(path)) as base:
        yield base
        base.commit()


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A database with an empty table, two tables with records, a view and a virtual table."""
    path = tmp_path / "shop.db"
    with made(path) as base:
        base.execute("CREATE TABLE hollow (x)")
        base.execute(
            "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT, size REAL, born DATE, picture BLOB, class)"
        )
        rows = [
            (k, f"n{k % 5}", None if k % 7 == 0 else k / 4, f"2024-01-{k % 28 + 1:02}", b"\xff\xd8", "ab"[k % 2])
            for k in range(90)
        ]
        base.executemany("INSERT INTO people VALUES (?, ?, ?, ?, ?, ?)", rows)
        base.execute('CREATE TABLE "quo""ted" (x)')
        base.execute('INSERT INTO "quo""ted" VALUES (1.5)')
        base.execute("CREATE VIEW heads AS SELECT name, count(*) AS n FROM people GROUP BY name")
        base.execute("CREATE VIRTUAL TABLE search USING fts5(body)")
    return path


def test_tables_and_views_are_its_sheets_with_their_sizes(shop: Path) -> None:
    assert sheets(shop) == ("hollow", "people", 'quo"ted', "heads")
    listed = sheet_list(shop, RunContext())
    assert listed.sizes == {"hollow": 0, "people": 90, 'quo"ted': 1} and listed.word == "table"
    assert listed.views == {"heads"} and [listed.word_of(name) for name in ("heads", "people")] == ["view", "table"]


def test_the_first_table_with_records_is_read_by_its_values(shop: Path) -> None:
    published: list[object] = []
    data = read(shop, RunContext(listener=published.append))
    assert published == [ReadOptions(sheet="people"), ReadOptions(sheet="people", missing=())]
    assert sniff(shop) == ReadOptions(sheet="people") and data.origin.name == "shop"
    assert {name: kind.value for name, kind in kinds(data).items()} == {
        "id": "identifier", "name": "nominal", "size": "numeric", "born": "date", "class": "nominal",
    }  # fmt: skip
    assert cells(data, "size")[:3] == [None, 0.25, 0.5] and cells(data, "born")[0] == 1704067200.0
    assert wording.LEFT_OUT_BINARY in data.origin.description and data.schema.classes == ("a", "b")
    assert describe(ReadOptions(sheet="people"), "table") == wording.TABLE_PEOPLE


def test_any_table_or_view_is_read_by_its_name(shop: Path) -> None:
    heads = read(shop, RunContext(), ReadOptions(sheet="heads"))
    assert heads.schema.names == ("name", "n") and len(heads) == 5
    assert cells(read(shop, RunContext(), ReadOptions(sheet='quo"ted')), "x") == [1.5]
    for sheet in ("gone", "search", "search_content"):
        error = refused(shop.parent, shop.read_bytes(), ReadOptions(sheet=sheet), name="copy.db")
        assert wording.no_table(sheet) in error.sentence and "people" in error.remedy
    error = refused(shop.parent, shop.read_bytes(), ReadOptions(sheet="hollow"), name="copy.db")
    assert wording.NO_RECORDS in error.sentence


def test_the_command_line_reads_a_table_by_its_name(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["evaluate", str(shop), "--learner", "zero-r", "--json"]
    assert main([*words, "--sheet", "people", "--class", "name"]) == 0
    assert json.loads(capsys.readouterr().out)["n"] == 90
    assert main([*words, "--sheet", "gone"]) == 1
    assert wording.no_table("gone") in capsys.readouterr().err


def test_values_of_several_types_in_a_column_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    values = [1, 2.5, "red", None, b"blue", 2**62, "n/a"] * 9
    with made(path) as base:
        base.execute("CREATE TABLE t (x, y, z)")
        base.executemany(
            "INSERT INTO t VALUES (?, ?, ?)", [(value, 2**60 + n, n or None) for n, value in enumerate(values)]
        )
    data = read(path, RunContext())
    assert cells(data, "x")[:7] == ["1", "2.5", "red", None, "blue", str(2**62), None]
    assert cells(data, "y")[:2] == [str(2**60), str(2**60 + 1)] and cells(data, "z")[:2] == [None, 1.0]


def test_texts_with_wrong_bytes_are_read_with_signs_for_these(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with made(path) as base:
        base.execute("CREATE TABLE t (x)")
        base.executemany("INSERT INTO t VALUES (CAST(? AS TEXT))", [(b"caf\xe9",), (b"tea",), (b"tea",)])
    assert cells(read(path, RunContext()), "x") == ["caf\ufffd", "tea", "tea"]


def test_reading_writes_nothing_beside_the_database(shop: Path) -> None:
    with made(shop) as base:
        base.execute("PRAGMA journal_mode = WAL").close()
    before = {path.name: path.read_bytes() for path in shop.parent.iterdir()}
    read(shop, RunContext())
    sheet_list(shop, RunContext())
    assert {path.name: path.read_bytes() for path in shop.parent.iterdir()} == before == {"shop.db": shop.read_bytes()}


def test_records_that_another_program_has_not_yet_merged_are_read(shop: Path) -> None:
    with closing(sqlite3.connect(shop, isolation_level=None)) as base:
        base.execute("PRAGMA journal_mode = WAL").close()
        base.execute("DELETE FROM people WHERE id > 40")
        assert len(read(shop, RunContext())) == 41


def test_a_database_that_another_program_writes_is_refused_as_in_use(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "PATIENCE", 0.01)
    with closing(sqlite3.connect(shop, isolation_level=None)) as base:
        base.execute("BEGIN EXCLUSIVE")
        with pytest.raises(DataError, match=wording.IS_IN_USE):
            read(shop, RunContext())


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the administrator may write everywhere")
def test_a_database_in_a_folder_that_may_not_be_written_is_read(shop: Path) -> None:
    shop.parent.chmod(0o500)
    try:
        assert len(read(shop, RunContext())) == 90
    finally:
        shop.parent.chmod(0o700)


@pytest.mark.parametrize("view", HOSTILE_VIEWS)
def test_no_view_does_harm(tmp_path: Path, view: str) -> None:
    path = tmp_path / "a.db"
    with made(path) as base:
        base.execute("CREATE TABLE things (word)")
        base.executemany("INSERT INTO things VALUES (?)", [("x" * 500,)] * 60)
        base.execute(f"CREATE VIEW hostile AS {view}")
    before = sorted(tmp_path.iterdir())
    try:
        read(path, RunContext(), ReadOptions(sheet="hostile"))
    except DataError as error:
        assert error.remedy
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("statement", ["SELECT * FROM pragma_database_list", "SELECT name FROM pragma_function_list"])
@pytest.mark.parametrize("without", [{"_SETTINGS": ()}, {"_allowed": lambda *_: sqlite3.SQLITE_OK}])
def test_each_line_of_defence_holds_without_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, statement: str, without: dict[str, Any]
) -> None:
    path = tmp_path / "a.db"
    with made(path) as base:
        base.execute(f"CREATE VIEW hostile AS {statement}")
    for name, value in without.items():
        monkeypatch.setattr(sqlite, name, value)
    with pytest.raises(DataError) as caught:
        read(path, RunContext(), ReadOptions(sheet="hostile"))
    assert caught.value.remedy == wording.KEEP_VIEW_AS_TABLE


def test_a_view_may_give_values_of_bounded_size(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    with made(path) as base:
        base.execute("CREATE VIEW large AS SELECT hex(zeroblob(40000000)) AS x")  # 80 MB
    with pytest.raises(DataError) as caught:
        read(path, RunContext(), ReadOptions(sheet="large"))
    assert caught.value.remedy


def endless(folder: Path) -> Path:
    path = folder / "a.db"
    with made(path) as base:
        numbers = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r)"
        base.execute(f"CREATE VIEW endless AS {numbers} SELECT x FROM r WHERE x < 0")
    return path


def test_a_view_that_never_ends_is_stopped(tmp_path: Path) -> None:
    context = RunContext()
    timer = threading.Timer(0.2, context.cancel)
    timer.start()
    with pytest.raises(Cancelled):
        read(endless(tmp_path), context, ReadOptions(sheet="endless"))
    timer.join()


def test_a_view_that_gives_no_record_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "SECONDS", 0.1)
    with pytest.raises(DataError, match=wording.GAVE_NO_RECORD):
        read(endless(tmp_path), RunContext(), ReadOptions(sheet="endless"))


@pytest.mark.parametrize("cell", ["x", "'red ' || x"])
def test_a_view_that_gives_records_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cell: str
) -> None:
    monkeypatch.setattr(sqlite, "LARGEST_RESULT", 1 << 20)
    path, context = tmp_path / "a.db", RunContext()
    with made(path) as base:
        numbers = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r)"
        base.execute(f"CREATE VIEW endless AS {numbers} SELECT {cell} AS x FROM r")
    timer = threading.Timer(20.0, context.cancel)
    timer.start()
    with pytest.raises(DataError, match=wording.GIVES_MORE_RECORDS) as caught:
        read(path, context, ReadOptions(sheet="endless"))
    timer.cancel()
    assert "LIMIT" in caught.value.remedy and caught.value.place == "a.db"


def test_tables_that_take_long_to_count_have_no_size(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "SECONDS_TO_COUNT", -1.0)
    monkeypatch.setattr(sqlite, "STEPS", 1)
    assert sheet_list(shop, RunContext()).sizes == {}


def test_packed_cut_off_and_empty_databases_are_refused(shop: Path) -> None:
    content = shop.read_bytes()
    assert "damaged" in refused(shop.parent, content[: len(content) // 3], name="b.db").sentence
    assert "damaged" in refused(shop.parent, content[:100] + bytes(9000), name="b.db").sentence
    with made(shop.with_name("empty.db")) as base:
        base.execute("CREATE TABLE t (x)")
        base.execute("DROP TABLE t")
    assert wording.NO_TABLES in refused(shop.parent, shop.with_name("empty.db").read_bytes(), name="b.db").sentence


def test_a_table_that_cannot_fit_into_memory_is_refused_before_it_is_read(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("algorithms.io.typed_columns.free_memory", lambda: 500)
    error = refused(shop.parent, shop.read_bytes(), ReadOptions(sheet="people"), name="copy.db")
    assert wording.RECORDS_OF_6_COLUMNS in error.sentence


def test_large_row_numbers_are_no_numbers_of_records(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.db"
    with made(path) as base:
        base.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, x)")
        base.executemany("INSERT INTO t VALUES (?, ?)", [(2**61 + n, n / 4) for n in range(200)])
    monkeypatch.setattr(sqlite, "SECONDS_TO_COUNT", -1.0)
    monkeypatch.setattr(sqlite, "STEPS", 1)
    steps: list[float] = []

    class Watched(RunContext):
        def advance(self, done: int, total: int | None = None) -> None:
            super().advance(done, total)
            steps.append(self.progress() or 0.0)

    read(path, Watched())
    assert len(steps) == 2 and steps[0] > 0.01 and steps[1] == 1.0


def test_progress_follows_the_records(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "CELLS_AT_A_TIME", 96)
    steps: list[float] = []

    class Watched(RunContext):
        def advance(self, done: int, total: int | None = None) -> None:
            super().advance(done, total)
            steps.append(self.progress() or 0.0)

    read(shop, Watched())
    assert len(steps) > 4 and steps == sorted(steps) and steps[-1] == 1.0


values = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
)


def spelled(value: object) -> str | None:
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else f"{value:.15g}"
    return None if value is None else str(value).strip() or None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.lists(values, min_size=1, max_size=50))
def test_any_values_come_back(tmp_path: Path, column: list[object]) -> None:
    path = tmp_path / "a.db"
    path.unlink(missing_ok=True)
    with made(path) as base:
        base.execute("CREATE TABLE t (x)")
        base.executemany("INSERT INTO t VALUES (?)", [(value,) for value in column])
    data = read(path, RunContext(), ReadOptions(kinds={"x": AttributeKind.TEXT}, missing=()))
    assert cells(data, "x") == [spelled(value) for value in column]


def test_a_table_named_like_a_virtual_table_is_listed_but_not_what_keeps_its_content(tmp_path: Path) -> None:
    path = tmp_path / "documents.db"
    with made(path) as base:
        base.execute("CREATE VIRTUAL TABLE doc USING fts5(body)")
        base.execute("CREATE VIRTUAL TABLE place USING rtree(id, low, high)")
        base.execute("CREATE TABLE doc_authors (name, papers)")
        base.execute("INSERT INTO doc_authors VALUES ('Ada', 3)")
    assert sheets(path, RunContext()) == ("doc_authors",)


def test_a_query_is_read_in_place_of_a_table(shop: Path, capsys: pytest.CaptureFixture[str]) -> None:
    query = "SELECT name, size * 2 AS double, class FROM people WHERE id < 30 -- some;"
    data = read(shop, RunContext(), ReadOptions(query=query))
    assert data.schema.names == ("name", "double", "class") and len(data) == 30
    assert sniff(shop, ReadOptions(query=query)).query == query
    assert sheet_list(shop, RunContext()).takes_query
    assert main(["evaluate", str(shop), "--query", query, "--learner", "zero-r", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["classes"] == ["a", "b"]


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM people",
        "SELECT 1; DELETE FROM people",
        "WITH a AS (SELECT 1) DELETE FROM people",
        "SELECT load_extension('x')",
        "SELECT * FROM pragma_database_list",
        "SELECT nothing FROM people",
        "SELECT FROM",
    ],
)
def test_a_query_that_does_more_than_read_is_refused(shop: Path, query: str) -> None:
    before = shop.read_bytes()
    with pytest.raises(DataError) as caught:
        read(shop, RunContext(), ReadOptions(query=query))
    assert caught.value.remedy and shop.read_bytes() == before
    assert not shop.with_name(f"{shop.name}-journal").exists()


def test_a_file_that_is_no_database_takes_no_query(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(DataError, match=wording.NO_DATABASE_NO_QUERY):
        read(path, RunContext(), ReadOptions(query="SELECT 1"))
