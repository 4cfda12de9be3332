"""Panes with a heading, and stacks of pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QEvent, QSize, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QSizePolicy,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.style.theme import SPACE_2, SPACE_3, SPACE_4
from workbench.widgets.labels import ElidedLabel, label


class Pane(QFrame):
    """A card: bold title, dim facts, actions at the right, and what it shows in ``body``."""

    def __init__(
        self, title: str = "", facts: str = "", actions: Sequence[QWidget] = (), parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("part", "pane")
        self._title = label(title, "heading")
        self._facts = ElidedLabel(facts, "facts")
        self._facts.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # they give way to the rest
        self.heading = QHBoxLayout()
        self.heading.setSpacing(SPACE_2)
        self.heading.addWidget(self._title)
        self.heading.addWidget(self._facts, 1)
        self._heading_row = QWidget()
        self._heading_row.setProperty("part", "clear")
        self._heading_row.setLayout(self.heading)
        self.heading.setContentsMargins(0, 0, 0, 0)
        self.body = QVBoxLayout()
        self.body.setSpacing(SPACE_2)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(SPACE_4, SPACE_3, SPACE_4, SPACE_3)
        whole.setSpacing(SPACE_2)
        whole.addWidget(self._heading_row)
        whole.addLayout(self.body, 1)
        self.setAccessibleName(title)
        for action in actions:
            self.add_action(action)
        self._heading_row.setVisible(bool(title or facts or actions))

    def set_title(self, text: str) -> None:
        self._title.setText(text)
        self.setAccessibleName(text)
        self._heading_row.setVisible(True)

    def set_facts(self, text: str, *shorter: str) -> None:
        """The dim words beside the title, and the same in fewer words for where there is little room."""
        self._facts.set_wordings(text, *shorter)
        self._heading_row.setVisible(True)

    def explain(self, meaning: str) -> None:
        """Say what the title means."""
        self._title.setToolTip(meaning)
        self.setAccessibleDescription(meaning)

    def lead_with(self, widget: QWidget) -> None:
        """A widget in the place of the title, which stays the pane's accessible name."""
        self._title.hide()
        self.heading.insertWidget(0, widget)
        self._heading_row.setVisible(True)

    def add_action(self, widget: QWidget) -> None:
        """A widget at the right of the heading."""
        self.heading.addWidget(widget)
        self._heading_row.setVisible(True)


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


HEIGHT: Final = 500
"""Of each row at first; only how the rows compare counts."""


class PairedRows(QSplitter):
    """``share`` of the width is the left panes', until somebody drags their edge: that of the other rows follows."""

    def __init__(self, share: float, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._share = share
        self._rows: list[QSplitter] = []
        self.setChildrenCollapsible(False)

    def add_row(self, left: QWidget, right: QWidget) -> None:
        """Two panes beside one another, below those that are there."""
        row = QSplitter(Qt.Orientation.Horizontal, self)
        row.setChildrenCollapsible(False)
        row.addWidget(left)
        row.addWidget(right)
        row.splitterMoved.connect(lambda at, _index: self._dragged(row, at))
        self._rows.append(row)
        self.addWidget(row)
        self.setSizes([HEIGHT] * len(self._rows))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._align()

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:  # what a pane needs at least may be another now
            self._align()
        return done

    def _dragged(self, row: QSplitter, at: int) -> None:
        self._share = at / max(1, row.width() - row.handleWidth())
        self._align()

    def _align(self) -> None:
        """Give every row the same widths: as wanted, as far as all panes have what they need."""
        if not self._rows:
            return
        room = self.width() - self._rows[0].handleWidth()
        least_left, least_right = (max(_least(row, side) for row in self._rows) for side in (0, 1))
        left = max(least_left, min(round(self._share * room), room - least_right))
        for row in self._rows:
            if row.sizes() != [left, room - left]:
                row.setSizes([left, room - left])


def _least(row: QSplitter, side: int) -> int:
    """The width that a pane of a row has at least."""
    pane = row.widget(side)
    return 0 if pane is None else max(pane.minimumWidth(), pane.minimumSizeHint().width())


class CurrentPageStack(QStackedWidget):
    """A stack that asks for no more than the page in view needs: a wide hidden one leaves its neighbours their room."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.currentChanged.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        page = self.currentWidget()
        return super().sizeHint() if page is None else page.sizeHint()

    def minimumSizeHint(self) -> QSize:
        page = self.currentWidget()
        return super().minimumSizeHint() if page is None else page.minimumSizeHint().expandedTo(page.minimumSize())
