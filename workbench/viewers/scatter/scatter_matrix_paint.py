"""What each cell of a scatter matrix shows, made in parts: bars for each axis, points or density for each pair."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPen, QPixmap

from algorithms.data.columns import IntArray
from workbench.layout.camera import Window
from workbench.layout.density import Checkpoint, Pixels, density_picture, over, shown_points
from workbench.layout.matrix_layout import Cell, PairGrid, Range
from workbench.layout.multi_axis_points import EVERY, SAMPLED_FROM, Bars, Places, bars_of
from workbench.layout.points import Mask, Scale
from workbench.layout.ticks import ticks
from workbench.style.structure_colors import Look
from workbench.style.theme import Theme, current_theme, themes
from workbench.viewers.scatter.progressive_renderer import COARSE_DONE
from workbench.viewers.scatter.scatter_layer import CELL, class_colors
from workbench.viewers.scatter.scatter_paint import FADED, ScatterPainter
from workbench.viewers.scatter.scatter_scene import Layer, Scene
from workbench.widgets.elision import elided

USUAL_CELL: Final = 300.0
"""Pixels of a cell in which symbols have their usual size."""
LEAST_SYMBOL: Final = 0.55
MOST_LABEL: Final = 0.11
MOST_REMEMBERED: Final = 100
BETWEEN_COLUMNS: Final = 5.0
"""Pixels more between the numbers of two columns than between those of one."""


@dataclass(eq=False)
class MatrixScene:
    """All that is seen; ``layers`` by cell, ``bars`` by axis."""

    places: Places | None = None
    ranges: tuple[Range, ...] = ()
    layers: dict[Cell, Layer] = field(default_factory=dict)
    bars: dict[int, AxisBars] = field(default_factory=dict)
    lit: Mask | None = None
    marks_wrong: bool = True


class MatrixPainter:
    """Paints in the colours of the theme there is when it is made."""

    def __init__(self) -> None:
        self.look = Look(current_theme())
        self.points = ScatterPainter()
        self.font = themes.font(11)
        self.metrics = QFontMetricsF(self.font)
        self.bold = themes.font(12, bold=True)
        self.bold_metrics = QFontMetricsF(self.bold)
        self._stills: dict[int, tuple[tuple[object, ...], QPixmap]] = {}
        self._marks: dict[tuple[object, ...], list[tuple[float, str]]] = {}

    def grid(self, places: Places | None, width: float, height: float) -> PairGrid:
        """Where the cells are in a view of this size."""
        line = self.metrics.height()
        widest = 0.0
        for scale in () if places is None else places.scales:
            texts = scale.attribute.values[:60] if scale.is_banded else [t for _, t in ticks(scale, *scale.span, 4)]
            widest = max([widest, *(self.metrics.horizontalAdvance(text) for text in texts)])
        left = 14.0 + min(max(widest, 20.0), max(36.0, MOST_LABEL * width))
        k = 0 if places is None else places.n_axes
        return PairGrid(k, left, 6.0, max(20.0, width - left - 8.0), max(20.0, height - line - 16.0))

    def cell_area(self, grid: PairGrid, cell: Cell) -> QRectF:
        return QRectF(grid.x(cell[1]), grid.y(cell[0]), grid.cell_width, grid.cell_height)

    def paint(self, painter: QPainter, scene: MatrixScene, grid: PairGrid, *, vector: bool = False) -> None:
        """The cells, and the axes at the left and below."""
        places = scene.places
        if places is None:
            return
        painter.save()
        symbol = max(LEAST_SYMBOL, min(1.0, min(grid.cell_width, grid.cell_height) / USUAL_CELL))
        for row in range(grid.k):
            for column in range(grid.k):
                area = self.cell_area(grid, (row, column))
                if row == column:
                    if vector:
                        self._distribution(painter, scene, places, row, area)
                    else:
                        painter.drawPixmap(area.topLeft(), self._still(painter, scene, places, row, area))
                else:
                    points = places.pair(column, row)
                    if not scene.marks_wrong:
                        points = replace(points, wrong=np.zeros(len(places), dtype=np.bool_))
                    plane = Scene(points, scene.layers.get((row, column)), chosen=scene.lit, symbol_size=symbol)
                    window = grid.window((row, column), scene.ranges)
                    self.points.paint_plane(painter, plane, window, area, vector=vector)
                painter.setPen(QPen(self.look.line, 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(area)
        self._axes(painter, scene, places, grid)
        painter.restore()

    # ---- the diagonal ----------------------------------------------------------------------------------------------

    def _still(self, painter: QPainter, scene: MatrixScene, places: Places, axis: int, area: QRectF) -> QPixmap:
        """The cell of the diagonal as a picture, kept while nothing about it changes: hundreds of bars for each frame
        would make way for a worker hundreds of times."""
        ratio = painter.device().devicePixelRatioF()
        key = (scene.bars.get(axis), scene.ranges[axis], places.scales[axis], area.width(), area.height(), ratio)
        held = self._stills.get(axis)
        if held is None or held[0] != key:
            picture = QPixmap(math.ceil(area.width() * ratio), math.ceil(area.height() * ratio))
            picture.setDevicePixelRatio(ratio)
            picture.fill(self.look.soft)
            inside = QPainter(picture)
            self._distribution(inside, scene, places, axis, QRectF(0, 0, area.width(), area.height()))
            inside.end()
            held = self._stills[axis] = (key, picture)
        return held[1]

    def _distribution(self, painter: QPainter, scene: MatrixScene, places: Places, axis: int, area: QRectF) -> None:
        line = self.bold_metrics.height()
        painter.fillRect(area, self.look.soft)
        held = scene.bars.get(axis)
        room = area.adjusted(0, min(line + 4, area.height() / 2), 0, 0)
        if held is not None:
            low, high = scene.ranges[axis]
            self._bars(painter, held.bars, held.bars.highest, (low, high), room, held.lit is not None)
            if held.lit is not None:
                self._bars(painter, held.lit, held.bars.highest, (low, high), room, False)
        painter.setFont(self.bold)
        painter.setPen(self.look.text)
        names = tuple(scale.attribute.name for scale in places.scales)
        name = elided(self.bold_metrics, names[axis], area.width() - 10, names)
        painter.drawText(QRectF(area.x() + 5, area.y() + 2, area.width() - 10, line), Qt.AlignmentFlag.AlignLeft, name)

    def _bars(self, painter: QPainter, bars: Bars, highest: int, seen: Range, area: QRectF, is_faded: bool) -> None:
        if not highest:
            return
        painter.save()
        painter.setClipRect(area)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setOpacity(FADED if is_faded else 1.0)
        per = area.width() / (seen[1] - seen[0])
        width = (bars.high - bars.low) / bars.n_bars * per
        bottom = np.full(bars.n_bars, area.bottom())
        left = area.x() + (bars.low - seen[0]) * per + np.arange(bars.n_bars) * width
        for code, counts in enumerate(bars.counts):
            size = counts * (area.height() / highest)
            bottom -= size
            shown = np.flatnonzero((counts > 0) & (left < area.right()) & (left + width > area.left()))
            boxes = [
                QRectF(x + 0.5, y, max(1.0, width - 1.0), high)
                for x, y, high in zip(left[shown].tolist(), bottom[shown].tolist(), size[shown].tolist(), strict=True)
            ]
            pattern = self.look.pattern(code - 1) if code else None
            for brush in (QBrush(self.look.class_color(code - 1)), *(() if pattern is None else (pattern,))):
                if boxes:
                    painter.setBrush(brush)
                    painter.drawRects(boxes)
        painter.restore()

    # ---- axes ------------------------------------------------------------------------------------------------------

    def _axes(self, painter: QPainter, scene: MatrixScene, places: Places, grid: PairGrid) -> None:
        painter.setFont(self.font)
        painter.setPen(self.look.dim)
        line, last = self.metrics.height(), -1e9
        for axis, (low, high) in enumerate(scene.ranges):
            scale = places.scales[axis]
            last += BETWEEN_COLUMNS  # the last number of one column may reach as far as the first of the next
            values = scale.attribute.values if scale.is_banded else ()
            area = self.cell_area(grid, (axis, axis))
            per_x, per_y = area.width() / (high - low), area.height() / (high - low)
            most = max(2, int(area.width() / (44 if scale.is_banded else 56)))
            for unit, text in self._ticks(scale, low, high, most):
                room = per_x / scale.n_bands * 0.96 if scale.is_banded else 60.0
                shown = elided(self.metrics, text, max(room, 30.0), values)
                width, middle = self.metrics.horizontalAdvance(shown), area.x() + (unit - low) * per_x
                if middle - width / 2 < max(last + 5, area.left() - 4) or middle + width / 2 > area.right() + 4:
                    continue
                last = middle + width / 2
                painter.drawText(QPointF(middle - width / 2, grid.y(grid.k - 1) + area.height() + line), shown)
            for unit, text in self._ticks(scale, low, high, max(2, int(area.height() / (line * 1.8)))):
                y = area.y() + (high - unit) * per_y
                if area.top() + line / 2 - 2 <= y <= area.bottom() - line / 2 + 2:
                    box = QRectF(2, y - line / 2, grid.left - 8, line)
                    flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                    painter.drawText(box, flags, elided(self.metrics, text, grid.left - 8, values))

    def _ticks(self, scale: Scale, low: float, high: float, most: int) -> list[tuple[float, str]]:
        """The marks of a range, remembered while it is looked at."""
        key = (scale.attribute.name, low, high, most)
        if key not in self._marks:
            if len(self._marks) > MOST_REMEMBERED:
                self._marks.clear()
            self._marks[key] = ticks(scale, low, high, most)
        return self._marks[key]

    # ---- what only the screen has ----------------------------------------------------------------------------------

    def paint_band(self, painter: QPainter, band: QRectF) -> None:
        """The rectangle that is being drawn."""
        fill = QColor(self.look.accent)
        fill.setAlpha(36)
        painter.setPen(QPen(self.look.accent, 1))
        painter.setBrush(fill)
        painter.drawRect(band)

    def paint_hover(self, painter: QPainter, scene: MatrixScene, grid: PairGrid, record: int) -> None:
        """A ring around one record in every cell, a line in every diagonal one."""
        places = scene.places
        if places is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.look.text, 1.6))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for row in range(grid.k):
            for column in range(grid.k):
                area, window = self.cell_area(grid, (row, column)), grid.window((row, column), scene.ranges)
                x, y = float(places.units[column][record]), float(places.units[row][record])
                px, py = window.to_pixel(x, y)
                at = QPointF(area.x() + px, area.y() + py)
                if row == column and area.left() <= at.x() <= area.right():
                    painter.drawLine(QPointF(at.x(), area.bottom() - 7), QPointF(at.x(), area.bottom()))
                elif row != column and area.contains(at):
                    painter.drawEllipse(at, 6.5, 6.5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def paint_focus(self, painter: QPainter, area: QRectF) -> None:
        """The frame of the cell that keys are for."""
        painter.setPen(QPen(self.look.accent, 2))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(area.adjusted(-1, -1, 1, 1))

    def opener(self, area: QRectF) -> QRectF:
        """Where a cell has the button that opens it large."""
        size = float(themes.px(18))
        return QRectF(area.right() - size - 3, area.top() + 3, size, size)

    def paint_opener(self, painter: QPainter, area: QRectF, is_meant: bool) -> None:
        """The button in a cell's corner: two arrows outwards."""
        box = self.opener(area)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(self.look.accent if is_meant else self.look.line, 1))
        painter.setBrush(self.look.accent_soft if is_meant else self.look.pane)
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(QPen(self.look.accent if is_meant else self.look.dim, 1.5))
        near, far = box.center(), box.width() * 0.27
        for sign in (1.0, -1.0):
            tip = QPointF(near.x() + sign * far, near.y() - sign * far)
            painter.drawLine(near, tip)
            painter.drawLine(tip, QPointF(tip.x() - sign * far * 0.8, tip.y()))
            painter.drawLine(tip, QPointF(tip.x(), tip.y() + sign * far * 0.8))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def rows_in_view(scene: MatrixScene) -> IntArray:
    """The records of which every value is in view, numbers of places; a missing one never is."""
    places = scene.places
    if places is None:
        return np.empty(0, dtype=np.int64)
    found = np.ones(len(places), dtype=np.bool_)
    for axis, (low, high) in enumerate(scene.ranges):
        if low > 0.0 or high < 1.0:
            found &= (places.units[axis] >= low) & (places.units[axis] <= high)
    return np.flatnonzero(found)


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
