"""Writing of Parquet and Feather (Arrow) files by pyarrow, with types, labels and descriptions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from algorithms.core.errors import DataError
from algorithms.core.files import replacing_or
from algorithms.core.run_control import RunContext
from algorithms.data.columns import Column, is_whole
from algorithms.data.dataset import Dataset
from algorithms.data.schema import Attribute, AttributeKind

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
