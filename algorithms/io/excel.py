"""Workbooks: sheets of .xlsx, .xlsm, .xls, .xlsb and .ods; a table is written as an .xlsx of one sheet.

A child process (:mod:`algorithms.io.workbook_reader`) unpacks a sheet and sends it in blocks of rows. So only some ten
thousand cells are Python objects at a time, and no workbook can crash this process or exhaust its memory.
"""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, timedelta
from datetime import time as time_of_day
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.files import GradualSync, replacing_or
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.data.dataset import Dataset
from algorithms.data.number_formats import NumberFormat
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.io.child_process import FileWords, ProcessLimits, ReadingProcess, reading_process
from algorithms.io.foreign_formats import ARCHIVE, COMPOUND
from algorithms.io.table_layout import MOST_CELLS, Arrangement, GridRow, RowFilter, arrangement, grid_rows
from algorithms.io.text.layout_recognition import (
    SAMPLE_SIZE,
    has_header,
    is_styled_number,
    marks_everywhere_missing,
    marks_in_numbers,
)
from algorithms.io.text.options import Guess, OtherReading, ReadOptions, decimal_guess, header_guess, taken_sentences
from algorithms.io.text.text_source import TextFile
from algorithms.io.typed_columns import ColumnCells, ColumnDetails, TypedTable, spelling
from algorithms.io.workbook_reader import LOOKED_AT

if TYPE_CHECKING:
    from xlsxwriter.worksheet import Worksheet


T = TypeVar("T")
Row = Sequence[Any]

FEWEST_ROWS: Final = 8
MOST_OTHERS: Final = 4
"""Number of other sheets that are offered by one click."""
MOST_ENDING: Final = 60
"""Number of rows at the end of a sheet among which totals and notes are looked for."""

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


def sized_sheets(source: TextFile, context: RunContext) -> tuple[tuple[str, ...], dict[str, int]]:
    """The names as of :func:`sheets`, and about the number of records of those that declare their range."""
    with _unpacked(source, context, "sheets") as messages:
        found = _first(messages, Sheets)
    return found.names, {name: max(1, n - 1) for name, n in found.rows.items()}  # one row holds the names


