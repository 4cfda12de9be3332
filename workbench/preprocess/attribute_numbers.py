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
        self._is_single = False
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(SPACE_2)
        self._grid.setVerticalSpacing(_gap(False))
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnStretch(3, 1)

    def show_pairs(self, told: list[tuple[str, str]], width: int) -> None:
        """Tell these names and values; ``width`` is that of the pane they stand in."""
        self._told = told
        places = self._placed(width - PANE_MARGINS)
        if self._is_single:
            places = [(name, row, 0, 3) for row, (name, _) in enumerate(told)]
        if places != self._places:
            self._build(places)
        for shown, (name, value) in zip(self._values, told, strict=True):
            shown.setText(value)
            shown.setAccessibleName(f"{name}: {value}")

    def set_single(self, is_single: bool) -> None:
        """Tell each pair in a line of its own, as beside a plot, or two side by side."""
        if is_single is not self._is_single:
            self._is_single = is_single
            self._grid.setVerticalSpacing(_gap(is_single))
            self.show_pairs(self._told, self.width() + PANE_MARGINS)

    def single_width(self) -> int:
        """What the pairs need across, each in a line of its own."""
        metrics = QFontMetrics(themes.font())
        names, values = ([metrics.horizontalAdvance(told[at]) for told in self._told] for at in (0, 1))
        return max(names, default=0) + max(values, default=0) + SPACE_2 + 2

    def height_of(self, is_single: bool, width: int) -> int:
        """What the pairs need in height, each in a line of its own or as they stand in a place so wide."""
        lines = len(self._told) if is_single or not self._told else 1 + self._placed(width)[-1][1]
        return lines * (QFontMetrics(themes.font()).height() + _gap(is_single)) - _gap(is_single)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._told and event.size().width() != event.oldSize().width():
            self.show_pairs(self._told, self.width() + PANE_MARGINS)

    def _placed(self, width: int) -> list[tuple[str, int, int, int]]:
        """Where each pair stands in a place so wide."""
        metrics = QFontMetrics(themes.font())
        titles = 2 * max((metrics.horizontalAdvance(name) for name, _ in self._told), default=0)
        room = (width - themes.px(GAPS) - titles) // 2
        return _places(self._told, [metrics.horizontalAdvance(value) > room for _, value in self._told])

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


def _gap(is_single: bool) -> int:
    """Pixels between two lines."""
    return 1 if is_single else 4


def _places(told: list[tuple[str, str]], are_long: list[bool]) -> list[tuple[str, int, int, int]]:
    """Name, row, column and span of each: a long value has a row of its own."""
    found, row, column = [], 0, 0
    for (name, _), is_long in zip(told, are_long, strict=True):
        if is_long and column:
            row, column = row + 1, 0
        found.append((name, row, column, 3 if is_long else 1))
        row, column = (row + 1, 0) if is_long or column else (row, 2)
    return found
