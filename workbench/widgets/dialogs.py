"""Dialogs for file paths, and questions before data is lost; answers come as calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from PySide6.QtCore import QDir, QStandardPaths, Qt
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFileDialog,
    QGridLayout,
    QHeaderView,
    QLabel,
    QMessageBox,
    QSizePolicy,
    QTreeView,
    QWidget,
)
from shiboken6 import Shiboken

from workbench.style.theme import themes
from workbench.widgets.layouts import named

DIALOG: Final = "file_dialog"
WIDTH, HEIGHT = 860, 520
CSV: Final = "CSV (*.csv)"
EXCEL: Final = "Excel (*.xlsx)"
CSV_OR_EXCEL, EXCEL_OR_CSV = f"{CSV};;{EXCEL}", f"{EXCEL};;{CSV}"
"""Kinds of file that any table is saved as, the usual one first."""
NEUTRAL_CSV: Final = "CSV with formulas neutralised, for spreadsheets (*.csv)"
"""CSV in which an apostrophe precedes text that a spreadsheet would take for a formula."""


@runtime_checkable
class KeepsFolder(Protocol):
    """A window that remembers the last folder."""

    folder: str


def ask_for_file(parent: QWidget, title: str, kinds: str, act: Callable[[str], object], folder: str = "") -> None:
    """Asks for an existing file, starting in this folder, else in the last one, and calls ``act`` with its path."""
    dialog = _new_dialog(parent, title, kinds, act, folder)
    dialog.setOption(QFileDialog.Option.HideNameFilterDetails)  # dozens of suffixes fit nowhere
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.open()


def ask_where_to_save(
    parent: QWidget, title: str, kinds: str, name: str, act: Callable[[str], object], folder: str = ""
) -> None:
    """Asks for a file name to save under and calls ``act`` with it; the suffix follows the chosen kind."""
    _open_to_save(_new_dialog(parent, title, kinds, act, folder), name)


def ask_where_to_save_table(
    parent: QWidget, title: str, kinds: str, name: str, act: Callable[[str, bool], object]
) -> None:
    """Like :func:`ask_where_to_save`, with neutralised CSV as a further kind, which ``act`` receives as a flag."""

    def chosen(path: str) -> None:
        act(path, dialog.selectedNameFilter() == NEUTRAL_CSV)

    dialog = _new_dialog(parent, title, kinds.replace(CSV, f"{CSV};;{NEUTRAL_CSV}"), chosen, "")
    _open_to_save(dialog, name)


def _open_to_save(dialog: QFileDialog, name: str) -> None:
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setDefaultSuffix(name.rpartition(".")[2])
    dialog.filterSelected.connect(lambda kind: dialog.setDefaultSuffix(kind.rpartition(".")[2].rstrip(")")))
    dialog.selectFile(name)
    dialog.open()


def documents() -> str:
    """The user's documents folder, offered until a folder is remembered."""
    folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
    return folder if folder and QDir(folder).exists() else QDir.homePath()


def _new_dialog(parent: QWidget, title: str, kinds: str, act: Callable[[str], object], folder: str) -> QFileDialog:
    keeper: QWidget | None = parent
    while keeper is not None and not isinstance(keeper, KeepsFolder):  # the window, also around a separate one
        keeper = keeper.parentWidget()
    last = keeper.folder if keeper is not None and QDir(keeper.folder).exists() else ""

    def chosen(path: str) -> None:
        if keeper is not None:
            keeper.folder = str(Path(path).parent)
        act(path)

    dialog = named(QFileDialog(parent, title, folder or last or documents(), kinds), DIALOG)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.fileSelected.connect(chosen)
    files = dialog.findChild(QTreeView, "treeView")
    if files is not None:  # the platform has no dialog of its own
        files.header().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        dialog.resize(themes.px(WIDTH), themes.px(HEIGHT))
    return dialog


Answer = tuple[str, str, Callable[[], object]]
"""Object name, button text and action; the first answer is the default."""


def ask(
    parent: QWidget,
    sentence: str,
    more: str,
    answers: Sequence[Answer],
    form: QWidget | None = None,
    stay: str = "Stay",
    title: str = "Coppice",
) -> QMessageBox:
    """Asks in front of the window, with an optional ``form`` above the answers.

    Closing it does nothing, nor does the last button, labelled ``stay``.
    """
    box = named(QMessageBox(parent), "question_box")
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle(title)
    box.setText(sentence)
    box.setInformativeText(more)
    for index, (name, words, act) in enumerate(answers):
        role = QMessageBox.ButtonRole.AcceptRole if index == 0 else QMessageBox.ButtonRole.DestructiveRole
        button = named(box.addButton(words, role), name)
        button.clicked.connect(lambda _checked=False, act=act: act())
        if index == 0:
            box.setDefaultButton(button)
    escape = named(box.addButton(stay, QMessageBox.ButtonRole.RejectRole), "question_box.stay")
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
    """Shows both texts as plain text, without the icon's column."""
    for name in ("qt_msgbox_label", "qt_msgbox_informativelabel"):
        words = box.findChild(QLabel, name)
        if words is not None:
            words.setTextFormat(Qt.TextFormat.PlainText)  # both name columns, values and files of the person
            words.setContentsMargins(0, 0, 0, 0)
    grid = box.layout()
    if not isinstance(grid, QGridLayout):
        return
    grid.setColumnStretch(grid.columnCount() - 1, 1)
    for index in range(grid.count()):
        item = grid.itemAt(index)
        if item is None:
            continue
        spacer = item.spacerItem()
        if spacer is not None:
            spacer.changeSize(0, 0, QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        Shiboken.invalidate(item)  # it would outlive its place, and be taken for what is made at its address later
