"""JSON of unknown origin: numbers that no array, and texts that no file can hold are refused where they are read."""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any, Final, NoReturn

MOST: Final = 2**63 - 1
"""The largest whole number that a file, an option or a parameter may hold."""
_MOST_DIGITS: Final = 20
_HALF_PAIR: Final = re.compile(r"\\u[dD][89a-fA-F]")


def loads(text: str, *, half_pairs: bool = False) -> Any:
    """The values of a text; raises ``ValueError`` or ``RecursionError`` where it is no JSON.

    Raises ``ValueError`` also for NaN, for infinite numbers, for whole numbers of more than 64 bits, and for half of a
    surrogate pair unless ``half_pairs`` allows it: the system's own names of files may hold such halves.
    """
    values = json.loads(text, parse_constant=_no_constant, parse_int=_whole, parse_float=_real)
    if not half_pairs:
        refuse_half_pairs(text, values)
    return values


def refuse_half_pairs(text: str, values: Any) -> None:
    """Raise ``ValueError`` where one of the ``values`` read from ``text`` holds half of a surrogate pair."""
    if _HALF_PAIR.search(text):
        json.dumps(values, ensure_ascii=False).encode("utf-8")  # raises UnicodeEncodeError, a ValueError


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
