"""Databases are read by their types, in transactions that can only read, and no file or sentence tells a password."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from algorithms.cli import main
from algorithms.core.errors import Cancelled, DataError, MissingExtraError, PasswordNeededError
from algorithms.core.extras import Extra
from algorithms.core.run_control import RunContext
from algorithms.data.columns import STRING
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.io import databases, servers
from algorithms.io.databases import ServerSource
from algorithms.io.reading import ReadOptions, format_of_file, read, sheet_list, sniff
from algorithms.io.servers import (
    PASSWORD_VARIABLE,
    SERVERS,
    ServerAddress,
    ServerKind,
    refuse_unsafe_words,
    source_name,
)
from algorithms.io.text.options import Style, single_select
from algorithms.io.writing import write_table
from tests.expected_texts import io as wording
from tests.postgres import PASSWORD, PostgresServer
from tests.waiting import PATIENCE, wait_until

TYPES = """
    CREATE TYPE mood AS ENUM ('sad', 'calm', 'happy');
    CREATE TABLE types AS SELECT
        i AS number, (i * 4)::smallint AS small, 9007199254740993 + i AS large, i / 4.0::float8 AS half,
        (i / 10.0)::real AS single, (i * 1.25)::numeric(8, 2) AS price, (i || '00000000000000000001')::numeric AS huge,
        i % 2 = 0 AS flag, date '2024-02-28' + i AS day, timestamp '1969-12-31 23:59:59.5' AS moment,
        timestamptz '2024-03-01 12:00:00+02' AS zoned, time '12:30' AS clock, interval '90 minutes' AS lasts,
        CASE WHEN i % 3 = 0 THEN NULL ELSE 'ä' || i % 4 END AS town, ''::text AS hollow,
        (ARRAY['happy', 'sad', 'calm'])[1 + i % 3]::mood AS mood, jsonb '{"a": 1}' AS detail, bytea '\\xff' AS picture,
        CASE WHEN i % 5 = 0 THEN NULL ELSE i END AS gaps
    FROM generate_series(0, 39) i;
    CREATE SCHEMA "other one"; CREATE TABLE "other one"."quo""ted" AS SELECT 1.5::float8 AS x, 'b' AS "Of %" ;
    CREATE VIEW "seen" AS SELECT town, number FROM types WHERE flag;"""


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """No password of the environment or of a key ring."""
    for name in ("PGPASSWORD", "PGPASSFILE", PASSWORD_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(servers, "remembered_password", lambda address: None)


@pytest.fixture(scope="module")
def filled(postgres: PostgresServer) -> PostgresServer:
    server = postgres.fresh("types")
    server.run(*TYPES.split(";\n"))
    return server


def context_of(server: PostgresServer) -> RunContext:
    context = RunContext()
    context.passwords[server.address] = PASSWORD
    return context


def fetched(server: PostgresServer, **options: Any) -> Dataset:
    return read(server.address, context_of(server), ReadOptions(**options))


def column(data: Dataset, name: str) -> list[Any]:
    index = data.schema.index_of(name)
    attribute = data.schema.attributes[index]
    cells = data.column(index).tolist()
    return [attribute.values[c] if c >= 0 else None for c in cells] if attribute.kind.is_coded else cells


# ---- addresses -------------------------------------------------------------------------------------------------------


def test_an_address_is_spelled_one_way_and_has_a_short_name() -> None:
    address = ServerAddress.of("postgres://ada%40x@[::1]/my%20shop?table=a.b&sslmode=require")
    assert str(address) == "postgresql://ada%40x@[::1]:5432/my%20shop?sslmode=require"
    assert (address.user, address.table, address.label) == ("ada@x", "a.b", wording.SHOP_ON_HOST)
    assert ServerAddress.of(str(address)) == ServerAddress.of(
        "postgresql://ada%40x@[::1]:5432/my%20shop?sslmode=require"
    )
    assert source_name("mysql://a@db/shop") == wording.OTHER_SHOP_ON_HOST


@pytest.mark.parametrize(
    "text",
    ["postgresql://ada:geheim@host/shop", "postgresql://ada@host/shop?password=geheim", "mysql://ada:geheim@h:x/shop"],
)
def test_an_address_with_a_password_is_refused_without_telling_it(text: str) -> None:
    with pytest.raises(DataError) as caught:
        ServerAddress.of(text)
    assert "geheim" not in str(caught.value) and "geheim" not in source_name(text)


@pytest.mark.parametrize("text", ["postgresql://host", "postgresql://host/db?host=evil", "oracle://h/db#x"])
def test_an_address_that_makes_no_sense_is_refused(text: str) -> None:
    with pytest.raises(DataError, match=wording.ADDRESS_MAKES_NO_SENSE):
        ServerAddress.of(text)


def test_an_absent_driver_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    absent = ServerKind("postgresql", "PostgreSQL", 5432, Extra("database", ("no-such-driver>=1",), ("no_driver",)))
    monkeypatch.setitem(SERVERS, "postgresql", absent)
    with pytest.raises(MissingExtraError) as caught:
        read("postgresql://host/db", RunContext())
    assert caught.value.remedy.endswith(wording.INSTALL_DRIVER)


# ---- queries ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    ["SELECT 1;", "-- why\nselect ';' AS \"a;b\"", "WITH a AS (SELECT 1) SELECT * FROM a", "(select 1) union select 2"],
)
def test_one_select_is_a_query(query: str) -> None:
    assert single_select(query, "x") == query.rstrip(";")


@pytest.mark.parametrize(
    "query", ["", "DROP TABLE t", "SELECT 1; DROP TABLE t", "/* select */ delete from t", "copy t to 'x'"]
)
def test_anything_else_is_none(query: str) -> None:
    with pytest.raises(DataError):
        single_select(query, "x")


# ---- PostgreSQL ------------------------------------------------------------------------------------------------------


def test_postgres_lists_tables_and_views_with_their_records(filled: PostgresServer) -> None:
    found = sheet_list(filled.address, context_of(filled))
    assert found.names == ("seen", "types", 'other one.quo"ted')
    assert found.sizes == {"types": 40, 'other one.quo"ted': 1}
    assert found.word == "table"


def test_postgres_types_are_carried_over(filled: PostgresServer) -> None:
    data = fetched(filled, sheet="types")
    kind_of = {attribute.name: attribute.kind for attribute in data.schema.attributes}
    assert column(data, "half")[:3] == [0.0, 0.25, 0.5]
    assert column(data, "single")[:4] == [0.0, 0.1, 0.2, 0.3]
    assert column(data, "price")[:3] == [0.0, 1.25, 2.5]
    assert column(data, "large")[:2] == ["9007199254740993", "9007199254740994"]
    assert column(data, "huge")[1:3] == ["100000000000000000001", "200000000000000000001"]
    assert column(data, "flag")[:2] == ["TRUE", "FALSE"]
    assert kind_of["day"] is kind_of["moment"] is kind_of["zoned"] is AttributeKind.DATE
    assert column(data, "day")[:2] == [1709078400.0, 1709164800.0]
    assert set(column(data, "moment")) == {-0.5} and set(column(data, "zoned")) == {1709287200.0}
    assert set(column(data, "clock")) == {12.5} and set(column(data, "lasts")) == {1.5}
    assert column(data, "town")[:3] == [None, "ä1", "ä2"]
    mood = data.schema.attributes[data.schema.index_of("mood")]
    assert (mood.kind, mood.values) == (AttributeKind.NOMINAL, ("sad", "calm", "happy"))
    assert column(data, "mood")[:3] == ["happy", "sad", "calm"]
    assert np.isnan(column(data, "gaps")[::5]).all() and column(data, "gaps")[1] == 1.0
    assert set(column(data, "detail")) == {'{"a": 1}'}
    assert "picture" not in data.schema and "picture" in data.origin.description
    assert data.origin.path == filled.address and data.origin.name == "types"


def test_postgres_reads_what_a_name_or_the_address_names_whatever_its_characters(filled: PostgresServer) -> None:
    assert column(fetched(filled, sheet='other one.quo"ted'), "x") == [1.5]
    assert len(read(f"{filled.address}?table=seen", context_of(filled))) == 20
    with pytest.raises(DataError, match=wording.HAS_SEVERAL_TABLES):
        fetched(filled)
    with pytest.raises(DataError, match=wording.HAS_NO_SUCH_TABLE):
        fetched(filled, sheet="types; DROP TABLE types")


def test_postgres_runs_a_query_with_names_that_occur_twice(filled: PostgresServer) -> None:
    data = fetched(filled, query="SELECT a.number, b.number, a.town FROM types a JOIN types b USING (number) -- all;")
    assert len(data) == 40 and len(data.schema) == 3
    assert sniff(filled.address, ReadOptions(query="SELECT 1")).query == "SELECT 1"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1) AS q; COMMIT; DROP TABLE types; SELECT (1",
        "WITH gone AS (DELETE FROM types RETURNING *) SELECT * FROM gone",
        "SELECT nextval('counter')",
        "SELECT set_config('transaction_read_only', 'off', false), lo_create(0)",
        "SELECT * INTO copied FROM types",
    ],
)
def test_postgres_refuses_a_query_that_writes(filled: PostgresServer, query: str) -> None:
    filled.run("CREATE SEQUENCE IF NOT EXISTS counter")
    with pytest.raises(DataError):
        fetched(filled, query=query)
    left = "SELECT (SELECT count(*) FROM types), (SELECT count(*) FROM pg_largeobject_metadata), to_regclass('copied')"
    with filled.connect() as connection:
        assert connection.execute(left).fetchone() == (40, 0, None)


def test_numbers_of_objects_are_numbers(filled: PostgresServer) -> None:
    data = fetched(filled, query="SELECT 4294967295::oid AS x UNION ALL SELECT NULL UNION ALL SELECT 7::oid")
    assert data.schema.attributes[0].kind is AttributeKind.NUMERIC
    assert [None if v != v else v for v in data.column(0).tolist()] == [4294967295.0, None, 7.0]


def test_long_texts_are_fetched_a_few_at_a_time(filled: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "BYTES_AT_A_TIME", 10_000)
    sizes = list[int]()
    chunks = databases.PostgresDatabase._chunks

    def noted(self: Any, copy: str) -> Iterator[tuple[bytes, int, int]]:
        for chunk in chunks(self, copy):
            sizes.append(len(chunk[0]))
            yield chunk

    monkeypatch.setattr(databases.PostgresDatabase, "_chunks", noted)
    data = fetched(filled, query="SELECT repeat('x', 3000) || i AS long, i FROM generate_series(1, 40) i")
    assert column(data, "i") == list(range(1, 41)) and len(set(column(data, "long"))) == 40
    assert len(sizes) > 8 and max(sizes) < 15_000


def test_texts_count_for_memory(filled: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(databases, "free_memory", lambda: 200_000)
    with pytest.raises(DataError, match=wording.FIT_INTO_MEMORY):
        fetched(filled, query="SELECT repeat('x', 3000) || i AS long FROM generate_series(1, 40) i")


def test_a_server_does_not_get_the_password_of_the_environment(
    filled: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    with pytest.raises(PasswordNeededError):
        read(filled.address, RunContext(), ReadOptions(sheet="types"))


def test_an_error_of_the_server_is_a_sentence(filled: PostgresServer) -> None:
    with pytest.raises(DataError, match=wording.SERVER_REFUSED):
        fetched(filled, query="SELECT nothing FROM types")


@pytest.mark.parametrize("given", [None, "wrong-one"])
def test_a_password_that_is_wanted_or_wrong_is_asked_for_without_telling_it(
    filled: PostgresServer, given: str | None
) -> None:
    context = RunContext()
    if given:
        context.passwords[filled.address] = given
    with pytest.raises(PasswordNeededError) as caught:
        read(filled.address, context)
    assert caught.value.address == filled.address
    assert ("wrong-one" not in str(caught.value) and "refused" in str(caught.value)) or given is None


def test_a_stop_does_not_wait_for_a_server_that_is_silent() -> None:
    context = RunContext()
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        timer = threading.Timer(0.3, context.cancel)
        timer.start()
        with pytest.raises(Cancelled):
            read(f"postgresql://ada@127.0.0.1:{silent.getsockname()[1]}/shop", context)
        assert "connecting" in {thread.name for thread in threading.enumerate()}, "it did not wait for the server"
        timer.join()


def test_the_password_of_the_environment_is_for_addresses_of_the_command_line_only(
    filled: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)
    with pytest.raises(PasswordNeededError):
        read(filled.address, RunContext(), ReadOptions(sheet="types"))


def test_a_server_that_does_not_answer_is_named(postgres: PostgresServer) -> None:
    with pytest.raises(DataError, match=wording.CANNOT_BE_REACHED):
        read("postgresql://tester@127.0.0.1:9/postgres", RunContext())


def test_many_rows_with_long_and_missing_texts_come_in_blocks(
    filled: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(databases, "ROWS_AT_A_TIME", 700)
    query = (
        "SELECT i, CASE WHEN i % 7 = 0 THEN NULL ELSE 'n' || i % 900 END AS label, repeat('x', i % 300) || i AS text "
        "FROM generate_series(1, 5000) i"
    )
    data = fetched(filled, query=query)
    assert column(data, "text") == [f"{'x' * (i % 300)}{i}" for i in range(1, 5001)]
    assert column(data, "label") == [None if i % 7 == 0 else f"n{i % 900}" for i in range(1, 5001)]
    one = "SELECT 1 AS a, 2 AS b FROM types LIMIT 1"
    assert len(fetched(filled, query=one)) == 1


def test_texts_with_one_hash_stay_apart(filled: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    from algorithms.io.typed import copy_kernels

    monkeypatch.setattr(copy_kernels, "are_alike", lambda *_: False)
    assert column(fetched(filled, sheet="types"), "town")[:3] == [None, "ä1", "ä2"]


def test_the_first_records_are_read_alone(filled: PostgresServer) -> None:
    with ServerSource(filled.address) as source:
        options = ReadOptions(sheet="types")
        assert len(databases.read_database(source, context_of(filled), options, limit=7)) == 7


def busy(server: PostgresServer) -> int:
    """The number of statements of the program that the server runs."""
    with server.connect() as connection:
        row = connection.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'Coppice' AND state <> 'idle'"
        ).fetchone()
    return int(row[0])


@pytest.mark.parametrize(
    "query", ["SELECT pg_sleep(60)", "SELECT a.* FROM types a, types b, types c, types d, types e, types f"]
)
def test_a_stop_ends_the_statement_on_the_server(filled: PostgresServer, query: str) -> None:
    context, is_cancelled = context_of(filled), threading.Event()

    def run() -> None:
        with pytest.raises(Cancelled):
            read(filled.address, context, ReadOptions(query=query))
        is_cancelled.set()

    thread = threading.Thread(target=run)
    thread.start()
    assert wait_until(lambda: busy(filled))
    context.cancel()
    assert is_cancelled.wait(PATIENCE)
    assert wait_until(lambda: not busy(filled)), "neither statement ends by itself before"
    thread.join()


def test_the_command_line_reads_a_table_and_a_query(
    filled: PostgresServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)
    arguments = ["evaluate", filled.address, "--learner", "zero-r", "--class", "mood", "--json"]
    assert main([*arguments, "--sheet", "types"]) == 0
    assert json.loads(capsys.readouterr().out)["classes"] == ["sad", "calm", "happy"]
    query, change = "SELECT mood, number FROM types WHERE mood <> 'sad'", "DELETE FROM types"
    assert main([*arguments, "--query", query]) == 0
    told = capsys.readouterr()
    assert set(json.loads(told.out)["classes"]) >= {"calm", "happy"}
    assert main([*arguments, "--query", change]) == 1
    assert main([*arguments, "--query", "SELECT 1", "--sheet", "types"]) == 2
    told = capsys.readouterr()
    assert PASSWORD not in told.out + told.err


def test_the_command_line_asks_for_a_password_at_a_terminal(
    filled: PostgresServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = list[str]()

    def answer(question: str) -> str:
        asked.append(question)
        return PASSWORD

    monkeypatch.setattr("getpass.getpass", answer)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    arguments = ["evaluate", filled.address, "--sheet", "types", "--class", "mood", "--learner", "zero-r"]
    assert main(arguments) == 0
    assert len(asked) == 1 and "tester" in asked[0]
    monkeypatch.setattr("sys.stdin.isatty", lambda: False)
    assert main(arguments) == 1
    told = capsys.readouterr()
    assert PASSWORD not in told.out + told.err + asked[0]


# ---- writing ---------------------------------------------------------------------------------------------------------

WRITTEN = Dataset(
    Schema(
        (
            Attribute("whole", AttributeKind.NUMERIC),
            Attribute("half", AttributeKind.NUMERIC),
            Attribute("large", AttributeKind.NUMERIC),
            Attribute('The "label", é', AttributeKind.NOMINAL, ("a,b", 'c"d', "NULL")),
            Attribute("day", AttributeKind.DATE),
            Attribute("moment", AttributeKind.DATE),
            Attribute("text", AttributeKind.TEXT),
        )
    ),
    [
        np.array([1.0, np.nan, -3.0]),
        np.array([0.1, 1e300, np.nan]),
        np.array([1e15, -0.0, 4.0]),
        np.array([0, -1, 2], dtype=np.int8),
        np.array([86400.0, np.nan, -86400.0]),
        np.array([0.5, 86400.25, np.nan]),
        np.array(["x\ny", np.nan, "'; DROP TABLE types; --"], dtype=object).astype(STRING),
    ],
    origin=DataOrigin("written"),
)
EXPECTED = [
    (1, 0.1, 1e15, "a,b", date(1970, 1, 2), datetime(1970, 1, 1, 0, 0, 0, 500_000), "x\ny"),
    (None, 1e300, 0.0, None, None, datetime(1970, 1, 2, 0, 0, 0, 250_000), None),
    (-3, None, 4.0, "NULL", date(1969, 12, 31), None, "'; DROP TABLE types; --"),
]


def rows_of(server: PostgresServer, table: str) -> list[tuple[Any, ...]]:
    with server.connect() as connection:
        return list(connection.execute(f'SELECT * FROM "{table}"').fetchall())


def write(server: PostgresServer, data: Dataset = WRITTEN, context: RunContext | None = None, **style: Any) -> None:
    write_table(server.address, data, context or context_of(server), Style(**style))


def test_a_table_is_created_replaced_appended_to_or_refused(filled: PostgresServer) -> None:
    filled.run('DROP TABLE IF EXISTS written, "written 2"')
    write(filled, existing="refuse")
    assert rows_of(filled, "written") == EXPECTED
    with pytest.raises(DataError, match=wording.HAS_TABLE_ALREADY):
        write(filled, existing="refuse")
    write(filled, existing="append")
    assert rows_of(filled, "written") == 2 * EXPECTED
    write(filled, existing="replace")
    assert rows_of(filled, "written") == EXPECTED
    write(filled, existing="rename")
    assert rows_of(filled, "written 2") == EXPECTED
    with pytest.raises(DataError, match=wording.HAS_VIEW_ALREADY):
        write(filled, table="seen", existing="replace")
    one = WRITTEN.select_columns([6])
    write(filled, one, table="one", existing="replace")
    assert rows_of(filled, "one") == [row[6:] for row in EXPECTED]


def test_a_text_that_ends_a_copy_is_written_as_any_other(filled: PostgresServer) -> None:
    texts = ["a", "\\.", "b"]
    one = Dataset(Schema((Attribute("x", AttributeKind.TEXT),)), [np.array(texts, dtype=object).astype(STRING)])
    write(filled, one, table="ends", existing="replace")
    assert rows_of(filled, "ends") == [(text,) for text in texts]


def test_records_that_do_not_fit_leave_the_table_as_it_was(filled: PostgresServer) -> None:
    filled.run(
        "DROP TABLE IF EXISTS narrow", "CREATE TABLE narrow (whole int, half int)", "INSERT INTO narrow VALUES (7)"
    )
    with pytest.raises(DataError, match=wording.LACKS_THE_COLUMNS):
        write(filled, table="narrow", existing="append")
    with pytest.raises(DataError):
        write(filled, WRITTEN.select_columns([0, 1]), table="narrow", existing="append")
    assert rows_of(filled, "narrow") == [(7, None)]
    for name in ("x" * 64, "\x00"):
        with pytest.raises(DataError):
            write(filled, table=name)


def test_a_stop_while_writing_leaves_the_database_as_it_was(filled: PostgresServer) -> None:
    filled.run("DROP TABLE IF EXISTS written", "CREATE TABLE written (old int)", "INSERT INTO written VALUES (1)")

    class StopsSoon(RunContext):
        def advance(self, done: int, total: int | None = None) -> None:
            super().advance(done, total)
            if done:
                self.cancel()

    context = StopsSoon()
    context.passwords.update(context_of(filled).passwords)
    with pytest.raises(Cancelled):
        write(filled, WRITTEN.take(np.zeros(20_000, dtype=np.int64)), context, existing="replace")
    assert rows_of(filled, "written") == [(1,)]


def test_the_command_line_writes_into_a_database(
    filled: PostgresServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, PASSWORD)
    filled.run("DROP TABLE IF EXISTS flowers")
    arguments = ["convert", "sample:iris", "--out", filled.address, "--table", "flowers"]
    assert main(arguments) == 0
    assert len(rows_of(filled, "flowers")) == 150
    assert main(arguments) == 1
    assert main([*arguments, "--if-exists", "append"]) == 0
    assert len(rows_of(filled, "flowers")) == 300
    told = capsys.readouterr()
    assert PASSWORD not in told.out + told.err


def test_other_servers_take_a_table_in_one_transaction(stand_in: str, tmp_path: Path) -> None:
    import sqlite3

    write_table(stand_in, WRITTEN, RunContext(), Style(existing="refuse"))
    write_table(stand_in, WRITTEN, RunContext(), Style(existing="append"))
    with pytest.raises(DataError, match=wording.HAS_TABLE_ALREADY):
        write_table(stand_in, WRITTEN, RunContext(), Style(existing="refuse"))
    with sqlite3.connect(tmp_path / "behind.sqlite") as base:
        found = base.execute("SELECT * FROM written").fetchall()
    base.close()
    assert [row[:4] for row in found] == 2 * [row[:4] for row in EXPECTED]
    assert [row[4] for row in found[:3]] == ["1970-01-02", None, "1969-12-31"]
    with pytest.raises(DataError, match=wording.LACKS_THE_COLUMNS):
        write_table(stand_in, WRITTEN, RunContext(), Style(table='pe"ople', existing="append"))


# ---- DuckDB ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def pond(tmp_path: Path) -> Path:
    """A DuckDB database with a table, a view and another schema."""
    duckdb = pytest.importorskip("duckdb", reason="the extra [database] is not installed")
    path = tmp_path / "pond.duckdb"
    with duckdb.connect(str(path)) as base:
        base.execute(
            """CREATE TYPE mood AS ENUM ('sad', 'calm', 'happy');
            CREATE TABLE types AS SELECT
                i AS number, CASE WHEN i % 3 = 0 THEN NULL ELSE 9007199254740993 + i END AS large,
                i / 4.0 AS half, (i * 1.25)::DECIMAL(9, 2) AS price, i::HUGEINT * 10000000000000000000 AS huge,
                i % 2 = 0 AS flag, DATE '2024-02-28' + i::INTEGER AS day, TIMESTAMPTZ '2024-03-01 12:00:00+02' AS zoned,
                TIME '12:30:00' AS clock, CASE WHEN i % 3 = 0 THEN NULL ELSE 'ä' || i % 4 END AS town,
                (['happy', 'sad', 'calm'])[1 + i % 3]::mood AS mood, '\\xFF'::BLOB AS picture, [i, 2] AS list
            FROM range(40) t(i);
            CREATE VIEW seen AS SELECT town, number FROM types WHERE flag;
            CREATE SCHEMA other; CREATE TABLE other."quo""ted" AS SELECT 1.5::DOUBLE AS x;"""
        )
    return path


def test_duckdb_files_are_recognised_with_their_tables(pond: Path) -> None:
    assert format_of_file(pond).name == "DuckDB"
    found = sheet_list(pond, RunContext())
    assert found.names == ("types", "seen", 'other.quo"ted')
    assert found.sizes == {"types": 40, 'other.quo"ted': 1}


def test_duckdb_types_are_carried_over(pond: Path) -> None:
    data = read(pond, RunContext())
    assert column(data, "number")[:2] == ["0", "1"]
    assert column(data, "large")[1:3] == ["9007199254740994", "9007199254740995"]
    assert column(data, "half")[1] == 0.25 and column(data, "price")[1] == 1.25
    assert column(data, "huge")[1] == "10000000000000000000"
    assert column(data, "flag")[:2] == ["TRUE", "FALSE"]
    assert column(data, "day")[:2] == [1709078400.0, 1709164800.0] and set(column(data, "zoned")) == {1709287200.0}
    assert set(column(data, "clock")) == {12.5}
    assert column(data, "town")[:3] == [None, "ä1", "ä2"]
    assert data.schema.attributes[data.schema.index_of("mood")].values == ("sad", "calm", "happy")
    assert "picture" not in data.schema
    assert column(data, "list")[1] == "[1, 2]"


def test_duckdb_runs_a_query_and_names_another_table(pond: Path) -> None:
    query = ReadOptions(query="FROM types WHERE flag")
    assert len(read(pond, RunContext(), query)) == 20
    assert column(read(pond, RunContext(), ReadOptions(sheet='other.quo"ted')), "x") == [1.5]


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM types",
        "SELECT 1) AS q; DROP TABLE types; SELECT (1",
        "SELECT * FROM read_text('/etc/hostname')",
        "SELECT * FROM '/etc/hostname'",
    ],
)
def test_duckdb_refuses_what_writes_or_reads_other_files(pond: Path, query: str) -> None:
    before = pond.read_bytes()
    with pytest.raises(DataError):
        read(pond, RunContext(), ReadOptions(query=query))
    assert pond.read_bytes() == before


def test_a_damaged_duckdb_file_is_refused(pond: Path) -> None:
    pond.write_bytes(pond.read_bytes()[:5000])
    with pytest.raises(DataError, match=wording.CANNOT_BE_OPENED):
        read(pond, RunContext())


def test_a_stop_ends_a_query_of_duckdb(pond: Path) -> None:
    context = RunContext()
    timer = threading.Timer(0.5, context.cancel)
    timer.start()
    with pytest.raises(Cancelled):  # the query would take hours
        read(pond, context, ReadOptions(query="SELECT sum(a.range * b.range) FROM range(10000000) a, range(100000) b"))
    timer.join()


# ---- the other servers, by SQLAlchemy --------------------------------------------------------------------------------


@pytest.fixture
def stand_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An address of MySQL behind which SQLAlchemy finds a SQLite file."""
    import sqlite3

    sqlalchemy = pytest.importorskip("sqlalchemy", reason="the extra [database] is not installed")
    path = tmp_path / "behind.sqlite"
    with sqlite3.connect(path) as base:
        base.execute('CREATE TABLE "pe""ople" (id INTEGER, name TEXT, size REAL)')
        base.executemany(
            'INSERT INTO "pe""ople" VALUES (?, ?, ?)', [(k, f"n{k % 3}", k / 4 or None) for k in range(90)]
        )
        base.execute('CREATE VIEW heads AS SELECT DISTINCT name FROM "pe""ople"')
    base.close()
    open_ = databases.OtherDatabase._open

    def opened(self: Any, _url: Any, _arguments: Any) -> None:
        open_(self, sqlalchemy.URL.create("sqlite", database=str(path)), {})

    monkeypatch.setattr(databases.OtherDatabase, "_open", opened)
    yield "mysql://ada@host/shop"


