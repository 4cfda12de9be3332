"""Tables and views of SQLite databases, read through a connection that can only read.

A database comes from strangers: its views may run for ever, and its schema may name any function. So statements may do
nothing but read, run no function that the schema must not name, hold a bounded amount of memory, and end on a stop.
SQLite types values, not columns; the values of a column decide its kind.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
import pandas as pd

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext, free_memory
from algorithms.data.dataset import Dataset
from algorithms.io.text.options import ReadOptions
from algorithms.io.text.text_source import TextFile
from algorithms.io.typed_columns import (
    FIRST_RECORDS,
    ColumnCells,
    TypedTable,
    no_records,
    number_format,
    plain_cell,
    refuse_too_large,
)
from algorithms.text.sentences import and_more

CELLS_AT_A_TIME: Final = 20_000
STEPS: Final = 10_000
"""Number of steps of SQLite's machine between two checks for a stop: about a millisecond."""
PATIENCE: Final = 2.0
"""Seconds for which another program's change is awaited."""
SECONDS: Final = 300.0
"""A statement that gives no record for so long is ended."""
SMALLEST_RECORD: Final = 4
"""Number of bytes that a record takes at least."""
SECONDS_TO_COUNT: Final = 1.0
"""Time for counting the records of all tables."""
MEMORY: Final = 1 << 30
LARGEST_RESULT: Final = 2 << 30
"""Largest number of bytes of the values that are read from a view, which may have records without end."""
LIMITS: Final = {
    sqlite3.SQLITE_LIMIT_LENGTH: 64 << 20,
    sqlite3.SQLITE_LIMIT_SQL_LENGTH: 1 << 20,
    sqlite3.SQLITE_LIMIT_ATTACHED: 0,
    sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH: 0,
    sqlite3.SQLITE_LIMIT_WORKER_THREADS: 0,
}
_ALLOWED: Final = (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE)
_SETTINGS: Final = (
    "query_only = ON",
    "trusted_schema = OFF",
    "cell_size_check = ON",
    "mmap_size = 0",
    "temp_store = MEMORY",
    f"hard_heap_limit = {MEMORY}",
)
_FAULTS: Final = (sqlite3.Error, UnicodeDecodeError)
"""Errors of a database; a name that is no UTF-8 cannot even be part of an error's text."""
_NONE: Final = type(None)
_WAL: Final = 2
_PARTS: Final = (
    "config", "content", "data", "docsize", "idx", "node", "parent", "rowid", "segdir", "segments", "stat", "vocab",
)  # fmt: skip
"""Ends of the names of tables in which virtual tables of text or places keep their content."""
_NAMES: Final = """
    SELECT name, type, sql FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
    ORDER BY rowid"""


