"""Crash reports: errors logged and shown in a dialog, and the program ended on a signal."""

from __future__ import annotations

import logging
import os
import platform
import signal
import socket
import sys
import threading
import time
import traceback
from contextlib import suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import Any, Final, NoReturn

from PySide6.QtCore import (
    QCoreApplication,
    QMessageLogContext,
    QMetaObject,
    QObject,
    Qt,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
    qVersion,
)
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QDialog, QPlainTextEdit, QWidget

from algorithms.core.files import PRIVATE
from workbench.style.theme import SPACE_3, SPACE_4
from workbench.widgets.buttons import accent_button, quiet_button
from workbench.widgets.labels import label
from workbench.widgets.layouts import column_layout, named, row_layout

LOG_NAME: Final = "coppice.log"
LOG_BYTES: Final = 1_000_000
_log = logging.getLogger("coppice")

_LEVELS: Final = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}


class CrashDialog(QDialog):
    """Shows a trace that the user can copy."""

    def __init__(self, trace: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("crash")
        self.setWindowTitle("Something went wrong")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(680, 380)
        self._trace = named(QPlainTextEdit(trace), "crash.trace", "What happened")
        self._trace.setReadOnly(True)
        copy = quiet_button("Copy", "crash.copy", "Copy these lines", self._copy)
        column_layout(
            label("Something went wrong in the program. Nothing is lost.", "heading"),
            label("You can go on. If you report it, these lines tell what happened:", "dim", wrap=True),
            (self._trace, 1),
            row_layout(1, copy, accent_button("Go on", "crash.close", "", self.close)),
            inside=self,
            spacing=SPACE_3,
            margins=SPACE_4,
        )

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._trace.toPlainText())

    def add(self, trace: str) -> None:
        if self._trace.blockCount() < 2000:
            self._trace.appendPlainText(f"\n{trace}")


class CrashFunnel(QObject):
    """Logs and shows unexpected exceptions of all threads, and logs messages of Qt."""

    happened = Signal(str)
    """The trace; emitted in the window's thread."""
    _caught = Signal(str)

    def __init__(self, folder: Path | None) -> None:
        super().__init__()
        self._handler = _log_to(folder)
        self._dialog: CrashDialog | None = None
        self._caught.connect(self._show, Qt.ConnectionType.QueuedConnection)
        self._before: tuple[Any, Any, Any] | None = None

    def install(self) -> None:
        self._before = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        sys.excepthook = self._excepthook
        threading.excepthook = lambda args: self._excepthook(
            args.exc_type, args.exc_value or args.exc_type(), args.exc_traceback
        )
        sys.unraisablehook = self._unraisable
        qInstallMessageHandler(self._qt_says)

    def uninstall(self) -> None:
        if self._before is not None:
            sys.excepthook, threading.excepthook, sys.unraisablehook = self._before
            self._before = None
            qInstallMessageHandler(None)
        if self._handler is not None:
            logging.getLogger().removeHandler(self._handler)
            self._handler.close()
            self._handler = None

    def report(self, error: object) -> None:
        """Show an exception that was logged elsewhere."""
        if isinstance(error, BaseException):
            self._caught.emit("".join(traceback.format_exception(error)))

    def _excepthook(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt | SystemExit):
            QApplication.quit()
            return
        text = "".join(traceback.format_exception(kind, error, trace))
        _log.error("unexpected\n%s", text)
        self._caught.emit(text)

    def _unraisable(self, unraisable: sys.UnraisableHookArgs) -> None:
        error = unraisable.exc_value
        text = "".join(traceback.format_exception(unraisable.exc_type, error, unraisable.exc_traceback))
        _log.error("unexpected, in a place that cannot raise: %s\n%s", unraisable.err_msg, text)
        self._caught.emit(text)

    def _qt_says(self, level: QtMsgType, _context: QMessageLogContext, text: str) -> None:
        _log.log(_LEVELS.get(level, logging.WARNING), "Qt: %s", text)

    def _show(self, trace: str) -> None:
        self.happened.emit(trace)
        if self._dialog is not None:
            self._dialog.add(trace)
            return
        window = QApplication.activeWindow()
        self._dialog = CrashDialog(f"{about_this_machine()}\n\n{trace}", window)
        self._dialog.destroyed.connect(self._closed)
        self._dialog.show()

    def _closed(self) -> None:
        self._dialog = None


def about_this_machine() -> str:
    return f"Coppice on Python {platform.python_version()}, Qt {qVersion()}, {platform.platform()}"


class _PrivateLog(RotatingFileHandler):
    """A log readable by its owner only, as it names files, columns and values."""

    def _open(self) -> TextIOWrapper:
        with suppress(OSError):
            Path(self.baseFilename).chmod(PRIVATE)
        return open(  # type: ignore[return-value]  # text, as its mode says; the handler closes it
            self.baseFilename,
            self.mode,
            encoding=self.encoding,
            errors=self.errors,
            opener=lambda path, flags: os.open(path, flags, PRIVATE),
        )


def _log_to(folder: Path | None) -> RotatingFileHandler | None:
    if folder is None:
        return None
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handler = _PrivateLog(folder / LOG_NAME, maxBytes=LOG_BYTES, backupCount=1, encoding="utf-8", delay=True)
    except OSError:
        return None
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    logging.getLogger().addHandler(handler)
    return handler


ENDING: Final = (signal.SIGINT, signal.SIGTERM)
SECONDS: Final = 10.0
"""Time for an orderly end after a signal."""


def end_on_signals(app: QCoreApplication, seconds: float = SECONDS) -> None:
    """Quit the application on SIGINT or SIGTERM, and end the process if it does not quit in time.

    A separate thread receives the signal by a socket, as the window's thread may be in Qt's event loop or hang. Unsaved
    work is in the journal, which the next start restores.
    """
    reader, writer = socket.socketpair()
    writer.setblocking(False)
    for wanted in ENDING:
        signal.signal(wanted, lambda *_: None)
    signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_end, args=(app, reader, writer, seconds), name="coppice-ending", daemon=True).start()


def _end(app: QCoreApplication, reader: socket.socket, writer: socket.socket, seconds: float) -> None:
    """``writer`` is held so that it stays open while signals write to it."""
    received = reader.recv(1)
    while received and received[0] not in ENDING:
        received = reader.recv(1)
    QMetaObject.invokeMethod(app, "quit", Qt.ConnectionType.QueuedConnection)
    time.sleep(seconds)
    end_now(128 + (received[0] if received else 0))


def end_now(code: int) -> NoReturn:
    """End the process without waiting for threads that do not stop."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)
