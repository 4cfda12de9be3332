"""Undo by its keys while a field of a form has the keyboard."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QComboBox, QLineEdit
from shiboken6 import delete

from algorithms.filters.select_attributes import SelectAttributes
from tests.workbench.shirts import shirts
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import CONTROL, Wait, part
from workbench.app.main_window import MainWindow
from workbench.tabs.preprocess.recipe_pane import RecipePane
from workbench.widgets.fields import DecimalField, NumberField, RecordField


def opened(window: MainWindow, stage: Stage, wait_until: Wait) -> None:
    """A recipe of one step, whose options are open."""
    session = window.session
    stage.open(session, shirts())
    session.set_recipe((SelectAttributes(),), "Add a step")
    wait_until(lambda: session.summary is not None and not session.jobs.running)
    window.show_tab(0)
    window.findChildren(RecipePane)[0].toggle(0)


def test_undo_takes_back_an_option_that_was_typed_once_it_is_taken(
    window: MainWindow, stage: Stage, wait_until: Wait
) -> None:
    opened(window, stage, wait_until)
    session = window.session
    before = session.recipe
    line = part(window, QLineEdit, "preprocess.option.number")
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, "2")
    wait_until(lambda: session.recipe != before)
    QTest.keyClick(line, Qt.Key.Key_Z, CONTROL)
    wait_until(lambda: session.recipe == before)
    assert part(window, QLineEdit, "preprocess.option.number").text() == str(SelectAttributes().number)
    assert session.undo_stack.canRedo()


def test_undo_takes_back_an_option_that_was_chosen(window: MainWindow, stage: Stage, wait_until: Wait) -> None:
    opened(window, stage, wait_until)
    session = window.session
    before = session.recipe
    box = part(window, QComboBox, "preprocess.option.by")
    box.setFocus()
    QTest.keyClick(box, Qt.Key.Key_Down)
    wait_until(lambda: session.recipe != before)
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Z, CONTROL)
    assert session.recipe == before


@pytest.mark.parametrize("kind", [RecordField, NumberField, DecimalField])
def test_undo_and_redo_are_the_windows_where_nothing_was_typed_into_a_number(
    kind: type[QAbstractSpinBox], qapp: QApplication
) -> None:
    field = kind()
    if isinstance(field, RecordField):
        field.show_ids(np.arange(9))
    field.setValue(2)

    def is_taken(key: Qt.Key) -> bool:
        event = QKeyEvent(QEvent.Type.ShortcutOverride, key, CONTROL)
        event.ignore()
        qapp.sendEvent(field, event)
        return event.isAccepted()

    assert not is_taken(Qt.Key.Key_Z) and not is_taken(Qt.Key.Key_Y)
    field.lineEdit().selectAll()
    QTest.keyClicks(field.lineEdit(), "5")
    assert is_taken(Qt.Key.Key_Z) and not is_taken(Qt.Key.Key_Y)
    field.lineEdit().undo()
    assert is_taken(Qt.Key.Key_Y)
    delete(field)
