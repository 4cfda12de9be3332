"""Values that prevent a column from being numeric, with the record of the first."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from algorithms.data.columns import IntArray
from algorithms.data.number_formats import NumberFormat
from algorithms.data.schema import Attribute
from algorithms.io.column_meaning import is_code, says_identifier
from algorithms.io.column_pieces import SLICE
from algorithms.io.missing_marks import marks_of_numbers

FEW_NUMBERS: Final = 20
"""Up to this many distinct numbers may be labels."""
MOST_BAD: Final = 0.1
"""If a larger share is not numeric, the column is not meant to be, unless only the decimal mark differs."""
SAMPLE: Final = 200
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


def are_mostly_numbers(name: str, first: Sequence[str], numbers: NumberFormat, missing: Sequence[str] | None) -> bool:
    """Whether nearly all of a column's first distinct spellings are numbers, and more than labels would be."""
    if len(first) <= FEW_NUMBERS:
        return False
    marks = marks_of_numbers(missing)
    sample = [numbers.matches(s) for s in first[:SAMPLE] if s not in marks]
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
