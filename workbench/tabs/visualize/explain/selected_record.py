"""The record in view: the one asked about last, else the first selected one."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QSpinBox, QWidget

from algorithms.core.learner import Model
from algorithms.core.run_control import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.structures.bayes_network import BayesNetwork
from algorithms.structures.conditionals import Conditionals
from workbench.jobs.jobs import LatestTask
from workbench.session.runs import Run, structure_of
from workbench.session.selection import Selection
from workbench.session.session import Session
from workbench.widgets.fields import with_room


class RecordNumber(QSpinBox):
    """A record's number, from 1. Arrows stay among the rows ``chosen()`` (n,), if these are several."""

    def __init__(self, chosen: Callable[[], IntArray], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chosen = chosen
        self.setMinimum(1)
        with_room(self)

    def stepBy(self, steps: int) -> None:
        chosen = self._chosen()
        if len(chosen) < 2:
            super().stepBy(steps)
            return
        here = self.value() - 1
        if steps > 0:
            index = int(np.searchsorted(chosen, here, side="right")) + steps - 1
        else:
            index = int(np.searchsorted(chosen, here, side="left")) + steps
        self.setValue(int(chosen[min(max(index, 0), len(chosen) - 1)]) + 1)
        self.selectAll()


def record_in_view(selection: Selection, data: Dataset, now: int | None) -> int | None:
    """The row to show: ``now`` if it is selected, else the first selected one; None without any."""
    mask = selection.mask_of(data)
    if now is not None and 0 <= now < len(mask) and mask[now]:
        return now
    first = int(mask.argmax()) if len(mask) else 0
    return first if len(mask) and mask[first] else None


class ExplainedRecord(QObject):
    """Follows one record of the run in view: the one asked about last, else the first selected one."""

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._run: Run | None = None
        self._followed: int | None = None
        self._task = LatestTask(session.jobs)
        session.selection.changed.connect(self._selection_changed)

    def follow(self, row: int) -> None:
        """Asks about the record in this row of the run's data, until others are selected."""
        self._followed = row
        self._ask()

    def _selection_changed(self) -> None:
        self._begin_with_selected()
        self._ask()

    def _begin_with_selected(self) -> None:
        run = self._run
        self._followed = None if run is None else record_in_view(self._session.selection, run.data, self._followed)

    def _meant(self, run: Run) -> int | None:
        """The row of the record in the run's data; None for none."""
        return self._followed if self._followed is not None and 0 <= self._followed < len(run.data) else None

    @abstractmethod
    def _ask(self) -> None:
        """Shows what is known about the record."""


class SelectedRecord(ExplainedRecord):
    """Reads the record with a kind of model in a job and hands the result to a view."""

    def __init__(self, session: Session, kind: type[Model], parent: QObject) -> None:
        super().__init__(session, parent)
        self._kind = kind

    @abstractmethod
    def _nothing(self) -> None:
        """Show that no record is selected."""

    @abstractmethod
    def _read(self, model: Any, record: Dataset, name: str, context: RunContext) -> Any:
        """In a worker: what the model says of the record, which has the model's schema."""

    @abstractmethod
    def _show_answer(self, answer: Any, name: str) -> None:
        """Show it."""

    def show_run(self, run: Run | None) -> None:
        if run is not self._run:
            self._run, self._followed = run, None
            self._begin_with_selected()
            self._ask()

    def _ask(self) -> None:
        self._task.stop()
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

        def done(cells: Any) -> None:
            if self._run is run:
                self._show_answer(cells, name)

        self._task.run("", work, on_done=done)


Weighed = Conditionals | BayesNetwork


class RecordHighlighter(Protocol):
    """A view that shows the known values of a record, by attribute index."""

    def set_record(self, values: Mapping[int, float], name: str) -> None: ...


class RecordValues(ExplainedRecord):
    """Prepares the record in a job and hands its values to the view of one kind of structure."""

    def __init__(self, session: Session, view: RecordHighlighter, kind: type[Weighed], parent: QObject) -> None:
        super().__init__(session, parent)
        self._shows, self._kind = view, kind

    def show_run(self, run: Run | None) -> None:
        if run is not self._run:
            self._run, self._followed = run if self.structure_of(run) is not None else None, None
            self._begin_with_selected()
            self._run_changed()
            self._ask()

    def _run_changed(self) -> None:
        """Follow another run."""

    def structure_of(self, run: Run | None) -> Weighed | None:
        """The structure of the run's model, if it is of this kind."""
        return structure_of(run, self._kind)

    def _ask(self) -> None:
        self._task.stop()
        run, structure = self._run, self.structure_of(self._run)
        row = None if run is None else self._meant(run)
        if run is None or run.trained is None or structure is None or row is None:
            return
        trained, data = run.trained, run.data

        def work(context: RunContext) -> dict[int, float]:
            record = aligned(structure.schema, trained.prepared(data.take([row])))
            cells = {}
            for index in structure.attribute.tolist():
                value, is_coded = float(record.column(index)[0]), structure.schema.attributes[index].kind.is_coded
                if np.isfinite(value) and not (is_coded and value < 0):
                    cells[index] = value
            return cells

        def done(values: dict[int, float]) -> None:
            if self._run is run:
                self._shows.set_record(values, f"Record {row + 1:,}")

        self._task.run("", work, on_done=done)
