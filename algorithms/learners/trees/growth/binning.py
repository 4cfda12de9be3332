"""Numbers cut into bins of about equally many records, and records as rows of codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.data.columns import Column, FloatArray, IntArray
from algorithms.data.dataset import Dataset, Derivation
from algorithms.learners.trees.growth.growth_options import middles

Codes = NDArray[Any]
"""Records as rows of codes (n, w), uint8 or uint16: a column a predictor, then the class, then padding to 8 bytes."""

MOST_CODES: Final = 1 << 16

_ROWS: Final = 1 << 14
"""Records encoded at a time: their codes stay in the processor's cache."""

_SLACK: Final = 1e-9

MANY: Final = 100_000
"""From so many records on numbers are counted in cells of equal width before they are put in bins, not sorted."""
_CELLS: Final = 1 << 14
_CELLS_A_BIN: Final = 8
"""So many cells to a bin must hold numbers for that."""


@dataclass(frozen=True, eq=False)
class Bins:
    """The bins of each predictor, in turn; ``lower`` and ``upper`` are the training values at their two ends.

    ``n_codes`` (d,) is the number of bins, or of values where a predictor is no number; the code after the last means
    that the value is missing. What is no number has no ends.
    """

    n_codes: IntArray
    lower: tuple[FloatArray, ...]
    upper: tuple[FloatArray, ...]

    def numbers_in_codes(self, place: int, numbers: FloatArray) -> FloatArray:
        """The codes of numbers of the predictor at this place, NaN where missing."""
        codes = np.searchsorted(self.upper[place][:-1], numbers, side="left")
        return np.where(np.isnan(numbers), np.nan, codes)

    def between(self, place: int, low: NDArray[Any], high: NDArray[Any], thresholds: str) -> FloatArray:
        """The thresholds between bins low < high with nothing in between: half way, or at a bin's end before that."""
        upper = self.upper[place]
        found = middles(upper[low], self.lower[place][high])
        return upper[np.searchsorted(upper, found, side="right") - 1] if thresholds == "data-value" else found

    def code_type(self, n_classes: int) -> np.dtype[Any]:
        """The smallest type for all codes; raises :class:`DataError` where a predictor has too many values."""
        most = max(int(self.n_codes.max(initial=0)) + 1, n_classes)
        if most > MOST_CODES:
            raise DataError(
                f"A column has {most - 1:,} different values, too many for quick growth.",
                remedy="Leave it out, or try every value.",
            )
        return np.dtype(np.uint8 if most <= 256 else np.uint16)


@dataclass(frozen=True, eq=False)
class BinnedRecords:
    """All records of a data set as codes, and the bins these stand for."""

    bins: Bins
    codes: Codes

    @property
    def has_missing(self) -> bool:
        d = len(self.bins.n_codes)
        return bool(np.any(self.codes[:, :d] == self.bins.n_codes))


def number_ends(values: FloatArray, weights: FloatArray | None, n_bins: int) -> tuple[FloatArray, FloatArray]:
    """The least and the largest value of each bin of some numbers (NaN: missing), ascending.

    Each value has a bin of its own where there are no more than ``n_bins`` different ones; otherwise the bins hold
    about equal weights, and equal values share a bin. The same whatever the order of the records.
    """
    if len(values) >= MANY:
        found = _ends_by_cells(values, weights, n_bins)
        if found is not None:
            return found
    known = ~np.isnan(values)
    numbers = values[known] + 0.0
    if weights is None:
        numbers.sort()
        ends = _last_of_runs(numbers)
        weight_up_to: NDArray[Any] = ends + 1
    else:
        order = np.argsort(numbers, kind="stable")
        numbers, cumulated = numbers[order], np.cumsum(weights[known][order])
        ends = _last_of_runs(numbers)
        weight_up_to = cumulated[ends]
    distinct = numbers[ends]
    if len(distinct) <= n_bins:
        return distinct, distinct
    bin_of = np.ceil(weight_up_to * (n_bins / weight_up_to[-1]) - _SLACK).astype(np.int64)
    last = _last_of_runs(bin_of)
    return distinct[np.append(0, last[:-1] + 1)], distinct[last]


