"""The form that declares a new experiment: data sets, learners, test methods, recipes and seeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from algorithms.core.errors import CoppiceError
from algorithms.core.filters import Filter, Recipe
from algorithms.core.learner import Learner
from algorithms.core.parameters import Configurable, Parameter, ParameterKind
from algorithms.core.resampling import Method
from algorithms.experiments.experiment import NO_STEPS, Experiment, ExperimentData
from algorithms.io.reading import FORMATS
from algorithms.text.sentences import counted
from workbench.forms.editors import LineEditor
from workbench.forms.form import ParameterForm
from workbench.jobs.ui_scheduling import MadeInPieces, single_shot
from workbench.session.experiments import OfferedData
from workbench.session.session import Session
from workbench.style.theme import SPACE_2, current_theme, themes
from workbench.tabs.evaluate.runs_checklist import ChecklistRow, RunsChecklist
from workbench.widgets.buttons import (
    accent_button,
    quiet_button,
)
from workbench.widgets.dialogs import ask_for_files
from workbench.widgets.fields import ElidedComboBox
from workbench.widgets.help_pages import meaning
from workbench.widgets.labels import LinkLabel, NameDelegate, label, link
from workbench.widgets.layouts import ClearWidget, column_layout, named, row_layout, scrolled_column
from workbench.widgets.painting import MIDDLE_LEFT, MIDDLE_RIGHT
from workbench.widgets.panes import Pane
from workbench.widgets.tables import TIGHT, set_row_height, show_as_list

TABLES: Final = f"Tables ({' '.join(format.patterns for format in FORMATS)})"
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
OFFERED_STEPS: Final = ("replace-missing", "scale", "discretize", "select-attributes")
"""Filters that are offered as recipes of one step, with settings that fit any table."""
ROW: Final = 28
GAP_OF_BOXES: Final = "QComboBox { margin: 2px 0; }"


PRESENT: Final = "preprocess"
"""Stands for the recipe of Preprocess among the ids of filters."""
MORE_METHODS, FEWER_METHODS = "More methods ▸", "Fewer methods ▾"
PRESENT_TIP: Final = "The steps of the open table, learned again from the training records of each fold of each table"


def _whole(rows: RunsChecklist) -> RunsChecklist:
    """The list at the height of its rows, within a page that scrolls."""
    rows.setSizeAdjustPolicy(RunsChecklist.SizeAdjustPolicy.AdjustToContents)
    rows.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    rows.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    return rows


class DataTable(QTableWidget):
    """The data sets of a new experiment, each with its class, which can be changed."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__(0, 3)
        named(self, "experiment.data", "Data sets")
        self.offered: list[OfferedData] = []
        for column, title in enumerate(("Data set", "Class", "Records")):
            head = QTableWidgetItem(title)
            head.setTextAlignment(MIDDLE_RIGHT if column == 2 else MIDDLE_LEFT)
            self.setHorizontalHeaderItem(column, head)
        self.setItemDelegateForColumn(0, NameDelegate(self))
        self.setStyleSheet(TIGHT + GAP_OF_BOXES)
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
        set_row_height(self, themes.px(ROW + 8))
        self._share()


