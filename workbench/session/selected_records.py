"""What a person may do with the selected records: take them out of the table, label them, or keep them as a table of
their own."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from algorithms.core.context import RunContext
from algorithms.core.errors import DataError
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.editing import labelled
from algorithms.text.names import shortened
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Job
from workbench.session.selection import Mask
from workbench.session.session import Session

JUDGED: Final = "Records were chosen by how a model judged them, which flatters the models judged on the rest."
AT_ONCE: Final = 100_000
"""So many records are labelled in the window's thread: it takes some milliseconds."""


def selected_words(n: int) -> str:
    """How the selected records are called in the history: "23 selected records"."""
    return counted(n, "selected record")


def marked(session: Session, part: Dataset) -> Dataset:
    """Some records of the table, marked for all later results where they depend on how a run judged them."""
    if not session.selection.by_judgement or JUDGED in part.origin.marks:
        return part
    return part.with_origin(replace(part.origin, marks=(*part.origin.marks, JUDGED)))


def remove_selected(session: Session) -> None:
    """Take the selected records out of the table, undoably; raises :class:`DataError` where none would be left."""
    data = session.data
    if data is None or not len(session.selection):
        return
    selected = session.selection.mask_of(data)
    if selected.all():
        raise DataError("All records are selected, and a table needs some.", remedy="Select fewer of them.")
    session.edit(f"Remove {selected_words(len(session.selection))}", marked(session, data.without(selected)))


def label_selected(session: Session, name: str, value: str, others: str) -> None:
    """Set an attribute, or a new one, in the selected records, undoably: at once where they are few, else in a job.

    Raises :class:`DataError` where the attribute cannot have that value, and nothing is changed.
    """
    data = session.data
    if data is None or not len(session.selection):
        return
    mask = session.selection.mask_of(data)
    said = f"Set {shortened(name, 40)} to {shortened(value, 40) or 'nothing'}"
    _set_label(session, data, mask, _Label(name, value, others, f"{said} in {selected_words(len(session.selection))}"))


@dataclass(frozen=True)
class _Label:
    name: str
    value: str
    others: str
    said: str

    def put_on(self, data: Dataset, mask: Mask) -> Dataset:
        return labelled(data, self.name, mask, self.value, self.others)


def _set_label(session: Session, data: Dataset, mask: Mask, label: _Label) -> None:
    label.put_on(data.take([0]), np.array([True]))  # what cannot be is refused before a job begins
    if len(data) <= AT_ONCE:
        session.edit(label.said, label.put_on(data, mask))
        return

    def land(changed: Dataset) -> None:
        """On the table as it is now; where it was edited meanwhile, the same records are labelled in that."""
        now = session.data
        if now is data:
            session.edit(label.said, changed)
        elif now is not None:
            _set_label(session, now, np.isin(now.row_ids, data.row_ids[mask]), label)

    session.jobs.start(label.said, lambda _context: label.put_on(data, mask), on_done=land)


def selected_part(session: Session) -> Dataset | None:
    """The selected records as a table that no file has; None where none is selected."""
    data = session.data
    if data is None or not len(session.selection):
        return None
    name = f"{Path(data.origin.name).stem}, {selected_words(len(session.selection))}"
    part = marked(session, data.take(session.selection.mask_of(data)))
    return part.with_origin(replace(part.origin, name=name, path=None))


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


def listed_part(session: Session, data: Dataset, order: IntArray | None) -> Dataset:
    """The records of ``data`` that a list shows, in its order (None: all in their own), as a table to be written."""
    part = data if order is None else data.take(order)
    name = f"{Path(data.origin.name).stem}, {counted(len(part), 'listed record')}"
    return marked(session, part).with_origin(replace(part.origin, name=name, path=None))


def save_part(session: Session, part: Dataset, path: str, neutral: bool = False, *, of: int | None = None) -> Job:
    """Write some records of the table as CSV or a workbook in the background, with the answers of the run in view.

    It is said how many they are, and ``of`` how many, where that is given. ``neutral`` neutralises formulas in a CSV.
    """
    name, question = Path(path).name, session.decisions.question()

    def work(context: RunContext) -> int:
        from algorithms.evaluation.tested_records import with_answers
        from algorithms.io.excel_writing import write_table
        from algorithms.io.text.csv_writing import Style

        told = part
        if question is not None:
            told = with_answers(part, question.answered(context.checkpoint), question.run.number)
        context.say(f"Writing {name}")
        write_table(path, told, context, Style(neutral=neutral))
        return len(part)

    def done(n: int) -> None:
        which = counted(n, "record") if of is None or of == n else f"{n:,} of {counted(of, 'record')}"
        with_run = "" if question is None or of is None else f", with what run {question.run.number} said"
        session.messages.good(f"Saved {which} in {name}{with_run}.")

    return session.jobs.start(f"Save {name}", work, on_done=done, worth_asking=True)
