"""Confusion matrix linked with the selection, under the current decision rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal, SignalInstance
from PySide6.QtGui import QFontMetrics, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QHeaderView, QStackedWidget, QTableView, QWidget

from algorithms.core.run_control import RunContext
from algorithms.data.columns import FloatArray
from algorithms.evaluation.measures.metrics import Report
from algorithms.evaluation.tested_records import CellsOfTests
from algorithms.text.names import shortened
from algorithms.text.numbers import amount
from workbench.jobs.jobs import Jobs, LatestTask
from workbench.session.decision_rules import AT_ONCE, DecisionQuery
from workbench.session.selection import SelectionMode, how_by_keys
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, themes
from workbench.tabs.evaluate.figure_table import ROW_HEIGHT, TIGHT, title_metrics
from workbench.tabs.evaluate.numbers import confusion_sentence, records_judged
from workbench.viewers.charts.confusion_matrix import (
    Cells,
    ConfusionView,
    as_rows,
    cell_sentence,
    place_sentence,
    selected_words,
)
from workbench.viewers.charts.export import Export, ExportedPicture
from workbench.widgets.buttons import link_button, quiet_button
from workbench.widgets.labels import NameHeader, label
from workbench.widgets.layouts import add_items, filled, named, row_layout
from workbench.widgets.painting import MIDDLE_RIGHT
from workbench.widgets.panes import Pane
from workbench.widgets.tables import CellsModel, Role, set_row_height

WIDEST: Final = 150
WIDEST_NAME: Final = 180
ROUND: Final = 20
"""Pixels around the text of a cell."""


class ConfusionTable(CellsModel):
    """The matrix as a table, for screen readers and the clipboard."""

    def __init__(self) -> None:
        super().__init__()
        self._classes: tuple[str, ...] = ()
        self._counts: FloatArray = np.zeros((0, 0))
        self._selected: FloatArray | None = None

    def set_matrix(self, classes: tuple[str, ...], counts: FloatArray) -> None:
        if classes == self._classes:
            self._counts = counts
            self.changed()
            return
        self.beginResetModel()
        self._classes, self._counts, self._selected = classes, counts, None
        self.endResetModel()

    def set_selected(self, counts: FloatArray | None) -> None:
        """Sets the selected weight of each cell (k, k); None without a selection."""
        self._selected = counts
        self.changed()

    def _selected_in(self, row: int, column: int) -> float:
        return 0.0 if self._selected is None else float(self._selected[row, column])

    def size(self) -> tuple[int, int]:
        return len(self._classes), len(self._classes)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if role not in (Role.DisplayRole, Role.ToolTipRole):
            return None
        return f"{'said' if orientation is Qt.Orientation.Horizontal else 'is'} {self._classes[section]}"

    def text(self, row: int, column: int) -> str:
        count, selected = float(self._counts[row, column]), self._selected_in(row, column)
        return f"{amount(count)} ({amount(selected)} selected)" if selected else amount(count)

    def tip(self, row: int, column: int) -> str:
        sentence = cell_sentence(self._classes, self._counts, row, column)
        if self._selected is None:
            return sentence
        return sentence + selected_words(float(self._counts[row, column]), self._selected_in(row, column))

    def side(self, column: int) -> Qt.AlignmentFlag:
        return MIDDLE_RIGHT

    def value(self, row: int, column: int, role: int) -> Any:
        return self.tip(row, column) if role == Role.AccessibleTextRole else None

    def longest(self, column: int) -> str:
        """The longest text of a column."""
        return max((self.text(row, column) for row in range(len(self._classes))), key=len)


class ConfusionTableView(QTableView):
    """The matrix as a table; Space, Enter or a double click select the records of the selected cells."""

    cells_meant = Signal(object, object)
    """Carries a mask of cells (k, k) and the :class:`SelectionMode`."""

    def __init__(self, model: ConfusionTable) -> None:
        super().__init__()
        named(self, "evaluate.confusion.table", "Confusion matrix as a table")
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
        self.doubleClicked.connect(lambda: self._mean(SelectionMode.REPLACE))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._mean(how_by_keys(event.modifiers()))
        else:
            super().keyPressEvent(event)

    def _fit(self) -> None:
        """Fits each column to its title and longest count, which is faster than asking every cell."""
        metrics, header = QFontMetrics(themes.font()), self.horizontalHeader()
        set_row_height(self, themes.px(ROW_HEIGHT))
        titles = title_metrics()
        for column in range(self._matrix.columnCount()):
            title = titles.horizontalAdvance(self._matrix.headerData(column, Qt.Orientation.Horizontal))
            across = max(title, metrics.horizontalAdvance(self._matrix.longest(column))) + themes.px(ROUND)
            if header.sectionSize(column) != min(across, WIDEST):
                header.resizeSection(column, min(across, WIDEST))

    def _mean(self, how: SelectionMode) -> None:
        k = self.model().rowCount()
        cells = np.zeros((k, k), dtype=np.bool_)
        for index in self.selectionModel().selectedIndexes():
            cells[index.row(), index.column()] = True
        if cells.any():
            self.cells_meant.emit(cells, how)


class ConfusionPane(Pane):
    """Pane of the confusion matrix."""

    cells_meant = Signal(object, object)
    """Carries a mask of cells (k, k) and the :class:`SelectionMode`."""
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
        self._stack = filled(QStackedWidget(), self.view, self.table)
        self.sentence = named(label("", wrap=True), "evaluate.sentence")
        self.as_table = quiet_button("As table", "evaluate.confusion.as-table", "The same as a table", checkable=True)
        self.as_table.toggled.connect(self._show_table)
        self.add_action(self.as_table)
        view, title = self.view, "Confusion matrix"
        exported = ExportedPicture(
            "confusion", title, lambda: view.whole, view.paint_whole, lambda: as_rows(view.classes, view.counts)
        )
        self.export = Export(exported, jobs, self)
        self.add_action(self.export.button("evaluate.confusion.save"))
        self.wrong = link_button(
            "Select wrong", "evaluate.confusion.wrong", "Select every record that was decided wrongly"
        )
        self.wrong.clicked.connect(self._wrong_meant)
        below = row_layout((self.sentence, 1), self.wrong, spacing=SPACE_2)
        add_items(self.body, (self._stack, 1), below)

    def show_report(self, report: Report, decided: str = "") -> None:
        """Shows the matrix of a run; ``decided`` describes a rule other than the default."""
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
        """Fills the table if it is visible."""
        self._model.set_matrix(self.view.classes, self.view.counts)
        self._model.set_selected(self.view.selected)

    def _wrong_meant(self) -> None:
        if self._report is not None:
            self.cells_meant.emit(~np.eye(len(self._report.classes), dtype=np.bool_), SelectionMode.REPLACE)

    def set_selected(self, counts: FloatArray | None) -> None:
        """Sets the selected weight of each cell (k, k); None without a selection."""
        self.view.set_selected(counts)
        if self.as_table.isChecked():
            self._model.set_selected(counts)

    def remark(self, words: str) -> None:
        """Appends a sentence about the last selection, until another is shown."""
        self._remark = words
        self._say()

    def _say_cell(self, _row: int, _column: int) -> None:
        self._remark = ""
        self._say()

    def _say(self) -> None:
        """Describes the chosen cell, or without one the most frequent confusion."""
        report, cell = self._report, self.view.cell
        if report is not None:
            sentence = confusion_sentence(report)
            if cell is not None:
                sentence = place_sentence(report.classes, report.confusion, *cell)
            self.sentence.setText(f"{sentence} {self._remark}".rstrip())
            self.wrong.setEnabled(bool(report.confusion.sum() > np.trace(report.confusion)))

    def _show_table(self, wanted: bool) -> None:
        if wanted:
            self._fill_table()
        self._stack.setCurrentIndex(int(wanted))
        (self.table if wanted else self.view).setFocus()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.came_into_view.emit()


LONGEST_NAME: Final = 24
NOT_IN_THE_TABLE: Final = "They are not records of this table, so none is selected here."


@dataclass(frozen=True, eq=False)
class Matrix:
    """A run under a decision rule; ``tested`` is None if it tested no record of its table."""

    asked: DecisionQuery
    tested: CellsOfTests | None


@dataclass(frozen=True)
class PendingSelection:
    """A selection to make once the records of the cells are known."""

    cells: Cells
    how: SelectionMode


class SelectableMatrix(Protocol):
    """A widget with a matrix that selects records by cell and marks selected ones."""

    @property
    def cells_meant(self) -> SignalInstance: ...

    @property
    def came_into_view(self) -> SignalInstance: ...

    def isVisible(self) -> bool: ...

    def set_selected(self, counts: FloatArray | None) -> None: ...

    def remark(self, words: str) -> None: ...


class ConfusionSelection(QObject):
    """Links a matrix with the selection; large tests are sorted into cells in a job, the latest of which counts."""

    def __init__(self, session: Session, pane: SelectableMatrix, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._pane = session, pane
        self._by = ""
        self._asked: DecisionQuery | None = None
        self._matrix: Matrix | None = None
        self._wish: PendingSelection | None = None
        self._task = LatestTask(session.jobs)
        pane.cells_meant.connect(self._cells_meant)
        pane.came_into_view.connect(self._show)
        session.selection.changed.connect(self._show)

    def follow(self, asked: DecisionQuery, by: str = "") -> None:
        """Follows a run under these decisions; ``by`` describes a rule other than the current one."""
        if self._asked is None or asked.run is not self._asked.run:
            self._pane.set_selected(None)
        self._asked, self._by, self._wish = asked, by, None
        self._show()

    @property
    def is_busy(self) -> bool:
        """Whether a job sorts tests into cells."""
        return self._task.is_running

    # ---- the selection is shown ------------------------------------------------------------------------------------

    def _show(self) -> None:
        """Marks the selected weight of each cell; waits while hidden."""
        if not self._pane.isVisible():
            return
        if not len(self._session.selection):
            self._pane.set_selected(None)
            return
        self._with_matrix(self._mark)

    def _mark(self, matrix: Matrix) -> None:
        if matrix.tested is None or not len(self._session.selection):
            self._pane.set_selected(None)
        else:
            self._pane.set_selected(matrix.tested.counts_of(self._session.selection.mask_of(matrix.asked.run.data)))

    # ---- the selection is set --------------------------------------------------------------------------------------

    def _cells_meant(self, cells: Cells, how: SelectionMode) -> None:
        self._wish = PendingSelection(cells, how)
        self._with_matrix(self._grant)

    def _grant(self, matrix: Matrix) -> None:
        wish, self._wish = self._wish, None
        if wish is None:
            return
        if matrix.tested is None:
            self._pane.remark(NOT_IN_THE_TABLE)
            return
        asked = matrix.asked
        cells = cells_words(asked.result.classes, wish.cells)
        # the rule is named, so that the label of the selection stays true when it changes
        decided = self._by or (f"as it {asked.words}" if asked.words else "as the model decides")
        by = f"the confusion matrix of run {asked.run.number} ({cells}, {decided})"
        records = matrix.tested.records_in(wish.cells)
        self._session.selection.select(asked.run.data, records, wish.how, by, by_judgement=True)

    # ---- the tests in their cells ----------------------------------------------------------------------------------

    def _with_matrix(self, act: Callable[[Matrix], None]) -> None:
        """Calls a function with the sorted tests, at once if they are few or cached."""
        asked = self._asked
        if asked is None:
            return
        if self._matrix is not None and asked.asks_as(self._matrix.asked):
            act(self._matrix)
        elif len(asked.result) <= AT_ONCE:
            self._matrix = made_matrix(asked, int)
            act(self._matrix)
        elif not self._task.is_running:

            def work(context: RunContext) -> Matrix:
                context.say("Finding the records of each cell")
                return made_matrix(asked, context.checkpoint)

            self._task.run("Find the records of each cell", work, on_done=self._on_sorted)

    def _on_sorted(self, matrix: Matrix) -> None:
        """Uses a sorted matrix if it is still the wanted one, else starts another job."""
        if matrix.asked.asks_as(self._asked):
            self._matrix = matrix
        if self._wish is not None:
            self._with_matrix(self._grant)
        self._show()


def made_matrix(asked: DecisionQuery, checkpoint: Callable[[], object]) -> Matrix:
    """Sorts a run's tests into the cells of its matrix."""
    return Matrix(asked, CellsOfTests.of(asked.result, asked.decisions(checkpoint), asked.run.data))


def cells_words(classes: tuple[str, ...], cells: Cells) -> str:
    """A mask of cells (k, k) in words: "is yes, said no", "is yes", "said no", "3 cells"."""
    right = np.eye(len(classes), dtype=np.bool_)
    if len(classes) > 1 and (np.array_equal(cells, right) or np.array_equal(cells, ~right)):
        return "all that are right" if cells[0, 0] else "all that are wrong"
    rows, columns = np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))
    is_rectangle = np.count_nonzero(cells) == len(rows) * len(columns)
    names = [shortened(name, LONGEST_NAME, classes) for name in classes]
    if is_rectangle and len(rows) == 1 and len(columns) == 1:
        return f"is {names[int(rows[0])]}, said {names[int(columns[0])]}"
    if is_rectangle and len(rows) == 1 and len(columns) == len(classes):
        return f"is {names[int(rows[0])]}"
    if is_rectangle and len(columns) == 1 and len(rows) == len(classes):
        return f"said {names[int(columns[0])]}"
    return f"{np.count_nonzero(cells)} cells"
