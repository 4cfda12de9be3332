"""Reading of delimited text (CSV, TSV and similar), from a file or the clipboard.

The first records show the layout and how each column is best stored; then several threads parse blocks of whole
records. If later values do not fit the storage of a column, it changes from there on. If that loses information
(numbers that turn out to be codes), only that column is read again.
"""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Final, Literal

import numpy as np

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.number_formats import NumberFormat, says_code
from algorithms.data.schema import AttributeKind, Schema
from algorithms.io.arff import is_arff, read_arff
from algorithms.io.column_inference import (
    Decodings,
    InferredColumn,
    bad_value_sentences,
    identifier_if_counting,
    inferred_column,
    infinite_numbers,
    marks_by_column,
    units_removed,
    with_class_first,
    with_stated_unit,
)
from algorithms.io.column_meaning import is_code, name_hints, says_identifier, with_guessed_class
from algorithms.io.column_pieces import MANY_SPELLINGS, ColumnPieces, NumberPiece, Piece, Storage, StringPiece
from algorithms.io.foreign_formats import refuse_foreign_file, refuse_foreign_text
from algorithms.io.missing_marks import ALL_MARKS, marks_of_numbers
from algorithms.io.table_layout import MOST_CELLS, Arrangement, GridRow, RowFilter, arrangement, grid_rows
from algorithms.io.text.layout_recognition import (
    SAMPLE_ROWS,
    SAMPLE_SIZE,
    TextLayout,
    distinct_names,
    marks_everywhere_missing,
    recognise,
    recognise_encoding,
    refuse_binary,
)
from algorithms.io.text.libsvm import is_libsvm, read_libsvm
from algorithms.io.text.options import Guess, ReadOptions, decimal_guess, header_guess, taken_sentences
from algorithms.io.text.parsing import MANY_FIELDS, Parsed, ParsingPlan, marks_among_numbers, parse
from algorithms.io.text.text_source import (
    LARGEST_BLOCK,
    READ_SIZE,
    SMALLEST_BLOCK,
    TextBlock,
    TextFile,
    block_size,
    blocks,
    count_bytes,
    helpers,
    in_fitting_encoding,
    in_order,
    is_unclosed,
    with_remedy,
)

STRINGS_AT_A_TIME: Final = 40_000
"""Records in a block with strings, whose creation holds the interpreter lock."""

LONGEST_SAMPLE: Final = 1 << 28
"""Largest number of bytes read to recognise the layout of a file."""

MANY_BLANK: Final = 100
BLANK_LINES: Final = re.compile(rb"\n{100,}+|\n(?:[ \t\r]*+\n){100,}+|\r{100,}+")

FEW_SPELLINGS: Final = 20
MANY_NUMBERS: Final = 1000


@dataclass(frozen=True, eq=False)
class FileHead:
    """The recognised beginning of a file: its layout, column names and first records."""

    layout: TextLayout
    names: tuple[str, ...]
    remarks: tuple[str, ...]
    rows: Sequence[Sequence[str]]
    n_fields: int
    arranged: ArrangedText | None = None
    """The text of the table alone, if the file holds more than a table."""

    @cached_property
    def cells(self) -> list[dict[str, int]]:
        """The distinct cells of each column in the first records, without blanks around them, and their numbers."""
        cells: list[dict[str, int]] = [{} for _ in self.names]
        for row in self.rows:
            for counts, cell in zip(cells, map(str.strip, row), strict=False):  # a record may be short or long
                counts[cell] = counts.get(cell, 0) + 1
        return cells

    @cached_property
    def hints(self) -> list[tuple[bool, ...]]:
        """What the name of each column says (:func:`~algorithms.io.column_meaning.name_hints`)."""
        return [name_hints(name) for name in self.names]

    @property
    def guesses(self) -> tuple[Guess, ...]:
        """What was taken from the rows: where the table lies, and whether its first row holds the names."""
        layout = self.layout
        usual = decimal_guess(layout.decimal, layout.thousands) if layout.marks_are_known else ()
        if self.arranged is None:
            return (header_guess(layout.header, 1 + layout.title_line), *usual)
        place = self.arranged.layout
        header = () if place.names is not None else (header_guess(layout.header, place.begin),)
        return (*self.arranged.guesses, *header, *usual)

    @property
    def units(self) -> Mapping[str, str]:
        """The units that stand below the names, by name."""
        return {} if self.arranged is None else self.arranged.layout.unit_of_name(self.names)


