"""Some nodes of a larger tree, laid out to be shown as a tree of their own, one such part after another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject

from algorithms.structures.tree import NO_NODE, Tree
from workbench.layout.tree_layout import IndexArray
from workbench.viewers.tree.tree_drawing import TreeDrawing, TreePlan, draw, planned
from workbench.viewers.tree.tree_paint import name_measure
from workbench.widgets.frame_throttle import Latest

if TYPE_CHECKING:
    from workbench.jobs.jobs import Job
    from workbench.viewers.tree.tree import TreeView


@dataclass(frozen=True, eq=False)
class PartOfTree:
    """A tree whose node i is node ``places[i]`` of a larger one; ``focus`` is the node that it is about, ``waiting``
    (m,) those of which it is not decided yet what they are. ``is_read`` says that the names about the node are to be
    read, whether the whole fits in view or not."""

    tree: Tree
    places: IndexArray
    focus: int = NO_NODE
    waiting: NDArray[np.bool_] | None = None
    is_read: bool = False


@dataclass(frozen=True, eq=False)
class TreePart:
    """Such a part, laid out."""

    plan: TreePlan
    drawing: TreeDrawing
    places: IndexArray
    focus: int
    waiting: NDArray[np.bool_] | None
    is_read: bool


class TreeParts(QObject):
    """Shows one part of a tree after another in its view, one a frame at most. Large ones are laid out in jobs, one at
    a time. The wishes that come meanwhile are passed over but for the last."""

    def __init__(self, view: TreeView) -> None:
        super().__init__(view)
        self._view = view
        self._job: Job | None = None
        self._next: tuple[int, Callable[[], PartOfTree]] | None = None
        self._showing = Latest(self._go_on, self)

    @property
    def is_busy(self) -> bool:
        """Whether a part is being laid out, or about to be."""
        return self._job is not None or self._next is not None

    def show(self, n_nodes: int, make: Callable[[], PartOfTree]) -> None:
        """Show what ``make`` returns, a part of about so many nodes or taken from a tree of so many."""
        self._next = (n_nodes, make)
        self._showing.wish()

    def drop(self) -> None:
        """Show nothing more."""
        self._next = None
        if self._job is not None:
            self._job.stop()
            self._job = None

    def _go_on(self) -> None:
        if self._next is None or self._job is not None:
            return
        (n_nodes, make), self._next = self._next, None
        measure, unscaled = name_measure(), self._view.unscaled

        def work() -> TreePart:
            part = make()
            plan = planned(part.tree, measure, unscaled=unscaled)
            drawing = draw(plan, np.zeros(part.tree.n_nodes, dtype=np.bool_))
            return TreePart(plan, drawing, part.places, part.focus, part.waiting, part.is_read)

        self._job = self._view.layouts.aside(n_nodes, "", work, self._made)

    def _made(self, part: TreePart) -> None:
        self._job = None
        self._view.show_part(part)
        if self._next is not None:
            self._showing.wish()
