"""Curves of training: error by epoch of a network, and the duality gap of a support vector machine."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyqtgraph
from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from algorithms.data.columns import FloatArray
from algorithms.structures.layers import TrainingHistory
from algorithms.text.numbers import percent
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.chart_base import dress_plot, label_axes
from workbench.viewers.charts.legend import LegendChart
from workbench.widgets.labels import elided_at_end
from workbench.widgets.layouts import named
from workbench.widgets.painting import draw_text

HEADING: Final = ("epoch", "training error", "validation error", "training loss", "validation loss")
MOST_POINTS: Final = 1500
LOWEST: Final = 150


class TrainingHistoryPlot(pyqtgraph.PlotWidget):
    """A solid line for training records, a dashed one for validation records, and a mark at the epoch kept."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, enableMenu=False)
        named(self, name, "How the learning went")
        self.course: TrainingHistory | None = None
        self.of_loss = False
        self._training, self._held = pyqtgraph.PlotDataItem(), pyqtgraph.PlotDataItem()
        self._kept = pyqtgraph.InfiniteLine(angle=90, movable=False)
        for item in (self._kept, self._training, self._held):
            self.addItem(item)
        self.hideButtons()
        self.setMinimumHeight(themes.px(LOWEST))
        self.getPlotItem().layout.setContentsMargins(0, 4, 10, 0)
        themes.follow_now(self.dress)

    def sizeHint(self) -> QSize:
        return QSize(themes.px(300), themes.px(LOWEST))

    def show_course(self, course: TrainingHistory | None) -> None:
        """Shows this history; None shows nothing."""
        self.course = course
        self._draw()

    def show_loss(self, wanted: bool) -> None:
        """Draws the loss in place of the error."""
        self.of_loss = wanted
        self.dress()

    def dress(self) -> None:
        dress_plot(self)
        self.getAxis("left").setScale(1 if self.of_loss else 100)
        label_axes(self, bottom="epochs", left="loss" if self.of_loss else "error rate (%)")
        self._draw()

    def _draw(self) -> None:
        course, theme, none = self.course, current_theme(), np.zeros(0)
        lines = (none, none) if course is None else lines_of(course, of_loss=self.of_loss)
        for item, line, code, style in (
            (self._training, lines[0], 2, Qt.PenStyle.SolidLine),
            (self._held, lines[1], 0, Qt.PenStyle.DashLine),
        ):
            epochs = np.arange(len(line))
            if len(line) > MOST_POINTS:  # as many as can be told apart
                epochs = np.unique(np.linspace(0, len(line) - 1, MOST_POINTS).astype(np.int64))
            few = 0 < len(line) < 3
            item.setData(epochs, line[epochs], pen=pyqtgraph.mkPen(theme.run_color(code), width=2, style=style),
                         symbol="o" if few else None, symbolBrush=theme.run_color(code), symbolPen=None)  # fmt: skip
        there = course is not None and course.epochs > 0
        self._kept.setVisible(there)
        if course is not None and there:
            self._kept.setPen(pyqtgraph.mkPen(theme.dim, width=1.2, style=Qt.PenStyle.DotLine))
            self._kept.setPos(course.best)
            top = max((float(line.max()) for line in lines if len(line) and np.isfinite(line).all()), default=1.0)
            self.getViewBox().setRange(xRange=(0, course.epochs), yRange=(0, 1.05 * max(top, 1e-6)), padding=0.02)
        self.setAccessibleDescription("" if course is None else history_words(course))

    def rows(self) -> list[tuple[str, ...]]:
        return [] if self.course is None else history_rows(self.course)


def lines_of(course: TrainingHistory, *, of_loss: bool) -> tuple[FloatArray, FloatArray]:
    return (
        (course.training_loss, course.validation_loss) if of_loss else (course.training_error, course.validation_error)
    )


def history_words(course: TrainingHistory) -> str:
    if not len(course.training_error):
        return ""
    held = f", validation error {percent(float(course.validation_error[-1]))} (dashed)" if course.is_validated else ""
    best = "" if course.best == course.epochs else f"; best weights: epoch {course.best:,} (dotted)"
    wrong = percent(float(course.training_error[-1]))
    return f"Epoch {course.epochs:,}: training error {wrong}{held}{best}."


