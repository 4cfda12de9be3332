"""Keyboard focus and its order, key navigation, and visibility of widgets."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import cast

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractScrollArea, QGridLayout, QLayout, QScrollArea, QWidget


def tab_in_order(*parts: QWidget) -> None:
    """Sets the tab order to the parts in turn, each in the order of its layout."""
    for before, after in pairwise(widget for part in parts for widget in _focusable(part)):
        QWidget.setTabOrder(before, after)


def enable(widget: QWidget, wanted: bool, instead: QWidget) -> None:
    """Enables or disables a widget; if it loses the keyboard focus, ``instead`` gets it."""
    if not wanted and widget.hasFocus() and instead.isEnabled():
        instead.setFocus(Qt.FocusReason.OtherFocusReason)
    widget.setEnabled(wanted)


def first_view(within: QWidget) -> QWidget | None:
    """The leftmost, then topmost visible picture, table or list; None without one."""
    views = (view for view in within.findChildren(QAbstractScrollArea) if not isinstance(view, QScrollArea))
    in_view = [view for view in views if view.isVisible() and view.focusPolicy() & Qt.FocusPolicy.TabFocus]
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
    """The widgets of a layout in reading order.

    It does without ``itemAt``: its Python wrapper outlives the item and may be mistaken for a later one.
    """
    holder, direct = layout.parentWidget(), Qt.FindChildOption.FindDirectChildrenOnly
    widgets = [] if holder is None else holder.findChildren(QWidget, options=direct)
    inside: list[QWidget | QLayout] = [widget for widget in widgets if layout.indexOf(widget) >= 0]
    inside += [inner for inner in layout.children() if isinstance(inner, QLayout)]
    for item in sorted(inside, key=lambda item: _place(layout, layout.indexOf(item))):
        yield from _focusable(item) if isinstance(item, QWidget) else _in_layout(item)


def _place(layout: QLayout, index: int) -> tuple[int, ...]:
    """The position of an item in reading order, by row and column in a grid."""
    if not isinstance(layout, QGridLayout):
        return (index,)
    return cast("tuple[int, int, int, int]", layout.getItemPosition(index))


def is_taken_away(widget: QWidget) -> bool:
    """Whether a widget was hidden on purpose, not merely not shown yet."""
    return widget.isHidden() and widget.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide)


def set_there(widget: QWidget, wanted: bool) -> None:
    """Shows or hides a widget, unless it is so already.

    Showing it inside a hidden parent would style and measure it too early.
    """
    if wanted is is_taken_away(widget):
        widget.setVisible(wanted)


def stepped(event: QKeyEvent, position: int, last: int, back: Qt.Key, forth: Qt.Key) -> int | None:
    """The place from 0 to ``last`` to which a key leads from ``position``, -1 without places; None for another key."""
    first = min(0, last)
    places = {
        back: max(first, position - 1),
        forth: min(last, position + 1),
        Qt.Key.Key_Home: first,
        Qt.Key.Key_End: last,
    }
    return places.get(Qt.Key(event.key()))
