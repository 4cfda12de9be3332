"""In how many decimals gains are written, so that those that differ look different."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Final

USUAL_DECIMALS: Final = 3
MOST_DECIMALS: Final = 6
EQUAL_FROM: Final = 9
"""What is the same in so many decimals differs by the rounding of sums alone."""


def figure(value: float, decimals: int = USUAL_DECIMALS) -> str:
    """A gain for reading: 0.702."""
    return "-" if value != value else f"{value:.{decimals}f}"


def telling_decimals(values: Iterable[float]) -> int:
    """In how many decimals no two of the numbers that differ look alike: at least three, and never more than six."""
    ordered = sorted({round(value, EQUAL_FROM) for value in values if value == value})
    for decimals in range(USUAL_DECIMALS, MOST_DECIMALS):
        if all(figure(low, decimals) != figure(high, decimals) for low, high in pairwise(ordered)):
            return decimals
    return MOST_DECIMALS
