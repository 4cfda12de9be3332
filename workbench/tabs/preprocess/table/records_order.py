"""Sorting and filtering of the records table: a view of the data, not an edit; large tables are sorted in a job.

An order stays as it is while the data is edited, so that no record moves under the cursor. The pane shows that it is
outdated and offers to apply it again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, Signal

from algorithms.data.columns import IntArray, Mask
from algorithms.data.conditions import Join, RecordCondition, matching
from algorithms.data.dataset import Dataset
from algorithms.data.sorting import sorted_rows
from algorithms.evaluation.tested_records import Answer, TestPredictions
from workbench.jobs.jobs import LatestTask
from workbench.session.session import Session
from workbench.tabs.preprocess.attribute_edits import SMALL


@dataclass(frozen=True, eq=False)
class SelectedRows:
    """Selected records: a mask over base positions at the time of asking, and the source of the selection in words."""

    mask: Mask
    by: str = ""

    @classmethod
    def of(cls, data: Dataset, mask: Mask, by: str = "") -> SelectedRows:
        """Rows of ``data`` in the mask (n,)."""
        positions = data.positions
        selected = np.zeros(int(positions.max(initial=-1)) + 1, dtype=np.bool_)
        selected[positions[mask]] = True
        return cls(selected, by)

    def mask_of(self, data: Dataset) -> Mask:
        """Mask (n,) of these records in ``data``."""
        positions = data.positions
        inside = positions < len(self.mask)
        return inside & self.mask[np.where(inside, positions, 0)] if len(self.mask) else inside


@dataclass(frozen=True)
class RecordsQuery:
    """Sort key (attribute or answer, from ``answers``) with direction, conditions, and records listed."""

    sort: tuple[str | Answer, bool] | None = None
    conditions: tuple[RecordCondition, ...] = ()
    join: Join = Join.ALL
    chosen: SelectedRows | None = None
    answers: TestPredictions | None = None

    @property
    def is_plain(self) -> bool:
        """Whether all records are shown in the order of the data."""
        return self.sort is None and not self.is_part

    @property
    def is_part(self) -> bool:
        """Whether some records may not be shown."""
        return bool(self.conditions) or self.chosen is not None

    @property
    def names(self) -> set[str]:
        """The attributes that it hangs on."""
        sort = self.sort[0] if self.sort else None
        return {c.attribute for c in self.conditions} | ({sort} if isinstance(sort, str) else set())


PLAIN = RecordsQuery()


def found_order(data: Dataset, look: RecordsQuery, checkpoint: Callable[[], None]) -> IntArray | None:
    """Rows to show, in order; None for all rows in their own order."""
    if look.is_plain:
        return None
    mask = matching(data, look.conditions, look.join, checkpoint) if look.conditions else None
    if look.chosen is not None:
        chosen = look.chosen.mask_of(data)
        mask = chosen if mask is None else mask & chosen
    if look.sort is None:
        return None if mask is None else np.flatnonzero(mask)
    by, descending = look.sort
    if isinstance(by, str):
        rows = sorted_rows(data, data.schema.index_of(by), descending, checkpoint)
    elif look.answers is None:  # they are gone
        rows = np.arange(len(data))
    else:
        rows = look.answers.order(by, data.row_ids, descending, checkpoint)
    return rows if mask is None else rows[mask[rows]]


def carried(order: IntArray, old: Dataset, new: Dataset) -> tuple[IntArray, int]:
    """The order carried over from ``old`` to ``new`` data: kept rows, then added rows; and the number added."""
    before, after = old.positions, new.positions
    if len(after) >= len(before) and np.array_equal(after[: len(before)], before):  # records were only appended
        return np.concatenate([order, np.arange(len(before), len(after))]), len(after) - len(before)
    size = max(int(before.max(initial=-1)), int(after.max(initial=-1))) + 1
    new_row = np.full(size, -1, dtype=np.int64)
    new_row[after] = np.arange(len(after))
    is_old = np.zeros(size, dtype=np.bool_)
    is_old[before] = True
    kept, added = new_row[before[order]], np.flatnonzero(~is_old[after])
    return np.concatenate([kept[kept >= 0], added]), len(added)


class RecordsOrder(QObject):
    """Current query of the records table and its result; follows the data."""

    changed = Signal()
    """The records shown, their order or their state changed."""
    told = Signal()
    """The query asked for is shown already."""
    refused = Signal(object)
    """With the :class:`CoppiceError` of impossible conditions."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._task = LatestTask(session.jobs)
        self._data: Dataset | None = None
        self._found: tuple[Dataset, IntArray | None] | None = None
        self.order: IntArray | None = None
        """Rows shown, in order; None for all rows in their own order."""
        self.look = PLAIN
        """The query that gave ``order``."""
        self.is_stale = False
        """Whether the data that determines the order changed since."""
        session.document_replaced.connect(self._begin)
        self._begin()

    def show_data(self, data: Dataset | None) -> None:
        """Follow the data; the records shown stay, as far as they still exist."""
        old, self._data = self._data, data
        if data is None or old is None:
            self.order, self.look, self._found = None, PLAIN, None
            return
        if self.look.is_plain or data is old:
            return
        if not self.look.names <= set(data.schema.names):
            self.ask(PLAIN)
        elif self._found is not None and self._found[0] is data:
            self.order, self.is_stale = self._found[1], False
        else:
            assert self.order is not None
            if len(data) != len(old) or not np.array_equal(data.positions, old.positions):
                self.order, added = carried(self.order, old, data)
                self.is_stale = self.is_stale or added > 0
                if self.look.chosen is not None and not len(self.order):
                    self.show_all()  # all listed records are gone
            elif not self.is_stale:
                names = [name for name in self.look.names if name in old.schema]
                columns = ((data.schema.index_of(name), old.schema.index_of(name)) for name in names)
                self.is_stale = any(not data.same_column(now, old, before) for now, before in columns)

    def _begin(self) -> None:
        """Show all records of a new table, in the order kept in the project."""
        stored, data = self._session.place.get("sort"), self._session.data
        self._data = data
        names = () if data is None else data.schema.names
        sort: tuple[str | Answer, bool] | None = None
        if isinstance(stored, list | tuple) and len(stored) == 2 and stored[0] in names:
            sort = str(stored[0]), stored[1] is True
        if not self.look.is_plain or sort is not None:
            self.ask(replace(PLAIN, sort=sort))

    def sort_by(self, by: str | Answer, answers: TestPredictions | None = None) -> None:
        """Cycle through ascending, descending and no sorting by an attribute or by ``answers``."""
        current = self.look.sort
        sort = None if current == (by, True) else (by, current == (by, False))
        self.ask(replace(self.look, sort=sort, answers=answers if sort is not None else None))

    def show_answers(self, answers: TestPredictions | None) -> None:
        """Sort again by other answers, or drop the sorting by answers if there are none."""
        if self.look.answers is not None and answers is not self.look.answers:
            self.ask(replace(self.look, sort=None if answers is None else self.look.sort, answers=answers))

    def filter_by(self, conditions: Sequence[RecordCondition], join: Join) -> None:
        """Show records that fulfil all or any of the conditions; without conditions, all."""
        self.ask(replace(self.look, conditions=tuple(conditions), join=join))

    def show_only(self, mask: Mask, by: str = "") -> None:
        """Restrict the records to a mask (n,) of the data, selected ``by`` a source; the conditions stay."""
        if self._data is not None:
            self.ask(replace(self.look, chosen=SelectedRows.of(self._data, mask, by)))

    def show_all(self) -> None:
        """Drop the restriction to selected records."""
        self.ask(replace(self.look, chosen=None))

    def again(self) -> None:
        self.ask(self.look)

    def ask(self, look: RecordsQuery) -> None:
        """Apply a query, at once for small data, else in a job."""
        data = self._data
        self._task.stop()
        if data is None:
            return
        if look == self.look and not self.is_stale:
            self.told.emit()
            return
        title = "Filter the records"
        if look.sort is not None:
            title = f"Sort by {look.sort[0]}" if isinstance(look.sort[0], str) else "Sort by the predictions"
        self._task.run(
            title,
            lambda context: found_order(data, look, context.checkpoint),
            on_done=partial(self._landed, data, look),
            on_failed=partial(self._session.jobs.show_error, instead=self.refused.emit),
            at_once=look.is_plain or len(data) <= SMALL,
        )

    def _landed(self, data: Dataset, look: RecordsQuery, order: IntArray | None) -> None:
        if data is not self._data:
            self.ask(look)
            return
        self.look, self.order, self.is_stale = look, order, False
        self._found = (data, order)
        by = None if look.sort is None or not isinstance(look.sort[0], str) else [look.sort[0], look.sort[1]]
        if by is not None or "sort" in self._session.place:
            self._session.set_place(sort=by)
        self.changed.emit()

    @property
    def n_shown(self) -> int:
        if self._data is None:
            return 0
        return len(self._data) if self.order is None else len(self.order)
