"""JSON of unknown origin: bounded reading, and values of a checked type."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any, Final, NoReturn, cast

from algorithms.core.errors import ModelFileError

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


def typed_number(text: str) -> float:
    """The number that a person typed; raises ``ValueError`` where it is none.

    Python's own reading also takes 1_000, which no table does.
    """
    if "_" in text:
        raise ValueError(f"{text[:40]!r} is not a number")
    return float(text)


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
    """A finite number."""
    value = finite_number(_of_type(stored, name, (int, float)))
    if value is None:
        raise ModelFileError(f"The file is damaged: its {name} is no number.")
    return value


def strings_in(stored: Any, name: str) -> list[str]:
    values = a_list(stored, name)
    if not all(isinstance(value, str) for value in values):
        raise ModelFileError(f"The file is damaged: its {name} are not all words.")
    return list(values)
