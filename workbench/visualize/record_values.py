"""The record that is asked about, or selected, with its values as the model in view sees them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from PySide6.QtCore import QObject

from algorithms.core.align import aligned
from algorithms.core.bayes_network import BayesNetwork
from algorithms.core.conditionals import Conditionals
from algorithms.core.context import RunContext
from workbench.runs import Run
from workbench.session import Session
from workbench.visualize.selected_record import RecordInQuestion

Weighed = Conditionals | BayesNetwork


class ShowsRecord(Protocol):
    """A view that shows the known values of a record, by the attribute's position in the schema."""

    def set_record(self, values: Mapping[int, float], name: str) -> None: ...


class RecordValues(RecordInQuestion):
    """Prepares the record in question in a job and hands its values to the view of one kind of structure."""

    def __init__(self, session: Session, view: ShowsRecord, kind: type[Weighed], parent: QObject) -> None:
        super().__init__(session, parent)
        self._shows, self._kind = view, kind

    def show_run(self, run: Run | None) -> None:
        """The model in view is that of this run; None where it is of another kind."""
        if run is not self._run:
            self._run, self._followed = run if self.structure_of(run) is not None else None, None
            self._begin_with_selected()
            self._run_changed()
            self._ask()

    def _run_changed(self) -> None:
        """Follow another run."""

    def structure_of(self, run: Run | None) -> Weighed | None:
        """What the run learned, where it is of the kind."""
        structure = None if run is None or run.trained is None else run.trained.structure()
        return structure if isinstance(structure, self._kind) else None

    def _ask(self) -> None:
        if self._asking is not None:
            self._asking.stop()
            self._asking = None
        run, held = self._run, self.structure_of(self._run)
        row = None if run is None else self._meant(run)
        if run is None or run.trained is None or held is None or row is None:
            return
        trained, data = run.trained, run.data

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
                self._shows.set_record(values, f"Record {row + 1:,}")

        self._asking = self._session.jobs.start("", work, on_done=done)
