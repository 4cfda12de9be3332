"""Holds the tree viewer and opens a replay of its growth or pruning beside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Signal

from algorithms.core.learner import Learner
from algorithms.core.training import TrainedClassifier
from algorithms.structures.tree import NO_NODE, Tree
from workbench.session.runs import Run, structure_of
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.viewers.tree.tree_view import TreeParts
from workbench.widgets.layouts import ClearWidget, column_layout, split

if TYPE_CHECKING:
    from workbench.tabs.visualize.playback import ReplayPanel
    from workbench.viewers.tree.tree_view import TreeView

SIDE_WIDTH: Final = 330
SIDE_SHARE: Final = 27
LEAST_WIDTH: Final = 1000
"""In less room the inspector gives way to a panel."""
GROWTH: Final = "growth"
PRUNING: Final = "pruning"


class TreeStage(ClearWidget):
    """Holds the tree viewer; two entries of its menu open a replay at its right, one at a time.

    During a replay ``subject`` is a run whose model is the replayed tree; :meth:`node_of` maps nodes of the picture to
    it. ``subject_changed`` comes with either.
    """

    subject_changed = Signal()
    node_looked_at = Signal(int)
    """The step in view is about this node of the subject's tree."""
    room_wanted = Signal(bool)
    """Whether a panel is open that needs more room than there is here."""

    def __init__(self, session: Session, view: TreeView) -> None:
        super().__init__()
        self._session, self._view = session, view
        self._run: Run | None = None
        self._mode = ""
        self._has_room = False
        self.subject: Run | None = None
        self.parts = TreeParts(view)
        self._panels: dict[str, ReplayPanel] = {}
        offer = view.controls.offer
        tip = "The tree step by step: the records, the candidate splits, the chosen split"
        self.growth_switch = offer("visualize.growth", "Growth steps", tip, partial(self._switched, GROWTH))
        tip = "Prune the tree node by node, and see where the test error is lowest"
        self.pruning_switch = offer("visualize.pruning", "Pruning steps", tip, partial(self._switched, PRUNING))
        self._split = split(view)
        column_layout(self._split, inside=self)

    def steps(self) -> Iterator[Callable[[], object]]:
        """Steps that make the panels ahead of their use."""
        yield partial(self._panel, GROWTH)
        yield partial(self._panel, PRUNING)

    @property
    def is_replaying(self) -> bool:
        return bool(self._mode)

    def show_run(self, run: Run | None) -> None:
        if run is self._run:
            return
        self._run = run
        self._close()

    def node_of(self, node: int) -> int:
        """The node of the subject's tree for a node of the picture."""
        part = self._view.part
        return node if part is None or node == NO_NODE else int(part.places[node])

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
            from workbench.tabs.visualize.tree.replays import GrowthReplay, PruningReplay

            panel = (GrowthReplay if mode == GROWTH else PruningReplay)(self._session, self.parts)
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
