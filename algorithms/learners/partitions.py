"""Tables in several files, the partitions, which are never brought together.

One reading of each file keeps its labelled records as working files, a column each. Questions are then asked of every
part, and the answers are listed or combined. A question is a function of a module, its message a value of arrays, so
that both can travel to the worker that has the part.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext, usable_cores
from algorithms.data.columns import Column, FloatArray, IntArray, missing_column
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.io.column_meaning import sorted_naturally
from algorithms.io.reading import read
from algorithms.io.servers import is_server_address, is_web_address
from algorithms.io.stacking import distinct_file_names
from algorithms.io.text.options import ReadOptions
from algorithms.text.sentences import and_more

M = TypeVar("M")
A = TypeVar("A")
Arrays = tuple[NDArray[Any], ...]
Keys = NDArray[np.uint64]

_WILDCARDS: Final = frozenset("*?[")


def is_pattern(text: str) -> bool:
    """Whether a text names several files by wildcards, as "part-*.parquet" does."""
    if is_web_address(text) or is_server_address(text) or text.startswith("sample:"):
        return False
    return not _WILDCARDS.isdisjoint(text) and not Path(text).exists()


def matching_files(pattern: str) -> tuple[Path, ...]:
    """The files that a pattern names, in natural order; raises :class:`DataError` if there is none."""
    place = Path(pattern)
    anchor = Path(place.anchor)
    names = anchor.glob(str(place.relative_to(anchor)))
    paths = tuple(map(Path, sorted_naturally(str(path) for path in names if path.is_file())))
    if not paths:
        raise DataError(f"No file is named {pattern}.", remedy="Check the folder and the pattern.", place=pattern)
    return paths


@dataclass(frozen=True, eq=False)
class Partition:
    """The labelled records of one file, on the worker that keeps them in ``folder``.

    ``schema`` is that of the whole table. ``recoding`` gives, for each coded column, the code of each own code; its
    last entry is -1. ``first`` is the number of the records in the parts before.
    """

    name: str
    folder: Path
    n_records: int
    n_without_class: int
    schema: Schema
    recoding: Mapping[int, IntArray]
    first: int = 0

    def column(self, index: int) -> Column:
        """The values of a predictor or of the class: float64 with NaN, or codes; raises :class:`DataError` if lost."""
        try:
            values: Column = np.load(self.folder / f"{index}.npy", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise DataError(
                f"The working copy of {self.name} could not be read: {error}.", remedy="Start again.", place=self.name
            ) from None
        return self.recoding[index][values] if index in self.recoding else values

    @property
    def class_codes(self) -> Column:
        assert self.schema.class_index is not None
        return self.column(self.schema.class_index)

    def dataset(self) -> Dataset:
        """The records as a data set; columns that no learner uses are missing. Row ids count from the first part on."""
        kept = {*self.schema.predictors, self.schema.class_index}
        columns = [
            self.column(index) if index in kept else missing_column(attribute, self.n_records)
            for index, attribute in enumerate(self.schema.attributes)
        ]
        return Dataset(self.schema, columns, row_ids=self.first + np.arange(self.n_records))


def class_counts(message: None, part: Partition) -> Arrays:
    """The number of records of each class (k,)."""
    return (np.bincount(part.class_codes, minlength=len(part.schema.classes)).astype(np.float64),)


def added(total: Arrays, more: Arrays) -> Arrays:
    """The sums of arrays of whole numbers, written to the first ones."""
    for own, other in zip(total, more, strict=True):
        np.add(own, other, out=own)
    return total


@dataclass(frozen=True, eq=False)
class PartitionedTable:
    """Records of one schema in several parts; ``origin`` is that of the file whose kinds and options all share."""

    parts: tuple[Partition, ...]
    schema: Schema
    origin: DataOrigin

    @property
    def n_records(self) -> int:
        return sum(part.n_records for part in self.parts)

    @property
    def n_without_class(self) -> int:
        return sum(part.n_without_class for part in self.parts)

    def chosen(self, numbers: Sequence[int]) -> PartitionedTable:
        """The table of these parts, in this order."""
        return replace(self, parts=tuple(self.parts[number] for number in numbers))

    def each(self, question: Callable[[M, Partition], A], message: M, context: RunContext) -> list[A]:
        """The answers of all parts to a question, in their order."""
        return context.map(partial(question, message), self.parts)

    def combined(
        self,
        question: Callable[[M, Partition], Arrays],
        message: M,
        context: RunContext,
        combine: Callable[[Arrays, Arrays], Arrays] = added,
    ) -> Arrays:
        """The answers of all parts as one, combined by an associative function that does not mind their order.

        Each worker combines the answers of a group of parts, the caller those of the groups.
        """
        n_groups = 1 if context.executor is None else min(len(self.parts), usable_cores())
        groups = [self.parts[group[0] : group[-1] + 1] for group in np.array_split(range(len(self.parts)), n_groups)]
        return reduce(combine, context.map(partial(_of_group, question, message, combine, context.checkpoint), groups))


def _of_group(
    question: Callable[[M, Partition], Arrays],
    message: M,
    combine: Callable[[Arrays, Arrays], Arrays],
    checkpoint: Callable[[], None],
    parts: Sequence[Partition],
) -> Arrays:
    total = question(message, parts[0])
    for part in parts[1:]:
        checkpoint()
        total = combine(total, question(message, part))
    return total


# ---- order statistics ------------------------------------------------------------------------------------------------

_POINTS: Final = 15
"""Points between two keys that a round of the search tries."""
_SIGN: Final = np.uint64(1 << 63)


class RangesAsked(NamedTuple):
    """A question for the least and largest numbers, and up to ``most`` different ones, of the columns (q,)."""

    columns: tuple[int, ...]
    most: int


class KeysAsked(NamedTuple):
    """A question about keys (q, t) of columns (q,)."""

    columns: tuple[int, ...]
    keys: Keys


def keys_of(numbers: FloatArray) -> Keys:
    """Integers in the order of the numbers; both zeros have one key."""
    bits = (numbers + 0.0).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def numbers_of(keys: Keys) -> FloatArray:
    """The numbers of keys."""
    return np.where(keys & _SIGN, keys & ~_SIGN, ~keys).view(np.float64)


def number_ranges(
    table: PartitionedTable, columns: tuple[int, ...], most: int, context: RunContext
) -> tuple[list[FloatArray], FloatArray]:
    """Different numbers of each column, at least ``most`` if there are so many, and its range (q, 2), NaN if empty."""
    answers = table.each(_ranges, RangesAsked(columns, most), context)
    distinct = [np.unique(np.concatenate(values)) for values in zip(*(own for own, _ in answers), strict=True)]
    ranges = np.stack([own for _, own in answers])
    return distinct, np.stack([np.fmin.reduce(ranges[:, :, 0]), np.fmax.reduce(ranges[:, :, 1])], axis=1)


def _ranges(asked: RangesAsked, part: Partition) -> tuple[list[FloatArray], FloatArray]:
    distinct, ranges = list[FloatArray](), np.full((len(asked.columns), 2), np.nan)
    for number, column in enumerate(asked.columns):
        values = part.column(column)
        values = values[~np.isnan(values)] + 0.0
        if len(values):
            ranges[number] = values.min(), values.max()
        few = np.unique(values[: 4 * asked.most])
        distinct.append((few if len(few) >= asked.most else np.unique(values))[: asked.most])
    return distinct, ranges


def numbers_around(
    table: PartitionedTable, columns: tuple[int, ...], limits: IntArray, ranges: FloatArray, context: RunContext
) -> tuple[Keys, Keys]:
    """Keys (q, t) of the largest number with at most so many records up to it, 0 without one, and of the next number.

    The ``limits`` (q, t) are from 0 to the number of known values less one. The answer is exact for any parts: the key
    is bracketed by the number of records up to a few keys in between, which all parts add up.
    """
    shape = limits.shape
    low = np.broadcast_to(keys_of(ranges[:, :1]) - np.uint64(1), shape).copy()
    high = np.broadcast_to(keys_of(ranges[:, 1:]), shape).copy()
    steps = np.arange(1, _POINTS + 1, dtype=np.uint64)
    while np.any(high - low > 1):
        context.checkpoint()
        step = np.maximum((high - low) // np.uint64(_POINTS + 1), np.uint64(1))
        points = np.minimum(low[..., np.newaxis] + step[..., np.newaxis] * steps, high[..., np.newaxis] - np.uint64(1))
        counts = records_up_to(table, columns, points.reshape(shape[0], -1), context).reshape(points.shape)
        n_under = np.count_nonzero(counts <= limits[..., np.newaxis], axis=2)[..., np.newaxis]
        edges = np.concatenate([low[..., np.newaxis], points, high[..., np.newaxis]], axis=2)
        low = np.take_along_axis(edges, n_under, axis=2)[..., 0]
        high = np.take_along_axis(edges, np.minimum(n_under + 1, _POINTS + 1), axis=2)[..., 0]
    (before,) = table.combined(_largest_up_to, KeysAsked(columns, low), context, _largest)
    return before, high


def records_up_to(table: PartitionedTable, columns: tuple[int, ...], keys: Keys, context: RunContext) -> IntArray:
    """The number of records up to each key (q, t)."""
    (counts,) = table.combined(_up_to, KeysAsked(columns, keys), context)
    return counts


def _sorted_keys(part: Partition, column: int) -> Keys:
    """The keys of the numbers of a column, ascending; sorted once into a working file, of which little is read."""
    path = part.folder / f"{column}.keys"
    try:
        if not path.exists():
            values = part.column(column)
            np.sort(keys_of(values[~np.isnan(values)])).tofile(path)
        if not path.stat().st_size:
            return np.zeros(0, dtype=np.uint64)
        return np.memmap(path, dtype=np.uint64, mode="r").view(np.ndarray)
    except OSError as error:
        raise _not_written(part.name, error) from None


def _up_to(asked: KeysAsked, part: Partition) -> Arrays:
    counts = [
        np.searchsorted(_sorted_keys(part, column), keys, side="right")
        for column, keys in zip(asked.columns, asked.keys, strict=True)
    ]
    return (np.stack(counts).astype(np.int64),)


def _largest_up_to(asked: KeysAsked, part: Partition) -> Arrays:
    largest = np.zeros(asked.keys.shape, dtype=np.uint64)
    for own, column, keys in zip(largest, asked.columns, asked.keys, strict=True):
        known = _sorted_keys(part, column)
        n_up_to = np.searchsorted(known, keys, side="right")
        own[n_up_to > 0] = known[n_up_to[n_up_to > 0] - 1]
    return (largest,)


def _largest(total: Arrays, more: Arrays) -> Arrays:
    return (np.maximum(total[0], more[0]),)


# ---- reading ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _ReadFile:
    """A file whose records stand in a working folder, with its own schema in the order of the guide's columns."""

    name: str
    folder: Path
    n_records: int
    n_without_class: int
    schema: Schema
    origin: DataOrigin
    empty: frozenset[str] = field(default=frozenset())
    """The columns without a value."""


