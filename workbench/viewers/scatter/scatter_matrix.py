"""The scatter matrix: a cell for each pair of attributes, painted in parts, with its canvas and viewer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPen, QPixmap, QWheelEvent

from algorithms.data.columns import IntArray, Mask
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Jobs
from workbench.layout.camera import Window
from workbench.layout.density import Pixels, density_picture, over, shown_points
from workbench.layout.many_axes import EVERY, SAMPLED_FROM, BinCounts, MultiAxisPoints, bars_of, inside
from workbench.layout.matrix_layout import Cell, PairGrid, Range, with_window
from workbench.layout.points import AxisScale, Checkpoint, nearest, within
from workbench.layout.ticks import ticks
from workbench.session.selection import SelectionMode, how_by_keys
from workbench.style.structure_colors import StructureColors
from workbench.style.theme import Theme, current_theme, themes
from workbench.viewers.scatter.many_axes import CLICK_SLACK, AxesCanvas, ManyAxesView
from workbench.viewers.scatter.rendering import CELL, COARSE_DONE, as_image, class_colors
from workbench.viewers.scatter.scatter_canvas import PAN_STEP, REACH, ZOOM_STEP, paint_drawn
from workbench.viewers.scatter.scatter_paint import FADED, NOBODY, Layer, ScatterPainter, ScatterScene
from workbench.widgets.keyboard_focus import DIRECTIONS
from workbench.widgets.labels import elided
from workbench.widgets.painting import MIDDLE_RIGHT, draw_text, pen_and_brush, saved

USUAL_CELL: Final = 300.0
"""Pixels of a cell whose symbols have the usual size."""
LEAST_SYMBOL: Final = 0.55
MOST_LABEL: Final = 0.11
MOST_REMEMBERED: Final = 100
BETWEEN_COLUMNS: Final = 5.0
"""Extra pixels between the tick labels of two columns."""


@dataclass(eq=False)
class MatrixScene:
    """What is painted: ``layers`` by cell, ``bars`` by axis."""

    places: MultiAxisPoints | None = None
    ranges: tuple[Range, ...] = ()
    layers: dict[Cell, Layer] = field(default_factory=dict)
    bars: dict[int, AxisBars] = field(default_factory=dict)
    lit: Mask | None = None
    marks_wrong: bool = True


class ScatterMatrixPainter:
    """Paints in the colours of the theme there is when it is made."""

    def __init__(self, colored: frozenset[int] | None = None) -> None:
        """``colored`` are the classes in their colours; None for all."""
        self.look = StructureColors(current_theme().only(colored))
        self.points = ScatterPainter(colored)
        self.font = themes.font(11)
        self.metrics = QFontMetricsF(self.font)
        self.bold = themes.font(12, bold=True)
        self.bold_metrics = QFontMetricsF(self.bold)
        self._stills: dict[int, tuple[tuple[object, ...], QPixmap]] = {}
        self._marks: dict[tuple[object, ...], list[tuple[float, str]]] = {}

    def grid(self, places: MultiAxisPoints | None, width: float, height: float) -> PairGrid:
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
        """Paints the cells, and the axes at the left and below."""
        places = scene.places
        if places is None:
            return
        with saved(painter):
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
                        plane = ScatterScene(
                            points, scene.layers.get((row, column)), chosen=scene.lit, symbol_size=symbol
                        )
                        window = grid.window((row, column), scene.ranges)
                        self.points.paint_plane(painter, plane, window, area, vector=vector)
                    pen_and_brush(painter, QPen(self.look.line, 1))
                    painter.drawRect(area)
            self._axes(painter, scene, places, grid)

    # ---- the diagonal ----------------------------------------------------------------------------------------------

    def _still(
        self, painter: QPainter, scene: MatrixScene, places: MultiAxisPoints, axis: int, area: QRectF
    ) -> QPixmap:
        """The diagonal cell as a cached picture: its bars are too many to paint in each frame."""
        ratio = painter.device().devicePixelRatioF()
        key = (scene.bars.get(axis), scene.ranges[axis], places.scales[axis], area.width(), area.height(), ratio)
        held = self._stills.get(axis)
        if held is None or held[0] != key:
            picture = QPixmap(math.ceil(area.width() * ratio), math.ceil(area.height() * ratio))
            picture.setDevicePixelRatio(ratio)
            picture.fill(self.look.soft)
            with QPainter(picture) as inside:
                self._distribution(inside, scene, places, axis, QRectF(0, 0, area.width(), area.height()))
            held = self._stills[axis] = (key, picture)
        return held[1]

    def _distribution(
        self, painter: QPainter, scene: MatrixScene, places: MultiAxisPoints, axis: int, area: QRectF
    ) -> None:
        line = self.bold_metrics.height()
        painter.fillRect(area, self.look.soft)
        held = scene.bars.get(axis)
        room = area.adjusted(0, min(line + 4, area.height() / 2), 0, 0)
        if held is not None:
            low, high = scene.ranges[axis]
            self._bars(painter, held.bars, held.bars.highest, (low, high), room, held.lit is not None)
            if held.lit is not None:
                self._bars(painter, held.lit, held.bars.highest, (low, high), room, False)
        names = tuple(scale.attribute.name for scale in places.scales)
        name = elided(self.bold_metrics, names[axis], area.width() - 10, names)
        box = QRectF(area.x() + 5, area.y() + 2, area.width() - 10, line)
        draw_text(painter, box, name, self.look.text, self.bold, Qt.AlignmentFlag.AlignLeft)

    def _bars(
        self, painter: QPainter, bars: BinCounts, highest: int, seen: Range, area: QRectF, is_faded: bool
    ) -> None:
        if not highest:
            return
        with saved(painter):
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
                    for x, y, high in zip(
                        left[shown].tolist(), bottom[shown].tolist(), size[shown].tolist(), strict=True
                    )
                ]
                pattern = self.look.pattern(code - 1) if code else None
                for brush in (QBrush(self.look.class_color(code - 1)), *(() if pattern is None else (pattern,))):
                    if boxes:
                        painter.setBrush(brush)
                        painter.drawRects(boxes)

    # ---- axes ------------------------------------------------------------------------------------------------------

    def _axes(self, painter: QPainter, scene: MatrixScene, places: MultiAxisPoints, grid: PairGrid) -> None:
        painter.setFont(self.font)
        painter.setPen(self.look.dim)
        line, last = self.metrics.height(), -1e9
        for axis, (low, high) in enumerate(scene.ranges):
            scale = places.scales[axis]
            last += BETWEEN_COLUMNS  # the last label of a column may not touch the first of the next
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
                    painter.drawText(box, MIDDLE_RIGHT, elided(self.metrics, text, grid.left - 8, values))

    def _ticks(self, scale: AxisScale, low: float, high: float, most: int) -> list[tuple[float, str]]:
        key = (scale.attribute.name, low, high, most)
        if key not in self._marks:
            if len(self._marks) > MOST_REMEMBERED:
                self._marks.clear()
            self._marks[key] = ticks(scale, low, high, most)
        return self._marks[key]

    # ---- what only the screen has ----------------------------------------------------------------------------------

    def paint_hover(self, painter: QPainter, scene: MatrixScene, grid: PairGrid, record: int) -> None:
        """Draws a ring around one record in every cell, and a line in diagonal cells."""
        places = scene.places
        if places is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen_and_brush(painter, QPen(self.look.text, 1.6))
        for row in range(grid.k):
            for column in range(grid.k):
                area, window = self.cell_area(grid, (row, column)), grid.window((row, column), scene.ranges)
                x, y = float(places.units[column][record]), float(places.units[row][record])
                px, py = window.to_pixel(x, y)
                position = QPointF(area.x() + px, area.y() + py)
                if row == column and area.left() <= position.x() <= area.right():
                    painter.drawLine(QPointF(position.x(), area.bottom() - 7), QPointF(position.x(), area.bottom()))
                elif row != column and area.contains(position):
                    painter.drawEllipse(position, 6.5, 6.5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)

    def paint_focus(self, painter: QPainter, area: QRectF) -> None:
        pen_and_brush(painter, QPen(self.look.accent, 2))
        painter.drawRect(area.adjusted(-1, -1, 1, 1))

    def opener(self, area: QRectF) -> QRectF:
        """The box of the button that opens a cell large."""
        size = float(themes.px(18))
        return QRectF(area.right() - size - 3, area.top() + 3, size, size)

    def paint_opener(self, painter: QPainter, area: QRectF, is_meant: bool) -> None:
        """Paints that button: two arrows outwards."""
        box = self.opener(area)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pen = QPen(self.look.accent if is_meant else self.look.line, 1)
        pen_and_brush(painter, pen, self.look.accent_soft if is_meant else self.look.pane)
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(QPen(self.look.accent if is_meant else self.look.dim, 1.5))
        near, far = box.center(), box.width() * 0.27
        for sign in (1.0, -1.0):
            tip = QPointF(near.x() + sign * far, near.y() - sign * far)
            painter.drawLine(near, tip)
            painter.drawLine(tip, QPointF(tip.x() - sign * far * 0.8, tip.y()))
            painter.drawLine(tip, QPointF(tip.x(), tip.y() + sign * far * 0.8))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


AROUND: Final = 0.25
"""Share of a cell rendered beyond each of its edges, for panning."""
FEWEST: Final = 400
"""At least this many points per cell are drawn one by one."""
MOST: Final = 40_000
"""The most points drawn one by one in all cells together."""
ROOM: Final = 6.0
"""Pixels of a cell per point drawn one by one."""
LIT_FAINTEST: Final = 0.75
EVERYWHERE: Final = Window(-9.5, 9.5, -9.5, 9.5)


@dataclass(frozen=True, eq=False)
class MatrixRequest:
    """What the cells depend on. A cell is ``width`` x ``height`` pixels with at most ``most`` single points."""

    places: MultiAxisPoints
    ranges: tuple[Range, ...]
    width: float
    height: float
    most: int
    lit: Mask | None
    theme: Theme


@dataclass(frozen=True, eq=False)
class AxisBars:
    """The bars of one axis, and those of the highlighted records."""

    axis: int
    bars: BinCounts
    lit: BinCounts | None


@dataclass(frozen=True, eq=False)
class PairLayer:
    """One cell: ``pixels`` of the density over ``window``, or the points ``shown`` one by one."""

    cell: Cell
    window: Window
    shown: IntArray | None = None
    pixels: Pixels | None = None


def matrix_layers(wanted: MatrixRequest, checkpoint: Checkpoint) -> Iterator[object]:
    """Yields the parts of a picture: a sample of many records first, then all."""
    places, lit = wanted.places, wanted.lit
    if len(places) >= SAMPLED_FROM:
        yield from _stage(wanted, places.sampled(EVERY), None if lit is None else lit[::EVERY], False, checkpoint)
        yield COARSE_DONE
    yield from _stage(wanted, places, lit, True, checkpoint)


def _stage(
    wanted: MatrixRequest, places: MultiAxisPoints, lit: Mask | None, is_whole: bool, checkpoint: Checkpoint
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
    wanted: MatrixRequest,
    places: MultiAxisPoints,
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
        points_shown = shown_points(points, around, wanted.most, checkpoint)
        if len(points_shown) <= wanted.most:
            return PairLayer(cell, around, shown=points_shown)
    opacity = 1.0 if lit is None else FADED
    pixels = density_picture(points, around, colors, CELL, opacity=opacity, checkpoint=checkpoint)
    if lit is not None:
        above = density_picture(points, around, colors, CELL, among=lit, faintest=LIT_FAINTEST, checkpoint=checkpoint)
        pixels = over(above, pixels)
    return PairLayer(cell, around, pixels=pixels)


def are_prepared(rendered: AxisBars, scale: AxisScale, seen: Range) -> bool:
    """Whether bars cover a range at its scale."""
    if scale.is_banded:
        return True
    low, high = rendered.bars.low, rendered.bars.high
    is_as_fine = abs((high - low) / (seen[1] - seen[0]) / (1 + 2 * AROUND) - 1) < 1e-6
    return is_as_fine and low <= seen[0] and seen[1] <= high


class ScatterMatrixCanvas(AxesCanvas):
    """A cell for each pair of axes; ``pair_wanted(across, up)`` asks to open one large."""

    pair_wanted = Signal(int, int)

    def __init__(self, jobs: Jobs | None) -> None:
        self._painter = ScatterMatrixPainter(self.colored)
        self.scene = MatrixScene()
        self.grid = PairGrid(0, 0, 0, 1, 1)
        self.focus_cell: Cell | None = None
        self.drag_moves = False
        self._press: tuple[QPointF, Qt.MouseButton, Cell] | None = None
        self._moved_from: Window | None = None
        self._band: QRectF | None = None
        self._pointed: Cell | None = None
        self._is_opener_meant = False
        super().__init__(jobs, "visualize.scatter_matrix", "Scatter matrix")

    # ---- what is shown ---------------------------------------------------------------------------------------------

    def arrange(self, keep_view: bool) -> None:
        self._painter = ScatterMatrixPainter(self.colored)
        self.grid = self._painter.grid(self.places, self.width(), self.height())
        old, self.scene = self.scene, MatrixScene(self.places)
        keeps = keep_view and len(old.ranges) == self.grid.k
        self.scene.ranges = old.ranges if keeps else self._whole()
        if old.places is self.places:
            self.scene.layers, self.scene.bars = old.layers, old.bars
        if self.focus_cell is not None and max(self.focus_cell) >= self.grid.k:
            self.focus_cell = None
        self._pointed, self._band, self._press = None, None, None

    def _whole(self) -> tuple[tuple[float, float], ...]:
        side = min(self.grid.cell_width, self.grid.cell_height)
        return () if self.places is None else tuple(scale.fitting(max(60.0, side)) for scale in self.places.scales)

    def want(self) -> None:
        places = self.places
        if places is None or self.width() < 2:
            return
        width, height = self.grid.cell_width, self.grid.cell_height
        n_cells = max(1, places.n_axes * (places.n_axes - 1))
        most = max(FEWEST, min(MOST // n_cells, round(width * height / ROOM)))
        theme = current_theme().only(self.colored)
        wanted = MatrixRequest(places, self.scene.ranges, width, height, most, self.lit, theme)
        self.refiner.want(lambda checkpoint: matrix_layers(wanted, checkpoint), at_once=len(places) <= most)

    def receive(self, part: object) -> None:
        if isinstance(part, AxisBars):
            self.scene.bars[part.axis] = part
        elif isinstance(part, PairLayer):
            picture = None if part.pixels is None else as_image(part.pixels)
            self.scene.layers[part.cell] = Layer(part.window, part.shown, picture)

    def paint_picture(self, painter: QPainter, *, vector: bool = False) -> None:
        scene = self.scene
        still = MatrixScene(scene.places, scene.ranges, scene.layers, scene.bars, self.lit, self.marks_wrong)
        self._painter.paint(painter, still, self.grid, vector=vector)

    def paint_marks(self, painter: QPainter) -> None:
        if self.hover != NOBODY:
            self._painter.paint_hover(painter, self.scene, self.grid, self.hover)
        if self._band is not None:
            paint_drawn(painter, self._band, ())
        if self.hasFocus() and self.focus_cell is not None:
            self._painter.paint_focus(painter, self._area(self.focus_cell))
        if self._pointed is not None and self._pointed[0] != self._pointed[1] and self._band is None:
            self._painter.paint_opener(painter, self._area(self._pointed), self._is_opener_meant)

    def _area(self, cell: Cell) -> QRectF:
        return self._painter.cell_area(self.grid, cell)

    def in_view(self) -> IntArray:
        """Numbers of the records whose values are all in view; missing values never are."""
        places = self.scene.places
        if places is None:
            return np.empty(0, dtype=np.int64)
        is_in_view = np.ones(len(places), dtype=np.bool_)
        for axis, (low, high) in enumerate(self.scene.ranges):
            if low > 0.0 or high < 1.0:
                is_in_view &= (places.units[axis] >= low) & (places.units[axis] <= high)
        return np.flatnonzero(is_in_view)

    # ---- the camera ------------------------------------------------------------------------------------------------

    def fit(self) -> None:
        self.scene.ranges = self._whole()
        self._moved()

    def look(self, cell: Cell, window: Window) -> None:
        """Sets the ranges of a cell's axes, for its row and column too."""
        if cell[0] == cell[1]:
            window = Window(window.left, window.right, window.left, window.right, window.width, window.height)
        self.scene.ranges = with_window(self.scene.ranges, cell, window)
        self._moved()

    def zoom(self, cell: Cell, factor: float, position: QPointF | None = None) -> None:
        """Zooms around a point of the canvas, by default the cell's middle."""
        area = self._area(cell)
        point = area.center() if position is None else position
        self.look(cell, self.seen_in(cell).zoomed(factor, point.x() - area.x(), point.y() - area.y()))

    def seen_in(self, cell: Cell) -> Window:
        return self.grid.window(cell, self.scene.ranges)

    def _moved(self) -> None:
        self.set_hover(NOBODY)
        if not self.is_prepared():
            self.want()
        self.update()
        self.looked.emit()

    def is_prepared(self) -> bool:
        """Whether the rendered parts cover the view."""
        scene, places = self.scene, self.places
        if places is None:
            return True
        return all(layer.is_prepared(self.seen_in(cell)) for cell, layer in scene.layers.items()) and all(
            are_prepared(held, places.scales[axis], scene.ranges[axis]) for axis, held in scene.bars.items()
        )

    # ---- mouse -----------------------------------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zooms both axes of the cell around the mouse; with Shift or a sideways wheel, pans."""
        cell = self._cell_at(event.position())
        turned = event.angleDelta()
        if cell is not None:
            if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or abs(turned.x()) > abs(turned.y()):
                self.look(cell, self.seen_in(cell).panned(-(turned.x() or turned.y()) / 2, 0))
            elif turned.y():
                self.zoom(cell, ZOOM_STEP ** (turned.y() / 120), event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        cell = self._cell_at(event.position())
        self._press = None if cell is None else (event.position(), event.button(), cell)
        if cell is not None:
            self.focus_cell = cell
            moves = event.button() in (Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton) or self.drag_moves
            self._moved_from = self.seen_in(cell) if moves else None
        self.update()
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        if self._press is None:
            self._point(position)
        elif (position - self._press[0]).manhattanLength() > CLICK_SLACK or self._band is not None:
            start, button, cell = self._press
            self.set_hover(NOBODY)
            if self._moved_from is not None:
                gone = position - start
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
                self.look(cell, self._moved_from.panned(-gone.x(), -gone.y()))
            elif button is Qt.MouseButton.LeftButton:
                area = self._area(cell)
                band = QRectF(start, position).normalized().intersected(area)
                if cell[0] == cell[1]:
                    band = QRectF(band.x(), area.y(), band.width(), area.height())
                self._band = band
                self.update()
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        press, self._press, self._moved_from = self._press, None, None
        band, self._band = self._band, None
        self.setCursor(Qt.CursorShape.ArrowCursor)
        self.update()
        if press is not None and press[1] is Qt.MouseButton.LeftButton:
            how = how_by_keys(event.modifiers())
            if band is not None:
                self._select_within(press[2], band, how)
            elif (event.position() - press[0]).manhattanLength() <= CLICK_SLACK:
                self._clicked(press[2], event.position(), how)
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Opens the pair large; on the diagonal, shows all of every axis."""
        cell = self._cell_at(event.position())
        if cell is not None and cell[0] != cell[1]:
            self.pair_wanted.emit(cell[1], cell[0])
        else:
            self.fit()
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self._pointed = None
        self.update()
        super().leaveEvent(event)

    def tip_at(self, position: QPointF) -> str:
        cell, places = self._cell_at(position), self.places
        if cell is None or places is None:
            return ""
        if cell[0] != cell[1]:
            return "Show this pair large" if self._painter.opener(self._area(cell)).contains(position) else ""
        n_missing = places.n_missing[cell[0]]
        without = f"\n{counted(n_missing, 'record')} without a value" if n_missing else ""
        return f"{places.scales[cell[0]].attribute.name}{without}"

    def _cell_at(self, position: QPointF) -> Cell | None:
        return self.grid.at(position.x(), position.y())

    def _point(self, position: QPointF) -> None:
        cell = self._cell_at(position)
        meant = cell is not None and cell[0] != cell[1] and self._painter.opener(self._area(cell)).contains(position)
        if cell != self._pointed or meant != self._is_opener_meant:
            self._pointed, self._is_opener_meant = cell, meant
            self.update()
        if meant:
            self.set_hover(NOBODY)
        else:
            self.point_at(position)

    def _unit(self, cell: Cell, position: QPointF) -> tuple[float, float]:
        area = self._area(cell)
        return self.seen_in(cell).to_unit(position.x() - area.x(), position.y() - area.y())

    def _select_within(self, cell: Cell, band: QRectF, how: SelectionMode) -> None:
        places = self.places
        if places is None:
            return
        left, high = self._unit(cell, band.topLeft())
        right, low = self._unit(cell, band.bottomRight())
        if cell[0] == cell[1]:
            self.selected.emit(np.flatnonzero(inside(places, cell[0], left, right)), how)
        else:
            self.selected.emit(within(places.pair(cell[1], cell[0]), left, low, right, high), how)

    def _clicked(self, cell: Cell, position: QPointF, how: SelectionMode) -> None:
        if cell[0] != cell[1] and self._painter.opener(self._area(cell)).contains(position):
            self.pair_wanted.emit(cell[1], cell[0])
            return
        record = self.record_at(position)
        if record != NOBODY:
            self.selected.emit(np.array([record]), how)
        elif how is SelectionMode.REPLACE:
            self.cleared.emit()

    def record_at(self, position: QPointF) -> int:
        cell, places = self._cell_at(position), self.places
        if cell is None or places is None or cell[0] == cell[1]:
            return NOBODY
        seen = self.seen_in(cell)
        return nearest(places.pair(cell[1], cell[0]), *self._unit(cell, position), seen.per_x, seen.per_y, REACH)

    def place_of(self, record: int) -> QRectF:
        cell, places = self._pointed, self.places
        if cell is None or places is None:
            return QRectF(self.rect())
        area = self._area(cell)
        x, y = float(places.units[cell[1]][record]), float(places.units[cell[0]][record])
        px, py = self.seen_in(cell).to_pixel(x, y)
        return QRectF(area.x() + px - 6, area.y() + py - 6, 12, 12)

    # ---- keyboard --------------------------------------------------------------------------------------------------

    def press_key(self, event: QKeyEvent) -> bool:
        """Arrows step over the cells, with Ctrl they pan. + and - zoom, F shows all, T shows the table. Space selects
        the records in the cell, Enter opens the pair large. Escape clears the selection.
        """
        key, text = Qt.Key(event.key()), event.text()
        cell = self.focus_cell or (0, 0)
        if key in DIRECTIONS:
            right, down = DIRECTIONS[key]
            if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.look(cell, self.seen_in(cell).panned(right * PAN_STEP / 2, down * PAN_STEP / 2))
            else:
                self.set_focus_cell(cell if self.focus_cell is None else self.grid.stepped(cell, right, down))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if cell[0] != cell[1]:
                self.pair_wanted.emit(cell[1], cell[0])
        elif key == Qt.Key.Key_Space:
            self._select_within(cell, self._area(cell), how_by_keys(event.modifiers()))
        elif key == Qt.Key.Key_Escape:
            self.cleared.emit()
        elif text in ("+", "="):
            self.zoom(cell, ZOOM_STEP)
        elif text == "-":
            self.zoom(cell, 1 / ZOOM_STEP)
        else:
            return super().press_key(event)
        return True

    def set_focus_cell(self, cell: Cell) -> None:
        self.focus_cell = cell
        places = self.places
        if places is not None:
            names = [places.scales[axis].attribute.name for axis in cell]
            self.say(f"{names[0]}, how often each value is" if cell[0] == cell[1] else f"{names[0]} over {names[1]}")
        self.update()


class ScatterMatrixView(ManyAxesView):
    def __init__(self, jobs: Jobs | None = None) -> None:
        self.matrix = ScatterMatrixCanvas(jobs)
        super().__init__(self.matrix, jobs, "visualize.scatter_matrix", ("scatter-matrix", "Scatter matrix"))

    @property
    def n_shown(self) -> int | None:
        """The number of points drawn one by one in the fullest cell; None where a cell shows density."""
        layers = list(self.matrix.scene.layers.values())
        if not layers or any(layer.shown is None for layer in layers):
            return None
        return max(0 if layer.shown is None else len(layer.shown) for layer in layers)
