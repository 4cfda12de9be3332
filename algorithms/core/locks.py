"""Lock on a file between processes, which the system releases however its holder ends (public contract).

A process id could not show whether the holder still runs, since ids are reused.
"""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from filelock import BaseFileLock


class Lock:
    """A file lock that one process holds at a time; any thread of it may release the lock."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock: BaseFileLock | None = None

    def acquire(self) -> bool:
        """Take the lock; returns False if another process, or another lock of this process, holds it.

        Raises ``OSError`` if the file cannot be opened or its file system has no locks.
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
        """Free the lock and remove its file if possible; never raises ``OSError``.

        What cannot be freed now, the system frees when the process ends.
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
