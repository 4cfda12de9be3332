"""Note below the panes with the formula of the last chosen figure."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QGuiApplication
from PySide6.QtWidgets import QFrame, QWidget

from algorithms.core.scores import FormulaWorking
from workbench.style.theme import SPACE_2, SPACE_3, current_theme, themes
from workbench.tabs.evaluate.figure_table import FigureTable
from workbench.tabs.evaluate.numbers import MetricFigure, in_words
from workbench.widgets.buttons import IconButton, plain_button
from workbench.widgets.labels import WholeLabel, label
from workbench.widgets.layouts import named, row_layout
from workbench.widgets.popover import workings_html, workings_text

Part = str | MetricFigure


class WorkedLabel(WholeLabel):
    """A sentence with underlined figures; ``opened`` reports a chosen one (see :meth:`workings`)."""

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
        """The sentence without links."""
        return in_words(self._parts)

    def show_parts(self, parts: Sequence[Part]) -> None:
        """Shows words and figures."""
        if tuple(parts) == self._parts:
            return
        if len(parts) != len(self._parts):
            self._chosen = None
        self._parts = tuple(parts)
        self._write()

    def workings(self) -> tuple[FormulaWorking, ...]:
        """Formulas of the chosen figure."""
        part = "" if self._chosen is None else self._parts[self._chosen]
        return part.workings if isinstance(part, MetricFigure) else ()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tab moves to a figure directly, not to the sentence first."""
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
        self.setText("".join(self._html(index, part) for index, part in enumerate(self._parts)))

    def _html(self, index: int, part: Part) -> str:
        if isinstance(part, str):
            return escape(part)
        if not part.workings:
            return escape(part.text)
        return f'<a href="{index}" style="color:{current_theme().text}">{escape(part.text)}</a>'


HINT: Final = "Choose an underlined number to see how it comes about."


class WorkingNote(QFrame):
    """Follows widgets with figures; ``filled`` reports whether there is a formula."""

    filled = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "note")
        named(self, "evaluate.working", "How the chosen number comes about")
        self.source: FigureTable | WorkedLabel | None = None
        """The widget with the last chosen figure."""
        self._workings: tuple[FormulaWorking, ...] = ()
        self._words = named(label("", wrap=True, rich=True), "evaluate.working.words")
        self._words.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._copy = plain_button("Copy", "evaluate.working.copy", "Copy the formula with its numbers", self._copied)
        self._close = IconButton("close", "Close", "evaluate.working.close", self._closed, plain=True)
        row_layout(
            (self._words, 1),
            (self._copy, 0, Qt.AlignmentFlag.AlignTop),
            (self._close, 0, Qt.AlignmentFlag.AlignTop),
            inside=self,
            margins=(SPACE_3, SPACE_2, SPACE_3, SPACE_2),
        )
        themes.follow_now(self._show)

    def follow(self, sources: Sequence[FigureTable | WorkedLabel]) -> None:
        """Shows the formulas chosen in these widgets."""
        for source in sources:
            source.opened.connect(partial(self._opened, source))

    @property
    def is_filled(self) -> bool:
        """Whether it shows a formula, not the hint."""
        return bool(self._workings)

    def refresh(self) -> None:
        """Shows the formula with its current values."""
        now = () if self.source is None else self.source.workings()
        if now != self._workings:
            was_filled, self._workings = self.is_filled, now
            self._show()
            if was_filled is not self.is_filled:
                self.filled.emit()

    def _opened(self, source: FigureTable | WorkedLabel) -> None:
        self.source = source
        self.refresh()

    def _closed(self) -> None:
        self.source = None
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
