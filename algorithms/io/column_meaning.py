"""Inference of a column's kind, value order and role as class, from its name and spellings.

Numbers may all have the same unit, a currency or the percent sign, which is removed. The first of these rules that
applies decides:

1.  Numbers that are codes: some have a leading zero (01067), or more digits than a float holds, or the name says
    postcode or telephone. They are identifier, nominal or text, depending on how often they recur (rule 6).
2.  Distinct integers under a name that says identifier (id, customer_id, no, row): identifier. So are numbers that
    only count the records. These increase by one under such a name or an empty one. Under any other name, 20 records
    or more contain each integer of a range once, or ascend and skip few (Vertrag: 100000, 100001, 100003).
3.  All numbers: *nominal* for two distinct integers (0 and 1, or any two in 10 records or more). Also nominal if the
    column is the class by its name or position (last) and has at most 20 recurring integers; else *numeric*. The
    position says nothing if another class is given, or the first column is nominal and all others are alike.
4.  All in one unambiguous date format: date.
5.  All distinct strings under a name that says identifier: identifier.
6.  Strings: nominal if they recur; identifier if few recur and they are short; else text.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.data.dates import date_format
from algorithms.data.number_formats import PERCENT, NumberFormat, says_code, without_unit
from algorithms.data.schema import AttributeKind, Schema
from algorithms.io.missing_marks import EXACT_DIGITS, STRONG_MARKS, WEAK_MARKS, is_beyond_floats, is_country_code_list

_DIGITS: Final = re.compile(r"(\d+)")


def sorted_naturally(values: Iterable[str]) -> tuple[str, ...]:
    """The values in natural order: by size if all are numbers, else as text in which digit groups are numbers."""
    listed = list(values)
    if len(listed) < 2:
        return tuple(listed)
    numbers: list[tuple[float, str]] = []
    for value in listed:
        number = _number(value)
        if number is None:
            return tuple(sorted(listed, key=_natural_key))
        numbers.append((number, value))
    return tuple(value for _, value in sorted(numbers))


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


LONGEST_KEY: Final = 1000
"""Number of characters whose digit groups are compared; equal beginnings are then sorted as text."""


def _natural_key(value: str) -> tuple[list[tuple[int, int, str]], str]:
    parts = _DIGITS.split(value[:LONGEST_KEY].casefold())
    key = [_by_size(part) if i % 2 else (1, 0, part) for i, part in enumerate(parts) if part]
    return key, value


def _by_size(digits: str) -> tuple[int, int, str]:
    """A sort key that orders strings of decimal digits by the numbers they spell, without a size limit."""
    plain = digits if digits.isascii() else "".join(str(unicodedata.decimal(digit)) for digit in digits)
    plain = plain.lstrip("0")
    return 0, len(plain), plain


def with_guessed_class(schema: Schema, given: str | None) -> Schema:
    """The schema with the given class, else "class" or the last nominal one; raises :class:`DataError` if unknown."""
    if given and given not in schema:
        shown = ", ".join(schema.names[:8]) + (", ..." if len(schema) > 8 else "")
        raise DataError(f"There is no column named {given!r}.", remedy=f"The columns are {shown}.", place=given)
    if given is not None:
        return schema.with_class(given or None)
    coded = [a.name for a in schema.attributes if a.kind.is_coded]
    named = [a.name for a in schema.attributes if a.name.strip().casefold() == "class"]
    named_coded = [name for name in named if name in coded]
    chosen = named_coded or named or coded[-1:]
    return schema.with_class(chosen[0] if chosen else None)


MANY_CLASSES: Final = 20
FEW_RECORDS: Final = 10
MANY_RECORDS: Final = 20
"""From this number of records on, consecutive integers are not a coincidence."""
WIDEST_COUNT: Final = 1.25
"""Ascending numbers count the records if their range is at most this many times the number of records."""
MANY_VALUES: Final = 10_000
LONG_TEXT: Final = 40

_ID_NAME: Final = re.compile(r"(.*[\s_.\-])?(id|ids|identifier|uuid|guid|key|rowid|objectid)|(id)([\s_.\-].*)", re.I)
_CAMEL_ID: Final = re.compile(r".*[a-z](Id|ID)")
_COUNTING_NAME: Final = re.compile(
    r"(.*[\s_.\-])?(no|nr|num|number|index|idx|row|record|serial|seq|sequence|name|code|unnamed: 0)\.?|#|nº|n°", re.I
)
_CLASS_NAME: Final = re.compile(r"(.*[\s_.\-])?(class|target|label|outcome|y)", re.I)
_LEADING_ZERO: Final = re.compile(r"[+-]?0\d+", re.ASCII)
_LEADING_ZEROS: Final = re.compile(r"^\s*[+-]?0[0-9]+\s*$", re.M)
_SPACED_DIGITS: Final = re.compile(r"[+-]?[0-9][0-9\s]*")
"""Digits with any blanks between them, as in telephone numbers."""
_WHOLE: Final = re.compile(r"[+-]?\d+", re.ASCII)


@dataclass(frozen=True, eq=False, slots=True)
class ColumnSpellings:
    """Name, position and spellings of a column: distinct spellings (missing markers included) with their counts.

    If there are too many, ``spellings`` has only some; ``n_distinct`` counts all.
    """

    name: str
    last: bool
    n_records: int
    spellings: Sequence[str]
    counts: Sequence[int]
    n_distinct: int


@dataclass(frozen=True, slots=True)
class ColumnMeaning:
    """The kind of a column, its missing markers, and its date format if it is a date."""

    kind: AttributeKind
    missing: frozenset[str]
    date_format: str = ""


def says_identifier(name: str) -> bool:
    """Whether the name of a column says that it is an identifier: id, customer_id, customerId."""
    return bool(_ID_NAME.fullmatch(name.strip()) or _CAMEL_ID.fullmatch(name.strip()))


def name_hints(name: str) -> tuple[bool, ...]:
    """All that :func:`meaning` takes from a column's name: whether it says identifier, number, class or code."""
    plain = name.strip()
    counted, classed = _COUNTING_NAME.fullmatch(plain), _CLASS_NAME.fullmatch(plain)
    return says_identifier(name), counted is not None, classed is not None, says_code(name)


