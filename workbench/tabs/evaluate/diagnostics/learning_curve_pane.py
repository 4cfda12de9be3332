"""Learning curve of the current run: error by training records or by the values of an option."""

from __future__ import annotations

from math import isfinite
from typing import Final

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from algorithms.core.candidate_values import suggested
from algorithms.core.errors import CoppiceError
from algorithms.evaluation.curves.learning_curves import TEST, TRAINING, VALIDATION, Sweep, sweep_words
from algorithms.evaluation.tuning.search_space import axis_of, searchable
from algorithms.evaluation.tuning.tuned import tuned_base
from algorithms.text.sentences import TO_CHOOSE_BY
from workbench.session.run_analyses import SIZES, CurveAxis
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, set_property, themes
from workbench.viewers.charts.band_plot import BandLine, BandPlot, Bands, ExportedBands
from workbench.viewers.charts.export import Export
from workbench.widgets.buttons import accent_button, quiet_button
from workbench.widgets.fields import ElidedComboBox
from workbench.widgets.labels import label
from workbench.widgets.layouts import add_items, named, row_layout
from workbench.widgets.panes import Pane
from workbench.widgets.tables import PictureOrTable, TextTable

RECORDS: Final = "The number of training records"
FIELD: Final = 220
"""Width of the field for values, at usual text size."""
ASKS_SIZES: Final = "Would more records help?"
ASKS_VALUES: Final = "Which value fits, and which fits too closely?"
ABOUT_SIZES: Final = (
    "The same learner is trained on growing parts of its training records and tested on the same records as before."
)
ABOUT_VALUES: Final = (
    "Each value is learned on part of the training records, and looked at on the rest of them, by which to choose one "
    "(validation), and on the tested records, which take no part in choosing."
)
RECORDS_OF: Final = {TRAINING: "training records", VALIDATION: TO_CHOOSE_BY, TEST: "tested records"}
"""Names of the lines."""


