"""Applies a new style sheet: visible widgets first, the rest in batches or when shown.

Qt restyles every widget whenever the style sheet of the application changes. Most are hidden in tabs and panels, and
restyling them all would block the window for half a second.
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
"""Pause between two slices, for keys and clicks."""

_POLISHED: Final = Qt.WidgetAttribute.WA_WState_Polished
_OWN_STYLE: Final = Qt.WidgetAttribute.WA_SetStyle


class StyleUpdater(QObject):
    """Knows which widgets still have the old sheet, and calls their followers once they have the new one."""

    def __init__(self) -> None:
        super().__init__()
        self._followers: WeakKeyDictionary[QWidget, list[WeakMethod[Act]]] = WeakKeyDictionary()
        self._waiting: dict[QWidget, bool] = {}
        self._timer: QTimer | None = None

    @property
    def is_busy(self) -> bool:
        """Whether any widget still has the old sheet."""
        return bool(self._waiting)

    def follow(self, act: Act) -> None:
        """Call this method of a widget whenever the widget is restyled."""
        widget = getattr(act, "__self__", None)
        if not isinstance(widget, QWidget):
            raise TypeError(f"{act} is no method of a widget")
        self._followers.setdefault(widget, []).append(WeakMethod(act))

    def apply(self, app: QApplication, sheet: str) -> None:
        """Apply the sheet to visible widgets now, to the others later."""
        widgets = [widget for widget in _in_order(app) if isValid(widget)]
        seen = [widget for widget in widgets if widget.isVisible()]
        hidden = [widget for widget in widgets if not widget.isVisible()]
        late = {widget: True for widget in hidden if widget.testAttribute(_POLISHED) or self._waiting.get(widget)}
        for widget in late:
            widget.setAttribute(_POLISHED, False)  # Qt skips it until this is set again
        spared = _exclude(widgets)
        app.setStyleSheet("")  # from one sheet to another Qt would restyle each widget once for every ancestor
        _include(spared.intersection(seen))
        app.setStyleSheet(sheet)
        _include(spared.difference(seen))
        self._wait_with(late, hidden)
        for widget in seen:
            self._notify(widget)

    def _wait_with(self, late: dict[QWidget, bool], hidden: Iterable[QWidget]) -> None:
        for widget in self._waiting:
            if isValid(widget):
                widget.removeEventFilter(self)
        self._waiting = {widget: widget in late for widget in hidden if widget in late or widget in self._followers}
        for widget in self._waiting:
            widget.installEventFilter(self)
        self._go_on()

    def _go_on(self) -> None:
        if self._timer is None:  # no application exists when the module is imported
            self._timer = QTimer(self)
            self._timer.setSingleShot(True)
            self._timer.setInterval(PAUSE_MS)
            self._timer.timeout.connect(self._some)
        if self._waiting:
            self._timer.start()

    def _some(self) -> None:
        until = time.perf_counter() + SLICE_SECONDS
        while self._waiting and time.perf_counter() < until:
            self._restyle(next(iter(self._waiting)))
        self._go_on()

    def _restyle(self, widget: QWidget) -> None:
        is_late = self._waiting.pop(widget)
        if not isValid(widget):
            return
        widget.removeEventFilter(self)
        if is_late:
            widget.style().polish(widget)
            widget.setAttribute(_POLISHED, True)
            QApplication.sendEvent(widget, QEvent(QEvent.Type.StyleChange))
        self._notify(widget)

    def _notify(self, widget: QWidget) -> None:
        for follower in self._followers.get(widget, ()):
            act = follower()
            if act is not None and isValid(widget):
                act()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Restyle a widget before it is painted for the first time."""
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched in self._waiting:
            self._restyle(watched)
        return False


def _in_order(app: QApplication) -> dict[QWidget, None]:
    widgets: dict[QWidget, None] = {}
    for top in app.topLevelWidgets():
        widgets[top] = None
        widgets.update(dict.fromkeys(top.findChildren(QWidget)))
    return widgets


def _exclude(widgets: Iterable[QWidget]) -> set[QWidget]:
    """Keep Qt from notifying these widgets of a new style, as if they had their own; returns the changed ones."""
    spared = {widget for widget in widgets if not widget.testAttribute(_OWN_STYLE)}
    for widget in spared:
        widget.setAttribute(_OWN_STYLE, True)
    return spared


def _include(widgets: Iterable[QWidget]) -> None:
    for widget in widgets:
        widget.setAttribute(_OWN_STYLE, False)
