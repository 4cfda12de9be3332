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
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.errors import DataError
from algorithms.data.dates import date_format, fitting_formats, has_short_year, is_written_date
from algorithms.data.number_formats import PERCENT, NumberForm, NumberFormat, says_code, without_unit
from algorithms.data.schema import AttributeKind, Schema
from algorithms.io.missing_marks import (
    EXACT_DIGITS,
    SAID,
    STRONG_MARKS,
    WEAK_MARKS,
    is_beyond_floats,
    is_country_code_list,
)
from algorithms.io.text.options import DATE_ORDERS, Guess, OtherReading, ReadOptions
from algorithms.text.sentences import and_more, counted

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


# ---- guesses that the user may correct -------------------------------------------------------------------------------

_SENTINELS: Final = frozenset((-9.0, -99.0, -999.0, -9999.0, -99999.0, 999.0, 9999.0, 99999.0, 999999.0))
"""Numbers that people write for missing values."""
SAMPLED: Final = 1 << 14
"""Number of values, evenly spread, of which the extremes are looked at."""
FAR_OUT: Final = 3
"""Such a number is at least this many times as far from 0 as all others."""
LEAST_OTHERS: Final = 3
MOST_STRAYS: Final = 20
LEAST_NUMERIC: Final = 0.8
"""Share of the values of a column that are numbers, if the others may be strays."""
FEWEST_NUMBERS: Final = 5
_ANSWERS: Final = (
    *((("yes", "y"), ("no", "n")), (("ja", "j"), ("nein", "n")), (("oui", "o"), ("non", "n"))),
    *((("sí", "si", "s"), ("no", "n")), (("sì", "si", "s"), ("no", "n")), (("ja", "j"), ("nee", "n"))),
    *((("sim", "s"), ("não", "nao", "n")), (("tak", "t"), ("nie", "n")), (("да", "д"), ("нет", "н"))),
    *((("evet", "e"), ("hayır", "hayir", "h")), (("ja", "j"), ("nej", "n")), (("true", "t"), ("false", "f"))),
    *((("kyllä", "k"), ("ei", "e")), (("ano", "a"), ("ne", "n")), (("igen", "i"), ("nem", "n"))),
)
"""The words for yes and no of a language, the usual one first."""
_MISSING_WORDS: Final = frozenset((*SAID, "-", "--", "---", "na", "..", "..."))
"""Weak markers that are hardly the name of a category."""


def answers_alike(spellings: Sequence[str], missing: Collection[str]) -> dict[str, str]:
    """The usual spelling of each answer (yes or no in one language), if a column spells one in several ways; else {}.

    "Ja", "ja" and "J" are one answer.
    """
    present = [s for s in spellings if s not in missing]
    if not 3 <= len(present) <= 3 * FEW_RECORDS:
        return {}
    folded = {s: s.strip().casefold().replace("i\u0307", "i") for s in present}
    for words in _ANSWERS:
        usual = {word: answer[0] for answer in words for word in answer}
        if all(word in usual for word in folded.values()):
            return {s: usual[word] for s, word in folded.items()}
    return {}


def column_guesses(
    summary: ColumnSpellings, form: NumberForm, column_meaning: ColumnMeaning, options: ReadOptions
) -> tuple[Guess, ...]:
    """What was taken from the values of a column, and what only the user can decide, each with its corrections."""
    kind, name = column_meaning.kind, summary.name
    values = [v for v in summary.spellings if v not in column_meaning.missing]
    plain = [v for v in values if v not in WEAK_MARKS]
    keep = OtherReading("Keep as text", {"kinds": {name: AttributeKind.NOMINAL}}, f"kind:{name}=nominal")
    if not plain or name in options.dates:
        return ()
    if kind is AttributeKind.NUMERIC:
        if not form.units:
            return ()
        sentence = f"{name}: {form.units[0]} is removed from the numbers; every value has it, or is a plain number."
        return (Guess(f"unit {name}", sentence, (keep,), is_usual=True),)
    if kind is AttributeKind.DATE:
        if not has_short_year(column_meaning.date_format):
            return ()
        sentence = (
            f"{name}: the values, such as {plain[0]!r}, are dates with years of two digits: 69 to 99 are 1969 to 1999, "
            "00 to 68 are 2000 to 2068."
        )
        return (Guess(f"dates {name}", sentence, (keep,)),)
    return tuple(_guesses_of_words(summary, values, plain, form, column_meaning))


