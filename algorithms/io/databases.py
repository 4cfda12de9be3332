"""Tables, views and queries of databases: PostgreSQL, MySQL, SQL Server and Oracle by address, DuckDB by file.

Everything is read in a transaction that can only read; a query is one SELECT statement. A stop cancels the statement on
the server. No error tells a password.

PostgreSQL sends rows as binary COPY, which compiled loops split; DuckDB gives columns; other drivers give rows in
blocks. The types of the database decide what is read as numbers, dates, labels and texts.

Sources: PostgreSQL's documentation of COPY (Binary Format) and of SET TRANSACTION; PEP 249.
"""

from __future__ import annotations

import re
import selectors
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from algorithms.core import extras
from algorithms.core.errors import DataError, PasswordNeededError
from algorithms.core.run_control import RunContext, free_memory
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.number_formats import PLAIN
from algorithms.io.servers import (
    PASSWORD_VARIABLE,
    POLL,
    ServerAddress,
    awaited_connection,
    password_of,
    refuse_unsafe_words,
)
from algorithms.io.text.options import ReadOptions, single_select
from algorithms.io.text.text_source import TextFile, helpers, in_order
from algorithms.io.typed_columns import PLAIN_COLUMN, ColumnCells, ColumnDetails, TypedTable, no_records, spelling
from algorithms.text.sentences import and_more

SECONDS_TO_CONNECT: Final = 10
SECONDS_TO_COUNT: Final = 1.0
"""Time for counting the records of all tables; those that take longer are estimated by the server."""
ROWS_AT_A_TIME: Final = 16_384
BYTES_AT_A_TIME: Final = 16 << 20
CELLS_AT_A_TIME: Final = 20_000
AGAIN: Final = 0.5
"""Seconds after which a cancellation is sent again."""
_EPOCH: Final = 946_684_800
"""Seconds from 1970 to 2000, from which PostgreSQL counts."""
_MISSING_PASSWORD: Final = re.compile(r"password|authenticat|Login failed|Access denied|ORA-01017|ORA-01005", re.I)


# ---- what a database holds -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class DatabaseTable:
    """A table or view: its name as SQL writes it, its number of records if known, and whether that is exact."""

    reference: str
    is_view: bool = False
    n_records: int | None = None
    is_exact: bool = True


Payload = tuple[str, tuple[Any, ...]]
"""The name of a method of :class:`ColumnCells` and its arguments."""


class Database(ABC):
    """An open connection that can only read; ``secret`` is a password that no error may tell."""

    def __init__(
        self, label: str, context: RunContext, faults: tuple[type[Exception], ...], secret: str | None = None
    ) -> None:
        """``faults`` are the errors of the driver."""
        self.label, self.context, self.faults, self._secret = label, context, faults, secret

    @abstractmethod
    def close(self) -> None:
        """End the connection."""

    @abstractmethod
    def cancel(self) -> None:
        """End the statement that runs; called in another thread."""

    @abstractmethod
    def tables(self, counted: bool) -> dict[str, DatabaseTable]:
        """The tables and views by name; with ``counted`` also their numbers of records."""

    @abstractmethod
    def open_select(self, source: str, limit: int | None) -> SelectResult:
        """The result of reading from ``source``, a table's name or a query in parentheses."""

    def error(self, fault: Exception) -> DataError:
        """The user's error for one of the driver, without the password."""
        reason = one_line(_words_of(fault), self._secret)
        return DataError(
            f"{self.label} refused: {reason}",
            remedy="Correct the query, or choose another table.",
            place=self.label,
        )


@dataclass(eq=False)
class SelectResult:
    """The result of a statement: its columns, and blocks of their cells in order.

    ``blocks`` yields for each block its number of rows and the cells of each column. ``left_out`` are the names of
    columns of binary data. ``size`` is about the number of records, 0 if unknown.
    """

    names: list[str]
    details: list[ColumnDetails]
    blocks: Iterator[tuple[int, list[Payload]]]
    left_out: list[str] = field(default_factory=list)
    size: int = 0


def _words_of(fault: Exception) -> str:
    """What a driver says, without what SQLAlchemy adds around it, and without the number of the error."""
    own = getattr(fault, "orig", None) or fault
    return str(own.args[-1]) if len(own.args) > 1 and isinstance(own.args[-1], str) else str(own)


