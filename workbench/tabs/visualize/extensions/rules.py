"""Rules viewer: records of rules, overlaps between rules, and replay of the rule search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox, QListWidget, QSplitter, QVBoxLayout, QWidget

from algorithms.core.context import RunContext
from algorithms.core.errors import DataError
from algorithms.core.training import TrainedClassifier
from algorithms.data.alignment import aligned
from algorithms.data.columns import IntArray
from algorithms.learners.rules.matching import RuleMatcher
from algorithms.learners.rules.model import RuleModel
from algorithms.learners.rules.rule_history import story
from algorithms.learners.rules.rule_logic import (
    CounterExample,
    DataOverlap,
    WholeSpaceFindings,
    anywhere,
    example_words,
    on_data,
)
from algorithms.learners.rules.steps import RuleHistory, RulePhase, can_be_followed, rows, sentence, title, weighed_rows
from algorithms.learners.rules.words import largest_parts, name_of, parts_words
from algorithms.structures.rule_set import DEFAULT_RULE, RuleSet
from algorithms.text.sentences import typeset
from workbench.jobs.jobs import Job
from workbench.jobs.worker_threads import give_way
from workbench.session.runs import MODEL_SEED, Run, learned_from
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.visualize.explain.selected_record import record_in_view
from workbench.tabs.visualize.extensions.rule_editor import RuleEditor, rules_of
from workbench.tabs.visualize.playback import PlaybackControls, PlaybackLabels, SelectionBefore, StagePanel
from workbench.tabs.visualize.program_files import RuleFiles
from workbench.viewers.charts.export import Export, rows_written
from workbench.viewers.charts.plane_plots import ExportedStep, RuleStepsPlot
from workbench.widgets.buttons import quiet_button
from workbench.widgets.dialogs import CSV, ask_where_to_save_table
from workbench.widgets.labels import label
from workbench.widgets.tables import TextTable

if TYPE_CHECKING:
    from workbench.viewers.rules.rules_view import RuleSetView


DELAY_MS: Final = 30


class RuleRecords(QObject):
    """Finds in jobs which records a rule decides, and which rules fire for the record in view."""

    def __init__(self, session: Session, view: RuleSetView) -> None:
        super().__init__(view)
        self._session, self._view = session, view
        self._run: Run | None = None
        self._followed: int | None = None
        self._choosing: Job | None = None
        self._asking: Job | None = None
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(DELAY_MS)
        self._soon.timeout.connect(self._ask)
        session.selection.changed.connect(self._selection_changed)
        view.rule_chosen.connect(self._choose)
        view.offer_selecting()

    def show_run(self, run: Run | None) -> None:
        """The rules in view are those of this run; None where there are none."""
        own = run if rules_of(run) is not None else None
        if own is not self._run and self._choosing is not None:
            self._choosing.stop()  # what was clicked is not in view any more
            self._choosing = None
        if own is not self._run:
            self._run, self._followed = own, None
            self._begin_with_selected()
        self._soon.start()

    def follow(self, row: int) -> None:
        """Mark the rules that fire for the record at this place of the run's data, until others are selected."""
        self._followed = row
        self._soon.start()

    def _selection_changed(self) -> None:
        self._begin_with_selected()
        self._soon.start()

    def _begin_with_selected(self) -> None:
        run = self._run
        self._followed = None if run is None else record_in_view(self._session.selection, run.data, self._followed)

    def _choose(self, rule: int, how: SelectionMode) -> None:
        """Select the records that a rule decides, or where rules vote, covers."""
        if self._choosing is not None:
            self._choosing.stop()
            self._choosing = None
        run, rules = self._run, rules_of(self._run)
        if run is None or run.trained is None or rules is None:
            return
        trained, data = run.trained, run.data

        def work(context: RunContext) -> IntArray:
            context.say("Finding the records of the rule")
            prepared, matcher = aligned(rules.schema, trained.prepared(data)), RuleMatcher(rules)
            if rules.is_ordered or rule == DEFAULT_RULE:
                return np.flatnonzero(matcher.first(prepared, context.checkpoint) == rule)
            return np.flatnonzero(matcher.covered(rule, prepared, context.checkpoint))

        def done(rows: IntArray) -> None:
            self._choosing = None
            if any(known.data is data for known in self._session.runs):
                self._session.selection.select(data, rows, how, f"{name_of(rule)} of the list")

        self._choosing = self._session.jobs.start("", work, on_done=done)

    def _ask(self) -> None:
        """Mark the rules that fire for the record in question."""
        if self._asking is not None:
            self._asking.stop()
            self._asking = None
        run, rules = self._run, rules_of(self._run)
        if run is None or run.trained is None or rules is None or not self._view.isVisible():
            return
        row, trained, data = self._followed, run.trained, run.data
        if row is None or not 0 <= row < len(data):
            self._view.set_fired(())
            return

        def work(context: RunContext) -> tuple[tuple[int, ...], str]:
            record, model = aligned(rules.schema, trained.prepared(data.take([row]))), RuleModel(rules)
            parts = model.parts_of(record)
            if parts is not None:
                return tuple(largest_parts(parts)), parts_words(rules, parts)
            return tuple(model.matcher.fired(record, 0).tolist()) or (DEFAULT_RULE,), ""

        def done(answer: tuple[tuple[int, ...], str]) -> None:
            self._asking = None
            if self._run is run:
                self._view.set_fired(answer[0], f"Record {row + 1:,}", divided=answer[1])

        self._asking = self._session.jobs.start("", work, on_done=done)


