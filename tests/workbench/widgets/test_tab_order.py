"""What Python is given of a place in a layout must not outlive it: a widget that is made at the same address later
would be taken for that place, with none of a widget's methods."""

from __future__ import annotations

import gc
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QHBoxLayout, QPushButton, QSpinBox, QWidget, QWidgetItem
from shiboken6 import Shiboken, isValid

from tests.workbench.window_helpers import part
from workbench.widgets.dialogs import ask
from workbench.widgets.keyboard_focus import move_focus, tab_in_order
from workbench.widgets.layouts import FlowLayout, column_layout
from workbench.widgets.panes import over_canvas


def places() -> int:
    """How many places of widgets Python knows."""
    return sum(type(each) is QWidgetItem for each in Shiboken.getAllValidWrappers())


def test_the_order_of_tab_is_found_without_keeping_a_place(qapp: QApplication) -> None:
    holder = QWidget()
    grid, row, flow = QGridLayout(holder), QHBoxLayout(), FlowLayout()
    names = ("second", "first", "third", "fourth", "fifth")
    second, first, third, fourth, fifth = buttons = [QPushButton(name) for name in names]
    grid.addWidget(second, 1, 0)
    grid.addWidget(first, 0, 0)
    grid.addLayout(row, 2, 0)
    grid.addLayout(flow, 3, 0)
    row.addWidget(third)
    row.addWidget(fourth)
    flow.addWidget(fifth)
    before = places()
    tab_in_order(holder)
    assert places() == before
    order = [first]
    while len(order) < len(buttons):
        order.append(order[-1].nextInFocusChain())
    assert [button.text() for button in order] == ["first", "second", "third", "fourth", "fifth"]
    holder.deleteLater()


class Canvas(QWidget):
    """Rows below a scale, which a scroll area holds."""


class ScaleAbove(QWidget):
    """Paints the scale of a canvas."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__()
        self.canvas, self.painted = canvas, 0

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        self.painted = self.canvas.width()


@pytest.mark.parametrize("order", [tab_in_order, lambda window: move_focus(window, True)])
def test_a_canvas_outlives_the_search_for_the_order_of_tab(
    qapp: QApplication, order: Callable[[QWidget], object]
) -> None:
    """Its scroll area counted as part of its own viewport, and a collection of garbage deleted both in sight."""
    holder = QWidget()
    scale = ScaleAbove(Canvas())
    column_layout(scale, over_canvas(scale.canvas), QSpinBox(), inside=holder)
    holder.resize(300, 200)
    holder.show()
    order(holder)
    gc.collect()
    assert isValid(scale.canvas)
    scale.resize(300, 20)
    scale.grab()
    assert scale.painted == scale.canvas.width()
    holder.hide()
    holder.deleteLater()


@pytest.mark.parametrize("with_form", [False, True])
def test_a_question_keeps_none_of_the_places_in_it(qapp: QApplication, with_form: bool) -> None:
    window = QWidget()
    before = places()
    form = QPushButton("form") if with_form else None
    box = ask(window, "Shall it go?", "It would be lost.", [("go", "Go on", lambda: None)], form)
    assert places() == before
    if form is not None:
        assert form.mapTo(box, QPoint()).y() < part(box, QPushButton, "go").mapTo(box, QPoint()).y()
    box.close()
    window.deleteLater()


class Searched(QWidget):
    """Counts how often it is asked what is inside."""

    n = 0

    def findChildren(self, *given: object, **named: object) -> list[object]:  # noqa: N802
        self.n += 1
        return super().findChildren(*given, **named)  # type: ignore[call-overload,no-any-return]


def test_the_focus_that_leaves_a_hidden_page_is_not_sought_in_other_hidden_ones(qapp: QApplication) -> None:
    """Each page that goes hands on the keyboard; the widgets of all pages are a thousand and more."""
    window, shown, left, hidden = QWidget(), QPushButton("shown"), QWidget(), Searched()
    row = QHBoxLayout(window)
    for page in (hidden, left, shown):
        row.addWidget(page)
    button = QPushButton("left", left)
    hidden.hide()
    window.show()
    button.setFocus()
    left.hide()
    hidden.n = 0
    move_focus(window, forward=True)
    assert window.focusWidget() is shown and hidden.n == 0
    window.close()
