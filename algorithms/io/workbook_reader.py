"""The program of the child process that unpacks workbooks with a native library.

Its messages to :mod:`algorithms.io.excel`, besides those of every such program
(:mod:`algorithms.io.child_program`), are these; the bytes of the ``columns`` that one announces follow it. Only the
standard library and the native library are imported, so that the process starts fast.

=========  ============================================================================================
message    content
=========  ============================================================================================
sheets     all sheets as [name, holds cells, is visible]; ``rows`` are the declared numbers of rows by name, if
           only the sheets are wanted
unpacking  the sheet that is being unpacked
opening    the sheet, its number of rows, and its first non-empty rows as [row index, cells of the columns
           ``held``], which are those of its ``width`` columns with a value in these rows; ``places`` are the
           indices of all its columns, counted from the first one with a value; null if none is left out; ``over``
           is the first sheet, if another was chosen since it looks more like a table
block      further non-empty rows, by column; ``at`` is the number of sheet rows read so far
error      why it is not read: ``locked``, ``damaged``, ``absent``, ``nothing``, ``far`` or ``bomb``
=========  ============================================================================================
"""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, timedelta
from datetime import time as time_of_day
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from algorithms.io.child_program import LEAST_MEMORY, RefusedError, limit, run, send

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

    from python_calamine import CalamineSheet, CalamineWorkbook

Row = Sequence[Any]

LOOKED_AT: Final = 300
"""Largest number of rows in the opening."""
CELLS_AT_A_TIME: Final = 40_000
LARGEST_COLUMN: Final = 1 << 16
LARGEST_ROW: Final = 1 << 24
"""Largest number of rows; no spreadsheet program has more columns or rows."""
LARGEST_UNPACKED: Final = 4 << 30
LARGEST_RATIO: Final = 300
FREE_OF_RATIO: Final = 256 << 20
"""Bytes up to which the ratio of unpacked to packed size is not checked."""
MEMORY_RATIO: Final = 20
"""The memory limit is this many times the unpacked size, plus the smallest limit."""

_PARTS: Final = (".xml", ".rels", ".bin")
_HEAD: Final = 1 << 14
_OVERLAP: Final = 256
_DIMENSION: Final = re.compile(rb'<(?:\w+:)?dimension\s[^<>]*?ref="(?:[A-Z]+\d+:)?([A-Z]+)(\d+)"')
_REFERENCE: Final = rb'(<(?:\w+:)?c\s(?:[^<>]*?\s)?r=")([A-Z]{1,4})(\d{1,9})"'
_CELL: Final = re.compile(_REFERENCE + rb"[^<>]*(?<!/)>\s*<(?:\w+:)?(?:v(?:\s[^<>]*)?(?<!/)>[^<]|is\b|f\b)")
"""Matches a cell with a value, a text or a formula."""
_CELL_TAG: Final = re.compile(rb"<(?:\w+:)?c(?=[\s/>])[^<>]*>")
_OPEN_CELL: Final = re.compile(_REFERENCE + rb"[^<>]*(?<!/)>")
"""Matches a cell that the native library stores, even if it is empty."""
_ANY_CELL: Final = re.compile(_REFERENCE)
MANY_CELLS: Final = 4_000_000
"""Sheets with more cells are scanned for empty columns, since the native library allocates them too."""
BYTES_A_CELL: Final = 16
"""A sheet with at least so many bytes for each declared cell is not scanned: its cells cost little beside the file."""
LOOKED_THROUGH: Final = 64 << 20
"""A sheet without a declared range is scanned up to this many bytes."""
MOST_COMPARED: Final = 20
"""Largest number of sheets among which the table is looked for."""
PLENTY: Final = 100
"""With so many cells of a table the first sheet is read, whatever the others hold."""
FACTOR: Final = 4
"""Another sheet is read if it has more than this many times the cells of a table of the first."""
_REPEATED: Final = re.compile(rb'number-(rows|columns)-repeated="\s*(\d+)')


