"""Where the error of the run in view comes from: bias and variance, and the boundary that most models have."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QHBoxLayout,
    QSpinBox,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from algorithms.evaluation.leaning import SETS, Leaning, Plane, leaning_words, most_records
from workbench.axes import first_axes
from workbench.evaluate.averaged_boundary import AveragedBoundary
from workbench.leanings import Leanings
from workbench.parts import Pane, accent_button, label, quiet_button, with_room
from workbench.parts.fields import NumberField
from workbench.parts.scrolling import over_canvas
from workbench.parts.text_table import TextTable
from workbench.runs import Run
from workbench.session import Session
from workbench.theme import SPACE_2
from workbench.views.export import Export
from workbench.views.leaning_bars import ExportedLeaning, LeaningBars, LeaningRow

ASKS: Final = "Would another training set have led to another model?"
ABOUT: Final = (
    "Many training sets are drawn of this table, a model is learned from each, and all are asked about the same other "
    "records. What most of them have wrong together is bias; where one is wrong and most are right it is variance."
)
MOST_SETS: Final = 1000


class LeaningPage(QWidget):
    """Bars of every run that was measured beside the averaged boundary of the one in view."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "clear")
        self._session = session
        self._offered: object = None
        self.leanings = Leanings(session)
        self.bars = LeaningBars()
        self.table = TextTable("evaluate.leaning.table", "What the error comes from")
        self.boundary = AveragedBoundary(session)
        self.export = Export(ExportedLeaning(self.bars), session.jobs, self)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.setHandleWidth(10)
        split.addWidget(self._made_numbers())
        split.addWidget(self.boundary)
        split.setSizes([520, 620])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(split)
        self.bars.chosen.connect(self._row_meant)
        self.bars.copy_asked.connect(self.export.copy_table)
        self.leanings.changed.connect(self._changed)

    def _made_numbers(self) -> Pane:
        self._pane = Pane("Bias and variance")
        self._as_table = quiet_button("As table", "evaluate.leaning.as-table", "The same as a table")
        self._as_table.setCheckable(True)
        self._as_table.toggled.connect(self.refresh)
        self._save = self.export.button("evaluate.leaning.save")
        for action in (self._as_table, self._save):
            self._pane.add_action(action)
        self._headline = label("", "verdict", wrap=True)
        self._headline.setObjectName("evaluate.leaning.headline")
        self._words = label("", "dim", wrap=True)
        self._words.setObjectName("evaluate.leaning.words")
        self._pages = QStackedWidget()
        self._pages.addWidget(over_canvas(self.bars))
        self._pages.addWidget(self.table)
        for widget in (self._headline, self._words):
            self._pane.body.addWidget(widget)
        self._pane.body.addLayout(self._controls())
        self._pane.body.addWidget(self._pages, 1)
        return self._pane

    def _controls(self) -> QHBoxLayout:
        self.sets = _spin("evaluate.leaning.sets", "Training sets", "How many training sets are drawn", 2, MOST_SETS)
        self.sets.setValue(SETS)
        self.records = _spin("evaluate.leaning.records", "Records in each", "How many records each has", 1, 1)
        self._start = accent_button("Start", "evaluate.leaning.start", "Learn from all these training sets", self.start)
        self._stop = quiet_button("Stop", "evaluate.leaning.stop", "Keep what was measured so far", self._stop_here)
        row = QHBoxLayout()
        row.setSpacing(SPACE_2)
        for text, field in (("Sets", self.sets), ("Records in each", self.records)):
            said = label(text)
            said.setBuddy(field)
            row.addWidget(said)
            row.addWidget(field)
        row.addWidget(self._start)
        row.addWidget(self._stop)
        row.addStretch(1)
        return row

    # ---- what is wanted ----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Measure the run in view."""
        run = self._session.ledger.judged
        if run is not None and self._start.isEnabled():
            self.leanings.start(run, self.sets.value(), self.records.value(), self._plane(run))

    def _stop_here(self) -> None:
        run = self._session.ledger.judged
        if run is not None:
            self.leanings.end_early(run)

    def _plane(self, run: Run) -> Plane | None:
        """The two attributes that the picture is about, as far as their scales go."""
        structure = None if run.trained is None else run.trained.structure()
        names = first_axes(run.data, structure)
        if names is None or names[0] == names[1]:
            return None
        schema = run.data.schema
        return self.boundary.plane_of(run.data, schema.index_of(names[0]), schema.index_of(names[1]))

    def _offer(self, run: Run) -> None:
        if self._offered is run.data:
            return
        self._offered = run.data
        most = max(1, most_records(run.data))
        self.records.setRange(1, most)
        self.records.setValue(max(1, most // 2))

    def _row_meant(self, row: int) -> None:
        self._session.set_current_run(self._measured()[row])

    def _measured(self) -> list[Run]:
        """The runs on the table of the run in view that were measured, in their order."""
        shown = self._session.ledger.judged
        runs = self._session.runs
        return [run for run in runs if self.leanings.found(run) and shown is not None and run.data is shown.data]

    # ---- what is known -----------------------------------------------------------------------------------------------

    def _changed(self, run: object) -> None:
        mine = self._session.ledger.judged
        if mine is None or run is not mine or not self.isVisible():
            return
        if self.leanings.job_of(mine) is None:
            self.refresh()
        else:
            self._session.turns.later(self.refresh)

    def refresh(self) -> None:
        """Show what was measured of the run in view, beside the others."""
        run = self._session.ledger.judged
        if run is None:
            return
        self._offer(run)
        found, is_running = self.leanings.found(run), self.leanings.job_of(run) is not None
        measured = self._measured()
        rows = [_row(each, self.leanings.found(each)) for each in measured]
        self.bars.show_rows([row for row in rows if row is not None], measured.index(run) if run in measured else -1)
        if found is None:
            self._headline.setText("Learning from many training sets…" if is_running else ASKS)
            self._words.setText(ABOUT)
        else:
            first, _, rest = leaning_words(found).partition(". ")
            self._headline.setText(f"{first.removesuffix('.')}.")
            self._words.setText(rest)
        so_far = "" if found is None else f" · {found.sets} of {found.planned} sets of {found.records:,}"
        self._pane.set_facts(f"run {run.number}, {run.learner.summary()}{so_far}", f"run {run.number}{so_far}")
        self._pages.setCurrentIndex(int(self._as_table.isChecked()))
        if self._as_table.isChecked():
            self.table.show_rows(self.bars.shown() if self.bars.rows else [])
        self._start.setVisible(not is_running)
        self._start.setText("Start" if found is None else "Start again")
        self._stop.setVisible(is_running)
        self._save.setEnabled(bool(self.bars.rows))
        for widget in (self.sets, self.records):
            widget.setEnabled(not is_running)
        self.boundary.show_leaning(run, found)


def _row(run: Run, found: Leaning | None) -> LeaningRow | None:
    if found is None:
        return None
    name = f"{run.number} · {run.learner.summary()}"
    return LeaningRow(name, *found.parts, found.sets, found.records)


def _spin(name: str, says: str, tip: str, low: int, high: int) -> QSpinBox:
    made = NumberField()
    with_room(made)
    made.setObjectName(name)
    made.setAccessibleName(says)
    made.setToolTip(tip)
    made.setGroupSeparatorShown(True)
    made.setRange(low, high)
    return made
