"""Workbooks: sheets of .xlsx, .xlsm, .xls, .xlsb and .ods, and the conversion of their cells to columns.

Blocks of cells are stored as arrays. When all are read, the kind of a column is decided: numbers, dates, times, or a
mixture, which keeps its spellings; missing markers do not make a mixture. Numbers that may be codes or classes are
spelled out, and the rules for columns of text files apply.

A child process unpacks a sheet and sends it in blocks of rows. So only some ten thousand cells are Python objects at a
time, and no workbook can crash this process or exhaust its memory.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from itertools import chain
from typing import Any, Final, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.number_formats import NumberFormat, says_code
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.io.bad_values import bad_value_sentences
from algorithms.io.column_inference import (
    InferredColumn,
    identifier_if_counting,
    inferred_column,
    infinite_numbers,
    marks_by_column,
    units_removed,
)
from algorithms.io.column_meaning import is_code, says_identifier, with_guessed_class
from algorithms.io.column_pieces import MANY_SPELLINGS, CodePiece, ColumnPieces, NumberPiece, StringPiece, string_piece
from algorithms.io.foreign_formats import ARCHIVE, COMPOUND
from algorithms.io.missing_marks import INFINITE, marks_of_numbers
from algorithms.io.text.layout_recognition import (
    SAMPLE_SIZE,
    distinct_names,
    has_header,
    is_styled_number,
    marks_everywhere_missing,
    marks_in_numbers,
)
from algorithms.io.text.options import ReadOptions
from algorithms.io.text.text_source import TextFile
from algorithms.io.workbook_process import Message, SheetBlock, SheetOpening, Sheets, Wanted, locked, unpacked

FEW_NUMBERS: Final = 20
"""Columns with more distinct numbers are numeric, unless they may be codes; columns with fewer may be nominal."""

_NUMBERS: Final[frozenset[type]] = frozenset({int, float})
_MOMENTS: Final[frozenset[type]] = frozenset({date, datetime})
_TIMES: Final[frozenset[type]] = frozenset({time, timedelta})
_LARGEST_SPELLED: Final = 1e15


@dataclass(frozen=True, eq=False)
class _Part:
    """A block of cells. ``values`` are its numbers, seconds since 1970-01-01 or hours; NaN elsewhere.

    ``others`` are the spellings of all non-empty cells of another ``type``; None if there are none.
    """

    type: str
    values: FloatArray
    others: CodePiece | StringPiece | None = None


@dataclass(eq=False)
class ColumnCells:
    """The blocks of one column during reading."""

    parts: list[_Part] = field(default_factory=list)
    texts: set[str] = field(default_factory=set)
    """Distinct spellings of cells with another type than the column, up to a limit."""

    def add(self, cells: Sequence[object] | FloatArray) -> None:
        """Append a block of cells: str ("" if empty), float, int, bool, date, datetime, time or timedelta.

        A float64 array holds numbers only, NaN if empty.
        """
        if isinstance(cells, np.ndarray):
            self.parts.append(_Part("" if np.isnan(cells).all() else "numbers", cells))
            return
        plain = set(map(type, cells)) - {str}
        fitting = next((kind for kind in _KINDS if plain and plain <= kind[1]), None)
        mixed = _KINDS[0] if plain & _NUMBERS else ("", frozenset[type](), _as_numbers)
        self._add(cells, *(fitting or mixed))

    def _add(
        self, cells: Sequence[object], type_: str, own: frozenset[type], convert: Callable[[list[Any]], FloatArray]
    ) -> None:
        if all(map(own.__contains__, map(type, cells))):
            self.parts.append(_Part(type_, convert(list(cells))))
            return
        is_own = np.fromiter((type(cell) in own for cell in cells), dtype=np.bool_, count=len(cells))
        values = np.full(len(cells), np.nan)
        if is_own.any():
            values[is_own] = convert([cell for cell in cells if type(cell) in own])
        spelled = np.empty(len(cells), dtype=object)
        spelled[:] = [None if cell == "" or type(cell) in own else spelling(cell) or None for cell in cells]
        self.parts.append(_Part(type_ if is_own.any() else "", values, self._others(spelled, bool(is_own.any()))))

    def _others(self, spelled: NDArray[np.object_], beside_values: bool) -> CodePiece | StringPiece | None:
        """The spellings as codes, or as strings if too many are distinct; None if there are none."""
        codes, distinct = pd.factorize(spelled)
        if not len(distinct):
            return None
        if len(self.texts) > MANY_SPELLINGS and not beside_values:
            spelled[codes < 0] = np.nan
            return string_piece(spelled)
        self.texts.update(distinct.tolist())
        return CodePiece(codes, distinct.tolist())

    @property
    def is_empty(self) -> bool:
        """Whether all cells are empty."""
        return all(part.others is None and bool(np.isnan(part.values).all()) for part in self.parts)

    @property
    def types(self) -> frozenset[str]:
        """The types of the non-text cells: "numbers", "moments", "times"."""
        return frozenset(part.type for part in self.parts if part.type)

    def column(
        self,
        name: str,
        last: bool,
        numbers: NumberFormat,
        options: ReadOptions,
        checkpoint: Callable[[], None],
        *,
        marks_are_known: bool,
    ) -> InferredColumn:
        """The column converted to its kind; ``numbers`` is the format of numbers stored as text.

        ``marks_are_known`` is that of :func:`inferred_column`. Raises :class:`DataError` if the column cannot have the
        kind that the options give.
        """
        given = options.kinds.get(name)
        marks = marks_of_numbers(options.missing)
        if self.types == {"numbers"} and given in (None, AttributeKind.NUMERIC):
            self._take_numbers(name, numbers, marks)
        only_marks = self.texts <= marks and not any(isinstance(part.others, StringPiece) for part in self.parts)
        types = self.types
        if only_marks and len(types) == 1:
            values = np.concatenate([part.values for part in self.parts])
            if types == {"moments"} and given in (None, AttributeKind.DATE):
                return InferredColumn(Attribute(name, AttributeKind.DATE), values)
            if types == {"times"} and given in (None, AttributeKind.NUMERIC):
                return InferredColumn(Attribute(name, AttributeKind.NUMERIC), values)
            if types == {"numbers"} and _are_numbers(name, values, given):
                infinite = np.isinf(values)
                values[infinite] = np.nan
                says_infinite = bool(infinite.any()) or not self.texts.isdisjoint(INFINITE)
                return InferredColumn(Attribute(name, AttributeKind.NUMERIC), values, says_infinite)
        as_spelled = numbers if not types else NumberFormat()  # other cells are spelled with a point
        marks_given = marks_are_known or bool(types)
        return inferred_column(
            name, last, self._spelled(checkpoint), as_spelled, options, checkpoint, marks_are_known=marks_given
        )

    def _take_numbers(self, name: str, numbers: NumberFormat, marks: frozenset[str]) -> None:
        """Convert texts to numbers if all are numeric or missing markers; codes stay text."""
        texts = self.texts - marks
        if not texts or not all(map(numbers.matches, texts)) or is_code(name, sorted(texts)):
            return
        if any(isinstance(part.others, StringPiece) for part in self.parts):
            return
        for number, part in enumerate(self.parts):
            if isinstance(part.others, CodePiece):
                self.parts[number] = _with_numbers(part, part.others, numbers, marks)
        self.texts -= texts

    def _spelled(self, checkpoint: Callable[[], None]) -> ColumnPieces:
        """All cells as spellings."""
        gathered = ColumnPieces()
        for part in self.parts:
            checkpoint()
            for piece in _spelled(part, as_strings=len(gathered.code_of) > MANY_SPELLINGS):
                gathered.add(piece)
        if not gathered.code_of and not gathered.stored_as(StringPiece):
            return ColumnPieces([NumberPiece(np.concatenate([part.values for part in self.parts]))])
        return gathered


def _with_numbers(part: _Part, others: CodePiece, numbers: NumberFormat, marks: frozenset[str]) -> _Part:
    """The block of numbers with its numeric texts converted."""
    is_number = np.array([*(text not in marks for text in others.spellings), False])
    values = np.array([*(math.nan if text in marks else numbers.parse(text) for text in others.spellings), math.nan])
    taken = is_number[others.codes]
    codes = np.where(taken, -1, others.codes)
    left = CodePiece(codes, others.spellings) if np.any(codes >= 0) else None
    return _Part("numbers", np.where(taken, values[others.codes], part.values), left)


def _are_numbers(name: str, values: FloatArray, given: AttributeKind | None) -> bool:
    """Whether the column is numeric without a check of the spellings."""
    if given is not None:
        return given is AttributeKind.NUMERIC
    distinct = np.unique(values[~np.isnan(values)])
    if len(distinct) <= FEW_NUMBERS or says_identifier(name) or says_code(name):
        return False
    large = distinct[np.abs(distinct) >= _LARGEST_SPELLED / 10]
    return not is_code(name, [spelling(value) for value in large[:FEW_NUMBERS].tolist()])


def _spelled(part: _Part, as_strings: bool) -> list[CodePiece | StringPiece]:
    if isinstance(part.others, StringPiece):
        return [part.others]
    present = ~np.isnan(part.values)
    distinct, inverse = np.unique(part.values[present], return_inverse=True)
    texts = list(part.others.spellings) if part.others is not None else []
    codes = np.full(len(part.values), -1, dtype=np.int64) if part.others is None else part.others.codes.astype(np.int64)
    codes[present] = inverse + len(texts)
    spellings = [*texts, *(_SPELLED[part.type or "numbers"](value) for value in distinct.tolist())]
    if not as_strings:
        return [CodePiece(codes, spellings)]
    table = np.empty(len(spellings) + 1, dtype=object)
    table[:-1], table[-1] = spellings, np.nan
    return [string_piece(table[codes])]


def spelling(cell: object) -> str:
    """The cell as a spreadsheet shows it: numbers with at most 15 digits, dates as ISO 8601, TRUE and FALSE."""
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, (int, float)):
        return _spelled_number(float(cell))
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    if isinstance(cell, timedelta):
        return _spelled_hours(cell.total_seconds() / 3600)
    return cell.isoformat() if isinstance(cell, (date, time)) else str(cell)


def _spelled_number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < _LARGEST_SPELLED else f"{value:.15g}"


def _spelled_moment(seconds: float) -> str:
    moment = np.datetime64(round(seconds * 1e6), "us").astype("datetime64[s]")
    day = moment.astype("datetime64[D]")
    return str(day) if moment == day else str(moment).replace("T", " ")


def _spelled_hours(hours: float) -> str:
    seconds = round(abs(hours) * 3600)
    sign = "-" if hours < 0 else ""
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


_SPELLED: Final[dict[str, Callable[[float], str]]] = {
    "numbers": _spelled_number,
    "moments": _spelled_moment,
    "times": _spelled_hours,
}


def _as_numbers(cells: list[Any]) -> FloatArray:
    return np.array(cells, dtype=np.float64)


def _as_seconds(cells: list[Any]) -> FloatArray:
    moments: NDArray[np.datetime64] = np.array(cells, dtype="datetime64[us]")
    return moments.astype(np.int64) / 1e6


def _as_hours(cells: list[Any]) -> FloatArray:
    return np.array([_hours(cell) for cell in cells], dtype=np.float64)


def _hours(cell: time | timedelta) -> float:
    if isinstance(cell, timedelta):
        return cell.total_seconds() / 3600
    return cell.hour + cell.minute / 60 + (cell.second + cell.microsecond / 1e6) / 3600


_KINDS: Final = (
    ("numbers", _NUMBERS, _as_numbers),
    ("moments", _MOMENTS, _as_seconds),
    ("times", _TIMES, _as_hours),
)

T = TypeVar("T")
Row = Sequence[Any]

MOST_TITLES: Final = 20

_INSIDE: Final = (b"xl/", b"[Content_Types].xml", b"opendocument.spreadsheet")
_MARKUP: Final = (b"<html", b"<!doctype", b"<table", b"<?xml")


def is_workbook(source: TextFile, is_named: bool) -> bool:
    """Whether a file is read as a workbook: by its content, or by its name if the content is no text."""
    head = source.head(SAMPLE_SIZE)
    if head.startswith(ARCHIVE):
        return is_named or any(mark in head for mark in _INSIDE)
    if is_named and head.lstrip().lower().startswith(_MARKUP):
        raise DataError(
            f"{source.name} is a web page or XML under the name of a workbook.",
            remedy="Open it in a spreadsheet program, save it as .xlsx or CSV, and open that.",
            place=source.name,
        )
    return head.startswith(COMPOUND) or (is_named and b"\x00" in head)


def sheets(source: TextFile, context: RunContext) -> tuple[str, ...]:
    """The names of the sheets with cells, in order; hidden ones only if all are hidden."""
    with _unpacked(source, context, "sheets") as messages:
        return _first(messages, Sheets).names


def recognised(source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
    """The options with sheet, header, number marks and missing markers filled in by recognition."""
    with _unpacked(source, context, "opening", options.sheet) as messages:
        first = _first(messages, SheetOpening)
    return _recognised(options, first.sheet, _opening(first, source, options))


def read_sheet(source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
    """The table in the sheet named by the options, else in the first sheet with cells.

    Raises :class:`DataError` for a damaged or locked file, an absent sheet, or a sheet without a table.
    """
    context.say(f"Unpacking {source.name}")
    with _unpacked(source, context, "table", options.sheet) as messages:
        n_sheets = len(_first(messages, Sheets).names)
        first = _first(messages, SheetOpening)
        opening = _opening(first, source, options)
        context.publish(_recognised(options, first.sheet, opening))
        context.say(f"Reading {source.name}, sheet {first.sheet}" if n_sheets > 1 else f"Reading {source.name}")
        columns = _gathered(messages, first, opening, context)
    return _inferred_table(source, first.sheet, opening, columns, context, options)


# ---- the workbook ----------------------------------------------------------------------------------------------------


def _unpacked(
    source: TextFile, context: RunContext, wanted: Wanted, sheet: str | None = None
) -> AbstractContextManager[Iterator[Message]]:
    if b"E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k" in source.head(SAMPLE_SIZE):
        raise locked(source.name)
    if source.is_packed:
        raise DataError(
            f"{source.name} is a workbook packed with gzip.", remedy="Unpack it and open that.", place=source.name
        )
    return unpacked(source, context, wanted, sheet)


def _first(messages: Iterator[Message], kind: type[T]) -> T:
    """The next message of a kind; raises :class:`DataError` if the child reports an error."""
    return next(message for message in messages if isinstance(message, kind))


# ---- the table in the sheet ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Opening:
    """What the first rows of a sheet show.

    ``rows`` are the first records, with the cells of the columns ``held`` only; ``places`` are the indices of all
    columns in the sheet.
    """

    names: tuple[str, ...]
    places: Sequence[int]
    held: Mapping[int, int]
    header: bool
    remarks: tuple[str, ...]
    rows: Sequence[Row]
    numbers: NumberFormat
    has_text_numbers: bool
    marks_are_known: bool

    def cells(self, index: int) -> set[str]:
        """The distinct spellings in a column of the first records, "" if empty."""
        place = self.held.get(index)
        return {"" if place is None or row[place] == "" else _spelled_as(row[place], self.numbers) for row in self.rows}


def _opening(sheet: SheetOpening, source: TextFile, options: ReadOptions) -> _Opening:
    rows = list(sheet.first)
    widths = Counter(_n_present(row) for _, row in rows)
    usual = max(widths, key=lambda width: (widths[width], width)) if widths else 0
    remarks: list[str] = []
    while len(rows) > 2 and usual > 2 and _n_present(rows[0][1]) == 1 and len(remarks) < MOST_TITLES:
        first_row, row = rows.pop(0)
        title = next(spelling(cell) for cell in row if cell != "")
        remarks.append(f"Row {first_row + 1} stands above the table and was passed over: {title[:80]}")
    if not rows:
        raise _no_records(source)
    texts = [[cell.strip() if isinstance(cell, str) else "" for cell in row] for _, row in rows]
    decimal, thousands, marks_are_known = marks_in_numbers(texts, "\t", options)
    numbers = NumberFormat(decimal, thousands)
    header = options.header
    if header is None:
        named = all(isinstance(cell, str) for cell in rows[0][1])
        spelled = [[_spelled_as(cell, numbers) if cell != "" else "" for cell in row] for _, row in rows]
        header = named and has_header(spelled, numbers)
    if header and len(rows) == 1:
        raise _no_records(source)
    names = [""] * sheet.width
    for place, cell in zip(sheet.held, rows[0][1], strict=True):
        names[place] = spelling(cell) if header else ""
    has_text_numbers = any(map(is_styled_number, chain.from_iterable(texts[int(header) :])))
    records = [row for _, row in rows[int(header) :]]
    places = range(len(names)) if sheet.places is None else sheet.places
    held = {place: index for index, place in enumerate(sheet.held)}
    return _Opening(
        tuple(names), places, held, header, tuple(remarks), records, numbers, has_text_numbers, marks_are_known
    )


def _spelled_as(cell: object, numbers: NumberFormat) -> str:
    """A cell's spelling; a number gets the decimal mark that the texts use."""
    text = spelling(cell)
    return text if isinstance(cell, str) else text.replace(".", numbers.decimal)


