"""The first path, walked as a person walks it: mouse and keys only, widgets found by their names."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

import pytest
from PySide6.QtCore import QMessageLogContext, QModelIndex, Qt, QtMsgType, qInstallMessageHandler
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QTableView, QWidget

from algorithms.evaluation.methods.methods import CrossValidation, LeaveOneOut
from algorithms.learners.trees.c45 import C45
from tests.workbench.person import Person
from workbench.app.main_window import MainWindow
from workbench.app.start import make_window
from workbench.session.runs import RunState
from workbench.viewers.tree.node_card import NodeCard
from workbench.viewers.tree.tree_canvas import TreeCanvas

Wait = Callable[..., None]
W = TypeVar("W", bound=QWidget)

OF_THE_OFFSCREEN_PLATFORM = ("This plugin does not support", "QFontDatabase", "Unable to open default EGL display")


@pytest.fixture
def warnings_of_qt() -> Iterator[list[str]]:
    """What Qt itself said, without what only the offscreen platform says."""
    said: list[str] = []

    def hear(_kind: QtMsgType, _where: QMessageLogContext, words: str) -> None:
        if not words.startswith(OF_THE_OFFSCREEN_PLATFORM):
            said.append(words)

    before = qInstallMessageHandler(hear)
    yield said
    qInstallMessageHandler(before)


@pytest.fixture
def window(
    qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: Wait
) -> Iterator[MainWindow]:
    monkeypatch.setenv("COPPICE_HOME", str(tmp_path))
    made = make_window(qapp)
    made.resize(1280, 800)
    made.show()
    made.activateWindow()
    wait_until(made.isActiveWindow)
    yield made
    made.deleteLater()
    QTest.qWait(0)


@pytest.fixture
def person(window: MainWindow, wait_until: Wait) -> Person:
    return Person(window, wait_until)


def test_from_an_opened_table_to_a_judged_visible_tree(
    window: MainWindow, person: Person, wait_until: Wait, warnings_of_qt: list[str]
) -> None:
    session = window.session

    person.click("welcome.sample.breast-cancer")
    wait_until(lambda: session.summary is not None)
    person.click("preprocess.predict.fine")

    # a kind is changed, and changed back
    person.click_row("preprocess.attributes", "Texture (mean)")
    person.choose("preprocess.kind", "text")
    assert session.data is not None
    texture = session.data.schema.index_of("Texture (mean)")
    wait_until(lambda: session.data is not None and session.data.schema.attributes[texture].kind == "text")
    person.click("undo")
    assert session.data.schema.attributes[texture].kind == "numeric"

    # a learner with an option, judged by ten folds
    person.go_to("Classify")
    wait_until(lambda: session.summary is not None)
    person.click_row("classify.learners", C45.name)
    person.type("classify.option.min_leaf", "5")
    person.choose("classify.method", CrossValidation.name)
    person.click("classify.start")
    wait_until(lambda: len(session.runs) == 1 and session.runs[0].state is RunState.DONE, 120)
    assert session.runs[0].learner.values()["min_leaf"] == 5
    headline = person.see(QLabel, "classify.verdict").accessibleName()
    assert headline.startswith("Accuracy 9")

    # every record left out once: stopped half way, then finished early
    person.choose("classify.method", LeaveOneOut.name)
    person.click("classify.start")
    wait_until(lambda: len(session.runs) == 2 and len(session.runs[1].folds) > 20, 60)
    person.click("classify.stop")
    assert session.runs[1].state is RunState.STOPPED
    person.click("classify.start")
    wait_until(lambda: len(session.runs) == 3 and len(session.runs[2].folds) > 20, 60)
    person.click("classify.finish")
    wait_until(lambda: session.runs[2].state is RunState.PARTIAL, 60)
    partial = session.runs[2].result
    assert partial is not None
    assert 20 < len(partial.truth) < 569

    # the first run is brought back from the ledger: its matrix, and its tree
    ledger = person.see(QTableView, "ledger")
    assert ledger.model().rowCount(QModelIndex()) == 3
    first = ledger.visualRect(ledger.model().index(0, 0)).center()
    QTest.mouseClick(ledger.viewport(), Qt.MouseButton.LeftButton, pos=first)
    QTest.mouseDClick(ledger.viewport(), Qt.MouseButton.LeftButton, pos=first)
    wait_until(lambda: session.current_run is session.runs[0])
    person.go_to("Evaluate")
    matrix = person.see(QWidget, "evaluate.confusion")
    assert matrix.width() > 200
    report = session.runs[0].report
    assert report is not None
    assert int(report.confusion.sum()) == 569
    person.go_to("Visualize")
    tree = person.see(TreeCanvas, "visualize.tree")
    wait_until(lambda: tree.drawing is not None)
    person.point_at_a_node(tree)
    wait_until(lambda: any(w.isVisible() for w in tree.findChildren(NodeCard)))

    # close: the window goes, and every thread with it
    window.close()
    person.click("question_box.close")
    wait_until(lambda: not [t for t in threading.enumerate() if t.name.startswith("coppice")])
    assert not window.isVisible()
    assert warnings_of_qt == []
