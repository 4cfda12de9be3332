"""Buttons count a press only for the words that were read."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from tests.workbench.stage import Stage
from tests.workbench.window_helpers import LEFT, Wait
from workbench.widgets.buttons import quiet_button, set_caption


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
    release()
    assert pressed == [] and not button.isDown()
    qapp.processEvents()
    press()
    set_caption(button, "Use 85%")
    release()
    assert pressed == ["Use 85%"]


def test_a_press_in_the_turn_that_changes_the_words_does_nothing(stage: Stage, wait_until: Wait) -> None:
    pressed: list[str] = []
    button = stage.show(quiet_button("Use 50%", on_click=lambda: pressed.append(button.text())), 200, 60)
    set_caption(button, "Use 85%")
    QTest.mouseClick(button, LEFT)
    assert pressed == []
    wait_until(lambda: not button._is_unread)
    QTest.mouseClick(button, LEFT)
    assert pressed == ["Use 85%"]
