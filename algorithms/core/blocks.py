"""Blocks of cells as spreadsheets hand them over: tabs between the cells, a line each record."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from algorithms.core.columns import IntArray
from algorithms.core.data import Dataset
from algorithms.core.editing import UnknownValueError, read_cell, with_texts
from algorithms.core.errors import DataError
from algorithms.core.schema import Attribute

Checkpoint = Callable[[], None]
Block = list[list[str]]

_ROWS_AT_ONCE = 4096


def _never() -> None:
    return None


def read_block(text: str, checkpoint: Checkpoint = _never) -> Block:
    """The cells of a copied block, all lines equally long; quoted cells may hold tabs and line ends.

    Raises :class:`DataError` where there is none.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    if not lines.strip("\n\t "):
        raise DataError("There are no cells in the clipboard.", remedy="Copy some first, here or in a spreadsheet.")
    try:
        block = _rows(csv.reader(io.StringIO(lines), delimiter="\t", strict=True), checkpoint)
    except csv.Error:  # a quote that stands for itself, as in text from elsewhere
        block = _rows((line.split("\t") for line in lines.removesuffix("\n").split("\n")), checkpoint)
    width = max(len(row) for row in block)
    return [row + [""] * (width - len(row)) for row in block]


def _rows(rows: Iterable[list[str]], checkpoint: Checkpoint) -> Block:
    block: Block = []
    for row in rows:
        block.append(row)
        if len(block) % _ROWS_AT_ONCE == 0:
            checkpoint()
    return block


def tiled(block: Block, n_rows: int, n_columns: int) -> Block:
    """The block repeated over an area that holds it several times; else the block as it is."""
    down, across = divmod(n_rows, len(block)), divmod(n_columns, len(block[0]))
    if down[1] or across[1] or not down[0] or not across[0]:
        return block
    return [row * across[0] for row in block] * down[0]


def pasted(data: Dataset, records: IntArray, first: int, block: Block, checkpoint: Checkpoint = _never) -> Dataset:
    """``data`` with the block's cells in ``records`` from column ``first`` on; lines beyond them become new records.

    Empty cells clear, new labels become values. Raises :class:`DataError`, and pastes nothing, where a cell cannot be
    held or the table has too few columns.
    """
    width, left = len(block[0]), len(data.schema) - first
    if width > left:
        columns = "column is" if left == 1 else "columns are"
        raise DataError(
            f"The copied block is {width:,} columns wide, but only {left:,} {columns} left from here.",
            remedy="Choose a cell further to the left.",
        )
    n_new = len(block) - len(records)
    if n_new > 0:
        records = np.concatenate([records, np.arange(len(data), len(data) + n_new)])
        data = data.with_new_rows(n_new)
    for at in range(width):
        checkpoint()
        texts = [row[at] for row in block]
        try:
            data = with_texts(data, first + at, records, texts, add_values=True)
        except DataError as error:
            attribute = data.schema.attributes[first + at]
            where = f"In line {_line_of_fault(attribute, texts) + 1:,} of the block, {attribute.name!r}"
            raise DataError(f"{where}: {error.sentence}", remedy="Nothing was pasted.", place=attribute.name) from None
    return data


def new_values(before: Dataset, after: Dataset) -> dict[str, tuple[str, ...]]:
    """The values that nominal and ordinal attributes have after an edit and had not before, by attribute."""
    found = {}
    for old, new in zip(before.schema.attributes, after.schema.attributes, strict=True):
        added = new.values[len(old.values) :]
        if added:
            found[new.name] = added
    return found


def _line_of_fault(attribute: Attribute, texts: Sequence[str]) -> int:
    for at, text in enumerate(texts):
        try:
            read_cell(attribute, text)
        except UnknownValueError:
            continue
        except DataError:
            return at
    return 0
