"""What a person may do to records, each undoable and named: cells typed, cleared, pasted; records added and removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from PySide6.QtCore import QObject, Signal

from algorithms.core.errors import CoppiceError, DataError
from algorithms.data.columns import IntArray
from algorithms.data.conditions import CellMatches, CellSearch, replaced
from algorithms.data.convert_kind import Checkpoint
from algorithms.data.dataset import Dataset
from algorithms.data.editing import cleared, new_values, pasted, read_block, tiled, with_texts
from algorithms.data.schema import Attribute
from algorithms.text.names import shortened
from workbench.session.selection import marked
from workbench.session.session import Session
from workbench.tabs.preprocess.changes import Changes

NAME_LENGTH = 40


class RecordEdits(QObject):
    """Edits of the session's records. What cannot be done is announced by ``refused`` and changes nothing."""

    refused = Signal(object)
    """With the :class:`CoppiceError`."""
    done = Signal()

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._changes = Changes(session, self)
        self._is_refused = False
        self._changes.refused.connect(self._refused)
        self._changes.done.connect(self._done)
        self._pasted_on: Dataset | None = None

    def set_cell(self, record: int, column: int, text: str, may_add: bool = False) -> None:
        """Set one cell to what a typed text means there; ``may_add`` lets a new label become a value."""
        data = self._session.data
        if data is None:
            return
        try:
            changed = with_texts(data, column, np.array([record]), [text], add_values=may_add)
        except CoppiceError as error:
            self.refused.emit(error)
            return
        name, number = shortened(data.schema.attributes[column].name, NAME_LENGTH), _number(data, record)
        said = f"Set {name} of record {number} to {shortened(text, NAME_LENGTH)}"
        self._edit(said if text.strip() else f"Clear {name} of record {number}", changed)

    def clear(self, cells: Mapping[int, IntArray]) -> None:
        """Make cells missing: column -> records. Those that are missing already are left alone."""
        data = self._session.data
        if data is None:
            return
        n_cells = sum(len(rows) for rows in cells.values())
        if n_cells == 1:
            column, rows = next(iter(cells.items()))
            if not is_missing(data, column, rows)[0]:
                self.set_cell(int(rows[0]), column, "")
            return

        def change(data: Dataset, checkpoint: Checkpoint) -> Dataset:
            for column, rows in cells.items():
                checkpoint()
                data = cleared(data, {column: rows})
            return data

        if n_cells:
            self._changes.apply(f"Clear {n_cells:,} cells", change, n_cells, once=True)

    def replace(self, found: CellMatches, search: CellSearch, by: str) -> bool:
        """Replace a text in the found cells, as one step; whether that was done, or is being done."""
        data = self._session.data
        if data is None or not len(found):
            return False
        what = f"{shortened(search.text, 24)!r} by {shortened(by, 24)!r}"
        if len(found) == 1:
            name = shortened(data.schema.attributes[int(found.columns[0])].name, NAME_LENGTH)
            said = f"Replace {what} in {name} of record {_number(data, int(found.rows[0]))}"
        else:
            said = f"Replace {what} in {len(found):,} cells"
        self._is_refused = False
        self._changes.apply(
            said, lambda data, checkpoint: replaced(data, found, search, by, checkpoint), len(found), once=True
        )
        return not self._is_refused

    def paste(self, text: str, rows: Callable[[int], IntArray], first: int, area: tuple[int, int]) -> None:
        """Put a copied block into the cells from column ``first`` on, or several times into the chosen ``area``.

        ``rows(n)`` gives the records of at most n rows from the cursor down; what the block has more becomes records.
        """
        before = self._session.data
        if before is None:
            return

        def change(data: Dataset, checkpoint: Checkpoint) -> Dataset:
            block = tiled(read_block(text, checkpoint), *area)
            return pasted(data, rows(len(block)), first, block, checkpoint)

        n_lines = text.count("\n", 0, len(text.rstrip())) + 1
        n_cells = max(n_lines * (text.partition("\n")[0].count("\t") + 1), area[0] * area[1])
        self._pasted_on = before
        self._changes.apply("Paste a cell" if n_cells == 1 else f"Paste {n_cells:,} cells", change, n_cells, once=True)

    def _done(self) -> None:
        """Say which values a paste brought along that were none before."""
        before, after, self._pasted_on = self._pasted_on, self._session.data, None
        if before is not None and after is not None and len(before.schema) == len(after.schema):
            for name, values in new_values(before, after).items():
                listed = ", ".join(shortened(value, 30) for value in values[:5]) + (" ..." if values[5:] else "")
                self._session.messages.note(f"New in {shortened(name, NAME_LENGTH)}: {listed}.")
        self.done.emit()

    def add(self) -> int | None:
        """Add an empty record at the end; which it is."""
        data = self._session.data
        if data is None:
            return None
        self._edit("Add a record", data.with_new_rows())
        return len(data)

    def remove(self, records: IntArray) -> None:
        """Take records out of the table."""
        data = self._session.data
        if data is None or not len(records):
            return
        if len(records) == len(data):
            self.refused.emit(DataError("A table needs a record.", remedy="Keep at least one, or open another table."))
            return
        what = f"record {_number(data, int(records[0]))}" if len(records) == 1 else f"{len(records):,} records"
        self._edit(f"Remove {what}", marked(self._session, data.without(records)))

    def keep_only(self, records: IntArray) -> None:
        """Take all other records out of the table."""
        data = self._session.data
        if data is None or len(records) == len(data):
            return
        if not len(records):
            self.refused.emit(DataError("No record would be left.", remedy="Change the conditions."))
            return
        mask = np.ones(len(data), dtype=np.bool_)
        mask[records] = False
        self._edit(f"Keep {len(records):,} of {len(data):,} records", data.without(mask))

    def _refused(self, error: CoppiceError) -> None:
        self._is_refused, self._pasted_on = True, None
        self.refused.emit(error)

    def _edit(self, text: str, changed: Dataset) -> None:
        self._session.edit(text, changed)
        self.done.emit()


def is_missing(data: Dataset, column: int, rows: IntArray) -> np.ndarray:
    """Which of some cells of one column are missing."""
    attribute: Attribute = data.schema.attributes[column]
    values = data.cells(column, rows)
    missing: np.ndarray = values < 0 if attribute.kind.is_coded else np.isnan(values)
    return missing


def _number(data: Dataset, record: int) -> str:
    """What the record is called: the number before its row."""
    return f"{int(data.row_ids[record]) + 1}"