class _Database:
    """An open database; ``deadline`` ends the statement that runs."""

    def __init__(self, source: TextFile, context: RunContext, connection: sqlite3.Connection) -> None:
        self.source, self.context, self._connection = source, context, connection
        self.deadline = time.monotonic() + SECONDS
        for limit, most in LIMITS.items():
            connection.setlimit(limit, most)
        for setting in _SETTINGS:
            connection.execute(f"PRAGMA {setting}").close()
        connection.set_authorizer(_allowed)
        connection.set_progress_handler(self._must_end, STEPS)

    def _must_end(self) -> bool:
        return self.context.cancelled or time.monotonic() > self.deadline

    def tables(self) -> dict[str, bool]:
        """The tables and views by name, in the order of their making; whether each is a view."""
        rows = self.query(_NAMES).fetchall()
        virtual = [str(name) for name, _, sql in rows if str(sql).lstrip().upper().startswith("CREATE VIRTUAL")]
        hidden = {*virtual, *(f"{name}_{part}" for name in virtual for part in _PARTS)}
        return {str(name): type == "view" for name, type, _ in rows if str(name) not in hidden}

    def query(self, statement: str) -> sqlite3.Cursor:
        self.deadline = time.monotonic() + SECONDS
        return self._connection.execute(statement)

    def read_any_text(self) -> None:
        """From now on, bytes of a text that are no UTF-8 are replaced; this takes longer."""
        self._connection.text_factory = lambda content: content.decode("utf-8", "replace")

    def count(self, table: str, deadline: float) -> int | None:
        """The number of records; None if counting takes too long or fails."""
        self.deadline = deadline
        try:
            with closing(self._connection.execute(f"SELECT count(*) FROM {quoted_name(table)}")) as cursor:
                return int(cursor.fetchone()[0])
        except _FAULTS:
            self.context.checkpoint()
            return None

    def size(self, table: str) -> tuple[int, bool]:
        """The number of records and True; if it takes long to count them, about as many as there can be and False."""
        n = self.count(table, time.monotonic() + SECONDS_TO_COUNT)
        if n is not None:
            return n, True
        with suppress(*_FAULTS), closing(self.query(f"SELECT max(rowid) FROM {quoted_name(table)}")) as cursor:
            largest = cursor.fetchone()[0]
            return min(largest, self.source.size // SMALLEST_RECORD) if isinstance(largest, int) else 0, False
        return 0, False


def _allowed(action: int, _first: str | None, second: str | None, *_: object) -> int:
    is_read = action in _ALLOWED or (action == sqlite3.SQLITE_FUNCTION and second != "load_extension")
    return sqlite3.SQLITE_OK if is_read else sqlite3.SQLITE_DENY


def quoted_name(name: str) -> str:
    """A name of a table or column as SQL writes it, whatever characters it has."""
    return '"{}"'.format(name.replace('"', '""'))


@contextmanager
def _opened(source: TextFile, context: RunContext) -> Iterator[_Database]:
    """Context manager: the open database; its errors become :class:`DataError`, and :class:`Cancelled` on a stop."""
    path = source.path.absolute()
    log = path.with_name(f"{path.name}-wal")
    # a database with a log that is closed would get a new one, even if it is only read
    is_at_rest = _WAL in source.head(20)[18:20] and not log.exists()
    address = f"{path.as_uri()}?mode=ro{'&immutable=1' if is_at_rest else ''}"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)) as connection:
            database = _Database(source, context, connection)
            try:
                yield database
            except _FAULTS:
                context.checkpoint()
                if time.monotonic() > database.deadline:
                    raise DataError(
                        f"{source.name} gave no record for {SECONDS:.0f} seconds.",
                        remedy="Choose another table, or keep the result of the view as a table.",
                        place=source.name,
                    ) from None
                raise
    except MemoryError:
        raise DataError(
            f"{source.name} needs more than {MEMORY >> 30} GB of memory to read this table.",
            remedy="Choose another table, or keep the result of the view as a table.",
            place=source.name,
        ) from None
    except _FAULTS as error:
        raise _refusal(source, str(error)) from None


def _refusal(source: TextFile, why: str) -> DataError:
    name = source.name
    if "locked" in why or "readonly" in why:
        return DataError(
            f"{name} is in use, or the program that wrote it has not finished.",
            remedy="Close that program, or copy the database with it, and open the copy.",
            place=name,
        )
    if "no such" in why or "authorized" in why or "unsafe" in why:
        return DataError(
            f"A view in {name} cannot be read: {why}.", remedy="Choose another table, or keep it as one.", place=name
        )
    return DataError(
        f"{name} is damaged, cut off, or no SQLite database: {why}.",
        remedy="Fetch it again, or restore it with the program that made it.",
        place=name,
    )


def tables(source: TextFile, context: RunContext) -> tuple[str, ...]:
    """The names of the tables and views; virtual tables are left out."""
    with _opened(source, context) as database:
        return tuple(database.tables())


def sizes(source: TextFile, context: RunContext) -> dict[str, int]:
    """The numbers of records of tables, as far as they can be counted in a second; views are not counted."""
    with _opened(source, context) as database:
        deadline = time.monotonic() + SECONDS_TO_COUNT
        counts = {name: database.count(name, deadline) for name, is_view in database.tables().items() if not is_view}
        return {name: n for name, n in counts.items() if n is not None}


