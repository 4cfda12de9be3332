"""The selected records are labelled, by mouse and keys in the real window."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QComboBox, QLineEdit

from tests.expected_texts import core as core_wording
from tests.expected_texts import session as wording
from tests.workbench.selection_helpers import opened, select, selected, table, typed, words
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, choose_entry, part, press
from workbench.app.main_window import MainWindow
from workbench.session import selection as selection_module


@pytest.fixture
def window(stage: Stage) -> MainWindow:
    return opened(stage)


def test_the_selected_records_are_labelled_by_a_new_attribute(window: MainWindow) -> None:
    select(window, 1, 4)
    choose_entry(window, "selection.label")
    assert part(window, QComboBox, "selection.label.name").currentText() == "suspect"
    press(window, "selection.label.set")
    data = table(window)
    assert data.schema.names[-1] == "suspect" and not data.schema.attributes[-1].used
    assert np.flatnonzero(data.column("suspect") == data.schema.attributes[-1].code_of("yes")).tolist() == [1, 4]
    assert window.session.undo_stack.undoText() == wording.UNDO_SET_SUSPECT
    assert selected(window) == [1, 4] and part(window, QAbstractButton, "selection.more").isVisible()
    window.session.undo_stack.undo()
    assert "suspect" not in table(window).schema


def test_an_attribute_that_there_is_is_set_by_keys(window: MainWindow) -> None:
    select(window, 0, 2)
    choose_entry(window, "selection.label")
    typed(window, "name", "class")
    assert not part(window, QLineEdit, "selection.label.others").isVisible()
    typed(window, "value", "no")
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Return)
    assert table(window).column("class").tolist()[:4] == [1, 1, 1, 1]
    assert window.session.undo_stack.undoText() == wording.UNDO_SET_CLASS


def test_a_value_that_cannot_be_is_refused_in_place(window: MainWindow) -> None:
    select(window, 0, 2)
    choose_entry(window, "selection.label")
    typed(window, "name", "first")
    typed(window, "value", "many")
    press(window, "selection.label.set")
    assert core_wording.IS_NOT_A_NUMBER in words(window, "selection.label.hint")
    assert not window.session.undo_stack.canUndo()
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Escape)
    assert part(window, QAbstractButton, "selection.more").isVisible()
    assert selected(window) == [0, 2]


def test_many_records_are_labelled_in_a_job_and_meanwhile_edited_ones_too(
    window: MainWindow, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(selection_module, "AT_ONCE", 10)
    select(window, 1, 4)
    choose_entry(window, "selection.label")
    press(window, "selection.label.set")
    window.session.edit("Remove the first", table(window).without([0]))
    wait_until(lambda: "suspect" in table(window).schema)
    assert table(window).row_ids[table(window).column("suspect") == 0].tolist() == [1, 4]
    assert len(table(window)) == 29
