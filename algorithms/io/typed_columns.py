"""Conversion of columns with types (workbooks, Parquet, databases, statistics files) to attributes and their values.

Blocks of cells are stored as arrays. When all are read, the kind of a column is decided: numbers, dates, times, or a
mixture, which keeps its spellings; missing markers do not make a mixture. Numbers that may be codes or classes are
spelled out, and the rules for columns of text files apply. Spaces around texts are dropped. Integers that floats cannot
represent are kept as text. Times and durations become hours. Values with declared labels become nominal or ordinal.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from operator import is_
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.core.run_control import RunContext, free_memory
from algorithms.data.columns import STRING, FloatArray, Mask, is_whole, smallest_code_dtype
from algorithms.data.convert_kind import MAX_VALUES
from algorithms.data.dataset import DataOrigin, Dataset
from algorithms.data.number_formats import PLAIN, NumberFormat, says_code
from algorithms.data.schema import Attribute, AttributeKind, Schema, free_name, nominal
from algorithms.io.column_inference import (
    InferredColumn,
    bad_value_sentences,
    identifier_if_counting,
    inferred_column,
    infinite_numbers,
    marks_by_column,
    numeric_column,
    own_options,
    units_removed,
    with_class_first,
    with_stated_unit,
)
from algorithms.io.column_meaning import (
    is_code,
    kind_by_recurrence,
    says_identifier,
    sorted_naturally,
    with_guessed_class,
)
from algorithms.io.column_pieces import (
    MANY_SPELLINGS,
    SLICE,
    CodePiece,
    Codes,
    ColumnPieces,
    NumberPiece,
    StringPiece,
    string_piece,
)
from algorithms.io.missing_marks import ALL_MARKS, INFINITE, STRONG, WEAK, marks_of_numbers
from algorithms.io.text.layout_recognition import distinct_names, marks_in_numbers
from algorithms.io.text.options import Guess, ReadOptions, refuse_too_wide, taken_sentences
from algorithms.io.text.sampling import Tally
from algorithms.io.text.text_source import TextFile
from algorithms.text.sentences import and_more

FEW_NUMBERS: Final = 20
"""Columns with more distinct numbers are numeric, unless they may be codes; columns with fewer may be nominal."""

END_OF_DATES: Final = 253402300800.0
"""Seconds from 1970-01-01 to the begin of the year 10000."""
FIRST_RECORDS: Final = 300
"""Number of records whose texts tell the decimal mark."""
_NUMBERS: Final[frozenset[type]] = frozenset({int, float})
_MOMENTS: Final[frozenset[type]] = frozenset({date, datetime})
_TIMES: Final[frozenset[type]] = frozenset({time, timedelta})
_EXACT: Final = 1 << 53
"""Floats represent all integers below it."""
_FEW_CELLS: Final = 256
LARGEST_BLOCK_OF_TEXTS: Final = 1 << 30
"""Largest number of characters that the texts of one block may have, repeated ones too."""
LARGE_BLOCK: Final = 1 << 17
"""Number of cells up to which blocks are joined."""


@dataclass(frozen=True)
class ColumnDetails:
    """What a source tells of a column besides its cells.

    ``labels`` are the names of values, in order, by the value as :func:`spelling` writes it. If fewer than half of the
    values in the column have one, they are no categories (99 = no answer in a column of amounts) and are ignored.
    ``description`` says what the column holds, ``unit`` in which unit.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    is_ordered: bool = False
    description: str = ""
    unit: str = ""


PLAIN_COLUMN: Final = ColumnDetails()


@dataclass(frozen=True, eq=False)
class _Part:
    """A block of cells. ``values`` are its numbers, seconds since 1970-01-01 or hours; NaN elsewhere.

    ``others`` are the spellings of all non-empty cells of another ``type``; None if there are none.
    """

    type: str
    values: FloatArray
    others: CodePiece | StringPiece | None = None


