"""The histogram's twin: the same counts as a table that can be read aloud and copied."""

from __future__ import annotations

import io
from typing import Any, Final

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from algorithms.core.columns import IntArray
from algorithms.core.csv_text import CsvWriter
from algorithms.core.statistics import Histogram
from workbench.parts.elision import NameDelegate, NameHeader
from workbench.parts.row_height import set_row_height
from workbench.preprocess.facts import class_labels
from workbench.selection import How, how_by_keys
from workbench.theme import themes

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
ROOT: Final = QModelIndex()


class CountsModel(QAbstractTableModel):
    """One row a bin, one column a class, and the sum; where records are selected, how many of them are in the bin."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._shown: Histogram | None = None
        self._selected: IntArray | None = None
        self._titles: list[str] = []

    def show_histogram(self, shown: Histogram | None) -> None:
        self.beginResetModel()
        self._shown, self._selected = shown, None
        self._titles = []
        if shown is not None:
            self._titles = ["Value", *class_labels(shown), *(["All"] if shown.classes else [])]
        self.endResetModel()

    def show_selected(self, counts: IntArray | None) -> None:
        """Show how many records of each bin and class (b, c) are selected; None where none is selected anywhere."""
        had, self._selected = self._selected is not None, counts
        at = len(self._titles)
        if counts is None and had:
            self.beginRemoveColumns(ROOT, at, at)
            self.endRemoveColumns()
        elif counts is not None and not had:
            self.beginInsertColumns(ROOT, at, at)
            self.endInsertColumns()
        elif counts is not None and self.rowCount():
            self.dataChanged.emit(self.index(0, at), self.index(self.rowCount() - 1, at))

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if self._shown is None or parent.isValid() else len(self._shown.labels)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._all_titles)

    @property
    def _all_titles(self) -> list[str]:
        return [*self._titles, *(["Selected"] if self._selected is not None else [])]

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if self._shown is None or not index.isValid():
            return None
        if role in (Role.DisplayRole, Role.ToolTipRole):
            text = self.text(index.row(), index.column())
            return text if role == Role.DisplayRole or index.column() == 0 else None
        if role == Role.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if index.column() else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical or section >= self.columnCount():
            return None
        if role in (Role.DisplayRole, Role.ToolTipRole):
            return self._all_titles[section]
        if role == Role.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def text(self, row: int, column: int) -> str:
        """One cell as text."""
        assert self._shown is not None
        if column == 0:
            return self._shown.labels[row]
        if column == len(self._titles):
            assert self._selected is not None
            return f"{int(self._selected[row].sum())}"
        counts = self._shown.counts[row]
        return f"{int(counts[column - 1] if column <= len(counts) else counts.sum())}"

    def as_text(self, delimiter: str = "\t") -> str:
        """The whole table, one line a bin below the titles."""
        written = io.StringIO()
        table = CsvWriter(written, delimiter)
        table.writerow(self._all_titles)
        for row in range(self.rowCount()):
            table.writerow(self.text(row, column) for column in range(self.columnCount()))
        return written.getvalue()


class CountsTable(QTableView):
    """Shows the counts; copying takes the whole table, Space, Enter or a double click means the records of rows."""

    bins_meant = Signal(object, object)
    """Numbers of bins (m,), and :class:`How` to select their records."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.counts = CountsModel(self)
        self.setObjectName("preprocess.counts")
        self.setAccessibleName("Counts of the histogram")
        self.setHorizontalHeader(NameHeader(Qt.Orientation.Horizontal, self))
        self.setItemDelegateForColumn(0, NameDelegate(self))
        self.setModel(self.counts)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setTabKeyNavigation(False)
        self.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        self.setToolTip("Space selects the records of the rows chosen here")
        self.doubleClicked.connect(self._double_clicked)
        self.setCornerWidget(QWidget())
        self.verticalHeader().setVisible(False)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        set_row_height(self, themes.px(26))
        self.horizontalHeader().setDefaultSectionSize(84)
        self.horizontalHeader().setHighlightSections(False)

    def show_histogram(self, shown: Histogram | None) -> None:
        self.counts.show_histogram(shown)
        if self.counts.columnCount():
            self.setColumnWidth(0, 130)

    def show_selected(self, counts: IntArray | None) -> None:
        """Show how many records of each bin are selected; None where none is selected anywhere."""
        self.counts.show_selected(counts)

    def copy(self) -> None:
        """Put the whole table on the clipboard."""
        QGuiApplication.clipboard().setText(self.counts.as_text())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            rows = sorted({index.row() for index in self.selectionModel().selectedIndexes()})
            if rows:
                self.bins_meant.emit(np.array(rows), how_by_keys(event.modifiers()))
        else:
            super().keyPressEvent(event)

    def _double_clicked(self, index: QModelIndex) -> None:
        self.bins_meant.emit(np.array([index.row()]), How.REPLACE)
