"""Records as points of a distance: scaling, missing values, nominal values, and the prototypes of training."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

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
