"""Values of a nominal attribute renamed by typing over them and merged, in the pane of the attribute."""

from __future__ import annotations

import threading

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QListWidget, QPushButton

from algorithms.data.convert_kind import cell_texts
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Schema, nominal, numeric
from algorithms.filters.scale import Scale
from tests.expected_texts import tabs_preprocess as wording
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import CONTROL, LEFT, Wait, choose, choose_entry, part
from workbench.session.session import Session
from workbench.tabs.preprocess import attribute_edits
from workbench.tabs.preprocess.attributes.attributes_model import AttributesColumn
from workbench.tabs.preprocess.tab import PreprocessTab


def table() -> Dataset:
    schema = Schema((numeric("x"), nominal("city", ("Bern", "Rome", "rome", "Paris")), nominal("class", ("a", "b"))), 2)
    return Dataset(schema, [[1, 2, 3, 4], [0, 1, 2, 3], [0, 1, 0, 1]], origin=DataOrigin("made"))


@pytest.fixture
def tab(session: Session, stage: Stage) -> PreprocessTab:
    tab = stage.show(PreprocessTab(session), 1200, 900, active=True)
    stage.open(session, table())
    return tab


def open_values(tab: PreprocessTab, row: int) -> QListWidget:
    view = tab.attributes.view
    where = view.visualRect(view.model().index(row, AttributesColumn.NAME)).center()
    QTest.mouseClick(view.viewport(), LEFT, pos=where)
    choose(part(tab, QComboBox, "preprocess.show"), 1)
    found = tab.findChild(QListWidget, "preprocess.values")
    assert found is not None and found.isVisible()
    return found


