"""Which record of a run is to be explained: the one that was asked about, else one that the model gets wrong."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal

from algorithms.core.context import RunContext
from algorithms.data.columns import IntArray
from workbench.jobs.jobs import Job
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.tabs.visualize.explain.what_if_words import first_mistake


class WhatIfSearch(QObject):
    """Looks for one question at a time; a later one, or another selection, ends the search for the one before."""

    found = Signal(object)
    """The place of the record in the data of the run in view; None where any will do."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._job: Job | None = None
        session.selection.changed.connect(self._forget)

    def _forget(self) -> None:
        """A wrong record that was found late among those before would take the place of what is looked at now."""
        if self._job is not None:
            self._job.stop()
            self._job = None

    def look_for(self, run: Run | None, record: int | None) -> None:
        """Find the record with this id, else, for None, the first of those selected that the model gets wrong."""
        self._forget()
        if run is None:
            return
        if record is None:
            self._look_for_mistake(run, np.sort(self._session.selection.rows_of(run.data)))
            return
        rows = np.flatnonzero(run.data.row_ids == record)
        if len(rows):
            self.found.emit(int(rows[0]))
        else:
            self._session.messages.warn("This record was not in the table when the run in view was made.")

    def _look_for_mistake(self, run: Run, chosen: IntArray) -> None:
        asked = self._session.decisions.asked(run) if run.report else None

        def work(context: RunContext) -> int | None:
            return first_mistake(run, chosen, context, asked)

        def done(row: int | None) -> None:
            self._job = None
            if run is self._session.current_run:
                self.found.emit(int(chosen[0]) if row is None and len(chosen) else row)

        self._job = self._session.jobs.start("Look for a wrong record", work, on_done=done)