@dataclass(eq=False)
class ColumnCells:
    """The blocks of one column during reading; each method appends one."""

    parts: list[_Part] = field(default_factory=list)
    texts: set[str] = field(default_factory=set)
    """Distinct spellings of cells with another type than the column, up to a limit."""
    has_far_dates: bool = False
    """Whether a date lies beyond the year 9999."""
    _block: FloatArray = field(default_factory=lambda: np.empty(0))
    """The array in which the last block may grow."""

    def add_integers(self, values: NDArray[np.integer[Any]], missing: Mask | None = None) -> None:
        """Integers of any size; ``missing`` marks the absent ones."""
        present = values if missing is None else values[~missing]
        if len(present) and (int(present.max()) >= _EXACT or int(present.min()) <= -_EXACT):
            codes, distinct = pd.factorize(values)
            codes = codes if missing is None else np.where(missing, -1, codes)
            self.add_labels(codes, list(map(str, distinct.tolist())))
            return
        numbers = values.astype(np.float64)
        if missing is not None:
            numbers[missing] = np.nan
        self.add(numbers)

    def add_moments(self, seconds: FloatArray) -> None:
        """Dates in seconds since 1970-01-01 UTC, NaN if missing; those beyond the year 9999 become missing."""
        if (is_far := np.abs(seconds) >= END_OF_DATES).any():
            self.has_far_dates, seconds = True, np.where(is_far, np.nan, seconds)
        self._append("moments", seconds)

    def add_hours(self, hours: FloatArray) -> None:
        """Times or durations in hours, NaN if missing."""
        self._append("times", hours)

    def add_labels(self, codes: NDArray[np.integer[Any]], labels: Sequence[str | None]) -> None:
        """Texts as codes into distinct ``labels``; -1 or an empty label if missing."""
        try:
            are_plain = all(map(is_, map(str.strip, labels), labels)) and "" not in labels  # type: ignore[arg-type]
        except TypeError:  # one is None
            are_plain = False
        if are_plain:
            dtype = smallest_code_dtype(len(labels))
            self._add_spelled(np.broadcast_to(np.nan, len(codes)), CodePiece(codes.astype(dtype), list(labels)))  # type: ignore[arg-type]
            return
        code_of: dict[str, int] = {}
        places = [code_of.setdefault(text, len(code_of)) if (text := (label or "").strip()) else -1 for label in labels]
        table = np.array([*places, -1], dtype=smallest_code_dtype(len(code_of)))
        self._add_spelled(np.broadcast_to(np.nan, len(codes)), CodePiece(table[codes], list(code_of)))

    def add_series(self, series: pd.Series[Any]) -> None:
        """A column of a pandas frame, or a part of one."""
        dtype = series.dtype
        kind = "O" if isinstance(dtype, (pd.StringDtype, pd.CategoricalDtype)) else dtype.kind
        if isinstance(dtype, pd.CategoricalDtype):
            self.add_labels(series.cat.codes.to_numpy(), list(map(spelling, series.cat.categories)))
        elif isinstance(dtype, pd.StringDtype):
            codes, labels = pd.factorize(series)
            self.add_labels(codes, labels.tolist())
        elif kind in "iu":
            plain: Any = getattr(dtype, "numpy_dtype", dtype)
            integers: Any = series.fillna(0).to_numpy(dtype=plain)
            missing = series.isna().to_numpy()
            self.add_integers(integers, missing if missing.any() else None)
        elif kind == "f":
            self.add(series.to_numpy(dtype=np.float64, na_value=np.nan))
        elif kind == "b":
            self.add_labels(
                series.astype("Int8").to_numpy(dtype=np.int8, na_value=-1), [spelling(False), spelling(True)]
            )
        elif kind == "M":
            naive = series if getattr(dtype, "tz", None) is None else series.dt.tz_convert("UTC").dt.tz_localize(None)
            self.add_moments(_as_floats(naive.to_numpy(dtype="datetime64[us]")) / 1e6)
        elif kind == "m":
            self.add_hours(_as_floats(series.to_numpy(dtype="timedelta64[us]")) / 3.6e9)
        else:
            self.add([plain_cell(value) for value in series])

    def add_sampled(self, whole: ColumnCells, is_sampled: NDArray[np.bool_]) -> None:
        """Those cells of a block that are in a sample; all its labels count as labels of the column."""
        begin = 0
        for part in whole.parts:
            kept = is_sampled[begin : begin + len(part.values)]
            begin += len(part.values)
            if isinstance(part.others, CodePiece):
                self._add_spelled(part.values[kept], CodePiece(part.others.codes[kept], part.others.spellings))
            elif isinstance(part.others, StringPiece):
                strings = StringPiece(part.others.values[kept], part.others.hashes[kept])
                self.parts.append(_Part(part.type, part.values[kept], strings))
                self.texts.update(whole.texts)
            elif kept.any():
                self._append(part.type, part.values[kept])
        self.has_far_dates |= whole.has_far_dates

    def add_to(self, tally: Tally) -> None:
        """Count all cells."""
        for part in self.parts:
            if part.others is None:
                tally.add_numbers(part.values)
            else:
                tally.add(part.others)

    def _add_spelled(self, values: FloatArray, others: CodePiece) -> None:
        """Append texts, as strings if the column has too many; raises ``MemoryError`` if those would be very large."""
        are_many = len(others.spellings) + len(self.texts) > MANY_SPELLINGS
        if are_many and len(self.texts.union(others.spellings)) > MANY_SPELLINGS:
            longest = max(map(len, others.spellings))
            if longest * len(others.codes) > LARGEST_BLOCK_OF_TEXTS < _n_characters(others):
                raise MemoryError
            table = np.array([*others.spellings, np.nan], dtype=object)
            self.parts.append(_Part("", values, string_piece(table[others.codes])))
            self.texts.update(ALL_MARKS.intersection(others.spellings))
            return
        self.texts.update(others.spellings)
        self.parts.append(_Part("", values, others))

    def add_values(self, cells: Sequence[Any]) -> int:
        """Values of a database's driver, None if missing; returns about how many bytes they take.

        Raises ``UnicodeDecodeError`` for bytes that are no text.
        """
        types = set(map(type, cells))
        has_missing = type(None) in types
        types.discard(type(None))
        if types == {int}:
            try:
                integers = np.array([cell or 0 for cell in cells], dtype=np.int64)
            except OverflowError:
                self.add([plain_cell(cell) for cell in cells])
            else:
                self.add_integers(integers, np.array([cell is None for cell in cells]) if has_missing else None)
        elif types <= {float}:
            self.add(np.array(cells, dtype=np.float64))
        elif types == {str}:
            codes, texts = pd.factorize(np.array(cells, dtype=object))
            self.add_labels(codes, texts.tolist())
            return len(cells) + sum(map(len, texts))
        else:
            self.add([plain_cell(cell.decode() if type(cell) is bytes else cell) for cell in cells])
        return 8 * len(cells)

    def add(self, cells: Sequence[object] | FloatArray) -> None:
        """Cells that are str ("" if missing), float, int, bool, date, datetime, time or timedelta.

        A float64 array holds numbers only, NaN if missing.
        """
        if isinstance(cells, np.ndarray):
            self._append("numbers", cells)
            return
        plain = set(map(type, cells)) - {str}
        fitting = next((kind for kind in _KINDS if plain and plain <= kind[1]), None)
        mixed = _KINDS[0] if plain & _NUMBERS else ("", frozenset[type](), _as_numbers)
        self._add(cells, *(fitting or mixed))

    def _add(
        self, cells: Sequence[object], type_: str, own: frozenset[type], convert: Callable[[list[Any]], FloatArray]
    ) -> None:
        if all(map(own.__contains__, map(type, cells))):
            self._append(type_, convert(list(cells)))
            return
        is_own = np.fromiter(map(own.__contains__, map(type, cells)), dtype=np.bool_, count=len(cells))
        values: FloatArray = np.broadcast_to(np.nan, len(cells))
        if is_own.any():
            values = np.full(len(cells), np.nan)
            values[is_own] = convert([cell for cell in cells if type(cell) in own])
        spelled = np.empty(len(cells), dtype=object)
        if own:
            spelled[:] = [None if cell == "" or type(cell) in own else spelling(cell) or None for cell in cells]
        else:  # no numbers, so equal cells have the same spelling
            text_of = {cell: spelling(cell) or None for cell in set(cells)}
            spelled[:] = [text_of[cell] for cell in cells]
        self.parts.append(_Part(type_ if is_own.any() else "", values, self._others(spelled, bool(is_own.any()))))

    def _append(self, type_: str, values: FloatArray) -> None:
        """Append cells of one type; small blocks become large ones, whose memory the system gets back when freed."""
        if np.isnan(values).all():
            self.parts.append(_Part("", np.broadcast_to(np.nan, len(values))))
            return
        last = self.parts[-1] if self.parts else None
        size = len(values) + (len(last.values) if last is not None else 0)
        if last is None or last.others is not None or last.type != type_ or size > LARGE_BLOCK:
            self.parts.append(_Part(type_, values))
            return
        start = len(last.values)
        if last.values.base is not self._block or len(self._block) < size:
            self._block = np.empty(min(LARGE_BLOCK, 4 * size))
            self._block[:start] = last.values
        self._block[start:size] = values
        self.parts[-1] = _Part(type_, self._block[:size])

    def _others(self, spelled: NDArray[np.object_], beside_values: bool) -> CodePiece | StringPiece | None:
        """The spellings as codes, or as strings if too many are distinct; None if there are none."""
        codes, distinct = pd.factorize(spelled)
        if not len(distinct):
            return None
        if len(self.texts) > MANY_SPELLINGS and not beside_values:
            spelled[codes < 0] = np.nan
            return string_piece(spelled)
        self.texts.update(distinct.tolist())
        return CodePiece(codes.astype(smallest_code_dtype(len(distinct))), distinct.tolist())

    @property
    def is_empty(self) -> bool:
        """Whether all cells are empty."""
        return all(part.others is None and bool(np.isnan(part.values).all()) for part in self.parts)

    @property
    def types(self) -> frozenset[str]:
        """The types of the non-text cells: "numbers", "moments", "times"."""
        return frozenset(part.type for part in self.parts if part.type)

    def column(
        self,
        name: str,
        last: bool,
        numbers: NumberFormat,
        options: ReadOptions,
        checkpoint: Callable[[], None],
        *,
        marks_are_known: bool,
        details: ColumnDetails = PLAIN_COLUMN,
    ) -> InferredColumn:
        """The column converted to its kind; ``numbers`` is the format of numbers stored as text. Frees the blocks.

        ``marks_are_known`` is that of :func:`inferred_column`. Raises :class:`DataError` if the column cannot have the
        kind that the options give.
        """
        given = options.kinds.get(name)
        own = own_options(name, options, sorted(self.texts), numbers) if name in options.missing_in else options
        if details.labels and (given is None or given.is_coded):
            labelled = self._labelled(name, last, given, details, checkpoint)
            if labelled is not None:
                return labelled
        marks = marks_of_numbers(own.missing)
        if self.types == {"numbers"} and given in (None, AttributeKind.NUMERIC):
            self._take_numbers(name, numbers, marks)
        only_marks = self.texts <= marks and not any(isinstance(part.others, StringPiece) for part in self.parts)
        types = self.types
        if only_marks and len(types) == 1:
            if types == {"moments"} and given in (None, AttributeKind.DATE):
                return InferredColumn(Attribute(name, AttributeKind.DATE), self._taken_values(checkpoint))
            if types == {"times"} and given in (None, AttributeKind.NUMERIC):
                return self._numeric(name, options, checkpoint)
            if types == {"numbers"} and self._are_numbers(name, given, checkpoint):
                return self._numeric(name, options, checkpoint)
        gathered = self._spelled(checkpoint)
        _refuse_repeated_texts(name, gathered)
        as_spelled = numbers if not types else NumberFormat()  # other cells are spelled with a point
        marks_given = marks_are_known or bool(types)
        column = inferred_column(name, last, gathered, as_spelled, options, checkpoint, marks_are_known=marks_given)
        if only_marks and types == {"numbers"} and column.attribute.kind is AttributeKind.NUMERIC:
            return self._numeric(name, options, checkpoint)  # a spelling may have fewer digits
        self.parts.clear()
        return column

    def _numeric(self, name: str, options: ReadOptions, checkpoint: Callable[[], None]) -> InferredColumn:
        """The numeric column; infinite numbers are missing."""
        values = self._taken_values(checkpoint)
        infinite = np.isinf(values)
        is_infinite = bool(infinite.any())
        if is_infinite:
            values[infinite] = np.nan
        says_infinite = is_infinite or not self.texts.isdisjoint(INFINITE)
        return numeric_column(name, values, options, infinite=says_infinite)

    def _taken_values(self, checkpoint: Callable[[], None]) -> FloatArray:
        """The values of all blocks, which are freed one by one."""
        values = np.empty(sum(len(part.values) for part in self.parts))
        end = len(values)
        while self.parts:
            checkpoint()
            part = self.parts.pop()
            values[end - len(part.values) : end] = part.values
            end -= len(part.values)
        return values

    def _are_numbers(self, name: str, given: AttributeKind | None, checkpoint: Callable[[], None]) -> bool:
        """Whether the column is numeric without a check of the spellings."""
        if given is not None:
            return given is AttributeKind.NUMERIC
        if says_identifier(name) or says_code(name):
            return False
        distinct = set[float]()
        for part in self.parts:
            checkpoint()
            for cells in (part.values[:_FEW_CELLS], part.values[_FEW_CELLS:]):
                values = pd.unique(cells)
                present = values[~np.isnan(values)]
                if len(present) > FEW_NUMBERS or len(distinct := distinct.union(present.tolist())) > FEW_NUMBERS:
                    return True
        return False

    def _labelled(
        self,
        name: str,
        last: bool,
        given: AttributeKind | None,
        details: ColumnDetails,
        checkpoint: Callable[[], None],
    ) -> InferredColumn | None:
        """The column with the declared labels of its values; None if they do not name categories."""
        gathered = self._spelled(checkpoint)
        if gathered.stored_as(StringPiece) or gathered.stored_as(NumberPiece):
            return None
        codes, spellings = gathered.codes(), gathered.spellings
        counts = gathered.counts_of(codes)
        used = [text for text, count in zip(spellings, counts.tolist(), strict=True) if count]
        unnamed = [text for text in used if text not in details.labels]
        if given is None:
            if 2 * len(unnamed) > len(used) or len(details.labels) + len(unnamed) > MAX_VALUES:
                return None
            length = sum(map(len, used)) / max(1, len(used))
            if (
                not details.is_ordered
                and kind_by_recurrence(len(used), int(counts.sum()), length).is_string
                and not last
            ):
                return None
        keys = [*details.labels, *unnamed]
        keys = list(sorted_naturally(keys)) if unnamed and self.types == {"numbers"} else keys
        label_of = _distinct_labels({key: details.labels.get(key, key) for key in keys})
        ordinal = given is AttributeKind.ORDINAL or (given is None and details.is_ordered)
        attribute = nominal(name, label_of.values(), ordinal=ordinal)
        code_of = {key: code for code, key in enumerate(label_of)}
        table = np.array([*(code_of.get(text, -1) for text in spellings), -1], dtype=smallest_code_dtype(len(keys)))
        self.parts.clear()
        return InferredColumn(attribute, table[codes])

    def _take_numbers(self, name: str, numbers: NumberFormat, marks: frozenset[str]) -> None:
        """Convert texts to numbers if all are numeric or missing markers; codes stay text."""
        texts = self.texts - marks
        if not texts or not all(map(numbers.matches, texts)) or is_code(name, sorted(texts)):
            return
        if any(isinstance(part.others, StringPiece) for part in self.parts):
            return
        for number, part in enumerate(self.parts):
            if isinstance(part.others, CodePiece):
                self.parts[number] = _with_numbers(part, part.others, numbers, marks)
        self.texts -= texts

    def _are_many_whole_numbers(self) -> bool:
        """Whether all cells are whole numbers, and too many are distinct for a dictionary of their spellings."""
        if self.types != {"numbers"} or any(part.others is not None for part in self.parts):
            return False
        if len(np.unique(self.parts[0].values)) <= MANY_SPELLINGS:
            return False
        return all(is_whole(part.values) or np.isnan(part.values).all() for part in self.parts)

    def _spelled(self, checkpoint: Callable[[], None]) -> ColumnPieces:
        """All cells as spellings."""
        gathered = ColumnPieces()
        if self._are_many_whole_numbers():
            for part in self.parts:
                for start in range(0, len(part.values), SLICE):
                    checkpoint()
                    gathered.add(_whole_numbers_spelled(part.values[start : start + SLICE]))
            return gathered
        for part in self.parts:
            checkpoint()
            for piece in _spelled(part, as_strings=len(gathered.code_of) > MANY_SPELLINGS):
                gathered.add(piece)
        if not gathered.code_of and not gathered.stored_as(StringPiece):
            return ColumnPieces([NumberPiece(np.concatenate([part.values for part in self.parts]))])
        return gathered


