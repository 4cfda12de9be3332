"""A table is written into a database whole or not at all, and the rest of the database stays."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from algorithms.core.errors import Cancelled, DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import STRING
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from algorithms.io.text.options import Style
from algorithms.io.typed.sqlite import CELLS_AT_A_TIME, write_sqlite
from tests.expected_texts import io as wording

NAME = 'it\'s "quoted"; DROP TABLE kept'


def small(n: int = 3, name: str = "small") -> Dataset:
    schema = Schema((numeric("size"), nominal('a "b"', ("x", "y")), Attribute("day", AttributeKind.DATE)))
    columns = [np.arange(n) * 1.5, np.arange(n) % 3 - 1, np.where(np.arange(n) == 1, np.nan, np.arange(n) * 86400.0)]
    return Dataset(schema, columns, origin=DataOrigin(name))


def rows(path: Path, statement: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(statement).fetchall()


def everything(path: Path, table: str = "small") -> list[tuple[Any, ...]]:
    return rows(path, f'SELECT * FROM "{table}"')


def count(path: Path, table: str = "small") -> int:
    return len(everything(path, table))


def made(path: Path, *statements: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()
    return path


def test_a_new_database_declares_types_and_names_are_quoted(tmp_path: Path) -> None:
    path = tmp_path / "a.sqlite"
    whole = small().with_new_column(numeric("n"), [1.0, np.nan, -3.0])
    write_sqlite(path, whole, style=Style(table=NAME))
    ((found,),) = rows(path, "SELECT name FROM sqlite_schema")
    assert found == NAME
    quoted = NAME.replace('"', '""')
    types = {name: type for _, name, type, *_ in rows(path, f'PRAGMA table_info("{quoted}")')}
    assert types == {"size": "REAL", 'a "b"': "TEXT", "day": "DATE", "n": "INTEGER"}
    assert everything(path, quoted) == [
        (0.0, None, "1970-01-01", 1),
        (1.5, "x", None, None),
        (3.0, "y", "1970-01-03", -3),
    ]
    assert [p.name for p in tmp_path.iterdir()] == ["a.sqlite"]


def test_a_database_keeps_its_other_tables_and_an_existing_one_is_changed_only_when_asked(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db", "CREATE TABLE kept (x)", "INSERT INTO kept VALUES (7)", "CREATE VIEW v AS SELECT 1")
    write_sqlite(path, small(), style=Style(existing="refuse"))
    with pytest.raises(DataError, match=wording.SMALL_EXISTS):
        write_sqlite(path, small(5), style=Style(existing="refuse"))
    assert count(path) == 3
    write_sqlite(path, small(5), style=Style(existing="replace"))
    assert count(path) == 5
    write_sqlite(path, small(4), style=Style(existing="append"))
    assert count(path) == 9
    write_sqlite(path, small(2, "SMALL"), style=Style())
    assert count(path, "SMALL 2") == 2
    with pytest.raises(DataError, match=wording.VIEW_EXISTS):
        write_sqlite(path, small(5), style=Style(table="v", existing="replace"))
    assert everything(path, "kept") == [(7,)]


def test_records_are_appended_by_the_names_of_their_columns(tmp_path: Path) -> None:
    statement = 'CREATE TABLE small (id INTEGER PRIMARY KEY, "Day", "A ""B""" TEXT, size REAL, note DEFAULT \'none\')'
    path = made(tmp_path / "a.db", statement)
    write_sqlite(path, small(2), style=Style(existing="append"))
    assert everything(path) == [(1, "1970-01-01", None, 0.0, "none"), (2, None, "x", 1.5, "none")]
    with pytest.raises(DataError, match=wording.SMALL_LACKS_EXTRA):
        write_sqlite(path, small(2).with_new_column(numeric("extra"), [1.0, 2.0]), style=Style(existing="append"))
    assert count(path) == 2


