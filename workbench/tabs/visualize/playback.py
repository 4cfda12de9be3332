"""Playback: controls that move through positions, and side panels that replay steps found in a job."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

import numpy as np
from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QListWidget, QMenu, QSplitter, QVBoxLayout, QWidget

from algorithms.core.errors import CoppiceError, DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import IntArray, Mask
from algorithms.data.dataset import Dataset
from workbench.jobs.jobs import LatestTask
from workbench.session.runs import Run
from workbench.session.selection import Selection, SelectionMode
from workbench.session.session import Session
from workbench.style.theme import SPACE_1, SPACE_2, themes
from workbench.viewers.charts.export import Table, copy_table, write_table_text
from workbench.widgets.buttons import IconButton, switch
from workbench.widgets.dialogs import CSV, ask_where_to_save_table
from workbench.widgets.fields import Slider
from workbench.widgets.keyboard_focus import set_enabled
from workbench.widgets.labels import WholeLabel, label
from workbench.widgets.layouts import ClearWidget, as_high_as_needed, column_layout, named, row_layout
from workbench.widgets.panes import UprightScrollArea

STEP_MS: Final = 1_600
LIST_HEIGHT: Final = 90
MOST_STOPS: Final = 400
"""The slider rests at no more places; the buttons beside it know every one between them."""
MOST_FRAMES: Final = 80
"""Playing shows no more pictures than this."""


@dataclass(frozen=True)
class PlaybackLabels:
    slider: str
    play: str
    back: str = "One step back"
    forward: str = "The next step"
    position: str = ""
    """Template of the words that name position and end beside the buttons."""


class PlaybackControls(ClearWidget):
    """Buttons and a slider over positions 0 to n; ``moved`` carries a position that user or playback reached.

    Home and End lead to the first and last. With ``plays_back`` playback runs from the last position to the first.
    """

    moved = Signal(int)

    def __init__(self, name: str, labels: PlaybackLabels, pause_ms: int, *, plays_back: bool = False) -> None:
        super().__init__()
        self._says, self._way = labels, -1 if plays_back else 1
        self._stops: tuple[int, ...] = (0,)
        self.position = 0
        self._timer = QTimer(self)
        self._timer.setInterval(pause_ms)
        self._timer.timeout.connect(self._next_frame)
        self.slider = named(Slider(), f"{name}.slider", labels.slider, labels.slider)
        self.slider.setMinimumWidth(themes.px(60))
        self.back, self.forward = (
            IconButton(f"step-{way}", says, f"{name}.{way}", partial(self._step_to, goal), plain=True)
            for way, says, goal in (
                ("back", labels.back, lambda: self.position - 1),
                ("forward", labels.forward, lambda: self.position + 1),
            )
        )
        self.play = IconButton("play", labels.play, f"{name}.play", plain=True, checkable=True)
        self.play.toggled.connect(self._play)
        self._words = label("", "dim")
        buttons = (self.back, self.play, self.forward)
        row_layout(*buttons, self._words, (self.slider, 1), inside=self, spacing=SPACE_1)
        self.slider.valueChanged.connect(lambda value: self._step_to(lambda: self._stops[value]))

    @property
    def end(self) -> int:
        return self._stops[-1]

    def set_stops(self, stops: Sequence[int], position: int) -> None:
        """Sets the positions at which the slider rests, ascending from 0, and the current one."""
        self.stop()
        self._stops = tuple(stops)
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, len(self._stops) - 1)
            self.slider.setPageStep(max(1, len(self._stops) // 10))
        self.position = -1
        self.show_position(position)

    def show_position(self, position: int) -> None:
        """Moves to a position without emitting ``moved``."""
        self.position = max(0, min(self.end, position))
        with QSignalBlocker(self.slider):
            self.slider.setValue(int(np.searchsorted(self._stops, self.position)))
        self.back.setEnabled(self.position > 0)
        self.forward.setEnabled(self.position < self.end)
        self.play.setEnabled(self.end > 0)
        self._words.setText(self._says.position.format(self.position + 1, self.end + 1))

    def go_to(self, position: int) -> None:
        """Moves to a position and emits ``moved``."""
        before = self.position
        self.show_position(position)
        if self.position != before:
            self.moved.emit(self.position)

    def stop(self) -> None:
        self.play.setChecked(False)

    def _step_to(self, goal: Callable[[], int]) -> None:
        self.stop()
        self.go_to(goal())

    def _play(self, wanted: bool) -> None:
        tip = "Pause" if wanted else self._says.play
        self.play.set_icon_name("pause" if wanted else "play")
        self.play.setToolTip(tip)
        self.play.setAccessibleName(tip)
        if not wanted:
            self._timer.stop()
            return
        begin, end = (0, self.end) if self._way > 0 else (self.end, 0)
        if self.position == end:
            self.go_to(begin)
        self._timer.start()

    def _next_frame(self) -> None:
        stride = max(1, len(self._stops) // MOST_FRAMES)
        stop = int(np.searchsorted(self._stops, self.position)) + self._way * stride
        self.go_to(self._stops[max(0, min(len(self._stops) - 1, stop))])
        if self.position == (self.end if self._way > 0 else 0):
            self.stop()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.stop()


class SelectionBefore:
    """The user's selection, kept while the steps of a replay select records as ``source``."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._kept: tuple[Dataset, Mask, tuple[str, ...], bool] | None = None

    def keep(self, selection: Selection, data: Dataset) -> None:
        """Keeps the selection, unless a step made it."""
        if selection.sources != (self._source,):
            self._kept = data, selection.mask_of(data).copy(), selection.sources, selection.by_judgement

    def bring_back(self, selection: Selection) -> None:
        """Restores the selection, where a step made the last one."""
        kept, self._kept = self._kept, None
        if selection.sources != (self._source,):
            return
        if kept is None or not kept[1].any():
            selection.clear()
            return
        data, mask, sources, by_judgement = kept
        selection.select(data, mask, by=", ".join(sources), by_judgement=by_judgement)


