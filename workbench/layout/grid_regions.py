"""Contour lines of a number on a grid, and connected regions of equal decisions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from algorithms.core.learner import Codes
from algorithms.data.columns import FloatArray, Mask
from workbench.layout.points import Checkpoint, Coordinates

_SIDES = (((0, 0), (1, 0)), ((1, 0), (1, 1)), ((0, 1), (1, 1)), ((0, 0), (0, 1)))
"""The corners (across, up) at the ends of each side of a cell: below, right, above, left."""


def contour(values: FloatArray, level: float) -> FloatArray:
    """The contour of values (h, w) at a level, as pieces (m, 4): x and y of both ends, in cells from corner 0.

    Marching squares with linear interpolation. Where all four sides are crossed, the mean of the corners decides how
    the crossings are joined.
    """
    height, width = values.shape
    above = values > level
    corner = {(i, j): values[j : height - 1 + j, i : width - 1 + i] for i in (0, 1) for j in (0, 1)}
    is_above = {(i, j): above[j : height - 1 + j, i : width - 1 + i] for i in (0, 1) for j in (0, 1)}
    crossed, places = [], []
    rows, columns = np.mgrid[0 : height - 1, 0 : width - 1]
    for first, last in _SIDES:
        a, b = corner[first], corner[last]
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.clip(np.nan_to_num((level - a) / (b - a), nan=0.5), 0.0, 1.0)
        x, y = columns + first[0] + share * (last[0] - first[0]), rows + first[1] + share * (last[1] - first[1])
        crossed.append(is_above[first] != is_above[last])
        places.append(np.stack([x, y], axis=-1))
    sides, place = np.stack(crossed, axis=-1), np.stack(places, axis=-2)
    count = sides.sum(axis=-1)
    two, four = count == 2, count == 4
    order = np.argsort(~sides[two], axis=-1, kind="stable")[:, :2]
    pieces = [np.take_along_axis(place[two], order[..., None], axis=1).reshape(-1, 4)]
    middle = np.sum(list(corner.values()), axis=0) / 4 > level
    turned = middle[four] == is_above[(0, 0)][four]
    crossed = place[four]
    for pairs in (((0, 1), (2, 3)), ((0, 3), (1, 2))):
        chosen = crossed[turned if pairs[0] == (0, 1) else ~turned]
        pieces += [np.concatenate([chosen[:, i], chosen[:, j]], axis=1) for i, j in pairs]
    return np.concatenate(pieces)


def chained(pieces: FloatArray) -> list[tuple[float, float, float, float]]:
    """The pieces, ordered and turned so that a piece begins where the one before it ends."""
    chain: list[tuple[float, float, float, float]] = []
    ends: dict[tuple[float, float], list[int]] = {}
    rounded = np.round(pieces, 9)
    for piece, (x0, y0, x1, y1) in enumerate(rounded.tolist()):
        ends.setdefault((x0, y0), []).append(piece)
        ends.setdefault((x1, y1), []).append(piece)
    left = np.ones(len(pieces), dtype=np.bool_)
    lone = [piece for meeting in ends.values() if len(meeting) == 1 for piece in meeting]
    for first in [*lone, *range(len(pieces))]:
        piece_at: int | None = first if left[first] else None
        x0, y0, x1, y1 = rounded[first].tolist()
        place = (x1, y1) if len(ends[(x1, y1)]) == 1 and len(ends[(x0, y0)]) > 1 else (x0, y0)
        while piece_at is not None:
            left[piece_at] = False
            x0, y0, x1, y1 = rounded[piece_at].tolist()
            if (x0, y0) != place:
                x0, y0, x1, y1 = x1, y1, x0, y0
            chain.append((x0, y0, x1, y1))
            place = (x1, y1)
            piece_at = next((other for other in ends[place] if left[other]), None)
    return chain


_BLOCK = 65_536


@dataclass(frozen=True, eq=False)
class Grid:
    """Codes (h, w) over a rectangle of the plane in units of the axes, row 0 the lowest."""

    left: float
    right: float
    low: float
    high: float
    codes: Codes

    def cells(self, x: Coordinates, y: Coordinates) -> tuple[NDArray[np.int32], NDArray[np.int32], Mask]:
        """Row and column of the cell of each point (m,), and which points lie on the grid."""
        height, width = self.codes.shape
        across = (x - np.float32(self.left)) * np.float32(width / (self.right - self.left))
        up = (y - np.float32(self.low)) * np.float32(height / (self.high - self.low))
        on = (across >= 0) & (across <= width) & (up >= 0) & (up <= height)
        rows = np.clip(up, 0, height - 1).astype(np.int32)
        return rows, np.clip(across, 0, width - 1).astype(np.int32), on

    def code_at(self, x: float, y: float) -> int | None:
        """The code at a point; None outside the grid."""
        rows, columns, on = self.cells(np.array([x], dtype=np.float32), np.array([y], dtype=np.float32))
        return int(self.codes[rows[0], columns[0]]) if on[0] else None

    def patch_at(self, x: float, y: float) -> Mask | None:
        """The cells (h, w) connected with the cell at a point by equal codes; None outside the grid."""
        rows, columns, on = self.cells(np.array([x], dtype=np.float32), np.array([y], dtype=np.float32))
        if not on[0]:
            return None
        labels, _ = ndimage.label(self.codes == self.codes[rows[0], columns[0]])
        patch: Mask = labels == labels[rows[0], columns[0]]
        return patch

    def inside(self, patch: Mask, x: Coordinates, y: Coordinates, checkpoint: Checkpoint = int) -> Mask:
        """Which points (m,) lie in the cells (h, w) of a patch."""
        is_inside = np.zeros(len(x), dtype=np.bool_)
        for start in range(0, len(x), _BLOCK):
            checkpoint()
            part = slice(start, start + _BLOCK)
            rows, columns, on = self.cells(x[part], y[part])
            is_inside[part] = patch[rows, columns] & on
        return is_inside
