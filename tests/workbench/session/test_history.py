"""The history beside undo: every step by its name, the present one marked, each a click away."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QListWidget

from algorithms.data.schema import renamed
from tests.expected_texts import session as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import LEFT, Wait, small_data
from workbench.app.main_window import MainWindow
from workbench.autosave.autosave import Autosave
from workbench.session.document import FOLDED, MOST_STEPS
from workbench.session.session import Session


@pytest.fixture
def window(stage: Stage) -> MainWindow:
    window = stage.window()
    stage.open(window.session, small_data())
    return window


def edit(window: MainWindow, value: float) -> None:
    data = window.session.data
    assert data is not None
    window.session.edit(f"Set it to {value:g}", data.with_cells(0, np.array([0]), np.array([value])))


def value(window: MainWindow) -> float:
    data = window.session.data
    assert data is not None
    return float(data.column(0)[0])


def entry(window: MainWindow) -> QAction:
    """The entry of the menu that shows the history."""
    window.actions_.refresh()
    return window.actions_.named["history_action"]


def steps() -> QListWidget:
    tops = [top for top in QApplication.topLevelWidgets() if top.isVisible()]
    found = {w for top in tops for w in top.findChildren(QListWidget, "history.steps") if w.isVisible()}
    assert len(found) == 1
    return found.pop()


def words(shown: QListWidget) -> list[str]:
    return [shown.item(row).text() for row in range(shown.count())]


def test_there_is_no_history_before_the_first_change(window: MainWindow) -> None:
    assert not entry(window).isEnabled()
    edit(window, 1)
    assert entry(window).isEnabled()


def test_every_step_is_listed_and_a_click_goes_there_at_once(window: MainWindow) -> None:
    first = value(window)
    for number in (1, 2, 3):
        edit(window, number)
    entry(window).trigger()
    shown = steps()
    assert words(shown) == [wording.AS_IT_WAS_OPENED, "Set it to 1", "Set it to 2", wording.you_are_here("Set it to 3")]
    heard: list[float] = []
    window.session.data_changed.connect(lambda: heard.append(value(window)))
    QTest.mouseClick(shown.viewport(), LEFT, pos=shown.visualItemRect(shown.item(0)).center())
    assert value(window) == first and heard == [first], "what lies between is not shown"
    assert window.session.undo_stack.count() == 3 and not window.session.saving.is_edited


def test_the_keys_open_it_walk_it_and_redo_what_was_undone(window: MainWindow, wait_until: Wait) -> None:
    for number in (1, 2, 3):
        edit(window, number)
    window.session.undo_stack.undo()
    QTest.keyClick(window, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier)
    shown = steps()
    assert words(shown)[2:] == [wording.you_are_here("Set it to 2"), wording.undone("Set it to 3")]
    assert shown.currentRow() == 2
    QTest.keyClick(shown, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QGuiApplication.clipboard().text().splitlines() == words(shown)
    QTest.keyClick(shown, Qt.Key.Key_Down)
    QTest.keyClick(shown, Qt.Key.Key_Return)
    assert value(window) == 3
    assert not [w for w in QApplication.topLevelWidgets() if w.objectName() == "history.popover" and w.isVisible()]


def test_a_long_name_in_a_step_is_cut_once_and_told_from_the_others(window: MainWindow) -> None:
    session, data = window.session, small_data()
    names = [f"the_attribute_with_a_very_long_name_number_{at}_{'a' * 40}" for at in range(2)]
    for at, name in enumerate(names):
        data = data.with_schema(data.schema.with_attribute(at, renamed(data.schema.attributes[at], name)))
    session.set_document(data)
    for name in names:
        session.set_used([name], False)
    entry(window).trigger()
    for row, told in enumerate(words(steps())[1:]):
        assert told.startswith(wording.LEAVE_OUT_THE) and f"{row}_a" in told and "……" not in told
        assert steps().item(row + 1).toolTip() == f"Leave out {names[row]}"
    steps().window().close()


def test_the_history_is_as_wide_as_a_name_needs_and_says_what_the_next_change_takes_away(window: MainWindow) -> None:
    session, name = window.session, "Change the kind of a column with a rather long name to nominal, and back again"
    session.edit(name, session.history.needed.data.with_cells(0, np.array([0]), np.array([1.0])))
    entry(window).trigger()
    assert words(steps())[1] == wording.you_are_here(name)
    said = " ".join(shown.text() for shown in steps().window().findChildren(QLabel))
    assert wording.UNTIL_NEXT_CHANGE in said
    steps().window().close()
    session.undo_stack.undo()
    edit(window, 3)
    assert session.undo_stack.count() == 1


def test_a_step_of_data_and_recipe_together_is_one_step(window: MainWindow) -> None:
    session = window.session
    edit(window, 1)
    session.undo_stack.beginMacro("Both")
    edit(window, 2)
    edit(window, 3)
    session.undo_stack.endMacro()
    session.history.go_to(1)
    assert value(window) == 1
    session.history.go_to(2)
    assert value(window) == 3
    session.history.go_to(7)
    assert session.undo_stack.index() == 2, "there is no such step"


def test_the_oldest_of_very_many_steps_become_one_and_all_others_stay(
    stage: Stage, session: Session, tmp_path: Path
) -> None:
    keeper = Autosave(session, tmp_path)
    stage.open(session, small_data())
    for step in range(MOST_STEPS + 5):
        data = session.data
        assert data is not None
        session.edit(f"Set it to {step}", data.with_cells(0, np.array([0]), np.array([float(step)])))
        if step == MOST_STEPS // 2:
            session.undo_stack.setClean()
    stack = session.undo_stack
    assert stack.count() == stack.index() == MOST_STEPS + 5 - (FOLDED - 1)
    assert stack.text(0) == "Earlier changes" and stack.text(1) == f"Set it to {FOLDED}"
    assert stack.cleanIndex() == MOST_STEPS // 2 + 1 - (FOLDED - 1), "what is in a file stays known"
    assert not stack.isClean() and session.data is not None and session.data.column(0)[0] == MOST_STEPS + 4
    stack.undo()
    assert session.data is not None and session.data.column(0)[0] == MOST_STEPS + 3
    stack.setIndex(1)
    assert session.data.column(0)[0] == FOLDED - 1
    stack.setIndex(0)
    assert session.document is session.history.opened
    known = keeper._project
    assert known is not None and len(known.steps) == stack.count() + 1 and known.index == 0
    assert [step.document.data.column(0)[0] for step in known.steps[1:3]] == [FOLDED - 1, FOLDED]
