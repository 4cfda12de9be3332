"""Sheets of workbooks: .xlsx, .xlsm, .xls, .xlsb and .ods.

A child process unpacks a sheet and hands it over in blocks of rows, so that only some ten thousand cells are Python
objects at a time, and no workbook can end this process or take its memory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final, TypeVar

from algorithms.core.columns import FloatArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset, Origin
from algorithms.core.errors import DataError
from algorithms.core.number_formats import Numbers
from algorithms.core.schema import Schema
from algorithms.io.cells import Cells, spelling
from algorithms.io.classes import with_guessed_class
from algorithms.io.foreign_formats import ARCHIVE, COMPOUND
from algorithms.io.options import ReadOptions
from algorithms.io.recognise import (
    SAMPLE_SIZE,
    distinct_names,
    has_header,
    is_styled_number,
    marks_everywhere_missing,
    marks_in_numbers,
)
from algorithms.io.settle import Column, infinite_numbers, marks_by_column, units_removed, unless_it_counts
from algorithms.io.source import Source
from algorithms.io.strays import told_of_strays
from algorithms.io.workbook_process import Message, SheetBlock, SheetOpening, Sheets, Wanted, locked, unpacked

T = TypeVar("T")
Row = Sequence[Any]

SUFFIXES: Final = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")
MOST_TITLES: Final = 20

_INSIDE: Final = (b"xl/", b"[Content_Types].xml", b"opendocument.spreadsheet")
_MARKUP: Final = (b"<html", b"<!doctype", b"<table", b"<?xml")


def is_workbook(source: Source) -> bool:
    """Whether a file is to be read as a workbook: by its content, or by its name where the content is no text."""
    head = source.head(SAMPLE_SIZE)
    named = source.path.suffix.lower() in SUFFIXES
    if head.startswith(ARCHIVE):
        return named or any(mark in head for mark in _INSIDE)
    if named and head.lstrip().lower().startswith(_MARKUP):
        raise DataError(
            f"{source.name} is a web page or XML under the name of a workbook.",
            remedy="Open it in a spreadsheet program, save it as .xlsx or CSV, and open that.",
            place=source.name,
        )
    return head.startswith(COMPOUND) or (named and b"\x00" in head)


def sheets(source: Source, context: RunContext) -> tuple[str, ...]:
    """The names of the workbook's sheets of cells in their order; hidden ones only where all are hidden."""
    with _unpacked(source, context, "sheets") as messages:
        return _first(messages, Sheets).names


def recognised(source: Source, context: RunContext, options: ReadOptions) -> ReadOptions:
    """The options with the sheet, the header and the missing marks filled in."""
    with _unpacked(source, context, "opening", options.sheet) as messages:
        first = _first(messages, SheetOpening)
    return _recognised(options, first.sheet, _opening(first, source, options))


def read_sheet(source: Source, context: RunContext, options: ReadOptions) -> Dataset:
    """The table in the sheet that the options name, else in the first that holds one.

    Raises :class:`DataError` for a damaged or locked file, a sheet that is not there and one without a table.
    """
    context.say(f"Unpacking {source.name}")
    with _unpacked(source, context, "table", options.sheet) as messages:
        n_sheets = len(_first(messages, Sheets).names)
        first = _first(messages, SheetOpening)
        opening = _opening(first, source, options)
        context.publish(_recognised(options, first.sheet, opening))
        context.say(f"Reading {source.name}, sheet {first.sheet}" if n_sheets > 1 else f"Reading {source.name}")
        columns = _gathered(messages, first, opening, context)
    return _settled(source, first.sheet, opening, columns, context, options)


# ---- the workbook ----------------------------------------------------------------------------------------------------


def _unpacked(
    source: Source, context: RunContext, wanted: Wanted, sheet: str | None = None
) -> AbstractContextManager[Iterator[Message]]:
    if b"E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k" in source.head(SAMPLE_SIZE):
        raise locked(source.name)
    if source.is_packed:
        raise DataError(
            f"{source.name} is a workbook packed with gzip.", remedy="Unpack it and open that.", place=source.name
        )
    return unpacked(source, context, wanted, sheet)


def _first(messages: Iterator[Message], kind: type[T]) -> T:
    """The next message of a kind, which the reader sends or else raises why it does not."""
    return next(message for message in messages if isinstance(message, kind))


# ---- the table in the sheet ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Opening:
    """What the first rows of a sheet tell; ``rows`` are the first records."""

    names: tuple[str, ...]
    header: bool
    remarks: tuple[str, ...]
    rows: Sequence[Row]
    numbers: Numbers
    has_text_numbers: bool
    marks_are_known: bool

    def cells(self, index: int) -> set[str]:
        """The different cells of a column among the first records, spelled."""
        return {_spelled_as(row[index], self.numbers) for row in self.rows}