class ExperimentForm(MadeInPieces, ClearWidget):
    """Declares a new experiment: data sets, learners, test methods and recipes with their settings, and seeds."""

    declared = Signal(object)
    cancelled = Signal()

    def __init__(self, session: Session, parent: QWidget) -> None:
        super().__init__(parent)
        self._session, self._experiments = session, session.experiments
        self._settings: dict[type[Configurable], Configurable] = {}
        self._kinds: list[type[Learner] | None] = []
        self._ticked = {kind.id for kind in session.registry.learners if kind.id in SUGGESTED}
        methods = [kind for kind in session.registry.methods if not kind.needs_test_data]
        self._methods = sorted(methods, key=lambda kind: kind.rare)
        self._tested = {self._methods[0].id}
        self._has_all_methods = False
        self._steps = [session.registry.filters.get(id) for id in OFFERED_STEPS]
        self._prepared = {NO_STEPS}
        self._form: ParameterForm | None = None
        self._reveal = single_shot(self, 0, self._show_form)
        self._make_by(self._make(), in_pieces=True)

    def _make(self) -> Iterator[bool]:
        self.data = DataTable()
        self.learners = RunsChecklist("experiment.learners", "Learners")
        self.methods = _whole(RunsChecklist("experiment.methods", "Test methods"))
        self.recipes = _whole(RunsChecklist("experiment.recipes", "Recipes"))
        panes = row_layout(self._data_pane(), self._learners_pane(), spacing=SPACE_2)
        column_layout((panes, 1), self._foot(), inside=self, spacing=SPACE_2)
        yield True
        panes.addWidget(self._method_pane())
        yield True
        self.data.changed.connect(self._count)
        for rows, shown in (
            (self.learners, self._learner_at),
            (self.methods, self._method_at),
            (self.recipes, self._step_at),
        ):
            rows.itemChanged.connect(self._tick)
            rows.currentRowChanged.connect(partial(self._show_settings, shown))
        self._experiments.data_offered.connect(self._take)
        self._session.recipe_changed.connect(self._fill)
        self._fill()
        self._show_settings(self._method_at, 0)
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
        self.seeds = LineEditor(SEEDS, self)
        named(self.seeds.control, "experiment.seeds", SEEDS.label, SEEDS.help)
        self.seeds.show_value(SEEDS.default)
        self.seeds.changed.connect(self._count)
        self._settings_head = label("", "heading", wrap=True)
        self._scroll, column = scrolled_column(pane, SPACE_2)
        self._of_chosen = column_layout()
        seeds = row_layout(label(SEEDS.label, of=self.seeds.control), (self.seeds, 1), spacing=SPACE_2)
        self._more_methods = named(LinkLabel(""), "experiment.methods.more")
        self._more_methods.linkActivated.connect(self._turn_methods)
        heading = label("Recipes", "heading", of=self.recipes)
        for part in (self.methods, self._more_methods, heading, self.recipes):
            column.addWidget(part)
        column.addLayout(seeds)
        column.addWidget(self._settings_head)
        column.addLayout(self._of_chosen)
        column.addStretch(1)
        pane.body.addWidget(self._scroll, 1)
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

    def _value(self, kind: type[Configurable]) -> Configurable:
        """A component with the settings that the user gave it."""
        return self._settings.get(kind) or kind()

    def _row(self, kind: type[Configurable], tip: str, *, is_on: bool) -> ChecklistRow:
        """The row of a component; a star says that its settings are not the usual ones."""
        name = kind.name if self._value(kind) == kind() else f"{kind.name} *"
        return ChecklistRow(name, "", None, tip, is_on)

    def _fill(self) -> None:
        """Shows all rows with their ticks."""
        rows: list[ChecklistRow] = []
        self._kinds = []
        for family, kinds in self._session.registry.families().items():
            rows.append(ChecklistRow(family, "", None, family))
            self._kinds.append(None)
            for kind in kinds:
                rows.append(self._row(kind, kind.sentence, is_on=kind.id in self._ticked))
                self._kinds.append(kind)
        self.learners.show_entries(rows)
        shown = self._methods if self._has_all_methods else [kind for kind in self._methods if not kind.rare]
        self.methods.show_entries([self._row(kind, kind.sentence, is_on=kind.id in self._tested) for kind in shown])
        self._more_methods.setText(link("more", FEWER_METHODS if self._has_all_methods else MORE_METHODS))
        present = " + ".join(step.name for step in self._session.recipe)
        recipes = [ChecklistRow("No steps", "", None, "The tables as they are", NO_STEPS in self._prepared)]
        recipes += [self._row(kind, kind.sentence, is_on=kind.id in self._prepared) for kind in self._steps]
        if present:
            recipes.append(ChecklistRow(f"Preprocess: {present}", "", None, PRESENT_TIP, PRESENT in self._prepared))
        self.recipes.show_entries(recipes)

    def _turn_methods(self) -> None:
        """Lists the rare methods too, or no more; those that are ticked count, listed or not."""
        self._has_all_methods = not self._has_all_methods
        self._fill()

    def _tick(self) -> None:
        """Takes the ticks of all rows; another recipe of Preprocess keeps its tick."""
        ids: list[tuple[RunsChecklist, Sequence[str | None], set[str]]] = [
            (self.learners, [None if kind is None else kind.id for kind in self._kinds], self._ticked),
            (self.methods, [kind.id for kind in self._methods], self._tested),
            (self.recipes, [NO_STEPS, *(kind.id for kind in self._steps), PRESENT], self._prepared),
        ]
        for rows, names, ticked in ids:
            for row, id in zip(range(rows.count()), names, strict=False):
                if id is not None:
                    is_on = rows.item(row).checkState() is Qt.CheckState.Checked
                    (ticked.add if is_on else ticked.discard)(id)
            rows.forget()
        self._count()

    def _learner_at(self, row: int) -> type[Configurable] | None:
        return self._kinds[row] if 0 <= row < len(self._kinds) else None

    def _method_at(self, row: int) -> type[Configurable] | None:
        return self._methods[row] if 0 <= row < len(self._methods) else None

    def _step_at(self, row: int) -> type[Configurable] | None:
        return self._steps[row - 1] if 1 <= row <= len(self._steps) else None

    def _show_settings(self, kind_at: Callable[[int], type[Configurable] | None], row: int) -> None:
        """Shows the settings of the chosen learner, method or step below the lists."""
        kind = kind_at(row)
        self._form = self._replaced(self._form, self._of_chosen)
        self._settings_head.setText("" if kind is None else kind.name)
        if kind is None:
            return
        value = self._value(kind)
        form = ParameterForm(value, registry=self._session.registry, prefix="experiment.settings", parent=self)
        form.changed.connect(partial(self._keep_settings, kind, form))
        self._of_chosen.addWidget(form)
        form.setVisible(not form.is_empty)
        self._form = form
        if kind_at == self._learner_at:  # its list stands elsewhere, and does not move away under the pointer
            self._reveal.start()

    def _show_form(self) -> None:
        """Scrolls to the settings, with their heading if there is room for both."""
        for part in (self._form, self._settings_head):
            if part is not None:
                self._scroll.ensureWidgetVisible(part, 0, 0)

    def _keep_settings(self, kind: type[Configurable], form: ParameterForm) -> None:
        value = form.value()
        if value is not None:
            self._settings[kind] = value
            self._fill()
        self._count()

    def _recipes(self) -> tuple[Recipe, ...]:
        one_step = [(cast(Filter, self._value(kind)),) for kind in self._steps if kind.id in self._prepared]
        none = [()] if NO_STEPS in self._prepared else []
        own = [self._session.recipe] if PRESENT in self._prepared and self._session.recipe else []
        return tuple(dict.fromkeys([*none, *one_step, *own]))

    @staticmethod
    def _replaced(form: ParameterForm | None, place: Any) -> None:
        if form is not None:
            place.removeWidget(form)
            form.hide()
            form.setParent(None)  # at once: another form with the same names comes now
            form.deleteLater()

    def experiment(self) -> Experiment:
        """What the form declares; raises :class:`CoppiceError` with what is missing or wrong."""
        if self._form is not None and (wrong := self._form.error()):
            raise CoppiceError(wrong)
        usable = [data for data in self.data.offered if not data.problem]
        unknown = next((data for data in usable if data.class_name is None and data.is_read), None)
        if unknown is not None:
            raise CoppiceError(f"Choose the class of {unknown.name}.")
        kinds = [kind for kind in self._kinds if kind is not None and kind.id in self._ticked]
        return Experiment(
            data=tuple(ExperimentData(data.source, data.class_name) for data in usable),
            learners=tuple(cast(Learner, self._value(kind)) for kind in kinds),
            recipes=self._recipes(),
            methods=tuple(cast(Method, self._value(kind)) for kind in self._methods if kind.id in self._tested),
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
        for levels, noun in (
            (declared.recipes, "recipe"),
            (declared.methods, "test method"),
            (declared.seeds, "seed"),
        ):
            parts += [counted(len(levels), noun)] if len(levels) > 1 else []
        self.n_cells.setText(f"{' × '.join(parts)} = {counted(declared.n_cells, 'cell')}")

    def _declare(self) -> None:
        try:
            self.declared.emit(self.experiment())
        except CoppiceError:
            self._count()
