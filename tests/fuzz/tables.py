"""Tables as files of text: CSV, ARFF, what was copied, packed files, and files that are no tables."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import struct
import tarfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
from numpy.random import Generator

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.schema import AttributeKind
from algorithms.io.reading import column_names, read, sheets, sniff
from algorithms.io.text.delimited import read_text, sniff_text
from algorithms.io.text.large_files import survey
from algorithms.io.text.options import ReadOptions, describe
from tests.fuzz import bytes_mutators
from tests.fuzz.bytes_mutators import NUMBERS, PIECES, TEXT_CHANGES, soup
from tests.fuzz.case import READ, Case, written
from tests.fuzz.rules import check_table
from tests.fuzz.structure_mutators import changed_json, changed_xml, json_bytes, zipped

DATES: Final = (
    b"2020-01-31", b"2020-02-30", b"31.12.1999", b"12/31/2020", b"31/12/2020 23:59", b"1 Jan 2020", b"Feb 3, 2021",
    b"0000-00-00", b"99999-12-31", b"2020-01-31T12:00:00Z", b"-0001-01-01", b"12:30", b"2020-01-01 24:00",
)  # fmt: skip
WORDS: Final = (
    b"a", b"b", b"yes", b"no", b"Iris-setosa", b"x y", "Zo\u00eb".encode(), "Gr\u00f6\u00dfe".encode("cp1252"), b"NA",
    b"?", b"", b" ", b"-", b"n/a", b"null", b"TRUE", b"<b>", b"=1+1", b'say ""hi""', b"a" * 300,
)  # fmt: skip
_DELIMITERS: Final = (b",", b";", b"\t", b"|", b" ")
_ENDS: Final = (b"\n", b"\r\n", b"\r")


def _cell(kind: int, random: Generator, row: int) -> bytes:
    if kind == 0:
        return b"%d" % int(random.integers(-50, 2000))
    if kind == 1:
        return b"%.3f" % float(random.normal())
    if kind == 2:
        return str(random.choice(["red", "green", "blue"])).encode()
    if kind == 3:
        return b"2020-%02d-%02d" % (row % 12 + 1, row % 28 + 1)
    if kind == 4:
        return f"{float(random.normal(0, 3000)):.2f}".replace(".", ",").encode()
    if kind == 5:
        return b"id-%d" % row
    if kind == 6:
        return NUMBERS[int(random.integers(len(NUMBERS)))]
    if kind == 7:
        return DATES[int(random.integers(len(DATES)))]
    if kind == 8:
        return b'"%s"' % WORDS[int(random.integers(len(WORDS)))].replace(b'"', b"")
    if kind == 9:
        return f"\u20ac {float(random.normal(0, 3000)):,.2f}".encode()
    return WORDS[int(random.integers(len(WORDS)))]


def table(random: Generator) -> bytes:
    """A text table of columns of some kinds, as somebody may have it."""
    delimiter = _DELIMITERS[int(random.choice([0, 0, 0, 1, 1, 2, 3, 4]))]
    end = _ENDS[int(random.choice([0, 0, 0, 1, 2]))]
    kinds = [int(random.choice([0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10])) for _ in range(int(random.integers(1, 8)))]
    n = int(random.choice([0, 1, 2, 10, 40, 400]))
    lines = [delimiter.join(b"c%d" % at for at in range(len(kinds)))] if random.random() < 0.8 else []
    lines += [delimiter.join(_cell(kind, random, row) for kind in kinds) for row in range(n)]
    return end.join(lines) + (end if random.random() < 0.8 else b"")


def arff(random: Generator) -> bytes:
    """A table in ARFF with attributes of all its types, sparse or not."""
    kinds = [int(random.integers(6)) for _ in range(int(random.integers(1, 6)))]
    types = (b"numeric", b"{red, 'dark green', blue}", b"string", b'date "yyyy-MM-dd"', b"integer", b"{yes,no}")
    cells: tuple[Callable[[int], bytes], ...] = (
        lambda row: b"%.2f" % float(random.normal()),
        lambda row: str(random.choice(["red", "'dark green'", "blue", "?"])).encode(),
        lambda row: b"'text %d'" % row,
        lambda row: b'"2020-01-%02d"' % (row % 28 + 1),
        lambda row: b"%d" % int(random.integers(99)),
        lambda row: str(random.choice(["yes", "no"])).encode(),
    )
    sparse = random.random() < 0.25
    lines = [b"% a comment", b"@relation 'made here'", b""]
    lines += [b"@attribute 'a%d' %s" % (at, types[kind]) for at, kind in enumerate(kinds)]
    lines += [b"", b"@data"]
    for row in range(int(random.choice([0, 1, 5, 60]))):
        values = [cells[kind](row) for kind in kinds]
        if sparse:
            there = [b"%d %s" % (at, value) for at, value in enumerate(values) if random.random() < 0.6]
            lines.append(b"{" + b", ".join(there) + b"}")
        else:
            lines.append(b",".join(values) + (b", {2.5}" if random.random() < 0.1 else b""))
    return b"\n".join(lines) + b"\n"


ARFF_TOKENS: Final = (
    b"@relation r\n", b"@attribute a ", b"@attribute 'a b' ", b"@attribute {x} ", b"numeric\n", b"{a,b}\n", b"{a, 'b",
    b"string\n", b"date\n", b'date "yyyy"\n', b"relational\n", b"@end a\n", b"@data\n", b"@DATA", b"{0 1}\n", b"{0 1,",
    b"{1 a, 0 2}\n", b"{99999999999 1}\n", b"1,a\n", b"?,?\n", b",,\n", b"%\n", b"real [0,1]\n", b"\n", b"}", b"'",
)  # fmt: skip


def _options(random: Generator) -> dict[str, Any]:
    """What a person may have said of how to read, mostly nothing."""
    if random.random() < 0.6:
        return {}
    choices: dict[str, tuple[Any, ...]] = {
        "delimiter": (",", ";", "\t", " ", "|", "x", "\u00e9", "", "ab", "\n", '"'),
        "decimal": (".", ","),
        "thousands": ("", ",", ".", "'", " ", "5"),
        "encoding": ("utf-8", "cp1252", "utf-16", "utf-16-le", "ascii", "hex", "nonsense", "\0", "idna", "utf-7"),
        "quote": ('"', "'", "", "\u00ab", ","),
        "header": (True, False),
        "missing": ((), ("",), ("a",), ("1", "?")),
        "class_name": ("", "c0", "nothing"),
        "ragged": ("refuse", "pad"),
        "sheet": ("Sheet1", ""),
        "sample": (1, 5, 100),
        "widths": ((), (1,), (3, 4, 5), (0,), (-1, 2), (1 << 30,), (1,) * 70_000),
        "kinds": tuple({"c0": kind, "c1": kind} for kind in AttributeKind),
    }
    names = random.choice(list(choices), size=int(random.integers(1, 4)), replace=False)
    return {str(name): choices[str(name)][int(random.integers(len(choices[str(name)])))] for name in names}


def read_as_the_window_does(path: Path, options: ReadOptions) -> str:
    """Recognise, read and survey the file at ``path``, and look whether the table is one."""
    found = sniff(path, options)
    describe(found)
    data = read(path, RunContext(), options)
    check_table(data)
    return READ


class Csv:
    """Text with delimiters, by any options."""

    name = "csv"

    def make(self, random: Generator) -> Case:
        content = soup(random, (*PIECES, *NUMBERS, *WORDS, *DATES)) if random.random() < 0.2 else table(random)
        told = "as it is"
        if random.random() < 0.9:
            content, told = bytes_mutators.mutated(content, random, TEXT_CHANGES)
        suffix = str(random.choice([".csv", ".csv", ".txt", ".data", ".tsv", ""]))
        return Case(content, f"table{suffix}", _options(random), told)

    def run(self, case: Case, folder: Path) -> str:
        path, options = written(case, folder), ReadOptions(**case.options)
        end = read_as_the_window_does(path, options)
        column_names(path, options)
        sheets(path)
        return end


class WebLogs:
    """Logs of web servers in every format, with lines and parts of lines that are none."""

    name = "weblog"
    _LINES: Final = (
        b'10.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /a/b.png?x=1 HTTP/1.0" 200 2326 "http://a.b/c" "Mozilla/5.0"',
        b'a.b:80 ::1 - me [10/Oct/2000:13:55:37 +0000] "POST / HTTP/1.1" 404 - "-" "curl/8 \\"x\\""',
        b'10.0.0.2 - - [11/Oct/2000:13:55:36 -0700] "-" 400 0',
        b'{"ts": 1646861401.5, "request": {"remote_ip": "1.2.3.4", "method": "GET", "uri": "/x", "headers": '
        b'{"User-Agent": ["a"], "Referer": ["/y"]}}, "size": 10, "status": 200}',
        b'{"time_local": "10/Oct/2000:13:55:36 -0700", "remote_addr": "1.2.3.4", "request": "GET / HTTP/2", '
        b'"status": "200", "http_user_agent": "b\\u00e9"}',
        b'{"ClientAddr": "[::1]:80", "RequestPath": "/", "DownstreamStatus": 200, '
        b'"StartUTC": "2026-01-02T03:04:05.6Z"}',
        b"#Fields: date time c-ip cs-method cs-uri-stem cs-uri-query sc-status cs(User-Agent) cs(Referer)",
        b"2026-01-02 03:04:05 1.2.3.4 GET /x a=1 200 Mozilla/5.0+(X) http://a.b/c",
        b"#Fields: time date sc-status cs-uri-stem c-ip",
        b'03:04:06 2026-01-02 500 "/a b" 1.2.3.4',
    )  # fmt: skip
    _PARTS: Final = (
        b'"', b'\\', b"[", b"]", b"{", b"}", b":", b",", b" ", b"\t", b"\n", b"#Fields: ", b"1e99", b"9" * 50, b"-",
        b"[99/Xxx/0000:99:99:99 +9999]", b"http://", b"////", b"?", b"#", b"null", b"\xff", b"\0", b"[" * 70, b"{" * 70,
    )  # fmt: skip

    def make(self, random: Generator) -> Case:
        kind = int(random.integers(4))
        of_kind = (self._LINES[:3], self._LINES[3:6], self._LINES[6:], self._LINES)[kind]
        lines = [of_kind[int(random.integers(len(of_kind)))] for _ in range(int(random.integers(1, 60)))]
        content = b"\n".join([of_kind[0], *lines]) + b"\n"
        told = "as it is"
        if random.random() < 0.5:
            for _ in range(int(random.integers(1, 20))):
                place, part = int(random.integers(len(content))), self._PARTS[int(random.integers(len(self._PARTS)))]
                content, told = content[:place] + part + content[place:], "parts put in"
        elif random.random() < 0.8:
            content, told = bytes_mutators.mutated(content, random, TEXT_CHANGES)
        options = (
            {} if random.random() < 0.8 else {"timeout": float(random.choice([0.01, 5.0, 1e9, -1.0, float("nan")]))}
        )
        return Case(content, "access.log", options, told)

    def run(self, case: Case, folder: Path) -> str:
        return read_as_the_window_does(written(case, folder), ReadOptions(**case.options))


class FixedWidth(Csv):
    """Text in columns by position, by any options."""

    name = "fixed"

    def make(self, random: Generator) -> Case:
        kinds = [int(random.integers(11)) for _ in range(int(random.integers(1, 8)))]
        rows = [[_cell(kind, random, row) for kind in kinds] for row in range(int(random.choice([0, 2, 9, 60, 1500])))]
        rows = [[b"c%d" % at for at in range(len(kinds))], *rows] if random.random() < 0.7 else rows
        gaps = [int(random.integers(3)) for _ in kinds]
        widths = [max((len(row[i]) for row in rows), default=0) + gaps[i] for i in range(len(kinds))]
        sides = [bytes.ljust if random.random() < 0.5 else bytes.rjust for _ in kinds]
        lines = [b"".join(side(c, w) for side, c, w in zip(sides, row, widths, strict=True)) for row in rows]
        if random.random() < 0.2:
            lines.insert(1, b" ".join(b"-" * max(1, width - 1) for width in widths))
        content, told = _ENDS[int(random.choice([0, 0, 1, 2]))].join([*lines, b""]), "as it is"
        if random.random() < 0.7:
            content, told = bytes_mutators.mutated(content, random, TEXT_CHANGES)
        options = _options(random)
        if random.random() < 0.4:
            options["widths"] = tuple(max(1, width + int(random.integers(-1, 2))) for width in widths)
        return Case(content, "table.txt", options, told)

    def run(self, case: Case, folder: Path) -> str:
        path, options = written(case, folder), ReadOptions(**case.options)
        end = read_as_the_window_does(path, options)
        found = survey(path, RunContext(seed=1), options)
        check_table(found.sample)
        return end


class InPieces(Csv):
    """Text with delimiters, looked through as files larger than memory are."""

    name = "survey"

    def run(self, case: Case, folder: Path) -> str:
        path, options = written(case, folder), ReadOptions(**case.options)
        context = RunContext(seed=1)
        found = survey(path, context, options)
        check_table(found.sample)
        schema = found.sample.schema
        n = sum(rows.n for rows in found.rows(RunContext(), tuple(range(len(schema))), schema))
        if n != found.n_records:
            raise DataError("The second pass found other records.")
        return READ


class Clipboard:
    """Text that a person copied: any characters, lone surrogates too."""

    name = "clipboard"

    def make(self, random: Generator) -> Case:
        made = Csv().make(random)
        return replace(made, name="copied.txt", options={"surrogates": bool(random.integers(2))})

    def run(self, case: Case, folder: Path) -> str:
        text = case.content.decode("utf-8", "surrogateescape" if case.options["surrogates"] else "replace")
        describe(sniff_text(text))
        check_table(read_text(text, RunContext()))
        return READ


class Arff:
    """Tables in ARFF."""

    name = "arff"

    def make(self, random: Generator) -> Case:
        content = soup(random, (*ARFF_TOKENS, *NUMBERS, *PIECES)) if random.random() < 0.25 else arff(random)
        told = "as it is"
        if random.random() < 0.9:
            content, told = bytes_mutators.mutated(content, random, TEXT_CHANGES)
        options = _options(random) if random.random() < 0.3 else {}
        return Case(content, str(random.choice(["table.arff", "table.txt"])), options, told)

    def run(self, case: Case, folder: Path) -> str:
        return read_as_the_window_does(written(case, folder), ReadOptions(**case.options))


class Packed:
    """Tables packed with gzip, packages that are damaged, that swell, or hold another package."""

    name = "gzip"
    suffix = ".gz"

    def packed(self, content: bytes) -> bytes:
        return gzip.compress(content, 6, mtime=0)

    def make(self, random: Generator) -> Case:
        inner = table(random) if random.random() < 0.7 else arff(random)
        how = int(random.integers(6))
        told = ("whole", "inner", "outer", "twice", "swells", "joined")[how]
        if how == 1:
            inner, told = bytes_mutators.mutated(inner, random, TEXT_CHANGES)
        if how == 4:
            inner += bytes(random.choice([0, 10, 44, 120], size=1).tolist()) * int(random.choice([1 << 20, 30 << 20]))
        content = self.packed(inner)
        if how == 2:
            content, told = bytes_mutators.mutated(content, random)
        elif how == 3:
            content = self.packed(content) if random.random() < 0.5 else zipped({"table.csv": content})
        elif how == 5:
            content = content + self.packed(table(random)) + (b"\0" * 512 if random.random() < 0.5 else b"")
        name = str(
            random.choice([f"table.csv{self.suffix}", f"table{self.suffix}", "table.csv", "table.arff", "table.xlsx"])
        )
        return Case(content, name, {}, told, len(inner))

    def run(self, case: Case, folder: Path) -> str:
        return read_as_the_window_does(written(case, folder), ReadOptions())


class Bzip2(Packed):
    """Tables packed with bzip2."""

    name = "bzip2"
    suffix = ".bz2"

    def packed(self, content: bytes) -> bytes:
        return bz2.compress(content)


class Xz(Packed):
    """Tables packed with xz."""

    name = "xz"
    suffix = ".xz"

    def packed(self, content: bytes) -> bytes:
        return lzma.compress(content, preset=1)


class Zstd(Packed):
    """Tables packed with zstd."""

    name = "zstd"
    suffix = ".zst"

    def packed(self, content: bytes) -> bytes:
        return bytes(pa.Codec("zstd").compress(content, asbytes=True))


class Zip(Packed):
    """Tables in zip archives."""

    name = "zip"
    suffix = ".zip"

    def packed(self, content: bytes) -> bytes:
        return zipped({"a/first.csv": content, "b.json": b'[{"x": 1}]'})

    def run(self, case: Case, folder: Path) -> str:
        sheets(written(case, folder))
        return super().run(case, folder)


class Foreign:
    """Files that are no tables: JSON, markup, pictures, archives, databases."""

    name = "foreign"

    def make(self, random: Generator) -> Case:
        made = _FOREIGN[int(random.integers(len(_FOREIGN)))]
        content, told = made(random), made.__name__
        if random.random() < 0.6:
            content, changes = bytes_mutators.mutated(content, random, TEXT_CHANGES)
            told = f"{told}, {changes}"
        suffix = str(random.choice([".csv", ".json", ".html", ".arff", ".xlsx", ".parquet", ".txt", ".xls", ".ods"]))
        return Case(content, f"table{suffix}", {}, told)

    def run(self, case: Case, folder: Path) -> str:
        return read_as_the_window_does(written(case, folder), ReadOptions())


def _json(random: Generator) -> bytes:
    records = [{"a": at, "b": ["x", {"c": None}], "d": 1.5} for at in range(int(random.integers(1, 20)))]
    return changed_json(json.dumps(records).encode(), random)


def _json_lines(random: Generator) -> bytes:
    lines = [json_bytes({"a": at, "class": str(random.choice(["x", "y"]))}, random) for at in range(20)]
    return b"\n".join(lines)


def _markup(random: Generator) -> bytes:
    rows = "".join(f"<tr><td>{at}</td><td>x</td></tr>" for at in range(int(random.integers(1, 20))))
    head = str(random.choice(["<!DOCTYPE html><html>", "<html>", "<?xml version='1.0'?>", "", "<!-- c -->"]))
    return changed_xml(f"{head}<table>{rows}</table>".encode(), random)


def _magic(random: Generator) -> bytes:
    beginnings = (
        b"PAR1", b"%PDF-1.7\n", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"\xff\xd8\xff\xe0", b"SQLite format 3\0", b"BM",
        b"RIFF\0\0\0\0WEBP", b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\xfd7zXZ\0", b"BZh9", b"\x28\xb5\x2f\xfd",
        b"ARROW1\0\0", b"FEA1", b"\x89HDF\r\n\x1a\n", b"$FL2@(#)", b"RDX3\n", b"r\x01\x01\x00", b"\x80\x04\x95",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"PK\x03\x04", b"PK\x05\x06", b"\x7fELF", b"MZ", b"<stata_dta>",
        b"\x1f\x9d",
    )  # fmt: skip
    start = beginnings[int(random.integers(len(beginnings)))]
    return start + (random.bytes(int(random.integers(2000))) if random.random() < 0.5 else table(random))


def _archive(random: Generator) -> bytes:
    names = ("table.csv", "word/document.xml", "xl/workbook.xml", "content.json", "mimetype", "META-INF/MANIFEST.MF")
    return zipped({str(name): table(random) for name in random.choice(names, size=2, replace=False)})


def _tar(random: Generator) -> bytes:
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as archive:
        content = table(random)
        info = tarfile.TarInfo("table.csv")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return whole.getvalue()


def _noise(random: Generator) -> bytes:
    noise = random.bytes(int(random.choice([1, 4, 100, 5000])))
    return zlib.compress(noise) + struct.pack("<I", len(noise)) if random.random() < 0.3 else noise


_FOREIGN: Final = (_json, _json_lines, _markup, _magic, _archive, _tar, _noise)
