"""The selection of records shared by all views, and edits of the selected records.

It is a boolean mask over base positions: it survives every choice of rows and costs the same for one record or a
million. Records that an edit removes leave the selection, and return to it when the edit is undone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import IntArray, Mask
from algorithms.data.dataset import Dataset
from algorithms.data.editing import labelled
from algorithms.text.names import shortened
from algorithms.text.sentences import counted
from workbench.jobs.jobs import Job

if TYPE_CHECKING:
    from algorithms.evaluation.tested_records import CellsOfTests
    from workbench.session.decision_rules import DecisionQuery
    from workbench.session.session import Session


class SelectionMode(StrEnum):
    """How a choice of records changes the selection."""

    REPLACE = "replace"
    ADD = "add"
    REMOVE = "remove"
    TOGGLE = "toggle"


def how_by_keys(modifiers: Qt.KeyboardModifier) -> SelectionMode:
    """The mode of the held keys: Shift adds, Ctrl toggles, Alt removes."""
    if modifiers & Qt.KeyboardModifier.AltModifier:
        return SelectionMode.REMOVE
    if modifiers & Qt.KeyboardModifier.ControlModifier:
        return SelectionMode.TOGGLE
    if modifiers & Qt.KeyboardModifier.ShiftModifier:
        return SelectionMode.ADD
    return SelectionMode.REPLACE


class Selection(QObject):
    """The selected records of the current table. Views select rows of a data set and paint :meth:`mask_of`."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._chosen: Mask = np.zeros(0, dtype=np.bool_)
        self._present: Mask | None = None
        self._added: IntArray = np.empty(0, dtype=np.int64)
        self._mask = self._chosen
        self._masks: WeakKeyDictionary[Dataset, Mask] = WeakKeyDictionary()
        self._count = self._n_chosen = 0
        self._sources: tuple[str, ...] = ()
        self._by_judgement = False

    def __len__(self) -> int:
        return self._count

    @property
    def n_chosen(self) -> int:
        """Number of chosen records, in the current table or not."""
        return self._n_chosen

    @property
    def n_gone(self) -> int:
        """Number of chosen records that the current table does not contain."""
        return self._n_chosen - self._count

    @property
    def sources(self) -> tuple[str, ...]:
        """Views by which the records were chosen, such as "the histogram of age"; the latest last."""
        return self._sources

    @property
    def by_judgement(self) -> bool:
        """Whether any record was chosen by its prediction: a table without it makes later runs optimistic."""
        return self._by_judgement and self._count > 0

    def forget(self, n_base: int) -> None:
        """Clear the selection for another table with ``n_base`` positions."""
        self._present = None
        self._added = np.empty(0, dtype=np.int64)
        self._set(np.zeros(n_base, dtype=np.bool_), ())

    def look_at(self, data: Dataset) -> None:
        """Follow the current table: only its records are selected."""
        self._present = _positions_of(data)
        self._set(self._without_replaced(data), self._sources)

    def _without_replaced(self, data: Dataset) -> Mask:
        """The chosen positions without those that now hold another added record than before."""
        before, now = self._added, data.added_ids
        shared = min(len(before), len(now))
        other = np.flatnonzero(before[:shared] != now[:shared])
        if not len(other):
            self._added = now if len(now) > len(before) else before
            return self._chosen
        self._added = now
        chosen = self._chosen.copy()
        chosen[data.n_stored + int(other[0]) :] = False
        return chosen

    def clear(self) -> None:
        if self._n_chosen:
            self._set(np.zeros(len(self._chosen), dtype=np.bool_), ())

    def select(
        self,
        data: Dataset,
        rows: IntArray | Mask,
        how: SelectionMode = SelectionMode.REPLACE,
        by: str = "",
        *,
        by_judgement: bool = False,
    ) -> None:
        """Select rows (numbers or mask) of ``data`` in view ``by``, ``by_judgement`` for their predictions."""
        selected = _over_base(data, rows)
        size = max(len(self._chosen), len(selected))
        selected, chosen = _of_length(selected, size), _of_length(self._chosen, size)
        ways = {
            SelectionMode.REPLACE: lambda: selected.copy(),
            SelectionMode.ADD: lambda: chosen | selected,
            SelectionMode.REMOVE: lambda: chosen & ~selected,
            SelectionMode.TOGGLE: lambda: chosen ^ selected,
        }
        self._by_judgement = by_judgement or (self._by_judgement and how is not SelectionMode.REPLACE)
        before = () if how is SelectionMode.REPLACE else tuple(source for source in self._sources if source != by)
        self._set(ways[how](), (*before, by) if by else before)

    def invert(self, data: Dataset) -> None:
        sources, by_judgement = self._sources, self._by_judgement
        by = f"turning over what was selected by {', '.join(sources)}" if sources else "turning the selection over"
        self.select(data, ~self.mask_of(data), by=by, by_judgement=by_judgement)

    def mask_of(self, data: Dataset) -> Mask:
        """Read-only mask (n,) of the selected rows of ``data``; cached, since every view asks for it."""
        mask = self._masks.get(data)
        if mask is None:
            if data.has_all_positions:
                mask = _of_length(self._mask, len(data))
            else:
                positions = data.positions
                mask = _of_length(self._mask, int(positions.max(initial=-1)) + 1)[positions]
            mask = mask.view()
            mask.flags.writeable = False
            self._masks[data] = mask
        return mask

    def rows_of(self, data: Dataset) -> IntArray:
        """The selected rows of ``data``, ascending."""
        return np.flatnonzero(self.mask_of(data))

    def _set(self, chosen: Mask, sources: tuple[str, ...]) -> None:
        """Select these base positions, as far as the table has them; emit ``changed`` on a change."""
        n_chosen = int(np.count_nonzero(chosen))
        mask = chosen
        if self._present is not None and n_chosen:
            mask = chosen & _of_length(self._present, len(chosen))
        chosen.flags.writeable = mask.flags.writeable = False
        self._masks = WeakKeyDictionary()
        sources = sources if n_chosen else ()
        before, count_before = (self._sources, self._n_chosen), self._count
        mask_before = self._mask
        self._chosen, self._mask, self._sources = chosen, mask, sources
        self._count, self._n_chosen = int(np.count_nonzero(mask)) if n_chosen else 0, n_chosen
        if (sources, n_chosen, self._count) != (*before, count_before) or (
            self._count and not _same(mask, mask_before)
        ):
            self.changed.emit()


