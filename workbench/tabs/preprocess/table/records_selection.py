"""The table of records and the window's selection: what is selected anywhere is tinted, whole rows are chosen here."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QItemSelection, QObject

from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.tabs.preprocess.table.records_pane import RecordsPane


class RecordsSelection(QObject):
    """Keeps both at one. Choosing cells only is for copying and selects no record."""

    def __init__(self, session: Session, pane: RecordsPane, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._pane = session, pane
        self._is_own = self._was_whole = self._is_to_be_found = False
        session.selection.changed.connect(self._follow)
        pane.shown.connect(self.show)
        pane.view.selectionModel().selectionChanged.connect(self._chosen)
        self.show()

    def _follow(self) -> None:
        """Show what was selected elsewhere, and go to it where the table is seen, or as soon as it is."""
        self.show()
        self._is_to_be_found = not self._is_own
        if self._pane.view.isVisible():
            self.go_there()

    def go_there(self) -> None:
        """Bring the first selected record into view, once for each selection, unless one is in view already."""
        data, selection = self._pane.model.dataset, self._session.selection
        wanted, self._is_to_be_found = self._is_to_be_found, False
        if wanted and data is not None and len(selection):
            mask, order = selection.mask_of(data), self._pane.model.order
            self._pane.view.scroll_to_one_of(mask if order is None else mask[order])

    def at_hand(self) -> int | None:
        """The id of the selected record at the cursor; else, where only selected ones are listed, of the first in the
        order shown. None where there is none, or the table is not in view."""
        model, view = self._pane.model, self._pane.view
        data, here = model.dataset, view.currentIndex()
        if data is None or not view.isVisible():
            return None
        mask, is_listed = self._session.selection.mask_of(data), self._pane.order.look.chosen is not None
        shown = np.array([here.row()]) if here.isValid() else np.empty(0, dtype=np.int64)
        records = model.records(shown)
        if not mask[records].any() and is_listed and model.order is not None:
            records = model.order
        records = records[mask[records]]
        return int(data.row_ids[records[0]]) if len(records) else None

    def show(self) -> None:
        """Tint the selected records; ranges of cells that the table had chosen itself go when others are selected."""
        data, selection = self._pane.model.dataset, self._session.selection
        view = self._pane.view
        view.set_lit(selection.mask_of(data) if data is not None and len(selection) else None)
        if self._is_own:
            return
        self._was_whole = False
        if view.has_whole_rows():
            view.selectionModel().blockSignals(True)
            view.clearSelection()
            view.selectionModel().blockSignals(False)
            view.viewport().update()

    def _chosen(self, _on: QItemSelection, _off: QItemSelection) -> None:
        data, view, selection = self._pane.model.dataset, self._pane.view, self._session.selection
        if data is None:
            return
        if view.has_whole_rows():
            chosen = self._pane.model.records(view.chosen_rows())
        elif self._was_whole:
            chosen = np.empty(0, dtype=np.int64)  # a cell was chosen after rows: these are not meant any more
        else:
            return
        self._was_whole = view.has_whole_rows()
        self._is_own = True
        selection.select(data, chosen, SelectionMode.REPLACE, "the table of records")
        self._is_own = False
