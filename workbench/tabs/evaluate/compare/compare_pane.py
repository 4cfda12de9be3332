"""Runs compared: what can be said in words, the places as a diagram, then every pair and test as tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final, cast

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QListWidgetItem, QTableWidgetItem, QVBoxLayout, QWidget

from algorithms.core.context import RunContext
from algorithms.core.errors import CoppiceError
from algorithms.evaluation.compare.comparison import ComparedRun, Comparison, compared_runs
from algorithms.evaluation.compare.significance_tests import FoldScores
from algorithms.evaluation.result import EvaluationResult
from algorithms.text.numbers import in_100
from workbench.jobs.jobs import Job, Jobs
from workbench.session.run_list import FEWEST
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, SPACE_3, themes
from workbench.tabs.evaluate.compare.comparison_words import (
    HEADERS,
    PAIR_HEADERS,
    judged_on_other_tables,
    pair_rows,
    rows_of,
    rows_to_save,
)
from workbench.tabs.evaluate.figure_table import ROW_HEIGHT, FigureTable
from workbench.tabs.evaluate.runs_checklist import ChecklistRow, RunsChecklist
from workbench.viewers.charts.export import Export, ExportedDrawing, Table, rows_written
from workbench.viewers.charts.significance_charts import CriticalDifference
from workbench.widgets.buttons import quiet_button
from workbench.widgets.labels import as_high_as_needed, label
from workbench.widgets.panes import Pane, UprightScrollArea
from workbench.widgets.popover import show_popover

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
    """Follows the runs, and which of them are compared; one is ticked in the list at the right, or in the ledger."""

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
        self._own = label("", "small", wrap=True)
        self._own.setObjectName("evaluate.compared.own")
        self._side = QWidget(self)
        self._side.setProperty("part", "clear")
        side = QVBoxLayout(self._side)
        side.setContentsMargins(0, 0, 0, 0)
        side.setSpacing(SPACE_2)
        side.addWidget(self.runs, 1)
        side.addWidget(self._own)
        side.addWidget(about)
        side.addWidget(self._luck)
        row = QHBoxLayout()
        row.setSpacing(SPACE_3)
        row.addWidget(self.comparison, 1)
        row.addWidget(self._side)
        self.body.addLayout(row, 1)
        session.place_changed.connect(self._follow)
        for signal in (session.runs_changed, session.costs_changed, session.decisions.changed):
            signal.connect(self._follow)
        themes.follow(self._measure)
        self._measure()

    def refresh(self) -> None:
        """Show the runs there are, and what can be said of those that are compared."""
        self._listed = self._session.compared.judged
        compared = self._session.compared.runs()
        self.runs.show_entries([self._entry(run, run in compared) for run in self._listed])
        n = len(self._listed)
        every = "both" if n == FEWEST else f"all {n}"
        self.set_facts(every if len(compared) == n else f"{len(compared)} of {n}")
        self.comparison.compare(compared, self._session.compared.tried_with(compared))
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
        at = self.runs.row(item)
        self.runs.forget()
        ticked = set(self._session.compared.runs())
        (ticked.add if item.checkState().value else ticked.discard)(self._listed[at])
        self._session.compared.choose(ticked)

    def _measure(self) -> None:
        self._side.setFixedWidth(themes.px(LIST_WIDTH))


ROWS_IN_SIGHT, CORRECTED = 6, 3
PAIRS_IN_SIGHT: Final = 8
MOST_PAIRS: Final = 28
TALL: Final = 900
"""From this height on so many pairs are in sight."""
FROM_SO_MANY_RUNS: Final = 3
"""Two need no places: the words say it all."""


class ExportedComparison(ExportedDrawing):
    """The diagram, and everything the comparison says as a table."""

    name: ClassVar[str] = "comparison"
    title: ClassVar[str] = "Runs compared"

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
    """Compares runs in the background; of several wishes the latest counts."""

    def __init__(self, jobs: Jobs, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("evaluate.comparison")
        self.setAccessibleName("The chosen runs compared")
        self._jobs = jobs
        self._job: Job | None = None
        self._wanted: tuple[EvaluationResult, ...] = ()
        self._among: tuple[EvaluationResult, ...] = ()
        self._headline = label("", "verdict", wrap=True)
        self._headline.setObjectName("evaluate.comparison.headline")
        self._words = label("", wrap=True)
        self._words.setObjectName("evaluate.comparison.words")
        for said in (self._headline, self._words):
            as_high_as_needed(said)
        self.diagram = CriticalDifference("evaluate.comparison.places")
        self.pairs = FigureTable(PAIR_HEADERS, "evaluate.comparison.pairs", "Folds won, drawn and lost by every pair")
        self.table = FigureTable(HEADERS, "evaluate.comparison.tests", "Every test of the difference")
        for table in (self.pairs, self.table):
            table.itemClicked.connect(self._explain)
            table.itemActivated.connect(self._explain)
        self.exported = ExportedComparison(self.diagram)
        self.export = Export(self.exported, jobs, self)
        self.save = self.export.button("evaluate.comparison.save")
        inside = QWidget()
        inside.setProperty("part", "clear")
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SPACE_2)
        first_line = QHBoxLayout()
        first_line.addWidget(self._headline, 1)
        first_line.addWidget(self.save, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(first_line)
        for widget in (self._words, self.diagram, self.pairs):
            column.addWidget(widget)
        column.addWidget(self.table, 1)
        column.addStretch(0)  # where there is no table, the words stay together at the top
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(UprightScrollArea(inside))
        themes.follow(self._measure)
        self._say("", "")

    def compare(self, runs: Sequence[Run], among: Sequence[Run] = ()) -> None:
        """Compare these judged runs; ``among`` are all that were tried with them."""
        named = [
            (f"{run.learner.name} (run {run.number})", run.result, run.report) for run in runs if run.result is not None
        ]
        wanted = tuple(result for _, result, _ in named)
        outside = [(run.result, run.report) for run in among if run.result is not None and run.result not in wanted]
        others = tuple(result for result, _ in outside)
        if (wanted, others) == (self._wanted, self._among) and wanted:
            return
        self._wanted, self._among = wanted, others
        if self._job is not None:
            self._job.stop()
            self._job = None
        if len(wanted) < 2:
            self._say("Which runs?", "Tick two or more runs in the list at the right.")
            return
        self._say("Comparing…", "")

        def work(context: RunContext) -> Comparison | CoppiceError:
            judged = []
            for name, result, report in named:
                context.checkpoint()
                judged.append(ComparedRun(name, FoldScores.of(result), report))
            try:
                return compared_runs(
                    judged, [ComparedRun("", FoldScores.of(result), report) for result, report in outside]
                )
            except CoppiceError as error:  # these runs cannot be compared, which is said in the place of the words
                return error

        parts = [(name, result.parts_judged()) for name, result, _ in named]
        early = [f"{name} was finished early, judged by {judged}." for name, judged in parts if judged]
        early += ["What is compared are the records that all were tested on."] if early else []
        first = [*early, *judged_on_other_tables(runs)]

        def done(found: object) -> None:
            self._show(found, first)

        self._job = self._jobs.start("", work, on_done=done)

    def _explain(self, item: QTableWidgetItem) -> None:
        """What the line says, with its formula, at a click or Enter."""
        table = item.tableWidget()
        show_popover(item.toolTip(), table.viewport(), place=table.visualItemRect(item))

    def _show(self, found: object, first: Sequence[str]) -> None:
        self._job = None
        if isinstance(found, CoppiceError):
            self._say("These cannot be compared", f"{found.sentence} {found.remedy}".strip())
            return
        comparison = cast(Comparison, found)
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
