"""The frame around a plot that has the keyboard."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QGraphicsView

from workbench.theme import current_theme


def paint_focus_frame(view: QGraphicsView, painter: QPainter) -> None:
    """Paint a thin frame where the view has the focus; to be called while its foreground is painted."""
    if not view.hasFocus():
        return
    painter.save()
    painter.resetTransform()
    painter.setPen(QPen(current_theme().color("accent"), 1.5))
    painter.drawRoundedRect(QRectF(view.viewport().rect()).adjusted(1, 1, -1, -1), 4, 4)
    painter.restore()
