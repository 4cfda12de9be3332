"""The record selected alone, as the members of a code read it: which bits differ from the word of its class."""

from __future__ import annotations

from PySide6.QtCore import QObject

from algorithms.core.align import aligned
from algorithms.core.context import RunContext
from algorithms.multiclass.model import CodedModel
from workbench.jobs import Job
from workbench.runs import Run
from workbench.session import Session
from workbench.views.code_canvas import Bits
from workbench.views.code_matrix import CodeView


class CodedRecord(QObject):
    """Has the model in view read the selected record in a job, and hands its bits to the view."""

    def __init__(self, session: Session, view: CodeView) -> None:
        super().__init__(view)
        self._session, self._view = session, view
        self._run: Run | None = None
        self._asking: Job | None = None
        session.selection.changed.connect(self._ask)

    def show_run(self, run: Run | None) -> None:
        """The model in view is that of this run; None where it has no code."""
        if run is not self._run:
            self._run = run
            self._ask()

    def _ask(self) -> None:
        if self._asking is not None:
            self._asking.stop()
            self._asking = None
        run = self._run
        trained = None if run is None else run.trained
        if run is None or trained is None or not isinstance(trained.model, CodedModel):
            return
        rows = self._session.selection.rows_of(run.data)
        if len(self._session.selection) != 1 or len(rows) != 1:
            self._view.set_bits(None, 0, "")
            return
        row, model, data = int(rows[0]), trained.model, run.data

        def work(context: RunContext) -> tuple[Bits, int]:
            record = aligned(model.schema, trained.prepared(data.take([row])))
            return model.read(record, context)[0] >= 0.5, int(model.predict(record)[0])

        def done(found: tuple[Bits, int]) -> None:
            self._asking = None
            if self._run is run:
                self._view.set_bits(*found, f"Record {row + 1:,}")

        self._asking = self._session.jobs.start("", work, on_done=done)
