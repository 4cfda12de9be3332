"""Replay of tree growth: Hunt's algorithm step by step, and what pruning cut away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QCheckBox, QListWidget, QMenu

from algorithms.core.context import RunContext
from algorithms.core.errors import DataError
from algorithms.core.training import TrainedClassifier
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.edited_tree import grower_of
from algorithms.learners.trees.explain.growth_steps import GrowthHistory, GrowthPhase, hunt, rows, sentence, titles
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.pruning.pruning_sequence import grown_whole, unpruned
from algorithms.learners.trees.routing import rows_reaching
from algorithms.structures.tree import Tree
from algorithms.text.sentences import in_brief
from workbench.jobs.jobs import Job
from workbench.session.runs import Run, learned_from
from workbench.session.selection import SelectionMode
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.visualize.playback import PlaybackControls, PlaybackLabels, SelectionBefore, StagePanel
from workbench.tabs.visualize.tree.why_pane import CandidateTable
from workbench.viewers.charts.export import Table, rows_written, write_table_text
from workbench.viewers.tree.tree_view import Subtree, TreeParts
from workbench.widgets.buttons import quiet_button
from workbench.widgets.dialogs import CSV, ask_where_to_save_table
from workbench.widgets.labels import label

NAME: Final = "visualize.growth"
MOST_RECORDS: Final = 1_000
FRAME_MS: Final = 1_600
LIST_HEIGHT: Final = 90
LONGEST_NAME: Final = 30
BY_STEP: Final = "a step of the tree"
SAYS: Final = PlaybackLabels(
    slider="Which step: the first at the left, the finished tree at the right",
    first="The first step",
    back="One step back",
    forward="The next step",
    last="The last step",
    play="Let the tree grow, a step at a time",
)


@dataclass(frozen=True, eq=False)
class _Found:
    hunt: GrowthHistory
    data: Dataset
    trained: TrainedClassifier
    titles: list[str]


class GrowthReplay(StagePanel):
    """Finds the steps of a run's tree in a job and goes through them.

    The subject is the tree as it grew; at the last step, which keeps what pruning left, the run's own.
    """

    def __init__(self, session: Session, parts: TreeParts) -> None:
        super().__init__(NAME, "sentence", session, PlaybackControls(NAME, SAYS, FRAME_MS))
        self._parts = parts
        self._selecting: Job | None = None
        self._shown: _Found | None = None
        self._own_is_shown = False
        self._before = SelectionBefore(BY_STEP)
        self._make_widgets()
        self._lay_out()
        self.transport.moved.connect(self._show)
        self.steps.currentRowChanged.connect(self._row_reached)
        self.selects.toggled.connect(self._select)

    def _make_widgets(self) -> None:
        self._title = label("How it grew", "heading", wrap=True)
        self._title.setObjectName(f"{NAME}.title")
        self._save = quiet_button("Save", f"{NAME}.save", "Copy or save all steps with every question that was weighed")
        menu = QMenu(self)
        menu.addAction("Copy steps", self.copy_steps)
        menu.addAction("Save steps (CSV)...", self._ask_where)
        self._save.setMenu(menu)
        self.candidates = CandidateTable(f"{NAME}.candidates")
        self.selects = QCheckBox("Select its records")
        self.selects.setObjectName(f"{NAME}.select")
        self.selects.setToolTip("Select the records of each step's node, so that every view shows them")
        self.selects.setChecked(True)
        self.steps = QListWidget()
        self.steps.setWordWrap(True)  # what tells two steps apart may stand at the end
        self.steps.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.steps.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.steps.setObjectName(f"{NAME}.steps")
        self.steps.setAccessibleName("The steps in which the tree grew")
        self.steps.setMinimumHeight(themes.px(LIST_HEIGHT))

    def _lay_out(self) -> None:
        column = self._column(self._title, self._save)
        column.addWidget(self.transport)
        column.addWidget(self._words)
        column.addWidget(self.candidates, 2)
        column.addWidget(self.selects, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.steps, 3)

    # ---- the job -----------------------------------------------------------------------------------------------------

    def _work(self, run: Run) -> tuple[str, str, Callable[[RunContext], _Found]]:
        return "Find the steps of the tree", "Weighing the questions of every node", partial(_steps_of, run)

    def _empty(self) -> None:
        self._shown = None
        self._fill_list([])
        self._enable(False)
        self._title.setText("How it grew")
        self.candidates.hide()

    def end(self) -> None:
        """Nothing is shown any more."""
        super().end()
        self._shown, self._own_is_shown = None, False
        if self._selecting is not None:
            self._selecting.stop()
            self._selecting = None
        self._before.bring_back(self._session.selection)

    def _enable(self, there: bool) -> None:
        for widget in (self.transport, self._save, self.selects, self.steps):
            widget.setEnabled(there)

    def _show_known(self, run: Run, found: _Found) -> None:
        self._shown = found
        self._enable(True)
        self._fill_list(found.titles)
        self.transport.set_stops(range(len(found.titles)), 0)
        self.subject_found.emit(found.trained.learner, found.trained)
        self._show(0)

    def _fill_list(self, titles: list[str]) -> None:
        self.steps.blockSignals(True)
        self.steps.clear()
        self.steps.addItems([f"{at}. {words}" for at, words in enumerate(titles, 1)])
        self.steps.blockSignals(False)

    # ---- the step in view --------------------------------------------------------------------------------------------

    @property
    def hunt(self) -> GrowthHistory | None:
        """The steps; None while they are being found."""
        return None if self._shown is None else self._shown.hunt

    def _row_reached(self, row: int) -> None:
        if row >= 0:
            self.transport.stop()
            self.transport.go_to(row)

    def _show(self, at: int) -> None:
        found = self._shown
        if found is None:
            return
        steps = found.hunt
        self._title.setText(f"Step {at + 1} of {len(steps.steps)}")
        words = sentence(steps, at)
        self._words.setText(f"{found.titles[at]}. {words}")
        self.steps.blockSignals(True)
        self.steps.setCurrentRow(at)
        self.steps.blockSignals(False)
        reasons = steps.steps[at].reasons
        is_weighed = steps.steps[at].phase in (GrowthPhase.LOOK, GrowthPhase.DIVIDE)
        self.candidates.setVisible(is_weighed)
        self.candidates.show_reasons(reasons if is_weighed else None)
        self._parts.show(steps.grown.n_nodes, lambda: _part_at(steps, at))
        is_own = steps.steps[at].phase is GrowthPhase.KEEP
        if is_own != self._own_is_shown:
            self._own_is_shown = is_own
            self.subject_found.emit(found.trained.learner, None if is_own else found.trained)
        self.node_looked_at.emit(steps.steps[at].node)
        self._select()

    def _select(self) -> None:
        """Select the records of the step's node, where that is wished; the latest wish counts."""
        found, run = self._shown, self._run
        if self._selecting is not None:
            self._selecting.stop()
            self._selecting = None
        if found is None or run is None or not self.selects.isChecked():
            return
        node, tree, trained = found.hunt.steps[self.transport.position].node, found.hunt.grown, found.trained

        def work(context: RunContext) -> object:
            return rows_reaching(tree, node, trained.prepared(run.data, context.checkpoint), context.checkpoint)

        def done(reached: object) -> None:
            self._selecting = None
            if run in self._session.runs:
                self._before.keep(self._session.selection, run.data)
                self._session.selection.select(run.data, np.asarray(reached), SelectionMode.REPLACE, BY_STEP)

        self._selecting = self._session.jobs.start("", work, on_done=done)

    # ---- taking away -------------------------------------------------------------------------------------------------

    def _table(self) -> Table | None:
        steps = self.hunt
        return None if steps is None else (lambda delimiter: rows_written(rows(steps))(delimiter))

    def copy_steps(self) -> None:
        """Copy all steps as a table."""
        table = self._table()
        if table is not None:
            QGuiApplication.clipboard().setText(table("\t"))

    def save_steps(self, path: str, neutral: bool = False) -> None:
        """Write all steps as CSV, beside the window; ``neutral`` neutralises formulas."""
        table = self._table()
        if table is None:
            return

        def work(context: RunContext) -> None:
            write_table_text(path, table, context, neutral)

        self._session.jobs.start(f"Save {Path(path).name}", work)

    def _ask_where(self) -> None:
        ask_where_to_save_table(self, "Save", CSV, "steps.csv", self.save_steps)


