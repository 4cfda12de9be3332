"""A person stays in: from a table of one's own to the wrong records, the costs, and a project that brings it all back.

Mouse and keys only, widgets found by their names.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QDoubleSpinBox,
    QFileDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QMessageBox,
    QPlainTextEdit,
    QSlider,
    QTableView,
    QWidget,
)

from tests.expected_texts import app as wording
from tests.expected_texts import tabs_visualize as tabs_visualize_wording
from tests.workbench.person import Person
from tests.workbench.window_helpers import CONTROL, LEFT, Wait, type_path
from workbench.app.main_window import MainWindow
from workbench.app.start import make_window
from workbench.viewers.charts.confusion_matrix import ConfusionView
from workbench.viewers.tree.gain_and_pruning_curves import OverfittingPlot
from workbench.viewers.tree.tree_canvas import TreeCanvas
from workbench.viewers.tree.tree_view import TreeView

AGE, WARD, RISK = 0, 2, 3


def patients(path: Path, n: int = 240) -> Path:
    """Age and pressure tell the risk, with some noise; one age is mistyped, one ward has two spellings."""
    random = np.random.default_rng(7)
    age, pressure = random.integers(20, 90, n), random.integers(90, 180, n)
    risk = np.where((age > 55) & (pressure > 125) ^ (random.random(n) < 0.06), "high", "low")
    ward = random.choice(["north", "south", "South"], n)
    lines = [",".join(map(str, row)) for row in zip(age, pressure, ward, risk, strict=True)]
    path.write_text("\n".join(["age,pressure,ward,risk", *lines]), "utf-8")
    return path


@pytest.fixture
def windows(qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[MainWindow]]:
    monkeypatch.setenv("COPPICE_HOME", str(tmp_path / "home"))
    made: list[MainWindow] = []
    yield made
    for window in made:
        window.deleteLater()
    QTest.qWait(0)


def threads() -> set[threading.Thread]:
    """The program's own threads."""
    return {thread for thread in threading.enumerate() if thread.name.startswith("coppice")}


def opened(qapp: QApplication, windows: list[MainWindow], wait_until: Wait) -> Person:
    window = make_window(qapp)
    windows.append(window)
    window.resize(1600, 950)
    window.show()
    window.activateWindow()
    wait_until(window.isActiveWindow)
    return Person(window, wait_until)


def closed(person: Person, wait_until: Wait, before: set[threading.Thread]) -> None:
    """The window goes, and every thread that was not there before it."""
    wait_until(lambda: not person.window.session.jobs.running, 60)
    person.window.close()
    assert not person.window.isVisible(), [message.text() for message in person.window.findChildren(QMessageBox)]
    wait_until(lambda: threads() <= before, 30)


def click_cell(view: QTableView, row: int, column: int) -> None:
    view.scrollTo(view.model().index(row, column))
    where = view.visualRect(view.model().index(row, column)).center()
    QTest.mouseClick(view.viewport(), LEFT, pos=where)


def cell(view: QTableView, row: int, column: int) -> str:
    return str(view.model().index(row, column).data())


def choose_learner(view: QTableView, name: str) -> None:
    """Click the row of a learner, whose name is in the first column."""
    names = [cell(view, row, 0) for row in range(view.model().rowCount(QModelIndex()))]
    click_cell(view, next(row for row, shown in enumerate(names) if name in shown), 0)


def edit_the_table(person: Person, wait_until: Wait) -> None:
    """A cell typed, one step back by the history, records sorted and filtered, two values made one."""
    session, records = person.window.session, person.see(QTableView, "preprocess.records")
    before = cell(records, 0, AGE)
    click_cell(records, 0, AGE)
    QTest.keyClick(records, Qt.Key.Key_F2)
    typed = person.see(QLineEdit, "preprocess.cell")
    typed.selectAll()
    QTest.keyClicks(typed, "101")
    QTest.keyClick(typed, Qt.Key.Key_Return)
    assert cell(records, 0, AGE) == "101"
    person.window.top.show_history()
    steps = person.see(QListWidget, "history.steps")
    steps.setCurrentRow(0)
    QTest.keyClick(steps, Qt.Key.Key_Return)
    assert cell(records, 0, AGE) == before

    header = records.horizontalHeader()
    QTest.mouseClick(header.viewport(), LEFT, pos=QPoint(header.sectionViewportPosition(AGE) + 12, 10))
    wait_until(lambda: float(cell(records, 0, AGE)) <= float(cell(records, 1, AGE)))
    ages = [float(cell(records, row, AGE)) for row in range(records.model().rowCount(QModelIndex()))]
    assert ages == sorted(ages)

    person.click_row("preprocess.attributes", "ward")
    person.choose("preprocess.show", "Values")
    values = person.see(QAbstractItemView, "preprocess.values")
    names = [str(values.model().index(row, 0).data()) for row in range(values.model().rowCount(QModelIndex()))]
    for name, keys in (("south", Qt.KeyboardModifier.NoModifier), ("South", CONTROL)):
        row = next(at for at, shown in enumerate(names) if shown == name)
        QTest.mouseClick(values.viewport(), LEFT, keys, values.visualRect(values.model().index(row, 0)).center())
    person.choose_entry("preprocess.values.merge")
    assert session.data is not None
    wait_until(lambda: session.data is not None and len(session.data.schema.attributes[WARD].values) == 2)