def opened(source: TextFile, options: ReadOptions, encoding: str | None = None) -> FileHead:
    """The recognised beginning of a file; raises :class:`DataError` if it is no text table."""
    if isinstance(source, ArrangedText):
        return _opened_plain(source, options, encoding)
    opening, sample, whole = _opened_with_sample(source, options, encoding)
    arranged = arranged_text(source, opening.layout, sample, options, is_whole=whole)
    if arranged is None:
        return opening
    given = arranged.options_for_reading()
    return replace(_opened_plain(arranged, given, opening.layout.encoding), arranged=arranged)


def _opened_plain(source: TextFile, options: ReadOptions, encoding: str | None) -> FileHead:
    return _opened_with_sample(source, options, encoding)[0]


def _opened_with_sample(source: TextFile, options: ReadOptions, encoding: str | None) -> tuple[FileHead, bytes, bool]:
    """The beginning, the text in which it was recognised, and whether that is the whole text."""
    head = source.head(SAMPLE_SIZE)
    if not head:
        raise DataError(f"{source.name} is empty.", remedy="Choose a file that holds a table.", place=source.name)
    refuse_foreign_file(head, source)
    if options.encoding is None:
        refuse_binary(head, source.name)
    encoding = encoding or options.encoding or recognise_encoding(head)
    for sample, whole in _first_parts(source, encoding, options):
        if options.delimiter is None and options.widths is None:  # a user who gives one has seen that it is a table
            refuse_foreign_text(sample.decode("utf-8", "ignore"), source)
        layout, rows = recognise(sample, whole, options, encoding, source.name)
        if len(rows) > 2:
            break
    names, remarks = distinct_names(layout.names)
    body = rows[1:] if layout.header else rows
    if not body:
        raise DataError(
            f"{source.name} holds a row of names but no records.",
            remedy="Choose a file with records, or say that the first row is a record.",
            place=source.name,
        )
    n_fields = len(names) + layout.trailing_delimiter
    return FileHead(layout, names, remarks, body, n_fields), sample, whole


_FAR: Final = 1 << 40
"""Number of a row at the end of a file, whose lines were not counted."""
MOST_LINES: Final = 5000
"""Number of lines among which the first rows are looked for."""
FEWEST_ROWS: Final = 8
FIRST_ROWS: Final = 100
"""Number of rows of a long text that are looked at first; a short one is looked at whole."""
TAIL: Final = 1 << 13
"""Number of bytes at the end of a long file in which totals and notes are looked for."""
_DELIMITERS: Final = ";\t,|"
Rows = Iterator[tuple[int, Sequence[str]]]


def _numbered_rows(lines: Iterable[str], delimiter: str, quote: str) -> Rows:
    """The rows of a text with the number of their last line; blank lines are empty rows."""
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE
    reader = csv.reader(lines, delimiter=delimiter, quotechar=quote or None, quoting=quoting, skipinitialspace=True)
    for row in reader:
        yield reader.line_num, row


