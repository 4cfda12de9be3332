"""The selected records as a list of their own in Preprocess, by mouse and keys in the real window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QPushButton, QTabBar, QTableView

from tests.expected_texts import session as wording
from tests.workbench.selection_helpers import opened, select, selected, shown
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, choose_entry, part, press
from workbench.app.main_window import MainWindow


@pytest.fixture
def window(stage: Stage) -> MainWindow:
    return opened(stage)


def test_the_selected_records_are_listed_from_any_tab(window: MainWindow, wait_until: Wait) -> None:
    window.show_tab(2)
    select(window, 3, 11, 20)
    choose_entry(window, "selection.show")
    assert part(window, QTabBar, "tabs").currentIndex() == 0
    assert shown(window) == ["4", "12", "21"]
    assert part(window, QTableView, "preprocess.records").hasFocus()
    assert part(window, QTableView, "preprocess.records").rowAt(80) == 2, "there is room for them"
    said = part(window, QLabel, "preprocess.records.listed.words")
    assert said.text() == wording.ONLY_3_LISTED
    choose_entry(window, "selection.clear")
    assert said.isVisible() and wording.NO_LONGER_SELECTED in said.text()
    assert shown(window) == ["4", "12", "21"]
    press(window, "preprocess.records.show-all")
    assert len(shown(window)) == 30 and not said.isVisible()
    assert part(window, QTableView, "preprocess.records").rowAt(300) > 5, "it had room, and has it still"
    assert part(window, QTableView, "preprocess.records").hasFocus()


def test_the_attributes_that_made_room_for_the_list_come_back_when_asked(window: MainWindow) -> None:
    select(window, *range(20))
    choose_entry(window, "selection.show")
    attributes = part(window, QTableView, "preprocess.attributes")
    assert not attributes.isVisible()
    choose_entry(window, "preprocess.records.expand")
    assert attributes.isVisible() and len(shown(window)) == 20


def test_showing_all_records_brings_back_the_attributes_unless_a_person_put_them_away(window: MainWindow) -> None:
    attributes = part(window, QTableView, "preprocess.attributes")
    select(window, *range(20))
    choose_entry(window, "selection.show")
    assert not attributes.isVisible()
    press(window, "preprocess.records.show-all")
    assert attributes.isVisible() and len(shown(window)) == 30
    choose_entry(window, "preprocess.records.expand")
    choose_entry(window, "selection.show")
    press(window, "preprocess.records.show-all")
    assert not attributes.isVisible()


def test_a_low_table_gets_the_room_to_find_in_and_gives_it_back(window: MainWindow, wait_until: Wait) -> None:
    window.resize(1280, 720)
    attributes, view = part(window, QTableView, "preprocess.attributes"), part(window, QTableView, "preprocess.records")
    press(window, "preprocess.records.filter")
    choose_entry(window, "preprocess.records.find")
    wait_until(lambda: view.viewport().height() > 4 * view.rowHeight(0))
    assert not attributes.isVisible()
    choose_entry(window, "preprocess.records.find")
    assert not attributes.isVisible(), "it is still filtered"
    press(window, "preprocess.records.filter")
    assert attributes.isVisible() and view.hasFocus()


def test_the_list_stays_while_others_are_selected_in_it_and_is_made_anew_when_asked(window: MainWindow) -> None:
    select(window, 3, 11, 20)
    choose_entry(window, "selection.show")
    header = part(window, QTableView, "preprocess.records").verticalHeader()
    QTest.mouseClick(
        header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(10, header.sectionViewportPosition(1) + 8)
    )
    assert selected(window) == [11] and shown(window) == ["4", "12", "21"]
    choose_entry(window, "selection.show")
    assert shown(window) == ["12"]


def test_the_listed_records_are_removed_and_come_back(window: MainWindow) -> None:
    select(window, 3, 11)
    choose_entry(window, "selection.show")
    choose_entry(window, "selection.remove")
    assert len(shown(window)) == 28, "an empty list would say nothing"
    assert not part(window, QPushButton, "preprocess.records.show-all").isVisible()
    window.session.undo_stack.undo()
    assert len(shown(window)) == 30
