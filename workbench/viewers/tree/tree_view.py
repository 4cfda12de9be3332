"""The viewer of decision trees: picture, table, toolbar, and parts of larger trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
from PySide6.QtCore import QModelIndex, QObject, QSignalBlocker, QTimer, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QAction, QActionGroup, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QMenu, QStackedWidget, QWidget

from algorithms.core.run_control import RunContext
from algorithms.core.training import TrainedClassifier
from algorithms.data.alignment import aligned
from algorithms.data.columns import FloatArray, IntArray, Mask
from algorithms.data.dataset import Dataset
from algorithms.learners.trees.routing import arrivals
from algorithms.structures.tree import NO_NODE, Tree
from workbench.jobs.jobs import Jobs, LatestTask
from workbench.jobs.ui_scheduling import FrameThrottle
from workbench.layout.camera import MARGIN
from workbench.layout.tree_layout import tree_rows
from workbench.style.theme import themes
from workbench.viewers.charts.export import ChartMenuButton, Export
from workbench.viewers.charts.legend import ClassPicker
from workbench.viewers.original_units import IN_SHORT, TableNumbers
from workbench.viewers.tree.node_card import NodeCard
from workbench.viewers.tree.split_histograms import SplitHistogram, split_histograms
from workbench.viewers.tree.tree_canvas import ZOOM_STEP, ResizeWatcher, TreeCanvas, close_scale
from workbench.viewers.tree.tree_drawing import (
    DIRECT_NODES,
    READABLE_SCALE,
    InitialDrawing,
    Marks,
    NodeCounts,
    TreeDrawing,
    TreePlan,
    collapsed_below,
    draw_tree,
    first_drawing,
    plan_tree,
)
from workbench.viewers.tree.tree_paint import name_measure
from workbench.viewers.tree.tree_search import TreeFinder
from workbench.viewers.tree.tree_table import ExportedTree, NodeTable, TreeTable
from workbench.viewers.tree.tree_words import HighlightedPath, parts_wordings, sentence, size_words
from workbench.widgets.buttons import add_check, menu_button
from workbench.widgets.fields import Slider
from workbench.widgets.keyboard_focus import set_enabled
from workbench.widgets.labels import FACT, ElidedLabel, label
from workbench.widgets.layouts import ClearWidget, column_layout, filled, named, row_layout
from workbench.widgets.tables import table_switch


@dataclass(frozen=True, eq=False)
class Subtree:
    """A tree whose node i is node ``places[i]`` of a larger tree; ``focus`` is the node to look at.

    ``waiting`` (m,) are nodes that may still be split. ``is_read`` asks for readable names at the focus, even if the
    whole does not fit.
    """

    tree: Tree
    places: IntArray
    focus: int = NO_NODE
    waiting: Mask | None = None
    is_read: bool = False


@dataclass(frozen=True, eq=False)
class TreePart:
    plan: TreePlan
    drawing: TreeDrawing
    places: IntArray
    focus: int
    waiting: Mask | None
    is_read: bool


class TreeParts(QObject):
    """Shows parts of a tree, at most one a frame; large ones are laid out in jobs, the last one counts."""

    def __init__(self, view: TreeView) -> None:
        super().__init__(view)
        self._view = view
        self._task = LatestTask(view.layouts.jobs)
        self._next: tuple[int, Callable[[], Subtree]] | None = None
        self._showing = FrameThrottle(self._go_on, self)

    @property
    def is_busy(self) -> bool:
        """Whether a part is being laid out or about to be."""
        return self._task.is_running or self._next is not None

    def show(self, n_nodes: int, make: Callable[[], Subtree]) -> None:
        """Shows the part that ``make`` returns; ``n_nodes`` says how much work it is."""
        self._next = (n_nodes, make)
        self._showing.wish()

    def drop(self) -> None:
        self._next = None
        self._task.stop()

    def _go_on(self) -> None:
        if self._next is None or self._task.is_running:
            return
        (n_nodes, make), self._next = self._next, None
        measure, numbers = name_measure(), self._view.numbers

        def work(_context: RunContext) -> TreePart:
            part = make()
            plan = plan_tree(part.tree, measure, numbers=numbers, has_histograms=False)
            drawing = draw_tree(plan, np.zeros(part.tree.n_nodes, dtype=np.bool_))
            return TreePart(plan, drawing, part.places, part.focus, part.waiting, part.is_read)

        is_quick = n_nodes <= DIRECT_NODES and not (numbers is not None and numbers.take_long)
        self._task.run("", work, self._on_made, at_once=is_quick)

    def _on_made(self, part: TreePart) -> None:
        self._view.show_part(part)
        if self._next is not None:
            self._showing.wish()


T = TypeVar("T")


class TreeLayouts(QObject):
    """Computes the layouts of one view; without ``jobs`` at once."""

    free = Signal()
    """A layout is shown, and no other is running."""

    def __init__(self, jobs: Jobs | None, parent: QObject) -> None:
        super().__init__(parent)
        self.jobs = jobs
        self._task = LatestTask(jobs)
        self.drop = self._task.stop

    @property
    def is_busy(self) -> bool:
        """Whether the view's own layout is being computed."""
        return self._task.is_running

    def run(
        self, n_nodes: int, title: str, work: Callable[[], T], done: Callable[[T], None], takes_long: bool = False
    ) -> None:
        """Lays out ``n_nodes`` nodes for the view and calls ``done``; replaces the running layout."""

        def in_job(context: RunContext) -> T:
            context.say(title)
            return work()

        def finished(layout: T) -> None:
            done(layout)
            if not self.is_busy:
                self.free.emit()

        self._task.run(title, in_job, finished, at_once=n_nodes <= DIRECT_NODES and not takes_long)


