"""Comparison of runs: statistical tests in sentences, the diagram of ranks, tables of pairs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QListWidgetItem, QTableWidgetItem, QWidget

from algorithms.core.run_control import RunContext
from algorithms.evaluation.compare.comparison import (
    BaselineVerdict,
    ComparedRun,
    Comparison,
    Pair,
    compared_runs,
    deciding_test,
)
from algorithms.evaluation.compare.multi_comparison import MultiComparison, listed, pairwise_rows, score_rows
from algorithms.evaluation.compare.ranking import MEAN_AUC, By, written
from algorithms.evaluation.compare.significance_tests import (
    CORRECTIONS,
    DEFAULT_CORRECTION,
    FoldScores,
    SignificanceTest,
)
from algorithms.evaluation.measures.measure import Unit
from algorithms.evaluation.measures.metrics import Report
from algorithms.evaluation.result import EvaluationResult
from algorithms.text.numbers import UNDEFINED, amount, coefficient, p_text, percent, size_in_points, with_minus
from algorithms.text.sentences import counted, within_sentence
from workbench.jobs.jobs import Jobs, LatestTask
from workbench.jobs.ui_scheduling import MadeInPieces
from workbench.session.experiments import Experiments
from workbench.session.learner_comparison import FEWEST, CostSnapshot, priced_under
from workbench.session.runs import Run, change_words
from workbench.session.session import Session
from workbench.style.motion import unfold
from workbench.style.theme import SPACE_2, SPACE_3, themes
from workbench.tabs.evaluate.diagnostics.disagreement_view import DisagreementView
from workbench.tabs.evaluate.figure_table import FigureTable
from workbench.tabs.evaluate.numbers import NOTHING, MetricFigure
from workbench.tabs.evaluate.runs_checklist import ChecklistRow, RunsChecklist
from workbench.viewers.charts.export import Export, ExportedDrawing, Table, rows_written
from workbench.viewers.charts.forest_plot import ForestPlot
from workbench.viewers.charts.significance_charts import CriticalDifference
from workbench.widgets.buttons import accent_button, quiet_button
from workbench.widgets.dialogs import show_popover
from workbench.widgets.examples import FaintExample
from workbench.widgets.fields import ElidedComboBox
from workbench.widgets.keyboard_focus import set_visible, swap
from workbench.widgets.labels import WholeLabel, label
from workbench.widgets.layouts import ClearWidget, as_high_as_needed, column_layout, named, row_layout
from workbench.widgets.panes import Pane, UprightScrollArea

FEW_RUNS: Final = 4
"""Up to so many runs are listed by their numbers; more are counted."""
HEADERS = (
    ("Test", "Significance tests that fit the test method; a click explains one"),
    ("Value", "Test statistic, or difference in points; a click explains it"),
    ("p", "Probability of a difference at least as large if the learners are equally good (p-value)"),
    ("Adjusted p", "p adjusted for all pairs; against the baseline, for all runs (Holm). It decides the verdicts"),
)
PAIR_HEADERS = (
    ("Runs", "The one with the better mean rank first"),
    ("Won", "Folds in which the first had the higher accuracy"),
    ("Drawn", "Folds with equal accuracy"),
    ("Lost", "Folds in which the second had the higher accuracy"),
    ("Difference", "Mean difference in accuracy, in points"),
    (
        "p (accuracy)",
        "p-value of the difference in accuracy (corrected resampled t), corrected for the number of pairs",
    ),
    (
        "p (rank)",
        "p-value of the difference in mean rank (Nemenyi): only which was better in a fold counts, not by how much",
    ),
    ("Equivalent", "Posterior probability that the accuracies differ by at most 1 point"),
)
PLAINLY: Final = {
    "Friedman": "Any difference at all? (Friedman)",
    "Iman-Davenport": "The same, less cautious (Iman-Davenport)",
}
"""Tests of all runs together, by their question."""
STATISTICS: Final = {
    "Corrected resampled t": (
        "t = mean difference / √((1/k + tested/training) · s²)",
        "The difference in units of its standard error, over k folds whose differences have variance s². Folds share "
        "training records, which the second part under the root allows for. 0 is no difference.",
    ),
    "Paired t": (
        "t = mean difference / √(s² / k)",
        "The difference in units of its standard error, over k folds whose differences have variance s².",
    ),
    "Wilcoxon signed rank": (
        "T = the smaller of: sum of ranks of the folds won, sum of ranks of the folds lost",
        "Folds are ranked by the size of the difference. 0 means: one run won every fold in which they differ. The "
        "nearer both sums are, the less the runs differ.",
    ),
    "McNemar, exact": (
        "p = 2 · P(X ≤ min(b, c)), X binomial with n = b + c and probability 1/2",
        "Only the first predicts b records correctly, only the second c. Without a difference they fall on either side "
        "with probability 1/2.",
    ),
    "McNemar, with correction": (
        "χ² = (|b − c| − 1)² / (b + c)",
        "Only the first predicts b records correctly, only the second c. Beyond 3.84 it is significant.",
    ),
    "Difference of two error rates": (
        "Z = (e₁ − e₂) / √(e₁(1 − e₁)/N₁ + e₂(1 − e₂)/N₂)",
        "The difference of the error rates, e₁ of N₁ records and e₂ of N₂, in units of its standard error. Beyond 1.96 "
        "it is significant.",
    ),
    "Difference of two AUCs": (
        "Z = (AUC₁ − AUC₂) / √(s₁² + s₂²)",
        "The difference in units of its standard error; s₁ and s₂ are the standard errors of the two AUCs (DeLong). "
        "They are treated as independent.",
    ),
    "DeLong, paired": (
        "Z = (AUC₁ − AUC₂) / √Σ(aᵢ − bᵢ)²",
        "The difference in units of its standard error. aᵢ and bᵢ are what record i contributes to the error of each "
        "AUC; what both have in common cancels.",
    ),
    "Difference of two mean costs": (
        "Z = (cost₁ − cost₂) / √(s₁² + s₂²)",
        "The difference in units of its standard error; s₁ and s₂ are the standard errors of the two mean costs.",
    ),
    "Paired test of records": (
        "Z = mean difference / √(s² / n)",
        "The difference in units of its standard error, over n records whose differences have variance s². p is "
        "by the normal approximation; where the exact sign test has a larger p, that test counts.",
    ),
    "Exact sign test of records": (
        "p = 2 · P(X ≤ min(won, lost)), X binomial with n = won + lost and probability 1/2",
        "Records that only the first run predicts correctly, or at lower cost, are won, others that differ are lost. "
        "If sizes or weights differ, both are effective numbers (Kish).",
    ),
    "5x2cv t": ("t = first difference / √(mean variance of the five repeats)", "0 is no difference."),
    "5x2cv F": (
        "F = sum of the squared differences / (2 · sum of the variances of the repeats)",
        "Near 1 is no difference.",
    ),
    "Friedman": (
        "χ² = 12 n / (k (k + 1)) · (ΣR² − k (k + 1)² / 4)",
        "R is the mean rank of each of k runs over n folds. 0 means: all have the same mean rank.",
    ),
    "Iman-Davenport": (
        "F = (n − 1) χ² / (n (k − 1) − χ²)",
        "A less conservative form of Friedman's χ² of k runs over n folds. Near 0 is no difference.",
    ),
}
"""Formula of each test, and the meaning of its value."""
BASELINE: Final = "the baseline"
"""The name of the baseline in the table of tests."""
Row = tuple[list[MetricFigure], str]


def rows_of(comparison: Comparison) -> list[Row]:
    """Rows of all tests, of the Bayesian tests and of the ranks."""
    several = len(comparison.pairs) > 1
    overall = comparison.overall
    rows = [_test_row(test, None if several else comparison.pairs[0]) for test in comparison.tests]
    if several and overall is None:  # one test for each pair
        rows = [
            _test_row(test, pair, _briefly(pair.second.name))
            for test, pair in zip(comparison.tests, comparison.pairs, strict=True)
        ]
    if not several:
        rows += _belief_rows(comparison.pairs[0])
    rows += [_test_row(deciding_test(pair), pair, BASELINE) for pair in comparison.above_baseline]
    if several and overall is not None:
        for index in overall.order:
            name = overall.learners[index]
            tip = f"{name}: mean rank among these runs over the folds; 1 is best in every fold."
            rows.append(_rank_row(f"Mean rank of {name}", float(overall.ranks[index]), tip))
        tip = "Mean ranks further apart than this differ significantly (Nemenyi; Demšar 2006)."
        rows.append(_rank_row("Critical difference (Nemenyi)", overall.critical, tip))
    return rows


def worse_than_baseline(above: Sequence[Pair]) -> str:
    """Names the runs that are significantly worse than the baseline; empty without any."""
    worse = [pair.first.name for pair in above if BaselineVerdict.of(pair.lead) is BaselineVerdict.WORSE]
    return f"Significantly worse than the baseline: {listed(worse)}." if worse else ""


def _rank_row(words: str, rank: float, tip: str) -> Row:
    return [MetricFigure(words), MetricFigure(f"{rank:.2f}", rank), NOTHING, NOTHING], tip


def rows_to_save(comparison: Comparison) -> list[list[str]]:
    """All results as rows of text: sentences, accuracies by fold with ranks, pairs, tests."""
    lines = [[comparison.headline], *([sentence] for sentence in comparison.sentences), []]
    overall = comparison.overall
    if overall is not None:
        lines += [*score_rows(overall, "fold"), [], *pairwise_rows(overall), []]
    else:
        lines += [*([pair.sentence()] for pair in comparison.pairs), []]
    lines.append([title for title, _ in HEADERS])
    lines += [[figure.text for figure in figures] for figures, _ in rows_of(comparison)]
    return lines


def pair_rows(overall: MultiComparison) -> list[Row]:
    rows: list[Row] = []
    for pair in overall.pairs:
        first, second = overall.learners[pair.first], overall.learners[pair.second]
        counts = [MetricFigure(str(count), count) for count in (pair.wins, pair.draws, pair.losses)]
        figures = [
            MetricFigure(f"{_briefly(first)} : {_briefly(second)}"),
            *counts,
            MetricFigure(with_minus(f"{100 * pair.difference:.1f}"), pair.difference),
            MetricFigure(p_text(pair.corrected), pair.corrected),
            MetricFigure(p_text(pair.nemenyi), pair.nemenyi),
            MetricFigure(f"{100 * pair.posterior.same:.0f}%", pair.posterior.same),
        ]
        tip = (
            f"{first} is more accurate than {second} on {pair.wins} folds, equal on {pair.draws}, less accurate on "
            f"{pair.losses}. {pair.test.name}: {pair.test.source}."
        )
        rows.append((figures, tip))
    return rows


def _briefly(name: str) -> str:
    """The run number in a name: "C4.5 decision tree (run 5)" becomes "5"."""
    match = re.search(r"\(run (\d+)\)$", name)
    return name if match is None else match[1]


def _between(first: str, second: str) -> str:
    """Two runs by number or name: "Run 4 against run 2"."""
    first, second = (f"run {name}" if name.isdecimal() else name for name in (first, second))
    return f"{first[0].upper()}{first[1:]} against {second}"


def _test_row(test: SignificanceTest, pair: Pair | None, second: str = "") -> Row:
    """Figures of a test, with the adjusted p of its pair if the verdict goes by this test, and the other's name."""
    formula, meaning = STATISTICS[test.name]
    p = MetricFigure(UNDEFINED)
    if test.p_value is not None:
        p = MetricFigure(p_text(test.p_value), test.p_value)
    tip = "\n".join(filter(None, (f"{test.name}: {formula}", meaning, test.caution, test.source)))
    name = PLAINLY.get(test.name, test.name)
    adjusted = NOTHING
    if pair is not None and pair.lead.p_value == test.p_value:
        verdict = BaselineVerdict.of(pair.lead) if second == BASELINE else None
        words = p_text(pair.lead.corrected) + ("" if verdict is None else f" {verdict.mark}")
        adjusted = MetricFigure(words, pair.lead.corrected)
        tip = tip if verdict is None else f"{pair.first.name} is {verdict.value[2]}.\n{tip}"
    if pair is not None and second:
        name = f"{_between(_briefly(pair.first.name), second)}: {within_sentence(test.name)}"
    return [MetricFigure(name), statistic_of(test), p, adjusted], tip