NAME: Final = "visualize.rule-steps"
MOST_RECORDS: Final = 1_000
FRAME_MS: Final = 1_600
LIST_HEIGHT: Final = 90
TABLE_HEIGHT: Final = 130
BY_STEP: Final = "a step of the rules"
SAYS: Final = PlaybackLabels(
    slider="Which step: the first at the left, all rules at the right",
    first="The first step",
    back="One step back",
    forward="The next step",
    last="The last step",
    play="Let the rules come about, a step at a time",
)


@dataclass(frozen=True, eq=False)
class _Found:
    story: RuleHistory
    titles: list[str]


class RuleStepsPanel(StagePanel):
    """Finds the steps of a run's rules in a job and goes through them; ``rule_reached`` comes with the place of the
    rule of the run that a step keeps, -1 for none."""

    rule_reached = Signal(int)

    def __init__(self, session: Session) -> None:
        super().__init__(NAME, "sentence", session, PlaybackControls(NAME, SAYS, FRAME_MS))
        self._shown: _Found | None = None
        self._before = SelectionBefore(BY_STEP)
        self._title = label("How they came about", "heading", wrap=True)
        self._title.setObjectName(f"{NAME}.title")
        self.weighed = TextTable(f"{NAME}.weighed", "The conditions or rules that were weighed, the best first")
        self.weighed.setFixedHeight(themes.px(TABLE_HEIGHT))
        self.plot = RuleStepsPlot(f"{NAME}.plot")
        self.export = Export(ExportedStep(self.plot), session.jobs, self)
        self.export.menu.addSeparator()
        self.export.menu.addAction("Copy steps", self.copy_steps)
        self.export.menu.addAction("Save steps (CSV)...", self._ask_where)
        self.selects = QCheckBox("Select its records")
        self.selects.setObjectName(f"{NAME}.select")
        self.selects.setToolTip("Select the records that each step's rule covers, so that every view shows them")
        self.selects.setChecked(True)
        self.steps = QListWidget()
        self.steps.setObjectName(f"{NAME}.steps")
        self.steps.setAccessibleName("The steps in which the rules came about")
        self.steps.setToolTip("The steps; choose one to go there")
        self.steps.setMinimumHeight(themes.px(LIST_HEIGHT))
        column = self._column(self._title, self.export.button(f"{NAME}.save"))
        column.addWidget(self.transport)
        column.addWidget(self._words)
        column.addWidget(self.weighed)
        column.addWidget(self.plot, 3)
        column.addWidget(self.selects, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.steps, 2)
        self.transport.moved.connect(self._show)
        self.steps.currentRowChanged.connect(self._row_reached)
        self.selects.toggled.connect(self._select)

    # ---- the job -----------------------------------------------------------------------------------------------------

    def _work(self, run: Run) -> tuple[str, str, Callable[[RunContext], _Found]]:
        return "Find the steps of the rules", "Following the search for rules", partial(_steps_of, run)

    def _empty(self) -> None:
        self._shown = None
        self.plot.set_story(None)
        self._fill_list([])
        self._enable(False)
        self.weighed.hide()
        self._title.setText("How they came about")

    def end(self) -> None:
        """Nothing is shown any more."""
        super().end()
        self._shown = None
        self._before.bring_back(self._session.selection)

    def _enable(self, there: bool) -> None:
        for widget in (self.transport, self.selects, self.steps, self.plot):
            widget.setEnabled(there)

    def _show_known(self, run: Run, found: _Found) -> None:
        self._shown = found
        self._enable(True)
        self.plot.set_story(found.story)
        self._fill_list(found.titles)
        self.transport.set_stops(range(len(found.titles)), 0)
        self._show(0)

    def _fill_list(self, titles: list[str]) -> None:
        self.steps.blockSignals(True)
        self.steps.clear()
        self.steps.addItems([f"{at}. {words}" for at, words in enumerate(titles, 1)])
        self.steps.blockSignals(False)

    # ---- the step in view --------------------------------------------------------------------------------------------

    @property
    def story(self) -> RuleHistory | None:
        """The steps; None while they are being found."""
        return None if self._shown is None else self._shown.story

    def _row_reached(self, row: int) -> None:
        if row >= 0:
            self.transport.stop()
            self.transport.go_to(row)

    def _show(self, at: int) -> None:
        found = self._shown
        if found is None:
            return
        self._title.setText(f"Step {at + 1} of {len(found.titles)}")
        self._words.setText(f"{found.titles[at]}. {typeset(sentence(found.story, at))}")
        self.steps.blockSignals(True)
        self.steps.setCurrentRow(at)
        self.steps.blockSignals(False)
        step = found.story.steps[at]
        self.weighed.setVisible(bool(step.weighed or step.compared))
        self.weighed.show_rows([[typeset(cell) for cell in row] for row in weighed_rows(found.story, at)])
        self.plot.show_step(at)
        kept = step.phase is RulePhase.KEEP and step.rule in found.story.rules
        self.rule_reached.emit(found.story.rules.index(step.rule) if kept else -1)
        self._select()

    def _select(self) -> None:
        """Select the records of the step's rule, where that is wished."""
        found, run = self._shown, self._run
        if found is None or run is None or not self.selects.isChecked() or run not in self._session.runs:
            return
        ids = found.story.data.row_ids[found.story.steps[self.transport.position].covered]
        chosen = np.flatnonzero(np.isin(run.data.row_ids, ids))
        self._before.keep(self._session.selection, run.data)
        self._session.selection.select(run.data, chosen, SelectionMode.REPLACE, BY_STEP)

    # ---- taking away -------------------------------------------------------------------------------------------------

    def copy_steps(self) -> None:
        """Copy all steps as a table."""
        if self._shown is not None:
            QGuiApplication.clipboard().setText(rows_written(rows(self._shown.story))("\t"))

    def save_steps(self, path: str, neutral: bool = False) -> None:
        """Write all steps as CSV, beside the window; ``neutral`` neutralises formulas."""
        if self._shown is not None:
            self.export.save_text(path, rows_written(rows(self._shown.story)), neutral)

    def _ask_where(self) -> None:
        ask_where_to_save_table(self, f"Save {Path('steps.csv').stem}", CSV, "steps.csv", self.save_steps)


