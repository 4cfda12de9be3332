"""Tables and views of SQLite databases, read through a connection that can only read, and tables written into them.

A database comes from strangers: its views may run for ever, and its schema may name any function. So statements may do
nothing but read, run no function that the schema must not name, hold a bounded amount of memory, and end on a stop.
SQLite types values, not columns; the values of a column decide its kind. A table is written into a new file, or in one
transaction of an old one, which keeps all else.

Source: SQLite's documentation of type affinity (datatype3.html) and of transactions (lang_transaction.html).
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.files import replacing_or, shortened_name, unwritable
from algorithms.core.run_control import RunContext, free_memory
from algorithms.data.columns import Column, is_whole
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.io.text.options import PLAIN, ReadOptions, Style, single_select
from algorithms.io.text.text_source import TextFile
from algorithms.io.typed_columns import (
    FIRST_RECORDS,
    ColumnCells,
    TypedTable,
    no_records,
    number_format,
    refuse_too_large,
)
from algorithms.text.sentences import and_more

CELLS_AT_A_TIME: Final = 20_000
"""Cells read or written between two checks for a stop: 20 ms where they are written."""
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
    if any(word in why for word in ("syntax", "incomplete", "ambiguous")):
        return DataError(f"The query of {name} cannot be run: {why}.", remedy="Correct the query.", place=name)
    if "no such" in why or "authorized" in why or "unsafe" in why:
        return DataError(
            f"A view or query of {name} cannot be read: {why}.",
            remedy="Choose another table, or keep it as one.",
            place=name,
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


def views(source: TextFile, context: RunContext) -> frozenset[str]:
    """The names of the views."""
    with _opened(source, context) as database:
        return frozenset(name for name, is_view in database.tables().items() if is_view)


def sizes(source: TextFile, context: RunContext) -> dict[str, int]:
    """The numbers of records of tables, as far as they can be counted in a second; views are not counted."""
    with _opened(source, context) as database:
        deadline = time.monotonic() + SECONDS_TO_COUNT
        counts = {name: database.count(name, deadline) for name, is_view in database.tables().items() if not is_view}
        return {name: n for name, n in counts.items() if n is not None}


def recognised(source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
    """The options with the table that is read."""
    if options.query is not None:
        return options
    with _opened(source, context) as database:
        return replace(options, sheet=_chosen(database, options)[0])


def read_table(source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
    """The result of the options' query, else the table or view that they name as sheet, else the first with records.

    Raises :class:`DataError` if the database is damaged or in use, has no such table, or refuses the query.
    """
    query = None if options.query is None else single_select(options.query, source.name)
    with _opened(source, context) as database:
        if query is None:
            name, is_view = _chosen(database, options)
            recognised, statement = replace(options, sheet=name), f"SELECT * FROM {quoted_name(name)}"
        else:
            name, is_view, recognised, statement = "the query", True, options, query
        context.publish(recognised)
        context.say(f"Reading {source.name}, {name}")
        reading = _Reading(database, name, statement, *((0, False) if is_view else database.size(name)))
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
    """One reading of a table or query with about ``size`` records, 0 if unknown; the columns while they are gathered.

    ``is_counted`` says that the size is the number of records.
    """

    database: _Database
    name: str
    statement: str
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
        with closing(database.query(self.statement)) as cursor:
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
        if index in self.binary:
            return 0
        try:
            return self.columns[index].add_values(cells)
        except UnicodeDecodeError:
            self.binary.add(index)
            return 0

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


# ---- Writing ---------------------------------------------------------------------------------------------------------

_BEGINNING: Final = b"SQLite format 3\x00"
_OWN_NAMES: Final = "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view', 'index')"


def write_sqlite(path: str | Path, data: Dataset, context: RunContext | None = None, style: Style = PLAIN) -> None:
    """Write the table into the database at ``path``; a missing database is created.

    ``style.table`` names the table (default: the name of the data). ``style.existing`` says what happens to a table of
    that name: ``refuse`` it, ``replace`` it, ``append`` the records to it, or ``rename`` the new one. All is one
    transaction: a stop or an error leaves the database as it was. Numbers without fractions become INTEGER, others
    REAL, dates ISO 8601 in UTC, the rest TEXT; a missing value is NULL. Raises :class:`DataError` if the file is no
    database, is in use, or cannot hold the table.
    """
    context = context or RunContext()
    file, name = Path(path), style.table or data.origin.name or "table"
    try:
        with file.open("rb") as opened:
            beginning = opened.read(len(_BEGINNING))
    except FileNotFoundError:
        beginning = b""
    except OSError as error:
        raise unwritable(path, error) from error
    if beginning and beginning != _BEGINNING:
        raise DataError(
            f"{shortened_name(path)} exists and is no SQLite database.", remedy="Choose another name.", place=str(path)
        )
    if beginning:
        with _transaction(file, file, context) as connection:
            _write(connection, data, name, style, context, file)
            context.commit()
        return
    with replacing_or(DataError, path, commit=context.commit) as part, _transaction(part, file, context) as connection:
        _write(connection, data, name, style, context, file)


@contextmanager
def _transaction(opened: Path, named: Path, context: RunContext) -> Iterator[sqlite3.Connection]:
    """Context manager: a connection in a transaction, rolled back by any error; errors speak of the file ``named``."""
    address = f"{opened.absolute().as_uri()}?mode=rw"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=PATIENCE, isolation_level=None)) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            if opened != named:  # it is synced as a whole before it gets its name
                connection.execute("PRAGMA journal_mode = OFF")
                connection.execute("PRAGMA synchronous = OFF")
            connection.set_progress_handler(lambda: context.cancelled, STEPS)
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.set_progress_handler(None, STEPS)
                connection.execute("COMMIT")
            except BaseException:
                connection.set_progress_handler(None, STEPS)
                if connection.in_transaction and opened == named:
                    connection.execute("ROLLBACK")
                raise
    except (sqlite3.Error, UnicodeDecodeError) as error:
        context.checkpoint()
        raise _unwritten(named, str(error)) from error


def _unwritten(path: Path, why: str) -> DataError:
    name = shortened_name(path)
    if "locked" in why:
        sentence, remedy = f"{name} is in use by another program.", "Close that program, or write to another file."
    elif "readonly" in why or "unable to open" in why:
        sentence, remedy = f"{name} cannot be written: {why}.", "Choose another folder or name."
    elif "full" in why:
        sentence, remedy = f"{name} cannot be written: {why}.", "Make room on the disk, or choose another folder."
    else:
        sentence, remedy = f"The table cannot be written to {name}: {why}.", "Write it to a new file."
    return DataError(sentence, remedy=remedy, place=str(path))


def _write(
    connection: sqlite3.Connection, data: Dataset, name: str, style: Style, context: RunContext, path: Path
) -> None:
    attributes = data.schema.attributes
    _check_names(connection, data, name, path)
    kinds = {_folded(str(own)): str(kind) for own, kind in connection.execute(_OWN_NAMES)}
    kind = kinds.get(_folded(name))
    if kind is not None and style.existing == "rename":
        own, number, kind = name, 2, None
        while _folded(name) in kinds:
            name, number = f"{own} {number}", number + 1
    if kind is not None:
        _check_existing(name, kind, style, path)
    table = quoted_name(name)
    if kind is not None and style.existing == "append":
        _check_columns(connection, data, name, path)
    else:
        if kind is not None:
            connection.execute(f"DROP TABLE {table}")
        columns = ", ".join(f"{quoted_name(a.name)} {_type(a, data.column(i))}" for i, a in enumerate(attributes))
        connection.execute(f"CREATE TABLE {table} ({columns})")
    names = ", ".join(quoted_name(a.name) for a in attributes)
    statement = f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(attributes))})"
    writers = [_writer(attribute, data.column(i)) for i, attribute in enumerate(attributes)]
    step = max(1, CELLS_AT_A_TIME // max(1, len(attributes)))
    for start in range(0, len(data), step):
        context.checkpoint()
        context.advance(start, len(data))
        rows = np.arange(start, min(start + step, len(data)))
        cells = [write(data.cells(i, rows)) for i, write in enumerate(writers)]
        connection.executemany(statement, zip(*cells, strict=True))
    context.checkpoint()


def _check_names(connection: sqlite3.Connection, data: Dataset, name: str, path: Path) -> None:
    """Raise :class:`DataError` for names and numbers of columns that no table of SQLite has."""
    most = connection.getlimit(sqlite3.SQLITE_LIMIT_COLUMN)
    if len(data.schema) > most:
        what = f"A table of SQLite has room for {most:,} columns."
        raise DataError(what, remedy="Save it as CSV or Parquet.", place=str(path))
    if "\x00" in name or name.lower().startswith("sqlite_"):
        remedy = "Choose a name that does not begin with sqlite_."
        raise DataError(f"{name!r} is no name for a table of SQLite.", remedy=remedy, place=str(path))
    first: dict[str, str] = {}
    for own in data.schema.names:
        if "\x00" in own:
            raise DataError(f"{own!r} is no name for a column of SQLite.", remedy="Rename it.", place=str(path))
        other = first.setdefault(_folded(own), own)
        if other != own:
            what = f"SQLite takes the names {other!r} and {own!r} for the same column."
            raise DataError(what, remedy="Rename one of them.", place=str(path))


def _folded(name: str) -> str:
    """The name as SQLite compares it: only ASCII letters have no case."""
    return "".join(character.lower() if character.isascii() else character for character in name)


def _check_existing(name: str, kind: str, style: Style, path: Path) -> None:
    if kind != "table" or style.existing == "refuse":
        ways = "" if kind != "table" else ", or replace it or append to it"
        raise DataError(
            f"{shortened_name(path)} has a {kind} named {name!r} already.",
            remedy=f"Choose another name for the table{ways}.",
            place=str(path),
        )


def _check_columns(connection: sqlite3.Connection, data: Dataset, name: str, path: Path) -> None:
    """Raise :class:`DataError` if the table that records are appended to lacks one of their columns."""
    with closing(connection.execute(f"SELECT * FROM {quoted_name(name)} LIMIT 0")) as cursor:
        there = {_folded(str(column[0])) for column in cursor.description}
    lacked = [repr(own) for own in data.schema.names if _folded(own) not in there]
    if lacked:
        word = "column" if len(lacked) == 1 else "columns"
        raise DataError(
            f"The table {name!r} in {shortened_name(path)} lacks the {word} {and_more(lacked, 5)}.",
            remedy="Remove or rename what it lacks, or write to another table.",
            place=str(path),
        )


def _type(attribute: Attribute, column: Column) -> str:
    """The declared type, which tells other programs what the column holds."""
    if attribute.kind is AttributeKind.NUMERIC:
        return "INTEGER" if is_whole(column) else "REAL"
    if attribute.kind is AttributeKind.DATE:
        return "DATE" if _are_days(column) else "TIMESTAMP"
    return "TEXT"


def _are_days(column: Column) -> bool:
    return bool(np.all(column[~np.isnan(column)] % 86400 == 0))


def _writer(attribute: Attribute, column: Column) -> Callable[[Column], Sequence[Any]]:
    """A function from stored values of a column to those of SQLite."""
    if attribute.kind.is_coded:
        labels = [*attribute.values, None]
        return lambda cells: [labels[code] for code in cells.tolist()]
    if attribute.kind is AttributeKind.NUMERIC:
        number: Callable[[float], float] = int if is_whole(column) else float
        return lambda cells: [None if value != value else number(value) for value in cells.tolist()]
    if attribute.kind is not AttributeKind.DATE:
        return lambda cells: [value if isinstance(value, str) else None for value in cells.tolist()]
    present = column[~np.isnan(column)]
    unit = "D" if _are_days(column) else "s" if np.all(present % 1 == 0) else "us"

    def write(cells: Column) -> Sequence[Any]:
        moments: NDArray[np.datetime64] = np.round(cells * 1e6).astype("datetime64[us]").astype(f"datetime64[{unit}]")
        texts = np.datetime_as_string(moments).tolist()
        return [None if text == "NaT" else text.replace("T", " ") for text in texts]

    return write
