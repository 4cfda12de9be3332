"""Storage of attribute values: one array for each column, typed by the kind of the attribute.

=====================  ==============================================================================
kind                   column
=====================  ==============================================================================
numeric, date          float64, NaN where missing; a date is seconds since 1970-01-01 UTC
nominal, ordinal       codes into ``Attribute.values`` in the smallest signed integer, -1 where missing
text, identifier       numpy ``StringDType(na_object=nan)``, nan where missing
=====================  ==============================================================================
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.schema import MISSING_CODE, Attribute

Column = NDArray[Any]
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]

LARGEST_EXACT: Final = 2.0**53
"""Floats represent all integers below it."""
STRING: Final = np.dtypes.StringDType(na_object=np.nan)


_CODE_DTYPES: Final = [(1 << (8 * size - 1), np.dtype(f"i{size}")) for size in (1, 2, 4)]
"""Number of codes, counted from 0, that fit into each type."""


def smallest_code_dtype(n_values: int) -> np.dtype[Any]:
    """The smallest signed integer type that holds codes 0..n_values-1 and -1."""
    for most, dtype in _CODE_DTYPES:  # a loop, as each column of a wide table asks
        if n_values <= most:
            return dtype
    return np.dtype(np.int64)


def as_column(attribute: Attribute, values: Any) -> Column:
    """The values as a read-only array in the type of the attribute."""
    if attribute.kind.is_float:
        column: Column = np.asarray(values, dtype=np.float64)
    elif attribute.kind.is_coded:
        column = np.asarray(values)
        column = column.astype(smallest_code_dtype(len(attribute.values)), copy=False)
    else:
        column = np.asarray(values, dtype=STRING)
    return read_only(column)


def read_only(array: NDArray[Any]) -> NDArray[Any]:
    """The array itself, or a read-only view of it."""
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


def missing_mask(attribute: Attribute, column: Column) -> NDArray[np.bool_]:
    """Mask of the missing values of a column that belongs to ``attribute``."""
    if attribute.kind.is_float:
        return np.isnan(column)
    if attribute.kind.is_coded:
        return column < 0
    return np.isnan(column)


def missing_column(attribute: Attribute, n: int) -> Column:
    """A writable column of n missing values in the attribute's type."""
    if attribute.kind.is_float:
        return np.full(n, np.nan)
    if attribute.kind.is_coded:
        return np.full(n, MISSING_CODE, dtype=smallest_code_dtype(len(attribute.values)))
    return np.full(n, np.nan, dtype=STRING)


def is_whole(column: FloatArray) -> bool:
    """Whether numbers of a column are integers that floats represent exactly; missing ones may be among them."""
    present = column[~np.isnan(column)]
    is_exact = (np.abs(present) < LARGEST_EXACT) & (np.trunc(present) == present)
    is_exact &= ~(np.signbit(present) & (present == 0))
    return bool(len(present) and np.all(is_exact))
