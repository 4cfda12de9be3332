"""Edits of a table; text is parsed by kind, and invalid text raises :class:`DataError` and changes nothing."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.data.columns import Column, IntArray, missing_column
from algorithms.data.columns import smallest_code_dtype as _code_dtype
from algorithms.data.convert_kind import MAX_VALUES, number_label, read_date
from algorithms.data.dataset import Dataset
from algorithms.data.number_formats import number_form
from algorithms.data.schema import MISSING_CODE, Attribute, AttributeKind

_SHOWN: Final = 40
_BLOCK: Final = 8192
"""Number of texts converted at a time, since numpy holds the interpreter lock while it reads a list."""


class UnknownValueError(DataError):
    """A label that a nominal attribute does not have yet; the caller can add it."""

    def __init__(self, attribute: Attribute, value: str) -> None:
        super().__init__(f"{_quoted(value)} is a new value of {attribute.name!r}.", place=attribute.name)
        self.value = value


def read_cell(attribute: Attribute, text: str) -> Any:
    """The value of typed text in the column's type; empty text is missing.

    Labels match exactly, or else ignoring case if only one matches. Raises :class:`DataError` for invalid text,
    :class:`UnknownValueError` for a new label.
    """
    if attribute.kind.is_string:
        return text if text else np.nan
    if text and attribute.kind.is_coded and (code := attribute.code_of(text)) >= 0:
        return code  # unstripped: a label may begin or end with a space
    text = text.strip()
    if not text:
        return MISSING_CODE if attribute.kind.is_coded else np.nan
    if attribute.kind.is_coded:
        return _read_label(attribute, text)
    return (
        _read_typed_number(attribute, text) if attribute.kind is AttributeKind.NUMERIC else read_date(attribute, text)
    )


def _read_label(attribute: Attribute, text: str) -> int:
    code = attribute.code_of(text)
    if code >= 0:
        return code
    folded = text.casefold()
    alike = [code for code, value in enumerate(attribute.values) if value.strip().casefold() == folded]
    if len(alike) != 1:
        raise UnknownValueError(attribute, text)
    return alike[0]


def _read_typed_number(attribute: Attribute, text: str) -> float:
    form = number_form([text])
    if form is not None and form.two_ways:
        first, second = map(number_label, form.readings)
        raise DataError(
            f"{_quoted(text)} can be read in two ways.", remedy=f"Type {first} or {second}.", place=attribute.name
        )
    number = math.nan if form is None else form.numbers.parse(text)
    if math.isfinite(number):
        return number
    raise DataError(
        f"{_quoted(text)} is not a number.",
        remedy="Type a number such as 3.5, or clear the cell to make it missing.",
        place=attribute.name,
    )


def with_values(attribute: Attribute, labels: Sequence[str]) -> Attribute:
    """The nominal or ordinal attribute with new ``labels`` appended to its values."""
    present = set(attribute.values)
    new = [label for label in dict.fromkeys(labels) if label not in present]
    if len(attribute.values) + len(new) > MAX_VALUES:
        raise DataError(
            f"{attribute.name!r} cannot have more than {MAX_VALUES:,} different values.", place=attribute.name
        )
    return replace(attribute, values=(*attribute.values, *new)) if new else attribute


def with_texts(data: Dataset, index: int, rows: IntArray, texts: Sequence[str], *, add_values: bool = False) -> Dataset:
    """``data`` with cells of a column set to typed ``texts``, maybe as new values; raises as :func:`read_cell`."""
    attribute = data.schema.attributes[index]
    meaning: dict[str, Any] = {}
    new: list[str] = []
    for text in dict.fromkeys(texts):
        try:
            meaning[text] = read_cell(attribute, text)
        except UnknownValueError as unknown:
            if not add_values:
                raise
            new.append(unknown.value)
    if new:
        attribute = with_values(attribute, new)
        data = data.with_schema(data.schema.with_attribute(index, attribute))
        meaning |= {text: read_cell(attribute, text) for text in dict.fromkeys(texts) if text not in meaning}
    values = missing_column(attribute, len(texts))
    for start in range(0, len(texts), _BLOCK):
        values[start : start + _BLOCK] = [meaning[text] for text in texts[start : start + _BLOCK]]
    return data.with_cells(index, rows, values)


def cleared(data: Dataset, cells: Mapping[int, IntArray]) -> Dataset:
    """``data`` with these cells (column index -> rows) made missing."""
    for index, rows in cells.items():
        data = data.with_cells(index, rows, missing_column(data.schema.attributes[index], len(rows)))
    return data


def relabelled(data: Dataset, index: int, names: Mapping[str, str]) -> Dataset:
    """``data`` with values renamed, equal names merged at the first; raises :class:`DataError` for an invalid name."""
    attribute = data.schema.attributes[index]
    wrong = [value for value in names if value not in attribute.values]
    if wrong:
        raise DataError(f"{attribute.name!r} has no value {_quoted(wrong[0])}.", place=attribute.name)
    now = [names.get(value, value) for value in attribute.values]
    if any(not name.strip() for name in now):
        raise DataError("A value needs a name.", remedy="To make it missing, clear its cells.", place=attribute.name)
    kept = tuple(dict.fromkeys(now))
    changed = replace(attribute, values=kept)
    if len(kept) == len(now):
        return data.with_schema(data.schema.with_attribute(index, changed))
    code = {name: number for number, name in enumerate(kept)}
    table: Column = np.array([*(code[name] for name in now), MISSING_CODE], dtype=_code_dtype(len(kept)))
    return data.with_column(index, changed, table[data.column(index)])


def _quoted(text: str) -> str:
    shown = text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"
    return f"{shown!r}"


def labelled(data: Dataset, name: str, mask: NDArray[np.bool_], value: str, others: str = "") -> Dataset:
    """``data`` with the attribute ``name`` set to the typed ``value`` in the records of the mask (n,).

    A new value is added to a nominal attribute; an empty one makes the cells missing. An unknown ``name`` creates a
    nominal attribute, with ``others`` (or missing) in all other records. It is excluded from learning, since the user
    has seen the records. Raises :class:`DataError` for an invalid value.
    """
    name, value, others = " ".join(name.split()), value.strip(), others.strip()
    if not name:
        raise DataError("The label needs a name.", remedy="Type one, or choose an attribute.")
    if name not in data.schema:
        return _with_label(data, name, mask, value, others)
    index = data.schema.index_of(name)
    attribute = data.schema.attributes[index]
    try:
        meaning = read_cell(attribute, value)
    except UnknownValueError as unknown:
        attribute = with_values(attribute, [unknown.value])
        data = data.with_schema(data.schema.with_attribute(index, attribute))
        meaning = read_cell(attribute, value)
    cell = missing_column(attribute, 1)
    cell[0] = meaning
    return data.with_cells(index, np.flatnonzero(mask), cell)


def _with_label(data: Dataset, name: str, mask: NDArray[np.bool_], value: str, others: str) -> Dataset:
    if not value:
        raise DataError("A new label needs a value.", remedy="Type what the selected records are.", place=name)
    values = tuple(dict.fromkeys(filter(None, (value, others))))
    attribute = Attribute(name, AttributeKind.NOMINAL, values, used=False)
    codes = np.full(len(data), attribute.code_of(others) if others else -1, dtype=np.int8)
    codes[mask] = 0
    return data.with_new_column(attribute, codes)


Checkpoint = Callable[[], None]
Block = list[list[str]]

_ROWS_AT_ONCE = 4096


def read_block(text: str, checkpoint: Checkpoint = lambda: None) -> Block:
    """The cells of a copied block, rows padded, quoted line ends kept; raises :class:`DataError` without any cell."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    if not lines.strip("\n\t "):
        raise DataError("There are no cells in the clipboard.", remedy="Copy some first, here or in a spreadsheet.")
    try:
        block = _rows(csv.reader(io.StringIO(lines), delimiter="\t", strict=True), checkpoint)
    except csv.Error:  # a literal quote, as in text that no spreadsheet wrote
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
    """The block repeated to fill an area that is a multiple of its size; else the block unchanged."""
    down, across = divmod(n_rows, len(block)), divmod(n_columns, len(block[0]))
    if down[1] or across[1] or not down[0] or not across[0]:
        return block
    return [row * across[0] for row in block] * down[0]


