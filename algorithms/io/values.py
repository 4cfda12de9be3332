"""The order in which the values of a nominal attribute stand where a file declares none."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

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


def _natural_key(value: str) -> tuple[list[tuple[int, int, str]], str]:
    parts = _DIGITS.split(value.casefold())
    key = [_by_size(part) if i % 2 else (1, 0, part) for i, part in enumerate(parts) if part]
    return key, value


def _by_size(digits: str) -> tuple[int, int, str]:
    """A key that orders decimal digits as the numbers they spell, however many they are."""
    plain = "".join(str(unicodedata.decimal(digit)) for digit in digits).lstrip("0")
    return 0, len(plain), plain