def try_several(person: Person, wait_until: Wait) -> None:
    session = person.window.session
    person.go_to("Classify")
    wait_until(lambda: session.summary is not None)
    person.click("classify.compare")
    person.click("classify.several.start")
    wait_until(lambda: len(session.runs) > 2 and not any(run.is_running for run in session.runs), 120)
    headline = person.see(QLabel, "classify.several.headline")
    wait_until(lambda: len(headline.text()) > 10)
    table = person.see(QTableView, "classify.several.table")
    assert table.model().rowCount(QModelIndex()) == len(session.runs)
    assert max(run.report.accuracy for run in session.runs if run.report is not None) > 0.8
    click_cell(table, table.model().rowCount(QModelIndex()) - 1, 0)
    last = session.current_run
    click_cell(table, 0, 0)
    wait_until(lambda: session.current_run is not last)
    choose_learner(table, "Logistic regression")  # with these costs it decides better at another threshold than 50%
    wait_until(lambda: session.current_run is not None and session.current_run.learner.name == "Logistic regression")


def weigh(person: Person, wait_until: Wait) -> None:
    """A number opens its working; costs of ten to one; the cheapest threshold; the wrong records labelled."""
    session = person.window.session
    person.go_to("Evaluate")
    person.click("evaluate.all-metrics")
    numbers = person.see(QTableView, "evaluate.metrics")
    click_cell(numbers, 0, 1)
    wait_until(lambda: "=" in person.see(QWidget, "evaluate.working").accessibleDescription())

    run = session.current_run
    assert run is not None and run.report is not None
    person.click("evaluate.all-metrics")
    person.click("evaluate.page.costs")
    costs = person.see(QTableView, "evaluate.board.costs")
    high = run.report.classes.index("high")
    click_cell(costs, high, 1 - high)
    QTest.keyClick(costs, Qt.Key.Key_F2)
    wait_until(lambda: costs.findChild(QLineEdit) is not None)
    typed = costs.findChild(QLineEdit)
    assert typed is not None
    typed.selectAll()
    QTest.keyClicks(typed, "10")
    QTest.keyClick(typed, Qt.Key.Key_Return)
    wait_until(lambda: session.costs is not None and session.costs.costs[high][1 - high] == 10)
    wait_until(person.see(QAbstractButton, "evaluate.board.use").isEnabled)
    person.click("evaluate.board.use")
    wait_until(lambda: session.decisions.chosen(run) is not None)
    person.click("evaluate.page.performance")
    slider = person.see(QSlider, "evaluate.threshold")
    slider.setFocus()
    at = slider.value()
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert slider.value() != at

    person.click("evaluate.confusion.wrong")
    matrix = person.see(ConfusionView, "evaluate.confusion")
    assert matrix.isVisible() and 0 < len(session.selection) < 100
    person.choose_entry("selection.label")
    for name, words in (("selection.label.name", "doubt"), ("selection.label.value", "yes")):
        line = person.see(QWidget, name).findChild(QLineEdit)
        assert line is not None
        line.setFocus()
        line.selectAll()
        QTest.keyClicks(line, words)
        suggestions = QApplication.activePopupWidget()
        if suggestions is not None:
            QTest.keyClick(suggestions, Qt.Key.Key_Escape)
    person.click("selection.label.set")
    wait_until(lambda: session.data is not None and "doubt" in session.data.schema.names)
    person.choose_entry("selection.show")
    records = person.see(QTableView, "preprocess.records")
    wait_until(lambda: records.model().rowCount(QModelIndex()) == len(session.selection))
    assert session.data is not None
    doubt = session.data.schema.index_of("doubt")
    assert {cell(records, row, doubt) for row in range(records.model().rowCount(QModelIndex()))} == {"yes"}


