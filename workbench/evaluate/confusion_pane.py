"""The confusion matrix with its sentence, as a picture and as a table."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QStackedWidget, QTableView, QWidget

from algorithms.core.columns import FloatArray
from algorithms.evaluation.metrics import Report
from workbench.evaluate.figure_table import ROW_HEIGHT, TIGHT, title_metrics
from workbench.evaluate.numbers import confusion_sentence, records_judged
from workbench.jobs import Jobs
from workbench.parts import Pane, label, link_button, quiet_button
from workbench.parts.elision import NameHeader
from workbench.parts.row_height import set_row_height
from workbench.selection import How, how_by_keys
from workbench.theme import SPACE_2, themes
from workbench.views.confusion import ConfusionView
from workbench.views.confusion_export import ExportedConfusion
from workbench.views.confusion_words import cell_sentence, place_sentence, selected_words
from workbench.views.export import Export
from workbench.views.figures import amount

Index = QModelIndex | QPersistentModelIndex


RIGHT: Final = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
WIDEST: Final = 150
WIDEST_NAME: Final = 180
ROUND: Final = 20
"""Room around the words of a cell."""


class ConfusionTable(QAbstractTableModel):
    """The same numbers for reading aloud and copying."""

    def __init__(self) -> None:
        super().__init__()
        self._classes: tuple[str, ...] = ()
        self._counts: FloatArray = np.zeros((0, 0))
        self._selected: FloatArray | None = None

    def set_matrix(self, classes: tuple[str, ...], counts: FloatArray) -> None:
        if classes == self._classes:
            self._counts = counts
            self._tell()
            return
        self.beginResetModel()
        self._classes, self._counts, self._selected = classes, counts, None
        self.endResetModel()

    def set_selected(self, counts: FloatArray | None) -> None:
        """Say how much of each cell (k, k) is selected; None where no record is."""
        self._selected = counts
        self._tell()

    def _tell(self) -> None:
        if self._classes:
            last = len(self._classes) - 1
            self.dataChanged.emit(self.index(0, 0), self.index(last, last))

    def _selected_in(self, row: int, column: int) -> float:
        return 0.0 if self._selected is None else float(self._selected[row, column])

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
            return self._words(index.row(), index.column())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return RIGHT
        if role in (Qt.ItemDataRole.ToolTipRole, Qt.ItemDataRole.AccessibleTextRole):
            row, column = index.row(), index.column()
            said = cell_sentence(self._classes, self._counts, row, column)
            if self._selected is None:
                return said
            return said + selected_words(float(self._counts[row, column]), self._selected_in(row, column))
        return None

    def _words(self, row: int, column: int) -> str:
        count, selected = float(self._counts[row, column]), self._selected_in(row, column)
        return f"{amount(count)} ({amount(selected)} selected)" if selected else amount(count)

    def longest(self, column: int) -> str:
        """What takes the most room of a column."""
        return max((self._words(row, column) for row in range(len(self._classes))), key=len)


class ConfusionTableView(QTableView):
    """The matrix as a table: Space, Enter or a double click means the records of the cells chosen here."""

    cells_meant = Signal(object, object)
    """Which cells (k, k), and :class:`How` to select their records."""

    def __init__(self, model: ConfusionTable) -> None:
        super().__init__()
        self.setObjectName("evaluate.confusion.table")
        self.setAccessibleName("Confusion matrix as a table")
        self.setModel(model)
        self.setToolTip("Space selects the records of the cells chosen here")
        self.setEditTriggers(QTableView.EditTrigger.NoEditTriggers)
        self.setHorizontalHeader(NameHeader(Qt.Orientation.Horizontal, self))
        self.setVerticalHeader(NameHeader(Qt.Orientation.Vertical, self))
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.setMaximumSectionSize(WIDEST)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setMaximumWidth(WIDEST_NAME)
        self.setStyleSheet(TIGHT)
        self._matrix = model
        model.modelReset.connect(self._fit)
        model.dataChanged.connect(self._fit)
        themes.follow(self._fit)
        self.doubleClicked.connect(self._double_clicked)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._mean(how_by_keys(event.modifiers()))
        else:
            super().keyPressEvent(event)

    def _fit(self) -> None:
        """Make each column as wide as its title and its longest count: asking every cell takes long of many classes."""
        metrics, header = QFontMetrics(themes.font()), self.horizontalHeader()
        set_row_height(self, themes.px(ROW_HEIGHT))
        titles = title_metrics()
        for column in range(self._matrix.columnCount()):
            title = titles.horizontalAdvance(self._matrix.headerData(column, Qt.Orientation.Horizontal))
            across = max(title, metrics.horizontalAdvance(self._matrix.longest(column))) + themes.px(ROUND)
            if header.sectionSize(column) != min(across, WIDEST):
                header.resizeSection(column, min(across, WIDEST))

    def _double_clicked(self, _index: QModelIndex) -> None:
        self._mean(How.REPLACE)

    def _mean(self, how: How) -> None:
        k = self.model().rowCount()
        cells = np.zeros((k, k), dtype=np.bool_)
        for index in self.selectionModel().selectedIndexes():
            cells[index.row(), index.column()] = True
        if cells.any():
            self.cells_meant.emit(cells, how)


class ConfusionPane(Pane):
    """What was taken for what."""

    cells_meant = Signal(object, object)
    """Which cells (k, k), and :class:`How` to select their records."""
    came_into_view = Signal()

    def __init__(self, jobs: Jobs | None = None, parent: QWidget | None = None) -> None:
        super().__init__("Confusion", parent=parent)
        self._report: Report | None = None
        self._remark = ""
        self.view = ConfusionView()
        self.view.cell_chosen.connect(self._say_cell)
        self.view.cells_meant.connect(self.cells_meant)
        self._model = ConfusionTable()
        self.table = ConfusionTableView(self._model)
        self.table.cells_meant.connect(self.cells_meant)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.view)
        self._stack.addWidget(self.table)
        self.sentence = label("", wrap=True)
        self.sentence.setObjectName("evaluate.sentence")
        self.as_table = quiet_button("As table", "evaluate.confusion.as-table", "The same as a table")
        self.as_table.setCheckable(True)
        self.as_table.toggled.connect(self._show_table)
        self.add_action(self.as_table)
        self.export = Export(ExportedConfusion(self.view), jobs, self)
        self.add_action(self.export.button("evaluate.confusion.save"))
        self.wrong = link_button(
            "Select wrong", "evaluate.confusion.wrong", "Select every record that was decided wrongly"
        )
        self.wrong.clicked.connect(self._wrong_meant)
        below = QHBoxLayout()
        below.setSpacing(SPACE_2)
        below.addWidget(self.sentence, 1)
        below.addWidget(self.wrong)
        self.body.addWidget(self._stack, 1)
        self.body.addLayout(below)

    def show_report(self, report: Report, decided: str = "") -> None:
        """Show the matrix of a run; ``decided`` says by what, where it is not the model's own decision."""
        briefly = decided.partition(" (")[0]
        whole = f"{decided} instead of the model's own decision"
        self.set_facts(*((whole, decided, briefly) if decided else (records_judged(report),)))
        if report is self._report:
            return
        self._report, self._remark = report, ""
        self.view.set_matrix(report.classes, report.confusion)
        if self.as_table.isChecked():
            self._fill_table()
        self._say()

    def _fill_table(self) -> None:
        """The table shows what the picture shows; while nobody sees it, it is left as it is."""
        self._model.set_matrix(self.view.classes, self.view.counts)
        self._model.set_selected(self.view.selected)

    def _wrong_meant(self) -> None:
        if self._report is not None:
            self.cells_meant.emit(~np.eye(len(self._report.classes), dtype=np.bool_), How.REPLACE)

    def set_selected(self, counts: FloatArray | None) -> None:
        """Mark how much of each cell (k, k) is selected; None where no record is."""
        self.view.set_selected(counts)
        if self.as_table.isChecked():
            self._model.set_selected(counts)

    def remark(self, words: str) -> None:
        """Add a sentence about what was just meant, until something else is said."""
        self._remark = words
        self._say()

    def _say_cell(self, _row: int, _column: int) -> None:
        self._remark = ""
        self._say()

    def _say(self) -> None:
        """What the chosen cell means; while none is chosen, what was taken for what most often."""
        report, cell = self._report, self.view.cell
        if report is not None:
            said = confusion_sentence(report)
            if cell is not None:
                said = place_sentence(report.classes, report.confusion, *cell)
            self.sentence.setText(f"{said} {self._remark}".rstrip())
            self.wrong.setEnabled(bool(report.confusion.sum() > np.trace(report.confusion)))

    def _show_table(self, wanted: bool) -> None:
        if wanted:
            self._fill_table()
        self._stack.setCurrentIndex(int(wanted))
        (self.table if wanted else self.view).setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.came_into_view.emit()
