"""Lock on a file between processes, which the system frees however its holder ends (public contract).

A process number would not tell whether the holder lives: numbers are used again.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import BaseFileLock


class Lock:
    """A file that one process holds at a time. Any thread may release it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: BaseFileLock | None = None

    def acquire(self) -> bool:
        """Take the lock; False where another process, or another lock of this one, holds it.

        Raises ``OSError`` where the file cannot be opened, or where its file system has no locks.
        """
        from filelock import FileLock, Timeout  # late: its import takes 0.1 s, for which the first window would wait

        lock = FileLock(self.path, timeout=0, mode=0o600, thread_local=False)
        try:
            lock.acquire()
        except Timeout:
            return False
        except NotImplementedError as error:
            raise OSError(str(error)) from error
        self._lock = lock
        return True

    def release(self) -> None:
        """Free the lock and remove its file, where its folder lets it; never raises ``OSError``.

        What the file system does not free now it frees when the process ends.
        """
        lock, self._lock = self._lock, None
        if lock is None:
            return
        if sys.platform == "win32":  # an open file cannot be removed there
            with suppress(OSError):
                lock.release()
        with suppress(OSError):
            self.path.unlink()
        with suppress(OSError):
            lock.release()
