"""The panes of Visualize: enlarging one keeps the keyboard where the person is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget

from tests.workbench.window_helpers import activate
from workbench.session.settings import Settings
from workbench.tabs.visualize.tab import MODEL, RECORDS, Arrangement


def pane(*widgets: QWidget) -> QWidget:
    made = QWidget()
    column = QVBoxLayout(made)
    for widget in widgets:
        column.addWidget(widget)
    return made


def test_enlarging_a_pane_keeps_the_keyboard_in_it_or_gives_it_to_its_button(
    qapp: QApplication, tmp_path: Path, wait_until: Callable[..., None]
) -> None:
    above, below = QLineEdit(), QLineEdit()
    whole = pane(above)
    arrangement = Arrangement(Settings(tmp_path / "settings.json"), whole)
    button = arrangement.button(MODEL)
    layout = whole.layout()
    assert layout is not None
    layout.addWidget(button)
    arrangement.add_below(RECORDS, pane(below), 1)
    arrangement.want(RECORDS, True)
    arrangement.show()
    activate(arrangement, wait_until)
    below.setFocus()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert not below.isVisible() and button.hasFocus()
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert below.isVisible() and button.hasFocus(), "pressed again it brings the others back, the keyboard stays"
    above.setFocus()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert above.hasFocus()
    arrangement.close()
    arrangement.deleteLater()