def _guesses_of_words(
    summary: ColumnSpellings,
    values: Sequence[str],
    plain: Sequence[str],
    form: NumberForm,
    column_meaning: ColumnMeaning,
) -> Iterator[Guess]:
    """The guesses on a column that is neither numeric nor a date."""
    name, kind = summary.name, column_meaning.kind
    if is_written_date(plain[0].strip()) and len(fitting_formats(plain)) > 1:
        sentence = f"{name}: the values, such as {plain[0]!r}, are dates with the day or the month first; both fit all."
        corrections = [
            OtherReading(label, {"dates": {name: order}}, f"dates:{name}={order}")
            for order, label in DATE_ORDERS.items()
        ]
        yield Guess(f"dates {name}", sentence, tuple(corrections), is_question=True)
        return
    if kind is AttributeKind.NOMINAL and (alike := answers_alike(summary.spellings, column_meaning.missing)):
        shown = and_more([repr(s) for s in alike], 4)
        sentence = f"{name}: {shown} are spellings of {' and '.join(dict.fromkeys(map(repr, alike.values())))}."
        apart = OtherReading("Keep the spellings", {"kinds": {name: AttributeKind.NOMINAL}}, f"kind:{name}=nominal")
        yield Guess(f"answers {name}", sentence, (apart,))
        return
    numbers = form.numbers
    if any(_LEADING_ZERO.fullmatch(v) for v in plain) and numbers.match_all(plain):
        zero = next(v for v in plain if _LEADING_ZERO.fullmatch(v))
        sentence = f"{name}: kept as text, since {zero!r} begins with a zero, which a number would lose."
        number = OtherReading("Read as numbers", {"kinds": {name: AttributeKind.NUMERIC}}, f"kind:{name}=numeric")
        yield Guess(f"zeros {name}", sentence, (number,), is_usual=True)
        return
    strays = _strays(summary, plain, numbers)
    if strays:
        shown = and_more([repr(s) for s in strays], 3)
        n = sum(count for s, count in zip(summary.spellings, summary.counts, strict=True) if s in strays)
        sentence = (
            f"{name}: {counted(n, 'value')} ({shown}) {'is no number' if n == 1 else 'are no numbers'}, all others are."
        )
        changes = {"missing_in": {name: tuple(strays)}, "kinds": {name: AttributeKind.NUMERIC}}
        argument = f"missing:{name}={','.join(strays)}"
        numeric = OtherReading("Read numbers, texts as missing", changes, argument)
        yield Guess(f"missing {name}", sentence, (numeric,), is_question=True)
        return
    marks = [v for v in values if v in _MISSING_WORDS]
    if marks and len(plain) > 1:
        shown = and_more([repr(mark) for mark in marks], 3)
        sentence = f"{name}: {shown} may stand for missing values; among words it is read as a value."
        take = OtherReading(
            f"Take {', '.join(marks)} for missing",
            {"missing_in": {name: tuple(marks)}},
            f"missing:{name}={','.join(marks)}",
        )
        yield Guess(f"missing {name}", sentence, (take,), is_question=True)


def _strays(summary: ColumnSpellings, plain: Sequence[str], numbers: NumberFormat) -> list[str]:
    """The few values that are no numbers while nearly all others are; empty if there are none, or many."""
    sample = plain[:50]
    if sum(map(numbers.matches, sample)) < LEAST_NUMERIC * len(sample) or says_identifier(summary.name):
        return []
    strays = [value for value in plain if not numbers.matches(value)]
    n_numbers = len(plain) - len(strays)
    is_stray = set(strays)
    n = sum(count for v, count in zip(summary.spellings, summary.counts, strict=True) if v in is_stray)
    if not strays or len(strays) > MOST_STRAYS or n_numbers < FEWEST_NUMBERS or any("," in stray for stray in strays):
        return []
    if n > (1 - LEAST_NUMERIC) * summary.n_records or is_code(summary.name, [v for v in plain if v not in is_stray]):
        return []
    return strays


def sentinel_guess(name: str, values: NDArray[np.float64]) -> Guess | None:
    """The question whether an extreme number (-999) stands for missing values; None if there is no such number."""
    if not len(values):
        return None
    sample = values[:: max(1, len(values) // SAMPLED)]
    extremes = float(np.fmin.reduce(sample)), float(np.fmax.reduce(sample))
    for number in _SENTINELS.intersection(extremes):
        others = values[(values != number) & ~np.isnan(values)]
        n = int(np.count_nonzero(values == number))
        if len(others) < LEAST_OTHERS:
            continue
        if number < 0 and FAR_OUT * -min(0.0, float(others.min())) > -number:
            continue
        if number > 0 and (n < 2 or FAR_OUT * float(np.abs(others).max()) > number):
            continue
        shown = f"{number:.0f}"
        sentence = (
            f"{name}: {shown} stands in {counted(n, 'record')}, far from all other numbers ({others.min():.6g} to "
            f"{others.max():.6g}). It may stand for missing values."
        )
        take = OtherReading(f"Take {shown} for missing", {"missing_in": {name: (shown,)}}, f"missing:{name}={shown}")
        return Guess(f"missing {name}", sentence, (take,), is_question=True)
    return None
