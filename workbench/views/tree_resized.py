"""A view that came to quite another size may have room for another depth of the tree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, QSize, QTimer

AGAIN_MS: Final = 150
REDONE: Final = 0.12
"""A view that changed by this share of its size may have room for another depth."""


class Resized(QObject):
    """Calls ``again`` once a view that is resized has rested, where its size is quite another than at the last plan."""

    def __init__(self, size: Callable[[], QSize], again: Callable[[], None], parent: QObject) -> None:
        super().__init__(parent)
        self._size, self._again = size, again
        self._planned = QSize()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(AGAIN_MS)
        self._timer.timeout.connect(self._rested)

    def plan(self) -> QSize:
        """The size now, for which a depth is chosen."""
        self._planned = self._size()
        return self._planned

    def begin(self) -> None:
        """The view is being resized."""
        self._timer.start()

    def _rested(self) -> None:
        before, now = self._planned, self._size()
        sides = ((now.width(), before.width()), (now.height(), before.height()))
        if any(abs(is_now - was) > REDONE * was for is_now, was in sides):
            self._again()