def _steps_of(run: Run, context: RunContext) -> _Found:
    """In a worker: the steps of a run's tree; raises :class:`DataError` where there are too many records to follow."""
    trained = run.trained
    tree = None if trained is None else trained.structure()
    assert trained is not None and isinstance(tree, Tree)
    known = run.data.take(np.flatnonzero(run.data.class_codes >= 0))
    if len(known) > MOST_RECORDS:
        raise DataError(
            f"Step by step is for tables of up to {MOST_RECORDS:,} records, and this one has {len(known):,}.",
            remedy="Select some hundred records and keep them as a table of their own. How far to prune works at any "
            "size.",
        )
    data = learned_from(run, trained, known, context)
    found = hunt(trained.learner, tree, data, context)
    grown = TrainedClassifier(
        input_schema=trained.input_schema,
        recipe=trained.recipe,
        model=TreeModel(found.grown),
        learner=unpruned(grown_whole(grower_of(trained.learner))),
        filters=trained.filters,
        data_name=trained.data_name,
        created=trained.created,
        marks=trained.marks,
    )
    names = found.grown.schema.names
    return _Found(found, data, grown, [in_brief(words, names, LONGEST_NAME) for words in titles(found)])


def _part_at(steps: GrowthHistory, at: int) -> Subtree:
    scene = steps.scene(at)
    return Subtree(scene.tree, scene.places, scene.node, scene.waiting, is_read=True)
