"""Workbooks made by hand, for what no library writes: .xls, .ods, and sheets that declare what they like."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import xlsxwriter

Rows = Sequence[Sequence[Any]]

SPACE = "urn:oasis:names:tc:opendocument:xmlns"


def xls(path: Path, *sheets: Rows) -> Path:
    """A workbook of Excel 97 with sheets of numbers and texts, named Sheet, Sheet2 and so on."""
    names = [b"Sheet" + (str(number).encode() if number > 1 else b"") for number in range(1, len(sheets) + 1)]
    bodies = list(map(_xls_sheet, sheets))
    begin = _record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0005, 0, 0, 0, 0))
    place = len(begin) + sum(4 + 6 + 2 + len(name) for name in names) + 4
    bounds = b""
    for name, body in zip(names, bodies, strict=True):
        bounds += _record(0x0085, struct.pack("<IBB", place, 0, 0) + struct.pack("<BB", len(name), 0) + name)
        place += len(body)
    path.write_bytes(_compound(begin + bounds + _record(0x000A, b"") + b"".join(bodies)))
    return path


def _xls_sheet(rows: Rows) -> bytes:
    sheet = _record(0x0809, struct.pack("<HHHHII", 0x0600, 0x0010, 0, 0, 0, 0))
    sheet += _record(0x0200, struct.pack("<IIHHH", 0, len(rows), 0, len(rows[0]), 0))
    for i, row in enumerate(rows):
        for j, cell in enumerate(row):
            if cell == "":
                continue
            where = struct.pack("<HHH", i, j, 0)
            if isinstance(cell, str):
                text = cell.encode("latin-1")
                sheet += _record(0x0204, where + struct.pack("<HB", len(text), 0) + text)
            else:
                sheet += _record(0x0203, where + struct.pack("<d", cell))
    return sheet + _record(0x000A, b"")


def _record(kind: int, content: bytes) -> bytes:
    return struct.pack("<HH", kind, len(content)) + content


def _compound(stream: bytes) -> bytes:
    """A compound file with this stream as its ``Workbook``: the header, a sector of the table, one of the directory."""
    stream = stream.ljust(4096, b"\0")
    n = -(-len(stream) // 512)
    assert n <= 126
    table = [0xFFFFFFFD, 0xFFFFFFFE, *range(3, n + 2), 0xFFFFFFFE]
    table += [0xFFFFFFFF] * (128 - len(table))
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6) + bytes(6)
    head += struct.pack("<IIIIIIIII", 0, 1, 1, 0, 4096, 0xFFFFFFFE, 0, 0xFFFFFFFE, 0)
    head += struct.pack("<109I", 0, *[0xFFFFFFFF] * 108)
    folder = _entry("Root Entry", 5, 1, 0xFFFFFFFE, 0) + _entry("Workbook", 2, 0xFFFFFFFF, 2, len(stream))
    return head + struct.pack("<128I", *table) + folder.ljust(512, b"\0") + stream.ljust(512 * n, b"\0")


def _entry(name: str, kind: int, child: int, start: int, size: int) -> bytes:
    letters = name.encode("utf-16-le")
    links = struct.pack("<III", 0xFFFFFFFF, 0xFFFFFFFF, child)
    return (
        letters.ljust(64, b"\0")
        + struct.pack("<HBB", len(letters) + 2, kind, 1)
        + links
        + bytes(36)
        + struct.pack("<IQ", start, size)
    )


def ods(path: Path, rows: Rows, attributes: str = "", others: Mapping[str, Rows] | None = None) -> Path:
    """A workbook of OpenDocument; the first cell of its first sheet, Lengths, has the ``attributes`` besides."""

    def cell(value: object) -> str:
        if isinstance(value, str):
            return f'<table:table-cell office:value-type="string"><text:p>{value}</text:p></table:table-cell>'
        return f'<table:table-cell office:value-type="float" office:value="{value}"/>'

    body = ""
    for name, sheet in {"Lengths": rows, **(others or {})}.items():
        lines = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in sheet)
        body += f'<table:table table:name="{name}">{lines}</table:table>'
    body = body.replace("<table:table-cell ", f"<table:table-cell {attributes} ", 1)
    return packed(
        path,
        {
            "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
            "META-INF/manifest.xml": f'<m:manifest xmlns:m="{SPACE}:manifest:1.0"/>',
            "content.xml": f'<office:document-content xmlns:office="{SPACE}:office:1.0" '
            f'xmlns:table="{SPACE}:table:1.0" xmlns:text="{SPACE}:text:1.0"><office:body><office:spreadsheet>'
            f"{body}</office:spreadsheet></office:body>"
            "</office:document-content>",
        },
    )


def xlsx(path: Path, rows: Rows) -> Path:
    """A workbook with one sheet of numbers and texts."""
    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet()
        for i, row in enumerate(rows):
            sheet.write_row(i, 0, row)
    return path


def members(path: Path) -> dict[str, bytes]:
    """What an archive holds."""
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(path: Path, content: Mapping[str, str | bytes]) -> Path:
    """An archive that holds this."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    return path


def with_sheet(path: Path, sheet_data: str, dimension: str = "") -> Path:
    """A workbook with this as the content of its only sheet, which declares a ``dimension`` where one is given."""
    content: dict[str, str | bytes] = dict(members(xlsx(path, [["x"]])))
    declared = f'<dimension ref="{dimension}"/>' if dimension else ""
    content["xl/worksheets/sheet1.xml"] = (
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        f"{declared}<sheetData>{sheet_data}</sheetData></worksheet>"
    )
    return packed(path, content)