def history_rows(course: TrainingHistory) -> list[tuple[str, ...]]:
    """Every epoch as a row, the heading first."""
    rows: list[tuple[str, ...]] = [HEADING]
    columns = (course.training_error, course.validation_error, course.training_loss, course.validation_loss)
    for epoch in range(len(course.training_error)):
        rows.append((str(epoch), *(f"{column[epoch]:.6g}" if len(column) else "" for column in columns)))
    return rows


SIDE, TOP, BOTTOM = 18.0, 34.0, 40.0
_STYLES: Final = (("accent", Qt.PenStyle.SolidLine), ("text", Qt.PenStyle.DashLine))
_NAMES: Final = ("What the margin costs (primal)", "The least it must cost (dual)")
_BRIEFLY: Final = ("Cost found", "At least")
_SHOWN: Final = 3.0
"""Costs above this multiple of the last one are cut off, to leave room for the later steps."""


class DualityGapPlot(LegendChart):
    """Primal (upper line) and dual objective (lower line) over the steps."""

    hint, frame = (480, 300), 1.5

    def __init__(self, name: str) -> None:
        super().__init__(name, "How the gap closed", expands=True)
        self.setMinimumHeight(themes.px(LOWEST))
        self.course: FloatArray = np.zeros((0, 3))
        self.words = ""

    def show_course(self, course: FloatArray) -> None:
        """Draws steps, primal and dual objective (points, 3)."""
        self.course, self.words = course, _gap_words(course)
        self.setAccessibleDescription(self.words)
        self.update()

    @property
    def is_empty(self) -> bool:
        return not len(self.course)

    def paint_chart(self, painter: QPainter, part: QRect, focus: bool) -> None:
        theme, metrics = current_theme(), QFontMetricsF(painter.font())
        side, top, bottom = (float(themes.px(item)) for item in (SIDE, TOP, BOTTOM))
        area = QRectF(side, top, max(1.0, self.width() - 2 * side), max(1.0, self.height() - top - bottom))
        last = float(self.course[-1, 1])
        high = min(float(self.course[:, 1].max()), _SHOWN * last) or 1.0
        xs = area.left() + (self.course[:, 0] / (self.course[-1, 0] or 1.0)) * area.width()
        painter.setPen(QPen(theme.color("line"), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        x = area.left()
        for index, (token, style) in enumerate(_STYLES):
            ys = area.bottom() - np.clip(self.course[:, 1 + index] / high, 0.0, 1.0) * area.height()
            room = area.width() / 2 - themes.px(44)
            wanted = (
                _NAMES[index] if all(metrics.horizontalAdvance(item) <= room for item in _NAMES) else _BRIEFLY[index]
            )
            name = elided_at_end(metrics, wanted, room)
            at = QPointF(x + themes.px(30), top / 2 + metrics.ascent() / 2 - 1)
            with self.entry(painter, index):
                painter.setPen(QPen(theme.color(token), 2, style))
                points = zip(xs.tolist(), ys.tolist(), strict=True)
                painter.drawPolyline(QPolygonF([QPointF(*item) for item in points]))
                painter.drawLine(QPointF(x, top / 2), QPointF(x + themes.px(24), top / 2))
                draw_text(painter, at, name, theme.color("text"))
            wide = themes.px(30) + metrics.horizontalAdvance(name)
            self.put(QRectF(x, (top - metrics.height()) / 2, wide, metrics.height()), index)
            x += area.width() / 2
        painter.setPen(theme.color("dim"))
        below = QRectF(area.left(), area.bottom() + 4, area.width(), metrics.height() + 2)
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, "0")
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, f"{self.course[-1, 0]:,.0f} steps")


def _gap_words(course: FloatArray) -> str:
    if not len(course):
        return "Nothing is known of how this machine learned."
    steps, primal, dual = course[-1].tolist()
    gap = max(0.0, primal - dual)
    share = f" ({100 * gap / primal:.2g}%)" if primal > 0 else ""
    return (
        f"The boundary found costs {primal:.5g} (width of the margin and slacks together); none can cost less than "
        f"{dual:.5g}. So after {steps:,.0f} steps at most {gap:.2g}{share} could still be won."
    )
