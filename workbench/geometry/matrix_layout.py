"""Where the cells and labels of a matrix stand, and which of them are legible: pure numbers, no drawing."""

from __future__ import annotations

from dataclasses import dataclass

GAP = 6.0
"""Between large cells; it shrinks with them."""
SMALLEST_LABEL = 13.0
"""Pixels a line of text needs."""
WIDE_ENOUGH = 64.0
"""A column at least so wide has its label written across, else upwards."""
LARGEST = 150.0


@dataclass(frozen=True)
class MatrixLayout:
    """k x k cells right of row labels ``left`` wide and below column labels ``top`` high."""

    k: int
    left: float
    top: float
    cell_width: float
    cell_height: float

    @property
    def gap(self) -> float:
        return min(GAP, 0.08 * min(self.cell_width, self.cell_height))

    @property
    def width(self) -> float:
        return self.left + self.k * self.cell_width

    @property
    def height(self) -> float:
        return self.top + self.k * self.cell_height

    @property
    def labels_upright(self) -> bool:
        """Whether the column labels are written upwards."""
        return self.cell_width < WIDE_ENOUGH

    @property
    def row_label_step(self) -> int:
        """Every how many rows one label has room."""
        return _step(self.cell_height)

    @property
    def column_label_step(self) -> int:
        return _step(self.cell_width) if self.labels_upright else 1

    def cell(self, row: int, column: int) -> tuple[float, float, float, float]:
        """Left, top, width and height of a cell without the gap around it."""
        half = self.gap / 2
        return (
            self.left + column * self.cell_width + half,
            self.top + row * self.cell_height + half,
            self.cell_width - self.gap,
            self.cell_height - self.gap,
        )

    def cell_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Row and column at a point, None outside the cells."""
        if self.k == 0 or x < self.left or y < self.top:
            return None
        column, row = int((x - self.left) // self.cell_width), int((y - self.top) // self.cell_height)
        return (row, column) if row < self.k and column < self.k else None

    def row_at(self, y: float) -> int | None:
        row = int((y - self.top) // self.cell_height)
        return row if 0 <= row < self.k else None

    def column_at(self, x: float) -> int | None:
        column = int((x - self.left) // self.cell_width)
        return column if 0 <= column < self.k else None

    def visible(self, first: float, last: float, *, rows: bool) -> range:
        """The rows (or columns) any part of which lies between two coordinates."""
        start, size = (self.top, self.cell_height) if rows else (self.left, self.cell_width)
        low = max(0, int((first - start) // size))
        return range(low, min(self.k, int((last - start) // size) + 1))


def matrix_layout(
    k: int, width: float, height: float, widest_label: float, *, line_height: float = 16.0, zoom: float = 1.0
) -> MatrixLayout:
    """The layout of k classes that fills ``width`` x ``height`` pixels at zoom 1.

    ``widest_label`` is how wide the longest label is written out; labels take at most a third of the space.
    """
    left = min(widest_label + 12, max(60.0, width * 0.3), 180.0)
    cell_width = max(1.0, (width - left) / max(1, k))
    upright = cell_width * zoom < WIDE_ENOUGH
    top = min(widest_label + 12, max(48.0, height * 0.28), 140.0) if upright else line_height + 10
    cell_height = max(1.0, min((height - top) / max(1, k), LARGEST))
    if k > 4:
        cell_width = min(cell_width, 2.6 * cell_height)
    return MatrixLayout(k, left, top, max(3.0, cell_width * zoom), max(3.0, cell_height * zoom))


def _step(size: float) -> int:
    return max(1, -int(-SMALLEST_LABEL // size))
