"""Panes of the analyses that are started for the current run: learning curves and permutation tests."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite
from typing import Final
from weakref import WeakKeyDictionary

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QSizePolicy, QWidget

from algorithms.core.errors import CoppiceError
from algorithms.evaluation.compare.permutation_test import ACCURACY, USUAL, ShuffleTest
from algorithms.evaluation.curves.learning_curves import SHARES, TEST, TRAINING, VALIDATION, Sweep, sweep_words
from algorithms.evaluation.measures.metrics import ranking_measure
from algorithms.evaluation.measures.registry import of_permutation_test
from algorithms.evaluation.tuning.parameter_search import tuned_base
from algorithms.evaluation.tuning.search_space import axis_of, searchable, suggested
from algorithms.text.numbers import forecast_duration
from algorithms.text.sentences import TO_CHOOSE_BY
from workbench.jobs.ui_scheduling import MadeInPieces
from workbench.session.run_analyses import SIZES, AnalysisEnd, CurveAxis
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, set_property, themes
from workbench.viewers.charts.band_plot import BandLine, BandPlot, Bands, ExportedBands
from workbench.viewers.charts.chart_base import ExportedChart
from workbench.viewers.charts.export import Export
from workbench.viewers.charts.significance_charts import PermutationHistogram
from workbench.widgets.buttons import accent_button
from workbench.widgets.examples import ERROR_RATE, FaintExample
from workbench.widgets.fields import ElidedComboBox, choosing_view
from workbench.widgets.keyboard_focus import set_enabled, swap
from workbench.widgets.labels import ElidedLabel, WholeLabel, label
from workbench.widgets.layouts import add_items, named, row_layout
from workbench.widgets.panes import FailureNote, Pane
from workbench.widgets.status_line import StopButton
from workbench.widgets.tables import PictureOrTable, TextTable

RECORDS: Final = "Number of training records"
FIELD: Final = 220
LEAST_MEASURE: Final = 140
"""Width to which the list of measures shrinks in a narrow window."""
"""Width of the field for values, at usual text size."""
BY_THE_RUN: Final = "By the time that this run took"
ASKS_SIZES: Final = "Would more records help?"
ASKS_VALUES: Final = "Which value underfits, which overfits?"
ABOUT_SIZES: Final = (
    "The learner is trained on growing parts of its training records and tested on the same records as before."
)
ABOUT_VALUES: Final = (
    "Each value is trained on a part of the training records. The validation records (the rest of them) choose a "
    "value; the test records take no part in the choice."
)
RECORDS_OF: Final = {TRAINING: "training records", VALIDATION: TO_CHOOSE_BY, TEST: "tested records"}
"""Names of the lines."""


def show_end(note: FailureNote, start: QPushButton, begin: str, end: AnalysisEnd | None) -> None:
    """Says in its pane why an analysis ended too early; its button then reads Try again, or else ``begin``."""
    note.show_failure("" if end is None else end.sentence, "", is_stop=end is not None and end.is_stop)
    start.setText("Try again" if end is not None and begin != "Continue" else begin)


def forecast_label(name: str) -> ElidedLabel:
    """The label for the expected duration beside Start; it takes the width that is left."""
    line = named(ElidedLabel("", "facts"), name, tip=BY_THE_RUN)
    line.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
    return line


def show_forecast(note: ElidedLabel, seconds: float) -> None:
    """Says beside Start how long the analysis takes, by the time of the run; nothing where that is unknown."""
    words = forecast_duration(seconds) if seconds > 0 else ""
    note.set_wordings(*((f"about {words}", "") if words else ("",)))


class SweepPane(MadeInPieces, Pane):
    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__("Learning curve", parent=parent)
        self._session = session
        self._offered: object = None
        self._sweep: Sweep | None = None
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        session = self._session
        self._headline = named(label("", "verdict", wrap=True), "evaluate.sweep.headline")
        self._words = named(label("", "dim", wrap=True), "evaluate.sweep.words")
        self.plot = BandPlot("evaluate.sweep.plot", "Error by what changes")
        self.table = TextTable("evaluate.sweep.table", "Error by what changes", parent=self)
        yield True
        self._read = named(label("", "dim", wrap=True), "evaluate.sweep.read")
        self._exported = ExportedBands(self.plot)
        self.export = Export(self._exported, session.jobs, self)
        self._save = self.export.button("evaluate.sweep.save")
        self._pages = PictureOrTable(self.plot, self.table, "evaluate.sweep.as-table", self._rows, self)
        self._as_table = self.export.offer(self._pages.switch)
        self.add_action(self._save)
        self._example = FaintExample("curve", grows=True)
        shown_last = self._example, (self._pages, 1), self._read, 0
        self.failure = FailureNote("evaluate.sweep")
        add_items(self.body, self._headline, self._words, self._controls(), self.failure, *shown_last)
        self._as_table.toggled.connect(self.refresh)
        self.plot.read.connect(self._read_value)
        self.plot.copy_asked.connect(self.export.copy_table)
        session.analyses.learning_curves.changed.connect(self._changed)

    def _controls(self) -> QHBoxLayout:
        what = named(ElidedComboBox(), "evaluate.sweep.what", "Horizontal axis", "What the curve varies")
        self.what = choosing_view(what)
        self.what.currentIndexChanged.connect(self._chosen)
        tip = "Values as 1, 2, 5 or a range as 1..20; 1..20/4 takes four values of it"
        self.values = named(QLineEdit(), "evaluate.sweep.values", "Values", tip)
        self.values.setMinimumWidth(themes.px(FIELD))
        self.values.textEdited.connect(self.refresh)
        self.values.returnPressed.connect(self.start)
        self._start = accent_button("Start", "evaluate.sweep.start", "Draw this curve for the run in view", self.start)
        stop = self._session.analyses.learning_curves.end_early
        self._stop = StopButton("evaluate.sweep.stop", "Stop; it can be continued", stop)
        self._forecast = forecast_label("evaluate.sweep.forecast")
        return row_layout(self.what, self.values, self._start, self._stop, (self._forecast, 1), spacing=SPACE_2)

    def _wanted(self) -> CurveAxis:
        name = str(self.what.currentData() or "")
        return (name, self.values.text().strip()) if name else SIZES

    def _problem(self, run: Run) -> str:
        name, values = self._wanted()
        try:
            if name:
                axis_of(tuned_base(run.learner), run.recipe, name, values)
        except CoppiceError as error:
            return error.sentence
        return ""

    def start(self) -> None:
        run = self._session.ledger.judged
        if run is not None and not self._problem(run) and self._start.isEnabled():
            self._session.analyses.learning_curves.start(run, self._wanted())

    def _offer(self, run: Run) -> None:
        base = tuned_base(run.learner)
        if self._offered == (base, run.recipe):
            return
        self._offered = (base, run.recipe)
        kept = self.what.currentData()
        with QSignalBlocker(self.what):
            self.what.clear()
            self.what.addItem(RECORDS, "")
            for axis in searchable(base, run.recipe):
                self.what.addItem(axis.label, axis.name)
            self.what.setCurrentIndex(max(0, self.what.findData(kept)))
        if self.what.currentData() != kept:
            self._suggest(run)

    def _suggest(self, run: Run) -> None:
        name = str(self.what.currentData() or "")
        axes = {axis.name: axis for axis in searchable(tuned_base(run.learner), run.recipe)}
        self.values.setText(suggested(axes[name].parameter) if name in axes else "")
        self.values.setCursorPosition(0)

    def _chosen(self) -> None:
        run = self._session.ledger.judged
        if run is not None:
            self._suggest(run)
            self.refresh()

    def _changed(self, run: object) -> None:
        mine = self._session.ledger.judged
        if mine is None or run is not mine or not self.isVisible():
            return
        if self._session.analyses.learning_curves.job_of(mine) is None:  # it has just ended: that is said at once
            self.refresh()
        else:
            self._session.turns.later(self.refresh)

    def refresh(self) -> None:
        run = self._session.ledger.judged
        if run is None:
            return
        self._offer(run)
        wanted, problem = self._wanted(), self._problem(run)
        sweep = None if problem else run.sweeps.get(wanted)
        job = self._session.analyses.learning_curves.job_of(run)
        is_running = job is not None
        self.values.setVisible(wanted != SIZES)
        set_property(self.values, "invalid", bool(problem))
        about = ABOUT_SIZES if wanted == SIZES else ABOUT_VALUES
        if sweep is None:
            asks = ASKS_SIZES if wanted == SIZES else ASKS_VALUES
            self._headline.setText("Training and testing…" if is_running else asks)
            self._words.setText(problem or about)
        else:
            first, _, rest = sweep_words(sweep).partition(". ")
            self._headline.setText(f"{first.removesuffix('.')}.")
            self._words.setText(" ".join(filter(None, (rest, *_remarks(sweep, run, self._as_table.isChecked())))))
        self._show(sweep)
        total = 0 if sweep is None else sweep.lines[0].errors.size
        so_far = "" if sweep is None else f" · {sweep.n_done:,} of {total:,} models"
        self.set_facts(f"run {run.number}, {run.learner.summary()}{so_far}")
        done = sweep is not None and sweep.is_whole
        begin = "Continue" if sweep is not None and not done else "Start"
        show_end(self.failure, self._start, begin, self._session.analyses.learning_curves.end_of(run))
        self._start.setEnabled(not problem and not done)
        self._stop.follow(job)
        swap(self._start, self._stop, is_running)
        left = 0.0 if is_running or problem else 1.0 if sweep is None else 1.0 - sweep.n_done / max(1, total)
        show_forecast(self._forecast, left * run.seconds * self._models(run) if left else 0.0)
        set_enabled(not is_running, self.what, self.values)

    def _models(self, run: Run) -> float:
        """How many times the training records of the run are trained on; call it without a problem only."""
        name, values = self._wanted()
        return len(axis_of(tuned_base(run.learner), run.recipe, name, values).values.grid()) if name else sum(SHARES)

    def _show(self, sweep: Sweep | None) -> None:
        if sweep is None:
            self.plot.show_bands(None)
            self._exported.rows = ()
        else:
            lines = tuple(BandLine(RECORDS_OF[line.name], line.mean, line.spread) for line in sweep.lines)
            of_sizes = self._wanted() == SIZES
            values = tuple(f"{place:,.0f}" for place in sweep.places) if of_sizes else sweep.values
            self.plot.show_bands(Bands(sweep.what, ERROR_RATE, values, sweep.places, sweep.is_number, lines))
            self._exported.rows = sweep.rows()
        self._save.setEnabled(sweep is not None)
        self._example.setVisible(sweep is None)
        self._pages.setVisible(sweep is not None)
        self._sweep = sweep
        self._pages.refresh()
        self._read_value(self.plot.at)

    def _rows(self) -> list[list[str]]:
        return [] if self._sweep is None else rows_shown(self._sweep)

    def _read_value(self, index: int) -> None:
        bands = self.plot.bands
        self._read.setText(bands.sentence(index) if bands is not None and 0 <= index < len(bands.values) else "")


def rows_shown(sweep: Sweep) -> list[list[str]]:
    """The curve as a table: errors in percent with standard errors, if these are known, and the number of folds."""
    names = [f"Error rate (%), {RECORDS_OF[line.name].partition(' (')[0]}" for line in sweep.lines]
    rows = [[sweep.what, *names, "Folds"]]
    for index, value in enumerate(sweep.values):
        row = [value]
        for line in sweep.lines:
            mean, error = line.mean[index], line.standard_error[index]
            spread = f" ({100 * error:.1f})" if isfinite(error) else ""
            row.append(f"{100 * mean:.1f}{spread}" if isfinite(mean) else "")
        rows.append([*row, str(int(sweep.lines[-1].n[index]))])
    return rows


def _remarks(sweep: Sweep, run: Run, is_table: bool) -> list[str]:
    in_table = "Error rate in percent, with its standard error over the folds in brackets."
    has_bands = any(bool((line.spread > 0).any()) for line in sweep.lines)
    remarks = [in_table] if is_table else ["Bands are the standard error over the folds."] if has_bands else []
    if sweep.method != run.method:
        remarks.append(f"Tested with {sweep.method.described()}, because {run.method.described()} gives no curve.")
    return [*remarks, *(f"Some models failed: {why}" for why in sweep.failures[:1])]


NUMBERS: Final = (19, USUAL, 199, 999)
WHAT_IT_IS: Final = (
    "The class values are shuffled many times, and the same run (steps, learner, method) is repeated on each shuffled "
    "table. There is nothing to learn there. If shuffled tables often score as high, this run is not significant."
)
TITLE: Final = "Permutation test"
WHAT_BY: Final = (
    "The test statistic. AUC is the default where the baseline may be as accurate as the run, accuracy elsewhere. A "
    "p-value holds for one measure that was chosen beforehand."
)


class ShufflePane(MadeInPieces, Pane):
    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__(TITLE, parent=parent)
        self._session = session
        self._wished: WeakKeyDictionary[Run, str] = WeakKeyDictionary()
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        session = self._session
        self._headline = named(WholeLabel("", "verdict"), "evaluate.shuffle.headline")
        self._words = named(WholeLabel("", "dim"), "evaluate.shuffle.words")
        self.histogram = PermutationHistogram("evaluate.shuffle.histogram")
        self.table = TextTable("evaluate.shuffle.table", "The score on every shuffled table", parent=self)
        yield True
        self.export = Export(ExportedChart(self.histogram, "permutation-test", "Permutation test"), session.jobs, self)
        self._save = self.export.button("evaluate.shuffle.save")
        rows = self.histogram.table_rows
        self._pages = PictureOrTable(self.histogram, self.table, "evaluate.shuffle.as-table", rows, self)
        self.export.offer(self._pages.switch)
        self.add_action(self._save)
        self._example = FaintExample("histogram", grows=True)
        self.failure = FailureNote("evaluate.shuffle")
        shown_last = self.failure, self._example, (self._pages, 1), 0
        add_items(self.body, self._headline, self._words, self._controls(), *shown_last)
        session.analyses.permutation_tests.changed.connect(self._changed)
        session.current_run_changed.connect(self.refresh)
        self.refresh()

    def _controls(self) -> QHBoxLayout:
        name, tests = "evaluate.shuffle", self._session.analyses.permutation_tests
        tip = "More shuffled tables resolve smaller p-values: with 99 tables the smallest is p = 0.01."
        numbers = ElidedComboBox(choices=[(f"{number} shuffled tables", number) for number in NUMBERS])
        self.number = named(numbers, f"{name}.number", "How many shuffled tables", tip)
        self.number.setCurrentIndex(NUMBERS.index(USUAL))
        self.number.currentIndexChanged.connect(self.refresh)
        measures = ElidedComboBox(choices=[(f"By {one.in_sentence}", one.id) for one in of_permutation_test()])
        measures.setMinimumWidth(themes.px(LEAST_MEASURE))
        self.measure = named(measures, f"{name}.measure", "Test statistic", WHAT_BY)
        self.measure.currentIndexChanged.connect(self._choose_measure)
        self._start = accent_button("Start", f"{name}.start", "Repeat this run on shuffled tables", self.start)
        self._stop = StopButton(f"{name}.stop", "Stop; the finished tables stay", tests.end_early)
        self._forecast = forecast_label(f"{name}.forecast")
        return row_layout(self.number, self.measure, self._start, self._stop, (self._forecast, 1), spacing=SPACE_2)

    def start(self) -> None:
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

    def _changed(self, run: object) -> None:
        if run is self._session.ledger.judged:
            self.refresh()

    def refresh(self) -> None:
        run = self._session.ledger.judged
        test: ShuffleTest | None = None if run is None else run.shuffle
        job = None if run is None else self._session.analyses.permutation_tests.job_of(run)
        is_running = job is not None
        measure = ACCURACY if run is None else self._measure_of(run)
        if test is not None and measure not in test.measures:
            test = None  # a test of an older version, which is made again for this measure
        with QSignalBlocker(self.measure):
            self.measure.setCurrentIndex(self.measure.findData(measure))
        question = "Shuffling…" if is_running else "Would it score as high on shuffled classes?"
        headline, words = (question, WHAT_IT_IS) if test is None else test.sentences()
        those = "share of all tables, the run's own included, that score as high"
        self._headline.setText(headline)
        self._headline.setToolTip("" if test is None else f"p-value {test.p_value:.3g}: {those}")
        self._words.setText(words)
        self.histogram.show_test(test)
        self._pages.setVisible(test is not None)  # the words have its room until there is something to see
        self._example.setVisible(test is None)
        self._pages.refresh()
        done = 0 if test is None else len(test.scores)
        planned = int(self.number.currentData())
        end = None if run is None else self._session.analyses.permutation_tests.end_of(run)
        show_end(self.failure, self._start, "Continue" if 0 < done < planned else "Start", end)
        self._start.setEnabled(run is not None and done < planned)
        self._stop.follow(job)
        swap(self._start, self._stop, is_running)
        show_forecast(self._forecast, 0.0 if run is None or is_running else run.seconds * max(0, planned - done))
        set_enabled(not is_running, self.number, self.measure)
        self._save.setEnabled(test is not None)
        self.set_facts("" if run is None else f"run {run.number}, {run.learner.name} · {done:,} of {planned:,} tables")
