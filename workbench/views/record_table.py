"""The table twin of a picture of records: shows some of them, and what is chosen in it is selected everywhere."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QItemSelection, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from algorithms.core.columns import IntArray
from workbench.parts.row_height import set_row_height
from workbench.theme import themes
from workbench.views.scatter_table import ScatterTable, Sheet


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
