"""Runs work in a thread pool while the main thread shows its progress and handles Ctrl-C."""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Final, TypeVar

from algorithms.cli.output import clear_progress, print_note

if TYPE_CHECKING:
    from algorithms.core.run_control import RunContext

T = TypeVar("T")
STOPPED: Final = 130
"""Exit code after Ctrl-C, also if the partial result is printed."""
LEAST_SECONDS: Final = 2.0
LEAST_SHARE: Final = 0.05
"""No remaining time is shown before this time has passed and this share is done."""
MINUTE: Final = 60
HOUR: Final = 3600


def watched(
    work: Callable[[RunContext], T],
    seed: int,
    threads: int | None,
    listener: Callable[[object], None] | None = None,
    *,
    may_finish: bool | Callable[[], bool] = False,
    about: Callable[[], str] = lambda: "",
) -> T:
    """Run the work in a thread pool and show its progress; the main thread stays free for Ctrl-C.

    If ``may_finish`` is or returns True, the first Ctrl-C finishes the work early and the second stops it. The work
    reads that from ``context.finishing``. ``about`` names the current item before the progress.
    """
    from algorithms.core.run_control import RunContext, thread_pool

    with thread_pool(threads) as pool, _interrupt_counter() as pressed:
        context = RunContext(seed=seed, executor=pool, listener=listener)
        future: Future[T] = pool.submit(work, context)
        pace = Pace()
        try:
            while not future.done():
                try:
                    wait_for([future], timeout=0.2)
                    _show_progress(context, pace, about())
                except KeyboardInterrupt:
                    keeps = may_finish() if callable(may_finish) else may_finish
                    if not keeps or context.finishing or pressed() > 1:
                        raise
                    context.finish()
                    print_note("Finishing with what there is. Ctrl-C again stops.")
            return future.result()
        except KeyboardInterrupt:
            context.cancel()
            raise
        finally:
            clear_progress()


@contextmanager
def _interrupt_counter() -> Iterator[Callable[[], int]]:
    """A function that returns the number of Ctrl-C since its last call; always 0 outside the main thread.

    Two presses while the main thread is blocked raise only one ``KeyboardInterrupt``, so they are counted apart.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: 0
        return
    heard, ended = socket.socketpair()
    with heard, ended:
        heard.setblocking(False)
        ended.setblocking(False)
        before = signal.set_wakeup_fd(ended.fileno(), warn_on_full_buffer=False)

        def pressed() -> int:
            try:
                return heard.recv(4096).count(bytes([signal.SIGINT]))
            except BlockingIOError:
                return 0

        try:
            yield pressed
        finally:
            signal.set_wakeup_fd(before)


class Pace:
    """Estimates the remaining time from the pace since the first progress."""

    def __init__(self) -> None:
        self._begin: tuple[float, float] | None = None
        """Last time at which the share done was known to be at most the second number."""

    def left(self, share: float, now: float) -> float | None:
        """Remaining seconds when ``share`` (0 to 1) is done; None while too little is done for an estimate."""
        if self._begin is None or share <= self._begin[1]:
            self._begin = (now, share) if self._begin is None or share < self._begin[1] or share == 0 else self._begin
            return None
        begin, before = self._begin
        if now - begin < LEAST_SECONDS or share - before < LEAST_SHARE or share >= 1:
            return None
        return (now - begin) * (1 - share) / (share - before)


def _show_progress(context: RunContext, pace: Pace, about: str) -> None:
    if sys.stderr.isatty():
        share = None if context.is_waiting else context.progress()
        words = ", ".join(filter(None, (about, context.message)))
        left = None if share is None else pace.left(share, perf_counter())
        sys.stderr.write(f"\r\x1b[K{progress_words(share, words, left)}")
        sys.stderr.flush()


def progress_words(share: float | None, message: str, seconds_left: float | None) -> str:
    """The progress line, as in " 40% 4 of 10 folds judged, about 12 s left"; None as ``share`` is unknown."""
    if share is None:
        return message
    left = "" if seconds_left is None else f"about {duration_words(seconds_left)} left"
    return f"{100 * share:3.0f}% {', '.join(filter(None, (message, left)))}".rstrip()


def duration_words(seconds: float) -> str:
    """A duration, as in "12 s", "1 min 20 s" or "2 h 5 min"."""
    whole = max(1, round(seconds))
    if whole < MINUTE:
        return f"{whole} s"
    if whole < HOUR:
        return f"{whole // MINUTE} min {whole % MINUTE} s"
    return f"{whole // HOUR} h {whole % HOUR // MINUTE} min"
