"""A uniform sample of the records of a file with exact statistics of all of them, both from one pass.

A hash of the record's number and the seed decides whether the record is in the sample: those with the lowest hashes
are, which is a simple random sample without replacement, whatever the order of the blocks and the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from algorithms.data.columns import FloatArray, IntArray
from algorithms.data.dataset import Dataset
from algorithms.data.dates import date_format, fitting_formats, format_in_order, parse_dates
from algorithms.data.number_formats import PLAIN, NumberFormat
from algorithms.data.schema import Attribute, AttributeKind, Schema
from algorithms.data.whole_file import MOST_DISTINCT, ColumnTotals, WholeFile
from algorithms.io.column_inference import InferredColumn
from algorithms.io.column_meaning import WIDEST_COUNT
from algorithms.io.column_pieces import CodePiece, NumberPiece, Piece, StringPiece
from algorithms.io.missing_marks import ALL_MARKS, STRONG, marks_of_numbers
from algorithms.io.text.options import ReadOptions

_QUARTILES: Final = (0.25, 0.5, 0.75)
_BLOCK: Final = 1 << 20


def scattered(numbers: IntArray, seed: int) -> NDArray[np.uint64]:
    """Pseudo-random 64-bit hashes of the numbers, which depend on the seed (splitmix64: Steele 2014)."""
    with np.errstate(over="ignore"):
        x = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        x += np.uint64(seed % (1 << 64)) * np.uint64(0xD1342543DE82EF95)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return x ^ (x >> np.uint64(31))


class Drawing:
    """Which records are in a sample of at most ``most``: those whose hash is below a limit, which only falls."""

    def __init__(self, most: int, seed: int) -> None:
        self.most, self.seed = most, seed
        self._limit: np.uint64 | None = None

    def chosen(self, numbers: IntArray) -> NDArray[np.bool_]:
        """Mask of the records that are in the sample now, by their numbers."""
        if self._limit is None:
            return np.ones(len(numbers), dtype=np.bool_)
        return np.asarray(scattered(numbers, self.seed) <= self._limit)

    def tighten(self, numbers: IntArray) -> None:
        """Lower the limit until ``most`` of these records, the present sample, are left."""
        if len(numbers) > self.most:
            self._limit = np.partition(scattered(numbers, self.seed), self.most - 1)[self.most - 1]

    def settle(self, n: int, checkpoint: Callable[[], None]) -> None:
        """Set the limit for the records 0 to n - 1, where their number is known beforehand."""
        self.numbers(n, checkpoint)

    def numbers(self, n: int, checkpoint: Callable[[], None]) -> IntArray:
        """The numbers of those of the records 0 to n - 1 that are in the sample, ascending."""
        numbers = np.empty(0, dtype=np.int64)
        for start in range(0, n, _BLOCK):
            checkpoint()
            block = np.arange(start, min(n, start + _BLOCK))
            numbers = np.concatenate([numbers, block[self.chosen(block)]])
            self.tighten(numbers)
            numbers = numbers[self.chosen(numbers)]
        return numbers


class Tally:
    """The totals of one column, block by block; ``excluded`` numbers are missing values."""

    def __init__(self, excluded: Collection[float] = ()) -> None:
        self._excluded = np.array(sorted(excluded))
        self.n = self.n_blank = 0
        self._forget_numbers()
        self.spelled: dict[str, int] = {}
        """How often each text occurs, while they are few."""
        self._hashes: NDArray[np.uint64] | None = None
        """The hashes of distinct texts once they are many; of at most one more than are counted."""
        self._marks: dict[str, int] = {}

    def _forget_numbers(self) -> None:
        self._n, self._mean, self._squares, self._low, self._high = 0, 0.0, 0.0, np.inf, -np.inf
        self._values, self._counts = np.empty(0), np.empty(0, dtype=np.int64)
        self._are_counted = True
        self._n_as_numbers = self._n_blank_as_numbers = 0

    # ---- blocks ----------------------------------------------------------------------------------------------------

    def take_back_numbers(self) -> None:
        """Forget the blocks of numbers, which are read again as texts."""
        self.n -= self._n_as_numbers
        self.n_blank -= self._n_blank_as_numbers
        self._forget_numbers()

    def add(self, piece: Piece) -> None:
        if isinstance(piece, NumberPiece):
            self.add_numbers(piece.values)
        elif isinstance(piece, CodePiece):
            self.add_codes(piece.codes, piece.spellings)
        else:
            self.add_strings(piece)

    def add_numbers(self, values: FloatArray) -> None:
        """Numbers or seconds; NaN and infinite numbers are missing."""
        present = values[np.isfinite(values)]
        if len(self._excluded):
            present = present[~np.isin(present, self._excluded)]
        n_blank = len(values) - len(present)
        self.n += len(values)
        self.n_blank += n_blank
        self._n_as_numbers += len(values)
        self._n_blank_as_numbers += n_blank
        self._add_present(present, None)

    def _add_present(self, values: FloatArray, counts: IntArray | None) -> None:
        """Add numbers, each once or as often as ``counts`` says."""
        if not len(values):
            return
        weights = np.ones(len(values), dtype=np.int64) if counts is None else counts
        n = int(weights.sum())
        with np.errstate(over="ignore", invalid="ignore"):
            mean = float(np.average(values, weights=weights)) if counts is not None else float(values.mean())
            squares = float((weights * (values - mean) ** 2).sum())
            # two means and sums of squares are joined as by Chan, Golub and LeVeque (1983)
            difference, total = mean - self._mean, self._n + n
            self._squares += squares + difference**2 * self._n * n / total
            self._mean += difference * n / total
        self._n = total
        self._low, self._high = min(self._low, float(values.min())), max(self._high, float(values.max()))
        if self._are_counted:
            self._count(values, weights)

    def _count(self, values: FloatArray, weights: IntArray) -> None:
        distinct, place = np.unique(np.concatenate([self._values, values]), return_inverse=True)
        if len(distinct) > MOST_DISTINCT:
            self._are_counted, self._values, self._counts = False, np.empty(0), np.empty(0, dtype=np.int64)
            return
        counts = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(counts, place, np.concatenate([self._counts, weights]))
        self._values, self._counts = distinct, counts

    def add_codes(self, codes: NDArray[Any], spellings: Sequence[str]) -> None:
        counts = np.bincount(codes.astype(np.int64) + 1, minlength=len(spellings) + 1).tolist()
        self.n += len(codes)
        self.n_blank += counts[0]
        self.add_texts({text: n for text, n in zip(spellings, counts[1:], strict=True) if n})

    def add_texts(self, n_by_text: dict[str, int]) -> None:
        """Texts with how often each occurs; the caller counts the records."""
        if self._hashes is None:
            for text, n in n_by_text.items():
                self.spelled[text] = self.spelled.get(text, 0) + n
            if len(self.spelled) <= MOST_DISTINCT:
                return
            n_by_text, self.spelled, self._hashes = self.spelled, {}, np.empty(0, dtype=np.uint64)
        for mark in ALL_MARKS.intersection(n_by_text):
            self._marks[mark] = self._marks.get(mark, 0) + n_by_text[mark]
        self._add_hashes(_hashes_of(list(n_by_text)))

    def add_strings(self, piece: StringPiece) -> None:
        missing = np.isnan(piece.values)
        self.n += len(piece)
        self.n_blank += int(np.count_nonzero(missing))
        if self._hashes is None:
            distinct, first, counts = np.unique(piece.hashes[~missing], return_index=True, return_counts=True)
            if len(distinct) <= MOST_DISTINCT:
                texts = piece.values[np.flatnonzero(~missing)[first]].tolist()
                self.add_texts(dict(zip(texts, counts.tolist(), strict=True)))
                return
            before, self.spelled, self._hashes = self.spelled, {}, np.empty(0, dtype=np.uint64)
            self.add_texts(before)
        hashes = piece.hashes[~missing]
        is_mark = np.isin(hashes, _HASHES_OF_MARKS)
        if is_mark.any():
            found, counts = np.unique(hashes[is_mark], return_counts=True)
            for hashed, n in zip(found.tolist(), counts.tolist(), strict=True):
                mark = _MARK_OF_HASH[hashed]
                self._marks[mark] = self._marks.get(mark, 0) + n
        self._add_hashes(hashes)

    def _add_hashes(self, hashes: NDArray[np.uint64]) -> None:
        if self._hashes is not None and len(self._hashes) <= MOST_DISTINCT:
            self._hashes = np.unique(np.concatenate([self._hashes, hashes]))[: MOST_DISTINCT + len(ALL_MARKS) + 1]

    # ---- the end ---------------------------------------------------------------------------------------------------

    def totals(
        self, attribute: Attribute, numbers: NumberFormat, options: ReadOptions, kept_marks: Collection[str] = ()
    ) -> ColumnTotals | None:
        """The totals of the column with the attribute that it became; None where the blocks do not tell them.

        ``numbers`` is the format of its numbers as text, ``kept_marks`` are missing markers that are values in it.
        """
        own = options.missing_in.get(attribute.name, ())
        given = None if options.missing is None else (*options.missing, *own)
        if attribute.kind.is_float:
            return self._of_floats(attribute, numbers, marks_of_numbers(given) | set(own), options)
        marks = set(STRONG if given is None else ("", *given)) | set(own)
        return self._of_texts(attribute, marks - set(kept_marks))

    def _of_floats(
        self, attribute: Attribute, numbers: NumberFormat, marks: Collection[str], options: ReadOptions
    ) -> ColumnTotals | None:
        if self._hashes is not None:
            return None
        texts = {text: n for text, n in self.spelled.items() if text not in marks}
        n_missing = self.n_blank + sum(self.spelled.values()) - sum(texts.values())
        if texts:
            if attribute.kind is AttributeKind.NUMERIC:
                values = np.array([numbers.parse(text) for text in texts])
            else:
                values = _dates(list(texts), options.dates.get(attribute.name, options.dates.get("", "")))
            counts = np.array(list(texts.values()), dtype=np.int64)
            if not np.isfinite(values).all():
                return None
            self._add_present(values, counts)
        if not self._n:
            return ColumnTotals(attribute.kind, n_missing, 0)
        deviation = float(np.sqrt(self._squares / (self._n - 1))) if self._n > 1 else float("nan")
        moments = (self._mean, deviation, self._low, self._high)
        n_distinct = len(self._values) if self._are_counted else None
        return ColumnTotals(
            attribute.kind, n_missing, n_distinct, (), None, moments, self._quartiles() if self._are_counted else None
        )

    def _quartiles(self) -> tuple[float, float, float]:
        """The quartiles of the counted values, between two of them as ``numpy.quantile`` takes them."""
        ends = np.cumsum(self._counts)
        places = np.array(_QUARTILES) * (self._n - 1)
        below = self._values[np.searchsorted(ends, np.floor(places), side="right")]
        above = self._values[np.searchsorted(ends, np.ceil(places), side="right")]
        first, median, third = (below + (above - below) * (places % 1)).tolist()
        return first, median, third

    def _of_texts(self, attribute: Attribute, marks: Collection[str]) -> ColumnTotals | None:
        counted = {**self.spelled}
        if attribute.kind.is_coded:
            if self._hashes is not None or not self._are_counted:
                return None
            for value, n in zip(self._values.tolist(), self._counts.tolist(), strict=True):
                text = str(int(value)) if value.is_integer() else f"{value:.15g}"
                counted[text] = counted.get(text, 0) + n
            n_missing = self.n_blank + sum(n for text, n in counted.items() if text in marks)
            counts = tuple(counted.get(value, 0) for value in attribute.values)
            if sum(counts) + n_missing != self.n:  # values were merged, or are called otherwise
                return None
            return ColumnTotals(attribute.kind, n_missing, sum(map(bool, counts)), attribute.values, counts)
        of_marks = {**self._marks, **{text: n for text, n in counted.items() if text in marks}}
        missing = {text: n for text, n in of_marks.items() if text in marks}
        n_missing = self.n_blank + sum(missing.values())
        n_distinct = len(counted) if self._hashes is None else len(self._hashes)
        n_distinct += (len(self._values) if self._are_counted else MOST_DISTINCT + 1) - len(missing)
        return ColumnTotals(attribute.kind, n_missing, n_distinct if n_distinct <= MOST_DISTINCT else None)


def _hashes_of(texts: Sequence[str]) -> NDArray[np.uint64]:
    return pd.util.hash_array(np.array(texts, dtype=object), categorize=False)


_MARKS: Final = sorted(ALL_MARKS)
_HASHES_OF_MARKS: Final = _hashes_of(_MARKS)
_MARK_OF_HASH: Final = dict(zip(_HASHES_OF_MARKS.tolist(), _MARKS, strict=True))


def _dates(texts: Sequence[str], order: str) -> FloatArray:
    """Texts as seconds since 1970, NaN where they are not all in one format."""
    format = format_in_order(fitting_formats(texts), order) if order else date_format(texts)
    return np.full(len(texts), np.nan) if format is None else parse_dates(texts, format)


def numbers_of_marks(name: str, options: ReadOptions) -> set[float]:
    """The numbers that the missing markers of one column spell."""
    return {PLAIN.parse(mark) for mark in options.missing_in.get(name, ())} - {np.nan}


def column_totals(
    schema: Schema,
    columns: Sequence[InferredColumn],
    tallies: Sequence[Tally],
    usual: NumberFormat,
    options: ReadOptions,
) -> dict[str, ColumnTotals]:
    """The totals by name of those columns whose tallies tell them; ``usual`` is the format of numbers as text."""
    totals = dict[str, ColumnTotals]()
    for attribute, column, tally in zip(schema.attributes, columns, tallies, strict=True):
        found = tally.totals(attribute, column.numbers if column.unit else usual, options, column.kept_marks)
        if found is not None:
            totals[attribute.name] = found
    return totals


def counts_records(values: FloatArray, numbers: IntArray, n_records: int) -> bool:
    """Whether the values of the sampled records with these ``numbers`` ascend and skip few: they only count records."""
    if n_records == len(values) or len(values) < 2 or np.isnan(values).any():
        return False
    width, passed = float(values[-1] - values[0]), float(numbers[-1] - numbers[0])
    whole = bool(np.all(values == np.floor(values)) and np.all(np.diff(values) > 0))
    return whole and passed <= width <= WIDEST_COUNT * passed


def as_identifier(column: InferredColumn) -> InferredColumn:
    """A column of numbers that only count the records, as their names."""
    spelled = np.array([f"{value:.0f}" for value in column.values.tolist()], dtype=object)
    return replace(column, attribute=replace(column.attribute, kind=AttributeKind.IDENTIFIER), values=spelled)


def sampled(data: Dataset, whole: WholeFile) -> Dataset:
    """A table that is a sample of a file, with what is known of the whole."""
    description = f"{whole.sentence} {data.origin.description}".strip()
    origin = replace(data.origin, name=f"{data.origin.name}, a sample", description=description, whole=whole)
    return data.with_origin(origin)