def _ends_by_cells(values: FloatArray, weights: FloatArray | None, n_bins: int) -> tuple[FloatArray, FloatArray] | None:
    """:func:`number_ends` to within a cell of 16,384 equally wide ones; None where that is too coarse.

    It is where few cells hold numbers (few different ones, or far apart), or one holds half as much as a bin is to.
    """
    from algorithms.learners.trees.kernels.binning_kernels import count_cells

    low, high = float(np.fmin.reduce(values)), float(np.fmax.reduce(values))
    if not np.isfinite(high - low) or high <= low:
        return None
    held, least, largest = np.zeros(_CELLS), np.full(_CELLS, np.inf), np.full(_CELLS, -np.inf)
    each = np.zeros(0) if weights is None else weights
    count_cells(_in_a_row(values), each, low, _CELLS / (high - low), held, least, largest)
    filled = np.flatnonzero(largest >= least)
    mixed = held[filled][largest[filled] > least[filled]]
    total = float(held.sum())
    if len(filled) < _CELLS_A_BIN * n_bins or mixed.max(initial=0.0) > total / (2 * n_bins):
        return None
    up_to = np.cumsum(held[filled])
    last = _last_of_runs(np.ceil(up_to * (n_bins / up_to[-1]) - _SLACK).astype(np.int64))
    return least[filled[np.append(0, last[:-1] + 1)]] + 0.0, largest[filled[last]] + 0.0


def _in_a_row(column: Column) -> FloatArray:
    """The numbers of a column one after the other in memory, read-only: what the loops are compiled for."""
    numbers = np.ascontiguousarray(column, dtype=np.float64).view()
    numbers.flags.writeable = False
    return numbers


def _last_of_runs(values: NDArray[Any]) -> IntArray:
    """Positions of the last of each run of equal values."""
    return (
        np.append(np.flatnonzero(values[1:] != values[:-1]), len(values) - 1) if len(values) else np.zeros(0, np.int64)
    )


def in_codes(data: Dataset, bins: Bins) -> Dataset:
    """The data with the codes of its numeric predictors in their place."""
    replaced = {
        index: (data.schema.attributes[index], bins.numbers_in_codes(place, data.column(index)))
        for place, index in enumerate(data.schema.predictors)
        if not data.schema.attributes[index].kind.is_coded
    }
    return data.with_columns(replaced)


def bins_of(
    data: Dataset, n_bins: int, checkpoint: Callable[[], None], columns: Sequence[Column] | None = None
) -> Bins:
    """The bins of a data set's predictors, whose ``columns`` these are."""
    n_codes, lower, upper = [], [], []
    columns = [data.column(index) for index in data.schema.predictors] if columns is None else columns
    for index, column in zip(data.schema.predictors, columns, strict=True):
        checkpoint()
        attribute = data.schema.attributes[index]
        least, largest = np.zeros(0), np.zeros(0)
        if not attribute.kind.is_coded:
            least, largest = number_ends(column, data.weights, n_bins)
        lower.append(least)
        upper.append(largest)
        n_codes.append(len(attribute.values) if attribute.kind.is_coded else max(1, len(largest)))
    return Bins(np.array(n_codes, dtype=np.int64), tuple(lower), tuple(upper))


def room_for_codes(n: int, n_predictors: int, code_type: np.dtype[Any]) -> Codes:
    """Zeros for the codes of n records."""
    per_word = 8 // code_type.itemsize
    return np.zeros((n, -(-(n_predictors + 1) // per_word) * per_word), dtype=code_type)


def encode(
    columns: Sequence[Column], classes: Column, bins: Bins, codes: Codes, checkpoint: Callable[[], None]
) -> None:
    """Write the codes of records from their predictors' columns and their classes, which are known."""
    from algorithms.learners.trees.kernels.binning_kernels import GRID, encode_numbers, lay_grid

    columns = [_in_a_row(column) if column.dtype == np.float64 else column for column in columns]
    cuts = [np.append(upper[:-1], np.inf) for upper in bins.upper]
    grids = [np.zeros(GRID + 3, dtype=np.int64) for _ in columns]
    for mine, grid in zip(cuts, grids, strict=True):
        lay_grid(mine, grid)
    for first in range(0, len(classes), _ROWS):
        checkpoint()
        rows = slice(first, first + _ROWS)
        for place, column in enumerate(columns):
            to, missing = codes[rows, place], int(bins.n_codes[place])
            if column.dtype == np.float64:
                encode_numbers(column[rows], cuts[place], grids[place], missing, to)
            else:
                to[:] = np.where(column[rows] < 0, missing, column[rows])
        codes[rows, len(columns)] = classes[rows]


@cache
def binned(n_bins: int) -> Derivation[BinnedRecords]:
    """The records of a data set under bins made from all of them: of a fold, from the fold's records alone."""

    def compute(data: Dataset, checkpoint: Callable[[], None]) -> BinnedRecords:
        columns = [data.column(index) for index in data.schema.predictors]
        columns = [_in_a_row(column) if column.dtype == np.float64 else column for column in columns]
        bins = bins_of(data, n_bins, checkpoint, columns)
        code_type = bins.code_type(len(data.schema.classes))
        codes = room_for_codes(len(data), len(data.schema.predictors), code_type)
        encode(columns, data.class_codes, bins, codes, checkpoint)
        return BinnedRecords(bins, codes)

    return Derivation(f"records in {n_bins} bins", compute, uses_weights=True)
