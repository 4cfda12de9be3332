"""While a network learns: its error on training records and on those held out, epoch by epoch."""

from __future__ import annotations

from time import monotonic
from typing import Final

from PySide6.QtWidgets import QVBoxLayout, QWidget

from algorithms.core.layers import Learning
from workbench.parts import label
from workbench.runs import Run
from workbench.session import Session
from workbench.views.course_plot import CoursePlot, course_words

SILENT: Final = 0.5
"""Another learning is shown once the one in view has not been heard of for so many seconds."""


class LearningCourse(QWidget):
    """Follows one of the networks that the run in view teaches, then the next; hidden while there is none."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("part", "clear")
        self._session = session
        self._shown: Learning | None = None
        self._heard = 0.0
        self.plot: CoursePlot | None = None
        self.words = label("", "dim", wrap=True)
        self.words.setObjectName("classify.learning.words")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self.words)
        self.hide()
        session.ledger.learning.connect(self._take)
        session.current_run_changed.connect(self._leave)
        session.runs_changed.connect(self._leave_what_is_over)

    def _take(self, run: Run, learning: Learning) -> None:
        if run is not self._session.current_run or not run.is_running:
            return
        now = monotonic()
        if self._shown is not None and not learning.continues(self._shown) and now - self._heard < SILENT:
            return
        if self.plot is None:
            self.plot = CoursePlot("classify.learning")
            self._column.insertWidget(0, self.plot)
        self._shown, self._heard = learning, now
        self.plot.show_course(learning.course)
        self.words.setText(course_words(learning.course))
        self.show()

    def _leave_what_is_over(self) -> None:
        run = self._session.current_run
        if run is None or not run.is_running:
            self._leave()

    def _leave(self) -> None:
        self._shown = None
        self.hide()
