"""Finding and replacing in the records that are shown: where the found cells are, and which is next."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, QTimer

from algorithms.core.columns import IntArray
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.searching import Found, Search, find_cells
from workbench.jobs import Job
from workbench.preprocess.changes import SMALL
from workbench.preprocess.find_bar import FindBar
from workbench.preprocess.record_edits import RecordEdits
from workbench.preprocess.records_view import RecordsView
from workbench.session import Session


class RecordsFind(QObject):
    """Looks for what the bar asks for, tints it in the table, walks from cell to cell, and replaces."""

    def __init__(self, session: Session, view: RecordsView, edits: RecordEdits, bar: FindBar) -> None:
        super().__init__(view)
        self._session, self._view, self._edits, self._bar = session, view, edits, bar
        self._search: Search | None = None
        self._found: Found | None = None
        self._places: IntArray = np.empty(0, dtype=np.int64)
        """Row times columns plus column of every found cell that is shown, ascending."""
        self._job: Job | None = None
        self._is_own = False
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(300)
        self._later.timeout.connect(self._seek)
        bar.sought.connect(self._sought)
        bar.step_asked.connect(self.step)
        bar.replace_asked.connect(self.replace)
        bar.replace_all_asked.connect(self.replace_all)
        view.selectionModel().currentChanged.connect(self._say)

    @property
    def _data(self) -> Dataset | None:
        return self._view.records.dataset

    def show_data(self) -> None:
        """The table, or its order, is another now: what was found is looked for again, unless it is just replaced."""
        if self._search is None:
            return
        if self._found is not None and self._is_own:
            self._place()
        elif self._data is not None and self._n_cells() <= SMALL:
            self._seek(stay=True)
        else:
            self._found = None
            self._place()
            self._later.start()

    def _n_cells(self) -> int:
        data = self._data
        return 0 if data is None else len(data) * len(data.schema)

    # ---- looking for it --------------------------------------------------------------------------------------------

    def _sought(self, search: Search | None) -> None:
        if search is not None and search == self._search and self._found is not None:
            return
        self._search = search
        self._seek()

    def _seek(self, stay: bool = False) -> None:
        self._later.stop()
        if self._job is not None:
            self._job.stop()
            self._job = None
        data, search = self._data, self._search
        if data is None or search is None:
            self._show(None, stay=True)
        elif self._n_cells() <= SMALL:
            self._show(find_cells(data, search), stay)
        else:
            self._bar.say_searching()

            def work(context: RunContext) -> Found:
                context.say(f"Looking for {search.text}")
                return find_cells(data, search, context.checkpoint)

            self._job = self._session.jobs.start("Find", work, lambda found: self._landed(data, search, found))

    def _landed(self, data: Dataset, search: Search, found: Found) -> None:
        self._job = None
        if data is self._data and search is self._search:
            self._show(found, stay=False)

    def _show(self, found: Found | None, stay: bool) -> None:
        self._found = found
        self._place()
        if found is not None and len(self._places) and not stay and not self._is_at_one():
            self.step(1)

    def _place(self) -> None:
        """Where the found cells stand in the table as it is shown."""
        model, found = self._view.records, self._found
        if found is None or self._data is None:
            self._places = np.empty(0, dtype=np.int64)
        else:
            rows = model.rows_of(found.rows)
            places = rows * model.columnCount() + found.columns
            self._places = np.sort(places[rows >= 0])
        self._view.set_found(self._places)
        self._say()

    def _here(self) -> int:
        """The place of the cursor, -1 where there is none."""
        at = self._view.currentIndex()
        return at.row() * self._view.records.columnCount() + at.column() if at.isValid() else -1

    def _is_at_one(self) -> bool:
        at = int(np.searchsorted(self._places, self._here()))
        return at < len(self._places) and int(self._places[at]) == self._here()

    def _say(self) -> None:
        if self._search is None or self._found is None:
            if self._job is None:
                self._bar.say_found(None if self._search is None else 0, -1)
            return
        at = int(np.searchsorted(self._places, self._here())) if self._is_at_one() else -1
        self._bar.say_found(len(self._places), at)

    # ---- doing -----------------------------------------------------------------------------------------------------

    def step(self, by: int) -> None:
        """Go to the next cell found, or the one before; from the last to the first."""
        n = len(self._places)
        if not n:
            return
        here = self._here()
        at = int(np.searchsorted(self._places, here, side="right" if by > 0 else "left"))
        place = int(self._places[(at if by > 0 else at - 1) % n])
        self._view.go_to(*divmod(place, self._view.records.columnCount()))

    def replace(self, by: str) -> None:
        """Replace in the cell at the cursor and go to the next; where it is none of those found, only go."""
        data, search = self._data, self._search
        if data is None or search is None or not len(self._places):
            return
        if self._is_at_one():
            at = self._view.currentIndex()
            record, column, here = self._view.records.record(at.row()), at.column(), self._here()
            one = Found(np.array([record]), np.array([column]))
            self._is_own = True
            changed = self._edits.replace(one, search, by)
            self._is_own = False
            if not changed:
                return
            self._leave_out(here, record, column)
        self.step(1)

    def _leave_out(self, place: int, record: int, column: int) -> None:
        """A cell was replaced: it is not one of those to replace any more."""
        if self._found is not None:
            keep = (self._found.rows != record) | (self._found.columns != column)
            self._found = Found(self._found.rows[keep], self._found.columns[keep])
        self._places = self._places[self._places != place]
        self._view.set_found(self._places)
        self._say()

    def replace_all(self, by: str) -> None:
        """Replace in every cell found that is shown, as one step of undo."""
        if self._search is None or not len(self._places):
            return
        rows, columns = np.divmod(self._places, self._view.records.columnCount())
        self._edits.replace(Found(self._view.records.records(rows), columns), self._search, by)
