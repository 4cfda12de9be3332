"""Recognition of the layout of a text table: encoding, delimiter, quotes, decimal and thousands marks, header."""

from __future__ import annotations

import codecs
import csv
import io
import re
import sys
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.data.number_formats import MINUS, NumberFormat, unit_of, without_unit
from algorithms.io.missing_marks import STRONG, WEAK
from algorithms.io.text.options import ReadOptions, refuse_too_wide
from algorithms.io.text.text_source import RULE, UNIT_SEPARATOR, RecordFormat, cut_by_width, with_single_blanks

SAMPLE_SIZE: Final = 1 << 18
SAMPLE_ROWS: Final = 300
LONGEST_LINE: Final = 1 << 20
"""Largest sum of the widths of columns, in characters."""
_LINES_COMPARED: Final = 1000
_LONGEST_COMPARED: Final = 4000
_ALIGNED: Final = 0.9
"""Share of the texts of a column that begin or end at one position if it is aligned there."""
_CONSISTENT: Final = 0.95
TITLE: Final = re.compile(r"sep=(.)[\n\r]")
"""Matches a first line that tells spreadsheets the delimiter."""

# fields of several megabytes are valid; the limit is global to the process and protects nothing here
csv.field_size_limit(min(sys.maxsize, 2**31 - 1))

_BYTE_ORDER_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class TextLayout:
    """Parameters for splitting a text table into fields."""

    encoding: str
    delimiter: str
    quote: str
    decimal: str
    thousands: str
    header: bool
    carriage_returns: bool
    names: tuple[str, ...]
    first_column_unnamed: bool = False
    trailing_delimiter: bool = False
    title_line: bool = False
    marks_are_known: bool = True
    """Whether the decimal mark was given or recognised; otherwise it is assumed."""
    widths: tuple[int, ...] = ()
    """Widths of columns of fixed width in characters; empty for delimited text."""
    widths_are_given: bool = False

    @property
    def shape(self) -> RecordFormat:
        delimiter, quote, is_blank = self.delimiter.encode("utf-8"), self.quote.encode("utf-8"), self.delimiter == " "
        uncut = not self.widths_are_given
        return RecordFormat(delimiter, quote, self.carriage_returns, is_blank, self.widths, uncut)

    @cached_property
    def numbers(self) -> NumberFormat:
        return NumberFormat(self.decimal, self.thousands)


def refuse_binary(head: bytes, name: str) -> None:
    """Raise :class:`DataError` if the first bytes of a file are no text."""
    if head.startswith(b"PK\x03\x04"):
        raise DataError(f"{name} is a packed archive.", remedy="Unpack it and open the table in it.", place=name)
    marked = any(head.startswith(mark) for mark, _ in _BYTE_ORDER_MARKS)
    if not marked and _utf16_without_mark(head) is None:
        controls = sum(head.count(bytes([code])) for code in (*range(9), *range(14, 27), *range(28, 32)))
        if b"\x00" in head[:8192] or controls > len(head) // 100:
            raise DataError(f"{name} is not a text file.", place=name)


def recognise_encoding(head: bytes) -> str:
    """The encoding of a text that begins with these bytes."""
    for mark, encoding in _BYTE_ORDER_MARKS:
        if head.startswith(mark):
            return encoding
    wide = _utf16_without_mark(head)
    if wide is not None:
        return wide
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return "latin-1" if any(code in head for code in b"\x81\x8d\x8f\x90\x9d") else "cp1252"
    return "utf-8"


def _utf16_without_mark(head: bytes) -> str | None:
    part = head[:2000]
    if len(part) < 4:
        return None
    even, odd = part[0::2].count(0), part[1::2].count(0)
    if odd > 0.4 * len(part) / 2 and even == 0:
        return "utf-16-le"
    if even > 0.4 * len(part) / 2 and odd == 0:
        return "utf-16-be"
    return None