@contextmanager
def partitioned(
    paths: Sequence[Path],
    context: RunContext,
    options: ReadOptions | None = None,
    folder: str | Path | None = None,
) -> Iterator[PartitionedTable]:
    """Context manager: the table in several files, each read once; working files are removed at the end.

    The largest file decides the kinds and the class of all. Working files stand in a new folder in ``folder``. Raises
    :class:`DataError` for a file that cannot be read, has other columns or kinds, or weights its records.
    """
    given, names = options or ReadOptions(), distinct_file_names(paths)
    guide = max(range(len(paths)), key=lambda number: (_size(paths[number]), -number))
    with TemporaryDirectory(prefix="coppice-", dir=folder, ignore_cleanup_errors=True) as place:
        rooms = [Path(place) / str(number) for number in range(len(paths))]
        parts = [context.child(1 / len(paths), number) for number in range(len(paths))]
        first = _stored(paths[guide], names[guide], rooms[guide], given, parts[guide], None)
        reading = first.origin.reading
        alike = given if reading is None else reading.under(given)
        kinds = {attribute.name: attribute.kind for attribute in first.schema.attributes}
        class_name = None if first.schema.class_index is None else first.schema.class_attribute.name
        alike = replace(alike, kinds={**alike.kinds, **kinds}, class_name=class_name)

        def store(number: int) -> _ReadFile:
            if number == guide:
                return first
            return _stored(paths[number], names[number], rooms[number], alike, parts[number], first)

        yield _agreed(context.map(store, range(len(paths))), guide)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1


