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
    """Calls ``act`` at the first wish, and for those that come within a frame of it once, at the end of the frame.

    What is wished for is not passed on: ``act`` shows what holds when it is called. So a slider and all that says where
    it stands move at once, and only what takes long comes after.
    """

    def __init__(self, act: Callable[[], object], parent: QObject) -> None:
        super().__init__(parent)
        self._act = act
        self._is_wished = False
        self._timer = single_shot(self, FRAME_MS, self._go_on)

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


Act = Callable[[], object]

PAUSE_MS: Final = 1


class UiTaskQueue(QObject):
    """A queue of things to do in the window's thread, each in a turn of its own, in the order in which they came.

    What waits already goes to the end: a view that hears of three changes at once is brought up to date once, after
    the last of them, and its parts in their order.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._waiting: list[Act] = []
        self._timer = single_shot(self, PAUSE_MS, self._next)

    @property
    def is_busy(self) -> bool:
        """Whether anything waits."""
        return bool(self._waiting)

    def later(self, *acts: Act) -> None:
        """Do these, each in a turn of its own; bound methods of widgets that are gone by then are passed over."""
        self._waiting = [act for act in self._waiting if act not in acts]
        self._waiting.extend(acts)
        if self._waiting and not self._timer.isActive():
            self._timer.start()

    def paint_later(self, *widgets: QWidget) -> None:
        """What comes into view with much else is painted in turns of its own: no turn paints a whole tab."""
        for widget in widgets:
            widget.setUpdatesEnabled(False)
        self.later(*(partial(_paint, widget) for widget in widgets))

    def forget(self, *acts: Act) -> None:
        """Do not do these any more: somebody did."""
        self._waiting = [act for act in self._waiting if act not in acts]

    def finish(self) -> None:
        """Do all that waits now, and what it asks for in turn."""
        while self._waiting:
            self._next()

    def clear(self) -> None:
        """Do nothing more."""
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
