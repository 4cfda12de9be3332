"""The order in which Tab leads through widgets: the one in which they are laid out, whenever each was made."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLayout, QScrollArea, QWidget


def tab_in_order(*parts: QWidget) -> None:
    """Let Tab lead through everything in the parts, part after part, each as it is laid out."""
    for before, after in pairwise(widget for part in parts for widget in _focusable(part)):
        QWidget.setTabOrder(before, after)


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
    for at in range(layout.count()):
        item = layout.itemAt(at)
        widget, inner = (item.widget(), item.layout()) if item is not None else (None, None)
        if widget is not None:
            yield from _focusable(widget)
        elif inner is not None:
            yield from _in_layout(inner)
