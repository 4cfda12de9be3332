"""Data sets: immutable tables that select rows of columns shared by a whole history of edits.

Columns are arrays over the *base* rows of a table. A data set adds its rows (positions in the base), edited cells
(sparse patches), weights and the class attribute. An added record is a base position past the end of the stored
columns: its cells are missing unless patched. So selecting rows, editing and undoing cost only what they change.
Kernels read a materialised column, created on demand and cached. Arrays are shared: identity shows what is the same.

A :class:`Derivation` is a value that many learners compute from the same data; it is cached with the data set.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.data.columns import (
    LARGE,
    STRING,
    Column,
    FloatArray,
    IntArray,
    SparseColumn,
    are_all_rows,
    as_column,
    code_counts,
    dense,
    missing_column,
    missing_mask,
    read_only,
    stored_column,
    without_infinite,
)
from algorithms.data.schema import MISSING_CODE, Attribute, Schema, SchemaDifference

T = TypeVar("T")


@dataclass(frozen=True)
class Derivation(Generic[T]):
    """A value computed from a data set once and cached with it, since many learners need it.

    ``compute(data, checkpoint)`` returns the value; it calls ``checkpoint()`` every few milliseconds, which raises if
    the run is stopped. The optional ``take(value, parent, rows)`` derives the value of ``parent.take(rows)`` (rows may
    repeat) from that of the parent at less cost. With ``uses_weights``, data sets with other weights do not share the
    value, except samples of one data set.
    """

    name: str
    compute: Callable[[Dataset, Callable[[], None]], T]
    take: Callable[[T, Dataset, IntArray], T] | None = None
    uses_weights: bool = False


def no_checkpoint() -> None:
    """A checkpoint that never raises."""


class DerivationCache:
    """The cached derivations of one data set."""

    def __init__(self) -> None:
        self._values: dict[Derivation[Any], Any] = {}
        self._lock = threading.Lock()
        self._locks: dict[Derivation[Any], threading.Lock] = {}

    def __contains__(self, derivation: Derivation[Any]) -> bool:
        return derivation in self._values

    def __getitem__(self, derivation: Derivation[T]) -> T:
        return cast(T, self._values[derivation])

    def get(self, derivation: Derivation[T], derive: Callable[[], T], checkpoint: Callable[[], None]) -> T:
        """The cached value; the first caller computes it by ``derive``, other threads wait, and each can be stopped."""
        value = self._values.get(derivation)
        if value is not None:
            return cast(T, value)
        with self._lock:
            lock = self._locks.setdefault(derivation, threading.Lock())
        while not lock.acquire(timeout=0.02):
            checkpoint()
        try:
            if derivation not in self._values:
                self._values[derivation] = derive()
            return cast(T, self._values[derivation])
        finally:
            lock.release()


_DENSE: Final = 4
"""A patch of more than a quarter of a column (1 / 4) is turned into a whole column."""


@dataclass(frozen=True)
class ColumnPatch:
    """Edited cells of one column: ascending base positions and the values there, in the column's type."""

    positions: IntArray
    values: Column

    @classmethod
    def of(cls, positions: IntArray, values: Column) -> ColumnPatch:
        """A patch that sets these positions, in any order, to these values or to one; the last duplicate counts."""
        order = np.argsort(positions, kind="stable")
        positions, values = positions[order], np.broadcast_to(values, positions.shape)[order]
        last = np.append(positions[1:] != positions[:-1], np.ones(len(positions[:1]), dtype=bool))
        return cls(positions[last], values[last])

    def merged(self, later: ColumnPatch) -> ColumnPatch:
        """Both patches as one; where both set a cell, the later patch counts."""
        keep = ~np.isin(self.positions, later.positions)
        positions = np.concatenate([self.positions[keep], later.positions])
        values = np.concatenate([self.values[keep].astype(later.values.dtype, copy=False), later.values])
        order = np.argsort(positions, kind="stable")
        return ColumnPatch(positions[order], values[order])

    def apply(self, column: Column) -> None:
        """Overwrite the edited cells of ``column``, which covers all base positions."""
        column[self.positions] = self.values

    def apply_at(self, positions: IntArray, values: Column) -> None:
        """Overwrite the edited cells in ``values``; ``values[i]`` is the cell at base position ``positions[i]``."""
        if len(self.positions):
            places = np.searchsorted(self.positions, positions).clip(max=len(self.positions) - 1)
            hit = self.positions[places] == positions
            values[hit] = self.values[places[hit]]


