"""Experiments: a form that declares one, the grid of its cells while they are computed, and its results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QProgressBar,
    QStackedWidget,
    QTableView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from algorithms.core.errors import CoppiceError
from algorithms.core.learner import Learner
from algorithms.core.parameters import Parameter, ParameterKind
from algorithms.core.resampling import Method
from algorithms.data.dataset import Dataset
from algorithms.evaluation.measures.registry import in_table_order
from algorithms.experiments import SUFFIX
from algorithms.experiments.experiment import DATA, FACTORS, METHOD, RECIPE, Experiment, ExperimentData, Place
from algorithms.experiments.experiment_file import CellRecord, CellState
from algorithms.io.reading import FORMATS
from algorithms.text.numbers import amount, forecast_duration, time_left
from algorithms.text.sentences import counted
from workbench.forms.editors import CalmComboBox, LineEditor
from workbench.forms.form import ParameterForm
from workbench.jobs.jobs import Job
from workbench.jobs.ui_scheduling import FrameThrottle, MadeInPieces
from workbench.session.experiments import Experiments, OfferedData, learner_names
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, SPACE_2, SPACE_3, current_theme, themes
from workbench.tabs.evaluate.compare_pane import DataSetComparison
from workbench.tabs.evaluate.runs_checklist import ChecklistRow, RunsChecklist
from workbench.widgets.buttons import (
    SegmentTrack,
    accent_button,
    add_entry,
    menu_button,
    quiet_button,
    segment_button,
    set_caption,
)
from workbench.widgets.dialogs import ask_for_file, ask_for_files, ask_where_to_save
from workbench.widgets.examples import EmptyPage
from workbench.widgets.fields import ElidedComboBox
from workbench.widgets.help_pages import meaning
from workbench.widgets.keyboard_focus import set_visible, swap
from workbench.widgets.labels import ElidedLabel, NameDelegate, NameHeader, label
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, filled, named, row_layout, scrolled_column
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT
from workbench.widgets.panes import FailureNote, Pane
from workbench.widgets.status_line import StopButton
from workbench.widgets.tables import TIGHT, CellsModel, set_row_height, show_as_list

KIND: Final = f"Experiments (*{SUFFIX})"
TABLES: Final = f"Tables ({' '.join(format.patterns for format in FORMATS)})"
EXPORTS: Final = "CSV (*.csv);;Excel (*.xlsx);;LaTeX (*.tex);;HTML (*.html)"
SEEDS: Final = Parameter(
    name="seeds",
    kind=ParameterKind.INTEGERS,
    default=(1,),
    label="Seeds",
    help=f"{meaning('seed')} Several seeds, such as 1, 2, 3, repeat every test on other folds.",
    lo=0,
    hi=2**32 - 1,
)
SUGGESTED: Final = ("zero-r", "naive-bayes", "c4.5", "logistic-regression", "random-forest")
"""The learners that are ticked at first: one of each common family, beside the baseline."""
ROW: Final = 28
LEAST_CELL: Final = 92
NAME_SHARE: Final = 0.3
"""Largest share of the width that the names of the data sets take."""


# ---- a new experiment ------------------------------------------------------------------------------------------------


class DataTable(QTableWidget):
    """The data sets of a new experiment, each with its class, which can be changed."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__(0, 3)
        named(self, "experiment.data", "Data sets")
        self.offered: list[OfferedData] = []
        self.setHorizontalHeaderLabels(["Data set", "Class", "Records"])
        self.setItemDelegateForColumn(0, NameDelegate(self))
        self.setStyleSheet(TIGHT)
        show_as_list(self)
        themes.follow_now(self._measure)

    def put(self, data: OfferedData) -> None:
        """Shows a data set in its row, or in a new one."""
        sources = [other.source for other in self.offered]
        row = sources.index(data.source) if data.source in sources else len(sources)
        self.offered[row : row + 1] = [data]
        self.setRowCount(len(self.offered))
        name = QTableWidgetItem(data.name)
        name.setToolTip(data.problem or data.source)
        size = QTableWidgetItem("cannot be used" if data.problem else f"{data.n_records:,}" if data.is_read else "…")
        size.setToolTip(data.problem)
        size.setTextAlignment(MIDDLE_LEFT if data.problem else MIDDLE_RIGHT)
        for column, item in ((0, name), (2, size)):
            if data.problem:
                item.setForeground(current_theme().color("bad"))
            self.setItem(row, column, item)
        if data.columns:
            box = named(ElidedComboBox(), f"experiment.class.{row}", f"Class of {name.text()}", "Column to predict")
            for column_name in data.columns:
                box.addItem(column_name, column_name)
            box.setCurrentIndex(box.findData(data.class_name))
            box.setPlaceholderText("Choose")
            box.activated.connect(partial(self._choose, data.source, box))
            self.setCellWidget(row, 1, box)
        self.changed.emit()

    def remove_current(self) -> None:
        row = self.currentRow() if self.currentRow() >= 0 else len(self.offered) - 1
        if row >= 0:
            del self.offered[row]
            self.removeRow(row)
            self.changed.emit()

    def _choose(self, source: str, box: ElidedComboBox) -> None:
        for row, data in enumerate(self.offered):
            if data.source == source:
                self.offered[row] = OfferedData(source, data.columns, box.currentData(), data.n_records, data.problem)
        self.changed.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share()

    def _share(self) -> None:
        room, size = self.viewport().width(), themes.px(72)
        of_class = round(0.45 * (room - size))
        for column, width in enumerate((room - size - of_class, of_class, size)):
            self.setColumnWidth(column, width)

    def _measure(self) -> None:
        set_row_height(self, themes.px(ROW + 4))
        self._share()


