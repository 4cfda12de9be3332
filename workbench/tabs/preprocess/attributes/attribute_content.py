"""What is under the heading of the chosen attribute, one below the other; in a low pane the numbers stand beside the
plot, so that nothing has to be scrolled to."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QScrollArea,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.style.theme import SPACE_2, themes
from workbench.widgets.labels import ElidedLabel, label

PANE_MARGINS: Final = 34
GAPS: Final = 34
"""What the gaps between four columns and an indent take of the width."""


class StatisticsLabels(QWidget):
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


LEAST_FOR_PLOT: Final = 150
"""Numbers stand beside the plot only where so many pixels across are left for it, at usual text size."""
BETWEEN: Final = 2 * SPACE_2
"""Pixels between the plot and the numbers beside it."""

SLACK: Final = 2
"""Pixels that rounding may take."""


class FillingStack(QStackedWidget):
    """Pages that take what height there is, however high a wrapped text on one of them would like to be."""

    def hasHeightForWidth(self) -> bool:
        return False


class HeightForWidthContent(QWidget):
    """Asks for no more height than it needs at its width, so that it scrolls only where it must.

    ``pages`` are what takes the height that is left; ``numbers`` stand last of all, or, after :meth:`fit` has found the
    place too low for that, beside the first of the pages, the plot.
    """

    def __init__(self, pages: FillingStack, numbers: StatisticsLabels) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        self._shown, self._numbers = pages, numbers
        self.is_beside = False
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(SPACE_2)
        self._row = QHBoxLayout()
        self._row.setSpacing(BETWEEN)
        self._row.addWidget(pages, 1)
        pages.currentChanged.connect(self._show_numbers)

    def add(self, *parts: QWidget | QLayout) -> None:
        """One below the other, from the top."""
        for part in parts:
            if part is self._shown:
                self._column.addLayout(self._row, 1)
            elif isinstance(part, QWidget):
                self._column.addWidget(part)
            else:
                self._column.addLayout(part)

    def heightForWidth(self, width: int) -> int:
        return self._column.minimumHeightForWidth(width)

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), 0)

    def fit(self, width: int, height: int) -> None:
        """Let the numbers stand below everything where that fits, else beside the plot if that is wide enough."""
        least = self._shown.minimumHeight()
        below = least + SPACE_2 + self._numbers.height_of(False, width)
        beside = max(least, self._numbers.height_of(True, width))
        now = self._column.minimumHeightForWidth(width)
        if self.is_beside:
            now += below - (beside if self._numbers.isVisibleTo(self) else least)
        left_for_plot = width - self._numbers.single_width() - BETWEEN
        is_beside = now > height - SLACK and left_for_plot >= themes.px(LEAST_FOR_PLOT)
        if is_beside is not self.is_beside:
            self._place(is_beside)

    def _place(self, is_beside: bool) -> None:
        came_from, goes_to = (self._column, self._row) if is_beside else (self._row, self._column)
        self.is_beside = is_beside
        came_from.removeWidget(self._numbers)
        if is_beside:
            goes_to.addWidget(self._numbers, 0, Qt.AlignmentFlag.AlignTop)
        else:
            goes_to.addWidget(self._numbers)
        self._numbers.set_single(is_beside)
        self._show_numbers()

    def _show_numbers(self) -> None:
        """A table needs the whole width: numbers that stand beside come back with the plot."""
        self._numbers.setVisible(not self.is_beside or self._shown.currentIndex() == 0)


class FittingScroll(QScrollArea):
    """Scrolls its content where even the lowest arrangement is too high."""

    def __init__(self, content: HeightForWidthContent) -> None:
        super().__init__()
        self._content = content
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidget(content)
        self.viewport().setProperty("part", "clear")

    def fit(self) -> None:
        """Arrange the content for the room there is."""
        frame = 2 * self.frameWidth()
        self._content.fit(self.width() - frame, self.height() - frame)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()
