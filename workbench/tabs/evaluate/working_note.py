"""The note below the panes: how the number chosen last came about, also while thresholds and costs change it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QWidget

from algorithms.core.scores import FormulaWorking
from workbench.style.theme import SPACE_2, SPACE_3, current_theme, themes
from workbench.tabs.evaluate.figure_table import FigureTable
from workbench.tabs.evaluate.numbers import MetricFigure, in_words
from workbench.widgets.buttons import IconButton, plain_button
from workbench.widgets.labels import WholeLabel, label
from workbench.widgets.popover import workings_html, workings_text

Part = str | MetricFigure


class WorkedLabel(WholeLabel):
    """``opened`` comes when one of its underlined figures is chosen (see :meth:`workings`)."""

    opened = Signal()

    def __init__(self, name: str, part: str = "", parent: QWidget | None = None) -> None:
        super().__init__("", part, parent)
        self.setObjectName(name)
        self._parts: tuple[Part, ...] = ()
        self._chosen: int | None = None
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.linkActivated.connect(self._choose)
        themes.follow(self._write)

    @property
    def plain(self) -> str:
        """The sentence without its links."""
        return in_words(self._parts)

    def show_parts(self, parts: Sequence[Part]) -> None:
        """Show words and figures."""
        if tuple(parts) == self._parts:
            return
        if len(parts) != len(self._parts):
            self._chosen = None
        self._parts = tuple(parts)
        self._write()

    def workings(self) -> tuple[FormulaWorking, ...]:
        """How the figure chosen last came about."""
        part = "" if self._chosen is None else self._parts[self._chosen]
        return part.workings if isinstance(part, MetricFigure) else ()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Come with Tab to a figure at once, not to the sentence around it first."""
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            super().focusNextPrevChild(event.reason() is Qt.FocusReason.TabFocusReason)

    def _choose(self, link: str) -> None:
        self._chosen = int(link)
        self.opened.emit()

    def _write(self) -> None:
        self.setAccessibleName(self.plain)
        opens = any(isinstance(part, MetricFigure) and part.workings for part in self._parts)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if opens else Qt.FocusPolicy.NoFocus)
        self.setText("".join(self._html(at, part) for at, part in enumerate(self._parts)))

    def _html(self, at: int, part: Part) -> str:
        if isinstance(part, str):
            return escape(part)
        if not part.workings:
            return escape(part.text)
        return f'<a href="{at}" style="color:{current_theme().text}">{escape(part.text)}</a>'


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
        self._workings: tuple[FormulaWorking, ...] = ()
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
