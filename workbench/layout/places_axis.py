"""The critical-difference diagram laid out: an axis of mean places, names on both sides, bars over what is together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

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