class ArrangedText(TextFile):
    """The table alone in a text that holds more: titles, units, totals and notes are blank lines, so lines count on.

    ``layout`` says where the table lies; ``marks`` are the delimiter and the quote. The text is UTF-8.
    """

    def __init__(self, source: TextFile, text: TextLayout, layout: Arrangement, options: ReadOptions) -> None:
        self.path, self.name, self.size = source.path, source.name, source.size
        self.packing = source.packing
        self.layout = layout
        self._source, self._text, self._options = source, text, options
        self.filter = RowFilter(layout, options)
        self.adds_up = True
        """Whether some rows may be totals, so that numbers have to be added up."""
        self._unclosed: tuple[int, str] | None = None
        """The number of lines before a last record whose quote is never closed, and its text."""

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        """The source closes itself."""

    @property
    def subject(self) -> str:
        return self._source.subject

    @property
    def position(self) -> int:
        return self._source.position

    def over(self, source: TextFile) -> ArrangedText:
        """The table alone in the same file, opened again perhaps."""
        same = source is self._source
        other = self if same else ArrangedText(source, self._text, self.layout, self._options)
        other.adds_up = self.adds_up
        return other

    @property
    def guesses(self) -> tuple[Guess, ...]:
        """What was taken from the rows; complete after the text was read to its end."""
        return (*self.layout.guesses, *self.filter.guesses())

    def options_for_reading(self) -> ReadOptions:
        """The options with which the text is read: its marks are known, and perhaps its row of names."""
        marks = replace(self._options, delimiter=self._text.delimiter, quote=self._text.quote or '"')
        return marks if self.layout.names is None else replace(marks, header=True)

    def head(self, size: int) -> bytes:
        parts = list[bytes]()
        for part in self.text(self._text.encoding, guessed=self._options.encoding is None):
            parts.append(part)
            if sum(map(len, parts)) >= size:
                break
        return b"".join(parts)[:size]

    def pieces(self) -> Iterator[bytes]:
        return self.text(self._text.encoding, guessed=self._options.encoding is None)

    def text(self, encoding: str, *, guessed: bool) -> Iterator[bytes]:
        pieces = self._source.text(self._text.encoding, guessed=guessed)
        return self.rewritten(_lines(pieces))

    def rewritten(self, lines: Iterable[str]) -> Iterator[bytes]:
        """The lines of the table as chunks of UTF-8; others are blank. A quote that is never closed stays open."""
        remembered = _Remembered(lines)
        mark, quote = self._text.delimiter, self._text.quote
        rows = grid_rows(self._closed(remembered), are_all=True)
        buffer, n_written = io.StringIO(), 0
        writer = csv.writer(buffer, delimiter=mark, quotechar=quote or '"', lineterminator="\n")
        for number, cells in chain(
            self._names(), ((row.number, row.cells) for row in self.records(rows, adds_up=self.adds_up))
        ):
            n_lines = 1 + sum(cell.count("\n") for cell in cells)
            buffer.write("\n" * (number - n_lines - n_written))
            writer.writerow(cells)
            n_written = number
            if buffer.tell() > READ_SIZE:
                yield buffer.getvalue().encode("utf-8")
                buffer.seek(0)
                buffer.truncate()
        if self._unclosed is not None:
            n_before, text = self._unclosed
            buffer.write("\n" * (n_before - n_written) + text)
        yield buffer.getvalue().encode("utf-8")

    def _closed(self, lines: _Remembered) -> Rows:
        """The rows of a text, without one at the end whose quote is never closed."""
        self._unclosed, shape = None, self._text.shape
        waiting: tuple[int, Sequence[str]] | None = None
        for row in _numbered_rows(lines, self._text.delimiter, self._text.quote):
            if waiting is not None:
                yield waiting
            text, waiting = lines.latest(), row
            self._unclosed = (row[0] - text.count("\n"), text) if is_unclosed(text, shape) else None
        if waiting is not None and self._unclosed is None:
            yield waiting

    def _names(self) -> Iterator[tuple[int, Sequence[str]]]:
        """The last row of names with the joined ones, if several rows hold them."""
        if self.layout.names is not None:
            yield self.layout.head, self.layout.names

    def records(self, rows: Iterable[GridRow], *, is_whole: bool = True, adds_up: bool = True) -> Iterator[GridRow]:
        """The records among all rows, or among the first ones only; notes what was left out."""
        self.filter = RowFilter(self.layout, self._options, adds_up)
        yield from self.filter.passed(rows)
        yield from self.filter.rest(is_end=is_whole)


def _lines(pieces: Iterable[bytes]) -> Iterator[str]:
    """The lines of a text in UTF-8, each with its end: a line feed, a carriage return, or both."""
    rest = b""
    for piece in pieces:
        whole, feed, last = (rest + piece).rpartition(b"\n")
        yield from io.StringIO((whole + feed).decode("utf-8"), newline="")
        rest = last
    yield from io.StringIO(rest.decode("utf-8"), newline="")


