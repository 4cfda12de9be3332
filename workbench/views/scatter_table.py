"""The table twin of a scatter plot: the selected records, or those in view, with what the axes and the model say."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from algorithms.core.data import Attribute, Dataset, IntArray
from algorithms.core.recast import date_labels, number_label
from algorithms.evaluation.mistakes import Judged

Index = QModelIndex | QPersistentModelIndex

MISSING: Final = "·"


@dataclass(frozen=True, eq=False)
class Sheet:
    """What the cells are read from: columns by their position in the schema, and the judgement, where there is one."""

    data: Dataset
    columns: tuple[int, ...]
    judged: Judged | None
    classes: tuple[str, ...]

    def names(self) -> tuple[str, ...]:
        named = tuple(self.data.schema.attributes[index].name for index in self.columns)
        return ("Record", *named, *(("Said", "Judged") if self.judged is not None else ()))

    def row(self, row: int) -> list[str]:
        """The texts of one record."""
        at = np.array([row])
        cells = [str(int(self.data.row_ids[row]) + 1)]
        for index in self.columns:
            cells.append(cell_text(self.data.schema.attributes[index], self.data.cells(index, at)[0]))
        if self.judged is not None:
            said = int(self.judged.decision[row])
            cells.append(self.classes[said] if said >= 0 else "")
            cells.append("" if said < 0 else "wrong" if self.judged.wrong[row] else "right")
        return cells

    def csv(self, rows: IntArray, delimiter: str) -> str:
        """The records as CSV."""
        written = io.StringIO()
        table = csv.writer(written, delimiter=delimiter, lineterminator="\n")
        table.writerow(self.names())
        for row in rows.tolist():
            table.writerow(["" if cell == MISSING else cell for cell in self.row(row)])
        return written.getvalue()


def cell_text(attribute: Attribute, value: Any) -> str:
    """How one value is written."""
    if attribute.kind.is_coded:
        return attribute.values[value] if value >= 0 else MISSING
    if attribute.kind.is_string:
        return value if isinstance(value, str) else MISSING
    if np.isnan(value):
        return MISSING
    if attribute.kind.value == "date":
        return str(date_labels(np.array([value]))[0]).replace("T", " ")
    return number_label(float(value))


class ScatterTable(QAbstractTableModel):
    """Some records; text is made only for those that are seen."""

    def __init__(self) -> None:
        super().__init__()
        self._sheet: Sheet | None = None
        self._names: tuple[str, ...] = ()
        self._rows: IntArray = np.empty(0, dtype=np.int64)
        self._last: tuple[int, list[str]] = (-1, [])

    def show_rows(self, sheet: Sheet | None, rows: IntArray) -> None:
        """Show these rows of the data."""
        self.beginResetModel()
        self._sheet, self._rows, self._last = sheet, rows, (-1, [])
        self._names = () if sheet is None else sheet.names()
        self.endResetModel()

    def rows_at(self, places: IntArray) -> IntArray:
        """The rows of the data that stand at these places."""
        return self._rows[places]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008  Qt's own signature
        return 0 if parent.isValid() else len(self._names)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return self._names[section]
        return self._alignment(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def _alignment(self, column: int) -> int:
        """Numbers at the right, all else at the left."""
        is_number = column == 0
        if self._sheet is not None and 1 <= column <= len(self._sheet.columns):
            is_number = self._sheet.data.schema.attributes[self._sheet.columns[column - 1]].kind.is_float
        side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
        return int(side | Qt.AlignmentFlag.AlignVCenter)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if self._sheet is None or not index.isValid():
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(index.column())
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        row = int(self._rows[index.row()])
        if self._last[0] != row:
            self._last = (row, self._sheet.row(row))
        return self._last[1][index.column()]
