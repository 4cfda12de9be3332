"""ROC and precision-recall curves, painted: several runs, the operating point on the first of them, to be dragged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyqtgraph
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QIcon, QKeyEvent, QKeySequence, QMouseEvent, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QToolTip, QWidget

from workbench.theme import class_color, current_theme, themes
from workbench.views.curve_lines import (
    AXES,
    PATTERNS,
    TITLES,
    CurveKind,
    CurveLine,
    coordinates,
    nearest_point,
    outline,
    point_sentence,
)

REACH: Final = 14.0
"""How many pixels from the operating point it is taken hold of."""
NEAR: Final = 22.0
"""How many pixels from a line its point is read out."""
LOOKS: Final = (0, 2, 3, 4, 5, 1, 6, 7)
"""Class colours in the order in which lines take them: orange late, since it marks what is wrong."""
ZOOM_STEP: Final = 1.25
MARGIN: Final = 0.06


def line_pen(look: int, *, in_view: bool = False) -> QPen:
    """The pen of a line by the number of its look; that of the run in view is continuous and wider."""
    pen = QPen(class_color(LOOKS[look % len(LOOKS)]))
    pen.setCosmetic(True)
    pen.setWidthF(2.4 if in_view else 1.8)
    pattern = PATTERNS[look % len(PATTERNS)]
    if not in_view:
        pen.setDashPattern(pattern)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    return pen


def equal_cost_pen() -> QPen:
    """The pen of the line on which everything costs the same."""
    pen = QPen(class_color(1))
    pen.setCosmetic(True)
    pen.setWidthF(1.4)
    pen.setStyle(Qt.PenStyle.DashDotLine)
    return pen


def line_icon(pen: QPen) -> QIcon:
    """A piece of a line, for a legend."""
    drawn = QPixmap(64, 32)
    drawn.setDevicePixelRatio(2)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    pen.setWidthF(max(2.5, pen.widthF()))
    painter.setPen(pen)
    painter.drawLine(QPointF(1, 8), QPointF(31, 8))
    painter.end()
    return QIcon(drawn)


class CurvePlot(pyqtgraph.PlotWidget):  # type: ignore[misc]  # the library has no types
    """The wheel zooms, dragging moves, a double click shows all; the operating point is dragged along its curve.

    Left and right arrows step it from one threshold to the next, Ctrl+C asks for a copy.
    """

    threshold_chosen = Signal(float)
    copy_asked = Signal()

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, enableMenu=False)
        self.setObjectName(name)
        self._kind = CurveKind.ROC
        self._lines: tuple[CurveLine, ...] = ()
        self._items: list[Any] = []
        self._slope: float | None = None
        self._point: tuple[float, float] | None = None
        self._threshold: float | None = None
        self._dragging = False
        self._chance = pyqtgraph.PlotDataItem()
        self._equal = pyqtgraph.PlotDataItem()
        self._mark = pyqtgraph.ScatterPlotItem(pxMode=True, useCache=False)
        for item, height in ((self._chance, 0), (self._equal, 1), (self._mark, 9)):
            item.setZValue(height)
            self.addItem(item)
        self.hideButtons()
        self.getPlotItem().layout.setContentsMargins(0, 6, 14, 0)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.getViewBox().setLimits(xMin=-0.5, xMax=1.5, yMin=-0.5, yMax=1.5, minXRange=0.002, minYRange=0.002)
        themes.follow(self.dress)
        self.dress()
        self.fit()

    # ---- what is shown ---------------------------------------------------------------------------------------------

    @property
    def kind(self) -> CurveKind:
        return self._kind

    @property
    def lines(self) -> tuple[CurveLine, ...]:
        return self._lines

    @property
    def point(self) -> tuple[float, float] | None:
        """Where the operating point lies."""
        return self._point

    def show_lines(self, lines: Sequence[CurveLine], kind: CurveKind) -> None:
        """Show these curves; the first is the run in view, on which the operating point moves."""
        turned = kind is not self._kind
        self._lines, self._kind = tuple(lines), kind
        self._draw_lines()
        if turned:
            self.fit()

    def show_point(self, threshold: float | None, place: tuple[float | None, float | None]) -> None:
        """Mark the rates of the decisions in force; ``threshold`` is None where they are the model's own."""
        x, y = place
        point = None if x is None or y is None else (x, y)
        if (threshold, point) != (self._threshold, self._point):
            self._threshold, self._point = threshold, point
            self._draw_point()

    def show_equal_cost(self, slope: float | None) -> None:
        """Draw a line of this slope through the operating point: all places on it cost the same."""
        if slope != self._slope:
            self._slope = slope
            self._draw_point()

    def fit(self) -> None:
        """Show the whole unit square."""
        self.getViewBox().setRange(xRange=(-MARGIN, 1 + MARGIN), yRange=(-MARGIN, 1 + MARGIN), padding=0)

    def dress(self) -> None:
        """Wear the current theme."""
        theme = current_theme()
        self.setBackground(theme.pane)
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(theme.line)
            axis.setTextPen(theme.dim)
            axis.enableAutoSIPrefix(False)
            axis.setScale(100)
            axis.setStyle(tickFont=themes.font(11), tickLength=-4, hideOverlappingLabels=False)
        self.getAxis("left").setWidth(themes.px(46))
        self.getAxis("bottom").setHeight(themes.px(38))
        self._draw_lines()

    def _draw_lines(self) -> None:
        theme = current_theme()
        for item in self._items:
            self.removeItem(item)
        self._items = []
        for at, line in reversed(list(enumerate(self._lines))):
            x, y = outline(line.points, self._kind)
            item = pyqtgraph.PlotDataItem(x, y, pen=line_pen(line.look, in_view=at == 0))
            item.setZValue(8 if at == 0 else 5)
            self.addItem(item)
            self._items.append(item)
        thin = pyqtgraph.mkPen(theme.dim, width=1, style=Qt.PenStyle.DashLine)
        self._chance.setData(*self._by_chance(), pen=thin)
        below, left = AXES[self._kind]
        size = f"{themes.px(11)}px"
        self.setLabel("bottom", below, color=theme.dim, **{"font-size": size})
        self.setLabel("left", left, color=theme.dim, **{"font-size": size})
        self._draw_point()
        self._describe()

    def _by_chance(self) -> tuple[list[float], list[float]]:
        """What guessing by lot reaches: the diagonal, or the share of the class."""
        if self._kind is CurveKind.ROC:
            return [0.0, 1.0], [0.0, 1.0]
        points = self._lines[0].points if self._lines else None
        total = 0.0 if points is None else points.positives + points.negatives
        if points is None or not total:
            return [], []
        return [0.0, 1.0], [points.positives / total] * 2

    def _draw_point(self) -> None:
        theme = current_theme()
        sloped = self._point is not None and self._slope is not None and self._kind is CurveKind.ROC
        if not sloped and self._equal.xData is not None:
            self._equal.clear()
        if self._point is None:
            self._mark.clear()
            return
        x, y = self._point
        held = self._dragging or self.hasFocus()
        ring = pyqtgraph.mkPen(theme.text if held else theme.pane, width=2.5 if held else 2)
        fill = pyqtgraph.mkBrush(QColor(theme.accent))
        symbol = "d" if self._threshold is None else "o"
        self._mark.setData([x], [y], size=themes.px(17 if symbol == "d" else 14), pen=ring, brush=fill, symbol=symbol)
        if self._slope is not None and sloped:
            xs = np.array([-0.5, 1.5])
            self._equal.setData(xs, y + self._slope * (xs - x), pen=equal_cost_pen())
        self._describe()

    def _describe(self) -> None:
        self.setAccessibleName(f"{TITLES[self._kind]} curve")
        words = "; ".join(line.titled(self._kind) for line in self._lines)
        if self._point is not None:
            below, left = AXES[self._kind]
            words += f". Operating point: {below} {100 * self._point[0]:.1f}, {left} {100 * self._point[1]:.1f} in 100"
        self.setAccessibleDescription(words)

    # ---- mouse and keys --------------------------------------------------------------------------------------------

    def to_view(self, x: float, y: float) -> QPointF:
        """Where a place of the plot lies in the widget."""
        return QPointF(self.mapFromScene(self.getViewBox().mapViewToScene(QPointF(x, y))))

    def _place(self, position: QPointF) -> tuple[float, float, float, float]:
        """The place under the mouse, and how many pixels one unit has across and up."""
        box = self.getViewBox()
        place = box.mapSceneToView(self.mapToScene(position.toPoint()))
        across, up = box.viewPixelSize()
        return place.x(), place.y(), 1 / across, 1 / up

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton and self._grabs(event.position()):
            self._dragging = True
            self._draw_point()
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self._move_to(event.position())
            event.accept()
            return
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._move_to(event.position())
            event.accept()
            return
        super().mouseMoveEvent(event)
        if not event.buttons():
            self._read_out(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._dragging = False
            self._draw_point()
            event.accept()
            return
        super().mouseReleaseEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.fit()
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        QToolTip.hideText()
        super().leaveEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._draw_point()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._draw_point()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: 1, Qt.Key.Key_Right: -1, Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        key = Qt.Key(event.key())
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_asked.emit()
        elif key in steps and self._lines:
            self._step(steps[key])
        elif event.text() in ("+", "-"):
            factor = 1 / ZOOM_STEP if event.text() == "+" else ZOOM_STEP
            self.getViewBox().scaleBy((factor, factor))
        elif event.text() == "0":
            self.fit()
        else:
            super().keyPressEvent(event)

    def _step(self, by: int) -> None:
        """Move to the next higher (1) or lower (-1) threshold."""
        points = self._lines[0].points
        at = points.nearest(0.5 if self._threshold is None else self._threshold)
        self._choose(min(len(points) - 1, max(0, at + by)))

    def _grabs(self, position: QPointF) -> bool:
        if not self._lines:
            return False
        if self._point is not None:
            away = self.to_view(*self._point) - position
            if np.hypot(away.x(), away.y()) <= REACH:
                return True
        x, y, width, height = self._place(position)
        return nearest_point(self._lines[0].points, self._kind, x, y, width, height)[1] <= REACH / 2

    def _move_to(self, position: QPointF) -> None:
        x, y, width, height = self._place(position)
        self._choose(nearest_point(self._lines[0].points, self._kind, x, y, width, height)[0])

    def _choose(self, at: int) -> None:
        threshold = float(self._lines[0].points.thresholds[at])
        if threshold != self._threshold:
            self.threshold_chosen.emit(threshold)

    def _read_out(self, position: QPointF) -> None:
        """Say what the nearest point of any line finds."""
        x, y, width, height = self._place(position)
        found = [(nearest_point(line.points, self._kind, x, y, width, height), line) for line in self._lines]
        near = min(found, key=lambda each: each[0][1], default=None)
        if near is None or near[0][1] > NEAR:
            QToolTip.hideText()
            return
        (at, _), line = near
        QToolTip.showText(self.mapToGlobal(position.toPoint() + QPoint(6, 6)), point_sentence(line, at), self)

    def place_of(self, threshold: float) -> tuple[float, float]:
        """Where a threshold of the first line lies."""
        points = self._lines[0].points
        x, y = coordinates(points, self._kind)
        at = points.nearest(threshold)
        return float(x[at]), float(y[at])
