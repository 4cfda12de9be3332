"""Parquet and Arrow (Feather) files, read by pyarrow in batches of records, a few columns at a time, and written.

Fields of structs and the elements of short lists of fixed length become columns of their own. Other lists, maps and
binary data are left out, which the table's description says. Types, labels and descriptions are written.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from algorithms.core.errors import DataError
from algorithms.core.files import replacing_or
from algorithms.core.run_control import RunContext
from algorithms.data.columns import Column, is_whole
from algorithms.data.convert_kind import MAX_VALUES
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind
from algorithms.data.whole_file import WholeFile
from algorithms.io.text.options import MOST_COLUMNS, ReadOptions, refuse_too_wide
from algorithms.io.text.sampling import (
    Drawing,
    Tally,
    as_identifier,
    column_totals,
    counts_records,
    numbers_of_marks,
    sampled,
)
from algorithms.io.text.text_source import TextFile
from algorithms.io.typed_columns import (
    FIRST_RECORDS,
    ColumnCells,
    ColumnDetails,
    TypedTable,
    number_format,
    refuse_too_large,
    spelling,
)
from algorithms.text.sentences import and_more

BATCH: Final = 1 << 15
"""Number of records converted at a time."""
GROUPS: Final = 32
"""Columns are read in up to so many groups, so that only a part of the table exists twice."""
BUFFER: Final = 1 << 20
LONGEST_LIST: Final = 1024
"""Lists of a fixed length up to this become columns."""
DEEPEST: Final = 16
_PEAK: Final = 1.2
"""Peak memory of reading over the bytes of the table."""
_LARGEST_TEXT: Final = 64 << 20
"""Largest number of bytes of a text in the metadata of a file."""
_MOST_PARTS: Final = 4_000_000
"""Largest number of entries of a list in the metadata of a file."""
_UNITS: Final = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
_DESCRIPTIONS: Final = (b"description", b"comment", b"label")

Array = Any
"""A ``pyarrow.Array``, which has no type hints."""


class _ArrowTable(ABC):
    """An open file: its schema, its number of records (0 if only reading tells), and batches of some fields."""

    schema: Any
    n_records: int = 0

    @abstractmethod
    def batches(self, fields: Sequence[int]) -> Iterator[tuple[float, Any]]:
        """The share of the file read so far, and a batch with these fields, in order."""

    @abstractmethod
    def close(self) -> None: ...


class _ParquetTable(_ArrowTable):
    """A Parquet file; texts are read as codes into their dictionary, which may repeat a long one very often."""

    def __init__(self, source: TextFile) -> None:
        path = str(source.path)
        self._file = self._opened(path)
        metadata = self._file.metadata
        unpacked = sum(metadata.row_group(index).total_byte_size for index in range(metadata.num_row_groups))
        source.refuse_swelling(unpacked, source.size)
        self.schema = self._file.schema_arrow
        self.n_records = metadata.num_rows
        counts = [_n_leaves(field.type) for field in self.schema]
        ends = np.cumsum(counts, dtype=np.int64).tolist()
        self._leaves = [range(end - count, end) for end, count in zip(ends, counts, strict=True)]
        if sum(counts) != metadata.num_columns:
            raise pa.ArrowInvalid("the two schemas of the file differ")
        texts = self._paths_of_texts(metadata.schema)
        if texts:
            self._file.close(force=True)
            self._file = self._opened(path, texts)

    def _paths_of_texts(self, schema: Any) -> list[str]:
        """The paths of the texts outside structs, in which the library cannot read them as codes."""
        paths = [schema.column(index).path for index in range(len(schema))]
        alone = [leaves[0] for leaves, field in zip(self._leaves, self.schema, strict=True) if _is_any_text(field.type)]
        times = Counter(paths)
        return [paths[leaf] for leaf in alone if times[paths[leaf]] == 1]

    def _opened(self, path: str, texts: Sequence[str] = ()) -> Any:
        return pq.ParquetFile(
            path,
            buffer_size=BUFFER,
            pre_buffer=False,
            memory_map=False,
            read_dictionary=list(texts),
            coerce_int96_timestamp_unit="us",
            thrift_string_size_limit=_LARGEST_TEXT,
            thrift_container_size_limit=_MOST_PARTS,
        )

    def batches(self, fields: Sequence[int]) -> Iterator[tuple[float, Any]]:
        leaves = [leaf for field in fields for leaf in self._leaves[field]]
        groups = list(range(self._file.metadata.num_row_groups))
        n, total = 0, max(1, self.n_records)
        # the reader takes indices of leaves; names with points would be ambiguous
        for batch in self._file.reader.iter_batches(BATCH, groups, leaves, use_threads=False):
            n += batch.num_rows
            yield min(1.0, n / total), batch

    def close(self) -> None:
        self._file.close(force=True)


class _IpcTable(_ArrowTable):
    def __init__(self, path: str) -> None:
        self._source = pa.OSFile(path)
        try:
            self.schema = pa.ipc.open_file(self._source).schema
        except BaseException:
            self._source.close()
            raise

    def batches(self, fields: Sequence[int]) -> Iterator[tuple[float, Any]]:
        options = pa.ipc.IpcReadOptions(included_fields=list(fields), use_threads=False)
        reader = pa.ipc.open_file(self._source, options=options)
        for number in range(reader.num_record_batches):
            batch = reader.get_batch(number)
            batch.validate(full=True)
            for start in range(0, batch.num_rows, BATCH):
                share = (number + min(1.0, (start + BATCH) / batch.num_rows)) / reader.num_record_batches
                yield share, batch.slice(start, BATCH)

    def close(self) -> None:
        self._source.close()


def read_arrow(source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
    """The table in a Parquet or Arrow file; raises :class:`DataError` if it is damaged, encrypted or no table."""
    context.say(f"Reading {source.name}")
    context.publish(options)
    with _opened(source) as table:
        return _ArrowReading(source, table, context, options).table()


def table_size(source: TextFile) -> tuple[int, int]:
    """The number of records of a file, and about how many bytes its table takes while it is read."""
    with _opened(source) as table:
        reading = _ArrowReading(source, table, RunContext(), ReadOptions())
        n = reading.n_records()
        return n, int(_PEAK * n * reading.record_bytes)


@contextmanager
def _opened(source: TextFile) -> Iterator[_ArrowTable]:
    """Context manager: the open file; errors of the library become :class:`DataError`."""
    head = source.head(4)
    name = "a Parquet file" if head.startswith(b"PAR") else "an Arrow file"
    if head == b"PARE":
        raise _encrypted(source)
    try:
        with closing(_ParquetTable(source) if head == b"PAR1" else _IpcTable(str(source.path))) as table:
            yield table
    except MemoryError:
        raise DataError(
            f"{source.name} needs more memory than there is.",
            remedy="Close other programs, or save fewer columns or records in it.",
            place=source.name,
        ) from None
    except pa.ArrowNotImplementedError as error:
        raise DataError(
            f"{source.name} uses a part of its format that is not supported: {_first_line(error)}.",
            remedy="Save the table without it, or as CSV.",
            place=source.name,
        ) from None
    except (pa.ArrowException, OSError, UnicodeError) as error:
        if "crypt" in str(error).lower():
            raise _encrypted(source) from None
        raise DataError(
            f"{source.name} is damaged, cut off, or not {name}: {_first_line(error)}.",
            remedy="Fetch it again, or save it again in the program that made it.",
            place=source.name,
        ) from None


def _encrypted(source: TextFile) -> DataError:
    return DataError(
        f"{source.name} is an encrypted Parquet file.",
        remedy="Save it without encryption and open that.",
        place=source.name,
    )


def _first_line(error: BaseException) -> str:
    line = str(error).strip().partition("\n")[0].rstrip(".")
    return line if len(line) <= 160 else f"{line[:157]}..."


def _n_leaves(type: Any) -> int:
    """The number of columns in which Parquet stores a field of this type."""
    if isinstance(type, pa.BaseExtensionType):
        return _n_leaves(type.storage_type)
    if pa.types.is_dictionary(type):
        return 1
    return sum(_n_leaves(type.field(index).type) for index in range(type.num_fields)) if type.num_fields else 1


# ---- fields to columns -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Column:
    """A column of the table: its name, the field it comes from, the steps to it inside the field, and its type."""

    name: str
    field: int
    steps: tuple[int, ...]
    type: Any
    description: str = ""

    def array(self, whole: Array) -> Array:
        """The column's part of its field; missing where a part around it is missing."""
        for step in self.steps:
            whole = _storage(whole)
            whole = whole.flatten()[step] if pa.types.is_struct(whole.type) else pc.list_element(whole, step)
        return _storage(whole)