def _over_base(data: Dataset, rows: IntArray | Mask) -> Mask:
    if data.has_all_positions:
        if rows.dtype == np.bool_:
            return np.asarray(rows, dtype=np.bool_)
        positions = rows
    else:
        positions = data.positions[rows]
    return _marked(positions, len(data) if data.has_all_positions else int(positions.max(initial=-1)) + 1)


def _positions_of(data: Dataset) -> Mask:
    if data.has_all_positions:
        return np.ones(len(data), dtype=np.bool_)
    return _marked(data.positions, int(data.positions.max(initial=-1)) + 1)


def _marked(positions: IntArray | Mask, n: int) -> Mask:
    mask = np.zeros(n, dtype=np.bool_)
    mask[positions] = True
    return mask


def _of_length(mask: Mask, n: int) -> Mask:
    if len(mask) >= n:
        return mask[:n]
    return np.concatenate([mask, np.zeros(n - len(mask), dtype=np.bool_)])


def _same(a: Mask, b: Mask) -> bool:
    """Whether both select the same positions; positions beyond the end of a mask are not selected."""
    shared = min(len(a), len(b))
    return np.array_equal(a[:shared], b[:shared]) and not a[shared:].any() and not b[shared:].any()


JUDGED: Final = "Records were chosen by a model's predictions for them: results on the rest are optimistic."
AT_ONCE: Final = 100_000
"""Up to this many records are labelled in the window's thread, in some milliseconds."""


def selected_words(n: int) -> str:
    """Name of the selected records in the history: "23 selected records"."""
    return counted(n, "selected record")


def marked(session: Session, part: Dataset) -> Dataset:
    """Some records of the table, with a mark for later results if predictions determined the choice."""
    if not session.selection.by_judgement or JUDGED in part.origin.marks:
        return part
    return part.with_origin(replace(part.origin, marks=(*part.origin.marks, JUDGED)))


NOT_IN_THE_TABLE: Final = "They are not records of this table, so none is selected here."
LONGEST_CLASS: Final = 24


def select_cells(
    session: Session,
    asked: DecisionQuery,
    tested: CellsOfTests,
    cells: Mask,
    how: SelectionMode = SelectionMode.REPLACE,
) -> None:
    """Selects the records in these cells (k, k) of the confusion matrix of a run."""
    # the rule is named, so that the label of the selection stays true when it changes
    by = f"the confusion matrix of run {asked.run.number} ({cells_words(asked.result.classes, cells)}, "
    by += f"{asked.phrase or 'default rule'})"
    session.selection.select(asked.run.data, tested.records_in(cells), how, by, by_judgement=True)


def cells_words(classes: tuple[str, ...], cells: Mask) -> str:
    """A mask of cells (k, k) in words: "actual yes, predicted no", "actual yes", "predicted no", "3 cells"."""
    right = np.eye(len(classes), dtype=np.bool_)
    if len(classes) > 1 and (np.array_equal(cells, right) or np.array_equal(cells, ~right)):
        return "all correct" if cells[0, 0] else "all errors"
    rows, columns = np.flatnonzero(cells.any(axis=1)), np.flatnonzero(cells.any(axis=0))
    is_rectangle = np.count_nonzero(cells) == len(rows) * len(columns)
    names = [shortened(name, LONGEST_CLASS, classes) for name in classes]
    if is_rectangle and len(rows) == 1 and len(columns) == 1:
        return f"actual {names[int(rows[0])]}, predicted {names[int(columns[0])]}"
    if is_rectangle and len(rows) == 1 and len(columns) == len(classes):
        return f"actual {names[int(rows[0])]}"
    if is_rectangle and len(columns) == 1 and len(rows) == len(classes):
        return f"predicted {names[int(columns[0])]}"
    return f"{np.count_nonzero(cells)} cells"