class ReplayPanel(ClearWidget):
    """A side panel that computes something about a run's model in a job, once a run, and steps through it.

    ``subject_found(learner, trained)`` carries the tree that is shown, None for the run's own; ``node_looked_at`` the
    node of the step, and whether its split is still to be chosen. ``closed`` comes when the job is stopped or the user
    leaves.
    """

    subject_found = Signal(object, object)
    node_looked_at = Signal(int, bool)
    closed = Signal()

    def __init__(
        self, name: str, words: str, session: Session, playback: PlaybackControls, parent: QWidget | None = None
    ) -> None:
        """``words`` ends the object name of the label that describes the step."""
        super().__init__(parent)
        self.setObjectName(f"{name}.panel")
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # Tab leads on to what it holds
        self._session, self.playback = session, playback
        self._run: Run | None = None
        self._task = LatestTask(session.jobs)
        self._results: WeakKeyDictionary[Run, Any] = WeakKeyDictionary()
        self.result: Any = None
        """What the job found for the run in view."""
        self._words = named(WholeLabel(""), f"{name}.{words}")
        as_high_as_needed(self._words)

    def _column(self, title: QWidget, *buttons: QWidget) -> QVBoxLayout:
        heading = row_layout((title, 1), *buttons)
        inside = ClearWidget()
        scroll = UprightScrollArea(inside, self)
        column = column_layout(heading, inside=inside, spacing=SPACE_1, margins=(0, 0, SPACE_1, 0))
        scroll.setFrameShape(UprightScrollArea.Shape.NoFrame)
        scroll.viewport().setAutoFillBackground(False)
        column_layout(scroll, inside=self, margins=(SPACE_2, 0, 0, 0))
        return column

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes the panel."""
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def open_in(self, splitter: QSplitter, width: int) -> None:
        """Shows the panel at the right end of a splitter with one part, which gets the rest of the width."""
        if splitter.indexOf(self) < 0:
            splitter.addWidget(self)
        self.setVisible(True)
        splitter.setSizes([max(1, splitter.width() - width), width])

    @abstractmethod
    def _work(self, run: Run) -> tuple[str, str, Callable[[RunContext], Any]]:
        """The job of a run: its title, the message while it runs, and the function for a worker."""

    @abstractmethod
    def _clear(self) -> None:
        """Shows that there is no result yet."""

    @abstractmethod
    def _show_result(self, run: Run, result: Any) -> None:
        """Shows the result of a run's job."""

    def begin(self, run: Run) -> None:
        """Shows the recording of this run as soon as it is computed, without playing it."""
        self._run, self.result = run, self._results.get(run)
        if self.result is not None:
            self._show_result(run, self.result)
            return
        self._clear()
        self.playback.set_stops([0], 0)
        title, message, work = self._work(run)
        self._words.setText(message)
        self._task.run(title, work, self._on_done, self._on_failed, self.closed.emit, seed=run.seed)

    def end(self) -> None:
        self._run = self.result = None
        self.playback.stop()
        self._task.stop()

    def _on_done(self, result: Any) -> None:
        run = self._run
        if run is not None:
            self._results[run] = self.result = result
            self._show_result(run, result)

    def _on_failed(self, error: object) -> None:
        if isinstance(error, CoppiceError):
            self._words.setText(str(error))
        else:
            self._words.setText("The program made a mistake.")
            self._session.jobs.report_bug(error)


