"""Tables: one that paints its visible cells in one go, and one of text rows as the accessible twin of a picture."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from workbench.style.theme import themes
from workbench.widgets.labels import NameDelegate, NameHeader


@dataclass(frozen=True, slots=True)
class Strip:
    """A row or column in sight: its number, and where it begins and how wide it is, in pixels of the viewport."""

    at: int
    start: int
    size: int


@dataclass(frozen=True, eq=False)
class VisibleCells:
    """What is to be painted: rows (r) and columns (c) from the first to the last, and which cells (r, c) are chosen."""

    rows: Sequence[Strip]
    columns: Sequence[Strip]
    chosen: NDArray[np.bool_]
    focus: tuple[int, int] | None
    """Row and column of the cell with the keyboard."""

    @staticmethod
    def rect(row: Strip, column: Strip) -> QRect:
        """The room of a cell."""
        return QRect(column.start, row.start, column.size, row.size)

    def has_chosen(self) -> list[bool]:
        """Of each row, whether any of its cells is chosen."""
        return [bool(row.any()) for row in self.chosen]

    def whole(self, row: Strip) -> QRect:
        """The room of a row, as far as its columns are painted."""
        first, last = self.columns[0], self.columns[-1]
        return QRect(first.start, row.start, last.start + last.size - first.start, row.size)

    def focus_rect(self) -> QRect | None:
        """The room of the cell with the keyboard, where it is in sight."""
        row = next((row for row in self.rows if self.focus and row.at == self.focus[0]), None)
        column = next((column for column in self.columns if self.focus and column.at == self.focus[1]), None)
        return None if row is None or column is None else self.rect(row, column)


class PaintedTable(QTableView):
    """What a cell looks like is up to :meth:`paint_cells`. Columns may be moved; rows stand in the model's order."""

    @abstractmethod
    def paint_cells(self, painter: QPainter, sight: VisibleCells) -> None:
        """Paint what is in sight, every cell of it."""

    def paintEvent(self, event: QPaintEvent) -> None:
        area = event.rect()
        rows = _strips(self.verticalHeader(), area.top(), area.bottom())
        columns = _strips(self.horizontalHeader(), area.left(), area.right())
        painter = QPainter(self.viewport())
        if rows and columns:
            self.paint_cells(painter, VisibleCells(rows, columns, self._chosen(rows, columns), self._focus()))
        painter.end()

    def _chosen(self, rows: Sequence[Strip], columns: Sequence[Strip]) -> NDArray[np.bool_]:
        top, left = rows[0].at, min(column.at for column in columns)
        wide = np.zeros((rows[-1].at - top + 1, max(column.at for column in columns) - left + 1), dtype=np.bool_)
        for part in self.selectionModel().selection().toList():
            wide[
                max(0, part.top() - top) : max(0, part.bottom() - top + 1),
                max(0, part.left() - left) : max(0, part.right() - left + 1),
            ] = True
        return wide[np.ix_([row.at - top for row in rows], [column.at - left for column in columns])]

    def _focus(self) -> tuple[int, int] | None:
        at = self.currentIndex()
        return (at.row(), at.column()) if self.hasFocus() and at.isValid() else None


def _strips(header: QHeaderView, start: int, end: int) -> list[Strip]:
    """The sections between two pixels, in the order in which they stand, without hidden ones."""
    first, last = header.visualIndexAt(start), header.visualIndexAt(end)
    if first < 0:
        return []
    shown = (header.logicalIndex(visual) for visual in range(first, (last if last >= 0 else header.count() - 1) + 1))
    strips = (Strip(at, header.sectionViewportPosition(at), header.sectionSize(at)) for at in shown)
    return [strip for strip in strips if strip.size > 0]


_NOWHERE: Final = QModelIndex()


class _NoRows(QAbstractTableModel):
    """A table of nothing."""

    def rowCount(self, _parent: QModelIndex | QPersistentModelIndex = _NOWHERE) -> int:
        return 0

    def columnCount(self, _parent: QModelIndex | QPersistentModelIndex = _NOWHERE) -> int:
        return 0

    def data(self, _index: QModelIndex | QPersistentModelIndex, _role: int = Qt.ItemDataRole.DisplayRole) -> object:
        return None


def set_row_height(table: QTableView, height: int) -> None:
    """Let every row of the table be ``height`` pixels high, those that come too.

    A header that has rows resizes one after the other, each time over all of them: three minutes at 500,000. So the
    header lets go of its model meanwhile; the table, its selection and where it is scrolled stay as they are.
    """
    header, model, chosen = table.verticalHeader(), table.model(), table.selectionModel()
    if header.defaultSectionSize() == height and header.minimumSectionSize() <= height:
        return
    nothing = _NoRows(header) if model is not None else None
    if nothing is not None:
        header.setModel(nothing)
    header.setMinimumSectionSize(min(header.minimumSectionSize(), height))
    header.setDefaultSectionSize(height)
    if nothing is not None:
        header.setModel(model)
        header.setSelectionModel(chosen)
        nothing.deleteLater()


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