def _storage(array: Array) -> Array:
    while isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    return array


def _columns_of(schema: Any, place: str) -> tuple[list[_Column], dict[str, list[str]]]:
    """Return the columns that can be read, and the names of the others by the type of their values."""
    columns, left_out = list[_Column](), dict[str, list[str]]()

    def add(column: _Column) -> None:
        refuse_too_wide(len(columns), place)
        while isinstance(column.type, pa.BaseExtensionType):
            column = replace(column, type=column.type.storage_type)
        type, deep = column.type, len(column.steps) >= DEEPEST
        if pa.types.is_struct(type) and type.num_fields and not deep:
            for index in range(type.num_fields):
                part = type.field(index)
                name, steps = f"{column.name}.{part.name}", (*column.steps, index)
                add(_Column(name, column.field, steps, part.type, _description(part)))
        elif pa.types.is_fixed_size_list(type) and 0 < type.list_size <= LONGEST_LIST and not deep:
            for index in range(type.list_size):
                name, steps = f"{column.name}[{index}]", (*column.steps, index)
                add(replace(column, name=name, steps=steps, type=type.value_type))
        elif (what := _unreadable(type)) and len(columns) + sum(map(len, left_out.values())) <= MOST_COLUMNS:
            left_out.setdefault(what, []).append(column.name)
        elif not what:
            columns.append(column)

    for number, field in enumerate(schema):
        add(_Column(field.name, number, (), field.type, _description(field)))
    return columns, left_out


