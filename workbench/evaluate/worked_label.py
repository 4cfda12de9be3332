"""A sentence with numbers in it that open to their workings, by mouse and by keys."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QWidget

from algorithms.core.scores import Working
from workbench.evaluate.numbers import Figure, in_words
from workbench.parts import WholeLabel
from workbench.theme import current_theme, themes

Part = str | Figure


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

    def workings(self) -> tuple[Working, ...]:
        """How the figure chosen last came about."""
        part = "" if self._chosen is None else self._parts[self._chosen]
        return part.workings if isinstance(part, Figure) else ()

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
        opens = any(isinstance(part, Figure) and part.workings for part in self._parts)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if opens else Qt.FocusPolicy.NoFocus)
        self.setText("".join(self._html(at, part) for at, part in enumerate(self._parts)))

    def _html(self, at: int, part: Part) -> str:
        if isinstance(part, str):
            return escape(part)
        if not part.workings:
            return escape(part.text)
        return f'<a href="{at}" style="color:{current_theme().text}">{escape(part.text)}</a>'
