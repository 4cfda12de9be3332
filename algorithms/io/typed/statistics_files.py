"""Files of SPSS, SAS, Stata and R, read by a child process (:mod:`algorithms.io.typed.statistics_reader`).

The names of values become the values of nominal attributes, labels of variables their descriptions. Values that the
file declares as missing are missing, and the table's description counts them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext, free_memory
from algorithms.data.dataset import Dataset
from algorithms.io.child_process import FileWords, ProcessLimits, ReadingProcess, reading_process
from algorithms.io.text.layout_recognition import SAMPLE_SIZE
from algorithms.io.text.options import ReadOptions, refuse_too_wide
from algorithms.io.text.text_source import TextFile
from algorithms.io.typed_columns import (
    FIRST_RECORDS,
    ColumnCells,
    ColumnDetails,
    TypedTable,
    no_records,
    number_format,
    spelling,
)
from algorithms.text.sentences import and_more, counted

READER: Final = "algorithms.io.typed.statistics_reader"
LIMITS: Final = ProcessLimits()
ENCODINGS: Final = ("WINDOWS-1252", "ISO-8859-1")
"""Encodings tried for texts that are not in the encoding that their file declares."""

_NAMES: Final = {
    "sav": "an SPSS file",
    "por": "an SPSS portable file",
    "sas7bdat": "a SAS file",
    "xport": "a SAS transport file",
    "dta": "a Stata file",
    "r": "an R file",
}
_BEGINNINGS: Final = (
    (b"$FL2@(#)", "sav"),
    (b"$FL3@(#)", "sav"),
    (b"<stata_dta>", "dta"),
    (b"HEADER RECORD*******LIB", "xport"),
    (bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf", "sas7bdat"),
)
_R: Final = (b"RDX2\nX\n", b"RDX3\nX\n", b"X\n\x00\x00\x00\x02", b"X\n\x00\x00\x00\x03")
_R_OF_ANOTHER_FORM: Final = re.compile(rb"RDA[23]\nA\n|RDB[23]\nB\n|A\n[23]\n\d{6}\n\d{6}\n|B\n[\x02\x03]\x00\x00\x00")
"""R files with numbers as text, or in the order of bytes of the processor."""
_STATA: Final = range(0x69, 0x74)
"""First bytes of the files of Stata 5 to 12."""
_HEAD: Final = 64


def format_by_content(source: TextFile) -> str | None:
    """The format of a file by its first bytes, a key of the child's request; None for another one."""
    head = source.head(SAMPLE_SIZE)
    if head[:1] and head[0] in _STATA and head[1:4] in (b"\x01\x01\x00", b"\x02\x01\x00"):
        return "dta"
    beginning = head[:_HEAD]
    if beginning.startswith(_R) or _R_OF_ANOTHER_FORM.match(beginning):
        return "r"
    portable = b"SPSSPORT" in head[400:560].replace(b"\r", b"").replace(b"\n", b"")
    return "por" if portable else next((name for start, name in _BEGINNINGS if head.startswith(start)), None)


def name_of(source: TextFile) -> str:
    """What the file is ("an SPSS file")."""
    return _NAMES[format_by_content(source) or "r"]


@dataclass(frozen=True)
class FileColumn:
    """A column as the child describes it; ``labels`` are values with their names, ``missing`` those declared so."""

    name: str
    type: str
    description: str
    labels: Sequence[tuple[float | str, str]]
    is_ordered: bool
    missing: Sequence[float | str]

    def details(self) -> ColumnDetails:
        """What the conversion must know; names of values declared as missing are none of a category."""
        kept = {spelling(value): label for value, label in self.labels if value not in self.missing}
        return ColumnDetails(kept, self.is_ordered, " ".join(self.description.split()))

    def told_of(self, missing: Mapping[str, int]) -> str:
        """The values declared as missing that occur, with their names and numbers of records."""
        named = {spelling(value): label for value, label in self.labels}
        label_of = {value: named.get(value, named.get(value.removeprefix("."), "")) for value in missing}
        parts = [f"{value}{f' = {label}' if (label := label_of[value]) else ''}: {n:,}" for value, n in missing.items()]
        return f"{self.name} ({'; '.join(parts)})"


def data_frames(source: TextFile, context: RunContext) -> tuple[str, ...]:
    """The names of the data frames in an R file; empty if it holds a single one without a name."""
    objects = _read(source, context, "objects", ReadOptions()).objects
    return tuple(name for name, is_frame in objects if is_frame and name)


