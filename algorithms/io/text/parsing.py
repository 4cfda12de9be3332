"""Parsing of one block of delimited text into column pieces, with pandas."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Literal, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.data.columns import LARGEST_EXACT, FloatArray, IntArray, smallest_code_dtype
from algorithms.io.column_pieces import CodePiece, NumberPiece, Piece, Storage, string_piece, string_pieces
from algorithms.io.missing_marks import INFINITE, STRONG, WEAK
from algorithms.io.text.layout_recognition import TextLayout
from algorithms.io.text.options import PAD
from algorithms.io.text.text_source import TextBlock, count_bytes, count_outside_quotes

MANY_FIELDS: Final = 200
"""From this number of fields on, pandas' categories cost more than they save."""

_IN_CACHE: Final = 1 << 18
_AT_ONCE: Final = 20_000
"""Number of numbers parsed at once: some tens of milliseconds."""
_FEW_RECORDS: Final = 200
"""Below this pandas' preparations for a column cost more than its values."""
_CELLS_AT_ONCE: Final = 500_000
"""Number of cells that are kept as strings at once: about 30 MB."""
_FEW_CELLS: Final = 3 * _CELLS_AT_ONCE
"""Number of cells that few records of many fields may have as strings."""


@dataclass(frozen=True, eq=False)
class ParsingPlan:
    """The storage of each field of a record; ``missing`` are the missing markers of numeric fields."""

    layout: TextLayout
    storage: tuple[Storage, ...]
    missing: tuple[str, ...]
    ragged: str
    file_name: str

    def changed(self, storage: Mapping[int, Storage]) -> ParsingPlan:
        """The plan with another storage for some fields."""
        return replace(self, storage=tuple(storage.get(i, s) for i, s in enumerate(self.storage)))


@dataclass(frozen=True, eq=False)
class Parsed:
    """The pieces of a block by field; ``misfits`` are the fields planned as numbers that hold other spellings here."""

    block: TextBlock
    pieces: Mapping[int, Piece]
    misfits: frozenset[int]
    n_records: int


def marks_among_numbers(missing: Sequence[str] | None) -> tuple[str, ...]:
    """The missing markers of a numeric column; by default without infinite numbers, of which the user is told."""
    return ("", *missing) if missing is not None else (*STRONG, *(mark for mark in WEAK if mark not in INFINITE))


def parse(block: TextBlock, plan: ParsingPlan, only: Collection[int] | None = None) -> Parsed:
    """The fields of the block, or some, as pieces; raises :class:`DataError` with the line of a parser error."""
    try:
        return _parse(block, block.data if evenly_delimited(block.data, plan) else _evened(block, plan), plan, only)
    except pd.errors.ParserError:
        try:
            return _parse(block, _evened(block, plan), plan, only)
        except pd.errors.ParserError as error:
            raise _uncut(error, block, plan) from None


def _uncut(error: Exception, block: TextBlock, plan: ParsingPlan) -> DataError:
    """The error for text that the parser cannot split, with the line if the parser reports it."""
    place = re.search(r"(EOF inside string starting at row|in line) (\d+)", str(error))
    line = block.first_line + max(0, int(place.group(2)) - 1) if place else block.first_line
    return DataError(
        "A quoted field begins here and is never closed."
        if place and place.group(1).startswith("EOF")
        else "This record cannot be cut into fields.",
        remedy="Correct the line, choose another delimiter, or say that quotes mean nothing.",
        place=f"{plan.file_name}, line {line}",
    )


def _parse(block: TextBlock, data: bytes, plan: ParsingPlan, only: Collection[int] | None) -> Parsed:
    chosen = range(len(plan.storage)) if only is None else sorted(only)
    numbers = {i for i in chosen if plan.storage[i] is Storage.NUMBERS}
    misfits = frozenset(_code_like(data, plan, numbers) if numbers else ())
    columns = try_columns(data, plan.changed(dict.fromkeys(misfits, Storage.CODES)), chosen)
    if columns is None:
        misfits |= _not_numbers(data, plan, numbers - misfits)
        columns = try_columns(data, plan.changed(dict.fromkeys(misfits, Storage.CODES)), chosen)
        if columns is None:
            raise AssertionError("a column without numbers is read as numbers")
    with np.errstate(invalid="ignore"):
        too_long = [i for i in numbers - misfits if _has_long_integers(columns[i])]
    if too_long:
        misfits |= frozenset(too_long)
        spelled = try_columns(data, plan.changed(dict.fromkeys(too_long, Storage.CODES)), too_long)
        columns.update(spelled or {})
    n_records = len(next(iter(columns.values()))) if columns else 0
    return Parsed(block, columns, misfits, n_records)


