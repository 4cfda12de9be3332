"""What is under the heading of the chosen attribute, one below the other; in a low pane the numbers stand beside the
plot, so that nothing has to be scrolled to."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLayout, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from workbench.preprocess.attribute_numbers import Numbers
from workbench.theme import SPACE_2, themes

LEAST_FOR_PLOT: Final = 150
"""Numbers stand beside the plot only where so many pixels across are left for it, at usual text size."""
BETWEEN: Final = 2 * SPACE_2
"""Pixels between the plot and the numbers beside it."""

SLACK: Final = 2
"""Pixels that rounding may take."""


class Pages(QStackedWidget):
    """Pages that take what height there is, however high a wrapped text on one of them would like to be."""

    def hasHeightForWidth(self) -> bool:
        return False


class Content(QWidget):
    """Asks for no more height than it needs at its width, so that it scrolls only where it must.

    ``pages`` are what takes the height that is left; ``numbers`` stand last of all, or, after :meth:`fit` has found the
    place too low for that, beside the first of the pages, the plot.
    """

    def __init__(self, pages: Pages, numbers: Numbers) -> None:
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

    def __init__(self, content: Content) -> None:
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
