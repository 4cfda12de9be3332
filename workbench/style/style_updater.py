"""Dressing the application anew: what is seen at once, the rest a few widgets a turn, or when it shows itself.

Qt dresses every widget there is whenever the style sheet of the application changes. Most of them stand in tabs and
panels that nobody sees, and to dress them all would hold the window for half a second.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Final
from weakref import WeakKeyDictionary, WeakMethod

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

Act = Callable[[], object]

SLICE_SECONDS: Final = 0.008
PAUSE_MS: Final = 4
"""Between two slices, so that keys and clicks come through."""

_POLISHED: Final = Qt.WidgetAttribute.WA_WState_Polished
_OWN_STYLE: Final = Qt.WidgetAttribute.WA_SetStyle


class StyleUpdater(QObject):
    """Knows which widgets wear the old sheet still, and what each does besides when it is dressed."""

    def __init__(self) -> None:
        super().__init__()
        self._followers: WeakKeyDictionary[QWidget, list[WeakMethod[Act]]] = WeakKeyDictionary()
        self._waiting: dict[QWidget, bool] = {}
        self._timer: QTimer | None = None

    @property
    def is_busy(self) -> bool:
        """Whether any widget wears the old sheet still."""
        return bool(self._waiting)

    def follow(self, act: Act) -> None:
        """Call this method of a widget whenever the widget is dressed anew."""
        widget = getattr(act, "__self__", None)
        if not isinstance(widget, QWidget):
            raise TypeError(f"{act} is no method of a widget")
        self._followers.setdefault(widget, []).append(WeakMethod(act))

    def dress(self, app: QApplication, sheet: str) -> None:
        """Put the sheet on: what is seen wears it now."""
        widgets = [widget for widget in _in_order(app) if isValid(widget)]
        seen = [widget for widget in widgets if widget.isVisible()]
        hidden = [widget for widget in widgets if not widget.isVisible()]
        late = {widget: True for widget in hidden if widget.testAttribute(_POLISHED) or self._waiting.get(widget)}
        for widget in late:
            widget.setAttribute(_POLISHED, False)  # Qt passes over it until this says otherwise
        spared = _without_word(widgets)
        app.setStyleSheet("")  # where one sheet follows another, Qt dresses each widget once for every ancestor
        _with_word(spared.intersection(seen))
        app.setStyleSheet(sheet)
        _with_word(spared.difference(seen))
        self._wait_with(late, hidden)
        for widget in seen:
            self._tell(widget)

    def _wait_with(self, late: dict[QWidget, bool], hidden: Iterable[QWidget]) -> None:
        for widget in self._waiting:
            if isValid(widget):
                widget.removeEventFilter(self)
        self._waiting = {widget: widget in late for widget in hidden if widget in late or widget in self._followers}
        for widget in self._waiting:
            widget.installEventFilter(self)
        self._go_on()

    def _go_on(self) -> None:
        if self._timer is None:
            self._timer = QTimer(self)
            self._timer.setSingleShot(True)
            self._timer.setInterval(PAUSE_MS)
            self._timer.timeout.connect(self._some)
        if self._waiting:
            self._timer.start()

    def _some(self) -> None:
        until = time.perf_counter() + SLICE_SECONDS
        while self._waiting and time.perf_counter() < until:
            self._dress_late(next(iter(self._waiting)))
        self._go_on()

    def _dress_late(self, widget: QWidget) -> None:
        is_late = self._waiting.pop(widget)
        if not isValid(widget):
            return
        widget.removeEventFilter(self)
        if is_late:
            widget.style().polish(widget)
            widget.setAttribute(_POLISHED, True)
            QApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
        self._tell(widget)

    def _tell(self, widget: QWidget) -> None:
        for follower in self._followers.get(widget, ()):
            act = follower()
            if act is not None and isValid(widget):
                act()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Dress what shows itself, before it is painted."""
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched in self._waiting:
            self._dress_late(watched)
        return False


def _in_order(app: QApplication) -> dict[QWidget, None]:
    """Every widget, parents before what is in them."""
    found: dict[QWidget, None] = {}
    for top in app.topLevelWidgets():
        found[top] = None
        found.update(dict.fromkeys(top.findChildren(QWidget)))
    return found


def _without_word(widgets: Iterable[QWidget]) -> set[QWidget]:
    """Let Qt say nothing to them of a new style, as it does to those that have one of their own; returns which."""
    spared = {widget for widget in widgets if not widget.testAttribute(_OWN_STYLE)}
    for widget in spared:
        widget.setAttribute(_OWN_STYLE, True)
    return spared


def _with_word(widgets: Iterable[QWidget]) -> None:
    for widget in widgets:
        widget.setAttribute(_OWN_STYLE, False)