class RowIds:
    """Generator of row ids that are unique within a history of data sets."""

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


class BaseColumns:
    """Columns over all base positions that any data set of a history has used, with sparse edits; immutable.

    ``columns`` hold the stored positions, perhaps also those of added records. Cells beyond a column's end are missing
    unless patched. ``patches`` maps a column index to its edited cells. ``stored_ids`` and ``added_ids`` are the record
    ids.
    """

    def __init__(
        self,
        columns: tuple[Column, ...],
        stored_ids: IntArray,
        *,
        patches: Mapping[int, ColumnPatch] | None = None,
        added_ids: IntArray | None = None,
        fresh_ids: RowIds | None = None,
    ) -> None:
        self.columns = columns
        self.patches = {} if patches is None else patches
        self.stored_ids = stored_ids
        self.added_ids: IntArray = np.empty(0, dtype=np.int64) if added_ids is None else added_ids
        self.fresh_ids = fresh_ids or RowIds(stored_ids)

    def __len__(self) -> int:
        """Number of base positions: stored records plus added records."""
        return len(self.stored_ids) + len(self.added_ids)

    @property
    def ids(self) -> IntArray:
        """The record id of every base position."""
        return np.concatenate([self.stored_ids, self.added_ids]) if len(self.added_ids) else self.stored_ids

    # ---- reading ---------------------------------------------------------------------------------------------------

    def column(self, index: int, attribute: Attribute) -> Column:
        """A column over all base positions, with its patch applied."""
        stored, patch = self.columns[index], self.patches.get(index)
        if patch is None and len(stored) == len(self):
            return dense(stored)
        column = missing_column(attribute, len(self)).astype(stored.dtype, copy=False)
        column[: len(stored)] = stored
        if patch is not None:
            patch.apply(column)
        return column

    def cells(self, index: int, attribute: Attribute, positions: IntArray) -> Column:
        """The values of one column at these base positions."""
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

    def same_column(self, index: int, other: BaseColumns, other_index: int) -> bool:
        """Whether both columns are the same arrays; identity is tested, not the values."""
        return (
            self.columns[index] is other.columns[other_index]
            and self.patches.get(index) is other.patches.get(other_index)
            and len(self) == len(other)
        )

    # ---- making others ---------------------------------------------------------------------------------------------

    def _with(self, columns: Sequence[Column], patches: Mapping[int, ColumnPatch]) -> BaseColumns:
        return BaseColumns(
            tuple(columns), self.stored_ids, patches=patches, added_ids=self.added_ids, fresh_ids=self.fresh_ids
        )

    def with_new_rows(self, n: int) -> BaseColumns:
        """The base with ``n`` more positions at the end, all cells missing, with unused record ids."""
        added = read_only(np.concatenate([self.added_ids, self.fresh_ids.take(n)]))
        return BaseColumns(
            self.columns, self.stored_ids, patches=self.patches, added_ids=added, fresh_ids=self.fresh_ids
        )

    def with_columns(self, replaced: Mapping[int, Column]) -> BaseColumns:
        """The base with some columns (each over all base positions) replaced."""
        columns = [replaced.get(index, column) for index, column in enumerate(self.columns)]
        return self._with(columns, {i: patch for i, patch in self.patches.items() if i not in replaced})

    def rearranged(self, order: Sequence[int | None], new: Column | None = None) -> BaseColumns:
        """The base with only the columns at these indices, in order; None stands for ``new``, over all positions."""
        columns = [new if i is None else self.columns[i] for i in order]
        patches = {k: self.patches[i] for k, i in enumerate(order) if i is not None and i in self.patches}
        return self._with([column for column in columns if column is not None], patches)

    def with_cells(self, index: int, attribute: Attribute, positions: IntArray, values: Any) -> BaseColumns:
        """The base with the cells of a column at these positions set to ``values``; the last duplicate counts."""
        patch, old = ColumnPatch.of(positions, np.atleast_1d(as_column(attribute, values))), self.patches.get(index)
        if old is not None:
            patch = old.merged(patch)
        column = self.columns[index]
        column = dense(column)
        if patch.values.dtype != column.dtype:
            column = read_only(column.astype(patch.values.dtype))
        columns = [*self.columns[:index], column, *self.columns[index + 1 :]]
        edited = self._with(columns, {**self.patches, index: patch})
        if len(patch.positions) * _DENSE > len(self):
            return edited.with_columns({index: read_only(edited.column(index, attribute))})
        return edited


