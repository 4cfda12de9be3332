"""Writing of a table as a workbook with one sheet."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Callable
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.files import GradualSync, replacing_or
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind

if TYPE_CHECKING:
    from xlsxwriter.worksheet import Worksheet

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
