"""A few sentences beside what they explain; they go at the next click or key."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from workbench.parts.labels import label
from workbench.theme import SPACE_3, SPACE_4, themes


class Popover(QFrame):
    """An explanation under the widget it belongs to; Ctrl+C copies it. ``html`` shows it in another dress."""

    def __init__(self, text: str, parent: QWidget, html: str = "") -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("part", "popover")
        self.setObjectName("popover")
        self.setAccessibleName(text)
        self._text = text
        words = label(html or text, wrap=True, rich=bool(html))
        words.setFixedWidth(themes.px(440 if html else 340))
        inside = QVBoxLayout(self)
        inside.setContentsMargins(SPACE_4, SPACE_3, SPACE_4, SPACE_3)
        inside.addWidget(words)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Control, Qt.Key.Key_Shift):
            return
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self._text)
        self.close()


def show_popover(text: str, beside: QWidget, html: str = "", place: QRect | None = None) -> Popover:
    """Show an explanation under ``beside``, or under a place in it, inside the screen.

    It belongs to the window: a child of a tinted chip would be written in the chip's colour.
    """
    popover = Popover(text, beside.window(), html)
    popover.adjustSize()
    under = beside.rect() if place is None else place
    at = beside.mapToGlobal(under.bottomLeft() + QPoint(0, 4))
    screen = beside.screen().availableGeometry()
    at.setX(max(screen.left(), min(at.x(), screen.right() - popover.width())))
    at.setY(max(screen.top(), min(at.y(), screen.bottom() - popover.height())))
    popover.move(at)
    popover.show()
    return popover
