"""Inference of a column from all its values: its kind, the values in the type of that kind, and what contradicts it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.data.columns import STRING, FloatArray, IntArray, smallest_code_dtype
from algorithms.data.convert_kind import as_strings, natural_order
from algorithms.data.dates import ISO, date_format, fitting_formats, format_in_order, parse_dates
from algorithms.data.number_formats import PERCENT, PLAIN, NumberForm, NumberFormat, may_be_labels, number_form
from algorithms.data.schema import Attribute, AttributeKind, nominal
from algorithms.io.column_meaning import (
    MANY_CLASSES,
    ColumnMeaning,
    ColumnSpellings,
    answers_alike,
    column_guesses,
    is_code,
    meaning,
    numbers_the_records,
    says_class,
    says_identifier,
    sentinel_guess,
    sorted_naturally,
)
from algorithms.io.column_pieces import SLICE, ColumnPieces, NumberPiece, StringPiece, distinct_hashes, taken
from algorithms.io.missing_marks import ALL_MARKS, INFINITE, STRONG, STRONG_MARKS, WEAK, marks_of_numbers
from algorithms.io.text.options import Guess, ReadOptions
from algorithms.text.sentences import and_more

LISTED: Final = 20_000
MOST_DECODINGS: Final = 10_000
FEWEST_ALIKE: Final = 4
"""Least number of columns of a table whose last column may be no class, since its neighbours are alike."""
SAMPLED: Final = 10_000
"""Number of first values that show whether a column contains few integers."""
_INTEGER: Final = re.compile(r"[+-]?\d+", re.ASCII)
NO_MARKS: Final = frozenset[str]()
NO_ALIKE: Final[Mapping[str, str]] = {}
FEW_NUMBERS: Final = 20
"""Up to this many distinct numbers may be labels."""
MOST_BAD: Final = 0.1
"""If a larger share is not numeric, the column is not meant to be, unless only the decimal mark differs."""
BAD_SAMPLE: Final = 200
MOST_LISTED: Final = 3

_COMMA: Final = re.compile(r"[+-]?\d+,\d+")
_POINT: Final = re.compile(r"[+-]?\d+\.\d+")


@dataclass(frozen=True)
class BadValue:
    """The first non-numeric value of a column, its record (from 0), and the numbers of such and of present values."""

    value: str
    record: int
    n_bad: int
    n_present: int
    other_decimals: bool


@dataclass(frozen=True, eq=False, slots=True)
class InferredColumn:
    """An attribute and its values, in the type of its kind."""

    attribute: Attribute
    values: NDArray[Any]
    infinite: bool = False
    """Whether infinite numbers were read as missing."""
    bad_value: BadValue | None = None
    """The first value that prevents the column from being numeric, if nearly all others are numbers."""
    numbers: NumberFormat = PLAIN
    """The format of its numbers."""
    unit: str = ""
    """The unit that was removed from its numbers, in its most frequent spelling."""
    marks: frozenset[str] = NO_MARKS
    """The missing markers that occur in the column, as far as its spellings are stored."""
    kept_marks: frozenset[str] = NO_MARKS
    """The usual missing markers that are ordinary values in the column."""
    guesses: tuple[Guess, ...] = ()
    """What was taken from its values, and what only the user can decide."""

    @property
    def with_unit(self) -> Attribute:
        """The attribute with the unit that was removed from its numbers."""
        return replace(self.attribute, unit=self.unit) if self.unit else self.attribute


@dataclass(frozen=True, eq=False, slots=True)
class Decoding:
    """What a column of codes is: attribute, remarks, and the value of each code, last that of code -1."""

    column: InferredColumn
    table: NDArray[Any]

    def decoded(self, name: str, codes: NDArray[Any], checkpoint: Callable[[], None]) -> InferredColumn:
        """The column with this name and these codes."""
        is_string = self.column.attribute.kind.is_string
        values = taken(self.table, codes, checkpoint) if is_string else self.table[codes]
        column = self.column
        attribute = Attribute(name, column.attribute.kind, column.attribute.values)
        return InferredColumn(
            attribute,
            values,
            column.infinite,
            column.bad_value,
            column.numbers,
            column.unit,
            column.marks,
            column.kept_marks,
            column.guesses,
        )


Decodings = dict[tuple[object, ...], Decoding]
"""The decodings of a table's columns by all that they depend on: wide tables have many columns alike."""


