"""Records as points of a distance, and exact search for the nearest: a scan, a k-d tree, or matrix products.

The space scales numbers and settles missing and nominal values; the search takes the way that is fastest for the data.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from time import thread_time
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.compiled.ahead_of_time import ensure_compiled
from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.structures.prototypes import Int32Array, Prototypes

Checkpoint = Callable[[], None]

COSINE: Final = "cosine"
FIXED_SCALING: Final = {"heom": "range", "gower": "range", "value-difference": "four-deviations"}
"""Distances whose definition fixes the scaling."""
FIXED_MISSING: Final = {"heom": "one", "gower": "ignore", "value-difference": "one", COSINE: "none"}
"""Distances whose definition fixes the treatment of missing values."""


@dataclass(frozen=True)
class NeighborSettings:
    """Distance and votes: the settings of :class:`Prototypes`."""

    distance: str = "euclidean"
    scaling: str = "range"
    missing: str = "far"
    votes: str = "majority"
    k: int = 5
    power: float = 2.0
    kernel_width: float = 0.5


def prototypes_of(data: Dataset, nearness: NeighborSettings, checkpoint: Checkpoint) -> Prototypes:
    """Prototypes of the records of positive weight; each has a class."""
    data = data.without_weightless()
    weights = data.weight_array
    scaling = FIXED_SCALING.get(nearness.distance, nearness.scaling)
    missing = FIXED_MISSING.get(nearness.distance, nearness.missing)
    attributes = data.schema.attributes
    coded = [i for i in data.schema.predictors if attributes[i].kind is AttributeKind.NOMINAL]
    plain = [i for i in data.schema.predictors if attributes[i].kind is not AttributeKind.NOMINAL]
    scale = []
    for index in plain:
        checkpoint()
        scale.append(_scale(_values(data, index), weights, scaling))
    centre, unit = (np.array([pair[side] for pair in scale], dtype=np.float64) for side in (0, 1))
    starts, table = _tables(data, coded, weights, nearness.distance)
    kept = Prototypes(
        schema=data.schema,
        numbers=np.zeros((0, len(plain))),
        codes=np.zeros((0, len(coded)), dtype=np.int32),
        labels=data.class_codes.astype(np.int32),
        weights=np.array(weights, dtype=np.float64),
        row_ids=np.array(data.row_ids, dtype=np.int64),
        number_attribute=np.array(plain, dtype=np.int32),
        centre=centre,
        unit=unit,
        low=np.zeros(len(plain)),
        high=np.zeros(len(plain)),
        code_attribute=np.array(coded, dtype=np.int32),
        table_start=starts,
        table=table,
        **vars(replace(nearness, scaling=scaling, missing=missing)),
    )
    numbers, codes = points_of(kept, data, checkpoint)
    return _in_order(kept, numbers, codes, checkpoint)


def _in_order(kept: Prototypes, numbers: FloatArray, codes: Int32Array, checkpoint: Checkpoint) -> Prototypes:
    """The prototypes sorted by their values, so that the order of the table has no effect."""
    order = canonical_order(
        [*numbers.T, *codes.T, kept.labels, kept.weights, kept.row_ids], len(kept.labels), checkpoint
    )
    is_known = np.isfinite(numbers)
    has = is_known.any(axis=0)
    low = np.where(has, numbers.min(axis=0, initial=np.inf, where=is_known), 0.0)
    high = np.where(has, numbers.max(axis=0, initial=-np.inf, where=is_known), 0.0)
    return replace(
        kept,
        numbers=np.ascontiguousarray(numbers[order]),
        codes=np.ascontiguousarray(codes[order]),
        labels=kept.labels[order],
        weights=kept.weights[order],
        row_ids=kept.row_ids[order],
        low=low,
        high=high,
    )


def canonical_order(keys: list[NDArray[Any]], n: int, checkpoint: Checkpoint) -> IntArray:
    """The lexicographic order of n records by these keys, the first key first; NaN equals NaN."""
    order = np.arange(n)
    group = np.zeros(n, dtype=np.int64)
    for key in keys:
        checkpoint()
        size = np.bincount(group, minlength=1)
        pending = np.flatnonzero(size[group] > 1)
        if not len(pending):
            break
        rows, within = order[pending], group[pending]
        inside = np.lexsort((key[rows], within))
        rows = rows[inside]
        order[pending] = rows
        values = key[rows]
        differs = values[1:] != values[:-1]
        if values.dtype.kind == "f":
            differs &= ~(np.isnan(values[1:]) & np.isnan(values[:-1]))
        starts = np.zeros(n, dtype=np.int64)
        starts[1:] = group[1:] != group[:-1]
        starts[pending[1:]] |= (differs & (within[1:] == within[:-1])).astype(np.int64)
        group = np.cumsum(starts)
    return order


def points_of(kept: Prototypes, data: Dataset, checkpoint: Checkpoint) -> tuple[FloatArray, Int32Array]:
    """Records under the same schema as points: numbers (m, p) and codes (m, q) as in :class:`Prototypes`.

    Infinite numbers count as missing. For the cosine distance the points are unit vectors (:func:`_directions`).
    """
    m = len(data)
    numbers = np.empty((m, len(kept.centre)))
    with np.errstate(over="ignore"):
        for axis, index in enumerate(kept.number_attribute.tolist()[: len(kept.centre)]):
            checkpoint()
            values, centre, unit = _values(data, index), float(kept.centre[axis]), float(kept.unit[axis])
            moved = values - centre
            if (is_finite := np.isfinite(moved)).all():
                numbers[:, axis] = moved / unit
            else:
                numbers[:, axis] = np.where(is_finite, moved / unit, values / unit - centre / unit)
    codes = np.empty((m, len(kept.code_attribute)), dtype=np.int32)
    for axis, index in enumerate(kept.code_attribute.tolist()):
        checkpoint()
        codes[:, axis] = data.column(index)
    if kept.distance == COSINE:
        return _directions(kept, numbers, codes), np.zeros((m, 0), dtype=np.int32)
    return numbers, codes


def distinct(points: tuple[FloatArray, Int32Array]) -> tuple[IntArray, IntArray]:
    """First position of each distinct point (d,), and the distinct point of each of the n points (n,)."""
    numbers, codes = points
    bits = np.ascontiguousarray(numbers).view(np.int64).reshape(numbers.shape)
    both = np.ascontiguousarray(np.hstack([bits, codes.astype(np.int64)]))
    n, width = both.shape
    if not n or not width:
        return np.arange(min(n, 1)), np.zeros(n, dtype=np.int64)
    _, first, which = np.unique(both.view(np.dtype((np.void, 8 * width)))[:, 0], return_index=True, return_inverse=True)
    order = np.argsort(first)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return first[order], place[which]


def _directions(kept: Prototypes, numbers: FloatArray, codes: Int32Array) -> FloatArray:
    """Unit vectors: half the squared Euclidean distance of two is one minus their cosine.

    Each nominal value is an axis; a missing value adds nothing. A zero vector gets the last axis, so that it is
    orthogonal to all others.
    """
    axes = [np.nan_to_num(numbers, nan=0.0)]
    for place, index in enumerate(kept.code_attribute.tolist()):
        n_values = len(kept.schema.attributes[index].values)
        axes.append((codes[:, place, None] == np.arange(n_values)).astype(np.float64))
    points = np.hstack(axes) if axes else np.zeros((len(numbers), 0))
    largest = np.abs(points).max(axis=1, initial=0.0)
    points /= np.where(largest > 0, largest, 1.0)[:, None]
    lengths = np.sqrt((points * points).sum(axis=1))
    points /= np.where(lengths > 0, lengths, 1.0)[:, None]
    return np.column_stack([points, (lengths == 0).astype(np.float64)])


def _values(data: Dataset, index: int) -> FloatArray:
    """Numbers or ordinal positions (n,); NaN where missing or infinite."""
    column = data.column(index)
    if data.schema.attributes[index].kind.is_coded:
        return np.where(column < 0, np.nan, column.astype(np.float64))
    return column if (is_finite := np.isfinite(column)).all() else np.where(is_finite, column, np.nan)


def _scale(values: FloatArray, weights: FloatArray, scaling: str) -> tuple[float, float]:
    """Centre and unit of a number, computed on sorted values, so that record order has no effect."""
    if scaling == "none":
        return 0.0, 1.0
    is_known = np.isfinite(values)
    if not is_known.any():
        return 0.0, np.inf
    values, weights = values[is_known], weights[is_known]
    low, high = float(values.min()), float(values.max())
    if low == high:
        return low, np.inf
    if scaling == "range":
        span = high - low
        return low, span if np.isfinite(span) else float(np.finfo(np.float64).max)
    order = np.lexsort((weights, values))
    largest = max(abs(low), abs(high))
    values, weights = values[order] / largest, weights[order]
    total = float(weights.sum())
    mean = float((values * weights).sum()) / total
    deviation = float(np.sqrt((weights * (values - mean) ** 2).sum() / total)) or 1.0
    unit = (4.0 if scaling == "four-deviations" else 1.0) * deviation * largest
    return mean * largest, unit if np.isfinite(unit) else float(np.finfo(np.float64).max)


def _tables(data: Dataset, coded: list[int], weights: FloatArray, distance: str) -> tuple[Int32Array, FloatArray]:
    """Start of the difference table of each nominal attribute (-1 for none), and the tables."""
    if distance != "value-difference":
        return np.full(len(coded), -1, dtype=np.int32), np.zeros(0)
    starts, parts, end = [], [np.zeros(0)], 0
    for index in coded:
        m, k = len(data.schema.attributes[index].values), len(data.schema.classes)
        column, labels = data.column(index).astype(np.int64), data.class_codes.astype(np.int64)
        is_known = column >= 0
        counts = np.bincount(column[is_known] * k + labels[is_known], weights[is_known], minlength=m * k).reshape(m, k)
        parts.append(value_differences(counts.astype(np.float64)).ravel())
        starts.append(end)
        end += m * m
    return np.array(starts, dtype=np.int32), np.concatenate(parts)


def value_differences(counts: FloatArray) -> FloatArray:
    """Value difference metric (m, m) of class ``counts`` (m, k) (Wilson and Martinez 1997, N2); 1 to unseen values."""
    totals = counts.sum(axis=1)
    shares = counts / np.where(totals > 0, totals, 1.0)[:, None]
    distances = np.zeros((len(shares), len(shares)))
    for share in shares.T:
        distances += (share[:, None] - share) ** 2
    np.sqrt(distances, out=distances)
    unseen = totals <= 0
    distances[unseen, :] = distances[:, unseen] = 1.0
    np.fill_diagonal(distances, 0.0)
    return np.asarray(distances, dtype=np.float64)


Points = tuple[FloatArray, Int32Array]
Proposed = tuple[NDArray[np.int64], FloatArray]
"""Candidates of each point (b, m), -1 for none, and a lower bound (b,) on the distance of all other records."""

KINDS: Final = {"manhattan": 1, "gower": 1, "chebyshev": 2, "minkowski": 3}
"""Kind of reduced distance by distance; 0, the squared Euclidean distance, for all others."""

_CELLS_OF_A_TREE: Final = 8_000_000
_RECORDS_OF_A_TREE: Final = 500_000
"""Building a tree cannot be stopped; more records give several trees of about a second each."""
_ASKED_OF_A_TREE: Final = 32
_STRIPES: Final = 8
_CHUNK: Final = 512
"""Records multiplied with a block of points at once, so that the products stay in the L2 cache."""
_MOST_KEPT: Final = 64_000_000
"""Largest number of cached single-precision numbers; larger data are converted for each block of points."""
_ENOUGH: Final = 10_000
"""Records in the sample whose median approximates the median of all."""
_FARTHEST: Final = 2.0**55
"""Factor beyond the farthest record at which points are too far for single precision."""


class NeighborIndex(ABC):
    """Proposes candidates; thread-safe."""

    def order(self, points: Points) -> IntArray:
        """The order in which many points are searched fastest."""
        return np.arange(len(points[0]))

    @abstractmethod
    def find(self, points: Points, m: int, checkpoint: Checkpoint) -> Proposed:
        """``m`` candidates of each point and their bound, infinite where these are all records."""


class KDTreeIndex(NeighborIndex):
    """A k-d tree, which skips cells that are too far away."""

    def __init__(self, kept: Prototypes, checkpoint: Checkpoint) -> None:
        from scipy.spatial import cKDTree

        kind, n_axes = KINDS.get(kept.distance, 0), kept.numbers.shape[1]
        self._n_records, self._kind = kept.n_records, kind
        self._norm = {0: 2.0, 1: 1.0, 2: np.inf}.get(kind, float(kept.power))
        self._share = n_axes if kept.distance == "gower" else 1
        self._trees = []
        size = min(_RECORDS_OF_A_TREE, max(1, _CELLS_OF_A_TREE // n_axes))
        for first in range(0, kept.n_records, size):
            checkpoint()
            self._trees.append((first, cKDTree(kept.numbers[first : first + size])))

    def order(self, points: Points) -> IntArray:
        """Neighbouring points one after the other, so that the cells they visit are cached."""
        numbers = np.nan_to_num(points[0])
        axes = np.argsort(numbers.std(axis=0))[-2:]
        edges = np.arange(1, _STRIPES) / _STRIPES
        stripes = [np.searchsorted(np.quantile(numbers[:, axis], edges), numbers[:, axis]) for axis in axes]
        return np.lexsort(stripes)

    def find(self, points: Points, m: int, checkpoint: Checkpoint) -> Proposed:
        numbers, wanted = points[0], np.arange(1, m + 1)
        near, last = np.empty((len(numbers), m), dtype=np.int64), np.empty(len(numbers))
        for begin in range(0, len(numbers), _ASKED_OF_A_TREE):
            rows = slice(begin, begin + _ASKED_OF_A_TREE)
            parts = []
            for first, tree in self._trees:
                checkpoint()
                gaps, records = map(np.asarray, tree.query(numbers[rows], wanted, p=self._norm))
                parts.append((gaps, np.where(records < tree.n, records + first, -1)))
            gaps, near[rows] = parts[0] if len(parts) == 1 else _nearest_of(parts, m)
            last[rows] = gaps.max(axis=1)
        last *= 1 - 1e-9
        bound = last**2 if self._kind == 0 else last**self._norm if self._kind == 3 else last / self._share
        if m == self._n_records:
            bound = np.full(len(last), np.inf)
        return near, np.ascontiguousarray(bound)


def _nearest_of(parts: list[tuple[FloatArray, IntArray]], m: int) -> tuple[FloatArray, IntArray]:
    """Distances and places of the m nearest among the results of several trees."""
    gaps, rows = np.hstack([part[0] for part in parts]), np.hstack([part[1] for part in parts])
    order = np.argpartition(gaps, m - 1, axis=1)[:, :m]
    return np.take_along_axis(gaps, order, axis=1), np.take_along_axis(rows, order, axis=1)


class BruteForceIndex(NeighborIndex):
    """Blocked matrix products in single precision with a bound on the rounding error.

    For a point q, a record x and w axes, half the squared distance is ``|q|^2 / 2 + s`` where ``s = |x|^2 / 2 - q.x``
    is a product of w + 1 terms. In single precision, u = 2^-24, its error is at most
    ``g (|q||x| + |x|^2 / 2) <= g (|q|^2 / 2 + |x|^2)`` with ``g = (w + 1 + 3) u`` to first order. The three are the
    roundings of q, x and the half square (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1). The
    code doubles g. Each stored score is lowered by ``g |x|^2``, so it exceeds s by at most ``g |q|^2 / 2`` whatever
    other records hold. Numbers are scaled by the largest one, so that underflow is bounded too.
    """

    def __init__(self, kept: Prototypes, n_values: list[int], checkpoint: Checkpoint) -> None:
        self._kept, self._n_values = kept, n_values
        self._width = kept.numbers.shape[1] + sum(n_values)
        self._error = 2.0 * (self._width + 4) * 2.0**-24
        self._centre = np.median(kept.numbers[:: 1 + kept.n_records // _ENOUGH], axis=0)
        low, high = kept.numbers.min(axis=0, initial=np.inf), kept.numbers.max(axis=0, initial=-np.inf)
        largest = float(np.maximum(high - self._centre, self._centre - low).max(initial=1.0 if sum(n_values) else 0.0))
        exponent = float(np.ceil(np.log2(largest))) if largest > 0 else 0.0
        self._unit = 2.0 ** -min(max(exponent, -400.0), 400.0)
        self._records: NDArray[np.float32] | None = None
        if kept.n_records * (self._width + 1) <= _MOST_KEPT:
            self._records = np.empty((kept.n_records, self._width + 1), dtype=np.float32)
            for first in range(0, kept.n_records, 16 * _CHUNK):
                checkpoint()
                self._records[first : first + 16 * _CHUNK] = self._written(first, 16 * _CHUNK)

    def find(self, points: Points, m: int, checkpoint: Checkpoint) -> Proposed:
        from algorithms.learners.neighbors.search_kernels import keep_smallest

        n, b = self._kept.n_records, len(points[0])
        asked = np.ones((b, self._width + 1), dtype=np.float32)
        far = np.abs(points[0] - self._centre).max(axis=1, initial=0.0) * self._unit > _FARTHEST
        self._embed((np.where(far[:, None], self._centre, points[0]), points[1]), asked)
        heap, rows = np.full((b, m), np.inf, dtype=np.float32), np.full((b, m), -1, dtype=np.int64)
        room = np.empty((b, _CHUNK), dtype=np.float32)
        for first in range(0, n, _CHUNK):
            checkpoint()
            records = self._written(first, _CHUNK) if self._records is None else self._records[first : first + _CHUNK]
            scores = room if len(records) == _CHUNK else np.empty((b, len(records)), dtype=np.float32)
            np.matmul(asked, records.T, out=scores)
            keep_smallest(scores, first, heap, rows)
        squares = np.einsum("ij,ij->i", asked[:, :-1], asked[:, :-1], dtype=np.float64)
        lost = 8 * (self._width + 1) * 2.0**-126 * (1 + np.sqrt(squares))
        bound = (2 * heap[:, 0].astype(np.float64) + squares * (1 - self._error) - lost) / self._unit**2
        bound[far] = -np.inf
        return rows, np.full(b, np.inf) if m == n else bound

    def _written(self, first: int, count: int) -> NDArray[np.float32]:
        """Records as operands of the products: negated coordinates, then the lowered half square."""
        rows = slice(first, first + count)
        numbers, codes = self._kept.numbers[rows], self._kept.codes[rows]
        operands = np.empty((len(numbers), self._width + 1), dtype=np.float32)
        self._embed((numbers, codes), operands)
        squares = np.einsum("ij,ij->i", operands[:, :-1], operands[:, :-1], dtype=np.float64)
        np.negative(operands, out=operands)
        operands[:, -1] = 0.5 * squares * (1 - 2 * self._error)
        return operands

    def _embed(self, points: Points, out: NDArray[np.float32]) -> None:
        """Write coordinates whose squared Euclidean distance is the reduced one; each nominal value is an axis."""
        axis = points[0].shape[1]
        out[:, :axis] = (points[0] - self._centre) * self._unit
        for column, n_values in enumerate(self._n_values):
            same = points[1][:, column, None] == np.arange(n_values)
            out[:, axis : axis + n_values] = same * (np.sqrt(0.5) * self._unit)
            axis += n_values


KERNELS: Final = ("algorithms.learners.neighbors.search_kernels",)

BLOCK: Final = 256
"""Points searched at once, between two checkpoints; long scans check for a stop themselves."""
MOST_CANDIDATES: Final = 192
SPARE: Final = 8
"""Additional candidates measured exactly, since fast indexes round."""
_ROOM: Final = 131_072
"""Number of neighbours at which a scan returns its results so far."""
_ROUNDS: Final = 4
"""Number of points for which results with every record as a neighbour have room."""
_SMALL: Final = 2_000
"""Number of records below which a scan is fastest."""
_MOST_AXES_OF_A_TREE: Final = 40
_MOST_AXES: Final = 512
_FEW: Final = 16
"""Number of points below which no index is built."""
_MANY: Final = 500
"""Number of points from which the indexes are timed on a few of them."""
_TRIED: Final = 48
_AT_ONCE: Final = {"products": _TRIED, "tree": 4, "scan": 1}
"""Points searched between two looks at the clock; products are faster for many points."""
_LARGEST: Final = 1e15
"""Largest number whose square single precision represents well enough."""


@dataclass(frozen=True, eq=False)
class NearestRecords:
    """The nearest records of some points, by point, then distance, then row.

    ``point``, ``row`` (int64) and ``reduced`` (float64) are (s,); :func:`distances` of ``reduced`` are true distances.
    ``weight`` (s,) is the weight of the record for this point, which is smaller where the record is the point itself.
    """

    point: IntArray
    row: IntArray
    reduced: FloatArray
    weight: FloatArray


@dataclass(frozen=True, eq=False)
class _Left:
    """The record that each point is (-1 for none), and the weight it keeps."""

    own: IntArray
    weight: FloatArray

    def of(self, rows: IntArray) -> _Left:
        return _Left(self.own[rows], self.weight[rows])


Part = tuple[IntArray, "NearestRecords"]
"""Places of some points, and their nearest records; ``point`` counts from 0 among these places."""
Take = Callable[[IntArray, "NearestRecords"], object]
"""Receives each :data:`Part`."""


class Searcher:
    """Exact nearest prototypes, with any index: those of total weight ``k`` and all as near as the last of them."""

    def __init__(self, kept: Prototypes) -> None:
        self.kept = kept
        n_codes = kept.codes.shape[1]
        self._n_values = [len(kept.schema.attributes[i].values) for i in kept.code_attribute.tolist()][:n_codes]
        self._space = (
            np.array([KINDS.get(kept.distance, 0), _MISSING[kept.missing], int(kept.distance == "gower")]),
            float(kept.power),
            kept.low,
            kept.high,
            kept.table_start[:n_codes],
            np.array(self._n_values, dtype=np.int64),
            kept.table,
        )
        self._lock = threading.Lock()
        self._built: dict[str, NeighborIndex] = {}
        self._is_whole = not np.isnan(kept.numbers).any() and not bool((kept.codes < 0).any())

    def nearest(self, points: Points, k: int, context: RunContext, *, way: str = "") -> NearestRecords:
        """The nearest records of points; ``way`` names an index of :meth:`ways` instead of the fastest."""
        parts: list[NearestRecords] = []
        self.each_nearest(
            points, k, context, lambda rows, near: parts.append(replace(near, point=rows[near.point])), way=way
        )
        return together(parts)

    def each_nearest(self, points: Points, k: int, context: RunContext, take: Take, *, way: str = "") -> None:
        """Nearest records of points, in parts to save memory; several threads call ``take``, once for each point."""
        nobody = np.full(len(points[0]), -1, dtype=np.int64)
        self._each(points, _Left(nobody, np.zeros(len(nobody))), k, context, way, take)

    def each_of_others(self, rows: IntArray, k: int, context: RunContext, take: Take) -> None:
        """:meth:`each_nearest` of records, each left out of its own neighbours.

        A record of integer weight above 1 keeps its weight minus 1; any other record is left out as a whole.
        """
        weight = self.kept.weights[rows]
        stays = np.where((weight > 1) & (weight == np.floor(weight)), weight - 1, 0.0)
        points = self.kept.numbers[rows], self.kept.codes[rows]
        self._each(points, _Left(rows.astype(np.int64), stays), k, context, "", take)

    def _each(self, points: Points, left: _Left, k: int, context: RunContext, way: str, take: Take) -> None:
        ensure_compiled(KERNELS, context)
        n = len(points[0])
        if not n or not self.kept.n_records:
            take(np.arange(n), together([]))
            return
        index = self._way(points, k, context, way)
        order = np.arange(n) if index is None else index.order(points)
        blocks = [order[first : first + BLOCK] for first in range(0, n, BLOCK)]
        done = [0]

        def ask(rows: IntArray) -> None:
            context.checkpoint()
            part = points[0][rows], points[1][rows]
            for inner, near in self._asked(part, left.of(rows), k, index, context):
                take(rows[inner], near)
            done[0] += len(rows)
            context.advance(done[0], n)

        context.map(ask, blocks)

    def _asked(
        self, points: Points, left: _Left, k: int, way: NeighborIndex | None, context: RunContext
    ) -> Iterator[Part]:
        """Places of points and their nearest records, until all points had their turn."""
        if way is None:
            yield from self._scanned(points, left, k, context)
            return
        from algorithms.learners.neighbors.search_kernels import confirm

        whole = ~np.isnan(points[0]).any(axis=1) & ~(points[1] < 0).any(axis=1)
        whole &= np.abs(points[0]).max(axis=1, initial=0.0) < _LARGEST
        rows = np.flatnonzero(whole)
        doubtful = ~whole
        if len(rows):
            part = points[0][rows], points[1][rows]
            candidates, bound = way.find(part, self._n_candidates(k), context.checkpoint)
            size = candidates.size
            point, row, reduced = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size)
            unsure = np.zeros(len(rows), dtype=np.bool_)
            own = left.of(rows)
            kept = self.kept
            n = confirm(
                *part, own.own, own.weight, kept.numbers, kept.codes, kept.weights, float(k), *self._space, candidates,
                bound, point, row, reduced, unsure,
            )  # fmt: skip
            sure = np.flatnonzero(~unsure)
            yield rows[sure], self._found(np.searchsorted(sure, point[:n]), row[:n], reduced[:n], own.of(sure))
            doubtful[rows[unsure]] = True
        again = np.flatnonzero(doubtful)
        for inner, near in self._scanned((points[0][again], points[1][again]), left.of(again), k, context):
            yield again[inner], near

    def _scanned(self, points: Points, left: _Left, k: int, context: RunContext) -> Iterator[Part]:
        """Measure every record."""
        from algorithms.learners.neighbors.search_kernels import scan

        kept, first = self.kept, 0
        n = kept.n_records
        heap, heap_row, tie_row = np.empty(n + 1), np.empty(n + 1, np.int64), np.empty(n + 1, np.int64)
        room = n + max(_ROOM, min(BLOCK * (k + SPARE), _ROUNDS * n))
        while first < len(points[0]):
            context.checkpoint()
            point, row, reduced = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room)
            begin = first
            first, size = scan(
                *points, left.own, left.weight, kept.numbers, kept.codes, kept.weights, float(k), *self._space, begin,
                point, row, reduced, heap, heap_row, tie_row, context.control,
            )  # fmt: skip
            context.checkpoint()
            rows = np.arange(begin, first)
            yield rows, self._found(point[:size] - begin, row[:size], reduced[:size], left.of(rows))

    def _found(self, point: IntArray, row: IntArray, reduced: FloatArray, left: _Left) -> NearestRecords:
        weight = np.where(left.own[point] == row, left.weight[point], self.kept.weights[row])
        return together([NearestRecords(point, row, reduced, weight)])

    def ways(self, k: int) -> tuple[str, ...]:
        """The possible indexes: a scan always, a tree or products where no value is missing."""
        kept = self.kept
        names = ["scan"]
        if not self._is_whole or not self._n_candidates(k) or kept.n_records < 2:
            return tuple(names)
        if np.abs(kept.numbers).max(initial=0.0) >= _LARGEST:
            return tuple(names)
        if not kept.codes.shape[1] and 0 < kept.numbers.shape[1] <= _MOST_AXES_OF_A_TREE:
            names.append("tree")
        n_axes = kept.numbers.shape[1] + sum(self._n_values)
        if KINDS.get(kept.distance, 0) == 0 and not len(kept.table) and 0 < n_axes <= _MOST_AXES:
            names.append("products")
        return tuple(names)

    def _n_candidates(self, k: int) -> int:
        """Number of nearest records of total weight k for certain, without one of them; 0 where too many."""
        lightest = float(self.kept.weights.min())
        if k > MOST_CANDIDATES * lightest:
            return 0
        needed = int(np.ceil(k / lightest)) + 1 + SPARE
        return 0 if needed > MOST_CANDIDATES else min(needed, self.kept.n_records)

    def _way(self, points: Points, k: int, context: RunContext, wanted: str) -> NeighborIndex | None:
        """The wanted index, else the fastest; None for the scan."""
        n, ways = len(points[0]), self.ways(k)
        if wanted:
            return self._index(wanted, context)
        if n * self.kept.n_records < _SMALL * _TRIED or self.kept.n_records < _SMALL or len(ways) == 1:
            return None
        there = [way for way in list(self._built) if way in ways]
        if n < _FEW:
            return self._index(there[0], context) if there else None
        if n < _MANY:
            return self._index(there[0] if there else ways[-1], context)
        return self._fastest(points, k, context)

    def _fastest(self, points: Points, k: int, context: RunContext) -> NeighborIndex | None:
        """The index that is fastest on a few of the points; slower ones are abandoned at once."""
        context.say("Finding the fastest way to search")
        nobody = _Left(np.full(1, -1, dtype=np.int64), np.zeros(1))
        best, least = "scan", np.inf
        rows = np.linspace(0, len(points[0]) - 1, _TRIED).astype(np.int64)
        for way in reversed(self.ways(k)):
            index, step, spent, asked = self._index(way, context), _AT_ONCE[way], 0.0, 0
            while asked < _TRIED and (asked <= step or spent < 2 * least * asked):
                context.checkpoint()
                some = rows[asked : asked + step]
                part, begin = (points[0][some], points[1][some]), thread_time()
                for _ in self._asked(part, nobody.of(np.zeros(len(some), dtype=np.int64)), k, index, context):
                    pass
                spent, asked = spent + thread_time() - begin, asked + step
            if spent < least * asked:
                best, least = way, spent / asked
        context.say("")
        return self._index(best, context)

    def _index(self, way: str, context: RunContext) -> NeighborIndex | None:
        """The index ``tree`` or ``products``, built at first use; None for the scan."""
        if way == "scan":
            return None
        with self._lock:
            if way not in self._built:
                if way == "tree":
                    self._built[way] = KDTreeIndex(self.kept, context.checkpoint)
                else:
                    self._built[way] = BruteForceIndex(self.kept, self._n_values, context.checkpoint)
            return self._built[way]


_MISSING: Final = {"far": 0, "one": 1, "ignore": 2, "none": 0}


def together(parts: list[NearestRecords]) -> NearestRecords:
    """Several results joined, in the order of :class:`NearestRecords`."""
    if not parts:
        return NearestRecords(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0))
    columns: list[Any] = [
        np.concatenate([getattr(part, name) for part in parts]) for name in ("point", "row", "reduced", "weight")
    ]
    order = np.lexsort((columns[1], columns[2], columns[0]))
    return NearestRecords(*(column[order] for column in columns))


def distances(kept: Prototypes, reduced: FloatArray) -> FloatArray:
    """True distances of reduced ones."""
    if kept.distance == COSINE:
        return np.asarray(reduced / 2)
    if kept.distance == "minkowski":
        return np.asarray(reduced ** (1 / kept.power))
    return np.asarray(reduced) if KINDS.get(kept.distance, 0) else np.sqrt(reduced)
