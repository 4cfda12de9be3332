"""Ending the program on a signal, whatever its threads are doing."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from typing import Final, NoReturn

from PySide6.QtCore import QCoreApplication, QMetaObject, Qt

ENDING: Final = (signal.SIGINT, signal.SIGTERM)
SECONDS: Final = 10.0
"""So long the window has to end in good order after a signal."""


def end_on_signals(app: QCoreApplication, seconds: float = SECONDS) -> None:
    """Quit the application on an interrupt or a request to end; end the process where it does not follow.

    A thread of its own hears the signal by a socket: the window's thread may be in a loop of Qt, or hang. What is not
    saved is in the journal, which comes back at the next start.
    """
    heard, told = socket.socketpair()
    told.setblocking(False)
    for wanted in ENDING:
        signal.signal(wanted, lambda *_: None)
    signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_end, args=(app, heard, told, seconds), name="coppice-ending", daemon=True).start()


def _end(app: QCoreApplication, heard: socket.socket, told: socket.socket, seconds: float) -> None:
    """``told`` is held, so that it is not closed while signals write to it."""
    received = heard.recv(1)
    while received and received[0] not in ENDING:
        received = heard.recv(1)
    QMetaObject.invokeMethod(app, "quit", Qt.ConnectionType.QueuedConnection)
    time.sleep(seconds)
    end_now(128 + (received[0] if received else 0))


def end_now(code: int) -> NoReturn:
    """End the process without waiting for threads that do not stop."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)
