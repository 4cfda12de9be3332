"""A person comes with a workbook and a number to predict, and stays until it is kept: mouse and keys only."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xlsxwriter
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextDocumentFragment
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QComboBox,
    QFileDialog,
    QMenu,
    QPlainTextEdit,
    QTableWidget,
    QTextBrowser,
    QWidget,
)

from algorithms.learners.trees.c45 import C45
from tests.expected_texts import tabs_visualize as wording
from tests.workbench.app.test_as_an_editor import Editor
from tests.workbench.person import Person
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import CONTROL, LEFT, Wait, activate, drop, type_path
from workbench.app.main_window import MainWindow
from workbench.session.runs import RunState
from workbench.style.theme import themes


def workbook(path: Path) -> Path:
    """Two sheets; on the second what a house costs follows from its size and its town, with some noise."""
    random = np.random.default_rng(4)
    size, town = random.uniform(40, 200, 90).round(1), random.choice(["north", "south"], 90)
    price = (2.0 * size + 80 * (town == "south") + random.normal(0, 25, 90)).round(1)
    with xlsxwriter.Workbook(path) as made:
        made.add_worksheet("Notes").write_column(0, 0, ["written by", "hand", "hand"])
        sheet = made.add_worksheet("Houses")
        sheet.write_row(0, 0, ["size", "town", "price"])
        for row, record in enumerate(zip(size.tolist(), town.tolist(), price.tolist(), strict=True), 1):
            sheet.write_row(row, 0, record)
    return path


def choose_in_menu(menu: QMenu, name: str) -> None:
    action = next(each for each in menu.actions() if each.objectName() == name)
    QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())


def prepare(person: Editor, path: Path, wait_until: Wait) -> None:
    """The sheet is right, the number to predict is cut into ranges, a record is written."""
    window, session = person.window, person.window.session
    drop(window, path)
    person.click("preprocess.read_as.change")
    sheet = person.see(QComboBox, "preprocess.sheet")
    wait_until(lambda: sheet.currentData() == "Houses")  # the sheet with the table, though it is not the first
    person.click("preprocess.read_as.change")
    wait_until(lambda: session.data is not None and session.data.schema.names == ("size", "town", "price"))
    wait_until(lambda: session.summary is not None)
    person.choose("preprocess.predict", "price")
    person.click("preprocess.predict.ranges")
    preview = person.see(QTableWidget, "preprocess.ranges.preview")
    wait_until(lambda: preview.rowCount() == 3)
    person.click("preprocess.ranges.cut")
    wait_until(lambda: session.data is not None and session.classes != ())
    assert session.data is not None and session.data.schema.class_attribute.name == "price (ranges)"

    person.choose_entry("preprocess.records.add")
    person.point_at(90, 0)
    person.write("77", Qt.Key.Key_Return)
    assert person.sees(90)[0] == "77.0"


def judge(person: Person, wait_until: Wait) -> None:
    """A tree is judged, noted upon, and its curve of another kind is looked at for another class."""
    session = person.window.session
    person.go_to("Classify")
    wait_until(lambda: session.summary is not None)
    person.click_row("classify.learners", C45.name)
    person.click("classify.start")
    wait_until(lambda: len(session.runs) == 1 and session.runs[0].state is RunState.DONE, 120)
    note = person.see(QPlainTextEdit, "ledger.note")
    note.setFocus()
    QTest.keyClicks(note, "first look")
    person.go_to("Evaluate")
    person.choose("evaluate.curve.kind", "Precision-recall")
    person.choose("class_of_interest", session.classes[0])
    assert session.class_of_interest == 0


def ask_what_if(person: Person, wait_until: Wait) -> None:
    """The regions are put away, and the smallest change that flips a record is tried."""
    person.go_to("Visualize")
    person.click("visualize.page.data")
    regions = person.see(QAbstractButton, "visualize.boundary")
    was = regions.isChecked()
    person.click("visualize.boundary")
    assert regions.isChecked() is not was
    person.click("visualize.page.explain")
    wait_until(lambda: wording.ONE_ATTRIBUTE in person.read("visualize.what-if.flip"), 60)
    before, promised = person.read("visualize.what-if.said"), person.read("visualize.what-if.flip-0")
    person.click("visualize.what-if.flip-0.try")
    wait_until(lambda: person.read("visualize.what-if.said") != before)
    label = QTextDocumentFragment.fromHtml(promised).toPlainText().partition("then ")[2][2:]
    assert label in person.read("visualize.what-if.said")


def read_in_comfort(person: Person, wait_until: Wait) -> None:
    """Help on this tab, larger text, and other colours by the menu."""
    window = person.window
    activate(window, wait_until)  # the offscreen platform has no active window any more once a tip was shown
    QTest.keyClick(window, Qt.Key.Key_F1)
    helper = person.see(QWidget, "help.window")
    assert person.see(QTextBrowser, "help.page").toPlainText().startswith("Visualize")
    helper.close()
    activate(window, wait_until)
    QTest.keyClick(window, Qt.Key.Key_Plus, CONTROL)
    assert themes.scale > 1.0
    QTest.keyClick(window, Qt.Key.Key_0, CONTROL)
    assert themes.scale == 1.0
    colours = next(menu for menu in window.findChildren(QMenu) if menu.title() == "Theme")
    for name, is_dark in (("theme.dark", True), ("theme.light", False)):
        colours.popup(window.mapToGlobal(QPoint(50, 50)))
        wait_until(colours.isVisible)
        choose_in_menu(colours, name)
        assert themes.current.is_dark is is_dark
    activate(window, wait_until)


def test_a_number_in_a_workbook_becomes_classes_that_are_predicted_explained_and_kept(
    window: MainWindow, stage: Stage, tmp_path: Path, wait_until: Wait
) -> None:
    person, session = Editor(window, wait_until), window.session
    prepare(person, workbook(tmp_path / "houses.xlsx"), wait_until)
    judge(person, wait_until)
    ask_what_if(person, wait_until)
    read_in_comfort(person, wait_until)

    # closing asks; what is saved from the question is there again
    window.close()
    assert window.isVisible()
    person.click("question_box.save")
    type_path(person.see(QFileDialog, "file_dialog"), tmp_path / "houses.coppice", wait_until)
    wait_until(lambda: not window.isVisible(), 60)
    again = stage.window()
    drop(again, tmp_path / "houses.coppice")
    wait_until(lambda: len(again.session.runs) == 1 and again.session.data is not None)
    assert again.session.runs[0].note == "first look"
    assert again.session.class_of_interest == session.class_of_interest
    assert again.session.data is not None and len(again.session.data) == 91
