"""The curve's twin: the same points as a table that can be read aloud, copied, and chosen from."""

from __future__ import annotations

import math
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from workbench.parts.row_height import set_row_height
from workbench.theme import themes
from workbench.views.curve_lines import COLUMNS, CurveLine, as_csv, point_sentence, row, threshold_words
from workbench.views.figures import in_100

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class CurveModel(QAbstractTableModel):
    """One row a threshold."""

    def __init__(self) -> None:
        super().__init__()
        self.line: CurveLine | None = None

    def show_line(self, line: CurveLine | None) -> None:
        if line is not self.line:
            self.beginResetModel()
            self.line = line
            self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if self.line is None or (parent is not None and parent.isValid()) else len(self.line.points)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Vertical:
            return None
        if role in (Role.DisplayRole, Role.ToolTipRole):
            return COLUMNS[section] if role == Role.ToolTipRole else COLUMNS[section].partition(" (")[0]
        return RIGHT if role == Role.TextAlignmentRole else None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if self.line is None or not index.isValid():
            return None
        if role == Role.DisplayRole:
            value = row(self.line.points, index.row())[index.column()]
            if index.column() == 0:
                return threshold_words(value)
            return in_100(None if math.isnan(value) else value)
        if role == Role.ToolTipRole:
            return point_sentence(self.line, index.row())
        return RIGHT if role == Role.TextAlignmentRole else None


class CurveTable(QTableView):
    """The points of the run in view; Enter or a double click decides by a row's threshold."""

    threshold_chosen = Signal(float)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName("The curve as a table; Enter decides by the threshold of a row")
        self._model = CurveModel()
        self.setModel(self._model)
        self.setShowGrid(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setHighlightSections(False)
        self.activated.connect(self._chosen)
        themes.follow(self._measure)
        self._measure()

    def show_line(self, line: CurveLine | None) -> None:
        """Show the points of this run."""
        self._model.show_line(line)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy) and self._model.line is not None:
            QGuiApplication.clipboard().setText(as_csv([self._model.line], "\t"))
        else:
            super().keyPressEvent(event)

    def _chosen(self, index: QModelIndex) -> None:
        if self._model.line is not None:
            self.threshold_chosen.emit(float(self._model.line.points.thresholds[index.row()]))

    def _measure(self) -> None:
        set_row_height(self, themes.px(25))
