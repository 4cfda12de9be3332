"""The viewer of rules with all that is asked of the rules in view and done with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from algorithms.core.context import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.alignment import aligned
from algorithms.data.columns import IntArray
from algorithms.learners.rules.rule_logic import (
    CounterExample,
    DataOverlap,
    WholeSpaceFindings,
    anywhere,
    example_words,
    on_data,
)
from algorithms.learners.rules.steps import can_be_followed
from algorithms.structures.rule_set import RuleSet
from workbench.jobs.jobs import Job
from workbench.jobs.worker_threads import give_way
from workbench.session.runs import Run
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.visualize.program_files import RuleFiles
from workbench.tabs.visualize.rules.rule_editor import RuleEditor
from workbench.tabs.visualize.rules.rule_records import RuleRecords, rules_of
from workbench.widgets.buttons import quiet_button

if TYPE_CHECKING:
    from workbench.tabs.visualize.rules.rule_steps import RuleStepsPanel
    from workbench.viewers.rules.rules_view import RuleSetView


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
            from workbench.tabs.visualize.rules.rule_steps import RuleStepsPanel

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
