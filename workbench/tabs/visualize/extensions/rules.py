"""Rules viewer: records of rules, overlaps between rules, and replay of the rule search."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QResizeEvent

from algorithms.core.run_control import RunContext
from algorithms.data.alignment import aligned
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.learners.rules.model import RuleMatcher, RuleModel
from algorithms.learners.rules.rule_history import (
    RuleHistory,
    RulePhase,
    can_be_followed,
    comparison_rows,
    history_of,
    sentence,
    step_rows,
    title,
)
from algorithms.learners.rules.rule_logic import (
    CounterExample,
    DataOverlap,
    WholeSpaceFindings,
    anywhere,
    example_words,
    on_data,
)
from algorithms.structures.rule_set import DEFAULT_RULE, RuleSet, largest_parts, name_of, parts_words
from algorithms.text.sentences import typeset
from workbench.jobs.jobs import LatestTask, give_way
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.runs import MODEL_SEED, Run, learned_from, structure_of
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.style.motion import UNLIMITED
from workbench.style.theme import SPACE_1, themes
from workbench.tabs.visualize.explain.selected_record import SelectedRecord
from workbench.tabs.visualize.extensions.rule_editor import RuleEditor
from workbench.tabs.visualize.model_editor import editor_combo
from workbench.tabs.visualize.playback import PlaybackLabels, StepListLabels, StepListPanel, labelled_records
from workbench.viewers.charts.chart_base import ExportedPlot
from workbench.viewers.charts.export import Export, Table, rows_written, write_rules
from workbench.viewers.charts.plane_plots import RuleStepsPlot
from workbench.widgets.buttons import quiet_button
from workbench.widgets.keyboard_focus import set_visible
from workbench.widgets.labels import label
from workbench.widgets.layouts import ClearWidget, add_items, column_layout, split
from workbench.widgets.tables import TextTable

if TYPE_CHECKING:
    from workbench.viewers.rules_view import RuleSetView


DELAY_MS: Final = 30


class RuleRecords(SelectedRecord):
    """Selects the records that a rule decides, and marks the rules that fire for the record in view."""

    kind = RuleSet

    def __init__(self, session: Session, view: RuleSetView) -> None:
        super().__init__(session, view)
        self._choosing = LatestTask(session.jobs)
        self._soon = single_shot(self, DELAY_MS, self._ask_now)
        view.rule_chosen.connect(self._choose)
        view.offer_selecting()

    def show_run(self, run: Run | None) -> None:
        if run is not self._run:
            self._choosing.stop()  # what was clicked is not in view any more
        super().show_run(run)
        self._ask()

    def _choose(self, rule: int, how: SelectionMode) -> None:
        """Selects the records that a rule decides, or covers if rules vote."""
        self._choosing.stop()
        run, rules = self._run, structure_of(self._run, RuleSet)
        if run is None or run.trained is None or rules is None:
            return
        trained, data = run.trained, run.data

        def work(context: RunContext) -> IntArray:
            prepared, matcher = aligned(rules.schema, trained.prepared(data)), RuleMatcher(rules)
            if rules.is_ordered or rule == DEFAULT_RULE:
                return np.flatnonzero(matcher.first(prepared, context.checkpoint) == rule)
            return np.flatnonzero(matcher.covered(rule, prepared, context.checkpoint))

        def done(rows: IntArray) -> None:
            if any(other.data is data for other in self._session.runs):
                self._session.selection.select(data, rows, how, f"{name_of(rule)} of the list")

        self._choosing.run("", work, on_done=done)

    def _ask(self) -> None:
        self._soon.start()

    def _ask_now(self) -> None:
        self._task.stop()
        if self._view.isVisible():
            super()._ask()

    def _nothing(self) -> None:
        self._view.set_fired(())

    def _read(self, asked: RuleSet, record: Dataset, _name: str, _context: RunContext) -> tuple[tuple[int, ...], str]:
        model = RuleModel(asked)
        parts = model.parts_of(record)
        if parts is not None:
            return tuple(largest_parts(parts)), parts_words(asked, parts)
        return tuple(model.matcher.fired(record, 0).tolist()) or (DEFAULT_RULE,), ""

    def _show_answer(self, answer: tuple[tuple[int, ...], str], name: str) -> None:
        self._view.set_fired(answer[0], name, divided=answer[1])


NAME: Final = "visualize.rule-steps"
MOST_RECORDS: Final = 1_000
TABLE_HEIGHT: Final = 130
HIGH: Final = 760
"""Height from which records, candidates and steps have room below each other."""
RECORDS, CANDIDATES, STEPS = range(3)
VIEWS: Final = (("Records", RECORDS), ("Candidates", CANDIDATES), ("Steps", STEPS))
SAYS: Final = PlaybackLabels(
    slider="Which step: the first at the left, all rules at the right",
    play="Let the rules come about, a step at a time",
)


IN_A_RING: Final = "In a ring: meets the rule of this step"
NO_RING: Final = "No ring: no record meets a rule of this step"
LABELS: Final = StepListLabels(
    title="Rule steps",
    steps="The steps in which the rules came about",
    selects="Select the records that each step's rule covers, so that every view shows them",
    source="a step of the rules",
)


@dataclass(frozen=True, eq=False)
class _RuleReplay:
    history: RuleHistory
    titles: list[str]


class RuleStepsPanel(StepListPanel):
    """Replays the search for rules; ``rule_reached`` carries the position of a kept rule in the run."""

    rule_reached = Signal(int)
    result: _RuleReplay | None

    def __init__(self, session: Session) -> None:
        super().__init__(NAME, session, SAYS, LABELS)
        self.weighed = TextTable(f"{NAME}.weighed", "The conditions or rules that were weighed, the best first")
        self._no_candidates = label("This step compares no candidates.", "dim")
        self._has_candidates = False
        self.plot = RuleStepsPlot(f"{NAME}.plot")
        self.export = Export(ExportedPlot(self.plot, "step", "Step"), session.jobs, self)
        self.export.menu.addSeparator()
        self._add_export(self.export.menu)
        self.steps.setToolTip("The steps; choose one to go there")
        column = self._column(self._title, self.export.button(f"{NAME}.save"))
        self._records = ClearWidget()
        self._rings = label(IN_A_RING, "dim")
        column_layout(self.plot.legend, self._rings, (self.plot, 1), inside=self._records, spacing=SPACE_1)
        self._view = editor_combo(f"{NAME}.view", "Which part of the step is shown", choices=VIEWS)
        self._view.currentIndexChanged.connect(self._show_parts)
        selects = (self.selects, 0, Qt.AlignmentFlag.AlignLeft)
        view = (self._view, 0, Qt.AlignmentFlag.AlignLeft)
        parts = view, (self.weighed, 2), self._no_candidates, (self._records, 3), (self.steps, 2), 0, selects
        add_items(column, self.playback, self._words, *parts)
        themes.follow_now(self._show_parts)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_parts()

    def _show_parts(self, *_changed: object) -> None:
        """Shows records, candidates and steps below each other where they have room, else the chosen one of them."""
        chosen, table = self._view.currentData(), themes.px(TABLE_HEIGHT)
        is_low = self.height() < themes.px(HIGH)
        self._view.setVisible(is_low)
        self.weighed.setMinimumHeight(table)
        self.weighed.setMaximumHeight(UNLIMITED if is_low else table)
        set_visible(self._has_candidates and (not is_low or chosen == CANDIDATES), self.weighed)
        self._no_candidates.setVisible(is_low and chosen == CANDIDATES and not self._has_candidates)
        set_visible(not is_low or chosen == RECORDS, self._records)
        set_visible(not is_low or chosen == STEPS, self.steps)

    def _work(self, run: Run) -> tuple[str, str, Callable[[RunContext], _RuleReplay]]:
        return "Find the steps of the rules", "Following the search for rules", partial(_rule_replay, run)

    def _clear(self) -> None:
        super()._clear()
        self.plot.set_story(None)
        self._has_candidates = False
        self._show_parts()

    def _enable(self, enabled: bool) -> None:
        super()._enable(enabled)
        self.plot.setEnabled(enabled)

    def _show_result(self, run: Run, result: _RuleReplay) -> None:
        self.plot.set_story(result.history)
        self._show_titles(result.titles)
        self._show(0)

    def _show(self, step: int) -> None:
        replay = self.result
        if replay is None:
            return
        history, titles = replay.history, replay.titles
        self._describe(step, len(titles), f"{titles[step]}. {typeset(sentence(history, step))}")
        shown = history.steps[step]
        self._has_candidates = bool(shown.weighed or shown.compared)
        self._show_parts()
        self.weighed.show_rows([[typeset(cell) for cell in row] for row in comparison_rows(history, step)])
        self._rings.setText(IN_A_RING if len(shown.met) else NO_RING)
        self.plot.show_step(step)
        is_kept = shown.phase is RulePhase.KEEP and shown.rule in history.rules
        if is_kept:
            self.rule_reached.emit(history.rules.index(shown.rule))
        self._select()

    def _select(self) -> None:
        replay, run = self.result, self._run
        if replay is None or run is None or not self.selects.isChecked() or run not in self._session.runs:
            return
        met = replay.history.steps[self.playback.position].met
        if not len(met):
            self._before.bring_back(self._session.selection)
            return
        ids = replay.history.data.row_ids[met]
        self._select_rows(run, np.flatnonzero(np.isin(run.data.row_ids, ids)))

    def _table(self) -> Table | None:
        return None if self.result is None else rows_written(step_rows(self.result.history))


def _rule_replay(run: Run, context: RunContext) -> _RuleReplay:
    """In a worker: the steps of a run's rules; raises :class:`DataError` if there are too many records."""
    trained = run.trained
    assert trained is not None
    labelled = labelled_records(run, MOST_RECORDS, "Select some hundred records and keep them as a table of their own.")
    data = learned_from(run, trained, labelled, context)
    part = context.child(0.9, key=1)
    part.seeds = np.random.SeedSequence(run.seed, spawn_key=MODEL_SEED)
    history = history_of(trained.learner, data, part)
    return _RuleReplay(history, [typeset(title(history, step)) for step in range(len(history.steps))])