def one_line(text: str, secret: str | None = None) -> str:
    """An error of a driver as one line without the password, ended by a full stop."""
    text = " ".join(text.replace(secret, "***").split() if secret else text.split())
    return text.rstrip(".") + "."


def quoted(name: str, marks: str = '""') -> str:
    """A name as SQL writes it, whatever characters it has."""
    return f"{marks[0]}{name.replace(marks[1], 2 * marks[1])}{marks[1]}"


class PostgresDatabase(Database):
    """A database of PostgreSQL; with ``writes`` its transaction can also write."""

    def __init__(
        self, address: ServerAddress, context: RunContext, secret: str | None = None, writes: bool = False
    ) -> None:
        import psycopg

        super().__init__(address.label, context, (psycopg.Error,), secret)
        given: dict[str, Any] = {"user": address.user, **dict(address.parameters)}
        self.connection = psycopg.connect(
            host=address.host,
            port=address.port or address.kind.port,
            dbname=address.database,
            connect_timeout=SECONDS_TO_CONNECT,
            application_name="Coppice",
            client_encoding="utf8",
            password=secret or "",  # none would be that of the environment, for whatever server
            **{name: value for name, value in given.items() if value},
        )
        self.connection.read_only = not writes

    def close(self) -> None:
        self.connection.close()

    def cancel(self) -> None:
        self.connection.cancel_safe(timeout=AGAIN)

    def tables(self, counted: bool) -> dict[str, DatabaseTable]:
        rows = self.connection.execute(_POSTGRES_TABLES).fetchall()
        deadline, tables = time.monotonic() + SECONDS_TO_COUNT, dict[str, DatabaseTable]()
        for schema, name, is_current, is_view, about in rows:
            reference = f"{quoted(schema)}.{quoted(name)}"
            n = self._count(reference, deadline) if counted and not is_view else None
            is_exact = n is not None
            n = round(about) if n is None and about >= 0 and not is_view else n
            tables[name if is_current else f"{schema}.{name}"] = DatabaseTable(reference, is_view, n, is_exact)
        return tables

    def _count(self, reference: str, deadline: float) -> int | None:
        left = round(1000 * (deadline - time.monotonic()))
        if left < 1:
            return None
        with suppress(*self.faults), self.connection.transaction():
            self.connection.execute(f"SET LOCAL statement_timeout = {left}".encode())
            row = self.connection.execute(f"SELECT count(*) FROM {reference}".encode()).fetchone()
            return None if row is None else int(row[0])
        self.context.checkpoint()
        return None

    def open_select(self, source: str, limit: int | None) -> SelectResult:
        # only what is sent as binary is sent so that a second statement is refused
        described = self.connection.execute(f"SELECT * FROM {source} AS q LIMIT 0".encode(), binary=True).description
        columns = described or []
        labels = self._enum_labels([column.type_code for column in columns])
        names, details, expressions, readers, left_out = [], [], [], [], []
        for number, column in enumerate(columns):
            if column.type_code == _BYTEA:
                left_out.append(column.name)
                continue
            cast, reader = _postgres_type(column.type_code, column.precision)
            names.append(column.name)
            details.append(ColumnDetails(labels={label: label for label in labels.get(column.type_code, ())}))
            expressions.append(cast.format(f"c{number}"))
            readers.append(reader)
        aliases = ", ".join(f"c{number}" for number in range(len(columns)))
        end = "" if limit is None else f" LIMIT {limit}"
        copy = f"COPY (SELECT {', '.join(expressions)} FROM {source} AS q({aliases}){end}) TO STDOUT (FORMAT binary)"
        return SelectResult(names, details, self._blocks(copy, readers), left_out)

    def _enum_labels(self, types: Sequence[int]) -> dict[int, list[str]]:
        """The labels of the enumerations among the types, in their order."""
        labels: dict[int, list[str]] = {}
        statement = (
            "SELECT enumtypid, enumlabel FROM pg_catalog.pg_enum WHERE enumtypid = ANY(%s) ORDER BY enumsortorder"
        )
        for type_code, label in self.connection.execute(statement, [list(types)]):
            labels.setdefault(type_code, []).append(label)
        return labels

    def _blocks(self, copy: str, readers: Sequence[str]) -> Iterator[tuple[int, list[Payload]]]:
        from algorithms.io.typed import copy_kernels

        work = partial(_decoded, copy_kernels, tuple(readers))
        with helpers(self.context.executor, wanted=True) as executor:
            yield from in_order(executor, work, self._chunks(copy), self.context.checkpoint)

    def _chunks(self, copy: str) -> Iterator[tuple[bytes, int, int]]:
        """Whole rows as bytes, where they begin, and the largest number of rows in them.

        libpq gives a row at a time, in half the time that the cursor of the driver takes.
        """
        from psycopg import errors, pq

        connection, data, n, begin = self.connection.pgconn, bytearray(), 0, -1
        result: Any = connection.exec_(copy.encode())
        if result.status != pq.ExecStatus.COPY_OUT:
            raise errors.error_from_result(result)
        next_row = connection.get_copy_data
        with selectors.DefaultSelector() as selector:
            selector.register(connection.socket, selectors.EVENT_READ)
            while True:
                size, row = next_row(1)
                if size > 0:
                    data += row  # a list of rows would wake the garbage collector again and again
                    n += 1
                    if n == ROWS_AT_A_TIME or len(data) >= BYTES_AT_A_TIME:
                        begin = _header_size(data) if begin < 0 else 0
                        yield bytes(data), begin, n
                        data, n = bytearray(), 0
                elif size == 0:
                    self.context.checkpoint()
                    if selector.select(POLL):
                        connection.consume_input()
                else:
                    break
        result = connection.get_result()
        if result is not None and result.status != pq.ExecStatus.COMMAND_OK:
            raise errors.error_from_result(result)
        if n:
            yield bytes(data), _header_size(data) if begin < 0 else 0, n