def _no_records(source: TextFile) -> DataError:
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
        cells = [opening.cells(index) - {""} for index in range(len(opening.names))]
        missing = marks_everywhere_missing(cells, opening.numbers)
    decimal, thousands = options.decimal, options.thousands
    if opening.has_text_numbers:
        decimal, thousands = opening.numbers.decimal, opening.numbers.thousands
    return replace(options, sheet=sheet, header=opening.header, missing=missing, decimal=decimal, thousands=thousands)


def _gathered(
    messages: Iterator[Message], sheet: SheetOpening, opening: _Opening, context: RunContext
) -> list[ColumnCells]:
    columns = [ColumnCells() for _ in opening.names]
    n_rows = max(1, sheet.n_rows)
    empty = np.broadcast_to(np.nan, len(opening.rows))
    cells = list[Sequence[Any] | FloatArray]([empty] * len(columns))
    for place, column in zip(opening.held, zip(*opening.rows, strict=True), strict=bool(opening.rows)):
        cells[place] = column
    _add(columns, cells)
    for message in messages:
        if isinstance(message, SheetBlock):
            context.advance(min(message.at, n_rows), n_rows)
            _add(columns, message.columns)
    context.advance(n_rows, n_rows)
    return columns


def _add(columns: Sequence[ColumnCells], cells: Sequence[Sequence[Any] | FloatArray]) -> None:
    for column, block in zip(columns, cells, strict=bool(cells)):
        column.add(block)


