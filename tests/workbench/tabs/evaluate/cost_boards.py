"""A cost board with three runs, what it shows, and choices in its lists."""

from __future__ import annotations

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel

from algorithms.evaluation.methods.methods import CrossValidation
from algorithms.learners.bayes.naive_bayes import NaiveBayes
from algorithms.learners.trees.c45 import C45
from algorithms.learners.trees.zero_r import ZeroR
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait, judged, part, press
from workbench.session.session import Session
from workbench.tabs.evaluate.costs.cost_board import CostBoard
from workbench.tabs.evaluate.tab import EvaluateTab

FIVE = CrossValidation(folds=5)


def board_of_three_runs(session: Session, stage: Stage, wait_until: Wait) -> CostBoard:
    tab = stage.show(EvaluateTab(session), 1230, 560)
    for learner in (C45(), NaiveBayes(numbers="gaussian"), ZeroR()):
        judged(session, wait_until, learner, FIVE)
    press(tab, "evaluate.page.costs")
    board = tab.findChild(CostBoard)
    wait_until(lambda: not board.is_busy)
    return board


def changes(board: CostBoard) -> dict[str, list[str]]:
    """The rows of what changes, by name; "" is the heading, without that of the names."""
    (_positive, *titles), *rows = board.changes.model().rows
    return {"": titles, **{name: cells for name, *cells in rows}}


def headline(board: CostBoard) -> str:
    return part(board, QLabel, "evaluate.board.headline").text()


def shown(board: CostBoard, name: str) -> str:
    return part(board, QLabel, f"evaluate.board.{name}").text()


def choose(board: CostBoard, name: str, data: object) -> None:
    combo = part(board, QComboBox, f"evaluate.board.{name}")
    combo.setCurrentIndex(combo.findData(data))
    combo.activated.emit(combo.currentIndex())
    QTest.qWait(1)  # a button whose words change takes no press in the same turn
