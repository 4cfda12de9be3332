"""What waits until the window is painted: imports, and the first compilation with its note."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QWidget

from algorithms.compiled.ahead_of_time import is_compiling, preparing_words, start_compiling
from algorithms.core.context import RunContext

if TYPE_CHECKING:
    from workbench.jobs.jobs import Jobs

AT_LATEST_MS: Final = 2000
"""A window that starts minimised is not painted; what waits for it goes on all the same."""


class AfterFirstPaint(QObject):
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


LOOK_MS: Final = 500


class CompilingNote(QObject):
    """Starts the compiling process where it is needed, and ``show``s a line until it is done (then an empty one).

    Whether it is needed hangs on every source of a compiled loop: a job reads them, so that the window never waits.
    """

    def __init__(self, jobs: Jobs, show: Callable[[str], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._show = show
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self._look)

    def begin(self) -> None:
        self._jobs.start("", _start, on_done=self._tell)

    def _tell(self, is_compiling: bool) -> None:
        if is_compiling:
            self._timer.start()
            self._look()

    def _look(self) -> None:
        is_going_on = is_compiling()
        self._show(preparing_words() if is_going_on else "")
        if not is_going_on:
            self._timer.stop()


def _start(_context: RunContext) -> bool:
    return start_compiling()
