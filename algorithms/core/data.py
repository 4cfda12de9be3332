"""The data model: attributes, their schema, and immutable data sets over shared columns.

Columns are arrays over the *base* rows of a table. A data set adds to them which rows it has (positions in the
base), which cells were edited (sparse patches), weights, and which attribute is the class. Records added later are
base positions past the end of the stored columns: missing but for what the patches say. So the choice of rows, an
edit, an added record and their undoing cost what they change, not what the table weighs. The kernels read one
materialised version of each column, made on demand and kept.

=====================  ==============================================================================
kind                   column
=====================  ==============================================================================
numeric, date          float64, NaN where missing; a date is seconds since 1970-01-01 UTC
nominal, ordinal       codes into ``Attribute.values`` in the smallest signed integer, -1 where missing
text, identifier       numpy ``StringDType(na_object=nan)``, nan where missing
=====================  ==============================================================================
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, Generic, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError

Column = NDArray[Any]
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

STRING: Final = np.dtypes.StringDType(na_object=np.nan)
MISSING_CODE: Final = -1

_REMEMBERED: Final = 8
"""How many of the data sets that one was made from it remembers, as long as something else holds them."""

_DENSE: Final = 4
"""A patch of more than the fourth part of a column becomes a column of its own."""

T = TypeVar("T")


class Kind(StrEnum):
    """What the values of an attribute mean."""

    NUMERIC = "numeric"
    NOMINAL = "nominal"
    ORDINAL = "ordinal"
    DATE = "date"
    TEXT = "text"
    IDENTIFIER = "identifier"

    @property
    def is_coded(self) -> bool:
        """Codes into a fixed list of values (nominal, ordinal)."""
        return self in (Kind.NOMINAL, Kind.ORDINAL)

    @property
    def is_float(self) -> bool:
        """Stored as float64 (numeric, date)."""
        return self in (Kind.NUMERIC, Kind.DATE)

    @property
    def is_string(self) -> bool:
        """Stored as strings (text, identifier)."""
        return self in (Kind.TEXT, Kind.IDENTIFIER)

    @property
    def is_learnable(self) -> bool:
        """Can be learned from as it stands; identifiers, dates and text are left out of learning."""
        return self in (Kind.NUMERIC, Kind.NOMINAL, Kind.ORDINAL)


@dataclass(frozen=True, slots=True)
class Attribute:
    """A named column's meaning. ``values`` lists the nominal or ordinal values in code order.

    ``used`` is False where the person left the attribute out of learning.
    """

    name: str
    kind: Kind
    values: tuple[str, ...] = ()
    used: bool = True

    def code_of(self, value: str) -> int:
        """Code of a value, -1 where it is not among ``values``."""
        try:
            return self.values.index(value)
        except ValueError:
            return MISSING_CODE


@dataclass(frozen=True)
class Schema:
    """Attributes in column order and the position of the class attribute (None where there is none).

    Raises :class:`DataError` for duplicate names or a class position that does not exist.
    """

    attributes: tuple[Attribute, ...]
    class_index: int | None = None
    _index: Mapping[str, int] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        index = {attribute.name: i for i, attribute in enumerate(self.attributes)}
        if len(index) < len(self.attributes):
            seen: set[str] = set()
            for attribute in self.attributes:
                if attribute.name in seen:
                    raise DataError(f"Two columns are named {attribute.name!r}.", place=attribute.name)
                seen.add(attribute.name)
        if self.class_index is not None and not 0 <= self.class_index < len(self.attributes):
            raise DataError(f"There is no column number {self.class_index + 1} to be the class.")
        object.__setattr__(self, "_index", index)

    def __len__(self) -> int:
        return len(self.attributes)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.attributes)

    def __contains__(self, name: str) -> bool:
        return name in self._index

    def index_of(self, name: str) -> int:
        """Position of the attribute with this name; raises :class:`DataError` where there is none."""
        try:
            return self._index[name]
        except KeyError:
            raise DataError(f"There is no column named {name!r}.", place=name) from None

    @property
    def class_attribute(self) -> Attribute:
        """The class attribute; raises :class:`DataError` where none was chosen."""
        if self.class_index is None:
            raise DataError("No class is chosen.", remedy="Choose the column to predict.")
        return self.attributes[self.class_index]

    @property
    def classes(self) -> tuple[str, ...]:
        """The class labels in code order."""
        return self.class_attribute.values

    @property
    def predictors(self) -> tuple[int, ...]:
        """Positions of the attributes to learn from: learnable kinds in use, without the class."""
        return tuple(
            i for i, a in enumerate(self.attributes) if i != self.class_index and a.used and a.kind.is_learnable
        )

    def with_attribute(self, index: int, attribute: Attribute) -> Schema:
        attributes = (*self.attributes[:index], attribute, *self.attributes[index + 1 :])
        return Schema(attributes, self.class_index)

    def with_class(self, name: str | None) -> Schema:
        return Schema(self.attributes, None if name is None else self.index_of(name))


@dataclass(frozen=True)
class Origin:
    """Where data came from and what was done to it that its results must show.

    ``marks`` are sentences such as "Missing values were filled from all records." that every result on this data wears.
    """

    name: str = "untitled"
    path: str | None = None
    description: str = ""
    marks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Derivation(Generic[T]):
    """Something many learners need from the same data, computed once and kept with it.

    ``compute(data, checkpoint)`` makes it; ``checkpoint()`` is to be called every few milliseconds and raises when
    the run is stopped. ``take(value, parent, rows)``, where given, derives the value for ``parent.take(rows)`` (rows
    may repeat) from the parent's value at less cost. ``uses_weights`` keeps it from being shared by ``with_weights``.
    """

    name: str
    compute: Callable[[Dataset, Callable[[], None]], T]
    take: Callable[[T, Dataset, IntArray], T] | None = None
    uses_weights: bool = False


def _no_checkpoint() -> None:
    return None


def smallest_code_dtype(n_values: int) -> np.dtype[Any]:
    """The smallest signed integer type that holds codes 0..n_values-1 and -1."""
    for dtype in (np.int8, np.int16, np.int32):
        if n_values <= np.iinfo(dtype).max + 1:
            return np.dtype(dtype)
    return np.dtype(np.int64)


def _as_column(attribute: Attribute, values: Any) -> Column:
    """The values in the type that the attribute's kind asks for, read-only."""
    if attribute.kind.is_float:
        column: Column = np.asarray(values, dtype=np.float64)
    elif attribute.kind.is_coded:
        column = np.asarray(values)
        column = column.astype(smallest_code_dtype(len(attribute.values)), copy=False)
    else:
        column = np.asarray(values, dtype=STRING)
    if column.flags.writeable:
        column = column.view()
        column.flags.writeable = False
    return column


