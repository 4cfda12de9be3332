"""Few words at the upper corner of a node: that a person changed it, how steady its question is."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from workbench.views.tree_look import Look
from workbench.views.tree_marks import Marks

BY_HAND: Final = "by hand"


def badge_words(marks: Marks, node: int) -> str:
    """What stands at a node's corner; empty for most."""
    words = [BY_HAND] if node in marks.by_hand else []
    if node in marks.badges:
        words.append(marks.badges[node])
    return " · ".join(words)


def paint_badge(painter: QPainter, look: Look, box: QRectF, words: str, scale: float) -> None:
    """A small pill over the upper right corner of a node's box, in the painter's font."""
    if not words:
        return
    width = QFontMetricsF(painter.font()).horizontalAdvance(words) + 10 * scale
    pill = QRectF(box.right() - width + 8 * scale, box.top() - 8 * scale, width, 16 * scale)
    painter.setPen(QPen(look.accent, 1))
    painter.setBrush(look.pane)
    painter.drawRoundedRect(pill, 8 * scale, 8 * scale)
    painter.setPen(look.accent)
    painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, words)
