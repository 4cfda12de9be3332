"""What part of a plane is seen: two ranges in units of the axes, moved and scaled by pixels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

DEEPEST: Final = 2e-4
"""The smallest part of an axis that can be seen: below, single-precision coordinates would show."""


@dataclass(frozen=True)
class Window:
    """The ranges in view, over ``width`` x ``height`` pixels; y grows upwards, pixels downwards."""

    left: float
    right: float
    low: float
    high: float
    width: float = 1.0
    height: float = 1.0

    @property
    def per_x(self) -> float:
        """Pixels of one unit across."""
        return self.width / (self.right - self.left)

    @property
    def per_y(self) -> float:
        """Pixels of one unit upwards."""
        return self.height / (self.high - self.low)

    def to_pixel(self, x: float, y: float) -> tuple[float, float]:
        return (x - self.left) * self.per_x, (self.high - y) * self.per_y

    def to_unit(self, px: float, py: float) -> tuple[float, float]:
        return self.left + px / self.per_x, self.high - py / self.per_y

    def resized(self, width: float, height: float) -> Window:
        return replace(self, width=max(1.0, width), height=max(1.0, height))

    def panned(self, right: float, down: float) -> Window:
        """Moved so many pixels over the plane, but not away from it."""
        across = _kept(right / self.per_x, self.left, self.right)
        up = _kept(-down / self.per_y, self.low, self.high)
        return replace(self, left=self.left + across, right=self.right + across, low=self.low + up, high=self.high + up)

    def zoomed(self, factor: float, px: float, py: float) -> Window:
        """Seen ``factor`` times larger, with what lies at a pixel staying there."""
        x, y = self.to_unit(px, py)
        x_size, y_size = self.right - self.left, self.high - self.low
        smallest, largest = max(DEEPEST / x_size, DEEPEST / y_size), min(1.6 / x_size, 1.6 / y_size)
        shrunk = min(max(1 / factor, min(1.0, smallest)), max(1.0, largest))
        return replace(
            self,
            left=x + (self.left - x) * shrunk,
            right=x + (self.right - x) * shrunk,
            low=y + (self.low - y) * shrunk,
            high=y + (self.high - y) * shrunk,
        ).panned(0, 0)

    def around(self, share: float) -> Window:
        """A larger window with the same scale: ``share`` of its size more on every side."""
        across, up = (self.right - self.left) * share, (self.high - self.low) * share
        return Window(
            self.left - across,
            self.right + across,
            self.low - up,
            self.high + up,
            self.width * (1 + 2 * share),
            self.height * (1 + 2 * share),
        )

    def covers(self, other: Window) -> bool:
        """Whether all of the other is seen in this one."""
        return (
            self.left <= other.left and other.right <= self.right and self.low <= other.low and other.high <= self.high
        )

    def has_scale_of(self, other: Window) -> bool:
        """Whether both show a unit equally large."""
        return abs(self.per_x / other.per_x - 1) < 1e-9 and abs(self.per_y / other.per_y - 1) < 1e-9


def _kept(step: float, first: float, last: float) -> float:
    """A step after which a quarter of the range still lies on the axis from 0 to 1, or of the axis in the range."""
    slack = (last - first) - min(1.0, last - first) / 4
    return min(max(step, -slack - first), 1.0 + slack - last)
