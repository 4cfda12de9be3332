"""A square of cells, one for each pair of axes: where the cells are, and what part of each axis they show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from workbench.geometry.plane import Window

GAP: Final = 6.0
LEAST_CELL: Final = 12.0

Range = tuple[float, float]
Cell = tuple[int, int]
"""Row and column: the axis upwards and the axis across."""


@dataclass(frozen=True)
class PairGrid:
    """``k`` times ``k`` cells inside a rectangle of a view, row 0 at the top."""

    k: int
    left: float
    top: float
    width: float
    height: float

    @property
    def cell_width(self) -> float:
        return max(LEAST_CELL, (self.width - GAP * (self.k - 1)) / max(1, self.k))

    @property
    def cell_height(self) -> float:
        return max(LEAST_CELL, (self.height - GAP * (self.k - 1)) / max(1, self.k))

    def x(self, column: int) -> float:
        """The left edge of a column."""
        return self.left + column * (self.cell_width + GAP)

    def y(self, row: int) -> float:
        """The upper edge of a row."""
        return self.top + row * (self.cell_height + GAP)

    def at(self, x: float, y: float) -> Cell | None:
        """The cell at a place of the view; None between and beside the cells."""
        column = int((x - self.left) // (self.cell_width + GAP))
        row = int((y - self.top) // (self.cell_height + GAP))
        if not (0 <= row < self.k and 0 <= column < self.k):
            return None
        within = x <= self.x(column) + self.cell_width and y <= self.y(row) + self.cell_height
        return (row, column) if within else None

    def window(self, cell: Cell, ranges: tuple[Range, ...]) -> Window:
        """What a cell shows: the range of its row's axis upwards, of its column's axis across."""
        (low, high), (left, right) = ranges[cell[0]], ranges[cell[1]]
        return Window(left, right, low, high, self.cell_width, self.cell_height)

    def stepped(self, cell: Cell, right: int, down: int) -> Cell:
        """The neighbour of a cell, the cell itself at the edge."""
        return min(max(cell[0] + down, 0), self.k - 1), min(max(cell[1] + right, 0), self.k - 1)


def with_window(ranges: tuple[Range, ...], cell: Cell, window: Window) -> tuple[Range, ...]:
    """The ranges after a cell was given another window. On the diagonal the range across counts."""
    changed = list(ranges)
    changed[cell[0]] = (window.low, window.high)
    changed[cell[1]] = (window.left, window.right)
    return tuple(changed)
