"""The sparse columns of a data set as one matrix, for learners that use their entries alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset, Derivation

MOST_DENSE_CELLS: Final = 100_000_000
"""Largest number of cells (800 MB) of sparse columns that are made dense for who cannot use their entries alone."""


class SparseMatrix(NamedTuple):
    """The sparse predictors of a data set: their ``indices`` (m,), and their numbers, a csr array (n, m) of scipy."""

    indices: IntArray
    numbers: Any


def sparse_predictors(data: Dataset) -> list[int]:
    """The indices of the predictors that are stored as sparse columns."""
    return [index for index in data.schema.predictors if data.sparse_column(index) is not None]


def n_sparse_cells(data: Dataset) -> int:
    """How many cells the sparse predictors have; 0 if there are none."""
    return len(data) * len(sparse_predictors(data))


def _matrix_of(data: Dataset, _checkpoint: Callable[[], None]) -> SparseMatrix:
    """The matrix of the sparse predictors over the rows of the data set."""
    from scipy.sparse import csc_array  # late: few tables have sparse columns

    indices = sparse_predictors(data)
    stored = [column for index in indices if (column := data.sparse_column(index)) is not None]
    entries = [column.entries() for column in stored]
    starts = np.concatenate([[0], np.cumsum([len(rows) for rows, _ in entries])]).astype(np.int64)
    rows = np.concatenate([np.zeros(0, np.int32), *(rows for rows, _ in entries)])
    values = np.concatenate([np.zeros(0), *(values for _, values in entries)])
    n = len(stored[0]) if stored else len(data)
    matrix = csc_array((values, rows, starts), shape=(n, len(stored))).tocsr()
    if not data.has_all_positions:
        matrix = matrix[data.positions]
    return SparseMatrix(np.array(indices, dtype=np.int64), matrix)


def _rows_of_matrix(matrix: SparseMatrix, _parent: Dataset, rows: IntArray) -> SparseMatrix:
    return SparseMatrix(matrix.indices, matrix.numbers[rows])


SPARSE_MATRIX: Final = Derivation[SparseMatrix]("sparse matrix", _matrix_of, take=_rows_of_matrix)


def sparse_matrix(data: Dataset, checkpoint: Callable[[], None] = lambda: None) -> SparseMatrix:
    """The sparse predictors of a data set as a matrix over its rows, kept with the data set."""
    return data.derived(SPARSE_MATRIX, checkpoint)
