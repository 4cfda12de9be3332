"""Sheets of workbooks: .xlsx, .xlsm, .xls, .xlsb and .ods.

A sheet is unpacked as a whole outside the interpreter lock, then taken over row by row in blocks, so that only some
ten thousand cells are Python objects at a time.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final, TypeVar

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset, Origin
from algorithms.core.errors import DataError
from algorithms.core.schema import Schema
from algorithms.io.cells import Cells, spelling
from algorithms.io.classes import with_guessed_class
from algorithms.io.marks import STRONG, WEAK, Numbers
from algorithms.io.options import ReadOptions
from algorithms.io.recognise import SAMPLE_SIZE, distinct_names, has_header
from algorithms.io.settle import Column, infinite_numbers, unless_it_counts
from algorithms.io.source import Source
from algorithms.io.strays import told_of_strays

if TYPE_CHECKING:
    from python_calamine import CalamineSheet, CalamineWorkbook

T = TypeVar("T")
Row = Sequence[Any]

SUFFIXES: Final = (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods")
CELLS_AT_A_TIME: Final = 40_000
LOOKED_AT: Final = 300
MOST_TITLES: Final = 20

_ZIP: Final = b"PK\x03\x04"
_COMPOUND: Final = b"\xd0\xcf\x11\xe0"
_INSIDE: Final = (b"xl/", b"[Content_Types].xml", b"opendocument.spreadsheet")
_MARKUP: Final = (b"<html", b"<!doctype", b"<table", b"<?xml")


def is_workbook(source: Source) -> bool:
    """Whether a file is to be read as a workbook: by its content, or by its name where the content is no text."""
    head = source.head(SAMPLE_SIZE)
    named = source.path.suffix.lower() in SUFFIXES
    if head.startswith(_ZIP):
        return named or any(mark in head for mark in _INSIDE)
    if named and head.lstrip().lower().startswith(_MARKUP):
        raise DataError(
            f"{source.name} is a web page or XML under the name of a workbook.",
            remedy="Open it in a spreadsheet program, save it as .xlsx or CSV, and open that.",
            place=source.name,
        )
    return head.startswith(_COMPOUND) or (named and b"\x00" in head)


def sheets(source: Source) -> tuple[str, ...]:
    """The names of the workbook's sheets of cells in their order; hidden ones only where all are hidden."""
    return _sheets(_opened(source))


def recognised(source: Source, context: RunContext, options: ReadOptions) -> ReadOptions:
    """The options with the sheet, the header and the missing marks filled in."""
    sheet = _chosen(_opened(source), source, context, options)
    return _recognised(options, sheet.name, _opening(sheet, source, options))


def read_sheet(source: Source, context: RunContext, options: ReadOptions) -> Dataset:
    """The table in the sheet that the options name, else in the first that holds one.

    Raises :class:`DataError` for a damaged or locked file, a sheet that is not there and one without a table.
    """
    context.say(f"Unpacking {source.name}")
    workbook = _opened(source)
    sheet = _chosen(workbook, source, context, options)
    n_sheets = len(_sheets(workbook))
    opening = _opening(sheet, source, options)
    context.publish(_recognised(options, sheet.name, opening))
    context.say(f"Reading {source.name}, sheet {sheet.name}" if n_sheets > 1 else f"Reading {source.name}")
    columns = _gathered(sheet, opening, context)
    return _settled(source, opening, columns, context, options)


# ---- the workbook ----------------------------------------------------------------------------------------------------


def _opened(source: Source) -> CalamineWorkbook:
    from python_calamine import CalamineWorkbook

    if b"E\0n\0c\0r\0y\0p\0t\0e\0d\0P\0a\0c\0k" in source.head(SAMPLE_SIZE):
        raise _locked(source)
    return _told(source, lambda: CalamineWorkbook.from_path(source.path))


def _told(source: Source, work: Callable[[], T]) -> T:
    """The work's result; what goes wrong in it is told in words."""
    from python_calamine import CalamineError, PasswordError

    try:
        return work()
    except PasswordError:
        raise _locked(source) from None
    except (CalamineError, OSError, ValueError) as error:
        raise _damaged(source) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # how the reader fails on some damaged files; no Exception
            raise
        raise _damaged(source) from error


def _locked(source: Source) -> DataError:
    return DataError(
        f"{source.name} is locked with a password.",
        remedy="In the spreadsheet program, save it without a password and open that.",
        place=source.name,
    )


def _damaged(source: Source) -> DataError:
    return DataError(
        f"{source.name} is damaged, cut off, or no workbook.",
        remedy="Fetch it again, or open it in a spreadsheet program and save it anew.",
        place=source.name,
    )


def _sheets(workbook: CalamineWorkbook) -> tuple[str, ...]:
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    cells = [sheet for sheet in workbook.sheets_metadata if sheet.typ == SheetTypeEnum.WorkSheet]
    visible = tuple(sheet.name for sheet in cells if sheet.visible == SheetVisibleEnum.Visible)
    return visible or tuple(sheet.name for sheet in cells)


