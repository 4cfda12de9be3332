"""Model of the list of attributes, and what is computed for it in jobs: small histograms and information gains."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum
from typing import Any, Final, TypeVar

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal

from algorithms.core.run_control import RunContext
from algorithms.data.column_statistics import histogram
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.summary import AttributeSummary, Summary
from algorithms.data.whole_file import MOST_DISTINCT, totals_of, whole_file
from algorithms.filters.select_attributes import SelectAttributes, score_words
from algorithms.text.numbers import coefficient
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.session import Session
from workbench.tabs.preprocess.attributes.statistics_text import missing_share
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
    GAIN = 6


GAIN_WORDS: Final = "Information gain"
BRIEF_GAIN: Final = "Gain"
_TITLES: Final = ("", "Name", "Type", "Missing", "Distinct", "", GAIN_WORDS)
_SAID: Final = ("Used", "Name", "Type", "Missing", "Distinct", "Distribution", GAIN_WORDS)
_FIGURES: Final = (AttributesColumn.MISSING, AttributesColumn.DISTINCT, AttributesColumn.GAIN)
_ABOUT_GAIN: Final = (
    "Reduction of the entropy of the class, in bits, as in Rank attributes; of numbers that of the best binary split, "
    "before the MDL correction of C4.5. Click to sort."
)
BEFORE_CORRECTION: Final = (
    "It is the gain of the best binary split. C4.5 subtracts the MDL correction from it, log₂(possible thresholds) / "
    "records, so that its trees show a lower gain."
)


class AttributesModel(CellsModel):
    """Emits edits and shows them once the session has made them."""

    use_asked = Signal(int, bool)
    rename_asked = Signal(int, str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data: Dataset | None = None
        self._counts: dict[int, AttributeSummary] = {}
        self._sparklines: dict[int, IntArray] = {}
        self._gains: dict[int, float] = {}
        self.is_narrow = False
        """Whether the heading of the gain is short."""

    @property
    def dataset(self) -> Dataset | None:
        return self._data

    def set_dataset(self, data: Dataset | None) -> None:
        """Show a data set; counts of unchanged columns stay, gains and sparklines also need the same class."""
        before = self._data
        has_class = _has_same_class(before, data)
        sparklines = _kept(before, data, self._sparklines) if has_class else {}
        gains = _kept(before, data, self._gains) if has_class else {}
        counts = _kept(before, data, self._counts)
        in_place = before is not None and data is not None and len(before.schema) == len(data.schema)
        if not in_place:
            self.beginResetModel()
        self._data, self._counts, self._sparklines, self._gains = data, counts, sparklines, gains
        if not in_place:
            self.endResetModel()
        else:
            self._changed(AttributesColumn.USED, AttributesColumn.GAIN)

    def set_summary(self, summary: Summary | None) -> None:
        """Show missing and distinct counts, if they belong to the data shown."""
        if summary is not None and self._data is not None and summary.schema == self._data.schema:
            self._counts = dict(enumerate(summary.attributes))
            self._changed(AttributesColumn.MISSING, AttributesColumn.DISTINCT)

    def add_sparklines(self, data: Dataset, sparklines: Mapping[int, IntArray]) -> None:
        """Show sparklines counted from ``data``, for columns that have not changed."""
        if self._data is None or not sparklines or not _has_same_class(data, self._data):
            return
        current = _kept(data, self._data, sparklines)
        self._sparklines.update(current)
        for row in current:
            index = self.index(row, AttributesColumn.SHAPE)
            self.dataChanged.emit(index, index)

    def without_sparkline(self, rows: Iterable[int]) -> list[int]:
        """Those of these rows that have no sparkline yet."""
        return [row for row in rows if row < self.rowCount() and row not in self._sparklines]

    @property
    def has_gains(self) -> bool:
        """Whether the attributes have a gain, as the class is nominal."""
        index = None if self._data is None else self._data.schema.class_index
        return index is not None and self.is_nominal_class(index)

    def add_gains(self, data: Dataset, gains: Mapping[int, float]) -> None:
        """Show gains computed from ``data``, for columns that have not changed."""
        if self._data is None or not _has_same_class(data, self._data):
            return
        self._gains.update(_kept(data, self._data, gains))
        self._changed(AttributesColumn.GAIN, AttributesColumn.GAIN)

    def without_gain(self) -> list[int]:
        """Rows without a gain yet, once the summary is there."""
        if self._data is None or not self.has_gains or not self._counts:
            return []
        return [row for row in range(self.rowCount()) if row not in self._gains and self.is_choice(row)]

    def gain(self, row: int) -> float | None:
        """Information gain of a row in bits; None until it is computed."""
        gain = self._gains.get(row)
        return None if gain is None or np.isnan(gain) else gain

    @property
    def highest_gain(self) -> float:
        return max((gain for gain in self._gains.values() if not np.isnan(gain)), default=0.0)

    def sort_key(self, row: int, column: int) -> Any:
        """Key of a row for ascending order; unknown figures are below all others."""
        if column == AttributesColumn.GAIN:
            gain = self.gain(row)
            return -1.0 if gain is None else gain
        if column in (AttributesColumn.MISSING, AttributesColumn.DISTINCT):
            counts = self._figures(row)
            is_missing = column == AttributesColumn.MISSING
            return -1 if counts is None else counts[0] if is_missing else counts[1]
        return self.text(row, column).casefold()

    def set_narrow(self, is_narrow: bool) -> None:
        if is_narrow is not self.is_narrow:
            self.is_narrow = is_narrow
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, AttributesColumn.GAIN, AttributesColumn.GAIN)

    def _changed(self, first: AttributesColumn, last: AttributesColumn) -> None:
        if self.rowCount():
            self.dataChanged.emit(self.index(0, first), self.index(self.rowCount() - 1, last))

    @property
    def names(self) -> tuple[str, ...]:
        return () if self._data is None else self._data.schema.names

    def size(self) -> tuple[int, int]:
        return 0 if self._data is None else len(self._data.schema), len(AttributesColumn)

    def heading(self, column: int) -> str:
        return BRIEF_GAIN if column == AttributesColumn.GAIN and self.is_narrow else _TITLES[column]

    def heading_tip(self, column: int) -> str:
        return f"{GAIN_WORDS}: {_ABOUT_GAIN}" if column == AttributesColumn.GAIN else _SAID[column]

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        asked = Role.ToolTipRole if role == Role.AccessibleTextRole else role
        return super().headerData(section, orientation, asked)

    def side(self, column: int) -> Qt.AlignmentFlag:
        """The alignment of a column: right for numbers, left for words."""
        return MIDDLE_RIGHT if column in _FIGURES[:2] else MIDDLE_LEFT

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if index.column() == AttributesColumn.USED and self.is_choice(index.row()):
            flags |= Qt.ItemFlag.ItemIsUserCheckable
        if index.column() == AttributesColumn.NAME:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def value(self, row: int, column: int, role: int) -> Any:
        if role == Role.EditRole:
            return self.text(row, column) if column == AttributesColumn.NAME else None
        if role == Role.CheckStateRole and column == AttributesColumn.USED and not self.is_class(row):
            return Qt.CheckState.Checked if self.is_in_use(row) else Qt.CheckState.Unchecked
        if role != Role.AccessibleTextRole:
            return None
        if column == AttributesColumn.USED:
            return "class" if self.is_class(row) else "used" if self.is_in_use(row) else "not used"
        is_figure = column in _FIGURES
        return f"{_SAID[column]} {self.text(row, column)}" if is_figure else self.text(row, column)

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

    def text(self, row: int, column: int) -> str:
        """Text of a cell; may be empty."""
        if self._data is None:
            return ""
        attribute, counts = self._data.schema.attributes[row], self._figures(row)
        if column == AttributesColumn.NAME:
            return attribute.name
        if column == AttributesColumn.KIND:
            return attribute.kind.value
        if column == AttributesColumn.GAIN:
            gain = self.gain(row)
            if gain is not None:
                return coefficient(gain)
            return "…" if self.is_choice(row) and row not in self._gains else ""
        if column not in (AttributesColumn.MISSING, AttributesColumn.DISTINCT):
            return ""
        if counts is None:
            return "…"
        is_missing = column == AttributesColumn.MISSING
        n_missing, n_distinct, n = counts
        more = "> " if n_distinct > MOST_DISTINCT and totals_of(self._data, row) is not None else ""
        shown = MOST_DISTINCT if more else n_distinct
        return missing_share(n_missing, n) if is_missing else f"{more}{shown:,}"

    def _figures(self, row: int) -> tuple[int, int, int] | None:
        """Missing and distinct values and records: of the whole file where they are known, else of the table."""
        counts = self._counts.get(row)
        if counts is None or self._data is None:
            return None
        whole, totals = whole_file(self._data), totals_of(self._data, row)
        if whole is None or totals is None:
            return counts.n_missing, counts.n_distinct, len(self._data)
        n_distinct = MOST_DISTINCT + 1 if totals.n_distinct is None else totals.n_distinct
        return totals.n_missing, n_distinct, whole.n_records

    def _of_file(self, row: int) -> str:
        """Which records a figure of a sample is about: " of the file", " of the sample"; empty for a whole table."""
        if self._data is None or whole_file(self._data) is None:
            return ""
        return " of the sample" if totals_of(self._data, row) is None else " of the file"

    def tip(self, row: int, column: int) -> str | None:
        assert self._data is not None
        attribute, part = self._data.schema.attributes[row], AttributesColumn(column)
        if part is AttributesColumn.NAME:
            return "\n".join(filter(None, (attribute.name, attribute.description)))
        if part is AttributesColumn.USED:
            if self.is_class(row):
                return "The class (target): the attribute to predict."
            if not attribute.kind.is_learnable:
                return f"Not used: no learner takes the type {attribute.kind.value}."
            return "Used by the learners. Clear it to exclude the attribute." if attribute.used else "Not used."
        if part is AttributesColumn.KIND:
            return "Click, or press Enter, to change the type."
        if part is AttributesColumn.MISSING and (counts := self._figures(row)) is not None:
            return f"{counts[0]:,} of {counts[2]:,} records{self._of_file(row)} have no value."
        if part is AttributesColumn.DISTINCT and self._of_file(row):
            return f"Distinct values among the records{self._of_file(row)}."
        if part is AttributesColumn.GAIN and (gain := self.gain(row)) is not None:
            words = f"{GAIN_WORDS} {score_words(gain)} bits."
            return words if attribute.kind.is_coded else f"{words} {BEFORE_CORRECTION}"
        return None

    def sparkline(self, row: int) -> IntArray | None:
        """Small histogram of a row; None until it is computed."""
        return self._sparklines.get(row)

    @property
    def n_classes(self) -> int:
        """Number of classes; 0 without a nominal class."""
        return len(self._data.schema.classes) if self._data is not None and self.has_gains else 0

    def is_in_use(self, row: int) -> bool:
        """Whether learning uses the attribute; the class counts as used."""
        if self._data is None:
            return False
        attribute = self._data.schema.attributes[row]
        return self.is_class(row) or (attribute.used and attribute.kind.is_learnable)

    def is_class(self, row: int) -> bool:
        return self._data is not None and row == self._data.schema.class_index

    def is_nominal_class(self, row: int) -> bool:
        return self._data is not None and self.is_class(row) and self._data.schema.attributes[row].kind.is_coded

    def is_choice(self, row: int) -> bool:
        """Whether the user decides on its use: not for the class or kinds that cannot be learned from."""
        return self._data is not None and not self.is_class(row) and self._data.schema.attributes[row].kind.is_learnable


def _has_same_class(before: Dataset | None, after: Dataset | None) -> bool:
    """Whether both have the same class column and weights, by which gains and coloured histograms are computed."""
    if before is None or after is None:
        return False
    old, new = before.schema.class_index, after.schema.class_index
    if old is None or new is None:
        return old is new
    names = before.schema.names[old], after.schema.names[new]
    return names[0] == names[1] and after.same_column(new, before, old) and before.weights is after.weights


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


BARS: Final = 14
FEW_CLASSES: Final = 5
"""Small histograms of more classes are grey."""
MOST_VALUES: Final = 40
BATCH: Final = 16
WAIT_MS: Final = 25

NOTHING: Final = np.empty((0, 1), dtype=np.int64)


def sparkline(data: Dataset, index: int, context: RunContext) -> IntArray:
    """Counts (b, k) of a small histogram by class; k is 1 for the class, many classes and none; empty for text."""
    attribute, classes = (
        data.schema.attributes[index],
        data.schema.classes if data.schema.class_index is not None else (),
    )
    if attribute.kind.is_string or (attribute.kind.is_coded and not attribute.values):
        return NOTHING
    by_class = index != data.schema.class_index and len(classes) <= FEW_CLASSES
    most = MOST_VALUES if attribute.kind.is_coded and len(attribute.values) <= MOST_VALUES else BARS
    bars = histogram(data, index, context.checkpoint, by_class=by_class, max_bars=most)
    return NOTHING if bars is None else bars.counts


def information_gain_of(data: Dataset, index: int, context: RunContext) -> float:
    """The information gain of one attribute in bits, as the ranking of attributes has it; NaN without records."""
    labelled = data.labelled()
    if not len(labelled):
        return float("nan")
    return float(SelectAttributes().scores(labelled, [index], context)[0])


class Batches(QObject):
    """Computes a value for each pending row, in jobs of one batch at a time."""

    def __init__(
        self,
        session: Session,
        model: AttributesModel,
        pending: Callable[[], list[int]],
        compute: Callable[[Dataset, int, RunContext], T],
        show: Callable[[Dataset, dict[int, T]], None],
        missing: T,
        title: str,
        says: str,
    ) -> None:
        """``missing`` is the value of rows that fail."""
        super().__init__(model)
        self._task = LatestTask(session.jobs)
        timer = self._timer = single_shot(self, WAIT_MS, self._next)

        def run(data: Dataset, rows: list[int]) -> None:
            def landed(values: dict[int, T]) -> None:
                show(data, values)
                timer.start()

            def failed(error: object) -> None:
                session.jobs.show_error(error, title)
                landed(dict.fromkeys(rows, missing))

            self._task.run(
                title,
                lambda context: {row: compute(data, row, context) for row in rows},
                landed,
                failed,
                on_stopped=timer.start,
                says=says,
            )

        self._model, self._pending, self._run = model, pending, run

    def start(self) -> None:
        """Compute what is pending, soon."""
        if not self._timer.isActive():
            self._timer.start()

    def _next(self) -> None:
        data, rows = self._model.dataset, self._pending()[:BATCH]
        if data is not None and rows and not self._task.is_running:
            self._run(data, rows)
