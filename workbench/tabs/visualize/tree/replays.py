"""Replays of a tree: its growth by Hunt's algorithm, and its pruning with training and unseen errors.

The stage holds the tree viewer and opens a replay beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from html import escape
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QListWidget, QMenu, QStackedWidget, QWidget

from algorithms.core.learner import Learner
from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import IntArray
from algorithms.evaluation.curves.learning_curves import TreeSizes, tree_sizes
from algorithms.learners.trees.edited_tree import grower_of
from algorithms.learners.trees.explain.growth_steps import GrowthHistory, GrowthPhase, hunt, rows, sentence, titles
from algorithms.learners.trees.model import TreeModel
from algorithms.learners.trees.pruning.cost_complexity import least_above
from algorithms.learners.trees.pruning.pruning_sequence import cut_back, grown_whole, unpruned
from algorithms.learners.trees.routing import rows_reaching
from algorithms.structures.tree import NO_NODE, Tree
from algorithms.text.numbers import percent
from algorithms.text.sentences import counted, in_brief
from workbench.jobs.jobs import LatestTask
from workbench.jobs.ui_scheduling import MadeAhead
from workbench.session.runs import Run, learned_from, learner_of_model, recipe_of_model, structure_of, test_table
from workbench.session.session import Session
from workbench.style.theme import current_theme, themes
from workbench.tabs.visualize.playback import (
    MOST_STOPS,
    PlaybackControls,
    PlaybackLabels,
    ReplayPanel,
    StepListLabels,
    StepListPanel,
    labelled_records,
)
from workbench.tabs.visualize.tree.why_pane import CandidateTable
from workbench.viewers.charts.export import ChartMenuButton, Export, ExportedScene, Table, rows_written
from workbench.viewers.charts.legend import LegendLabel
from workbench.viewers.tree.gain_and_pruning_curves import (
    OF_TRAINING,
    OF_UNSEEN,
    OverfittingPlot,
    SizeRows,
    SubtreeErrors,
    best_words,
    leaves_words,
)
from workbench.viewers.tree.tree_view import Subtree, TreeParts
from workbench.widgets.buttons import accent_button
from workbench.widgets.keyboard_focus import set_enabled
from workbench.widgets.labels import WholeLabel, label
from workbench.widgets.layouts import (
    ClearWidget,
    add_items,
    as_high_as_needed,
    column_layout,
    filled,
    row_layout,
    split,
)
from workbench.widgets.tables import TextTable, table_switch

if TYPE_CHECKING:
    from workbench.viewers.tree.tree_view import TreeView


GROWTH: Final = "visualize.growth"
MOST_RECORDS: Final = 1_000
LONGEST_NAME: Final = 30
GROWTH_CONTROLS: Final = PlaybackLabels(
    slider="Growth step: the root at the left, the final tree at the right",
    play="Play the growth step by step",
)


GROWTH_LABELS: Final = StepListLabels(
    title="Growth steps",
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
    """Replays the growth of a run's tree; the last step shows the pruned tree of the run."""

    result: _Growth | None

    def __init__(self, session: Session, parts: TreeParts, parent: QWidget | None = None) -> None:
        super().__init__(GROWTH, session, GROWTH_CONTROLS, GROWTH_LABELS, parent)
        self._parts = parts
        self._selecting = LatestTask(session.jobs)
        self._own_is_shown = False
        menu = QMenu(self)
        self._add_export(menu)
        self._save = ChartMenuButton(f"{GROWTH}.save", menu)
        self.candidates = CandidateTable(f"{GROWTH}.candidates")
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
        return "Find the growth steps", "Comparing the splits of every node", partial(_growth_of, run)

    def _clear(self) -> None:
        super()._clear()
        self.candidates.hide()

    def end(self) -> None:
        super().end()
        self._own_is_shown = False
        self._selecting.stop()

    def _enable(self, enabled: bool) -> None:
        super()._enable(enabled)
        self._save.setEnabled(enabled)

    def _show_result(self, run: Run, result: _Growth) -> None:
        self._show_titles(result.titles)
        self.subject_found.emit(result.trained.learner, result.trained)
        self._show(0)

    def _show(self, step: int) -> None:
        growth = self.result
        if growth is None:
            return
        history = growth.history
        shown = history.steps[step]
        self._describe(step, len(history.steps), f"{growth.titles[step]}. {sentence(history, step)}")
        is_weighed = shown.phase in (GrowthPhase.LOOK, GrowthPhase.DIVIDE)
        self.candidates.setVisible(is_weighed)
        self.candidates.show_reasons(shown.reasons if is_weighed else None)
        self._parts.show(history.grown.n_nodes, partial(_part_of, history, step))
        is_own = shown.phase is GrowthPhase.KEEP
        if is_own != self._own_is_shown:
            self._own_is_shown = is_own
            self.subject_found.emit(growth.trained.learner, None if is_own else growth.trained)
        self.node_looked_at.emit(shown.node, shown.phase is GrowthPhase.LOOK)
        self._select()

    def _select(self) -> None:
        growth, run = self.result, self._run
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
        growth = self.result
        return None if growth is None else (lambda delimiter: rows_written(rows(growth.history))(delimiter))


