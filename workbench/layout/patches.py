"""Connected regions of a grid of decisions, and which points lie in one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import ndimage

from algorithms.core.learner import Codes
from workbench.layout.points import Coordinates, Mask

Checkpoint = Callable[[], object]

_BLOCK = 65_536


@dataclass(frozen=True, eq=False)
class Grid:
    """Codes (h, w) over a part of the plane in units of the axes, row 0 the lowest."""

    left: float
    right: float
    low: float
    high: float
    codes: Codes

    def cells(self, x: Coordinates, y: Coordinates) -> tuple[NDArray[np.int32], NDArray[np.int32], Mask]:
        """Row and column of the cell of each point (m,), and which points are on the grid at all."""
        height, width = self.codes.shape
        across = (x - np.float32(self.left)) * np.float32(width / (self.right - self.left))
        up = (y - np.float32(self.low)) * np.float32(height / (self.high - self.low))
        on = (across >= 0) & (across <= width) & (up >= 0) & (up <= height)
        rows = np.clip(up, 0, height - 1).astype(np.int32)
        return rows, np.clip(across, 0, width - 1).astype(np.int32), on

    def code_at(self, x: float, y: float) -> int | None:
        """The code at a place; None beside the grid."""
        rows, columns, on = self.cells(np.array([x], dtype=np.float32), np.array([y], dtype=np.float32))
        return int(self.codes[rows[0], columns[0]]) if on[0] else None

    def patch_at(self, x: float, y: float) -> Mask | None:
        """The cells (h, w) that are connected with the one at a place and have its code; None beside the grid."""
        rows, columns, on = self.cells(np.array([x], dtype=np.float32), np.array([y], dtype=np.float32))
        if not on[0]:
            return None
        labels, _ = ndimage.label(self.codes == self.codes[rows[0], columns[0]])
        patch: Mask = labels == labels[rows[0], columns[0]]
        return patch

    def inside(self, patch: Mask, x: Coordinates, y: Coordinates, checkpoint: Checkpoint = int) -> Mask:
        """Which points (m,) lie in cells (h, w) of a patch."""
        found = np.zeros(len(x), dtype=np.bool_)
        for start in range(0, len(x), _BLOCK):
            checkpoint()
            part = slice(start, start + _BLOCK)
            rows, columns, on = self.cells(x[part], y[part])
            found[part] = patch[rows, columns] & on
        return found
