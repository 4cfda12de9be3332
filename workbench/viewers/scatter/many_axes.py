"""A viewer of records over many axes: picture, table twin, legend, and what a record is in words."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout

from algorithms.data.columns import IntArray
from workbench.jobs.jobs import Jobs
from workbench.layout.multi_axis_points import Places
from workbench.layout.points import Mask
from workbench.session.selection import How
from workbench.style.theme import themes
from workbench.viewers.charts.class_picker import NO_CLASS, ClassPicker
from workbench.viewers.charts.export import Export
from workbench.viewers.scatter.axes_canvas import AxesCanvas
from workbench.viewers.scatter.records_picture import RecordsPicture, Taken
from workbench.viewers.scatter.scatter_scene import NOBODY
from workbench.viewers.scatter.scatter_table import Sheet
from workbench.widgets.labels import ElidedLabel, label

MOST_IN_CARD: Final = 10


class ManyAxesView(RecordsPicture):
    """Records to look at and to select in; what they are comes from outside.

    ``selected(rows, how)`` with rows of the data, ``cleared`` where nothing is to be selected. ``name`` begins the
    object names of its parts, ``taken`` is what can be copied and saved.
    """

    selected = Signal(object, object)
    drawn = Signal()
    """Another part is in view, or what is in view has been drawn."""

    def __init__(self, canvas: AxesCanvas, jobs: Jobs | None, name: str, taken: type[Taken]) -> None:
        super().__init__(canvas, name, f"{taken.title} as a table of records")
        self.canvas = canvas
        self._empty = self._made_empty()
        self._stack.addWidget(self._empty)
        self.legend = ClassPicker(f"{name}-legend")
        self.remark = ElidedLabel("", "facts")
        self.remark.setAlignment(Qt.AlignmentFlag.AlignRight)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addWidget(self._stack, 1)
        below = QHBoxLayout()
        below.setSpacing(12)
        below.addWidget(self.legend, 3)
        below.addWidget(self.remark, 2)
        column.addLayout(below)
        self.export = Export(taken(self), jobs, self)
        canvas.selected.connect(self._meant)
        canvas.cleared.connect(self.cleared)
        canvas.hovered.connect(self._point_at)
        canvas.looked.connect(self._looked)
        self.legend.picked.connect(self._picked)
        themes.changed.connect(self.card.hide)

    def _made_empty(self) -> QLabel:
        words = label("", "dim", wrap=True)
        words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        return words

    # ---- what is shown ---------------------------------------------------------------------------------------------

    @property
    def picture(self) -> AxesCanvas:
        return self.canvas

    @property
    def shown_rows(self) -> IntArray | None:
        return None if self.places is None else self.places.rows

    @property
    def places(self) -> Places | None:
        return self.canvas.places

    @property
    def is_drawn(self) -> bool:
        """Whether what is to be seen has been drawn."""
        return not self.canvas.refiner.is_busy

    def set_places(self, places: Places | None, sheet: Sheet | None, *, keep_view: bool = False) -> None:
        """Show these records; ``sheet`` says what they are."""
        self.card.hide()
        self._sheet = sheet
        has_classes = places is not None and places.n_classes > 0 and sheet is not None
        self.legend.set_classes(sheet.classes if has_classes and sheet is not None else ())
        self.canvas.set_places(places, keep_view=keep_view)
        self.canvas.set_lit(self._lit())
        if self._stack.currentWidget() is self._empty:
            self._stack.setCurrentWidget(self.canvas)
        self._fill_table()

    def show_words(self, words: str) -> None:
        """Say why there is no picture."""
        self.set_places(None, None)
        self._empty.setText(words)
        self._stack.setCurrentWidget(self._empty)

    def set_selection(self, mask: Mask | None) -> None:
        """Show which rows of the data (n,) are selected; None where none is."""
        if mask is None and self._mask is None:
            return
        self._mask = mask
        self.canvas.set_lit(self._lit())
        if not self.table.hasFocus():
            self._fill_table()

    def forget_selection(self) -> None:
        """Other records are to come: what was selected says nothing of them."""
        self._mask = None

    def show_table(self, wanted: bool) -> None:
        if self.places is not None:
            super().show_table(wanted)

    def _lit(self) -> Mask | None:
        """The records (m,) to be lit: the selected ones, of the class that was picked; None where all are alike."""
        places, code = self.places, self.legend.code
        if places is None:
            return None
        chosen = None if self._mask is None else self._mask[places.rows]
        if code == NO_CLASS:
            return chosen
        of_class = places.of_class(code)
        return of_class if chosen is None else of_class & chosen

    def _picked(self, _code: int) -> None:
        self.canvas.set_lit(self._lit())

    def _looked(self) -> None:
        self.drawn.emit()

    # ---- records ---------------------------------------------------------------------------------------------------

    def _meant(self, found: IntArray, how: object) -> None:
        if self.places is not None:
            self.selected.emit(self.places.rows[found], how)

    def _show_card(self) -> None:
        record = self.canvas.hover
        if record == NOBODY or self.places is None:
            return
        self._put_card(record, MOST_IN_CARD, self.canvas.place_of(record))

    # ---- the table -------------------------------------------------------------------------------------------------

    def table_rows(self) -> IntArray:
        """The rows of the data that the table shows: those that are lit, else those in view, ascending."""
        places = self.places
        if places is None:
            return np.empty(0, dtype=np.int64)
        lit = self.canvas.lit
        return np.sort(places.rows[lit] if lit is not None else places.rows[self.canvas.in_view()])

    def _rows_chosen(self, rows: IntArray) -> None:
        self.selected.emit(rows, How.REPLACE)
