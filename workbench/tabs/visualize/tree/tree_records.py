"""Records in the nodes of the tree: selected ones, tested ones, and how stable each split is over folds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import numpy as np
from PySide6.QtCore import QObject, Signal

from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import FloatArray, IntArray
from algorithms.learners.trees.edited_tree import has_corrected_gains
from algorithms.learners.trees.routing import Arrivals, arrivals, rows_reaching
from algorithms.structures.tree import Tree
from workbench.jobs.jobs import LatestTask, give_way
from workbench.jobs.ui_scheduling import single_shot
from workbench.session.decision_rules import DecisionQuery
from workbench.session.runs import Run, read_test_file, structure_of
from workbench.session.selection import SelectionMode
from workbench.session.session import Session

if TYPE_CHECKING:
    from workbench.viewers.tree.tree_drawing import NodeCounts
    from workbench.viewers.tree.tree_view import TreeView


class NodeSelection(QObject):
    """Selects the records of a node, which a job finds."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._task = LatestTask(session.jobs)

    def select(self, run: Run, node: int, how: SelectionMode) -> None:
        self._task.stop()
        trained, tree = run.trained, structure_of(run, Tree)
        if trained is None or tree is None:
            return

        def work(context: RunContext) -> IntArray:
            return rows_reaching(tree, node, trained.prepared(run.data, context.checkpoint), context.checkpoint)

        def done(rows: IntArray) -> None:
            if any(other.data is run.data for other in self._session.runs):
                self._session.selection.select(run.data, rows, how, "a node of the tree")

        self._task.run("", work, on_done=done)


DELAY_MS: Final = 30


class TreeRecords(QObject):
    """Gives the tree viewer selected and tested records of each node, found in a job once a model."""

    def __init__(self, session: Session, view: TreeView) -> None:
        super().__init__(view)
        self._session, self._view = session, view
        self._run: Run | None = None
        self._cache: WeakKeyDictionary[TrainedClassifier, Arrivals] = WeakKeyDictionary()
        self._shows_tested = self._is_stale = False
        self._lighting, self._counting = LatestTask(session.jobs), LatestTask(session.jobs)
        self._soon = single_shot(self, DELAY_MS, self._light)
        session.selection.changed.connect(self._soon.start)
        session.decisions.reports.decided_anew.connect(self._decided_otherwise)
        view.counts_choice.wanted.connect(self._count)

    def show_run(self, run: Run | None) -> None:
        if run is not self._run:
            self._run = run
            self._lighting.stop()
            self._counting.stop()
            self._view.set_selected(None)
            self._shows_tested = self._is_stale = False
        if run is not None and run.trained is not None and structure_of(run, Tree) is self._view.tree:
            self._view.sketch(run.trained, run.data)
            self._view.card.is_corrected = has_corrected_gains(run.trained.learner)
        self._catch_up()
        self._view.counts_choice.offer(run is not None and run.result is not None and len(run.result) > 0)
        self._soon.start()

    def _light(self) -> None:
        run = self._run
        tree = structure_of(run, Tree)
        if run is None or run.trained is None or tree is None or not self._view.isVisible():
            return
        self._lighting.stop()
        selection, trained, data = self._session.selection, run.trained, run.data
        if len(selection) == 0:
            self._view.set_selected(None)
            return
        kept, weights = self._cache.get(trained), np.where(selection.mask_of(data), data.weight_array, 0.0)

        def work(context: RunContext) -> tuple[Arrivals, FloatArray]:
            reached = kept
            if reached is None:
                reached = arrivals(tree, trained.prepared(data, context.checkpoint), context.checkpoint)
            return reached, reached.tally(weights)[:, 0]

        def done(lit: tuple[Arrivals, FloatArray]) -> None:
            self._cache[trained] = lit[0]
            self._view.set_selected(lit[1])

        title = "Find the records in the tree" if kept is None else ""
        self._lighting.run(title, work, on_done=done, says="Finding the records in the tree")

    def _decided_otherwise(self) -> None:
        self._is_stale = self._shows_tested
        self._catch_up()

    def _catch_up(self) -> None:
        if self._is_stale and self._view.isVisible():
            self._count(True)

    def _count(self, tested: bool) -> None:
        run, tree = self._run, structure_of(self._run, Tree)
        self._shows_tested, self._is_stale = tested, False
        self._counting.stop()
        if run is None or run.trained is None or tree is None or run.result is None or not tested:
            self._view.set_counts(None)
            return

        asked = self._session.decisions.asked(run) if run.report is not None else None

        def given_up(error: object = None) -> None:
            if error is not None:
                self._session.jobs.show_error(error)
            self._view.counts_choice.start_over()
            self._view.set_counts(None)

        says, work = "Sending the tested records down the tree", partial(tested_counts, run, tree, asked)
        self._counting.run("Count the tested records", work, self._view.set_counts, given_up, given_up, says=says)