def _unreadable(type: Any) -> str:
    """What cells of this type hold that no column can; empty if one can."""
    if pa.types.is_map(type):
        return "maps"
    if pa.types.is_nested(type):
        return "unions" if pa.types.is_union(type) else "nested structs" if pa.types.is_struct(type) else "lists"
    if pa.types.is_dictionary(type):
        return _unreadable(type.value_type)
    if pa.types.is_interval(type):
        return "calendar intervals"
    return ""


def _description(field: Any) -> str:
    """The description that some programs keep with a field."""
    found = (field.metadata or {}).get
    text = next((text for key in _DESCRIPTIONS if (text := found(key))), b"")
    return " ".join(text.decode("utf-8", "replace").split())


def _is_text(type: Any) -> bool:
    return any(is_kind(type) for is_kind in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def _is_any_text(type: Any) -> bool:
    return _is_text(type) or _is_binary(type)


def _is_binary(type: Any) -> bool:
    kinds = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_fixed_size_binary, pa.types.is_binary_view)
    return any(is_kind(type) for is_kind in kinds)


# ---- values ----------------------------------------------------------------------------------------------------------


def _floats(array: Array) -> Any:
    """The numbers as float64 (n,), NaN where missing."""
    return array.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)


def _missing(array: Array) -> Any:
    return array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None


def _add_integers(cells: ColumnCells, array: Array, labels: dict[str, str]) -> None:
    present = array.fill_null(0) if array.null_count else array
    cells.add_integers(present.to_numpy(zero_copy_only=False), _missing(array))


