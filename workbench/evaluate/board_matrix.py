"""The confusion matrix of the cost board: its cells select their records, as those of the judged run do."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from algorithms.core.columns import FloatArray
from workbench.parts import Pane, label
from workbench.views.confusion import ConfusionView


class BoardMatrix(Pane):
    """A matrix with a sentence below it. A click on a cell or a name comes as ``cells_meant`` (cells (k, k), how to
    select their records)."""

    cells_meant = Signal(object, object)
    came_into_view = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Confusion", parent=parent)
        self.view = ConfusionView()
        self.view.setObjectName("evaluate.board.matrix")
        self.view.cells_meant.connect(self._meant)
        self._sentence = label("", "", wrap=True)
        self._sentence.setObjectName("evaluate.board.sentence")
        self._said, self._remark = "", ""
        self.body.addWidget(self.view, 1)
        self.body.addWidget(self._sentence)

    def say(self, sentence: str) -> None:
        """Put this below the matrix; nothing where it is empty."""
        self._said = sentence
        self._tell()

    def remark(self, words: str) -> None:
        """Add a sentence about what was just meant, until something else is meant."""
        self._remark = words
        self._tell()

    def set_selected(self, counts: FloatArray | None) -> None:
        """Mark how much of each cell (k, k) is selected; None where no record is."""
        self.view.set_selected(counts)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.came_into_view.emit()

    def _meant(self, cells: object, how: object) -> None:
        self.remark("")
        self.cells_meant.emit(cells, how)

    def _tell(self) -> None:
        words = " ".join(filter(None, (self._said, self._remark)))
        self._sentence.setText(words)
        self._sentence.setVisible(bool(words))
