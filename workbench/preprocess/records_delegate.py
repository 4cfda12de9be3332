"""How one cell of the records is painted, and opened for editing."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QEvent, QModelIndex, QObject, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from algorithms.core.columns import IntArray
from algorithms.core.errors import DataError
from workbench.preprocess.records_editor import CellEditor, Step
from workbench.preprocess.records_model import CLASS_CODE_ROLE, MISSING_ROLE, WRONG_ROLE, RecordsModel
from workbench.selection import Mask
from workbench.theme import class_color, current_theme, themes

Index = QModelIndex | QPersistentModelIndex

PADDING: Final = 8
LIT_ALPHA: Final = 26
"""How strongly the selected records are tinted, of 255."""
FOUND_ALPHA: Final = 70
NARROWEST_EDITOR: Final = 96


class RecordDelegate(QStyledItemDelegate):
    """Paints one cell: the text elided, missing values dim, a swatch before the class. Edits it in place."""

    stepped = Signal(QModelIndex, object)
    """A cell was taken: with it and the :class:`Step` to go on by."""
    refused = Signal(object)
    """A cell was left with what it cannot hold; with the :class:`DataError`. It keeps what it had."""

    def __init__(self, model: RecordsModel, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._records = model
        self.lit: Mask | None = None
        """The selected records (n,), which are tinted."""
        self.found: IntArray = np.empty(0, dtype=np.int64)
        """The found cells, row times columns plus column, ascending; they are tinted."""
        self._editing = QPersistentModelIndex()

    def is_lit(self, row: int) -> bool:
        """Whether the record in this row is tinted."""
        record = self._records.record(row)
        return self.lit is not None and record < len(self.lit) and bool(self.lit[record])

    def is_found(self, index: Index) -> bool:
        """Whether this cell is one of those found."""
        place = index.row() * self._records.columnCount() + index.column()
        at = int(np.searchsorted(self.found, place))
        return at < len(self.found) and int(self.found[at]) == place

    # ---- painting --------------------------------------------------------------------------------------------------

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, rect = current_theme(), option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, theme.color("accent_soft"))
        elif self.is_lit(index.row()):
            tint = theme.color("accent")
            tint.setAlpha(LIT_ALPHA)
            painter.fillRect(rect, tint)
        if len(self.found) and self.is_found(index):
            mark = theme.color("warning")
            mark.setAlpha(FOUND_ALPHA)
            painter.fillRect(rect.adjusted(1, 2, -1, -3), mark)
        painter.setPen(theme.color("line"))
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        area = rect.adjusted(PADDING, 0, -PADDING, 0)
        code = index.data(CLASS_CODE_ROLE)
        if code is not None and code >= 0:
            size = themes.px(9)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(class_color(code))
            painter.drawEllipse(QRectF(area.x(), area.center().y() - size / 2 + 0.5, size, size))
            area = area.adjusted(size + 6, 0, 0, 0)
        is_wrong = bool(index.data(WRONG_ROLE))
        painter.setPen(theme.color("dim" if index.data(MISSING_ROLE) else "bad" if is_wrong else "text"))
        painter.setFont(themes.font(bold=True) if is_wrong else option.font)
        text = option.fontMetrics.elidedText(index.data() or "", Qt.TextElideMode.ElideRight, area.width())
        painter.drawText(area, int(index.data(Qt.ItemDataRole.TextAlignmentRole)), text)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(QPen(theme.color("accent"), 1))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))
        painter.restore()

    # ---- editing ---------------------------------------------------------------------------------------------------

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
