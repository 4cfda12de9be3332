"""The viewer of a Bayesian network with the record selected in it and what is changed by hand."""

from __future__ import annotations

from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from algorithms.structures.bayes_network import BayesNetwork
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.style.theme import themes
from workbench.tabs.visualize.explain.selected_record import RecordValues
from workbench.tabs.visualize.models.network_editor import NetworkEditor
from workbench.viewers.network.network_view import NetworkView

LEAST_HEIGHT: Final = 520
"""With less, the network gets all the room of the tab while it is edited."""


class NetworkStage(QWidget):
    """``room_wanted`` wants more room for a while."""

    room_wanted = Signal(bool)

    def __init__(self, session: Session, view: NetworkView) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        self._values = RecordValues(session, view, BayesNetwork, self)
        self.editor = NetworkEditor(session, view)
        self.editor.room_wanted.connect(self._want_room)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.editor)
        column.addWidget(view, 1)

    def show_run(self, run: Run | None) -> None:
        """The network in view is that of this run; it may have none."""
        self._values.show_run(run)
        self.editor.set_run(None if run is not None and run.of_fold is not None else run)

    def follow(self, row: int) -> None:
        """Show the record at this place of the run's data in the network."""
        self._values.follow(row)

    def _want_room(self, wanted: bool) -> None:
        if not wanted or self.height() < themes.px(LEAST_HEIGHT):
            self.room_wanted.emit(wanted)
