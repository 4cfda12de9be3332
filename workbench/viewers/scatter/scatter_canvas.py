"""The canvas of a scatter plot: zoom, pan, pointing, and selection tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from functools import partial
from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QActionGroup,
    QColor,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QMenu, QWidget

from workbench.layout.camera import Window
from workbench.layout.points import PointLink, ScatterPoints, nearest, nearest_of_all, nearest_that_way, thinned, within
from workbench.session.selection import SelectionMode, how_by_keys
from workbench.style.theme import current_theme, themes
from workbench.viewers.scatter.scatter_paint import NOBODY, Backdrop, Layer, Outline, ScatterPainter, ScatterScene
from workbench.widgets.buttons import IconButton, icon, set_icon
from workbench.widgets.keyboard_focus import DIRECTIONS
from workbench.widgets.layouts import named
from workbench.widgets.painting import draw_focus_frame, pen_and_brush

FILL_ALPHA: Final = 36
"""Opacity of the inside of a drawn selection, 0 to 255."""


class Tool(StrEnum):
    """What dragging or clicking means."""

    RECTANGLE = "rectangle"
    LASSO = "lasso"
    REGION = "region"
    MOVE = "move"


WORDS: Final = {
    Tool.RECTANGLE: "Drag a rectangle to select",
    Tool.LASSO: "Draw round records to select them (L)",
    Tool.REGION: "Click a region to select its records (R)",
    Tool.MOVE: "Drag to move the picture",
}
CURSORS: Final = {
    Tool.RECTANGLE: Qt.CursorShape.ArrowCursor,
    Tool.LASSO: Qt.CursorShape.CrossCursor,
    Tool.REGION: Qt.CursorShape.PointingHandCursor,
    Tool.MOVE: Qt.CursorShape.OpenHandCursor,
}


class ToolChooser(IconButton):
    """A button that shows the current tool, with a menu of all tools."""

    chosen = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__("rectangle", WORDS[Tool.RECTANGLE], name)
        self.tool = Tool.RECTANGLE
        menu = named(QMenu(self), f"{name}.menu")
        group = QActionGroup(menu)
        self._actions = {tool: menu.addAction(words) for tool, words in WORDS.items()}
        for tool, action in self._actions.items():
            action.setCheckable(True)
            action.triggered.connect(partial(self.choose, tool))
            group.addAction(action)
        self.setMenu(menu)
        self.setPopupMode(IconButton.ToolButtonPopupMode.InstantPopup)
        themes.follow_now(self._show)

    def choose(self, tool: Tool, _checked: bool = True) -> None:
        self.tool = tool
        self._show()
        self.chosen.emit(tool)

    def allow_regions(self, allowed: bool) -> None:
        """Enables the region tool; without regions the rectangle replaces it."""
        self._actions[Tool.REGION].setEnabled(allowed)
        if not allowed and self.tool is Tool.REGION:
            self.choose(Tool.RECTANGLE)

    def _show(self) -> None:
        for tool, action in self._actions.items():
            action.setIcon(icon(tool.value))
            action.setChecked(tool is self.tool)
        set_icon(self, self.tool.value)
        self.setToolTip(WORDS[self.tool])
        self.setAccessibleName(f"Mouse: {WORDS[self.tool]}")


def paint_drawn(painter: QPainter, band: QRectF | None, line: Sequence[QPointF]) -> None:
    """Paints the selection being drawn: a rectangle or a lasso."""
    accent = current_theme().color("accent")
    fill = QColor(accent)
    fill.setAlpha(FILL_ALPHA)
    if band is not None:
        pen_and_brush(painter, QPen(accent, 1), fill)
        painter.drawRect(band)
    if line:
        drawn = QPainterPath(line[0])
        for corner in line[1:]:
            drawn.lineTo(corner)
        drawn.closeSubpath()
        drawn.setFillRule(Qt.FillRule.WindingFill)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillPath(drawn, fill)
        painter.setPen(QPen(accent, 1.5))
        painter.drawPolyline(list(line))


ZOOM_STEP: Final = 1.25
PAN_STEP: Final = 60.0
CLICK_SLACK: Final = 4.0
REACH: Final = 12.0
"""Pixels within which the mouse hits a record."""


class ScatterCanvas(QWidget):
    """The canvas of a scene.

    ``selected(points, how)`` carries the points of a click or a rectangle, ``lassoed(line, how)`` a line (v, 2).
    ``region_meant(x, y, how)`` carries a place; both are in units of the axes. ``hovered(point, at)`` carries the point
    under the mouse (-1: none), ``passed(at)`` a pixel without a point. ``passed`` comes with an outside pixel when the
    mouse leaves. ``focused(point)`` carries the point reached by keys. ``moved`` follows every change of the view.
    """

    selected = Signal(object, object)
    lassoed = Signal(object, object)
    region_meant = Signal(float, float, object)
    lasso_wanted = Signal()
    """Asks for the lasso, or to put it away if it is the tool."""
    hovered = Signal(int, QPointF)
    passed = Signal(QPointF)
    focused = Signal(int)
    moved = Signal()
    table_wanted = Signal()
    cleared = Signal()

    def __init__(self) -> None:
        super().__init__()
        named(self, "visualize.scatter", "Scatter plot")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(themes.px(160), themes.px(110))
        self.scene = ScatterScene()
        self.window_seen = Window(0.0, 1.0, 0.0, 1.0)
        self.is_fitted = True
        self.tool = Tool.RECTANGLE
        self.colored: frozenset[int] | None = None
        """The classes in their colours, the others are grey; None for all."""
        self._painter = ScatterPainter()
        self.area = QRectF(0, 0, 1, 1)
        """The rectangle of the points in pixels of the canvas."""
        self._press: tuple[QPointF, Qt.MouseButton] | None = None
        self._moved_from: Window | None = None
        self._band: QRectF | None = None
        self._line: list[QPointF] = []
        themes.follow(self.dress)

    def set_tool(self, tool: Tool) -> None:
        self.tool = tool
        self._give_up()
        self.setCursor(CURSORS[tool])

    # ---- what is shown ---------------------------------------------------------------------------------------------

    def set_points(self, points: ScatterPoints | None, *, keep_view: bool = False) -> None:
        """Shows other points; resets the view unless ``keep_view``."""
        kept = self.scene.backdrops if keep_view else []
        self.scene = ScatterScene(points, backdrops=kept, tint=self.scene.tint, is_map=self.scene.is_map)
        self._band = None
        self._arrange()
        if not keep_view:
            self.is_fitted = True
        if self.is_fitted:
            self.fit()
        self.update()

    def set_layer(self, layer: Layer | None) -> None:
        self.scene.layer = layer
        self.update()

    def set_backdrops(self, backdrops: list[Backdrop], tint: float = 1.0) -> None:
        self.scene.backdrops, self.scene.tint = backdrops, tint
        self.update()

    def set_links(self, links: list[PointLink]) -> None:
        self.scene.links = links
        self.update()

    def set_outlines(self, outlines: list[Outline]) -> None:
        self.scene.outlines = outlines
        self.update()

    def dress(self) -> None:
        self._painter = ScatterPainter(self.colored)
        self._arrange()
        self.update()

    def paint_picture(self, painter: QPainter, *, vector: bool = False) -> None:
        """Paints the visible scene without hover and focus."""
        scene = self.scene
        still = replace(scene, focus=NOBODY, hover=NOBODY)
        self._painter.paint(painter, still, self.window_seen, self.area, vector=vector)

    def _arrange(self) -> None:
        self.area = self._painter.plot_area(self.scene, self.width(), self.height())
        self.window_seen = self.window_seen.resized(self.area.width(), self.area.height())

    # ---- the camera ------------------------------------------------------------------------------------------------

    def fit(self) -> None:
        points = self.scene.points
        width, height = self.area.width(), self.area.height()
        across, up = (0.0, 1.0), (0.0, 1.0)
        if points is not None:
            across, up = points.fitting(width, height, at_one_scale=self.scene.is_map)
        self._look(Window(*across, *up, width, height))
        self.is_fitted = True

    def zoom(self, factor: float, position: QPointF | None = None) -> None:
        """Zooms around a pixel of the canvas, by default its middle."""
        point = self.area.center() if position is None else position
        self._look(self.window_seen.zoomed(factor, point.x() - self.area.x(), point.y() - self.area.y()))

    def pan(self, right: float, down: float) -> None:
        self._look(self.window_seen.panned(right, down))

    def _look(self, window: Window) -> None:
        self.window_seen = window
        self.is_fitted = False
        self.update()
        self.moved.emit()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        fitted = self.is_fitted
        self._arrange()
        if fitted:
            self.fit()
        else:
            self.moved.emit()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), current_theme().pane)
            self._painter.paint(painter, self.scene, self.window_seen, self.area)
            paint_drawn(painter, self._band, self._line)
            if self.hasFocus():
                draw_focus_frame(painter, self.rect())

    # ---- mouse -----------------------------------------------------------------------------------------------------

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zooms around the mouse; with Shift or a sideways wheel, pans."""
        turned = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier or abs(turned.x()) > abs(turned.y()):
            self.pan(-(turned.x() or turned.y()), 0)
        elif turned.y():
            self.zoom(ZOOM_STEP ** (turned.y() / 120), event.position())
        event.accept()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self._press = (event.position(), event.button())
        moves = event.button() in (Qt.MouseButton.MiddleButton, Qt.MouseButton.RightButton) or self.tool is Tool.MOVE
        self._moved_from = self.window_seen if moves else None
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        position = event.position()
        if self._press is None:
            self._hover(position)
        elif (position - self._press[0]).manhattanLength() > CLICK_SLACK or self._band is not None or self._line:
            self._hover_nobody()
            if self._moved_from is not None:
                gone = position - self._press[0]
                self.setCursor(Qt.CursorShape.ClosedHandCursor)
                self._look(self._moved_from.panned(-gone.x(), -gone.y()))
            elif self._press[1] is Qt.MouseButton.LeftButton and self.tool is Tool.LASSO:
                self._line = [*(self._line or [self._press[0]]), self._inside(position)]
                self.update()
            elif self._press[1] is Qt.MouseButton.LeftButton:
                self._band = QRectF(self._press[0], position).normalized().intersected(self.area)
                self.update()
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        press, band, line = self._press, self._band, self._line
        self._give_up()
        if press is not None and press[1] is Qt.MouseButton.LeftButton:
            how = how_by_keys(event.modifiers())
            if line:
                corners = thinned(np.array([(corner.x(), corner.y()) for corner in line]))
                if self.scene.points is not None and len(corners) >= 3:
                    self.lassoed.emit(np.array([self._unit(QPointF(x, y)) for x, y in corners.tolist()]), how)
            elif band is not None:
                self._select_within(band, how)
            elif (event.position() - press[0]).manhattanLength() <= CLICK_SLACK:
                self._select_at(event.position(), how)
        event.accept()

    def _give_up(self) -> None:
        self._press, self._moved_from, self._band, self._line = None, None, None, []
        self.setCursor(CURSORS[self.tool])
        self.update()

    def _inside(self, position: QPointF) -> QPointF:
        area = self.area
        return QPointF(
            min(max(position.x(), area.left()), area.right()), min(max(position.y(), area.top()), area.bottom())
        )

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self._point_at(event.position()) == NOBODY:
            self.fit()
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        self._hover_nobody()
        super().leaveEvent(event)

    def _select_within(self, band: QRectF, how: SelectionMode) -> None:
        if self.scene.points is None:
            return
        left, high = self._unit(band.topLeft())
        right, low = self._unit(band.bottomRight())
        self.selected.emit(within(self.scene.points, left, low, right, high), how)

    def _select_at(self, position: QPointF, how: SelectionMode) -> None:
        if self.tool is Tool.REGION and self.scene.backdrops and self.area.contains(position):
            self.region_meant.emit(*self._unit(position), how)
            return
        point = self._point_at(position)
        if point != NOBODY:
            self.selected.emit(np.array([point]), how)
        elif how is SelectionMode.REPLACE:
            self.cleared.emit()

    def _unit(self, position: QPointF) -> tuple[float, float]:
        return self.window_seen.to_unit(position.x() - self.area.x(), position.y() - self.area.y())

    def _point_at(self, position: QPointF) -> int:
        points = self.scene.points
        if points is None or not self.area.contains(position):
            return NOBODY
        return nearest(points, *self._unit(position), self.window_seen.per_x, self.window_seen.per_y, REACH)

    def _hover(self, position: QPointF) -> None:
        point = self._point_at(position)
        if point != self.scene.hover:
            self.scene.hover = point
            self.update()
            self.hovered.emit(point, position)
        if point == NOBODY:
            self.passed.emit(position)

    def _hover_nobody(self) -> None:
        self.passed.emit(QPointF(-1.0, -1.0))
        if self.scene.hover != NOBODY:
            self.scene.hover = NOBODY
            self.update()
            self.hovered.emit(NOBODY, QPointF())

    # ---- keyboard --------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrows step from record to record, with Ctrl they pan. Space selects the focused record, R its region; L
        takes the lasso. + and - zoom, F shows all, T shows the table. Escape cancels the drawing, else it clears the
        selection.
        """
        if self.scene.points is None or not self._key(event):
            event.ignore()
        else:
            event.accept()

    def _key(self, event: QKeyEvent) -> bool:
        key, text = Qt.Key(event.key()), event.text()
        if key in DIRECTIONS:
            right, down = DIRECTIONS[key]
            if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                self.pan(right * PAN_STEP, down * PAN_STEP)
            else:
                self._walk(right, down)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            if self.scene.focus != NOBODY:
                self.selected.emit(np.array([self.scene.focus]), how_by_keys(event.modifiers()))
        elif key == Qt.Key.Key_Escape:
            if self._band is not None or self._line:
                self._give_up()
            else:
                self.cleared.emit()
        elif text in ("l", "L"):
            self.lasso_wanted.emit()
        elif text in ("r", "R"):
            points, focus = self.scene.points, self.scene.focus
            if points is not None and focus != NOBODY and self.scene.backdrops:
                self.region_meant.emit(float(points.x[focus]), float(points.y[focus]), how_by_keys(event.modifiers()))
        elif text in ("+", "="):
            self.zoom(ZOOM_STEP)
        elif text == "-":
            self.zoom(1 / ZOOM_STEP)
        elif text in ("f", "F", "0"):
            self.fit()
        elif text in ("t", "T"):
            self.table_wanted.emit()
        else:
            return False
        return True

    def _walk(self, right: int, down: int) -> None:
        """Moves the focus to the nearest record in a direction, first to the one nearest to the middle."""
        points, seen = self.scene.points, self.window_seen
        if points is None or not len(points):
            return
        focus, per_x, per_y = self.scene.focus, seen.per_x, seen.per_y
        if focus == NOBODY:
            next_point = nearest_of_all(points, *self._unit(self.area.center()), per_x, per_y)
        else:
            next_point = nearest_that_way(points, focus, right, down, per_x, per_y)
        if next_point != NOBODY:
            self.set_focus_point(next_point)

    def set_focus_point(self, point: int) -> None:
        """Focuses a point and brings it into view."""
        points, seen = self.scene.points, self.window_seen
        self.scene.focus = point
        if points is not None and point != NOBODY:
            px, py = seen.to_pixel(float(points.x[point]), float(points.y[point]))
            right = px - 30 if px < 0 else px - seen.width + 30 if px > seen.width else 0.0
            down = py - 30 if py < 0 else py - seen.height + 30 if py > seen.height else 0.0
            if right or down:
                self.pan(right, down)
        self.update()
        self.focused.emit(point)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.scene.focus = NOBODY
        self.focused.emit(NOBODY)
