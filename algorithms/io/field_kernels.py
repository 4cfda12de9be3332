"""Compiled loops that cut plain delimited text into fields and store each, some hundred records at a time.

Only what every reader of such text would read alike is read here; at anything else the loop gives up.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from algorithms.core.jit import compiled
from algorithms.io.number_kernels import Powers, powers, read_numbers

PASSED_OVER: Final = -1
AS_NUMBER: Final = 0
AS_CODE: Final = 1

NOT_PLAIN: Final = -1
"""What :func:`read_fields` returns where it gave up."""

MOST_SPELLINGS: Final = 1 << 14
"""Different spellings of a field in one block, at most."""
MOST_HARD: Final = 1 << 12
"""Numbers of a block that are left to others, at most."""

_CELLS: Final = 1 << 15
"""So many fields are cut before they are stored: their text is still in the cache of the processor then."""
_PLACES: Final = 4 * MOST_SPELLINGS
_LINE_FEED: Final = 10
_RETURN: Final = 13
_BLANK: Final = 32
_LARGEST_WHOLE: Final = 2.0**53
_SEED: Final = np.uint64(0xCBF29CE484222325)
_PRIME: Final = np.uint64(0x100000001B3)
_HALF: Final = np.uint64(32)
_MASK: Final = np.uint64(_PLACES - 1)


class Cut(NamedTuple):
    """Bytes that cut a text, -1 for none; ``strips``: blanks around fields do not count."""

    delimiter: int
    quote: int
    decimal: int
    strips: bool


class Fields(NamedTuple):
    """What to do with each field, and where it goes: its row of ``values`` or ``codes``."""

    action: NDArray[np.int64]
    row: NDArray[np.int64]


class Marks(NamedTuple):
    """The spellings of a missing number, one after the other, and where each begins; the last entry is the end."""

    text: NDArray[np.uint8]
    starts: NDArray[np.int64]


class Stored(NamedTuple):
    """What was read: numbers and codes by field and record, and where in the text each code was first met."""

    values: NDArray[np.float64]
    bits: NDArray[np.uint64]
    codes: NDArray[np.int16]
    table: NDArray[np.int16]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    n_codes: NDArray[np.int64]
    hard: NDArray[np.int64]
    n_hard: NDArray[np.int64]


def room_for(n_records: int, n_numbers: int, n_coded: int) -> Stored:
    """Arrays for as many records and fields. What is not touched takes no memory."""
    values = np.empty((max(n_numbers, 1), n_records if n_numbers else 0))
    return Stored(
        values,
        values.view(np.uint64),
        np.empty((max(n_coded, 1), n_records if n_coded else 0), dtype=np.int16),
        np.zeros((n_coded, _PLACES), dtype=np.int16),
        np.empty((n_coded, MOST_SPELLINGS), dtype=np.int64),
        np.empty((n_coded, MOST_SPELLINGS), dtype=np.int64),
        np.zeros(n_coded, dtype=np.int64),
        np.empty((MOST_HARD, 4), dtype=np.int64),
        np.zeros(1, dtype=np.int64),
    )


@compiled
def _quote_end(raw: Any, at: Any, quote: Any) -> Any:
    """Where the quote stands that closes a field, and whether some in it are doubled; -1 where none closes it."""
    n, doubled = len(raw), False
    while at < n:
        byte = raw[at]
        if byte == quote:
            if raw[at + 1] != quote:
                return at, doubled
            doubled = True
            at += 1
        elif byte == 0 or byte == _RETURN:
            return -1, doubled
        at += 1
    return -1, doubled


@compiled
def _cut_records(raw: Any, at: Any, delimiter: Any, quote: Any, strips: Any, starts: Any, ends: Any) -> Any:
    """Cuts as many records as there is room for; returns where the next begins and how many there are, -1 if not plain.

    Field f of record i is ``raw[starts[f, i]:ends[f, i]]``, without quotes and blanks around it; an end of -1 says
    that there are doubled quotes in it.
    """
    n, last, most = len(raw), starts.shape[0] - 1, starts.shape[1]
    record = 0
    while at < n and record < most:
        for field in range(last + 1):
            while strips and raw[at] == _BLANK:
                at += 1
            start = at
            if raw[at] == quote:
                start += 1
                at, doubled = _quote_end(raw, start, quote)
                if at < 0:
                    return at, -1
                end = -1 if doubled else at
                at += 1
                while strips and raw[at] == _BLANK:
                    at += 1
            else:
                byte = raw[at]
                while byte != delimiter and (byte > _RETURN or byte == 9 or 11 <= byte <= 12):
                    at += 1
                    byte = raw[at]
                end = at
                while strips and end > start and raw[end - 1] == _BLANK:
                    end -= 1
            starts[field, record], ends[field, record] = start, end
            if field == last and raw[at] == _RETURN:
                at += 1
            if raw[at] != (delimiter if field < last else _LINE_FEED):
                return at, -1
            at += 1
        record += 1
    return at, record


@compiled
def _code(raw: Any, begins: Any, stops: Any, codes: Any, table: Any, starts: Any, ends: Any, n_codes: Any) -> Any:
    """The code of each field to ``codes``; returns how many codes there are now, -1 where something is not plain.

    Code c stands for the spelling ``raw[starts[c]:ends[c]]``. The hash is that of Fowler, Noll and Vo (FNV-1a).
    """
    for i in range(len(begins)):
        start, end = begins[i], stops[i]
        if end < 0:
            return -1
        mixed = _SEED
        for at in range(start, end):
            mixed = (mixed ^ np.uint64(raw[at])) * _PRIME
        place = (mixed ^ (mixed >> _HALF)) & _MASK
        while True:
            code = np.int64(table[place]) - 1
            if code < 0:
                if n_codes == MOST_SPELLINGS:
                    return -1
                code = n_codes
                n_codes += 1
                table[place] = n_codes
                starts[code], ends[code] = start, end
                break
            known, length = starts[code], end - start
            if ends[code] - known == length:
                same = 0
                while same < length and raw[known + same] == raw[start + same]:
                    same += 1
                if same == length:
                    break
            place = (place + np.uint64(1)) & _MASK
        codes[i] = code
    return n_codes


@compiled
def _is_mark(raw: Any, start: Any, end: Any, texts: Any, begins: Any) -> Any:
    for mark in range(len(begins) - 1):
        begin, same = begins[mark], 0
        if begins[mark + 1] - begin != end - start:
            continue
        while same < end - start and texts[begin + same] == raw[start + same]:
            same += 1
        if same == end - start:
            return True
    return False


@compiled
def _may_be_hard(raw: Any, start: Any, end: Any) -> Any:
    """Whether a field has only bytes that numbers have, and no zero that a number would lose."""
    first = start + (raw[start] == 43 or raw[start] == 45)
    if raw[first] == 48 and first + 1 < end and 48 <= raw[first + 1] <= 57:
        return False
    for at in range(first, end):
        byte = raw[at]
        if not (43 <= byte <= 46 or 48 <= byte <= 57 or byte | 32 == 101):
            return False
    return 48 <= raw[first] <= 57 or (first + 1 < end and 48 <= raw[first + 1] <= 57)


@compiled
def _resolve(raw: Any, start: Any, end: Any, row: Any, record: Any, marks: Any, stored: Any) -> Any:
    """Stores a field that is no plain number as missing, or lists it among the hard ones; False where it is neither."""
    if end < 0:
        return False
    stored.values[row, record] = np.nan
    if start == end or _is_mark(raw, start, end, marks.text, marks.starts):
        return True
    n = stored.n_hard[0]
    if n == MOST_HARD or not _may_be_hard(raw, start, end):
        return False
    stored.hard[n, 0], stored.hard[n, 1], stored.hard[n, 2], stored.hard[n, 3] = row, record, start, end
    stored.n_hard[0] = n + 1
    return True


@compiled
def _are_exact(values: Any) -> Any:
    """Whether all are so small that neighbouring whole numbers are other floats."""
    n_large = 0
    for value in values:
        n_large += abs(value) >= _LARGEST_WHOLE
    return n_large == 0


@compiled
def _store_numbers(
    raw: Any, starts: Any, ends: Any, row: Any, record: Any, cut: Any, marks: Any, table: Any, stored: Any, odd: Any
) -> Any:
    """Some records' numbers of one field to their places; False where something is not plain."""
    stop = record + len(starts)
    values, bits = stored.values[row, record:stop], stored.bits[row, record:stop]
    n_odd = read_numbers(raw, starts, ends, cut.decimal, table.upper, table.lower, table.tens, values, bits, odd)
    for at in range(n_odd):
        i = odd[at]
        if not _resolve(raw, starts[i], ends[i], row, record + i, marks, stored):
            return False
    return _are_exact(values)


