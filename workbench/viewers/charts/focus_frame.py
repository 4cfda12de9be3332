"""Kept apart as the shared base of plots: the frame of a plot with keyboard focus."""

from __future__ import annotations

import pyqtgraph
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFocusEvent, QPainter, QPen

from workbench.style.theme import current_theme


class FramedPlot(pyqtgraph.PlotWidget):
    """A plot with a thin frame while it has keyboard focus."""

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def drawForeground(self, painter: QPainter, rect: QRectF) -> None:
        super().drawForeground(painter, rect)
        if not self.hasFocus():
            return
        painter.save()
        painter.resetTransform()
        painter.setPen(QPen(current_theme().color("accent"), 1.5))
        painter.drawRoundedRect(QRectF(self.viewport().rect()).adjusted(1, 1, -1, -1), 4, 4)
        painter.restore()