def _add_floats(cells: ColumnCells, array: Array, labels: dict[str, str]) -> None:
    cells.add(_floats(array))


def _add_decimals(cells: ColumnCells, array: Array, labels: dict[str, str]) -> None:
    if array.type.scale > 0:
        _add_floats(cells, array, labels)
        return
    try:
        _add_integers(cells, array.cast(pa.int64()), labels)
    except pa.ArrowInvalid:  # more digits than 64 bits hold
        _add_texts(cells, array.cast(pa.string()), labels)


def _add_booleans(cells: ColumnCells, array: Array, labels: dict[str, str]) -> None:
    codes = array.cast(pa.int8()).fill_null(-1).to_numpy(zero_copy_only=False)
    cells.add_labels(codes, [spelling(False), spelling(True)])


def _add_dates(cells: ColumnCells, array: Array, labels: dict[str, str]) -> None:
    is_days = pa.types.is_date32(array.type)
    seconds = _floats(array.cast(pa.int32() if is_days else pa.int64()))
    cells.add_moments(seconds * 86400.0 if is_days else seconds / 1e3)


def _add_moments(cells: ColumnCells, array: Array, labels: dict[str, str]) -> None:
    cells.add_moments(_floats(array.cast(pa.int64())) / _UNITS[array.type.unit])


def _add_hours(cells: ColumnCells, array: Array, labels: dict[str, str]) -> None:
    narrow = pa.types.is_time32(array.type)
    cells.add_hours(_floats(array.cast(pa.int32() if narrow else pa.int64())) / _UNITS[array.type.unit] / 3600.0)


def _plain_texts(values: Array) -> Array:
    """Texts or bytes as texts; raises ``ArrowInvalid`` for bytes that are no UTF-8."""
    if _is_binary(values.type):
        values = values.cast(pa.binary())
    return values.cast(pa.string()) if _is_binary(values.type) or pa.types.is_string_view(values.type) else values


def _coded(array: Array) -> tuple[Any, Array]:
    """The codes of a batch, -1 where missing, and those values of its dictionary that occur."""
    coded = array if pa.types.is_dictionary(array.type) else _plain_texts(array).dictionary_encode()
    codes, values = coded.indices.cast(pa.int64()), coded.dictionary
    if len(values) > len(codes):  # the dictionary of a larger part
        used = pc.unique(codes).drop_null()
        codes, values = pc.index_in(codes, value_set=used).cast(pa.int64()), values.take(used)
    return codes.fill_null(-1).to_numpy(zero_copy_only=False), values


def _add_texts(cells: ColumnCells, array: Array, labels: dict[str, str]) -> None:
    codes, values = _coded(array)
    cells.add_labels(codes, _plain_texts(values).to_pylist())


def _add_categories(cells: ColumnCells, array: Array, labels: dict[str, str]) -> None:
    """Codes into a dictionary; its labels are declared unless they are too many for categories."""
    if len(array.dictionary) + len(labels) > 2 * MAX_VALUES:
        type = array.type.value_type
        _adder(type)(cells, array if _is_any_text(type) else array.dictionary_decode(), labels)
        return
    spelled = ["" if name is None else spelling(name) for name in array.dictionary.to_pylist()]
    cells.add_labels(array.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False), spelled)
    labels.update((name, name) for name in spelled if name)


def _add_nothing(cells: ColumnCells, array: Array, labels: dict[str, str]) -> None:
    cells.add(np.broadcast_to(np.nan, len(array)))


def _add_runs(cells: ColumnCells, array: Array, labels: dict[str, str]) -> None:
    _adder(array.type.value_type)(cells, pc.run_end_decode(array), labels)