def remove_selected(session: Session) -> None:
    """Remove the selected records undoably; raises :class:`DataError` if none would be left."""
    data = session.data
    if data is None or not len(session.selection):
        return
    selected = session.selection.mask_of(data)
    if selected.all():
        raise DataError("All records are selected, and a table needs some.", remedy="Select fewer of them.")
    session.edit(f"Remove {selected_words(len(session.selection))}", marked(session, data.without(selected)))


def label_selected(session: Session, name: str, value: str, others: str) -> None:
    """Set an attribute in the selected records undoably; raises :class:`DataError` for an unfit value."""
    data = session.data
    if data is None or not len(session.selection):
        return
    mask = session.selection.mask_of(data)
    text = f"Set {shortened(name, 40)} to {shortened(value, 40) or 'nothing'}"
    _set_label(session, data, mask, _Label(name, value, others, f"{text} in {selected_words(len(session.selection))}"))


@dataclass(frozen=True)
class _Label:
    name: str
    value: str
    others: str
    text: str

    def put_on(self, data: Dataset, mask: Mask) -> Dataset:
        return labelled(data, self.name, mask, self.value, self.others)


def _set_label(session: Session, data: Dataset, mask: Mask, label: _Label) -> None:
    label.put_on(data.take([0]), np.array([True]))  # raises before a job starts
    if len(data) <= AT_ONCE:
        session.edit(label.text, label.put_on(data, mask))
        return

    def land(changed: Dataset) -> None:
        """Replace the table; if it was edited meanwhile, label the same records in the new one."""
        now = session.data
        if now is data:
            session.edit(label.text, changed)
        elif now is not None:
            _set_label(session, now, np.isin(now.row_ids, data.row_ids[mask]), label)

    session.jobs.start(label.text, lambda _context: label.put_on(data, mask), on_done=land)


def selected_part(session: Session) -> Dataset | None:
    """The selected records as a table without a file; None if none is selected."""
    data = session.data
    if data is None or not len(session.selection):
        return None
    name = f"{Path(data.origin.name).stem}, {selected_words(len(session.selection))}"
    part = marked(session, data.take(session.selection.mask_of(data)))
    return part.with_origin(replace(part.origin, name=name, path=None))


def open_part(session: Session, part: Dataset) -> Job:
    """Make a table of some records in a job, with recipe and record numbers, and show it as edited."""
    steps = tuple(step for step in session.history.needed.steps if step.on)

    def work(context: RunContext) -> Dataset:
        columns = []
        for index in range(len(part.schema)):
            context.checkpoint()
            columns.append(part.column(index))
        return Dataset(part.schema, columns, weights=part.weights, row_ids=part.row_ids, origin=part.origin)

    def done(data: Dataset) -> None:
        session.set_document(data, steps)
        session.saving.take_for_edited()

    return session.jobs.start(f"Open {part.origin.name}", work, done)


def listed_part(session: Session, data: Dataset, order: IntArray | None) -> Dataset:
    """The listed records of ``data`` in the order of the list, as a table to write; None keeps the data's order."""
    part = data if order is None else data.take(order)
    name = f"{Path(data.origin.name).stem}, {counted(len(part), 'listed record')}"
    return marked(session, part).with_origin(replace(part.origin, name=name, path=None))


def save_part(session: Session, part: Dataset, path: str, neutral: bool = False, *, of: int | None = None) -> Job:
    """Write records, ``of`` so many, as a table in a job; ``neutral`` neutralises formulas."""
    name, question = Path(path).name, session.decisions.question()

    def work(context: RunContext) -> int:
        from algorithms.evaluation.tested_records import with_answers
        from algorithms.io.text.options import Style
        from algorithms.io.writing import write_table

        table = part
        if question is not None:
            table = with_answers(part, question.answered(context.checkpoint), question.run.number)
        context.say(f"Writing {name}")
        write_table(path, table, context, Style(neutral=neutral))
        return len(part)

    def done(n: int) -> None:
        which = counted(n, "record") if of is None or of == n else f"{n:,} of {counted(of, 'record')}"
        with_run = "" if question is None or of is None else f", with the predictions of run {question.run.number}"
        session.messages.good(f"Saved {which} in {name}{with_run}.", name, brief=f"Saved {which} in {name}.")

    return session.jobs.start(f"Save {name}", work, on_done=done, worth_asking=True)