@pytest.mark.parametrize("existing", ["append", "replace", "rename"])
def test_a_stop_in_the_middle_leaves_the_database_as_it_was(tmp_path: Path, existing: str) -> None:
    path = tmp_path / "a.db"
    write_sqlite(path, small())
    before = path.read_bytes()
    context = RunContext()
    data, asked = small(CELLS_AT_A_TIME), list[int]()
    original = context.checkpoint

    def stop_at_the_third() -> None:
        asked.append(1)
        if len(asked) == 3:
            context.cancel()
        original()

    context.checkpoint = stop_at_the_third  # type: ignore[method-assign]
    with pytest.raises(Cancelled):
        write_sqlite(path, data, context, Style(existing=existing))
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.db"]


def test_a_failure_of_the_database_undoes_all(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db", 'CREATE TABLE small (size REAL UNIQUE, "a ""b""" TEXT, day DATE)')
    write_sqlite(path, small(), style=Style(existing="append"))
    with pytest.raises(DataError, match=wording.UNIQUE_FAILED):
        write_sqlite(path, small(), style=Style(existing="append"))
    assert count(path) == 3


def test_a_database_in_use_and_a_file_that_is_none_are_refused(tmp_path: Path) -> None:
    path = made(tmp_path / "a.db", "CREATE TABLE kept (x)")
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(DataError, match=wording.IN_USE_BY_ANOTHER):
            write_sqlite(path, small())
    text = tmp_path / "b.sqlite"
    text.write_text("my notes")
    with pytest.raises(DataError, match=wording.NO_SQLITE_DATABASE):
        write_sqlite(text, small())
    assert text.read_text() == "my notes"


def test_names_that_no_table_has_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    twins = Dataset(Schema((numeric("Size"), numeric("size"))), [[1.0], [2.0]])
    with pytest.raises(DataError, match=wording.SAME_COLUMN):
        write_sqlite(path, twins)
    wide = Dataset(Schema(tuple(numeric(f"x{i}") for i in range(2001))), [[1.0]] * 2001)
    with pytest.raises(DataError, match=wording.ROOM_FOR_2000):
        write_sqlite(path, wide)
    with pytest.raises(DataError, match=wording.NO_NAME_OF_A_TABLE):
        write_sqlite(path, small(), style=Style(table="sqlite_stat1"))
    assert not path.exists()
    text = Dataset(Schema((Attribute("t", AttributeKind.TEXT),)), [np.array(["=1+1"], dtype=STRING)])
    write_sqlite(path, text, style=Style(table="table"))
    assert everything(path, "table") == [("=1+1",)]


def test_a_free_name_is_none_of_an_index_and_only_ascii_letters_have_no_case(tmp_path: Path) -> None:
    path = made(tmp_path / "a.sqlite", "CREATE TABLE kept (x)", "CREATE INDEX small ON kept (x)")
    write_sqlite(path, small())
    for name in ("Straße", "STRASSE", "Ä", "ä"):
        write_sqlite(path, small(), style=Style(table=name, existing="replace"))
    names = {name for (name,) in rows(path, "SELECT name FROM sqlite_schema WHERE type = 'table'")}
    assert names == {"kept", "small 2", "Straße", "STRASSE", "Ä", "ä"}
    same = Dataset(Schema((numeric("Äb"), numeric("ÄB"))), [np.arange(2.0)] * 2)
    with pytest.raises(DataError, match=wording.THE_SAME_COLUMN):
        write_sqlite(path, same)


def test_moments_keep_microseconds_and_no_name_has_a_zero_character(tmp_path: Path) -> None:
    path, moments = tmp_path / "a.db", Attribute("when", AttributeKind.DATE)
    data = Dataset(Schema((moments,)), [np.array([-0.25, np.nan, 1.5])], origin=DataOrigin("t"))
    write_sqlite(path, data)
    assert everything(path, "t") == [("1969-12-31 23:59:59.750000",), (None,), ("1970-01-01 00:00:01.500000",)]
    with pytest.raises(DataError, match=wording.ZERO_IN_A_NAME):
        write_sqlite(path, data, style=Style(table="a\0b"))


def test_a_stop_comes_too_late_once_an_old_database_is_committed(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    write_sqlite(path, small())
    committed, context = list[int](), RunContext()
    own = context.commit

    def commit() -> None:
        committed.append(count(path))
        own()

    context.commit = commit  # type: ignore[method-assign]
    write_sqlite(path, small(5), context, Style(existing="replace"))
    assert (committed, count(path)) == ([3], 5)
