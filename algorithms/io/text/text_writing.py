"""Writing of tables as text: CSV, new or in the spelling in which columns were read, and ARFF, Weka's format.

ARFF declares kinds, values and weights.

Source: Weka 3.9, weka.core.Utils.quote (which characters need quotes and escapes) and weka.core.converters.ArffSaver.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.files import GradualSync, Stamp, neutralised, replacing_or
from algorithms.core.run_control import RunContext
from algorithms.data.columns import Column, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.io.reading import column_names, is_named_as_text, read, sniff
from algorithms.io.text.options import PLAIN, ReadOptions, Style

SLICE: Final = 4096
CELLS_AT_A_TIME: Final = 100_000
"""Cells written between two checks for a stop: about 50 ms."""


def style_of(options: ReadOptions | None) -> Style:
    """The style of a file next to one read with these options: semicolons with decimal commas, as spreadsheets do."""
    if options is None or options.delimiter not in (";", "\t", "|", ","):
        return PLAIN
    decimal = "," if options.decimal == "," and options.delimiter != "," else "."
    return Style(options.delimiter, decimal, signed=options.delimiter == ";")


def write_csv(path: str | Path, data: Dataset, context: RunContext | None = None, style: Style = PLAIN) -> None:
    """Write the table as UTF-8 with a row of names, by default with commas; a missing value is an empty field.

    The file at ``path`` is replaced only when the new one is complete. Numbers have as many digits as they need to be
    read back bit for bit, dates are ISO 8601 in UTC. Raises :class:`DataError` if the file cannot be written; the old
    file then stays.
    """
    encoding = "utf-8-sig" if style.signed else "utf-8"
    context = context or RunContext()
    with (
        replacing_or(DataError, path, commit=context.commit) as part,
        part.open("w", encoding=encoding, newline="") as file,
    ):
        synced = GradualSync(file.fileno())
        for text in csv_texts(data, context, style):
            file.write(text)
            synced.wrote(len(text))
        context.checkpoint()


def slices_of(data: Dataset, context: RunContext) -> Iterator[IntArray]:
    """The rows of a table in slices of some thousand, with progress and a check for a stop before each."""
    step = max(1, min(SLICE, CELLS_AT_A_TIME // max(1, len(data.schema.attributes))))
    for start in range(0, len(data), step):
        context.checkpoint()
        context.advance(start, len(data))
        yield np.arange(start, min(start + step, len(data)))


def csv_texts(data: Dataset, context: RunContext, style: Style = PLAIN) -> Iterator[str]:
    """The lines of the CSV file, in chunks of some thousand rows."""
    attributes = data.schema.attributes
    single = len(attributes) == 1
    quoted = _quoter(style)
    yield style.delimiter.join(quoted(name) for name in data.schema.names) + "\n"
    writers = [_writer(data, index, style.decimal, quoted) for index in range(len(attributes))]
    for rows in slices_of(data, context):
        cells = [write(data.cells(i, rows)) for i, write in enumerate(writers)]
        lines = (cell or '""' for cell in cells[0]) if single else map(style.delimiter.join, zip(*cells, strict=True))
        yield "\n".join(lines) + "\n"


def _writer(data: Dataset, index: int, decimal: str, quoted: Callable[[str], str]) -> Callable[[Column], Sequence[str]]:
    """A function from a column's stored values to the fields in the file."""
    attribute = data.schema.attributes[index]
    if attribute.kind.is_coded:
        fields = [*map(quoted, attribute.values), ""]
        return lambda column: [fields[code] for code in column.tolist()]
    if attribute.kind is AttributeKind.NUMERIC:
        if decimal == ".":
            return lambda column: [number_field(value) for value in column.tolist()]
        return lambda column: [number_field(value).replace(".", decimal) for value in column.tolist()]
    if attribute.kind is AttributeKind.DATE:
        return _date_writer(data.column(index))
    return lambda column: [quoted(value) if isinstance(value, str) else "" for value in column.tolist()]


def number_field(value: float) -> str:
    """The shortest digits from which a number is read back bit for bit; empty for NaN."""
    if math.isnan(value):
        return ""
    if value.is_integer() and abs(value) < 1e15 and (value != 0 or math.copysign(1.0, value) > 0):
        return str(int(value))
    return repr(value)


def _date_writer(column: Column) -> Callable[[Column], Sequence[str]]:
    """A function from dates to fields: with a time only if a value of the whole column has one."""
    present = column[~np.isnan(column)]
    unit = "datetime64[D]" if np.all(present % 86400 == 0) else "datetime64[s]"
    unit = unit if np.all(present % 1 == 0) else "datetime64[us]"

    def write(cells: Column) -> Sequence[str]:
        moments: NDArray[np.datetime64] = np.round(cells * 1e6).astype("datetime64[us]").astype(unit)
        return ["" if text == "NaT" else text for text in np.datetime_as_string(moments).tolist()]

    return write


def _quoter(style: Style) -> Callable[[str], str]:
    """A function that quotes a text if the style requires it."""
    needs_quotes = re.compile(rf'[{re.escape(style.delimiter)}"\r\n]|^\s|\s$|^$|^\\\.$')  # \. ends a COPY of PostgreSQL

    def quoted(text: str) -> str:
        text = neutralised(text) if style.neutral else text
        return text if needs_quotes.search(text) is None else '"' + text.replace('"', '""') + '"'

    return quoted


VERBATIM_CELLS_AT_A_TIME: Final = 500_000
"""Cells converted between two checks for a stop: about 50 ms."""
LARGEST: Final = 200_000_000
"""Largest file in bytes: here every cell becomes a string, which takes several times the memory of its value."""


