"""Many axes: records placed along several axes at once, bars that count them along one, and parallel axes.

Parallel axes have what each shows, the chosen ranges, and the lines between neighbouring axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray, Mask
from algorithms.data.dataset import Dataset
from workbench.layout.camera import DEEPEST
from workbench.layout.density import Pixels, packed, painted
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


BEYOND: Final = 0.04
"""Distance beyond the end of an axis at which a value out of view is drawn, as a share of the axis."""
MISSING: Final = -0.13
"""Height of a missing value, as a share of the axis."""
MARGIN: Final = 0.03
_BLOCK: Final = 65_536
"""Number of records between two checkpoints."""


@dataclass(frozen=True)
class AxisView:
    """The visible range of an axis in its units; ``turned`` puts its largest value at the bottom."""

    low: float
    high: float
    turned: bool = False

    def heights(self, units: Coordinates) -> Coordinates:
        """Heights of records (m,) as shares of the axis: 0 at the bottom, 1 at the top."""
        share = (units - np.float32(self.low)) * np.float32(1 / (self.high - self.low))
        if self.turned:
            share = np.float32(1) - share
        np.clip(share, np.float32(-BEYOND), np.float32(1 + BEYOND), out=share)
        share[units == np.float32(OUTSIDE)] = MISSING
        return share

    @property
    def line(self) -> tuple[float, float]:
        """Height of the axis's zero, and height per unit."""
        slope = (-1 if self.turned else 1) / (self.high - self.low)
        return self.height(0.0), slope

    def height(self, unit: float) -> float:
        """Height of a place of the axis, without limits."""
        share = (unit - self.low) / (self.high - self.low)
        return 1 - share if self.turned else share

    def unit(self, height: float) -> float:
        """The place of the axis at a height."""
        share = 1 - height if self.turned else height
        return self.low + share * (self.high - self.low)

    def flipped(self) -> AxisView:
        return replace(self, turned=not self.turned)

    def zoomed(self, factor: float, height: float, whole: tuple[float, float]) -> AxisView:
        """The view enlarged ``factor`` times around a height; at most the whole axis."""
        middle, size = self.unit(height), self.high - self.low
        shrunk = max(size / factor, DEEPEST)
        if shrunk >= whole[1] - whole[0]:
            return replace(self, low=whole[0], high=whole[1])
        low = middle - (middle - self.low) * shrunk / size
        return replace(self, low=low, high=low + shrunk).panned(0.0, whole)

    def panned(self, share: float, whole: tuple[float, float]) -> AxisView:
        """The view moved upwards by a share of its size, inside the whole axis."""
        size = self.high - self.low
        step = -share * size if self.turned else share * size
        low = min(max(self.low + step, whole[0]), max(whole[0], whole[1] - size))
        return replace(self, low=low, high=low + size)


def whole_view(scale: AxisScale) -> AxisView:
    """The view of a whole axis, with room for the spread of its outermost values."""
    return AxisView(*whole_range(scale))


def whole_range(scale: AxisScale) -> tuple[float, float]:
    if scale.is_banded:
        return 0.0, 1.0
    margin = max(0.0, scale.gap * 0.5)
    return -margin, 1.0 + margin


@dataclass(frozen=True)
class Brush:
    """A chosen range of an axis in its units; ``with_missing`` includes missing values."""

    low: float
    high: float
    with_missing: bool = False

    def holds(self, units: Coordinates) -> Mask:
        """Mask (m,) of the records in the range."""
        is_chosen = (units >= np.float32(self.low)) & (units <= np.float32(self.high))
        if self.with_missing:
            is_chosen |= units == np.float32(OUTSIDE)
        return is_chosen


def brush_between(scale: AxisScale, view: AxisView, first: float, last: float) -> Brush:
    """The brush between two heights of an axis; on a nominal axis it covers the bands whose middle it covers."""
    low, high = sorted((view.unit(first), view.unit(last)))
    with_missing = min(first, last) <= MISSING + MARGIN
    if scale.is_banded:
        n = scale.n_bands
        bands = np.flatnonzero((np.arange(n) + 0.5 >= low * n) & (np.arange(n) + 0.5 <= high * n))
        if len(bands):
            low, high = bands[0] / n, (bands[-1] + 1) / n
        else:
            band = min(n - 1, max(0, int((low + high) / 2 * n)))
            low, high = band / n, (band + 1) / n
        if with_missing and max(first, last) < 0:
            low = high = OUTSIDE
    elif with_missing and max(first, last) < -BEYOND:
        low = high = OUTSIDE
    return Brush(float(low), float(high), with_missing)


