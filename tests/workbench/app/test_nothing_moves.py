"""Controls stay where they are while something is chosen or typed: the next click meets what it was meant for."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QListWidget,
    QWidget,
)

from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from tests.workbench.person import Person
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged
from workbench.app.main_window import MainWindow
from workbench.forms.costs import CostTable
from workbench.tabs.evaluate.costs.cost_board import CostBoard

CONTROLS = (QAbstractButton, QLineEdit, QComboBox, QAbstractSpinBox, QAbstractSlider, QAbstractItemView)
Places = dict[str, tuple[int, int]]


def places(window: MainWindow) -> Places:
    """Where the upper left corner of each control in view is."""
    found: list[QWidget] = [each for kind in CONTROLS for each in window.findChildren(kind)]
    seen = [each for each in found if each.isVisible() and each.objectName()]
    return {each.objectName(): each.mapTo(window, QPoint(0, 0)).toTuple() for each in seen}


def moved(before: Places, after: Places) -> Places:
    return {name: after[name] for name in before if name in after and after[name] != before[name]}


@pytest.fixture(params=[(1280, 720), (1600, 1000)], ids=["1280x720", "1600x1000"])
def window(request: pytest.FixtureRequest, stage: Stage, wait_until: Wait) -> MainWindow:
    made = stage.window(*request.param)
    made.open_sample("breast-cancer")
    wait_until(lambda: made.session.summary is not None)
    return made


def rested(window: MainWindow, wait_until: Wait) -> None:
    """Wait until nothing is on its way and every layout has settled."""
    wait_until(lambda: not window.session.jobs.running and not window.session.turns.is_busy, 60)
    seen: list[Places] = []

    def is_still() -> bool:
        seen.append(places(window))
        return len(seen) > 3 and seen[-1] == seen[-2] == seen[-3]

    wait_until(is_still)


def test_ticking_a_column_of_a_step_moves_no_control(window: MainWindow, person: Person, wait_until: Wait) -> None:
    session = window.session
    person.click("preprocess.add_step")
    search = person.see(QLineEdit, "preprocess.filters.search")
    QTest.keyClicks(search, "change kind")
    QTest.keyClick(search, Qt.Key.Key_Return)
    columns = person.see(QListWidget, "preprocess.option.columns")
    rested(window, wait_until)
    before = places(window)
    for row in (0, 1):
        at = columns.visualItemRect(columns.item(row))
        QTest.mouseClick(columns.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(at.left() + 12, at.center().y()))
        names = tuple(each.name for each in session.data.schema.attributes[: row + 1])
        wait_until(lambda names=names: session.recipe[0].values()["columns"] == names)
        wait_until(lambda: session.history.summaries.effect(0) is not None)
        rested(window, wait_until)
        now = places(window)
        assert "preprocess.option.kind" in now and "preprocess.step.0.on" in now
        assert not {name: at for name, at in moved(before, now).items() if ".option." in name or ".step." in name}


def test_typing_costs_and_formulas_moves_no_control_of_the_cost_board(
    window: MainWindow, person: Person, wait_until: Wait
) -> None:
    judged(window.session, wait_until, NaiveBayes(), CrossValidation(folds=5))
    person.go_to("Evaluate")
    person.click("evaluate.page.costs")
    board = window.findChild(CostBoard)
    assert board is not None

    def settled() -> Places:
        wait_until(lambda: not board.is_busy)
        rested(window, wait_until)
        return places(window)

    before = settled()
    assert "evaluate.board.use" in before
    person.see(CostTable, "evaluate.board.costs").type_in(1, 0, "[Radius (mean)] / 10")
    assert window.session.costs is not None and window.session.costs.columns == ("Radius (mean)",)
    assert not moved(before, settled())
    person.see(CostTable, "evaluate.board.costs").type_in(0, 1, "25")
    assert not moved(before, settled())
    person.see(CostTable, "evaluate.board.costs").type_in(1, 0, "many +")
    assert not moved(before, settled())