@dataclass(frozen=True, eq=False)
class DatasetParts:
    """The parts of a data set with n rows over b base positions, of which the last a were added.

    ``columns`` each hold at least the first b - a positions. ``patches`` maps a column index to the edited base
    positions, ascending, and their values. ``rows`` (n,) are base positions, None for all in order. The record ids are
    ``base_ids`` (b - a,) and ``added_ids`` (a,). ``weights`` is (n,) or None.
    """

    schema: Schema
    origin: DataOrigin
    columns: Sequence[Column]
    patches: Mapping[int, tuple[IntArray, Column]]
    rows: IntArray | None
    base_ids: IntArray
    added_ids: IntArray
    weights: FloatArray | None


def parts_of(data: Dataset) -> DatasetParts:
    """The parts of a data set, without its cached derivations."""
    base = data._base
    return DatasetParts(
        data.schema,
        data.origin,
        [dense(column) for column in base.columns],
        {index: (patch.positions, patch.values) for index, patch in base.patches.items()},
        data._rows,
        base.stored_ids,
        base.added_ids,
        data._weights,
    )


class Family:
    """Restores the data sets of one history from their parts, so that new row ids are unique among all of them."""

    def __init__(self) -> None:
        self._ids = RowIds(np.empty(0, dtype=np.int64))
        self._beyond = 0

    def made(self, parts: DatasetParts) -> Dataset:
        """The data set of these parts, infinite numbers missing; raises :class:`DataError` if they are inconsistent."""
        _check(parts)
        data = Dataset(Schema(()), (), row_ids=parts.base_ids, origin=parts.origin)
        data.schema = parts.schema
        data._base = BaseColumns(
            tuple(map(without_infinite, parts.columns)),
            parts.base_ids,
            patches={
                index: ColumnPatch(positions, without_infinite(values))
                for index, (positions, values) in parts.patches.items()
            },
            added_ids=parts.added_ids,
            fresh_ids=self._ids,
        )
        data._rows, data._weights = parts.rows, parts.weights
        data._n = len(data._base) if parts.rows is None else len(parts.rows)
        for ids in (parts.base_ids, parts.added_ids):
            self._beyond = max(self._beyond, int(ids.max()) + 1 if len(ids) else 0)
        self._ids._next = self._beyond
        return data