def _stored(
    path: Path, name: str, folder: Path, options: ReadOptions, context: RunContext, guide: _ReadFile | None
) -> _ReadFile:
    """Reads a file and writes its labelled records to a new working folder, in the order of the guide's columns."""
    context.say(f"Reading {name}")
    try:
        data = read(path, context, options)
    except DataError as error:
        if guide is None or name in error.sentence:
            raise
        what = f"{name} cannot be read as {guide.name} was. {error.sentence}"
        raise DataError(what, remedy=error.remedy, place=name) from None
    if data.weights is not None:
        what = f"{name} weights its records, which cannot be learned from in parts."
        raise DataError(what, remedy="Open it as a table, or write it without weights.", place=name)
    if data.schema.class_index is None:
        raise DataError("No column can be the class.", remedy="Name the column to predict.", place=name)
    if guide is not None:
        data = _in_order(data, name, guide)
    has_class = data.class_codes >= 0
    empty = frozenset(a.name for index, a in enumerate(data.schema.attributes) if bool(data.missing(index).all()))
    if guide is not None:
        _check_kinds(data.schema, empty, name, guide)
    try:
        folder.mkdir()
        for index in (*data.schema.predictors, data.schema.index_of(data.schema.class_attribute.name)):
            context.checkpoint()
            column = data.column(index)
            np.save(folder / f"{index}.npy", column if has_class.all() else column[has_class], allow_pickle=False)
    except OSError as error:
        reason = error.strerror or str(error)
        what = f"The working copy of {name} could not be written: {reason}."
        raise DataError(
            what, remedy="Is the disk full? The variable TMPDIR names another folder.", place=name
        ) from None
    n = int(np.count_nonzero(has_class))
    context.complete()
    return _ReadFile(name, folder, n, len(data) - n, data.schema, data.origin, empty)