class RuleLogic(QObject):
    """Finds overlaps and gaps of rules. ``record_asked`` carries the values of an example by attribute name."""

    record_asked = Signal(object)

    def __init__(self, session: Session, view: RuleSetView) -> None:
        super().__init__(view)
        self._session, self._view = session, view
        self._run: Run | None = None
        self._rules: RuleSet | None = None
        self._task = LatestTask(session.jobs)
        view.logic.select_asked.connect(self._select)
        view.logic.example_asked.connect(self._show)

    def show_run(self, run: Run | None) -> None:
        rules = structure_of(run, RuleSet)
        if rules is self._rules:
            return
        self._task.stop()
        self._run, self._rules = run, rules
        self._view.logic.drop()
        if run is None or run.trained is None or rules is None:
            return
        trained, data = run.trained, run.data

        def work(context: RunContext) -> tuple[DataOverlap, WholeSpaceFindings]:
            def pause() -> None:
                context.checkpoint()
                give_way()

            findings = anywhere(rules, pause)
            return on_data(rules, aligned(rules.schema, trained.prepared(data)), pause), findings

        self._task.run("", work, on_done=lambda answer: self._view.logic.show_answer(rules, *answer))

    def _select(self, rows: IntArray, by: str) -> None:
        run = self._run
        if run is not None and any(other.data is run.data for other in self._session.runs):
            self._session.selection.select(run.data, rows, SelectionMode.REPLACE, by)

    def _show(self, example: CounterExample) -> None:
        """Describes an example and marks its rules; without filters, also shows it as an editable record."""
        run, rules = self._run, self._rules
        if run is None or run.trained is None or rules is None:
            return
        self._view.show_example(example.fired, example_words(rules, example))
        if run.trained.filters:
            return
        values: dict[str, float | str | None] = {}
        for index, value in example.point:
            attribute = rules.schema.attributes[index]
            known_value = attribute.values[int(value)] if attribute.kind.is_coded and value == value else value
            values[attribute.name] = known_value if value == value else None
        self.record_asked.emit(values)


