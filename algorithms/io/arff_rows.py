"""The records of an ARFF file, line by line: the authority on what a line means, and on where one is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import smallest_code_dtype
from algorithms.core.dates import parse_dates
from algorithms.core.errors import DataError
from algorithms.core.number_formats import Numbers
from algorithms.core.schema import Attribute, Kind
from algorithms.io.arff_header import ArffHeader, unescaped
from algorithms.io.marks import EXACT_DIGITS, is_beyond_floats
from algorithms.io.pieces import StringPiece, string_piece
from algorithms.io.source import Block

Cell = str | None
ArffColumn = NDArray[Any] | StringPiece

_FIELD: Final = re.compile(r"""\s*(?:(?:'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)")\s*+|([^,]*+))(?:,|$)""", re.S)
_WORD: Final = re.compile(r"""'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)"|([^,\s]+)""", re.S)
_WEIGHT: Final = re.compile(r"\{\s*([0-9.eE+-]+)\s*\}")
_LINE: Final = re.compile(rb"[^\n]+")
_FURTHER: Final = 1000
"""So many fields more than attributes are counted, where a record has too many."""
_SPARSE: Final = re.compile(r"\{(.*)\}\s*$", re.S)
_INDEX: Final = re.compile(r"\s*(\d{1,9})\s+", re.ASCII)
_INTEGER: Final = re.compile(r"[+-]?\d+", re.ASCII)
_NUMBERS: Final = Numbers()


@dataclass(frozen=True, eq=False)
class ArffPart:
    """Records of one block as columns in their final type; ``weights`` None where none is given."""

    block: Block
    columns: Sequence[ArffColumn]
    weights: NDArray[np.float64] | None
    n_records: int


class LongIntegers(Exception):  # noqa: N818  (no error: the column is read again as strings)
    """A numeric attribute holds integers that no float can tell from their neighbours."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


def parse_lines(block: Block, header: ArffHeader, file_name: str, checkpoint: Callable[[], None]) -> ArffPart:
    """The block's records; raises :class:`DataError` with line, column and remedy for the first that is wrong."""
    rows: list[list[Cell]] = []
    weights: list[float] = []
    numbers: list[int] = []
    number, at = block.first_line, 0
    for line in _LINE.finditer(block.data):  # blank lines may be very many
        number, at = number + block.data.count(b"\n", at, line.start()), line.start()
        if len(rows) % 1000 == 0:
            checkpoint()
        text = line[0].decode("utf-8").strip()
        if not text or text.startswith("%"):
            continue
        place = f"{file_name}, line {number}"
        row, weight = _record(text, header, place)
        rows.append(row)
        weights.append(weight)
        numbers.append(number)
    columns = []
    cells: Sequence[Sequence[Cell]] = list(zip(*rows, strict=True)) if rows else [()] * len(header.attributes)
    for index, attribute in enumerate(header.attributes):
        checkpoint()
        if attribute.kind is Kind.NUMERIC and any(map(_is_long_integer, cells[index])):
            raise LongIntegers(index)
        columns.append(_column(header, index, cells[index], numbers, file_name))
    weighted = None if all(weight == 1.0 for weight in weights) else np.array(weights)
    return ArffPart(block, columns, weighted, len(rows))


def _record(text: str, header: ArffHeader, place: str) -> tuple[list[Cell], float]:
    """The cells of a record, None where missing, and its weight."""
    weight = 1.0
    brace = text.rfind("{") if text.endswith("}") else -1
    found = _WEIGHT.fullmatch(text, brace) if brace > 0 else None
    if found is not None and (before := _without_end(text[:brace])):
        weight = _weight(found.group(1), place)
        text = before
    if text.startswith("{"):
        return _sparse(text, header, place), weight
    expected = len(header.attributes)
    most = expected + _FURTHER
    cells = list(islice(_fields(text), most))
    if len(cells) != expected and "%" in text:
        cells = list(islice(_fields(re.sub(r"(^|[\s,])%.*$", "", text)), most))
    if len(cells) != expected:
        words = list(islice(_words(text), most))
        cells = words if len(words) == expected else cells
    if len(cells) != expected:
        values = "1 value" if len(cells) == 1 else f"{len(cells)} values"
        values = f"{most} values or more" if len(cells) == most else values
        raise DataError(
            f"This record has {values} where {expected} attributes are declared.",
            remedy="Correct the line; a value with a comma or a blank needs quotes.",
            place=place,
        )
    return cells, weight


def _without_end(text: str) -> str:
    """The text without the commas and blanks at its end."""
    end = len(text)
    while end and (text[end - 1] == "," or text[end - 1].isspace()):
        end -= 1
    return text[:end]


def _weight(text: str, place: str) -> float:
    weight = _NUMBERS.parse(text)
    if not weight >= 0:
        raise DataError(
            f"{text!r} is not a weight.", remedy="A weight is a number of zero or more in braces.", place=place
        )
    return weight


def _cell(match: re.Match[str]) -> Cell:
    single, double, plain = match.groups()
    if plain is not None:
        plain = plain.rstrip()
        return None if plain in ("?", "") else plain
    return unescaped(single if single is not None else double)


def _fields(text: str) -> Iterator[Cell]:
    position = 0
    while position <= len(text):
        match = _FIELD.match(text, position)
        if match is None:
            yield text[position:]
            return
        yield _cell(match)
        if match.end() == len(text) and not match.group(0).endswith(","):
            return
        position = match.end()


def _words(text: str) -> Iterator[Cell]:
    for match in _WORD.finditer(text):
        yield _cell(match)


def _sparse(text: str, header: ArffHeader, place: str) -> list[Cell]:
    """A record of which only the values are listed that are not 0 or the first of their list."""
    inside = _SPARSE.match(text)
    if inside is None:
        raise DataError("A sparse record is not closed.", remedy="Close it with a brace.", place=place)
    cells: list[Cell] = [_default(attribute) for attribute in header.attributes]
    position, body, n_listed = 0, inside.group(1).strip(), 0
    while position < len(body):
        n_listed += 1
        index = _INDEX.match(body, position)
        match = _FIELD.match(body, index.end()) if index else None
        if index is None or match is None or int(index.group(1)) >= len(cells) or n_listed > len(cells):
            raise DataError(
                f"A sparse record cannot be read near {body[position : position + 20]!r}.",
                remedy=f"It lists attribute numbers from 0 to {len(cells) - 1}, each with a value.",
                place=place,
            )
        cells[int(index.group(1))] = _cell(match)
        position = match.end()
    return cells


def _default(attribute: Attribute) -> Cell:
    if attribute.kind is Kind.NOMINAL:
        return attribute.values[0] if attribute.values else None
    return "0" if attribute.kind is Kind.NUMERIC else None


def _is_long_integer(cell: Cell) -> bool:
    """Whether a cell is an integer so large that its neighbours are the same float."""
    if cell is None or len(cell) <= EXACT_DIGITS or _INTEGER.fullmatch(cell) is None:
        return False
    return is_beyond_floats(cell)


def _column(header: ArffHeader, index: int, cells: Sequence[Cell], lines: Sequence[int], file_name: str) -> ArffColumn:
    attribute = header.attributes[index]
    if attribute.kind is Kind.NOMINAL:
        code_of: dict[Cell, int] = {value: code for code, value in enumerate(attribute.values)}
        code_of[None] = -1
        codes = [code_of.get(cell, -2) for cell in cells]
        if -2 in codes:
            at = codes.index(-2)
            raise undeclared(attribute, cells[at] or "", f"{file_name}, line {lines[at]}")
        return np.array(codes, dtype=smallest_code_dtype(len(attribute.values)))
    if attribute.kind is Kind.TEXT:
        return string_piece(np.array([np.nan if cell is None else cell for cell in cells], dtype=object))
    texts = [cell or "" for cell in cells]
    if attribute.kind is Kind.DATE:
        values = parse_dates(texts, header.date_format(index))
    else:
        values = np.array([_NUMBERS.parse(text) for text in texts], dtype=np.float64)
    for at in np.flatnonzero(np.isnan(values)).tolist():
        infinite = attribute.kind is Kind.NUMERIC and _infinite_or_nan(texts[at])
        if cells[at] is not None and not infinite:
            pattern = header.date_patterns.get(index, "")
            raise _no_value(attribute, texts[at], pattern, f"{file_name}, line {lines[at]}")
    return values


def _infinite_or_nan(text: str) -> bool:
    return text.strip().lower().lstrip("+-") in ("nan", "inf", "infinity") or _NUMBERS.matches(text)


def undeclared(attribute: Attribute, value: str, place: str) -> DataError:
    """The error for a nominal value that the header does not declare."""
    declared = ", ".join(attribute.values[:6]) + (", ..." if len(attribute.values) > 6 else "")
    return DataError(
        f"Column {attribute.name!r} holds {value!r}, which the header does not declare ({declared}).",
        remedy="Correct the value, or add it to the attribute's list in the header.",
        place=place,
    )


def _no_value(attribute: Attribute, text: str, pattern: str, place: str) -> DataError:
    what = "a number" if attribute.kind is Kind.NUMERIC else f"a date like {pattern}"
    return DataError(
        f"Column {attribute.name!r} holds {text!r}, which is not {what}.",
        remedy="Correct the value, or write ? where it is missing.",
        place=place,
    )
