"""A part of a run that may last so long and no longer."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from algorithms.core.context import RunContext


class TimeLimit:
    """Whether the time of a part is over: then its context was cancelled."""

    def __init__(self) -> None:
        self._over = threading.Event()

    @property
    def is_over(self) -> bool:
        return self._over.is_set()

    def reach(self, context: RunContext) -> None:
        """Stop the part."""
        self._over.set()
        context.cancel()


@contextmanager
def limited(context: RunContext, seconds: float | None) -> Iterator[TimeLimit]:
    """Cancel the ``context`` of a part after so many seconds, unless the block has ended before; None: never.

    What works for it raises :class:`algorithms.core.errors.Cancelled`; :attr:`TimeLimit.is_over` then says why.
    """
    limit = TimeLimit()
    if seconds is None:
        yield limit
        return
    timer = threading.Timer(seconds, limit.reach, (context,))
    timer.daemon = True
    timer.start()
    try:
        yield limit
    finally:
        timer.cancel()
