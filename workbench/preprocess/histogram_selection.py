"""The histogram of the chosen attribute and the window's selection: its bars set it and show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from algorithms.core.columns import IntArray
from algorithms.core.data import Dataset
from algorithms.core.statistics import Binned
from workbench.preprocess.histogram_table import CountsTable
from workbench.selection import How
from workbench.session import Session
from workbench.wording import shortened

if TYPE_CHECKING:
    from workbench.preprocess.histogram_plot import HistogramPlot

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
        table.bins_meant.connect(self._rows_meant)
        session.selection.changed.connect(self._changed)

    def attach(self, plot: HistogramPlot) -> None:
        """The plot has been made."""
        self._plot = plot
        plot.bins_meant.connect(self._bars_meant)
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

    def _bars_meant(self, bins: IntArray, how: How) -> None:
        self._select(self._plotted, bins, how)

    def _rows_meant(self, bins: IntArray, how: How) -> None:
        self._select(self._listed, bins, how)

    def _select(self, binned: Binned | None, bins: IntArray, how: How) -> None:
        if binned is None or self._data is None:
            return
        words = f"{len(bins)} bars"
        if len(bins) == 1:
            words = shortened(binned.histogram.labels[int(bins[0])], LONGEST_BIN)
        by = f"the histogram of {shortened(self._name, LONGEST_NAME)} ({words})"
        self._session.selection.select(self._data, binned.among(bins), how, by)
