"""Asking for the path of a file, always in the same dialog."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from PySide6.QtCore import QDir, QStandardPaths, Qt
from PySide6.QtWidgets import QFileDialog, QWidget

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