def _check(parts: DatasetParts) -> None:
    n_stored, n_base = len(parts.base_ids), len(parts.base_ids) + len(parts.added_ids)
    n = n_base if parts.rows is None else len(parts.rows)
    if len(parts.columns) != len(parts.schema) or not all(0 <= index < len(parts.schema) for index in parts.patches):
        _refuse("its columns are not those of its description")
    for ids in (parts.base_ids, parts.added_ids):
        if ids.dtype != np.int64 or ids.ndim != 1 or (len(ids) and not 0 <= int(ids.min()) <= int(ids.max()) < 2**62):
            _refuse("its records are not numbered")
    for attribute, column in zip(parts.schema.attributes, parts.columns, strict=True):
        if not n_stored <= len(column) <= n_base:
            _refuse(f"the column {attribute.name!r} has another length")
        _check_values(attribute, column, len(column))
    for index, (positions, values) in parts.patches.items():
        _check_positions(positions, n_base)
        _check_values(parts.schema.attributes[index], values, len(positions))
        if bool(np.any(positions[1:] <= positions[:-1])) or values.dtype != parts.columns[index].dtype:
            _refuse("its edited cells make no sense")
    if parts.rows is not None:
        _check_positions(parts.rows, n_base)
    weights = parts.weights
    if weights is not None and (
        weights.dtype != np.float64
        or weights.shape != (n,)
        or not bool(np.all(np.isfinite(weights)) and np.all(weights >= 0))
    ):
        _refuse("its weights make no sense")


def _check_positions(positions: NDArray[np.int64], n: int) -> None:
    if positions.dtype != np.int64 or positions.ndim != 1:
        _refuse("its rows are not numbers")
    if len(positions) and not 0 <= int(positions.min()) <= int(positions.max()) < n:
        _refuse("it has rows outside the table")


def _check_values(attribute: Attribute, values: Column, n: int) -> None:
    if values.shape != (n,):
        _refuse(f"the column {attribute.name!r} has another length")
    if attribute.kind.is_float:
        fits = values.dtype == np.float64
    elif attribute.kind.is_string:
        fits = values.dtype == STRING
    else:
        fits = values.dtype.kind == "i" and (
            n == 0 or MISSING_CODE <= int(values.min()) <= int(values.max()) < len(attribute.values)
        )
    if not fits:
        _refuse(f"the column {attribute.name!r} does not hold what its kind says")


def _refuse(what: str) -> None:
    raise DataError(f"The table is damaged: {what}.")


_REMEMBERED: Final = 8
"""Number of ancestors that a data set remembers by weak references."""


class ReplayedEdit(Protocol):
    """An edit that can be applied to another table: a cleaning rule."""

    @property
    def words(self) -> str: ...

    def apply(self, data: Dataset, checkpoint: Callable[[], None]) -> tuple[Dataset, Sequence[SchemaDifference]]: ...

    def to_json(self) -> dict[str, Any]: ...


@dataclass(frozen=True)
class DataOrigin:
    """Origin of a data set: its file, marks and cleaning.

    ``marks`` are sentences on earlier changes, shown with every result. A model uses ``cleaning``, the rules that
    changed the table, and ``reading``, a ``FileReading``, on new files. ``whole`` is the sampled ``WholeFile``.
    """

    name: str = "untitled"
    path: str | None = None
    description: str = ""
    marks: tuple[str, ...] = ()
    cleaning: tuple[ReplayedEdit, ...] = ()
    reading: Any = field(default=None, compare=False)
    whole: Any = field(default=None, compare=False)

    @property
    def file_name(self) -> str:
        """What a sentence calls the table: the name of its file, or its own where no file of this computer has it."""
        return self.name if self.path is None or "://" in self.path else Path(self.path).name


