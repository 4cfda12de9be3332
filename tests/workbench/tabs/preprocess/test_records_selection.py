"""The records table and the window's one selection."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from tests.workbench.stage import Stage
from tests.workbench.window_helpers import LEFT, NONE, SHIFT, small_data
from workbench.session.session import Session
from workbench.tabs.preprocess.tab import PreprocessTab


@pytest.fixture
def tab(session: Session, stage: Stage) -> PreprocessTab:
    tab = stage.show(PreprocessTab(session), 1100, 800)
    stage.open(session, small_data())
    return tab


def click_row(tab: PreprocessTab, row: int, keys: Qt.KeyboardModifier = NONE) -> None:
    header = tab.records.view.verticalHeader()
    QTest.mouseClick(header.viewport(), LEFT, keys, QPoint(10, header.sectionViewportPosition(row) + 8))


def selected(tab: PreprocessTab) -> list[int]:
    data = tab._session.data
    assert data is not None
    return tab._session.selection.rows_of(data).tolist()


def colour(tab: PreprocessTab, row: int) -> str:
    view = tab.records.view
    rect = view.visualRect(view.model().index(row, 1))
    return view.viewport().grab().toImage().pixelColor(rect.left() + 2, rect.center().y()).name()


def test_whole_rows_chosen_by_their_numbers_are_selected(tab: PreprocessTab) -> None:
    click_row(tab, 1)
    assert selected(tab) == [1]
    click_row(tab, 3, SHIFT)
    assert selected(tab) == [1, 2, 3]


def test_cells_chosen_for_copying_select_no_record(tab: PreprocessTab) -> None:
    view = tab.records.view
    QTest.mouseClick(view.viewport(), LEFT, NONE, view.visualRect(view.model().index(2, 1)).center())
    assert selected(tab) == [] and len(view.selectionModel().selectedIndexes()) == 1


def test_records_selected_elsewhere_are_tinted(tab: PreprocessTab) -> None:
    plain = colour(tab, 2)
    data = tab._session.data
    assert data is not None
    tab._session.selection.select(data, np.array([2, 4]))
    assert colour(tab, 2) != plain == colour(tab, 1)
    tab._session.selection.clear()
    assert colour(tab, 2) == plain


def test_rows_chosen_here_go_when_others_are_selected_elsewhere(tab: PreprocessTab) -> None:
    click_row(tab, 0)
    data = tab._session.data
    assert data is not None
    tab._session.selection.select(data, np.array([5]))
    assert selected(tab) == [5] and not tab.records.view.selectionModel().hasSelection()


def test_another_choice_of_rows_keeps_the_records_tinted(tab: PreprocessTab) -> None:
    data = tab._session.data
    assert data is not None
    tab._session.selection.select(data, np.array([3]))
    tab._session.edit("Keep some", data.take(np.array([3, 1, 0])))
    assert tab.records.view.painter.is_lit(0) and not tab.records.view.painter.is_lit(1)


def test_a_cell_chosen_later_leaves_what_was_selected_elsewhere_since(tab: PreprocessTab) -> None:
    click_row(tab, 0)
    data, view = tab._session.data, tab.records.view
    assert data is not None
    tab._session.selection.select(data, np.array([5, 6]))
    QTest.mouseClick(view.viewport(), LEFT, NONE, view.visualRect(view.model().index(2, 1)).center())
    assert selected(tab) == [5, 6]


def test_what_is_selected_elsewhere_is_scrolled_to_once_and_what_is_selected_here_is_not(
    session: Session, stage: Stage
) -> None:
    tab = stage.show(PreprocessTab(session), 1100, 800)
    stage.open(session, small_data(3000))
    view, data = tab.records.view, session.data
    assert data is not None

    def is_seen(record: int) -> bool:
        row = tab.records.model.row_of(record)
        return view.rowAt(0) <= row <= view.rowAt(view.viewport().height() - 1)

    session.selection.select(data, np.array([2000, 2900]))
    assert is_seen(2000)
    session.selection.select(data, np.array([5, 2001]))  # one of them is seen: nothing moves
    assert is_seen(2000) and not is_seen(5)
    view.scrollToTop()
    click_row(tab, 3)
    assert is_seen(0)
    tab.hide()  # while another tab is in view
    session.selection.select(data, np.array([1500]))
    assert not is_seen(1500)
    tab.show()
    assert is_seen(1500)
    view.scrollToTop()  # who went elsewhere stays there
    tab.hide()
    tab.show()
    assert is_seen(0)
