"""Where effects and their intervals stand beside each other: how far the axis goes, and what is written along it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

LEAST: Final = 1e-6
MOST: Final = 20.0
"""Log odds beyond which nothing is told apart: 500 million to 1."""
_RATIOS: Final = (1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0, 1e3, 1e4, 1e6)


def reach_of(effects: Iterable[tuple[float, float, float]]) -> float:
    """How far the axis goes to either side of none, for log odds with the ends of their intervals.

    All middles are in view, and all ends but those of intervals very much wider than the largest effect.
    """
    middle, end = 0.0, 0.0
    for value, low, high in effects:
        if math.isfinite(value):
            middle = max(middle, abs(value))
        if math.isfinite(low) and math.isfinite(high):
            end = max(end, abs(low), abs(high))
    wanted = max(middle * 1.08, min(end * 1.04, 3.0 * middle if middle > LEAST else end))
    return min(MOST, max(LEAST, wanted if wanted > LEAST else 1.0))


def ratio_ticks(reach: float) -> list[tuple[float, str]]:
    """Places (log odds) for round odds ratios on an axis of this reach, and how they are written, 1 first."""
    found = [(0.0, "1")]
    for ratio in _RATIOS[1:]:
        place = math.log(ratio)
        if place <= reach:
            found += [(place, f"{ratio:g}"), (-place, f"1/{ratio:g}")]
    if len(found) > 1:
        return found
    return [*found, *((place, f"{math.exp(place):.6g}") for place in (-reach, reach))]


def log_ticks(reach: float) -> list[tuple[float, str]]:
    """Places for round log odds on an axis of this reach, and how they are written, 0 first."""
    size = 10.0 ** math.floor(math.log10(reach))
    step = next(size * each for each in (0.2, 0.5, 1.0, 2.0) if reach / (size * each) <= 5)
    found = [(0.0, "0")]
    for number in range(1, int(reach / step + 1e-9) + 1):
        found += [(number * step, f"+{number * step:.3g}"), (-number * step, f"−{number * step:.3g}")]
    return found
