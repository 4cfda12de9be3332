"""Layouts of a labelled matrix, and of a square of cells for pairs of axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from workbench.layout.camera import Window

GAP = 6.0
"""Pixels between large cells; the gap shrinks with them."""
SMALLEST_LABEL = 13.0
"""Pixels that a line of text needs."""
SMALL_CELL, SMALL_LETTERS = 15.0, 10 / 12
"""Cells smaller than this have labels in smaller letters, by this factor."""
WIDE_ENOUGH = 64.0
"""A column of at least this width has its label written across, in full words."""
TINY = 8.0
"""Cells smaller than this touch each other."""
LEAST_ACROSS, LEAST_DOWN = 3.0, 2.0
"""The smallest cell in pixels; a larger matrix is scrolled."""
LARGEST = 150.0


@dataclass(frozen=True)
class MatrixLayout:
    """k x k cells right of row labels ``left`` wide and below column labels ``top`` high.

    ``in_words`` says whether labels have a word before the class name. ``labels_upright`` turns the column labels, and
    ``label_lines`` is their number of lines.
    """

    k: int
    left: float
    top: float
    cell_width: float
    cell_height: float
    in_words: bool
    labels_upright: bool
    label_lines: int = 1

    @property
    def gap(self) -> float:
        smaller = min(self.cell_width, self.cell_height)
        return 0.0 if smaller < TINY else min(GAP, 0.08 * smaller)

    @property
    def width(self) -> float:
        return self.left + self.k * self.cell_width

    @property
    def height(self) -> float:
        return self.top + self.k * self.cell_height

    @property
    def row_label_step(self) -> int:
        """The number of rows per label."""
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
        """Row and column at a point; None outside the cells."""
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
        """The rows (or columns) that lie at least partly between two coordinates."""
        start, size = (self.top, self.cell_height) if rows else (self.left, self.cell_width)
        low = max(0, int((first - start) // size))
        return range(low, min(self.k, int((last - start) // size) + 1))


def matrix_layout(
    k: int, width: float, height: float, widest_name: float, *, line_height: float = 16.0, zoom: float = 1.0
) -> MatrixLayout:
    """The layout of k classes that fills ``width`` x ``height`` pixels at zoom 1.

    ``widest_name`` is the width of the longest class name; labels take at most a third of the space.
    """
    prefix = 2.6 * line_height
    most = min(max(60.0, width * 0.3), 180.0)
    in_words = (width - min(widest_name + prefix, most)) / max(1, k) * zoom >= WIDE_ENOUGH
    left = min(widest_name + (prefix if in_words else 14), most)
    left = max(left, 0.0 if in_words else 5.2 * line_height)
    cell_width = max(1.0, (width - left) / max(1, k))
    lines = 2 if in_words and cell_width * zoom < widest_name + 2.2 * line_height else 1
    for upright in (False, True):
        top = min(max(widest_name + 12, 40.0), max(48.0, height * 0.28), 140.0) if upright else lines * line_height + 10
        cell_height = max(1.0, min((height - top) / max(1, k), LARGEST))
        across = min(cell_width, 2.6 * cell_height) if k > 4 else cell_width
        if upright or in_words or _fits_across(widest_name, across * zoom):
            break
    across, cell_height = max(LEAST_ACROSS, across * zoom), max(LEAST_DOWN, cell_height * zoom)
    return MatrixLayout(k, left, top, across, cell_height, in_words, upright, lines)


def _fits_across(widest_name: float, cell_width: float) -> bool:
    """Whether every name fits over its column without being turned."""
    if cell_width < SMALL_CELL:
        return widest_name * SMALL_LETTERS + 2 <= cell_width
    return widest_name + 6 <= cell_width


def _step(size: float) -> int:
    return max(1, -int(-SMALLEST_LABEL // size))


PAIR_GAP: Final = 6.0
LEAST_CELL: Final = 12.0

Range = tuple[float, float]
Cell = tuple[int, int]
"""Row and column: the axis upwards and the axis across."""


@dataclass(frozen=True)
class PairGrid:
    """``k`` x ``k`` cells inside a rectangle of a view, row 0 at the top."""

    k: int
    left: float
    top: float
    width: float
    height: float

    @property
    def cell_width(self) -> float:
        return max(LEAST_CELL, (self.width - PAIR_GAP * (self.k - 1)) / max(1, self.k))

    @property
    def cell_height(self) -> float:
        return max(LEAST_CELL, (self.height - PAIR_GAP * (self.k - 1)) / max(1, self.k))

    def x(self, column: int) -> float:
        """The left edge of a column."""
        return self.left + column * (self.cell_width + PAIR_GAP)

    def y(self, row: int) -> float:
        """The upper edge of a row."""
        return self.top + row * (self.cell_height + PAIR_GAP)

    def at(self, x: float, y: float) -> Cell | None:
        """The cell at a point of the view; None between and beside the cells."""
        column = int((x - self.left) // (self.cell_width + PAIR_GAP))
        row = int((y - self.top) // (self.cell_height + PAIR_GAP))
        if not (0 <= row < self.k and 0 <= column < self.k):
            return None
        within = x <= self.x(column) + self.cell_width and y <= self.y(row) + self.cell_height
        return (row, column) if within else None

    def window(self, cell: Cell, ranges: tuple[Range, ...]) -> Window:
        """The window of a cell: the range of its row's axis upwards, of its column's axis across."""
        (low, high), (left, right) = ranges[cell[0]], ranges[cell[1]]
        return Window(left, right, low, high, self.cell_width, self.cell_height)

    def stepped(self, cell: Cell, right: int, down: int) -> Cell:
        """The neighbour of a cell, or the cell itself at the edge."""
        return min(max(cell[0] + down, 0), self.k - 1), min(max(cell[1] + right, 0), self.k - 1)


def with_window(ranges: tuple[Range, ...], cell: Cell, window: Window) -> tuple[Range, ...]:
    """The ranges after a cell got another window; on the diagonal the range across counts."""
    changed = list(ranges)
    changed[cell[0]] = (window.low, window.high)
    changed[cell[1]] = (window.left, window.right)
    return tuple(changed)
