"""What every node of the network in view says of the record in view."""

from __future__ import annotations

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.neural.model import NeuralModel
from workbench.session import Session
from workbench.views.layers import LayersView
from workbench.views.layers_words import Said, said_of
from workbench.visualize.selected_record import SelectedRecord


class LayersRecord(SelectedRecord):
    """Hands what the nodes say to the view."""

    def __init__(self, session: Session, view: LayersView) -> None:
        super().__init__(session, NeuralModel, view)
        self._view = view

    def _nothing(self) -> None:
        self._view.set_record(None)

    def _read(self, model: NeuralModel, record: Dataset, name: str, context: RunContext) -> Said | None:
        if not model.layers.n_layers:
            return None
        probabilities = np.asarray(model.predict_proba(record)[0], dtype=np.float64)
        return said_of(model.layers, name, model.signals(record, 0), probabilities)

    def _found(self, found: Said | None, name: str) -> None:
        self._view.set_record(found)
