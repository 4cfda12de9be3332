"""Switches between scatter plot, scatter matrix and parallel coordinates."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QMenu, QStackedWidget

from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import FloatArray
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.visualize.scatter.records_shown import NeighborLinks
from workbench.tabs.visualize.scatter.scatter_pane import CHOSEN_MODEL, ScatterPane
from workbench.widgets.buttons import SegmentTrack, add_check, pill_button, segment_button
from workbench.widgets.layouts import ClearWidget, row_layout
from workbench.widgets.panes import Pane

if TYPE_CHECKING:
    from workbench.tabs.visualize.scatter.many_axes_panes import ManyAxesPane

SCATTER: Final = "scatter"
MATRIX: Final = "matrix"
PARALLEL: Final = "parallel"
SETTING: Final = "visualize.records"
_KINDS: Final = {
    SCATTER: ("Scatter", "Each record by two attributes"),
    MATRIX: ("Matrix", "Each record by every pair of some attributes"),
    PARALLEL: ("Parallel", "Each record as a line over some attributes"),
}
ROOM_FOR_ALL: Final = 1190
ROOM_FOR_FEW: Final = 740
"""Widths below which the pictures share one pill in the heading."""


class RecordsViews(QStackedWidget):
    """Three panes in one place, each made when first wanted; pills in each heading lead to the others."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session
        self._run: Run | None = None
        self._switches: dict[str, _Switch] = {}
        self._panes: dict[str, ScatterPane | ManyAxesPane] = {}
        kept = session.settings.get(SETTING, SCATTER)
        self.kind = kept if kept in _KINDS else SCATTER
        self._bring(self.kind)
        session.decisions.reports.decided_anew.connect(self._decided_otherwise)

    def _decided_otherwise(self) -> None:
        """Marks wrong records again; a hidden pane waits until it is shown."""
        if self.isVisible():
            self._session.turns.later(self._show_again)

    def _show_again(self) -> None:
        self.show_run(self._run)

    def show_run(self, run: Run | None) -> None:
        """Shows the records of a run, or of the open table for None."""
        self._run = run
        self._pane(self.kind).show_run(run)

    def show_kind(self, kind: str) -> None:
        self._session.settings.set(SETTING, kind)
        self._bring(kind)
        self._pane(kind).show_run(self._run)
        self._switches[kind].take_focus()

    def others(self) -> Iterator[tuple[str, Pane]]:
        """The kinds and panes that are not shown, the scatter plot and those made so far."""
        self._pane(SCATTER)
        return ((kind, pane) for kind, pane in self._panes.items() if kind != self.kind)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_switches()

    def _fit_switches(self) -> None:
        for kind, switch in self._switches.items():
            switch.set_compact(self.width() < themes.px(ROOM_FOR_ALL if kind == SCATTER else ROOM_FOR_FEW))

    @property
    def _scatter(self) -> ScatterPane | None:
        scatter = self._panes.get(SCATTER)
        return scatter if isinstance(scatter, ScatterPane) else None

    def show_pair(self, across: str, up: str) -> None:
        self.show_kind(SCATTER)
        if (scatter := self._scatter) is not None:
            scatter.show_axes(across, up)
            scatter.view.canvas.setFocus()

    def show_links(self, links: NeighborLinks | None) -> None:
        """Joins a record to its neighbours by lines in the scatter plot, if that exists."""
        if (scatter := self._scatter) is not None:
            scatter.show_links(links)

    def show_stand_in(
        self, trained: TrainedClassifier | None, decides_as_run: bool = False, name: str = CHOSEN_MODEL
    ) -> None:
        """Shows another classifier's regions, None: the run's; ``decides_as_run`` keeps its rule."""
        if (scatter := self._scatter) is not None:
            scatter.show_stand_in(trained, decides_as_run, name)

    def show_weights(self, weights: FloatArray | None, words: str = "") -> None:
        """Sizes the points by these weights (n,), described by ``words``; None for the table's weights."""
        if (scatter := self._scatter) is not None:
            scatter.show_weights(weights, words)

    def _bring(self, kind: str) -> None:
        self.kind = kind
        self.setCurrentWidget(self._pane(kind))

    def _pane(self, kind: str) -> ScatterPane | ManyAxesPane:
        if kind not in self._panes:
            pane = self._new_pane(kind)
            self._switches[kind] = _Switch(kind, self)
            pane.lead_with(self._switches[kind])
            self.addWidget(pane)
            self._panes[kind] = pane
            self._fit_switches()
        return self._panes[kind]

    def _new_pane(self, kind: str) -> ScatterPane | ManyAxesPane:
        if kind == MATRIX:
            from workbench.tabs.visualize.scatter.many_axes_panes import ScatterMatrixPane

            matrix = ScatterMatrixPane(self._session)
            matrix.pair_wanted.connect(self.show_pair)
            return matrix
        if kind == PARALLEL:
            from workbench.tabs.visualize.scatter.many_axes_panes import ParallelPane

            return ParallelPane(self._session)
        return ScatterPane(self._session)


class _Switch(ClearWidget):
    """A pill for each picture; with little room, one pill with a menu."""

    def __init__(self, own: str, records: RecordsViews) -> None:
        super().__init__()
        self._own, self._records = own, records
        self._group = QButtonGroup(self)
        menu = QMenu(self)
        for kind, (words, tip) in _KINDS.items():
            button = segment_button(words, f"visualize.show-{kind}", tip, partial(self._show, kind))
            button.setProperty("kind", kind)
            self._group.addButton(button)
            entry = add_check(menu, words, False, partial(self._show, kind))
            entry.setToolTip(tip)
            entry.setData(kind)
        self._one = pill_button(f"{_KINDS[own][0]} ▾", f"visualize.show-as-{own}", "Which picture of the records")
        self._one.setAccessibleName(f"Picture of the records: {_KINDS[own][0]}")
        self._one.setMenu(menu)
        self._one.hide()
        self._track = SegmentTrack(*self._group.buttons())
        row_layout(self._track, self._one, inside=self)
        self._check_own()

    def set_compact(self, compact: bool) -> None:
        self._track.setVisible(not compact)
        self._one.setVisible(compact)

    def take_focus(self) -> None:
        shown = self._one if self._one.isVisibleTo(self) else self._group.checkedButton()
        if shown is not None:
            shown.setFocus()

    def _check_own(self) -> None:
        for pill in self._group.buttons():
            pill.setChecked(pill.property("kind") == self._own)
        for entry in self._one.menu().actions():
            entry.setChecked(entry.data() == self._own)

    def _show(self, kind: str) -> None:
        self._check_own()
        if kind != self._own:
            self._records.show_kind(kind)