def _not_written(name: str, error: OSError) -> DataError:
    what = f"The working copy of {name} could not be written: {error.strerror or error}."
    return DataError(what, remedy="Is the disk full? The variable TMPDIR names another folder.", place=name)


def _in_order(data: Dataset, name: str, guide: _ReadFile) -> Dataset:
    """The columns in the guide's order; raises :class:`DataError` if they are other ones."""
    wanted = guide.schema.names
    lacked = [repr(column) for column in wanted if column not in data.schema]
    added = [repr(column) for column in data.schema.names if column not in guide.schema]
    for columns, what in ((lacked, "lacks"), (added, "has, unlike the other files,")):
        if columns:
            word = "column" if len(columns) == 1 else "columns"
            sentence = f"{name} {what} the {word} {and_more(columns, 5)}."
            remedy = f"Learn from files with the columns of {guide.name}, or leave this file out."
            raise DataError(sentence, remedy=remedy, place=name)
    if data.schema.names == wanted:
        return data
    return data.select_columns([data.schema.index_of(column) for column in wanted])


def _check_kinds(schema: Schema, empty: frozenset[str], name: str, guide: _ReadFile) -> None:
    """Raise :class:`DataError` if a column with values has another kind than in the guide."""
    for own, other in zip(schema.attributes, guide.schema.attributes, strict=True):
        if own.kind is not other.kind and not {own.kind, other.kind} <= _LABELS and own.name not in empty:
            raise DataError(
                f"{own.name!r} is {own.kind.value} in {name} and {other.kind.value} in {guide.name}.",
                remedy="Give it one kind in all files, or name a kind for reading.",
                place=name,
            )


_LABELS: Final = frozenset((AttributeKind.NOMINAL, AttributeKind.ORDINAL))


def _agreed(files: Sequence[_ReadFile], guide: int) -> PartitionedTable:
    """The table of the files read: one list of values for each coded column."""
    own, attributes = files[guide].schema, list[Attribute]()
    recoding: list[dict[int, IntArray]] = [{} for _ in files]
    for index, attribute in enumerate(own.attributes):
        if attribute.kind.is_coded:
            lists = [_values(read_file.schema.attributes[index]) for read_file in files]
            values, keeps_order = _merged(lists)
            code_of = {value: code for code, value in enumerate(values)}
            for tables, listed in zip(recoding, lists, strict=True):
                tables[index] = np.array([*map(code_of.__getitem__, listed), -1], dtype=np.int32)
            kind = attribute.kind if keeps_order else AttributeKind.NOMINAL
            attribute = replace(attribute, kind=kind, values=values)
        attributes.append(attribute)
    schema = Schema(tuple(attributes), own.class_index)
    kept = {*schema.predictors, schema.class_index}
    parts, first = list[Partition](), 0
    for read_file, tables in zip(files, recoding, strict=True):
        tables = {index: table for index, table in tables.items() if index in kept}
        n, without = read_file.n_records, read_file.n_without_class
        parts.append(Partition(read_file.name, read_file.folder, n, without, schema, tables, first))
        first += n
    origin = files[guide].origin
    if len(files) > 1:
        origin = replace(origin, name=f"{Path(files[0].name).stem} and {len(files) - 1} more", path=None)
    return PartitionedTable(tuple(parts), schema, origin)


def _values(attribute: Attribute) -> tuple[str, ...]:
    return attribute.values if attribute.kind.is_coded else ()


def _merged(lists: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], bool]:
    """All values in one order, whatever that of the lists, and whether it is the order of every list.

    A list that contains all others in their order stays as it is; else the values are sorted naturally.
    """
    longest = max(lists, key=len)
    place = {value: number for number, value in enumerate(longest)}
    for listed in set(lists):
        places = [place.get(value, -1) for value in listed]
        if -1 in places or any(np.diff(places) < 0):
            return sorted_naturally({value: None for values in lists for value in values}), False
    return longest, True