class SweepPane(Pane):
    """Starts, stops, continues and shows a learning curve."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__("More records, other values", parent=parent)
        self._session = session
        self._offered: object = None
        self._sweep: Sweep | None = None
        self._headline = named(label("", "verdict", wrap=True), "evaluate.sweep.headline")
        self._words = named(label("", "dim", wrap=True), "evaluate.sweep.words")
        self.plot = BandPlot("evaluate.sweep.plot", "Error by what changes")
        self.table = TextTable("evaluate.sweep.table", "Error by what changes")
        self._read = named(label("", "dim", wrap=True), "evaluate.sweep.read")
        self._exported = ExportedBands(self.plot)
        self.export = Export(self._exported, session.jobs, self)
        self._save = self.export.button("evaluate.sweep.save")
        self._pages = PictureOrTable(self.plot, self.table, "evaluate.sweep.as-table", self._rows)
        self._as_table = self._pages.switch
        self.add_action(self._as_table, self._save)
        add_items(self.body, self._headline, self._words, self._controls(), (self._pages, 1), self._read)
        self._as_table.toggled.connect(self.refresh)
        self.plot.read.connect(self._read_value)
        self.plot.copy_asked.connect(self.export.copy_table)
        session.analyses.learning_curves.changed.connect(self._changed)

    def _controls(self) -> QHBoxLayout:
        self.what = named(ElidedComboBox(), "evaluate.sweep.what", "What changes", "What changes from left to right")
        self.what.currentIndexChanged.connect(self._chosen)
        self.values = named(
            QLineEdit(),
            "evaluate.sweep.values",
            "Values",
            "Values as 1, 2, 5 or a range as 1..20; 1..20/4 takes four values of it",
        )
        self.values.setMinimumWidth(themes.px(FIELD))
        self.values.textEdited.connect(self.refresh)
        self.values.returnPressed.connect(self.start)
        self._start = accent_button("Start", "evaluate.sweep.start", "Draw this curve for the run in view", self.start)
        self._stop = quiet_button("Stop", "evaluate.sweep.stop", "Keep what is judged; go on later", self._stop_here)
        return row_layout(self.what, self.values, self._start, self._stop, 1, spacing=SPACE_2)

    # ---- what is wanted ----------------------------------------------------------------------------------------------

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
        """Starts or continues the curve."""
        run = self._session.ledger.judged
        if run is not None and not self._problem(run) and self._start.isEnabled():
            self._session.analyses.learning_curves.start(run, self._wanted())

    def _stop_here(self) -> None:
        run = self._session.ledger.judged
        if run is not None:
            self._session.analyses.learning_curves.end_early(run)

    def _offer(self, run: Run) -> None:
        """Offers the options of the run's learner and recipe."""
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

    # ---- what is known -----------------------------------------------------------------------------------------------

    def _changed(self, run: object) -> None:
        mine = self._session.ledger.judged
        if mine is None or run is not mine or not self.isVisible():
            return
        if self._session.analyses.learning_curves.job_of(mine) is None:  # it has just ended: that is said at once
            self.refresh()
        else:
            self._session.turns.later(self.refresh)

    def refresh(self) -> None:
        """Shows the wanted curve as far as it is computed."""
        run = self._session.ledger.judged
        if run is None:
            return
        self._offer(run)
        wanted, problem = self._wanted(), self._problem(run)
        sweep = None if problem else run.sweeps.get(wanted)
        is_running = self._session.analyses.learning_curves.job_of(run) is not None
        self.values.setVisible(wanted != SIZES)
        set_property(self.values, "invalid", bool(problem))
        about = ABOUT_SIZES if wanted == SIZES else ABOUT_VALUES
        if sweep is None:
            asks = ASKS_SIZES if wanted == SIZES else ASKS_VALUES
            self._headline.setText("Judging…" if is_running else asks)
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
        self._start.setText("Go on" if sweep is not None and not done else "Start")
        self._start.setVisible(not is_running)
        self._start.setEnabled(not problem and not done)
        self._stop.setVisible(is_running)
        for widget in (self.what, self.values):
            widget.setEnabled(not is_running)

    def _show(self, sweep: Sweep | None) -> None:
        if sweep is None:
            self.plot.show_bands(None)
            self._exported.rows = ()
        else:
            lines = tuple(BandLine(RECORDS_OF[line.name], line.mean, line.spread) for line in sweep.lines)
            self.plot.show_bands(Bands(sweep.what, "wrong in 100", sweep.values, sweep.places, sweep.is_number, lines))
            self._exported.rows = sweep.rows()
        self._save.setEnabled(sweep is not None)
        self._sweep = sweep
        self._pages.refresh()
        self._read_value(self.plot.at)

    def _rows(self) -> list[list[str]]:
        return [] if self._sweep is None else rows_shown(self._sweep)

    def _read_value(self, index: int) -> None:
        bands = self.plot.bands
        self._read.setText(bands.sentence(index) if bands is not None and 0 <= index < len(bands.values) else "")


def rows_shown(sweep: Sweep) -> list[list[str]]:
    """The curve as a table: errors in percent with standard errors, and the number of folds."""
    names = [f"Wrong on {RECORDS_OF[line.name].partition(' (')[0]}" for line in sweep.lines]
    rows = [[sweep.what, *names, "Parts judged"]]
    for index, value in enumerate(sweep.values):
        errors = [_error_words(line.mean[index], line.standard_error[index]) for line in sweep.lines]
        rows.append([value, *errors, str(int(sweep.lines[-1].n[index]))])
    return rows


def _error_words(mean: float, error: float) -> str:
    """ "6.7 (2.2)" in percent; without the standard error if it is unknown; empty without a result."""
    if not isfinite(mean):
        return ""
    return f"{100 * mean:.1f} ({100 * error:.1f})" if isfinite(error) else f"{100 * mean:.1f}"


def _remarks(sweep: Sweep, run: Run, is_table: bool) -> list[str]:
    """Remarks on how the curve was computed."""
    remarks = [
        "Wrong in 100, in brackets the standard error over the folds."
        if is_table
        else "Bands are the standard error over the folds."
    ]
    if sweep.method != run.method:
        remarks.append(f"Judged by {sweep.method.described()}, since {run.method.described()} makes no curve.")
    remarks.extend(f"Not all could be judged: {why}" for why in sweep.failures[:1])
    return remarks
