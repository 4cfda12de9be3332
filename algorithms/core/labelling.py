"""Some records told from the others by an attribute: set in them, or made for them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import missing_column
from algorithms.core.data import Dataset
from algorithms.core.editing import UnknownValueError, read_cell, with_values
from algorithms.core.errors import DataError
from algorithms.core.schema import Attribute, Kind


def labelled(data: Dataset, name: str, mask: NDArray[np.bool_], value: str, others: str = "") -> Dataset:
    """``data`` with the attribute ``name`` set to what ``value`` means there in the records of the mask (n,).

    A value that a nominal attribute does not have yet is added to it; an empty one makes the cells missing. Where no
    attribute has that name, a nominal one is made, with ``others`` (or nothing) in all other records. It is left out of
    learning: who labels records has seen them. Raises :class:`DataError` for a value that the attribute cannot have.
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
    attribute = Attribute(name, Kind.NOMINAL, values, used=False)
    codes = np.full(len(data), attribute.code_of(others) if others else -1, dtype=np.int8)
    codes[mask] = 0
    return data.with_new_column(attribute, codes)
