"""Names cut to the room there is for them on the screen."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QEvent, QMargins, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QFontMetricsF, QHelpEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionHeader,
    QStyleOptionViewItem,
    QTableView,
    QToolTip,
)

from algorithms.text.names import cut

NEAR: Final = 50
"""A title or a cell is told from so many before it and behind."""
AIR: Final = 3
"""What is left free of the room there is: or Qt, which measures letters side by side, may cut what just fits again."""


def elided(metrics: QFontMetrics | QFontMetricsF, name: str, room: float, among: tuple[str, ...] = ()) -> str:
    """The name, cut to so many pixels where it is longer: in its middle, or so that it is told from those ``among``
    which it is shown."""
    middle = metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, max(0, int(room)))
    return cut(name, middle, room, metrics.horizontalAdvance, among) if among and middle != name else middle


class NameHeader(QHeaderView):
    """Titles that have no room are cut so that each is told from the others."""

    def __init__(self, orientation: Qt.Orientation, table: QTableView) -> None:
        super().__init__(orientation, table)
        self.setSectionsClickable(True)
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)

    def initStyleOptionForIndex(self, option: QStyleOptionHeader, section: int) -> None:
        super().initStyleOptionForIndex(option, section)
        option.rect = QRect(0, 0, *self._size(section))
        room = self.style().subElementRect(QStyle.SubElement.SE_HeaderLabel, option, self).width()
        metrics = QFontMetrics(option.fontMetrics)
        is_fitted = "\n" in option.text  # who broke it into lines has seen to its room
        if not is_fitted and metrics.horizontalAdvance(option.text) > room:
            option.text = elided(metrics, option.text, room - AIR, self._near(section))

    def _size(self, section: int) -> tuple[int, int]:
        across = self.orientation() is Qt.Orientation.Horizontal
        return (self.sectionSize(section), self.height()) if across else (self.width(), self.sectionSize(section))

    def _near(self, section: int) -> tuple[str, ...]:
        model, way = self.model(), self.orientation()
        near = range(max(0, section - NEAR), min(self.count(), section + NEAR + 1))
        return tuple(str(model.headerData(at, way)) for at in near)


class NameDelegate(QStyledItemDelegate):
    """Names in a column of a table that have no room are cut so that each is told from those above and below."""

    _is_measuring = False

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        self._is_measuring = True
        size = super().sizeHint(option, index)
        self._is_measuring = False
        return size.grownBy(QMargins(0, 0, AIR, 0))

    def helpEvent(
        self,
        event: QHelpEvent,
        view: QAbstractItemView,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> bool:
        whole = str(index.data())
        says_more = index.data(Qt.ItemDataRole.ToolTipRole) not in (None, "", whole)
        if event.type() == QEvent.Type.ToolTip and index.isValid() and not says_more:
            shown = QStyleOptionViewItem(option)
            self.initStyleOption(shown, index)
            QToolTip.showText(event.globalPos(), "" if shown.text == whole else whole, view)
            return True
        return super().helpEvent(event, view, option, index)

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        if self._is_measuring or option.widget is None:
            return
        style = option.widget.style()
        around = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin, option, option.widget) + 1
        area = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, option, option.widget)
        room, metrics = area.width() - 2 * around, QFontMetrics(option.font)
        if metrics.horizontalAdvance(option.text) > room:
            option.text = elided(metrics, option.text, room - AIR, _near(index))


def _near(index: QModelIndex | QPersistentModelIndex) -> tuple[str, ...]:
    model = index.model()
    near = range(max(0, index.row() - NEAR), min(model.rowCount(), index.row() + NEAR + 1))
    return tuple(str(model.index(row, index.column()).data()) for row in near)
