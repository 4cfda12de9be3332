"""Keyboard focus and its order, key navigation, and visibility of widgets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final, cast

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QGridLayout,
    QLayout,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QWidget,
)

FIELDS: Final = (QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit)
"""Controls that are no views."""
DIRECTIONS: Final = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}
"""Steps to the right and down by each arrow key."""


def move_focus(window: QWidget, forward: bool) -> bool:
    """Moves the focus to the next or previous control in the reading order of the screen now."""
    now = window.focusWidget()
    around: QWidget | None = now
    way: set[QWidget] = set()
    while around is not None:
        way.add(around)
        around = around.parentWidget()
    order = list(in_reading_order(window, lambda widget: widget.isVisible() or widget in way))
    start = order.index(now) if now in order else -1
    ahead = [*order[start + 1 :], *order[: max(0, start)]]
    target = next(filter(_takes_tab, ahead if forward else reversed(ahead)), None)
    if target is None:
        return False
    target.setFocus(Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason)
    now, around = window.focusWidget(), target.parentWidget()
    while around is not None:
        if isinstance(around, QScrollArea) and now is target:
            around.ensureWidgetVisible(target)
        around = around.parentWidget()
    return True


def _takes_tab(widget: QWidget) -> bool:
    """Whether Tab stops at a widget; of exclusive buttons it stops at the checked one."""
    if not widget.isVisible() or not widget.isEnabled() or _is_within_field(widget):
        return False
    group = widget.group() if isinstance(widget, QAbstractButton) else None
    checked = group.checkedButton() if group is not None and group.exclusive() else None
    if checked is not None and checked.isVisible():
        return widget is checked and widget.focusPolicy() is not Qt.FocusPolicy.NoFocus
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


def _is_within_field(widget: QWidget) -> bool:
    """Whether a widget is a field's line or a scroll area's viewport, which the field or area has the focus for.

    It does without ``focusProxy``: PySide then counts the proxy as part of the widget, as a scroll area of its own
    viewport. Nothing else holds this knot, so the next collection of garbage would delete what is on the screen.
    """
    parent = widget.parentWidget()
    is_viewport = isinstance(parent, QAbstractScrollArea) and parent.viewport() is widget
    return is_viewport or isinstance(parent, (QAbstractSpinBox, QComboBox))


def past_heading(index: QModelIndex) -> QModelIndex:
    """The index, or the next one below where a list has a heading, which the keys cannot reach."""
    while index.isValid() and not index.flags() & Qt.ItemFlag.ItemIsEnabled:
        index = index.siblingAtRow(index.row() + 1)
    return index


def tab_in_order(part: QWidget) -> None:
    """Sets the tab order inside a part to its reading order, for windows without :func:`move_focus`."""
    stops = (widget for widget in in_reading_order(part) if not _is_within_field(widget))
    for before, after in pairwise(widget for widget in stops if widget.focusPolicy() & Qt.FocusPolicy.TabFocus):
        QWidget.setTabOrder(before, after)


def enable(widget: QWidget, wanted: bool, instead: QWidget) -> None:
    """Enables or disables a widget; if it loses the keyboard focus, ``instead`` gets it."""
    if not wanted and widget.hasFocus() and instead.isEnabled():
        instead.setFocus(Qt.FocusReason.OtherFocusReason)
    widget.setEnabled(wanted)


def take_typed(field: QWidget | None) -> None:
    """Takes what is typed into a field that has the keyboard focus, as leaving it does; a cell is closed."""
    if not isinstance(field, (QLineEdit, QAbstractSpinBox, QPlainTextEdit)):
        return
    around = field.parentWidget()
    while around is not None and not isinstance(around, QAbstractItemView):
        around = around.parentWidget()
    if around is None:
        field.clearFocus()
    (around or field).setFocus(Qt.FocusReason.OtherFocusReason)


def show_or_hide(widget: QWidget, wanted: bool, instead: QWidget) -> None:
    """Shows or hides a widget; if the keyboard focus is inside it, ``instead`` gets the focus."""
    focus = widget.window().focusWidget()
    if not wanted and focus is not None and (focus is widget or widget.isAncestorOf(focus)):
        instead.setFocus(Qt.FocusReason.OtherFocusReason)
    widget.setVisible(wanted)


def keep_place(widget: QWidget, wanted: bool) -> None:
    """Keeps the room of a hidden widget, so that what stands beside it stays in place."""
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(wanted)
    widget.setSizePolicy(policy)


def first_view(within: QWidget) -> QWidget | None:
    """The leftmost, then topmost visible picture, table or list; else the first control that turns no page."""
    views = (view for view in within.findChildren(QAbstractScrollArea) if not isinstance(view, QScrollArea))
    in_view = [view for view in views if view.isVisible() and view.focusPolicy() & Qt.FocusPolicy.TabFocus]
    corners = ((view.mapTo(within, QPoint()), view) for view in in_view)
    leftmost = min(corners, key=lambda placed: placed[0].toTuple(), default=(None, None))[1]
    if leftmost is not None:
        return leftmost
    controls = filter(_takes_tab, in_reading_order(within, QWidget.isVisible))
    others = [one for one in controls if not (isinstance(one, QAbstractButton) and one.group() is not None)]
    return next((one for one in others if not isinstance(one, FIELDS)), others[0] if others else None)


def in_reading_order(widget: QWidget, is_entered: Callable[[QWidget], bool] = lambda _: True) -> Iterator[QWidget]:
    """A widget and what is inside it, unless not entered, in the order of layouts, then by place."""
    if not is_entered(widget):
        return
    yield widget
    inside = widget.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly)
    layout = widget.layout()
    placed = [] if layout is None else list(_in_layout(layout, inside))
    rest = sorted(set(inside).difference(placed), key=lambda child: (child.y(), child.x()))
    for child in (*placed, *rest):
        if not child.isWindow():
            yield from in_reading_order(child, is_entered)


def _in_layout(layout: QLayout, children: Sequence[QWidget]) -> Iterator[QWidget]:
    """Children in a layout, in reading order, without ``itemAt``, whose wrapper outlives the item."""
    inside: list[QWidget | QLayout] = [widget for widget in children if layout.indexOf(widget) >= 0]
    inside += [inner for inner in layout.children() if isinstance(inner, QLayout)]
    for item in sorted(inside, key=lambda item: _place(layout, layout.indexOf(item))):
        if isinstance(item, QLayout):
            yield from _in_layout(item, children)
        else:
            yield item


def _place(layout: QLayout, index: int) -> tuple[int, ...]:
    """The position of an item in reading order, by row and column in a grid."""
    if not isinstance(layout, QGridLayout):
        return (index,)
    return cast("tuple[int, int, int, int]", layout.getItemPosition(index))


def is_taken_away(widget: QWidget) -> bool:
    """Whether a widget was hidden on purpose, not merely not shown yet."""
    return widget.isHidden() and widget.testAttribute(Qt.WidgetAttribute.WA_WState_ExplicitShowHide)


def set_visible(wanted: bool, *widgets: QWidget) -> None:
    for widget in widgets:
        widget.setVisible(wanted)


def swap(widget: QWidget, other: QWidget, is_other: bool) -> None:
    """Shows one of two widgets in the same place, which keeps the keyboard focus."""
    shown, hidden = (other, widget) if is_other else (widget, other)
    if shown.isHidden() or not hidden.isHidden():
        has_focus = hidden.hasFocus()
        shown.show()
        if has_focus:
            shown.setFocus(Qt.FocusReason.OtherFocusReason)
        hidden.hide()


def set_enabled(wanted: bool, *controls: QWidget | QAction) -> None:
    for control in controls:
        control.setEnabled(wanted)


def set_there(widget: QWidget, wanted: bool) -> None:
    """Shows or hides a widget if needed; inside a hidden parent that would style it too early."""
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
