"""Records in a plane, the nearer the more trees send them to one leaf, and beside it those that lie far out."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QHeaderView, QVBoxLayout, QWidget

from algorithms.data.columns import IntArray
from workbench.jobs.jobs import Jobs
from workbench.layout.points import Points
from workbench.session.selection import How
from workbench.style.theme import themes
from workbench.viewers.scatter.scatter import ScatterView
from workbench.viewers.scatter.scatter_paint import wrong_words
from workbench.viewers.scatter.scatter_table import RecordTable, Sheet
from workbench.widgets.labels import label

NONE_OUT: Final = "No record lies farther out than the others of its class."
FAR_OUT: Final = "Above 10 it may well be a mistake in the table."
FAR_TIP: Final = (
    "How few leaves a record shares with the others of its class: 0 for half of them, 1 where it is as much farther "
    "out as records are on average (Breiman's outlier measure). A click shows the record."
)
MOST_WIDE: Final = 440
CLASSES: Final = (1, 3)
"""Columns of the list that hold names of classes, which may be long."""


class RecordMap(QWidget):
    """The plane and the list; ``selected(rows, how)`` with rows of the sheet's data."""

    selected = Signal(object, object)
    words_changed = Signal()

    def __init__(self, jobs: Jobs) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        self.words = ""
        """What the picture says, for above it."""
        self.scatter = ScatterView(jobs)
        self.scatter.canvas.setObjectName("visualize.committee.map")
        self.scatter.canvas.setAccessibleName("The records in a plane, as the trees see them")
        self.scatter.table.setObjectName("visualize.committee.map-table")
        self.scatter.selected.connect(lambda rows, how, _by: self.selected.emit(rows, how))
        self.far = RecordTable("visualize.committee.far-out", "The records that lie farthest out in their class")
        self.far.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.far.chosen.connect(lambda rows: self.selected.emit(rows, How.REPLACE))
        self._heading = label("Farthest out in their class", "heading")
        self._remark = label(FAR_OUT, "dim", wrap=True)
        for widget in (self._heading, self._remark):
            widget.setToolTip(FAR_TIP)
        self._beside = QWidget()
        self._beside.setProperty("part", "clear")
        self._beside.setMaximumWidth(themes.px(MOST_WIDE))
        beside = QVBoxLayout(self._beside)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.setSpacing(4)
        for widget in (self._heading, self._remark):
            beside.addWidget(widget)
        beside.addWidget(self.far, 1)
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(16)
        line.addWidget(self.scatter, 3)
        line.addWidget(self._beside, 2)
        self._is_table = False
        self.clear("")

    def say(self, words: str) -> None:
        """Say this above the picture."""
        self.words = words
        self.scatter.canvas.setAccessibleDescription(words)
        self.words_changed.emit()

    def clear(self, words: str) -> None:
        """Show no records, and why."""
        self.scatter.set_points(None, None)
        self.far.show_records(None, np.empty(0, dtype=np.int64))
        self._remark.setText(FAR_OUT)
        self.say(words)

    def show_records(
        self, points: Points, sheet: Sheet, far: Sheet, farthest: IntArray, words: str, how: str = "when tested"
    ) -> None:
        """Show these records, and of ``far`` those rows in this order; ``how`` says of the marks what they rest on."""
        n_wrong = int(points.wrong.sum())
        self.scatter.remark.setText(f"{wrong_words(n_wrong)} {how}" if n_wrong else "")
        self.scatter.set_points(points, sheet)
        self.far.show_records(far, farthest)
        for column in range(self.far.model().columnCount()):
            if column in CLASSES:
                self.far.horizontalHeader().setSectionResizeMode(column, QHeaderView.ResizeMode.Stretch)
            else:
                self.far.horizontalHeader().setSectionResizeMode(column, QHeaderView.ResizeMode.Interactive)
                self.far.resizeColumnToContents(column)
        self._remark.setText(FAR_OUT if len(farthest) else NONE_OUT)
        self.say(words)

    def show_table(self, wanted: bool) -> None:
        """The same records as a table."""
        if wanted != self._is_table:
            self._is_table = wanted
            self.scatter.show_table(wanted)