@dataclass(frozen=True)
class _Patch:
    """Edited cells of one column: ascending base positions and their values in the column's own type."""

    positions: IntArray
    values: Column

    def merged(self, positions: IntArray, values: Column) -> _Patch:
        keep = ~np.isin(self.positions, positions)
        all_positions = np.concatenate([self.positions[keep], positions])
        all_values = np.concatenate([self.values[keep].astype(values.dtype, copy=False), values])
        order = np.argsort(all_positions, kind="stable")
        return _Patch(all_positions[order], all_values[order])


class _RowIds:
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


class Dataset:
    """An immutable table with weights, stable row ids and a class attribute.

    ``columns[i]`` belongs to ``schema.attributes[i]``; all have the same length n. ``weights`` is float64 (n,) or None,
    meaning one each; ``row_ids`` int64 (n,), by default 0..n-1. Raises :class:`DataError` where lengths disagree.
    """

    def __init__(
        self,
        schema: Schema,
        columns: Sequence[Any],
        *,
        weights: Any | None = None,
        row_ids: Any | None = None,
        origin: Origin | None = None,
    ) -> None:
        if len(columns) != len(schema):
            raise DataError(f"{len(schema)} attributes were described but {len(columns)} columns given.")
        stored = tuple(_as_column(a, c) for a, c in zip(schema.attributes, columns, strict=True))
        lengths = {len(c) for c in stored}
        if len(lengths) > 1:
            raise DataError("The columns have different lengths.")
        n = lengths.pop() if lengths else (len(row_ids) if row_ids is not None else 0)
        self.schema = schema
        self.origin = origin or Origin()
        self._columns: tuple[Column, ...] = stored
        self._patches: Mapping[int, _Patch] = {}
        self._rows: IntArray | None = None
        self._n = n
        self._base_ids = _read_only(np.arange(n) if row_ids is None else np.asarray(row_ids, dtype=np.int64))
        self._added_ids: IntArray = np.empty(0, dtype=np.int64)
        self._fresh_ids = _RowIds(self._base_ids)
        self._weights = None if weights is None else _checked_weights(weights, n)
        self._parent: tuple[Dataset, IntArray | None] | None = None
        self._made_from: tuple[weakref.ref[Dataset], ...] = ()
        self._lock = threading.Lock()
        self._materialised: dict[int, Column] = {}
        self._derived: dict[Derivation[Any], Any] = {}
        self._derivation_locks: dict[Derivation[Any], threading.Lock] = {}

    # ---- reading ---------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._n

    @property
    def n_records(self) -> int:
        return self._n

    @property
    def weights(self) -> FloatArray | None:
        """Record weights (n,), or None where every record weighs one."""
        return self._weights

    @property
    def weight_array(self) -> FloatArray:
        """Record weights (n,), ones where none were given."""
        return np.ones(self._n) if self._weights is None else self._weights

    @property
    def positions(self) -> IntArray:
        """Positions of this data set's rows in the base table (n,)."""
        return np.arange(self._n) if self._rows is None else self._rows

    @property
    def has_all_positions(self) -> bool:
        """Whether its rows are all positions of the base in their order: then :attr:`positions` is 0..n-1."""
        return self._rows is None

    @property
    def row_ids(self) -> IntArray:
        """Stable ids of the rows (n,): they survive every choice of rows and every edit."""
        ids = np.concatenate([self._base_ids, self._added_ids]) if len(self._added_ids) else self._base_ids
        return ids if self._rows is None else ids[self._rows]

    @property
    def n_stored(self) -> int:
        """Number of base positions that the table had before records were added."""
        return len(self._base_ids)

    @property
    def added_ids(self) -> IntArray:
        """Ids of the records added since, those removed again too: of the base positions from :attr:`n_stored` on."""
        return self._added_ids

    @property
    def _n_base(self) -> int:
        """Number of base positions: those of the stored columns, and the records added since."""
        return len(self._base_ids) + len(self._added_ids)

    def column(self, which: int | str) -> Column:
        """The column with this position or name over this data set's rows, read-only; see the module for its type."""
        index = self.schema.index_of(which) if isinstance(which, str) else which
        found = self._materialised.get(index)
        if found is None:
            found = self._materialise(index)
            with self._lock:
                found = self._materialised.setdefault(index, found)
        return found

    def _materialise(self, index: int) -> Column:
        base = self._over_base(index)
        return _read_only(base if self._rows is None else base[self._rows])

    def _over_base(self, index: int) -> Column:
        """One column over every base position, its patch applied."""
        stored, patch = self._columns[index], self._patches.get(index)
        if patch is None and len(stored) == self._n_base:
            return stored
        column = missing_column(self.schema.attributes[index], self._n_base).astype(stored.dtype, copy=False)
        column[: len(stored)] = stored
        if patch is not None:
            column[patch.positions] = patch.values
        return column

    def cells(self, index: int, rows: IntArray) -> Column:
        """Values of one column at the given rows only, without materialising the column."""
        whole = self._materialised.get(index)  # asked once: another thread may let go of it
        if whole is not None:
            return whole[rows]
        positions = rows if self._rows is None else self._rows[rows]
        stored, patch = self._columns[index], self._patches.get(index)
        inside = positions < len(stored)
        if inside.all():
            values = stored[positions]
        else:
            values = missing_column(self.schema.attributes[index], len(positions)).astype(stored.dtype, copy=False)
            values[inside] = stored[positions[inside]]
        if patch is not None and len(patch.positions):
            at = np.searchsorted(patch.positions, positions).clip(max=len(patch.positions) - 1)
            hit = patch.positions[at] == positions
            values[hit] = patch.values[at[hit]]
        return values

    @property
    def class_codes(self) -> Column:
        """Class code of every record, -1 where missing; raises :class:`DataError` without a nominal class."""
        attribute = self.schema.class_attribute
        if not attribute.kind.is_coded:
            raise DataError(
                f"The class {attribute.name!r} is {attribute.kind.value}, not nominal.",
                remedy="Change its kind to nominal, or cut it into ranges.",
                place=attribute.name,
            )
        return self.column(cast(int, self.schema.class_index))

    def same_column(self, index: int, other: Dataset, other_index: int) -> bool:
        """Whether two data sets share this column and its rows (cheap: nothing is compared value by value)."""
        return (
            self._columns[index] is other._columns[other_index]
            and self._patches.get(index) is other._patches.get(other_index)
            and self._rows is other._rows
            and self._n_base == other._n_base
        )

    def missing(self, index: int) -> NDArray[np.bool_]:
        """Mask (n,) of the records in which this attribute is missing."""
        return missing_mask(self.schema.attributes[index], self.column(index))

    # ---- making others ---------------------------------------------------------------------------------------------

    def _copy(self) -> Dataset:
        other = object.__new__(Dataset)
        other.schema, other.origin = self.schema, self.origin
        other._columns, other._patches, other._rows, other._n = self._columns, self._patches, self._rows, self._n
        other._base_ids, other._added_ids, other._fresh_ids = self._base_ids, self._added_ids, self._fresh_ids
        other._weights, other._parent = self._weights, None
        other._made_from = (weakref.ref(self), *self._made_from[: _REMEMBERED - 1])
        other._lock = threading.Lock()
        other._materialised, other._derived, other._derivation_locks = {}, {}, {}
        return other

    def take(self, rows: Any) -> Dataset:
        """The data set of the given rows: positions in this one (they may repeat) or a boolean mask (n,)."""
        chosen = np.asarray(rows)
        chosen = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen.astype(np.int64, copy=False)
        other = self._copy()
        other._rows = _read_only(chosen if self._rows is None else self._rows[chosen])
        other._n = len(chosen)
        if self._weights is not None:
            other._weights = _read_only(self._weights[chosen])
        other._parent = (self, _read_only(chosen))
        return other

    def without(self, rows: Any) -> Dataset:
        """The data set without the given rows: positions in this one, or a boolean mask (n,).

        Unlike :meth:`take` it keeps no hold of this one: what a person deletes is not asked to be derived from it.
        """
        gone = np.asarray(rows)
        keep = np.ones(self._n, dtype=np.bool_)
        keep[gone if gone.dtype == np.bool_ else gone.astype(np.int64, copy=False)] = False
        other = self.take(keep)
        other._parent = None
        return other

    def with_new_rows(self, n: int = 1) -> Dataset:
        """The table with ``n`` more records at its end: every cell missing, weighing one each, with ids never used."""
        other = self._copy()
        other._added_ids = _read_only(np.concatenate([self._added_ids, self._fresh_ids.take(n)]))
        if self._rows is not None:
            other._rows = _read_only(np.concatenate([self._rows, np.arange(self._n_base, self._n_base + n)]))
        if self._weights is not None:
            other._weights = _read_only(np.concatenate([self._weights, np.ones(n)]))
        other._n = self._n + n
        return other

    def let_go_of_columns(self, but_for: Dataset) -> None:
        """Free the materialised columns that ``but_for`` does not share; they are made again when asked for.

        A history of edits holds every data set there was: each keeps what it changed, not what it weighs.
        """
        if self._materialised is not but_for._materialised:
            with self._lock:
                self._materialised.clear()

    def with_weights(self, weights: Any | None) -> Dataset:
        """The same records with these weights (n,); None makes each weigh one."""
        other = self._copy()
        other._weights = None if weights is None else _checked_weights(weights, self._n)
        other._materialised = self._materialised
        other._parent = (self, None)
        return other

    def with_schema(self, schema: Schema) -> Dataset:
        """The same columns under a schema that renames, reorders nothing, and keeps every column's stored type."""
        if len(schema) != len(self.schema):
            raise DataError("A new description must have as many attributes as there are columns.")
        other = self._copy()
        other.schema = schema
        other._materialised = self._materialised
        return other

    def with_class(self, name: str | None) -> Dataset:
        """The same table with another class attribute, or none."""
        return self.with_schema(self.schema.with_class(name))

    def with_origin(self, origin: Origin) -> Dataset:
        other = self.with_schema(self.schema)
        other.origin = origin
        return other

    def with_column(self, index: int, attribute: Attribute, values: Any) -> Dataset:
        """The table with column ``index`` replaced by ``values`` (n,) under ``attribute``."""
        return self.with_columns({index: (attribute, values)})

    def with_columns(self, replaced: Mapping[int, tuple[Attribute, Any]]) -> Dataset:
        """The table with several columns replaced at once (position -> attribute and values (n,)).

        Where rows repeat, each copy becomes a row of its own: it may now differ from the others.
        """
        if self._repeats_rows():
            return self._apart().with_columns(replaced)
        other = self._copy()
        attributes, columns, patches = list(self.schema.attributes), list(self._columns), dict(self._patches)
        for index, (attribute, values) in replaced.items():
            attributes[index] = attribute
            patches.pop(index, None)
            columns[index] = self._scattered(_as_column(attribute, values), attribute)
        other.schema = Schema(tuple(attributes), self.schema.class_index)
        other._columns, other._patches = tuple(columns), patches
        other._materialised = {i: c for i, c in dict(self._materialised).items() if i not in replaced}
        return other

    def _repeats_rows(self) -> bool:
        if self._rows is None:
            return False
        seen = np.zeros(self._n_base, dtype=np.bool_)
        seen[self._rows] = True
        return int(np.count_nonzero(seen)) < self._n

    def _apart(self) -> Dataset:
        """The same records as a table of their own, none shared with the base."""
        columns = [self.column(index) for index in range(len(self.schema))]
        return Dataset(self.schema, columns, weights=self._weights, row_ids=self.row_ids, origin=self.origin)

    def _scattered(self, values: Column, attribute: Attribute) -> Column:
        """Values over this data set's rows as a column over the base rows (missing elsewhere)."""
        if len(values) != self._n:
            raise DataError("The new column has a different length.", place=attribute.name)
        if self._rows is None:
            return values
        column = missing_column(attribute, self._n_base)
        column[self._rows] = values
        return _read_only(column)

    def with_new_column(self, attribute: Attribute, values: Any, at: int | None = None) -> Dataset:
        """The table with one more column, before position ``at`` (default: at the end); see :meth:`with_columns`."""
        if self._repeats_rows():
            return self._apart().with_new_column(attribute, values, at)
        at = len(self.schema) if at is None else at
        column = self._scattered(_as_column(attribute, values), attribute)
        order: list[int | None] = [*range(at), None, *range(at, len(self.schema))]
        return self._rearranged(order, {None: (attribute, column)})

    def select_columns(self, indices: Iterable[int]) -> Dataset:
        """The table with only these columns, in this order; the class is forgotten if it is not among them."""
        return self._rearranged(list(indices), {})

    def _rearranged(self, order: Sequence[int | None], new: Mapping[None, tuple[Attribute, Column]]) -> Dataset:
        attributes = tuple(self.schema.attributes[i] if i is not None else new[None][0] for i in order)
        class_index = self.schema.class_index
        class_at = order.index(class_index) if class_index is not None and class_index in order else None
        other = self._copy()
        other.schema = Schema(attributes, class_at)
        other._columns = tuple(self._columns[i] if i is not None else new[None][1] for i in order)
        other._patches = {k: self._patches[i] for k, i in enumerate(order) if i is not None and i in self._patches}
        ready = dict(self._materialised)
        other._materialised = {k: ready[i] for k, i in enumerate(order) if i is not None and i in ready}
        return other

    def with_cells(self, index: int, rows: Any, values: Any) -> Dataset:
        """The table with the cells of column ``index`` at ``rows`` set to ``values`` (stored type), sparsely.

        Where a row comes twice, the last value counts.
        """
        at = np.asarray(rows, dtype=np.int64)
        positions = at if self._rows is None else self._rows[at]
        attribute = self.schema.attributes[index]
        new = np.atleast_1d(_as_column(attribute, values))
        order = np.argsort(positions, kind="stable")
        positions, new = positions[order], np.broadcast_to(new, positions.shape)[order]
        last = np.append(positions[1:] != positions[:-1], np.ones(len(positions[:1]), dtype=bool))
        positions, new = positions[last], new[last]
        other = self._copy()
        old = self._patches.get(index)
        patch = _Patch(positions, new) if old is None else old.merged(positions, new)
        other._patches = {**self._patches, index: patch}
        other._materialised = {i: c for i, c in dict(self._materialised).items() if i != index}
        if patch.values.dtype != self._columns[index].dtype:
            widened = self._columns[index].astype(patch.values.dtype)
            other._columns = (*self._columns[:index], _read_only(widened), *self._columns[index + 1 :])
        if len(patch.positions) * _DENSE > self._n_base:
            whole = _read_only(other._over_base(index))
            other._columns = (*other._columns[:index], whole, *other._columns[index + 1 :])
            other._patches = {i: p for i, p in other._patches.items() if i != index}
        return other

    # ---- kept with the data ----------------------------------------------------------------------------------------

    def derived(self, derivation: Derivation[T], checkpoint: Callable[[], None] = _no_checkpoint) -> T:
        """The derivation's value for this data: computed once, taken from the parent where that is cheaper.

        Several threads may ask at once: one computes, the others wait, and each of them can be stopped.
        """
        found = self._derived.get(derivation)
        if found is not None:
            return cast(T, found)
        with self._lock:
            lock = self._derivation_locks.setdefault(derivation, threading.Lock())
        while not lock.acquire(timeout=0.02):
            checkpoint()
        try:
            if derivation not in self._derived:
                self._derived[derivation] = self._derive(derivation, checkpoint)
            return cast(T, self._derived[derivation])
        finally:
            lock.release()

    def known_before(self, derivation: Derivation[T]) -> tuple[Dataset, T] | None:
        """The nearest of the data sets that this one was made from which has the derivation's value, and that value."""
        for reference in self._made_from:
            before = reference()
            if before is not None and derivation in before._derived:
                return before, cast(T, before._derived[derivation])
        return None

    def _derive(self, derivation: Derivation[T], checkpoint: Callable[[], None]) -> T:
        if self._parent is not None:
            parent, rows = self._parent
            if rows is None and not derivation.uses_weights:
                return parent.derived(derivation, checkpoint)
            if rows is not None and derivation.take is not None:
                return derivation.take(parent.derived(derivation, checkpoint), parent, rows)
        return derivation.compute(self, checkpoint)


