"""Records of a run in a support vector machine's view, and classes of interest in a linear model's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QObject

from algorithms.core.context import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.alignment import aligned
from algorithms.learners.svm.model import SupportVectorModel
from algorithms.structures.hyperplanes import Hyperplanes
from workbench.jobs.jobs import Job
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.tabs.visualize.program_files import WEIGHED_SUMS, add_programs
from workbench.viewers.svm.margins_view import MarginPoints, MarginsView

if TYPE_CHECKING:
    from workbench.viewers.linear.coefficients import CoefficientsView

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

        def work(context: RunContext) -> MarginPoints:
            rows = np.unique(np.linspace(0, len(data) - 1, min(MOST, len(data))).astype(np.int64))
            seen = aligned(model.schema, trained.prepared(data.take(rows), context.checkpoint))
            seen = seen.take(seen.class_codes >= 0)
            return MarginPoints(
                model.space.of(seen), model.sums(seen, context.checkpoint), seen.class_codes.astype(np.int32)
            )

        def done(found: MarginPoints) -> None:
            self._job = None
            if self._run is run:
                self._view.set_records(found)

        self._job = self._session.jobs.start("", work, on_done=done)


class LinearInterest(QObject):
    """Follows the class of interest of the session, and adds the formats to the menu of the view."""

    def __init__(self, session: Session, view: CoefficientsView) -> None:
        super().__init__(view)
        self._session, self._view = session, view
        self._run: Run | None = None
        session.class_of_interest_changed.connect(self._follow)
        add_programs(view.export, "visualize.coefficients.programs", "coefficients", WEIGHED_SUMS, self._trained)

    def show_run(self, run: Run | None) -> None:
        """The model in view is that of this run; None where it weighs no sum."""
        if run is not self._run:
            self._run = run
            self._follow()

    def _trained(self) -> TrainedClassifier | None:
        trained = None if self._run is None else self._run.trained
        return trained if trained is not None and isinstance(trained.structure(), Hyperplanes) else None

    def _follow(self) -> None:
        run, data = self._run, self._session.data
        planes = None if run is None or run.trained is None else run.trained.structure()
        if not isinstance(planes, Hyperplanes) or data is None or data.schema.class_index is None:
            return
        classes, code = data.schema.classes, self._session.class_of_interest
        if code < len(classes) and classes[code] in planes.schema.classes:
            self._view.set_interest(planes.schema.classes.index(classes[code]))
