"""The record in view: the one asked about last, else the first selected one; and the attributes to edit."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, Final

import numpy as np
from PySide6.QtCore import QObject

from algorithms.core.learner import Model
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.alignment import aligned
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind, Schema
from algorithms.evaluation.regions import by_separation, is_to_be_found
from algorithms.evaluation.what_if import Value
from algorithms.structures.bayes_network import BayesNetwork, Conditionals
from algorithms.structures.model_structure import ModelStructure
from algorithms.text.sentences import and_more, counted
from workbench.jobs.jobs import LatestTask
from workbench.session.runs import Run
from workbench.session.selection import Selection
from workbench.session.session import Session
from workbench.widgets.fields import RecordField

MOST_UNUSED: Final = 5
"""So many attributes that a model does not use are named."""


def asked_about(trained: TrainedClassifier, data: Dataset) -> tuple[int, ...]:
    """The attributes used, by importance or else separation of the classes; then those it may use."""
    schema, info = data.schema, trained.structure().info
    has_ranks = schema.class_index is not None and not is_to_be_found(data, None)
    ranks = {index: rank for rank, index in enumerate(by_separation(data) if has_ranks else ())}
    usable, places = [i for i in schema.predictors if i != schema.class_index], importance_places(trained, schema)
    used = [i for i in usable if i in places]
    usable = (info.uses_no_others and used) or usable
    return tuple(sorted(usable, key=lambda i: (places.get(i, len(places)), ranks.get(i, 0))))


def unused_words(schema: Schema, asked: Sequence[int]) -> str:
    """Names the attributes that are not ``asked`` about, as the model does not use them; empty if there are none."""
    others = [schema.names[index] for index in schema.predictors if index not in asked]
    some = f"{counted(len(others), 'attribute').capitalize()} this model does not use: {and_more(others, MOST_UNUSED)}"
    return some if others else ""


def values_of(record: Dataset, asked: Sequence[int]) -> dict[int, Value]:
    """The record's own values by attribute: codes of labels, and numbers."""
    cells = {index: record.column(index)[0] for index in asked}
    attributes = record.schema.attributes
    return {i: int(cell) if attributes[i].kind.is_coded else float(cell) for i, cell in cells.items()}


def differs(record: Dataset, asked: Sequence[int], values: Mapping[int, Value]) -> bool:
    """Whether one of these ``values``, by attribute, is not that of the ``record``: missing where not ``asked``."""
    own = values_of(record, asked)
    cells = ((float(own.get(index, float("nan"))), float(value)) for index, value in values.items())
    return any(now != before and (now == now or before == before) for before, now in cells)


def importance_places(trained: TrainedClassifier, schema: Schema) -> dict[int, int]:
    """The place of each attribute that a model uses, by index in this schema, in the order of importance."""
    structure = trained.structure()
    names = [structure.schema.names[index] for index in structure.info.attributes_used()]
    indices = {name: index for index, name in enumerate(schema.names)}
    return {indices[name]: place for place, name in enumerate(names) if name in indices}


def numbered(data: Dataset, row: int) -> str:
    """The number that the table shows for the record in this row, which it keeps when others are removed."""
    return f"{int(data.row_ids[row]) + 1:,}"


def identifiers_of(data: Dataset, row: int) -> str:
    """The values of the record in columns that identify it, one a line: "CustomerId: C1089"."""
    kinds = [attribute.kind for attribute in data.schema.attributes]
    places = [i for i, kind in enumerate(kinds) if kind is AttributeKind.IDENTIFIER]
    cells = {data.schema.names[i]: data.cells(i, np.array([row]))[0] for i in places}
    return "\n".join(f"{name}: {cell}" for name, cell in cells.items() if isinstance(cell, str))


class RecordNumber(RecordField):
    """Arrows stay among the rows ``chosen()`` (n,), if these are several."""

    def __init__(self, chosen: Callable[[], IntArray]) -> None:
        super().__init__()
        self._chosen = chosen

    def stepBy(self, steps: int) -> None:
        self.interpretText()
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


def record_in_view(selection: Selection, data: Dataset, now: int | None) -> int | None:
    """The row to show: ``now`` if it is selected, else the first selected one; None without any."""
    mask = selection.mask_of(data)
    if now is not None and 0 <= now < len(mask) and mask[now]:
        return now
    first = int(mask.argmax()) if len(mask) else 0
    return first if len(mask) and mask[first] else None


class SelectedRecord(QObject):
    """Asks in a job what the model says of the record asked about last, else the first selected."""

    kind: ClassVar[type[Model | ModelStructure]]

    def __init__(self, session: Session, view: Any) -> None:
        super().__init__(view)
        self._session, self._view = session, view
        self._run: Run | None = None
        self._followed: int | None = None
        self._task = LatestTask(session.jobs)
        session.selection.changed.connect(self._selection_changed)

    def show_run(self, run: Run | None) -> None:
        if run is not self._run:
            self._run, self._followed = run, None
            self._begin_with_selected()
            self._ask()

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

    def _nothing(self) -> None:
        """Shows that no record is in view."""

    @abstractmethod
    def _read(self, asked: Any, record: Dataset, name: str, context: RunContext) -> Any:
        """In a worker: what the model or structure says of the record, which has its schema."""

    @abstractmethod
    def _show_answer(self, answer: Any, name: str) -> None:
        """Shows the ``answer`` of :meth:`_read` for the record ``name``."""

    def _ask(self) -> None:
        self._task.stop()
        run = self._run
        trained = None if run is None else run.trained
        if run is None or trained is None:
            return
        asked: Any = next((part for part in (trained.model, trained.structure()) if isinstance(part, self.kind)), None)
        row, data = self._followed, run.data
        if asked is None:
            return
        if row is None or not 0 <= row < len(data):
            self._nothing()
            return
        name = f"Record {numbered(data, row)}"

        def work(context: RunContext) -> Any:
            return self._read(asked, aligned(asked.schema, trained.prepared(data.take([row]))), name, context)

        def done(answer: Any) -> None:
            if self._run is run:
                self._show_answer(answer, name)

        self._task.run("", work, on_done=done)


class RecordValues(SelectedRecord):
    """Shows the known values of a record, by attribute index, in a Bayesian network or a nomogram."""

    kind: ClassVar[type[ModelStructure]] = BayesNetwork

    def _nothing(self) -> None:
        self._view.forget_record()

    def _read(
        self, asked: Conditionals | BayesNetwork, record: Dataset, _name: str, _context: RunContext
    ) -> dict[int, float]:
        cells = {}
        for index in asked.attribute.tolist():
            value, is_coded = float(record.column(index)[0]), asked.schema.attributes[index].kind.is_coded
            if np.isfinite(value) and not (is_coded and value < 0):
                cells[index] = value
        return cells

    def _show_answer(self, answer: dict[int, float], name: str) -> None:
        self._view.set_record(answer, name)
