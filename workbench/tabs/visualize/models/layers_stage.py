"""The viewer of a network with what every node says of a record, and how it learned beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSplitter, QVBoxLayout, QWidget

from algorithms.learners.neural.training_steps import can_be_stepped
from algorithms.structures.layers import Layers
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.visualize.models.model_record import LayersRecord
from workbench.widgets.buttons import quiet_button

if TYPE_CHECKING:
    from workbench.tabs.visualize.models.layers_steps import LayersStepsPanel
    from workbench.viewers.layers import LayersView

SIDE_WIDTH: Final = 420


class LayersStage(QWidget):
    """``room_wanted`` wants more room for a while."""

    room_wanted = Signal(bool)

    def __init__(self, session: Session, view: LayersView) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        self._session = session
        self._run: Run | None = None
        self._record = LayersRecord(session, view)
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._split.setChildrenCollapsible(False)
        self._split.setHandleWidth(10)
        self._split.addWidget(view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._split)
        self.panel: LayersStepsPanel | None = None
        self.switch = quiet_button(
            "How it learned", "visualize.layers-steps", "The boundary step by step, as the weights moved"
        )
        self.switch.setCheckable(True)
        self.switch.clicked.connect(self._switched)

    def show_run(self, run: Run | None) -> None:
        """The network in view is that of this run; it may have none."""
        self._record.show_run(run)
        trained = None if run is None else run.trained
        structure = None if trained is None else trained.structure()
        there = isinstance(structure, Layers) and structure.n_layers > 0 and run is not None and run.of_fold is None
        self.switch.setVisible(there and trained is not None and can_be_stepped(trained.learner))
        if run is not self._run:
            self._run = run
            self.close_steps()

    def follow(self, row: int) -> None:
        """Show what every node says of the record at this place of the run's data."""
        self._record.follow(row)

    def _switched(self, wanted: bool) -> None:
        if not wanted or self._run is None:
            self.close_steps()
            return
        if self.panel is None:
            from workbench.tabs.visualize.models.layers_steps import LayersStepsPanel

            self.panel = LayersStepsPanel(self._session)
            self.panel.closed.connect(self.close_steps)
            self._split.addWidget(self.panel)
        self.panel.setVisible(True)
        self.room_wanted.emit(True)
        side = max(themes.px(SIDE_WIDTH), self.width() * 45 // 100)
        self._split.setSizes([max(1, self.width() - side), side])
        self.panel.begin(self._run)

    def close_steps(self) -> None:
        """Put the steps away."""
        self.switch.setChecked(False)
        if self.panel is not None and not self.panel.isHidden():
            self.panel.end()
            self.panel.hide()
            self.room_wanted.emit(False)
