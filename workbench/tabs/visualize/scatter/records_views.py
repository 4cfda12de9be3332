"""Switches between scatter plot, scatter matrix and parallel coordinates."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QMenu, QStackedWidget, QWidget

from algorithms.core.training import TrainedClassifier
from algorithms.data.columns import FloatArray
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.visualize.scatter.records_pane import NeighborLinks
from workbench.tabs.visualize.scatter.scatter_pane import ScatterPane
from workbench.widgets.buttons import pill_button
from workbench.widgets.keyboard_focus import tab_in_order
from workbench.widgets.layouts import ClearWidget, row_layout

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
ROOM_FOR_ALL: Final = 900
ROOM_FOR_FEW: Final = 520
"""Widths below which the pictures share one pill in the heading."""


class RecordsViews(QStackedWidget):
    """Three panes in one place, each made when first wanted; pills in each heading lead to the others."""

    def __init__(self, session: Session, made_expander: Callable[[], QWidget]) -> None:
        super().__init__()
        self._session = session
        self._made_expander = made_expander
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

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_switches()

    def _fit_switches(self) -> None:
        for kind, switch in self._switches.items():
            switch.set_compact(self.width() < themes.px(ROOM_FOR_ALL if kind == SCATTER else ROOM_FOR_FEW))

    def show_pair(self, across: str, up: str) -> None:
        self.show_kind(SCATTER)
        scatter = self._pane(SCATTER)
        if isinstance(scatter, ScatterPane):
            scatter.show_axes(across, up)
            scatter.view.canvas.setFocus()

    def show_links(self, links: NeighborLinks | None) -> None:
        """Joins a record to its neighbours by lines in the scatter plot, if that exists."""
        scatter = self._panes.get(SCATTER)
        if isinstance(scatter, ScatterPane):
            scatter.show_links(links)

    def show_stand_in(self, trained: TrainedClassifier | None, decides_as_run: bool = False) -> None:
        """Shows the regions of another classifier than the run's own; None for its own.

        With ``decides_as_run`` the decision rule of the run holds for it too.
        """
        scatter = self._panes.get(SCATTER)
        if isinstance(scatter, ScatterPane):
            scatter.show_stand_in(trained, decides_as_run)

    def show_weights(self, weights: FloatArray | None, words: str = "") -> None:
        """Sizes the points by these weights (n,), described by ``words``; None for the table's weights."""
        scatter = self._panes.get(SCATTER)
        if isinstance(scatter, ScatterPane):
            scatter.show_weights(weights, words)

    def _bring(self, kind: str) -> None:
        self.kind = kind
        self.setCurrentWidget(self._pane(kind))

    def _pane(self, kind: str) -> ScatterPane | ManyAxesPane:
        if kind not in self._panes:
            pane = self._new_pane(kind)
            self._switches[kind] = _Switch(kind, self)
            pane.lead_with(self._switches[kind])
            pane.add_action(self._made_expander())
            self.addWidget(pane)
            tab_in_order(pane)
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
        row = row_layout(inside=self, spacing=2)
        self._group = QButtonGroup(self)
        for kind, (words, tip) in _KINDS.items():
            button = pill_button(words, f"visualize.show-{kind}", tip, checkable=True)
            button.setProperty("part", "segment")
            button.setChecked(kind == own)
            button.setProperty("kind", kind)
            self._group.addButton(button)
            row.addWidget(button)
        self._group.buttonClicked.connect(self._clicked)
        self._one = pill_button(f"{_KINDS[own][0]} ▾", f"visualize.show-as-{own}", "Which picture of the records")
        self._one.setAccessibleName(f"Picture of the records: {_KINDS[own][0]}")
        self._one.setMenu(self._made_menu())
        self._one.hide()
        row.addWidget(self._one)

    def _made_menu(self) -> QMenu:
        menu = QMenu(self)
        for kind, (words, tip) in _KINDS.items():
            action = menu.addAction(words)
            action.setToolTip(tip)
            action.setCheckable(True)
            action.setChecked(kind == self._own)
            action.setData(kind)
        menu.triggered.connect(self._chosen)
        return menu

    def set_compact(self, compact: bool) -> None:
        for button in self._group.buttons():
            button.setVisible(not compact)
        self._one.setVisible(compact)

    def take_focus(self) -> None:
        shown = self._one if self._one.isVisibleTo(self) else self._group.checkedButton()
        if shown is not None:
            shown.setFocus()

    def _chosen(self, action: QAction) -> None:
        self._show(str(action.data()))
        for entry in self._one.menu().actions():
            entry.setChecked(entry.data() == self._own)

    def _clicked(self, button: QWidget) -> None:
        for pill in self._group.buttons():
            pill.setChecked(pill.property("kind") == self._own)
        self._show(str(button.property("kind")))

    def _show(self, kind: str) -> None:
        if kind != self._own:
            self._records.show_kind(kind)