class ExperimentForm(MadeInPieces, ClearWidget):
    """Declares a new experiment: data sets, learners with their settings, a test method and seeds."""

    declared = Signal(object)
    cancelled = Signal()

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._experiments = session, session.experiments
        self._settings: dict[type[Learner], Learner] = {}
        self._kinds: list[type[Learner] | None] = []
        self._ticked = {kind.id for kind in session.registry.learners if kind.id in SUGGESTED}
        self._methods = {kind: kind() for kind in session.registry.methods if not kind.needs_test_data}
        self._form: ParameterForm | None = None
        self._method_form: ParameterForm | None = None
        self._make_by(self._make(), in_pieces=True)

    def _make(self) -> Iterator[bool]:
        self.data = DataTable()
        self.learners = RunsChecklist("experiment.learners", "Learners")
        panes = row_layout(self._data_pane(), self._learners_pane(), spacing=SPACE_2)
        column_layout((panes, 1), self._foot(), inside=self, spacing=SPACE_2)
        yield True
        panes.addWidget(self._method_pane())
        yield True
        self.data.changed.connect(self._count)
        self.learners.itemChanged.connect(self._tick)
        self.learners.currentRowChanged.connect(self._show_settings)
        self._experiments.data_offered.connect(self._take)
        self._fill_learners()
        self._open_method()
        self._count()

    def _data_pane(self) -> Pane:
        pane = Pane("Data sets", parent=self)
        add = quiet_button("Add files...", "experiment.add", "Tables to compare the learners on", self.ask_for_data)
        remove = quiet_button("Remove", "experiment.remove", "Remove the chosen table", self.data.remove_current)
        pane.body.addWidget(self.data, 1)
        pane.body.addLayout(row_layout(add, remove, 1, spacing=SPACE_2))
        return pane

    def _learners_pane(self) -> Pane:
        pane = Pane("Learners", parent=self)
        pane.body.addWidget(self.learners, 1)
        return pane

    def _method_pane(self) -> Pane:
        pane = Pane("Test with", parent=self)
        self.method = named(CalmComboBox(self), "experiment.method", "Test with")
        for kind in sorted(self._methods, key=lambda kind: kind.rare):
            self.method.add(kind.name, kind.id, kind.sentence)
        self.method.currentIndexChanged.connect(self._open_method)
        self.seeds = LineEditor(SEEDS, self)
        named(self.seeds.control, "experiment.seeds", SEEDS.label, SEEDS.help)
        self.seeds.show_value(SEEDS.default)
        self.seeds.changed.connect(self._count)
        self._settings_head = label("", "heading", wrap=True)
        scroll, column = scrolled_column(pane, SPACE_2)
        self._of_method, self._of_learner = column_layout(), column_layout()
        seeds = row_layout(label(SEEDS.label, of=self.seeds.control), (self.seeds, 1), spacing=SPACE_2)
        for part in (self._of_method, seeds, self._of_learner):
            column.addLayout(part)
        self._of_learner.addWidget(self._settings_head)
        column.addStretch(1)
        pane.body.addWidget(self.method)
        pane.body.addWidget(scroll, 1)
        return pane

    def _foot(self) -> ClearWidget:
        foot = ClearWidget(self)
        self.n_cells = named(label("", "dim", wrap=True), "experiment.size")
        self.start = accent_button("Run experiment", "experiment.run", on_click=self._declare)
        cancel = quiet_button("Cancel", "experiment.cancel", "Back, without an experiment", self.cancelled.emit)
        row_layout((self.n_cells, 1), cancel, self.start, inside=foot, spacing=SPACE_2)
        return foot

    def ask_for_data(self) -> None:
        ask_for_files(self, "Add tables", TABLES, lambda path: self.add([path]), self.add)

    def add(self, paths: Sequence[str]) -> None:
        """Reads the classes of files; each is listed at once."""
        known = [data.source for data in self.data.offered]
        new = [path for path in map(str, map(Path.absolute, map(Path, paths))) if path not in known]
        for path in new:
            self.data.put(OfferedData(path))
        if new:
            self._experiments.offer(new)

    def _take(self, data: OfferedData) -> None:
        """Shows what was read of a file, unless it was removed, or another form asked for it."""
        if data.source in [listed.source for listed in self.data.offered]:
            self.data.put(data)

    def _fill_learners(self) -> None:
        rows: list[ChecklistRow] = []
        self._kinds = []
        for family, kinds in self._session.registry.families().items():
            rows.append(ChecklistRow(family, "", None, family))
            self._kinds.append(None)
            for kind in kinds:
                own = self._settings.get(kind)
                name = kind.name if own is None or own == kind() else f"{kind.name} *"
                rows.append(ChecklistRow(name, "", None, kind.sentence, kind.id in self._ticked))
                self._kinds.append(kind)
        self.learners.show_entries(rows)

    def _tick(self) -> None:
        for row, kind in enumerate(self._kinds):
            if kind is not None:
                is_on = self.learners.item(row).checkState() is Qt.CheckState.Checked
                (self._ticked.add if is_on else self._ticked.discard)(kind.id)
        self.learners.forget()
        self._count()

    def _show_settings(self, row: int) -> None:
        """Shows the settings of the chosen learner below the test method."""
        kind = self._kinds[row] if 0 <= row < len(self._kinds) else None
        self._form = self._replaced(self._form, self._of_learner)
        self._settings_head.setText("" if kind is None else kind.name)
        if kind is None:
            return
        value = self._settings.get(kind) or kind()
        form = ParameterForm(value, registry=self._session.registry, prefix="experiment.learner", parent=self)
        form.changed.connect(partial(self._keep_settings, kind, form))
        self._of_learner.addWidget(form)
        self._form = form

    def _keep_settings(self, kind: type[Learner], form: ParameterForm) -> None:
        value = form.value()
        if value is not None:
            self._settings[kind] = cast(Learner, value)
            self._fill_learners()
        self._count()

    def _open_method(self) -> None:
        kind = next(kind for kind in self._methods if kind.id == self.method.currentData())
        self._method_form = self._replaced(self._method_form, self._of_method)
        form = ParameterForm(
            self._methods[kind], registry=self._session.registry, prefix="experiment.method", parent=self
        )
        form.changed.connect(self._edit_method)
        self._of_method.addWidget(form)
        form.setVisible(not form.is_empty)
        self._method_form = form
        self._count()

    def _edit_method(self) -> None:
        value = None if self._method_form is None else self._method_form.value()
        if value is not None:
            self._methods[cast("type[Method]", type(value))] = cast(Method, value)
        self._count()

    @staticmethod
    def _replaced(form: ParameterForm | None, place: Any) -> None:
        if form is not None:
            place.removeWidget(form)
            form.hide()
            form.setParent(None)  # at once: another form with the same names comes now
            form.deleteLater()

    def experiment(self) -> Experiment:
        """What the form declares; raises :class:`CoppiceError` with what is missing or wrong."""
        forms = (self._method_form, self._form)
        wrong = next((form.error() for form in forms if form is not None and form.error()), "")
        if wrong:
            raise CoppiceError(wrong)
        method = next(value for kind, value in self._methods.items() if kind.id == self.method.currentData())
        usable = [data for data in self.data.offered if not data.problem]
        unknown = next((data for data in usable if data.class_name is None and data.is_read), None)
        if unknown is not None:
            raise CoppiceError(f"Choose the class of {unknown.name}.")
        kinds = [kind for kind in self._kinds if kind is not None and kind.id in self._ticked]
        return Experiment(
            data=tuple(ExperimentData(data.source, data.class_name) for data in usable),
            learners=tuple(self._settings.get(kind) or kind() for kind in kinds),
            methods=(method,),
            seeds=tuple(self.seeds.value()),
        )

    def _count(self) -> None:
        """Says how many cells the experiment has, or what is missing."""
        is_ready = bool(self.data.offered) and all(data.is_read for data in self.data.offered)
        try:
            declared = self.experiment()
        except CoppiceError as error:
            self.start.setEnabled(False)
            self.n_cells.setText(
                "Add the tables to compare the learners on." if not self.data.offered else error.sentence
            )
            return
        self.start.setEnabled(is_ready)
        parts = [counted(len(declared.data), "data set"), counted(len(declared.learners), "learner")]
        if len(declared.seeds) > 1:
            parts.append(counted(len(declared.seeds), "seed"))
        self.n_cells.setText(f"{' × '.join(parts)} = {counted(declared.n_cells, 'cell')}")

    def _declare(self) -> None:
        try:
            self.declared.emit(self.experiment())
        except CoppiceError:
            self._count()


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
            data, methods, recipes = (experiment.names(factor) for factor in (DATA, METHOD, RECIPE))
            for d, name in enumerate(data):
                for m, method in enumerate(methods):
                    for seed in experiment.seeds:
                        more = [method] if len(methods) > 1 else []
                        more += [f"seed {seed}"] if len(experiment.seeds) > 1 else []
                        self._rows.append(((d, m, seed), " · ".join([name, *more])))
            for r, recipe in enumerate(recipes):
                for a, learner in enumerate(learner_names(experiment)):
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
        foot = row_layout((self.words, 1), self.open, self.repeat, self.leave_out, spacing=SPACE_2)
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


