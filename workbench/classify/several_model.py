"""What was tried as rows of a table: the best first, with what is said of each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from algorithms.evaluation.ranking import Standing, lead
from workbench.classify.progress import state_words
from workbench.runs import RunState
from workbench.trials import Entry, Trial
from workbench.views.figures import in_100

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
ROW_ROLE: Final = Role.UserRole
SCALE_ROLE: Final = Role.UserRole + 1
RECOMMENDED: Final = (
    "Recommended: the simplest that may be right as often as the best, and does not surely rank the records worse."
)


class Column(IntEnum):
    LEARNER = 0
    INTERVAL = 1
    RIGHT = 2
    BESIDE = 3


HEADERS: Final = {
    Column.LEARNER: ("Learner", "What was tried, the best first"),
    Column.INTERVAL: ("Range", "The range that holds the true accuracy in 95 of 100 such tests"),
    Column.RIGHT: ("Right", "How many times in 100 it was right"),
    Column.BESIDE: ("Compared", "Whether the lead of the best over it may be chance"),
}


@dataclass(frozen=True, eq=False)
class Row:
    """An entry with its place; one that is not judged has none. ``beside`` says how it compares with the best."""

    entry: Entry
    standing: Standing | None
    beside: str
    explanation: str
    is_recommended: bool = False

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if self.standing is None else self.standing.contender.report.interval

    def interval_words(self) -> str:
        return "" if self.interval is None else f"{in_100(self.interval[0])} to {in_100(self.interval[1])}"

    def right_words(self) -> str:
        return "" if self.standing is None else in_100(self.standing.contender.report.accuracy)

    def sentence(self) -> str:
        """The row in words."""
        if self.standing is None:
            return f"{self.entry.name}: {self.beside}. {self.explanation}".strip()
        right = f"right {self.right_words()} times in 100 ({self.interval_words()})"
        options = self.entry.run.learner.summary()
        return f"{self.standing.place}. {self.entry.name} ({options}): {right}. {self.explanation}".strip()


def rows_of(trial: Trial) -> list[Row]:
    """The ranked entries, the best first, then those that are not judged."""
    ranking = trial.ranking
    ranked = [] if ranking is None else [_ranked_row(trial, standing) for standing in ranking.standings]
    placed = {id(row.entry) for row in ranked}
    return ranked + [_other_row(trial, entry) for entry in trial.entries if id(entry) not in placed]


def _ranked_row(trial: Trial, standing: Standing) -> Row:
    ranking, entry = trial.ranking, trial.entry_of(standing.contender)
    assert ranking is not None
    is_recommended = standing is ranking.recommended and not trial.is_running
    said = [RECOMMENDED] if is_recommended else []
    if standing is ranking.best:
        said.insert(0, "The best so far." if trial.is_running else "The best.")
        return Row(entry, standing, "best so far" if trial.is_running else "best", " ".join(said), is_recommended)
    if standing.behind is None:
        return Row(entry, standing, "", "", is_recommended)
    said.insert(0, f"Of 100 the best is right in {lead(standing.behind)}: {standing.chance_words()}.")
    return Row(entry, standing, _distance(standing), " ".join(said), is_recommended)


def _distance(standing: Standing) -> str:
    """How far it is behind the best, in a word or three."""
    if standing.is_negligible:
        return "as good"
    return "may be as good" if standing.may_be_chance else "behind"


def _other_row(trial: Trial, entry: Entry) -> Row:
    if not entry.has_begun:
        return Row(entry, None, "waits its turn" if trial.is_running else "not judged", "")
    if entry.run.state is RunState.FAILED:
        return Row(entry, None, "failed", entry.run.message)
    return Row(entry, None, state_words(entry.run), "")


class SeveralModel(QAbstractTableModel):
    """The rows of a trial."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Row] = []
        self.scale = (0.0, 1.0)

    def show_trial(self, trial: Trial | None) -> None:
        rows = [] if trial is None else rows_of(trial)
        self.scale = scale_of(rows)
        if len(rows) == len(self.rows):
            self.rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(Column) - 1))
        else:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(Column)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role in (Role.DisplayRole, Role.ToolTipRole):
            return HEADERS[Column(section)][role == Role.ToolTipRole]
        return alignment(section) if role == Role.TextAlignmentRole else None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == Role.DisplayRole:
            return self.text(row, Column(index.column()))
        if role == ROW_ROLE:
            return row
        if role == SCALE_ROLE:
            return self.scale
        if role == Role.ToolTipRole or (role == Role.AccessibleTextRole and index.column() == Column.LEARNER):
            return row.sentence()
        return alignment(index.column()) if role == Role.TextAlignmentRole else None

    def text(self, row: Row, column: Column) -> str:
        """What a cell says."""
        if column is Column.LEARNER:
            return row.entry.name
        if column is Column.INTERVAL:
            return row.interval_words()
        return row.right_words() if column is Column.RIGHT else beside(row)

    def as_text(self, delimiter: str) -> str:
        """The whole table, its headings first."""
        lines = [[HEADERS[column][0] for column in Column]]
        lines += [[self.text(row, column) for column in Column] for row in self.rows]
        quote = '"{}"'.format if delimiter == "," else str
        return "\n".join(delimiter.join(quote(cell) for cell in line) for line in lines) + "\n"


def name(row: Row) -> str:
    """The learner with the number of its run in the ledger, where it has one."""
    number = row.entry.run.number
    return f"{number} · {row.entry.name}" if number else row.entry.name


def beside(row: Row) -> str:
    """How it compares with the best, in a word or three."""
    return "recommended" if row.is_recommended else row.beside


def scale_of(rows: list[Row]) -> tuple[float, float]:
    """From where to where the bars reach: all intervals but those of constant answers, which may lie far below."""
    shown = [row for row in rows if row.interval is not None]
    telling = [row for row in shown if row.entry.burden > 0] or shown
    intervals = [row.interval for row in telling if row.interval is not None]
    if not intervals:
        return 0.0, 1.0
    low, high = min(i[0] for i in intervals), max(i[1] for i in intervals)
    room = max(0.02, 0.06 * (high - low))
    return max(0.0, low - room), min(1.0, high + room)


def alignment(column: int) -> Qt.AlignmentFlag:
    """Figures stand at the right."""
    side = Qt.AlignmentFlag.AlignRight if column == Column.RIGHT else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