def _growth_of(run: Run, context: RunContext) -> _Growth:
    """In a worker: the steps of a run's tree; raises :class:`DataError` if there are too many records."""
    trained, tree = run.trained, structure_of(run, Tree)
    assert trained is not None and tree is not None
    remedy = "Select some hundred records and keep them as a table of their own. Pruning steps work at any size."
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


PRUNING: Final = "visualize.pruning"
FRAME_MS: Final = 260
PLOT_HEIGHT: Final = 120
MOST_HEIGHT: Final = 330
ORDER: Final = "Each step removes the split with the smallest decrease of training errors per leaf (weakest link)."
PRUNING_CONTROLS: Final = PlaybackLabels(
    slider="Number of leaves: the root alone at the left, the whole tree at the right",
    back="One split less",
    forward="One split more",
    play="Play the pruning, from the whole tree to its root",
)


class PruningReplay(ReplayPanel):
    """Grows the unpruned tree in a job, evaluates it at every size, then hides nodes; looks at the last cut."""

    result: TreeSizes | None

    def __init__(
        self, session: Session, parts: TreeParts, plot: OverfittingPlot, parent: QWidget | None = None
    ) -> None:
        playback = PlaybackControls(PRUNING, PRUNING_CONTROLS, FRAME_MS, plays_back=True)
        super().__init__(PRUNING, "now", session, playback, parent)
        self._parts, self.plot = parts, plot
        self._make_widgets()
        self._lay_out()
        self.playback.moved.connect(self._moved)
        self.plot.step_chosen.connect(self._chosen_in_plot)
        self._legend.picked.connect(self.plot.isolate)
        self.plot.copy_asked.connect(self.export.copy_table)
        self.table.selectionModel().currentRowChanged.connect(self._row_reached)
        self._as_table.toggled.connect(self._show_table)
        themes.follow_now(self._dress)

    def _make_widgets(self) -> None:
        self._title = label("Pruning steps", "heading")
        self._legend = LegendLabel(f"{PRUNING}.legend", "small", (OF_TRAINING, OF_UNSEEN))
        self.table = TextTable(f"{PRUNING}.table", "Error rate by number of leaves")
        self.table.setSelectionBehavior(TextTable.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(TextTable.SelectionMode.SingleSelection)
        self.table.setToolTip("Training and test error; a row shows its tree")
        exported = ExportedScene(self.plot, "overfitting", "Error by number of leaves", self.plot.table)
        self.export = Export(exported, self._session.jobs, self)
        self._as_table = self.export.offer(table_switch(f"{PRUNING}.as-table"))
        self._save = self.export.button(f"{PRUNING}.save")
        self._measured = WholeLabel("", "small")
        as_high_as_needed(self._measured)
        self._measured.setObjectName(f"{PRUNING}.measured")
        self._use = accent_button(
            "Use this tree",
            f"{PRUNING}.use",
            "Evaluate this learner, pruned to as many leaves, as a run of its own",
            self._use_tree,
        )

    def _lay_out(self) -> None:
        self._stack = filled(QStackedWidget(self), self.plot, self.table)
        column = self._column(self._title, self._save)
        use = row_layout(self._use, 1)
        add_items(column, self._legend, (self._stack, 1), self.playback, self._words, use, self._measured, 0)

    def _dress(self) -> None:
        self.plot.setMinimumHeight(themes.px(PLOT_HEIGHT))
        self.plot.setMaximumHeight(themes.px(MOST_HEIGHT))
        self.table.setMinimumHeight(themes.px(PLOT_HEIGHT))
        theme = current_theme()
        colors = [theme.run_color(code).name() for code in (2, 0)]
        training = self._legend.item(OF_TRAINING, "● training error", colors[0])
        unseen = self._legend.item(OF_UNSEEN, "▲ test error (band: ± 1 standard error)", colors[1])
        shown = f'<span style="color: {theme.accent}">│</span>&nbsp;tree&nbsp;shown'
        self._legend.setText(f"{training} &nbsp; {unseen} &nbsp; ◇&nbsp;test error of the tree kept &nbsp; {shown}")

    def _work(self, run: Run) -> tuple[str, str, Callable[[RunContext], TreeSizes]]:
        says = "Growing the whole tree and testing it at every size"
        return "Test the tree at every size", says, partial(sizes_of, run)

    def _clear(self) -> None:
        self.plot.show_sizes(None)
        self.table.show_rows([])
        set_enabled(False, self.playback, self._use, self._save)
        self._measured.setText("")

    def _show_result(self, run: Run, sizes: TreeSizes) -> None:
        shown = shown_sizes(sizes, run)
        self.plot.show_sizes(shown)
        self.table.show_rows(SizeRows(shown, briefly=True))
        set_enabled(True, self.playback, self._save)
        self._measured.setText(f"{best_words(shown)} {ORDER} {how_measured(sizes, run)}")
        self.playback.set_stops(stops_of(sizes), sizes.shrinking.n_steps)
        self._session.turns.later(self._show_whole)

    def _show_whole(self) -> None:
        """Shows the unpruned tree in a turn of its own, after the numbers are painted."""
        sizes = self.result
        if sizes is not None:
            self.subject_found.emit(sizes.trained.learner, sizes.trained)
            self._show(self.step)

    @property
    def step(self) -> int:
        """Number of nodes that are cut."""
        return self.plot.step

    def _moved(self, position: int) -> None:
        if self.result is not None:
            self._show(self.result.shrinking.n_steps - position)

    def _chosen_in_plot(self, step: int) -> None:
        self.playback.stop()
        if self.result is not None:
            self.playback.show_position(self.result.shrinking.n_steps - step)
            self._show(step)

    def _row_reached(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid() and current.row() != self.step:
            self._chosen_in_plot(current.row())

    def _show(self, step: int) -> None:
        sizes, shown = self.result, self.plot.sizes
        if sizes is None or shown is None:
            return
        self.plot.show_step(step)
        shrunk = sizes.shrinking
        if self.table.model().rowCount() > step and self.table.isVisible():
            self.table.selectRow(step)
        self._words.setText(now_words(shown, step))
        self._use.setEnabled(True)
        tree = shrunk.tree
        n_nodes = max(2 * int(sizes.leaves[step]), tree.n_nodes // 20)
        self._parts.show(n_nodes, lambda: part_after(sizes, step))
        self.node_looked_at.emit(int(shrunk.cut[step - 1]) if step else 0, False)

    def _show_table(self, wanted: bool) -> None:
        self._stack.setCurrentWidget(self.table if wanted else self.plot)
        if wanted and self.step >= 0:
            self.table.selectRow(self.step)
        (self.table if wanted else self.plot).setFocus()

    def _use_tree(self) -> None:
        """Starts a run of the same learner, limited to as many leaves."""
        run, sizes = self._run, self.result
        if run is None or sizes is None or self.step < 0:
            return
        method = run.method if run.method.honest else sizes.method
        self._session.ledger.start_like(run, cut_back(learner_of_model(run), int(sizes.leaves[self.step])), method)


def sizes_of(run: Run, context: RunContext) -> TreeSizes:
    """In a worker: the errors of a run's tree at every size."""
    learner, test_data = grown_whole(learner_of_model(run)), test_table(run, context, key=2)
    return tree_sizes(learner, run.data, recipe_of_model(run), run.method, context, test_data)


def shown_sizes(sizes: TreeSizes, run: Run) -> SubtreeErrors:
    """The errors of the curve, with the size of the run's own tree."""
    tree = structure_of(run, Tree)
    judged = run.report is not None and sizes.is_own and run.result is not None and not run.result.partial
    return SubtreeErrors(
        leaves=sizes.leaves,
        training=sizes.training,
        unseen=sizes.unseen,
        spread=sizes.spread,
        price=sizes.shrinking.price,
        best=sizes.best,
        kept=None if tree is None else tree.n_leaves,
        kept_unseen=1.0 - run.report.accuracy if judged and run.report is not None else None,
    )


def stops_of(sizes: TreeSizes) -> list[int]:
    """Positions at which the slider rests: all, or ever denser towards the root."""
    n = sizes.shrinking.n_steps
    if n <= MOST_STOPS:
        return list(range(n + 1))
    spaced = np.geomspace(1, float(sizes.leaves[0]), MOST_STOPS)
    steps = np.append(np.searchsorted(-sizes.leaves, -spaced), (0, n)).clip(0, n)
    return sorted({n - int(step) for step in steps})


def part_after(sizes: TreeSizes, step: int) -> Subtree:
    """The tree after this step, with the focus on the node cut last."""
    shrunk = sizes.shrinking
    cut = shrunk.cut_after(step)
    places = np.flatnonzero(np.isinf(least_above(shrunk.tree, np.where(cut, 0.0, np.inf))))
    focus = int(np.searchsorted(places, shrunk.cut[step - 1])) if step else NO_NODE
    return Subtree(shrunk.subtree(step), places, focus)


def now_words(sizes: SubtreeErrors, step: int) -> str:
    training, unseen, spread = (float(values[step]) for values in (sizes.training, sizes.unseen, sizes.spread))
    return (
        f"{leaves_words(int(sizes.leaves[step]))}: training error {percent(training)}, "
        f"test error {percent(unseen)} (standard error {percent(spread)})."
    )


def how_measured(sizes: TreeSizes, run: Run) -> str:
    training = f"Training: the {counted(sizes.n_training, 'record')} that the tree was trained on."
    method = sizes.method
    if method.needs_test_data:
        return f"{training} Test: {counted(sizes.n_tested, 'record')} of the test file."
    parts = "as in the test of the run"
    if not sizes.is_own:
        long = f"{escape(run.method.described())} would take long"
        why = long if run.method.honest else "the run was tested on its own training records"
        parts = f"{method.described()}, for {why}"
    return (
        f"{training} Test: a tree that was trained without a record, and pruned in the same way to as many leaves, "
        f"predicts it; {counted(sizes.n_tested, 'record')} ({parts})."
    )


SIDE_WIDTH: Final = 330
SIDE_SHARE: Final = 27
LEAST_WIDTH: Final = 1000
"""In less room the inspector gives way to a panel."""


class TreeStage(ClearWidget):
    """Holds the tree viewer; two entries of its menu open a replay at its right, one at a time.

    During a replay ``subject`` is a run whose model is the replayed tree; :meth:`node_of` maps nodes of the picture to
    it. ``subject_changed`` comes with either.
    """

    subject_changed = Signal()
    node_looked_at = Signal(int, bool)
    """The step in view is about this node of the subject's tree, whose split may be still to be chosen."""
    room_wanted = Signal(bool)
    """Whether a panel is open that needs more room than there is here."""

    def __init__(self, session: Session, view: TreeView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session, self._view = session, view
        self._run: Run | None = None
        self._mode = ""
        self._has_room = False
        self.subject: Run | None = None
        self.parts = TreeParts(view)
        self._panels: dict[str, ReplayPanel] = {}
        self._plot = MadeAhead(partial(OverfittingPlot, f"{PRUNING}.curve", in_pieces=True))
        offer = view.controls.offer
        tip = "The tree step by step: the records, the candidate splits, the chosen split"
        self.growth_switch = offer(GROWTH, "Growth steps", tip, partial(self._switched, GROWTH))
        tip = "Prune the tree node by node, and see where the test error is lowest"
        self.pruning_switch = offer(PRUNING, "Pruning steps", tip, partial(self._switched, PRUNING))
        self._split = split(view, parent=self)
        column_layout(self._split, inside=self)

    def steps(self) -> Iterator[Callable[[], object]]:
        """Steps that make the panels ahead of their use."""
        yield partial(self._panel, GROWTH)
        yield from self._plot.steps()
        yield partial(self._panel, PRUNING)

    @property
    def is_replaying(self) -> bool:
        return bool(self._mode)

    @property
    def chapter(self) -> str:
        """The heading in the help of the replay in view; empty without one."""
        return {GROWTH: "Growth steps", PRUNING: "Pruning steps"}.get(self._mode, "")

    def show_run(self, run: Run | None) -> None:
        if run is self._run:
            return
        self._run = run
        self._close()

    def node_of(self, node: int) -> int:
        """The node of the subject's tree for a node of the picture."""
        part = self._view.part
        return node if part is None or node == NO_NODE else int(part.places[node])

    def is_open(self, node: int) -> bool:
        """Whether the split of a node of the picture is still to be chosen."""
        part = self._view.part
        return part is not None and part.waiting is not None and node != NO_NODE and bool(part.waiting[node])

    def _switched(self, mode: str) -> None:
        if mode == self._mode:
            self.close_panel()
            return
        was_open = self.is_replaying
        self._close(keeps_room=True)
        if was_open:
            self._show_own_tree()
        if self._run is not None and self._run.trained is not None:
            self._mode = mode
            self.subject_changed.emit()
            self._session.turns.later(self._make_room, self._show_panel, self._begin)
        self._say_switches()

    def _make_room(self) -> None:
        if self._mode and not self._has_room:
            self._has_room = True
            self.room_wanted.emit(self.width() < themes.px(LEAST_WIDTH))

    def _show_panel(self) -> None:
        if self._mode:
            self._panel(self._mode).setVisible(True)
            self._panel(self._mode).setFocus()
            side = max(themes.px(SIDE_WIDTH), self.width() * SIDE_SHARE // 100)
            self._split.setSizes([max(1, self.width() - side), *([side] * (self._split.count() - 1))])

    def _begin(self) -> None:
        if self._mode and self._run is not None:
            self._panel(self._mode).begin(self._run)

    def close_panel(self) -> None:
        self._close()
        self._show_own_tree()

    def _show_own_tree(self) -> None:
        run = self._run
        if run is not None and run.trained is not None:
            self._view.set_tree(None)
            self._view.set_tree(structure_of(run, Tree))

    def _close(self, *, keeps_room: bool = False) -> None:
        """Closes the open panel; its room stays if another one opens."""
        was_open, self._mode = bool(self._mode), ""
        self.parts.drop()
        for panel in self._panels.values():
            panel.end()
            panel.setVisible(False)
        self._say_switches()
        if was_open:
            self.subject = None
            if not keeps_room:
                self._has_room = False
                self.room_wanted.emit(False)
            self.subject_changed.emit()

    def _say_switches(self) -> None:
        self.growth_switch.setChecked(self._mode == GROWTH)
        self.pruning_switch.setChecked(self._mode == PRUNING)

    def _panel(self, mode: str) -> ReplayPanel:
        if mode not in self._panels:
            panel: ReplayPanel
            if mode == GROWTH:
                panel = GrowthReplay(self._session, self.parts, self._split)
            else:
                panel = PruningReplay(self._session, self.parts, self._plot.make(), self._split)
            panel.subject_found.connect(self._set_subject)
            panel.node_looked_at.connect(self.node_looked_at)
            panel.closed.connect(self.close_panel)
            self._panels[mode] = panel
            panel.hide()
            self._split.addWidget(panel)
            self._split.setStretchFactor(0, 1)
            self._split.setStretchFactor(self._split.count() - 1, 0)
        return self._panels[mode]

    def _set_subject(self, learner: Learner, trained: TrainedClassifier | None) -> None:
        run = self._run
        if run is None or not self._mode:
            return
        self.subject = (
            None if trained is None else replace(run, learner=learner, trained=trained, result=None, report=None)
        )
        self.subject_changed.emit()
