"""Writing of ARFF, Weka's attribute-relation file format, with kinds, values and weights declared.

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
from algorithms.core.files import GradualSync, replacing_or
from algorithms.core.run_control import RunContext
from algorithms.data.columns import Column
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.io.text.csv_writing import number_field, slices_of

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
        for text in _texts(data, context):
            file.write(text)
            synced.wrote(len(text))
        context.checkpoint()


def _texts(data: Dataset, context: RunContext) -> Iterator[str]:
    """The header, then the records in chunks of some thousand rows."""
    attributes = data.schema.attributes
    patterns = {i: _pattern(data.column(i)) for i, a in enumerate(attributes) if a.kind is AttributeKind.DATE}
    declared = [f"@attribute {quoted(a.name)} {_type(a, patterns.get(i, ''))}\n" for i, a in enumerate(attributes)]
    yield f"@relation {quoted(data.origin.name or 'table')}\n\n{''.join(declared)}\n@data\n"
    writers = [_writer(attribute, patterns.get(i, "")) for i, attribute in enumerate(attributes)]
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


def _writer(attribute: Attribute, pattern: str) -> Callable[[Column], Sequence[str]]:
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
