"""Which of two labels says that something is so: "yes" rather than "no"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

_PAIRS: Final = frozenset(
    {
        ("yes", "no"),
        ("y", "n"),
        ("true", "false"),
        ("t", "f"),
        ("1", "0"),
        ("+", "-"),
        ("positive", "negative"),
        ("pos", "neg"),
        ("ja", "nein"),
        ("oui", "non"),
        ("si", "no"),
        ("sí", "no"),
    }
)


def affirmative(labels: Sequence[str]) -> int | None:
    """Position of the label that says "yes" where the two labels are such a pair, however they are written.

    >>> affirmative(["No", "Yes"])
    1
    """
    if len(labels) != 2:
        return None
    first, second = (label.strip().casefold() for label in labels)
    if (first, second) in _PAIRS:
        return 0
    return 1 if (second, first) in _PAIRS else None