def _header_size(data: bytearray) -> int:
    """The number of bytes before the first row: a signature of 11, flags of 4, and an extension with its length."""
    return 19 + int.from_bytes(data[15:19], "big")


_POSTGRES_TABLES: Final = """
    SELECT n.nspname, c.relname, n.nspname = current_schema(), c.relkind IN ('v', 'f'), c.reltuples::float8
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition
      AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\\_t%'
      AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')
    ORDER BY n.nspname <> current_schema(), n.nspname, c.relname"""
_BYTEA, _OID, _NUMERIC, _INTERVAL, _TIMETZ = 17, 26, 1700, 1186, 1266
_POSTGRES_READERS: Final = {
    **dict.fromkeys((21, 23, 20, 26), "integers"),
    **dict.fromkeys((25, 1043, 1042, 19), "texts"),
    16: "flags",
    700: "floats4",
    701: "floats",
    1082: "days",
    1114: "moments",
    1184: "moments",
    1083: "times",
}
"""How the bytes of a type are read, by the number of the type."""
_EXACT_DIGITS: Final = 15


def _postgres_type(type_code: int, precision: int | None) -> tuple[str, str]:
    """The expression that is read of a column, with its name as {}, and how its bytes are read."""
    if type_code == _NUMERIC and precision is not None and precision <= _EXACT_DIGITS:
        return "{}::float8", "floats"
    if type_code == _INTERVAL:
        return "(extract(epoch FROM {}) / 3600)::float8", "hours"
    if type_code == _TIMETZ:
        return "{}::time", "times"
    cast = "{}::int8" if type_code == _OID else "{}" if type_code in _POSTGRES_READERS else "{}::text"
    return cast, _POSTGRES_READERS.get(type_code, "texts")


def _decoded(kernels: Any, readers: tuple[str, ...], chunk: tuple[bytes, int, int]) -> tuple[int, list[Payload]]:
    """In a worker: the number of rows in a chunk of COPY and the cells of each column."""
    raw, begin, capacity = chunk
    data = np.frombuffer(raw, dtype=np.uint8)
    shape = len(readers), capacity
    values, starts, lengths = (np.empty(shape, dtype=np.int64) for _ in range(3))
    is_text = np.array([reader == "texts" for reader in readers])
    n = kernels.split_rows(data, begin, is_text, values, starts, lengths)
    if n < 0:
        raise DataError("The server sent rows that make no sense.", remedy="Try again.")
    cells = []
    for reader, own, start, length in zip(readers, values[:, :n], starts[:, :n], lengths[:, :n], strict=True):
        missing = length < 0
        if reader == "texts":
            cells.append(_labels(kernels, raw, data, own, start, length))
        elif reader == "flags":
            cells.append(("add_labels", (np.where(missing, -1, own), (spelling(False), spelling(True)))))
        elif reader == "integers":
            cells.append(("add_integers", (own, missing if missing.any() else None)))
        else:
            method, convert = _NUMBERS[reader]
            numbers = convert(own)
            numbers[missing] = np.nan
            cells.append((method, (numbers,)))
    return n, cells


