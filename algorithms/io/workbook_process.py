"""Reading of workbooks in a child process, whose program is :mod:`algorithms.io.workbook_reader`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from datetime import time as time_of_day
from typing import Any, Final, Literal

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.io.child_process import FileWords, ProcessLimits, ReadingProcess, reading_process
from algorithms.io.text.text_source import TextFile

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
                self._sheets = Sheets(tuple((name, cells, visible) for name, cells, visible in head["sheets"]))
                yield self._sheets
            elif kind == "opening":
                first = [(number, [cell_of(cell) for cell in row]) for number, row in head["first"]]
                yield SheetOpening(head["sheet"], head["rows"], first, head["held"], head["width"], head["places"])
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
