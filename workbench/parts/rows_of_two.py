"""Rows of two panes whose edges stand in line, however wide each pane must be at least."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

HEIGHT: Final = 500
"""Of each row at first; only how the rows compare counts."""


class RowsOfTwo(QSplitter):
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
