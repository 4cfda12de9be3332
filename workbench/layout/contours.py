"""Where a number on a grid passes a level: the lines of a map."""

from __future__ import annotations

import numpy as np

from algorithms.data.columns import FloatArray

_SIDES = (((0, 0), (1, 0)), ((1, 0), (1, 1)), ((0, 1), (1, 1)), ((0, 0), (0, 1)))
"""The corners (across, up) at the ends of each side of a cell: below, right, above, left."""


def contour(values: FloatArray, level: float) -> FloatArray:
    """The pieces (m, 4) of the line where values (h, w) pass a level: x and y of both ends, in cells from corner 0.

    Marching squares: on each side of a cell whose corners lie on both sides of the level a point, straight between.
    Where all four sides are crossed the middle says which points belong together.
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
    found = [np.take_along_axis(place[two], order[..., None], axis=1).reshape(-1, 4)]
    middle = np.sum(list(corner.values()), axis=0) / 4 > level
    turned = middle[four] == is_above[(0, 0)][four]
    at = place[four]
    for pairs in (((0, 1), (2, 3)), ((0, 3), (1, 2))):
        chosen = at[turned if pairs[0] == (0, 1) else ~turned]
        found += [np.concatenate([chosen[:, i], chosen[:, j]], axis=1) for i, j in pairs]
    return np.concatenate(found)


def strung(pieces: FloatArray) -> list[tuple[float, float, float, float]]:
    """The same pieces with each, where it can be, beginning where the one before it ends."""
    found: list[tuple[float, float, float, float]] = []
    ends: dict[tuple[float, float], list[int]] = {}
    rounded = np.round(pieces, 9)
    for piece, (x0, y0, x1, y1) in enumerate(rounded.tolist()):
        ends.setdefault((x0, y0), []).append(piece)
        ends.setdefault((x1, y1), []).append(piece)
    left = np.ones(len(pieces), dtype=np.bool_)
    lone = [piece for meeting in ends.values() if len(meeting) == 1 for piece in meeting]
    for first in [*lone, *range(len(pieces))]:
        at: int | None = first if left[first] else None
        x0, y0, x1, y1 = rounded[first].tolist()
        place = (x1, y1) if len(ends[(x1, y1)]) == 1 and len(ends[(x0, y0)]) > 1 else (x0, y0)
        while at is not None:
            left[at] = False
            x0, y0, x1, y1 = rounded[at].tolist()
            if (x0, y0) != place:
                x0, y0, x1, y1 = x1, y1, x0, y0
            found.append((x0, y0, x1, y1))
            place = (x1, y1)
            at = next((other for other in ends[place] if left[other]), None)
    return found
