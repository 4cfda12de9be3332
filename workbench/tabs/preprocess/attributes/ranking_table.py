"""The ranked attributes as a table: sorted by a click on a head, a bar for the folds that keep each."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Any, Final

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from algorithms.filters.attribute_ranking import TITLES, AttributeRanking, cells_of
from workbench.style.theme import current_theme, themes
from workbench.viewers.charts.export import Table, rows_written
from workbench.widgets.labels import NameDelegate
from workbench.widgets.tables import set_row_height

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
SHARE_ROLE: Final = Role.UserRole
ROW: Final = 26
ROOT: Final = QModelIndex()


class RankingColumn(IntEnum):
    PLACE = 0
    NAME = 1
    SCORE = 2
    MEAN_PLACE = 3
    SPREAD = 4
    SHARE = 5
    KEPT = 6


TIPS: Final = (
    "The place by all records, 1 is the best; columns that tell as much share theirs",
    "The column that is judged",
    "What it tells about the class by the measure: the larger the better",
    "The average of its places when ranked without each fold",
    "How much its place changes from fold to fold (standard deviation)",
    "In how many of the folds it is among the columns kept",
    "Whether it is kept by all records",
)
WIDTHS: Final = {0: 54, 2: 72, 3: 114, 4: 64, 5: 98, 6: 50}
FIGURES: Final = (RankingColumn.PLACE, RankingColumn.SCORE)
"""Columns whose figures may be longer than usual, and are never cut."""
NARROWEST_NAME: Final = 64
NARROWEST_LONG_NAME: Final = 128
"""Names that are cut to less can no longer be told apart."""
LEAST: Final = {5: 74, 3: 0, 4: 0}
"""Where there is no room these columns give of theirs, in this order, down to so much, and no head is cut."""


LEFT_OUT: Final = (RankingColumn.SPREAD, RankingColumn.MEAN_PLACE)
"""Columns that a narrow table leaves out, in this order; what is copied and saved has them."""


class RankingModel(QAbstractTableModel):
    """A row an attribute."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.ranking: AttributeRanking | None = None
        self._order: list[int] = []
        self._sorted_by = (int(RankingColumn.PLACE), Qt.SortOrder.AscendingOrder)

    def show_ranking(self, ranking: AttributeRanking | None) -> None:
        self.beginResetModel()
        self.ranking = ranking
        self._order = self._sorted()
        self.endResetModel()

    def name(self, row: int) -> str:
        assert self.ranking is not None
        return self.ranking.names[self._order[row]]

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.layoutAboutToBeChanged.emit()
        self._sorted_by = (column, order)
        self._order = self._sorted()
        self.layoutChanged.emit()

    def _sorted(self) -> list[int]:
        ranking = self.ranking
        if ranking is None:
            return []
        column, order = self._sorted_by
        keys: dict[int, Callable[[int], Any]] = {
            RankingColumn.NAME: lambda at: ranking.names[at].casefold(),
            RankingColumn.SCORE: lambda at: -np.inf if np.isnan(ranking.scores[at]) else ranking.scores[at],
            RankingColumn.MEAN_PLACE: lambda at: ranking.mean_place[at],
            RankingColumn.SPREAD: lambda at: ranking.spread[at],
            RankingColumn.SHARE: lambda at: ranking.share[at],
            RankingColumn.KEPT: lambda at: ranking.kept[at],
        }
        best_first = ranking.order
        key = keys.get(column)
        found = best_first if key is None else sorted(best_first, key=key)
        return found if order == Qt.SortOrder.AscendingOrder else found[::-1]

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(RankingColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Role.TextAlignmentRole:
            return _alignment(section)
        return {Role.DisplayRole: TITLES[section], Role.ToolTipRole: TIPS[section]}.get(Role(role))

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if self.ranking is None or not index.isValid():
            return None
        at, column = self._order[index.row()], index.column()
        if role == Role.DisplayRole:
            return cells_of(self.ranking, at)[column]
        if role == SHARE_ROLE:
            return float(self.ranking.share[at])
        if role == Role.ToolTipRole:
            return self.ranking.names[at] if column == RankingColumn.NAME else None
        return _alignment(column) if role == Role.TextAlignmentRole else None

    def table(self) -> Table | None:
        """What writes the table as it is sorted; None where there is none."""
        ranking, order = self.ranking, list(self._order)
        return None if ranking is None else rows_written([list(TITLES), *(cells_of(ranking, at) for at in order)])


def _alignment(column: int) -> Qt.AlignmentFlag:
    side = (
        Qt.AlignmentFlag.AlignLeft
        if column in (RankingColumn.NAME, RankingColumn.SHARE)
        else Qt.AlignmentFlag.AlignRight
    )
    return side | Qt.AlignmentFlag.AlignVCenter


class ShareOfFolds(QStyledItemDelegate):
    """A bar as long as the share of the folds, and the share behind it."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        theme, area = current_theme(), QRectF(option.rect)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, theme.color("accent_soft"))
        words = themes.px(44)
        room = max(0.0, area.width() - words - 14)
        bar = QRectF(area.left() + 8, area.center().y() - themes.px(5), room, themes.px(10))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("soft"))
        painter.drawRect(bar)
        bar.setWidth(room * float(index.data(SHARE_ROLE) or 0.0))
        painter.setBrush(theme.color("accent"))
        painter.drawRect(bar)
        painter.setPen(theme.color("text"))
        side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(area.adjusted(0, 0, -6, 0), side, str(index.data()))
        painter.restore()


class RankingTable(QTableView):
    """The cursor on a row means its attribute; Ctrl+C copies the table as it is sorted."""

    attribute_meant = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.ranked = RankingModel(self)
        self.setObjectName("preprocess.ranking.table")
        self.setAccessibleName("Columns by what they tell about the class")
        self.setModel(self.ranked)
        self.setItemDelegateForColumn(RankingColumn.NAME, NameDelegate(self))
        self.setItemDelegateForColumn(RankingColumn.SHARE, ShareOfFolds(self))
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSortIndicator(int(RankingColumn.PLACE), Qt.SortOrder.AscendingOrder)
        self.setSortingEnabled(True)
        self.selectionModel().currentRowChanged.connect(self._row_changed)
        themes.follow(self._measure)
        self._measure()

    def show_ranking(self, ranking: AttributeRanking | None) -> None:
        self.ranked.show_ranking(ranking)
        self._measure()

    def copy(self) -> None:
        """Put the whole table on the clipboard."""
        table = self.ranked.table()
        if table is not None:
            QGuiApplication.clipboard().setText(table("\t"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        else:
            super().keyPressEvent(event)

    def _row_changed(self, now: QModelIndex, _before: QModelIndex) -> None:
        if now.isValid():
            self.attribute_meant.emit(self.ranked.name(now.row()))

    def _measure(self) -> None:
        set_row_height(self, themes.px(ROW))
        self._fit()

    def _fit(self) -> None:
        """Names take what room is left; where that is none, others give of theirs, then some are left out."""
        header = self.horizontalHeader()
        wanted = {
            column: max(themes.px(width), self.sizeHintForColumn(column) if column in FIGURES else 0)
            for column, width in WIDTHS.items()
        }
        left = self.viewport().width() - sum(wanted.values())
        long = min(themes.px(NARROWEST_LONG_NAME), self.sizeHintForColumn(RankingColumn.NAME))
        wanted[RankingColumn.NAME] = max(themes.px(NARROWEST_NAME), long, left)
        lacks = max(0, wanted[RankingColumn.NAME] - left)
        for column, least in LEAST.items():
            given = min(lacks, max(0, wanted[column] - max(themes.px(least), header.sectionSizeHint(column))))
            wanted[column] -= given
            lacks -= given
        for column in LEFT_OUT:
            self.setColumnHidden(column, lacks > 0)
            if lacks > 0:
                lacks -= wanted.pop(column)
        if lacks < 0:
            wanted[RankingColumn.NAME] -= lacks
        for column, width in wanted.items():
            header.resizeSection(column, width)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
