"""After an install the compiled loops are made once, beside the window; a line at the bottom says how far that is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer

from algorithms.core.compiling import is_compiling, preparing_words, start_compiling
from algorithms.core.context import RunContext

if TYPE_CHECKING:
    from workbench.jobs import Jobs

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
