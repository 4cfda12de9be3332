"""Small tables and sessions for tests of the tabs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QPushButton, QWidget

from algorithms.core.data import Dataset, Origin
from algorithms.core.schema import Attribute, Kind, Schema


def small_data(n: int = 60, classes: tuple[str, ...] = ("yes", "no"), seed: int = 0) -> Dataset:
    """``n`` records of two numbers, of which the first tells the class with some noise."""
    random = np.random.default_rng(seed)
    codes = np.arange(n) % len(classes)
    first = codes + random.normal(0, 0.35, n)
    schema = Schema(
        (
            Attribute("first", Kind.NUMERIC),
            Attribute("second", Kind.NUMERIC),
            Attribute("class", Kind.NOMINAL, classes),
        ),
        2,
    )
    return Dataset(schema, [first, random.normal(size=n), codes], origin=Origin("small"))


def type_path(dialog: QFileDialog, path: Path, wait_until: Callable[..., None]) -> None:
    """Type a path into a file dialog, as a person would once it has the keyboard, and press Enter."""
    line = dialog.findChild(QLineEdit, "fileNameEdit")
    wait_until(lambda: dialog.isActiveWindow() and line.isVisible())
    line.setFocus()
    wait_until(line.hasFocus)
    line.selectAll()
    QTest.keyClicks(line, str(path))
    accept = next(button for button in dialog.findChildren(QPushButton) if button.isDefault())
    wait_until(accept.isEnabled)
    QTest.keyClick(QApplication.activePopupWidget() or line, Qt.Key.Key_Return)
    if dialog.isVisible():  # the first Enter took a suggestion, or closed their list
        QTest.keyClick(line, Qt.Key.Key_Return)


def activate(window: QWidget, wait_until: Callable[..., None]) -> None:
    """Give the window the keyboard."""

    def has_it() -> bool:
        window.activateWindow()
        return window.isActiveWindow()

    wait_until(has_it)
