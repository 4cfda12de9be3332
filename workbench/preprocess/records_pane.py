"""The pane of the records: the table, what can be done to it, and how its file was read."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from algorithms.core.data import Dataset, IntArray
from workbench.parts import Pane, quiet_button
from workbench.preprocess.notice import Notice
from workbench.preprocess.record_edits import RecordEdits
from workbench.preprocess.records_model import RecordsModel
from workbench.preprocess.records_view import RecordsView
from workbench.session import Session
from workbench.theme import themes


class RecordsPane(Pane):
    """The table with its facts and its actions."""

    shown = Signal()
    """Another data set is shown."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Records", parent=parent)
        self._session = session
        self.edits = RecordEdits(session, self)
        self.model = RecordsModel(self)
        self.view = RecordsView(self.model)
        self.notice = Notice("preprocess.records.refused")
        self.add = quiet_button(
            "Add record", "preprocess.records.add", "Add an empty record at the end (Insert)", self._add
        )
        self.remove = quiet_button("Remove record", "preprocess.records.remove", "", self._remove)
        for button in (self.add, self.remove):
            self.add_action(button)
        self.body.addWidget(self.notice)
        self.body.addWidget(self.view, 1)
        self.view.setMinimumHeight(themes.px(84))
        self._connect()
        self._say_what_is_chosen()

    def _connect(self) -> None:
        self.model.typed.connect(self.edits.set_cell)
        self.edits.refused.connect(self.notice.show_error)
        self.edits.done.connect(self.notice.hide)
        self.view.delegate.refused.connect(self.notice.show_error)
        self.view.add_asked.connect(self._add)
        self.view.remove_asked.connect(self._remove)
        self.view.clear_asked.connect(self._clear)
        self.view.cut_short.connect(self._say_cut_short)
        self.view.selectionModel().selectionChanged.connect(self._say_what_is_chosen)
        self._session.selection.changed.connect(self._say_what_is_chosen)

    def show_data(self, data: Dataset | None) -> None:
        """Show another data set; where it has the same shape, the table stays where it is."""
        before, widths = self.model.dataset, self.view.widths()
        self.model.set_dataset(data)
        self.set_facts("" if data is None else f"{len(data):,} × {len(data.schema):,}")
        if data is not None and (before is None or before.schema.names != data.schema.names):
            same_table = before is not None and before.origin == data.origin and len(before) == len(data)
            self.view.fit_columns(widths if same_table else {})
        self.shown.emit()
        self._say_what_is_chosen()

    # ---- what is meant ---------------------------------------------------------------------------------------------

    def meant(self) -> IntArray:
        """The records that removing means: the selected ones, else those of the chosen cells."""
        data = self.model.dataset
        if data is None:
            return np.empty(0, dtype=np.int64)
        if len(self._session.selection):
            return self._session.selection.rows_of(data)
        return self.model.records(self.view.chosen_rows())

    def _say_what_is_chosen(self) -> None:
        n = len(self.meant())
        self.remove.setEnabled(n > 0)
        self.remove.setText("Remove record" if n <= 1 else f"Remove {n:,} records")
        self.remove.setAccessibleName(self.remove.text())
        self.remove.setToolTip(
            "Take the selected records out of the table (Ctrl+Delete); undo brings them back"
            if n
            else "Choose a cell, or whole rows by their numbers, to remove records"
        )
        self.add.setEnabled(self.model.dataset is not None)

    # ---- doing -----------------------------------------------------------------------------------------------------

    def _add(self) -> None:
        record = self.edits.add()
        if record is not None:
            self.view.setFocus()
            self.view.go_to(self.model.row_of(record), 0)

    def _remove(self) -> None:
        at = self.view.currentIndex()
        self.edits.remove(self.meant())
        if at.isValid() and self.model.rowCount():
            self.view.go_to(min(at.row(), self.model.rowCount() - 1), at.column())

    def _clear(self) -> None:
        self.edits.clear(self.view.chosen_cells())

    def _say_cut_short(self, most: int) -> None:
        self._session.messages.warn(
            f"Only the first {most:,} of the chosen cells were copied.", "Save the data as CSV to take all of them."
        )
