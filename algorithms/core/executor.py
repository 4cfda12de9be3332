"""The one pool of worker threads, behind the standard executor interface.

A cluster's executor fits the same place: nothing above uses more than ``concurrent.futures.Executor``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

_LIMITS: list[Any] = []


def usable_cores() -> int:
    """Number of processor cores that this process may use, at least 1."""
    affinity = getattr(os, "sched_getaffinity", None)
    return max(1, len(affinity(0)) if affinity else os.cpu_count() or 1)


def thread_pool(threads: int | None = None, begin: Callable[[], None] | None = None) -> ThreadPoolExecutor:
    """A pool of worker threads (default: one a usable core), each with one BLAS thread; each begins with ``begin``.

    Use it as a context manager, or call ``shutdown``: its threads end with it.
    """
    if not _LIMITS:
        from threadpoolctl import threadpool_limits

        _LIMITS.append(threadpool_limits(limits=1))
    count = threads or usable_cores()
    return ThreadPoolExecutor(max_workers=count, thread_name_prefix="coppice-worker", initializer=begin)
