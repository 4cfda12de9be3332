"""Permutation test of the current run, as a sentence and a histogram."""

from __future__ import annotations

from typing import Final
from weakref import WeakKeyDictionary

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from algorithms.evaluation.compare.permutation_test import ACCURACY, USUAL, ShuffleTest
from algorithms.evaluation.measures.metrics import ranking_measure
from algorithms.evaluation.measures.registry import of_permutation_test
from workbench.session.learner_comparison import FEWEST
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_2
from workbench.viewers.charts.chart_base import ExportedChart
from workbench.viewers.charts.export import Export
from workbench.viewers.charts.significance_charts import PermutationHistogram
from workbench.widgets.buttons import accent_button, link_button, quiet_button
from workbench.widgets.fields import ElidedComboBox
from workbench.widgets.labels import WholeLabel
from workbench.widgets.layouts import add_items, named, row_layout
from workbench.widgets.panes import Pane
from workbench.widgets.tables import PictureOrTable, TextTable

NUMBERS: Final = (19, USUAL, 199, 999)
WHAT_IT_IS: Final = (
    "The classes of the records are dealt out at random, many times, and the same run is made on each such table: "
    "recipe, learner and method. There is nothing to learn there. If it often does as well, this run may be luck too."
)
TITLE: Final = "Is it luck?"
WHAT_BY: Final = (
    "By which figure a shuffled table does as well as this run. AUC ranks runs where always guessing one class may be "
    "right as often; accuracy ranks them elsewhere. A p-value holds for one measure that was chosen beforehand."
)


class ShufflePane(Pane):
    """Starts, stops, continues and shows the permutation test of the current run."""

    compare_asked = Signal()
    """The user asks for a comparison of runs instead."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(TITLE, parent=parent)
        self._session = session
        self._wished: WeakKeyDictionary[Run, str] = WeakKeyDictionary()
        """Measure that the user chose for a run."""
        self._headline = named(WholeLabel("", "verdict"), "evaluate.shuffle.headline")
        self._words = named(WholeLabel(), "evaluate.shuffle.words")
        self.histogram = PermutationHistogram("evaluate.shuffle.histogram")
        self.table = TextTable("evaluate.shuffle.table", "The score on every shuffled table")
        self.export = Export(ExportedChart(self.histogram, "shuffle-test", "Shuffle test"), session.jobs, self)
        self._save = self.export.button("evaluate.shuffle.save")
        self._pages = PictureOrTable(self.histogram, self.table, "evaluate.shuffle.as-table", self.histogram.table_rows)
        self.add_action(self._pages.switch, self._save)
        add_items(self.body, self._headline, self._words, self._controls(), (self._pages, 1), 0)
        session.analyses.permutation_tests.changed.connect(self._changed)
        session.current_run_changed.connect(self.refresh)
        self.refresh()

    def _controls(self) -> QVBoxLayout:
        self.number = named(
            ElidedComboBox(),
            "evaluate.shuffle.number",
            "How many shuffled tables",
            "With more tables smaller chances can be told: of 99 tables the smallest is 1 in 100.",
        )
        for number in NUMBERS:
            self.number.addItem(f"{number} shuffled tables", number)
        self.number.setCurrentIndex(NUMBERS.index(USUAL))
        self.number.currentIndexChanged.connect(self.refresh)
        self.measure = named(ElidedComboBox(), "evaluate.shuffle.measure", "Measure of the shuffle test", WHAT_BY)
        for measure in of_permutation_test():
            self.measure.addItem(f"by {measure.in_sentence}", measure.id)
        self.measure.currentIndexChanged.connect(self._choose_measure)
        self._start = accent_button(
            "Start", "evaluate.shuffle.start", "Make the same run on shuffled tables", self.start
        )
        self._stop = quiet_button("Stop", "evaluate.shuffle.stop", "Keep those that are judged", self._stop_here)
        self._compare = link_button("Compare runs", "evaluate.shuffle.compare", "Which run is better, and by chance?")
        self._compare.clicked.connect(self.compare_asked)
        rows = QVBoxLayout()  # one row of all would push the numbers beside it out of a small window
        rows.setSpacing(SPACE_2)
        for widgets in ((self.number, self.measure), (self._start, self._stop, self._compare)):
            rows.addLayout(row_layout(*widgets, 1, spacing=SPACE_2))
        return rows

    def start(self) -> None:
        """Tests the current run."""
        run = self._session.ledger.judged
        if run is not None:
            self._session.analyses.permutation_tests.start(run, int(self.number.currentData()), self._measure_of(run))

    def _measure_of(self, run: Run) -> str:
        """The measure the user chose for a run, else that of its permutation test, else its ranking measure."""
        chosen = self._wished.get(run)
        if chosen is not None:
            return chosen
        if run.shuffle is not None:
            return run.shuffle.measure
        return ACCURACY if run.report is None else ranking_measure(run.report)

    def _choose_measure(self) -> None:
        run = self._session.ledger.judged
        if run is not None:
            self._wished[run] = str(self.measure.currentData())
            self._session.analyses.permutation_tests.judge_by(run, self._wished[run])
        self.refresh()

    def _stop_here(self) -> None:
        run = self._session.ledger.judged
        if run is not None:
            self._session.analyses.permutation_tests.end_early(run)

    def _changed(self, run: object) -> None:
        if run is self._session.ledger.judged:
            self.refresh()

    def refresh(self) -> None:
        """Shows the result of the current run."""
        run = self._session.ledger.judged
        test: ShuffleTest | None = None if run is None else run.shuffle
        is_running = run is not None and self._session.analyses.permutation_tests.job_of(run) is not None
        measure = ACCURACY if run is None else self._measure_of(run)
        if test is not None and measure not in test.measures:
            test = None  # a test of an older version, which is made again for this measure
        with QSignalBlocker(self.measure):
            self.measure.setCurrentIndex(self.measure.findData(measure))
        tip = ""
        if test is None:
            question = "Shuffling…" if is_running else "Would it do as well on classes that mean nothing?"
            self._say(question, WHAT_IT_IS)
        else:
            self._say(*test.sentences())
            tip = f"p-value {test.p_value:.3g}: those that did as well with the run itself, of all with it"
        self._headline.setToolTip(tip)
        self.histogram.show_test(test)
        self._pages.setVisible(test is not None)  # the words have its room until there is something to see
        self._pages.refresh()
        done = 0 if test is None else len(test.scores)
        planned = int(self.number.currentData())
        self._start.setText("Go on" if 0 < done < planned else "Start")
        self._start.setVisible(not is_running)
        self._compare.setVisible(len(self._session.analyses.compared.judged) >= FEWEST)
        self._start.setEnabled(run is not None and done < planned)
        self._stop.setVisible(is_running)
        self.number.setEnabled(not is_running)
        self.measure.setEnabled(not is_running)
        self._save.setEnabled(test is not None)
        self.set_facts("" if run is None else f"run {run.number}, {run.learner.name} · {done:,} of {planned:,} tables")

    def _say(self, headline: str, words: str) -> None:
        self._headline.setText(headline)
        self._words.setText(words)
