"""Undo by its keys while a field of a form has the keyboard."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit

from algorithms.filters.select_attributes import SelectAttributes
from tests.workbench.shirts import shirts
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import CONTROL, Wait, part
from workbench.app.main_window import MainWindow
from workbench.tabs.preprocess.recipe_pane import RecipePane


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
