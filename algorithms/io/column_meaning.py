"""The meaning of a column from its name and spellings: its kind, the order of its values, the guessed class.

Numbers may have a unit, all of them the same: a currency, or the percent sign; it is removed.
The rules, in this order; the first that fits decides:

1.  All numbers, but codes: some with a leading zero (01067), longer than a float can tell apart, or under a name that
    says postcode or telephone: never numbers, but identifier, nominal or text by how often they recur (rule 6).
2.  All whole numbers under a name that says identifier (id, customer_id, no, row), each once: identifier. So are
    numbers that only count the records: one more each time under such a name or none, and under whatever name where
    20 records or more have each whole number of a range once, or ascend with few numbers of their range passed over
    (Vertrag: 100000, 100001, 100003).
3.  All numbers: *nominal* where just two whole numbers occur (0 and 1, or any two in 10 records
    or more), or where it is the class by its name, or the
    last column, and has at most 20 whole values that recur; else *numeric*.
4.  All in one unambiguous date format: date.
5.  All distinct strings under a name that says identifier: identifier.
6.  Strings: nominal where they recur; identifier where hardly any recurs and they are short; else text.
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
from algorithms.io.missing_marks import EXACT_DIGITS, STRONG, WEAK, is_beyond_floats, is_country_code_list

_DIGITS: Final = re.compile(r"(\d+)")


def sorted_naturally(values: Iterable[str]) -> tuple[str, ...]:
    """The values sorted as a person would.

    By number where all are numbers ("2" before "10"), else by text in which groups of digits count as numbers
    ("day 2" before "day 10") and case only settles ties. The order of what is given does not matter.
    """
    listed = list(values)
    numbers = [_number(value) for value in listed]
    if all(number is not None for number in numbers):
        return tuple(value for _, value in sorted(zip(numbers, listed, strict=True)))
    return tuple(sorted(listed, key=_natural_key))


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


LONGEST_KEY: Final = 1000
"""Characters by whose groups of digits a value is sorted; what is alike so far is sorted as text."""


def _natural_key(value: str) -> tuple[list[tuple[int, int, str]], str]:
    parts = _DIGITS.split(value[:LONGEST_KEY].casefold())
    key = [_by_size(part) if i % 2 else (1, 0, part) for i, part in enumerate(parts) if part]
    return key, value


def _by_size(digits: str) -> tuple[int, int, str]:
    """A key that orders decimal digits as the numbers they spell, however many they are."""
    plain = "".join(str(unicodedata.decimal(digit)) for digit in digits).lstrip("0")
    return 0, len(plain), plain


def with_guessed_class(schema: Schema, given: str | None) -> Schema:
    """The schema with the class that is given, or else the attribute named class, or else the last nominal one.

    Raises :class:`DataError` where there is no attribute of the given name.
    """
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
"""From so many records on it is no chance where whole numbers count on."""
WIDEST_COUNT: Final = 1.25
"""Numbers that ascend count the records where their range is at most so many times their number."""
MANY_VALUES: Final = 10_000
LONG_TEXT: Final = 40

_ID_NAME: Final = re.compile(r"(.*[\s_.\-])?(id|ids|identifier|uuid|guid|key|rowid|objectid)|(id)([\s_.\-].*)", re.I)
_CAMEL_ID: Final = re.compile(r".*[a-z](Id|ID)")
_COUNTING_NAME: Final = re.compile(
    r"(.*[\s_.\-])?(no|nr|num|number|index|idx|row|record|serial|seq|sequence|name|code|unnamed: 0)\.?|#|nº|n°", re.I
)
_CLASS_NAME: Final = re.compile(r"(.*[\s_.\-])?(class|target|label|outcome|y)", re.I)
_LEADING_ZERO: Final = re.compile(r"[+-]?0\d+", re.ASCII)
_BEFORE_ZERO: Final = ("0", "+", "-")
_SPACED_DIGITS: Final = re.compile(r"[+-]?[0-9][0-9\s]*")
"""Digits with blanks of any kind between them, as in telephone numbers."""
_WHOLE: Final = re.compile(r"[+-]?\d+", re.ASCII)


@dataclass(frozen=True, eq=False)
class Facts:
    """What is known of a column: its name and place, the distinct spellings (marks among them) and their counts.

    Where there are too many spellings ``spellings`` are only some, and ``n_distinct`` counts them all.
    """

    name: str
    last: bool
    n_records: int
    spellings: Sequence[str]
    counts: Sequence[int]
    n_distinct: int


@dataclass(frozen=True)
class ColumnMeaning:
    """The kind of a column, the marks in it that are missing values, and its date format where it is a date."""

    kind: AttributeKind
    missing: frozenset[str]
    date_format: str = ""


def says_identifier(name: str) -> bool:
    """Whether the name of a column marks an identifier: id, customer_id, customerId."""
    return bool(_ID_NAME.fullmatch(name.strip()) or _CAMEL_ID.fullmatch(name.strip()))


def numbers_the_records(name: str, values: NDArray[np.float64]) -> bool:
    """Whether a numeric column only counts the records (rule 2)."""
    n = len(values)
    if n < 2 or not np.isfinite(values[0]):
        return False
    says_so = not name.strip() or _COUNTING_NAME.fullmatch(name.strip()) is not None
    if says_so and bool(np.all(np.diff(values) == 1)):
        return True
    width = values.max() - values.min()
    if n < MANY_RECORDS or not n - 1 <= width <= WIDEST_COUNT * n or not np.all(values == np.floor(values)):
        return False
    if np.all(np.diff(values) > 0):
        return True
    seen = np.zeros(int(width) + 1, dtype=np.bool_)
    seen[(values - values.min()).astype(np.int64)] = True
    return bool(width == n - 1 and seen.all())


def meaning(facts: Facts, numbers: NumberFormat | None, missing: Sequence[str] | None) -> ColumnMeaning:
    """What a column means; ``missing`` are the marks to take for missing, None for the known ones.

    ``numbers`` is the form in which its numbers are written, None where it is none of numbers.
    """
    strong, weak = _marks(facts.spellings, missing)
    values = [v for v in facts.spellings if v not in strong]
    plain = [v for v in values if v not in weak]
    if plain and numbers is not None and numbers.match_all(plain):
        return _meaning_of_numbers(facts, plain, numbers, strong | weak)
    if not plain:
        return (
            ColumnMeaning(AttributeKind.NUMERIC, strong | weak)
            if not values
            else ColumnMeaning(AttributeKind.NOMINAL, strong)
        )
    format = date_format(plain)
    if format is not None:
        return ColumnMeaning(AttributeKind.DATE, strong | weak, format)
    return ColumnMeaning(_kind_of_strings(facts, values), strong)


def _marks(spellings: Sequence[str], missing: Sequence[str] | None) -> tuple[frozenset[str], frozenset[str]]:
    if missing is not None:
        return frozenset(missing) | {""}, frozenset()
    present = set(spellings)
    strong = present & set(STRONG)
    if is_country_code_list(present):
        strong -= {"NA"}
    return frozenset(strong | {""}), frozenset(present & set(WEAK))


def _meaning_of_numbers(
    facts: Facts, values: Sequence[str], numbers: NumberFormat, missing: frozenset[str]
) -> ColumnMeaning:
    whole = all(_WHOLE.fullmatch(without_unit(v) if numbers.unit else v) for v in values)
    n_present = _n_present(facts, missing)
    n_distinct = facts.n_distinct - sum(v in missing for v in facts.spellings)
    if is_code(facts.name, values) if not numbers.unit else _has_padded_currency(values, numbers):
        return ColumnMeaning(_kind_of_codes(facts.name, values, n_distinct, n_present), missing)
    every_other = n_distinct >= n_present and n_present > 1
    named = says_identifier(facts.name)
    counted = _COUNTING_NAME.fullmatch(facts.name.strip()) is not None and not facts.last
    if (
        whole
        and not numbers.unit
        and ((named and (every_other or n_distinct > MANY_CLASSES)) or (counted and every_other))
    ):
        return ColumnMeaning(AttributeKind.IDENTIFIER, missing)
    if whole and _few_whole_values_mean_classes(facts, values, n_distinct, n_present, numbers):
        return ColumnMeaning(AttributeKind.NOMINAL, missing)
    return ColumnMeaning(AttributeKind.NUMERIC, missing)


def _has_padded_currency(values: Sequence[str], numbers: NumberFormat) -> bool:
    """Whether a number has leading zeros after a currency, as "C$016"; percents may be padded."""
    return numbers.unit != PERCENT and any(_LEADING_ZERO.fullmatch(without_unit(v)) for v in values)


def is_code(name: str, values: Sequence[str]) -> bool:
    """Whether values that look like numbers are codes: leading zeros, too many digits for a float, or by the name."""
    if any(_LEADING_ZERO.fullmatch(v.strip()) for v in values if v[:1] in _BEFORE_ZERO or v[:1].isspace()):
        return True
    if any(len(v) > EXACT_DIGITS and _WHOLE.fullmatch(v) and is_beyond_floats(v) for v in values):
        return True
    return says_code(name) and all(_SPACED_DIGITS.fullmatch(v) for v in values)


def _kind_of_codes(name: str, values: Sequence[str], n_distinct: int, n_present: int) -> AttributeKind:
    if n_distinct >= n_present and (n_present >= 20 or says_identifier(name)):
        return AttributeKind.IDENTIFIER
    if n_distinct <= max(20, min(MANY_VALUES, n_present // 2)):
        return AttributeKind.NOMINAL
    return AttributeKind.IDENTIFIER if n_distinct >= 0.9 * n_present else AttributeKind.TEXT


def _few_whole_values_mean_classes(
    facts: Facts, values: Sequence[str], n_distinct: int, n_present: int, numbers: NumberFormat
) -> bool:
    distinct = {numbers.parse(v) for v in values}
    if len(distinct) == 2:
        return distinct == {0.0, 1.0} or n_present >= FEW_RECORDS
    class_like = facts.last or _CLASS_NAME.fullmatch(facts.name.strip()) is not None
    return class_like and 1 < n_distinct <= MANY_CLASSES and n_present >= 3 * n_distinct


def _kind_of_strings(facts: Facts, values: Sequence[str]) -> AttributeKind:
    missing = frozenset(facts.spellings) - frozenset(values)
    n_present = _n_present(facts, missing)
    n_distinct = facts.n_distinct - len(missing)
    length = sum(len(v) for v in values) / len(values) if values else 0.0
    if n_distinct >= n_present and n_present > 1 and not facts.last:
        named = says_identifier(facts.name) or _COUNTING_NAME.fullmatch(facts.name.strip()) is not None
        if named and length <= LONG_TEXT:
            return AttributeKind.IDENTIFIER
    return kind_by_recurrence(n_distinct, n_present, length)


def kind_by_recurrence(n_distinct: int, n_present: int, mean_length: float) -> AttributeKind:
    """Nominal where values recur; identifier where hardly any does and they are short; else text."""
    if n_present >= 20 and n_distinct >= 0.9 * n_present:
        return AttributeKind.IDENTIFIER if mean_length <= LONG_TEXT else AttributeKind.TEXT
    if mean_length > 2 * LONG_TEXT and n_distinct > MANY_CLASSES:
        return AttributeKind.TEXT
    if n_distinct <= max(MANY_CLASSES, min(MANY_VALUES, n_present // 2)):
        return AttributeKind.NOMINAL
    return AttributeKind.TEXT


def _n_present(facts: Facts, missing: frozenset[str]) -> int:
    absent = sum(count for value, count in zip(facts.spellings, facts.counts, strict=True) if value in missing)
    return facts.n_records - absent
