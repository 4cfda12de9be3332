"""The panes of the Evaluate tab beside and under each other."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QSplitter, QWidget

from workbench.theme import themes

LEAST_HEIGHT: Final = 490
"""So high they are at usual text size though they could do with less."""


class Panes(QSplitter):
    """Never lower than what stands in it needs: where a window has less room than that, the panes scroll."""

    def __init__(self, orientation: Qt.Orientation, parent: QWidget | None = None) -> None:
        super().__init__(orientation, parent)
        self.setChildrenCollapsible(False)
        themes.follow(self._measure)

    def _measure(self) -> None:
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint().expandedTo(QSize(0, themes.px(LEAST_HEIGHT)))


def splitter(orientation: Qt.Orientation, parent: QWidget) -> QSplitter:
    """A splitter in its place: what is made in it is dressed once, what is put into another widget once for each."""
    made = QSplitter(orientation, parent)
    made.setChildrenCollapsible(False)
    return made


def fill(room: QSplitter, *parts: tuple[QWidget, int]) -> None:
    """Widgets beside or under each other, in these proportions until a person moves them."""
    for widget, stretch in parts:
        room.addWidget(widget)  # one that is in it already goes to the end: its place is known only now
        room.setStretchFactor(room.indexOf(widget), stretch)
    room.setSizes([100 * stretch for _, stretch in parts])
