"""What part of a picture is in view: a window of a plane, the camera over a drawing, its overview."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

DEEPEST: Final = 2e-4
"""The smallest visible part of an axis; below it the rounding of single precision shows."""


@dataclass(frozen=True)
class Window:
    """The visible ranges of two axes over ``width`` x ``height`` pixels; y grows upwards, pixels downwards."""

    left: float
    right: float
    low: float
    high: float
    width: float = 1.0
    height: float = 1.0

    @property
    def per_x(self) -> float:
        """Pixels per unit across."""
        return self.width / (self.right - self.left)

    @property
    def per_y(self) -> float:
        """Pixels per unit upwards."""
        return self.height / (self.high - self.low)

    def to_pixel(self, x: float, y: float) -> tuple[float, float]:
        return (x - self.left) * self.per_x, (self.high - y) * self.per_y

    def to_unit(self, px: float, py: float) -> tuple[float, float]:
        return self.left + px / self.per_x, self.high - py / self.per_y

    def resized(self, width: float, height: float) -> Window:
        return replace(self, width=max(1.0, width), height=max(1.0, height))

    def panned(self, right: float, down: float) -> Window:
        """The window moved by pixels, with a quarter of the plane still in view."""
        across = _fixed_end(right / self.per_x, self.left, self.right)
        up = _fixed_end(-down / self.per_y, self.low, self.high)
        return replace(self, left=self.left + across, right=self.right + across, low=self.low + up, high=self.high + up)

    def zoomed(self, factor: float, px: float, py: float) -> Window:
        """The window enlarged ``factor`` times around the pixel (px, py)."""
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
        """A window of the same scale, larger by ``share`` of its size on every side."""
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
        return (
            self.left <= other.left and other.right <= self.right and self.low <= other.low and other.high <= self.high
        )

    def has_scale_of(self, other: Window) -> bool:
        return abs(self.per_x / other.per_x - 1) < 1e-9 and abs(self.per_y / other.per_y - 1) < 1e-9


def _fixed_end(step: float, first: float, last: float) -> float:
    """The step, shortened so that a quarter of the visible range stays on the axis from 0 to 1."""
    slack = (last - first) - min(1.0, last - first) / 4
    return min(max(step, -slack - first), 1.0 + slack - last)


MARGIN: Final = 12.0
FIT_LIMIT: Final = 1.8
"""The largest scale of a drawing that fits into the view."""


@dataclass(frozen=True)
class Camera:
    """A view of ``view_width`` x ``view_height`` pixels around (``x``, ``y``) of a drawing, at ``scale``."""

    width: float
    height: float
    view_width: float
    view_height: float
    scale: float = 1.0
    x: float = 0.0
    y: float = 0.0
    largest: float = 3.0
    fit_limit: float = FIT_LIMIT

    @property
    def scale_y(self) -> float:
        """Pixels per unit downwards."""
        inner = max(1.0, self.view_height - 2 * MARGIN)
        return max(self.scale, min(1.0, inner / max(1.0, self.height)))

    @property
    def fitting_scale(self) -> float:
        across = max(1.0, self.view_width - 2 * MARGIN) / max(1.0, self.width)
        down = max(1.0, self.view_height - 2 * MARGIN) / max(1.0, self.height)
        return min(self.fit_limit, across, down)

    @property
    def smallest(self) -> float:
        return min(1.0, self.fitting_scale)

    def fitted(self) -> Camera:
        return replace(self, scale=self.fitting_scale, x=self.width / 2, y=self.height / 2)

    def resized(self, view_width: float, view_height: float) -> Camera:
        return replace(self, view_width=max(1.0, view_width), view_height=max(1.0, view_height))

    def over(self, width: float, height: float) -> Camera:
        return replace(self, width=width, height=height)

    def scaled(self, scale: float, at_x: float | None = None, at_y: float | None = None) -> Camera:
        """The camera with another scale within its limits; the point at pixel (``at_x``, ``at_y``) stays there."""
        px = self.view_width / 2 if at_x is None else at_x
        py = self.view_height / 2 if at_y is None else at_y
        fixed_x, fixed_y = self.to_drawing(px, py)
        moved = replace(self, scale=min(self.largest, max(self.smallest, scale)))
        x = fixed_x - (px - self.view_width / 2) / moved.scale
        y = fixed_y - (py - self.view_height / 2) / moved.scale_y
        return replace(moved, x=x, y=y).kept_near()

    def panned(self, right: float, down: float) -> Camera:
        """The camera moved by pixels."""
        return replace(self, x=self.x + right / self.scale, y=self.y + down / self.scale_y).kept_near()

    def kept_near(self) -> Camera:
        """The camera moved back over the drawing, or centred on a drawing that fits."""
        x = _kept(self.x, self.width, self.view_width / self.scale)
        y = _kept(self.y, self.height, self.view_height / self.scale_y)
        return replace(self, x=x, y=y)

    def covered(self) -> Camera:
        """The camera moved to leave no empty side while the other side is cut; centred on a drawing that fits."""
        x = _covered(self.x, self.width, self.view_width / self.scale, MARGIN / self.scale)
        y = _covered(self.y, self.height, self.view_height / self.scale_y, MARGIN / self.scale_y)
        return replace(self, x=x, y=y)

    def sees(self, left: float, top: float, right: float, bottom: float) -> bool:
        (x0, y0), (x1, y1) = self.to_view(left, top), self.to_view(right, bottom)
        return x0 >= 0 and y0 >= 0 and x1 <= self.view_width and y1 <= self.view_height

    def showing(self, left: float, top: float, right: float, bottom: float, margin: float = 60.0) -> Camera:
        """The camera moved as little as needed to show a box with ``margin`` pixels around it."""
        x = _shown(self.x, left, right, self.view_width / self.scale, margin / self.scale)
        y = _shown(self.y, top, bottom, self.view_height / self.scale_y, margin / self.scale_y)
        return replace(self, x=x, y=y)

    def to_drawing(self, px: float, py: float) -> tuple[float, float]:
        """The point of the drawing at a pixel of the view."""
        return (self.x + (px - self.view_width / 2) / self.scale, self.y + (py - self.view_height / 2) / self.scale_y)

    def to_view(self, x: float, y: float) -> tuple[float, float]:
        """The pixel of the view that shows a point of the drawing."""
        return (x - self.x) * self.scale + self.view_width / 2, (y - self.y) * self.scale_y + self.view_height / 2


def _kept(middle: float, extent: float, seen: float) -> float:
    """The middle of the view, moved so that a third of the view or of the drawing stays covered."""
    slack = seen / 2 - min(seen, extent) / 3
    return min(extent + slack, max(-slack, middle))


def _covered(middle: float, extent: float, seen: float, margin: float) -> float:
    """The middle of the view, moved so that it ends at most ``margin`` beyond the drawing; centred if all fits."""
    slack = seen / 2 - margin
    return extent / 2 if extent <= 2 * slack else min(extent - slack, max(slack, middle))


def _shown(middle: float, low: float, high: float, seen: float, margin: float) -> float:
    room = max(0.0, min(margin, (seen - (high - low)) / 2))
    if low - room < middle - seen / 2:
        return low - room + seen / 2
    if high + room > middle + seen / 2:
        return high + room - seen / 2
    return middle


OVERVIEW_MARGIN: Final = 5.0
WHOLE: Final = 0.97
"""Share of the drawing that, once visible in both directions, makes the overview unnecessary."""


@dataclass(frozen=True)
class Overview:
    """A map of ``map_width`` x ``map_height`` pixels, stretched over a drawing of ``width`` x ``height``."""

    width: float
    height: float
    map_width: float
    map_height: float

    @property
    def scale_x(self) -> float:
        return max(1.0, self.map_width - 2 * OVERVIEW_MARGIN) / max(1.0, self.width)

    @property
    def scale_y(self) -> float:
        return max(1.0, self.map_height - 2 * OVERVIEW_MARGIN) / max(1.0, self.height)

    def to_drawing(self, px: float, py: float) -> tuple[float, float]:
        """The point of the drawing at a pixel of the map."""
        return (px - OVERVIEW_MARGIN) / self.scale_x, (py - OVERVIEW_MARGIN) / self.scale_y

    def seen(self, camera: Camera) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the camera's view on the map, clipped to the map."""
        left, top = camera.to_drawing(0.0, 0.0)
        right, bottom = camera.to_drawing(camera.view_width, camera.view_height)
        return (
            max(1.0, left * self.scale_x + OVERVIEW_MARGIN),
            max(1.0, top * self.scale_y + OVERVIEW_MARGIN),
            min(self.map_width - 1.0, right * self.scale_x + OVERVIEW_MARGIN),
            min(self.map_height - 1.0, bottom * self.scale_y + OVERVIEW_MARGIN),
        )

    def is_needed(self, camera: Camera) -> bool:
        """Whether a considerable part of the drawing is out of view."""
        left, top = camera.to_drawing(0.0, 0.0)
        right, bottom = camera.to_drawing(camera.view_width, camera.view_height)
        across = min(right, self.width) - max(left, 0.0)
        down = min(bottom, self.height) - max(top, 0.0)
        return across < WHOLE * self.width or down < WHOLE * self.height
