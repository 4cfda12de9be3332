"""Cells found by what is written in them, and what they hold after a replacement."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.cells import cell_texts
from algorithms.core.columns import Column, IntArray
from algorithms.core.data import Dataset
from algorithms.core.editing import with_texts
from algorithms.core.errors import DataError
from algorithms.core.schema import Attribute, Kind

Checkpoint = Callable[[], None]

_BLOCK: Final = 4096
_IN_NUMBERS: Final = re.compile(r"[-+.e\d]*", re.IGNORECASE)
_IN_DATES: Final = re.compile(r"[-:. \d]*")


@dataclass(frozen=True)
class Search:
    """What is looked for: a text in any part of a cell, or as the ``whole`` of it, in some columns or in all (None)."""

    text: str
    columns: tuple[str, ...] | None = None
    whole: bool = False
    match_case: bool = False

    def finds(self, text: str) -> bool:
        """Whether it is in this text."""
        sought, text = (self.text, text) if self.match_case else (self.text.casefold(), text.casefold())
        return text == sought if self.whole else sought in text

    def replaced(self, text: str, by: str) -> str:
        """The text with every occurrence replaced."""
        if self.whole:
            return by
        return re.sub(re.escape(self.text), lambda _: by, text, flags=re.NOFLAG if self.match_case else re.IGNORECASE)

    def could_be_in(self, attribute: Attribute) -> bool:
        """Whether the columns asked for hold this one, and it could hold such a text at all."""
        if self.columns is not None and attribute.name not in self.columns:
            return False
        if attribute.kind.is_float:
            written = _IN_DATES if attribute.kind is Kind.DATE else _IN_NUMBERS
            return written.fullmatch(self.text) is not None
        return True


@dataclass(frozen=True, eq=False)
class Found:
    """Cells (m,) by record and column, in the order of the records, those of one record from left to right."""

    rows: IntArray
    columns: IntArray

    def __len__(self) -> int:
        return len(self.rows)


def _never() -> None:
    return None


def find_cells(data: Dataset, search: Search, checkpoint: Checkpoint = _never) -> Found:
    """Every cell that the search finds, as cells are written on the screen; missing ones are never found."""
    rows: list[IntArray] = []
    columns: list[IntArray] = []
    for index, attribute in enumerate(data.schema.attributes):
        checkpoint()
        if search.text and search.could_be_in(attribute):
            here = _rows_found(attribute, data.column(index), search, checkpoint)
            rows.append(here)
            columns.append(np.full(len(here), index))
    if not rows:
        return Found(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
    all_rows, all_columns = np.concatenate(rows), np.concatenate(columns)
    order = np.lexsort((all_columns, all_rows))
    return Found(all_rows[order], all_columns[order])


def _rows_found(attribute: Attribute, column: Column, search: Search, checkpoint: Checkpoint) -> IntArray:
    if attribute.kind.is_coded:
        labels = np.array([*(search.finds(value) for value in attribute.values), False])
        return np.flatnonzero(labels[column])
    found: list[NDArray[np.int64]] = []
    for start in range(0, len(column), _BLOCK):
        checkpoint()
        texts = cell_texts(attribute, column[start : start + _BLOCK])
        here = [at for at, text in enumerate(texts) if text is not None and search.finds(text)]
        found.append(np.array(here, dtype=np.int64) + start)
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


def replaced(data: Dataset, found: Found, search: Search, by: str, checkpoint: Checkpoint = _never) -> Dataset:
    """``data`` with the text replaced in the found cells; new labels become values of their attribute.

    Raises :class:`DataError`, and replaces nothing, where a cell cannot hold what comes out.
    """
    before = data.schema
    for index in np.unique(found.columns).tolist():
        attribute = before.attributes[index]
        rows = found.rows[found.columns == index]
        texts: list[str] = []
        for start in range(0, len(rows), _BLOCK):
            checkpoint()
            texts += _texts_after(attribute, data.cells(index, rows[start : start + _BLOCK]), search, by)
        try:
            data = with_texts(data, index, rows, texts, add_values=True)
        except DataError as error:
            sentence = f"In {attribute.name!r}: {error.sentence}"
            raise DataError(sentence, remedy="Nothing was replaced.", place=attribute.name) from None
    return data


def _texts_after(attribute: Attribute, values: Column, search: Search, by: str) -> Sequence[str]:
    return [search.replaced(text, by) if text is not None else "" for text in cell_texts(attribute, values)]
