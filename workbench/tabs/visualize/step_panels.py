"""What the panels beside a tree, or rules, share: their frame, their job, and what each run's job found."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from algorithms.core.context import RunContext
from algorithms.core.errors import CoppiceError
from algorithms.data.dataset import Dataset
from workbench.jobs.jobs import Job
from workbench.session.runs import Run
from workbench.session.selection import Mask, Selection
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, SPACE_2
from workbench.tabs.visualize.playback_controls import PlaybackControls
from workbench.widgets.labels import WholeLabel, as_high_as_needed
from workbench.widgets.panes import UprightScrollArea


class SelectionBefore:
    """``source`` is by what steps say that they select."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._kept: tuple[Dataset, Mask, tuple[str, ...], bool] | None = None

    def keep(self, selection: Selection, data: Dataset) -> None:
        """Remember what is selected, unless a step selected it."""
        if selection.sources != (self._source,):
            self._kept = data, selection.mask_of(data).copy(), selection.sources, selection.by_judgement

    def bring_back(self, selection: Selection) -> None:
        """Select that again, where the last to select anything was a step."""
        kept, self._kept = self._kept, None
        if selection.sources != (self._source,):
            return
        if kept is None or not kept[1].any():
            selection.clear()
            return
        data, mask, sources, by_judgement = kept
        selection.select(data, mask, by=", ".join(sources), by_judgement=by_judgement)


class StagePanel(QWidget):
    """Finds something about a run's model in a job, once for each run, and goes through it step by step.

    ``subject_found(learner, trained)`` comes with the tree that is shown (None: the run's own), ``node_looked_at`` with
    the node of it that the step is about, ``closed`` where nothing came of the job or the person leaves.
    """

    subject_found = Signal(object, object)
    node_looked_at = Signal(int)
    closed = Signal()

    def __init__(self, name: str, words: str, session: Session, transport: PlaybackControls) -> None:
        """``words`` is what the label with the words on the step is called."""
        super().__init__()
        self.setObjectName(f"{name}.panel")
        self.setProperty("part", "clear")
        self._session, self.transport = session, transport
        self._run: Run | None = None
        self._job: Job | None = None
        self._known: WeakKeyDictionary[Run, Any] = WeakKeyDictionary()
        self._words = WholeLabel("")
        self._words.setObjectName(f"{name}.{words}")
        as_high_as_needed(self._words)

    def _column(self, title: QWidget, *buttons: QWidget) -> QVBoxLayout:
        """The column that scrolls where it is higher than the panel, with a heading in it."""
        heading = QHBoxLayout()
        heading.addWidget(title, 1)
        for button in buttons:
            heading.addWidget(button)
        inside = QWidget()
        inside.setProperty("part", "clear")
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, SPACE_1, 0)
        column.setSpacing(SPACE_1)
        column.addLayout(heading)
        scroll = UprightScrollArea(inside)
        scroll.setFrameShape(UprightScrollArea.Shape.NoFrame)
        scroll.viewport().setAutoFillBackground(False)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(SPACE_2, 0, 0, 0)
        whole.addWidget(scroll)
        return column

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape leads back to the run's own tree."""
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    # ---- the job -----------------------------------------------------------------------------------------------------

    @abstractmethod
    def _work(self, run: Run) -> tuple[str, str, Callable[[RunContext], Any]]:
        """The job for a run: its title, what is said meanwhile, and what a worker does."""

    @abstractmethod
    def _empty(self) -> None:
        """Show that nothing is known yet."""

    @abstractmethod
    def _show_known(self, run: Run, found: Any) -> None:
        """Show what the job found for a run."""

    def begin(self, run: Run) -> None:
        """Show what there is about this run's tree, as soon as it is found."""
        self._run = run
        known = self._known.get(run)
        if known is not None:
            self._found(known)
            return
        self._empty()
        self.transport.set_stops([0], 0)
        title, meanwhile, work = self._work(run)
        self._words.setText(meanwhile)
        self._job = self._session.jobs.start(
            title,
            work,
            on_done=self._found,
            on_failed=self._failed,
            on_stopped=self._stopped,
            seed=run.seed,
        )

    def end(self) -> None:
        """Nothing is shown any more."""
        job, self._job, self._run = self._job, None, None
        self.transport.stop()
        if job is not None:
            job.stop()

    def _found(self, found: Any) -> None:
        self._job = None
        run = self._run
        if run is not None:
            self._known[run] = found
            self._show_known(run, found)

    def _failed(self, error: object) -> None:
        self._job = None
        if isinstance(error, CoppiceError):
            self._words.setText(str(error))
        else:
            self._words.setText("The program made a mistake.")
            self._session.jobs.report_bug(error)

    def _stopped(self) -> None:
        if self._job is not None:
            self._job = None
            self.closed.emit()
