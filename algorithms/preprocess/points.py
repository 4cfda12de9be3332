"""Records as points, and which are near which: for steps that ask what stands beside a training record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray, IntArray
from algorithms.core.data import Dataset
from algorithms.core.schema import Kind
from algorithms.preprocess.quantiles import deviation, mean

Advance = Callable[[int, int], None]
"""Called between two blocks with the points done and their number; raises on a stop."""

_MOST_AXES_OF_A_TREE: Final = 12
"""In more dimensions a tree of the points looks at nearly all of them, one by one."""
_BLOCK: Final = 1024
_CELLS: Final = 1 << 21
_LARGEST: Final = 1e140
"""Squares of larger numbers, summed over columns, may leave the range of numbers."""
_SPARE: Final = 8
"""So many more candidates than asked for are measured exactly: products of matrices round."""


def spreads(data: Dataset) -> dict[int, tuple[float, float]]:
    """Mean and standard deviation of each number that is learned from, by column; 1 where all are the same."""
    found = {}
    for index in data.schema.predictors:
        if data.schema.attributes[index].kind is not Kind.NUMERIC:
            continue
        column = data.column(index)
        known = column[np.isfinite(column)]
        largest = float(np.abs(known).max(initial=0.0))
        unit = largest if largest >= _LARGEST else 1.0
        centre = mean(known / unit, None) if len(known) else 0.0
        spread = deviation(known / unit, None, centre) if len(known) else 0.0
        found[index] = (centre * unit, spread * unit or 1.0)
    return found


def points_of(data: Dataset, scale: dict[int, tuple[float, float]], gap: float) -> FloatArray:
    """The records as points (n, d), over the attributes that are learned from.

    A number is its distance from a centre in a unit (``scale`` by column), the centre itself where it is missing. Two
    different values of a list are ``gap`` apart, and *missing* counts as a value.
    """
    axes: list[FloatArray] = []
    for index in data.schema.predictors:
        attribute, column = data.schema.attributes[index], data.column(index)
        if attribute.kind.is_coded:
            codes = column.astype(np.int64)
            for code in np.unique(codes):
                axes.append((codes == code) * (gap / np.sqrt(2)))
        else:
            centre, unit = scale[index]
            axes.append(np.where(np.isfinite(column), (column - centre) / unit, 0.0))
    return np.column_stack(axes) if axes else np.zeros((len(data), 1))


def nearest_others(points: FloatArray, k: int, advance: Advance) -> IntArray:
    """The ``k`` nearest other points of each, the nearest first (n, k), fewer where there are fewer others."""
    n = len(points)
    k = min(k, n - 1)
    points = _squarable(points)
    if k < 1:
        return np.zeros((n, 0), dtype=np.int64)
    find = _by_tree(points, k) if points.shape[1] <= _MOST_AXES_OF_A_TREE else _by_products(points, k)
    found = np.empty((n, k), dtype=np.int64)
    step = max(16, min(_BLOCK, _CELLS // n))
    for start in range(0, n, step):
        advance(start, n)
        rows = np.arange(start, min(start + step, n))
        found[rows] = find(rows)
    advance(n, n)
    return found


def _squarable(points: FloatArray) -> FloatArray:
    """The points, made smaller together where their distances would be too large a number to be compared."""
    largest = float(np.abs(points).max(initial=0.0))
    return points if largest < _LARGEST else points / largest


def _by_tree(points: FloatArray, k: int) -> Callable[[IntArray], IntArray]:
    from scipy.spatial import cKDTree

    tree = cKDTree(points)

    def find(rows: IntArray) -> IntArray:
        gaps, near = tree.query(points[rows], k + 1)
        return _but_itself(rows, np.asarray(near, dtype=np.int64), np.asarray(gaps), k)

    return find


def _by_products(points: FloatArray, k: int) -> Callable[[IntArray], IntArray]:
    squares = np.einsum("ij,ij->i", points, points)
    n_candidates = min(len(points), k + 1 + _SPARE)

    def find(rows: IntArray) -> IntArray:
        about = squares - 2 * (points[rows] @ points.T)
        near = np.argpartition(about, n_candidates - 1, axis=1)[:, :n_candidates]
        gaps = np.square(points[near] - points[rows][:, None, :]).sum(axis=2)
        return _but_itself(rows, near, gaps, k)

    return find


def _but_itself(rows: IntArray, near: NDArray[np.int64], gaps: FloatArray, k: int) -> IntArray:
    """The nearest k of the candidates that are not the point itself; of equally near ones the first."""
    gaps = np.where(near == rows[:, None], np.inf, gaps)
    order = np.lexsort((near, gaps), axis=1)[:, :k]
    return np.take_along_axis(near, order, axis=1)