def _belief_rows(pair: Pair) -> list[Row]:
    posterior = pair.posterior
    if posterior is None:
        return []
    near = size_in_points(posterior.rope) if pair.by is By.RIGHT else written(posterior.rope, pair.by)
    tip = (
        "Posterior probability given these folds (Bayesian correlated t test, Corani and Benavoli 2015). Equivalent "
        f"means a difference below {near}."
    )
    sentences = (
        (f"P({pair.first.name} is better)", posterior.first),
        (f"P(equivalent, within {near})", posterior.same),
        (f"P({pair.second.name} is better)", posterior.second),
    )
    return [([MetricFigure(name), MetricFigure(coefficient(p), p), NOTHING, NOTHING], tip) for name, p in sentences]


def statistic_of(test: SignificanceTest) -> MetricFigure:
    """Value of a test statistic with three digits, whole if it is large: 7,671, not 7.67e+03."""
    statistic = test.statistic
    if statistic is None:
        return NOTHING
    return MetricFigure(test.statistic_words(_in_three_digits), statistic)


def _in_three_digits(number: float) -> str:
    """Counts in full."""
    is_large = abs(number) >= 999.5
    return with_minus(f"{number:,.0f}" if is_large else f"{number:.3g}")


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
    return [f"{which} tested on the table before it was changed ({change}); a difference may come from that."]


