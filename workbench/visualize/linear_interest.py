"""The coefficients in view speak for the class of interest, and are written for other programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from algorithms.core.hyperplanes import Hyperplanes
from algorithms.core.trained import TrainedClassifier
from workbench.runs import Run
from workbench.session import Session
from workbench.visualize.program_files import WEIGHED_SUMS, add_programs

if TYPE_CHECKING:
    from workbench.views.coefficients import CoefficientsView


class LinearInterest(QObject):
    """Follows the class of interest of the session, and adds the formats to the menu of the view."""

    def __init__(self, session: Session, view: CoefficientsView) -> None:
        super().__init__(view)
        self._session, self._view = session, view
        self._run: Run | None = None
        session.class_of_interest_changed.connect(self._follow)
        add_programs(view.export, "visualize.coefficients.programs", "coefficients", WEIGHED_SUMS, self._trained)

    def show_run(self, run: Run | None) -> None:
        """The model in view is that of this run; None where it weighs no sum."""
        if run is not self._run:
            self._run = run
            self._follow()

    def _trained(self) -> TrainedClassifier | None:
        trained = None if self._run is None else self._run.trained
        return trained if trained is not None and isinstance(trained.structure(), Hyperplanes) else None

    def _follow(self) -> None:
        run, data = self._run, self._session.data
        planes = None if run is None or run.trained is None else run.trained.structure()
        if not isinstance(planes, Hyperplanes) or data is None or data.schema.class_index is None:
            return
        classes, code = data.schema.classes, self._session.class_of_interest
        if code < len(classes) and classes[code] in planes.schema.classes:
            self._view.set_interest(planes.schema.classes.index(classes[code]))
