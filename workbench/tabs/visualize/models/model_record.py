"""The record in view on a nomogram, a code matrix, or a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from algorithms.core.context import RunContext
from algorithms.data.dataset import Dataset
from algorithms.learners.multiclass.model import CodedModel
from algorithms.learners.neural.model import NeuralModel
from algorithms.structures.conditionals import Conditionals
from workbench.session.session import Session
from workbench.tabs.visualize.explain.selected_record import RecordValues, SelectedRecord
from workbench.viewers.ensemble.code_matrix import Bits, CodeView
from workbench.viewers.layers import LayerSignals, LayersView, node_outputs

if TYPE_CHECKING:
    from workbench.viewers.nomogram.nomogram_view import NomogramView


class NomogramRecord(RecordValues):
    """Hands the record in view and the class of interest to the nomogram."""

    def __init__(self, session: Session, view: NomogramView) -> None:
        super().__init__(session, view, Conditionals, view)
        self._view = view
        session.class_of_interest_changed.connect(self._run_changed)

    def _run_changed(self) -> None:
        held, data = self.structure_of(self._run), self._session.data
        if held is None or data is None or data.schema.class_index is None:
            return
        classes = data.schema.classes
        code = self._session.class_of_interest
        if code < len(classes) and classes[code] in held.schema.classes:
            self._view.set_interest(held.schema.classes.index(classes[code]))


class CodedRecord(SelectedRecord):
    """Hands the bits that members decide for to the view."""

    def __init__(self, session: Session, view: CodeView) -> None:
        super().__init__(session, CodedModel, view)
        self._view = view

    def _nothing(self) -> None:
        self._view.set_bits(None, 0, "")

    def _read(self, model: CodedModel, record: Dataset, name: str, context: RunContext) -> tuple[Bits, int]:
        return model.read(record, context)[0] >= 0.5, int(model.predict(record)[0])

    def _found(self, found: tuple[Bits, int], name: str) -> None:
        self._view.set_bits(*found, name)


class LayersRecord(SelectedRecord):
    """Hands what the nodes say to the view."""

    def __init__(self, session: Session, view: LayersView) -> None:
        super().__init__(session, NeuralModel, view)
        self._view = view

    def _nothing(self) -> None:
        self._view.set_record(None)

    def _read(self, model: NeuralModel, record: Dataset, name: str, context: RunContext) -> LayerSignals | None:
        if not model.layers.n_layers:
            return None
        probabilities = np.asarray(model.predict_proba(record)[0], dtype=np.float64)
        return node_outputs(model.layers, name, model.signals(record, 0), probabilities)

    def _found(self, found: LayerSignals | None, name: str) -> None:
        self._view.set_record(found)
