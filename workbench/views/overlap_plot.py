"""Two densities of one number over each other, painted: curves, where they meet, and what is decided wrongly."""

from __future__ import annotations

from typing import ClassVar, Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from algorithms.bayes.overlap import Overlap
from workbench.geometry.ticks import nice_step
from workbench.parts.elision import elided
from workbench.theme import current_theme, themes
from workbench.views.export import ExportedDrawing, Table, rows_written

SIDE, TOP, BOTTOM = 14.0, 46.0, 40.0
LINES: Final = (Qt.PenStyle.SolidLine, Qt.PenStyle.DashLine)
AREAS: Final = (Qt.BrushStyle.BDiagPattern, Qt.BrushStyle.FDiagPattern)
"""Line and hatching of each class: never told apart by colour alone."""
_MARKS: Final = 8


class OverlapPlot(QWidget):
    """Painted; what it shows is said in its description and stands in the table beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("visualize.overlap.plot")
        self.setAccessibleName("How two classes overlap in one number")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.overlap: Overlap | None = None
        self.names = ("", "")
        self.codes = (0, 1)
        """Which classes these are: each has the colour that it has everywhere."""
        self.across = ""
        themes.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(themes.px(480), themes.px(260))

    def minimumSizeHint(self) -> QSize:
        return QSize(themes.px(220), themes.px(140))

    def show_overlap(
        self, overlap: Overlap | None, names: tuple[str, str], codes: tuple[int, int], across: str, words: str
    ) -> None:
        """Draw this, of two classes of these names and codes; nothing for None."""
        self.overlap, self.names, self.codes, self.across = overlap, names, codes, across
        self.setAccessibleDescription(words)
        self.update()

    def x_of(self, value: float) -> float:
        """Where a value of the number is, in pixels."""
        assert self.overlap is not None
        area, low, high = self._area(), float(self.overlap.values[0]), float(self.overlap.values[-1])
        return area.left() + (value - low) / ((high - low) or 1.0) * area.width()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.paint(painter)
        painter.end()

    def paint(self, painter: QPainter) -> None:
        """Paint all of it."""
        overlap = self.overlap
        if overlap is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(themes.font(11))
        area = self._area()
        self._paint_scale(painter, overlap, area)
        xs = [self.x_of(value) for value in overlap.values.tolist()]
        most = float(overlap.curves.max()) or 1.0
        heights = (area.bottom() - overlap.curves / most * area.height()).tolist()
        loses = overlap.curves.argmin(axis=0)
        for which in (0, 1):
            ys = np.where(loses == which, heights[which], area.bottom()).tolist()
            self._paint_wrong(painter, which, xs, ys, area)
        for which in (0, 1):
            painter.setPen(self._pen(which))
            painter.drawPolyline(QPolygonF([QPointF(x, y) for x, y in zip(xs, heights[which], strict=True)]))
        self._paint_boundaries(painter, overlap, area)
        self._paint_legend(painter, area)

    def _area(self) -> QRectF:
        side, top, bottom = (float(themes.px(each)) for each in (SIDE, TOP, BOTTOM))
        return QRectF(side, top, max(1.0, self.width() - 2 * side), max(1.0, self.height() - top - bottom))

    def color(self, which: int) -> QColor:
        """The colour of the first (0) or second (1) class."""
        return current_theme().class_color(self.codes[which])

    def _pen(self, which: int) -> QPen:
        pen = QPen(self.color(which), 2.2)
        pen.setStyle(LINES[which])
        return pen

    def _paint_wrong(self, painter: QPainter, which: int, xs: list[float], ys: list[float], area: QRectF) -> None:
        color = self.color(which)
        veil = QPolygonF([QPointF(xs[0], area.bottom()), *map(QPointF, xs, ys), QPointF(xs[-1], area.bottom())])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QBrush(color, AREAS[which]))
        painter.drawPolygon(veil)
        color.setAlpha(50)
        painter.setBrush(color)
        painter.drawPolygon(veil)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_scale(self, painter: QPainter, overlap: Overlap, area: QRectF) -> None:
        theme, metrics = current_theme(), QFontMetricsF(painter.font())
        low, high = float(overlap.values[0]), float(overlap.values[-1])
        painter.setPen(QPen(theme.color("line"), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.setPen(theme.color("dim"))
        step = nice_step((high - low) / _MARKS)
        for value in np.arange(np.ceil(low / step), np.floor(high / step) + 1).tolist() if step else []:
            text, x = f"{value * step:.6g}", self.x_of(value * step)
            painter.drawText(
                QPointF(x - metrics.horizontalAdvance(text) / 2, area.bottom() + metrics.ascent() + 4), text
            )
        below = QRectF(area.left(), area.bottom() + metrics.height() + 4, area.width(), metrics.height() + 2)
        across = elided(metrics, self.across, area.width())
        painter.drawText(below, Qt.AlignmentFlag.AlignHCenter, across)

    def _paint_boundaries(self, painter: QPainter, overlap: Overlap, area: QRectF) -> None:
        theme, metrics, reached = current_theme(), QFontMetricsF(painter.font()), -1e9
        for value in overlap.boundaries.tolist():
            x, text = self.x_of(value), f"{value:.5g}"
            painter.setPen(QPen(theme.color("text"), 1.2, Qt.PenStyle.DotLine))
            painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
            left = x - metrics.horizontalAdvance(text) / 2
            if left > reached:
                painter.setPen(theme.color("text"))
                painter.drawText(QPointF(left, area.top() - 4), text)
                reached = left + metrics.horizontalAdvance(text) + 6

    def _paint_legend(self, painter: QPainter, area: QRectF) -> None:
        metrics, x = QFontMetricsF(painter.font()), area.left()
        room = area.width() / 2 - themes.px(40)
        for which, name in enumerate(self.names):
            y = metrics.height() / 2 + 2
            painter.setPen(self._pen(which))
            painter.drawLine(QPointF(x, y), QPointF(x + themes.px(26), y))
            painter.setPen(current_theme().color("text"))
            text = elided(metrics, name, room, tuple(self.names))
            painter.drawText(QPointF(x + themes.px(32), y + metrics.ascent() / 2 - 1), text)
            x += themes.px(32) + metrics.horizontalAdvance(text) + themes.px(18)


class ExportedOverlap(ExportedDrawing):
    """The picture, and the two curves with the class that is the likelier one."""

    name: ClassVar[str] = "overlap"
    title: ClassVar[str] = "How two classes overlap"

    def __init__(self, plot: OverlapPlot) -> None:
        self._plot = plot

    def size(self) -> QSize:
        return QSize() if self._plot.overlap is None else self._plot.size()

    def paint(self, painter: QPainter) -> None:
        self._plot.paint(painter)

    def table(self) -> Table | None:
        return None if self._plot.overlap is None else rows_written(overlap_rows(self._plot))


def overlap_rows(plot: OverlapPlot) -> list[list[str]]:
    """The heading, and a row for each place of the number that is drawn."""
    overlap = plot.overlap
    rows = [[plot.across, *(f"{name} (density times share)" for name in plot.names), "Likelier"]]
    if overlap is None:
        return rows
    for value, ours, theirs in zip(overlap.values.tolist(), *overlap.curves.tolist(), strict=True):
        likelier = "either" if value in overlap.boundaries else plot.names[int(theirs > ours)]
        rows.append([f"{value:.6g}", f"{ours:.4g}", f"{theirs:.4g}", likelier])
    return rows
