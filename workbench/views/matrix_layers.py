"""What each cell of a scatter matrix shows, made in parts: bars for each axis, points or density for each pair."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import IntArray
from workbench.geometry.bars import Bars, bars_of
from workbench.geometry.density import Checkpoint, Pixels, density_picture, over, shown_points
from workbench.geometry.pair_grid import Cell, Range
from workbench.geometry.places import EVERY, SAMPLED_FROM, Places
from workbench.geometry.plane import Window
from workbench.geometry.points import Mask, Scale
from workbench.theme import Theme
from workbench.views.refiner import COARSE_DONE
from workbench.views.scatter_layer import CELL, class_colors
from workbench.views.scatter_paint import FADED
from workbench.views.scatter_scene import Layer

AROUND: Final = 0.25
"""Part of a cell that is prepared beyond each of its edges, for panning."""
FEWEST: Final = 400
"""So many points of a cell are always drawn one by one."""
MOST: Final = 40_000
"""So many are drawn one by one in all cells together."""
ROOM: Final = 6.0
"""Pixels of a cell for each of its points that is drawn by itself."""
LIT_FAINTEST: Final = 0.75
EVERYWHERE: Final = Window(-9.5, 9.5, -9.5, 9.5)


@dataclass(frozen=True, eq=False)
class MatrixWanted:
    """All that the cells depend on. A cell is ``width`` by ``height`` pixels and has at most ``most`` single points."""

    places: Places
    ranges: tuple[Range, ...]
    width: float
    height: float
    most: int
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
    """One cell: ``pixels`` show the density over ``window``, or the points ``shown`` are drawn one by one."""

    cell: Cell
    window: Window
    shown: IntArray | None = None
    pixels: Pixels | None = None


def most_shown(n_axes: int, width: float, height: float) -> int:
    """How many points of a cell of so many pixels are drawn one by one."""
    n_cells = max(1, n_axes * (n_axes - 1))
    return max(FEWEST, min(MOST // n_cells, round(width * height / ROOM)))


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
    cells = [(up, across) for up in range(places.n_axes) for across in range(places.n_axes) if up != across]
    for cell in cells:
        yield _pair(wanted, places, cell, lit, colors, is_whole, checkpoint)


def _pair(
    wanted: MatrixWanted,
    places: Places,
    cell: Cell,
    lit: Mask | None,
    colors: NDArray[np.float32],
    is_whole: bool,
    checkpoint: Checkpoint,
) -> PairLayer:
    up, across = cell
    (left, right), (low, high) = wanted.ranges[across], wanted.ranges[up]
    points = places.pair(across, up)
    around = Window(left, right, low, high, wanted.width, wanted.height).around(AROUND)
    if is_whole and len(points) <= wanted.most:
        return PairLayer(cell, EVERYWHERE, shown=np.arange(len(points)))
    if is_whole:
        found = shown_points(points, around, wanted.most, checkpoint)
        if len(found) <= wanted.most:
            return PairLayer(cell, around, shown=found)
    opacity = 1.0 if lit is None else FADED
    pixels = density_picture(points, around, colors, CELL, opacity=opacity, checkpoint=checkpoint)
    if lit is not None:
        above = density_picture(points, around, colors, CELL, among=lit, faintest=LIT_FAINTEST, checkpoint=checkpoint)
        pixels = over(above, pixels)
    return PairLayer(cell, around, pixels=pixels)


def is_prepared(layer: Layer, window: Window) -> bool:
    """Whether a layer shows all of a window, as finely as it should."""
    if not layer.window.covers(window):
        return False
    if layer.picture is None:
        return True
    return layer.window.has_scale_of(window)


def are_prepared(made: AxisBars, scale: Scale, seen: Range) -> bool:
    """Whether bars show all of a range, as finely as they should."""
    if scale.is_banded:
        return True
    low, high = made.bars.low, made.bars.high
    is_as_fine = abs((high - low) / (seen[1] - seen[0]) / (1 + 2 * AROUND) - 1) < 1e-6
    return is_as_fine and low <= seen[0] and seen[1] <= high
