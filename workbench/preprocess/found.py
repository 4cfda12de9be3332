"""What a step of the recipe learned, as a table beside its card."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from workbench.parts import label
from workbench.parts.text_table import TextTable
from workbench.theme import SPACE_2, SPACE_3, themes

WIDTH: Final = 560
HEIGHT: Final = 380
NAMES: Final = 190


class FoundPopover(QFrame):
    """The table with a line above it; Ctrl+C copies it, Esc closes it."""

    def __init__(self, name: str, rows: Sequence[Sequence[str]], parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("part", "popover")
        self.setObjectName("preprocess.found")
        self.setAccessibleName(f"What {name} found")
        column = QVBoxLayout(self)
        column.setContentsMargins(SPACE_3, SPACE_3, SPACE_3, SPACE_3)
        column.setSpacing(SPACE_2)
        column.addWidget(label(f"{name}: found from all records. Each fold finds its own. Ctrl+C copies.", "small"))
        self.table = TextTable("preprocess.found.table", f"What {name} found", least_words=NAMES)
        self.table.show_rows(rows)
        column.addWidget(self.table, 1)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)


def show_found(name: str, rows: Sequence[Sequence[str]], beside: QWidget) -> FoundPopover:
    """Show the table under the widget, inside the screen, ready for the keyboard."""
    popover = FoundPopover(name, rows, beside)
    screen = beside.screen().availableGeometry()
    popover.resize(min(themes.px(WIDTH), screen.width()), min(themes.px(HEIGHT), screen.height()))
    at = beside.mapToGlobal(beside.rect().bottomLeft() + QPoint(0, 4))
    at.setX(max(screen.left(), min(at.x(), screen.right() - popover.width())))
    at.setY(max(screen.top(), min(at.y(), screen.bottom() - popover.height())))
    popover.move(at)
    popover.show()
    popover.table.setFocus(Qt.FocusReason.PopupFocusReason)
    return popover