def brushed(places: MultiAxisPoints, brushes: Mapping[int, Brush]) -> Mask:
    """Mask (m,) of the records in every brush; ``brushes`` by number of axis."""
    is_chosen = np.ones(len(places), dtype=np.bool_)
    for axis, brush in brushes.items():
        is_chosen &= brush.holds(places.units[axis])
    return is_chosen


def nearest_line(
    places: MultiAxisPoints,
    left: int,
    views: tuple[AxisView, ...],
    share: float,
    height: float,
    reach: float,
    among: Mask | None = None,
) -> int:
    """The record whose line right of an axis is nearest to a point, at most ``reach`` away; -1 for none.

    The point lies ``share`` of the way to the next axis. ``height`` and ``reach`` are shares of an axis. ``among`` (m,)
    restricts the records.
    """
    best, nearest = reach, -1
    ends = (views[left], places.units[left]), (views[left + 1], places.units[left + 1])
    is_straight = all(
        (view.low <= 0.0 and view.high >= 1.0) and not places.n_missing[left + index]
        for index, (view, _) in enumerate(ends)
    )
    (first, last), shares = ends, (np.float32(1 - share), np.float32(share))
    zero, slope = zip(*(view.line for view, _ in ends), strict=True)
    constant = np.float32(zero[0] * (1 - share) + zero[1] * share - height)
    slopes = np.float32(slope[0] * (1 - share)), np.float32(slope[1] * share)
    for start in range(0, len(places), _BLOCK):
        part = slice(start, start + _BLOCK)
        if is_straight:
            away = first[1][part] * slopes[0]
            away += last[1][part] * slopes[1]
            away += constant
        else:
            away = first[0].heights(first[1][part]) * shares[0]
            away += last[0].heights(last[1][part]) * shares[1]
            away -= np.float32(height)
        np.abs(away, out=away)
        if among is not None:
            away[~among[part]] = np.inf
        index = int(np.argmin(away))
        if float(away[index]) <= best:
            best, nearest = float(away[index]), start + index
    return nearest


def heights_of(places: MultiAxisPoints, views: tuple[AxisView, ...], records: NDArray[Any]) -> Coordinates:
    """Heights (r, k) of some records on all axes."""
    if not views:
        return np.empty((len(records), 0), dtype=np.float32)
    return np.stack([view.heights(unit[records]) for view, unit in zip(views, places.units, strict=True)], axis=1)


FAINTEST: Final = 0.16


@dataclass(frozen=True)
class Gap:
    """The space between an axis and the next one, with the views of both."""

    left: int
    left_view: AxisView
    right_view: AxisView


@dataclass(frozen=True, eq=False)
class LineCounts:
    """Lines by both ends: counts ``total`` (n, n), and sums of their colours ``mixed`` (3, n, n)."""

    total: FloatArray
    mixed: FloatArray


def count_lines(
    places: MultiAxisPoints,
    gap: Gap,
    n: int,
    span: tuple[float, float],
    colors: NDArray[np.float32],
    among: Mask | None = None,
    checkpoint: Checkpoint = int,
) -> LineCounts:
    """Counts the lines of a gap by their ends, in ``n`` steps of height over ``span``; step 0 is the lowest.

    ``colors`` (k + 1, 3) starts with the colour of records without class; ``among`` (m,) restricts the records.
    """
    total = np.zeros(n * n)
    mixed = np.zeros((3, n * n))
    per = np.float32(n / (span[1] - span[0]))
    for code in range(places.n_classes + 1):
        first, last = int(places.starts[code]), int(places.starts[code + 1])
        counts = np.zeros(n * n, dtype=np.int64)
        for start in range(first, last, _BLOCK):
            checkpoint()
            part = slice(start, min(last, start + _BLOCK))
            units = places.units[gap.left][part], places.units[gap.left + 1][part]
            if among is not None:
                units = units[0][among[part]], units[1][among[part]]
            a, b = gap.left_view.heights(units[0]), gap.right_view.heights(units[1])
            begin = ((a - np.float32(span[0])) * per).astype(np.int32).clip(0, n - 1)
            end = ((b - np.float32(span[0])) * per).astype(np.int32).clip(0, n - 1)
            pairs = np.bincount(begin * np.int32(n) + end)
            counts[: len(pairs)] += pairs
        checkpoint()
        if last > first:
            total += counts
            for channel in range(3):
                mixed[channel] += counts * colors[code, channel]
    return LineCounts(total.reshape(n, n), mixed.reshape(3, n, n))


