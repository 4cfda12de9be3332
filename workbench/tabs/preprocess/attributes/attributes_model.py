"""Table model of the attributes of a data set, one row per attribute."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute
from algorithms.data.summary import AttributeSummary, Summary
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT
from workbench.widgets.tables import CellsModel, Index, Role

T = TypeVar("T")


class AttributesColumn(IntEnum):
    USED = 0
    NAME = 1
    KIND = 2
    MISSING = 3
    DISTINCT = 4
    SHAPE = 5


_TITLES: Final = ("", "Name", "Kind", "Missing", "Distinct", "")
_SAID: Final = ("Used", "Name", "Kind", "Missing", "Distinct", "Distribution")


@dataclass(frozen=True, eq=False)
class Sparkline:
    """Counts (b,) of a small histogram; empty if nothing can be drawn."""

    counts: IntArray


def missing_share(n_missing: int, n: int) -> str:
    """Share of missing values: "0", "2.3%", "<0.1%"."""
    if n_missing == 0 or n == 0:
        return "0"
    percent = 100.0 * n_missing / n
    if percent < 0.1:
        return "<0.1%"
    return "100%" if n_missing == n else f"{min(percent, 99.9):.1f}%"


class AttributesModel(CellsModel):
    """Emits edits and shows them once the session has made them."""

    use_asked = Signal(int, bool)
    rename_asked = Signal(int, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data: Dataset | None = None
        self._counts: dict[int, AttributeSummary] = {}
        self._sparklines: dict[int, Sparkline] = {}

    # ---- what is shown ---------------------------------------------------------------------------------------------

    @property
    def dataset(self) -> Dataset | None:
        return self._data

    def set_dataset(self, data: Dataset | None) -> None:
        """Show a data set; counts and sparklines of unchanged columns stay."""
        before = self._data
        sparklines = _kept(before, data, self._sparklines)
        counts = _kept(before, data, self._counts)
        in_place = before is not None and data is not None and len(before.schema) == len(data.schema)
        if not in_place:
            self.beginResetModel()
        self._data, self._counts, self._sparklines = data, counts, sparklines
        if not in_place:
            self.endResetModel()
        else:
            self._changed(AttributesColumn.USED, AttributesColumn.SHAPE)

    def set_summary(self, summary: Summary | None) -> None:
        """Show missing and distinct counts, if they belong to the data shown."""
        if summary is not None and self._data is not None and summary.schema == self._data.schema:
            self._counts = dict(enumerate(summary.attributes))
            self._changed(AttributesColumn.MISSING, AttributesColumn.DISTINCT)

    def add_sparklines(self, data: Dataset, sparklines: Mapping[int, Sparkline]) -> None:
        """Show sparklines counted from ``data``, for columns that have not changed."""
        if self._data is None or not sparklines:
            return
        current = _kept(data, self._data, sparklines)
        self._sparklines.update(current)
        for row in current:
            index = self.index(row, AttributesColumn.SHAPE)
            self.dataChanged.emit(index, index)

    def without_sparkline(self, first: int, last: int) -> list[int]:
        """Rows from ``first`` to ``last`` without a sparkline yet."""
        return [row for row in range(first, min(last + 1, self.rowCount())) if row not in self._sparklines]

    def _changed(self, first: AttributesColumn, last: AttributesColumn) -> None:
        if self.rowCount():
            self.dataChanged.emit(self.index(0, first), self.index(self.rowCount() - 1, last))

    # ---- what Qt asks ----------------------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """Attribute names in the order of the rows."""
        return () if self._data is None else self._data.schema.names

    def size(self) -> tuple[int, int]:
        return 0 if self._data is None else len(self._data.schema), len(AttributesColumn)

    def heading(self, column: int) -> str:
        return _TITLES[column]

    def heading_tip(self, column: int) -> str:
        return _SAID[column]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        asked = Role.ToolTipRole if role == Role.AccessibleTextRole else role
        return super().headerData(section, orientation, asked)

    def side(self, column: int) -> Qt.AlignmentFlag:
        """Right for numbers, left for words."""
        return MIDDLE_RIGHT if column in (AttributesColumn.MISSING, AttributesColumn.DISTINCT) else MIDDLE_LEFT

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if index.column() == AttributesColumn.USED and self.is_choice(index.row()):
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        if index.column() == AttributesColumn.NAME:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def value(self, row: int, column: int, role: int) -> Any:
        assert self._data is not None
        attribute = self._data.schema.attributes[row]
        if role == Role.EditRole:
            return attribute.name if column == AttributesColumn.NAME else None
        if role == Role.CheckStateRole and column == AttributesColumn.USED and not self.is_class(row):
            return Qt.CheckState.Checked if self.is_in_use(row) else Qt.CheckState.Unchecked
        return self._said(row, AttributesColumn(column), attribute) if role == Role.AccessibleTextRole else None

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        if self._data is None or not index.isValid():
            return False
        if role == Role.CheckStateRole and index.column() == AttributesColumn.USED:
            self.use_asked.emit(index.row(), Qt.CheckState(value) == Qt.CheckState.Checked)
            return True
        if role == Role.EditRole and index.column() == AttributesColumn.NAME:
            self.rename_asked.emit(index.row(), str(value))
            return True
        return False

    # ---- words -----------------------------------------------------------------------------------------------------

    def text(self, row: int, column: int) -> str:
        """Text of a cell; may be empty."""
        if self._data is None:
            return ""
        return self._text(row, AttributesColumn(column), self._data.schema.attributes[row]) or ""

    def tip(self, row: int, column: int) -> str | None:
        assert self._data is not None
        return self._explained(row, AttributesColumn(column), self._data.schema.attributes[row])

    def sparkline(self, row: int) -> Sparkline | None:
        """Small histogram of a row; None until it is computed."""
        return self._sparklines.get(row)

    def is_in_use(self, row: int) -> bool:
        """Whether learning uses the attribute; the class counts as used."""
        if self._data is None:
            return False
        attribute = self._data.schema.attributes[row]
        return self.is_class(row) or (attribute.used and attribute.kind.is_learnable)

    def is_class(self, row: int) -> bool:
        return self._data is not None and row == self._data.schema.class_index

    def is_choice(self, row: int) -> bool:
        """Whether the user decides on its use: not for the class or kinds that cannot be learned from."""
        return self._data is not None and not self.is_class(row) and self._data.schema.attributes[row].kind.is_learnable

    def _text(self, row: int, part: AttributesColumn, attribute: Attribute) -> str | None:
        if part is AttributesColumn.NAME:
            return attribute.name
        if part is AttributesColumn.KIND:
            return attribute.kind.value
        if part not in (AttributesColumn.MISSING, AttributesColumn.DISTINCT):
            return None
        counted = self._counts.get(row)
        if counted is None or self._data is None:
            return "…"
        if part is AttributesColumn.MISSING:
            return missing_share(counted.n_missing, len(self._data))
        return f"{counted.n_distinct:,}"

    def _explained(self, row: int, part: AttributesColumn, attribute: Attribute) -> str | None:
        if part is AttributesColumn.NAME:
            return attribute.name
        if part is AttributesColumn.USED:
            if self.is_class(row):
                return "This is the class: what is predicted."
            if not attribute.kind.is_learnable:
                return f"Left out of learning, because {_an(attribute.kind.value)} cannot be learned from."
            return "Learned from. Clear it to leave the attribute out." if attribute.used else "Left out of learning."
        if part is AttributesColumn.KIND:
            return "Click, or press Enter, to change the kind."
        if part is AttributesColumn.MISSING and self._data is not None and row in self._counts:
            return f"{self._counts[row].n_missing:,} of {len(self._data):,} records have no value."
        return None

    def _said(self, row: int, part: AttributesColumn, attribute: Attribute) -> str:
        if part is AttributesColumn.USED:
            if self.is_class(row):
                return "class"
            return "used" if attribute.used and attribute.kind.is_learnable else "left out"
        if part is AttributesColumn.SHAPE:
            return ""
        text = self._text(row, part, attribute) or ""
        return f"{_SAID[part]} {text}" if part in (AttributesColumn.MISSING, AttributesColumn.DISTINCT) else text


def _an(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def _kept(before: Dataset | None, after: Dataset | None, values: Mapping[int, T]) -> dict[int, T]:
    """Values of unchanged columns by position in ``after``; ``values`` have them by position in ``before``."""
    if before is None or after is None or not values:
        return {}
    if before is after:
        return dict(values)
    aligned = len(before.schema) == len(after.schema)
    kept = {}
    for old, value in values.items():
        name = before.schema.attributes[old].name
        new = old if aligned else after.schema.index_of(name) if name in after.schema else None
        if new is not None and after.same_column(new, before, old):
            kept[new] = value
    return kept