@compiled
def read_fields(raw: Any, cut: Any, fields: Any, marks: Any, table: Any, stored: Any) -> Any:
    """Reads text that ends with a line feed; returns the number of its records, or :data:`NOT_PLAIN`.

    ``table`` are the :class:`~algorithms.io.number_kernels.Powers`. There must be room for as many records as lines.
    Each look into a tuple of arrays counts references, so none is among the loops over records.
    """
    n_fields = len(fields.action)
    most = max(1, _CELLS // n_fields)
    starts, ends = np.empty((n_fields, most), dtype=np.int64), np.empty((n_fields, most), dtype=np.int64)
    odd = np.empty(most + 1, dtype=np.int64)
    at, record = 0, 0
    while at < len(raw):
        at, n = _cut_records(raw, at, cut.delimiter, cut.quote, cut.strips, starts, ends)
        if n < 0:
            return NOT_PLAIN
        for field in range(n_fields):
            row, action = fields.row[field], fields.action[field]
            begins, stops = starts[field, :n], ends[field, :n]
            if action == AS_NUMBER:
                if not _store_numbers(raw, begins, stops, row, record, cut, marks, table, stored, odd):
                    return NOT_PLAIN
            elif action == AS_CODE:
                codes = stored.codes[row, record : record + n]
                places, firsts, lasts = stored.table[row], stored.starts[row], stored.ends[row]
                n_codes = _code(raw, begins, stops, codes, places, firsts, lasts, stored.n_codes[row])
                if n_codes < 0:
                    return NOT_PLAIN
                stored.n_codes[row] = n_codes
        record += n
    return record


def warm_up() -> None:
    """Compile, or load, the kernels by reading one record."""
    fields = Fields(np.array([AS_NUMBER, AS_CODE]), np.array([0, 0]))
    marks = Marks(np.frombuffer(b"?", dtype=np.uint8), np.array([0, 1]))
    text = np.frombuffer(b"1.5,a\n", dtype=np.uint8)
    table: Powers = powers()
    read_fields(text, Cut(ord(","), ord('"'), ord("."), True), fields, marks, table, room_for(1, 1, 1))
