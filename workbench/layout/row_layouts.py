"""Layouts of charts with one row an effect: nomograms, forest plots, critical-difference diagrams."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

MOST_LOG_ODDS: Final = 10.0
"""Log odds beyond which all is as good as certain (22,000 to 1): what lies beyond stands at the edge."""


@dataclass(frozen=True)
class NomogramRows:
    """``n`` rows, each ``row`` high, with room for names at the left (``names``) and for numbers at the right.

    Log odds from ``-reach`` to ``reach`` lie between; ``width`` is that of everything. All in pixels.
    """

    n: int
    width: float
    row: float
    names: float
    numbers: float
    reach: float

    @property
    def height(self) -> float:
        return self.n * self.row

    @property
    def left(self) -> float:
        return self.names

    @property
    def right(self) -> float:
        return max(self.names + 40.0, self.width - self.numbers)

    def x(self, odds: float) -> float:
        """Where log odds stand; what lies beyond the reach at its end."""
        share = (min(max(odds, -self.reach), self.reach) + self.reach) / (2 * self.reach)
        return self.left + share * (self.right - self.left)

    def middle(self, place: int) -> float:
        """The middle of a row from above."""
        return (place + 0.5) * self.row

    def curve_y(self, place: int, share: float) -> float:
        """Where a number stands within its row: the smallest (share 0) low, the largest (1) high."""
        return (place + 0.82 - 0.64 * share) * self.row

    def row_at(self, y: float) -> int:
        """The row at a height, -1 where there is none."""
        found = int(y // self.row)
        return found if 0 <= found < self.n and y >= 0 else -1


def log_odds_reach(odds: list[float]) -> float:
    """How far the axis goes for these log odds: a whole number from 1 to :data:`MOST_LOG_ODDS`."""
    largest = max((abs(each) for each in odds), default=1.0)
    return float(min(MOST_LOG_ODDS, max(1.0, -(-largest // 1))))


LEAST_EFFECT: Final = 1e-6
MOST_EFFECT: Final = 20.0
"""Log odds beyond which nothing is told apart: 500 million to 1."""
_RATIOS: Final = (1.0, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 100.0, 1e3, 1e4, 1e6)


def effect_reach(effects: Iterable[tuple[float, float, float]]) -> float:
    """How far the axis goes to either side of none, for log odds with the ends of their intervals.

    All middles are in view, and all ends but those of intervals very much wider than the largest effect.
    """
    middle, end = 0.0, 0.0
    for value, low, high in effects:
        if math.isfinite(value):
            middle = max(middle, abs(value))
        if math.isfinite(low) and math.isfinite(high):
            end = max(end, abs(low), abs(high))
    wanted = max(middle * 1.08, min(end * 1.04, 3.0 * middle if middle > LEAST_EFFECT else end))
    return min(MOST_EFFECT, max(LEAST_EFFECT, wanted if wanted > LEAST_EFFECT else 1.0))


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


AXIS: Final = 3.4
"""Lines of text above the axis: the ruler of the critical difference and the numbers."""
BAR: Final = 0.55
NAME: Final = 1.45
FOOT: Final = 0.6
SIDE_SHARE: Final = 0.30
LEAST_SIDE: Final = 70.0


@dataclass(frozen=True)
class Placed:
    """One name: its ``x`` on the axis, the height ``y`` of its line, and which side it stands on."""

    at: int
    x: float
    y: float
    on_left: bool


@dataclass(frozen=True)
class PlacesAxis:
    """Where everything stands, from the upper left corner. The axis runs from place 1 at ``left`` to ``k`` at
    ``right`` at height ``axis``; ``bars`` are x from, x to and height; the ruler is ``ruler`` long from ``left``."""

    left: float
    right: float
    axis: float
    ticks: tuple[tuple[int, float], ...]
    names: tuple[Placed, ...]
    bars: tuple[tuple[float, float, float], ...]
    ruler: float
    height: float


def places_axis(
    places: Sequence[float], bars: Sequence[tuple[int, int]], critical: float, width: float, line: float
) -> PlacesAxis:
    """Lay out ascending mean ``places`` (two or more) in ``width``, a line of text being ``line`` high.

    The better half stand on the left, the best uppermost; the others on the right, the last uppermost.
    """
    k = len(places)
    side = max(LEAST_SIDE, SIDE_SHARE * width)
    left, right = side, max(side + 40.0, width - side)
    scale = (right - left) / (k - 1)

    def x_of(place: float) -> float:
        return left + (place - 1) * scale

    axis = AXIS * line
    rows_begin = axis + (0.6 + BAR * len(bars)) * line
    n_left = (k + 1) // 2
    names = []
    for at, place in enumerate(places):
        on_left = at < n_left
        row = at if on_left else k - 1 - at
        names.append(Placed(at, x_of(place), rows_begin + (row + 0.7) * NAME * line, on_left))
    drawn = tuple(
        (x_of(places[first]), x_of(places[last]), axis + (0.6 + BAR * at) * line)
        for at, (first, last) in enumerate(bars)
    )
    step = max(1, -(-k // 12))
    ticks = tuple((place, x_of(place)) for place in range(1, k + 1, step))
    height = rows_begin + (n_left * NAME + FOOT) * line
    return PlacesAxis(left, right, axis, ticks, tuple(names), drawn, min(critical * scale, right - left), height)
