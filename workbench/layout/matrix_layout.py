"""Layouts of a labelled matrix, and of a square of cells for pairs of axes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from workbench.layout.camera import Window

GAP = 6.0
"""Pixels between large cells; the gap shrinks with them."""
SMALLEST_LABEL = 13.0
"""Pixels that a line of text needs."""
TINY = 8.0
"""Cells smaller than this touch each other."""
LEAST_ACROSS, LEAST_DOWN = 3.0, 2.0
"""The smallest cell in pixels; a larger matrix is scrolled."""
LARGEST, LARGEST_NARROW = 360.0, 150.0
"""The highest cell, and the highest of cells that are narrower than high."""
SQUEEZE, MOST_SQUEEZED = 0.1, 3.0
"""The share of their size, and the pixels, that cells lose where all of them fit then."""


@dataclass(frozen=True)
class MatrixLayout:
    """k x k cells right of row names and below column names, which end at ``left`` and ``top``.

    ``title`` is the thickness of the titles of both axes beyond the names; ``names_turned`` turns the column names.
    ``columns`` and ``rows`` are in sight at a time, and fill the room whole where these are not all. ``largest`` is the
    height up to which cells of this width grow. ``marks`` are the widths of the symbols before the names of rows and of
    columns. ``beyond`` is the room of the margins right of the cells and below them. Where the names have no room above
    the columns, the numbers of the rows stand there, and ``number`` is their width beside the rows; else it is 0.
    """

    k: int
    left: float
    top: float
    cell_width: float
    cell_height: float
    title: float
    names_turned: bool
    columns: int
    rows: int
    largest: float = LARGEST
    marks: tuple[float, float] = (0.0, 0.0)
    beyond: tuple[float, float] = (0.0, 0.0)
    number: float = 0.0

    @property
    def between(self) -> float:
        """Pixels between what stands above two columns."""
        return BETWEEN_NUMBERS if self.number else BETWEEN

    @property
    def numbers(self) -> tuple[str, ...]:
        """What stands above the columns and after the names of the rows; empty where names stand above the columns."""
        return tuple(map(str, range(1, self.k + 1))) if self.number else ()

    @property
    def gap(self) -> float:
        smaller = min(self.cell_width, self.cell_height)
        return 0.0 if smaller < TINY else min(GAP, 0.08 * smaller)

    @property
    def right(self) -> float:
        """The right end of all cells."""
        return self.left + self.k * self.cell_width

    @property
    def bottom(self) -> float:
        """The lower end of all cells."""
        return self.top + self.k * self.cell_height

    @property
    def width(self) -> float:
        return self.right + self.beyond[0]

    @property
    def height(self) -> float:
        return self.bottom + self.beyond[1]

    @property
    def row_label_step(self) -> int:
        return _step(self.cell_height)

    @property
    def column_label_step(self) -> int:
        return _step(self.cell_width) if self.names_turned else 1

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


AIR: Final = 6.0
"""Pixels between the names of the columns and the frame of the focus."""
BETWEEN: Final = 12.0
"""Pixels between the names of two columns."""
BETWEEN_NUMBERS: Final = 4.0
"""The same between numbers that stand there for the names."""
NAMES, NUMBERED_NAMES = 0.4, 0.55
"""Largest share of the width for the names of rows, and for those that are numbered."""
AFTER_NAME: Final = 8.0
"""Pixels between the name of a row and its number."""
JOINT: Final = re.compile(r"(?<=[_/-])(?=[^\W\d_])")
"""Where a line may end within a word: after an underscore, a slash or a hyphen."""


def matrix_layout(
    k: int,
    width: float,
    height: float,
    widest_name: float,
    *,
    least: tuple[float, float] = (0.0, 0.0),
    line_height: float = 16.0,
    zoom: float = 1.0,
    wrapped: Callable[[float], float] = lambda across: math.inf,
    marks: tuple[float, float] = (0.0, 0.0),
    beyond: tuple[float, float] = (0.0, 0.0),
    foot: float = 0.0,
    number: float = 0.0,
) -> MatrixLayout:
    """The layout of k classes in ``width`` x ``height`` pixels; cells are never smaller than ``least`` at zoom 1.

    ``widest_name`` is the width of the longest class name; names take at most 40% of the width and of the height, with
    the symbols before those of rows and of columns, which are ``marks`` wide. ``wrapped`` is the height of level column
    names in lines of a width, symbols included, infinite if a word does not fit. Column names are turned where they
    would be higher so. If they would be cut then, classes are numbered, unless ``number``, the width of the widest
    number, is 0. ``beyond`` stays free right of the cells and below them; ``foot`` is the width of the name of the
    margin below.
    """
    title, area = line_height + 4, (width - beyond[0], height - beyond[1])

    def edges(name: float, beside: float, most: float) -> tuple[float, float, bool, bool]:
        """Left and top of the cells, and whether column names of this width are turned, and whether they are cut."""
        width, height = area
        left = min(max(widest_name + marks[0] + beside, foot) + 14, max(60.0, most * width)) + title
        across = max((width - left) / max(1, k), least[0], LEAST_ACROSS)
        head = _whole_cells(k, across * zoom, width - left)[0] - (BETWEEN_NUMBERS if beside else BETWEEN)
        above = name + marks[1]
        level = line_height if above <= head else math.inf if beside else wrapped(head)
        upright = min(above + 10, max(48.0, 0.4 * height))
        turned = level > max(upright, line_height)
        return left, title + AIR + (upright if turned else level + 4), turned, turned and upright < above + 10

    left, top, turned, is_cut = edges(widest_name, 0.0, NAMES)
    beside = number + AFTER_NAME if is_cut and number else 0.0
    if beside:
        left, top, turned, _ = edges(number, beside, NUMBERED_NAMES)
    width, height = area
    across = max((width - left) / max(1, k), least[0], LEAST_ACROSS)
    largest = min(LARGEST, max(LARGEST_NARROW, across))
    down = max(min((height - top) / max(1, k), largest), least[1], LEAST_DOWN)
    if k > 4:
        across = max(min(across, 2.6 * down), least[0])
    across, columns = _whole_cells(k, across * zoom, width - left)
    down, rows = _whole_cells(k, down * zoom, height - top)
    return MatrixLayout(k, left, top, across, down, title, turned, columns, rows, largest, marks, beyond, beside)


def lines_of_head(name: str, across: float, mark: float, width: Callable[[str], float]) -> tuple[str, ...]:
    """A name in lines of words or parts of them, the first one ``mark`` pixels shorter; none if one is too wide.

    A word ends a line within it only at a :data:`JOINT`.
    """
    lines = [""]
    for word in name.split():
        for nth, part in enumerate(JOINT.split(word)):
            longer = f"{lines[-1]}{'' if nth or not lines[-1] else ' '}{part}"
            if width(longer) <= across - (mark if len(lines) == 1 else 0.0):
                lines[-1] = longer
            elif lines[-1] and width(part) <= across:
                lines.append(part)
            else:
                return ()
    return tuple(lines)


def _whole_cells(k: int, size: float, room: float) -> tuple[float, int]:
    """The size of the cells, and how many are in sight: they fill the room where not all ``k`` of this size fit."""
    if k * size <= room or room <= 0:
        return size, k
    squeezed = size - min(SQUEEZE * size, MOST_SQUEEZED)
    n = k if k * squeezed <= room else max(1, int(room / size))
    return room / n, n


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
