"""What the tabs need is imported in a thread while the welcome page stands, so that no import stalls the window."""

from __future__ import annotations

import gc
import importlib
import threading
from contextlib import suppress
from typing import Final

from PySide6.QtCore import QObject, Qt, Signal

MODULES: Final = (
    "pyqtgraph",
    "workbench.preprocess.tab",
    "workbench.classify.tab",
    "workbench.classify.ledger",
    "workbench.evaluate.tab",
    "workbench.visualize.tab",
    "workbench.views.structures",
    "workbench.visualize.scatter_pane",
)


class WarmUp(QObject):
    """Imports :data:`MODULES` once; ``done`` comes in the window's thread.

    While it runs no other thread may import one of them: two threads inside one ring of imports see half a module.
    """

    done = Signal()
    _imported = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_running = False
        self._imported.connect(self._end, Qt.ConnectionType.QueuedConnection)

    def begin(self) -> None:
        self.is_running = True
        threading.Thread(target=self._import, name="coppice-warm-up").start()

    def _import(self) -> None:
        try:
            for name in MODULES:
                importlib.import_module(name)
        finally:
            with suppress(RuntimeError):  # the window was closed meanwhile, and this object with it
                self._imported.emit()

    def _end(self) -> None:
        self.is_running = False
        gc.freeze()  # hundreds of thousands of objects that are here to stay: collections skip them
        self.done.emit()
