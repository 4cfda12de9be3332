"""Values taken out of JSON of unknown origin: each raises :class:`ModelFileError` where it is not of its type."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

from algorithms.core.errors import ModelFileError
from algorithms.core.plain_json import finite_number


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
    found = a_list(stored, name)
    if not all(isinstance(each, str) for each in found):
        raise ModelFileError(f"The file is damaged: its {name} are not all words.")
    return list(found)
