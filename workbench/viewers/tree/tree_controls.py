"""The buttons of a tree's view: how many levels, how large, as a table, what to take away, what to look for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from algorithms.structures.tree import NO_NODE, Tree
from workbench.layout.tree_layout import tree_rows
from workbench.style.theme import themes
from workbench.viewers.charts.class_picker import ClassLegend
from workbench.widgets.buttons import IconButton, quiet_button
from workbench.widgets.fields import ElidedComboBox, Slider
from workbench.widgets.labels import ElidedLabel, label


class Folds:
    """``closed`` says of each node (m,) whether what is below it is hidden.

    ``unasked`` is what the view chose itself, and ``unlit`` what was shown before a single way was: None for neither.
    """

    def __init__(self) -> None:
        self.closed: NDArray[np.bool_] = np.zeros(0, dtype=np.bool_)
        self.unasked: NDArray[np.bool_] | None = None
        self.unlit: NDArray[np.bool_] | None = None

    def begin(self, closed: NDArray[np.bool_]) -> None:
        """Nobody has asked for anything else than this."""
        self.closed = self.unasked = closed

    @property
    def are_unasked(self) -> bool:
        """Whether they are as the view chose them."""
        return self.closed is self.unasked and self.unlit is None

    def toggle(self, tree: Tree, node: int) -> None:
        """Open or close a node; what is below its branches stays hidden."""
        self.closed = self.closed.copy()
        self.closed[node] = not self.closed[node]
        if not self.closed[node]:
            self.closed[list(tree.children(node))] = True

    def open_to(self, tree: Tree, node: int) -> int:
        """Open what hides a node; returns the first that was closed on the way, ``NO_NODE`` where none was."""
        closed = [passed for passed in tree.path(node)[:-1] if self.closed[passed]]
        if not closed:
            return NO_NODE
        self.closed = self.closed.copy()
        for passed in closed:
            self.closed[list(tree.children(passed))] = True
        self.closed[closed] = False
        return closed[0]

    def levels(self, tree: Tree) -> tuple[int, bool]:
        """How many levels below the root are shown, and whether no branch is folded away above the last of them."""
        rows = tree_rows(tree.first_child, tree.n_children, self.closed)
        is_even = not any((self.closed[row] & (tree.n_children[row] > 0)).any() for row in rows[:-1])
        return len(rows) - 1, is_even

    def light(self, tree: Tree, nodes: Sequence[int]) -> None:
        """Fold away all but the way along these nodes; for none, show again what was shown before."""
        if self.unlit is None:
            self.unlit = self.closed
        if nodes:
            self.closed = tree.n_children > 0
            self.closed[tree.parent[[node for node in nodes if node]]] = False
        else:
            self.closed, self.unlit = self.unlit, None


class TreeControls(QWidget):
    """A row for the heading of the pane that holds the tree.

    ``depth_wanted(levels)`` comes when the person moves the slider; the buttons are public.
    """

    depth_wanted = Signal(int)

    def __init__(self, save_menu: QMenu) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(6)
        self._depth = Slider()
        self._depth.setObjectName("visualize.depth")
        self._depth.setAccessibleName("How many levels to show")
        self._depth.setToolTip("Fold away everything below this level")
        self._depth.setFixedWidth(themes.px(110))
        self._depth.setPageStep(1)
        self._depth.valueChanged.connect(self.depth_wanted)
        self._levels = label("", "facts")
        self._levels.setObjectName("visualize.levels")
        self.actual = quiet_button("100%", "visualize.actual", "Show at 100%")
        self.fit = quiet_button("Fit", "visualize.fit", "The whole tree in view (F)")
        self.minus = quiet_button("−", "visualize.zoom-out", "Smaller (Page Down)")
        self.plus = quiet_button("+", "visualize.zoom-in", "Larger (Page Up)")
        self.look_for = IconButton("search", "Find in the tree (Ctrl+F)", "visualize.find.open", plain=True)
        self.as_table = quiet_button("As table", "visualize.as-table", "The same as a table (T)")
        self.as_table.setCheckable(True)
        self.save = quiet_button("Save", "visualize.save", "Copy or save the picture, its numbers or its rules")
        self.save.setMenu(save_menu)
        parts: tuple[QWidget, ...] = (self._levels, self._depth, self.minus, self.actual, self.plus, self.fit)
        for widget in parts:
            line.addWidget(widget)
        line.addSpacing(6)
        parts = (self.look_for, self.as_table, self.save)
        for widget in parts:
            line.addWidget(widget)

    def set_levels(self, n_levels: int) -> None:
        """How many levels there are to choose from, the root's among them; none where there is no choice."""
        for widget in (self._levels, self._depth):
            widget.setVisible(n_levels > 2)
        self._depth.blockSignals(True)
        self._depth.setRange(0, max(0, n_levels - 1))
        self._depth.blockSignals(False)

    def show_depth(self, depth: int, is_even: bool = True) -> None:
        """Say how many levels below the root are shown; not ``is_even`` where some branches end above the last."""
        self._depth.blockSignals(True)
        self._depth.setValue(depth)
        self._depth.blockSignals(False)
        most = self._depth.maximum()
        told = f"all {most} levels" if depth >= most else f"{depth} of {most} levels"
        self._levels.setText(told if is_even else f"up to {depth} of {most} levels")

    def show_scale(self, scale: float) -> None:
        """Say how large the tree is seen; 1 is the size of the other text."""
        self.actual.setText(f"{max(1, round(100 * scale))}%")

    def set_picture(self, is_picture: bool) -> None:
        """Grey out what only a picture has."""
        for widget in (self._depth, self._levels, self.minus, self.plus, self.actual, self.fit):
            widget.setEnabled(is_picture)


class TreeFoot(QHBoxLayout):
    """The row below the tree: what the colours are, of what is shown, which records are counted; others add theirs."""

    def __init__(self) -> None:
        super().__init__()
        self.legend, self.counts_switch = ClassLegend(), CountsSwitch()
        self._in_parts = ElidedLabel("", "facts")
        self._in_parts.setObjectName("visualize.in-parts")
        self.addWidget(self.legend, 1)
        self.addWidget(self._in_parts, 2)
        self.addWidget(self.counts_switch)

    def say_parts(self, wordings: tuple[str, ...]) -> None:
        """Say what the shares of the nodes shown are of, in fewer words where there is little room."""
        self._in_parts.set_wordings(*(wordings or ("",)))
        self._in_parts.setVisible(bool(wordings))


class CountsSwitch(QWidget):
    """Which records are counted in the nodes; hidden until tested ones are offered.

    ``wanted(tested)`` comes when the person chooses.
    """

    wanted = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(6)
        says = label("In the nodes", "facts")
        self._choice = ElidedComboBox()
        self._choice.setObjectName("visualize.counts")
        self._choice.setAccessibleName("Which records are counted in the nodes")
        self._choice.addItems(["training records", "tested records, how many wrong"])
        self._choice.setToolTip(
            "Training records: those that the tree was grown from. Tested records: those of the run's test, sent down "
            "this tree, and the share of them that was decided wrongly when tested."
        )
        says.setBuddy(self._choice)
        line.addWidget(says)
        line.addWidget(self._choice)
        self._choice.currentIndexChanged.connect(lambda index: self.wanted.emit(index == 1))
        self.hide()

    def start_over(self) -> None:
        """Back to the training records, without telling anybody."""
        self._choice.blockSignals(True)
        self._choice.setCurrentIndex(0)
        self._choice.blockSignals(False)
