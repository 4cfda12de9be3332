"""What is known of an attribute in numbers: pairs of a name and a value, two side by side where they are short."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from workbench.parts import ElidedLabel, label
from workbench.theme import SPACE_2, themes

PANE_MARGINS: Final = 34
GAPS: Final = 34
"""What the gaps between four columns and an indent take of the width."""


class Numbers(QWidget):
    """Keeps its labels while the same things are told in the same places: then only words change, and no layout."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preprocess.statistics")
        self.setAccessibleName("Statistics")
        self.setProperty("part", "clear")
        self._told: list[tuple[str, str]] = []
        self._places: list[tuple[str, int, int, int]] = []
        self._values: list[ElidedLabel] = []
        self._titles: list[QLabel] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE_2)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnStretch(3, 1)

    def show_pairs(self, told: list[tuple[str, str]], width: int) -> None:
        """Tell these names and values; ``width`` is that of the pane they stand in."""
        self._told = told
        self._place(width - PANE_MARGINS)
        for shown, (name, value) in zip(self._values, told, strict=True):
            shown.setText(value)
            shown.setAccessibleName(f"{name}: {value}")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._told and event.size().width() != event.oldSize().width():
            self.show_pairs(self._told, self.width() + PANE_MARGINS)

    def _place(self, width: int) -> None:
        metrics = QFontMetrics(themes.font())
        titles = 2 * max((metrics.horizontalAdvance(name) for name, _ in self._told), default=0)
        room = (width - themes.px(GAPS) - titles) // 2
        places = _places(self._told, [metrics.horizontalAdvance(value) > room for _, value in self._told])
        if places != self._places:
            self._build(places)

    def _build(self, places: list[tuple[str, int, int, int]]) -> None:
        for old in (*self._titles, *self._values):
            self._grid.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._places, self._titles, self._values = places, [], []
        for name, row, column, span in places:
            title, shown = label(name, "dim"), ElidedLabel("")
            title.setIndent(themes.px(10) if column else 0)
            shown.setAlignment(Qt.AlignmentFlag.AlignRight)
            self._grid.addWidget(title, row, column)
            self._grid.addWidget(shown, row, column + 1, 1, span)
            self._titles.append(title)
            self._values.append(shown)


def _places(told: list[tuple[str, str]], are_long: list[bool]) -> list[tuple[str, int, int, int]]:
    """Name, row, column and span of each: a long value has a row of its own."""
    found, row, column = [], 0, 0
    for (name, _), is_long in zip(told, are_long, strict=True):
        if is_long and column:
            row, column = row + 1, 0
        found.append((name, row, column, 3 if is_long else 1))
        row, column = (row + 1, 0) if is_long or column else (row, 2)
    return found
