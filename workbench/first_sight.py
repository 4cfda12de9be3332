"""The moment from which a person sees the window: what can wait until then does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

AT_LATEST_MS: Final = 2000
"""A window that starts minimised is not painted; what waits for it goes on all the same."""


class FirstSight(QObject):
    """Calls ``then`` once, in a turn of its own: after the window was first painted, or at :data:`AT_LATEST_MS`."""

    def __init__(self, window: QWidget, then: Callable[[], None]) -> None:
        super().__init__(window)
        self._window = window
        self._then = then
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._go_on)
        self._timer.start(AT_LATEST_MS)
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Let the event pass; the first painting starts what waits for it."""
        if event.type() == QEvent.Type.Paint:
            self._window.removeEventFilter(self)
            self._timer.start(0)
        return False

    def _go_on(self) -> None:
        self._window.removeEventFilter(self)
        self._then()
        self.deleteLater()
