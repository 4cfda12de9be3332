"""The record in view, as the members of a code read it: which bits differ from the word of its class."""

from __future__ import annotations

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.multiclass.model import CodedModel
from workbench.session import Session
from workbench.views.code_canvas import Bits
from workbench.views.code_matrix import CodeView
from workbench.visualize.selected_record import SelectedRecord


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
