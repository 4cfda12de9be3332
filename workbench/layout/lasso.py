"""Which points lie inside a line drawn round them by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray
from workbench.layout.points import Coordinates, Mask

Checkpoint = Callable[[], object]

NEAREST: Final = 2.0
"""Corners nearer to the one before than this are left out of a line drawn by hand, in pixels."""
_BLOCK: Final = 65_536


def thinned(line: FloatArray, nearest: float = NEAREST) -> FloatArray:
    """A line (v, 2) without the corners that lie nearer than so much to the one kept before."""
    kept = [0]
    for at in range(1, len(line)):
        if float(np.hypot(*(line[at] - line[kept[-1]]))) >= nearest:
            kept.append(at)
    return line[kept]


def inside(polygon: FloatArray, x: Coordinates, y: Coordinates, checkpoint: Checkpoint = int) -> Mask:
    """Which points (m,) a polygon (v, 2) winds around, closed from its last corner to its first.

    Where the line crosses itself, what it goes around once or more is inside (the nonzero rule). The corners' heights
    cut the plane into strips in which no edge begins or ends, so that each point is compared with the few edges of its
    strip: O(m log v) for a polygon that is not wound up (Preparata and Shamos, 1985, 2.2.2.1).
    """
    found = np.zeros(len(x), dtype=np.bool_)
    heights = np.unique(polygon[:, 1]) if len(polygon) >= 3 else np.empty(0)
    if len(heights) < 2:
        return found
    edges = _Edges(polygon, heights)
    (left, low), (right, high) = polygon.min(axis=0), polygon.max(axis=0)
    for start in range(0, len(x), _BLOCK):
        checkpoint()
        part = slice(start, start + _BLOCK)
        near = np.flatnonzero((x[part] >= left) & (x[part] <= right) & (y[part] >= low) & (y[part] < high))
        found[start + near] = edges.winding(x[part][near].astype(np.float64), y[part][near].astype(np.float64)) != 0
    return found


class _Edges:
    """The edges of a polygon by the strips between its corners' heights (s + 1,) that they cross."""

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
        """How often the polygon goes around each point (m,), from the edges right of it; y inside its heights."""
        strips = np.searchsorted(self._heights, y, side="right") - 1
        winding = np.zeros(len(x), dtype=np.int16)
        for column in range(self._crossing.shape[1]):
            edge = self._crossing[strips, column]
            at = self._x[edge] + (y - self._y[edge]) * self._slope[edge]
            winding += self._sign[edge] * (at > x)
        return winding
