"""A value with its confidence interval and a baseline on an axis."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.style.theme import current_theme, themes
from workbench.widgets.painting import draw_text, pen_and_brush

TRACK: Final = 4.0
DOT: Final = 3.5
AXIS_TEXT: Final = 11
AXIS_HEIGHT: Final = 26


class IntervalAxis(QWidget):
    """An axis with the value as a dot, its interval as a line, and the baseline as a tick."""

    def __init__(self) -> None:
        super().__init__()
        self._value: float | None = None
        self._interval: tuple[float, float] | None = None
        self._mark: float | None = None
        self._lowest = 0.0
        self.ends = "0%", "100%"
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        themes.follow(self._measure)

    def _measure(self) -> None:
        self.updateGeometry()

    def show_value(
        self,
        value: float | None,
        interval: tuple[float, float] | None = None,
        mark: float | None = None,
        lowest: float = 0.0,
        is_percent: bool = True,
    ) -> None:
        """Shows a value with its interval and the baseline ``mark`` on an axis from ``lowest`` to 1."""
        self.ends = (f"{100 * lowest:g}%", "100%") if is_percent else (f"{lowest:g}", "1")
        self._value, self._interval, self._mark, self._lowest = value, interval, mark, lowest
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(themes.px(60), themes.px(AXIS_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._value is None:
            return
        theme, dot, lowest = current_theme(), themes.px(DOT), self._lowest
        left, right, y = float(dot), self.width() - float(dot), float(themes.px(6))

        def x(value: float) -> float:
            share = (min(max(value, lowest), 1.0) - lowest) / (1.0 - lowest)
            return left + share * (right - left)

        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            pen_and_brush(painter, Qt.PenStyle.NoPen, theme.color("soft"))
            painter.drawRoundedRect(QRectF(left, y - TRACK / 2, right - left, TRACK), TRACK / 2, TRACK / 2)
            if self._mark is not None:
                painter.setPen(QPen(theme.color("dim"), 1.5))
                painter.drawLine(QPointF(x(self._mark), 0), QPointF(x(self._mark), 2 * y))
            if self._interval is not None:
                painter.setPen(QPen(theme.color("text"), 2.5))
                painter.drawLine(QPointF(x(self._interval[0]), y), QPointF(x(self._interval[1]), y))
            pen_and_brush(painter, QPen(theme.color("pane"), 1.5), theme.color("text"))
            painter.drawEllipse(QPointF(x(self._value), y), dot, dot)
            place, small = QRectF(0, 2 * y, self.width(), self.height() - 2 * y), themes.font(AXIS_TEXT)
            for words, side in zip(self.ends, (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight), strict=True):
                draw_text(painter, place, words, theme.color("dim"), small, side | Qt.AlignmentFlag.AlignVCenter)