# ---- the page --------------------------------------------------------------------------------------------------------

EMPTY, FORM, CELLS, RESULTS = range(4)
ALL: Final = "all cells"
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
        about = "Learners × data sets: each cell is tested and kept in a file, which can be stopped and continued."
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
        filled(self._stack, self.empty, self.form, self.cells, self.results)
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
            names = experiment.names(factor) if experiment is not None else ()
            for name in names if len(names) > 1 and factor is not DATA else ():
                self.only.addItem(f"{factor.word} {name}", (factor.word, name))

    def refresh(self) -> None:
        """Shows the present state."""
        experiments = self._experiments
        has_one = experiments.experiment is not None
        view = FORM if experiments.is_declaring else EMPTY if not has_one else self._views.checkedId()
        is_shown = view in (CELLS, RESULTS)
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
        set_caption(self.start, "Continue" if n_ended else "Run experiment")
        set_visible(is_running, self.bar)
        self.bar.setRange(0, max(1, n))
        self.bar.setValue(n_ended)
        failed = f", {counts[CellState.FAILED]} failed" if counts[CellState.FAILED] else ""
        self.set_facts(f"{counts[CellState.DONE]} of {counted(n, 'cell')} done{failed}" if is_shown else "")
        seconds, words = experiments.forecast(), ""
        if is_running and job is not None:
            left = job.seconds_left
            words = "" if left is None else time_left(left)
        elif experiments.n_to_run and seconds:
            words = f"about {forecast_duration(seconds)} of work left"
        self.left_words.setText(words)
        set_visible(bool(words), self.left_words)

    def _choices(self, view: int) -> None:
        choice, table = self._experiments.choice, self._experiments.results.table
        set_visible(view == RESULTS and self.only.count() > 1, self.only)
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
        ask_where_to_save(self, "Export", EXPORTS, name, lambda path: self._experiments.export(path, what))

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
