"""Storage of columns during reading: one piece for each block of records, joined at the end.

A column is stored in one of three ways, chosen by the first records and changed if later ones do not fit: numbers as
float64, recurring values as codes into a dictionary of spellings, other values as strings. Pieces of the last two kinds
keep the spelling of every value, missing markers included.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from algorithms.data.columns import STRING, FloatArray, IntArray, smallest_code_dtype
from algorithms.io.missing_marks import INFINITE

Codes = NDArray[Any]

MANY_SPELLINGS: Final = 20_000
"""Largest dictionary of spellings; beyond it, values are stored as strings."""

SLICE: Final = 1 << 14
"""Number of strings converted at a time, since the interpreter lock is held meanwhile."""


class Storage(Enum):
    """The way in which a column is stored during reading."""

    NUMBERS = "numbers"
    CODES = "codes"
    STRINGS = "strings"


@dataclass(frozen=True, eq=False, slots=True)
class NumberPiece:
    """Numbers as float64, NaN for missing markers; ``infinite`` if some were infinite numbers."""

    values: FloatArray
    infinite: bool = False

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, eq=False, slots=True)
class CodePiece:
    """Codes into this piece's own ``spellings``; -1 for a value known to be missing."""

    codes: Codes
    spellings: Sequence[str]

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, eq=False, slots=True)
class StringPiece:
    """Strings (``StringDType``, nan if known to be missing) and a 64-bit hash of each."""

    values: NDArray[Any]
    hashes: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.values)


Piece = NumberPiece | CodePiece | StringPiece


def string_piece(cells: NDArray[np.object_]) -> StringPiece:
    """The piece for an object array of str and nan."""
    return string_pieces(cells[np.newaxis])[0]


def string_pieces(columns: NDArray[np.object_]) -> list[StringPiece]:
    """The pieces for the rows of an object array (k, n) of str and nan, hashed together."""
    hashes = pd.util.hash_array(columns.ravel(), categorize=False).reshape(columns.shape)
    pieces = []
    for cells, hashed in zip(columns, hashes, strict=True):
        values = np.empty(len(cells), dtype=STRING)
        for start in range(0, len(cells), SLICE):
            values[start : start + SLICE] = cells[start : start + SLICE]
        pieces.append(StringPiece(values, hashed))
    return pieces


@dataclass(eq=False, slots=True)
class ColumnPieces:
    """The pieces of one column in block order, and a dictionary shared by all their codes."""

    pieces: list[Piece] = field(default_factory=list)
    code_of: dict[str, int] = field(default_factory=dict)

    def add(self, piece: Piece) -> None:
        self.pieces.append(self._recoded(piece))

    def replace(self, index: int, piece: Piece) -> None:
        """Replace a piece by the same values in another storage."""
        self.pieces[index] = self._recoded(piece)

    def _recoded(self, piece: Piece) -> Piece:
        """The piece with codes into the column's dictionary, in the smallest integer type."""
        if not isinstance(piece, CodePiece):
            return piece
        code_of = self.code_of
        if not code_of:
            code_of.update(zip(piece.spellings, range(len(piece.spellings)), strict=True))
            return CodePiece(piece.codes.astype(smallest_code_dtype(len(code_of)), copy=False), ())
        table = [code_of.setdefault(spelling, len(code_of)) for spelling in piece.spellings]
        dtype = smallest_code_dtype(len(code_of))
        return CodePiece(np.array([*table, -1], dtype=dtype)[piece.codes], ())

    @property
    def spellings(self) -> list[str]:
        """The spellings in code order."""
        return list(self.code_of)

    def stored_as(self, kind: type[Piece]) -> list[int]:
        """The indices of the pieces with this storage."""
        return [i for i, piece in enumerate(self.pieces) if isinstance(piece, kind)]

    def numbers(self, table: FloatArray) -> FloatArray:
        """The whole column as numbers (no string pieces); ``table`` is the number of each spelling, then NaN."""
        parts = [
            p.values if isinstance(p, NumberPiece) else table[p.codes]
            for p in [p for p in self.pieces if not isinstance(p, StringPiece)]
        ]
        return _joined(parts, np.float64)

    @property
    def is_infinite_somewhere(self) -> bool:
        """Whether an infinite number was read as missing."""
        words = not self.code_of.keys().isdisjoint(INFINITE)
        return words or any(isinstance(piece, NumberPiece) and piece.infinite for piece in self.pieces)

    def codes(self) -> Codes:
        """The whole column as codes (code pieces only)."""
        parts = [p.codes for p in self.pieces if isinstance(p, CodePiece)]
        return _joined(parts, smallest_code_dtype(len(self.code_of)))

    def counts_of(self, codes: Codes) -> IntArray:
        """The number of occurrences of each spelling in a column of codes."""
        return np.bincount(codes.astype(np.int64) + 1, minlength=len(self.code_of) + 1)[1:]

    def strings(self) -> StringPiece:
        """The whole column as strings (no number pieces); frees the pieces one by one."""
        spelled = np.empty(len(self.code_of) + 1, dtype=object)
        spelled[:-1], spelled[-1] = self.spellings, np.nan
        dictionary = string_piece(spelled)
        n_records = sum(map(len, self.pieces))
        values, hashes = np.empty(n_records, dtype=STRING), np.empty(n_records, dtype=np.uint64)
        start = 0
        self.pieces.reverse()
        while self.pieces:
            piece = self.pieces.pop()
            end = start + len(piece)
            if isinstance(piece, StringPiece):
                values[start:end], hashes[start:end] = piece.values, piece.hashes
            elif isinstance(piece, CodePiece):
                values[start:end] = taken(dictionary.values, piece.codes, lambda: None)
                hashes[start:end] = dictionary.hashes[piece.codes]
            start = end
        return StringPiece(values, hashes)


def _joined(parts: Sequence[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    if len(parts) == 1 and parts[0].dtype == dtype:
        return parts[0]
    whole = np.empty(sum(len(part) for part in parts), dtype=dtype)
    start = 0
    for part in parts:
        whole[start : start + len(part)] = part
        start += len(part)
    return whole


def taken(values: NDArray[Any], positions: IntArray, checkpoint: Callable[[], None]) -> NDArray[Any]:
    """``values[positions]`` of strings, slice by slice: numpy holds the interpreter lock while it copies strings."""
    strings = np.empty(len(positions), dtype=STRING)
    for start in range(0, len(positions), SLICE):
        checkpoint()
        strings[start : start + SLICE] = values[positions[start : start + SLICE]]
    return strings


def distinct_hashes(hashes: NDArray[np.uint64]) -> tuple[IntArray, IntArray]:
    """The index of the first of each distinct hash, in their order, and the group of every hash."""
    groups, distinct = pd.factorize(hashes)
    first = np.empty(len(distinct), dtype=np.int64)
    first[groups[::-1]] = np.arange(len(groups) - 1, -1, -1)
    return first, groups