_ADDERS: Final[tuple[tuple[Callable[[Any], bool], Callable[[ColumnCells, Array, dict[str, str]], None]], ...]] = (
    (pa.types.is_integer, _add_integers),
    (pa.types.is_floating, _add_floats),
    (pa.types.is_decimal, _add_decimals),
    (pa.types.is_boolean, _add_booleans),
    (pa.types.is_date, _add_dates),
    (pa.types.is_timestamp, _add_moments),
    (pa.types.is_time, _add_hours),
    (pa.types.is_duration, _add_hours),
    (pa.types.is_dictionary, _add_categories),
    (_is_text, _add_texts),
    (_is_binary, _add_texts),
    (pa.types.is_run_end_encoded, _add_runs),
    (pa.types.is_null, _add_nothing),
)


def _adder(type: Any) -> Callable[[ColumnCells, Array, dict[str, str]], None]:
    """The conversion of arrays of a type."""
    return next(adder for is_kind, adder in _ADDERS if is_kind(type))


# ---- reading ---------------------------------------------------------------------------------------------------------


class _ArrowReading:
    """The state of one reading of one file."""

    def __init__(self, source: TextFile, table: _ArrowTable, context: RunContext, options: ReadOptions) -> None:
        self._source, self._table, self._context, self._options = source, table, context, options
        self._columns, self._left_out = _columns_of(table.schema, source.name)

    def table(self) -> Dataset:
        n = self.n_records() if self._options.sample is not None else self._table.n_records
        drawing, tallies = self._drawing(n), list[Tally]()
        self._refuse_too_large(n if drawing is None else drawing.most)
        self._leave_out_binary()
        if not self._columns:
            raise DataError(
                f"{self._source.name} has no columns that a table can hold.{' '.join(['', *self._remarks()])}",
                remedy="Choose another file, or save it with columns of numbers, texts or dates.",
                place=self._source.name,
            )
        numbers, marks_are_known = number_format(self._first_texts(), self._options)
        names = [column.name for column in self._columns]
        made = TypedTable(
            self._source,
            names,
            self._context,
            self._options,
            numbers=numbers,
            marks_are_known=marks_are_known,
            remarks=self._remarks(),
        )
        groups = self._groups()
        for number, columns in enumerate(groups):
            cells = [ColumnCells() for _ in columns]
            labels = [dict[str, str]() for _ in columns]
            counted = [
                Tally(numbers_of_marks(name, self._options)) for name in made.names[len(tallies) :][: len(columns)]
            ]
            tallies += counted
            first = 0
            for share, parts in self._parts(columns):
                self._context.advance(int(1e6 * (number + share)), 1_000_000 * len(groups))
                is_sampled = None if drawing is None else drawing.chosen(first + np.arange(len(parts[0])))
                first += len(parts[0])
                for column, cell, own, part, tally in zip(columns, cells, labels, parts, counted, strict=True):
                    if is_sampled is None:
                        _adder(column.type)(cell, part, own)
                        continue
                    whole = ColumnCells()
                    _adder(column.type)(whole, part, own)
                    whole.add_to(tally)
                    cell.add_sampled(whole, is_sampled)
            if not number:
                self._refuse_too_large(sum(len(part.values) for part in cells[0].parts))
            for column, cell, own in zip(columns, cells, labels, strict=True):
                is_ordered = pa.types.is_dictionary(column.type) and column.type.ordered
                made.add(cell, ColumnDetails(own, is_ordered, column.description))
        if drawing is None:
            return made.dataset()
        numbers_sampled = drawing.numbers(n, self._context.checkpoint)
        for place, inferred in enumerate(made.columns[:-1]):
            is_open = inferred.attribute.kind is AttributeKind.NUMERIC and made.names[place] not in self._options.kinds
            if is_open and counts_records(inferred.values, numbers_sampled, n):
                made.columns[place] = as_identifier(inferred)
        data = made.dataset()
        totals = column_totals(data.schema, made.columns, tallies, numbers, self._options)
        of_file = WholeFile(self._source.name, n, len(data), drawing.seed, totals)
        values = [data.column(index) for index in range(len(data.schema))]
        return sampled(Dataset(data.schema, values, row_ids=numbers_sampled, origin=data.origin), of_file)

    def _drawing(self, n: int) -> Drawing | None:
        """What draws the sample of the n records that is asked for; None where it has all of them."""
        options = self._options
        if options.sample is None or n <= options.sample:
            return None
        drawing = Drawing(options.sample, options.sample_seed)
        drawing.settle(n, self._context.checkpoint)
        return drawing

    def _groups(self) -> list[list[_Column]]:
        """The columns in groups that are read together; those of one field stay in one group."""
        size = -(-len(self._columns) // GROUPS)
        groups = list[list[_Column]]()
        for column in self._columns:
            if groups and (len(groups[-1]) < size or groups[-1][-1].field == column.field):
                groups[-1].append(column)
            else:
                groups.append([column])
        return groups

    def _parts(self, columns: Sequence[_Column]) -> Iterator[tuple[float, list[Array]]]:
        """The share of the file read, and the arrays of these columns, in batches."""
        fields = sorted({column.field for column in columns})
        place = {field: index for index, field in enumerate(fields)}
        for share, batch in self._table.batches(fields):
            self._context.checkpoint()
            if batch.num_rows:
                wholes = [batch.column(index) for index in range(batch.num_columns)]
                parts = [column.array(wholes[place[column.field]]) for column in columns]
                for part in parts:
                    part.validate(full=True)
                yield share, parts

    def _first_texts(self) -> list[list[str]]:
        """The texts of the first records, a list for each column of texts."""
        texts = [column for column in self._columns if _is_text(column.type)]
        first = next((parts for _, parts in self._parts(texts)), []) if texts else []
        rows = list[list[str]]()
        for codes, values in (_coded(part.slice(0, FIRST_RECORDS)) for part in first):
            labels = [*_plain_texts(values).to_pylist(), None]
            rows.append([labels[code] or "" for code in codes.tolist()])
        return rows

    def _leave_out_binary(self) -> None:
        """Leave out columns of bytes that are no text."""
        for column in [column for column in self._columns if _is_binary(column.type)]:
            try:
                for _, (part,) in self._parts([column]):
                    _plain_texts(_coded(part)[1])
            except pa.ArrowInvalid:
                self._columns.remove(column)
                self._left_out.setdefault("binary data", []).append(column.name)

    def _remarks(self) -> list[str]:
        parts = [f"{and_more(names, 5)} ({what})" for what, names in self._left_out.items()]
        return [f"Left out: {'; '.join(parts)}."] if parts else []

    def n_records(self) -> int:
        """The number of records, which only reading tells for a Feather file."""
        return self._table.n_records or sum(batch.num_rows for _, batch in self._table.batches([0]))

    @property
    def record_bytes(self) -> int:
        """The least number of bytes of a record in memory."""
        return sum(1 if _is_coded(column.type) else 8 for column in self._columns)

    def _refuse_too_large(self, n: int) -> None:
        """Raise :class:`DataError` if a table of n records cannot fit into memory, whatever its values are."""
        remedy = "Read a sample of it (--sample), close other programs, or save fewer columns or records in it."
        refuse_too_large(self._source.name, n, len(self._columns), n * self.record_bytes, remedy)


def _is_coded(type: Any) -> bool:
    """Whether a value of this type may be stored in one byte."""
    kinds = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_temporal)
    return not any(is_kind(type) for is_kind in kinds)


