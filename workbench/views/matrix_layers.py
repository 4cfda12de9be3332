"""What each cell of a scatter matrix shows, made in parts: bars for each axis, points or density for each pair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from algorithms.core.data import IntArray
from workbench.geometry.bars import Bars, bars_of
from workbench.geometry.density import Checkpoint, Pixels, density_picture, over, shown_points
from workbench.geometry.pair_grid import Range
from workbench.geometry.places import EVERY, SAMPLED_FROM, Places
from workbench.geometry.plane import Window
from workbench.geometry.points import Mask, Scale
from workbench.theme import Theme
from workbench.views.refiner import COARSE_DONE
from workbench.views.scatter_layer import CELL, ROOM, class_colors
from workbench.views.scatter_paint import FADED, Layer

AROUND: Final = 0.25
"""Part of a cell that is prepared beyond each of its edges, for panning."""
FEWEST: Final = 400
"""So many points of a cell are always drawn one by one."""
MOST: Final = 12_000
"""So many are drawn one by one in all cells together."""
LIT_FAINTEST: Final = 0.75
EVERYWHERE: Final = Window(-9.5, 9.5, -9.5, 9.5)


@dataclass(frozen=True, eq=False)
class MatrixWanted:
    """All that the cells depend on. ``side`` is the longer side of a cell in pixels."""

    places: Places
    ranges: tuple[Range, ...]
    side: float
    lit: Mask | None
    theme: Theme


@dataclass(frozen=True, eq=False)
class AxisBars:
    """The bars of one axis, and those of the records that are lit."""

    axis: int
    bars: Bars
    lit: Bars | None


@dataclass(frozen=True, eq=False)
class PairLayer:
    """The cell with ``across`` < ``up``, and by its mirror image the cell with both exchanged.

    ``pixels`` show the density over ``window``, or the points ``shown`` are drawn one by one.
    """

    across: int
    up: int
    window: Window
    shown: IntArray | None = None
    pixels: Pixels | None = None


def most_shown(n_axes: int) -> int:
    """How many points of a cell are drawn one by one."""
    return max(FEWEST, MOST // max(1, n_axes * (n_axes - 1)))


def is_quick(places: Places) -> bool:
    """Whether every record is drawn in every cell, so that nothing is to be computed."""
    return len(places) <= most_shown(places.n_axes)


def matrix_layers(wanted: MatrixWanted, checkpoint: Checkpoint) -> Iterator[object]:
    """The parts of a picture: of many records some first, then all."""
    places, lit = wanted.places, wanted.lit
    if len(places) >= SAMPLED_FROM:
        yield from _stage(wanted, places.sampled(EVERY), None if lit is None else lit[::EVERY], False, checkpoint)
        yield COARSE_DONE
    yield from _stage(wanted, places, lit, True, checkpoint)


def _stage(
    wanted: MatrixWanted, places: Places, lit: Mask | None, is_whole: bool, checkpoint: Checkpoint
) -> Iterator[object]:
    for axis, (low, high) in enumerate(wanted.ranges):
        beside = AROUND * (high - low)
        bars = bars_of(places, axis, low - beside, high + beside, None, checkpoint)
        yield AxisBars(axis, bars, None if lit is None else bars_of(places, axis, bars.low, bars.high, lit, checkpoint))
    colors = class_colors(wanted.theme, places.n_classes)
    for up in range(places.n_axes):
        for across in range(up):
            yield _pair(wanted, places, (across, up), lit, colors, is_whole, checkpoint)


def _pair(
    wanted: MatrixWanted,
    places: Places,
    pair: tuple[int, int],
    lit: Mask | None,
    colors: NDArray[np.float32],
    is_whole: bool,
    checkpoint: Checkpoint,
) -> PairLayer:
    across, up = pair
    (left, right), (low, high) = wanted.ranges[across], wanted.ranges[up]
    points = places.pair(across, up)
    around = Window(left, right, low, high, wanted.side, wanted.side).around(AROUND)
    most = most_shown(places.n_axes)
    if is_whole and len(points) <= most:
        return PairLayer(across, up, EVERYWHERE, shown=np.arange(len(points)))
    if is_whole and wanted.side * wanted.side / ROOM >= 1:
        found = shown_points(points, around, most, checkpoint)
        if len(found) <= most:
            return PairLayer(across, up, around, shown=found)
    opacity = 1.0 if lit is None else FADED
    pixels = density_picture(points, around, colors, CELL, opacity=opacity, checkpoint=checkpoint)
    if lit is not None:
        above = density_picture(points, around, colors, CELL, among=lit, faintest=LIT_FAINTEST, checkpoint=checkpoint)
        pixels = over(above, pixels)
    return PairLayer(across, up, around, pixels=pixels)


def mirrored(pixels: Pixels) -> Pixels:
    """The picture (h, w) with what is across upwards and what is upwards across (w, h)."""
    return np.ascontiguousarray(pixels[::-1, ::-1].T)


def swapped(window: Window) -> Window:
    """The window with both axes exchanged."""
    return Window(window.low, window.high, window.left, window.right, window.height, window.width)


def layer_in_cell(made: PairLayer, picture: QImage | None, *, is_mirror: bool) -> Layer:
    """The layer as the painter of points takes it; ``picture`` is its image, mirrored where the cell is."""
    return Layer(swapped(made.window) if is_mirror else made.window, made.shown, picture)


def is_prepared(layer: Layer, window: Window) -> bool:
    """Whether a layer shows all of a window, as finely as it should."""
    if not layer.window.covers(window):
        return False
    if layer.picture is None:
        return True
    wide, high = 1 + 2 * AROUND, 1 + 2 * AROUND
    across = (layer.window.right - layer.window.left) / (window.right - window.left) / wide
    up = (layer.window.high - layer.window.low) / (window.high - window.low) / high
    return abs(across - 1) < 1e-6 and abs(up - 1) < 1e-6


def are_prepared(made: AxisBars, scale: Scale, seen: Range) -> bool:
    """Whether bars show all of a range, as finely as they should."""
    if scale.is_banded:
        return True
    low, high = made.bars.low, made.bars.high
    is_as_fine = abs((high - low) / (seen[1] - seen[0]) / (1 + 2 * AROUND) - 1) < 1e-6
    return is_as_fine and low <= seen[0] and seen[1] <= high
