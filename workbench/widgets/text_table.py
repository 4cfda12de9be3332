"""Rows of text as a table that can be read aloud and copied: the twin of a small painted view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from workbench.style.theme import themes
from workbench.widgets.elision import NameDelegate, NameHeader
from workbench.widgets.painted_table import set_row_height

Index = QModelIndex | QPersistentModelIndex
Rows = Sequence[Sequence[str]]
MOST_LOOKED_AT: Final = 200
"""So many rows tell whether a column holds words."""
SIGNS: Final = "+-−±<>≤≥= ."
LEAST_WORDS: Final = 96
"""A column of words is never narrower, in logical pixels, unless they are."""
AROUND: Final = 26
"""What a cell has around its text."""


class TextModel(QAbstractTableModel):
    """The first row is the heading. Columns of figures stand at the right, the first and those of words at the left."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: Rows = ()
        self._sides: dict[int, Qt.AlignmentFlag] = {}

    def show_rows(self, rows: Rows) -> None:
        if rows != self.rows:
            self.beginResetModel()
            self.rows = rows
            self._sides = {}
            self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else max(0, len(self.rows) - 1)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if not self.rows or (parent is not None and parent.isValid()) else len(self.rows[0])

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and self.rows and section < len(self.rows[0]):
            if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
                return self.rows[0][section]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return self._side(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self.rows[index.row() + 1][index.column()]
        return self._side(index.column()) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def first_cells(self, column: int) -> list[str]:
        """What stands in this column, as far as is looked at."""
        return [row[column] for row in self.rows[1 : MOST_LOOKED_AT + 1] if column < len(row)]

    def _side(self, column: int) -> Qt.AlignmentFlag:
        if column not in self._sides:
            cells = self.first_cells(column)
            is_left = column == 0 or are_words(cells)
            side = Qt.AlignmentFlag.AlignLeft if is_left else Qt.AlignmentFlag.AlignRight
            self._sides[column] = side | Qt.AlignmentFlag.AlignVCenter
        return self._sides[column]


class TextTable(QTableView):
    """Shows the rows; Ctrl+C takes all of them.

    The columns share the room: alike where all is whole then, else what the figures leave is that of the words. A
    number is never shortened: where there is too little room, the table is scrolled sideways.
    """

    shares_room: ClassVar[bool] = True
    """Whether the columns have their widths from here, not from a class below."""

    def __init__(
        self,
        name: str,
        says: str,
        parent: QWidget | None = None,
        model: TextModel | None = None,
        *,
        least_words: int = LEAST_WORDS,
    ) -> None:
        super().__init__(parent)
        self._model = model or TextModel()
        self._least_words = least_words
        self._least: list[int] = []
        self._wanted: list[int] = []
        self.setObjectName(name)
        self.setAccessibleName(says)
        self.setHorizontalHeader(NameHeader(Qt.Orientation.Horizontal, self))
        self.setItemDelegate(NameDelegate(self))
        self.setModel(self._model)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setHighlightSections(False)
        mode = QHeaderView.ResizeMode.Fixed if self.shares_room else QHeaderView.ResizeMode.Stretch
        self.horizontalHeader().setSectionResizeMode(mode)
        self.setHorizontalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self._model.modelReset.connect(self._weigh)
        themes.follow(self._measure)
        self._measure()

    def show_rows(self, rows: Rows) -> None:
        """Show these rows, the heading first."""
        self._model.show_rows(rows)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText("\n".join("\t".join(row) for row in self._model.rows))
        else:
            super().keyPressEvent(event)

    def _measure(self) -> None:
        set_row_height(self, themes.px(25))
        self._weigh()

    def _weigh(self) -> None:
        """How wide each column must be at least, and to have all of its words."""
        if not self.shares_room:
            return
        self.ensurePolished()
        metrics, model, head = self.fontMetrics(), self._model, self.horizontalHeader()
        self._least, self._wanted = [], []
        for column in range(model.columnCount()):
            cells = model.first_cells(column)
            wide = max((metrics.horizontalAdvance(cell) for cell in cells), default=0) + themes.px(AROUND)
            is_words = column == 0 or are_words(cells)
            self._least.append(min(wide, themes.px(self._least_words)) if is_words else wide)
            self._wanted.append(max(wide, head.sectionSizeHint(column)))
        self._share_room()

    def _share_room(self) -> None:
        for column, width in enumerate(shared(self._least, self._wanted, self.viewport().width())):
            if self.columnWidth(column) != width:
                self.setColumnWidth(column, width)


def are_words(cells: Sequence[str]) -> bool:
    """Whether there is something in these cells, and nowhere a figure: "12.5", "< 3", "−1"."""
    filled = [cell.strip() for cell in cells if any(letter.isalnum() for letter in cell)]
    return bool(filled) and not any(cell.lstrip(SIGNS)[:1].isdigit() for cell in filled)


def shared(least: Sequence[int], wanted: Sequence[int], room: int) -> list[int]:
    """Widths of columns, in the units of ``room``: alike but for those that want more, where there is as much as all
    want; else all have their least and those that want more divide the rest alike.
    """
    if sum(wanted) <= room:
        return _alike(wanted, [room] * len(wanted), room)
    return _alike(least, [max(low, most) for low, most in zip(least, wanted, strict=True)], room)


def _alike(least: Sequence[int], most: Sequence[int], room: int) -> list[int]:
    """Widths that fill the room where they may, none below its least or above its most, and else alike."""
    low, high = 0, room
    while low < high:  # the largest level at which all fit
        level = (low + high + 1) // 2
        if sum(min(max(level, a), b) for a, b in zip(least, most, strict=True)) <= room:
            low = level
        else:
            high = level - 1
    widths = [min(max(low, a), b) for a, b in zip(least, most, strict=True)]
    left = room - sum(widths)
    for at, width in enumerate(widths):
        if left > 0 and width == low < most[at]:
            widths[at], left = width + 1, left - 1
    return widths
