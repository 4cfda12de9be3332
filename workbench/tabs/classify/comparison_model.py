"""Table model of a learner comparison, ranked best first."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

from PySide6.QtCore import Qt

from algorithms.evaluation.compare.ranking import By, RankingPlace, figure_words, in_column, lead_sentence, written
from algorithms.text.numbers import in_100, price
from workbench.session.learner_comparison import SKIPPED, ComparisonEntry, Trial
from workbench.session.runs import Run, RunState
from workbench.tabs.classify.progress import state_words
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT
from workbench.widgets.tables import CellsModel, Role

ROW_ROLE: Final = Role.UserRole
SCALE_ROLE: Final = Role.UserRole + 1
RECOMMENDED: Final = {
    By.RIGHT: "Recommended: the simplest that may be right as often as the best, and does not surely rank the records "
    "worse.",
    By.COST: "Recommended: the simplest that may cost no more than the best.",
    By.AUC: "Recommended: the simplest that tells the classes apart about as well as the best.",
}


class ComparisonColumn(IntEnum):
    LEARNER = 0
    INTERVAL = 1
    FIGURE = 2
    BESIDE = 3


HEADERS: Final = {
    ComparisonColumn.LEARNER: ("Learner", "What was tried, the best first"),
    ComparisonColumn.INTERVAL: ("Range", "The range that holds the true figure in 95 of 100 such tests"),
    ComparisonColumn.FIGURE: ("Right", "How many times in 100 it was right; the learners are ranked by this"),
    ComparisonColumn.BESIDE: ("Compared", "Whether the lead of the best over it may be chance"),
}
FIGURES: Final = {
    By.RIGHT: HEADERS[ComparisonColumn.FIGURE],
    By.COST: (
        "Cost",
        "What a record costs with the costs set in Evaluate, decided by least expected cost; the learners are ranked "
        "by this",
    ),
    By.AUC: (
        "AUC",
        "How well it tells the classes apart: 0.5 is guessing, 1 is always; the learners are ranked by this",
    ),
}
"""Column titles of the ranking measures."""
BEST: Final = {By.RIGHT: "right most often", By.COST: "costs least", By.AUC: "highest AUC"}
"""Words for the first learner by each measure, because the run list ranks by accuracy."""

RANKS_WORSE: Final = "AUC surely lower"
"""Words for a learner of equal accuracy that ranks the records worse."""


@dataclass(frozen=True, eq=False)
class ComparisonRow:
    """An entry with its rank, None without a result; ``beside`` compares it with the best, ``by`` names the measure."""

    entry: ComparisonEntry
    standing: RankingPlace | None
    beside: str
    explanation: str
    is_recommended: bool = False
    by: By = By.RIGHT

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if self.standing is None else self.standing.contender.interval(self.by)

    @property
    def figure(self) -> float:
        """The value of the ranking measure; 0 without a result."""
        return 0.0 if self.standing is None else self.standing.contender.figure(self.by)

    def interval_words(self) -> str:
        if self.interval is None:
            return ""
        return f"{in_column(self.interval[0], self.by)} to {in_column(self.interval[1], self.by)}"

    def figure_words(self) -> str:
        return "" if self.standing is None else in_column(self.figure, self.by)

    def sentence(self) -> str:
        """The row in words."""
        if self.standing is None:
            return f"{self.entry.name}: {self.beside}. {self.explanation}".strip()
        part = judged_on(self.entry.run)
        only = f" Judged on {part} only: it was finished early." if part else ""
        return f"{self.standing.place}. {self.entry.name}: {self._figures()}.{only} {self.explanation}".strip()

    def _figures(self) -> str:
        """The ranking measure with its interval, then the accuracy."""
        if self.standing is None:
            return ""
        contender, ranged = self.standing.contender, f"{self.figure_words()} ({self.interval_words()})"
        right = f"right {in_100(contender.report.accuracy)} times in 100"
        if self.by is By.RIGHT:
            return f"right {self.figure_words()} times in 100 ({self.interval_words()})"
        if self.by is By.COST and contender.priced is not None:
            own = price(contender.priced.standing.as_decided.mean)
            return f"a record costs {ranged}, {own} as the model itself decides; {right}"
        balanced = contender.balanced()
        of_each = "" if balanced is None else f", of each class {in_100(balanced)} on average"
        return f"AUC {ranged}; {right}{of_each}"


def rows_of(trial: Trial) -> list[ComparisonRow]:
    """The ranked entries, best first, then those without a result."""
    ranking = trial.ranking
    ranked = [] if ranking is None else [_ranked_row(trial, standing) for standing in ranking.standings]
    placed = {id(row.entry) for row in ranked}
    return ranked + [_other_row(trial, entry) for entry in trial.entries if id(entry) not in placed]


def _ranked_row(trial: Trial, standing: RankingPlace) -> ComparisonRow:
    ranking, entry = trial.ranking, trial.entry_of(standing.contender)
    assert ranking is not None
    by, is_guess = ranking.by, standing.contender.burden == 0  # of a guess it is said that none is surely better
    is_recommended = standing is ranking.recommended and not trial.is_running and not is_guess
    words = [RECOMMENDED[by]] if is_recommended else []
    if standing is ranking.best:
        words.insert(0, "The best so far." if trial.is_running else "The best.")
        beside = "leads so far" if trial.is_running else BEST[by]
        return ComparisonRow(entry, standing, beside, " ".join(words), is_recommended, by)
    if standing.behind is None:
        return ComparisonRow(entry, standing, "", "", is_recommended, by)
    words.insert(0, lead_sentence(ranking.best.contender, standing, by))
    if standing not in ranking.poorer:
        return ComparisonRow(entry, standing, _distance(standing), " ".join(words), is_recommended, by)
    area, top = standing.contender.figure(By.AUC), ranking.best_ranking.contender
    words.append(
        f"Not recommended: its AUC, {written(area, By.AUC)}, is surely lower than the {figure_words(top, By.AUC)} of "
        f"{top.name}."
    )
    return ComparisonRow(entry, standing, RANKS_WORSE, " ".join(words), is_recommended, by)


def _distance(standing: RankingPlace) -> str:
    """Difference to the best in a few words."""
    if standing.is_negligible:
        return "as good"
    return "may be as good" if standing.may_be_chance else "behind"


def _other_row(trial: Trial, entry: ComparisonEntry) -> ComparisonRow:
    if not entry.has_begun:
        return ComparisonRow(entry, None, "waits its turn" if trial.is_running else "not judged", "")
    if entry.run.state is RunState.FAILED:
        return ComparisonRow(entry, None, "failed", entry.run.message)
    if entry.run.state is RunState.STOPPED and entry.run.message:
        return ComparisonRow(
            entry, None, "skipped" if entry.run.message == SKIPPED else "time limit", entry.run.message
        )
    return ComparisonRow(entry, None, state_words(entry.run), "")


class LearnerComparisonModel(CellsModel):
    """Table model of the rows of a comparison."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[ComparisonRow] = []
        self.scale = (0.0, 1.0)
        self.by = By.RIGHT

    def show_trial(self, trial: Trial | None) -> None:
        rows = [] if trial is None else rows_of(trial)
        by = By.RIGHT if trial is None or trial.ranking is None else trial.ranking.by
        if by is not self.by:
            self.by = by
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, ComparisonColumn.FIGURE, ComparisonColumn.FIGURE)
        self.scale = scale_of(rows)
        if len(rows) == len(self.rows):
            self.rows = rows
            self.changed()
        else:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()

    def size(self) -> tuple[int, int]:
        return len(self.rows), len(ComparisonColumn)

    def heading(self, column: int) -> str:
        return (FIGURES[self.by] if column == ComparisonColumn.FIGURE else HEADERS[ComparisonColumn(column)])[0]

    def heading_tip(self, column: int) -> str:
        return (FIGURES[self.by] if column == ComparisonColumn.FIGURE else HEADERS[ComparisonColumn(column)])[1]

    def side(self, column: int) -> Qt.AlignmentFlag:
        return alignment(column)

    def text(self, row: int, column: int) -> str:
        shown = self.rows[row]
        if column == ComparisonColumn.LEARNER:
            return unnumbered(shown)
        if column == ComparisonColumn.INTERVAL:
            return shown.interval_words()
        return shown.figure_words() if column == ComparisonColumn.FIGURE else beside(shown)

    def tip(self, row: int, column: int) -> str:
        return self.rows[row].sentence()

    def value(self, row: int, column: int, role: int) -> Any:
        if role == Role.AccessibleTextRole and column == ComparisonColumn.LEARNER:
            return self.tip(row, column)
        return {ROW_ROLE: self.rows[row], SCALE_ROLE: self.scale}.get(role)

    def as_text(self, delimiter: str) -> str:
        """The whole table as delimited text, headings first."""
        lines = [[self.heading(column) for column in ComparisonColumn]]
        lines += [[self.text(row, column) for column in ComparisonColumn] for row in range(len(self.rows))]
        quote = '"{}"'.format if delimiter == "," else str
        return "\n".join(delimiter.join(quote(cell) for cell in line) for line in lines) + "\n"