def missing_mask(attribute: Attribute, column: Column) -> NDArray[np.bool_]:
    """Mask of the missing values of a column that belongs to ``attribute``."""
    if attribute.kind.is_float:
        return np.isnan(column)
    if attribute.kind.is_coded:
        return column < 0
    return np.isnan(column)


def missing_column(attribute: Attribute, n: int) -> Column:
    """A writable column of n missing values in the attribute's type."""
    if attribute.kind.is_float:
        return np.full(n, np.nan)
    if attribute.kind.is_coded:
        return np.full(n, MISSING_CODE, dtype=smallest_code_dtype(len(attribute.values)))
    return np.full(n, np.nan, dtype=STRING)


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    if array.flags.writeable:
        array = array.view()
        array.flags.writeable = False
    return array


def _checked_weights(weights: Any, n: int) -> FloatArray:
    array = np.asarray(weights, dtype=np.float64)
    if array.shape != (n,):
        raise DataError(f"{n} weights are needed, {array.size} were given.")
    if not np.all(np.isfinite(array)) or np.any(array < 0):
        raise DataError("Weights must be finite numbers of zero or more.")
    return _read_only(array)


def nominal(name: str, values: Iterable[str], *, ordinal: bool = False) -> Attribute:
    """A nominal (or ordinal) attribute with these values in this order."""
    return Attribute(name, Kind.ORDINAL if ordinal else Kind.NOMINAL, tuple(values))


def numeric(name: str) -> Attribute:
    """A numeric attribute."""
    return Attribute(name, Kind.NUMERIC)


def renamed(attribute: Attribute, name: str) -> Attribute:
    return replace(attribute, name=name)