@dataclass(frozen=True)
class StepListLabels:
    """Texts of a :class:`StepListPanel`; ``source`` names what selects the records of a step."""

    title: str
    steps: str
    selects: str
    source: str


class StepListPanel(ReplayPanel):
    """A replay panel with a list of its steps, which can be exported and whose records can be selected."""

    def __init__(
        self,
        name: str,
        session: Session,
        controls: PlaybackLabels,
        labels: StepListLabels,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(name, "sentence", session, PlaybackControls(name, controls, STEP_MS), parent)
        self._labels = labels
        self._before = SelectionBefore(labels.source)
        self._title = named(label(labels.title, "heading", wrap=True), f"{name}.title")
        self.selects = named(switch("Select the records of the step"), f"{name}.select", tip=labels.selects)
        self.steps = named(QListWidget(), f"{name}.steps", labels.steps)
        self.steps.setMinimumHeight(themes.px(LIST_HEIGHT))
        self.playback.moved.connect(self._show)
        self.steps.currentRowChanged.connect(self._row_reached)
        self.selects.toggled.connect(self._select)

    @abstractmethod
    def _show(self, step: int) -> None:
        """Shows this step."""

    @abstractmethod
    def _select(self) -> None:
        """Selects the records of the step in view, if the check box is on."""

    @abstractmethod
    def _table(self) -> Table | None:
        """A writer of all steps; None without any."""

    def _clear(self) -> None:
        self._fill_list([])
        self._enable(False)
        self._title.setText(self._labels.title)

    def end(self) -> None:
        super().end()
        self._before.bring_back(self._session.selection)

    def _enable(self, enabled: bool) -> None:
        set_enabled(enabled, self.playback, self.selects, self.steps)

    def _show_titles(self, titles: list[str]) -> None:
        """Lists the steps by their titles, and goes back to the first one."""
        self._enable(True)
        self._fill_list(titles)
        self.playback.set_stops(range(len(titles)), 0)

    def _fill_list(self, titles: list[str]) -> None:
        with QSignalBlocker(self.steps):
            self.steps.clear()
            self.steps.addItems([f"{number}. {title}" for number, title in enumerate(titles, 1)])

    def _describe(self, step: int, n_steps: int, words: str) -> None:
        """Says which of the steps is in view, and what happens in it."""
        self._title.setText(f"Step {step + 1} of {n_steps}")
        self._words.setText(words)
        with QSignalBlocker(self.steps):
            self.steps.setCurrentRow(step)

    def _row_reached(self, row: int) -> None:
        if row >= 0:
            self.playback.stop()
            self.playback.go_to(row)

    def _select_rows(self, run: Run, rows: IntArray) -> None:
        self._before.keep(self._session.selection, run.data)
        self._session.selection.select(run.data, rows, SelectionMode.REPLACE, self._labels.source)

    def copy_steps(self) -> None:
        copy_table(self._table())

    def save_steps(self, path: str, neutral: bool = False) -> None:
        """Writes all steps as CSV in a job; ``neutral`` escapes cells that spreadsheets take for formulas."""
        table = self._table()
        if table is not None:
            title = f"Save {Path(path).name}"
            self._session.jobs.start(title, lambda context: write_table_text(path, table, context, neutral))

    def _add_export(self, menu: QMenu) -> None:
        menu.addAction("Copy steps", self.copy_steps)
        menu.addAction(
            "Save steps (CSV)...",
            lambda: ask_where_to_save_table(self, "Save steps", CSV, "steps.csv", self.save_steps),
        )


def labelled_records(run: Run, most: int, remedy: str = "") -> Dataset:
    """The records of a run with a known class; raises :class:`DataError` if they are more than ``most``."""
    data, this = run.data.labelled(), "this one has" if remedy else "this has"
    if len(data) > most:
        sentence = f"Step by step is for tables of up to {most:,} records, and {this} {len(data):,}."
        raise DataError(sentence, remedy=remedy)
    return data
