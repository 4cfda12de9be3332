"""Waiting in tests: for a condition, never for a time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from algorithms.core.errors import Cancelled
from algorithms.core.run_control import CANCEL, DONE, TOTAL, RunContext

PATIENCE = 30.0


def wait_until(condition: Callable[[], object], seconds: float = PATIENCE) -> bool:
    """Whether the condition came true before so many seconds had passed; it is looked at every millisecond."""
    deadline, never = time.monotonic() + seconds, threading.Event()
    while not condition():
        if time.monotonic() > deadline:
            return False
        never.wait(0.001)
    return True


def stopped_under_way(work: Callable[[RunContext], Any], word: int, n_records: int, patience: float = 1.0) -> Any:
    """What comes of ``work`` when it is stopped by ``word`` once some of its ``n_records`` are done: "cancelled" after
    a cancel. It must end within ``patience`` seconds of the stop."""
    context, ended = RunContext(), list[Any]()

    def end() -> None:
        try:
            ended.append(work(context))
        except Cancelled:
            ended.append("cancelled")

    thread = threading.Thread(target=end)
    thread.start()
    assert wait_until(lambda: context.control[DONE] > 0 or not thread.is_alive())
    assert not ended
    assert context.control[TOTAL] == n_records
    (context.cancel if word == CANCEL else context.finish)()
    thread.join(patience)
    assert not thread.is_alive()
    return ended[0]
