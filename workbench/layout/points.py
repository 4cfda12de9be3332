"""Records as points of a plane: positions, sizes, links, lasso selection, oblique projection of three axes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import cos, pi, sin
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import Column, FloatArray, IntArray, Mask
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind

Coordinates = NDArray[np.float32]
Checkpoint = Callable[[], object]
"""Called between blocks of long work; raises to stop it."""

BAND_SPREAD: Final = 0.64
"""Share of a nominal value's band over which its records are spread."""
GAP_SPREAD: Final = 0.6
"""Share of the smallest gap between few numbers over which equal numbers are spread."""
FEW_VALUES: Final = 30
MARGIN: Final = 0.12
"""Largest margin beyond the smallest and the largest number, in units of the axis."""
LEAST_MARGIN: Final = 0.02
SYMBOL_ROOM: Final = 12.0
"""Pixels between the middle of a symbol and the edge of its ring."""
_BLOCK: Final = 131_072


@dataclass(frozen=True)
class AxisScale:
    """The places of one attribute's values along an axis."""

    attribute: Attribute
    low: float
    high: float
    gap: float = 0.0
    """Smallest distance between few values, in units of the axis; 0 for many values."""

    @property
    def is_banded(self) -> bool:
        return self.attribute.kind.is_coded

    @property
    def is_date(self) -> bool:
        return self.attribute.kind is AttributeKind.DATE

    @property
    def n_bands(self) -> int:
        return max(1, len(self.attribute.values))

    @property
    def spread(self) -> float:
        """The width over which equal values are spread; 0 for an axis of many numbers."""
        return BAND_SPREAD / self.n_bands if self.is_banded else GAP_SPREAD * self.gap

    @property
    def span(self) -> tuple[float, float]:
        """The whole axis, with a margin beyond the extreme numbers."""
        return self.fitting(0.0)

    def fitting(self, pixels: float) -> tuple[float, float]:
        """The initial range on so many pixels: the smallest margin that cuts no symbol."""
        if self.is_banded:
            return 0.0, 1.0
        margin = min(MARGIN, max(LEAST_MARGIN, SYMBOL_ROOM / pixels)) if pixels else MARGIN
        margin = max(margin, self.gap * 0.6)
        return -margin, 1.0 + margin

    def value(self, unit: float) -> float:
        """The number at a place of the axis; on bands, the band's number plus the share of the way through it."""
        if self.is_banded:
            return unit * self.n_bands
        if self.high == self.low:
            return self.low + 2.0 * (unit - 0.5)
        return self.low * (1.0 - unit) + self.high * unit

    def spanned(self, units: float) -> float:
        """The difference of two numbers so far apart on the axis."""
        return units * (self.value(1.0) - self.value(0.0))

    def unit(self, value: float) -> float:
        """The place of a number on the axis."""
        return float(self.units(np.array([value]))[0])

    def units(self, values: Column) -> Coordinates:
        """Places of numbers, or of the middles of bands by code; NaN where missing or infinite."""
        if self.is_banded:
            placed = (values.astype(np.float32) + np.float32(0.5)) / np.float32(self.n_bands)
            placed[values < 0] = np.nan
            return placed
        low, high = (self.low - 1.0, self.high + 1.0) if self.high == self.low else (self.low, self.high)
        with np.errstate(invalid="ignore", over="ignore"):
            shares = (values / 2 - low / 2) / (high / 2 - low / 2)
            shares[~np.isfinite(shares)] = np.nan
            return shares.astype(np.float32)


def scale_of(data: Dataset, index: int) -> AxisScale:
    """The scale that shows all finite values of one attribute."""
    attribute = data.schema.attributes[index]
    if attribute.kind.is_coded:
        return AxisScale(attribute, 0.0, float(len(attribute.values)))
    column = data.column(index)
    low, high = np.inf, -np.inf
    few: FloatArray | None = np.empty(0)
    for start in range(0, len(column), _BLOCK):
        block = column[start : start + _BLOCK]
        block = block[np.isfinite(block)]
        if len(block):
            low, high = min(low, float(block.min())), max(high, float(block.max()))
        if few is not None:
            few = _joined(few, block)
    if low > high:
        return AxisScale(attribute, 0.0, 1.0)
    gap = (
        float(np.diff(few).min()) / (high - low) if few is not None and len(few) > 1 and np.isfinite(high - low) else 0
    )
    return AxisScale(attribute, low, high, gap)


def _joined(few: FloatArray, block: FloatArray) -> FloatArray | None:
    for start in range(0, len(block), 4096):
        few = np.union1d(few, block[start : start + 4096])
        if len(few) > FEW_VALUES:
            return None
    return few


