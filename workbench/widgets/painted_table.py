"""A table that paints its cells in sight in one go, with one height for all rows."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QHeaderView, QTableView


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
