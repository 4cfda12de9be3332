"""Table model of the records and of the current run's tested answers; only cells in sight are formatted."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QObject, Qt, Signal
from PySide6.QtGui import QAction

from algorithms.core.run_control import RunContext
from algorithms.data.columns import IntArray
from algorithms.data.convert_kind import briefly, cell_texts
from algorithms.data.dataset import Dataset
from algorithms.data.schema import AttributeKind
from algorithms.evaluation.tested_records import JUDGEMENTS, Answer
from algorithms.text.numbers import OWN_DIGITS, with_minus
from workbench.jobs.jobs import LatestTask
from workbench.session.decision_rules import DecisionQuery
from workbench.session.session import Session
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT
from workbench.widgets.tables import ROOT, Index, Role

if TYPE_CHECKING:
    from algorithms.evaluation.tested_records import TestPredictions


AT_ONCE: Final = 60_000
"""Up to this number of probabilities the answers are computed at once (a few milliseconds), else in a job."""


JUDGED_BY: Final = {
    False: "It was predicted by a model that was not trained on this record. Explain, in Visualize, uses the final "
    "model, which was trained on it: the two may differ.",
    True: "The model was trained on this record.",
}


@dataclass(frozen=True, eq=False)
class RunAnswers:
    """Tested predictions of a run with their headings; ``decided`` names a rule other than the default."""

    number: int
    name: str
    answers: TestPredictions
    decided: str = ""
    judge: str = ""
    """Sentence on the model that made the predictions."""

    def head(self, column: int) -> str:
        if self.decided:
            return (f"run {self.number} predicts now", "probability (%)", "correct now")[column]
        return (f"run {self.number} predicted", "probability (%)", "correct")[column]

    def words(self, column: int) -> tuple[str, ...]:
        """All texts that may occur in one of the three columns; numbers are represented by one."""
        return self.answers.words(Answer(column))

    def tip(self, column: int) -> str:
        how = f", {self.decided}" if self.decided else ""
        return (
            f"Prediction of run {self.number}, {self.name}, when this record was tested{how}.",
            f"Predicted probability of that class in percent. {self.judge}".rstrip(),
            "Whether the prediction is the actual class; if not, the actual class.",
        )[column]


class RecordsAnswers(QObject):
    """Answers of the current run, computed while the switch is on; in a job if there are many."""

    changed = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._question: DecisionQuery | None = None
        self._task = LatestTask(session.jobs)
        self.shown: RunAnswers | None = None
        self.switch = QAction("Predictions", self)
        self.switch.setObjectName("preprocess.records.answers")
        self.switch.setCheckable(True)
        self.switch.toggled.connect(self.refresh)
        for signal in (
            session.current_run_changed,
            session.decisions.changed,
            session.class_of_interest_changed,
            session.costs_changed,
        ):
            signal.connect(self._later)
        self.refresh()

    def switch_on(self) -> None:
        """Show the answers, if the current run has any for this table."""
        if self._session.decisions.question() is not None:
            self.switch.setChecked(True)
            self.refresh()

    @property
    def is_of_another_table(self) -> bool:
        """Whether the data changed since the start of the run shown."""
        asked = None if self.shown is None else self._question
        return asked is not None and asked.run.data is not self._session.data

    def _later(self) -> None:
        self._session.turns.later(self.refresh)

    def refresh(self) -> None:
        """Follow the current run and its decision rule."""
        asked = self._session.decisions.question()
        self.switch.setVisible(asked is not None)
        if asked is not None:
            number = asked.run.number
            self.switch.setText(f"Show predictions of run {number}")
            self.switch.setToolTip(f"Show what run {number}, {asked.run.learner.name}, predicted for each record")
        if asked is None or not self.switch.isChecked():
            self._task.stop()
            self._question = None
            self._show(None)
        elif not asked.asks_as(self._question):
            self._find(asked)

    def _find(self, asked: DecisionQuery) -> None:
        self._question = asked

        def work(context: RunContext) -> RunAnswers:
            decided = "" if asked.choice is None else "under the decision rule set in Evaluate"
            judge, run = JUDGED_BY[asked.result.test_is_training], asked.run
            return RunAnswers(run.number, run.learner.name, asked.answered(context.checkpoint), decided, judge)

        is_small, says = asked.result.probabilities.size <= AT_ONCE, "Reading the predictions"
        self._task.run(f"Predictions of run {asked.run.number}", work, on_done=self._show, at_once=is_small, says=says)

    def _show(self, answers: RunAnswers | None) -> None:
        if answers is not self.shown:
            self.shown = answers
            self.changed.emit()


MISSING_MARK: Final = "·"
_BLOCK: Final = 32
_MOST_BLOCKS: Final = 16_384
_LONGEST: Final = 400
MEASURED: Final = 200
"""Records from whose numbers the decimals of a column are taken."""
LONGEST: Final = 8
"""Number of texts of a column whose width is measured, of those that are spread over the records."""
MOST_LOST: Final = 0.05
"""Share of the numbers of a column that may be too small for its decimals, or have more digits than are shown."""
LARGEST: Final = 1e15
"""Numbers from here on have an exponent."""


def decimals_alike(texts: Iterable[str | None]) -> tuple[int, bool]:
    """Decimals of the numbers in a column, and whether they are rounded to them.

    They are as many as half of the numbers with decimals have: a number with more keeps its own, and hardly one gets
    zeros that were not measured. Of numbers with more digits than are shown they are as many as the largest shows.
    Where several of these would be rounded to fewer than 3 digits, each has its own (0 decimals, not rounded).
    """
    known = [text for text in texts if text]
    plain = [text for text in known if text.lstrip("-").replace(".", "", 1).isdecimal()]
    own, n_shortened, allowed = list[int](), 0, MOST_LOST * len(plain)
    for text in plain:
        short = briefly(text)
        n_shortened += short != text
        if n_shortened > allowed:
            break
        if "." in text:
            own.append(len(short.partition(".")[2]))
    else:
        return (sorted(own)[len(own) // 2] if own else 0), False
    decimals = max(2, OWN_DIGITS - max(len(text.lstrip("-").partition(".")[0]) for text in plain))
    numbers, least = [float(text) for text in known], 10.0 ** (2 - decimals)
    n_lost = sum(abs(number) < least and round(number, decimals) != number for number in numbers)
    return (0, False) if n_lost > MOST_LOST * len(known) else (decimals, True)


def with_decimals(text: str, decimals: int, is_rounded: bool) -> str:
    """The text of a number with so many decimals, "3.0" for "3"; one that would be written as 0 keeps its own."""
    if is_rounded and 10.0**-decimals <= abs(float(text)) < LARGEST:
        return f"{float(text):.{decimals}f}"
    whole, _, fraction = briefly(text).partition(".")
    is_plain = whole.lstrip("-").isdecimal() and "e" not in fraction
    return f"{whole}.{fraction.ljust(decimals, '0')}" if decimals and is_plain else briefly(text)


def _is_as_before(column: int, data: Dataset | None, before: Dataset | None, any_rows: bool = False) -> bool:
    """Whether the texts of a column are the same in both tables; ``any_rows`` passes over which records have been left
    out."""
    if data is None or before is None or column >= min(len(data.schema), len(before.schema)):
        return False
    is_same = data.schema.attributes[column] == before.schema.attributes[column]
    return is_same and data.same_column(column, before, column, any_rows)


@dataclass(frozen=True)
class _Block:
    """The texts of some records of a column: whole, and as on the screen of those asked for."""

    whole: list[str | None]
    shown: dict[int, str | None]


class RecordsModel(QAbstractTableModel):
    """Formats cells in blocks of 32 records of a column, cached; edits are emitted to the session."""

    typed = Signal(int, int, str, bool)
    """Record, column, text, and whether a new nominal value is allowed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data: Dataset | None = None
        self.order: IntArray | None = None
        """Records in the order of the rows; None for all in their own order."""
        self._places: IntArray | None = None
        self._ids: IntArray = np.empty(0, dtype=np.int64)
        self._sorted: tuple[int, bool] | None = None
        self.answers: RunAnswers | None = None
        self._blocks: OrderedDict[tuple[int, int], _Block] = OrderedDict()
        self._samples: dict[int, list[str | None]] = {}
        self._decimals: dict[int, tuple[int, bool]] = {}
        self._longest: dict[int, list[str]] = {}
        """Decimals of the numbers of a column, and whether they are rounded to them."""

    def set_dataset(self, data: Dataset | None, order: IntArray | None = None, *, anew: bool = False) -> None:
        """Show a data set in this order of records (None: all records in their own order).

        Data of the same shape is updated in place, and appended records are inserted, so that scrolling and selection
        stay. ``anew`` resets the model in any case.
        """
        before, rows = self._data, self.rowCount()
        n_columns = 0 if data is None else len(data.schema) + self.n_answers
        n_rows = 0 if data is None else len(data) if order is None else len(order)
        same_columns = before is not None and data is not None and len(before.schema) == len(data.schema)
        same_table = before is not None and data is not None and before.origin == data.origin
        if anew or not same_columns or n_rows < rows or (n_rows > rows and not (rows and same_table)):
            self.beginResetModel()
            self._show(data, order)
            self.endResetModel()
            return
        if n_rows > rows:
            self.beginInsertRows(ROOT, rows, n_rows - 1)
        self._show(data, order)
        if n_rows > rows:
            self.endInsertRows()
        if rows and n_columns:
            self.dataChanged.emit(self.index(0, 0), self.index(rows - 1, n_columns - 1))
            if before is None or data is None or before.schema != data.schema:
                self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, n_columns - 1)

    def _show(self, data: Dataset | None, order: IntArray | None) -> None:
        before, order_before = self._data, self.order
        self._data, self.order, self._places = data, order, None
        self._ids = np.empty(0, dtype=np.int64) if data is None else data.row_ids
        as_before = {column for column, _block in self._blocks if _is_as_before(column, data, before)}
        for column in [column for column in self._samples if not _is_as_before(column, data, before, any_rows=True)]:
            del self._samples[column]
            self._decimals.pop(column, None)
            self._longest.pop(column, None)
        if order is not order_before:
            as_before.clear()  # other records are in the blocks
        for key in [key for key in self._blocks if key[0] not in as_before]:
            del self._blocks[key]

    def show_answers(self, answers: RunAnswers | None) -> None:
        """Show the answers of a run after the attributes; None removes them."""
        n, had = self.n_attributes, self.n_answers
        self._blocks.clear()
        if answers is not None and not had and self._data is not None:
            self.beginInsertColumns(ROOT, n, n + len(Answer) - 1)
            self.answers = answers
            self.endInsertColumns()
        elif answers is None and had and self._data is not None:
            self.beginRemoveColumns(ROOT, n, n + had - 1)
            self.answers = None
            self.endRemoveColumns()
        else:
            self.answers = answers
            if had and self.rowCount():
                self.dataChanged.emit(self.index(0, n), self.index(self.rowCount() - 1, n + had - 1))
                self.headerDataChanged.emit(Qt.Orientation.Horizontal, n, n + had - 1)

    @property
    def dataset(self) -> Dataset | None:
        return self._data

    @property
    def n_attributes(self) -> int:
        """Number of attribute columns; the answers follow them."""
        return 0 if self._data is None else len(self._data.schema)

    @property
    def n_answers(self) -> int:
        return 0 if self.answers is None else len(Answer)

    def answer_at(self, column: int) -> Answer | None:
        """Answer shown in a column; None for an attribute."""
        return Answer(column - self.n_attributes) if column >= self.n_attributes else None

    def records(self, rows: IntArray) -> IntArray:
        return rows if self.order is None else self.order[rows]

    def record(self, row: int) -> int:
        return row if self.order is None else int(self.order[row])

    def row_of(self, record: int) -> int:
        """Row of a record; -1 if it is not shown."""
        return int(self.rows_of(np.array([record]))[0])

    def rows_of(self, records: IntArray) -> IntArray:
        """Rows of records; -1 for records not shown."""
        if self.order is None or self._data is None:
            return records
        if self._places is None:
            self._places = np.full(len(self._data), -1, dtype=np.int64)
            self._places[self.order] = np.arange(len(self.order))
        return self._places[records]

    def set_sorted(self, by: tuple[int, bool] | None) -> None:
        """Show the sort arrow at a column (column, descending); None removes it."""
        if by != self._sorted:
            self._sorted = by
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, max(0, self.columnCount() - 1))

    def rowCount(self, parent: Index = ROOT) -> int:
        if self._data is None or parent.isValid():
            return 0
        return min(len(self._data) if self.order is None else len(self.order), 2**31 - 1)

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else self.n_attributes + (self.n_answers if self._data is not None else 0)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if self._data is None or not index.isValid():
            return None
        row, column = index.row(), index.column()
        if role == Role.DisplayRole:
            return self.text(row, column) or MISSING_MARK
        if role == Role.TextAlignmentRole:
            return self.alignment(column)
        if role == Role.EditRole:
            return self.whole_text(row, column) or ""
        if role in (Role.ToolTipRole, Role.AccessibleTextRole):
            return self._said(row, column)
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() < self.n_attributes else flags

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        """Emit the edit; ``value`` is a text, or a text and whether a new nominal value is allowed."""
        if role != Role.EditRole or self._data is None or not index.isValid():
            return False
        text, may_add = value if isinstance(value, tuple) else (str(value), False)
        if text != (self.whole_text(index.row(), index.column()) or ""):
            self.typed.emit(self.record(index.row()), index.column(), text, may_add)
        return True

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if self._data is None:
            return None
        if orientation == Qt.Orientation.Vertical:
            return f"{int(self._ids[self.record(section)]) + 1}" if role == Role.DisplayRole else None
        if role == Role.DisplayRole:
            return f"{self._arrow(section)} {self.heading(section)}".lstrip()
        if role in (Role.ToolTipRole, Role.AccessibleTextRole):
            return f"{self._meaning(section)} {self._sorting(section)}"
        return self.alignment(section) if role == Role.TextAlignmentRole else None

    def _meaning(self, column: int) -> str:
        """What a column shows, for its tooltip."""
        assert self._data is not None
        if column >= self.n_attributes:
            return "" if self.answers is None else self.answers.tip(column - self.n_attributes)
        attribute, is_class = self._data.schema.attributes[column], column == self._data.schema.class_index
        return f"{attribute.name} ({'the class, ' if is_class else ''}{attribute.kind.value})."

    def heading(self, column: int) -> str:
        if self._data is None:
            return ""
        if column < self.n_attributes:
            return self._data.schema.attributes[column].name
        return "" if self.answers is None else self.answers.head(column - self.n_attributes)

    def _arrow(self, section: int) -> str:
        if self._sorted is None or self._sorted[0] != section:
            return ""
        return "▼" if self._sorted[1] else "▲"

    def _sorting(self, section: int) -> str:
        return {
            "": "Click to show the smallest first.",
            "▲": "The smallest first. Click to show the largest first.",
            "▼": "The largest first. Click for the order of the table.",
        }[self._arrow(section)]

    def alignment(self, column: int) -> Qt.AlignmentFlag:
        """Right for numbers, left for words."""
        if self._data is None or column >= self.n_attributes:
            return MIDDLE_RIGHT if self.answer_at(column) is Answer.SURE else MIDDLE_LEFT
        return MIDDLE_RIGHT if self._data.schema.attributes[column].kind.is_float else MIDDLE_LEFT

    def is_wrong(self, row: int, column: int) -> bool:
        """Whether the cell reports a wrong prediction."""
        return self.answer_at(column) is Answer.JUDGED and (self.text(row, column) or "").startswith(JUDGEMENTS[1])

    def labels(self, column: int) -> tuple[str, ...]:
        """Nominal values of a column, or classes predicted in it; empty without labels."""
        data = self._data
        index = None if data is None else data.schema.class_index
        index = index if self.answer_at(column) is Answer.SAID else column
        if data is None or index is None or index >= len(data.schema):
            return ()
        attribute = data.schema.attributes[index]
        return attribute.values if attribute.kind.is_coded else ()

    def class_codes(self, column: int, rows: Sequence[int]) -> list[int] | None:
        """Actual or predicted class codes of these rows, -1 for none; None if the column shows no class."""
        data = self._data
        index = None if data is None else data.schema.class_index
        if data is None or index is None or not data.schema.attributes[index].kind.is_coded:
            return None
        if column == index:
            codes: list[int] = data.cells(column, self.records(np.asarray(rows, dtype=np.int64))).tolist()
            return codes
        if self.answer_at(column) is not Answer.SAID:
            return None
        attribute, texts = data.schema.attributes[index], [self.whole_text(row, column) for row in rows]
        return [-1 if label is None else attribute.code_of(label) for label in texts]

    def text(self, row: int, column: int) -> str | None:
        """Text of a cell on the screen; None if missing. Long texts are cut, numbers shortened."""
        block, place = self._block(column, row // _BLOCK), row % _BLOCK
        if place not in block.shown:
            text = block.whole[place]
            block.shown[place] = None if text is None else self._shown(text, column)
        return block.shown[place]

    def _shown(self, text: str, column: int) -> str:
        if self._is_number(column):
            return with_minus(with_decimals(text, *self._decimals_of(column)))
        return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"

    def _decimals_of(self, column: int) -> tuple[int, bool]:
        if column not in self._decimals:
            self._decimals[column] = decimals_alike(self._sample(column))
        return self._decimals[column]

    def _sample(self, column: int) -> list[str | None]:
        """The whole texts of some records of an attribute, spread over all of them; kept while the column stays:
        no number is written otherwise when records are removed."""
        assert self._data is not None
        if column not in self._samples:
            some = np.linspace(0, len(self._data) - 1, min(len(self._data), MEASURED)).astype(np.int64)
            self._samples[column] = cell_texts(self._data.schema.attributes[column], self._data.cells(column, some))
        return self._samples[column]

    def longest(self, column: int) -> list[str]:
        """The longest texts of some records of an attribute, as on the screen; none of the answers."""
        if self._data is None or column >= self.n_attributes:
            return []
        if column not in self._longest:
            texts = {briefly(text) if self._is_number(column) else text for text in self._sample(column) if text}
            self._longest[column] = [self._shown(text, column) for text in sorted(texts, key=len)[-LONGEST:]]
        return self._longest[column]

    def measure(self, columns: Iterable[int]) -> None:
        """Look for the longest texts of these columns before their widths are asked for, as that takes a while."""
        for column in columns:
            self.longest(column)

    def _is_number(self, column: int) -> bool:
        if self._data is None or column >= self.n_attributes:
            return False
        return self._data.schema.attributes[column].kind is AttributeKind.NUMERIC

    def whole_text(self, row: int, column: int) -> str | None:
        """Full text of a cell; None if missing."""
        return self._block(column, row // _BLOCK).whole[row % _BLOCK]

    def _block(self, column: int, number: int) -> _Block:
        block = self._blocks.get((column, number))
        if block is None:
            block = self._blocks[column, number] = _Block(self._read(column, number), {})
            if len(self._blocks) > _MOST_BLOCKS:
                self._blocks.popitem(last=False)
        return block

    def _read(self, column: int, block: int) -> list[str | None]:
        assert self._data is not None
        rows = self.records(np.arange(block * _BLOCK, min((block + 1) * _BLOCK, self.rowCount())))
        which = self.answer_at(column)
        if which is None:
            return cell_texts(self._data.schema.attributes[column], self._data.cells(column, rows))
        return [None] * len(rows) if self.answers is None else self.answers.answers.texts(which, self._ids[rows])

    def _said(self, row: int, column: int) -> str:
        is_number = self._is_number(column)
        text = with_minus(self.whole_text(row, column) or "") or None if is_number else self.text(row, column)
        unknown = "not tested" if column >= self.n_attributes else "missing"
        return f"{self.heading(column)}: {unknown if text is None else text}"