def test_other_servers_give_tables_views_and_queries(stand_in: str) -> None:
    assert sheet_list(stand_in, RunContext()).names == ('pe"ople', "heads")
    data = read(stand_in, RunContext(), ReadOptions(sheet='pe"ople'))
    assert column(data, "name")[:3] == ["n0", "n1", "n2"] and column(data, "size")[1] == 0.25
    assert np.isnan(column(data, "size")[0])
    query = ReadOptions(query="SELECT name || '%' || ':x' AS marked FROM heads ORDER BY 1 DESC;")
    assert column(read(stand_in, RunContext(), query), "marked") == ["n2%:x", "n1%:x", "n0%:x"]


def test_other_servers_refuse_a_query_that_writes(stand_in: str) -> None:
    for query in ('DELETE FROM "pe""ople"', 'WITH a AS (SELECT 1) DELETE FROM "pe""ople"'):
        with pytest.raises(DataError):
            read(stand_in, RunContext(), ReadOptions(query=query))
    assert len(read(stand_in, RunContext(), ReadOptions(sheet='pe"ople'))) == 90


@pytest.mark.parametrize(
    ("scheme", "query"),
    [
        ("mysql", "SELECT 1 INTO OUTFILE '/tmp/a'"),
        ("mysql", "SELECT '\\'' INTO DumpFile '/tmp/a'"),
        ("mysql", "SELECT 1 /*!50000 INTO @a */"),
        ("mssql", "SELECT 1 AS [']; COMMIT; DROP TABLE people --'"),
        ("mssql", "SELECT 1 EXEC xp_cmdshell 'dir'"),
        ("oracle", "WITH FUNCTION f RETURN NUMBER IS PRAGMA AUTONOMOUS_TRANSACTION"),
    ],
)
def test_words_that_write_in_spite_of_the_transaction_are_refused(scheme: str, query: str) -> None:
    with pytest.raises(DataError, match=wording.COULD_WRITE):
        refuse_unsafe_words(query, SERVERS[scheme], "shop")
    refuse_unsafe_words("SELECT executed, committed FROM outfiles", SERVERS[scheme], "shop")
    refuse_unsafe_words(query, SERVERS["postgresql"], "shop")