_NUMBERS: Final[Mapping[str, tuple[str, Callable[[IntArray], FloatArray]]]] = {
    "floats": ("add", lambda bits: bits.copy().view(np.float64)),
    "floats4": ("add", lambda bits: _shortest(bits.astype(np.uint32).view(np.float32))),
    "days": ("add_moments", lambda days: days.astype(np.float64) * 86400.0 + _EPOCH),
    "moments": ("add_moments", lambda moments: moments / 1e6 + _EPOCH),
    "times": ("add_hours", lambda moments: moments / 3.6e9),
    "hours": ("add_hours", lambda bits: bits.copy().view(np.float64)),
}


def _shortest(values: NDArray[np.float32]) -> FloatArray:
    """Single floats as the doubles that have the same shortest decimal: 0.1, not 0.10000000149."""
    wide = values.astype(np.float64)
    with np.errstate(all="ignore"):
        digits = 6 - np.floor(np.log10(np.abs(wide)))
        scale = 10.0 ** np.clip(np.where(np.isfinite(digits), digits, 0), -300, 300)
        rounded: FloatArray = np.round(wide * scale) / scale
        same = rounded.astype(np.float32) == values
    shortest: FloatArray = np.where(same, rounded, wide)
    return shortest


def _labels(
    kernels: Any, raw: bytes, data: NDArray[np.uint8], hashes: IntArray, starts: IntArray, lengths: IntArray
) -> Payload:
    """The texts of a column as codes into distinct labels."""
    present = lengths >= 0
    codes = np.full(len(hashes), -1, dtype=np.int64)
    own, distinct = pd.factorize(hashes[present])
    codes[present] = own
    rows = np.flatnonzero(present)[::-1]
    first = np.empty(len(distinct), dtype=np.int64)
    first[codes[rows]] = rows
    if not kernels.are_alike(data, starts, lengths, codes, first):  # two texts have one hash
        spans = zip(starts.tolist(), lengths.tolist(), strict=True)
        texts = [raw[start : start + n].decode("utf-8", "replace") if n >= 0 else None for start, n in spans]
        each, labels = pd.factorize(np.array(texts, dtype=object))
        return "add_labels", (each, list(labels))
    spans = zip(starts[first].tolist(), lengths[first].tolist(), strict=True)
    return "add_labels", (codes, [raw[start : start + n].decode("utf-8", "replace") for start, n in spans])


