"""The histogram as a table, its export, and its part in the selection."""

from __future__ import annotations

import io
from typing import Final

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from algorithms.core.files import CsvWriter
from algorithms.data.column_statistics import Binned, Histogram
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.text.names import shortened
from workbench.session.selection import SelectionMode, how_by_keys
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.preprocess.attributes.histogram_plot import HistogramPlot
from workbench.tabs.preprocess.attributes.statistics_text import class_labels
from workbench.viewers.charts.export import Table
from workbench.widgets.labels import NameDelegate, NameHeader
from workbench.widgets.layouts import named
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT
from workbench.widgets.tables import ROOT, CellsModel, set_row_height, show_as_list


class CountsModel(CellsModel):
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
        column = len(self._titles)
        if counts is None and had:
            self.beginRemoveColumns(ROOT, column, column)
            self.endRemoveColumns()
        elif counts is not None and not had:
            self.beginInsertColumns(ROOT, column, column)
            self.endInsertColumns()
        elif counts is not None and self.rowCount():
            self.dataChanged.emit(self.index(0, column), self.index(self.rowCount() - 1, column))

    def size(self) -> tuple[int, int]:
        return 0 if self._shown is None else len(self._shown.labels), len(self._all_titles)

    @property
    def _all_titles(self) -> list[str]:
        return [*self._titles, *(["Selected"] if self._selected is not None else [])]

    def heading(self, column: int) -> str:
        return self._all_titles[column]

    heading_tip = heading

    def side(self, column: int) -> Qt.AlignmentFlag:
        return MIDDLE_RIGHT if column else MIDDLE_LEFT

    def tip(self, row: int, column: int) -> str | None:
        return None if column else self.text(row, column)

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


def counts_written(plot: HistogramPlot) -> Table | None:
    """A writer of the counts of all bins; None without a histogram."""
    counts = CountsModel()
    counts.show_histogram(plot.shown)
    counts.show_selected(plot.selected)
    return None if plot.shown is None else counts.as_text


class CountsTable(QTableView):
    """Shows the counts; copying takes the whole table, Space, Enter or a double click means the records of rows."""

    bins_meant = Signal(object, object)
    """Numbers of bins (m,), and :class:`SelectionMode` to select their records."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.counts = CountsModel(self)
        named(self, "preprocess.counts", "Counts of the histogram")
        self.setHorizontalHeader(NameHeader(Qt.Orientation.Horizontal, self))
        self.setItemDelegateForColumn(0, NameDelegate(self))
        self.setModel(self.counts)
        show_as_list(self, rows=False, several=True).setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setToolTip("Space selects the records of the rows chosen here")
        self.doubleClicked.connect(lambda index: self.bins_meant.emit(np.array([index.row()]), SelectionMode.REPLACE))
        self.setCornerWidget(QWidget())
        set_row_height(self, themes.px(26))
        self.horizontalHeader().setDefaultSectionSize(84)

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


LONGEST_NAME: Final = 40
LONGEST_BIN: Final = 30


class HistogramSelection(QObject):
    """Keeps plot, table and selection at one. While ``pane`` is out of sight it waits for :meth:`refresh`."""

    def __init__(self, session: Session, table: CountsTable, pane: QWidget) -> None:
        super().__init__(pane)
        self._session, self._table, self._pane = session, table, pane
        self._plot: HistogramPlot | None = None
        self._data: Dataset | None = None
        self._name = ""
        self._plotted: Binned | None = None
        self._listed: Binned | None = None
        table.bins_meant.connect(lambda bins, how: self._select(self._listed, bins, how))
        session.selection.changed.connect(self._changed)

    def attach(self, plot: HistogramPlot) -> None:
        self._plot = plot
        plot.bins_meant.connect(lambda bins, how: self._select(self._plotted, bins, how))
        plot.nothing_meant.connect(self._session.selection.clear)

    def show(self, data: Dataset, name: str, plotted: Binned | None, listed: Binned | None) -> None:
        """Plot and table show these bins of the attribute ``name`` of ``data`` now."""
        self._data, self._name, self._plotted, self._listed = data, name, plotted, listed
        self.refresh()

    def refresh(self) -> None:
        """Mark how many records of each bin are selected."""
        data, selection = self._data, self._session.selection
        if data is None:
            return
        mask = selection.mask_of(data) if len(selection) else None
        plotted = None if mask is None or self._plotted is None else self._plotted.counts_of(mask)
        listed = plotted
        if mask is not None and self._listed is not None and self._listed is not self._plotted:
            listed = self._listed.counts_of(mask)
        if self._plot is not None:
            self._plot.show_selected(plotted)
        self._table.show_selected(listed)

    def _changed(self) -> None:
        if self._pane.isVisible():
            self.refresh()

    def _select(self, binned: Binned | None, bins: IntArray, how: SelectionMode) -> None:
        if binned is None or self._data is None:
            return
        words = f"{len(bins)} bars"
        if len(bins) == 1:
            words = shortened(binned.histogram.labels[int(bins[0])], LONGEST_BIN)
        by = f"the histogram of {shortened(self._name, LONGEST_NAME)} ({words})"
        self._session.selection.select(self._data, binned.among(bins), how, by)
