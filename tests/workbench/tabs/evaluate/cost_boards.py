"""What a cost board shows, and choices in its lists."""

from __future__ import annotations

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel

from tests.workbench.window_helpers import part
from workbench.tabs.evaluate.costs.cost_board import CostBoard


def shown(board: CostBoard, name: str) -> str:
    return part(board, QLabel, f"evaluate.board.{name}").text()


def choose(board: CostBoard, name: str, data: object) -> None:
    combo = part(board, QComboBox, f"evaluate.board.{name}")
    combo.setCurrentIndex(combo.findData(data))
    combo.activated.emit(combo.currentIndex())
    QTest.qWait(1)  # a button whose words change takes no press in the same turn
