"""Survey of a text table too large for memory: one pass infers its schema and samples its records.

The record's number and the seed decide whether it is in the sample, so the same file gives the same sample. All
spellings of a column with few distinct values are known afterwards, and the statistics of all records.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.run_control import RunContext
from algorithms.data.columns import IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.number_formats import NumberFormat
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.data.whole_file import ColumnTotals, WholeFile
from algorithms.io.column_inference import InferredColumn
from algorithms.io.column_pieces import CodePiece, ColumnPieces, NumberPiece, Piece, Storage, StringPiece
from algorithms.io.text.delimited import DelimitedReading, FileHead, opened, recognised_options
from algorithms.io.text.options import ReadOptions
from algorithms.io.text.parsing import Parsed, parse
from algorithms.io.text.sampling import (
    Drawing,
    Tally,
    as_identifier,
    column_totals,
    counts_records,
    numbers_of_marks,
    sampled,
)
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
    whole: WholeFile
    """The statistics of all records."""

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


def survey(
    source: TextFile, context: RunContext, options: ReadOptions | None = None, most: int = SAMPLE, seed: int = 0
) -> Survey:
    """The survey of a text table, as far as read if finished early; raises :class:`DataError`, :class:`Cancelled`."""
    given = options or ReadOptions()

    def attempt(encoding: str | None) -> Survey:
        opening = opened(source, given, encoding)
        context.publish(recognised_options(opening, given))
        with helpers(context.executor, source.size > LARGEST_BLOCK) as executor:
            reading = _Surveying(source, context, given, opening, executor, Drawing(most, seed))
            table = reading.table()
        sample = Dataset(
            table.schema,
            [table.column(i) for i in range(len(table.schema))],
            row_ids=reading.numbers,
            origin=table.origin,
        )
        n, is_partial = reading.n_records, context.finishing
        read_in = encoding or given.encoding
        whole = WholeFile(source.name, n, len(sample), seed, reading.totals(table.schema), is_partial)
        return Survey(source.path, sample, n, is_partial, given, opening, read_in, reading.forms, whole)

    return in_fitting_encoding(source, given.encoding, attempt)


def read_sample(source: TextFile, context: RunContext, options: ReadOptions) -> Dataset:
    """A sample of the records of a text table, all of them where they are few; raises :class:`DataError`."""
    surveyed = survey(source, context, options, options.sample or SAMPLE, options.sample_seed)
    is_whole = surveyed.n_records == len(surveyed.sample) and not surveyed.partial
    return surveyed.sample if is_whole else sampled(surveyed.sample, surveyed.whole)


class _SampledColumn(ColumnPieces):
    """The pieces of a column of which only sampled records are stored, but every spelling."""

    def counts_of(self, codes: NDArray[Any]) -> IntArray:
        """The counts of the sample; a spelling that occurs only outside the sample counts once."""
        return np.maximum(super().counts_of(codes), 1)


class _InPieces(DelimitedReading):
    """A reading in smaller blocks, which may last for minutes and still ends soon after a stop."""

    largest_block = LARGEST_PIECE


class _Surveying(_InPieces):
    """A reading that stores only a sample of the records and counts all of them.

    The sample may grow a quarter too large before it is cut, so that this happens rarely.
    """

    def __init__(
        self,
        source: TextFile,
        context: RunContext,
        options: ReadOptions,
        opening: FileHead,
        executor: Executor | None,
        drawing: Drawing,
    ) -> None:
        super().__init__(source, context, options, opening, executor)
        self.columns = [_SampledColumn() for _ in opening.names]
        self._tallies = [Tally(numbers_of_marks(name, options)) for name in opening.names]
        self._inferred: dict[str, InferredColumn] = {}
        self._drawing = drawing
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
        for index, piece in parsed.pieces.items():
            self._tallies[index].add(piece)
        kept = self._drawing.chosen(first + np.arange(parsed.n_records))
        self._firsts.append(first)
        self._numbers.append(first + np.flatnonzero(kept))
        super()._gather(replace(parsed, pieces={i: _part(piece, kept) for i, piece in parsed.pieces.items()}))
        if sum(map(len, self._numbers)) > 1.25 * self._drawing.most:
            self._cut()

    def _cut(self) -> None:
        """Drop records until the sample has its size."""
        self._drawing.tighten(self.numbers)
        for place, numbers in enumerate(self._numbers):
            kept = self._drawing.chosen(numbers)
            if kept.all():
                continue
            self._numbers[place] = numbers[kept]
            for column in self.columns:
                column.pieces[place] = _part(column.pieces[place], kept)

    def _read_again(self) -> None:
        self._cut()
        super()._read_again()

    def _reread(self, indices: Collection[int]) -> None:
        for index in indices:
            self._tallies[index].take_back_numbers()

    def _kept(self, index: int, piece: Piece, n_block: int) -> Piece:
        self._tallies[index].add(piece)
        return _part(piece, self._drawing.chosen(self._firsts[n_block] + np.arange(len(piece))))

    def totals(self, schema: Schema) -> dict[str, ColumnTotals]:
        """The totals of all columns that the pass tells, by name."""
        columns = [self._inferred[name] for name in self.opening.names]
        return column_totals(schema, columns, self._tallies, self.opening.layout.numbers, self.options)

    def _blocks(self) -> Iterator[Any]:
        for block in super()._blocks():
            if self.context.finishing and self._numbers:
                return
            yield block

    def _where(self, record: int) -> str:
        numbers = self.numbers
        return f"record {int(numbers[record]) + 1:,}" if record < len(numbers) else "a record"

    def _column(self, index: int) -> InferredColumn:
        column = self._inferred[self.opening.names[index]] = super()._column(index)
        given = self.opening.names[index] in self.options.kinds or index == len(self.columns) - 1
        if (
            given
            or column.attribute.kind is not AttributeKind.NUMERIC
            or not counts_records(column.values, self.numbers, self._read_so_far)
        ):
            return column
        return as_identifier(column)


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
