"""What the tabs need is imported in a thread while the welcome page stands, so that no import stalls the window."""

from __future__ import annotations

import importlib
import sys
import threading
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

FIRST: Final = "workbench.preprocess.tab"
"""What a table that is opened is shown in."""
MODULES: Final = (
    "pyqtgraph",
    "algorithms.entries",
    "workbench.facts",
    FIRST,
    "workbench.classify.tab",
    "workbench.classify.ledger",
    "workbench.evaluate.tab",
    "workbench.visualize.tab",
    "workbench.views.structures",
    "workbench.visualize.scatter_pane",
    "workbench.visualize.records",
    "workbench.visualize.matrix_pane",
    "workbench.visualize.parallel_pane",
    "algorithms.trees.why_leaf",
    "workbench.visualize.beside",
    "workbench.visualize.tree_stage",
    "workbench.visualize.pruning_replay",
    "workbench.visualize.hunt_panel",
    "algorithms.export.formats",
)


LOOK_MS: Final = 15


class WarmUp(QObject):
    """Imports :data:`MODULES` once; ``done`` comes in the window's thread.

    While it runs no other thread may import one of them: two threads inside one ring of imports see half a module.
    """

    done = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_running = False
        self._gives_way = threading.Event()
        self._imported = threading.Event()
        self._look = QTimer(self)
        self._look.setInterval(LOOK_MS)
        self._look.timeout.connect(self._see)

    def begin(self) -> None:
        self.is_running = True
        self._look.start()
        threading.Thread(target=self._import, name="coppice-warm-up").start()

    def give_way(self) -> None:
        """Somebody waits for a table: end once it can be shown. The rest is imported later, in small steps."""
        self._gives_way.set()

    def _import(self) -> None:
        try:
            for name in MODULES:
                if self._gives_way.is_set() and FIRST in sys.modules:
                    return
                importlib.import_module(name)
        finally:
            self._imported.set()

    def _see(self) -> None:
        if self._imported.is_set():
            self._look.stop()
            self._end()

    def _end(self) -> None:
        self.is_running = False
        self.done.emit()
