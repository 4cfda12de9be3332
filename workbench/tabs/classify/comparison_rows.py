"""Rows of the compared learners, best first with confidence intervals, and the learners to go on with."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from math import floor, log10
from textwrap import fill
from typing import Any, Final

from PySide6.QtCore import Qt

from algorithms.evaluation.compare.comparison import (
    WORSE_THAN_BASELINE,
    BaselineVerdict,
    column_title,
    difference_from_best,
    interval_title,
    signed_difference,
)
from algorithms.evaluation.compare.multi_comparison import (
    SIMULTANEOUS_MEANING,
    family_words,
    listed,
    listed_in_brief,
)
from algorithms.evaluation.compare.ranking import (
    MOST,
    By,
    Contender,
    Ranking,
    RankingPlace,
    brief_lead_sentence,
    figure_words,
    in_column,
    lead_sentence,
    test_of_difference,
)
from algorithms.evaluation.compare.significance_tests import (
    SIMULTANEOUS,
    LeadVerdict,
)
from algorithms.text.numbers import coefficient, p_text, p_words, percent, percent_range, seconds, tick_text
from algorithms.text.sentences import counted, name_in_list, within_sentence
from workbench.session.learner_comparison import SKIPPED, ComparisonEntry, Trial
from workbench.session.runs import Run, RunState, with_run
from workbench.tabs.classify.progress import state_words
from workbench.tabs.classify.run_summary import missed_sentence
from workbench.widgets.help_pages import meaning
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT
from workbench.widgets.tables import CellsModel, Role

ROW_ROLE: Final = Role.UserRole
SCALE_ROLE: Final = Role.UserRole + 1
RECOMMENDED: Final = {
    By.RIGHT: "Recommended: the simplest whose accuracy and AUC are not significantly lower than the best.",
    By.COST: "Recommended: the simplest whose cost is not significantly higher than the lowest.",
    By.AUC: "Recommended: the simplest whose AUC is close to the highest.",
}


TIP_LETTERS: Final = 90


class ComparisonColumn(IntEnum):
    LEARNER = 0
    FIGURE = 1
    INTERVAL = 2
    AXIS = 3
    OTHER = 4
    """AUC, or accuracy where AUC ranks."""
    TIME = 5
    BESIDE = 6


HEADERS: Final = {
    ComparisonColumn.LEARNER: ("Learner", "The learners compared, the best first"),
    ComparisonColumn.AXIS: ("", "The value and its interval on one axis; the dashed line is the baseline"),
    ComparisonColumn.TIME: ("Time", "Seconds of testing and training"),
    ComparisonColumn.BESIDE: ("Compared", "Whether it differs significantly from the best, corrected for all pairs"),
}
IS_95: Final = "95% confidence interval: 95 of 100 such intervals contain the true value"
OF_FOLDS: Final = f"{IS_95}. With five folds or more it is that of the corrected resampled t test over the folds"
OF_RECORDS: Final = f"{IS_95}. It is Wilson's over the records, as in the list of runs, and the test is over the folds"
OF_BOTH: Final = f"{OF_FOLDS}, or that over the records where it is wider"
INTERVALS: Final = {By.RIGHT: OF_RECORDS, By.COST: OF_BOTH, By.AUC: OF_FOLDS}
"""What the intervals of the ranking measures are."""
PROVISIONAL: Final = (
    "Compared",
    "Provisional: a learner that is still to be tested may become the best. Pairs still to be tested count as p = 1, "
    "so an adjusted p can fall and a difference become significant while its folds stay the same",
)
"""The title of the verdicts while learners are still tested."""
RANKED_BY: Final = {
    By.RIGHT: "Share of records predicted correctly; the learners are ranked by it",
    By.COST: "Cost per record under the cost matrix of Evaluate, all deciding by least expected cost; ranks the "
    "learners. Runs shows the cost under the decision rule of each run, and this one as by cost",
    By.AUC: "Probability that a record of a class ranks above one of another (chance 0.5); ranks the learners. "
    "The mean AUC is the mean of the folds",
}
"""What the ranking measures are."""
OTHERS: Final = {By.AUC: ("Accuracy", meaning("accuracy"))}
AREA: Final = ("AUC", meaning("AUC"))
BESIDE: Final = {
    LeadVerdict.REAL: "significantly worse",
    LeadVerdict.CHANCE: "not significantly worse",
    LeadVerdict.NEGLIGIBLE: "practically equivalent",
}
"""Words for the other learners by their verdict."""

RANKS_WORSE: Final = "AUC significantly lower"
"""Words for a learner of equal accuracy that ranks the records worse."""


@dataclass(frozen=True, eq=False)
class ComparisonRow:
    """An entry (None for the baseline), its rank, and its ``distance`` from the best by measure ``by``."""

    entry: ComparisonEntry | None
    standing: RankingPlace | None
    distance: str
    explanation: str = ""
    is_recommended: bool = False
    by: By = By.RIGHT

    @property
    def beside(self) -> str:
        """Difference to the best in a few words."""
        return "recommended" if self.is_recommended else self.distance

    @property
    def interval(self) -> tuple[float, float] | None:
        return None if self.standing is None else self.standing.contender.interval(self.by)

    @property
    def figure(self) -> float:
        """The value of the ranking measure; 0 without a result."""
        return 0.0 if self.standing is None else self.standing.contender.figure(self.by)

    @property
    def beside_in_line(self) -> str:
        return self.beside.replace("\n", ", ")

    @property
    def figure_words(self) -> str:
        return "" if self.standing is None else in_column(self.figure, self.by)

    @property
    def interval_words(self) -> str:
        if self.by is By.AUC and self.standing is not None and self.standing.contender.burden == 0:
            return "exact"  # every constant has an AUC of 0.5
        return "" if self.interval is None else " to ".join(in_column(end, self.by) for end in self.interval)

    @property
    def ends_words(self) -> str:
        """The interval in a column: "91.8–95.7", as in the list of runs."""
        if self.by is By.RIGHT and self.interval is not None:
            return percent_range(*self.interval)
        return self.interval_words.replace("%", "").replace(" to ", "–")

    @property
    def baseline(self) -> float | None:
        return self.standing.contender.report.baseline_accuracy if self.standing and self.by is By.RIGHT else None

    @property
    def learner(self) -> str:
        if self.entry is None:
            return "" if self.standing is None else self.standing.contender.name
        return self.entry.name if self.standing is None else self.standing.contender.tested_name

    @property
    def run(self) -> Run | None:
        return None if self.entry is None else self.entry.run

    @property
    def numbered(self) -> str:
        """The learner with the number of its run, if it has one."""
        return self.learner if self.run is None else with_run(self.learner, self.run.number)

    @property
    def lines(self) -> tuple[str, str]:
        """The learner with the number of its run, as in Compare, and its options, which may be empty."""
        name, _comma, options = self.learner.partition(", ")
        return name if self.run is None else with_run(name, self.run.number), options

    def sentence(self) -> str:
        if self.standing is None:
            return f"{self.learner}: {self.beside_in_line}. {self.explanation}".strip()
        part = self.standing.contender.scores.result.parts_judged()
        only = f" Tested on {part} only: it was finished early." if part else ""
        figures = self._figures(self.standing.contender)
        return f"{self.learner}: {figures}.{only} {self.explanation}".strip()

    def _figures(self, contender: Contender) -> str:
        """The ranking measure with its interval, then the accuracy."""
        ranged = f"{self.figure_words} ({self.interval_words})"
        accuracy = f"accuracy {percent(contender.report_by(self.by).accuracy)}"
        if self.by is By.RIGHT:
            return f"accuracy {ranged}"
        if self.by is By.COST and contender.priced is not None:
            return f"a record costs {ranged}; {accuracy}"
        balanced = contender.balanced()
        of_each = "" if balanced is None else f", balanced accuracy {percent(balanced)}"
        return f"{within_sentence(contender.noun(By.AUC))} {ranged}; {accuracy}{of_each}"


def rows_of(trial: Trial) -> list[ComparisonRow]:
    """The ranked entries, best first, then those without a result."""
    ranking = trial.ranking
    ranked = [] if ranking is None else [_ranked_row(trial, standing) for standing in ranking.standings]
    placed = {id(row.entry) for row in ranked}
    return ranked + [_other_row(trial, entry) for entry in trial.entries if id(entry) not in placed]


def _ranked_row(trial: Trial, standing: RankingPlace) -> ComparisonRow:
    ranking, contender = trial.ranking, standing.contender
    assert ranking is not None
    entry = None if contender.is_baseline else trial.entry_of(contender)
    by, is_guess = ranking.by, standing.contender.burden == 0  # of a guess it is said that none is surely better
    is_recommended = standing is ranking.recommended and not trial.is_running and not is_guess
    so_far = " so far" if trial.is_running else ""
    words = [RECOMMENDED[by]] if is_recommended else []
    distance = ""
    if standing is ranking.best:
        words.insert(0, f"The best{so_far}.")
        distance = f"{MOST[by]}{so_far}"
    elif standing.behind is None:
        words = []
    else:
        provisional = "So far: " if trial.is_running else ""
        words.insert(0, f"{provisional}{lead_sentence(ranking.best.contender, standing, by)}")
        distance = f"{BESIDE[standing.verdict]}{so_far}"
        if standing in ranking.poorer:
            distance = f"{BESIDE[standing.verdict]}\n{RANKS_WORSE}{so_far}"
        if standing.verdict is not LeadVerdict.REAL and ranking.may_rank_worse(standing):
            area, top = within_sentence(contender.noun(By.AUC)), ranking.best_ranking.contender
            words.append(
                f"Not recommended: its {area}, {figure_words(contender, By.AUC)}, is lower than the "
                f"{figure_words(top, By.AUC)} of {top.name}: {ranking.area_leads[contender.key].chance_words()}."
            )
    if (above := standing.above_baseline) is not None and BaselineVerdict.of(above) is BaselineVerdict.WORSE:
        distance, words = f"{WORSE_THAN_BASELINE}{so_far}", [*words, f"It is {BaselineVerdict.of(above).value[2]}."]
    return ComparisonRow(entry, standing, distance, " ".join(words), is_recommended, by)


def _other_row(trial: Trial, entry: ComparisonEntry) -> ComparisonRow:
    run = entry.run
    if not entry.has_begun:
        return ComparisonRow(entry, None, "waiting" if trial.is_running else "not tested")
    if run.state is RunState.FAILED:
        return ComparisonRow(entry, None, "failed", run.message)
    if run.state is RunState.STOPPED and run.message:
        return ComparisonRow(entry, None, "skipped" if run.message == SKIPPED else "time limit", run.message)
    return ComparisonRow(entry, None, state_words(run))


class LearnerComparisonModel(CellsModel):
    def __init__(self) -> None:
        super().__init__()
        self.rows: list[ComparisonRow] = []
        self.scale = (0.0, 1.0)
        self.by = By.RIGHT
        self._title, self._kind, self._is_running = column_title([], By.RIGHT), interval_title([], By.RIGHT), False

    def show_trial(self, trial: Trial | None) -> None:
        rows = [] if trial is None else rows_of(trial)
        by = By.RIGHT if trial is None or trial.ranking is None else trial.ranking.by
        nouns = [row.standing.contender.noun(by) for row in rows if row.standing is not None]
        title = column_title(nouns, by)
        kind = interval_title([row.standing.contender for row in rows if row.standing is not None], by)
        is_running = trial is not None and trial.is_running
        if (title, kind, is_running) != (self._title, self._kind, self._is_running):
            self.by, self._title, self._kind, self._is_running = by, title, kind, is_running
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, ComparisonColumn.FIGURE, ComparisonColumn.BESIDE)
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
        return self._titles(column)[0]

    def heading_tip(self, column: int) -> str:
        return self._titles(column)[1]

    def _titles(self, column: int) -> tuple[str, str]:
        if column == ComparisonColumn.OTHER:
            return OTHERS.get(self.by, AREA)
        if column == ComparisonColumn.INTERVAL:
            return self._kind, INTERVALS[self.by]
        if column == ComparisonColumn.BESIDE and self._is_running:
            return PROVISIONAL
        return HEADERS.get(ComparisonColumn(column), (self._title, RANKED_BY[self.by]))

    def side(self, column: int) -> Qt.AlignmentFlag:
        return MIDDLE_LEFT if column in (ComparisonColumn.LEARNER, ComparisonColumn.BESIDE) else MIDDLE_RIGHT

    def text(self, row: int, column: int) -> str:
        shown = self.rows[row]
        report = None if shown.standing is None else shown.standing.contender.report
        other = "" if report is None else coefficient(report.auc)
        if report is not None and self.by is By.AUC:
            other = percent(report.accuracy)
        time = seconds(shown.run.seconds) if report is not None and shown.run is not None and shown.run.seconds else ""
        return (shown.learner, shown.figure_words, shown.ends_words, "", other, time, shown.beside_in_line)[column]

    def tip(self, row: int, column: int) -> str:
        run = self.rows[row].run
        which = f"Run {run.number}, " if run is not None and run.number else ""
        return fill(which + self.rows[row].sentence(), TIP_LETTERS)

    def ends_of_axis(self) -> tuple[str, str]:
        low, high = self.scale
        if self.by is By.RIGHT:
            return percent(low, 1), percent(high, 1)
        if self.by is By.AUC:
            return f"{low:.2f}", f"{high:.2f}"
        step = 10.0 ** floor(log10((high - low) / 10))
        return tick_text(low, step), tick_text(high, step)

    def value(self, row: int, column: int, role: int) -> Any:
        if role == Role.AccessibleTextRole and column == ComparisonColumn.LEARNER:
            return self.tip(row, column)
        return {ROW_ROLE: self.rows[row], SCALE_ROLE: self.scale}.get(role)

    def as_text(self, delimiter: str) -> str:
        """The whole table as delimited text, headings first."""
        columns = [column for column in ComparisonColumn if column is not ComparisonColumn.AXIS]
        lines = [[self.heading(column) for column in columns]]
        lines += [[self.text(row, column) for column in columns] for row in range(len(self.rows))]
        quote = '"{}"'.format if delimiter == "," else str
        return "\n".join(delimiter.join(quote(cell) for cell in line) for line in lines) + "\n"


def scale_of(rows: list[ComparisonRow]) -> tuple[float, float]:
    """Range of the bars: all intervals except those of constant predictions, which may lie far off."""
    shown = [row for row in rows if row.interval is not None]
    telling = [row for row in shown if row.standing is not None and row.standing.contender.burden > 0] or shown
    intervals = [row.interval for row in telling if row.interval is not None]
    if not intervals:
        return 0.0, 1.0
    low, high = min(i[0] for i in intervals), max(i[1] for i in intervals)
    if rows[0].by is By.COST:
        room = 0.06 * (high - low) or 1.0
        return low - room, high + room
    room = max(0.02, 0.06 * (high - low))
    return max(0.0, low - room), min(1.0, high + room)


def test_rows(ranking: Ranking) -> list[tuple[str, ...]]:
    """The tests of each place against the best and against the baseline, headings first; the verdict leads."""
    interval = next((place.lead.interval_name for place in ranking.standings if place.lead is not None), SIMULTANEOUS)
    rows: list[tuple[str, ...]] = [
        (
            *("Learner", "Verdict", f"Difference from the best\n({interval})", "Adjusted\np", "p"),
            *("Adjusted p\n(baseline)", "p\n(baseline)"),
        )
    ]
    for place in ranking.standings:
        of_best, above = place.lead, place.above_baseline
        beside = (MOST[ranking.by], "", "", "")
        if of_best is not None and (compared := difference_from_best(of_best, ranking.by)) is not None:
            difference = signed_difference(compared, ranking.by)
            beside = (of_best.verdict.value, difference, p_text(of_best.corrected), p_text(of_best.p_value))
        baseline = ("", "")
        if above is not None:
            baseline = f"{p_text(above.corrected)} {BaselineVerdict.of(above).mark}", p_text(above.p_value)
        rows.append((place.contender.name, *beside, *baseline))
    return rows if any(place.lead is not None for place in ranking.standings) else rows[:1]


def test_words(ranking: Ranking) -> str:
    """The tests, the learner that they compare with each other one, and what they are corrected for.

    It names the learners that are significantly worse only by the step-down correction: their intervals contain 0.
    """
    leads = [place.lead for place in ranking.learners if place.lead is not None]
    if not leads:
        return ""
    by = "accuracy" if ranking.by is By.RIGHT else ranking.by.value
    tests = {test_of_difference(lead.paired, ranking.by).name for lead in leads if lead.paired is not None}
    adjusted = ""
    if leads[0].n_pairs > 1 and not ranking.best.contender.is_baseline:
        apart = ", the baseline apart" if any(place.contender.is_baseline for place in ranking.standings) else ""
        adjusted = f", p adjusted for {family_words(leads[0])}{apart}"
    above = next((place.above_baseline for place in ranking.standings if place.above_baseline is not None), None)
    baseline = ""
    if above is not None:
        adjusted_for = f"p adjusted for {counted(above.n_pairs, 'learner')} ({above.correction_name}); "
        legend = ", ".join(verdict.legend for verdict in BaselineVerdict)
        baseline = f" Against the baseline: {adjusted_for if above.n_pairs > 1 else ''}{legend}."
    best, together = ranking.best.contender.name, f" {SIMULTANEOUS_MEANING}" if leads[0].n_pairs > 1 else ""
    steps = [
        f"{place.contender.name} ({p_words(place.lead.p_of_interval)} in a single step)"
        for place in ranking.standings
        if place.lead is not None and place.lead.is_by_steps
    ]
    by_steps = f" Here that is so for {listed_in_brief(steps)}." if steps else ""
    return (
        f"{', '.join(sorted(tests))}, by {by}: {best} against each other one{adjusted}.{baseline}{together}{by_steps}"
    )


TITLES: Final = {By.RIGHT: "Most accurate", By.COST: "Lowest cost", By.AUC: "Highest AUC"}
READABLE: Final = "Easiest to read that is not significantly worse"
AS_WELL: Final = ", and the easiest to read that is not significantly worse"
AS_EASY: Final = "; every learner that is easier to read is significantly worse"


@dataclass(frozen=True, eq=False)
class OfferedLearner:
    """A learner of the ranking to go on with: why it is offered, its figure, and its verdict beside the best."""

    title: str
    run: Run
    headline: str
    sentences: str


def offered(trial: Trial, interest: str) -> list[OfferedLearner]:
    """The best learner, and the simplest one that is not significantly worse, in case it is another."""
    ranking = trial.ranking
    if ranking is None or ranking.recommended is None:
        return []
    best, recommended, by = ranking.learners[0], ranking.recommended, ranking.by
    if recommended.contender.burden == 0:
        above = None if best.above_baseline is None else BaselineVerdict.of(best.above_baseline)
        is_worse = above is BaselineVerdict.WORSE
        words = f"{'Significantly worse' if is_worse else 'Not significantly better'} than the baseline."
        return [_offered(trial, TITLES[by], best, words, interest)]
    rivals = [place for place in ranking.learners[1:] if place.verdict is not LeadVerdict.REAL]
    others, worse = counted(ranking.n_comparisons, "other"), "less accurate" if by is By.RIGHT else "worse"
    level = f"{len(rivals) or 'None'} of {others} {'is' if len(rivals) == 1 else 'are'} not significantly {worse}."
    if len(rivals) == 1:
        of_rival = "" if rivals[0] is recommended else f" {lead_sentence(best.contender, rivals[0], by)}"
        level = f"{level[:-1]}: {rivals[0].contender.name}.{of_rival}"
    if not rivals:
        level = f"Significantly better than {'the other' if ranking.n_comparisons == 1 else f'all {others}'}."
    easy = recommended.contender.burden
    level_with = [rival.contender for rival in rivals if rival is not recommended]
    alike = [name_in_list(contender.name) for contender in level_with if contender.burden == easy]
    beside = f" Equally easy to read: {listed(alike)}." if alike else ""  # the better one by the measure is offered
    if recommended is best:
        is_any_easier = any(0 < place.contender.burden < easy for place in ranking.learners)  # the baseline aside
        also = AS_WELL if not alike else AS_EASY if is_any_easier else ""
        return [_offered(trial, TITLES[by] + also, best, level + beside, interest)]
    why = brief_lead_sentence(best.contender, recommended, by) + beside
    offers = [(TITLES[by], best, level), (READABLE, recommended, why)]
    return [_offered(trial, title, place, verdict, interest) for title, place, verdict in offers]


def _offered(trial: Trial, title: str, place: RankingPlace, verdict: str, interest: str) -> OfferedLearner:
    """A place as an offered learner; all its numbers are under the decision rule of the ranking."""
    assert trial.ranking is not None
    contender, by = place.contender, trial.ranking.by
    return OfferedLearner(
        title,
        trial.entry_of(contender).run,
        f"{contender.name}, {figure_words(contender, by)}{' by least expected cost' if by.is_cost else ''}",
        f"{missed_sentence(contender.report_by(by), interest)} {verdict}",
    )
