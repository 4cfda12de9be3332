"""Keys that lead from one place to the next."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent


def stepped(event: QKeyEvent, at: int, last: int, back: Qt.Key, forth: Qt.Key) -> int | None:
    """Where a key leads from ``at`` among the places 0 to ``last`` (-1 where there is none); None for any other key."""
    first = min(0, last)
    places = {back: max(first, at - 1), forth: min(last, at + 1), Qt.Key.Key_Home: first, Qt.Key.Key_End: last}
    return places.get(Qt.Key(event.key()))
