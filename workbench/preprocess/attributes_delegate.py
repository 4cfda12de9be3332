"""How a cell of the attribute list takes clicks, and how a name is edited in it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QLineEdit, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from workbench.preprocess.attributes_model import Part

Index = QModelIndex | QPersistentModelIndex


class AttributeDelegate(QStyledItemDelegate):
    """Takes clicks into a cell, and opens names for editing; painting is the view's.

    ``kind_clicked`` says that a person wants to change the kind of a row.
    """

    kind_clicked = Signal(QModelIndex)

    def editorEvent(self, event: QEvent, model: Any, option: QStyleOptionViewItem, index: Index) -> bool:
        if event.type() == QEvent.Type.MouseButtonRelease and isinstance(event, QMouseEvent):
            if event.button() == Qt.MouseButton.LeftButton and not event.modifiers():
                if index.column() == Part.USED and index.flags() & Qt.ItemFlag.ItemIsUserCheckable:
                    checked = index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
                    other = Qt.CheckState.Unchecked if checked else Qt.CheckState.Checked
                    return bool(model.setData(index, other, Qt.ItemDataRole.CheckStateRole))
                if index.column() == Part.KIND:
                    self.kind_clicked.emit(index)
            return False
        return False

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        editor = QLineEdit(parent)
        editor.setObjectName("preprocess.name")
        editor.setAccessibleName("New name")
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        editor.setGeometry(option.rect.adjusted(0, 1, 0, -1))