def inferred_column(
    name: str,
    last: bool,
    gathered: ColumnPieces,
    numbers: NumberFormat,
    options: ReadOptions,
    checkpoint: Callable[[], None],
    decodings: Decodings | None = None,
    hints: tuple[bool, ...] = (),
    *,
    marks_are_known: bool = True,
) -> InferredColumn:
    """The column, its kind inferred or given by the options; raises :class:`DataError` if it cannot have it.

    ``numbers`` is the number format of the file; ``marks_are_known`` says whether its decimal mark was recognised or
    given. ``decodings`` are those of earlier columns with the same options; the column's is added.
    ``hints`` are what its name says (:func:`name_hints`).
    """
    options = own_options(name, options, gathered.spellings, numbers)
    if gathered.stored_as(NumberPiece):
        values = gathered.numbers(_number_of_each(name, gathered.spellings, numbers, options))
        return numeric_column(name, values, options, infinite=gathered.is_infinite_somewhere)
    if gathered.stored_as(StringPiece):
        column = _from_strings(name, last, gathered.strings(), numbers, options, checkpoint, marks_are_known)
        return _with_sentinel(column, options)
    codes, spellings = gathered.codes(), gathered.spellings
    counts = gathered.counts_of(codes)
    key: tuple[object, ...] | None = None
    decoding: Decoding | None = None
    is_own = name in options.kinds or name in options.missing_in or bool(options.dates)
    if decodings is not None and not is_own and len(spellings) <= FEW_NUMBERS:
        key = (hints, last, numbers, marks_are_known, len(codes), *spellings, *counts.tolist())
        decoding = decodings.get(key)
    if decoding is None:
        decoding = _decoding(name, last, codes, spellings, counts, numbers, options, checkpoint, marks_are_known)
        is_kept = key is not None and not decoding.column.guesses  # which name the column
        if decodings is not None and key is not None and is_kept and len(decodings) < MOST_DECODINGS:
            decodings[key] = decoding
    return _with_sentinel(decoding.decoded(name, codes, checkpoint), options)


def _decoding(
    name: str,
    last: bool,
    codes: NDArray[Any],
    spellings: Sequence[str],
    counts: IntArray,
    numbers: NumberFormat,
    options: ReadOptions,
    checkpoint: Callable[[], None],
    marks_are_known: bool,
) -> Decoding:
    """The decoding of a column; up to ``FEW_NUMBERS`` spellings it depends on no order of the codes."""
    given = options.kinds.get(name)
    used = [(s, c) for s, c in zip(spellings, counts.tolist(), strict=True) if c]
    summary = ColumnSpellings(name, last, len(codes), [s for s, _ in used], [c for _, c in used], len(used))
    form = _form(summary.spellings, numbers, options, given, marks_are_known)
    numbers = form.numbers
    column_meaning = _meaning(summary, form, options, given)
    kind, bad_value, infinite = column_meaning.kind, None, False
    attribute = Attribute(name, kind)
    if kind is AttributeKind.NUMERIC:
        table: NDArray[Any] = _number_of_each(name, spellings, numbers, options)
        infinite = any(mark in spellings for mark in INFINITE)
    elif kind is AttributeKind.DATE:
        plain = [s if s not in column_meaning.missing else "" for s in spellings]
        table = np.append(parse_dates(plain, column_meaning.date_format), np.nan)
    else:
        if given is None and are_mostly_numbers(name, spellings, numbers, options.missing):
            firsts = np.full(len(spellings) + 1, len(codes))
            firsts[codes[::-1]] = np.arange(len(codes))[::-1]
            bad_value = bad_values_among(name, spellings, counts, firsts[:-1], numbers, options.missing, checkpoint)
        if kind.is_coded:
            same = answers_alike(summary.spellings, column_meaning.missing) if given is None else {}
            attribute, table = _coded(name, column_meaning, spellings, same)
        else:
            table = np.array([*(np.nan if s in column_meaning.missing else s for s in spellings), np.nan], dtype=STRING)
    column = _described(attribute, table[:0], form, summary, column_meaning, bad_value, infinite=infinite)
    guesses = () if given is not None else column_guesses(summary, form, column_meaning, options)
    return Decoding(replace(column, guesses=guesses), table)