class LevelSlider(QObject):
    """Shows a tree down to the depth of a slider, the latest depth once the running layout is done."""

    def __init__(self, layouts: TreeLayouts, show: Callable[[int], None], parent: QObject) -> None:
        super().__init__(parent)
        self._layouts, self._show = layouts, show
        self._wanted: int | None = None
        self._latest = FrameThrottle(self._follow, self)
        layouts.free.connect(self._follow)

    def slide_to(self, depth: int) -> None:
        """Shows the tree down to this depth, or to a later one."""
        self._wanted = depth
        self._latest.wish()

    def forget(self) -> None:
        self._wanted = None

    def _follow(self) -> None:
        if self._wanted is not None and not self._layouts.is_busy:
            depth, self._wanted = self._wanted, None
            self._show(depth)


class FoldedNodes:
    """``closed`` (m,), as first chosen (``unasked``) and before a path was highlighted (``unlit``)."""

    def __init__(self) -> None:
        self.closed: Mask = np.zeros(0, dtype=np.bool_)
        self.unasked: Mask | None = None
        self.unlit: Mask | None = None

    def begin(self, closed: Mask) -> None:
        """Sets the initial choice of the view."""
        self.closed = self.unasked = closed

    @property
    def are_unasked(self) -> bool:
        return self.closed is self.unasked and self.unlit is None

    def toggle(self, tree: Tree, node: int) -> None:
        """Folds or unfolds a node; its grandchildren stay hidden."""
        self.closed = self.closed.copy()
        self.closed[node] = not self.closed[node]
        if not self.closed[node]:
            self.closed[list(tree.children(node))] = True

    def open_to(self, tree: Tree, node: int) -> int:
        """Unfolds the path to a node; returns the first folded node on it, or ``NO_NODE``."""
        closed = [passed for passed in tree.path(node)[:-1] if self.closed[passed]]
        if not closed:
            return NO_NODE
        self.closed = self.closed.copy()
        for passed in closed:
            self.closed[list(tree.children(passed))] = True
        self.closed[closed] = False
        return closed[0]

    def levels(self, tree: Tree) -> tuple[int, bool]:
        """The number of levels shown below the root, and whether no branch is folded above the last of them."""
        rows = tree_rows(tree.first_child, tree.n_children, self.closed)
        is_even = not any((self.closed[row] & (tree.n_children[row] > 0)).any() for row in rows[:-1])
        return len(rows) - 1, is_even

    def light(self, tree: Tree, nodes: Sequence[int]) -> None:
        """Folds everything beside the path; an empty path restores the former state."""
        if self.unlit is None:
            self.unlit = self.closed
        if nodes:
            self.closed = tree.n_children > 0
            self.closed[tree.parent[[node for node in nodes if node]]] = False
        else:
            self.closed, self.unlit = self.unlit, None


