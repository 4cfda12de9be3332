"""A value with its confidence interval and a labelled baseline on an axis."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.style.theme import current_theme, themes
from workbench.widgets.painting import draw_text, pen_and_brush

TRACK: Final = 4.0
DOT: Final = 3.5
AXIS_TEXT: Final = 11
AXIS_HEIGHT: Final = 26
APART: Final = 8
"""Least distance between two labels below the axis."""


class IntervalAxis(QWidget):
    """An axis with the value as a dot, its interval as a line, and the baseline as a tick."""

    def __init__(self) -> None:
        super().__init__()
        self._value: float | None = None
        self._interval: tuple[float, float] | None = None
        self._mark: float | None = None
        self._lowest = 0.0
        self._mark_words = ""
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
        mark_words: str = "",
    ) -> None:
        """Shows a value with its interval and the baseline ``mark`` on an axis from ``lowest`` to 1.

        ``mark_words`` stand below the baseline where they fit between the ends of the axis.
        """
        self._mark_words = mark_words
        self.ends = (f"{100 * lowest:g}%", "100%") if is_percent else (f"{lowest:g}", "1")
        self._value, self._interval, self._mark, self._lowest = value, interval, mark, lowest
        self.update()

    def rows(self) -> list[list[str]]:
        """The numbers as a table: value, ends of the interval, baseline."""
        numbers = (self._value, *(self._interval or (None, None)), self._mark)
        cells = ["" if number is None else f"{100 * number:.1f}%" for number in numbers]
        return [["Accuracy", "95% CI from", "95% CI to", "Baseline"], cells]

    def sizeHint(self) -> QSize:
        return QSize(themes.px(60), themes.px(AXIS_HEIGHT))

    def _x(self, value: float) -> float:
        """Place of a value along the axis."""
        dot, lowest = float(themes.px(DOT)), self._lowest
        share = (min(max(value, lowest), 1.0) - lowest) / (1.0 - lowest)
        return dot + share * (self.width() - 2 * dot)

    def mark_area(self) -> QRectF | None:
        """Where the words of the baseline stand; None without room beside the ends of the axis."""
        if self._mark is None or not self._mark_words:
            return None
        metrics, apart = QFontMetricsF(themes.font(AXIS_TEXT)), float(themes.px(APART))
        width, top = metrics.horizontalAdvance(self._mark_words) + 2, 2.0 * themes.px(6)
        least, most = (metrics.horizontalAdvance(words) + apart for words in self.ends)
        most = self.width() - most - width
        if most < least:
            return None
        left = min(max(self._x(self._mark) - width / 2, least), most)
        is_below = left <= self._x(self._mark) <= left + width
        return QRectF(left, top, width, self.height() - top) if is_below else None

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._value is None:
            return
        theme, dot, x = current_theme(), themes.px(DOT), self._x
        left, right, y = float(dot), self.width() - float(dot), float(themes.px(6))
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
            if (area := self.mark_area()) is not None:
                draw_text(painter, area, self._mark_words, theme.color("dim"), small, Qt.AlignmentFlag.AlignCenter)
            for words, side in zip(self.ends, (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight), strict=True):
                draw_text(painter, place, words, theme.color("dim"), small, side | Qt.AlignmentFlag.AlignVCenter)