def recognise(
    sample: bytes, whole: bool, options: ReadOptions, encoding: str, name: str
) -> tuple[TextLayout, list[list[str]]]:
    """The layout and the rows of a text table from its first part (UTF-8; ``whole`` if it is the whole text).

    Values in ``options`` are not questioned. Raises :class:`DataError` if there is no record.
    """
    text = sample.decode("utf-8", "ignore")
    returns = "\n" not in text and "\r" in text
    text = with_line_feeds(text, returns)
    if not text.strip():
        raise DataError(f"{name} is empty.", remedy="Choose a file that holds a table.", place=name)
    title = TITLE.match(text)
    delimiter = options.delimiter if options.delimiter is not None else (title.group(1) if title else None)
    if title:
        text = text[title.end() :]
    quote = _quote(text) if options.quote is None else options.quote
    widths: tuple[int, ...] = ()
    if options.widths is not None or delimiter is None:
        widths, delimiter = _widths_or_delimiter(text, whole, quote, options.widths, name)
    if widths:
        quote, text = "", cut_by_width(f"{text}\n".encode(), widths).decode("utf-8")
    _refuse_marks(delimiter, quote, declared=options.delimiter is None and title is not None, name=name)
    rows = split_rows(text, delimiter, quote, whole)
    if not rows:
        raise DataError(f"{name} holds no records.", remedy="Choose a file that holds a table.", place=name)
    refuse_too_wide(max(map(len, rows)), name)
    decimal, thousands, marks_are_known = marks_in_numbers(rows, delimiter, options)
    _refuse_marks_in_numbers(decimal, thousands, name)
    layout = TextLayout(
        encoding=encoding,
        delimiter=delimiter,
        quote=quote,
        decimal=decimal,
        thousands=thousands,
        header=False,
        carriage_returns=returns,
        names=(),
        title_line=title is not None,
        marks_are_known=marks_are_known,
        widths=widths,
        widths_are_given=bool(options.widths),
    )
    header = has_header(rows, layout.numbers) if options.header is None else options.header
    return _with_names(replace(layout, header=header), rows), rows


def with_line_feeds(text: str, carriage_returns: bool) -> str:
    """The text with line feeds as line ends; lone carriage returns are replaced only with ``carriage_returns``."""
    text = text.replace("\r\n", "\n")
    return text.replace("\r", "\n") if carriage_returns else text


def _refuse_marks_in_numbers(decimal: str, thousands: str, name: str) -> None:
    """Raise :class:`DataError` for marks that no number has: digits, letters, signs, or one mark for both."""
    if decimal not in (".", ","):
        raise DataError(f"{decimal!r} cannot be the decimal mark.", remedy="Choose a point or a comma.", place=name)
    if thousands and (len(thousands) > 1 or thousands.isalnum() or thousands in "+-\n\r" or thousands == decimal):
        raise DataError(
            f"{thousands!r} cannot be the mark between thousands.",
            remedy="Choose another mark, or none.",
            place=name,
        )


def _refuse_marks(delimiter: str, quote: str, *, declared: bool, name: str) -> None:
    """Raise :class:`DataError` unless delimiter and quote (which may be empty) are different ASCII characters."""
    for what, mark, may_be_none in (("delimiter", delimiter, False), ("quote", quote, True)):
        if (mark or may_be_none) and len(mark) <= 1 and mark.isascii() and mark not in ("\n", "\r", "\0"):
            continue
        by_file = declared and what == "delimiter"
        raise DataError(
            f"{mark!r} cannot be the {what} of a table: it must be one ASCII character.",
            remedy="Write another delimiter into the first line of the file, or choose one."
            if by_file
            else f"Choose another {what}.",
            place=f"{name}, line 1" if by_file else name,
        )
    if delimiter == quote:
        raise DataError(
            f"{quote!r} cannot be both the delimiter and the quote.", remedy="Choose another of the two.", place=name
        )


def split_rows(text: str, delimiter: str, quote: str, whole: bool) -> list[list[str]]:
    """The first records of a text as lists of fields, without blank lines and a last one that may be cut off."""
    if delimiter == " ":
        text = with_single_blanks(text.encode("utf-8")).decode("utf-8")
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=delimiter,
        quotechar=quote or None,
        quoting=csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE,
        skipinitialspace=True,
    )
    rows: list[list[str]] = []
    for row in reader:
        if row and not (len(row) == 1 and not row[0].strip() and delimiter != "\n"):
            rows.append(row)
        if len(rows) > SAMPLE_ROWS:
            return rows[:-1]
    return rows if whole or len(rows) < 3 else rows[:-1]


def _quote(text: str) -> str:
    singles = len(re.findall(r"(?:^|[,;\t|])'[^'\n]*'(?=[,;\t|\n]|$)", text[:65536], re.M))
    doubles = text.count('"', 0, 65536)
    return "'" if singles > 0 and doubles == 0 else '"'


