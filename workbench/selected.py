"""What a person may do with the selected records: take them out of the table, or keep them as a table of their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from algorithms.core.context import RunContext
from algorithms.core.data import Dataset
from algorithms.core.errors import DataError
from workbench.jobs import Job
from workbench.session import Session
from workbench.wording import counted


def selected_words(n: int) -> str:
    """How the selected records are called in the history: "23 selected records"."""
    return counted(n, "selected record")


def remove_selected(session: Session) -> None:
    """Take the selected records out of the table, undoably; raises :class:`DataError` where none would be left."""
    data = session.data
    if data is None or not len(session.selection):
        return
    selected = session.selection.mask_of(data)
    if selected.all():
        raise DataError("All records are selected, and a table needs some.", remedy="Select fewer of them.")
    session.edit(f"Remove {selected_words(len(session.selection))}", data.without(selected))


def selected_part(session: Session) -> Dataset | None:
    """The selected records as a table that no file has; None where none is selected."""
    data = session.data
    if data is None or not len(session.selection):
        return None
    name = f"{Path(data.origin.name).stem}, {selected_words(len(session.selection))}"
    part = data.take(session.selection.mask_of(data))
    return part.with_origin(replace(data.origin, name=name, path=None))


def open_part(session: Session, part: Dataset) -> Job:
    """Make some records of the table one of their own in the background and show it in place of this one.

    It has the recipe of this one and its records keep their numbers; no file has it, so it counts as edited.
    """
    recipe = session.recipe

    def work(context: RunContext) -> Dataset:
        columns = []
        for index in range(len(part.schema)):
            context.checkpoint()
            columns.append(part.column(index))
        return Dataset(part.schema, columns, weights=part.weights, row_ids=part.row_ids, origin=part.origin)

    def done(data: Dataset) -> None:
        session.set_document(data, recipe)
        session.undo_stack.resetClean()

    return session.jobs.start(f"Open {part.origin.name}", work, done)


def save_part(session: Session, part: Dataset, path: str) -> Job:
    """Write some records of the table as CSV or a workbook in the background."""
    name = Path(path).name

    def work(context: RunContext) -> int:
        from algorithms.io.excel_writing import write_table

        context.say(f"Writing {name}")
        write_table(path, part, context)
        return len(part)

    return session.jobs.start(
        f"Save {name}",
        work,
        on_done=lambda n: session.messages.good(f"Saved {counted(n, 'record')} in {name}."),
        worth_asking=True,
    )
