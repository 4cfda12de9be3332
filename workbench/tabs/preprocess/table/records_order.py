"""Which records the table shows, in which order: a way to look at them, no edit, found in a job where they are many.

What was found stays while the data is edited, so that no record runs away under the cursor; it is said that the table
changed since, and applied again when that is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QObject, Signal

from algorithms.core.context import RunContext
from algorithms.core.errors import CoppiceError
from algorithms.data.columns import IntArray
from algorithms.data.conditions import Join, RecordCondition, matching
from algorithms.data.dataset import Dataset
from algorithms.data.sorting import sorted_rows
from algorithms.evaluation.tested_records import Answer, TestPredictions
from workbench.jobs.jobs import Job
from workbench.session.selection import Mask
from workbench.session.session import Session
from workbench.tabs.preprocess.changes import SMALL


@dataclass(frozen=True, eq=False)
class SelectedRows:
    """Records picked out by hand: a mask over base positions, as the selection was when they were asked for, and by
    what they had been selected, in words."""

    mask: Mask
    by: str = ""

    @classmethod
    def of(cls, data: Dataset, mask: Mask, by: str = "") -> SelectedRows:
        """The rows of ``data`` in the mask (n,)."""
        positions = data.positions
        picked = np.zeros(int(positions.max(initial=-1)) + 1, dtype=np.bool_)
        picked[positions[mask]] = True
        return cls(picked, by)

    def mask_of(self, data: Dataset) -> Mask:
        """Which rows of ``data`` (n,) they are."""
        positions = data.positions
        known = positions < len(self.mask)
        return known & self.mask[np.where(known, positions, 0)] if len(self.mask) else known


@dataclass(frozen=True)
class RecordsQuery:
    """What is asked for: the attribute, or the answer of a run, to sort by and whether downwards, the conditions, and
    among which records. ``answers`` are those to sort by."""

    sort: tuple[str | Answer, bool] | None = None
    conditions: tuple[RecordCondition, ...] = ()
    join: Join = Join.ALL
    chosen: SelectedRows | None = None
    answers: TestPredictions | None = None

    @property
    def is_plain(self) -> bool:
        """Every record in the order of the table."""
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
    """The records to show in their order; None for all in their own."""
    if look.is_plain:
        return None
    mask = matching(data, look.conditions, look.join, checkpoint) if look.conditions else None
    if look.chosen is not None:
        chosen = look.chosen.mask_of(data)
        mask = chosen if mask is None else mask & chosen
    if look.sort is None:
        return None if mask is None else np.flatnonzero(mask)
    rows = _sorted(data, look, checkpoint)
    return rows if mask is None else rows[mask[rows]]


def _sorted(data: Dataset, look: RecordsQuery, checkpoint: Callable[[], None]) -> IntArray:
    """All rows in the order of what is sorted by; of answers that nobody shows any more, in their own."""
    assert look.sort is not None
    by, descending = look.sort
    if isinstance(by, str):
        return sorted_rows(data, data.schema.index_of(by), descending, checkpoint)
    if look.answers is None:
        return np.arange(len(data))
    return look.answers.order(by, data.row_ids, descending, checkpoint)


def carried(order: IntArray, old: Dataset, new: Dataset) -> tuple[IntArray, int]:
    """The order's records that ``new`` still has, then those that ``old`` did not have; how many these are."""
    before, after = old.positions, new.positions
    if len(after) >= len(before) and np.array_equal(after[: len(before)], before):  # some were added at the end
        return np.concatenate([order, np.arange(len(before), len(after))]), len(after) - len(before)
    size = max(int(before.max(initial=-1)), int(after.max(initial=-1))) + 1
    place = np.full(size, -1, dtype=np.int64)
    place[after] = np.arange(len(after))
    was = np.zeros(size, dtype=np.bool_)
    was[before] = True
    kept, added = place[before[order]], np.flatnonzero(~was[after])
    return np.concatenate([kept[kept >= 0], added]), len(added)