def _opening(sheet: SheetOpening, source: Source, options: ReadOptions) -> _Opening:
    rows = list(sheet.first)
    widths = Counter(_n_present(row) for _, row in rows)
    usual = max(widths, key=lambda width: (widths[width], width)) if widths else 0
    remarks: list[str] = []
    while len(rows) > 2 and usual > 2 and _n_present(rows[0][1]) == 1 and len(remarks) < MOST_TITLES:
        at, row = rows.pop(0)
        title = next(spelling(cell) for cell in row if cell != "")
        remarks.append(f"Row {at + 1} stands above the table and was passed over: {title[:80]}")
    if not rows:
        raise _no_records(source)
    texts = [[cell.strip() if isinstance(cell, str) else "" for cell in row] for _, row in rows]
    decimal, thousands, marks_are_known = marks_in_numbers(texts, "\t", options)
    numbers = Numbers(decimal, thousands)
    header = options.header
    if header is None:
        named = all(isinstance(cell, str) for cell in rows[0][1])
        spelled = [[_spelled_as(cell, numbers) for cell in row] for _, row in rows]
        header = named and has_header(spelled, numbers)
    if header and len(rows) == 1:
        raise _no_records(source)
    names = [spelling(cell) for cell in rows[0][1]] if header else [""] * len(rows[0][1])
    has_text_numbers = any(map(is_styled_number, chain.from_iterable(texts[int(header) :])))
    records = [row for _, row in rows[int(header) :]]
    return _Opening(tuple(names), header, tuple(remarks), records, numbers, has_text_numbers, marks_are_known)


def _spelled_as(cell: object, numbers: Numbers) -> str:
    """A cell in words, a number with the decimal mark that the texts have."""
    text = spelling(cell)
    return text if isinstance(cell, str) else text.replace(".", numbers.decimal)


def _no_records(source: Source) -> DataError:
    return DataError(
        f"{source.name} holds a row of names but no records.",
        remedy="Choose another sheet or file, or say that the first row is a record.",
        place=source.name,
    )


def _n_present(row: Row) -> int:
    return sum(cell != "" for cell in row)


def _recognised(options: ReadOptions, sheet: str, opening: _Opening) -> ReadOptions:
    missing = options.missing
    if missing is None:
        cells = [opening.cells(at) - {""} for at in range(len(opening.names))]
        missing = marks_everywhere_missing(cells, opening.numbers)
    decimal, thousands = options.decimal, options.thousands
    if opening.has_text_numbers:
        decimal, thousands = opening.numbers.decimal, opening.numbers.thousands
    return replace(options, sheet=sheet, header=opening.header, missing=missing, decimal=decimal, thousands=thousands)


def _gathered(messages: Iterator[Message], sheet: SheetOpening, opening: _Opening, context: RunContext) -> list[Cells]:
    columns = [Cells() for _ in opening.names]
    n_rows = max(1, sheet.n_rows)
    _add(columns, list(zip(*opening.rows, strict=True)))
    for message in messages:
        if isinstance(message, SheetBlock):
            context.advance(min(message.at, n_rows), n_rows)
            _add(columns, message.columns)
    context.advance(n_rows, n_rows)
    return columns


def _add(columns: Sequence[Cells], cells: Sequence[Sequence[Any] | FloatArray]) -> None:
    for column, block in zip(columns, cells, strict=bool(cells)):
        column.add(block)


def _settled(
    source: Source, sheet: str, opening: _Opening, columns: list[Cells], context: RunContext, options: ReadOptions
) -> Dataset:
    context.say(f"Looking at the values of {source.name}")
    used = [at for at, cells in enumerate(columns) if opening.names[at] or not cells.is_empty]
    if not columns or not columns[0].parts:
        raise _no_records(source)
    given = [opening.names[at] or f"Column {at + 1}" for at in used]
    names, doubled = distinct_names(given)
    settled, hours = list[Column](), []
    for at, name in zip(used, names, strict=True):
        if columns[at].types == {"times"}:
            hours.append(name)
        last = at == used[-1]
        known = opening.marks_are_known
        column = columns[at].column(name, last, opening.numbers, options, context.checkpoint, marks_are_known=known)
        columns[at].parts.clear()
        may_count = opening.header and not last and name not in options.kinds and name not in hours
        settled.append(unless_it_counts(column, opening.names[at], context.checkpoint) if may_count else column)
    times = [f"Times in {', '.join(hours)} are read as hours: 12:30 is 12.5."] if hours else []
    strays = told_of_strays([(c.attribute, c.stray) for c in settled if c.stray], lambda at: f"record {at + 1:,}")
    marks, values = marks_by_column(settled, lambda position: opening.cells(used[position]))
    removed, infinite = units_removed(settled), filter(None, [infinite_numbers(settled)])
    told = chain(opening.remarks, doubled, times, removed, infinite, marks, strays)
    recognised = _recognised(options, sheet, opening)
    left = tuple(mark for mark in recognised.missing or () if mark not in values)
    if options.missing is None and left != recognised.missing:
        context.publish(replace(recognised, missing=left))
    origin = Origin(source.path.stem, str(source.path), " ".join(told))
    schema = with_guessed_class(Schema(tuple(column.attribute for column in settled)), options.class_name)
    return Dataset(schema, [column.values for column in settled], origin=origin)
