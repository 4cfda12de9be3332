"""Buttons count a press only for the words that were read."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QWidget

from tests.workbench.stage import Stage
from tests.workbench.window_helpers import LEFT, Wait, activate
from workbench.style.theme import DARK_NAME, LIGHT_NAME, current_theme, themes
from workbench.widgets.buttons import IconButton, quiet_button, set_caption
from workbench.widgets.layouts import column_layout


@pytest.mark.parametrize("how", ["mouse", "key"])
def test_a_press_during_which_the_words_change_does_nothing(stage: Stage, qapp: QApplication, how: str) -> None:
    pressed: list[str] = []
    button = stage.show(quiet_button("Use 50%", on_click=lambda: pressed.append(button.text())), 200, 60)
    press, release = (
        (lambda: QTest.mousePress(button, LEFT), lambda: QTest.mouseRelease(button, LEFT))
        if how == "mouse"
        else (lambda: QTest.keyPress(button, Qt.Key.Key_Space), lambda: QTest.keyRelease(button, Qt.Key.Key_Space))
    )
    press()
    set_caption(button, "Use 85%")
    QTest.mouseMove(button, button.rect().center() + QPoint(1, 0))
    release()
    assert pressed == [] and not button.isDown()
    qapp.processEvents()
    press()
    set_caption(button, "Use 85%")
    release()
    assert pressed == ["Use 85%"]


@pytest.mark.parametrize("is_icon", [False, True])
def test_a_button_is_lit_after_its_menu_closed_only_where_the_pointer_is_over_it(
    stage: Stage, wait_until: Wait, is_icon: bool
) -> None:
    """Qt does not tell it that the pointer left while the menu was open."""
    button = IconButton("more", "More") if is_icon else quiet_button("Use model")
    menu, holder = QMenu(button), QWidget()
    menu.addAction("Save")
    button.setMenu(menu)
    column_layout(button, 1, inside=holder)
    stage.show(holder, 300, 200)
    for place, is_over in ((QPoint(150, 180), False), (button.geometry().center(), True)):
        QTest.mouseMove(holder, place)
        QCursor.setPos(holder.mapToGlobal(place))
        menu.popup(holder.mapToGlobal(QPoint(0, 100)))
        button.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, not is_over)
        menu.close()
        wait_until(lambda is_over=is_over: button.underMouse() is is_over)
    QCursor.setPos(QPoint(1, 1))


def test_a_press_that_leaves_a_field_and_so_changes_the_words_does_nothing(stage: Stage, wait_until: Wait) -> None:
    pressed: list[str] = []
    holder, field = QWidget(), QLineEdit()
    button = quiet_button("Use 50%", on_click=lambda: pressed.append(button.text()))
    column_layout(field, button, inside=holder)
    stage.show(holder, 200, 100)
    activate(holder, wait_until)
    field.editingFinished.connect(lambda: set_caption(button, "Use 85%"))
    field.setFocus()
    QTest.keyClicks(field, "85")
    QTest.mouseClick(button, LEFT)
    assert pressed == [] and button.hasFocus()
    wait_until(lambda: not button._is_unread)
    QTest.mouseClick(button, LEFT)
    assert pressed == ["Use 85%"]


def test_a_menu_opened_by_keys_marks_its_first_entry_and_letters_go_through_it(stage: Stage, wait_until: Wait) -> None:
    button = IconButton("more", "More")
    menu = QMenu(button)
    entries = {name: menu.addAction(name) for name in ("Open", "Save", "Send", "Theme", "Gone")}
    entries["Gone"].setEnabled(False)
    button.setMenu(menu)
    stage.show(button, 60, 40)
    menu.popup(button.mapToGlobal(QPoint(0, 40)))
    wait_until(lambda: menu.activeAction() is entries["Open"])
    for letter, name in (("s", "Save"), ("s", "Send"), ("s", "Save"), ("t", "Theme"), ("g", "Theme"), ("o", "Open")):
        QTest.keyClicks(menu, letter)
        assert menu.activeAction() is entries[name], letter
    menu.close()


def test_a_button_reached_by_keys_has_one_frame(stage: Stage, qapp: QApplication) -> None:
    """Qt would paint a second one inside it, which is seen in the dark theme."""
    themes.install(qapp, DARK_NAME)
    button = stage.show(quiet_button("  "), 200, 60, active=True)
    button.setAttribute(Qt.WidgetAttribute.WA_KeyboardFocusChange)
    button.setFocus(Qt.FocusReason.TabFocusReason)
    qapp.processEvents()
    picture, middle = button.grab().toImage(), button.height() // 2
    inside = {picture.pixelColor(x, middle).name() for x in range(3, button.width() - 3)}
    assert button.hasFocus() and inside == {current_theme().pane}
    assert picture.pixelColor(0, middle).name() == current_theme().accent
    themes.choose(LIGHT_NAME)
    qapp.setStyleSheet("")
