"""Writing of tables into databases on servers: created, replaced or appended to inside one transaction.

PostgreSQL takes the records as COPY; other servers get them by SQLAlchemy in blocks. MySQL and Oracle end a transaction
with each change of a table's definition: there the records come into a table of another name, which gets its own last.

Sources: PostgreSQL's documentation of COPY (CSV Format); MySQL's of RENAME TABLE, which is atomic.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from uuid import uuid4

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import Column, is_whole
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.io.databases import (
    DatabaseTable,
    OtherDatabase,
    PostgresDatabase,
    ServerSource,
    opened_database,
    quoted,
)
from algorithms.io.text.options import PLAIN, Style
from algorithms.io.text.text_writing import csv_texts
from algorithms.text.sentences import and_more

CELLS_AT_A_TIME: Final = 20_000
LARGEST_SPELLED: Final = 1e15
LOCK_SECONDS: Final = 10
"""Seconds for which a table that another program holds is waited for."""
_LONGEST_NAME: Final = {"postgresql": 63, "mysql": 64, "mariadb": 64}
"""Number of bytes of a name that a server keeps; 128 elsewhere."""
_MOST_COLUMNS: Final = {"postgresql": 1600, "mysql": 4096, "mssql": 1024, "oracle": 1000}
_COMMITS_DEFINITIONS: Final = ("mysql", "mariadb", "oracle")
"""The servers that end a transaction with each change of a table's definition."""


def write_to_server(address: str, data: Dataset, context: RunContext, style: Style = PLAIN) -> None:
    """Write the table into the database with this address.

    ``style.table`` names the table (default: the name of the data). ``style.existing`` says what happens to a table of
    that name: ``refuse`` it, ``replace`` it, ``append`` the records to it, or ``rename`` the new one. A stop or an
    error leaves the database as it was. Raises :class:`DataError` if it cannot hold the table, or refuses it.
    """
    with ServerSource(address) as source:
        name = style.table or source.address.table or data.origin.name or "table"
        _check_names(source, data, name)
        context.say(f"Writing {name} to {source.name}")
        with opened_database(source, context, writes=True) as database:
            tables = database.tables(counted=False)
            if style.existing == "rename":
                name = _free_name(name, tables)
            old = tables.get(name)
            _check_existing(source, name, old, style)
            if isinstance(database, PostgresDatabase):
                _write_to_postgres(database, data, name, old, style, context)
            elif isinstance(database, OtherDatabase):
                _write_by_blocks(database, data, name, old, style, context)


def _free_name(name: str, tables: Mapping[str, DatabaseTable]) -> str:
    taken, own, number = {each.casefold() for each in tables}, name, 2
    while name.casefold() in taken:
        name, number = f"{own} {number}", number + 1
    return name


def _check_names(source: ServerSource, data: Dataset, name: str) -> None:
    """Raise :class:`DataError` for names and numbers of columns that the server does not take."""
    scheme = source.address.kind.scheme
    most, longest = _MOST_COLUMNS[scheme], _LONGEST_NAME.get(scheme, 128)
    if len(data.schema) > most:
        what = f"A table of {source.address.kind.name} has room for {most:,} columns."
        raise DataError(what, remedy="Save it as CSV or Parquet.", place=source.name)
    for each in (name, *data.schema.names):
        if "\x00" in each or len(each.encode()) > longest or not each:
            what = f"{each!r} is no name for a table or column of {source.address.kind.name}."
            raise DataError(what, remedy=f"Choose one of at most {longest} bytes.", place=source.name)


def _check_existing(source: ServerSource, name: str, old: DatabaseTable | None, style: Style) -> None:
    if old is None or (style.existing in ("append", "replace") and not old.is_view):
        return
    ways = "" if old.is_view else ", or replace it or append to it"
    raise DataError(
        f"{source.name} has a {'view' if old.is_view else 'table'} named {name!r} already.",
        remedy=f"Choose another name for the table{ways}.",
        place=source.name,
    )


def _check_columns(name: str, there: set[str], data: Dataset) -> None:
    """Raise :class:`DataError` if the table that records are appended to lacks one of their columns."""
    lacked = [repr(own) for own in data.schema.names if own not in there]
    if lacked:
        word = "column" if len(lacked) == 1 else "columns"
        what = f"The table {name!r} lacks the {word} {and_more(lacked, 5)}."
        raise DataError(what, remedy="Remove or rename what it lacks, or write to another table.", place=name)


def _are_days(column: Column) -> bool:
    return bool(np.all(column[~np.isnan(column)] % 86400 == 0))


