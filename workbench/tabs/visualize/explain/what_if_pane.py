"""What-if analysis: edited values of a record, the prediction for them, and the smallest change that flips it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from html import escape
from typing import Final

import numpy as np
from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QFrame,
    QGridLayout,
    QScrollArea,
    QSizePolicy,
    QWidget,
)

from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, Schema
from algorithms.evaluation.costs.decision_rules import DecisionRule
from algorithms.evaluation.what_if import DecisionFlip, Value, changed, flips, one_record, ways
from algorithms.structures.tree import Tree
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import single_shot
from workbench.jobs.worker_threads import give_way
from workbench.session.decision_rules import DecisionQuery
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.structure_colors import class_letter
from workbench.style.theme import current_theme, themes
from workbench.tabs.visualize.explain.record_path import TWO_MODELS
from workbench.tabs.visualize.explain.record_prediction import (
    WHAT_NUMBERS_MEAN,
    RecordPrediction,
    decided_words,
    flip_wordings,
    own_explained,
    ways_html,
    when_tested,
)
from workbench.tabs.visualize.explain.selected_record import RecordNumber, record_in_view
from workbench.viewers.original_units import unscaled_by
from workbench.viewers.tree.tree_words import highlighted_path, percent
from workbench.widgets.buttons import link_button, quiet_button
from workbench.widgets.fields import DecimalField, ElidedComboBox, SearchField, with_room
from workbench.widgets.labels import ElidedLabel, label
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, named, row_layout
from workbench.widgets.panes import Pane

LARGEST: Final = 1e15
MOST_FIELDS: Final = 60
"""So many attributes have widgets at a time; others are found by their name."""
AT_ONCE: Final = 4
LEAST_WIDE: Final = 520
MOST_WIDE: Final = 900
FIELD_ROOM: Final = 240
"""What a field with its "missing" takes beside the name."""


class PlainNumber(DecimalField):
    """A number without trailing zeros."""

    def textFromValue(self, value: float) -> str:
        text = super().textFromValue(value)
        point = self.locale().decimalPoint()
        return text.rstrip("0").rstrip(point) if point in text else text


class _Field:
    """The widgets of one attribute."""

    def __init__(self, attribute: Attribute, index: int, among: tuple[str, ...]) -> None:
        self.attribute, self.index = attribute, index
        self.name = ElidedLabel()
        self.name.set_name(attribute.name, among)
        self.name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.list: QComboBox | None = None
        self.number: QDoubleSpinBox | None = None
        self.widget: QWidget
        if attribute.kind.is_coded:
            self.list = ElidedComboBox()
            self.list.addItems(list(attribute.values))
            self.list.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            self.list.setMinimumContentsLength(6)
            self.widget = self.list
        else:
            self.number = PlainNumber()
            with_room(self.number)
            self.number.setRange(-LARGEST, LARGEST)
            self.number.setStepType(QDoubleSpinBox.StepType.AdaptiveDecimalStepType)
            self.number.setKeyboardTracking(False)
            self.widget = self.number
        self.widget.setObjectName(f"visualize.what-if.{attribute.name}")
        self.widget.setAccessibleName(attribute.name)
        self.widget.setFixedWidth(themes.px(118))
        self.widget.setProperty("part", "low")  # as many values as can be are to be seen at once
        self.missing = named(
            QCheckBox("missing"),
            f"visualize.what-if.{attribute.name}.missing",
            f"{attribute.name} is missing",
            f"As if {attribute.name} were not known",
        )

    @property
    def widgets(self) -> tuple[QWidget, ...]:
        return self.name, self.widget, self.missing

    @property
    def value(self) -> Value:
        if self.missing.isChecked():
            return -1 if self.list is not None else float("nan")
        return self.list.currentIndex() if self.list is not None else self.number.value() if self.number else 0.0

    def show(self, value: Value) -> None:
        """Shows a value without emitting signals."""
        is_missing = value != value or (self.list is not None and value < 0)
        with QSignalBlocker(self.widget), QSignalBlocker(self.missing):
            self.missing.setChecked(is_missing)
            self.widget.setEnabled(not is_missing)
            if not is_missing and self.list is not None:
                self.list.setCurrentIndex(int(value))
            if not is_missing and self.number is not None:
                self.number.setDecimals(max(self.number.decimals(), decimals_of(float(value))))
                self.number.setValue(float(value))


class RecordForm(ClearWidget):
    """Fields for a record's values; ``changed`` comes with edits, ``rows_changed`` when other attributes are shown.

    Of many attributes only the first, or those that :meth:`look_for` finds, have widgets. They are made a few a turn.
    """

    changed = Signal()
    rows_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._data: Dataset | None = None
        self._indices: tuple[int, ...] = ()
        self._values: dict[int, Value] = {}
        self._fields: dict[int, _Field] = {}
        self._wanted: list[int] = []
        self._words = ""
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(6)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(0, 1)
        self._grow = QTimer(self)
        self._grow.setInterval(0)
        self._grow.timeout.connect(self._make_some)

    def set_attributes(self, data: Dataset, indices: tuple[int, ...]) -> None:
        for field in self._fields.values():
            for widget in field.widgets:
                self._grid.removeWidget(widget)
                widget.hide()
                widget.deleteLater()
        self._data, self._indices = data, indices
        self._fields, self._values = {}, {}
        self.look_for("")

    def look_for(self, words: str) -> None:
        """Shows the attributes whose name contains this text, at most :data:`MOST_FIELDS`."""
        self._words = words.casefold().strip()
        names = [] if self._data is None else self._data.schema.attributes
        matches = [index for index in self._indices if self._words in names[index].name.casefold()]
        self._wanted = matches[:MOST_FIELDS]
        for row, index in enumerate(self._wanted):
            if index in self._fields:
                self._place(row, self._fields[index])
        for index, field in self._fields.items():
            for widget in field.widgets:
                widget.setVisible(index in self._wanted)
        self._make_some()
        self.rows_changed.emit()

    @property
    def widest(self) -> int:
        """Maximum width in pixels that keeps fields near their names."""
        names = [] if self._data is None else [self._data.schema.names[index] for index in self._wanted]
        metrics = self.fontMetrics()
        longest = max((metrics.horizontalAdvance(name) for name in names), default=0)
        return max(themes.px(LEAST_WIDE), min(themes.px(MOST_WIDE), longest + themes.px(FIELD_ROOM)))

    @property
    def n_found(self) -> int:
        """Number of attributes whose name contains the text."""
        if self._data is None:
            return 0
        names = self._data.schema.attributes
        return sum(self._words in names[index].name.casefold() for index in self._indices)

    @property
    def n_shown(self) -> int:
        """Number of them that have widgets, or will have them soon."""
        return len(self._wanted)

    def _make_some(self) -> None:
        missing = [(row, index) for row, index in enumerate(self._wanted) if index not in self._fields]
        for row, index in missing[:AT_ONCE]:
            self._place(row, self._make(index))
        if len(missing) > AT_ONCE:
            self._grow.start()
        else:
            self._grow.stop()

    def _make(self, index: int) -> _Field:
        assert self._data is not None
        field = self._fields[index] = _Field(self._data.schema.attributes[index], index, self._data.schema.names)
        if field.number is not None:
            some = np.asarray(self._data.cells(index, np.arange(min(200, len(self._data)))))
            field.number.setDecimals(decimals_in(some))
            field.number.valueChanged.connect(lambda _value: self._take(field))
        if field.list is not None:
            field.list.currentIndexChanged.connect(lambda _index: self._take(field))
        field.missing.toggled.connect(lambda on: self._set_missing(field, on))
        if index in self._values:
            field.show(self._values[index])
        return field

    def _place(self, row: int, field: _Field) -> None:
        for column, widget in enumerate(field.widgets):
            self._grid.addWidget(widget, row, column)

    def _take(self, field: _Field) -> None:
        self._values[field.index] = field.value
        self.changed.emit()

    def _set_missing(self, field: _Field, on: bool) -> None:
        field.widget.setEnabled(not on)
        if field.list is not None and not on and field.list.currentIndex() < 0:
            with QSignalBlocker(field.list):
                field.list.setCurrentIndex(0)
        self._take(field)

    def show_values(self, values: dict[int, Value]) -> None:
        """Shows these values by attribute index, without emitting ``changed``."""
        self._values.update(values)
        for index, value in values.items():
            if index in self._fields:
                self._fields[index].show(value)

    @property
    def values(self) -> dict[int, Value]:
        """The values by attribute index."""
        return dict(self._values)


def decimals_of(value: float) -> int:
    """Decimals that a number needs, at most 10."""
    words = f"{value:.10f}".rstrip("0")
    return len(words.partition(".")[2])


def decimals_in(values: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> int:
    """Decimals that the known numbers need, at most 10."""
    return max((decimals_of(value) for value in values.tolist() if np.isfinite(value)), default=0)


def asked_about(trained: TrainedClassifier, schema: Schema) -> tuple[int, ...]:
    """The attributes the model uses in its own order, if it uses no others; else all."""
    structure = trained.structure()
    usable, info = [i for i in schema.predictors if i != schema.class_index], structure.info
    if info.uses_no_others:
        places = {structure.schema.names[index]: place for place, index in enumerate(info.attributes_used())}
        used = [i for i in usable if schema.names[i] in places]
        usable = sorted(used, key=lambda i: places[schema.names[i]]) or usable
    return tuple(usable)


DELAY_MS: Final = 40
FLIP_DELAY_MS: Final = 250
FEW_FIELDS: Final = 12
NOT_GIVEN: Final = float("nan")


class WhatIfPane(Pane):
    """Shows predictions for an edited record; ``path_changed`` carries its path, ``record_changed`` the row it
    starts from."""

    path_changed = Signal(object)
    record_changed = Signal(int)

    def __init__(self, session: Session) -> None:
        super().__init__("What if")
        self.setObjectName("visualize.what-if")
        self._session = session
        self._run: Run | None = None
        self._trained: TrainedClassifier | None = None
        self.asked: tuple[int, ...] = ()
        """Indices of the attributes that can be edited, in their order."""
        self._base: Dataset | None = None
        self._prediction: RecordPrediction | None = None
        self._flip: DecisionFlip | None = None
        self._is_stale = self._is_waiting = False
        self._task, self._flip_task = LatestTask(session.jobs), LatestTask(session.jobs)
        self._soon, self._later = single_shot(self, DELAY_MS, self._ask), single_shot(self, FLIP_DELAY_MS, self._search)
        self._make_widgets()
        self.form.changed.connect(self._changed)
        self._number.valueChanged.connect(self._number_changed)
        themes.follow(self._show_said)
        session.selection.changed.connect(self._selection_changed)
        session.decisions.reports.decided_anew.connect(self._decided_otherwise)
        session.class_of_interest_changed.connect(self._show_said)

    def _make_widgets(self) -> None:
        self._number = named(
            RecordNumber(self._chosen),
            "visualize.what-if.record",
            "Number of the record to start from",
            "The record to start from; where several are selected, the arrows go from one to the next",
        )
        self._number.setPrefix("record ")
        self.add_action(self._number)
        self._reset = quiet_button("Reset", "visualize.what-if.reset", "The record's own values", self._start_from)
        self.add_action(self._reset)
        self._verdict = named(label("", "heading", wrap=True, rich=True), "visualize.what-if.said")
        self._shares = named(label("", "", wrap=True, rich=True), "visualize.what-if.shares")
        self._way = named(label("", "small", wrap=True, rich=True), "visualize.what-if.ways")
        self._note = QFrame()
        self._note.setProperty("part", "note")
        inside = row_layout(inside=self._note, margins=(10, 4, 10, 4))
        self._flips = named(ElidedLabel(), "visualize.what-if.flip")
        self._try = link_button("try it", "visualize.what-if.try", "Put this value into the record", self._take_flip)
        add_items(inside, (self._flips, 1), self._try)
        self._find = SearchField("Find an attribute", "visualize.what-if.find")
        self._match_count = named(label("", "small"), "visualize.what-if.found")
        self.form = RecordForm()
        self._find.textChanged.connect(self.form.look_for)
        self.form.rows_changed.connect(self._say_rows)
        self._content = content = ClearWidget()
        column_layout(
            self._verdict,
            self._find,
            self._match_count,
            self.form,
            self._shares,
            self._way,
            1,
            inside=content,
            spacing=6,
            margins=(0, 0, 4, 0),
        )
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(content)
        scroll.viewport().setAutoFillBackground(False)
        self.body.addWidget(scroll, 1)
        self.body.addWidget(self._note)  # outside of what scrolls: the way to another answer is always in sight

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return QSize(max(themes.px(300), least.width()), least.height())

    def show_run(self, run: Run | None, row: int | None = None) -> None:
        """Asks this run's model about the record in this row, else about the first selected one."""
        trained = None if run is None else run.trained
        if run is self._run and trained is self._trained and not self._is_waiting:
            return
        self._set_waiting(False)
        self._drop()
        self._run, self._trained, self._prediction, self._flip = run, trained, None, None
        if run is None or trained is None:
            return
        self.asked = asked_about(trained, run.data.schema)
        self.set_facts("")
        with QSignalBlocker(self._find):
            self._find.clear()
        self._find.setVisible(len(self.asked) > FEW_FIELDS)
        self.form.set_attributes(run.data, self.asked)
        with QSignalBlocker(self._number):
            self._number.setRange(1, max(1, len(run.data)))
            chosen = self._chosen()
            self._number.setValue(1 + (row if row is not None else int(chosen[0]) if len(chosen) else 0))
        self._start_from()
        if row is None:
            self._selection_changed()

    def wait(self, words: str) -> None:
        """Says in these words that another model is being trained, and nothing of the one before, until a run comes."""
        self._set_waiting(True)
        self._drop()
        self._prediction = self._flip = None
        self._verdict.setText(escape(words))
        self._verdict.setToolTip("")
        self._shares.clear()
        self._way.clear()
        self._flips.set_wordings("")
        self._try.hide()

    def _set_waiting(self, is_waiting: bool) -> None:
        self._is_waiting = is_waiting
        for widget in (self.form, self._number, self._reset):
            widget.setEnabled(not is_waiting)

    def _chosen(self) -> IntArray:
        """Rows of the selected records in the run's data, ascending."""
        run = self._run
        return np.empty(0, dtype=np.int64) if run is None else np.sort(self._session.selection.rows_of(run.data))

    def _number_changed(self) -> None:
        self._start_from()
        self.record_changed.emit(self._number.value() - 1)

    def _say_rows(self) -> None:
        shown, n_found = self.form.n_shown, self.form.n_found
        self._match_count.setVisible(len(self.asked) > FEW_FIELDS)
        if not n_found:
            self._match_count.setText("No attribute is called so.")
        else:
            rest = "" if shown == n_found else ": type a part of a name to see others"
            n, run = len(self.asked), self._run
            are_all = run is None or n == len(run.data.schema.predictors)
            what = "attributes" if are_all else "attributes that the model asks about"
            self._match_count.setText(f"{shown:,} of {n:,} {what}{rest}")

    def _selection_changed(self) -> None:
        if self.isVisible():
            self.begin_with_selected()

    def begin_with_selected(self) -> None:
        """Starts from the first selected record, unless a selected one is in view."""
        run, now = self._run, self._number.value() - 1
        row = None if run is None else record_in_view(self._session.selection, run.data, now)
        if row == now:
            self.record_changed.emit(row)
        elif row is not None:
            self.show_record(row)

    def show_record(self, row: int) -> None:
        if self._run is not None and row < len(self._run.data):
            self._number.setValue(row + 1)

    def put_values(self, values: Mapping[str, float | str | None]) -> None:
        """Edits the record: numbers and labels by attribute name, None for missing. Unknown values change nothing."""
        if self._base is None:
            return
        cells: dict[int, Value] = {}
        for index in self.asked:
            attribute = self._base.schema.attributes[index]
            value = values.get(attribute.name, NOT_GIVEN)
            if value is None:
                cells[index] = -1 if attribute.kind.is_coded else float("nan")
            elif attribute.kind.is_coded and value in attribute.values:
                cells[index] = attribute.values.index(str(value))
            elif not attribute.kind.is_coded and isinstance(value, float) and value == value:
                cells[index] = value
        self.form.show_values(cells)
        self._changed()

    def _start_from(self) -> None:
        run = self._run
        if run is None or len(run.data) == 0:
            return
        base = one_record(run.data, self._number.value() - 1)
        self._base = base
        values: dict[int, Value] = {}
        for index in self.asked:
            cell = base.column(index)[0]
            values[index] = int(cell) if base.schema.attributes[index].kind.is_coded else float(cell)
        self.form.show_values(values)
        self._changed()

    @property
    def record(self) -> Dataset | None:
        """The record with the edited values."""
        return None if self._base is None else changed(self._base, self.form.values)

    def _changed(self) -> None:
        if self._trained is not None and not self._is_waiting:
            self._soon.start()

    def _asked_as(self) -> tuple[DecisionQuery | None, DecisionRule | None]:
        """The decision rule of the run, and as a function of its model's probabilities; None for the default."""
        run, trained = self._run, self._trained
        asked = None if run is None or run.report is None else self._session.decisions.asked(run)
        return asked, None if asked is None or trained is None else asked.rule.for_classes(trained.classes)

    def _decided_otherwise(self) -> None:
        self._is_stale = True
        if self.isVisible():
            self._changed()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self._changed()

    def _drop(self) -> None:
        self._soon.stop()
        self._later.stop()
        self._task.stop()
        self._flip_task.stop()

    def _ask(self) -> None:
        self._drop()
        self._is_stale = False
        trained, record, run, row = self._trained, self.record, self._run, self._number.value() - 1
        if trained is None or record is None or run is None:
            return
        asked, decide = self._asked_as()

        def work(context: RunContext) -> RecordPrediction:
            context.say("Asking the model")
            tree, explained = trained.structure(), own_explained(trained, trained.explain(record, 0), record)
            own, shares = explained.decision, explained.probabilities
            tested = when_tested(run, row, asked) if run.of_fold is None else None
            decision = own if decide is None else decide.decide_one(shares, own)
            prediction = RecordPrediction(decision, shares, (), explained.steps, explained.reasons, tested=tested)
            if decide is not None and asked is not None:
                prediction = replace(prediction, itself=own, by=asked.words)
            if not isinstance(tree, Tree):
                return prediction
            prepared = trained.prepared(record)
            leaf_paths = ways(tree, prepared)
            parts: dict[int, float] = {}
            for way in leaf_paths:
                for node in way.nodes:
                    parts[node] = parts.get(node, 0.0) + way.share
            path = highlighted_path(tree, prepared, sorted(parts), parts, unscaled_by(trained.recipe), record)
            return replace(prediction, ways=leaf_paths, path=path)

        self._task.run("Ask the model", work, on_done=self._answered)

    def _answered(self, prediction: RecordPrediction) -> None:
        self._prediction, self._flip = prediction, None
        self._show_said()
        self._flips.set_wordings("Looking for the smallest change that flips it", "Looking for what flips it")
        self._try.hide()
        self.light()
        self._later.start()

    def light(self) -> None:
        """Emits the path of the record again."""
        if self._prediction is not None and self.isVisible():
            self.path_changed.emit(self._prediction.path)

    def _search(self) -> None:
        trained, record, run, fields = self._trained, self.record, self._run, self.asked
        if trained is None or record is None or run is None:
            return
        decide = self._asked_as()[1]

        def work(context: RunContext) -> tuple[DecisionFlip, ...]:
            context.say("Looking for the smallest change")
            return flips(trained, run.data, record, fields, context, give_way, decide)

        self._flip_task.run("Smallest change that flips it", work, on_done=self._searched)

    def _searched(self, candidates: tuple[DecisionFlip, ...]) -> None:
        trained, record = self._trained, self.record
        if trained is None or record is None:
            return
        self._flip = candidates[0] if candidates else None
        self._try.setVisible(bool(candidates))
        if not candidates:
            self._flips.set_wordings(
                "No change of one value alone makes the model say something else.", "No single change flips it"
            )
            return
        now = self.form.values[candidates[0].attribute]
        self._flips.set_wordings(*flip_wordings(record.schema, candidates[0], now, trained.classes))

    def _take_flip(self) -> None:
        if self._flip is not None:
            self.form.show_values({self._flip.attribute: self._flip.value})
            self._changed()

    def _show_said(self) -> None:
        prediction, trained = self._prediction, self._trained
        if prediction is None or trained is None:
            return
        self._content.setMaximumWidth(self.form.widest)
        sure = 100 * prediction.probabilities[prediction.decision]
        of_fold = None if self._run is None else self._run.of_fold
        model = "It" if of_fold is None else f"{of_fold.name[:1].upper()}{of_fold.name[1:]}"
        words = f"{model} would say {escape(trained.classes[prediction.decision])} ({sure:.0f} in 100)"
        self._verdict.setText(f"{words}{escape(self._truth_words())}{escape(decided_words(prediction, trained))}")
        self._verdict.setToolTip("" if prediction.tested is None else TWO_MODELS)
        theme = current_theme()
        order = sorted(range(len(trained.classes)), key=lambda code: -prediction.probabilities[code])
        shown = [code for code in order if prediction.probabilities[code] > 0][:6]
        self._shares.setText(
            " &nbsp; ".join(
                f'<span style="color:{theme.class_color(code).name()}">{class_letter(code)}</span> '
                f"{escape(trained.classes[code])} {escape(percent(prediction.probabilities[code]))}"
                for code in shown
            )
        )
        session = self._session
        interest = session.classes[session.class_of_interest] if session.classes else ""
        self._way.setText(ways_html(prediction, trained, interest))
        self._way.setToolTip(WHAT_NUMBERS_MEAN if prediction.reasons else "")

    def _truth_words(self) -> str:
        """The true class of the record that the values come from, if it is known."""
        base = self._base
        if base is None or base.schema.class_index is None:
            return ""
        code = int(base.column(base.schema.class_index)[0])
        values = base.schema.attributes[base.schema.class_index].values
        if not 0 <= code < len(values):
            return ""
        prediction, trained = self._prediction, self._trained
        beside = "" if prediction is None or trained is None else prediction.when_tested(trained, values[code])
        return f". Record {self._number.value():,} is {values[code]}{beside}."
