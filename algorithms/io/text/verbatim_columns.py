"""The columns of a text table letter by letter, for a file that is written beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from algorithms.core.context import RunContext
from algorithms.core.errors import DataError
from algorithms.core.files import Stamp
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.io.reading import column_names, read, sniff
from algorithms.io.text.csv_writing import PLAIN, Style, style_of
from algorithms.io.text.options import NOT_TEXT, ReadOptions

VERBATIM_CELLS_AT_A_TIME: Final = 500_000
"""Between two looks at whether to stop: some 50 ms."""
LARGEST: Final = 200_000_000
"""Bytes: every cell of a file becomes a string of its own here, which takes several times the memory of its values."""


def as_it_stood(path: str | Path, stamp: Stamp | None, data: Dataset, context: RunContext) -> tuple[Dataset, Style]:
    """``data``, whose first columns were read from ``path`` at ``stamp``, with these as the file has them, and the
    style to write them in: 247.0 stays 247.0, 007 stays 007, NA stays NA.

    As it is where the file is no text, has changed, is larger than :data:`LARGEST`, or does not hold these records.
    """
    if Path(path).suffix.lower() in NOT_TEXT or stamp is None or stamp != Stamp.of(path) or stamp.size > LARGEST:
        return data, PLAIN
    try:
        found = sniff(path)
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
        data = data.with_columns({at: (attributes[at], letters.column(at)) for at in some})
    return data, style_of(found)