class RecordsOrder(QObject):
    """Holds the look at the session's records, and follows the data."""

    changed = Signal()
    """Other records are shown, or in another order, or what is said of them changed."""
    told = Signal()
    """What was asked for is shown already."""
    refused = Signal(object)
    """With the :class:`CoppiceError`: the conditions cannot be asked."""

    def __init__(self, session: Session, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._job: Job | None = None
        self._data: Dataset | None = None
        self._found: tuple[Dataset, IntArray | None] | None = None
        self.order: IntArray | None = None
        """The records shown in their order; None for all in their own."""
        self.look = PLAIN
        """What ``order`` was found by."""
        self.is_stale = False
        """Whether the table changed since in what the order hangs on."""
        session.document_replaced.connect(self._begin)
        self._begin()

    def show_data(self, data: Dataset | None) -> None:
        """The table is this now: what is shown stays shown, as far as it is still there."""
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
            added = 0
            if len(data) != len(old) or not np.array_equal(data.positions, old.positions):
                self.order, added = carried(self.order, old, data)
                self.is_stale = self.is_stale or added > 0
                if self.look.chosen is not None and not len(self.order):
                    self.show_all()  # all that were listed are gone: an empty table would say nothing
            else:
                self.is_stale = self.is_stale or self._differs(old, data)

    def _differs(self, old: Dataset, new: Dataset) -> bool:
        names = [name for name in self.look.names if name in old.schema]
        return any(not new.same_column(new.schema.index_of(n), old, old.schema.index_of(n)) for n in names)

    def _begin(self) -> None:
        """Another table was opened: all of it is shown, in the order in which it was left."""
        kept, data = self._session.place.get("sort"), self._session.data
        self._data = data
        sort: tuple[str | Answer, bool] | None = None
        if isinstance(kept, list | tuple) and len(kept) == 2 and data is not None and kept[0] in data.schema.names:
            sort = str(kept[0]), kept[1] is True
        if not self.look.is_plain or sort is not None:
            self.ask(replace(PLAIN, sort=sort))

    def sort_by(self, by: str | Answer, answers: TestPredictions | None = None) -> None:
        """Sort upwards, then downwards, then not at all: by an attribute, or by what ``answers`` say."""
        now = self.look.sort
        descending = now is not None and now == (by, False)
        sort = None if now == (by, True) else (by, descending)
        self.ask(replace(self.look, sort=sort, answers=answers if sort is not None else None))

    def show_answers(self, answers: TestPredictions | None) -> None:
        """Other answers stand beside the records: where they are sorted by, sort anew, or not at all where none do."""
        if self.look.answers is not None and answers is not self.look.answers:
            self.ask(replace(self.look, sort=None if answers is None else self.look.sort, answers=answers))

    def filter_by(self, conditions: Sequence[RecordCondition], join: Join) -> None:
        """Show the records that fulfil all or any of the conditions; all where there is none."""
        self.ask(replace(self.look, conditions=tuple(conditions), join=join))

    def show_only(self, mask: Mask, by: str = "") -> None:
        """Show only these rows of the data (n,), selected ``by`` something, as far as they fulfil the conditions."""
        if self._data is not None:
            self.ask(replace(self.look, chosen=SelectedRows.of(self._data, mask, by)))

    def show_all(self) -> None:
        """Show all records again that fulfil the conditions."""
        self.ask(replace(self.look, chosen=None))

    def again(self) -> None:
        """Find anew what is shown by the same look."""
        self.ask(self.look)

    def ask(self, look: RecordsQuery) -> None:
        """Find what this look shows: at once where that is little work, else in a job."""
        data = self._data
        if self._job is not None:
            self._job.stop()
            self._job = None
        if data is None:
            return
        if look == self.look and not self.is_stale:
            self.told.emit()
            return
        if look.is_plain or len(data) <= SMALL:
            try:
                self._show(data, look, found_order(data, look, _never))
            except CoppiceError as error:
                self.refused.emit(error)
            return

        def work(context: RunContext) -> IntArray | None:
            return found_order(data, look, context.checkpoint)

        title = "Filter the records"
        if look.sort is not None:
            title = f"Sort by {look.sort[0]}" if isinstance(look.sort[0], str) else "Sort by the answers"
        self._job = self._session.jobs.start(
            title, work, lambda order: self._landed(data, look, order), on_failed=self._failed
        )

    def _landed(self, data: Dataset, look: RecordsQuery, order: IntArray | None) -> None:
        self._job = None
        if data is self._data:
            self._show(data, look, order)
        else:
            self.ask(look)

    def _failed(self, error: object) -> None:
        self._job = None
        if isinstance(error, CoppiceError):
            self.refused.emit(error)
        else:
            self._session.jobs.report_bug(error)

    def _show(self, data: Dataset, look: RecordsQuery, order: IntArray | None) -> None:
        self.look, self.order, self.is_stale = look, order, False
        self._found = (data, order)
        by = None if look.sort is None or not isinstance(look.sort[0], str) else [look.sort[0], look.sort[1]]
        if by is not None or "sort" in self._session.place:
            self._session.set_place(sort=by)
        self.changed.emit()

    @property
    def n_shown(self) -> int:
        """Number of records shown."""
        if self._data is None:
            return 0
        return len(self._data) if self.order is None else len(self.order)


def _never() -> None:
    return None
