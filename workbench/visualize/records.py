"""The records of the tab in one of three pictures: two attributes, every pair of some, or some beside one another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QStackedWidget, QWidget

from workbench.parts import pill_button
from workbench.runs import Run
from workbench.session import Session
from workbench.visualize.many_pane import ManyAxesPane
from workbench.visualize.scatter_pane import ScatterPane

SCATTER: Final = "scatter"
MATRIX: Final = "matrix"
PARALLEL: Final = "parallel"
SETTING: Final = "visualize.records"
_KINDS: Final = {
    SCATTER: ("Scatter", "Each record by two attributes"),
    MATRIX: ("Matrix", "Each record by every pair of some attributes"),
    PARALLEL: ("Parallel", "Each record as a line over some attributes"),
}


class Records(QStackedWidget):
    """Three panes in one place; pills in the heading of each lead to the others. Each is made when first wanted."""

    def __init__(self, session: Session, made_expander: Callable[[], QWidget]) -> None:
        super().__init__()
        self._session = session
        self._made_expander = made_expander
        self._run: Run | None = None
        self._panes: dict[str, ScatterPane | ManyAxesPane] = {}
        kept = session.settings.get(SETTING, SCATTER)
        self._kind = kept if kept in _KINDS else SCATTER
        self._bring(self._kind)

    @property
    def kind(self) -> str:
        """Which picture is in view: SCATTER, MATRIX or PARALLEL."""
        return self._kind

    def show_run(self, run: Run | None) -> None:
        """Look at the records of a run, or of the open table where there is none."""
        self._run = run
        self._pane(self._kind).show_run(run)

    def show_kind(self, kind: str) -> None:
        """Show the records in another picture."""
        self._session.settings.set(SETTING, kind)
        self._bring(kind)
        self._pane(kind).show_run(self._run)
        pane = self._pane(kind)
        chosen = pane.findChild(QWidget, f"visualize.show-{kind}")
        if chosen is not None:
            chosen.setFocus()

    def show_pair(self, across: str, up: str) -> None:
        """Show two attributes, by their names, in the scatter plot."""
        self.show_kind(SCATTER)
        scatter = self._pane(SCATTER)
        if isinstance(scatter, ScatterPane):
            scatter.show_axes(across, up)
            scatter.view.canvas.setFocus()

    def _bring(self, kind: str) -> None:
        self._kind = kind
        self.setCurrentWidget(self._pane(kind))

    def _pane(self, kind: str) -> ScatterPane | ManyAxesPane:
        if kind not in self._panes:
            pane = self._made(kind)
            pane.lead_with(_Switch(kind, self))
            pane.add_action(self._made_expander())
            self.addWidget(pane)
            self._panes[kind] = pane
        return self._panes[kind]

    def _made(self, kind: str) -> ScatterPane | ManyAxesPane:
        if kind == MATRIX:
            from workbench.visualize.matrix_pane import MatrixPane

            matrix = MatrixPane(self._session)
            matrix.pair_wanted.connect(self.show_pair)
            return matrix
        if kind == PARALLEL:
            from workbench.visualize.parallel_pane import ParallelPane

            return ParallelPane(self._session)
        return ScatterPane(self._session)


class _Switch(QWidget):
    """One pill for each picture, that of its own pane pressed."""

    def __init__(self, own: str, records: Records) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        self._own, self._records = own, records
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(2)
        self._group = QButtonGroup(self)
        for kind, (words, tip) in _KINDS.items():
            button = pill_button(words, f"visualize.show-{kind}", tip)
            button.setProperty("part", "segment")
            button.setCheckable(True)
            button.setChecked(kind == own)
            button.setProperty("kind", kind)
            self._group.addButton(button)
            row.addWidget(button)
        self._group.buttonClicked.connect(self._clicked)

    def _clicked(self, button: QWidget) -> None:
        kind = str(button.property("kind"))
        for each in self._group.buttons():
            each.setChecked(each.property("kind") == self._own)
        if kind != self._own:
            self._records.show_kind(kind)
