"""Visibility of a widget whatever contains it, and keys that lead from place to place."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget


def is_taken_away(widget: QWidget) -> bool:
    """Whether it was hidden on purpose, rather than not shown yet."""
    return widget.isHidden() and widget.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide)


def set_there(widget: QWidget, wanted: bool) -> None:
    """Take it away or let it be there. What is there already is left alone: to show what stands in something hidden
    would dress and measure it before anybody sees it."""
    if wanted is is_taken_away(widget):
        widget.setVisible(wanted)


def stepped(event: QKeyEvent, at: int, last: int, back: Qt.Key, forth: Qt.Key) -> int | None:
    """Where a key leads from ``at`` among the places 0 to ``last`` (-1 where there is none); None for any other key."""
    first = min(0, last)
    places = {back: max(first, at - 1), forth: min(last, at + 1), Qt.Key.Key_Home: first, Qt.Key.Key_End: last}
    return places.get(Qt.Key(event.key()))