# ---- Writing ---------------------------------------------------------------------------------------------------------

ROW_GROUP: Final = 1 << 17
"""Number of records that are written at a time, and that readers read at a time."""
CELLS_AT_A_TIME: Final = 4_000_000

Converter = Callable[[Column], Any]
"""A function from stored values of a column to a ``pyarrow.Array``, which has no type hints."""


def write_parquet(path: str | Path, data: Dataset, context: RunContext | None = None) -> None:
    """Write the table as Parquet 2.6, compressed by Snappy; see :func:`_write`."""
    _write(path, data, context or RunContext(), lambda part, schema: pq.ParquetWriter(part, schema))


def write_feather(path: str | Path, data: Dataset, context: RunContext | None = None) -> None:
    """Write the table as Feather 2 (an Arrow IPC file), compressed by LZ4; see :func:`_write`."""
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    _write(path, data, context or RunContext(), lambda part, schema: pa.ipc.new_file(part, schema, options=options))


def _write(path: str | Path, data: Dataset, context: RunContext, opened: Callable[[str, Any], Any]) -> None:
    """Write all records by the writer that ``opened(path, schema)`` returns.

    Numbers without fractions become int64, others double. Nominal attributes become dictionaries with all their values
    in order, ordinal ones ordered dictionaries, dates date32 or timestamps in microseconds (UTC, without a zone), texts
    strings. Descriptions stand in the metadata of the fields. The file at ``path`` is replaced only when the new one is
    complete. Raises :class:`DataError` if it cannot be written; the old file then stays.
    """
    fields, converters = list[Any](), list[Converter]()
    for index, attribute in enumerate(data.schema.attributes):
        context.checkpoint()
        type, convert = _conversion(attribute, data.column(index))
        metadata = {"description": attribute.description} if attribute.description else None
        fields.append(pa.field(attribute.name, type, metadata=metadata))
        converters.append(convert)
    schema = pa.schema(fields)
    try:
        with (
            replacing_or(DataError, path, commit=context.commit) as part,
            closing(opened(str(part), schema)) as writer,
        ):
            for rows in _slices(data, context):
                arrays = [convert(data.cells(i, rows)) for i, convert in enumerate(converters)]
                writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            context.checkpoint()
    except pa.ArrowException as error:
        raise DataError(
            f"The table cannot be written in this format: {str(error).partition('.')[0]}.",
            remedy="Save it as CSV.",
            place=str(path),
        ) from error


