"""Where the table in view was read from, and how it was taken to be written."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset

if TYPE_CHECKING:
    from algorithms.io.options import ReadOptions


@dataclass(eq=False)
class Reading:
    """A file or a pasted text, and what a person said of it; ``read_as`` is set while it is read."""

    path: str | None = None
    text: str | None = None
    options: ReadOptions | None = None
    read_as: ReadOptions | None = None
    size: int = 0
    """Of the file in bytes as it was read, with ``modified`` in nanoseconds; 0 while that is not known."""
    modified: int = 0

    def read(self, context: RunContext) -> Dataset:
        """In a worker: the table."""
        if self.path is None:
            from algorithms.io.pasted import read_text

            context.say("Reading what was pasted")
            return read_text(self.text or "", context, self.options)
        from algorithms.io.reading import read

        context.say(f"Reading {Path(self.path).name}")
        with suppress(OSError):  # reading it will say so
            found = Path(self.path).stat()
            self.size, self.modified = found.st_size, found.st_mtime_ns
        return read(self.path, context, self.options)

    def look(self, context: RunContext) -> tuple[ReadOptions, tuple[str, ...]]:
        """In a worker: what is recognised in a text (corrections aside) or was found in a workbook, and its sheets."""
        context.say("Looking how the table is written")
        if self.path is None:
            from algorithms.io.pasted import sniff_text

            return sniff_text(self.text or ""), ()
        from algorithms.io.reading import sheets, sniff

        found = sheets(self.path, context)
        return self.read_as if found and self.read_as is not None else sniff(self.path, context=context), found

    def hear(self, event: object) -> None:
        """In the window's thread: what the reader recognised."""
        from algorithms.io.options import ReadOptions

        if isinstance(event, ReadOptions):
            self.read_as = event
