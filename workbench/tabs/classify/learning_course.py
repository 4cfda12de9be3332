"""While a network or a support vector machine learns: its errors epoch by epoch, or how its two objectives meet."""

from __future__ import annotations

from time import monotonic
from typing import Final

from PySide6.QtWidgets import QVBoxLayout, QWidget

from algorithms.structures.layers import NetworkTraining
from algorithms.structures.support_vectors import DualityGap
from workbench.session.runs import Run
from workbench.session.session import Session
from workbench.viewers.charts.training_curves import DualityGapPlot, TrainingHistoryPlot, history_words
from workbench.widgets.labels import label

SILENT: Final = 0.5
"""Another learning is shown once the one in view has not been heard of for so many seconds."""


class LearningCourse(QWidget):
    """Follows one network or machine that the run in view teaches, then the next; hidden while there is none."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "clear")
        self._session = session
        self._shown: NetworkTraining | DualityGap | None = None
        self._heard = 0.0
        self.plot: TrainingHistoryPlot | None = None
        self.gap: DualityGapPlot | None = None
        self.words = label("", "dim", wrap=True)
        self.words.setObjectName("classify.learning.words")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self.words)
        self.hide()
        session.ledger.learning.connect(self._take)
        session.current_run_changed.connect(self._leave)
        session.runs_changed.connect(self._leave_what_is_over)

    def _take(self, run: Run, learning: NetworkTraining | DualityGap) -> None:
        if run is not self._session.current_run or not run.is_running:
            return
        now = monotonic()
        if self._shown is not None and not learning.continues(self._shown) and now - self._heard < SILENT:
            return
        self._shown, self._heard = learning, now
        if isinstance(learning, NetworkTraining):
            self._show_network(learning)
        else:
            self._show_machine(learning)
        self.show()

    def _show_network(self, learning: NetworkTraining) -> None:
        if self.plot is None:
            self.plot = TrainingHistoryPlot("classify.learning")
            self._column.insertWidget(0, self.plot)
        self.plot.show_course(learning.course)
        self.words.setText(history_words(learning.course))
        self._show_only(self.plot)

    def _show_machine(self, learning: DualityGap) -> None:
        if self.gap is None:
            self.gap = DualityGapPlot("classify.gap")
            self._column.insertWidget(0, self.gap)
        self.gap.show_course(learning.course)
        self.words.setText(self.gap.words)
        self._show_only(self.gap)

    def _show_only(self, wanted: QWidget) -> None:
        for each in (self.plot, self.gap):
            if each is not None:
                each.setVisible(each is wanted)

    def _leave_what_is_over(self) -> None:
        run = self._session.current_run
        if run is None or not run.is_running:
            self._leave()

    def _leave(self) -> None:
        self._shown = None
        self.hide()