class TreeControls(ClearWidget):
    """The toolbar in the pane's heading; ``depth_wanted(levels)`` comes from the slider.

    The menu "View" has what can be turned on or off (:meth:`offer`), then what finds and zooms.
    """

    depth_wanted = Signal(int)

    def __init__(self, save_menu: QMenu) -> None:
        super().__init__()
        self._depth = named(
            Slider(), "visualize.depth", "Depth to show", "Fold away everything below this depth; the root has depth 0"
        )
        self._depth.setFixedWidth(themes.px(110))
        self._depth.setPageStep(1)
        self._depth.valueChanged.connect(self.depth_wanted)
        self._levels = named(label("", "facts"), "visualize.levels")
        self.view = menu_button("View", "visualize.view", "Steps, counts in the nodes, stability, find, zoom")
        self._menu = self.view.menu()
        self._before_find = self._menu.addSeparator()
        self.look_for = self._menu.addAction("Find in the tree (Ctrl+F)")
        self.look_for.setObjectName("visualize.find.open")
        self._menu.addSeparator()
        self._zooms: list[QAction] = []
        row_layout(
            self._levels, self._depth, self.view, ChartMenuButton("visualize.save", save_menu), inside=self, spacing=6
        )

    def offer(self, name: str, text: str, tip: str, act: Callable[[], object] = lambda: None) -> QAction:
        """Adds a named entry that is on or off; ``act`` follows each change by the user."""
        entry = add_check(self._menu, text, False, act)
        entry.setObjectName(name)
        entry.setToolTip(tip)
        self._menu.insertAction(self._before_find, entry)
        return entry

    def offer_zooms(self, canvas: TreeCanvas) -> None:
        self._zooms = [
            self._menu.addAction("Larger (Page Up)", lambda: canvas.zoom(ZOOM_STEP)),
            self._menu.addAction("Smaller (Page Down)", lambda: canvas.zoom(1 / ZOOM_STEP)),
            self._menu.addAction("100%", lambda: canvas.zoom_to(1.0)),
            self._menu.addAction("Whole tree (F)", canvas.fit),
        ]

    def set_levels(self, n_levels: int) -> None:
        """Sets the number of levels of the slider, the root's included; hides it if there is no choice."""
        for widget in (self._levels, self._depth):
            widget.setVisible(n_levels > 2)
        with QSignalBlocker(self._depth):
            self._depth.setRange(0, max(0, n_levels - 1))

    def show_depth(self, depth: int, is_even: bool = True) -> None:
        """Shows the depth, 0 at the root; not ``is_even`` if some branches are folded above it."""
        with QSignalBlocker(self._depth):
            self._depth.setValue(depth)
        most = self._depth.maximum()
        words = f"Full depth {most}" if depth >= most else f"Depth {depth} of {most}"
        self._levels.setText(words if is_even else f"Depth up to {depth} of {most}")

    def show_scale(self, scale: float) -> None:
        self._zooms[2].setText(f"100% (now {max(1, round(100 * scale))}%)")

    def set_picture(self, is_picture: bool) -> None:
        """Enables the buttons that need the picture."""
        set_enabled(is_picture, self._depth, self._levels, *self._zooms)


BRANCH_WIDTH: Final = "Width of a branch: its records"
SELECTED_SHARE: Final = "▬ share selected"
LEAST_LEGEND: Final = 260
"""Room of the legend, at normal text size."""


class TreeFoot(ClearWidget):
    """Legend of classes, branches and the bar of selected records, and note on fractions of records."""

    def __init__(self) -> None:
        super().__init__()
        self._has_branches = False
        self.legend = ClassPicker("visualize.tree-legend", least=LEAST_LEGEND, groups=True)
        self._in_parts = named(ElidedLabel("", "facts"), "visualize.in-parts")
        self.of_branches = named(ElidedLabel("", "facts"), "visualize.tree-legend.branches")
        row_layout((self.legend, 1), (self._in_parts, 2), self.of_branches, inside=self)

    def show_tree(self, tree: Tree | None) -> None:
        """Names the classes of a tree, and what the width of its branches means if it has any."""
        self.legend.set_classes(*((), ()) if tree is None else (tree.schema.classes, tree.counts[0].tolist()))
        self._has_branches = tree is not None and tree.n_nodes > 1
        self.say_selected(False)

    def say_selected(self, has_selected: bool) -> None:
        """Names the bar under the nodes where records are selected, and what the width of a branch means."""
        words = [SELECTED_SHARE] * has_selected + [BRANCH_WIDTH] * self._has_branches
        self.of_branches.set_wordings(FACT.join(words), *words[:-1], "")
        self.of_branches.setVisible(bool(words))

    def say_parts(self, wordings: tuple[str, ...]) -> None:
        """Shows why counts have fractions, in fewer words where there is little room."""
        self._in_parts.set_wordings(*wordings, "")  # cut to "Parts:…" it said nothing
        self._in_parts.setVisible(bool(wordings))


