"""Worker threads: how they yield the interpreter, and garbage collected in the window's thread alone.

Python collects in whichever thread happens to allocate. A worker that comes upon a forgotten widget or timer would
take it down in a thread that is not its own, which Qt answers with a crash. So the automatic collection is off while
there is a window, and a timer of the window's thread does its work.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from contextlib import suppress
from typing import Final

from PySide6.QtCore import QObject, QTimer

_NOTHING: Final = threading.Event()
BREATH_SECONDS: Final = 0.004
NICENESS: Final = 4
"""How much less urgent the working threads are than the window's, where the system has that for each thread."""


def give_way() -> None:
    """In a worker with plain Python to do, every few milliseconds: let the window's thread have the interpreter.

    That thread takes it hundreds of times to paint once, and would wait for a switch each time.
    """
    _NOTHING.wait(BREATH_SECONDS)


def give_the_window_precedence() -> None:
    """In a working thread: the window's thread goes first where both want a core. Linux alone has it by threads."""
    if sys.platform == "linux":
        with suppress(OSError):
            window = os.getpriority(os.PRIO_PROCESS, os.getpid())
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), window + NICENESS)


LOOK_MS: Final = 200
YOUNG: Final = 5000
"""So many new containers, those that are gone again taken off, are worth a collection of the young."""
MIDDLE: Final = 10
"""Collections of the young for one of the middle generation, and of the middle one for one of everything."""
SHARE: Final = 0.01
"""Of the time at most this share goes into collections of everything: each holds the window for as long as it takes."""


class GarbageCollector(QObject):
    """Collects in the thread it lives in; automatic collections of the process are off from :meth:`begin` on."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._young = 0
        self._middle = 0
        self._not_before = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.look)

    def begin(self) -> None:
        """Count all that is there as here to stay, without looking at it, and go on from now."""
        gc.disable()
        gc.freeze()
        self._timer.start()

    def look(self) -> None:
        """Collect as much as has become worth it."""
        if gc.get_count()[0] < YOUNG:
            return
        if self._young < MIDDLE:
            gc.collect(0)
            self._young += 1
            return
        self._young = 0
        if self._middle < MIDDLE or time.monotonic() < self._not_before:
            gc.collect(1)
            self._middle += 1
            return
        self._middle = 0
        begun = time.monotonic()
        gc.collect()
        ended = time.monotonic()
        self._not_before = ended + (ended - begun) / SHARE