def click(values: QListWidget, row: int, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    where: QPoint = values.visualItemRect(values.item(row)).center()
    QTest.mouseClick(values.viewport(), LEFT, keys, where)


def rename(values: QListWidget, new: str) -> None:
    QTest.keyClick(values, Qt.Key.Key_F2)
    line = values.findChild(QLineEdit)
    assert line is not None
    line.selectAll()
    QTest.keyClicks(line, new)
    QTest.keyClick(line, Qt.Key.Key_Return)
    QTest.qWait(20)


def cities(session: Session) -> list[str | None]:
    data = session.data
    assert data is not None
    return cell_texts(data.schema.attributes[1], data.column(1))


def test_a_value_is_renamed_by_typing_over_it(tab: PreprocessTab, session: Session) -> None:
    values = open_values(tab, 1)
    click(values, 3)
    rename(values, "Lyon")
    assert cities(session) == ["Bern", "Rome", "rome", "Lyon"]
    assert session.undo_stack.undoText() == wording.UNDO_RENAME_VALUE
    assert [values.item(i).text() for i in range(4)] == ["Bern", "Rome", "rome", "Lyon"]
    session.undo_stack.undo()
    assert cities(session)[3] == "Paris" and values.item(3).text() == "Paris"


def test_a_value_renamed_to_another_becomes_it(tab: PreprocessTab, session: Session) -> None:
    values = open_values(tab, 1)
    click(values, 2)
    rename(values, "Rome")
    assert cities(session) == ["Bern", "Rome", "Rome", "Paris"] and values.count() == 3
    assert session.undo_stack.undoText() == wording.UNDO_MERGE_TWO


def test_an_empty_name_is_not_taken(tab: PreprocessTab, session: Session) -> None:
    values = open_values(tab, 1)
    click(values, 2)
    rename(values, " ")
    assert session.undo_stack.count() == 0 and values.item(2).text() == "rome"


def test_several_values_are_merged_under_one_name(tab: PreprocessTab, session: Session) -> None:
    values = open_values(tab, 1)
    click(values, 1)
    merge, name = tab.findChild(QAction, "preprocess.values.merge"), part(tab, QLineEdit, "preprocess.values.name")
    assert merge is not None and not merge.isEnabled() and not name.isVisible()
    click(values, 2, CONTROL)
    click(values, 3, CONTROL)
    assert merge.isEnabled() and name.isVisible() and name.text() == "Rome"
    assert wording.MERGE_3_AS in [words.text() for words in tab.findChildren(QLabel)]
    name.selectAll()
    QTest.keyClicks(name, "South")
    choose_entry(tab, "preprocess.values.merge")
    assert cities(session) == ["Bern", "South", "South", "South"]
    assert session.undo_stack.undoText() == wording.UNDO_MERGE_3 and session.undo_stack.count() == 1
    session.undo_stack.undo()
    assert cities(session) == ["Bern", "Rome", "rome", "Paris"]


def test_the_class_of_interest_keeps_its_meaning_under_a_new_name(tab: PreprocessTab, session: Session) -> None:
    session.set_class_of_interest(0)
    values = open_values(tab, 2)
    click(values, 0)
    rename(values, "good")
    assert session.classes == ("good", "b") and session.class_of_interest == 0


def test_the_class_of_interest_comes_back_when_its_new_name_is_undone(tab: PreprocessTab, session: Session) -> None:
    session.set_class_of_interest(0)
    before = session.classes[0]
    values = open_values(tab, 2)
    click(values, 0)
    rename(values, "good")
    session.undo_stack.undo()
    assert session.classes[session.class_of_interest] == before
    assert session.class_of_interest == 0
    session.undo_stack.redo()
    assert session.classes[session.class_of_interest] == "good"
    session.history.go_to(0)
    assert session.class_of_interest == 0


def test_the_class_of_interest_is_kept_when_it_is_renamed_in_a_job(
    tab: PreprocessTab, session: Session, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attribute_edits, "SMALL", 2)
    session.set_class_of_interest(0)
    old, other = session.classes
    values = open_values(tab, 2)
    click(values, 0)
    rename(values, other)
    wait_until(lambda: session.undo_stack.count() == 1)
    assert session.decisions.interest.chosen == {session.data.schema.class_attribute.name: other}
    session.undo_stack.undo()
    assert session.classes[session.class_of_interest] == old


def test_many_records_are_merged_in_a_job_and_the_list_shows_what_is(
    tab: PreprocessTab, session: Session, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attribute_edits, "SMALL", 2)
    values = open_values(tab, 1)
    click(values, 2)
    rename(values, "Rome")
    wait_until(lambda: session.undo_stack.count() == 1)
    assert values.count() == 3 and cities(session)[2] == "Rome"


def test_ranks_are_offered_only_where_there_are_some(tab: PreprocessTab) -> None:
    open_values(tab, 1)
    up = tab.findChild(QAction, "preprocess.values.up")
    assert up is not None and not up.isVisible()
    view = tab.attributes.view
    QTest.mouseClick(view.viewport(), LEFT, pos=view.visualRect(view.model().index(0, AttributesColumn.NAME)).center())
    assert not part(tab, QComboBox, "preprocess.show").isVisible()


def test_the_class_of_interest_stays_when_the_class_itself_is_renamed(tab: PreprocessTab, session: Session) -> None:
    for code in (0, 1):
        session.set_class_of_interest(code)
        name = session.data.schema.class_attribute.name
        attribute_edits.Changes(session).rename(name, f"{name} {code}")
        assert session.data.schema.class_attribute.name == f"{name} {code}"
        assert session.class_of_interest == code


def test_no_button_lies_over_the_values_where_there_is_little_height(session: Session, stage: Stage) -> None:
    tab = stage.show(PreprocessTab(session), 1000, 560, active=True)
    stage.open(session, table())
    values = open_values(tab, 1)
    rename = tab.findChild(QPushButton, "preprocess.values.acts")
    assert rename is not None and values.height() >= 3 * values.sizeHintForRow(0)
    boxes = [QRect(each.mapTo(tab, QPoint()), each.size()) for each in (values, rename)]
    assert not boxes[0].intersects(boxes[1])


def test_a_step_made_permanent_does_not_end_an_edit_that_is_under_way(
    session: Session, tab: PreprocessTab, monkeypatch: pytest.MonkeyPatch, wait_until: Wait
) -> None:
    monkeypatch.setattr(attribute_edits, "SMALL", 0)
    session.set_recipe((Scale(),), "scale")
    changes, go_on = attribute_edits.Changes(session), threading.Event()

    def change(data: Dataset, checkpoint: attribute_edits.Checkpoint) -> Dataset:
        while not go_on.wait(0.01):
            checkpoint()
        return data.with_class(None)

    changes.apply("slow edit", change)
    changes.make_permanent(0)
    go_on.set()
    wait_until(lambda: not session.jobs.running)
    texts = [session.undo_stack.text(i) for i in range(session.undo_stack.count())]
    assert "slow edit" in texts