LIST_WIDTH: Final = 196
TOO_FEW_RUNS: Final = ("Two tested runs are needed", "Compare learners in Classify: they are tested on the same folds.")
CHOOSE_RUNS: Final = ("Which runs?", "Tick two or more runs in the list at the right.")
BY_THRESHOLD: Final = (
    "Compare uses the default decision rule of each run, and least expected cost for costs, not your threshold."
)
WITHOUT_COSTS: Final = CostSnapshot(None, None)
POOLED_AUC: Final = "The AUC in Runs is that of all tested records together, here it is the mean of the folds."
MEASURES: Final = {By.RIGHT: "By accuracy", By.AUC: "By AUC", By.COST: "By cost per record"}


class ComparePane(MadeInPieces, Pane):
    """Compares the runs that are checked in its list or selected in the run list."""

    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__("Compare", parent=parent)
        self._session = session
        self._listed: list[Run] = []
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        session = self._session
        comparison = ComparisonView(session.jobs, session.ask_for_comparison, self, in_pieces=True)
        self.comparison = yield from comparison.rest()
        self.disagreement = yield from DisagreementView(session, self, in_pieces=True).rest()
        self.disagreement.hide()
        tip = "On which records two of the runs differ, what both could reach together, and which settings differ"
        self.differ = quiet_button("Disagreement", "evaluate.compared.disagreement", tip, checkable=True)
        self.differ.toggled.connect(self._turn)
        self.choose = quiet_button("Choose runs", "evaluate.compared.choose", "Which runs to compare", checkable=True)
        tip = "The measure of the charts, the tests and the verdict; at first the one that ranks compared learners"
        self.measure = named(ElidedComboBox(), "evaluate.compared.by", "Measure", tip)
        self.measure.setSizeAdjustPolicy(ElidedComboBox.SizeAdjustPolicy.AdjustToContents)
        self._by: By | None = None
        """The measure that the user chose; None for the usual one."""
        tip = "How p-values are corrected for the number of compared pairs; Compare learners uses Tukey-Holm"
        self.correction = named(ElidedComboBox(), "evaluate.compared.correction", "Correction", tip)
        self.correction.setSizeAdjustPolicy(ElidedComboBox.SizeAdjustPolicy.AdjustToContents)
        for row, correction in enumerate(CORRECTIONS.values()):
            self.correction.addItem(f"{correction.name} correction", correction.id)
            self.correction.setItemData(row, f"{correction.sentence} {correction.source}", Qt.ItemDataRole.ToolTipRole)
        for box in (self.measure, self.correction):
            box.activated.connect(self._choose)
            box.hide()
        self.comparison.compared.connect(self._offer_measures)
        self.add_action(self.measure, self.correction, self.differ, self.choose)
        self.runs = RunsChecklist("evaluate.compared.runs", "Runs to compare")
        self.runs.itemChanged.connect(self._tick)
        self._own = named(label("", "small", wrap=True), "evaluate.compared.own")
        self._side = ClearWidget(self)
        column_layout((self.runs, 1), inside=self._side)
        self._side.hide()
        self.choose.toggled.connect(self._side.setVisible)
        self.body.addLayout(row_layout((self.comparison, 1), (self.disagreement, 1), self._side, spacing=SPACE_3), 1)
        self.body.addWidget(self._own)
        session.place_changed.connect(self._follow)
        session.costs_changed.connect(self._forget_measure)
        trials_changed = session.analyses.comparison.changed
        for signal in (session.runs_changed, session.costs_changed, session.decisions.changed, trials_changed):
            signal.connect(self._follow)
        themes.follow_now(self._measure)

    def refresh(self) -> None:
        chosen = self._session.analyses.compared
        self._listed, compared = chosen.judged, chosen.runs()
        self.runs.show_entries([self._entry(run, run in compared) for run in self._listed])
        self.comparison.n_offered = n = len(self._listed)
        self.set_facts("" if n < FEWEST else f"{len(compared)} of {n} runs" if len(compared) < n else f"all {n} runs")
        set_visible(n >= FEWEST, self.differ, self.choose)
        if n < FEWEST:
            self.differ.setChecked(False)
        if len(compared) < FEWEST or n < FEWEST:
            self.choose.setChecked(n >= FEWEST)
        decides = any(self._session.decisions.active_choice(run) is not None for run in compared)
        self._own.setVisible(decides)
        self._own.setText(BY_THRESHOLD)
        if self.differ.isChecked():
            self.disagreement.show_runs(compared)
            return
        costs = self._session.analyses.comparison.cost_snapshot()
        trial, provisional = self._session.analyses.comparison.current, ""
        if trial is not None and trial.is_running and not trial.all_are_judged and any(map(trial.has, compared)):
            provisional = f"Provisional: {trial.n_judged} of {len(trial.entries)} compared learners are tested."
        among, n_planned = chosen.tried_with(compared), chosen.n_planned_with(compared)
        correction = self.correction.currentData()
        self.comparison.compare(compared, among, costs, self._by, correction, provisional, n_planned)

    def _turn(self, to_disagreement: bool) -> None:
        """Shows where two runs differ in place of the comparison, or the comparison."""
        swap(self.comparison, self.disagreement, to_disagreement)
        self._offer_measures(self.comparison.exported.comparison)
        self.refresh()

    def _follow(self) -> None:
        if self.isVisible():
            self.refresh()

    def _forget_measure(self) -> None:
        self._by = None

    def _choose(self) -> None:
        self._by = self.measure.currentData() if self.sender() is self.measure else self._by
        self.refresh()

    def _offer_measures(self, comparison: Comparison | None) -> None:
        """Offers the measures that all compared runs have, with the one that was used; unchanged while comparing."""
        if self.comparison.is_comparing:
            return
        offered = () if comparison is None else comparison.available
        if comparison is not None:
            if [self.measure.itemData(row) for row in range(self.measure.count())] != list(offered):
                self.measure.clear()
                for by in offered:
                    self.measure.addItem(MEASURES[by], by)
            self.measure.setCurrentIndex(offered.index(comparison.by))
        is_shown = not self.differ.isChecked()
        self.measure.setVisible(is_shown and len(offered) > 1)
        has_pairs = comparison is not None and comparison.pairs[0].lead.n_pairs > 1
        self.correction.setVisible(is_shown and has_pairs)

    def _entry(self, run: Run, shown: bool) -> ChecklistRow:
        right = "" if run.report is None else f" · accuracy {percent(run.report.accuracy, run.report.n)}"
        few = f" · only {run.parts_judged}" if run.parts_judged else ""
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