def _form(
    spellings: Sequence[str],
    usual: NumberFormat,
    options: ReadOptions,
    given: AttributeKind | None,
    marks_are_known: bool,
) -> NumberForm:
    """The number format of the values, else ``usual``; numbers without a unit have the file's decimal mark."""
    own = NumberForm(usual, ())
    if given not in (None, AttributeKind.NUMERIC):
        return own
    marks = marks_of_numbers(options.missing)
    present = [s for s in spellings if s not in marks]
    form = number_form(present, usual, certain=marks_are_known)
    if form is None or form.numbers.unit:
        return own if form is None else form
    other_mark = form.numbers.decimal != usual.decimal
    return own if not form.is_sure or other_mark or may_be_labels(present, form.numbers) else form


def _described(
    attribute: Attribute,
    values: NDArray[Any],
    form: NumberForm,
    summary: ColumnSpellings,
    column_meaning: ColumnMeaning,
    bad_value: BadValue | None = None,
    *,
    infinite: bool = False,
) -> InferredColumn:
    """The column with its number format, removed unit, missing markers and first bad value."""
    present = ALL_MARKS.intersection(summary.spellings) - {""}
    is_numeric = attribute.kind is AttributeKind.NUMERIC
    return InferredColumn(
        attribute,
        values,
        infinite,
        bad_value,
        form.numbers if is_numeric else PLAIN,
        form.units[0] if is_numeric and form.units else "",
        present & column_meaning.missing if present else NO_MARKS,
        present - column_meaning.missing if present else NO_MARKS,
    )


def _meaning(
    summary: ColumnSpellings, form: NumberForm, options: ReadOptions, given: AttributeKind | None
) -> ColumnMeaning:
    """The meaning of the values; uncertain amounts are numeric only if the options say so."""
    if given is AttributeKind.NUMERIC and form.doubt and not form.misfits:
        raise DataError(
            f"Column {summary.name!r} is to be numeric, but its values may not be numbers. {form.doubt}",
            remedy="Choose the decimal mark, or another kind for it.",
            place=summary.name,
        )
    column_meaning = meaning(summary, form.numbers if form.is_sure else None, options.missing)
    marks = marks_of_numbers(options.missing)
    order = options.dates.get(summary.name, options.dates.get("", ""))
    if order and given in (None, AttributeKind.DATE):
        ordered = format_in_order(fitting_formats([s for s in summary.spellings if s not in marks]), order)
        if ordered is not None:
            return ColumnMeaning(AttributeKind.DATE, marks, ordered)
    if given is None or given is column_meaning.kind:
        return column_meaning
    examples = [s for s in summary.spellings if s not in marks]
    if given is AttributeKind.DATE:
        format = date_format(examples) if examples else ISO
        if format is None:
            raise DataError(
                f"Column {summary.name!r} is to be a date, but its values are not all in one date format.",
                remedy="Choose another kind for it.",
                place=summary.name,
            )
        return ColumnMeaning(given, marks, format)
    if given is AttributeKind.NUMERIC:
        return ColumnMeaning(given, marks)
    return ColumnMeaning(given, column_meaning.missing & STRONG_MARKS.union(options.missing or ()))


