"""The page Explain: the prediction for one record, and what would change it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

import numpy as np
from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QBoxLayout, QWidget

from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.costs.decision_rules import DecisionRule
from algorithms.evaluation.regions import SEPARATIONS, is_to_be_found
from algorithms.evaluation.what_if import (
    JointChange,
    Value,
    changed,
    effect_of,
    largest_effect,
    one_record,
)
from algorithms.structures.tree import Tree
from algorithms.text.numbers import percent
from algorithms.text.sentences import BRIEF_NAMES, in_brief, typeset
from workbench.jobs.jobs import LatestTask, give_way
from workbench.jobs.ui_scheduling import MadeInPieces, single_shot
from workbench.session.decision_rules import DecisionQuery
from workbench.session.runs import OF_ALL_RECORDS, Run
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, SPACE_2, SPACE_3, SPACE_4, themes
from workbench.tabs.visualize.explain.counterfactuals import AskedRecord, ChangesColumn
from workbench.tabs.visualize.explain.fold_model import WrongRecords
from workbench.tabs.visualize.explain.record_form import FEW_FIELDS, MOST_FIELDS, RecordForm
from workbench.tabs.visualize.explain.record_prediction import (
    MOST,
    WHAT_NUMBERS_MEAN,
    ExpectedCosts,
    RecordPrediction,
    VerdictLabel,
    explained_for,
    lists_steps,
    model_wordings,
    n_left_out,
    own_threshold,
    true_class,
    truth_words,
    ways_html,
    ways_title,
    when_tested,
    why_untested,
    with_path,
    words_of_tests,
)
from workbench.tabs.visualize.explain.selected_record import (
    RecordNumber,
    asked_about,
    differs,
    identifiers_of,
    importance_places,
    record_in_view,
    unused_words,
    values_of,
)
from workbench.tabs.visualize.explain.shapley_reasons import SHAPLEY, ShapleyReasons
from workbench.tabs.visualize.explain.value_charts import (
    MOST_LINES,
    REST,
    EffectChart,
    ProbabilityBars,
    ShownEffect,
    classes_of_record,
    classes_with_lines,
    histogram_of,
    roles_of,
    scale_of_effect,
)
from workbench.viewers.charts.chart_base import ExportedChart
from workbench.viewers.charts.export import Export, exported_widget, rows_of_html
from workbench.viewers.original_units import TableNumbers, table_numbers
from workbench.viewers.tree.split_histograms import SplitHistogram
from workbench.viewers.tree.tree_words import HighlightedPath
from workbench.widgets.buttons import link_button, quiet_button
from workbench.widgets.fields import SearchableComboBox, SearchField
from workbench.widgets.keyboard_focus import show_or_hide
from workbench.widgets.labels import ElidedLabel, LinkLabel, label, link, rule, show_text
from workbench.widgets.layouts import ClearWidget, Dimming, add_items, column_layout, named, row_layout, scrolled_column
from workbench.widgets.panes import Pane
from workbench.widgets.tables import TableLabel

SCROLL_MARGIN, COLUMN_GAP, CHANGES_GAP = 4, 20, 28
"""Pixels beside a scroll bar, between the values and the prediction, and between that and the changes."""
TWO_MODELS: Final = (
    "The model explained is the one learned from all records, this one among them; the one that tested it had not "
    "learned from it."
)
DELAY_MS, FLIP_DELAY_MS = 40, 250
NOT_GIVEN: Final = float("nan")
VALUES_WIDTH, EFFECT_WIDTH, WIDE = 340, 300, 820
"""Width of the values in pixels, the one from which a low page is set closer, and the width of the rest from which
changes stand beside the prediction, not below it."""
TALLEST, HIGH = 300, 560
"""The largest height of the effect of one attribute, and the height of the page below which it is low, in pixels."""
LEAST_BESIDE, LEAST_ALONE = 124, 190
"""The least height of the effect of one attribute in pixels: beside the changes or on a low page, and above them."""
NARROW_NAME, WIDE_NAME = 8, 12
"""Letters of an attribute that its menu has room for at least: below the values, and beside them."""
FEWEST_REASONS: Final = 3
"""So many reasons are listed on a low page, that the effect of one attribute is in view below them."""
BESIDE_REASONS, REASON_HEIGHT = 496, 17
"""Pixels of the column of the prediction without its reasons, to the foot of the least chart, and of one reason."""
MOST_TRIED = 30
"""Of so many attributes that which changes the prediction most is shown first."""


class WhatIfPane(MadeInPieces, Pane):
    """Predictions for an edited record; ``path_changed`` has its path, ``record_changed`` its first row."""

    path_changed = Signal(object)
    record_changed = Signal(int)
    model_asked = Signal()
    """Asks for the model with the path of the record."""

    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__("What if", parent=parent)
        self.setObjectName("visualize.what-if")
        self._session = session
        self._run: Run | None = None
        self._trained: TrainedClassifier | None = None
        self._numbers: TableNumbers | None = None
        self.asked: tuple[int, ...] = ()
        """Indices of the attributes that can be edited, in their order."""
        self.is_lit = False
        """Whether the model shows the path of the record, so that it is followed while this page is hidden."""
        self.words = ""
        """The prediction and the true class in a sentence."""
        self._base: Dataset | None = None
        self._prediction: RecordPrediction | None = None
        self._is_attribute_chosen = self._shows_all_steps = self._is_stale = self._is_waiting = False
        self._reasons_room = (0, MOST)
        """The width of the reasons in pixels, and how many of them are listed at first."""
        self._tasks = [LatestTask(session.jobs) for _ in range(4)]
        self._task, self._effect_task, self._histogram_task, self._order_task = self._tasks
        self._soon, self._later = single_shot(self, DELAY_MS, self._ask), single_shot(self, FLIP_DELAY_MS, self._search)
        self._arrange_soon = single_shot(self, 0, self._arrange)
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        session, name = self._session, "visualize.what-if"
        self._number = named(
            RecordNumber(self._chosen),
            f"{name}.record",
            "Number of the record to start from",
            "The record to start from; where several are selected, the arrows go from one to the next",
        )
        self._number.setPrefix("record ")
        self._reset = quiet_button("Reset", f"{name}.reset", "The record's own values", self._start_from)
        self.wrong = WrongRecords(self._session, name, self)
        self.add_action(self.wrong.place, self._reset, self._number, self.wrong.next)
        self._find = SearchField("Find an attribute", f"{name}.find")
        self._match_count = named(LinkLabel("", "small"), f"{name}.found")
        self.form = RecordForm()
        self._match_count.linkActivated.connect(lambda _link: self.form.show_all(not self.form.shows_all))
        self._find.textChanged.connect(self.form.look_for)
        self.form.rows_changed.connect(self._say_rows)
        self._values = ClearWidget(self)
        self._changes = ChangesColumn(session, name, lambda: self._number if self._reset.isHidden() else self._reset)
        self._changes.flip_taken.connect(self._take_flip)
        self._changes.record_asked.connect(self.show_record)
        self._below_values = column_layout(spacing=0)
        self._unused = named(label("", "dim", wrap=True), f"{name}.unused")
        self._left, self._left_column = scrolled_column(self._values, SCROLL_MARGIN)
        self._left.installEventFilter(self)
        add_items(self._left_column, self.form, self._below_values, self._unused, 1)
        column_layout(self._find, self._match_count, (self._left, 1), inside=self._values, spacing=6)
        self._beside, beside = scrolled_column(self, SCROLL_MARGIN)
        both = ClearWidget(self._beside.widget())
        yield True
        prediction = self._make_prediction(name, both)
        self._columns = row_layout((prediction, 3), (self._changes, 2), inside=both, spacing=CHANGES_GAP)
        add_items(beside, (both, 1))
        add_items(self.body, (row_layout(self._values, (self._beside, 1), spacing=COLUMN_GAP), 1))
        self.form.changed.connect(self._changed)
        self.form.focused.connect(self._vary_index)
        self._number.valueChanged.connect(self._number_changed)
        themes.follow(self._show_said)
        themes.follow(self._say_rows)
        session.selection.changed.connect(self._selection_changed)
        session.decisions.reports.decided_anew.connect(self._decided_otherwise)
        session.decisions.reports.arrived.connect(self._follow_wrong)
        session.class_of_interest_changed.connect(self._show_said)
        self._arrange_soon.start()

    def _make_prediction(self, name: str, parent: QWidget) -> ClearWidget:
        content = ClearWidget(parent)
        self._verdict = named(VerdictLabel(), f"{name}.said")
        self._whose = named(ElidedLabel("", "small"), f"{name}.model")
        self._actual = named(ElidedLabel("", "heading"), f"{name}.actual")
        self._tested = named(ElidedLabel("", "small"), f"{name}.tested")
        self._shares = ProbabilityBars(f"{name}.shares")
        self._ways_title = label("", "heading")
        self._to_model = link_button("Show in model", f"{name}.to-model", "", self.model_asked.emit)
        self._way = named(TableLabel("small"), f"{name}.ways")
        self._shapley = ShapleyReasons(self._session.jobs, f"{name}.shapley")
        self._shapley.switched.connect(self._show_reasons)
        reasons = ClearWidget(content)
        column_layout(self._shapley, self._way, inside=reasons, spacing=6)
        self._more_steps = named(LinkLabel(""), f"{name}.ways.more")
        self._more_steps.linkActivated.connect(self._show_other_steps)
        tip = "The other values stay as they are"
        self._attribute = named(SearchableComboBox(), f"{name}.attribute", "Attribute to vary", tip)
        self._attribute.setSizeAdjustPolicy(SearchableComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._attribute.currentIndexChanged.connect(self._attribute_chosen)
        self.effect = EffectChart(f"{name}.effect")
        self._export = Export(ExportedChart(self.effect, "effect", "Effect of one attribute"), self._session.jobs, self)
        title = label("Effect of one attribute", "heading")
        title.setToolTip("Individual conditional expectation (ICE): the other values are those of the record")
        effect = row_layout(title, self._attribute, 1, self._export.button(f"{name}.effect.menu"), spacing=8)
        exported = exported_widget("reasons", "Reasons", reasons, self._rows_of_reasons)
        menu = Export(exported, self._session.jobs, self).button(f"{name}.ways.menu")
        way = row_layout(self._ways_title, 1, self._shapley.switch, self._to_model, menu)
        answer = self._verdict, self._whose, self._actual, self._tested, self._shares, self._ways_title
        why = self._shapley, self._way, self._more_steps
        self._dimmed_prediction, self._dimmed_effect = Dimming(*answer, *why), Dimming(self.effect)
        erring = self.wrong.erring, 0, Qt.AlignmentFlag.AlignLeft
        way_parts = way, reasons, self._more_steps
        said = column_layout(self._verdict, self._whose, self._actual, self._tested, spacing=2)
        self._varied = ClearWidget(content)
        column_layout(rule(), effect, (self.effect, 1), inside=self._varied, spacing=8)
        parts = (said, erring, self._shares, rule(), *way_parts)
        self._predicted = column_layout(*parts, (self._varied, 40), 1, inside=content, spacing=8)
        return content

    def _rows_of_reasons(self) -> list[list[str]]:
        return rows_of_html((self._way if self._shapley.isHidden() else self._shapley.bars).text())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.is_complete:
            self._arrange()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Arranges the page again when the values have another height, as without their search field."""
        if event.type() == QEvent.Type.Resize and watched is self._left and self.is_complete:
            self._arrange_soon.start()
        return super().eventFilter(watched, event)

    def _arrange(self) -> None:
        """Puts the changes beside the prediction where there is room; else the effect, or they, below few values."""
        width = min(themes.px(VALUES_WIDTH), self.width() * 2 // 5)
        self._values.setFixedWidth(width)
        self.effect.setMaximumHeight(max(themes.px(TALLEST), 2 * self.height() // 5))
        is_wide = self.width() - width >= themes.px(WIDE)
        directions = QBoxLayout.Direction
        self._columns.setDirection(directions.LeftToRight if is_wide else directions.TopToBottom)
        is_roomy = width >= themes.px(EFFECT_WIDTH)
        is_low = not is_wide and is_roomy and self.height() < themes.px(HIGH)
        self._fit_reasons(self.width() - width, is_wide, is_low)
        self._predicted.setSpacing(SPACE_1 if is_low else SPACE_2)
        values, left = self.form.sizeHint().height(), self._left.height()
        unused = self._unused.heightForWidth(width - SPACE_3) if self._unused.text() else 0
        least = self._varied.minimumSizeHint().height() - self.effect.minimumHeight() + themes.px(LEAST_BESIDE)
        has_room = not is_wide and values + (0 if is_roomy else unused) + least + 2 * SPACE_3 <= left
        are_few = not is_wide and not has_room and 2 * (values + unused) <= left
        effect_place = self._below_values if has_room else self._predicted
        if effect_place.indexOf(self._varied) < 0:
            effect_place.insertWidget(0 if has_room else self._predicted.count() - 1, self._varied, 40)
            self._left_column.setStretchFactor(self._below_values, 40 if has_room else 0)
        self.effect.setMinimumHeight(themes.px(LEAST_BESIDE if is_wide or is_low or has_room else LEAST_ALONE))
        self._attribute.setMinimumContentsLength(NARROW_NAME if has_room and is_roomy else WIDE_NAME)
        place = self._below_values if are_few else self._columns
        if place.indexOf(self._changes) < 0:
            place.addWidget(self._changes, 0 if are_few else 2)
        self._below_values.setContentsMargins(0, SPACE_3 if has_room or are_few else 0, 0, 0)

    def _fit_reasons(self, width: int, is_wide: bool, is_low: bool) -> None:
        """Lists as many reasons as leave the effect below them in view, with bars as wide as there is room."""
        taken = 2 * SPACE_4 + COLUMN_GAP + self._beside.verticalScrollBar().sizeHint().width() + SCROLL_MARGIN
        room = (width - 2 * SPACE_3 - CHANGES_GAP) * 3 // 5 if is_wide else width - taken
        n = (self.height() - themes.px(BESIDE_REASONS)) // themes.px(REASON_HEIGHT)
        fitted = room // 8 * 8, min(MOST, max(FEWEST_REASONS, n)) if is_wide or is_low else MOST
        if fitted != self._reasons_room:
            self._reasons_room = fitted
            self._show_said()

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
        self._run, self._trained, self._prediction = run, trained, None
        self._shapley.forget()
        self.effect.show_effect(None)
        if run is None or trained is None:
            return
        self._numbers = table_numbers(trained, run.data)
        if is_to_be_found(run.data, trained.structure()):
            data, ordered = run.data, partial(self._show_ordered, run)
            self._order_task.run("", lambda context: data.derived(SEPARATIONS, context.checkpoint), on_done=ordered)
        self.asked = asked_about(trained, run.data)
        self._unused.setText(unused_words(run.data.schema, self.asked))
        self._unused.setVisible(bool(self._unused.text()))
        self._is_attribute_chosen = False
        with QSignalBlocker(self._find):
            self._find.clear()
        self._find.setVisible(len(self.asked) > FEW_FIELDS)
        self.form.set_attributes(run.data, self.asked)
        with QSignalBlocker(self._attribute):
            self._attribute.clear()
            self._attribute.addItems([run.data.schema.names[index] for index in self.asked])
        with QSignalBlocker(self._number):
            self._number.show_ids(run.data.row_ids)
            chosen = self._chosen()
            self._number.setValue(1 + (row if row is not None else int(chosen[0]) if len(chosen) else 0))
        self._start_from()
        if row is None:
            self._selection_changed()

    def prepare(self, run: Run | None) -> None:
        """Makes the fields for a run ahead, while the pane is hidden."""
        if run is not None and run.trained is not None and run is not self._run and not self.is_lit:
            self._drop()
            self._run = self._trained = self._prediction = None
            self.form.set_attributes(run.data, asked_about(run.trained, run.data))

    def _show_ordered(self, run: Run, _separations: FloatArray) -> None:
        """Shows the attributes in their order, unless the record is being edited or searched, or a model awaited."""
        focus = QApplication.focusWidget() or self
        is_typed = bool(self._find.text()) or self._number.lineEdit().isModified()
        is_in_use = is_typed or self.form.isAncestorOf(focus) or focus is self._attribute
        if run is self._run and not (self._is_waiting or self._is_changed or is_in_use):
            row, self._run = self.row, None
            self.show_run(run, row)

    def wait(self, words: str) -> None:
        """Says in these words that another model is being trained, and nothing of the one before, until a run comes."""
        self._set_waiting(True)
        self._follow_wrong()
        self._drop()
        self._prediction = None
        self._verdict.setText(words)
        self._whose.setText("")
        self._actual.setText("")
        self._actual.set_note("")
        self._tested.setText(" ")
        self._shares.show_probabilities((), [])
        self._way.clear()
        self._shapley.forget()
        self._more_steps.hide()
        self._changes.clear()
        self.effect.show_effect(None)

    def _set_waiting(self, is_waiting: bool) -> None:
        self._is_waiting = is_waiting
        self._dim(is_outdated=False)
        self.form.setEnabled(not is_waiting)  # the number keeps the keyboard focus

    def _dim(self, *, is_outdated: bool = True) -> None:
        """Dims what is of another run, record or decision rule, each part until its own values are there."""
        is_outdated = is_outdated and self._trained is not None and not self._is_waiting
        for dim in (self._dimmed_prediction.dim, self._dimmed_effect.dim, self._changes.dim):
            dim(is_outdated)

    def _chosen(self) -> IntArray:
        """Rows of the selected records in the run's data, ascending."""
        run = self._run
        return np.empty(0, dtype=np.int64) if run is None else np.sort(self._session.selection.rows_of(run.data))

    def _number_changed(self) -> None:
        self._start_from()
        self.record_changed.emit(self._number.value() - 1)

    def _say_rows(self) -> None:
        self._arrange()
        self._count_classes()
        shown, n_found = self.form.n_shown, len(self.form.matching())
        self._match_count.setVisible(len(self.asked) > FEW_FIELDS)
        if not n_found:
            self._match_count.setText("No attribute is called so.")
            return
        most = f"all {n_found:,}" if n_found <= MOST_FIELDS else f"the first {MOST_FIELDS}"
        rest = ": type a part of a name to see others" if n_found > MOST_FIELDS else ""
        n, run = len(self.asked), self._run
        are_all = run is None or n == len(run.data.schema.predictors)
        what = "attributes" if are_all else "attributes that the model uses"
        change = link("all", "Show fewer" if self.form.shows_all else f"Show {most}") if n_found > FEW_FIELDS else ""
        self._match_count.setText(f"{shown:,} of {n:,} {what}{rest}. {change}".removesuffix(". "))

    def _selection_changed(self) -> None:
        if self.isVisible() or self.is_lit:
            self.begin_with_selected()
            self._follow_wrong()

    def _follow_wrong(self) -> None:
        if self.isVisible():
            self.wrong.follow(self._run, self.row, self._chosen(), self._number, is_waiting=self._is_waiting)

    def explain_next_error(self) -> None:
        """Goes on to the next record that was predicted wrong, as soon as these are known."""
        self.wrong.wait_for_next()
        self._follow_wrong()

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
        self._base = one_record(run.data, self._number.value() - 1)
        self.form.show_values(values_of(self._base, self.asked))
        self._dim()
        self._changed()

    @property
    def path(self) -> HighlightedPath:
        return HighlightedPath() if self._prediction is None else self._prediction.path

    @property
    def row(self) -> int:
        return self._number.value() - 1

    @property
    def record(self) -> Dataset | None:
        return None if self._base is None else changed(self._base, self.form.values)

    def _changed(self) -> None:
        show_or_hide(self._reset, self._is_changed, instead=self._number)
        if self._trained is not None and not self._is_waiting:
            self._soon.start()

    def _asked_as(self) -> tuple[DecisionQuery | None, DecisionRule | None]:
        """The decision rule of the run, and as a function of its model's probabilities; None for the default."""
        run, trained = self._run, self._trained
        asked = None if run is None or run.report is None else self._session.decisions.asked(run)
        return asked, None if asked is None or trained is None else asked.rule.for_classes(trained.classes)

    def _decided_otherwise(self) -> None:
        self._is_stale = True
        self._dim()
        if self.isVisible():
            self._changed()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._follow_wrong()  # the selection may have changed while the page was hidden
        if self._is_stale:
            self._changed()

    def _drop(self) -> None:
        of_tasks = self._task.stop, self._effect_task.stop, self._shapley.stop
        for stop in (self._soon.stop, self._later.stop, self._changes.stop, *of_tasks):
            stop()

    def _count_classes(self) -> None:
        run, missing = self._run, self.form.without_histogram
        if run is None or not missing:
            return

        def work(context: RunContext) -> dict[int, SplitHistogram]:
            counted = {index: histogram_of(run.data, index, context) for index in missing}
            return {index: histogram for index, histogram in counted.items() if histogram is not None}

        def done(histograms: dict[int, SplitHistogram]) -> None:
            if run is self._run:
                self.form.show_histograms(histograms)

        self._histogram_task.run("", work, on_done=done)

    def _ask(self) -> None:
        self._drop()
        self._follow_wrong()
        self._is_stale = False
        trained, record, run, row = self._trained, self.record, self._run, self.row
        numbers = self._numbers
        if trained is None or record is None or run is None or numbers is None:
            return
        (asked, decide), truth = self._asked_as(), self._true_class()
        base, session = self._base if self._is_changed else None, self._session
        positive = session.classes[session.class_of_interest] if session.classes else ""

        def work(_context: RunContext) -> RecordPrediction:
            tree, explained = trained.structure(), trained.explain(record, 0)
            own, shares = explained.decision, explained.probabilities
            tested = when_tested(run, row, asked) if run.of_fold is None else None
            decision = own if decide is None else decide.decide_one(shares, own, record)
            expected = None if decide is None else ExpectedCosts.of(decide, shares, record)
            of_class = truth if base is None else None
            why = explained_for(trained, explained, record, decision, of_class, expected, numbers)
            reasons = why.steps, why.reasons, why.decision
            prediction = RecordPrediction(decision, shares, (), *reasons, tested=tested, expected=expected)
            if tested is None and base is None and (run.of_fold is None or row in run.of_fold.rows):
                prediction = replace(prediction, untested=why_untested(run, row))
            if decide is not None and asked is not None:
                own_words = own_threshold(decide.thresholds(record, positive))
                threshold = decide.threshold_of(record, positive)
                prediction = replace(prediction, itself=own, by=f" {asked.phrase}{own_words}", threshold=threshold)
            if base is not None:
                before = trained.explain(base, 0)
                own, shares = before.decision, before.probabilities
                unchanged = own if decide is None else decide.decide_one(shares, own, base)
                prediction = replace(prediction, unchanged=unchanged)
            if not isinstance(tree, Tree):
                return prediction
            return with_path(prediction, trained, tree, record, numbers)

        self._task.run("Ask the model", work, on_done=self._answered, says="Asking the model")

    def _answered(self, prediction: RecordPrediction) -> None:
        self._prediction = prediction
        self._shapley.outdate()
        self._dimmed_prediction.dim(False)
        self._show_said()
        self._changes.await_flips()
        self.path_changed.emit(prediction.path)
        if self.isVisible():
            self._vary()
            self._compute_reasons()
            self._later.start()
        else:
            self._is_stale = True

    def _compute_reasons(self) -> None:
        if self._run is not None and (record := self.record) is not None:
            self._shapley.compute(self._run, record)

    def _show_reasons(self) -> None:
        """Shows Shapley values or the model's own reasons, as chosen."""
        self._show_said()
        self._compute_reasons()

    def _search(self) -> None:
        trained, record, run, prediction = self._trained, self.record, self._run, self._prediction
        if trained is None or record is None or run is None or prediction is None:
            return
        label, (tests, decide) = self._true_class() or trained.classes[prediction.decision], self._asked_as()
        asked = run, trained, record, self.row, self._name(), self.asked, label, decide, tests, self._is_changed
        self._changes.search(AskedRecord(*asked))

    def _take_flip(self, change: JointChange) -> None:
        self.form.show_values(change.values)
        self._vary_index(change.parts[0].attribute)
        self._changed()

    def _vary_index(self, index: int) -> None:
        if index in self.asked:
            self._attribute.setCurrentIndex(self.asked.index(index))

    def _attribute_chosen(self) -> None:
        self._is_attribute_chosen = True
        self._vary()

    def _vary(self) -> None:
        """Computes the effect of the attribute chosen, else of the one with the largest effect on the record."""
        trained, record, run, place = self._trained, self.record, self._run, self._attribute.currentIndex()
        if trained is None or record is None or run is None or not 0 <= place < len(self.asked) or self._is_waiting:
            return
        tried, session = self.asked[:MOST_TRIED], self._session
        if self._is_attribute_chosen or self._is_changed:
            tried = (self.asked[place],)
        label = session.classes[session.class_of_interest] if session.classes else ""
        positive = trained.classes.index(label) if label in trained.classes else 1
        prediction = self._prediction
        predicted = -1 if prediction is None else prediction.decision
        shares = [0.0] * len(trained.classes) if prediction is None else prediction.probabilities
        actual = self._actual_code()
        threshold = None if self._prediction is None else self._prediction.threshold
        needed = None if threshold is None else (trained.classes.index(threshold[0]), threshold[1])

        def work(context: RunContext) -> ShownEffect:
            effects = [effect_of(trained, run.data, record, index, context, give_way) for index in tried]
            effect = largest_effect(effects, predicted, needed, importance_places(trained, run.data.schema))
            index = effect.attribute
            codes = classes_with_lines(shares, positive, max(0, predicted), actual)
            roles = roles_of(codes, actual) if len(trained.classes) > MOST_LINES else ""
            scale, value = scale_of_effect(run.data, effect), float(record.column(index)[0])
            return ShownEffect(effect, scale, value, trained.classes, codes, threshold, roles)

        says = "Computing the effect of one attribute"
        self._effect_task.run("Effect of one attribute", work, on_done=self._show_effect, says=says)

    def _show_effect(self, shown: ShownEffect) -> None:
        with QSignalBlocker(self._attribute):
            self._attribute.setCurrentIndex(self.asked.index(shown.effect.attribute))
        self.effect.show_effect(shown)
        self._dimmed_effect.dim(False)

    def _show_said(self) -> None:
        prediction, trained = self._prediction, self._trained
        if prediction is None or trained is None:
            return
        of_fold = None if self._run is None else self._run.of_fold
        label = f"{trained.classes[prediction.decision]} ({prediction.probability})"
        short = f"Prediction: {label}"
        of_whom = OF_ALL_RECORDS if of_fold is None else of_fold.name
        models = model_wordings(of_fold, self.row, prediction, trained)
        truths = truth_words(prediction, trained, self._name(), self._true_class(), is_changed=self._is_changed)
        self.words = f"Prediction of {of_whom}: {label}{prediction.by}. {truths[0]}".strip()
        briefer = (in_brief(short, trained.classes, letters) for letters in BRIEF_NAMES)
        self._verdict.keep_room_for(f"Prediction: {name} ({percent(0.99999)})" for name in trained.classes)
        self._verdict.set_wordings(short if of_fold is None else f"Prediction of {of_whom}: {label}", short, *briefer)
        self._whose.set_wordings(*models)
        briefer = (in_brief(text, trained.classes, letters) for text in truths for letters in BRIEF_NAMES)
        self._actual.set_wordings(*truths, *briefer)
        learned = of_fold is None or self.row in of_fold.rows
        tests = words_of_tests(prediction, trained.classes, self._true_class(), learned=learned)
        self._tested.set_wordings(*(text or " " for text in (("",) if self._is_changed else tests)))
        note = "" if prediction.tested is None else TWO_MODELS
        known_as = "" if self._run is None else identifiers_of(self._run.data, self.row)
        self._actual.set_note("\n".join(filter(None, (known_as, note))))
        session = self._session
        shown = prediction.probabilities, prediction.threshold, prediction.expected, prediction.decision
        actual = self._actual_code()
        self._shares.show_probabilities(trained.classes, *shown, actual, (trained, self.row))
        many = len(trained.classes) > MOST_LINES
        codes = classes_of_record(prediction.probabilities, prediction.decision, actual) if many else ()
        self.form.show_colored([trained.classes[code] for code in codes])
        interest = session.classes[session.class_of_interest] if session.classes else ""
        own_title, (width, most), shows_all = ways_title(prediction, trained), self._reasons_room, self._shows_all_steps
        has_own, code = not lists_steps(prediction, trained), prediction.decision
        if len(trained.classes) == 2 and trained.classes[1 - code] == interest:
            code = 1 - code
        brief = "Contributions" if prediction.reasons else own_title
        self._shapley.follow(trained, code, brief if has_own else "", self._reasons_room)
        is_other = has_own and self._shapley.is_wanted
        self._ways_title.setText(SHAPLEY if is_other else own_title)
        truth = None if self._is_changed else self._true_class()
        said = ways_html(prediction, trained, interest, truth=truth, shows_all=shows_all, most=most, width=width)
        show_text(self._way, "" if is_other else said)
        n_more = 0 if is_other else n_left_out(prediction, trained, most)
        more = f"{n_more} more {'contributions' if prediction.reasons else 'reasons'}"
        show_text(self._more_steps, link("more", "Show fewer" if shows_all else more) if n_more > 0 else "")
        steps = prediction.path.sentences or prediction.steps
        self._way.setToolTip(typeset("\n".join([*([WHAT_NUMBERS_MEAN] if prediction.reasons else []), *steps])))

    def _show_other_steps(self, _link: str) -> None:
        self._shows_all_steps = not self._shows_all_steps
        self._show_said()

    @property
    def _is_changed(self) -> bool:
        """Whether a value in the form differs from the record's own."""
        return self._base is not None and differs(self._base, self.asked, self.form.values)

    def _name(self) -> str:
        return f"Record {self._number.record:,}{', changed' if self._is_changed else ''}"

    def _actual_code(self) -> int:
        """The code of the actual class among those of the model; :data:`REST` if it has none."""
        classes = () if self._trained is None else self._trained.classes
        return next((code for code, name in enumerate(classes) if name == self._true_class()), REST)

    def _true_class(self) -> str | None:
        return None if self._run is None else true_class(self._run, self.row)


class ExplainPage(MadeInPieces, ClearWidget):
    """Follows a record of the current run, when seen; ``path_changed`` has a :class:`HighlightedPath`."""

    path_changed = Signal(object)
    record_changed = Signal(int)

    def __init__(self, session: Session, parent: QWidget | None = None, *, in_pieces: bool = False) -> None:
        super().__init__(parent)
        self._session = session
        self._run: Run | None = None
        self._record: int | None = None
        """The id of the record that is followed: another run's table may have it at another place."""
        self._awaited = ""
        self._make_by(self._make(), in_pieces)

    def _make(self) -> Iterator[bool]:
        self.what_if = yield from WhatIfPane(self._session, self, in_pieces=True).rest()
        self.what_if.path_changed.connect(self.path_changed)
        self.what_if.record_changed.connect(self.record_changed)
        column_layout(self.what_if, inside=self)
        self._session.document_replaced.connect(self._let_go)

    def show_run(self, run: Run | None, awaited: str = "") -> None:
        """Shows this run; where another model is trained, only what is ``awaited``, in a sentence."""
        self._run, self._awaited = run, awaited
        if not self.isVisible():
            return
        if awaited:
            self.what_if.wait(awaited)
            return
        self.what_if.show_run(run, self.followed)
        if self.followed is None:
            self.what_if.begin_with_selected()

    def prepare(self) -> None:
        """Makes the fields of the page ahead, while it is hidden."""
        if not (self.isVisible() or self._awaited):
            self.what_if.prepare(self._run)

    @property
    def followed(self) -> int | None:
        """The row of the record in view in the current run's data; None if that does not have it."""
        run = self._session.current_run
        if run is None or self._record is None:
            return None
        places = np.flatnonzero(run.data.row_ids == self._record)
        return int(places[0]) if len(places) else None

    def follow(self, row: int | None) -> None:
        """Makes the record in this row of the run's data the one to edit; None for none."""
        run = self._session.current_run
        self._record = None if run is None or row is None or row >= len(run.data) else int(run.data.row_ids[row])
        if row is not None and self.isVisible():
            self.what_if.show_record(row)

    def _let_go(self) -> None:
        """Forgets the record: another table may have records with the same ids."""
        self._record = None

    def show_record_of(self, values: Mapping[str, float | str | None]) -> None:
        """Shows a record with these values by attribute name; None is a missing value."""
        self._session.turns.later(self._fill, partial(self.what_if.put_values, values))

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._session.turns.later(self._fill)

    def _fill(self) -> None:
        if not self.isVisible():
            return
        if self._awaited:
            self.what_if.wait(self._awaited)
            return
        self.what_if.show_run(self._run, self.followed)
        if (row := self.followed) is not None:
            self.what_if.show_record(row)
        else:
            self.what_if.begin_with_selected()
