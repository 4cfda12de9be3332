"""What the painted views of a committee's members have in common: one is chosen, and can be opened."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QPoint, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QToolTip, QWidget

from workbench.style.theme import themes

FAR: Final = 10**9
"""More members than there are."""


class MemberCanvas(QWidget):
    """A view in which a click or the arrow keys choose a member; a double click or Enter opens it.

    ``opened`` and ``moved`` tell its number. Those who paint say which member is at a point, what changes with the
    choice, and how far each key leads.
    """

    opened = Signal(int)
    moved = Signal(int)

    def __init__(self, name: str, title: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.chosen = 0
        themes.follow(self.measured)

    @property
    def n_shown(self) -> int:
        """How many members there are."""
        return 0

    def choose(self, at: int) -> None:
        """Go to a member, or as near as there are any."""
        if self.n_shown:
            self.chosen = min(max(0, at), self.n_shown - 1)
            self.changed()
            self.moved.emit(self.chosen)

    def measured(self) -> None:
        """Take as much room as is needed."""

    def changed(self) -> None:
        """Another member is chosen."""

    def at(self, point: QPoint) -> int:
        """The member at a point, -1 for none."""
        return -1

    def tip(self, point: QPoint) -> str:
        """What is told of a point while the mouse rests there."""
        return ""

    def steps(self) -> dict[Qt.Key, int]:
        """How far each key leads, besides those to the first and the last."""
        return {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}

    def mousePressEvent(self, event: QMouseEvent) -> None:
        found = self.at(event.position().toPoint())
        if found >= 0:
            self.choose(found)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.n_shown and self.at(event.position().toPoint()) == self.chosen:
            self.opened.emit(self.chosen)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, steps = Qt.Key(event.key()), {Qt.Key.Key_Home: -FAR, Qt.Key.Key_End: FAR} | self.steps()
        if key in steps:
            self.choose(self.chosen + steps[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.n_shown:
            self.opened.emit(self.chosen)
        else:
            super().keyPressEvent(event)

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            QToolTip.showText(event.globalPos(), self.tip(event.pos()), self)
            return True
        return super().event(event)

    @staticmethod
    def write(
        painter: QPainter, color: QColor, text: str, box: QRectF, *, left: bool = False, bold: bool = False
    ) -> None:
        """Write a line into a box, shortened in its middle where it is too long."""
        painter.setFont(themes.font(12, bold=bold))
        painter.setPen(color)
        fits = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideMiddle, box.width())
        side = Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignHCenter
        painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter, fits)
