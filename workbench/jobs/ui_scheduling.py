"""Work in the window's thread: one task a turn of the event loop, one update a frame, and widgets made in pieces."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from functools import partial
from typing import Final, Generic, Self, TypeVar

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


class MadeInPieces:
    """Mixin of a widget that is made at once, or in pieces by the one who holds it, each in a turn of its own.

    The constructor makes the outermost widget and gives :meth:`_make_by` a generator that makes the rest. It yields
    True after each slow piece, and connects signals of others after the last one: they may come between two pieces.
    """

    is_complete = False

    def _make_by(self, making: Iterator[bool], in_pieces: bool) -> None:
        self._making = making
        if not in_pieces:
            self.complete()

    def complete(self) -> None:
        """Make the rest now."""
        while not self.is_complete:
            self._make_some()

    def pieces(self) -> Iterator[Act]:
        """Make the rest, a piece a step."""
        while not self.is_complete:
            yield self._make_some

    def rest(self) -> Generator[bool, None, Self]:
        """Make the rest within the generator of the widget that holds this one; returns this one."""
        for make in self.pieces():
            make()
            yield True
        return self

    def _make_some(self) -> None:
        self.is_complete = not next(self._making, False)


AnyPart = TypeVar("AnyPart", bound=MadeInPieces)


class MadeAhead(Generic[AnyPart]):
    """A part of a page that is made when it is first needed, or in pieces before.

    ``begin`` makes its outermost widget, hidden, and ``use`` is called once with the complete part.
    """

    def __init__(self, begin: Callable[[], AnyPart], use: Callable[[AnyPart], object] = lambda _part: None) -> None:
        self._begin, self._use = begin, use
        self._part: AnyPart | None = None
        self.is_made = False

    def make(self) -> AnyPart:
        """The part, made now unless it was before."""
        part = self._begun()
        if not self.is_made:
            self.is_made = True
            part.complete()
            self._use(part)
        return part

    def steps(self) -> Iterator[Act]:
        """Steps that make the part."""
        yield self._begun
        yield from self._begun().pieces()
        yield self.make

    def _begun(self) -> AnyPart:
        if self._part is None:
            self._part = self._begin()
        return self._part
