"""Every text that a person reads in a window: of widgets and cells, painted ones, messages, and jobs at work."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QWidget

from algorithms.core.run_control import RunContext
from tests.pages.inspection import texts_of
from tests.recording.pictures import at_rest
from workbench.app.main_window import MainWindow


class TextsOfWindow:
    """Collects what a window writes from now on: what is painted, and what jobs say while they are at work."""

    def __init__(self, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
        self._window, self._written = window, set[str]()
        draw_text, say = QPainter.drawText, RunContext.say

        def drawn(painter: QPainter, *arguments: Any) -> Any:
            self._written.update(text for text in arguments if isinstance(text, str))
            return draw_text(painter, *arguments)

        def heard(context: RunContext, message: str, is_waiting: bool = False) -> None:
            self._written.add(message)
            say(context, message, is_waiting)

        monkeypatch.setattr(QPainter, "drawText", drawn)
        monkeypatch.setattr(RunContext, "say", heard)

    def lines(self) -> set[str]:
        """The lines in view once the window is at rest, and what was written since it was last asked for them."""
        at_rest(self._window, still=2)
        session, written = self._window.session, self._written.copy()
        self._written.clear()
        in_view = [part for part in self._window.findChildren(QWidget) if not part.visibleRegion().isEmpty()]
        texts = {text for part in in_view for text in texts_of(part)}
        return {
            line
            for text in (*texts, *written, *(message.text for message in session.messages.history))
            for line in text.splitlines()
        }
