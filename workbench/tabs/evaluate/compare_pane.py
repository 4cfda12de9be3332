"""Comparison of runs: statistical tests in sentences, the diagram of ranks, tables of pairs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, cast

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QListWidgetItem, QTableWidgetItem, QWidget

from algorithms.core.errors import CoppiceError
from algorithms.core.run_control import RunContext
from algorithms.evaluation.compare.comparison import ComparedRun, Comparison, Pair, compared_runs
from algorithms.evaluation.compare.multi_comparison import MultiComparison, duel_rows, score_rows
from algorithms.evaluation.compare.significance_tests import FoldScores, SignificanceTest
from algorithms.evaluation.result import EvaluationResult
from algorithms.text.numbers import UNDEFINED, in_100, with_minus
from workbench.jobs.jobs import Jobs, LatestTask
from workbench.session.learner_comparison import FEWEST
from workbench.session.runs import Run, change_words
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, SPACE_3, themes
from workbench.tabs.evaluate.figure_table import ROW_HEIGHT, FigureTable
from workbench.tabs.evaluate.numbers import NOTHING, MetricFigure
from workbench.tabs.evaluate.runs_checklist import ChecklistRow, RunsChecklist
from workbench.viewers.charts.export import Export, ExportedDrawing, Table, rows_written
from workbench.viewers.charts.significance_charts import CriticalDifference
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import as_high_as_needed, label
from workbench.widgets.layouts import ClearWidget, column_layout, named, row_layout
from workbench.widgets.panes import Pane, UprightScrollArea
from workbench.widgets.popover import show_popover

FEW_RUNS: Final = 4
"""Up to so many runs are listed by their numbers; more are counted."""
HEADERS = (
    ("Test", "Every test that fits how the runs were judged; a click says what it reckons"),
    ("Value", "What the test reckons with, or the lead in 100 records; a click on it says what it is"),
    (
        "Luck in 100",
        "In how many of 100 cases a difference as large comes about by luck, where there is none (p-value)",
    ),
    (
        "Corrected",
        "The same made stricter, since of several comparisons one looks good by luck more easily (Holm 1979)",
    ),
)
PAIR_HEADERS = (
    ("Runs", "The one of the better average place first"),
    ("Won", "Folds in which the first was right more often"),
    ("Drawn", "Folds in which both were right as often"),
    ("Lost", "Folds in which the second was right more often"),
    ("Lead", "How much more often in 100 the first is right, on average"),
    (
        "Lead by luck",
        "How often in 100 such a lead comes about by luck alone (corrected resampled t), made stricter for the number "
        "of pairs (Holm)",
    ),
    (
        "Place by luck",
        "How often in 100 average places so far apart come about by luck alone; what counts here is only which was "
        "better in a fold, not by how much (Nemenyi)",
    ),
    ("Alike", "How probable it is that both are as good as each other: right as often, within 1 record in 100"),
)
PLAINLY: Final = {
    "Friedman": "Any difference at all? (Friedman)",
    "Iman-Davenport": "The same, less cautious (Iman-Davenport)",
}
"""Tests of all runs together, by their question."""
STATISTICS: Final = {
    "Corrected resampled t": (
        "t = mean lead / √((1/k + tested/training) · s²)",
        "How many times its own standard error the lead is, over k folds whose leads spread by s. Folds share training "
        "records, which the second part under the root allows for. 0 is no lead; beyond 2 or so it is hardly luck.",
    ),
    "Paired t": (
        "t = mean lead / √(s² / k)",
        "How many times its own standard error the lead is, over k folds whose leads spread by s.",
    ),
    "Wilcoxon signed rank": (
        "T = the smaller of: sum of ranks of the folds won, sum of ranks of the folds lost",
        "Folds are ranked by how large the lead in them is, whoever has it. 0 means: one run won every fold in which "
        "they differ. The nearer both sums, the more it may be luck.",
    ),
    "McNemar, exact": (
        "n = the smaller of: records that only the first gets right, records that only the second gets right",
        "What both get right, or both wrong, tells nothing of which is better. Where there is no difference the others "
        "fall on either side as a coin does: the smaller n is beside all of them, the less it is luck.",
    ),
    "McNemar, with correction": (
        "χ² = (|n₁ − n₂| − 1)² / (n₁ + n₂)",
        "n₁ records only the first gets right, n₂ only the second. 0 is no difference; beyond 3.84 it is hardly luck.",
    ),
    "Difference of two error rates": (
        "Z = (e₁ − e₂) / √(e₁(1 − e₁)/N₁ + e₂(1 − e₂)/N₂)",
        "How many times its own standard error the difference is of the shares that are wrong, e₁ of N₁ records and e₂ "
        "of N₂. Beyond 1.96 it is hardly luck.",
    ),
    "5x2cv t": ("t = first lead / √(mean variance of the five repeats)", "0 is no lead."),
    "5x2cv F": ("F = sum of the squared leads / (2 · sum of the variances of the repeats)", "Near 1 is no difference."),
    "Friedman": (
        "χ² = 12 n / (k (k + 1)) · (ΣR² − k (k + 1)² / 4)",
        "R is the average place of each of k runs over n folds. 0 means: all have the same average place.",
    ),
    "Iman-Davenport": (
        "F = (n − 1) χ² / (n (k − 1) − χ²)",
        "Friedman's χ² of k runs over n folds, reckoned less cautiously. Near 0 is no difference.",
    ),
}
"""Formula of each test, and the meaning of its value."""
Row = tuple[list[MetricFigure], str]
"""Figures of a row and its tooltip."""


def rows_of(comparison: Comparison) -> list[Row]:
    """Rows of the pairs if there are several, of all tests, of the Bayesian tests and of the ranks."""
    several = len(comparison.pairs) > 1
    rows = [_pair_row(pair) for pair in comparison.pairs] if several else []
    rows += [_test_row(test) for test in comparison.tests]
    if not several:
        rows += _belief_rows(comparison.pairs[0])
    contest = comparison.contest
    if several and contest is not None:
        rows += [_rank_row(contest.learners[index], float(contest.places[index])) for index in contest.order]
        tip = "Average ranks further apart than this differ by more than chance (Nemenyi; Demšar 2006)."
        rows.append(
            (
                [
                    MetricFigure("Ranks further apart differ by more than luck"),
                    _value(contest.critical),
                    NOTHING,
                    NOTHING,
                ],
                tip,
            )
        )
    return rows


def rows_to_save(comparison: Comparison) -> list[list[str]]:
    """All results as rows of text: sentences, accuracies by fold with ranks, pairs, tests."""
    lines = [[comparison.headline], *([sentence] for sentence in comparison.sentences), []]
    contest = comparison.contest
    if contest is not None:
        lines += [*score_rows(contest, "fold"), [], *duel_rows(contest), []]
    lines.append([title for title, _ in HEADERS])
    lines += [[figure.text for figure in figures] for figures, _ in rows_of(comparison)]
    return lines


def pair_rows(contest: MultiComparison) -> list[Row]:
    """Wins, draws and losses of every pair."""
    rows: list[Row] = []
    for duel in contest.duels:
        first, second = contest.learners[duel.first], contest.learners[duel.second]
        counts = [MetricFigure(str(count), count) for count in (duel.wins, duel.draws, duel.losses)]
        figures = [
            MetricFigure(f"{_briefly(first)} : {_briefly(second)}"),
            *counts,
            MetricFigure(with_minus(f"{100 * duel.difference:.1f}"), duel.difference),
            MetricFigure(chance(duel.corrected), duel.corrected),
            MetricFigure(chance(duel.nemenyi), duel.nemenyi),
            MetricFigure(f"{100 * duel.belief.same:.0f}%", duel.belief.same),
        ]
        tip = (
            f"{first} is right more often than {second} on {duel.wins} folds, as often on {duel.draws}, less often on "
            f"{duel.losses}. {duel.test.name}: {duel.test.source}."
        )
        rows.append((figures, tip))
    return rows


def _briefly(name: str) -> str:
    """The run number in a name: "C4.5 decision tree (run 5)" becomes "5"."""
    match = re.search(r"\(run (\d+)\)$", name)
    return name if match is None else match[1]


def _pair_row(pair: Pair) -> Row:
    lead = pair.first.accuracy - pair.second.accuracy
    tip = f"{pair.sentence()} By Bonferroni the chance is {chance(pair.bonferroni)} in 100."
    figures = [
        MetricFigure(f"Lead over {pair.second.name}"),
        MetricFigure(with_minus(f"{100 * lead:.1f}"), lead),
        MetricFigure(chance(pair.p_value), pair.p_value),
        MetricFigure(chance(pair.corrected), pair.corrected),
    ]
    return figures, tip


def _test_row(test: SignificanceTest) -> Row:
    formula, meaning = STATISTICS[test.name]
    tip = "\n".join(filter(None, (f"{test.name}: {formula}", meaning, _by_luck(test), test.caution, test.source)))
    p = MetricFigure(UNDEFINED) if test.p_value is None else MetricFigure(chance(test.p_value), test.p_value)
    return [MetricFigure(PLAINLY.get(test.name, test.name)), statistic_of(test), p, NOTHING], tip


def _by_luck(test: SignificanceTest) -> str:
    if test.p_value is None:
        return ""
    return f"By luck alone a difference as large comes about in {chance(test.p_value)} of 100 cases, if there is none."


def _belief_rows(pair: Pair) -> list[Row]:
    belief = pair.belief
    if belief is None:
        return []
    near = f"{100 * belief.rope:g} in 100"
    tip = (
        "How probable it is after these folds (Bayesian correlated t test, Corani and Benavoli 2015); the same means "
        f"a difference below {near}."
    )
    sentences = (
        (f"Probably {pair.first.name} is better", belief.first),
        (f"Probably the same, within {near}", belief.same),
        (f"Probably {pair.second.name} is better", belief.second),
    )
    return [([MetricFigure(name), MetricFigure(f"{100 * p:.1f}%", p), NOTHING, NOTHING], tip) for name, p in sentences]


def _rank_row(name: str, rank: float) -> Row:
    tip = f"{name}: its average place among these runs over the folds; 1 is best everywhere."
    return [MetricFigure(f"Average rank of {name}"), _value(rank), NOTHING, NOTHING], tip


def _value(number: float) -> MetricFigure:
    return MetricFigure(f"{number:.2f}", number)


def statistic_of(test: SignificanceTest) -> MetricFigure:
    """Value of a test statistic with three digits, whole if it is large: 7,671, not 7.67e+03."""
    statistic = test.statistic
    if statistic is None:
        return NOTHING
    words = f"{statistic:.3g}" if abs(statistic) < 999.5 else f"{statistic:,.0f}"
    return MetricFigure(f"{test.symbol} = {with_minus(words)}", statistic)


def chance(p: float) -> str:
    """A p-value in percent: "4.1", "< 0.1"."""
    return "< 0.1" if p < 0.001 else f"{100 * p:.1f}"


def judged_on_other_tables(runs: Sequence[Run]) -> list[str]:
    """A remark if some runs were tested before the table was changed; else empty."""
    latest = max(runs, key=lambda run: run.number)
    older = [run for run in runs if run.data is not latest.data]
    if not older:
        return []
    numbers = [str(run.number) for run in sorted(older, key=lambda run: run.number)]
    which = f"Run {numbers[0]} was" if len(older) == 1 else f"{len(older)} of these runs were"
    if 1 < len(older) <= FEW_RUNS:
        which = f"Runs {', '.join(numbers[:-1])} and {numbers[-1]} were"
    change = change_words(older[0].data, latest.data)
    return [f"{which} judged on the table as it was before ({change}), so a difference may come from that."]


LIST_WIDTH: Final = 220
BY_COSTS: Final = (
    "How often each model is right by its own decisions is compared here. The costs you set do not count; "
    "the page “What mistakes cost” ranks by them."
)
BY_THRESHOLD: Final = (
    "Compared are the models' own decisions, not the threshold or the expected cost that you have a run decide by. "
    "The page “What mistakes cost” ranks by costs."
)
ABOUT_LUCK: Final = "Whether one run has learned anything at all is another question:"


class ComparePane(Pane):
    """Compares the runs that are checked in its list or selected in the run list."""

    luck_asked = Signal()

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("Compare runs", parent=parent)
        self._session = session
        self._listed: list[Run] = []
        self.comparison = ComparisonView(session.jobs, self)
        self.runs = RunsChecklist("evaluate.compared.runs", "Runs to compare")
        self.runs.itemChanged.connect(self._tick)
        about = label(ABOUT_LUCK, "small", wrap=True)
        self._luck = quiet_button(
            "Is it luck?",
            "evaluate.compared.luck",
            "The shuffle test of the run in view: would it do as well on classes that mean nothing?",
            self.luck_asked.emit,
        )
        self._own = named(label("", "small", wrap=True), "evaluate.compared.own")
        self._side = ClearWidget(self)
        column_layout((self.runs, 1), self._own, about, self._luck, inside=self._side, spacing=SPACE_2)
        self.body.addLayout(row_layout((self.comparison, 1), self._side, spacing=SPACE_3), 1)
        session.place_changed.connect(self._follow)
        for signal in (session.runs_changed, session.costs_changed, session.decisions.changed):
            signal.connect(self._follow)
        themes.follow_now(self._measure)

    def refresh(self) -> None:
        """Shows the runs and their comparison."""
        self._listed = self._session.analyses.compared.judged
        compared = self._session.analyses.compared.runs()
        self.runs.show_entries([self._entry(run, run in compared) for run in self._listed])
        n = len(self._listed)
        every = "both" if n == FEWEST else f"all {n}"
        self.set_facts(every if len(compared) == n else f"{len(compared)} of {n}")
        self.comparison.compare(compared, self._session.analyses.compared.tried_with(compared))
        decides = any(self._session.decisions.in_force(run) is not None for run in compared)
        self._own.setVisible(decides or self._session.costs is not None)
        self._own.setText(BY_THRESHOLD if decides else BY_COSTS)

    def _follow(self) -> None:
        if self.isVisible():
            self.refresh()

    def _entry(self, run: Run, shown: bool) -> ChecklistRow:
        right = "" if run.report is None else f" · {in_100(run.report.accuracy)} in 100 right"
        parts = "" if run.result is None else run.result.parts_judged()
        few = f" · only {parts}" if parts else ""
        how = f"Run {run.number}: {run.learner.summary()}\n{run.method.described()}, seed {run.seed}"
        return ChecklistRow(run.learner.summary(), f"run {run.number}{right}{few}", None, how, shown)

    def _tick(self, item: QListWidgetItem) -> None:
        row = self.runs.row(item)
        self.runs.forget()
        ticked = set(self._session.analyses.compared.runs())
        (ticked.add if item.checkState().value else ticked.discard)(self._listed[row])
        self._session.analyses.compared.choose(ticked)

    def _measure(self) -> None:
        self._side.setFixedWidth(themes.px(LIST_WIDTH))


ROWS_IN_SIGHT, CORRECTED = 6, 3
PAIRS_IN_SIGHT: Final = 8
MOST_PAIRS: Final = 28
TALL: Final = 900
"""Height from which so many pairs are visible."""
FROM_SO_MANY_RUNS: Final = 3
"""Least number of runs for a table of ranks."""


class ExportedComparison(ExportedDrawing):
    """Exports the diagram, and all results as a table."""

    name, title = "comparison", "Runs compared"

    def __init__(self, diagram: CriticalDifference) -> None:
        self._diagram = diagram
        self.comparison: Comparison | None = None

    def size(self) -> QSize:
        return self._diagram.size() if self._diagram.contest is not None else QSize()

    def paint(self, painter: QPainter) -> None:
        self._diagram.paint(painter)

    def table(self) -> Table | None:
        return None if self.comparison is None else rows_written(rows_to_save(self.comparison))


class ComparisonView(QWidget):
    """Compares runs in a job; the latest request counts."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "evaluate.comparison", "The chosen runs compared")
        self._task = LatestTask(jobs)
        self._wanted: tuple[EvaluationResult, ...] = ()
        self._among: tuple[EvaluationResult, ...] = ()
        self._headline = named(label("", "verdict", wrap=True), "evaluate.comparison.headline")
        self._words = named(label("", wrap=True), "evaluate.comparison.words")
        for words in (self._headline, self._words):
            as_high_as_needed(words)
        self.diagram = CriticalDifference("evaluate.comparison.places")
        self.pairs = FigureTable(PAIR_HEADERS, "evaluate.comparison.pairs", "Folds won, drawn and lost by every pair")
        self.table = FigureTable(HEADERS, "evaluate.comparison.tests", "Every test of the difference")
        for table in (self.pairs, self.table):
            table.itemClicked.connect(self._explain)
            table.itemActivated.connect(self._explain)
        self.exported = ExportedComparison(self.diagram)
        self.export = Export(self.exported, jobs, self)
        self.save = self.export.button("evaluate.comparison.save")
        inside = ClearWidget()
        column = column_layout(
            row_layout((self._headline, 1), (self.save, 0, Qt.AlignmentFlag.AlignTop)),
            self._words,
            self.diagram,
            self.pairs,
            (self.table, 1),
            inside=inside,
            spacing=SPACE_2,
        )
        column.addStretch(0)  # where there is no table, the words stay together at the top
        column_layout(UprightScrollArea(inside), inside=self)
        themes.follow(self._measure)
        self._say("", "")

    def compare(self, runs: Sequence[Run], among: Sequence[Run] = ()) -> None:
        """Compares these tested runs; ``among`` are all that were tried with them."""
        names = [
            (f"{run.learner.name} (run {run.number})", run.result, run.report) for run in runs if run.result is not None
        ]
        wanted = tuple(result for _, result, _ in names)
        outside = [(run.result, run.report) for run in among if run.result is not None and run.result not in wanted]
        others = tuple(result for result, _ in outside)
        if (wanted, others) == (self._wanted, self._among) and wanted:
            return
        self._wanted, self._among = wanted, others
        self._task.stop()
        if len(wanted) < 2:
            self._say("Which runs?", "Tick two or more runs in the list at the right.")
            return
        self._say("Comparing…", "")

        def work(context: RunContext) -> Comparison | CoppiceError:
            judged = []
            for name, result, report in names:
                context.checkpoint()
                judged.append(ComparedRun(name, FoldScores.of(result), report))
            try:
                return compared_runs(
                    judged, [ComparedRun("", FoldScores.of(result), report) for result, report in outside]
                )
            except CoppiceError as error:  # these runs cannot be compared, which is said in the place of the words
                return error

        parts = [(name, result.parts_judged()) for name, result, _ in names]
        early = [f"{name} was finished early, judged by {judged}." for name, judged in parts if judged]
        early += ["What is compared are the records that all were tested on."] if early else []
        first = [*early, *judged_on_other_tables(runs)]
        self._task.run("", work, on_done=lambda comparison: self._show(comparison, first))

    def _explain(self, item: QTableWidgetItem) -> None:
        """Opens the formula of a row."""
        table = item.tableWidget()
        show_popover(item.toolTip(), table.viewport(), place=table.visualItemRect(item))

    def _show(self, outcome: object, first: Sequence[str]) -> None:
        if isinstance(outcome, CoppiceError):
            self._say("These cannot be compared", f"{outcome.sentence} {outcome.remedy}".strip())
            return
        comparison = cast(Comparison, outcome)
        self._say(comparison.headline, " ".join([*first, *comparison.sentences]), comparison)
        rows = rows_of(comparison)
        self.table.setColumnHidden(CORRECTED, len(comparison.pairs) < 2)
        self.table.set_rows([figures for figures, _ in rows], [tip for _, tip in rows])

    def _say(self, headline: str, words: str, comparison: Comparison | None = None) -> None:
        self._headline.setText(headline)
        self._words.setText(words)
        self.exported.comparison = comparison
        contest = None if comparison is None else comparison.contest
        if contest is not None and len(contest.learners) < FROM_SO_MANY_RUNS:
            contest = None
        self.diagram.show_contest(contest)
        rows = [] if contest is None else pair_rows(contest)
        self.pairs.set_rows([figures for figures, _ in rows], [tip for _, tip in rows])
        for widget, is_shown in (
            (self.save, comparison is not None),
            (self.diagram, contest is not None),
            (self.pairs, contest is not None),
            (self.table, comparison is not None),
        ):
            widget.setVisible(is_shown)
        self._measure()

    def _measure(self) -> None:
        self.table.setMinimumHeight(themes.px(24 * (ROWS_IN_SIGHT + 1)))
        hidden = max(0, self.pairs.rowCount() - (MOST_PAIRS if self.height() >= themes.px(TALL) else PAIRS_IN_SIGHT))
        self.pairs.setFixedHeight(self.pairs.content_height() - hidden * themes.px(ROW_HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._measure()
