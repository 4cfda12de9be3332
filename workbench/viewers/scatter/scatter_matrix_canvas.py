"""The scatter matrix on the screen: zoomed, panned, pointed at and selected in by mouse and keyboard."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QToolTip

from algorithms.data.columns import IntArray
from workbench.jobs.jobs import Jobs
from workbench.layout.camera import Window
from workbench.layout.matrix_layout import Cell, PairGrid, with_window
from workbench.layout.multi_axis_points import inside
from workbench.layout.points import nearest, within
from workbench.session.selection import How, how_by_keys
from workbench.style.theme import current_theme
from workbench.style.wording import counted
from workbench.viewers.scatter.axes_canvas import CLICK_SLACK, AxesCanvas
from workbench.viewers.scatter.scatter_canvas import PAN_STEP, REACH, ZOOM_STEP
from workbench.viewers.scatter.scatter_layer import as_image
from workbench.viewers.scatter.scatter_matrix_paint import (
    AxisBars,
    MatrixPainter,
    MatrixScene,
    MatrixWanted,
    PairLayer,
    are_prepared,
    is_prepared,
    matrix_layers,
    most_shown,
    rows_in_view,
)
from workbench.viewers.scatter.scatter_scene import NOBODY, Layer

_DIRECTIONS: Final = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class ScatterMatrixCanvas(AxesCanvas):
    """A cell for each pair of axes. ``pair_wanted(across, up)`` where one is to be seen large."""

    pair_wanted = Signal(int, int)

    def __init__(self, jobs: Jobs | None) -> None:
        self._painter = MatrixPainter()
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
        self._painter = MatrixPainter()
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
        most = most_shown(places.n_axes, width, height)
        wanted = MatrixWanted(places, self.scene.ranges, width, height, most, self.lit, current_theme())
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
            self._painter.paint_band(painter, self._band)
        if self.hasFocus() and self.focus_cell is not None:
            self._painter.paint_focus(painter, self._area(self.focus_cell))
        if self._pointed is not None and self._pointed[0] != self._pointed[1] and self._band is None:
            self._painter.paint_opener(painter, self._area(self._pointed), self._is_opener_meant)

    def _area(self, cell: Cell) -> QRectF:
        return self._painter.cell_area(self.grid, cell)

    def in_view(self) -> IntArray:
        return rows_in_view(self.scene)

    # ---- the camera ------------------------------------------------------------------------------------------------

    def fit(self) -> None:
        self.scene.ranges = self._whole()
        self._moved()

    def look(self, cell: Cell, window: Window) -> None:
        """Show another part of a cell's axes, in its row and its column too."""
        if cell[0] == cell[1]:
            window = Window(window.left, window.right, window.left, window.right, window.width, window.height)
        self.scene.ranges = with_window(self.scene.ranges, cell, window)
        self._moved()

    def zoom(self, cell: Cell, factor: float, at: QPointF | None = None) -> None:
        """Larger or smaller around a place of the canvas, else around the cell's middle."""
        area = self._area(cell)
        point = area.center() if at is None else at
        self.look(cell, self.seen_in(cell).zoomed(factor, point.x() - area.x(), point.y() - area.y()))

    def seen_in(self, cell: Cell) -> Window:
        """What a cell shows."""
        return self.grid.window(cell, self.scene.ranges)

    def _moved(self) -> None:
        self.set_hover(NOBODY)
        if not self.is_prepared():
            self.want()
        self.update()
        self.looked.emit()

    def is_prepared(self) -> bool:
        """Whether what has been made shows all that is in view."""
        scene, places = self.scene, self.places
        if places is None:
            return True
        return all(is_prepared(layer, self.seen_in(cell)) for cell, layer in scene.layers.items()) and all(
            are_prepared(held, places.scales[axis], scene.ranges[axis]) for axis, held in scene.bars.items()
        )

    # ---- mouse -----------------------------------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom both axes of the cell around the mouse; with Shift or a sideways wheel, pan."""
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
        at = event.position()
        if self._press is None:
            self._point(at)
        elif (at - self._press[0]).manhattanLength() > CLICK_SLACK or self._band is not None:
            start, button, cell = self._press
            self.set_hover(NOBODY)
            if self._moved_from is not None:
                gone = at - start
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
                self.look(cell, self._moved_from.panned(-gone.x(), -gone.y()))
            elif button is Qt.MouseButton.LeftButton:
                area = self._area(cell)
                band = QRectF(start, at).normalized().intersected(area)
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

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._tip(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def _tip(self, at: QPointF) -> str:
        cell, places = self._cell_at(at), self.places
        if cell is None or places is None:
            return ""
        if cell[0] != cell[1]:
            return "Show this pair large" if self._painter.opener(self._area(cell)).contains(at) else ""
        n_missing = places.n_missing[cell[0]]
        without = f"\n{counted(n_missing, 'record')} without a value" if n_missing else ""
        return f"{places.scales[cell[0]].attribute.name}{without}"

    def _cell_at(self, at: QPointF) -> Cell | None:
        return self.grid.at(at.x(), at.y())

    def _point(self, at: QPointF) -> None:
        cell = self._cell_at(at)
        meant = cell is not None and cell[0] != cell[1] and self._painter.opener(self._area(cell)).contains(at)
        if cell != self._pointed or meant != self._is_opener_meant:
            self._pointed, self._is_opener_meant = cell, meant
            self.update()
        if meant:
            self.set_hover(NOBODY)
        else:
            self.point_at(at)

    def _unit(self, cell: Cell, at: QPointF) -> tuple[float, float]:
        area = self._area(cell)
        return self.seen_in(cell).to_unit(at.x() - area.x(), at.y() - area.y())

    def _select_within(self, cell: Cell, band: QRectF, how: How) -> None:
        places = self.places
        if places is None:
            return
        left, high = self._unit(cell, band.topLeft())
        right, low = self._unit(cell, band.bottomRight())
        if cell[0] == cell[1]:
            self.selected.emit(np.flatnonzero(inside(places, cell[0], left, right)), how)
        else:
            self.selected.emit(within(places.pair(cell[1], cell[0]), left, low, right, high), how)

    def _clicked(self, cell: Cell, at: QPointF, how: How) -> None:
        if cell[0] != cell[1] and self._painter.opener(self._area(cell)).contains(at):
            self.pair_wanted.emit(cell[1], cell[0])
            return
        record = self.record_at(at)
        if record != NOBODY:
            self.selected.emit(np.array([record]), how)
        elif how is How.REPLACE:
            self.cleared.emit()

    def record_at(self, at: QPointF) -> int:
        cell, places = self._cell_at(at), self.places
        if cell is None or places is None or cell[0] == cell[1]:
            return NOBODY
        seen = self.seen_in(cell)
        return nearest(places.pair(cell[1], cell[0]), *self._unit(cell, at), seen.per_x, seen.per_y, REACH)

    def place_of(self, record: int) -> QRectF:
        cell, places = self._pointed, self.places
        if cell is None or places is None:
            return QRectF(self.rect())
        area = self._area(cell)
        x, y = float(places.units[cell[1]][record]), float(places.units[cell[0]][record])
        px, py = self.seen_in(cell).to_pixel(x, y)
        return QRectF(area.x() + px - 6, area.y() + py - 6, 12, 12)

    # ---- keyboard --------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows walk over the cells, with Ctrl they pan; + and - zoom; Space selects what the cell shows; Enter opens
        the pair large; F shows all; T is the table; Escape selects nothing."""
        if self.places is None or not self._key(event):
            event.ignore()
        else:
            event.accept()

    def _key(self, event: QKeyEvent) -> bool:
        key, text = Qt.Key(event.key()), event.text()
        cell = self.focus_cell or (0, 0)
        if key in _DIRECTIONS:
            right, down = _DIRECTIONS[key]
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
        elif text in ("f", "F", "0"):
            self.fit()
        elif text in ("t", "T"):
            self.table_wanted.emit()
        else:
            return False
        return True

    def set_focus_cell(self, cell: Cell) -> None:
        """Give a cell the focus."""
        self.focus_cell = cell
        places = self.places
        if places is not None:
            names = [places.scales[axis].attribute.name for axis in cell]
            self.say(f"{names[0]}, how often each value is" if cell[0] == cell[1] else f"{names[0]} over {names[1]}")
        self.update()
