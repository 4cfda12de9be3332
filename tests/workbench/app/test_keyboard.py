"""Tab alone: every control of every tab is reached, has a name, shows that it has the keyboard, and lets it go."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QApplication,
    QComboBox,
    QHeaderView,
    QLabel,
    QLineEdit,
    QRadioButton,
    QScrollArea,
    QScrollBar,
    QTabBar,
    QWidget,
)

from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, activate, full
from workbench.app.main_window import MainWindow
from workbench.app.top_line import TAB_NAMES
from workbench.forms.form import InfoMark
from workbench.style.theme import LIGHT_NAME, themes

MOST_STOPS = 200
INTERACTIVE = (QAbstractButton, QLineEdit, QComboBox, QAbstractItemView, QAbstractSlider, QTabBar, QAbstractScrollArea)


@pytest.fixture
def window(stage: Stage, qapp: QApplication, wait_until: Wait) -> Iterator[MainWindow]:
    themes.install(qapp, LIGHT_NAME)
    yield full(stage.window(1500, 950), wait_until)
    qapp.setStyleSheet("")


def stops(window: MainWindow) -> list[QWidget]:
    """Where Tab leads, from the tabs on until it comes back to them."""
    window.top.tabs.setFocus(Qt.FocusReason.TabFocusReason)
    found: list[QWidget] = [window.top.tabs]
    for _ in range(MOST_STOPS):
        QTest.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
        now = window.focusWidget()
        if now is window.top.tabs:
            return found
        if now is not found[-1]:  # else from cell to cell, or from link to link
            found.append(now)
    raise AssertionError(f"Tab does not come back: {[name(widget) for widget in found[-6:]]}")


def name(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.objectName()!r} {widget.accessibleName()!r}"


def interactive(window: MainWindow) -> list[QWidget]:
    """What can be used by mouse and so must be reached by keys."""
    found = []
    for widget in window.findChildren(QWidget):
        inner = isinstance(widget, QHeaderView | QScrollBar | InfoMark) or isinstance(widget.parent(), QLineEdit)
        inner = inner or widget.objectName() == "qt_tableview_cornerbutton"  # Ctrl+A
        inner = inner or (
            isinstance(widget, QLineEdit | QAbstractScrollArea)
            and isinstance(widget.parent(), QComboBox | QAbstractItemView)
        )
        quiet = isinstance(widget, QAbstractScrollArea) and widget.focusPolicy() is Qt.FocusPolicy.NoFocus
        if not isinstance(widget, INTERACTIVE) or inner or quiet or not widget.isVisible() or not widget.isEnabled():
            continue
        if widget.parentWidget() is not None and widget.parentWidget().focusProxy() is widget:
            continue
        found.append(widget)
    return found


def is_reached(widget: QWidget, reached: set[QWidget]) -> bool:
    """Whether it is a stop itself, or one of the choices of which the chosen one is the stop."""
    if widget in reached:
        return True
    siblings = widget.parentWidget().findChildren(type(widget)) if widget.parentWidget() else []
    exclusive = isinstance(widget, QRadioButton) or (isinstance(widget, QAbstractButton) and widget.autoExclusive())
    grouped = isinstance(widget, QAbstractButton) and widget.group() is not None and widget.group().exclusive()
    return (exclusive or grouped) and any(other in reached for other in siblings)


def picture(window: MainWindow, widget: QWidget) -> QImage:
    place = widget.rect().translated(widget.mapTo(window, widget.rect().topLeft())).adjusted(-4, -4, 4, 4)
    return window.grab(place).toImage()


def bring_into_view(widget: QWidget) -> None:
    """What Tab does by itself for what lies in an area that scrolls."""
    around = widget.parentWidget()
    while around is not None:
        if isinstance(around, QScrollArea):
            around.ensureWidgetVisible(widget)
        around = around.parentWidget()


@pytest.mark.parametrize("at", range(4), ids=TAB_NAMES)
def test_tab_reaches_everything_and_says_where_it_is(window: MainWindow, wait_until: Wait, at: int) -> None:
    window.show_tab(at)
    wait_until(lambda: not window.session.jobs.running, 60)
    reached = stops(window)
    missed = [name(widget) for widget in interactive(window) if not is_reached(widget, set(reached))]
    assert missed == []
    nameless = [name(w) for w in reached if not (w.accessibleName() or (isinstance(w, QAbstractButton) and w.text()))]
    assert nameless == []
    unnamed = [name(w) for w in reached if not w.objectName()]
    assert unnamed == []


@pytest.mark.parametrize("at", range(4), ids=TAB_NAMES)
def test_what_has_the_keyboard_looks_so(window: MainWindow, wait_until: Wait, at: int) -> None:
    window.show_tab(at)
    wait_until(lambda: not window.session.jobs.running, 60)
    activate(window, wait_until)
    reached = [widget for widget in stops(window) if widget.isVisible()]
    wait_until(lambda: all(window.rect().contains(widget.mapTo(window, widget.rect().center())) for widget in reached))
    unseen = []
    for widget in reached:
        if isinstance(widget, QLabel):  # its links have the keyboard, one by one
            continue
        window.setFocus()
        bring_into_view(widget)
        before = picture(window, widget)
        widget.setFocus(Qt.FocusReason.TabFocusReason)
        if picture(window, widget) == before:
            unseen.append(name(widget))
    assert unseen == []
