"""The part that the programs of child processes share: the request, messages, limits, and the end.

A native library that reads a damaged or hostile file can abort its process, exhaust memory or run for hours; a child
process contains that. The parent (:mod:`algorithms.io.child_process`) writes a request, one line of JSON, to standard
input and reads messages from standard output. A message is one line of JSON, followed by the bytes that it announces.
Every program may send "limit" (its memory limit for this file in bytes), "error" (why the file cannot be read) and
"end" (no further message). Only the standard library is imported, so that the process starts fast.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final

OUT_OF_MEMORY: Final = 3
"""Exit code of a reader that reached its memory limit."""
PARENT_GONE: Final = 4
UNABLE_TO_WRITE: Final = "Unable to write data"
"""What ReadStat says of a full disk."""
WATCH_SECONDS: Final = 0.05
LEAST_MEMORY: Final = 512 << 20
"""Smallest memory limit."""
_OF_PROCESS: Final = 256 << 20
"""Address space that the process itself needs."""


class RefusedError(Exception):
    """A word that says why the file is not read, and details."""

    def __init__(self, why: str, **details: Any) -> None:
        super().__init__(why)
        self.why, self.details = why, details


def run(read: Callable[[dict[str, Any]], None]) -> None:
    """Answer the request on standard input by ``read``, then exit the process."""
    request = json.loads(sys.stdin.buffer.readline())
    keep_within(request["memory"], request["memory"])
    threading.Thread(target=_watch_parent, daemon=True).start()
    code = 0
    try:
        read(request)
        send("end")
    except RefusedError as refused:
        send("error", why=refused.why, **refused.details)
    except MemoryError:
        code = OUT_OF_MEMORY
    with suppress(OSError):
        sys.stdout.buffer.flush()
    os._exit(code)  # the thread that watches the parent may still block


def send(
    message: str, bodies: Sequence[bytes] = (), encoded: Callable[[Any], Any] | None = None, **content: Any
) -> None:
    """Write a message; ``encoded`` turns what JSON has no type for into what it has."""
    line = json.dumps({"message": message, **content}, default=encoded).encode("ascii")
    sys.stdout.buffer.write(b"".join((line, b"\n", *bodies)))
    if message != "block":
        sys.stdout.buffer.flush()


def limit(request: dict[str, Any], memory: int) -> None:
    """Set and announce the memory limit for this file in bytes, at most that of the request."""
    memory = min(request["memory"], memory)
    send("limit", memory=memory)
    keep_within(memory, min(request["memory"], memory + _OF_PROCESS))


def keep_within(memory: int, addresses: int) -> None:
    """Make the system end this process if it exceeds the memory or address space limit."""
    if sys.platform == "win32":
        import ctypes

        ctypes.windll.kernel32.SetErrorMode(0x8007)  # an abort shows no dialog
    else:
        import resource

        for what, most in ((resource.RLIMIT_AS, addresses), (resource.RLIMIT_CORE, 0)):
            with suppress(ValueError, OSError):  # macOS has RLIMIT_AS in name only
                hard = resource.getrlimit(what)[1]
                resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
    threading.Thread(target=_watch_memory, args=(memory,), daemon=True).start()


def _watch_memory(most: int) -> None:
    allowed = _peak_memory() + most  # on Linux the peak includes that of the parent
    while _peak_memory() <= allowed:
        time.sleep(WATCH_SECONDS)
    os._exit(OUT_OF_MEMORY)


def _watch_parent() -> None:
    """End this process with its parent: standard input closes when the parent ends."""
    with suppress(OSError):
        while os.read(0, 1):
            pass
    os._exit(PARENT_GONE)


if sys.platform == "win32":

    def _peak_memory() -> int:
        """Peak memory of this process in bytes; 0 if the system does not report it."""
        import ctypes
        from ctypes import wintypes

        class Counters(ctypes.Structure):
            _fields_ = (
                ("cb", wintypes.DWORD),
                ("PageFaultCount", wintypes.DWORD),
                *((name, ctypes.c_size_t) for name in ("PeakWorkingSetSize", "WorkingSetSize")),
                *((f"Quota{number}", ctypes.c_size_t) for number in range(4)),
                *((name, ctypes.c_size_t) for name in ("PagefileUsage", "PeakPagefileUsage")),
            )

        counters = Counters(cb=ctypes.sizeof(Counters))
        ask = ctypes.windll.kernel32.K32GetProcessMemoryInfo
        ask.argtypes = (wintypes.HANDLE, ctypes.POINTER(Counters), wintypes.DWORD)
        own = wintypes.HANDLE(-1)  # the value of GetCurrentProcess()
        return int(counters.PeakPagefileUsage) if ask(own, ctypes.byref(counters), counters.cb) else 0

else:

    def _peak_memory() -> int:
        """Peak memory of this process in bytes."""
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
