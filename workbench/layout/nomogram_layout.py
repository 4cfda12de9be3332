"""Where the lines of a nomogram stand: rows under each other, what a value adds to the log odds from left to right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MOST: Final = 10.0
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


def reach_of(odds: list[float]) -> float:
    """How far the axis goes for these log odds: a whole number from 1 to :data:`MOST`."""
    largest = max((abs(each) for each in odds), default=1.0)
    return float(min(MOST, max(1.0, -(-largest // 1))))
