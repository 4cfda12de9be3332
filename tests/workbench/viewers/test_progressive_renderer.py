"""Pictures made in parts: coarse before fine, and the latest wish counts."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from tests.workbench.window_helpers import Wait
from workbench.jobs.jobs import Jobs
from workbench.viewers.scatter.rendering import COARSE_DONE, Checkpoint, ProgressiveRenderer


class Held:
    """Parts that wait for a sign before the fine ones are made, or before the coarse ones."""

    def __init__(self, name: str, *, before_coarse: bool = False) -> None:
        self.name, self.before_coarse = name, before_coarse
        self.go_on = threading.Event()

    def __call__(self, checkpoint: Checkpoint) -> Iterator[object]:
        if self.before_coarse:
            self.go_on.wait(20)
        yield f"{self.name} coarse"
        yield COARSE_DONE
        if not self.before_coarse:
            self.go_on.wait(20)
        checkpoint()
        yield f"{self.name} fine"


def watched(jobs: Jobs | None) -> tuple[ProgressiveRenderer, list[object]]:
    refiner, seen = ProgressiveRenderer(jobs), []
    refiner.rendered.connect(seen.append)
    return refiner, seen


def test_parts_come_in_their_order_and_then_the_end(jobs: Jobs, wait_until: Wait) -> None:
    refiner, seen = watched(jobs)
    first = Held("first")
    refiner.want(first)
    wait_until(lambda: seen == ["first coarse"])
    assert refiner.is_busy
    first.go_on.set()
    wait_until(lambda: seen == ["first coarse", "first fine", None])
    assert not refiner.is_busy


def test_a_newer_wish_replaces_an_older_one_that_was_seen_coarsely(jobs: Jobs, wait_until: Wait) -> None:
    refiner, seen = watched(jobs)
    first, second = Held("first"), Held("second")
    second.go_on.set()
    refiner.want(first)
    wait_until(lambda: seen == ["first coarse"])
    refiner.want(second)
    first.go_on.set()
    wait_until(lambda: seen[-1] is None)
    assert seen == ["first coarse", "second coarse", "second fine", None]


def test_something_is_seen_of_a_wish_however_fast_newer_ones_come(jobs: Jobs, wait_until: Wait) -> None:
    refiner, seen = watched(jobs)
    first, middle, last = Held("first", before_coarse=True), Held("middle"), Held("last")
    last.go_on.set()
    refiner.want(first)
    refiner.want(middle)
    refiner.want(last)
    first.go_on.set()
    wait_until(lambda: seen and seen[-1] is None)
    assert seen[0] == "first coarse" and seen[-3:] == ["last coarse", "last fine", None]
    assert not any("middle" in str(part) for part in seen)
    middle.go_on.set()


def test_what_is_dropped_is_never_heard_of(jobs: Jobs, wait_until: Wait) -> None:
    refiner, seen = watched(jobs)
    first = Held("first")
    refiner.want(first)
    wait_until(lambda: seen == ["first coarse"])
    refiner.drop()
    first.go_on.set()
    wait_until(lambda: not jobs.running)
    assert seen == ["first coarse"] and not refiner.is_busy


def test_without_jobs_everything_is_made_at_once() -> None:
    refiner, seen = watched(None)
    first = Held("first")
    first.go_on.set()
    refiner.want(first)
    assert seen == ["first coarse", "first fine"]


def test_a_picture_made_at_once_ends_without_an_announcement(jobs: Jobs) -> None:
    refiner, seen = watched(jobs)
    at_once = Held("small")
    at_once.go_on.set()
    refiner.want(at_once, at_once=True)
    assert seen == ["small coarse", "small fine"]
