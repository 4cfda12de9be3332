"""Sparse columns of a data set: blocks of numbers of which most are zero, such as counts of words.

A block is a matrix in compressed columns; a :class:`SparseColumn` is one of its columns in place of an array. Whoever
asks a data set for such a column gets a dense array that is not kept; whoever can use the entries alone asks for
:func:`algorithms.data.sparse_matrix.sparse_matrix`. Sparse columns have no missing values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray

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
