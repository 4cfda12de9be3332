"""Reading of tables, and the registry of formats; file dialogs need only names, so modules are imported on demand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.io.foreign_formats import refuse_foreign_file
from algorithms.io.text.layout_recognition import SAMPLE_SIZE, recognise_encoding, refuse_binary
from algorithms.io.text.options import ReadOptions, describe
from algorithms.io.text.text_source import TextFile, in_fitting_encoding

__all__ = ["ReadOptions", "column_names", "describe", "read", "sheets", "sniff"]


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

    def sheets(self, source: TextFile, context: RunContext) -> tuple[str, ...]:
        """The names of the file's sheets; empty for a format with a single table."""
        return ()


@dataclass(frozen=True)
class TableFormat:
    """A file format with the ``name`` and the ``suffixes`` shown in file dialogs."""

    name: str
    suffixes: tuple[str, ...]
    reader: TableReader
    has_options: bool = True
    """Whether the user can change the options with which it was read."""
    has_sheets: bool = False

    @property
    def patterns(self) -> str:
        return " ".join(f"*{suffix}" for suffix in self.suffixes)

    def is_named(self, path: str | Path) -> bool:
        """Whether the path has a suffix of this format."""
        return Path(path).suffix.lower() in self.suffixes

    def reads(self, source: TextFile) -> bool:
        """Whether the reader recognises the file."""
        return self.reader.recognises(source, self.is_named(source.path))


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

    def sheets(self, source: TextFile, context: RunContext) -> tuple[str, ...]:
        from algorithms.io.excel import sheets

        return sheets(source, context)


class _DelimitedReader(TableReader):
    """Reader of delimited text, with or without gzip; recognises any file, so other formats are tried first."""

    def recognises(self, source: TextFile, is_named: bool) -> bool:
        return True

    def read(self, source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
        from algorithms.io.text.delimited import read_delimited

        return read_delimited(source, context, options)

    def sniff(self, source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
        from algorithms.io.text.delimited import opened, recognised_options

        def attempt(encoding: str | None) -> ReadOptions:
            return recognised_options(opened(source, options, encoding), options)

        return in_fitting_encoding(source, options.encoding, attempt)


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


WORKBOOK: Final = TableFormat(
    "Excel and OpenDocument", (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"), _WorkbookReader(), has_sheets=True
)
TEXT: Final = TableFormat("Text", (".csv", ".tsv", ".tab", ".txt", ".data", ".dat", ".gz"), _DelimitedReader())
ARFF: Final = TableFormat("ARFF", (".arff",), _ArffReader(), has_options=False)
FORMATS: Final[list[TableFormat]] = [WORKBOOK, TEXT, ARFF]
"""The formats in the order of file dialogs. The last one that recognises a file reads it, else text."""


def format_of(source: TextFile) -> TableFormat:
    """The format of a file; raises :class:`DataError` for an empty file or an unsupported format."""
    return next((each for each in reversed(FORMATS) if each is not TEXT and each.reads(source)), TEXT)


def is_named_as_text(path: str | Path) -> bool:
    """Whether the path has no suffix of a format other than text."""
    return not any(each.is_named(path) for each in FORMATS if each is not TEXT)


def read(path: str | Path, context: RunContext, options: ReadOptions | None = None) -> Dataset:
    """The table in a file; the class is the attribute named class, else the last nominal one, else none.

    The recognised options are published to the context as :class:`ReadOptions`. The context's progress is the share of
    bytes read. Raises :class:`DataError` with a sentence, a remedy and the place for any fault of the file.
    """
    with TextFile(Path(path)) as source:
        return format_of(source).reader.read(source, context, options or ReadOptions())


def sniff(path: str | Path, options: ReadOptions | None = None, context: RunContext | None = None) -> ReadOptions:
    """Options recognised in the first part, but those given; raises :class:`DataError` if it is no table."""
    with TextFile(Path(path)) as source:
        return format_of(source).reader.sniff(source, context or RunContext(), options or ReadOptions())


def column_names(path: str | Path, options: ReadOptions | None = None) -> tuple[str, ...]:
    """The column names of a text table, from its first part; raises :class:`DataError` if it is no table."""
    from algorithms.io.text.delimited import opened

    given = options or ReadOptions()
    with TextFile(Path(path)) as source:
        return in_fitting_encoding(source, given.encoding, lambda encoding: opened(source, given, encoding).names)


def sheets(path: str | Path, context: RunContext | None = None) -> tuple[str, ...]:
    """The sheets of a workbook, else (); a stop ends the unpacking. Raises :class:`DataError` if it cannot be read."""
    with TextFile(Path(path)) as source:
        with_sheets = [each for each in FORMATS if each.has_sheets and source.size and each.reads(source)]
        return with_sheets[-1].reader.sheets(source, context or RunContext()) if with_sheets else ()
