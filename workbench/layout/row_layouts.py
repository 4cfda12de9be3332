"""Layouts of charts with one row an effect: nomograms, forest plots, critical-difference diagrams."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

MOST_LOG_ODDS: Final = 10.0
"""Log odds shown at the edge of the axis: odds of 22,000 to 1."""


@dataclass(frozen=True)
class NomogramRows:
    """``n`` rows of height ``row``, with ``names`` pixels for names at the left and ``numbers`` at the right.

    Log odds from ``-reach`` to ``reach`` lie between them; ``width`` is the total. All are pixels.
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
        """The x of log odds; values beyond the reach stand at its ends."""
        share = (min(max(odds, -self.reach), self.reach) + self.reach) / (2 * self.reach)
        return self.left + share * (self.right - self.left)

    def middle(self, place: int) -> float:
        """The middle of a row, counted from the top."""
        return (place + 0.5) * self.row

    def curve_y(self, place: int, share: float) -> float:
        """The y of a number within its row: the smallest (share 0) low, the largest (1) high."""
        return (place + 0.82 - 0.64 * share) * self.row

    def row_at(self, y: float) -> int:
        """The row at a height; -1 for none."""
        row = int(y // self.row)
        return row if 0 <= row < self.n and y >= 0 else -1


def log_odds_reach(odds: list[float]) -> float:
    """The reach of the axis for these log odds: a whole number from 1 to :data:`MOST_LOG_ODDS`."""
    largest = max((abs(value) for value in odds), default=1.0)
    return float(min(MOST_LOG_ODDS, max(1.0, -(-largest // 1))))


LEAST_EFFECT: Final = 1e-6
MOST_EFFECT: Final = 20.0
"""Log odds beyond which values are not distinguished: 500 million to 1."""
_RATIOS: Final = (
    (1.1, 0.9), (1.25, 0.8), (1.5, 0.7), (2.0, 0.5), (3.0, 0.3), (5.0, 0.2), (10.0, 0.1), (30.0, 0.03), (100.0, 0.01),
    (1e3, 1e-3), (1e4, 1e-4), (1e6, 1e-6),
)  # fmt: skip
"""Round odds ratios above 1, each with one below 1 about as far."""


def effect_reach(effects: Iterable[tuple[float, float, float]]) -> float:
    """The reach of the axis for (estimate, lower, upper) log odds; very far interval ends stay outside."""
    middle, end = 0.0, 0.0
    for value, low, high in effects:
        if math.isfinite(value):
            middle = max(middle, abs(value))
        if math.isfinite(low) and math.isfinite(high):
            end = max(end, abs(low), abs(high))
    wanted = max(middle * 1.08, min(end * 1.04, 3.0 * middle if middle > LEAST_EFFECT else end))
    return min(MOST_EFFECT, max(LEAST_EFFECT, wanted if wanted > LEAST_EFFECT else 1.0))


def ratio_ticks(reach: float) -> list[tuple[float, str]]:
    """Places (log odds) of round odds ratios on an axis of this reach, with labels, 1 first."""
    marks = [(0.0, "1")]
    for pair in _RATIOS:
        labels = f"{pair[0]:g}", f"{pair[1]:.6f}".rstrip("0")
        marks += [(math.log(ratio), label) for ratio, label in zip(pair, labels, strict=True)]
    marks = [(place, label) for place, label in marks if abs(place) <= reach]
    if len(marks) > 1:
        return marks
    return [*marks, *((place, f"{math.exp(place):.6g}") for place in (-reach, reach))]


def log_ticks(reach: float) -> list[tuple[float, str]]:
    """Places of round log odds on an axis of this reach, with labels, 0 first."""
    size = 10.0 ** math.floor(math.log10(reach))
    step = next(size * factor for factor in (0.2, 0.5, 1.0, 2.0) if reach / (size * factor) <= 5)
    marks = [(0.0, "0")]
    for number in range(1, int(reach / step + 1e-9) + 1):
        label = f"{number * step:.3g}" if step < 100 else f"{number * step:,.0f}"
        marks += [(number * step, f"+{label}"), (-number * step, f"−{label}")]
    return marks


AXIS: Final = 3.4
"""Lines of text above the axis: the ruler of the critical difference and the numbers."""
BAR: Final = 0.55
NAME: Final = 1.45
FOOT: Final = 0.6
SIDE_SHARE: Final = 0.30
LEAST_SIDE: Final = 70.0


@dataclass(frozen=True)
class AxisLabel:
    """One name: its ``x`` on the axis, the height ``y`` of its line, and its side."""

    index: int
    x: float
    y: float
    on_left: bool


@dataclass(frozen=True)
class RankAxis:
    """The layout of a critical-difference diagram, from the upper left corner.

    The axis runs from rank 1 at ``left`` to ``k`` at ``right``, at height ``axis``. ``bars`` are (x from, x to,
    height). The ruler is ``ruler`` long from ``left``.
    """

    left: float
    right: float
    axis: float
    ticks: tuple[tuple[int, float], ...]
    names: tuple[AxisLabel, ...]
    bars: tuple[tuple[float, float, float], ...]
    ruler: float
    height: float


def rank_axis(
    places: Sequence[float], bars: Sequence[tuple[int, int]], critical: float, width: float, line: float
) -> RankAxis:
    """Lays out ascending ``places`` (>= 2) in ``width``, lines ``line`` high: the better half on the left."""
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
    for index, place in enumerate(places):
        on_left = index < n_left
        row = index if on_left else k - 1 - index
        names.append(AxisLabel(index, x_of(place), rows_begin + (row + 0.7) * NAME * line, on_left))
    drawn = tuple(
        (x_of(places[first]), x_of(places[last]), axis + (0.6 + BAR * index) * line)
        for index, (first, last) in enumerate(bars)
    )
    step = max(1, -(-k // 12))
    ticks = tuple((place, x_of(place)) for place in range(1, k + 1, step))
    height = rows_begin + (n_left * NAME + FOOT) * line
    return RankAxis(left, right, axis, ticks, tuple(names), drawn, min(critical * scale, right - left), height)


MOST_OF_WIDTH: Final = 0.36
"""Names take no more of the width than this."""


def room_for_names(longest: float, usual: float, fewest: float, width: float) -> float:
    """Pixels for names: what the longest needs, from ``usual`` if there is room, never below ``fewest``."""
    return min(max(usual, longest), max(fewest, MOST_OF_WIDTH * width))
