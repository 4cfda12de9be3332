"""Few words at the corners of a node: that a person changed it, how steady its question is."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from workbench.views.tree_look import Look
from workbench.views.tree_marks import Marks

BY_HAND: Final = "by hand"
RAISED: Final = 3.0
"""So far above the upper edge stands the middle of a pill, clear of the name below it; in units of the drawing."""


def paint_badges(painter: QPainter, look: Look, box: QRectF, marks: Marks, node: int, scale: float) -> None:
    """Small pills at the right corners of a node's box, in the painter's font: below what was done, above the rest."""
    if node in marks.by_hand:
        _pill(painter, look, box, box.bottom(), BY_HAND, scale)
    if node in marks.badges:
        _pill(painter, look, box, box.top() - RAISED * scale, marks.badges[node], scale)


def _pill(painter: QPainter, look: Look, box: QRectF, middle: float, words: str, scale: float) -> None:
    """At the right end of the box and not beyond it: the rightmost box may stand at the edge of the picture."""
    width = QFontMetricsF(painter.font()).horizontalAdvance(words) + 10 * scale
    pill = QRectF(box.right() - width, middle - 8 * scale, width, 16 * scale)
    painter.setPen(QPen(look.accent, 1))
    painter.setBrush(look.pane)
    painter.drawRoundedRect(pill, 8 * scale, 8 * scale)
    painter.setPen(look.accent)
    painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, words)
