"""Work on a stream of items on several threads, results in order, with only a few items under way at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, wait
from contextlib import contextmanager
from typing import TypeVar

from algorithms.core.executor import thread_pool, usable_cores

T = TypeVar("T")
R = TypeVar("R")


def in_order(
    executor: Executor | None, work: Callable[[T], R], items: Iterable[T], checkpoint: Callable[[], None]
) -> Iterator[R]:
    """``work(item)`` for each item, in the order of the items, at most a few ahead of the one that is asked for.

    Whoever waits works: an item that no thread has begun is done by the caller. ``checkpoint`` is called every few
    milliseconds and may raise; then, and when the caller gives up, nothing is left running.
    """
    if executor is None:
        for item in items:
            checkpoint()
            yield work(item)
        return
    pending: deque[tuple[T, Future[R]]] = deque()
    try:
        for item in items:
            checkpoint()
            pending.append((item, executor.submit(work, item)))
            if len(pending) > usable_cores() + 1:
                yield _result(work, *pending.popleft(), checkpoint)
        while pending:
            yield _result(work, *pending.popleft(), checkpoint)
    finally:
        for _, future in pending:
            future.cancel()
        wait([future for _, future in pending if not future.cancelled()])


def _result(work: Callable[[T], R], item: T, future: Future[R], checkpoint: Callable[[], None]) -> R:
    if future.cancel():
        return work(item)
    while not wait([future], timeout=0.02).done:
        checkpoint()
    return future.result()


@contextmanager
def helpers(executor: Executor | None, wanted: bool) -> Iterator[Executor | None]:
    """The executor that is given, or threads of one's own for the time being where they are wanted."""
    if executor is not None or not wanted or usable_cores() == 1:
        yield executor if wanted else None
        return
    with thread_pool() as pool:
        yield pool