def recognised(source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
    """The options with the table that is read."""
    with _opened(source, context) as database:
        return replace(options, sheet=_chosen(database, options)[0])


def read_table(source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
    """The table or view that the options name as sheet, else the first with records.

    Raises :class:`DataError` if the database is damaged or in use, or has no such table.
    """
    with _opened(source, context) as database:
        name, is_view = _chosen(database, options)
        recognised = replace(options, sheet=name)
        context.publish(recognised)
        context.say(f"Reading {source.name}, table {name}")
        reading = _Reading(database, name, *((0, False) if is_view else database.size(name)))
        try:
            reading.gather()
        except sqlite3.OperationalError as error:
            if "decode" not in str(error):
                raise
            database.read_any_text()
            reading = replace(reading, columns=[], binary=set(), first=[])
            reading.gather()
    return reading.table(recognised, options)


def _chosen(database: _Database, options: ReadOptions) -> tuple[str, bool]:
    """The table that the options name, else the first with a record; and whether it is a view."""
    source, tables = database.source, database.tables()
    if not tables:
        raise DataError(f"{source.name} holds no tables.", remedy="Choose a database with a table.", place=source.name)
    if options.sheet is not None:
        if options.sheet in tables:
            return options.sheet, tables[options.sheet]
        what = f"{source.name} has no table named {options.sheet!r}."
        raise DataError(what, remedy=f"Its tables are {and_more(list(tables), 8)}.", place=source.name)
    by_kind = sorted(tables.items(), key=lambda item: item[1])  # views after tables
    for name, is_view in by_kind:
        first = f"SELECT 1 FROM {quoted_name(name)} LIMIT 1"
        with suppress(sqlite3.OperationalError), closing(database.query(first)) as cursor:
            if cursor.fetchone() is not None:
                return name, is_view
        database.context.checkpoint()
    raise no_records(source.name)


@dataclass(eq=False)
class _Reading:
    """One reading of one table with about ``size`` records, 0 if unknown; the columns while they are gathered.

    ``is_counted`` says that the size is the number of records.
    """

    database: _Database
    name: str
    size: int
    is_counted: bool
    columns: list[ColumnCells] = field(default_factory=list)
    binary: set[int] = field(default_factory=set)
    first: list[tuple[Any, ...]] = field(default_factory=list)
    names: tuple[str, ...] = ()

    def gather(self) -> None:
        """Read all records in blocks."""
        database, n, n_bytes = self.database, 0, 0
        most = min(LARGEST_RESULT, (free_memory() or 2 * LARGEST_RESULT) // 2)
        with closing(database.query(f"SELECT * FROM {quoted_name(self.name)}")) as cursor:
            self.names = tuple(str(column[0]) for column in cursor.description)
            self.columns = [ColumnCells() for _ in self.names]
            if self.is_counted:
                refuse_too_large(database.source.name, self.size, len(self.names), self.size * len(self.names))
            block = max(16, CELLS_AT_A_TIME // len(self.names))
            while rows := cursor.fetchmany(block):
                database.context.checkpoint()
                database.deadline = time.monotonic() + SECONDS
                self.first = self.first or rows[:FIRST_RECORDS]
                n += len(rows)
                if self.size:
                    database.context.advance(min(n, self.size), self.size)
                for index, cells in enumerate(zip(*rows, strict=True)):
                    n_bytes += self._add(index, cells)
                if n_bytes > most and not self.size:
                    raise DataError(
                        f"{self.name} in {database.source.name} gives more records than fit into memory: {n:,} so far.",
                        remedy="End the view with a LIMIT, or keep a part of its records as a table.",
                        place=database.source.name,
                    )
        database.context.advance(1, 1)

    def _add(self, index: int, cells: Sequence[Any]) -> int:
        """Add cells to a column, and return about how many bytes they take."""
        column, types = self.columns[index], set(map(type, cells))
        has_missing = _NONE in types
        types.discard(_NONE)
        if types == {int}:
            integers = np.array([cell or 0 for cell in cells], dtype=np.int64)
            column.add_integers(integers, np.array([cell is None for cell in cells]) if has_missing else None)
        elif types <= {float}:
            column.add(np.array(cells, dtype=np.float64))
        elif types == {str}:
            codes, texts = pd.factorize(np.array(cells, dtype=object))
            column.add_labels(codes, texts.tolist())
            return len(cells) + sum(map(len, texts))
        elif index not in self.binary:
            try:
                column.add([plain_cell(cell.decode() if type(cell) is bytes else cell) for cell in cells])
            except UnicodeDecodeError:
                self.binary.add(index)
        return 8 * len(cells)

    def table(self, recognised: ReadOptions, options: ReadOptions) -> Dataset:
        source, context = self.database.source, self.database.context
        context.say(f"Looking at the values of {source.name}")
        used = [index for index in range(len(self.names)) if index not in self.binary]
        left_out = [self.names[index] for index in sorted(self.binary)]
        texts = [[cell if isinstance(cell, str) else "" for cell in row] for row in self.first]
        numbers, marks_are_known = number_format(texts, options)
        table = TypedTable(
            source,
            [self.names[index] for index in used],
            context,
            options,
            numbers=numbers,
            marks_are_known=marks_are_known,
            recognised=recognised,
            remarks=[f"Left out: {and_more(left_out, 5)} (binary data)."] if left_out else [],
        )
        if not used:
            raise no_records(source.name)
        for index in used:
            table.add(self.columns[index])
        return table.dataset()
