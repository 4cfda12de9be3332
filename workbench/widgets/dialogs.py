"""Dialogs for file paths, questions before data is lost, and popovers that explain a number; answers come as calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Final, Protocol, runtime_checkable

from PySide6.QtCore import QDir, QPoint, QRect, QStandardPaths, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFileDialog,
    QFrame,
    QGridLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QMessageBox,
    QSizePolicy,
    QTreeView,
    QWidget,
)
from shiboken6 import Shiboken

from algorithms.core.scores import FormulaWorking
from algorithms.io import writing
from algorithms.text.numbers import significant
from workbench.style.theme import SPACE_3, SPACE_4, current_theme, themes
from workbench.widgets.labels import LinkLabel, label, term_link
from workbench.widgets.layouts import column_layout, named

DIALOG: Final = "file_dialog"
WIDTH, HEIGHT = 860, 520
CSV: Final = writing.CSV.kind
CSV_FIRST: Final = ";;".join(format.kind for format in writing.WRITABLE)
EXCEL_FIRST: Final = ";;".join(dict.fromkeys([writing.EXCEL.kind, *CSV_FIRST.split(";;")]))
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


def ask_for_files(
    parent: QWidget, title: str, kinds: str, act: Callable[[str], object], several: Callable[[list[str]], object]
) -> None:
    """Like :func:`ask_for_file`, but ``several`` files may be chosen together."""
    dialog = _new_dialog(parent, title, kinds, act, "")
    dialog.setOption(QFileDialog.Option.HideNameFilterDetails)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.filesSelected.connect(lambda paths: several(paths) if len(paths) > 1 else None)
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
    dialog.filterSelected.connect(lambda kind: dialog.setDefaultSuffix(_first_suffix(kind)))
    dialog.selectFile(name)
    dialog.open()


def _first_suffix(kind: str) -> str:
    """The first suffix of a kind of file: "sqlite" of "SQLite (*.sqlite *.db)"; empty if it names none."""
    return kind.partition("*.")[2].partition(")")[0].partition(" ")[0]


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
    path = dialog.findChild(QLineEdit, "fileNameEdit")
    if path is not None:
        # a popup of suggestions would take the click on the button below it
        path.setCompleter(None)  # type: ignore[arg-type]  # its stub wants one, but Qt takes none
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
    """Asks, with a ``form`` above the answers; closing, or the last button ``stay``, does nothing."""
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


class Popover(QFrame):
    """An explanation under its widget; Ctrl+C copies it. ``html`` gives the text in the current theme."""

    def __init__(self, text: str, parent: QWidget, html: str = "") -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("part", "popover")
        named(self, "popover", text)
        self._text = text
        words = LinkLabel(html) if html else label(text, wrap=True)
        words.setFixedWidth(themes.px(440 if html else 340))
        column_layout(words, inside=self, margins=(SPACE_4, SPACE_3, SPACE_4, SPACE_3))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Control, Qt.Key.Key_Shift):
            return
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self._text)
        self.close()


def show_popover(text: str, beside: QWidget, html: str = "", place: QRect | None = None) -> Popover:
    """Shows an explanation under ``beside`` or a part of it; the window is its parent, for its colours."""
    popover = Popover(text, beside.window(), html)
    popover.adjustSize()
    show_under(popover, beside, place)
    return popover


def show_under(popup: QWidget, beside: QWidget, place: QRect | None = None) -> None:
    """Shows a popup under ``beside``, or under a part of it, inside the screen."""
    under = beside.rect() if place is None else place
    corner = beside.mapToGlobal(under.bottomLeft() + QPoint(0, 4))
    screen = beside.screen().availableGeometry()
    corner.setX(max(screen.left(), min(corner.x(), screen.right() - popup.width())))
    corner.setY(max(screen.top(), min(corner.y(), screen.bottom() - popup.height())))
    popup.move(corner)
    popup.show()


def workings_html(workings: Sequence[FormulaWorking]) -> str:
    """A line for each formula, and the meaning of its terms below; formulas that differ in one sign share a line."""
    both = _with_both_signs(workings)
    lines = [both] if both else [_line(working) for working in workings]
    terms = {term.symbol: term for working in workings for term in working.terms if term.meaning}
    if terms:
        meanings = " · ".join(f"<i>{escape(t.symbol)}</i> {escape(t.meaning)}" for t in terms.values())
        lines.append(f'<span style="color:{current_theme().dim}">{meanings}</span>')
    return "<br>".join(lines)


def workings_text(workings: Sequence[FormulaWorking]) -> str:
    """The same as plain text, for the clipboard and screen readers."""
    terms = {term.symbol: term for working in workings for term in working.terms if term.meaning}
    meanings = [f"{t.symbol} = {significant(t.value)}: {t.meaning}" for t in terms.values()]
    sources = dict.fromkeys(working.source for working in workings if working.source)
    return "\n".join([*(working.sentence() for working in workings), *meanings, *sources])


def _line(working: FormulaWorking, name: str = "", value: str = "") -> str:
    steps = [escape(working.symbolic)]
    if working.filled != working.symbolic:
        steps.append(escape(working.filled))
    source = f' <span style="color:{current_theme().dim}">· {escape(working.source)}</span>' if working.source else ""
    amount = value or f"<b>{working.result}</b>"
    return f"<b>{term_link(name or working.name)}</b> = {' = '.join(steps)} = {amount}{source}"


def _with_both_signs(workings: Sequence[FormulaWorking]) -> str:
    """Both ends of an interval as one formula with ±; empty if the formulas are no such pair."""
    if len(workings) != 2 or workings[0].terms != workings[1].terms:
        return ""
    low, high = workings
    differ = [index for index, (a, b) in enumerate(zip(low.formula, high.formula, strict=False)) if a != b]
    if len(low.formula) != len(high.formula) or [(low.formula[i], high.formula[i]) for i in differ] != [("−", "+")]:
        return ""
    either = replace(low, formula=f"{low.formula[: differ[0]]}±{low.formula[differ[0] + 1 :]}")
    value = f"<b>{low.result}</b> and <b>{high.result}</b>"
    return _line(either, f"{low.name}, {high.name.lower()}", value)