def _whole_numbers_spelled(values: FloatArray) -> StringPiece:
    """Whole numbers as strings, NaN as missing; their hashes are those of the numbers."""
    missing = np.isnan(values)
    strings = np.where(missing, 0, values).astype(np.int64).astype(STRING)
    strings[missing] = np.nan
    return StringPiece(strings, pd.util.hash_array(values))


def _n_characters(piece: CodePiece) -> int:
    """The number of characters of all texts together, if each were stored for itself."""
    counts = np.bincount(piece.codes.astype(np.int64) + 1, minlength=len(piece.spellings) + 1)[1:]
    return sum(n * len(text) for n, text in zip(counts.tolist(), piece.spellings, strict=True))


def _refuse_repeated_texts(name: str, gathered: ColumnPieces) -> None:
    """Raise :class:`DataError` for long texts that recur so often that they cannot be stored one by one."""
    lengths = list(map(len, gathered.spellings))
    n = sum(map(len, gathered.pieces))
    if max(lengths, default=0) * n < LARGEST_BLOCK_OF_TEXTS or gathered.stored_as(StringPiece):
        return
    free, needed = free_memory(), _n_characters(CodePiece(gathered.codes(), gathered.spellings))
    if (
        free is not None
        and needed > free
        and kind_by_recurrence(len(lengths), n, sum(lengths) / len(lengths)).is_string
    ):
        raise DataError(
            f"Column {name!r} holds {needed / 1e9:,.1f} GB of text, and {free / 1e9:,.1f} GB of memory are free.",
            remedy="Close other programs, or leave the column out of the file.",
            place=name,
        )


