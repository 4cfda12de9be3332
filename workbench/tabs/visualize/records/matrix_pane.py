"""The pane with the scatter matrix."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu

from workbench.layout.multi_axis_points import MultiAxisPoints
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.visualize.records.many_pane import ManyAxesPane
from workbench.viewers.scatter.scatter_matrix import ScatterMatrixView
from workbench.viewers.scatter.scatter_paint import wrong_words

USUAL: Final = 5
MOST: Final = 8
SMALL: Final = 44
"""Height of cells that are too small to be read."""


class ScatterMatrixPane(ManyAxesPane):
    """Every pair of some attributes at once. ``pair_wanted(across, up)`` with the names of a pair to be seen large."""

    pair_wanted = Signal(str, str)

    def __init__(self, session: Session) -> None:
        self.matrix = ScatterMatrixView(session.jobs)
        super().__init__(session, "Scatter matrix", self.matrix, "visualize.matrix", USUAL, MOST)
        self.matrix.matrix.pair_wanted.connect(self._open_pair)

    def add_options(self, menu: QMenu) -> None:
        self._moving = self._check(menu, "Dragging moves the picture", False, self._set_moving)

    def _set_moving(self) -> None:
        self.matrix.matrix.drag_moves = self._moving.isChecked()

    def _open_pair(self, across: int, up: int) -> None:
        names = self.shown_attributes
        self.pair_wanted.emit(names[across], names[up])

    def remark(self, places: MultiAxisPoints, n_wrong: int) -> str:
        if places.n_axes < 2:
            return "choose more attributes to see their pairs"
        if self.matrix.matrix.grid.cell_height < themes.px(SMALL):
            return "the two arrows above give it all the room"
        told = ["drag to select"]
        if self.matrix.n_shown is None:
            told.insert(0, "the stronger the more records")
        elif n_wrong:
            told.insert(0, wrong_words(n_wrong))
        return " · ".join(told)
