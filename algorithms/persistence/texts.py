"""Strings as plain arrays: their UTF-8 bytes one behind the other, where each ends, and which are missing.

Done in blocks, so that no thread holds the interpreter for long.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.columns import STRING, Column
from algorithms.core.errors import ModelFileError

BLOCK: Final = 4096


@dataclass(frozen=True, eq=False)
class Texts:
    """n strings: ``content`` uint8 (all bytes), ``ends`` int64 (n,), ``missing`` bool (n,)."""

    content: NDArray[np.uint8]
    ends: NDArray[np.int64]
    missing: NDArray[np.bool_]


def packed(strings: Column | Sequence[str], checkpoint: Callable[[], object] = int) -> Texts:
    """Strings of a column, where NaN is missing, or of a sequence; ``checkpoint`` is called before each block."""
    n = len(strings)
    ends, missing = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    pieces: list[bytes] = []
    total = 0
    for start in range(0, n, BLOCK):
        checkpoint()
        block = strings[start : start + BLOCK]
        values: Sequence[Any] = block.tolist() if isinstance(block, np.ndarray) else block
        encoded = [value.encode("utf-8", "surrogatepass") if isinstance(value, str) else b"" for value in values]
        missing[start : start + BLOCK] = [not isinstance(value, str) for value in values]
        sizes = np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded))
        ends[start : start + BLOCK] = total + np.cumsum(sizes)
        total += int(sizes.sum())
        pieces.append(b"".join(encoded))
    content = np.empty(total, dtype=np.uint8)
    at = 0
    for piece in pieces:
        content[at : at + len(piece)] = np.frombuffer(piece, dtype=np.uint8)
        at += len(piece)
    return Texts(content, ends, missing)


def column_of(texts: Texts) -> Column:
    """A column of strings; raises :class:`ModelFileError` where these are none."""
    column = np.empty(len(texts.ends), dtype=STRING)

    def take(start: int, values: list[str | None]) -> None:
        column[start : start + len(values)] = [np.nan if value is None else value for value in values]

    _each_block(texts, take)
    column.flags.writeable = False
    return column


def strings_of(texts: Texts) -> tuple[str, ...]:
    """The strings, none of which may be missing; raises :class:`ModelFileError`."""
    found: list[str] = []

    def take(_start: int, values: list[str | None]) -> None:
        found.extend(value for value in values if value is not None)

    _each_block(texts, take)
    if len(found) < len(texts.ends):
        raise ModelFileError("The file is damaged: a word is missing.")
    return tuple(found)


def _each_block(texts: Texts, take: Callable[[int, list[str | None]], None]) -> None:
    n = len(texts.ends)
    fits = (
        [a.dtype.str[1:] for a in (texts.content, texts.ends, texts.missing)] == ["u1", "i8", "b1"]
        and texts.content.ndim == 1
        and texts.ends.shape == texts.missing.shape == (n,)
        and bool(np.all(texts.ends[1:] >= texts.ends[:-1]))
        and (int(texts.ends[0]) >= 0 and int(texts.ends[-1]) == len(texts.content) if n else not len(texts.content))
    )
    if not fits:
        raise ModelFileError("The file is damaged: its words do not fit together.")
    before = 0
    for start in range(0, n, BLOCK):
        ends = texts.ends[start : start + BLOCK].tolist()
        raw = texts.content[before : ends[-1]].tobytes()
        begins = [before, *ends[:-1]]
        absent = texts.missing[start : start + BLOCK].tolist()
        take(
            start,
            [
                None if gone else raw[a - before : b - before].decode("utf-8", "surrogatepass")
                for a, b, gone in zip(begins, ends, absent, strict=True)
            ],
        )
        before = ends[-1]
