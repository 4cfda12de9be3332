"""Dialogs for file paths, and questions before something is lost; the answer comes as a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from PySide6.QtCore import QDir, QStandardPaths, Qt
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QGridLayout, QLabel, QMessageBox, QSizePolicy, QWidget
from shiboken6 import Shiboken

DIALOG: Final = "file_dialog"
CSV: Final = "CSV (*.csv)"
NEUTRAL_CSV: Final = "CSV with formulas neutralised, for spreadsheets (*.csv)"
"""Before text that a spreadsheet takes for a formula stands an apostrophe."""


@runtime_checkable
class KeepsFolder(Protocol):
    """A window that knows in which folder a person was last."""

    folder: str


def ask_for_file(parent: QWidget, title: str, kinds: str, act: Callable[[str], object], folder: str = "") -> None:
    """Ask for a file that exists, beginning in this folder, else where the person was last, and act on its path."""
    dialog = _made(parent, title, kinds, act, folder)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.open()


def ask_where_to_save(
    parent: QWidget, title: str, kinds: str, name: str, act: Callable[[str], object], folder: str = ""
) -> None:
    """Ask for a name to save under, offering one, and act on the path; the ending follows the chosen kind."""
    _open_to_save(_made(parent, title, kinds, act, folder), name)


def ask_where_to_save_table(
    parent: QWidget, title: str, kinds: str, name: str, act: Callable[[str, bool], object]
) -> None:
    """As :func:`ask_where_to_save`, with formulas neutralised as one more kind of CSV: ``act`` is told whether."""

    def chosen(path: str) -> None:
        act(path, dialog.selectedNameFilter() == NEUTRAL_CSV)

    dialog = _made(parent, title, kinds.replace(CSV, f"{CSV};;{NEUTRAL_CSV}"), chosen, "")
    _open_to_save(dialog, name)


def _open_to_save(dialog: QFileDialog, name: str) -> None:
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setDefaultSuffix(name.rpartition(".")[2])
    dialog.filterSelected.connect(lambda kind: dialog.setDefaultSuffix(kind.rpartition(".")[2].rstrip(")")))
    dialog.selectFile(name)
    dialog.open()


def documents() -> str:
    """Where a person's own files are: what is offered until a folder is remembered, rather than the program's own."""
    found = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return found if found and QDir(found).exists() else QDir.homePath()


def _made(parent: QWidget, title: str, kinds: str, act: Callable[[str], object], folder: str) -> QFileDialog:
    keeper = _keeper_of(parent)
    last = keeper.folder if keeper is not None and QDir(keeper.folder).exists() else ""

    def chosen(path: str) -> None:
        if keeper is not None:
            keeper.folder = str(Path(path).parent)
        act(path)

    dialog = QFileDialog(parent, title, folder or last or documents(), kinds)
    dialog.setObjectName(DIALOG)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(chosen)
    return dialog


def _keeper_of(widget: QWidget | None) -> KeepsFolder | None:
    """The window around a widget that keeps the folder, also where it stands in a window of its own; else None."""
    while widget is not None and not isinstance(widget, KeepsFolder):
        widget = widget.parentWidget()
    return widget


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
