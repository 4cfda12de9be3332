"""Untrusted JSON: parsing with limits, and access to values with a check of their type."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Final, NoReturn, cast

from algorithms.core.errors import ModelFileError

MOST: Final = 2**63 - 1
"""The largest integer allowed in a file, an option or a parameter."""
_MOST_DIGITS: Final = 20
_HALF_PAIR: Final = re.compile(r"\\u[dD][89a-fA-F]")


def loads(text: str, *, half_pairs: bool = False) -> Any:
    """The values in JSON text; raises ``ValueError`` or ``RecursionError`` for invalid text.

    NaN, infinite numbers, integers above 64 bits and lone surrogates raise ``ValueError`` too. ``half_pairs`` allows
    lone surrogates, which file names of the system may contain.
    """
    values = json.loads(text, parse_constant=_no_constant, parse_int=_whole, parse_float=_real)
    if not half_pairs:
        refuse_half_pairs(text, values)
    return values


def refuse_half_pairs(text: str, values: Any) -> None:
    """Raise ``ValueError`` if the ``values`` parsed from ``text`` contain a lone surrogate."""
    if _HALF_PAIR.search(text):
        json.dumps(values, ensure_ascii=False).encode("utf-8")  # raises UnicodeEncodeError, a ValueError


def typed_number(text: str) -> float:
    """The number in typed text; raises ``ValueError`` for other text, and for 1_000, which Python would accept."""
    if "_" in text:
        raise ValueError(f"{text[:40]!r} is not a number")
    return float(text)


def is_typed_number(text: str) -> bool:
    """Whether :func:`typed_number` accepts the text."""
    try:
        typed_number(text)
    except ValueError:
        return False
    return True


def finite_number(value: Any) -> float | None:
    """The JSON value as a float; None unless it is a finite number."""
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


def _of_type(stored: Any, name: str, kind: type[Any] | tuple[type[Any], ...]) -> Any:
    value = stored.get(name) if isinstance(stored, dict) else None
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise ModelFileError(f"The file is damaged: its {name} is missing or of another type.")
    return value


def an_object(stored: Any, name: str) -> Mapping[str, Any]:
    return cast(Mapping[str, Any], _of_type(stored, name, dict))


def a_list(stored: Any, name: str) -> Sequence[Any]:
    return cast(Sequence[Any], _of_type(stored, name, list))


def a_text(stored: Any, name: str) -> str:
    return cast(str, _of_type(stored, name, str))


def a_flag(stored: Any, name: str) -> bool:
    return cast(bool, _of_type(stored, name, bool))


def an_integer(stored: Any, name: str) -> int:
    return cast(int, _of_type(stored, name, int))


def a_number(stored: Any, name: str) -> float:
    """The finite number ``name`` of an object; raises :class:`ModelFileError` for anything else."""
    value = finite_number(_of_type(stored, name, (int, float)))
    if value is None:
        raise ModelFileError(f"The file is damaged: its {name} is no number.")
    return value


def strings_in(stored: Any, name: str) -> list[str]:
    values = a_list(stored, name)
    if not all(isinstance(value, str) for value in values):
        raise ModelFileError(f"The file is damaged: its {name} are not all words.")
    return list(values)
