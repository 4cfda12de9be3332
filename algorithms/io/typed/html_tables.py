"""Tables of web pages (HTML), read by a child process (:mod:`algorithms.io.typed.html_reader`).

Nothing but the text of cells is taken: no script runs, and nothing is fetched. Cells that span rows or columns are
repeated, and several rows of headings become one name. The columns are then those of a text table.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import Dataset
from algorithms.data.number_formats import NumberFormat
from algorithms.io.child_process import FileWords, ProcessLimits, ReadingProcess, reading_process
from algorithms.io.foreign_formats import is_html_text
from algorithms.io.text.layout_recognition import SAMPLE_SIZE, has_header, marks_in_numbers, recognise_encoding
from algorithms.io.text.options import ReadOptions, refuse_too_wide
from algorithms.io.text.text_source import TextFile, in_fitting_encoding, temporary_copy
from algorithms.io.typed_columns import FIRST_RECORDS, ColumnCells, TypedTable, no_records
from algorithms.text.sentences import and_more

READER: Final = "algorithms.io.typed.html_reader"
LIMITS: Final = ProcessLimits(seconds=60.0)
_WORDS: Final = FileWords(
    plural="web pages",
    whole="no web page",
    repair="Save the page again, or copy the table in a browser and paste it here.",
    lighten="Copy the table in a browser and paste it here.",
    convert="Copy the table in a browser and paste it here.",
)


def is_page(source: TextFile) -> bool:
    """Whether a text begins as a web page does, or with a table of one."""
    head = source.head(SAMPLE_SIZE)
    return b"<" in head[:4096] and is_html_text(head.decode(recognise_encoding(head), "ignore"))


def tables(source: TextFile, context: RunContext, options: ReadOptions) -> Mapping[str, int | None]:
    """The tables of the page with their numbers of records, None if the first may hold the names."""
    return _read(source, context, "tables", options).tables


def recognised(source: TextFile, context: RunContext, options: ReadOptions) -> ReadOptions:
    """The options with the table that is read."""
    return _read(source, context, "table", options).recognised


def read_page(source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
    """The table that the options name as sheet, else the largest; raises :class:`DataError` if there is none."""
    context.say(f"Reading {source.name}")
    return _read(source, context, "table", options).table()


def _read(source: TextFile, context: RunContext, want: str, options: ReadOptions) -> _Reading:
    def read(encoding: str | None) -> _Reading:
        chosen = encoding or options.encoding or recognise_encoding(source.head(SAMPLE_SIZE))
        text = source.text(chosen, guessed=options.encoding is None)
        with (
            temporary_copy("page.html", text, context.checkpoint) as path,
            reading_process(
                READER,
                source,
                context,
                LIMITS.of_this_machine(),
                _WORDS,
                want=want,
                table=options.sheet,
                path=str(path),
            ) as process,
        ):
            reading = _Reading(source, context, options)
            for head in process.messages():
                reading.take(head, process)
        return reading

    return in_fitting_encoding(source, options.encoding, read)


class _Reading:
    """The state of one reading of one page; ``recognised`` are the options with the table."""

    def __init__(self, source: TextFile, context: RunContext, options: ReadOptions) -> None:
        self._source, self._context, self._options = source, context, options
        self.recognised = options
        self.tables: Mapping[str, int | None] = {}
        self._names: list[str] | None = None
        self._cells = list[ColumnCells]()
        self._first = list[list[str]]()
        self._n = 0

    def take(self, head: dict[str, Any], process: ReadingProcess) -> None:
        """Take one message of the child."""
        kind = head["message"]
        if kind == "error":
            raise self._refusal(head)
        if kind == "tables":
            self.tables = dict(head["tables"])
        elif kind == "opening":
            self._names = head["names"]
            self._cells = [ColumnCells() for _ in range(head["width"])]
            self.recognised = replace(self._options, sheet=head["table"], header=self._names is not None)
        else:
            self._add(json.loads(process.body(head["size"])))

    def _add(self, rows: list[list[str]]) -> None:
        if not self._n:
            self._first = rows[:FIRST_RECORDS]
            if self._names is None and self._has_header():
                self._names = rows.pop(0)
                self.recognised = replace(self.recognised, header=True)
        self._n += len(rows)
        for column, cells in zip(self._cells, zip(*rows, strict=True), strict=bool(rows)):
            column.add(cells)

    def _has_header(self) -> bool:
        """Whether the first row of a table without headings holds the names."""
        if self._options.header is not None:
            return self._options.header
        decimal, thousands, _ = marks_in_numbers(self._first, "\t", self._options)
        return has_header(self._first, NumberFormat(decimal, thousands))

    def table(self) -> Dataset:
        if not self._n:
            raise no_records(self._source.name)
        self._context.publish(self.recognised)
        self._context.say(f"Looking at the values of {self._source.name}")
        rows = self._first if self._names is None else [self._names, *self._first]
        decimal, thousands, marks_are_known = marks_in_numbers(rows, "\t", self._options)
        names = self._names or [""] * len(self._cells)
        used = [index for index, cells in enumerate(self._cells) if names[index] or not cells.is_empty]
        table = TypedTable(
            self._source,
            [names[index] for index in used],
            self._context,
            self._options,
            numbers=NumberFormat(decimal, thousands),
            marks_are_known=marks_are_known,
            has_names=self._names is not None,
            recognised=self.recognised,
        )
        for index in used:
            table.add(self._cells[index])
        return table.dataset()

    def _refusal(self, head: dict[str, Any]) -> DataError:
        name, why = self._source.name, head["why"]
        if why == "wide":
            refuse_too_wide(1 << 30, name)
        sentence, remedy = {
            "table": (
                f"{name} has no table named {self._options.sheet!r}.",
                f"Its tables are {and_more(head.get('names', []), 8)}.",
            ),
            "no table": (
                f"{name} is a web page without a table.",
                "Pages that load their tables later hold none: copy the table in a browser and paste it here.",
            ),
            "swells": (f"Cells in {name} span more rows and columns than a table can have.", _WORDS.lighten),
        }[why]
        return DataError(sentence, remedy=remedy, place=name)