def _delimiter(text: str, whole: bool, quote: str) -> tuple[str, int, float]:
    """The delimiter that gives the records the same number of fields, more than one; this number, share of records.

    Number and share are 0 if there is no such delimiter.
    """
    best, best_width, best_share = "", 0, 0.0
    for delimiter in "\t;|, ":
        if delimiter not in text:
            continue
        widths = [len(row) for row in split_rows(text[:65536], delimiter, quote, whole and len(text) <= 65536)[:200]]
        if not widths:
            continue
        width, count = Counter(widths).most_common(1)[0]
        first_fits = widths[0] in (width, width - 1) and widths[0] > 1
        share = count / len(widths) - (0.0 if first_fits else 0.4)
        needed = 0.95 if delimiter == " " else 0.3
        if width > 1 and share > max(best_share + 1e-9, needed) and not (delimiter == " " and best_share > 0.5):
            best, best_width, best_share = delimiter, width, share
    if best:
        return best, best_width, best_share
    unused = next(mark for mark in f",\t;|{UNIT_SEPARATOR}" if mark not in text or mark == UNIT_SEPARATOR)
    return unused, 0, 0.0


def _widths_or_delimiter(
    text: str, whole: bool, quote: str, given: tuple[int, ...] | None, name: str
) -> tuple[tuple[int, ...], str]:
    """Widths of columns and the separator put between them, or () and the delimiter of the text."""
    if given:
        _refuse_widths(given, name)
        return given, UNIT_SEPARATOR
    delimiter, n_fields, share = (UNIT_SEPARATOR, 0, 0.0) if given == () else _delimiter(text, whole, quote)
    gutters, last = _gutters(text, whole)
    if given == () and not gutters:
        raise DataError(
            f"No column of blanks runs through all lines of {name}.",
            remedy="Give the widths of its columns.",
            place=name,
        )
    if not gutters or not _is_of_fixed_width(text, gutters, delimiter, n_fields, share):
        return (), delimiter
    borders = [0, *(gutter.border for gutter in gutters)]
    return (*(b - a for a, b in pairwise(borders)), max(1, last - borders[-1])), UNIT_SEPARATOR


def _refuse_widths(widths: Sequence[int], name: str) -> None:
    """Raise :class:`DataError` for widths that no line has, or that are too many."""
    refuse_too_wide(len(widths), name)
    if min(widths) < 1 or sum(widths) > LONGEST_LINE:
        raise DataError(
            "These cannot be the widths of columns.",
            remedy=f"Give a whole number from 1 for each column, {LONGEST_LINE:,} in all at most.",
            place=name,
        )


@dataclass(frozen=True)
class Gutter:
    """Positions from ``start`` until ``end`` that are blank in all lines; ``border`` begins the next column.

    ``beside`` counts the characters next to it: the last one before and the first one after it in a line.
    """

    start: int
    end: int
    border: int
    beside: Counter[str]


def _gutters(text: str, whole: bool) -> tuple[list[Gutter], int]:
    """The columns of blanks that run through all lines of a sample, and the length of the longest line.

    A single blank counts if six lines have text beyond it; more blanks if two have. So texts of a language have none.
    """
    lines = [line.rstrip() for line in text.split("\n")]
    lines = [line for line in (lines if whole else lines[:-1]) if line and not RULE.fullmatch(line)][:_LINES_COMPARED]
    last = max(map(len, lines), default=0)
    if len(lines) < 3 or last > _LONGEST_COMPARED or "\t" in text or UNIT_SEPARATOR in text:
        return [], last
    padded = "".join(line.ljust(last) for line in lines).encode("utf-32-le")
    filled = np.frombuffer(padded, dtype="<u4").reshape(len(lines), last) != ord(" ")
    columns = _columns_of_text(filled)
    gutters: list[Gutter] = []
    for (first, start), (end, stop) in pairwise(columns):
        n_beyond = np.count_nonzero(filled[:, end:].any(axis=1))
        if n_beyond < max(2 if end - start > 1 else 6, 0.05 * len(lines)):
            continue
        sides = [(line[:start].rstrip()[-1:], line[end:].lstrip()[:1]) for line in lines[:100]]
        beside = Counter(mark for pair in sides for mark in pair)
        gutters.append(Gutter(start, end, _border(filled[1:], first, start, end, stop), beside))
    is_certain = len(gutters) > 1 or any(gutter.end - gutter.start > 1 for gutter in gutters)
    return gutters if is_certain else [], last


