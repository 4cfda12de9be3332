"""Panes whose content may be higher than the window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QScrollArea, QWidget

LEAST_HEIGHT: Final = 80


class UprightScrollArea(QScrollArea):
    """Scrolls up and down only: never narrower than what it holds, and never lower than what ``kept`` at its top takes
    (labels one below the other).

    Where there is more room for a moment only, while what stands around it is laid out, it stays scrolled as it was.
    """

    def __init__(self, inside: QWidget, parent: QWidget | None = None, kept: Sequence[QLabel] = ()) -> None:
        super().__init__(parent)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(inside)
        self._inside, self._kept = inside, kept
        self._was_at = 0
        self._moment = QTimer(self)
        self._moment.setSingleShot(True)
        self.verticalScrollBar().rangeChanged.connect(self._stay)

    def _stay(self, _least: int, most: int) -> None:
        """Note from where it is scrolled back for want of anything below, and go there if that comes again at once."""
        bar = self.verticalScrollBar()
        if bar.value() > most and not self._moment.isActive():
            self._was_at = bar.value()
            self._moment.start(0)
        elif self._moment.isActive() and most >= self._was_at:
            self._moment.stop()
            bar.setValue(self._was_at)

    def minimumSizeHint(self) -> QSize:
        inner = self._inside.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
        return QSize(inner, max(LEAST_HEIGHT, self._height_of_kept() + 2 * self.frameWidth()))

    def _height_of_kept(self) -> int:
        """In pixels, with the gaps between them; 0 where none is kept."""
        layout, heights = self._inside.layout(), [each.heightForWidth(each.width()) for each in self._kept]
        return sum(heights) + max(0, len(heights) - 1) * (0 if layout is None else layout.spacing())

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._kept and event.size().width() != event.oldSize().width():
            self.updateGeometry()  # in another width they take another height


class HighScrollArea(UprightScrollArea):
    """Is as high as what it holds where there is room for that; its bar has room before it comes."""

    _keeps_room = False

    def keep_room_for_bar(self) -> None:
        """What it holds is as wide without the bar as with it: nothing moves when the bar comes."""
        self._keeps_room = True
        self.verticalScrollBar().rangeChanged.connect(self._make_room)  # what it holds became higher or lower
        self._make_room()

    def _make_room(self) -> None:
        """Show the bar, or leave its room empty, by the size of this pane alone: else each would undo the other."""
        bar, frame = self.verticalScrollBar(), 2 * self.frameWidth()
        width = bar.sizeHint().width()
        layout, inner = self._inside.layout(), self.width() - frame - width
        height = self._inside.minimumSizeHint().height()
        if layout is not None and layout.hasHeightForWidth():
            height = max(height, layout.heightForWidth(inner))
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOn
        if height <= self.height() - frame:
            policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        if policy is not self.verticalScrollBarPolicy():
            self.setVerticalScrollBarPolicy(policy)
            self.setViewportMargins(0, 0, 0 if policy is Qt.ScrollBarPolicy.ScrollBarAlwaysOn else width, 0)

    def event(self, event: QEvent) -> bool:
        if self._keeps_room and event.type() is QEvent.Type.LayoutRequest:
            self._make_room()
        return super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._keeps_room:
            self._make_room()

    def sizeHint(self) -> QSize:
        layout, width = self._inside.layout(), self.viewport().width()
        asked = self._inside.sizeHint()
        height = layout.heightForWidth(width) if layout is not None and layout.hasHeightForWidth() else asked.height()
        return QSize(asked.width(), max(self.minimumSizeHint().height(), height))


def over_canvas(canvas: QWidget) -> QScrollArea:
    """A painted view that may be larger than its pane: it scrolls, and has no ground of its own."""
    scroll = QScrollArea()
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QScrollArea.Shape.NoFrame)
    scroll.setWidget(canvas)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    for part in (scroll.viewport(), canvas):
        part.setAutoFillBackground(False)
    return scroll


def clear_row(*widgets: QWidget) -> tuple[QWidget, QHBoxLayout]:
    """A row of buttons without a ground of its own, and its layout for those that are still to come."""
    row = QWidget()
    row.setProperty("part", "clear")
    line = QHBoxLayout(row)
    line.setContentsMargins(0, 0, 0, 0)
    line.setSpacing(6)
    for widget in widgets:
        line.addWidget(widget)
    return row, line
