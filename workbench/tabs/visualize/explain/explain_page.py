"""The page Explain: the prediction for one record, and what would change it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from html import escape
from typing import Final

import numpy as np
from PySide6.QtCore import QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QBoxLayout, QFrame, QScrollArea

from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.evaluation.costs.decision_rules import DecisionRule
from algorithms.evaluation.regions import SEPARATIONS, by_separation
from algorithms.evaluation.what_if import (
    AttributeEffect,
    DecisionFlip,
    SimilarRecord,
    Value,
    changed,
    effect_of,
    flips,
    nearest_of_another_class,
    one_record,
    ways,
)
from algorithms.structures.tree import Tree
from algorithms.text.numbers import OWN_DIGITS
from algorithms.text.sentences import and_more, counted, typeset
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import single_shot
from workbench.jobs.worker_threads import give_way
from workbench.session.decision_rules import DecisionQuery
from workbench.session.runs import Run
from workbench.session.scatter_axes import is_to_be_found
from workbench.session.session import Session
from workbench.style.theme import SPACE_3, themes
from workbench.tabs.visualize.explain.fold_model import WrongRecords
from workbench.tabs.visualize.explain.record_form import FEW_FIELDS, MOST_FIELDS, RecordForm
from workbench.tabs.visualize.explain.record_prediction import (
    MOST_STEPS,
    WHAT_NUMBERS_MEAN,
    ProbabilityBars,
    RecordPrediction,
    decided_words,
    flip_html,
    lists_steps,
    own_explained,
    own_threshold,
    similar_html,
    true_class,
    ways_html,
    ways_title,
    when_tested,
    why_untested,
)
from workbench.tabs.visualize.explain.selected_record import RecordNumber, numbered, record_in_view
from workbench.tabs.visualize.explain.value_charts import (
    EffectChart,
    ShownEffect,
    classes_with_lines,
    histogram_of,
    scale_of_effect,
    value_text,
)
from workbench.viewers.charts.chart_base import ExportedChart
from workbench.viewers.charts.export import Export
from workbench.viewers.original_units import unscaled_by
from workbench.viewers.tree.split_histograms import SplitHistogram
from workbench.viewers.tree.tree_words import HighlightedPath, highlighted_path
from workbench.widgets.buttons import link_button, quiet_button, set_caption
from workbench.widgets.fields import SearchableComboBox, SearchField
from workbench.widgets.keyboard_focus import show_or_hide
from workbench.widgets.labels import LinkLabel, label, link, rule, show_text
from workbench.widgets.layouts import ClearWidget, Item, add_items, column_layout, laid_out_once, named, row_layout
from workbench.widgets.panes import Pane


def asked_about(trained: TrainedClassifier, data: Dataset) -> tuple[int, ...]:
    """The attributes the model uses, the most important first; then the others, if it may use them.

    Those without an order of the model's own follow their separation of the classes, once that is derived.
    """
    structure, schema = trained.structure(), data.schema
    has_ranks = schema.class_index is not None and not is_to_be_found(data, None)
    ranks = {index: rank for rank, index in enumerate(by_separation(data) if has_ranks else ())}
    usable, info = [i for i in schema.predictors if i != schema.class_index], structure.info
    places = {structure.schema.names[index]: place for place, index in enumerate(info.attributes_used())}
    used = [i for i in usable if schema.names[i] in places]
    usable = (info.uses_no_others and used) or usable
    return tuple(sorted(usable, key=lambda i: (places.get(schema.names[i], len(places)), ranks.get(i, 0))))


def _scrolled(*items: Item) -> QScrollArea:
    """A vertical scroll area without a frame around these items."""
    content = ClearWidget()
    column_layout(*items, inside=content, spacing=6, margins=(0, 0, 4, 0))
    scroll = QScrollArea()
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    scroll.setWidget(content)
    scroll.viewport().setAutoFillBackground(False)
    return scroll


TWO_MODELS: Final = (
    "The model explained is the one learned from all records, this one among them; the one that tested it had not "
    "learned from it."
)
DELAY_MS: Final = 40
FLIP_DELAY_MS: Final = 250
NOT_GIVEN: Final = float("nan")
VALUES_WIDTH: Final = 340
WIDE: Final = 820
"""From this width on, changes stand beside the prediction, not below it."""
TALLEST: Final = 300
MOST_FLIPS: Final = 2
TRY: Final = "Try it"
MOST_UNUSED: Final = 5
"""So many attributes that the model does not use are named."""
MOST_TRIED: Final = 12
"""Of so many attributes that with the largest effect is shown first."""


class FlipCard(QFrame):
    """One change that flips the prediction, and a button that tries it."""

    def __init__(self, name: str, take: Callable[[], object]) -> None:
        super().__init__()
        self.setProperty("part", "note")
        self.words = named(label("", wrap=True, rich=True), name)
        self.tries = link_button(TRY, f"{name}.try", "Put this value into the record", take)
        row_layout((self.words, 1), self.tries, inside=self, margins=(10, 6, 10, 6))
        self.hide()


class WhatIfPane(Pane):
    """Shows predictions for an edited record; ``path_changed`` carries its path, ``record_changed`` the row it
    starts from."""

    path_changed = Signal(object)
    record_changed = Signal(int)
    model_asked = Signal()
    """Asks for the model with the path of the record."""

    def __init__(self, session: Session) -> None:
        super().__init__("What if")
        self.setObjectName("visualize.what-if")
        self._session = session
        self._run: Run | None = None
        self._trained: TrainedClassifier | None = None
        self.asked: tuple[int, ...] = ()
        """Indices of the attributes that can be edited, in their order."""
        self._is_attribute_chosen = False
        self.is_lit = False
        """Whether the model shows the path of the record, so that it is followed while this page is hidden."""
        self.words = ""
        """The prediction and the true class in a sentence."""
        self._base: Dataset | None = None
        self._prediction: RecordPrediction | None = None
        self._candidates: tuple[DecisionFlip, ...] = ()
        self._similar_row: int | None = None
        self._similar_shown: tuple[tuple[SimilarRecord, str] | None, str] = (None, "")
        self._is_stale = self._is_waiting = False
        self._tasks = [LatestTask(session.jobs) for _ in range(6)]
        self._task, self._flip_task, self._effect_task, self._similar_task, self._histogram_task, self._order_task = (
            self._tasks
        )
        self._soon, self._later = single_shot(self, DELAY_MS, self._ask), single_shot(self, FLIP_DELAY_MS, self._search)
        self._make_widgets()
        self.form.changed.connect(self._changed)
        self.form.focused.connect(self._vary_index)
        self._number.valueChanged.connect(self._number_changed)
        themes.follow(self._show_said)
        themes.follow(self._say_rows)
        themes.follow(self._color_again)
        session.selection.changed.connect(self._selection_changed)
        session.decisions.reports.decided_anew.connect(self._decided_otherwise)
        session.decisions.reports.arrived.connect(self._follow_wrong)
        session.class_of_interest_changed.connect(self._show_said)

    def _make_widgets(self) -> None:
        name = "visualize.what-if"
        self._number = named(
            RecordNumber(self._chosen),
            f"{name}.record",
            "Number of the record to start from",
            "The record to start from; where several are selected, the arrows go from one to the next",
        )
        self._number.setPrefix("record ")
        self._reset = quiet_button("Reset", f"{name}.reset", "The record's own values", self._start_from)
        self.wrong = WrongRecords(self._session, name, self)
        self.add_action(self.wrong.place, self._number, self.wrong.next, self._reset)
        self._find = SearchField("Find an attribute", f"{name}.find")
        self._match_count = named(LinkLabel("", "small"), f"{name}.found")
        self.form = RecordForm()
        self._match_count.linkActivated.connect(lambda _link: self.form.show_all(not self.form.shows_all))
        self._find.textChanged.connect(self.form.look_for)
        self.form.rows_changed.connect(self._say_rows)
        self._values = ClearWidget()
        self._changes = self._make_changes(name)
        self._below_values = column_layout(spacing=0)
        self._unused = named(label("", "dim", wrap=True), f"{name}.unused")
        self._left = _scrolled(self.form, self._unused, self._below_values, 1)
        column_layout(self._find, self._match_count, (self._left, 1), inside=self._values, spacing=6)
        self._columns = row_layout((self._make_prediction(name), 3), (self._changes, 2), spacing=28)
        both = ClearWidget()
        both.setLayout(self._columns)
        self._beside = _scrolled((both, 1))
        add_items(self.body, (row_layout(self._values, (self._beside, 1), spacing=20), 1))

    def _make_prediction(self, name: str) -> ClearWidget:
        self._verdict = named(label("", "verdict", wrap=True, rich=True), f"{name}.said")
        self._shares = ProbabilityBars(f"{name}.shares")
        self._ways_title = label("", "heading")
        self._to_model = link_button("Show in model", f"{name}.to-model", "", self.model_asked.emit)
        self._way = named(label("", "small", wrap=True, rich=True), f"{name}.ways")
        self._more_steps = named(LinkLabel(""), f"{name}.ways.more")
        self._more_steps.linkActivated.connect(self._show_other_steps)
        self._shows_all_steps = False
        tip = "The other values stay as they are"
        self._attribute = named(SearchableComboBox(), f"{name}.attribute", "Attribute to vary", tip)
        self._attribute.setMinimumContentsLength(18)
        self._attribute.setSizeAdjustPolicy(SearchableComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._attribute.currentIndexChanged.connect(self._attribute_chosen)
        self.effect = EffectChart(f"{name}.effect")
        self._export = Export(ExportedChart(self.effect, "effect", "Effect of one attribute"), self._session.jobs, self)
        title = label("Effect of one attribute", "heading")
        title.setToolTip("Individual conditional expectation (ICE): the other values are those of the record")
        effect = row_layout(title, self._attribute, 1, self._export.button(f"{name}.effect.menu"), spacing=8)
        content = ClearWidget()
        way = row_layout(self._ways_title, 1, self._to_model)
        erring = self.wrong.erring, 0, Qt.AlignmentFlag.AlignLeft
        way_parts = way, self._way, self._more_steps
        parts = (self._verdict, erring, self._shares, rule(), *way_parts, rule(), effect, (self.effect, 4), 1)
        column_layout(*parts, inside=content, spacing=10)
        return content

    def _make_changes(self, name: str) -> ClearWidget:
        self._flips = named(label("", "small", wrap=True), f"{name}.flip")
        self._cards = [FlipCard(f"{name}.flip-{i}", partial(self._take_flip, i)) for i in range(MOST_FLIPS)]
        self._similar_words = named(label("", "small", wrap=True), f"{name}.similar-words")
        self._similar = named(label("", wrap=True, rich=True), f"{name}.similar")
        self._to_similar = quiet_button("", f"{name}.to-similar", "Explain this record", self._go_to_similar)
        self._to_similar.hide()
        content = self._changes = ClearWidget()
        column_layout(
            label("Smallest change that flips it", "heading"),
            self._flips,
            *self._cards,
            rule(),
            label("Most similar record of another class", "heading"),
            self._similar_words,
            self._similar,
            (self._to_similar, 0, Qt.AlignmentFlag.AlignLeft),
            1,
            inside=content,
            spacing=8,
        )
        return content

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """Puts the changes beside the prediction where there is room, else below few values or the prediction."""
        width = min(themes.px(VALUES_WIDTH), self.width() * 2 // 5)
        self._values.setFixedWidth(width)
        self.effect.setMaximumHeight(max(themes.px(TALLEST), 2 * self.height() // 5))
        is_wide = self.width() - width >= themes.px(WIDE)
        directions = QBoxLayout.Direction
        self._columns.setDirection(directions.LeftToRight if is_wide else directions.TopToBottom)
        are_few = 2 * self.form.sizeHint().height() <= self._left.height()
        place = self._below_values if are_few and not is_wide else self._columns
        if place.indexOf(self._changes) < 0:
            place.addWidget(self._changes, 0 if place is self._below_values else 2)
            self._below_values.setContentsMargins(0, SPACE_3 if place is self._below_values else 0, 0, 0)

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
        self._run, self._trained, self._prediction, self._candidates = run, trained, None, ()
        if run is None or trained is None:
            return
        if is_to_be_found(run.data, trained.structure()):
            data, ordered = run.data, partial(self._show_ordered, run)
            self._order_task.run("", lambda context: data.derived(SEPARATIONS, context.checkpoint), on_done=ordered)
        self.asked = asked_about(trained, run.data)
        self.set_facts(f"{run.learner.name}, run {run.number}", f"Run {run.number}")
        others = [run.data.schema.names[index] for index in run.data.schema.predictors if index not in self.asked]
        self._unused.setText(
            f"{counted(len(others), 'attribute').capitalize()} this model does not use: {and_more(others, MOST_UNUSED)}"
            if others
            else ""
        )
        self._unused.setVisible(bool(others))
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
        self._verdict.setText(escape(words))
        self._verdict.setToolTip("")
        self._shares.show_probabilities((), [])
        self._way.clear()
        self._more_steps.hide()
        self._show_changes("")
        self._show_similar(None)
        self.effect.show_effect(None)

    def _set_waiting(self, is_waiting: bool) -> None:
        self._is_waiting = is_waiting
        self.form.setEnabled(not is_waiting)  # the number keeps the keyboard focus

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
    def path(self) -> HighlightedPath:
        """The path of the record through the tree."""
        return HighlightedPath() if self._prediction is None else self._prediction.path

    @property
    def row(self) -> int:
        """The row of the record in the run's data."""
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
        if self.isVisible():
            self._changed()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._is_stale:
            self._changed()

    def _drop(self) -> None:
        self._soon.stop()
        self._later.stop()
        for task in self._tasks[:4]:
            task.stop()

    def _count_classes(self) -> None:
        """Counts the classes over the attributes in view."""
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
        if trained is None or record is None or run is None:
            return
        asked, decide = self._asked_as()
        base, session = self._base if self._is_changed else None, self._session
        positive = session.classes[session.class_of_interest] if session.classes else ""

        def work(_context: RunContext) -> RecordPrediction:
            tree, explained = trained.structure(), own_explained(trained, trained.explain(record, 0), record)
            own, shares = explained.decision, explained.probabilities
            tested = when_tested(run, row, asked) if run.of_fold is None else None
            decision = own if decide is None else decide.decide_one(shares, own, record)
            prediction = RecordPrediction(decision, shares, (), explained.steps, explained.reasons, tested=tested)
            if tested is None and base is None and (run.of_fold is None or row in run.of_fold.rows):
                prediction = replace(prediction, untested=why_untested(run, row))
            if decide is not None and asked is not None:
                own_words = own_threshold(decide.thresholds(record, positive))
                prediction = replace(prediction, itself=own, by=f" {asked.phrase}{own_words}")
            if base is not None:
                before = trained.explain(base, 0)
                own, shares = before.decision, before.probabilities
                unchanged = own if decide is None else decide.decide_one(shares, own, base)
                prediction = replace(prediction, unchanged=unchanged)
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

        self._task.run("Ask the model", work, on_done=self._answered, says="Asking the model")

    def _answered(self, prediction: RecordPrediction) -> None:
        self._prediction = prediction
        self._show_said()
        self._show_changes("Looking for the smallest change")
        self.path_changed.emit(prediction.path)
        if self.isVisible():
            self._vary()
            self._later.start()
        else:
            self._is_stale = True

    def _search(self) -> None:
        trained, record, run, fields = self._trained, self.record, self._run, self.asked
        if trained is None or record is None or run is None:
            return
        decide = self._asked_as()[1]
        self._flip_task.run(
            "Smallest change that flips it",
            lambda context: flips(trained, run.data, record, fields, context, give_way, decide),
            on_done=self._searched,
            says="Looking for the smallest change",
        )
        self._look_for_similar(trained, record, run)

    def _searched(self, candidates: tuple[DecisionFlip, ...]) -> None:
        no_single = "No change of one value alone changes the prediction."
        self._show_changes("One attribute, all else as it is." if candidates else no_single, candidates)

    def _show_changes(self, words: str, candidates: tuple[DecisionFlip, ...] = ()) -> None:
        trained, record, self._candidates = self._trained, self.record, candidates
        with laid_out_once(self._changes):
            self._flips.setText(words)
            for i, card in enumerate(self._cards):
                if i < len(candidates) and trained is not None and record is not None:
                    now = self.form.values[candidates[i].attribute]
                    card.words.setText(flip_html(record.schema, candidates[i], now, trained.classes))
                    attribute = record.schema.attributes[candidates[i].attribute]
                    value = value_text(attribute, candidates[i].value, OWN_DIGITS)
                    card.tries.setAccessibleName(f"{TRY}: {attribute.name} {value}")
                on = self._number if self._reset.isHidden() else self._reset
                show_or_hide(card, i < len(candidates), instead=on)

    def _take_flip(self, place: int) -> None:
        if place < len(self._candidates):
            flip = self._candidates[place]
            self.form.show_values({flip.attribute: flip.value})
            self._vary_index(flip.attribute)
            self._changed()

    def _look_for_similar(self, trained: TrainedClassifier, record: Dataset, run: Run) -> None:
        prediction, row = self._prediction, self.row
        if prediction is None:
            return
        label, decide = self._true_class() or trained.classes[prediction.decision], self._asked_as()[1]

        def work(context: RunContext) -> tuple[SimilarRecord, str] | None:
            similar = nearest_of_another_class(run.data, record, label, context, row)
            if similar is None:
                return None
            other = one_record(run.data, similar.row)
            judged = trained.judged(other, context)
            decisions = judged.decisions if decide is None else decide.on(judged, other)
            return similar, trained.classes[int(decisions[0])]

        self._similar_task.run("", work, on_done=lambda similar: self._show_similar(similar, label))

    def _show_similar(self, similar: tuple[SimilarRecord, str] | None, label: str = "") -> None:
        """Shows the record most similar to this one of class ``label``, and its predicted class."""
        run, prediction = self._run, self._prediction
        self._similar_shown = similar, label
        self._similar_row = None if similar is None else similar[0].row
        words = table = ""
        if similar is not None and run is not None and prediction is not None:
            row, predicted = similar[0].row, similar[1]
            attributes = dict.fromkeys((*self.asked, *run.data.schema.predictors))
            record = f"record {numbered(run.data, row)}"
            words = f"{record.capitalize()}: actual {true_class(run, row)}, predicted {predicted}. "
            others = [name for name in run.data.schema.classes if name != label]
            which = f"of class {others[0]}" if len(others) == 1 else f"whose actual class is not {label}"
            words += f"It is the nearest record {which}, by {counted(len(attributes), 'attribute')}."
            other = one_record(run.data, row)
            names = self._name(), record.capitalize()
            table = similar_html(self.record or other, other, tuple(attributes), names)
            set_caption(self._to_similar, f"Go to {record}")
        none = "" if prediction is None else "No record of another class is known."
        with laid_out_once(self._changes):
            leaves_no_change = not self._is_changed  # going to another record drops what was changed
            show_or_hide(self._to_similar, similar is not None and leaves_no_change, instead=self._number)
            show_text(self._similar_words, words or none)
            show_text(self._similar, table)

    def _color_again(self) -> None:
        """The words with colours of the theme in them."""
        self._show_changes(self._flips.text(), self._candidates)
        self._show_similar(*self._similar_shown)

    def _go_to_similar(self) -> None:
        if self._similar_row is not None:
            self.show_record(self._similar_row)

    def _vary_index(self, index: int) -> None:
        if index in self.asked:
            self._attribute.setCurrentIndex(self.asked.index(index))

    def _attribute_chosen(self) -> None:
        self._is_attribute_chosen = True
        self._vary()

    def _vary(self) -> None:
        """Computes the effect of the chosen attribute; if none is, of that with the largest effect on a record."""
        trained, record, run, place = self._trained, self.record, self._run, self._attribute.currentIndex()
        if trained is None or record is None or run is None or not 0 <= place < len(self.asked) or self._is_waiting:
            return
        tried, session = self.asked[:MOST_TRIED], self._session
        if self._is_attribute_chosen or self._is_changed:
            tried = (self.asked[place],)
        label = session.classes[session.class_of_interest] if session.classes else ""
        positive = trained.classes.index(label) if label in trained.classes else 1
        predicted = -1 if self._prediction is None else self._prediction.decision

        def work(context: RunContext) -> ShownEffect:
            effects = [effect_of(trained, run.data, record, index, context, give_way) for index in tried]
            effect = max(effects, key=lambda effect: _reach(effect, predicted))
            index = effect.attribute
            codes = classes_with_lines(effect.probabilities, positive, predicted)
            value = float(record.column(index)[0])
            return ShownEffect(effect, scale_of_effect(run.data, effect), value, trained.classes, codes)

        says = "Computing the effect of one attribute"
        self._effect_task.run("Effect of one attribute", work, on_done=self._show_effect, says=says)

    def _show_effect(self, shown: ShownEffect) -> None:
        with QSignalBlocker(self._attribute):
            self._attribute.setCurrentIndex(self.asked.index(shown.effect.attribute))
        self.effect.show_effect(shown)

    def _show_said(self) -> None:
        prediction, trained = self._prediction, self._trained
        if prediction is None or trained is None:
            return
        of_fold = None if self._run is None else self._run.of_fold
        model = "Prediction" if of_fold is None else f"Prediction of {of_fold.name}"
        words = f"{model}: {trained.classes[prediction.decision]} ({prediction.probability}){prediction.by}"
        by_default = decided_words(prediction, trained)
        self.words = f"{words}{self._truth_words() or ('.' if by_default else '')}{by_default}"
        self._verdict.setText(escape(self.words))
        self._verdict.setToolTip("" if prediction.tested is None else TWO_MODELS)
        session = self._session
        self._shares.show_probabilities(trained.classes, prediction.probabilities)
        interest = session.classes[session.class_of_interest] if session.classes else ""
        self._ways_title.setText(ways_title(prediction, trained))
        self._way.setText(ways_html(prediction, trained, interest, shows_all=self._shows_all_steps))
        n_more = len(prediction.steps) - MOST_STEPS if lists_steps(prediction, trained) else 0
        self._more_steps.setText(link("more", "Show fewer" if self._shows_all_steps else f"{n_more} more"))
        self._more_steps.setVisible(n_more > 0)
        steps = prediction.path.sentences or prediction.steps
        self._way.setToolTip(WHAT_NUMBERS_MEAN if prediction.reasons else typeset("\n".join(steps)))

    def _show_other_steps(self, _link: str) -> None:
        """Shows all steps of a long list, or only the first again."""
        self._shows_all_steps = not self._shows_all_steps
        self._show_said()

    @property
    def _is_changed(self) -> bool:
        """Whether a value in the form differs from the record's own."""
        base = self._base
        own = {} if base is None else {index: float(base.column(index)[0]) for index in self.asked}
        cells = ((own.get(index, NOT_GIVEN), float(value)) for index, value in self.form.values.items())
        return any(now != before and (now == now or before == before) for before, now in cells)

    def _name(self) -> str:
        return f"Record {self._number.record:,}{', changed' if self._is_changed else ''}"

    def _true_class(self) -> str | None:
        return None if self._run is None else true_class(self._run, self.row)

    def _truth_words(self) -> str:
        """The true class of the record that the values come from, if it is known."""
        label, prediction, trained = self._true_class(), self._prediction, self._trained
        if label is None:
            return ""
        if self._is_changed:
            code = -1 if prediction is None else prediction.unchanged
            predicted = "" if trained is None or code < 0 else f"predicted {trained.classes[code]}; "
            return f" for record {self._number.record:,}, changed. Unchanged: {predicted}actual {label}."
        beside = "" if prediction is None or trained is None else prediction.when_tested(trained, label)
        return f". {self._name()} is {label}{beside}."


def _reach(effect: AttributeEffect, code: int) -> float:
    """How far the probability of a class goes over the values of an attribute."""
    return float(np.ptp(effect.probabilities[:, code])) if len(effect.values) else 0.0


class ExplainPage(ClearWidget):
    """Follows a record of the current run, and fills itself when it is seen.

    ``path_changed`` carries the :class:`HighlightedPath` of the record; ``record_changed`` its row.
    """

    path_changed = Signal(object)
    record_changed = Signal(int)

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._run: Run | None = None
        self._record: int | None = None
        """The id of the record that is followed: another run's table may have it at another place."""
        self._awaited = ""
        self.what_if = WhatIfPane(session)
        self.what_if.path_changed.connect(self.path_changed)
        self.what_if.record_changed.connect(self.record_changed)
        column_layout(self.what_if, inside=self)
        session.document_replaced.connect(self._let_go)

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
