"""The table edited as a person edits it: from a file with faults to a clean table, with mouse and keys only."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QLineEdit, QListWidget, QSpinBox, QTableView

from tests.expected_texts import app as wording
from tests.expected_texts import core as core_wording
from tests.expected_texts import session as session_wording
from tests.expected_texts import tabs_preprocess as tabs_preprocess_wording
from tests.workbench.app.test_as_a_person import Person
from workbench.app.main_window import MainWindow
from workbench.app.start import make_window

Wait = Callable[..., None]
LEFT, CONTROL, SHIFT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
AGE, CITY, OUTCOME = range(3)

CITIES = ("Bern", "Rome", "bern", "Oslo")
LINES = ["age,city,outcome", *(f"{20 + i % 30},{CITIES[i % 4]},{'ny'[i % 2]}" for i in range(60))]


@pytest.fixture
def window(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: Wait
) -> Iterator[MainWindow]:
    monkeypatch.setenv("COPPICE_HOME", str(tmp_path))
    made = make_window(qapp)
    made.resize(1280, 900)
    made.show()
    made.activateWindow()
    wait_until(made.isActiveWindow)
    yield made
    made.session.jobs.stop_all()
    made.session.close()
    made.deleteLater()
    QTest.qWait(0)


class Editor(Person):
    """A person at the table of records."""

    @property
    def table(self) -> QTableView:
        return self.see(QTableView, "preprocess.records")

    def point_at(self, row: int, column: int, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        index = self.table.model().index(row, column)
        self.table.scrollTo(index)
        QTest.mouseClick(self.table.viewport(), LEFT, keys, self.table.visualRect(index).center())

    def write(self, words: str, then: Qt.Key) -> None:
        """Type into the cell at the cursor; where none is open yet, the first key opens it."""
        if not [w for w in self.window.findChildren(QLineEdit, "preprocess.cell") if w.isVisible()]:
            QTest.keyClicks(self.table, words[0])
            words = words[1:]
        QTest.keyClicks(self.see(QLineEdit, "preprocess.cell"), words)
        QTest.keyClick(self.see(QLineEdit, "preprocess.cell"), then)

    def click_head(self, column: int) -> None:
        head = self.table.horizontalHeader()
        where = QPoint(head.sectionViewportPosition(column) + 15, head.height() // 2)
        QTest.mouseClick(head.viewport(), LEFT, pos=where)

    def sees(self, row: int) -> list[str]:
        model = self.table.model()
        return [str(model.index(row, column).data()) for column in range(3)]


def test_a_table_with_faults_is_cleaned(window: MainWindow, tmp_path: Path, wait_until: Wait) -> None:
    session, person = window.session, Editor(window, wait_until)
    path = tmp_path / "people.csv"
    path.write_text("\n".join(LINES), "utf-8")
    window.open_file(str(path))
    wait_until(lambda: session.data is not None and session.summary is not None, 60)
    wait_until(lambda: person.sees(0) == ["20", "Bern", "n"])

    # a wrong number is refused in place, and mended there
    person.point_at(0, AGE)
    person.write("2o", Qt.Key.Key_Return)
    assert core_wording.not_a_number("2o") in person.read("preprocess.cell.says")
    person.see(QLineEdit, "preprocess.cell").selectAll()
    person.write("21", Qt.Key.Key_Tab)
    person.write("Os", Qt.Key.Key_Return)
    assert person.sees(0) == ["21", "Oslo", "n"]

    # a record more, filled along its row from the class on, that by the first letter of its value
    person.choose_entry("preprocess.records.add")
    for words, then in (("y", Qt.Key.Key_Tab), ("44", Qt.Key.Key_Tab), ("Bern", Qt.Key.Key_Return)):
        person.write(words, then)
    assert person.sees(60) == ["44", "Bern", "y"]

    # the youngest first; the first two are removed by their numbers
    person.click_head(AGE)
    assert person.sees(0)[0] == "20"
    numbers = person.table.verticalHeader()
    for row, keys in ((0, Qt.KeyboardModifier.NoModifier), (1, SHIFT)):
        where = QPoint(8, numbers.sectionViewportPosition(row) + 8)
        QTest.mouseClick(numbers.viewport(), LEFT, keys, where)
    person.choose_entry("preprocess.records.remove")
    assert session.data is not None and len(session.data) == 59
    person.click_head(AGE)
    person.click_head(AGE)

    # one spelling is replaced by the other everywhere
    window.activateWindow()  # the offscreen platform has no active window any more once a tip was shown
    wait_until(window.isActiveWindow)
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_F, CONTROL)
    QTest.keyClicks(person.see(QLineEdit, "preprocess.find.text"), "rome")
    wait_until(lambda: "15" in person.see(QSpinBox, "preprocess.find.match").text())
    QTest.keyClicks(person.see(QLineEdit, "preprocess.find.by"), "Roma")
    person.choose_entry("preprocess.find.replace_all")
    wait_until(lambda: person.read("preprocess.find.count") == "Not found")
    person.choose_entry("preprocess.records.find")

    # two spellings are merged into one value
    person.click_row("preprocess.attributes", "city")
    person.choose("preprocess.show", "Values")
    values = person.see(QListWidget, "preprocess.values")
    names = [values.item(row).text() for row in range(values.count())]
    for name, keys in (("Bern", Qt.KeyboardModifier.NoModifier), ("bern", CONTROL)):
        item = values.item(names.index(name))
        values.scrollToItem(item)
        QTest.mouseClick(values.viewport(), LEFT, keys, values.visualItemRect(item).center())
    person.choose_entry("preprocess.values.merge")
    wait_until(lambda: values.count() == len(names) - 1)

    # what is neither young nor from Oslo is left out of sight, then out of the table
    person.click("preprocess.records.filter")
    person.choose("preprocess.filter.0.attribute", "age")
    person.choose("preprocess.filter.0.relation", "is at most")
    QTest.keyClicks(person.see(QLineEdit, "preprocess.filter.0.value"), "45")
    wait_until(lambda: "match" in person.read("preprocess.filter.count"))
    person.choose_entry("preprocess.filter.keep")
    n_kept = len(session.data)
    assert 0 < n_kept < 59
    person.click("preprocess.records.filter")
    assert person.see(QComboBox, "preprocess.kind")

    # a block is copied and pasted
    person.point_at(0, AGE)
    person.point_at(1, CITY, SHIFT)
    QTest.keyClick(person.table, Qt.Key.Key_C, CONTROL)
    assert len(QGuiApplication.clipboard().text().splitlines()) == 2
    person.point_at(2, AGE)
    QTest.keyClick(person.table, Qt.Key.Key_V, CONTROL)
    assert person.sees(2)[:2] == person.sees(0)[:2]

    # every step has its name; the first one is a click away, and so is the last
    person.window.top.show_history()
    steps = person.see(QListWidget, "history.steps")
    told = [steps.item(row).text().partition("  ·")[0] for row in range(steps.count())]
    assert told == [
        session_wording.AS_IT_WAS_OPENED,
        tabs_preprocess_wording.undo_set_cell("age", 1, 21),
        tabs_preprocess_wording.undo_set_cell("city", 1, "Oslo"),
        tabs_preprocess_wording.UNDO_ADD_RECORD,
        tabs_preprocess_wording.undo_set_cell("outcome", 61, "y"),
        tabs_preprocess_wording.undo_set_cell("age", 61, 44),
        tabs_preprocess_wording.undo_set_cell("city", 61, "Bern"),
        tabs_preprocess_wording.remove_records(2),
        tabs_preprocess_wording.replace_in_cells("rome", "Roma", 15),
        wording.UNDO_MERGE_2,
        tabs_preprocess_wording.keep_records(n_kept, 59),
        tabs_preprocess_wording.UNDO_PASTE_4,
    ]
    QTest.mouseClick(steps.viewport(), LEFT, pos=steps.visualItemRect(steps.item(0)).center())
    wait_until(lambda: session.data is not None and len(session.data) == 60)
    assert person.sees(0) == ["20", "Bern", "n"]
    person.window.top.show_history()
    steps = person.see(QListWidget, "history.steps")
    QTest.keyClick(steps, Qt.Key.Key_End)
    QTest.keyClick(steps, Qt.Key.Key_Return)
    wait_until(lambda: session.data is not None and len(session.data) == n_kept)
    assert [w for w in window.findChildren(QLabel, "preprocess.cell.says") if w.isVisible()] == []
