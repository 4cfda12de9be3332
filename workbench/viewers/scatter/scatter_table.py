"""The table twin of a scatter plot: the selected records, or those in view, with what the axes and the model say."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QItemSelection, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from algorithms.core.files import CsvWriter
from algorithms.data.columns import IntArray
from algorithms.data.convert_kind import cell_texts
from algorithms.data.dataset import Dataset
from algorithms.evaluation.tested_records import Judged
from workbench.style.theme import themes
from workbench.widgets.painted_table import set_row_height


class RecordTable(QTableView):
    """Records of a sheet; ``chosen(rows)`` with rows of the data where a person selects some."""

    chosen = Signal(object)

    def __init__(self, name: str, says: str) -> None:
        super().__init__()
        self._records = ScatterTable()
        self.setObjectName(name)
        self.setAccessibleName(says)
        self.setModel(self._records)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        set_row_height(self, themes.px(28))
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.horizontalHeader().setResizeContentsPrecision(40)
        self.selectionModel().selectionChanged.connect(self._rows_chosen)

    def show_records(self, sheet: Sheet | None, rows: IntArray) -> None:
        """Show these rows of the sheet's data."""
        self._records.show_rows(sheet, rows)
        self.resizeColumnsToContents()
        for column in range(self._records.columnCount()):
            self.setColumnWidth(column, min(self.columnWidth(column) + 16, themes.px(260)))

    def _rows_chosen(self, _on: QItemSelection, _off: QItemSelection) -> None:
        if self.hasFocus():
            parts = [np.arange(part.top(), part.bottom() + 1) for part in self.selectionModel().selection().toList()]
            if parts:
                self.chosen.emit(self._records.rows_at(np.unique(np.concatenate(parts))))


Index = QModelIndex | QPersistentModelIndex

MISSING: Final = "·"
_BLOCK: Final = 4096
_SEEN: Final = 128
"""Rows whose texts are made at once: those in sight are asked for cell by cell, column by column."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """What the cells are read from: columns by their position in the schema, and the judgement, where there is one."""

    data: Dataset
    columns: tuple[int, ...]
    judged: Judged | None
    classes: tuple[str, ...]

    def names(self) -> tuple[str, ...]:
        named = tuple(self.data.schema.attributes[index].name for index in self.columns)
        return ("Record", *named, *(("Said", "Judged") if self.judged is not None else ()))

    def row(self, row: int) -> list[str]:
        """The texts of one record."""
        return self.texts(np.array([row]))[0]

    def told(self, row: int) -> tuple[str, list[tuple[str, str]]]:
        """A record in words: its number, class and judgement; and its other values by their names."""
        cells, names, schema = self.row(row), self.names(), self.data.schema
        heading = f"Record {cells[0]}"
        shown = []
        for at, index in enumerate(self.columns, start=1):
            if index == schema.class_index and self.classes:
                heading += f" is {cells[at]}" if cells[at] != MISSING else ""
            else:
                shown.append((names[at], cells[at]))
        if self.judged is not None and cells[-1]:
            heading += f", said {cells[-2]}: {cells[-1]}"
        return heading, shown

    def csv(self, rows: IntArray, delimiter: str) -> str:
        """The records as CSV, missing values empty."""
        written = io.StringIO()
        table = CsvWriter(written, delimiter)
        table.writerow(self.names())
        for start in range(0, len(rows), _BLOCK):
            table.writerows(self.texts(rows[start : start + _BLOCK], missing=""))
        return written.getvalue()

    def texts(self, rows: IntArray, missing: str = MISSING) -> list[list[str]]:
        """The cells of some records, row by row."""
        columns = [[str(id + 1) for id in self.data.row_ids[rows].tolist()]]
        for index in self.columns:
            texts = cell_texts(self.data.schema.attributes[index], self.data.cells(index, rows))
            columns.append([missing if text is None else text for text in texts])
        if self.judged is not None:
            said, wrong = self.judged.decision[rows].tolist(), self.judged.wrong[rows].tolist()
            columns.append([self.classes[code] if code >= 0 else "" for code in said])
            verdicts = zip(said, wrong, strict=True)
            columns.append(["" if code < 0 else "wrong" if is_wrong else "right" for code, is_wrong in verdicts])
        return [list(cells) for cells in zip(*columns, strict=True)]


class ScatterTable(QAbstractTableModel):
    """Some records; text is made only for those that are seen."""

    def __init__(self) -> None:
        super().__init__()
        self._sheet: Sheet | None = None
        self._names: tuple[str, ...] = ()
        self._rows: IntArray = np.empty(0, dtype=np.int64)
        self._seen: tuple[int, list[list[str]]] = (-1, [])

    def show_rows(self, sheet: Sheet | None, rows: IntArray) -> None:
        """Show these rows of the data."""
        self.beginResetModel()
        self._sheet, self._rows, self._seen = sheet, rows, (-1, [])
        self._names = () if sheet is None else sheet.names()
        self.endResetModel()

    def rows_at(self, places: IntArray) -> IntArray:
        """The rows of the data that stand at these places."""
        return self._rows[places]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._names)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self._names[section]
        return self._alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def _alignment(self, column: int) -> int:
        """Numbers at the right, all else at the left."""
        is_number = column == 0
        if self._sheet is not None and 1 <= column <= len(self._sheet.columns):
            is_number = self._sheet.data.schema.attributes[self._sheet.columns[column - 1]].kind.is_float
        side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
        return int(side | Qt.AlignmentFlag.AlignVCenter)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self._sheet is None or not index.isValid():
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(index.column())
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        block, at = divmod(index.row(), _SEEN)
        if self._seen[0] != block:
            self._seen = (block, self._sheet.texts(self._rows[block * _SEEN : (block + 1) * _SEEN]))
        return self._seen[1][at][index.column()]
