"""The records of a run as its support vector machines see them: found in a job, handed to the view."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QObject

from algorithms.core.align import aligned
from algorithms.core.context import RunContext
from algorithms.svm.model import SupportVectorModel
from workbench.jobs import Job
from workbench.runs import Run
from workbench.session import Session
from workbench.views.margins import MarginsView, Records

MOST: Final = 1500


class MarginRecords(QObject):
    """Gives the view up to some thousand records, evenly spread over the table, each time the run changes."""

    def __init__(self, session: Session, view: MarginsView) -> None:
        super().__init__(view)
        self._session, self._view = session, view
        self._run: Run | None = None
        self._job: Job | None = None

    def show_run(self, run: Run | None) -> None:
        """The machines in view are those of this run; None where there are none."""
        if run is self._run:
            return
        self._run = run
        if self._job is not None:
            self._job.stop()
            self._job = None
        trained = None if run is None else run.trained
        if run is None or trained is None or not isinstance(trained.model, SupportVectorModel):
            return
        model, data = trained.model, run.data

        def work(context: RunContext) -> Records:
            rows = np.unique(np.linspace(0, len(data) - 1, min(MOST, len(data))).astype(np.int64))
            seen = aligned(model.schema, trained.prepared(data.take(rows), context.checkpoint))
            seen = seen.take(seen.class_codes >= 0)
            return Records(
                model.space.of(seen), model.sums(seen, context.checkpoint), seen.class_codes.astype(np.int32)
            )

        def done(found: Records) -> None:
            self._job = None
            if self._run is run:
                self._view.set_records(found)

        self._job = self._session.jobs.start("", work, on_done=done)