def _number_of_each(name: str, spellings: Sequence[str], numbers: NumberFormat, options: ReadOptions) -> FloatArray:
    """The numbers (k + 1,) that k spellings are, NaN for missing markers; the last entry, for code -1, is NaN."""
    marks = marks_of_numbers(options.missing)
    table = np.full(len(spellings) + 1, np.nan)
    places = [i for i, spelling in enumerate(spellings) if spelling not in marks]
    if places:
        read = numbers.parse_all([spellings[i] for i in places])
        if read is None:
            strange = next(spellings[i] for i in places if not numbers.matches(spellings[i]))
            raise DataError(
                f"Column {name!r} is to be numeric, but it holds {_shortened(strange)!r}.",
                remedy="Choose another kind for it, or name the value among the marks for missing ones.",
                place=name,
            )
        table[places] = read
    return table


def own_options(name: str, options: ReadOptions, spellings: Sequence[str], numbers: NumberFormat) -> ReadOptions:
    """The options for one column: its own missing markers are among those of all columns."""
    own = options.missing_in.get(name, ())
    if not own:
        return options
    written = {numbers.parse(mark) for mark in own} - {np.nan}
    alike = [s for s in spellings if numbers.parse(s) in written]
    marks = options.missing
    if marks is None:
        rest = [s for s in spellings if s not in ALL_MARKS and s not in own]
        form = number_form(rest, numbers, certain=True) if rest else None
        is_float = not rest or (form is not None and not form.misfits) or bool(fitting_formats(rest))
        marks = (*STRONG, *WEAK) if is_float or options.kinds.get(name) is AttributeKind.NUMERIC else STRONG
    return replace(options, missing=(*marks, *own, *alike))


def numeric_column(name: str, values: FloatArray, options: ReadOptions, *, infinite: bool) -> InferredColumn:
    """The column of numbers; those that its own missing markers spell are missing."""
    for mark in options.missing_in.get(name, ()):
        number = PLAIN.parse(mark)
        if not np.isnan(number):
            values = np.where(values == number, np.nan, values)
    return _with_sentinel(InferredColumn(Attribute(name, AttributeKind.NUMERIC), values, infinite), options)


def _with_sentinel(column: InferredColumn, options: ReadOptions) -> InferredColumn:
    """The column with the question whether an extreme number stands for missing values."""
    name = column.attribute.name
    if column.attribute.kind is not AttributeKind.NUMERIC or name in options.kinds or name in options.missing_in:
        return column
    guess = sentinel_guess(name, column.values)
    return column if guess is None else replace(column, guesses=(*column.guesses, guess))


def infinite_numbers(columns: Sequence[InferredColumn]) -> str:
    """A remark on columns whose infinite numbers became missing; empty if there are none."""
    names = [column.attribute.name for column in columns if column.infinite]
    return f"Infinite numbers in {and_more(names, 5)} count as missing." if names else ""


def units_removed(columns: Sequence[InferredColumn]) -> list[str]:
    """A sentence for each unit that was removed: "income, price: read as numbers, € removed."."""
    names: dict[str, list[str]] = {}
    for column in columns:
        if column.unit:
            names.setdefault(column.unit, []).append(column.attribute.name)
    return [
        f"{and_more(listed, 5)}: read as numbers, {unit} removed{' (2.8 % is 2.8)' if unit == PERCENT else ''}."
        for unit, listed in names.items()
    ]


def with_stated_unit(attribute: Attribute, units: Mapping[str, str]) -> Attribute:
    """The attribute with the unit that a row below the names states; as description if it is not numeric."""
    unit = units.get(attribute.name, "").strip("[]() ")
    if not unit or attribute.unit:
        return attribute
    if attribute.kind is AttributeKind.NUMERIC:
        return replace(attribute, unit=unit)
    return replace(attribute, description=attribute.description or unit)


def marks_by_column(
    columns: Sequence[InferredColumn], first_cells: Callable[[int], Collection[str]]
) -> tuple[list[str], frozenset[str]]:
    """Sentences on markers that are missing in some columns and values in others, and all markers that are values.

    ``first_cells`` returns the first cells of a column by its index, since numeric columns store no spellings.
    """
    values = frozenset[str]().union(*(column.kept_marks for column in columns)) if columns else frozenset[str]()
    sentences = []
    for mark in (mark for mark in (*STRONG, *WEAK) if mark in values):
        kept = [column.attribute.name for column in columns if mark in column.kept_marks]
        missing = [
            column.attribute.name
            for index, column in enumerate(columns)
            if mark in column.marks
            or (column.attribute.kind.is_float and mark not in column.kept_marks and mark in first_cells(index))
        ]
        if missing:
            sentences.append(f"{mark} is missing in {and_more(missing, 5)} and a value in {and_more(kept, 5)}.")
    return sentences, values


