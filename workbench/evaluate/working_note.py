"""The note below the panes: how the number chosen last came about, also while thresholds and costs change it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from algorithms.core.scores import Working
from workbench.evaluate.figure_table import FigureTable
from workbench.evaluate.worked_label import WorkedLabel
from workbench.parts import IconButton, label, plain_button
from workbench.parts.workings import workings_html, workings_text
from workbench.theme import SPACE_2, SPACE_3, current_theme, themes

HINT: Final = "Choose an underlined number to see how it comes about."


class WorkingNote(QFrame):
    """Follows the widgets whose numbers open; ``filled`` comes when there is a working now, or none any more."""

    filled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "note")
        self.setObjectName("evaluate.working")
        self.setAccessibleName("How the chosen number comes about")
        self._source: FigureTable | WorkedLabel | None = None
        self._workings: tuple[Working, ...] = ()
        self._words = label("", wrap=True, rich=True)
        self._words.setObjectName("evaluate.working.words")
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._copy = plain_button("Copy", "evaluate.working.copy", "Copy the formula with its numbers", self._copied)
        self._close = IconButton("close", "Close", "evaluate.working.close", self._closed, plain=True)
        inside = QHBoxLayout(self)
        inside.setContentsMargins(SPACE_3, SPACE_2, SPACE_3, SPACE_2)
        inside.addWidget(self._words, 1)
        for button in (self._copy, self._close):
            inside.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        themes.follow(self._show)
        self._show()

    def follow(self, sources: Sequence[FigureTable | WorkedLabel]) -> None:
        """Show the working of what is chosen in any of these."""
        for source in sources:
            source.opened.connect(partial(self._opened, source))

    @property
    def source(self) -> FigureTable | WorkedLabel | None:
        """The widget of which a number was chosen last."""
        return self._source

    @property
    def is_filled(self) -> bool:
        """Whether it shows a working, rather than how to come to one."""
        return bool(self._workings)

    def refresh(self) -> None:
        """The numbers have changed: show the working of the chosen one as it is now."""
        now = () if self._source is None else self._source.workings()
        if now != self._workings:
            was_filled, self._workings = self.is_filled, now
            self._show()
            if was_filled is not self.is_filled:
                self.filled.emit()

    def _opened(self, source: FigureTable | WorkedLabel) -> None:
        self._source = source
        self.refresh()

    def _closed(self) -> None:
        self._source = None
        self.refresh()

    def _copied(self) -> None:
        QGuiApplication.clipboard().setText(workings_text(self._workings))

    def _show(self) -> None:
        for button in (self._copy, self._close):
            button.setVisible(bool(self._workings))
        if self._workings:
            self._words.setText(workings_html(self._workings))
            self.setAccessibleDescription(workings_text(self._workings))
        else:
            self._words.setText(f'<span style="color:{current_theme().dim}">{HINT}</span>')
            self.setAccessibleDescription(HINT)