class NodeCountsChoice(QObject):
    """Entries that choose the counts in nodes, once tested ones are offered; ``wanted(tested)`` has the choice."""

    wanted = Signal(bool)

    def __init__(self, controls: TreeControls) -> None:
        super().__init__(controls)
        group = QActionGroup(self)
        tip = "In the nodes: the records that the tree was trained on"
        self._training = self._entry(controls, group, "training", "Training records in the nodes", tip)
        tip = "In the nodes: the records of the run's test, sent down this tree, and their error rate"
        self._tested = self._entry(controls, group, "tested", "Tested records in the nodes, with error rate", tip)
        self._tested.toggled.connect(self.wanted)
        self.start_over()
        self.offer(False)

    def _entry(self, controls: TreeControls, group: QActionGroup, name: str, text: str, tip: str) -> QAction:
        return group.addAction(controls.offer(f"visualize.counts.{name}", text, tip))

    def offer(self, offered: bool) -> None:
        """Shows the choice, or hides it where there are no tested records."""
        for entry in (self._training, self._tested):
            entry.setVisible(offered)

    def start_over(self) -> None:
        """Chooses the training records without a signal."""
        with QSignalBlocker(self):
            self._training.setChecked(True)


ALL_LEVELS: Final = 1_000_000_000
SAME_SCALE: Final = 1e-6


