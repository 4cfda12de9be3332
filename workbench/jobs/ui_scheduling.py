"""Work in the window's thread: one task a turn of the event loop, and at most one update a frame."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

FRAME_MS: Final = 16


def single_shot(parent: QObject, ms: int, slot: Callable[[], object]) -> QTimer:
    """A timer that calls ``slot`` once, ``ms`` milliseconds after its last start."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(ms)
    timer.timeout.connect(slot)
    return timer


class FrameThrottle(QObject):
    """Calls ``act`` at the first request, and once at the end of the frame for all requests within it.

    ``act`` takes no arguments and shows the present state. So a slider and its labels move at once, and slow updates
    follow at most once a frame.
    """

    def __init__(self, act: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._act = act
        self._is_wished = False
        self._timer = single_shot(self, FRAME_MS, self._go_on)

    @property
    def is_busy(self) -> bool:
        """Whether a request waits for the end of the frame."""
        return self._is_wished

    def wish(self) -> None:
        """Request a call, now or at the end of the frame."""
        self._is_wished = True
        if not self._timer.isActive():
            self._go_on()

    def finish(self) -> None:
        """Call at once if a request waits."""
        self._timer.stop()
        self._go_on()

    def forget(self) -> None:
        self._is_wished = False

    def _go_on(self) -> None:
        if self._is_wished:
            self._is_wished = False
            self._timer.start()  # first: the call may make a request itself
            self._act()


Act = Callable[[], object]

PAUSE_MS: Final = 1


class UiTaskQueue(QObject):
    """Tasks for the window's thread, one a turn of the event loop; one that waits already moves to the end."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: list[Act] = []
        self._timer = single_shot(self, PAUSE_MS, self._next)

    @property
    def is_busy(self) -> bool:
        return bool(self._waiting)

    def later(self, *acts: Act) -> None:
        """Run these tasks, each in its own turn; methods of deleted widgets are skipped."""
        self._waiting = [act for act in self._waiting if act not in acts]
        self._waiting.extend(acts)
        if self._waiting and not self._timer.isActive():
            self._timer.start()

    def paint_later(self, *widgets: QWidget) -> None:
        """Paint each widget in its own turn, so that no turn paints a whole tab."""
        for widget in widgets:
            widget.setUpdatesEnabled(False)
        self.later(*(partial(_paint, widget) for widget in widgets))

    def paint_once(self, widget: QWidget, change: Act) -> None:
        """Change a page, and paint it only after the layouts and updates that follow, else it is painted twice."""
        widget.setUpdatesEnabled(False)
        self.later(partial(_paint, widget))
        change()

    def forget(self, *acts: Act) -> None:
        self._waiting = [act for act in self._waiting if act not in acts]

    def finish(self) -> None:
        """Run all tasks now, including those they add."""
        while self._waiting:
            self._next()

    def clear(self) -> None:
        self._timer.stop()
        self._waiting.clear()

    def _next(self) -> None:
        if not self._waiting:
            return
        act = self._waiting.pop(0)
        if self._waiting:
            self._timer.start()
        owner = getattr(act, "__self__", None)
        if not isinstance(owner, QObject) or isValid(owner):
            act()


def _paint(widget: QWidget) -> None:
    if isValid(widget):
        widget.setUpdatesEnabled(True)