LARGE: Final = 1000
"""Height from which all tests are shown unasked where they fit, at usual text size."""
BESIDE_TESTS: Final = 240
"""Height of the words of a comparison, without chart and tables."""
FROM_SO_MANY_RUNS: Final = 3
"""Least number of runs for a table of ranks."""


class ExportedComparison(ExportedDrawing):
    """Exports the forest plot with the diagram of ranks, and all results as a table."""

    name, title = "comparison", "Runs compared"

    def __init__(self, forest: ForestPlot, diagram: CriticalDifference) -> None:
        self._forest, self._diagram = forest, diagram
        self.comparison: Comparison | None = None

    def size(self) -> QSize:
        if self._forest.is_empty:
            return QSize()
        below = 0 if self._diagram.overall is None else self._diagram.sizeHint().height()
        return QSize(self._forest.width(), self._forest.painted_height + below)

    def paint(self, painter: QPainter) -> None:
        self._forest.paint(painter)
        if self._diagram.overall is not None:
            painter.translate(0, self._forest.painted_height)
            self._diagram.paint(painter)

    def table(self) -> Table | None:
        return None if self.comparison is None else rows_written(rows_to_save(self.comparison))


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """A run as a worker compares it."""

    name: str
    run: Run
    result: EvaluationResult
    report: Report

    def measured(self, under: CostSnapshot, context: RunContext) -> ComparedRun:
        """In a worker: its accuracies by fold, with its costs if there are any."""
        context.checkpoint()
        priced = priced_under(under, self.run, self.result, self.report.confusion, context.checkpoint)
        burden = self.run.learner.variants()[0].burden
        return ComparedRun(self.name, FoldScores.of(self.result), self.report, priced, burden)


