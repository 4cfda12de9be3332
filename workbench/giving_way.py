"""How workers leave the interpreter to the window's thread."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress
from typing import Final

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
