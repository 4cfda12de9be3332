"""A small window with a page of help."""

from __future__ import annotations

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
        self._page.setMarkdown((Path(resources.FOLDER) / "help" / f"{name}.md").read_text("utf-8"))
        self.show()
        self.raise_()
        self.activateWindow()
