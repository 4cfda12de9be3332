"""The line that says that only some records are listed, those that were selected, and the ways back."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from workbench.parts import ElidedLabel, accent_button, quiet_button
from workbench.theme import SPACE_1, SPACE_2, SPACE_3
from workbench.wording import counted

EXPORT: Final = "Export these records..."
EXPORT_HELP: Final = "Write the records listed here, in this order, with what the run in view said of them"


class ListedBar(QFrame):
    """Over the records while only some are listed; asks for all of them, for a file of them, or for the attributes
    that made room."""

    all_asked = Signal()
    room_asked = Signal()
    export_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preprocess.records.listed")
        self.setProperty("part", "chip")
        self.setProperty("tone", "accent")
        self._words = ElidedLabel()
        self._words.setObjectName("preprocess.records.listed.words")
        self._words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.room = quiet_button(
            "Show the attributes",
            "preprocess.records.show-attributes",
            "Bring back the attributes that made room for this list",
            self.room_asked.emit,
        )
        self.export = quiet_button(EXPORT, "preprocess.records.listed.export", EXPORT_HELP, self.export_asked.emit)
        self.all = accent_button(
            "Show all records", "preprocess.records.show-all", "List every record again", self.all_asked.emit
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE_3, SPACE_1, SPACE_1, SPACE_1)
        row.setSpacing(SPACE_2)
        row.addWidget(self._words, 1)
        row.addWidget(self.export)
        row.addWidget(self.room)
        row.addWidget(self.all)
        self.hide()

    def say(self, n_listed: int, n_all: int, by: str, n_selected: int) -> None:
        """Say which records are listed: ``by`` what they were selected, and whether any is selected now."""
        selected = "those that were selected" if n_selected else "no more selected; they were"
        words = f"Only {n_listed:,} of {counted(n_all, 'record')} listed, {selected}"
        words += f" by {by}" if by else ""
        few = f"Only {n_listed:,} of {counted(n_all, 'record')} listed"
        self._words.set_wordings(words, *([f"{few}: {by}", f"{n_listed:,} of {n_all:,}: {by}"] if by else []), few)
        self.setAccessibleName(words)
        self.all.setText(f"Show all {n_all:,} records")
        self.all.setAccessibleName(self.all.text())
