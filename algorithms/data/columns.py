"""Storage of attribute values: one array for each column, typed by the kind of the attribute.

=====================  ==============================================================================
kind                   column
=====================  ==============================================================================
numeric, date          float64, NaN where missing; a date is seconds since 1970-01-01 UTC
nominal, ordinal       codes into ``Attribute.values`` in the smallest signed integer, -1 where missing
text, identifier       numpy ``StringDType(na_object=nan)``, nan where missing
=====================  ==============================================================================

Numbers of which most are zero, such as counts of words, may be sparse: a block of them is a matrix in compressed
columns, and a :class:`SparseColumn` is one of its columns in place of an array. Whoever asks a data set for such a
column gets a dense array that is not kept; whoever can use the entries alone asks for
:func:`algorithms.data.sparse_matrix.sparse_matrix`. Sparse columns have no missing values.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from algorithms.data.schema import MISSING_CODE, Attribute

Column = NDArray[Any]
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
Mask = NDArray[np.bool_]

LARGEST_EXACT: Final = 2.0**53
"""Floats represent all integers below it."""
LARGE: Final = 1_000_000
"""From so many records on, a copy of a column for chosen rows is made again rather than kept."""
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


def without_infinite(column: Column) -> Column:
    """The column with infinite numbers as missing."""
    if column.dtype.kind != "f" or not np.isinf(column).any():
        return column
    finite = np.where(np.isinf(column), np.nan, column)
    finite.flags.writeable = False
    return finite


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


_SUMMED: Final = 1 << 17
"""Number of values summed or counted at a time: about half a millisecond."""


def are_all_rows(rows: NDArray[Any], n: int) -> bool:
    """Whether these row indices, or this mask, are all n rows in order."""
    if rows.dtype == np.bool_:
        return bool(rows.all())
    if len(rows) != n or (n and (rows[0] != 0 or rows[-1] != n - 1)):
        return False
    return all(bool(np.all(np.diff(rows[i : i + _SUMMED + 1]) == 1)) for i in range(0, n - 1, _SUMMED))


def is_ascending(values: NDArray[Any]) -> bool:
    """Whether each value (n,) is larger than the one before."""
    blocks = (values[start : start + _SUMMED + 1] for start in range(0, len(values) - 1, _SUMMED))
    return all(bool(np.all(block[1:] > block[:-1])) for block in blocks)


def code_counts(codes: Column, n_codes: int, weights: FloatArray | None = None) -> FloatArray:
    """How often each code from 0 on occurs, or its weight (n_codes,), in blocks: numpy copies codes as 8 bytes each."""
    if weights is not None:  # in blocks the sums would be rounded otherwise
        return np.bincount(codes, weights, minlength=n_codes).astype(np.float64)
    counts = np.zeros(n_codes)
    for start in range(0, len(codes), _SUMMED):
        counts += np.bincount(codes[start : start + _SUMMED], minlength=n_codes)
    return counts


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """``np.unique(values)`` by sorting: numpy hashes whole numbers, and holds the interpreter lock meanwhile."""
    ordered = np.sort(values)
    return ordered[_begins(ordered)]


def group_numbers(values: NDArray[Any]) -> NDArray[Any]:
    """The place (n,) of each value among the :func:`distinct` ones, in few bytes."""
    order = np.argsort(values)
    begins = _begins(values[order])
    groups = np.empty(len(values), dtype=np.int32 if len(values) < 1 << 31 else np.int64)
    places = running_sums(begins, groups.dtype)
    places -= 1
    groups[order] = places
    return groups


def _begins(ordered: NDArray[Any]) -> Mask:
    """Mask (n,) of the first of each run of equal values."""
    begins = np.ones(len(ordered), dtype=np.bool_)
    begins[1:] = ordered[1:] != ordered[:-1]
    return begins


def running_sums(values: NDArray[Any], dtype: Any = None) -> NDArray[Any]:
    """``np.cumsum(values)`` (n,), in blocks: numpy holds the interpreter lock while it adds one up."""
    sums = np.empty(len(values), dtype=np.cumsum(values[:0], dtype=dtype).dtype)
    for start in range(0, len(values), _SUMMED):
        block = sums[start : start + _SUMMED]
        block[:] = values[start : start + _SUMMED]
        if start:
            block[0] += sums[start - 1]
        np.cumsum(block, out=block)
    return sums


CUT_DIGITS: Final = 5
"""Significant digits of a cut between values, where these tell them apart; a cut with no more digits stays."""
MOST_CUT_DIGITS: Final = 11
FEW_CUTS: Final = 8
"""Up to so many cuts, looking through the values for each takes less time than sorting them."""


def neighbours(values: FloatArray, cuts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The largest of ``values`` (n,) up to each of ``cuts`` (m,) and the smallest beyond, infinite without one."""
    if len(cuts) <= FEW_CUTS:
        below = [np.max(values, where=values <= cut, initial=-np.inf) for cut in cuts.tolist()]
        return np.array(below), np.array([np.min(values, where=values > cut, initial=np.inf) for cut in cuts.tolist()])
    ordered = np.concatenate([[-np.inf], np.sort(values[~np.isnan(values)]), [np.inf]])
    beyond = np.minimum(np.searchsorted(ordered, cuts, side="right"), len(ordered) - 1)
    return ordered[np.maximum(beyond - 1, 0)], ordered[beyond]


