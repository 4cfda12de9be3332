"""Replay of tree growth: Hunt's algorithm step by step, and what pruning cut away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QMenu

from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import IntArray
from algorithms.learners.trees.edited_tree import grower_of
from algorithms.learners.trees.explain.growth_steps import GrowthHistory, GrowthPhase, hunt, rows, sentence, titles
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.pruning.pruning_sequence import grown_whole, unpruned
from algorithms.learners.trees.routing import rows_reaching
from algorithms.structures.tree import Tree
from algorithms.text.sentences import in_brief
from workbench.jobs.jobs import LatestTask
from workbench.session.runs import Run, learned_from, structure_of
from workbench.session.session import Session
from workbench.tabs.visualize.playback import (
    PlaybackLabels,
    StepListLabels,
    StepListPanel,
    labelled_records,
)
from workbench.tabs.visualize.tree.why_pane import CandidateTable
from workbench.viewers.charts.export import Table, rows_written
from workbench.viewers.tree.tree_view import Subtree, TreeParts
from workbench.widgets.buttons import quiet_button
from workbench.widgets.layouts import add_items

NAME: Final = "visualize.growth"
MOST_RECORDS: Final = 1_000
LONGEST_NAME: Final = 30
SAYS: Final = PlaybackLabels(
    slider="Which step: the first at the left, the finished tree at the right",
    first="The first step",
    back="One step back",
    forward="The next step",
    last="The last step",
    play="Let the tree grow, a step at a time",
)


LABELS: Final = StepListLabels(
    title="How it grew",
    steps="The steps in which the tree grew",
    selects="Select the records of each step's node, so that every view shows them",
    source="a step of the tree",
)


@dataclass(frozen=True, eq=False)
class _Growth:
    history: GrowthHistory
    trained: TrainedClassifier
    titles: list[str]


class GrowthReplay(StepListPanel):
    """Replays the growth of a run's tree.

    The subject is the tree as it grew; at the last step, which keeps what pruning left, the run's own.
    """

    def __init__(self, session: Session, parts: TreeParts) -> None:
        super().__init__(NAME, session, SAYS, LABELS)
        self._parts = parts
        self._selecting = LatestTask(session.jobs)
        self._growth: _Growth | None = None
        self._own_is_shown = False
        self._save = quiet_button("Save", f"{NAME}.save", "Copy or save all steps with every question that was weighed")
        menu = QMenu(self)
        self._add_export(menu)
        self._save.setMenu(menu)
        self.candidates = CandidateTable(f"{NAME}.candidates")
        self.steps.setWordWrap(True)  # the end of a text may tell two steps apart
        self.steps.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.steps.setResizeMode(QListWidget.ResizeMode.Adjust)
        column = self._column(self._title, self._save)
        add_items(
            column,
            self.playback,
            self._words,
            (self.candidates, 2),
            (self.selects, 0, Qt.AlignmentFlag.AlignLeft),
            (self.steps, 3),
        )

    def _work(self, run: Run) -> tuple[str, str, Callable[[RunContext], _Growth]]:
        return "Find the steps of the tree", "Weighing the questions of every node", partial(_growth_of, run)

    def _clear(self) -> None:
        super()._clear()
        self._growth = None
        self.candidates.hide()

    def end(self) -> None:
        super().end()
        self._growth, self._own_is_shown = None, False
        self._selecting.stop()

    def _enable(self, enabled: bool) -> None:
        super()._enable(enabled)
        self._save.setEnabled(enabled)

    def _show_result(self, run: Run, result: _Growth) -> None:
        self._growth = result
        self._show_titles(result.titles)
        self.subject_found.emit(result.trained.learner, result.trained)
        self._show(0)

    @property
    def hunt(self) -> GrowthHistory | None:
        return None if self._growth is None else self._growth.history

    def _show(self, step: int) -> None:
        growth = self._growth
        if growth is None:
            return
        history = growth.history
        shown = history.steps[step]
        self._describe(step, len(history.steps), f"{growth.titles[step]}. {sentence(history, step)}")
        is_weighed = shown.phase in (GrowthPhase.LOOK, GrowthPhase.DIVIDE)
        self.candidates.setVisible(is_weighed)
        self.candidates.show_reasons(shown.reasons if is_weighed else None)
        self._parts.show(history.grown.n_nodes, lambda: _part_of(history, step))
        is_own = shown.phase is GrowthPhase.KEEP
        if is_own != self._own_is_shown:
            self._own_is_shown = is_own
            self.subject_found.emit(growth.trained.learner, None if is_own else growth.trained)
        self.node_looked_at.emit(shown.node)
        self._select()

    def _select(self) -> None:
        growth, run = self._growth, self._run
        self._selecting.stop()
        if growth is None or run is None or not self.selects.isChecked():
            return
        node, tree, trained = growth.history.steps[self.playback.position].node, growth.history.grown, growth.trained

        def work(context: RunContext) -> IntArray:
            return rows_reaching(tree, node, trained.prepared(run.data, context.checkpoint), context.checkpoint)

        def done(rows: IntArray) -> None:
            if run in self._session.runs:
                self._select_rows(run, rows)

        self._selecting.run("", work, on_done=done)

    def _table(self) -> Table | None:
        history = self.hunt
        return None if history is None else (lambda delimiter: rows_written(rows(history))(delimiter))


def _growth_of(run: Run, context: RunContext) -> _Growth:
    """In a worker: the steps of a run's tree; raises :class:`DataError` if there are too many records."""
    trained, tree = run.trained, structure_of(run, Tree)
    assert trained is not None and tree is not None
    remedy = "Select some hundred records and keep them as a table of their own. How far to prune works at any size."
    data = learned_from(run, trained, labelled_records(run, MOST_RECORDS, remedy), context)
    history = hunt(trained.learner, tree, data, context)
    grown = replace(
        trained,
        model=TreeModel(history.grown),
        learner=unpruned(grown_whole(grower_of(trained.learner))),
        note="",
        search=None,
        deciding=None,
    )
    names = history.grown.schema.names
    return _Growth(history, grown, [in_brief(words, names, LONGEST_NAME) for words in titles(history)])


def _part_of(history: GrowthHistory, step: int) -> Subtree:
    scene = history.scene(step)
    return Subtree(scene.tree, scene.places, scene.node, scene.waiting, is_read=True)
