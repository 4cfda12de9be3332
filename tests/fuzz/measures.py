"""What a process and its children take of memory and of the processor, as Linux tells it; 0 elsewhere."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

IS_MEASURED: Final = Path("/proc/self/clear_refs").exists()
_OWN: Final = Path("/proc/self")


def begin_peak() -> int:
    """Forget the most memory that this process has taken so far; how many bytes it takes now."""
    with suppress(OSError):
        (_OWN / "clear_refs").write_text("5", encoding="ascii")
    return _status(_OWN, "VmRSS")


def peak() -> int:
    """The most bytes of memory that this process has taken since :func:`begin_peak`."""
    return _status(_OWN, "VmHWM")


def resident() -> int:
    """How many bytes of memory this process takes now."""
    return _status(_OWN, "VmRSS")


def peak_of_children(pid: int) -> int:
    """The most bytes that the living children of a process have taken, together."""
    return sum(_status(Path(f"/proc/{child}"), "VmHWM") for child in _descendants(pid))


def processor_seconds(pid: int) -> float:
    """Seconds that a process and its children have had of the processor."""
    return sum(_processor_seconds(process) for process in (pid, *_descendants(pid)))


def _descendants(pid: int) -> Iterator[int]:
    with suppress(OSError, ValueError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text(encoding="ascii").split():
                yield int(child)
                yield from _descendants(int(child))


def _status(process: Path, name: str) -> int:
    with suppress(OSError):
        for line in (process / "status").read_bytes().splitlines():
            if line.startswith(name.encode()):
                return int(line.split()[1]) * 1024
    return 0


def _processor_seconds(pid: int) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
