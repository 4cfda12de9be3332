"""Missing markers, and integers that floats cannot represent exactly."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Final

from algorithms.data.number_formats import MINUS

STRONG: Final = (
    "",
    "?",
    "NA",
    "N/A",
    "n/a",
    "#N/A",
    "#N/A N/A",
    "#NA",
    "<NA>",
    "NaN",
    "nan",
    "NAN",
    "-NaN",
    "-nan",
    "null",
    "NULL",
    "Null",
    "(null)",
    "\\N",
    "#DIV/0!",
    "#VALUE!",
    "#REF!",
    "#NUM!",
    "#NAME?",
    "#NULL!",
)
"""Markers that are missing in every column."""

INFINITE: Final = (
    "inf",
    "-inf",
    "+inf",
    "Inf",
    "-Inf",
    "infinity",
    "-infinity",
    "Infinity",
    "-Infinity",
)
"""Infinite numbers, which count as missing, since no statistic can use them."""

SAID: Final = (
    *("k.A.", "k. A.", "k.a.", "kA", "keine Angabe", "n.v.", "n. v.", "n.a.", "n. a.", "N.A.", "n.d.", "N.D.", "s.o."),
    *("nicht verfügbar", "not available", "not applicable", "no data", "s/d", "s/o", "n/d", "N/D", "nd", "ND"),
    *("\N{EN DASH}", "\N{EM DASH}"),
)
"""Words and dashes by which people say that a value is missing."""

WEAK: Final = (
    "-",
    "--",
    "---",
    ".",
    "..",
    "...",
    "*",
    "na",
    "None",
    "none",
    "NONE",
    "nil",
    "missing",
    "unknown",
    "NaT",
    *INFINITE,
    *SAID,
)
"""Markers that are missing only if all other values of the column are numbers or dates; else ordinary values."""

STRONG_MARKS: Final = frozenset(STRONG)
WEAK_MARKS: Final = frozenset(WEAK)
ALL_MARKS: Final = STRONG_MARKS | WEAK_MARKS


def marks_of_numbers(missing: Sequence[str] | None) -> frozenset[str]:
    """The markers that are missing in a column of numbers or dates: the given ones, None for the usual ones."""
    return ALL_MARKS if missing is None else frozenset(("", *missing))


_TWO_CAPITALS: Final = re.compile(r"[A-Z]{2}")


def is_country_code_list(values: Collection[str]) -> bool:
    """Whether "NA" is among enough two-letter codes to be one of them (Namibia) instead of a missing marker."""
    return "NA" in values and len(values) >= 20 and all(_TWO_CAPITALS.fullmatch(v) for v in values if v not in STRONG)


EXACT_DIGITS: Final = 15
"""Integers of up to this many digits are exact as floats."""


def is_beyond_floats(text: str) -> bool:
    """Whether a text of an optional sign and digits is an integer of at least 2^53, which floats may not represent."""
    digits = text.strip().lstrip(f"+-{MINUS}").lstrip("0")
    if len(digits) != len(str(2**53)):
        return len(digits) > len(str(2**53))
    return int(digits) >= 2**53