def _steps_of(run: Run, context: RunContext) -> _Found:
    """In a worker: the steps of a run's rules; raises :class:`DataError` where there are too many records to follow."""
    trained = run.trained
    assert trained is not None
    known = run.data.take(np.flatnonzero(run.data.class_codes >= 0))
    if len(known) > MOST_RECORDS:
        raise DataError(
            f"Step by step is for tables of up to {MOST_RECORDS:,} records, and this one has {len(known):,}.",
            remedy="Select some hundred records and keep them as a table of their own.",
        )
    data = learned_from(run, trained, known, context)
    part = context.child(0.9, key=1)
    part.seeds = np.random.SeedSequence(run.seed, spawn_key=MODEL_SEED)
    found = story(trained.learner, data, part)
    return _Found(found, [typeset(title(found, at)) for at in range(len(found.steps))])


class RuleLogic(QObject):
    """``record_asked`` wants a record to be looked at whose values, by name, are these: numbers, labels, None where
    missing."""

    record_asked = Signal(object)

    def __init__(self, session: Session, view: RuleSetView) -> None:
        super().__init__(view)
        self._session, self._view = session, view
        self._run: Run | None = None
        self._rules: RuleSet | None = None
        self._job: Job | None = None
        view.logic.select_asked.connect(self._select)
        view.logic.example_asked.connect(self._show)

    def show_run(self, run: Run | None) -> None:
        """The rules in view are those of this run; None where there are none."""
        rules = rules_of(run)
        if rules is self._rules:
            return
        if self._job is not None:
            self._job.stop()
            self._job = None
        self._run, self._rules = run, rules
        self._view.logic.drop()
        if run is None or run.trained is None or rules is None:
            return
        trained, data = run.trained, run.data

        def work(context: RunContext) -> tuple[DataOverlap, WholeSpaceFindings]:
            def pause() -> None:
                context.checkpoint()
                give_way()

            context.say("Asking whether rules overlap")
            there = anywhere(rules, pause)
            return on_data(rules, aligned(rules.schema, trained.prepared(data)), pause), there

        self._job = self._session.jobs.start("", work, on_done=self._found)

    def _found(self, answer: tuple[DataOverlap, WholeSpaceFindings]) -> None:
        self._job = None
        if self._rules is not None:
            self._view.logic.show_answer(self._rules, *answer)

    def _select(self, rows: IntArray, by: str) -> None:
        run = self._run
        if run is not None and any(known.data is run.data for known in self._session.runs):
            self._session.selection.select(run.data, rows, SelectionMode.REPLACE, by)

    def _show(self, example: CounterExample) -> None:
        """Say what the record is and mark its rules; have it looked at where the rules ask for the table's columns."""
        run, rules = self._run, self._rules
        if run is None or run.trained is None or rules is None:
            return
        self._view.show_example(example.fired, example_words(rules, example))
        if run.trained.filters:
            return
        values: dict[str, float | str | None] = {}
        for index, value in example.point:
            attribute = rules.schema.attributes[index]
            known = value == value
            values[attribute.name] = (
                (attribute.values[int(value)] if attribute.kind.is_coded else value) if known else None
            )
        self.record_asked.emit(values)


