"""Editing of records: the editor of one cell, and undoable edits of cells and records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Final

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)
from shiboken6 import isValid

from algorithms.core.errors import CoppiceError, DataError
from algorithms.data.columns import IntArray
from algorithms.data.conditions import CellMatches, CellSearch, replaced
from algorithms.data.convert_kind import Checkpoint
from algorithms.data.dataset import Dataset
from algorithms.data.editing import (
    UnknownValueError,
    cleared,
    new_values,
    pasted,
    read_block,
    read_cell,
    tiled,
    with_texts,
)
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.filters.cleaning_rules import ReplaceText, kept_with
from algorithms.text.names import shortened
from workbench.session.selection import marked
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, SPACE_2, set_property, themes
from workbench.tabs.preprocess.attribute_edits import Changes
from workbench.tabs.preprocess.table.records_model import RecordsModel
from workbench.widgets.labels import label
from workbench.widgets.layouts import column_layout, named
from workbench.widgets.tables import Index

MOST_OFFERED: Final = 200
ROWS_OFFERED: Final = 8
WIDEST: Final = 380
NARROWEST_EDITOR: Final = 96


class CursorStep(Enum):
    """Move of the cursor after an edit: (rows down, columns right)."""

    STAY = (0, 0)
    DOWN = (1, 0)
    UP = (-1, 0)
    RIGHT = (0, 1)
    LEFT = (0, -1)


class _Beneath(QFrame):
    """Popover under the cell: an error sentence, and the values to choose from."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.setProperty("part", "popover")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.says = named(label("", "cell", wrap=True), "preprocess.cell.says")
        self.offered = named(QListWidget(), "preprocess.cell.values", "Values to choose from")
        self.offered.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.offered.setUniformItemSizes(True)
        self.offered.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.offered.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        column_layout(self.says, self.offered, inside=self, spacing=SPACE_1, margins=SPACE_1)
        self.hide()

    def fit(self, cell: QWidget) -> None:
        """Place the popover under the cell, or above it near the bottom of the window.

        A window that is destroyed lays its table out a last time: then the popover stays where it is.
        """
        if not isValid(self._window):
            return
        has_words, n = bool(self.says.text()), self.offered.count()
        self.says.setVisible(has_words)
        self.offered.setVisible(n > 0)
        if not (has_words or n):
            self.hide()
            return
        width = max(cell.width(), themes.px(260 if has_words else 160))
        if n:
            width = max(width, min(themes.px(WIDEST), self.offered.sizeHintForColumn(0) + themes.px(28)))
        self.says.setFixedWidth(width - 2 * SPACE_2)
        height = 2 * SPACE_1 + (self.says.heightForWidth(width - 2 * SPACE_2) + SPACE_1 if has_words else 0)
        if n:
            row = max(1, self.offered.sizeHintForRow(0))
            self.offered.setFixedHeight(min(n, ROWS_OFFERED) * row + 2)
            height += self.offered.height()
        self.resize(width, height + 2)
        window = self._window
        corner = cell.mapTo(window, QPoint(0, cell.height() + 2))
        if corner.y() + self.height() > window.height():
            corner.setY(max(0, corner.y() - cell.height() - self.height() - 4))
        corner.setX(max(0, min(corner.x(), window.width() - self.width())))
        self.move(corner)
        self.raise_()
        self.show()


