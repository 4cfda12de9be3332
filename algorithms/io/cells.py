"""The cells of a spreadsheet's column, which know their type, into a column of one kind.

Blocks of cells are kept as arrays as they come. When all are there it shows what the column holds: numbers, moments,
times, or a mixture, which keeps its spelling; texts that mark a missing value do not make a mixture. Numbers that may
be codes or classes are spelled out and judged by the same rules as the columns of text files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time, timedelta
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from algorithms.core.columns import FloatArray
from algorithms.core.number_formats import Numbers
from algorithms.core.schema import Attribute, Kind
from algorithms.io.inference import is_code, says_code, says_identifier
from algorithms.io.marks import INFINITE, STRONG, WEAK
from algorithms.io.options import ReadOptions
from algorithms.io.pieces import MANY_SPELLINGS, CodePiece, Gathered, NumberPiece, StringPiece, string_piece
from algorithms.io.settle import Column, settled

FEW_NUMBERS: Final = 20
"""Numbers with more distinct values are numbers, unless they may be codes; fewer may be classes."""

_NUMBERS: Final = frozenset({int, float})
_MOMENTS: Final = frozenset({date, datetime})
_TIMES: Final = frozenset({time, timedelta})
_LARGEST_SPELLED: Final = 1e15


@dataclass(frozen=True, eq=False)
class _Part:
    """A block of cells. ``values`` are its numbers, seconds since 1970-01-01 or hours; NaN elsewhere.

    ``others`` are the spellings of all cells that are neither empty nor of ``type``; None where there are none.
    """

    type: str
    values: FloatArray
    others: CodePiece | StringPiece | None = None


@dataclass(eq=False)
class Cells:
    """One column while its blocks of cells are added."""

    parts: list[_Part] = field(default_factory=list)
    texts: set[str] = field(default_factory=set)
    """Distinct spellings that are not of the column's type, up to a limit."""

    def add(self, cells: Sequence[object] | FloatArray) -> None:
        """One more block: str ("" where empty), float, int, bool, date, datetime, time or timedelta; or numbers as
        float64, NaN where empty."""
        if isinstance(cells, np.ndarray):
            self.parts.append(_Part("" if np.isnan(cells).all() else "numbers", cells))
            return
        types = set(map(type, cells))
        plain = types - {str}
        if plain and plain <= _NUMBERS:
            self._add("numbers", cells, _NUMBERS, _as_numbers)
        elif plain and plain <= _MOMENTS:
            self._add("moments", cells, _MOMENTS, _as_seconds)
        elif plain and plain <= _TIMES:
            self._add("times", cells, _TIMES, _as_hours)
        elif plain and plain & _NUMBERS:
            self._add("numbers", cells, _NUMBERS, _as_numbers)
        else:
            self._add("", cells, frozenset(), _as_numbers)

    def _add(
        self, type_: str, cells: Sequence[object], own: frozenset[type], convert: Callable[[list[Any]], FloatArray]
    ) -> None:
        if all(map(own.__contains__, map(type, cells))):
            self.parts.append(_Part(type_, convert(list(cells))))
            return
        is_own = np.fromiter((type(cell) in own for cell in cells), dtype=np.bool_, count=len(cells))
        values = np.full(len(cells), np.nan)
        if is_own.any():
            values[is_own] = convert([cell for cell in cells if type(cell) in own])
        spelled = np.empty(len(cells), dtype=object)
        spelled[:] = [None if type(cell) in own else spelling(cell) or None for cell in cells]
        self.parts.append(_Part(type_ if is_own.any() else "", values, self._others(spelled, bool(is_own.any()))))

    def _others(self, spelled: NDArray[np.object_], beside_values: bool) -> CodePiece | StringPiece | None:
        """Spellings, None where there is none: by code, or as strings where there are too many different ones."""
        codes, distinct = pd.factorize(spelled)
        if not len(distinct):
            return None
        if len(self.texts) > MANY_SPELLINGS and not beside_values:
            spelled[codes < 0] = np.nan
            return string_piece(spelled)
        self.texts.update(distinct.tolist())
        return CodePiece(codes, distinct.tolist())

    @property
    def is_empty(self) -> bool:
        """Whether no cell holds anything."""
        return all(part.others is None and bool(np.isnan(part.values).all()) for part in self.parts)

    @property
    def types(self) -> frozenset[str]:
        """What the cells that are no texts hold: "numbers", "moments", "times"."""
        return frozenset(part.type for part in self.parts if part.type)

    def column(
        self,
        name: str,
        last: bool,
        numbers: Numbers,
        options: ReadOptions,
        checkpoint: Callable[[], None],
        *,
        marks_are_known: bool,
    ) -> Column:
        """The column in its kind; ``numbers`` reads those that are texts, ``marks_are_known`` as for :func:`settled`.

        Raises :class:`DataError` where it cannot have the kind that the options give.
        """
        given = options.kinds.get(name)
        marks = {*STRONG, *WEAK} if options.missing is None else {"", *options.missing}
        if self.types == {"numbers"} and given in (None, Kind.NUMERIC):
            self._take_numbers(name, numbers, marks)
        only_marks = self.texts <= marks and not any(isinstance(part.others, StringPiece) for part in self.parts)
        types = self.types
        if only_marks and len(types) == 1:
            values = np.concatenate([part.values for part in self.parts])
            if types == {"moments"} and given in (None, Kind.DATE):
                return Column(Attribute(name, Kind.DATE), values)
            if types == {"times"} and given in (None, Kind.NUMERIC):
                return Column(Attribute(name, Kind.NUMERIC), values)
            if types == {"numbers"} and _are_numbers(name, values, given):
                infinite = np.isinf(values)
                values[infinite] = np.nan
                told = bool(infinite.any()) or not self.texts.isdisjoint(INFINITE)
                return Column(Attribute(name, Kind.NUMERIC), values, told)
        as_spelled = numbers if not types else Numbers()  # what is no text is spelled with a point
        known = marks_are_known or bool(types)
        return settled(name, last, self._spelled(checkpoint), as_spelled, options, checkpoint, marks_are_known=known)

    def _take_numbers(self, name: str, numbers: Numbers, marks: set[str]) -> None:
        """Take texts beside numbers for numbers where all are, but the marks of missing values; codes stay texts."""
        texts = self.texts - marks
        if not texts or not all(map(numbers.matches, texts)) or is_code(name, sorted(texts)):
            return
        if any(isinstance(part.others, StringPiece) for part in self.parts):
            return
        for at, part in enumerate(self.parts):
            if isinstance(part.others, CodePiece):
                self.parts[at] = _with_numbers(part, part.others, numbers, marks)
        self.texts -= texts

    def _spelled(self, checkpoint: Callable[[], None]) -> Gathered:
        """Every cell by its spelling."""
        gathered = Gathered()
        for part in self.parts:
            checkpoint()
            for piece in _spelled(part, as_strings=len(gathered.code_of) > MANY_SPELLINGS):
                gathered.add(piece)
        if not gathered.code_of and not gathered.stored_as(StringPiece):
            return Gathered([NumberPiece(np.concatenate([part.values for part in self.parts]))])
        return gathered


