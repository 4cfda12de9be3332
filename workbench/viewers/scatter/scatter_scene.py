"""What is seen among points: the points themselves or their density, regions behind them, borders over them."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from algorithms.core.learner import Codes
from algorithms.data.columns import FloatArray, IntArray
from workbench.layout.camera import Window
from workbench.layout.grid_regions import Grid, strung
from workbench.layout.points import Link, Mask, Points

NOBODY: Final = -1


@dataclass(frozen=True, eq=False)
class Layer:
    """The points of a window, drawn one by one (``shown``) or as the picture of their density."""

    window: Window
    shown: IntArray | None = None
    picture: QImage | None = None


@dataclass(frozen=True, eq=False)
class Backdrop:
    """Regions over a part of the plane, in units of the axes; ``codes`` (h, w) are decided, row 0 the lowest."""

    left: float
    right: float
    low: float
    high: float
    picture: QImage
    codes: Codes
    names: tuple[str, ...]
    """What the codes mean."""

    @property
    def grid(self) -> Grid:
        return Grid(self.left, self.right, self.low, self.high, self.codes)

    def codes_within(self, left: float, right: float, low: float, high: float) -> list[int]:
        """The codes of the cells that a rectangle, in units of the axes, takes a part of, ascending."""
        rows, columns = self.codes.shape
        wide, tall = (self.right - self.left) / columns, (self.high - self.low) / rows
        first, last = int((left - self.left) // wide), int((right - self.left) // wide) + 1
        below, above = int((low - self.low) // tall), int((high - self.low) // tall) + 1
        inside = self.codes[max(0, below) : max(0, above), max(0, first) : max(0, last)]
        return np.flatnonzero(np.bincount(inside.ravel())).tolist()


@dataclass(frozen=True, eq=False)
class Outline:
    """A border drawn over the points: ``pieces`` (m, 4) are the ends of its parts, x and y, in units of the axes."""

    pieces: FloatArray
    is_dashed: bool = False

    @cached_property
    def strung(self) -> list[tuple[float, float, float, float]]:
        """The pieces one after the other, as a pen goes along them."""
        return strung(self.pieces)


@dataclass(eq=False)
class Scene:
    """All that is seen. ``chosen`` (m,) are the selected points, None where no record is selected."""

    points: Points | None = None
    layer: Layer | None = None
    backdrops: list[Backdrop] = field(default_factory=list)
    chosen: Mask | None = None
    focus: int = NOBODY
    hover: int = NOBODY
    links: list[Link] = field(default_factory=list)
    outlines: list[Outline] = field(default_factory=list)
    symbol_size: float = 1.0
    """Size of the symbols as a share of the usual one."""
    sizes: NDArray[np.intp] | None = None
    """Which of ``SIZES`` each point has (m,); None where all are alike."""
