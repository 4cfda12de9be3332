"""The pane with parallel coordinates."""

from __future__ import annotations

from typing import Final

from PySide6.QtWidgets import QMenu

from workbench.layout.multi_axis_points import MultiAxisPoints
from workbench.session.session import Session
from workbench.tabs.visualize.records.many_pane import ManyAxesPane
from workbench.viewers.charts.class_legend import NO_CLASS
from workbench.viewers.scatter.parallel_coordinates import ParallelView

USUAL: Final = 7
MOST: Final = 14


class ParallelPane(ManyAxesPane):
    """Some attributes beside one another, a line for each record."""

    def __init__(self, session: Session) -> None:
        self.parallel = ParallelView(session.jobs)
        super().__init__(session, "Parallel coordinates", self.parallel, "visualize.parallel", USUAL, MOST)
        self.parallel.lines.reordered.connect(self.reorder)

    def add_options(self, menu: QMenu) -> None:
        menu.addAction("Light the class of interest", self._light_interest)

    def _light_interest(self) -> None:
        """Light the class of interest, or all classes again."""
        legend = self.parallel.legend
        code = self._session.class_of_interest
        legend.pick(NO_CLASS if legend.code == code else code)

    def select_nothing(self) -> None:
        self.parallel.lines.forget_brushes()
        super().select_nothing()

    def _selection_changed(self) -> None:
        if not self._is_selecting:
            self.parallel.lines.forget_brushes()
        super()._selection_changed()

    @property
    def is_choosing(self) -> bool:
        return bool(self.parallel.lines.scene.brushes)

    def remark(self, places: MultiAxisPoints, n_wrong: int) -> str:
        if places.n_axes < 2:
            return "choose more attributes to see lines between them"
        if self.is_choosing and not len(self._session.selection):
            return "no record lies in all of these ranges"
        told = ["drag along an axis to select"]
        if self.parallel.n_shown is None:
            told.insert(0, "the stronger the more records")
        elif n_wrong:
            told.insert(0, "dashed: wrong")
        return " · ".join(told)
