"""Questions before something is lost. They do not block: the answer comes as a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget

Answer = tuple[str, str, Callable[[], object]]
"""Object name, words on the button, what it does. The first is the default."""


def ask(parent: QWidget, sentence: str, more: str, answers: Sequence[Answer]) -> QMessageBox:
    """Ask in front of the window; closing the question does nothing."""
    box = QMessageBox(parent)
    box.setObjectName("question_box")
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle("Coppice")
    box.setText(sentence)
    box.setInformativeText(more)
    for at, (name, words, act) in enumerate(answers):
        role = QMessageBox.ButtonRole.AcceptRole if at == 0 else QMessageBox.ButtonRole.DestructiveRole
        button = box.addButton(words, role)
        button.setObjectName(name)
        button.clicked.connect(lambda _checked=False, act=act: act())
        if at == 0:
            box.setDefaultButton(button)
    stay = box.addButton("Stay", QMessageBox.ButtonRole.RejectRole)
    stay.setObjectName("question_box.stay")
    box.setEscapeButton(stay)
    box.open()
    return box
