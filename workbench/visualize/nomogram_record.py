"""The record selected alone is shown on the nomogram, which speaks for the class of interest."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject

from algorithms.core.align import aligned
from algorithms.core.conditionals import Conditionals
from algorithms.core.context import RunContext
from workbench.jobs import Job
from workbench.runs import Run
from workbench.session import Session

if TYPE_CHECKING:
    from workbench.views.nomogram import NomogramView


class NomogramRecord(QObject):
    """Prepares the selected record in a job and hands its values to the view."""

    def __init__(self, session: Session, view: NomogramView) -> None:
        super().__init__(view)
        self._session, self._view = session, view
        self._run: Run | None = None
        self._asking: Job | None = None
        session.selection.changed.connect(self._ask)
        session.class_of_interest_changed.connect(self._follow_interest)

    def show_run(self, run: Run | None) -> None:
        """The model in view is that of this run; None where it is no naive Bayes."""
        if run is not self._run:
            self._run = run if _conditionals_of(run) is not None else None
            self._follow_interest()
            self._ask()

    def _follow_interest(self) -> None:
        held, data = _conditionals_of(self._run), self._session.data
        if held is None or data is None or data.schema.class_index is None:
            return
        classes = data.schema.classes
        code = self._session.class_of_interest
        if code < len(classes) and classes[code] in held.schema.classes:
            self._view.set_interest(held.schema.classes.index(classes[code]))

    def _ask(self) -> None:
        if self._asking is not None:
            self._asking.stop()
            self._asking = None
        run, held = self._run, _conditionals_of(self._run)
        if run is None or run.trained is None or held is None or len(self._session.selection) != 1:
            return
        rows = self._session.selection.rows_of(run.data)
        if len(rows) != 1:
            return
        row, trained, data = int(rows[0]), run.trained, run.data

        def work(context: RunContext) -> dict[int, float]:
            record = aligned(held.schema, trained.prepared(data.take([row])))
            found = {}
            for index in held.attribute.tolist():
                value, is_coded = float(record.column(index)[0]), held.schema.attributes[index].kind.is_coded
                if np.isfinite(value) and not (is_coded and value < 0):
                    found[index] = value
            return found

        def done(values: dict[int, float]) -> None:
            self._asking = None
            if self._run is run:
                self._view.set_record(values, f"Record {row + 1:,}")

        self._asking = self._session.jobs.start("", work, on_done=done)


def _conditionals_of(run: Run | None) -> Conditionals | None:
    structure = None if run is None or run.trained is None else run.trained.structure()
    return structure if isinstance(structure, Conditionals) else None