def _has_long_integers(piece: Piece) -> bool:
    """Whether the piece has integers beyond the precision of floats."""
    return isinstance(piece, NumberPiece) and bool((np.abs(piece.values) >= LARGEST_EXACT).any())


def try_columns(data: bytes, plan: ParsingPlan, chosen: Collection[int]) -> dict[int, Piece] | None:
    """The chosen fields; None if numbers are none. Raises ``pandas.errors.ParserError`` for too many fields."""
    blanks = blanks_around_fields(data, plan.layout)
    data = trimmed(data, plan.layout) if blanks.trailing else data
    marked = _with_thousands(data, plan, {i for i in chosen if plan.storage[i] is Storage.NUMBERS})
    plan = plan.changed(dict.fromkeys(marked, Storage.STRINGS))
    word = GUARD
    while word.encode()[:1] in data and word.encode() in data:  # a single byte is found faster
        word += GUARD
    guard = plan.layout.delimiter.join("0" if kind is Storage.NUMBERS else word for kind in plan.storage)
    texts = guard.encode() + b"\n", data
    try:
        if len(plan.storage) > MANY_FIELDS:
            n_cells = count_bytes(data, plan.layout.delimiter.encode()) + count_bytes(data, b"\n")
            few = n_cells < min(_FEW_RECORDS * len(plan.storage), _FEW_CELLS)
            cells = _few_cells(data, plan, skip_blanks=blanks.leading) if few else None
            if cells is not None:
                return _few_records(cells, plan, chosen, marked)
            return _wide_columns(texts, plan, chosen, marked, skip_blanks=blanks.leading)
        frame = _frame(texts, plan, chosen, _types(plan, chosen), _marks(plan, chosen), skip_blanks=blanks.leading)
        return {
            i: _spelled_numbers(np.asarray(frame[i])[1:], plan)
            if i in marked
            else _piece(frame[i], plan.storage[i], word)
            for i in chosen
        }
    except pd.errors.ParserError:
        raise
    except (ValueError, OverflowError):  # a number of 400 digits in a column with text
        return None


def _with_thousands(data: bytes, plan: ParsingPlan, numbers: Collection[int]) -> frozenset[int]:
    """Numeric fields that may hold a thousands mark, parsed as spellings, since pandas misreads such numbers."""
    layout = plan.layout
    marks = [mark.encode() for mark in layout.numbers.thousands_marks if mark.encode() in data]
    if not marks or not numbers:
        return frozenset()
    if (layout.quote and layout.quote.encode() in data) or len(layout.delimiter.encode()) > 1:
        return frozenset(numbers)
    raw = np.frombuffer(data, dtype=np.uint8)
    ends = np.flatnonzero((raw == ord(layout.delimiter)) | (raw == ord("\n")))
    fields: set[int] = set()
    for mark in marks:
        hits = np.flatnonzero(raw == mark[0])  # the first byte of a mark suffices
        fields |= set(np.unique(np.searchsorted(ends, hits) % len(plan.storage)).tolist())
    return frozenset(fields & set(numbers))


def _spelled_numbers(spellings: NDArray[Any], plan: ParsingPlan) -> NumberPiece:
    """The numbers that a field spells (n,), NaN for missing markers; raises ValueError for anything else."""
    texts = [spelling.strip() for spelling in spellings.tolist()]
    rows = [row for row, text in enumerate(texts) if text not in plan.missing]
    values = np.full(len(texts), np.nan)
    for start in range(0, len(rows), _AT_ONCE):
        part = rows[start : start + _AT_ONCE]
        numbers = plan.layout.numbers.parse_all([texts[row] for row in part])
        if numbers is None:
            raise ValueError("no number in the form of the file")
        values[part] = numbers
    return NumberPiece(values, infinite=bool(np.isnan(values[rows]).any()))


def _types(plan: ParsingPlan, chosen: Collection[int]) -> dict[int, Any]:
    return {i: _TYPES[plan.storage[i]] for i in chosen}


def _marks(plan: ParsingPlan, chosen: Collection[int]) -> dict[int, list[str]]:
    return {i: list(plan.missing) for i in chosen if plan.storage[i] is Storage.NUMBERS}


