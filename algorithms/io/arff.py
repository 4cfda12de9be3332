"""ARFF, the attribute-relation file format of Weka: a header that declares the attributes, then the records.

Blocks of plain lines go through the same fast parser as delimited text; blocks with escapes, sparse records, weights
or comments, and every block in which something is wrong, are read line by line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from algorithms.core.columns import STRING, smallest_code_dtype
from algorithms.core.context import RunContext
from algorithms.core.data import Dataset, Origin
from algorithms.core.dates import parse_dates
from algorithms.core.errors import DataError
from algorithms.core.recast import recast
from algorithms.core.schema import Attribute, Kind, Schema
from algorithms.io.arff_header import ArffHeader, read_header
from algorithms.io.arff_rows import ArffColumn, ArffPart, LongIntegers, parse_lines
from algorithms.io.classes import with_guessed_class
from algorithms.io.flow import helpers, in_order
from algorithms.io.inference import kind_by_recurrence
from algorithms.io.options import ReadOptions
from algorithms.io.parsing import LARGEST_EXACT, Plan, evenly_delimited, try_columns
from algorithms.io.pieces import CodePiece, NumberPiece, Piece, Storage, StringPiece, string_piece
from algorithms.io.recognise import Layout, recognise_encoding
from algorithms.io.source import LARGEST_BLOCK, Block, Shape, Source, block_size, blocks, in_fitting_encoding

_COMMENT_LINE: Final = re.compile(rb"^[ \t]*(?:%.*)?\r?\n", re.M)
_STORED: Final = {Kind.NUMERIC: Storage.NUMBERS, Kind.NOMINAL: Storage.CODES}


def is_arff(head: bytes) -> bool:
    """Whether a text begins as ARFF does: comments, then @relation or @attribute."""
    text = head.decode("utf-8", "ignore").lstrip("\ufeff")
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("%"):
            return line.lstrip().lower().startswith(("@relation", "@attribute"))
    return False


def read_arff(source: Source, context: RunContext, options: ReadOptions) -> Dataset:
    """The table in an ARFF file; raises :class:`DataError` with the line for whatever is wrong in it."""

    def attempt(encoding: str | None) -> Dataset:
        found = encoding or recognise_encoding(source.head(1 << 18))
        spelled: frozenset[int] = frozenset()
        while True:
            try:
                with helpers(context.executor, source.size > LARGEST_BLOCK) as executor:
                    return _ArffReading(source, context, options, found, executor, spelled).table()
            except LongIntegers as wide:
                spelled |= {wide.index}

    return in_fitting_encoding(source, options.encoding, attempt)


class _ArffReading:
    """One reading of one file."""

    def __init__(
        self,
        source: Source,
        context: RunContext,
        options: ReadOptions,
        encoding: str,
        executor: Executor | None,
        spelled: frozenset[int],
    ) -> None:
        self.source, self.context, self.options = source, context, options
        self.encoding, self.executor = encoding, executor
        first = next(source.text(encoding, guessed=options.encoding is None), b"")
        self.carriage_returns = b"\r" in first and b"\n" not in first
        self.header = _with_strings(read_header(self._lines(), source), spelled)
        storage = tuple(_STORED.get(a.kind, Storage.STRINGS) for a in self.header.attributes)
        self.plans = {
            quote: Plan(_layout(encoding, quote, self.header), storage, ("", "?"), "refuse", source.name)
            for quote in ("", "'", '"')
        }

    def table(self) -> Dataset:
        self.context.say(f"Reading {self.source.name}")
        parts = list(in_order(self.executor, self._parsed, self._blocks(), self.context.checkpoint))
        n_records = sum(part.n_records for part in parts)
        if n_records == 0:
            raise DataError(
                f"{self.source.name} declares attributes but holds no records.",
                remedy="Choose a file with records after @data.",
                place=self.source.name,
            )
        columns: list[Any] = []
        attributes: list[Attribute] = []
        named = self.options.class_name
        last = self._class_position()
        for index, attribute in enumerate(self.header.attributes):
            self.context.checkpoint()
            column = _whole(attribute, [part.columns[index] for part in parts])
            is_class = attribute.name == named if named else index == last
            settled, values = _settled(attribute, column, is_class)
            attributes.append(settled)
            columns.append(values)
        weights = _weights(parts)
        origin = Origin(self.source.path.stem, str(self.source.path), self.header.relation)
        data = Dataset(Schema(tuple(attributes)), columns, weights=weights, origin=origin)
        for name, kind in self.options.kinds.items():
            if name in data.schema:
                data = recast(data, data.schema.index_of(name), kind, self.context.checkpoint)
        return data.with_schema(with_guessed_class(data.schema, self.options.class_name))

    def _class_position(self) -> int | None:
        schema = with_guessed_class(Schema(self.header.attributes), None)
        return schema.class_index

    def _lines(self) -> Iterator[str]:
        kept = b""
        for piece in self.source.text(self.encoding, guessed=self.options.encoding is None):
            piece = piece.replace(b"\r", b"\n") if self.carriage_returns else piece
            *lines, kept = (kept + piece).split(b"\n")
            for line in lines:
                yield line.decode("utf-8")
        if kept:
            yield kept.decode("utf-8")

    def _blocks(self) -> Iterator[Block]:
        pieces = self.source.text(self.encoding, guessed=self.options.encoding is None)
        size = block_size(self.source, len(self.header.attributes))
        skip = self.header.n_lines
        for block in blocks(pieces, Shape(b",", b"", self.carriage_returns), size, self.source):
            self.context.advance(self.source.position, max(1, self.source.size))
            lines = block.data.count(b"\n")
            if skip >= lines:
                skip -= lines
                continue
            data = block.data.split(b"\n", skip)[-1]
            yield Block(block.index, block.first_line + skip, data)
            skip = 0

    def _parsed(self, block: Block) -> ArffPart:
        data = _COMMENT_LINE.sub(b"", block.data) if b"%" in block.data else block.data
        quote = _quote_of(data)
        if quote is not None and data.strip():
            part = _parsed_fast(Block(block.index, block.first_line, data), self.header, self.plans[quote])
            if part is not None:
                return part
        return parse_lines(block, self.header, self.source.name, self.context.checkpoint)


def _with_strings(header: ArffHeader, spelled: frozenset[int]) -> ArffHeader:
    """The header with some attributes made strings."""
    attributes = tuple(
        Attribute(attribute.name, Kind.TEXT) if index in spelled else attribute
        for index, attribute in enumerate(header.attributes)
    )
    return replace(header, attributes=attributes)


def _layout(encoding: str, quote: str, header: ArffHeader) -> Layout:
    names = tuple(attribute.name for attribute in header.attributes)
    return Layout(encoding, ",", quote, ".", "", False, False, names)


def _quote_of(data: bytes) -> str | None:
    """The one quote that the block uses ("" for none); None where it must be read line by line."""
    if b"\\" in data or b"{" in data or b"%" in data:
        return None
    single, double = b"'" in data, b'"' in data
    if single and double:
        return None
    quote = b"'" if single else b'"'
    if (single or double) and quote + b"?" + quote in data:
        return None
    return quote.decode() if single or double else ""


def _parsed_fast(block: Block, header: ArffHeader, plan: Plan) -> ArffPart | None:
    """The block's records by the fast parser; None where anything is not as plain as it must be for that."""
    if not evenly_delimited(block.data, plan):
        return None
    try:
        pieces = try_columns(block.data, plan, range(len(plan.storage)))
    except pd.errors.ParserError:
        return None
    if pieces is None:
        return None
    columns: list[ArffColumn] = []
    for index, attribute in enumerate(header.attributes):
        column = _plain_column(attribute, pieces[index], header.date_format(index))
        if column is None:
            return None
        columns.append(column)
    return ArffPart(block, columns, None, len(pieces[0]))


