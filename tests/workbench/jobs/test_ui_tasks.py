"""What follows from a change is done piece by piece, each piece in a turn of its own."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import delete

from workbench.jobs.ui_scheduling import UiTaskQueue


class Noting(QObject):
    """Notes what it was asked to do."""

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []

    def first(self) -> None:
        self.done.append("first")

    def second(self) -> None:
        self.done.append("second")


def test_each_piece_has_a_turn_of_its_own_and_what_waits_is_not_queued_twice(wait_until: Callable[..., None]) -> None:
    turns, noting, between = UiTaskQueue(), Noting(), QTimer()
    between.timeout.connect(lambda: noting.done.append("between") if noting.done == ["first"] else None)
    between.start(0)
    turns.later(noting.first, noting.second)
    turns.later(noting.first, noting.second)
    assert noting.done == []
    wait_until(lambda: "second" in noting.done)
    between.stop()
    assert noting.done == ["first", "between", "second"]


def test_what_was_done_meanwhile_is_forgotten(qapp: QApplication) -> None:
    turns, noting = UiTaskQueue(), Noting()
    turns.later(noting.first, noting.second)
    turns.forget(noting.first)
    turns.finish()
    assert noting.done == ["second"]


def test_what_is_gone_is_passed_over(wait_until: Callable[..., None]) -> None:
    turns, gone, here = UiTaskQueue(), Noting(), Noting()
    turns.later(gone.first, here.first)
    delete(gone)
    wait_until(lambda: here.done == ["first"])
    assert gone.done == []


def test_a_piece_may_ask_for_another(qapp: QApplication) -> None:
    turns, noting = UiTaskQueue(), Noting()
    turns.later(lambda: turns.later(noting.first))
    turns.finish()
    assert noting.done == ["first"]


def test_nothing_is_done_after_the_end(wait_until: Callable[..., None]) -> None:
    turns, noting = UiTaskQueue(), Noting()
    turns.later(noting.first)
    turns.clear()
    turns.later(noting.second)
    wait_until(lambda: noting.done == ["second"])


def test_what_is_asked_again_comes_after_what_was_asked_before(qapp: QApplication) -> None:
    turns, noting = UiTaskQueue(), Noting()
    turns.later(noting.first, noting.second)
    turns.later(noting.first)
    turns.finish()
    assert noting.done == ["second", "first"]


def test_what_comes_into_view_with_much_else_is_painted_in_a_turn_of_its_own(wait_until: Callable[..., None]) -> None:
    turns, noting, whole = UiTaskQueue(), Noting(), QWidget()
    at_once, later, last, gone = (QWidget(whole) for _ in range(4))
    turns.later(lambda: noting.done.append(f"{at_once.updatesEnabled()} {later.updatesEnabled()}"))
    turns.paint_later(later, gone)
    turns.later(lambda: noting.done.append(f"{later.updatesEnabled()} {last.updatesEnabled()}"))
    turns.paint_later(last)
    delete(gone)
    wait_until(lambda: last.updatesEnabled())
    assert noting.done == ["True False", "True False"]


def test_a_page_that_is_changed_is_painted_only_after_what_follows(qapp: QApplication) -> None:
    turns, page, painting = UiTaskQueue(), QWidget(), list[bool]()
    turns.paint_once(page, lambda: painting.append(page.updatesEnabled()))
    turns.finish()
    assert painting == [False] and page.updatesEnabled()
