"""Work on a pool of threads, watched by the main thread: its progress, and Ctrl-C."""

from __future__ import annotations

import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from concurrent.futures import wait as wait_for
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from algorithms.core.context import RunContext

T = TypeVar("T")


def watched(
    work: Callable[[RunContext], T],
    seed: int,
    threads: int | None,
    listener: Callable[[object], None] | None = None,
    *,
    may_finish: bool = False,
) -> T:
    """Do the work on a pool of threads, with its progress on a terminal; the main thread stays free for Ctrl-C.

    Work that ``may_finish`` is finished early at the first Ctrl-C and stopped at the second, however soon that comes.
    """
    from algorithms.core.context import RunContext
    from algorithms.core.executor import thread_pool

    with thread_pool(threads) as pool, _presses() as pressed:
        context = RunContext(seed=seed, executor=pool, listener=listener)
        future: Future[T] = pool.submit(work, context)
        try:
            while not future.done():
                try:
                    wait_for([future], timeout=0.2)
                    _show_progress(context)
                except KeyboardInterrupt:
                    if not may_finish or context.finishing or pressed() > 1:
                        raise
                    context.finish()
                    _clear_line()
                    print("Finishing with what there is. Ctrl-C again stops.", file=sys.stderr)
            return future.result()
        except KeyboardInterrupt:
            context.cancel()
            raise
        finally:
            _clear_line()


@contextmanager
def _presses() -> Iterator[Callable[[], int]]:
    """How many Ctrl-C there were since it was asked last: two that come while the main thread is kept from running
    interrupt it once only. In other threads, which no Ctrl-C interrupts, always none."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: 0
        return
    heard, told = socket.socketpair()
    with heard, told:
        heard.setblocking(False)
        told.setblocking(False)
        before = signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)

        def pressed() -> int:
            try:
                return heard.recv(4096).count(bytes([signal.SIGINT]))
            except BlockingIOError:
                return 0

        try:
            yield pressed
        finally:
            signal.set_wakeup_fd(before)


def _show_progress(context: RunContext) -> None:
    if sys.stderr.isatty():
        share = context.progress()
        percent = "" if share is None else f"{100 * share:3.0f}% "
        sys.stderr.write(f"\r\x1b[K{percent}{context.message}")
        sys.stderr.flush()


def _clear_line() -> None:
    if sys.stderr.isatty():
        sys.stderr.write("\r\x1b[K")
        sys.stderr.flush()