def _judged(runs: Sequence[Run]) -> list[JudgedRun]:
    return [
        JudgedRun(run.numbered_name, run, run.result, run.report)
        for run in runs
        if run.result is not None and run.report is not None
    ]


class ComparisonView(MadeInPieces, QWidget):
    """Compares runs in a job; the latest request counts. ``compared`` carries the comparison, None without one."""

    compared = Signal(object)

    def __init__(
        self,
        jobs: Jobs,
        compare_learners: Callable[[], object],
        parent: QWidget | None = None,
        *,
        in_pieces: bool = False,
    ) -> None:
        super().__init__(parent)
        named(self, "evaluate.comparison", "The chosen runs compared")
        self._jobs, self._task = jobs, LatestTask(jobs)
        self.n_offered = 0
        """Number of tested runs that can be compared."""
        self.is_comparing = False
        self._wanted: tuple[object, ...] = ()
        """Results, costs, measure and correction of the latest request."""
        self._was_asked = self._has_room = False
        """Whether the user has folded or unfolded the tests, and whether they fit into a large window."""
        self._make_by(self._make(compare_learners), in_pieces)

    def _make(self, compare_learners: Callable[[], object]) -> Iterator[bool]:
        inside = ClearWidget()
        self._inside, self._area = inside, UprightScrollArea(inside, self)
        column_layout(self._area, inside=self)
        self._tests = ClearWidget(inside)
        self._tests.hide()
        self._headline = named(WholeLabel("", "verdict"), "evaluate.comparison.headline")
        self._words = named(WholeLabel(), "evaluate.comparison.words")
        for words in (self._headline, self._words):
            as_high_as_needed(words)
        self.forest = ForestPlot("evaluate.comparison.forest")
        self.diagram = CriticalDifference("evaluate.comparison.places")
        yield True
        says = "Folds won, drawn and lost by every pair"
        self.pairs = FigureTable(PAIR_HEADERS, "evaluate.comparison.pairs", says, self._tests)
        says = "Every test of the difference"
        self.table = FigureTable(HEADERS, "evaluate.comparison.tests", says, self._tests)
        yield True
        for table in (self.pairs, self.table):
            table.itemClicked.connect(self._explain)
            table.itemActivated.connect(self._explain)
            table.currentItemChanged.connect(self._bring_into_view)
            table.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)  # all rows are shown
            table.horizontalScrollBar().rangeChanged.connect(self._measure)
        self.exported = ExportedComparison(self.forest, self.diagram)
        self.export = Export(self.exported, self._jobs, self)
        self.save = self.export.button("evaluate.comparison.save")
        head = row_layout((self._headline, 1), (self.save, 0, Qt.AlignmentFlag.AlignTop))
        tip = "Every test of the differences, the ranks over the folds, and the folds won by each pair"
        self.all_tests = quiet_button("All tests", "evaluate.comparison.all-tests", tip, checkable=True)
        column_layout(self.diagram, self.pairs, self.table, inside=self._tests, spacing=SPACE_2)
        self.all_tests.toggled.connect(partial(unfold, self._tests))
        self.all_tests.clicked.connect(self._ask_for_tests)
        self._to_classify = accent_button("Compare learners…", "evaluate.comparison.start", on_click=compare_learners)
        self._example = FaintExample("comparison", grows=True)
        left, start = ((button, 0, Qt.AlignmentFlag.AlignLeft) for button in (self.all_tests, self._to_classify))
        # the forest plot takes the room up to its largest rows; the stretch keeps all together at the top
        parts = (head, (self.forest, 1000), self._words, start, (self._example, 1000), left, self._tests, 1)
        column_layout(*parts, inside=inside, spacing=SPACE_2)
        themes.follow(self._measure)
        self._say("", "")

    def compare(
        self,
        runs: Sequence[Run],
        among: Sequence[Run] = (),
        costs: CostSnapshot = WITHOUT_COSTS,
        by: By | None = None,
        correction: str = DEFAULT_CORRECTION,
        provisional: str = "",
        n_planned: int = 0,
    ) -> None:
        """Compares tested runs by a measure, ``among`` all tried of ``n_planned``.

        ``provisional`` says what is still to come.
        """
        inside, outside = _judged(runs), _judged([run for run in among if run not in runs])
        results = tuple(one.result for one in inside)
        others = tuple(one.result for one in outside)
        wanted = (results, others, costs.costs, by, correction, provisional, n_planned)
        if wanted == self._wanted and len(results) > 1:
            return
        self._wanted = wanted
        self._task.stop()
        self.is_comparing = False
        if len(results) < FEWEST:
            self._say(*(TOO_FEW_RUNS if self.n_offered < FEWEST else CHOOSE_RUNS))
            return
        self.is_comparing = True
        self._say("Comparing…", "")

        def work(context: RunContext) -> Comparison:
            compared, others = ([one.measured(costs, context) for one in part] for part in (inside, outside))
            comparison = compared_runs(compared, others, correction, by, context.checkpoint, n_planned)
            beside = [words for words in [worse_than_baseline(comparison.above_baseline)] if words]
            is_of_folds = any(one.noun(comparison.by) == MEAN_AUC for one in compared)
            pooled = [POOLED_AUC] if is_of_folds else []
            sentences = (*filter(None, [provisional]), *first, *beside, *pooled, *comparison.sentences)
            headline = f"So far: {comparison.headline}" if provisional else comparison.headline
            return replace(comparison, headline=headline, sentences=sentences)

        parts = [(one.name, one.result.parts_judged()) for one in inside]
        early = [f"{name} was finished early, tested on {judged}." for name, judged in parts if judged]
        early += ["What is compared are the records that all were tested on."] if early else []
        first = [*early, *judged_on_other_tables(runs)]
        self._task.run("", work, on_done=self._show, on_failed=self._failed)

    def _explain(self, item: QTableWidgetItem) -> None:
        table = item.tableWidget()
        show_popover(item.toolTip(), table.viewport(), place=table.visualItemRect(item))

    def _bring_into_view(self, item: QTableWidgetItem | None) -> None:
        """Scrolls to a cell that the keys have reached."""
        table = None if item is None else item.tableWidget()
        if item is not None and table is not None and table.hasFocus():
            place = table.visualItemRect(item)
            self._area.ensureVisible(0, table.viewport().mapTo(self._inside, place.center()).y(), 0, place.height())

    def _failed(self, error: object) -> None:
        self.is_comparing = False
        refuse = partial(self._say, "These cannot be compared")
        self._jobs.show_error(error, instead=lambda expected: refuse(f"{expected.sentence} {expected.remedy}".strip()))

    def _show(self, comparison: Comparison) -> None:
        self.is_comparing = False
        self._say(comparison.headline, " ".join(comparison.sentences), comparison)
        rows = rows_of(comparison)
        self.table.set_rows([figures for figures, _ in rows], [tip for _, tip in rows])
        self._measure()

    def _say(self, headline: str, words: str, comparison: Comparison | None = None) -> None:
        self._headline.setText(headline)
        self.exported.comparison = comparison
        self.compared.emit(comparison)
        overall = None if comparison is None else comparison.overall
        if overall is not None and len(overall.learners) < FROM_SO_MANY_RUNS:
            overall = None
        self.forest.show_comparison(comparison)
        self._words.setText(f"{words} {self.forest.shaded_words if comparison is not None else ''}".rstrip())
        self.diagram.show_comparison(overall)
        rows = [] if overall is None else pair_rows(overall)
        self.pairs.set_rows([figures for figures, _ in rows], [tip for _, tip in rows])
        set_visible(comparison is not None, self.save, self.table, self.forest, self.all_tests)
        set_visible(overall is not None, self.diagram, self.pairs)
        set_visible(headline == TOO_FEW_RUNS[0], self._to_classify, self._example)
        self._measure()

    def _ask_for_tests(self) -> None:
        self._was_asked = True

    def _measure(self) -> None:
        tables = (self.pairs, self.table)
        for table in tables:
            table.setFixedHeight(table.content_height())
        if self.exported.comparison is not None and not self._was_asked:
            charts = sum(chart.sizeHint().height() for chart in (self.forest, self.diagram))
            needed = charts + sum(table.content_height() for table in tables)
            has_room = max(needed + themes.px(BESIDE_TESTS), themes.px(LARGE)) <= self.height()
            if has_room != self._has_room:
                self._has_room = has_room
                self.all_tests.setChecked(has_room)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.is_complete:
            self._measure()


