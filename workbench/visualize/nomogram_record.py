"""The record in view is shown on the nomogram, which speaks for the class of interest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from algorithms.core.conditionals import Conditionals
from workbench.session import Session
from workbench.visualize.record_values import RecordValues

if TYPE_CHECKING:
    from workbench.views.nomogram import NomogramView


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