def needs_fewer_digits(cuts: FloatArray) -> Mask:
    """Mask (m,) of the finite cuts with more than five significant digits."""
    return np.array([isfinite(cut) and float(f"{cut:.{CUT_DIGITS}g}") != cut for cut in cuts.tolist()], dtype=np.bool_)


def short_cuts(cuts: FloatArray, below: FloatArray, above: FloatArray) -> FloatArray:
    """Numbers (m,) that divide the values as ``cuts`` (m,) do, with the fewest significant digits from five on.

    ``below`` and ``above`` (m,) are the :func:`neighbours` of each cut: the number is at least the first and less than
    the second. A cut stays if it has no more than five digits, is not finite, or eleven do not suffice.
    """
    short, size = cuts.copy(), np.abs(cuts)
    is_open = np.isfinite(cuts) & (size > 1e-15) & (size < 1e15)
    power = np.floor(np.log10(np.where(is_open, size, 1.0))).astype(np.int64)
    for digits in range(CUT_DIGITS, MOST_CUT_DIGITS + 1):
        decimals = digits - 1 - power
        unit, has_decimals = 10.0 ** np.abs(decimals), decimals >= 0
        scaled = np.where(has_decimals, cuts * unit, cuts / unit)
        for rounded in (np.rint(scaled), np.floor(scaled), np.ceil(scaled)):
            number = np.where(has_decimals, rounded / unit, rounded * unit)
            fits = is_open & (below <= number) & (number < above)
            short[fits] = number[fits]
            is_open &= ~fits
        if not is_open.any():
            break
    return short


def is_whole(column: FloatArray) -> bool:
    """Whether numbers of a column are integers that floats represent exactly; missing ones may be among them."""
    present = column[~np.isnan(column)]
    is_exact = (np.abs(present) < LARGEST_EXACT) & (np.trunc(present) == present)
    is_exact &= ~(np.signbit(present) & (present == 0))
    return bool(len(present) and np.all(is_exact))


_FEW: Final = 64
"""So many positions are searched among the entries; more are read from the dense column."""


@dataclass(frozen=True, eq=False)
class CompressedColumns:
    """Numbers (n, m): the entries of column j are ``starts[j]`` to ``starts[j + 1]``, by ascending ``rows``."""

    n: int
    starts: IntArray
    rows: NDArray[np.int32]
    values: FloatArray

    @classmethod
    def of(cls, matrix: Any) -> CompressedColumns:
        """The block of a scipy matrix in compressed columns (n, m)."""
        matrix.sort_indices()
        rows, starts = matrix.indices.astype(np.int32, copy=False), matrix.indptr.astype(np.int64, copy=False)
        return cls(matrix.shape[0], starts, rows, matrix.data.astype(np.float64, copy=False))

    def columns(self) -> list[SparseColumn]:
        return [SparseColumn(self, place) for place in range(len(self.starts) - 1)]


class SparseColumn:
    """One column of a block; behaves as a read-only array (n,) of float64 where it is indexed or converted."""

    __slots__ = ("block", "place")
    dtype: Final = np.dtype(np.float64)
    ndim: Final = 1

    def __init__(self, block: CompressedColumns, place: int) -> None:
        self.block, self.place = block, place

    def __len__(self) -> int:
        return self.block.n

    @property
    def shape(self) -> tuple[int]:
        return (self.block.n,)

    def entries(self) -> tuple[NDArray[np.int32], FloatArray]:
        """The ascending positions (e,) of the numbers that are stored, and the numbers (e,)."""
        own = slice(int(self.block.starts[self.place]), int(self.block.starts[self.place + 1]))
        return self.block.rows[own], self.block.values[own]

    def dense(self) -> FloatArray:
        column = np.zeros(self.block.n)
        rows, values = self.entries()
        column[rows] = values
        return column

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.dense() if dtype is None else self.dense().astype(dtype, copy=False)

    def __getitem__(self, positions: Any) -> Any:
        if not isinstance(positions, np.ndarray) or positions.dtype == np.bool_ or len(positions) > _FEW:
            return self.dense()[positions]
        rows, values = self.entries()
        if not len(rows):
            return np.zeros(len(positions))
        places = np.searchsorted(rows, positions).clip(max=len(rows) - 1)
        return np.where(rows[places] == positions, values[places], 0.0)

    def astype(self, dtype: Any, copy: bool = True) -> NDArray[Any]:
        return self.dense().astype(dtype, copy=copy)


def dense(column: Any) -> NDArray[Any]:
    """A stored column as an array; one that is an array already stays the same object."""
    if not isinstance(column, SparseColumn):
        array: NDArray[Any] = column
        return array
    whole = column.dense()
    whole.flags.writeable = False
    return whole


def stored_column(attribute: Attribute, values: Any) -> Column:
    """The values of an attribute as :func:`as_column` gives them; a sparse column stays one."""
    return cast(Column, values) if isinstance(values, SparseColumn) else as_column(attribute, values)
