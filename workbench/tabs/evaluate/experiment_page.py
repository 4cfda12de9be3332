"""Experiments: the grid of cells while they are computed, and the results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QProgressBar,
    QStackedWidget,
    QTableView,
    QWidget,
)

from algorithms.data.dataset import Dataset
from algorithms.evaluation.compare.multi_comparison import listed
from algorithms.evaluation.measures.measure import Unit
from algorithms.evaluation.measures.registry import in_table_order
from algorithms.experiments import SUFFIX
from algorithms.experiments.experiment import DATA, FACTORS, LEARNER, METHOD, RECIPE, Experiment, Place
from algorithms.experiments.experiment_file import CellRecord, CellState, FailureKind
from algorithms.experiments.results import pareto_front
from algorithms.text.numbers import amount, forecast_duration, time_left
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Job
from workbench.jobs.ui_scheduling import FrameThrottle, MadeInPieces
from workbench.session.experiments import Experiments, level_names
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, SPACE_2, SPACE_3, current_theme, themes
from workbench.tabs.evaluate.compare_pane import DataSetComparison
from workbench.tabs.evaluate.experiment_form import ROW, TABLES, ExperimentForm
from workbench.viewers.charts.chart_base import ExportedChart
from workbench.viewers.charts.export import Export
from workbench.viewers.charts.significance_charts import TimeChart, TimedLearner
from workbench.widgets.buttons import (
    SegmentTrack,
    accent_button,
    add_entry,
    menu_button,
    quiet_button,
    segment_button,
    set_caption,
)
from workbench.widgets.dialogs import CSV, ask_for_file, ask_where_to_save, ask_where_to_save_table
from workbench.widgets.examples import EmptyPage
from workbench.widgets.fields import ElidedComboBox
from workbench.widgets.keyboard_focus import set_visible, swap
from workbench.widgets.labels import ElidedLabel, NameDelegate, NameHeader, label
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, filled, named, row_layout
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT
from workbench.widgets.panes import FailureNote, Pane
from workbench.widgets.status_line import StopButton
from workbench.widgets.tables import CellsModel, set_row_height, show_as_list

KIND: Final = f"Experiments (*{SUFFIX})"
EXPORTS: Final = f"{CSV};;Excel (*.xlsx);;LaTeX (*.tex);;HTML (*.html)"
LEAST_CELL: Final = 92
NAME_SHARE: Final = 0.3
"""Largest share of the width that the names of the data sets take."""


# ---- the grid --------------------------------------------------------------------------------------------------------

STATES: Final = {
    CellState.WAITING: "waiting",
    CellState.FAILED: "failed",
    CellState.LEFT_OUT: "left out",
}
TONES: Final = {CellState.WAITING: "dim", CellState.FAILED: "bad", CellState.LEFT_OUT: "faint"}


def value_text(record: CellRecord, measure: str) -> str:
    """The value of a measure of a cell; empty if it has none."""
    value = record.measures.get(measure)
    unit = next(each.unit for each in in_table_order() if each.id == measure)
    return unit.text(value, record.n_records) if value is not None else ""


class CellsOfGrid(CellsModel):
    """A row for each data set, method and seed, whose cells share their folds; a column for each learner and recipe."""

    def __init__(self, experiments: Experiments) -> None:
        super().__init__()
        self._experiments = experiments
        self._rows: list[tuple[tuple[int, int, int], str]] = []
        self._columns: list[tuple[tuple[int, int], str]] = []
        self._best: set[tuple[int, int]] = set()

    def rebuild(self) -> None:
        """Takes the factors of another experiment."""
        self.beginResetModel()
        experiment = self._experiments.experiment
        self._rows, self._columns = [], []
        if experiment is not None:
            data, methods, recipes = (level_names(experiment, factor) for factor in (DATA, METHOD, RECIPE))
            for d, name in enumerate(data):
                for m, method in enumerate(methods):
                    for seed in experiment.seeds:
                        more = [method] if len(methods) > 1 else []
                        more += [f"seed {seed}"] if len(experiment.seeds) > 1 else []
                        self._rows.append(((d, m, seed), " · ".join([name, *more])))
            for r, recipe in enumerate(recipes):
                for a, learner in enumerate(level_names(experiment, LEARNER)):
                    self._columns.append(((a, r), f"{learner} · {recipe}" if len(recipes) > 1 else learner))
        self.endResetModel()
        self.refresh()

    def refresh(self) -> None:
        """Shows the present states."""
        measure = next(each for each in in_table_order() if each.id == self._experiments.choice.measure)
        self._best = set()
        for row in range(len(self._rows)):
            values = {
                column: record.measures[measure.id]
                for column in range(1, len(self._columns) + 1)
                if (record := self.record(row, column)) is not None
                and record.state is CellState.DONE
                and measure.id in record.measures
            }
            if len(values) > 1:
                best = (max if measure.higher_is_better else min)(values.values())
                self._best |= {(row, column) for column, value in values.items() if value == best}
        self.changed()

    def place(self, row: int, column: int) -> Place | None:
        if column < 1 or not (row < len(self._rows) and column <= len(self._columns)):
            return None
        (data, method, seed), (learner, recipe) = self._rows[row][0], self._columns[column - 1][0]
        return data, learner, recipe, method, seed

    def record(self, row: int, column: int) -> CellRecord | None:
        place = self.place(row, column)
        return None if place is None else self._experiments.records.get(place)

    def name(self, row: int, column: int) -> str:
        return f"{self._columns[column - 1][1]} on {self._rows[row][1]}"

    def size(self) -> tuple[int, int]:
        return len(self._rows), len(self._columns) + 1

    def heading(self, column: int) -> str:
        return "Data set" if column == 0 else self._columns[column - 1][1]

    def heading_tip(self, column: int) -> str:
        return self.heading(column)

    def text(self, row: int, column: int) -> str:
        record = self.record(row, column)
        if record is None:
            return self._rows[row][1] if column == 0 else ""
        if self.place(row, column) in self._experiments.running:
            return "running"
        if record.state is CellState.DONE:
            return value_text(record, self._experiments.choice.measure) or "–"
        return STATES[record.state]

    def tip(self, row: int, column: int) -> str:
        record = self.record(row, column)
        return self._rows[row][1] if record is None else self.words(row, column)

    def words(self, row: int, column: int) -> str:
        """What is known of a cell, in a sentence."""
        record = self.record(row, column)
        if record is None:
            return ""
        head = f"{self.name(row, column)}: {self.text(row, column)}"
        if record.state is CellState.DONE:
            head += f", training {amount(record.fit_seconds)} s, testing {amount(record.predict_seconds)} s"
        return f"{head}. {record.message}".strip() if record.message else f"{head}."

    def value(self, row: int, column: int, role: int) -> Any:
        record = self.record(row, column)
        if record is None:
            return None
        if role == Qt.ItemDataRole.ForegroundRole:
            is_running = self.place(row, column) in self._experiments.running
            tone = "accent" if is_running else TONES.get(record.state)
            return None if tone is None else current_theme().color(tone)
        if role == Qt.ItemDataRole.FontRole and (row, column) in self._best:
            font = QFont()
            font.setWeight(QFont.Weight.DemiBold)
            return font
        return self.words(row, column) if role == Qt.ItemDataRole.AccessibleTextRole else None

    def side(self, column: int) -> Qt.AlignmentFlag:
        return MIDDLE_LEFT if column == 0 else MIDDLE_RIGHT


class CellGrid(QTableView):
    """The grid of cells; columns share the width, at least as wide as a value."""

    def __init__(self, experiments: Experiments) -> None:
        super().__init__()
        named(self, "experiment.grid", "Cells of the experiment")
        self.cells = CellsOfGrid(experiments)
        self.setHorizontalHeader(NameHeader(Qt.Orientation.Horizontal, self))
        self.setModel(self.cells)
        show_as_list(self, rows=False, several=True)
        self.setItemDelegateForColumn(0, NameDelegate(self))
        self.setHorizontalScrollMode(QTableView.ScrollMode.ScrollPerPixel)
        self.cells.modelReset.connect(self._share)
        self.clicked.connect(lambda index: None if index.column() else self.selectRow(index.row()))
        themes.follow_now(self._measure)

    def chosen(self) -> list[tuple[int, int]]:
        """Row and column of the selected cells."""
        indices = self.selectionModel().selectedIndexes()
        return [(i.row(), i.column()) for i in indices if self.cells.record(i.row(), i.column()) is not None]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share()

    def _share(self) -> None:
        room, n = self.viewport().width(), max(1, self.cells.columnCount() - 1)
        name = min(self.sizeHintForColumn(0) + SPACE_3, round(NAME_SHARE * room))
        name = max(name, themes.px(LEAST_CELL))
        width = max(themes.px(LEAST_CELL), min((room - name) // n, themes.px(2 * LEAST_CELL)))
        for column in range(self.cells.columnCount()):
            self.setColumnWidth(column, width if column else name)

    def _measure(self) -> None:
        set_row_height(self, themes.px(ROW))
        self._share()


class CellsView(ClearWidget):
    """The grid, and below it what is known of the chosen cells and what can be done with them."""

    open_asked = Signal(object)

    def __init__(self, experiments: Experiments, parent: QWidget) -> None:
        super().__init__(parent)
        self._experiments = experiments
        self.grid = CellGrid(experiments)
        self.words = named(label("", wrap=True), "experiment.cell")
        self.open = quiet_button(
            "Open as run", "experiment.open-cell", "Open its data set, with matrix, curves and model", self._open
        )
        self.repeat = quiet_button("Repeat", "experiment.repeat", "Compute the chosen cells again", self._repeat)
        self.leave_out = quiet_button("Leave out", "experiment.leave-out", on_click=self._leave_out)
        self.locate = quiet_button(
            "Locate file...", "experiment.locate", "Point to where the file of this data set lies now", self._locate
        )
        foot = row_layout((self.words, 1), self.locate, self.open, self.repeat, self.leave_out, spacing=SPACE_2)
        column_layout((self.grid, 1), foot, inside=self, spacing=SPACE_2)
        self.grid.selectionModel().selectionChanged.connect(lambda *_: self.refresh())

    def refresh(self) -> None:
        """Shows the chosen cells."""
        chosen, cells = self.grid.chosen(), self.grid.cells
        records = self._records()
        is_free = not self._experiments.is_running
        left_out = bool(records) and all(record.state is CellState.LEFT_OUT for record in records)
        if len(chosen) == 1:
            self.words.setText(cells.words(*chosen[0]))
        else:
            hint = "Click a cell to see how it was computed, or why it failed."
            self.words.setText(f"{counted(len(chosen), 'cell')} chosen." if chosen else hint)
        self.open.setEnabled(len(records) == 1 and records[0].state is CellState.DONE)
        self.repeat.setEnabled(is_free and any(record.state is not CellState.WAITING for record in records))
        self.leave_out.setEnabled(is_free and bool(records))
        set_caption(self.leave_out, "Use again" if left_out else "Leave out")
        tip = "Compute and compare it again" if left_out else "Neither compute nor compare the chosen cells"
        self.leave_out.setToolTip(tip if is_free else "Stop the experiment first")
        set_visible(bool(records), self.open, self.repeat, self.leave_out)
        self.locate.setEnabled(is_free)
        set_visible(self._lost() is not None, self.locate)

    def _lost(self) -> int | None:
        """The data set of the chosen cells if it is a file that could not be used; None for cells of several."""
        experiment, records = self._experiments.experiment, self._records()
        indices = {record.cell.data for record in records}
        is_lost = any(record.failure is FailureKind.DATA for record in records)
        if experiment is None or len(indices) != 1 or not is_lost:
            return None
        (index,) = indices
        return index if experiment.data[index].is_file else None

    def _locate(self) -> None:
        index = self._lost()
        if index is not None:
            ask_for_file(self, "Locate the data file", TABLES, partial(self._experiments.locate, index))

    def _records(self) -> list[CellRecord]:
        records = (self.grid.cells.record(row, column) for row, column in self.grid.chosen())
        return [record for record in records if record is not None]

    def _open(self) -> None:
        self.open_asked.emit(self._records()[0])

    def _repeat(self) -> None:
        self._experiments.repeat([record.cell for record in self._records()])

    def _leave_out(self) -> None:
        records = self._records()
        is_back = all(record.state is CellState.LEFT_OUT for record in records)
        act = self._experiments.put_back if is_back else self._experiments.leave_out
        act([record.cell for record in records])


class TimesView(ClearWidget):
    """What accuracy costs in time: a dot for each learner, filled if no other one is both quicker and better."""

    def __init__(self, experiments: Experiments, parent: QWidget) -> None:
        super().__init__(parent)
        self._experiments = experiments
        self.words = named(label("", wrap=True), "experiment.times.words")
        self.chart = TimeChart("experiment.times")
        self.chart.told.connect(self._tell)
        export = Export(ExportedChart(self.chart, "times", "Value and training time"), experiments.jobs, self)
        self.chart.copy_asked.connect(export.copy_table)
        self.menu = export.button("experiment.times.menu")
        head = row_layout((self.words, 1), self.menu, spacing=SPACE_2)
        column_layout(head, (self.chart, 1), inside=self, spacing=SPACE_2)

    def refresh(self) -> None:
        """Shows the competitors that have times and values, both over the rows without gaps."""
        table = self._experiments.results.table
        learners: list[TimedLearner] = []
        if table is not None and len((whole := table.whole).rows):
            means, unit = whole.scores.mean(axis=0).tolist(), table.measure.unit
            known = [
                (name, seconds, mean)
                for name, seconds, mean in zip(whole.competitors, whole.mean_seconds, means, strict=True)
                if seconds is not None
            ]
            times, values = [seconds for _, seconds, _ in known], [mean for *_, mean in known]
            front = pareto_front(times, values, higher_is_better=table.measure.higher_is_better)
            learners = [
                TimedLearner(name, seconds, mean, unit.text(mean), is_on_front)
                for (name, seconds, mean), is_on_front in zip(known, front, strict=True)
            ]
        if table is not None:
            self.chart.show_learners(learners, table.measure.name, is_share=table.measure.unit is Unit.PERCENT)
        set_visible(bool(learners), self.chart, self.menu)
        self._tell("")

    def _tell(self, words: str) -> None:
        names = [learner.name for learner in self.chart.learners if learner.is_on_front]
        if not names:
            words = "Not enough results yet: some data set needs a value of every learner."
        self.words.setText(words or f"No other learner is both quicker and better than {listed(names)} (Pareto front).")


# ---- the page --------------------------------------------------------------------------------------------------------

EMPTY, FORM, CELLS, RESULTS, TIMES = range(5)
ALL: Final = "all cells"
REPEAT_FAILED: Final = "Repeat failed cells"
NO_BASELINE: Final = "no baseline"


class ExperimentPage(MadeInPieces, Pane):
    """The page of experiments, in Evaluate and from the start page."""

    left = Signal()
    """Back to where the page was opened from."""

    def __init__(
        self, session: Session, parent: QWidget | None = None, way_back: str = "", *, in_pieces: bool = False
    ) -> None:
        """``way_back`` is the caption of a button that leaves the page, if it has one."""
        super().__init__("Experiment", parent=parent)
        self._session, self._experiments = session, session.experiments
        self.setObjectName("experiment")
        self._stack = QStackedWidget(self)
        self._job: Job | None = None
        self._following = FrameThrottle(self.refresh, self)
        self._make_by(self._make(way_back), in_pieces)

    def _make(self, way_back: str) -> Iterator[bool]:
        self.empty = EmptyPage("comparison", "experiment.empty", self._stack)
        about = "Learners × data sets: a file keeps each tested cell. An experiment can be stopped and continued."
        self.empty.show_words(
            "Which learner is best on many tables?", about, "New experiment", self._experiments.declare
        )
        opener = quiet_button("Open experiment...", "experiment.empty.open", f"A file *{SUFFIX}", self.ask_for_file)
        self.empty.body.insertWidget(5, opener, 0, Qt.AlignmentFlag.AlignHCenter)
        yield True
        self.form = yield from ExperimentForm(self._session, self._stack).rest()
        self.form.declared.connect(self._ask_where)
        self.form.cancelled.connect(self._cancel)
        yield True
        self.cells = CellsView(self._experiments, self._stack)
        self.cells.open_asked.connect(self._open_as_run)
        self.results = DataSetComparison(self._experiments, self._stack)
        self.times = TimesView(self._experiments, self._stack)
        filled(self._stack, self.empty, self.form, self.cells, self.results, self.times)
        yield True
        self._make_controls(way_back)
        self.failure = FailureNote("experiment", self._experiments.run)
        add_items(self.body, self._line, self.failure, (self._stack, 1))
        self._experiments.changed.connect(self._following.wish)
        self._experiments.opened.connect(self._opened)
        themes.follow(self.refresh)
        self._opened()

    def _make_controls(self, way_back: str) -> None:
        self._line = ClearWidget(self)
        self._views = QButtonGroup(self)
        for view, title, tip in (
            (CELLS, "Cells", "The state and the value of every cell"),
            (RESULTS, "Results", "Which learner is best, with tests over the data sets"),
            (TIMES, "Times", "The values of the learners beside their training times"),
        ):
            self._views.addButton(segment_button(title, f"experiment.view.{title.lower()}", tip), view)
        self._views.button(CELLS).setChecked(True)
        self._views.idClicked.connect(lambda _view: self.refresh())
        self.measure = named(
            ElidedComboBox(), "experiment.measure", "Measure", "The measure that is shown and compared"
        )
        self.only = named(ElidedComboBox(), "experiment.only", "Cells", "Keep the cells of one level only")
        self.baseline = named(ElidedComboBox(), "experiment.baseline", "Baseline", "Compare all others with this one")
        for box, act in (
            (self.measure, self._choose_measure),
            (self.only, self._choose_only),
            (self.baseline, self._choose_baseline),
        ):
            box.setSizeAdjustPolicy(ElidedComboBox.SizeAdjustPolicy.AdjustToContents)
            box.activated.connect(act)
        for each in in_table_order():
            if each.has_whole:
                self.measure.addItem(each.name, each.id)
        self.export = menu_button("Export", "experiment.export", "Write a table as CSV, Excel, LaTeX or HTML")
        for what, text, tip in (
            ("cells", "All cells...", "A row for each cell, with all measures and times"),
            ("scores", "Values by data set...", "A row for each data set, a column for each learner"),
            ("against", "Comparison with the baseline...", "Differences, wins and p-values; choose a baseline first"),
        ):
            add_entry(self.export.menu(), f"experiment.export.{what}", text, tip, partial(self._ask_to_export, what))
        self._more = more = menu_button("Experiment", "experiment.more", "A new experiment, or another file")
        add_entry(more.menu(), "experiment.new", "New experiment...", "Declare another one", self._experiments.declare)
        add_entry(more.menu(), "experiment.open", "Open experiment...", f"A file *{SUFFIX}", self.ask_for_file)
        self.start = accent_button("Run experiment", "experiment.continue", on_click=self._experiments.run)
        self.stop = StopButton("experiment.stop", "Stop; the cells that are done are kept", self._experiments.stop)
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Cells that are done")
        self.left_words = named(ElidedLabel("", "facts"), "experiment.left")
        back = [quiet_button(way_back, "experiment.back", "Leave this page", self.left.emit)] if way_back else []
        self.add_action(*back, more, self.export, self.start, self.stop)
        chooses = row_layout(
            SegmentTrack(*self._views.buttons()), self.measure, self.only, self.baseline, 1, spacing=SPACE_2
        )
        progress = row_layout((self.bar, 1), self.left_words, spacing=SPACE_2)
        column_layout(chooses, progress, inside=self._line, spacing=SPACE_1)

    # ---- what is shown -----------------------------------------------------------------------------------------------

    def _cancel(self) -> None:
        self._experiments.declare(False)
        if self._experiments.experiment is None:
            self.left.emit()

    def _opened(self) -> None:
        self._views.button(CELLS).setChecked(True)
        self.cells.grid.cells.rebuild()
        self._offer()
        self.refresh()

    def _offer(self) -> None:
        """Offers the levels of the factors that vary."""
        experiment = self._experiments.experiment
        self.only.clear()
        self.only.addItem(ALL, None)
        for factor in FACTORS if experiment is not None else ():
            ids = experiment.names(factor) if experiment is not None and factor is not DATA else ()
            if experiment is not None and len(ids) > 1:
                for id, name in zip(ids, level_names(experiment, factor), strict=True):
                    self.only.addItem(f"{factor.word} {name}", (factor.word, id))

    def refresh(self) -> None:
        """Shows the present state."""
        experiments = self._experiments
        has_one = experiments.experiment is not None
        view = FORM if experiments.is_declaring else EMPTY if not has_one else self._views.checkedId()
        is_shown = view in (CELLS, RESULTS, TIMES)
        self.set_title("New experiment" if view == FORM else experiments.name() or "Experiment")
        self._line.setVisible(is_shown)
        set_visible(is_shown, self.export, self._more)
        self._show_work(is_shown)
        self.failure.show_failure(experiments.failure, "Try again" if is_shown and experiments.n_to_run else "")
        self._choices(view)
        self._stack.setCurrentIndex(view)
        self.cells.grid.cells.refresh()
        self.cells.refresh()
        if view == RESULTS:
            self.results.refresh()
        elif view == TIMES:
            self.times.refresh()

    def _show_work(self, is_shown: bool) -> None:
        experiments, counts = self._experiments, self._experiments.counts
        n = sum(counts.values()) - counts[CellState.LEFT_OUT]
        n_ended = counts[CellState.DONE] + counts[CellState.FAILED]
        is_running, job = experiments.is_computing, experiments.job
        swap(self.start, self.stop, is_running)
        set_visible(is_shown and not is_running and experiments.n_to_run > 0, self.start)
        set_visible(is_shown and is_running, self.stop)
        if is_running and job is not self._job and job is not None:
            job.progressed.connect(self._following.wish)
        self._job = job
        self.stop.follow(job)
        has_waiting = counts[CellState.WAITING] > 0
        set_caption(self.start, "Run experiment" if not n_ended else "Continue" if has_waiting else REPEAT_FAILED)
        set_visible(is_running, self.bar)
        self.bar.setRange(0, max(1, n))
        self.bar.setValue(n_ended)
        failed = f", {counts[CellState.FAILED]} failed" if counts[CellState.FAILED] else ""
        self.set_facts(f"{counts[CellState.DONE]} of {counted(n, 'cell')} done{failed}" if is_shown else "")
        seconds, words = experiments.forecast(), ""
        if is_running and job is not None:
            left = job.seconds_left
            words = "" if left is None else time_left(left)
        elif has_waiting and seconds:
            words = f"about {forecast_duration(seconds)} of work left"
        self.left_words.setText(words)
        set_visible(bool(words), self.left_words)

    def _choices(self, view: int) -> None:
        choice, table = self._experiments.choice, self._experiments.results.table
        set_visible(view in (RESULTS, TIMES) and self.only.count() > 1, self.only)
        set_visible(view == RESULTS and table is not None, self.baseline)
        with QSignalBlocker(self.measure):
            self.measure.setCurrentIndex(self.measure.findData(choice.measure))
        with QSignalBlocker(self.only):
            self.only.setCurrentIndex(max(0, self.only.findData(choice.where[0]) if choice.where else 0))
        names = () if table is None else table.competitors
        with QSignalBlocker(self.baseline):
            self.baseline.clear()
            self.baseline.addItem(NO_BASELINE, "")
            for name in names:
                self.baseline.addItem(f"against {name}", name)
            self.baseline.setCurrentIndex(max(0, self.baseline.findData(choice.baseline)))
        for entry in self.export.menu().actions():
            if entry.objectName().endswith("against"):
                entry.setEnabled(bool(self._experiments.results.against))

    def _choose_measure(self) -> None:
        self._experiments.choose(measure=self.measure.currentData())

    def _choose_only(self) -> None:
        level = self.only.currentData()
        self._experiments.choose(where=() if level is None else (tuple(level),))

    def _choose_baseline(self) -> None:
        self._experiments.choose(baseline=self.baseline.currentData())

    # ---- files -------------------------------------------------------------------------------------------------------

    def ask_for_file(self) -> None:
        ask_for_file(self, "Open experiment", KIND, self._experiments.open)

    def _ask_where(self, declared: Experiment) -> None:
        create: Callable[[str], object] = lambda path: self._experiments.create(path, declared)  # noqa: E731
        folder = str(Path(declared.data[0].source).parent)
        ask_where_to_save(self, "Save the experiment", KIND, f"experiment{SUFFIX}", create, folder)

    def _ask_to_export(self, what: str) -> None:
        name = f"{self._experiments.name()}-{what}.csv"
        export = self._experiments.export
        ask_where_to_save_table(self, "Export", EXPORTS, name, lambda path, neutral: export(path, what, neutral))

    def _open_as_run(self, record: CellRecord) -> None:
        self._experiments.open_as_run(record, self._session.data, self._enter)

    def _enter(self, run: Run, data: Dataset | None) -> None:
        """Puts the run of a cell among the runs, on its own table if another one is open, and shows it."""
        session = self._session
        if data is not None:
            session.set_document(data, place={"tab": "Evaluate", "page": "performance"})
        session.ledger.enter(run)
        session.set_current_run(run)
        session.ask_for_page("performance")
