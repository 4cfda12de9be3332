"""The coefficients in view speak for the class of interest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from algorithms.core.hyperplanes import Hyperplanes
from workbench.runs import Run
from workbench.session import Session

if TYPE_CHECKING:
    from workbench.views.coefficients import CoefficientsView


class LinearInterest(QObject):
    """Follows the class of interest of the session."""

    def __init__(self, session: Session, view: CoefficientsView) -> None:
        super().__init__(view)
        self._session, self._view = session, view
        self._run: Run | None = None
        session.class_of_interest_changed.connect(self._follow)

    def show_run(self, run: Run | None) -> None:
        """The model in view is that of this run; None where it weighs no sum."""
        if run is not self._run:
            self._run = run
            self._follow()

    def _follow(self) -> None:
        run, data = self._run, self._session.data
        planes = None if run is None or run.trained is None else run.trained.structure()
        if not isinstance(planes, Hyperplanes) or data is None or data.schema.class_index is None:
            return
        classes, code = data.schema.classes, self._session.class_of_interest
        if code < len(classes) and classes[code] in planes.schema.classes:
            self._view.set_interest(planes.schema.classes.index(classes[code]))