def _write_to_postgres(
    database: PostgresDatabase,
    data: Dataset,
    name: str,
    old: DatabaseTable | None,
    style: Style,
    context: RunContext,
) -> None:
    connection, reference = database.connection, quoted(name) if old is None else old.reference
    connection.execute(f"SET LOCAL lock_timeout = '{LOCK_SECONDS}s'".encode())
    if old is not None and style.existing == "append":
        described = connection.execute(f"SELECT * FROM {reference} LIMIT 0".encode()).description
        _check_columns(name, {column.name for column in described or []}, data)
    else:
        if old is not None:
            connection.execute(f"DROP TABLE {reference}".encode())
        pairs = zip(data.schema.attributes, map(data.column, range(len(data.schema))), strict=True)
        columns = ", ".join(f"{quoted(a.name)} {_postgres_type(a, column)}" for a, column in pairs)
        connection.execute(f"CREATE TABLE {reference} ({columns})".encode())
    names = ", ".join(map(quoted, data.schema.names))
    copy = f"COPY {reference} ({names}) FROM STDIN (FORMAT csv, HEADER true, FORCE_NULL ({names}))"
    with connection.cursor() as cursor, cursor.copy(copy.encode()) as stream:
        for text in csv_texts(data, context):
            context.checkpoint()
            stream.write(text)
    context.commit()
    connection.commit()


def _postgres_type(attribute: Attribute, column: Column) -> str:
    if attribute.kind is AttributeKind.NUMERIC:
        return "bigint" if is_whole(column) and not _has_others(column) else "double precision"
    if attribute.kind is AttributeKind.DATE:
        return "date" if _are_days(column) else "timestamp"
    return "text"


def _has_others(column: Column) -> bool:
    """Whether whole numbers are so large that they are spelled with an exponent."""
    return bool(np.any(np.abs(column) >= LARGEST_SPELLED))


def _write_by_blocks(
    database: OtherDatabase, data: Dataset, name: str, old: DatabaseTable | None, style: Style, context: RunContext
) -> None:
    import sqlalchemy

    connection, commits = database.connection, database.dialect in _COMMITS_DEFINITIONS
    is_appended = old is not None and style.existing == "append"
    if old is not None and not is_appended and database.dialect == "oracle":
        what, remedy = "Oracle cannot replace a table within a transaction.", "Append to it, or choose another name."
        raise DataError(what, remedy=remedy, place=database.label)
    own = f"coppice_{uuid4().hex[:12]}" if commits and not is_appended else name
    columns = [sqlalchemy.Column(a.name, _type(a, data.column(i))) for i, a in enumerate(data.schema.attributes)]
    table = sqlalchemy.Table(own, sqlalchemy.MetaData(), *columns)
    if is_appended:
        there = sqlalchemy.inspect(connection).get_columns(name)
        _check_columns(name, {str(column["name"]) for column in there}, data)
    else:
        if old is not None and not commits:
            connection.exec_driver_sql(f"DROP TABLE {old.reference}")
        table.create(connection)
    try:
        _insert(connection, table, data, context)
        context.commit()
        connection.commit()
    except BaseException:
        connection.rollback()
        if own != name:
            table.drop(connection)
            connection.commit()
        raise
    if own != name:
        _rename(database, own, name, old)


def _rename(database: OtherDatabase, own: str, name: str, old: DatabaseTable | None) -> None:
    """Give the table that was filled its name; the one before is dropped after it lost it, in one step."""
    new, mine = database.quoted(name), database.quoted(own)
    if database.dialect == "oracle":
        database.connection.exec_driver_sql(f"ALTER TABLE {mine} RENAME TO {new}")
    elif old is None:
        database.connection.exec_driver_sql(f"RENAME TABLE {mine} TO {new}")
    else:
        aside = database.quoted(f"{own}_old")
        database.connection.exec_driver_sql(f"RENAME TABLE {new} TO {aside}, {mine} TO {new}")
        database.connection.exec_driver_sql(f"DROP TABLE {aside}")
    database.connection.commit()


def _insert(connection: Any, table: Any, data: Dataset, context: RunContext) -> None:
    names = data.schema.names
    step = max(1, CELLS_AT_A_TIME // max(1, len(names)))
    for start in range(0, len(data), step):
        context.checkpoint()
        context.advance(start, len(data))
        rows = np.arange(start, min(start + step, len(data)))
        cells = [_values(a, data.cells(i, rows), data.column(i)) for i, a in enumerate(data.schema.attributes)]
        connection.execute(table.insert(), [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)])
    context.checkpoint()


def _type(attribute: Attribute, column: Column) -> Any:
    import sqlalchemy

    if attribute.kind is AttributeKind.NUMERIC:
        return sqlalchemy.BigInteger() if is_whole(column) else sqlalchemy.Double()
    if attribute.kind is AttributeKind.DATE:
        return sqlalchemy.Date() if _are_days(column) else sqlalchemy.DateTime()
    return sqlalchemy.Text()


def _values(attribute: Attribute, cells: Column, column: Column) -> list[Any]:
    """Stored values of some records as those of a driver, None if missing."""
    if attribute.kind.is_coded:
        labels = [*attribute.values, None]
        return [labels[code] for code in cells.tolist()]
    if attribute.kind is AttributeKind.NUMERIC:
        number = int if is_whole(column) else float
        return [None if value != value else number(value) for value in cells.tolist()]
    if attribute.kind is not AttributeKind.DATE:
        return [value if isinstance(value, str) else None for value in cells.tolist()]
    moments = np.round(cells * 1e6).astype("datetime64[us]")
    values: list[Any] = (moments.astype("datetime64[D]") if _are_days(column) else moments).tolist()
    return values
