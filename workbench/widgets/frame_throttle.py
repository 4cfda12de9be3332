"""Following what changes many times a frame, as under a dragged slider: at once, and then once a frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import QObject, QTimer

FRAME_MS: Final = 16


class FrameThrottle(QObject):
    """Calls ``act`` at the first wish, and for those that come within a frame of it once, at the end of the frame.

    What is wished for is not passed on: ``act`` shows what holds when it is called. So a slider and all that says where
    it stands move at once, and only what takes long comes after.
    """

    def __init__(self, act: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._act = act
        self._is_wished = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(FRAME_MS)
        self._timer.timeout.connect(self._go_on)

    @property
    def is_busy(self) -> bool:
        """Whether something waits for the end of the frame."""
        return self._is_wished

    def wish(self) -> None:
        """Do it, now or soon."""
        self._is_wished = True
        if not self._timer.isActive():
            self._go_on()

    def finish(self) -> None:
        """Do what waits now."""
        self._timer.stop()
        self._go_on()

    def forget(self) -> None:
        """Do not do what waits: it was done, or something else holds."""
        self._is_wished = False

    def _go_on(self) -> None:
        if self._is_wished:
            self._is_wished = False
            self._timer.start()  # first: what is done may wish in turn
            self._act()
