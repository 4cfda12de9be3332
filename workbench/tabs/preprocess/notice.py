"""A sentence in place about what could not be done, with its remedy, until it is closed or done."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from algorithms.core.errors import CoppiceError
from workbench.widgets.buttons import IconButton
from workbench.widgets.labels import label


class NoticeBar(QFrame):
    """Hidden until there is something to say."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setProperty("part", "chip")
        self.setProperty("tone", "bad")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        self._text = label("", wrap=True)
        row.addWidget(self._text, 1)
        row.addWidget(IconButton("close", "Close", f"{name}.close", self.hide, plain=True))
        self.hide()

    @property
    def text(self) -> str:
        return self._text.text()

    def show_error(self, error: CoppiceError) -> None:
        """Show the sentence and the remedy."""
        self._text.setText(f"{error.sentence} {error.remedy}".strip())
        self.setAccessibleName(self._text.text())
        self.show()