def _shortened(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."


def _coded(
    name: str, column_meaning: ColumnMeaning, spellings: Sequence[str], same: Mapping[str, str] = NO_ALIKE
) -> tuple[Attribute, NDArray[np.signedinteger[Any]]]:
    """The attribute, and the code of each spelling; the last entry, for code -1, is -1.

    ``same`` are the values of those spellings that are other ones.
    """
    values = sorted_naturally({same.get(s, s): None for s in spellings if s not in column_meaning.missing})
    ordinal = column_meaning.kind is AttributeKind.ORDINAL
    values = natural_order(values) if ordinal else values
    attribute = nominal(name, values, ordinal=ordinal)
    code_of = {value: code for code, value in enumerate(values)}
    codes = [-1 if s in column_meaning.missing else code_of.get(same.get(s, s), -1) for s in spellings]
    return attribute, np.array([*codes, -1], dtype=smallest_code_dtype(len(values)))


def _from_strings(
    name: str,
    last: bool,
    strings: StringPiece,
    numbers: NumberFormat,
    options: ReadOptions,
    checkpoint: Callable[[], None],
    marks_are_known: bool,
) -> InferredColumn:
    first, inverse = distinct_hashes(strings.hashes)
    checkpoint()
    counts = np.bincount(inverse)
    listed = np.argsort(first, kind="stable")[:LISTED]
    spellings = [v for v in strings.values[first[listed]].tolist() if isinstance(v, str)]
    listed_counts = [int(c) for c in counts[listed]][: len(spellings)]
    summary = ColumnSpellings(name, last, len(inverse), spellings, listed_counts, len(first))
    given = options.kinds.get(name)
    form = _form(spellings, numbers, options, given, marks_are_known)
    numbers = form.numbers
    column_meaning = _meaning(summary, form, options, given)
    bad_value = None
    if column_meaning.kind.is_coded:
        checkpoint()
        distinct = _listed(taken(strings.values, first, checkpoint), checkpoint)
        if name not in options.kinds:
            bad_value = _bad_string(name, distinct, counts, first, numbers, options, checkpoint)
        attribute, code_of_each = _coded(name, column_meaning, distinct)
        column = _described(attribute, code_of_each[inverse], form, summary, column_meaning, bad_value)
        return _with_guesses(column, summary, form, column_meaning, options)
    if column_meaning.kind.is_float:
        table = _floats(taken(strings.values, first, checkpoint), column_meaning, numbers, checkpoint)
        if table is not None:
            infinite = column_meaning.kind is AttributeKind.NUMERIC and any(mark in spellings for mark in INFINITE)
            attribute = Attribute(name, column_meaning.kind)
            column = _described(attribute, table[inverse], form, summary, column_meaning, infinite=infinite)
            return _with_guesses(column, summary, form, column_meaning, options)
        column_meaning = ColumnMeaning(
            AttributeKind.TEXT, STRONG_MARKS if options.missing is None else column_meaning.missing
        )
    sample = [v if isinstance(v, str) else "" for v in strings.values[first[listed[:BAD_SAMPLE]]].tolist()]
    if name not in options.kinds and are_mostly_numbers(name, sample, numbers, options.missing):
        distinct = _listed(taken(strings.values, first, checkpoint), checkpoint)
        bad_value = _bad_string(name, distinct, counts, first, numbers, options, checkpoint)
    values = strings.values
    marks = pd.util.hash_array(np.array([*column_meaning.missing], dtype=object), categorize=False)
    values[np.isin(strings.hashes, marks)] = np.nan
    column = _described(Attribute(name, column_meaning.kind), values, form, summary, column_meaning, bad_value)
    return _with_guesses(column, summary, form, column_meaning, options)


def _with_guesses(
    column: InferredColumn,
    summary: ColumnSpellings,
    form: NumberForm,
    column_meaning: ColumnMeaning,
    options: ReadOptions,
) -> InferredColumn:
    if column.attribute.name in options.kinds:
        return column
    return replace(column, guesses=column_guesses(summary, form, column_meaning, options))


def _listed(values: NDArray[Any], checkpoint: Callable[[], None]) -> list[Any]:
    """The strings as a list, built in slices, since the interpreter lock is held meanwhile."""
    listing: list[Any] = []
    for start in range(0, len(values), SLICE):
        checkpoint()
        listing.extend(values[start : start + SLICE].tolist())
    return listing


def _bad_string(
    name: str,
    distinct: list[Any],
    counts: IntArray,
    first: IntArray,
    numbers: NumberFormat,
    options: ReadOptions,
    checkpoint: Callable[[], None],
) -> BadValue | None:
    spellings = [value if isinstance(value, str) else "" for value in distinct]
    order = np.argsort(first, kind="stable")
    ordered = [spellings[code] for code in order.tolist()]
    return bad_values_among(name, ordered, counts[order], first[order], numbers, options.missing, checkpoint)


def identifier_if_counting(column: InferredColumn, name: str, checkpoint: Callable[[], None]) -> InferredColumn:
    """The column, converted to an identifier if it is numeric but only counts the records."""
    if column.attribute.kind is not AttributeKind.NUMERIC or not numbers_the_records(name, column.values):
        return column
    strings = as_strings(column.attribute, column.values, checkpoint)
    return InferredColumn(replace(column.attribute, kind=AttributeKind.IDENTIFIER), strings)


def with_class_first(columns: Sequence[InferredColumn], options: ReadOptions) -> list[InferredColumn]:
    """The columns of a table, the last one numeric if the first is the class and all others are alike.

    A last column of few integers is the class by its position. It is not where the first column is nominal, and all
    columns between contain few integers, too (letter, x.box, y.box, ..., yegvx).
    """
    if len(columns) < FEWEST_ALIKE:
        return list(columns)
    first, *between, last = columns
    name, values = last.attribute.name, last.attribute.values
    is_by_position = len(values) > 2 and not (name in options.kinds or says_class(name) or is_code(name, values))
    if not (is_by_position and _are_integers(values) and _is_nominal_text(first.attribute)):
        return list(columns)
    if not all(map(_has_few_integers, between)):
        return list(columns)
    numbers = np.array([*map(float, values), np.nan])
    attribute = replace(last.attribute, kind=AttributeKind.NUMERIC, values=())
    return [*columns[:-1], replace(last, attribute=attribute, values=numbers[last.values])]


def _are_integers(values: Sequence[str]) -> bool:
    return all(_INTEGER.fullmatch(value) for value in values)


def _is_nominal_text(attribute: Attribute) -> bool:
    return attribute.kind is AttributeKind.NOMINAL and not _are_integers(attribute.values)


def _has_few_integers(column: InferredColumn) -> bool:
    """Whether a column is numeric and its first values are few distinct integers."""
    if column.attribute.kind is not AttributeKind.NUMERIC:
        return False
    distinct = np.unique(column.values[:SAMPLED])
    distinct = distinct[~np.isnan(distinct)]
    return len(distinct) <= MANY_CLASSES and bool(np.all(distinct == np.floor(distinct)))


def _floats(
    values: NDArray[Any], column_meaning: ColumnMeaning, numbers: NumberFormat, checkpoint: Callable[[], None]
) -> NDArray[np.float64] | None:
    """The strings as numbers or dates, NaN for missing markers; None if one is invalid."""
    parts = []
    for start in range(0, len(values), SLICE):
        checkpoint()
        texts = [
            v if isinstance(v, str) and v not in column_meaning.missing else "" for v in values[start : start + SLICE]
        ]
        if column_meaning.kind is AttributeKind.DATE:
            part = parse_dates(texts, column_meaning.date_format)
        else:
            part = np.array([numbers.parse(text) for text in texts])
        if any(text and bad for text, bad in zip(texts, np.isnan(part).tolist(), strict=True)):
            return None
        parts.append(part)
    return np.concatenate(parts)


# ---- values that keep a column from being numeric --------------------------------------------------------------------


def are_mostly_numbers(name: str, first: Sequence[str], numbers: NumberFormat, missing: Sequence[str] | None) -> bool:
    """Whether nearly all of a column's first distinct spellings are numbers, and more than labels would be."""
    if len(first) <= FEW_NUMBERS:
        return False
    marks = marks_of_numbers(missing)
    sample = [numbers.matches(s) for s in first[:BAD_SAMPLE] if s not in marks]
    return bool(sample) and sum(sample) / len(sample) >= 1 - 2 * MOST_BAD and not says_identifier(name)


def bad_values_among(
    name: str,
    spellings: Sequence[str],
    counts: IntArray,
    firsts: IntArray,
    numbers: NumberFormat,
    missing: Sequence[str] | None,
    checkpoint: Callable[[], None],
) -> BadValue | None:
    """The values that keep a nearly numeric column from being so, or None; ``counts``, ``firsts`` are by spelling."""
    if not are_mostly_numbers(name, spellings, numbers, missing):
        return None
    marks = marks_of_numbers(missing)
    is_bad, is_number = np.zeros(len(spellings), dtype=np.bool_), np.zeros(len(spellings), dtype=np.bool_)
    for start in range(0, len(spellings), SLICE):
        checkpoint()
        part = spellings[start : start + SLICE]
        is_number[start : start + SLICE] = [numbers.matches(s) for s in part]
        is_bad[start : start + SLICE] = [s not in marks for s in part]
    is_bad &= ~is_number & (counts > 0)
    is_number &= counts > 0
    n_bad, n_numbers = int(counts[is_bad].sum()), int(counts[is_number].sum())
    if not n_bad or np.count_nonzero(is_number) <= FEW_NUMBERS:
        return None
    if is_code(name, [spellings[code] for code in np.flatnonzero(is_number).tolist()]):
        return None
    other = _POINT if numbers.decimal == "," else _COMMA
    other_decimals = all(other.fullmatch(spellings[code]) for code in np.flatnonzero(is_bad).tolist())
    if n_bad > MOST_BAD * (n_bad + n_numbers) and not (other_decimals and n_bad <= n_numbers):
        return None
    rows = np.flatnonzero(is_bad)
    first = int(rows[np.argmin(firsts[rows])])
    return BadValue(spellings[first], int(firsts[first]), n_bad, n_bad + n_numbers, other_decimals)


def bad_value_sentences(bad_values: Sequence[tuple[Attribute, BadValue]], where: Callable[[int], str]) -> list[str]:
    """Sentences with a remedy, for up to three columns; ``where`` returns the line or row of a record as text."""
    sentences = [_sentence(attribute, bad, where(bad.record)) for attribute, bad in bad_values[:MOST_LISTED]]
    more = [attribute.name for attribute, _ in bad_values[MOST_LISTED:]]
    return (
        [*sentences, f"So it is with {', '.join(more[:5])}{' and others' if len(more) > 5 else ''}."]
        if more
        else sentences
    )


def _sentence(attribute: Attribute, bad: BadValue, where: str) -> str:
    value = bad.value if len(bad.value) <= 40 else f"{bad.value[:37]}..."
    single = bad.n_bad == 1
    verb, first = ("is no number", "") if single else ("are no numbers", ", the first of them")
    remedy = (
        "Open it again with the other decimal mark, or correct the file."
        if bad.other_decimals
        else "Correct it, or open the file again with it among the marks for missing values."
    )
    return (
        f"{attribute.name} is {attribute.kind.value}, not numeric: {bad.n_bad:,} of {bad.n_present:,} values "
        f"{verb} ({value!r} in {where}{first}). {remedy}"
    )
