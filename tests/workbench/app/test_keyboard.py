"""Tab alone: every control of every tab is reached, has a name, shows that it has the keyboard, and lets it go."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import pytest
from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSlider,
    QAbstractSpinBox,
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

from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.bayes.bayesian_network import BayesianNetwork
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.linear.logistic_regression import LogisticRegression
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import CONTROL, Wait, activate, full, judged, part
from workbench.app.command_palette import CommandPalette
from workbench.app.main_window import MainWindow
from workbench.app.top_line import TAB_NAMES
from workbench.forms.form import InfoMark
from workbench.style.theme import LIGHT_NAME, themes
from workbench.viewers.network_canvas import NetworkCanvas
from workbench.viewers.nomogram_canvas import NomogramCanvas
from workbench.viewers.scatter.parallel_coordinates import ParallelCanvas
from workbench.viewers.scatter.scatter_canvas import ScatterCanvas
from workbench.viewers.scatter.scatter_matrix import ScatterMatrixCanvas
from workbench.viewers.tree.tree_canvas import TreeCanvas
from workbench.widgets.keyboard_focus import DIRECTIONS

MOST_STOPS = 200
INTERACTIVE = (
    *(QAbstractButton, QAbstractSpinBox, QLineEdit, QComboBox),
    *(QAbstractItemView, QAbstractSlider, QTabBar, QAbstractScrollArea),
)


@pytest.fixture
def window(stage: Stage, qapp: QApplication, wait_until: Wait) -> MainWindow:
    themes.install(qapp, LIGHT_NAME)  # for the whole file: undressing a window takes as long as dressing it
    return full(stage.window(1500, 950), wait_until)


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
        inner = inner or widget.objectName() in ("qt_tableview_cornerbutton", "qt_spinbox_lineedit")  # Ctrl+A; its box
        inner = inner or (
            isinstance(widget, QLineEdit | QAbstractScrollArea)
            and isinstance(widget.parent(), QComboBox | QAbstractItemView)
        )
        quiet = isinstance(widget, QAbstractScrollArea) and widget.focusPolicy() is Qt.FocusPolicy.NoFocus
        links = isinstance(widget, QLabel) and "<a " in widget.text()
        if (
            not (isinstance(widget, INTERACTIVE) or links)
            or inner
            or quiet
            or not widget.isVisible()
            or not widget.isEnabled()
        ):
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


def goes_back(before: QRect, after: QRect) -> bool:
    """Whether the second is above the first in the same column, or left of it in the same row."""
    same_column = before.left() < after.right() and after.left() < before.right()
    same_row = before.top() < after.bottom() and after.top() < before.bottom()
    return (same_column and after.bottom() < before.top()) or (same_row and after.right() < before.left())


def test_enter_on_the_class_in_the_top_bar_opens_the_columns_to_predict(window: MainWindow, wait_until: Wait) -> None:
    activate(window, wait_until)
    window.top.tabs.setFocus(Qt.FocusReason.TabFocusReason)
    QTest.keyClick(window.top.tabs, Qt.Key.Key_Backtab)
    words = window.focusWidget()
    assert words.objectName() == "document.facts"
    QTest.keyClick(words, Qt.Key.Key_Return)
    wait_until(lambda: QApplication.activePopupWidget() is not None)
    menu = QApplication.activePopupWidget()
    assert menu.objectName() == "document.class"
    menu.close()


PAGE_NAMES = (
    *((2, f"evaluate.page.{page}") for page in ("performance", "compare", "costs", "diagnostics")),
    *((3, f"visualize.page.{page}") for page in ("model", "data", "explain")),
)


def test_tab_visits_each_page_in_reading_order(window: MainWindow, wait_until: Wait) -> None:
    faults = []
    for at, page in PAGE_NAMES:
        window.show_tab(at)
        wait_until(lambda: not window.session.jobs.running, 60)
        button = part(window, QAbstractButton, page)
        wait_until(button.isEnabled)
        button.click()
        wait_until(lambda button=button: button.isChecked() and not window.session.jobs.running, 60)
        window.session.turns.finish()
        reached = stops(window)
        missed = [widget for widget in interactive(window) if not is_reached(widget, set(reached))]
        faults += [(page, "missed", name(widget)) for widget in missed]
        faults += [] if button in reached else [(page, "missed", name(button))]
        areas = [(widget, QRect(widget.mapTo(window, QPoint()), widget.size())) for widget in reached]
        areas = [(widget, area) for widget, area in areas if not window.top.isAncestorOf(widget)]
        faults += [(page, name(one), name(two)) for (one, a), (two, b) in combinations(areas, 2) if goes_back(a, b)]
    assert faults == []


def test_a_page_that_goes_leaves_the_keyboard_to_the_one_that_comes(window: MainWindow, wait_until: Wait) -> None:
    window.show_tab(2)
    wait_until(lambda: not window.session.jobs.running, 60)
    activate(window, wait_until)
    view = window.findChild(QWidget, "evaluate.confusion")
    assert view is not None
    view.setFocus()
    wait_until(view.hasFocus)
    for page in ("costs", "compare"):
        button = window.findChild(QAbstractButton, f"evaluate.page.{page}")
        assert button is not None
        button.click()
        wait_until(lambda: not window.session.jobs.running, 60)
        now = window.focusWidget()
        assert now.isVisible() and not window.top.isAncestorOf(now), name(now)
        assert now.mapTo(window, QPoint()).y() > button.mapTo(window, QPoint()).y()


def test_tab_reaches_everything_and_shows_and_says_where_it_is(window: MainWindow, wait_until: Wait) -> None:
    faults = []
    for at, tab in enumerate(TAB_NAMES):
        window.show_tab(at)
        wait_until(lambda: not window.session.jobs.running, 60)
        activate(window, wait_until)
        reached, area = stops(window), window.rect()
        missed = [widget for widget in interactive(window) if not is_reached(widget, set(reached))]
        faults += [(tab, "missed", name(widget)) for widget in missed]
        nameless = [w for w in reached if not (w.accessibleName() or (isinstance(w, QAbstractButton) and w.text()))]
        faults += [(tab, "nameless", name(widget)) for widget in nameless]
        faults += [(tab, "unnamed", name(widget)) for widget in reached if not widget.objectName()]
        seen = [widget for widget in reached if widget.isVisible()]
        wait_until(lambda seen=seen, area=area: all(area.contains(w.mapTo(window, w.rect().center())) for w in seen))
        for widget in seen:
            window.setFocus()
            bring_into_view(widget)
            before = picture(window, widget)
            widget.setFocus(Qt.FocusReason.TabFocusReason)
            if picture(window, widget) == before:
                faults.append((tab, "looks the same", name(widget)))
    assert faults == []


def test_arrow_keys_on_a_button_go_to_no_other_control(window: MainWindow, wait_until: Wait) -> None:
    classes = window.session.class_of_interest
    for tab in range(4):
        window.show_tab(tab)
        wait_until(lambda: not window.session.turns.is_busy)
        for button in window.findChildren(QAbstractButton):
            if not button.isVisible() or not button.isEnabled() or button.group() or isinstance(button, InfoMark):
                continue
            button.setFocus()
            for key in DIRECTIONS if button.hasFocus() else ():
                QTest.keyClick(button, key)
                assert window.focusWidget() is button, name(button)
    assert window.session.class_of_interest == classes


LINE_KEYS = {"Ctrl+A", "Ctrl+C", "Ctrl+D", "Ctrl+E", "Ctrl+U", "Ctrl+V", "Ctrl+X"}
"""Keys that lines of text use for themselves under X11."""


def test_enter_presses_the_buttons_of_the_top_line_as_space_does(window: MainWindow) -> None:
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
        was_shown, had_drawer = window.top.ledger.isChecked(), window.drawer.isVisible()
        QTest.keyClick(window.top.ledger, key)
        assert window.top.ledger.isChecked() is not was_shown
        QTest.keyClick(window.badge, key)
        assert window.drawer.isVisible() is not had_drawer
        QTest.keyClick(window.top.search, key)
        seen = [palette for palette in window.findChildren(CommandPalette) if palette.isVisible()]
        assert [palette.close() for palette in seen] == [True]
    menu, pressed, opened = window.top.more.menu(), list[Qt.Key](), list[Qt.Key]()
    menu.aboutToShow.connect(lambda: QTimer.singleShot(0, menu.close))
    menu.aboutToShow.connect(lambda: opened.append(pressed[-1]))
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Space):
        pressed.append(key)
        QTest.keyClick(window.top.more, key)
    assert opened == pressed
    keys = {key.toString() for action in window.actions_.named.values() for key in action.shortcuts()}
    assert "Ctrl+P" in keys and not keys & LINE_KEYS, "no key of the window edits a line of text"


def test_the_empty_page_compare_leads_to_the_tick_boxes_of_the_learners(window: MainWindow, wait_until: Wait) -> None:
    activate(window, wait_until)
    window.show_tab(2)
    QTest.keyClick(part(window, QAbstractButton, "evaluate.page.compare"), Qt.Key.Key_Space)
    go = part(window, QAbstractButton, "evaluate.comparison.start")
    wait_until(go.isVisible)
    QTest.keyClick(go, Qt.Key.Key_Return)
    classify = window.tabs.tab(1)
    wait_until(classify.learners.view.hasFocus)
    assert classify.is_comparing and classify.learners.view.isVisible()


def test_every_way_to_a_page_puts_the_keyboard_into_its_main_view(window: MainWindow, wait_until: Wait) -> None:
    session = window.session
    activate(window, wait_until)
    window.show_tab(2)
    wait_until(lambda: window.findChild(QWidget, "ledger.more") is not None)
    more = part(window, QWidget, "ledger.more")

    def leads(act: Callable[[], object], name: str) -> None:
        wait_until(lambda: not session.turns.is_busy)
        if more.isVisible():
            more.setFocus()
        act()
        wait_until(lambda: window.focusWidget().objectName() == name)

    def command(words: str) -> Callable[[], object]:
        def act() -> None:
            window.show_palette()
            palette = next(one for one in window.findChildren(CommandPalette) if one.isVisible())
            QTest.keyClicks(palette.field, words)
            QTest.keyClick(palette.field, Qt.Key.Key_Return)

        return act

    def key(digit: Qt.Key) -> Callable[[], object]:
        return lambda: QTest.keyClick(window, digit, CONTROL)

    leads(key(Qt.Key.Key_3), "evaluate.confusion")
    leads(key(Qt.Key.Key_2), "classify.learners")
    leads(key(Qt.Key.Key_2), "classify.learners")
    leads(command("costs & t"), "evaluate.board.costs")
    leads(command("performance"), "evaluate.confusion")
    leads(command("kappa"), "evaluate.metrics")
    leads(command("learning cur"), "evaluate.sweep.start")
    leads(command("bias and"), "evaluate.leaning.start")
    leads(command("permutation"), "evaluate.shuffle.start")
    leads(command("29"), "preprocess.records")
    leads(key(Qt.Key.Key_1), "preprocess.attributes")
    leads(session.show_selected, "preprocess.records")
    leads(key(Qt.Key.Key_4), "visualize.tree")
    leads(command("explain their"), "visualize.what-if.record")
    to_model = part(window, QAbstractButton, "visualize.what-if.to-model")
    leads(lambda: QTest.keyClick(to_model, Qt.Key.Key_Space), "visualize.tree")
    leads(command("explain their"), "visualize.what-if.record")
    leads(command("explain their"), "visualize.what-if.record")
    judged(session, wait_until, LogisticRegression(), CrossValidation(folds=2))
    window.tabs.tab(3)._pages.show_page("model")
    leads(command("costs & t"), "evaluate.board.costs")
    leads(key(Qt.Key.Key_4), "visualize.coefficients")
    window.show_tab(2)
    leads(command("explain their"), "visualize.what-if.record")


CANVASES = (TreeCanvas, NomogramCanvas, NetworkCanvas, ScatterCanvas, ScatterMatrixCanvas, ParallelCanvas)


def test_tab_leads_out_of_every_canvas_and_arrow_keys_stay_in_it(window: MainWindow, wait_until: Wait) -> None:
    session, left = window.session, set[type[QWidget]]()
    activate(window, wait_until)
    window.show_tab(3)

    def leave_canvas() -> None:
        wait_until(lambda: not session.turns.is_busy and not session.jobs.running, 60)
        canvas = next(one for one in window.findChildren(QWidget) if isinstance(one, CANVASES) and one.isVisible())
        canvas.setFocus()
        for key in DIRECTIONS:
            QTest.keyClick(window.windowHandle(), key)
            assert window.focusWidget() is canvas, name(canvas)
        for key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            canvas.setFocus()
            QTest.keyClick(window.windowHandle(), key)
            assert window.focusWidget() is not canvas, name(canvas)
        left.add(type(canvas))

    leave_canvas()
    for learner in (NaiveBayes(), BayesianNetwork()):
        judged(session, wait_until, learner, CrossValidation(folds=2))
        leave_canvas()
    part(window, QAbstractButton, "visualize.page.data").click()
    leave_canvas()
    for kind in ("matrix", "parallel"):
        seen = window.findChildren(QAbstractButton, f"visualize.show-{kind}")
        next(button for button in seen if button.isVisible()).click()
        leave_canvas()
    assert left == set(CANVASES)
