"""Find and replace in the records: with mouse and keys, one step of undo for all."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QComboBox, QLabel, QLineEdit, QSpinBox, QWidget

from algorithms.data.columns import STRING
from algorithms.data.convert_kind import cell_texts
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal, numeric
from tests.expected_texts import core as core_wording
from tests.expected_texts import tabs_preprocess as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import CONTROL, LEFT, SHIFT, Wait, choose_entry
from workbench.session.session import Session
from workbench.tabs.preprocess import attribute_edits
from workbench.tabs.preprocess.tab import PreprocessTab
from workbench.tabs.preprocess.table import filter_and_find_bars

X, CITY, NOTE = range(3)


def table() -> Dataset:
    schema = Schema((numeric("x"), nominal("city", ("Bern", "Rome")), Attribute("note", AttributeKind.TEXT)), 1)
    notes = np.array(["to Bern", "rome", "Bern bern", "12", "none"], dtype=STRING)
    return Dataset(schema, [[12, 3, 125, 4, 5], [0, 1, 0, 1, 0], notes], origin=DataOrigin("made"))


@pytest.fixture
def tab(session: Session, stage: Stage) -> PreprocessTab:
    tab = stage.show(PreprocessTab(session), 1200, 900, active=True)
    stage.open(session, table())
    tab.records.view.setFocus()
    return tab


def press(tab: PreprocessTab, name: str) -> None:
    button = tab.findChild(QAbstractButton, name)
    assert button is not None and button.isVisible() and button.isEnabled(), name
    if isinstance(button, QCheckBox):
        button.setFocus()
        QTest.keyClick(button, Qt.Key.Key_Space)
    else:
        QTest.mouseClick(button, LEFT)


def line(tab: PreprocessTab, name: str) -> QLineEdit:
    found = tab.findChild(QLineEdit, name)
    assert found is not None and found.isVisible()
    return found


def find(tab: PreprocessTab, text: str, wait_until: Wait, count: str) -> None:
    QTest.keyClick(tab.records.view, Qt.Key.Key_F, CONTROL)
    QTest.keyClicks(line(tab, "preprocess.find.text"), text)
    wait_until(lambda: said(tab) == count)


def said(tab: PreprocessTab) -> str:
    found = tab.findChild(QLabel, "preprocess.find.count")
    assert found is not None
    return found.text()


def stepper(tab: PreprocessTab) -> QSpinBox:
    found = tab.findChild(QSpinBox, "preprocess.find.match")
    assert found is not None
    return found


def at(tab: PreprocessTab) -> tuple[int, int]:
    index = tab.records.view.currentIndex()
    return index.row(), index.column()


def texts(session: Session, column: int) -> list[str | None]:
    data = session.data
    assert data is not None
    return cell_texts(data.schema.attributes[column], data.column(column))


def test_what_is_found_is_counted_and_walked_around(tab: PreprocessTab, wait_until: Wait) -> None:
    find(tab, "bern", wait_until, "1 of 5")
    text = line(tab, "preprocess.find.text")
    seen = [at(tab)]
    for _ in range(5):
        QTest.keyClick(text, Qt.Key.Key_Return)
        seen.append(at(tab))
    assert seen == [(0, CITY), (0, NOTE), (2, CITY), (2, NOTE), (4, CITY), (0, CITY)]
    QTest.keyClick(text, Qt.Key.Key_Return, SHIFT)
    assert at(tab) == (4, CITY) and said(tab) == "5 of 5"
    assert len(tab.records.view.selectedIndexes()) == 1, "Shift does not select what lies between"
    stepper(tab).stepUp()
    assert at(tab) == (2, NOTE)
    view = tab.records.view
    assert view.painter.is_found(0, CITY)
    assert not view.painter.is_found(1, CITY)
    line(tab, "preprocess.find.text").setFocus()
    shot = view.viewport().grab().toImage()
    frames = [
        shot.pixelColor((view.visualRect(view.model().index(*cell)).topLeft() + QPoint(2, 3)) * shot.devicePixelRatio())
        for cell in ((2, NOTE), (2, CITY))
    ]
    assert frames[0] != frames[1], "the match in turn is framed"


def test_what_is_not_there_is_said(tab: PreprocessTab, wait_until: Wait) -> None:
    find(tab, "zz", wait_until, "Not found")
    assert not stepper(tab).isVisible()


def test_whole_cells_case_and_one_column_narrow_it(tab: PreprocessTab, wait_until: Wait) -> None:
    find(tab, "bern", wait_until, "1 of 5")
    press(tab, "preprocess.find.case")
    wait_until(lambda: said(tab).endswith("1"))
    press(tab, "preprocess.find.case")
    press(tab, "preprocess.find.whole")
    wait_until(lambda: said(tab).endswith("of 3") or said(tab).startswith("3"))
    press(tab, "preprocess.find.whole")
    where = tab.findChild(QComboBox, "preprocess.find.where")
    assert where is not None
    where.setFocus()
    QTest.keyClick(where, Qt.Key.Key_End)
    where.activated.emit(where.currentIndex())
    wait_until(lambda: "2" in said(tab))
    assert where.currentText() == "in note"


def test_replacing_goes_on_cell_by_cell(tab: PreprocessTab, session: Session, wait_until: Wait) -> None:
    find(tab, "bern", wait_until, "1 of 5")
    QTest.keyClicks(line(tab, "preprocess.find.by"), "Thun")
    choose_entry(tab, "preprocess.find.replace")
    assert texts(session, CITY)[0] == "Thun" and at(tab) == (0, NOTE) and said(tab) == "1 of 4"
    assert session.undo_stack.undoText() == wording.UNDO_REPLACE_ONE
    stepper(tab).stepDown()
    choose_entry(tab, "preprocess.find.replace")
    assert texts(session, CITY)[2] == "Thun" and texts(session, NOTE)[0] == "to Bern"
    assert session.undo_stack.count() == 2


def test_replacing_all_is_one_step_with_its_count(tab: PreprocessTab, session: Session, wait_until: Wait) -> None:
    find(tab, "bern", wait_until, "1 of 5")
    QTest.keyClicks(line(tab, "preprocess.find.by"), "Thun")
    choose_entry(tab, "preprocess.find.replace_all")
    assert texts(session, NOTE) == ["to Thun", "rome", "Thun Thun", "12", "none"]
    assert texts(session, CITY) == ["Thun", "Rome", "Thun", "Rome", "Thun"]
    assert session.undo_stack.count() == 1
    assert session.undo_stack.undoText() == wording.replace_in_cells("bern", "Thun", 5)
    assert said(tab) == "Not found"
    session.undo_stack.undo()
    assert texts(session, CITY)[0] == "Bern" and "5" in said(tab)


def test_what_a_column_cannot_hold_is_refused_and_nothing_replaced(
    tab: PreprocessTab, session: Session, wait_until: Wait
) -> None:
    find(tab, "12", wait_until, "1 of 3")
    QTest.keyClicks(line(tab, "preprocess.find.by"), "dozen")
    choose_entry(tab, "preprocess.find.replace_all")
    notice = tab.findChild(QWidget, "preprocess.records.refused")
    assert notice is not None and notice.isVisible() and core_wording.not_a_number("dozen") in notice.accessibleName()
    assert session.undo_stack.count() == 0 and at(tab) == (0, X)


def test_only_records_that_are_shown_are_searched(tab: PreprocessTab, session: Session, wait_until: Wait) -> None:
    from algorithms.data.conditions import Join, RecordCondition, Relation

    tab.records.order.filter_by([RecordCondition("x", Relation.LESS, "100")], Join.ALL)
    find(tab, "bern", wait_until, "1 of 3")
    choose_entry(tab, "preprocess.find.replace_all")
    assert texts(session, CITY)[2] == "Bern"


def test_many_cells_are_searched_and_replaced_in_jobs(
    tab: PreprocessTab, session: Session, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filter_and_find_bars, "SMALL", 3)
    monkeypatch.setattr(attribute_edits, "SMALL", 3)
    find(tab, "bern", wait_until, "1 of 5")
    QTest.keyClicks(line(tab, "preprocess.find.by"), "Thun")
    choose_entry(tab, "preprocess.find.replace_all")
    wait_until(lambda: session.undo_stack.count() == 1)
    wait_until(lambda: said(tab) == "Not found")
    assert texts(session, CITY)[0] == "Thun"


def test_escape_closes_it_and_gives_the_keyboard_back(tab: PreprocessTab, wait_until: Wait) -> None:
    find(tab, "bern", wait_until, "1 of 5")
    QTest.keyClick(line(tab, "preprocess.find.text"), Qt.Key.Key_Escape)
    assert not tab.records.find_bar.isVisible() and tab.records.view.hasFocus()
    assert len(tab.records.view.painter.found) == 0