def numbers_the_records(name: str, values: NDArray[np.float64]) -> bool:
    """Whether a numeric column only counts the records (rule 2)."""
    n = len(values)
    if n < 2 or not np.isfinite(values[0]):
        return False
    by_one = abs(values[-1] - values[0] - (n - 1)) < 0.5 and bool(np.all(np.diff(values) == 1))
    if by_one and (not name.strip() or _COUNTING_NAME.fullmatch(name.strip()) is not None):
        return True
    if n < MANY_RECORDS:
        return False
    width = values.max() - values.min()
    if not n - 1 <= width <= WIDEST_COUNT * n or not np.all(values == np.floor(values)):
        return False
    if np.all(np.diff(values) > 0):
        return True
    seen = np.zeros(int(width) + 1, dtype=np.bool_)
    seen[(values - values.min()).astype(np.int64)] = True
    return bool(width == n - 1 and seen.all())


def meaning(summary: ColumnSpellings, numbers: NumberFormat | None, missing: Sequence[str] | None) -> ColumnMeaning:
    """The meaning of a column by its ``numbers`` format (None if not all are) and ``missing`` markers."""
    strong, weak = _marks(summary.spellings, missing)
    values = [v for v in summary.spellings if v not in strong]
    plain = [v for v in values if v not in weak]
    if plain and numbers is not None and numbers.match_all(plain):
        return _meaning_of_numbers(summary, plain, numbers, strong | weak)
    if not plain:
        return (
            ColumnMeaning(AttributeKind.NUMERIC, strong | weak)
            if not values
            else ColumnMeaning(AttributeKind.NOMINAL, strong)
        )
    format = date_format(plain)
    if format is not None:
        return ColumnMeaning(AttributeKind.DATE, strong | weak, format)
    return ColumnMeaning(_kind_of_strings(summary, values), strong)


def _marks(spellings: Sequence[str], missing: Sequence[str] | None) -> tuple[frozenset[str], frozenset[str]]:
    if missing is not None:
        return frozenset(missing) | {""}, frozenset()
    present = set(spellings)
    strong = STRONG_MARKS & present
    if is_country_code_list(present):
        strong -= {"NA"}
    return strong | {""}, WEAK_MARKS & present


