"""What is done with the chosen cells of the records as a whole: pasted into, cleared, copied as far as they go."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from algorithms.core.columns import IntArray
from algorithms.core.errors import DataError
from workbench.messages import Messages
from workbench.preprocess.notice import Notice
from workbench.preprocess.record_edits import RecordEdits
from workbench.preprocess.records_model import RecordsModel
from workbench.preprocess.records_view import RecordsView


class RecordsCells(QObject):
    """Does so when the table is asked to; what cannot be done is said in the pane's own notice."""

    def __init__(
        self,
        model: RecordsModel,
        view: RecordsView,
        edits: RecordEdits,
        notice: Notice,
        messages: Messages,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._model, self._view, self._edits = model, view, edits
        self._notice, self._messages = notice, messages
        view.clear_asked.connect(self.clear)
        view.paste_asked.connect(self.paste)
        view.cut_short.connect(self._say_cut_short)

    def clear(self) -> None:
        """Make the chosen cells missing."""
        self._edits.clear(self._view.chosen_cells())

    def paste(self) -> None:
        """Paste the clipboard at the chosen cells; where one block is chosen, into all of it that it fills evenly."""
        block = self._view.chosen_block()
        if block is None:
            self._notice.show_error(DataError("There is no cell to paste at.", remedy="Choose one first."))
            return
        top, left, *area = block
        if left + area[1] > self._model.n_attributes:
            self._notice.show_error(DataError("What a run said cannot be changed.", remedy="Choose other cells."))
            return

        def rows(n: int) -> IntArray:
            return self._model.records(np.arange(top, min(top + n, self._model.rowCount())))

        text = QGuiApplication.clipboard().text().replace("\r\n", "\n")
        self._edits.paste(text.removeprefix(self._view.headings()), rows, left, (area[0], area[1]))

    def _say_cut_short(self, most: int) -> None:
        self._messages.warn(
            f"Only the first {most:,} of the chosen cells were copied.", "Save the data as CSV to take all of them."
        )
