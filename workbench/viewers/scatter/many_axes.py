"""The base of pictures of many axes: progressive rendering, hover, highlighted records, table."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QHelpEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QToolTip, QWidget

from algorithms.data.columns import IntArray, Mask
from workbench.jobs.jobs import Jobs
from workbench.jobs.ui_scheduling import single_shot
from workbench.layout.many_axes import MultiAxisPoints
from workbench.session.selection import SelectionMode
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.export import Export
from workbench.viewers.charts.legend import ClassPicker
from workbench.viewers.scatter.rendering import ProgressiveRenderer
from workbench.viewers.scatter.scatter_paint import NOBODY
from workbench.viewers.scatter.scatter_view import ExportedRecords, RecordsPicture, ScatterTableData
from workbench.widgets.labels import ElidedLabel, label
from workbench.widgets.layouts import column_layout, named, row_layout
from workbench.widgets.painting import draw_focus_frame

CLICK_SLACK: Final = 4.0
HOVER_MS: Final = 25


class AxesCanvas(QWidget):
    """Base canvas of many axes; ``selected(places, how)``, ``hovered(record)``, -1 for none."""

    selected = Signal(object, object)
    cleared = Signal()
    hovered = Signal(int)
    table_wanted = Signal()
    looked = Signal()
    """Emitted when the visible range changes, or when the picture is complete."""
    colored: frozenset[int] | None = None
    """The classes in their colours, the others are grey; None for all."""

    def __init__(self, jobs: Jobs | None, name: str, says: str) -> None:
        super().__init__()
        named(self, name, says)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(themes.px(240), themes.px(150))
        self.places: MultiAxisPoints | None = None
        self.lit: Mask | None = None
        self.hover = NOBODY
        self.marks_wrong = True
        self._at = QPointF()
        self._look = single_shot(self, HOVER_MS, lambda: self.set_hover(self.record_at(self._at)))
        self.refiner = ProgressiveRenderer(jobs, self)
        self.refiner.rendered.connect(self._landed)
        themes.follow(self.dress)

    # ---- what is shown ---------------------------------------------------------------------------------------------

    def set_places(self, places: MultiAxisPoints | None, *, keep_view: bool = False) -> None:
        """Shows other records or axes; ``keep_view`` keeps the ranges of equal axes."""
        self.refiner.drop()
        self.places, self.lit, self.hover = places, None, NOBODY
        self.arrange(keep_view)
        self.want()
        self.update()

    def set_lit(self, lit: Mask | None) -> None:
        """Highlights some records (m,); None highlights none."""
        if lit is None and self.lit is None:
            return
        self.lit = lit
        self.want()
        self.update()

    def set_marks_wrong(self, marked: bool) -> None:
        self.marks_wrong = marked
        self.update()

    @abstractmethod
    def arrange(self, keep_view: bool) -> None:
        """Computes the layout; resets the view unless ``keep_view``."""

    @abstractmethod
    def want(self) -> None:
        """Requests the visible picture from the renderer."""

    @abstractmethod
    def receive(self, part: object) -> None:
        """Takes one rendered part."""

    @abstractmethod
    def record_at(self, position: QPointF) -> int:
        """The record at a point of the canvas; -1 for none, as without records."""

    @abstractmethod
    def place_of(self, record: int) -> QRectF:
        """The box of a record, beside which its card stands."""

    @abstractmethod
    def paint_picture(self, painter: QPainter, *, vector: bool = False) -> None:
        """Paints the visible picture without hover and focus."""

    @abstractmethod
    def paint_marks(self, painter: QPainter) -> None:
        """Paints hover and focus."""

    @abstractmethod
    def in_view(self) -> IntArray:
        """Numbers of the records whose values are all in view."""

    @abstractmethod
    def tip_at(self, position: QPointF) -> str:
        """The tooltip at a point of the canvas; empty for none."""

    @abstractmethod
    def fit(self) -> None:
        """Shows the whole of every axis."""

    def dress(self) -> None:
        self.arrange(True)
        self.want()
        self.update()

    def _landed(self, part: object) -> None:
        if part is not None:
            self.receive(part)
            self.update()
        self.looked.emit()

    def resizeEvent(self, _event: QResizeEvent) -> None:
        self.arrange(True)
        self.want()

    def paintEvent(self, _event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), current_theme().pane)
            self.paint_picture(painter)
            self.paint_marks(painter)
            if self.hasFocus():
                draw_focus_frame(painter, self.rect())

    # ---- mouse and keys ----------------------------------------------------------------------------------------------

    def point_at(self, position: QPointF) -> None:
        """Looks up the record at a point after a pause: a million records take milliseconds."""
        self._at = position
        if not self._look.isActive():
            self._look.start()

    def set_hover(self, record: int) -> None:
        """Sets the record under the mouse; -1 for none."""
        if record == NOBODY:
            self._look.stop()
        if record != self.hover:
            self.hover = record
            self.update()
            self.hovered.emit(record)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        event.setAccepted(self.places is not None and self.press_key(event))

    def press_key(self, event: QKeyEvent) -> bool:
        """F shows all, T shows the table; returns whether the key is used."""
        if event.text() in ("f", "F", "0"):
            self.fit()
        elif event.text() in ("t", "T"):
            self.table_wanted.emit()
        else:
            return False
        return True

    def leaveEvent(self, event: QEvent) -> None:
        self.set_hover(NOBODY)
        super().leaveEvent(event)

    def say(self, words: str) -> None:
        """Sets the words that a screen reader says."""
        self.setAccessibleDescription(words)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))

    def all_records(self) -> IntArray:
        return np.arange(0 if self.places is None else len(self.places))


MOST_IN_CARD: Final = 10


class ManyAxesView(RecordsPicture):
    """The base viewer of records over many axes.

    ``selected(rows, how)`` carries rows of the data, ``cleared`` an empty selection. ``name`` begins the object names
    of its parts; ``exported_as`` is the name and the title of its export.
    """

    selected = Signal(object, object)
    drawn = Signal()
    """Emitted when the visible range changes, or when the picture is complete."""

    def __init__(self, canvas: AxesCanvas, jobs: Jobs | None, name: str, exported_as: tuple[str, str]) -> None:
        super().__init__(canvas, name, f"{exported_as[1]} as a table of records")
        self.canvas = canvas
        self._empty = label("", "dim", wrap=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack.addWidget(self._empty)
        self.legend = ClassPicker(f"{name}-legend", groups=True)
        self.remark = ElidedLabel("", "facts")
        self.remark.setAlignment(Qt.AlignmentFlag.AlignRight)
        column_layout(
            (self._stack, 1), row_layout((self.legend, 3), (self.remark, 2), spacing=12), inside=self, spacing=2
        )
        self.export = Export(ExportedRecords(self, *exported_as), jobs, self)
        canvas.selected.connect(self._meant)
        canvas.cleared.connect(self.cleared)
        canvas.hovered.connect(self._point_at)
        canvas.looked.connect(self.drawn.emit)
        self.legend.picked.connect(self._picked)
        themes.changed.connect(self.card.hide)

    # ---- what is shown ---------------------------------------------------------------------------------------------

    @property
    def picture(self) -> AxesCanvas:
        return self.canvas

    @property
    def shown_rows(self) -> IntArray | None:
        return None if self.places is None else self.places.rows

    @property
    def places(self) -> MultiAxisPoints | None:
        return self.canvas.places

    @property
    def is_drawn(self) -> bool:
        return not self.canvas.refiner.is_busy

    def set_places(
        self, places: MultiAxisPoints | None, sheet: ScatterTableData | None, *, keep_view: bool = False
    ) -> None:
        """Shows these records; ``sheet`` has their values."""
        self.card.hide()
        self._sheet = sheet
        has_classes = places is not None and places.n_classes > 0 and sheet is not None
        counts = np.diff(places.starts)[1:].tolist() if places is not None else ()
        self.legend.set_classes(sheet.classes if has_classes and sheet is not None else (), counts)
        self.canvas.colored = self._colored
        self.canvas.set_places(places, keep_view=keep_view)
        self.canvas.set_lit(self._lit())
        if self._stack.currentWidget() is self._empty:
            self._stack.setCurrentWidget(self.canvas)
        self._fill_table()

    def show_words(self, words: str) -> None:
        self.set_places(None, None)
        self._empty.setText(words)
        self._stack.setCurrentWidget(self._empty)

    def set_selection(self, mask: Mask | None) -> None:
        """Shows which rows of the data (n,) are selected; None for no selection."""
        if mask is None and self._mask is None:
            return
        self._mask = mask
        self.canvas.set_lit(self._lit())
        if not self.table.hasFocus():
            self._fill_table()

    def forget_selection(self) -> None:
        self._mask = None

    def show_table(self, wanted: bool) -> None:
        if self.places is not None:
            super().show_table(wanted)

    @property
    def _colored(self) -> frozenset[int] | None:
        """The classes in their colours if there are too many for all; None for all."""
        return self.legend.colored if self.legend.most_named else None

    def _picked(self) -> None:
        if self._colored != self.canvas.colored:
            self.canvas.colored = self._colored
            self.canvas.dress()
        self.canvas.set_lit(self._lit())

    def _lit(self) -> Mask | None:
        """The highlighted records (m,): selected ones of the classes shown; None for all."""
        places, shown = self.places, self.legend.shown
        if places is None:
            return None
        chosen = None if self._mask is None else self._mask[places.rows]
        if shown is None:
            return chosen
        of_class: Mask = np.logical_or.reduce([places.of_class(code) for code in sorted(shown)])
        return of_class if chosen is None else of_class & chosen

    # ---- records ---------------------------------------------------------------------------------------------------

    def _meant(self, records: IntArray, how: object) -> None:
        if self.places is not None:
            self.selected.emit(self.places.rows[records], how)

    def _show_card(self) -> None:
        record = self.canvas.hover
        if record == NOBODY or self.places is None:
            return
        self._put_card(record, MOST_IN_CARD, self.canvas.place_of(record))

    # ---- the table -------------------------------------------------------------------------------------------------

    def table_rows(self) -> IntArray:
        """The rows of the data in the table: highlighted ones, else those in view, ascending."""
        places = self.places
        if places is None:
            return np.empty(0, dtype=np.int64)
        lit = self.canvas.lit
        return np.sort(places.rows[lit] if lit is not None else places.rows[self.canvas.in_view()])

    def _rows_chosen(self, rows: IntArray) -> None:
        self.selected.emit(rows, SelectionMode.REPLACE)