class _Remembered:
    """Lines that remembers those since it was last asked for them."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines, self._latest = iter(lines), list[str]()

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            self._latest.append(line)
            yield line

    def latest(self) -> str:
        text = "".join(self._latest)
        self._latest.clear()
        return text


def arranged_text(
    source: TextFile, text: TextLayout, sample: bytes, options: ReadOptions, *, is_whole: bool
) -> ArrangedText | None:
    """The table alone in a text, if it holds more than a table; None if it does not, or that is not known."""
    if text.widths or options.widths is not None or text.delimiter not in _DELIMITERS:
        return None
    if all(name in options.kinds for name in text.names):  # a reader that knows every column knows the table
        return None
    sampled = sample if is_whole else sample[: sample.rfind(b"\n") + 1]
    marks, is_single = [text.delimiter], len(text.names) < 2
    if options.delimiter is None and is_single and not text.title_line:
        marks = [mark for mark in _DELIMITERS if mark.encode() in sampled]
    for mark in marks:
        layout = replace(text, delimiter=mark)
        rows, n_most = _first_rows(sampled, layout, SAMPLE_ROWS if is_whole else FIRST_ROWS)
        ends = is_whole and len(rows) < n_most
        place = arrangement(rows, options, is_whole=ends)
        if place is None or (is_single and (len(place.columns) < 2 or place.is_plain)):
            continue
        arranged = ArrangedText(source, layout, place, options)
        holds_more = _holds_more(arranged, rows, is_whole=ends)
        has_totals = arranged.filter.n_labels > 0
        if not ends:
            last = _last_rows(source, layout)
            holds_more = _holds_more(arranged, last, is_whole=True) or holds_more
            holds_more = holds_more or (bool(last) and arranged.filter.may_be_total(last[-1]))
            has_totals = has_totals or arranged.filter.n_labels > 0 or source.is_packed
        if holds_more or not place.is_plain:
            arranged.adds_up = has_totals
            return arranged
    return None


def _first_rows(sample: bytes, text: TextLayout, most: int) -> tuple[list[GridRow], int]:
    """The first rows of a text that hold something, and how many there are at most: fewer if they are wide."""
    lines = _lines([sample])
    numbered = _numbered_rows(lines, text.delimiter, text.quote)
    first = list(islice(numbered, int(text.title_line) + 1))
    width = max((len(row) for _, row in first), default=1)
    n_most = max(FEWEST_ROWS, min(most, MOST_CELLS // max(1, width)))
    rows = islice(chain(first, numbered), int(text.title_line), MOST_LINES)
    return list(islice(grid_rows(rows, are_all=True), n_most)), n_most


def _last_rows(source: TextFile, text: TextLayout) -> list[GridRow]:
    """The last rows of a long file; none if it is packed, or has no single bytes as line ends."""
    if text.encoding.startswith(("utf-16", "utf-32")):
        return []
    tail = source.tail(TAIL).partition(b"\n")[2].decode(text.encoding, "replace")
    rows = _numbered_rows(_lines([tail.encode("utf-8")]), text.delimiter, text.quote)
    return list(grid_rows(((_FAR + number, row) for number, row in rows), are_all=True))


def _holds_more(arranged: ArrangedText, rows: Sequence[GridRow], *, is_whole: bool) -> bool:
    """Whether some of these rows are no records."""
    deque(arranged.records(rows, is_whole=is_whole, adds_up=False), maxlen=0)
    if arranged.filter.n_labels:
        deque(arranged.records(rows, is_whole=is_whole), maxlen=0)
    return arranged.filter.n_dropped > 0


def _first_parts(source: TextFile, encoding: str, options: ReadOptions) -> Iterator[tuple[bytes, bool]]:
    """Yields growing beginnings of the text (UTF-8, each eight times as long), and whether it is the whole text.

    Runs of 100 or more blank lines are shortened to two. A first part with less than three line ends is left out.
    """
    parts: list[bytes] = []
    n_read = n_kept = 0
    size = SAMPLE_SIZE
    for part in source.text(encoding, guessed=options.encoding is None):
        # the pattern holds the interpreter lock for a long time, so it is used only where it matches
        has_run = b"\n" * MANY_BLANK in part.translate(None, b" \t\r") or b"\r" * MANY_BLANK in part
        parts.append(BLANK_LINES.sub(lambda run: run[0][:1] * 2, part) if has_run else part)
        n_read, n_kept = n_read + len(part), n_kept + len(parts[-1])
        while n_read >= LONGEST_SAMPLE or n_kept >= size:
            sample = b"".join(parts)[:size]
            if size > SAMPLE_SIZE or sample.count(b"\n") + sample.count(b"\r") > 2:
                yield sample, False
            if size > LONGEST_SAMPLE:
                return
            size *= 8
    yield b"".join(parts), True


def raw_rows(source: TextFile, options: ReadOptions, most: int) -> list[tuple[int, tuple[str, ...]]]:
    """The first rows of a text as they stand, with their numbers, cut into cells as the options say."""
    encoding = options.encoding or recognise_encoding(source.head(SAMPLE_SIZE))
    lines = islice(_lines(islice(source.text(encoding, guessed=options.encoding is None), 1)), most)
    if options.delimiter is None:
        return [(number, (line.rstrip("\r\n"),)) for number, line in enumerate(lines, start=1)]
    return [(number, tuple(row)) for number, row in _numbered_rows(lines, options.delimiter, options.quote or "")]


def recognised_options(opening: FileHead, options: ReadOptions) -> ReadOptions:
    """The options with all recognised ones filled in."""
    layout = opening.layout
    missing: tuple[str, ...] = ()
    if options.missing is None:
        missing = marks_everywhere_missing(opening.cells, layout.numbers)
    arranged = opening.arranged
    return replace(
        options,
        **({} if arranged is None else arranged.layout.recognised),
        guesses=opening.guesses,
        delimiter=None if layout.widths else layout.delimiter,
        widths=layout.widths or None,
        decimal=layout.decimal,
        thousands=layout.thousands,
        encoding="utf-8" if layout.encoding == "utf-8-sig" else layout.encoding,
        quote=layout.quote,
        header=layout.header,
        missing=missing if options.missing is None else options.missing,
    )


def read_delimited(source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
    """The table in a file of delimited text; raises :class:`DataError` if there is none."""

    def attempt(encoding: str | None) -> Dataset:
        opening = opened(source, options, encoding)
        context.publish(recognised_options(opening, options))
        with helpers(context.executor, source.size > LARGEST_BLOCK) as executor:
            return DelimitedReading(source, context, options, opening, executor).table()

    return in_fitting_encoding(source, options.encoding, attempt)


class DelimitedReading:
    """The state of one reading of one file."""

    largest_block: ClassVar[int] = LARGEST_BLOCK
    """Largest number of bytes parsed at a time, since a stop has to wait for the blocks in progress."""

    def __init__(
        self,
        source: TextFile,
        context: RunContext,
        options: ReadOptions,
        opening: FileHead,
        executor: Executor | None,
        storage: Sequence[Storage] | None = None,
    ) -> None:
        """``storage`` of each column is chosen by the first records unless it is given."""
        self.context, self.options, self.opening = context, options, opening
        self.source = source if opening.arranged is None else opening.arranged.over(source)
        self.executor = executor
        self.layout = opening.layout
        self.columns: list[ColumnPieces] = [ColumnPieces() for _ in opening.names]
        self.unsure: set[int] = set()
        self._decodings: Decodings = {}
        self._storages: dict[tuple[object, ...], Storage] = {}
        self.forms: tuple[NumberFormat, ...] = ()
        """The number format of each column, after reading."""
        self._n_records = self._n_lines = self._first_line = 0
        chosen = storage or [self._storage(i, name) for i, name in enumerate(opening.names)]
        rest = [Storage.CODES] * (opening.n_fields - len(chosen))
        marks = marks_among_numbers(options.missing)
        self.plan = ParsingPlan(self.layout, (*chosen, *rest), marks, options.ragged, source.name)

    def table(self) -> Dataset:
        self.context.say(f"Reading {self.source.name}")
        fields = None if self.opening.n_fields == len(self.columns) else range(len(self.columns))
        for parsed in self.parsed(lambda block: parse(block, self.plan, fields)):
            if not self._n_records:
                self._first_line = parsed.block.first_line
            self._n_records += parsed.n_records
            last = parsed.block
            self._gather(parsed)
        if self._n_records == 0:
            raise DataError(f"{self.source.name} holds no records.", place=self.source.name)
        self._n_lines = last.first_line - self._first_line + count_bytes(last.data, b"\n")
        self._read_again()
        return self._inferred_table()

    def parsed(self, work: Callable[[TextBlock], Parsed]) -> Iterator[Parsed]:
        return in_order(self.executor, work, self._blocks(), self.context.checkpoint)

    def _blocks(self) -> Iterator[TextBlock]:
        guessed = self.options.encoding is None
        size = block_size(self.source, self.opening.n_fields, self.largest_block)
        if Storage.STRINGS in self.plan.storage:
            rows = self.opening.rows[:100]
            size = min(
                size,
                max(
                    SMALLEST_BLOCK // 4,
                    STRINGS_AT_A_TIME * (sum(len(cell) + 1 for row in rows for cell in row) // len(rows)),
                ),
            )
        pieces = self.source.text(self.layout.encoding, guessed=guessed)
        for block in blocks(pieces, self.layout.shape, size, self.source):
            self.context.advance(self.source.position, max(1, self.source.size))
            block = self._without_header(block) if block.index == 0 else block
            if block.data and not block.data.isspace():
                yield block

    def _without_header(self, block: TextBlock) -> TextBlock:
        lines = int(self.layout.title_line)
        # a carriage return inside a name ends no line, but csv.reader would reject it
        text = io.TextIOWrapper(io.BytesIO(block.data), "utf-8", newline="\n")
        text_lines = islice((line.replace("\r\n", "\n").replace("\r", " ") for line in text), lines, None)
        if self.layout.header:
            quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if self.layout.quote else csv.QUOTE_NONE
            reader = csv.reader(
                text_lines, delimiter=self.layout.delimiter, quotechar=self.layout.quote or None, quoting=quoting
            )
            while not any(cell.strip() for cell in next(reader, [" x"])):
                continue
            lines += reader.line_num
        rest = block.data.split(b"\n", lines)[-1] if lines else block.data
        return TextBlock(block.index, block.first_line + lines, rest)

    # ---- storage of columns ----------------------------------------------------------------------------------------

    def _storage(self, index: int, name: str) -> Storage:
        kind = self.options.kinds.get(name)
        if kind is not None:
            given = {
                AttributeKind.NUMERIC: Storage.NUMBERS,
                AttributeKind.NOMINAL: Storage.CODES,
                AttributeKind.ORDINAL: Storage.CODES,
            }
            return given.get(kind, Storage.STRINGS)
        cells = self.opening.cells[index]
        marks = marks_of_numbers(self.options.missing)
        values = [cell for cell in cells if cell not in marks]
        if not values:
            self.unsure.add(index)
            return Storage.NUMBERS
        if len(cells) > FEW_SPELLINGS:
            return self._storage_of(name, values, sum(cells.values()))
        key = (self.opening.hints[index], *values)
        storage = self._storages.get(key)
        if storage is None:
            storage = self._storages[key] = self._storage_of(name, values, len(self.opening.rows))
        return storage

    def _storage_of(self, name: str, values: Sequence[str], n_cells: int) -> Storage:
        """The storage for a column with these distinct values among its first cells."""
        recurring = len(values) <= 0.9 * n_cells or len(values) < 100
        if self.layout.numbers.match_all(values):
            spelled = is_code(name, values) or says_identifier(name) or says_code(name)
            if not spelled:
                many = len(values) > FEW_SPELLINGS or self._are_decimals_of_a_wide_table(values)
                return Storage.NUMBERS if many else Storage.CODES
        return Storage.CODES if recurring else Storage.STRINGS

    def _are_decimals_of_a_wide_table(self, values: Sequence[str]) -> bool:
        """Whether few numbers are no labels, and spellings of so many columns would cost more than they tell."""
        numbers, marks = self.layout.numbers, self.options.missing or ()
        wide = self.opening.n_fields > MANY_FIELDS and not any(map(numbers.matches, marks))
        return wide and any(numbers.decimal in value for value in values)

    def _gather(self, parsed: Parsed) -> None:
        changes: dict[int, Storage] = {}
        for index, gathered in enumerate(self.columns):
            gathered.add(parsed.pieces[index])
            if index in parsed.misfits:
                changes[index] = Storage.CODES
            elif self.plan.storage[index] is Storage.CODES:
                changed = self._outgrown(index, gathered)
                if changed is not None:
                    changes[index] = changed
        if changes:
            self.plan = self.plan.changed(changes)

    def _outgrown(self, index: int, gathered: ColumnPieces) -> Storage | None:
        """Another storage for a column whose dictionary became large; None to keep it."""
        size = len(gathered.code_of)
        name = self.opening.names[index]
        if size > MANY_SPELLINGS:
            return Storage.STRINGS
        if size > MANY_NUMBERS and name not in self.options.kinds and not gathered.stored_as(NumberPiece):
            values = [v for v in gathered.spellings if v not in ALL_MARKS]
            if self.layout.numbers.match_all(values) and not (is_code(name, values) or says_identifier(name)):
                return Storage.NUMBERS
        return None

    def _read_again(self) -> None:
        """Read those columns again that have numbers in some blocks and other spellings in others."""
        wanted = {i: g.stored_as(NumberPiece) for i, g in enumerate(self.columns) if self._spoiled(i, g)}
        if not wanted:
            return
        self.context.say(f"Reading {len(wanted)} of the columns of {self.source.name} again")
        spelled = {i: self._spelled_storage(self.columns[i]) for i in wanted}
        self._reread(wanted)
        plan = self.plan.changed(spelled)
        n_block = -1
        for parsed in self.parsed(lambda block: parse(block, plan, wanted)):
            n_block += 1
            for index, positions in wanted.items():
                if n_block in positions:
                    self.columns[index].replace(n_block, self._kept(index, parsed.pieces[index], n_block))

    def _reread(self, _indices: Collection[int]) -> None:
        """Called before the blocks of numbers of these columns are read again as texts."""

    def _kept(self, _index: int, piece: Piece, _n_block: int) -> Piece:
        """The part of a block's piece that is stored."""
        return piece

    def _spoiled(self, index: int, gathered: ColumnPieces) -> bool:
        numbers = gathered.stored_as(NumberPiece)
        if not numbers:
            return False
        if index in self.unsure:
            values = [piece.values for piece in gathered.pieces if isinstance(piece, NumberPiece)]
            distinct = np.unique(np.concatenate(values))
            return bool(np.count_nonzero(~np.isnan(distinct)) <= FEW_SPELLINGS) and not np.isnan(distinct).all()
        if gathered.stored_as(StringPiece):
            return True
        values_left = [v for v in gathered.spellings if v not in self.plan.missing]
        name = self.opening.names[index]
        if not self.layout.numbers.match_all(values_left):
            return True
        return self.options.kinds.get(name) is not AttributeKind.NUMERIC and is_code(name, values_left)

    def _spelled_storage(self, gathered: ColumnPieces) -> Storage:
        first = next(piece for piece in gathered.pieces if isinstance(piece, NumberPiece))
        distinct = len(np.unique(first.values[:10_000]))
        return Storage.STRINGS if distinct > 1000 else Storage.CODES

    # ---- inference of columns --------------------------------------------------------------------------------------

    def _inferred_table(self) -> Dataset:
        self.context.say(f"Looking at the values of {self.source.name}")
        columns = list(in_order(self.executor, self._column, range(len(self.columns)), self.context.checkpoint))
        inferred = with_class_first(columns, self.options)
        units = self.opening.units
        attributes = tuple(with_stated_unit(column.with_unit, units) for column in inferred)
        bad_values = bad_value_sentences(
            [(c.attribute, c.bad_value) for c in inferred if c.bad_value is not None], self._where
        )
        marks, values = marks_by_column(inferred, self.opening.cells.__getitem__)
        guesses = tuple(guess for column in inferred for guess in column.guesses)
        remarks = (
            *(*taken_sentences((*self.opening.guesses, *guesses)), *self.opening.remarks, *units_removed(inferred)),
            *(infinite_numbers(inferred), *marks, *bad_values),
        )
        description = " ".join(filter(None, remarks))
        self.forms = tuple(column.numbers if column.unit else self.layout.numbers for column in inferred)
        recognised = recognised_options(self.opening, self.options)
        left = tuple(mark for mark in recognised.missing or () if mark not in values)
        if self.options.missing is not None:
            left = recognised.missing or ()
        if guesses or left != recognised.missing or self.opening.arranged is not None:
            self.context.publish(replace(recognised, missing=left, guesses=(*recognised.guesses, *guesses)))
        origin = DataOrigin(self.source.path.stem, str(self.source.path), description)
        schema = with_guessed_class(Schema(attributes), self.options.class_name)
        return Dataset(schema, [column.values for column in inferred], origin=origin)

    def _where(self, record: int) -> str:
        """The line of a record as text; its number if records and lines do not correspond."""
        if self._n_lines == self._n_records:
            return f"line {self._first_line + record:,}"
        return f"record {record + 1:,}"

    def _column(self, index: int) -> InferredColumn:
        gathered, name = self.columns[index], self.opening.names[index]
        last = index == len(self.columns) - 1 and self.options.class_name in (None, name)
        column = inferred_column(
            name,
            last,
            gathered,
            self.layout.numbers,
            self.options,
            self.context.checkpoint,
            self._decodings,
            self.opening.hints[index],
            marks_are_known=self.layout.marks_are_known,
        )
        gathered.pieces.clear()
        given = name in self.options.kinds or last or not self.layout.header
        return column if given else identifier_if_counting(column, self.layout.names[index], self.context.checkpoint)


