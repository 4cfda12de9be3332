"""LIBSVM (svmlight) text: a label and the numbers that are not zero in each line, as ``1 qid:7 3:0.5 12:2 # remark``.

Each index becomes a numeric attribute, named ``att_3`` as in Weka; those that a record does not list are 0. Labels are
the class, numbers of queries (qid) an identifier. The table is dense, so its size is checked before it is filled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import STRING, FloatArray, IntArray, smallest_code_dtype
from algorithms.data.convert_kind import recast
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.schema import Attribute, AttributeKind, Schema, nominal
from algorithms.io.column_meaning import sorted_naturally, with_guessed_class
from algorithms.io.foreign_formats import is_libsvm_text
from algorithms.io.text.layout_recognition import SAMPLE_SIZE, recognise_encoding
from algorithms.io.text.options import MOST_COLUMNS, ReadOptions
from algorithms.io.text.text_source import (
    LARGEST_BLOCK,
    RecordFormat,
    TextBlock,
    TextFile,
    block_size,
    blocks,
    helpers,
    in_fitting_encoding,
    in_order,
)
from algorithms.io.typed_columns import no_records, refuse_too_large

MANY_CLASSES: Final = 20
MOST_CLASSES: Final = 1000
"""Whole labels are classes if they are few, or up to this many and ten times as many records."""
_LINE: Final = re.compile(rb"[^\s:]++(?:\s+qid:\d{1,18}+)?+(?:\s+\d{1,9}+:[^\s:_]++)*+")
_QUERY: Final = re.compile(rb"\s+qid:(\d+)")


@dataclass(frozen=True, eq=False)
class _Part:
    """The records of a block: ``lengths`` are the numbers of pairs; missing queries are empty."""

    labels: Sequence[str]
    queries: Sequence[str]
    lengths: IntArray
    indices: NDArray[np.int32]
    values: FloatArray


def is_libsvm(source: TextFile, is_named: bool) -> bool:
    """Whether every line of the first part is a label and pairs; of a file of that name, whether the first is one."""
    head = source.head(SAMPLE_SIZE)
    text = head.decode(recognise_encoding(head), "ignore").lstrip("\ufeff")
    if is_named:
        lines = (line for line in text.splitlines() if line.partition("#")[0].strip())
        text = next(lines, "")
    return is_libsvm_text(text) or (is_named and not text)


def read_libsvm(source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
    """The dense table; raises :class:`DataError` with the line of an error, or with the width that does not fit."""
    context.say(f"Reading {source.name}")

    def read(encoding: str | None) -> Dataset:
        chosen = encoding or recognise_encoding(source.head(SAMPLE_SIZE))
        with helpers(context.executor, source.size > LARGEST_BLOCK) as executor:
            parts, width = list[_Part](), 0
            blocks_of_text = _blocks(source, chosen, context, guessed=options.encoding is None)
            for part in in_order(executor, lambda block: _parsed(block, source), blocks_of_text, context.checkpoint):
                width = max(width, int(part.indices.max(initial=0)))
                parts.append(part)
                _refuse_too_many(source, parts)
                if width > MOST_COLUMNS:  # only the width is still of interest
                    parts.clear()
        _refuse_wide(source, width)
        return _table(source, parts, context, options)

    return in_fitting_encoding(source, options.encoding, read)


def _blocks(source: TextFile, encoding: str, context: RunContext, *, guessed: bool) -> Iterator[TextBlock]:
    head = source.head(SAMPLE_SIZE)
    shape = RecordFormat(b" ", b"", b"\r" in head and b"\n" not in head)
    for block in blocks(source.text(encoding, guessed=guessed), shape, block_size(source, 1), source):
        context.advance(source.position, max(1, source.size))
        yield block


def _parsed(block: TextBlock, source: TextFile) -> _Part:
    labels, queries, lengths, pairs, lines = list[str](), list[str](), list[int](), list[bytes](), list[int]()
    for number, line in enumerate(block.data.split(b"\n"), block.first_line):
        record = line.partition(b"#")[0].strip()
        if not record:
            continue
        if not _LINE.fullmatch(record):
            raise _no_record(source, number)
        query = _QUERY.search(record)
        label, *rest = record.split()
        own = rest[1:] if query else rest
        labels.append(label.decode())
        queries.append(query[1].decode() if query else "")
        lengths.append(len(own))
        lines.append(number)
        pairs += own
    try:
        flat = np.array([float(part) for pair in pairs for part in pair.split(b":")])
    except ValueError:
        raise _no_record(source, _line_of_no_number(pairs, lengths, lines)) from None
    indices = flat[0::2].astype(np.int32)
    starts = np.fromiter(accumulate(lengths, initial=0), dtype=np.int64)
    falls = np.flatnonzero(np.diff(indices) <= 0) + 1
    wrong = falls[~np.isin(falls, starts)]
    if len(wrong):
        position = int(np.searchsorted(starts, wrong[0], side="right")) - 1
        raise DataError(
            f"The index {indices[wrong[0]]} does not follow on a smaller one.",
            remedy="List each index once, in ascending order.",
            place=source.place(lines[position]),
        )
    return _Part(labels, queries, np.array(lengths, dtype=np.int64), indices, flat[1::2])


def _line_of_no_number(pairs: Sequence[bytes], lengths: Sequence[int], lines: Sequence[int]) -> int:
    position = 0
    for length, line in zip(lengths, lines, strict=True):
        for pair in pairs[position : position + length]:
            try:
                float(pair.partition(b":")[2])
            except ValueError:
                return line
        position += length
    return lines[-1]


def _no_record(source: TextFile, line: int) -> DataError:
    return DataError(
        "This line is not a label with pairs of an index and a number.",
        remedy="Write it as in 1 3:0.5 12:2, or leave it out.",
        place=source.place(line),
    )


def _refuse_too_many(source: TextFile, parts: Sequence[_Part]) -> None:
    n, n_pairs = sum(len(part.labels) for part in parts), sum(len(part.values) for part in parts)
    refuse_too_large(source.name, n, 1 + max(int(part.indices.max(initial=0)) for part in parts), n_pairs)


def _refuse_wide(source: TextFile, width: int) -> None:
    if width > MOST_COLUMNS:
        raise DataError(
            f"{source.name} has {width:,} attributes, and a table can have {MOST_COLUMNS:,}.",
            remedy="Keep the most frequent attributes, or combine them, with another program and open that.",
            place=source.name,
        )


def _table(source: TextFile, parts: Sequence[_Part], context: RunContext, options: ReadOptions) -> Dataset:
    labels = [label for part in parts for label in part.labels]
    queries = [query for part in parts for query in part.queries]
    if not labels:
        raise no_records(source.name)
    indices = np.concatenate([part.indices for part in parts])
    values = np.concatenate([part.values for part in parts])
    lengths = np.concatenate([part.lengths for part in parts])
    first, width = min(1, int(indices.min(initial=1))), int(indices.max(initial=0))
    n_columns = max(0, width + 1 - first)
    refuse_too_large(source.name, len(labels), n_columns, 8 * len(labels) * n_columns)
    is_number = np.isfinite(values)
    columns = [*_dense(len(labels), lengths, indices, np.where(is_number, values, np.nan), first, width, context)]
    attributes = [Attribute(f"att_{index}", AttributeKind.NUMERIC) for index in range(first, width + 1)]
    if any(queries):
        attributes.append(Attribute("qid", AttributeKind.IDENTIFIER))
        columns.append(np.array([query or np.nan for query in queries], dtype=STRING))
    attribute, column = _class(labels)
    schema = Schema((*attributes, attribute), len(attributes))
    remark = "Values that a record does not list are 0."
    remark += "" if is_number.all() else " Values that are infinite or no numbers count as missing."
    origin = DataOrigin(source.path.stem, str(source.path), remark)
    data = Dataset(schema, [*columns, column], origin=origin)
    for name, kind in options.kinds.items():
        if name in data.schema:
            data = recast(data, data.schema.index_of(name), kind, context.checkpoint)
    if options.class_name is not None:
        data = data.with_schema(with_guessed_class(data.schema, options.class_name))
    return data


def _dense(
    n: int,
    lengths: IntArray,
    indices: NDArray[np.int32],
    values: FloatArray,
    first: int,
    width: int,
    context: RunContext,
) -> Iterator[NDArray[Any]]:
    """The columns from index ``first`` to ``width``, 0 where a record does not list the index."""
    order = np.argsort(indices, kind="stable")
    rows, values = np.repeat(np.arange(n), lengths)[order], values[order]
    bounds = np.searchsorted(indices[order], np.arange(first, width + 2))
    for start, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        context.checkpoint()
        column = np.zeros(n)
        column[rows[start:end]] = values[start:end]
        yield column


def _class(labels: Sequence[str]) -> tuple[Attribute, NDArray[Any]]:
    """The class: nominal, or numeric if the labels are numbers that are no numbers of classes."""
    try:
        numbers = np.array([float(label.replace("_", ":")) for label in labels])  # 1_0 is a name, for Python 10
    except ValueError:  # several labels (1,3) or names
        return _nominal(labels)
    distinct = np.unique(numbers)
    n = len(distinct)
    is_whole = bool(np.all(np.isfinite(distinct)) and np.all(distinct == np.floor(distinct)))
    if is_whole and (n <= MANY_CLASSES or n <= min(MOST_CLASSES, len(labels) // 10)):
        return _nominal([f"{number:.0f}" for number in (numbers + 0.0).tolist()])
    return Attribute("class", AttributeKind.NUMERIC), np.where(np.isfinite(numbers), numbers, np.nan)


def _nominal(labels: Sequence[str]) -> tuple[Attribute, NDArray[Any]]:
    values = sorted_naturally(set(labels))
    code_of = {value: code for code, value in enumerate(values)}
    return nominal("class", values), np.array(
        [code_of[label] for label in labels], dtype=smallest_code_dtype(len(values))
    )
