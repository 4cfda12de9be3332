"""Questions before something is lost. They do not block: the answer comes as a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QGridLayout, QLabel, QMessageBox, QSizePolicy, QWidget
from shiboken6 import Shiboken

Answer = tuple[str, str, Callable[[], object]]
"""Object name, words on the button, what it does. The first is the default."""


def ask(
    parent: QWidget,
    sentence: str,
    more: str,
    answers: Sequence[Answer],
    form: QWidget | None = None,
    stay: str = "Stay",
) -> QMessageBox:
    """Ask in front of the window, with a ``form`` above the answers where one is given; closing it does nothing, and
    so does the last button, which says ``stay``."""
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
    escape = box.addButton(stay, QMessageBox.ButtonRole.RejectRole)
    escape.setObjectName("question_box.stay")
    box.setEscapeButton(escape)
    grid = box.layout()
    _as_plain_text(box)
    if form is not None and isinstance(grid, QGridLayout):
        buttons, row = box.findChild(QDialogButtonBox), grid.rowCount()
        grid.addWidget(form, row, 0, 1, grid.columnCount())
        if buttons is not None:
            grid.addWidget(buttons, row + 1, 0, 1, grid.columnCount())
    box.open()
    return box


def _as_plain_text(box: QMessageBox) -> None:
    """Show both texts as written; a question has no icon: its words begin where all else in it does."""
    for name in ("qt_msgbox_label", "qt_msgbox_informativelabel"):
        words = box.findChild(QLabel, name)
        if words is not None:
            words.setTextFormat(Qt.TextFormat.PlainText)  # both name columns, values and files of the person
            words.setContentsMargins(0, 0, 0, 0)
    grid = box.layout()
    if not isinstance(grid, QGridLayout):
        return
    grid.setColumnStretch(grid.columnCount() - 1, 1)
    for at in range(grid.count()):
        item = grid.itemAt(at)
        if item is None:
            continue
        spacer = item.spacerItem()
        if spacer is not None:
            spacer.changeSize(0, 0, QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        Shiboken.invalidate(item)  # it would outlive its place, and be taken for what is made at its address later
