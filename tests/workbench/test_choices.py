"""Choices in panes that scroll."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from tests.workbench.stage import Stage
from tests.workbench.window_helpers import Wait
from workbench.parts.fields import drop_down
from workbench.parts.scrolling import UprightScrollArea


def test_the_wheel_scrolls_the_pane_and_does_not_change_a_choice_in_passing(stage: Stage, wait_until: Wait) -> None:
    inside = QWidget()
    column = QVBoxLayout(inside)
    choice = drop_down("choice", "A choice", "Which one")
    choice.addItems(["no", "yes", "perhaps"])
    choice.setCurrentIndex(1)
    column.addWidget(choice)
    column.addSpacing(900)
    pane = stage.show(UprightScrollArea(inside), 300, 120)
    bar = pane.verticalScrollBar()
    wait_until(lambda: bar.maximum() > 0)
    at = QPointF(choice.rect().center())
    turned = QWheelEvent(
        at,
        choice.mapToGlobal(at),
        QPoint(),
        QPoint(0, -120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    assert not QApplication.sendEvent(choice, turned) or not turned.isAccepted()
    assert choice.currentText() == "yes" and not choice.hasFocus()
