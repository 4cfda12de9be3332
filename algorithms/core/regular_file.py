"""Opening a file for reading: only one that lies on a disk, never a pipe, a device or a folder."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO, Final

from algorithms.core.errors import CoppiceError, DataError

_FLAGS: Final = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
"""A pipe that nobody writes to, and a terminal, are opened without waiting for them."""


def open_regular(path: str | Path, error: type[CoppiceError] = DataError) -> BinaryIO:
    """The bytes of a file; raises ``error`` where it is no regular file, ``OSError`` where it cannot be opened."""
    file = Path(path)
    if file.is_dir():
        raise error(f"{file.name or file} is a folder, not a file.", remedy="Choose a file in it.", place=str(path))
    try:
        descriptor = os.open(file, _FLAGS)
    except ValueError as nonsense:  # a name with a null character
        raise error("This is no name of a file.", place=repr(str(path))[:80]) from nonsense
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise error(
            f"{file.name} is a pipe or a device, not a file.", remedy="Choose a file on a disk.", place=str(path)
        )
    return open(descriptor, "rb")  # noqa: PTH123 - who asked closes it; there is no path to open it by
