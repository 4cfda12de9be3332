"""A few sentences beside what they explain; they go at the next click or key."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from workbench.parts.labels import label
from workbench.theme import SPACE_3, SPACE_4, themes


class Popover(QFrame):
    """An explanation under the widget it belongs to."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("part", "popover")
        self.setObjectName("popover")
        self.setAccessibleName(text)
        words = label(text, wrap=True)
        words.setFixedWidth(themes.px(340))
        inside = QVBoxLayout(self)
        inside.setContentsMargins(SPACE_4, SPACE_3, SPACE_4, SPACE_3)
        inside.addWidget(words)

    def keyPressEvent(self, _event: QKeyEvent) -> None:
        self.close()


def show_popover(text: str, beside: QWidget) -> Popover:
    """Show an explanation under ``beside``, inside the screen."""
    popover = Popover(text, beside)
    popover.adjustSize()
    at = beside.mapToGlobal(QPoint(0, beside.height() + 4))
    screen = beside.screen().availableGeometry()
    at.setX(max(screen.left(), min(at.x(), screen.right() - popover.width())))
    at.setY(max(screen.top(), min(at.y(), screen.bottom() - popover.height())))
    popover.move(at)
    popover.show()
    return popover