def tested_counts(run: Run, tree: Tree, asked: DecisionQuery | None, context: RunContext) -> NodeCounts:
    """The tested records in each node, decided by ``asked``; raises :class:`DataError` if a test file is gone."""
    from algorithms.evaluation.tested_records import judged_records
    from workbench.viewers.tree.tree_drawing import NodeCounts

    assert run.trained is not None and run.result is not None
    data = read_test_file(run, context, key=0) if run.method.needs_test_data else run.data
    node_arrivals = arrivals(tree, run.trained.prepared(data, context.checkpoint), context.checkpoint)
    decisions = None if asked is None else asked.decisions(context.checkpoint)
    tested = judged_records(run.result, data, tree.schema.classes, decisions)
    counts = node_arrivals.tally(tested.weights, tested.truth, len(tree.schema.classes))
    return NodeCounts(counts, node_arrivals.tally(tested.wrong)[:, 0])


TIP: Final = "How many trees of the folds split on the same attribute at the same place: 7/10 is 7 of 10"
NO_FOLDS: Final = "This run has no folds to compare. Test with cross-validation to see how stable its splits are."


@dataclass(frozen=True, eq=False)
class SteadinessNotes:
    """By node: a short text for its corner, and a sentence."""

    badges: Mapping[int, str]
    sentences: Mapping[int, str]


NOTHING: Final = SteadinessNotes({}, {})


class TreeSteadiness(QObject):
    """An entry of the viewer's menu; ``changed`` carries the :class:`SteadinessNotes` that are shown."""

    changed = Signal(object)

    def __init__(self, session: Session, view: TreeView) -> None:
        super().__init__(view)
        self._session, self._view = session, view
        self._run: Run | None = None
        self._task = LatestTask(session.jobs)
        self._cache: WeakKeyDictionary[TrainedClassifier, SteadinessNotes] = WeakKeyDictionary()
        self.switch = view.controls.offer("visualize.steady", "Stability of the splits", TIP)
        self.switch.toggled.connect(lambda _on: self._show())
        view.drawn.connect(self._mark)

    def show_run(self, run: Run | None) -> None:
        self._run = run
        able = run is not None and run.trained is not None and run.result is not None and run.result.n_folds > 1
        self.switch.setEnabled(able)
        self.switch.setToolTip(TIP if able or run is None or run.is_running else NO_FOLDS)
        self._show()

    @property
    def _shown(self) -> SteadinessNotes:
        trained = None if self._run is None else self._run.trained
        notes = None if trained is None else self._cache.get(trained)
        return notes if notes is not None and self.switch.isChecked() else NOTHING

    def _show(self) -> None:
        run = self._run
        self._task.stop()
        wanted = self.switch.isChecked() and self.switch.isEnabled()
        if wanted and run is not None and run.trained is not None and run.trained not in self._cache:
            self._find(run, run.trained)
        self._mark()
        self.changed.emit(self._shown)

    def _mark(self) -> None:
        shown = self._shown if structure_of(self._run, Tree) is self._view.tree else NOTHING
        if self._view.canvas.item.marks.badges is not shown.badges:
            self._view.set_badges(shown.badges, shown.sentences)

    def _find(self, run: Run, trained: TrainedClassifier) -> None:
        tree = structure_of(run, Tree)
        if tree is None:
            return

        def done(notes: SteadinessNotes) -> None:
            self._cache[trained] = notes
            self._mark()
            self.changed.emit(self._shown)

        def ended() -> None:
            self.switch.setChecked(False)

        work = partial(fold_steadiness, run, tree)
        self._task.run("Grow the trees of the folds again", work, on_done=done, on_stopped=ended, seed=run.seed)


def fold_steadiness(run: Run, tree: Tree, context: RunContext) -> SteadinessNotes:
    """In a worker: compares the run's tree with the trees of its folds, grown again."""
    from algorithms.evaluation.runner import fold_models
    from algorithms.learners.trees.explain.steadiness import steadiness

    context.say("Growing the trees of the folds again")
    judging = context.child(0.9, 0, same_seed=True)
    models = fold_models(run.learner, run.data, run.method, judging, run.recipe)
    judging.complete()
    context.say("Comparing")
    structures = [model.model.structure() for model in models]

    def breathe() -> None:
        context.checkpoint()
        give_way()

    others = [structure for structure in structures if isinstance(structure, Tree)]
    steady = steadiness(tree, others, breathe)
    badges, sentences = {}, {}
    for node in range(tree.n_nodes):
        if node % 50 == 0:
            breathe()
        badges[node], sentences[node] = steady.badge(node), steady.sentence(node, run.method.part_name)
    return SteadinessNotes(badges, sentences)
