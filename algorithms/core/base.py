"""What the data sets of one history share: stored columns, the cells edited since, and the records added since."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from algorithms.core.columns import Column, IntArray, as_column, missing_column, read_only
from algorithms.core.schema import Attribute

_DENSE: Final = 4
"""A patch of more than the fourth part of a column becomes a column of its own."""


@dataclass(frozen=True)
class Patch:
    """Edited cells of one column: ascending base positions and their values in the column's own type."""

    positions: IntArray
    values: Column

    @classmethod
    def of(cls, positions: IntArray, values: Column) -> Patch:
        """The patch that sets these positions, in any order, to these values or to one value; the last one counts."""
        order = np.argsort(positions, kind="stable")
        positions, values = positions[order], np.broadcast_to(values, positions.shape)[order]
        last = np.append(positions[1:] != positions[:-1], np.ones(len(positions[:1]), dtype=bool))
        return cls(positions[last], values[last])

    def merged(self, later: Patch) -> Patch:
        """Both patches as one; where they set the same cell, the later one counts."""
        keep = ~np.isin(self.positions, later.positions)
        positions = np.concatenate([self.positions[keep], later.positions])
        values = np.concatenate([self.values[keep].astype(later.values.dtype, copy=False), later.values])
        order = np.argsort(positions, kind="stable")
        return Patch(positions[order], values[order])

    def apply(self, column: Column) -> None:
        """Set the edited cells of a column over every base position."""
        column[self.positions] = self.values

    def apply_at(self, positions: IntArray, values: Column) -> None:
        """Set those of ``values``, the cells at these base positions, that were edited."""
        if len(self.positions):
            at = np.searchsorted(self.positions, positions).clip(max=len(self.positions) - 1)
            hit = self.positions[at] == positions
            values[hit] = self.values[at[hit]]


class RowIds:
    """Hands out row ids that no record of one family of data sets ever had, whichever was undone meanwhile."""

    def __init__(self, given: IntArray) -> None:
        self._given = given
        self._next: int | None = None
        self._lock = threading.Lock()

    def take(self, n: int) -> IntArray:
        """The next ``n`` ids."""
        with self._lock:
            if self._next is None:
                self._next = int(self._given.max()) + 1 if len(self._given) else 0
            start, self._next = self._next, self._next + n
        return np.arange(start, start + n)


class Base:
    """Columns over every position that any data set of a history ever had, edited sparsely; immutable.

    ``columns`` hold the stored positions, or those of some records added later too; what they lack is missing but for
    ``patches`` (column's position -> edited cells). ``stored_ids`` and ``added_ids`` are the ids of the records.
    """

    def __init__(
        self,
        columns: tuple[Column, ...],
        stored_ids: IntArray,
        *,
        patches: Mapping[int, Patch] | None = None,
        added_ids: IntArray | None = None,
        fresh_ids: RowIds | None = None,
    ) -> None:
        self.columns = columns
        self.patches = {} if patches is None else patches
        self.stored_ids = stored_ids
        self.added_ids: IntArray = np.empty(0, dtype=np.int64) if added_ids is None else added_ids
        self.fresh_ids = fresh_ids or RowIds(stored_ids)

    def __len__(self) -> int:
        """Number of positions: those of the stored columns, and of the records added since."""
        return len(self.stored_ids) + len(self.added_ids)

    @property
    def ids(self) -> IntArray:
        """The record's id at every position."""
        return np.concatenate([self.stored_ids, self.added_ids]) if len(self.added_ids) else self.stored_ids

    # ---- reading ---------------------------------------------------------------------------------------------------

    def column(self, index: int, attribute: Attribute) -> Column:
        """One column over every position, its patch applied."""
        stored, patch = self.columns[index], self.patches.get(index)
        if patch is None and len(stored) == len(self):
            return stored
        column = missing_column(attribute, len(self)).astype(stored.dtype, copy=False)
        column[: len(stored)] = stored
        if patch is not None:
            patch.apply(column)
        return column

    def cells(self, index: int, attribute: Attribute, positions: IntArray) -> Column:
        """Values of one column at these positions only."""
        stored, patch = self.columns[index], self.patches.get(index)
        inside = positions < len(stored)
        if inside.all():
            values = stored[positions]
        else:
            values = missing_column(attribute, len(positions)).astype(stored.dtype, copy=False)
            values[inside] = stored[positions[inside]]
        if patch is not None:
            patch.apply_at(positions, values)
        return values

    def same_column(self, index: int, other: Base, other_index: int) -> bool:
        """Whether a column of each is one and the same (nothing is compared value by value)."""
        return (
            self.columns[index] is other.columns[other_index]
            and self.patches.get(index) is other.patches.get(other_index)
            and len(self) == len(other)
        )

    # ---- making others ---------------------------------------------------------------------------------------------

    def _with(self, columns: Sequence[Column], patches: Mapping[int, Patch]) -> Base:
        return Base(
            tuple(columns), self.stored_ids, patches=patches, added_ids=self.added_ids, fresh_ids=self.fresh_ids
        )

    def with_new_rows(self, n: int) -> Base:
        """With ``n`` more positions at the end, every cell missing, under ids never used."""
        added = read_only(np.concatenate([self.added_ids, self.fresh_ids.take(n)]))
        return Base(self.columns, self.stored_ids, patches=self.patches, added_ids=added, fresh_ids=self.fresh_ids)

    def with_columns(self, replaced: Mapping[int, Column]) -> Base:
        """With these columns, over every position, in place of those there were."""
        columns = [replaced.get(index, column) for index, column in enumerate(self.columns)]
        return self._with(columns, {i: patch for i, patch in self.patches.items() if i not in replaced})

    def rearranged(self, order: Sequence[int | None], new: Column | None = None) -> Base:
        """With the columns at these positions only, in this order; None stands for ``new``, over every position."""
        columns = [new if i is None else self.columns[i] for i in order]
        patches = {k: self.patches[i] for k, i in enumerate(order) if i is not None and i in self.patches}
        return self._with([column for column in columns if column is not None], patches)

    def with_cells(self, index: int, attribute: Attribute, positions: IntArray, values: Any) -> Base:
        """With the cells of a column at these positions set to ``values``; where one comes twice, the last counts."""
        patch, old = Patch.of(positions, np.atleast_1d(as_column(attribute, values))), self.patches.get(index)
        if old is not None:
            patch = old.merged(patch)
        column = self.columns[index]
        if patch.values.dtype != column.dtype:
            column = read_only(column.astype(patch.values.dtype))
        columns = [*self.columns[:index], column, *self.columns[index + 1 :]]
        edited = self._with(columns, {**self.patches, index: patch})
        if len(patch.positions) * _DENSE > len(self):
            return edited.with_columns({index: read_only(edited.column(index, attribute))})
        return edited
