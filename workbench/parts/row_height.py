"""One height for all rows of a table, set at once however many there are."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtWidgets import QTableView

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
