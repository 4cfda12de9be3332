"""Keyboard focus and its order, key navigation, and visibility of widgets."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import cast

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QKeyEvent
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
    """Without ``itemAt``: what that gives to Python outlives the place that it stands for, and a widget that is made at
    the same address later would be taken for it."""
    holder, direct = layout.parentWidget(), Qt.FindChildOption.FindDirectChildrenOnly
    widgets = [] if holder is None else holder.findChildren(QWidget, options=direct)
    inside: list[QWidget | QLayout] = [widget for widget in widgets if layout.indexOf(widget) >= 0]
    inside += [inner for inner in layout.children() if isinstance(inner, QLayout)]
    for each in sorted(inside, key=lambda each: _place(layout, layout.indexOf(each))):
        yield from _focusable(each) if isinstance(each, QWidget) else _in_layout(each)


def _place(layout: QLayout, at: int) -> tuple[int, ...]:
    """The place of an item in the order in which they are read; in a grid, what came late may stand above."""
    if not isinstance(layout, QGridLayout):
        return (at,)
    return cast("tuple[int, int, int, int]", layout.getItemPosition(at))


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
