"""Tables as text that no file holds: what a person copied from a spreadsheet or a page."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import Final

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError
from algorithms.io.arff import is_arff, read_arff
from algorithms.io.delimited import Opening, opened, read_delimited, recognised_options
from algorithms.io.foreign_formats import refuse_foreign_text
from algorithms.io.options import ReadOptions
from algorithms.io.recognise import SAMPLE_SIZE
from algorithms.io.source import Source

PASTED: Final = "pasted table"
"""The name of a table that was pasted."""


class TextSource(Source):
    """A text as if it were a file."""

    def __init__(self, text: str, name: str = PASTED) -> None:
        content = text.encode("utf-8", "replace")
        self.path, self.name, self.size = Path(name), name, len(content)
        self._raw = self._file = io.BytesIO(content)
        self._zipped = False

    @property
    def subject(self) -> str:
        return "What was copied"


def read_text(text: str, context: RunContext, options: ReadOptions | None = None) -> Dataset:
    """The table in a text with tabs, commas or the like, or in ARFF, recognised as a file is.

    Raises :class:`DataError` where the text holds no table of at least two columns.
    """
    given = replace(options or ReadOptions(), encoding="utf-8")
    with TextSource(text) as source:
        if is_arff(source.head(SAMPLE_SIZE)):
            data = read_arff(source, context, given)
        else:
            _opened(source, given)
            data = read_delimited(source, context, given)
    return data.with_origin(replace(data.origin, path=None))


def sniff_text(text: str, options: ReadOptions | None = None) -> ReadOptions:
    """What would be recognised in the text; what ``options`` gives is kept."""
    given = replace(options or ReadOptions(), encoding="utf-8")
    with TextSource(text) as source:
        return replace(recognised_options(_opened(source, given), given), encoding=None)


def _opened(source: Source, options: ReadOptions) -> Opening:
    if not source.head(SAMPLE_SIZE).strip():
        raise _no_table("There is no text to paste.")
    refuse_foreign_text(source.head(SAMPLE_SIZE).decode("utf-8", "ignore"), source)
    if len(source.head(SAMPLE_SIZE).strip().splitlines()) < 2:
        raise _no_table("What was copied is no table: it has one line only.")
    opening = opened(source, options)
    if len(opening.names) < 2:
        raise _no_table("What was copied is no table: it has one column only.")
    return opening


def _no_table(sentence: str) -> DataError:
    return DataError(
        sentence, remedy="Copy the cells of a table with their row of names, then paste again.", place=PASTED
    )