def _plain_column(attribute: Attribute, piece: Piece, date_format: str) -> ArffColumn | None:
    if isinstance(piece, NumberPiece):
        with np.errstate(invalid="ignore"):
            too_large = piece.infinite or np.any(np.abs(piece.values) >= LARGEST_EXACT)
            return None if too_large else piece.values
    if isinstance(piece, CodePiece):
        code_of = {value: code for code, value in enumerate(attribute.values)}
        table = [-1 if s in ("?", "") else code_of.get(s, -2) for s in piece.spellings]
        if -2 in table:
            return None
        return np.array([*table, -1], dtype=smallest_code_dtype(len(attribute.values)))[piece.codes]
    cells = [v if isinstance(v, str) and v not in ("?", "") else None for v in piece.values.tolist()]
    if attribute.kind is Kind.DATE:
        values = parse_dates([cell or "" for cell in cells], date_format)
        wrong = any(cell is not None and bad for cell, bad in zip(cells, np.isnan(values).tolist(), strict=True))
        return None if wrong else values
    return string_piece(np.array([np.nan if cell is None else cell for cell in cells], dtype=object))


def _whole(attribute: Attribute, parts: Sequence[ArffColumn]) -> ArffColumn:
    pieces = [part for part in parts if isinstance(part, StringPiece)]
    if pieces:
        values = np.empty(sum(map(len, pieces)), dtype=STRING)
        start = 0
        for piece in pieces:
            values[start : start + len(piece)] = piece.values
            start += len(piece)
        return StringPiece(values, np.concatenate([piece.hashes for piece in pieces]))
    return np.concatenate([part for part in parts if not isinstance(part, StringPiece)])


def _settled(attribute: Attribute, column: ArffColumn, is_class: bool) -> tuple[Attribute, Any]:
    """The attribute as it is to be used: strings, or nominal values, that hardly ever recur are identifiers."""
    if isinstance(column, StringPiece):
        present = ~np.isnan(column.values)
        n_distinct = len(np.unique(column.hashes[present]))
        length = float(np.mean(np.strings.str_len(column.values[present]))) if n_distinct else 0.0
        kind = kind_by_recurrence(n_distinct, int(np.count_nonzero(present)), length)
        return Attribute(attribute.name, kind if kind is Kind.IDENTIFIER else Kind.TEXT), column.values
    if attribute.kind is not Kind.NOMINAL or is_class:
        return attribute, column
    present_codes = column[column >= 0]
    if len(present_codes) < 20 or len(np.unique(present_codes)) < 0.9 * len(present_codes):
        return attribute, column
    spelled: NDArray[Any] = np.array([*attribute.values, np.nan], dtype=STRING)
    return Attribute(attribute.name, Kind.IDENTIFIER), spelled[column]


def _weights(parts: Sequence[ArffPart]) -> NDArray[np.float64] | None:
    if all(part.weights is None for part in parts):
        return None
    return np.concatenate([np.ones(p.n_records) if p.weights is None else p.weights for p in parts])
