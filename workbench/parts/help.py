"""A small window with a page of help."""

from __future__ import annotations

import re
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QTextBrowser, QVBoxLayout, QWidget

import resources
from workbench.theme import SPACE_4, themes


class HelpWindow(QDialog):
    """Shows one page of ``resources/help`` beside the window it belongs to."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent, Qt.WindowType.Tool)
        self.setObjectName("help.window")
        self.setWindowTitle("Help")
        self.resize(themes.px(620), themes.px(620))
        inside = QVBoxLayout(self)
        inside.setContentsMargins(SPACE_4, SPACE_4, SPACE_4, SPACE_4)
        self._page = QTextBrowser()
        self._page.setObjectName("help.page")
        self._page.setAccessibleName("Help")
        self._page.setOpenExternalLinks(True)
        inside.addWidget(self._page)
        QShortcut(QKeySequence("Esc"), self, self.close)

    def show_page(self, name: str) -> None:
        """Show ``resources/help/<name>.md``."""
        self.show_text((Path(resources.FOLDER) / "help" / f"{name}.md").read_text("utf-8"))

    def show_text(self, markdown: str) -> None:
        """Show a page that was made just now."""
        self._page.setMarkdown(markdown)
        self.show()
        self.raise_()
        self.activateWindow()


def as_plain_text(text: str) -> str:
    """The text as Markdown that shows every character as it is."""
    return re.sub(r"([\\`*_{}\[\]<>()#+\-.!|~&])", r"\\\1", text)