def recognised(source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
    """The options with sheet, header, number marks and missing markers filled in by recognition."""
    with _unpacked(source, context, "opening", options.sheet) as messages:
        names = _first(messages, Sheets).names
        first = _first(messages, SheetOpening)
    return _recognised(options, first.sheet, _opening(first, source, options, names))


def raw_rows(source: TextFile, context: RunContext, options: ReadOptions) -> list[tuple[int, tuple[str, ...]]]:
    """The first rows of a sheet as they stand, with their numbers; blank ones are left out."""
    with _unpacked(source, context, "opening", options.sheet) as messages:
        first = _first(messages, SheetOpening)
    return [(number + 1, tuple(map(spelling, _whole_row(row, first)))) for number, row in first.first]


def read_sheet(source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
    """The table in the sheet named by the options, else in the first sheet with cells.

    Raises :class:`DataError` for a damaged or locked file, an absent sheet, or a sheet without a table.
    """
    context.say(f"Unpacking {source.name}")
    with _unpacked(source, context, "table", options.sheet) as messages:
        names = _first(messages, Sheets).names
        n_sheets = len(names)
        first = _first(messages, SheetOpening)
        opening = _opening(first, source, options, names)
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
    rows: Sequence[Row]
    numbers: NumberFormat
    has_text_numbers: bool
    marks_are_known: bool
    layout: Arrangement
    filter: RowFilter
    """Has passed the first rows; the last of them may wait in it, unless they are all."""
    is_whole: bool
    sheet_guess: tuple[Guess, ...] = ()

    @property
    def guesses(self) -> tuple[Guess, ...]:
        """Where the table lies in the sheet, what was left out, and whether its first row holds the names."""
        header = () if self.layout.names is not None else (header_guess(self.header, self.layout.begin),)
        usual = decimal_guess(self.numbers.decimal, self.numbers.thousands) if self.has_text_numbers else ()
        return (*self.sheet_guess, *self.layout.guesses, *self.filter.guesses(), *header, *usual)

    @property
    def is_plain(self) -> bool:
        """Whether every row is a record so far, or the names."""
        return self.layout.is_plain and not self.filter.n_dropped

    def cells(self, index: int) -> set[str]:
        """The distinct spellings in a column of the first records, "" if empty."""
        place = self.held.get(index)
        return {"" if place is None or row[place] == "" else _spelled_as(row[place], self.numbers) for row in self.rows}


def _sheet_guess(sheet: SheetOpening, names: Sequence[str]) -> tuple[Guess, ...]:
    """The guess that another sheet than the first holds the table; empty if the first is read."""
    if sheet.over is None:
        return ()
    sentence = f"Sheet {sheet.sheet!r} was chosen: most cells below names are there, few or none on {sheet.over!r}."
    others = [name for name in names if name != sheet.sheet][:MOST_OTHERS]
    return (Guess("sheet", sentence, tuple(_reading_of(name) for name in others)),)


def _reading_of(sheet: str) -> OtherReading:
    return OtherReading(f"Read {sheet}", {"sheet": sheet}, f"sheet={sheet}")


def _opening(sheet: SheetOpening, source: TextFile, options: ReadOptions, names: Sequence[str] = ()) -> _Opening:
    all_places = range(sheet.width) if sheet.places is None else sheet.places
    numbered = [(number + 1, _whole_row(row, sheet)) for number, row in sheet.first]
    grid = list(grid_rows(numbered, are_all=False))
    is_whole = not grid or sheet.n_rows <= sheet.first[0][0] + LOOKED_AT
    n_most = max(FEWEST_ROWS, MOST_CELLS // max(1, sheet.width))
    layout = arrangement(grid[:n_most], options, is_whole=is_whole and len(grid) <= n_most)
    if layout is None:
        raise _no_records(source)
    chosen = RowFilter(layout, options)
    kept = [*chosen.passed(grid), *chosen.rest(is_end=is_whole)]
    rows: list[Row] = [row.cells for row in kept]
    if layout.names is not None:
        rows.insert(0, layout.names)
    if not rows:
        raise _no_records(source)
    texts = [[cell.strip() if isinstance(cell, str) else "" for cell in row] for row in rows]
    decimal, thousands, marks_are_known = marks_in_numbers(texts, "\t", options)
    numbers = NumberFormat(decimal, thousands)
    header = True if layout.names is not None else options.header
    if header is None:
        named = all(isinstance(cell, str) for cell in rows[0])
        spelled = [[_spelled_as(cell, numbers) if cell != "" else "" for cell in row] for row in rows]
        header = named and has_header(spelled, numbers)
    if header and len(rows) == 1:
        raise _no_records(source)
    own = list(layout.columns) if is_whole else list(range(sheet.width))
    place_of = {place: index for index, place in enumerate(own)}
    heads = [""] * len(own)
    for place, cell in zip(layout.columns, rows[0], strict=True):
        heads[place_of[place]] = spelling(cell) if header else ""
    has_text_numbers = any(map(is_styled_number, chain.from_iterable(texts[int(header) :])))
    places = [all_places[place] for place in own]
    held = {place_of[place]: index for index, place in enumerate(layout.columns)}
    marks = (numbers, has_text_numbers, marks_are_known)
    first = tuple(heads), places, held, header, rows[int(header) :]
    return _Opening(*first, *marks, layout, chosen, is_whole, _sheet_guess(sheet, names))


def _whole_row(row: Row, sheet: SheetOpening) -> Row:
    """A row with an empty cell for each column that the first rows do not contain."""
    cells: list[Any] = [""] * sheet.width
    for place, cell in zip(sheet.held, row, strict=True):
        cells[place] = cell
    return cells


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


def _recognised(options: ReadOptions, sheet: str, opening: _Opening) -> ReadOptions:
    missing = options.missing
    if missing is None:
        cells = [opening.cells(index) - {""} for index in range(len(opening.names))]
        missing = marks_everywhere_missing(cells, opening.numbers)
    decimal, thousands = options.decimal, options.thousands
    if opening.has_text_numbers:
        decimal, thousands = opening.numbers.decimal, opening.numbers.thousands
    return replace(
        options,
        **({} if opening.is_plain else opening.layout.recognised),
        guesses=opening.guesses,
        sheet=sheet,
        header=opening.header,
        missing=missing,
        decimal=decimal,
        thousands=thousands,
    )


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
    last: SheetBlock | None = None  # the last block waits, since it may end with totals and notes
    for message in messages:
        if isinstance(message, SheetBlock) and not opening.is_whole:
            context.advance(min(message.at, n_rows), n_rows)
            if last is not None and opening.is_plain:
                _add(columns, last.columns)
            elif last is not None:
                _add_rows(columns, opening.filter.passed(_grid_of(last)))
            last = message
    if last is not None and opening.is_plain:
        _add_end(columns, last, opening)
    elif last is not None:
        _add_rows(columns, [*opening.filter.passed(_grid_of(last)), *opening.filter.rest()])
    context.advance(n_rows, n_rows)
    return columns


def _add_end(columns: Sequence[ColumnCells], last: SheetBlock, opening: _Opening) -> None:
    """Add the last rows of a plain sheet, without totals and notes at their end."""
    end = list(_grid_of(last, MOST_ENDING))
    records = [*opening.filter.passed(end), *opening.filter.rest()]
    if not opening.filter.n_dropped:
        _add(columns, last.columns)
        return
    n_before = len(last.columns[0]) - len(end)
    _add(columns, [column[:n_before] for column in last.columns])
    _add_rows(columns, records)


def _grid_of(block: SheetBlock, most: int | None = None) -> Iterator[GridRow]:
    """The rows of a block, or the last ones; their numbers take no row of it for blank."""
    n = len(block.columns[0]) if block.columns else 0
    begin = 0 if most is None else max(0, n - most)
    parts = [
        ["" if math.isnan(cell) else cell for cell in part.tolist()] if isinstance(part, np.ndarray) else part
        for part in (column[begin:] for column in block.columns)
    ]
    first = block.at - n + begin + 1
    return grid_rows(((first + i, cells) for i, cells in enumerate(zip(*parts, strict=True))), are_all=True)


def _add_rows(columns: Sequence[ColumnCells], rows: Iterable[GridRow]) -> None:
    _add(columns, list(zip(*(row.cells for row in rows), strict=True)))


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
    table = TypedTable(
        source,
        given,
        context,
        options,
        numbers=opening.numbers,
        marks_are_known=opening.marks_are_known,
        has_names=opening.header,
        recognised=_recognised(options, sheet, opening),
        remarks=taken_sentences(opening.guesses),
    )
    units = opening.layout.units or ("",) * len(columns)
    for index in used:
        table.add(columns[index], ColumnDetails(unit=units[index]), heading=opening.names[index])
    return table.dataset()


# ---- The child process -----------------------------------------------------------------------------------------------

READER: Final = "algorithms.io.workbook_reader"

Cells = FloatArray | Sequence[Any]


@dataclass(frozen=True)
class WorkbookLimits(ProcessLimits):
    """Limits for reading a workbook: those of its process, and ``cells`` of a sheet.

    For small workbooks the memory limit is lower: see :data:`algorithms.io.workbook_reader.MEMORY_RATIO`.
    """

    cells: int = 100_000_000


LIMITS: Final = WorkbookLimits()
_WORDS: Final = FileWords(
    plural="workbooks",
    whole="no workbook",
    repair="Fetch it again, or open it in a spreadsheet program and save it again.",
    lighten="Delete stray cells far away from the table, or save the table as CSV and open that.",
    convert="Save the table as CSV in a spreadsheet program and open that.",
)


@dataclass(frozen=True)
class Sheets:
    """The sheets of a workbook in order, as (name, holds cells, is visible)."""

    all: tuple[tuple[str, bool, bool], ...]
    rows: Mapping[str, int] = field(default_factory=dict)
    """The declared number of rows by name, if only the sheets were asked for."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the sheets with cells; hidden ones only if all are hidden."""
        cells = [(name, visible) for name, holds_cells, visible in self.all if holds_cells]
        return tuple(name for name, visible in cells if visible) or tuple(name for name, _ in cells)


@dataclass(frozen=True, eq=False)
class SheetOpening:
    """The chosen sheet, its number of rows, and its first non-empty rows as (row index, cells).

    ``held`` are those of its ``width`` columns that the rows contain: the ones with a value in them. ``places`` are the
    indices of all columns; None if none is left out.
    """

    sheet: str
    n_rows: int
    first: Sequence[tuple[int, Sequence[Any]]]
    held: Sequence[int]
    width: int
    places: Sequence[int] | None = None
    over: str | None = None
    """The first sheet, if this one was chosen since it looks more like a table."""


@dataclass(frozen=True, eq=False)
class SheetBlock:
    """Further non-empty rows, by column: float64 with NaN for empty cells, else a list of cells.

    ``at`` is the number of sheet rows read so far.
    """

    at: int
    columns: Sequence[Cells]


Message = Sheets | SheetOpening | SheetBlock
Wanted = Literal["sheets", "opening", "table"]


@contextmanager
def unpacked(
    source: TextFile, context: RunContext, wanted: Wanted, sheet: str | None = None
) -> Iterator[Iterator[Message]]:
    """Context manager: the messages of the child process, which reads as much of a workbook as ``wanted`` says.

    ``sheet`` names the sheet to read, None for the first with cells. The child process ends with the block. Raises
    :class:`DataError` for any fault of the workbook, and :class:`Cancelled` on a stop.
    """
    limits = LIMITS.of_this_machine()
    with reading_process(READER, source, context, limits, _WORDS, want=wanted, sheet=sheet) as process:
        yield _Reading(source, limits, process, sheet).messages()


class _Reading:
    """What one child process tells of a workbook; ``named`` is the sheet asked for."""

    def __init__(self, source: TextFile, limits: WorkbookLimits, process: ReadingProcess, named: str | None) -> None:
        self._source, self._limits, self._process, self._named = source, limits, process, named
        self._sheets = Sheets(())

    def messages(self) -> Iterator[Message]:
        for head in self._process.messages():
            kind = head["message"]
            if kind == "error":
                raise self._refusal(head)
            if kind == "unpacking":
                self._process.part = f"sheet {head['sheet']}"
            elif kind == "sheets":
                every = tuple((name, cells, visible) for name, cells, visible in head["sheets"])
                self._sheets = Sheets(every, head["rows"])
                yield self._sheets
            elif kind == "opening":
                first = [(number, [cell_of(cell) for cell in row]) for number, row in head["first"]]
                places = head["held"], head["width"], head["places"]
                yield SheetOpening(head["sheet"], head["rows"], first, *places, head["over"])
            else:
                columns = [self._column(kind, size, head["n"]) for kind, size in head["columns"]]
                yield SheetBlock(head["at"], columns)

    def _column(self, kind: str, size: int, n: int) -> Cells:
        if kind == "empty":
            return np.broadcast_to(np.nan, n)
        body = self._process.body(size)
        if kind == "numbers":
            return np.frombuffer(body, dtype=np.float64)
        cells = json.loads(body)
        return [cell_of(cell) for cell in cells] if list in map(type, cells) else cells

    def _refusal(self, head: dict[str, Any]) -> DataError:
        name, names, why, place = self._source.name, self._sheets.names, head.get("why"), self._process.place
        if why == "locked":
            return locked(name)
        if why == "absent":
            what, remedy = f"has no sheet named {self._named!r}", f"Its sheets are {_listed(names)}."
            return DataError(f"{name} {what}.", remedy=remedy, place=name)
        if why == "far":
            return DataError(
                f"{place} reaches as far as the cell {head['cell']}, more than {self._limits.cells:,} cells.",
                remedy="Delete the stray cells far away from the table, or save the table as CSV and open that.",
                place=place,
            )
        if why == "bomb":
            return DataError(
                f"{name} would unpack to {head['unpacked'] / 1e9:.1f} GB from {head['packed'] / 1e6:.1f} MB.",
                remedy="If you trust it, save the table as CSV in a spreadsheet program and open that.",
                place=name,
            )
        if why == "nothing" and not names:
            what, remedy = "holds no sheet of cells, only charts or macros", "Choose a workbook with a table in it."
        elif why == "nothing" and self._named is not None:
            what, remedy = f"has nothing on its sheet {self._named}", f"Its sheets are {_listed(names)}."
        elif why == "nothing":
            what, remedy = "is an empty workbook", "Choose a workbook with a table in it."
        else:
            return _WORDS.damaged(place)
        return DataError(f"{name} {what}.", remedy=remedy, place=name)


def cell_of(cell: Any) -> Any:
    """The value of a cell from the JSON of :mod:`~algorithms.io.workbook_reader`, where dates and times are lists."""
    if type(cell) is not list:
        return cell
    if cell[0] == "timedelta":
        return timedelta(days=cell[1], seconds=cell[2], microseconds=cell[3])
    types: dict[str, type[date] | type[time_of_day]] = {"date": date, "datetime": datetime, "time": time_of_day}
    return types[cell[0]].fromisoformat(cell[1])


def locked(name: str) -> DataError:
    """The error for a workbook protected by a password."""
    return DataError(
        f"{name} is locked with a password.",
        remedy="In the spreadsheet program, save it without a password and open that.",
        place=name,
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")


MOST_ROWS: Final = 1_048_576
MOST_COLUMNS: Final = 16_384
LONGEST_TEXT: Final = 32_767
ROWS_AT_A_TIME: Final = 512
CELLS_AT_A_TIME: Final = 4_000
"""Cells written between two checks for a stop: about 25 ms."""
SHEET_GIGABYTES: Final = 2
"""Largest XML of a sheet: a larger one needs a ZIP64 archive, which spreadsheets offer to repair."""
ROOM_FOR_THE_REST: Final = 1.06
"""Safety factor: the package switches to ZIP64 slightly below the limit."""

_EPOCH: Final = datetime(1970, 1, 1)
_FIRST_DAY: Final = (datetime(1900, 3, 1, tzinfo=UTC)).timestamp()
"""Seconds since 1970 of the first day with the same serial number in all programs; earlier dates become text."""

Writer = Callable[[int, int, Any], object]


def write_excel(path: str | Path, data: Dataset, context: RunContext | None = None) -> None:
    """Write the table as a workbook (.xlsx) of one sheet with a row of names; a missing value is an empty cell.

    The file at ``path`` is replaced only when the new one is complete. Texts are cut to the 32,767 characters of a
    cell. Raises :class:`DataError` if the table is too large for a sheet or the file cannot be written.
    """
    import xlsxwriter
    from xlsxwriter.exceptions import FileCreateError, FileSizeError, XlsxWriterException

    context = context or RunContext()
    if len(data) >= MOST_ROWS or len(data.schema) > MOST_COLUMNS:
        raise DataError(
            f"A sheet has room for {MOST_ROWS - 1:,} records and {MOST_COLUMNS:,} columns.",
            remedy="Save it as CSV.",
            place=str(path),
        )
    with ExitStack() as opened:
        part = opened.enter_context(replacing_or(DataError, path, commit=context.commit))
        folder = opened.enter_context(TemporaryDirectory(prefix=f"{part.stem}-", suffix=".part", dir=part.parent))
        stream = opened.enter_context(closing(_Stoppable(part, context)))
        book = xlsxwriter.Workbook(stream, {"constant_memory": True, "tmpdir": folder})
        try:
            sheet = book.add_worksheet("Table")
            sheet.freeze_panes(1, 0)
            bold = book.add_format({"bold": True})
            for column, name in enumerate(data.schema.names):
                sheet.write_string(0, column, _fitting(name), bold)
            day, moment = (book.add_format({"num_format": f}) for f in ("yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"))
            writers = [_writer(sheet, data, column, day, moment) for column in range(len(data.schema))]
            _write_rows(data, writers, context)
            if sheet.row_data_fh.tell() * ROOM_FOR_THE_REST > zipfile.ZIP64_LIMIT:
                raise _too_large(path)  # the package would report it only after packing all that fits
            sheet.row_data_fh = _Watched(sheet.row_data_fh, context)
            book.close()
        except FileCreateError as error:
            raise OSError(error.args[0].errno, error.args[0].strerror) from None
        except FileSizeError as error:
            raise _too_large(path) from error
        except XlsxWriterException as error:
            raise DataError(
                f"The workbook cannot be written: {str(error).rstrip('.')}.", remedy="Save it as CSV.", place=str(path)
            ) from error
        finally:
            for sheet in book.worksheets():
                for working_file in (
                    sheet.row_data_fh,
                    sheet.fh,
                ):  # left open after a stop or an error
                    if working_file is not None:
                        working_file.close()


def _too_large(path: str | Path) -> DataError:
    return DataError(
        f"The table is too large for a workbook: its sheet would have more than {SHEET_GIGABYTES} GB.",
        remedy="Save it as CSV.",
        place=str(path),
    )


class _Watched:
    """The temporary file with the rows of a sheet, which the package copies in chunks; checks for a stop at each."""

    def __init__(self, rows: Any, context: RunContext) -> None:
        self._rows, self._context = rows, context

    def seek(self, offset: int) -> None:
        self._rows.seek(offset)

    def read(self, size: int) -> str:
        self._context.checkpoint()
        piece: str = self._rows.read(size)
        return piece

    def close(self) -> None:
        self._rows.close()


class _Stoppable(io.FileIO):
    """A file opened for writing that raises :class:`Cancelled` after the run was cancelled, then ignores writes.

    So the packing of the workbook, the package's last step, can be stopped.
    """

    def __init__(self, path: Path, context: RunContext) -> None:
        super().__init__(path, "w")
        self._context = context
        self._takes_more = True
        self._synced = GradualSync(self.fileno())

    def close(self) -> None:
        """Close the file and ignore later writes: an unfinished archive writes its end when it is garbage collected."""
        self._takes_more = False
        super().close()

    def seek(self, offset: int, whence: int = 0) -> int:
        return super().seek(offset, whence) if self._takes_more else 0

    def tell(self) -> int:
        return super().tell() if self._takes_more else 0

    def flush(self) -> None:
        if self._takes_more:
            super().flush()

    def write(self, content: Any) -> int:
        if not self._takes_more:
            return len(content)
        if self._context.cancelled:
            self._takes_more = False
            self._context.checkpoint()
        left = memoryview(content)
        while len(left):
            left = left[super().write(left) or 0 :]
        self._synced.wrote(len(content))
        return len(content)


def _write_rows(data: Dataset, writers: list[Writer], context: RunContext) -> None:
    step = max(1, min(ROWS_AT_A_TIME, CELLS_AT_A_TIME // max(1, len(writers))))
    for start in range(0, len(data), step):
        context.checkpoint()
        context.advance(start, len(data))
        rows = np.arange(start, min(start + step, len(data)))
        cells = [data.cells(column, rows).tolist() for column in range(len(writers))]
        for row, record in enumerate(zip(*cells, strict=True), start=start + 1):
            for column, cell in enumerate(record):
                writers[column](row, column, cell)


def _writer(sheet: Worksheet, data: Dataset, column: int, day: Any, moment: Any) -> Writer:
    attribute: Attribute = data.schema.attributes[column]
    if attribute.kind.is_coded:
        labels = [*map(_fitting, attribute.values), ""]
        return lambda i, j, code: sheet.write_string(i, j, labels[code]) if code >= 0 else None
    if attribute.kind is AttributeKind.NUMERIC:
        return lambda i, j, number: _write_number(sheet, i, j, number)
    if attribute.kind is AttributeKind.DATE:
        values = data.column(column)
        format = day if np.all(values[~np.isnan(values)] % 86400 == 0) else moment
        return lambda i, j, seconds: _write_moment(sheet, i, j, seconds, format)
    return lambda i, j, text: sheet.write_string(i, j, _fitting(text)) if isinstance(text, str) else None


class _ExactNumber(float):
    """A number that the package writes with all its digits; by itself it rounds to 16 significant ones."""

    def __format__(self, spec: str) -> str:
        return float.__repr__(self)


def _write_number(sheet: Worksheet, row: int, column: int, number: float) -> None:
    if math.isfinite(number):
        sheet.write_number(row, column, _ExactNumber(number))
    elif not math.isnan(number):
        sheet.write_string(row, column, repr(number))


def _write_moment(sheet: Worksheet, row: int, column: int, seconds: float, format: Any) -> None:
    if math.isnan(seconds):
        return
    when = _EPOCH + timedelta(seconds=seconds)
    if seconds >= _FIRST_DAY:
        sheet.write_datetime(row, column, when, format)
    else:
        sheet.write_string(row, column, when.isoformat(" "))


def _fitting(text: str) -> str:
    return text[:LONGEST_TEXT]