class CellEditor(QLineEdit):
    """Editor of one cell. Enter and Tab accept a valid text, Esc cancels."""

    taken = Signal(object)
    """The text is valid; with the :class:`CursorStep` to make."""
    given_up = Signal()

    def __init__(self, attribute: Attribute, parent: QWidget) -> None:
        super().__init__(parent)
        self.attribute = attribute
        self.may_add = False
        self._before = ""
        self._asked: str | None = None
        named(self, "preprocess.cell", f"{attribute.name}, {attribute.kind.value}")
        self.setProperty("part", "cell")
        self.setFrame(False)
        numeric = attribute.kind.is_float
        self.setAlignment(Qt.AlignmentFlag.AlignRight if numeric else Qt.AlignmentFlag.AlignLeft)
        self._beneath = _Beneath(parent.window())
        self._beneath.offered.itemClicked.connect(self._pick)
        self.textEdited.connect(self._typed)

    def begin(self, text: str) -> None:
        self._before = text
        self.setText(text)
        self._offer("")

    def go(self) -> None:
        self._beneath.hide()
        self._beneath.deleteLater()

    @property
    def is_changed(self) -> bool:
        return self.text() != self._before

    def fault(self) -> DataError | None:
        """Error of the text; None if it is valid."""
        if not self.is_changed:
            return None
        try:
            read_cell(self.attribute, self.text())
        except DataError as error:
            return None if self.may_add and isinstance(error, UnknownValueError) else error
        return None

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and self._acts_on(event):
            return True
        return super().event(event)

    def _acts_on(self, event: QKeyEvent) -> bool:
        key, shift = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.take(CursorStep.UP if shift else CursorStep.DOWN)
        elif key == Qt.Key.Key_Tab:
            self.take(CursorStep.LEFT if shift else CursorStep.RIGHT)
        elif key == Qt.Key.Key_Backtab:
            self.take(CursorStep.LEFT)
        elif key == Qt.Key.Key_Escape:
            self.given_up.emit()
        elif key in (Qt.Key.Key_Down, Qt.Key.Key_Up) and self._beneath.offered.count():
            self._mark(1 if key == Qt.Key.Key_Down else -1)
        else:
            return False
        return True

    def take(self, step: CursorStep) -> None:
        """Accept the marked value or the text; show errors, and ask before a new value is added."""
        marked = self._beneath.offered.currentItem()
        if marked is not None and not marked.isHidden():
            self.setText(marked.text())
        fault = self.fault()
        if isinstance(fault, UnknownValueError) and self._asked == self.text():
            self.may_add, fault = True, None
        if fault is None:
            self.taken.emit(step)
            return
        if isinstance(fault, UnknownValueError):
            self._asked = self.text()
            ordinal = " as the highest" if self.attribute.kind is AttributeKind.ORDINAL else ""
            self._say(f"{fault.sentence} Press Enter once more to add it{ordinal}, or Esc.", "warning")
        else:
            self._say(f"{fault.sentence} {fault.remedy}".strip(), "bad")

    def _say(self, words: str, tone: str) -> None:
        self._beneath.says.setText(words)
        set_property(self._beneath.says, "tone", tone)
        set_property(self, "invalid", bool(words))
        self.setAccessibleDescription(words)
        self._beneath.fit(self)

    def _typed(self, text: str) -> None:
        self._asked = None
        self._offer(text)
        self._say("", "")

    def _offer(self, text: str) -> None:
        """List values that begin with the text, then values that contain it; mark a unique match."""
        offered = self._beneath.offered
        offered.clear()
        if not self.attribute.kind.is_coded:
            return
        wanted = text.strip().casefold()
        folded = [(value.casefold(), value) for value in self.attribute.values]
        first = [value for fold, value in folded if fold.startswith(wanted)]
        rest = [value for fold, value in folded if wanted in fold and not fold.startswith(wanted)]
        for value in (first + rest)[:MOST_OFFERED]:
            item = QListWidgetItem(value)
            item.setToolTip(value)
            offered.addItem(item)
        if wanted and len(first) == 1:
            offered.setCurrentRow(0)
        self._beneath.fit(self)

    def _mark(self, by: int) -> None:
        offered = self._beneath.offered
        row = min(offered.currentRow() + by, offered.count() - 1)
        if row < 0:
            offered.clearSelection()
        offered.setCurrentRow(max(-1, row))

    def _pick(self, item: QListWidgetItem) -> None:
        self.setText(item.text())
        self._beneath.offered.setCurrentItem(item)
        self.take(CursorStep.STAY)

    def place(self) -> None:
        """The cell moved: what stands under it follows."""
        if self._beneath.isVisible():
            self._beneath.fit(self)


NAME_LENGTH = 40


