"""The base of pictures of many axes: progressive rendering, hover, highlighted records, table."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from algorithms.core.context import RunContext
from algorithms.data.columns import IntArray
from workbench.jobs.jobs import Job, Jobs
from workbench.layout.multi_axis_points import Places
from workbench.layout.points import Mask
from workbench.session.selection import How
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.class_legend import NO_CLASS, ClassPicker
from workbench.viewers.charts.export import Export
from workbench.viewers.scatter.scatter_paint import NOBODY
from workbench.viewers.scatter.scatter_view import RecordsPicture, Sheet, Taken
from workbench.widgets.labels import ElidedLabel, label

Checkpoint = Callable[[], None]
Steps = Callable[[Checkpoint], Iterator[object]]
"""Makes the parts one after another; yields :data:`COARSE_DONE` where all has been seen once."""
COARSE_DONE: Final = "coarse done"


class Refiner(QObject):
    """Runs one wish at a time.

    A newer wish waits until the picture has been seen coarsely once, so that something follows the hand however fast
    it moves, and then takes the place of the older one.
    """

    made = Signal(object)
    """With each part."""

    def __init__(self, jobs: Jobs | None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._job: Job | None = None
        self._next: Steps | None = None
        self._seen_once = False

    @property
    def is_busy(self) -> bool:
        return self._job is not None

    def want(self, steps: Steps, *, at_once: bool = False) -> None:
        """Ask for parts; ``at_once`` where that takes no time worth speaking of."""
        if at_once or self._jobs is None:
            self.drop()
            for part in steps(_never):
                self._land(part)
        elif self._job is None:
            self._begin(self._jobs, steps)
        elif self._seen_once:
            self.drop()
            self._begin(self._jobs, steps)
        else:
            self._next = steps

    def drop(self) -> None:
        """Forget what was asked for."""
        self._next = None
        if self._job is not None:
            self._job.stop()
            self._job = None

    def _begin(self, jobs: Jobs, steps: Steps) -> None:
        def work(context: RunContext) -> None:
            for part in steps(context.checkpoint):
                context.publish(part)

        self._seen_once = False
        self._job = jobs.start("", work, on_done=self._done, on_event=self._land)

    def _land(self, part: object) -> None:
        if part is COARSE_DONE:
            self._seen_once = True
            if self._next is not None:
                self._go_on()
            return
        self.made.emit(part)

    def _done(self, _nothing: object) -> None:
        self._job = None
        if self._next is not None:
            self._go_on()
        else:
            self.made.emit(None)

    def _go_on(self) -> None:
        steps = self._next
        self.drop()
        if steps is not None and self._jobs is not None:
            self._begin(self._jobs, steps)


def _never() -> None:
    return None


CLICK_SLACK: Final = 4.0
HOVER_MS: Final = 25


class AxesCanvas(QWidget):
    """Shows places and says what the person does with them.

    ``selected(records, how)`` comes with numbers of places, ``hovered(record)`` with the one under the
    mouse (-1: none).
    """

    selected = Signal(object, object)
    cleared = Signal()
    hovered = Signal(int)
    table_wanted = Signal()
    looked = Signal()
    """Another part is in view, or what is in view has been drawn."""

    def __init__(self, jobs: Jobs | None, name: str, says: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self.setAccessibleName(says)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(themes.px(240), themes.px(150))
        self.places: Places | None = None
        self.lit: Mask | None = None
        self.hover = NOBODY
        self.marks_wrong = True
        self._at = QPointF()
        self._look = QTimer(self)
        self._look.setSingleShot(True)
        self._look.setInterval(HOVER_MS)
        self._look.timeout.connect(self._look_under_mouse)
        self.refiner = Refiner(jobs, self)
        self.refiner.made.connect(self._landed)
        themes.follow(self.dress)

    # ---- what is shown ---------------------------------------------------------------------------------------------

    def set_places(self, places: Places | None, *, keep_view: bool = False) -> None:
        """Show other records or axes; ``keep_view`` where the axes are the same."""
        self.refiner.drop()
        self.places, self.lit, self.hover = places, None, NOBODY
        self.arrange(keep_view)
        self.want()
        self.update()

    def set_lit(self, lit: Mask | None) -> None:
        """Light some records (m,); None where all are alike."""
        if lit is None and self.lit is None:
            return
        self.lit = lit
        self.want()
        self.update()

    def set_marks_wrong(self, marked: bool) -> None:
        """Whether records that were classified wrongly are marked."""
        self.marks_wrong = marked
        self.update()

    @abstractmethod
    def arrange(self, keep_view: bool) -> None:
        """Find the room for what is to be shown; unless the view is kept, all is shown."""

    @abstractmethod
    def want(self) -> None:
        """Ask the refiner for what is in view."""

    @abstractmethod
    def receive(self, part: object) -> None:
        """Take one part that the refiner made."""

    @abstractmethod
    def record_at(self, at: QPointF) -> int:
        """The record meant by a place of the canvas, -1 for none."""

    @abstractmethod
    def place_of(self, record: int) -> QRectF:
        """Where a record is pointed at: what a card stands beside."""

    @abstractmethod
    def paint_picture(self, painter: QPainter, *, vector: bool = False) -> None:
        """What is in view, without what only the screen has."""

    @abstractmethod
    def paint_marks(self, painter: QPainter) -> None:
        """What only the screen has: what is pointed at, what has the focus."""

    @abstractmethod
    def in_view(self) -> IntArray:
        """The records of which every value is in view, numbers of places."""

    @abstractmethod
    def fit(self) -> None:
        """Show all of every axis."""

    def dress(self) -> None:
        """Take on the theme."""
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
        painter = QPainter(self)
        painter.fillRect(self.rect(), current_theme().pane)
        self.paint_picture(painter)
        self.paint_marks(painter)
        if self.hasFocus():
            painter.setPen(QPen(current_theme().color("accent"), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        painter.end()

    # ---- what is pointed at ----------------------------------------------------------------------------------------

    def point_at(self, at: QPointF) -> None:
        """Look soon which record lies there: among a million that takes some milliseconds."""
        self._at = at
        if not self._look.isActive():
            self._look.start()

    def _look_under_mouse(self) -> None:
        self.set_hover(self.record_at(self._at) if self.places is not None else NOBODY)

    def set_hover(self, record: int) -> None:
        """Point at a record, or at none (-1)."""
        if record == NOBODY:
            self._look.stop()
        if record != self.hover:
            self.hover = record
            self.update()
            self.hovered.emit(record)

    def leaveEvent(self, event: QEvent) -> None:
        self.set_hover(NOBODY)
        super().leaveEvent(event)

    def say(self, words: str) -> None:
        """Let a screen reader say where the focus is."""
        self.setAccessibleDescription(words)
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.DescriptionChanged))

    def all_records(self) -> IntArray:
        """Numbers of all places."""
        return np.arange(0 if self.places is None else len(self.places))


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
