"""Garbage of a process with a window is collected in the window's thread, and nowhere else."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from workbench.jobs import jobs
from workbench.jobs.jobs import GarbageCollector

Wait = Callable[[Callable[[], object]], None]


class Knot:
    """Garbage that only a collection finds; notes the thread that found it."""

    def __init__(self, found: list[int]) -> None:
        self.found = found
        self.itself = self

    def __del__(self) -> None:
        self.found.append(threading.get_ident())


@pytest.fixture
def collector(qapp: QApplication) -> Iterator[GarbageCollector]:
    was_enabled = gc.isenabled()
    owner = QObject()
    yield GarbageCollector(owner)
    owner.deleteLater()
    if was_enabled:
        gc.enable()


def many() -> list[list[int]]:
    return [[] for _ in range(2 * jobs.GARBAGE_YOUNG)]


def test_garbage_that_a_worker_leaves_is_taken_down_in_the_thread_of_the_window(
    collector: GarbageCollector, wait_until: Wait
) -> None:
    collector.begin()
    found: list[int] = []
    kept: list[list[list[int]]] = []

    def work() -> None:
        for _ in range(20):
            Knot(found)
            kept.append(many())

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()
    assert not found  # the worker made far more than what sets an automatic collection off
    wait_until(lambda: len(found) == 20)
    assert set(found) == {threading.get_ident()}


def test_a_timer_in_a_knot_survives_a_busy_worker(collector: GarbageCollector, wait_until: Wait) -> None:
    collector.begin()

    class Holder(QObject):
        def __init__(self) -> None:
            super().__init__()
            self.itself = self
            self.timer = QTimer(self)
            self.timer.start(100_000)

    gone = weakref.ref(Holder())
    kept: list[object] = []
    worker = threading.Thread(target=lambda: kept.extend(many() for _ in range(20)))
    worker.start()
    worker.join()
    wait_until(lambda: gone() is None)


def test_old_garbage_is_found_too_but_not_all_the_time(
    collector: GarbageCollector, monkeypatch: pytest.MonkeyPatch
) -> None:
    collector.begin()
    asked: list[int] = []
    collect = gc.collect

    def noted(generation: int = 2) -> int:
        asked.append(generation)
        return collect(generation)

    monkeypatch.setattr(gc, "collect", noted)
    monkeypatch.setattr(gc, "get_count", lambda: (jobs.GARBAGE_YOUNG, 0, 0))
    clock = [100.0]
    monkeypatch.setattr(jobs.time, "monotonic", lambda: clock[0])
    looks = (jobs.GARBAGE_MIDDLE + 1) ** 2
    for _ in range(looks):
        collector.look()
    assert asked.count(1) == jobs.GARBAGE_MIDDLE
    assert asked.count(2) == 1
    collector._not_before = 200.0
    for _ in range(2 * looks):
        collector.look()
    assert asked.count(2) == 1
    clock[0] = 200.0
    for _ in range(looks):
        collector.look()
    assert asked.count(2) == 2


def test_little_garbage_is_left_alone(collector: GarbageCollector, monkeypatch: pytest.MonkeyPatch) -> None:
    collector.begin()
    monkeypatch.setattr(gc, "get_count", lambda: (jobs.GARBAGE_YOUNG - 1, 50, 50))
    monkeypatch.setattr(gc, "collect", lambda *_: pytest.fail("a collection for nothing"))
    collector.look()
