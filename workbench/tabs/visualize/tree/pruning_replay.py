"""Replay of pruning: the tree cut back node by node, with its error on training and unseen records."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Final

import numpy as np
from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QStackedWidget

from algorithms.core.run_control import RunContext
from algorithms.evaluation.curves.tree_sizes import TreeSizes, tree_sizes
from algorithms.learners.trees.pruning.cost_complexity import least_above
from algorithms.learners.trees.pruning.pruning_sequence import cut_back, grown_whole
from algorithms.structures.tree import NO_NODE, Tree
from algorithms.text.numbers import in_100
from algorithms.text.sentences import counted
from workbench.session.runs import Run, learner_of_model, recipe_of_model, structure_of, test_table
from workbench.session.session import Session
from workbench.style.theme import current_theme, themes
from workbench.tabs.visualize.playback import MOST_STOPS, PlaybackControls, PlaybackLabels, ReplayPanel
from workbench.viewers.charts.export import Export, ExportedScene
from workbench.viewers.tree.gain_and_pruning_curves import (
    OverfittingPlot,
    SizeRows,
    SubtreeErrors,
    best_words,
    leaves_words,
)
from workbench.viewers.tree.tree_view import Subtree, TreeParts
from workbench.widgets.buttons import accent_button, quiet_button
from workbench.widgets.labels import WholeLabel, as_high_as_needed, label
from workbench.widgets.layouts import add_items, filled, row_layout
from workbench.widgets.tables import TextTable

NAME: Final = "visualize.pruning"
FRAME_MS: Final = 260
PLOT_HEIGHT: Final = 120
MOST_HEIGHT: Final = 330
ORDER: Final = "Each step takes away the question that spares the fewest wrong training records for each leaf it costs."
SAYS: Final = PlaybackLabels(
    slider="How many leaves are left: the root alone at the left, the whole tree at the right",
    first="The root alone",
    back="One question less",
    forward="One question more",
    last="The whole tree",
    play="Cut the tree back, from all of it to its root",
)


class PruningReplay(ReplayPanel):
    """Grows the unpruned tree in a job, evaluates it at every size, and then only hides nodes.

    The subject is the unpruned tree; the node looked at is the one cut last.
    """

    def __init__(self, session: Session, parts: TreeParts) -> None:
        super().__init__(NAME, "now", session, PlaybackControls(NAME, SAYS, FRAME_MS, plays_back=True))
        self._parts = parts
        self._sizes: TreeSizes | None = None
        self._make_widgets()
        self._lay_out()
        self.playback.moved.connect(self._moved)
        self.plot.step_chosen.connect(self._chosen_in_plot)
        self.plot.copy_asked.connect(self.export.copy_table)
        self.table.selectionModel().currentRowChanged.connect(self._row_reached)
        self._as_table.toggled.connect(self._show_table)
        themes.follow_now(self._dress)

    def _make_widgets(self) -> None:
        self._title = label("How far to prune", "heading")
        self._legend = label("", "small", rich=True)
        self.plot = OverfittingPlot(f"{NAME}.curve")
        self.table = TextTable(f"{NAME}.table", "How many in 100 the tree gets wrong, by its number of leaves")
        self.table.setSelectionBehavior(TextTable.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(TextTable.SelectionMode.SingleSelection)
        self.table.setToolTip("Wrong in 100 on training and on unseen records; a row shows its tree")
        self.export = Export(
            ExportedScene(self.plot, "overfitting", "Error by number of leaves", self.plot.table),
            self._session.jobs,
            self,
        )
        self._as_table = quiet_button("As table", f"{NAME}.as-table", "The same as a table", checkable=True)
        self._save = self.export.button(f"{NAME}.save")
        self._measured = WholeLabel("", "small")
        as_high_as_needed(self._measured)
        self._measured.setObjectName(f"{NAME}.measured")
        self._use = accent_button(
            "Use this tree",
            f"{NAME}.use",
            "Judge this learner, cut back to as many leaves, as a run of its own in the ledger",
            self._use_tree,
        )

    def _lay_out(self) -> None:
        self._stack = filled(QStackedWidget(), self.plot, self.table)
        column = self._column(self._title, self._as_table, self._save)
        add_items(
            column,
            self._legend,
            (self._stack, 1),
            self.playback,
            self._words,
            row_layout(self._use, 1),
            self._measured,
            0,
        )

    def _dress(self) -> None:
        self.plot.setMinimumHeight(themes.px(PLOT_HEIGHT))
        self.plot.setMaximumHeight(themes.px(MOST_HEIGHT))
        self.table.setMinimumHeight(themes.px(PLOT_HEIGHT))
        theme = current_theme()
        colors = [theme.class_color(code).name() for code in (0, 1)]
        self._legend.setText(
            f'<span style="color:{colors[0]}">● training records</span> &nbsp; '
            f'<span style="color:{colors[1]}">▲ unseen records</span>'
        )

    def _work(self, run: Run) -> tuple[str, str, Callable[[RunContext], TreeSizes]]:
        return "Judge the tree at every size", "Growing the whole tree, and judging it at every size", work_on(run)

    def _clear(self) -> None:
        self._sizes = None
        self.plot.show_sizes(None)
        self.table.show_rows([])
        for widget in (self.playback, self._use, self._as_table, self._save):
            widget.setEnabled(False)
        self._measured.setText("")

    def end(self) -> None:
        super().end()
        self._sizes = None

    def _show_result(self, run: Run, sizes: TreeSizes) -> None:
        self._sizes = sizes
        shown = shown_sizes(sizes, run)
        self.plot.show_sizes(shown)
        self.table.show_rows(SizeRows(shown, briefly=True))
        for widget in (self.playback, self._as_table, self._save):
            widget.setEnabled(True)
        self._measured.setText(f"{best_words(shown)} {ORDER} {how_measured(sizes, run)}")
        self.playback.set_stops(stops_of(sizes), sizes.shrinking.n_steps)
        self._session.turns.later(self._show_whole)

    def _show_whole(self) -> None:
        """Shows the unpruned tree in a turn of its own, after the numbers are painted."""
        sizes = self._sizes
        if sizes is not None:
            self.subject_found.emit(sizes.trained.learner, sizes.trained)
            self._show(self.step)

    @property
    def step(self) -> int:
        """Number of nodes that are cut."""
        return self.plot.step

    def _moved(self, position: int) -> None:
        if self._sizes is not None:
            self._show(self._sizes.shrinking.n_steps - position)

    def _chosen_in_plot(self, step: int) -> None:
        self.playback.stop()
        if self._sizes is not None:
            self.playback.show_position(self._sizes.shrinking.n_steps - step)
            self._show(step)

    def _row_reached(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid() and current.row() != self.step:
            self._chosen_in_plot(current.row())

    def _show(self, step: int) -> None:
        sizes, shown = self._sizes, self.plot.sizes
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
        self.node_looked_at.emit(int(shrunk.cut[step - 1]) if step else 0)

    def _show_table(self, wanted: bool) -> None:
        self._stack.setCurrentWidget(self.table if wanted else self.plot)
        if wanted and self.step >= 0:
            self.table.selectRow(self.step)
        (self.table if wanted else self.plot).setFocus()

    def _use_tree(self) -> None:
        """Starts a run of the same learner, limited to as many leaves."""
        run, sizes = self._run, self._sizes
        if run is None or sizes is None or self.step < 0:
            return
        method = run.method if run.method.honest else sizes.method
        self._session.ledger.start_like(run, cut_back(learner_of_model(run), int(sizes.leaves[self.step])), method)


def work_on(run: Run) -> Callable[[RunContext], TreeSizes]:
    """The function that computes the errors at every size in a worker."""

    def work(context: RunContext) -> TreeSizes:
        test_data = test_table(run, context, key=2)
        return tree_sizes(
            grown_whole(learner_of_model(run)), run.data, recipe_of_model(run), run.method, context, test_data
        )

    return work


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
    """The errors of the tree in view."""
    training, unseen, spread = (float(values[step]) for values in (sizes.training, sizes.unseen, sizes.spread))
    return (
        f"{leaves_words(int(sizes.leaves[step]))}: wrong {in_100(training)} in 100 on training records, "
        f"{in_100(unseen)} (standard error {in_100(spread)}) on unseen ones."
    )


def how_measured(sizes: TreeSizes, run: Run) -> str:
    """On which records each error was measured."""
    training = f"Training: the {counted(sizes.n_training, 'record')} that the tree in view was grown from."
    method = sizes.method
    if method.needs_test_data:
        unseen = f"Unseen: {counted(sizes.n_tested, 'record')} of the test file."
    else:
        parts = "those of the run" if sizes.is_own else f"{method.described()}, for {_why_not_own(run)}"
        unseen = (
            f"Unseen: {counted(sizes.n_tested, 'tested record')}, each by a tree that was grown without it and cut "
            f"back in the same way to as many leaves ({parts})."
        )
    return f"{training} {unseen}"


def _why_not_own(run: Run) -> str:
    if not run.method.honest:
        return "the run was tested on its own training records"
    return f"{escape(run.method.described())} would take long"
