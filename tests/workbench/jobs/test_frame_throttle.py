"""What changes many times a frame is followed at once, and then once a frame, by what holds then."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from tests.workbench.window_helpers import Wait
from workbench.jobs.ui_scheduling import FrameThrottle


class Shown(QObject):
    """Shows what holds."""

    def __init__(self) -> None:
        super().__init__()
        self.holds = 0
        self.seen: list[int] = []
        self.latest = FrameThrottle(self.show, self)

    def show(self) -> None:
        self.seen.append(self.holds)

    def set(self, value: int) -> None:
        self.holds = value
        self.latest.wish()


def test_of_many_changes_the_first_and_the_last_are_shown(qapp: QApplication, wait_until: Wait) -> None:
    shown = Shown()
    for value in range(100):
        shown.set(value)
    assert shown.seen == [0] and shown.latest.is_busy
    wait_until(lambda: not shown.latest.is_busy, 5)
    assert shown.seen == [0, 99]


def test_a_change_by_itself_is_shown_at_once(qapp: QApplication, wait_until: Wait) -> None:
    shown = Shown()
    shown.set(1)
    assert shown.seen == [1] and not shown.latest.is_busy
    wait_until(lambda: not shown.latest._timer.isActive(), 5)
    shown.set(2)
    assert shown.seen == [1, 2]


def test_what_waits_is_done_or_forgotten_on_demand(qapp: QApplication, wait_until: Wait) -> None:
    shown = Shown()
    shown.set(1)
    shown.set(2)
    shown.latest.forget()
    shown.latest.finish()
    assert shown.seen == [1]
    shown.set(3)
    shown.latest.finish()
    wait_until(lambda: not shown.latest._timer.isActive(), 5)
    assert shown.seen == [1, 3]


def test_a_change_that_showing_brings_about_is_shown_next(qapp: QApplication, wait_until: Wait) -> None:
    class Growing(Shown):
        def show(self) -> None:
            super().show()
            if self.holds < 3:
                self.set(self.holds + 1)

    growing = Growing()
    growing.set(1)
    assert growing.seen == [1]
    wait_until(lambda: growing.seen == [1, 2, 3], 5)