def _with_numbers(part: _Part, others: CodePiece, numbers: NumberFormat, marks: frozenset[str]) -> _Part:
    """The block of numbers with its numeric texts converted."""
    is_number = np.array([*(text not in marks for text in others.spellings), False])
    values = np.array([*(math.nan if text in marks else numbers.parse(text) for text in others.spellings), math.nan])
    taken = is_number[others.codes]
    codes = np.where(taken, -1, others.codes)
    left = CodePiece(codes, others.spellings) if np.any(codes >= 0) else None
    return _Part("numbers", np.where(taken, values[others.codes], part.values), left)


def _distinct_labels(labels: Mapping[str, str]) -> dict[str, str]:
    """The labels by value, stripped; those that several values have, or none, are followed by the value."""
    stripped = {value: label.strip() for value, label in labels.items()}
    times = Counter(stripped.values())
    distinct, taken = dict[str, str](), {label for label in times if times[label] == 1}
    for value, label in stripped.items():
        distinct[value] = label if label and times[label] == 1 else free_name(f"{label} ({value})".lstrip(), taken)
        taken.add(distinct[value])
    return distinct


def _spelled(part: _Part, as_strings: bool) -> list[CodePiece | StringPiece]:
    if isinstance(part.others, StringPiece):
        return [part.others]
    texts = list(part.others.spellings) if part.others is not None else []
    codes: Codes = np.broadcast_to(np.int8(-1), len(part.values)) if part.others is None else part.others.codes
    spellings = texts
    if part.type:
        values, distinct = pd.factorize(part.values)
        code_of = dict(zip(texts, range(len(texts)), strict=True))  # a text and a number may be spelled alike
        code_of_each = [code_of.setdefault(text, len(code_of)) for text in _spelled_values(part.type, distinct)]
        codes = np.where(values < 0, codes, np.array([*code_of_each, -1])[values])
        spellings = list(code_of)
    if not as_strings:
        return [CodePiece(codes, spellings)]
    table = np.empty(len(spellings) + 1, dtype=object)
    table[:-1], table[-1] = spellings, np.nan
    return [string_piece(table[codes])]