class _DuckDB(Database):
    """A file of DuckDB, opened so that it can only be read and no statement reaches another file."""

    def __init__(self, path: Path, context: RunContext) -> None:
        import duckdb

        super().__init__(path.name, context, (duckdb.Error,))
        memory = (free_memory() or 4 << 30) // 2
        config: dict[str, Any] = {"enable_external_access": "false", "memory_limit": f"{memory}B"}
        config |= {"lock_configuration": "true"}
        config |= {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
        self.connection = duckdb.connect(str(path), read_only=True, config=config)

    def close(self) -> None:
        self.connection.close()

    def cancel(self) -> None:
        self.connection.interrupt()

    def tables(self, counted: bool) -> dict[str, DatabaseTable]:
        views = self.connection.execute(_DUCKDB_TABLES).fetchall()
        sizes = self.connection.execute(
            "SELECT schema_name, table_name, estimated_size FROM duckdb_tables()"
        ).fetchall()
        size_of = {(schema, name): size for schema, name, size in sizes}
        tables = {}
        for schema, name, type_ in views:
            n = size_of.get((schema, name))
            shown = name if schema == "main" else f"{schema}.{name}"
            tables[shown] = DatabaseTable(f"{quoted(schema)}.{quoted(name)}", type_ == "VIEW", n)
        return tables

    def open_select(self, source: str, limit: int | None) -> SelectResult:
        described = self.connection.execute(f"DESCRIBE SELECT * FROM {source} AS q").fetchall()
        names, details, expressions, pairs, left_out = [], [], [], list[bool](), []
        for number, (name, type_, *_) in enumerate(described):
            if type_ in ("BLOB", "BIT"):
                left_out.append(name)
                continue
            names.append(name)
            own, is_integer = f"c{number}", type_ in _DUCKDB_INTEGERS
            details.append(self._details(own, type_, described, source))
            pairs.append(is_integer)
            if is_integer:  # missing ones would make the others floats
                expressions += [f"coalesce({own}, 0)", f"{own} IS NULL"]
            else:
                expressions.append(_duckdb_expression(type_).format(own))
        aliases = ", ".join(f"c{number}" for number in range(len(described)))
        end = "" if limit is None else f" LIMIT {limit}"
        statement = f"SELECT {', '.join(expressions)} FROM {source} AS q({aliases}){end}"
        return SelectResult(names, details, self._blocks(statement, pairs), left_out)

    def _details(self, own: str, type_: str, described: Sequence[Any], source: str) -> ColumnDetails:
        """The labels of an enumeration in their order."""
        if not type_.startswith("ENUM("):
            return PLAIN_COLUMN
        aliases = ", ".join(f"c{number}" for number in range(len(described)))
        row = self.connection.execute(f"SELECT enum_range({own}) FROM {source} AS q({aliases}) LIMIT 1").fetchone()
        return PLAIN_COLUMN if row is None else ColumnDetails(labels={label: label for label in row[0]})

    def _blocks(self, statement: str, pairs: Sequence[bool]) -> Iterator[tuple[int, list[Payload]]]:
        result = self.connection.execute(statement)
        while len(frame := result.fetch_df_chunk(max(1, CELLS_AT_A_TIME // (2048 * max(1, len(pairs)))))):
            columns, cells = iter([frame.iloc[:, i] for i in range(frame.shape[1])]), list[Payload]()
            for is_pair in pairs:
                series = next(columns)
                if is_pair:
                    missing = next(columns).to_numpy(dtype=np.bool_)
                    integers = series.to_numpy(dtype=np.int64)
                    cells.append(("add_integers", (integers, missing if missing.any() else None)))
                else:
                    cells.append(("add_series", (series,)))
            yield len(frame), cells


_DUCKDB_TABLES: Final = """
    SELECT table_schema, table_name, table_type FROM information_schema.tables
    ORDER BY table_schema <> 'main', table_schema, table_type, table_name"""
_DUCKDB_INTEGERS: Final = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER")
_DUCKDB_PLAIN: Final = re.compile(r"BOOLEAN|FLOAT|DOUBLE|VARCHAR|DATE|TIMESTAMP.*|TIME|ENUM\(.*", re.S)
_DUCKDB_DECIMAL: Final = re.compile(r"DECIMAL\((\d+),(\d+)\)")


def _duckdb_expression(type_: str) -> str:
    """What is read of a column that holds no integers, with its name as {}."""
    decimal = _DUCKDB_DECIMAL.fullmatch(type_)
    if decimal is not None and int(decimal[1]) <= _EXACT_DIGITS:
        return "{}::DOUBLE"
    if type_ == "INTERVAL":
        return "to_microseconds(epoch_us({}))"
    if type_ == "TIMESTAMP WITH TIME ZONE":
        return "make_timestamp(epoch_us({}))"
    if type_ == "TIME":
        return "to_microseconds(epoch_us({}))"
    return "{}" if _DUCKDB_PLAIN.fullmatch(type_) else "{}::VARCHAR"


class OtherDatabase(Database):
    """A database by SQLAlchemy; its transaction can only read where the server knows such ones, and is rolled back.

    With ``writes`` it can also write, and whoever writes commits it.
    """

    def __init__(
        self, address: ServerAddress, context: RunContext, secret: str | None = None, writes: bool = False
    ) -> None:
        import sqlalchemy

        super().__init__(address.label, context, (sqlalchemy.exc.SQLAlchemyError,), secret)
        self._writes, self._sql, self._kind = writes, sqlalchemy, address.kind
        timeouts = {"mssql": "login_timeout", "oracle": "tcp_connect_timeout"}
        url = sqlalchemy.URL.create(
            address.kind.driver,
            username=address.user or None,
            password=secret,
            host=address.host,
            port=address.port or address.kind.port,
            database=address.database,
            query=dict(address.parameters),
        )
        self._open(url, {timeouts.get(address.kind.scheme, "connect_timeout"): SECONDS_TO_CONNECT})

    def _open(self, url: Any, arguments: Mapping[str, Any]) -> None:
        options = {"hide_parameters": True, "poolclass": self._sql.pool.NullPool, "connect_args": dict(arguments)}
        self._engine = self._sql.create_engine(url, **options)
        self.connection = self._engine.connect()
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        """Begin the transaction, and ask for what a stop needs."""
        self.dialect = str(self._engine.dialect.name)
        if not self._writes:
            self.connection = self.connection.execution_options(
                stream_results=True, no_parameters=True, max_row_buffer=1000
            )
        if not self._writes and (begin := _BEGINNINGS_OF_READING.get(self.dialect)) is not None:
            self.connection.exec_driver_sql(begin)
        self._number = self._scalar(_CONNECTION_NUMBER.get(self.dialect))

    def _scalar(self, statement: str | None) -> Any:
        return None if statement is None else self.connection.exec_driver_sql(statement).scalar()

    def close(self) -> None:
        with suppress(*self.faults):
            self.connection.rollback()
        self.connection.close()
        self._engine.dispose()

    def cancel(self) -> None:
        if self._number is not None:
            with closing(self._engine.raw_connection()) as other, closing(other.cursor()) as cursor:
                cursor.execute(f"KILL QUERY {int(self._number)}")
            return
        driver: Any = self.connection.connection.driver_connection
        stop = getattr(driver, "cancel", None) or getattr(driver, "interrupt", None) or driver.close
        stop()

    def tables(self, counted: bool) -> dict[str, DatabaseTable]:
        inspector = self._sql.inspect(self._engine)
        about = dict[tuple[Any, str], int]()
        statement = _ESTIMATES.get(self.dialect)
        if counted and statement is not None:
            with suppress(*self.faults):
                rows = self.connection.exec_driver_sql(statement)
                about = {(schema, name): int(n) for schema, name, n in rows if n is not None}
        default = inspector.default_schema_name
        schemas: list[str | None] = [None]
        if self.dialect == "mssql":
            schemas += [s for s in inspector.get_schema_names() if s not in (default, "sys", "INFORMATION_SCHEMA")]
        tables = {}
        for schema in schemas:
            prefix = f"{schema}." if schema else ""
            names = [(name, False) for name in inspector.get_table_names(schema)]
            for name, is_view in [*names, *((name, True) for name in inspector.get_view_names(schema))]:
                reference = ".".join(self.quoted(part) for part in (schema, name) if part)
                n = about.get((schema or default, name))
                tables[f"{prefix}{name}"] = DatabaseTable(reference, is_view, n, is_exact=False)
        return tables

    def quoted(self, name: str) -> str:
        """A name as this server writes it."""
        return str(self._engine.dialect.identifier_preparer.quote_identifier(name))

    def open_select(self, source: str, limit: int | None) -> SelectResult:
        statement = source[1:-1].rstrip("\n") if source.startswith("(") else f"SELECT * FROM {source}"
        if source.startswith("("):
            refuse_unsafe_words(statement, self._kind, self.label)
        result = self.connection.exec_driver_sql(statement)
        names = [str(column[0]) for column in result.cursor.description]
        return SelectResult(names, [PLAIN_COLUMN] * len(names), self._blocks(result, len(names), limit))

    def _blocks(self, result: Any, n_columns: int, limit: int | None) -> Iterator[tuple[int, list[Payload]]]:
        left = limit
        with closing(result):
            while left != 0:
                block = max(16, CELLS_AT_A_TIME // max(1, n_columns))
                rows = result.fetchmany(block if left is None else min(block, left))
                if not rows:
                    return
                left = None if left is None else left - len(rows)
                yield len(rows), [("add_values", (cells,)) for cells in zip(*rows, strict=True)]


_BEGINNINGS_OF_READING: Final = {
    "mysql": "SET SESSION TRANSACTION READ ONLY",
    "mariadb": "SET SESSION TRANSACTION READ ONLY",
    "oracle": "SET TRANSACTION READ ONLY",
    "sqlite": "PRAGMA query_only = ON",
}
"""What makes a transaction one that can only read, by the dialect of SQLAlchemy."""
_CONNECTION_NUMBER: Final = dict.fromkeys(("mysql", "mariadb"), "SELECT connection_id()")
_ESTIMATES: Final = {
    **dict.fromkeys(
        ("mysql", "mariadb"),
        "SELECT table_schema, table_name, table_rows FROM information_schema.tables WHERE table_schema = database()",
    ),
    "mssql": "SELECT s.name, t.name, sum(p.rows) FROM sys.tables t JOIN sys.schemas s ON s.schema_id = t.schema_id "
    "JOIN sys.partitions p ON p.object_id = t.object_id AND p.index_id IN (0, 1) GROUP BY s.name, t.name",
    "oracle": "SELECT lower(user), lower(table_name), num_rows FROM user_tables",
}
"""Statements that give the schema, the name and about the number of records of tables."""


# ---- reading ---------------------------------------------------------------------------------------------------------


class ServerSource(TextFile):
    """A database on a server that stands where a file does."""

    is_server: ClassVar[bool] = True

    def __init__(self, text: str) -> None:
        self.address = ServerAddress.of(text)
        self.path, self.name, self.packing, self.size = Path(self.address.database), self.address.label, "", 0

    def __enter__(self) -> ServerSource:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is open between two uses."""


@contextmanager
def opened_database(source: TextFile, context: RunContext, writes: bool = False) -> Iterator[Database]:
    """Context manager: the open database; its errors become :class:`DataError`, and a stop cancels its statement.

    Raises :class:`MissingExtraError` if its driver is not installed, and :class:`PasswordNeededError` if the server
    wants a password or another one.
    """
    address = source.address if isinstance(source, ServerSource) else None
    with closing(_connected(address, source, context, writes)) as database, _cancelled_by(context, database.cancel):
        try:
            yield database
        except database.faults as fault:
            context.checkpoint()
            raise database.error(fault) from None


def _connected(address: ServerAddress | None, source: TextFile, context: RunContext, writes: bool) -> Database:
    if address is None:
        extras.DUCKDB.require(f"{source.name} is a DuckDB database", source.name)
        try:
            return _DuckDB(source.path, context)
        except Exception as fault:  # DuckDB has errors of many kinds for a file that it cannot use
            reason = one_line(str(fault))
            remedy = "Close the program that uses it, or open it with the version of DuckDB that wrote it."
            raise DataError(f"{source.name} cannot be opened: {reason}", remedy=remedy, place=source.name) from None
    address.kind.extra.require(f"{address.label} is a {address.kind.name} database", address.label)
    secret = password_of(address, context)
    context.say(f"Connecting to {address.host}")
    kind = PostgresDatabase if address.kind.driver == "" else OtherDatabase
    try:
        return awaited_connection(partial(kind, address, context, secret, writes), context)
    except Exception as fault:  # drivers have errors of many kinds for a server that cannot be reached
        context.checkpoint()
        reason = one_line(_words_of(fault), secret)
        if _MISSING_PASSWORD.search(reason):
            who = f"{address.user or 'this user'} of {address.label}"
            raise PasswordNeededError(
                f"{address.kind.name} {'refused the password of' if secret else 'asks for the password of'} {who}.",
                str(address),
                remedy="Choose Database... to enter it; the command line asks for it, or takes "
                f"it from {PASSWORD_VARIABLE}.",
            ) from None
        raise DataError(
            f"{address.label} cannot be reached: {reason}",
            remedy="Check server, port, database and user.",
            place=address.label,
        ) from None


@contextmanager
def _cancelled_by(context: RunContext, cancel: Callable[[], None]) -> Iterator[None]:
    """Context manager: a thread that calls ``cancel`` once the context is cancelled, until the block ends."""
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(POLL):
            if context.cancelled:
                with suppress(Exception):  # the statement may have ended meanwhile
                    cancel()
                ended.wait(AGAIN)

    thread = threading.Thread(target=watch, name="coppice-cancel", daemon=True)
    thread.start()
    try:
        yield
    except BaseException:
        with suppress(Exception):  # nothing may run
            cancel()
        raise
    finally:
        ended.set()
        thread.join()


def database_tables(source: TextFile, context: RunContext, counted: bool = False) -> dict[str, DatabaseTable]:
    """The tables and views by name; raises as :func:`opened_database`."""
    with opened_database(source, context) as database:
        return database.tables(counted)


def chosen_table(source: TextFile, tables: Mapping[str, DatabaseTable], options: ReadOptions) -> str:
    """The table that the options or the address name, else the only one, in a file the first with records."""
    named = options.sheet or (source.address.table if isinstance(source, ServerSource) else None)
    if not tables:
        raise DataError(f"{source.name} holds no tables.", remedy="Choose a database with a table.", place=source.name)
    listed = and_more(list(tables), 8)
    if named is None and (len(tables) == 1 or not isinstance(source, ServerSource)):
        return next((name for name, table in tables.items() if table.n_records), next(iter(tables)))
    if named is None:
        what, remedy = f"{source.name} has {len(tables):,} tables.", f"Name one of them: {listed}."
        raise DataError(what, remedy=remedy, place=source.name)
    if named not in tables:
        what = f"{source.name} has no table named {named!r}."
        raise DataError(what, remedy=f"Its tables are {listed}.", place=source.name)
    return named


def recognised(source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
    """The options with the table that is read."""
    if options.query is not None:
        return options
    return replace(options, sheet=chosen_table(source, database_tables(source, context), options))


def read_database(source: TextFile, context: RunContext, options: ReadOptions, limit: int | None = None) -> Dataset:
    """The table or view that the options name as sheet, or the result of their query; the first records by ``limit``.

    Raises :class:`DataError` for a query that is no single SELECT or that the database refuses.
    """
    query = None if options.query is None else single_select(options.query, source.name)
    with opened_database(source, context) as database:
        if query is not None:
            name, origin, size = "query", f"({query}\n)", 0
        else:
            tables = database.tables(counted=False)
            name = chosen_table(source, tables, options)
            origin, size = tables[name].reference, tables[name].n_records or 0
        found = options if query is not None else replace(options, sheet=name)
        context.publish(found)
        context.say(f"Reading {source.name}, {name}")
        selection = database.open_select(origin, limit)
        columns = [ColumnCells() for _ in selection.names]
        _gather(selection, columns, context, size if limit is None else 0, source)
    context.say(f"Looking at the values of {source.name}")
    left_out = and_more(selection.left_out, 5)
    remarks = [f"Left out: {left_out} (binary data)."] if selection.left_out else []
    table = TypedTable(source, selection.names, context, options, numbers=PLAIN, recognised=found, remarks=remarks)
    if not columns:
        raise no_records(source.name)
    for cells, details in zip(columns, selection.details, strict=True):
        table.add(cells, details)
    data = table.dataset()
    path = str(source.address) if isinstance(source, ServerSource) else str(source.path)
    own = name if isinstance(source, ServerSource) else data.origin.name
    return data.with_origin(replace(data.origin, name=own, path=path))


def first_records(address: str, context: RunContext, options: ReadOptions, n: int) -> Dataset:
    """The first records of a table or query of a server; raises as :func:`read_database`."""
    with ServerSource(address) as source:
        return read_database(source, context, options, n)


def _gather(
    selection: SelectResult, columns: Sequence[ColumnCells], context: RunContext, size: int, source: TextFile
) -> None:
    """Add all blocks to the columns; raises :class:`DataError` if memory runs short."""
    n, free = 0, free_memory()
    most = None if free is None else free // 2
    n_bytes = 0
    for n_rows, cells in selection.blocks:
        context.checkpoint()
        n += n_rows
        n_bytes += 8 * n_rows * len(columns)
        n_bytes += sum(len(label) for method, (_, *more) in cells if method == "add_labels" for label in more[0])
        for column, (method, arguments) in zip(columns, cells, strict=True):
            getattr(column, method)(*arguments)
        if size:
            context.advance(min(n, size), size)
        else:
            context.say(f"Reading {source.name}: {n:,} records")
        if most is not None and n_bytes > most:
            raise DataError(
                f"{source.name} gives more records than fit into memory: {n:,} so far.",
                remedy="End the query with a LIMIT, or read fewer columns.",
                place=source.name,
            )
    context.advance(1, 1)