SIDE_WIDTH: Final = 380


class RulesExtension(ClearWidget):
    """Adds records, edits and the replay. ``record_asked`` carries an example's values."""

    record_asked = Signal(object)

    def __init__(self, session: Session, view: RuleSetView) -> None:
        super().__init__()
        self.setObjectName("visualize.rules.stage")
        self._session, self._view = session, view
        self._run: Run | None = None
        self._followed: Run | None = None
        self._records = RuleRecords(session, view)
        self._logic = RuleLogic(session, view)
        self._logic.record_asked.connect(self.record_asked)
        self.editor = RuleEditor(session, view)
        write = partial(write_rules, lambda: None if self._run is None else self._run.trained)
        view.export.add_file("spreadsheet (Excel)", "rules.xlsx", "Excel", write)
        self._split = split(view)
        column_layout(self.editor, (self._split, 1), inside=self, spacing=8)
        self._panel: RuleStepsPanel | None = None
        tip = "The rules step by step: grown, pruned, kept or dropped, their records removed"
        self.steps_switch = quiet_button("Steps", NAME, tip, checkable=True)
        self.steps_switch.clicked.connect(self._switched)

    def show_run(self, run: Run | None) -> None:
        self._run = run if structure_of(run, RuleSet) is not None else None
        self._records.show_run(self._run)
        self._logic.show_run(self._run)
        own = None if self._run is None or self._run.of_fold is not None else self._run
        self.editor.set_run(own)
        self.steps_switch.setVisible(own is not None and can_be_followed(own.learner))
        if self._run is not self._followed:
            self.close_steps()

    def follow(self, row: int) -> None:
        self._records.follow(row)

    def _switched(self, wanted: bool) -> None:
        if not wanted or self._run is None:
            self.close_steps()
            return
        if self._panel is None:
            self._panel = RuleStepsPanel(self._session)
            self._panel.closed.connect(self.close_steps)
            self._panel.rule_reached.connect(self._view.focus_rule)
        self._followed = self._run
        self._panel.open_in(self._split, max(themes.px(SIDE_WIDTH), self.width() * 42 // 100))
        self._panel.begin(self._run)

    def close_steps(self) -> None:
        self._followed = None
        self.steps_switch.setChecked(False)
        if self._panel is not None:
            self._panel.end()
            self._panel.hide()