def _spelled_values(type_: str, values: FloatArray) -> list[str]:
    """The spellings of values without NaN."""
    is_whole = type_ == "numbers" and len(values) and bool(np.all(np.abs(values) < _EXACT) and np.all(values % 1 == 0))
    if is_whole:
        spelled: list[str] = values.astype(np.int64).astype(str).tolist()
        return spelled
    return list(map(_SPELLED[type_], values.tolist()))


def plain_cell(value: object) -> object:
    """A Python value as a cell for :meth:`ColumnCells.add`; other types than those are spelled."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value is pd.NA or value is pd.NaT:
        return ""
    if isinstance(value, Decimal):
        value = int(value) if value.is_finite() and value == value.to_integral_value() else float(value)
    if type(value) is int:
        return value if abs(value) < _EXACT else str(value)
    if isinstance(value, datetime):
        moment = value.to_pydatetime(warn=False) if isinstance(value, pd.Timestamp) else value
        return moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)
    if isinstance(value, pd.Timedelta):
        return value.to_pytimedelta()
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if isinstance(value, (str, float, bool, date, time, timedelta)) else str(value)


def _as_floats(moments: NDArray[Any]) -> FloatArray:
    """Datetimes or timedeltas in their unit (n,), NaN where missing."""
    values = moments.astype(np.int64).astype(np.float64)
    values[np.isnat(moments)] = np.nan
    return values


def spelling(cell: object) -> str:
    """The cell as a spreadsheet shows it: numbers with at most 15 digits, dates as ISO 8601, TRUE and FALSE."""
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
    return str(int(value)) if value.is_integer() and abs(value) < _EXACT else f"{value:.15g}"


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


_KINDS: Final = (
    ("numbers", _NUMBERS, _as_numbers),
    ("moments", _MOMENTS, _as_seconds),
    ("times", _TIMES, _as_hours),
)


class TypedTable:
    """A table whose source has types, converted column by column.

    ``numbers`` is the format of numbers in its texts; ``has_names`` says whether the source names its columns.
    ``recognised`` are the options it is read with; the missing markers that occur are published with them, unless the
    options give some.
    """

    def __init__(
        self,
        source: TextFile,
        names: Sequence[str],
        context: RunContext,
        options: ReadOptions,
        *,
        numbers: NumberFormat = PLAIN,
        marks_are_known: bool = True,
        has_names: bool = True,
        recognised: ReadOptions | None = None,
        remarks: Iterable[str] = (),
    ) -> None:
        refuse_too_wide(len(names), source.name)
        self._source, self._context, self._options = source, context, options
        self._numbers, self._marks_are_known, self._has_names = numbers, marks_are_known, has_names
        self._recognised = recognised or options
        self.names, doubled = distinct_names(names)
        self._remarks = [*remarks, *doubled]
        self.columns = list[InferredColumn]()
        self._marks = list[frozenset[str]]()
        self._hours, self._far_dates = list[str](), list[str]()

    def add(self, cells: ColumnCells, details: ColumnDetails = PLAIN_COLUMN, heading: str | None = None) -> None:
        """Convert the next column and free its blocks; ``heading`` is its name in the file if another one.

        Raises :class:`DataError` if it has no records, or cannot have the kind that the options give.
        """
        if not any(len(part.values) for part in cells.parts):
            raise no_records(self._source.name)
        name = self.names[len(self.columns)]
        last = len(self.columns) == len(self.names) - 1 and self._options.class_name in (None, name)
        is_times = cells.types == {"times"}
        if is_times:
            self._hours.append(name)
        if cells.has_far_dates:
            self._far_dates.append(name)
        self._marks.append(ALL_MARKS & cells.texts)
        column = cells.column(
            name,
            last,
            self._numbers,
            self._options,
            self._context.checkpoint,
            marks_are_known=self._marks_are_known,
            details=details,
        )
        if self._has_names and not last and not is_times and name not in self._options.kinds:
            column = identifier_if_counting(column, name if heading is None else heading, self._context.checkpoint)
        if details.description:
            column = replace(column, attribute=replace(column.attribute, description=details.description))
        if details.unit:
            column = replace(column, attribute=with_stated_unit(column.attribute, {name: details.unit}))
        self.columns.append(column)

    def dataset(self) -> Dataset:
        """The table of all columns."""
        columns, source = with_class_first(self.columns, self._options), self._source
        bad_values = bad_value_sentences(
            [(column.attribute, column.bad_value) for column in columns if column.bad_value],
            lambda index: f"record {index + 1:,}",
        )
        times = [f"Times in {', '.join(self._hours)} are read as hours: 12:30 is 12.5."] if self._hours else []
        far = and_more(self._far_dates, 5)
        dates = [f"Dates beyond the year 9999 in {far} count as missing."] if far else []
        marks, values = marks_by_column(columns, self._marks.__getitem__)
        infinite = filter(None, [infinite_numbers(columns)])
        guesses = tuple(guess for column in columns for guess in column.guesses)
        taken = taken_sentences(guesses)
        remarks = (*self._remarks, *taken, *times, *dates, *units_removed(columns), *infinite, *marks, *bad_values)
        self._publish_marks(values, guesses)
        origin = DataOrigin(source.path.stem, str(source.path), " ".join(remarks))
        schema = with_guessed_class(Schema(tuple(column.with_unit for column in columns)), self._options.class_name)
        return Dataset(schema, [column.values for column in columns], origin=origin)

    def _publish_marks(self, values: frozenset[str], guesses: tuple[Guess, ...]) -> None:
        """Publish the options again, with the missing markers of all records and the guesses on the columns."""
        recognised = self._recognised
        if self._options.missing is None:
            marks = recognised.missing
            if marks is None:
                present = frozenset[str]().union(*self._marks)
                marks = tuple(mark for mark in (*STRONG, *WEAK) if mark in present)
            recognised = replace(recognised, missing=tuple(mark for mark in marks if mark not in values))
        if recognised != self._recognised or guesses or recognised.guesses:
            self._context.publish(replace(recognised, guesses=(*recognised.guesses, *guesses)))


_USUAL_REMEDY: Final = "Close other programs, or save fewer columns or records in it."


def refuse_too_large(name: str, n_records: int, n_columns: int, needed: int, remedy: str = _USUAL_REMEDY) -> None:
    """Raise :class:`DataError` for a table that needs more bytes of memory than are free."""
    free = free_memory()
    if free is not None and needed > free:
        raise DataError(
            f"{name} holds {n_records:,} records of {n_columns:,} columns: they need at least {needed / 1e9:,.1f} GB, "
            f"and {free / 1e9:,.1f} GB of memory are free.",
            remedy=remedy,
            place=name,
        )


def no_records(name: str) -> DataError:
    """The error for a table without records."""
    return DataError(f"{name} holds no records.", remedy="Choose another table or file.", place=name)


def number_format(texts: Iterable[Sequence[str]], options: ReadOptions) -> tuple[NumberFormat, bool]:
    """The format of numbers in the texts of the first records, and whether its decimal mark is certain."""
    decimal, thousands, is_known = marks_in_numbers([(), *texts], "\t", options)
    return NumberFormat(decimal, thousands), is_known