SIDE_WIDTH: Final = 380
LEAST_HEIGHT: Final = 520
"""With less, the rules get all the room of the tab while they are edited."""


class RuleStage(QWidget):
    """``record_asked`` wants a record of these values, by name, to be looked at, ``room_wanted`` more room
    for a while."""

    record_asked = Signal(object)
    room_wanted = Signal(bool)

    def __init__(self, session: Session, view: RuleSetView) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        self.setObjectName("visualize.rules.stage")
        self._session, self._view = session, view
        self._run: Run | None = None
        self._followed: Run | None = None
        self._records = RuleRecords(session, view)
        self._logic = RuleLogic(session, view)
        self._logic.record_asked.connect(self.record_asked)
        self.editor = RuleEditor(session, view)
        self._files = RuleFiles(view, self._trained)
        self.editor.room_wanted.connect(self._want_room)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.editor)
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        self._split.setHandleWidth(10)
        self._split.addWidget(view)
        column.addWidget(self._split, 1)
        self._panel: RuleStepsPanel | None = None
        self.steps_switch = quiet_button(
            "How they came about",
            "visualize.rule-steps",
            "The rules step by step: grown, cut back, kept or dropped, their records removed",
        )
        self.steps_switch.setCheckable(True)
        self.steps_switch.clicked.connect(self._switched)

    def show_run(self, run: Run | None) -> None:
        """The rules in view are those of this run; it may have none."""
        self._run = run if rules_of(run) is not None else None
        self._records.show_run(self._run)
        self._logic.show_run(self._run)
        own = None if self._run is None or self._run.of_fold is not None else self._run
        self.editor.set_run(own)
        self.steps_switch.setVisible(own is not None and can_be_followed(own.learner))
        if self._run is not self._followed:
            self.close_steps()

    def follow(self, row: int) -> None:
        """Mark the rules that fire for the record at this place of the run's data."""
        self._records.follow(row)

    def _want_room(self, wanted: bool) -> None:
        if not wanted or self.height() < themes.px(LEAST_HEIGHT):
            self.room_wanted.emit(wanted)

    # ---- step by step ------------------------------------------------------------------------------------------------

    def _switched(self, wanted: bool) -> None:
        if not wanted or self._run is None:
            self.close_steps()
            return
        if self._panel is None:
            self._panel = RuleStepsPanel(self._session)
            self._panel.closed.connect(self.close_steps)
            self._panel.rule_reached.connect(self._reach)
            self._split.addWidget(self._panel)
        self._followed = self._run
        self._panel.setVisible(True)
        self._want_room(True)
        side = max(themes.px(SIDE_WIDTH), self.width() * 42 // 100)
        self._split.setSizes([max(1, self.width() - side), side])
        self._panel.begin(self._run)

    def _reach(self, rule: int) -> None:
        if rule >= 0:
            self._view.focus_rule(rule)

    def close_steps(self) -> None:
        """Put the steps away."""
        was_open, self._followed = self._followed is not None, None
        self.steps_switch.setChecked(False)
        if self._panel is not None:
            self._panel.end()
            self._panel.hide()
        if was_open and not self.editor.switch.isChecked():
            self._want_room(False)

    def _trained(self) -> TrainedClassifier | None:
        return None if self._run is None else self._run.trained