def pasted(
    data: Dataset, records: IntArray, columns: Sequence[int], block: Block, checkpoint: Checkpoint = lambda: None
) -> Dataset:
    """``data`` with the block pasted into ``records`` and the first ``columns``; extra rows become new records.

    Empty cells become missing, new labels become values. Raises :class:`DataError`, and pastes nothing, if a cell is
    invalid in its column or the table has too few columns.
    """
    width, left = len(block[0]), len(columns)
    if width > left:
        are_left = "column is" if left == 1 else "columns are"
        raise DataError(
            f"The copied block is {width:,} columns wide, but only {left:,} {are_left} left from here.",
            remedy="Choose a cell further to the left.",
        )
    n_new = len(block) - len(records)
    if n_new > 0:
        records = np.concatenate([records, np.arange(len(data), len(data) + n_new)])
        data = data.with_new_rows(n_new)
    for number in range(width):
        checkpoint()
        texts = [row[number] for row in block]
        try:
            data = with_texts(data, columns[number], records, texts, add_values=True)
        except DataError as error:
            attribute = data.schema.attributes[columns[number]]
            where = f"In line {_line_of_fault(attribute, texts) + 1:,} of the block, {attribute.name!r}"
            raise DataError(f"{where}: {error.sentence}", remedy="Nothing was pasted.", place=attribute.name) from None
    return data


def new_values(before: Dataset, after: Dataset) -> dict[str, tuple[str, ...]]:
    """The values that an edit added to nominal and ordinal attributes, by attribute name."""
    labels = {}
    for old, new in zip(before.schema.attributes, after.schema.attributes, strict=True):
        added = new.values[len(old.values) :]
        if added:
            labels[new.name] = added
    return labels


def _line_of_fault(attribute: Attribute, texts: Sequence[str]) -> int:
    for number, text in enumerate(texts):
        try:
            read_cell(attribute, text)
        except UnknownValueError:
            continue
        except DataError:
            return number
    return 0
