"""Confusion matrix linked with the selection, under the current decision rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import numpy as np
from PySide6.QtCore import QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QHeaderView, QStackedWidget, QTableView, QWidget

from algorithms.data.columns import FloatArray
from algorithms.evaluation.measures.confusion_counts import (
    HEAD,
    TOTAL,
    Confusion,
    as_rows,
    covered,
    largest_confusions,
    order_by_confusion,
    place_sentence,
    selected_words,
    with_totals,
)
from algorithms.evaluation.measures.metrics import Report
from algorithms.evaluation.tested_records import CellsOfTests
from algorithms.text.numbers import amount, percent
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Jobs, LatestTask
from workbench.jobs.ui_scheduling import MadeInPieces
from workbench.session.decision_rules import AT_ONCE, DecisionQuery
from workbench.session.selection import NOT_IN_THE_TABLE, SelectionMode, how_by_keys, select_cells
from workbench.session.session import Session
from workbench.style.motion import UNLIMITED, Reordering
from workbench.style.theme import SPACE_2, themes
from workbench.tabs.evaluate.figure_table import ROW_HEIGHT, title_metrics
from workbench.tabs.evaluate.numbers import confusion_sentence, records_judged
from workbench.viewers.charts.confusion_matrix import Cells, ConfusionView
from workbench.viewers.charts.export import Export, ExportedPicture
from workbench.widgets.buttons import link_button, quiet_button, set_caption
from workbench.widgets.fields import ElidedComboBox
from workbench.widgets.keyboard_focus import show_or_hide
from workbench.widgets.labels import ElidedLabel, NameHeader, label
from workbench.widgets.layouts import add_items, filled, named, row_layout
from workbench.widgets.painting import MIDDLE_RIGHT
from workbench.widgets.panes import Pane
from workbench.widgets.tables import TIGHT, CellsModel, Role, TextTable, full_size, set_row_height, table_switch

FEWEST_ORDERED: Final = 4
"""Least number of classes for a choice of their order."""
MOST_LISTED: Final = 50
"""Most confusions that are listed."""


class Listing(Enum):
    """What the drop-down of a matrix of several classes shows."""

    TABLE_ORDER = "table-order"
    BY_CONFUSION = "by-confusion"
    LARGEST = "largest"


TABLE_ORDER, BY_CONFUSION, LARGEST = Listing
SELECT_ERRORS: Final = "Select errors"
SELECTS_ERRORS: Final = "evaluate.confusion.wrong"
"""Object name of the button that selects them; its caption has their number."""
EXPLAIN_THESE: Final = "Explain the selected"
"""Its caption but for the number of records."""
ORDER_TIP: Final = (
    "Ordered by confusion puts classes that are often confused with each other side by side; largest confusions lists "
    "the errors by actual and predicted class"
)
PERCENTAGES: Final = ("colour: share of the row", "row percentages")
"""What cells show beside counts: by their tints only, or in words."""
SELECTED_BAR: Final = "▬ selected"
"""What the bar at the foot of a cell shows, in words; the line before them has its colour in every theme."""
WHAT_THE_BAR_IS: Final = "The bar at the foot of a cell: the share of its records that are selected"
WIDEST: Final = 150
WIDEST_NAME: Final = 180
ROUND: Final = 20
"""Pixels around the text of a cell."""


class ConfusionTable(CellsModel):
    """The matrix as a table, for screen readers and the clipboard."""

    def __init__(self) -> None:
        super().__init__()
        self._classes: tuple[str, ...] = ()
        self._counts: FloatArray = with_totals(np.zeros((0, 0)))
        self._selected: FloatArray | None = None
        """Both (k + 1, k + 1), with their totals."""

    def set_matrix(self, classes: tuple[str, ...], counts: FloatArray) -> None:
        """Shows the counts (k, k) of these classes."""
        if classes == self._classes:
            self._counts = with_totals(counts)
            self.changed()
            return
        self.beginResetModel()
        self._classes, self._counts, self._selected = classes, with_totals(counts), None
        self.endResetModel()

    def set_selected(self, counts: FloatArray | None) -> None:
        """Shows the selected counts (k, k); None without a selection."""
        self._selected = None if counts is None else with_totals(counts)
        self.changed()

    def _selected_in(self, row: int, column: int) -> float:
        return 0.0 if self._selected is None else float(self._selected[row, column])

    def size(self) -> tuple[int, int]:
        k = len(self._classes)
        return (k + 1, k + 1) if k else (0, 0)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if role not in (Role.DisplayRole, Role.ToolTipRole):
            return None
        if section == len(self._classes):
            return TOTAL
        return f"{'predicted' if orientation is Qt.Orientation.Horizontal else 'actual'} {self._classes[section]}"

    def text(self, row: int, column: int) -> str:
        count, selected = self._count(row, column), self._selected_in(row, column)
        return f"{amount(count)} ({amount(selected)} selected)" if selected else amount(count)

    def _count(self, row: int, column: int) -> float:
        return float(self._counts[row, column])

    def tip(self, row: int, column: int) -> str:
        k = len(self._classes)
        if (row, column) == (k, k):
            n = self._count(k, k)
            sentence = f"{amount(n)} test record{'' if n == 1 else 's'}."
        else:
            counts = self._counts[:k, :k]
            sentence = place_sentence(self._classes, counts, HEAD if row == k else row, HEAD if column == k else column)
        if self._selected is None:
            return sentence
        return sentence + selected_words(self._count(row, column), self._selected_in(row, column))

    def side(self, column: int) -> Qt.AlignmentFlag:
        return MIDDLE_RIGHT

    def value(self, row: int, column: int, role: int) -> Any:
        return self.tip(row, column) if role == Role.AccessibleTextRole else None

    def longest(self, column: int) -> str:
        return max((self.text(row, column) for row in range(len(self._classes) + 1)), key=len)


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
        k = self.model().rowCount() - 1
        chosen = np.zeros((k + 1, k + 1), dtype=np.bool_)
        for index in self.selectionModel().selectedIndexes():
            chosen[index.row(), index.column()] = True
        if chosen.any():
            totals = chosen[:k, k:] | chosen[k:, :k] | chosen[k, k]
            self.cells_meant.emit(chosen[:k, :k] | totals, how)


class ConfusionPane(MadeInPieces, Pane):
    """Pane of the confusion matrix of the run in view, whose cells select records, with a sentence below it."""

    cells_meant = Signal(object, object)
    """Carries a mask of cells (k, k) and the :class:`SelectionMode`."""
    came_into_view = Signal()
    explain_asked = Signal()

    def __init__(self, jobs: Jobs | None = None, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__("Confusion matrix", parent=parent)
        self._remark = self._decided = self._parts = ""
        self._make_by(self._make(jobs), in_pieces)

    def _make(self, jobs: Jobs | None) -> Iterator[bool]:
        self.view = ConfusionView()
        self._report: Report | None = None
        self._is_offered = True
        self._selected: FloatArray | None = None
        self.view.cell_chosen.connect(lambda _row, _column: self.remark(""))
        self._order = np.arange(0)
        """Class codes (k,) in the order of rows and columns."""
        self.view.cells_meant.connect(self._mean)
        self._model = ConfusionTable()
        self.table = ConfusionTableView(self._model)
        self.table.cells_meant.connect(self._mean)
        yield True
        self.sentence = named(label("", wrap=True), "evaluate.sentence")
        view, title = self.view, "Confusion matrix"
        exported = ExportedPicture(
            "confusion", title, lambda: view.whole, view.paint_whole, lambda: as_rows(view.classes, view.counts)
        )
        self.export = Export(exported, jobs, self)
        self.as_table = self.export.offer(table_switch("evaluate.confusion.as-table"))
        self.as_table.toggled.connect(self._show_table)
        says = "The largest confusions; a click selects their records"
        self.largest = TextTable("evaluate.confusion.largest", says)
        self.largest.setToolTip("A click, Space or Enter selects the records")
        self.largest.clicked.connect(self._mean_confusion)
        self.largest.activated.connect(self._mean_confusion)
        yield True
        self._confusions: list[Confusion] = []
        choices = [
            ("Table order", TABLE_ORDER),
            ("Ordered by confusion", BY_CONFUSION),
            ("Largest confusions", LARGEST),
        ]
        self.order = named(
            ElidedComboBox(choices=choices), "evaluate.confusion.order", "Order of the classes", ORDER_TIP
        )
        self._reordering = Reordering(view.viewport(), view.pieces)
        self.order.currentIndexChanged.connect(self._reorder_gradually)
        self._bar_key = named(ElidedLabel(SELECTED_BAR), "evaluate.confusion.bar-key")
        self._bar_key.set_note(WHAT_THE_BAR_IS)
        self._bar_key.hide()
        self.add_action(self._bar_key, self.order)
        self.larger = self.export.offer(full_size("evaluate.confusion.larger"))
        self.add_action(self.export.button("evaluate.confusion.save"))
        tip = "Select every misclassified record"
        self.wrong = quiet_button(SELECT_ERRORS, SELECTS_ERRORS, tip, self.mean_wrong)
        tip = "Explain the predictions for the selected records, one after another, in Visualize"
        self.to_explain = link_button(EXPLAIN_THESE, "evaluate.confusion.explain", tip, self.explain_asked.emit)
        self.to_explain.hide()
        foot = row_layout(1, self.to_explain, self.wrong, spacing=SPACE_2)
        yield True
        self._stack = filled(QStackedWidget(self), self.view, self.table, self.largest)
        add_items(self.body, (self._stack, 1000), self.sentence, foot, 1)
        self.view.laid_out.connect(self._fit)

    def _reorder(self) -> None:
        report = self._report
        if report is None:
            return
        is_by_confusion = self._listing is BY_CONFUSION
        self._order = order_by_confusion(report.confusion) if is_by_confusion else np.arange(len(report.classes))
        classes = tuple(report.classes[code] for code in self._order)
        self.view.set_matrix(classes, report.confusion[np.ix_(self._order, self._order)], self._order.tolist())
        self.set_selected(self._selected, is_offered=self._is_offered)
        if self.as_table.isChecked():
            self._fill_table()
        self._list_confusions(report)
        self._say()
        self._fit()

    @property
    def _listing(self) -> Listing:
        """What the drop-down shows, which few classes do not have."""
        is_offered = self._report is not None and len(self._report.classes) >= FEWEST_ORDERED
        return Listing(self.order.currentData()) if is_offered else TABLE_ORDER

    def _list_confusions(self, report: Report) -> None:
        """Lists the largest confusions, if the drop-down shows them."""
        self._confusions = largest_confusions(report.confusion, MOST_LISTED) if self._listing is LARGEST else []
        rows: list[tuple[str, ...]] = [
            ("Actual", "Predicted", "Records" if report.counts_records else "Weight", "Of class", "Of errors")
        ]
        for of in self._confusions:
            names = report.classes[of.actual], report.classes[of.predicted]
            shares = (percent(share, report.n) for share in (of.of_class, of.of_errors))
            rows.append((*names, amount(of.n), *shares))
        self.largest.show_rows(rows)

    def _mean_confusion(self, index: QModelIndex) -> None:
        """Means the records of a listed confusion, and says what they are."""
        if not 0 <= index.row() < len(self._confusions) or self._report is None:
            return
        of, k = self._confusions[index.row()], len(self._report.classes)
        places = np.argsort(self._order)
        self.view.choose(int(places[of.actual]), int(places[of.predicted]))
        self.cells_meant.emit(covered(k, of.actual, of.predicted), SelectionMode.REPLACE)

    def _reorder_gradually(self) -> None:
        is_gradual = self._stack.currentWidget() is self.view and self._listing is not LARGEST
        if is_gradual:
            self._reordering.begin()
        self._reorder()
        if is_gradual:
            self._reordering.end()

    def _fit(self) -> None:
        """Keeps the sentence right below the cells, whose height is limited."""
        shown = self.largest if self._listing is LARGEST else self.table if self.as_table.isChecked() else self.view
        self._stack.setCurrentWidget(shown)
        self._stack.setMaximumHeight(self.view.most_height if shown is self.view else UNLIMITED)
        self._say_facts()

    def _mean(self, cells: Cells, how: SelectionMode) -> None:
        by_code = np.zeros_like(cells)
        by_code[np.ix_(self._order, self._order)] = cells
        self.cells_meant.emit(by_code, how)

    def mean_wrong(self) -> None:
        """Means the cells of all errors."""
        if self._report is not None:
            self.cells_meant.emit(~np.eye(len(self._report.classes), dtype=np.bool_), SelectionMode.REPLACE)

    def show_report(self, report: Report, decided: str = "", parts: str = "") -> None:
        """Shows the matrix of a run; ``decided`` is a rule other than the default, ``parts`` are the folds of some."""
        self._decided, self._parts = decided, parts
        if report is self._report:
            self._say_facts()
            return
        if self._report is None or report.classes != self._report.classes:
            self._selected = None
        self._report, self._remark = report, ""
        self.order.setVisible(len(report.classes) >= FEWEST_ORDERED)
        self._reorder()

    def _say_facts(self) -> None:
        """Says what is shown: another decision rule than the default, or the records and what cells or tints are."""
        report, decided = self._report, self._decided
        has_selected = self.view.selected is not None and bool(self.view.selected.any())
        self._bar_key.setMinimumWidth(self._bar_key.least_width())
        self._bar_key.setVisible(has_selected and self._stack.currentWidget() is self.view)
        if report is None:
            return
        if decided:
            self.set_facts(f"{decided}, not by default", decided, decided.partition(" (")[0])
            return
        judged, shares = records_judged(report), PERCENTAGES[self.view.holds_shares]
        shares = shares if self._stack.currentWidget() is self.view else ""
        whole = " · ".join(filter(None, (judged, self._parts, shares)))
        self.set_facts(
            whole, " · ".join(filter(None, (judged, shares))), shares or judged, judged, f"n = {amount(report.n)}"
        )

    def _fill_table(self) -> None:
        self._model.set_matrix(self.view.classes, self.view.counts)
        self._model.set_selected(self.view.selected)

    def set_selected(self, counts: FloatArray | None, *, is_offered: bool = True) -> None:
        """Sets the selected weight of each cell (k, k), None without one, and whether to offer explaining it."""
        self._selected, self._is_offered = counts, is_offered
        is_offered = is_offered and counts is not None and bool(counts.any())
        show_or_hide(self.to_explain, is_offered, instead=self.view)
        self.view.set_selected(None if counts is None else counts[np.ix_(self._order, self._order)])
        self._say_facts()
        self._say()
        if self.as_table.isChecked():
            self._model.set_selected(self.view.selected)

    def remark(self, words: str) -> None:
        """Appends a sentence about the last selection, until another is shown."""
        self._remark = words
        self._say()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.came_into_view.emit()

    def _say(self) -> None:
        report, cell = self._report, self.view.cell
        if report is not None:
            sentence = confusion_sentence(report)
            if cell is not None:
                sentence = place_sentence(self.view.classes, self.view.counts, *cell, self.view.selected)
            self.sentence.setText(f"{sentence} {self._remark}".rstrip())
            n_wrong = float(report.confusion.sum() - np.trace(report.confusion))
            self.wrong.setEnabled(n_wrong > 0)
            number = counted(round(n_wrong), "misclassified record")
            what = f"the {number}" if report.counts_records and n_wrong else "misclassified records"
            set_caption(self.wrong, f"Select {what}")

    def _show_table(self, wanted: bool) -> None:
        if wanted:
            self._fill_table()
        if self._listing is LARGEST:
            self.order.setCurrentIndex(0)  # the matrix, as it was asked for
        self._fit()
        (self.table if wanted else self.view).setFocus()


@dataclass(frozen=True, eq=False)
class Matrix:
    """A run under a decision rule; ``tested`` is None if it tested no record of its table."""

    asked: DecisionQuery
    tested: CellsOfTests | None

    @classmethod
    def of(cls, asked: DecisionQuery, checkpoint: Callable[[], object]) -> Matrix:
        return cls(asked, CellsOfTests.of(asked.result, asked.decisions(checkpoint), asked.run.data))


class ConfusionSelection(QObject):
    """Links a matrix with the selection; large tests are sorted into cells in a job, the latest of which counts."""

    def __init__(self, session: Session, pane: ConfusionPane, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._pane = session, pane
        self._asked: DecisionQuery | None = None
        self._matrix: Matrix | None = None
        self._wish: tuple[Cells, SelectionMode] | None = None
        """A selection to make once the records of the cells are known."""
        self._is_of_rule = True
        """Whether the rule is the one that records were selected under: only then they are offered for explanation."""
        self._task = LatestTask(session.jobs)
        pane.cells_meant.connect(self._mean)
        pane.explain_asked.connect(session.explain)
        pane.came_into_view.connect(self._show)
        session.selection.changed.connect(self._selected)

    def follow(self, asked: DecisionQuery) -> None:
        if self._asked is None or asked.run is not self._asked.run:
            self._pane.set_selected(None)
            self._is_of_rule = True
        elif not asked.asks_as(self._asked):
            self._is_of_rule = False
        self._asked, self._wish = asked, None
        self._show()

    def _selected(self) -> None:
        self._is_of_rule = True
        self._show()

    @property
    def is_busy(self) -> bool:
        return self._task.is_running

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
            counts = matrix.tested.counts_of(self._session.selection.mask_of(matrix.asked.run.data))
            self._pane.set_selected(counts, is_offered=self._is_of_rule)
            set_caption(self._pane.to_explain, f"Explain the {len(self._session.selection):,} selected")
            self._pane.to_explain.setEnabled(matrix.asked.run.trained is not None)

    def _mean(self, cells: Cells, how: SelectionMode) -> None:
        self._wish = cells, how
        self._with_matrix(self._grant)

    def _grant(self, matrix: Matrix) -> None:
        wish, self._wish = self._wish, None
        if wish is None:
            return
        if matrix.tested is None:
            self._pane.remark(NOT_IN_THE_TABLE)
            return
        select_cells(self._session, matrix.asked, matrix.tested, *wish)

    def _with_matrix(self, act: Callable[[Matrix], None]) -> None:
        """Calls a function with the sorted tests, at once if they are few or cached."""
        asked = self._asked
        if asked is None:
            return
        if self._matrix is not None and asked.asks_as(self._matrix.asked):
            act(self._matrix)
        elif len(asked.result) <= AT_ONCE:
            self._matrix = Matrix.of(asked, int)
            act(self._matrix)
        elif not self._task.is_running:
            self._task.run(
                "Find the records of each cell",
                lambda context: Matrix.of(asked, context.checkpoint),
                on_done=self._on_sorted,
                says="Finding the records of each cell",
            )

    def _on_sorted(self, matrix: Matrix) -> None:
        """Uses a sorted matrix if it is still the wanted one, else starts another job."""
        if matrix.asked.asks_as(self._asked):
            self._matrix = matrix
        if self._wish is not None:
            self._with_matrix(self._grant)
        self._show()
