"""Rows of text as a table that can be read aloud and copied: the twin of a small painted view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from workbench.parts.elision import NameDelegate, NameHeader
from workbench.parts.row_height import set_row_height
from workbench.theme import themes

Index = QModelIndex | QPersistentModelIndex
Rows = Sequence[Sequence[str]]
MOST_LOOKED_AT: Final = 200
"""So many rows tell whether a column holds words."""
SIGNS: Final = "+-−±<>≤≥= ."


class TextModel(QAbstractTableModel):
    """The first row is the heading. Columns of figures stand at the right, the first and those of words at the left."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: Rows = ()
        self._sides: dict[int, Qt.AlignmentFlag] = {}

    def show_rows(self, rows: Rows) -> None:
        if rows != self.rows:
            self.beginResetModel()
            self.rows = rows
            self._sides = {}
            self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else max(0, len(self.rows) - 1)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if not self.rows or (parent is not None and parent.isValid()) else len(self.rows[0])

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and self.rows and section < len(self.rows[0]):
            if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
                return self.rows[0][section]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return self._side(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self.rows[index.row() + 1][index.column()]
        return self._side(index.column()) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def _side(self, column: int) -> Qt.AlignmentFlag:
        if column not in self._sides:
            cells = [row[column] for row in self.rows[1 : MOST_LOOKED_AT + 1] if column < len(row)]
            is_left = column == 0 or are_words(cells)
            side = Qt.AlignmentFlag.AlignLeft if is_left else Qt.AlignmentFlag.AlignRight
            self._sides[column] = side | Qt.AlignmentFlag.AlignVCenter
        return self._sides[column]


class TextTable(QTableView):
    """Shows the rows; Ctrl+C takes all of them."""

    def __init__(self, name: str, says: str, parent: QWidget | None = None, model: TextModel | None = None) -> None:
        super().__init__(parent)
        self._model = model or TextModel()
        self.setObjectName(name)
        self.setAccessibleName(says)
        self.setHorizontalHeader(NameHeader(Qt.Orientation.Horizontal, self))
        self.setItemDelegate(NameDelegate(self))
        self.setModel(self._model)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        themes.follow(self._measure)
        self._measure()

    def show_rows(self, rows: Rows) -> None:
        """Show these rows, the heading first."""
        self._model.show_rows(rows)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText("\n".join("\t".join(row) for row in self._model.rows))
        else:
            super().keyPressEvent(event)

    def _measure(self) -> None:
        set_row_height(self, themes.px(25))


def are_words(cells: Sequence[str]) -> bool:
    """Whether there is something in these cells, and nowhere a figure: "12.5", "< 3", "−1"."""
    filled = [cell.strip() for cell in cells if any(letter.isalnum() for letter in cell)]
    return bool(filled) and not any(cell.lstrip(SIGNS)[:1].isdigit() for cell in filled)
