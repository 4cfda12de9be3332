"""Writing of a table into an SQLite database: a new file, or one transaction of an old one, which keeps all else.

Source: SQLite's documentation of type affinity (datatype3.html) and of transactions (lang_transaction.html).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.files import replacing_or, shortened_name, unwritable
from algorithms.core.run_control import RunContext
from algorithms.data.columns import Column, is_whole
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.io.text.csv_writing import PLAIN, Style
from algorithms.io.typed.sqlite import PATIENCE, STEPS, quoted_name
from algorithms.text.sentences import and_more

CELLS_AT_A_TIME: Final = 20_000
"""Cells written between two checks for a stop: about 20 ms."""
_BEGINNING: Final = b"SQLite format 3\x00"
_NAMES: Final = "SELECT name, type FROM sqlite_schema WHERE type IN ('table', 'view')"


def write_sqlite(path: str | Path, data: Dataset, context: RunContext | None = None, style: Style = PLAIN) -> None:
    """Write the table into the database at ``path``, which is made if there is none.

    ``style.table`` names the table (default: the name of the data), ``style.existing`` says what becomes of one of that
    name: ``refuse`` it, ``replace`` it, ``append`` the records to it, or ``rename`` the new one. All is one
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
        raise _refusal(named, str(error)) from error


def _refusal(path: Path, why: str) -> DataError:
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
    kinds = {str(own).casefold(): str(kind) for own, kind in connection.execute(_NAMES)}
    kind = kinds.get(name.casefold())
    if kind is not None and style.existing == "rename":
        own, number, kind = name, 2, None
        while name.casefold() in kinds:
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
        other = first.setdefault(own.lower() if own.isascii() else own, own)
        if other != own:
            what = f"SQLite takes the names {other!r} and {own!r} for the same column."
            raise DataError(what, remedy="Rename one of them.", place=str(path))


def _check_existing(name: str, kind: str, style: Style, path: Path) -> None:
    if kind == "view" or style.existing == "refuse":
        ways = "" if kind == "view" else ", or replace it or append to it"
        raise DataError(
            f"{shortened_name(path)} has a {kind} named {name!r} already.",
            remedy=f"Choose another name for the table{ways}.",
            place=str(path),
        )


def _check_columns(connection: sqlite3.Connection, data: Dataset, name: str, path: Path) -> None:
    """Raise :class:`DataError` if the table that records are appended to lacks one of their columns."""
    with closing(connection.execute(f"SELECT * FROM {quoted_name(name)} LIMIT 0")) as cursor:
        there = {str(column[0]).casefold() for column in cursor.description}
    lacked = [repr(own) for own in data.schema.names if own.casefold() not in there]
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
