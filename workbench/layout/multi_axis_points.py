"""Records placed along several axes at once, and bars that count them by class along one axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from algorithms.data.columns import IntArray, Mask
from algorithms.data.dataset import Dataset
from workbench.layout.points import (
    AxisScale,
    Checkpoint,
    ClassGroups,
    Coordinates,
    ScatterPoints,
    grouped_by_class,
    place_values,
    scale_of,
)

OUTSIDE: Final = -9.0
"""Unit of a missing value: outside every possible view."""
SAMPLED_FROM: Final = 100_000
"""From this many records on, a sample is drawn first."""
EVERY: Final = 16


@dataclass(frozen=True, eq=False)
class MultiAxisPoints(ClassGroups):
    """Records along k axes, grouped by class as in :class:`ScatterPoints`.

    ``units`` are k arrays (m,) in units of the axes, ``OUTSIDE`` where the value is missing. ``rows`` (m,) are row
    numbers in the data; ``wrong`` (m,) marks wrong predictions. ``n_missing`` (k,) counts missing values per axis,
    ``n_incomplete`` records with any.
    """

    scales: tuple[AxisScale, ...]
    units: tuple[Coordinates, ...]
    rows: IntArray
    starts: IntArray
    wrong: Mask
    n_missing: tuple[int, ...]
    n_incomplete: int

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def n_axes(self) -> int:
        return len(self.scales)

    def pair(self, across: int, up: int) -> ScatterPoints:
        """The plane of two axes; records with a missing value lie outside."""
        x, y = self.units[across], self.units[up]
        return ScatterPoints(self.scales[across], self.scales[up], x, y, self.rows, self.starts, self.wrong, 0)

    def of_class(self, code: int) -> Mask:
        """Mask (m,) of the records of one class."""
        is_of_class = np.zeros(len(self), dtype=np.bool_)
        is_of_class[self.starts[code + 1] : self.starts[code + 2]] = True
        return is_of_class

    def only(self, kept: Mask) -> MultiAxisPoints:
        """The records selected by a mask (m,)."""
        starts = np.concatenate([[0], np.cumsum(kept)])[self.starts]
        units = tuple(unit[kept] for unit in self.units)
        return replace(self, units=units, rows=self.rows[kept], starts=starts, wrong=self.wrong[kept])

    def reordered(self, order: Sequence[int]) -> MultiAxisPoints:
        """The same records with the axes in another order."""
        return replace(
            self,
            scales=tuple(self.scales[axis] for axis in order),
            units=tuple(self.units[axis] for axis in order),
            n_missing=tuple(self.n_missing[axis] for axis in order),
        )

    def sampled(self, every: int) -> MultiAxisPoints:
        """Every ``every``-th record."""
        starts = -(-self.starts // every)
        units = tuple(np.ascontiguousarray(unit[::every]) for unit in self.units)
        return replace(self, units=units, rows=self.rows[::every], starts=starts, wrong=self.wrong[::every])


def places_of(
    data: Dataset, axes: Sequence[int], wrong: Mask | None = None, *, spread: bool = True, checkpoint: Checkpoint = int
) -> MultiAxisPoints:
    """Places of all records along some attributes (positions in the schema); ``wrong`` (n,) marks wrong predictions."""
    n = len(data)
    rows, starts = grouped_by_class(data, np.arange(n))
    scales: list[AxisScale] = []
    units: list[Coordinates] = []
    n_missing: list[int] = []
    incomplete = np.zeros(n, dtype=np.bool_)
    for index in axes:
        checkpoint()
        scale = scale_of(data, index)
        unit = place_values(data, index, scale, index if spread else None)[rows]
        missing = np.isnan(unit)
        unit[missing] = OUTSIDE
        incomplete |= missing
        scales.append(scale)
        units.append(unit)
        n_missing.append(int(np.count_nonzero(missing)))
    marks = np.zeros(n, dtype=np.bool_) if wrong is None else wrong[rows]
    n_incomplete = int(np.count_nonzero(incomplete))
    return MultiAxisPoints(tuple(scales), tuple(units), rows, starts, marks, tuple(n_missing), n_incomplete)


def inside(places: MultiAxisPoints, axis: int, low: float, high: float) -> Mask:
    """Mask (m,) of the records between two places of an axis, the ends included."""
    unit = places.units[axis]
    return (unit >= low) & (unit <= high)


MOST_BARS: Final = 36
MOST_BANDS: Final = 120
_BLOCK: Final = 65_536


@dataclass(frozen=True, eq=False)
class BinCounts:
    """``counts`` (k + 1, b) of records without class and of each class, between ``low`` and ``high`` on the axis."""

    low: float
    high: float
    counts: IntArray

    @property
    def n_bars(self) -> int:
        return len(self.counts[0])

    @property
    def highest(self) -> int:
        """Number of records in the largest bar."""
        return int(self.counts.sum(axis=0).max(initial=0))


def bars_of(
    places: MultiAxisPoints, axis: int, low: float, high: float, among: Mask | None = None, checkpoint: Checkpoint = int
) -> BinCounts:
    """The bars of the visible part of an axis; a nominal axis always has one bar for each value."""
    scale = places.scales[axis]
    n_bars = MOST_BARS
    if scale.is_banded:
        low, high, n_bars = 0.0, 1.0, min(MOST_BANDS, scale.n_bands)
    counts = np.zeros((places.n_classes + 1, n_bars), dtype=np.int64)
    unit, per = places.units[axis], np.float32(n_bars / (high - low))
    for code in range(places.n_classes + 1):
        first, last = int(places.starts[code]), int(places.starts[code + 1])
        for start in range(first, last, _BLOCK):
            checkpoint()
            part = slice(start, min(last, start + _BLOCK))
            bar = np.floor((unit[part] - np.float32(low)) * per).astype(np.int32)
            bar[unit[part] == np.float32(high)] = n_bars - 1
            seen = (bar >= 0) & (bar < n_bars)
            if among is not None:
                seen &= among[part]
            counts[code] += np.bincount(bar[seen], minlength=n_bars)
    return BinCounts(low, high, counts)