def lines_picture(
    ends: LineCounts, columns: int, *, faintest: float = FAINTEST, opacity: float = 1.0, checkpoint: Checkpoint = int
) -> Pixels:
    """Premultiplied ARGB pixels (n, columns), row 0 on top: lines without holes from edge to edge."""
    n = len(ends.total)
    full = np.flatnonzero(ends.total)
    total = np.zeros((n, columns))
    mixed = np.zeros((3, n, columns))
    if len(full):
        begin, end = n - 1 - full // n + 0.5, n - 1 - full % n + 0.5
        weights = [ends.total.ravel()[full], *(ends.mixed[channel].ravel()[full] for channel in range(3))]
        enter = begin
        for column in range(columns):
            checkpoint()
            leave = begin + (end - begin) * ((column + 1) / columns)
            first = np.minimum(enter, leave).astype(np.int64)
            after = np.maximum(enter, leave).astype(np.int64) + 1
            for weight, sums in zip(weights, (total, *mixed), strict=True):
                steps = np.bincount(first, weight, n + 1) - np.bincount(after, weight, n + 1)
                sums[:, column] = np.cumsum(steps)[:n]
            enter = leave
        np.round(total, out=total)
        np.maximum(mixed, 0.0, out=mixed)
    return painted(total, mixed, faintest, opacity, checkpoint)


WIDTH: Final = 1.4
"""Width of a line in pixels."""
DASH, DASH_GAP = 7, 4
_LINES_AT_A_TIME: Final = 32_768


def drawn_lines(
    begin: FloatArray,
    end: FloatArray,
    colors: NDArray[np.floating],
    size: tuple[int, int],
    strength: float,
    dashed: Mask | None = None,
    checkpoint: Checkpoint = int,
) -> Pixels:
    """Premultiplied ARGB pixels (rows, columns): lines from the left edge to the right one.

    ``begin`` and ``end`` (n,) are pixels from the top, ``colors`` (n, 3) 0 to 255, ``size`` rows and columns. A line
    covers ``strength`` of what lies below; crossing lines mix their colours. ``dashed`` (n,) lines have gaps.
    """
    rows, columns = size
    total = np.zeros((columns, rows + 2))
    mixed = np.zeros((3, columns, rows + 2))
    slope = (end - begin) / columns
    weight = WIDTH * np.hypot(1.0, slope) / (WIDTH + np.abs(slope))
    phase = np.arange(len(begin)) * DASH  # shifts the dashes of neighbouring lines, which would look like stripes
    per_block = max(1, _LINES_AT_A_TIME // max(1, len(begin)))
    for start in range(0, columns if len(begin) else 0, per_block):
        checkpoint()
        column = np.arange(start, min(columns, start + per_block))
        enter, leave = begin + slope * column[:, None], begin + slope * (column[:, None] + 1)
        heavy = np.broadcast_to(weight, enter.shape)
        if dashed is not None:
            is_gap = (column[:, None] + phase) % (DASH + DASH_GAP) >= DASH
            heavy = np.where(is_gap & dashed, 0.0, heavy)
        top = np.clip(np.minimum(enter, leave) - WIDTH / 2, 0, rows)
        bottom = np.clip(np.maximum(enter, leave) + WIDTH / 2, 0, rows)
        places, steps = _steps(column - start, top, bottom, heavy, rows + 2)
        for sums, shade in ((total, None), *((mixed[channel], colors[:, channel]) for channel in range(3))):
            checkpoint()
            shaded = steps if shade is None else steps * np.tile(shade, 4 * len(column))
            changes = np.bincount(places, shaded, len(column) * (rows + 2))
            sums[column] = np.cumsum(changes.reshape(len(column), rows + 2), axis=1)
    return _painted(total[:, :rows].T, mixed[:, :, :rows].transpose(0, 2, 1), strength, checkpoint)


def _steps(
    columns: NDArray[np.integer], top: FloatArray, bottom: FloatArray, weight: FloatArray, rows: int
) -> tuple[NDArray[np.integer], FloatArray]:
    """Places and sizes of the changes in cover; their sum is each row's share from ``top`` to ``bottom``."""
    first = columns[:, None] * rows
    places, steps = [], []
    for edge, sign in ((top, 1.0), (bottom, -1.0)):
        row = edge.astype(np.int64)
        inside = edge - row
        places += [first + row, first + row + 1]
        steps += [sign * weight * (1 - inside), sign * weight * inside]
    return np.concatenate([place.ravel() for place in places]), np.concatenate([step.ravel() for step in steps])


def _painted(total: FloatArray, mixed: FloatArray, strength: float, checkpoint: Checkpoint) -> Pixels:
    """The picture of the summed cover: each line covers a share of what lies below, never all of it."""
    cover = np.ascontiguousarray(total)
    full = np.flatnonzero(cover > 0.004)
    checkpoint()
    number = cover.ravel()[full]
    alpha = 1.0 - (1.0 - strength) ** number
    shades = np.stack([np.clip(channel.ravel()[full] / number, 0, 255) for channel in mixed])
    return packed(cover.shape, full, alpha, shades)
