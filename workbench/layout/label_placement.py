"""Placement of a label beside a box, where it hides least of the rest of the picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.data.columns import FloatArray

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels."""

MARGIN: Final = 4
"""Free pixels between the label and the edge of the picture."""
GAP: Final = 12.0
"""Free pixels between the label and its box, where there is room."""
CELL: Final = MARGIN
"""Side of the squares, in pixels, in which places and hidden area are counted."""
LARGE: Final = 600_000
"""Views of more pixels than this use squares of twice the side."""
HIDDEN: Final = 0.5
"""Pixels of distance that weigh as much as one hidden square pixel."""
ABOVE_OR_BELOW: Final = 25.0
LEFT: Final = 3.0
"""Pixels by which a place above, below or at the left must be nearer to win over one at the right."""


@dataclass(frozen=True)
class LabelPosition:
    """Upper left corner of a label, distance, hidden square pixels, cost (compares places and sizes)."""

    x: int
    y: int
    distance: float
    hidden: float
    cost: float


def place_beside(size: tuple[int, int], box: Box, view: tuple[int, int], others: FloatArray) -> LabelPosition | None:
    """The best place for a label (width, height) beside the box, off ``others`` (n, 4); None if none fits."""
    width, height = size
    cell = CELL if view[0] * view[1] <= LARGE else 2 * CELL
    x = np.arange(cell, view[0] - MARGIN - width + 1, cell, dtype=np.float64)
    y = np.arange(cell, view[1] - MARGIN - height + 1, cell, dtype=np.float64)
    if not len(x) or not len(y):
        return None
    across, beyond = _apart(x, width, box[0], box[2]), _apart(y, height, box[1], box[3])
    distance = np.hypot(np.maximum(across, 0.0)[None, :], np.maximum(beyond, 0.0)[:, None])
    aside, level = x + width / 2 - (box[0] + box[2]) / 2, y + height / 2 - (box[1] + box[3]) / 2
    cost = np.maximum(distance, 2 * GAP - distance)  # too near is as bad as too far
    cost += (0.02 * np.abs(aside) + np.where(across < 0, ABOVE_OR_BELOW, np.where(aside < 0, LEFT, 0.0)))[None, :]
    cost += 0.05 * np.abs(level)[:, None]
    hidden = _hidden(x, y, size, view, others, cell)
    cost += HIDDEN * hidden
    cost[(across < 0)[None, :] & (beyond < 0)[:, None]] = np.inf
    row, column = np.unravel_index(int(np.argmin(cost)), cost.shape)
    if not np.isfinite(cost[row, column]):
        return None
    return LabelPosition(
        int(x[column]), int(y[row]), float(distance[row, column]), float(hidden[row, column]), float(cost[row, column])
    )


def _apart(start: FloatArray, length: int, low: float, high: float) -> FloatArray:
    """Distance of intervals of this length (n,) from the interval (low, high); negative where they overlap."""
    return np.maximum(low - (start + length), start - high)


def _hidden(
    x: FloatArray, y: FloatArray, size: tuple[int, int], view: tuple[int, int], others: FloatArray, cell: int
) -> FloatArray:
    """Square pixels of the others hidden from each place (len(y), len(x)), in whole cells."""
    rows, columns = -(-view[1] // cell) + 1, -(-view[0] // cell) + 1
    taken = np.zeros((rows, columns), dtype=np.bool_)
    cells = np.clip(others, 0, cell * max(rows, columns)) / cell
    for left, top, right, bottom in np.c_[np.floor(cells[:, :2]), np.ceil(cells[:, 2:])].astype(np.int64).tolist():
        taken[top:bottom, left:right] = True
    before = np.zeros((rows + 1, columns + 1))
    np.cumsum(np.cumsum(taken, axis=0), axis=1, out=before[1:, 1:])
    left, top = (x // cell).astype(np.int64), (y // cell).astype(np.int64)
    right, bottom = np.minimum(left - (-size[0] // cell), columns), np.minimum(top - (-size[1] // cell), rows)
    within = before[np.ix_(bottom, right)] - before[np.ix_(top, right)] - before[np.ix_(bottom, left)]
    area: FloatArray = (within + before[np.ix_(top, left)]) * cell**2
    return area
