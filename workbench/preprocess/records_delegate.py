"""How one cell of the records is opened for editing, and left."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from algorithms.core.errors import DataError
from workbench.preprocess.records_editor import CellEditor, Step
from workbench.preprocess.records_model import RecordsModel
from workbench.theme import themes

Index = QModelIndex | QPersistentModelIndex

NARROWEST_EDITOR: Final = 96


class RecordDelegate(QStyledItemDelegate):
    """Edits a cell in place; painting is the view's."""

    stepped = Signal(QModelIndex, object)
    """A cell was taken: with it and the :class:`Step` to go on by."""
    refused = Signal(object)
    """A cell was left with what it cannot hold; with the :class:`DataError`. It keeps what it had."""

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
        """The editor knows its keys itself. Left with the mouse, it keeps what can be kept and says what cannot."""
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

    def _taken(self, step: Step) -> None:
        editor, at = self.sender(), self._editing
        index = self._records.index(at.row(), at.column())
        if isinstance(editor, CellEditor):
            editor.removeEventFilter(self)  # it loses the keyboard now, and is not to be asked again
            self.commitData.emit(editor)
            self.closeEditor.emit(editor, self.EndEditHint.NoHint)
            self.stepped.emit(index, step)

    def _given_up(self) -> None:
        editor = self.sender()
        if isinstance(editor, CellEditor):
            editor.removeEventFilter(self)
            self.closeEditor.emit(editor, self.EndEditHint.NoHint)
