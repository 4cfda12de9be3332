"""The table of records and the window's selection: what is selected anywhere is tinted, whole rows are chosen here."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QItemSelection, QObject

from workbench.preprocess.records_pane import RecordsPane
from workbench.selection import How
from workbench.session import Session


class RecordsSelection(QObject):
    """Keeps both at one. Choosing cells only is for copying and selects no record."""

    def __init__(self, session: Session, pane: RecordsPane, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session, self._pane = session, pane
        self._is_own = False
        session.selection.changed.connect(self.show)
        pane.shown.connect(self.show)
        pane.view.selectionModel().selectionChanged.connect(self._chosen)
        self.show()

    def show(self) -> None:
        """Tint the selected records; ranges of cells that the table had chosen itself go when others are selected."""
        data, selection = self._pane.model.dataset, self._session.selection
        view = self._pane.view
        view.set_lit(selection.mask_of(data) if data is not None and len(selection) else None)
        if not self._is_own and self._has_whole_rows():
            view.selectionModel().blockSignals(True)
            view.clearSelection()
            view.selectionModel().blockSignals(False)
            view.viewport().update()

    def _has_whole_rows(self) -> bool:
        ranges = self._pane.view.selectionModel().selection().toList()
        width = self._pane.model.columnCount()
        return bool(ranges) and all(part.width() == width for part in ranges)

    def _chosen(self, _on: QItemSelection, _off: QItemSelection) -> None:
        data, view = self._pane.model.dataset, self._pane.view
        if data is None or not self._has_whole_rows():
            return
        mask = np.zeros(len(data), dtype=np.bool_)
        for part in view.selectionModel().selection().toList():
            mask[part.top() : part.bottom() + 1] = True
        self._is_own = True
        self._session.selection.select(data, mask, How.REPLACE, "the table of records")
        self._is_own = False