def _slices(data: Dataset, context: RunContext) -> Iterator[Any]:
    """The rows in slices of so many cells that a stop is heard soon; at least one slice."""
    step = max(1, min(ROW_GROUP, CELLS_AT_A_TIME // max(1, len(data.schema))))
    for start in range(0, max(1, len(data)), step):
        context.checkpoint()
        context.advance(start, max(1, len(data)))
        yield np.arange(start, min(start + step, len(data)))


def _conversion(attribute: Attribute, column: Column) -> tuple[Any, Converter]:
    """The type of a column, and the function that converts parts of it."""
    if attribute.kind.is_coded:
        labels = pa.array(attribute.values, pa.string())
        ordered = attribute.kind is AttributeKind.ORDINAL
        type = pa.dictionary(pa.int32(), pa.string(), ordered=ordered)

        def coded(cells: Column) -> Any:
            codes = pa.array(cells.astype(np.int32), mask=cells < 0)
            return pa.DictionaryArray.from_arrays(codes, labels, ordered=ordered)

        return type, coded
    if attribute.kind is AttributeKind.NUMERIC:
        if is_whole(column):
            return pa.int64(), lambda cells: pa.array(
                np.nan_to_num(cells).astype(np.int64), pa.int64(), mask=np.isnan(cells)
            )
        return pa.float64(), lambda cells: pa.array(cells, pa.float64(), mask=np.isnan(cells))
    if attribute.kind is AttributeKind.DATE:
        is_days = bool(np.all(column[~np.isnan(column)] % 86400 == 0))
        type = pa.date32() if is_days else pa.timestamp("us")
        unit = "datetime64[D]" if is_days else "datetime64[us]"

        def moments(cells: Column) -> Any:
            return pa.array(np.round(cells * 1e6).astype("datetime64[us]").astype(unit), type)

        return type, moments
    return pa.string(), lambda cells: pa.array(
        [value if isinstance(value, str) else None for value in cells.tolist()], pa.string()
    )
