"""What pictures of records over many axes have in common: what is lit, what is pointed at, the wish to be drawn."""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from algorithms.data.columns import IntArray
from workbench.jobs.jobs import Jobs
from workbench.layout.multi_axis_points import Places
from workbench.layout.points import Mask
from workbench.style.theme import current_theme, themes
from workbench.viewers.scatter.progressive_renderer import Refiner
from workbench.viewers.scatter.scatter_scene import NOBODY

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
