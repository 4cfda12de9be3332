"""Where the keyboard is: the order in which Tab leads on, and where it goes when what had it can have it no more."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import cast

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractScrollArea, QGridLayout, QLayout, QScrollArea, QWidget


def tab_in_order(*parts: QWidget) -> None:
    """Let Tab lead through everything in the parts, part after part, each as it is laid out."""
    for before, after in pairwise(widget for part in parts for widget in _focusable(part)):
        QWidget.setTabOrder(before, after)


def enable(widget: QWidget, wanted: bool, instead: QWidget) -> None:
    """Enable a widget or not; where it had the keyboard and can have it no more, that goes to ``instead`` nearby."""
    if not wanted and widget.hasFocus() and instead.isEnabled():
        instead.setFocus(Qt.FocusReason.OtherFocusReason)
    widget.setEnabled(wanted)


def first_view(within: QWidget) -> QWidget | None:
    """The leftmost of the pictures, tables and lists in view, of those the topmost; None where there is none."""
    found = (view for view in within.findChildren(QAbstractScrollArea) if not isinstance(view, QScrollArea))
    in_view = [view for view in found if view.isVisible() and view.focusPolicy() & Qt.FocusPolicy.TabFocus]
    corners = ((view.mapTo(within, QPoint()), view) for view in in_view)
    return min(corners, key=lambda placed: placed[0].toTuple(), default=(None, None))[1]


def _focusable(widget: QWidget) -> Iterator[QWidget]:
    if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.focusProxy() is None:
        yield widget
    inside = widget.widget() if isinstance(widget, QScrollArea) else None
    if inside is not None:
        yield from _focusable(inside)
    layout = widget.layout()
    if layout is not None:
        yield from _in_layout(layout)


def _in_layout(layout: QLayout) -> Iterator[QWidget]:
    for at in _places(layout):
        item = layout.itemAt(at)
        widget, inner = (item.widget(), item.layout()) if item is not None else (None, None)
        if widget is not None:
            yield from _focusable(widget)
        elif inner is not None:
            yield from _in_layout(inner)


def _places(layout: QLayout) -> Sequence[int]:
    """The numbers of its items in the order in which they are read; in a grid, what came late may stand above."""
    if not isinstance(layout, QGridLayout):
        return range(layout.count())
    rows = cast("Callable[[int], tuple[int, int, int, int]]", layout.getItemPosition)
    return sorted(range(layout.count()), key=rows)
