"""Options for reading a text table, their description in words, and the style in which a table is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Final

from algorithms.core.errors import DataError
from algorithms.data.schema import AttributeKind, Schema
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
    first_row       row of the file or sheet, from 1, that begins the table: its names, or its first record
    head_rows       number of rows with the names, which are joined by " / "
    units           whether the row below the names holds units
    table           number of the table, from 1, if a sheet or file holds several; 0 reads all as one
    totals          whether rows of totals are records
    notes           whether notes below the table, and names that are repeated in it, are records
    dates           order of the dates in the named columns, a key of :data:`DATE_ORDERS`
    missing_in      further missing markers of the named columns
    sample          largest number of records; of a longer file a random sample is read, see :mod:`.sampling`
    sample_seed     seed of the sample
    guesses         what the reading took from the file without being told (recognised options only)
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
    first_row: int | None = None
    head_rows: int | None = None
    units: bool | None = None
    table: int | None = None
    totals: bool | None = None
    notes: bool | None = None
    dates: Mapping[str, str] = field(default_factory=dict)
    missing_in: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sample: int | None = None
    sample_seed: int = 1
    guesses: tuple[Guess, ...] = field(default=(), compare=False)

    @property
    def for_other_files(self) -> ReadOptions:
        """Those of the options that do not belong to one file alone."""
        return replace(self, query=None, allows_http=False, sample=None, sample_seed=1)

    def sampled_as(self, other: ReadOptions | None) -> ReadOptions:
        """These options with the sample of others."""
        return self if other is None else replace(self, sample=other.sample, sample_seed=other.sample_seed)


@dataclass(frozen=True)
class FileReading:
    """How a table was read, for the next file of the same make: options, and the kind of each column by name."""

    options: ReadOptions
    kinds: Mapping[str, AttributeKind]

    @classmethod
    def of(cls, given: ReadOptions, recognised: ReadOptions, kinds: Mapping[str, AttributeKind]) -> FileReading:
        """The given options, and of the recognised ones those that another file could leave open.

        A class, a query, a sample and the permission of a web address without encryption belong to one file alone.
        """
        own = {name: getattr(recognised, name) for name in _KEPT if getattr(given, name) is None}
        return cls(replace(given.for_other_files, **own, class_name=None, guesses=()), kinds)

    def under(self, given: ReadOptions) -> ReadOptions:
        """The options for another file, for which some are given."""
        usual = ReadOptions()
        names = (each.name for each in fields(ReadOptions))
        own = {name: value for name in names if (value := getattr(given, name)) != getattr(usual, name)}
        return replace(self.options, **own)

    def misfits(self, schema: Schema) -> tuple[str, ...]:
        """The columns that a table lacks, or in which it has no numbers or dates where there were some."""
        given = {attribute.name: attribute.kind for attribute in schema.attributes}
        return tuple(
            name
            for name, kind in self.kinds.items()
            if name not in given or (kind.is_float and given[name] is not kind)
        )


_KEPT: Final = ("delimiter", "decimal", "header")


@dataclass(frozen=True)
class OtherReading:
    """Another reading, chosen by one click: the fields of :class:`ReadOptions` that it changes.

    Mappings are added to those of the options. ``argument`` is the same choice for ``--read`` of the command line.
    """

    label: str
    changes: Mapping[str, Any]
    argument: str

    def applied(self, options: ReadOptions) -> ReadOptions:
        """The options with the changes."""
        changes = dict(self.changes)
        for name in ("kinds", "dates", "missing_in"):
            if name in changes:
                changes[name] = {**getattr(options, name), **changes[name]}
        return replace(options, **changes)


@dataclass(frozen=True)
class Guess:
    """What a reading took from the file, or only suggests, and why; ``key`` tells it from others of the file.

    ``sentence`` says both the choice and its reason. With ``is_question`` nothing was done: the user has to choose.
    What is usual (names in the first row) the command line does not mention.
    """

    key: str
    sentence: str
    corrections: tuple[OtherReading, ...]
    is_question: bool = False
    is_usual: bool = False
    rows: tuple[int, ...] = ()
    """The numbers of the rows that it is about."""


def header_guess(header: bool, row: int) -> Guess:
    """The guess whether the first row of a table, with this number, holds the names."""
    if header:
        why = "it has words where the rows below have numbers, or words that do not come again"
        sentence = f"Row {row} holds the names: {why}."
        return Guess(
            "names", sentence, (OtherReading("It is a record", {"header": False}, "header=no"),), False, True, (row,)
        )
    sentence = f"Row {row} is a record: it has numbers, or words of the rows below."
    return Guess(
        "names", sentence, (OtherReading("It holds the names", {"header": True}, "header=yes"),), is_usual=True
    )


def taken_sentences(guesses: Iterable[Guess]) -> list[str]:
    """The sentences on what was taken from a file that is not usual."""
    return [guess.sentence for guess in guesses if not guess.is_question and not guess.is_usual]


def decimal_guess(decimal: str, thousands: str) -> tuple[Guess, ...]:
    """The guess of a decimal comma, or of a mark between thousands; empty for plain numbers."""
    guesses = []
    if decimal == ",":
        correction = OtherReading("Decimal point", {"decimal": "."}, "decimal=.")
        sentence = "Numbers have a decimal comma: more numbers fit it than a decimal point."
        guesses.append(Guess("decimal", sentence, (correction,), is_usual=True))
    if thousands:
        correction = OtherReading("None between thousands", {"thousands": ""}, "thousands=")
        sentence = f"{_MARKS.get(thousands, thousands).capitalize()} stand between thousands: three digits follow each."
        guesses.append(Guess("thousands", sentence, (correction,), is_usual=True))
    return tuple(guesses)


DATE_ORDERS: Final = {"dmy": "Day first", "mdy": "Month first"}
_MARK_NAMES: Final = ("delimiter", "decimal", "thousands", "encoding", "sheet")
_ROW_NUMBERS: Final = {"first-row": ("first_row", 1), "head-rows": ("head_rows", 1), "table": ("table", 0)}
_YES: Final = {"yes": True, "no": False}
_KEEP: Final = {"keep": True, "drop": False}
_SWITCHES: Final = {"header": _YES, "units": _YES, "totals": _KEEP, "notes": _KEEP}
READ_FORMS: Final = (
    "delimiter=, decimal=, thousands=, encoding=, header=yes|no, first-row=N, head-rows=N, units=yes|no, table=N, "
    "totals=keep|drop, notes=keep|drop, sheet=NAME, missing=A,B, missing:COLUMN=A,B, "
    "kind:COLUMN=KIND, dates:COLUMN=dmy|mdy"
)
"""What ``--read`` of the command line takes."""


def read_options(words: Iterable[str], options: ReadOptions) -> ReadOptions:
    """The options with those that the command line names, such as "first-row=4" or "dates:Day=dmy".

    Raises ``ValueError`` with a sentence for a word that is none of them.
    """
    for word in words:
        left, equals, value = (
            word.rpartition("=") if word.partition(":")[0] in ("kind", "dates") else word.partition("=")
        )
        name, colon, column = left.partition(":")
        if not equals:
            raise ValueError(f"{word!r} is not NAME=VALUE.")
        options = OtherReading("", _changes(name, column if colon else None, value, word), word).applied(options)
    return options


def _changes(name: str, column: str | None, value: str, word: str) -> dict[str, Any]:
    """The fields of the options that one word of the command line changes."""
    if column is None and name in _MARK_NAMES:
        return {name: value.replace("\\t", "\t")}
    if column is None and name in _ROW_NUMBERS:
        field_name, least = _ROW_NUMBERS[name]
        if not (value.isascii() and value.isdigit() and len(value) < 10 and int(value) >= least):
            raise ValueError(f"{word!r}: {name} is a whole number from {least}.")
        return {field_name: int(value)}
    if column is None and name in _SWITCHES:
        if value not in _SWITCHES[name]:
            raise ValueError(f"{word!r}: {name} is {' or '.join(_SWITCHES[name])}.")
        return {name: _SWITCHES[name][value]}
    if name == "missing":
        marks = tuple(value.split(","))
        return {"missing": ("", *marks)} if column is None else {"missing_in": {column: marks}}
    if name == "kind" and column is not None:
        if value not in list(AttributeKind):
            raise ValueError(f"{word!r}: a kind is {', '.join(AttributeKind)}.")
        return {"kinds": {column: AttributeKind(value)}}
    if name == "dates":
        if value not in DATE_ORDERS:
            raise ValueError(f"{word!r}: dates are {' or '.join(DATE_ORDERS)}.")
        return {"dates": {column or "": value}}
    raise ValueError(f"{word!r} is no choice of reading. These are: {READ_FORMS}.")


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
    if (options.first_row or 1) > 1:
        words.append(f"from row {options.first_row}")
    if options.header is not None:
        n = options.head_rows or 1
        rows = "the first row" if n == 1 else f"the first {n} rows"
        words.append(f"names in {rows}" if options.header else "no row of names")
    if options.units:
        words.append("units below the names")
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
