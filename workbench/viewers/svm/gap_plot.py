"""How a machine learned: the primal and the dual objective come together, step by step."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from algorithms.data.columns import FloatArray
from workbench.style.theme import current_theme, themes

SIDE, TOP, BOTTOM = 18.0, 34.0, 40.0
_STYLES: Final = (("accent", Qt.PenStyle.SolidLine), ("text", Qt.PenStyle.DashLine))
_NAMES: Final = ("What the margin costs (primal)", "The least it must cost (dual)")
LOWEST: Final = 150
_BRIEFLY: Final = ("Cost found", "At least")
_SHOWN: Final = 3.0
"""Costs above so many times the last one are beyond the picture: the first steps would leave no room for the rest."""


class GapPlot(QWidget):
    """Two lines over the steps: what has been found costs the upper, no margin costs less than the lower."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName("How the gap closed")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumHeight(themes.px(LOWEST))
        self.course: FloatArray = np.zeros((0, 3))
        self.words = ""
        themes.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(themes.px(480), themes.px(300))

    def show_course(self, course: FloatArray) -> None:
        """Draw steps, primal and dual objective (points, 3)."""
        self.course, self.words = course, _said(course)
        self.setAccessibleDescription(self.words)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.paint(painter)
        painter.end()

    def paint(self, painter: QPainter) -> None:
        """Paint all of it."""
        if not len(self.course):
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(themes.font(11))
        theme, metrics = current_theme(), QFontMetricsF(painter.font())
        side, top, bottom = (float(themes.px(each)) for each in (SIDE, TOP, BOTTOM))
        area = QRectF(side, top, max(1.0, self.width() - 2 * side), max(1.0, self.height() - top - bottom))
        last = float(self.course[-1, 1])
        high = min(float(self.course[:, 1].max()), _SHOWN * last) or 1.0
        xs = area.left() + (self.course[:, 0] / (self.course[-1, 0] or 1.0)) * area.width()
        painter.setPen(QPen(theme.color("line"), 1))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        x = area.left()
        for at, (token, style) in enumerate(_STYLES):
            painter.setPen(QPen(theme.color(token), 2, style))
            ys = area.bottom() - np.clip(self.course[:, 1 + at] / high, 0.0, 1.0) * area.height()
            painter.drawPolyline(QPolygonF([QPointF(*each) for each in zip(xs.tolist(), ys.tolist(), strict=True)]))
            painter.drawLine(QPointF(x, top / 2), QPointF(x + themes.px(24), top / 2))
            painter.setPen(theme.color("text"))
            room = area.width() / 2 - themes.px(44)
            wanted = _NAMES[at] if all(metrics.horizontalAdvance(each) <= room for each in _NAMES) else _BRIEFLY[at]
            name = metrics.elidedText(wanted, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QPointF(x + themes.px(30), top / 2 + metrics.ascent() / 2 - 1), name)
            x += area.width() / 2
        painter.setPen(theme.color("dim"))
        below = QRectF(area.left(), area.bottom() + 4, area.width(), metrics.height() + 2)
        painter.drawText(below, Qt.AlignmentFlag.AlignLeft, "0")
        painter.drawText(below, Qt.AlignmentFlag.AlignRight, f"{self.course[-1, 0]:,.0f} steps")


def _said(course: FloatArray) -> str:
    if not len(course):
        return "Nothing is known of how this machine learned."
    steps, primal, dual = course[-1].tolist()
    gap = max(0.0, primal - dual)
    share = f" ({100 * gap / primal:.2g}%)" if primal > 0 else ""
    return (
        f"The boundary found costs {primal:.5g} (width of the margin and slacks together); none can cost less than "
        f"{dual:.5g}. So after {steps:,.0f} steps at most {gap:.2g}{share} could still be won."
    )