def _read(request: dict[str, Any]) -> None:
    path, wanted, largest = request["path"], request["want"], request["cells"]
    archive = _checked_archive(path)
    limit(request, LEAST_MEMORY + MEMORY_RATIO * _unpacked_size(path, archive))
    workbook = _opened(path)
    declared = _declared_rows(archive) if wanted == "sheets" and archive is not None else {}
    send("sheets", sheets=_sheets(workbook), rows=declared)
    if wanted != "sheets":
        named, over = request["sheet"], None
        if named is None:
            named, over = _table_beside(workbook, path, archive)
        sheet, places = _chosen(workbook, named, archive, largest)
        rows = sheet.iter_rows()
        begin = sheet.start[0] if sheet.start is not None else 0
        opening = [(number, row) for number, row in enumerate(islice(rows, begin + LOOKED_AT)) if _holds(row)]
        columns = zip(*(row for _, row in opening), strict=True)
        held = [place for place, column in enumerate(columns) if _holds(column)]
        first = [(number, [row[place] for place in held]) for number, row in opening]
        width = len(opening[0][1]) if opening else 0
        send(
            "opening",
            encoded=_encoded,
            sheet=sheet.name,
            rows=sheet.height + begin,
            first=first,
            held=held,
            width=width,
            places=places,
            over=over,
        )
        if wanted == "table":
            _send_rows(rows, begin + LOOKED_AT, max(16, CELLS_AT_A_TIME // max(1, sheet.width)))


# ---- messages --------------------------------------------------------------------------------------------------------


def _send_rows(rows: Iterator[Row], first: int, size: int) -> None:
    while block := list(islice(rows, size)):
        first += len(block)
        records = [row for row in block if _holds(row)]
        columns = [_column(cells) for cells in zip(*records, strict=True)]
        heads = [(kind, len(body)) for kind, body in columns]
        send("block", [body for _, body in columns], at=first, n=len(records), columns=heads)


def _column(cells: Row) -> tuple[str, bytes]:
    """A column of numbers and empty cells as float64, any other as JSON."""
    types = set(map(type, cells))
    if types == {str} and not any(cells):
        return "empty", b""
    if types <= {int, float}:
        return "numbers", array("d", cells).tobytes()
    if types <= {int, float, str} and not any(type(cell) is str and cell for cell in cells):
        return "numbers", array("d", [float("nan") if cell == "" else cell for cell in cells]).tobytes()
    return "cells", json.dumps(cells, default=_encoded).encode("ascii")


def _encoded(cell: object) -> list[Any]:
    """A date, time or duration as a list that :func:`algorithms.io.excel.cell_of` decodes."""
    if isinstance(cell, datetime):
        return ["datetime", cell.isoformat()]
    if isinstance(cell, timedelta):
        return ["timedelta", cell.days, cell.seconds, cell.microseconds]
    if isinstance(cell, date):
        return ["date", cell.isoformat()]
    if isinstance(cell, time_of_day):
        return ["time", cell.isoformat()]
    raise TypeError(type(cell).__name__)


def _holds(row: Row) -> bool:
    return row.count("") < len(row)


# ---- the native reader -----------------------------------------------------------------------------------------------


def _guarded(work: Callable[[], Any]) -> Any:
    """The result of ``work``; any error of the native library becomes a :class:`RefusedError`."""
    from python_calamine import PasswordError

    try:
        return work()
    except (RefusedError, MemoryError):
        raise
    except PasswordError:
        raise RefusedError("locked") from None
    except BaseException as error:  # the library panics on some damaged files, which is no Exception
        raise RefusedError("damaged") from error


def _opened(path: str) -> CalamineWorkbook:
    from python_calamine import CalamineWorkbook

    workbook: CalamineWorkbook = _guarded(lambda: CalamineWorkbook.from_path(path))
    return workbook


def _sheets(workbook: CalamineWorkbook) -> list[tuple[str, bool, bool]]:
    from python_calamine import SheetTypeEnum, SheetVisibleEnum

    return [
        (sheet.name, sheet.typ == SheetTypeEnum.WorkSheet, sheet.visible == SheetVisibleEnum.Visible)
        for sheet in workbook.sheets_metadata
    ]


def _table_beside(workbook: CalamineWorkbook, path: str, archive: ZipFile | None) -> tuple[str | None, str | None]:
    """The sheet that looks like the table, and the first sheet, if that holds little beside it; else None for both.

    Looked at are the first sheets of a workbook whose unpacked size is moderate, so that this costs little.
    """
    cells = [(name, visible) for name, holds_cells, visible in _sheets(workbook) if holds_cells]
    names = [name for name, visible in cells if visible] or [name for name, _ in cells]
    if len(names) < 2 or _sheets_size(path, archive) > LOOKED_THROUGH:
        return None, None
    wide = set() if archive is None else set(_wide_sheets(archive))
    sizes: dict[str, int] = {}
    for name in names[:MOST_COMPARED]:
        size = 0
        if name not in wide:
            with suppress(RefusedError):  # reading it reports the error
                size = _cells_of_table(_guarded(partial(workbook.get_sheet_by_name, name)))
        elif not sizes:
            return None, None
        sizes[name] = size
        if sizes[names[0]] >= PLENTY:
            return None, None
    best = max(sizes, key=lambda name: sizes[name])
    is_clear = sizes[best] > FACTOR * sizes[names[0]]
    return (best, names[0]) if is_clear else (None, None)


def _sheets_size(path: str, archive: ZipFile | None) -> int:
    """The number of bytes of all sheets: of the file if it is no archive, of the one part of an .ods."""
    parts = [] if archive is None else archive.infolist()
    sheets = [part for part in parts if part.filename.startswith("xl/worksheets/") or part.filename == "content.xml"]
    return sum(part.file_size for part in sheets) if sheets else Path(path).stat().st_size


def _cells_of_table(sheet: CalamineSheet) -> int:
    """The number of cells in the first rows of a sheet that stand side by side; 0 if no row holds names."""
    begin = sheet.start[0] if sheet.start is not None else 0
    filled = [[cell for cell in row if cell != ""] for row in islice(sheet.iter_rows(), begin + LOOKED_AT)]
    rows = [row for row in filled if len(row) > 1]
    has_names = any(all(isinstance(cell, str) for cell in row) and len(set(row)) == len(row) for row in rows[:8])
    return sum(map(len, rows)) if has_names else 0


def _declared_rows(archive: ZipFile) -> dict[str, int]:
    """The number of rows of each sheet of an .xlsx that declares its range plausibly, by name."""
    names, rows = _sheets_of_members(archive), {}
    for part in archive.infolist():
        name = names.get(part.filename)
        if name is None:
            continue
        declared = _DIMENSION.search(next(_chunks(archive, part.filename, _HEAD), b""))
        n = 0 if declared is None else int(declared[2][:9])
        if n > 1 or (n == 1 and part.file_size < _HEAD):  # some programs declare one cell for any sheet
            rows[name] = n
    return rows


def _chosen(
    workbook: CalamineWorkbook, named: str | None, archive: ZipFile | None, largest: int
) -> tuple[CalamineSheet, list[int] | None]:
    """The named sheet, else the first with cells, unpacked; and the indices of its columns.

    Indices are relative to the first column with a value; None if no column was left out.
    """
    cells = [(name, visible) for name, holds_cells, visible in _sheets(workbook) if holds_cells]
    names = [name for name, visible in cells if visible] or [name for name, _ in cells]
    if named is not None and named not in workbook.sheet_names:
        raise RefusedError("absent")
    wide = {} if archive is None else _wide_sheets(archive)
    for name in [named] if named is not None else names:
        send("unpacking", sheet=name)
        places = None
        if archive is not None and name in wide:
            extent = wide[name]
            width = extent.columns if extent.places is None else len(extent.places)
            if extent.rows * width > largest:
                raise RefusedError("far", cell=_cell_name(extent.rows - 1, extent.columns - 1))
            places = extent.places
            if places is not None:
                workbook = _without_empty_columns(archive, wide[name].member, places)
        sheet: CalamineSheet = _guarded(partial(workbook.get_sheet_by_name, name))
        if sheet.height > 0:
            end = sheet.end or (0, 0)
            if (end[0] + 1) * (end[1] + 1) > largest:
                raise RefusedError("far", cell=_cell_name(*end))
            return sheet, None if places is None else [place - places[0] for place in places]
    raise RefusedError("nothing")


# ---- checks of the archive before it is unpacked ---------------------------------------------------------------------


def _checked_archive(path: str) -> ZipFile | None:
    """The zip archive of a workbook, None if it is none; raises :class:`RefusedError` if it unpacks to too much."""
    with Path(path).open("rb") as file:
        if file.read(4) != b"PK\x03\x04":
            return None
    from zipfile import BadZipFile, ZipFile

    try:
        archive = ZipFile(path)
    except (BadZipFile, OSError, ValueError, NotImplementedError):
        return None  # the native library reports the error
    parts = [part for part in archive.infolist() if part.filename.lower().endswith(_PARTS)]
    whole = sum(part.file_size for part in parts)
    if whole > LARGEST_UNPACKED or any(map(_swells, parts)):
        raise RefusedError("bomb", unpacked=whole, packed=sum(part.compress_size for part in parts))
    if any(part.filename == "content.xml" for part in parts):
        _refuse_malformed(archive)
        for chunk in _chunks(archive, "content.xml"):
            for what, times in _REPEATED.findall(chunk):
                if len(times) > 9 or int(times) > (LARGEST_ROW if what == b"rows" else LARGEST_COLUMN):
                    raise RefusedError("damaged", repeats=int(times[:18]))
    return archive


def _unpacked_size(path: str, archive: ZipFile | None) -> int:
    if archive is None:
        return Path(path).stat().st_size
    return sum(part.file_size for part in archive.infolist() if part.filename.lower().endswith(_PARTS))


def _swells(part: ZipInfo) -> bool:
    return part.file_size > FREE_OF_RATIO and part.file_size > LARGEST_RATIO * part.compress_size


def _refuse_malformed(archive: ZipFile) -> None:
    """Raise :class:`RefusedError` if the table of an .ods is malformed XML, on which the native library never ends."""
    import zlib
    from xml.parsers.expat import ExpatError, ParserCreate
    from zipfile import BadZipFile

    parser = ParserCreate()
    try:
        with archive.open("content.xml") as file:
            parser.ParseFile(file)
    except (ExpatError, OSError, EOFError, ValueError, NotImplementedError, zlib.error, BadZipFile):
        raise RefusedError("damaged") from None


def _chunks(archive: ZipFile, name: str, size: int = 1 << 20) -> Iterator[bytes]:
    """The bytes of a member in chunks; each repeats the end of the previous one, so that every tag is whole in one."""
    kept = b""
    with suppress(Exception), archive.open(name) as file:  # the native library reports a damaged member
        while chunk := file.read(size):
            yield kept + chunk
            kept = chunk[-_OVERLAP:]


class _Extent(NamedTuple):
    """The last row and column, from 1, that the native library stores of a sheet; the declared range may be larger.

    ``places`` are the indices of the columns with a value, plus one that stands for all others; None if that saves
    little.
    """

    member: str
    rows: int
    columns: int
    places: list[int] | None


def _wide_sheets(archive: ZipFile) -> dict[str, _Extent]:
    """The sheets of an .xlsx, by name, that have many cells or may have (large or undeclared range)."""
    members = [part for part in archive.infolist() if part.filename.startswith("xl/worksheets/")]
    wide = {}
    for part in members:
        if not part.filename.endswith(".xml"):
            continue
        declared = _DIMENSION.search(next(_chunks(archive, part.filename, _HEAD), b""))
        if declared is None:
            is_suspect = part.file_size <= LOOKED_THROUGH
        else:
            n_cells = _column_number(declared[1]) * int(declared[2][:9])
            is_suspect = n_cells > max(MANY_CELLS, part.file_size // BYTES_A_CELL)
        extent = _extent(archive, part.filename) if is_suspect else None
        if extent is not None and extent.rows * extent.columns > MANY_CELLS:
            wide[part.filename] = extent
    if not wide:
        return {}
    names = _sheets_of_members(archive)
    return {names[member]: extent for member, extent in wide.items() if member in names}


def _extent(archive: ZipFile, member: str) -> _Extent:
    row, kept, used, are_named = 0, set[bytes](), set[bytes](), True
    for chunk in _chunks(archive, member):
        for _, letters, digits in set(_OPEN_CELL.findall(chunk)):
            row = max(row, int(digits))
            kept.add(letters)
        used.update(letters for _, letters, _ in _CELL.findall(chunk))
        are_named = are_named and all(b'r="' in tag for tag in set(_CELL_TAG.findall(chunk)))
    columns = max(map(_column_number, kept), default=0)
    places = sorted(_column_number(letters) - 1 for letters in used)
    places.append(places[-1] + 1 if places else 0)
    return _Extent(member, row, columns, places if are_named and 2 * len(places) <= columns else None)


def _without_empty_columns(archive: ZipFile, member: str, places: Sequence[int]) -> CalamineWorkbook:
    """The workbook with only these columns of a sheet, side by side; cells of other columns go to the last."""
    from io import BytesIO
    from zipfile import ZIP_DEFLATED, ZipFile

    from python_calamine import CalamineWorkbook

    letters = {place: _cell_name(0, index)[:-1].encode() for index, place in enumerate(places)}
    others = letters[places[-1]]

    def moved(cell: re.Match[bytes]) -> bytes:
        return cell[1] + letters.get(_column_number(cell[2]) - 1, others) + cell[3] + b'"'

    def copied() -> CalamineWorkbook:
        packed = BytesIO()
        with ZipFile(packed, "w", ZIP_DEFLATED, compresslevel=1) as copy:
            for part in archive.infolist():
                if part.filename != member:
                    copy.writestr(part.filename, archive.read(part))
                    continue
                with archive.open(part) as source, copy.open(part.filename, "w", force_zip64=True) as target:
                    rest = b""
                    while chunk := source.read(1 << 20):
                        whole, tag, rest = (rest + chunk).rpartition(b">")
                        target.write(_ANY_CELL.sub(moved, whole + tag))
                    target.write(rest)
        packed.seek(0)
        return CalamineWorkbook.from_filelike(packed)

    workbook: CalamineWorkbook = _guarded(copied)
    return workbook


def _sheets_of_members(archive: ZipFile) -> dict[str, str]:
    """The sheet name of each archive member that holds a sheet."""
    from xml.etree import ElementTree

    paths: dict[str, str] = {}
    with suppress(KeyError, ElementTree.ParseError, RuntimeError, OSError):
        relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
        targets = {relationship.get("Id", ""): relationship.get("Target", "") for relationship in relations}
        for sheet in ElementTree.fromstring(archive.read("xl/workbook.xml")).iter():
            relation = next((value for key, value in sheet.attrib.items() if key.endswith("}id")), "")
            if sheet.tag.endswith("}sheet") and relation in targets:
                target = targets[relation]
                paths[target.removeprefix("/") if target.startswith("/") else f"xl/{target}"] = sheet.get("name", "")
    return paths


def _column_number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = 26 * number + letter - 64
    return number


def _cell_name(row: int, column: int) -> str:
    letters, column = "", column + 1
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row + 1}"


if __name__ == "__main__":
    run(_read)
