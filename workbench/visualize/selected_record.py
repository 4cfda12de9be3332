"""The record that is asked about, or selected, read by the model in view: in a job, the latest wish first."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from PySide6.QtCore import QObject

from algorithms.core.align import aligned
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.learner import Model
from workbench.jobs import Job
from workbench.runs import Run
from workbench.session import Session
from workbench.visualize.record_in_view import record_in_view


class RecordInQuestion(QObject):
    """One record of the run in view: the one that was asked about since others were selected, else the first one
    selected, as in all panes."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._run: Run | None = None
        self._followed: int | None = None
        self._asking: Job | None = None
        session.selection.changed.connect(self._selection_changed)

    def follow(self, row: int) -> None:
        """Ask about the record at this place of the run's data, until others are selected."""
        self._followed = row
        self._ask()

    def _selection_changed(self) -> None:
        self._begin_with_selected()
        self._ask()

    def _begin_with_selected(self) -> None:
        run = self._run
        self._followed = None if run is None else record_in_view(self._session.selection, run.data, self._followed)

    def _meant(self, run: Run) -> int | None:
        """The place of the record in the run's data; None where none is meant."""
        return self._followed if self._followed is not None and 0 <= self._followed < len(run.data) else None

    @abstractmethod
    def _ask(self) -> None:
        """Show what is known of the record that is meant now."""


class SelectedRecord(RecordInQuestion):
    """Has a kind of model read the record in question, and hands what it found to a view."""

    def __init__(self, session: Session, kind: type[Model], parent: QObject) -> None:
        super().__init__(session, parent)
        self._kind = kind

    @abstractmethod
    def _nothing(self) -> None:
        """Show that no record is selected."""

    @abstractmethod
    def _read(self, model: Any, record: Dataset, name: str, context: RunContext) -> Any:
        """In a worker: what the model says of a record under its own schema."""

    @abstractmethod
    def _found(self, found: Any, name: str) -> None:
        """Show it."""

    def show_run(self, run: Run | None) -> None:
        """The model in view is that of this run; None where there is none."""
        if run is not self._run:
            self._run, self._followed = run, None
            self._begin_with_selected()
            self._ask()

    def _leave(self) -> None:
        """Nothing is asked any more."""
        if self._asking is not None:
            self._asking.stop()
            self._asking = None

    def _ask(self) -> None:
        self._leave()
        run = self._run
        trained = None if run is None else run.trained
        if run is None or trained is None or not isinstance(trained.model, self._kind):
            return
        row, model, data = self._meant(run), trained.model, run.data
        if row is None:
            self._nothing()
            return
        name = f"Record {row + 1:,}"

        def work(context: RunContext) -> Any:
            record = aligned(model.schema, trained.prepared(data.take([row])))
            return self._read(model, record, name, context)

        def done(found: Any) -> None:
            self._asking = None
            if self._run is run:
                self._found(found, name)

        self._asking = self._session.jobs.start("", work, on_done=done)
