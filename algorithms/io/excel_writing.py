"""Writing a table as a workbook of one sheet."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError
from algorithms.core.schema import Attribute, Kind
from algorithms.io.writing import PLAIN, Style, in_place_of, write_csv

if TYPE_CHECKING:
    from xlsxwriter.worksheet import Worksheet

MOST_ROWS: Final = 1_048_576
MOST_COLUMNS: Final = 16_384
LONGEST_TEXT: Final = 32_767
ROWS_AT_A_TIME: Final = 512

_EPOCH: Final = datetime(1970, 1, 1)
_FIRST_DAY: Final = (datetime(1900, 3, 1, tzinfo=UTC)).timestamp()
"""What comes before has other numbers in some programs, or none."""

Writer = Callable[[int, int, Any], object]


def write_table(path: str | Path, data: Dataset, context: RunContext | None = None, style: Style = PLAIN) -> None:
    """Write the table as a workbook where the name ends in .xlsx, else as CSV; raises :class:`DataError`."""
    if Path(path).suffix.lower() == ".xlsx":
        write_excel(path, data, context)
    else:
        write_csv(path, data, context, style)


def write_excel(path: str | Path, data: Dataset, context: RunContext | None = None) -> None:
    """Write the table as a workbook (.xlsx) of one sheet with a row of names; a missing value is an empty cell.

    It takes the place of what is at ``path`` only when it is complete. Texts are cut at the 32,767 characters that a
    cell can hold. Raises :class:`DataError` where the table is too large for a sheet or the file cannot be written.
    """
    import xlsxwriter
    from xlsxwriter.exceptions import FileCreateError

    context = context or RunContext()
    if len(data) >= MOST_ROWS or len(data.schema) > MOST_COLUMNS:
        raise DataError(
            f"A sheet has room for {MOST_ROWS - 1:,} records and {MOST_COLUMNS:,} columns.",
            remedy="Save it as CSV.",
            place=str(path),
        )
    with in_place_of(Path(path)) as part:
        book = xlsxwriter.Workbook(part, {"constant_memory": True, "tmpdir": str(part.parent)})
        try:
            sheet = book.add_worksheet("Table")
            sheet.freeze_panes(1, 0)
            bold = book.add_format({"bold": True})
            for column, name in enumerate(data.schema.names):
                sheet.write_string(0, column, _fitting(name), bold)
            day, moment = (book.add_format({"num_format": f}) for f in ("yyyy-mm-dd", "yyyy-mm-dd hh:mm:ss"))
            writers = [_writer(sheet, data, column, day, moment) for column in range(len(data.schema))]
            _write_rows(data, writers, context)
        finally:
            try:
                book.close()
            except FileCreateError as error:
                raise OSError(error.args[0].errno, error.args[0].strerror) from None


def _write_rows(data: Dataset, writers: list[Writer], context: RunContext) -> None:
    for start in range(0, len(data), ROWS_AT_A_TIME):
        context.checkpoint()
        context.advance(start, len(data))
        rows = np.arange(start, min(start + ROWS_AT_A_TIME, len(data)))
        cells = [data.cells(column, rows).tolist() for column in range(len(writers))]
        for row, record in enumerate(zip(*cells, strict=True), start=start + 1):
            for column, cell in enumerate(record):
                writers[column](row, column, cell)


def _writer(sheet: Worksheet, data: Dataset, column: int, day: Any, moment: Any) -> Writer:
    attribute: Attribute = data.schema.attributes[column]
    if attribute.kind.is_coded:
        labels = [*map(_fitting, attribute.values), ""]
        return lambda i, j, code: sheet.write_string(i, j, labels[code]) if code >= 0 else None
    if attribute.kind is Kind.NUMERIC:
        return lambda i, j, number: _write_number(sheet, i, j, number)
    if attribute.kind is Kind.DATE:
        values = data.column(column)
        format = day if np.all(values[~np.isnan(values)] % 86400 == 0) else moment
        return lambda i, j, seconds: _write_moment(sheet, i, j, seconds, format)
    return lambda i, j, text: sheet.write_string(i, j, _fitting(text)) if isinstance(text, str) else None


def _write_number(sheet: Worksheet, row: int, column: int, number: float) -> None:
    if math.isfinite(number):
        sheet.write_number(row, column, number)
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
