"""What a data set consists of, and a data set made of such parts again: what is kept on disk.

The arrays are those of the data set itself, not copies, so that whoever keeps several data sets of one history can see
by identity what they share.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from algorithms.core.base import Base, Patch, RowIds
from algorithms.core.columns import STRING, Column, FloatArray, IntArray
from algorithms.core.data import Dataset, Origin
from algorithms.core.errors import DataError
from algorithms.core.schema import MISSING_CODE, Attribute, Schema


@dataclass(frozen=True, eq=False)
class Parts:
    """The parts of a data set of n rows over b base positions, of which the last a were added.

    ``columns`` hold the first b - a positions or more each; ``patches`` maps a column's position to the base positions
    that were edited, ascending, and their values; ``rows`` (n,) base positions, or None where they are all in their
    order; ``base_ids`` (b - a,) and ``added_ids`` (a,); ``weights`` (n,) or None.
    """

    schema: Schema
    origin: Origin
    columns: Sequence[Column]
    patches: Mapping[int, tuple[IntArray, Column]]
    rows: IntArray | None
    base_ids: IntArray
    added_ids: IntArray
    weights: FloatArray | None


def parts_of(data: Dataset) -> Parts:
    """What the data set consists of; its derived values are not among it."""
    base = data._base
    return Parts(
        data.schema,
        data.origin,
        base.columns,
        {index: (patch.positions, patch.values) for index, patch in base.patches.items()},
        data._rows,
        base.stored_ids,
        base.added_ids,
        data._weights,
    )


class Family:
    """Makes data sets of one history, which hand out row ids that none of them ever had."""

    def __init__(self) -> None:
        self._ids = RowIds(np.empty(0, dtype=np.int64))
        self._beyond = 0

    def made(self, parts: Parts) -> Dataset:
        """The data set again, infinite numbers missing as in every file that is read.

        Raises :class:`DataError` where the parts do not fit together, whoever they come from.
        """
        _check(parts)
        data = Dataset(Schema(()), (), row_ids=parts.base_ids, origin=parts.origin)
        data.schema = parts.schema
        data._base = Base(
            tuple(map(_without_infinite, parts.columns)),
            parts.base_ids,
            patches={index: Patch(at, _without_infinite(values)) for index, (at, values) in parts.patches.items()},
            added_ids=parts.added_ids,
            fresh_ids=self._ids,
        )
        data._rows, data._weights = parts.rows, parts.weights
        data._n = len(data._base) if parts.rows is None else len(parts.rows)
        for ids in (parts.base_ids, parts.added_ids):
            self._beyond = max(self._beyond, int(ids.max()) + 1 if len(ids) else 0)
        self._ids._next = self._beyond
        return data


def _without_infinite(column: Column) -> Column:
    if column.dtype.kind != "f" or not np.isinf(column).any():
        return column
    found = np.where(np.isinf(column), np.nan, column)
    found.flags.writeable = False
    return found


def _check(parts: Parts) -> None:
    n_stored, n_base = len(parts.base_ids), len(parts.base_ids) + len(parts.added_ids)
    n = n_base if parts.rows is None else len(parts.rows)
    if len(parts.columns) != len(parts.schema) or not all(0 <= index < len(parts.schema) for index in parts.patches):
        _refuse("its columns are not those of its description")
    for ids in (parts.base_ids, parts.added_ids):
        if ids.dtype != np.int64 or ids.ndim != 1 or (len(ids) and not 0 <= int(ids.min()) <= int(ids.max()) < 2**62):
            _refuse("its records are not numbered")
    for attribute, column in zip(parts.schema.attributes, parts.columns, strict=True):
        if not n_stored <= len(column) <= n_base:
            _refuse(f"the column {attribute.name!r} has another length")
        _check_values(attribute, column, len(column))
    for index, (positions, values) in parts.patches.items():
        _check_positions(positions, n_base)
        _check_values(parts.schema.attributes[index], values, len(positions))
        if bool(np.any(positions[1:] <= positions[:-1])) or values.dtype != parts.columns[index].dtype:
            _refuse("its edited cells make no sense")
    if parts.rows is not None:
        _check_positions(parts.rows, n_base)
    weights = parts.weights
    if weights is not None and (weights.dtype != np.float64 or weights.shape != (n,) or not _are_weights(weights)):
        _refuse("its weights make no sense")


def _are_weights(weights: FloatArray) -> bool:
    return bool(np.all(np.isfinite(weights)) and np.all(weights >= 0))


def _check_positions(positions: NDArray[np.int64], n: int) -> None:
    if positions.dtype != np.int64 or positions.ndim != 1:
        _refuse("its rows are not numbers")
    if len(positions) and not 0 <= int(positions.min()) <= int(positions.max()) < n:
        _refuse("it has rows outside the table")


def _check_values(attribute: Attribute, values: Column, n: int) -> None:
    if values.shape != (n,):
        _refuse(f"the column {attribute.name!r} has another length")
    if attribute.kind.is_float:
        fits = values.dtype == np.float64
    elif attribute.kind.is_string:
        fits = values.dtype == STRING
    else:
        fits = values.dtype.kind == "i" and (
            n == 0 or MISSING_CODE <= int(values.min()) <= int(values.max()) < len(attribute.values)
        )
    if not fits:
        _refuse(f"the column {attribute.name!r} does not hold what its kind says")


def _refuse(what: str) -> None:
    raise DataError(f"The table is damaged: {what}.")