def _columns_of_text(filled: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """First position and end of each column of text; a second word of a heading above nothing belongs to its column."""
    used = np.concatenate(([False], filled.any(axis=0), [False]))
    edges = np.flatnonzero(used[1:] != used[:-1]).tolist()
    columns: list[tuple[int, int]] = []
    is_heading = False
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        was_heading, is_heading = is_heading, not filled[1:, start:end].any()
        if columns and start - columns[-1][1] == 1 and (is_heading or was_heading):
            columns[-1] = columns[-1][0], end
            is_heading = is_heading and was_heading
        else:
            columns.append((start, end))
    return columns


def _border(filled: NDArray[np.bool_], first: int, start: int, end: int, stop: int) -> int:
    """Where to cut a gutter, so that longer values further on fit: far from the side on which texts grow."""
    after, before = filled[filled[:, end:stop].any(axis=1), end], filled[filled[:, first:start].any(axis=1), start - 1]
    if len(after) and after.mean() > _ALIGNED:
        return end
    return start if len(before) and before.mean() > _ALIGNED else (start + end + 1) // 2


def _is_of_fixed_width(text: str, gutters: Sequence[Gutter], delimiter: str, n_fields: int, share: float) -> bool:
    """Whether columns of blanks explain a text better than the delimiter that gives ``share`` of it ``n_fields``."""
    if not n_fields:
        return True
    if delimiter == " ":
        counts = {len(line.split()) for line in text.split("\n")[1:-1] if line and not line.isspace()}
        is_uneven = len(counts) > 1 and len(gutters) + 1 == n_fields
        return (is_uneven or len(gutters) + 1 > n_fields) and not set("\"'") & set(text)
    if any(gutter.beside[delimiter] > 5 for gutter in gutters) or all(g.end - g.start == 1 for g in gutters):
        return False  # the delimiter is followed or preceded by blanks
    return share < _CONSISTENT or (delimiter == "," and len(gutters) + 1 > n_fields)


def marks_in_numbers(rows: Sequence[Sequence[str]], delimiter: str, options: ReadOptions) -> tuple[str, str, bool]:
    """Decimal and thousands mark ("" for none) below the first row, and whether the decimal mark is certain."""
    decimal, thousands = options.decimal, options.thousands
    if decimal is not None and thousands is not None:
        return decimal, thousands, True
    cells = Counter(cell.strip() for row in rows[1:101] for cell in row)
    counts: Counter[str] = Counter()
    is_known = decimal is not None or delimiter == ","
    for cell, n in cells.items():
        style = _number_style(cell)
        counts[style] += n
        is_known = is_known or (style in _TELLING and _EITHER.fullmatch(cell) is None)
    if decimal is None:
        commas = counts["1,5"] + counts["1.000,5"] + (counts["1,000"] if delimiter != "," else 0)
        points = counts["1.5"] + counts["1,000.5"]
        decimal = "," if commas > points and delimiter != "," else "."
        if delimiter == "," and counts["1,5"] > 0 and counts["1,5"] > points:
            decimal = ","
    if thousands is None:
        grouped = counts["1,000.5"] + counts["1,000"] if decimal == "." else counts["1.000,5"]
        against = counts["1,5"] if decimal == "." else counts["1.5"]
        thousands = ("," if decimal == "." else ".") if grouped > against else ""
    return decimal, thousands, is_known


_STYLES: Final = (
    ("1,000", r"[+-]?[1-9]\d{0,2}(?:,\d{3})+"),
    ("1,000.5", r"[+-]?[1-9]\d{0,2}(?:,\d{3})+\.\d+"),
    ("1.000,5", r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+,\d+"),
    ("1,5", r"[+-]?\d+,\d*(?:[eE][+-]?\d+)?"),
    ("1.5", r"[+-]?\d*\.\d+(?:[eE][+-]?\d+)?"),
)
_ANY_STYLE: Final = re.compile("|".join(f"({pattern})" for _, pattern in _STYLES))
"""Matches a number of any style in the group of the first that fits."""
_TELLING: Final = ("1,000.5", "1.000,5", "1,5", "1.5")
"""Styles that determine the decimal mark."""
_EITHER: Final = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")
"""Matches a number whose mark may be a thousands or a decimal mark."""


def is_styled_number(cell: str) -> bool:
    """Whether a text is a number with a decimal or thousands mark, or with a unit."""
    return bool(_number_style(cell)) or bool(unit_of(cell))


def _number_style(cell: str) -> str:
    """The style of the marks in a cell, a name in ``_STYLES``; "" if it has none or is ambiguous."""
    if "," not in cell and "." not in cell:
        return ""
    style = "" if cell[:1].isalpha() or len(cell) > 30 else _plain_style(cell)
    if style or (cell[:1].isdigit() and cell[-1:].isdigit()):
        return style
    digits = without_unit(cell)
    return "" if digits == cell or _EITHER.fullmatch(digits) else _plain_style(digits)


def _plain_style(cell: str) -> str:
    match = _ANY_STYLE.fullmatch(cell.replace(MINUS, "-"))
    return _STYLES[match.lastindex - 1][0] if match and match.lastindex else ""


def marks_everywhere_missing(columns: Sequence[Collection[str]], numbers: NumberFormat) -> tuple[str, ...]:
    """The markers among the first cells of the columns that stand for missing values wherever they occur.

    Weak markers do so only among numbers; of these only the dashes are considered.
    """
    strong, weak = {*STRONG}, {*WEAK}
    marks: set[str] = set()
    values: set[str] = set()
    for cells in columns:
        dashes = {mark for mark in WEAK[:3] if mark in cells}
        marks.update(dashes, strong.intersection(cells))
        if dashes:
            rest = [cell for cell in cells if cell not in strong and cell not in weak]
            if not rest or not all(numbers.matches(cell) or unit_of(cell) for cell in rest):
                values |= dashes
    return tuple(mark for mark in (*STRONG, *WEAK) if mark in marks - values)


def has_header(rows: Sequence[Sequence[str]], numbers: NumberFormat) -> bool:
    """Whether the first record looks like names, by its cells and those below.

    Numbers among them must be consecutive beside words, as years are. A word that recurs in its column is no name,
    unless an earlier column holds only numbers below.
    """
    first, rest = rows[0], rows[1:]
    names = [cell.strip() for cell in first]
    is_number = cache(numbers.matches)
    if any(map(unit_of, {*names})):
        return False
    if any(map(is_number, {*names})):
        return _counts_beside_a_name(names, rest, numbers)
    if any(cell in STRONG for cell in names[1:] if cell) or not any(names):
        return False
    if not rest:
        return True
    for index, cell in enumerate(names):
        below = [row[index].strip() for row in rest if index < len(row)]
        present = [value for value in below if value not in STRONG]
        if present and all(map(is_number, present)):
            return True
        if cell and cell in below:
            return False
    return True


def _counts_beside_a_name(names: Sequence[str], rest: Sequence[Sequence[str]], numbers: NumberFormat) -> bool:
    """Whether the first record holds consecutive numbers (1990, 1991, 1992) and words that do not occur below them."""
    counted = [numbers.parse(cell) for cell in names if numbers.matches(cell)]
    if len(counted) < 2 or any(b - a != 1 for a, b in pairwise(counted)):
        return False
    words = {index: cell for index, cell in enumerate(names) if cell and not numbers.matches(cell)}
    below = {index: [row[index].strip() for row in rest if index < len(row)] for index in words}
    if not words or any(cell in below[index] for index, cell in words.items()):
        return False
    return any(2 * len(set(values)) <= len(values) for values in below.values())


def _with_names(layout: TextLayout, rows: Sequence[Sequence[str]]) -> TextLayout:
    body = rows[1:] if layout.header else rows
    width = len(rows[0])
    if layout.header and body and all(len(row) == width + 1 for row in body):
        if all(row[-1].strip() == "" for row in body):
            layout = replace(layout, trailing_delimiter=True)
        else:
            layout, width = replace(layout, first_column_unnamed=True), width + 1
    elif width > 1 and all(len(row) == width and not row[-1].strip() for row in rows):
        layout, width = replace(layout, trailing_delimiter=True), width - 1
    given = [cell.strip() for cell in rows[0]] if layout.header else []
    if layout.first_column_unnamed:
        given.insert(0, "")
    return replace(layout, names=tuple(given[i] if i < len(given) else "" for i in range(width)))


def distinct_names(names: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Distinct names for all columns, and a sentence for each one that had to be changed."""
    taken, renamed, sentences = set(names), list[str](), list[str]()
    seen: set[str] = set()
    numbered: Counter[str] = Counter()
    for position, name in enumerate(names, start=1):
        chosen = base = name or f"Column {position}"
        while chosen in seen or (chosen != name and chosen in taken):
            numbered[base] += 1
            chosen = f"{base} ({numbered[base] + 1})"
        if name and chosen != name:
            sentences.append(f"Two columns are named {name!r}; column {position} is called {chosen!r} here.")
        seen.add(chosen)
        renamed.append(chosen)
    return tuple(renamed), tuple(sentences)