def test_a_query_of_another_server_is_looked_at_before_it_runs(stand_in: str) -> None:
    with pytest.raises(DataError, match=wording.COULD_WRITE):
        read(stand_in, RunContext(), ReadOptions(query="SELECT 'outfile' AS a"))


def test_a_connection_that_opens_after_a_stop_is_closed() -> None:
    """The stop may come between the answer of the server and the next look at it, or before the answer."""
    answers, closed = threading.Event(), threading.Event()

    class Opened:
        def close(self) -> None:
            closed.set()

    def connect() -> Any:
        assert answers.wait(PATIENCE)
        return Opened()

    context = RunContext()
    context.cancel()
    with pytest.raises(Cancelled):
        servers.awaited_connection(connect, context)
    assert not closed.is_set()
    answers.set()
    assert closed.wait(PATIENCE)


def test_a_connection_that_opened_just_before_a_stop_is_closed() -> None:
    opened, closed, context = threading.Event(), threading.Event(), RunContext()

    class Opened:
        def close(self) -> None:
            closed.set()

    def connect() -> Any:
        opened.set()
        return Opened()

    def checkpoint() -> None:
        """The wait has timed out; by now the server has answered, and the user stops."""
        assert opened.wait(PATIENCE)
        context.cancel()
        RunContext.checkpoint(context)

    context.checkpoint = checkpoint  # type: ignore[method-assign]
    slow = threading.Event()

    def connect_slowly() -> Any:
        slow.wait(2 * servers.POLL)
        return connect()

    with pytest.raises(Cancelled):
        servers.awaited_connection(connect_slowly, context)
    assert closed.wait(PATIENCE)


def test_a_connection_whose_transaction_cannot_begin_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = list[bool]()

    def refuse(_self: databases.OtherDatabase) -> None:
        raise RuntimeError("no transaction")

    def close(self: databases.OtherDatabase) -> None:
        closed.append(True)
        self.connection.close()

    sqlalchemy = pytest.importorskip("sqlalchemy")
    monkeypatch.setattr(databases.OtherDatabase, "_begin", refuse)
    monkeypatch.setattr(databases.OtherDatabase, "close", close)
    database = databases.OtherDatabase.__new__(databases.OtherDatabase)
    database._writes, database._sql = False, sqlalchemy
    with pytest.raises(RuntimeError):
        database._open("sqlite://", {})
    assert closed == [True]