class DataSetComparison(UprightScrollArea):
    """The verdict over all data sets, the diagram of mean ranks, and a sortable table of the competitors."""

    def __init__(self, experiments: Experiments, parent: QWidget) -> None:
        self._inside = inside = ClearWidget()
        super().__init__(inside, parent)
        self._experiments = experiments
        self.setFrameShape(UprightScrollArea.Shape.NoFrame)
        self.headline = named(label("", "verdict", wrap=True), "experiment.headline")
        self.sentences = named(label("", "dim", wrap=True), "experiment.sentences")
        self.diagram = CriticalDifference("experiment.ranks")
        self.table = FigureTable((("Learner", ""),), "experiment.results", "Results by learner")
        self.table.setSortingEnabled(True)
        self.table.horizontalHeader().setSortIndicatorClearable(True)
        self.table.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        column_layout(self.headline, self.sentences, self.diagram, (self.table, 1), inside=inside, spacing=SPACE_2)

    def refresh(self) -> None:
        results = self._experiments.results
        overall = results.overall
        head = "Not enough results yet" if overall is None else f"{overall.headline}."
        self.headline.setText(head)
        self.sentences.setText(results.why_not if overall is None else " ".join(overall.sentences))
        self.diagram.show_comparison(overall if overall is not None and len(overall.learners) > 2 else None)
        set_visible(overall is not None, self.table)
        set_visible(self.diagram.overall is not None, self.diagram)
        if overall is not None:
            self._show_table(overall)

    def _show_table(self, overall: MultiComparison) -> None:
        results, measure = self._experiments.results, self._experiments.results.table
        assert measure is not None
        kind = measure.measure
        heads = [
            ("Learner", "What is compared"),
            (f"Mean {kind.in_sentence}", f"Mean over {counted(len(overall.rows), measure.corner)}"),
            ("Mean rank", "Mean rank over the rows; 1 is best in every row"),
            ("Training (s)", "Mean training time of a cell, summed over its folds"),
        ]
        baseline = {str(line[0]): line for line in results.against[1:]}
        if baseline:
            name = self._experiments.choice.baseline
            heads += [
                ("Difference", f"Mean difference from {name}; a positive one is better"),
                ("Won", f"Rows in which it is better than {name}"),
                ("Drawn", "Rows in which both are equal"),
                ("Lost", f"Rows in which {name} is better"),
                ("Holm p", f"p-value against {name}, corrected for all comparisons with it (Holm)"),
            ]
        if self.table.columnCount() != len(heads):
            self.table.setRowCount(0)
            self.table.setColumnCount(len(heads))
        self.table.set_headers(heads)
        rows = [self._row(overall, index, baseline) for index in overall.order]
        self.table.set_rows([row[: len(heads)] for row in rows])
        self.table.setMinimumHeight(self.table.content_height())

    def _row(self, overall: MultiComparison, index: int, baseline: dict[str, Sequence[Any]]) -> list[MetricFigure]:
        results, name = self._experiments.results, overall.learners[index]
        assert results.table is not None
        unit, mean = results.table.measure.unit, float(overall.scores[:, index].mean())
        whole = results.table.whole
        seconds = whole.mean_seconds[whole.competitors.index(name)]
        row = [
            MetricFigure(name),
            MetricFigure(unit.text(mean), mean),
            MetricFigure(f"{overall.ranks[index]:.2f}", float(overall.ranks[index])),
            NOTHING if seconds is None else MetricFigure(amount(seconds), seconds),
        ]
        line = baseline.get(name)
        if line is None:
            return [*row, MetricFigure("baseline"), *[NOTHING] * 4]
        _, difference, won, drawn, lost, _, holm = line
        written = f"{100 * difference:+.1f}" if unit is Unit.PERCENT else f"{difference:+.3f}"
        return [
            *row,
            MetricFigure(with_minus(written), difference),
            *(MetricFigure(f"{count:.0f}", count) for count in (won, drawn, lost)),
            MetricFigure(p_text(holm), holm),
        ]
