"""JSON and JSON lines, read by a child process (:mod:`algorithms.io.typed.json_reader`).

Records are objects or lists; a text may also hold a list for each column, as pandas and R write it, or several lists of
objects, of which one is chosen. Fields of nested objects become columns of their own, as do the elements of lists of
numbers; lists of texts are joined; what else lists hold is left out, which the table's description says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.io.child_process import FileWords, ProcessLimits, ReadingProcess, reading_process
from algorithms.io.foreign_formats import is_json_text
from algorithms.io.text.layout_recognition import SAMPLE_SIZE, recognise_encoding
from algorithms.io.text.options import ReadOptions, refuse_too_wide
from algorithms.io.text.text_source import EncodingMismatchError, TextFile, in_fitting_encoding, temporary_copy
from algorithms.io.typed_columns import (
    FIRST_RECORDS,
    ColumnCells,
    TypedTable,
    no_records,
    number_format,
    refuse_too_large,
)
from algorithms.text.sentences import and_more

READER: Final = "algorithms.io.typed.json_reader"
LIMITS: Final = ProcessLimits()
_UTF8: Final = ("utf-8", "utf-8-sig", "ascii")
_BLANKS: Final = "\ufeff \t\r\n"
_WORDS: Final = FileWords(
    plural="JSON files",
    whole="not JSON",
    repair="Fetch it again, or save it again in the program that made it.",
    lighten="Save fewer records in it, or save it as JSON lines, with an object in each line.",
    convert="Save it as JSON lines or CSV and open that.",
)
_NOTES: Final = {
    "doubled": "Keys that occur twice in a record, of which one value was kept: {}.",
    "joined": "Lists were joined to texts by commas: {}.",
    "spread": "Lists of numbers became a column for each element: {}.",
}


def is_json(source: TextFile, is_named: bool) -> bool:
    """Whether a text is JSON or JSON lines; one of that name need only begin so."""
    head = source.head(SAMPLE_SIZE)
    text = head.decode(recognise_encoding(head), "ignore").lstrip(_BLANKS)
    return text[:1] in ("{", "[") and (is_named or is_json_text(text))


def tables(source: TextFile, context: RunContext, options: ReadOptions | None = None) -> tuple[str, ...]:
    """The names of the lists of objects in a single object; empty if there is only one."""
    given = options or ReadOptions()

    def listed(encoding: str | None) -> tuple[str, ...]:
        reading = _Reading(source, context, given)
        reading.gather("tables", encoding)
        return tuple(reading.tables)

    return in_fitting_encoding(source, given.encoding, listed)


def read_json(source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
    """The table in the text, or the list of objects that the options name as sheet, else the first.

    Raises :class:`DataError` with the line if the text is damaged, or with the reason if it holds no table.
    """
    context.say(f"Reading {source.name}")

    def read(encoding: str | None) -> Dataset:
        reading = _Reading(source, context, options)
        reading.gather("table", encoding)
        return reading.table()

    return in_fitting_encoding(source, options.encoding, read)


@contextmanager
def _as_utf8(source: TextFile, encoding: str, context: RunContext) -> Iterator[Path]:
    """Context manager: the path of a file with the text, unpacked and in UTF-8."""
    if encoding in _UTF8 and not source.is_packed:
        yield source.path.absolute()
        return
    with temporary_copy("text.json", source.text(encoding, guessed=True), context.checkpoint) as path:
        yield path


class _Reading:
    """The state of one reading of one file in one encoding."""

    def __init__(self, source: TextFile, context: RunContext, options: ReadOptions) -> None:
        self._source, self._context, self._options = source, context, options
        self._recognised = options
        self.tables: Sequence[str] = ()
        self._names = list[str]()
        self._cells = list[ColumnCells]()
        self._lengths = list[int]()
        self._first = list[list[str]]()
        self._notes: Mapping[str, Sequence[str]] = {}
        self._n = 0

    def gather(self, want: str, encoding: str | None) -> None:
        """Take all messages of the child, or those that name the tables."""
        source, options = self._source, self._options
        encoding = encoding or options.encoding or recognise_encoding(source.head(SAMPLE_SIZE))
        request = {"want": want, "table": options.sheet, "header": options.header}
        with (
            _as_utf8(source, encoding, self._context) as path,
            reading_process(
                READER, source, self._context, LIMITS.of_this_machine(), _WORDS, **request | {"path": str(path)}
            ) as process,
        ):
            size = max(1, path.stat().st_size)
            for head in process.messages():
                self._take(head, process, size)

    def table(self) -> Dataset:
        if not self._n or not self._names:
            raise no_records(self._source.name)
        self._context.say(f"Looking at the values of {self._source.name}")
        self._context.publish(self._recognised)
        numbers, marks_are_known = number_format(self._first, self._options)
        table = TypedTable(
            self._source,
            [name.strip() for name in self._names],
            self._context,
            self._options,
            numbers=numbers,
            marks_are_known=marks_are_known,
            has_names=self._recognised.header is not False,
            recognised=self._recognised,
            remarks=self._remarks(),
        )
        for index, cells in enumerate(self._cells):
            self._fill(index, self._n)
            table.add(cells)
        return table.dataset()

    def _remarks(self) -> list[str]:
        remarks = [
            sentence.format(and_more(list(self._notes[what]), 5))
            for what, sentence in _NOTES.items()
            if what in self._notes
        ]
        left_out = [f"{and_more(list(names), 5)} ({what})" for what, names in self._notes.items() if what not in _NOTES]
        return remarks + ([f"Left out: {'; '.join(left_out)}."] if left_out else [])

    def _take(self, head: dict[str, Any], process: ReadingProcess, size: int) -> None:
        kind = head["message"]
        if kind == "error":
            raise self._refusal(head)
        if kind == "tables":
            self.tables = head["names"]
        elif kind == "opening":
            self._recognised = replace(self._recognised, sheet=head["table"])
        elif kind == "header":
            self._recognised = replace(self._recognised, header=head["header"])
        elif kind == "block":
            self._add(head, process)
            self._context.advance(min(head["at"], size), size)
        else:
            self._notes = head["notes"]

    def _add(self, head: dict[str, Any], process: ReadingProcess) -> None:
        self._names += head["names"]
        refuse_too_wide(len(self._names), self._source.name)
        self._cells += [ColumnCells() for _ in head["names"]]
        self._lengths += [0] * len(head["names"])
        n_columns, n = len(self._names), self._n + head["n"]
        refuse_too_large(self._source.name, n, n_columns, n * n_columns)
        is_first = not self._n
        for index, type_, sizes in head["columns"]:
            bodies = [process.body(size) for size in sizes]
            self._fill(index, self._n)
            self._lengths[index] = n
            cells = self._cells[index]
            if type_ == "numbers":
                cells.add(np.frombuffer(bodies[0], dtype=np.float64))
                continue
            texts = json.loads(bodies[0])
            if type_ == "texts":
                cells.add_labels(np.frombuffer(bodies[1], dtype=np.int32), texts)
            else:
                cells.add(texts)
            if is_first:
                self._first.append([text if isinstance(text, str) else "" for text in texts[:FIRST_RECORDS]])
        self._n = n

    def _fill(self, index: int, n: int) -> None:
        """Add missing cells to a column up to n records."""
        missing = n - self._lengths[index]
        if missing:
            self._cells[index].add(np.broadcast_to(np.nan, missing))
            self._lengths[index] = n

    def _refusal(self, head: dict[str, Any]) -> Exception:
        name, why = self._source.name, head["why"]
        place = self._source.place(head.get("line"))
        if why == "encoding":
            return EncodingMismatchError(head["line"], self._options.encoding is None)
        if why == "wide":
            refuse_too_wide(1 << 30, name)
        if why == "table":
            what = f"{name} has no list named {self._options.sheet!r}."
            names = head["names"]
            remedy = f"Its lists are {and_more(names, 8)}." if names else "It holds one table without a name."
            return DataError(what, remedy=remedy, place=name)
        sentence, remedy = {
            "syntax": (f"{name} is no valid JSON: {head.get('reason', '')}.", _WORDS.repair),
            "cut": (f"{name} is cut off: it ends within a list, an object or a text.", _WORDS.repair),
            "deep": (f"{name} holds lists or objects that are nested too deeply.", "Save a flat table and open that."),
            "mixed": (f"{name} mixes records with values that are none.", "Save an object for each record."),
            "unequal": (f"The lists in {name} have different lengths.", "Save lists of one length, one a column."),
            "no table": (f"{name} holds a single value, not a table.", "Save a list with an object for each record."),
        }[why]
        return DataError(sentence, remedy=remedy, place=place)
