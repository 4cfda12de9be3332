"""Tables are read in the background, and shown once they are there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from algorithms.core.data import Dataset
from workbench.jobs import Job
from workbench.readings import Reading

if TYPE_CHECKING:
    from algorithms.io.reading import ReadOptions
    from workbench.session import Session


def open_table(session: Session, path: str, options: ReadOptions | None) -> Job:
    """Read a file with a table and show it."""
    reading = Reading(path=path, options=options)

    def done(data: Dataset) -> None:
        session.settings.remember_file(path)
        session.set_document(data, reading=reading)

    return session.jobs.start(f"Open {Path(path).name}", reading.read, done, on_event=reading.hear)


def open_pasted(session: Session, text: str, options: ReadOptions | None) -> Job:
    """Read a pasted table and show it; it counts as edited, as no file has it."""
    reading = Reading(text=text, options=options)

    def done(data: Dataset) -> None:
        session.set_document(data, reading=reading)
        session.undo_stack.resetClean()

    return session.jobs.start("Paste a table", reading.read, done, on_event=reading.hear)


def open_sample(session: Session, id: str, size: int | None, seed: int) -> Job:
    """Make a sample data set and show it."""
    sample = session.registry.samples.get(id)
    return session.jobs.start(
        f"Open {sample.name}", lambda context: sample.make(size, seed, context), on_done=session.set_document
    )