def jitter(row_ids: IntArray, salt: int) -> Coordinates:
    """A number between -0.5 and 0.5 for each id (n,), always the same: SplitMix64 (Steele, Lea and Flood, 2014)."""
    with np.errstate(over="ignore"):
        z = row_ids.astype(np.uint64) + np.uint64(((salt + 1) * 0x9E3779B97F4A7C15) % 2**64)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    return (z >> np.uint64(40)).astype(np.float32) / np.float32(2**24) - np.float32(0.5)


class ClassGroups:
    """Records ordered by class: class code c has ``starts[c + 1]`` to ``starts[c + 2]``, those without class first."""

    starts: IntArray

    @property
    def n_classes(self) -> int:
        return len(self.starts) - 2

    def class_of(self, place: int) -> int:
        """Class code at a place in this order; -1 without class."""
        return int(np.searchsorted(self.starts, place, side="right")) - 2


def grouped_by_class(data: Dataset, rows: IntArray) -> tuple[IntArray, IntArray]:
    """The rows (m,) ordered by class, and the ``starts`` of the classes; unchanged without a nominal class."""
    class_index = data.schema.class_index
    if class_index is None or not data.schema.attributes[class_index].kind.is_coded:
        return rows, np.array([0, len(rows)])
    codes = data.column(class_index)[rows]
    counts = np.bincount(codes.astype(np.int64) + 1, minlength=len(data.schema.classes) + 1)
    return rows[np.argsort(codes, kind="stable")], np.concatenate([[0], np.cumsum(counts)])


@dataclass(frozen=True, eq=False)
class ScatterPoints(ClassGroups):
    """The records that have both values, grouped by class.

    ``x`` and ``y`` (m,) are units of the axes, ``rows`` (m,) row numbers in the data. ``wrong`` (m,) marks wrong
    predictions.
    """

    across: AxisScale
    up: AxisScale
    x: Coordinates
    y: Coordinates
    rows: IntArray
    starts: IntArray
    wrong: Mask
    n_left_out: int
    jittered: tuple[str, ...] = ()
    """Names of the attributes whose equal values are spread."""

    def __len__(self) -> int:
        return len(self.x)

    def fitting(self, *pixels: float, at_one_scale: bool) -> list[tuple[float, float]]:
        """The initial ranges; ``at_one_scale`` widens one until equal differences of both have equal lengths."""
        scales, factors = (self.across, self.up), [1.0, 1.0]
        ends = [scale.fitting(room) for scale, room in zip(scales, pixels, strict=True)]
        if at_one_scale:
            sizes = [s.spanned(high - low) / n for s, (low, high), n in zip(scales, ends, pixels, strict=True)]
            factors = [max(sizes) / size for size in sizes]
        more = [(high - low) * (factor - 1.0) / 2 for (low, high), factor in zip(ends, factors, strict=True)]
        return [(low - beyond, high + beyond) for (low, high), beyond in zip(ends, more, strict=True)]

    def only(self, kept: Mask) -> ScatterPoints:
        """The points selected by a mask (m,)."""
        starts = np.concatenate([[0], np.cumsum(kept)])[self.starts]
        x, y, rows, wrong = self.x[kept], self.y[kept], self.rows[kept], self.wrong[kept]
        return replace(self, x=x, y=y, rows=rows, wrong=wrong, starts=starts)


def points_of(
    data: Dataset,
    across: int,
    up: int,
    wrong: Mask | None = None,
    *,
    spread: bool = True,
    edges: tuple[FloatArray, FloatArray] | None = None,
) -> ScatterPoints:
    """Points of two attributes (positions); ``wrong`` (n,), ``edges``: see :func:`place_values`."""
    scales = scale_of(data, across), scale_of(data, up)
    along, upwards = (None, None) if edges is None else edges
    x = place_values(data, across, scales[0], 0 if spread else None, along)
    y = place_values(data, up, scales[1], 1 if spread else None, upwards)
    shown = np.flatnonzero(~(np.isnan(x) | np.isnan(y)))
    rows, starts = grouped_by_class(data, shown)
    marks = np.zeros(len(rows), dtype=np.bool_) if wrong is None else wrong[rows]
    jittered = tuple(dict.fromkeys(scale.attribute.name for scale in scales if spread and scale.spread > 0))
    return ScatterPoints(*scales, x[rows], y[rows], rows, starts, marks, len(data) - len(rows), jittered)


def place_values(
    data: Dataset, index: int, scale: AxisScale, salt: int | None, edges: FloatArray | None = None
) -> Coordinates:
    """Places of the values of one attribute (n,) on its axis; equal values are spread unless ``salt`` is None.

    No number is moved past the middle between two numbers, nor across the ascending ``edges`` (e,). A number equal to
    an edge belongs to its lower side.
    """
    units = scale.units(data.column(index))
    if salt is not None and scale.spread > 0:
        moved = units + jitter(data.row_ids, salt) * np.float32(scale.spread)
        if edges is None or not len(edges) or scale.is_banded:
            return moved
        return _on_their_side(data.column(index), units, moved, edges, scale.units(edges))
    return units


