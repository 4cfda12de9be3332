"""Blocks of plain text, read by compiled loops: several times faster than a reader that must be ready for everything.

What is not plain (doubled quotes, numbers that may be codes, values that are none, records of unequal length) is
noticed on the way; then nothing is returned, and the general reader has its turn.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Sequence
from functools import cache
from typing import TYPE_CHECKING, Final

import numpy as np

from algorithms.core.compiling import ensure_compiled, kernels_ready
from algorithms.core.context import RunContext
from algorithms.io.pieces import LARGEST_EXACT, CodePiece, NumberPiece, Piece, Storage
from algorithms.io.recognise import Layout
from algorithms.io.source import count_bytes

if TYPE_CHECKING:
    from algorithms.io.field_kernels import Marks, Stored
    from algorithms.io.number_kernels import Powers

KERNELS: Final = ("algorithms.io.number_kernels", "algorithms.io.field_kernels")
WORTH_LOADING: Final = 1 << 26
"""Bytes of a file from which on it is worth while to load the compiled loops for it alone."""
MANY_FIELDS: Final = 200
"""From here on pandas' categories cost more than they save."""
MANY_CODED: Final = 200
"""Each coded field has a table of its own; with more of them the general reader does as well."""

_PLAIN_DELIMITERS: Final = ",;\t|: \x1f"


def worth_compiled(size: int, context: RunContext) -> bool:
    """Whether a file of so many bytes is to be read by compiled loops, which are loaded then; never compiles them.

    Raises :class:`Cancelled` on a stop.
    """
    if not kernels_ready(KERNELS) or not (size >= WORTH_LOADING or KERNELS[-1] in sys.modules):
        return False
    ensure_compiled(KERNELS, context)
    return True


def plain_pieces(
    data: bytes, layout: Layout, storage: Sequence[Storage], missing: tuple[str, ...], chosen: Collection[int]
) -> dict[int, Piece] | None:
    """The chosen fields of a block that are numbers or codes; None where the text is not plain.

    Numbers, codes and the order of spellings are those that :func:`~algorithms.io.parsing.try_columns` finds.
    """
    from algorithms.io.field_kernels import (
        AS_CODE,
        AS_NUMBER,
        NOT_PLAIN,
        PASSED_OVER,
        Cut,
        Fields,
        read_fields,
        room_for,
    )

    marks = _marks(missing)
    numbers = [i for i in sorted(chosen) if storage[i] is Storage.NUMBERS]
    coded = [i for i in sorted(chosen) if storage[i] is Storage.CODES]
    if marks is None or not _is_plain(layout) or len(storage) < 2 or len(coded) > MANY_CODED:
        return None
    fields = Fields(np.full(len(storage), PASSED_OVER), np.zeros(len(storage), dtype=np.int64))
    fields.action[numbers], fields.row[numbers] = AS_NUMBER, np.arange(len(numbers))
    fields.action[coded], fields.row[coded] = AS_CODE, np.arange(len(coded))
    stored = room_for(count_bytes(data, b"\n"), len(numbers), len(coded))
    quote = ord(layout.quote) if layout.quote else -1
    cut = Cut(ord(layout.delimiter), quote, ord(layout.decimal), layout.delimiter != " ")
    n = int(read_fields(np.frombuffer(data, dtype=np.uint8), cut, fields, marks, _powers(), stored))
    if n == NOT_PLAIN:
        return None
    if not _with_hard_numbers(data, layout, stored):
        return None
    pieces: dict[int, Piece] = {i: NumberPiece(stored.values[row, :n].copy()) for row, i in enumerate(numbers)}
    as_met = len(storage) > MANY_FIELDS
    return pieces | {i: _coded(data, row, n, stored, as_met) for row, i in enumerate(coded)}


def _is_plain(layout: Layout) -> bool:
    """Whether delimiter, quote and decimal mark are bytes that cannot be taken for each other."""
    marks = (layout.delimiter, layout.decimal, layout.quote)
    quotable = layout.quote == "" or layout.quote in "'\""
    return layout.delimiter in _PLAIN_DELIMITERS and quotable and not layout.thousands and len({*marks}) == 3


@cache
def _powers() -> Powers:
    from algorithms.io.number_kernels import powers

    return powers()


@cache
def _marks(missing: tuple[str, ...]) -> Marks | None:
    """The marks as bytes; None where a number marks a missing value: it does so however it is spelled."""
    from algorithms.io.field_kernels import Marks

    if "" not in missing or any(map(_is_number, missing)):
        return None
    encoded = [mark.encode("utf-8") for mark in missing if mark]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return Marks(np.frombuffer(b"".join(encoded) or b"\0", dtype=np.uint8), ends)


def _is_number(mark: str) -> bool:
    try:
        return not math.isnan(float(mark.replace(",", ".")))
    except ValueError:
        return False


def _with_hard_numbers(data: bytes, layout: Layout, stored: Stored) -> bool:
    """Whether what was left to others are numbers, so small that their neighbours are other floats."""
    for row, record, start, end in stored.hard[: stored.n_hard[0]].tolist():
        text = data[start:end].decode("ascii")
        if layout.decimal != "." and "." in text:
            return False
        try:
            value = float(text.replace(layout.decimal, "."))
        except ValueError:
            return False
        if not abs(value) < LARGEST_EXACT:
            return False
        stored.values[row, record] = value
    return True


def _coded(data: bytes, row: int, n: int, stored: Stored, as_met: bool) -> CodePiece:
    """The codes of a field; its spellings in their order as text, or ``as_met``."""
    n_codes = int(stored.n_codes[row])
    places = zip(stored.starts[row, :n_codes].tolist(), stored.ends[row, :n_codes].tolist(), strict=True)
    spellings = [data[start:end].decode("utf-8") for start, end in places]
    if as_met:
        return CodePiece(stored.codes[row, :n].copy(), spellings)
    order = sorted(range(n_codes), key=spellings.__getitem__)
    rank = np.empty(n_codes, dtype=np.int16)
    rank[order] = np.arange(n_codes, dtype=np.int16)
    return CodePiece(rank[stored.codes[row, :n]], [spellings[code] for code in order])
