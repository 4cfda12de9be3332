"""The confusion matrix with its sentence, as a picture and as a table."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QHeaderView, QStackedWidget, QTableView, QWidget

from algorithms.core.data import FloatArray
from algorithms.evaluation.metrics import Report
from workbench.evaluate.numbers import confusion_sentence, records_judged
from workbench.parts import Pane, label, quiet_button
from workbench.views.confusion import ConfusionView, cell_sentence
from workbench.views.figures import amount

Index = QModelIndex | QPersistentModelIndex


class ConfusionTable(QAbstractTableModel):
    """The same numbers for reading aloud and copying."""

    def __init__(self) -> None:
        super().__init__()
        self._classes: tuple[str, ...] = ()
        self._counts: FloatArray = np.zeros((0, 0))

    def set_matrix(self, classes: tuple[str, ...], counts: FloatArray) -> None:
        self.beginResetModel()
        self._classes, self._counts = classes, counts
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._classes)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._classes)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        return f"{'said' if orientation is Qt.Orientation.Horizontal else 'is'} {self._classes[section]}"

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return amount(float(self._counts[index.row(), index.column()]))
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            return cell_sentence(self._classes, self._counts, index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None


class ConfusionPane(Pane):
    """What was taken for what."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Confusion", parent=parent)
        self._report: Report | None = None
        self.view = ConfusionView()
        self.view.cell_chosen.connect(self._say_cell)
        self._model = ConfusionTable()
        self.table = QTableView()
        self.table.setObjectName("evaluate.confusion.table")
        self.table.setAccessibleName("Confusion matrix as a table")
        self.table.setModel(self._model)
        for header in (self.table.horizontalHeader(), self.table.verticalHeader()):
            header.setTextElideMode(Qt.TextElideMode.ElideRight)
            header.setMaximumSectionSize(150)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.table.verticalHeader().setMaximumWidth(180)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.view)
        self._stack.addWidget(self.table)
        self.sentence = label("", wrap=True)
        self.sentence.setObjectName("evaluate.sentence")
        self.as_table = quiet_button("As table", "evaluate.confusion.as-table", "The same as a table")
        self.as_table.setCheckable(True)
        self.as_table.toggled.connect(self._show_table)
        self.add_action(self.as_table)
        self.add_action(quiet_button("Copy", "evaluate.confusion.copy", "Copy the matrix (Ctrl+C)", self.view.copy))
        self.body.addWidget(self._stack, 1)
        self.body.addWidget(self.sentence)

    def show_report(self, report: Report, decided: str = "") -> None:
        """Show the matrix of a run; ``decided`` says by what, where it is not the model's own decision."""
        self.set_facts(f"{decided} instead of the model's own decision" if decided else records_judged(report))
        if report is self._report:
            return
        self._report = report
        self.view.set_matrix(report.classes, report.confusion)
        self._model.set_matrix(report.classes, report.confusion)
        if self.view.cell is None:
            self.sentence.setText(confusion_sentence(report))
        else:
            self._say_cell(*self.view.cell)

    def _say_cell(self, row: int, column: int) -> None:
        if self._report is not None:
            self.sentence.setText(cell_sentence(self._report.classes, self._report.confusion, row, column))

    def _show_table(self, wanted: bool) -> None:
        self._stack.setCurrentIndex(int(wanted))
        (self.table if wanted else self.view).setFocus()
