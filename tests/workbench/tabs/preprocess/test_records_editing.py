"""The records table as an editor: cells typed, cleared and refused in place; records added and removed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QListWidget, QMenu, QWidget

from algorithms.data.columns import STRING
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from tests.expected_texts import core as core_wording
from tests.expected_texts import tabs_preprocess as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import CONTROL, LEFT, SHIFT, choose_entry, part
from workbench.session.session import Session
from workbench.tabs.preprocess.tab import PreprocessTab

X, COLOUR, DAY, NOTE, LEVEL = range(5)


def table(n: int = 30) -> Dataset:
    schema = Schema(
        (
            numeric("x"),
            nominal("colour", ["red", "green", "blue"]),
            Attribute("day", AttributeKind.DATE),
            Attribute("note", AttributeKind.TEXT),
            nominal("level", ["low", "high"], ordinal=True),
        ),
        1,
    )
    notes = np.array([f"note {i}" for i in range(n)], dtype=STRING)
    columns = [np.arange(n) * 0.5, np.arange(n) % 3, np.arange(n) * 86400.0, notes, np.arange(n) % 2]
    return Dataset(schema, columns, origin=DataOrigin("made"))


@pytest.fixture
def tab(session: Session, stage: Stage) -> PreprocessTab:
    tab = stage.show(PreprocessTab(session), 1100, 900, active=True)
    stage.open(session, table())
    return tab


def click(
    tab: PreprocessTab, row: int, column: int, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    view = tab.records.view
    view.scrollTo(view.model().index(row, column))
    QTest.mouseClick(view.viewport(), LEFT, keys, view.visualRect(view.model().index(row, column)).center())
    view.setFocus()


def editor(tab: PreprocessTab) -> QLineEdit | None:
    found = [w for w in tab.findChildren(QLineEdit, "preprocess.cell") if w.isVisible()]
    return found[-1] if found else None


def typed(tab: PreprocessTab, words: str, then: Qt.Key | None = Qt.Key.Key_Return) -> None:
    """Type into the cell at the cursor as a person does: the first key opens it."""
    open_one = editor(tab)
    if open_one is None:
        QTest.keyClicks(tab.records.view, words[:1])
        open_one = editor(tab)
        words = words[1:]
    assert open_one is not None
    QTest.keyClicks(open_one, words)
    if then is not None:
        QTest.keyClick(open_one, then)


def cell(session: Session, row: int, column: int) -> str | None:
    from algorithms.data.convert_kind import cell_texts

    data = session.data
    assert data is not None
    return cell_texts(data.schema.attributes[column], data.cells(column, np.array([row])))[0]


def says(tab: PreprocessTab) -> str:
    found = [w for w in tab.window().findChildren(QLabel, "preprocess.cell.says") if w.isVisible()]
    return found[-1].text() if found else ""


def at(tab: PreprocessTab) -> tuple[int, int]:
    index = tab.records.view.currentIndex()
    return index.row(), index.column()


def test_typing_replaces_a_cell_and_enter_goes_down(tab: PreprocessTab, session: Session) -> None:
    click(tab, 2, X)
    typed(tab, "7.25")
    assert cell(session, 2, X) == "7.25" and at(tab) == (3, X) and editor(tab) is None
    assert session.undo_stack.undoText() == wording.undo_set_cell("x", 3, 7.25)
    session.undo_stack.undo()
    assert cell(session, 2, X) == "1"


def test_tab_takes_a_cell_and_opens_the_next_on_the_screen_and_escape_gives_up(
    tab: PreprocessTab, session: Session
) -> None:
    """The class stands first."""
    click(tab, 0, COLOUR)
    typed(tab, "blue", Qt.Key.Key_Tab)
    assert at(tab) == (0, X)
    typed(tab, "4", Qt.Key.Key_Tab)
    typed(tab, "1999-12-31", Qt.Key.Key_Tab)
    typed(tab, "changed", Qt.Key.Key_Escape)
    assert editor(tab) is None
    assert [cell(session, 0, c) for c in range(4)] == ["4", "blue", "1999-12-31", "note 0"]
    assert session.undo_stack.count() == 3


def test_tab_without_typing_changes_nothing_and_wraps_to_the_next_record(tab: PreprocessTab, session: Session) -> None:
    click(tab, 0, LEVEL)
    QTest.keyClick(tab.records.view, Qt.Key.Key_F2)
    open_one = editor(tab)
    assert open_one is not None
    QTest.keyClick(open_one, Qt.Key.Key_Tab)
    assert at(tab) == (1, COLOUR) and editor(tab) is not None
    back = editor(tab)
    assert back is not None
    QTest.keyClick(back, Qt.Key.Key_Backtab, SHIFT)
    assert at(tab) == (0, LEVEL)
    assert session.undo_stack.count() == 0


def test_f2_keeps_what_there_is_and_a_double_click_opens(tab: PreprocessTab, session: Session) -> None:
    click(tab, 3, NOTE)
    QTest.keyClick(tab.records.view, Qt.Key.Key_F2)
    typed(tab, " more")
    note = "note 3 more"
    assert cell(session, 3, NOTE) == note
    click(tab, 5, NOTE)
    view = tab.records.view
    where = view.visualRect(view.model().index(5, NOTE)).center()
    QTest.mouseDClick(view.viewport(), LEFT, pos=where)
    assert editor(tab) is not None


def test_what_is_no_number_is_refused_in_place_and_can_be_mended(tab: PreprocessTab, session: Session) -> None:
    click(tab, 1, X)
    typed(tab, "many")
    assert core_wording.not_a_number("many") in says(tab)
    open_one = editor(tab)
    assert open_one is not None and open_one.property("invalid") is True
    assert open_one.accessibleDescription() == says(tab)
    assert session.undo_stack.count() == 0
    open_one.selectAll()
    typed(tab, "12")
    assert cell(session, 1, X) == "12" and says(tab) == ""


def test_a_refused_cell_left_with_the_mouse_keeps_what_it_had_and_says_so(tab: PreprocessTab, session: Session) -> None:
    click(tab, 1, X)
    typed(tab, "many", None)
    click(tab, 4, NOTE)
    assert cell(session, 1, X) == "0.5" and editor(tab) is None
    notice = tab.findChild(QWidget, "preprocess.records.refused")
    assert notice is not None and notice.isVisible() and core_wording.NOT_A_NUMBER in notice.accessibleName()


def test_a_good_cell_left_with_the_mouse_is_taken(tab: PreprocessTab, session: Session) -> None:
    click(tab, 1, X)
    typed(tab, "9", None)
    click(tab, 4, NOTE)
    assert cell(session, 1, X) == "9"


def test_a_value_is_chosen_from_those_there_are_by_its_beginning(tab: PreprocessTab, session: Session) -> None:
    click(tab, 0, COLOUR)
    typed(tab, "gr")
    assert cell(session, 0, COLOUR) == "green"
    data = session.data
    assert data is not None and data.schema.attributes[COLOUR].values == ("red", "green", "blue")


def test_a_value_is_chosen_with_the_arrow_keys_or_the_mouse(tab: PreprocessTab, session: Session) -> None:
    click(tab, 0, COLOUR)
    QTest.keyClick(tab.records.view, Qt.Key.Key_F2)
    open_one = editor(tab)
    assert open_one is not None
    for _ in range(3):
        QTest.keyClick(open_one, Qt.Key.Key_Down)
    QTest.keyClick(open_one, Qt.Key.Key_Return)
    assert cell(session, 0, COLOUR) == "blue" and at(tab) == (1, COLOUR)
    QTest.keyClick(tab.records.view, Qt.Key.Key_F2)
    values = next(w for w in tab.window().findChildren(QListWidget, "preprocess.cell.values") if w.isVisible())
    assert [values.item(i).text() for i in range(values.count())] == ["red", "green", "blue"]
    QTest.mouseClick(values.viewport(), LEFT, pos=values.visualItemRect(values.item(0)).center())
    assert cell(session, 1, COLOUR) == "red" and editor(tab) is None


def test_a_new_value_is_asked_for_once_more(tab: PreprocessTab, session: Session) -> None:
    click(tab, 0, COLOUR)
    typed(tab, "mauve")
    assert wording.NEW_VALUE in says(tab) and session.undo_stack.count() == 0
    open_one = editor(tab)
    assert open_one is not None
    QTest.keyClick(open_one, Qt.Key.Key_Return)
    assert cell(session, 0, COLOUR) == "mauve"
    assert session.data is not None
    assert session.data.schema.attributes[COLOUR].values == ("red", "green", "blue", "mauve")
    session.undo_stack.undo()
    assert session.data.schema.attributes[COLOUR].values == ("red", "green", "blue")


def test_a_new_value_of_an_order_is_said_to_be_the_highest(tab: PreprocessTab, session: Session) -> None:
    click(tab, 0, LEVEL)
    typed(tab, "top")
    assert wording.AS_THE_HIGHEST in says(tab)


def test_delete_clears_the_chosen_cells_in_one_step(tab: PreprocessTab, session: Session) -> None:
    click(tab, 0, X)
    click(tab, 2, COLOUR, SHIFT)
    QTest.keyClick(tab.records.view, Qt.Key.Key_Delete)
    assert [cell(session, row, column) for row in range(3) for column in (X, COLOUR)] == [None] * 6
    assert cell(session, 3, X) == "1.5"
    assert session.undo_stack.undoText() == wording.UNDO_CLEAR_6 and session.undo_stack.count() == 1
    click(tab, 5, X)
    QTest.keyClick(tab.records.view, Qt.Key.Key_Delete)
    assert session.undo_stack.undoText() == wording.clear_x_of(6)
    QTest.keyClick(tab.records.view, Qt.Key.Key_Delete)
    assert session.undo_stack.count() == 2, "a missing cell cannot be cleared"


def test_a_question_mark_is_typed_like_any_other_key(tab: PreprocessTab, session: Session) -> None:
    click(tab, 0, NOTE)
    typed(tab, "?!")
    assert cell(session, 0, NOTE) == "?!"


def test_an_added_record_is_empty_last_and_ready_to_be_typed_into(tab: PreprocessTab, session: Session) -> None:
    choose_entry(tab, "preprocess.records.add")
    assert session.data is not None and len(session.data) == 31
    assert at(tab) == (30, COLOUR) and session.undo_stack.undoText() == wording.UNDO_ADD_RECORD
    typed(tab, "red", Qt.Key.Key_Tab)
    typed(tab, "3", Qt.Key.Key_Return)
    assert [cell(session, 30, c) for c in range(5)] == ["3", "red", None, None, None]
    for _ in range(3):
        session.undo_stack.undo()
    assert len(session.data) == 30 and tab.records.model.rowCount() == 30
    QTest.keyClick(tab.records.view, Qt.Key.Key_Insert)
    assert session.data.row_ids[-1] == 31, "the number of the undone record is not given again"


def test_whole_rows_are_removed_by_the_delete_key_and_come_back(tab: PreprocessTab, session: Session) -> None:
    header = tab.records.view.verticalHeader()
    for row, keys in ((1, Qt.KeyboardModifier.NoModifier), (3, SHIFT)):
        QTest.mouseClick(header.viewport(), LEFT, keys, QPoint(10, header.sectionViewportPosition(row) + 8))
    assert part(tab, QAction, "preprocess.records.remove").text() == wording.remove_records(3)
    QTest.keyClick(tab.records.view, Qt.Key.Key_Delete)
    assert session.data is not None
    assert session.data.row_ids[:3].tolist() == [0, 4, 5] and len(session.data) == 27
    assert session.undo_stack.undoText() == wording.remove_records(3)
    session.undo_stack.undo()
    assert len(session.data) == 30


def test_the_record_of_a_cell_is_removed_by_its_button(tab: PreprocessTab, session: Session) -> None:
    click(tab, 4, X)
    assert part(tab, QAction, "preprocess.records.remove").text() == "Remove record"
    choose_entry(tab, "preprocess.records.remove")
    assert session.undo_stack.undoText() == wording.UNDO_REMOVE_RECORD_5 and at(tab) == (4, X)


def test_the_last_record_stays(tab: PreprocessTab, session: Session) -> None:
    QTest.keyClick(tab.records.view, Qt.Key.Key_A, CONTROL)
    QTest.keyClick(tab.records.view, Qt.Key.Key_Delete)
    assert session.data is not None and len(session.data) == 30
    notice = tab.findChild(QWidget, "preprocess.records.refused")
    assert notice is not None and wording.NEEDS_A_RECORD in notice.accessibleName()


def test_undone_edits_hold_no_copies_of_columns(session: Session) -> None:
    session.set_document(table())
    assert session.data is not None
    first = session.data.with_cells(X, np.array([0]), np.array([5.0]))
    session.edit("one", first)
    assert first.column(X)[0] == 5
    session.edit("two", first.with_cells(X, np.array([1]), np.array([6.0])))
    session.turns.finish()
    assert first._materialised == {}
    second = session.data
    assert second.column(X)[0] == 5
    session.edit("three", second.with_cells(X, np.array([2]), np.array([7.0])))
    session.undo_stack.undo()
    session.turns.finish()
    assert X in second._materialised, "it is in view again"


def copied(text: str) -> None:
    QGuiApplication.clipboard().setText(text)


def paste(tab: PreprocessTab) -> None:
    QTest.keyClick(tab.records.view, Qt.Key.Key_V, CONTROL)


def test_a_block_is_copied_and_pasted_elsewhere_in_one_step(tab: PreprocessTab, session: Session) -> None:
    click(tab, 1, X)
    click(tab, 2, COLOUR, SHIFT)
    QTest.keyClick(tab.records.view, Qt.Key.Key_C, CONTROL)
    block = "green\t0.5\nblue\t1"
    assert QGuiApplication.clipboard().text() == block, "as on the screen, the class first"
    click(tab, 3, COLOUR)
    paste(tab)
    assert [cell(session, row, column) for row in (3, 4) for column in (X, COLOUR)] == ["0.5", "green", "1", "blue"]
    assert session.undo_stack.undoText() == wording.UNDO_PASTE_4 and session.undo_stack.count() == 1


def test_one_cell_fills_all_that_are_chosen(tab: PreprocessTab, session: Session) -> None:
    copied("8")
    click(tab, 0, X)
    click(tab, 3, X, SHIFT)
    paste(tab)
    assert [cell(session, row, X) for row in range(5)] == ["8", "8", "8", "8", "2"]
    assert session.undo_stack.undoText() == wording.UNDO_PASTE_4


def test_a_block_from_a_spreadsheet_goes_on_beyond_the_last_record(tab: PreprocessTab, session: Session) -> None:
    copied("red\t1\r\npink\t2\r\n\t3\r\n")
    click(tab, 29, COLOUR)
    paste(tab)
    assert session.data is not None and len(session.data) == 32
    assert [cell(session, row, COLOUR) for row in (29, 30, 31)] == ["red", "pink", None]
    assert [m.sentence for m in session.messages.history] == [wording.NEW_IN_COLOUR]
    session.undo_stack.undo()
    assert len(session.data) == 30


def test_a_block_with_a_word_among_numbers_is_refused_whole(tab: PreprocessTab, session: Session) -> None:
    copied("1\nmany")
    click(tab, 0, X)
    paste(tab)
    assert session.undo_stack.count() == 0 and cell(session, 0, X) == "0"
    notice = tab.findChild(QWidget, "preprocess.records.refused")
    assert notice is not None and notice.isVisible()
    assert wording.BLOCK_REFUSED in notice.accessibleName()


def test_cells_are_cut_out_and_put_elsewhere(tab: PreprocessTab, session: Session) -> None:
    click(tab, 1, NOTE)
    QTest.keyClick(tab.records.view, Qt.Key.Key_X, CONTROL)
    assert cell(session, 1, NOTE) is None
    click(tab, 2, NOTE)
    paste(tab)
    assert cell(session, 2, NOTE) == "note 1"


def test_pasting_into_a_sorted_table_goes_down_what_is_seen(tab: PreprocessTab, session: Session) -> None:
    tab.records.order.sort_by("x")
    tab.records.order.sort_by("x")
    copied("a\nb")
    click(tab, 0, NOTE)
    paste(tab)
    assert cell(session, 29, NOTE) == "a" and cell(session, 28, NOTE) == "b"


def test_the_right_button_offers_what_keys_and_buttons_do(tab: PreprocessTab, session: Session) -> None:
    click(tab, 1, X)
    view = tab.records.view
    view.customContextMenuRequested.emit(view.visualRect(view.currentIndex()).center())
    menu = next(w for w in QApplication.topLevelWidgets() if w.objectName() == "preprocess.records.menu")
    assert isinstance(menu, QMenu)
    named = {action.text().partition("\t")[0]: action for action in menu.actions()}
    assert list(named)[:4] == [wording.EDIT_THE_CELL, "Copy", "Paste", "Clear"]
    where = menu.actionGeometry(named["Clear"]).center()
    QTest.mouseClick(menu, LEFT, pos=where)
    assert cell(session, 1, X) is None and session.undo_stack.undoText() == wording.clear_x_of(2)


DESTROYED_WHILE_EDITING = """
import sys
from PySide6.QtWidgets import QApplication
from shiboken6 import delete
from algorithms.catalogue import builtin
from tests.scripted_session import turn
from tests.workbench.tabs.preprocess.test_records_editing import COLOUR, X, editor, table
from workbench.session.session import Session
from workbench.session.settings import Settings
from workbench.style.theme import themes
from workbench.tabs.preprocess.tab import PreprocessTab
application = QApplication([])
themes.install(application, "light")
session = Session(builtin(), Settings())
tab = PreprocessTab(session)
tab.resize(1100, 900)
tab.show()
session.set_document(table())
turn(lambda: session.summary is not None)
tab.activateWindow()
tab.records.view.go_to(1, COLOUR)
tab.records.view.edit_current()
values = tab.findChild(object, "preprocess.cell.values")
assert editor(tab) is not None and values.isVisible()
session.close()
if sys.argv[1] == "deleted":
    delete(tab)
elif sys.argv[1] == "collected":
    del tab, values
"""


@pytest.mark.parametrize("how", ["deleted", "collected", "at the end of the program"])
def test_a_window_is_destroyed_in_peace_while_a_cell_with_values_to_choose_from_is_edited(how: str) -> None:
    command = [sys.executable, "-c", DESTROYED_WHILE_EDITING, how]
    ended = subprocess.run(command, cwd=Path(__file__).resolve().parents[4], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