def in_original_spelling(
    path: str | Path, stamp: Stamp | None, data: Dataset, context: RunContext
) -> tuple[Dataset, Style]:
    """``data`` with the columns read from ``path`` in the spelling of the file, and the style to write them in.

    247.0 stays 247.0, 007 stays 007, NA stays NA. ``stamp`` is that of the file when its columns, the first ones of
    ``data``, were read. The data is unchanged if the file is no text, has changed, is larger than :data:`LARGEST`, or
    has other records.
    """
    if not is_named_as_text(path) or stamp is None or stamp != Stamp.of(path) or stamp.size > LARGEST:
        return data, PLAIN
    try:
        layout = sniff(path)
        kinds = dict.fromkeys(column_names(path), AttributeKind.TEXT)
        letters = read(path, context, ReadOptions(kinds=kinds, missing=(), class_name=""))
    except DataError:
        return data, PLAIN
    n = len(letters.schema)
    if len(letters) != len(data) or letters.schema.names != data.schema.names[:n]:
        return data, PLAIN
    data = data.with_class(None)
    attributes, step = letters.schema.attributes, max(1, VERBATIM_CELLS_AT_A_TIME // max(1, len(letters)))
    for first in range(0, n, step):
        context.checkpoint()
        some = range(first, min(first + step, n))
        data = data.with_columns({index: (attributes[index], letters.column(index)) for index in some})
    return data, style_of(layout)


# ---- ARFF ------------------------------------------------------------------------------------------------------------

_PLAIN: Final = re.compile(r"[\w.+/:-]+")
"""Matches a word that needs no quotes in any reader of ARFF."""
_SPECIAL: Final = re.compile(r"['\"\\%\n\r\t\x00-\x1f]")
_ESCAPES: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_DAYS, _SECONDS, _MILLISECONDS = "yyyy-MM-dd", "yyyy-MM-dd'T'HH:mm:ss", "yyyy-MM-dd'T'HH:mm:ss.SSS"
_UNITS: Final = {_DAYS: "D", _SECONDS: "s", _MILLISECONDS: "ms"}


def write_arff(path: str | Path, data: Dataset, context: RunContext | None = None) -> None:
    """Write the table as ARFF in UTF-8; a missing value is a question mark.

    Ordinal attributes become nominal ones with their values in order, texts and identifiers become strings. Dates are
    in UTC, to the millisecond. The file at ``path`` is replaced only when the new one is complete. Raises
    :class:`DataError` if it cannot be written; the old file then stays.
    """
    context = context or RunContext()
    with (
        replacing_or(DataError, path, commit=context.commit) as part,
        part.open("w", encoding="utf-8", newline="") as file,
    ):
        synced = GradualSync(file.fileno())
        for text in _arff_texts(data, context):
            file.write(text)
            synced.wrote(len(text))
        context.checkpoint()


def _arff_texts(data: Dataset, context: RunContext) -> Iterator[str]:
    """The header, then the records in chunks of some thousand rows."""
    attributes = data.schema.attributes
    patterns = {i: _pattern(data.column(i)) for i, a in enumerate(attributes) if a.kind is AttributeKind.DATE}
    declared = [f"@attribute {quoted(a.name)} {_type(a, patterns.get(i, ''))}\n" for i, a in enumerate(attributes)]
    yield f"@relation {quoted(data.origin.name or 'table')}\n\n{''.join(declared)}\n@data\n"
    writers = [_arff_writer(attribute, patterns.get(i, "")) for i, attribute in enumerate(attributes)]
    for rows in slices_of(data, context):
        cells = [write(data.cells(i, rows)) for i, write in enumerate(writers)]
        if data.weights is not None:
            cells.append([f"{{{number_field(weight)}}}" for weight in data.weights[rows].tolist()])
        yield "\n".join(map(",".join, zip(*cells, strict=True))) + "\n"


def quoted(text: str) -> str:
    """A word of ARFF: in single quotes with escapes unless it is plain."""
    if _PLAIN.fullmatch(text):
        return text
    return "'" + _SPECIAL.sub(_escaped, text) + "'"


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if character in _ESCAPES:
        return _ESCAPES[character]
    return f"\\u{ord(character):04x}" if character < " " else f"\\{character}"


def _type(attribute: Attribute, pattern: str) -> str:
    if attribute.kind.is_coded:
        return f"{{{','.join(map(quoted, attribute.values))}}}"
    if attribute.kind is AttributeKind.NUMERIC:
        return "numeric"
    return f'date "{pattern}"' if attribute.kind is AttributeKind.DATE else "string"


def _pattern(column: Column) -> str:
    """The shortest of Java's date patterns that loses nothing down to the millisecond."""
    present = column[~np.isnan(column)]
    if np.all(present % 86400 == 0):
        return _DAYS
    return _SECONDS if np.all(present % 1 == 0) else _MILLISECONDS


def _arff_writer(attribute: Attribute, pattern: str) -> Callable[[Column], Sequence[str]]:
    """A function from a column's stored values to the fields in the file."""
    if attribute.kind.is_coded:
        fields = [*map(quoted, attribute.values), "?"]
        return lambda column: [fields[code] for code in column.tolist()]
    if attribute.kind is AttributeKind.NUMERIC:
        return lambda column: ["?" if math.isnan(value) else number_field(value) for value in column.tolist()]
    if attribute.kind is not AttributeKind.DATE:
        return lambda column: [quoted(value) if isinstance(value, str) else "?" for value in column.tolist()]

    def write(column: Column) -> Sequence[str]:
        moments: NDArray[np.datetime64] = np.round(column * 1000).astype("datetime64[ms]")
        fields = np.datetime_as_string(moments.astype(f"datetime64[{_UNITS[pattern]}]")).tolist()
        return ["?" if field == "NaT" else field for field in fields]

    return write