def look_inside(person: Person, wait_until: Wait) -> None:
    session = person.window.session
    ledger = person.see(QTableView, "ledger")
    choose_learner(ledger, "C4.5")
    person.go_to("Visualize")
    tree = person.see(TreeCanvas, "visualize.tree")
    wait_until(lambda: tree.drawing is not None)
    person.choose_entry("visualize.find.open")
    found = person.see(QLineEdit, "visualize.find")
    QTest.keyClicks(found, "age")
    wait_until(lambda: " of " in person.read("visualize.find.count"))
    candidates = person.see(QTableView, "visualize.why.candidates")
    wait_until(lambda: candidates.model().rowCount(QModelIndex()) > 1)
    click_cell(candidates, 1, 0)
    wait_until(lambda: "bit" in person.read("visualize.why.sentence"))
    person.choose_entry("visualize.counts.tested")
    person.click("visualize.page.data")
    person.click("visualize.show-matrix")
    person.see(QWidget, "visualize.scatter_matrix")
    person.click("visualize.show-parallel")
    person.see(QWidget, "visualize.parallel")
    person.click("visualize.show-scatter")
    person.click("visualize.page.explain")
    age = person.see(QDoubleSpinBox, "visualize.what-if.age")
    wait_until(lambda: tabs_visualize_wording.WOULD_SAY in person.read("visualize.what-if.said"))
    for typed in ("25", "85"):
        age.setFocus()
        age.selectAll()
        QTest.keyClicks(age, typed)
        QTest.keyClick(age, Qt.Key.Key_Return)
        wait_until(
            lambda typed=typed: (
                age.value() == float(typed)
                and tabs_visualize_wording.WOULD_SAY in person.read("visualize.what-if.said")
            )
        )
    assert session.current_run is not None


def take_the_tree_apart(person: Person, wait_until: Wait) -> None:
    """How the tree grew, by the keys to its last step; how far to prune, by the curve, and the tree there as a run."""
    session = person.window.session
    runs = len(session.runs)
    person.click("visualize.page.model")
    person.choose_entry("visualize.growth")
    wait_until(lambda: wording.STEP_1_OF in person.read("visualize.growth.title"), 60)
    slider = person.see(QSlider, "visualize.growth.slider")
    slider.setFocus()
    QTest.keyClick(slider, Qt.Key.Key_Right)
    assert person.read("visualize.growth.title").startswith("Step 2 ")
    QTest.keyClick(slider, Qt.Key.Key_End)
    wait_until(lambda: "leaf" in person.read("visualize.growth.sentence"))
    person.choose_entry("visualize.pruning")
    curve = person.see(OverfittingPlot, "visualize.pruning.curve")
    wait_until(lambda: curve.sizes is not None, 60)
    curve.setFocus()
    for key in (Qt.Key.Key_Home, Qt.Key.Key_Right):
        QTest.keyClick(curve, key)
    tree = person.see(TreeView, "")
    assert curve.sizes is not None
    leaves = curve.sizes.leaves[curve.sizes.last - 1]
    wait_until(lambda: tree.tree is not None and tree.tree.n_leaves == leaves)
    person.click("visualize.pruning.use")
    wait_until(lambda: len(session.runs) == runs + 1 and not session.runs[-1].is_running, 60)
    assert session.current_run is session.runs[-1]


def test_a_table_of_ones_own_is_edited_judged_weighed_looked_into_and_kept(
    qapp: QApplication, windows: list[MainWindow], tmp_path: Path, wait_until: Wait
) -> None:
    before = threads()
    person = opened(qapp, windows, wait_until)
    session = person.window.session
    person.click("welcome.open")
    type_path(person.see(QFileDialog, "file_dialog"), patients(tmp_path / "patients.csv"), wait_until)
    wait_until(lambda: session.summary is not None)
    person.click("preprocess.predict.fine")
    edit_the_table(person, wait_until)
    try_several(person, wait_until)
    note = person.see(QPlainTextEdit, "ledger.note")
    note.setFocus()
    remark = "good enough for triage"
    QTest.keyClicks(note, remark)
    weigh(person, wait_until)
    person.go_to("Classify")
    look_inside(person, wait_until)
    take_the_tree_apart(person, wait_until)
    QTest.keyClick(person.window.focusWidget() or person.window, Qt.Key.Key_S, CONTROL)
    type_path(person.see(QFileDialog, "file_dialog"), tmp_path / "triage.coppice", wait_until)
    wait_until(lambda: (tmp_path / "triage.coppice").exists() and not session.saving.unsaved)
    steps, runs = session.undo_stack.count(), len(session.runs)
    closed(person, wait_until, before)

    again = opened(qapp, windows, wait_until)
    session = again.window.session
    again.click("welcome.open")
    type_path(again.see(QFileDialog, "file_dialog"), tmp_path / "triage.coppice", wait_until)
    wait_until(lambda: len(session.runs) == runs and session.summary is not None)
    assert session.data is not None and "doubt" in session.data.schema.names
    assert session.undo_stack.count() == steps
    assert remark in {run.note for run in session.runs}
    assert session.costs is not None
    closed(again, wait_until, before)