def name(row: ComparisonRow) -> str:
    """The learner with the number of its run, if it has one."""
    number = row.entry.run.number
    return f"{number} · {unnumbered(row)}" if number else unnumbered(row)


def unnumbered(row: ComparisonRow) -> str:
    """The learner, and the tested folds if not all are."""
    return ", ".join(filter(None, (row.entry.name, judged_on(row.entry.run))))


def judged_on(run: Run) -> str:
    """Number of tested folds of a run that ended early: "3 of 10 folds"; else empty."""
    if run.state is not RunState.PARTIAL or not run.folds or len(run.folds) == run.folds[0].n_folds:
        return ""
    return f"{len(run.folds)} of {run.folds[0].n_folds} {run.method.part_name}s"


def beside(row: ComparisonRow) -> str:
    """Difference to the best in a few words."""
    return "recommended" if row.is_recommended else row.beside


def scale_of(rows: list[ComparisonRow]) -> tuple[float, float]:
    """Range of the bars: all intervals except those of constant predictions, which may lie far off."""
    shown = [row for row in rows if row.interval is not None]
    telling = [row for row in shown if row.entry.burden > 0] or shown
    intervals = [row.interval for row in telling if row.interval is not None]
    if not intervals:
        return 0.0, 1.0
    low, high = min(i[0] for i in intervals), max(i[1] for i in intervals)
    if rows[0].by is By.COST:
        room = 0.06 * (high - low) or 1.0
        return low - room, high + room
    room = max(0.02, 0.06 * (high - low))
    return max(0.0, low - room), min(1.0, high + room)


def alignment(column: int) -> Qt.AlignmentFlag:
    """Alignment of a column; figures are right-aligned."""
    return MIDDLE_RIGHT if column == ComparisonColumn.FIGURE else MIDDLE_LEFT
