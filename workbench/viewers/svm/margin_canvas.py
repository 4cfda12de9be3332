"""The boundary of a machine over two numbers, painted: its margins, and the support vectors that hold them."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QLineF, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from algorithms.data.columns import FloatArray
from algorithms.learners.svm.boundary_slices import Slice
from workbench.layout.grid_regions import contour
from workbench.layout.ticks import nice_step, number_text
from workbench.style.structure_colors import Look, draw_symbol
from workbench.style.theme import current_theme, themes
from workbench.widgets.elision import elided

LEFT, BOTTOM, EDGE = 64.0, 46.0, 10.0
MOST_DRAWN: Final = 4000
"""More support vectors are not drawn one by one: those with the largest multipliers are."""
_RINGS: Final = (4.0, 10.0)
_WIDEST: Final = 6.0
_REACH: Final = 14.0
_VEIL: Final = 46
_STEPS: Final = {Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1, Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1}


class MarginCanvas(QWidget):
    """Paints a :class:`Slice`; a click or the arrow keys choose a support vector, those of large multipliers first."""

    chosen_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("visualize.margins.canvas")
        self.setAccessibleName("Boundary, margins and support vectors")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.slice: Slice | None = None
        self.names = ("", "")
        self.sides = (0, 1)
        self.chosen = -1
        """The support vector in focus, by its place in :attr:`order`; -1 for none."""
        self.order: list[int] = []
        self._lines: list[FloatArray] = []
        self._ground: QImage | None = None
        themes.follow(self._tint)

    def sizeHint(self) -> QSize:
        return QSize(themes.px(520), themes.px(400))

    def minimumSizeHint(self) -> QSize:
        return QSize(themes.px(240), themes.px(180))

    def show_slice(self, found: Slice | None, names: tuple[str, str], sides: tuple[int, int]) -> None:
        """Draw this over two axes of these names; ``sides`` are the classes of sums above and below 0, by code."""
        self.slice, self.names, self.sides, self.chosen = found, names, sides, -1
        self.order = [] if found is None else np.argsort(-found.multiplier, kind="stable")[:MOST_DRAWN].tolist()
        self._lines = [] if found is None else [contour(found.sums, level) for level in (-1.0, 0.0, 1.0)]
        self._tint()
        self.chosen_changed.emit()

    def _tint(self) -> None:
        """The ground in the colours of the classes, lighter inside the margins."""
        self._ground = None
        if self.slice is not None:
            sums, theme = self.slice.sums[::-1], current_theme()
            ground = np.zeros((*sums.shape, 4), dtype=np.uint8)
            for code, on in zip(self.sides, (sums > 0, sums <= 0), strict=True):
                color = theme.class_color(code)
                ground[on] = color.blue(), color.green(), color.red(), _VEIL
            ground[np.abs(sums) < 1, 3] = _VEIL // 3
            height, width = sums.shape
            self._ground = QImage(ground.tobytes(), width, height, QImage.Format.Format_ARGB32).copy()
        self.update()

    # ---- where things are --------------------------------------------------------------------------------------------

    def area(self) -> QRectF:
        """Where the plane is."""
        left, bottom, edge = (float(themes.px(each)) for each in (LEFT, BOTTOM, EDGE))
        height = max(1.0, self.height() - bottom - edge)
        return QRectF(left, edge, min(max(1.0, self.width() - left - edge), _WIDEST * height), height)

    def place(self, x: float, y: float) -> QPointF:
        """The pixel of a place in the units of the axes."""
        assert self.slice is not None
        seen, area = self.slice, self.area()
        across = (x - seen.left) / (seen.right - seen.left)
        return QPointF(
            area.left() + across * area.width(), area.bottom() - (y - seen.low) / (seen.high - seen.low) * area.height()
        )

    def vector_place(self, at: int) -> QPointF:
        """The pixel of a support vector."""
        assert self.slice is not None
        return self.place(float(self.slice.x[at]), float(self.slice.y[at]))

    def _radius(self, at: int) -> float:
        assert self.slice is not None
        share = float(np.sqrt(self.slice.multiplier[at] / (self.slice.multiplier.max() or 1.0)))
        return float(themes.px(_RINGS[0] + share * (_RINGS[1] - _RINGS[0])))

    # ---- the picture -------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.paint(painter)
        painter.end()

    def paint(self, painter: QPainter) -> None:
        """Paint all of it."""
        if self.slice is None or self._ground is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        look, area = Look(current_theme()), self.area()
        self._paint_axes(painter, look, area)
        painter.save()
        painter.setClipRect(area)
        painter.drawImage(area, self._ground)
        cells = self.slice.sums.shape[0] - 1
        for pieces, dashed in zip(self._lines, (True, False, True), strict=True):
            painter.setPen(
                QPen(look.text, 1.3 if dashed else 2.4, Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine)
            )
            pixels = pieces / cells * np.array([area.width(), -area.height()] * 2)
            pixels += np.array([area.left(), area.bottom()] * 2)
            painter.drawLines([QLineF(*piece) for piece in pixels.tolist()])
        self._paint_slacks(painter, look)
        for at in reversed(self.order):
            self._paint_vector(painter, look, at)
        painter.restore()
        painter.setPen(QPen(look.accent if self.hasFocus() else look.line, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(area)

    def _paint_vector(self, painter: QPainter, look: Look, at: int) -> None:
        assert self.slice is not None
        seen, middle, radius = self.slice, self.vector_place(at), self._radius(at)
        draw_symbol(painter, look, int(seen.labels[at]), middle, float(themes.px(3)))
        is_chosen = 0 <= self.chosen < len(self.order) and self.order[self.chosen] == at
        bounded = is_bounded(seen, at)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(look.accent if is_chosen else look.text, 3.0 if is_chosen else 1.2,
                            Qt.PenStyle.DotLine if bounded else Qt.PenStyle.SolidLine))  # fmt: skip
        painter.drawEllipse(middle, radius, radius)

    def _paint_slacks(self, painter: QPainter, look: Look) -> None:
        """A line from each vector with a slack back to its margin, where the plane is all there is."""
        assert self.slice is not None
        seen = self.slice
        if not seen.is_whole:
            return
        painter.setPen(QPen(look.bad, 1.2))
        for at in self.order:
            end = self._margin_end(seen, at)
            if end is not None:
                painter.drawLine(self.vector_place(at), end)

    def _margin_end(self, seen: Slice, at: int) -> QPointF | None:
        """Where the margin of a vector is, along the slope of the sum: the slack over how steep it is."""
        if seen.slack[at] <= 0:
            return None
        h, w = seen.sums.shape
        step = np.array([(seen.right - seen.left) / (w - 1), (seen.high - seen.low) / (h - 1)])
        column = int(np.clip(round((seen.x[at] - seen.left) / step[0]), 1, w - 2))
        row = int(np.clip(round((seen.y[at] - seen.low) / step[1]), 1, h - 2))
        area = self.area()
        pixel = np.array([area.width() / (w - 1), area.height() / (h - 1)])
        slope = np.array([seen.sums[row, column + 1] - seen.sums[row, column - 1],
                          seen.sums[row + 1, column] - seen.sums[row - 1, column]]) / (2 * pixel)  # fmt: skip
        steep = float(slope @ slope)
        if steep <= 0:
            return None
        side = 1.0 if seen.labels[at] == self.sides[0] else -1.0
        move = side * float(seen.slack[at]) * slope / steep
        if not np.hypot(*move) < area.width() / 2:
            return None
        start = self.vector_place(at)
        return QPointF(start.x() + move[0], start.y() - move[1])

    def _paint_axes(self, painter: QPainter, look: Look, area: QRectF) -> None:
        assert self.slice is not None
        seen = self.slice
        painter.setFont(themes.font(11))
        metrics = QFontMetricsF(painter.font())
        painter.setPen(look.dim)
        for value, text in marks(seen.left, seen.right, int(area.width() / themes.px(80))):
            x = self.place(value, seen.low).x()
            painter.drawText(
                QPointF(x - metrics.horizontalAdvance(text) / 2, area.bottom() + metrics.ascent() + 4), text
            )
        for value, text in marks(seen.low, seen.high, int(area.height() / themes.px(50))):
            y = self.place(seen.left, value).y()
            place = QPointF(area.left() - metrics.horizontalAdvance(text) - 5, y + metrics.ascent() / 2 - 1)
            painter.drawText(place, text)
        painter.setPen(look.text)
        below = QRectF(area.left(), area.bottom() + metrics.height() + 5, area.width(), metrics.height() + 3)
        across = elided(metrics, self.names[0], area.width(), tuple(self.names))
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, across)
        painter.save()
        painter.translate(metrics.height(), area.center().y())
        painter.rotate(-90)
        up = elided(metrics, self.names[1], area.height(), tuple(self.names))
        painter.drawText(QPointF(-metrics.horizontalAdvance(up) / 2, 0), up)
        painter.restore()

    # ---- mouse and keys ----------------------------------------------------------------------------------------------

    def vector_at(self, point: QPoint) -> int:
        """The place in :attr:`order` of the support vector nearest to a pixel; -1 where none is near."""
        apart = [QLineF(self.vector_place(at), QPointF(point)).length() for at in self.order]
        nearest = int(np.argmin(apart)) if apart else -1
        return nearest if apart and apart[nearest] <= themes.px(_REACH) else -1

    def choose(self, place: int) -> None:
        """Choose a support vector by its place in :attr:`order`; -1 for none."""
        self.chosen = min(max(-1, place), len(self.order) - 1)
        self.update()
        self.chosen_changed.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.choose(self.vector_at(event.position().toPoint()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _STEPS.get(Qt.Key(event.key()))
        if step is not None:
            self.choose(max(0, self.chosen + step))
        elif event.key() == Qt.Key.Key_Escape and self.chosen >= 0:
            self.choose(-1)
        else:
            super().keyPressEvent(event)


def is_bounded(seen: Slice, at: int) -> bool:
    """Whether a multiplier is as large as it may become."""
    return bool(seen.ceiling[at] > 0 and seen.multiplier[at] >= seen.ceiling[at] * (1 - 1e-9))


def marks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Round numbers between two, about as many as asked for, and how they are written."""
    step = nice_step((high - low) / max(3, most))
    if not step:
        return []
    numbers = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step
    return [(value, number_text(value, step)) for value in numbers.tolist()]
