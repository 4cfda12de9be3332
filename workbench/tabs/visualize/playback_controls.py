"""Moving along a row of pictures: a slider, a step to either side, to the ends, and by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from workbench.style.theme import SPACE_1, themes
from workbench.widgets.buttons import IconButton
from workbench.widgets.fields import Slider

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
