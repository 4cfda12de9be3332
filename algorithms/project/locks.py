"""A lock between processes that the system itself takes back when the process ends, however it ends."""

from __future__ import annotations

import sys
from io import FileIO
from pathlib import Path


class Lock:
    """A file held by one process at a time. It needs no process number to tell whether its holder still lives."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: FileIO | None = None

    def acquire(self) -> bool:
        """Take it; False where another process (or another lock of this one) holds it. Raises ``OSError``."""
        file = FileIO(self.path, "a+")
        try:
            _lock(file.fileno())
        except OSError:
            file.close()
            return False
        self._file = file
        return True

    def release(self) -> None:
        """Let go of it and remove its file."""
        if self._file is not None:
            if sys.platform != "win32":  # there an open file cannot be removed
                self.path.unlink(missing_ok=True)
            self._file.close()
            self._file = None
            if sys.platform == "win32":
                self.path.unlink(missing_ok=True)


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
