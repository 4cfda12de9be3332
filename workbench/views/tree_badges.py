"""Few words in a node's box: how steady it is, beside its records; that a person changed it, at its corner."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from workbench.views.tree_look import Look
from workbench.views.tree_marks import Marks

BY_HAND: Final = "by hand"
PILL_HEIGHT: Final = 16.0
PILL_AIR: Final = 10.0
BESIDE: Final = 6.0
"""Between a node's records and the pill beside them; like the others in units of the drawing."""
CLEAR: Final = 0.75
"""What that pill keeps from the upper and the lower end of its line, which the handle below nearly touches."""


def badge_room(badge: str, metrics: QFontMetricsF, scale: float) -> float:
    """How much of the line of a node's records its badge takes, in pixels; 0 where it has none."""
    return metrics.horizontalAdvance(badge) + (PILL_AIR + BESIDE) * scale if badge else 0.0


def beside_badge(line: QRectF, width: float, badge: str, metrics: QFontMetricsF, scale: float) -> tuple[QRectF, QRectF]:
    """Where words of this width and the badge after them stand, both together in the middle of the line.

    Within the box, so that it covers neither what stands at the branch above nor the handle below.
    """
    room = badge_room(badge, metrics, scale)
    left = line.center().x() - (width + room) / 2
    words = QRectF(left, line.top(), width, line.height())
    pill = QRectF(left + width + BESIDE * scale, line.top(), max(0.0, room - BESIDE * scale), line.height())
    return words, pill.adjusted(0, CLEAR * scale, 0, -CLEAR * scale)


def paint_by_hand(painter: QPainter, look: Look, box: QRectF, marks: Marks, node: int, scale: float) -> None:
    """A small pill at the lower right corner of a node that a person changed, in the painter's font.

    At the right end of the box and not beyond it: the rightmost box may stand at the edge of the picture.
    """
    if node in marks.by_hand:
        width = QFontMetricsF(painter.font()).horizontalAdvance(BY_HAND) + PILL_AIR * scale
        height = PILL_HEIGHT * scale
        paint_pill(painter, look, QRectF(box.right() - width, box.bottom() - height / 2, width, height), BY_HAND)


def paint_pill(painter: QPainter, look: Look, pill: QRectF, words: str) -> None:
    """Words in a small round frame."""
    painter.setPen(QPen(look.accent, 1))
    painter.setBrush(look.pane)
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2)
    painter.setPen(look.accent)
    painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, words)
