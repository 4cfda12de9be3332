"""The records of a data set as a table model that reads only what is on the screen."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Final

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from algorithms.core.cells import cell_texts
from algorithms.core.data import Dataset, IntArray

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
ROOT: Final = QModelIndex()

MISSING_MARK: Final = "·"
CLASS_CODE_ROLE: Final = Role.UserRole + 1
"""The class code of a cell in the class column, None elsewhere."""
MISSING_ROLE: Final = Role.UserRole + 2
"""Whether the cell is missing."""

_BLOCK: Final = 128
_MOST_BLOCKS: Final = 4096
_LONGEST: Final = 400

_RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT: Final = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


class RecordsModel(QAbstractTableModel):
    """Cells are written in blocks of 128 records of one column, kept while they are near the screen."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data: Dataset | None = None
        self._ids: IntArray = np.empty(0, dtype=np.int64)
        self._blocks: OrderedDict[tuple[int, int], list[str | None]] = OrderedDict()

    def set_dataset(self, data: Dataset | None) -> None:
        """Show another data set. One of the same shape is shown in place: nothing scrolls or is laid out anew."""
        before = self._data
        same_shape = (
            before is not None
            and data is not None
            and len(before) == len(data)
            and len(before.schema) == len(data.schema)
        )
        if same_shape:
            self._show(data)
            if self.rowCount() and self.columnCount():
                self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, self.columnCount() - 1))
                self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, self.columnCount() - 1)
            return
        self.beginResetModel()
        self._show(data)
        self.endResetModel()

    def _show(self, data: Dataset | None) -> None:
        self._data = data
        self._ids = np.empty(0, dtype=np.int64) if data is None else data.row_ids
        self._blocks.clear()

    @property
    def dataset(self) -> Dataset | None:
        return self._data

    # ---- what Qt asks ----------------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if self._data is None or parent.isValid() else min(len(self._data), 2**31 - 1)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if self._data is None or parent.isValid() else len(self._data.schema)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if self._data is None or not index.isValid():
            return None
        row, column = index.row(), index.column()
        if role == Role.DisplayRole:
            return self.text(row, column) or MISSING_MARK
        if role == Role.TextAlignmentRole:
            return _RIGHT if self._data.schema.attributes[column].kind.is_float else _LEFT
        if role == MISSING_ROLE:
            return self.text(row, column) is None
        if role in (Role.ToolTipRole, Role.AccessibleTextRole):
            return self._said(row, column)
        if role == CLASS_CODE_ROLE and column == self._data.schema.class_index:
            attribute = self._data.schema.attributes[column]
            return int(self._data.cells(column, np.array([row]))[0]) if attribute.kind.is_coded else None
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if self._data is None:
            return None
        if orientation == Qt.Orientation.Vertical:
            return f"{int(self._ids[section]) + 1}" if role == Role.DisplayRole else None
        attribute = self._data.schema.attributes[section]
        is_class = section == self._data.schema.class_index
        if role == Role.DisplayRole:
            return attribute.name
        if role in (Role.ToolTipRole, Role.AccessibleTextRole):
            return f"{attribute.name} ({'the class, ' if is_class else ''}{attribute.kind.value})"
        if role == Role.TextAlignmentRole:
            return _RIGHT if attribute.kind.is_float else _LEFT
        return None

    # ---- cells -----------------------------------------------------------------------------------------------------

    def text(self, row: int, column: int) -> str | None:
        """How one cell is written, None where it is missing."""
        key = (column, row // _BLOCK)
        block = self._blocks.get(key)
        if block is None:
            block = self._read(*key)
        text = block[row % _BLOCK]
        return text if text is None or len(text) <= _LONGEST else text[:_LONGEST] + "…"

    def _read(self, column: int, block: int) -> list[str | None]:
        assert self._data is not None
        rows = np.arange(block * _BLOCK, min((block + 1) * _BLOCK, len(self._data)))
        texts = cell_texts(self._data.schema.attributes[column], self._data.cells(column, rows))
        self._blocks[column, block] = texts
        if len(self._blocks) > _MOST_BLOCKS:
            self._blocks.popitem(last=False)
        return texts

    def _said(self, row: int, column: int) -> str:
        assert self._data is not None
        text = self.text(row, column)
        return f"{self._data.schema.attributes[column].name}: {'missing' if text is None else text}"
