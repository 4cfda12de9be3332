"""Workbooks: .xlsx, .xls and .ods, as the child process unpacks them and as tables are made of their cells."""

from __future__ import annotations

import tempfile
from datetime import date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import xlsxwriter
from numpy.random import Generator

from algorithms.io.reading import sheets
from algorithms.io.text.options import ReadOptions
from tests.algorithms.io.workbook_files import ods, xls
from tests.fuzz import bytes_mutators
from tests.fuzz.case import Case, written
from tests.fuzz.structure_mutators import changed_archive, changed_xml, members_of, zipped
from tests.fuzz.tables import read_as_the_window_does

_N_MADE = 6


def _rows(which: int) -> list[list[Any]]:
    """A table of numbers and words, small or long, with missing cells where the kind of workbook has such."""
    n = (3, 12, 60, 400, 12, 30)[which]
    heads = ["size", "colour", "amount", "class"]
    rows = [[at * 1.5, ("red", "blue")[at % 2], f"{at * 1000.5:,.2f}", ("a", "b", "c")[at % 3]] for at in range(n)]
    return [heads, *rows]


@lru_cache(maxsize=_N_MADE)
def _xlsx(which: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.xlsx"
        with xlsxwriter.Workbook(path) as book:
            book.set_properties({"created": datetime(2020, 1, 1)})
            sheet = book.add_worksheet("Lengths")
            for i, row in enumerate(_rows(which)):
                sheet.write_row(i, 0, row)
            if which >= 2:
                day = book.add_format({"num_format": "yyyy-mm-dd"})
                sheet.write(0, 4, "day")
                for i in range(1, 10):
                    sheet.write_datetime(i, 4, date(2020, 1, i), day)
                sheet.write_formula(10, 4, "=A1+1", None, 3)
                sheet.write_boolean(11, 4, True)
            if which >= 4:
                other = book.add_worksheet("Other")
                other.write(50, 50, "far")
                book.add_worksheet("Hidden").hide()
                sheet.merge_range(0, 6, 2, 7, "merged")
                sheet.write_comment("A1", "said")
        return zipped(members_of(path.read_bytes()))


@lru_cache(maxsize=_N_MADE)
def _xls(which: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        return xls(Path(folder) / "made.xls", _rows(which)[:300]).read_bytes()


@lru_cache(maxsize=_N_MADE)
def _ods(which: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        extra = ("", 'table:number-columns-repeated="3"', 'table:number-rows-repeated="2"')[which % 3]
        return zipped(members_of(ods(Path(folder) / "made.ods", _rows(which), extra).read_bytes()))


class _Workbook:
    suffix: ClassVar[str]

    def make(self, random: Generator) -> Case:
        content, told = self._changed(random)
        suffix = (
            self.suffix if random.random() < 0.9 else str(random.choice([".xlsx", ".xls", ".ods", ".xlsb", ".csv"]))
        )
        sheet = random.random()
        options = {"sheet": "Lengths"} if sheet < 0.05 else {"header": bool(random.integers(2))} if sheet < 0.1 else {}
        return Case(content, f"book{suffix}", options, told)

    def _changed(self, random: Generator) -> tuple[bytes, str]:
        raise NotImplementedError

    def run(self, case: Case, folder: Path) -> str:
        path = written(case, folder)
        sheets(path)
        return read_as_the_window_does(path, ReadOptions(**case.options))


def _member(name: str, content: bytes, random: Generator) -> bytes:
    if name.endswith((".xml", ".rels")) and random.random() < 0.75:
        return changed_xml(content, random)
    return bytes_mutators.mutated(content, random, bytes_mutators.TEXT_CHANGES)[0]


class Xlsx(_Workbook):
    """Workbooks of Excel since 2007."""

    name = "xlsx"
    suffix = ".xlsx"

    def _changed(self, random: Generator) -> tuple[bytes, str]:
        content = _xlsx(int(random.integers(_N_MADE)))
        likely = ("sheet1.xml", "sharedStrings", "workbook.xml", "styles.xml")
        return changed_archive(content, random, _member, likely=likely)


class Ods(_Workbook):
    """Workbooks of OpenDocument."""

    name = "ods"
    suffix = ".ods"

    def _changed(self, random: Generator) -> tuple[bytes, str]:
        return changed_archive(_ods(int(random.integers(_N_MADE))), random, _member, likely=("content.xml",))


class Xls(_Workbook):
    """Workbooks of Excel until 2003."""

    name = "xls"
    suffix = ".xls"

    def _changed(self, random: Generator) -> tuple[bytes, str]:
        content = _xls(int(random.integers(_N_MADE)))
        if random.random() < 0.7:
            head, body = content[:1536], content[1536:]
            body, told = bytes_mutators.mutated(body, random)
            return head + body, f"records: {told}"
        return bytes_mutators.mutated(content, random)
