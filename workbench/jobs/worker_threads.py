"""Worker threads: what they may read, how they yield the interpreter, and who collects garbage.

A worker reads the frozen values that its job was given: data sets, results, settings of learners, copies made when the
job started. It never reads the session, its costs and decisions, a widget or a model of Qt: these change meanwhile. A
guard in the tests of the window raises where a worker does.

Python collects garbage in whichever thread allocates. A worker that collected a widget would destroy it outside the
window's thread, and Qt would crash. So automatic collection is off while a window exists, and a timer of the window's
thread collects.
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
"""Added to the niceness of worker threads, on systems with a niceness per thread."""


def give_way() -> None:
    """Release the interpreter to the window; called every few milliseconds by workers in plain Python."""
    _NOTHING.wait(BREATH_SECONDS)


def give_the_window_precedence() -> None:
    """In a worker thread: give the window's thread precedence on a busy core; only Linux has this per thread."""
    if sys.platform == "linux":
        with suppress(OSError):
            window = os.getpriority(os.PRIO_PROCESS, os.getpid())
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), window + NICENESS)


LOOK_MS: Final = 200
YOUNG: Final = 5000
"""Net number of new containers that triggers a collection of the youngest generation."""
MIDDLE: Final = 10
"""Collections of a generation per collection of the next older one."""
SHARE: Final = 0.01
"""Largest share of time spent in full collections, which block the window."""


class GarbageCollector(QObject):
    """Collects garbage in its own thread; automatic collection is off from :meth:`begin` on."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._young = 0
        self._middle = 0
        self._not_before = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(LOOK_MS)
        self._timer.timeout.connect(self.look)

    def begin(self) -> None:
        """Exclude all present objects from collection, and start."""
        gc.disable()
        gc.freeze()
        self._timer.start()

    def look(self) -> None:
        """Collect the generations that are due."""
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
        start = time.monotonic()
        gc.collect()
        end = time.monotonic()
        self._not_before = end + (end - start) / SHARE