def _few_cells(data: bytes, plan: ParsingPlan, *, skip_blanks: bool) -> NDArray[np.object_] | None:
    """The cells (n, m) of a few records of many fields; None if a quote is not closed.

    A column costs pandas more than a hundred of its cells. Raises ``pandas.errors.ParserError`` if a record has another
    number of fields than planned.
    """
    layout = plan.layout
    text = io.StringIO(f"{data.decode('utf-8')}\n{GUARD}", newline="")
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if layout.quote else csv.QUOTE_NONE
    rows = [
        row
        for row in csv.reader(
            text,
            delimiter=layout.delimiter,
            quotechar=layout.quote or None,
            quoting=quoting,
            skipinitialspace=skip_blanks,
        )
        if len(row) > 1 or (row and row[0].strip())
    ]
    if rows.pop() != [GUARD]:
        return None
    if any(len(row) != len(plan.storage) for row in rows):
        raise pd.errors.ParserError("the records have different numbers of fields")
    cells = np.empty((len(rows), len(plan.storage)), dtype=object)
    for i, row in enumerate(rows):  # numpy holds the interpreter lock while it copies
        cells[i] = row
    return cells


def _few_records(
    cells: NDArray[np.object_], plan: ParsingPlan, chosen: Collection[int], marked: Collection[int]
) -> dict[int, Piece]:
    """The chosen fields of a few records as pieces: all numbers are parsed at once; raises ValueError as they may."""
    columns = np.ascontiguousarray(cells.T)
    numbers = [i for i in chosen if plan.storage[i] is Storage.NUMBERS]
    number_of: dict[int, FloatArray] = {}
    at_once = max(1, _CELLS_AT_ONCE // max(1, len(cells)))
    for start in range(0, len(numbers), at_once):
        some = numbers[start : start + at_once]
        values = _parsed_numbers(columns[some].ravel().tolist(), plan).reshape(len(some), len(cells))
        number_of.update(zip(some, map(np.copy, values), strict=True))  # a column keeps no others in memory
    strings = [i for i in chosen if plan.storage[i] is Storage.STRINGS and i not in marked]
    string_of = dict(zip(strings, string_pieces(columns[strings]), strict=True)) if strings else {}
    coded: dict[tuple[str, ...], Piece] = {}
    pieces: dict[int, Piece] = {}
    for i in chosen:
        if i in marked:
            pieces[i] = _spelled_numbers(columns[i], plan)
        elif i in string_of:
            pieces[i] = string_of[i]
        elif i in number_of:
            pieces[i] = _plain_piece(number_of[i], Storage.NUMBERS)
        else:
            texts = tuple(columns[i].tolist())
            if texts not in coded:
                coded[texts] = _plain_piece(columns[i], Storage.CODES)
            pieces[i] = coded[texts]
    return pieces


_Texts = tuple[bytes, bytes]
"""A first record, and all others."""


def _wide_columns(
    texts: tuple[bytes, bytes],
    plan: ParsingPlan,
    chosen: Collection[int],
    marked: Collection[int],
    *,
    skip_blanks: bool,
) -> dict[int, Piece]:
    """As :func:`try_columns`, all numbers at once and all others at once: pandas is slow with a type for each field."""
    numbers = [i for i in chosen if plan.storage[i] is Storage.NUMBERS]
    others = [i for i in chosen if plan.storage[i] is not Storage.NUMBERS]
    pieces: dict[int, Piece] = {}
    groups: tuple[tuple[list[int], Any, list[str]], ...] = (
        (numbers, "float64", list(plan.missing)),
        (others, object, []),
    )
    for fields, dtype, marks in groups:
        if fields:
            frame = _frame(texts, plan, fields, dtype, marks, skip_blanks=skip_blanks)
            columns = np.ascontiguousarray(np.asarray(frame, dtype=dtype)[1:].T)
            for i, column in zip(fields, columns, strict=True):
                pieces[i] = _spelled_numbers(column, plan) if i in marked else _plain_piece(column, plan.storage[i])
    return pieces


class _JoinedText:
    """Two texts as one file of bytes without a copy: pandas would decode those of an ``io.BytesIO`` first."""

    def __init__(self, first: bytes, rest: bytes) -> None:
        self._first, self._rest, self._start = first, rest, 0

    def read(self, size: int) -> bytes:
        if self._first:
            first, self._first = self._first, b""
            return first
        self._start += size
        return self._rest[self._start - size : self._start]

    def __iter__(self) -> Iterator[bytes]:
        """Never used; pandas takes no object for a file without it."""
        return iter((self._first, self._rest))


def _frame(
    texts: _Texts, plan: ParsingPlan, chosen: Collection[int], dtype: Any, marks: Any, *, skip_blanks: bool
) -> pd.DataFrame:
    layout, n_fields = plan.layout, len(plan.storage)
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if layout.quote else csv.QUOTE_NONE
    frame: pd.DataFrame = pd.read_csv(
        cast(Any, _JoinedText(*texts)),
        header=None,
        names=range(n_fields),
        index_col=False,
        usecols=None if len(chosen) == n_fields else list(chosen),
        dtype=dtype,
        sep=layout.delimiter,
        quotechar=layout.quote or '"',
        quoting=quoting,
        decimal=layout.decimal,
        skipinitialspace=skip_blanks,
        keep_default_na=False,
        na_values=marks,
        engine="c",
        low_memory=n_fields <= MANY_FIELDS,
        **_exact_numbers(),
    )
    return frame


@cache
def _exact_numbers() -> dict[str, Any]:
    """The argument that makes pandas parse numbers exactly: none if it does so by default (since 3.1)."""
    hard = ("0.14415961271963373", "12.082711701094093", "0.25344651620814146", "1.7976931348623157e308")
    exact = pd.read_csv(io.StringIO("\n".join(hard)), header=None)[0].tolist()
    return {} if exact == [float(text) for text in hard] else {"float_precision": "round_trip"}


GUARD: Final = "\U0010ffff"
"""Cell of an extra first record, so that pandas does not convert spellings such as "01" and "1.0" to numbers.

It is repeated until the data do not contain it.
Numeric fields have 0 there, so that pandas does not read a block of TRUE and FALSE as ones and zeros.
"""

_TYPES: Final[dict[Storage, Any]] = {Storage.NUMBERS: "float64", Storage.CODES: "category", Storage.STRINGS: object}


def _piece(column: pd.Series[Any], storage: Storage, word: str) -> Piece:
    """The piece of a column, without the extra first record, which holds ``word``."""
    if storage is Storage.CODES:
        spellings = column.cat.categories.tolist()
        codes = column.cat.codes.to_numpy()[1:]
        guard = spellings.index(word)
        if guard < len(spellings) - 1:
            codes = codes - (codes > guard).astype(codes.dtype)
        del spellings[guard]
        return CodePiece(codes, spellings)
    values: NDArray[Any] = np.asarray(column, dtype=_TYPES[storage])[1:]
    return _plain_piece(values, storage)


def _plain_piece(values: NDArray[Any], storage: Storage) -> Piece:
    """Piece of a column stored as ``storage`` says: numbers from float64 values, spellings from objects."""
    if storage is Storage.NUMBERS:
        infinite = np.isinf(values)
        return NumberPiece(np.where(infinite, np.nan, values), infinite=True) if infinite.any() else NumberPiece(values)
    if storage is Storage.CODES:
        if len(values) < _FEW_RECORDS:
            code_of: dict[str, int] = {}
            listed = [code_of.setdefault(t, len(code_of)) if isinstance(t, str) else -1 for t in values.tolist()]
            return CodePiece(np.array(listed, dtype=smallest_code_dtype(len(code_of))), list(code_of))
        codes, distinct = pd.factorize(values)
        return CodePiece(codes, distinct.tolist())
    return string_piece(values)


def _not_numbers(data: bytes, plan: ParsingPlan, fields: Collection[int]) -> frozenset[int]:
    """The fields planned as numbers that hold something else; doubtful ones are tested in halves of groups."""
    others: set[int] = set()
    marked = _with_thousands(data, plan, fields)
    point = re.escape(plan.layout.decimal)
    digits = rf"(?:[0-9]{{1,15}}(?:{point}[0-9]{{0,15}})?|{point}[0-9]{{1,15}})"
    plain = re.compile(rf"[+-]?{digits}(?:[eE][+-]?[0-9]{{1,2}})?")
    similar = re.compile(rf"\s*[+-]?(?:[0-9]*(?:{point}[0-9]*)?(?:e[+-]?[0-9]*)?|inf|infinity|nan)\s*", re.I)
    for spelled in _spellings(data, plan, fields):
        others |= {i for i in marked & spelled.keys() if not _are_spelled_numbers(spelled[i], plan)}
        doubtful: list[int] = []
        for i in sorted(spelled.keys() - marked):
            strange = [text for text in spelled[i] if text not in plan.missing and not plain.fullmatch(text)]
            if not all(map(similar.fullmatch, strange)):
                others.add(i)
            elif strange:
                doubtful.append(i)
        pending = [doubtful]
        while pending:
            group = pending.pop()
            if not group or _are_numbers([text for i in group for text in spelled[i]], plan):
                continue
            middle = len(group) // 2
            if middle:
                pending += [group[:middle], group[middle:]]
            else:
                others.add(group[0])
    return frozenset(others)


def _spellings(data: bytes, plan: ParsingPlan, fields: Collection[int]) -> Iterator[Mapping[int, Sequence[str]]]:
    """The distinct spellings of each field in this block, in groups of fields that fit into memory."""
    size, ordered = max(1, _CELLS_AT_ONCE // (1 + data.count(b"\n"))), sorted(fields)
    for start in range(0, len(ordered), size):
        some = ordered[start : start + size]
        pieces = try_columns(data, plan.changed(dict.fromkeys(some, Storage.CODES)), some) or {}
        yield {i: piece.spellings for i, piece in pieces.items() if isinstance(piece, CodePiece)}


def _are_spelled_numbers(spellings: Sequence[str], plan: ParsingPlan) -> bool:
    try:
        _spelled_numbers(np.array(spellings, dtype=object), plan)
    except ValueError:
        return False
    return True


def _are_numbers(spellings: Sequence[str], plan: ParsingPlan) -> bool:
    """Whether pandas reads all of them as numbers or missing markers."""
    try:
        _parsed_numbers(spellings, plan)
    except ValueError:
        return False
    return True


def _parsed_numbers(spellings: Sequence[str], plan: ParsingPlan) -> FloatArray:
    """The numbers (n,) that pandas reads, NaN for missing markers; raises ValueError if one is neither."""
    quote, rest = plan.layout.quote, f"{plan.layout.delimiter}0\n"  # pandas skips a line with a single empty field
    lines = [f"{quote}{text.replace(quote, quote * 2) if quote else text}{quote}{rest}" for text in spellings]
    texts = f"0{rest}".encode(), "".join(lines).encode()
    two = replace(plan, storage=(Storage.NUMBERS, Storage.NUMBERS))
    frame = _frame(texts, two, [0], _types(two, [0]), _marks(two, [0]), skip_blanks=False)
    return np.asarray(frame[0], dtype=np.float64)[1:]


def _code_like(data: bytes, plan: ParsingPlan, fields: Collection[int]) -> frozenset[int]:
    """The fields planned as numbers that hold a code with a leading zero, such as 01, in this block."""
    layout = plan.layout
    raw = np.frombuffer(data, dtype=np.uint8)
    delimiter = ord(layout.delimiter) if ord(layout.delimiter) < 128 else 255
    hits = np.concatenate([_leading_zeros(raw, start, delimiter) for start in range(0, len(raw), _IN_CACHE)])
    first = data[0] == ord("0") and data[1:2].isdigit()
    if not len(hits) and not first:
        return frozenset()
    suspects = set(fields)
    if not layout.quote or layout.quote.encode() not in data:
        ends = np.flatnonzero((raw == delimiter) | (raw == ord("\n")))
        suspects &= set((np.searchsorted(ends, hits) % len(plan.storage)).tolist()) | ({0} if first else set())
    return frozenset(
        i
        for spelled in _spellings(data, plan, suspects)
        for i, texts in spelled.items()
        if any(LEADING_ZERO.fullmatch(text.strip()) for text in texts)
    )


def _leading_zeros(raw: NDArray[np.uint8], start: int, delimiter: int) -> IntArray:
    """Positions of zeros that begin a field (perhaps after a sign) and are followed by a digit."""
    part = raw[max(0, start - 1) : start + _IN_CACHE + 1]
    before, after = part[:-2], part[2:]
    chosen = part[1:-1] == ord("0")
    chosen &= after - np.uint8(ord("0")) <= 9
    chosen &= before < ord("-") if delimiter < ord("-") else (before < ord("-")) | (before == delimiter)
    hits: IntArray = np.flatnonzero(chosen) + max(1, start)
    return hits


LEADING_ZERO: Final = re.compile(r"[+-]?0\d+", re.ASCII)


@dataclass(frozen=True)
class SurroundingBlanks:
    """Whether there are blanks after (leading) and before (trailing) delimiters or line ends."""

    leading: bool
    trailing: bool


def blanks_around_fields(data: bytes, layout: TextLayout) -> SurroundingBlanks:
    """Find blanks before and after the fields of a block. Blanks within quotes and beside tabs may count too."""
    if layout.delimiter == " " or b" " not in data:
        return SurroundingBlanks(False, False)
    raw = np.frombuffer(data, dtype=np.uint8)
    leading, trailing = data[0] == ord(" "), False
    for start in range(0, len(raw), _IN_CACHE):
        part = raw[start : start + _IN_CACHE + 1]
        ends = part <= ord("\r")
        for byte in layout.delimiter.encode():
            ends |= part == byte
        blank = part == ord(" ")
        leading = leading or bool((ends[:-1] & blank[1:]).any())
        trailing = trailing or bool((blank[:-1] & ends[1:]).any())
    return SurroundingBlanks(leading, trailing)


def trimmed(data: bytes, layout: TextLayout) -> bytes:
    """The block without blanks before delimiters and line ends, except inside quotes."""
    blanks = rb"(?<! ) ++(?=[" + re.escape(layout.delimiter.encode()) + rb"\r\n])"
    quote = re.escape(layout.quote.encode())
    if not quote or layout.quote.encode() not in data:
        return re.sub(blanks, b"", data)
    return re.sub(rb"(" + quote + rb"[^" + quote + rb"]*+" + quote + rb")|" + blanks, rb"\1", data)


def evenly_delimited(data: bytes, plan: ParsingPlan) -> bool:
    """Whether the number of delimiters fits the planned number of fields; those in quotes do not count.

    All lines are counted together, in a block of many fields without quotes each by itself.
    """
    delimiter, quote = plan.layout.delimiter.encode(), plan.layout.quote.encode()
    if quote and quote in data and len(delimiter) == 1:
        delimiters, ends = count_outside_quotes(data, quote, delimiter, b"\n")
    else:
        delimiters, ends = count_bytes(data, delimiter), count_bytes(data, b"\n")
    n_fields = len(plan.storage)
    even = delimiters == ends * (n_fields - 1)
    if n_fields <= MANY_FIELDS or not even or (quote and quote in data) or len(delimiter) > 1:
        return even
    raw = np.frombuffer(data, dtype=np.uint8)  # pandas reads some of many fields, and does not notice long records
    marks = np.flatnonzero((raw == delimiter[0]) | (raw == ord("\n")))
    return bool(np.all(raw[marks[n_fields - 1 :: n_fields]] == ord("\n")))


def _evened(block: TextBlock, plan: ParsingPlan) -> bytes:
    layout, n_fields = plan.layout, len(plan.storage)
    text = io.StringIO(block.data.decode("utf-8"), newline="")
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if layout.quote else csv.QUOTE_NONE
    reader = csv.reader(
        text, delimiter=layout.delimiter, quotechar=layout.quote or None, quoting=quoting, skipinitialspace=True
    )
    even = True
    padded: list[list[str]] = []
    before = 0
    for row in reader:
        line = block.first_line + before
        before = reader.line_num
        if not row or (n_fields > 1 and len(row) == 1 and not row[0].strip()):
            even = even and not row
            continue
        if len(row) != n_fields:
            if plan.ragged != PAD:
                raise _ragged(len(row), n_fields, f"{plan.file_name}, line {line}")
            even = False
        padded.append([*row[:n_fields], *[""] * (n_fields - len(row))])
    if even:
        return block.data
    if not layout.quote:
        return "".join(f"{layout.delimiter.join(row)}\n" for row in padded).encode("utf-8")
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=layout.delimiter, quotechar=layout.quote, lineterminator="\n").writerows(padded)
    return out.getvalue().encode("utf-8")


def _ragged(n_cells: int, expected: int, place: str) -> DataError:
    fields = "1 field" if n_cells == 1 else f"{n_cells} fields"
    more = "a delimiter inside a value needs quotes around the value" if n_cells > expected else "a field is missing"
    return DataError(
        f"This record has {fields} where the others have {expected}.",
        remedy=f"Correct the line ({more}), choose another delimiter, or let short records be filled up.",
        place=place,
    )
