"""Options for reading a text table, their description in words, and the style in which a table is written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from algorithms.core.errors import DataError
from algorithms.data.schema import AttributeKind
from algorithms.text.names import shortened

REFUSE: Final = "refuse"
PAD: Final = "pad"
MOST_MINUTES: Final = 10_080
"""Longest timeout of a session: a week."""
MOST_COLUMNS: Final = 1 << 16
"""Largest number of columns: each costs 0.03 to 0.15 ms and 2 KB, so this many take about 2 to 9 s."""


def refuse_too_wide(n_columns: int, place: str) -> None:
    """Raise :class:`DataError` if a table has more than ``MOST_COLUMNS`` columns."""
    if n_columns > MOST_COLUMNS:
        raise DataError(
            f"The table has more than {MOST_COLUMNS:,} columns.",
            remedy="Is the delimiter right, and has each record a line of its own? Else leave columns out of the file.",
            place=place,
        )


@dataclass(frozen=True)
class ReadOptions:
    """The options for reading a file; None (or empty) stands for automatic recognition.

    ==============  ===============================================================================================
    field           meaning
    ==============  ===============================================================================================
    delimiter       one character between fields; a blank stands for any run of blanks and tabs
    decimal         decimal mark, "." or ","
    thousands       thousands mark, ignored in numbers; "" for none
    encoding        an encoding that Python knows: "utf-8", "cp1252", "utf-16"
    quote           one character around fields; "" if quotes have no meaning
    header          whether the first row holds the names
    missing         the exact missing markers of all columns
    kinds           the kinds of the named columns
    class_name      the class; "" for none
    sheet           the sheet of a workbook, or the table of a database
    query           the SELECT statement whose result is read from a database, instead of a table
    ragged          rows of unequal length: "refuse", or "pad", which fills short ones and cuts long ones
    allows_http     whether a web address may be one without encryption
    timeout         minutes without a request that end a session of a web log
    widths          widths of columns of fixed width, in characters; the last reaches to the end of the line. ()
                    stands for fixed width with recognised borders
    ==============  ===============================================================================================
    """

    delimiter: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    quote: str | None = None
    header: bool | None = None
    missing: tuple[str, ...] | None = None
    kinds: Mapping[str, AttributeKind] = field(default_factory=dict)
    class_name: str | None = None
    ragged: str = REFUSE
    sheet: str | None = None
    query: str | None = None
    timeout: float | None = None
    widths: tuple[int, ...] | None = None
    allows_http: bool = False


_TOKENS: Final = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*` | (?P<tag>\$\w*\$).*?(?P=tag) | (?P<comment>--[^\n]* | /\*.*?\*/)
    | (?P<word>[A-Za-z_]\w*) | (?P<end>;)""",
    re.S | re.X,
)
_BEGINNINGS: Final = ("select", "with", "values", "table", "from")


def single_select(query: str, place: str) -> str:
    """The statement without a semicolon at its end; raises :class:`DataError` unless it is one that only reads.

    This says early and plainly what databases refuse too: each runs it in a transaction that can only read.
    """
    text, remedy = query.strip().rstrip("; \t\r\n"), "Write one statement that begins with SELECT or WITH."
    tokens = [match for match in _TOKENS.finditer(text) if match["comment"] is None]
    if any(match["end"] for match in tokens):
        raise DataError("The query consists of several statements.", remedy=remedy, place=place)
    first = tokens[0]["word"] if tokens else None
    if first is None or first.lower() not in _BEGINNINGS:
        raise DataError("The query is no SELECT statement.", remedy=remedy, place=place)
    return text


MOST_OF_QUERY: Final = 60
"""Number of characters of a query that a description shows."""
DELIMITERS: Final = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars", " ": "blanks", ":": "colons"}
ENCODINGS: Final = {
    "utf-8": "UTF-8",
    "utf-8-sig": "UTF-8",
    "utf-16": "UTF-16",
    "utf-16-le": "UTF-16",
    "utf-16-be": "UTF-16",
    "cp1252": "Western European (Windows)",
    "latin-1": "Western European (Latin 1)",
    "ascii": "plain ASCII",
}

_MARKS: Final = {",": "commas", ".": "points", " ": "blanks", "'": "apostrophes"}


def widths_in(text: str) -> tuple[int, ...]:
    """The widths in a text such as "10, 5, 8"; what is no whole number becomes 0, which no reading takes."""
    parts = text.replace(",", " ").split()
    return tuple(int(part) if part.isdecimal() and len(part) < 9 else 0 for part in parts)


def describe(options: ReadOptions, sheet_word: str = "sheet") -> str:
    """The recognised options in one line: "semicolons, decimal comma, UTF-8, names in the first row, ? for missing"."""
    words = []
    if options.query is not None:
        words.append(f"the query {shortened(' '.join(options.query.split()), MOST_OF_QUERY)}")
    elif options.sheet is not None:
        words.append(f"{sheet_word} {options.sheet}")
    if options.delimiter is not None:
        words.append(DELIMITERS.get(options.delimiter, f"{options.delimiter} between fields"))
    if options.widths is not None:
        words.append(f"fixed width ({', '.join(map(str, options.widths))})" if options.widths else "fixed width")
    if options.decimal is not None:
        words.append("decimal comma" if options.decimal == "," else "decimal point")
    if options.thousands:
        words.append(f"{_MARKS.get(options.thousands, options.thousands)} between thousands")
    if options.encoding is not None:
        words.append(ENCODINGS.get(options.encoding, options.encoding))
    if options.quote not in (None, "", '"'):
        words.append(f"{options.quote} as quotes")
    if options.header is not None:
        words.append("names in the first row" if options.header else "no row of names")
    if options.missing:
        marks = [mark if mark else "an empty field" for mark in options.missing]
        words.append(f"{', '.join(marks)} for missing")
    if options.timeout is not None:
        words.append(f"sessions of a web log, {options.timeout:g} min timeout")
    return ", ".join(words)


@dataclass(frozen=True)
class Style:
    """The delimiter and decimal mark of a CSV file. With ``signed`` it begins with the byte order mark of UTF-8.

    With ``neutral``, text that spreadsheets read as a formula gets an apostrophe in front. It is off by default, as in
    pandas, R and Weka, since reading the file then gives other values. ``table`` and ``existing`` concern databases:
    the table's name (default: that of the data), and what becomes of one that exists (a key of :data:`EXISTING`).
    """

    delimiter: str = ","
    decimal: str = "."
    signed: bool = False
    neutral: bool = False
    table: str = ""
    existing: str = "rename"


EXISTING: Final = {
    "refuse": "write nothing",
    "replace": "replace the table",
    "append": "append the records, by names of columns",
    "rename": "give the new table a free name",
}
"""What is done if a database has a table of the name already."""
PLAIN: Final = Style()