def _on_their_side(
    values: Column, units: Coordinates, moved: Coordinates, edges: FloatArray, places: Coordinates
) -> Coordinates:
    """``moved`` (n,), its mirror at ``units``, or ``units``: the first on the value's side of ``edges`` (e,)."""
    n_below = np.searchsorted(edges, values)
    bounds = np.concatenate([[-np.inf], places, [np.inf]]).astype(np.float32)
    low, high = bounds[n_below], bounds[n_below + 1]
    mirrored = 2 * units - moved
    fallback = np.where((mirrored > low) & (mirrored <= high), mirrored, units)
    return np.where((moved > low) & (moved <= high), moved, fallback)


def nearest(points: ScatterPoints, x: float, y: float, per_x: float, per_y: float, reach: float) -> int:
    """The point nearest to a place, at most ``reach`` pixels away; -1 for none. A unit is ``per_x`` pixels."""
    best, nearest_point = reach * reach, -1
    for start in range(0, len(points), _BLOCK):
        dx = (points.x[start : start + _BLOCK] - np.float32(x)) * np.float32(per_x)
        near = np.flatnonzero(np.abs(dx) <= reach)
        if not len(near):
            continue
        dy = (points.y[start : start + _BLOCK][near] - np.float32(y)) * np.float32(per_y)
        distance = dx[near] ** 2 + dy**2
        index = int(np.argmin(distance))
        if distance[index] <= best:
            best, nearest_point = float(distance[index]), start + int(near[index])
    return nearest_point


def nearest_of_all(points: ScatterPoints, x: float, y: float, per_x: float, per_y: float) -> int:
    """The point nearest to a place at any distance; -1 without points. A unit is ``per_x`` pixels."""
    dx, dy = _away(points, x, y, per_x, per_y)
    return int(np.argmin(dx * dx + dy * dy)) if len(points) else -1


def nearest_that_way(points: ScatterPoints, start: int, right: int, down: int, per_x: float, per_y: float) -> int:
    """The nearest point from ``start`` in a direction, within 45 degrees; -1 for none."""
    dx, dy = _away(points, float(points.x[start]), float(points.y[start]), per_x, per_y)
    distance = dx * dx + dy * dy
    along, aside = dx * right + dy * down, np.abs(dx * down + dy * right)
    distance[(along <= 0.01) | (aside > along)] = np.inf
    nearest_point = int(np.argmin(distance))
    return nearest_point if np.isfinite(distance[nearest_point]) else -1


def _away(points: ScatterPoints, x: float, y: float, per_x: float, per_y: float) -> tuple[Coordinates, Coordinates]:
    return (points.x - np.float32(x)) * np.float32(per_x), (np.float32(y) - points.y) * np.float32(per_y)


def within(points: ScatterPoints, left: float, low: float, right: float, high: float) -> IntArray:
    """Indices of the points inside a rectangle, edges included, ascending."""
    x, y = points.x, points.y
    return np.flatnonzero((x >= left) & (x <= right) & (y >= low) & (y <= high))


SIZES: Final = (0.35, 0.6, 0.8, 1.0, 1.4, 2.0, 2.6)
"""Radii of dots that show weights, as shares of the usual radius."""


def sizes_of(weights: FloatArray) -> NDArray[np.intp]:
    """Index into ``SIZES`` for weights (m,): area grows with the weight, the mean weight has the usual size."""
    mean = float(weights.mean()) if len(weights) else 0.0
    radii = np.sqrt(weights / mean) if mean > 0 else np.ones(len(weights))
    between = np.array([(one + other) / 2 for one, other in pairwise(SIZES)])
    return np.asarray(np.searchsorted(between, radii), dtype=np.intp)


@dataclass(frozen=True)
class PointLink:
    """A line between two places, in units of the axes; its strength is at most 1."""

    begin: tuple[float, float]
    end: tuple[float, float]
    strength: float


def links_between(points: ScatterPoints, row: int, rows: IntArray, shares: Sequence[float]) -> list[PointLink]:
    """Links from a row of the data to others, as strong as their shares; rows without a point are left out."""
    asked = np.concatenate([[row], rows]).astype(np.int64)
    most = max(shares, default=0.0) or 1.0
    wanted = np.flatnonzero(np.isin(points.rows, asked))
    place = dict(zip(points.rows[wanted].tolist(), wanted.tolist(), strict=True))
    if row not in place:
        return []

    def at(point: int) -> tuple[float, float]:
        return float(points.x[point]), float(points.y[point])

    begin = at(place[row])
    return [
        PointLink(begin, at(place[other]), share / most)
        for other, share in zip(rows.tolist(), shares, strict=True)
        if other in place
    ]


