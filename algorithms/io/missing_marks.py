"""Marks that stand for a missing value, and whole numbers that no float can hold."""

from __future__ import annotations

import re
from collections.abc import Collection
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
"""Missing in every column."""

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
"""Infinite numbers: they take the place of a measured value in no sensible statistic, so they count as missing."""

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
)
"""Missing only where everything else in the column is a number or a date; otherwise a value like any other."""

_TWO_CAPITALS: Final = re.compile(r"[A-Z]{2}")


def is_country_code_list(values: Collection[str]) -> bool:
    """Whether "NA" stands among enough two-letter codes to be one of them (Namibia) and not a missing mark."""
    return "NA" in values and len(values) >= 20 and all(_TWO_CAPITALS.fullmatch(v) for v in values if v not in STRONG)


EXACT_DIGITS: Final = 15
"""Whole numbers of so many digits differ as floats whenever they differ."""


def is_beyond_floats(text: str) -> bool:
    """Whether a text of an optional sign and digits is an integer of 2^53 or more, which floats cannot tell apart."""
    digits = text.strip().lstrip(f"+-{MINUS}").lstrip("0")
    if len(digits) != len(str(2**53)):
        return len(digits) > len(str(2**53))
    return int(digits) >= 2**53