def _with_numbers(part: _Part, others: CodePiece, numbers: Numbers, marks: set[str]) -> _Part:
    """A block of numbers with those of its texts taken in that are no marks of missing values."""
    is_number = np.array([*(text not in marks for text in others.spellings), False])
    values = np.array([*(math.nan if text in marks else numbers.parse(text) for text in others.spellings), math.nan])
    taken = is_number[others.codes]
    codes = np.where(taken, -1, others.codes)
    left = CodePiece(codes, others.spellings) if np.any(codes >= 0) else None
    return _Part("numbers", np.where(taken, values[others.codes], part.values), left)


def _are_numbers(name: str, values: FloatArray, given: Kind | None) -> bool:
    """Whether numbers are just numbers, and need not be looked at by their spelling."""
    if given is not None:
        return given is Kind.NUMERIC
    distinct = np.unique(values[~np.isnan(values)])
    if len(distinct) <= FEW_NUMBERS or says_identifier(name) or says_code(name):
        return False
    large = distinct[np.abs(distinct) >= _LARGEST_SPELLED / 10]
    return not is_code(name, [spelling(value) for value in large[:FEW_NUMBERS].tolist()])


def _spelled(part: _Part, as_strings: bool) -> list[CodePiece | StringPiece]:
    if isinstance(part.others, StringPiece):
        return [part.others]
    present = ~np.isnan(part.values)
    distinct, inverse = np.unique(part.values[present], return_inverse=True)
    texts = list(part.others.spellings) if part.others is not None else []
    codes = np.full(len(part.values), -1, dtype=np.int64) if part.others is None else part.others.codes.astype(np.int64)
    codes[present] = inverse + len(texts)
    spellings = [*texts, *(_SPELLED[part.type or "numbers"](value) for value in distinct.tolist())]
    if not as_strings:
        return [CodePiece(codes, spellings)]
    table = np.empty(len(spellings) + 1, dtype=object)
    table[:-1], table[-1] = spellings, np.nan
    return [string_piece(table[codes])]


def spelling(cell: object) -> str:
    """A cell as a spreadsheet shows it: numbers with at most 15 digits, dates as ISO 8601, TRUE and FALSE."""
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, (int, float)):
        return _spelled_number(float(cell))
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    if isinstance(cell, timedelta):
        return _spelled_hours(cell.total_seconds() / 3600)
    return cell.isoformat() if isinstance(cell, (date, time)) else str(cell)


def _spelled_number(value: float) -> str:
    return str(int(value)) if value.is_integer() and abs(value) < _LARGEST_SPELLED else f"{value:.15g}"


def _spelled_moment(seconds: float) -> str:
    moment = np.datetime64(round(seconds * 1e6), "us").astype("datetime64[s]")
    day = moment.astype("datetime64[D]")
    return str(day) if moment == day else str(moment).replace("T", " ")


def _spelled_hours(hours: float) -> str:
    seconds = round(abs(hours) * 3600)
    sign = "-" if hours < 0 else ""
    return f"{sign}{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


_SPELLED: Final[dict[str, Callable[[float], str]]] = {
    "numbers": _spelled_number,
    "moments": _spelled_moment,
    "times": _spelled_hours,
}


def _as_numbers(cells: list[Any]) -> FloatArray:
    return np.array(cells, dtype=np.float64)


def _as_seconds(cells: list[Any]) -> FloatArray:
    moments: NDArray[np.datetime64] = np.array(cells, dtype="datetime64[us]")
    return moments.astype(np.int64) / 1e6


def _as_hours(cells: list[Any]) -> FloatArray:
    return np.array([_hours(cell) for cell in cells], dtype=np.float64)


def _hours(cell: time | timedelta) -> float:
    if isinstance(cell, timedelta):
        return cell.total_seconds() / 3600
    return cell.hour + cell.minute / 60 + (cell.second + cell.microsecond / 1e6) / 3600
