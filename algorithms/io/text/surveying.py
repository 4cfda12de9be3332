"""Survey of a text table too large for memory: one pass infers its schema and samples its records.

The record's number alone decides whether it is in the sample, so the same file gives the same sample. All spellings of
a column with few distinct values are known afterwards; the sample alone represents numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.number_formats import NumberFormat
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.io.column_inference import InferredColumn
from algorithms.io.column_meaning import WIDEST_COUNT
from algorithms.io.column_pieces import CodePiece, ColumnPieces, NumberPiece, Piece, Storage, StringPiece
from algorithms.io.reading import TEXT, format_of, opened_file
from algorithms.io.text.delimited import DelimitedReading, FileHead, opened
from algorithms.io.text.options import ReadOptions
from algorithms.io.text.parsing import Parsed, parse
from algorithms.io.text.text_source import LARGEST_BLOCK, TextFile, helpers, in_fitting_encoding

SAMPLE: Final = 200_000
"""Largest number of records in the sample."""

LARGEST_PIECE: Final = 1 << 22
"""Largest number of bytes parsed at a time: some tenths of a second of work for each core."""


@dataclass(frozen=True, eq=False)
class RecordBlock:
    """Consecutive records from number ``first`` on; ``columns`` are values by index, as a data set stores them."""

    first: int
    n: int
    columns: Mapping[int, NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Survey:
    """The result of one pass over a file: its number of records, and a ``sample`` of them.

    The sample's schema is that of the whole file; its row ids are the records' numbers, from 0. ``partial`` says that
    the pass ended before the end of the file.
    """

    path: Path
    sample: Dataset
    n_records: int
    partial: bool
    options: ReadOptions
    opening: FileHead
    encoding: str | None
    forms: tuple[NumberFormat, ...]
    """The number format of each column."""

    def rows(self, context: RunContext, wanted: tuple[int, ...], schema: Schema) -> Iterator[RecordBlock]:
        """Yields all records in order, block by block: only the ``wanted`` columns, as ``schema`` describes them.

        Labels outside the schema and invalid numbers become missing. The context's progress is the share of bytes read.
        Reading ends on a stop or finish; the caller has to check whether the context is finishing.
        """
        with TextFile(self.path) as source, helpers(context.executor, source.size > LARGEST_BLOCK) as executor:
            usual = self.opening.layout.numbers
            storage = [Storage.CODES] * len(schema)
            for i in wanted:
                if schema.attributes[i].kind is AttributeKind.NUMERIC and self.forms[i] == usual:
                    storage[i] = Storage.NUMBERS
            reading = _InPieces(source, context, self.options, self.opening, executor, storage)
            yield from _rows(reading, context, wanted, schema, self.forms)


def survey(path: str | Path, context: RunContext, options: ReadOptions | None = None, most: int = SAMPLE) -> Survey:
    """The survey of a text table, as far as read if finished early; raises :class:`DataError`, :class:`Cancelled`."""
    given = options or ReadOptions()
    with opened_file(path) as source:
        if format_of(source) is not TEXT:
            raise DataError(
                f"{source.name} is no text table, and only those can be read in pieces.",
                remedy="Save it as CSV.",
                place=source.name,
            )

        def attempt(encoding: str | None) -> Survey:
            opening = opened(source, given, encoding)
            with helpers(context.executor, source.size > LARGEST_BLOCK) as executor:
                reading = _Surveying(source, context, given, opening, executor, most)
                table = reading.table()
            sample = Dataset(
                table.schema,
                [table.column(i) for i in range(len(table.schema))],
                row_ids=reading.numbers,
                origin=table.origin,
            )
            partial, read_in = context.finishing, encoding or given.encoding
            return Survey(source.path, sample, reading.n_records, partial, given, opening, read_in, reading.forms)

        return in_fitting_encoding(source, given.encoding, attempt)


class _SampledColumn(ColumnPieces):
    """The pieces of a column of which only sampled records are stored, but every spelling."""

    def counts_of(self, codes: NDArray[Any]) -> IntArray:
        """The counts of the sample; a spelling that occurs only outside the sample counts once."""
        return np.maximum(super().counts_of(codes), 1)


class _InPieces(DelimitedReading):
    """A reading in smaller blocks, which may last for minutes and still ends soon after a stop."""

    largest_block = LARGEST_PIECE


class _Surveying(_InPieces):
    """A reading that stores only a sample of the records: it halves the sample whenever that becomes too large."""

    def __init__(
        self,
        source: TextFile,
        context: RunContext,
        options: ReadOptions,
        opening: FileHead,
        executor: Executor | None,
        most: int,
    ) -> None:
        super().__init__(source, context, options, opening, executor)
        self.columns = [_SampledColumn() for _ in opening.names]
        self._most, self._halvings = most, 0
        self._numbers: list[IntArray] = []
        self._firsts: list[int] = []
        self._read_so_far = 0

    @property
    def n_records(self) -> int:
        return self._read_so_far

    @property
    def numbers(self) -> IntArray:
        """The numbers of the sampled records, ascending."""
        return np.concatenate(self._numbers) if self._numbers else np.zeros(0, dtype=np.int64)

    def _gather(self, parsed: Parsed) -> None:
        first = self._read_so_far
        self._read_so_far += parsed.n_records
        kept = _chosen(first + np.arange(parsed.n_records), self._halvings)
        self._firsts.append(first)
        self._numbers.append(first + np.flatnonzero(kept))
        super()._gather(replace(parsed, pieces={i: _part(piece, kept) for i, piece in parsed.pieces.items()}))
        while sum(map(len, self._numbers)) > self._most:
            self._halve()

    def _halve(self) -> None:
        self._halvings += 1
        for place, numbers in enumerate(self._numbers):
            kept = _chosen(numbers, self._halvings)
            self._numbers[place] = numbers[kept]
            for column in self.columns:
                column.pieces[place] = _part(column.pieces[place], kept)

    def _kept(self, piece: Piece, n_block: int) -> Piece:
        return _part(piece, _chosen(self._firsts[n_block] + np.arange(len(piece)), self._halvings))

    def _blocks(self) -> Iterator[Any]:
        for block in super()._blocks():
            if self.context.finishing and self._numbers:
                return
            yield block

    def _where(self, record: int) -> str:
        numbers = self.numbers
        return f"record {int(numbers[record]) + 1:,}" if record < len(numbers) else "a record"

    def _column(self, index: int) -> InferredColumn:
        column = super()._column(index)
        given = self.opening.names[index] in self.options.kinds or index == len(self.columns) - 1
        if given or column.attribute.kind is not AttributeKind.NUMERIC or not self._counts_records(column.values):
            return column
        spelled = np.array([f"{value:.0f}" for value in column.values.tolist()], dtype=object)
        return InferredColumn(replace(column.attribute, kind=AttributeKind.IDENTIFIER), spelled)

    def _counts_records(self, values: NDArray[np.float64]) -> bool:
        """Whether the values ascend and skip few numbers, so that they only count the records."""
        if self._read_so_far == len(values) or len(values) < 2 or np.isnan(values).any():
            return False
        width = float(values[-1] - values[0])
        passed = float(self.numbers[-1] - self.numbers[0])
        whole = bool(np.all(values == np.floor(values)) and np.all(np.diff(values) > 0))
        return whole and passed <= width <= WIDEST_COUNT * passed


def _chosen(numbers: IntArray, halvings: int) -> NDArray[np.bool_]:
    """Mask of the records that remain in the sample after so many halvings, by their numbers."""
    if not halvings:
        return np.ones(len(numbers), dtype=np.bool_)
    return np.asarray(scattered(numbers, 0) >> np.uint64(64 - halvings) == 0)


def scattered(numbers: IntArray, seed: int) -> NDArray[np.uint64]:
    """Pseudo-random 64-bit hashes of the numbers, which depend on the seed (splitmix64: Steele 2014)."""
    with np.errstate(over="ignore"):
        x = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        x += np.uint64(seed % (1 << 64)) * np.uint64(0xD1342543DE82EF95)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


def _part(piece: Piece, kept: NDArray[np.bool_]) -> Piece:
    if isinstance(piece, NumberPiece):
        return NumberPiece(piece.values[kept], piece.infinite)
    if isinstance(piece, CodePiece):
        return CodePiece(piece.codes[kept], piece.spellings)
    return StringPiece(piece.values[kept], piece.hashes[kept])


def _rows(
    reading: DelimitedReading,
    context: RunContext,
    wanted: tuple[int, ...],
    schema: Schema,
    forms: Sequence[NumberFormat],
) -> Iterator[RecordBlock]:
    read: list[Callable[[Piece], NDArray[Any]]] = [_reader(schema.attributes[i], forms[i]) for i in wanted]
    first = 0
    for parsed in reading.parsed(lambda block: parse(block, reading.plan, wanted)):
        if context.finishing:
            context.checkpoint()
            return
        columns = {i: convert(parsed.pieces[i]) for i, convert in zip(wanted, read, strict=True)}
        yield RecordBlock(first, parsed.n_records, columns)
        first += parsed.n_records


def _reader(attribute: Attribute, numbers: NumberFormat) -> Callable[[Piece], NDArray[Any]]:
    """A function that converts a piece to a column of this attribute; ``numbers`` is its number format."""
    code_of = {value: code for code, value in enumerate(attribute.values)}

    def coded(piece: Piece) -> NDArray[Any]:
        assert isinstance(piece, CodePiece)
        return np.array([*(code_of.get(s, -1) for s in piece.spellings), -1], dtype=np.int32)[piece.codes]

    def number(piece: Piece) -> NDArray[Any]:
        if isinstance(piece, NumberPiece):
            return piece.values
        assert isinstance(piece, CodePiece)
        return np.array([*map(numbers.parse, piece.spellings), np.nan])[piece.codes]

    return coded if attribute.kind.is_coded else number