class Dataset:
    """An immutable table with weights, stable row ids and a class attribute.

    ``columns[i]`` belongs to ``schema.attributes[i]``; all have the same length n. ``weights`` is float64 (n,), or None
    if all are 1. ``row_ids`` is int64 (n,), by default 0..n-1. Raises :class:`DataError` if lengths disagree.
    ``recipe_input`` are the records from which a recipe made this data set, in any order; None without a recipe.
    """

    def __init__(
        self,
        schema: Schema,
        columns: Sequence[Any],
        *,
        weights: Any | None = None,
        row_ids: Any | None = None,
        origin: DataOrigin | None = None,
    ) -> None:
        if len(columns) != len(schema):
            raise DataError(f"{len(schema)} attributes were described but {len(columns)} columns given.")
        stored = tuple(stored_column(a, c) for a, c in zip(schema.attributes, columns, strict=True))
        lengths = {len(c) for c in stored}
        if len(lengths) > 1:
            raise DataError("The columns have different lengths.")
        n = lengths.pop() if lengths else (len(row_ids) if row_ids is not None else 0)
        self.schema = schema
        self.origin = origin or DataOrigin()
        ids = np.arange(n) if row_ids is None else np.asarray(row_ids, dtype=np.int64)
        self._base = BaseColumns(stored, read_only(ids))
        self._rows: IntArray | None = None
        self._n = n
        self._weights = None if weights is None else _checked_weights(weights, n)
        self.recipe_input: Dataset | None = None
        self._parent: tuple[Dataset, IntArray | None] | None = None
        self._is_sample = False
        self._made_from: tuple[weakref.ref[Dataset], ...] = ()
        self._lock = threading.Lock()
        self._materialised: dict[int, Column] = {}
        self._derived = DerivationCache()

    # ---- reading ---------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._n

    @property
    def n_records(self) -> int:
        return self._n

    @property
    def weights(self) -> FloatArray | None:
        """Record weights (n,); None if all are 1."""
        return self._weights

    @property
    def weight_array(self) -> FloatArray:
        """Record weights (n,); ones if none were given."""
        return np.ones(self._n) if self._weights is None else self._weights

    @property
    def positions(self) -> IntArray:
        """The base position of each row (n,)."""
        return np.arange(self._n) if self._rows is None else self._rows

    @property
    def has_all_positions(self) -> bool:
        """Whether the rows are all base positions in order, so that :attr:`positions` is 0..n-1."""
        return self._rows is None

    @property
    def row_ids(self) -> IntArray:
        """Stable record ids (n,), which selections of rows and edits preserve."""
        ids = self._base.ids
        return ids if self._rows is None else ids[self._rows]

    @property
    def n_stored(self) -> int:
        """Number of base positions before any records were added."""
        return len(self._base.stored_ids)

    @property
    def added_ids(self) -> IntArray:
        """Ids of all added records, including removed ones, for the base positions from :attr:`n_stored` on."""
        return self._base.added_ids

    def column(self, which: int | str) -> Column:
        """The column with this index or name over the rows of the data set, read-only; for types see ``columns.py``."""
        index = self.schema.index_of(which) if isinstance(which, str) else which
        column = self._materialised.get(index)
        if column is None and (sparse := self.sparse_column(index)) is not None:
            return read_only(sparse.dense() if self._rows is None else sparse[self._rows])
        if column is None:
            column = self._base.column(index, self.schema.attributes[index])
            column = read_only(column if self._rows is None else column[self._rows])
            with self._lock:
                column = self._materialised.setdefault(index, column)
        return column

    def passing_column(self, index: int) -> Column:
        """:meth:`column` for one use: a large one that is gathered from chosen rows is not kept with the data set."""
        rows, is_small = self._rows, self._n < LARGE or index in self._materialised
        if rows is None or is_small or self.sparse_column(index) is not None:
            return self.column(index)
        return read_only(self._base.cells(index, self.schema.attributes[index], rows))

    def passing_cells(self, index: int, rows: Any) -> Column:
        """``column(index)[rows]``, which gathers no whole column of a large data set."""
        if self._rows is None or self._n < LARGE:
            return np.asarray(self.column(index)[rows])
        return self.cells(index, np.arange(*rows.indices(self._n)) if isinstance(rows, slice) else rows)

    def sparse_column(self, index: int) -> SparseColumn | None:
        """The column over all base positions where it is stored as a sparse one without edits; else None."""
        stored: Any = self._base.columns[index]
        is_whole = isinstance(stored, SparseColumn) and len(stored) == len(self._base)
        return stored if is_whole and index not in self._base.patches else None

    def content(self, index: int) -> Column | SparseColumn:
        """The column over the rows for :meth:`remade`: a sparse one stays sparse where the rows are all positions."""
        sparse = self.sparse_column(index) if self._rows is None else None
        return self.column(index) if sparse is None else sparse

    def cells(self, index: int, rows: IntArray) -> Column:
        """The values of one column at the given rows, without materialising the column."""
        whole = self._materialised.get(index)  # read once: another thread may clear the cache
        if whole is not None:
            return whole[rows]
        positions = rows if self._rows is None else self._rows[rows]
        return self._base.cells(index, self.schema.attributes[index], positions)

    @property
    def class_codes(self) -> Column:
        """Class code of each record (n,), -1 if missing; raises :class:`DataError` without a nominal class."""
        attribute = self.schema.class_attribute
        if not attribute.kind.is_coded:
            raise DataError(
                f"The class {attribute.name!r} is {attribute.kind.value}, not nominal.",
                remedy="Change its kind to nominal, or cut it into ranges.",
                place=attribute.name,
            )
        return self.column(cast(int, self.schema.class_index))

    @property
    def class_weights(self) -> FloatArray:
        """Weight of the records of each class (k,); every record needs a class."""
        return code_counts(self.class_codes, len(self.schema.classes), self.weights)

    def same_column(self, index: int, other: Dataset, other_index: int, any_rows: bool = False) -> bool:
        """Whether two data sets share this column, and its rows unless ``any_rows``; identity is tested, not values."""
        return (any_rows or self._rows is other._rows) and self._base.same_column(index, other._base, other_index)

    def missing(self, index: int) -> NDArray[np.bool_]:
        """Mask (n,) of the records in which this attribute is missing."""
        return missing_mask(self.schema.attributes[index], self.column(index))

    # ---- making others ---------------------------------------------------------------------------------------------

    def _copy(self) -> Dataset:
        other = object.__new__(Dataset)
        other.schema, other.origin = self.schema, self.origin
        other._base, other._rows, other._n = self._base, self._rows, self._n
        other._weights, other._parent, other.recipe_input = self._weights, None, self.recipe_input
        other._is_sample = False
        other._made_from = (weakref.ref(self), *self._made_from[: _REMEMBERED - 1])
        other._lock = threading.Lock()
        other._materialised, other._derived = {}, DerivationCache()
        return other

    def take(self, rows: Any) -> Dataset:
        """The data set with the given rows: row indices (may repeat) or a boolean mask (n,)."""
        chosen = np.asarray(rows)
        if self._n >= LARGE and are_all_rows(chosen, self._n):
            return self.with_weights(self._weights, as_sample=True)
        chosen = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen.astype(np.int64, copy=False)
        other = self._copy()
        other._rows = read_only(chosen if self._rows is None else self._rows[chosen])
        other._n = len(chosen)
        if self._weights is not None:
            other._weights = read_only(self._weights[chosen])
        other._parent = (self, read_only(chosen))
        return other

    def without(self, rows: Any) -> Dataset:
        """The data without these rows (indices or mask); unlike :meth:`take` it does not keep this data set alive."""
        gone = np.asarray(rows)
        keep = np.ones(self._n, dtype=np.bool_)
        keep[gone if gone.dtype == np.bool_ else gone.astype(np.int64, copy=False)] = False
        other = self.take(keep)
        other._parent = None
        return other

    def with_new_rows(self, n: int = 1) -> Dataset:
        """The data set with ``n`` more records at the end: all cells missing, weight 1, unused ids."""
        other = self._copy()
        other._base = self._base.with_new_rows(n)
        if self._rows is not None:
            new = np.arange(len(self._base), len(other._base))
            other._rows = read_only(np.concatenate([self._rows, new]))
        if self._weights is not None:
            other._weights = read_only(np.concatenate([self._weights, np.ones(n)]))
        other._n = self._n + n
        return other

    def let_go_of_columns(self, but_for: Dataset) -> None:
        """Drop the materialised columns, rebuilt on demand, so that the history holds only its changes."""
        if self._materialised is not but_for._materialised:
            with self._lock:
                self._materialised.clear()

    def with_weights(self, weights: Any | None, *, as_sample: bool = False) -> Dataset:
        """The same records with these weights (n,); with None all weights are 1.

        ``as_sample`` says that the weights tell how often a sample contains each record: it shares the derivations.
        """
        other = self._copy()
        other._weights = None if weights is None else _checked_weights(weights, self._n)
        other._materialised = self._materialised
        other._parent, other._is_sample = (self, None), as_sample
        return other

    def labelled(self) -> Dataset:
        """The records with a known class; the same object if all have one."""
        has_class = self.class_codes >= 0
        return self if bool(has_class.all()) else self.take(has_class)

    def without_weightless(self) -> Dataset:
        """The records with positive weight; the same object if all have one."""
        weights = self.weights
        return self if weights is None or bool(np.all(weights > 0)) else self.take(weights > 0)

    def with_schema(self, schema: Schema) -> Dataset:
        """The same columns with another schema of the same order and the same stored types."""
        if len(schema) != len(self.schema):
            raise DataError("A new description must have as many attributes as there are columns.")
        other = self._copy()
        other.schema = schema
        other._materialised = self._materialised
        return other

    def with_class(self, name: str | None) -> Dataset:
        """The same table with another class attribute, or none."""
        return self.with_schema(self.schema.with_class(name))

    def with_origin(self, origin: DataOrigin) -> Dataset:
        other = self.with_schema(self.schema)
        other.origin = origin
        return other

    @property
    def raw_records(self) -> Dataset:
        """The records before the recipe; itself without one."""
        return self if self.recipe_input is None else self.recipe_input

    def with_recipe_input(self, records: Dataset | None) -> Dataset:
        """The same data set as made by a recipe from ``records``, None without a recipe; before the first step itself.

        Filters carry the records along, so that a step that trains a learner can give it the true costs.
        """
        if records is self.recipe_input:
            return self
        other = self.with_schema(self.schema)
        other.recipe_input = records
        if records is self:
            other._parent = (self, None)
        return other

    def with_column(self, index: int, attribute: Attribute, values: Any) -> Dataset:
        """The data set with column ``index`` replaced by ``attribute`` and its ``values`` (n,)."""
        return self.with_columns({index: (attribute, values)})

    def with_columns(self, replaced: Mapping[int, tuple[Attribute, Any]]) -> Dataset:
        """The data with columns replaced (index -> attribute, values (n,)); copies of a row get own positions."""
        if self._repeats_rows():
            return self._apart().with_columns(replaced)
        other = self._copy()
        attributes = list(self.schema.attributes)
        columns: dict[int, Column] = {}
        for index, (attribute, values) in replaced.items():
            attributes[index] = attribute
            columns[index] = self._scattered(as_column(attribute, values), attribute)
        other.schema = Schema(tuple(attributes), self.schema.class_index)
        other._base = self._base.with_columns(columns)
        other._materialised = {i: c for i, c in dict(self._materialised).items() if i not in replaced}
        return other

    def _repeats_rows(self) -> bool:
        if self._rows is None:
            return False
        seen = np.zeros(len(self._base), dtype=np.bool_)
        seen[self._rows] = True
        return int(np.count_nonzero(seen)) < self._n

    def _apart(self) -> Dataset:
        """The same records on a new base that holds exactly these rows."""
        columns = [self.column(index) for index in range(len(self.schema))]
        return self.remade(self.schema.attributes, columns, self.schema.class_index)

    def _scattered(self, values: Column, attribute: Attribute) -> Column:
        """The values (n,) of the rows as a column over all base positions, missing elsewhere."""
        if len(values) != self._n:
            raise DataError("The new column has a different length.", place=attribute.name)
        if self._rows is None:
            return values
        column = missing_column(attribute, len(self._base))
        column[self._rows] = values
        return read_only(column)

    def with_new_column(self, attribute: Attribute, values: Any, at: int | None = None) -> Dataset:
        """The data set with one more column, before index ``at`` (default: at the end); see :meth:`with_columns`."""
        if self._repeats_rows():
            return self._apart().with_new_column(attribute, values, at)
        at = len(self.schema) if at is None else at
        column = self._scattered(as_column(attribute, values), attribute)
        order: list[int | None] = [*range(at), None, *range(at, len(self.schema))]
        return self._rearranged(order, attribute, column)

    def select_columns(self, indices: Iterable[int]) -> Dataset:
        """The data set with only these columns, in this order; without a class if the class is not among them."""
        return self._rearranged(list(indices))

    def remade(self, attributes: Sequence[Attribute], columns: Sequence[Any], class_index: int | None) -> Dataset:
        """A new data set of the same records (weights, ids, origin) with ``columns`` (each (n,)) for ``attributes``."""
        schema = Schema(tuple(attributes), class_index)
        other = Dataset(schema, columns, weights=self._weights, row_ids=self.row_ids, origin=self.origin)
        other.recipe_input = self.recipe_input
        return other

    def _rearranged(
        self, order: Sequence[int | None], new: Attribute | None = None, column: Column | None = None
    ) -> Dataset:
        """The data set with the columns at these indices; None stands for the new column, over all base positions."""
        class_index = self.schema.class_index
        class_at = order.index(class_index) if class_index is not None and class_index in order else None
        attributes = (new if i is None else self.schema.attributes[i] for i in order)
        other = self._copy()
        other.schema = Schema(tuple(attribute for attribute in attributes if attribute is not None), class_at)
        other._base = self._base.rearranged(order, column)
        ready = dict(self._materialised)
        other._materialised = {k: ready[i] for k, i in enumerate(order) if i is not None and i in ready}
        return other

    def with_cells(self, index: int, rows: Any, values: Any) -> Dataset:
        """The data with cells of a column at ``rows`` set to stored ``values``; of a repeated row the last counts."""
        wanted = np.asarray(rows, dtype=np.int64)
        positions = wanted if self._rows is None else self._rows[wanted]
        other = self._copy()
        other._base = self._base.with_cells(index, self.schema.attributes[index], positions, values)
        other._materialised = {i: c for i, c in dict(self._materialised).items() if i != index}
        return other

    # ---- cached derivations ----------------------------------------------------------------------------------------

    def derived(self, derivation: Derivation[T], checkpoint: Callable[[], None] = no_checkpoint) -> T:
        """The value of the derivation for this data, cached; derived from the parent's value if that is cheaper."""
        return self._derived.get(derivation, lambda: self._derive(derivation, checkpoint), checkpoint)

    def knows(self, derivation: Derivation[Any]) -> bool:
        """Whether the derivation's value is cached, so that nobody has to wait for it."""
        return derivation in self._derived

    def known_before(self, derivation: Derivation[T]) -> tuple[Dataset, T] | None:
        """The nearest ancestor of this data set with a cached value of the derivation, and that value; else None."""
        for reference in self._made_from:
            before = reference()
            if before is not None and derivation in before._derived:
                return before, before._derived[derivation]
        return None

    def _derive(self, derivation: Derivation[T], checkpoint: Callable[[], None]) -> T:
        if self._parent is not None:
            parent, rows = self._parent
            if rows is None and (self._is_sample or not derivation.uses_weights):
                return parent.derived(derivation, checkpoint)
            if rows is not None and derivation.take is not None:
                return derivation.take(parent.derived(derivation, checkpoint), parent, rows)
        return derivation.compute(self, checkpoint)


def _checked_weights(weights: Any, n: int) -> FloatArray:
    array = np.asarray(weights, dtype=np.float64)
    if array.shape != (n,):
        raise DataError(f"{n} weights are needed, {array.size} were given.")
    if not np.all(np.isfinite(array)) or np.any(array < 0):
        raise DataError("Weights must be finite numbers of zero or more.")
    return read_only(array)