PASTED: Final = "pasted table"
"""Name of a pasted table."""
_COPY_AGAIN: Final = "Copy the cells of a table with their row of names, then paste again."


class TextSource(TextFile):
    """A text that is read like a file."""

    def __init__(self, text: str) -> None:
        content = text.encode("utf-8", "replace")
        self.path, self.name, self.size = Path(PASTED), PASTED, len(content)
        self._raw = self._file = io.BytesIO(content)
        self.packing = ""

    @property
    def subject(self) -> str:
        return "What was copied"


def read_text(text: str, context: RunContext, options: ReadOptions | None = None) -> Dataset:
    """The table in a text, recognised as in a file; raises :class:`DataError` for fewer than two columns."""
    given = replace(options or ReadOptions(), encoding="utf-8")
    with with_remedy(_COPY_AGAIN), TextSource(text) as source:
        if is_arff(source.head(SAMPLE_SIZE)):
            data = read_arff(source, context, given)
        elif is_libsvm(source, is_named=False):
            data = read_libsvm(source, context, given)
        else:
            _opened(source, given)
            data = read_delimited(source, context, given)
    return data.with_origin(replace(data.origin, path=None))


def sniff_text(text: str, options: ReadOptions | None = None) -> ReadOptions:
    """The options recognised in the text; those that ``options`` gives are kept."""
    given = replace(options or ReadOptions(), encoding="utf-8")
    with with_remedy(_COPY_AGAIN), TextSource(text) as source:
        if is_arff(source.head(SAMPLE_SIZE)) or is_libsvm(source, is_named=False):
            return replace(given, encoding=None)
        return replace(recognised_options(_opened(source, given), given), encoding=None)


def _opened(source: TextFile, options: ReadOptions) -> FileHead:
    if not source.head(SAMPLE_SIZE).strip():
        raise DataError("There is no text to paste.", place=PASTED)
    refuse_foreign_text(source.head(SAMPLE_SIZE).decode("utf-8", "ignore"), source)
    if len(source.head(SAMPLE_SIZE).strip().splitlines()) < 2:
        raise DataError("What was copied is no table: it has one line only.", place=PASTED)
    opening = opened(source, options)
    if len(opening.names) < 2:
        raise DataError("What was copied is no table: it has one column only.", place=PASTED)
    return opening