def read_statistics(source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
    """The table in the file, or the data frame that the options name as sheet.

    Raises :class:`DataError` if the file is damaged, packed, or holds no such data frame.
    """
    context.say(f"Reading {source.name}")
    return _read(source, context, "table", options).table()


def _read(source: TextFile, context: RunContext, want: str, options: ReadOptions) -> _Reading:
    """What the child tells, in the encoding of the options, else in the first one that fits."""
    given = [options.encoding] if options.encoding is not None else [None, *ENCODINGS]
    for encoding in given:
        with _child(source, context, want, options, encoding) as process:
            reading = _Reading(source, process, context, options, encoding)
            try:
                reading.gather()
            except _EncodingError as error:
                reason = str(error)
            else:
                return reading
    raise _damaged(source, reason)


def _damaged(source: TextFile, reason: str) -> DataError:
    words = _words(source)
    sentence = words.damaged(source.name).sentence.rstrip(".")
    return DataError(f"{sentence}: {reason}.", remedy=words.repair, place=source.name)


class _EncodingError(Exception):
    """The texts of the file are not in the encoding that was taken."""


def _child(source: TextFile, context: RunContext, want: str, options: ReadOptions, encoding: str | None) -> Any:
    format = format_by_content(source)
    if format == "r" and _R_OF_ANOTHER_FORM.match(source.head(_HEAD)):
        raise DataError(
            f"{source.name} is an R file that was saved as text or not in XDR form.",
            remedy="In R, save it again without the options ascii and xdr, and open that.",
            place=source.name,
        )
    request = {"format": format, "want": want, "object": options.sheet, "encoding": encoding}
    return reading_process(READER, source, context, LIMITS.of_this_machine(), _words(source), **request)


def _words(source: TextFile) -> FileWords:
    return FileWords(
        plural="files of statistics programs",
        whole=f"not {name_of(source)}",
        repair="Fetch it again, or save it again in the program that made it.",
        lighten="Save fewer columns or records in it, or save the table as CSV and open that.",
        convert="Save the table as CSV in the program that made it and open that.",
    )


class _Reading:
    """The state of one reading of one file in one encoding."""

    def __init__(
        self,
        source: TextFile,
        process: ReadingProcess,
        context: RunContext,
        options: ReadOptions,
        encoding: str | None,
    ) -> None:
        self._source, self._process, self._context, self._options = source, process, context, options
        self._recognised = options
        self._remarks = list[str]()
        if encoding is not None and options.encoding is None:
            self._remarks.append(f"Its texts are not in the encoding that it declares; they were read as {encoding}.")
        self.objects = list[tuple[str, bool]]()
        self._columns = list[FileColumn]()
        self._cells = list[ColumnCells]()
        self._first = list[list[str]]()
        self._declared: Mapping[str, Mapping[str, int]] = {}
        self._n, self._expected = 0, 0

    def gather(self) -> None:
        """Take all messages of the child."""
        for head in self._process.messages():
            self._take(head)

    def table(self) -> Dataset:
        if not self._n or not self._columns:
            raise no_records(self._source.name)
        self._context.say(f"Looking at the values of {self._source.name}")
        numbers, marks_are_known = number_format(self._first, self._options)
        told = [
            column.told_of(self._declared[column.name]) for column in self._columns if column.name in self._declared
        ]
        if told:
            self._remarks.append(f"Declared as missing: {and_more(told, 5)}.")
        table = TypedTable(
            self._source,
            [column.name for column in self._columns],
            self._context,
            self._options,
            numbers=numbers,
            marks_are_known=marks_are_known,
            recognised=self._recognised,
            remarks=self._remarks,
        )
        for column, cells in zip(self._columns, self._cells, strict=True):
            table.add(cells, column.details())
        return table.dataset()

    def _take(self, head: dict[str, Any]) -> None:
        kind = head["message"]
        if kind == "error":
            raise self._refusal(head)
        if kind == "objects":
            self.objects = [(name, is_frame) for name, is_frame in head["objects"]]
        elif kind == "object":
            self._recognised = replace(self._options, sheet=head["name"] or None)
            others = [name for name, is_frame in self.objects if not is_frame]
            if others:
                self._remarks.append(f"Left out: {and_more(others, 5)} (no data frames).")
        elif kind == "opening":
            self._open(head)
        elif kind == "block":
            self._add(head)
        else:
            self._declared = head["declared"]

    def _open(self, head: dict[str, Any]) -> None:
        self._columns = [FileColumn(**column) for column in head["columns"]]
        refuse_too_wide(len(self._columns), self._source.name)
        self._cells = [ColumnCells() for _ in self._columns]
        self._expected = head["n_records"] or 0
        n = self._expected
        size = f"{counted(n, 'record')} of {counted(len(self._columns), 'column')}"
        self._refuse_too_large(n, f"holds {size}, more than fit into the free memory")
        self._context.publish(self._recognised)

    def _add(self, head: dict[str, Any]) -> None:
        self._n += head["n"]
        self._refuse_too_large(head["n"], "needs more memory than there is")
        is_first = not self._first
        for cells, (type, sizes) in zip(self._cells, head["columns"], strict=True):
            bodies = [self._process.body(size) for size in sizes]
            if type == "texts":
                texts, codes = json.loads(bodies[0]), np.frombuffer(bodies[1], dtype=np.int32)
                cells.add_labels(codes, texts)
                if is_first:
                    self._first.append([texts[code] if code >= 0 else "" for code in codes[:FIRST_RECORDS].tolist()])
                continue
            values = np.frombuffer(bodies[0], dtype=np.float64)
            {"numbers": cells.add, "moments": cells.add_moments, "hours": cells.add_hours}[type](values)
        if self._expected:
            self._context.advance(min(self._n, self._expected), self._expected)

    def _refuse_too_large(self, n: int, sentence: str) -> None:
        """Raise :class:`DataError` with the sentence if so many records cannot fit into free memory."""
        free, needed = free_memory(), n * sum(1 if column.type == "texts" else 8 for column in self._columns)
        if free is not None and needed > free:
            remedy = "Close other programs, or save fewer columns or records in it."
            raise DataError(f"{self._source.name} {sentence}.", remedy=remedy, place=self._source.name)

    def _refusal(self, head: dict[str, Any]) -> Exception:
        name, why = self._source.name, head["why"]
        if why == "encoding":
            return _EncodingError(head["reason"])
        if why == "damaged":
            return _damaged(self._source, head["reason"])
        frames = [own for own, is_frame in self.objects if is_frame]
        if frames:
            what = f"{name} has no data frame named {self._options.sheet!r}."
            return DataError(what, remedy=f"Its data frames are {and_more(frames, 8)}.", place=name)
        others = [own for own, _ in self.objects if own]
        held = f", but {and_more(others, 5)}" if others else ""
        return DataError(
            f"{name} holds no data frame that can be read{held}.",
            remedy="In R, save a data frame by saveRDS, or write it as CSV (write.csv), and open that.",
            place=name,
        )
