"""Differences between two recordings, with the path of each in the JSON."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tests.recording.storage import ENVIRONMENT, Entries

TOLERANCE: Final = 1e-6
"""Relative, and absolute for numbers below 1, between machines or libraries that are not alike."""
NUMBER: Final = re.compile(r"(-?\d+\.\d+(?:e[+-]?\d+)?)")
"""A fraction in a text."""
LONGEST: Final = 160
WORDS: Final = {
    "errors", "headline", "help", "interval_note", "label", "message", "note", "reading", "remedy", "sentence",
    "sentences", "why",
}  # fmt: skip
"""Keys of what people read."""
VERBATIM: Final = ("text", "raised", "command")
"""Keys of texts that are compared as values, such as an exported model or an error that nobody caught."""
ABSENT: Final = object()
FEWEST_SPACES: Final = 2
"""A text with fewer is a name."""


@dataclass(frozen=True)
class Difference:
    """One difference; ``is_words`` where only what people read has changed."""

    path: str
    before: str
    now: str
    is_words: bool = False

    def __str__(self) -> str:
        return f"{self.path}\n    before: {self.before}\n    now:    {self.now}"


def differences_of(
    before: Entries, now: Entries, *, only: Sequence[str] | None = None, tolerance: float = TOLERANCE
) -> list[Difference]:
    """The differences of all cases, or of ``only`` these; numbers must be equal where both were made alike."""
    if before.get(ENVIRONMENT) == now.get(ENVIRONMENT):
        tolerance = 0.0
    names = sorted({*before, *now} - {ENVIRONMENT}) if only is None else only
    return [
        difference
        for name in names
        for difference in _compare(name, before.get(name, ABSENT), now.get(name, ABSENT), tolerance, "")
    ]


def _compare(path: str, before: Any, now: Any, tolerance: float, key: str) -> Iterator[Difference]:
    if isinstance(before, dict) and isinstance(now, dict):
        for name in sorted({*before, *now}):
            yield from _compare(f"{path} / {name}", before.get(name, ABSENT), now.get(name, ABSENT), tolerance, name)
    elif isinstance(before, list) and isinstance(now, list) and len(before) == len(now):
        for index, (one, other) in enumerate(zip(before, now, strict=True)):
            yield from _compare(f"{path} / {index}", one, other, tolerance, key)
    elif not _alike(before, now, tolerance):
        yield Difference(path, _shown(before), _shown(now), _are_words(path, key, before) or _are_words(path, key, now))


def _alike(before: Any, now: Any, tolerance: float) -> bool:
    if tolerance and isinstance(before, str) and isinstance(now, str):  # as an exported model, with numbers in it
        here, there = NUMBER.split(before), NUMBER.split(now)
        return len(here) == len(there) and all(
            math.isclose(float(one), float(other), rel_tol=tolerance, abs_tol=tolerance) if at % 2 else one == other
            for at, (one, other) in enumerate(zip(here, there, strict=True))
        )
    if tolerance and isinstance(before, float | int) and isinstance(now, float | int):
        return math.isclose(before, now, rel_tol=tolerance, abs_tol=tolerance)
    return type(before) is type(now) and bool(before == now)


def _are_words(path: str, key: str, value: Any) -> bool:
    if key in VERBATIM:
        return False
    if isinstance(value, list):
        return bool(value) and all(_are_words(path, key, part) for part in value)
    if not isinstance(value, str):
        return False
    return key in WORDS or value.count(" ") >= FEWEST_SPACES or (path.startswith("list/") and " " in value)


def _shown(value: Any) -> str:
    text = "absent" if value is ABSENT else repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 20]}... ({len(text)} characters)"
