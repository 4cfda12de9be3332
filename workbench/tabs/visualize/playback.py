"""Playback: controls that move through positions, and side panels that replay steps found in a job."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from algorithms.core.context import RunContext
from algorithms.core.errors import CoppiceError
from algorithms.data.dataset import Dataset
from workbench.jobs.jobs import Job
from workbench.session.runs import Run
from workbench.session.selection import Mask, Selection
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, SPACE_2, themes
from workbench.widgets.buttons import IconButton
from workbench.widgets.fields import Slider
from workbench.widgets.labels import WholeLabel, as_high_as_needed
from workbench.widgets.panes import UprightScrollArea

MOST_STOPS: Final = 400
"""The slider rests at no more places; the buttons beside it know every one between them."""
MOST_FRAMES: Final = 80
"""Playing shows no more pictures than this."""


@dataclass(frozen=True)
class PlaybackLabels:
    """What the parts are called to a person."""

    slider: str
    first: str
    back: str
    forward: str
    last: str
    play: str


class PlaybackControls(QWidget):
    """Positions 0 to n; ``moved`` comes with the new one when the person, or playing, has changed it.

    ``plays_back`` says that playing goes from the last position to the first, ``in_a_row`` that the slider stands
    beside the buttons, where height is dear.
    """

    moved = Signal(int)

    def __init__(
        self, name: str, says: PlaybackLabels, pause_ms: int, *, plays_back: bool = False, in_a_row: bool = False
    ) -> None:
        super().__init__()
        self.setProperty("part", "clear")
        self._says, self._way = says, -1 if plays_back else 1
        self._stops: tuple[int, ...] = (0,)
        self._at = 0
        self._timer = QTimer(self)
        self._timer.setInterval(pause_ms)
        self._timer.timeout.connect(self._next_frame)
        self.slider = Slider()
        self.slider.setObjectName(f"{name}.slider")
        self.slider.setAccessibleName(says.slider)
        self.slider.setToolTip(says.slider)
        self.slider.setMinimumWidth(themes.px(60))
        self.first = IconButton("step-first", says.first, f"{name}.first", self._to_first, plain=True)
        self.back = IconButton("step-back", says.back, f"{name}.back", self._step_back, plain=True)
        self.forward = IconButton("step-forward", says.forward, f"{name}.forward", self._step_forward, plain=True)
        self.last = IconButton("step-last", says.last, f"{name}.last", self._to_last, plain=True)
        self.play = IconButton("play", says.play, f"{name}.play", plain=True)
        self.play.setCheckable(True)
        self.play.toggled.connect(self._play)
        row = QHBoxLayout()
        row.setSpacing(SPACE_1)
        if not in_a_row:
            row.addStretch(1)
        for button in (self.first, self.back, self.play, self.forward, self.last):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        if in_a_row:
            row.addWidget(self.slider, 1)
        else:
            row.addStretch(1)
            column.addWidget(self.slider)
        column.addLayout(row)
        self.slider.valueChanged.connect(self._slid)

    @property
    def position(self) -> int:
        return self._at

    @property
    def end(self) -> int:
        """The last position."""
        return self._stops[-1]

    @property
    def is_playing(self) -> bool:
        return self._timer.isActive()

    def set_stops(self, stops: Sequence[int], position: int) -> None:
        """The positions at which the slider rests, ascending from 0 to the last, and where it is now."""
        self.stop()
        self._stops = tuple(stops)
        self.slider.blockSignals(True)
        self.slider.setRange(0, len(self._stops) - 1)
        self.slider.setPageStep(max(1, len(self._stops) // 10))
        self.slider.blockSignals(False)
        self._at = -1
        self.show_position(position)

    def show_position(self, position: int) -> None:
        """Be at this position, without telling anybody."""
        self._at = max(0, min(self.end, position))
        self.slider.blockSignals(True)
        self.slider.setValue(int(np.searchsorted(self._stops, self._at)))
        self.slider.blockSignals(False)
        for buttons, there in (
            ((self.first, self.back), self._at > 0),
            ((self.forward, self.last), self._at < self.end),
        ):
            for button in buttons:
                button.setEnabled(there)
        self.play.setEnabled(self.end > 0)

    def go_to(self, position: int) -> None:
        """Be at this position, and tell it."""
        before = self._at
        self.show_position(position)
        if self._at != before:
            self.moved.emit(self._at)

    def stop(self) -> None:
        """Play no more."""
        self.play.setChecked(False)

    # ---- what the person does ----------------------------------------------------------------------------------------

    def _slid(self, value: int) -> None:
        self.stop()
        self.go_to(self._stops[value])

    def _step_back(self) -> None:
        self.stop()
        self.go_to(self._at - 1)

    def _step_forward(self) -> None:
        self.stop()
        self.go_to(self._at + 1)

    def _to_first(self) -> None:
        self.stop()
        self.go_to(0)

    def _to_last(self) -> None:
        self.stop()
        self.go_to(self.end)

    def _play(self, wanted: bool) -> None:
        says = "Pause" if wanted else self._says.play
        self.play.set_icon_name("pause" if wanted else "play")
        self.play.setToolTip(says)
        self.play.setAccessibleName(says)
        if not wanted:
            self._timer.stop()
            return
        begin, end = (0, self.end) if self._way > 0 else (self.end, 0)
        if self._at == end:
            self.go_to(begin)
        self._timer.start()

    def _next_frame(self) -> None:
        stride = max(1, len(self._stops) // MOST_FRAMES)
        at = int(np.searchsorted(self._stops, self._at)) + self._way * stride
        self.go_to(self._stops[max(0, min(len(self._stops) - 1, at))])
        if self._at == (self.end if self._way > 0 else 0):
            self.stop()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.stop()


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
