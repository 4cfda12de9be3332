"""JSON of unknown origin: numbers that no array can hold are refused where they are read."""

from __future__ import annotations

import json
from math import isfinite
from typing import Any, Final, NoReturn

MOST: Final = 2**63 - 1
"""The largest whole number that a file, an option or a parameter may hold."""
_MOST_DIGITS: Final = 20


def loads(text: str) -> Any:
    """The values of a text; raises ``ValueError`` or ``RecursionError`` where it is no JSON.

    Raises ``ValueError`` also for NaN, for infinite numbers, and for whole numbers of more than 64 bits.
    """
    return json.loads(text, parse_constant=_no_constant, parse_int=_whole, parse_float=_real)


def finite_number(value: Any) -> float | None:
    """A plain value of a file as a float; None where it is no number, or one that no float can hold."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if isfinite(number) else None


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not a number")


def _whole(digits: str) -> int:
    if len(digits) > _MOST_DIGITS or abs(int(digits)) > MOST:
        raise ValueError("a whole number in it is too large")
    return int(digits)


def _real(digits: str) -> float:
    number = float(digits)
    if not isfinite(number):
        raise ValueError("a number in it is too large")
    return number
