"""Fields to type into."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QLineEdit, QWidget

from workbench.parts.buttons import icon
from workbench.theme import themes


class SearchField(QLineEdit):
    """A line to search with: a magnifying glass, words that say what is searched, and a cross to clear it."""

    def __init__(self, placeholder: str, name: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(placeholder.rstrip("."))
        self.setObjectName(name)
        self.setClearButtonEnabled(True)
        self._glass = QAction(self)
        self.addAction(self._glass, QLineEdit.ActionPosition.LeadingPosition)
        themes.changed.connect(self._dress)
        self._dress()

    def _dress(self) -> None:
        self._glass.setIcon(icon("search", themes.current.color("dim")))
