"""Reading of workbooks in a child process with limits on memory and time, which a stop kills at once.

The child is :mod:`algorithms.io.workbook_reader`. Any failure of it becomes a :class:`DataError`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta
from datetime import time as time_of_day
from pathlib import Path
from typing import IO, Any, Final, Literal

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.io.text.text_source import TextFile
from algorithms.io.workbook_reader import OUT_OF_MEMORY

READER: Final = "algorithms.io.workbook_reader"
PATIENCE: Final = 0.02
"""Seconds between two checks for a stop."""
_PACKAGES: Final = Path(__file__).resolve().parents[2]
_TAIL: Final = 4096

Cells = FloatArray | Sequence[Any]


@dataclass(frozen=True)
class WorkbookLimits:
    """Limits for reading a workbook: ``memory`` in bytes, ``seconds`` without a message, ``cells`` of a sheet.

    For small workbooks the memory limit is lower: see :data:`algorithms.io.workbook_reader.MEMORY_RATIO`.
    """

    memory: int = 4 << 30
    seconds: float = 300.0
    cells: int = 100_000_000

    def of_this_machine(self) -> WorkbookLimits:
        """The limits with at most three quarters of the machine's memory, if the system reports its size."""
        try:
            there_is = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        except (AttributeError, ValueError, OSError):
            return self
        return replace(self, memory=min(self.memory, there_is * 3 // 4)) if there_is > 0 else self


LIMITS: Final = WorkbookLimits()


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
    context.checkpoint()
    given = LIMITS.of_this_machine()
    request = {"path": str(source.path.absolute()), "want": wanted, "sheet": sheet, **asdict(given)}
    with tempfile.TemporaryFile() as complaints:
        process = _started(source, complaints)
        reading = _Reading(source, context, given, process, complaints)
        try:
            yield reading.messages(request)
        finally:
            reading.end()


def _started(source: TextFile, complaints: IO[bytes]) -> subprocess.Popen[bytes]:
    paths = [str(_PACKAGES), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "RUST_BACKTRACE": "0"}
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NO_WINDOW
    try:
        return subprocess.Popen(
            [sys.executable or "python", "-P", "-m", READER],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=complaints,
            creationflags=flags,
        )
    except OSError as error:
        raise DataError(
            f"The process that reads workbooks could not be started: {error.strerror or error}.",
            remedy="Close other programs and try again, or save the table as CSV and open that.",
            place=source.name,
        ) from None


class _Reading:
    """One child process, from its request to its end."""

    def __init__(
        self,
        source: TextFile,
        context: RunContext,
        limits: WorkbookLimits,
        process: subprocess.Popen[bytes],
        complaints: IO[bytes],
    ) -> None:
        self._source, self._context, self._limits = source, context, limits
        self._process, self._complaints = process, complaints
        self._sheets = Sheets(())
        self._memory = limits.memory
        self._sheet: str | None = None
        self._named: str | None = None
        self._waits_since: float | None = None
        self._too_slow = False
        self._ended = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name="watch workbook reader", daemon=True)
        self._watcher.start()

    def messages(self, request: dict[str, Any]) -> Iterator[Message]:
        stdin = self._process.stdin
        assert stdin is not None
        self._named = request["sheet"]
        with suppress(OSError):  # if the child has ended already, reading its output reports that
            stdin.write(json.dumps(request).encode("ascii") + b"\n")
            stdin.flush()
        while True:
            line = self._taken(None)
            head: dict[str, Any] = json.loads(line)
            self._context.checkpoint()
            kind = head.get("message")
            if kind == "end":
                return
            if kind == "error":
                raise self._refusal(head)
            if kind == "limit":
                self._memory = head["memory"]
            elif kind == "unpacking":
                self._sheet = head["sheet"]
            elif kind == "sheets":
                self._sheets = Sheets(tuple((name, cells, visible) for name, cells, visible in head["sheets"]))
                yield self._sheets
            elif kind == "opening":
                first = [(number, [cell_of(cell) for cell in row]) for number, row in head["first"]]
                yield SheetOpening(head["sheet"], head["rows"], first, head["held"], head["width"], head["places"])
            else:
                columns = [self._column(kind, size, head["n"]) for kind, size in head["columns"]]
                yield SheetBlock(head["at"], columns)

    def end(self) -> None:
        """Kill the child, whatever it is doing."""
        self._ended.set()
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._process.wait()
        self._watcher.join()

    def _watch(self) -> None:
        """Kill the child on a stop, or after a silence longer than the limit."""
        while not self._ended.wait(PATIENCE):
            since = self._waits_since
            self._too_slow = since is not None and time.monotonic() - since > self._limits.seconds
            if self._too_slow or self._context.cancelled:
                self._process.kill()
                return

    # ---- messages of the child -------------------------------------------------------------------------------------

    def _column(self, kind: str, size: int, n: int) -> Cells:
        if kind == "empty":
            return np.broadcast_to(np.nan, n)
        body = self._taken(size)
        if kind == "numbers":
            return np.frombuffer(body, dtype=np.float64)
        cells = json.loads(body)
        return [cell_of(cell) for cell in cells] if any(type(cell) is list for cell in cells) else cells

    def _taken(self, size: int | None) -> bytes:
        """The next line, or the next ``size`` bytes; raises :class:`DataError` if the child ended before."""
        stdout = self._process.stdout
        assert stdout is not None
        self._waits_since = time.monotonic()
        try:
            taken = stdout.readline() if size is None else stdout.read(size)
        finally:
            self._waits_since = None
        if not taken.endswith(b"\n") if size is None else len(taken) < size:
            raise self._failure()
        return taken

    # ---- errors ----------------------------------------------------------------------------------------------------

    @property
    def _place(self) -> str:
        return self._source.name if self._sheet is None else f"{self._source.name}, sheet {self._sheet}"

    def _failure(self) -> DataError:
        """The error for a child that ended without a message."""
        self._context.checkpoint()
        if self._too_slow:
            return DataError(
                f"{self._place} took more than {self._limits.seconds:.0f} seconds to unpack.",
                remedy="Save the table as CSV in a spreadsheet program and open that.",
                place=self._place,
            )
        code = self._process.wait()
        self._complaints.seek(0, os.SEEK_END)
        self._complaints.seek(max(0, self._complaints.tell() - _TAIL))
        if code == OUT_OF_MEMORY or b"memory allocation" in self._complaints.read():
            return DataError(
                f"{self._place} needs more than {self._memory / (1 << 30):.1f} GB of memory to unpack.",
                remedy="Delete stray cells far away from the table, or save the table as CSV and open that.",
                place=self._place,
            )
        return damaged(self._place)

    def _refusal(self, head: dict[str, Any]) -> DataError:
        name, names, why = self._source.name, self._sheets.names, head.get("why")
        if why == "locked":
            return locked(name)
        if why == "absent":
            what, remedy = f"has no sheet named {self._named!r}", f"Its sheets are {_listed(names)}."
            return DataError(f"{name} {what}.", remedy=remedy, place=name)
        if why == "far":
            return DataError(
                f"{self._place} reaches as far as the cell {head['cell']}, more than {self._limits.cells:,} cells.",
                remedy="Delete the stray cells far away from the table, or save the table as CSV and open that.",
                place=self._place,
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
            return damaged(self._place)
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


def damaged(place: str) -> DataError:
    """The error for a file that is no workbook, or an incomplete one."""
    return DataError(
        f"{place} is damaged, cut off, or no workbook.",
        remedy="Fetch it again, or open it in a spreadsheet program and save it anew.",
        place=place,
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (", ..." if len(names) > 8 else "")
