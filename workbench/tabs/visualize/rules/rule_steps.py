"""How the rules came about: grown condition by condition, cut back, kept or dropped, their records removed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox, QListWidget

from algorithms.core.context import RunContext
from algorithms.core.errors import DataError
from algorithms.learners.rules.rule_history import story
from algorithms.learners.rules.steps import RuleHistory, RulePhase, rows, sentence, title, weighed_rows
from algorithms.text.sentences import typeset
from workbench.session.runs import MODEL_SEED, Run, learned_from
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.visualize.playback_controls import PlaybackControls, PlaybackLabels
from workbench.tabs.visualize.step_panels import SelectionBefore, StagePanel
from workbench.viewers.charts.export import Export, rows_written
from workbench.viewers.charts.plane_plots import ExportedStep, RuleStepsPlot
from workbench.widgets.dialogs import CSV, ask_where_to_save_table
from workbench.widgets.labels import label
from workbench.widgets.tables import TextTable

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
