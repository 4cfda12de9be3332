"""A window over thirty records, what is selected in it, and what its table shows."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QTableView, QWidget

from algorithms.data.dataset import Dataset
from tests.workbench.stage import Stage
from tests.workbench.window_helpers import part, small_data
from workbench.app.main_window import MainWindow


def opened(stage: Stage) -> MainWindow:
    """The window, once its table is summed up."""
    window = stage.window(1280, 720)
    stage.open(window.session, small_data(30))
    return window


def table(window: MainWindow) -> Dataset:
    assert window.session.data is not None
    return window.session.data


def select(window: MainWindow, *rows: int) -> None:
    window.session.selection.select(table(window), np.array(rows), by="the test")


def selected(window: MainWindow) -> list[int]:
    return window.session.selection.rows_of(table(window)).tolist()


def words(window: MainWindow, name: str = "selection.count") -> str:
    return part(window, QLabel, name).text()


def shown(window: MainWindow) -> list[str]:
    """The numbers of the records that the table in Preprocess shows."""
    view = part(window, QTableView, "preprocess.records")
    model = view.model()
    return [model.headerData(row, Qt.Orientation.Vertical) for row in range(model.rowCount())]


def typed(window: MainWindow, name: str, text: str) -> None:
    """Type into one of the fields of the label."""
    field = part(window, QWidget, f"selection.label.{name}")
    line = field.lineEdit() if isinstance(field, QComboBox) else field
    assert isinstance(line, QLineEdit)
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, text)