def _inferred_table(
    source: TextFile,
    sheet: str,
    opening: _Opening,
    columns: list[ColumnCells],
    context: RunContext,
    options: ReadOptions,
) -> Dataset:
    context.say(f"Looking at the values of {source.name}")
    used = [index for index, cells in enumerate(columns) if opening.names[index] or not cells.is_empty]
    if not columns or not columns[0].parts:
        raise _no_records(source)
    given = [opening.names[index] or f"Column {opening.places[index] + 1}" for index in used]
    names, doubled = distinct_names(given)
    inferred, hours = list[InferredColumn](), []
    for index, name in zip(used, names, strict=True):
        if columns[index].types == {"times"}:
            hours.append(name)
        last = index == used[-1]
        marks_given = opening.marks_are_known
        column = columns[index].column(
            name, last, opening.numbers, options, context.checkpoint, marks_are_known=marks_given
        )
        columns[index].parts.clear()
        may_count = opening.header and not last and name not in options.kinds and name not in hours
        inferred.append(
            identifier_if_counting(column, opening.names[index], context.checkpoint) if may_count else column
        )
    times = [f"Times in {', '.join(hours)} are read as hours: 12:30 is 12.5."] if hours else []
    bad_values = bad_value_sentences(
        [(c.attribute, c.bad_value) for c in inferred if c.bad_value], lambda index: f"record {index + 1:,}"
    )
    marks, values = marks_by_column(inferred, lambda position: opening.cells(used[position]))
    removed, infinite = units_removed(inferred), filter(None, [infinite_numbers(inferred)])
    remarks = chain(opening.remarks, doubled, times, removed, infinite, marks, bad_values)
    recognised = _recognised(options, sheet, opening)
    left = tuple(mark for mark in recognised.missing or () if mark not in values)
    if options.missing is None and left != recognised.missing:
        context.publish(replace(recognised, missing=left))
    origin = DataOrigin(source.path.stem, str(source.path), " ".join(remarks))
    schema = with_guessed_class(Schema(tuple(column.attribute for column in inferred)), options.class_name)
    return Dataset(schema, [column.values for column in inferred], origin=origin)