class RecordDelegate(QStyledItemDelegate):
    """Creates and closes cell editors; the view paints."""

    stepped = Signal(QModelIndex, object)
    """A cell was accepted; with its index and the :class:`CursorStep` to make."""
    refused = Signal(object)
    """A cell was left with an invalid text and keeps its value; with the :class:`DataError`."""

    def __init__(self, model: RecordsModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._records = model
        self._editing = QPersistentModelIndex()

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: Index) -> QWidget:
        data = self._records.dataset
        assert data is not None
        editor = CellEditor(data.schema.attributes[index.column()], parent)
        self._editing = QPersistentModelIndex(index)
        editor.taken.connect(self._taken)
        editor.given_up.connect(self._given_up)
        return editor

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, CellEditor) and not editor.isModified():
            editor.begin(str(index.data(Qt.ItemDataRole.EditRole) or ""))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if isinstance(editor, CellEditor) and editor.is_changed and editor.fault() is None:
            model.setData(index, (editor.text(), editor.may_add))

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, _index: Index) -> None:
        parent = editor.parentWidget()
        rect, room = option.rect, option.rect.width() if parent is None else parent.width()
        wide = min(room, max(rect.width(), themes.px(NARROWEST_EDITOR)))
        left = max(0, min(rect.left(), room - wide))
        editor.setGeometry(left, rect.top(), wide, rect.height())
        if isinstance(editor, CellEditor):
            editor.place()

    def destroyEditor(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, CellEditor):
            editor.go()
        super().destroyEditor(editor, index)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave keys to the editor; on loss of focus commit a valid text and refuse an invalid one."""
        if not isinstance(watched, CellEditor):
            return super().eventFilter(watched, event)
        if event.type() == QEvent.Type.FocusOut and isinstance(event, QFocusEvent) and watched.isVisible():
            if event.reason() in (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason):
                return False
            fault = watched.fault()
            if isinstance(fault, DataError):
                self.refused.emit(fault)
            else:
                self.commitData.emit(watched)
            self.closeEditor.emit(watched, self.EndEditHint.NoHint)
        return False

    def _taken(self, step: CursorStep) -> None:
        editor = self.sender()
        index = self._records.index(self._editing.row(), self._editing.column())
        if isinstance(editor, CellEditor):
            editor.removeEventFilter(self)  # it loses the focus now, which is handled here
            self.commitData.emit(editor)
            self.closeEditor.emit(editor, self.EndEditHint.NoHint)
            self.stepped.emit(index, step)

    def _given_up(self) -> None:
        editor = self.sender()
        if isinstance(editor, CellEditor):
            editor.removeEventFilter(self)
            self.closeEditor.emit(editor, self.EndEditHint.NoHint)


class RecordEdits(QObject):
    """Edits the session's records. Impossible edits emit ``refused`` and change nothing."""

    refused = Signal(object)
    done = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._changes = Changes(session, self)
        self._is_refused = False
        self._changes.refused.connect(self._refused)
        self._changes.done.connect(self._done)
        self._pasted_on: Dataset | None = None

    def set_cell(self, record: int, column: int, text: str, may_add: bool = False) -> None:
        """Set one cell from a typed text; ``may_add`` allows a new nominal value."""
        data = self._session.data
        if data is None:
            return
        try:
            changed = with_texts(data, column, np.array([record]), [text], add_values=may_add)
        except CoppiceError as error:
            self.refused.emit(error)
            return
        name, number = shortened(data.schema.attributes[column].name, NAME_LENGTH), _number(data, record)
        description = f"Set {name} of record {number} to {shortened(text, NAME_LENGTH)}"
        self._edit(description if text.strip() else f"Clear {name} of record {number}", changed)

    def clear(self, cells: Mapping[int, IntArray]) -> None:
        """Make cells missing; ``cells`` maps columns to records."""
        data = self._session.data
        if data is None:
            return
        n_cells = sum(len(rows) for rows in cells.values())
        if n_cells == 1:
            column, rows = next(iter(cells.items()))
            if not is_missing(data, column, rows)[0]:
                self.set_cell(int(rows[0]), column, "")
            return

        def change(data: Dataset, checkpoint: Checkpoint) -> Dataset:
            for column, rows in cells.items():
                checkpoint()
                data = cleared(data, {column: rows})
            return data

        if n_cells:
            self._changes.apply(f"Clear {n_cells:,} cells", change, n_cells, once=True)

    def replace(self, matches: CellMatches, search: CellSearch, by: str, everywhere: bool = False) -> bool:
        """Replace a text in the matches as one undo step; returns whether the edit was accepted.

        With ``everywhere`` the matches are all of the search, so that a rule can replace them in other files too.
        """
        data = self._session.data
        if data is None or not len(matches):
            return False
        what = f"{shortened(search.text, 24)!r} by {shortened(by, 24)!r}"
        text = f"Replace {what} in {len(matches):,} cells"
        if len(matches) == 1:
            name = shortened(data.schema.attributes[int(matches.columns[0])].name, NAME_LENGTH)
            text = f"Replace {what} in {name} of record {_number(data, int(matches.rows[0]))}"

        def change(data: Dataset, checkpoint: Checkpoint) -> Dataset:
            changed = replaced(data, matches, search, by, checkpoint)
            rule = ReplaceText(
                old=search.text,
                new=by,
                columns=search.columns or (),
                whole=search.whole,
                match_case=search.match_case,
            )
            return kept_with(changed, (rule,)) if everywhere else changed

        self._is_refused = False
        self._changes.apply(text, change, len(matches), once=True)
        return not self._is_refused

    def paste(self, text: str, rows: Callable[[int], IntArray], columns: Sequence[int], area: tuple[int, int]) -> None:
        """Paste into the first ``columns`` over ``area``; ``rows(n)`` are at most n rows, more are added."""
        before = self._session.data
        if before is None:
            return

        def change(data: Dataset, checkpoint: Checkpoint) -> Dataset:
            block = tiled(read_block(text, checkpoint), *area)
            return pasted(data, rows(len(block)), columns, block, checkpoint)

        n_lines = text.count("\n", 0, len(text.rstrip())) + 1
        n_cells = max(n_lines * (text.partition("\n")[0].count("\t") + 1), area[0] * area[1])
        self._pasted_on = before
        self._changes.apply("Paste a cell" if n_cells == 1 else f"Paste {n_cells:,} cells", change, n_cells, once=True)

    def _done(self) -> None:
        """List new nominal values that a paste added."""
        before, after, self._pasted_on = self._pasted_on, self._session.data, None
        if before is not None and after is not None and len(before.schema) == len(after.schema):
            for name, values in new_values(before, after).items():
                listed = ", ".join(shortened(value, 30) for value in values[:5]) + (" ..." if values[5:] else "")
                self._session.messages.note(f"New in {shortened(name, NAME_LENGTH)}: {listed}.")
        self.done.emit()

    def add(self) -> int | None:
        """Append an empty record; returns its row."""
        data = self._session.data
        if data is None:
            return None
        self._edit("Add a record", data.with_new_rows())
        return len(data)

    def remove(self, records: IntArray) -> None:
        data = self._session.data
        if data is None or not len(records):
            return
        if len(records) == len(data):
            self.refused.emit(DataError("A table needs a record.", remedy="Keep at least one, or open another table."))
            return
        what = f"record {_number(data, int(records[0]))}" if len(records) == 1 else f"{len(records):,} records"
        self._edit(f"Remove {what}", marked(self._session, data.without(records)))

    def keep_only(self, records: IntArray) -> None:
        data = self._session.data
        if data is None or len(records) == len(data):
            return
        if not len(records):
            self.refused.emit(DataError("No record would be left.", remedy="Change the conditions."))
            return
        mask = np.ones(len(data), dtype=np.bool_)
        mask[records] = False
        self._edit(f"Keep {len(records):,} of {len(data):,} records", data.without(mask))

    def _refused(self, error: CoppiceError) -> None:
        self._is_refused, self._pasted_on = True, None
        self.refused.emit(error)

    def _edit(self, text: str, changed: Dataset) -> None:
        self._session.edit(text, changed)
        self.done.emit()


def is_missing(data: Dataset, column: int, rows: IntArray) -> np.ndarray:
    """Mask of the missing cells among ``rows`` of one column."""
    attribute: Attribute = data.schema.attributes[column]
    values = data.cells(column, rows)
    missing: np.ndarray = values < 0 if attribute.kind.is_coded else np.isnan(values)
    return missing


def _number(data: Dataset, record: int) -> str:
    return f"{int(data.row_ids[record]) + 1}"
