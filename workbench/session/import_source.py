"""The source of the current table, its import options, and reading it in a job."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from algorithms.core.context import RunContext
from algorithms.data.dataset import Dataset
from algorithms.project.run_record import TableSource
from workbench.jobs.jobs import Job

if TYPE_CHECKING:
    from algorithms.io.text.options import ReadOptions
    from workbench.session.session import Session


class ImportSource(TableSource):
    """A file or a pasted text, read in a worker; ``read_as`` is set while it is read."""

    def read(self, context: RunContext) -> Dataset:
        """In a worker: the table."""
        if self.path is None:
            from algorithms.io.text.delimited import read_text

            context.say("Reading what was pasted")
            return read_text(self.text or "", context, self.options)
        from algorithms.io.reading import read

        context.say(f"Reading {Path(self.path).name}")
        with suppress(OSError):  # reading reports it
            status = Path(self.path).stat()
            self.size, self.modified = status.st_size, status.st_mtime_ns
        return read(self.path, context, self.options)

    def look(self, context: RunContext) -> tuple[ReadOptions, tuple[str, ...]]:
        """In a worker: the import options detected in a text or workbook, and the names of its sheets.

        Raises :class:`UnreadFileError` for a file that only a project names.
        """
        context.say("Looking how the table is written")
        if self.path is None:
            from algorithms.io.text.delimited import sniff_text

            return sniff_text(self.text or ""), ()
        from algorithms.io.reading import sheets, sniff

        context.check_may_open(self.path)
        names = sheets(self.path, context)
        return self.read_as if names and self.read_as is not None else sniff(self.path, context=context), names

    def hear(self, event: object) -> None:
        """In the window's thread: note the options that the reader detected."""
        from algorithms.io.text.options import ReadOptions

        if isinstance(event, ReadOptions):
            self.read_as = event


def open_table(session: Session, path: str, options: ReadOptions | None) -> Job:
    """Read a file with a table and show it."""
    reading = ImportSource(path=path, options=options)

    def done(data: Dataset) -> None:
        session.settings.remember_file(path)
        session.set_document(data, reading=reading)

    return session.jobs.start(f"Open {Path(path).name}", reading.read, done, on_event=reading.hear)


def open_pasted(session: Session, text: str, options: ReadOptions | None) -> Job:
    """Read a pasted table and show it; it counts as edited, as it has no file."""
    reading = ImportSource(text=text, options=options)

    def done(data: Dataset) -> None:
        session.set_document(data, reading=reading)
        session.undo_stack.resetClean()

    return session.jobs.start("Paste a table", reading.read, done, on_event=reading.hear)


def open_sample(session: Session, id: str, size: int | None, seed: int) -> Job:
    """Generate a sample data set and show it."""
    sample = session.registry.samples.get(id)
    return session.jobs.start(
        f"Open {sample.name}", lambda context: sample.make(size, seed, context), on_done=session.set_document
    )
