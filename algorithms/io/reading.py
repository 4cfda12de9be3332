"""Reading of tables, and the registry of formats; file dialogs need only names, so modules are imported on demand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from algorithms.core.errors import DataError
from algorithms.core.extras import PARQUET, STATISTICS
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.io.foreign_formats import begins_with, refuse_foreign_file
from algorithms.io.servers import is_server_address, is_web_address
from algorithms.io.text.layout_recognition import SAMPLE_SIZE, recognise_encoding, refuse_binary
from algorithms.io.text.options import FileReading, ReadOptions, describe
from algorithms.io.text.text_source import TextFile, in_fitting_encoding, with_remedy
from algorithms.text.sentences import and_more, counted

__all__ = ["ReadOptions", "column_names", "describe", "read", "sheets", "sniff"]

Checkpoint = Callable[[], None]
RawRows = Sequence[tuple[int, tuple[str, ...]]]
"""Rows as they stand in a file, with their numbers from 1."""
MOST_RAW: Final = 300
"""Number of lines of a text that are shown as they stand."""


class TableReader(ABC):
    """Reader of one format, whose methods import what they need; raises :class:`DataError` for a damaged file."""

    @abstractmethod
    def recognises(self, source: TextFile, is_named: bool) -> bool:
        """Whether a file has this format, by its first bytes; ``is_named`` if its name has a suffix of the format."""

    @abstractmethod
    def read(self, source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
        """The table; publishes the options it was read with. The context's progress is the share of bytes read."""

    @abstractmethod
    def sniff(self, source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
        """The options completed by what the first part of the file shows."""

    def raw_rows(self, source: TextFile, context: RunContext, options: ReadOptions) -> RawRows:
        """The first rows as they stand, with their numbers; empty for a format whose rows are records anyway."""
        return ()

    def sheets(self, source: TextFile, context: RunContext) -> tuple[str, ...]:
        """The names of the file's sheets; empty for a format with a single table."""
        return ()

    def sheet_sizes(self, source: TextFile, context: RunContext) -> Mapping[str, int]:
        """The number of records of those sheets for which it is quickly known."""
        return {}

    def sheet_list(self, source: TextFile, context: RunContext, format: TableFormat) -> SheetList:
        """The sheets with what is quickly known of them."""
        sizes = self.sheet_sizes(source, context)
        return SheetList(self.sheets(source, context), sizes, format.sheet_word, format.takes_query)


@dataclass(frozen=True)
class TableFormat:
    """A file format with the ``name`` and the ``suffixes`` shown in file dialogs."""

    name: str
    suffixes: tuple[str, ...]
    reader: TableReader
    has_options: bool = True
    """Whether the user can change the options with which it was read."""
    called: tuple[str, ...] = ()
    """The names of its kinds in a sentence that lists all formats; by default ``name``."""
    unpacks: bool = False
    """Whether a packed file is unpacked to a temporary copy before it is read."""
    takes_query: bool = False
    """Whether it is a database, of which the result of a query can be read."""
    samples: bool = False
    """Whether a sample can be drawn while it is read."""
    sheet_word: str = ""
    """What one of its sheets is called ("sheet", "table"); empty for a format with a single table."""

    @property
    def patterns(self) -> str:
        return " ".join(f"*{suffix}" for suffix in self.suffixes)

    def is_named(self, path: str | Path) -> bool:
        """Whether the path has a suffix of this format."""
        return Path(path).suffix.lower() in self.suffixes

    def reads(self, source: TextFile) -> bool:
        """Whether the reader recognises the file."""
        return self.reader.recognises(source, self.is_named(source.path))


@dataclass(frozen=True)
class SheetList:
    """The sheets of a file, their numbers of records as far as known, and what such a sheet is called."""

    names: tuple[str, ...] = ()
    sizes: Mapping[str, int] = field(default_factory=dict)
    word: str = "sheet"
    takes_query: bool = False
    """Whether a query can be read in place of one of them."""
    estimated: frozenset[str] = frozenset()
    """The sheets whose number of records is an estimate."""
    views: frozenset[str] = frozenset()
    """The sheets of a database that are views."""

    def word_of(self, name: str | None) -> str:
        """What a sheet is called: "view", "table", "sheet"."""
        return "view" if name in self.views else self.word

    def details(self, name: str) -> str:
        """What is known of a sheet, in brackets for a list: "(view)", "(about 120 records)"."""
        size = self.sizes.get(name)
        records = "" if size is None else f"{'about ' * (name in self.estimated)}{counted(size, 'record')}"
        known = ", ".join(filter(None, ("view" * (name in self.views), records)))
        return f"({known})" if known else ""


class _WorkbookReader(TableReader):
    """Reader of workbooks, recognised by content, or by name if the content is no text."""

    def recognises(self, source: TextFile, is_named: bool) -> bool:
        from algorithms.io.excel import is_workbook

        return is_workbook(source, is_named)

    def read(self, source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
        from algorithms.io.excel import read_sheet

        return read_sheet(source, context, options)

    def sniff(self, source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
        from algorithms.io.excel import recognised

        return recognised(source, context, options)

    def raw_rows(self, source: TextFile, context: RunContext, options: ReadOptions) -> RawRows:
        from algorithms.io.excel import raw_rows

        return raw_rows(source, context, options)

    def sheets(self, source: TextFile, context: RunContext) -> tuple[str, ...]:
        from algorithms.io.excel import sheets

        return sheets(source, context)

    def sheet_list(self, source: TextFile, context: RunContext, format: TableFormat) -> SheetList:
        from algorithms.io.excel import sized_sheets

        names, sizes = sized_sheets(source, context)
        return SheetList(names, sizes, format.sheet_word, format.takes_query, frozenset(sizes))


class _DelimitedReader(TableReader):
    """Reader of delimited text, packed or not; recognises any file, so other formats are tried first."""

    def recognises(self, source: TextFile, is_named: bool) -> bool:
        return True

    def read(self, source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
        if options.sample is not None:
            from algorithms.io.text.surveying import read_sample

            return read_sample(source, context, options)
        from algorithms.io.text.delimited import read_delimited

        return read_delimited(source, context, options)

    def sniff(self, source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
        from algorithms.io.text.delimited import opened, recognised_options

        def attempt(encoding: str | None) -> ReadOptions:
            return recognised_options(opened(source, options, encoding), options)

        return in_fitting_encoding(source, options.encoding, attempt)

    def raw_rows(self, source: TextFile, context: RunContext, options: ReadOptions) -> RawRows:
        from algorithms.io.text.delimited import raw_rows

        return raw_rows(source, options, MOST_RAW)


class _ArffReader(TableReader):
    """Reader of ARFF, recognised by its suffix or its first lines."""

    def recognises(self, source: TextFile, is_named: bool) -> bool:
        from algorithms.io.arff import is_arff

        head = source.head(SAMPLE_SIZE)
        if not head:
            raise DataError(f"{source.name} is empty.", remedy="Choose a file that holds a table.", place=source.name)
        refuse_foreign_file(head, source)
        if is_named:
            refuse_binary(head, source.name)
        return is_named or is_arff(head)

    def read(self, source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
        from algorithms.io.arff import read_arff

        return read_arff(source, context, options)

    def sniff(self, source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
        encoding = options.encoding or recognise_encoding(source.head(SAMPLE_SIZE))
        return replace(options, encoding=encoding, missing=("?",))


class _ArrowReader(TableReader):
    """Reader of Parquet and Arrow files, recognised by their first bytes."""

    def recognises(self, source: TextFile, is_named: bool) -> bool:
        return begins_with(source.head(SAMPLE_SIZE), _ARROW_BEGINNINGS)

    def read(self, source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
        self._require(source)
        from algorithms.io.typed.parquet import read_arrow

        return read_arrow(source, context, options)

    def sniff(self, source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
        self._require(source)
        return options

    def _require(self, source: TextFile) -> None:
        is_parquet = source.head(3) == b"PAR"
        PARQUET.require(f"{source.name} is {'a Parquet' if is_parquet else 'an Arrow (Feather)'} file", source.name)


class _SqliteReader(TableReader):
    """Reader of SQLite databases, recognised by their first bytes."""

    def recognises(self, source: TextFile, is_named: bool) -> bool:
        return begins_with(source.head(SAMPLE_SIZE), (_SQLITE_BEGINNING,))

    def read(self, source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
        from algorithms.io.typed.sqlite import read_table

        return read_table(source, context, options)

    def sniff(self, source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
        from algorithms.io.typed.sqlite import recognised

        return recognised(source, context, options)

    def sheets(self, source: TextFile, context: RunContext) -> tuple[str, ...]:
        from algorithms.io.typed.sqlite import tables

        return tables(source, context)

    def sheet_list(self, source: TextFile, context: RunContext, format: TableFormat) -> SheetList:
        from algorithms.io.typed.sqlite import sizes, views

        names, sized, of_views = self.sheets(source, context), sizes(source, context), views(source, context)
        return SheetList(names, sized, format.sheet_word, format.takes_query, views=of_views)


class _DatabaseReader(TableReader):
    """Reader of databases on servers, and of DuckDB files, recognised by the mark behind their checksum."""

    def recognises(self, source: TextFile, is_named: bool) -> bool:
        return source.is_server or source.head(12)[8:] == _DUCKDB_MARK

    def read(self, source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
        from algorithms.io.databases import read_database

        return read_database(source, context, options)

    def sniff(self, source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
        from algorithms.io.databases import recognised

        return recognised(source, context, options)

    def sheets(self, source: TextFile, context: RunContext) -> tuple[str, ...]:
        from algorithms.io.databases import database_tables

        return tuple(database_tables(source, context))

    def sheet_list(self, source: TextFile, context: RunContext, format: TableFormat) -> SheetList:
        from algorithms.io.databases import database_tables

        tables = database_tables(source, context, counted=True)
        sizes = {name: table.n_records for name, table in tables.items() if table.n_records is not None}
        estimated = frozenset(name for name in sizes if not tables[name].is_exact)
        views = frozenset(name for name, table in tables.items() if table.is_view)
        return SheetList(tuple(tables), sizes, format.sheet_word, format.takes_query, estimated, views)


class _StatisticsReader(TableReader):
    """Reader of SPSS, SAS and Stata files, recognised by their first bytes."""

    is_of_r = False

    def recognises(self, source: TextFile, is_named: bool) -> bool:
        from algorithms.io.typed.statistics_files import format_by_content

        format = format_by_content(source)
        return format is not None and (format == "r") == self.is_of_r

    def read(self, source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
        self._require(source)
        from algorithms.io.typed.statistics_files import read_statistics

        return read_statistics(source, context, options)

    def sniff(self, source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
        self._require(source)
        return options

    def _require(self, source: TextFile) -> None:
        from algorithms.io.typed.statistics_files import name_of

        STATISTICS.require(f"{source.name} is {name_of(source)}", source.name)


class _RReader(_StatisticsReader):
    """Reader of data frames in R files, recognised by their first bytes, packed or not."""

    is_of_r = True

    def sniff(self, source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
        names = self.sheets(source, context) if options.sheet is None else ()
        return replace(options, sheet=names[0]) if names else options

    def sheets(self, source: TextFile, context: RunContext) -> tuple[str, ...]:
        self._require(source)
        from algorithms.io.typed.statistics_files import data_frames

        return data_frames(source, context)


class _JsonReader(TableReader):
    """Reader of JSON and JSON lines, recognised by their structure."""

    def recognises(self, source: TextFile, is_named: bool) -> bool:
        from algorithms.io.typed.json_tables import is_json

        return is_json(source, is_named)

    def read(self, source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
        from algorithms.io.typed.json_tables import read_json

        return read_json(source, context, options)

    def sniff(self, source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
        names = self.sheets(source, context) if options.sheet is None else ()
        return replace(options, sheet=names[0]) if names else options

    def sheets(self, source: TextFile, context: RunContext) -> tuple[str, ...]:
        from algorithms.io.typed.json_tables import tables

        return tables(source, context)


class _HtmlReader(TableReader):
    """Reader of tables in web pages, recognised by their structure."""

    def recognises(self, source: TextFile, is_named: bool) -> bool:
        from algorithms.io.typed.html_tables import is_page

        return is_page(source)

    def read(self, source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
        from algorithms.io.typed.html_tables import read_page

        return read_page(source, context, options)

    def sniff(self, source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
        from algorithms.io.typed.html_tables import recognised

        return recognised(source, context, options)

    def sheets(self, source: TextFile, context: RunContext) -> tuple[str, ...]:
        from algorithms.io.typed.html_tables import tables

        return tuple(tables(source, context, ReadOptions()))

    def sheet_sizes(self, source: TextFile, context: RunContext) -> Mapping[str, int]:
        from algorithms.io.typed.html_tables import tables

        sizes = tables(source, context, ReadOptions())
        return {name: n for name, n in sizes.items() if n is not None}


class _ZipReader(TableReader):
    """Reader of the tables in a zip archive, each by the format that recognises it."""

    def recognises(self, source: TextFile, is_named: bool) -> bool:
        from algorithms.io.zip_archives import is_archive

        return not WORKBOOK.is_named(source.path) and is_archive(source)

    def read(self, source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
        def publish(event: object) -> None:
            context.publish(replace(event, sheet=member) if isinstance(event, ReadOptions) else event)

        with self._member(source, context, options) as (member, reader, inner):
            part = context.child(1.0, 0, same_seed=True, listener=publish)
            data = reader.read(inner, part, replace(options, sheet=None))
        return data.with_origin(replace(data.origin, path=str(source.path)))

    def sniff(self, source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
        with self._member(source, context, options) as (member, reader, inner):
            return replace(reader.sniff(inner, context, replace(options, sheet=None)), sheet=member)

    def sheets(self, source: TextFile, context: RunContext) -> tuple[str, ...]:
        from algorithms.io.zip_archives import members

        return members(source, _is_named_as_table)

    @contextmanager
    def _member(
        self, source: TextFile, context: RunContext, options: ReadOptions
    ) -> Iterator[tuple[str, TableReader, TextFile]]:
        from algorithms.io.zip_archives import unpacked_member

        with (
            unpacked_member(source, context, options, _is_named_as_table) as (name, path),
            TextFile(path) as inner,
            _plain(inner, context) as (format, plain),
        ):
            if format.reader is self:
                what = f"{inner.name} in {source.name} is an archive too."
                raise DataError(what, remedy="Unpack it and open the table in it.", place=source.name)
            yield name, format.reader, plain


def _is_named_as_table(name: str) -> bool:
    return any(format.is_named(name) for format in FORMATS if not isinstance(format.reader, _ZipReader))


class _WebLogReader(TableReader):
    """Reader of the sessions in logs of web servers, recognised by their first lines."""

    def recognises(self, source: TextFile, is_named: bool) -> bool:
        from algorithms.io.web.log_formats import log_format

        return log_format(source.head(SAMPLE_SIZE)) is not None

    def read(self, source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
        from algorithms.io.web.sessions import read_sessions

        return read_sessions(source, context, options)

    def sniff(self, source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
        from algorithms.io.web.sessions import recognised

        return recognised(source, options)


class _LibsvmReader(TableReader):
    """Reader of LIBSVM text, recognised by its first lines."""

    def recognises(self, source: TextFile, is_named: bool) -> bool:
        from algorithms.io.text.libsvm import is_libsvm

        return is_libsvm(source, is_named)

    def read(self, source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
        from algorithms.io.text.libsvm import read_libsvm

        return read_libsvm(source, context, options)

    def sniff(self, source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
        return options


class _C45Reader(TableReader):
    """Reader of C4.5's data with the names beside them, recognised by both files."""

    def recognises(self, source: TextFile, is_named: bool) -> bool:
        from algorithms.io.text.declared_tables import is_c45

        return is_c45(source)

    def read(self, source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
        from algorithms.io.text.declared_tables import read_c45

        return read_c45(source, context, options)

    def sniff(self, source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
        return options


class _OrangeReader(TableReader):
    """Reader of Orange's tables, recognised by the rows or prefixes that declare the columns."""

    def recognises(self, source: TextFile, is_named: bool) -> bool:
        from algorithms.io.text.declared_tables import orange_declaration

        return orange_declaration(source) is not None

    def read(self, source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
        from algorithms.io.text.declared_tables import read_orange

        return read_orange(source, context, options)

    def sniff(self, source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
        return options


_SQLITE_BEGINNING: Final = b"SQLite format 3\x00"
_DUCKDB_MARK: Final = b"DUCK"
_ARROW_BEGINNINGS: Final = (b"PAR1", b"PARE", b"ARROW1")

WORKBOOK: Final = TableFormat(
    "Excel and OpenDocument",
    (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"),
    _WorkbookReader(),
    called=("Excel", "OpenDocument"),
    unpacks=True,
    sheet_word="sheet",
)
TEXT: Final = TableFormat(
    "Text",
    (".csv", ".tsv", ".tab", ".txt", ".data", ".dat", ".gz", ".bz2", ".xz", ".zst"),
    _DelimitedReader(),
    called=("CSV", "fixed-width text"),
    samples=True,
)
ARFF: Final = TableFormat("ARFF", (".arff",), _ArffReader(), has_options=False)
ARROW: Final = TableFormat(
    "Parquet and Feather",
    (".parquet", ".pq", ".feather", ".arrow"),
    _ArrowReader(),
    called=("Parquet",),
    unpacks=True,
    samples=True,
)
SQLITE: Final = TableFormat(
    "SQLite",
    (".sqlite", ".sqlite3", ".db", ".db3", ".gpkg"),
    _SqliteReader(),
    unpacks=True,
    takes_query=True,
    sheet_word="table",
)
DUCKDB: Final = TableFormat(
    "DuckDB", (".duckdb", ".ddb"), _DatabaseReader(), unpacks=True, takes_query=True, sheet_word="table"
)
STATISTICS_FILE: Final = TableFormat(
    "SPSS, SAS and Stata",
    (".sav", ".zsav", ".por", ".sas7bdat", ".xpt", ".dta"),
    _StatisticsReader(),
    called=("SPSS", "SAS", "Stata"),
    unpacks=True,
)
R_FILE: Final = TableFormat("R", (".rds", ".rdata", ".rda"), _RReader(), sheet_word="data frame")
JSON: Final = TableFormat("JSON", (".json", ".jsonl", ".ndjson", ".geojson"), _JsonReader(), sheet_word="list")
HTML: Final = TableFormat("Web page", (".html", ".htm"), _HtmlReader(), called=("web pages",), sheet_word="table")
ZIP: Final = TableFormat("Zip archive", (".zip",), _ZipReader(), called=("zip archives",), sheet_word="file")
WEB_LOG: Final = TableFormat("Web server logs", (".log",), _WebLogReader(), called=("logs of web servers",))
LIBSVM: Final = TableFormat("LIBSVM", (".libsvm", ".svm", ".svmlight"), _LibsvmReader(), has_options=False)
C45: Final = TableFormat("C4.5", (".names",), _C45Reader(), has_options=False)
ORANGE: Final = TableFormat("Orange", (".tab",), _OrangeReader())
FORMATS: Final[list[TableFormat]] = [
    *(
        WORKBOOK,
        TEXT,
        ARFF,
        ARROW,
        SQLITE,
        DUCKDB,
        STATISTICS_FILE,
        R_FILE,
        JSON,
        HTML,
        ZIP,
        WEB_LOG,
        LIBSVM,
        C45,
        ORANGE,
    )
]
"""The formats in the order of file dialogs. The last one that recognises a file reads it, else text."""


SERVER: Final = TableFormat("Database", (), _DatabaseReader(), takes_query=True, sheet_word="table")
"""A database on a server, which has an address in place of a file."""


def listed_formats() -> tuple[str, ...]:
    """What each format is called in a sentence that lists them."""
    return tuple(name for format in FORMATS for name in format.called or (format.name,))


@contextmanager
def opened_file(
    path: str | Path, context: RunContext | None = None, options: ReadOptions | None = None
) -> Iterator[TextFile]:
    """Context manager: the open file; errors that know no remedy name the formats that are read.

    The address of a database on a server gives a source without bytes; a web address gives a temporary copy.
    """
    if is_web_address(path):
        from algorithms.io.web.web_address import fetched

        allows_http = options is not None and options.allows_http
        with fetched(str(path), context or RunContext(), allows_http) as copy, opened_file(copy) as source:
            yield source
        return
    if is_server_address(path):
        from algorithms.io.databases import ServerSource

        yield ServerSource(str(path))
        return
    *names, last = listed_formats()
    with with_remedy(f"Open a table: {', '.join(names)} or {last}."), TextFile(Path(path)) as source:
        yield source


def format_of(source: TextFile) -> TableFormat:
    """The format of a file; raises :class:`DataError` for an empty file or an unsupported format."""
    others = [SERVER] if source.is_server else [each for each in reversed(FORMATS) if each is not TEXT]
    return next((each for each in others if each.reads(source)), TEXT)


@contextmanager
def _plain(source: TextFile, context: RunContext) -> Iterator[tuple[TableFormat, TextFile]]:
    """Context manager: the format of a file, and the file or, if it is packed and must not be, an unpacked copy."""
    format = format_of(source)
    if not (source.is_packed and format.unpacks):
        yield format, source
        return
    from algorithms.io.zip_archives import unpacked_copy

    with unpacked_copy(source, context) as path, TextFile(path) as plain:
        yield format, plain


def _format_with_sheets(source: TextFile) -> TableFormat | None:
    """The format of a file with sheets, else None; texts, ARFF and what cannot be read have none."""
    others = (each for each in reversed(FORMATS) if each not in (TEXT, ARFF))
    format = next((each for each in others if source.size and each.reads(source)), SERVER if source.is_server else TEXT)
    return format if format.sheet_word else None


def is_named_as_text(path: str | Path) -> bool:
    """Whether the path has a suffix of text, or of no other format."""
    return TEXT.is_named(path) or not any(each.is_named(path) for each in FORMATS)


def format_of_file(path: str | Path) -> TableFormat:
    """The format of the file with this path; raises :class:`DataError` if it cannot be read."""
    with opened_file(path) as source:
        return format_of(source)


def read(path: str | Path, context: RunContext, options: ReadOptions | None = None) -> Dataset:
    """The table in a file; the class is the attribute named class, else the last nominal one, else none.

    The recognised options are published to the context as :class:`ReadOptions`. The context's progress is the share of
    bytes read. Raises :class:`DataError` with a sentence, a remedy and the place for any fault of the file.
    """
    given, recognised = options or ReadOptions(), list[ReadOptions]()

    def hear(event: object) -> None:
        recognised.extend([event] if isinstance(event, ReadOptions) else [])

    with opened_file(path, context, given) as source, _plain(source, context) as (format, plain):
        if given.query is not None and not format.takes_query:
            what = f"{source.name} is no database: a query cannot be run on it."
            raise DataError(what, remedy="Read it without a query.", place=source.name)
        if given.sample is not None and not format.samples:
            what = f"{source.name} can only be read whole: a sample is drawn from text tables and Parquet files."
            raise DataError(what, remedy="Save it as CSV or Parquet, or read it whole.", place=source.name)
        with context.overheard(hear):
            data = format.reader.read(plain, context, given)
    is_copy = plain is not source or is_web_address(path)
    kinds = {attribute.name: attribute.kind for attribute in data.schema.attributes}
    reading = FileReading.of(given, recognised[-1] if recognised else given, kinds)
    # nobody else has the table yet, and a copy would lose what the reader derived from it
    data.origin = replace(data.origin, path=str(path) if is_copy else data.origin.path, reading=reading)
    return data


def read_like(
    path: str | Path, context: RunContext, like: FileReading | None, options: ReadOptions | None = None
) -> tuple[Dataset, list[str]]:
    """The table in a file read as an earlier one of the same make, and sentences on what does not fit, with a remedy.

    Options that are given count first. If the file then lacks columns, numbers or dates, it is read by itself where
    more fits so. Raises :class:`DataError` as :func:`read` does.
    """
    given = options or ReadOptions()
    wanted = given if like is None else like.under(given)
    if like is None or wanted == given:
        return read(path, context, given), []
    alike, reason = None, ""
    try:
        alike = read(path, context.child(0.0, 1), wanted)
    except DataError as error:
        reason = error.sentence
    misfits = () if alike is None else like.misfits(alike.schema)
    if alike is not None and not misfits:
        return alike, []
    alone = read(path, context.child(0.0, 2), given)
    if alike is not None and len(like.misfits(alone.schema)) >= len(misfits):
        return alike, []  # the model or the rules say what it lacks, with the remedies
    reason = reason or f"It would lack columns, numbers or dates: {and_more(misfits, 3)}."
    sentence = f"{Path(path).name} was not read as the earlier file was. {reason}"
    return alone, [f"{sentence} It was read by itself. If that is wrong, save it in the form of the earlier file."]


def sniff(path: str | Path, options: ReadOptions | None = None, context: RunContext | None = None) -> ReadOptions:
    """Options recognised in the first part, but those given; raises :class:`DataError` if it is no table."""
    context = context or RunContext()
    with opened_file(path, context, options) as source, _plain(source, context) as (format, plain):
        return format.reader.sniff(plain, context, options or ReadOptions())


def raw_rows(path: str | Path, options: ReadOptions, context: RunContext) -> RawRows:
    """The first rows of a file as they stand, cut into cells by the recognised ``options``; empty for other formats."""
    with opened_file(path) as source, _plain(source, context) as (format, plain):
        return format.reader.raw_rows(plain, context, options)


def column_names(path: str | Path, options: ReadOptions | None = None) -> tuple[str, ...]:
    """The column names of a text table, from its first part; raises :class:`DataError` if it is no table."""
    from algorithms.io.text.delimited import opened

    given = options or ReadOptions()
    with opened_file(path, None, given) as source:
        return in_fitting_encoding(source, given.encoding, lambda encoding: opened(source, given, encoding).names)


def sheets(path: str | Path, context: RunContext | None = None) -> tuple[str, ...]:
    """The sheets of a workbook, the tables of a database, else (); raises :class:`DataError` if it cannot be read."""
    context = context or RunContext()
    with opened_file(path) as source:
        if _format_with_sheets(source) is None:
            return ()
        with _plain(source, context) as (format, plain):
            return format.reader.sheets(plain, context)


def sheet_list(path: str | Path, context: RunContext) -> SheetList:
    """The sheets of a file with what is quickly known of them; raises :class:`DataError` if it cannot be read."""
    with opened_file(path) as source:
        if _format_with_sheets(source) is None:
            return SheetList()
        with _plain(source, context) as (format, plain):
            return format.reader.sheet_list(plain, context, format)