@dataclass(frozen=True)
class ViewAngle:
    """The direction of view on a box: rotation about its vertical axis, and tilt (pi / 2 looks straight down)."""

    turn: float = 0.5
    tilt: float = 0.45

    def turned(self, right: float, down: float) -> ViewAngle:
        """The view turned and tilted further, never from below the floor."""
        return replace(self, turn=(self.turn + right) % (2 * pi), tilt=min(pi / 2, max(0.1, self.tilt + down)))

    def places(self, points: FloatArray) -> FloatArray:
        """Right, up and away coordinates (n, 3) of points (n, 3) given as across, deep and high."""
        x, y, z = points.T
        right = x * cos(self.turn) - y * sin(self.turn)
        away = x * sin(self.turn) + y * cos(self.turn)
        return np.column_stack([
            right, away * sin(self.tilt) + z * cos(self.tilt), away * cos(self.tilt) - z * sin(self.tilt),
        ])  # fmt: skip


STRAIGHT_DOWN = ViewAngle(0.0, pi / 2)


NEAREST: Final = 2.0
"""Smallest distance in pixels between the corners kept of a lasso."""
_LASSO_BLOCK: Final = 65_536


def thinned(line: FloatArray, nearest: float = NEAREST) -> FloatArray:
    """The line (v, 2) without corners nearer than ``nearest`` to the last corner kept."""
    kept = [0]
    for corner in range(1, len(line)):
        if float(np.hypot(*(line[corner] - line[kept[-1]]))) >= nearest:
            kept.append(corner)
    return line[kept]


def inside_lasso(polygon: FloatArray, x: Coordinates, y: Coordinates, checkpoint: Checkpoint = int) -> Mask:
    """Mask of the points (m,) inside a closed polygon (v, 2) by the nonzero winding rule.

    The heights of the corners cut the plane into strips in which no edge begins or ends. Each point is compared with
    the edges of its strip only: O(m log v) for polygons without spirals (Preparata and Shamos, 1985, 2.2.2.1).
    """
    is_inside = np.zeros(len(x), dtype=np.bool_)
    heights = np.unique(polygon[:, 1]) if len(polygon) >= 3 else np.empty(0)
    if len(heights) < 2:
        return is_inside
    edges = _Edges(polygon, heights)
    (left, low), (right, high) = polygon.min(axis=0), polygon.max(axis=0)
    for start in range(0, len(x), _LASSO_BLOCK):
        checkpoint()
        part = slice(start, start + _LASSO_BLOCK)
        near = np.flatnonzero((x[part] >= left) & (x[part] <= right) & (y[part] >= low) & (y[part] < high))
        is_inside[start + near] = edges.winding(x[part][near].astype(np.float64), y[part][near].astype(np.float64)) != 0
    return is_inside


class _Edges:
    """The edges of a polygon by the strips (s + 1 heights) that they cross."""

    def __init__(self, polygon: FloatArray, heights: FloatArray) -> None:
        begin, end = polygon, np.roll(polygon, -1, axis=0)
        rise = end[:, 1] - begin[:, 1]
        slope = np.divide(end[:, 0] - begin[:, 0], rise, out=np.zeros(len(rise)), where=rise != 0)
        first = np.searchsorted(heights, np.minimum(begin[:, 1], end[:, 1]))
        last = np.searchsorted(heights, np.maximum(begin[:, 1], end[:, 1]))
        strips: list[list[int]] = [[] for _ in range(len(heights) - 1)]
        for edge in range(len(polygon)):
            for strip in range(int(first[edge]), int(last[edge])):
                strips[strip].append(edge)
        nothing = len(polygon)
        most = max(len(strip) for strip in strips)
        self._heights = heights
        self._crossing: IntArray = np.array([strip + [nothing] * (most - len(strip)) for strip in strips])
        self._x, self._y = np.append(begin[:, 0], 0.0), np.append(begin[:, 1], 0.0)
        self._slope = np.append(slope, 0.0)
        self._sign = np.append(np.sign(rise), 0).astype(np.int16)

    def winding(self, x: FloatArray, y: FloatArray) -> NDArray[np.int16]:
        """Winding number of each point (m,), from the edges right of it; y lies within the polygon's heights."""
        strips = np.searchsorted(self._heights, y, side="right") - 1
        winding = np.zeros(len(x), dtype=np.int16)
        for column in range(self._crossing.shape[1]):
            edge = self._crossing[strips, column]
            crossing = self._x[edge] + (y - self._y[edge]) * self._slope[edge]
            winding += self._sign[edge] * (crossing > x)
        return winding