def _meaning_of_numbers(
    summary: ColumnSpellings, values: Sequence[str], numbers: NumberFormat, missing: frozenset[str]
) -> ColumnMeaning:
    whole = all(_WHOLE.fullmatch(without_unit(v) if numbers.unit else v) for v in values)
    n_present = _n_present(summary, missing)
    n_distinct = summary.n_distinct - sum(v in missing for v in summary.spellings)
    if is_code(summary.name, values) if not numbers.unit else _has_padded_currency(values, numbers):
        return ColumnMeaning(_kind_of_codes(summary.name, values, n_distinct, n_present), missing)
    every_other = n_distinct >= n_present and n_present > 1
    named = says_identifier(summary.name)
    counted = _COUNTING_NAME.fullmatch(summary.name.strip()) is not None and not summary.last
    if (
        whole
        and not numbers.unit
        and ((named and (every_other or n_distinct > MANY_CLASSES)) or (counted and every_other))
    ):
        return ColumnMeaning(AttributeKind.IDENTIFIER, missing)
    if whole and _few_whole_values_mean_classes(summary, values, n_distinct, n_present, numbers):
        return ColumnMeaning(AttributeKind.NOMINAL, missing)
    return ColumnMeaning(AttributeKind.NUMERIC, missing)


def _has_padded_currency(values: Sequence[str], numbers: NumberFormat) -> bool:
    """Whether a number has leading zeros after a currency, as in "C$016"; percentages may be padded."""
    return numbers.unit != PERCENT and any(_LEADING_ZERO.fullmatch(without_unit(v)) for v in values)


def is_code(name: str, values: Sequence[str]) -> bool:
    """Whether number-like values are codes: by leading zeros, by more digits than a float holds, or by the name."""
    lines = "\n".join(values)  # one search through all values takes less time than one for each
    if "0" in lines and _LEADING_ZEROS.search(lines):
        return True
    longest = max(map(len, values), default=0)
    if longest > EXACT_DIGITS and any(_WHOLE.fullmatch(v) and is_beyond_floats(v) for v in values):
        return True
    return says_code(name) and all(_SPACED_DIGITS.fullmatch(v) for v in values)


def _kind_of_codes(name: str, values: Sequence[str], n_distinct: int, n_present: int) -> AttributeKind:
    if n_distinct >= n_present and (n_present >= 20 or says_identifier(name)):
        return AttributeKind.IDENTIFIER
    if n_distinct <= max(20, min(MANY_VALUES, n_present // 2)):
        return AttributeKind.NOMINAL
    return AttributeKind.IDENTIFIER if n_distinct >= 0.9 * n_present else AttributeKind.TEXT


def says_class(name: str) -> bool:
    return _CLASS_NAME.fullmatch(name.strip()) is not None


def _few_whole_values_mean_classes(
    summary: ColumnSpellings, values: Sequence[str], n_distinct: int, n_present: int, numbers: NumberFormat
) -> bool:
    distinct = {numbers.parse(v) for v in values}
    if len(distinct) == 2:
        return distinct == {0.0, 1.0} or n_present >= FEW_RECORDS
    class_like = summary.last or says_class(summary.name)
    return class_like and 1 < n_distinct <= MANY_CLASSES and n_present >= 3 * n_distinct


def _kind_of_strings(summary: ColumnSpellings, values: Sequence[str]) -> AttributeKind:
    missing = frozenset(summary.spellings) - frozenset(values)
    n_present = _n_present(summary, missing)
    n_distinct = summary.n_distinct - len(missing)
    length = sum(len(v) for v in values) / len(values) if values else 0.0
    if n_distinct >= n_present and n_present > 1 and not summary.last:
        named = says_identifier(summary.name) or _COUNTING_NAME.fullmatch(summary.name.strip()) is not None
        if named and length <= LONG_TEXT:
            return AttributeKind.IDENTIFIER
    return kind_by_recurrence(n_distinct, n_present, length)


def kind_by_recurrence(n_distinct: int, n_present: int, mean_length: float) -> AttributeKind:
    """Nominal if values recur; identifier if few recur and they are short; else text."""
    if n_present >= 20 and n_distinct >= 0.9 * n_present:
        return AttributeKind.IDENTIFIER if mean_length <= LONG_TEXT else AttributeKind.TEXT
    if mean_length > 2 * LONG_TEXT and n_distinct > MANY_CLASSES:
        return AttributeKind.TEXT
    if n_distinct <= max(MANY_CLASSES, min(MANY_VALUES, n_present // 2)):
        return AttributeKind.NOMINAL
    return AttributeKind.TEXT


def _n_present(summary: ColumnSpellings, missing: frozenset[str]) -> int:
    absent = sum(count for value, count in zip(summary.spellings, summary.counts, strict=True) if value in missing)
    return summary.n_records - absent