class TreeView(QWidget):
    """The viewer of a decision tree.

    ``controls`` is the toolbar for the heading of the pane, ``foot`` the row below the picture. ``facts`` is the text
    of the heading, with ``facts_changed``. ``layouts`` computes the drawings.
    """

    title = "Tree"
    facts_changed = Signal()
    node_focused = Signal(int)
    node_chosen = Signal(int, object)
    """Asks to select a node's records, in a way (:class:`SelectionMode`)."""
    drawn = Signal()

    def __init__(self, jobs: Jobs | None = None, *, has_histograms: bool = True) -> None:
        """Only with ``has_histograms`` boxes have room for those of :meth:`sketch`."""
        super().__init__()
        self._has_histograms = has_histograms
        self.layouts = TreeLayouts(jobs, self)
        self.tree: Tree | None = None
        self._sketched: Tree | None = None
        self._sketching = LatestTask(jobs)
        self._counted: NodeCounts | None = None
        self._plan: TreePlan | None = None
        self._wanted_depth: int | None = None
        self._n_leaves = 0
        self._folds = FoldedNodes()
        self.part: TreePart | None = None
        """The part of a larger tree that is shown; None for a whole tree."""
        self.numbers: TableNumbers | None = None
        self._part_scale = 1.0
        self._lit_weights: FloatArray | None = None
        self.canvas = TreeCanvas()
        self._resized = ResizeWatcher(self.canvas.size, self._begin_again, self)
        themes.follow(self._restyled)
        self._stack = filled(QStackedWidget(self), self.canvas)
        self.card = NodeCard(self.canvas)
        self._table_model = TreeTable()
        self.table = NodeTable(self._table_model)
        self._stack.addWidget(self.table)
        self.foot = TreeFoot()
        self._column = column_layout((self._stack, 1), self.foot, inside=self, spacing=4)
        taken = ExportedTree(self.canvas)
        self.export = Export(taken, jobs, self)
        self.export.add_text("rules", "rules.txt", taken.rules)
        self.as_table = self.export.offer(table_switch("visualize.as-table"))
        self.controls = TreeControls(self.export.menu)
        self.counts_choice = NodeCountsChoice(self.controls)
        self.finder = TreeFinder(self.canvas, jobs, self)
        self._sliding = LevelSlider(self.layouts, self.show_levels, self)
        self.foot.legend.picked.connect(lambda: self.canvas.color_only(self.foot.legend.colored))
        self.canvas.toggled.connect(self.toggle)
        self.canvas.focused.connect(self._focused)
        self.canvas.chosen.connect(self.node_chosen)
        self.canvas.scale_changed.connect(self.controls.show_scale)
        self.canvas.table_wanted.connect(self.as_table.trigger)
        self.controls.depth_wanted.connect(self.controls.show_depth)
        self.controls.depth_wanted.connect(self._sliding.slide_to)
        self.controls.offer_zooms(self.canvas)
        self.controls.look_for.triggered.connect(self.finder.open)
        self.finder.reached.connect(self.reveal)
        self.finder.closed.connect(self.focus_what_is_shown)
        self.as_table.toggled.connect(self._show_table)
        self.table.copy_asked.connect(self.export.copy_table)
        self.table.selectionModel().currentRowChanged.connect(self._row_chosen)

    # ---- what is shown ---------------------------------------------------------------------------------------------

    def put_legend_above(self) -> None:
        self._column.insertWidget(0, self.foot)

    def set_numbers(self, numbers: TableNumbers | None) -> None:
        self.numbers = numbers

    def set_structure(self, structure: Tree) -> None:
        self.set_tree(structure)

    def set_tree(self, tree: Tree | None) -> None:
        """Shows a tree down to the readable depth; None shows nothing."""
        if tree is self.tree:
            return
        self.layouts.drop()
        self.card.put_away()
        self.tree, self._plan, self._wanted_depth = tree, None, None
        self._counted = self.part = self._lit_weights = self._folds.unlit = None
        self.counts_choice.start_over()
        self.canvas.item.marks = Marks()
        self._sliding.forget()
        self.canvas.set_drawing(None)
        self._table_model.set_plan(None)
        self.finder.set_plan(None)
        self.foot.show_tree(tree)
        self.canvas.color_only(self.foot.legend.colored)
        self._n_leaves = 0 if tree is None else tree.n_leaves
        self.facts_changed.emit()
        if tree is not None and self.isVisible():
            self._begin()

    def set_interest(self, code: int) -> None:
        """Gives this class a colour however few its records are."""
        self.foot.legend.color_always(code)

    def show_part(self, part: TreePart) -> None:
        """Shows a laid-out part of a larger tree in place of the current one."""
        self.layouts.drop()
        self.card.put_away()
        scale = self._chosen_scale()
        self.part, self.tree, self._n_leaves = part, part.plan.tree, part.plan.tree.n_leaves
        self._counted = self._wanted_depth = self._folds.unlit = None
        lit = self._lit_weights
        self.canvas.item.marks = Marks(waiting=part.waiting, selected=None if lit is None else lit[part.places])
        self._begun(InitialDrawing(part.plan, part.plan.n_levels - 1, part.drawing))
        self._folds.unasked = None
        if scale is None:
            fitted = self.canvas.camera.scale / themes.scale
            is_small = part.is_read and part.focus != NO_NODE and fitted < READABLE_SCALE
            self._part_scale = close_scale(self.canvas.camera) if is_small else fitted
        if part.focus != NO_NODE:
            if scale is not None or self._part_scale > self.canvas.camera.scale / themes.scale + SAME_SCALE:
                self.canvas.look_down_from(part.focus, self._part_scale if scale is None else scale)
            self.canvas.set_focus_node(part.focus)

    def _chosen_scale(self) -> float | None:
        """The scale that the user chose for parts of a tree; None for the view's choice."""
        scale = self.canvas.camera.scale / themes.scale
        if self.part is None or self.canvas.is_fitted or abs(scale - self._part_scale) < SAME_SCALE:
            return None
        return scale

    def _begin(self) -> None:
        """Plans the tree and draws its readable levels."""
        tree = self.tree
        if tree is None:
            return
        wanted, size = self._wanted_depth, self._resized.plan()
        measure, counted, numbers, drawn = name_measure(), self._counted, self.numbers, self._has_histograms
        width, height = (size.width() - 2 * MARGIN) / themes.scale, (size.height() - 2 * MARGIN) / themes.scale
        self.layouts.run(
            tree.n_nodes,
            "Lay out the tree",
            lambda: first_drawing(
                plan_tree(tree, measure, counted, numbers, has_histograms=drawn), wanted, width, height
            ),
            self._begun,
            numbers is not None and numbers.take_long,
        )

    def _begun(self, initial: InitialDrawing) -> None:
        self._plan = initial.plan
        self._folds.begin(initial.drawing.collapsed)  # first, because receivers of the plan may ask for a node
        self._table_model.set_plan(initial.plan)
        self.finder.set_plan(initial.plan)
        self.controls.set_levels(initial.plan.n_levels)
        self.controls.show_depth(initial.depth)
        self.canvas.is_fitted = True
        self._show(initial.drawing, NO_NODE, NO_NODE)
        self._resized.begin()  # a size that changed while this was laid out is seen now

    def set_counts(self, counted: NodeCounts | None) -> None:
        """Shows these counts in the nodes; None shows those of training."""
        if counted is self._counted:
            return
        self._counted, tree, collapsed = counted, self.tree, self._folds.closed
        if tree is None or self._plan is None:
            return
        measure, numbers, drawn = name_measure(), self.numbers, self._has_histograms

        def work() -> InitialDrawing:
            plan = plan_tree(tree, measure, counted, numbers, has_histograms=drawn)
            return InitialDrawing(plan, -1, draw_tree(plan, collapsed))

        self.layouts.run(tree.n_nodes, "Count the records", work, self._counted_anew)

    def _counted_anew(self, recounted: InitialDrawing) -> None:
        self._plan = recounted.plan
        self._table_model.set_plan(recounted.plan)
        self.finder.set_plan(recounted.plan)
        self._show(recounted.drawing, max(0, self.canvas.focus_node), NO_NODE)

    def set_selected(self, weights: FloatArray | None) -> None:
        """Shows the weight (m,) of selected records in each node, of the larger tree for a part."""
        self._lit_weights = weights
        part = self.part
        self.canvas.set_selected(weights if weights is None or part is None else weights[part.places])
        self.foot.say_selected(weights is not None)
        self.facts_changed.emit()

    def sketch(self, trained: TrainedClassifier, data: Dataset) -> None:
        """Shows the classes over the split attributes of ``trained``; ``data`` comes before the recipe."""
        tree = self.tree
        if tree is None or self.part is not None or (tree is self._sketched and self.canvas.item.marks.histograms):
            return
        self._sketched = tree

        def work(context: RunContext) -> dict[int, SplitHistogram]:
            prepared = aligned(tree.schema, trained.prepared(data, context.checkpoint))
            return split_histograms(tree, prepared, arrivals(tree, prepared, context.checkpoint), context.checkpoint)

        def done(histograms: dict[int, SplitHistogram]) -> None:
            if self.tree is tree and self.part is None:
                self.canvas.set_histograms(histograms)

        self._sketching.run("", work, on_done=done, key=(tree, data))

    def set_badges(self, badges: Mapping[int, str], notes: Mapping[int, str]) -> None:
        """Shows short texts at some nodes, in picture and table, and a sentence on their cards."""
        self.canvas.set_badges(badges, notes)
        self._table_model.set_badges(badges)

    @property
    def drawing(self) -> TreeDrawing | None:
        return self.canvas.drawing

    def facts(self) -> str:
        """The size of the tree and how much of it is shown, in words."""
        if self.tree is None:
            return ""
        selected = self.canvas.item.marks.selected
        drawing = None if self._stack.currentWidget() is self.table else self.drawing
        n_shown = self.tree.n_nodes if drawing is None else drawing.layout.n_shown
        words = size_words(self.tree.n_nodes, self._n_leaves, n_shown, 0.0 if selected is None else float(selected[0]))
        return words if self._plan is None or self._plan.own is self._plan.tree else f"{words} · {IN_SHORT}"

    def light_path(self, path: HighlightedPath) -> None:
        """Highlights the path of a record and folds everything else; an empty path restores the former state."""
        self.canvas.set_lit(path)
        plan, nodes = self._plan, path.nodes
        if plan is None or (not nodes and self._folds.unlit is None):
            return
        self._folds.light(plan.tree, nodes)
        self._say_levels()
        self.canvas.is_fitted = True
        self._lay_out(end=nodes[-1] if nodes else NO_NODE)

    # ---- folding ---------------------------------------------------------------------------------------------------

    def toggle(self, node: int) -> None:
        """Folds or unfolds a node."""
        if self.tree is None or self._plan is None or not self.tree.n_children[node]:
            return
        self._folds.toggle(self.tree, node)
        self._say_levels()
        self._lay_out(keep=node)

    def reveal(self, node: int) -> None:
        """Unfolds the path to a node and focuses it at a readable scale."""
        tree = self.tree
        if tree is None or self._plan is None:
            return
        if self._stack.currentWidget() is self.table:
            self.table.selectRow(self._table_model.row_of(node))
        first = self._folds.open_to(tree, node)
        self._say_levels()
        if first == NO_NODE:
            self.canvas.look_closely_at(node)
        else:
            self._lay_out(keep=first, focus=node)

    def _say_levels(self) -> None:
        if self.tree is not None:
            self.controls.show_depth(*self._folds.levels(self.tree))

    def show_levels(self, depth: int) -> None:
        """Shows the tree down to this depth (0: only the root)."""
        if self._plan is None:
            self._wanted_depth = depth
        else:
            self.controls.show_depth(depth)
            self._folds.closed = collapsed_below(self._plan, depth)
            self.canvas.is_fitted = True
            self._lay_out()

    def show_all(self) -> None:
        self.show_levels(ALL_LEVELS if self._plan is None else self._plan.n_levels - 1)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._resized.begin()
        bar = self.finder.bar
        bar.adjustSize()
        bar.move(self.width() - bar.width() - themes.px(8), themes.px(2))

    def _restyled(self) -> None:
        self._resized.begin()

    def _begin_again(self) -> None:
        """Chooses the depth again after a resize, unless the user has moved the view."""
        untouched = self._folds.are_unasked and self._wanted_depth is None
        if self._plan is None or self.layouts.is_busy or not untouched or not self.isVisible():
            return
        if self.canvas.is_fitted and self.canvas.focus_node in (NO_NODE, 0):
            self._begin()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        QTimer.singleShot(0, self, self._begin_once)

    def _begin_once(self) -> None:
        if self._plan is None and not self.layouts.is_busy:
            self._begin()

    def _lay_out(self, keep: int = NO_NODE, focus: int = NO_NODE, end: int = NO_NODE) -> None:
        """Lays out the unfolded nodes, then shows ``focus``, or the path from the root to ``end``."""
        plan, collapsed = self._plan, self._folds.closed
        if plan is not None:
            shown = sum(len(row) for row in tree_rows(plan.tree.first_child, plan.tree.n_children, collapsed))
            self.layouts.run(
                shown,
                "Lay out the tree",
                lambda: draw_tree(plan, collapsed),
                lambda drawing: self._show(drawing, keep, focus, end),
            )

    def _show(self, drawing: TreeDrawing, keep: int, focus: int, end: int = NO_NODE) -> None:
        self.canvas.set_drawing(drawing, keep=keep)
        if focus != NO_NODE:
            self.canvas.look_closely_at(focus)
        if end != NO_NODE:
            self.canvas.look_along(end)
        self.card.take_down()
        self.foot.say_parts(() if self._plan is None else parts_wordings(self._plan, drawing.layout.shown))
        self.facts_changed.emit()
        self.drawn.emit()

    # ---- the parts -------------------------------------------------------------------------------------------------

    def _row_chosen(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid() and self._stack.currentWidget() is self.table:
            self.canvas.set_focus_node(self._table_model.node_of(current.row()))

    def _show_table(self, wanted: bool) -> None:
        node = max(0, self.canvas.focus_node)  # the table selects its first row when it gets the focus
        self._stack.setCurrentWidget(self.table if wanted else self.canvas)
        self.controls.set_picture(not wanted)
        self.facts_changed.emit()
        if wanted and self._plan is not None:
            self.table.size_columns()
            self.table.selectRow(self._table_model.row_of(node))
        self.focus_what_is_shown()

    def focus_what_is_shown(self) -> None:
        (self.table if self._stack.currentWidget() is self.table else self.canvas).setFocus()

    # ---- what a node knows -----------------------------------------------------------------------------------------

    def _focused(self, node: int) -> None:
        if self._plan is None or node == NO_NODE:
            return
        self.canvas.setAccessibleDescription(sentence(self._plan, node))
        QAccessible.updateAccessibility(QAccessibleEvent(self.canvas, QAccessible.Event.DescriptionChanged))
        self.card.show_focused(node, self.canvas.item.marks.focus_is_visible and self.canvas.hasFocus())
        self.node_focused.emit(node)
