"""What is known of an attribute in numbers: pairs of a name and a value, two side by side where they are short."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from workbench.parts import ElidedLabel, label
from workbench.theme import SPACE_2, themes

ROOMY: Final = 340
"""From this width on, at usual text size, longer values stand side by side too."""


class Numbers(QWidget):
    """Keeps its labels while the same things are told in the same places: then only words change, and no layout."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("preprocess.statistics")
        self.setAccessibleName("Statistics")
        self.setProperty("part", "clear")
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
        places = _places(told, 16 if width > themes.px(ROOMY) else 11)
        if places != self._places:
            self._build(places)
        for shown, (name, value) in zip(self._values, told, strict=True):
            shown.setText(value)
            shown.setAccessibleName(f"{name}: {value}")

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


def _places(told: list[tuple[str, str]], short: int) -> list[tuple[str, int, int, int]]:
    """Name, row, column and span of each: a value longer than ``short`` has a row of its own."""
    found, row, column = [], 0, 0
    for name, value in told:
        is_long = len(value) > short
        if is_long and column:
            row, column = row + 1, 0
        found.append((name, row, column, 3 if is_long else 1))
        row, column = (row + 1, 0) if is_long or column else (row, 2)
    return found