def _chosen(workbook: CalamineWorkbook, source: Source, context: RunContext, options: ReadOptions) -> CalamineSheet:
    names = _sheets(workbook)
    if options.sheet is not None and options.sheet not in workbook.sheet_names:
        raise DataError(
            f"{source.name} has no sheet named {options.sheet!r}.",
            remedy=f"Its sheets are {_listed(names)}.",
            place=source.name,
        )
    for name in (options.sheet,) if options.sheet is not None else names:
        unpack = partial(workbook.get_sheet_by_name, name)
        sheet = _beside(partial(_told, source, unpack), context.checkpoint)
        if sheet.height > 0:
            return sheet
    if not names:
        what, remedy = "holds no sheet of cells, only charts or macros", "Choose a workbook with a table in it."
    elif options.sheet is not None:
        what, remedy = f"has nothing on its sheet {options.sheet}", f"Its sheets are {_listed(names)}."
    else:
        what, remedy = "is an empty workbook", "Choose a workbook with a table in it."
    raise DataError(f"{source.name} {what}.", remedy=remedy, place=source.name)


def _beside(work: Callable[[], T], checkpoint: Callable[[], None]) -> T:
    """The work's result; it is done in a thread that is left to itself when the checkpoint raises.

    The work cannot be stopped and may take seconds; whoever stops is not to wait for it.
    """
    found: list[T] = []
    failed: list[BaseException] = []
    ended = threading.Event()

    def run() -> None:
        try:
            found.append(work())
        except BaseException as error:  # handed on to whoever waits
            failed.append(error)
        ended.set()

    threading.Thread(target=run, name="unpack sheet", daemon=True).start()
    while not ended.wait(0.02):
        checkpoint()
    if failed:
        raise failed[0]
    return found[0]


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")


# ---- the table in the sheet ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Opening:
    """What the first rows of a sheet tell. ``first`` counts the rows before the first record."""

    names: tuple[str, ...]
    header: bool
    first: int
    remarks: tuple[str, ...]
    rows: Sequence[Row]


def _opening(sheet: CalamineSheet, source: Source, options: ReadOptions) -> _Opening:
    rows = [(at, row) for at, row in enumerate(islice(sheet.iter_rows(), _begin(sheet) + LOOKED_AT)) if _holds(row)]
    widths = Counter(_n_present(row) for _, row in rows)
    usual = max(widths, key=lambda width: (widths[width], width)) if widths else 0
    remarks: list[str] = []
    while len(rows) > 2 and usual > 2 and _n_present(rows[0][1]) == 1 and len(remarks) < MOST_TITLES:
        at, row = rows.pop(0)
        title = next(spelling(cell) for cell in row if cell != "")
        remarks.append(f"Row {at + 1} stands above the table and was passed over: {title[:80]}")
    if not rows:
        raise _no_records(source)
    header = options.header
    if header is None:
        texts = all(isinstance(cell, str) for cell in rows[0][1])
        header = texts and has_header([[spelling(cell) for cell in row] for _, row in rows], Numbers())
    if header and len(rows) == 1:
        raise _no_records(source)
    names = [spelling(cell) for cell in rows[0][1]] if header else [""] * len(rows[0][1])
    return _Opening(
        tuple(names), header, rows[0][0] + int(header), tuple(remarks), [row for _, row in rows[int(header) :]]
    )


def _begin(sheet: CalamineSheet) -> int:
    return sheet.start[0] if sheet.start is not None else 0


def _no_records(source: Source) -> DataError:
    return DataError(
        f"{source.name} holds a row of names but no records.",
        remedy="Choose another sheet or file, or say that the first row is a record.",
        place=source.name,
    )


def _holds(row: Row) -> bool:
    return any(cell != "" for cell in row)


def _n_present(row: Row) -> int:
    return sum(cell != "" for cell in row)


def _recognised(options: ReadOptions, sheet: str, opening: _Opening) -> ReadOptions:
    found = {cell.strip() for row in opening.rows for cell in row if isinstance(cell, str)} & {*STRONG[1:], *WEAK[:3]}
    marks = tuple(mark for mark in (*STRONG, *WEAK) if mark in found)
    missing = marks if options.missing is None else options.missing
    return replace(options, sheet=sheet, header=opening.header, missing=missing)


def _gathered(sheet: CalamineSheet, opening: _Opening, context: RunContext) -> list[Cells]:
    columns = [Cells() for _ in opening.names]
    n_rows, at = max(1, sheet.height + _begin(sheet)), opening.first
    for block in _blocks(islice(sheet.iter_rows(), opening.first, None), len(columns)):
        context.checkpoint()
        at += len(block)
        context.advance(min(at, n_rows), n_rows)
        records = [row for row in block if _holds(row)]
        if records:
            for column, cells in zip(columns, zip(*records, strict=True), strict=True):
                column.add(cells)
    return columns


def _blocks(rows: Iterator[Row], width: int) -> Iterator[list[Row]]:
    size = max(16, CELLS_AT_A_TIME // max(1, width))
    while block := list(islice(rows, size)):
        yield block


def _settled(
    source: Source, opening: _Opening, columns: list[Cells], context: RunContext, options: ReadOptions
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
        column = columns[at].column(name, last, options, context.checkpoint)
        columns[at].parts.clear()
        may_count = opening.header and not last and name not in options.kinds and name not in hours
        settled.append(unless_it_counts(column, opening.names[at], context.checkpoint) if may_count else column)
    times = [f"Times in {', '.join(hours)} are read as hours: 12:30 is 12.5."] if hours else []
    strays = told_of_strays([(c.attribute, c.stray) for c in settled if c.stray], lambda at: f"record {at + 1:,}")
    told = chain(opening.remarks, doubled, times, filter(None, [infinite_numbers(settled)]), strays)
    origin = Origin(source.path.stem, str(source.path), " ".join(told))
    schema = with_guessed_class(Schema(tuple(column.attribute for column in settled)), options.class_name)
    return Dataset(schema, [column.values for column in settled], origin=origin)
